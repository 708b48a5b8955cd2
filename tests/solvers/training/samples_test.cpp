#include "solvers/training/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/support.hpp"
#include "solvers/training/switching_subgradient.hpp"

namespace fairfront::training {
namespace {

constexpr std::int64_t batch = 8;
constexpr std::array sizes{5, 12, 20};  // of groups: fewer rows than a batch, and more

/// 37 rows in groups of these sizes.
test::Data unequal_groups() {
  test::Data data(1, 37, 3, 3);
  std::size_t row = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    for (int i = 0; i < sizes[g]; ++i) data.groups[row++] = static_cast<std::int32_t>(g);
  }
  return data;
}

std::vector<double> weights_of(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 3);
}

TEST(CellSource, WithoutReplacementEveryRowComesEquallyOftenHoweverSmallItsGroup) {
  const test::Data data = unequal_groups();
  const Problem problem = data.problem({});
  CellSource source(problem, {1, "task"}, "zeta", Sampling::shuffled);
  std::map<std::int64_t, int> times;
  constexpr int draws = 15;  // 120 rows of each group: 24, 10 and 6 epochs
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<std::int64_t> rows;
    source.append(batch, rows);
    ASSERT_EQ(std::ssize(rows), 3 * batch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(data.groups[static_cast<std::size_t>(rows[i])], static_cast<int>(i / batch));
      ++times[rows[i]];
    }
    // The first batch of a group that is large enough has every row once at most.
    if (draw > 0) continue;
    const std::set<std::int64_t> distinct(rows.begin() + batch, rows.end());
    EXPECT_EQ(std::ssize(distinct), 2 * batch);
  }
  for (const auto& [row, count] : times) {
    const auto g = static_cast<std::size_t>(data.groups[static_cast<std::size_t>(row)]);
    EXPECT_EQ(count, draws * batch / sizes[g]) << "row " << row << " of group " << g;
  }
  EXPECT_EQ(times.size(), 37U);
}

/// What batches say of gaps, and of the gradient of sum_i y_i d_i.
struct Estimates {
  std::vector<double> gaps, gradient, gap_errors, gradient_errors;  ///< means, standard errors
};

Estimates estimate(const Problem& problem, std::span<const double> w, std::span<const double> y,
                   Sampling sampling, int draws) {
  CellSource source(problem, {1, "task"}, "zeta", sampling);
  Pass pass(problem);
  BatchGaps gaps_of(problem);
  const std::size_t q = y.size();
  std::vector<double> sum(q + w.size(), 0.0), squares(q + w.size(), 0.0);
  std::vector<std::int64_t> rows;
  for (int draw = 0; draw < draws; ++draw) {
    rows.clear();
    source.append(batch, rows);
    std::vector<double> found(q + w.size(), 0.0);
    std::ranges::copy(gaps_of(pass.forward(w, rows)), found.begin());
    std::vector<double> factors(rows.size());
    gaps_of.factors(y, factors);
    pass.backward(w, factors, std::span(found).subspan(q));
    for (std::size_t i = 0; i < found.size(); ++i) {
      sum[i] += found[i] / draws;
      squares[i] += found[i] * found[i] / draws;
    }
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    errors.push_back(std::sqrt(std::max(0.0, squares[i] - sum[i] * sum[i]) / draws));
  }
  const auto middle = static_cast<std::ptrdiff_t>(q);
  return {{sum.begin(), sum.begin() + middle},
          {sum.begin() + middle, sum.end()},
          {errors.begin(), errors.begin() + middle},
          {errors.begin() + middle, errors.end()}};
}

/// J'y on all rows.
std::vector<double> pulled_back(const Derivatives& at, std::span<const double> y) {
  std::vector<double> sum(at.gradient.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += y[i] * at.jacobian[i * sum.size() + j];
  }
  return sum;
}

class BatchGapsOf : public testing::TestWithParam<Fairness> {};

TEST_P(BatchGapsOf, WholeEpochsAverageToTheGapsOfAllRows) {
  const test::Data data = unequal_groups();
  const Problem problem = data.problem({4}, GetParam());
  const std::vector<double> w = weights_of(problem);
  const std::vector<double> y{0.7, -0.4, 1.3};
  const Derivatives all = FullData(problem, test::no_control).derivatives(w);
  const Estimates found = estimate(problem, w, y, Sampling::shuffled, 15);
  const auto gradient = pulled_back(all, y);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.gaps[i], all.values.gaps[i], 1e-13);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(found.gradient[j], gradient[j], 1e-13);
}

TEST_P(BatchGapsOf, DrawsWithReplacementAreUnbiased) {
  const test::Data data = unequal_groups();
  const Problem problem = data.problem({4}, GetParam());
  const std::vector<double> w = weights_of(problem);
  const std::vector<double> y{0.7, -0.4, 1.3};
  const Derivatives all = FullData(problem, test::no_control).derivatives(w);
  const Estimates found = estimate(problem, w, y, Sampling::replacement, 40'000);
  const auto gradient = pulled_back(all, y);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(found.gap_errors[i], 0);
    EXPECT_NEAR(found.gaps[i], all.values.gaps[i], 4.5 * found.gap_errors[i]);
  }
  for (std::size_t j = 0; j < w.size(); ++j) {
    EXPECT_NEAR(found.gradient[j], gradient[j], 4.5 * found.gradient_errors[j] + 1e-15);
  }
}

INSTANTIATE_TEST_SUITE_P(ThreeGaps, BatchGapsOf,
                         testing::Values(Fairness::loss_gap, Fairness::group_to_overall),
                         [](const auto& tested) {
                           return tested.param == Fairness::loss_gap ? "pairs" : "to_overall";
                         });

template <class Method, class Options>
std::vector<double> after_steps(Options options, Sampling sampling, Sampling of_groups) {
  const test::Data data(1, 90, 3, 2);
  const Problem problem = data.problem({4});
  options.sampling = sampling;
  options.group_sampling = of_groups;
  Method method(problem, options, {7, "task"});
  return train(problem, method, weights_of(problem),
               {.budget = 0, .iterations = 3, .trace_points = 0})
      .w;
}

/// Constraints that weigh nothing: the groups' rows cannot be seen in the result.
template <class Method, class Options>
void expect_own_sampling(const Options& without_constraints, const Options& with_constraints) {
  using enum Sampling;
  const auto w = after_steps<Method>(without_constraints, shuffled, shuffled);
  EXPECT_EQ(after_steps<Method>(without_constraints, shuffled, replacement), w);
  EXPECT_NE(after_steps<Method>(without_constraints, replacement, shuffled), w);
  EXPECT_NE(after_steps<Method>(with_constraints, shuffled, replacement),
            after_steps<Method>(with_constraints, shuffled, shuffled));
}

TEST(GroupSampling, IsThatOfTheGroupsAloneInEveryMethod) {
  AlmOptions free;
  free.dual_step = 0;
  free.penalty = 0;
  expect_own_sampling<SslAlm>(free, AlmOptions{});
  ClampedAlmOptions clamped;
  clamped.dual_step = 0;
  clamped.penalty = 0;
  clamped.most_penalty = 0;
  expect_own_sampling<ClampedAlm>(clamped, ClampedAlmOptions{});
  expect_own_sampling<Fairret>(FairretOptions{.strength = 0}, FairretOptions{});
  SwitchingOptions never;
  never.delta = 1e6;
  SwitchingOptions always;
  always.delta = 0;
  never.output = always.output = Output::last;
  expect_own_sampling<SwitchingSubgradient>(never, always);
}

}  // namespace
}  // namespace fairfront::training
