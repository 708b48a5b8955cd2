#include "metrics/auc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.hpp"
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

/// Of fewer cells the merges of their pairs cost less than an order of all rows; of more, a row of
/// counts for every cell costs more than the few pairs that are asked for.
constexpr std::size_t least_counted_cells = 10;
constexpr std::size_t most_counted_cells = 256;

constexpr std::uint64_t not_counted = std::numeric_limits<std::uint64_t>::max();

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
  if (rows_.size() >= least_counted_cells && rows_.size() <= most_counted_cells) {
    count(scored);
  } else {
    sort(scored, rows);
  }
}

std::uint32_t SortedCells::cell_of(const Scored& scored, std::size_t row) const {
  return static_cast<std::uint32_t>(scored.group[row] + (scored.label[row] > 0 ? groups_ : 0));
}

void SortedCells::sort(const Scored& scored, const RowsInOrder* rows) {
  if (rows_.size() < least_counted_cells) {
    half_wins_.assign(rows_.size() * rows_.size(), not_counted);
  }
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

/// Every row wins against those that came before it, once with and once without those of its score.
void SortedCells::count(const Scored& scored) {
  std::vector<std::int64_t> order;
  if (!std::ranges::is_sorted(scored.score)) order_ascending(scored.score, order);
  // In order, as the walk passes every row three times.
  std::vector<double> ascending(scored.rows());
  std::vector<std::uint32_t> cell(scored.rows());
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const std::size_t row = order.empty() ? i : static_cast<std::size_t>(order[i]);
    ascending[i] = scored.score[row];
    cell[i] = cell_of(scored, row);
  }
  const std::size_t cells = rows_.size();
  half_wins_.assign(cells * cells, 0);
  std::vector<std::uint64_t> before(cells, 0);
  const auto add_wins = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t* const wins = half_wins_.data() + cell[i] * cells;
      for (std::size_t c = 0; c < cells; ++c) wins[c] += before[c];
    }
  };
  for (std::size_t begin = 0; begin < cell.size();) {
    std::size_t end = begin + 1;
    while (end < cell.size() && ascending[end] == ascending[begin]) ++end;
    add_wins(begin, end);
    for (std::size_t i = begin; i < end; ++i) ++before[cell[i]];
    add_wins(begin, end);
    begin = end;
  }
}

std::uint64_t SortedCells::half_wins(std::size_t above, std::size_t below) const {
  if (half_wins_.empty()) return count_half_wins(scores_[above], scores_[below]);
  std::uint64_t& wins = half_wins_[above * rows_.size() + below];
  if (wins == not_counted) wins = count_half_wins_of(above, below);
  return wins;
}

/// Every pair is won by one of the two, or half by both.
std::uint64_t SortedCells::count_half_wins_of(std::size_t above, std::size_t below) const {
  const std::uint64_t pairs =
      static_cast<std::uint64_t>(rows_[above]) * static_cast<std::uint64_t>(rows_[below]);
  if (above == below) return pairs;
  const std::uint64_t losses = half_wins_[below * rows_.size() + above];
  if (losses != not_counted) return 2 * pairs - losses;
  return count_half_wins(scores_[above], scores_[below]);
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

RowsInOrder::RowsInOrder(const Scored& scored) : scored_{scored} {
  std::vector<std::int64_t> order;
  order_ascending(scored.score, order);
  order_.assign(order.begin(), order.end());
  std::vector<RankedSet> cells(static_cast<std::size_t>(2 * scored.groups));
  cell_in_order_.reserve(order_.size());
  for (const std::uint32_t row : order_) {
    const std::size_t cell = cell_of(row);
    cells[cell].rows.push_back(row);
    cells[cell].scores.push_back(scored.score[row]);
    cell_in_order_.push_back(static_cast<std::uint32_t>(cell));
  }
  for (RankedSet& cell : cells) {
    cells_.push_back(std::make_shared<const RankedSet>(std::move(cell)));
  }
}

std::size_t RowsInOrder::cell_of(std::uint32_t row) const {
  const std::int64_t first = scored_.label[row] > 0 ? scored_.groups : 0;
  return static_cast<std::size_t>(first + scored_.group[row]);
}

std::vector<std::vector<double>> RowsInOrder::scores_of_cells() const {
  std::vector<std::vector<double>> scores;
  for (const auto& cell : cells_) scores.push_back(cell->scores);
  return scores;
}

std::vector<bool> RowsInOrder::cells_of(const RowSet& set) const {
  std::vector<bool> cells;
  for (const bool positive : {false, true}) {
    for (std::int32_t g = 0; g < scored_.groups; ++g) cells.push_back(set.contains(positive, g));
  }
  return cells;
}

std::shared_ptr<const RowsInOrder::RankedSet> RowsInOrder::set_of(
    const std::vector<bool>& cells) const {
  if (std::ranges::count(cells, true) == 1) {
    return cells_[static_cast<std::size_t>(std::ranges::find(cells, true) - cells.begin())];
  }
  const auto known = sets_.find(cells);
  if (known != sets_.end()) return known->second;
  const auto set = std::make_shared<RankedSet>();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!cells[cell_in_order_[i]]) continue;
    set->rows.push_back(order_[i]);
    set->scores.push_back(scored_.score[order_[i]]);
  }
  if (rows_in_sets_ + set->rows.size() <= kept_sets * rows()) {
    rows_in_sets_ += set->rows.size();
    sets_.emplace(cells, set);
  }
  return set;
}

double RowsInOrder::size_of(const std::vector<bool>& cells) const {
  std::size_t rows = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) rows += cells[c] ? cells_[c]->rows.size() : 0;
  return static_cast<double>(rows);
}

Influence RowsInOrder::influence(const std::vector<bool>& above,
                                 const std::vector<bool>& below) const {
  const std::shared_ptr<const RankedSet> high = set_of(above);
  const std::shared_ptr<const RankedSet> low = set_of(below);
  Influence found{high->rows, low->rows, {}, {}, 0};
  const auto [wins, losses] = shares_below(high->scores, low->scores);
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
