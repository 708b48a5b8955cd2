/// @file
/// The part of [measures] that compares predictions.score with predictions.reference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/predictions.hpp"
#include "experiments/remarks.hpp"
#include "metrics/paired_measure.hpp"

namespace fairfront::experiments {

/// What may be compared of any predictions: differences and p values, as columns.
[[nodiscard]] std::vector<metrics::Measure> compared_columns();

/// What is compared of one part.
struct Comparison {
  std::span<const metrics::Measure> measures;  ///< that are chosen, declared ones too
  std::span<const metrics::Value> values;      ///< of predictions.score
  metrics::Needs kind = metrics::Needs::score;
  /// What the reference is. Measures that it does not suit are not compared: decisions have no AUC.
  metrics::Needs reference_kind = metrics::Needs::score;
  /// The differences that the config declares.
  std::vector<metrics::AucSum> declared;
  /// Called before each measure, with the number of those done and of all.
  std::function<void(std::int64_t done, std::int64_t total)> before = nullptr;
};

/// Adds by how much each measure is larger than that of the reference on the same rows, by the same
/// threshold, with the interval, and the p values of the tests that there are. Nothing without a
/// reference that this threshold can decide, nor of a measure that is undefined of
/// predictions.score.
void add_comparison(sweep::TaskResult& result, Remarks& remarks, const Comparison& comparison,
                    const PredictionSample& sample, const MeasuresOptions& options,
                    std::string_view part);

/// A value, its interval, and why one of both is missing.
void add_measured(sweep::TaskResult& result, Remarks& remarks, const std::string& name,
                  std::string_view part, const metrics::Value& value,
                  const std::optional<metrics::Interval>& interval);

}  // namespace fairfront::experiments
