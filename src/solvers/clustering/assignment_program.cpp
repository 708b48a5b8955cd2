#include "solvers/clustering/assignment_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double to_the_boundary = 0.995;
constexpr double no_progress = 1e-7;
/// Wider boxes have a line through the origin: rounding is small beside their levels.
constexpr std::int64_t narrow = 64;

/// LU factors with row pivoting, row-major, in the matrix's place.
/// @return the order of the rows.
std::vector<std::size_t> factorise_in_place(std::vector<double>& matrix, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    }
    if (pivot != column) {
      std::swap(order[pivot], order[column]);
      std::swap_ranges(matrix.begin() + static_cast<std::ptrdiff_t>(pivot * n),
                       matrix.begin() + static_cast<std::ptrdiff_t>((pivot + 1) * n),
                       matrix.begin() + static_cast<std::ptrdiff_t>(column * n));
    }
    const double diagonal = matrix[column * n + column];
    if (diagonal == 0) continue;  // the solution will not be finite, and nobody goes there
    for (std::size_t row = column + 1; row < n; ++row) {
      double& factor = matrix[row * n + column];
      if (factor == 0) continue;
      factor /= diagonal;
      for (std::size_t c = column + 1; c < n; ++c) {
        matrix[row * n + c] -= factor * matrix[column * n + c];
      }
    }
  }
  return order;
}

std::vector<double> solve_factorised(const std::vector<double>& factors,
                                     const std::vector<std::size_t>& order,
                                     const std::vector<double>& right) {
  const std::size_t n = order.size();
  std::vector<double> x(n);
  for (std::size_t row = 0; row < n; ++row) {
    x[row] = right[order[row]];
    for (std::size_t c = 0; c < row; ++c) x[row] -= factors[row * n + c] * x[c];
  }
  for (std::size_t row = n; row-- > 0;) {
    for (std::size_t c = row + 1; c < n; ++c) x[row] -= factors[row * n + c] * x[c];
    x[row] /= factors[row * n + row];
  }
  return x;
}

/// A line that is above most() at all levels of the box.
struct Line {
  double slope = 0;
  double offset = 0;
};
Line line_above(const BalanceLimits& limits, std::int64_t low, std::int64_t high) {
  const auto most = [&](std::int64_t level) { return static_cast<double>(limits.most(level)); };
  Line line;
  if (high - low > narrow) {
    // most(l) <= l / balance: the steepest ray that any level asks for.
    for (std::int64_t level = low; level <= high; ++level) {
      line.slope = std::max(line.slope, most(level) / static_cast<double>(level));
    }
    return line;
  }
  if (high > low) line.slope = (most(high) - most(low)) / static_cast<double>(high - low);
  line.offset = -std::numeric_limits<double>::infinity();
  for (std::int64_t level = low; level <= high; ++level) {
    line.offset = std::max(line.offset, most(level) - line.slope * static_cast<double>(level));
  }
  return line;
}

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
      row_x_(at(clusters_)),
      row_s_(at(clusters_)) {
  start_rows();
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
  const Line line = line_above(limits, box.low[at(k)], box.high[at(k)]);
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

double AssignmentProgram::relative_gap() const {
  double cost = 0;
  for (std::size_t i = 0; i < open_.rows.size(); ++i) {
    for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
      cost += x_[at(e)] * static_cast<double>(costs_.cost(open_.rows[i], open_.clusters[at(e)]));
    }
  }
  cost = (cost + static_cast<double>(open_.settled_cost)) / unit_;
  return products() / (cost + std::numeric_limits<double>::min());
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
  for (std::int64_t e = open_.first[i]; e < open_.first[i + 1]; ++e) {
    const std::int64_t k = open_.clusters[at(e)];
    const double share = ratio_[at(e)] / sum;
    // Without the difference of nearly equal numbers, where a row is all in one cluster.
    for (std::int64_t f = open_.first[i]; f < e; ++f) {
      const double product = share * ratio_[at(f)];
      const std::int64_t other = open_.clusters[at(f)];
      matrix[k * clusters_ + other] -= product;
      matrix[other * clusters_ + k] -= product;
      matrix[k * clusters_ + k] += product;
      matrix[other * clusters_ + other] += product;
    }
  }
}

void AssignmentProgram::factorise() {
  curvature_.assign(at(groups_ * clusters_ * clusters_), 0.0);
  for (std::size_t i = 0; i < open_.rows.size(); ++i) add_row_curvature(i);
  const std::size_t counts = count_.size();
  const std::size_t n = counts + at(clusters_);
  weight_.assign(counts, 0.0);
  std::vector<double> mixed(counts, 0.0), of_level(at(clusters_), 0.0);
  for (const Slack& slack : slacks_) {
    const double weight = slack.dual / slack.value;
    of_level[at(slack.cluster)] += weight * slack.of_level * slack.of_level;
    if (slack.count < 0) continue;
    weight_[at(slack.count)] += weight * slack.of_count * slack.of_count;
    mixed[at(slack.count)] += weight * slack.of_count * slack.of_level;
  }
  matrix_.assign(n * n, 0.0);
  for (std::int64_t j = 0; j < groups_; ++j) {
    for (std::int64_t k = 0; k < clusters_; ++k) {
      const std::size_t m = at(j * clusters_ + k);
      const std::size_t level = counts + at(k);
      for (std::int64_t other = 0; other < clusters_; ++other) {
        const double curvature = curvature_[at((j * clusters_ + k) * clusters_ + other)];
        matrix_[m * n + at(j * clusters_ + other)] = weight_[m] * curvature;
        if (is_fixed_[at(k)] != 0) continue;
        matrix_[level * n + at(j * clusters_ + other)] = mixed[m] * curvature;
      }
      matrix_[m * n + m] += 1;
      matrix_[m * n + level] = mixed[m];
      matrix_[level * n + level] = is_fixed_[at(k)] != 0 ? 1 : of_level[at(k)];
    }
  }
  mixed_ = std::move(mixed);
  scale_.assign(n, 1.0);
  for (std::size_t row = 0; row < n; ++row) {
    double largest = 0;
    for (std::size_t c = 0; c < n; ++c) largest = std::max(largest, std::abs(matrix_[row * n + c]));
    scale_[row] = 1 / largest;
    for (std::size_t c = 0; c < n; ++c) matrix_[row * n + c] *= scale_[row];
  }
  order_ = factorise_in_place(matrix_, n);
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
  for (std::size_t row = 0; row < right.size(); ++row) {
    if (row >= counts && is_fixed_[row - counts] != 0) right[row] = 0;
    right[row] *= scale_[row];
  }
  const std::vector<double> solution = solve_factorised(matrix_, order_, right);
  const auto levels = solution.begin() + static_cast<std::ptrdiff_t>(counts);
  price_step_.assign(solution.begin(), levels);
  level_step_.assign(levels, solution.end());
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
  return true;
}

}  // namespace fairfront::clustering
