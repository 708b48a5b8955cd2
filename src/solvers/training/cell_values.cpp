#include "solvers/training/cell_values.hpp"

#include <cassert>
#include <cstddef>

#include "base/elementary.hpp"
#include "models/loss.hpp"

namespace fairfront::training {

bool has_decisions(const Problem& problem) {
  const auto& rate = problem.constraints.rate();
  return rate && rate->of == RateOf::decisions;
}

void cell_values(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out) {
  const auto& rate = problem.constraints.rate();
  if (!rate) return models::loss_values(problem.loss, scores, labels, out);
  assert(scores.size() == labels.size() && scores.size() == out.size());
  if (rate->of == RateOf::probabilities) {
    base::sigmoid(scores, out);
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = scores[i] >= 0 ? 1 : 0;
  }
  if (rate->kind != RateKind::error_rate_parity) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool positive = labels[i] > 0;
    out[i] = RateCells::at_zero_of(rate->kind, positive) +
             RateCells::slope_of(rate->kind, positive) * out[i];
  }
}

void cell_slopes(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out) {
  const auto& rate = problem.constraints.rate();
  if (!rate) return models::loss_slopes(problem.loss, scores, labels, out);
  assert(scores.size() == labels.size() && scores.size() == out.size());
  const double narrowing = rate->of == RateOf::decisions ? 1 / rate->width : 1;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = narrowing * scores[i];
  base::sigmoid(out, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = RateCells::slope_of(rate->kind, labels[i] > 0) * narrowing * out[i] * (1 - out[i]);
  }
}

}  // namespace fairfront::training
