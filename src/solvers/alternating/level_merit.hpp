/// @file
/// What the epsilon-constraint method minimises at one level.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "optimise/projected_lbfgs.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::alternating {

/// The objectives with counts of what was asked of them, a budget of gradients and the caller's
/// wishes.
/// @tparam M  how many objectives there are.
template <std::size_t M>
class Oracle {
 public:
  Oracle(const ObjectiveFunctions& problem, std::int64_t most_gradients,
         const solvers::Control& control)
      : problem_{problem}, most_{most_gradients}, heart_{control} {}

  [[nodiscard]] std::array<double, M> values(std::span<const double> x) {
    values_ += static_cast<std::int64_t>(M);
    std::array<double, M> all;
    for (std::size_t i = 0; i < M; ++i) all[i] = problem_.value(static_cast<std::int64_t>(i), x);
    return all;
  }
  void gradient(std::size_t objective, std::span<const double> x, std::span<double> out) {
    ++gradients_;
    problem_.gradient(static_cast<std::int64_t>(objective), x, out);
  }
  /// The differences whose squares are f_2 count as one of its values, and a gradient of them as
  /// one of its.
  [[nodiscard]] const ZeroDifferences& differences() const { return problem_.differences; }
  [[nodiscard]] std::span<const std::vector<double>> plain_points() const {
    return problem_.plain_points;
  }
  [[nodiscard]] double value_with_differences(std::span<const double> x, std::span<double> out) {
    values_ += 2;
    problem_.differences.values(x, out);
    return problem_.value(0, x);
  }
  void differences_gradient(std::span<const double> x, std::span<const double> factors,
                            std::span<double> out) {
    ++gradients_;
    problem_.differences.gradient(x, factors, out);
  }
  /// A gradient of every objective may be drawn. @throws solvers::Interrupted  the caller wants a
  /// stop.
  [[nodiscard]] bool may_go_on() {
    stop_point();
    return gradients_ + static_cast<std::int64_t>(M) <= most_;
  }
  /// Reports. @throws solvers::Interrupted  the caller wants a stop.
  void stop_point() {
    heart_.beat([&] { return solvers::progress("gradient", gradients_, most_); });
  }
  [[nodiscard]] const optimise::Box& box() const { return problem_.box; }
  [[nodiscard]] double convexity() const { return problem_.convexity; }
  [[nodiscard]] std::int64_t gradients() const { return gradients_; }
  [[nodiscard]] std::int64_t evaluations() const { return values_; }

  /// What was asked so far.
  struct Counts {
    std::int64_t gradients = 0, values = 0;
  };
  [[nodiscard]] Counts counts() const { return {gradients_, values_}; }
  void set_counts(const Counts& counts) {
    gradients_ = counts.gradients;
    values_ = counts.values;
  }

 private:
  const ObjectiveFunctions& problem_;
  std::int64_t most_;
  std::int64_t gradients_ = 0;
  std::int64_t values_ = 0;
  solvers::Heartbeat heart_;
};

/// weights^T f + (penalty / 2) c^2 with c = (f_level - target) / range: a weighted sum, or with the
/// multiplier / range as the weight of f_level an augmented Lagrangian. Draws both gradients.
class LevelMerit final : public optimise::BoxFunction {
 public:
  explicit LevelMerit(Oracle<2>& oracle) : oracle_{oracle}, other_(oracle.box().lower().size()) {}

  double value(std::span<const double> x) override {
    at_ = oracle_.values(x);
    const double violation = violation_at(at_);
    return weights[0] * at_[0] + weights[1] * at_[1] + 0.5 * penalty * violation * violation;
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    std::array<double, 2> factors = weights;
    factors[level] += penalty * violation_at(at_) / range;
    oracle_.gradient(0, x, out);
    oracle_.gradient(1, x, other_);
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = factors[0] * out[j] + factors[1] * other_[j];
    }
  }
  bool may_go_on() override { return oracle_.may_go_on(); }

  [[nodiscard]] double violation_at(const std::array<double, 2>& values) const {
    return (values[level] - target) / range;
  }

  std::array<double, 2> weights{1, 1};
  double penalty = 0;
  std::size_t level = 0;  ///< which objective the constraint is on
  double target = 0;
  double range = 1;

 private:
  Oracle<2>& oracle_;
  std::array<double, 2> at_{};
  std::vector<double> other_;
};

}  // namespace fairfront::alternating
