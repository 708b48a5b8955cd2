#include "solvers/training/last_layer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/elementary.hpp"
#include "models/loss.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/glpk.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/penalty_step.hpp"
#include "solvers/training/rounded_hinge.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

constexpr Fairness all_kinds[] = {Fairness::loss_gap, Fairness::equal_opportunity,
                                  Fairness::equalised_odds, Fairness::group_to_overall};
constexpr models::LossKind all_losses[] = {models::LossKind::logistic, models::LossKind::square,
                                           models::LossKind::hinge};

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

std::vector<double> last_of(const LastLayer& layer, const std::vector<double>& w) {
  return {w.end() - static_cast<std::ptrdiff_t>(layer.size()), w.end()};
}

TEST(LastLayer, HasTheLossesOfTheWholeNetwork) {
  for (const Fairness fairness : all_kinds) {
    for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{6, 4}}) {
      const Data data(1, 300, 3, 3);
      const Problem problem = data.problem(hidden, fairness);
      std::vector<double> w = start_of(problem);
      LastLayer layer(problem, w);
      EXPECT_EQ(layer.size(), hidden.empty() ? 4U : 5U);
      for (const double factor : {1.0, -3.0}) {
        for (std::size_t j = w.size() - layer.size(); j < w.size(); ++j) w[j] *= factor;
        const PartLosses all = FullData(problem, test::no_control).losses(problem.train, w);
        const LastLayerPoint found = layer.at(last_of(layer, w));
        EXPECT_NEAR(found.loss, all.loss, 1e-13);
        for (std::size_t i = 0; i < all.gaps.size(); ++i) {
          EXPECT_NEAR(found.gaps[i], all.gaps[i], 1e-13);
        }
      }
    }
  }
}

TEST(LastLayer, HasTheDerivativesOfFiniteDifferences) {
  const Data data(2, 200, 3, 3);
  const Problem problem = data.problem({5}, Fairness::equal_opportunity);
  const std::vector<double> w = start_of(problem);
  LastLayer layer(problem, w);
  const std::vector<double> v = last_of(layer, w);
  const std::vector<double> multipliers{0.02, -0.01, 0.005};
  LastLayer::Vector gradient, up, down;
  LastLayer::Matrix cells, curvature, cells_up, cells_down;
  (void)layer.at(v);
  layer.gradients(gradient, cells);
  layer.curvature(multipliers, curvature);
  constexpr double h = 1e-5;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const auto moved = [&](double by) {
      auto other = v;
      other[j] += by;
      return other;
    };
    const LastLayerPoint above = layer.at(moved(h));
    layer.gradients(up, cells_up);
    const LastLayerPoint below = layer.at(moved(-h));
    layer.gradients(down, cells_down);
    const auto column = static_cast<Eigen::Index>(j);
    EXPECT_NEAR(gradient[column], (above.loss - below.loss) / (2 * h), 1e-8);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const auto of = static_cast<std::size_t>(k);
      EXPECT_NEAR(cells(k, column), (above.cells[of] - below.cells[of]) / (2 * h), 1e-8);
      up += multipliers[of] * cells_up.row(k).transpose();
      down += multipliers[of] * cells_down.row(k).transpose();
    }
    for (Eigen::Index i = column; i < gradient.size(); ++i) {
      EXPECT_NEAR(curvature(i, column), (up[i] - down[i]) / (2 * h), 1e-7);
    }
  }
}

/// Rows in two large groups and one of 400, with columns that hardly any row has anything in, as a
/// rare level of a text has.
Data with_rare_levels(int rows) {
  constexpr int rare = 30, small = 400;
  Data made(6, rows, 4 + rare, 3);
  base::Stream stream(base::StreamKey(1, "test", "rare levels"), 0);
  const auto columns = static_cast<std::size_t>(made.columns);
  for (std::size_t i = 0; i < made.labels.size(); ++i) {
    made.groups[i] = i < small ? 2 : static_cast<std::int32_t>(i % 2);
    double score = made.groups[i] == 2 ? 1.5 : 0;
    for (std::size_t j = 0; j < 4; ++j) score += made.features[i * columns + j] * (j < 2 ? 1 : -1);
    for (std::size_t j = 4; j < columns; ++j) {
      made.features[i * columns + j] = stream.uniform() < 0.0005 ? 1 : 0;
      score += 2 * made.features[i * columns + j];
    }
    made.labels[i] = score + 3 * stream.normal() > 2 ? 1 : -1;
  }
  return made;
}

/// By differences over steps of h, at the point of the last at().
void expect_gradients_at(LastLayer& layer, const std::vector<double>& v,
                         double LastLayerPoint::*loss, double h, double tolerance) {
  LastLayer::Vector gradient;
  LastLayer::Matrix cells;
  layer.gradients(gradient, cells);
  for (std::size_t j = 0; j < v.size(); ++j) {
    auto up = v, down = v;
    up[j] += h;
    down[j] -= h;
    const LastLayerPoint above = layer.at(up), below = layer.at(down);
    const auto column = static_cast<Eigen::Index>(j);
    EXPECT_NEAR(gradient[column], (above.*loss - below.*loss) / (2 * h), tolerance);
    for (std::size_t k = 0; k < above.cells.size(); ++k) {
      EXPECT_NEAR(cells(static_cast<Eigen::Index>(k), column),
                  (above.cells[k] - below.cells[k]) / (2 * h), tolerance);
    }
  }
}

TEST(LastLayer, SomeRowsStandForAllOfTheirCells) {
  const Data data = with_rare_levels(6000);
  for (const Fairness fairness : all_kinds) {
    const Problem problem = data.problem({}, fairness);
    std::vector<double> w = start_of(problem);
    LastLayer all(problem, w), some(problem, w, 0.25);
    EXPECT_LT(some.rows(), all.rows());
    const LastLayerPoint at = all.at(w), near = some.at(w);
    // Means of 1,000 rows or more, of losses between 0 and some units.
    EXPECT_NEAR(near.loss, at.loss, 0.05);
    for (std::size_t k = 0; k < at.cells.size(); ++k) {
      EXPECT_NEAR(near.cells[k], at.cells[k], 0.1) << k;
    }
    expect_gradients_at(some, w, &LastLayerPoint::loss, 1e-5, 1e-8);
  }
}

TEST(LastLayerStep, TenEvaluationsComeNearTheOptimumOfALinearScore) {
  const Data data = with_rare_levels(12'000);
  const Problem problem = data.problem({});
  const std::vector<double> start = start_of(problem);
  for (const double delta : {0.1, 0.02, 0.005}) {
    const double best = exact_training(problem, {.delta = delta, .cells = 0}).loss;
    const double constant = best_constant_score(problem, delta).loss;
    ASSERT_GT(constant - best, 0.05);
    LastLayer layer(problem, start);
    const auto found = last_layer_step(layer, start, {.delta = delta, .evaluations = 10});
    EXPECT_LE(found.evaluations, 10);
    EXPECT_LE(found.loss, best + 0.02 * (constant - best)) << delta;
    EXPECT_LE(layer.at(found.v).gap(), delta);
  }
}

TEST(LastLayerStep, ColumnsOfAnyKindAreNoHindrance) {
  struct Kind {
    const char* name;
    double (*changed)(double value, double other, int row);
  };
  // The third column, of its own normal value and that of the first column.
  const Kind kinds[] = {
      {"nearly that of the first",
       [](double value, double other, int) { return other + 1e-3 * value; }},
      {"far from 0", [](double value, double, int) { return 100 + 0.01 * value; }},
      {"of heavy tails", [](double value, double, int) { return base::exp(2 * value); }},
      {"with outliers",
       [](double value, double, int row) { return row % 500 == 0 ? 300 * value : value; }}};
  for (const Kind& kind : kinds) {
    Data data(9, 2000, 4, 2);
    for (int row = 0; row < 2000; ++row) {
      double* const x = &data.features[4 * static_cast<std::size_t>(row)];
      x[2] = kind.changed(x[2], x[0], row);
    }
    const Problem problem = data.problem({});
    const std::vector<double> start = start_of(problem);
    const double delta = 0.05;
    const double best = exact_training(problem, {.delta = delta, .cells = 0}).loss;
    LastLayer layer(problem, start);
    const auto found = last_layer_step(layer, start, {.delta = delta, .evaluations = 70});
    EXPECT_LE(found.loss, best + 2e-3) << kind.name;
  }
}

TEST(LastLayerStep, FewEvaluationsPayTheHighPriceOfTightBounds) {
  for (const std::uint64_t seed : {10U, 18U, 20U, 36U, 43U, 48U, 52U, 53U}) {
    const int columns = 2 + static_cast<int>(seed % 4), groups = 2 + static_cast<int>(seed % 3);
    const double tail = 0.6 + 0.1 * static_cast<double>(seed % 11);
    const Data data = test::with_heavy_tails(seed, 1000, columns, groups, tail);
    const Problem problem = data.problem({});
    const std::vector<double> start = start_of(problem);
    for (const double delta : {0.01, 0.002}) {
      const double constant = best_constant_score(problem, delta).loss;
      const double best = exact_training(problem, {.delta = delta, .cells = 0}).loss;
      LastLayer layer(problem, start);
      const auto found = last_layer_step(layer, start, {.delta = delta, .evaluations = 14});
      EXPECT_LT(found.loss - best, 0.95 * (constant - best)) << seed << ' ' << delta;
    }
  }
}

/// Of some of the rows a rare level has but chance: where they lead, all rows must be able to go
/// on.
TEST(LastLayerStep, RareLevelsAreNoHindranceWhereDecisionsAreCounted) {
  constexpr int rows = 24'000;
  constexpr std::size_t rare = 80, columns = 84;
  Data data(6, rows, columns, 2);
  base::Stream stream(base::StreamKey(1, "test", "rarer levels"), 0);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    double* const x = &data.features[i * columns];
    double score = x[0] - x[1] + 2 * stream.normal();
    for (std::size_t j = columns - rare; j < columns; ++j) {
      x[j] = stream.uniform() < 0.001 ? 1 : 0;
      score += (j % 2 == 0 ? 2 : -2) * x[j];
    }
    data.labels[i] = score > 1 ? 1 : -1;
  }
  // Bounds that do not bind.
  const Problem free = data.problem({});
  const std::vector<double> start = start_of(free);
  LastLayer of_losses(free, start);
  const double best = last_layer_step(of_losses, start, {.delta = 10, .evaluations = 60}).loss;
  const Problem problem = data.problem({}, RateBound{RateKind::demographic_parity});
  LastLayer layer(problem, start);
  const auto found = last_layer_step(layer, start, {.delta = 0.9, .evaluations = 14});
  EXPECT_LT(found.loss, best + 0.002);
}

TEST(LastLayerStep, MakesNoMoreEvaluationsThanItMay) {
  const Data data = with_rare_levels(12'000);
  const GapConstraints of_errors(RateBound{RateKind::error_rate_parity}, 2, BoundOf::worst_group);
  for (const auto& problem :
       {data.problem({}), data.problem({}, RateBound{RateKind::demographic_parity}),
        data.constrained({}, of_errors)}) {
    const std::vector<double> start = start_of(problem);
    for (const std::int64_t most : {1, 2, 3, 4, 5, 7, 12, 30, 50, 70}) {
      LastLayer layer(problem, start);
      const auto found = last_layer_step(layer, start, {.delta = 0.02, .evaluations = most});
      EXPECT_LE(found.evaluations, most);
      // Of the worst group alone no bound need be within reach.
      if (problem.constraints.bound_of() != BoundOf::worst_group) {
        EXPECT_EQ(found.excess, 0) << most;
      }
      EXPECT_LE(layer.at(found.v).gap(), 0.02 + found.excess) << most;
    }
  }
}

TEST(PenaltyStep, HasTheLeastValueOfItsModelUpToRounding) {
  base::Stream stream(base::StreamKey(1, "test", "penalty"), 0);
  for (const Fairness fairness : all_kinds) {
    const Data data(1, 90, 2, 3);
    const GapConstraints constraints = data.problem({}, fairness).constraints;
    const auto cells = std::ssize(constraints.cells());
    const auto gaps = static_cast<std::size_t>(constraints.gaps());
    for (int round = 0; round < 30; ++round) {
      constexpr Eigen::Index n = 5;
      PenaltyModel model{Eigen::VectorXd(n), Eigen::MatrixXd(cells, n), {}};
      Eigen::MatrixXd root(n, n);
      for (Eigen::Index j = 0; j < n; ++j) {
        model.gradient[j] = stream.normal();
        for (Eigen::Index k = 0; k < cells; ++k) model.jacobian(k, j) = stream.normal();
        for (Eigen::Index i = 0; i < n; ++i) root(i, j) = stream.normal();
      }
      for (Eigen::Index k = 0; k < cells; ++k) model.cells.push_back(stream.uniform());
      const Eigen::MatrixXd p = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
      const double cap = round % 2 == 0 ? 0.3 : 10;
      constexpr double bound = 0.05;
      const auto value = [&](const Eigen::VectorXd& s) {
        std::vector<double> losses(model.cells), linear(gaps);
        for (Eigen::Index k = 0; k < cells; ++k) {
          losses[static_cast<std::size_t>(k)] += model.jacobian.row(k).dot(s);
        }
        constraints.gaps_of(losses, linear);
        return model.gradient.dot(s) + 0.5 * s.dot(p * s) + cap * total_excess(linear, bound);
      };
      const PenaltyStep step = penalty_step(constraints, model, optimise::Cholesky(p), cap, bound);
      const std::vector<double>& y = step.of_gaps;
      EXPECT_NEAR(step.value, value(step.s), 1e-9 * (1 + std::abs(step.value)));
      for (const double multiplier : y) EXPECT_LE(std::abs(multiplier), cap);
      // No step has a smaller value than the Lagrangian's least one at any multipliers.
      std::vector<double> weights(static_cast<std::size_t>(cells));
      constraints.pull_back(y, weights);
      Eigen::VectorXd pulled = model.gradient;
      double lower = 0;
      for (Eigen::Index k = 0; k < cells; ++k) {
        const double weight = weights[static_cast<std::size_t>(k)];
        pulled += weight * model.jacobian.row(k).transpose();
        lower += weight * model.cells[static_cast<std::size_t>(k)];
      }
      lower -= 0.5 * pulled.dot(optimise::Cholesky(p).solve(pulled));
      for (const double multiplier : y) lower -= bound * std::abs(multiplier);
      EXPECT_LE(step.value - lower, 1e-8 * (1 + std::abs(step.value))) << "cap " << cap;
    }
  }
}

TEST(LastLayerStep, IsWithinTheBoundsFromAnyFiniteStart) {
  base::Stream stream(base::StreamKey(1, "test", "starts"), 0);
  for (const Fairness fairness : all_kinds) {
    for (const models::LossKind loss : all_losses) {
      for (const int groups : {2, 6}) {
        const Data data(3, 240, 4, groups);
        const Problem problem = data.problem({8}, fairness, loss);
        std::vector<double> w = start_of(problem);
        for (const double scale : {1.0, 1e4, 1e12, 1e200}) {
          for (const double delta : {0.1, 1e-3, 1e-7}) {
            LastLayer layer(problem, w);
            std::vector<double> start = last_of(layer, w);
            for (double& value : start) value = scale * stream.normal();
            const LastLayerResult found = last_layer_step(layer, start, {.delta = delta});
            EXPECT_LE(found.evaluations, 100);
            std::ranges::copy(found.v, w.end() - static_cast<std::ptrdiff_t>(layer.size()));
            const PartLosses at = FullData(problem, test::no_control).losses(problem.train, w);
            EXPECT_LE(at.gap(), delta);
            EXPECT_NEAR(at.loss, found.loss, 1e-12);
            EXPECT_LE(at.loss, best_constant_score(problem, delta).loss + 1e-12);
          }
        }
      }
    }
  }
}

/// Four hidden units that show two columns, and others that show a column each that hardly any row
/// has anything in, and that is small.
struct Faint {
  Data data;
  Problem problem;
  std::vector<double> w, start;

  Faint(int units, double size)
      : data{with_columns(units, size)}, problem{data.problem({4 + units})} {
    const auto hidden = static_cast<std::size_t>(4 + units);
    w.assign(problem.parameters(), 0.0);
    const auto first = static_cast<std::size_t>(problem.model.layers().front().weights);
    const auto show = [&](std::size_t column, std::size_t unit, double weight) {
      w[first + column * hidden + unit] = weight;
    };
    show(0, 0, 1);
    show(0, 1, -1);
    show(1, 2, 1);
    show(1, 3, -1);
    for (std::size_t j = 4; j < hidden; ++j) show(j - 2, j, 1);
    start.assign(hidden + 1, 0.0);
    std::ranges::copy(std::vector{6.0, -6.0, -3.0, 3.0}, start.begin());
  }

 private:
  static Data with_columns(int units, double size) {
    Data made(1, 300, 2 + units, 3);
    base::Stream stream(base::StreamKey(1, "test", "faint"), 0);
    const auto columns = static_cast<std::size_t>(made.columns);
    for (std::size_t i = 0; i < made.labels.size(); ++i) {
      for (std::size_t j = 2; j < columns; ++j) {
        made.features[i * columns + j] = stream.uniform() < 0.01 ? size * stream.uniform() : 0;
      }
    }
    return made;
  }
};

TEST(LastLayerStep, FaintHiddenUnitsDoNotTakeAllOfAStep) {
  for (const double size : {0.1, 0.01}) {
    const Faint faint(12, size);
    LastLayer layer(faint.problem, faint.w);
    for (const double delta : {0.02, 0.005}) {
      const LastLayerResult found = last_layer_step(layer, faint.start, {.delta = delta});
      // Where nothing keeps these units back, nothing but the constant score is found.
      EXPECT_LT(found.loss, best_constant_score(faint.problem, delta).loss - 0.03)
          << size << ' ' << delta;
    }
  }
}

/// Mean squared difference of the scores of the training rows.
double distance(const Problem& problem, const std::vector<double>& w,
                const std::vector<double>& other) {
  FullData full(problem, test::no_control);
  const auto a = full.scores(problem.train, w);
  const auto b = full.scores(problem.train, other);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(LastLayerStep, ANetworkComesWithinTheBoundsByLittleMoreThanTheLeastChange) {
  const Data data(5, 400, 4, 2);
  const Problem problem = data.problem({24});
  std::vector<double> w = start_of(problem);
  LastLayer layer(problem, w);
  const auto put = [&](const std::vector<double>& v) {
    std::ranges::copy(v, w.end() - static_cast<std::ptrdiff_t>(layer.size()));
    return w;
  };
  // Near its optimum without bounds, so that nothing but these asks for a change.
  const auto free = last_layer_step(layer, last_of(layer, w), {.delta = 10}).v;
  const double gap = layer.at(free).gap();
  ASSERT_GT(gap, 0.05);
  LastLayer::Vector gradient;
  LastLayer::Matrix cells;
  layer.gradients(gradient, cells);
  const LastLayer::Vector slope = (cells.row(0) - cells.row(1)).transpose();
  // The mean squared change of scores is s'Ms; the least with slope's = e is e^2 / slope'M^-1
  // slope.
  const auto n = static_cast<Eigen::Index>(layer.size());
  LastLayer::Matrix moments(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < n; ++k) {
      std::vector<double> zero(layer.size(), 0.0), one = zero, other = zero, both = zero;
      one[static_cast<std::size_t>(j)] += 1;
      other[static_cast<std::size_t>(k)] += 1;
      both[static_cast<std::size_t>(j)] += 1;
      both[static_cast<std::size_t>(k)] += 1;
      moments(j, k) =
          0.5 * (distance(problem, put(both), put(zero)) - distance(problem, put(one), put(zero)) -
                 distance(problem, put(other), put(zero)));
    }
  }
  const double steep = slope.dot(optimise::PivotedCholesky(moments).solve(slope));
  for (const double share : {0.95, 0.8}) {
    const double delta = share * gap;
    const auto found = last_layer_step(layer, free, {.delta = delta});
    EXPECT_LE(layer.at(found.v).gap(), delta);
    const double least = std::pow(gap - delta, 2) / steep;
    EXPECT_LT(distance(problem, put(found.v), put(free)), 4 * least) << share;
  }
}

/// Groups whose columns and labels differ.
Data shifted_groups(std::uint64_t seed) {
  return Data(seed, 220, 2, 3).with_groups_apart(seed, "shifted groups", 0.5);
}

/// The gaps of hinge losses have bends, where a descent from a trained score comes to rest.
TEST(LastLayerStep, AHingeThatRestsBesideTheBoundsIsBegunAgainFromSmallScores) {
  const Data data = shifted_groups(89);
  const Problem problem = data.problem({}, Fairness::equal_opportunity, models::LossKind::hinge);
  const std::vector<double> zero(problem.parameters(), 0.0);
  LastLayer layer(problem, zero);
  const std::vector<double> free = last_layer_step(layer, zero, {.delta = 9}).v;
  const LastLayerOptions options{.delta = 0.01};
  const LastLayerResult found = last_layer_step(layer, free, options);
  EXPECT_LT(found.loss, constant_result(layer, options).loss - 0.01);
  EXPECT_LE(found.evaluations, options.evaluations);
  EXPECT_LE(layer.at(found.v).gap(), options.delta);
}

TEST(RoundedHinge, HasTheDerivativesOfFiniteDifferencesAndIsNextToTheHinge) {
  constexpr double h = 1e-6;
  for (const double width : {2.0, 0.3, 0.01}) {
    const RoundedHinge hinge(width);
    for (const double label : {1.0, -1.0}) {
      for (int k = -40; k <= 40; ++k) {
        const double score = label + width * (k + 0.5) / 36.3;
        const double bent = models::HingeLoss::value(score, label);
        EXPECT_GE(hinge.value(score, label), bent - 1e-15);
        EXPECT_LE(hinge.value(score, label), bent + width / 8 + 1e-15);
        EXPECT_NEAR(hinge.slope(score, label),
                    (hinge.value(score + h, label) - hinge.value(score - h, label)) / (2 * h),
                    1e-6);
        EXPECT_NEAR(hinge.curvature(score, label),
                    (hinge.slope(score + h, label) - hinge.slope(score - h, label)) / (2 * h),
                    1e-6);
      }
    }
  }
}

TEST(LastLayer, RoundedHingesHaveTheGapsOfHingesWhereTheyBegin) {
  const Data data(4, 200, 3, 3);
  const Problem problem = data.problem({}, Fairness::equalised_odds, models::LossKind::hinge);
  std::vector<double> v = start_of(problem);
  LastLayer layer(problem, v);
  const LastLayerPoint bent = layer.at(v);
  layer.round_hinge(0.5);
  const LastLayerPoint begun = layer.again();
  EXPECT_EQ(begun.loss, bent.loss);
  EXPECT_EQ(begun.decided, bent.gaps);
  EXPECT_GE(begun.led_loss, bent.loss);
  for (std::size_t i = 0; i < bent.gaps.size(); ++i)
    EXPECT_NEAR(begun.gaps[i], bent.gaps[i], 1e-15);
  expect_gradients_at(layer, v, &LastLayerPoint::led_loss, 1e-6, 1e-7);
  layer.bend_hinge();
  EXPECT_EQ(layer.at(v).gaps, bent.gaps);
}

/// Linear programs, which are convex, of hinges of a linear score: the least mean loss with the
/// mean loss of every group within a bound, by GLPK.
double least_within(const Problem& problem, const Data& data, double bound) {
  const std::int64_t rows = data.rows(), cells = std::ssize(problem.constraints.cells());
  const auto n = static_cast<std::int64_t>(problem.parameters());
  // Columns: weights, less weights, what each row lacks.
  optimise::LinearProgram program;
  program.rows = rows + cells;
  program.columns = 2 * n + rows;
  const auto columns = static_cast<std::size_t>(program.columns);
  program.matrix.assign(static_cast<std::size_t>(program.rows) * columns, 0.0);
  program.right.assign(static_cast<std::size_t>(program.rows), bound);
  program.cost.assign(columns, 0.0);
  const auto place = [&](std::int64_t row, std::int64_t column) -> double& {
    return program
        .matrix[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
  };
  for (std::int64_t i = 0; i < rows; ++i) {  // -y s - lack <= -1
    const auto row = static_cast<std::size_t>(i);
    program.right[row] = -1;
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = j + 1 < n ? data.features[static_cast<std::size_t>(i * (n - 1) + j)] : 1;
      place(i, j) = -data.labels[row] * x;
      place(i, n + j) = data.labels[row] * x;
    }
    place(i, 2 * n + i) = -1;
    program.cost[static_cast<std::size_t>(2 * n + i)] = 1 / static_cast<double>(rows);
    const std::int64_t cell = problem.train.cell[row];
    const auto count = problem.train.of_cell[static_cast<std::size_t>(cell)].size();
    place(rows + cell, 2 * n + i) = 1 / static_cast<double>(count);
  }
  const auto found = optimise::testing_glpk::minimise(program);
  return found.feasible ? found.value : 9;
}

TEST(LastLayerStep, HingesOfTheWorstGroupComeNearTheirLinearProgramsOptimum) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const int groups = 2 + static_cast<int>(seed % 4);
    const Data data =
        Data(seed, 240, 4, groups).with_groups_apart(seed, "hinges of the worst group", 0.5);
    const GapConstraints worst(Fairness::loss_gap,
                               std::vector<double>(static_cast<std::size_t>(groups), 1.0 / groups),
                               BoundOf::worst_group);
    const Problem problem = data.constrained({}, worst, models::LossKind::hinge);
    // Bounds that can be kept: those of the largest loss that a tight search leaves, and larger.
    const std::vector<double> start = start_of(problem);
    double before = 9;
    for (const double room : {1.1, 1.5, 2.0}) {
      LastLayer layer(problem, start);
      const LastLayerResult least = last_layer_step(layer, start, {.delta = 1e-3});
      const double bound = room * (1e-3 + least.excess);
      const LastLayerResult found = last_layer_step(layer, start, {.delta = bound});
      const double best = least_within(problem, data, bound);
      EXPECT_EQ(found.excess, 0) << seed << ' ' << room;
      EXPECT_GE(found.loss, best - 1e-9);
      const double constant = 1;  // of score 0
      EXPECT_LE(found.loss, best + 0.02 * (constant - best)) << seed << ' ' << room;
      EXPECT_LE(found.loss, before + 1e-3) << seed << ' ' << room;
      before = found.loss;
    }
  }
}

TEST(LastLayerStep, DoesNotSpendAllEvaluationsOutsideTheBoundsOnSmallGains) {
  const Faint faint(4, 1e-4);
  LastLayer layer(faint.problem, faint.w);
  const LastLayerResult found = last_layer_step(layer, faint.start, {.delta = 0.005});
  EXPECT_LT(found.loss, 0.6) << "a constant score has 0.6931";
}

TEST(LastLayerStep, ComesToTheOptimumOfALinearScore) {
  for (const Fairness fairness : all_kinds) {
    for (const models::LossKind loss : {models::LossKind::logistic, models::LossKind::square}) {
      const Data data(4, 500, 4, 3);
      const Problem problem = data.problem({}, fairness, loss);
      for (const double delta : {0.1, 0.02}) {
        const ExactOptimum best = exact_training(problem, {.delta = delta, .cells = 100});
        std::vector<double> w = start_of(problem);
        LastLayer layer(problem, w);
        for (const double scale : {1.0, 1e3}) {
          std::vector<double> start = w;
          for (double& value : start) value *= scale;
          const LastLayerResult found = last_layer_step(layer, start, {.delta = delta});
          EXPECT_GE(found.loss, best.lower - 1e-9);
          EXPECT_LE(found.loss, best.loss + 2e-3)
              << static_cast<int>(fairness) << ' ' << static_cast<int>(loss) << ' ' << delta;
        }
      }
    }
  }
}

TEST(BestConstantScore, IsTheBestOneOfAGridWithinTheBound) {
  for (const Fairness fairness : all_kinds) {
    for (const models::LossKind loss : all_losses) {
      const Data data(5, 130, 2, 4);
      const Problem problem = data.problem({}, fairness, loss);
      for (const double bound : {1.0, 0.05, 0.002}) {
        const ConstantScore found = best_constant_score(problem, bound);
        FullData full(problem, test::no_control);
        const auto at = [&](double score) {
          return full.losses(problem.train, std::vector{0.0, 0.0, score});
        };
        EXPECT_NEAR(at(found.score).loss, found.loss, 1e-13);
        EXPECT_LE(at(found.score).gap(), bound + 1e-13);
        for (int k = -300; k <= 300; ++k) {
          const PartLosses other = at(0.01 * k);
          // Up to the fineness of the search: a two-hundredth of the way.
          if (other.gap() <= 0.98 * bound) {
            EXPECT_GE(other.loss, found.loss - 5e-3);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::training
