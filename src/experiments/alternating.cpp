#include "experiments/alternating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "data/split.hpp"
#include "experiments/alternating_evaluations.hpp"
#include "experiments/alternating_fronts.hpp"
#include "experiments/alternating_measures.hpp"
#include "experiments/alternating_problems.hpp"
#include "experiments/alternating_weights.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/front_claim.hpp"
#include "experiments/load.hpp"
#include "experiments/supervised_sections.hpp"
#include "models/fitted_model.hpp"
#include "parallel/task_queue.hpp"
#include "pareto/indicators.hpp"
#include "solvers/alternating/data_minimum.hpp"
#include "solvers/alternating/lattice_surface.hpp"
#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/sa2gd_abreast.hpp"
#include "solvers/alternating/weighted_sum.hpp"
#include "solvers/alternating/weighted_sums_abreast.hpp"

namespace fairfront::experiments {
namespace {

using alternating::AnyProblem;
using alternating::DataProblem;
using alternating::Efforts;
using alternating::RunResult;
using base::Direction;
using sweep::TaskResult;
using sweep::Work;

constexpr const char* paper = "Liu and Vicente (2022)";
constexpr const char* theorems = "Liu and Vicente (2022), Theorems 3.1, 3.2, Corollaries 3.2, 3.3";
constexpr double computed_gap = 1e-10;  // of minima that are computed

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const auto& entry : alternating::test_problems()) names.push_back(entry.name);
  names.emplace_back("data");
  return names;
}

void describe(base::OptionTable& table, WeightOptions& options) {
  table
      .add("n_a", options.n_a, base::at_least<std::int64_t>(-1), "steps",
           "The first of two objectives has the weight n_a / n_total; -1 stands for half of "
           "n_total.")
      .add("lattice", options.lattice, base::at_least<std::int64_t>(-1), "",
           "The weights have this place among all splits of n_total, in lexicographic order; with "
           "-1 it is not used.")
      .add_parsed(
          {"weights", "text", "", "steps",
           "This split of n_total is taken, such as (10,5,5), whose sum is n_total; where it is "
           "empty, it is not used."},
          [&options](std::string_view text) {
            options.weights =
                base::trim(text).empty() ? Efforts{} : alternating::parse_efforts(text);
          },
          [&options] {
            return options.weights.empty() ? std::string{}
                                           : alternating::format_efforts(options.weights);
          })
      .add_choice("step_rule", options.step.rule,
                  {{"fixed", alternating::StepRule::fixed},
                   {"strongly_convex", alternating::StepRule::strongly_convex},
                   {"convex", alternating::StepRule::convex}},
                  "A step of iteration t has this length, with n steps an iteration: `step`, 2 / "
                  "(convexity (t+1) n), or step / (sqrt(t) n).")
      .add("step", options.step.step, base::above(0.0), "",
           "The step rule has this constant: the paper's alpha for fixed, abar for convex.")
      .add("convexity", options.step.convexity, base::above(0.0), "",
           "Every objective is c-strongly convex, as the rule strongly_convex asks, c this number.")
      .add("noise", options.noise, base::at_least(0.0), "",
           "Every component of every gradient has Gaussian noise of this standard deviation.")
      .add_choice("iterate", options.iterate,
                  {{"last", IterateKind::last},
                   {"best", IterateKind::best},
                   {"average", IterateKind::average}},
                  "The result is the last iterate, the one with the smallest weighted sum, or the "
                  "average, which has weights t with strongly_convex steps.")
      .assign_role(base::Role::trade_off, {"n_a", "lattice", "weights"})
      .assign_role(base::Role::tuning, {"step_rule", "step", "convexity"})
      .only_if({"step"}, base::is_not("step_rule", {"strongly_convex"}),
               "step_rule = {} uses convexity")
      .only_if({"convexity"}, base::is("step_rule", {"strongly_convex"}),
               "only step_rule = strongly_convex uses it");
}

/// Whether an iteration's steps are of more than one objective, two or three.
/// @param values  of n_a, lattice, weights and n_total.
bool steps_are_of_several(std::span<const std::string_view> values) {
  if (!values[2].empty()) {
    return std::ranges::count(alternating::parse_efforts(values[2]), 0) + 1 <
           std::ssize(alternating::parse_efforts(values[2]));
  }
  const std::int64_t first = base::parse_int64(values[0]).value();
  const std::int64_t place = base::parse_int64(values[1]).value();
  const std::int64_t total = base::parse_int64(values[3]).value();
  if (place < 0) return total > 1 && first != 0 && first != total;
  const std::int64_t last_of_three = (total + 1) * (total + 2) / 2 - 1;
  return place != 0 && place != total && place != last_of_three;
}

/// Drawn in the box, the same for every method: its stream belongs to seed, problem and weights.
std::vector<double> start_of(const AlternatingProblem& problem, const Efforts& efforts,
                             std::uint64_t seed) {
  const std::string address =
      fmt::format("{} {}", problem.options.problem, alternating::format_efforts(efforts));
  base::Stream stream(base::StreamKey(seed, address, "alternating/start"), 0);
  return view_of(problem.problem).box().random_point(stream);
}

alternating::RunOptions run_options(const AlternatingOptions& shared,
                                    const WeightOptions& options) {
  return {.iterations = shared.iterations,
          .step = options.step,
          .track_best = options.iterate == IterateKind::best,
          .trace_points = shared.trace_points};
}

alternating::Sa2gdOptions solver_options(const AlternatingProblem& problem,
                                         const Sa2gdSection& options) {
  return {.efforts = efforts_of(problem, options),
          .order = options.order,
          .run = run_options(problem.options, options)};
}

std::int64_t inner_steps(const AlternatingProblem& problem, const WeightedSumSection& options) {
  return options.inner_steps > 0 ? options.inner_steps : problem.options.n_total;
}

alternating::WeightedSumOptions solver_options(const AlternatingProblem& problem,
                                               const WeightedSumSection& options) {
  return {.efforts = efforts_of(problem, options),
          .inner_steps = inner_steps(problem, options),
          .run = run_options(problem.options, options)};
}

const std::vector<double>& chosen_iterate(const RunResult& result, IterateKind kind) {
  if (kind == IterateKind::best) return result.best;
  return kind == IterateKind::average ? result.average : result.last;
}

/// Adds the series of a run; `least` is the minimum of S over the box.
void add_trace(TaskResult& result, const solvers::Trace& trace, std::optional<double> least) {
  const auto add = [&](const char* name, std::span<const double> values, double minus) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k] - minus)) {
        add_to_series(result, name, trace.steps[k], values[k] - minus, trace.seconds[k]);
      }
    }
  };
  add("scalarised", trace.of("scalarised"), 0);
  if (!least) return;
  add("gap", trace.of("scalarised"), *least);
  add("gap_average", trace.of("average"), *least);
}

/// The least value of S in the box, where it is known or may be computed.
std::optional<double> least_of(const AlternatingProblem& problem, std::span<const double> weights) {
  std::optional<std::vector<double>> at = alternating::minimiser(problem.problem, weights);
  const auto* const data = std::get_if<DataProblem>(&problem.problem);
  if (data != nullptr && data->convex() && problem.options.data_minimum == DataMinimum::computed) {
    const std::vector<double> zero(data->box().lower().size(), 0.0);
    at = alternating::minimise_sum(*data, weights, zero, computed_gap).w;
  }
  if (!at) return std::nullopt;
  return alternating::scalarised(view_of(problem.problem), weights, *at);
}

/// The point, the numbers and the series of one run with one weight.
/// @param solver  its options.
template <class SolverOptions>
TaskResult result_of(const AlternatingProblem& problem, const WeightOptions& options,
                     const SolverOptions& solver, const RunResult& run) {
  const std::vector<double>& x = chosen_iterate(run, options.iterate);
  const std::vector<double> weights = alternating::weights_of(solver.efforts);
  const std::optional<double> least = least_of(problem, weights);
  TaskResult result;
  const alternating::ProblemView view = view_of(problem.problem);
  const double value = alternating::scalarised(view, weights, x);
  result.metrics = {{"weight", weights[0]},
                    {"scalarised", value},
                    {"gradients", static_cast<double>(run.gradients)}};
  add_evaluations(result, evaluations_of(problem.problem, solver));
  if (least) result.metrics["gap"] = value - *least;
  result.front = one_point_front(alternating::values_at(view, x), problem.reference);
  if (!problem.front.empty()) {
    result.metrics["distance"] = distance_to_front(result.front.points, problem.front);
  }
  add_trace(result, run.trace, least);
  if (problem.tested) result.front.report = alternating::values_at(*problem.tested, x);
  result.solutions["x"] = {x};
  result.model = model_of(problem.problem);
  add_measures(result, problem, result);
  return result;
}

PointsOf points_of(const AlternatingProblem& problem) {
  return {.solutions = "x",
          .have = "objectives",
          .objectives = problem.reference.size(),
          .objectives_of = [&](const results::SolutionValues& solution) {
            const auto* const x = std::get_if<std::vector<double>>(&solution);
            if (x == nullptr || std::ssize(*x) != problem.variables()) return std::vector<double>{};
            return alternating::values_at(view_of(problem.problem), *x);
          }};
}

/// The problem itself, or with noise on its gradients.
template <class Solve>
auto solve_noisy(const AlternatingProblem& problem, double deviation, const Solve& solve) {
  const alternating::ProblemView view = view_of(problem.problem);
  if (deviation == 0) return solve(view);
  return solve(alternating::GaussianNoise(view, deviation));
}

/// @param solver  such as alternating::sa2gd, as an object.
template <class Options, class Solver>
TaskResult run_weight(const Run<AlternatingProblem, Options>& run, Solver&& solver) {
  const auto options = solver_options(run.problem, run.options);
  const std::vector<double> start = start_of(run.problem, options.efforts, run.seed);
  const RunResult solved = solve_noisy(run.problem, run.options.noise, [&](const auto& p) {
    return solver(p, start, options, run.seed, run.key, run.control);
  });
  return result_of(run.problem, run.options, options, solved);
}

Work gradients(const AlternatingProblem& problem, std::int64_t of_iteration) {
  return {64.0 * static_cast<double>(problem.variables()),
          static_cast<double>(problem.options.iterations) * static_cast<double>(of_iteration),
          "gradients"};
}

/// Gradients of an iteration that take long: the exact one of a covariance goes through no rows. A
/// failing n_a is counted as all, since it is told by its task.
std::int64_t dear_gradients(const AlternatingProblem& problem, const Sa2gdSection& options) {
  const std::int64_t all = problem.options.n_total;
  const auto* data = std::get_if<alternating::DataProblem>(&problem.problem);
  const bool second_is_free = data != nullptr && data->convex() && !data->stochastic();
  if (!second_is_free || options.n_a < 0 || options.n_a > all) return all;
  return std::max<std::int64_t>(options.n_a, 1);
}

/// Where the theorems speak of a run: bounds of its gaps.
TaskResult with_bounds(TaskResult result, const AlternatingProblem& problem,
                       const WeightOptions& options) {
  const std::int64_t inner_steps = problem.options.n_total;
  const alternating::StepSizes sizes(options.step, inner_steps);
  const auto constants = alternating::rate_constants(
      problem.problem,
      {.inner_steps = inner_steps, .first_step = sizes(0), .noise = options.noise});
  if (!constants || !result.metrics.contains("gap")) return result;
  const double bound =
      alternating::rate_bound(*constants, options.step, problem.options.iterations);
  if (std::isfinite(bound)) result.metrics["bound"] = bound;
  for (const std::int64_t t : result.series["scalarised"].steps) {
    const double at_t = alternating::rate_bound(*constants, options.step, t);
    if (std::isfinite(at_t)) add_to_series(result, "bound", t, at_t);
  }
  return result;
}

sweep::Columns bound_columns() {
  return {.metrics = {{"bound",
                       "bound of the expected gap after T iterations; where the minimiser is known",
                       "", Direction::none, theorems}},
          .series = {{{"bound", "bound of the expected gaps after t iterations", "",
                       Direction::none, theorems}}}};
}

constexpr auto sa2gd = [](const auto&... all) { return alternating::sa2gd(all...); };
constexpr auto weighted_sum = [](const auto&... all) { return alternating::weighted_sum(all...); };

constexpr auto sa2gd_abreast = [](const auto&... all) {
  return alternating::sa2gd_abreast(all...);
};
constexpr auto weighted_sums_abreast = [](const auto&... all) {
  return alternating::weighted_sums_abreast(all...);
};

static_assert(alternating::runs_abreast == parallel::most_at_once);

std::int64_t variables_of(const sweep::Task& task) {
  const std::int64_t given = std::stoll(task.values.at("alternating.variables"));
  return given > 0 ? given
                   : alternating::test_problem(task.values.at("alternating.problem")).variables;
}

/// Runs on a test problem in two variables with the same noise share a loop; not those with series,
/// whose seconds would be those of all runs. By the texts of options: there may be many tasks.
/// @param of_method  what else runs must have in common; empty: the run goes alone.
std::string loop_of(const sweep::Task& task, const std::string& of_method) {
  const bool on_data = task.values.at("alternating.problem") == "data";
  const bool has_series = task.values.at("alternating.trace_points") != "0";
  if (of_method.empty() || on_data || has_series || variables_of(task) != 2) return {};
  return of_method + ' ' + task.values.at(task.method + ".noise");
}

std::string sa2gd_loop(const sweep::Task& task) { return loop_of(task, task.method); }

/// An objective without weight draws no gradients: such runs go alone.
std::string weighted_sum_loop(const sweep::Task& task) {
  const std::string& n_a = task.values.at("weighted_sum.n_a");
  const bool by_n_a = task.values.at("weighted_sum.lattice") == "-1" &&
                      task.values.at("weighted_sum.weights").empty();
  const bool has_all = by_n_a && n_a != "0" && n_a != task.values.at("alternating.n_total");
  return loop_of(task, has_all ? task.values.at("weighted_sum.inner_steps") : "");
}

/// @tparam SolverRun  what the solver takes.
/// @param solver      such as alternating::sa2gd_abreast, as an object.
/// @param result_of_run  of the problem, the options of task and solver, and the run.
template <class Options, class SolverRun, class Solver, class Result>
auto abreast(const Solver& solver, const Result& result_of_run) {
  return [=](const AlternatingProblem& problem, std::span<const sweep::Task> tasks,
             const solvers::Control& control) {
    std::vector<Options> options;
    std::vector<std::vector<double>> starts;
    std::vector<SolverRun> runs;
    for (const sweep::Task& task : tasks) {
      options.push_back(sweep::read_section<Options>(task, task.method));
      const auto of_solver = solver_options(problem, options.back());
      starts.push_back(start_of(problem, of_solver.efforts, seed_of(task)));
      runs.push_back({starts.back(), of_solver, seed_of(task), task.stream});
    }
    const std::vector<RunResult> solved = solve_noisy(
        problem, options.front().noise,
        [&](const auto& p) { return solver(p, std::span<const SolverRun>(runs), control); });
    std::vector<TaskResult> results;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      results.push_back(result_of_run(problem, options[i], runs[i].options, solved[i]));
    }
    return results;
  };
}

Method<AlternatingProblem> sa2gd_method(std::int64_t objectives) {
  auto method = make_method<AlternatingProblem, Sa2gdSection>(
      {.name = "sa2gd",
       .title = "alternating (stochastic, sub-) gradient steps on the objectives",
       .source = "Liu and Vicente (2022), Algorithm 1",
       .revision = revision_of(4, objectives)},  // 4: evaluations are counted
      bound_columns(), [](auto& p, auto& o) { return gradients(p, dear_gradients(p, o)); },
      [](auto& run) { return with_bounds(run_weight(run, sa2gd), run.problem, run.options); });
  method.shared_loop = sa2gd_loop;
  method.run_abreast = abreast<Sa2gdSection, alternating::Sa2gdRun>(
      sa2gd_abreast, [](auto& problem, auto& options, auto& solver, auto& run) {
        return with_bounds(result_of(problem, options, solver, run), problem, options);
      });
  return method;
}

Method<AlternatingProblem> weighted_sum_method(std::int64_t objectives) {
  auto method = make_method<AlternatingProblem, WeightedSumSection>(
      {.name = "weighted_sum",
       .title = "projected gradient steps on the weighted sum of the objectives",
       .source = "Liu and Vicente (2022), section 4",
       .revision = revision_of(4, objectives)},  // 4: evaluations are counted
      {}, [](auto& p, auto& o) { return gradients(p, inner_steps(p, o) * p.objectives()); },
      [](auto& run) { return run_weight(run, weighted_sum); });
  method.shared_loop = weighted_sum_loop;
  method.run_abreast = abreast<WeightedSumSection, alternating::WeightedSumRun>(
      weighted_sums_abreast, [](auto& problem, auto& options, auto& solver, auto& run) {
        return result_of(problem, options, solver, run);
      });
  return method;
}

/// Of curves in the words that their archives have.
std::string definition_of_distance(std::int64_t objectives) {
  if (objectives == 2) {
    return fmt::format(
        "Euclidean distance of the point to the analytic front, drawn through about {} of its "
        "points; of three objectives to the nearest of them; of a front the mean over its points",
        curve_samples);
  }
  return fmt::format(
      "Euclidean distance of the point to the analytic front, drawn as triangles between some {} "
      "of its points; of a front the mean over its points",
      surface_samples);
}

sweep::Columns shared_columns(std::int64_t objectives) {
  const std::string known =
      "; of test problems with a known minimiser, and of convex ones on data with "
      "alternating.data_minimum = computed";
  return {
      .metrics = {{"weight", "weight of the first objective, n_1 / n_total", "share",
                   Direction::none, paper},
                  {"distance", definition_of_distance(objectives), "", Direction::minimise,
                   "Van Veldhuizen (1999)"},
                  {"scalarised", "S at the point", "", Direction::minimise, paper},
                  {"gap", "S at the point minus its minimum over the box" + known, "",
                   Direction::minimise, paper},
                  {"gradients", "gradients of single objectives drawn", "", Direction::none, ""},
                  evaluations_row()},
      .measures = alternating_measures(),
      .series = {{{"scalarised", "S(x_t)", "", Direction::minimise, paper}},
                 {{"gap", "S(x_t) minus its minimum over the box", "", Direction::minimise, paper}},
                 {{"gap_average", "S(average of x_1 .. x_t) minus its minimum", "",
                   Direction::minimise, paper}}},
      .solutions = {{"x", "the point, shape (n,)", "", Direction::none, paper}}};
}

}  // namespace

double distance_to_front(std::span<const double> point, const pareto::Points& front) {
  return front.objectives() == 2 ? pareto::distance_to_curve(point, front)
                                 : alternating::distance_to_surface(point, front);
}

std::string model_of(const AnyProblem& problem) {
  const auto* const data = std::get_if<DataProblem>(&problem);
  if (data == nullptr) return "";
  models::ModelText text{
      "score", {{"hidden", ""}, {"activation", "relu"}, {"intercept", "first"}, {"weights", "x"}}};
  if (data->loss() == models::LossKind::logistic) {
    text.options.emplace("link", "logistic");
    text.options.emplace("threshold", "0.5");
  }
  return text.text();
}

std::int64_t AlternatingProblem::variables() const { return view_of(problem).box().variables(); }

base::OptionTable options_of(AlternatingOptions& options) {
  base::OptionTable table("alternating");
  table
      .add_choice("problem", options.problem, problem_names(),
                  "The problem is a test problem, by its name, or data, which is a fair linear "
                  "model as [data] and [model] say.")
      .add("variables", options.variables, base::between<std::int64_t>(0, 10'000'000), "variables",
           "A test problem has this many variables; 0 is its default.")
      .add("n_total", options.n_total, base::between<std::int64_t>(1, 1'000'000), "steps",
           "An iteration of SA2GD has this many gradient steps: the sum of n_a, n_b and so on.")
      .add("iterations", options.iterations, base::at_least<std::int64_t>(1), "iterations",
           "A run makes this many projections; each ends an iteration.")
      .add("trace_points", options.trace_points, base::between<std::int64_t>(0, 1'000'000), "",
           "The series of a run have this many entries, evenly spaced in log t; with 0 there are "
           "no series.")
      .add_choice("data_minimum", options.data_minimum,
                  {{"unknown", DataMinimum::unknown}, {"computed", DataMinimum::computed}},
                  "With computed, gaps on data are measured from the minimum of the weighted sum, "
                  "which each task computes to 1e-10; with unknown, they are not measured. It is "
                  "for fairness = covariance.");
  table.assign_role(base::Role::setting, {"n_total", "iterations", "trace_points", "data_minimum"});
  table.only_if({"data.*", "split.*", "preparation.*", "model.*", "data_minimum"},
                base::is("problem", {"data"}), "alternating.problem = {} reads no data");
  table.only_if({"data_minimum"}, base::is("model.fairness", {"covariance"}),
                "model.fairness = {} is not convex: no minimum can be proven");
  return table;
}

base::OptionTable options_of(Sa2gdSection& options) {
  base::OptionTable table("sa2gd");
  describe(table, options);
  table.add_choice(
      "order", options.order,
      {{"block", alternating::StepOrder::block}, {"random", alternating::StepOrder::random}},
      "With block, the steps are taken objective by objective; with random, they are shuffled in "
      "every iteration.");
  table.only_if(
      {"order"},
      base::where({"n_a", "lattice", "weights", "alternating.n_total"}, steps_are_of_several,
                  "{}, {} or {} gives steps to several objectives, of {}"),
      "all steps of an iteration are of one objective");
  return table;
}

base::OptionTable options_of(WeightedSumSection& options) {
  base::OptionTable table("weighted_sum");
  describe(table, options);
  table.add("inner_steps", options.inner_steps, base::at_least<std::int64_t>(0), "steps",
            "This many gradient steps lie between two projections; 0 stands for n_total, as many "
            "as SA2GD takes.");
  return table;
}

Family<AlternatingProblem> alternating_family(std::int64_t objectives) {
  Family<AlternatingProblem> family;
  family.name = objectives == 2 ? "alternating" : "alternating3";
  family.title =
      objectives == 2
          ? "alternating gradients, weighted sums and traced fronts, 2 objectives"
          : fmt::format("alternating gradients, weighted sums and traced fronts, {} objectives",
                        objectives);
  family.shared = whole_set_sections(
      "the table: label, groups, features; for problem 'data' only",
      {config::make_section<alternating::DataProblemOptions>(
           {.name = "model", .title = "the two objectives; for problem 'data' only"}),
       config::make_section<AlternatingOptions>(
           {.name = "alternating", .title = "what all methods share"})});
  family.shared.insert(
      family.shared.begin() + 1,
      config::make_section<data::OptionalSplitOptions>(
          {.name = "split",
           .title = "rows that are only measured; for problem 'data' only. Default: none"}));
  for (std::int64_t i = 1; i <= objectives; ++i) {
    family.objectives.push_back(
        {fmt::format("f{}", i), fmt::format("objective {}", i), "", Direction::minimise, paper});
  }
  family.columns = shared_columns(objectives);
  family.front_solutions = "x";
  family.load = [objectives](const auto& task, const auto& context) {
    return load_problem(task, context, objectives);
  };
  family.rows = [](const auto& task, const auto& context) {
    return load_optional_parts(task, context, Learning::by_steps);
  };
  family.methods = {sa2gd_method(objectives), weighted_sum_method(objectives)};
  family.methods.push_back(objectives == 2 ? epsilon_constraint_method() : front_surface_method());
  family.methods.push_back(pf_smg_method(objectives));
  family.measure = [](const parallel::Comm& /*team*/, const AlternatingProblem& problem,
                      const sweep::Task& /*task*/, const sweep::Found& found) {
    if (found.point) return measures_of_point(problem, found.findings, *found.point);
    TaskResult result;
    add_measures(result, problem, found.findings);
    return std::move(result.measured);
  };
  family.point_measures = alternating_measures();
  family.prove = [](const AlternatingProblem& problem, const sweep::Task& /*task*/,
                    const results::Findings& findings) {
    return std::vector{front_claim(points_of(problem), findings)};
  };
  return family;
}

}  // namespace fairfront::experiments
