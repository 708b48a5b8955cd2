/// @file
/// Which rows are for training, for validation (or unlabelled), for the test, and for certifying a
/// choice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "data/category.hpp"

namespace fairfront::data {

enum class Part : std::uint8_t { train, validation, test, choice };
inline constexpr std::size_t num_parts = 4;
/// "train", "validation", "test" or "choice".
[[nodiscard]] std::string_view name_of(Part part) noexcept;

/// What says to which part a row belongs.
enum class SplitRule {
  automatic,         ///< files where the data set has a test file of its own, else fractions
  fractions,         ///< a draw from all rows
  train_test_split,  ///< the same by scikit-learn, as papers' programs draw
  column,            ///< the names in a column of the file
  files,             ///< the data set's own test file
};
enum class Stratify { none, group, label, group_and_label };

/// The [split] section. Regression calls the validation part "unlabelled".
struct SplitOptions {
  SplitRule by = SplitRule::automatic;
  double validation = 0.2;  ///< share: of all rows (fractions), or of the training rows of the
                            ///< column or file; [0, 1)
  double test = 0.2;        ///< share of all rows; of no meaning but for fractions; [0, 1)
  double choice = 0;        ///< share, of what `validation` is one of; [0, 1)
  Stratify stratify = Stratify::none;
  std::int64_t split_seed = 1;
  std::vector<std::string> train_values{"train"};  ///< column: the names that mean training
  std::vector<std::string> validation_values{};    ///< column: empty: a share of the training rows
  std::vector<std::string> test_values{"test"};    ///< column
  std::vector<std::string> choice_values{};        ///< column: empty: a share of the training rows

  bool operator==(const SplitOptions& other) const = default;
};
[[nodiscard]] base::OptionTable options_of(SplitOptions& options);

/// The [split] section of experiments that learn from all rows where no part is asked for.
struct OptionalSplitOptions : SplitOptions {
  OptionalSplitOptions() { validation = test = 0; }
};
[[nodiscard]] base::OptionTable options_of(OptionalSplitOptions& options);
/// Whether any row is kept from the training.
[[nodiscard]] bool makes_parts(const SplitOptions& options) noexcept;

/// Whether more is said of the parts than from which seed they are drawn.
[[nodiscard]] bool asks_for_parts(const SplitOptions& options);

/// Every row is in exactly one part; the rows of a part ascend.
struct Split {
  std::vector<std::int64_t> train;       ///< empty only where nothing trains
  std::vector<std::int64_t> validation;  ///< empty only when not asked for
  std::vector<std::int64_t> test;        ///< empty only when not asked for
  std::vector<std::int64_t> choice;      ///< empty only when not asked for
  std::string digest;                    ///< SHA-256 of the lists; the last one if it has rows
  std::array<std::string, num_parts> lacking;  ///< warnings of groups or labels; empty: none
  /// Whether the rows of a part are drawn of those that a column or the data set's own files call
  /// training.
  std::array<bool, num_parts> of_training{};

  /// Of all parts that lack some.
  [[nodiscard]] std::vector<std::string> warnings() const;
  [[nodiscard]] std::span<const std::int64_t> rows(Part part) const noexcept;
};

/// What a split needs to know of N rows.
struct SplitSource {
  std::int64_t rows = 0;
  std::span<const std::int32_t> group;          ///< N values
  std::span<const std::string> group_names;     ///< J
  std::span<const std::int32_t> label_class{};  ///< N values, or empty: no label, or a real one
  std::span<const std::string> class_names{};   ///< C
  std::span<const std::int32_t> file{};  ///< N values: 0 training file, 1 test file; or empty
  const Category* column = nullptr;      ///< of rule column; N codes
  bool trains = true;                    ///< rows must be left for training; an audit needs none
};

/// Draws or reads the parts.
///
/// A draw shuffles the rows of each stratum (group, label, both, or all rows) with a stream of its
/// own, addressed by (split_seed, "split", stratum), and cuts the shuffled rows into training,
/// validation, test and choice rows. Sizes by the largest remainder: a stratum of n rows gives each
/// part the whole part of n times its share, and the rows left over go to the largest fractional
/// parts; of equal ones first to the part whose total is farthest below its share of the strata so
/// far, then in the order of the parts.
///
/// Rule train_test_split instead calls sklearn_split() twice with split_seed: for the training rows
/// against the others, a share of round(validation + test, 10), and then for the validation rows
/// against the test rows among those, a share of test over that; it knows no rows for a choice.
///
/// @throws base::InputError  shares that leave nothing for training, a part that was asked for and
///         is empty, a stratum without a row in such a part, rule column or files without one, a
///         name of the column that is in none or several of the lists.
[[nodiscard]] Split split_of(const SplitSource& source, const SplitOptions& options);

}  // namespace fairfront::data
