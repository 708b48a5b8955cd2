#include "solvers/clustering/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

template <class Label>
struct PartitionTest : ::testing::Test {
  static constexpr std::int64_t many_clusters = sizeof(Label) == 1 ? 7 : 300;
};
using LabelTypes = ::testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(PartitionTest, LabelTypes);

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <class Label>
std::vector<std::byte> packed(const Problem& problem, const Partition<Label>& partition) {
  std::vector<std::byte> bytes(Partition<Label>::bytes(problem));
  partition.pack(bytes.data());
  return bytes;
}

template <class Label>
std::vector<std::int64_t> scan(const Problem& problem, const Partition<Label>& partition,
                               std::int64_t k, std::int64_t j) {
  std::vector<std::int64_t> found;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    if (partition.label(p) == k && problem.group_of(p) == j) found.push_back(p);
  }
  return found;
}

TYPED_TEST(PartitionTest, ThousandsOfMovesLeaveTheSameBitsAsAFreshAssignment) {
  using Label = TypeParam;
  const data::Dataset dataset = random_dataset(1, 2000, 3, 3);
  const Problem problem(dataset, this->many_clusters);
  base::Stream stream(base::StreamKey(1, "test", "moves"), 0);
  Partition<Label> moved(problem);
  Partition<Label> fresh(problem);
  for (int move = 1; move <= 20'000; ++move) {
    moved.relabel(problem, stream.below(2000),
                  static_cast<Label>(stream.below(static_cast<std::uint32_t>(problem.clusters()))));
    if (move % 1000 != 0) continue;
    fresh.assign(problem, moved.labels());
    ASSERT_EQ(packed(problem, moved), packed(problem, fresh));
    ASSERT_EQ(bits(moved.cost(problem)), bits(fresh.cost(problem)));
    ASSERT_EQ(bits(moved.bottleneck().balance.value()), bits(fresh.bottleneck().balance.value()));
  }
}

TYPED_TEST(PartitionTest, ObjectivesAreThoseOfTheDefinition) {
  using Label = TypeParam;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 1500, 4, 2);
    const Problem problem(dataset, this->many_clusters);
    base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
    Partition<Label> partition(problem);
    partition.assign(problem, random_labelling<Label>(problem, stream));
    const std::vector<Label> rows = by_row(problem, partition.labels());
    // Sums of 1500 squares in doubles: about 1500 roundings of 1e-16 times a cost of 4.
    EXPECT_NEAR(partition.cost(problem), naive_cost<Label>(dataset, problem.clusters(), rows),
                1e-12);
    EXPECT_EQ(partition.bottleneck().balance.value(),
              naive_balance<Label>(dataset, problem.clusters(), rows));
  }
}

TYPED_TEST(PartitionTest, MembersAreThoseOfAScan) {
  using Label = TypeParam;
  for (const std::int64_t points : {310, 1003, 5000}) {  // blocks of 32 and of 64 or more points
    const data::Dataset dataset = random_dataset(3, points, 1, 3);
    const Problem problem(dataset, this->many_clusters);
    base::Stream stream(base::StreamKey(3, "test", "labels"), 0);
    Partition<Label> partition(problem);
    std::vector<Label> labels = random_labelling<Label>(problem, stream);
    for (std::size_t p = 0; p < labels.size() / 3; ++p)
      labels[p] = 2;  // long runs and empty blocks
    partition.assign(problem, labels);
    std::vector<std::int64_t> listed;
    MemberIndex index;
    for (std::int64_t k = 0; k < problem.clusters(); ++k) {
      for (std::int64_t j = 0; j < problem.groups(); ++j) {
        const std::vector<std::int64_t> expected = scan(problem, partition, k, j);
        ASSERT_EQ(partition.count(k, j), std::ssize(expected));
        listed = {-1};
        partition.append_members(problem, k, j, listed);
        listed.erase(listed.begin());  // what had been there stays
        ASSERT_EQ(listed, expected);
        for (std::size_t rank = 0; rank < expected.size(); ++rank) {
          const auto r = static_cast<std::int64_t>(rank);
          ASSERT_EQ(partition.member(problem, k, j, r), expected[rank]);
        }
      }
      // Of several groups at once, from the last rank to the first.
      const std::vector<std::int64_t> groups{0, 2};
      std::vector<std::int64_t> expected = scan(problem, partition, k, 0);
      for (const std::int64_t p : scan(problem, partition, k, 2)) expected.push_back(p);
      std::ranges::reverse(expected);
      std::vector<std::int64_t> found(expected.size());
      std::iota(found.rbegin(), found.rend(), 0);
      partition.find_members(problem, k, groups, index, found);
      ASSERT_EQ(found, expected);
    }
  }
}

TYPED_TEST(PartitionTest, UnpackRestoresWhatPackWrote) {
  using Label = TypeParam;
  const data::Dataset dataset = random_dataset(4, 700, 2, 2);
  const Problem problem(dataset, this->many_clusters);
  base::Stream stream(base::StreamKey(4, "test", "labels"), 0);
  Partition<Label> from(problem);
  from.assign(problem, random_labelling<Label>(problem, stream));
  Partition<Label> to(problem);
  const std::vector<std::byte> bytes = packed(problem, from);
  EXPECT_NE(packed(problem, to), bytes);
  to.unpack(bytes.data());
  EXPECT_EQ(packed(problem, to), bytes);
  EXPECT_EQ(bits(to.cost(problem)), bits(from.cost(problem)));
}

TYPED_TEST(PartitionTest, MovingAPointToItsOwnClusterChangesNothing) {
  using Label = TypeParam;
  const data::Dataset dataset = random_dataset(5, 600, 2, 2);
  const Problem problem(dataset, this->many_clusters);
  base::Stream stream(base::StreamKey(5, "test", "labels"), 0);
  Partition<Label> partition(problem);
  partition.assign(problem, random_labelling<Label>(problem, stream));
  const std::vector<std::byte> before = packed(problem, partition);
  for (std::int64_t p = 0; p < 600; ++p) {
    partition.relabel(problem, p, partition.label(p));
  }
  EXPECT_EQ(packed(problem, partition), before);
}

TEST(Partition, TheBottleneckIsTheFirstClusterAndTheFirstGroupsOfLeastBalance) {
  data::Dataset dataset = empty_dataset(1, 3);
  dataset.rows = 12;
  //                 cluster 0: 2 1 1   cluster 1: 1 2 1   cluster 2: 1 1 2
  dataset.group = {0, 0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2};
  dataset.features.assign(12, 0);
  const std::vector<std::uint8_t> rows{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  const Problem problem(dataset, 3);
  std::vector<std::uint8_t> labels(12);
  for (std::int64_t p = 0; p < 12; ++p) {
    labels[static_cast<std::size_t>(p)] = rows[static_cast<std::size_t>(problem.row(p))];
  }
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, labels);
  const Bottleneck worst = partition.bottleneck();
  EXPECT_EQ(worst.cluster, 0);
  EXPECT_EQ(worst.rare, 1);
  EXPECT_EQ(worst.common, 0);
  EXPECT_EQ(worst.balance.value(), 0.5);
}

TEST(Partition, AnEmptyClusterHasBalanceZeroAndIsNoticed) {
  const data::Dataset dataset = random_dataset(6, 20, 2, 2);
  const Problem problem(dataset, 3);
  const Partition<std::uint8_t> partition(problem);
  EXPECT_TRUE(partition.has_empty_cluster());
  EXPECT_EQ(partition.bottleneck().cluster, 1);
  EXPECT_EQ(partition.bottleneck().balance.value(), 0);
  EXPECT_NEAR(partition.cost(problem), problem.total_variance(), 1e-15);
}

TEST(Partition, TheCostOfOnePointPerClusterIsNotNegative) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 12, 3, 2);
    const Problem problem(dataset, 12);
    base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
    Partition<std::uint8_t> partition(problem);
    partition.assign(problem, random_labelling<std::uint8_t>(problem, stream));
    EXPECT_FALSE(partition.has_empty_cluster());
    EXPECT_GE(partition.cost(problem), 0);
    EXPECT_LT(partition.cost(problem), 1e-14);
  }
}

TEST(Partition, TheCostIsZeroWhereAndOnlyWhereEveryPointIsItsCentroid) {
  // Sums of such squares in floating point end some 1e-33 off zero, now here and now there.
  data::Dataset dataset = random_dataset(8, 210, 3, 2);
  for (std::size_t p = 4; p < 210; ++p) {
    for (std::size_t i = 0; i < 3; ++i) {
      dataset.features[3 * p + i] = dataset.features[3 * (p % 4) + i];
    }
  }
  const Problem problem(dataset, 12);
  base::Stream stream(base::StreamKey(8, "test", "labels"), 0);
  Partition<std::uint8_t> partition(problem);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint8_t> labels;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      labels.push_back(static_cast<std::uint8_t>(problem.row(p) % 4 + 4 * stream.below(3)));
    }
    partition.assign(problem, labels);
    ASSERT_EQ(partition.cost(problem), 0);
    partition.relabel(problem, 0, static_cast<std::uint8_t>((labels[0] + 1) % 4));
    ASSERT_GT(partition.cost(problem), 1e-6);
  }
}

TEST(Partition, ATinyCostInOneColumnIsSeenBesideAnotherThatIsFarLarger) {
  data::Dataset dataset = lattice_dataset(9, 40, 2, 2);
  for (std::size_t p = 0; p < 40; ++p) {
    dataset.features[2 * p] = p % 2 == 0 ? 1e20 : -1e20;
    dataset.features[2 * p + 1] = p < 2 ? 1e-5 : 0;
  }
  const Problem problem(dataset, 2);
  std::vector<std::uint8_t> labels;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    labels.push_back(static_cast<std::uint8_t>(problem.row(p) % 2));
  }
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, labels);
  EXPECT_NEAR(partition.cost(problem) / (1e-10 * 19 / 400), 1, 1e-9);
}

/// From the distances to the clusters' means, where nothing cancels.
long double cost_by_distances(const Problem& problem, std::span<const std::uint8_t> labels) {
  long double cost = 0;
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    for (std::int64_t i = 0; i < problem.columns(); ++i) {
      long double sum = 0, members = 0;
      for (std::int64_t p = 0; p < problem.points(); ++p) {
        if (labels[static_cast<std::size_t>(p)] != k) continue;
        sum += problem.point(p)[i];
        ++members;
      }
      const long double mean = members > 0 ? sum / members : 0;
      for (std::int64_t p = 0; p < problem.points(); ++p) {
        if (labels[static_cast<std::size_t>(p)] != k) continue;
        const long double difference = problem.point(p)[i] - mean;
        cost += difference * difference;
      }
    }
  }
  return cost / static_cast<long double>(problem.points());
}

TEST(Partition, TheCostBesideAnOutlierIsThatOfTheDistances) {
  // An outlier of 1e8 alone in its cluster: of 16 digits of the squares 13 cancel.
  for (const double outlier : {1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
    data::Dataset dataset = random_dataset(7, 1000, 3, 2);
    dataset.features[3] = outlier;
    const Problem problem(dataset, 4);
    std::int64_t place = 0;
    while (problem.row(place) != 1) ++place;
    std::vector<std::uint8_t> labels;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      labels.push_back(static_cast<std::uint8_t>(p == place ? 3 : p % 3));
    }
    Partition<std::uint8_t> partition(problem);
    partition.assign(problem, labels);
    const auto expected = static_cast<double>(cost_by_distances(problem, labels));
    EXPECT_GT(expected, 1e-3);
    EXPECT_NEAR(partition.cost(problem) / expected, 1, 1e-9) << outlier;
  }
}

TEST(Partition, MeansAreThoseOfTheMembers) {
  const data::Dataset dataset = lattice_dataset(7, 60, 2, 2);
  const Problem problem(dataset, 3);
  base::Stream stream(base::StreamKey(7, "test", "labels"), 0);
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, random_labelling<std::uint8_t>(problem, stream));
  for (std::int64_t k = 0; k < 3; ++k) {
    double sums[2] = {0, 0};
    for (std::int64_t p = 0; p < 60; ++p) {
      for (std::int64_t i = 0; i < 2 && partition.label(p) == k; ++i) {
        sums[i] += problem.point(p)[i];
      }
    }
    Centres centres(problem);
    partition.mean(problem, k, centres);
    EXPECT_EQ(centres.coordinate(k, 0), sums[0] / partition.size(k));
    EXPECT_EQ(centres.coordinate(k, 1), sums[1] / partition.size(k));
  }
}

}  // namespace
}  // namespace fairfront::clustering
