/// @file
/// Predictions of every group moved to the weighted barycentre of all groups' distributions: E.
/// Chzhen, C. Denis, M. Hebiri, L. Oneto, M. Pontil (2020), "Fair regression with Wasserstein
/// barycenters", Algorithm 1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/fitted_model.hpp"

namespace fairfront::models {

/// Which of the ranks that a prediction may have in its group it gets.
enum class Ties {
  drawn,   ///< a uniform one, by a random number that is the row's own
  middle,  ///< the middle one: equal predictions of a group stay equal
};
[[nodiscard]] std::string_view name_of(Ties ties);

/// One move: of all groups, or of the levels of one attribute.
struct TransportStep {
  std::vector<std::int32_t> level;          ///< shape (K,), of every group, in 0 .. M-1
  std::vector<double> shares;               ///< shape (M,), of the levels' rows
  std::vector<std::vector<double>> values;  ///< shape (M, rows), ascending: what is moved
};

struct TransportOptions {
  double epsilon = 0;  ///< in [0, 1]: 0 the barycentre, 1 the prediction as it is
  Ties ties = Ties::drawn;
  std::uint64_t seed = 1;  ///< of Ties::drawn
};

/// The map of a prediction. A value f of a level with sorted predictions a_1 <= .. <= a_n gets the
/// rank u = (#{a_i < f} + V (#{a_i = f} + 1)) / (n + 1), V uniform on [0, 1) or 1/2, which is
/// uniform on [0, 1] for a row that is exchangeable with those n, ties or not, and moves to the sum
/// over all levels m of share_m Q_m(u), Q_m(u) the ceil(n_m u)-th smallest prediction of m. With
/// epsilon, the value epsilon f + (1 - epsilon) moved, on the geodesic between the two: every
/// level's 2-Wasserstein distance to the barycentre is epsilon times what it was.
class Transport {
 public:
  /// @throws base::DamagedError  steps that do not fit each other, or an epsilon beyond [0, 1].
  Transport(std::vector<TransportStep> steps, std::int64_t groups, const TransportOptions& options);

  /// @param features  of the row: the address of its random numbers.
  [[nodiscard]] double operator()(double value, std::int32_t group,
                                  std::span<const double> features) const;

  [[nodiscard]] const std::vector<TransportStep>& steps() const noexcept { return steps_; }

 private:
  std::vector<TransportStep> steps_;
  TransportOptions options_;
};

/// Moves by one step alone, to the barycentre. @param number  of the step, from 0.
[[nodiscard]] double moved(const TransportStep& step, std::size_t number,
                           const TransportOptions& options, double value, std::int32_t group,
                           std::span<const double> features);

/// Kind "transport": the base model's prediction, moved. Options `values` (a solution: the sorted
/// predictions of every level, step by step), `levels` (a solution: one vector a step), `shares` (a
/// solution, likewise), `epsilon`, `ties`, `seed`. Shared numbers as of kind "base".
[[nodiscard]] std::unique_ptr<FittedModel> make_transport_model(const SharedFit& shared,
                                                                const ModelText& text,
                                                                const NamedNumbers& numbers);

}  // namespace fairfront::models
