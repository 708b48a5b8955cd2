#include "solvers/ranking/saddle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

constexpr std::size_t num_pairs = 5;  // of one comparison
constexpr std::size_t num_cells = 4;

struct Point {
  std::vector<double> score;
  PerPair a, b, alpha;
  PerRow y;
};

Point random_point(std::uint64_t seed, std::size_t rows) {
  base::Stream stream(base::StreamKey(seed, "test", "saddle"), 0);
  Point point{std::vector<double>(rows), PerPair(num_pairs), PerPair(num_pairs), PerPair(num_pairs),
              PerRow(3)};
  for (double& h : point.score) h = stream.normal();
  for (auto* values : {&point.a, &point.b, &point.alpha}) {
    for (double& value : *values) value = stream.normal();
  }
  double sum = 0;
  for (double& weight : point.y) sum += weight = 0.1 + stream.uniform();
  for (double& weight : point.y) weight /= sum;
  return point;
}

CellSums sums_of(const std::vector<double>& score, const std::vector<std::uint8_t>& cells) {
  CellSums sums;
  for (std::size_t i = 0; i < score.size(); ++i) sums.add(cells[i], score[i]);
  return sums;
}

/// Phi less d_y: what the saddle is in x and y, row by row as the paper writes it.
double value_by_rows(const Saddle& saddle, const Point& at, const std::vector<std::uint8_t>& cells,
                     const std::array<double, max_cells>& rows) {
  const auto [c1, c2] = saddle.surrogate;
  double all = 0;
  for (const double count : rows) all += count;
  double value = 0;
  for (std::size_t i = 0; i < num_pairs; ++i) {
    const auto share = [&](CellSet set) {
      double in = 0;
      for (std::size_t c = 0; c < num_cells; ++c) in += contains(set, c) ? rows[c] : 0;
      return in / all;
    };
    const PairSet& pair = saddle.pairs[i];
    double mean = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const double h = at.score[k];
      const double above = contains(pair.above, cells[k]) ? 1 / share(pair.above) : 0;
      const double below = contains(pair.below, cells[k]) ? 1 / share(pair.below) : 0;
      const double f = c1 * c2 * c2 - 2 * c1 * c2 * h * above + 2 * c1 * c2 * h * below +
                       c1 * (h - at.a[i]) * (h - at.a[i]) * above +
                       c1 * (h - at.b[i]) * (h - at.b[i]) * below;
      const double g = 2 * c1 * h * above - 2 * c1 * h * below;
      mean += (f + at.alpha[i] * g - c1 * at.alpha[i] * at.alpha[i]) / double(cells.size());
    }
    value += at.y[row_of_pair(i)] * mean;
  }
  for (std::size_t j = 0; j < 3; ++j) value -= at.y[j] * saddle.target[j];
  return value;
}

double value_by_sums(const Saddle& saddle, const Point& at, const CellSums& sums) {
  Saddle::Values values(num_pairs);
  saddle.evaluate(sums, at.a, at.b, values);
  double value = 0;
  for (std::size_t j = 0; j < 3; ++j) value += at.y[j] * values.f[j];
  for (std::size_t i = 0; i < num_pairs; ++i) {
    value += at.y[row_of_pair(i)] *
             (at.alpha[i] * values.g[i] - saddle.surrogate.scale * at.alpha[i] * at.alpha[i]);
  }
  return value;
}

const Surrogate surrogates[] = {{}, {1.3, 0.7}};
constexpr std::array<double, max_cells> shares{7, 5, 6, 12};  ///< of the training rows

TEST(Saddle, ABatchHasTheMeanOfItsRows) {
  const auto made = test::random_rows(1, 30, 1);
  for (const Surrogate& surrogate : surrogates) {
    for (const FairnessMetric metric : test::all_metrics) {
      Saddle saddle(pair_sets(metric), surrogate, shares);
      saddle.target = {0.3, 1.2, 1.2};
      const Point at = random_point(4, made.cells.size());
      const double expected = value_by_rows(saddle, at, made.cells, shares);
      EXPECT_NEAR(value_by_sums(saddle, at, sums_of(at.score, made.cells)), expected, 1e-13);
    }
  }
}

TEST(Saddle, MinMaxOverAllRowsIsTheMeanOverAllPairs) {
  const auto made = test::random_rows(2, 50, 1);
  const Point at = random_point(5, made.cells.size());
  const CellSums sums = sums_of(at.score, made.cells);
  for (const Surrogate& surrogate : surrogates) {
    for (const FairnessMetric metric : test::all_metrics) {
      const Saddle saddle(pair_sets(metric), surrogate, sums.rows);
      PerPair a(num_pairs), b(num_pairs);
      for (std::size_t i = 0; i < num_pairs; ++i) {  // the best a and b are the means of the sets
        const auto mean = [&](CellSet set) {
          double rows = 0;
          double sum = 0;
          for (std::size_t k = 0; k < at.score.size(); ++k) {
            if (!contains(set, made.cells[k])) continue;
            ++rows;
            sum += at.score[k];
          }
          return sum / rows;
        };
        a[i] = mean(saddle.pairs[i].above);
        b[i] = mean(saddle.pairs[i].below);
      }
      const Losses expected = test::losses_by_pairs(at.score, made.cells, saddle.pairs, surrogate);
      const double largest =
          std::max({expected.objective, expected.constraints[0], expected.constraints[1]});
      const auto value = [&] {
        Saddle::Values values(num_pairs);
        saddle.evaluate(sums, a, b, values);
        return largest_over_duals(values, 100, surrogate.scale);
      };
      EXPECT_NEAR(value(), largest, 1e-12);
      a[2] += 0.1;  // any other a or b is worse, or as good in a row that is not the largest
      b[4] -= 0.1;
      EXPECT_GE(value(), largest - 1e-12);
    }
  }
}

TEST(Saddle, SlopesAreThoseOfDifferences) {
  const auto made = test::random_rows(3, 25, 1);
  constexpr double h = 1e-5;  // of a quadratic: differences are right but for rounding
  for (const FairnessMetric metric : test::all_metrics) {
    const Saddle saddle(pair_sets(metric), {1.3, 0.7}, shares);
    Point at = random_point(6, made.cells.size());
    const auto slope_of = [&](double& coordinate) {
      const double before = coordinate;
      coordinate = before + h;
      const double up = value_by_rows(saddle, at, made.cells, shares);
      coordinate = before - h;
      const double down = value_by_rows(saddle, at, made.cells, shares);
      coordinate = before;
      return (up - down) / (2 * h);
    };
    Saddle::Slopes slopes(num_pairs);
    saddle.differentiate(sums_of(at.score, made.cells), at.a, at.b, at.y, at.alpha, slopes);
    for (std::size_t i = 0; i < num_pairs; ++i) {
      EXPECT_NEAR(slopes.a[i], slope_of(at.a[i]), 1e-8);
      EXPECT_NEAR(slopes.b[i], slope_of(at.b[i]), 1e-8);
    }
    for (std::size_t k = 0; k < made.cells.size(); ++k) {
      const std::size_t cell = made.cells[k];
      EXPECT_NEAR(slopes.of_score[cell] * at.score[k] + slopes.constant[cell],
                  slope_of(at.score[k]), 1e-8);
    }
  }
}

/// What the mirror ascent step maximises.
double step_objective(const Saddle::Values& values, const PerRow& y, const PerPair& alpha,
                      const PerRow& y_before, const PerPair& alpha_before, double scale,
                      double step, double entropy) {
  double value = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    value += y[j] * values.f[j] - entropy / step * y[j] * std::log(y[j] / y_before[j]);
  }
  for (std::size_t i = 0; i < num_pairs; ++i) {
    const double moved = alpha[i] - alpha_before[i];
    value += y[row_of_pair(i)] *
             (alpha[i] * values.g[i] - scale * alpha[i] * alpha[i] - moved * moved / step);
  }
  return value;
}

TEST(DualPoint, TheStepIsTheMaximiserOfItsObjective) {
  base::Stream stream(base::StreamKey(1, "test", "dual"), 0);
  constexpr double scale = 0.8;
  for (int trial = 0; trial < 30; ++trial) {
    const double interval = 0.2 + stream.uniform();
    const double step = 0.1 + 3 * stream.uniform();
    const double entropy = 1 + 5 * stream.uniform();
    DualPoint point(interval, scale, num_pairs);
    const auto draw = [&] {
      Saddle::Values values(num_pairs);
      for (double& f : values.f) f = stream.normal();
      for (double& g : values.g) g = stream.normal();
      return values;
    };
    point.ascend(draw(), step, entropy);
    const PerRow y_before = point.y();
    const PerPair alpha_before = point.alpha();
    const Saddle::Values values = draw();
    point.ascend(values, step, entropy);
    const auto objective = [&](const PerRow& y, const PerPair& alpha) {
      return step_objective(values, y, alpha, y_before, alpha_before, scale, step, entropy);
    };
    const PerRow y = point.y();
    EXPECT_NEAR(y[0] + y[1] + y[2], 1, 1e-15);
    const double best = objective(y, point.alpha());
    for (int other = 0; other < 200; ++other) {  // the objective is concave in (y, y alpha)
      const double width = other % 2 == 0 ? 1e-3 : 0.3;
      PerRow near_y = y;
      double sum = 0;
      for (double& weight : near_y) sum += weight *= std::exp(width * stream.normal());
      for (double& weight : near_y) weight /= sum;
      PerPair near_alpha = point.alpha();
      for (double& alpha : near_alpha) {
        alpha = std::clamp(alpha + width * stream.normal(), -interval, interval);
      }
      EXPECT_LE(objective(near_y, near_alpha), best + 1e-14 * std::abs(best));
    }
  }
}

TEST(DualPoint, WeightsThatVanishStayFinite) {
  DualPoint point(1, 0.5, num_pairs);
  for (int step = 0; step < 1000; ++step) {
    point.ascend({{-100, 3, -100}, {1, 1, 1, 1, 1}}, 10, 1);
  }
  EXPECT_EQ(point.y()[1], 1);
  EXPECT_EQ(point.y()[0], 0);
  for (const double alpha : point.alpha()) EXPECT_TRUE(std::abs(alpha) <= 1);
  for (int step = 0; step < 1100; ++step) {
    point.ascend({{100, -3, -100}, {0, 0, 0, 0, 0}}, 10, 1);
  }
  EXPECT_EQ(point.y()[0], 1);  // and come back
}

TEST(Saddle, LargestOverDualsIsThatOfAGrid) {
  constexpr double interval = 0.7;
  constexpr double scale = 0.6;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "grid"), 0);
    Saddle::Values values(num_pairs);
    for (double& f : values.f) f = stream.normal();
    for (double& g : values.g) g = stream.normal();
    PerRow rows = values.f;
    for (std::size_t i = 0; i < num_pairs; ++i) {
      double most = -1e300;
      for (int k = 0; k <= 4000; ++k) {
        const double alpha = interval * (k / 2000.0 - 1);
        most = std::max(most, alpha * values.g[i] - scale * alpha * alpha);
      }
      rows[row_of_pair(i)] += most;
    }
    // A grid of width 3.5e-4 misses the top of a parabola by less than 1e-7.
    EXPECT_NEAR(largest_over_duals(values, interval, scale), std::ranges::max(rows), 1e-6);
  }
}

}  // namespace
}  // namespace fairfront::ranking
