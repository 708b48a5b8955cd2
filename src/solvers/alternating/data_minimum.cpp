#include "solvers/alternating/data_minimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "optimise/projected_newton.hpp"
#include "pareto/front.hpp"

namespace fairfront::alternating {
namespace {

constexpr double vanishing_weight = 1e-6;  // of f_1 at the end of f_2, in units of the ranges

/// S(w, weights) and what Newton's method asks of it.
class WeightedSum final : public optimise::ConvexFunction {
 public:
  WeightedSum(const DataProblem& problem, std::span<const double> weights)
      : problem_{problem}, weights_{weights}, one_(problem.box().lower().size()) {}

  [[nodiscard]] double value(std::span<const double> w) override {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] != 0) evaluations_ += problem_.rows_of_value(static_cast<std::int64_t>(i));
    }
    return scalarised(problem_, weights_, w);
  }
  void gradient(std::span<const double> w, std::span<double> out) override {
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0) continue;
      ++gradients_;
      evaluations_ += problem_.rows_of_gradient(static_cast<std::int64_t>(i));
      problem_.gradient(static_cast<std::int64_t>(i), w, one_);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += weights_[i] * one_[j];
    }
  }
  [[nodiscard]] double convexity() const { return problem_.convexity(weights_); }
  [[nodiscard]] Eigen::MatrixXd hessian(std::span<const double> w) override {
    const auto n = static_cast<Eigen::Index>(w.size());
    Eigen::MatrixXd matrix(n, n);
    problem_.hessian(weights_, w, {matrix.data(), w.size() * w.size()});
    return matrix;
  }
  [[nodiscard]] std::int64_t gradients() const { return gradients_; }
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

 private:
  const DataProblem& problem_;
  std::span<const double> weights_;
  std::vector<double> one_;
  std::int64_t gradients_ = 0, evaluations_ = 0;
};

/// The front of a convex problem, each point the minimum of a weighted sum. Beside such a minimum
/// no point is better in one objective by more than the gap and no worse in the other.
class CertifiedFront {
 public:
  CertifiedFront(const DataProblem& problem, const FrontPrecision& wanted)
      : problem_{problem}, wanted_{wanted} {}

  void build(const std::vector<TracedPoint>& traced) {
    Proven first = minimum_at({1, 0}, traced.front().x);
    least_[0] = first.point.values[0] - first.gap;
    Proven last = end_of_second(first.point, traced.back());
    const std::array ranges = ranges_between(first.point, last.point);
    points_.push_back(std::move(first));
    // Those past an end have no multiplier with the sign of a front's slope.
    for (const TracedPoint& point : traced) {
      const double one = point.weights[0] * ranges[0];
      const double other = point.weights[1] * ranges[1];
      if (std::min(one, other) <= vanishing_weight * std::max(one, other)) continue;
      points_.push_back(minimum_at(point.weights, point.x));
    }
    points_.push_back(std::move(last));
    keep_nondominated();
    close_gaps();
  }

  [[nodiscard]] std::int64_t gradients() const { return gradients_; }
  [[nodiscard]] FrontProof proof() const {
    FrontProof proof;
    for (const Proven& proven : points_) {
      const double bound = bound_of(proven);
      proof.unproven += !(bound <= wanted_.gap);
      proof.largest = std::max(proof.largest, bound);
    }
    proof.evaluations = evaluations_;
    return proof;
  }
  [[nodiscard]] std::vector<TracedPoint> take_points() {
    std::vector<TracedPoint> points;
    for (Proven& proven : points_) points.push_back(std::move(proven.point));
    return points;
  }

 private:
  struct Proven {
    TracedPoint point;
    double gap;  ///< certified, of its weighted sum
  };

  /// What no point may be better by in one objective and no worse in the other; at the first end in
  /// that one. Nor is one better than by what lies between the point and the least value.
  [[nodiscard]] double bound_of(const Proven& proven) const {
    double bound = 0;
    for (const std::size_t i : {0U, 1U}) {
      if (proven.point.weights[i] == 0) continue;
      const double rest = std::max(0.0, proven.point.values[i] - least_[i]);
      bound = std::max(bound, std::min(proven.gap / proven.point.weights[i], rest));
    }
    return bound;
  }

  /// An end, of one weight 0, is found as exactly as double precision allows: all along it a little
  /// of one objective stands for much of the other.
  Proven minimum_at(std::array<double, 2> weights, std::span<const double> start) {
    // A sum hides what the objective with the smaller weight lacks.
    const double smaller = std::ranges::min(weights);
    SumMinimum best = minimise_sum(problem_, weights, start, wanted_.gap * smaller);
    gradients_ += best.gradients;
    evaluations_ += best.evaluations + problem_.rows_of_value(0) + problem_.rows_of_value(1);
    const std::array values{problem_.value(0, best.w), problem_.value(1, best.w)};
    return {{std::move(best.w), values, weights}, best.certified_gap};
  }

  Proven point_at(std::vector<double> w) {
    evaluations_ += problem_.rows_of_value(0) + problem_.rows_of_value(1);
    const std::array values{problem_.value(0, w), problem_.value(1, w)};
    return {{std::move(w), values}, 0};
  }

  /// The second objective has many minimisers: its end of the front is that with the least first
  /// one, to which a vanishing weight of the first leads.
  Proven end_of_second(const TracedPoint& first, const TracedPoint& traced) {
    Proven last{traced, 0};
    // With w = 0 all scores are equal. In a large box, without regularisation, Newton steps from
    // afar may end above it.
    const Proven equal = point_at(std::vector<double>(traced.x.size(), 0.0));
    if (pareto::dominates(equal.point.values, traced.values)) last = equal;
    for (int pass = 0; pass < 2; ++pass) {  // ranges of the first are those of what was traced
      const auto [run, fall] = ranges_between(first, last.point);
      const double share = vanishing_weight * fall;
      last = minimum_at({share / (share + run), run / (share + run)}, last.point.x);
    }
    return last;
  }

  /// Of a front with these ends.
  static std::array<double, 2> ranges_between(const TracedPoint& first, const TracedPoint& last) {
    const auto positive = [](double range) { return range > 0 ? range : 1.0; };
    return {positive(last.values[0] - first.values[0]), positive(first.values[1] - last.values[1])};
  }

  void keep_nondominated() {
    pareto::Points values(2);
    for (const Proven& proven : points_) values.add(proven.point.values, values.size());
    const pareto::Front kept(values);
    std::vector<Proven> front;
    for (const std::uint64_t place : kept.points().origins()) {
      front.push_back(std::move(points_[place]));
    }
    points_ = std::move(front);
  }

  /// Between two neighbours: where the front's slope is the chord's.
  Proven between(const TracedPoint& left, const TracedPoint& right) {
    const double fall = left.values[1] - right.values[1];
    const double run = right.values[0] - left.values[0];
    std::vector<double> middle(left.x.size());
    for (std::size_t j = 0; j < middle.size(); ++j) middle[j] = 0.5 * (left.x[j] + right.x[j]);
    return minimum_at({fall / (fall + run), run / (fall + run)}, middle);
  }

  /// In units of the front's ranges.
  [[nodiscard]] double distance(const TracedPoint& a, const TracedPoint& b) const {
    const std::array ranges = ranges_between(points_.front().point, points_.back().point);
    const double first = (a.values[0] - b.values[0]) / ranges[0];
    const double second = (a.values[1] - b.values[1]) / ranges[1];
    return std::sqrt(first * first + second * second);
  }

  using Neighbours = std::pair<double, double>;  ///< their first objectives
  [[nodiscard]] Neighbours neighbours(std::size_t right) const {
    return {points_[right - 1].point.values[0], points_[right].point.values[0]};
  }

  /// The right end of the widest gap that is too wide and was not tried; 0: there is none.
  [[nodiscard]] std::size_t widest_gap_but(const std::set<Neighbours>& tried) const {
    std::size_t widest = 0;
    double size = wanted_.largest_gap;
    for (std::size_t k = 1; k < points_.size(); ++k) {
      const double apart = distance(points_[k - 1].point, points_[k].point);
      if (apart <= size || tried.contains(neighbours(k))) continue;
      size = apart;
      widest = k;
    }
    return widest;
  }

  /// Puts points between neighbours that are too far apart, the farthest first. A gap that would
  /// not become less by a hundredth stays.
  void close_gaps() {
    std::set<Neighbours> tried;
    while (const std::size_t k = widest_gap_but(tried)) {
      const TracedPoint& left = points_[k - 1].point;
      const TracedPoint& right = points_[k].point;
      Proven found = between(left, right);
      const TracedPoint& point = found.point;
      const bool inside =
          point.values[0] > left.values[0] && point.values[1] > right.values[1] &&
          std::max(distance(point, left), distance(point, right)) < 0.99 * distance(left, right);
      if (inside) {
        points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(k), std::move(found));
      } else {
        tried.insert(neighbours(k));
      }
    }
  }

  const DataProblem& problem_;
  FrontPrecision wanted_;
  std::array<double, 2> least_{};  ///< proven; no square is below 0
  std::vector<Proven> points_;     ///< by ascending f_1
  std::int64_t gradients_ = 0, evaluations_ = 0;
};

}  // namespace

std::optional<double> certified_gap(const DataProblem& problem, std::span<const double> weights,
                                    std::span<const double> w) {
  if (!problem.convex()) return std::nullopt;
  WeightedSum sum(problem, weights);
  std::vector<double> gradient(w.size());
  sum.gradient(w, gradient);
  return optimise::certified_gap(problem.box(), w, gradient, sum.convexity());
}

SumMinimum minimise_sum(const DataProblem& problem, std::span<const double> weights,
                        std::span<const double> start, double gap) {
  if (!problem.convex()) {
    throw std::invalid_argument("the minimum is found of convex problems: fairness = covariance");
  }
  if (std::ssize(start) > most_weights_of_minimum) {
    throw std::invalid_argument(
        fmt::format("the minimum of a sum of {} weights is not computed, of {} at most",
                    start.size(), most_weights_of_minimum));
  }
  WeightedSum sum(problem, weights);
  optimise::BoxMinimum found =
      optimise::minimise_in_box(sum, sum.convexity(), problem.box(), start, gap);
  return {std::move(found.x), found.certified_gap, sum.gradients(), sum.evaluations()};
}

FrontProof improve_front(const DataProblem& problem, EpsilonConstraintResult& traced,
                         const FrontPrecision& wanted) {
  CertifiedFront front(problem, wanted);
  front.build(traced.front);
  const FrontProof proof = front.proof();
  traced.gradients += front.gradients();
  traced.front = front.take_points();
  traced.open_gap = widest_gap(traced.front);
  traced.exhausted = false;
  return proof;
}

}  // namespace fairfront::alternating
