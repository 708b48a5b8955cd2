#include "solvers/regression/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "optimise/decomposition.hpp"
#include "solvers/regression/free_tilts.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double repair_ridge = 1e-14;       ///< relative to each coordinate's curvature
constexpr int repair_rounds = 3;             ///< after which rounding is what is left
constexpr double repaired = 1e-12;           ///< of gaps
constexpr Index most_repaired = 4096;        ///< unknowns
constexpr double most_moved = 1e-3;          ///< of a softmax, to what stands for it
constexpr double infeasible_beyond = 1e-12;  ///< rounding of a mean of tilts

/// Of a prediction within the bounds: what its gaps use of them, and its risk.
struct Inside {
  std::vector<double> used;  ///< shape (K,): the same for all atoms
  double risk = 0;
};

Inside prediction_inside(const ParityDual& dual) {
  const PredictedRows& rows = dual.rows();
  const std::vector<double> atoms = dual.grid().values();
  Inside result{least_epsilons(rows, dual.grid(), dual.bound()), 0};
  std::vector<double> risks(atoms.size(), 0.0);
  for (const double eta : rows.eta) {
    for (std::size_t l = 0; l < atoms.size(); ++l) {
      risks[l] += (eta - atoms[l]) * (eta - atoms[l]) / static_cast<double>(rows.rows());
    }
  }
  if (dual.bound() == ParityBound::cumulative) {
    const auto best = std::ranges::min_element(risks);
    result.risk = *best;
    // A constant's gaps are 0 below it and E t_s from there on, and of the last atom none counts.
    if (best == risks.end() - 1) std::ranges::fill(result.used, 0.0);
    return result;
  }
  for (const double risk : risks) result.risk += risk / static_cast<double>(atoms.size());
  return result;
}

/// How much of a prediction inside the bounds takes one with these gaps inside, too.
double share_inside(const ParityDual& dual, const Vector& gaps, const Inside& inside) {
  const Index of_block = dual.size() / dual.blocks();
  double share = 0;
  for (Index j = 0; j < dual.size(); ++j) {
    const double excess = std::abs(gaps[j]) - dual.weight()[j];
    if (excess <= kept_bound) continue;
    const auto group = static_cast<std::size_t>(dual.group_of_block(j / of_block));
    const double room = std::max(dual.weight()[j] - inside.used[group], 0.0);
    share = std::max(share, excess / (excess + room));
  }
  return share;
}

double risk_of(const ParityDual& dual, std::span<const double> pi) {
  const std::vector<double> atoms = dual.grid().values();
  double sum = 0;
  for (std::size_t i = 0; i < dual.rows().eta.size(); ++i) {
    for (std::size_t l = 0; l < atoms.size(); ++l) {
      const double error = dual.rows().eta[i] - atoms[l];
      sum += pi[i * atoms.size() + l] * (error * error);
    }
  }
  return sum / static_cast<double>(dual.rows().rows());
}

/// Rows of which every one adds up to 1.
std::vector<double> distributions(std::span<const double> pi, Index atoms) {
  std::vector<double> result(pi.begin(), pi.end());
  for (auto row = result.begin(); row != result.end(); row += atoms) {
    double sum = 0;
    for (auto p = row; p != row + atoms; ++p) sum += *p;
    for (auto p = row; p != row + atoms; ++p) *p /= sum;
  }
  return result;
}

double mean_difference(const ParityDual& dual, std::span<const double> a,
                       std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(dual.rows().rows());
}

/// Moves probabilities so that their gaps keep the bounds: by pi_il (<w_l, t_i> - mean), with the w
/// of a linear system, so that no probability gets below 0 where the excess is small beside what
/// there is to move. Whether all probabilities stayed at least 0; if not, pi is of no use.
bool move_inside(const ParityDual& dual, std::span<double> pi) {
  const Matrix system = dual.expand(dual.weighted_hessian(pi));
  const auto atoms = static_cast<std::size_t>(dual.grid().atoms());
  std::vector<double> zero(pi.size()), moved(pi.size());
  dual.score_rows(Vector::Zero(dual.size()), zero);
  Matrix ridged = system;
  ridged.diagonal() += repair_ridge * system.diagonal() +
                       Vector::Constant(dual.size(), std::numeric_limits<double>::min());
  const optimise::PivotedCholesky factors(std::move(ridged));
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> best;
  for (int round = 0; round <= repair_rounds; ++round) {
    const Vector gaps = dual.gaps(pi), weight = dual.weight();
    const double excess = (gaps.cwiseAbs() - weight).maxCoeff();
    if (!(excess < least)) break;  // w has grown where the system is singular
    least = excess;
    best.assign(pi.begin(), pi.end());
    if (excess <= repaired || round == repair_rounds) break;
    const Vector w = factors.solve(gaps.cwiseMax(-weight).cwiseMin(weight) - gaps);
    if (!w.allFinite()) break;
    dual.score_rows(w, moved);
    for (std::size_t begin = 0; begin < pi.size(); begin += atoms) {
      double mean = 0;
      for (std::size_t k = begin; k < begin + atoms; ++k) mean += pi[k] * (moved[k] - zero[k]);
      double sum = 0;
      for (std::size_t k = begin; k < begin + atoms; ++k) {
        pi[k] *= 1 + moved[k] - zero[k] - mean;
        sum += pi[k];
      }
      // 1 up to rounding, which is not small where w is large.
      for (std::size_t k = begin; k < begin + atoms; ++k) pi[k] /= sum;
    }
  }
  if (best.empty()) return false;
  std::ranges::copy(best, pi.begin());
  return std::ranges::all_of(pi, [](double p) { return p >= 0; });
}

/// The same where all gaps must be 0, by those of orthogonal tilts, in atoms.
bool move_to_parity(const ParityDual& dual, std::span<double> pi) {
  if (dual.weight().maxCoeff() > kept_bound) return false;
  const FreeTilts free = free_tilts(dual.rows(), dual.kept_groups());
  if (free.rank() == 0) return false;
  return move_inside(ParityDual(free.rows, dual.grid(), ParityBound::atom,
                                std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0)),
                     pi);
}

}  // namespace

double lower_bound(const ParityDual& dual, const Vector& v) {
  return -(dual.limit(v) + dual.weight().dot(v.cwiseAbs()));
}

std::vector<double> least_epsilons(const PredictedRows& rows, const Grid& grid, ParityBound bound) {
  std::vector<double> least = least_epsilon(rows, grid);
  if (bound == ParityBound::cumulative) {
    for (double& of_group : least) of_group *= static_cast<double>(grid.atoms());
  }
  return least;
}

std::optional<Infeasibility> infeasibility(const ParityDual& dual) {
  const std::vector<double> least = least_epsilons(dual.rows(), dual.grid(), dual.bound());
  for (std::size_t s = 0; s < least.size(); ++s) {
    if (dual.epsilon()[s] < least[s] - infeasible_beyond) {
      return Infeasibility{static_cast<std::int64_t>(s), least[s]};
    }
  }
  return std::nullopt;
}

std::string describe(const Infeasibility& what, double epsilon) {
  return fmt::format(
      "group {}: epsilon = {} is infeasible, no prediction is below {} on these rows", what.group,
      base::format_double(epsilon), base::format_double(what.least_epsilon));
}

Certificate certify(const ParityDual& dual, const Vector& v, double beta, Excess excess,
                    std::span<const double> near) {
  ParityDual::Evaluation at;
  dual.evaluate(v, beta, at);
  Certificate result;
  result.lower = lower_bound(dual, v);
  result.risk = dual.risk(v, beta);
  result.excess = std::max((at.gradient.cwiseAbs() - dual.weight()).maxCoeff(), 0.0);
  const Inside inside = prediction_inside(dual);
  const auto mix = [&](const Vector& gaps, double risk) {
    const double share = share_inside(dual, gaps, inside);
    const double upper = (1 - share) * risk + share * inside.risk;
    if (!(upper < result.upper)) return;
    result.upper = upper;
    result.share = share;
  };
  result.upper = std::numeric_limits<double>::infinity();
  mix(at.gradient, result.risk);
  if (result.share > 0 && near.size() == at.pi.size() && !near.empty()) {
    const std::vector<double> pi = distributions(near, dual.grid().atoms());
    if (mean_difference(dual, pi, at.pi) <= most_moved) mix(dual.gaps(pi), risk_of(dual, pi));
  }
  if (excess == Excess::mixed || result.share == 0 || at.pi.empty() || dual.size() > most_repaired)
    return result;
  for (const auto move : {move_inside, move_to_parity}) {
    std::vector<double> pi = at.pi;
    if (move(dual, pi)) mix(dual.gaps(pi), risk_of(dual, pi));
  }
  return result;
}

}  // namespace fairfront::regression
