#include "solvers/clustering/front_gaps.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/clustering/clustering_support.hpp"

namespace fairfront::clustering {
namespace {

/// An archive of random clusterings, with several on its front.
BoxArchive<std::uint8_t> random_archive(const Problem& problem) {
  BoxArchive<std::uint8_t> archive(problem, 100);
  base::Stream stream(base::StreamKey(1, "test", "gaps"), 0);
  Partition<std::uint8_t> partition(problem);
  for (int i = 0; i < 5000; ++i) {
    partition.assign(problem, random_labelling<std::uint8_t>(problem, stream));
    archive.offer(partition);
  }
  return archive;
}

double area(const Gap& gap) { return (gap.high_cost - gap.low_cost) * gap.width(); }

TEST(FrontGaps, TakesTheLargestRectangleOverTheSquareOfLooks) {
  const Problem problem(random_dataset(1, 40, 2, 2), 2);
  const BoxArchive<std::uint8_t> archive = random_archive(problem);
  const ClusteringFront front = BoxArchive(archive).take_front();
  const std::size_t gaps = front.labels.size() - 1;
  ASSERT_GE(gaps, 3u);
  std::vector<double> areas;
  std::vector<double> looks(gaps, 1);
  for (std::size_t i = 0; i < gaps; ++i) {
    areas.push_back((front.points[2 * i + 2] - front.points[2 * i]) *
                    (front.points[2 * i + 3] - front.points[2 * i + 1]));
  }
  FrontGaps found(100);
  for (int look = 0; look < 50; ++look) {
    std::size_t expected = 0;
    const auto promise = [&](std::size_t i) { return areas[i] / (looks[i] * looks[i]); };
    for (std::size_t i = 1; i < gaps; ++i) expected = promise(i) > promise(expected) ? i : expected;
    const auto gap = found.most_promising(archive);
    ASSERT_TRUE(gap);
    EXPECT_NEAR(area(*gap), areas[expected], 1e-15);
    EXPECT_EQ(found.count_try(*gap), looks[expected] - 1);
    ++looks[expected];
  }
}

TEST(FrontGaps, AGapWithAnotherEndIsNew) {
  FrontGaps gaps(10);
  const Gap gap{2, 5, 1.0, 2.0, 0.2, 0.5};
  EXPECT_EQ(gaps.count_try(gap), 0);
  EXPECT_EQ(gaps.count_try(gap), 1);
  EXPECT_EQ(gaps.count_try({2, 4, 1.0, 1.5, 0.2, 0.4}), 0);
}

TEST(FrontGaps, NothingLiesBetweenFewerThanTwo) {
  const Problem problem(random_dataset(1, 40, 2, 2), 3);
  EXPECT_FALSE(FrontGaps(10).most_promising(BoxArchive<std::uint8_t>(problem, 10)));
}

TEST(FrontGaps, GoOnFromTheirTriesAndRefuseWhatIsNone) {
  FrontGaps gaps(10);
  (void)gaps.count_try({2, 5, 1.0, 2.0, 0.2, 0.5});
  (void)gaps.count_try({7, 8, 3.0, 4.0, 0.7, 0.8});
  FrontGaps same(10);
  EXPECT_TRUE(same.put_back(gaps.tried()));
  EXPECT_EQ(same.count_try({7, 8, 3.0, 4.0, 0.7, 0.8}), 1);
  const auto refused = [](const std::vector<TriedGap>& all) {
    EXPECT_FALSE(FrontGaps(10).put_back(all));
  };
  refused({{10, 1, 2, 1}});
  refused({{-1, 1, 2, 1}});
  refused({{3, 1, 2, 0}});
  refused({{3, 1, 2, std::numeric_limits<std::int64_t>::max()}});
  refused({{3, 1, std::numeric_limits<double>::quiet_NaN(), 1}});
  refused({{3, 1, 2, 1}, {3, 1, 2, 1}});
}

}  // namespace
}  // namespace fairfront::clustering
