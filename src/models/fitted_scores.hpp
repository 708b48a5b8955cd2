/// @file
/// The kinds "score" and "drawn_scores" of fitted models.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "models/fitted_model.hpp"
#include "models/perceptron.hpp"

namespace fairfront::models {

/// A linear score or a network, a Perceptron: options `hidden` (units of the layers), `activation`,
/// `weights` (its solution). `centred=mean`: features less these shared numbers; a linear score
/// then has no bias. `intercept=first`: its bias stands in front. `moved_group=G`: two more
/// weights, factor and shift of this group's scores. `link=logistic`: the score is the logit of a
/// probability; `threshold`: of the decision for 1.
[[nodiscard]] std::unique_ptr<FittedModel> make_score_model(const SharedFit& shared,
                                                            const ModelText& text,
                                                            const NamedNumbers& numbers);

/// Decides 1 with the probability that a draw among several scores reaches 0. Options `hidden` and
/// `activation` as of "score"; `members`: a solution with the weights of each; `shares`: one with
/// their probabilities.
/// @throws base::DamagedError  no such numbers, or the probabilities do not add up to 1.
[[nodiscard]] std::unique_ptr<FittedModel> make_drawn_score_model(const SharedFit& shared,
                                                                  const ModelText& text,
                                                                  const NamedNumbers& numbers);

/// As the option `activation` and as [model] of a config say it.
[[nodiscard]] std::string_view name_of(Activation activation);

/// Weights for features become those for features that are `mean` more: the first layer's biases
/// change. @param mean  shape (network.inputs(),).
void fold_means(const Perceptron& network, std::span<const double> mean, std::span<double> weights);

}  // namespace fairfront::models
