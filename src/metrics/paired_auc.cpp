#include "metrics/paired_auc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "metrics/auc_differences.hpp"
#include "metrics/quantile.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

using Cells = std::vector<bool>;

/// Sets of cells by numbers: pairs of many groups have far more sets than differ.
class NumberedSets {
 public:
  NumberedSets() = default;
  NumberedSets(NumberedSets&&) = default;
  NumberedSets& operator=(NumberedSets&&) = default;
  std::size_t number_of(Cells set) {
    const auto [place, is_new] = numbers_.try_emplace(std::move(set), sets_.size());
    if (is_new) sets_.push_back(&place->first);
    return place->second;
  }
  [[nodiscard]] const Cells& operator[](std::size_t number) const { return *sets_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }

 private:
  std::unordered_map<Cells, std::size_t> numbers_;  // whose keys stay where they are
  std::vector<const Cells*> sets_;
};

/// The rows of every cell, label 0 of each group and then label 1, by number; and of each set of
/// cells the scores in order, sorted when first asked for.
class RankedRows {
 public:
  RankedRows(const Scored& scored, const std::vector<std::vector<std::uint32_t>>& rows,
             const NumberedSets& sets)
      : scored_{scored},
        rows_{rows},
        order_(rows.size()),
        sets_{sets},
        sorted_cells_(rows.size()),
        sorted_sets_(sets.size()) {}

  /// How much of the set lies below each row of the cell, ties one half; rows by number.
  std::vector<double> shares_below(std::size_t cell, std::size_t set) {
    const std::vector<std::int64_t>& rows = order(cell);
    const std::vector<double> in_order =
        metrics::shares_below(sorted_cell(cell), sorted_set(set)).of_first;
    std::vector<double> shares(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      shares[static_cast<std::size_t>(rows[i])] = in_order[i];
    }
    return shares;
  }

 private:
  const std::vector<std::int64_t>& order(std::size_t cell) {
    if (order_[cell].empty()) {
      std::vector<double> scores;
      for (const std::uint32_t row : rows_[cell]) scores.push_back(scored_.score[row]);
      order_ascending(scores, order_[cell]);
    }
    return order_[cell];
  }
  void add_scores(std::size_t cell, std::vector<double>& scores) const {
    for (const std::uint32_t row : rows_[cell]) scores.push_back(scored_.score[row]);
  }
  const std::vector<double>& sorted_cell(std::size_t cell) {
    std::vector<double>& scores = sorted_cells_[cell];
    if (scores.empty()) {
      add_scores(cell, scores);
      sort_ascending(scores);
    }
    return scores;
  }
  const std::vector<double>& sorted_set(std::size_t number) {
    std::vector<double>& scores = sorted_sets_[number];
    if (!scores.empty()) return scores;
    const Cells& set = sets_[number];
    for (std::size_t cell = 0; cell < set.size(); ++cell) {
      if (set[cell]) add_scores(cell, scores);
    }
    sort_ascending(scores);
    return scores;
  }

  const Scored& scored_;
  const std::vector<std::vector<std::uint32_t>>& rows_;
  std::vector<std::vector<std::int64_t>> order_;
  const NumberedSets& sets_;
  std::vector<std::vector<double>> sorted_cells_;
  std::vector<std::vector<double>> sorted_sets_;  ///< by number
};

/// A term of a sum, with the numbers of its sets and what is known of it in both models.
struct Term {
  double sign;
  std::size_t above, below;
  double rows_above = 0, rows_below = 0;
  std::array<double, 2> auc{};
};

std::vector<std::vector<std::uint32_t>> rows_by_cell(const Scored& scored) {
  std::vector<std::vector<std::uint32_t>> rows(static_cast<std::size_t>(2 * scored.groups));
  for (std::size_t row = 0; row < scored.rows(); ++row) {
    const std::int64_t first = scored.label[row] > 0 ? scored.groups : 0;
    rows[static_cast<std::size_t>(first + scored.group[row])].push_back(
        static_cast<std::uint32_t>(row));
  }
  return rows;
}

Cells cells_of(const RowSet& set, std::int64_t groups) {
  Cells cells;
  for (const bool positive : {false, true}) {
    for (std::int32_t g = 0; g < groups; ++g) cells.push_back(set.contains(positive, g));
  }
  return cells;
}

/// 1 / sqrt(m (m - 1)).
double weight_of_row(double m) { return 1 / std::sqrt(m * (m - 1)); }

/// What the rows of a cell add to a sum of both models, rows by number.
struct CellInfluence {
  std::size_t sum;
  std::array<std::vector<double>, 2> of_model;
};

/// Sums over cells of what their rows add, squared and multiplied.
class Errors {
 public:
  /// @param one_difference  what is asked for is the difference of the models in the one sum.
  Errors(PairedEstimates& found, std::size_t sums, bool one_difference)
      : found_{found}, one_difference_{one_difference}, variance_(sums), of_degrees_(sums) {}

  void add(const std::vector<CellInfluence>& influences) {
    if (influences.empty()) return;
    if (one_difference_) add_difference(influences.front().of_model);
    const std::size_t rows = influences.front().of_model[0].size();
    if (found_.of_same_alone) {
      for (const CellInfluence& influence : influences) add({&influence, 1}, rows);
    } else {
      add(influences, rows);
    }
  }

  /// Satterthwaite (1946), of the model with fewer; of one difference also its own, which hangs on
  /// few rows where few differ.
  /// @param unknown  where no row says anything.
  [[nodiscard]] double degrees(std::size_t sum, double unknown) const {
    const double of_models = degrees_of_models(sum);
    const double degrees = std::max(1.0, of_models > 0 ? of_models : unknown);
    return degrees_of_variance(of_difference_, spread_, degrees);
  }

 private:
  [[nodiscard]] double degrees_of_models(std::size_t sum) const {
    double fewest = 0;
    for (std::size_t model = 0; model < 2; ++model) {
      const double square = variance_[sum][model] * variance_[sum][model];
      const double degrees = square / of_degrees_[sum][model];
      if (square > 0 && (fewest == 0 || degrees < fewest)) fewest = degrees;
    }
    return fewest;
  }
  void add_difference(const std::array<std::vector<double>, 2>& of_model) {
    double squares = 0;
    double fourth_powers = 0;
    for (std::size_t row = 0; row < of_model[0].size(); ++row) {
      const double difference = of_model[0][row] - of_model[1][row];
      const double square = difference * difference;
      squares += square;
      fourth_powers += square * square;
    }
    of_difference_ += squares;
    spread_ += squares_spread(fourth_powers, squares, static_cast<double>(of_model[0].size()));
  }
  /// Of what is in one block, all with all.
  void add(std::span<const CellInfluence> influences, std::size_t rows) {
    const std::size_t columns = 2 * influences.size();
    std::vector<double> of_row(columns);
    std::vector<double> products(columns * columns, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < columns; ++i) of_row[i] = influences[i / 2].of_model[i % 2][row];
      for (std::size_t i = 0; i < columns; ++i) {
        double* const to = products.data() + i * columns;
        const double value = of_row[i];
        for (std::size_t j = 0; j <= i; ++j) to[j] += value * of_row[j];
      }
    }
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t a = influences[i / 2].sum;
        const std::size_t b = influences[j / 2].sum;
        const double product = products[i * columns + j];
        found_.covariance.at(a, static_cast<int>(i % 2), b, static_cast<int>(j % 2)) += product;
        if (i == j) continue;
        found_.covariance.at(b, static_cast<int>(j % 2), a, static_cast<int>(i % 2)) += product;
      }
      const double variance = products[i * columns + i];
      const std::size_t sum = influences[i / 2].sum;
      variance_[sum][i % 2] += variance;
      of_degrees_[sum][i % 2] += variance * variance / std::max(1.0, static_cast<double>(rows) - 1);
    }
  }

  PairedEstimates& found_;
  bool one_difference_;
  std::vector<std::array<double, 2>> variance_, of_degrees_;
  double of_difference_ = 0, spread_ = 0;  ///< the variance of the difference, and of that
};

/// The terms of all sums, and how small their smallest sets are.
struct Terms {
  std::vector<std::vector<Term>> of_sum;
  NumberedSets sets;
  std::vector<double> fewest;
  std::string missing;
};

Terms terms_of(std::span<const AucSum> sums, std::int64_t groups,
               const std::vector<std::vector<std::uint32_t>>& rows) {
  Terms found;
  for (const AucSum& sum : sums) {
    std::vector<Term>& terms = found.of_sum.emplace_back();
    double fewest = std::numeric_limits<double>::infinity();
    for (const AucTerm& term : sum.terms) {
      Term& next =
          terms.emplace_back(Term{term.sign, found.sets.number_of(cells_of(term.above, groups)),
                                  found.sets.number_of(cells_of(term.below, groups))});
      const auto count = [&](const RowSet& set, std::size_t number) {
        const Cells& cells = found.sets[number];
        double size = 0;
        for (std::size_t c = 0; c < cells.size(); ++c) {
          size += cells[c] ? static_cast<double>(rows[c].size()) : 0;
        }
        if (size == 0) found.missing = fmt::format("no {}", set.name());
        if (size == 1) found.missing = fmt::format("a single {}", set.name());
        fewest = std::min(fewest, size);
        return size;
      };
      next.rows_above = count(term.above, next.above);
      next.rows_below = count(term.below, next.below);
      if (!found.missing.empty()) return found;
    }
    found.fewest.push_back(fewest);
  }
  return found;
}

/// The sums' values in one model.
std::vector<Estimate> values_of(const Scored& scored, std::span<const AucSum> sums, Terms& terms,
                                std::size_t model) {
  const SortedCells cells(scored);
  std::vector<Estimate> values;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    base::stop_point();
    double value = sums[s].constant;
    for (std::size_t t = 0; t < sums[s].terms.size(); ++t) {
      const AucTerm& term = sums[s].terms[t];
      const double auc = cells.auc(term.above, term.below).value;
      terms.of_sum[s][t].auc[model] = auc;
      value += term.sign * auc;
    }
    values.push_back({.value = value, .law = Law::mean});
  }
  return values;
}

/// What the rows of a cell add to every sum that they are in.
class CellWork {
 public:
  CellWork(const Scored& first, const Scored& second,
           const std::vector<std::vector<std::uint32_t>>& rows, const Terms& terms)
      : models_{RankedRows(first, rows, terms.sets), RankedRows(second, rows, terms.sets)},
        rows_{rows},
        terms_{terms} {}

  std::vector<CellInfluence> influences(std::size_t cell) {
    std::vector<CellInfluence> found;
    std::array<std::unordered_map<std::size_t, std::vector<double>>, 2> shares;
    std::vector<bool> has_cell(terms_.sets.size());
    for (std::size_t set = 0; set < has_cell.size(); ++set) has_cell[set] = terms_.sets[set][cell];
    const std::vector<std::vector<Term>>& sums = terms_.of_sum;
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const bool in_sum = std::ranges::any_of(
          sums[s], [&](const Term& term) { return has_cell[term.above] || has_cell[term.below]; });
      if (!in_sum) continue;
      CellInfluence& next = found.emplace_back(CellInfluence{s, {}});
      for (std::size_t model = 0; model < 2; ++model) {
        std::vector<double>& psi = next.of_model[model];
        psi.assign(rows_[cell].size(), 0.0);
        const auto below = [&](std::size_t set) -> const std::vector<double>& {
          const auto known = shares[model].find(set);
          if (known != shares[model].end()) return known->second;
          return shares[model].emplace(set, models_[model].shares_below(cell, set)).first->second;
        };
        for (const Term& term : sums[s]) {
          if (has_cell[term.above]) {
            add(psi, below(term.below), term.sign * weight_of_row(term.rows_above),
                term.auc[model]);
          }
          if (has_cell[term.below]) {
            add(psi, below(term.above), -term.sign * weight_of_row(term.rows_below),
                1 - term.auc[model]);
          }
        }
      }
    }
    return found;
  }

 private:
  static void add(std::vector<double>& psi, const std::vector<double>& shares, double weight,
                  double mean) {
    for (std::size_t row = 0; row < psi.size(); ++row) psi[row] += weight * (shares[row] - mean);
  }

  std::array<RankedRows, 2> models_;
  const std::vector<std::vector<std::uint32_t>>& rows_;
  const Terms& terms_;
};

/// The AUC within every group.
std::vector<AucSum> within_groups(std::int64_t groups) {
  std::vector<AucSum> sums;
  for (std::int32_t g = 0; g < groups; ++g) {
    sums.push_back({{{1, Subset{true, g}, Subset{false, g}}}, 0});
  }
  return sums;
}

}  // namespace

PairedAucs paired_aucs(const Scored& first, const Scored& second, std::span<const AucSum> sums,
                       bool disjoint) {
  const bool each_alone = disjoint || sums.size() > most_with_covariance;
  PairedAucs found{{{}, {sums.size(), each_alone ? sums.size() : 1}}, {}};
  found.estimates.of_same_alone = each_alone && !disjoint;
  const std::vector<std::vector<std::uint32_t>> rows = rows_by_cell(first);
  Terms terms = terms_of(sums, first.groups, rows);
  found.missing = terms.missing;
  if (!found.missing.empty()) return found;
  found.estimates.of_model = {values_of(first, sums, terms, 0), values_of(second, sums, terms, 1)};
  Errors errors(found.estimates, sums.size(), disjoint && sums.size() == 1);
  CellWork work(first, second, rows, terms);
  for (std::size_t cell = 0; cell < rows.size(); ++cell) {
    base::stop_point();
    errors.add(work.influences(cell));
  }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const double fewest = terms.fewest[s];
    const double degrees = errors.degrees(s, fewest - 1);
    found.estimates.degrees.push_back(degrees);
    found.estimates.least.push_back(0.25 / (fewest * fewest));
    for (int model = 0; model < 2; ++model) {
      Estimate& estimate = found.estimates.of_model[static_cast<std::size_t>(model)][s];
      estimate.size = degrees + 1;
      estimate.standard_error = std::sqrt(std::max(
          found.estimates.covariance.of(s, model, s, model), found.estimates.least.back()));
    }
  }
  return found;
}

Interval paired_auc_interval(const Scored& first, const Scored& second, const AucSum& sum,
                             double level) {
  const PairedAucs aucs = paired_aucs(first, second, {&sum, 1}, true);
  if (!aucs.missing.empty()) return {.undefined_reason = aucs.missing};
  return paired_interval_of_largest(aucs.estimates, paired_values(aucs.estimates), level, -2, 2);
}

Interval paired_auc_gap_interval(const Scored& first, const Scored& second,
                                 std::span<const AucSum> sums, double level) {
  const PairedAucs aucs = paired_aucs(first, second, sums, false);
  if (!aucs.missing.empty()) return {.undefined_reason = aucs.missing};
  return paired_interval_of_largest(aucs.estimates, paired_absolute_values(aucs.estimates), level,
                                    -1, 1);
}

Interval paired_intra_group_interval(const Scored& first, const Scored& second, double level) {
  if (std::string alone = missing_pair(first.groups); !alone.empty()) {
    return {.undefined_reason = std::move(alone)};
  }
  const PairedAucs aucs = paired_aucs(first, second, within_groups(first.groups), true);
  if (!aucs.missing.empty()) return {.undefined_reason = aucs.missing};
  const auto groups = static_cast<std::size_t>(first.groups);
  return paired_interval_of_largest(aucs.estimates, paired_differences(aucs.estimates, groups),
                                    level, -1, 1);
}

Interval paired_worst_group_auc_interval(const Scored& first, const Scored& second, double level) {
  const PairedAucs aucs = paired_aucs(first, second, within_groups(first.groups), true);
  if (!aucs.missing.empty()) return {.undefined_reason = aucs.missing};
  const Interval negative =
      paired_interval_of_largest(aucs.estimates, paired_values(aucs.estimates, -1), level, -1, 1);
  return {-negative.high, -negative.low, {}};
}

Value delong_p_value(const Scored& first, const Scored& second) {
  const AucSum sum{{positives_above_negatives()}, 0};
  const PairedAucs aucs = paired_aucs(first, second, {&sum, 1}, true);
  if (!aucs.missing.empty()) return undefined(aucs.missing);
  const PairedEstimates& found = aucs.estimates;
  const double difference = found.of_model[0][0].value - found.of_model[1][0].value;
  if (difference == 0) return defined(1);
  const double variance = std::max(2 * found.least[0], found.covariance.of(0, 0, 0, 0) +
                                                           found.covariance.of(0, 1, 0, 1) -
                                                           2 * found.covariance.of(0, 0, 0, 1));
  const double degrees = found.degrees[0];
  const double square = difference * difference / variance;
  // Student's distribution function of both sides, by that of Beta.
  const double sum_of_both = degrees + square;
  return defined(incomplete_beta(degrees / 2, 0.5, degrees / sum_of_both, square / sum_of_both));
}

}  // namespace fairfront::metrics
