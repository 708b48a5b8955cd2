#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/balanced_assignment.hpp"
#include "support/temporary_folder.hpp"

// The cheapest assignment within a balance as an independent solver of integer programs finds it,
// HiGHS by way of scipy.

namespace fairfront::clustering {
namespace {

struct PointsOfGroups {
  std::int64_t groups = 0;
  std::int64_t clusters = 0;
  double balance = 0;
  std::vector<std::int32_t> group{};
  std::vector<double> squares{};
  std::string name{};
};

/// Normal points in the plane around centres and means of groups, which differ in size.
PointsOfGroups points_of_groups(std::uint64_t seed, std::int64_t groups, std::int64_t clusters,
                                double balance) {
  base::Stream stream(base::StreamKey(seed, "test", "points"), 0);
  PointsOfGroups made{groups, clusters, balance};
  made.name =
      fmt::format("seed {}, {} groups, {} clusters, balance {}", seed, groups, clusters, balance);
  std::vector<double> centres, shifts;
  for (std::int64_t i = 0; i < 2 * clusters; ++i) centres.push_back(stream.normal());
  for (std::int64_t i = 0; i < 2 * groups; ++i) shifts.push_back(0.5 * stream.normal());
  const std::int64_t rows = 12 * groups * clusters;
  for (std::int64_t row = 0; row < rows; ++row) {
    // The first group is twice as large as others.
    const auto group = static_cast<std::size_t>(std::max<std::int64_t>(row % (groups + 1) - 1, 0));
    const std::size_t home = stream.below(static_cast<std::uint32_t>(clusters));
    made.group.push_back(static_cast<std::int32_t>(group));
    const double x = centres[2 * home] + shifts[2 * group] + stream.normal();
    const double y = centres[2 * home + 1] + shifts[2 * group + 1] + stream.normal();
    for (std::size_t k = 0; k < centres.size(); k += 2) {
      made.squares.push_back(std::pow(x - centres[k], 2) + std::pow(y - centres[k + 1], 2));
    }
  }
  return made;
}

std::string text_of(const PointsOfGroups& points) {
  std::string text =
      fmt::format("{} {} {}\n", points.group.size(), points.clusters, points.balance);
  for (const std::int32_t group : points.group) text += fmt::format("{} ", group);
  text += "\n";
  for (const double square : points.squares) text += fmt::format("{} ", square);
  return text + "\n";
}

TEST(Highs, FindsNoCheaperAssignmentWithinABalance) {
  const char* const command = std::getenv("FAIRFRONT_HIGHS");
  if (command == nullptr) GTEST_SKIP() << "FAIRFRONT_HIGHS is not set, as ctest sets it";
  std::vector<PointsOfGroups> all;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const double balance : {0.2, 0.35, 0.46}) {
      const std::int64_t more = static_cast<std::int64_t>(seed) % 2;
      all.push_back(points_of_groups(seed, 2, 5 + more, balance));
      all.push_back(points_of_groups(seed, 4, 3 + more, balance));
    }
  }
  const test::TemporaryFolder folder;
  {
    std::ofstream file(folder / "problems");
    for (const PointsOfGroups& points : all) file << text_of(points);
  }
  const int status = std::system(
      fmt::format("{} '{}' > '{}'", command, folder / "problems", folder / "found").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "scipy, which has HiGHS, is not installed";
  ASSERT_EQ(WEXITSTATUS(status), 0);

  std::ifstream found(folder / "found");
  std::size_t compared = 0;
  for (const PointsOfGroups& points : all) {
    std::string least;
    ASSERT_TRUE(found >> least) << points.name;
    const BalancedAssignment ours = assign_within_balance(
        points.squares, points.group, points.groups, points.clusters, {.balance = points.balance});
    EXPECT_GE(ours.lower_bound, (1 - 1e-9) * ours.cost) << points.name;
    if (std::isnan(std::stod(least))) continue;
    ++compared;
    EXPECT_NEAR(ours.cost, std::stod(least), 1e-9 * ours.cost) << points.name;
  }
  EXPECT_GE(compared, 20U);
}

}  // namespace
}  // namespace fairfront::clustering
