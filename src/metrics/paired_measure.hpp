/// @file
/// Measures of two models that say something of the same rows: by how much that of one is larger.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "metrics/auc.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// A measure of the first model less the same one of the second.
struct PairedMeasure {
  base::Quantity what;
  std::string measure;  ///< the name of what is compared
  /// Of the difference, at a level in (0, 1); both samples have the same rows, labels and groups.
  /// Undefined, with the reason, where one of the values is or no interval is known that holds.
  std::function<Interval(const Scored& first, const Scored& second, double level)> interval =
      nullptr;
};

/// The difference of the values of both. Undefined where one of them is.
[[nodiscard]] Value less_reference(const Value& first, const Value& second);

/// Of each measure of classification(), ranking() and regression(): NAME_less_reference. Rates,
/// losses, AUCs and what is taken of them by group have paired intervals (see paired_contrast.hpp);
/// for distances of distributions, whose differences no formula is known for, the interval is from
/// the first one's lower to the second one's upper end and the other way round, each of both at
/// half the error: it holds however the models depend on each other, and is wide.
[[nodiscard]] std::span<const PairedMeasure> paired_measures();

/// Of the differences of AUCs that a config declares; see declared_measures().
[[nodiscard]] std::vector<PairedMeasure> paired_declared_measures(
    const std::vector<AucSum>& differences);

/// A test that two models are equal in a measure.
struct PairedTest {
  base::Quantity what;  ///< a p value
  std::string measure;  ///< that is compared
  std::function<Value(const Scored& first, const Scored& second)> p_value = nullptr;
};

/// McNemar's exact test of errors, and that of DeLong, DeLong, Clarke-Pearson of AUCs. Of other
/// measures the interval is the test: it leaves out 0 where the difference is shown.
[[nodiscard]] std::span<const PairedTest> paired_tests();

}  // namespace fairfront::metrics
