/// @file
/// Two models that say something of the same rows: the interval of the first one's number less the
/// second's, where each number is an estimate, or the largest of many contrasts of estimates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "metrics/contrast.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Covariances of J estimates of one model and the same J of another. Estimates e and f are of
/// rows that both have only where e and f leave the same rest by the number of blocks: with a block
/// for every group, estimate e is of group e % groups.
class JointCovariance {
 public:
  JointCovariance(std::size_t estimates, std::size_t blocks)
      : blocks_{blocks},
        in_block_{estimates / blocks},
        values_(blocks * 4 * in_block_ * in_block_, 0.0) {}

  /// Of estimates of one block. @param of_a, of_b  0: of the first model, 1: of the second.
  [[nodiscard]] double& at(std::size_t a, int of_a, std::size_t b, int of_b) {
    return values_[place(a, of_a, b, of_b)];
  }
  /// Of any two estimates: 0 where they share no rows.
  [[nodiscard]] double of(std::size_t a, int of_a, std::size_t b, int of_b) const {
    return a % blocks_ == b % blocks_ ? values_[place(a, of_a, b, of_b)] : 0.0;
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t a, int of_a, std::size_t b, int of_b) const {
    const std::size_t row = static_cast<std::size_t>(of_a) * in_block_ + a / blocks_;
    const std::size_t column = static_cast<std::size_t>(of_b) * in_block_ + b / blocks_;
    return (a % blocks_ * 2 * in_block_ + row) * 2 * in_block_ + column;
  }

  std::size_t blocks_;
  std::size_t in_block_;
  std::vector<double> values_;
};

/// The same numbers of both models, estimated from the same rows.
struct PairedEstimates {
  std::array<std::vector<Estimate>, 2> of_model;  ///< (J,) each
  JointCovariance covariance;
  /// (J,) of freedom of the estimates' variances, for Student's quantiles; empty: the normal one's.
  std::vector<double> degrees{};
  /// (J,) what the squared error of one model's estimate is at least in a difference of two models,
  /// so that few rows which all agree leave some doubt; empty: 0.
  std::vector<double> least{};
  /// Whether only covariances of an estimate with the same one of the other model are known: then
  /// others are taken as the worst that they can be.
  bool of_same_alone = false;
};

/// The variance of a sum of n squares of deviations from a mean, estimated from the sum of their
/// fourth powers: of normal ones 2 sum^2 / (n - 1) is expected.
[[nodiscard]] double squares_spread(double fourth_powers, double squares, double rows) noexcept;

/// Degrees of freedom of a variance: 2 V^2 / its variance (Satterthwaite, 1946), 1 .. `most`, and
/// `most` where V is 0.
[[nodiscard]] double degrees_of_variance(double variance, double spread, double most) noexcept;

/// value = weight_0 estimate_0 + weight_1 estimate_1, or a number that moves so with its estimates.
struct PairedContrast {
  double value = 0;
  std::array<std::uint32_t, 2> estimate{};
  std::array<double, 2> weight{};  ///< 0: there is no such estimate
};
/// Of the first model and of the second.
using PairedContrasts = std::array<std::vector<PairedContrast>, 2>;

/// estimate_a - estimate_b over all ordered pairs of the groups, for every rate: estimate
/// e = rate * groups + group.
[[nodiscard]] PairedContrasts paired_differences(const PairedEstimates& estimates,
                                                 std::size_t groups);
/// sign * estimate.
[[nodiscard]] PairedContrasts paired_values(const PairedEstimates& estimates, double sign = 1);
/// The estimates and their negatives.
[[nodiscard]] PairedContrasts paired_absolute_values(const PairedEstimates& estimates);

/// The interval of the first model's largest contrast less the second's. With K_1 and K_2 the
/// contrasts that can be the largest at an error of alpha / 40 each, the upper end is
///
///     max over k in K_1 of min over l in K_2 of theta_1k - theta_2l + c s_kl,
///
/// c the normal quantile at the tail (alpha / 2 - alpha / 20) / |K_2|, and s_kl the standard error
/// of the difference with the covariances of both models, each estimate's in proportion to
/// Student's quantile where it has degrees of freedom. The biases that an estimate may have are
/// added. The lower end is that of the models in the other order, negated. A single contrast each
/// leaves nothing to choose: then the tail is alpha / 2. O(K_1 K_2) at most, O(K log K) where few
/// contrasts can decide.
[[nodiscard]] Interval paired_interval_of_largest(
    const PairedEstimates& estimates, const PairedContrasts& contrasts, double level,
    double lowest = -std::numeric_limits<double>::infinity(),
    double highest = std::numeric_limits<double>::infinity());

}  // namespace fairfront::metrics
