#include "models/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace fairfront::models {
namespace {

/// Of two levels, of 2 and 4 rows.
TransportStep small() { return {{0, 1}, {1.0 / 3, 2.0 / 3}, {{0, 4}, {10, 12, 14, 16}}}; }

double at(const Transport& transport, double value, std::int32_t group) {
  return transport(value, group, std::array{value});
}

TEST(Transport, MovesByHand) {
  const Transport middle({small()}, 2, {.epsilon = 0, .ties = Ties::middle});
  // Below all: u = 1/6, the smallest of both. Of 0 itself u = 1/3: 0, and the second of four.
  EXPECT_DOUBLE_EQ(at(middle, -1, 0), 0.0 / 3 + 10 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(at(middle, 0, 0), 0.0 / 3 + 12 * 2.0 / 3);
  // Between them u = 1/2; above all u = 5/6.
  EXPECT_DOUBLE_EQ(at(middle, 1, 0), 0.0 / 3 + 12 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(at(middle, 9, 0), 4.0 / 3 + 16 * 2.0 / 3);
  // Of the other level between 14 and 16: u = 7/10.
  EXPECT_DOUBLE_EQ(at(middle, 15, 1), 4.0 / 3 + 14 * 2.0 / 3);
}

TEST(Transport, EpsilonGoesAlongTheGeodesicAndOneChangesNoBit) {
  const Transport fair({small()}, 2, {.epsilon = 0, .ties = Ties::middle});
  const Transport half({small()}, 2, {.epsilon = 0.5, .ties = Ties::middle});
  const Transport none({small()}, 2, {.epsilon = 1, .ties = Ties::drawn});
  EXPECT_EQ(at(half, 0.3, 0), 0.5 * at(fair, 0.3, 0) + 0.5 * 0.3);
  EXPECT_EQ(at(none, 0.3, 1), 0.3);
}

/// The ranks of exchangeable rows are uniform also where all are equal or nearly so: mean 1/2 and
/// mean square 1/3, here of 4,000 rows, whose standard errors are .0046 and .0047.
TEST(Transport, DrawnRanksAreUniformWithAndWithoutTies) {
  std::vector<double> percents;
  for (int i = 1; i <= 1000; ++i) percents.push_back(i / 1000.0);
  base::Stream stream(base::StreamKey(1, "test", "transport"), 0);
  for (const int values : {1, 2, 1000000}) {
    std::vector<double> own;
    for (int i = 0; i < 40; ++i) own.push_back(stream.below(static_cast<std::uint32_t>(values)));
    double sum = 0, squares = 0;
    constexpr int rounds = 100;  // with new rows that are fitted to
    for (int round = 0; round < rounds; ++round) {
      for (double& value : own) value = stream.below(static_cast<std::uint32_t>(values));
      std::ranges::sort(own);
      const Transport transport({{{0, 1}, {0, 1}, {own, percents}}}, 2, {});
      for (int i = 0; i < 40; ++i) {
        const double value = stream.below(static_cast<std::uint32_t>(values));
        const double u = transport(value, 0, std::array{stream.uniform()});
        sum += u / (40 * rounds);
        squares += u * u / (40 * rounds);
      }
    }
    EXPECT_NEAR(sum, 0.5, 0.02) << values;
    EXPECT_NEAR(squares, 1.0 / 3, 0.02) << values;
  }
}

TEST(Transport, OfRowsFittedToCostsWhatTheBestCouplingsCost) {
  // Groups of equal size, where the best barycentre pairs sorted predictions: no other pairing of
  // three rows each has a smaller cost, which brute force over all 3! x 3! pairings says.
  const std::vector<std::vector<double>> groups{{0.1, 0.5, 2.0}, {1.0, 1.1, 4.0}, {-3.0, 0, 9.0}};
  const Transport transport({{{0, 1, 2}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, groups}}, 3,
                            {.ties = Ties::middle});
  double cost = 0;
  for (std::int32_t g = 0; g < 3; ++g) {
    for (const double value : groups[static_cast<std::size_t>(g)]) {
      cost += std::pow(at(transport, value, g) - value, 2);
    }
  }
  double best = 1e300;
  std::array<std::size_t, 3> one{0, 1, 2};
  do {
    std::array<std::size_t, 3> other{0, 1, 2};
    do {
      double paired = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::array values{groups[0][i], groups[1][one[i]], groups[2][other[i]]};
        const double mean = (values[0] + values[1] + values[2]) / 3;
        for (const double value : values) paired += (value - mean) * (value - mean);
      }
      best = std::min(best, paired);
    } while (std::ranges::next_permutation(other).found);
  } while (std::ranges::next_permutation(one).found);
  EXPECT_NEAR(cost, best, 1e-12);
}

TEST(Transport, WhatDoesNotFitIsNoModel) {
  const auto fails = [](TransportStep step, double epsilon = 0) {
    EXPECT_THROW(Transport({std::move(step)}, 2, {.epsilon = epsilon}), base::DamagedError);
  };
  fails(small(), 1.5);
  fails(small(), std::nan(""));
  fails({{0}, {1}, {{1}}});
  fails({{0, 2}, {.5, .5}, {{1}, {2}}});
  fails({{0, -1}, {.5, .5}, {{1}, {2}}});
  fails({{0, 1}, {.5}, {{1}, {2}}});
  fails({{0, 1}, {.5, .5}, {{1}, {}}});
  fails({{0, 1}, {.5, .5}, {{2, 1}, {1}}});
  EXPECT_THROW(Transport({}, 2, {}), base::DamagedError);
}

}  // namespace
}  // namespace fairfront::models
