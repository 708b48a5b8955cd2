/// @file
/// Means of a loss over rows, and their gradients, for any score model: in blocks of rows, so that
/// memory does not grow with the data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/stop.hpp"
#include "models/loss.hpp"
#include "models/score_model.hpp"

namespace fairfront::models {

/// Rows that are taken at a time.
inline constexpr std::int64_t rows_per_block = 128;

/// Rows between two stop points: a look at the caller must not cost anything.
inline constexpr std::int64_t rows_between_stops = 32 * rows_per_block;

/// What mean_loss() and its gradient need of memory; only `model` may allocate.
template <ScoreModel Model>
struct LossScratch {
  using Block = std::array<double, static_cast<std::size_t>(rows_per_block)>;
  typename Model::Scratch model;
  Block scores, labels, values;
};

namespace detail {

/// Calls visit(rows, scores, labels, values) for block after block; values are for `visit` to fill.
template <ScoreModel Model, class Visit>
void for_each_block(const Model& model, std::span<const double> w, const Rows& rows,
                    std::span<const double> labels, LossScratch<Model>& scratch, Visit visit) {
  for (std::int64_t first = 0; first < rows.size(); first += rows_per_block) {
    if (first > 0 && first % rows_between_stops == 0) base::stop_point();
    const Rows block = rows.part(first, std::min(rows_per_block, rows.size() - first));
    const auto size = static_cast<std::size_t>(block.size());
    const auto scores = std::span(scratch.scores).first(size);
    model.scores(w, block, scratch.model, scores);
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t row = block.number(static_cast<std::int64_t>(i));
      scratch.labels[i] = labels[static_cast<std::size_t>(row)];
    }
    visit(block, scores, std::span(scratch.labels).first(size),
          std::span(scratch.values).first(size));
  }
}

}  // namespace detail

/// (1/m) sum over the m rows of loss(score, label); 0 rows: 0.
/// @param labels  by row number of the matrix that `rows` views, not by place in `rows`.
/// @throws base::Interrupted  between blocks of rows; see base::stop_point().
template <ScoreModel Model>
[[nodiscard]] double mean_loss(const Model& model, std::span<const double> w, const Rows& rows,
                               std::span<const double> labels, LossKind loss,
                               LossScratch<Model>& scratch) {
  double sum = 0;
  detail::for_each_block(model, w, rows, labels, scratch,
                         [&](const Rows&, auto scores, auto wanted, auto values) {
                           loss_values(loss, scores, wanted, values);
                           for (const double value : values) sum += value;
                         });
  return rows.size() == 0 ? 0.0 : sum / static_cast<double>(rows.size());
}

/// gradient += factor * (gradient of mean_loss()).
template <ScoreModel Model>
void add_mean_loss_gradient(const Model& model, std::span<const double> w, const Rows& rows,
                            std::span<const double> labels, LossKind loss, double factor,
                            LossScratch<Model>& scratch, std::span<double> gradient) {
  if (rows.size() == 0) return;
  const double share = factor / static_cast<double>(rows.size());
  detail::for_each_block(model, w, rows, labels, scratch,
                         [&](const Rows& block, auto scores, auto wanted, auto slopes) {
                           loss_slopes(loss, scores, wanted, slopes);
                           for (double& slope : slopes) slope *= share;
                           model.pull_back(w, block, scratch.model, slopes, gradient);
                         });
}

}  // namespace fairfront::models
