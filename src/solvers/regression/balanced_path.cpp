#include "solvers/regression/balanced_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "models/kernels.hpp"
#include "optimise/l1_quadratic.hpp"
#include "solvers/common/eigen_state.hpp"
#include "solvers/common/stages.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::int64_t most_rows = 4000;
constexpr std::int64_t most_probabilities = 1 << 20;
constexpr std::int64_t most_steps = 30;
constexpr std::int64_t most_rising_steps = 18;
constexpr std::int64_t rows_of_window = 64;  ///< whose probabilities lie in the same atoms
constexpr double out_of_window = 1e-10;      ///< probability, of all these rows
constexpr double hardly_any_mass = 3e-4;     ///< share of the rows, times the size of their tilts
constexpr double in_balance = 1e-3;          ///< logarithm of a ratio of masses
constexpr double least_of_curvature = 1e-3;  ///< that the secant's may be
constexpr double most_of_curvature = 10;     ///< that the secant's may be
constexpr double first_beta_of_rise = 2;     ///< from 0 one step is near the optimum there
constexpr double most_of_rise = 4;           ///< by which a step raises beta
constexpr double reach_of_rise = 4;          ///< of steps at which beta may still be raised
constexpr double most_reach = 60;            ///< of steps towards the optimum
constexpr double surely_far = 0.5;           ///< norm, relative to the tilts' size
constexpr double undamped = 1e-13;           ///< relative to a bound on all curvatures
constexpr double weakly_damped = 1e-9;       ///< behind none
constexpr double fully_damped = 10;
constexpr double factor_of_damping = 16;
constexpr double pull = 1e-3;             ///< times the tolerance: keeps flat scores at 0
constexpr double inexactness = 0.3;       ///< of a step, relative to the gradient
constexpr double enough_decrease = 1e-4;  ///< of what a step promises
constexpr double shortest = 1e-3;         ///< part of a step
constexpr double noise_of_value = 1e-15;

/// A point with what is known there.
struct Met {
  Vector v;
  ParityDual::Evaluation at;
  double objective = 0;
  Vector subgradient;
  double norm = 0;
};

/// Mean over the rows whose tilts have one sign of their size times an atom's probability, and of
/// its square times that.
struct Mass {
  double first = 0, second = 0;
  Mass& operator+=(const Mass& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// The tilts of the one block's group.
std::vector<double> tilts_of(const PredictedRows& rows, std::int64_t group) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    result.push_back(rows.tilts(i)[static_cast<std::size_t>(group)]);
  }
  return result;
}

/// Those with positive tilts before the others, and either by their predictions.
PredictedRows in_order(const PredictedRows& rows, std::int64_t group) {
  const std::vector<double> tilts = tilts_of(rows, group);
  std::array<std::vector<std::pair<double, std::size_t>>, 2> parts;
  for (std::size_t i = 0; i < tilts.size(); ++i) {
    parts[tilts[i] > 0 ? 0 : 1].emplace_back(rows.eta[i], i);
  }
  PredictedRows result{rows.groups, {}, {}, rows.shares};
  for (auto& part : parts) {
    std::ranges::sort(part);
    for (const auto& [eta, i] : part) {
      const auto tilt = rows.tilts(static_cast<std::int64_t>(i));
      result.eta.push_back(eta);
      result.tilt.insert(result.tilt.end(), tilt.begin(), tilt.end());
    }
  }
  return result;
}

/// The dual of rows in an order in which neighbours have their probabilities in the same atoms.
class OrderedDual {
 public:
  explicit OrderedDual(const ParityDual& dual)
      : rows_{in_order(dual.rows(), dual.group_of_block(0))},
        dual_{rows_, dual.grid(), dual.bound(), {dual.epsilon().begin(), dual.epsilon().end()}} {
    double squares = 0;
    for (const double tilt : tilts_of(rows_, dual_.group_of_block(0))) {
      if (tilt > 0) ++positive_;
      sizes_.push_back(std::abs(tilt));
      powers_.insert(powers_.end(), {std::abs(tilt), tilt * tilt});
      squares += tilt * tilt;
    }
    size_ = std::sqrt(squares / static_cast<double>(rows_.rows()));
  }
  OrderedDual(const OrderedDual&) = delete;
  OrderedDual& operator=(const OrderedDual&) = delete;

  [[nodiscard]] const ParityDual& dual() const { return dual_; }
  /// Root mean square of the tilts.
  [[nodiscard]] double size() const { return size_; }

  void evaluate(double beta, Met& point) const {
    dual_.evaluate(point.v, beta, point.at);
    point.objective = point.at.value + dual_.weight().dot(point.v.cwiseAbs());
    point.subgradient = optimise::shortest_subgradient(point.v, point.at.gradient, dual_.weight());
    point.norm = point.subgradient.norm();
  }

  /// The Hessian with secants for atoms that have hardly any mass.
  [[nodiscard]] Matrix curvature(const Met& point, double beta) const {
    const Index n = dual_.grid().atoms();
    Matrix sum = Matrix::Zero(n, n);
    const std::vector<Mass> positive = add_covariances(point, 0, positive_, sum);
    const std::vector<Mass> negative = add_covariances(point, positive_, rows_.rows(), sum);
    for (Index l = 0; l < n; ++l) {
      const auto at = static_cast<std::size_t>(l);
      sum(l, l) += positive[at].second + negative[at].second;
    }
    const Vector roots = roots_of_secants(point, positive, negative);
    sum.array().colwise() *= beta * roots.array();
    sum.array().rowwise() *= roots.transpose().array();
    return in_unknowns(std::move(sum));
  }

  /// By how much a move changes the logarithms of an atom's probabilities at most, as a root mean
  /// square over the rows, for beta = 1.
  [[nodiscard]] double largest_change(const Vector& move) const {
    double most = 0, score = 0;
    for (Index l = move.size() - 1; l >= 0; --l) {
      score = dual_.bound() == ParityBound::cumulative ? score + move[l] : move[l];
      most = std::max(most, std::abs(score));
    }
    return size_ * most;
  }

 private:
  /// Takes the mean of t^2 pi_l pi_m of some rows from `sum`. What rows have in a window of atoms
  /// is one product of matrices.
  std::vector<Mass> add_covariances(const Met& point, std::int64_t first_row, std::int64_t end_row,
                                    Matrix& sum) const {
    const Index n = dual_.grid().atoms();
    const double share = 1 / static_cast<double>(rows_.rows());
    std::vector<Mass> masses(static_cast<std::size_t>(n));
    std::vector<double> tilted(static_cast<std::size_t>(rows_of_window * n));
    Matrix of_rows(n, 2), products;
    for (std::int64_t row = first_row; row < end_row; row += rows_of_window) {
      const std::int64_t count = std::min(rows_of_window, end_row - row);
      const double* const pi = point.at.pi.data() + row * n;
      of_rows.setZero();
      models::add_outer_products(count, 2, n, powers_.data() + 2 * row, pi, of_rows.data());
      for (Index l = 0; l < n; ++l) {
        masses[static_cast<std::size_t>(l)] += {share * of_rows(l, 0), share * of_rows(l, 1)};
      }
      Index first = 0, end = n;
      while (first < n && of_rows(first, 0) <= out_of_window) ++first;
      while (end > first && of_rows(end - 1, 0) <= out_of_window) --end;
      const Index size = end - first;
      if (size == 0) continue;
      for (std::int64_t i = 0; i < count; ++i) {
        const double tilt = sizes_[static_cast<std::size_t>(row + i)];
        const double* const of_row = pi + i * n + first;
        double* const to = tilted.data() + i * size;
        for (Index l = 0; l < size; ++l) to[l] = tilt * of_row[l];
      }
      products.setZero(size, size);
      models::add_outer_products(count, size, size, tilted.data(), tilted.data(), products.data());
      sum.block(first, first, size, size) -= share * products;
    }
    return masses;
  }

  /// Of every atom the root of its secant's curvature over that of the tangent. Atoms with one
  /// score move together: those between bounds that bind, or a single one.
  [[nodiscard]] Vector roots_of_secants(const Met& point, const std::vector<Mass>& positive,
                                        const std::vector<Mass>& negative) const {
    const Index n = dual_.grid().atoms();
    const bool cumulative = dual_.bound() == ParityBound::cumulative;
    Vector roots = Vector::Ones(n);
    Mass above, below;
    double before = 0;
    for (Index l = 0, first = 0; l < n; ++l) {
      above += positive[static_cast<std::size_t>(l)];
      below += negative[static_cast<std::size_t>(l)];
      const bool last = l >= point.v.size();  // whose gap is that of all atoms, 0
      const bool binds = !last && point.v[l] != 0;
      if (cumulative && !last && !binds) continue;
      const double excess = last ? 0 : point.subgradient[l];
      if (cumulative || binds) {
        roots.segment(first, l + 1 - first)
            .setConstant(root_of_secant(above, below, excess - before));
      }
      if (cumulative) before = excess;
      first = l + 1;
      above = below = {};
    }
    return roots;
  }

  /// A score moves a e^(a' s) - b e^(-b' s) - excess, which is to be a constant: by the logarithm
  /// of what is there over what is wanted.
  [[nodiscard]] static double root_of_secant(const Mass& positive, const Mass& negative,
                                             double excess) {
    const double wanted = positive.first - negative.first - excess;
    const double a = positive.first + std::max(-wanted, 0.0);
    const double b = negative.first + std::max(wanted, 0.0);
    if (!(a > 0 && b > 0 && a + b <= hardly_any_mass)) return 1;
    const double log = base::log(a / b);
    if (!(std::abs(log) >= in_balance)) return 1;
    const double secant = (a - b) * (positive.second / a + negative.second / b) / log;
    return std::sqrt(std::clamp(secant / (positive.second + negative.second), least_of_curvature,
                                most_of_curvature));
  }

  /// Of the atoms' scores a quadratic form in the unknowns.
  [[nodiscard]] Matrix in_unknowns(Matrix form) const {
    if (dual_.bound() == ParityBound::atom) return form;
    const Index size = dual_.size();
    Matrix result = form.topLeftCorner(size, size);
    for (Index l = 1; l < size; ++l) result.col(l) += result.col(l - 1);
    for (Index c = 0; c < size; ++c) {
      for (Index l = 1; l < size; ++l) result(l, c) += result(l - 1, c);
    }
    return result;
  }

  PredictedRows rows_;
  ParityDual dual_;
  std::vector<double> sizes_;   ///< of the tilts
  std::vector<double> powers_;  ///< shape (N, 2): these and their squares
  std::int64_t positive_ = 0;   ///< rows with such tilts, which are the first
  double size_ = 0;
};

constexpr std::string_view name_of_path = "balanced path 1\n";

/// Of a run between two steps.
struct PathState {
  Vector v;
  double beta = 0;
  double damping = undamped;
  std::int64_t steps = 0, evaluations = 0;
};
template <solvers::MaybeConst<PathState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.v, self.beta, self.damping, self.steps, self.evaluations);
}

class BalancedPath {
 public:
  BalancedPath(const ParityDual& dual, double beta, const OptimumOptions& options)
      : dual_{dual},
        last_beta_{beta},
        options_{options},
        bound_{dual.curvature_bound()},
        pull_{dual.in_every_atom(Matrix::Constant(1, 1, pull * options.tolerance))} {}

  Optimum run(const solvers::Control& control) {
    Met now = control.resume ? restored(*control.resume) : from_zero();
    while (wants_step(now)) {
      const PathState before{now.v, beta_, damping_, steps_, evaluations_};
      const bool moved = solvers::make_step(
          control, [&] { return solvers::packed_state(name_of_path, before); },
          [&] { return beta_ < last_beta_ ? step_and_raise(now) : step(now); });
      ++steps_;
      if (!moved) break;
    }
    if (beta_ < last_beta_) evaluate(last_beta_, now);
    return {last_beta_,
            now.v,
            now.objective,
            now.norm,
            now.norm <= options_.tolerance,
            steps_,
            evaluations_ * dual_.dual().rows().rows()};
  }

 private:
  [[nodiscard]] bool wants_step(const Met& now) const {
    const bool rises = beta_ < last_beta_;
    return (rises || now.norm > options_.tolerance) &&
           steps_ < std::min(rises ? most_rising_steps : most_steps, options_.max_iterations);
  }
  Met from_zero() {
    Met now;
    now.v = Vector::Zero(dual_.dual().size());
    evaluate(last_beta_, now);
    if (last_beta_ > first_beta_of_rise && is_far(now)) evaluate(first_beta_of_rise, now);
    return now;
  }
  /// Whether a step from here would be longer than second derivatives can tell.
  [[nodiscard]] bool is_far(const Met& now) const {
    if (now.norm <= options_.tolerance) return false;
    if (now.norm > surely_far * dual_.size()) return true;
    return reach(target_of(now, dual_.curvature(now, beta_), undamped) - now.v) > most_reach;
  }

  /// Between the steps that the state was kept between.
  Met restored(const std::string& state) {
    PathState kept;
    solvers::unpack_whole_state(name_of_path, state, kept);
    if (kept.v.size() != dual_.dual().size() || kept.steps < 0 ||
        !(kept.beta > 0 && kept.beta <= last_beta_)) {
      throw base::CheckpointError("a checkpoint is of another dual or beta");
    }
    Met now;
    now.v = std::move(kept.v);
    evaluate(kept.beta, now);
    damping_ = kept.damping;
    steps_ = kept.steps;
    evaluations_ = kept.evaluations;
    return now;
  }

  void evaluate(double beta, Met& point) {
    beta_ = beta;
    dual_.evaluate(beta, point);
    ++evaluations_;
  }

  [[nodiscard]] double reach(const Vector& move) const {
    return beta_ * dual_.largest_change(move);
  }
  [[nodiscard]] Vector target_of(const Met& now, const Matrix& curvature, double damping) const {
    const double inner = std::min(inexactness, now.norm) * now.norm + 0.1 * options_.tolerance;
    return optimise::minimise_l1_quadratic(curvature + pull_ + damping * beta_ * bound_,
                                           now.at.gradient, dual_.dual().weight(), now.v, inner,
                                           {});
  }
  [[nodiscard]] static double raised(double damping) {
    return std::max(damping * factor_of_damping, weakly_damped);
  }

  /// A step at the present beta, which nothing checks but its reach, and the next beta.
  bool step_and_raise(Met& now) {
    const Matrix curvature = dual_.curvature(now, beta_);
    double damping = undamped;
    Vector target = target_of(now, curvature, damping);
    while (reach(target - now.v) > reach_of_rise && damping < fully_damped) {
      damping = raised(damping);
      target = target_of(now, curvature, damping);
    }
    const double factor = std::sqrt(reach_of_rise / reach(target - now.v));
    now.v = std::move(target);
    evaluate(std::min(beta_ * std::clamp(factor, 1.0, most_of_rise), last_beta_), now);
    return true;
  }

  /// One step that lowers the objective. False if there is none.
  bool step(Met& now) {
    const Matrix curvature = dual_.curvature(now, beta_);
    for (; damping_ <= fully_damped; damping_ = raised(damping_)) {
      const Vector move = target_of(now, curvature, damping_) - now.v;
      if (reach(move) > most_reach && raised(damping_) <= fully_damped) continue;
      const double length = search(now, move);
      if (length == 0) continue;
      if (length == 1) damping_ = std::max(damping_ / factor_of_damping, undamped);
      return true;
    }
    return false;
  }

  /// The length of the step that was made, 0 if none lowers the objective.
  double search(Met& now, const Vector& move) {
    const Vector& weight = dual_.dual().weight();
    const double promised =
        now.at.gradient.dot(move) + weight.dot((now.v + move).cwiseAbs() - now.v.cwiseAbs());
    const double noise = noise_of_value * (1 + std::abs(now.objective));
    for (double length = 1; length >= shortest; length /= 4) {
      trial_.v = now.v + length * move;
      evaluate(beta_, trial_);
      const double change = trial_.objective - now.objective;
      // Where the value no longer tells, the gradient does.
      const bool accept = change <= enough_decrease * length * promised - noise ||
                          (change <= 4 * noise && trial_.norm < 0.9 * now.norm);
      if (!accept) continue;
      std::swap(now, trial_);
      return length;
    }
    return 0;
  }

  OrderedDual dual_;
  double last_beta_;
  double beta_ = last_beta_;  ///< of the present point
  OptimumOptions options_;
  Matrix bound_, pull_;
  double damping_ = undamped;
  std::int64_t steps_ = 0, evaluations_ = 0;
  Met trial_;
};

}  // namespace

bool has_balanced_path(const ParityDual& dual) noexcept {
  const std::int64_t rows = dual.rows().rows();
  return dual.blocks() == 1 && rows < most_rows && rows * dual.grid().atoms() <= most_probabilities;
}

Optimum balanced_path(const ParityDual& dual, double beta, const OptimumOptions& options,
                      const solvers::Control& control) {
  return BalancedPath(dual, beta, options).run(control);
}

}  // namespace fairfront::regression
