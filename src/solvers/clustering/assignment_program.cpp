#include "solvers/clustering/assignment_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/level_line.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double to_the_boundary = 0.995;
constexpr double no_progress = 1e-7;

}  // namespace

AssignmentProgram::AssignmentProgram(const AssignmentCosts& costs, const OpenRows& open,
                                     const BalanceLimits& limits, const LevelBox& box)
    : costs_{costs},
      open_{open},
      clusters_{costs.clusters},
      groups_{std::ssize(limits.group_counts())},
      price_(at(groups_ * clusters_), 0.0),
      count_(open.settled.begin(), open.settled.end()),
      level_(at(clusters_)),
      is_fixed_(at(clusters_)),
      weight_(at(groups_ * clusters_)),
      group_factors_(at(groups_)),
      row_x_(at(clusters_)),
      row_s_(at(clusters_)) {
  start_rows();
  sum_cost();
  for (std::int64_t k = 0; k < clusters_; ++k) add_slacks(limits, box, k);
}

void AssignmentProgram::start_rows() {
  std::int64_t largest = 1;
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      largest = std::max(largest, costs_.cost(open_.rows[i], open_.clusters[at(e)]));
    }
  }
  unit_ = static_cast<double>(largest);
  constexpr double margin = 0.3;  // of the first reduced costs from 0
  x_.resize(open_.clusters.size());
  s_.resize(open_.clusters.size());
  ratio_.resize(open_.clusters.size());
  x_step_.resize(open_.clusters.size());
  s_step_.resize(open_.clusters.size());
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    const std::int64_t row = open_.rows[i];
    const auto share = 1 / static_cast<double>(open_.first[i + 1] - open_.first[i]);
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      const std::int64_t k = open_.clusters[at(e)];
      x_[at(e)] = share;
      count_[at(costs_.group[at(row)] * clusters_ + k)] += share;
      s_[at(e)] = static_cast<double>(costs_.cost(row, k)) / unit_;
      least = std::min(least, s_[at(e)]);
    }
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      s_[at(e)] -= least - margin;
    }
  }
}

void AssignmentProgram::add_slacks(const BalanceLimits& limits, const LevelBox& box,
                                   std::int64_t k) {
  const auto low = static_cast<double>(box.low[at(k)]);
  const auto high = static_cast<double>(box.high[at(k)]);
  is_fixed_[at(k)] = low == high ? 1 : 0;
  double rarest = high;
  for (std::int64_t j = 0; j < groups_; ++j) {
    rarest = std::min(rarest, count_[at(j * clusters_ + k)]);
  }
  constexpr double inside = 0.1;
  const double width = high - low;
  level_[at(k)] = std::clamp(rarest, low + inside * width, high - inside * width);
  const LevelLine line = line_above(limits, box.low[at(k)], box.high[at(k)]);
  for (std::int64_t j = 0; j < groups_; ++j) {
    add_slack({.count = j * clusters_ + k, .cluster = k, .of_count = 1, .of_level = -1});
    add_slack({.count = j * clusters_ + k,
               .cluster = k,
               .of_count = -1,
               .of_level = line.slope,
               .constant = line.offset});
  }
  if (is_fixed_[at(k)] != 0) return;
  add_slack({.cluster = k, .of_level = 1, .constant = -low});
  add_slack({.cluster = k, .of_level = -1, .constant = high});
}

void AssignmentProgram::add_slack(Slack slack) {
  constexpr double first_product = 0.1;
  double scale = 1;
  if (slack.count >= 0) scale = std::max(scale, 0.1 * count_[at(slack.count)]);
  slack.value = std::max(linear(slack), scale);
  slack.dual = first_product / slack.value;
  slacks_.push_back(slack);
}

double AssignmentProgram::linear(const Slack& slack) const {
  const double of_count = slack.count < 0 ? 0 : slack.of_count * count_[at(slack.count)];
  return of_count + slack.of_level * level_[at(slack.cluster)] + slack.constant;
}

double AssignmentProgram::products() const {
  double sum = std::inner_product(x_.begin(), x_.end(), s_.begin(), 0.0);
  for (const Slack& slack : slacks_) sum += slack.value * slack.dual;
  return sum;
}

void AssignmentProgram::sum_cost() {
  double cost = 0;
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      cost += x_[at(e)] * static_cast<double>(costs_.cost(open_.rows[i], open_.clusters[at(e)]));
    }
  }
  cost_ = cost + static_cast<double>(open_.settled_cost);
}

double AssignmentProgram::broken() const {
  double sum = 0;
  for (const Slack& slack : slacks_) sum += slack.dual * std::abs(linear(slack) - slack.value);
  return sum * unit_;
}

double AssignmentProgram::relative_gap() const {
  return products() / (cost_ / unit_ + std::numeric_limits<double>::min());
}

std::vector<std::int64_t> AssignmentProgram::prices() const {
  constexpr double largest = 0x1p61;
  std::vector<std::int64_t> prices;
  for (const double price : price_) {
    prices.push_back(std::llround(std::clamp(price * unit_, -largest, largest)));
  }
  return prices;
}

void AssignmentProgram::add_row_curvature(std::size_t i) {
  const std::int64_t group = costs_.group[at(open_.rows[i])];
  double* matrix = curvature_.data() + group * clusters_ * clusters_;
  double sum = 0;
  for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
    ratio_[at(e)] = x_[at(e)] / s_[at(e)];
    sum += ratio_[at(e)];
  }
  for (std::int64_t e = open_.first[i] + 1; e < open_.first[i + 1]; ++e) {
    const double share = ratio_[at(e)] / sum;
    double* of_cluster = matrix + std::int64_t{open_.clusters[at(e)]} * clusters_;
    for (std::int64_t f = open_.first[i]; f < e; ++f) {
      of_cluster[open_.clusters[at(f)]] -= share * ratio_[at(f)];
    }
  }
}

/// From the part below the diagonal. A diagonal is what its row sums to otherwise, without the
/// difference of nearly equal numbers, where rows are all in one cluster.
void AssignmentProgram::complete_curvature(double* matrix) const {
  for (std::int64_t k = 0; k < clusters_; ++k) {
    for (std::int64_t other = 0; other < k; ++other) {
      const double value = matrix[k * clusters_ + other];
      matrix[other * clusters_ + k] = value;
      matrix[k * clusters_ + k] -= value;
      matrix[other * clusters_ + other] -= value;
    }
  }
}

void AssignmentProgram::factorise() {
  curvature_.assign(at(groups_ * clusters_ * clusters_), 0.0);
  for (std::size_t i = 0; i < open_.rows.size(); ++i) add_row_curvature(i);
  for (std::int64_t j = 0; j < groups_; ++j) {
    complete_curvature(curvature_.data() + j * clusters_ * clusters_);
  }
  const std::size_t counts = count_.size();
  weight_.assign(counts, 0.0);
  std::vector<double> mixed(counts, 0.0), of_level(at(clusters_), 0.0);
  for (const Slack& slack : slacks_) {
    const double weight = slack.dual / slack.value;
    of_level[at(slack.cluster)] += weight * slack.of_level * slack.of_level;
    if (slack.count < 0) continue;
    weight_[at(slack.count)] += weight * slack.of_count * slack.of_count;
    mixed[at(slack.count)] += weight * slack.of_count * slack.of_level;
  }
  mixed_ = std::move(mixed);
  level_factors_.start(at(clusters_));
  for (std::int64_t k = 0; k < clusters_; ++k) {
    level_factors_.entry(at(k), at(k)) = is_fixed_[at(k)] != 0 ? 1 : of_level[at(k)];
  }
  for (std::int64_t j = 0; j < groups_; ++j) factorise_group(at(j));
  level_factors_.factorise();
}

/// Takes what the prices of a group say of the levels out of the matrix of these.
void AssignmentProgram::factorise_group(std::size_t j) {
  const std::size_t clusters = at(clusters_);
  const double* curvature = curvature_.data() + j * clusters * clusters;
  const double* weight = weight_.data() + j * clusters;
  const double* mixed = mixed_.data() + j * clusters;
  Factors& factors = group_factors_[j];
  factors.start(clusters);
  for (std::size_t k = 0; k < clusters; ++k) {
    for (std::size_t other = 0; other < clusters; ++other) {
      factors.entry(k, other) = weight[k] * curvature[k * clusters + other];
    }
    factors.entry(k, k) += 1;
  }
  factors.factorise();
  std::vector<double> column(clusters);
  for (std::size_t level = 0; level < clusters; ++level) {
    if (is_fixed_[level] != 0) continue;
    std::ranges::fill(column, 0.0);
    column[level] = mixed[level];
    factors.solve(column.data());
    for (std::size_t k = 0; k < clusters; ++k) {
      if (is_fixed_[k] != 0) continue;
      level_factors_.entry(k, level) -=
          mixed[k] *
          std::inner_product(column.begin(), column.end(), curvature + k * clusters, 0.0);
    }
  }
}

/// (target - product) / value, and the way back to the constraint.
double AssignmentProgram::rest_of(const Slack& slack, double target, bool corrected) const {
  const double product = corrected ? slack.product : 0;
  return (target - product) / slack.value -
         slack.dual / slack.value * (linear(slack) - slack.value);
}

/// Steps of one row when prices step by `prices`, or do not. The second time a row's steps are
/// still those of the predictor, whose products it takes off.
void AssignmentProgram::solve_row(std::size_t i, double target, bool corrected,
                                  const double* prices) {
  const std::int64_t begin = open_.first[i];
  const std::int64_t entries = open_.first[i + 1] - begin;
  const auto price_of = [&](std::int64_t e) {
    return prices == nullptr ? 0 : prices[open_.clusters[at(begin + e)]];
  };
  double sum = 0;
  double weights = 0;
  for (std::int64_t e = 0; e < entries; ++e) {
    const std::size_t place = at(begin + e);
    const double product = corrected ? x_step_[place] * s_step_[place] : 0;
    row_x_[at(e)] =
        target == 0 && !corrected ? -x_[place] : (target - product) / s_[place] - x_[place];
    sum += row_x_[at(e)] + ratio_[place] * price_of(e);
    weights += ratio_[place];
  }
  const double y_step = -sum / weights;
  for (std::int64_t e = 0; e < entries; ++e) {
    row_s_[at(e)] = -y_step - price_of(e);
    row_x_[at(e)] -= ratio_[at(begin + e)] * row_s_[at(e)];
  }
}

/// By how much counts step where prices stay.
void AssignmentProgram::shift_counts(double target, bool corrected) {
  for (std::size_t m = 0; m < count_.size(); ++m) {
    shift_[m] = static_cast<double>(open_.settled[m]) - count_[m];
  }
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    solve_row(i, target, corrected, nullptr);
    const std::int64_t offset = std::int64_t{costs_.group[at(open_.rows[i])]} * clusters_;
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      shift_[at(offset + open_.clusters[at(e)])] += x_[at(e)] + row_x_[at(e - open_.first[i])];
    }
  }
}

/// Steps of prices and levels from the right sides of their rows.
void AssignmentProgram::solve_steps(std::vector<double> right) {
  const std::size_t clusters = at(clusters_);
  price_step_.assign(right.begin(), right.begin() + std::ssize(count_));
  level_step_.assign(right.begin() + std::ssize(count_), right.end());
  for (std::size_t k = 0; k < clusters; ++k) {
    if (is_fixed_[k] != 0) level_step_[k] = 0;
  }
  std::vector<double> of_group(clusters);
  for (std::size_t j = 0; j < at(groups_); ++j) {
    double* prices = price_step_.data() + j * clusters;
    group_factors_[j].solve(prices);
    for (std::size_t k = 0; k < clusters; ++k) {
      if (is_fixed_[k] != 0) continue;
      const double* curvature = curvature_.data() + (j * clusters + k) * clusters;
      level_step_[k] -=
          mixed_[j * clusters + k] * std::inner_product(prices, prices + clusters, curvature, 0.0);
    }
  }
  level_factors_.solve(level_step_.data());
  for (std::size_t j = 0; j < at(groups_); ++j) {
    for (std::size_t k = 0; k < clusters; ++k) {
      of_group[k] = mixed_[j * clusters + k] * level_step_[k];
    }
    group_factors_[j].solve(of_group.data());
    for (std::size_t k = 0; k < clusters; ++k) price_step_[j * clusters + k] -= of_group[k];
  }
}

void AssignmentProgram::solve(double target, bool corrected) {
  const std::size_t counts = count_.size();
  shift_.resize(counts);
  shift_counts(target, corrected);
  std::vector<double> right(counts + at(clusters_), 0.0);
  for (std::size_t m = 0; m < counts; ++m) {
    right[m] = -price_[m] - weight_[m] * shift_[m];
    right[counts + m % at(clusters_)] -= mixed_[m] * shift_[m];
  }
  for (const Slack& slack : slacks_) {
    const double rest = rest_of(slack, target, corrected);
    if (slack.count >= 0) right[at(slack.count)] += slack.of_count * rest;
    right[counts + at(slack.cluster)] += slack.of_level * rest;
  }
  solve_steps(std::move(right));
  count_step_ = shift_;
  for (std::size_t m = 0; m < counts; ++m) {
    const std::size_t group = m / at(clusters_) * at(clusters_);
    for (std::size_t k = 0; k < at(clusters_); ++k) {
      count_step_[m] += curvature_[m * at(clusters_) + k] * price_step_[group + k];
    }
  }
  for (Slack& slack : slacks_) {
    const double of_count = slack.count < 0 ? 0 : slack.of_count * count_step_[at(slack.count)];
    const double forward = of_count + slack.of_level * level_step_[at(slack.cluster)];
    slack.value_step = forward + (linear(slack) - slack.value);
    slack.dual_step =
        rest_of(slack, target, corrected) - slack.dual - slack.dual / slack.value * forward;
  }
}

/// To where a variable is 0.
AssignmentProgram::Steps AssignmentProgram::longest(double target, bool corrected) {
  Steps steps;
  const auto shorten = [](double value, double change, double& step) {
    if (change < 0) step = std::min(step, -value / change);
  };
  double both = 0;
  double of_value = 0;
  double of_dual = 0;
  const auto see = [&](double value, double value_step, double dual, double dual_step) {
    shorten(value, value_step, steps.primal);
    shorten(dual, dual_step, steps.dual);
    of_value += value_step * dual;
    of_dual += value * dual_step;
    both += value_step * dual_step;
  };
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    const std::int64_t offset = std::int64_t{costs_.group[at(open_.rows[i])]} * clusters_;
    solve_row(i, target, corrected, price_step_.data() + offset);
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      x_step_[at(e)] = row_x_[at(e - open_.first[i])];
      s_step_[at(e)] = row_s_[at(e - open_.first[i])];
      see(x_[at(e)], x_step_[at(e)], s_[at(e)], s_step_[at(e)]);
    }
  }
  for (const Slack& slack : slacks_) {
    see(slack.value, slack.value_step, slack.dual, slack.dual_step);
  }
  steps.products = products() + steps.primal * of_value + steps.dual * of_dual +
                   steps.primal * steps.dual * both;
  return steps;
}

void AssignmentProgram::advance(Steps steps) {
  for (std::size_t e = 0; e < x_.size(); ++e) {
    x_[e] += steps.primal * x_step_[e];
    s_[e] += steps.dual * s_step_[e];
  }
  for (std::size_t m = 0; m < count_.size(); ++m) {
    price_[m] += steps.dual * price_step_[m];
    count_[m] += steps.primal * count_step_[m];
  }
  for (std::size_t k = 0; k < level_.size(); ++k) level_[k] += steps.primal * level_step_[k];
  for (Slack& slack : slacks_) {
    slack.value += steps.primal * slack.value_step;
    slack.dual += steps.dual * slack.dual_step;
  }
}

bool AssignmentProgram::step() {
  factorise();
  solve(0, false);
  const double now = products();
  const double ratio = std::clamp(longest(0, false).products / now, 0.0, 1.0);
  const double target =
      ratio * ratio * ratio * now / static_cast<double>(x_.size() + slacks_.size());
  for (Slack& slack : slacks_) slack.product = slack.value_step * slack.dual_step;
  solve(target, true);
  Steps steps = longest(target, true);
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  if (!finite(price_step_) || !finite(level_step_) || !finite(count_step_)) return false;
  if (std::max(steps.primal, steps.dual) < no_progress) return false;
  steps.primal = std::min(1.0, to_the_boundary * steps.primal);
  steps.dual = std::min(1.0, to_the_boundary * steps.dual);
  advance(steps);
  sum_cost();
  return true;
}

}  // namespace fairfront::clustering
