#include "experiments/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/quotation.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/catalogue/catalogue.hpp"
#include "data/column_fit.hpp"
#include "data/load_raw.hpp"
#include "data/shared_fields.hpp"
#include "data/small_groups.hpp"
#include "experiments/declared_option.hpp"
#include "experiments/predictions_measures.hpp"
#include "experiments/predictions_parts.hpp"
#include "experiments/predictions_thresholds.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using data::RawTable;
using data::TargetChoice;
using data::TargetKind;
using metrics::Needs;

/// A real label of so few values may be classes that nobody has told apart.
constexpr std::size_t few_values = 10;

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

/// Whether another column is compared with: a model has no difference to itself.
bool has_reference(const PredictionsOptions& options) {
  return !options.reference.empty() && options.reference != options.score;
}

/// The table with the column that is audited, and behind it that of the reference, if there is one.
RawTable load_table(data::SupervisedOptions data, const PredictionsOptions& options,
                    const sweep::RunContext& context) {
  check_options(data, options);
  if (!data::is_generated(data.data)) {
    data.features = {options.score};
    if (has_reference(options)) data.features.push_back(options.reference);
    data.categorical.clear();
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

/// What the values of the reference are.
Needs kind_of_reference(const RawTable& raw, Needs kind, PredictionKind wanted) {
  const data::RawColumn& column = raw.columns[1];
  check_numbers(column, "reference");
  return kind == Needs::prediction ? kind : kind_of(raw, column, wanted);
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

/// Nothing where the measures of both can be compared.
std::string why_uncompared(const PredictionsOptions& options, Needs kind, Needs reference) {
  if (have_one_threshold(kind, reference)) return {};
  return fmt::format(
      "'{}' is not compared with '{}': one is a {}, the other a {}, and measures.threshold cannot "
      "decide both; write decisions of 0 and 1 for both",
      options.score, options.reference, name_of(kind), name_of(reference));
}

/// "women (1200), men (800)".
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

/// The table of a task with what is audited.
/// @throws base::InputError  no such column, or options that would change its values.
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

PredictedRows rows_of_part(const RawTable& raw, std::span<const std::int64_t> numbers) {
  PredictedRows rows;
  const auto take = [&](const auto& values, auto& taken) {
    taken.reserve(numbers.size());
    for (const std::int64_t row : numbers) taken.push_back(values[static_cast<std::size_t>(row)]);
  };
  take(raw.columns[0].numbers, rows.score);
  if (raw.columns.size() > 1) take(raw.columns[1].numbers, rows.reference);
  take(raw.label, rows.label);
  take(raw.group, rows.group);
  return rows;
}

sweep::PreparedRows audited_rows(const sweep::Task& task, const sweep::RunContext& context) {
  RawTable raw = *audited_table(task, context);
  raw.columns.resize(1);  // a fitted model knows nothing of a reference
  return rows_of_predictions(raw, task, false);
}

/// Parts whose rows the task's method looks at. (What measures.parts names and is none is told by
/// validate_for().)
std::vector<AuditPart> parts_read(const sweep::Task& task, const Predictions& predictions) {
  const auto of_choice = [](const auto& options) {
    return std::vector{options.choose_on, options.report_on, AuditPart::choice};
  };
  if (task.method == "thresholds") {
    return of_choice(sweep::read_section<ThresholdsOptions>(task, "thresholds"));
  }
  if (task.method == "drawn_thresholds") {
    return of_choice(sweep::read_section<DrawnThresholdsOptions>(task, "drawn_thresholds"));
  }
  std::vector<AuditPart> named;
  for (const std::string& name : sweep::read_section<MeasuresOptions>(task, "measures").parts) {
    if (const auto part = part_named(name)) named.push_back(*part);
  }
  return named.empty() ? held_out_parts(predictions) : named;
}

Loaded<Predictions> load_predictions(const sweep::Task& task, const sweep::RunContext& context) {
  const auto options = sweep::read_section<PredictionsOptions>(task, "predictions");
  auto table = audited_table(task, context);
  const RawTable& raw = *table;
  check_label(raw, options.kind);
  check_groups(raw);
  check_numbers(raw.columns[0], "score");
  Loaded<Predictions> loaded;
  Predictions& predictions = loaded.problem;
  predictions.kind = kind_of(raw, raw.columns[0], options.kind);
  if (has_reference(options)) {
    predictions.reference_kind = kind_of_reference(raw, predictions.kind, options.kind);
  }
  if (predictions.kind == Needs::prediction) {
    data::check_squares(raw.label, raw.label_name);
    data::check_squares(raw.columns[0].numbers, options.score);
    if (has_reference(options)) data::check_squares(raw.columns[1].numbers, options.reference);
  }
  const auto parts = sweep::read_section<data::SplitOptions>(task, "split");
  const data::Split split = data::split_of(raw, parts, false);
  for (std::size_t i = 0; i < predictions.parts.size(); ++i) {
    predictions.parts[i] = rows_of_part(raw, split.rows(static_cast<data::Part>(i)));
  }
  predictions.parted =
      data::asks_for_parts(parts) || !raw.file.empty() || !raw.part_column.codes.empty();
  loaded.warnings = raw.warnings;
  const std::vector<AuditPart> read = parts_read(task, predictions);
  for (std::size_t i = 0; i < split.lacking.size(); ++i) {
    if (split.lacking[i].empty()) continue;
    const auto part = part_named(data::name_of(static_cast<data::Part>(i)));
    if (part && std::ranges::count(read, *part) > 0) loaded.warnings.push_back(split.lacking[i]);
  }
  if (has_reference(options)) {
    auto why = why_uncompared(options, predictions.kind, predictions.reference_kind);
    if (!why.empty()) loaded.warnings.push_back(std::move(why));
  }
  if (options.kind == PredictionKind::automatic && predictions.kind == Needs::score) {
    loaded.warnings.push_back(fmt::format(
        "column '{}' leaves [0, 1], so it holds scores, not probabilities; measures.threshold says "
        "from where on they mean 1",
        options.score));
  }
  loaded.text = fmt::format(
      "N = {}, '{}' is a {}{}, groups {}", raw.rows, options.score, name_of(predictions.kind),
      has_reference(options) ? fmt::format(", beside '{}'", options.reference) : std::string{},
      sizes_of_groups(raw));
  loaded.data = raw.provenance;
  loaded.data.digest = base::sha256_of(raw.provenance.digest + "\n" + split.digest);
  loaded.data.recipe += fmt::format("; '{}' is a {}", options.score, name_of(predictions.kind));
  loaded.bytes = static_cast<std::size_t>(raw.rows) *
                 ((raw.columns.size() + 1) * sizeof(double) + sizeof(std::int32_t));
  models::SharedFit shared{data::as_they_are({options.score}), raw.group_names};
  shared.preparation.missing = raw.missing;
  shared.preparation.missing_cells = raw.missing_cells;
  shared.group_rules = raw.group_rules;
  loaded.data.fitted = models::text_of(shared);
  predictions.group_names = raw.group_names;
  predictions.table = std::move(table);
  return loaded;
}

/// All of a problem but the table, which is shared by itself.
template <class Pages, class Loaded>
void walk_problem(Pages& pages, Loaded& loaded) {
  auto& [kind, reference_kind, table, group_names, parts, parted] = loaded.problem;
  pages(kind, reference_kind, group_names, parted);
  for (auto& [score, reference, label, group] : parts) pages(score, reference, label, group);
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
}

void lay_down_problem(base::PageWriter& pages, const Loaded<Predictions>& loaded) {
  walk_problem(pages, loaded);
}

Loaded<Predictions> take_problem(const sweep::Task& task, const sweep::RunContext& context,
                                 base::PageReader& pages) {
  Loaded<Predictions> loaded;
  loaded.problem.table = audited_table(task, context);
  walk_problem(pages, loaded);
  return loaded;
}

std::vector<sweep::IdleOption> idle_of_audit(const sweep::Task& task) {
  std::vector<sweep::IdleOption> idle = idle_data_options(task);
  for (sweep::IdleOption& option : idle_split_options(task)) idle.push_back(std::move(option));
  idle.push_back({"seed",
                  "nothing of an audit is drawn by it (measures.bootstrap_seed, "
                  "split.split_seed)"});
  if (task.method != "measures") {
    idle.push_back({"predictions.reference", fmt::format("[{}] compares no columns", task.method)});
  }
  return idle;
}

std::vector<std::pair<std::string, AuditPart>> part_choices() {
  return {{"all", AuditPart::all},
          {"train", AuditPart::train},
          {"validation", AuditPart::validation},
          {"test", AuditPart::test}};
}

}  // namespace

base::OptionTable options_of(PredictionsOptions& options) {
  base::OptionTable table("predictions");
  table.add("score", options.score,
            "This column holds what a model says of each row; several are an axis, which is models "
            "to compare.");
  table.add("reference", options.reference,
            "This column holds what another model says of the same rows: [measures] adds by how "
            "much each measure of predictions.score is larger, with paired intervals (measures "
            "*_less_reference) and tests of error and AUC (*_less_reference_p). Where the config "
            "does not set it and [measures] takes part, it is the first of predictions.score; set "
            "to nothing, it leaves the models uncompared.");
  table.unless_set("reference", {"score", "measures"});
  table.add_choice<PredictionKind>(
      "kind", options.kind,
      {{"auto", PredictionKind::automatic},
       {"decision", PredictionKind::decision},
       {"score", PredictionKind::score},
       {"probability", PredictionKind::probability},
       {"prediction", PredictionKind::prediction}},
      "With decision, the column holds 0 or 1; with score, numbers that rise with the chance of "
      "label 1; with probability, that chance; with prediction, a real target. auto means "
      "prediction where the label is real, else decision where all are 0 or 1, probability where "
      "all are in [0, 1], score otherwise.");
  // Models of the same rows are compared, not set apart as problems are.
  table.assign_role(base::Role::setting, {"score", "reference"});
  return table;
}

base::OptionTable options_of(MeasuresOptions& options) {
  base::OptionTable table("measures");
  table.add("measures", options.measures,
            "These measures are taken, by the names of `fairfront list metrics`; all is every one "
            "that suits the kind of the predictions.");
  add_difference(table, options.difference, "is measured beside these");
  table.add("parts", options.parts,
            "These parts are measured: all (every row), train, validation, choice, test; see "
            "[split]. auto means those of validation, choice and test that have rows, and every "
            "row where there are none, or where neither the table nor [split] asks for parts. On "
            "choice each end of an interval has the confidence by itself.");
  table.add("threshold", options.threshold, base::Range<double>{}, "",
            "A row is decided 1 where its score is at least this.");
  table.add_choice<IntervalKind>(
      "intervals", options.intervals,
      {{"none", IntervalKind::none},
       {"formula", IntervalKind::formula},
       {"bootstrap", IntervalKind::bootstrap}},
      "With formula, intervals come from formulas, which draw nothing; with bootstrap, from "
      "percentiles of the bootstrap, but for gaps, ratios, worst groups and distances, which "
      "resamples make larger: these keep the formulas.");
  table.add("resamples", options.bootstrap.resamples, base::between<std::int64_t>(2, 10'000'000),
            "", "The bootstrap draws this many samples, with replacement.");
  table.add("confidence", options.bootstrap.level, base::between(0.01, 0.9999), "",
            "Intervals have this confidence.");
  table.formerly("confidence", "level");
  table.add_choice<metrics::Strata>(
      "strata", options.bootstrap.strata,
      {{"none", metrics::Strata::none},
       {"group", metrics::Strata::group},
       {"group_and_label", metrics::Strata::group_and_label}},
      "Every sample of the bootstrap keeps the number of rows of each group, or of each group and "
      "label; with none it keeps neither.");
  table.add("bootstrap_seed", options.bootstrap_seed, base::at_least<std::int64_t>(0), "",
            "The bootstrap draws from this seed.");
  table.assign_role(base::Role::replicate, {"bootstrap_seed"});
  return table;
}

base::OptionTable options_of(ThresholdsOptions& options) {
  base::OptionTable table("thresholds");
  table.add_choice<metrics::ThresholdGap>(
      "fairness", options.gap,
      {{"demographic_parity", metrics::ThresholdGap::demographic_parity},
       {"equalised_odds", metrics::ThresholdGap::equalised_odds}},
      "Unfairness is the largest difference of two groups' shares decided 1, or the larger of "
      "those of true and of false positive rates.");
  // Shares and rates are different questions: their gaps are never set beside each other.
  table.assign_role(base::Role::problem, {"fairness"});
  table.formerly("fairness", "gap");
  auto parts = part_choices();
  table.add_choice<AuditPart>("choose_on", options.choose_on, parts,
                              "The thresholds are chosen on the rows of this part; see [split].");
  parts.emplace_back("none", AuditPart::none);
  table.add_choice<AuditPart>("report_on", options.report_on, parts,
                              "The same thresholds are reported on the rows of this part.");
  table.add(
      "thresholds_per_group", options.search.thresholds_per_group, base::at_least<std::int64_t>(0),
      "", "This many thresholds are tried in a group, at least 2; with 0 all are, which is exact.");
  table.add("max_steps", options.search.max_steps, base::at_least<std::int64_t>(1), "steps",
            "The search gives up after this many steps, of some nanoseconds each.");
  return table;
}

base::OptionTable options_of(DrawnThresholdsOptions& options) {
  base::OptionTable table("drawn_thresholds");
  table.add_choice<training::RateKind>(
      "fairness", options.gap, training::rate_names(),
      "Unfairness is the largest difference of two groups' shares decided 1, of true and of false "
      "positive rates, of either of these alone, or of shares decided wrongly.");
  table.assign_role(base::Role::problem, {"fairness"});
  auto parts = part_choices();
  table.add_choice<AuditPart>("choose_on", options.choose_on, parts,
                              "The draws are chosen on the rows of this part; see [split].");
  parts.emplace_back("none", AuditPart::none);
  table.add_choice<AuditPart>("report_on", options.report_on, parts,
                              "The same draws are reported on the rows of this part.");
  table.add("slacks", options.slacks, base::between<std::int64_t>(2, 10'000), "",
            "There are this many bounds on the unfairness, evenly from 0 to that of the least "
            "error; there are as many points.");
  return table;
}

std::vector<sweep::IdleOption> idle_options(const MeasuresOptions& options) {
  if (options.intervals == IntervalKind::bootstrap) return {};
  const std::string why = "measures.intervals draws no samples";
  return {{"measures.resamples", why}, {"measures.strata", why}, {"measures.bootstrap_seed", why}};
}

bool suits(Needs kind, Needs needs) {
  switch (kind) {
    case Needs::decision:
      return needs == Needs::decision;
    case Needs::score:
      return needs == Needs::decision || needs == Needs::score;
    case Needs::probability:
      return needs != Needs::prediction;
    case Needs::prediction:
      break;
  }
  return needs == Needs::prediction;
}

bool have_one_threshold(Needs kind, Needs other) {
  return (kind == Needs::score) == (other == Needs::score);
}

PredictionSample sample_of(const Predictions& predictions, AuditPart part) {
  const std::int64_t groups = std::ssize(predictions.group_names);
  const auto of_part = [&](data::Part which) -> PredictionSample {
    const PredictedRows& rows = predictions.parts[static_cast<std::size_t>(which)];
    return {rows.score, rows.label, rows.reference, rows.group, groups};
  };
  switch (part) {
    case AuditPart::all: {
      const RawTable& table = *predictions.table;
      std::span<const double> reference;
      if (table.columns.size() > 1) reference = table.columns[1].numbers;
      return {table.columns[0].numbers, table.label, reference, table.group, groups};
    }
    case AuditPart::train:
      return of_part(data::Part::train);
    case AuditPart::validation:
      return of_part(data::Part::validation);
    case AuditPart::choice:
      return of_part(data::Part::choice);
    case AuditPart::test:
      return of_part(data::Part::test);
    case AuditPart::none:
      break;
  }
  return {{}, {}, {}, {}, groups};
}

std::vector<Method<Predictions>> prediction_methods() {
  return {measures_method(), thresholds_method(), drawn_thresholds_method()};
}

Family<Predictions> predictions_family() {
  return {
      .name = "predictions",
      .title = "audit of any model's predictions: measures, and thresholds of each group",
      .shared = {config::make_section<data::SupervisedOptions>(
                     {.name = "data", .title = "the table: labels, groups, predictions"}),
                 config::make_section<data::SplitOptions>(
                     {.name = "split", .title = "train, validation and test part"}),
                 config::make_section<PredictionsOptions>(
                     {.name = "predictions", .title = "what is audited"})},
      .objectives = {{"error", "share of rows decided wrongly", "share", Direction::minimise, ""},
                     {"gap", "unfairness between groups, as thresholds.fairness says", "share",
                      Direction::minimise, "Hardt, Price, Srebro (2016)"}},
      .columns = {},
      .front_solutions = "thresholds",
      .load = load_predictions,
      .lay_down = lay_down_problem,
      .take = take_problem,
      .rows = audited_rows,
      .methods = prediction_methods(),
      .idle = idle_of_audit,
      .measure = [](const parallel::Comm& team, const Predictions& predictions,
                    const sweep::Task& task, const sweep::Found& found) -> results::Measures {
        if (found.point && found.model != nullptr && task.method == "thresholds") {
          const auto options = sweep::read_section<ThresholdsOptions>(task, "thresholds");
          return measures_of_point(predictions, options, *found.model);
        }
        if (found.point && found.model != nullptr && task.method == "drawn_thresholds") {
          const auto options =
              sweep::read_section<DrawnThresholdsOptions>(task, "drawn_thresholds");
          return measures_of_point(predictions, options, found);
        }
        for (const Method<Predictions>& method : prediction_methods()) {
          // An audit finds nothing beside what it measures.
          if (method.section.name != task.method || task.method != "measures") continue;
          return method.run(team, predictions, task, {}).measured;
        }
        return {};
      },
      .point_measures = threshold_measures()};
}

}  // namespace fairfront::experiments
