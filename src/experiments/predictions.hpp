/// @file
/// Audit of the predictions of any model: no solver, only measures and thresholds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/raw_table.hpp"
#include "data/split.hpp"
#include "experiments/family.hpp"
#include "experiments/randomised_thresholds.hpp"
#include "metrics/declared_difference.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/threshold_front.hpp"

namespace fairfront::experiments {

/// What the audited column holds.
enum class PredictionKind { automatic, decision, score, probability, prediction };

/// The [predictions] section: what is audited.
struct PredictionsOptions {
  std::string score;      ///< a column of the data set
  std::string reference;  ///< another one, which is compared with; "": none
  PredictionKind kind = PredictionKind::automatic;
  std::vector<std::string> positive{};  ///< values that mean decision 1; empty: of numbers 1 alone
  double confidence = 0.95;             ///< of intervals of points of thresholds
};
[[nodiscard]] base::OptionTable options_of(PredictionsOptions& options);

/// Rows that are looked at together.
enum class AuditPart { all, train, validation, choice, test, none };

enum class IntervalKind { none, formula, bootstrap };

/// The [measures] section.
struct MeasuresOptions {
  std::vector<std::string> measures{"all"};  ///< names, or "all" that suit the predictions
  std::vector<std::string> parts{"auto"};    ///< see measured_parts()
  metrics::DeclaredDifference difference{};  ///< of AUCs, measured beside them
  double threshold = 0.5;                    ///< decided 1 from here on
  IntervalKind intervals = IntervalKind::formula;
  metrics::BootstrapOptions bootstrap{};  ///< its level is that of formulas, too
  std::int64_t bootstrap_seed = 1;
};
[[nodiscard]] base::OptionTable options_of(MeasuresOptions& options);

/// The [thresholds] section.
struct ThresholdsOptions {
  metrics::ThresholdGap gap = metrics::ThresholdGap::equalised_odds;
  AuditPart choose_on = AuditPart::validation;
  AuditPart report_on = AuditPart::test;
  metrics::ThresholdFrontOptions search{};
};
[[nodiscard]] base::OptionTable options_of(ThresholdsOptions& options);

/// The [drawn_thresholds] section.
struct DrawnThresholdsOptions {
  training::RateKind gap = training::RateKind::equalised_odds;
  AuditPart choose_on = AuditPart::validation;
  AuditPart report_on = AuditPart::test;
  std::int64_t slacks = 21;
};
[[nodiscard]] base::OptionTable options_of(DrawnThresholdsOptions& options);

/// Predictions of some rows, and what is true of them.
struct PredictedRows {
  std::vector<double> score;        ///< (n,) finite
  std::vector<double> reference;    ///< (n,) of another model; empty: none
  std::vector<double> label;        ///< (n,) 0 or 1; of kind prediction the real target
  std::vector<std::int32_t> group;  ///< (n,)
};

/// A view of such rows, which must outlive it.
struct PredictionSample {
  std::span<const double> score, label;
  std::span<const double> reference;  ///< as many, or none
  std::span<const std::int32_t> group;
  std::int64_t groups = 1;  ///< of all rows, also those without a row here

  [[nodiscard]] metrics::Scored view(double threshold) const {
    return {score, label, group, groups, threshold};
  }
  [[nodiscard]] metrics::Scored view_of_reference(double threshold) const {
    return {reference, label, group, groups, threshold};
  }
};

/// What is audited. Rows of parts stand one after the other, so that no task copies them.
struct Predictions {
  metrics::Needs kind = metrics::Needs::score;  ///< what the scores are; never `automatic`
  metrics::Needs reference_kind = metrics::Needs::score;  ///< of the reference, where there is one
  std::shared_ptr<const data::RawTable> table;  ///< score, and reference where there is one
  std::vector<std::string> group_names;
  std::array<PredictedRows, data::num_parts> parts;
  bool parted = false;  ///< the table has parts of its own, or the config asks for some
  std::array<bool, data::num_parts> of_training{};  ///< drawn of rows that the table calls training
  std::array<std::string, data::num_parts> lacking;  ///< warnings of groups or labels; empty: none
  std::string no_parts;  ///< why there are none, which matters to whoever looks at one; else empty

  [[nodiscard]] std::int64_t rows() const { return table->rows; }
  [[nodiscard]] bool has_rows(data::Part part) const {
    return !parts[static_cast<std::size_t>(part)].score.empty();
  }
};

/// Whether a part that is kept from the training elsewhere is none here: nothing trains, and the
/// table calls its rows training.
[[nodiscard]] inline bool is_of_training(const Predictions& predictions, data::Part part) {
  return predictions.of_training[static_cast<std::size_t>(part)];
}

/// The rows of a part. None: of no part.
[[nodiscard]] PredictionSample sample_of(const Predictions& predictions, AuditPart part);

/// Whether a measure with these needs can be taken of such predictions: those of classification and
/// of ranking that suit a kind, or those of regression.
[[nodiscard]] bool suits(metrics::Needs kind, metrics::Needs needs);

/// Whether one threshold can decide columns of two kinds: both are scores, or neither.
[[nodiscard]] bool have_one_threshold(metrics::Needs kind, metrics::Needs other);

/// @throws base::InputError  a part that does not exist or has no row, a measure that does not
///         exist or suit the predictions, a difference of sets that there are not, a threshold that
///         no decision depends on.
void validate_for(const Predictions& predictions, const MeasuresOptions& options);
/// @throws base::InputError  a part without rows, predictions of a real target.
void validate_for(const Predictions& predictions, const ThresholdsOptions& options);
/// @throws base::InputError  likewise.
void validate_for(const Predictions& predictions, const DrawnThresholdsOptions& options);

/// Every measure that suits the predictions, with intervals; the exact front of thresholds, one
/// per group: error against unfairness.
///
/// Measures that are undefined are NaN, and the task's remark has the reasons.
[[nodiscard]] Family<Predictions> predictions_family();

}  // namespace fairfront::experiments
