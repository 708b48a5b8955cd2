#include "models/loss.hpp"
#include "base/elementary.hpp"

#include <cassert>
#include <cstddef>

namespace fairfront::models {
namespace {

using Numbers = std::span<const double>;

template <class Function>
void each(Numbers scores, Numbers labels, std::span<double> out, Function function) {
  assert(scores.size() == labels.size() && scores.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(scores[i], labels[i]);
}

double negative_margin(double score, double label) { return -label * score; }

}  // namespace

void loss_values(LossKind kind, Numbers scores, Numbers labels, std::span<double> out) {
  switch (kind) {
    case LossKind::logistic:
      each(scores, labels, out, negative_margin);
      return base::softplus(out, out);
    case LossKind::square:
      return each(scores, labels, out, SquaredLoss::value);
    case LossKind::hinge:
      return each(scores, labels, out, HingeLoss::value);
  }
}

void loss_slopes(LossKind kind, Numbers scores, Numbers labels, std::span<double> out) {
  switch (kind) {
    case LossKind::logistic:
      each(scores, labels, out, negative_margin);
      base::sigmoid(out, out);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= -labels[i];
      return;
    case LossKind::square:
      return each(scores, labels, out, SquaredLoss::slope);
    case LossKind::hinge:
      return each(scores, labels, out, HingeLoss::slope);
  }
}

}  // namespace fairfront::models
