#include "solvers/alternating/data_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace fairfront::alternating {
namespace {

constexpr std::int64_t most_groups = 64;

using PerGroup = std::array<double, most_groups>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// The labels as the loss wants them.
std::vector<double> labels_for(const data::Dataset& dataset, LossKind loss) {
  if (dataset.label.empty()) {
    throw base::InputError(
        fmt::format("data set '{}' has no label column", dataset.provenance.name));
  }
  if (loss == LossKind::least_squares) return dataset.label;
  const auto [least, most] = std::ranges::minmax_element(dataset.label);
  std::vector<double> labels;
  for (const double label : dataset.label) {
    if ((label != *least && label != *most) || *least == *most) {
      throw base::InputError(
          fmt::format("data set '{}': the logistic loss needs exactly two different labels",
                      dataset.provenance.name));
    }
    labels.push_back(label == *most ? 1.0 : -1.0);
  }
  return labels;
}

std::int64_t draw_row(std::int64_t count, base::Stream& stream) {
  return stream.below(static_cast<std::uint32_t>(count));
}

/// d/dL_j of sum_(j<k) (L_j - L_k)^2 = J sum L_j^2 - (sum L_j)^2.
double loss_gap_slope(const PerGroup& losses, std::int64_t groups, std::int64_t group) {
  double sum = 0;
  for (std::int64_t j = 0; j < groups; ++j) sum += losses[at(j)];
  return 2 * (static_cast<double>(groups) * losses[at(group)] - sum);
}

}  // namespace

base::OptionTable options_of(DataProblemOptions& options) {
  base::OptionTable table("model");
  table
      .add_choice("loss", options.loss,
                  {{"logistic", LossKind::logistic}, {"least_squares", LossKind::least_squares}},
                  "first objective: mean loss of a linear score against the label")
      .add_choice("fairness", options.fairness,
                  {{"covariance", FairnessKind::covariance}, {"loss_gap", FairnessKind::loss_gap}},
                  "second objective: squared covariance of score and group, or squared differences "
                  "of the groups' mean losses")
      .add("fairness_scale", options.fairness_scale, base::above(0.0), "",
           "the second objective is multiplied by it, to be comparable with the first")
      .add("regularisation", options.regularisation, base::at_least(0.0), "",
           "rho: the first objective has rho |w|^2 / 2 added")
      .add("bound", options.bound, base::above(0.0), "", "every parameter lies in [-bound, bound]")
      .add("batch", options.batch, base::at_least<std::int64_t>(0), "rows",
           "rows drawn for one stochastic gradient; 0: exact gradients");
  return table;
}

DataProblem::DataProblem(std::shared_ptr<const data::Dataset> dataset,
                         const DataProblemOptions& options)
    : dataset_{std::move(dataset)},
      options_{options},
      box_{dataset_->columns + 1, -options.bound, options.bound},
      labels_{labels_for(*dataset_, options.loss)},
      group_begin_(at(dataset_->num_groups() + 1), 0) {
  if (groups() < 2 || groups() > most_groups) {
    throw base::InputError(fmt::format("data set '{}' has {} groups, must be 2 to {}",
                                       dataset_->provenance.name, groups(), most_groups));
  }
  for (const std::int32_t group : dataset_->group) ++group_begin_[at(group) + 1];
  for (std::size_t j = 1; j < group_begin_.size(); ++j) group_begin_[j] += group_begin_[j - 1];
  rows_by_group_.resize(labels_.size());
  std::vector<std::int64_t> next(group_begin_.begin(), group_begin_.end() - 1);
  covariances_.assign(at(groups()) * box_.lower().size(), 0.0);
  for (std::int64_t i = 0; i < dataset_->rows; ++i) {
    rows_by_group_[at(next[at(dataset_->group[at(i)])]++)] = i;
  }
  const auto total = static_cast<double>(dataset_->rows);
  for (std::int64_t j = 0; j < groups(); ++j) {
    const auto out =
        std::span{covariances_}.subspan(at(j) * box_.lower().size(), box_.lower().size());
    const double share = static_cast<double>(std::ssize(members(j))) / total;
    for (std::int64_t i = 0; i < dataset_->rows; ++i) {
      const double member = dataset_->group[at(i)] == j ? 1.0 : 0.0;
      model().add_score_gradient(i, (member - share) / total, out);
    }
  }
}

models::LinearModel DataProblem::model() const {
  return {dataset_->columns, dataset_->features, labels_};
}

std::span<const std::int64_t> DataProblem::members(std::int64_t group) const {
  const std::int64_t begin = group_begin_[at(group)];
  return std::span{rows_by_group_}.subspan(at(begin), at(group_begin_[at(group) + 1] - begin));
}

double DataProblem::row_loss(std::int64_t row, std::span<const double> w) const {
  return options_.loss == LossKind::logistic ? model().loss<models::LogisticLoss>(row, w)
                                             : model().loss<models::SquaredLoss>(row, w);
}

void DataProblem::add_row(std::int64_t row, std::span<const double> w, double factor,
                          std::span<double> out) const {
  if (options_.loss == LossKind::logistic) {
    model().add_loss_gradient<models::LogisticLoss>(row, w, factor, out);
  } else {
    model().add_loss_gradient<models::SquaredLoss>(row, w, factor, out);
  }
}

void DataProblem::add_regularisation(std::span<const double> w, std::span<double> out) const {
  for (std::size_t j = 0; j < w.size(); ++j) out[j] += options_.regularisation * w[j];
}

double DataProblem::value(std::int64_t objective, std::span<const double> w) const {
  if (objective == 0) {
    double sum = 0;
    for (std::int64_t i = 0; i < dataset_->rows; ++i) sum += row_loss(i, w);
    double squares = 0;
    for (const double parameter : w) squares += parameter * parameter;
    return sum / static_cast<double>(dataset_->rows) + 0.5 * options_.regularisation * squares;
  }
  return options_.fairness_scale * unfairness(w);
}

double DataProblem::unfairness(std::span<const double> w) const {
  double result = 0;
  if (options_.fairness == FairnessKind::covariance) {
    for (std::int64_t j = 0; j < groups(); ++j) {
      double covariance = 0;
      for (std::size_t k = 0; k < w.size(); ++k)
        covariance += covariances_[at(j) * w.size() + k] * w[k];
      result += 0.5 * covariance * covariance;
    }
    return result;
  }
  PerGroup losses{};
  for (std::int64_t j = 0; j < groups(); ++j) {
    for (const std::int64_t i : members(j)) losses[at(j)] += row_loss(i, w);
    losses[at(j)] /= static_cast<double>(std::ssize(members(j)));
    for (std::int64_t k = 0; k < j; ++k) {
      result += (losses[at(j)] - losses[at(k)]) * (losses[at(j)] - losses[at(k)]);
    }
  }
  return result;
}

void DataProblem::gradient(std::int64_t objective, std::span<const double> w,
                           std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (objective == 0) {
    const double factor = 1.0 / static_cast<double>(dataset_->rows);
    for (std::int64_t i = 0; i < dataset_->rows; ++i) add_row(i, w, factor, out);
    add_regularisation(w, out);
    return;
  }
  if (options_.fairness == FairnessKind::covariance) {
    covariance_gradient(w, out);
  } else {
    loss_gap_gradient(w, out);
  }
  scale_fairness(out);
}

void DataProblem::scale_fairness(std::span<double> out) const {
  for (double& component : out) component *= options_.fairness_scale;
}

void DataProblem::covariance_gradient(std::span<const double> w, std::span<double> out) const {
  for (std::int64_t j = 0; j < groups(); ++j) {
    const double* direction = covariances_.data() + at(j) * w.size();
    double covariance = 0;
    for (std::size_t k = 0; k < w.size(); ++k) covariance += direction[k] * w[k];
    for (std::size_t k = 0; k < w.size(); ++k) out[k] += covariance * direction[k];
  }
}

void DataProblem::loss_gap_gradient(std::span<const double> w, std::span<double> out) const {
  PerGroup losses{};
  for (std::int64_t j = 0; j < groups(); ++j) {
    for (const std::int64_t i : members(j)) losses[at(j)] += row_loss(i, w);
    losses[at(j)] /= static_cast<double>(std::ssize(members(j)));
  }
  for (std::int64_t j = 0; j < groups(); ++j) {
    const double factor =
        loss_gap_slope(losses, groups(), j) / static_cast<double>(std::ssize(members(j)));
    for (const std::int64_t i : members(j)) add_row(i, w, factor, out);
  }
}

void DataProblem::stochastic_gradient(std::int64_t objective, std::span<const double> w,
                                      base::Stream& stream, std::span<double> out) const {
  if (!stochastic()) {
    gradient(objective, w, out);
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  if (objective == 0) {
    draw_loss_gradient(w, stream, out);
    return;
  }
  if (options_.fairness == FairnessKind::covariance) {
    draw_covariance_gradient(w, stream, out);
  } else {
    draw_loss_gap_gradient(w, stream, out);
  }
  scale_fairness(out);
}

void DataProblem::draw_loss_gradient(std::span<const double> w, base::Stream& stream,
                                     std::span<double> out) const {
  const double factor = 1.0 / static_cast<double>(options_.batch);
  for (std::int64_t k = 0; k < options_.batch; ++k) {
    add_row(draw_row(dataset_->rows, stream), w, factor, out);
  }
  add_regularisation(w, out);
}

void DataProblem::draw_covariance_gradient(std::span<const double> w, base::Stream& stream,
                                           std::span<double> out) const {
  const double factor = 1.0 / static_cast<double>(options_.batch);
  const auto total = static_cast<double>(dataset_->rows);
  PerGroup share{};
  for (std::int64_t j = 0; j < groups(); ++j) {
    share[at(j)] = static_cast<double>(std::ssize(members(j))) / total;
  }
  PerGroup covariance{};
  for (std::int64_t k = 0; k < options_.batch; ++k) {
    const std::int64_t row = draw_row(dataset_->rows, stream);
    const double score = factor * model().score(row, w);
    for (std::int64_t j = 0; j < groups(); ++j) covariance[at(j)] -= share[at(j)] * score;
    covariance[at(dataset_->group[at(row)])] += score;
  }
  double common = 0;  // what every row adds, whatever its group
  for (std::int64_t j = 0; j < groups(); ++j) common += share[at(j)] * covariance[at(j)];
  for (std::int64_t k = 0; k < options_.batch; ++k) {
    const std::int64_t row = draw_row(dataset_->rows, stream);
    const double own = covariance[at(dataset_->group[at(row)])];
    model().add_score_gradient(row, factor * (own - common), out);
  }
}

void DataProblem::draw_loss_gap_gradient(std::span<const double> w, base::Stream& stream,
                                         std::span<double> out) const {
  const double factor = 1.0 / static_cast<double>(options_.batch);
  const auto draw = [&](std::int64_t group) {
    return members(group)[at(draw_row(std::ssize(members(group)), stream))];
  };
  PerGroup losses{};
  for (std::int64_t j = 0; j < groups(); ++j) {
    for (std::int64_t k = 0; k < options_.batch; ++k) {
      losses[at(j)] += factor * row_loss(draw(j), w);
    }
  }
  for (std::int64_t j = 0; j < groups(); ++j) {
    const double slope = factor * loss_gap_slope(losses, groups(), j);
    for (std::int64_t k = 0; k < options_.batch; ++k) add_row(draw(j), w, slope, out);
  }
}

}  // namespace fairfront::alternating
