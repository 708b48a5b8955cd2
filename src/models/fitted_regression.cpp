#include "models/fitted_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/base_models.hpp"
#include "models/linear_model.hpp"
#include "models/rows.hpp"
#include "models/soft_prediction.hpp"
#include "models/thresholds.hpp"
#include "models/transport.hpp"

namespace fairfront::models {
namespace {

constexpr std::array<std::pair<std::string_view, PredictionRule>, 3> rules{
    {{"randomised", PredictionRule::randomised},
     {"argmax", PredictionRule::argmax},
     {"mean", PredictionRule::mean}}};

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::DamagedError(std::string{rule});
}

PredictionRule rule_named(const std::string& name) {
  for (const auto& [text, rule] : rules) {
    if (text == name) return rule;
  }
  throw base::DamagedError("an unknown rule");
}

const std::vector<double>& shared_numbers(const SharedFit& shared, const std::string& name,
                                          std::size_t count) {
  const auto found = shared.numbers.find(name);
  require(found != shared.numbers.end() && found->second.size() == count,
          fmt::format("no {} numbers '{}'", count, name));
  return found->second;
}

std::vector<double> one_vector(const NamedNumbers& numbers, const std::string& name) {
  std::vector<std::vector<double>> all = numbers(name);
  require(all.size() == 1, fmt::format("'{}' is not one vector", name));
  return std::move(all.front());
}

/// Predictions of target and groups, of which a model makes fair ones.
class BaseValues {
 public:
  explicit BaseValues(const SharedFit& shared)
      : width_{shared.preparation.unset.size()}, groups_{shared.groups.size()} {
    require(groups_ >= 2, "fewer than two groups");
    if (!shared.numbers.contains("eta")) {
      require(width_ == groups_ + 1, "no columns of predictions");
      return;
    }
    const std::size_t weights = width_ + 1;
    models_ = {static_cast<std::int64_t>(width_), static_cast<std::int64_t>(groups_),
               shared_numbers(shared, "eta", weights),
               shared_numbers(shared, "tau", groups_ == 2 ? weights : groups_ * weights)};
  }

  /// @return the number of rows.
  std::size_t predict(std::span<const double> features) {
    const std::size_t rows = features.size() / width_;
    eta.resize(rows);
    tau.resize(rows * groups_);
    if (!models_.eta.empty()) {
      models_.predict(features, eta, tau);
      return rows;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = features.subspan(i * width_, width_);
      eta[i] = row[0];
      std::ranges::copy(row.subspan(1), tau.begin() + static_cast<std::ptrdiff_t>(i * groups_));
    }
    return rows;
  }

  std::vector<double> eta;  ///< shape (n,), in the target's unit
  std::vector<double> tau;  ///< row-major, shape (n, K)

 private:
  std::size_t width_;
  std::size_t groups_;
  BaseModels models_;
};

data::Affine scale_of(const SharedFit& shared) {
  const std::vector<double>& scale = shared_numbers(shared, "scale", 2);
  return {scale[0], scale[1]};
}

Grid grid_of(const SharedFit& shared) {
  const std::vector<double>& grid = shared_numbers(shared, "grid", 2);
  constexpr double most = 1e6;
  require(grid[0] >= 1 && grid[0] <= most && grid[1] > 0, "no grid of atoms");
  return {static_cast<std::int64_t>(grid[0]), grid[1]};
}

/// In the target's unit.
std::vector<double> atoms_of(const SharedFit& shared) {
  const data::Affine scale = scale_of(shared);
  std::vector<double> atoms;
  for (const double atom : grid_of(shared).values()) atoms.push_back(scale.inverse(atom));
  return atoms;
}

class RegressionModel : public FittedModel {
 public:
  [[nodiscard]] std::vector<std::string> outputs() const override { return {"prediction"}; }
};

class BaseModel : public RegressionModel {
 public:
  BaseModel(const SharedFit& shared, bool clip)
      : base_{shared}, scale_{scale_of(shared)}, atoms_{atoms_of(shared)}, clip_{clip} {}

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> /*groups*/) override {
    base_.predict(features);
    for (double& value : base_.eta) {
      value = scale_.inverse(scale_(value));  // there and back, as the run has taken it
      if (clip_) value = std::clamp(value, atoms_.front(), atoms_.back());
    }
    return base_.eta;
  }

 private:
  BaseValues base_;
  data::Affine scale_;
  std::vector<double> atoms_;
  bool clip_;
};

class TransportModel : public RegressionModel {
 public:
  TransportModel(const SharedFit& shared, Transport transport)
      : base_{shared},
        scale_{scale_of(shared)},
        transport_{std::move(transport)},
        width_{shared.preparation.unset.size()} {}

  [[nodiscard]] bool needs_group() const override { return true; }
  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> groups) override {
    const std::size_t rows = base_.predict(features);
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = scale_.inverse(scale_(base_.eta[i]));  // as the run has taken it
      base_.eta[i] = transport_(value, groups[i], features.subspan(i * width_, width_));
    }
    return base_.eta;
  }

 private:
  BaseValues base_;
  data::Affine scale_;
  Transport transport_;
  std::size_t width_;
};

class LinearTarget : public RegressionModel {
 public:
  LinearTarget(std::size_t columns, std::vector<double> weights)
      : model_{static_cast<std::int64_t>(columns)}, weights_{std::move(weights)} {
    require(columns > 0 && weights_.size() == columns + 1, "weights that are not its features'");
  }

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> /*groups*/) override {
    const Rows rows(features, model_.inputs());
    out_.resize(static_cast<std::size_t>(rows.size()));
    LinearModel::Scratch scratch;
    model_.scores(weights_, rows, scratch, out_);
    return out_;
  }

 private:
  LinearModel model_;
  std::vector<double> weights_, out_;
};

std::vector<TransportStep> steps_of(const ModelText& text, const NamedNumbers& numbers) {
  const std::vector<std::vector<double>> levels = numbers(text.at("levels"));
  std::vector<std::vector<double>> shares = numbers(text.at("shares"));
  std::vector<std::vector<double>> values = numbers(text.at("values"));
  require(levels.size() == shares.size(), "steps without shares");
  std::vector<TransportStep> steps;
  auto next = values.begin();
  for (std::size_t t = 0; t < levels.size(); ++t) {
    TransportStep step{.level = {}, .shares = std::move(shares[t]), .values = {}};
    for (const double level : levels[t]) {
      require(level >= 0 && level < static_cast<double>(step.shares.size()) &&
                  level == std::floor(level),
              "a level that there is not");
      step.level.push_back(static_cast<std::int32_t>(level));
    }
    require(std::ssize(step.shares) <= values.end() - next, "levels without predictions");
    const auto first = next;
    next += std::ssize(step.shares);
    step.values.assign(std::make_move_iterator(first), std::make_move_iterator(next));
    steps.push_back(std::move(step));
  }
  require(next == values.end(), "predictions of no level");
  return steps;
}

Ties ties_named(const std::string& name) {
  for (const Ties ties : {Ties::drawn, Ties::middle}) {
    if (name_of(ties) == name) return ties;
  }
  throw base::DamagedError("an unknown way with ties");
}

/// One that has a distribution over atoms for every row.
class RandomisedModel : public RegressionModel {
 public:
  RandomisedModel(std::vector<double> atoms, PredictionRule rule)
      : atoms_{std::move(atoms)}, rule_{rule} {}

  [[nodiscard]] std::span<const double> atoms() const override {
    return rule_ == PredictionRule::mean ? std::span<const double>{} : atoms_;
  }
  [[nodiscard]] std::span<const double> distribution() const override { return pi_; }

  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> /*groups*/) override {
    const std::size_t rows = read(features);
    const std::size_t n = atoms_.size();
    pi_.resize(rows * n);
    out_.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      const auto pi = std::span{pi_}.subspan(row * n, n);
      fill(row, pi);
      apply(rule_, pi);
      out_.push_back(mean_of(pi, atoms_));
    }
    return out_;
  }

 protected:
  /// Takes rows; returns how many.
  virtual std::size_t read(std::span<const double> features) = 0;
  virtual void fill(std::size_t row, std::span<double> pi) = 0;

 private:
  std::vector<double> atoms_;
  PredictionRule rule_;
  std::vector<double> pi_, out_;
};

class SoftModel : public RandomisedModel {
 public:
  SoftModel(const SharedFit& shared, double beta, PredictionRule rule,
            std::span<const double> multipliers)
      : RandomisedModel{atoms_of(shared), rule},
        base_{shared},
        scale_{scale_of(shared)},
        prediction_{grid_of(shared), static_cast<std::int64_t>(shared.groups.size()), beta},
        shares_{shared_numbers(shared, "shares", shared.groups.size())},
        difference_{difference_of(multipliers)},
        tilt_(shares_.size()) {
    require(multipliers.size() == 2 * shares_.size() * prediction_.atoms().size(),
            "the multipliers are not those of its groups and atoms");
  }

 protected:
  std::size_t read(std::span<const double> features) override { return base_.predict(features); }
  void fill(std::size_t row, std::span<double> pi) override {
    const std::size_t groups = shares_.size();
    for (std::size_t s = 0; s < groups; ++s) {
      tilt_[s] = tilt(base_.tau[row * groups + s], shares_[s]);
    }
    prediction_(scale_(base_.eta[row]), tilt_, difference_, pi);
  }

 private:
  BaseValues base_;
  data::Affine scale_;
  SoftPrediction prediction_;
  std::vector<double> shares_, difference_, tilt_;
};

class MixtureModel : public RandomisedModel {
 public:
  MixtureModel(std::size_t columns, bool intercept, PredictionRule rule, std::vector<double> atoms,
               std::vector<double> mixture, std::vector<std::vector<double>> weights)
      : RandomisedModel{atoms, rule},
        columns_{columns},
        intercept_{intercept},
        thresholds_{std::ssize(atoms)},
        mixture_{std::move(mixture)},
        weights_{std::move(weights)} {
    require(thresholds_.count >= 2 && mixture_.size() == weights_.size() && !weights_.empty() &&
                columns_ > 0,
            "no mixture of scores");
    const std::size_t width = columns_ + (intercept_ ? 1 : 0);
    require(std::ranges::all_of(weights_, [&](const auto& w) { return w.size() == width; }),
            "a score that is not one of its features");
    row_.assign(width, 1.0);
  }

 protected:
  std::size_t read(std::span<const double> features) override {
    features_.assign(features.begin(), features.end());
    return features.size() / columns_;
  }
  void fill(std::size_t row, std::span<double> pi) override {
    std::copy_n(features_.begin() + static_cast<std::ptrdiff_t>(row * columns_), columns_,
                row_.end() - static_cast<std::ptrdiff_t>(columns_));
    std::ranges::fill(pi, 0.0);
    for (std::size_t h = 0; h < weights_.size(); ++h) {
      add_rounded_score(thresholds_, weights_[h], mixture_[h], row_, pi);
    }
  }

 private:
  std::size_t columns_;
  bool intercept_;
  Thresholds thresholds_;
  std::vector<double> mixture_;
  std::vector<std::vector<double>> weights_;
  std::vector<double> features_, row_;
};

}  // namespace

std::string_view name_of(PredictionRule rule) {
  for (const auto& [text, value] : rules) {
    if (value == rule) return text;
  }
  return "";
}

void apply(PredictionRule rule, std::span<double> pi) {
  if (rule != PredictionRule::argmax) return;
  const auto best = std::ranges::max_element(pi) - pi.begin();
  std::ranges::fill(pi, 0.0);
  pi[static_cast<std::size_t>(best)] = 1;
}

double mean_of(std::span<const double> pi, std::span<const double> atoms) {
  double mean = 0;
  for (std::size_t l = 0; l < pi.size(); ++l) mean += pi[l] * atoms[l];
  return mean;
}

std::unique_ptr<FittedModel> make_base_model(const SharedFit& shared, const ModelText& text) {
  return std::make_unique<BaseModel>(shared, text.has("clip"));
}

std::unique_ptr<FittedModel> make_soft_model(const SharedFit& shared, const ModelText& text,
                                             const NamedNumbers& numbers) {
  const auto beta = base::parse_double(text.at("beta"));
  require(beta && *beta > 0 && std::isfinite(*beta), "no beta");
  return std::make_unique<SoftModel>(shared, *beta, rule_named(text.at("rule")),
                                     one_vector(numbers, text.at("multipliers")));
}

std::unique_ptr<FittedModel> make_mixture_model(const SharedFit& shared, const ModelText& text,
                                                const NamedNumbers& numbers) {
  return std::make_unique<MixtureModel>(
      shared.preparation.unset.size(), text.at("intercept") == "1", rule_named(text.at("rule")),
      one_vector(numbers, text.at("atoms")), one_vector(numbers, text.at("mixture")),
      numbers(text.at("weights")));
}

std::unique_ptr<FittedModel> make_transport_model(const SharedFit& shared, const ModelText& text,
                                                  const NamedNumbers& numbers) {
  const auto epsilon = base::parse_double(text.at("epsilon"));
  const auto seed = base::parse_int64(text.at("seed"));
  require(epsilon && seed && *seed >= 0, "no epsilon or seed");
  Transport transport(steps_of(text, numbers), std::ssize(shared.groups),
                      {*epsilon, ties_named(text.at("ties")), static_cast<std::uint64_t>(*seed)});
  return std::make_unique<TransportModel>(shared, std::move(transport));
}

std::unique_ptr<FittedModel> make_linear_model(const SharedFit& shared, const ModelText& text,
                                               const NamedNumbers& numbers) {
  return std::make_unique<LinearTarget>(shared.preparation.unset.size(),
                                        one_vector(numbers, text.at("weights")));
}

}  // namespace fairfront::models
