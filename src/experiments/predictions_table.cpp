#include "experiments/predictions_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/category_numbers.hpp"
#include "data/cell_text.hpp"
#include "data/column_fit.hpp"
#include "data/load_raw.hpp"
#include "data/shared_fields.hpp"
#include "data/small_groups.hpp"

namespace fairfront::experiments {
namespace {

using data::RawTable;
using data::TargetChoice;
using data::TargetKind;
using metrics::Needs;

/// A real label of so few values may be classes that nobody has told apart.
constexpr std::size_t few_values = 10;

void check_options(const data::SupervisedOptions& data, const PredictionsOptions& options) {
  const auto require = [](bool holds, std::string_view rule) {
    if (!holds) throw base::InputError(std::string{rule});
  };
  require(!options.score.empty(),
          "predictions.score must name the column of scores, decisions or predictions");
  require(options.score != data.label,
          "predictions.score and data.label name the same column: nothing is left to audit");
  require(options.reference.empty() || options.reference != data.label,
          "predictions.reference and data.label name the same column: nothing is compared");
  require(data.features.empty(), "data.features must be empty: predictions.score names the column");
  require(data.data != "libsvm", "the columns of a libsvm file have no names: use csv or arff");
  require(data.missing_rule != data::MissingPolicy::mean &&
              data.missing_rule != data::MissingPolicy::zero,
          "data.missing_rule must be error or drop: a prediction cannot be filled in");
}

/// Moves the column to that place of the first columns.
/// @throws base::InputError  there is none of that name.
void place_column(RawTable& raw, std::size_t place, const std::string& name,
                  std::string_view option, const std::string& table) {
  const auto found = std::ranges::find(raw.columns, name, &data::RawColumn::name);
  if (found != raw.columns.end()) {
    std::swap(raw.columns[place], *found);
    return;
  }
  std::vector<std::string> names;
  for (const data::RawColumn& column : raw.columns) names.push_back(column.name);
  throw base::InputError(fmt::format("predictions.{} = '{}' is no column of '{}'{}", option, name,
                                     table, base::name_hint(name, names)));
}

/// A column that was read as names, as predictions.positive asks for it.
struct NamedColumn {
  const data::RawColumn& column;
  std::string_view option;  ///< that names it
  const std::vector<std::string>& positive;
};

[[noreturn]] void refuse_values(const NamedColumn& named, std::string_view what) {
  constexpr std::size_t most_shown = 20;  // more are no decisions, but perhaps something personal
  const std::vector<std::string>& levels = named.column.names.levels;
  throw base::InputError(fmt::format(
      "predictions.{}: column '{}' holds {}, of which predictions.positive = {} is none: name "
      "those that mean decision 1{}",
      named.option, named.column.name, what, base::format_list(named.positive),
      levels.size() > most_shown ? fmt::format(", of {} different ones", levels.size())
                                 : base::name_hint(named.positive.front(), levels)));
}

/// Whether the column of one value, which is not among those that mean 1, may be that of a model
/// that denies everybody: both are names or both whole numbers, and none is the other misspelt.
bool may_deny_everybody(const NamedColumn& named) {
  const std::vector<std::string>& levels = named.column.names.levels;
  if (levels.size() != 1) return false;
  const auto is_code = [](const std::string& value) {
    return data::whole_number(value).has_value();
  };
  if (is_code(levels[0])) return std::ranges::any_of(named.positive, is_code);
  return !base::parse_double(levels[0]) &&
         std::ranges::none_of(named.positive, [&](const std::string& value) {
           return base::nearest_name(value, levels).has_value();
         });
}

/// Whether numbers of which none means 1 are what they are: decisions of 0 and 1, or scores.
bool are_themselves(const data::Category& names, std::span<const double> numbers) {
  return names.levels.size() > 2 ||
         std::ranges::all_of(numbers, [](double value) { return value >= 0 && value <= 1; });
}

/// Where predictions.positive is not used, though it may have been meant for this column.
/// @param decides  one of the numbers means 1.
std::string remark_of_numbers(const NamedColumn& named, std::span<const double> numbers,
                              bool decides) {
  const bool decisions =
      std::ranges::all_of(numbers, [](double value) { return value == 0 || value == 1; });
  const std::string positive = base::format_list(named.positive);
  if (!decides && decisions) {
    return fmt::format(
        "column '{}' holds decisions of 0 and 1 and is read as such: none of its values is "
        "predictions.positive = {}",
        named.column.name, positive);
  }
  if (decides) {
    return fmt::format(
        "column '{}' holds more than two numbers and is read as scores: predictions.positive = {} "
        "is for columns of two values",
        named.column.name, positive);
  }
  const auto is_number = [](const std::string& value) {
    return base::parse_double(value).has_value();
  };
  if (std::ranges::none_of(named.positive, is_number)) return {};  // it is of another column
  return fmt::format(
      "column '{}' holds numbers and is read as scores: none of its values is written as "
      "predictions.positive = {}",
      named.column.name, positive);
}

/// Decisions of a column that was read as names: 1 where the name is among those that mean it. Its
/// levels stay, for rows that come later. A column of more than two numbers holds those.
/// @return what is to be said of them, or "".
/// @throws base::InputError  values of which none means 1, or decisions that all do.
std::string read_decisions(data::RawColumn& column, const std::vector<std::string>& positive,
                           std::string_view option) {
  const NamedColumn named{column, option, positive};
  data::Category& names = column.names;
  auto numbers = data::as_numbers(names);
  const auto means_one = [&](const std::string& level) { return means_decision(positive, level); };
  const bool decides = std::ranges::any_of(names.levels, means_one);
  std::string remark;
  if (numbers && (names.levels.size() > 2 || (!decides && are_themselves(names, *numbers)))) {
    remark = remark_of_numbers(named, *numbers, decides);
    column.categorical = false;
    column.numbers = *std::move(numbers);
    names = {};
    return remark;
  }
  if (!decides) {
    if (!may_deny_everybody(named)) refuse_values(named, numbers ? "numbers" : "names");
    remark = fmt::format(
        "column '{}' holds '{}' alone, which is not predictions.positive = {}: it is read as "
        "decision 0 for everybody",
        column.name, base::excerpt(names.levels[0]), base::format_list(positive));
  }
  if (names.levels.size() > 1 && std::ranges::all_of(names.levels, means_one)) {
    throw base::InputError(
        fmt::format("predictions.{}: every value of column '{}' is among those of "
                    "predictions.positive, and so none would be decided 0",
                    option, column.name));
  }
  column.categorical = false;
  for (const std::int32_t code : names.codes) {
    column.numbers.push_back(means_one(names.levels[static_cast<std::size_t>(code)]) ? 1 : 0);
  }
  names.codes.clear();
  return remark;
}

/// The table with the column that is audited, and behind it that of the reference, if there is one.
RawTable load_table(data::SupervisedOptions data, const PredictionsOptions& options,
                    const sweep::RunContext& context) {
  check_options(data, options);
  if (!data::is_generated(data.data)) {
    data.features = {options.score};
    if (has_reference(options)) data.features.push_back(options.reference);
    data.categorical.clear();
    if (!options.positive.empty()) data.categorical = data.features;
  }
  const bool automatic = data.target == TargetChoice::automatic;
  if (automatic && options.kind != PredictionKind::automatic) {
    const bool real = options.kind == PredictionKind::prediction;
    data.target = real ? TargetChoice::real : TargetChoice::binary;
  }
  RawTable raw = data::load_raw(data, context.data_dir, context.allow_changed_data);
  place_column(raw, 0, options.score, "score", data.data);
  if (has_reference(options)) place_column(raw, 1, options.reference, "reference", data.data);
  raw.columns.resize(has_reference(options) ? 2 : 1);
  for (std::size_t i = 0; i < raw.columns.size(); ++i) {
    if (!raw.columns[i].categorical) continue;
    std::string remark =
        read_decisions(raw.columns[i], options.positive, i == 0 ? "score" : "reference");
    if (!remark.empty()) raw.warnings.push_back(std::move(remark));
  }
  if (automatic && raw.target == TargetKind::real && options.kind == PredictionKind::automatic &&
      std::set<double>(raw.label.begin(), raw.label.end()).size() <= few_values) {
    throw base::InputError(fmt::format(
        "the label '{}' has 3 to {} different numbers: data.positive, data.label_map or a "
        "comparison such as {} > 1 make two classes of them, data.target = real keeps them",
        raw.label_name, few_values, raw.label_name));
  }
  return raw;
}

void check_label(const RawTable& raw, PredictionKind kind) {
  if (raw.target == TargetKind::none) {
    throw base::InputError("data.label must name the column of true labels");
  }
  if (raw.target == TargetKind::classes) {
    throw base::InputError(fmt::format(
        "the label '{}' has {} classes, must have 2: data.positive says which ones are 1",
        raw.label_name, raw.class_names.size()));
  }
  const bool real = raw.target == TargetKind::real;
  if (kind == PredictionKind::automatic || real == (kind == PredictionKind::prediction)) return;
  throw base::InputError(fmt::format("predictions.kind = {}, but the label '{}' is {}",
                                     real ? "decision, score or probability" : "prediction",
                                     raw.label_name, data::name_of(raw.target)));
}

/// What the values of a column are, or whether they are what the options say.
Needs kind_of(const RawTable& raw, const data::RawColumn& column, PredictionKind wanted) {
  const std::vector<double>& values = column.numbers;
  const bool decisions =
      std::ranges::all_of(values, [](double value) { return value == 0 || value == 1; });
  const bool probabilities =
      std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; });
  const auto require = [&](bool holds, std::string_view kind, std::string_view rule) {
    if (holds) return;
    throw base::InputError(fmt::format("predictions.kind = {}, but column '{}' has values {}", kind,
                                       column.name, rule));
  };
  switch (wanted) {
    case PredictionKind::decision:
      require(decisions, "decision", "other than 0 and 1");
      return Needs::decision;
    case PredictionKind::probability:
      require(probabilities, "probability", "outside [0, 1]");
      return Needs::probability;
    case PredictionKind::score:
      return Needs::score;
    case PredictionKind::prediction:
      return Needs::prediction;
    case PredictionKind::automatic:
      break;
  }
  if (raw.target == TargetKind::real) return Needs::prediction;
  if (decisions) return Needs::decision;
  return probabilities ? Needs::probability : Needs::score;
}

void check_numbers(const data::RawColumn& column, std::string_view option) {
  if (column.categorical) {
    throw base::InputError(
        fmt::format("predictions.{}: column '{}' must hold numbers", option, column.name));
  }
  const bool all = std::ranges::all_of(column.numbers, [](double v) { return std::isfinite(v); });
  if (all) return;
  throw base::InputError(fmt::format(
      "predictions.{}: column '{}' has missing cells; data.missing_rule = drop leaves their "
      "rows out",
      option, column.name));
}

/// Measures compare every pair of groups: of a column such as a name they would never come to an
/// end.
void check_groups(const RawTable& raw) {
  constexpr std::size_t most = 500;
  if (raw.group_names.size() <= most) return;
  data::refuse_groups_of_numbers(raw.group_names);
  throw base::InputError(fmt::format(
      "data.sensitive makes {} groups: an audit compares each with each, and takes {} at "
      "most; data.group_map joins levels",
      raw.group_names.size(), most));
}

/// Of the label and of all that is audited.
void check_squares_of(const RawTable& raw) {
  data::check_squares(raw.label, raw.label_name);
  for (const data::RawColumn& column : raw.columns)
    data::check_squares(column.numbers, column.name);
}

}  // namespace

std::string_view name_of(Needs kind) {
  switch (kind) {
    case Needs::decision:
      return "decision";
    case Needs::score:
      return "score";
    case Needs::probability:
      return "probability";
    case Needs::prediction:
      break;
  }
  return "prediction";
}

bool means_decision(std::span<const std::string> positive, std::string_view value) {
  return data::place_of_name(positive, value).has_value();
}

bool has_reference(const PredictionsOptions& options) {
  return !options.reference.empty() && options.reference != options.score;
}

std::shared_ptr<const RawTable> audited_table(const sweep::Task& task,
                                              const sweep::RunContext& context) {
  return context.cache->get<RawTable>(
      cache_key("audited table", task, {"data", "predictions"}, context),
      [&] {
        auto raw = std::make_shared<const RawTable>(
            load_table(sweep::read_section<data::SupervisedOptions>(task, "data"),
                       sweep::read_section<PredictionsOptions>(task, "predictions"), context));
        const std::size_t bytes = bytes_of(*raw);
        return sweep::Made<RawTable>{std::move(raw), bytes};
      },
      sweep::sharing_of<RawTable>([](const RawTable& raw) { return bytes_of(raw); }));
}

AuditedKinds audited_kinds(const RawTable& raw, PredictionKind wanted) {
  check_label(raw, wanted);
  check_groups(raw);
  check_numbers(raw.columns[0], "score");
  AuditedKinds kinds{.score = kind_of(raw, raw.columns[0], wanted)};
  if (raw.columns.size() > 1) {
    check_numbers(raw.columns[1], "reference");
    const bool real = kinds.score == Needs::prediction;
    kinds.reference = real ? kinds.score : kind_of(raw, raw.columns[1], wanted);
  }
  if (kinds.score == Needs::prediction) check_squares_of(raw);
  return kinds;
}

std::string why_uncompared(const PredictionsOptions& options, const AuditedKinds& kinds) {
  if (have_one_threshold(kinds.score, kinds.reference)) return {};
  return fmt::format(
      "'{}' is not compared with '{}': one is a {}, the other a {}, and measures.threshold cannot "
      "decide both; write decisions of 0 and 1 for both",
      options.score, options.reference, name_of(kinds.score), name_of(kinds.reference));
}

std::string sizes_of_groups(const RawTable& raw) {
  std::vector<std::int64_t> sizes(raw.group_names.size(), 0);
  for (const std::int32_t group : raw.group) ++sizes[static_cast<std::size_t>(group)];
  std::vector<std::string> texts;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    texts.push_back(
        fmt::format("{} ({})", base::quoted_if_needed(raw.group_names[g], ","), sizes[g]));
  }
  return base::join(texts, ", ");
}

}  // namespace fairfront::experiments
