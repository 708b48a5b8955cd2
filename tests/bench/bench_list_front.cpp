// CPU time of a candidate in late iterations of Pareto-front SAfairKM, with all that belongs to
// one: step, objectives, filter, and the clusterings of the entries that come new.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <variant>
#include <vector>

#include "base/cpu_time.hpp"
#include "bench/unit_norm_dataset.hpp"
#include "parallel/comm.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/safairkm_front.hpp"

namespace fairfront::clustering {
namespace {

/// Every clustering of the front has the objectives of its point, counted anew.
bool labels_have_their_points(const Problem& problem, const SafairFrontResult& result) {
  bool right = !result.labels.empty() && result.points.size() == 2 * result.labels.size();
  for (std::size_t i = 0; right && i < result.labels.size(); ++i) {
    std::visit(
        [&]<class Label>(const std::vector<Label>& by_row) {
          std::vector<Label> labels;
          for (std::int64_t p = 0; p < problem.points(); ++p) {
            labels.push_back(by_row[static_cast<std::size_t>(problem.row(p))]);
          }
          Partition<Label> partition(problem);
          partition.assign(problem, labels);
          right = partition.cost(problem) == result.points[2 * i] &&
                  partition.bottleneck().balance.value() == result.points[2 * i + 1];
        },
        result.labels[i]);
  }
  return right;
}

/// CPU seconds at the end of every iteration.
struct Clock {
  std::vector<double> seconds;
  [[nodiscard]] solvers::Control control() {
    return {.report = [this](const solvers::Progress&) { seconds.push_back(base::cpu_seconds()); }};
  }
};

/// Arguments: N, K, points drawn for a swap at the end, entries of the list at most. Counter `us`:
/// of a candidate of the last fifth of the iterations, in which that many are drawn, up to a third
/// less.
void late_candidate(benchmark::State& state) {
  const Problem problem(bench::unit_norm_dataset(state.range(0), 0.7), state.range(1));
  SafairFrontOptions options;
  options.iterations = 300;
  options.starts = 10;
  options.list_budget = state.range(3);
  options.step.swap_growth = std::pow(static_cast<double>(state.range(2)), 1.0 / 140);
  const auto late = static_cast<std::size_t>(options.iterations * 4 / 5);
  SafairFrontResult result;
  for (auto _ : state) {
    const parallel::Comm alone(MPI_COMM_SELF);
    Clock clock;
    result = safairkm_front(alone, problem, options, 1, "bench", clock.control());
    double candidates = 0;
    for (std::size_t i = late; i + 1 < result.trace.size(); ++i) {
      candidates += static_cast<double>(result.trace[i].list_length) *
                    static_cast<double>(options.pairs.size());
    }
    const double seconds = clock.seconds.back() - clock.seconds[late];
    state.counters["us"] = 1e6 * seconds / candidates;
  }
  state.counters["list"] = static_cast<double>(result.list_length);
  if (!labels_have_their_points(problem, result)) state.SkipWithError("wrong answer");
}
BENCHMARK(late_candidate)
    ->ArgNames({"N", "K", "batch", "list"})
    ->ArgsProduct({{10'000, 100'000}, {10}, {1, 42, 100, 200}, {100}})
    ->ArgsProduct({{10'000, 100'000}, {300}, {42, 200}, {100}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fairfront::clustering

int main(int argc, char** argv) {
  const fairfront::parallel::Session session(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
