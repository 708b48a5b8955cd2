/// @file
/// Measures of two models that say something of the same rows: by how much the gap of one is
/// larger.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/quantity.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// A gap of the first model less the same gap of the second one, below 0 where the first is fairer.
struct PairedMeasure {
  base::Quantity what;
  std::string gap;  ///< the measure of classification() that is compared
  /// Both samples have the same rows, labels and groups. Undefined where the gap is.
  std::function<Value(const Scored& first, const Scored& second)> of = nullptr;
  /// See paired_gap_interval.
  std::function<Interval(const Scored& first, const Scored& second, double level)> interval =
      nullptr;
};

/// Those of gaps whose rates are taken of the same rows for any decisions: of all rows, or of those
/// with one label. (The rows behind predictive values are different ones for two models.)
[[nodiscard]] std::span<const PairedMeasure> paired_measures();

}  // namespace fairfront::metrics
