#include "metrics/paired_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "metrics/auc_differences.hpp"
#include "metrics/confusion.hpp"
#include "metrics/declared_difference.hpp"
#include "metrics/paired_auc.hpp"
#include "metrics/paired_means.hpp"
#include "metrics/paired_rates.hpp"

namespace fairfront::metrics {
namespace {

using PairedInterval = std::function<Interval(const Scored&, const Scored&, double)>;

// ---- rates

PairedInterval of_rates(std::vector<Rate> rates, std::vector<double> weights) {
  return [rates = std::move(rates), weights = std::move(weights)](
             const Scored& first, const Scored& second, double level) {
    return paired_rate_interval(joint_decisions(first, second), rates, weights, level);
  };
}

PairedInterval of_rate(Rate rate) { return of_rates({rate}, {1}); }

PairedInterval of_gaps(std::vector<Rate> rates) {
  return [rates = std::move(rates)](const Scored& first, const Scored& second, double level) {
    return paired_gap_interval(joint_decisions(first, second), rates, level);
  };
}

PairedInterval of_sum(Rate one, Rate other, bool disjoint) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_sum_interval(joint_decisions(first, second), {one, other}, disjoint, level);
  };
}

// ---- means

PairedInterval of_mean(ProbabilityLoss loss) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_mean_interval(paired_losses(first, second, loss, false), level);
  };
}
PairedInterval of_gap(ProbabilityLoss loss) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_gap_interval(paired_losses(first, second, loss, true), level);
  };
}
PairedInterval of_largest(ProbabilityLoss loss) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_largest_interval(paired_losses(first, second, loss, true), level);
  };
}

using RowFunction = double (*)(double score, double label);
double squared_error(double score, double label) { return (score - label) * (score - label); }
double absolute_error(double score, double label) { return std::abs(score - label); }
double score_alone(double score, double) { return score; }

PairedInterval of_mean(RowFunction value, Law law = Law::positive_mean) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_mean_interval(paired_means(first, second, value, law, false), level);
  };
}
PairedInterval of_gap(RowFunction value, Law law) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_gap_interval(paired_means(first, second, value, law, true), level);
  };
}
PairedInterval of_largest(RowFunction value) {
  return [=](const Scored& first, const Scored& second, double level) {
    return paired_largest_interval(paired_means(first, second, value, Law::positive_mean, true),
                                   level);
  };
}

// ---- AUCs

PairedInterval of_largest(DifferencesOf differences) {
  return [=](const Scored& first, const Scored& second, double level) -> Interval {
    if (std::string alone = missing_pair(first.groups); !alone.empty()) {
      return {.undefined_reason = std::move(alone)};
    }
    return paired_auc_gap_interval(first, second, differences(first.groups), level);
  };
}

/// Of the protected group, which is group 1.
PairedInterval of_group_1(DifferenceOf difference) {
  return [=](const Scored& first, const Scored& second, double level) -> Interval {
    if (first.groups != 2) return {.undefined_reason = "a signed difference is between two groups"};
    return paired_auc_interval(first, second, difference(1, 0), level);
  };
}

/// Formulas by the measure's name.
std::map<std::string, PairedInterval> paired_intervals() {
  using enum Rate;
  using enum ProbabilityLoss;
  return {
      {"error", of_rate(error)},
      {"balanced_accuracy", of_rates({true_positive, false_positive}, {0.5, -0.5})},
      {"positive_rate", of_rate(positive)},
      {"true_positive_rate", of_rate(true_positive)},
      {"false_positive_rate", of_rate(false_positive)},
      {"positive_predictive_value", of_rate(positive_predictive)},
      {"negative_predictive_value", of_rate(negative_predictive)},
      {"independence_gap", of_gaps({positive})},
      {"independence_ratio",
       [](const Scored& first, const Scored& second, double level) {
         return paired_ratio_interval(joint_decisions(first, second), positive, level);
       }},
      {"true_positive_gap", of_gaps({true_positive})},
      {"false_positive_gap", of_gaps({false_positive})},
      {"separation_gap", of_gaps({true_positive, false_positive})},
      {"separation_sum", of_sum(true_positive, false_positive, true)},
      {"positive_predictive_gap", of_gaps({positive_predictive})},
      {"negative_predictive_gap", of_gaps({negative_predictive})},
      {"sufficiency_gap", of_gaps({positive_predictive, negative_predictive})},
      {"sufficiency_sum", of_sum(positive_predictive, negative_predictive, false)},
      {"error_gap", of_gaps({error})},
      {"worst_group_error",
       [](const Scored& first, const Scored& second, double level) {
         return paired_largest_interval(joint_decisions(first, second), error, level);
       }},
      {"brier", of_mean(brier)},
      {"brier_gap", of_gap(brier)},
      {"calibration_error", of_mean(calibration)},
      {"calibration_error_gap", of_gap(calibration)},
      {"log_loss", of_mean(log_loss)},
      {"log_loss_gap", of_gap(log_loss)},
      {"worst_group_log_loss", of_largest(log_loss)},
      {"auc",
       [](const Scored& first, const Scored& second, double level) {
         return paired_auc_interval(first, second, {{positives_above_negatives()}, 0}, level);
       }},
      {"worst_group_auc", paired_worst_group_auc_interval},
      {"group_auc_gap", of_largest(of_pairs<group_difference>)},
      {"inter_group_auc_gap", of_largest(of_pairs<inter_difference>)},
      {"intra_group_auc_gap", paired_intra_group_interval},
      {"any_group_positive_average_gap", of_largest(of_groups<positive_average_difference>)},
      {"any_group_negative_average_gap", of_largest(of_groups<negative_average_difference>)},
      {"any_group_background_auc_gap", of_largest(of_groups<background_difference>)},
      {"group_auc_difference", of_group_1(group_difference)},
      {"inter_group_auc_difference", of_group_1(inter_difference)},
      {"intra_group_auc_difference", of_group_1(intra_difference)},
      {"positive_average_difference", of_group_1(positive_average_difference)},
      {"negative_average_difference", of_group_1(negative_average_difference)},
      {"background_auc_difference", of_group_1(background_difference)},
      {"risk", of_mean(squared_error)},
      {"absolute_error", of_mean(absolute_error)},
      {"mean_prediction", of_mean(score_alone, Law::mean)},
      {"risk_gap", of_gap(squared_error, Law::positive_mean)},
      {"worst_group_risk", of_largest(squared_error)},
      {"mean_gap", of_gap(score_alone, Law::mean)},
  };
}

/// From the intervals of both alone: Bonferroni's.
PairedInterval of_both_alone(const Measure& measure) {
  return [interval = measure.interval](const Scored& first, const Scored& second,
                                       double level) -> Interval {
    const Interval a = interval(first, (1 + level) / 2);
    if (!a.defined()) return a;
    const Interval b = interval(second, (1 + level) / 2);
    if (!b.defined()) return b;
    return {a.low - b.high, a.high - b.low, {}};
  };
}

/// Two models of the same rows do not differ in what is true of these.
bool of_labels(const Measure& measure) {
  return measure.what.name == "base_rate" || measure.what.name == "mean_target";
}

PairedMeasure compared(const base::Quantity& what, PairedInterval interval) {
  return {{what.name + "_less_reference",
           fmt::format("{} less that of predictions.reference on the same rows", what.name),
           what.unit, what.direction, ""},
          what.name,
          std::move(interval)};
}

std::vector<PairedMeasure> all_paired_measures() {
  const std::map<std::string, PairedInterval> formulas = paired_intervals();
  std::vector<PairedMeasure> all;
  std::set<std::string> seen;  // distances of scores are also those of predictions
  for (const auto list : {classification(), ranking(), regression()}) {
    for (const Measure& measure : list) {
      if (of_labels(measure) || !seen.insert(measure.what.name).second) continue;
      const auto formula = formulas.find(measure.what.name);
      all.push_back(compared(measure.what,
                             formula == formulas.end() ? of_both_alone(measure) : formula->second));
    }
  }
  return all;
}

}  // namespace

Value less_reference(const Value& first, const Value& second) {
  if (!first.defined()) return first;
  if (!second.defined()) return undefined(second.undefined_reason + ", by the reference");
  const double difference = first.value - second.value;
  return std::isnan(difference) ? undefined("both are infinite") : defined(difference);
}

std::span<const PairedMeasure> paired_measures() {
  static const std::vector<PairedMeasure> measures = all_paired_measures();
  return measures;
}

std::vector<PairedMeasure> paired_declared_measures(const std::vector<AucSum>& differences) {
  std::vector<PairedMeasure> found;
  for (const Measure& measure : declared_measures(differences)) {
    const bool is_gap = measure.what.direction == base::Direction::minimise;
    found.push_back(compared(
        measure.what,
        [differences, is_gap](const Scored& first, const Scored& second, double level) -> Interval {
          if (is_gap) return paired_auc_gap_interval(first, second, differences, level);
          if (differences.size() != 1) return {.undefined_reason = "there are several differences"};
          return paired_auc_interval(first, second, differences.front(), level);
        }));
  }
  return found;
}

std::span<const PairedTest> paired_tests() {
  static const std::array<PairedTest, 2> tests{
      PairedTest{{"error_less_reference_p",
                  "p value of the test that predictions.reference decides wrongly as often",
                  "probability", base::Direction::none, "McNemar (1947), exact"},
                 "error",
                 [](const Scored& first, const Scored& second) {
                   if (first.rows() == 0) return undefined("no row");
                   return defined(mcnemar_p_value(joint_decisions(first, second)));
                 }},
      PairedTest{{"auc_less_reference_p",
                  "p value of the test that the scores of predictions.reference have the same AUC",
                  "probability", base::Direction::none, "DeLong, DeLong, Clarke-Pearson (1988)"},
                 "auc",
                 delong_p_value}};
  return tests;
}

}  // namespace fairfront::metrics
