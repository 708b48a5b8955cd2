#include "metrics/auc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "metrics/cells_in_order.hpp"
#include "metrics/merge.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

/// Counts how many pairs (a, b) have b < a, or b <= a. Both ascending. Without branches on the
/// order of the scores, which no processor foresees.
template <class Before>
class PairCount {
 public:
  PairCount(std::span<const double> above, std::span<const double> below)
      : above_{above}, below_{below} {}

  [[nodiscard]] std::size_t safe_steps() const { return steps_of_merge(above_, a_, below_, b_); }

  void step() {
    const bool next_below = Before{}(below_[b_], above_[a_]);
    pairs_ += next_below ? 0 : b_;
    b_ += static_cast<std::size_t>(next_below);
    a_ += static_cast<std::size_t>(!next_below);
  }

  [[nodiscard]] std::uint64_t pairs() const {
    return pairs_ + static_cast<std::uint64_t>(above_.size() - a_) * below_.size();
  }

 private:
  std::span<const double> above_, below_;
  std::size_t a_ = 0, b_ = 0;
  std::uint64_t pairs_ = 0;
};

/// Two for a pair in order, one for a tie.
std::uint64_t count_half_wins(std::span<const double> above, std::span<const double> below) {
  PairCount<std::less<>> wins(above, below);
  PairCount<std::less_equal<>> wins_and_ties(above, below);
  merge_both(wins, wins_and_ties);
  return wins.pairs() + wins_and_ties.pairs();
}

/// Of more cells a row of counts for every cell costs more than the few pairs that are asked for.
constexpr std::size_t most_counted_cells = 256;

/// Of the rows: how many times as many the sets of several cells may have that are kept.
constexpr std::size_t kept_sets = 4;

std::string empty_set(const RowSet& set) { return fmt::format("no {}", set.name()); }

/// 1 / sqrt(m (m - 1)), NaN for m < 2.
double weight_of_row(std::size_t rows) {
  if (rows < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto m = static_cast<double>(rows);
  return 1 / std::sqrt(m * (m - 1));
}

}  // namespace

std::string Subset::name() const {
  std::string text = "row";
  if (positive) text += fmt::format(" with label {}", *positive ? 1 : 0);
  if (group) text += fmt::format(" in group {}", *group);
  return text;
}

SortedCells::SortedCells(const Scored& scored, const RowsInOrder* rows)
    : groups_{scored.groups}, rows_(static_cast<std::size_t>(2 * scored.groups)) {
  bool nan = false;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    nan |= std::isnan(scored.score[i]);
    ++rows_[cell_of(scored, i)];
  }
  if (nan) throw base::InputError("a score is NaN");
  if (rows_.size() > most_counted_cells) {
    sort(scored, rows);
  } else if (rows != nullptr) {
    half_wins_ = sums_of_half_wins(rows->in_order(), rows_.size());
  } else {
    half_wins_ = sums_of_half_wins(CellsInOrder(scored), rows_.size());
  }
}

void SortedCells::sort(const Scored& scored, const RowsInOrder* rows) {
  if (rows != nullptr) {
    scores_ = rows->scores_of_cells();
    return;
  }
  for (const std::int64_t of_cell : rows_) {
    scores_.emplace_back().reserve(static_cast<std::size_t>(of_cell));
  }
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    scores_[cell_of(scored, i)].push_back(scored.score[i]);
  }
  for (std::vector<double>& cell : scores_) sort_ascending(cell);
}

std::uint64_t SortedCells::half_wins(std::size_t above, std::size_t below) const {
  if (half_wins_.empty()) return count_half_wins(scores_[above], scores_[below]);
  return half_wins_[above * rows_.size() + below];
}

template <class Visit>
void SortedCells::for_each_cell(const RowSet& set, Visit visit) const {
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const auto cell = static_cast<std::int64_t>(c);
    const bool positive = cell >= groups_;
    if (set.contains(positive, static_cast<std::int32_t>(positive ? cell - groups_ : cell))) {
      visit(c);
    }
  }
}

std::int64_t SortedCells::size(const RowSet& set) const {
  std::int64_t rows = 0;
  for_each_cell(set, [&](std::size_t cell) { rows += rows_[cell]; });
  return rows;
}

Value SortedCells::auc(const RowSet& above, const RowSet& below) const {
  const std::int64_t above_rows = size(above);
  const std::int64_t below_rows = size(below);
  if (above_rows == 0) return undefined(empty_set(above));
  if (below_rows == 0) return undefined(empty_set(below));
  std::uint64_t wins = 0;
  for_each_cell(above, [&](std::size_t a) {
    for_each_cell(below, [&](std::size_t b) { wins += half_wins(a, b); });
  });
  return defined(static_cast<double>(wins) /
                 (2 * static_cast<double>(above_rows) * static_cast<double>(below_rows)));
}

Value auc_between(const Scored& scored, const RowSet& above, const RowSet& below) {
  return SortedCells(scored).auc(above, below);
}

Value AucSum::of(const SortedCells& cells) const {
  double value = constant;
  for (const AucTerm& term : terms) {
    const Value auc = cells.auc(term.above, term.below);
    if (!auc.defined()) return auc;
    value += term.sign * auc.value;
  }
  return defined(value);
}

RowsInOrder::RowsInOrder(const Scored& scored) : RowsInOrder(scored, CellsInOrder(scored)) {}

RowsInOrder::RowsInOrder(const Scored& scored, CellsInOrder rows)
    : groups_{scored.groups},
      in_order_{std::move(rows)},
      cells_(static_cast<std::size_t>(2 * scored.groups)) {
  std::vector<Places> cells(cells_.size());
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    cells[in_order_.cell[i]].push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::transform(cells, cells_.begin(), [](Places& cell) {
    return std::make_shared<const Places>(std::move(cell));
  });
  if (cells.size() <= HalfWins::most_cells) half_wins_.emplace(in_order_, cells.size());
}

std::vector<double> RowsInOrder::scores_at(const Places& places) const {
  std::vector<double> scores(places.size());
  std::ranges::transform(places, scores.begin(),
                         [&](std::uint32_t place) { return in_order_.score[place]; });
  return scores;
}

std::vector<std::uint32_t> RowsInOrder::rows_at(const Places& places) const {
  std::vector<std::uint32_t> rows(places.size());
  std::ranges::transform(places, rows.begin(),
                         [&](std::uint32_t place) { return in_order_.row[place]; });
  return rows;
}

std::vector<std::vector<double>> RowsInOrder::scores_of_cells() const {
  std::vector<std::vector<double>> scores;
  for (const auto& cell : cells_) scores.push_back(scores_at(*cell));
  return scores;
}

std::vector<bool> RowsInOrder::cells_of(const RowSet& set) const {
  std::vector<bool> cells;
  for (const bool positive : {false, true}) {
    for (std::int32_t g = 0; g < groups_; ++g) cells.push_back(set.contains(positive, g));
  }
  return cells;
}

std::shared_ptr<const RowsInOrder::Places> RowsInOrder::places_of(
    const std::vector<bool>& cells) const {
  if (std::ranges::count(cells, true) == 1) {
    return cells_[static_cast<std::size_t>(std::ranges::find(cells, true) - cells.begin())];
  }
  const auto known = sets_.find(cells);
  if (known != sets_.end()) return known->second;
  const auto set = std::make_shared<Places>();
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    if (cells[in_order_.cell[i]]) set->push_back(static_cast<std::uint32_t>(i));
  }
  if (rows_in_sets_ + set->size() <= kept_sets * rows()) {
    rows_in_sets_ += set->size();
    sets_.emplace(cells, set);
  }
  return set;
}

double RowsInOrder::size_of(const std::vector<bool>& cells) const {
  std::size_t rows = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) rows += cells[c] ? cells_[c]->size() : 0;
  return static_cast<double>(rows);
}

Influence RowsInOrder::influence(const std::vector<bool>& above,
                                 const std::vector<bool>& below) const {
  const std::shared_ptr<const Places> high = places_of(above);
  const std::shared_ptr<const Places> low = places_of(below);
  Influence found{rows_at(*high), rows_at(*low), {}, {}, 0};
  const auto [wins, losses] =
      half_wins_ ? SharesBelow{half_wins_->shares(*high, below, static_cast<double>(low->size())),
                               half_wins_->shares(*low, above, static_cast<double>(high->size()))}
                 : shares_below(scores_at(*high), scores_at(*low));
  found.auc = std::accumulate(wins.begin(), wins.end(), 0.0) / static_cast<double>(wins.size());
  const double weight_above = weight_of_row(wins.size());
  const double weight_below = weight_of_row(losses.size());
  for (const double win : wins) found.of_above.push_back(weight_above * (win - found.auc));
  for (const double loss : losses) {
    found.of_below.push_back(weight_below * (1 - loss - found.auc));
  }
  return found;
}

AucEstimate estimate_auc(const Scored& scored, const AucSum& sum) {
  const RowsInOrder rows(scored);
  std::vector<double> influence(scored.rows(), 0.0);
  const Value value = sum.of(SortedCells(scored));
  if (!value.defined()) return {value, std::numeric_limits<double>::quiet_NaN()};
  for (const AucTerm& term : sum.terms) {
    const Influence of_term = rows.influence(rows.cells_of(term.above), rows.cells_of(term.below));
    of_term.add_to(influence, term.sign);
  }
  double variance = 0;
  for (const double psi : influence) variance += psi * psi;
  return {value, std::sqrt(variance)};
}

void Influence::add_to(std::span<double> of_row, double sign) const {
  for (std::size_t i = 0; i < above.size(); ++i) of_row[above[i]] += sign * of_above[i];
  for (std::size_t i = 0; i < below.size(); ++i) of_row[below[i]] += sign * of_below[i];
}

}  // namespace fairfront::metrics
