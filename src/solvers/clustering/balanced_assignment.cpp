#include "solvers/clustering/balanced_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/level_search.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int64_t most_rows = (std::int64_t{1} << 26) - 1;  // see Balance

void check(std::span<const double> squares, std::span<const std::int32_t> group,
           std::int64_t groups, std::int64_t clusters, const BalancedAssignmentOptions& options) {
  if (clusters < 1 || groups < 1 || squares.size() != group.size() * at(clusters)) {
    throw std::invalid_argument("assign_within_balance: squares must have the shape (N, K)");
  }
  if (std::ranges::any_of(group, [&](std::int32_t j) { return j < 0 || j >= groups; })) {
    throw std::invalid_argument("assign_within_balance: a group must be 0 .. groups - 1");
  }
  if (!(options.balance >= 0 && options.balance <= 1)) {
    throw std::invalid_argument("BalancedAssignmentOptions::balance must be in [0, 1]");
  }
  if (!(options.tolerance >= 0) || options.max_nodes < 1 || options.max_work < 0) {
    throw std::invalid_argument("BalancedAssignmentOptions: a limit is out of range");
  }
  if (std::ssize(group) > most_rows) {
    throw base::InputError(fmt::format("a balance can be asked for of {} rows at most", most_rows));
  }
}

std::vector<std::int64_t> counts_of(std::span<const std::int32_t> labels,
                                    std::span<const std::int32_t> group, std::int64_t groups,
                                    std::int64_t clusters) {
  std::vector<std::int64_t> counts(at(groups * clusters));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++counts[at(std::int64_t{labels[i]} * groups + group[i])];
  }
  return counts;
}

/// Of every cluster in turn, the least.
double balance_of(std::span<const std::int64_t> counts, std::int64_t groups) {
  double least = 1;
  for (std::size_t k = 0; k < counts.size(); k += at(groups)) {
    const auto [rarest, commonest] = std::ranges::minmax(counts.subspan(k, at(groups)));
    const auto most = static_cast<double>(std::max<std::int64_t>(commonest, 1));
    least = std::min(least, static_cast<double>(rarest) / most);
  }
  return least;
}

double mean_of(std::span<const double> squares, std::span<const std::int32_t> labels,
               std::int64_t clusters) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += squares[i * at(clusters) + at(labels[i])];
  }
  return labels.empty() ? 0 : sum / static_cast<double>(labels.size());
}

std::vector<std::int32_t> nearest(std::span<const double> squares, std::int64_t clusters) {
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < squares.size(); i += at(clusters)) {
    const auto of_row = squares.subspan(i, at(clusters));
    labels.push_back(static_cast<std::int32_t>(std::ranges::min_element(of_row) - of_row.begin()));
  }
  return labels;
}

double largest_of(std::span<const double> squares) {
  double largest = 0;
  for (const double square : squares) {
    if (!std::isfinite(square) || square < 0) {
      throw base::InputError("a row is so far from a centre that its squared distance overflows");
    }
    largest = std::max(largest, square);
  }
  return largest;
}

/// The sum of what the labels' squares are above those of the nearest centres.
double above_nearest(std::span<const double> squares, std::span<const std::int32_t> labels,
                     std::int64_t clusters) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto of_row = squares.subspan(i * at(clusters), at(clusters));
    sum += of_row[at(labels[i])] - std::ranges::min(of_row);
  }
  return sum;
}

/// No square above that of a row's nearest centre by more than `most`.
std::vector<double> limited(std::span<const double> squares, std::int64_t clusters, double most) {
  std::vector<double> result(squares.begin(), squares.end());
  for (std::size_t i = 0; i < squares.size(); i += at(clusters)) {
    const double least = std::ranges::min(squares.subspan(i, at(clusters)));
    for (std::size_t k = i; k < i + at(clusters); ++k) {
      result[k] = std::min(result[k], least + most);
    }
  }
  return result;
}

/// Squares in whole steps of 2^-bits.
struct Grid {
  std::vector<std::int64_t> steps;
  int bits = 0;
};
Grid on_grid(std::span<const double> squares, std::size_t rows, double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  constexpr int bits_of_sum = 61;
  Grid grid;
  grid.bits = bits_of_sum - static_cast<int>(std::bit_width(rows)) - exponent;
  for (const double square : squares) {
    grid.steps.push_back(std::llround(std::ldexp(square, grid.bits)));
  }
  return grid;
}

/// @throws base::InputError  there are none.
std::vector<std::int64_t> first_levels(const BalanceLimits& limits, std::int64_t clusters,
                                       double balance) {
  const auto [rarest, commonest] = std::ranges::minmax(limits.group_counts());
  const double possible = static_cast<double>(rarest) / static_cast<double>(commonest);
  if (possible < balance) {
    throw base::InputError(fmt::format(
        "no assignment has balance {}: the rarest group has {} rows and the most common one {}, "
        "which allow {:.6g} at most",
        balance, rarest, commonest, possible));
  }
  if (rarest < clusters) {
    throw base::InputError(fmt::format(
        "no assignment has balance {}: each of the {} clusters needs a row of every group, and the "
        "rarest one has {}",
        balance, clusters, rarest));
  }
  if (auto levels = limits.some_levels(clusters)) return *std::move(levels);
  throw base::InputError(fmt::format(
      "no assignment of balance {} can be found: with {} rows of the rarest group and {} of the "
      "most common one, whole rows do not divide like that among {} clusters",
      balance, rarest, commonest, clusters));
}

/// The mean square that no assignment is below: less what rounding to the grid and sums of N
/// doubles may have added.
double bound_in_own_unit(std::int64_t lower_bound, const Grid& grid, std::size_t rows) {
  const auto count = static_cast<double>(rows);
  const double rounding = (count + 8) * std::numeric_limits<double>::epsilon();
  const double sum = std::ldexp(static_cast<double>(lower_bound) - count / 2, -grid.bits);
  return std::max(sum / count * (1 - rounding), 0.0);
}

/// @param before  of coarser grids.
AssignmentProgress progress_of(std::int64_t cost, std::int64_t bound, const Grid& grid,
                               std::size_t rows, const BalancedAssignment& before) {
  AssignmentProgress progress;
  const double mean = std::ldexp(static_cast<double>(cost), -grid.bits) / static_cast<double>(rows);
  progress.cost = std::min(mean, before.cost);
  progress.lower_bound =
      std::min(std::max(bound_in_own_unit(bound, grid, rows), before.lower_bound), progress.cost);
  return progress;
}

}  // namespace

BalancedAssignment assign_within_balance(std::span<const double> squares,
                                         std::span<const std::int32_t> group, std::int64_t groups,
                                         std::int64_t clusters,
                                         const BalancedAssignmentOptions& options,
                                         const std::function<void(AssignmentProgress)>& watch) {
  check(squares, group, groups, clusters, options);
  BalancedAssignment result;
  result.labels = nearest(squares, clusters);
  result.balance = balance_of(counts_of(result.labels, group, groups, clusters), groups);
  result.lower_bound = result.cost = mean_of(squares, result.labels, clusters);
  if (result.balance >= options.balance || group.empty()) return result;

  std::vector<std::int64_t> group_counts(at(groups));
  for (const std::int32_t j : group) ++group_counts[at(j)];
  const BalanceLimits limits(options.balance, std::move(group_counts));
  const std::vector<std::int64_t> start = first_levels(limits, clusters, options.balance);
  result.cost = std::numeric_limits<double>::infinity();
  std::vector<double> costs_of_rows(squares.begin(), squares.end());
  for (double largest = largest_of(squares), before = 0; before == 0 || 4 * largest < before;) {
    const Grid grid = on_grid(costs_of_rows, group.size(), largest);
    const AssignmentCosts costs{clusters, grid.steps, group};
    LevelSearch::Watch of_grid;
    if (watch) {
      of_grid = [&](std::int64_t cost, std::int64_t bound) {
        watch(progress_of(cost, bound, grid, group.size(), result));
      };
    }
    LevelSearch search(costs, limits, options, start, std::move(of_grid));
    search.run();
    result.nodes += search.nodes();
    const double cost = mean_of(squares, search.labels(), clusters);
    if (cost < result.cost) {
      result.cost = cost;
      result.labels = search.labels();
    }
    const double bound = bound_in_own_unit(search.lower_bound(), grid, group.size());
    result.lower_bound = std::min(std::max(result.lower_bound, bound), result.cost);
    // A square that is farther above its row's least one than a known assignment is above all of
    // these is part of no cheapest one. Without it the grid is finer, where a centre is far away.
    costs_of_rows = limited(squares, clusters, 2 * above_nearest(squares, result.labels, clusters));
    before = std::exchange(largest, largest_of(costs_of_rows));
  }
  result.balance = balance_of(counts_of(result.labels, group, groups, clusters), groups);
  return result;
}

}  // namespace fairfront::clustering
