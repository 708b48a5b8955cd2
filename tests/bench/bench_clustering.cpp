// Time of one candidate step, as the list method tries it: advance, both objectives, undo.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "bench/unit_norm_dataset.hpp"
#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"

namespace fairfront::clustering {
namespace {

using Label = std::uint8_t;

constexpr std::array<Effort, 4> pairs{{{25, 0}, {20, 4}, {15, 3}, {5, 2}}};

/// A problem with K = 10 and a k-means++ clustering of it.
struct Setting {
  explicit Setting(std::int64_t points)
      : problem(bench::unit_norm_dataset(points, 0), 10), solution(problem) {
    base::Stream stream(base::StreamKey(1, "bench", "start"), 0);
    solution.partition.assign(problem, kmeans_plus_plus_labels<Label>(problem, stream));
    solution.set_exact_centres(problem);
  }
  Problem problem;
  Solution<Label> solution;
};

Setting& setting_of(std::int64_t points) {
  static std::map<std::int64_t, std::unique_ptr<Setting>> settings;
  std::unique_ptr<Setting>& setting = settings[points];
  if (!setting) setting = std::make_unique<Setting>(points);
  return *setting;
}

/// Both objectives after a step are those of a fresh assignment, and undo takes the step back.
bool answers_are_right(Setting& setting, Stepper<Label>& stepper, Effort effort,
                       std::int64_t batch) {
  Partition<Label>& partition = setting.solution.partition;
  const double cost_before = partition.cost(setting.problem);
  Partition<Label> fresh(setting.problem);
  bool right = true;
  std::size_t changes = 0;
  for (std::uint64_t index = 0; index < 10; ++index) {
    base::Stream stream(base::StreamKey(2, "bench", "check"), index);
    stepper.advance(partition, setting.solution.centres, effort, batch, stream);
    fresh.assign(setting.problem, partition.labels());
    right = right && fresh.cost(setting.problem) == partition.cost(setting.problem) &&
            fresh.bottleneck().balance.value() == partition.bottleneck().balance.value();
    changes += stepper.changes().size();
    stepper.undo(partition);
  }
  return right && changes > 0 && partition.cost(setting.problem) == cost_before;
}

/// Arguments: N, position in `pairs` or 4 for all of them in turn, points drawn per swap.
void candidate_step(benchmark::State& state) {
  Setting& setting = setting_of(state.range(0));
  const auto chosen = static_cast<std::size_t>(state.range(1));
  const std::int64_t batch = state.range(2);
  Stepper<Label> stepper(setting.problem, {});
  const base::StreamKey key(1, "bench", "step");
  std::uint64_t candidate = 0;
  for (auto _ : state) {
    const Effort effort = pairs[chosen < 4 ? chosen : candidate % 4];
    if (candidate % 4 == 0) stepper.share_steps();  // as many as there are pairs
    Partition<Label>& parent = setting.solution.partition;
    base::Stream stream(key, candidate++);
    stepper.advance(parent, setting.solution.centres, effort, batch, stream);
    benchmark::DoNotOptimize(parent.cost(setting.problem));
    benchmark::DoNotOptimize(parent.bottleneck());
    stepper.undo(parent);
  }
  for (const Effort effort : pairs) {
    if (!answers_are_right(setting, stepper, effort, batch)) state.SkipWithError("wrong answer");
  }
  state.SetLabel(chosen < 4 ? fmt::format("({},{})", pairs[chosen].kmeans, pairs[chosen].swaps)
                            : "mean of the pairs");
}
BENCHMARK(candidate_step)
    ->ArgNames({"N", "pair", "batch"})
    ->ArgsProduct({{5'000, 100'000}, {0, 1, 2, 3, 4}, {1, 6, 42, 100, 200, 500, 1'000}});

/// One box of a lower bound's proof, at potentials that attract a tenth of the points.
/// Arguments: N, floor in hundredths.
void box_of_lower_bound(benchmark::State& state) {
  const Problem& problem = setting_of(state.range(0)).problem;
  ClusterPricing pricing(problem, double(state.range(1)) / 100);
  pricing.set_potentials(std::vector<double>(static_cast<std::size_t>(problem.points()), 0.5));
  const double* const centre = problem.point(0);
  double least = 0;
  for (auto _ : state) benchmark::DoNotOptimize(least = pricing.least(centre, 0.01));
  const PricedCluster found = pricing.minimiser();
  double sum = pricing.value(found) - 0.01 * double(found.members.size());
  for (std::size_t i = 0; i < found.mean.size(); ++i) {
    sum += double(found.members.size()) * std::pow(found.mean[i] - centre[i], 2);
  }
  if (std::abs(sum - least) > pricing.rounding() + 1e-9) state.SkipWithError("wrong answer");
}
BENCHMARK(box_of_lower_bound)->ArgNames({"N", "floor"})->ArgsProduct({{5'000, 100'000}, {25, 50}});

}  // namespace
}  // namespace fairfront::clustering
