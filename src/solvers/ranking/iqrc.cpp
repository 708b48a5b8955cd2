#include "solvers/ranking/iqrc.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "solvers/ranking/level_search.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::string_view magic = "fairfront iqrc 4";

void check(const IqrcOptions& options) {
  IqrcOptions copy = options;
  base::OptionTable table("IqrcOptions");
  add_options(table, copy);
  table.check();
}

template <ScoreRows Scores>
class Iqrc {
 public:
  Iqrc(const SurrogateProblem<Scores>& problem, const IqrcOptions& options,
       std::span<const double> start, base::StreamKey key, const solvers::Control& control)
      : options_{options},
        search_(problem, options.level, key, Ending::at_once),
        w_(start.begin(), start.end()) {
    project(w_, problem.radius);
    if (control.resume) {
      restore(*control.resume);
    } else {
      begin_iteration();
    }
  }

  [[nodiscard]] bool done() const {
    return iteration_ == options_.iterations ||
           (search_.done() && search_.stop() == LevelSetStop::evaluations_spent);
  }

  void advance(const IterateWatch& watch) {
    search_.advance(watch);
    if (!search_.done()) return;
    const auto& calls = search_.calls();
    calls_.insert(calls_.end(), calls.begin(), calls.end());
    improved_ += search_.has_improved() ? 1 : 0;
    w_ = search_.best();
    ++iteration_;
    if (!done()) begin_iteration();
  }

  [[nodiscard]] std::int64_t steps() const { return search_.steps(); }
  [[nodiscard]] IqrcResult result() const {
    return {w_, improved_, calls_, search_.steps(), search_.evaluations()};
  }

  [[nodiscard]] std::string state() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.array(std::span(w_));
    packer.number(iteration_);
    packer.number(improved_);
    packer.array(std::span(calls_));
    search_.pack(packer);
    return packer.take();
  }

 private:
  void begin_iteration() { search_.begin(w_, options_.rho); }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker = unpacker_of(state, magic);
    unpack_values(unpacker, w_);
    iteration_ = unpacker.number<std::int64_t>();
    improved_ = unpacker.number<std::int64_t>();
    calls_ = unpacker.array<std::vector<LevelSetCall>>();
    search_.unpack(unpacker);
  }

  const IqrcOptions& options_;
  LevelSearch<Scores> search_;
  std::vector<double> w_;       ///< of x_s
  std::int64_t iteration_ = 0;  ///< s
  std::int64_t improved_ = 0;
  std::vector<LevelSetCall> calls_;  ///< of the iterations before
};

}  // namespace

void add_options(base::OptionTable& table, IqrcOptions& options) {
  table.add("rho", options.rho, base::at_least(0.0), "",
            "The objective and the constraints get rho/2 |x - x_s|^2, rho this number.");
  table.add("iterations", options.iterations, base::between<std::int64_t>(1, 1'000'000), "",
            "This many problems are solved, each around the result of the one before, while there "
            "are evaluations left.");
  add_options(table, options.level);
}

double expected_steps(const IqrcOptions& options) {
  constexpr double begin = 0.032;  // of a network as it is drawn
  return expected_steps(options.level, begin, options.iterations);
}

template <ScoreRows Scores>
IqrcResult iqrc(const SurrogateProblem<Scores>& problem, const IqrcOptions& options,
                std::span<const double> start, std::uint64_t seed, const std::string& task_key,
                const solvers::Control& control, const IterateWatch& watch) {
  check(options);
  check_problem(problem.surrogate, problem.kappa, problem.radius, problem.interval);
  if (std::ssize(start) != problem.rows.parameters()) {
    throw std::invalid_argument("iqrc: start needs one number for each weight");
  }
  Iqrc<Scores> run(problem, options, start, {seed, task_key, "ranking/rows"}, control);
  solvers::Heartbeat heartbeat(control);
  const std::int64_t most = most_steps(options.level);
  while (!run.done()) {
    run.advance(watch);
    obey(heartbeat.ask([&] { return solvers::progress("step", run.steps(), most, "at most"); }),
         control, [&] { return run.state(); });
  }
  return run.result();
}

template IqrcResult iqrc(const SurrogateProblem<LinearScores>&, const IqrcOptions&,
                         std::span<const double>, std::uint64_t, const std::string&,
                         const solvers::Control&, const IterateWatch&);
template IqrcResult iqrc(const SurrogateProblem<NetworkScores>&, const IqrcOptions&,
                         std::span<const double>, std::uint64_t, const std::string&,
                         const solvers::Control&, const IterateWatch&);

}  // namespace fairfront::ranking
