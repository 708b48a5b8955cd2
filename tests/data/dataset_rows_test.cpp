#include "data/dataset_rows.hpp"

#include <cmath>

#include "data/fitted_preparation.hpp"
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

TEST(ScaleRowsToUnit, PutsRowsOnTheUnitCircleAndLeavesZero) {
  std::vector<double> rows{3, 4, 0, 0, 1e-8, 0};
  scale_rows_to_unit(rows, 2);
  EXPECT_THAT(rows, ElementsAre(0.6, 0.8, 0, 0, 1e-8 / std::sqrt(1e-14), 0));
  rows[0] = 1e200;
  EXPECT_THAT(input_error([&] { scale_rows_to_unit(rows, 2); }), HasSubstr("squares overflows"));
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

}  // namespace
}  // namespace fairfront::data
