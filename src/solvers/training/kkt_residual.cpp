#include "solvers/training/kkt_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "optimise/decomposition.hpp"
#include "solvers/training/stop_within.hpp"

namespace fairfront::training {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The residual as a function of the multipliers m = y+ - y-; at its minimum one of both sides of a
/// gap has none, so that the difference says all.
class MultiplierFit {
 public:
  MultiplierFit(const Derivatives& at, double delta, double least)
      : at_{at},
        delta_{delta},
        least_{least},
        gaps_{at.values.gaps.size()},
        n_{at.gradient.size()} {}

  /// Exact for one gap. Slow for gaps that depend on each other, such as those of three pairs.
  /// @return whether it has converged.
  bool descend_by_coordinates(std::vector<double>& m, std::vector<double>& rest) const {
    std::vector<double> squares(gaps_);
    for (std::size_t i = 0; i < gaps_; ++i) squares[i] = dot(row(i), row(i));
    const double tolerance = 1e-12 * std::sqrt(dot(at_.gradient, at_.gradient));
    // Of bounds with one side nothing follows the coordinates.
    const int most_sweeps = least_ < 0 ? 100 : 2000;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double moved = 0;
      for (std::size_t i = 0; i < gaps_; ++i) {
        const double wanted = squares[i] * m[i] - dot(row(i), rest);
        const double c = constraint(i, wanted);
        const double curvature = squares[i] + c * c;
        if (curvature == 0) continue;
        const double step = std::max(wanted / curvature, least_) - m[i];
        m[i] += step;
        const auto J = row(i);
        for (std::size_t j = 0; j < n_; ++j) rest[j] += step * J[j];
        moved = std::max(moved, std::abs(step) * std::sqrt(curvature));
      }
      if (moved <= tolerance) return true;
    }
    return false;
  }

  /// Newton's method on what is quadratic as long as no multiplier changes its sign, each step a
  /// least-squares problem of least norm: the gaps may depend on each other.
  void solve_by_signs(std::vector<double>& m) const {
    constexpr int most_steps = 50;
    for (int step = 0; step < most_steps; ++step) {
      const std::vector<double> target = least_squares(m);
      const double before = value(m);
      double length = 1;
      std::vector<double> next = target;
      while (value(next) > before && length > 1e-6) {
        length /= 2;
        for (std::size_t i = 0; i < gaps_; ++i) next[i] = m[i] + length * (target[i] - m[i]);
      }
      if (!(value(next) < before)) return;
      m = next;
    }
  }

  [[nodiscard]] std::vector<double> rest_of(std::span<const double> m) const {
    std::vector<double> rest = at_.gradient;
    for (std::size_t i = 0; i < gaps_; ++i) {
      const auto J = row(i);
      for (std::size_t j = 0; j < n_; ++j) rest[j] += m[i] * J[j];
    }
    return rest;
  }
  [[nodiscard]] double constraint(std::size_t i, double multiplier) const {
    return (multiplier > 0 ? at_.values.gaps[i] : -at_.values.gaps[i]) - delta_;
  }

 private:
  /// For one pass over it: a stop point for long ones.
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    stop_within(n_);
    return std::span(at_.jacobian).subspan(i * n_, n_);
  }

  [[nodiscard]] double value(std::span<const double> m) const {
    const std::vector<double> rest = rest_of(m);
    double sum = dot(rest, rest);
    for (std::size_t i = 0; i < gaps_; ++i) {
      const double product = m[i] * constraint(i, m[i]);
      sum += product * product;
    }
    return sum;
  }

  /// The minimum if every multiplier had the sign that it has in `m`.
  [[nodiscard]] std::vector<double> least_squares(std::span<const double> m) const {
    constexpr std::size_t many = 300, most_weights = 2000;
    return gaps_ > many && n_ <= most_weights ? least_squares_by_weights(m)
                                              : least_squares_by_gaps(m);
  }

  /// Where the gaps of many groups are far more than the weights, whose linear system this is: with
  /// C of the constraints, J'm + g = (I + J' C^-2 J)^-1 g. Constraints that are met to a ten
  /// millionth of the largest count as that.
  [[nodiscard]] std::vector<double> least_squares_by_weights(std::span<const double> m) const {
    std::vector<double> factors(gaps_);
    double largest = 0;
    for (std::size_t i = 0; i < gaps_; ++i) {
      factors[i] = constraint(i, m[i]);
      largest = std::max(largest, std::abs(factors[i]));
    }
    const double least = std::max(1e-7 * largest, 1e-150);
    const auto n = static_cast<Eigen::Index>(n_);
    Eigen::MatrixXd system = Eigen::MatrixXd::Identity(n, n);
    for (std::size_t i = 0; i < gaps_; ++i) {
      const double c = std::max(std::abs(factors[i]), least);
      factors[i] = 1 / (c * c);
      const Eigen::Map<const Eigen::VectorXd> J(row(i).data(), n);
      system.selfadjointView<Eigen::Lower>().rankUpdate(J, factors[i]);
    }
    const Eigen::Map<const Eigen::VectorXd> gradient(at_.gradient.data(), n);
    const Eigen::VectorXd rest = optimise::Cholesky(std::move(system)).solve(gradient);
    std::vector<double> found(gaps_);
    const std::span<const double> rest_values(rest.data(), n_);
    for (std::size_t i = 0; i < gaps_; ++i) found[i] = -factors[i] * dot(row(i), rest_values);
    return found;
  }

  [[nodiscard]] std::vector<double> least_squares_by_gaps(std::span<const double> m) const {
    const auto n = static_cast<Eigen::Index>(n_);
    const auto gaps = static_cast<Eigen::Index>(gaps_);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n + gaps, gaps);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + gaps);
    for (Eigen::Index i = 0; i < gaps; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto J = row(at);
      for (Eigen::Index j = 0; j < n; ++j) matrix(j, i) = J[static_cast<std::size_t>(j)];
      matrix(n + i, i) = constraint(at, m[at]);
    }
    for (Eigen::Index j = 0; j < n; ++j) right(j) = -at_.gradient[static_cast<std::size_t>(j)];
    const Eigen::VectorXd found = optimise::CompleteOrthogonal(std::move(matrix)).solve(right);
    return {found.begin(), found.end()};
  }

  const Derivatives& at_;
  double delta_;
  double least_;  ///< multiplier: 0 where bounds have one side
  std::size_t gaps_, n_;
};

}  // namespace

KktResidual kkt_residual(const Derivatives& at, double delta, bool has_one_side) {
  const double least = has_one_side ? 0 : -std::numeric_limits<double>::infinity();
  const MultiplierFit fit(at, delta, least);
  std::vector<double> m(at.values.gaps.size(), 0.0);
  std::vector<double> rest = at.gradient;
  if (!fit.descend_by_coordinates(m, rest) && !has_one_side) {
    fit.solve_by_signs(m);
    rest = fit.rest_of(m);
  }
  KktResidual found{std::sqrt(dot(rest, rest)), std::max(0.0, at.values.gap() - delta), 0, m};
  for (std::size_t i = 0; i < m.size(); ++i) {
    found.complementarity =
        std::max(found.complementarity, std::abs(m[i]) * std::abs(fit.constraint(i, m[i])));
  }
  return found;
}

}  // namespace fairfront::training
