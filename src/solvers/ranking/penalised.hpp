/// @file
/// Stochastic gradient steps on the surrogate of the AUC with a term for fairness: the methods that
/// Y. Yao, Q. Lin, T. Yang (2023) compare theirs with.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/network_scores.hpp"
#include "solvers/ranking/score_rows.hpp"

namespace fairfront::ranking {

struct DescentOptions {
  double step = 0.1;  ///< c: eta_t = c / sqrt(t + 1)
  std::int64_t steps = 50'000;
  std::int64_t batch = 100;  ///< rows of a step, drawn with replacement
};
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, DescentOptions& options);

struct ProxyLagrangianOptions {
  DescentOptions descent{};
  double level = 0.05;  ///< bound of the difference of AUCs, in [0, 1]
};

struct ProxyLagrangianResult {
  std::vector<double> w;                ///< the last iterate
  std::array<double, 2> multipliers{};  ///< of f1 and f2
};

/// The proxy-Lagrangian of A. Cotter et al. (2019), "Optimization with non-differentiable
/// constraints with applications to fairness, recall, churn, and other goals": a step of w descends
///
///     f0 + lambda_1 (f1 - 1 - kappa) + lambda_2 (f2 - 1 - kappa)
///
/// of the batch, where the multipliers go by what the constraints stand for, the AUCs of the batch:
/// lambda_i <- max(0, lambda_i + eta_t (+-(AUC_1 - AUC_2) - level)). A term whose sets are not all
/// in the batch is left out of the step. Has checkpoints. Local: never communicates.
/// @param start  shape (parameters,); is put onto the ball.
/// @param seed, task_key  address of the stream of rows.
/// @throws std::invalid_argument  an option or the problem out of range, a start of another size.
/// @throws std::domain_error  the iterates are not finite: the step is too long.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
template <ScoreRows Scores>
[[nodiscard]] ProxyLagrangianResult proxy_lagrangian(
    const SurrogateProblem<Scores>& problem, const ProxyLagrangianOptions& options,
    std::span<const double> start, std::uint64_t seed, const std::string& task_key,
    const solvers::Control& control = {}, const IterateWatch& watch = {});

struct CorrelationPenaltyOptions {
  DescentOptions descent{};
  double weight = 0.1;  ///< lambda >= 0
};

/// The penalty of A. Beutel et al. (2019), "Fairness in recommendation ranking through pairwise
/// comparisons": steps on f0 + lambda |corr(h, group)| of the batch. With lambda = 0 it is training
/// without fairness. A batch with one group alone has no penalty, one with one label alone no f0.
/// The rest is as for proxy_lagrangian(); kappa is not looked at. @return the last iterate
template <ScoreRows Scores>
[[nodiscard]] std::vector<double> correlation_penalty(
    const SurrogateProblem<Scores>& problem, const CorrelationPenaltyOptions& options,
    std::span<const double> start, std::uint64_t seed, const std::string& task_key,
    const solvers::Control& control = {}, const IterateWatch& watch = {});

/// |corr(score, group)| of rows; 0 where one of both is constant, or scores differ by less than
/// 2^-511. @param cells  of each row.
[[nodiscard]] double absolute_correlation(std::span<const double> score,
                                          std::span<const std::uint8_t> cells);
/// slopes += factor times its gradient.
void add_correlation_slopes(std::span<const double> score, std::span<const std::uint8_t> cells,
                            double factor, std::span<double> slopes);

/// The AUC of a few rows: ties one half, a row with itself counts. NaN if a set is empty.
/// O(n log n). @param cells  of each row.
[[nodiscard]] double auc_of(std::span<const double> score, std::span<const std::uint8_t> cells,
                            const PairSet& pair);

extern template ProxyLagrangianResult proxy_lagrangian(const SurrogateProblem<LinearScores>&,
                                                       const ProxyLagrangianOptions&,
                                                       std::span<const double>, std::uint64_t,
                                                       const std::string&, const solvers::Control&,
                                                       const IterateWatch&);
extern template ProxyLagrangianResult proxy_lagrangian(const SurrogateProblem<NetworkScores>&,
                                                       const ProxyLagrangianOptions&,
                                                       std::span<const double>, std::uint64_t,
                                                       const std::string&, const solvers::Control&,
                                                       const IterateWatch&);
extern template std::vector<double> correlation_penalty(const SurrogateProblem<LinearScores>&,
                                                        const CorrelationPenaltyOptions&,
                                                        std::span<const double>, std::uint64_t,
                                                        const std::string&, const solvers::Control&,
                                                        const IterateWatch&);
extern template std::vector<double> correlation_penalty(const SurrogateProblem<NetworkScores>&,
                                                        const CorrelationPenaltyOptions&,
                                                        std::span<const double>, std::uint64_t,
                                                        const std::string&, const solvers::Control&,
                                                        const IterateWatch&);

}  // namespace fairfront::ranking
