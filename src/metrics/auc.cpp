#include "metrics/auc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "metrics/interval.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

/// How many pairs (a, b) have b < a, or b <= a. Both ascending. Without branches on the order of
/// the scores, which no processor foresees.
template <class Before>
std::uint64_t count_pairs(std::span<const double> above, std::span<const double> below,
                          Before before) {
  std::uint64_t pairs = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < above.size() && b < below.size()) {
    const bool next_below = before(below[b], above[a]);
    pairs += next_below ? 0 : b;
    b += static_cast<std::size_t>(next_below);
    a += static_cast<std::size_t>(!next_below);
  }
  return pairs + static_cast<std::uint64_t>(above.size() - a) * below.size();
}

/// Two for a pair in order, one for a tie.
std::uint64_t count_half_wins(std::span<const double> above, std::span<const double> below) {
  return count_pairs(above, below, [](double b, double a) { return b < a; }) +
         count_pairs(above, below, [](double b, double a) { return b <= a; });
}

std::string empty_set(const RowSet& set) { return fmt::format("no {}", set.name()); }

/// The scores of a set in order.
std::vector<double> sorted_scores(const Scored& scored, const RowSet& set) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    if (!set.contains(scored.label[i] > 0, scored.group[i])) continue;
    if (std::isnan(scored.score[i])) throw base::InputError(fmt::format("score {} is NaN", i));
    scores.push_back(scored.score[i]);
  }
  sort_ascending(scores);
  return scores;
}

/// Share of the ascending scores that lie below, ties one half.
double share_below(std::span<const double> scores, double score) {
  const auto [low, high] = std::equal_range(scores.begin(), scores.end(), score);
  return static_cast<double>((low - scores.begin()) + (high - scores.begin())) /
         (2 * static_cast<double>(scores.size()));
}

/// 1 / sqrt(m (m - 1)), NaN for m < 2.
double weight_of_row(std::size_t rows) {
  if (rows < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto m = static_cast<double>(rows);
  return 1 / std::sqrt(m * (m - 1));
}

/// Adds the term's part of every row's influence. @returns the AUC
Value add_influence(const Scored& scored, const AucTerm& term, std::vector<double>& influence) {
  const std::vector<double> above = sorted_scores(scored, term.above);
  const std::vector<double> below = sorted_scores(scored, term.below);
  if (above.empty()) return undefined(empty_set(term.above));
  if (below.empty()) return undefined(empty_set(term.below));
  const double auc = static_cast<double>(count_half_wins(above, below)) /
                     (2 * static_cast<double>(above.size()) * static_cast<double>(below.size()));
  const double weight_above = term.sign * weight_of_row(above.size());
  const double weight_below = term.sign * weight_of_row(below.size());
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const bool positive = scored.label[i] > 0;
    if (term.above.contains(positive, scored.group[i])) {
      influence[i] += weight_above * (share_below(below, scored.score[i]) - auc);
    }
    if (term.below.contains(positive, scored.group[i])) {
      influence[i] += weight_below * (1 - share_below(above, scored.score[i]) - auc);
    }
  }
  return defined(auc);
}

}  // namespace

std::string Subset::name() const {
  std::string text = "row";
  if (positive) text += fmt::format(" with label {}", *positive ? 1 : 0);
  if (group) text += fmt::format(" in group {}", *group);
  return text;
}

SortedCells::SortedCells(const Scored& scored)
    : groups_{scored.groups}, cells_(static_cast<std::size_t>(2 * scored.groups)) {
  bool nan = false;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    nan |= std::isnan(scored.score[i]);
    const std::int64_t cell = scored.group[i] + (scored.label[i] > 0 ? groups_ : 0);
    cells_[static_cast<std::size_t>(cell)].push_back(scored.score[i]);
  }
  if (nan) throw base::InputError("a score is NaN");
  for (auto& cell : cells_) sort_ascending(cell);
}

template <class Visit>
void SortedCells::for_each_cell(const RowSet& set, Visit visit) const {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const auto cell = static_cast<std::int64_t>(c);
    const bool positive = cell >= groups_;
    if (set.contains(positive, static_cast<std::int32_t>(positive ? cell - groups_ : cell))) {
      visit(cells_[c]);
    }
  }
}

std::int64_t SortedCells::size(const RowSet& set) const {
  std::int64_t rows = 0;
  for_each_cell(set, [&](const std::vector<double>& cell) { rows += std::ssize(cell); });
  return rows;
}

Value SortedCells::auc(const RowSet& above, const RowSet& below) const {
  const std::int64_t above_rows = size(above);
  const std::int64_t below_rows = size(below);
  if (above_rows == 0) return undefined(empty_set(above));
  if (below_rows == 0) return undefined(empty_set(below));
  std::uint64_t half_wins = 0;
  for_each_cell(above, [&](const std::vector<double>& a) {
    for_each_cell(below, [&](const std::vector<double>& b) { half_wins += count_half_wins(a, b); });
  });
  return defined(static_cast<double>(half_wins) /
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

AucEstimate estimate_auc(const Scored& scored, const AucSum& sum) {
  std::vector<double> influence(scored.rows(), 0.0);
  double value = sum.constant;
  for (const AucTerm& term : sum.terms) {
    const Value auc = add_influence(scored, term, influence);
    if (!auc.defined()) return {auc, std::numeric_limits<double>::quiet_NaN()};
    value += term.sign * auc.value;
  }
  double variance = 0;
  for (const double psi : influence) variance += psi * psi;
  return {defined(value), std::sqrt(variance)};
}

Interval interval_of(const Scored& scored, const AucSum& sum, double level, double lowest,
                     double highest) {
  const AucEstimate estimate = estimate_auc(scored, sum);
  if (!estimate.value.defined()) return {.undefined_reason = estimate.value.undefined_reason};
  return normal_interval(estimate.value.value, estimate.standard_error, level, lowest, highest);
}

}  // namespace fairfront::metrics
