#include "data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/sklearn_split.hpp"
#include "data/small_groups.hpp"
#include "data/split_conditions.hpp"

namespace fairfront::data {
namespace {

using Rows = std::vector<std::int64_t>;
using PartCounts = std::array<std::int64_t, num_parts>;
using Shares = std::array<double, num_parts>;

constexpr std::array parts{Part::train, Part::validation, Part::test, Part::choice};
constexpr std::size_t index(Part part) { return static_cast<std::size_t>(part); }

/// Rows that share a group, a label or both.
struct Stratum {
  std::string name;
  Rows rows;
};

bool uses_group(Stratify stratify) {
  return stratify == Stratify::group || stratify == Stratify::group_and_label;
}
bool uses_label(Stratify stratify) {
  return stratify == Stratify::label || stratify == Stratify::group_and_label;
}

/// The cells of a partition by group, label or both, groups first; cells without rows are left out.
std::vector<Stratum> strata_of(const SplitSource& source, const Rows& rows, bool by_group,
                               bool by_label) {
  const std::size_t groups = by_group ? source.group_names.size() : 1;
  const std::size_t classes = by_label ? source.class_names.size() : 1;
  std::vector<Stratum> strata(groups * classes);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<std::string> names;
      if (by_group) names.push_back(fmt::format("group '{}'", source.group_names[g]));
      if (by_label) names.push_back(fmt::format("label '{}'", source.class_names[c]));
      strata[g * classes + c].name = base::join(names, " with ");
    }
  }
  for (const std::int64_t row : rows) {
    const auto i = static_cast<std::size_t>(row);
    const std::size_t g = by_group ? static_cast<std::size_t>(source.group[i]) : 0;
    const std::size_t c = by_label ? static_cast<std::size_t>(source.label_class[i]) : 0;
    strata[g * classes + c].rows.push_back(row);
  }
  std::erase_if(strata, [](const Stratum& stratum) { return stratum.rows.empty(); });
  return strata;
}

/// Sizes of parts by the largest remainder, over several strata.
class Apportionment {
 public:
  explicit Apportionment(const Shares& shares) : shares_{shares} {}

  PartCounts next(std::int64_t rows) {
    PartCounts counts{};
    Shares remainder{};
    std::int64_t left = rows;
    for (std::size_t p = 0; p < num_parts; ++p) {
      const double quota = static_cast<double>(rows) * shares_[p];
      // Rounding must not turn the 3 of 0.3 * 10 into a 2 with a large remainder.
      const double whole = std::floor(quota + tolerance);
      counts[p] = std::min(static_cast<std::int64_t>(whole), left);
      remainder[p] = shares_[p] > 0 ? quota - whole : -1;
      deficit_[p] += quota;
      left -= counts[p];
    }
    for (; left > 0; --left) give_one(counts, remainder);
    for (std::size_t p = 0; p < num_parts; ++p) deficit_[p] -= static_cast<double>(counts[p]);
    return counts;
  }

 private:
  static constexpr double tolerance = 1e-9;

  void give_one(PartCounts& counts, Shares& remainder) const {
    std::size_t best = 0;
    for (std::size_t p = 1; p < num_parts; ++p) {
      const double more = remainder[p] - remainder[best];
      const bool tie = std::abs(more) <= tolerance;
      if (tie ? deficit_[p] > deficit_[best] + tolerance : more > 0) best = p;
    }
    ++counts[best];
    remainder[best] -= 1;
  }

  Shares shares_;
  Shares deficit_{};  ///< of the total of each part, against its share of the strata so far
};

class Splitter {
  static constexpr double rounding = 1e-12;  // of shares that add up to 1

 public:
  Splitter(const SplitSource& source, const SplitOptions& options)
      : source_{source}, options_{options} {
    check_stratify();
  }

  Split split() {
    switch (rule()) {
      case SplitRule::column:
        by_column();
        break;
      case SplitRule::files:
        by_files();
        break;
      case SplitRule::train_test_split:
        by_train_test_split();
        break;
      default:
        by_fractions();
    }
    return finish();
  }

 private:
  [[nodiscard]] SplitRule rule() const {
    if (options_.by != SplitRule::automatic) {
      check_column(options_.by);
      return options_.by;
    }
    if (source_.column != nullptr) return SplitRule::column;
    return source_.file.empty() ? SplitRule::fractions : SplitRule::files;
  }

  /// Who names a column of parts wants it: rows of another draw would be tested on.
  void check_column(SplitRule by) const {
    if (source_.column == nullptr || by == SplitRule::column) return;
    throw base::InputError(
        fmt::format("data.split names a column of parts, which split.by = {} does not use: leave "
                    "out one of them",
                    by == SplitRule::files       ? "files"
                    : by == SplitRule::fractions ? "fractions"
                                                 : "train_test_split"));
  }

  void check_stratify() const {
    if (uses_label(options_.stratify) && source_.label_class.empty()) {
      throw base::InputError(
          "split.stratify: the data set has no label with classes; stratify by none or group");
    }
  }

  /// Of all rows: 0 where the other parts have them, but for rounding.
  [[nodiscard]] double train_share() const {
    const double share = 1 - options_.validation - options_.test - options_.choice;
    return share > rounding ? share : 0;
  }

  /// @param trains  rows must be left for training.
  void check_shares(bool trains) const {
    const double others = options_.validation + options_.test + options_.choice;
    if (trains ? train_share() > 0 : others < 1 + rounding) return;
    std::vector<std::string> shares{
        "split.validation = " + base::format_double(options_.validation),
        "split.test = " + base::format_double(options_.test)};
    if (options_.choice > 0) {
      shares.push_back("split.choice = " + base::format_double(options_.choice));
    }
    const std::string text = base::join(shares, " and ");
    throw base::InputError(
        trains ? fmt::format("{} leave no rows for training: their sum must be < 1", text)
               : fmt::format("{} are more than all rows: their sum must be <= 1", text));
  }

  [[nodiscard]] Rows all_rows() const {
    Rows all(static_cast<std::size_t>(source_.rows));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
  }

  void by_fractions() {
    check_shares(source_.trains);
    draw(all_rows(), {train_share(), options_.validation, options_.test, options_.choice});
    expected_ = {train_share() > 0, options_.validation > 0, options_.test > 0,
                 options_.choice > 0};
  }

  void by_train_test_split() {
    check_shares(true);
    if (options_.choice > 0) {
      throw base::InputError(
          "split.choice: split.by = train_test_split draws two parts beside the training rows, and "
          "no third one; use fractions");
    }
    const double rest_share = share_of_both();
    const auto strata = strata_of(source_, all_rows(), uses_group(options_.stratify),
                                  uses_label(options_.stratify));
    std::vector<std::int32_t> stratum(static_cast<std::size_t>(source_.rows));
    for (std::size_t s = 0; s < strata.size(); ++s) {
      for (const std::int64_t row : strata[s].rows) {
        stratum[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(s);
      }
    }
    const TwoParts first = draw_two(stratum, rest_share);
    split_.train = first.train;
    expected_ = {true, options_.validation > 0, options_.test > 0, false};
    if (options_.validation == 0 || options_.test == 0) {
      (options_.test > 0 ? split_.test : split_.validation) = first.test;
    } else {
      std::vector<std::int32_t> of_rest;
      for (const std::int64_t row : first.test) {
        of_rest.push_back(stratum[static_cast<std::size_t>(row)]);
      }
      const TwoParts second = draw_two(of_rest, options_.test / rest_share);
      for (const std::int64_t i : second.train) {
        split_.validation.push_back(first.test[static_cast<std::size_t>(i)]);
      }
      for (const std::int64_t i : second.test) {
        split_.test.push_back(first.test[static_cast<std::size_t>(i)]);
      }
    }
    if (strata.size() > 1) check_strata(strata, stratum);
  }

  /// Of validation and test part, as a person would write it: 0.3 for 0.1 and 0.2, whose sum as
  /// doubles is above it. In Python this is round(validation + test, 10).
  [[nodiscard]] double share_of_both() const {
    const double sum = options_.validation + options_.test;
    if (options_.validation == 0 || options_.test == 0) return sum;
    return base::parse_double(fmt::format("{:.10f}", sum)).value_or(sum);
  }

  [[nodiscard]] TwoParts draw_two(std::span<const std::int32_t> stratum, double share) const {
    if (options_.split_seed > std::numeric_limits<std::uint32_t>::max()) {
      throw base::InputError("split.split_seed must be below 2^32 for split.by = train_test_split");
    }
    base::stop_point();
    try {
      return sklearn_split(stratum, share, static_cast<std::uint32_t>(options_.split_seed));
    } catch (const std::invalid_argument&) {
      throw base::InputError(fmt::format(
          "split.by = train_test_split: {} rows are too few for two parts, of which one "
          "has a share of {}",
          stratum.size(), base::format_double(share)));
    }
  }

  /// @throws base::InputError  a stratum without a row in a part that was asked for.
  void check_strata(const std::vector<Stratum>& strata, std::span<const std::int32_t> stratum) {
    for (const Part each : parts) {
      if (!expected_[index(each)]) continue;
      std::vector<bool> present(strata.size(), false);
      for (const std::int64_t row : part(each)) {
        present[static_cast<std::size_t>(stratum[static_cast<std::size_t>(row)])] = true;
      }
      const auto absent = std::ranges::find(present, false);
      if (absent == present.end()) continue;
      fail_for(strata[static_cast<std::size_t>(absent - present.begin())], each);
    }
  }

  [[noreturn]] void fail_for(const Stratum& stratum, Part part) const {
    if (uses_group(options_.stratify)) refuse_groups_of_numbers(source_.group_names);
    throw base::InputError(fmt::format(
        "split.stratify: {} has {} rows, too few for one in the {} part; give that part a larger "
        "share, stratify by less, join small groups by data.group_map, or leave them out by "
        "data.where",
        stratum.name, stratum.rows.size(), name_of(part)));
  }

  void by_files() {
    if (source_.file.empty()) {
      throw base::InputError(
          "split.by = files: the data set has no test file of its own; name one by data.test_file, "
          "or use fractions "
          "or column");
    }
    std::vector<Part> part_of_file{Part::train, Part::test};
    std::vector<Part> part_of_row;
    for (const std::int32_t file : source_.file) {
      part_of_row.push_back(part_of_file[static_cast<std::size_t>(file)]);
    }
    take(part_of_row, {.validation = options_.validation, .choice = options_.choice});
    expected_ = {true, options_.validation > 0, true, options_.choice > 0};
  }

  void by_column() {
    if (source_.column == nullptr) {
      throw base::InputError("split.by = column needs data.split, the name of that column");
    }
    check_values();
    std::vector<Part> part_of_level;
    for (std::size_t level = 0; level < source_.column->levels.size(); ++level) {
      part_of_level.push_back(part_of_level_of_column(level));
    }
    std::vector<Part> part_of_row;
    for (const std::int32_t code : source_.column->codes) {
      part_of_row.push_back(part_of_level[static_cast<std::size_t>(code)]);
    }
    const bool names_validation = !options_.validation_values.empty();
    const bool names_choice = !options_.choice_values.empty();
    const Drawn drawn{.validation = names_validation ? 0 : options_.validation,
                      .choice = names_choice ? 0 : options_.choice};
    take(part_of_row, drawn);
    expected_ = {source_.trains, names_validation || drawn.validation > 0,
                 !options_.test_values.empty(), names_choice || drawn.choice > 0};
  }

  /// Values that were named must be there; those that a part has by itself need not.
  void check_values() const {
    const SplitOptions own;
    const auto check = [&](const char* option, const std::vector<std::string>& values,
                           const std::vector<std::string>& by_itself) {
      if (values == by_itself) return;
      for (const std::string& value : values) {
        if (std::ranges::count(source_.column->levels, value) > 0) continue;
        throw base::InputError(fmt::format(
            "split.{} names '{}', which no row has in the column of parts", option, value));
      }
    };
    check("train_values", options_.train_values, own.train_values);
    check("validation_values", options_.validation_values, own.validation_values);
    check("test_values", options_.test_values, own.test_values);
    check("choice_values", options_.choice_values, own.choice_values);
  }

  [[nodiscard]] Part part_of_level_of_column(std::size_t level) const {
    const std::string& name = source_.column->levels[level];
    const std::array lists{&options_.train_values, &options_.validation_values,
                           &options_.test_values, &options_.choice_values};
    std::optional<Part> part;
    for (const Part candidate : parts) {
      if (std::ranges::count(*lists[index(candidate)], name) == 0) continue;
      if (part) {
        throw base::InputError(
            fmt::format("split: '{}' is among the values of two parts, {} and {}", name,
                        name_of(*part), name_of(candidate)));
      }
      part = candidate;
    }
    if (part) return *part;
    throw base::InputError(
        fmt::format("split.by = column: the cell in line {} of the column of parts is in none of "
                    "split.train_values, split.validation_values, split.test_values and "
                    "split.choice_values",
                    source_.column->first_line[level]));
  }

  /// Shares of the training rows of a column or file.
  struct Drawn {
    double validation;
    double choice;
  };

  /// Rows whose part is given; of the training rows shares may be drawn for other parts.
  void take(const std::vector<Part>& part_of_row, const Drawn& drawn) {
    Rows train;
    for (std::size_t i = 0; i < part_of_row.size(); ++i) {
      Rows& rows = part_of_row[i] == Part::train ? train : part(part_of_row[i]);
      rows.push_back(static_cast<std::int64_t>(i));
    }
    if (!(drawn.validation + drawn.choice < 1)) {
      throw base::InputError(
          fmt::format("split.validation = {} and split.choice = {} leave no rows for training: "
                      "their sum must be < 1",
                      base::format_double(drawn.validation), base::format_double(drawn.choice)));
    }
    draw(train, {1 - drawn.validation - drawn.choice, drawn.validation, 0, drawn.choice});
    split_.of_training = {false, drawn.validation > 0, false, drawn.choice > 0};
  }

  void draw(const Rows& rows, const Shares& shares) {
    const bool by_group = uses_group(options_.stratify);
    const bool by_label = uses_label(options_.stratify);
    const auto seed = static_cast<std::uint64_t>(options_.split_seed);
    Apportionment sizes(shares);
    std::uint64_t number = 0;
    for (Stratum& stratum : strata_of(source_, rows, by_group, by_label)) {
      base::stop_point();
      base::Stream stream({seed, "split", "rows"}, number++);
      stream.shuffle(std::span{stratum.rows});
      const PartCounts counts = sizes.next(static_cast<std::int64_t>(stratum.rows.size()));
      auto from = stratum.rows.begin();
      for (const Part each : parts) {
        if (shares[index(each)] > 0 && counts[index(each)] == 0 && (by_group || by_label)) {
          fail_for(stratum, each);
        }
        const auto until = from + counts[index(each)];
        part(each).insert(part(each).end(), from, until);
        from = until;
      }
    }
  }

  [[nodiscard]] Rows& part(Part which) {
    switch (which) {
      case Part::train:
        return split_.train;
      case Part::validation:
        return split_.validation;
      case Part::test:
        return split_.test;
      case Part::choice:
        break;
    }
    return split_.choice;
  }

  Split finish() {
    base::Sha256 hash;
    for (const Part each : parts) {
      Rows& rows = part(each);
      base::stop_point();
      std::ranges::sort(rows);
      if (rows.empty() && expected_[index(each)]) {
        throw base::InputError(fmt::format(
            "split: the {} part has no rows (of {} in all): give more rows, or another share",
            name_of(each), source_.rows));
      }
      // Where nobody asks for it, the digest is that of the other parts.
      if (each == Part::choice && rows.empty()) continue;
      hash.add_values(std::span<const std::int64_t>{rows});
    }
    split_.digest = hash.finish();
    for (const Part each : parts) {
      base::stop_point();
      warn_of_absent(each);
    }
    return std::move(split_);
  }

  /// Groups, and labels within groups, that occur in the data but not in this part.
  void warn_of_absent(Part which) {
    const Rows& rows = part(which);
    if (rows.empty()) return;
    const bool by_label = !source_.label_class.empty();
    const auto wanted = strata_of(source_, all_rows(), true, by_label);
    std::unordered_set<std::string> present;
    for (Stratum& stratum : strata_of(source_, rows, true, by_label)) {
      present.insert(std::move(stratum.name));
    }
    std::vector<std::string> absent;
    for (const Stratum& stratum : wanted) {
      if (!present.contains(stratum.name)) absent.push_back(base::excerpt(stratum.name));
    }
    if (absent.empty()) return;
    constexpr std::size_t most_named = 6;
    const std::size_t more = absent.size() - std::min(absent.size(), most_named);
    absent.resize(std::min(absent.size(), most_named));
    if (more > 0) absent.push_back(fmt::format("and {} more", more));
    split_.lacking[index(which)] =
        fmt::format("the {} part has no row of {}", name_of(which), base::join(absent, ", "));
  }

  const SplitSource& source_;
  const SplitOptions& options_;
  Split split_;
  std::array<bool, num_parts> expected_{};
};

/// Whether the parts of a catalogued set are files of its own.
/// @param first_task  of the set, where none is named; else its first one.
bool has_test_file(std::string_view data, std::string_view task, std::string_view first_task) {
  const auto sets = catalogue();
  const auto set = std::ranges::find(sets, data, &CatalogueEntry::name);
  if (set == sets.end() || set->tasks.empty()) return false;
  const auto named =
      std::ranges::find(set->tasks, task.empty() ? first_task : task, &SupervisedTask::name);
  const SupervisedTask& taken = named == set->tasks.end() ? set->tasks.front() : *named;
  return taken.published_test_file.has_value();
}

base::Condition no_column() { return base::is("by", {"automatic"}) && base::empty("data.split"); }

base::Condition no_files(const char* first_task) {
  return base::empty("data.test_file") &&
         base::where(
             {"data.data", "data.task"},
             [first_task](auto values) { return !has_test_file(values[0], values[1], first_task); },
             "{} has no test file");
}

base::Condition drawn_whole(const char* first_task) {
  return base::is("by", {"fractions", "train_test_split"}) || (no_column() && no_files(first_task));
}

/// Which options the rule makes void, as far as the program's own catalogue says it.
void add_conditions(base::OptionTable& table, const char* first_task) {
  using base::above;
  using base::empty;
  using base::given;
  using base::is;
  using base::is_not;
  const base::Condition by_column =
      (is("by", {"column"}) || (is("by", {"automatic"}) && given("data.split")))
          .called("by = column, or data.split is given and by = automatic");
  const base::Condition other_rule = is_not("by", {"automatic", "column"}) || no_column();
  const base::Condition drawn_validation = other_rule || empty("validation_values");
  const base::Condition drawn_choice = other_rule || empty("choice_values");
  table.only_if({"test"},
                drawn_whole(first_task).called("neither a column nor files have the test part"),
                "a column or a file of the data set says which rows are the test part");
  table.only_if(
      {"split_seed", "stratify"},
      ((above("validation", 0) && drawn_validation) || (above("choice", 0) && drawn_choice) ||
       (above("test", 0) && drawn_whole(first_task)))
          .called("rows of a part are drawn"),
      "split draws no rows");
  table.only_if({"validation"}, drawn_validation.called("validation_values does not name the part"),
                "split.validation_values says which rows are the validation part");
  table.only_if({"choice"}, drawn_choice.called("choice_values does not name the part"),
                "split.choice_values says which rows are the choice part");
  table.only_if({"train_values", "validation_values", "test_values", "choice_values"}, by_column,
                "they are for a column of parts, which data.split names");
}

}  // namespace

std::vector<std::string> Split::warnings() const {
  std::vector<std::string> all;
  for (const std::string& warning : lacking) {
    if (!warning.empty()) all.push_back(warning);
  }
  return all;
}

std::string_view name_of(Part part) noexcept {
  constexpr std::array<std::string_view, num_parts> names{"train", "validation", "test", "choice"};
  return names[index(part)];
}

std::span<const std::int64_t> Split::rows(Part part) const noexcept {
  switch (part) {
    case Part::train:
      return train;
    case Part::validation:
      return validation;
    case Part::test:
      return test;
    case Part::choice:
      break;
  }
  return choice;
}

static base::OptionTable table_of(SplitOptions& options, const char* first_task) {
  base::OptionTable table("split");
  table.add_choice<SplitRule>(
      "by", options.by,
      {{"automatic", SplitRule::automatic},
       {"fractions", SplitRule::fractions},
       {"train_test_split", SplitRule::train_test_split},
       {"column", SplitRule::column},
       {"files", SplitRule::files}},
      "The parts are made in this way: by a draw by fractions; by the same draw as scikit-learn's "
      "train_test_split, first the training rows and then the others, test_size being validation + "
      "test and then test / (validation + test); by the column data.split; or "
      "by the data set's own training and test files. automatic means the column where data.split "
      "names one, files where there are two, else fractions.");
  table.add("validation", options.validation, base::between(0.0, 1.0), "",
            "This share of the rows is for validation, or in regression is unlabelled: of all "
            "rows, or of the training rows of the column or file. With 0 there is no such part.");
  table.add("test", options.test, base::between(0.0, 1.0), "",
            "This share of all rows is for the test, where parts are drawn by fractions. With 0 "
            "there is no such part.");
  table.add(
      "choice", options.choice, base::between(0.0, 1.0), "",
      "On this share of the rows `fairfront choose --confidence` tests bounds, of what validation "
      "is a share of; nothing is fitted, tuned or reported there. With 0 there is no such part.");
  table.add_choice<Stratify>("stratify", options.stratify,
                             {{"none", Stratify::none},
                              {"group", Stratify::group},
                              {"label", Stratify::label},
                              {"group_and_label", Stratify::group_and_label}},
                             "Every part that is drawn has the same shares of groups, of labels, "
                             "or of groups and labels together; with none that is left to chance.");
  table.add("split_seed", options.split_seed, base::at_least<std::int64_t>(0), "",
            "The parts are drawn from this seed.");
  table.assign_role(base::Role::replicate, {"split_seed"});
  table.add("train_values", options.train_values,
            "These values of the column mean the training part.");
  table.add("validation_values", options.validation_values,
            "These values of the column mean the validation part; where there are none, it is a "
            "share of the training rows.");
  table.add("test_values", options.test_values, "These values of the column mean the test part.");
  table.add("choice_values", options.choice_values,
            "These values of the column mean the choice part; where there are none, it is a share "
            "of the training rows.");
  add_conditions(table, first_task);
  return table;
}

base::OptionTable options_of(SplitOptions& options) { return table_of(options, ""); }

base::OptionTable options_of(OptionalSplitOptions& options) {
  base::OptionTable table = table_of(options, "numeric");  // as alternating takes it
  table.only_if({"by", "train_values", "validation_values", "test_values", "choice_values"},
                (base::is("by", {"column", "files"}) || base::given("data.split") ||
                 base::given("data.test_file") || base::above("validation", 0) ||
                 base::above("test", 0) || base::above("choice", 0))
                    .called("by = column or files, data.split or data.test_file is given, or a "
                            "share is above 0"),
                "the section asks for no part");
  return table;
}

bool makes_parts(const SplitOptions& options) noexcept {
  const bool from_data = options.by == SplitRule::column || options.by == SplitRule::files;
  return from_data || options.validation > 0 || options.test > 0 || options.choice > 0;
}

bool asks_for_parts(const SplitOptions& options) {
  SplitOptions unasked;
  unasked.split_seed = options.split_seed;
  return options != unasked;
}

base::Condition parts_are_asked_for() {
  SplitOptions unasked;
  const base::OptionTable table = options_of(unasked);
  std::vector<std::string> names, standards;
  for (const base::OptionInfo& info : table.infos()) {
    if (info.name == "split_seed") continue;
    names.push_back("split." + info.name);
    standards.push_back(table.get(info.name));
  }
  const auto asks = [standards](auto values) { return !std::ranges::equal(values, standards); };
  return (base::given("data.split") || base::given("data.test_file") ||
          base::where(
              {"data.data", "data.task"},
              [](auto values) { return has_test_file(values[0], values[1], ""); },
              "{} has a test file") ||
          base::where(names, asks, "[split] asks for parts"))
      .called("[split] or the data set asks for parts");
}

base::Condition parts_are_drawn_of_all_rows() {
  return drawn_whole("")
      .renamed([](const std::string& name) {
        return name.find('.') == name.npos ? "split." + name : name;
      })
      .called("parts are drawn of all rows");
}

Split split_of(const SplitSource& source, const SplitOptions& options) {
  base::validate(options);
  return Splitter(source, options).split();
}

}  // namespace fairfront::data
