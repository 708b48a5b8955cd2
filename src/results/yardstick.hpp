/// @file
/// Trained fronts of error and a gap of rates beside a yardstick: what post-processing of the
/// unconstrained model reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// The method of experiment `training` whose fronts are the yardstick. Its decisions know the group
/// of a row, which those of other methods do not.
inline constexpr std::string_view yardstick_method = "postprocessing";

/// Error and gap of a classifier on the rows of a part. Where a ratio of rates is bounded its
/// distance from 1 stands for the gap.
struct ErrorAndGap {
  double error = 0;
  double gap = 0;
};

/// Least error of the yardstick at a gap: of its points and of draws of two of them. None at a gap
/// below all of its own, but for rounding: a bound of 0 is kept up to some 1e-16.
/// @param draws  whether a draw of two points has no larger gap than their gaps drawn: so it is of
///               differences of rates, not of ratios, for which points alone count.
[[nodiscard]] std::optional<double> yardstick_error(const std::vector<ErrorAndGap>& yardstick,
                                                    double gap, bool draws = true);

/// Of a part of the rows; means over the replicates.
struct BesideYardstick {
  std::string part;
  double hypervolume = 0;  ///< of error and gap, up to 1 each
  double yardstick = 0;    ///< the same of the yardstick
  std::int64_t points = 0;
  std::int64_t worse = 0;  ///< points with a larger error than the yardstick has at their gap
  double excess = 0;       ///< by how much at most

  /// Whether most of its points are worse. Hypervolumes also hang on how many bounds there are.
  [[nodiscard]] bool is_below() const noexcept { return 2 * worse > points; }
};

/// All tasks of a method that differ along trade-off and replicate axes alone.
struct ComparedFront {
  std::size_t first_task = 0;
  bool randomised = false;  ///< of the randomised classifiers beside the method's single ones
  std::string rate;         ///< that the method bounds, as the yardstick does
  std::string bound_of;     ///< and what of it: "gap", "ratio" or "worst_group"
  std::int64_t replicates = 0;
  BesideYardstick decides{};   ///< the part that decides
  BesideYardstick reported{};  ///< empty name: none is reported beside it
};

/// What of the rates a front's method bounds, such as "demographic_parity, ratio".
[[nodiscard]] std::string bounded_text(const ComparedFront& front);

/// Of every other method that bounds the same of a rate for which the yardstick is there, on the
/// same data and split, with the same shared options; empty for other experiments.
[[nodiscard]] std::vector<ComparedFront> compared_with_yardstick(const Content& content);

/// What is to be said of a front that is below the yardstick on one of both parts; else "".
[[nodiscard]] std::string remark_on(const ComparedFront& front, std::string_view method);

}  // namespace fairfront::results
