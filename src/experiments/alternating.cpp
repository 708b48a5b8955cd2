#include "experiments/alternating.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/load.hpp"
#include "data/small_groups.hpp"
#include "parallel/agree.hpp"
#include "pareto/indicators.hpp"
#include "solvers/alternating/noise.hpp"
#include "solvers/alternating/weighted_sum.hpp"

namespace fairfront::experiments {
namespace {

using alternating::AnyProblem;
using alternating::Efforts;
using alternating::RunResult;
using archive::Direction;

constexpr const char* paper = "Liu and Vicente (2022)";
constexpr std::int64_t front_samples = 2001;

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const auto& entry : alternating::catalogue()) names.push_back(entry.name);
  names.emplace_back("data");
  return names;
}

void describe(base::OptionTable& table, WeightOptions& options) {
  table
      .add("n_a", options.n_a, base::at_least<std::int64_t>(-1), "steps",
           "weight n_a / n_total on the first of two objectives; -1: half of n_total")
      .add("lattice", options.lattice, base::at_least<std::int64_t>(-1), "",
           "place of the weights among all splits of n_total, in lexicographic order; -1: unused")
      .add_parsed(
          {"weights", "text", "", "steps",
           "the split itself, such as (10,5,5), with sum n_total; empty: unused"},
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
                  "step; 2 / (convexity (t+1) n); step / (sqrt(t) n), n steps an iteration")
      .add("step", options.step.step, base::above(0.0), "", "alpha of fixed, abar of convex")
      .add("convexity", options.step.convexity, base::above(0.0), "",
           "c of strongly_convex: every objective is c-strongly convex")
      .add("noise", options.noise, base::at_least(0.0), "",
           "standard deviation of Gaussian noise on every component of every gradient")
      .add_choice("iterate", options.iterate,
                  {{"last", IterateKind::last},
                   {"best", IterateKind::best},
                   {"average", IterateKind::average}},
                  "which point is the result: x_T, the one with the smallest weighted sum, or the "
                  "average (weights t for strongly_convex steps)");
}

std::uint64_t seed_of(const sweep::Task& task) {
  return static_cast<std::uint64_t>(base::parse_int64(task.values.at("seed")).value());
}

AlternatingOptions shared_of(const sweep::Task& task) {
  return sweep::read_section<AlternatingOptions>(task, "alternating");
}

std::shared_ptr<const data::Dataset> load_data(const sweep::Task& task,
                                               const sweep::RunContext& context) {
  return context.datasets->get(sweep::read_section<data::DataOptions>(task, "data"),
                               context.data_dir, context.allow_changed_data);
}

AnyProblem problem_of(const sweep::Task& task, const sweep::RunContext& context,
                      const AlternatingOptions& shared, std::int64_t objectives) {
  if (shared.problem != "data") {
    return alternating::make_problem(alternating::catalogue_entry(shared.problem), shared.variables,
                                     objectives);
  }
  if (objectives != 2) throw base::InputError("problem 'data' has 2 objectives");
  if (shared.variables != 0) {
    throw base::InputError("alternating.variables: the data set decides for problem 'data'");
  }
  return alternating::DataProblem(
      load_data(task, context),
      sweep::read_section<alternating::DataProblemOptions>(task, "model"));
}

/// @throws base::InputError  not exactly one way to give the weights, or a bad one.
Efforts efforts_of(const WeightOptions& options, std::int64_t total, std::int64_t objectives) {
  const int given = (options.n_a >= 0) + (options.lattice >= 0) + !options.weights.empty();
  if (given > 1) throw base::InputError("give one of n_a, lattice and weights");
  if (!options.weights.empty()) {
    const auto sum =
        std::accumulate(options.weights.begin(), options.weights.end(), std::int64_t{0});
    if (std::ssize(options.weights) == objectives && sum == total) return options.weights;
    throw base::InputError(fmt::format("weights = {}, must be {} numbers with sum n_total = {}",
                                       alternating::format_efforts(options.weights), objectives,
                                       total));
  }
  if (objectives != 2 && options.lattice < 0) {
    throw base::InputError("more than two objectives need lattice or weights");
  }
  const std::int64_t place = options.lattice >= 0 ? options.lattice
                             : options.n_a >= 0   ? options.n_a
                                                  : total / 2;
  const std::int64_t size = alternating::lattice_size(total, objectives);
  if (place < size) return alternating::lattice_point(place, total, objectives);
  throw base::InputError(fmt::format("{} = {}, must be < {} for n_total = {}",
                                     options.lattice >= 0 ? "lattice" : "n_a", place, size, total));
}

/// Everything about one task but the problem.
struct Run {
  AlternatingOptions shared;
  WeightOptions weight;
  Efforts efforts;
  bool alternates = true;  ///< SA2GD, else weighted sum
  alternating::StepOrder order = alternating::StepOrder::block;
  std::int64_t inner_steps = 1;
};

Run run_of(const sweep::Task& task, std::int64_t objectives) {
  Run run;
  run.shared = shared_of(task);
  run.alternates = task.method == "sa2gd";
  run.inner_steps = run.shared.n_total;
  if (run.alternates) {
    const auto section = sweep::read_section<Sa2gdSection>(task, task.method);
    run.weight = section.weight;
    run.order = section.order;
  } else {
    const auto section = sweep::read_section<WeightedSumSection>(task, task.method);
    run.weight = section.weight;
    if (section.inner_steps > 0) run.inner_steps = section.inner_steps;
  }
  run.efforts = efforts_of(run.weight, run.shared.n_total, objectives);
  return run;
}

/// Drawn in the box, the same for every method: its stream belongs to seed, problem and weights.
std::vector<double> start_of(const Run& run, const AnyProblem& problem, std::uint64_t seed) {
  const std::string address =
      fmt::format("{} {}", run.shared.problem, alternating::format_efforts(run.efforts));
  base::Stream stream(base::StreamKey(seed, address, "alternating/start"), 0);
  return std::visit([&](const auto& p) { return p.box().random_point(stream); }, problem);
}

template <alternating::Problem P>
RunResult solve(const P& problem, const Run& run, std::span<const double> start, std::uint64_t seed,
                const std::string& key, const alternating::IterationObserver& observer) {
  const alternating::RunOptions options{.iterations = run.shared.iterations,
                                        .step = run.weight.step,
                                        .track_best = run.weight.iterate == IterateKind::best,
                                        .trace_points = run.shared.trace_points};
  if (run.alternates) {
    return alternating::sa2gd(problem, start,
                              {.efforts = run.efforts, .order = run.order, .run = options}, seed,
                              key, observer);
  }
  return alternating::weighted_sum(
      problem, start, {.efforts = run.efforts, .inner_steps = run.inner_steps, .run = options},
      seed, key, observer);
}

alternating::IterationObserver observer_of(const sweep::RunContext& context,
                                           std::int64_t iterations) {
  if (!context.report) return nullptr;
  const std::int64_t stride = std::max<std::int64_t>(1, iterations / 20);
  return [&context, iterations, stride](std::int64_t t) {
    if (t % stride != 0) return;
    context.report({static_cast<double>(t) / static_cast<double>(iterations),
                    fmt::format("iteration {}/{}", t, iterations)});
  };
}

RunResult solve_any(const AnyProblem& problem, const Run& run, const sweep::Task& task,
                    const sweep::RunContext& context) {
  const std::vector<double> start = start_of(run, problem, seed_of(task));
  const auto observer = observer_of(context, run.shared.iterations);
  return std::visit(
      [&](const auto& p) {
        if (run.weight.noise == 0) return solve(p, run, start, seed_of(task), task.key, observer);
        const alternating::GaussianNoise noisy(p, run.weight.noise);
        return solve(noisy, run, start, seed_of(task), task.key, observer);
      },
      problem);
}

const std::vector<double>& chosen_iterate(const RunResult& result, IterateKind kind) {
  if (kind == IterateKind::best) return result.best;
  return kind == IterateKind::average ? result.average : result.last;
}

/// Where the theorems speak of this run: the constants of the problem for its steps and noise.
std::optional<alternating::RateConstants> constants_of(const AnyProblem& problem, const Run& run) {
  if (!run.alternates) return std::nullopt;
  const alternating::StepSizes sizes(run.weight.step, run.shared.n_total);
  return alternating::rate_constants(
      problem,
      {.inner_steps = run.shared.n_total, .first_step = sizes(0), .noise = run.weight.noise});
}

struct Scalar {
  std::vector<double> weights;
  std::optional<double> least;  ///< min S over the box
};

Scalar scalar_of(const AnyProblem& problem, const Run& run) {
  Scalar scalar{alternating::weights_of(run.efforts), std::nullopt};
  if (const auto best = alternating::minimiser(problem, scalar.weights)) {
    scalar.least = std::visit(
        [&](const auto& p) { return alternating::scalarised(p, scalar.weights, *best); }, problem);
  }
  return scalar;
}

void add_series(sweep::TaskResult& result, const RunResult& run, const Scalar& scalar,
                const alternating::StepOptions& step,
                const std::optional<alternating::RateConstants>& constants) {
  const auto add = [&](const char* name, std::int64_t t, double value) {
    if (!std::isfinite(value)) return;
    result.series[name].steps.push_back(t);
    result.series[name].values.push_back(value);
  };
  for (const alternating::TraceEntry& entry : run.trace) {
    add("scalarised", entry.iteration, entry.value);
    if (!scalar.least) continue;
    add("gap", entry.iteration, entry.value - *scalar.least);
    add("gap_average", entry.iteration, entry.value_average - *scalar.least);
    if (constants) {
      add("bound", entry.iteration, alternating::rate_bound(*constants, step, entry.iteration));
    }
  }
}

std::vector<double> reference_of(const AnyProblem& problem, const std::string& name) {
  if (name != "data") {
    return alternating::reference_point(alternating::catalogue_entry(name), problem);
  }
  const auto& p = std::get<alternating::DataProblem>(problem);
  const std::vector<double> zero(p.box().lower().size(), 0.0);
  return {p.value(0, zero), 1.0};
}

/// The box between the point and the reference.
double volume_of(std::span<const double> point, std::span<const double> reference) {
  double volume = 1;
  for (std::size_t k = 0; k < point.size(); ++k) {
    volume *= std::max(0.0, reference[k] - point[k]);
  }
  return volume;
}

data::Provenance provenance_of(const std::string& name, const AnyProblem& problem,
                               std::int64_t objectives) {
  const auto& entry = alternating::catalogue_entry(name);
  const auto variables = std::visit([](const auto& p) { return p.box().variables(); }, problem);
  data::Provenance provenance;
  provenance.name = name;
  provenance.source = entry.source;
  provenance.recipe = fmt::format("{}; n = {}, m = {}", entry.title, variables, objectives);
  provenance.digest = base::sha256_of(name + "\n" + provenance.recipe);
  return provenance;
}

}  // namespace

base::OptionTable options_of(AlternatingOptions& options) {
  base::OptionTable table("alternating");
  table
      .add_choice("problem", options.problem, problem_names(),
                  "a test problem, or 'data': a fair linear model, see [data] and [model]")
      .add("variables", options.variables, base::at_least<std::int64_t>(0), "variables",
           "n of a test problem; 0: its default")
      .add("n_total", options.n_total, base::between<std::int64_t>(1, 1'000'000), "steps",
           "n_a + n_b + ...: gradient steps in one iteration of SA2GD")
      .add("iterations", options.iterations, base::at_least<std::int64_t>(1), "iterations",
           "T: projections in one run")
      .add("trace_points", options.trace_points, base::at_least<std::int64_t>(0), "",
           "entries of the series of one run, evenly spaced in log t; 0: no series");
  return table;
}

base::OptionTable options_of(Sa2gdSection& options) {
  base::OptionTable table("sa2gd");
  describe(table, options.weight);
  table.add_choice(
      "order", options.order,
      {{"block", alternating::StepOrder::block}, {"random", alternating::StepOrder::random}},
      "objective by objective, or shuffled in every iteration");
  return table;
}

base::OptionTable options_of(WeightedSumSection& options) {
  base::OptionTable table("weighted_sum");
  describe(table, options.weight);
  table.add("inner_steps", options.inner_steps, base::at_least<std::int64_t>(0), "steps",
            "gradient steps between two projections; 0: n_total, as many as SA2GD takes");
  return table;
}

AlternatingExperiment::AlternatingExperiment(std::int64_t objectives) : objectives_{objectives} {
  if (objectives != 2 && objectives != 3) {
    throw std::invalid_argument("AlternatingExperiment: objectives must be 2 or 3");
  }
}

std::string AlternatingExperiment::name() const {
  return objectives_ == 2 ? "alternating" : "alternating3";
}

std::string AlternatingExperiment::title() const {
  return fmt::format("alternating gradients and weighted sums, {} objectives", objectives_);
}

std::vector<sweep::Section> AlternatingExperiment::sections() const {
  return {sweep::make_section<data::DataOptions>("data", "the data set; for problem 'data' only"),
          sweep::make_section<alternating::DataProblemOptions>(
              "model", "the two objectives; for problem 'data' only"),
          sweep::make_section<AlternatingOptions>("alternating", "what all methods share"),
          sweep::make_section<Sa2gdSection>(
              "sa2gd", "alternating (stochastic, sub-) gradient steps on the objectives",
              "Liu and Vicente (2022), Algorithm 1", true),
          sweep::make_section<WeightedSumSection>(
              "weighted_sum", "projected gradient steps on the weighted sum of the objectives",
              "Liu and Vicente (2022), section 4", true)};
}

sweep::ResultSchema AlternatingExperiment::schema() const {
  sweep::ResultSchema schema;
  const std::string known = "; where the minimiser is known";
  for (std::int64_t i = 1; i <= objectives_; ++i) {
    schema.objectives.push_back(
        {fmt::format("f{}", i), fmt::format("objective {}", i), "", Direction::minimise, paper});
  }
  schema.metrics = {
      {"weight", "weight of the first objective, n_1 / n_total", "share", Direction::none, paper},
      {"distance",
       fmt::format("Euclidean distance of the point to the nearest of about {} points of the "
                   "analytic front",
                   front_samples),
       "", Direction::minimise, "Van Veldhuizen (1999)"},
      {"scalarised", "S at the point", "", Direction::minimise, paper},
      {"gap", "S at the point minus its minimum over the box" + known, "", Direction::minimise,
       paper},
      {"bound", "bound of the expected gap after T iterations" + known, "", Direction::none,
       "Liu and Vicente (2022), Theorems 3.1, 3.2, Corollaries 3.2, 3.3"},
      {"gradients", "gradients of single objectives drawn", "", Direction::none, ""}};
  schema.series = {
      {"scalarised", "S(x_t)", "", Direction::minimise, paper},
      {"gap", "S(x_t) minus its minimum over the box", "", Direction::minimise, paper},
      {"gap_average", "S(average of x_1 .. x_t) minus its minimum", "", Direction::minimise, paper},
      {"bound", "bound of the expected gaps after t iterations", "", Direction::none,
       "Liu and Vicente (2022), Theorems 3.1, 3.2, Corollaries 3.2, 3.3"}};
  schema.solutions = {{"x", "the point, shape (n,)", "", Direction::none, paper}};
  schema.front_solutions = "x";
  return schema;
}

const pareto::Points& AlternatingExperiment::front_of(const sweep::Task& task,
                                                      const AnyProblem& problem) const {
  const auto variables = std::visit([](const auto& p) { return p.box().variables(); }, problem);
  const std::string key = fmt::format("{} {}", task.values.at("alternating.problem"), variables);
  const auto found = fronts_->find(key);
  if (found != fronts_->end()) return found->second;
  return fronts_->emplace(key, alternating::analytic_front(problem, front_samples)).first->second;
}

sweep::TaskForecast AlternatingExperiment::forecast(const sweep::Task& task,
                                                    const sweep::RunContext& context,
                                                    std::int64_t /*ranks*/) const {
  const Run run = run_of(task, objectives_);
  const AnyProblem problem = problem_of(task, context, run.shared, objectives_);
  const auto variables = std::visit([](const auto& p) { return p.box().variables(); }, problem);
  sweep::TaskForecast forecast;
  forecast.problem = fmt::format("{}, n = {}, m = {}", run.shared.problem, variables, objectives_);
  forecast.bytes_per_rank = 64.0 * static_cast<double>(variables) +
                            8.0 * static_cast<double>(objectives_ * front_samples);
  forecast.candidate_evaluations =
      static_cast<double>(run.shared.iterations) *
      static_cast<double>(run.alternates ? run.shared.n_total : run.inner_steps * objectives_);
  if (run.shared.problem != "data") {
    forecast.data = provenance_of(run.shared.problem, problem, objectives_);
    return forecast;
  }
  const auto dataset = load_data(task, context);
  forecast.data = dataset->provenance;
  forecast.bytes_per_rank +=
      8.0 * static_cast<double>(dataset->rows) * static_cast<double>(dataset->columns + 4);
  if (auto warning = data::small_groups_warning(*dataset)) {
    forecast.warnings.push_back(*std::move(warning));
  }
  return forecast;
}

sweep::TaskResult AlternatingExperiment::run(const parallel::Comm& team, const sweep::Task& task,
                                             const sweep::RunContext& context) const {
  sweep::TaskResult result;
  const auto work = [&] {
    if (!team.is_root()) return;  // a run is one chain of steps: nothing to share
    const Run run = run_of(task, objectives_);
    const AnyProblem problem = problem_of(task, context, run.shared, objectives_);
    const RunResult solved = solve_any(problem, run, task, context);
    const std::vector<double>& x = chosen_iterate(solved, run.weight.iterate);
    const Scalar scalar = scalar_of(problem, run);
    const auto constants = constants_of(problem, run);

    const auto [point, value] = std::visit(
        [&](const auto& p) {
          return std::pair{alternating::values_at(p, x),
                           alternating::scalarised(p, scalar.weights, x)};
        },
        problem);
    result.metrics = {{"weight", scalar.weights[0]},
                      {"scalarised", value},
                      {"gradients", static_cast<double>(solved.gradients)}};
    if (const pareto::Points& front = front_of(task, problem); !front.empty()) {
      result.metrics["distance"] = pareto::distance_to(point, front);
    }
    if (scalar.least) {
      result.metrics["gap"] = value - *scalar.least;
      const double bound =
          constants ? alternating::rate_bound(*constants, run.weight.step, run.shared.iterations)
                    : std::numeric_limits<double>::quiet_NaN();
      if (std::isfinite(bound)) result.metrics["bound"] = bound;
    }
    add_series(result, solved, scalar, run.weight.step, constants);
    result.solutions["x"] = {x};
    const std::vector<double> reference = reference_of(problem, run.shared.problem);
    result.front = {point, reference, volume_of(point, reference)};
  };
  parallel::agree(team, "", work);
  return result;
}

}  // namespace fairfront::experiments
