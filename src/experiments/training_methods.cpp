#include "experiments/training_methods.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_results.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/switching_subgradient.hpp"

namespace fairfront::experiments {

/// Found by make_method(), which looks in the namespace of the problem.
static void validate_for(const TrainingProblem& problem,
                         const training::FairretOptions& /*options*/) {
  if (training::Fairret::suits(problem.problem)) return;
  throw base::InputError(
      "[fairret] compares one statistic of every group: training.fairness = equalised_odds has "
      "two");
}

namespace {

using sweep::TaskResult;
using Problem = TrainingProblem;

constexpr const char* paper = "Kliachkin, Lepsova, Bareilles, Marecek (2025)";

double delta_of(const auto& options) requires requires { options.delta; }
{ return options.delta; }
double delta_of(const training::GhostOptions& options) { return options.subproblem.delta; }

/// Whether a method has constraints; the others only have gaps.
template <class Options>
concept has_delta = requires(const Options& options) {
  delta_of(options);
};

/// A method that is one training::Algorithm over its options.
template <class Algorithm, class Options>
TaskResult run_training(const Run<Problem, Options>& run) {
  const training::Problem& problem = run.problem.problem;
  Algorithm algorithm(problem, run.options, {run.seed, run.key});
  const training::TrainingResult found = training::train(
      problem, algorithm,
      training::initial_weights(problem.model, run.problem.network.initialisation, run.seed),
      run.problem.options.run, run.control);
  // From here on a checkpoint has nothing more to keep.
  const solvers::Control rest{.report = run.control.report, .request = run.control.request};
  TaskResult result;
  add_measures(result, run.problem, found.w, rest);
  add_series(result, found.trace);
  result.metrics["iterations"] = static_cast<double>(found.iterations);
  result.metrics["evaluations"] = static_cast<double>(found.evaluations);
  if constexpr (has_delta<Options>) {
    const double delta = delta_of(run.options);
    add_gap_bounds(result, run.problem, found.w, delta, rest);
    add_feasibility(result, run.problem, found, delta, rest);
    add_distance_to_optimum(result, run.problem, delta, rest);
  } else {
    add_gap_bounds(result, run.problem, found.w, std::nullopt, rest);
  }
  return result;
}

template <class Algorithm, class Options>
Method<Problem> training_method(config::Section section) {
  sweep::Columns columns;
  if constexpr (has_delta<Options>) {
    columns = feasibility_columns();
    add_columns(columns, training_optimum_columns());
  }
  return make_method<Problem, Options>(
      std::move(section), std::move(columns),
      [](const Problem& problem, const Options& options) {
        const Algorithm algorithm(problem.problem, options, {});
        return training_work(problem, algorithm.mean_cost());
      },
      run_training<Algorithm, Options>);
}

}  // namespace

std::vector<Method<TrainingProblem>> training_methods() {
  using namespace training;
  return {
      training_method<Sgd, SgdOptions>({.name = "sgd",
                                        .title = "stochastic gradient descent on the loss alone",
                                        .source = paper}),
      training_method<SslAlm, AlmOptions>(
          {.name = "alm",
           .title = "linearised augmented Lagrangian with slacks, one sample a step",
           .source = "Kliachkin et al. (2025), Algorithm 2 with mu = 0"}),
      training_method<SslAlm, SslAlmOptions>(
          {.name = "ssl_alm",
           .title = "stochastic smoothed and linearised augmented Lagrangian",
           .source = "Huang, Zhang, Alacaoglu (2025); Kliachkin et al. (2025), Algorithm 2"}),
      training_method<SwitchingSubgradient, SwitchingOptions>(
          {.name = "switching_subgradient",
           .title = "steps on the objective or on the largest constraint",
           .source = "Huang, Lin (2023); Kliachkin et al. (2025), Algorithm 3"}),
      training_method<StochasticGhost, GhostOptions>(
          {.name = "stochastic_ghost",
           .title = "directions of a linearised subproblem, unbiased by randomised levels",
           .source = "Facchinei, Kungurtsev (2023); Kliachkin et al. (2025), Algorithm 1"}),
      training_method<Fairret, FairretOptions>(
          {.name = "fairret",
           .title = "gradient descent with a fairness regulariser",
           .source = "Buyl, Defrance, De Bie (2024)"}),
      training_method<ClampedAlm, ClampedAlmOptions>(
          {.name = "clamped_alm",
           .title = "augmented Lagrangian with clamped duals and a growing penalty",
           .source = "Bertsekas (1982), with samples"}),
      training_method<PiDuals, PiDualsOptions>(
          {.name = "pi_duals",
           .title = "Lagrangian whose duals a PI controller moves",
           .source = "Sohrabi et al. (2024)"}),
      training_method<Certified, CertifiedOptions>(
          {.name = "certified_training",
           .title = "an augmented Lagrangian that ends within the bounds, always"}),
      exact_training_method()};
}

}  // namespace fairfront::experiments
