#include "models/logistic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "base/stop.hpp"
#include "models/mean_loss.hpp"

namespace fairfront::models {
namespace {

using Numbers = std::vector<double>;
using Wide = std::vector<long double>;
using Classes = std::vector<std::int32_t>;

/// Rows with labels that depend on them, not separable; classes 0 .. count - 1.
struct Sample {
  std::int64_t columns;
  Numbers features;
  Numbers labels;
  Classes classes;

  Sample(std::int64_t m, std::int64_t d, std::int32_t count) : columns{d} {
    base::Stream stream(base::StreamKey(1, "logistic", "test"), 0);
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < d; ++j) {
        // Offsets and sizes differ from column to column.
        const double x = stream.normal();
        features.push_back((x + static_cast<double>(j % 3)) * (1 + static_cast<double>(j)));
        sum += x / std::sqrt(static_cast<double>(d));
      }
      const double noisy = sum + stream.normal();
      labels.push_back(noisy > 0.3 ? 1 : -1);
      classes.push_back(std::clamp(static_cast<std::int32_t>(std::floor(noisy + 1)), 0, count - 1));
    }
  }
  [[nodiscard]] Rows rows() const { return {features, columns}; }
};

/// The gradient of the multinomial objective from its definition, in long double.
Wide multinomial_gradient(const Sample& sample, const Numbers& w, std::size_t count, double l2) {
  const auto d = static_cast<std::size_t>(sample.columns), n = d + 1;
  const std::size_t m = sample.classes.size();
  Wide gradient(w.size(), 0);
  for (std::size_t i = 0; i < m; ++i) {
    Wide x(n, 1);
    for (std::size_t j = 0; j < d; ++j) x[j + 1] = sample.features[i * d + j];
    Wide p(count, 0);
    long double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < n; ++j) p[k] += w[k * n + j] * x[j];
      p[k] = std::exp(p[k]);
      sum += p[k];
    }
    for (std::size_t k = 0; k < count; ++k) {
      const bool own = static_cast<std::size_t>(sample.classes[i]) == k;
      const long double slope = (p[k] / sum - (own ? 1 : 0)) / static_cast<long double>(m);
      for (std::size_t j = 0; j < n; ++j) gradient[k * n + j] += slope * x[j];
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 1; j < n; ++j) gradient[k * n + j] += l2 * w[k * n + j];
  }
  return gradient;
}

/// The same of the objective for two classes.
Wide binary_gradient(const Sample& sample, const Numbers& w, bool intercept, double l2) {
  const auto d = static_cast<std::size_t>(sample.columns);
  const std::size_t first = intercept ? 1 : 0, m = sample.labels.size();
  Wide gradient(w.size(), 0);
  for (std::size_t i = 0; i < m; ++i) {
    long double score = intercept ? w[0] : 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      score += static_cast<long double>(w[first + j]) * sample.features[i * d + j];
    }
    const long double y = sample.labels[i];
    const long double slope = -y / (1 + std::exp(y * score)) / static_cast<long double>(m);
    if (intercept) gradient[0] += slope;
    for (std::size_t j = 0; j < d; ++j) gradient[first + j] += slope * sample.features[i * d + j];
  }
  for (std::size_t j = first; j < w.size(); ++j) gradient[j] += l2 * w[j];
  return gradient;
}

double largest(const Wide& values) {
  long double result = 0;
  for (const long double value : values) result = std::max(result, std::abs(value));
  return static_cast<double>(result);
}

double distance(const Numbers& a, const Numbers& b) {
  double result = 0;
  for (std::size_t j = 0; j < a.size(); ++j) result = std::max(result, std::abs(a[j] - b[j]));
  return result;
}

TEST(Logistic, TheGradientVanishesByItsDefinition) {
  // The objective is convex: where its gradient vanishes is the minimum.
  const Sample sample(300, 5, 2);
  for (const Minimiser minimiser : {Minimiser::newton, Minimiser::lbfgs}) {
    for (const Intercept intercept : {Intercept::first, Intercept::none}) {
      for (const double l2 : {0.0, 0.01}) {
        const auto fit = fit_logistic(
            sample.rows(), sample.labels,
            {.intercept = intercept, .l2 = l2, .tolerance = 1e-10, .minimiser = minimiser});
        EXPECT_EQ(fit.stop, optimise::Stop::converged);
        EXPECT_LE(fit.gradient_norm, 1e-10);
        const bool first = intercept == Intercept::first;
        EXPECT_LE(largest(binary_gradient(sample, fit.weights, first, l2)), 1.001e-10);
      }
    }
  }
}

TEST(Logistic, PlainGradientDescentEndsAtTheSameWeights) {
  const Sample sample(200, 2, 2);
  constexpr double l2 = 0.05;
  const auto fit = fit_logistic(sample.rows(), sample.labels, {.l2 = l2, .tolerance = 1e-12});
  ASSERT_TRUE(fit.converged());
  Numbers w(3, 0.0);
  for (int k = 0; k < 20000; ++k) {
    const Wide gradient = binary_gradient(sample, w, true, l2);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= static_cast<double>(0.2L * gradient[j]);
  }
  EXPECT_LT(distance(fit.weights, w), 1e-10);  // curvatures are above 0.01
}

TEST(Logistic, BothMinimisersFindTheSameWeights) {
  const Sample sample(400, 30, 2);
  LogisticOptions options{.l2 = 0.01, .tolerance = 1e-11, .minimiser = Minimiser::newton};
  const auto newton = fit_logistic(sample.rows(), sample.labels, options);
  options.minimiser = Minimiser::lbfgs;
  const auto lbfgs = fit_logistic(sample.rows(), sample.labels, options);
  ASSERT_TRUE(newton.converged() && lbfgs.converged());
  EXPECT_LT(newton.iterations, 12);
  EXPECT_LT(distance(newton.weights, lbfgs.weights), 1e-8);  // curvatures are above 0.01
}

TEST(Logistic, SeparableRowsWithL2HaveAMinimum) {
  Sample sample(50, 2, 2);
  for (std::size_t i = 0; i < 50; ++i) sample.labels[i] = sample.features[2 * i] > 0 ? 1 : -1;
  const auto fit = fit_logistic(sample.rows(), sample.labels, {.l2 = 1e-6, .tolerance = 1e-10});
  EXPECT_TRUE(fit.converged());
  EXPECT_LE(largest(binary_gradient(sample, fit.weights, true, 1e-6)), 1.01e-10);
  EXPECT_GT(std::abs(fit.weights[1]), 5);
}

TEST(Logistic, SeparableRowsWithoutL2EndAtTheStatedGradient) {
  Sample sample(50, 2, 2);
  for (std::size_t i = 0; i < 50; ++i) sample.labels[i] = sample.features[2 * i] > 0 ? 1 : -1;
  for (const Minimiser minimiser : {Minimiser::newton, Minimiser::lbfgs}) {
    const auto fit = fit_logistic(sample.rows(), sample.labels, {.minimiser = minimiser});
    EXPECT_EQ(fit.converged(), fit.gradient_norm <= 1e-8);
    for (const double weight : fit.weights) EXPECT_TRUE(std::isfinite(weight));
    EXPECT_LT(fit.value, 1e-6);  // all rows right, by far
  }
}

TEST(Logistic, CollinearColumnsShareTheirWeight) {
  Sample sample(200, 2, 2);
  for (std::size_t i = 0; i < 200; ++i) sample.features[2 * i + 1] = sample.features[2 * i];
  for (const double l2 : {0.0, 1e-3}) {
    const auto fit = fit_logistic(sample.rows(), sample.labels, {.l2 = l2, .tolerance = 1e-10});
    EXPECT_TRUE(fit.converged());
    EXPECT_NEAR(fit.weights[1], fit.weights[2], 1e-6);
    EXPECT_LE(largest(binary_gradient(sample, fit.weights, true, l2)), 1.01e-10);
  }
}

TEST(Logistic, AFitThatIsCutShortSaysSo) {
  const Sample sample(200, 5, 2);
  const auto fit = fit_logistic(sample.rows(), sample.labels, {.max_iterations = 2});
  EXPECT_EQ(fit.stop, optimise::Stop::iteration_limit);
  EXPECT_FALSE(fit.converged());
  EXPECT_GT(fit.gradient_norm, 1e-8);
}

TEST(Logistic, TakesRowsOfAnIndexAndLabelsByRowNumber) {
  const Sample sample(100, 3, 2);
  std::vector<std::int64_t> index;
  Numbers features, labels;
  for (std::int64_t i = 99; i >= 0; i -= 2) {
    index.push_back(i);
    const double* row = sample.rows().row(i);
    features.insert(features.end(), row, row + 3);
    labels.push_back(sample.labels[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(fit_logistic(sample.rows().at(index), sample.labels).weights,
            fit_logistic(Rows(features, 3), labels).weights);
}

TEST(Multinomial, TheGradientVanishesByItsDefinition) {
  const Sample sample(400, 3, 4);
  for (const Minimiser minimiser : {Minimiser::newton, Minimiser::lbfgs}) {
    for (const double l2 : {0.0, 0.01}) {
      const auto fit = fit_multinomial(sample.rows(), sample.classes, 4,
                                       {.l2 = l2, .tolerance = 1e-10, .minimiser = minimiser});
      EXPECT_EQ(fit.stop, optimise::Stop::converged);
      EXPECT_LE(largest(multinomial_gradient(sample, fit.weights, 4, l2)), 1.01e-10);
      if (minimiser == Minimiser::newton) {
        EXPECT_LT(fit.iterations, 12);  // a wrong Hessian would take more
      }
    }
  }
}

TEST(Multinomial, WeightsSumToZeroOverTheClasses) {
  const Sample sample(400, 3, 4);
  for (const Minimiser minimiser : {Minimiser::newton, Minimiser::lbfgs}) {
    const auto fit =
        fit_multinomial(sample.rows(), sample.classes, 4, {.l2 = 0.01, .minimiser = minimiser});
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += fit.weights[4 * k + j];
      // L-BFGS scales by the curvature at the start, which is the same for all classes.
      EXPECT_NEAR(sum, 0, 1e-7);
    }
  }
}

TEST(Multinomial, OfTwoClassesIsLogisticRegressionWithHalfThePenalty) {
  // Scores +-s / 2 have the norm |w|^2 / 2 together.
  const Sample sample(300, 4, 2);
  Classes classes;
  for (const double label : sample.labels) classes.push_back(label > 0 ? 1 : 0);
  const auto two = fit_multinomial(sample.rows(), classes, 2, {.l2 = 0.02, .tolerance = 1e-12});
  const auto one = fit_logistic(sample.rows(), sample.labels, {.l2 = 0.01, .tolerance = 1e-12});
  ASSERT_TRUE(two.converged() && one.converged());
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(two.weights[5 + j] - two.weights[j], one.weights[j], 1e-9);
  }
}

TEST(Multinomial, ProbabilitiesAreThoseOfTheScores) {
  const Sample sample(300, 3, 3);
  const auto fit = fit_multinomial(sample.rows(), sample.classes, 3, {.l2 = 0.01});
  Numbers p(900);
  multinomial_probabilities(sample.rows(), fit.weights, 3, Intercept::first, p);
  Numbers shares(3, 0.0);
  for (std::size_t i = 0; i < 300; ++i) {
    const double* x = sample.rows().row(static_cast<std::int64_t>(i));
    long double sum = 0;
    Wide e(3);
    for (std::size_t k = 0; k < 3; ++k) {
      const double* w = fit.weights.data() + 4 * k;
      e[k] =
          std::exp(static_cast<long double>(w[0]) + static_cast<long double>(w[1]) * x[0] +
                   static_cast<long double>(w[2]) * x[1] + static_cast<long double>(w[3]) * x[2]);
      sum += e[k];
    }
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(p[3 * i + k], static_cast<double>(e[k] / sum), 1e-14);
      shares[k] += p[3 * i + k] / 300;
    }
  }
  // An unpenalised intercept makes the mean probabilities the shares of the classes.
  for (std::int32_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(shares[static_cast<std::size_t>(k)],
                static_cast<double>(std::ranges::count(sample.classes, k)) / 300, 2e-8);
  }
}

TEST(Multinomial, ProbabilitiesOfHugeScoresAreFinite) {
  const Numbers features = {1000};
  Numbers p(2);
  multinomial_probabilities(Rows(features, 1), Numbers{-5, 5}, 2, Intercept::none, p);
  EXPECT_EQ(p, (Numbers{0, 1}));
}

TEST(Logistic, BitsDoNotDependOnTheAlignmentOfMemory) {
  const Sample sample(300, 5, 3);
  for (const Minimiser minimiser : {Minimiser::newton, Minimiser::lbfgs}) {
    const LogisticOptions options{.l2 = 0.01, .minimiser = minimiser};
    const auto fit = fit_logistic(sample.rows(), sample.labels, options);
    const auto many = fit_multinomial(sample.rows(), sample.classes, 3, options);
    for (const std::size_t shift : {1U, 2U, 3U}) {
      Numbers moved(shift, 0.0), moved_labels(shift, 0.0);
      moved.insert(moved.end(), sample.features.begin(), sample.features.end());
      moved_labels.insert(moved_labels.end(), sample.labels.begin(), sample.labels.end());
      const std::span<const double> at = std::span(moved).subspan(shift);
      const Rows rows(at, 5);
      EXPECT_EQ(fit.weights,
                fit_logistic(rows, std::span(moved_labels).subspan(shift), options).weights);
      EXPECT_EQ(many.weights, fit_multinomial(rows, sample.classes, 3, options).weights);
    }
  }
}

TEST(Logistic, BadArgumentsAreRefused) {
  const Sample sample(10, 1, 2);
  EXPECT_THROW((void)fit_logistic(sample.rows(), sample.labels, {.l2 = -1}), std::invalid_argument);
  EXPECT_THROW((void)fit_logistic(sample.rows(), sample.labels, {.tolerance = 0}),
               std::invalid_argument);
  EXPECT_THROW((void)fit_logistic(sample.rows().part(0, 0), sample.labels), std::invalid_argument);
  EXPECT_THROW((void)fit_multinomial(sample.rows(), sample.classes, 1), std::invalid_argument);
}

/// Of 20,000 rows, in an evaluation, not between two of them.
TEST(LogisticRegression, AStopIsObeyedWithinOneEvaluation) {
  const std::vector<double> features(20'000, 0.5), labels(20'000, 1);
  const Rows rows(features, 1);
  const LinearModel model(1);
  LossScratch<LinearModel> scratch;
  const std::vector<double> w(2, 0.1);
  for (const int wanted : {1, 3}) {
    int asked = 0;
    const base::StopScope scope([&] { return ++asked == wanted; });
    EXPECT_THROW((void)mean_loss(model, w, rows, labels, LossKind::logistic, scratch),
                 base::Interrupted);
    EXPECT_EQ(asked, wanted);
  }
}

}  // namespace
}  // namespace fairfront::models
