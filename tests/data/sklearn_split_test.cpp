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

TEST(SklearnSplit, PartsHaveTheSizesThatSklearnGivesThem) {
  struct Sizes {
    std::size_t rows;
    std::array<std::int64_t, 11> test;  // by share
  };
  constexpr std::array shares{
      0.07, 0.14, 0.28, 0.29, 0.55, 0.56, 0.1, 0.2, 0.3, 0.35, 0.3333333333333333};
  // scikit-learn 1.2.1: len(train_test_split(range(rows), test_size=share)[1])
  for (const Sizes& sizes :
       {Sizes{25, {2, 4, 8, 8, 14, 15, 3, 5, 8, 9, 9}},
        Sizes{50, {4, 8, 15, 15, 28, 29, 5, 10, 15, 18, 17}},
        Sizes{100, {8, 15, 29, 29, 56, 57, 10, 20, 30, 35, 34}},
        Sizes{150, {11, 22, 43, 44, 83, 85, 15, 30, 45, 53, 50}},
        Sizes{200, {15, 29, 57, 58, 111, 113, 20, 40, 60, 70, 67}},
        Sizes{300, {22, 43, 85, 87, 165, 169, 30, 60, 90, 105, 100}},
        Sizes{700, {50, 99, 197, 203, 386, 393, 70, 140, 210, 245, 234}},
        Sizes{1994, {140, 280, 559, 579, 1097, 1117, 200, 399, 599, 698, 665}},
        Sizes{2000, {140, 280, 560, 580, 1100, 1120, 200, 400, 600, 700, 667}}}) {
    const std::vector<std::int32_t> none(sizes.rows, 0);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_EQ(std::ssize(sklearn_split(none, shares[i], 1).test), sizes.test[i])
          << sizes.rows << ", " << shares[i];
    }
  }
}

Split three_parts(std::size_t rows, double validation, double test) {
  const std::vector<std::int32_t> group(rows, 0);
  const std::vector<std::string> names{"a"};
  const SplitSource source{
      .rows = static_cast<std::int64_t>(rows), .group = group, .group_names = names};
  return split_of(
      source,
      SplitOptions{.by = SplitRule::train_test_split, .validation = validation, .test = test});
}

/// Sizes and rows of scikit-learn 1.2.1 with both = round(validation + test, 10):
///   train, rest = train_test_split(range(rows), test_size=both, random_state=1)
///   validation, test = train_test_split(rest, test_size=test / both, random_state=1)
TEST(SklearnSplit, ThreePartsAreThoseOfTwoCalls) {
  struct Sizes {
    std::size_t rows;
    std::array<std::int64_t, 18> parts;  // by shares: of validation and test
  };
  struct Shares {
    double validation, test;
  };
  constexpr std::array shares{Shares{0.1, 0.2},  Shares{0.2, 0.1},  Shares{0.2, 0.2},
                              Shares{0.4, 0.2},  Shares{0.25, 0.1}, Shares{0.15, 0.15},
                              Shares{0.05, 0.1}, Shares{0.1, 0.1},  Shares{0.3, 0.4}};
  for (const Sizes& sizes :
       {Sizes{30, {2, 7, 5, 4, 6, 6, 11, 7, 7, 4, 4, 5, 1, 4, 3, 3, 8, 13}},
        Sizes{90, {8, 19, 17, 10, 18, 18, 35, 19, 22, 10, 13, 14, 4, 10, 9, 9, 26, 37}},
        Sizes{100, {9, 21, 19, 11, 20, 20, 39, 21, 24, 11, 15, 15, 4, 11, 10, 10, 29, 41}},
        Sizes{150, {14, 31, 29, 16, 30, 30, 59, 31, 37, 16, 22, 23, 7, 16, 15, 15, 44, 61}},
        Sizes{300, {29, 61, 59, 31, 60, 60, 119, 61, 74, 31, 45, 45, 14, 31, 30, 30, 89, 121}},
        Sizes{1000,
              {99, 201, 199, 101, 200, 200, 399, 201, 249, 101, 150, 150, 49, 101, 100, 100, 299,
               401}},
        Sizes{1994,
              {199, 400, 399, 200, 399, 399, 797, 400, 498, 200, 299, 300, 99, 201, 199, 200, 598,
               798}},
        Sizes{2000,
              {199, 401, 399, 201, 400, 400, 799, 401, 499, 201, 300, 300, 99, 201, 200, 200, 599,
               801}}}) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Split found = three_parts(sizes.rows, shares[i].validation, shares[i].test);
      EXPECT_EQ(std::ssize(found.validation), sizes.parts[2 * i]) << sizes.rows << ", " << i;
      EXPECT_EQ(std::ssize(found.test), sizes.parts[2 * i + 1]) << sizes.rows << ", " << i;
    }
  }
  const Split hundred = three_parts(100, 0.1, 0.2);
  EXPECT_THAT(hundred.test, ElementsAre(2, 10, 19, 27, 31, 33, 35, 36, 44, 51, 52, 62, 73, 78, 81,
                                        82, 84, 92, 93, 94, 97));
  EXPECT_THAT(hundred.validation, ElementsAre(17, 32, 38, 39, 46, 56, 65, 69, 80));
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
    const auto test_rows = static_cast<int>(std::ceil(hundredths / 100.0 * rows));
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
