#include "solvers/training/pass.hpp"

#include <fmt/format.h>

#include <cassert>
#include <stdexcept>

namespace fairfront::training {

double greatest_mean_loss(models::LossKind loss) {
  const double score = -1e6;
  const double label = 1;
  double value = 0;
  models::loss_values(loss, {&score, 1}, {&label, 1}, {&value, 1});
  return value;
}

std::span<const double> Pass::forward(std::span<const double> w,
                                      std::span<const std::int64_t> rows) {
  rows_ = rows;
  has_slopes_ = false;
  for (std::vector<double>* memory : {&labels_, &scores_, &losses_}) memory->resize(rows.size());
  const models::Rows view(problem_.features, problem_.model.inputs(), rows);
  problem_.model.scores(w, view, scratch_, scores_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    labels_[i] = problem_.labels[static_cast<std::size_t>(rows[i])];
  }
  models::loss_values(problem_.loss, scores_, labels_, losses_);
  double sum = 0;
  for (const double loss : losses_) sum += loss;
  const auto count = static_cast<double>(losses_.size());
  if (!(sum <= greatest_ * count)) {
    throw std::domain_error(
        fmt::format("the mean loss of {} rows is {:.3g}", losses_.size(), sum / count));
  }
  return losses_;
}

std::span<const double> Pass::slopes() {
  if (!has_slopes_) {
    slopes_.resize(scores_.size());
    models::loss_slopes(problem_.loss, scores_, labels_, slopes_);
    has_slopes_ = true;
  }
  return slopes_;
}

void Pass::backward(std::span<const double> w, std::span<const double> factors,
                    std::span<double> gradient) {
  assert(factors.size() == scores_.size());
  const auto of_scores = slopes();
  scaled_.resize(of_scores.size());
  for (std::size_t i = 0; i < of_scores.size(); ++i) scaled_[i] = factors[i] * of_scores[i];
  backward_scores(w, scaled_, gradient);
}

void Pass::backward_scores(std::span<const double> w, std::span<const double> slopes,
                           std::span<double> gradient) {
  const models::Rows view(problem_.features, problem_.model.inputs(), rows_);
  problem_.model.pull_back(w, view, scratch_, slopes, gradient);
}

}  // namespace fairfront::training
