#include "solvers/training/full_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/stop.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

std::vector<double> random_weights(const Problem& problem, std::uint64_t seed) {
  return initial_weights(problem.model, models::Initialisation::fan_in, seed);
}

double loss_of(models::LossKind kind, double score, double label) {
  double value = 0;
  models::loss_values(kind, {&score, 1}, {&label, 1}, {&value, 1});
  return value;
}

TEST(FullData, StopsWithinAPassAlsoWithoutAControl) {
  const test::Data data(1, 1000, 3, 2);
  const Problem problem = data.problem({});
  const std::vector<double> w = random_weights(problem, 1);
  int asked = 0;
  const base::StopScope scope([&] { return ++asked == 3; });
  EXPECT_THROW((void)FullData(problem, test::no_control).losses(problem.train, w),
               solvers::Interrupted);
  // The last step of the authors' rules is one on all rows.
  SslAlmOptions options;
  options.rules = Rules::authors;
  SslAlm algorithm(problem, options, {1, "key"});
  std::vector<double> changed = w;
  asked = 0;
  EXPECT_THROW(algorithm.finish(changed), solvers::Interrupted);
  EXPECT_EQ(changed, w);
}

TEST(FullData, LossAndGapsAreSumsOverTheRows) {
  const test::Data data(1, 301, 3, 3);
  for (const auto kind :
       {models::LossKind::logistic, models::LossKind::square, models::LossKind::hinge}) {
    const Problem problem = data.problem({}, Fairness::loss_gap, kind);
    const std::vector<double> w = random_weights(problem, 1);
    double sum = 0;
    std::vector<double> of_group(3, 0.0);
    std::vector<double> rows(3, 0.0);
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      double score = w[3];  // the bias comes last
      for (std::size_t j = 0; j < 3; ++j) score += w[j] * data.features[3 * i + j];
      const double loss = loss_of(kind, score, data.labels[i]);
      const auto g = static_cast<std::size_t>(data.groups[i]);
      sum += loss;
      of_group[g] += loss;
      rows[g] += 1;
    }
    for (std::size_t g = 0; g < 3; ++g) of_group[g] /= rows[g];
    const PartLosses found = FullData(problem, test::no_control).losses(problem.train, w);
    EXPECT_NEAR(found.loss, sum / 301, 1e-13);
    EXPECT_NEAR(found.gaps[0], of_group[0] - of_group[1], 1e-13);
    EXPECT_NEAR(found.gaps[2], of_group[1] - of_group[2], 1e-13);
  }
}

TEST(FullData, DerivativesAreThoseOfDifferences) {
  const test::Data data(2, 120, 3, 3);
  for (const Fairness fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                                  Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{6, 4}}) {
      const Problem problem = data.problem(hidden, fairness);
      FullData full(problem, test::no_control);
      std::vector<double> w = random_weights(problem, 3);
      const Derivatives at = full.derivatives(w);
      const PartLosses plain = full.losses(problem.train, w);
      EXPECT_NEAR(at.values.loss, plain.loss, 1e-14);
      EXPECT_THAT(at.values.gaps, testing::Pointwise(testing::DoubleNear(1e-13), plain.gaps));
      test::expect_derivatives_of_differences(problem, full, w, at);
    }
  }
}

TEST(FullData, LossesThatOverflowAreADivergence) {
  const test::Data data(1, 20, 2, 2);
  const Problem problem = data.problem({3});
  std::vector<double> w = random_weights(problem, 1);
  w[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)FullData(problem, test::no_control).losses(problem.train, w),
               std::domain_error);
}

}  // namespace
}  // namespace fairfront::training
