#include "solvers/ranking/iqrc.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "solvers/ranking/level_search.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::string_view magic = "fairfront iqrc 2";

void check(const IqrcOptions& options) {
  IqrcOptions copy = options;
  base::OptionTable table("IqrcOptions");
  add_options(table, copy);
  table.check();
}

double mean_of(const CellSums& sums, CellSet set) {
  double rows = 0;
  double sum = 0;
  for_each_cell(set, [&](std::size_t c) {
    rows += sums.rows[c];
    sum += sums.sum[c];
  });
  return sum / rows;
}

template <ScoreRows Scores>
class Iqrc {
 public:
  Iqrc(const SurrogateProblem<Scores>& problem, const IqrcOptions& options,
       std::span<const double> start, base::StreamKey key, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        search_(problem, options.level, key),
        x_(start.size(), problem.pairs.size()) {
    std::ranges::copy(start, x_.w.begin());
    project(x_.w, problem.radius);
    const CellSums sums = problem.rows.sums(x_.w);
    for (std::size_t i = 0; i < problem.pairs.size(); ++i) {
      x_.a[i] = mean_of(sums, problem.pairs[i].above);
      x_.b[i] = mean_of(sums, problem.pairs[i].below);
    }
    if (control.resume) {
      restore(*control.resume);
    } else {
      begin_iteration();
    }
  }

  [[nodiscard]] bool done() const { return iteration_ == options_.iterations; }

  void advance(const IterateWatch& watch) {
    search_.advance(watch);
    if (!search_.done()) return;
    const auto& calls = search_.calls();
    calls_.insert(calls_.end(), calls.begin(), calls.end());
    improved_ += calls.front().upper_bound <= 0 ? 1 : 0;
    x_ = search_.best();
    if (++iteration_ < options_.iterations) begin_iteration();
  }

  [[nodiscard]] std::int64_t steps() const { return search_.steps(); }
  [[nodiscard]] IqrcResult result() const { return {x_.w, improved_, calls_, search_.steps()}; }

  [[nodiscard]] std::string state() const {
    solvers::Packer packer;
    packer.raw(magic);
    x_.pack(packer);
    packer.number(iteration_);
    packer.number(improved_);
    packer.array(std::span(calls_));
    search_.pack(packer);
    return packer.take();
  }

 private:
  void begin_iteration() {
    const CellSums sums = problem_.rows.sums(x_.w);
    search_.begin(x_, losses_of(sums, problem_.pairs, problem_.surrogate).objective, options_.rho);
  }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker = unpacker_of(state, magic);
    x_.unpack(unpacker);
    iteration_ = unpacker.number<std::int64_t>();
    improved_ = unpacker.number<std::int64_t>();
    calls_ = unpacker.array<std::vector<LevelSetCall>>();
    search_.unpack(unpacker);
  }

  const SurrogateProblem<Scores>& problem_;
  const IqrcOptions& options_;
  LevelSearch<Scores> search_;
  Primal x_;                    ///< x_s
  std::int64_t iteration_ = 0;  ///< s
  std::int64_t improved_ = 0;
  std::vector<LevelSetCall> calls_;  ///< of the iterations before
};

}  // namespace

void add_options(base::OptionTable& table, IqrcOptions& options) {
  table.add("rho", options.rho, base::at_least(0.0), "",
            "Weight of rho/2 |x - x_s|^2, which is added to the objective and the constraints.");
  table.add("iterations", options.iterations, base::between<std::int64_t>(1, 1'000'000), "",
            "S: problems that are solved, each around the result of the one before.");
  add_options(table, options.level);
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
  const std::int64_t most =
      options.iterations * options.level.most_calls * options.level.descent.steps;
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
