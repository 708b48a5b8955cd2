#include "solvers/training/gap_sqp.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/penalty_quadratic.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::span<const double> view(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
Vector own(std::span<const double> v) { return Eigen::Map<const Vector>(v.data(), std::ssize(v)); }

/// Scaled to a unit diagonal, so that units of features do not matter.
struct Scaled {
  Vector scale;
  Matrix matrix;
  explicit Scaled(const Matrix& of, const Vector& units) : scale{units} {
    matrix = scale.asDiagonal() * of * scale.asDiagonal();
  }
  [[nodiscard]] Matrix unscaled() const {
    const Vector inverse = scale.cwiseInverse();
    return inverse.asDiagonal() * matrix * inverse.asDiagonal();
  }
};

constexpr double least_share = 1e-9;  ///< of the largest eigenvalue: the least one

bool is_definite(const Matrix& matrix, double largest) {
  Matrix shifted = matrix;
  shifted.diagonal().array() -= least_share * largest;
  return optimise::Cholesky(std::move(shifted)).is_definite();
}

/// An orthonormal basis of the columns' span.
Matrix span_of(const Matrix& columns) {
  optimise::PivotedQr factor(columns);
  return factor.q(factor.rank(1e-9));
}

constexpr std::string_view name_of_state = "gap_sqp 2\n";

/// Of a search between two steps.
struct SearchState {
  std::vector<double> w, y;
  double cap = 1, damping = 0;
  int price_cuts = 0;
  std::int64_t steps = 0, passes = 0;
};
template <solvers::MaybeConst<SearchState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.y, self.cap, self.damping, self.price_cuts, self.steps, self.passes);
}

class Search {
 public:
  Search(CellLosses& losses, std::span<const double> start, const GapSqpOptions& options,
         const solvers::Control& control)
      : losses_{losses},
        options_{options},
        control_{control},
        heart_{control},
        w_{own(start)},
        cap_{options.price} {
    const auto q = static_cast<Index>(losses.num_gaps());
    const auto cells = static_cast<Index>(losses.num_slots() - 1);
    factors_.resize(q, cells);
    for (Index i = 0; i < q; ++i) {
      for (Index k = 0; k < cells; ++k) {
        factors_(i, k) = losses.problem().constraints.factor(i, k);
      }
    }
    y_ = Vector::Zero(q);
    units_ = losses.second_moments().diagonal();
    for (double& unit : units_) unit = unit > 0 ? 1 / std::sqrt(unit) : 1.0;
  }

  LocalOptimum run() {
    if (control_.resume) restore(*control_.resume);
    evaluate(w_);
    LocalOptimum found = measured();
    while (steps_ < options_.steps && !found.converged) {
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
      ++steps_;
      const bool moved = step();
      found = measured();
      if (!moved) break;
    }
    found.steps = steps_;
    found.passes = passes_;
    return found;
  }

 private:
  [[nodiscard]] std::string state() const {
    return solvers::packed_state(name_of_state, SearchState{{w_.begin(), w_.end()},
                                                            {y_.begin(), y_.end()},
                                                            cap_,
                                                            damping_,
                                                            price_cuts_,
                                                            steps_,
                                                            passes_});
  }
  void restore(const std::string& bytes) {
    SearchState kept;
    solvers::unpack_whole_state(name_of_state, bytes, kept);
    if (std::ssize(kept.w) != w_.size() || std::ssize(kept.y) != y_.size() || kept.steps < 0) {
      throw base::CheckpointError("a checkpoint is of another search within gaps");
    }
    w_ = own(kept.w);
    y_ = own(kept.y);
    cap_ = kept.cap;
    damping_ = kept.damping;
    price_cuts_ = kept.price_cuts;
    steps_ = kept.steps;
    passes_ = kept.passes - 1;  // the pass at w is made again
  }

  void evaluate(const Vector& w) {
    heart_.beat();
    ++passes_;
    losses_.evaluate(view(w));
  }

  /// A little inside, so that the end is feasible and not only nearly so; by how much, times a
  /// multiplier, is a residual of complementarity.
  void aim_within() {
    const double inside = 0.1 * options_.tolerance / std::max(1.0, largest_multiplier());
    aim_ = std::max(options_.delta - inside, 0.5 * options_.delta);
  }

  [[nodiscard]] double excess(const Vector& gaps) const {
    return (gaps.array().abs() - aim_).max(0.0).sum();
  }
  [[nodiscard]] double merit() const { return losses_.loss() + cap_ * excess(own(losses_.gaps())); }

  /// The Hessian of the Lagrangian, shifted where it is not positive definite. If no shift helps,
  /// that of its convex part: the linearised concave part lies above the concave one, so that
  /// steps are short but sure.
  [[nodiscard]] Matrix model() const {
    std::vector<double> weights = losses_.weights(view(y_));
    const std::vector<Matrix> hessians = losses_.hessians(view(w_));
    Scaled hessian(weighted_sum(hessians, weights), units_);
    Matrix& h = hessian.matrix;
    double largest = std::max(h.diagonal().cwiseAbs().maxCoeff(), 1e-300);
    h.diagonal().array() += damping_ * largest;
    if (is_definite(h, largest)) return hessian.unscaled();
    const Matrix active = active_directions();
    for (double shift = 0.1 * largest; active.cols() > 0 && shift < 1.1e3 * largest; shift *= 10) {
      const Matrix shifted = h + shift * active * active.transpose();
      if (!is_definite(shifted, largest)) continue;
      h = shifted;
      return hessian.unscaled();
    }
    for (double& weight : weights) weight = std::max(weight, 0.0);
    Scaled convex(weighted_sum(hessians, weights), units_);
    largest = std::max(convex.matrix.diagonal().maxCoeff(), 1e-300);
    convex.matrix.diagonal().array() += std::max(damping_, 1e-6) * largest;
    return convex.unscaled();
  }

  /// A basis of the scaled gradients of gaps with a multiplier.
  [[nodiscard]] Matrix active_directions() const {
    const double least = 1e-7 * y_.cwiseAbs().maxCoeff();
    std::vector<Index> active;
    for (Index i = 0; i < y_.size(); ++i) {
      if (std::abs(y_[i]) > least) active.push_back(i);
    }
    Matrix rows(y_.size() > 0 ? w_.size() : 0, std::ssize(active));
    for (Index a = 0; a < std::ssize(active); ++a) {
      rows.col(a) = units_.cwiseProduct(
          cell_gradients() * factors_.row(active[static_cast<std::size_t>(a)]).transpose());
    }
    return rows.cols() == 0 ? rows : span_of(rows);
  }

  [[nodiscard]] Matrix cell_gradients() const {
    return losses_.slot_gradients().rightCols(factors_.cols());
  }

  [[nodiscard]] double excess_of(const optimise::PenaltyQuadratic& quadratic,
                                 const optimise::PenaltyQuadraticResult& step) const {
    return excess(quadratic.d + quadratic.factors * (quadratic.gradients.transpose() * step.p));
  }

  /// @return false: nothing was better.
  bool step() {
    aim_within();
    const optimise::PenaltyQuadratic quadratic{own(losses_.gradient()),
                                               optimise::Cholesky(model()),
                                               own(losses_.gaps()),
                                               factors_,
                                               cell_gradients(),
                                               aim_,
                                               cap_};
    const optimise::PenaltyQuadraticResult to = optimise::minimise_penalty_quadratic(quadratic);
    if (!to.p.allFinite()) return false;
    y_ = to.multipliers;
    const double off = cap_ * excess(quadratic.d);
    const double promised = off - cap_ * excess_of(quadratic, to) - quadratic.g.dot(to.p);
    const bool moved = move(quadratic, to, promised);
    update_price(promised, off);
    return moved;
  }

  bool move(const optimise::PenaltyQuadratic& quadratic, const optimise::PenaltyQuadraticResult& to,
            double promised) {
    const Vector from = w_;
    const double before = merit();
    const double rounding = 1e-13 * std::abs(before);
    const auto is_better = [&](double share) {
      return merit() <= before - 1e-4 * share * promised + rounding;
    };
    evaluate(w_ = from + to.p);
    if (is_better(1)) return calm();
    // The bounds curve: correct the step by what they are off at its end.
    optimise::PenaltyQuadratic corrected = quadratic;
    corrected.d = own(losses_.gaps()) - factors_ * (quadratic.gradients.transpose() * to.p);
    const optimise::PenaltyQuadraticResult second = optimise::minimise_penalty_quadratic(corrected);
    if (second.p.allFinite()) {
      evaluate(w_ = from + second.p);
      if (is_better(1)) return calm();
    }
    for (double share = 0.5; share > 1e-3; share *= 0.5) {
      evaluate(w_ = from + share * to.p);
      if (is_better(share)) return true;
    }
    evaluate(w_ = from);
    damping_ = std::max(10 * damping_, 1e-4);
    return damping_ < 1e3;
  }

  /// Up where the search is nearly stationary but out of the bounds. Down, a few times, where the
  /// excess is much dearer than it need be: the merit follows every bend of the bounds then.
  void update_price(double promised, double off) {
    constexpr int most_cuts = 10;
    constexpr double most = 1e6;
    if (off > 0 && promised < 0.01 * off) {
      cap_ = std::min(4 * cap_, most);
    } else if (cap_ > 1 && largest_multiplier() < 0.1 * cap_ && price_cuts_ < most_cuts) {
      ++price_cuts_;
      cap_ = std::max(1.0, 4 * largest_multiplier());
    }
  }

  [[nodiscard]] double largest_multiplier() const { return y_.cwiseAbs().maxCoeff(); }
  bool calm() {
    damping_ = damping_ < 1e-4 ? 0 : 0.1 * damping_;
    return true;
  }

  [[nodiscard]] LocalOptimum measured() const {
    LocalOptimum at;
    at.w.assign(w_.begin(), w_.end());
    at.loss = losses_.loss();
    at.gaps.assign(losses_.gaps().begin(), losses_.gaps().end());
    at.multipliers.assign(y_.begin(), y_.end());
    for (std::size_t i = 0; i < at.gaps.size(); ++i) {
      const double y = at.multipliers[i];
      const double constraint = (y > 0 ? at.gaps[i] : -at.gaps[i]) - options_.delta;
      at.complementarity = std::max(at.complementarity, std::abs(y * constraint));
    }
    std::vector<double> gradient(losses_.gradient().begin(), losses_.gradient().end());
    losses_.add_pulled_back(at.multipliers, gradient);
    at.stationarity = largest_size(gradient);
    at.violation = std::max(largest_size(at.gaps) - options_.delta, 0.0);  // NaN stays
    at.converged =
        at.violation == 0 && std::max(at.stationarity, at.complementarity) <= options_.tolerance;
    return at;
  }

  CellLosses& losses_;
  const GapSqpOptions& options_;
  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  Vector w_, y_, units_;
  Matrix factors_;
  double aim_ = 0, cap_, damping_ = 0;
  int price_cuts_ = 0;
  std::int64_t steps_ = 0, passes_ = 0;
};

}  // namespace

LocalOptimum minimise_within_gaps(CellLosses& losses, std::span<const double> start,
                                  const GapSqpOptions& options, const solvers::Control& control) {
  return Search(losses, start, options, control).run();
}

}  // namespace fairfront::training
