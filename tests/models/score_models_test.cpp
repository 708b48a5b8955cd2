/// What holds for every score model: perceptrons of several depths with every activation, and
/// linear models with and without intercept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "models/linear_model.hpp"
#include "models/mean_loss.hpp"
#include "models/perceptron.hpp"
#include "support/allocation_count.hpp"

namespace fairfront::models::score_models_test {
namespace {

using Numbers = std::vector<double>;
using Indices = std::vector<std::int64_t>;
using Model = std::variant<LinearModel, Perceptron>;

base::Stream stream_of(std::uint64_t index) {
  return base::Stream(base::StreamKey(1, "models", "test"), index);
}

Numbers normal(std::int64_t size, std::uint64_t index) {
  base::Stream stream = stream_of(index);
  Numbers values(static_cast<std::size_t>(size));
  for (double& value : values) value = stream.normal();
  return values;
}

std::int64_t size_of(const Model& model) {
  return std::visit([](const auto& m) { return m.parameters(); }, model);
}

Numbers weights_of(const Model& model) {
  base::Stream stream = stream_of(7);
  return std::visit(
      [&](const auto& m) { return m.initial_weights(Initialisation::fan_in, stream); }, model);
}

constexpr std::int64_t columns = 5;
constexpr std::int64_t matrix_rows = 45;

const Numbers& matrix() {
  static const Numbers features = normal(matrix_rows * columns, 1);
  return features;
}

/// A score the slow way, in long double, from the documented layout of the weights.
long double activate(Activation kind, long double z) {
  switch (kind) {
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-z));
    case Activation::tanh:
      return std::tanh(z);
    case Activation::relu:
      break;
  }
  return std::max(z, 0.0L);
}

long double naive_score(const LinearModel& model, const Numbers& w, const double* x) {
  long double sum = model.has_intercept() ? w[0] : 0.0;
  for (std::int64_t j = 0; j < model.inputs(); ++j) {
    sum += static_cast<long double>(w[static_cast<std::size_t>(j) + model.has_intercept()]) * x[j];
  }
  return sum;
}

long double naive_score(const Perceptron& model, const Numbers& w, const double* x) {
  std::vector<long double> in(x, x + model.inputs());
  for (const Layer& layer : model.layers()) {
    std::vector<long double> out;
    for (std::int64_t o = 0; o < layer.outputs; ++o) {
      long double z = w[static_cast<std::size_t>(layer.biases + o)];
      for (std::int64_t k = 0; k < layer.inputs; ++k) {
        z += static_cast<long double>(
                 w[static_cast<std::size_t>(layer.weights + k * layer.outputs + o)]) *
             in[static_cast<std::size_t>(k)];
      }
      const bool last = &layer == &model.layers().back();
      out.push_back(last ? z : activate(model.activation(), z));
    }
    in = std::move(out);
  }
  return in[0];
}

Numbers scores_of(const Model& model, std::span<const double> w, const Rows& rows) {
  Numbers scores(static_cast<std::size_t>(rows.size()));
  std::visit(
      [&](const auto& m) {
        typename std::remove_cvref_t<decltype(m)>::Scratch scratch;
        m.scores(w, rows, scratch, scores);
      },
      model);
  return scores;
}

/// start + sum_i slopes_i d score_i / d w.
Numbers pulled_back(const Model& model, std::span<const double> w, const Rows& rows,
                    std::span<const double> slopes, Numbers start) {
  std::visit(
      [&](const auto& m) {
        typename std::remove_cvref_t<decltype(m)>::Scratch scratch;
        Numbers scores(slopes.size());
        m.scores(w, rows, scratch, scores);
        m.pull_back(w, rows, scratch, slopes, start);
      },
      model);
  return start;
}

struct Case {
  std::string name;
  Model model;
};

class ScoreModels : public testing::TestWithParam<Case> {
 protected:
  const Model& model() const { return GetParam().model; }
  Numbers w = weights_of(model());
  Rows all{matrix(), columns};
  Numbers slopes = normal(matrix_rows, 3);
  Numbers start = normal(size_of(model()), 4);
};

TEST_P(ScoreModels, ScoresAreThoseOfTheDocumentedFormula) {
  const Numbers scores = scores_of(model(), w, all);
  for (std::int64_t i = 0; i < matrix_rows; ++i) {
    const long double expected =
        std::visit([&](const auto& m) { return naive_score(m, w, all.row(i)); }, model());
    // A few dozen terms of order 1, each rounded to 1e-16.
    EXPECT_NEAR(scores[static_cast<std::size_t>(i)], static_cast<double>(expected), 2e-14);
  }
}

TEST_P(ScoreModels, PullBackMatchesCentralDifferences) {
  const auto weighted = [&](const Numbers& at) {
    const Numbers scores = scores_of(model(), at, all);
    return std::inner_product(scores.begin(), scores.end(), slopes.begin(), 0.0);
  };
  const Numbers gradient = pulled_back(model(), w, all, slopes, Numbers(w.size(), 0.0));
  constexpr double h = 1e-6;  // no ReLU of these rows changes sign within it
  for (std::size_t j = 0; j < w.size(); ++j) {
    Numbers above = w, below = w;
    above[j] += h;
    below[j] -= h;
    // Differences have errors of about 1e-16 * 10 / h from rounding, h^2 * 100 from curvature.
    EXPECT_NEAR(gradient[j], (weighted(above) - weighted(below)) / (2 * h), 2e-8) << j;
  }
}

TEST_P(ScoreModels, MeanLossGradientsMatchCentralDifferences) {
  const Indices index = {3, 44, 0, 3, 17, 20, 21};
  Numbers labels(matrix_rows);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 3 == 0 ? 1.0 : -1.0;
  std::visit(
      [&](const auto& m) {
        LossScratch<std::remove_cvref_t<decltype(m)>> scratch;
        for (const LossKind loss : {LossKind::logistic, LossKind::square, LossKind::hinge}) {
          Numbers gradient = start;
          add_mean_loss_gradient(m, w, all.at(index), labels, loss, -0.5, scratch, gradient);
          constexpr double h = 1e-6;
          for (std::size_t j = 0; j < w.size(); ++j) {
            Numbers above = w, below = w;
            above[j] += h;
            below[j] -= h;
            const double slope = (mean_loss(m, above, all.at(index), labels, loss, scratch) -
                                  mean_loss(m, below, all.at(index), labels, loss, scratch)) /
                                 (2 * h);
            EXPECT_NEAR(gradient[j], start[j] - 0.5 * slope, 1e-8);
          }
        }
      },
      model());
}

TEST_P(ScoreModels, MeanLossesAreThoseOfTheirRows) {
  // More rows than one block holds.
  Indices index(static_cast<std::size_t>(2 * rows_per_block + 5));
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(7 * i) % 45;
  const Rows many = all.at(index);
  const Numbers scores = scores_of(model(), w, many);
  long double sum = 0;
  Numbers slope;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const double label = slopes[static_cast<std::size_t>(index[i])];
    sum += SquaredLoss::value(scores[i], label);
    slope.push_back(2 * SquaredLoss::slope(scores[i], label) / static_cast<double>(index.size()));
  }
  const Numbers expected = pulled_back(model(), w, many, slope, start);
  std::visit(
      [&](const auto& m) {
        LossScratch<std::remove_cvref_t<decltype(m)>> scratch;
        const double mean = mean_loss(m, w, many, slopes, LossKind::square, scratch);
        EXPECT_NEAR(mean, static_cast<double>(sum) / static_cast<double>(index.size()), 1e-13);
        Numbers gradient = start;
        add_mean_loss_gradient(m, w, many, slopes, LossKind::square, 2, scratch, gradient);
        for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-13);
        EXPECT_EQ(mean_loss(m, w, all.at({}), slopes, LossKind::square, scratch), 0);
      },
      model());
}

TEST_P(ScoreModels, ABatchGivesBitForBitWhatItsRowsGiveOneByOne) {
  const Numbers scores = scores_of(model(), w, all);
  const Numbers gradient = pulled_back(model(), w, all, slopes, start);
  Numbers one_by_one = start;
  for (std::int64_t i = 0; i < matrix_rows; ++i) {
    const auto place = static_cast<std::size_t>(i);
    EXPECT_EQ(scores_of(model(), w, all.part(i, 1)), Numbers{scores[place]});
    one_by_one = pulled_back(model(), w, all.part(i, 1), std::span(slopes).subspan(place, 1),
                             std::move(one_by_one));
  }
  EXPECT_EQ(gradient, one_by_one);
}

TEST_P(ScoreModels, RowsOfAnIndexAreThoseOfTheMatrix) {
  const Indices index = {44, 3, 3, 0, 17};
  Numbers gathered;
  for (const std::int64_t row : index)
    gathered.insert(gathered.end(), all.row(row), all.row(row) + columns);
  const Rows dense(gathered, columns);
  const Rows listed(matrix(), columns, index);
  const Numbers some(slopes.begin(), slopes.begin() + 5);
  EXPECT_EQ(scores_of(model(), w, listed), scores_of(model(), w, dense));
  EXPECT_EQ(pulled_back(model(), w, listed, some, start),
            pulled_back(model(), w, dense, some, start));
}

TEST_P(ScoreModels, BitsDoNotDependOnTheAlignmentOfMemory) {
  const Numbers scores = scores_of(model(), w, all);
  const Numbers gradient = pulled_back(model(), w, all, slopes, start);
  const auto shifted = [](const Numbers& values, std::size_t shift) {
    Numbers memory(shift, 0.0);
    memory.insert(memory.end(), values.begin(), values.end());
    return memory;
  };
  for (std::size_t shift = 1; shift < 8; ++shift) {
    const Numbers features = shifted(matrix(), shift);
    const Numbers weights = shifted(w, shift);
    const Numbers moved_slopes = shifted(slopes, shift);
    const auto moved_features = std::span(features).subspan(shift);
    const Rows rows(moved_features, columns);
    const auto at = std::span(weights).subspan(shift);
    EXPECT_EQ(scores_of(model(), at, rows), scores);
    EXPECT_EQ(pulled_back(model(), at, rows, std::span(moved_slopes).subspan(shift), start),
              gradient);
    std::visit(
        [&](const auto& m) {  // the places of results too
          typename std::remove_cvref_t<decltype(m)>::Scratch scratch;
          Numbers out(scores.size() + shift);
          Numbers sum = shifted(start, shift);
          m.scores(at, rows, scratch, std::span(out).subspan(shift));
          m.pull_back(at, rows, scratch, slopes, std::span(sum).subspan(shift));
          EXPECT_TRUE(std::equal(scores.begin(), scores.end(),
                                 out.begin() + static_cast<std::ptrdiff_t>(shift)));
          EXPECT_TRUE(std::equal(gradient.begin(), gradient.end(),
                                 sum.begin() + static_cast<std::ptrdiff_t>(shift)));
        },
        model());
  }
}

TEST_P(ScoreModels, StepsAllocateNothingOnceTheScratchHasItsSize) {
  Numbers labels(matrix_rows, 1.0);
  std::visit(
      [&](const auto& m) {
        LossScratch<std::remove_cvref_t<decltype(m)>> scratch;
        Numbers gradient = start;
        add_mean_loss_gradient(m, w, all, labels, LossKind::logistic, 1, scratch, gradient);
        const std::int64_t before = support::allocations();
        for (const std::int64_t rows : {matrix_rows, std::int64_t{3}, matrix_rows - 1}) {
          add_mean_loss_gradient(m, w, all.part(0, rows), labels, LossKind::logistic, 1, scratch,
                                 gradient);
        }
        EXPECT_EQ(support::allocations(), before);
      },
      model());
}

TEST_P(ScoreModels, OnePassForwardServesSeveralPullBacks) {
  const Numbers other = normal(matrix_rows, 5);
  std::visit(
      [&](const auto& m) {
        typename std::remove_cvref_t<decltype(m)>::Scratch scratch;
        Numbers scores(matrix_rows), first = start, second = start;
        m.scores(w, all, scratch, scores);
        m.pull_back(w, all, scratch, slopes, first);
        m.pull_back(w, all, scratch, other, second);
        EXPECT_EQ(first, pulled_back(model(), w, all, slopes, start));
        EXPECT_EQ(second, pulled_back(model(), w, all, other, start));
      },
      model());
}

TEST_P(ScoreModels, AnEmptyBatchAddsNothing) {
  const Rows none = all.at({});
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(scores_of(model(), w, none).empty());
  EXPECT_EQ(pulled_back(model(), w, none, {}, start), start);
}

TEST_P(ScoreModels, ANumberThatIsNoneReachesTheScore) {
  Numbers broken = w;
  broken[0] = std::numeric_limits<double>::quiet_NaN();
  for (const double score : scores_of(model(), broken, all)) EXPECT_TRUE(std::isnan(score));
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = {{"linear", LinearModel(columns)},
                             {"linear_through_0", LinearModel(columns, Intercept::none)}};
  const std::vector<std::pair<std::string, Activation>> activations = {
      {"sigmoid", Activation::sigmoid}, {"tanh", Activation::tanh}, {"relu", Activation::relu}};
  const std::vector<std::pair<std::string, Indices>> depths = {{"without_hidden_layer", {}},
                                                               {"10", {10}},
                                                               {"1", {1}},
                                                               {"16_8", {16, 8}},
                                                               {"7_3_9", {7, 3, 9}}};
  for (const auto& [activation, kind] : activations) {
    for (const auto& [depth, hidden] : depths) {
      cases.push_back({activation + "_" + depth, Perceptron(columns, hidden, kind)});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ScoreModels, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Perceptron, HasAsManyWeightsAsItsLayersNeed) {
  const Perceptron network(9, {64, 32}, Activation::relu);
  EXPECT_EQ(network.parameters(), 2753);
  ASSERT_EQ(network.layers().size(), 3u);
  EXPECT_EQ(network.layers()[1].weights, 640);
  EXPECT_EQ(network.layers()[1].biases, 640 + 2048);
}

TEST(Perceptron, LayersWithoutUnitsAreRefused) {
  EXPECT_THROW(Perceptron(0, {3}, Activation::relu), std::invalid_argument);
  EXPECT_THROW(Perceptron(2, {3, 0}, Activation::relu), std::invalid_argument);
}

/// Mean square and largest size of the weights of a layer of 300 x 200.
struct Spread {
  double largest = 0, mean_square = 0, bias_square = 0;
};
Spread spread_of(Initialisation kind) {
  const Perceptron network(300, {200}, Activation::tanh);
  base::Stream stream = stream_of(3);
  const Numbers w = network.initial_weights(kind, stream);
  const Layer& layer = network.layers()[0];
  Spread spread;
  for (std::int64_t i = 0; i < layer.biases + layer.outputs; ++i) {
    const double weight = w[static_cast<std::size_t>(i)];
    if (i < layer.biases) {
      spread.largest = std::max(spread.largest, std::abs(weight));
      spread.mean_square += weight * weight / static_cast<double>(layer.biases);
    } else {
      spread.bias_square += weight * weight / static_cast<double>(layer.outputs);
    }
  }
  return spread;
}

void expect_uniform(const Spread& spread, double radius) {
  EXPECT_LE(spread.largest, radius);
  EXPECT_GT(spread.largest, 0.999 * radius);                                     // of 60,000 draws
  EXPECT_NEAR(spread.mean_square, radius * radius / 3, 0.01 * radius * radius);  // 8 deviations
}

TEST(Initialisation, IsUniformWithTheDocumentedRadius) {
  expect_uniform(spread_of(Initialisation::glorot), std::sqrt(6.0 / 500));
  expect_uniform(spread_of(Initialisation::he), std::sqrt(6.0 / 300));
  const Spread spread = spread_of(Initialisation::fan_in);
  expect_uniform(spread, 1 / std::sqrt(300.0));
  EXPECT_NEAR(spread.bias_square, 1.0 / 900, 0.3 / 900);  // 200 draws: 4.7 deviations
  EXPECT_EQ(spread_of(Initialisation::he).bias_square, 0);
  EXPECT_EQ(spread_of(Initialisation::glorot).bias_square, 0);
}

TEST(Initialisation, DependsOnTheStreamAlone) {
  const Perceptron network(3, {4}, Activation::relu);
  base::Stream one = stream_of(1), again = stream_of(1), other = stream_of(2);
  const Numbers w = network.initial_weights(Initialisation::he, one);
  EXPECT_EQ(w, network.initial_weights(Initialisation::he, again));
  EXPECT_NE(w, network.initial_weights(Initialisation::he, other));
}

}  // namespace
}  // namespace fairfront::models::score_models_test
