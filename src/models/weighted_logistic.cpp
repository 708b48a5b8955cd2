#include "models/weighted_logistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "models/eigen.hpp"
#include "models/linear_model.hpp"
#include "models/mean_loss.hpp"

namespace fairfront::models {
namespace {

class WeightedLogistic {
 public:
  using Matrix = Eigen::MatrixXd;
  using Index = Eigen::Index;

  WeightedLogistic(const Rows& rows, std::span<const double> labels,
                   std::span<const double> weights, double l2)
      : rows_{rows}, labels_{labels}, weights_{weights}, l2_{l2}, model_{rows.columns()} {
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = base::at(rows.number(i));
      (labels[row] > 0 ? positive_ : negative_) += weights[row];
    }
  }

  [[nodiscard]] double positive() const { return positive_; }  ///< weight of the label +1
  [[nodiscard]] double negative() const { return negative_; }

  double evaluate(std::span<const double> w, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    double loss = 0;
    LinearModel::Scratch scratch;
    for_each_block(w, [&](const Rows& block, std::span<double> scores) {
      const std::size_t size = scores.size();
      for (std::size_t i = 0; i < size; ++i) margins_[i] = -signs_[i] * scores[i];
      const auto margins = std::span(margins_).first(size);
      base::softplus(margins, scores);
      for (std::size_t i = 0; i < size; ++i) loss += shares_[i] * scores[i];
      base::sigmoid(margins, margins);
      for (std::size_t i = 0; i < size; ++i) margins[i] *= -signs_[i] * shares_[i];
      model_.pull_back(w, block, scratch, margins, gradient);
    });
    for (std::size_t j = 1; j < w.size(); ++j) {
      loss += 0.5 * l2_ * w[j] * w[j];
      gradient[j] += l2_ * w[j];
    }
    return loss;
  }

  void hessian(std::span<const double> w, std::span<double> out) {
    const Index n = model_.parameters();
    Matrix sum = Matrix::Zero(n, n);
    for_each_block(w, [&](const Rows& block, std::span<double> p) {
      base::sigmoid(p, p);
      Matrix columns(n, block.size());
      for (Index i = 0; i < columns.cols(); ++i) {
        const std::size_t k = base::at(i);
        const double root = std::sqrt(shares_[k] * p[k] * (1 - p[k]));
        columns(0, i) = root;
        for (Index j = 1; j < n; ++j) columns(j, i) = root * block.row(i)[j - 1];
      }
      sum.selfadjointView<Eigen::Lower>().rankUpdate(columns);
    });
    for (Index j = 1; j < n; ++j) sum(j, j) += l2_;
    Eigen::Map<Matrix>(out.data(), n, n) = sum;
  }

 private:
  /// Calls visit(block, its scores), with signs and shares of its rows filled.
  template <class Visit>
  void for_each_block(std::span<const double> w, Visit visit) {
    LinearModel::Scratch scratch;
    const double all = positive_ + negative_;
    for (std::int64_t first = 0; first < rows_.size(); first += rows_per_block) {
      if (first % rows_between_stops == 0) base::stop_point();
      const Rows block = rows_.part(first, std::min(rows_per_block, rows_.size() - first));
      const auto scores = std::span(scores_).first(base::at(block.size()));
      model_.scores(w, block, scratch, scores);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::size_t row = base::at(block.number(static_cast<std::int64_t>(i)));
        signs_[i] = labels_[row];
        shares_[i] = weights_[row] / all;
      }
      visit(block, scores);
    }
  }

  using Block = std::array<double, static_cast<std::size_t>(rows_per_block)>;
  Rows rows_;
  std::span<const double> labels_, weights_;
  double l2_;
  LinearModel model_;
  double positive_ = 0, negative_ = 0;
  Block scores_{}, margins_{}, signs_{}, shares_{};
};

}  // namespace

MinimiseResult fit_weighted_logistic(const Rows& rows, std::span<const double> labels,
                                     std::span<const double> weights, std::span<const double> start,
                                     const WeightedLogisticOptions& options) {
  if (!(options.l2 >= 0) || !std::isfinite(options.l2)) {
    throw std::invalid_argument(
        fmt::format("WeightedLogisticOptions::l2 = {}, must be >= 0", options.l2));
  }
  if (std::ssize(start) != rows.columns() + 1 || labels.size() != weights.size()) {
    throw std::invalid_argument("fit_weighted_logistic: shapes do not fit");
  }
  WeightedLogistic problem(rows, labels, weights, options.l2);
  if (!(problem.positive() + problem.negative() > 0)) {
    throw std::invalid_argument("fit_weighted_logistic: no weight is above 0");
  }
  if (problem.positive() == 0 || problem.negative() == 0) {
    MinimiseResult constant{.weights = std::vector<double>(start.size(), 0.0),
                            .stop = Stop::converged};
    const double size = -base::log(options.tolerance);
    constant.weights[0] = problem.positive() > 0 ? size : -size;
    return constant;
  }
  return minimise_newton(
      [&](std::span<const double> w, std::span<double> gradient) {
        return problem.evaluate(w, gradient);
      },
      [&](std::span<const double> w, std::span<double> matrix) { problem.hessian(w, matrix); },
      start, {options.tolerance, options.max_iterations});
}

}  // namespace fairfront::models
