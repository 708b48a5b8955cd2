#include "solvers/clustering/gain_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

/// The furthest that a member of group j in k is past the middle of the means of k and l.
double furthest_past(const Problem& problem, const Partition<std::uint8_t>& partition,
                     const Centres& means, std::int64_t k, std::int64_t l, std::int64_t j) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t p = problem.group_begin(j); p < problem.group_begin(j + 1); ++p) {
    if (partition.label(p) != k) continue;
    const double* x = problem.point(p);
    most = std::max(most, 0.5 * (means.squared_distance(k, x) - means.squared_distance(l, x)));
  }
  return most;
}

TEST(GainBounds, LeaveNoPairOutThatCouldGainAndMostThatCannot) {
  constexpr std::int64_t clusters = 6;
  const Problem problem(random_dataset(3, 2000, 2, 2), clusters);
  ASSERT_TRUE(GainBounds::are_of_use(problem));
  base::Stream stream(base::StreamKey(1, "test", "bounds"), 0);
  Partition<std::uint8_t> partition(problem);
  Centres means(problem);
  std::vector<std::uint8_t> labels;
  for (std::int64_t k = 0; k < clusters; ++k) means.set(k, problem.coordinates(100 * k + 7));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    labels.push_back(static_cast<std::uint8_t>(means.nearest(problem.point(p))));
  }
  partition.assign(problem, labels);
  const auto update_means = [&] {
    for (std::int64_t k = 0; k < clusters; ++k) partition.mean(problem, k, means);
  };
  update_means();
  GainBounds bounds(problem, 1000);  // of normal points
  bounds.begin(means);
  for (std::int64_t p = 0; p < problem.points(); ++p) bounds.add(p, partition.label(p));
  int left_out = 0;
  int of_no_use = 0;
  for (int round = 0; round < 40; ++round) {
    for (std::int64_t k = 0; k < clusters; ++k) {
      for (std::int64_t l = 0; l < clusters; ++l) {
        if (k == l) continue;
        for (std::int64_t j = 0; j < 2; ++j) {
          const double sum = furthest_past(problem, partition, means, k, l, j) +
                             furthest_past(problem, partition, means, l, k, j);
          const bool may = bounds.may_gain(means, k, l, j, 0);
          EXPECT_TRUE(may || sum <= 0);
          of_no_use += round == 0 && sum < -1e-3 ? 1 : 0;
          left_out += round == 0 && !may ? 1 : 0;
        }
      }
    }
    for (int change = 0; change < 5; ++change) {
      const std::int64_t p = stream.below(2000);
      const auto to = static_cast<std::uint8_t>(stream.below(clusters));
      partition.relabel(problem, p, to);
      bounds.add(p, to);
    }
    update_means();
  }
  EXPECT_GT(of_no_use, 10);
  EXPECT_GE(left_out, of_no_use);
}

}  // namespace
}  // namespace fairfront::clustering
