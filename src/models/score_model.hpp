/// @file
/// What a score model is: a real score for every row, as a function of one flat vector of weights,
/// and the way back from slopes of the scores to a gradient of the weights.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "models/rows.hpp"

namespace fairfront::models {

/// A model is a value that says how weights are read; it holds none. Memory that a step needs lives
/// in a Scratch of the caller, one per thread and batch: it grows to the largest batch seen, after
/// which no call allocates.
///
/// - scores(w, rows, scratch, out): out[i] = score of row i; out has rows.size() elements.
/// - pull_back(w, rows, scratch, slopes, gradient): gradient += sum_i slopes[i] d score_i / d w.
/// The
///   last scores() with this scratch must have had the same weights and rows; pull_back() may
///   follow it several times, so that a Jacobian takes one pass forward.
///
/// The score of a row and what it adds to a gradient are the same bits whatever the batch around
/// it, and gradients sum the rows in their order: a batch gives what its rows give one by one.
template <class M>
concept ScoreModel = std::default_initializable<typename M::Scratch> &&
    requires(const M& model, typename M::Scratch& scratch, std::span<const double> w,
             const Rows& rows, std::span<double> out, std::span<const double> slopes) {
  { model.inputs() } -> std::convertible_to<std::int64_t>;
  { model.parameters() } -> std::convertible_to<std::int64_t>;
  model.scores(w, rows, scratch, out);
  model.pull_back(w, rows, scratch, slopes, out);
};

}  // namespace fairfront::models
