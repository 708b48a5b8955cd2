#include "metrics/paired_measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_time.hpp"
#include "metrics/auc_differences.hpp"
#include "metrics/interval.hpp"
#include "metrics/paired_auc.hpp"
#include "metrics/paired_coverage.hpp"
#include "metrics/paired_means.hpp"
#include "metrics/paired_rates.hpp"
#include "metrics/quantile.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

/// Another model of the same rows, whose scores are about half the first one's.
PairOfSamples two_models(Sample first, std::uint64_t seed) {
  PairOfSamples models{first, first};
  base::Stream stream = stream_of(seed);
  for (double& score : models.second.score) score = 0.5 * score + 0.5 * stream.uniform();
  return models;
}

/// Measures that have no interval of their own.
bool has_none(const PairedMeasure& measure) { return measure.measure.starts_with("wasserstein_2"); }

TEST(PairedMeasure, EveryMeasureOfAnAuditIsCompared) {
  std::set<std::string> names;
  for (const auto list : {classification(), ranking(), regression()}) {
    for (const Measure& measure : list) names.insert(measure.what.name);
  }
  std::set<std::string> compared;
  for (const PairedMeasure& measure : paired_measures()) {
    EXPECT_TRUE(compared.insert(measure.measure).second) << measure.measure;
    EXPECT_EQ(measure.what.name, measure.measure + "_less_reference");
  }
  for (const char* of_labels : {"base_rate", "mean_target"}) names.erase(of_labels);
  EXPECT_EQ(compared, names);
}

/// Defined, or not, where the values of both are; and around their difference.
TEST(PairedMeasure, HoldsItsEstimateInSmallTablesWithTies) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const PairOfSamples models = two_models(random_small_sample(seed), seed + 1000);
    for (const PairedMeasure& measure : paired_measures()) {
      const Value value = difference_of(measure, models);
      const Interval interval = measure.interval(models.first.view(), models.second.view(), 0.95);
      if (!value.defined()) {
        EXPECT_FALSE(interval.defined()) << measure.measure << " " << value.undefined_reason;
      }
      if (!interval.defined() || !value.defined()) continue;
      EXPECT_LE(interval.low, value.value + 1e-12) << measure.measure << " " << seed;
      EXPECT_GE(interval.high, value.value - 1e-12) << measure.measure << " " << seed;
    }
  }
}

TEST(PairedMeasure, OfRatesIsDefinedWhereTheDifferenceIs) {
  const std::set<std::string> others{"independence_ratio", "base_rate"};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const PairOfSamples models = two_models(random_small_sample(seed), seed + 1000);
    for (const Measure& measure : classification()) {
      if (measure.needs != Needs::decision || others.contains(measure.what.name)) continue;
      const PairedMeasure& paired = paired_measure(measure.what.name);
      EXPECT_EQ(paired.interval(models.first.view(), models.second.view(), 0.95).defined(),
                difference_of(paired, models).defined())
          << measure.what.name;
    }
  }
}

TEST(PairedMeasure, OfTheModelsInTheOtherOrderIsTheNegative) {
  for (const std::uint32_t groups : {2u, 4u}) {
    const PairOfSamples models = two_models(large_sample(3, 400, groups), 4);
    for (const PairedMeasure& measure : paired_measures()) {
      const auto at = [&](const Sample& first, const Sample& second, double level) {
        return measure.interval(first.view(), second.view(), level);
      };
      const Interval interval = at(models.first, models.second, 0.9);
      const Interval other = at(models.second, models.first, 0.9);
      ASSERT_EQ(interval.defined(), other.defined()) << measure.measure;
      if (!interval.defined()) continue;
      EXPECT_NEAR(interval.low, -other.high, 1e-12) << measure.measure;
      EXPECT_NEAR(interval.high, -other.low, 1e-12) << measure.measure;
      const Interval wider = at(models.first, models.second, 0.99);
      EXPECT_LT(wider.low, interval.low) << measure.measure;
      EXPECT_GT(wider.high, interval.high) << measure.measure;
    }
  }
}

TEST(PairedMeasure, OfAModelAndItselfIsExactlyZeroInsideTheInterval) {
  for (const std::uint32_t groups : {2u, 5u}) {
    const Sample sample = large_sample(9, 300, groups);
    const PairOfSamples same{sample, sample};
    for (const PairedMeasure& measure : paired_measures()) {
      const Value value = difference_of(measure, same);
      const Interval interval = measure.interval(sample.view(), sample.view(), 0.95);
      if (value.defined()) {
        EXPECT_EQ(value.value, 0) << measure.measure;
      }
      const bool signed_of_two = measure.measure.ends_with("_difference");
      // Of a mean without a bound rows that all agree tell nothing of those that do not.
      const bool unknown = std::string_view{measure.measure} == "mean_prediction";
      EXPECT_EQ(interval.defined(),
                !has_none(measure) && !unknown && (groups == 2 || !signed_of_two))
          << measure.measure << interval.undefined_reason;
      if (!interval.defined()) continue;
      EXPECT_LE(interval.low, 0) << measure.measure;
      EXPECT_GE(interval.high, 0) << measure.measure;
    }
    for (const PairedTest& test : paired_tests()) {
      EXPECT_EQ(test.p_value(sample.view(), sample.view()).value, 1) << test.what.name;
    }
  }
}

TEST(PairedMeasure, OfTwoAlikeModelsIsNarrowerThanOfTwoOthers) {
  const Sample first = large_sample(5, 2000, 3);
  Sample alike = first;
  Sample other = first;
  base::Stream stream = stream_of(6);
  for (double& score : alike.score) score = 0.95 * score + 0.05 * stream.uniform();
  for (double& score : other.score) score = 0.3 * score + 0.7 * stream.uniform();
  for (const char* name : {"error", "auc", "brier", "log_loss", "error_gap", "independence_gap",
                           "sufficiency_gap", "group_auc_gap", "intra_group_auc_gap"}) {
    const auto width = [&](const Sample& second) {
      const Interval interval = paired_measure(name).interval(first.view(), second.view(), 0.95);
      return interval.high - interval.low;
    };
    EXPECT_LT(width(alike), 0.8 * width(other)) << name;
  }
}

TEST(PairedMeasure, OfRowsThatAGroupLacksIsUndefinedAndNamed) {
  Sample first = large_sample(5, 200, 2);
  for (std::size_t row = 0; row < first.label.size(); ++row) {
    if (first.group[row] == 1) first.label[row] = 0;
  }
  const PairOfSamples models = two_models(first, 6);
  for (const char* name : {"true_positive_gap", "separation_gap", "intra_group_auc_gap",
                           "any_group_positive_average_gap", "worst_group_auc"}) {
    const PairedMeasure& measure = paired_measure(name);
    EXPECT_EQ(difference_of(measure, models).undefined_reason, "no row with label 1 in group 1");
    EXPECT_EQ(measure.interval(models.first.view(), models.second.view(), 0.95).undefined_reason,
              "no row with label 1 in group 1");
  }
  EXPECT_TRUE(paired_measure("error_gap")
                  .interval(models.first.view(), models.second.view(), 0.95)
                  .defined());
  EXPECT_EQ(less_reference(defined(1), undefined("no row")).undefined_reason,
            "no row, by the reference");
}

/// DeLong's components written out, pair by pair.
struct ComponentsOfAuc {
  double auc = 0;
  std::vector<double> of_positives, of_negatives;
};
ComponentsOfAuc components_of(const Sample& sample) {
  std::vector<double> positives, negatives;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    (sample.label[i] > 0 ? positives : negatives).push_back(sample.score[i]);
  }
  ComponentsOfAuc found;
  found.of_positives.assign(positives.size(), 0.0);
  found.of_negatives.assign(negatives.size(), 0.0);
  const double m = static_cast<double>(positives.size());
  const double n = static_cast<double>(negatives.size());
  for (std::size_t i = 0; i < positives.size(); ++i) {
    for (std::size_t j = 0; j < negatives.size(); ++j) {
      const double win = positives[i] > negatives[j] ? 1 : positives[i] == negatives[j] ? 0.5 : 0;
      found.auc += win / (m * n);
      found.of_positives[i] += win / n;
      found.of_negatives[j] += win / m;
    }
  }
  return found;
}
/// Unbiased covariance over the rows, for the mean of so many.
double covariance(const std::vector<double>& a, double mean_a, const std::vector<double>& b,
                  double mean_b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  const double n = static_cast<double>(a.size());
  return sum / (n * (n - 1));
}

TEST(PairedAuc, HasTheCovarianceOfDeLong) {
  const PairOfSamples models = two_models(large_sample(11, 160, 2), 12);
  const ComponentsOfAuc a = components_of(models.first);
  const ComponentsOfAuc b = components_of(models.second);
  const AucSum sum{{positives_above_negatives()}, 0};
  const PairedAucs found = paired_aucs(models.first.view(), models.second.view(), {&sum, 1}, true);
  const auto expected = [](const ComponentsOfAuc& x, const ComponentsOfAuc& y) {
    return covariance(x.of_positives, x.auc, y.of_positives, y.auc) +
           covariance(x.of_negatives, x.auc, y.of_negatives, y.auc);
  };
  const JointCovariance& covariances = found.estimates.covariance;
  EXPECT_NEAR(covariances.of(0, 0, 0, 0), expected(a, a), 1e-15);
  EXPECT_NEAR(covariances.of(0, 1, 0, 1), expected(b, b), 1e-15);
  EXPECT_NEAR(covariances.of(0, 0, 0, 1), expected(a, b), 1e-15);
  const double variance = expected(a, a) + expected(b, b) - 2 * expected(a, b);
  const double reach = student_quantile(0.025, found.estimates.degrees[0]) * std::sqrt(variance);
  const Interval interval =
      paired_measure("auc").interval(models.first.view(), models.second.view(), 0.95);
  EXPECT_NEAR(interval.low, a.auc - b.auc - reach, 1e-12);
  EXPECT_NEAR(interval.high, a.auc - b.auc + reach, 1e-12);
}

/// The covariances of all sums of a gap are those of the rows' influences, see estimate_auc.
TEST(PairedAuc, OfAGapHasTheErrorOfEachDifference) {
  const PairOfSamples models = two_models(large_sample(13, 240, 4), 14);
  for (const std::vector<AucSum>& sums :
       {of_pairs<group_difference>(4), of_pairs<inter_difference>(4),
        of_groups<positive_average_difference>(4), of_groups<background_difference>(4)}) {
    const PairedAucs found = paired_aucs(models.first.view(), models.second.view(), sums, false);
    for (std::size_t s = 0; s < sums.size(); ++s) {
      for (const int model : {0, 1}) {
        const Sample& sample = model == 0 ? models.first : models.second;
        const AucEstimate alone = estimate_auc(sample.view(), sums[s]);
        EXPECT_NEAR(found.estimates.of_model[static_cast<std::size_t>(model)][s].value,
                    alone.value.value, 1e-15);
        EXPECT_NEAR(found.estimates.covariance.of(s, model, s, model),
                    alone.standard_error * alone.standard_error, 1e-15);
      }
    }
  }
}

/// Without covariances a gap of many groups is wider, never narrower.
TEST(PairedAuc, OfManyGroupsTakesTheWorstCovariance) {
  const Sample first = large_sample(15, 6000, 51);
  const PairOfSamples models = two_models(first, 16);
  const std::vector<AucSum> sums = of_pairs<group_difference>(51);
  ASSERT_GT(sums.size(), most_with_covariance);
  const Interval wide =
      paired_auc_gap_interval(models.first.view(), models.second.view(), sums, 0.95);
  const std::vector<AucSum> fewer(sums.begin(), sums.begin() + most_with_covariance);
  const Interval narrow =
      paired_auc_gap_interval(models.first.view(), models.second.view(), fewer, 0.95);
  EXPECT_GT(wide.high - wide.low, narrow.high - narrow.low);
}

/// Student's quantile at .025 times the standard error of their mean.
/// @param by_kurtosis  degrees of freedom from how far the variance varies: it is (kurtosis - (n -
///                     3) / (n - 1)) / n of its square.
double students_reach(const std::vector<double>& values, bool by_kurtosis) {
  const double n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0, fourth_powers = 0;
  for (const double value : values) {
    squares += std::pow(value - mean, 2);
    fourth_powers += std::pow(value - mean, 4);
  }
  const double kurtosis = n * fourth_powers / (squares * squares);
  const double by_fourth = 2 * n / (kurtosis - (n - 3) / (n - 1));
  const double degrees = by_kurtosis ? std::min(n - 1, by_fourth) : n - 1;
  return student_quantile(0.025, degrees) * std::sqrt(squares / (n * (n - 1)));
}

TEST(PairedMean, IsStudentsIntervalOfTheDifferencesOfRows) {
  PairOfSamples models = two_models(large_sample(17, 1200, 2), 18);
  for (const std::size_t of_how_many : {1U, 40U}) {  // one differs
    std::vector<double> differences;
    double mean = 0;
    for (std::size_t i = 0; i < models.first.score.size(); ++i) {
      if (i % of_how_many != 0) models.second.score[i] = models.first.score[i];
      const double label = models.first.label[i];
      differences.push_back(std::pow(models.first.score[i] - label, 2) -
                            std::pow(models.second.score[i] - label, 2));
      mean += differences.back() / static_cast<double>(models.first.score.size());
    }
    const double normal = students_reach(differences, false);
    const double reach = students_reach(differences, true);
    const Interval brier =
        paired_measure("brier").interval(models.first.view(), models.second.view(), 0.95);
    EXPECT_NEAR(brier.low, mean - reach, 1e-12) << of_how_many;
    EXPECT_NEAR(brier.high, mean + reach, 1e-12) << of_how_many;
    if (of_how_many > 1) {
      EXPECT_GT(reach, 1.02 * normal);
      continue;
    }
    // Without a bound on the rows' values the skewness of their differences counts.
    const Interval risk =
        paired_measure("risk").interval(models.first.view(), models.second.view(), 0.95);
    EXPECT_NEAR(mean - risk.low, normal, 0.15 * normal);
    EXPECT_NEAR(risk.high - mean, normal, 0.15 * normal);
  }
}

/// Of n rows k differ, all by 1: the upper end is that of Poisson's mean of k rows and an unseen
/// one, the lower one Student's.
TEST(PairedMean, OfFewRowsThatDifferHasPoissonsLongTail) {
  constexpr std::size_t n = 2000;
  PairOfSamples models;
  models.first.groups = models.second.groups = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double score = i % 2 == 0 ? 1.1 : 1.3;
    models.add(i < 3 ? score + 1 : score, score, 1, 0);
  }
  const Interval interval =
      paired_measure("absolute_error").interval(models.first.view(), models.second.view(), 0.95);
  // The unseen row differs by about sqrt(2): Poisson's upper limit of 3 rows, with a row of 1, is
  // 8.77, and with one of 1.414 a little more.
  const double rows = n;
  EXPECT_GT(interval.high * rows, 8.77);
  EXPECT_LT(interval.high * rows, 11);
  EXPECT_LT(interval.low * rows, 0);
  EXPECT_GT(interval.low * rows, -8);
  const Interval turned =
      paired_measure("absolute_error").interval(models.second.view(), models.first.view(), 0.95);
  EXPECT_DOUBLE_EQ(turned.low, -interval.high);
  EXPECT_DOUBLE_EQ(turned.high, -interval.low);
}

TEST(PairedMean, HoldsWhereFewRowsDiffer) {
  for (const bool regression : {false, true}) {
    // Of 300 rows 1 % are too few for a real number's heavy tail, which they mostly do not show.
    for (const double differing : {regression ? 0.05 : 0.01, 0.03, 0.1}) {
      const PairedSetting setting{.name = "few rows differ",
                                  .rows = {300},
                                  .regression = regression,
                                  .differing = differing};
      const std::vector<PairedMeasure> measures =
          regression ? std::vector{paired_measure("risk"), paired_measure("absolute_error")}
                     : std::vector{paired_measure("log_loss"), paired_measure("brier")};
      const std::vector<Coverage> all = paired_coverage_of(measures, setting, 300, 0.95, 5);
      for (std::size_t m = 0; m < measures.size(); ++m) {
        // Of 300 tables with 93 % each fewer than 265 hold in one of 1,000.
        EXPECT_GE(all[m].holds, 265) << differing << measures[m].measure;
        EXPECT_EQ(all[m].inside, 300) << differing << measures[m].measure;
      }
    }
  }
}

/// The largest differences may be in none of so few rows, and nothing else in the table says how
/// large they are.
TEST(PairedMean, OfPredictionsThatDifferInFewerThanTenRowsHasNoLimits) {
  const auto interval_of = [](std::size_t rows, std::size_t differ) {
    PairOfSamples models;
    models.first.groups = models.second.groups = 1;
    for (std::size_t i = 0; i < rows; ++i) {
      const double score = static_cast<double>(i % 7);
      models.add(i < differ ? score + 1 : score, score, 1, 0);
    }
    return paired_measure("mean_prediction")
        .interval(models.first.view(), models.second.view(), 0.95);
  };
  for (const std::size_t differ : {0u, 1u, 9u}) {
    EXPECT_EQ(interval_of(100, differ).undefined_reason, "the two differ in fewer than ten rows");
  }
  EXPECT_TRUE(interval_of(100, 10).defined());
  EXPECT_TRUE(interval_of(9, 9).defined());
}

TEST(PairedMean, OfPredictionsHoldsWhereItIsSaid) {
  for (const double differing : {0.02, 0.03, 0.05}) {
    const PairedSetting setting{
        .name = "few rows differ", .rows = {300}, .regression = true, .differing = differing};
    const PairedMeasure measure = paired_measure("mean_prediction");
    const Coverage found = paired_coverage_of({&measure, 1}, setting, 1000, 0.95, 5).front();
    EXPECT_GT(found.tables, 0) << differing;
    EXPECT_LT(found.tables, 1000) << differing;
    EXPECT_EQ(found.inside, found.tables) << differing;
    // 93 %, and three deviations of so many tables.
    const auto tables = static_cast<double>(found.tables);
    EXPECT_GE(static_cast<double>(found.holds), 0.93 * tables - 3 * std::sqrt(tables * 0.07 * 0.93))
        << differing;
  }
}

/// About ten rows differ: how much these vary says how little is known of the error.
TEST(PairedMeasure, HoldsWhereTenRowsDiffer) {
  const std::vector<PairedMeasure> measures{paired_measure("brier"), paired_measure("auc")};
  for (const PairedSetting& setting :
       {PairedSetting{.name = "of 1,000", .rows = {1000}, .differing = 0.01},
        PairedSetting{.name = "of 100", .rows = {100}, .differing = 0.1}}) {
    const std::vector<Coverage> all = paired_coverage_of(measures, setting, 2000, 0.95, 5);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      // Of 2,000 tables with 94 % each fewer than 1,847 hold in one of 1,000.
      EXPECT_GE(all[m].holds, 1847) << setting.name << measures[m].measure;
      EXPECT_EQ(all[m].inside, 2000) << setting.name << measures[m].measure;
    }
  }
}

/// A is decided 1 by both or by one alone: predictive values of different rows.
TEST(PairedRates, OfPredictiveValuesCountTheRowsThatBothDecideAlike) {
  JointDecisions group;
  group.rows = {40, 4, 6, 10, 20, 8, 9, 30};  // label 0, then 1: neither, second, first, both
  const Rate rate = Rate::positive_predictive;
  const PairedEstimates found = paired_rates({&group, 1}, {&rate, 1});
  const double p = 39.0 / 55;  // first: (9 + 30) of (6 + 10 + 9 + 30)
  const double q = 38.0 / 52;
  EXPECT_DOUBLE_EQ(found.of_model[0][0].value, p);
  EXPECT_DOUBLE_EQ(found.of_model[1][0].value, q);
  const double p_more = 40.0 / 57;
  const double q_more = 39.0 / 54;
  EXPECT_NEAR(found.covariance.of(0, 0, 0, 0), p_more * (1 - p_more) / 55, 1e-15);
  const double both = 30.5 * (1 - p_more) * (1 - q_more) + 10.5 * p_more * q_more;
  EXPECT_NEAR(found.covariance.of(0, 0, 0, 1), both / std::sqrt(55.0 * 57 * 52 * 54), 1e-15);
}

/// No two values in [0, 1] differ by more than 1.
TEST(PairedMeasure, OfSharesAndCalibrationStaysWithinOne) {
  int defined = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const PairOfSamples models = two_models(large_sample(seed, 8, 2), seed + 50);
    for (const char* name :
         {"error", "brier", "brier_gap", "calibration_error", "calibration_error_gap"}) {
      const Interval interval =
          paired_measure(name).interval(models.first.view(), models.second.view(), 0.9999);
      if (!interval.defined()) continue;
      ++defined;
      EXPECT_GE(interval.low, -1) << name;
      EXPECT_LE(interval.high, 1) << name;
    }
  }
  EXPECT_GT(defined, 100);
}

TEST(PairedTests, AreMcNemarsAndDeLongs) {
  JointDecisions rows;
  rows.rows[JointDecisions::place(true, true, false)] = 3;   // the second errs
  rows.rows[JointDecisions::place(false, true, false)] = 1;  // the first errs
  rows.rows[JointDecisions::place(false, false, true)] = 7;  // the second errs
  rows.rows[JointDecisions::place(true, true, true)] = 50;
  // 1 of 11: 2 (1 + 11) / 2^11
  EXPECT_NEAR(mcnemar_p_value({&rows, 1}), 24.0 / 2048, 1e-14);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const PairOfSamples models = two_models(large_sample(seed, 80, 2), seed + 50);
    const double p = delong_p_value(models.first.view(), models.second.view()).value;
    const auto leaves_out_0 = [&](double level) {
      const Interval interval =
          paired_measure("auc").interval(models.first.view(), models.second.view(), level);
      return interval.low > 0 || interval.high < 0;
    };
    if (p < 0.99) {
      EXPECT_FALSE(leaves_out_0(1 - 0.99 * p)) << seed;
    }
    EXPECT_TRUE(leaves_out_0(1 - std::min(0.999, 1.01 * p))) << seed;
  }
}

TEST(PairedMeasure, HoldsTheTruth) {
  const std::vector<PairedMeasure> measures{
      paired_measure("error"),           paired_measure("auc"),
      paired_measure("log_loss"),        paired_measure("true_positive_gap"),
      paired_measure("separation_gap"),  paired_measure("sufficiency_gap"),
      paired_measure("brier_gap"),       paired_measure("calibration_error_gap"),
      paired_measure("worst_group_auc"), paired_measure("group_auc_gap")};
  for (const PairedSetting& setting :
       {PairedSetting{"2 groups", group_rows(2, 200), 0, 0},
        PairedSetting{"3 groups of 30 rows", group_rows(3, 30), 0.8, 0.8},
        PairedSetting{"6 groups", group_rows(6, 100), 1.5, 0.2}}) {
    const std::vector<Coverage> all = paired_coverage_of(measures, setting, 150, 0.95, 5);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      // Of 150 tables with 93 % each fewer than 129 hold in one of 1,000.
      EXPECT_GE(all[m].holds + all[m].missing, 129) << setting.name << measures[m].measure;
      EXPECT_EQ(all[m].inside, all[m].tables) << setting.name << measures[m].measure;
      EXPECT_LE(all[m].missing, 8) << setting.name << measures[m].measure;
    }
  }
}

}  // namespace
}  // namespace fairfront::metrics
