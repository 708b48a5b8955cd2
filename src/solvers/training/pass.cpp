#include "solvers/training/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "solvers/training/cell_values.hpp"

namespace fairfront::training {

double greatest_mean_loss(models::LossKind loss) {
  const double score = -1e6;
  const double label = 1;
  double value = 0;
  models::loss_values(loss, {&score, 1}, {&label, 1}, {&value, 1});
  return value;
}

void Pass::cut(std::int64_t count) {
  if (pieces_ && std::ssize(scores_) == count) return;
  cut_ = batch_a_piece(count, most_pieces(problem_.parameters()));
  const bool is_shared = is_shared_batch(count, problem_.model.parameters());
  pieces_.emplace(is_shared ? problem_.team : nullptr, std::span{&count, 1}, cut_);
  scratch_.resize(std::max<std::size_t>(1, pieces_->all().size()));
}

models::Rows Pass::view(const Piece& piece) const {
  return {problem_.features, problem_.model.inputs(), of(piece, rows_)};
}

models::Perceptron::Scratch& Pass::scratch_of(const Piece& piece) {
  return scratch_[static_cast<std::size_t>(piece.first / cut_)];
}

std::span<const double> Pass::forward(std::span<const double> w,
                                      std::span<const std::int64_t> rows) {
  rows_ = rows;
  has_slopes_ = false;
  cut(std::ssize(rows));
  for (std::vector<double>* memory : {&labels_, &scores_, &losses_}) memory->resize(rows.size());
  const auto score = [&](const Piece& piece) {
    problem_.model.scores(w, view(piece), scratch_of(piece), of(piece, std::span(scores_)));
  };
  pieces_->each(score, scores_, 1);
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

std::span<const double> Pass::cell_values() {
  if (!problem_.constraints.rate()) return losses_;
  cell_values_.resize(scores_.size());
  training::cell_values(problem_, scores_, labels_, cell_values_);
  return cell_values_;
}

std::span<const double> Pass::cell_slopes() {
  if (!problem_.constraints.rate()) return slopes();
  cell_slopes_.resize(scores_.size());
  training::cell_slopes(problem_, scores_, labels_, cell_slopes_);
  return cell_slopes_;
}

void Pass::backward(std::span<const double> w, std::span<const double> factors,
                    std::span<double> gradient, std::size_t first_of_cells) {
  assert(factors.size() == scores_.size() && first_of_cells <= factors.size());
  const auto of_losses = first_of_cells > 0 ? slopes() : std::span<const double>{};
  const auto of_cells = first_of_cells < factors.size() ? cell_slopes() : std::span<const double>{};
  scaled_.resize(factors.size());
  for (std::size_t i = 0; i < first_of_cells; ++i) scaled_[i] = factors[i] * of_losses[i];
  for (std::size_t i = first_of_cells; i < scaled_.size(); ++i) {
    scaled_[i] = factors[i] * of_cells[i];
  }
  backward_scores(w, scaled_, gradient);
}

void Pass::backward_scores(std::span<const double> w, std::span<const double> slopes,
                           std::span<double> gradient) {
  const auto pull_back = [&](const Piece& piece, std::span<double> out) {
    problem_.model.pull_back(w, view(piece), scratch_of(piece), of(piece, slopes), out);
  };
  if (pieces_->all().size() == 1) return pull_back(pieces_->all().front(), gradient);
  pieces_->add(gradient, pull_back);
}

}  // namespace fairfront::training
