#include "solvers/training/fairret.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/elementary.hpp"

namespace fairfront::training {
namespace {

/// The tilt t for which the mean of constant + factor sigmoid(score + t factor) is `wanted`; the
/// mean rises with t, as the factors are -1 or 1. @throws std::domain_error  there is none.
double tilt_of(std::span<const double> scores, std::span<const double> constant,
               std::span<const double> factor, double wanted) {
  struct Value {
    double excess;
    double slope;
  };
  const auto at = [&](double t) {
    Value value{0, 0};
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = base::sigmoid(scores[i] + t * factor[i]);
      value.excess += constant[i] + factor[i] * p;
      value.slope += p * (1 - p);
    }
    const auto rows = static_cast<double>(scores.size());
    return Value{value.excess / rows - wanted, value.slope / rows};
  };
  double low = -1;
  double high = 1;
  constexpr double farthest = 1e6;
  while (at(low).excess > 0 && low > -farthest) low *= 2;
  while (at(high).excess < 0 && high < farthest) high *= 2;
  if (low <= -farthest || high >= farthest) {
    throw std::domain_error("no decisions have the same statistic in all groups");
  }
  double t = 0;
  for (int k = 0; k < 100; ++k) {
    const Value here = at(t);
    (here.excess < 0 ? low : high) = t;
    if (std::abs(here.excess) <= 1e-14) break;
    const double newton = here.slope > 0 ? t - here.excess / here.slope : high + 1;
    const double next = low < newton && newton < high ? newton : 0.5 * (low + high);
    if (next == t) break;
    t = next;
  }
  return t;
}

/// log(1 + e^s) - s q - entropy of q: the divergence of Bernoulli q from that of score s.
double divergence(double q, double score) {
  const auto x_log_x = [](double x) { return x > 0 ? x * base::log(x) : 0.0; };
  return x_log_x(q) + x_log_x(1 - q) + base::softplus(score) - q * score;
}

}  // namespace

double FairnessPenalty::norm(std::size_t groups, std::span<double> slopes) const {
  const std::size_t rows = p_.size();
  const std::size_t size = rows / groups;
  std::vector<double> of_group(groups, 0.0);
  double all = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = constant_[i] + factor_[i] * p_[i];
    of_group[i / size] += value / static_cast<double>(size);
    all += value / static_cast<double>(rows);
  }
  if (!(all > 0)) throw std::domain_error("the statistic of all rows is 0");
  double value = 0;
  double of_all = 0;  // d value / d all
  for (double& statistic : of_group) {
    const double ratio = statistic / all;
    value += std::abs(ratio - 1);
    const double sign = ratio > 1 ? 1 : ratio < 1 ? -1 : 0;
    of_all -= sign * ratio / all;
    statistic = sign / all;  // d value / d statistic of the group
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double of_mean =
        of_group[i / size] / static_cast<double>(size) + of_all / static_cast<double>(rows);
    slopes[i] = of_mean * factor_[i] * p_[i] * (1 - p_[i]);
  }
  return value;
}

double FairnessPenalty::kl_projection(std::span<const double> scores, std::size_t groups,
                                      std::span<double> slopes) const {
  const std::size_t rows = p_.size();
  const std::size_t size = rows / groups;
  double all = 0;
  for (std::size_t i = 0; i < rows; ++i) all += constant_[i] + factor_[i] * p_[i];
  all /= static_cast<double>(rows);
  double value = 0;
  for (std::size_t first = 0; first < rows; first += size) {
    const double t = tilt_of(scores.subspan(first, size), std::span(constant_).subspan(first, size),
                             std::span(factor_).subspan(first, size), all);
    for (std::size_t i = first; i < first + size; ++i) {
      const double q = base::sigmoid(scores[i] + t * factor_[i]);
      value += divergence(q, scores[i]);
      slopes[i] = (p_[i] - q) / static_cast<double>(rows);
    }
  }
  return value / static_cast<double>(rows);
}

double FairnessPenalty::operator()(std::span<const double> scores, std::span<const double> labels,
                                   std::size_t groups, std::span<double> slopes) {
  for (auto* values : {&p_, &constant_, &factor_}) values->resize(scores.size());
  base::sigmoid(scores, p_);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool turned = statistic_ == Statistic::accuracy && labels[i] < 0;
    constant_[i] = turned ? 1 : 0;
    factor_[i] = turned ? -1 : 1;
  }
  return regulariser_ == Regulariser::norm ? norm(groups, slopes)
                                           : kl_projection(scores, groups, slopes);
}

base::OptionTable options_of(FairretOptions& options) {
  base::OptionTable table("fairret");
  table.add("strength", options.strength, base::at_least(0.0), "",
            "The regulariser is multiplied by this factor beside the loss.");
  table.add_choice<Regulariser>(
      "regulariser", options.regulariser,
      {{"norm", Regulariser::norm}, {"kl_projection", Regulariser::kl_projection}},
      "The regulariser is the sum of the relative deviations of the groups' statistics, or the "
      "divergence of the nearest decisions with equal ones.");
  table.add_choice<Statistic>(
      "statistic", options.statistic,
      {{"accuracy", Statistic::accuracy}, {"positive_rate", Statistic::positive_rate}},
      "This statistic of soft decisions is to be the same in all groups.");
  table.add("step", options.step, base::above(0.0), "", "A step is this long.");
  add_batches(table, options.batch, options.group_batch);
  add_sampling(table, options.sampling, options.group_sampling);
  add_rules(
      table, options.rules,
      "With paper, the method follows the paper; with authors, their program, where the loss is "
      "that of the rows of the regulariser, which weigh all groups alike, and batch is not used.");
  table.assign_role(base::Role::trade_off, {"strength"});
  table.assign_role(base::Role::tuning, {"step"});
  return table;
}

Fairret::Fairret(const Problem& problem, const FairretOptions& options, const Address& address)
    : options_{options},
      xi_{problem.train.rows, address.key("objective"), options.sampling},
      groups_{problem, address, "groups", options.group_sampling},
      pass_{problem},
      penalty_{options.regulariser, options.statistic},
      gradient_(problem.parameters()) {
  base::validate(options);
}

bool Fairret::suits(const Problem& problem) {
  const auto& cells = problem.constraints.cells();
  return std::ranges::none_of(
      cells, [&](const Cell& cell) { return &cell != &cells[0] && cell.group == cells[0].group; });
}

bool Fairret::step(std::span<double> w, Allowance& allowance) {
  if (!allowance.spend(cost())) return false;
  rows_.clear();
  xi_.append(own_rows(), rows_);
  groups_.append(options_.group_batch, rows_);
  pass_.forward(w, rows_);
  const auto own = static_cast<std::size_t>(own_rows());
  slopes_.assign(rows_.size(), 0.0);
  penalty_(pass_.scores().subspan(own), pass_.labels().subspan(own),
           static_cast<std::size_t>(groups_.cells()), std::span(slopes_).subspan(own));
  for (double& slope : slopes_) slope *= options_.strength;
  const auto of_loss = pass_.slopes();
  const std::size_t losses = own > 0 ? own : rows_.size();
  for (std::size_t i = 0; i < losses; ++i) slopes_[i] += of_loss[i] / static_cast<double>(losses);
  std::ranges::fill(gradient_, 0.0);
  pass_.backward_scores(w, slopes_, gradient_);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= options_.step * gradient_[j];
  return true;
}

void Fairret::pack(solvers::Packer& packer) const {
  xi_.pack(packer);
  groups_.pack(packer);
}

void Fairret::unpack(solvers::Unpacker& unpacker) {
  xi_.unpack(unpacker);
  groups_.unpack(unpacker);
}

}  // namespace fairfront::training
