/// @file
/// A method of a family as a value: its section, the columns it adds, its work and its run.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/section.hpp"
#include "data/dataset.hpp"
#include "experiments/resample_checkpoint.hpp"
#include "experiments/tuning.hpp"
#include "parallel/comm.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/recorder.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

template <class Problem>
struct Method {
  config::Section section;
  sweep::Columns columns;  ///< beside those of the family
  /// @throws std::invalid_argument, base::InputError  options that do not suit the problem.
  std::function<void(const Problem&, const sweep::Task&)> check;
  /// For options that suit or not.
  std::function<sweep::Work(const Problem&, const sweep::Task&, std::int64_t ranks)> work;
  /// Collective over the team of a coupled method, which is complete on rank 0; else called on the
  /// team's rank 0 alone.
  /// @throws solvers::Interrupted  the control wants a stop.
  std::function<sweep::TaskResult(const parallel::Comm& team, const Problem&, const sweep::Task&,
                                  const solvers::Control&)>
      run;
  std::optional<Tuning> tuning{};  ///< not of a coupled method
  /// Of a coupled method, whether the task has work for more than one rank; empty: always.
  std::function<bool(const Problem&, const sweep::Task&)> is_shared = nullptr;
  /// See sweep::Experiment::shared_loop(), run_abreast(); both or none.
  std::function<std::string(const sweep::Task&)> shared_loop = nullptr;
  std::function<std::vector<sweep::TaskResult>(const Problem&, std::span<const sweep::Task>,
                                               const solvers::Control&)>
      run_abreast = nullptr;
};

/// Whether the tasks of a problem draw resamples behind their solvers.
template <class Problem>
[[nodiscard]] bool draws_resamples([[maybe_unused]] const Problem& problem) {
  if constexpr (requires { problem.options.resamples > 0; }) {
    return problem.options.resamples > 0;
  } else {
    return false;
  }
}

/// What the run of a method gets.
template <class Problem, class Options>
struct Run {
  const Problem& problem;
  const Options& options;
  std::uint64_t seed;      ///< the config's
  const std::string& key;  ///< with the seed the address of random streams: see stream_address()
  const solvers::Control& control;
  const parallel::Comm& team;
  bool is_trial = false;  ///< only what Tuning::score looks at is needed
  Resampling resampling;  ///< of intervals by the bootstrap

  /// Calls a solver with the usual arguments.
  template <class Solver>
  [[nodiscard]] auto operator()(Solver&& solver) const {
    return solver(problem, options, seed, key, control);
  }
};

/// What a method's random numbers hang on, beside the seed: its revision and the content of the
/// data and its split. Not how a file's path is written, nor any option: the points along a
/// trade-off share their batches, and what only observes changes nothing.
[[nodiscard]] std::string stream_address(const config::Section& method,
                                         const data::Provenance& data);

/// The config's seed for a task.
[[nodiscard]] std::uint64_t seed_of(const sweep::Task& task);

/// A method with the options struct of its section. Options are checked by validate_for(problem,
/// options), and whether a team has work on a task is told by is_shared(problem, options), where
/// there are such functions beside them.
/// @param work  (problem, options) or (problem, options, ranks) -> sweep::Work.
/// @param run   (const Run<Problem, Options>&) -> sweep::TaskResult.
template <class Problem, class Options, class Work, class Runs>
[[nodiscard]] Method<Problem> make_method(config::Section section, sweep::Columns columns,
                                          Work work, Runs run) {
  section.is_method = true;
  const auto read = [](const sweep::Task& task) {
    return sweep::read_section<Options>(task, task.method);
  };
  return {config::make_section<Options>(std::move(section)),
          std::move(columns),
          [read](const Problem& problem, const sweep::Task& task) {
            const Options options = read(task);
            if constexpr (requires { validate_for(problem, options); }) {
              validate_for(problem, options);
            }
          },
          [read, work](const Problem& problem, const sweep::Task& task,
                       [[maybe_unused]] std::int64_t ranks) -> sweep::Work {
            const Options options = read(task);
            if constexpr (std::invocable<const Work&, const Problem&, const Options&>) {
              return work(problem, options);
            } else {
              return work(problem, options, ranks);
            }
          },
          [read, run](const parallel::Comm& team, const Problem& problem, const sweep::Task& task,
                      const solvers::Control& control) {
            const Options options = read(task);
            std::optional<ResampleCheckpoint> kept;
            if (draws_resamples(problem)) kept.emplace(control);
            const Run<Problem, Options> what{problem,
                                             options,
                                             seed_of(task),
                                             task.stream,
                                             kept ? kept->of_solver() : control,
                                             team,
                                             task.is_trial,
                                             {task.stream, kept ? &*kept : nullptr}};
            return run(what);
          },
          std::nullopt,
          []([[maybe_unused]] const Problem& problem,
             [[maybe_unused]] const sweep::Task& task) -> bool {
            if constexpr (requires(const Options& options) { is_shared(problem, options); }) {
              return is_shared(problem, sweep::read_section<Options>(task, task.method));
            } else {
              return true;
            }
          }};
}

/// @param seconds  of CPU time up to there, in all entries of a series or in none.
void add_to_series(sweep::TaskResult& result, const std::string& name, std::int64_t step,
                   double value, std::optional<double> seconds = std::nullopt);

/// Every series of the trace under its own name.
void add_series(sweep::TaskResult& result, const solvers::Trace& trace);

/// A front of one point, all objectives minimised; its hypervolume is that of the box up to the
/// reference point.
[[nodiscard]] results::TaskFront one_point_front(std::vector<double> point,
                                                 std::vector<double> reference);

}  // namespace fairfront::experiments
