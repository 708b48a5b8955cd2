#include "solvers/regression/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/elementary.hpp"
#include "solvers/regression/optimum.hpp"
#include "solvers/regression/stochastic.hpp"
#include "solvers/regression/support.hpp"
#include "support/allocation_count.hpp"

namespace fairfront::regression {
namespace {

/// A row of an endless population, drawn anew.
struct Arrival {
  double eta;
  std::vector<double> tau;
};
void draw(base::Stream& stream, Arrival& row) {
  row.eta = 1.6 * stream.uniform() - 0.8;
  const double odds = base::exp(2 * row.eta + stream.normal());
  row.tau.assign({1 / (1 + odds), odds / (1 + odds)});
}

TEST(StreamedDual, OnTheRowsThatWereDrawnItDoesWhatTheOptimiserDoes) {
  const Sample sample = random_sample(40, 3, 1);
  const std::vector<double> p = mean_shares(sample.tau, 3), epsilon{0.01, 0.02, 0.005};
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  const Grid grid{5, 1};
  const DualProblem problem(rows, grid, 30, epsilon);
  for (const auto& [rule, optimiser] : {std::pair{StreamRule::ac_sa, Optimiser::ac_sa},
                                        {StreamRule::averaged_sgd, Optimiser::averaged_sgd}}) {
    const auto expected =
        stochastic_dual(problem, {.optimiser = optimiser, .steps = 300}, 5, "key");
    StreamedDual streamed(grid, p, 30, epsilon, {.rule = rule});
    base::Stream draws(base::StreamKey(5, "key", "regression/rows"), 0);
    for (int t = 0; t < 300; ++t) {
      const std::size_t row = draws.below(40);
      streamed.add(sample.eta[row], std::span{sample.tau}.subspan(3 * row, 3));
    }
    const std::vector<double> w = streamed.multipliers();
    double size = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      EXPECT_NEAR(w[i], expected.w[i], 1e-12);  // the same formulas in another order
      size = std::max(size, w[i]);
    }
    EXPECT_GT(size, 1e-3);
  }
}

TEST(StreamedDual, AllocatesNothingHoweverManyRowsArrive) {
  StreamedDual streamed({14, 1}, {0.5, 0.5}, 54, {0.01, 0.01});
  base::Stream stream = stream_of(1, "arrivals");
  Arrival row;
  draw(stream, row);
  streamed.add(row.eta, row.tau);
  const std::int64_t before = support::allocations();
  for (int t = 1; t < 20'000; ++t) {
    draw(stream, row);
    streamed.add(row.eta, row.tau);
  }
  EXPECT_EQ(support::allocations() - before, 0);
  EXPECT_EQ(streamed.rows(), 20'000);
}

TEST(StreamedDual, OnePassComesCloserToThePopulationsOptimumWithMoreRows) {
  // The population is stood for by 4,000 rows of their own.
  Sample sample;
  base::Stream stream = stream_of(2, "population");
  Arrival row;
  for (int i = 0; i < 4000; ++i) {
    draw(stream, row);
    sample.eta.push_back(row.eta);
    sample.tau.insert(sample.tau.end(), row.tau.begin(), row.tau.end());
  }
  const std::vector<double> p = mean_shares(sample.tau, 2), epsilon{0.01, 0.01};
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  const Grid grid{8, 1};
  const DualProblem whole(rows, grid, 20, epsilon);
  const Optimum best = minimise_dual(ParityDual(rows, grid, ParityBound::atom, epsilon), 20);
  StreamedDual streamed(grid, p, 20, epsilon);
  std::vector<double> gaps;
  for (const std::int64_t count : {200, 2000, 20'000}) {
    while (streamed.rows() < count) {
      draw(stream, row);
      streamed.add(row.eta, row.tau);
    }
    gaps.push_back(whole.value(streamed.multipliers()) - best.value);
  }
  // At least as the root of the number of rows, a factor of 3.2, up to the luck of the draws.
  EXPECT_GE(gaps[2], 0);
  EXPECT_LT(gaps[1], gaps[0] / 2);
  EXPECT_LT(gaps[2], gaps[1] / 2);
}

TEST(StreamedDual, BadInputIsRefused) {
  const Grid grid{3, 1};
  EXPECT_THROW(StreamedDual(grid, {1}, 10, {0.1}), std::invalid_argument);
  EXPECT_THROW(StreamedDual(grid, {0.5, 0}, 10, {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(StreamedDual(grid, {0.5, 0.5}, 10, {0.1}), std::invalid_argument);
  EXPECT_THROW(StreamedDual(grid, {0.5, 0.5}, 10, {0.1, -1}), std::invalid_argument);
  StreamedDual streamed(grid, {0.5, 0.5}, 10, {0.1, 0.1});
  EXPECT_THROW(streamed.add(0, std::vector<double>{1}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
