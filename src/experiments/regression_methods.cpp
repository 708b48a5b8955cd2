#include "experiments/regression_methods.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_adw.hpp"
#include "experiments/regression_barycenter.hpp"
#include "experiments/regression_bounded_loss.hpp"
#include "experiments/regression_optimum.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/regression_stream.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/common/trace_packing.hpp"
#include "solvers/regression/stochastic.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using sweep::Work;
using Problem = RegressionProblem;

/// Work of `rows` softmaxes over the atoms, and of measuring the result.
Work softmaxes(const Problem& problem, double rows) {
  const double resamples = 1 + static_cast<double>(problem.options.resamples);
  return {task_bytes(problem),
          (rows + measured_rows(problem) * resamples) * static_cast<double>(problem.atoms.size()),
          "probabilities"};
}

// ---- [base_model]

struct BaseModelOptions {
  bool clip = false;
};
base::OptionTable options_of(BaseModelOptions& options) {
  base::OptionTable table("base_model");
  table.add("clip", options.clip,
            "Predictions beyond the lowest or highest atom become that atom's value.");
  table.only_if({"seed"}, base::never(), "[base_model] draws nothing");
  return table;
}

TaskResult run_base(const Run<Problem, BaseModelOptions>& run) {
  const auto predictions = [&](const RegressionPart& part) {
    std::vector<double> values = part.predicted.eta;
    for (double& value : values) {
      value = run.problem.scale.inverse(value);
      if (!run.options.clip) continue;
      value = std::clamp(value, run.problem.atoms.front(), run.problem.atoms.back());
    }
    return values;
  };
  TaskResult result = result_of(run.problem, predictions, run.resampling);
  result.model = run.options.clip ? "base clip=1" : "base";
  add_series(result, run.problem.base->fits);
  add_evaluations(result, run.problem.base->evaluations_of_target(0));
  return result;
}

sweep::Columns base_columns() {
  return {
      .series = {{{"base_fits",
                   "largest component of the gradient after a fit of the base models: 1, of the "
                   "target; 2, of the groups. Its seconds are those of the fits, which all tasks "
                   "of a split share",
                   "", Direction::none, ""},
                  "fit"}}};
}

Method<Problem> base_method() {
  return make_method<Problem, BaseModelOptions>(
      {.name = "base_model",
       .title = "predictions of the base model as they are: no fairness",
       .revision = 6},  // 6: evaluations are counted
      base_columns(), [](auto& p, auto&) { return softmaxes(p, 0); }, run_base);
}

// ---- [dp_postprocessing]

struct PostProcessingOptions : SlackOptions {
  regression::StochasticOptions solver{};
  std::int64_t trace_points = 0;
  Compare compare = Compare::automatic;
};

base::OptionTable options_of(PostProcessingOptions& options) {
  base::OptionTable table("dp_postprocessing");
  describe(table, options);
  regression::add_options(table, options.solver);
  table.add("trace_points", options.trace_points, base::between<std::int64_t>(0, 1'000'000), "",
            "The series have this many entries, evenly spaced in the logarithm of the gradients; "
            "with 0 there are no series.");
  add_compare(table, options.compare);
  return table;
}

void validate_for(const Problem& problem, const PostProcessingOptions& options) {
  const regression::DualProblem dual(problem.unlabelled.predicted, problem.grid, problem.beta,
                                     slack_of(problem, options));
  (void)gradients_of(dual, options.solver);
}

std::vector<std::int64_t> trace_counts(std::int64_t last, std::int64_t points) {
  if (points == 0) return {};
  std::vector<std::int64_t> counts{0};
  for (const std::int64_t count : solvers::log_spaced(last, points)) counts.push_back(count);
  return counts;
}

/// What the optimiser has found, with what was recorded of it.
struct Optimised {
  std::vector<double> w;
  std::int64_t gradients = 0;
  std::string trace;  ///< packed
};
template <solvers::MaybeConst<Optimised> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.gradients, self.trace);
}

std::string packed(const solvers::Recorder& recorder) {
  solvers::Packer packer;
  solvers::pack(packer, recorder.trace());
  return packer.take();
}

TaskResult run_postprocessing(const Run<Problem, PostProcessingOptions>& run) {
  const Problem& problem = run.problem;
  const auto& options = run.options;
  const regression::DualProblem dual = dual_of(problem, options);
  const auto counts = trace_counts(gradients_of(dual, options.solver), options.trace_points);
  solvers::Recorder recorder({"risk", "kolmogorov_smirnov_to_all", "gradient_map_norm"}, counts);
  std::vector<double> gradient(static_cast<std::size_t>(dual.size()));
  const double alpha = 1 / (2 * problem.beta * regression::gradient_variance(problem.shares));
  const auto look = [&](std::int64_t count, std::span<const double> w) {
    if (!recorder.due(count)) return;
    const auto measured = risk_and_distance(problem, problem.test, dual.prediction(), w);
    dual.value_and_gradient(w, gradient);
    recorder.record(count, {measured.risk, measured.distance,
                            regression::gradient_map_norm(w, gradient, alpha)});
  };
  const regression::Watch watch{
      .counts = counts,
      .look = look,
      .pack = [&](solvers::Packer& packer) { solvers::pack(packer, recorder.trace()); },
      .unpack = [&](solvers::Unpacker& unpacker) { solvers::unpack(unpacker, recorder); }};
  solvers::Stages stages(run.control, "dp_postprocessing 1\n");
  bool is_recorded = false;
  const Optimised found = stages.next(
      [&](const solvers::Control& control) {
        is_recorded = true;
        auto result =
            regression::stochastic_dual(dual, options.solver, run.seed, run.key, control, watch);
        return Optimised{std::move(result.w), result.gradients, packed(recorder)};
      },
      [&](const Optimised& kept) { return std::ssize(kept.w) == dual.size(); });
  if (!is_recorded) {
    solvers::Unpacker unpacker(found.trace);
    solvers::unpack(unpacker, recorder);
  }
  TaskResult result = result_of(problem, dual, found.w, options.rule, run.resampling);
  result.metrics["gradients"] = static_cast<double>(found.gradients);
  add_evaluations(result,
                  problem.base->evaluations_of_both(problem.unlabelled.rows()) + found.gradients);
  if (is_compared(problem, options.compare))
    add_distance_to_optimum(result, problem, dual, found.w, stages);
  add_series(result, std::move(recorder).take());
  return result;
}

sweep::Columns postprocessing_columns() {
  sweep::Columns columns = dual_columns();
  add_columns(columns, optimum_columns());
  columns.metrics.push_back(
      {"gradients", "stochastic gradients of one row", "", Direction::none, regression_paper});
  const std::string step = "gradients";
  columns.series = {
      {{"risk", "risk of the randomised prediction on the test part", "target squared",
        Direction::minimise, regression_paper},
       step},
      {{"kolmogorov_smirnov_to_all",
        "largest distance of a group's randomised predictions to all on the test part", "share",
        Direction::minimise, regression_paper},
       step},
      {{"gradient_map_norm", "|G_alpha| on the unlabelled part", "", Direction::minimise,
        regression_paper},
       step}};
  return columns;
}

Method<Problem> postprocessing_method() {
  return make_method<Problem, PostProcessingOptions>(
      {.name = "dp_postprocessing",
       .title = "post-processing by stochastic optimisation of the dual",
       .source = "Chzhen, Hebiri, Taturyan (2024), Algorithm 1",
       .revision = 9},  // 9: evaluations are counted
      postprocessing_columns(),
      [](auto& p, auto& o) {
        // Of a step, as of rows that come in blocks: measured on Law School beside the optimum.
        constexpr double rows_of_step = 12;
        Work work = softmaxes(p, rows_of_step * static_cast<double>(o.solver.steps));
        if (!is_compared(p, o.compare)) return work;
        const Work exact = newton_work(p, 1);
        return Work{work.bytes_per_rank + exact.bytes_per_rank, work.amount + exact.amount,
                    work.unit};
      },
      run_postprocessing);
}

}  // namespace

std::vector<Method<Problem>> regression_methods() {
  return {base_method(),           postprocessing_method(), exact_method(),
          linear_program_method(), streaming_method(),      adw_method(),
          barycenter_method(),     bounded_loss_method()};
}

}  // namespace fairfront::experiments
