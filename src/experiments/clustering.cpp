#include "experiments/clustering.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/load.hpp"
#include "data/small_groups.hpp"
#include "parallel/agree.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/safairkm_front.hpp"

namespace fairfront::experiments {
namespace {

using archive::Direction;

constexpr const char* paper = "Liu and Vicente (2021)";

std::shared_ptr<const data::Dataset> load_data(const sweep::Task& task,
                                               const sweep::RunContext& context) {
  return context.datasets->get(sweep::read_section<data::DataOptions>(task, "data"),
                               context.data_dir, context.allow_changed_data);
}

clustering::Problem make_problem(const sweep::Task& task, const data::Dataset& dataset) {
  return {dataset, sweep::read_section<ClusteringOptions>(task, "clustering").clusters};
}

std::uint64_t seed_of(const sweep::Task& task) {
  return static_cast<std::uint64_t>(base::parse_int64(task.values.at("seed")).value());
}

/// The trace as progress lines, by the team's rank 0 only.
clustering::FrontObserver observer_of(const parallel::Comm& team, const sweep::RunContext& context,
                                      std::int64_t iterations) {
  if (!context.report || !team.is_root()) return nullptr;
  return [&context, iterations](const clustering::FrontIteration& now) {
    context.report({static_cast<double>(now.iteration) / static_cast<double>(iterations),
                    fmt::format("iteration {}/{}, list {}, hypervolume {:.6g}", now.iteration,
                                iterations, now.list_length, now.hypervolume)});
  };
}

/// The state that an earlier run of the task has left, on the team's rank 0. Collective.
std::optional<clustering::FrontState> checkpoint_of(const parallel::Comm& team,
                                                    const sweep::RunContext& context) {
  std::optional<clustering::FrontState> state;
  parallel::agree(team, "", [&] {
    if (!team.is_root() || !context.load_checkpoint) return;
    if (const auto bytes = context.load_checkpoint()) state = clustering::unpack_state(*bytes);
  });
  return state;
}

/// Stops and checkpoints as the run loop wants.
clustering::FrontControl control_of(const sweep::RunContext& context) {
  using Clock = std::chrono::steady_clock;
  clustering::FrontControl control;
  control.wish = [&context, last = Clock::now()]() mutable {
    if (context.stop_wanted && context.stop_wanted()) return clustering::FrontWish::stop;
    // Ranks that save nothing have no wish: rank 0's clock decides.
    const std::chrono::duration<double> since = Clock::now() - last;
    if (!context.save_checkpoint || since.count() < context.checkpoint_seconds) {
      return clustering::FrontWish::go_on;
    }
    last = Clock::now();
    return clustering::FrontWish::checkpoint;
  };
  if (context.save_checkpoint) {
    control.save = [&context](const clustering::FrontState& state) {
      context.save_checkpoint(clustering::pack_state(state));
    };
  }
  return control;
}

sweep::TaskResult result_of(const clustering::Problem& problem,
                            clustering::SafairFrontResult&& front) {
  sweep::TaskResult result;
  const auto size = static_cast<double>(front.points.size() / 2);
  const double best = problem.total_variance() * problem.balance_bound();
  result.metrics = {{"front_size", size},
                    {"list_length", static_cast<double>(front.list_length)},
                    {"least_cost", front.points.front()},
                    {"greatest_balance", front.points.back()},
                    {"balance_bound", problem.balance_bound()},
                    {"hypervolume", front.hypervolume},
                    {"hypervolume_share", front.hypervolume / best},
                    {"hypervolume_lost", front.hypervolume_lost},
                    {"candidates", static_cast<double>(front.candidates)}};
  sweep::Trajectory& length = result.series["list_length"];
  sweep::Trajectory& volume = result.series["hypervolume"];
  for (const clustering::FrontIteration& step : front.trace) {
    length.steps.push_back(step.iteration);
    length.values.push_back(static_cast<double>(step.list_length));
    volume.steps.push_back(step.iteration);
    volume.values.push_back(step.hypervolume);
  }
  for (auto& labels : front.labels) {
    std::visit([&](auto& values) { result.solutions["labels"].emplace_back(std::move(values)); },
               labels);
  }
  result.front = {std::move(front.points), {front.reference_cost, 0.0}, front.hypervolume};
  return result;
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
  return {sweep::make_section<data::DataOptions>("data", "the data set and its preparation"),
          sweep::make_section<ClusteringOptions>("clustering", "what all methods share"),
          sweep::make_section<clustering::SafairFrontOptions>(
              "safairkm_front", "Pareto-front SAfairKM: a list of clusterings improved together",
              "Liu and Vicente (2021), Algorithms 2 and 3", true, true)};
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
      {"candidates", "steps taken", "", Direction::none, ""}};
  schema.series = {{"list_length", "entries of the list", "", Direction::none, paper},
                   {"hypervolume", "hypervolume of the list", "squared distance * ratio",
                    Direction::maximise, "Zitzler and Thiele (1998)"}};
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
  const auto options = sweep::read_section<clustering::SafairFrontOptions>(task, task.method);
  try {
    clustering::validate_for(problem, options);
  } catch (const std::invalid_argument& error) {
    throw base::InputError(error.what());
  }
  const auto steps = std::ssize(options.pairs) * options.replicas * options.iterations;
  sweep::TaskForecast forecast{
      dataset->provenance, problem.describe(),
      clustering::safairkm_front_bytes(problem, options, ranks),
      static_cast<double>(steps) * static_cast<double>(options.list_budget)};
  // A group with fewer members than clusters leaves one without it: the balance is then 0.
  if (auto warning = data::small_groups_warning(*dataset, problem.clusters())) {
    forecast.warnings.push_back(*std::move(warning));
  }
  return forecast;
}

sweep::TaskResult ClusteringExperiment::run(const parallel::Comm& team, const sweep::Task& task,
                                            const sweep::RunContext& context) const {
  std::optional<clustering::Problem> problem;
  parallel::agree(team, "",
                  [&] { problem.emplace(make_problem(task, *load_data(task, context))); });
  const auto options = sweep::read_section<clustering::SafairFrontOptions>(task, task.method);
  const std::optional<clustering::FrontState> state = checkpoint_of(team, context);
  clustering::FrontControl control = control_of(context);
  control.observer = observer_of(team, context, options.iterations);
  if (state) control.resume = &*state;
  auto front =
      clustering::safairkm_front(team, *problem, options, seed_of(task), task.key, control);
  if (front.stop == clustering::FrontStop::interrupted) throw sweep::TaskInterrupted();
  if (!team.is_root()) return {};
  return result_of(*problem, std::move(front));
}

}  // namespace fairfront::experiments
