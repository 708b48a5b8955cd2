/// @file
/// Differences of two AUCs as a config declares them, between sets of rows by label and group:
///
///     auc(label = 1 and group = g, label = 0) - auc(label = 1, label = 0 and group = g)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/auc.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// A difference of two AUCs of given groups.
struct ComparedRows {
  RowSet first_above, first_below, second_above, second_below;
  std::int32_t group = -1;  ///< what `g` stands for; -1: the sets name their groups
  std::int32_t other = -1;  ///< what `h` stands for; -1: no set has it

  /// AUC(first) - AUC(second); all rows against all rows are 1/2, also in its rounding.
  /// @param groups  of the data.
  [[nodiscard]] AucSum difference(std::int64_t groups) const;
};

/// Four sets of rows, each a list of alternatives ("or") of tests that must hold together ("and").
/// A test is `label = 0`, `label = 1`, `group = NAME` or `group = NUMBER`, or the same with `!=`;
/// `all` is the set of all rows. In the place of a group, `g` stands for the protected one of two
/// groups, the second, and `h` for the other. Of more groups they stand for each pair (in both
/// orders, where that makes another difference), and `g` without `h` for each group.
class DeclaredDifference {
 public:
  DeclaredDifference() = default;  ///< none: empty()
  /// @param text  as above; empty: none.
  /// @throws std::invalid_argument  with the rule that it breaks.
  explicit DeclaredDifference(std::string_view text);

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// What is compared where these are the groups.
  /// @throws base::InputError  a group that is not there or that a text names in two ways, a set
  ///         that no row can be in, two AUCs that are always equal. The message says no option.
  [[nodiscard]] std::vector<ComparedRows> compared(std::span<const std::string> groups) const;

 private:
  struct Test {
    bool of_label;
    bool equal;
    std::string value;
  };
  struct Set {
    std::vector<std::vector<Test>> any_of;
    std::string text;
  };
  struct Names;

  static Set read_set(std::string_view text);
  static Test read_test(std::string_view text);
  static std::vector<bool> cells_of(const Set& set, const Names& number_of);
  [[nodiscard]] ComparedRows compared(const Names& names) const;
  [[nodiscard]] bool has(std::string_view variable) const;

  std::string text_;
  std::vector<Set> sets_;  ///< G1, G1', G2, G2'
};

/// NAME_auc_gap, the largest absolute value, and NAME_auc_difference, the signed one, which is
/// undefined for more than one.
/// @param what  the differences are: "the difference of AUCs that .."
[[nodiscard]] std::vector<Measure> difference_measures(const std::string& name,
                                                       const std::string& what,
                                                       std::vector<AucSum> differences);

/// Of the differences of AUCs that a config declares: custom_auc_gap, custom_auc_difference.
[[nodiscard]] std::vector<Measure> declared_measures(std::vector<AucSum> differences);

}  // namespace fairfront::metrics
