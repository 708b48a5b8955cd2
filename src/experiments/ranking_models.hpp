/// @file
/// What the sections of the experiment `ranking` share: kappa, networks, work.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "experiments/ranking.hpp"
#include "experiments/ranking_selection.hpp"
#include "solvers/ranking/network_scores.hpp"
#include "solvers/ranking/score_rows.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// @param rows  that are scored beside those of the final measures.
[[nodiscard]] sweep::Work rows_scored(const RankingProblem& problem, double rows);
/// Of `steps` steps, and a look at the validation part every `look_every` of them.
/// @param rows_of_step  of the batch, and as many as what stands beside them takes.
[[nodiscard]] sweep::Work rows_of_steps(const RankingProblem& problem, double steps,
                                        double rows_of_step, std::int64_t look_every);

void add_kappa(base::OptionTable& table, double& kappa);
/// @throws base::InputError  nothing is feasible; it names the option of the method.
void check_kappa(const RankingProblem& problem, std::string_view method, double kappa);

/// @throws base::InputError  there are several comparisons, which `method` cannot have.
void check_one_comparison(const RankingProblem& problem, std::string_view method);
/// @throws base::InputError  there are more than two groups, which `method` cannot have.
void check_two_groups(const RankingProblem& problem, std::string_view method);

/// `look_every`: how often iterates are tried on the validation part.
void add_looks(base::OptionTable& table, std::int64_t& look_every);

enum class ModelKind { linear, network };

/// A network with one hidden layer of sigmoid units.
struct NetworkModelOptions {
  std::int64_t hidden_units = 10;
  double radius = 10;  ///< R of the ball of all its weights
};
void add_options(base::OptionTable& table, NetworkModelOptions& options);

/// The same of a network, in rows of a linear score.
[[nodiscard]] sweep::Work with_network(sweep::Work work, const NetworkModelOptions& options);

/// The rows and the network; what is made of it refers to it and to the problem.
class NetworkModel {
 public:
  NetworkModel(const RankingProblem& problem, const NetworkModelOptions& options)
      : problem_{problem}, options_{options}, scores_(problem.training, options.hidden_units) {}

  [[nodiscard]] ranking::SurrogateProblem<ranking::NetworkScores> surrogate(double kappa) const;
  [[nodiscard]] ModelScores scores() const;
  [[nodiscard]] std::vector<double> start(std::uint64_t seed, const std::string& task_key) const;

 private:
  const RankingProblem& problem_;
  const NetworkModelOptions& options_;
  ranking::NetworkScores scores_;
};

[[nodiscard]] ranking::SurrogateProblem<ranking::LinearScores> linear_surrogate(
    const RankingProblem& problem, double kappa);

}  // namespace fairfront::experiments
