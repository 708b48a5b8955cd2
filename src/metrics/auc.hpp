/// @file
/// The area under the ROC curve between any two sets of rows, exact, and its standard error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metrics/cells_in_order.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// The rows of a label, of a group, of both, or all rows.
struct Subset {
  std::optional<bool> positive =
      std::nullopt;  ///< label above 0 (true), other labels (false), both
  std::optional<std::int32_t> group = std::nullopt;  ///< one group, or all

  [[nodiscard]] bool contains(bool label_positive, std::int32_t of_group) const noexcept {
    return (!positive || *positive == label_positive) && (!group || *group == of_group);
  }
  /// "row with label 1 in group 2", as messages name it.
  [[nodiscard]] std::string name() const;
};

/// Rows by label and group: those of a Subset, or of any cells (label, group).
class RowSet {
 public:
  RowSet(const Subset& subset) : subset_{subset} {}  // NOLINT: a Subset is a set of rows
  /// @param cells  whether label 0 of every group and then label 1 of every group is in the set.
  /// @param name   of such a row, as messages say it.
  RowSet(std::vector<bool> cells, std::string name)
      : cells_{std::move(cells)}, name_{std::move(name)} {}

  [[nodiscard]] bool contains(bool label_positive, std::int32_t of_group) const {
    if (cells_.empty()) return subset_.contains(label_positive, of_group);
    const std::size_t first = label_positive ? cells_.size() / 2 : 0;
    return cells_[first + static_cast<std::size_t>(of_group)];
  }
  [[nodiscard]] std::string name() const { return cells_.empty() ? subset_.name() : name_; }

 private:
  Subset subset_;
  std::vector<bool> cells_;  ///< empty: those of the subset
  std::string name_;
};

class RowsInOrder;

/// The pairs of rows in order of every two cells (label, group), of which each AUC is a sum.
class SortedCells {
 public:
  /// O(n log n) or better, O(n) where the rows come by ascending score; of some tens of groups
  /// beside it O(n groups), after which an AUC costs nothing. Of very many groups pairs are counted
  /// for each AUC.
  /// @throws base::InputError  a score is NaN
  explicit SortedCells(const Scored& scored) : SortedCells(scored, nullptr) {}
  /// The same without a sort. @param rows  of the same sample; null: there is none.
  SortedCells(const Scored& scored, const RowsInOrder* rows);

  [[nodiscard]] std::int64_t size(const RowSet& set) const;

  /// Pr(score of `above` > score of `below`) + half Pr(equal), over all pairs, a row with itself
  /// where the sets overlap. Undefined, with its name, if a set is empty. The number of pairs is
  /// counted in integers, so the only rounding is that of the quotient.
  [[nodiscard]] Value auc(const RowSet& above, const RowSet& below) const;

 private:
  template <class Visit>
  void for_each_cell(const RowSet& set, Visit visit) const;
  void sort(const Scored& scored, const RowsInOrder* rows);
  [[nodiscard]] std::uint64_t half_wins(std::size_t above, std::size_t below) const;

  std::int64_t groups_;
  std::vector<std::int64_t> rows_;  ///< of the cells: label 0 of every group, then label 1
  /// Two for a pair in order, one for a tie; shape (cells, cells), above and below. Of very many
  /// cells empty.
  std::vector<std::uint64_t> half_wins_;
  std::vector<std::vector<double>> scores_;  ///< of very many cells, ascending; else empty
};

/// The AUC between two sets of rows; see SortedCells::auc. O(n log n) or better.
[[nodiscard]] Value auc_between(const Scored& scored, const RowSet& above, const RowSet& below);

/// sign * AUC(above, below), a term of a difference of AUCs.
struct AucTerm {
  double sign = 1;
  RowSet above, below;
};

/// A signed sum of AUCs: constant + sum of the terms.
struct AucSum {
  std::vector<AucTerm> terms;
  double constant = 0;

  [[nodiscard]] Value of(const SortedCells& cells) const;
};

struct AucEstimate {
  Value value;
  double standard_error = 0;  ///< NaN where a set has fewer than two rows
};

/// A signed sum of AUCs and its standard error. The sets may overlap and need not be independent:
/// every row adds one influence value over all its roles,
///
///     psi = sum of sign (V - AUC) / sqrt(m (m - 1)),     se^2 = sum of psi^2,
///
/// V the share of the opposite set that lies below (above, for a row of `below`), ties one half,
/// and m the rows of its set. For one AUC of two disjoint sets this is the estimate of DeLong,
/// DeLong, Clarke-Pearson (1988). O(terms n log n).
[[nodiscard]] AucEstimate estimate_auc(const Scored& scored, const AucSum& sum);

/// What every row adds to the error of one AUC: psi above, by set.
struct Influence {
  std::vector<std::uint32_t> above, below;  ///< rows of the sets, by ascending score
  std::vector<double> of_above, of_below;   ///< psi of these; NaN in a set of fewer than two rows
  double auc = 0;

  void add_to(std::span<double> of_row, double sign) const;
};

/// The rows of a sample by ascending score, from which the error of each AUC is a few merges.
class RowsInOrder {
 public:
  explicit RowsInOrder(const Scored& scored);  ///< O(n) for many
  /// @param rows  of the sample.
  RowsInOrder(const Scored& scored, CellsInOrder rows);

  /// Which cells are in the set: label 0 of every group, then label 1.
  [[nodiscard]] std::vector<bool> cells_of(const RowSet& set) const;
  [[nodiscard]] double size_of(const std::vector<bool>& cells) const;
  /// Of the AUC between two sets, neither empty. O(rows of the sets), for sets of several cells
  /// O(n) at first. Of few groups without a merge.
  [[nodiscard]] Influence influence(const std::vector<bool>& above,
                                    const std::vector<bool>& below) const;
  [[nodiscard]] std::size_t rows() const noexcept { return in_order_.size(); }
  [[nodiscard]] const CellsInOrder& in_order() const noexcept { return in_order_; }
  /// Ascending, of the cells in the order of cells_of().
  [[nodiscard]] std::vector<std::vector<double>> scores_of_cells() const;

 private:
  using Places = std::vector<std::uint32_t>;  ///< in the order
  [[nodiscard]] std::shared_ptr<const Places> places_of(const std::vector<bool>& cells) const;
  [[nodiscard]] std::vector<double> scores_at(const Places& places) const;
  [[nodiscard]] std::vector<std::uint32_t> rows_at(const Places& places) const;

  std::int64_t groups_;
  CellsInOrder in_order_;
  std::vector<std::shared_ptr<const Places>> cells_;
  std::optional<HalfWins> half_wins_;  ///< of few cells
  /// Sets of several cells that were asked for, of a few times as many rows as there are.
  mutable std::map<std::vector<bool>, std::shared_ptr<const Places>> sets_;
  mutable std::size_t rows_in_sets_ = 0;
};

}  // namespace fairfront::metrics
