/// @file
/// Speed of the alternating methods: the paper's Figure 1, run by run. Every benchmark checks that
/// its run ends on the front it is meant to approach.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "pareto/indicators.hpp"
#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "solvers/alternating/sa2gd_abreast.hpp"
#include "solvers/alternating/test_problems.hpp"
#include "solvers/alternating/weighted_sum.hpp"

namespace {

using namespace fairfront;
using namespace fairfront::alternating;

constexpr std::int64_t total = 200;
constexpr std::int64_t iterations = 300;

std::vector<double> start_of(const AnyProblem& problem, std::int64_t run) {
  base::Stream stream(base::StreamKey(1, "bench", "start"), static_cast<std::uint64_t>(run));
  return view_of(problem).box().random_point(stream);
}

/// Efforts that change from run to run, as in the sweep: 0, 1, ..., 200 on the first objective.
Efforts efforts_of(std::int64_t run) { return lattice_point(run % (total + 1), total, 2); }

template <class Solve>
void run_all(benchmark::State& state, const std::string& name, std::int64_t steps, Solve solve) {
  const AnyProblem problem =
      make_problem(test_problem(name), test_problem(name).any_variables ? 2 : 0, 2);
  const pareto::Points front = analytic_front(problem, 2001);
  std::int64_t run = 0;
  double sum = 0;
  for (auto _ : state) {
    const std::vector<double> start = start_of(problem, run);
    const RunResult result = solve(view_of(problem), start, efforts_of(run));
    sum += pareto::distance_to(values_at(view_of(problem), result.last), front);
    ++run;
  }
  if (!(sum / static_cast<double>(run) < 0.5)) state.SkipWithError("far from the front");
  state.counters["steps"] =
      benchmark::Counter(static_cast<double>(run * steps), benchmark::Counter::kIsRate);
  state.counters["figure_seconds"] = benchmark::Counter(  // 201 such runs
      static_cast<double>(run) / 201, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void sa2gd_run(benchmark::State& state, const std::string& name) {
  run_all(state, name, total * iterations, [](const auto& p, const auto& start, Efforts efforts) {
    return sa2gd(p, start, {.efforts = std::move(efforts), .run = {.iterations = iterations}}, 1,
                 "bench");
  });
}

/// The runs of one loop, as a sweep has them: weights beside each other.
void sa2gd_abreast_runs(benchmark::State& state, const std::string& name) {
  const AnyProblem problem =
      make_problem(test_problem(name), test_problem(name).any_variables ? 2 : 0, 2);
  const pareto::Points front = analytic_front(problem, 2001);
  std::int64_t run = 0;
  double sum = 0;
  for (auto _ : state) {
    std::vector<std::vector<double>> starts;
    std::vector<Sa2gdRun> runs;
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      const std::int64_t k = run + static_cast<std::int64_t>(r);
      starts.push_back(start_of(problem, k));
      runs.push_back({starts.back(),
                      {.efforts = efforts_of(k), .run = {.iterations = iterations}},
                      1,
                      "bench"});
    }
    const ProblemView p = view_of(problem);
    for (const RunResult& result : sa2gd_abreast(p, std::span<const Sa2gdRun>(runs))) {
      sum += pareto::distance_to(values_at(p, result.last), front);
    }
    run += static_cast<std::int64_t>(runs_abreast);
  }
  if (!(sum / static_cast<double>(run) < 0.5)) state.SkipWithError("far from the front");
  state.counters["steps"] = benchmark::Counter(static_cast<double>(run * total * iterations),
                                               benchmark::Counter::kIsRate);
  state.counters["ns_a_step"] =
      benchmark::Counter(static_cast<double>(run * total * iterations) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void weighted_sum_run(benchmark::State& state, const std::string& name) {
  run_all(state, name, total * iterations, [](const auto& p, const auto& start, Efforts efforts) {
    return weighted_sum(
        p, start,
        {.efforts = std::move(efforts), .inner_steps = total, .run = {.iterations = iterations}}, 1,
        "bench");
  });
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"sp1", "ff1", "jos1", "jos2", "zdt1", "zdt2", "zdt3", "deb41", "im1"}) {
    benchmark::RegisterBenchmark((std::string("sa2gd/") + name).c_str(), sa2gd_run,
                                 std::string(name))
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((std::string("sa2gd_abreast/") + name).c_str(), sa2gd_abreast_runs,
                                 std::string(name))
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((std::string("weighted_sum/") + name).c_str(), weighted_sum_run,
                                 std::string(name))
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
