#include "solvers/clustering/balance_polish.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/least_matching.hpp"
#include "solvers/clustering/transport.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::int64_t few_squares = 20'000;  // rows times clusters
constexpr std::int64_t few_rows = 8;          // in a cluster
constexpr std::int64_t most_seats = 512;      // clusters
/// Of the levels of all pairs of clusters: entries of the matrices of paths.
constexpr std::int64_t few_arcs = 200'000;
constexpr int most_polish_rounds = 100;
constexpr std::int64_t most_rows_of_a_step = 4;  // that levels go up or down by

bool has_few_rows(const Problem& problem) noexcept {
  return problem.points() <= few_rows * problem.clusters() && problem.clusters() <= most_seats;
}

/// The cheapest labels at given squares: levels are changed one or two at a time, by some rows.
class LevelDescent {
 public:
  /// @param steps  shape (N, K).
  LevelDescent(const Problem& problem, const BalanceLimits& limits,
               std::span<const std::int64_t> steps, std::vector<std::int64_t> levels)
      : limits_{limits}, clusters_{problem.clusters()} {
    for (std::int64_t j = 0; j < problem.groups(); ++j) {
      std::vector<std::int64_t> rows(at(problem.group_begin(j + 1) - problem.group_begin(j)));
      std::iota(rows.begin(), rows.end(), problem.group_begin(j));
      transports_.emplace_back(steps, std::move(rows), clusters_);
    }
    const std::int64_t cost = cost_of(levels);
    take(std::move(levels), cost);
  }

  /// Until no level up to four rows higher, lower, or both of two clusters, is cheaper. Of few
  /// members most levels leave some of the greatest count over: those that leave little, and so
  /// hold a great balance, are some rows apart.
  void change_levels() {
    for (std::int64_t rows = 1; rows <= most_rows_of_a_step; ++rows) {
      if (change_all(rows)) rows = 0;
    }
  }

  template <class Label>
  [[nodiscard]] std::vector<Label> labels(std::int64_t points) {
    cost_of(levels_);
    std::vector<Label> result(at(points));
    for (const Transport& transport : transports_) {
      for (std::size_t i = 0; i < transport.rows().size(); ++i) {
        result[at(transport.rows()[i])] = static_cast<Label>(transport.labels()[i]);
      }
    }
    return result;
  }

  /// Searches for a path, all in all.
  [[nodiscard]] std::int64_t paths() const {
    std::int64_t sum = 0;
    for (const Transport& transport : transports_) sum += transport.paths();
    return sum;
  }

 private:
  std::int64_t cost_of(std::span<const std::int64_t> levels) {
    std::vector<std::int64_t> most;
    for (const std::int64_t level : levels) most.push_back(limits_.most(level));
    std::int64_t sum = 0;
    for (Transport& transport : transports_) sum += transport.settle(levels, most);
    return sum;
  }

  /// What transports have been settled at.
  void take(std::vector<std::int64_t> levels, std::int64_t cost) {
    cost_ = cost;
    levels_ = std::move(levels);
    up_.assign(at(clusters_ * most_rows_of_a_step), 0);
    down_.assign(at(clusters_ * most_rows_of_a_step), 0);
    for (Transport& transport : transports_) {
      const std::span<const std::int64_t> prices = transport.prices();
      for (std::int64_t k = 0; k < std::ssize(prices); ++k) add_bounds(k, prices[at(k)]);
    }
  }

  /// All clusters, and pairs, once. @return whether any change was cheaper.
  bool change_all(std::int64_t rows) {
    bool changed = false;
    for (std::int64_t up = -1; up < clusters_; ++up) {
      for (std::int64_t down = -1; down < clusters_; ++down) {
        while (up != down && change(up, down, rows)) changed = true;
      }
    }
    return changed;
  }

  /// By how much the cost of one group changes at least.
  void add_bounds(std::int64_t k, std::int64_t price) {
    const std::int64_t level = levels_[at(k)];
    const auto least = [price](std::int64_t rise, std::int64_t rise_of_most) {
      return price > 0 ? price * rise : price * rise_of_most;
    };
    const std::int64_t most = limits_.most(level);
    for (std::int64_t rows = 1; rows <= most_rows_of_a_step; ++rows) {
      if (level + rows <= limits_.rarest()) {
        up_[place_of(k, rows)] += least(rows, limits_.most(level + rows) - most);
      }
      if (level > rows) {
        down_[place_of(k, rows)] += least(-rows, limits_.most(level - rows) - most);
      }
    }
  }

  [[nodiscard]] static std::size_t place_of(std::int64_t k, std::int64_t rows) {
    return at(k * most_rows_of_a_step + rows - 1);
  }

  [[nodiscard]] bool may_be_cheaper(std::int64_t up, std::int64_t down, std::int64_t rows) const {
    return (up < 0 ? 0 : up_[place_of(up, rows)]) + (down < 0 ? 0 : down_[place_of(down, rows)]) <
           0;
  }

  bool change(std::int64_t up, std::int64_t down, std::int64_t rows) {
    if (!may_be_cheaper(up, down, rows)) return false;
    std::vector<std::int64_t> levels = levels_;
    if (up >= 0) levels[at(up)] += rows;
    if (down >= 0) levels[at(down)] -= rows;
    if (!limits_.hold(levels)) return false;
    const std::int64_t cost = cost_of(levels);
    if (cost >= cost_) return false;
    take(std::move(levels), cost);
    return true;
  }

  const BalanceLimits& limits_;
  std::int64_t clusters_;
  std::vector<Transport> transports_;  ///< of every group
  std::vector<std::int64_t> levels_;
  std::int64_t cost_ = 0;
  std::vector<std::int64_t> up_;    ///< shape (K, rows): least change of the cost, so much higher
  std::vector<std::int64_t> down_;  ///< the same lower
};

/// A cluster's rarest group has so many members.
template <class Label>
std::vector<std::int64_t> levels_of(const Problem& problem, const Partition<Label>& partition) {
  std::vector<std::int64_t> levels;
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    std::int64_t least = partition.count(k, 0);
    for (std::int64_t j = 1; j < problem.groups(); ++j) {
      least = std::min<std::int64_t>(least, partition.count(k, j));
    }
    levels.push_back(least);
  }
  return levels;
}

}  // namespace

std::vector<std::int64_t> members_of_groups(const Problem& problem) {
  std::vector<std::int64_t> counts;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    counts.push_back(problem.group_begin(j + 1) - problem.group_begin(j));
  }
  return counts;
}

template <class Label>
bool BalancePolish<Label>::is_of_use(const Problem& problem) noexcept {
  return can_assign(problem) || has_few_rows(problem);
}

template <class Label>
bool BalancePolish<Label>::can_assign(const Problem& problem) noexcept {
  return problem.points() * problem.clusters() <= few_squares;
}

template <class Label>
bool BalancePolish<Label>::run() {
  const double floor = search_.partition().bottleneck().balance.value();
  const bool assigns = floor > 0 && can_assign(problem_);
  bool changed = descend(floor);
  for (int round = 0; round < most_polish_rounds; ++round) {
    const bool reseated = has_few_rows(problem_) && reseat();
    const bool assigned = assigns && assign_to_means(floor);
    if (!reseated && !assigned) break;
    descend(floor);
    changed = true;
  }
  return changed;
}

template <class Label>
bool BalancePolish<Label>::descend(double floor) {
  bool changed = false;
  for (int pass = 0; pass < most_polish_rounds; ++pass) {
    const bool moved = search_.move_points(floor);
    if (!search_.exchange_points() && !moved) break;
    changed = true;
  }
  return changed;
}

/// The squared distances to all means, in steps as small as sums of N of them allow.
template <class Label>
void BalancePolish<Label>::measure_squares() {
  const Partition<Label>& partition = search_.partition();
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) partition.mean(problem_, k, means_);
  std::vector<double> squares;
  double largest = 0;
  for (std::int64_t p = 0; p < problem_.points(); ++p) {
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
      squares.push_back(means_.squared_distance(k, problem_.point(p)));
      largest = std::max(largest, squares.back());
    }
  }
  comparisons_ += comparisons_of_all(problem_);
  int exponent = 0;
  std::frexp(largest, &exponent);
  constexpr int bits_of_sum = 61;
  const int bits = bits_of_sum - static_cast<int>(std::bit_width(at(problem_.points()))) - exponent;
  steps_.clear();
  for (const double square : squares) steps_.push_back(std::llround(std::ldexp(square, bits)));
}

template <class Label>
bool BalancePolish<Label>::assign_to_means(double floor) {
  return take_if_cheaper(labels_at_means(floor, levels_of(problem_, search_.partition())));
}

/// The cheapest of these levels, and of those around them if there are few clusters.
template <class Label>
std::vector<Label> BalancePolish<Label>::labels_at_means(double floor,
                                                         std::vector<std::int64_t> levels) {
  measure_squares();
  const BalanceLimits limits(floor, members_of_groups(problem_));
  LevelDescent descent(problem_, limits, steps_, std::move(levels));
  const std::int64_t arcs = problem_.clusters() * problem_.clusters();
  if ((arcs + 2 * problem_.clusters()) * problem_.groups() * arcs <= few_arcs) {
    descent.change_levels();
  }
  constexpr std::int64_t looks_at_an_arc = 4;
  other_work_ += descent.paths() * arcs * looks_at_an_arc;
  return descent.template labels<Label>(problem_.points());
}

template <class Label>
std::optional<std::vector<Label>> BalancePolish<Label>::labels_at(double floor) {
  std::vector<double> wanted;
  const std::vector<std::int64_t> members = members_of_groups(problem_);
  const auto rarest = static_cast<double>(std::ranges::min(members));
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    const double share = search_.partition().size(k) / static_cast<double>(problem_.points());
    wanted.push_back(rarest * share);
  }
  std::optional<std::vector<std::int64_t>> levels =
      BalanceLimits(floor, members).levels_near(wanted);
  if (!levels) return std::nullopt;
  return labels_at_means(floor, *std::move(levels));
}

/// Members of a group in every cluster, first those that are farthest from its mean.
template <class Label>
std::vector<std::vector<std::int64_t>> BalancePolish<Label>::members_outside_in(
    std::int64_t group) const {
  std::vector<std::vector<std::int64_t>> members(at(problem_.clusters()));
  for (std::int64_t p = problem_.group_begin(group); p < problem_.group_begin(group + 1); ++p) {
    members[at(search_.partition().label(p))].push_back(p);
  }
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    std::ranges::stable_sort(members[at(k)], std::ranges::greater{}, [&](std::int64_t p) {
      return means_.squared_distance(k, problem_.point(p));
    });
  }
  return members;
}

/// What each of these rows costs in the cluster of each other one without that: with n rows around
/// the mean m there, n / (n + 1) |x - m|^2. Leaves those means in means_.
template <class Label>
void BalancePolish<Label>::measure_seats(const std::vector<std::int64_t>& rows) {
  const Partition<Label>& partition = search_.partition();
  seats_.resize(rows.size() * rows.size());
  for (std::size_t seat = 0; seat < rows.size(); ++seat) {
    const std::int64_t k = partition.label(rows[seat]);
    const double others = partition.size(k) - 1;
    const double* leaves = problem_.point(rows[seat]);
    for (std::int64_t i = 0; others > 0 && i < problem_.columns(); ++i) {
      const double mean = means_.coordinate(k, i);
      means_.set(k, i, mean + (mean - leaves[i]) / others);
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double square = means_.squared_distance(k, problem_.point(rows[row]));
      seats_[row * rows.size() + seat] = others / (others + 1) * square;
    }
  }
  comparisons_ += std::ssize(seats_);
}

/// @param place  which of a cluster's members leaves.
template <class Label>
bool BalancePolish<Label>::reseat(std::int64_t group, std::size_t place) {
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    search_.partition().mean(problem_, k, means_);
  }
  std::vector<std::int64_t> rows;
  for (const std::vector<std::int64_t>& members : members_outside_in(group)) {
    if (members.size() > place) rows.push_back(members[place]);
  }
  if (rows.size() < 2) return false;
  measure_seats(rows);
  const LeastMatching matching = least_matching(seats_, std::ssize(rows));
  other_work_ += matching.looks;
  std::vector<Label> now = labels();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t there = rows[at(matching.columns[i])];
    now[at(rows[i])] = search_.partition().label(there);
  }
  return take_if_cheaper(std::move(now));
}

/// Every group, and every member once.
template <class Label>
bool BalancePolish<Label>::reseat() {
  bool changed = false;
  for (std::int64_t j = 0; j < problem_.groups(); ++j) {
    std::int32_t most = 0;
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
      most = std::max(most, search_.partition().count(k, j));
    }
    for (std::size_t place = 0; place < at(std::min<std::int64_t>(most, few_rows)); ++place) {
      if (reseat(j, place)) changed = true;
    }
  }
  return changed;
}

template <class Label>
bool BalancePolish<Label>::take_if_cheaper(std::vector<Label> labels) {
  const double before = search_.partition().cost(problem_);
  std::vector<Label> held = this->labels();
  if (labels == held) return false;
  search_.assign(labels);
  constexpr double rounding = 1e-12;
  if (search_.partition().cost(problem_) < before - rounding * problem_.total_variance()) {
    return true;
  }
  search_.assign(held);
  return false;
}

template <class Label>
std::vector<Label> BalancePolish<Label>::labels() const {
  const std::span<const Label> all = search_.partition().labels();
  return {all.begin(), all.end()};
}

template class BalancePolish<std::uint8_t>;
template class BalancePolish<std::uint16_t>;

}  // namespace fairfront::clustering
