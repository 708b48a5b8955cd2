#include "solvers/alternating/fair_end.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairfront::alternating {
namespace {

constexpr double first_fair_penalty = 10;  // in units of f_1 and of the root of f_2
constexpr double greatest_fair_penalty = 1e7;
constexpr int most_fair_updates = 40;
constexpr double descent_promise = 1e-13;  // of a step, in units of f_1
constexpr double sought = 1e-9;            // every difference, in units of the root of f_2

/// f_1 + multipliers^T d + (penalty / 2) |d|^2, d the differences, all in their units.
class FairMerit final : public optimise::BoxFunction {
 public:
  FairMerit(Oracle<2>& oracle, const FairEndUnits& units)
      : oracle_{oracle},
        first_{units.first},
        root_{std::sqrt(units.second)},
        at_(static_cast<std::size_t>(oracle.differences().count)),
        factors_(at_.size()),
        other_(oracle.box().lower().size()),
        multipliers_(at_.size()) {}

  double value(std::span<const double> x) override {
    double sum = oracle_.value_with_differences(x, at_) / first_;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      at_[k] /= root_;
      sum += (multipliers_[k] + 0.5 * penalty_ * at_[k]) * at_[k];
    }
    return sum;
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      factors_[k] = (multipliers_[k] + penalty_ * at_[k]) / root_;
    }
    oracle_.gradient(0, x, out);
    oracle_.differences_gradient(x, factors_, other_);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = out[j] / first_ + other_[j];
  }
  bool may_go_on() override { return oracle_.may_go_on(); }

  /// The largest difference where the value was last asked.
  [[nodiscard]] double violation() const {
    double largest = 0;
    for (const double difference : at_) largest = std::max(largest, std::abs(difference));
    return largest;
  }
  void update_multipliers() {
    for (std::size_t k = 0; k < at_.size(); ++k) multipliers_[k] += penalty_ * at_[k];
  }
  /// @return  whether it may become greater.
  bool raise_penalty() {
    if (penalty_ >= greatest_fair_penalty) return false;
    penalty_ *= 10;
    return true;
  }

 private:
  Oracle<2>& oracle_;
  double first_, root_;
  double penalty_ = first_fair_penalty;
  std::vector<double> at_, factors_, other_, multipliers_;
};

}  // namespace

std::optional<TracedPoint> fair_end(Oracle<2>& oracle, std::span<const double> start,
                                    const FairEndUnits& units, std::span<const double> widths,
                                    std::int64_t iterations) {
  FairMerit merit(oracle, units);
  optimise::ProjectedLbfgs descent(oracle.box(), {widths.begin(), widths.end()},
                                   {.iterations = iterations, .tolerance = descent_promise});
  std::vector<double> x(start.begin(), start.end());
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_fair_updates && oracle.may_go_on(); ++k) {
    const bool is_still = descent.minimise(merit, x);
    (void)merit.value(x);
    const double violation = merit.violation();
    if (is_still && violation <= sought) break;
    merit.update_multipliers();
    if (violation > 0.25 * last && merit.raise_penalty()) descent.forget();
    last = violation;
  }
  const auto values = oracle.values(x);
  if (!(values[1] <= 0.25 * fair_end_tolerance * units.second)) return std::nullopt;
  // A weighted sum has its minimum there only with all weight on f_2, whose slope is 0.
  return TracedPoint{std::move(x), values, {0, 1}};
}

}  // namespace fairfront::alternating
