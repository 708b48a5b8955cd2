/// @file
/// The loop around the steps of every training algorithm: budget, trajectory, checkpoints, stops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/budget.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/common/recorder.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

struct RunOptions {
  /// Evaluations of single examples: a row whose loss a step looks at counts once, with or without
  /// its gradient. 0: no bound.
  std::int64_t budget = 400'000;
  std::int64_t iterations = 0;     ///< at most; 0: no bound
  std::int64_t trace_points = 50;  ///< of the trajectory; none is part of the budget
};
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, RunOptions& options);
/// @throws std::invalid_argument  neither budget nor iterations.
void validate(const RunOptions& options);

/// What a run may spend, and has spent.
class Allowance {
 public:
  explicit Allowance(const RunOptions& options);

  /// As solvers::Budget.
  [[nodiscard]] bool spend(std::int64_t evaluations) { return budget_.spend(evaluations); }
  [[nodiscard]] std::int64_t used() const { return budget_.used(); }
  [[nodiscard]] std::int64_t left() const { return budget_.left(); }  ///< huge where unbounded
  [[nodiscard]] std::int64_t iterations() const { return iterations_; }
  [[nodiscard]] bool may_step() const {
    return (iterations_ < most_ || most_ == 0) && budget_.left() > 0;
  }
  void count_step() { ++iterations_; }
  /// Spent of the allowance, in [0, 1].
  [[nodiscard]] double fraction() const;

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  solvers::Budget budget_;
  bool bounded_;
  std::int64_t most_;
  std::int64_t iterations_ = 0;
};

/// One method of training: its state beside the weights, and a step.
class Algorithm {
 public:
  Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;
  virtual ~Algorithm() = default;

  /// One iteration. @return false: the allowance is too small for it, and w is as before.
  /// @throws std::domain_error  the run has diverged.
  virtual bool step(std::span<double> w, Allowance& allowance) = 0;
  /// Evaluations of a step, on average, for forecasts and the stride of trajectories.
  [[nodiscard]] virtual double mean_cost() const = 0;
  /// Whether the result is of use wherever the iterates were: far ones are then no failure.
  [[nodiscard]] virtual bool recovers() const { return false; }
  /// What is made of the last iterate at the end.
  virtual void finish(std::span<double> /*w*/) {}

  virtual void pack(solvers::Packer& packer) const = 0;
  /// @throws base::CheckpointError
  virtual void unpack(solvers::Unpacker& unpacker) = 0;
};

struct TrainingResult {
  std::vector<double> w;
  std::int64_t iterations = 0;
  std::int64_t evaluations = 0;
  /// loss_<part> and gap_<part> of train, validation, test by evaluations, of the parts that have
  /// rows; the first point is the start, the last one the last iterate. NaN where an algorithm that
  /// recovers had weights that are not finite.
  solvers::Trace trace;
};

/// Evaluations that a run is about to spend.
[[nodiscard]] double forecast(const RunOptions& options, double mean_cost);

/// Steps until the allowance is spent. With `control` it saves its state at every wish and before
/// it stops, and goes on from one: the result is the same bits. Collective where a team shares the
/// problem, otherwise local.
/// @param control  where a team shares the problem, the team's.
/// @param start  shape (parameters,).
/// @throws std::domain_error  the run has diverged; the message says in which iteration, and names
/// features that are large, as a likely cause.
/// @throws base::CheckpointError  the state to resume from is not of this run.
/// @throws solvers::Interrupted  `control` wants a stop; answered within a step.
[[nodiscard]] TrainingResult train(const Problem& problem, Algorithm& algorithm,
                                   std::vector<double> start, const RunOptions& options,
                                   const solvers::Control& control = {});

}  // namespace fairfront::training
