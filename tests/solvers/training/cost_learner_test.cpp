// Networks as learners of [reductions].
#include "solvers/training/cost_learner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/elementary.hpp"
#include "models/loss.hpp"
#include "optimise/mixture_program.hpp"
#include "solvers/killed.hpp"
#include "solvers/training/reductions.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

constexpr double l2 = 1e-3;

NetworkLearner network_learner(const Problem& problem, std::int64_t budget) {
  return {problem,
          {.l2 = l2, .step = 0.02, .batch = 8},
          {3, "test"},
          initial_weights(problem.model, models::Initialisation::fan_in, 3),
          {.budget = budget}};
}

std::vector<double> fit_start(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 4);
}

/// What both learners minimise, of a linear score with its bias at the end.
double objective(const Data& data, const WeightedLabels& target, const std::vector<double>& w) {
  double loss = 0, all = 0, squares = 0;
  const auto d = static_cast<std::size_t>(data.columns);
  for (std::size_t i = 0; i < target.labels.size(); ++i) {
    double score = w.back();
    for (std::size_t j = 0; j < d; ++j) score += w[j] * data.features[i * d + j];
    loss += target.weights[i] * models::LogisticLoss::value(score, target.labels[i]);
    all += target.weights[i];
  }
  for (std::size_t j = 0; j < d; ++j) squares += w[j] * w[j];
  return loss / all + l2 * squares / 2;
}

TEST(NetworkLearner, WithoutHiddenLayersComesToTheWeightedLossOfTheLogisticFit) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Data data(seed, 200, 4, 2);
    base::Stream stream(base::StreamKey(seed, "test", "weights"), 0);
    std::vector<double> labels = data.labels, weights(200);
    for (std::size_t i = 0; i < 200; ++i) {
      weights[i] = 3 * stream.uniform();
      if (stream.uniform() < 0.1) labels[i] *= -1;
    }
    const WeightedLabels target{labels, weights};
    LogisticLearner exact({data.features, data.columns}, l2, 1e-10);
    const double least = objective(data, target, exact.fit(target, {}, 0, {}).w);
    const Problem problem = data.problem({});
    NetworkLearner steps = network_learner(problem, 100'000);
    const std::vector<double> found = steps.fit(target, {}, 0, {}).w;
    EXPECT_GE(objective(data, target, found), least - 1e-12);
    EXPECT_LE(objective(data, target, found), least + 1e-4);
    // The problem's own labels are not looked at.
    const std::vector<double> other(200, 1.0);
    EXPECT_GT(objective(data, target, steps.fit({other, weights}, {}, 0, {}).w), least + 0.05);
  }
}

TEST(NetworkLearner, FitsOfOneNumberHaveTheSameBitsAndThoseOfAnotherHaveNot) {
  const Data data(5, 120, 3, 2);
  const Problem problem = data.problem({4});
  const std::vector<double> weights(120, 1.0);
  const WeightedLabels target{data.labels, weights};
  NetworkLearner learner = network_learner(problem, 4'000);
  const std::vector<double> first = learner.fit(target, {}, 0, {}).w;
  EXPECT_EQ(network_learner(problem, 4'000).fit(target, {}, 0, {}).w, first);
  EXPECT_NE(learner.fit(target, {}, 1, {}).w, first);
  EXPECT_EQ(later_fit({.budget = 4'000, .iterations = 3}).budget, 1'000);
  EXPECT_EQ(later_fit({.budget = 4'000, .iterations = 3}).iterations, 1);
  EXPECT_EQ(later_fit({.budget = 0, .iterations = 8}).budget, 0);
}

/// Two signs as columns; the label is whether they are the same, in a share of the rows that both
/// groups have alike but for how many of them are positive: no line is better than a constant by
/// much, and a network can decide each of the four kinds of rows.
Data same_signs() {
  Data data(1, 320, 2, 2);
  base::Stream stream(base::StreamKey(1, "test", "signs"), 0);
  for (std::size_t i = 0; i < 320; ++i) {
    const bool first = i % 4 < 2, second = i % 2 == 0;
    data.features[2 * i] = first ? 1 : -1;
    data.features[2 * i + 1] = second ? 1 : -1;
    data.labels[i] = (first == second) != (stream.uniform() < 0.05) ? 1 : -1;
    const double share = first == second ? 0.58 : 0.42;  // of group 1
    data.groups[i] = stream.uniform() < share ? 1 : 0;
  }
  return data;
}

/// The least error of draws among all sixteen ways to decide the four kinds within a bound.
double least_error(const Data& data, const RateProblem& problem, const ReductionsOptions& options) {
  const RateCells cells(options.rate, 2);
  std::vector<Rates> all;
  for (std::uint32_t which = 0; which < 16; ++which) {
    std::vector<double> decided;
    for (std::size_t i = 0; i < data.labels.size(); ++i) decided.push_back(which >> i % 4 & 1U);
    all.push_back(rates_of(problem, cells, decided));
  }
  std::vector<double> errors, excess;
  for (const Rates& rates : all) errors.push_back(rates.error);
  for (const RateInequality& limit :
       inequalities_of({options.rate, options.bound_of, options.bound}, cells)) {
    for (const Rates& rates : all) excess.push_back(limit.excess(rates.of_cell));
  }
  return optimise::best_mixture(errors, excess, 1e4).value;
}

TEST(ReductionsOfNetworks, KeepTheBoundWithTheLeastErrorOfAllDecisionsWhereNoLineIsOfUse) {
  const Data data = same_signs();
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({8});
  for (const RateKind rate : {RateKind::demographic_parity, RateKind::equalised_odds}) {
    for (const double bound : {0.02, 0.1}) {
      const ReductionsOptions options{.rate = rate, .bound = bound};
      NetworkLearner learner = network_learner(problem, 40'000);
      const ReductionsResult found = reductions(rows, learner, options);
      const double least = least_error(data, rows, options);
      EXPECT_LE(found.gap, bound + 1e-9);
      EXPECT_GE(found.error, least - 1e-9);
      EXPECT_LE(found.error, least + 0.01);
      EXPECT_GT(reductions(rows, options).error, least + 0.1) << least;  // of lines
      EXPECT_GE(found.duality_gap, -1e-9);
      for (const std::vector<double>& w : found.members) {
        EXPECT_EQ(std::ssize(w), problem.model.parameters());
      }
    }
  }
}

TEST(ReductionsOfNetworks, RatiosAndTheWorstGroupAreBoundedToo) {
  const Data data = same_signs();
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({8});
  for (const ReductionsOptions& options :
       {ReductionsOptions{.bound_of = BoundOf::ratio, .bound = 0.9},
        ReductionsOptions{.rate = RateKind::error_rate_parity,
        .bound_of = BoundOf::worst_group,
        .bound = 0.08}}) {
    NetworkLearner learner = network_learner(problem, 40'000);
    const ReductionsResult found = reductions(rows, learner, options);
    const double least = least_error(data, rows, options);
    const RateLimit limit{options.rate, options.bound_of, options.bound};
    EXPECT_TRUE(keeps(
        limit, options.bound_of == BoundOf::ratio ? found.bounded + 1e-9 : found.bounded - 1e-9))
        << found.bounded;
    EXPECT_LE(found.error, least + 0.01);
  }
}

/// Passes on what another learner answers, and adds up what that took.
class WatchedLearner final : public CostLearner {
 public:
  explicit WatchedLearner(CostLearner& other) : CostLearner{other.model()}, other_{other} {}
  [[nodiscard]] bool is_exact() const override { return other_.is_exact(); }
  [[nodiscard]] CostFit fit(const WeightedLabels& target, std::span<const double> start,
                            std::int64_t number, const solvers::Control& control) override {
    CostFit found = other_.fit(target, start, number, control);
    evaluations += found.evaluations;
    return found;
  }
  std::int64_t evaluations = 0;

 private:
  CostLearner& other_;
};

TEST(CostLearners, CountTheRowsThatTheyLookAt) {
  const Data data(5, 200, 3, 2);
  const std::vector<double> ones(200, 1.0);
  LogisticLearner exact({data.features, data.columns}, l2, 1e-10);
  const CostFit fit = exact.fit({data.labels, ones}, {}, 0, {});
  EXPECT_EQ(fit.evaluations % 200, 0);
  EXPECT_GE(fit.evaluations, 3 * 200);
  EXPECT_EQ(exact.fit({ones, ones}, {}, 0, {}).evaluations, 0);  // a constant, without a look
  EXPECT_EQ(exact.fit({data.labels, ones}, fit.w, 0, {}).evaluations, 200);
  const Problem problem = data.problem({4});
  NetworkLearner network = network_learner(problem, 1'600);
  EXPECT_EQ(network.fit({data.labels, ones}, {}, 0, {}).evaluations, 1'600);
  EXPECT_EQ(network.fit({data.labels, ones}, fit_start(problem), 1, {}).evaluations, 400);
}

TEST(Reductions, CountWhatFitsTookAndALookAtEveryRowForEachClassifier) {
  const Data data(6, 200, 3, 2);
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({4});
  for (const Search search : {Search::mixture, Search::grid}) {
    const ReductionsOptions options{.bound = 0.02, .rounds = 3, .search = search, .grid_size = 7};
    LogisticLearner exact(rows.rows, l2, 1e-8);
    NetworkLearner network = network_learner(problem, 1'600);
    for (CostLearner* learner :
         {static_cast<CostLearner*>(&exact), static_cast<CostLearner*>(&network)}) {
      WatchedLearner watched(*learner);
      const ReductionsResult found = reductions(rows, watched, options);
      EXPECT_EQ(found.evaluations, watched.evaluations + 200 * found.fits);
      EXPECT_GT(watched.evaluations, 200 * found.fits);
    }
  }
}

TEST(ReductionsOfNetworks, TheDrawIsTheBestOneOfTheClassifiersFoundAndLowerIsOfThem) {
  const Data data(9, 200, 3, 2);
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({4});
  constexpr double bound = 0.05;
  NetworkLearner learner = network_learner(problem, 4'000);
  const ReductionsResult found = reductions(rows, learner, {.bound = bound, .rounds = 6});
  EXPECT_LE(found.lower, found.error + 1e-9);
  // The best draw within one bound on two rates is among draws of two, at one end or the other.
  double least = std::numeric_limits<double>::infinity();
  for (const Rates& a : found.rates) {
    for (const Rates& b : found.rates) {
      const double at_a = a.of_cell[0] - a.of_cell[1], at_b = b.of_cell[0] - b.of_cell[1];
      for (const double aim : {-bound, bound}) {
        const double share = at_a == at_b ? 0 : (aim - at_b) / (at_a - at_b);
        if (!(share >= 0 && share <= 1) || (at_a == at_b && std::abs(at_b) > bound)) continue;
        least = std::min(least, share * a.error + (1 - share) * b.error);
      }
    }
    if (std::abs(a.of_cell[0] - a.of_cell[1]) <= bound) least = std::min(least, a.error);
  }
  EXPECT_NEAR(found.error, least, 1e-9);
}

TEST(ReductionsOfNetworks, GoOnFromEveryCheckpointToTheSameBits) {
  const Data data(7, 200, 3, 2);
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({4});
  for (const Search search : {Search::mixture, Search::grid}) {
    const ReductionsOptions options{
        .bound = 0.01, .rounds = 3, .tolerance = 1e-9, .search = search, .grid_size = 7};
    const auto run = [&](const solvers::Control& control) {
      NetworkLearner learner = network_learner(problem, 1'600);
      return reductions(rows, learner, options, control);
    };
    const ReductionsResult whole = run({});
    solvers::test::KilledRun killed(run);
    const ReductionsResult resumed = killed.to_the_end();
    EXPECT_GE(killed.kills(), 6);
    EXPECT_EQ(resumed.members, whole.members);
    EXPECT_EQ(resumed.shares, whole.shares);
    EXPECT_EQ(resumed.lower, whole.lower);
    EXPECT_EQ(resumed.grid.size(), search == Search::grid ? 7U : 0U);
    for (std::size_t i = 0; i < whole.grid.size(); ++i) {
      EXPECT_EQ(resumed.grid[i].w, whole.grid[i].w);
    }
    solvers::test::KilledRun part(run);
    ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(run, part.state());
  }
}

TEST(ReductionsOfNetworks, AClassifierOfAGridHangsOnItsMultipliersAndNotOnTheGridAroundIt) {
  const Data data(3, 200, 3, 2);
  const RateProblem rows = test::rate_problem_of(data, 2);
  const Problem problem = data.problem({4});
  const auto grid = [&](std::int64_t size) {
    NetworkLearner learner = network_learner(problem, 1'600);
    return reductions(rows, learner, {.search = Search::grid, .grid_size = size}).grid;
  };
  const std::vector<GridClassifier> coarse = grid(3), fine = grid(5);
  for (const GridClassifier& one : coarse) {
    const auto same = std::ranges::find(fine, one.costs, &GridClassifier::costs);
    ASSERT_NE(same, fine.end());
    EXPECT_EQ(same->w, one.w);
  }
}

}  // namespace
}  // namespace fairfront::training
