#include "solvers/clustering/box_archive.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "solvers/clustering/clustering_support.hpp"

namespace fairfront::clustering {
namespace {

/// Random clusterings, biased to be balanced or cheap so that many are good.
std::vector<Partition<std::uint8_t>> random_partitions(const Problem& problem, int count) {
  base::Stream stream(base::StreamKey(1, "test", "offers"), 0);
  std::vector<Partition<std::uint8_t>> all;
  Partition<std::uint8_t> partition(problem);
  for (int i = 0; i < count; ++i) {
    partition.assign(problem, random_labelling<std::uint8_t>(problem, stream));
    all.push_back(partition);
  }
  return all;
}

TEST(BoxArchive, TheHypervolumeIsThatOfTheFrontAndGrowsWithEveryOfferThatIsKept) {
  const Problem problem(random_dataset(1, 30, 2, 2), 3);
  for (const std::int64_t boxes : {1, 2, 7, 1000}) {
    BoxArchive<std::uint8_t> archive(problem, boxes);
    double before = 0;
    int kept = 0;
    for (const auto& partition : random_partitions(problem, 2000)) {
      const bool gain = archive.offer(partition) && partition.bottleneck().balance.least > 0;
      kept += gain ? 1 : 0;
      const double now = archive.hypervolume();
      EXPECT_NEAR(now, BoxArchive(archive).take_front().hypervolume, 1e-13);
      EXPECT_GE(now, before);
      EXPECT_EQ(now > before, gain);
      before = now;
    }
    EXPECT_GT(kept, 0);
    EXPECT_LE(std::ssize(BoxArchive(archive).take_front().labels), boxes);
  }
}

TEST(BoxArchive, WithABoxForEveryBalanceItKeepsTheWholeFront) {
  const data::Dataset dataset = random_dataset(2, 24, 2, 3);
  const Problem problem(dataset, 2);
  BoxArchive<std::uint8_t> archive(problem, 10'000);
  std::vector<Clustering> all;
  for (const auto& partition : random_partitions(problem, 3000)) {
    archive.offer(partition);
    all.push_back(clustering_of(problem, partition));
  }
  const ClusteringFront expected = front_of(problem, std::move(all));
  const ClusteringFront found = BoxArchive(archive).take_front();
  EXPECT_GE(expected.labels.size(), 4u);
  EXPECT_EQ(found.points, expected.points);
  EXPECT_EQ(found.labels, expected.labels);
}

TEST(BoxArchive, TheCheapestIsSoughtFromABalanceUpwards) {
  const Problem problem(random_dataset(3, 40, 2, 2), 3);
  BoxArchive<std::uint8_t> archive(problem, 1000);
  EXPECT_EQ(archive.cheapest_from(0), nullptr);
  for (const auto& partition : random_partitions(problem, 500)) archive.offer(partition);
  const ClusteringFront front = BoxArchive(archive).take_front();
  for (std::size_t i = 0; i < front.labels.size(); ++i) {
    const auto* entry = archive.cheapest_from(front.points[2 * i + 1]);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->cost, front.points[2 * i]);
    EXPECT_EQ(entry->balance, front.points[2 * i + 1]);
  }
  EXPECT_EQ(archive.cheapest_from(front.points.back() + 0.01), nullptr);
}

}  // namespace
}  // namespace fairfront::clustering
