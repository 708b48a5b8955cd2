#include "solvers/clustering/member_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace fairfront::clustering {
namespace {

template <class Label>
class MemberSearchTest : public ::testing::Test {};
using Labels = ::testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(MemberSearchTest, Labels);

/// Random labels in blocks, the last of which ends before it is full.
template <class Label>
struct Sample {
  Sample(std::int64_t points, std::int64_t length, std::uint32_t clusters, std::uint64_t seed) {
    base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
    for (std::int64_t p = 0; p < points; ++p) {
      labels.push_back(static_cast<Label>(wanted + stream.below(clusters)));
    }
    for (std::int64_t p = points / 4; p < points / 3; ++p) {
      labels[static_cast<std::size_t>(p)] = wanted;  // whole words, and none at all
      labels[static_cast<std::size_t>(points - p)] = wanted + 1;
    }
    rows.resize(labels.size());
    for (std::int64_t p = 0; p < points; ++p) {
      if (p % length == 0) {
        begins.push_back(static_cast<std::int32_t>(p));
        through.push_back(through.empty() ? 0 : through.back());
      }
      if (labels[static_cast<std::size_t>(p)] != wanted) continue;
      members.push_back(p);
      ++through.back();
    }
  }

  [[nodiscard]] RankedBlocks<Label> blocks() const {
    return {labels.data(),  std::ssize(labels), wanted,      std::ssize(through),
            through.data(), begins.data(),      rows.data(), 1};
  }

  static constexpr Label wanted = sizeof(Label) == 1 ? 200 : 0x80c8;
  std::vector<Label> labels;
  std::vector<double> rows;
  std::vector<std::int32_t> through;
  std::vector<std::int32_t> begins;
  std::vector<std::int64_t> members;
};

/// Few ranks are searched for one by one, many and up to thousands by a table.
TYPED_TEST(MemberSearchTest, EveryProcessorFindsTheMembersOfAScanByTheirRanks) {
  for (const std::int64_t points : {40, 64, 1000, 5000, 30'000}) {
    for (const std::int64_t length : {32, 64, 256, 4096}) {
      for (const std::uint32_t clusters : {2u, 7u}) {
        const Sample<TypeParam> sample(points, length, clusters, 1);
        base::Stream stream(base::StreamKey(2, "test", "ranks"), 0);
        const auto count = static_cast<std::uint32_t>(sample.members.size());
        std::vector<std::int64_t> ranks;
        std::vector<std::int64_t> expected;
        for (std::uint32_t i = 0; i < count + 150; ++i) {  // each of them, and some again
          ranks.push_back(i < count ? i : stream.below(count));
          expected.push_back(sample.members[static_cast<std::size_t>(ranks.back())]);
        }
        for (const base::Simd simd : base::available_simd()) {
          for (const std::size_t asked : {std::size_t{5}, std::size_t{70}, ranks.size()}) {
            const auto begin = static_cast<std::ptrdiff_t>(ranks.size() - asked);
            std::vector<std::int64_t> found(ranks.begin() + begin, ranks.end());
            member_search(simd).of<TypeParam>().find(sample.blocks(), found.data(),
                                                     std::ssize(found));
            ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + begin))
                << base::name_of(simd) << ' ' << points << ' ' << length << ' ' << asked;
          }
        }
      }
    }
  }
}

TYPED_TEST(MemberSearchTest, EveryProcessorWritesTheMembersOfAScan) {
  for (const std::int64_t points : {40, 64, 1000, 5000}) {
    const Sample<TypeParam> sample(points, 64, 7, 1);
    for (const base::Simd simd : base::available_simd()) {
      std::vector<std::int64_t> found(sample.members.size() + 1, -1);
      const auto write = member_search(simd).of<TypeParam>().template write<std::int64_t>();
      const std::int64_t* const end =
          write(sample.labels.data(), points, sample.wanted, 0, found.data());
      EXPECT_EQ(end - found.data(), std::ssize(sample.members));
      EXPECT_EQ(found.back(), -1) << "nothing is written behind the last";
      found.pop_back();
      EXPECT_EQ(found, sample.members) << base::name_of(simd) << ' ' << points;
    }
  }
}

TEST(MemberSearch, EveryProcessorMeasuresRowsToSinglePrecision) {
  for (const std::int64_t columns : {1, 3, 4, 5, 9}) {
    base::Stream stream(base::StreamKey(1, "test", "rows"), 0);
    constexpr std::int64_t points = 100;
    std::vector<double> rows;
    for (std::int64_t i = 0; i < points * columns; ++i) rows.push_back(stream.normal());
    std::vector<double> from;
    for (std::int64_t i = 0; i < columns; ++i) from.push_back(stream.normal());
    std::vector<std::int32_t> members;
    std::vector<double> expected;
    for (std::int32_t p = 3; p < points; p += 2) {
      members.push_back(p);
      double sum = 0;
      for (std::int64_t i = 0; i < columns; ++i) {
        const double difference =
            rows[static_cast<std::size_t>(p * columns + i)] - from[static_cast<std::size_t>(i)];
        sum += difference * difference;
      }
      expected.push_back(sum);
    }
    for (const base::Simd simd : base::available_simd()) {
      std::vector<float> squared(members.size() + 1, -1);
      member_search(simd).measure(
          {rows.data(), columns, members.data(), std::ssize(members), from.data()}, squared.data());
      EXPECT_EQ(squared.back(), -1) << "nothing is written behind the last";
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(squared[i], expected[i], 1e-7 * expected[i]) << base::name_of(simd);
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
