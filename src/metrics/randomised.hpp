/// @file
/// Measures of randomised predictions: every row has a distribution over common atoms. Exact:
/// nothing is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/contrast.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/regression.hpp"

namespace fairfront::metrics {

/// What the measures need to know of the rows: sums over each group, which take no more memory for
/// more rows.
class AtomSums {
 public:
  /// @param atoms  shape (n,), ascending, in the target's unit.
  /// @throws std::invalid_argument  no atoms, atoms that do not ascend, `groups` below 1.
  AtomSums(std::vector<double> atoms, std::int64_t groups);

  /// Adds a row, or so many copies of it.
  /// @param pi  shape (n,): probabilities of the atoms; group in 0 .. groups-1.
  void add(std::span<const double> pi, double label, std::int32_t group, double copies = 1);
  /// Forgets all rows.
  void clear();

  [[nodiscard]] std::span<const double> atoms() const noexcept { return atoms_; }
  [[nodiscard]] std::int64_t groups() const noexcept { return std::ssize(rows_); }
  [[nodiscard]] double rows(std::size_t group) const { return rows_[group]; }
  [[nodiscard]] double squared_error(std::size_t group) const { return squared_error_[group]; }
  [[nodiscard]] double absolute_error(std::size_t group) const { return absolute_error_[group]; }
  [[nodiscard]] double target(std::size_t group) const { return target_[group]; }
  /// Of the rows' expected squared errors, absolute errors, and predictions; of the true targets.
  [[nodiscard]] const Moments& squared_errors(std::size_t group) const { return squared_[group]; }
  [[nodiscard]] const Moments& absolute_errors(std::size_t group) const { return absolute_[group]; }
  [[nodiscard]] const Moments& predictions(std::size_t group) const { return prediction_[group]; }
  [[nodiscard]] const Moments& targets(std::size_t group) const { return targets_[group]; }
  /// Of expected squared errors and true targets together.
  [[nodiscard]] const ErrorsAndTargets& errors_and_targets(std::size_t group) const {
    return both_[group];
  }
  /// Those of a group alone.
  [[nodiscard]] AtomSums of_group(std::size_t group) const;
  /// Shape (n,): sum of pi over the group's rows.
  [[nodiscard]] std::span<const double> mass(std::size_t group) const {
    return std::span{mass_}.subspan(group * atoms_.size(), atoms_.size());
  }

 private:
  std::vector<double> atoms_;
  std::vector<double> rows_, squared_error_, absolute_error_, target_;  ///< shape (groups,)
  std::vector<Moments> squared_, absolute_, prediction_, targets_;      ///< shape (groups,)
  std::vector<ErrorsAndTargets> both_;                                  ///< shape (groups,)
  std::vector<double> mass_;                                            ///< shape (groups, n)
};

/// A measure, as in regression(), of the sums over the rows.
struct RandomisedMeasure {
  base::Quantity what;
  Value (*of)(const AtomSums&) = nullptr;
  Interval (*interval)(const AtomSums&, double level) = nullptr;  ///< as Measure::interval
  bool may_resample = false;                                      ///< as Measure::may_resample
  bool of_each_group = false;                                     ///< as Measure::of_each_group
};

/// Those of regression(), with the same names and meaning, and atom_gap.
[[nodiscard]] std::span<const RandomisedMeasure> randomised_regression();

/// Largest |F_s - F| over the atoms for every group s, F of all rows: the unfairness of Chzhen,
/// Hebiri, Taturyan (2024), section 6. NaN for a group without rows.
[[nodiscard]] std::vector<double> kolmogorov_smirnov_of_groups(const AtomSums& sums);

/// The largest of them. Undefined if a group has no row.
[[nodiscard]] Value kolmogorov_smirnov_to_all(const AtomSums& sums);

/// Percentile intervals of every measure that may be resampled, as bootstrap_intervals: rows are
/// drawn with replacement, each with its distribution.
/// @param atoms          shape (n,), ascending.
/// @param probabilities  row-major, shape (N, n).
/// @param options        strata are none or group.
/// @throws std::invalid_argument  an option out of range, shapes that do not fit.
[[nodiscard]] std::vector<BootstrapInterval> bootstrap_intervals(
    std::span<const RandomisedMeasure> measures, std::span<const double> atoms,
    std::span<const double> probabilities, std::span<const double> label,
    std::span<const std::int32_t> group, std::int64_t groups, const BootstrapOptions& options,
    base::StreamKey key);

}  // namespace fairfront::metrics
