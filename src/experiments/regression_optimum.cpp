#include "experiments/regression_optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/condition.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_results.hpp"
#include "solvers/regression/optimum.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using regression::Certificate;
using regression::DualProblem;
using regression::Optimum;
using regression::ParityBound;
using regression::ParityDual;
using regression::SoftPrediction;
using sweep::TaskResult;
using sweep::Work;
using Problem = RegressionProblem;

/// What methods for either kind of bounds have in common.
struct BoundOptions : SlackOptions {
  ParityBound bound = ParityBound::atom;
};
void describe(base::OptionTable& table, BoundOptions& options) {
  describe(table, static_cast<SlackOptions&>(options));
  table.add_choice<ParityBound>(
      "bounded", options.bound,
      {{"atom", ParityBound::atom}, {"cumulative", ParityBound::cumulative}},
      "With atom, epsilon bounds the probability of every atom, as in the paper; with cumulative, "
      "the distribution function, which is the Kolmogorov-Smirnov distance of a group to all "
      "rows; with regression.shares other than unlabelled no smaller epsilon is feasible than "
      "that by which a group's share is off, relative to it.");
  table.formerly("bounded", "bound");
}

/// @throws base::InputError  no prediction keeps the slack.
ParityDual parity_dual_of(const Problem& problem, const BoundOptions& options) {
  return {problem.unlabelled.predicted, problem.grid, options.bound,
          feasible_slack_of(problem, options, options.bound)};
}

std::vector<double> multipliers_of(const std::vector<double>& d) {
  std::vector<double> w(2 * d.size(), 0.0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    w[i] = std::max(d[i], 0.0);
    w[d.size() + i] = std::max(-d[i], 0.0);
  }
  return w;
}

void add_certificate(TaskResult& result, const Certificate& certificate) {
  result.metrics["loss_lower"] = certificate.lower;
  result.metrics["loss_upper"] = certificate.upper;
  result.metrics["loss_gap"] = certificate.gap();
  result.metrics["loss_gap_relative"] = certificate.relative_gap();
}

/// Measures of the softmax of an optimum.
TaskResult result_of_optimum(const Problem& problem, const BoundOptions& options,
                             const ParityDual& dual, const Optimum& optimum,
                             const Resampling& resampling) {
  const std::vector<double> d = dual.scores(optimum.v);
  TaskResult result;
  if (options.bound == ParityBound::atom) {
    const DualProblem whole(problem.unlabelled.predicted, problem.grid, optimum.beta,
                            slack_of(problem, options));
    result = result_of(problem, whole, multipliers_of(d), options.rule, resampling);
  } else {
    const SoftPrediction prediction(problem.grid, problem.groups(), optimum.beta);
    const auto distribution = [&](const RegressionPart& part, std::int64_t row,
                                  std::span<double> pi) {
      prediction(part.predicted.eta[static_cast<std::size_t>(row)], part.predicted.tilts(row), d,
                 pi);
    };
    result = result_of(problem, problem.atoms, distribution, options.rule, resampling);
    result.metrics["dual_value"] = optimum.value;
    result.solutions["multipliers"].emplace_back(multipliers_of(d));
    result.model = soft_model(optimum.beta, options.rule);
  }
  result.metrics["beta"] = optimum.beta;
  result.metrics["subgradient_norm"] = optimum.gradient_norm;
  return result;
}

/// Those of the base models among them.
std::int64_t evaluations_of(const Problem& problem, const Optimum& found) {
  return problem.base->evaluations_of_both(problem.unlabelled.rows()) + found.evaluations;
}

sweep::Columns columns_of_optimum() {
  sweep::Columns columns = dual_columns();
  add_columns(columns, optimum_columns());
  columns.metrics.push_back({"subgradient_norm",
                             "shortest subgradient of the dual: its projected gradient's norm", "",
                             Direction::minimise, ""});
  columns.metrics.push_back(
      {"loss_gap", "loss_upper less loss_lower", "", Direction::minimise, ""});
  columns.metrics.push_back(
      {"loss_gap_relative", "loss_gap over loss_upper", "", Direction::minimise, ""});
  columns.metrics.push_back(
      {"newton_steps", "interior-point and proximal Newton steps", "", Direction::none, ""});
  return columns;
}

// ---- [dp_exact]

struct ExactOptions : BoundOptions {
  regression::OptimumOptions solver{};
};
base::OptionTable options_of(ExactOptions& options) {
  base::OptionTable table("dp_exact");
  describe(table, static_cast<BoundOptions&>(options));
  table.add("tolerance", options.solver.tolerance, base::between(1e-14, 0.1), "",
            "The method ends when the norm of the projected gradient is no larger than this.");
  table.add("max_iterations", options.solver.max_iterations, base::at_least<std::int64_t>(1),
            "steps",
            "There are at most about this many proximal Newton and interior-point steps. A task "
            "that needs more fails.");
  table.only_if({"seed"}, base::never(), "[dp_exact] draws nothing");
  return table;
}
void validate_for(const Problem& problem, const ExactOptions& options) {
  (void)slack_of(problem, options);
}

std::string describe_failure(const Optimum& found, const regression::OptimumOptions& options) {
  return fmt::format(
      "the dual is not solved: after {} Newton steps the subgradient's norm is {:.2g}, above "
      "dp_exact.tolerance = {:.2g}; raise dp_exact.max_iterations = {}, the tolerance, or "
      "dp_exact.epsilon",
      found.iterations, found.gradient_norm, options.tolerance, options.max_iterations);
}

TaskResult run_exact(const Run<Problem, ExactOptions>& run) {
  const ParityDual dual = parity_dual_of(run.problem, run.options);
  const Optimum found = minimise_dual(dual, run.problem.beta, run.options.solver, {}, run.control);
  if (!found.converged) throw std::domain_error(describe_failure(found, run.options.solver));
  TaskResult result = result_of_optimum(run.problem, run.options, dual, found, run.resampling);
  add_certificate(result, certify(dual, found.v, found.beta));
  result.metrics["newton_steps"] = static_cast<double>(found.iterations);
  add_evaluations(result, evaluations_of(run.problem, found));
  return result;
}

// ---- [dp_lp]

struct LinearProgramOptions : BoundOptions {
  regression::LimitOptions solver{};
};
base::OptionTable options_of(LinearProgramOptions& options) {
  base::OptionTable table("dp_lp");
  describe(table, static_cast<BoundOptions&>(options));
  table
      .add("tolerance", options.solver.gap, base::between(1e-14, 1e6), "",
           "The method ends when the proven distance of the loss to the least one, in squares of "
           "the grid's unit, is no larger than this.")
      .formerly("tolerance", "gap")
      .add("relative_tolerance", options.solver.relative_gap, base::between(1e-12, 1e6), "",
           "The same distance over the loss must be no larger than this, too. A distance below "
           "1e-12 is rounding.")
      .formerly("relative_tolerance", "relative_gap")
      .add("max_iterations", options.solver.max_iterations, base::at_least<std::int64_t>(1),
           "steps", "There are at most about this many interior-point and proximal Newton steps.")
      .add("first_beta", options.solver.first_beta, base::between(1e-6, 1e12), "",
           "The first softmax that is tried has this inverse temperature.")
      .add("factor", options.solver.factor, base::between(1.01, 1e6), "",
           "The inverse temperature is multiplied by this from one softmax to the next.")
      .add("last_beta", options.solver.last_beta, base::between(1e-6, 1e12), "",
           "The last softmax has this inverse temperature. A task whose gap is too large there "
           "fails.")
      .only_if({"seed"}, base::never(), "[dp_lp] draws nothing");
  return table;
}
void validate_for(const Problem& problem, const LinearProgramOptions& options) {
  (void)slack_of(problem, options);
  if (options.solver.last_beta < options.solver.first_beta) {
    throw base::InputError("dp_lp.last_beta must be >= dp_lp.first_beta");
  }
}

std::string describe_failure(const regression::Limit& found,
                             const regression::LimitOptions& options) {
  return fmt::format(
      "the linear program is not solved: after {} Newton steps, at beta = {:.3g}, the least loss "
      "is "
      "proven to lie between {:.12g} and {:.12g} only, with dp_lp.tolerance = {:.2g} and "
      "dp_lp.relative_tolerance = {:.2g}; raise dp_lp.max_iterations = {}, dp_lp.last_beta = "
      "{:.3g}, "
      "the tolerances, or dp_lp.epsilon",
      found.optimum.iterations, found.optimum.beta, found.certificate.lower,
      found.certificate.upper, options.gap, options.relative_gap, options.max_iterations,
      options.last_beta);
}

TaskResult run_linear_program(const Run<Problem, LinearProgramOptions>& run) {
  const ParityDual dual = parity_dual_of(run.problem, run.options);
  const regression::Limit found = minimise_limit(dual, run.options.solver, {}, run.control);
  if (!found.converged) throw std::domain_error(describe_failure(found, run.options.solver));
  TaskResult result =
      result_of_optimum(run.problem, run.options, dual, found.optimum, run.resampling);
  add_certificate(result, found.certificate);
  result.metrics["newton_steps"] = static_cast<double>(found.optimum.iterations);
  add_evaluations(result, evaluations_of(run.problem, found.optimum));
  return result;
}

}  // namespace

void add_compare(base::OptionTable& table, Compare& compare) {
  table.add_choice<Compare>(
      "compare", compare,
      {{"automatic", Compare::automatic}, {"yes", Compare::yes}, {"no", Compare::no}},
      "With yes, the dual is solved exactly as well, to say how far the run is from the optimum; "
      "automatic does so where rows times atoms are a million at most.");
}

bool is_compared(const Problem& problem, Compare compare) {
  constexpr double few = 1e6;  // probabilities, of which the optimum takes some 30 rounds
  const double probabilities =
      static_cast<double>(problem.unlabelled.rows()) * static_cast<double>(problem.atoms.size());
  return compare == Compare::yes || (compare == Compare::automatic && probabilities <= few);
}

Work newton_work(const Problem& problem, double stages) {
  constexpr double steps = 15;           // that a solve takes, about
  constexpr double most_kept = 1 << 22;  // probabilities, by ParityDual
  const auto atoms = static_cast<double>(problem.atoms.size());
  const double blocks = problem.groups() == 2 ? 1 : static_cast<double>(problem.groups());
  const auto rows = static_cast<double>(problem.unlabelled.rows());
  const double kept = 2 * std::min(rows * atoms, most_kept);
  const double matrices = 6 * blocks * blocks * atoms * atoms;
  const double resamples = 1 + static_cast<double>(problem.options.resamples);
  const double softmaxes = stages * steps * rows * (1 + blocks * blocks);
  return {task_bytes(problem) + sizeof(double) * (kept + matrices),
          (softmaxes + measured_rows(problem) * resamples) * atoms, "probabilities"};
}

void add_distance_to_optimum(TaskResult& result, const Problem& problem, const DualProblem& dual,
                             std::span<const double> w, solvers::Stages& stages) {
  const KnownOptimum known = problem.optima->get(dual, stages);
  // Rounding may put an optimum a little below the best one. Of one that was not found there is no
  // distance; what is proven of the loss holds all the same.
  if (known.found) result.metrics["dual_gap"] = std::max(dual.value(w) - known.value, 0.0);
  result.metrics["loss_lower"] = known.loss_lower;
  result.metrics["loss_upper"] = known.loss_upper;
}

KnownOptimum KnownOptima::get(const DualProblem& dual, solvers::Stages& stages) {
  std::vector<double> epsilon(dual.epsilon().begin(), dual.epsilon().end());
  const auto known = by_epsilon_.find(epsilon);
  if (known != by_epsilon_.end()) return known->second;
  const KnownOptimum found = stages.next(
      [&](const solvers::Control& control) {
        const ParityDual reduced(dual.rows(), dual.prediction().grid(), ParityBound::atom, epsilon);
        const Optimum best = minimise_dual(reduced, dual.prediction().beta(), {}, {}, control);
        const Certificate certificate =
            certify(reduced, best.v, best.beta, regression::Excess::mixed);
        return KnownOptimum{best.value, certificate.lower, certificate.upper, best.converged};
      },
      solvers::any_answer);
  return by_epsilon_[std::move(epsilon)] = found;
}

sweep::Columns optimum_columns() {
  return {.metrics = {
              {"dual_gap", "F at the multipliers less its minimum, on the unlabelled part", "",
               Direction::minimise, regression_paper},
              {"loss_lower",
               "proven: no prediction within the bounds has a smaller mean squared difference to "
               "eta, scaled to [-1, 1], on the unlabelled part",
               "", Direction::none,
               "dual of the linear program (3) of Chzhen, Hebiri, Taturyan "
               "(2024)"},
              {"loss_upper",
               "that difference of a prediction within the bounds: the optimum's softmax, mixed "
               "with a feasible one where it exceeds them",
               "", Direction::minimise, ""}}};
}

Method<Problem> exact_method() {
  return make_method<Problem, ExactOptions>(
      {.name = "dp_exact",
       .title = "post-processing by the exact optimum of the dual, of the sample",
       .source = "Chzhen, Hebiri, Taturyan (2024), equation (5); proximal Newton",
       .revision = 14},  // 14: shares of others than the unlabelled rows, cumulative
      columns_of_optimum(), [](auto& p, auto&) { return newton_work(p, 1); }, run_exact);
}

Method<Problem> linear_program_method() {
  return make_method<Problem, LinearProgramOptions>(
      {.name = "dp_lp",
       .title = "post-processing without temperature: the linear program, with a certificate",
       .source = "Chzhen, Hebiri, Taturyan (2024), equation (3)",
       .revision = 14},  // 14: tolerances of more than 1e-3
      columns_of_optimum(), [](auto& p, auto&) { return newton_work(p, 8); }, run_linear_program);
}

}  // namespace fairfront::experiments
