/// @file
/// The weights of a task of [sa2gd] or [weighted_sum].
#pragma once

#include "experiments/alternating.hpp"
#include "solvers/alternating/efforts.hpp"

namespace fairfront::experiments {

/// The steps that each objective gets.
/// @throws base::InputError  not exactly one way to give the weights, or a bad one.
[[nodiscard]] alternating::Efforts efforts_of(const AlternatingProblem& problem,
                                              const Sa2gdSection& options);
[[nodiscard]] alternating::Efforts efforts_of(const AlternatingProblem& problem,
                                              const WeightedSumSection& options);

}  // namespace fairfront::experiments
