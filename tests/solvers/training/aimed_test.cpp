#include "solvers/training/aimed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address aimed_address{.seed = 3, .task_key = "aimed"};

std::vector<double> first_weights(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

Part part_of(const Problem& problem, const Data& data, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return make_part(std::move(rows), problem.constraints.cells(), data.labels, data.groups);
}

/// The first rows train, the next ones are held out, the others come later.
Problem in_parts(const Data& data, const std::vector<std::int64_t>& hidden, std::int64_t train,
                 std::int64_t validation, Fairness fairness = Fairness::loss_gap) {
  Problem problem = data.problem(hidden, fairness);
  problem.train = part_of(problem, data, 0, train);
  problem.validation = part_of(problem, data, train, train + validation);
  problem.test = part_of(problem, data, train + validation, data.rows());
  return problem;
}

std::vector<double> gaps_at(const Problem& problem, const Part& part,
                            const std::vector<double>& w) {
  return FullData(problem, test::no_control).losses(part, w).gaps;
}

/// What is to be believed of a gap of two groups' held-out losses: its mean over how far the true
/// losses deviate, t = .02 x / (1 - x) with every x in (0, 1) alike, and the centre is any.
double believed_of(double gap, const Problem& problem, const std::vector<double>& w) {
  const Part& part = problem.validation;
  const std::vector<double> scores = FullData(problem, test::no_control).scores(part, w);
  std::vector<std::vector<double>> losses(3);  // of both groups, then of all
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double label = problem.labels[static_cast<std::size_t>(part.rows[i])];
    const double loss = std::log1p(std::exp(-label * scores[i]));
    losses[static_cast<std::size_t>(part.cell[i])].push_back(loss);
    losses[2].push_back(loss);
  }
  const auto squares_of = [](const std::vector<double>& values) {
    const auto rows = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / rows;
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum;
  };
  const double of_all = squares_of(losses[2]) / static_cast<double>(losses[2].size() - 1);
  std::vector<double> noise;
  for (const std::size_t g : {0U, 1U}) {
    const auto rows = static_cast<double>(losses[g].size());
    noise.push_back((squares_of(losses[g]) + 4 * of_all) / (rows + 3) / rows);
  }
  // Of a difference of two with any centre: it has the variance of both.
  double sum = 0, shares = 0;
  constexpr int points = 4000;
  for (int k = 0; k < points; ++k) {
    const double t = 0.02 * (k + 0.5) / (points - k - 0.5);
    const double variance = 2 * t * t + noise[0] + noise[1];
    const double share = std::exp(-0.5 * gap * gap / variance) / std::sqrt(variance);
    sum += share * 2 * t * t / variance;
    shares += share;
  }
  return gap * sum / shares;
}

TEST(Aimed, IsCertifiedTrainingWhereNothingIsAimed) {
  const Data data(1, 300, 3, 3);
  const Problem problem = data.problem({5});
  const RunOptions run{.budget = 20'000, .trace_points = 4};
  const CertifiedOptions options{.delta = 0.02};
  Certified certified(problem, options, aimed_address);
  const TrainingResult plain = train(problem, certified, first_weights(problem), run);
  const AimedResult found =
      aimed_training(problem, options, aimed_address, first_weights(problem), run);
  EXPECT_EQ(found.result.w, plain.w);
  EXPECT_EQ(found.result.evaluations, plain.evaluations);
  EXPECT_TRUE(found.offset.empty());
}

TEST(Aimed, GapsOfTheTrainingPartAreWithinDeltaOfTheAim) {
  int aimed = 0;
  for (const auto fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                              Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const std::vector<std::int64_t>& hidden : {std::vector<std::int64_t>{}, {8}}) {
      const Data data(2, 400, 3, 3);
      const Problem problem = data.problem(hidden, fairness);
      const CertifiedOptions options{.delta = 0.01, .shift = Shift::folds, .folds = 3};
      const AimedResult found = aimed_training(problem, options, aimed_address,
                                               first_weights(problem), {.budget = 30'000});
      std::vector<double> gaps = gaps_at(problem, problem.train, found.result.w);
      std::vector<double> aims(gaps.size());
      problem.constraints.gaps_of(found.offset, aims);
      for (std::size_t i = 0; i < gaps.size(); ++i) EXPECT_LE(std::abs(gaps[i] + aims[i]), 0.01);
      aimed += largest_size(aims) > 0 ? 1 : 0;
      // Those of the folds count: a linear score's runs end before their budgets.
      EXPECT_GT(found.result.evaluations, hidden.empty() ? 2 * 30'000 : 6 * 20'000);
    }
  }
  EXPECT_GE(aimed, 3);  // where the held-out gaps are more than noise
}

TEST(Aimed, ByHeldOutRowsTheLossesAreThoseOfTheRunThatHasNotSeenThem) {
  const Data data(4, 600, 3, 2);
  const Problem problem = in_parts(data, {6}, 300, 200);
  const RunOptions run{.budget = 20'000, .trace_points = 0};
  CertifiedOptions options{.delta = 0.01, .shift = Shift::hold_out, .shift_factor = 1.5};
  const AimedResult found =
      aimed_training(problem, options, aimed_address, first_weights(problem), run);
  Certified before(problem, options, {aimed_address.seed, aimed_address.task_key + "/held out 0"});
  const TrainingResult unaimed = train(problem, before, first_weights(problem), run);
  std::vector<double> gaps(1);
  problem.constraints.gaps_of(found.held_out, gaps);
  EXPECT_NEAR(gaps[0], gaps_at(problem, problem.validation, unaimed.w)[0], 1e-12);
  EXPECT_EQ(found.factor, 1.5);
  problem.constraints.gaps_of(found.offset, gaps);
  const double gap = gaps_at(problem, problem.validation, unaimed.w)[0];
  EXPECT_NEAR(gaps[0], 1.5 * believed_of(gap, problem, unaimed.w), 1e-3 * std::abs(gap));
  EXPECT_GT(gaps[0] / gap, 0);
  EXPECT_LT(gaps[0] / gap, 1.5);
}

TEST(Aimed, GapsOfRowsThatComeLaterAreNotAllToOneSide) {
  const int repeats = 12;
  double plain = 0, aimed = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Data data(static_cast<std::uint64_t>(100 + repeat), 6600, 6, 2);
    const Problem problem = in_parts(data, {24}, 600, 0);
    const RunOptions run{.budget = 60'000, .trace_points = 0};
    const auto gap_with = [&](Shift shift) {
      const AimedResult found = aimed_training(problem, {.delta = 0.005, .shift = shift},
                                               aimed_address, first_weights(problem), run);
      return gaps_at(problem, problem.test, found.result.w)[0] / repeats;
    };
    plain += gap_with(Shift::none);
    aimed += gap_with(Shift::folds);
  }
  EXPECT_GT(plain, 0.1);  // the labels of the first group are noisy: what is learnt of them is lost
  EXPECT_LT(std::abs(aimed), 0.6 * plain);  // as far as the aims can be reached
}

/// Two large groups, and a third one of which a hundredth of the rows is left.
Problem with_a_small_group(const Data& data) {
  Problem problem = in_parts(data, {6}, 1200, 1800);
  for (Part* part : {&problem.train, &problem.validation}) {
    std::vector<std::int64_t> rows;
    for (const std::int64_t row : part->rows) {
      if (row % 3 != 2 || row % 300 == 2) rows.push_back(row);
    }
    *part = make_part(std::move(rows), problem.constraints.cells(), data.labels, data.groups);
  }
  return problem;
}

TEST(Aimed, NamesGroupsOfWhichTooFewRowsAreHeldOut) {
  const Data data(7, 3300, 3, 3);
  const Problem problem = with_a_small_group(data);
  const RunOptions run{.budget = 20'000, .trace_points = 0};
  const CertifiedOptions options{.delta = 0.05, .shift = Shift::hold_out, .shift_factor = 1};
  const AimedResult found =
      aimed_training(problem, options, aimed_address, first_weights(problem), run);
  ASSERT_EQ(found.unsure.size(), 1u);
  EXPECT_EQ(found.unsure[0].cell, 2u);
  EXPECT_EQ(found.unsure[0].rows, 6);
  // The standard error by the definition, of losses of the run that has not seen these rows.
  Certified before(problem, options, {aimed_address.seed, aimed_address.task_key + "/held out 0"});
  const TrainingResult unaimed = train(problem, before, first_weights(problem), run);
  double squares = 0;
  const std::vector<double> scores =
      FullData(problem, test::no_control).scores(problem.validation, unaimed.w);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto cell = static_cast<std::size_t>(problem.validation.cell[i]);
    const double label = data.labels[static_cast<std::size_t>(problem.validation.rows[i])];
    const double loss = std::log1p(std::exp(-label * scores[i]));
    squares += (loss - found.held_out[cell]) * (loss - found.held_out[cell]);
  }
  const double variance = squares / static_cast<double>(scores.size() - 3);
  EXPECT_NEAR(found.unsure[0].error, std::sqrt(variance / 6), 1e-9);
}

/// Two held-out rows with the same decision have no variance of their own, and are not for that a
/// rate of 0 or 1 that is known for sure.
TEST(Aimed, FewRowsThatHappenToAgreeAreNotAimedAt) {
  const Data data(7, 3300, 3, 3);
  Problem problem = in_parts(data, {6}, 1200, 1800);
  const RateBound rate{RateKind::demographic_parity, RateOf::decisions, 0.5};
  problem.constraints = GapConstraints(rate, 3);
  problem.train = part_of(problem, data, 0, 1200);
  problem.validation = part_of(problem, data, 1200, 3000);
  const RunOptions run{.budget = 20'000, .trace_points = 0};
  const CertifiedOptions options{.delta = 0.05, .shift = Shift::hold_out, .shift_factor = 1};
  Certified before(problem, options, {aimed_address.seed, aimed_address.task_key + "/held out 0"});
  const TrainingResult unaimed = train(problem, before, first_weights(problem), run);
  const std::vector<double> scores =
      FullData(problem, test::no_control).scores(problem.validation, unaimed.w);
  for (const bool decision : {false, true}) {
    std::vector<std::int64_t> rows;
    int of_small = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const bool is_small = problem.validation.cell[i] == 2;
      if (is_small && ((scores[i] >= 0) != decision || ++of_small > 2)) continue;
      rows.push_back(problem.validation.rows[i]);
    }
    Problem part = problem;
    part.validation = make_part(rows, part.constraints.cells(), data.labels, data.groups);
    const AimedResult found =
        aimed_training(part, options, aimed_address, first_weights(part), run);
    ASSERT_EQ(found.held_out[2], decision ? 1 : 0);
    const double mean = (found.held_out[0] + found.held_out[1] + found.held_out[2]) / 3;
    const double deviation = found.held_out[2] - mean;
    EXPECT_LE(std::abs(found.offset[2]), 0.3 * found.factor * std::abs(deviation));
    ASSERT_EQ(found.unsure.size(), 1u);
    EXPECT_EQ(found.unsure[0].cell, 2u);
    EXPECT_EQ(found.unsure[0].rows, 2);
  }
}

TEST(Aimed, NamesNoGroupWhoseBoundIsWiderThanItsNoise) {
  const Data data(7, 3300, 3, 3);
  const Problem problem = with_a_small_group(data);
  const AimedResult found =
      aimed_training(problem, {.delta = 0.9, .shift = Shift::hold_out, .shift_factor = 1},
                     aimed_address, first_weights(problem), {.budget = 20'000, .trace_points = 0});
  EXPECT_FALSE(found.held_out.empty());
  EXPECT_TRUE(found.unsure.empty());
}

TEST(Aimed, GoesOnFromAnyCheckpointToTheSameBits) {
  const Data data(5, 120, 3, 2);
  const Problem problem = data.problem({4});
  const CertifiedOptions options{.delta = 0.03, .shift = Shift::folds, .folds = 2};
  const RunOptions run{.budget = 6'000, .trace_points = 3};
  const auto fresh = [&](const solvers::Control& control) {
    return aimed_training(problem, options, aimed_address, first_weights(problem), run, control);
  };
  const AimedResult whole = fresh({});
  std::vector<std::string> states;
  solvers::Control saving;
  saving.request = [] { return solvers::Request::checkpoint; };
  saving.save = [&](const std::string& bytes) { states.push_back(bytes); };
  (void)fresh(saving);
  ASSERT_GT(states.size(), 10u);
  for (std::size_t i = 0; i < states.size(); i += states.size() / 10) {
    solvers::Control going_on;
    going_on.resume = states[i];
    const AimedResult found = fresh(going_on);
    EXPECT_EQ(found.result.w, whole.result.w);
    EXPECT_EQ(found.offset, whole.offset);
    EXPECT_EQ(found.result.evaluations, whole.result.evaluations);
  }
  for (const std::string& bad : {states[3].substr(0, 60), std::string("x"), states[3] + "x"}) {
    solvers::Control damaged;
    damaged.resume = bad;
    EXPECT_THROW((void)fresh(damaged), base::CheckpointError);
  }
}

TEST(Aimed, RefusesWhatCannotBeHeldOut) {
  const Data data(6, 300, 3, 2);
  const RunOptions run{.budget = 20'000};
  const Problem none = data.problem({4});
  const auto refused = [&](const Problem& problem, const CertifiedOptions& options) {
    EXPECT_THROW(Certified::validate_for(problem, options, run), std::invalid_argument);
  };
  refused(none, {.shift = Shift::hold_out});
  const Problem problem = in_parts(data, {4}, 200, 50);
  EXPECT_NO_THROW(Certified::validate_for(problem, {.shift = Shift::hold_out}, run));
  refused(problem, {.choose_by = ChooseBy::validation, .shift = Shift::hold_out});
  refused(problem, {.confidence = 0.9, .shift = Shift::folds});
  Problem rare = problem;
  rare.train.of_cell[1].resize(1);
  refused(rare, {.shift = Shift::folds});
  Problem empty = problem;
  empty.validation.of_cell[0].resize(1);
  refused(empty, {.shift = Shift::hold_out});
}

}  // namespace
}  // namespace fairfront::training
