#include "data/numpy_draw.hpp"

#include <rapidcheck.h>

#include <numeric>

#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::ElementsAre;

// Expected values: numpy 1.24.2, numpy.random.RandomState(seed).choice(rows, count, replace=False).
TEST(NumpyChoice, DrawsTheRowsThatNumpyDraws) {
  EXPECT_THAT(numpy_choice(20, 20, 1),
              ElementsAre(3, 16, 6, 10, 2, 14, 4, 17, 7, 1, 13, 0, 19, 18, 9, 15, 8, 12, 11, 5));
  EXPECT_THAT(numpy_choice(1000, 10, 42),
              ElementsAre(521, 737, 740, 660, 411, 678, 626, 513, 859, 136));
  const auto adult = numpy_choice(32561, 5000, 7);
  EXPECT_EQ(adult.front(), 18329);
  EXPECT_EQ(adult.back(), 8941);
  EXPECT_EQ(std::accumulate(adult.begin(), adult.end(), std::int64_t{0}), 81865094);
}

TEST(NumpyPermutation, IsThatOfNumpy) {
  const auto order = numpy_permutation(20, 42);
  EXPECT_THAT(std::vector<std::int64_t>(order.end() - 6, order.end()),
              ElementsAre(4, 12, 7, 10, 14, 6));
}

TEST(NumpyChoice, RefusesMoreRowsThanThereAre) {
  EXPECT_THROW((void)numpy_choice(5, 6, 1), std::invalid_argument);
  EXPECT_THROW((void)numpy_choice(5, -1, 1), std::invalid_argument);
  EXPECT_THROW((void)numpy_choice(std::int64_t{1} << 32, 1, 1), std::invalid_argument);
}

TEST(NumpyChoiceProperty, DrawsDifferentRowsAndShorterDrawsAreTheBeginningOfLongerOnes) {
  EXPECT_TRUE(rc::check([](std::uint32_t seed) {
    const auto rows = *rc::gen::inRange<std::int64_t>(1, 200);
    const auto count = *rc::gen::inRange<std::int64_t>(0, rows + 1);
    auto all = numpy_choice(rows, rows, seed);
    const auto some = numpy_choice(rows, count, seed);
    RC_ASSERT(std::equal(some.begin(), some.end(), all.begin()));
    std::sort(all.begin(), all.end());
    for (std::int64_t i = 0; i < rows; ++i) RC_ASSERT(all[static_cast<std::size_t>(i)] == i);
  }));
}

}  // namespace
}  // namespace fairfront::data
