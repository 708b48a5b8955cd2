#include "solvers/clustering/starts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

template <class Label>
std::vector<std::int64_t> sizes(const Problem& problem, const std::vector<Label>& labels) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(problem.clusters()), 0);
  for (const Label label : labels) ++result.at(label);
  return result;
}

/// No cluster empty, all labels below K. Both kinds of random labels and k-means++.
template <class Label>
void expect_all_clusters_used(const Problem& problem, std::uint64_t seed) {
  base::Stream stream(base::StreamKey(seed, "test", "starts"), 0);
  const std::vector<std::vector<Label>> starts{
      random_labels<Label>(problem, RandomStart::softmax, stream),
      random_labels<Label>(problem, RandomStart::by_group, stream),
      kmeans_plus_plus_labels<Label>(problem, stream)};
  for (const std::vector<Label>& labels : starts) {
    ASSERT_EQ(std::ssize(labels), problem.points());
    for (const std::int64_t size : sizes(problem, labels)) EXPECT_GT(size, 0);
  }
}

TEST(Starts, LeaveNoClusterEmpty) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 30, 2, 2);
    for (const std::int64_t clusters : {2, 5, 29, 30}) {
      expect_all_clusters_used<std::uint8_t>(Problem(dataset, clusters), seed);
    }
  }
  expect_all_clusters_used<std::uint16_t>(Problem(random_dataset(1, 900, 2, 2), 300), 1);
}

TEST(Starts, LeaveNoClusterEmptyWhereAllPointsCoincide) {
  data::Dataset dataset = random_dataset(1, 12, 2, 2);
  for (double& value : dataset.features) value = 3;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_all_clusters_used<std::uint8_t>(Problem(dataset, 7), seed);
  }
}

TEST(Starts, AreAFunctionOfTheStreamAlone) {
  const Problem problem(random_dataset(2, 100, 2, 2), 5);
  auto draw = [&](std::uint64_t index) {
    base::Stream stream(base::StreamKey(1, "test", "starts"), index);
    return std::pair{random_labels<std::uint8_t>(problem, RandomStart::softmax, stream),
                     kmeans_plus_plus_labels<std::uint8_t>(problem, stream)};
  };
  EXPECT_EQ(draw(0), draw(0));
  EXPECT_NE(draw(0), draw(1));
}

/// exp of a normal: the mean share of a cluster is 1/K, and shares vary far more than those of
/// equally likely labels do.
TEST(RandomLabels, SoftmaxGivesEveryClusterTheSameMeanShareAndUnequalSizes) {
  const Problem problem(random_dataset(3, 200, 1, 2), 4);
  constexpr int draws = 4000;
  std::vector<double> sums(4, 0);
  double squares = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    base::Stream stream(base::StreamKey(3, "test", "softmax"), i);
    const auto labels = random_labels<std::uint8_t>(problem, RandomStart::softmax, stream);
    const std::vector<std::int64_t> count = sizes(problem, labels);
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(count[k]) / 200;
    squares += std::pow(static_cast<double>(count[0]) / 200 - 0.25, 2);
  }
  const double variance = squares / draws;
  for (const double sum : sums) EXPECT_NEAR(sum / draws, 0.25, 5 * std::sqrt(variance / draws));
  EXPECT_GT(variance, 10 * 0.25 * 0.75 / 200);
}

TEST(RandomLabels, ByGroupDrawsADistributionOfItsOwnForEveryGroup) {
  const Problem problem(random_dataset(4, 2000, 1, 2), 2);
  auto mean_difference = [&](RandomStart kind) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      base::Stream stream(base::StreamKey(4, "test", "by_group"), i);
      const auto labels = random_labels<std::uint8_t>(problem, kind, stream);
      double share[2] = {0, 0};
      for (std::int64_t p = 0; p < 2000; ++p) {
        const std::int64_t j = problem.group_of(p);
        share[j] += static_cast<double>(labels[static_cast<std::size_t>(p)]) /
                    static_cast<double>(problem.group_begin(j + 1) - problem.group_begin(j));
      }
      sum += std::abs(share[0] - share[1]);
    }
    return sum / 200;
  };
  EXPECT_LT(mean_difference(RandomStart::softmax), 0.03);  // sampling noise only
  // Two independent uniform shares differ by 1/3 on average, with standard deviation 0.236.
  EXPECT_NEAR(mean_difference(RandomStart::by_group), 1.0 / 3, 5 * 0.236 / std::sqrt(200));
}

TEST(KmeansPlusPlus, FindsClustersThatLieFarApart) {
  data::Dataset dataset = random_dataset(5, 120, 2, 2);
  for (std::size_t p = 0; p < 120; ++p) dataset.features[2 * p] += 1e4 * static_cast<double>(p % 4);
  const Problem problem(dataset, 4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "far"), 0);
    const std::vector<std::uint8_t> labels =
        by_row<std::uint8_t>(problem, kmeans_plus_plus_labels<std::uint8_t>(problem, stream));
    for (std::size_t p = 4; p < 120; ++p) EXPECT_EQ(labels[p], labels[p % 4]);
  }
}

TEST(KmeansPlusPlus, StartsFarBelowRandomLabels) {
  const data::Dataset dataset = random_dataset(6, 400, 2, 2);
  const Problem problem(dataset, 8);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "cost"), 0);
    const auto cost = [&](const std::vector<std::uint8_t>& labels) {
      return naive_cost<std::uint8_t>(dataset, 8, by_row<std::uint8_t>(problem, labels));
    };
    EXPECT_LT(cost(kmeans_plus_plus_labels<std::uint8_t>(problem, stream)),
              0.5 * cost(random_labels<std::uint8_t>(problem, RandomStart::softmax, stream)));
  }
}

}  // namespace
}  // namespace fairfront::clustering
