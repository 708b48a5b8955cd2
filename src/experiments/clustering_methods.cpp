#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/stop.hpp"
#include "experiments/clustering.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/remarks.hpp"
#include "results/proven_bounds.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/lower_bound.hpp"
#include "solvers/clustering/minibatch_kmeans.hpp"
#include "solvers/clustering/point_sample.hpp"
#include "solvers/clustering/safairkm.hpp"
#include "solvers/clustering/safairkm_front.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using clustering::Problem;
using sweep::Columns;
using sweep::TaskResult;
using sweep::Work;

/// Means of the clusters' members, row-major, shape (K, d), in the unit of the features.
/// @param labels  of the rows of the data set.
template <class Label>
std::vector<double> centres_of(const Problem& problem, const std::vector<Label>& labels) {
  const auto columns = static_cast<std::size_t>(problem.columns());
  const auto clusters = static_cast<std::size_t>(problem.clusters());
  std::vector<double> centres(clusters * columns, 0.0);
  std::vector<double> members(clusters, 0.0);
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    const std::size_t k = labels[static_cast<std::size_t>(problem.row(p))];
    ++members[k];
    for (std::size_t i = 0; i < columns; ++i) centres[k * columns + i] += problem.point(p)[i];
  }
  for (std::size_t place = 0; place < centres.size(); ++place) {
    centres[place] = centres[place] / members[place / columns] + problem.mean()[place % columns];
  }
  return centres;
}

/// What every method leaves behind: its front (one point for methods with one clustering), the
/// labels of the points, and the numbers that sum a front up.
TaskResult result_of(const Problem& problem, std::vector<double> points,
                     std::vector<clustering::LabelVector> labels, double hypervolume) {
  TaskResult result;
  double best = problem.total_variance();
  result.metrics = {{"front_size", double(labels.size())},
                    {"least_cost", points.front()},
                    {"hypervolume", hypervolume}};
  const auto objectives = static_cast<std::size_t>(problem.objectives());
  for (std::int64_t a = 0; a < problem.attributes().count(); ++a) {
    double greatest = 0;
    for (auto k = static_cast<std::size_t>(a) + 1; k < points.size(); k += objectives) {
      greatest = std::max(greatest, points[k]);
    }
    const std::string suffix = objectives == 2 ? "" : fmt::format("_{}", a + 1);
    result.metrics[fmt::format("greatest_balance{}", suffix)] = greatest;
    result.metrics[fmt::format("balance_bound{}", suffix)] = problem.balance_bound(a);
    best *= problem.balance_bound(a);
  }
  result.metrics["hypervolume_share"] = hypervolume / best;
  for (auto& of_point : labels) {
    base::stop_point();
    std::visit(
        [&](auto& values) {
          result.solutions["centres"].emplace_back(centres_of(problem, values));
          result.solutions["labels"].emplace_back(std::move(values));
        },
        of_point);
  }
  result.model = "centres centres=centres";
  result.front = {std::move(points), problem.reference(), hypervolume};
  return result;
}

TaskResult result_of(const Problem& problem, clustering::ClusteringFront&& front) {
  return result_of(problem, std::move(front.points), std::move(front.labels), front.hypervolume);
}

const Quantity candidates{"candidates",
                          "clusterings looked at: steps of a list, weights of a grid, floors", "",
                          Direction::none, ""};
const Quantity iterations{"iterations", "iterations of all runs of the task", "", Direction::none,
                          ""};

sweep::SeriesQuantity hypervolume_series(const std::string& unit) {
  return {{"hypervolume", "hypervolume of the list or archive", unit, Direction::maximise,
           "Zitzler and Thiele (1998)"}};
}

/// Of the methods that find one clustering.
Columns one_clustering_columns() {
  return {.metrics = {{"cost", "f1 of the one clustering", "squared distance", Direction::minimise,
                       clustering_paper},
                      {"balance", "f2 of the one clustering", "ratio", Direction::maximise,
                       clustering_paper},
                      iterations}};
}

/// What a run spent: see evaluations.hpp.
struct Spent {
  std::int64_t comparisons;
};

void add_spent(TaskResult& result, const Problem& problem, Spent spent) {
  add_evaluations(result, clustering::evaluations_of(problem, spent.comparisons));
}

TaskResult one_clustering(const Problem& problem, clustering::Clustering&& found,
                          std::int64_t iterations_made, Spent spent) {
  const double cost = found.cost;
  const double balance = found.balance;
  std::vector<clustering::Clustering> all;
  all.push_back(std::move(found));
  TaskResult result = result_of(problem, front_of(problem, std::move(all)));
  result.metrics["cost"] = cost;
  result.metrics["balance"] = balance;
  result.metrics["iterations"] = double(iterations_made);
  add_spent(result, problem, spent);
  return result;
}

TaskResult one_clustering(const Problem& problem, clustering::LloydResult&& found) {
  return one_clustering(problem, std::move(found.clustering), found.iterations,
                        {found.comparisons});
}

TaskResult one_clustering(const Problem& problem, clustering::SafairResult&& found,
                          std::int64_t iterations_made) {
  TaskResult result =
      one_clustering(problem, std::move(found.clustering), iterations_made, {found.comparisons});
  add_series(result, found.trace);
  return result;
}

Method<Problem> lloyd_method() {
  return make_method<Problem, clustering::LloydOptions>(
      {.name = "lloyd",
       .title = "Lloyd's k-means with restarts from k-means++ seeds: the cost alone",
       .source = "Lloyd (1982)",
       .revision = 4},
      one_clustering_columns(),
      [](auto& p, auto& o) {
        return Work{labels_bytes(p), double(o.restarts), "runs", front_bytes(p, 1)};
      },
      [](auto& run) { return one_clustering(run.problem, run(clustering::lloyd)); });
}

Method<Problem> minibatch_method() {
  return make_method<Problem, clustering::MinibatchOptions>(
      {.name = "minibatch_kmeans",
       .title = "mini-batch k-means: the cost alone",
       .source = "Liu and Vicente (2021), Algorithm 1",
       .revision = 4},
      one_clustering_columns(),
      [](auto& p, auto& o) {
        return Work{labels_bytes(p), double(o.iterations) * double(o.batch), "points",
                    front_bytes(p, 1)};
      },
      [](auto& run) {
        auto found = run(clustering::minibatch_kmeans);
        return one_clustering(run.problem, std::move(found.clustering), run.options.iterations,
                              {found.comparisons});
      });
}

Columns safairkm_columns() {
  Columns columns = one_clustering_columns();
  columns.series = {
      {{"cost", "f1 after an iteration", "squared distance", Direction::minimise,
        clustering_paper}},
      {{"balance", "f2 after an iteration", "ratio", Direction::maximise, clustering_paper}}};
  return columns;
}

Work safairkm_work(const Problem& problem, const clustering::SafairOptions& options) {
  const clustering::Effort effort = options.effort();
  const auto steps = effort.kmeans + std::max<std::int64_t>(effort.swaps, 0);
  return {labels_bytes(problem), double(options.iterations) * double(steps), "updates and swaps",
          front_bytes(problem, 1)};
}

Method<Problem> safairkm_method() {
  return make_method<Problem, clustering::SafairOptions>(
      {.name = "safairkm",
       .title = "SAfairKM with one pair (n_a, n_b): k-means updates and balance swaps in turn",
       .source = "Liu and Vicente (2021), Algorithm 2",
       .revision = 4},
      safairkm_columns(), safairkm_work, [](auto& run) {
        return one_clustering(run.problem, run(clustering::safairkm), run.options.iterations);
      });
}

/// What is kept of one weight mu of vfairkm: text and value in one row.
struct WeightRow {
  Quantity what;
  double (*of)(const clustering::VfairWeight&);
};

std::span<const WeightRow> weight_rows() {
  using Weight = clustering::VfairWeight;
  constexpr const char* source = "Ziko et al. (2021)";
  static const std::vector<WeightRow> rows{
      {{"weight_mu", "weight mu of the penalty, by its number", "squared distance", Direction::none,
        source},
       [](const Weight& weight) { return weight.mu; }},
      {{"weight_cost", "f1 of the clustering at that weight", "squared distance",
        Direction::minimise, clustering_paper},
       [](const Weight& weight) { return weight.cost; }},
      {{"weight_balance", "f2 of the clustering at that weight", "ratio", Direction::maximise,
        clustering_paper},
       [](const Weight& weight) { return weight.balance; }},
      {{"weight_objective", "N f1 of the memberships plus mu times their divergences",
        "squared distance", Direction::minimise, source},
       [](const Weight& weight) { return weight.objective; }},
      {{"weight_outer_iterations", "updates of the centres", "", Direction::none, source},
       [](const Weight& weight) { return double(weight.outer_iterations); }},
      {{"weight_inner_iterations", "updates of the memberships", "", Direction::none, source},
       [](const Weight& weight) { return double(weight.inner_iterations); }},
      {{"weight_refills", "updates of the centres that left a cluster without labels", "",
        Direction::none, ""},
       [](const Weight& weight) { return double(weight.refills); }}};
  return rows;
}

Columns weight_columns() {
  Columns columns{.metrics = {candidates, iterations}};
  for (const WeightRow& row : weight_rows()) columns.series.push_back({row.what, "weight"});
  return columns;
}

TaskResult weights_result(const Problem& problem, clustering::VfairResult&& found) {
  TaskResult result = result_of(problem, std::move(found.front));
  double outer_iterations = 0;
  for (std::size_t i = 0; i < found.weights.size(); ++i) {
    outer_iterations += double(found.weights[i].outer_iterations);
    for (const WeightRow& row : weight_rows()) {
      add_to_series(result, row.what.name, std::int64_t(i), row.of(found.weights[i]));
    }
  }
  result.metrics["iterations"] = outer_iterations;
  result.metrics["candidates"] = double(found.clusterings);
  add_spent(result, problem, {found.comparisons});
  return result;
}

Method<Problem> vfairkm_method() {
  return make_method<Problem, clustering::VfairOptions>(
      {.name = "vfairkm",
       .title = "VfairKM: k-means with a Kullback-Leibler penalty, over a grid of its weights",
       .source = "Ziko et al. (2021); Liu and Vicente (2021), section 4",
       .revision = 7},
      weight_columns(),
      [](auto& p, auto& o) {
        constexpr std::int64_t usual = 4;  // updates of the centres, until labels stay
        constexpr double of_start = 2;     // in updates
        const double updates =
            (of_start + double(std::min(o.outer_iterations, usual))) / (of_start + double(usual));
        return Work{vfairkm_bytes(p, o), double(weights_solved(o)) * updates, "weights",
                    front_bytes(p, weights_solved(o))};
      },
      [](auto& run) { return weights_result(run.problem, run(clustering::vfairkm)); });
}

Work ladder_work(const Problem& problem, const clustering::BalanceLadderOptions& wanted) {
  const clustering::BalanceLadderOptions options = clustering::budget_of(problem, wanted);
  const std::int64_t ladder = 2 * (options.levels + 1) + options.bisections;
  const std::int64_t floors =
      is_shared(problem, options)
          ? options.carried
          : options.starts * ladder + 2 * options.relocations + options.refinements;
  return {balance_ladder_bytes(problem, options), double(floors), "floors",
          front_bytes(problem, options.boxes)};
}

/// Complete on rank 0 of the team.
TaskResult ladder_result(const Run<Problem, clustering::BalanceLadderOptions>& run) {
  auto found = clustering::balance_ladder(run.team, run.problem, run.options, run.seed, run.key,
                                          run.control);
  if (!run.team.is_root()) return {};
  TaskResult result = result_of(run.problem, std::move(found.front));
  if (const std::string reason = clustering::reason_without_sample(run.problem, run.options.sample);
      !reason.empty()) {
    append(result.remark,
           fmt::format("{}: all rows were used from the start, by one rank", reason));
  }
  result.metrics["candidates"] = double(found.floors_tried);
  add_spent(result, run.problem, {found.comparisons});
  for (const clustering::BalanceLadderStep& step : found.trace) {
    add_to_series(result, "hypervolume", step.step, step.hypervolume);
  }
  return result;
}

Method<Problem> balance_ladder_method(const std::string& volume_unit) {
  return make_method<Problem, clustering::BalanceLadderOptions>(
      {.name = "balance_ladder",
       .title = "balance ladder: local search under a rising and falling floor on the balance",
       .source =
           "this program; Hartigan and Wong (1979), Fraenti and Kivijaervi (2000), Laumanns et al. "
           "(2002)",
       .coupled = true,
       .revision = 12},  // 12: small tasks reach the greatest balance of whole rows
      {.metrics = {candidates}, .series = {hypervolume_series(volume_unit)}}, ladder_work,
      ladder_result);
}

Columns lower_bound_columns() {
  constexpr const char* source = "this program";
  Columns columns = one_clustering_columns();
  columns.metrics.push_back(
      {"cost_lower", "proven: no clustering with a balance of at least the floor has a smaller f1",
       "squared distance", Direction::maximise, source});
  columns.metrics.push_back(
      {"gap", "(cost - cost_lower) / cost: no clustering at the floor is better by more", "share",
       Direction::minimise, source});
  columns.metrics.push_back({"cost_dual",
                             "value of the dual by the clusters that were found, not proven",
                             "squared distance", Direction::maximise, source});
  columns.metrics.push_back(
      {"complete", "1 where the proof lost no more than its tolerance, rounding included, else 0",
       "", Direction::maximise, ""});
  columns.metrics.push_back(
      {"boxes", "for the means of clusters, of all searches and proofs", "", Direction::none, ""});
  columns.solutions.push_back(
      {"potentials",
       "pi of every row: sum_p pi_p + K min_C [cost(C) - pi(C)] bounds N f1 from below, over the "
       "clusters C at the floor",
       "squared distance", Direction::none, "du Merle et al. (1999)"});
  return columns;
}

/// Why a proof lost more than its tolerance, where no more boxes would help; else empty.
std::string remark_of_rounding(const clustering::LowerBoundResult& found, double tolerance) {
  const double cost = found.clustering.cost;
  if (found.complete || !(found.rounding > 0.5 * tolerance * cost)) return {};
  return fmt::format(
      "errors of rounding take {:.2g} from the bound, of a cost of {:.4g}, which more boxes do not "
      "change: lower_bound.tolerance asks for more than that leaves, as where a row is far from "
      "all others",
      found.rounding, cost);
}

TaskResult lower_bound_result(const Problem& problem, const clustering::LowerBoundOptions& options,
                              clustering::LowerBoundResult&& found) {
  const double cost = found.clustering.cost;
  const std::string remark = remark_of_rounding(found, options.tolerance);
  TaskResult result =
      one_clustering(problem, std::move(found.clustering), found.steps, {found.comparisons});
  result.metrics["cost_lower"] = found.cost_lower;
  result.metrics["gap"] = results::relative_gap(cost, found.cost_lower, problem.total_variance());
  result.metrics["cost_dual"] = found.dual;
  result.metrics["complete"] = found.complete ? 1 : 0;
  result.metrics["boxes"] = double(found.boxes);
  result.solutions["potentials"].emplace_back(std::move(found.potentials));
  append(result.remark, remark);
  return result;
}

Method<Problem> lower_bound_method() {
  return make_method<Problem, clustering::LowerBoundOptions>(
      {.name = "lower_bound",
       .title = "a proven lower bound on the cost of all clusterings at a floor on the balance",
       .source = "this program; du Merle et al. (1999), Aloise, Hansen and Liberti (2012)",
       .revision = 9},  // 9: its ladder reaches the greatest balance of whole rows
      lower_bound_columns(),
      [](auto& p, auto& o) {
        // In boxes: a search for a clustering from a start, and for a cut. Measured on `equal_ds1`.
        constexpr double of_start = 25'000, of_cut = 500;
        const double boxes =
            double(o.boxes) + of_start * double(o.starts) + of_cut * double(o.cuts);
        return Work{lower_bound_bytes(p, o), boxes * double(p.points()), "points"};
      },
      [](auto& run) {
        return lower_bound_result(run.problem, run.options, run(clustering::lower_bound));
      });
}

Columns list_columns(const std::string& volume_unit) {
  return {
      .metrics = {{"list_length", "entries of the final list, dominated ones included", "",
                   Direction::none, clustering_paper},
                  {"hypervolume_lost", "hypervolume removed by thinning, summed over iterations",
                   volume_unit, Direction::minimise, ""},
                  candidates},
      .series = {{{"list_length", "entries of the list", "", Direction::none, clustering_paper}},
                 hypervolume_series(volume_unit)}};
}

TaskResult list_result(const Run<Problem, clustering::SafairFrontOptions>& run) {
  auto front = clustering::safairkm_front(run.team, run.problem, run.options, run.seed, run.key,
                                          run.control);
  TaskResult result =
      result_of(run.problem, std::move(front.points), std::move(front.labels), front.hypervolume);
  result.metrics["list_length"] = double(front.list_length);
  result.metrics["hypervolume_lost"] = front.hypervolume_lost;
  result.metrics["candidates"] = double(front.candidates);
  add_spent(result, run.problem, {front.comparisons});
  for (const clustering::FrontIteration& step : front.trace) {
    add_to_series(result, "list_length", step.iteration, double(step.list_length));
    add_to_series(result, "hypervolume", step.iteration, step.hypervolume);
  }
  return result;
}

Work list_work(const Problem& problem, const clustering::SafairFrontOptions& options,
               std::int64_t ranks) {
  const auto steps = std::ssize(options.pairs) * options.replicas * options.iterations;
  return {safairkm_front_bytes(problem, options, ranks),
          double(steps) * double(options.list_budget), "clusterings",
          front_bytes(problem, options.list_budget)};
}

Method<Problem> safairkm_front_method(const std::string& volume_unit) {
  return make_method<Problem, clustering::SafairFrontOptions>(
      {.name = "safairkm_front",
       .title = "Pareto-front SAfairKM: a list of clusterings improved together",
       .source = "Liu and Vicente (2021), Algorithms 2 and 3",
       .coupled = true,
       .revision = 5},
      list_columns(volume_unit), list_work, list_result);
}

}  // namespace

ClusteringMethods clustering_methods(const std::string& volume_unit) {
  return {safairkm_front_method(volume_unit),
          safairkm_method(),
          vfairkm_method(),
          balance_ladder_method(volume_unit),
          lower_bound_method(),
          lloyd_method(),
          minibatch_method()};
}

ClusteringMethods many_balance_methods(const std::string& volume_unit) {
  return {safairkm_front_method(volume_unit)};
}

}  // namespace fairfront::experiments
