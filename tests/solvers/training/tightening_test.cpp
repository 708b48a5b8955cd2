#include "solvers/training/tightening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solvers/training/certified.hpp"
#include "solvers/training/confidence.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training::tightening_test {
namespace {

using test::Data;

const Address tightening_address{.seed = 1, .task_key = "test"};

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

/// Every fifth row validates.
Problem with_validation(const Data& data, const std::vector<std::int64_t>& hidden) {
  Problem problem = data.problem(hidden);
  std::vector<std::int64_t> train, validation;
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    (row % 5 == 4 ? validation : train).push_back(row);
  }
  const auto& cells = problem.constraints.cells();
  problem.train = make_part(std::move(train), cells, data.labels, data.groups);
  problem.validation = make_part(std::move(validation), cells, data.labels, data.groups);
  return problem;
}

std::vector<double> scores_of(const Problem& problem, const Part& part, std::span<const double> w) {
  return FullData(problem, test::no_control).scores(part, w);
}

/// The weights whose last layer is scaled, from the shape of the network alone.
std::vector<double> scaled(std::vector<double> w, std::size_t last_layer, double scale) {
  for (std::size_t j = w.size() - last_layer; j < w.size(); ++j) w[j] *= scale;
  return w;
}

/// The largest bound by losses of every row at these weights.
double bound_of(const Problem& problem, std::span<const double> w, double confidence) {
  const Part& part = problem.validation;
  const auto scores = scores_of(problem, part, w);
  std::vector<double> losses;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double label = problem.labels[static_cast<std::size_t>(part.rows[i])];
    losses.push_back(std::log1p(std::exp(-label * scores[i])));
  }
  return std::ranges::max(gap_bounds(problem.constraints, part, losses, confidence));
}

TEST(ScaledOutput, IsTheNetworkWithAScaledLastLayer) {
  const Data data(1, 150, 3, 3);
  const Problem problem = with_validation(data, {5});
  const std::vector<double> w = start_of(problem);
  FullData full(problem, test::no_control);
  ScaledOutput output(problem, problem.validation, scores_of(problem, problem.validation, w));
  for (const double scale : {0.0, 0.3, 1.0}) {
    const PartLosses expected = full.losses(problem.validation, scaled(w, 6, scale));
    const PartLosses found = output.at(scale);
    EXPECT_NEAR(found.loss, expected.loss, 1e-13);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.gaps[i], expected.gaps[i], 1e-13);
  }
}

/// Validation rows are drawn from a population in which the groups differ; the training part has
/// the same rows in both groups, so that nothing but the validation part can object to a scale.
struct Population {
  Data data{1, 4000, 2, 2};
  Problem problem;
  std::vector<double> w{1.2, -0.6, 0.1};
  std::vector<double> scores;
  std::vector<double> train_scores;

  Population() : problem{data.problem({})} {
    scores = scores_of(problem, problem.train, w);
    Part& train = problem.train;
    std::vector<std::int64_t> twins(train.rows.begin(), train.rows.begin() + 200);
    train.of_cell = {twins, twins};
    train.rows = twins;
    train.rows.insert(train.rows.end(), twins.begin(), twins.end());
    train.cell.assign(200, 0);
    train.cell.resize(400, 1);
    train_scores = scores_of(problem, train, w);
  }

  /// Of all rows, when scores are scaled.
  [[nodiscard]] double gap(double scale) const {
    double difference = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double loss = std::log1p(std::exp(-data.labels[i] * scale * scores[i]));
      difference += (data.groups[i] == 0 ? 1 : -1) * loss / 2000;
    }
    return std::abs(difference);
  }

  /// 150 rows of each group, with replacement.
  void draw_validation(std::uint64_t draw) {
    base::Stream stream(base::StreamKey(1, "test", "validation"), draw);
    std::vector<std::int64_t> rows;
    for (int i = 0; i < 300; ++i) rows.push_back(std::int64_t{2} * stream.below(2000) + i % 2);
    problem.validation = make_part(rows, problem.constraints.cells(), data.labels, data.groups);
  }
};

TEST(Tighten, AScaleIsWronglyTakenNoMoreOftenThanTheConfidenceAllows) {
  Population population;
  ASSERT_GT(population.gap(1), 0.15);
  constexpr double delta = 0.1;
  constexpr int draws = 2000;
  int wrong = 0;
  int found_one = 0;
  double mean_scale = 0;
  for (int draw = 0; draw < draws; ++draw) {
    population.draw_validation(static_cast<std::uint64_t>(draw));
    const Problem& problem = population.problem;
    ScaledOutput train(problem, problem.train, population.train_scores);
    ScaledOutput validation(problem, problem.validation,
                            scores_of(problem, problem.validation, population.w));
    const Tightening found = tighten(problem.constraints, train, validation, delta, 0.9);
    if (found.scale == 0) continue;
    ++found_one;
    mean_scale += found.scale / draws;
    wrong += population.gap(found.scale) > delta ? 1 : 0;
  }
  // A standard error of 0.0067 at 0.1: no more than promised, but not far less either.
  EXPECT_LE(wrong, 0.12 * draws);
  EXPECT_GE(wrong, 0.05 * draws);
  EXPECT_EQ(found_one, draws);
  EXPECT_GT(mean_scale, 0.2);
}

TEST(Tighten, TakesTheWholeOutputWhereItIsSureAndNothingWhereNoScaleIs) {
  Population population;
  population.draw_validation(1);
  const Problem& problem = population.problem;
  ScaledOutput train(problem, problem.train, population.train_scores);
  ScaledOutput validation(problem, problem.validation,
                          scores_of(problem, problem.validation, population.w));
  const Tightening all = tighten(problem.constraints, train, validation, 10, 0.95);
  EXPECT_EQ(all.scale, 1);
  EXPECT_EQ(all.tests, 100);
  EXPECT_NEAR(all.bound, bound_of(problem, population.w, 0.95), 1e-12);
  const Tightening none = tighten(problem.constraints, train, validation, 1e-6, 0.95);
  EXPECT_EQ(none.scale, 0);
  EXPECT_EQ(none.tests, 1);
  EXPECT_NEAR(none.least_bound, bound_of(problem, scaled(population.w, 3, 0.01), 0.95), 1e-12);
}

TEST(Certified, WithAConfidenceItEndsWithinTheBoundOfTheValidationPartToo) {
  const Data data(5, 900, 3, 2);
  const Problem problem = with_validation(data, {6});
  for (const double delta : {0.3, 0.05}) {
    Certified certified(problem, {.delta = delta, .confidence = 0.9}, tightening_address);
    const TrainingResult found =
        train(problem, certified, start_of(problem), {.budget = 30'000, .trace_points = 0});
    EXPECT_LE(found.evaluations, 30'000);
    EXPECT_GT(found.evaluations, 15'000) << "half of a budget is for stochastic steps";
    const Tightening& tightening = certified.tightening();
    ASSERT_GT(tightening.scale, 0);
    FullData full(problem, test::no_control);
    EXPECT_LE(full.losses(problem.train, found.w).gap(), delta);
    const double bound = bound_of(problem, found.w, 0.9);
    EXPECT_LE(bound, delta);
    EXPECT_NEAR(bound, tightening.bound, 1e-9);
    if (delta < 0.1) {
      EXPECT_LT(tightening.scale, 1);
    }
  }
}

TEST(Certified, SaysTheLeastBoundWhereTheConfidenceCannotBeHad) {
  const Data data(5, 300, 3, 2);
  const Problem problem = with_validation(data, {6});
  constexpr double delta = 1e-5;
  Certified certified(problem, {.delta = delta, .confidence = 0.95}, tightening_address);
  const TrainingResult found =
      train(problem, certified, start_of(problem), {.budget = 10'000, .trace_points = 0});
  EXPECT_EQ(certified.tightening().scale, 0);
  EXPECT_GT(certified.tightening().least_bound, delta);
  EXPECT_LE(FullData(problem, test::no_control).losses(problem.train, found.w).gap(), delta);
}

TEST(Certified, AConfidenceNeedsAValidationPartAndItsShareOfTheBudget) {
  const Data data(5, 300, 3, 2);
  const Problem problem = with_validation(data, {});
  const CertifiedOptions options{.confidence = 0.95};
  // Two passes over 240 rows, then the scores of all 300.
  EXPECT_NO_THROW(Certified::validate_for(problem, options, {.budget = 780}));
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 779}), std::invalid_argument);
  EXPECT_THROW(Certified::validate_for(data.problem({}), options, {.budget = 10'000}),
               std::invalid_argument);
  EXPECT_THROW(Certified(problem, {.confidence = 1}, tightening_address), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training::tightening_test
