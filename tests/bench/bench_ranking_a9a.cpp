/// @file
/// The stochastic level-set method [sfls] on a9a: for each metric and kappa 10,000 steps a call
/// with c = 0.1, and the answer beside the exact optimum on the same split. Every score that comes
/// back must be feasible, with a gap of at most 0.015. Where the public data files are missing, the
/// program says so and measures nothing.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/ranking.hpp"
#include "experiments/ranking_models.hpp"
#include "experiments/registry.hpp"
#include "solvers/ranking/level_set.hpp"
#include "support/data_dir.hpp"
#include "sweep/plan.hpp"

namespace {

using namespace fairfront;
using experiments::Loaded;
using experiments::RankingProblem;

constexpr double most_gap = 0.015;

/// The official test part, a tenth of the rest for validation.
Loaded<RankingProblem> load(const std::string& metric) {
  const sweep::Experiment& ranking = experiments::find("ranking");
  const std::string text =
      "experiment = ranking\nseed = 1\n[data]\ndata = a9a\n[split]\nvalidation = 0.1\n"
      "[ranking]\nmetric = " +
      metric + "\n[exact_auc]\n";
  const sweep::Plan plan(
      config::resolve(config::scan_config(text, "bench"), ranking.name(), ranking.sections()),
      ranking);
  sweep::RunContext context;
  context.data_dir = test::public_data_dir().value();
  return experiments::ranking_family().load(plan.task(0), context);
}

const RankingProblem& problem_of(const std::string& metric) {
  static std::map<std::string, Loaded<RankingProblem>> problems;
  const auto known = problems.find(metric);
  if (known != problems.end()) return known->second.problem;
  return problems.emplace(metric, load(metric)).first->second.problem;
}

void level_set(benchmark::State& state, const std::string& metric, double kappa) {
  const RankingProblem& problem = problem_of(metric);
  const auto surrogate = experiments::linear_surrogate(problem, kappa);
  const ranking::LevelSetOptions options{.descent = {.step = 0.1, .steps = 10'000}};
  ranking::LevelSetResult found;
  for (auto _ : state) found = ranking::level_set(surrogate, options, 1, "bench");
  const ranking::ExactOptimum best = problem.exact.solve(kappa);
  const ranking::Losses losses = problem.exact.losses()(found.w);
  const double gap = losses.objective - best.losses.objective;
  state.counters["gap"] = gap;
  state.counters["violation"] = losses.excess(kappa);
  state.counters["calls"] = static_cast<double>(found.calls.size());
  state.counters["steps"] = static_cast<double>(found.steps);
  if (!(std::abs(best.losses.objective - best.dual_value) <= 1e-9)) {
    return state.SkipWithError("the exact optimum has no certificate");
  }
  if (!(losses.excess(kappa) <= 0)) return state.SkipWithError("not feasible");
  if (!(gap >= 0 && gap <= most_gap)) state.SkipWithError("the gap is too large");
}

void register_all() {
  for (const char* metric : {"group", "inter_group", "intra_group"}) {
    for (const double kappa : {0.05, 0.1, 0.2, 0.3, 0.4}) {
      const std::string name =
          "level_set/" + std::string(metric) + "/kappa:" + std::to_string(kappa);
      benchmark::RegisterBenchmark(name.substr(0, name.size() - 4).c_str(), level_set,
                                   std::string(metric), kappa)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto data = test::public_data_dir();
  if (!data || !std::filesystem::exists(*data / "a9a")) {
    std::printf("bench_ranking_a9a is skipped: %s\n", test::no_public_data);
    return 0;
  }
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
