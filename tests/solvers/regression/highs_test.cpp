#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "solvers/regression/hard_problem.hpp"
#include "solvers/regression/optimum.hpp"
#include "support/temporary_folder.hpp"

// The least risk as an independent solver of linear programs finds it, HiGHS by way of scipy.

namespace fairfront::regression {
namespace {

struct Asked {
  HardProblem problem;
  double epsilon = 0;
  std::string name;
};

/// The problem for highs.py, with bounds that are looser by so much.
std::string line_of(const Asked& asked, double looser) {
  const PredictedRows& rows = asked.problem.rows;
  std::string text = fmt::format(
      "{} {} {} {} {}\n", rows.rows(), rows.groups, asked.problem.grid.atoms(),
      asked.problem.bound == ParityBound::atom ? "atom" : "cumulative", asked.epsilon + looser);
  for (const double eta : rows.eta) text += fmt::format("{} ", eta);
  text += "\n";
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    for (const double tilt : rows.tilts(i)) text += fmt::format("{} ", tilt);
  }
  text += "\n";
  for (const double atom : asked.problem.grid.values()) text += fmt::format("{} ", atom);
  return text + "\n";
}

/// `lower` holds for all predictions within the bounds, and `upper` is the risk of one that keeps
/// them up to 1e-10: that far bounds are loosened for the other side.
TEST(Highs, FindsTheSameLeastRiskOfHardTables) {
  const char* const command = std::getenv("FAIRFRONT_HIGHS");
  if (command == nullptr) GTEST_SKIP() << "FAIRFRONT_HIGHS is not set, as ctest sets it";
  std::vector<Asked> all;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const std::int64_t groups = 5 + static_cast<std::int64_t>(seed) % 12;
    for (const double epsilon : {0.0, 0x1p-20, 0x1p-7}) {
      all.push_back({HardProblem(seed, groups, 100), epsilon,
                     fmt::format("seed {}, {} groups, epsilon {}", seed, groups, epsilon)});
    }
  }
  const test::TemporaryFolder folder;
  {
    std::ofstream file(folder / "problems");
    for (const Asked& asked : all) file << line_of(asked, 0) << line_of(asked, kept_bound);
  }
  const int status = std::system(
      fmt::format("{} '{}' > '{}'", command, folder / "problems", folder / "found").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "scipy, which has HiGHS, is not installed";
  ASSERT_EQ(WEXITSTATUS(status), 0);

  constexpr double rounding = 1e-8;  // of HiGHS, where multipliers are 1e5
  std::ifstream found(folder / "found");
  std::size_t compared = 0, insensitive = 0;
  for (const Asked& asked : all) {
    double within = 0, loosened = 0;
    std::string first, second;
    ASSERT_TRUE(found >> first >> second) << asked.name;
    within = std::stod(first);
    loosened = std::stod(second);
    if (!std::isfinite(within) || !std::isfinite(loosened)) continue;
    ++compared;
    const std::vector<double> epsilon(static_cast<std::size_t>(asked.problem.rows.groups),
                                      asked.epsilon);
    const Limit ours = minimise_limit(
        ParityDual(asked.problem.rows, asked.problem.grid, asked.problem.bound, epsilon));
    EXPECT_TRUE(ours.converged) << asked.name;
    EXPECT_LE(ours.certificate.lower, within + rounding) << asked.name;
    EXPECT_GE(ours.certificate.upper, loosened - rounding) << asked.name;
    if (within - loosened > rounding) continue;
    ++insensitive;
    EXPECT_NEAR(ours.certificate.upper, within, 1e-7 + 2 * rounding) << asked.name;
  }
  EXPECT_GE(compared, 60U);
  EXPECT_GE(insensitive, 40U);
}

}  // namespace
}  // namespace fairfront::regression
