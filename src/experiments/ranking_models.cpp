#include "experiments/ranking_models.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "experiments/ranking_results.hpp"
#include "models/rows.hpp"

namespace fairfront::experiments {

sweep::Work rows_scored(const RankingProblem& problem, double rows) {
  const auto measured = static_cast<double>(problem.set->set.rows);
  return {task_bytes(problem), rows + measured, "rows scored"};
}

sweep::Work rows_of_steps(const RankingProblem& problem, double steps, double rows_of_step,
                          std::int64_t look_every) {
  const auto rows = static_cast<double>(problem.validation.rows.size());
  const double looks = look_every > 0 ? steps / static_cast<double>(look_every) : 0;
  return rows_scored(problem, steps * rows_of_step + looks * rows);
}

sweep::Work with_network(sweep::Work work, const NetworkModelOptions& options) {
  // Measured on COMPAS, a9a and synthetic rows with 2, 10 and 50 units.
  work.amount *= 1.5 + 0.1 * static_cast<double>(options.hidden_units);
  return work;
}

void add_kappa(base::OptionTable& table, double& kappa) {
  table.add("kappa", kappa, base::Range<double>{}, "",
            "The surrogate constraints are f1, f2 <= 1 + kappa with this kappa, which must be "
            "above 2 scale margin^2 - 1.");
  table.assign_role(base::Role::trade_off, {"kappa"});
}

void check_kappa(const RankingProblem& problem, std::string_view method, double kappa) {
  const double least = problem.exact.losses().surrogate().infeasible_kappa();
  if (kappa > least) return;
  throw base::InputError(fmt::format(
      "{}.kappa = {}: no score is feasible up to 2 scale margin^2 - 1 = {}", method, kappa, least));
}

namespace {
constexpr const char* of_many_groups =
    "[unconstrained_auc], [exact_auc], [sfls] and [iqrc] take more";
}

void check_one_comparison(const RankingProblem& problem, std::string_view method) {
  if (problem.compared.size() == 1) return;
  throw base::InputError(
      fmt::format("[{}] takes one comparison, and ranking.metric makes {} of {} groups; {}", method,
                  problem.compared.size(), problem.groups(), of_many_groups));
}

void check_two_groups(const RankingProblem& problem, std::string_view method) {
  if (problem.groups() == 2) return;
  throw base::InputError(fmt::format("[{}] takes two groups, and data.sensitive makes {}; {}",
                                     method, problem.groups(), of_many_groups));
}

void add_looks(base::OptionTable& table, std::int64_t& look_every) {
  table.add(
      "look_every", look_every, base::at_least<std::int64_t>(0), "steps",
      "Every so many steps the iterate is tried on the validation part; with 0 only results are.");
}

void add_options(base::OptionTable& table, NetworkModelOptions& options) {
  table.add("hidden_units", options.hidden_units, base::between<std::int64_t>(1, 10'000), "",
            "The network's hidden layer has this many sigmoid units.");
  table.add("network_radius", options.radius, base::above(0.0), "",
            "The network's weights lie in a ball of this radius.");
}

ranking::SurrogateProblem<ranking::NetworkScores> NetworkModel::surrogate(double kappa) const {
  return {scores_, problem_.pairs,  problem_.exact.losses().surrogate(),
          kappa,   options_.radius, scores_.score_bound(options_.radius)};
}

ModelScores NetworkModel::scores() const {
  return {[this](const RankingPart& part, std::span<const double> w) {
            const data::Dataset& set = problem_.set->set;
            return scores_.scores_of(models::Rows(set.features, set.columns, part.rows), w);
          },
          {"score",
           {{"hidden", std::to_string(options_.hidden_units)},
            {"activation", "sigmoid"},
            {"centred", "mean"}}}};
}

std::vector<double> NetworkModel::start(std::uint64_t seed, const std::string& task_key) const {
  base::Stream stream({seed, task_key, "ranking/weights"}, 0);
  return scores_.initial_weights(stream);
}

ranking::SurrogateProblem<ranking::LinearScores> linear_surrogate(const RankingProblem& problem,
                                                                  double kappa) {
  return {problem.training, problem.pairs,   problem.exact.losses().surrogate(), kappa,
          problem.radius,   problem.interval};
}

}  // namespace fairfront::experiments
