#include "solvers/training/cell_values.hpp"

#include <cassert>
#include <cstddef>

#include "base/elementary.hpp"
#include "models/loss.hpp"

namespace fairfront::training {

namespace {

/// Whether rows with label 1 add what is wrong of them, not what is decided 1.
bool are_errors(const GapConstraints& constraints) {
  return constraints.rate()->kind == RateKind::error_rate_parity ||
         constraints.bound_of() == BoundOf::worst_group;
}

/// Makes what is decided 1 what is wrong, where that is counted.
void count_errors(const GapConstraints& constraints, std::span<const double> labels,
                  std::span<double> values) {
  if (!are_errors(constraints)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (labels[i] > 0) values[i] = 1 - values[i];
  }
}

}  // namespace

double count_wrong(std::span<const double> scores, std::span<const double> labels) {
  double count = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) count += is_wrong(scores[i], labels[i]) ? 1 : 0;
  return count;
}

bool has_decisions(const Problem& problem) {
  const auto& rate = problem.constraints.rate();
  return rate && rate->of == RateOf::decisions;
}

double decision_value(const Problem& problem, double label) {
  return are_errors(problem.constraints) && label > 0 ? -1 : 1;
}

DecisionValues decision_values(const Problem& problem) {
  return {decision_value(problem, 1), decision_value(problem, -1)};
}

void cell_values(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out) {
  const auto& rate = problem.constraints.rate();
  if (!rate) return models::loss_values(problem.loss, scores, labels, out);
  if (rate->of == RateOf::probabilities) {
    return smoothed_values(problem, 1, scores, labels, out);
  }
  assert(scores.size() == labels.size() && scores.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = scores[i] >= 0 ? 1 : 0;
  count_errors(problem.constraints, labels, out);
}

void cell_slopes(const Problem& problem, std::span<const double> scores,
                 std::span<const double> labels, std::span<double> out) {
  const auto& rate = problem.constraints.rate();
  if (!rate) return models::loss_slopes(problem.loss, scores, labels, out);
  const double width = rate->of == RateOf::decisions ? rate->width : 1;
  smoothed_slopes(problem, width, scores, labels, out);
}

void smoothed_values(const Problem& problem, double width, std::span<const double> scores,
                     std::span<const double> labels, std::span<double> out) {
  assert(scores.size() == labels.size() && scores.size() == out.size());
  const double narrowing = 1 / width;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = narrowing * scores[i];
  base::sigmoid(out, out);
  count_errors(problem.constraints, labels, out);
}

void smoothed_slopes(const Problem& problem, double width, std::span<const double> scores,
                     std::span<const double> labels, std::span<double> out) {
  assert(scores.size() == labels.size() && scores.size() == out.size());
  const double narrowing = 1 / width;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = narrowing * scores[i];
  base::sigmoid(out, out);
  const bool errors = are_errors(problem.constraints);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double sign = errors && labels[i] > 0 ? -1 : 1;
    out[i] = sign * narrowing * out[i] * (1 - out[i]);
  }
}

}  // namespace fairfront::training
