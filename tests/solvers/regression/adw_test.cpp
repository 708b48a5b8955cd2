#include "solvers/regression/adw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "models/least_squares.hpp"
#include "models/linear_model.hpp"

namespace fairfront::regression {
namespace {

/// Rows whose target leans on the group, which leans on the features.
struct Sample {
  std::int64_t count, columns;
  std::vector<double> features, targets;
  std::vector<std::int32_t> groups;

  Sample(std::uint64_t seed, std::int64_t rows, std::int64_t d, std::int64_t group_count)
      : count{rows}, columns{d} {
    base::Stream stream(base::StreamKey(seed, "adw", "test"), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto group = static_cast<std::int32_t>(
          i < group_count ? i : stream.below(static_cast<std::uint32_t>(group_count)));
      double score = 0.3 + 0.2 * group;
      for (std::int64_t j = 0; j < d; ++j) {
        features.push_back(j == 0 ? 1 : stream.normal() + (j == 1 ? group : 0));
        if (j > 0) score += 0.1 * features.back();
      }
      groups.push_back(group);
      targets.push_back(std::clamp(score + 0.1 * stream.normal(), 0.0, 1.0));
    }
  }
  [[nodiscard]] LabelledRows rows(std::int64_t group_count) const {
    return {models::Rows(features, columns), targets, groups, group_count};
  }
};

/// Everything of the game straight from its definition, row by row and threshold by threshold.
class LiteralGame {
 public:
  LiteralGame(const Sample& sample, std::int64_t groups, std::int64_t m)
      : sample_{sample}, groups_{groups}, m_{m} {
    const double alpha = 0.5 / static_cast<double>(m - 1);
    double total = 0;
    for (std::int64_t i = 0; i < sample.count; ++i) {
      for (std::int64_t k = 0; k < m; ++k) {
        const double theta = static_cast<double>(k) / static_cast<double>(m - 1);
        const double y = sample.targets[static_cast<std::size_t>(i)];
        const double cost = std::pow(theta + alpha - y, 2) - std::pow(theta - alpha - y, 2);
        label_.push_back(cost < 0 ? 1 : 0);
        weight_.push_back(std::abs(cost));
        total += std::abs(cost);
      }
    }
    for (double& w : weight_) w *= static_cast<double>(sample.count * m) / total;
  }

  /// Weighted disagreement of row i with the atom of threshold `pick`.
  [[nodiscard]] double disagreement(std::int64_t i, std::int64_t pick,
                                    const std::vector<double>& multiplier) const {
    const std::int32_t a = sample_.groups[static_cast<std::size_t>(i)];
    const auto of_group = static_cast<double>(std::ranges::count(sample_.groups, a));
    const double share_theta = 1 / static_cast<double>(m_);
    const double share_both = of_group / static_cast<double>(sample_.count * m_);
    double sum = 0;
    for (std::int64_t k = 0; k < m_; ++k) {
      const auto cell = static_cast<std::size_t>(i * m_ + k);
      double weight = weight_[cell] * (2 * label_[cell] - 1);
      for (std::int64_t b = 0; b < groups_; ++b) {
        const double lambda = multiplier[static_cast<std::size_t>(k * groups_ + b)];
        weight += lambda / share_theta;
        if (b == a) weight -= lambda / share_both;
      }
      const int wanted = weight > 0 ? 1 : 0;
      const int answer = k <= pick ? 1 : 0;
      if (wanted != answer) sum += std::abs(weight);
    }
    return sum;
  }

  /// error, deviation and gaps of a linear score.
  [[nodiscard]] Hypothesis evaluate(const std::vector<double>& weights) const {
    Hypothesis h{weights, 0, 0, std::vector<double>(static_cast<std::size_t>(m_ * groups_), 0.0)};
    std::vector<double> losses;
    for (std::int64_t k = 0; k < m_; ++k) {
      std::vector<double> ones(static_cast<std::size_t>(groups_), 0.0), members = ones;
      double all = 0;
      for (std::int64_t i = 0; i < sample_.count; ++i) {
        double score = 0;
        for (std::int64_t j = 0; j < sample_.columns; ++j) {
          score += weights[static_cast<std::size_t>(j)] *
                   sample_.features[static_cast<std::size_t>(i * sample_.columns + j)];
        }
        const int answer = score >= static_cast<double>(k) / static_cast<double>(m_ - 1) ? 1 : 0;
        const auto cell = static_cast<std::size_t>(i * m_ + k);
        losses.push_back(weight_[cell] * std::abs(answer - label_[cell]));
        const auto a = static_cast<std::size_t>(sample_.groups[static_cast<std::size_t>(i)]);
        ones[a] += answer;
        members[a] += 1;
        all += answer;
      }
      for (std::int64_t a = 0; a < groups_; ++a) {
        const auto b = static_cast<std::size_t>(a);
        h.gaps[static_cast<std::size_t>(k * groups_) + b] =
            ones[b] / members[b] - all / static_cast<double>(sample_.count);
      }
    }
    const auto count = static_cast<double>(losses.size());
    h.error = std::accumulate(losses.begin(), losses.end(), 0.0) / count;
    double squares = 0;
    for (const double loss : losses) squares += (loss - h.error) * (loss - h.error);
    h.deviation = std::sqrt(squares / (count - 1));
    return h;
  }

 private:
  const Sample& sample_;
  std::int64_t groups_, m_;
  std::vector<double> weight_;
  std::vector<int> label_;
};

std::vector<double> random_multiplier(base::Stream& stream, std::size_t size, double scale) {
  std::vector<double> result(size);
  for (double& l : result) l = scale * stream.normal();
  return result;
}

TEST(Thresholds, CountsThoseThatAValueReaches) {
  const Thresholds thresholds{5};  // 0, 1/4, 1/2, 3/4, 1
  EXPECT_EQ(thresholds.reached(-0.1), 0);
  EXPECT_EQ(thresholds.reached(0), 1);
  EXPECT_EQ(thresholds.reached(std::nextafter(0.25, 0)), 1);
  EXPECT_EQ(thresholds.reached(0.25), 2);
  EXPECT_EQ(thresholds.reached(0.99), 4);
  EXPECT_EQ(thresholds.reached(7), 5);
  const Thresholds many{41};
  for (std::int64_t k = 1; k < 41; ++k) {
    EXPECT_EQ(many.reached(many.threshold(k)), k + 1);
    EXPECT_EQ(many.reached(std::nextafter(many.threshold(k), 0)), k);
  }
}

TEST(ThresholdGame, PicksHaveTheLeastDisagreementOfASlowLoop) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::int64_t groups = 2 + static_cast<std::int64_t>(seed % 3);
    const Sample sample(seed, 40, 3, groups);
    const ThresholdGame game(sample.rows(groups), {11});
    const LiteralGame literal(sample, groups, 11);
    base::Stream stream(base::StreamKey(seed, "adw", "multipliers"), 0);
    for (const double scale : {0.0, 0.01, 0.1, 5.0}) {
      const auto multiplier =
          random_multiplier(stream, static_cast<std::size_t>(11 * groups), scale);
      const std::vector<std::int32_t> picks = game.picks(multiplier);
      for (std::int64_t i = 0; i < sample.count; ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t k = 0; k < 11; ++k) {
          least = std::min(least, literal.disagreement(i, k, multiplier));
        }
        EXPECT_NEAR(literal.disagreement(i, picks[static_cast<std::size_t>(i)], multiplier), least,
                    1e-10 * (1 + least));
      }
    }
  }
}

TEST(ThresholdGame, AFitIsLeastSquaresWithErrorAndGapsAsDefined) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Sample sample(seed, 60, 4, 3);
    const ThresholdGame game(sample.rows(3), {21});
    const LiteralGame literal(sample, 3, 21);
    base::Stream stream(base::StreamKey(seed, "adw", "multipliers"), 0);
    const auto picks = game.picks(random_multiplier(stream, 63, 0.05));
    const Hypothesis found = game.fit(picks);
    std::vector<double> atoms;
    for (const std::int32_t pick : picks) atoms.push_back((pick + 0.5) / 20);
    const auto weights = models::fit_least_squares(models::Rows(sample.features, 4), atoms,
                                                   {.intercept = models::Intercept::none})
                             .weights;
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found.weights[j], weights[j], 1e-12);
    const Hypothesis expected = literal.evaluate(found.weights);
    EXPECT_NEAR(found.error, expected.error, 1e-12);
    EXPECT_NEAR(found.deviation, expected.deviation, 1e-12);
    for (std::size_t i = 0; i < found.gaps.size(); ++i) {
      EXPECT_NEAR(found.gaps[i], expected.gaps[i], 1e-14);
    }
  }
}

TEST(ThresholdGame, ARankDeficientDesignHasFiniteWeightsThatFitAsWell) {
  Sample sample(3, 50, 3, 2);
  std::vector<double> wider;  // a column twice, one of zeros
  for (std::int64_t i = 0; i < sample.count; ++i) {
    const double* row = sample.features.data() + i * 3;
    wider.insert(wider.end(), {row[0], row[1], row[1], 0.0, row[2]});
  }
  const ThresholdGame narrow(sample.rows(2), {11});
  const ThresholdGame wide({models::Rows(wider, 5), sample.targets, sample.groups, 2}, {11});
  const auto picks = narrow.picks(std::vector<double>(22, 0.0));
  const Hypothesis expected = narrow.fit(picks), found = wide.fit(picks);
  EXPECT_NEAR(found.weights[1] + found.weights[2], expected.weights[1], 1e-12);
  EXPECT_NEAR(found.weights[1], found.weights[2], 1e-12);
  EXPECT_EQ(found.weights[3], 0);
  EXPECT_NEAR(found.error, expected.error, 1e-12);
}

TEST(BestMixture, TwoHypothesesByHand) {
  // Error 0.1 with gaps +-0.4, or error 0.3 without. Within 0.1 only a quarter of the first fits;
  // the price of a gap is (0.3 - 0.1) / 0.4.
  const std::vector<Hypothesis> hypotheses{{{}, 0.1, 0, {0.4, -0.4}}, {{}, 0.3, 0, {0, 0}}};
  const BestMixture strict = best_mixture(hypotheses, 0.1, 10);
  EXPECT_NEAR(strict.mixture[0], 0.25, 1e-12);
  EXPECT_NEAR(strict.mixture[1], 0.75, 1e-12);
  EXPECT_NEAR(strict.value, 0.25, 1e-12);
  EXPECT_NEAR(strict.multiplier[0] - strict.multiplier[1], 0.5, 1e-12);
  EXPECT_GE(strict.multiplier[0], 0);
  EXPECT_LE(strict.multiplier[1], 0);
  // With a bound below that price the gap is paid for.
  const BestMixture cheap = best_mixture(hypotheses, 0.1, 0.2);
  EXPECT_NEAR(cheap.mixture[0], 1, 1e-12);
  EXPECT_NEAR(cheap.value, 0.1 + 0.2 * 0.3, 1e-12);
  EXPECT_NEAR(cheap.multiplier[0] - cheap.multiplier[1], 0.2, 1e-12);
}

TEST(BestMixture, ThreeHypothesesThatCancelEachOther) {
  // Gaps +0.2 and -0.6 cancel at 3 : 1, error 0.75 * 0.1 + 0.25 * 0.2 = 0.125; the fair one costs
  // 0.4.
  const std::vector<Hypothesis> hypotheses{
      {{}, 0.1, 0, {0.2}}, {{}, 0.2, 0, {-0.6}}, {{}, 0.4, 0, {0.0}}};
  const BestMixture found = best_mixture(hypotheses, 0, 1000);
  EXPECT_NEAR(found.mixture[0], 0.75, 1e-12);
  EXPECT_NEAR(found.mixture[1], 0.25, 1e-12);
  EXPECT_NEAR(found.mixture[2], 0, 1e-12);
  EXPECT_NEAR(found.value, 0.125, 1e-12);
  // The Lagrangian is equal for those that are mixed: 0.1 + 0.2 l = 0.2 - 0.6 l.
  EXPECT_NEAR(found.multiplier[0], 0.125, 1e-12);
}

/// Algorithm 1 as the public program runs it, on the literal game; the averaging step alone is
/// ours. What a hypothesis is worth is computed anew wherever it is asked for.
class LiteralAdw {
 public:
  LiteralAdw(const Sample& sample, std::int64_t groups, std::int64_t m, double epsilon)
      : sample_{sample},
        game_{sample, groups, m},
        groups_{groups},
        m_{m},
        epsilon_{epsilon},
        bound_{1 / epsilon} {}

  struct Outcome {
    std::vector<double> mixture;  ///< of all hypotheses so far
    double gap = 0, target_gap = 0;
    std::size_t rounds = 0, best_round = 0, responses = 0, hypotheses = 0;
  };

  Outcome run(int most_rounds, double accuracy) {
    const auto size = static_cast<std::size_t>(m_ * groups_);
    std::vector<double> plus(size, 0.0), minus(size, 0.0);  // the exponents theta
    std::vector<std::vector<double>> lambdas;
    std::vector<std::size_t> played;
    std::vector<double> gaps, average_gaps;
    std::vector<std::vector<double>> mixtures;
    double eta = 2 / bound_, last_gap = std::numeric_limits<double>::infinity(), nu = 0;
    double linear_gap = last_gap;
    std::vector<double> linear_mixture;
    std::size_t linear_size = 0;
    int last_check = 5;
    (void)respond(std::vector<double>(size, 0.0));
    for (int t = 0; t < most_rounds; ++t) {
      double sum = 1;
      for (std::size_t i = 0; i < size; ++i) sum += std::exp(plus[i]) + std::exp(minus[i]);
      std::vector<double> lambda(size), mean(size, 0.0);
      for (std::size_t i = 0; i < size; ++i) {
        lambda[i] = bound_ * (std::exp(plus[i]) - std::exp(minus[i])) / sum;
      }
      lambdas.push_back(lambda);
      for (const auto& l : lambdas) {
        for (std::size_t i = 0; i < size; ++i) mean[i] += l[i] / double(lambdas.size());
      }
      const std::size_t h = respond(lambda);
      if (t == 0) nu = accuracy * hypotheses_[h].deviation / std::sqrt(double(sample_.count * m_));
      played.push_back(h);
      std::vector<double> average(hypotheses_.size(), 0.0);
      for (const std::size_t p : played) average[p] += 1 / double(played.size());
      average_gaps.push_back(gap(average, mean, nu));
      if (t > 0 && linear_size != hypotheses_.size()) {
        linear_size = hypotheses_.size();
        const BestMixture found = best_mixture(hypotheses_, epsilon_, bound_);
        linear_mixture = found.mixture;
        linear_gap = gap(found.mixture, found.multiplier, nu);
      }
      const bool is_average = average_gaps.back() < linear_gap;
      gaps.push_back(is_average ? average_gaps.back() : linear_gap);
      mixtures.push_back(is_average ? average : linear_mixture);
      if (gaps.back() < nu) break;
      if (t >= last_check * 1.6) {
        const double least = *std::ranges::min_element(average_gaps);
        if (least > last_gap * 0.8) eta *= 0.8;
        last_check = t;
        last_gap = least;
      }
      for (std::size_t i = 0; i < size; ++i) {
        plus[i] += eta * (hypotheses_[h].gaps[i] - epsilon_);
        minus[i] += eta * (-hypotheses_[h].gaps[i] - epsilon_);
      }
    }
    const double least = *std::ranges::min_element(gaps);
    std::size_t best = 0;
    for (std::size_t t = 0; t < gaps.size(); ++t) best = gaps[t] <= least + 1e-12 ? t : best;
    return {mixtures[best], gaps[best], nu, gaps.size(), best, responses_, hypotheses_.size()};
  }
  [[nodiscard]] const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }

 private:
  std::size_t respond(const std::vector<double>& multiplier) {
    ++responses_;
    std::vector<double> atoms;
    for (std::int64_t i = 0; i < sample_.count; ++i) {
      std::int64_t pick = 0;
      for (std::int64_t k = 1; k < m_; ++k) {
        const double better = game_.disagreement(i, pick, multiplier);
        if (game_.disagreement(i, k, multiplier) < better - 1e-11 * (1 + better)) pick = k;
      }
      atoms.push_back((double(pick) + 0.5) / double(m_ - 1));
    }
    const auto fitted = models::fit_least_squares(models::Rows(sample_.features, sample_.columns),
                                                  atoms, {.intercept = models::Intercept::none});
    const Hypothesis h = game_.evaluate(fitted.weights);
    const auto value = [&](const Hypothesis& of) {
      return of.error + std::inner_product(of.gaps.begin(), of.gaps.end(), multiplier.begin(), 0.0);
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < hypotheses_.size(); ++k) {
      if (value(hypotheses_[k]) < value(hypotheses_[best])) best = k;
    }
    if (hypotheses_.empty() || value(h) < value(hypotheses_[best]) - 1e-12) {
      hypotheses_.push_back(h);
      return hypotheses_.size() - 1;
    }
    return best;
  }

  /// L of a mixture and multipliers.
  double lagrangian(const std::vector<double>& mixture, const std::vector<double>& multiplier,
                    double* high = nullptr) const {
    double value = 0, error = 0, largest = 0;
    for (std::size_t i = 0; i < multiplier.size(); ++i) {
      double of_mixture = 0;
      for (std::size_t h = 0; h < mixture.size(); ++h) {
        of_mixture += mixture[h] * hypotheses_[h].gaps[i];
      }
      value += multiplier[i] * of_mixture - epsilon_ * std::abs(multiplier[i]);
      largest = std::max(largest, std::abs(of_mixture));
    }
    for (std::size_t h = 0; h < mixture.size(); ++h) error += mixture[h] * hypotheses_[h].error;
    if (high != nullptr) *high = error + bound_ * std::max(largest - epsilon_, 0.0);
    return value + error;
  }

  double gap(const std::vector<double>& mixture, const std::vector<double>& multiplier, double nu) {
    double high = 0;
    const double value = lagrangian(mixture, multiplier, &high);
    double low = value;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
      std::vector<double> scaled = multiplier;
      for (double& l : scaled) l *= factor;
      std::vector<double> alone(respond(scaled) + 1, 0.0);
      alone.back() = 1;
      low = std::min(low, lagrangian(alone, multiplier));
      if (std::max(value - low, high - value) > nu + 1e-12) break;
    }
    return std::max(value - low, high - value);
  }

  const Sample& sample_;
  LiteralGame game_;
  std::int64_t groups_, m_;
  double epsilon_, bound_;
  std::vector<Hypothesis> hypotheses_;
  std::size_t responses_ = 0;
};

TEST(Adw, PlaysTheRoundsOfTheLiteralProgram) {
  std::int64_t converged = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Sample sample(seed, 60, 4, 2);
    const double epsilon = seed % 2 == 0 ? 0.02 : 0.004;
    const double accuracy = seed <= 4 ? 0.5 : 0;  // 0: all rounds, through three checks of the step
    LiteralAdw literal(sample, 2, 9, epsilon);
    const auto expected = literal.run(25, accuracy);
    const ThresholdGame game(sample.rows(2), {9});
    const AdwResult found = adw(game, {.epsilon = epsilon, .rounds = 25, .accuracy = accuracy});
    EXPECT_EQ(found.rounds, static_cast<std::int64_t>(expected.rounds)) << seed;
    EXPECT_EQ(found.best_round, static_cast<std::int64_t>(expected.best_round)) << seed;
    EXPECT_EQ(found.responses, static_cast<std::int64_t>(expected.responses)) << seed;
    EXPECT_EQ(found.hypotheses, static_cast<std::int64_t>(expected.hypotheses)) << seed;
    EXPECT_NEAR(found.target_gap, expected.target_gap, 1e-13);
    EXPECT_NEAR(found.gap, expected.gap, 1e-9);
    std::vector<double> mixture = expected.mixture;
    std::erase(mixture, 0.0);
    ASSERT_EQ(found.model.mixture.size(), mixture.size()) << seed;
    for (std::size_t h = 0; h < mixture.size(); ++h) {
      EXPECT_NEAR(found.model.mixture[h], mixture[h], 1e-9) << seed;
    }
    if (found.converged) ++converged;
  }
  EXPECT_GT(converged, 0);
}

TEST(Adw, ALooseBoundEndsInTheFirstRoundWithTheUnconstrainedFit) {
  const Sample sample(1, 80, 3, 2);
  const ThresholdGame game(sample.rows(2), {41});
  const AdwResult result = adw(game, {.epsilon = 1});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.rounds, 1);
  ASSERT_EQ(result.model.mixture, std::vector<double>{1});
  EXPECT_NEAR(result.gap, 0, 1e-15);
  const Hypothesis plain = game.fit(game.picks(std::vector<double>(82, 0.0)));
  EXPECT_EQ(result.model.hypotheses[0].weights, plain.weights);
  EXPECT_EQ(result.error, plain.error);
  EXPECT_EQ(result.responses, 6);  // two at the start, four for the gap
}

TEST(Adw, TheFirstRoundsByHand) {
  // Group a scores are its own: one row each, features the groups' indicators, targets 1/4 and 3/4
  // with thresholds 0, 1/2, 1. Unconstrained, gaps 0 at 0 and 1 and -1/2, +1/2 at 1/2.
  const std::vector<double> features{1, 0, 0, 1}, targets{0.25, 0.75};
  const std::vector<std::int32_t> groups{0, 1};
  const ThresholdGame game({models::Rows(features, 2), targets, groups, 2}, {3});
  const std::vector<double> none(6, 0.0);
  const Hypothesis free = game.fit(game.picks(none));
  // Weights |theta - y| are 1/4, 1/4, 3/4 and 3/4, 1/4, 1/4, in units of their mean 5/12; labels
  // 1, 0, 0 and 1, 1, 0: the atoms 1/4 and 3/4 make no error.
  EXPECT_NEAR(free.weights[0], 0.25, 1e-15);
  EXPECT_NEAR(free.weights[1], 0.75, 1e-15);
  EXPECT_NEAR(free.error, 0, 1e-15);
  EXPECT_NEAR(free.gaps[2], -0.5, 1e-15);
  EXPECT_NEAR(free.gaps[3], 0.5, 1e-15);
  // Multipliers that pay more than 0.6 for the gap at 1/2 (row 1 gains W = 0.6 by its answer 1
  // there, and loses 3 (l - l / (1/2)) = -3 l for a multiplier l of its gap): 3 * 0.3 > 0.6.
  const std::vector<double> paid{0, 0, 0, 0.3, 0, 0};
  EXPECT_EQ(game.picks(paid), (std::vector<std::int32_t>{1, 0}));
  const std::vector<double> cheap{0, 0, 0, 0.1, 0, 0};
  EXPECT_EQ(game.picks(cheap), (std::vector<std::int32_t>{0, 1}));

  // Both groups alike at 1/4: one of six answers is wrong at 0.6; so the best fair error is 0.1, a
  // mixture with the free one within epsilon = 0.1 leaves gap 1/2 in one fifth: 0.8 * 0.1.
  const AdwResult result = adw(game, {.epsilon = 0.1, .accuracy = 0});
  EXPECT_NEAR(result.error, 0.08, 1e-9);
  EXPECT_NEAR(result.largest_gap, 0.1, 1e-9);
  EXPECT_NEAR(result.gap, 0, 1e-9);
}

TEST(Adw, MixesBetterThanTheUnconstrainedFitAtThePriceOfTheMultipliersBound) {
  const Sample sample(5, 300, 5, 3);
  const ThresholdGame game(sample.rows(3), {41});
  const Hypothesis plain = game.fit(game.picks(std::vector<double>(3 * 41, 0.0)));
  const double plain_gap =
      std::abs(*std::ranges::max_element(plain.gaps, {}, [](double gap) { return std::abs(gap); }));
  double last_error = 0, last_gap = 1;
  for (const double epsilon : {0.2, 0.05, 0.01}) {
    const AdwResult result = adw(game, {.epsilon = epsilon});
    const auto price = [&](double error, double gap) {
      return error + std::max(gap - epsilon, 0.0) / epsilon;
    };
    EXPECT_LE(price(result.error, result.largest_gap), price(plain.error, plain_gap) + 1e-9);
    EXPECT_GT(result.error, last_error);
    EXPECT_LT(result.largest_gap, last_gap);
    last_error = result.error;
    last_gap = result.largest_gap;
    double sum = 0;
    Hypothesis mixed{{}, 0, 0, std::vector<double>(plain.gaps.size(), 0.0)};
    for (std::size_t h = 0; h < result.model.mixture.size(); ++h) {
      sum += result.model.mixture[h];
      for (std::size_t i = 0; i < mixed.gaps.size(); ++i) {
        mixed.gaps[i] += result.model.mixture[h] * result.model.hypotheses[h].gaps[i];
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(std::abs(*std::ranges::max_element(mixed.gaps, {},
                                                   [](double gap) { return std::abs(gap); })),
                result.largest_gap, 1e-12);
  }
}

TEST(Adw, PredictsAtomsOfTheMixture) {
  const AdwModel model{{{{1.0}, 0, 0, {}}, {{0.0}, 0, 0, {}}}, {0.25, 0.75}, {5}};
  std::vector<double> pi(5);
  model.probabilities(std::vector<double>{0.6}, pi);  // reaches 0, 1/4, 1/2: atom 2; 0: atom 0
  EXPECT_EQ(pi, (std::vector<double>{0.75, 0, 0.25, 0, 0}));
  model.probabilities(std::vector<double>{-1}, pi);  // nothing reached is atom 0 as well
  EXPECT_EQ(pi, (std::vector<double>{1, 0, 0, 0, 0}));
}

TEST(Adw, BadInputIsRefused) {
  const Sample sample(1, 10, 2, 2);
  const ThresholdGame game(sample.rows(2), {5});
  EXPECT_THROW((void)adw(game, {.epsilon = 0}), std::invalid_argument);
  EXPECT_THROW((void)adw(game, {.rounds = 0}), std::invalid_argument);
  EXPECT_THROW(ThresholdGame(sample.rows(2), {1}), std::invalid_argument);
  EXPECT_THROW(ThresholdGame(sample.rows(3), {5}), std::invalid_argument);  // group 2 is empty
  Sample outside = sample;
  outside.targets[3] = 1.5;
  EXPECT_THROW(ThresholdGame(outside.rows(2), {5}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
