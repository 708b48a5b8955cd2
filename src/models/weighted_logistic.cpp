#include "models/weighted_logistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "models/mean_loss.hpp"

namespace fairfront::models {
namespace {

class WeightedLogistic {
 public:
  WeightedLogistic(const MixedRows& rows, std::span<const double> labels,
                   std::span<const double> weights, double l2)
      : rows_{rows}, l2_{l2}, signs_(base::at(rows.size())), shares_(signs_.size()) {
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = base::at(rows.number(i));
      (labels[row] > 0 ? positive_ : negative_) += weights[row];
    }
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      const std::size_t row = base::at(rows.number(static_cast<std::int64_t>(i)));
      signs_[i] = labels[row];
      shares_[i] = weights[row] / (positive_ + negative_);
    }
    curvatures_.resize(signs_.size());
  }

  [[nodiscard]] double positive() const { return positive_; }  ///< weight of the label +1
  [[nodiscard]] double negative() const { return negative_; }

  double evaluate(std::span<const double> w, std::span<double> gradient) {
    const std::vector<double> coded = rows_.weights_of_coded(w);
    std::vector<double> sums(w.size(), 0.0);
    double loss = 0;
    for_each_block([&](std::int64_t first, std::size_t size) {
      loss += evaluate_block(coded, first, size, sums);
    });
    std::ranges::fill(gradient, 0.0);
    rows_.add_from_coded(sums, gradient);
    for (std::size_t j = 1; j < w.size(); ++j) {
      loss += 0.5 * l2_ * w[j] * w[j];
      gradient[j] += l2_ * w[j];
    }
    evaluated_.assign(w.begin(), w.end());
    return loss;
  }

  void hessian(std::span<const double> w, std::span<double> out) {
    if (!std::ranges::equal(w, evaluated_)) {
      std::vector<double> gradient(w.size());
      evaluate(w, gradient);
    }
    std::vector<double> sums(out.size(), 0.0);
    for_each_block([&](std::int64_t first, std::size_t size) {
      rows_.add_squares(first, std::span(curvatures_).subspan(base::at(first), size), sums);
    });
    rows_.square_from_coded(sums, out);
    for (std::size_t j = 1; j < w.size(); ++j) out[j * w.size() + j] += l2_;
  }

 private:
  /// Calls visit(first row, number of rows).
  template <class Visit>
  void for_each_block(Visit visit) {
    for (std::int64_t first = 0; first < rows_.size(); first += rows_per_block) {
      if (first % rows_between_stops == 0) base::stop_point();
      visit(first, base::at(std::min(rows_per_block, rows_.size() - first)));
    }
  }

  /// Returns the loss of the block, adds its gradient to `sums` and keeps its curvatures.
  double evaluate_block(std::span<const double> coded, std::int64_t first, std::size_t size,
                        std::span<double> sums) {
    const auto scores = std::span(scores_).first(size);
    const auto margins = std::span(margins_).first(size);
    const double* const signs = &signs_[base::at(first)];
    const double* const shares = &shares_[base::at(first)];
    rows_.scores(coded, first, scores);
    for (std::size_t i = 0; i < size; ++i) margins[i] = -signs[i] * scores[i];
    base::softplus(margins, scores);
    double loss = 0;
    for (std::size_t i = 0; i < size; ++i) loss += shares[i] * scores[i];
    base::sigmoid(margins, margins);
    double* const curvatures = &curvatures_[base::at(first)];
    for (std::size_t i = 0; i < size; ++i) {
      curvatures[i] = shares[i] * margins[i] * (1 - margins[i]);
      margins[i] *= -signs[i] * shares[i];
    }
    rows_.add_rows(first, margins, sums);
    return loss;
  }

  using Block = std::array<double, static_cast<std::size_t>(rows_per_block)>;
  const MixedRows& rows_;
  double l2_;
  double positive_ = 0, negative_ = 0;
  std::vector<double> signs_, shares_;
  std::vector<double> curvatures_;  ///< of the loss in each row's score
  std::vector<double> evaluated_;   ///< where
  Block scores_{}, margins_{};
};

}  // namespace

optimise::MinimiseResult fit_weighted_logistic(const MixedRows& rows,
                                               std::span<const double> labels,
                                               std::span<const double> weights,
                                               std::span<const double> start,
                                               const WeightedLogisticOptions& options) {
  if (!(options.l2 >= 0) || !std::isfinite(options.l2)) {
    throw std::invalid_argument(
        fmt::format("WeightedLogisticOptions::l2 = {}, must be >= 0", options.l2));
  }
  if (std::ssize(start) != rows.parameters() || labels.size() != weights.size()) {
    throw std::invalid_argument("fit_weighted_logistic: shapes do not fit");
  }
  WeightedLogistic problem(rows, labels, weights, options.l2);
  if (!(problem.positive() + problem.negative() > 0)) {
    throw std::invalid_argument("fit_weighted_logistic: no weight is above 0");
  }
  if (problem.positive() == 0 || problem.negative() == 0) {
    optimise::MinimiseResult constant{.weights = std::vector<double>(start.size(), 0.0),
                                      .stop = optimise::Stop::converged};
    const double size = -base::log(options.tolerance);
    constant.weights[0] = problem.positive() > 0 ? size : -size;
    return constant;
  }
  return optimise::minimise_newton(
      [&](std::span<const double> w, std::span<double> gradient) {
        return problem.evaluate(w, gradient);
      },
      [&](std::span<const double> w, std::span<double> matrix) { problem.hessian(w, matrix); },
      start, {options.tolerance, options.max_iterations});
}

}  // namespace fairfront::models
