#include "solvers/regression/merged_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solvers/regression/support.hpp"

namespace fairfront::regression {
namespace {

TEST(MergedRows, KeepTheMeansOfTheTiltsAndTheirSum) {
  for (const std::int64_t count : {1, 7, 50, 199, 200}) {
    const PredictedRows rows = random_rows(200, 3, 1);
    const PredictedRows merged = merged_rows(rows, count);
    ASSERT_EQ(merged.rows(), count);
    for (std::size_t s = 0; s < 3; ++s) {
      double all = 0, few = 0;
      for (std::int64_t i = 0; i < rows.rows(); ++i) all += rows.tilts(i)[s] / 200;
      for (std::int64_t i = 0; i < count; ++i) {
        few += merged.tilts(i)[s] / static_cast<double>(count);
      }
      EXPECT_NEAR(few, all, 1e-14);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::size_t s = 0; s < 3; ++s) sum += rows.shares[s] * merged.tilts(i)[s];
      EXPECT_NEAR(sum, 0, 1e-14);
    }
  }
}

TEST(MergedRows, AreAllRowsWhereNoneIsMerged) {
  const PredictedRows rows = random_rows(30, 2, 2);
  std::vector<double> eta = rows.eta, merged = merged_rows(rows, 30).eta;
  std::ranges::sort(eta);
  std::ranges::sort(merged);
  EXPECT_EQ(merged, eta);
}

TEST(MergedRows, StandForNeighbours) {
  // Four corners, far apart, five rows at each.
  PredictedRows rows{2, {}, {}, {0.5, 0.5}};
  for (int i = 0; i < 20; ++i) {
    const double eta = i % 2 == 0 ? -0.5 : 0.5, tilt = i % 4 < 2 ? -1 : 1;
    rows.eta.push_back(eta);
    rows.tilt.insert(rows.tilt.end(), {tilt, -tilt});
  }
  const PredictedRows merged = merged_rows(rows, 4);
  EXPECT_EQ(merged.eta, (std::vector<double>{-0.5, -0.5, 0.5, 0.5}));
  EXPECT_EQ(merged.tilt, (std::vector<double>{-1, 1, 1, -1, -1, 1, 1, -1}));
}

TEST(MergedRows, RefuseMoreRowsThanThereAre) {
  const PredictedRows rows = random_rows(5, 2, 1);
  EXPECT_THROW((void)merged_rows(rows, 6), std::invalid_argument);
  EXPECT_THROW((void)merged_rows(rows, 0), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
