#include "solvers/common/batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace fairfront::solvers {
namespace {

using testing::ElementsAreArray;
using testing::UnorderedElementsAreArray;

using RowList = std::vector<std::int64_t>;

RowList rows_from(std::int64_t first, std::int64_t count) {
  RowList rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

RowList copy(std::span<const std::int64_t> rows) { return {rows.begin(), rows.end()}; }

base::StreamKey key(std::uint64_t seed = 1) { return {seed, "task", "batches"}; }

/// All batches of one epoch, one after another.
RowList epoch_of(Batches& batches, std::int64_t size) {
  RowList all;
  while (std::ssize(all) < batches.rows()) {
    const auto batch = batches.next(size);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

TEST(Batches, AnEpochHasEveryRowOnceAndItsLastBatchIsShort) {
  Batches batches(rows_from(100, 23), key());
  for (int epoch = 1; epoch <= 5; ++epoch) {
    RowList all;
    for (const std::size_t size : {5u, 5u, 5u, 5u, 3u}) {
      const auto batch = batches.next(5);
      EXPECT_EQ(batch.size(), size);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    EXPECT_EQ(batches.epochs(), epoch);
    EXPECT_THAT(all, UnorderedElementsAreArray(rows_from(100, 23)));
  }
}

TEST(Batches, EpochsHaveTheirOwnOrdersOrAllTheFirstOnes) {
  Batches own(rows_from(0, 30), key());
  Batches same(rows_from(0, 30), key(), EpochOrder::repeated);
  const RowList first = epoch_of(own, 8);
  EXPECT_EQ(epoch_of(same, 8), first);
  EXPECT_EQ(epoch_of(same, 8), first);
  EXPECT_NE(epoch_of(own, 8), first);
}

TEST(Batches, FollowFromTheKeyAndNotFromTheSizesOfBatches) {
  Batches one(rows_from(0, 40), key());
  Batches other(rows_from(0, 40), key());
  Batches third(rows_from(0, 40), key(2));
  const RowList order = epoch_of(one, 7);
  EXPECT_EQ(epoch_of(other, 40), order);
  EXPECT_NE(epoch_of(third, 7), order);
}

TEST(Batches, EveryPlaceOfAnEpochIsEquallyLikelyForEveryRow) {
  constexpr std::int64_t rows = 6;
  constexpr int epochs = 30'000;
  Batches batches(rows_from(0, rows), key());
  std::map<std::pair<std::int64_t, std::int64_t>, int> count;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::int64_t place = 0; place < rows; ++place) ++count[{place, batches.next(1)[0]}];
  }
  const double share = 1.0 / rows;
  const double deviation = std::sqrt(share * (1 - share) * epochs);
  for (const auto& entry : count) EXPECT_NEAR(entry.second, share * epochs, 5 * deviation);
  EXPECT_EQ(count.size(), 36u);
}

TEST(Batches, DrawsWithReplacementAreUniformAndLeaveTheEpochAlone) {
  constexpr int draws = 60'000;
  Batches batches(rows_from(3, 5), key());
  Batches untouched(rows_from(3, 5), key());
  std::map<std::int64_t, int> count;
  int repeated = 0;
  for (int i = 0; i < draws / 3; ++i) {
    const auto batch = batches.draw(3);
    ASSERT_EQ(batch.size(), 3u);
    for (const std::int64_t row : batch) ++count[row];
    repeated += batch[0] == batch[1] ? 1 : 0;
  }
  for (std::int64_t row = 3; row < 8; ++row) {
    EXPECT_NEAR(count[row], draws / 5.0, 5 * std::sqrt(draws * 0.2 * 0.8));
  }
  EXPECT_NEAR(repeated, draws / 15.0, 5 * std::sqrt(draws / 3.0 * 0.2 * 0.8));
  EXPECT_EQ(epoch_of(batches, 2), epoch_of(untouched, 2));
}

TEST(Batches, OfNoRowsAreRefused) {
  EXPECT_THROW(Batches({}, key()), std::invalid_argument);
  EXPECT_THROW(GroupBatches({}, 1, "task", "g"), std::invalid_argument);
  EXPECT_THROW(GroupBatches({{1}, {}}, 1, "task", "g"), std::invalid_argument);
}

TEST(GroupBatches, EveryGroupHasItsShareAndItsOwnEpochs) {
  const std::vector<RowList> groups{rows_from(0, 3), rows_from(50, 10)};
  GroupBatches batches(groups, 1, "task", "groups");
  RowList small;
  RowList large;
  for (int i = 0; i < 6; ++i) {
    const RowList a = copy(batches.next(0, 4));
    const RowList b = copy(batches.next(1, 4));
    EXPECT_EQ(a.size(), 4u);
    EXPECT_EQ(b.size(), 4u);
    small.insert(small.end(), a.begin(), a.end());
    large.insert(large.end(), b.begin(), b.end());
  }
  // 24 rows: whole epochs one after another, each with every row once.
  for (std::size_t at = 0; at < 24; at += 3) {
    EXPECT_THAT(std::span(small).subspan(at, 3), UnorderedElementsAreArray(groups[0]));
  }
  for (const std::size_t at : {0u, 10u}) {
    EXPECT_THAT(std::span(large).subspan(at, 10), UnorderedElementsAreArray(groups[1]));
  }
}

TEST(GroupBatches, GroupsOfOneSizeHaveDifferentOrders) {
  GroupBatches batches({rows_from(0, 20), rows_from(0, 20)}, 1, "task", "groups");
  const RowList first = copy(batches.next(0, 20));
  EXPECT_NE(first, copy(batches.next(1, 20)));
}

TEST(GeometricSize, FollowsItsLaw) {
  constexpr int draws = 200'000;
  for (const double p : {0.4, 0.5, 0.9}) {
    base::Stream stream(key(), static_cast<std::uint64_t>(1000 * p));
    std::map<std::int64_t, int> count;
    for (int i = 0; i < draws; ++i) ++count[geometric_size(stream, p)];
    double left = draws;
    for (std::int64_t level = 0; level < 8; ++level) {
      const double share = p * std::pow(1 - p, static_cast<double>(level));
      const int seen = count[std::int64_t{2} << level];
      EXPECT_NEAR(seen, share * draws, 5 * std::sqrt(share * draws) + 1) << p << " " << level;
      left -= seen;
    }
    EXPECT_NEAR(left, draws * std::pow(1 - p, 8), 5 * std::sqrt(draws * std::pow(1 - p, 8)) + 1);
  }
}

TEST(GeometricSize, EndsAtTheLastLevel) {
  constexpr int draws = 20'000;
  base::Stream stream(key(), 0);
  int last = 0;
  for (int i = 0; i < draws; ++i) {
    const std::int64_t size = geometric_size(stream, 0.3, 2);
    EXPECT_LE(size, 8);
    last += size == 8 ? 1 : 0;
  }
  EXPECT_NEAR(last, draws * 0.49, 5 * std::sqrt(draws * 0.49 * 0.51));
  EXPECT_EQ(geometric_size(stream, 1), 2);
  EXPECT_THROW((void)geometric_size(stream, 0), std::invalid_argument);
  EXPECT_THROW((void)geometric_size(stream, 0.5, 62), std::invalid_argument);
}

TEST(Batches, GoOnFromAPlaceAsIfNothingHadHappened) {
  const std::vector<std::int64_t> rows{1, 2, 3, 4, 5, 6, 7};
  for (const EpochOrder order : {EpochOrder::reshuffled, EpochOrder::repeated}) {
    const base::StreamKey key(1, "test", "places");
    Batches all(rows, key, order);
    for (int step = 0; step < 12; ++step) {
      Batches other(rows, key, order);
      other.go_to(all.place());
      EXPECT_EQ(other.place(), all.place());
      Batches copy = all;
      for (int k = 0; k < 5; ++k) {
        const auto expected = copy.next(3);
        const auto found = other.next(3);
        EXPECT_TRUE(std::ranges::equal(found, expected));
        EXPECT_TRUE(std::ranges::equal(other.draw(2), copy.draw(2)));
      }
      (void)all.next(2);
      (void)all.draw(1);
    }
    EXPECT_THROW(all.go_to({0, 1, 0}), std::invalid_argument);
    EXPECT_THROW(all.go_to({1, 8, 0}), std::invalid_argument);
    EXPECT_THROW(all.go_to({-1, 0, 0}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fairfront::solvers
