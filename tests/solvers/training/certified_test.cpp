#include "solvers/training/certified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "solvers/training/constant_score.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address address{.seed = 1, .task_key = "test"};
const solvers::Control control;

std::vector<double> start_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

TEST(Certified, EndsWithinTheBoundsWhateverTheProblem) {
  for (const auto fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                              Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const auto loss :
         {models::LossKind::logistic, models::LossKind::square, models::LossKind::hinge}) {
      for (const int groups : {2, 4}) {
        for (const double delta : {0.1, 1e-4}) {
          const Data data(1, 240, 3, groups);
          const Problem problem = data.problem({6}, fairness, loss);
          Certified certified(problem, {.delta = delta}, address);
          const TrainingResult found =
              train(problem, certified, start_of(problem), {.budget = 20'000, .trace_points = 3});
          EXPECT_LE(found.evaluations, 20'000);
          const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
          EXPECT_LE(at.gap(), delta) << static_cast<int>(fairness) << static_cast<int>(loss);
        }
      }
    }
  }
}

TEST(Certified, EndsWithinTheBoundsWithNoStepAtAllFromAFarStart) {
  const Data data(2, 300, 3, 3);
  const Problem problem = data.problem({5});
  for (const double scale : {20.0, 1e5, 1e200}) {
    std::vector<double> start = start_of(problem);
    for (double& value : start) value *= scale;
    constexpr double delta = 1e-3;
    // The passes at the end are the whole budget.
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, start, {.budget = 600, .trace_points = 0});
    EXPECT_LE(found.evaluations, 600);
    const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
    EXPECT_LE(at.gap(), delta);
    EXPECT_LE(at.loss, best_constant_score(problem, delta).loss + 1e-12);
  }
}

TEST(Certified, EndsWithinTheBoundsOnColumnsThatAreNotScaledWhateverIsRecorded) {
  Data data(2, 300, 3, 2);
  for (std::size_t i = 0; i < data.features.size(); i += 3) data.features[i] *= 2e7;
  for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{5}}) {
    Problem problem = data.problem(hidden);
    problem.test = problem.train;
    std::vector<double> w;
    for (const std::int64_t trace_points : {0, 20}) {
      Certified certified(problem, {.delta = 0.05}, address);
      const TrainingResult found = train(problem, certified, start_of(problem),
                                         {.budget = 20'000, .trace_points = trace_points});
      const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
      EXPECT_LE(at.gap(), 0.05);
      EXPECT_LE(at.loss, best_constant_score(problem, 0.05).loss + 1e-12);
      if (trace_points > 0) {
        EXPECT_EQ(found.w, w);
        EXPECT_GT(found.trace.of("loss_train")[0], 1e5);  // at the first weights, as it is
      }
      w = found.w;
    }
  }
}

TEST(Certified, RowsFarFromThoseOfTheTrainingPartAreNoFailure) {
  Data data(2, 301, 3, 2);
  data.features[900] = 1e12;  // the last row is one of the test part alone
  data.labels[300] = -1;      // others with so much of it have 1
  Problem problem = data.problem({});
  problem.test = problem.train;
  problem.train.rows.pop_back();
  problem.train.cell.pop_back();
  problem.train.of_cell[0].pop_back();
  Certified certified(problem, {.delta = 0.05}, address);
  const TrainingResult found =
      train(problem, certified, start_of(problem), {.budget = 20'000, .trace_points = 20});
  EXPECT_LE(FullData(problem, control).losses(problem.train, found.w).gap(), 0.05);
  EXPECT_GT(found.trace.of("loss_test").back(), 1e6);
}

TEST(Certified, ComesNearTheOptimumOfALinearScoreAndNotBelowIt) {
  const Data data(3, 600, 4, 2);
  const Problem problem = data.problem({});
  for (const double delta : {0.1, 0.01}) {
    const ExactOptimum best = exact_training(problem, {.delta = delta, .cells = 100});
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, start_of(problem), {.budget = 300'000, .trace_points = 0});
    const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
    EXPECT_LE(at.gap(), delta);
    EXPECT_GE(at.loss, best.lower - 1e-9);
    EXPECT_LE(at.loss, best.loss + 2e-3);
  }
}

/// Two large groups and `small` groups of three rows each, of which the first has label 1 and the
/// second label -1.
Data with_small_groups(int small) {
  Data data(5, 200, 3, 2);
  for (int g = 0; g < small; ++g) {
    for (int i = 0; i < 3; ++i) {
      const auto row = static_cast<std::size_t>(3 * g + i);
      data.groups[row] = static_cast<std::int32_t>(2 + g);
      if (i < 2) data.labels[row] = i == 0 ? 1 : -1;
    }
  }
  return data;
}

TEST(Certified, LevelsGroupsOfThreeRowsAtNoMoreThanALinearScoreNeeds) {
  for (const auto fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                              Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const int small : {2, 4}) {
      const Data data = with_small_groups(small);
      const Problem linear = data.problem({}, fairness);
      for (const double delta : {0.05, 0.005}) {
        const ExactOptimum best = exact_training(linear, {.delta = delta, .cells = 0});
        for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{16, 8}}) {
          const Problem problem = data.problem(hidden, fairness);
          Certified certified(problem, {.delta = delta}, address);
          const TrainingResult found =
              train(problem, certified, start_of(problem), {.budget = 100'000, .trace_points = 0});
          const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
          EXPECT_LE(at.gap(), delta);
          EXPECT_LE(at.loss, best.loss + 0.02)
              << static_cast<int>(fairness) << ' ' << small << ' ' << delta << ' ' << hidden.size();
        }
      }
    }
  }
}

TEST(Certified, TheWholeTrainingPartMayBeTwoGroupsOfThreeRows) {
  const Data data(6, 6, 3, 2);
  for (const auto fairness : {Fairness::loss_gap, Fairness::group_to_overall}) {
    const Problem problem = data.problem({8}, fairness);
    for (const double delta : {0.05, 1e-6}) {
      Certified certified(problem, {.delta = delta}, address);
      const TrainingResult found =
          train(problem, certified, start_of(problem), {.budget = 20'000, .trace_points = 20});
      const PartLosses at = FullData(problem, control).losses(problem.train, found.w);
      EXPECT_LE(at.gap(), delta);
      EXPECT_LE(at.loss, best_constant_score(problem, delta).loss + 1e-12);
    }
  }
}

/// Certified training that also writes down every iterate at which it looked.
class Watched final : public Algorithm {
 public:
  Watched(const Problem& problem, const CertifiedOptions& options)
      : inner_{problem, options, address}, rows_{problem.train.size()}, batch_{options.batch} {}

  bool step(std::span<double> w, Allowance& allowance) override {
    const std::vector<double> before(w.begin(), w.end());
    const std::int64_t used = allowance.used();
    const bool made = inner_.step(w, allowance);
    if (allowance.used() == used + rows_ + batch_) looked_at.push_back(before);
    return made;
  }
  [[nodiscard]] double mean_cost() const override { return inner_.mean_cost(); }
  void finish(std::span<double> w) override { inner_.finish(w); }
  void pack(solvers::Packer& packer) const override { inner_.pack(packer); }
  void unpack(solvers::Unpacker& unpacker) override { inner_.unpack(unpacker); }

  std::vector<std::vector<double>> looked_at;

 private:
  Certified inner_;
  std::int64_t rows_, batch_;
};

TEST(Certified, IsNeverAboveAnIterateWithinTheBoundsThatItLookedAt) {
  const Data data(7, 120, 3, 3);
  const Problem problem = data.problem({6});
  FullData full(problem, control);
  for (const double step : {0.004, 0.5, 30.0}) {  // the last ones leave good weights again
    for (const double delta : {0.5, 0.02}) {
      Watched watched(problem, {.delta = delta, .step = step});
      const TrainingResult found =
          train(problem, watched, start_of(problem), {.budget = 30'000, .trace_points = 0});
      EXPECT_LE(found.evaluations, 30'000);
      EXPECT_GE(watched.looked_at.size(), 10U);
      EXPECT_LE(watched.looked_at.size(), 30'000U / (11 * 120) + 1);
      const PartLosses at = full.losses(problem.train, found.w);
      for (const auto& w : watched.looked_at) {
        const PartLosses other = full.losses(problem.train, w);
        if (other.gap() <= 0.999 * delta) {
          EXPECT_LE(at.loss, other.loss + 1e-12);
        }
      }
    }
  }
}

/// Where a linear score tells all rows apart, losses and gaps vanish together: a tight bound costs
/// no more than a wide one, which must not be found by chance.
TEST(Certified, TightBoundsOfSeparableRowsCostNoMoreThanWideOnes) {
  int tasks = 0, above = 0;
  for (std::uint64_t seed = 101; seed <= 112; ++seed) {
    for (const int rows : {16, 80}) {
      Data data(seed, rows, 3, 3);
      const double* x = data.features.data();
      for (double& label : data.labels) {
        label = 0.2 + x[0] - 0.5 * x[1] + x[2] > 0 ? 1 : -1;
        x += 3;
      }
      const Problem problem = data.problem({});
      std::vector<PartLosses> ends;
      for (const double delta : {0.1, 0.05, 0.02, 0.01}) {
        Certified certified(problem, {.delta = delta}, address);
        const TrainingResult found = train(problem, certified, start_of(problem),
                                           {.budget = 1'000 * rows, .trace_points = 0});
        ends.push_back(FullData(problem, control).losses(problem.train, found.w));
        EXPECT_LE(ends.back().gap(), delta);
        // The wider bounds' results that keep this one, too.
        double least = ends.back().loss;
        for (const PartLosses& other : ends) {
          if (other.gap() <= delta) least = std::min(least, other.loss);
        }
        ++tasks;
        above += ends.back().loss > least + 0.02 ? 1 : 0;
      }
    }
  }
  EXPECT_LE(above, tasks / 40);
}

TEST(Certified, GoodWeightsThatStepsLeaveAreNotLost) {
  const Data data(7, 120, 3, 3);
  const Problem problem = data.problem({6});
  constexpr double delta = 0.02;
  Certified first(problem, {.delta = delta}, address);
  const std::vector<double> good =
      train(problem, first, start_of(problem), {.budget = 30'000, .trace_points = 0}).w;
  const double loss = FullData(problem, control).losses(problem.train, good).loss;
  ASSERT_LT(loss, best_constant_score(problem, delta).loss - 0.05);
  for (const std::int64_t trace_points : {0, 40}) {
    // Hidden units that steps of this length have put out cannot be led back.
    Certified second(problem, {.delta = delta, .step = 30}, address);
    const TrainingResult found =
        train(problem, second, good, {.budget = 30'000, .trace_points = trace_points});
    EXPECT_LE(FullData(problem, control).losses(problem.train, found.w).loss, loss + 1e-12);
  }
}

/// What the last layer has to close afterwards costs most on other rows.
TEST(Certified, StepsCloseGapsThemselvesWhereRowsComeAgainOften) {
  using Case = std::pair<std::uint64_t, double>;
  for (const auto& [seed, delta] : {Case{8, 0.02}, Case{10, 0.05}, Case{10, 0.02}}) {
    Data data(seed, 300, 5, 2);
    base::Stream stream(base::StreamKey(1, "test", "noise"), 0);
    for (double& label : data.labels) {
      if (stream.uniform() < 0.3) label = -label;
    }
    const Problem problem = data.problem({8});
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, start_of(problem), {.budget = 60'000, .trace_points = 20});
    const auto gaps = found.trace.of("gap_train");
    EXPECT_LE(gaps[gaps.size() - 2], 1.05 * delta) << seed;  // the last point is the result
  }
}

/// Rows of three parts, with labels that are noise in a third of the rows.
struct ThreeParts {
  Data data{8, 900, 5, 2};

  ThreeParts() {
    base::Stream stream(base::StreamKey(1, "test", "noise"), 0);
    for (double& label : data.labels) {
      if (stream.uniform() < 0.3) label = -label;
    }
  }
  [[nodiscard]] Problem problem() const {
    Problem made = data.problem({24, 12});
    const auto part = [&](std::int64_t first) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = first; i < first + 300; ++i) rows.push_back(i);
      return make_part(rows, made.constraints.cells(), data.labels, data.groups);
    };
    made.train = part(0);
    made.validation = part(300);
    made.test = part(600);
    return made;
  }
};

std::vector<double> trained(const Problem& problem, const CertifiedOptions& options) {
  Certified certified(problem, options, address);
  const RunOptions run{.budget = 100'000, .trace_points = 0};
  const TrainingResult found = train(problem, certified, start_of(problem), run);
  EXPECT_LE(found.evaluations, run.budget);
  return found.w;
}

TEST(Certified, AChoiceByValidationRemembersLess) {
  const ThreeParts parts;
  const Problem problem = parts.problem();
  FullData full(problem, control);
  for (const double delta : {0.1, 0.005}) {
    const auto chosen = trained(problem, {.delta = delta, .choose_by = ChooseBy::validation});
    const auto last = trained(problem, {.delta = delta});
    EXPECT_LE(full.losses(problem.train, chosen).gap(), delta);
    EXPECT_LE(full.losses(problem.train, chosen).loss,
              best_constant_score(problem, delta).loss + 1e-12);
    for (const Part* part : {&problem.validation, &problem.test}) {
      EXPECT_LT(full.losses(*part, chosen).loss, full.losses(*part, last).loss - 0.1) << delta;
    }
  }
}

TEST(Certified, LooksAtNoRowsButThoseThatMayDecide) {
  const ThreeParts parts;
  const Problem problem = parts.problem();
  Problem other_test = problem;
  other_test.test = problem.train;
  Problem other_validation = problem;
  other_validation.validation = problem.train;
  const CertifiedOptions by_training{.delta = 0.05};
  const CertifiedOptions by_validation{.delta = 0.05, .choose_by = ChooseBy::validation};
  const auto chosen = trained(problem, by_validation);
  EXPECT_EQ(trained(other_test, by_validation), chosen);
  EXPECT_NE(trained(other_validation, by_validation), chosen);
  EXPECT_EQ(trained(other_validation, by_training), trained(problem, by_training));
}

TEST(Certified, RefusesAChoiceByRowsThatLackOrAreAskedForAConfidence) {
  const ThreeParts parts;
  Problem problem = parts.problem();
  CertifiedOptions options{.choose_by = ChooseBy::validation};
  const RunOptions least{.budget = 2 * 300 + 300};
  EXPECT_NO_THROW(Certified::validate_for(problem, options, least));
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 2 * 300 + 299}),
               std::invalid_argument);
  options.confidence = 0.9;
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 100'000}),
               std::invalid_argument);
  options.confidence = 0;
  problem.validation = {};
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 100'000}),
               std::invalid_argument);
}

TEST(Certified, RefusesAConfidenceOfNextToNothing) {
  const ThreeParts parts;
  const Problem problem = parts.problem();
  for (const double confidence : {1e-160, 1e-300, 0.0099}) {
    EXPECT_THROW(Certified::validate_for(problem, {.confidence = confidence}, {.budget = 100'000}),
                 std::invalid_argument);
  }
  EXPECT_NO_THROW(Certified::validate_for(problem, {.confidence = 0.01}, {.budget = 100'000}));
}

TEST(Certified, RefusesABudgetThatIsTooSmallForItsPasses) {
  const Data data(4, 100, 3, 2);
  const Problem problem = data.problem({});
  const CertifiedOptions options;
  EXPECT_NO_THROW(Certified::validate_for(problem, options, {.budget = 200}));
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 199}), std::invalid_argument);
  EXPECT_THROW(Certified::validate_for(problem, options, {.budget = 0, .iterations = 10}),
               std::invalid_argument);
  EXPECT_THROW(Certified(problem, {.delta = 0}, address), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
