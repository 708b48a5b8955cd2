/// @file
/// The kinds of fitted models that predict a real target. The predictions that they stand on are
/// those of base models, shared numbers "eta" and "tau" (see BaseModels), or, without these, the
/// features: eta, then the probability of each group.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "models/fitted_model.hpp"

namespace fairfront::models {

/// What is predicted of a row's distribution over atoms: one that is drawn, its most likely one, or
/// its mean.
enum class PredictionRule { randomised, argmax, mean };
[[nodiscard]] std::string_view name_of(PredictionRule rule);

/// The distribution that a rule makes of a row's: argmax leaves one atom, of equal ones the first.
void apply(PredictionRule rule, std::span<double> pi);

/// sum_l pi_l atom_l.
[[nodiscard]] double mean_of(std::span<const double> pi, std::span<const double> atoms);

/// Kind "base": eta; `clip=1`: moved to the lowest or highest atom. Shared numbers: "scale" (shift
/// and divisor that map the target to the grid), "grid" (L, B).
[[nodiscard]] std::unique_ptr<FittedModel> make_base_model(const SharedFit& shared,
                                                           const ModelText& text);

/// Kind "soft": a SoftPrediction. Options `multipliers` (a solution: Lambda, then V), `beta`,
/// `rule`. Shared numbers as of "base", and "shares" (p).
[[nodiscard]] std::unique_ptr<FittedModel> make_soft_model(const SharedFit& shared,
                                                           const ModelText& text,
                                                           const NamedNumbers& numbers);

/// Kind "mixture": a draw among linear scores that are rounded to thresholds. Options `weights` and
/// `mixture` (solutions), `atoms` (a solution), `intercept` (0 or 1: a one in front of the
/// features), `rule`.
[[nodiscard]] std::unique_ptr<FittedModel> make_mixture_model(const SharedFit& shared,
                                                              const ModelText& text,
                                                              const NamedNumbers& numbers);

/// Kind "linear": a linear score in the target's unit, such as one that keeps bounds on the groups'
/// risks. Option `weights`: a solution, the intercept first.
[[nodiscard]] std::unique_ptr<FittedModel> make_linear_model(const SharedFit& shared,
                                                             const ModelText& text,
                                                             const NamedNumbers& numbers);

}  // namespace fairfront::models
