#include "solvers/ranking/turned_scores.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/index.hpp"
#include "base/stop.hpp"

namespace fairfront::ranking {

using base::at;

/// Where the order of two rows changes.
struct TurnedScores::Turn {
  double place;
  const std::array<std::int8_t, 3>* change;
};

TurnedScores::TurnedScores(std::span<const std::uint8_t> cells, const PairSets& pairs)
    : cells_(cells.begin(), cells.end()),
      sets_{pairs[0], pairs[4], pairs[2]},
      changes_(max_cells * max_cells) {
  const auto rows = [&](CellSet set) {
    return std::ranges::count_if(cells_, [set](std::uint8_t c) { return contains(set, c); });
  };
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    const auto [above, below] = sets_[k];
    if (above == below) continue;  // one half whatever the scores
    most_half_wins_[k] = 2 * rows(above) * rows(below);
    for (std::size_t a = 0; a < max_cells; ++a) {
      for (std::size_t b = 0; b < max_cells; ++b) {
        const int won = contains(above, a) && contains(below, b) ? 2 : 0;
        const int lost = contains(above, b) && contains(below, a) ? 2 : 0;
        changes_[a * max_cells + b][k] = static_cast<std::int8_t>(won - lost);
      }
    }
  }
}

/// @param order  ascending by the scores behind `left`: of equal ones the right ones decide.
TurnedScores::HalfWins TurnedScores::half_wins_behind(std::span<const std::int64_t> order,
                                                      std::span<const double> left,
                                                      std::span<const double> right) const {
  HalfWins half_wins{};
  HalfWins below{};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    HalfWins tied_above{};
    HalfWins tied_below{};
    for (; last < order.size(); ++last) {
      const std::size_t row = at(order[last]);
      const std::size_t begin = at(order[first]);
      if (left[row] != left[begin] || right[row] != right[begin]) break;
      for (std::size_t k = 0; k < sets_.size(); ++k) {
        tied_above[k] += contains(sets_[k].above, cells_[row]) ? 1 : 0;
        tied_below[k] += contains(sets_[k].below, cells_[row]) ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      half_wins[k] += tied_above[k] * (2 * below[k] + tied_below[k]);
      below[k] += tied_below[k];
    }
    first = last;
  }
  return half_wins;
}

/// The steps of an insertion sort are the pairs whose order changes.
std::vector<TurnedScores::Turn> TurnedScores::turns(std::vector<std::int64_t> order,
                                                    std::span<const double> left,
                                                    std::span<const double> right) const {
  std::vector<Turn> found;
  for (std::size_t i = 1; i < order.size(); ++i) {
    base::stop_point();
    const std::size_t row = at(order[i]);
    std::size_t place = i;
    for (; place > 0 && right[at(order[place - 1])] > right[row]; --place) {
      const std::size_t passed = at(order[place - 1]);
      order[place] = order[place - 1];
      const auto& change = changes_[cells_[passed] * max_cells + cells_[row]];
      if (change[0] == 0 && change[1] == 0 && change[2] == 0) continue;
      const double before = left[row] - left[passed];   // >= 0
      const double after = right[passed] - right[row];  // > 0
      found.push_back({before / (before + after), &change});
    }
    order[place] = static_cast<std::int64_t>(row);
  }
  std::ranges::sort(found, {}, &Turn::place);
  return found;
}

std::vector<Stretch> TurnedScores::between(std::span<const double> left,
                                           std::span<const double> right) const {
  std::vector<std::int64_t> order(left.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, {}, [&](std::int64_t row) { return std::tuple(left[at(row)], right[at(row)], row); });
  HalfWins half_wins = half_wins_behind(order, left, right);
  const std::vector<Turn> all = turns(std::move(order), left, right);
  std::vector<Stretch> found;
  found.reserve(all.size() + 1);
  const auto auc = [&](std::size_t k, bool is_negated) {
    if (most_half_wins_[k] == 0) return 0.5;
    const std::int64_t won = is_negated ? most_half_wins_[k] - half_wins[k] : half_wins[k];
    return static_cast<double>(won) / static_cast<double>(most_half_wins_[k]);
  };
  double from = 0;
  const auto add = [&](double to) {
    constexpr double narrow = 1e-10;  // rounding does not take the middle out of it
    if (to - from > narrow) {
      const bool is_negated = 2 * half_wins[0] < most_half_wins_[0];
      found.push_back({from + (to - from) / 2, is_negated, auc(0, is_negated),
                       auc(1, is_negated) - auc(2, is_negated)});
    }
    from = to;
  };
  for (const Turn& turn : all) {
    add(turn.place);
    for (std::size_t k = 0; k < half_wins.size(); ++k) half_wins[k] += (*turn.change)[k];
  }
  add(1);
  return found;
}

}  // namespace fairfront::ranking
