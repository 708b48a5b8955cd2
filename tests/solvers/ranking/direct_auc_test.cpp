#include "solvers/ranking/direct_auc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solvers/killed.hpp"
#include "solvers/ranking/penalised.hpp"
#include "solvers/ranking/turned_scores.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

std::vector<std::int64_t> order_of(const std::vector<double>& score) {
  std::vector<std::int64_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return score[std::size_t(i)]; });
  return order;
}

double smooth_by_pairs(const std::vector<double>& score, const std::vector<std::uint8_t>& cells,
                       const PairSet& pair, double width) {
  double sum = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    for (std::size_t k = 0; k < score.size(); ++k) {
      if (!contains(pair.above, cells[i]) || !contains(pair.below, cells[k])) continue;
      ++pairs;
      sum += std::clamp((score[i] - score[k] + width) / (2 * width), 0.0, 1.0);
    }
  }
  return sum / pairs;
}

/// Each row's number of pairs on the ramp times its slope.
void add_slopes_by_pairs(const std::vector<double>& score, const std::vector<std::uint8_t>& cells,
                         const PairSet& pair, double width, double factor,
                         std::vector<double>& slopes) {
  if (pair.above == pair.below) return;
  double pairs = 0;
  std::vector<double> won(score.size(), 0.0), lost(score.size(), 0.0);
  for (std::size_t i = 0; i < score.size(); ++i) {
    for (std::size_t k = 0; k < score.size(); ++k) {
      if (!contains(pair.above, cells[i]) || !contains(pair.below, cells[k])) continue;
      ++pairs;
      won[i] += score[k] > score[i] - width && score[k] < score[i] + width;
      lost[k] += score[i] > score[k] - width && score[i] < score[k] + width;
    }
  }
  const double ramp = factor / (2 * width * pairs);
  for (std::size_t i = 0; i < score.size(); ++i) slopes[i] += ramp * won[i];
  for (std::size_t i = 0; i < score.size(); ++i) slopes[i] -= ramp * lost[i];
}

TEST(DirectAuc, TheSmoothedAucIsTheSumOverPairsAndItsSlopesThoseOfDifferences) {
  base::Stream stream(base::StreamKey(1, "test", "smooth"), 0);
  std::vector<double> score;
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < 40; ++i) {
    cells.push_back(static_cast<std::uint8_t>(i % 4));
    score.push_back(100 + stream.normal());
  }
  for (const FairnessMetric metric : test::all_metrics) {
    for (const PairSet& pair : pair_sets(metric)) {
      for (const double width : {0.05, 0.7, 10.0}) {
        std::vector<double> slopes(score.size(), 0.0);
        const auto value = [&](double factor) {
          const SmoothAuc smooth({score, order_of(score), cells}, pair, width);
          smooth.add_gradient(factor, slopes);
          return smooth.value();
        };
        EXPECT_NEAR(value(2), smooth_by_pairs(score, cells, pair, width), 1e-12);
        const std::vector<double> gradient = slopes;
        for (std::size_t i = 0; i < score.size(); ++i) {
          const double before = score[i];
          constexpr double h = 1e-7;  // no pair is as near to an end of its ramp
          score[i] = before + h;
          const double above = value(0);
          score[i] = before - h;
          const double below = value(0);
          score[i] = before;
          EXPECT_NEAR(gradient[i], 2 * (above - below) / (2 * h), 1e-6);
        }
      }
      // No two scores are so near. Running sums round by some 1e-15, which the ramp's width
      // divides.
      EXPECT_NEAR(SmoothAuc({score, order_of(score), cells}, pair, 1e-6).value(),
                  auc_of(score, cells, pair), 1e-9);
    }
  }
}

/// A whole number of pairs for each row, by which the ramp's slope is multiplied once.
TEST(DirectAuc, TheSlopesOfManyTiesAndRampsThatEndAtScoresAreThoseThatAreCounted) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "ties"), 0);
    std::vector<double> score;
    std::vector<std::uint8_t> cells;
    const std::uint32_t count = 4 + stream.below(30);
    for (std::uint32_t i = 0; i < count; ++i) {
      cells.push_back(static_cast<std::uint8_t>(i < 4 ? i : stream.below(4)));
      score.push_back(0.25 * stream.below(12));
    }
    const RowsByScore rows(score, order_of(score), cells);
    for (const PairSet& pair : pair_sets(test::all_metrics[seed % std::size(test::all_metrics)])) {
      constexpr double width = 0.5;
      const SmoothAuc smooth(rows, pair, width);
      std::vector<double> expected(score.size(), 0.0);
      std::vector<double> slopes(score.size(), 0.0);
      for (const double factor : {-1.0, 3.0}) {
        smooth.add_gradient(factor, slopes);
        add_slopes_by_pairs(score, cells, pair, width, factor, expected);
      }
      EXPECT_EQ(slopes, expected);
    }
  }
}

TEST(DirectAuc, IsFeasibleAndNoWorseThanEverySurrogateOptimum) {
  for (const FairnessMetric metric : {FairnessMetric::group, FairnessMetric::inter_group}) {
    const LinearScores rows = test::random_rows(2, 400, 4).scores();
    const PairSets pairs = pair_sets(metric);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    std::vector<std::int64_t> all(400);
    std::iota(all.begin(), all.end(), 0);
    std::vector<double> score(400);
    const auto auc = [&](std::size_t pair) { return auc_of(score, rows.cells(), pairs[pair]); };
    int feasible = 0;
    for (const double level : {0.02, 0.1}) {
      const DirectAucResult found = direct_auc(rows, pairs, exact, level);
      ASSERT_TRUE(found.feasible);
      rows.scores(found.w, all, score);
      EXPECT_EQ(auc(0), found.auc);
      EXPECT_EQ(auc(4) - auc(2), found.difference);
      EXPECT_LE(std::abs(found.difference), level);
      EXPECT_GE(found.auc, found.start_auc);
      for (double kappa = 0.01; kappa < 1; kappa *= 1.5) {
        rows.scores(exact.solve(kappa).w, all, score);
        if (std::abs(auc(4) - auc(2)) > level) continue;
        ++feasible;
        EXPECT_GE(found.auc, auc(0) - 1e-3);
      }
    }
    EXPECT_GT(feasible, 0);
  }
}

/// With two features the search is a line: all directions are tried.
TEST(DirectAuc, ComesNearTheBestOfAllDirections) {
  const LinearScores rows = test::random_rows(5, 300, 2).scores();
  const PairSets pairs = pair_sets(FairnessMetric::inter_group);
  const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
  std::vector<std::int64_t> all(300);
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> score(300);
  for (const double level : {0.03, 0.15}) {
    double best = 0;
    for (int k = 0; k < 4000; ++k) {
      const double angle = 2 * 3.14159265358979 * k / 4000;
      rows.scores(std::vector<double>{std::cos(angle), std::sin(angle)}, all, score);
      const double gap =
          auc_of(score, rows.cells(), pairs[4]) - auc_of(score, rows.cells(), pairs[2]);
      if (std::abs(gap) <= level) best = std::max(best, auc_of(score, rows.cells(), pairs[0]));
    }
    const DirectAucResult found = direct_auc(rows, pairs, exact, level);
    EXPECT_TRUE(found.feasible);
    EXPECT_GE(found.auc, best - 3e-3);
    EXPECT_LE(found.auc, best + 1e-3);  // 4000 directions are not all
  }
}

/// Features of which the first knows the group, as the label does: the best score is unfair.
LinearScores unfair_rows(std::uint64_t seed, int rows, double of_label) {
  base::Stream stream(base::StreamKey(seed, "test", "unfair"), 0);
  std::vector<double> features;
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < rows; ++i) {
    const int group = i < 4 ? i % 2 : static_cast<int>(stream.below(2));
    const bool positive = i < 4 ? i >= 2 : stream.uniform() < 0.25 + 0.5 * group;
    cells.push_back(cell_of(positive, static_cast<std::size_t>(group)));
    features.push_back(stream.normal() + group);
    const double sign = (positive ? 1 : -1) * (1 - 2 * group);
    features.push_back(stream.normal() - 0.5 * of_label * sign);
  }
  return LinearScores(models::Rows(features, 2), cells);
}

struct AucAndDifference {
  double auc, difference;
};
/// Of so many directions of two features and of their negations.
std::vector<AucAndDifference> directions(const LinearScores& rows, const PairSets& pairs,
                                         int count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> score(all.size());
  const auto auc = [&](std::size_t pair) { return auc_of(score, rows.cells(), pairs[pair]); };
  std::vector<AucAndDifference> found;
  for (int k = 0; k < count; ++k) {
    const double angle = 3.14159265358979 * k / count;
    rows.scores(std::vector<double>{std::cos(angle), std::sin(angle)}, all, score);
    found.push_back({std::max(auc(0), 1 - auc(0)), std::abs(auc(4) - auc(2))});
  }
  return found;
}

TEST(DirectAuc, ComesNearTheBestDirectionWhereAFeatureCarriesTheGroup) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const LinearScores rows = unfair_rows(seed, 300, seed % 2 == 0 ? 0.1 : 0.5);
    for (const FairnessMetric metric :
         {FairnessMetric::group, FairnessMetric::intra_group, FairnessMetric::inter_group}) {
      const PairSets pairs = pair_sets(metric);
      const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
      const auto tried = directions(rows, pairs, 500);
      for (const double level : {0.01, 0.05}) {
        double best = 0;
        for (const auto& [auc, difference] : tried) {
          if (difference <= level) best = std::max(best, auc);
        }
        const DirectAucResult found = direct_auc(rows, pairs, exact, level, {.rounds = 2});
        EXPECT_GE(found.auc, 0.5);
        if (best > 0) {
          EXPECT_TRUE(found.feasible);
        }
        EXPECT_GE(found.auc, best - 3e-3) << seed << " " << level;
      }
    }
  }
}

/// Of many rows, and of few.
TEST(DirectAuc, MoreStartsOrRoundsFindNothingWorse) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const bool is_many = seed % 2 == 1;
    const LinearScores rows = test::random_rows(seed, is_many ? 310 : 60, 4).scores();
    const PairSets pairs = pair_sets(FairnessMetric::intra_group);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    for (const double level : {0.0, 0.02}) {
      std::vector<DirectAucResult> before;
      for (const std::int64_t starts : {2, 3, 9, 39, 40, 100, 500}) {
        if (!is_many && starts > 40) continue;
        std::vector<DirectAucResult> now;
        for (const std::int64_t rounds : {0, 1, 4}) {
          now.push_back(direct_auc(rows, pairs, exact, level,
                                   {.starts = starts, .rounds = rounds, .iterations = 10}));
        }
        const auto no_worse = [](const DirectAucResult& more, const DirectAucResult& fewer) {
          if (more.feasible != fewer.feasible) return more.feasible;
          return more.feasible ? more.auc >= fewer.auc
                               : std::abs(more.difference) <= std::abs(fewer.difference);
        };
        for (std::size_t k = 0; k < now.size(); ++k) {
          if (k > 0) {
            EXPECT_TRUE(no_worse(now[k], now[k - 1])) << seed << " " << starts;
          }
          if (!before.empty()) {
            EXPECT_TRUE(no_worse(now[k], before[k])) << seed << " " << starts;
          }
        }
        before = now;
      }
    }
  }
}

/// One feature has two scores, the second one the first one negated.
TEST(DirectAuc, OfTwoScoresWithOneGapTheOneWithTheBetterAucIsTheResult) {
  for (const FairnessMetric metric : test::all_metrics) {
    const LinearScores rows = test::random_rows(3, 60, 1).scores();
    const PairSets pairs = pair_sets(metric);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    const DirectAucResult loose = direct_auc(rows, pairs, exact, 1);
    EXPECT_TRUE(loose.feasible);
    EXPECT_GE(loose.auc, 0.5);
    const double gap = std::abs(loose.difference);
    ASSERT_GT(gap, 0);
    const DirectAucResult tight = direct_auc(rows, pairs, exact, gap / 2);
    EXPECT_FALSE(tight.feasible);
    EXPECT_NEAR(tight.least_difference, gap, 1e-12);
  }
}

/// Of few rows the difference jumps, over the bound too.
TEST(DirectAuc, FindsScoresWithinTheBoundInSmallTables) {
  int missed = 0;
  int there = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const LinearScores rows = unfair_rows(seed, 24, 0.5);
    const PairSets pairs = pair_sets(FairnessMetric::intra_group);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    const auto tried = directions(rows, pairs, 1000);
    for (const double level : {0.001, 0.01}) {
      if (std::ranges::none_of(tried, [&](const auto& of) { return of.difference <= level; })) {
        continue;
      }
      ++there;
      missed += direct_auc(rows, pairs, exact, level, {.rounds = 0}).feasible ? 0 : 1;
    }
  }
  EXPECT_GT(there, 20);
  EXPECT_EQ(missed, 0);
}

/// Of the protected group `rare` rows alone, at least two of each label.
LinearScores rows_of_a_rare_group(std::uint64_t seed, int rows, std::int64_t columns, int rare,
                                  bool has_ties = false) {
  base::Stream stream(base::StreamKey(seed, "test", "rare"), 0);
  std::vector<double> features;
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < rows; ++i) {
    const std::size_t group = i < rare ? 1 : 0;
    const bool positive = i < 4 ? i < 2 : stream.uniform() < 0.5;
    cells.push_back(cell_of(positive, group));
    for (std::int64_t j = 0; j < columns; ++j) {
      const double of_group = j == 0 ? 1.0 : -0.3;
      const double feature =
          stream.normal() + 0.6 * positive + of_group * static_cast<double>(group);
      features.push_back(has_ties ? std::round(feature) : feature);
    }
  }
  return LinearScores(models::Rows(features, columns), cells);
}

/// The AUCs of one direction, and of its negation.
class AucsOfDirection {
 public:
  AucsOfDirection(const LinearScores& rows, const PairSets& pairs)
      : rows_{rows},
        pairs_{pairs},
        all_(static_cast<std::size_t>(rows.rows())),
        values_(all_.size()) {
    std::iota(all_.begin(), all_.end(), 0);
  }
  /// @return the larger AUC, or 0 where the difference is more than the level.
  [[nodiscard]] double within(double level, std::vector<double> w) {
    double best = 0;
    for (int sign = 0; sign < 2; ++sign) {
      rows_.scores(w, all_, values_);
      const auto auc = [&](std::size_t k) { return auc_of(values_, rows_.cells(), pairs_[k]); };
      if (std::abs(auc(4) - auc(2)) <= level) best = std::max(best, auc(0));
      for (double& value : w) value = -value;
    }
    return best;
  }

 private:
  const LinearScores& rows_;
  const PairSets& pairs_;
  std::vector<std::int64_t> all_;
  std::vector<double> values_;
};

/// Of two features: the middles between all directions in which two rows have equal scores.
std::vector<std::vector<double>> all_orders(const LinearScores& rows) {
  std::vector<double> angles;
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    for (std::int64_t k = 0; k < i; ++k) {
      const double x = rows.centred(i)[0] - rows.centred(k)[0];
      const double y = rows.centred(i)[1] - rows.centred(k)[1];
      const double angle = std::atan2(x, -y);
      angles.push_back(angle < 0 ? angle + 3.14159265358979312 : angle);
    }
  }
  std::ranges::sort(angles);
  std::vector<std::vector<double>> directions;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double next = i + 1 < angles.size() ? angles[i + 1] : angles[0] + 3.14159265358979312;
    const double middle = (angles[i] + next) / 2;
    directions.push_back({std::cos(middle), std::sin(middle)});
  }
  return directions;
}

TEST(DirectAuc, OfFewRowsAndTwoFeaturesIsTheBestOfAllOrders) {
  int found_any = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const LinearScores rows =
        rows_of_a_rare_group(seed, 50 + 5 * static_cast<int>(seed), 2, 5 + static_cast<int>(seed));
    const PairSets pairs = pair_sets(test::all_metrics[seed]);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    AucsOfDirection aucs(rows, pairs);
    const auto orders = all_orders(rows);
    for (const double level : {0.0051, 0.0203, 0.1007}) {  // no difference is as near to it
      double best = 0;
      for (const auto& w : orders) best = std::max(best, aucs.within(level, w));
      const DirectAucResult found = direct_auc(rows, pairs, exact, level);
      EXPECT_EQ(found.feasible, best > 0);
      if (!found.feasible) continue;
      ++found_any;
      EXPECT_NEAR(found.auc, best, 1e-12) << seed << " " << level;
      EXPECT_EQ(found.auc, aucs.within(level, found.w));
    }
  }
  EXPECT_GT(found_any, 12);
}

TEST(DirectAuc, OfFewRowsALooserBoundHasNoLessAuc) {
  for (std::uint64_t seed = 0; seed < 18; ++seed) {
    const LinearScores rows = rows_of_a_rare_group(seed, 60 + 10 * static_cast<int>(seed % 7),
                                                   2 + static_cast<std::int64_t>(seed % 4),
                                                   5 + static_cast<int>(seed), seed % 5 == 0);
    const PairSets pairs = pair_sets(test::all_metrics[seed % std::size(test::all_metrics)]);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    double before = 0;
    double gap = 1;
    for (const double level : {0.0, 0.002, 0.005, 0.01, 0.013, 0.02, 0.05, 0.1, 1.0}) {
      const DirectAucResult found =
          direct_auc(rows, pairs, exact, level, {.starts = 9, .rounds = 1});
      EXPECT_TRUE(found.feasible || before == 0);
      const double auc = found.feasible ? found.auc : 0;
      EXPECT_GE(auc, before) << seed << " " << level;
      before = auc;
      EXPECT_LE(found.least_difference, gap);
      gap = found.least_difference;
    }
  }
}

TEST(DirectAuc, OfFewRowsIsNearTheBestOfManyRandomScores) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::int64_t columns = 3 + static_cast<std::int64_t>(seed % 2);
    const LinearScores rows = rows_of_a_rare_group(seed, 90, columns, 8);
    const PairSets pairs = pair_sets(FairnessMetric::inter_group);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    AucsOfDirection aucs(rows, pairs);
    base::Stream stream(base::StreamKey(seed, "test", "directions"), 0);
    std::vector<double> best(2, 0.0);
    const std::vector<double> levels{0.005, 0.05};
    for (int k = 0; k < 20'000; ++k) {
      std::vector<double> w;
      for (std::int64_t j = 0; j < columns; ++j) w.push_back(stream.normal());
      for (std::size_t l = 0; l < levels.size(); ++l) {
        best[l] = std::max(best[l], aucs.within(levels[l], w));
      }
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      EXPECT_GE(direct_auc(rows, pairs, exact, levels[l]).auc, best[l] - 1e-3) << seed;
    }
  }
}

/// Also where rows have the same scores, at one end or at both.
TEST(TurnedScores, HaveTheAucsOfEveryScoreBetweenTwo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "turned"), 0);
    const bool has_ties = seed % 2 == 1;
    std::vector<std::uint8_t> cells;
    std::vector<double> left, right;
    const std::uint32_t count = 4 + stream.below(30);
    const auto score = [&] { return has_ties ? double(stream.below(5)) : stream.normal(); };
    for (std::uint32_t i = 0; i < count; ++i) {
      cells.push_back(static_cast<std::uint8_t>(i < 4 ? i : stream.below(4)));
      left.push_back(score());
      right.push_back(score());
    }
    const PairSets pairs = pair_sets(test::all_metrics[seed % std::size(test::all_metrics)]);
    const auto stretches = TurnedScores(cells, pairs).between(left, right);
    std::vector<double> between(left.size());
    const auto aucs_at = [&](double at, bool is_negated) {
      for (std::size_t i = 0; i < left.size(); ++i) {
        between[i] = ((1 - at) * left[i] + at * right[i]) * (is_negated ? -1 : 1);
      }
      const auto auc = [&](std::size_t k) { return auc_of(between, cells, pairs[k]); };
      return AucAndDifference{auc(0), auc(4) - auc(2)};
    };
    std::vector<double> ends{0};
    for (const Stretch& of : stretches) {
      ends.push_back(ends.back() + 2 * (of.middle - ends.back()));
      const auto [auc, difference] = aucs_at(of.middle, of.is_negated);
      EXPECT_GE(of.auc, 0.5);
      if (has_ties) continue;  // rounding tells scores apart that are the same
      EXPECT_EQ(of.auc, auc);
      EXPECT_EQ(of.difference, difference);
    }
    // No stretch is left out, and within one nothing changes.
    EXPECT_NEAR(ends.back(), 1, 1e-9);
    for (int k = 0; k < 200 && !has_ties; ++k) {
      const double at = stream.uniform();
      const auto next = std::ranges::upper_bound(ends, at);
      if (next == ends.end() || *next - at < 1e-9 || at - *std::prev(next) < 1e-9) continue;
      const Stretch& of = stretches[static_cast<std::size_t>(next - ends.begin()) - 1];
      const auto [auc, difference] = aucs_at(at, of.is_negated);
      EXPECT_EQ(of.auc, auc);
      EXPECT_EQ(of.difference, difference);
    }
  }
}

TEST(DirectAuc, BadInputIsRefused) {
  const LinearScores rows = test::random_rows(3, 50, 2).scores();
  const PairSets pairs = pair_sets(FairnessMetric::group);
  const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
  EXPECT_THROW((void)direct_auc(rows, pairs, exact, -0.1), std::invalid_argument);
  EXPECT_THROW((void)direct_auc(rows, pairs, exact, 0.1, {.starts = 1}), std::invalid_argument);
}

TEST(DirectAuc, CountsTheRowsThatItScores) {
  const LinearScores rows = test::random_rows(5, 60, 3).scores();
  const PairSets pairs = pair_sets(FairnessMetric::inter_group);
  const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
  const auto evaluations = [&](std::int64_t rounds) {
    const DirectAucOptions options{.starts = 4, .rounds = rounds, .iterations = 6};
    return direct_auc(rows, pairs, exact, 0.03, options).evaluations;
  };
  EXPECT_EQ(evaluations(0) % rows.rows(), 0);
  EXPECT_GE(evaluations(0), 4 * rows.rows());
  // A round scores its start, an iteration at least one point, and at last its end.
  const std::int64_t more = evaluations(1) - evaluations(0);
  EXPECT_EQ(more % rows.rows(), 0);
  EXPECT_GE(more, 3 * rows.rows());
}

/// @param least_kills  stages, and the evaluations of climbs.
void expect_the_same_bits_from_every_checkpoint(int count, std::int64_t starts, int least_kills) {
  const LinearScores rows = test::random_rows(5, count, 3).scores();
  const LinearScores others = test::random_rows(5, count, 4).scores();
  const PairSets pairs = pair_sets(FairnessMetric::inter_group);
  const ExactAuc exact(QuadraticLosses(rows, pairs, {})), other(QuadraticLosses(others, pairs, {}));
  const DirectAucOptions options{.starts = starts, .rounds = 3, .iterations = 6};
  const auto run = [&](const solvers::Control& control) {
    return direct_auc(rows, pairs, exact, 0.03, options, control);
  };
  const auto numbers = [](const DirectAucResult& found) {
    std::vector<double> all = found.w;
    all.insert(all.end(), {found.auc, found.difference, found.start_auc,
                           static_cast<double>(found.evaluations)});
    return all;
  };
  const auto whole = numbers(run({}));
  solvers::test::KilledRun killed(run);
  EXPECT_EQ(numbers(killed.to_the_end()), whole);
  EXPECT_GT(killed.kills(), least_kills);
  solvers::test::expect_every_wish_is_heard(run, 15);
  const int last = static_cast<int>(killed.kills()) - 3;
  for (const int kills : {2, last / 2, last}) {
    solvers::test::KilledRun part(run);
    for (int k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(run, part.state());
    part.stop_at(0);
    EXPECT_EQ(numbers(run({.resume = part.state()})), whole);
    if (kills != last) continue;  // values alone fit everywhere
    EXPECT_THROW((void)direct_auc(others, pairs, other, 0.03, options, {.resume = part.state()}),
                 base::CheckpointError);
  }
}

TEST(DirectAuc, GoesOnFromEveryCheckpointToTheSameBits) {
  expect_the_same_bits_from_every_checkpoint(301, 4, 4 + 6 * 3);
}

TEST(DirectAuc, OfFewRowsGoesOnFromEveryCheckpointToTheSameBits) {
  expect_the_same_bits_from_every_checkpoint(60, 20, 18);
}

}  // namespace
}  // namespace fairfront::ranking
