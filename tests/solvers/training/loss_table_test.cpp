#include "solvers/training/loss_table.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "solvers/training/full_data.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

std::vector<std::int64_t> first_positions(std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

TEST(LossTable, HasTheGapsOfAllRowsOnceAllAreSeen) {
  const Data data(1, 120, 3, 3);
  const Problem problem = data.problem({4}, Fairness::equalised_odds);
  const auto w = initial_weights(problem.model, models::Initialisation::fan_in, 1);
  LossTable table(problem);
  EXPECT_FALSE(table.is_complete());
  Pass pass(problem);
  const auto positions = first_positions(120);
  const auto losses = pass.forward(w, problem.train.rows);
  table.update(std::span(positions).first(50), losses.first(50));
  table.update(std::span(positions).subspan(50), losses.subspan(50));
  EXPECT_TRUE(table.is_complete());
  std::vector<double> gaps(static_cast<std::size_t>(problem.constraints.gaps()));
  problem.constraints.gaps_of(table.means(), gaps);
  const PartLosses all = FullData(problem, test::no_control).losses(problem.train, w);
  for (std::size_t i = 0; i < gaps.size(); ++i) EXPECT_NEAR(gaps[i], all.gaps[i], 1e-13);
}

TEST(LossTable, CorrectsByHalfOfWhatRowsHaveChangedSinceTheyWereSeen) {
  const Data data(1, 40, 2, 2);  // rows take turns between the groups
  const Problem problem = data.problem({});
  LossTable table(problem);
  const auto positions = first_positions(40);
  table.update(positions, std::vector<double>(40, 1.0));
  EXPECT_NEAR(table.means()[0], 1, 1e-15);
  // 4 of 20 rows of each group have risen by 1: the mean by 0.2, and the age has a weight of 0.2.
  table.update(std::span(positions).first(8), std::vector<double>(8, 2.0));
  EXPECT_NEAR(table.means()[0], 1.2 + 0.5 * 0.2, 1e-14);
  EXPECT_NEAR(table.means()[1], 1.2 + 0.5 * 0.2, 1e-14);
}

}  // namespace
}  // namespace fairfront::training
