#include "models/fitted_centres.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace fairfront::models {
namespace {

class CentresModel : public FittedModel {
 public:
  CentresModel(std::size_t columns, std::vector<double> centres)
      : columns_{columns}, centres_{std::move(centres)} {}

  [[nodiscard]] std::vector<std::string> outputs() const override {
    return {"cluster", "distance"};
  }
  [[nodiscard]] std::span<const double> predict(std::span<const double> features,
                                                std::span<const std::int32_t> /*groups*/) override {
    const std::span<const double> squares = squared_distances(features);
    out_.clear();
    for (std::size_t i = 0; i < squares.size(); i += count()) {
      add_nearest(squares.subspan(i, count()));
    }
    return out_;
  }
  [[nodiscard]] std::int64_t centres() const override { return static_cast<std::int64_t>(count()); }
  [[nodiscard]] std::span<const double> squared_distances(
      std::span<const double> features) override {
    squares_.clear();
    for (std::size_t row = 0; row < features.size() / columns_; ++row) {
      add_squares(features.subspan(row * columns_, columns_));
    }
    return squares_;
  }

 private:
  [[nodiscard]] std::size_t count() const noexcept { return centres_.size() / columns_; }

  void add_squares(std::span<const double> x) {
    for (std::size_t k = 0; k < count(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < columns_; ++i) {
        const double difference = x[i] - centres_[k * columns_ + i];
        sum += difference * difference;
      }
      squares_.push_back(sum);
    }
  }

  void add_nearest(std::span<const double> squares) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < squares.size(); ++k) {
      if (!(squares[k] < least)) continue;
      least = squares[k];
      nearest = k;
    }
    out_.push_back(static_cast<double>(nearest));
    out_.push_back(std::sqrt(least));
  }

  std::size_t columns_;
  std::vector<double> centres_, squares_, out_;
};

}  // namespace

std::unique_ptr<FittedModel> make_centres_model(const SharedFit& shared, const ModelText& text,
                                                const NamedNumbers& numbers) {
  const std::size_t columns = shared.preparation.unset.size();
  std::vector<std::vector<double>> all = numbers(text.at("centres"));
  if (all.size() != 1 || columns == 0 || all.front().empty() || all.front().size() % columns != 0) {
    throw base::DamagedError("the centres are not those of its features");
  }
  return std::make_unique<CentresModel>(columns, std::move(all.front()));
}

}  // namespace fairfront::models
