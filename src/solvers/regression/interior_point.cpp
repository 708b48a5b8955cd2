#include "solvers/regression/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "solvers/regression/free_tilts.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Table = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double least_ridge = 1e-16;  ///< relative to each coordinate's curvature
constexpr double ridge_factor = 10;
constexpr double most_ridge = 1e-2;
constexpr double closest_to_bounds = 0.9995;  ///< share of the way there that a step goes
constexpr double shortest_step = 1e-8;        ///< with which nothing is gained any more
constexpr double feasible = 1e-8;             ///< of gaps and sums of probabilities
constexpr double far_from_best = 1e3;         ///< where rounding has taken over
constexpr std::int64_t patience = 4;          ///< steps without a better point
constexpr double binding = 0.05;              ///< share of a bound that is left
constexpr double rounding_of_means = 1e-12;   ///< of tilts
constexpr double vanishing = 1e-300;

std::span<const double> flat(const Table& table) {
  return {table.data(), static_cast<std::size_t>(table.size())};
}

/// What is kept above 0, and what moves with it; of every bound a slack and a multiplier on either
/// side. Without bounds, where gaps are 0, there are none of these.
struct State {
  Table pi, reduced;          ///< shape (N, n); reduced costs
  Vector row;                 ///< of each row's sum, shape (N,)
  Vector v;                   ///< shape (size,)
  Vector below, above;        ///< slack of gap >= -weight, of gap <= weight
  Vector of_below, of_above;  ///< multipliers: v = of_below - of_above
};

class Solver {
 public:
  Solver(const ParityDual& dual, const InteriorOptions& options)
      : dual_{dual},
        options_{options},
        count_{dual.rows().rows()},
        atoms_{dual.grid().atoms()},
        temperature_{std::isinf(options.beta) ? 0.0 : 1 / options.beta},
        bounded_{dual.weight().norm() > options.no_penalty && dual.weight().maxCoeff() > 0},
        scores_(count_, atoms_) {
    begin();
  }

  InteriorPoint run() {
    InteriorPoint result;
    double best = std::numeric_limits<double>::infinity();
    std::int64_t at_best = 0;
    for (double length = 1;; ++result.steps) {
      look();
      const double found = distance() + std::max(infeasibility(), 0.0);
      if (found < best) {
        best = found;
        at_best = result.steps;
        result.gap = distance();
        result.v = now_.v;
        result.active = multipliers();
      }
      const bool enough = distance() <= options_.tolerance && infeasibility() <= feasible;
      if (enough || result.steps >= options_.max_steps || length < shortest_step) break;
      const bool lost = found > far_from_best * best || result.steps - at_best >= patience;
      if (lost || !factorise()) break;
      length = step();
    }
    return result;
  }

 private:
  void begin() {
    now_.pi = Table::Constant(count_, atoms_, 1 / static_cast<double>(atoms_));
    now_.v = Vector::Zero(dual_.size());
    dual_.score_rows(now_.v, {scores_.data(), static_cast<std::size_t>(scores_.size())});
    losses_ = scores_;
    const double spread = scores_.maxCoeff() - scores_.minCoeff();
    now_.row = scores_.rowwise().maxCoeff().matrix().array() + 0.1 * spread + 0.05;
    now_.reduced = (-scores_).colwise() + now_.row.array();
    if (!bounded_) return;
    const Vector weight = dual_.weight();
    now_.below = now_.above = weight.cwiseMax(1e-3);
    const double target = mean_product() / static_cast<double>(count_);
    now_.of_below = target / now_.below.array();
    now_.of_above = target / now_.above.array();
  }

  [[nodiscard]] double mean_product() const { return (now_.pi * now_.reduced).mean(); }

  /// All residuals at the present point.
  void look() {
    dual_.score_rows(now_.v, {scores_.data(), static_cast<std::size_t>(scores_.size())});
    costs_ = (-scores_).colwise() + now_.row.array();
    if (temperature_ > 0) {
      for (Index i = 0; i < costs_.size(); ++i) {
        costs_.data()[i] += temperature_ * base::log(std::max(now_.pi.data()[i], vanishing));
      }
    }
    costs_ -= now_.reduced;
    sums_ = 1 - now_.pi.rowwise().sum();
    gaps_ = dual_.gaps(flat(now_.pi));
    if (!bounded_) return;
    to_above_ = dual_.weight() - gaps_ - now_.above;
    to_below_ = dual_.weight() + gaps_ - now_.below;
  }

  /// Sum of all products that are 0 at a solution, per row.
  [[nodiscard]] double products() const {
    double sum = (now_.pi * now_.reduced).sum() / static_cast<double>(count_);
    if (bounded_) sum += now_.below.dot(now_.of_below) + now_.above.dot(now_.of_above);
    return sum;
  }
  [[nodiscard]] double infeasibility() const {
    double most = sums_.abs().maxCoeff();
    if (!bounded_) return std::max(most, gaps_.cwiseAbs().maxCoeff());
    return std::max(most, (gaps_.cwiseAbs() - dual_.weight()).maxCoeff());
  }
  /// Products, and what dual residuals add to them.
  [[nodiscard]] double distance() const {
    return products() + (now_.pi * costs_.abs()).sum() / static_cast<double>(count_);
  }

  struct Products {
    Table of_pi;
    Vector of_below, of_above;
  };

  /// Of a step towards these values of the products.
  [[nodiscard]] State direction(const Products& wanted) const {
    State to;
    const Table constant = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * costs_;
    const Eigen::ArrayXd base = (constant.rowwise().sum() - sums_) / of_row_;
    const Table moved = constant - stiffness_.colwise() * base;
    const Vector own = dual_.gaps(flat(moved));
    Vector constant_v;
    if (bounded_) {
      constant_v =
          ((wanted.of_below - now_.of_below.cwiseProduct(to_below_)).array() / now_.below.array()) -
          ((wanted.of_above - now_.of_above.cwiseProduct(to_above_)).array() / now_.above.array());
      to.v = solve(constant_v.cwiseQuotient(softness_) - own);
    } else {
      to.v = solve(-gaps_ - own);
    }
    Table scores(count_, atoms_);
    change_of_scores(to.v, scores);
    to.row = (base + (stiffness_ * scores).rowwise().sum() / of_row_).matrix();
    const Table drift = (costs_ - scores).colwise() + to.row.array();
    to.pi = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * drift;
    to.reduced = (wanted.of_pi - now_.reduced * to.pi) / now_.pi;
    if (bounded_) {
      // From v, so that v = of_below - of_above holds whatever the system's rounding.
      const Vector gaps = (constant_v - to.v).cwiseQuotient(softness_);
      to.above = to_above_ - gaps;
      to.below = to_below_ + gaps;
      to.of_above =
          (wanted.of_above - now_.of_above.cwiseProduct(to.above)).cwiseQuotient(now_.above);
      to.of_below =
          (wanted.of_below - now_.of_below.cwiseProduct(to.below)).cwiseQuotient(now_.below);
    }
    return to;
  }

  /// <u_l, t_i> of a direction.
  void change_of_scores(const Vector& v, Table& scores) const {
    const std::span<double> to{scores.data(), static_cast<std::size_t>(scores.size())};
    dual_.score_rows(v, to);
    scores -= losses_;
  }

  [[nodiscard]] Vector solve(Vector right) const {
    for (Index j = held_; has_kernel() && j < right.size(); j += atoms_) right[j] = 0;
    Vector x = factors_.solve(right);
    x += factors_.solve(right - system_ * x);
    return x;
  }

  /// The system of a step. Whether rounding has left it a solution.
  bool factorise() {
    stiffness_ = now_.pi / (now_.reduced + temperature_);
    of_row_ = stiffness_.rowwise().sum();
    system_ = dual_.expand(dual_.weighted_hessian(flat(stiffness_)));
    if (bounded_) {
      softness_ = now_.of_below.cwiseQuotient(now_.below) + now_.of_above.cwiseQuotient(now_.above);
      system_.diagonal() += softness_.cwiseInverse();
    }
    // Without bounds the sum of v over the atoms is of no meaning: 0 where most of the weight is.
    if (has_kernel()) hold_heaviest_atom();
    Matrix ridged = system_;
    const Vector size = system_.diagonal().cwiseMax(vanishing);
    for (double ridge = least_ridge; ridge <= most_ridge; ridge *= ridge_factor) {
      base::stop_point();
      ridged.diagonal() = system_.diagonal() + ridge * size;
      factors_.compute(ridged);
      if (factors_.info() == Eigen::Success) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_kernel() const { return !bounded_ && dual_.bound() == ParityBound::atom; }
  void hold_heaviest_atom() {
    Index atom = 0;
    stiffness_.colwise().sum().maxCoeff(&atom);
    for (Index j = atom; j < system_.rows(); j += atoms_) {
      const double size = system_(j, j);
      system_.row(j).setZero();
      system_.col(j).setZero();
      system_(j, j) = std::max(size, vanishing);
    }
    held_ = atom;
  }

  double step() {
    const double before = products();
    Products wanted{-(now_.pi * now_.reduced), {}, {}};
    if (bounded_) {
      wanted.of_below = -now_.below.cwiseProduct(now_.of_below);
      wanted.of_above = -now_.above.cwiseProduct(now_.of_above);
    }
    const State predictor = direction(wanted);
    const auto [far, far_dual] = lengths(predictor, 1);
    const double share = products_after(predictor, far, far_dual) / before;
    const double centre = share * share * share * before / static_cast<double>(pairs());
    wanted.of_pi += centre * static_cast<double>(count_) - predictor.pi * predictor.reduced;
    if (bounded_) {
      wanted.of_below.array() += centre - predictor.below.array() * predictor.of_below.array();
      wanted.of_above.array() += centre - predictor.above.array() * predictor.of_above.array();
    }
    const State corrected = direction(wanted);
    const auto [primal, dual] = lengths(corrected, closest_to_bounds);
    move(corrected, primal, dual);
    return std::max(primal, dual);
  }

  /// Products, each of a row's counted N times.
  [[nodiscard]] Index pairs() const { return atoms_ * count_ + (bounded_ ? 2 * dual_.size() : 0); }

  /// How far primal and dual unknowns may go, at most 1; the same for both with an entropy, which
  /// ties them together.
  [[nodiscard]] std::pair<double, double> lengths(const State& to, double share) const {
    const auto furthest = [](const auto& at, const auto& by) {
      double length = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < at.size(); ++i) {
        if (by.data()[i] < 0) length = std::min(length, -at.data()[i] / by.data()[i]);
      }
      return length;
    };
    double primal = furthest(now_.pi, to.pi), dual = furthest(now_.reduced, to.reduced);
    if (bounded_) {
      primal = std::min({primal, furthest(now_.below, to.below), furthest(now_.above, to.above)});
      dual = std::min(
          {dual, furthest(now_.of_below, to.of_below), furthest(now_.of_above, to.of_above)});
    }
    if (temperature_ > 0) primal = dual = std::min(primal, dual);
    return {std::min(1.0, share * primal), std::min(1.0, share * dual)};
  }

  [[nodiscard]] double products_after(const State& to, double primal, double dual) const {
    double sum = ((now_.pi + primal * to.pi) * (now_.reduced + dual * to.reduced)).sum() /
                 static_cast<double>(count_);
    if (bounded_) {
      sum += (now_.below + primal * to.below).dot(now_.of_below + dual * to.of_below) +
             (now_.above + primal * to.above).dot(now_.of_above + dual * to.of_above);
    }
    return sum;
  }

  void move(const State& to, double primal, double dual) {
    now_.pi += primal * to.pi;
    now_.row += dual * to.row;
    now_.reduced += dual * to.reduced;
    now_.v += dual * to.v;
    if (!bounded_) return;
    now_.below += primal * to.below;
    now_.above += primal * to.above;
    now_.of_below += dual * to.of_below;
    now_.of_above += dual * to.of_above;
    now_.v = now_.of_below - now_.of_above;
  }

  /// v, 0 where neither bound binds.
  [[nodiscard]] Vector multipliers() const {
    if (!bounded_) return now_.v;
    Vector v = now_.v;
    for (Index j = 0; j < v.size(); ++j) {
      if (std::min(now_.below[j], now_.above[j]) > binding * dual_.weight()[j]) v[j] = 0;
    }
    return v;
  }

  const ParityDual& dual_;
  InteriorOptions options_;
  Index count_, atoms_;
  double temperature_;
  bool bounded_;
  State now_;
  Table scores_, losses_, costs_, stiffness_;  ///< losses: scores of v = 0
  Eigen::ArrayXd sums_, of_row_;
  Vector gaps_, to_below_, to_above_, softness_;
  Matrix system_;
  Index held_ = 0;  ///< atom
  Eigen::LLT<Matrix> factors_;
};

/// Whether every group's gaps must be 0, and can be: then those of atoms are 0 as well.
bool without_bounds(const ParityDual& dual, const InteriorOptions& options) {
  if (dual.weight().norm() > options.no_penalty) return false;
  const std::vector<double> least = least_epsilon(dual.rows(), dual.grid());
  return std::ranges::max(least) <= rounding_of_means;
}

}  // namespace

InteriorPoint interior_point(const ParityDual& dual, const InteriorOptions& options) {
  if (!(options.beta > 0)) throw std::invalid_argument("InteriorOptions::beta must be > 0");
  if (!(options.tolerance > 0)) {
    throw std::invalid_argument("InteriorOptions::tolerance must be > 0");
  }
  if (options.max_steps < 1) throw std::invalid_argument("InteriorOptions::max_steps must be >= 1");
  if (!without_bounds(dual, options)) {
    return Solver(dual, options).run();
  }
  // Gaps of 0 of every atom are those of the distribution function, and of any tilts that span
  // the groups': in directions that are orthogonal.
  const FreeTilts free = free_tilts(dual.rows(), dual.kept_groups());
  if (free.rank() == 0) return {Vector::Zero(dual.size()), Vector::Zero(dual.size()), 0, 0};
  const ParityDual smooth(free.rows, dual.grid(), ParityBound::atom,
                          std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
  InteriorPoint found = Solver(smooth, options).run();
  found.v = found.active = dual.of_atoms(map_blocks(free.to_groups, found.v));
  return found;
}

}  // namespace fairfront::regression
