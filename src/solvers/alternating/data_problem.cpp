#include "solvers/alternating/data_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "data/small_groups.hpp"

namespace fairfront::alternating {
namespace {

using base::at;

models::LabelKind labels_for(models::LossKind loss) {
  return loss == models::LossKind::square ? models::LabelKind::real
                                          : models::LabelKind::minus_one_plus_one;
}

/// d/dL_j of sum_(j<k) (L_j - L_k)^2 = J sum L_j^2 - (sum L_j)^2.
double loss_gap_slope(std::span<const double> losses, std::int64_t groups, std::int64_t group) {
  double sum = 0;
  for (std::int64_t j = 0; j < groups; ++j) sum += losses[at(j)];
  return 2 * (static_cast<double>(groups) * losses[at(group)] - sum);
}

}  // namespace

base::OptionTable options_of(DataProblemOptions& options) {
  base::OptionTable table("model");
  table
      .add_choice(
          "loss", options.loss,
          {{"logistic", models::LossKind::logistic}, {"least_squares", models::LossKind::square}},
          "The first objective is this mean loss of a linear score against the label.")
      .add_choice("fairness", options.fairness,
                  {{"covariance", FairnessKind::covariance}, {"loss_gap", FairnessKind::loss_gap}},
                  "The second objective is the squared covariance of score and group, or the "
                  "squared differences of the groups' mean losses.")
      .add("fairness_scale", options.fairness_scale, base::above(0.0), "",
           "The second objective is multiplied by it, to be comparable with the first.")
      .add("regularisation", options.regularisation, base::at_least(0.0), "",
           "Half of it times |w|^2 is added to the first objective; it is the rho of the formulas.")
      .add("largest_weight", options.bound, base::above(0.0), "",
           "Every parameter lies between minus this number and this number.")
      .formerly("largest_weight", "bound")
      .add("batch", options.batch, base::between<std::int64_t>(0, 1'000'000), "rows",
           "A stochastic gradient is that of this many drawn rows; with 0 gradients are exact.");
  return table;
}

DataProblem::DataProblem(std::shared_ptr<const data::Dataset> dataset,
                         const DataProblemOptions& options)
    : dataset_{std::move(dataset)},
      options_{options},
      box_{dataset_->columns + 1, -options.bound, options.bound},
      model_{dataset_->columns},
      examples_{models::supervised(*dataset_, labels_for(options.loss))} {
  if (groups() < 2 || groups() > most_groups) {
    data::refuse_groups_of_numbers(dataset_->group_names);
    throw base::InputError(fmt::format("data.sensitive makes {} groups of '{}', must make 2 to {}",
                                       groups(), dataset_->provenance.name, most_groups));
  }
  const auto parameters = box_.lower().size();
  covariances_.assign(at(groups()) * parameters, 0.0);
  const auto total = static_cast<double>(dataset_->rows);
  models::LinearModel::Scratch scratch;
  std::vector<double> slopes(at(dataset_->rows));
  for (std::int64_t j = 0; j < groups(); ++j) {
    const auto out = std::span{covariances_}.subspan(at(j) * parameters, parameters);
    const double share = static_cast<double>(members(j).size()) / total;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = ((dataset_->group[i] == j ? 1.0 : 0.0) - share) / total;
    }
    // The score is linear: its gradient is the same for any weights.
    model_.pull_back(box_.lower(), all(), scratch, slopes, out);
  }
}

models::Rows DataProblem::members(std::int64_t group) const {
  return all().at(examples_.of_group[at(group)]);
}

double DataProblem::mean_loss(const models::Rows& rows, std::span<const double> w) const {
  models::LossScratch<models::LinearModel> scratch;
  return models::mean_loss(model_, w, rows, examples_.labels, options_.loss, scratch);
}

void DataProblem::add_loss_gradient(const models::Rows& rows, std::span<const double> w,
                                    double factor, std::span<double> out) const {
  models::LossScratch<models::LinearModel> scratch;
  models::add_mean_loss_gradient(model_, w, rows, examples_.labels, options_.loss, factor, scratch,
                                 out);
}

DataProblem::PerGroup DataProblem::mean_losses(std::span<const double> w) const {
  PerGroup losses{};
  for (std::int64_t j = 0; j < groups(); ++j) losses[at(j)] = mean_loss(members(j), w);
  return losses;
}

template <class Visit>
void DataProblem::draw_rows(const models::Rows& from, base::Stream& stream, Visit visit) const {
  std::array<std::int64_t, models::rows_per_block> index;
  for (std::int64_t left = options_.batch; left > 0;) {
    const auto some = std::span(index).first(at(std::min(left, models::rows_per_block)));
    for (std::int64_t& row : some) {
      row = from.number(stream.below(static_cast<std::uint32_t>(from.size())));
    }
    visit(from.at(some));
    left -= std::ssize(some);
    if (left > 0) base::stop_point();  // a batch may be larger than the table
  }
}

void DataProblem::add_regularisation(std::span<const double> w, std::span<double> out) const {
  for (std::size_t j = 0; j < w.size(); ++j) out[j] += options_.regularisation * w[j];
}

std::int64_t DataProblem::rows_of_value(std::int64_t objective) const {
  const bool is_of_sums = objective == 1 && options_.fairness == FairnessKind::covariance;
  return is_of_sums ? 0 : rows();
}

std::int64_t DataProblem::rows_of_gradient(std::int64_t objective) const {
  // That of squared differences has the losses first, then their gradients.
  return objective == 0 ? rows() : 2 * rows_of_value(objective);
}

std::int64_t DataProblem::rows_of_estimate(std::int64_t objective) const {
  if (!stochastic()) return rows_of_gradient(objective);
  if (objective == 0) return options_.batch;
  const bool in_every_group = options_.fairness == FairnessKind::loss_gap;
  return 2 * options_.batch * (in_every_group ? groups() : 1);
}

double DataProblem::value(std::int64_t objective, std::span<const double> w) const {
  if (objective == 0) {
    double squares = 0;
    for (const double parameter : w) squares += parameter * parameter;
    return mean_loss(all(), w) + 0.5 * options_.regularisation * squares;
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
  const PerGroup losses = mean_losses(w);
  for (std::int64_t j = 0; j < groups(); ++j) {
    for (std::int64_t k = 0; k < j; ++k) {
      result += (losses[at(j)] - losses[at(k)]) * (losses[at(j)] - losses[at(k)]);
    }
  }
  return result;
}

void DataProblem::differences_at(std::span<const double> w, std::span<double> out) const {
  const PerGroup losses = mean_losses(w);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = losses[j + 1] - losses[0];
}

void DataProblem::differences_gradient(std::span<const double> w, std::span<const double> factors,
                                       std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  double sum = 0;
  for (std::size_t j = 0; j < factors.size(); ++j) {
    add_loss_gradient(members(static_cast<std::int64_t>(j) + 1), w, factors[j], out);
    sum += factors[j];
  }
  add_loss_gradient(members(0), w, -sum, out);
}

std::vector<std::vector<double>> DataProblem::plain_points() const {
  const std::vector<double> zero(box_.lower().size(), 0.0);
  double mean = 0;
  for (const double label : examples_.labels) mean += label / static_cast<double>(rows());
  std::vector<double> constant = zero;
  // Labels are -1 and +1: log(p / (1 - p)) with p = (1 + mean) / 2.
  constant[0] = loss() == models::LossKind::square ? mean : base::log((1 + mean) / (1 - mean));
  box_.project(constant);
  return {zero, constant};
}

void DataProblem::gradient(std::int64_t objective, std::span<const double> w,
                           std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (objective == 0) {
    add_loss_gradient(all(), w, 1, out);
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
  const PerGroup losses = mean_losses(w);
  for (std::int64_t j = 0; j < groups(); ++j) {
    add_loss_gradient(members(j), w, loss_gap_slope(losses, groups(), j), out);
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
  draw_rows(all(), stream,
            [&](const models::Rows& rows) { add_loss_gradient(rows, w, share_of(rows), out); });
  add_regularisation(w, out);
}

void DataProblem::draw_covariance_gradient(std::span<const double> w, base::Stream& stream,
                                           std::span<double> out) const {
  models::LossScratch<models::LinearModel> scratch;
  const auto group_of = [&](const models::Rows& rows, std::size_t i) {
    return at(dataset_->group[at(rows.number(static_cast<std::int64_t>(i)))]);
  };
  const double factor = 1.0 / static_cast<double>(options_.batch);
  const auto total = static_cast<double>(dataset_->rows);
  double mean_score = 0;
  PerGroup covariance{};
  draw_rows(all(), stream, [&](const models::Rows& rows) {
    const auto scores = std::span(scratch.scores).first(at(rows.size()));
    model_.scores(w, rows, scratch.model, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      mean_score += factor * scores[i];
      covariance[group_of(rows, i)] += factor * scores[i];
    }
  });
  double common = 0;  // what every row adds, whatever its group
  for (std::int64_t j = 0; j < groups(); ++j) {
    const double share = static_cast<double>(members(j).size()) / total;
    covariance[at(j)] -= share * mean_score;
    common += share * covariance[at(j)];
  }
  draw_rows(all(), stream, [&](const models::Rows& rows) {
    const auto slopes = std::span(scratch.values).first(at(rows.size()));
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = factor * (covariance[group_of(rows, i)] - common);
    }
    model_.pull_back(w, rows, scratch.model, slopes, out);
  });
}

void DataProblem::draw_loss_gap_gradient(std::span<const double> w, base::Stream& stream,
                                         std::span<double> out) const {
  PerGroup losses{};
  for (std::int64_t j = 0; j < groups(); ++j) {
    draw_rows(members(j), stream, [&](const models::Rows& rows) {
      losses[at(j)] += share_of(rows) * mean_loss(rows, w);
    });
  }
  for (std::int64_t j = 0; j < groups(); ++j) {
    const double slope = loss_gap_slope(losses, groups(), j);
    draw_rows(members(j), stream, [&](const models::Rows& rows) {
      add_loss_gradient(rows, w, slope * share_of(rows), out);
    });
  }
}

}  // namespace fairfront::alternating
