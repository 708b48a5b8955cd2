#include "solvers/training/strata.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

/// Groups of 170, 27 and 3 rows.
test::Data uneven() {
  test::Data data(1, 200, 2, 2);
  for (std::size_t i = 0; i < 200; ++i) data.groups[i] = i < 170 ? 0 : i < 197 ? 1 : 2;
  return data;
}

TEST(Strata, GiveEveryCellItsShareOfEveryBatchUpToOneRow) {
  const test::Data data = uneven();
  const Problem problem = data.problem({});
  Strata strata(problem, {1, "test"}, Sampling::shuffled);
  const std::vector<double> sizes{170, 27, 3};
  std::vector<double> seen(3, 0.0);
  constexpr int batches = 3000;
  for (int round = 0; round < batches; ++round) {
    std::vector<double> count(3, 0.0);
    const auto positions = strata.draw(16);
    ASSERT_EQ(positions.size(), 16U);
    for (const std::int64_t position : positions) {
      count[static_cast<std::size_t>(problem.train.cell[static_cast<std::size_t>(position)])] += 1;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LT(std::abs(count[k] - 16 * (0.9 * sizes[k] / 200 + 0.1 / 3)), 1) << k;
      seen[k] += count[k];
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(seen[k] / (16 * batches), 0.9 * sizes[k] / 200 + 0.1 / 3, 2e-3);
  }
}

TEST(Strata, WeighRowsSoThatMeansAreUnbiased) {
  const test::Data data = uneven();
  const Problem problem = data.problem({}, Fairness::equal_opportunity);  // some rows in no cell
  Strata strata(problem, {1, "test"}, Sampling::shuffled);
  std::vector<double> loss(200), cell_sum(3, 0.0), wanted(3, 0.0);
  double mean = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    loss[i] = std::fmod(static_cast<double>(i * i), 7.0);
    mean += loss[i] / 200;
    if (problem.train.cell[i] < 0) continue;
    const auto k = static_cast<std::size_t>(problem.train.cell[i]);
    wanted[k] += loss[i] / static_cast<double>(problem.train.of_cell[k].size());
  }
  double sum = 0;
  constexpr int batches = 20'000;
  for (int round = 0; round < batches; ++round) {
    for (const std::int64_t position : strata.draw(16)) {
      const auto i = static_cast<std::size_t>(position);
      sum += strata.weight(position) * loss[i] / (16.0 * batches);
      if (problem.train.cell[i] < 0) continue;
      cell_sum[static_cast<std::size_t>(problem.train.cell[i])] +=
          strata.cell_weight(position) * loss[i] / (16.0 * batches);
    }
  }
  EXPECT_NEAR(sum, mean, 0.01 * mean);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(cell_sum[k], wanted[k], 0.03 * wanted[k]);
}

TEST(Strata, DrawTheRowsOfACellEquallyOften) {
  const test::Data data = uneven();
  const Problem problem = data.problem({});
  Strata strata(problem, {1, "test"}, Sampling::shuffled);
  std::vector<std::int64_t> count(200, 0);
  for (int round = 0; round < 500; ++round) {
    for (const std::int64_t position : strata.draw(16)) ++count[static_cast<std::size_t>(position)];
  }
  for (const auto& [first, last] : {std::pair{0, 170}, std::pair{170, 197}, std::pair{197, 200}}) {
    const auto [least, most] = std::ranges::minmax(std::span(count).subspan(
        static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    EXPECT_LE(most - least, 1);
  }
}

}  // namespace
}  // namespace fairfront::training
