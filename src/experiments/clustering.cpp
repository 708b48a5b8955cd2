#include "experiments/clustering.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/load.hpp"
#include "data/small_groups.hpp"
#include "experiments/clustering_methods.hpp"
#include "parallel/agree.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::experiments {
namespace {

using archive::Direction;

constexpr const char* paper = "Liu and Vicente (2021)";

/// One entry a weight mu of vfairkm; the step is the weight's number.
void add_weight_series(sweep::ResultSchema& schema) {
  constexpr const char* source = "Ziko et al. (2021)";
  const std::vector<archive::Quantity> series{
      {"weight_mu", "weight mu of the penalty, by its number", "squared distance", Direction::none,
       source},
      {"weight_cost", "f1 of the clustering at that weight", "squared distance",
       Direction::minimise, paper},
      {"weight_balance", "f2 of the clustering at that weight", "ratio", Direction::maximise,
       paper},
      {"weight_objective", "N f1 of the memberships plus mu times their divergences",
       "squared distance", Direction::minimise, source},
      {"weight_outer_iterations", "updates of the centres", "", Direction::none, source},
      {"weight_inner_iterations", "updates of the memberships", "", Direction::none, source},
      {"weight_refills", "updates of the centres that left a cluster without labels", "",
       Direction::none, ""}};
  schema.series.insert(schema.series.end(), series.begin(), series.end());
}

std::shared_ptr<const data::Dataset> load_data(const sweep::Task& task,
                                               const sweep::RunContext& context) {
  return context.datasets->get(sweep::read_section<data::DataOptions>(task, "data"),
                               context.data_dir, context.allow_changed_data);
}

/// @throws base::InputError  three objectives and not two attributes.
void check_attributes(const data::Dataset& dataset, std::int64_t objectives) {
  if (objectives == 2 || dataset.attributes.size() == 2) return;
  std::vector<std::string> names;
  for (const data::Attribute& attribute : dataset.attributes) names.push_back(attribute.name);
  throw base::InputError(fmt::format(
      "clustering3 needs two sensitive attributes, and '{}' has {} ({}): name two columns, such as "
      "sensitive = sex, race in [data]",
      dataset.provenance.name, names.size(), base::join(names, ", ")));
}

clustering::Problem make_problem(const sweep::Task& task, const data::Dataset& dataset,
                                 std::int64_t objectives) {
  check_attributes(dataset, objectives);
  return {dataset, sweep::read_section<ClusteringOptions>(task, "clustering").clusters,
          objectives == 2 ? clustering::BalanceOf::groups : clustering::BalanceOf::attributes};
}

/// The levels of an attribute as groups of their own.
data::Dataset levels_as_groups(const data::Dataset& dataset, const data::Attribute& attribute) {
  data::Dataset levels;
  levels.rows = dataset.rows;
  levels.group = attribute.code;
  levels.group_names = attribute.levels;
  levels.provenance.name = fmt::format("{}, {}", dataset.provenance.name, attribute.name);
  return levels;
}

/// A group, or level, with fewer members than clusters leaves one without it: the balance is 0.
std::vector<std::string> small_groups_warnings(const data::Dataset& dataset,
                                               const clustering::Problem& problem) {
  std::vector<std::string> warnings;
  const auto check = [&](const data::Dataset& groups) {
    if (auto warning = data::small_groups_warning(groups, problem.clusters())) {
      warnings.push_back(*std::move(warning));
    }
  };
  if (problem.attributes().are_groups()) {
    check(dataset);
  } else {
    for (const auto& attribute : dataset.attributes) check(levels_as_groups(dataset, attribute));
  }
  return warnings;
}

/// What is said of each balance: of the groups, or of the levels of an attribute.
struct BalanceTexts {
  std::string suffix;  ///< of the names of metrics, see result_of in clustering_methods.cpp
  std::string symbol;
  std::string over;
};
std::vector<BalanceTexts> balance_texts(std::int64_t objectives) {
  if (objectives == 2) return {{"", "f2", ""}};
  return {{"_1", "balance by the first attribute", " over the levels j of the first attribute"},
          {"_2", "balance by the second attribute", " over the levels j of the second attribute"}};
}

void add_balances(sweep::ResultSchema& schema, std::int64_t objectives) {
  for (const BalanceTexts& text : balance_texts(objectives)) {
    schema.metrics.push_back({fmt::format("greatest_balance{}", text.suffix),
                              fmt::format("largest {} of the front", text.symbol), "ratio",
                              Direction::maximise, paper});
    schema.metrics.push_back({fmt::format("balance_bound{}", text.suffix),
                              fmt::format("min_j N_j / max_j N_j{}: no clustering has a greater {}",
                                          text.over, text.symbol),
                              "ratio", Direction::none, paper});
    const std::string definition = fmt::format("min_k min_j n_kj / max_j n_kj{}", text.over);
    schema.objectives.push_back({objectives == 2 ? "balance" : text.symbol,
                                 objectives == 2 ? fmt::format("f2 = {}", definition) : definition,
                                 "ratio", Direction::maximise, paper});
  }
}

}  // namespace

base::OptionTable options_of(ClusteringOptions& options) {
  base::OptionTable table("clustering");
  table.add("clusters", options.clusters, base::between<std::int64_t>(2, 65536), "clusters",
            "K: number of clusters, none of them empty");
  return table;
}

ClusteringExperiment::ClusteringExperiment(std::int64_t objectives) : objectives_{objectives} {
  if (objectives != 2 && objectives != 3) {
    throw std::invalid_argument("ClusteringExperiment: objectives must be 2 or 3");
  }
}

std::string ClusteringExperiment::name() const {
  return objectives_ == 2 ? "clustering" : "clustering3";
}

std::string ClusteringExperiment::title() const {
  return objectives_ == 2 ? "fair k-means: clustering cost against balance"
                          : "fair k-means: clustering cost against the balances of two attributes";
}

std::vector<sweep::Section> ClusteringExperiment::sections() const {
  std::vector<sweep::Section> all{
      sweep::make_section<data::DataOptions>("data", "the data set and its preparation"),
      sweep::make_section<ClusteringOptions>("clustering", "what all methods share")};
  for (const ClusteringMethod& method : clustering_methods()) {
    if (objectives_ == 2 || method.many_balances) all.push_back(method.section);
  }
  return all;
}

sweep::ResultSchema ClusteringExperiment::schema() const {
  const std::string area = objectives_ == 2 ? "area" : "volume";
  const std::string unit =
      objectives_ == 2 ? "squared distance * ratio" : "squared distance * ratio * ratio";
  sweep::ResultSchema schema;
  schema.objectives = {{"clustering cost", "f1 = (1/N) sum_p |x_p - m_{s_p}|^2, exact centroids",
                        "squared distance", Direction::minimise, paper}};
  schema.metrics = {
      {"front_size", "strictly nondominated clusterings", "", Direction::maximise, paper},
      {"list_length", "entries of the final list, dominated ones included", "", Direction::none,
       paper},
      {"least_cost", "smallest f1 of the front", "squared distance", Direction::minimise, paper}};
  add_balances(schema, objectives_);
  const std::vector<archive::Quantity> metrics{
      {"hypervolume", fmt::format("{} dominated up to (total variance, balance 0)", area), unit,
       Direction::maximise, "Zitzler and Thiele (1998)"},
      {"hypervolume_share",
       fmt::format("hypervolume / (total variance * {})",
                   objectives_ == 2 ? "balance bound" : "both balance bounds"),
       "share", Direction::maximise, ""},
      {"hypervolume_lost", "hypervolume removed by thinning, summed over iterations", unit,
       Direction::minimise, ""},
      {"candidates", "clusterings looked at: steps of a list, weights of a grid, floors", "",
       Direction::none, ""},
      {"cost", "f1 of the one clustering", "squared distance", Direction::minimise, paper},
      {"balance", "f2 of the one clustering", "ratio", Direction::maximise, paper},
      {"iterations", "iterations of all runs of the task", "", Direction::none, ""}};
  schema.metrics.insert(schema.metrics.end(), metrics.begin(), metrics.end());
  schema.series = {
      {"list_length", "entries of the list", "", Direction::none, paper},
      {"hypervolume", "hypervolume of the list or archive", unit, Direction::maximise,
       "Zitzler and Thiele (1998)"},
      {"cost", "f1 after an iteration", "squared distance", Direction::minimise, paper},
      {"balance", "f2 after an iteration", "ratio", Direction::maximise, paper}};
  add_weight_series(schema);
  schema.solutions = {{"labels", "cluster of every row of the prepared data set, 0 .. K-1", "",
                       Direction::none, paper}};
  schema.front_solutions = "labels";
  return schema;
}

sweep::TaskForecast ClusteringExperiment::forecast(const sweep::Task& task,
                                                   const sweep::RunContext& context,
                                                   std::int64_t ranks) const {
  const auto dataset = load_data(task, context);
  const clustering::Problem problem = make_problem(task, *dataset, objectives_);
  sweep::TaskForecast forecast{dataset->provenance, problem.describe()};
  try {
    const ClusteringForecast needs = clustering_method(task.method).forecast(problem, task, ranks);
    forecast.bytes_per_rank = needs.bytes_per_rank;
    forecast.candidate_evaluations = needs.candidate_evaluations;
  } catch (const std::invalid_argument& error) {
    throw base::InputError(error.what());
  }
  forecast.warnings = small_groups_warnings(*dataset, problem);
  return forecast;
}

double ClusteringExperiment::unit_cost(const sweep::Task& task) const {
  return clustering_method(task.method).unit_cost(task);
}

sweep::TaskResult ClusteringExperiment::run(const parallel::Comm& team, const sweep::Task& task,
                                            const sweep::RunContext& context) const {
  const ClusteringMethod& method = clustering_method(task.method);
  if (method.section.coupled) {
    std::optional<clustering::Problem> problem;
    parallel::agree(team, "", [&] {
      problem.emplace(make_problem(task, *load_data(task, context), objectives_));
    });
    return method.run(team, *problem, task, context);
  }
  sweep::TaskResult result;
  bool interrupted = false;
  parallel::agree(team, "", [&] {
    if (!team.is_root()) return;  // one chain of steps: nothing to share
    try {
      result = method.run(team, make_problem(task, *load_data(task, context), objectives_), task,
                          context);
    } catch (const sweep::TaskInterrupted&) {
      interrupted = true;
    }
  });
  if (parallel::all_reduce_max(team, interrupted ? 1 : 0) != 0) throw sweep::TaskInterrupted();
  return result;
}

}  // namespace fairfront::experiments
