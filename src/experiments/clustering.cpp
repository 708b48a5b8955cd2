#include "experiments/clustering.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
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

clustering::Problem make_problem(const sweep::Task& task, const data::Dataset& dataset) {
  return {dataset, sweep::read_section<ClusteringOptions>(task, "clustering").clusters};
}

}  // namespace

base::OptionTable options_of(ClusteringOptions& options) {
  base::OptionTable table("clustering");
  table.add("clusters", options.clusters, base::between<std::int64_t>(2, 65536), "clusters",
            "K: number of clusters, none of them empty");
  return table;
}

std::string ClusteringExperiment::title() const {
  return "fair k-means: clustering cost against balance";
}

std::vector<sweep::Section> ClusteringExperiment::sections() const {
  std::vector<sweep::Section> all{
      sweep::make_section<data::DataOptions>("data", "the data set and its preparation"),
      sweep::make_section<ClusteringOptions>("clustering", "what all methods share")};
  for (const ClusteringMethod& method : clustering_methods()) all.push_back(method.section);
  return all;
}

sweep::ResultSchema ClusteringExperiment::schema() const {
  sweep::ResultSchema schema;
  schema.metrics = {
      {"front_size", "strictly nondominated clusterings", "", Direction::maximise, paper},
      {"list_length", "entries of the final list, dominated ones included", "", Direction::none,
       paper},
      {"least_cost", "smallest f1 of the front", "squared distance", Direction::minimise, paper},
      {"greatest_balance", "largest f2 of the front", "ratio", Direction::maximise, paper},
      {"balance_bound", "min_j N_j / max_j N_j: no clustering has a greater f2", "ratio",
       Direction::none, paper},
      {"hypervolume", "area dominated up to (total variance, balance 0)",
       "squared distance * ratio", Direction::maximise, "Zitzler and Thiele (1998)"},
      {"hypervolume_share", "hypervolume / (total variance * balance bound)", "share",
       Direction::maximise, ""},
      {"hypervolume_lost", "hypervolume removed by thinning, summed over iterations",
       "squared distance * ratio", Direction::minimise, ""},
      {"candidates", "clusterings looked at: steps of a list, weights of a grid, floors", "",
       Direction::none, ""},
      {"cost", "f1 of the one clustering", "squared distance", Direction::minimise, paper},
      {"balance", "f2 of the one clustering", "ratio", Direction::maximise, paper},
      {"iterations", "iterations of all runs of the task", "", Direction::none, ""}};
  schema.series = {
      {"list_length", "entries of the list", "", Direction::none, paper},
      {"hypervolume", "hypervolume of the list or archive", "squared distance * ratio",
       Direction::maximise, "Zitzler and Thiele (1998)"},
      {"cost", "f1 after an iteration", "squared distance", Direction::minimise, paper},
      {"balance", "f2 after an iteration", "ratio", Direction::maximise, paper}};
  add_weight_series(schema);
  schema.solutions = {{"labels", "cluster of every row of the prepared data set, 0 .. K-1", "",
                       Direction::none, paper}};
  schema.front_solutions = "labels";
  schema.objectives = {
      {"clustering cost", "f1 = (1/N) sum_p |x_p - m_{s_p}|^2, exact centroids", "squared distance",
       Direction::minimise, paper},
      {"balance", "f2 = min_k min_j n_kj / max_j n_kj", "ratio", Direction::maximise, paper}};
  return schema;
}

sweep::TaskForecast ClusteringExperiment::forecast(const sweep::Task& task,
                                                   const sweep::RunContext& context,
                                                   std::int64_t ranks) const {
  const auto dataset = load_data(task, context);
  const clustering::Problem problem = make_problem(task, *dataset);
  sweep::TaskForecast forecast{dataset->provenance, problem.describe()};
  try {
    const ClusteringForecast needs = clustering_method(task.method).forecast(problem, task, ranks);
    forecast.bytes_per_rank = needs.bytes_per_rank;
    forecast.candidate_evaluations = needs.candidate_evaluations;
  } catch (const std::invalid_argument& error) {
    throw base::InputError(error.what());
  }
  // A group with fewer members than clusters leaves one without it: the balance is then 0.
  if (auto warning = data::small_groups_warning(*dataset, problem.clusters())) {
    forecast.warnings.push_back(*std::move(warning));
  }
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
    parallel::agree(team, "",
                    [&] { problem.emplace(make_problem(task, *load_data(task, context))); });
    return method.run(team, *problem, task, context);
  }
  sweep::TaskResult result;
  parallel::agree(team, "", [&] {
    if (!team.is_root()) return;  // one chain of steps: nothing to share
    result = method.run(team, make_problem(task, *load_data(task, context)), task, context);
  });
  return result;
}

}  // namespace fairfront::experiments
