#include "metrics/randomised.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "metrics/distance.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

using testing::ElementsAre;

const std::vector<double> atoms{-1, -0.5, 0.1, 0.25, 2};
constexpr std::int32_t copies = 10;  ///< probabilities are tenths

/// Rows with probabilities in tenths, and the same as ten rows each without randomness.
struct Rows {
  std::vector<double> pi, label;
  std::vector<std::int32_t> group;
  std::vector<double> drawn, drawn_label;
  std::vector<std::int32_t> drawn_group;

  explicit Rows(std::uint64_t seed, std::int64_t rows, std::int64_t groups) {
    base::Stream stream(base::StreamKey(seed, "test", "randomised"), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      label.push_back(3 * stream.uniform() - 1);
      group.push_back(static_cast<std::int32_t>(
          i < groups ? i : stream.below(static_cast<std::uint32_t>(groups))));
      std::vector<double> of_row(atoms.size(), 0.0);
      for (std::int32_t k = 0; k < copies; ++k) {
        const std::size_t l = stream.below(static_cast<std::uint32_t>(atoms.size() - seed % 3));
        of_row[l] += 1.0 / copies;
        drawn.push_back(atoms[l]);
        drawn_label.push_back(label.back());
        drawn_group.push_back(group.back());
      }
      pi.insert(pi.end(), of_row.begin(), of_row.end());
    }
  }
  [[nodiscard]] std::span<const double> of(std::size_t row) const {
    return std::span{pi}.subspan(row * atoms.size(), atoms.size());
  }
  [[nodiscard]] AtomSums sums(std::int64_t groups) const {
    AtomSums sums(atoms, groups);
    for (std::size_t i = 0; i < label.size(); ++i) sums.add(of(i), label[i], group[i]);
    return sums;
  }
};

TEST(RandomisedMeasures, AreThoseOfRowsDrawnAsOftenAsTheirProbabilitySays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::int64_t groups = 1 + static_cast<std::int64_t>(seed % 3);
    const Rows rows(seed, 3 + static_cast<std::int64_t>(seed % 11), groups);
    const Scored drawn{rows.drawn, rows.drawn_label, rows.drawn_group, groups, 0};
    const AtomSums sums = rows.sums(groups);
    ASSERT_EQ(randomised_regression().size(), regression().size() + 1);
    for (std::size_t m = 0; m < regression().size(); ++m) {
      const RandomisedMeasure& measure = randomised_regression()[m];
      ASSERT_EQ(measure.what.name, regression()[m].what.name);
      const double tolerance = measure.what.name == "wasserstein_2" ? 1e-7 : 1e-13;  // a root of 0
      const Value expected = regression()[m].of(drawn);
      ASSERT_EQ(measure.of(sums).defined(), expected.defined()) << measure.what.name;
      if (!expected.defined()) continue;
      EXPECT_NEAR(measure.of(sums).value, expected.value, tolerance)
          << measure.what.name << ", seed " << seed;
    }
  }
}

TEST(RandomisedMeasures, AtomGapAndDistancesOfGroupsAreTheirDefinitions) {
  const Rows rows(5, 40, 3);
  const AtomSums sums = rows.sums(3);
  double gap = 0;
  std::vector<double> distances(3, 0.0);
  const auto share = [&](auto accepts, int g) {
    double hits = 0, of = 0;
    for (std::size_t i = 0; i < rows.drawn.size(); ++i) {
      if (g >= 0 && rows.drawn_group[i] != g) continue;
      hits += accepts(rows.drawn[i]) ? 1 : 0;
      ++of;
    }
    return hits / of;
  };
  for (int g = 0; g < 3; ++g) {
    for (const double atom : atoms) {
      const auto equal = [&](double x) { return x == atom; };
      const auto below = [&](double x) { return x <= atom; };
      gap = std::max(gap, std::abs(share(equal, g) - share(equal, -1)));
      auto& distance = distances[static_cast<std::size_t>(g)];
      distance = std::max(distance, std::abs(share(below, g) - share(below, -1)));
    }
  }
  EXPECT_NEAR(randomised_regression().back().of(sums).value, gap, 1e-14);
  EXPECT_EQ(randomised_regression().back().what.name, "atom_gap");
  EXPECT_THAT(kolmogorov_smirnov_of_groups(sums),
              testing::Pointwise(testing::DoubleNear(1e-14), distances));
}

TEST(RandomisedMeasures, CopiesAreRowsAndAGroupWithoutRowsHasAReason) {
  AtomSums twice(atoms, 2), copied(atoms, 2);
  const std::vector<double> pi{0.5, 0.25, 0.25, 0, 0};
  for (const double target : {0.3, 0.3, 0.7, 0.7}) twice.add(pi, target, 1);
  for (const double target : {0.3, 0.7}) copied.add(pi, target, 1, 2);
  for (const RandomisedMeasure& measure : randomised_regression()) {
    const Value value = measure.of(twice);
    EXPECT_EQ(value.undefined_reason, measure.of(copied).undefined_reason);
    if (value.defined()) {
      EXPECT_DOUBLE_EQ(value.value, measure.of(copied).value) << measure.what.name;
    } else {
      EXPECT_EQ(value.undefined_reason, "no row in group 0");
    }
  }
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov_of_groups(twice)[0]));
  copied.clear();
  EXPECT_EQ(randomised_regression().front().of(copied).undefined_reason, "no row");
}

TEST(RandomisedBootstrap, OfCertainPredictionsIsThatOfTheOthers) {
  // Rows in the order of their predictions, which is that in which the other bootstrap draws.
  std::vector<double> pi, score, label;
  std::vector<std::int32_t> group;
  base::Stream stream(base::StreamKey(3, "test", "bootstrap"), 0);
  for (std::size_t i = 0; i < 50; ++i) {
    const std::size_t l = i / 10;
    score.push_back(atoms[l]);
    for (std::size_t k = 0; k < atoms.size(); ++k) pi.push_back(k == l ? 1 : 0);
    label.push_back(stream.normal());
    group.push_back(static_cast<std::int32_t>(i % 2));
  }
  const BootstrapOptions options{.resamples = 200};
  const base::StreamKey key(1, "task", "bootstrap");
  const auto found =
      bootstrap_intervals(randomised_regression(), atoms, pi, label, group, 2, options, key);
  const auto expected =
      bootstrap_intervals(regression(), Scored{score, label, group, 2, 0}, options, key);
  for (std::size_t m = 0; m < expected.size(); ++m) {
    ASSERT_EQ(found[m].interval.defined(), regression()[m].may_resample);
    if (!found[m].interval.defined()) continue;
    EXPECT_NEAR(found[m].interval.low, expected[m].interval.low, 1e-12) << m;
    EXPECT_NEAR(found[m].interval.high, expected[m].interval.high, 1e-12) << m;
    EXPECT_LT(found[m].interval.low, found[m].interval.high);
  }
}

TEST(RandomisedMeasures, HaveTheIntervalsOfRegressionWherePredictionsAreCertain) {
  const Sample sample = large_sample(8, 300, 3);
  std::vector<double> scores, label;
  AtomSums sums(atoms, 3);
  std::vector<double> pi(atoms.size());
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    const auto l = static_cast<std::size_t>(sample.score[i] * static_cast<double>(atoms.size()));
    std::ranges::fill(pi, 0.0);
    pi[std::min(l, atoms.size() - 1)] = 1;
    scores.push_back(atoms[std::min(l, atoms.size() - 1)]);
    label.push_back(10 * sample.label[i] + sample.score[i]);
    sums.add(pi, label.back(), sample.group[i]);
  }
  const Scored scored{scores, label, sample.group, 3, 0};
  for (std::size_t m = 0; m < regression().size(); ++m) {
    const Interval found = randomised_regression()[m].interval(sums, 0.95);
    const std::string& name = regression()[m].what.name;
    EXPECT_EQ(found.defined(), !name.starts_with("wasserstein")) << name;
    if (!found.defined()) continue;
    const Interval expected = regression()[m].interval(scored, 0.95);
    EXPECT_NEAR(found.low, expected.low, 1e-9) << name;
    EXPECT_NEAR(found.high, expected.high, 1e-9) << name;
  }
}

TEST(AtomSums, RefusesWhatDoesNotFit) {
  EXPECT_THROW(AtomSums({}, 1), std::invalid_argument);
  EXPECT_THROW(AtomSums({1, 1}, 1), std::invalid_argument);
  EXPECT_THROW(AtomSums({1, 2}, 0), std::invalid_argument);
  const std::vector<double> one{1};
  const std::vector<std::int32_t> group{0};
  EXPECT_THROW((void)bootstrap_intervals(randomised_regression(), atoms, one, one, group, 1, {},
                                         base::StreamKey(1, "", "")),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::metrics
