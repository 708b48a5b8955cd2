#include "data/sklearn_split.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/numpy_draw.hpp"
#include "data/split.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Expected rows: numpy 1.24.2 with scikit-learn 1.3's StratifiedShuffleSplit and ShuffleSplit,
// line by line in Python.

constexpr std::array<std::int32_t, 23> three{0, 2, 1, 1, 2, 2, 0, 1, 1, 2, 1, 2,
                                             2, 1, 1, 2, 1, 0, 2, 2, 1, 2, 1};

TEST(SklearnSplit, DrawsTheStratifiedRowsThatSklearnDraws) {
  const TwoParts one = sklearn_split(three, 0.3, 1);
  EXPECT_THAT(one.train, ElementsAre(12, 20, 8, 21, 2, 6, 3, 18, 17, 4, 9, 14, 10, 7, 19, 1));
  EXPECT_THAT(one.test, ElementsAre(13, 22, 5, 11, 0, 15, 16));
  const TwoParts seven = sklearn_split(three, 0.3, 7);
  EXPECT_THAT(seven.train, ElementsAre(2, 6, 7, 16, 4, 9, 11, 17, 21, 3, 5, 10, 13, 1, 12, 22));
  EXPECT_THAT(seven.test, ElementsAre(8, 18, 0, 14, 20, 15, 19));
  EXPECT_THAT(sklearn_split(three, 0.3, 4294967295).test, ElementsAre(10, 16, 15, 18, 19, 17, 2));
}

TEST(SklearnSplit, DrawsTiesOfRemaindersAsSklearnDoes) {
  std::vector<std::int32_t> four;
  for (std::int32_t i = 0; i < 20; ++i) four.push_back(i % 4);
  const TwoParts one = sklearn_split(four, 0.3, 1);
  EXPECT_THAT(one.train, ElementsAre(10, 9, 5, 7, 0, 14, 8, 6, 2, 11, 16, 15, 3, 13));
  EXPECT_THAT(one.test, ElementsAre(1, 17, 12, 18, 19, 4));
  const TwoParts two = sklearn_split(four, 0.3, 2);
  EXPECT_THAT(two.train, ElementsAre(11, 7, 0, 2, 14, 17, 16, 13, 3, 4, 6, 18, 1, 19));
  EXPECT_THAT(two.test, ElementsAre(12, 9, 8, 5, 15, 10));
}

TEST(SklearnSplit, WithoutStrataItIsAShuffle) {
  const std::vector<std::int32_t> none(11, 0);
  EXPECT_THAT(sklearn_split(none, 0.3, 1).train, ElementsAre(1, 6, 0, 7, 10, 8, 5));
  EXPECT_THAT(sklearn_split(none, 0.3, 1).test, ElementsAre(2, 3, 4, 9));
  EXPECT_THAT(sklearn_split(none, 0.3, 42).train, ElementsAre(2, 1, 8, 4, 7, 3, 6));
}

TEST(SklearnSplit, RefusesPartsWithoutRows) {
  EXPECT_THROW((void)sklearn_split(three, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)sklearn_split(three, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)sklearn_split(std::vector<std::int32_t>{0, -1}, 0.5, 1),
               std::invalid_argument);
}

TEST(SklearnSplitProperty, PartsAreDisjointTogetherAllAndOfTheSharesInEveryStratum) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    const auto stratum =
        *rc::gen::container<std::vector<std::int32_t>>(rc::gen::inRange<std::int32_t>(0, 5));
    const auto hundredths = *rc::gen::inRange(1, 100);
    RC_PRE(stratum.size() > 1U);
    const auto rows = static_cast<int>(stratum.size());
    const int test_rows = (rows * hundredths + 99) / 100;
    RC_PRE(test_rows < rows);
    const TwoParts parts = sklearn_split(stratum, hundredths / 100.0, seed);
    RC_ASSERT(std::ssize(parts.test) == test_rows);
    std::vector<std::int64_t> all = parts.train;
    all.insert(all.end(), parts.test.begin(), parts.test.end());
    std::ranges::sort(all);
    for (std::int64_t i = 0; i < rows; ++i) RC_ASSERT(all[static_cast<std::size_t>(i)] == i);
    std::array<int, 5> whole{}, test{};
    for (const std::int32_t s : stratum) ++whole[static_cast<std::size_t>(s)];
    const bool stratified = std::ranges::count_if(whole, [](int n) { return n > 0; }) > 1;
    for (const std::int64_t row : parts.test) {
      ++test[static_cast<std::size_t>(stratum[static_cast<std::size_t>(row)])];
    }
    for (std::size_t s = 0; stratified && s < whole.size(); ++s) {
      RC_ASSERT(std::abs(test[s] - whole[s] * double(test_rows) / rows) <= 1.0);
    }
  }));
}

TEST(Split, TrainTestSplitCutsTheOtherRowsInTwo) {
  std::vector<std::int32_t> group;
  for (std::int32_t i = 0; i < 20; ++i) group.push_back(i % 2);
  const std::vector<std::string> names{"a", "b"};
  const SplitSource source{.rows = 20, .group = group, .group_names = names};
  SplitOptions options{.by = SplitRule::train_test_split,
                       .validation = 0.1,
                       .test = 0.3,
                       .stratify = Stratify::group};
  const Split one = split_of(source, options);
  EXPECT_THAT(one.train, ElementsAre(0, 1, 4, 6, 7, 8, 9, 11, 12, 17, 18, 19));
  EXPECT_THAT(one.validation, ElementsAre(3, 14));
  EXPECT_THAT(one.test, ElementsAre(2, 5, 10, 13, 15, 16));
  options.split_seed = 2;
  EXPECT_THAT(split_of(source, options).validation, ElementsAre(11, 12));
  options.validation = 0;
  const Split no_validation = split_of(source, options);
  EXPECT_TRUE(no_validation.validation.empty());
  EXPECT_EQ(no_validation.test.size(), 6U);
  options.validation = 0.05;
  EXPECT_THAT(input_error([&] { (void)split_of(source, options); }),
              HasSubstr("too few for one in the validation part"));
  options.test = 0.95;
  EXPECT_THAT(input_error([&] { (void)split_of(source, options); }), HasSubstr("leave no rows"));
  options = {.by = SplitRule::train_test_split, .split_seed = std::int64_t{1} << 32};
  EXPECT_THAT(input_error([&] { (void)split_of(source, options); }), HasSubstr("below 2^32"));
}

}  // namespace
}  // namespace fairfront::data
