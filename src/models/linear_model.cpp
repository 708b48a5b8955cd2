#include "models/linear_model.hpp"

#include <cassert>

#include "models/kernels.hpp"
#include "models/score_model.hpp"

namespace fairfront::models {

static_assert(ScoreModel<LinearModel>);

void LinearModel::scores(std::span<const double> w, const Rows& rows, Scratch& /*scratch*/,
                         std::span<double> out) const {
  assert(std::ssize(w) == parameters() && rows.columns() == columns_);
  assert(std::ssize(out) == rows.size());
  dots(rows, w.data() + offset_, has_intercept() ? w[0] : 0.0, out);
}

void LinearModel::pull_back(std::span<const double> w, const Rows& rows, Scratch& /*scratch*/,
                            std::span<const double> slopes, std::span<double> gradient) const {
  assert(std::ssize(w) == parameters() && gradient.size() == w.size());
  assert(std::ssize(slopes) == rows.size());
  if (has_intercept()) {
    for (const double slope : slopes) gradient[0] += slope;
  }
  add_weighted_rows(rows, slopes, gradient.data() + offset_);
}

std::vector<double> LinearModel::initial_weights(Initialisation kind, base::Stream& stream) const {
  std::vector<double> w(static_cast<std::size_t>(parameters()), 0.0);
  const std::span all(w);
  const auto intercepts = static_cast<std::size_t>(offset_);
  draw_layer(kind, columns_, 1, stream, all.subspan(intercepts), all.first(intercepts));
  return w;
}

}  // namespace fairfront::models
