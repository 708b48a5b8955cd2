#include "solvers/ranking/row_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace fairfront::ranking {
namespace {

const base::StreamKey key(1, "test", "row stream");

/// 60, 25, 0, 12 and 3 rows of five cells, mixed.
std::vector<std::uint8_t> mixed_cells() {
  std::vector<std::uint8_t> cells;
  for (int i = 0; i < 100; ++i) {
    const int turned = 37 * i % 100;
    cells.push_back(turned < 60 ? 0 : turned < 85 ? 1 : turned < 97 ? 3 : 4);
  }
  return cells;
}

TEST(RowStream, BalancedBatchesHaveAsManyRowsOfEveryCellAndWeightsThatMakeUpForIt) {
  const std::vector<std::uint8_t> cells = mixed_cells();
  constexpr std::array<double, 5> shares{0.6, 0.25, 0, 0.12, 0.03};
  RowStream stream(cells, RowOrder::balanced, key);
  std::vector<int> seen(cells.size());
  for (const std::int64_t size : {4, 6, 7, 100}) {
    for (int batch = 0; batch < 50; ++batch) {
      std::array<int, 5> count{};
      std::array<double, 5> weight{};
      const auto rows = stream.next(size);
      ASSERT_EQ(std::ssize(rows), size);
      for (const std::int64_t row : rows) {
        const auto i = static_cast<std::size_t>(row);
        ++seen[i];
        ++count[cells[i]];
        weight[cells[i]] += stream.weights()[cells[i]] / static_cast<double>(size);
      }
      for (const std::size_t c : {0u, 1u, 3u, 4u}) {
        EXPECT_TRUE(count[c] == size / 4 || count[c] == size / 4 + 1);
        EXPECT_NEAR(weight[c], shares[c], 1e-14);
      }
    }
  }
  // 5850 rows, a quarter from each cell, equally often each of it: within five deviations.
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double expected = 5850.0 / 4 / (100 * shares[cells[i]]);
    EXPECT_NEAR(seen[i], expected, 5 * std::sqrt(expected)) << i;
  }
}

TEST(RowStream, OtherRowsHaveTheWeightOne) {
  const std::vector<std::uint8_t> cells = mixed_cells();
  for (const RowOrder order : {RowOrder::drawn, RowOrder::shuffled, RowOrder::file}) {
    RowStream stream(cells, order, key);
    (void)stream.next(10);
    for (const double weight : stream.weights()) EXPECT_EQ(weight, 1);
  }
}

TEST(RowStream, GoesOnFromWhatItHasKept) {
  const std::vector<std::uint8_t> cells = mixed_cells();
  for (const RowOrder order :
       {RowOrder::balanced, RowOrder::drawn, RowOrder::shuffled, RowOrder::file}) {
    RowStream stream(cells, order, key);
    for (int batch = 0; batch < 13; ++batch) (void)stream.next(9);
    solvers::Packer packer;
    stream.pack(packer);
    const std::string bytes = packer.take();
    const auto expected = stream.next(9);
    RowStream other(cells, order, key);
    solvers::Unpacker unpacker(bytes);
    other.unpack(unpacker);
    const auto found = other.next(9);
    EXPECT_EQ(std::vector(found.begin(), found.end()),
              std::vector(expected.begin(), expected.end()));
  }
}

TEST(RowStream, ABalancedBatchNeedsARowOfEveryCell) {
  const std::vector<std::uint8_t> cells = mixed_cells();
  RowStream stream(cells, RowOrder::balanced, key);
  EXPECT_THROW((void)stream.next(3), std::invalid_argument);
  EXPECT_EQ(std::ssize(stream.next(4)), 4);
}

}  // namespace
}  // namespace fairfront::ranking
