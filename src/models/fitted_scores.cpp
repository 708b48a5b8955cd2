#include "models/fitted_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "models/perceptron.hpp"

namespace fairfront::models {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 3> activations{
    {{"relu", Activation::relu}, {"tanh", Activation::tanh}, {"sigmoid", Activation::sigmoid}}};

[[noreturn]] void refuse(const std::string& rule) { throw base::DamagedError(rule); }

Activation activation_named(const std::string& name) {
  for (const auto& [text, activation] : activations) {
    if (text == name) return activation;
  }
  refuse("an unknown activation");
}

template <class Number>
Number number_of(const std::optional<Number>& number) {
  if (!number) refuse("an option that is no number");
  return *number;
}

Perceptron network_of(const SharedFit& shared, const ModelText& text) {
  constexpr std::int64_t most_units = 1 << 20;
  std::vector<std::int64_t> hidden;
  for (const std::string& units : base::split_outside_parentheses(text.at("hidden"))) {
    hidden.push_back(number_of(base::parse_int64(units)));
    if (hidden.back() < 1 || hidden.back() > most_units) refuse("so many units there are not");
  }
  const std::size_t width = shared.preparation.unset.size();
  if (width == 0) refuse("there are no features");
  return {static_cast<std::int64_t>(width), hidden, activation_named(text.at("activation"))};
}

class ScoreModel : public FittedModel {
 public:
  ScoreModel(const SharedFit& shared, const ModelText& text, std::vector<double> weights)
      : network_{network_of(shared, text)}, weights_{std::move(weights)} {
    take_move(text, shared.groups.size());
    if (text.has("intercept")) {
      if (weights_.empty() || network_.layers().size() != 1)
        refuse("no intercept of a linear score");
      std::rotate(weights_.begin(), weights_.begin() + 1, weights_.end());
    }
    if (text.has("centred")) {
      const auto mean = shared.numbers.find(text.at("centred"));
      if (mean == shared.numbers.end()) refuse("no means of the features");
      if (network_.layers().size() == 1) weights_.push_back(0);
      check_weights();
      fold_means(network_, mean->second, weights_);
    }
    check_weights();
    logistic_ = text.has("link");
    if (!text.has("threshold")) return;
    threshold_ = number_of(base::parse_double(text.at("threshold")));
    if (!std::isfinite(*threshold_)) refuse("a threshold that is not finite");
  }

  [[nodiscard]] std::vector<std::string> outputs() const override {
    std::vector<std::string> names{"score"};
    if (logistic_) names.emplace_back("probability");
    if (threshold_) names.emplace_back("decision");
    return names;
  }
  [[nodiscard]] bool needs_group() const override { return moved_group_.has_value(); }

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> groups) override {
    const Rows rows(features, network_.inputs());
    scores_.resize(static_cast<std::size_t>(rows.size()));
    network_.scores(weights_, rows, scratch_, scores_);
    move(groups);
    if (logistic_) {
      probabilities_.resize(scores_.size());
      base::sigmoid(scores_, probabilities_);
    }
    out_.clear();
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      out_.push_back(scores_[i]);
      if (logistic_) out_.push_back(probabilities_[i]);
      if (threshold_) out_.push_back(out_.back() >= *threshold_ ? 1 : 0);
    }
    return out_;
  }

 private:
  void take_move(const ModelText& text, std::size_t groups) {
    if (!text.has("moved_group")) return;
    moved_group_ = number_of(base::parse_int64(text.at("moved_group")));
    if (*moved_group_ < 0 || *moved_group_ >= static_cast<std::int64_t>(groups) ||
        weights_.size() < 2) {
      refuse("no move of a group's scores");
    }
    shift_ = weights_.back();
    weights_.pop_back();
    factor_ = weights_.back();
    weights_.pop_back();
  }
  void check_weights() const {
    if (std::ssize(weights_) != network_.parameters()) {
      refuse(fmt::format("{} weights, must be {}", weights_.size(), network_.parameters()));
    }
  }
  void move(std::span<const std::int32_t> groups) {
    if (!moved_group_) return;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      if (groups[i] == *moved_group_) scores_[i] = factor_ * scores_[i] + shift_;
    }
  }

  Perceptron network_;
  std::vector<double> weights_;
  std::optional<std::int64_t> moved_group_;
  double factor_ = 1;
  double shift_ = 0;
  bool logistic_ = false;
  std::optional<double> threshold_;
  Perceptron::Scratch scratch_;
  std::vector<double> scores_, probabilities_, out_;
};

class DrawnScoreModel : public FittedModel {
 public:
  /// @throws base::DamagedError
  DrawnScoreModel(Perceptron network, std::vector<std::vector<double>> members,
                  std::vector<double> shares)
      : network_{std::move(network)}, members_{std::move(members)}, shares_{std::move(shares)} {
    constexpr double rounding = 1e-9;
    if (members_.size() != shares_.size()) refuse("as many shares as scores are drawn");
    for (const auto& weights : members_) {
      if (std::ssize(weights) != network_.parameters())
        refuse(fmt::format("{} weights, must be {}", weights.size(), network_.parameters()));
    }
    double sum = 0;
    for (const double share : shares_) {
      if (!(share >= 0)) refuse("a share below 0");
      sum += share;
    }
    if (!(std::abs(sum - 1) <= rounding)) refuse("shares that do not add up to 1");
  }

  [[nodiscard]] std::vector<std::string> outputs() const override { return {"probability"}; }
  [[nodiscard]] std::span<const double> atoms() const override { return binary_decisions; }
  [[nodiscard]] std::span<const double> distribution() const override { return pi_; }

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> /*groups*/) override {
    const Rows rows(features, network_.inputs());
    scores_.resize(static_cast<std::size_t>(rows.size()));
    out_.assign(scores_.size(), 0.0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      network_.scores(members_[m], rows, scratch_, scores_);
      for (std::size_t i = 0; i < scores_.size(); ++i) {
        if (scores_[i] >= 0) out_[i] += shares_[m];
      }
    }
    pi_.clear();
    for (const double positive : out_) pi_.insert(pi_.end(), {1 - positive, positive});
    return out_;
  }

 private:
  Perceptron network_;
  std::vector<std::vector<double>> members_;
  std::vector<double> shares_;
  Perceptron::Scratch scratch_;
  std::vector<double> scores_, out_, pi_;
};

}  // namespace

std::string_view name_of(Activation activation) {
  for (const auto& [text, value] : activations) {
    if (value == activation) return text;
  }
  return "";
}

void fold_means(const Perceptron& network, std::span<const double> mean,
                std::span<double> weights) {
  const Layer& first = network.layers().front();
  if (std::ssize(mean) != first.inputs) refuse("the means are not those of its features");
  const auto units = static_cast<std::size_t>(first.outputs);
  std::vector<double> shift(units, 0.0);
  for (std::size_t j = 0; j < mean.size(); ++j) {
    for (std::size_t u = 0; u < units; ++u) shift[u] += mean[j] * weights[j * units + u];
  }
  for (std::size_t u = 0; u < units; ++u) {
    weights[static_cast<std::size_t>(first.biases) + u] -= shift[u];
  }
}

std::unique_ptr<FittedModel> make_score_model(const SharedFit& shared, const ModelText& text,
                                              const NamedNumbers& numbers) {
  std::vector<std::vector<double>> weights = numbers(text.at("weights"));
  if (weights.size() != 1) refuse(fmt::format("'{}' is not one vector", text.at("weights")));
  return std::make_unique<ScoreModel>(shared, text, std::move(weights.front()));
}

std::unique_ptr<FittedModel> make_drawn_score_model(const SharedFit& shared, const ModelText& text,
                                                    const NamedNumbers& numbers) {
  std::vector<std::vector<double>> shares = numbers(text.at("shares"));
  if (shares.size() != 1) refuse(fmt::format("'{}' is not one vector", text.at("shares")));
  return std::make_unique<DrawnScoreModel>(network_of(shared, text), numbers(text.at("members")),
                                           std::move(shares.front()));
}

}  // namespace fairfront::models
