/// @file
/// Linear scores s = w^T x, or s = w_0 + w_1 x_1 + ... + w_d x_d.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "models/initialisation.hpp"
#include "models/rows.hpp"

namespace fairfront::models {

enum class Intercept { none, first };

/// A ScoreModel. Weights: the intercept first, where there is one, then one a column.
class LinearModel {
 public:
  struct Scratch {};  ///< nothing is needed

  explicit LinearModel(std::int64_t columns, Intercept intercept = Intercept::first)
      : columns_{columns}, offset_{intercept == Intercept::first ? 1 : 0} {}

  [[nodiscard]] std::int64_t inputs() const { return columns_; }
  [[nodiscard]] std::int64_t parameters() const { return columns_ + offset_; }
  [[nodiscard]] bool has_intercept() const { return offset_ == 1; }

  void scores(std::span<const double> w, const Rows& rows, Scratch& scratch,
              std::span<double> out) const;
  void pull_back(std::span<const double> w, const Rows& rows, Scratch& scratch,
                 std::span<const double> slopes, std::span<double> gradient) const;

  /// Shape (parameters(),): one unit of fan-in d; see Initialisation.
  [[nodiscard]] std::vector<double> initial_weights(Initialisation kind,
                                                    base::Stream& stream) const;

 private:
  std::int64_t columns_;
  std::int64_t offset_;
};

}  // namespace fairfront::models
