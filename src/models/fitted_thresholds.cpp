#include "models/fitted_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "models/fitted_scores.hpp"

namespace fairfront::models {
namespace {

class ThresholdModel : public FittedModel {
 public:
  explicit ThresholdModel(std::vector<double> thresholds) : thresholds_{std::move(thresholds)} {}

  [[nodiscard]] std::vector<std::string> outputs() const override { return {"decision"}; }
  [[nodiscard]] bool needs_group() const override { return true; }
  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> groups) override {
    out_.clear();
    for (std::size_t i = 0; i < features.size(); ++i) {
      out_.push_back(features[i] >= thresholds_[static_cast<std::size_t>(groups[i])] ? 1 : 0);
    }
    return out_;
  }

 private:
  std::vector<double> thresholds_, out_;
};

class DrawnThresholdModel : public FittedModel {
 public:
  struct Threshold {
    double threshold, probability;
  };

  /// @param score  what has the thresholds; none: the one feature has.
  DrawnThresholdModel(std::vector<std::vector<Threshold>> of_group,
                      std::unique_ptr<FittedModel> score)
      : of_group_{std::move(of_group)}, score_{std::move(score)} {}

  [[nodiscard]] std::vector<std::string> outputs() const override { return {"probability"}; }
  [[nodiscard]] bool needs_group() const override { return true; }
  [[nodiscard]] std::span<const double> atoms() const override { return binary_decisions; }
  [[nodiscard]] std::span<const double> distribution() const override { return pi_; }

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> groups) override {
    const std::span<const double> scores = score_ ? score_->predict(features, {}) : features;
    out_.clear();
    pi_.clear();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      double positive = 0;
      for (const Threshold& one : of_group_[static_cast<std::size_t>(groups[i])]) {
        if (scores[i] >= one.threshold) positive += one.probability;
      }
      positive = std::min(positive, 1.0);  // probabilities add up to it but for rounding
      out_.push_back(positive);
      pi_.insert(pi_.end(), {1 - positive, positive});
    }
    return out_;
  }

 private:
  std::vector<std::vector<Threshold>> of_group_;
  std::unique_ptr<FittedModel> score_;
  std::vector<double> out_, pi_;
};

[[noreturn]] void refuse() {
  throw base::DamagedError("the thresholds are not those of a score and its groups");
}

/// The network whose scores have the thresholds, or none.
std::unique_ptr<FittedModel> network_of_thresholds(const SharedFit& shared, const ModelText& text,
                                                   const NamedNumbers& numbers) {
  if (!text.has("weights")) return nullptr;
  ModelText score{.kind = "score"};
  for (const char* option : {"hidden", "activation", "weights"}) {
    score.options[option] = text.at(option);
  }
  return make_score_model(shared, score, numbers);
}

/// @throws base::DamagedError
void check_draws(const std::vector<std::vector<DrawnThresholdModel::Threshold>>& of_group) {
  constexpr double rounding = 1e-9;
  for (const auto& draw : of_group) {
    double sum = 0;
    for (const auto& one : draw) {
      if (std::isnan(one.threshold) || !(one.probability >= 0)) refuse();
      sum += one.probability;
    }
    if (!(std::abs(sum - 1) <= rounding)) refuse();
  }
}

}  // namespace

std::unique_ptr<FittedModel> make_threshold_model(const SharedFit& shared, const ModelText& text,
                                                  const NamedNumbers& numbers) {
  std::vector<std::vector<double>> all = numbers(text.at("thresholds"));
  if (all.size() != 1 || all.front().size() != shared.groups.size() ||
      shared.preparation.unset.size() != 1) {
    refuse();
  }
  return std::make_unique<ThresholdModel>(std::move(all.front()));
}

std::unique_ptr<FittedModel> make_drawn_threshold_model(const SharedFit& shared,
                                                        const ModelText& text,
                                                        const NamedNumbers& numbers) {
  const std::vector<std::vector<double>> all = numbers(text.at("thresholds"));
  std::unique_ptr<FittedModel> score = network_of_thresholds(shared, text, numbers);
  if (all.size() != 1 || all.front().size() % 3 != 0 ||
      (!score && shared.preparation.unset.size() != 1)) {
    refuse();
  }
  std::vector<std::vector<DrawnThresholdModel::Threshold>> of_group(shared.groups.size());
  for (std::size_t i = 0; i < all.front().size(); i += 3) {
    const double group = all.front()[i];
    if (!(group >= 0 && group < static_cast<double>(of_group.size())) ||
        group != std::floor(group)) {
      refuse();
    }
    of_group[static_cast<std::size_t>(group)].push_back({all.front()[i + 1], all.front()[i + 2]});
  }
  check_draws(of_group);
  return std::make_unique<DrawnThresholdModel>(std::move(of_group), std::move(score));
}

}  // namespace fairfront::models
