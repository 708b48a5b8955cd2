/// @file
/// What a family of solvers learns from: prepared features, groups, labels and parts. Every family
/// uses exactly this, or load_whole_set() where its rows have no parts:
///
///     const RawTable raw = load_raw(source, data_dir, allow_changed);  // once
///     const SupervisedSet set = prepare(raw, split_of(raw, split), preparation);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/fitted_preparation.hpp"
#include "data/load_raw.hpp"
#include "data/raw_table.hpp"
#include "data/sparse_rows.hpp"
#include "data/split.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::data {

/// How a real label of the set came from that of the table: divided, log(1 + x) if `log1p`, then
/// `scale`.
struct LabelTransform {
  bool log1p = false;
  Affine scale;
  double divisor = 1;
};

/// What preparing did to cells, in all parts together.
struct PreparationCounts {
  std::int64_t filled = 0;         ///< missing cells that got a value of the training rows, or 0
  std::int64_t unseen_levels = 0;  ///< cells with a level that the training rows do not hold
};

/// A prepared data set with parts.
struct SupervisedSet {
  /// All N rows in the order of the table. `label` is 0 or 1, a class or a number (see TargetKind);
  /// `split` are the codes 0 train, 1 validation, 2 test; the provenance's digest is that of the
  /// problem: data, split and preparation.
  Dataset set;
  Split split;
  TargetKind target = TargetKind::none;
  std::vector<std::string> class_names;  ///< binary, classes: what 0, 1, ... stand for
  std::vector<Affine> scaling;           ///< d: the last thing done to each column
  FittedPreparation fitted;              ///< makes features of rows that are not in the table
  LabelTransform label_transform;
  std::vector<GroupRule> group_rules;  ///< find the groups of such rows; empty: nobody knows how
  PreparationCounts counts;
  std::vector<std::string> warnings;  ///< of table, split and preparation, for the user

  [[nodiscard]] std::span<const std::int64_t> rows(Part part) const noexcept {
    return split.rows(part);
  }
  [[nodiscard]] const std::string& digest() const noexcept { return set.provenance.digest; }
};

/// Fills missing cells, takes logarithms, encodes categories and scales, in this order; whatever is
/// fitted is fitted on split.train, so no value of another row changes a training row's features.
/// Means and deviations are plain sums in ascending order of rows. There is never a column of ones:
/// an intercept is the model's affair.
///
/// @param raw    as load_raw() returns it.
/// @param split  of its rows.
/// @throws base::InputError  a column of log1p that is no numeric column or holds a value <= -1,
///         one without any value in the training rows, one whose sums overflow or whose squares
///         overflow or vanish, a scaling of labels
///         that are not real, more than 2^31 cells.
/// @throws std::invalid_argument  a field of `options` breaks its rule.
[[nodiscard]] SupervisedSet prepare(const RawTable& raw, const Split& split,
                                    const PreparationOptions& options);

/// The same where rows have no parts: all are training rows, and `set.split` stays empty.
[[nodiscard]] SupervisedSet prepare_whole(const RawTable& raw, const PreparationOptions& options);

}  // namespace fairfront::data
