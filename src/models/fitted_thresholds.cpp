#include "models/fitted_thresholds.hpp"

#include <utility>

#include "base/error.hpp"

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

}  // namespace

std::unique_ptr<FittedModel> make_threshold_model(const SharedFit& shared, const ModelText& text,
                                                  const NamedNumbers& numbers) {
  std::vector<std::vector<double>> all = numbers(text.at("thresholds"));
  if (all.size() != 1 || all.front().size() != shared.groups.size() ||
      shared.preparation.unset.size() != 1) {
    throw base::DamagedError("fitted thresholds: they are not those of a score and its groups");
  }
  return std::make_unique<ThresholdModel>(std::move(all.front()));
}

}  // namespace fairfront::models
