/// @file
/// [adw] and its game straight from their definitions, for the tests of both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "models/least_squares.hpp"
#include "models/linear_model.hpp"
#include "solvers/regression/adw.hpp"

namespace fairfront::regression {

/// Rows whose target leans on the group, which leans on the features.
struct AdwSample {
  std::int64_t count, columns;
  std::vector<double> features, targets;
  std::vector<std::int32_t> groups;

  AdwSample(std::uint64_t seed, std::int64_t rows, std::int64_t d, std::int64_t group_count)
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
  LiteralGame(const AdwSample& sample, std::int64_t groups, std::int64_t m)
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
  const AdwSample& sample_;
  std::int64_t groups_, m_;
  std::vector<double> weight_;
  std::vector<int> label_;
};

/// Algorithm 1 as the public program runs it, on the literal game; the averaging step alone is
/// ours. What a hypothesis is worth is computed anew wherever it is asked for.
class LiteralAdw {
 public:
  LiteralAdw(const AdwSample& sample, std::int64_t groups, std::int64_t m, double epsilon)
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

  const AdwSample& sample_;
  LiteralGame game_;
  std::int64_t groups_, m_;
  double epsilon_, bound_;
  std::vector<Hypothesis> hypotheses_;
  std::size_t responses_ = 0;
};

}  // namespace fairfront::regression
