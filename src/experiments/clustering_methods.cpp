#include "experiments/clustering_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "parallel/agree.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/minibatch_kmeans.hpp"
#include "solvers/clustering/safairkm.hpp"
#include "solvers/clustering/safairkm_front.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::experiments {
namespace {

using clustering::Problem;

std::uint64_t seed_of(const sweep::Task& task) {
  return static_cast<std::uint64_t>(base::parse_int64(task.values.at("seed")).value());
}

template <class Options>
Options options_for(const sweep::Task& task) {
  return sweep::read_section<Options>(task, task.method);
}

/// What every method leaves behind: its front (one point for methods with one clustering), the
/// labels of the points, and the numbers that sum a front up.
sweep::TaskResult result_of(const Problem& problem, std::vector<double> points,
                            std::vector<clustering::LabelVector> labels, double hypervolume) {
  sweep::TaskResult result;
  double best = problem.total_variance();
  result.metrics = {{"front_size", static_cast<double>(labels.size())},
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
    std::visit([&](auto& values) { result.solutions["labels"].emplace_back(std::move(values)); },
               of_point);
  }
  result.front = {std::move(points), problem.reference(), hypervolume};
  return result;
}

sweep::TaskResult result_of(const Problem& problem, clustering::Clustering found) {
  std::vector<clustering::Clustering> all;
  all.push_back(std::move(found));
  clustering::ClusteringFront front = front_of(problem, std::move(all));
  const double cost = front.points.front();
  const double balance = front.points.back();
  sweep::TaskResult result =
      result_of(problem, std::move(front.points), std::move(front.labels), front.hypervolume);
  result.metrics["cost"] = cost;
  result.metrics["balance"] = balance;
  return result;
}

/// Stops and checkpoints as the run loop wants.
std::function<clustering::RunWish()> wish_of(const sweep::RunContext& context) {
  using Clock = std::chrono::steady_clock;
  return [&context, last = Clock::now()]() mutable {
    if (context.stop_wanted && context.stop_wanted()) return clustering::RunWish::stop;
    // Ranks that save nothing have no wish: rank 0's clock decides.
    const std::chrono::duration<double> since = Clock::now() - last;
    if (!context.save_checkpoint || since.count() < context.checkpoint_seconds) {
      return clustering::RunWish::go_on;
    }
    last = Clock::now();
    return clustering::RunWish::checkpoint;
  };
}

void add_to_series(sweep::TaskResult& result, const char* name, std::int64_t step, double value) {
  result.series[name].steps.push_back(step);
  result.series[name].values.push_back(value);
}

/// A method without a team.
/// @param forecast, run, cost  what ClusteringMethod says, with the options already read.
template <class Options, class Forecast, class Run, class Cost>
ClusteringMethod local_method(std::string name, std::string title, std::string source,
                              Forecast forecast, Run run, Cost cost) {
  return {sweep::make_section<Options>(std::move(name), std::move(title), std::move(source), true),
          [forecast](const Problem& problem, const sweep::Task& task, std::int64_t /*ranks*/) {
            return forecast(problem, options_for<Options>(task));
          },
          [run](const parallel::Comm& /*team*/, const Problem& problem, const sweep::Task& task,
                const sweep::RunContext& context) {
            return run(problem, options_for<Options>(task), task, context);
          },
          [cost](const sweep::Task& task) { return cost(options_for<Options>(task)); }};
}

ClusteringMethod lloyd_method() {
  using Options = clustering::LloydOptions;
  return local_method<Options>(
      "lloyd", "Lloyd's k-means with restarts from k-means++ seeds: the cost alone", "Lloyd (1982)",
      [](const Problem& problem, const Options& options) {
        return ClusteringForecast{2 * clustering::problem_bytes(problem),
                                  static_cast<double>(options.restarts)};
      },
      [](const Problem& problem, const Options& options, const sweep::Task& task,
         const sweep::RunContext& /*context*/) {
        clustering::LloydResult found =
            clustering::lloyd(problem, options, seed_of(task), task.key);
        sweep::TaskResult result = result_of(problem, std::move(found.clustering));
        result.metrics["iterations"] = static_cast<double>(found.iterations);
        return result;
      },
      [](const Options& options) { return static_cast<double>(options.restarts); });
}

ClusteringMethod minibatch_method() {
  using Options = clustering::MinibatchOptions;
  return local_method<Options>(
      "minibatch_kmeans", "mini-batch k-means: the cost alone",
      "Liu and Vicente (2021), Algorithm 1",
      [](const Problem& problem, const Options& options) {
        validate_for(problem, options);
        return ClusteringForecast{2 * clustering::problem_bytes(problem), 1};
      },
      [](const Problem& problem, const Options& options, const sweep::Task& task,
         const sweep::RunContext& /*context*/) {
        sweep::TaskResult result = result_of(
            problem, clustering::minibatch_kmeans(problem, options, seed_of(task), task.key));
        result.metrics["iterations"] = static_cast<double>(options.iterations);
        return result;
      },
      [](const Options& options) {
        return static_cast<double>(options.iterations) * static_cast<double>(options.batch);
      });
}

ClusteringMethod safairkm_method() {
  using Options = clustering::SafairOptions;
  return local_method<Options>(
      "safairkm", "SAfairKM with one pair (n_a, n_b): k-means updates and balance swaps in turn",
      "Liu and Vicente (2021), Algorithm 2",
      [](const Problem& problem, const Options& options) {
        validate_for(problem, options);
        return ClusteringForecast{2 * clustering::problem_bytes(problem),
                                  static_cast<double>(options.iterations)};
      },
      [](const Problem& problem, const Options& options, const sweep::Task& task,
         const sweep::RunContext& /*context*/) {
        clustering::SafairResult found =
            clustering::safairkm(problem, options, seed_of(task), task.key);
        sweep::TaskResult result = result_of(problem, std::move(found.clustering));
        result.metrics["iterations"] = static_cast<double>(options.iterations);
        for (const clustering::SafairIteration& entry : found.trace) {
          add_to_series(result, "cost", entry.iteration, entry.cost);
          add_to_series(result, "balance", entry.iteration, entry.balance);
        }
        return result;
      },
      [](const Options& options) {
        const auto effort = options.effort();
        return static_cast<double>(options.iterations) *
               static_cast<double>(effort.kmeans + std::max<std::int64_t>(effort.swaps, 0));
      });
}

void add_weights(sweep::TaskResult& result, const std::vector<clustering::VfairWeight>& weights) {
  double iterations = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const clustering::VfairWeight& weight = weights[i];
    const auto step = static_cast<std::int64_t>(i);
    iterations += static_cast<double>(weight.outer_iterations);
    const std::array<std::pair<const char*, double>, 7> columns{
        {{"weight_mu", weight.mu},
         {"weight_cost", weight.cost},
         {"weight_balance", weight.balance},
         {"weight_objective", weight.objective},
         {"weight_outer_iterations", static_cast<double>(weight.outer_iterations)},
         {"weight_inner_iterations", static_cast<double>(weight.inner_iterations)},
         {"weight_refills", static_cast<double>(weight.refills)}}};
    for (const auto& column : columns) add_to_series(result, column.first, step, column.second);
  }
  result.metrics["iterations"] = iterations;
  result.metrics["candidates"] = static_cast<double>(weights.size());
}

ClusteringMethod vfairkm_method() {
  using Options = clustering::VfairOptions;
  return local_method<Options>(
      "vfairkm", "VfairKM: k-means with a Kullback-Leibler penalty, over a grid of its weights",
      "Ziko et al. (2021); Liu and Vicente (2021), section 4",
      [](const Problem& problem, const Options& options) {
        validate_for(problem, options);
        return ClusteringForecast{clustering::vfairkm_bytes(problem, options),
                                  static_cast<double>(options.mu_count)};
      },
      [](const Problem& problem, const Options& options, const sweep::Task& task,
         const sweep::RunContext& context) {
        std::int64_t done = 0;
        const auto observer = [&](const clustering::VfairWeight& weight) {
          ++done;
          if (!context.report) return;
          context.report({static_cast<double>(done) / static_cast<double>(options.mu_count),
                          fmt::format("weight {}/{}, cost {:.6g}, balance {:.4g}", done,
                                      options.mu_count, weight.cost, weight.balance)});
        };
        clustering::VfairResult found =
            clustering::vfairkm(problem, options, seed_of(task), task.key, observer);
        sweep::TaskResult result =
            result_of(problem, std::move(found.front.points), std::move(found.front.labels),
                      found.front.hypervolume);
        add_weights(result, found.weights);
        return result;
      },
      [](const Options& options) { return static_cast<double>(options.mu_count); });
}

ClusteringMethod balance_ladder_method() {
  using Options = clustering::BalanceLadderOptions;
  return local_method<Options>(
      "balance_ladder",
      "balance ladder: local search under a rising and falling floor on the balance",
      "this program; Hartigan and Wong (1979), Fraenti and Kivijaervi (2000)",
      [](const Problem& problem, const Options& options) {
        validate_for(problem, options);
        const std::int64_t ladder = 2 * (options.levels + 1) + options.bisections;
        const auto floors = static_cast<double>((options.starts + options.relocations) * ladder +
                                                options.sweeps * options.levels);
        return ClusteringForecast{clustering::balance_ladder_bytes(problem, options), floors};
      },
      [](const Problem& problem, const Options& options, const sweep::Task& task,
         const sweep::RunContext& context) {
        clustering::BalanceLadderControl control;
        control.wish = wish_of(context);
        control.save = context.save_checkpoint;
        std::optional<std::string> state;
        if (context.load_checkpoint) state = context.load_checkpoint();
        if (state) control.resume = &*state;
        control.observer = [&](const clustering::BalanceLadderStep& now) {
          if (!context.report) return;
          context.report({static_cast<double>(now.step) / static_cast<double>(now.steps),
                          fmt::format("step {}/{}, hypervolume {:.6g}", now.step, now.steps,
                                      now.hypervolume)});
        };
        clustering::BalanceLadderResult found =
            clustering::balance_ladder(problem, options, seed_of(task), task.key, control);
        if (found.interrupted) throw sweep::TaskInterrupted();
        sweep::TaskResult result =
            result_of(problem, std::move(found.front.points), std::move(found.front.labels),
                      found.front.hypervolume);
        result.metrics["candidates"] = static_cast<double>(found.floors_tried);
        for (const clustering::BalanceLadderStep& step : found.trace) {
          add_to_series(result, "hypervolume", step.step, step.hypervolume);
        }
        return result;
      },
      [](const Options& options) {
        return static_cast<double>(options.starts * options.levels + options.relocations +
                                   options.sweeps * options.levels);
      });
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

clustering::FrontControl control_of(const sweep::RunContext& context) {
  clustering::FrontControl control;
  control.wish = wish_of(context);
  if (context.save_checkpoint) {
    control.save = [&context](const clustering::FrontState& state) {
      context.save_checkpoint(clustering::pack_state(state));
    };
  }
  return control;
}

sweep::TaskResult list_result_of(const Problem& problem, clustering::SafairFrontResult&& front) {
  sweep::TaskResult result =
      result_of(problem, std::move(front.points), std::move(front.labels), front.hypervolume);
  result.metrics["list_length"] = static_cast<double>(front.list_length);
  result.metrics["hypervolume_lost"] = front.hypervolume_lost;
  result.metrics["candidates"] = static_cast<double>(front.candidates);
  for (const clustering::FrontIteration& step : front.trace) {
    add_to_series(result, "list_length", step.iteration, static_cast<double>(step.list_length));
    add_to_series(result, "hypervolume", step.iteration, step.hypervolume);
  }
  return result;
}

/// Collective.
sweep::TaskResult run_list(const parallel::Comm& team, const Problem& problem,
                           const sweep::Task& task, const sweep::RunContext& context) {
  const auto options = options_for<clustering::SafairFrontOptions>(task);
  const std::optional<clustering::FrontState> state = checkpoint_of(team, context);
  clustering::FrontControl control = control_of(context);
  control.observer = observer_of(team, context, options.iterations);
  if (state) control.resume = &*state;
  auto front = clustering::safairkm_front(team, problem, options, seed_of(task), task.key, control);
  if (front.stop == clustering::FrontStop::interrupted) throw sweep::TaskInterrupted();
  if (!team.is_root()) return {};
  return list_result_of(problem, std::move(front));
}

double list_steps(const clustering::SafairFrontOptions& options) {
  return static_cast<double>(std::ssize(options.pairs) * options.replicas * options.iterations);
}

ClusteringMethod safairkm_front_method() {
  using Options = clustering::SafairFrontOptions;
  return {
      sweep::make_section<Options>("safairkm_front",
                                   "Pareto-front SAfairKM: a list of clusterings improved together",
                                   "Liu and Vicente (2021), Algorithms 2 and 3", true, true),
      [](const Problem& problem, const sweep::Task& task, std::int64_t ranks) {
        const auto options = options_for<Options>(task);
        clustering::validate_for(problem, options);
        return ClusteringForecast{clustering::safairkm_front_bytes(problem, options, ranks),
                                  list_steps(options) * static_cast<double>(options.list_budget)};
      },
      run_list, [](const sweep::Task& /*task*/) { return 1.0; }, true};
}

}  // namespace

std::span<const ClusteringMethod> clustering_methods() {
  static const std::vector<ClusteringMethod> methods{
      safairkm_front_method(), safairkm_method(), vfairkm_method(),
      balance_ladder_method(), lloyd_method(),    minibatch_method()};
  return methods;
}

const ClusteringMethod& clustering_method(const std::string& name) {
  for (const ClusteringMethod& method : clustering_methods()) {
    if (method.section.name == name) return method;
  }
  throw std::out_of_range(fmt::format("no clustering method '{}'", name));
}

}  // namespace fairfront::experiments
