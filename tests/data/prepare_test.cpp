#include "data/prepare.hpp"

#include <rapidcheck.h>

#include <cmath>

#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset two_columns(std::vector<double> features) {
  Dataset set;
  set.columns = 2;
  set.rows = static_cast<std::int64_t>(features.size()) / 2;
  set.features = std::move(features);
  set.feature_names = {"a", "b"};
  set.group.assign(static_cast<std::size_t>(set.rows), 0);
  set.group_names = {"all"};
  return set;
}

TEST(Standardise, TheUnitOfAColumnMakesNoDifferenceHoweverSmallOrLarge) {
  const std::vector<double> plain{1, 4, 3, 1, 5, 9, 2, 2};
  Dataset expected = two_columns(plain);
  standardise_columns(expected);
  for (const double unit : {0x1p-1000, 0x1p-600, 0x1p600, 0x1p1000}) {
    std::vector<double> scaled = plain;
    for (double& value : scaled) value *= unit;
    Dataset set = two_columns(scaled);
    standardise_columns(set);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_DOUBLE_EQ(set.features[i], expected.features[i]) << unit;
    }
  }
}

TEST(Standardise, UsesThePopulationDeviationAndMakesAConstantColumnZero) {
  Dataset set = two_columns({1, 0.1, 3, 0.1, 5, 0.1});
  standardise_columns(set);
  const double unit = std::sqrt(1.5);
  EXPECT_DOUBLE_EQ(set.features[0], -unit);
  EXPECT_DOUBLE_EQ(set.features[4], unit);
  EXPECT_EQ(set.features[1], 0);
  EXPECT_EQ(set.features[3], 0);
  EXPECT_EQ(set.features[5], 0);
}

TEST(Standardise, OverflowIsAnErrorThatNamesTheColumn) {
  Dataset set = two_columns({1, 1e308, 2, 1.5e308});
  EXPECT_THAT(input_error([&] { standardise_columns(set); }),
              HasSubstr("column 'b' cannot be standardised"));
}

TEST(NormaliseRows, PutsRowsOnTheUnitCircleAndLeavesZero) {
  Dataset set = two_columns({3, 4, 0, 0, 1e-8, 0});
  normalise_rows(set);
  EXPECT_THAT(set.features, ElementsAre(0.6, 0.8, 0, 0, 1e-8 / std::sqrt(1e-14), 0));
  set.features[0] = 1e200;
  EXPECT_THAT(input_error([&] { normalise_rows(set); }), HasSubstr("squares overflows"));
}

TEST(KeepRows, TakesEveryPartOfTheRowsInTheOrderGiven) {
  Dataset set = two_columns({0, 1, 10, 11, 20, 21});
  set.label = {0, 1, 2};
  set.split = {5, 6, 7};
  set.group = {2, 1, 0};
  keep_rows(set, std::vector<std::int64_t>{2, 0});
  EXPECT_EQ(set.rows, 2);
  EXPECT_THAT(set.features, ElementsAre(20, 21, 0, 1));
  EXPECT_THAT(set.label, ElementsAre(2, 0));
  EXPECT_THAT(set.split, ElementsAre(7, 5));
  EXPECT_THAT(set.group, ElementsAre(0, 2));
}

TEST(Digest, ChangesWithEveryPart) {
  const Dataset set = two_columns({0, 1, 10, 11});
  const std::string digest = digest_of(set);
  EXPECT_EQ(digest, digest_of(set));
  const auto changed = [&](auto change) {
    Dataset other = set;
    change(other);
    return digest_of(other) != digest;
  };
  EXPECT_TRUE(changed([](Dataset& d) { d.features[3] = 12; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.group[0] = 1; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.group_names[0] = "none"; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.label = {0, 1}; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.split = {0, 1}; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.columns = 4, d.rows = 1; }));
}

TEST(StandardiseProperty, MeanIsZeroAndDeviationOne) {
  EXPECT_TRUE(rc::check([] {
    auto values = *rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(-1000, 1000), [](int v) { return v / 8.0; }));
    values.insert(values.end(), {1, 2, 3, 4});
    if (values.size() % 2 == 1) values.push_back(0);
    Dataset set = two_columns(values);
    standardise_columns(set);
    for (std::size_t column = 0; column < 2; ++column) {
      double sum = 0;
      double squares = 0;
      for (std::size_t i = column; i < values.size(); i += 2) {
        sum += set.features[i];
        squares += set.features[i] * set.features[i];
      }
      const auto rows = static_cast<double>(set.rows);
      RC_ASSERT(std::abs(sum / rows) < 1e-12);
      RC_ASSERT(std::abs(squares / rows - 1) < 1e-12);
    }
  }));
}

}  // namespace
}  // namespace fairfront::data
