#include "experiments/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/fitted_preparation.hpp"
#include "data/shared_fields.hpp"
#include "experiments/predictions_measures.hpp"
#include "experiments/predictions_parts.hpp"
#include "experiments/predictions_table.hpp"
#include "experiments/predictions_thresholds.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using data::RawTable;
using metrics::Needs;

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

/// What later rows are read by: the column as it is, or decisions by the names that mean 1.
data::FittedPreparation preparation_of(const RawTable& raw, const PredictionsOptions& options) {
  data::FittedPreparation fitted = data::as_they_are({options.score});
  const std::vector<std::string>& names = raw.columns[0].names.levels;
  data::FittedColumn& column = fitted.columns[0];
  bool decides = false;
  const auto add = [&](const std::string& name) {
    const bool means_one = means_decision(options.positive, name);
    decides = decides || means_one;
    column.categorical = true;
    column.levels.push_back(name);
    column.places.push_back(means_one ? 0 : -1);
    column.set.push_back(1);
  };
  std::ranges::for_each(names, add);
  // Later rows may have what no row has had yet.
  if (!names.empty() && !decides) std::ranges::for_each(options.positive, add);
  fitted.missing = raw.missing;
  fitted.missing_cells = raw.missing_cells;
  return fitted;
}

sweep::PreparedRows audited_rows(const sweep::Task& task, const sweep::RunContext& context) {
  RawTable raw = *audited_table(task, context);
  raw.columns.resize(1);  // a fitted model knows nothing of a reference
  raw.columns[0].names = {};
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

/// Whether thresholds are chosen on a part that is drawn of training rows.
bool chooses_on_training(const Predictions& predictions, const sweep::Task& task) {
  if (task.method == "measures") return false;
  const AuditPart part = parts_read(task, predictions).front();
  return part == AuditPart::validation && is_of_training(predictions, data::Part::validation);
}

/// What is said of the rows that the task's method looks at.
std::vector<std::string> warnings_of_parts(const Predictions& predictions,
                                           const sweep::Task& task) {
  const std::vector<AuditPart> read = parts_read(task, predictions);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < predictions.lacking.size(); ++i) {
    if (predictions.lacking[i].empty()) continue;
    const auto part = part_named(data::name_of(static_cast<data::Part>(i)));
    if (part && std::ranges::count(read, *part) > 0) warnings.push_back(predictions.lacking[i]);
  }
  if (chooses_on_training(predictions, task)) {
    warnings.push_back(
        "thresholds are chosen on rows that the table calls training, which the model may have "
        "learnt from: split.validation_values may name others");
  }
  return warnings;
}

/// What tests a choice must be rows that the model has not learnt from.
/// @throws base::InputError  they would be drawn of rows that the table calls training.
void refuse_tests_on_training(const RawTable& raw, const data::Split& split, double share) {
  if (!split.of_training[static_cast<std::size_t>(data::Part::choice)]) return;
  throw base::InputError(fmt::format(
      "split.choice = {} would test a choice on rows that the table calls training, which the "
      "model may have learnt from: {}",
      base::format_double(share),
      raw.part_column.codes.empty()
          ? "leave it out, and bounds are tested on the test rows"
          : "name others by split.choice_values, or leave it out, and bounds are tested on the "
            "test rows"));
}

/// @param why_none  gets why there is none: an audit of all rows asks for none.
data::Split split_if_any(const RawTable& raw, const data::SplitOptions& options,
                         std::string& why_none) {
  try {
    data::Split split = data::split_of(raw, options, false);
    refuse_tests_on_training(raw, split, options.choice);
    return split;
  } catch (const base::InputError& error) {
    why_none = error.what();
    return {};
  }
}

Loaded<Predictions> load_predictions(const sweep::Task& task, const sweep::RunContext& context) {
  const auto options = sweep::read_section<PredictionsOptions>(task, "predictions");
  auto table = audited_table(task, context);
  const RawTable& raw = *table;
  const AuditedKinds kinds = audited_kinds(raw, options.kind);
  Loaded<Predictions> loaded;
  Predictions& predictions = loaded.problem;
  predictions.kind = kinds.score;
  predictions.reference_kind = kinds.reference;
  const auto parts = sweep::read_section<data::SplitOptions>(task, "split");
  const data::Split split = split_if_any(raw, parts, predictions.no_parts);
  for (std::size_t i = 0; i < predictions.parts.size(); ++i) {
    predictions.parts[i] = rows_of_part(raw, split.rows(static_cast<data::Part>(i)));
  }
  predictions.parted =
      data::asks_for_parts(parts) || !raw.file.empty() || !raw.part_column.codes.empty();
  loaded.warnings = raw.warnings;
  predictions.lacking = split.lacking;
  predictions.of_training = split.of_training;
  if (has_reference(options)) {
    auto why = why_uncompared(options, kinds);
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
  if (!raw.columns[0].names.levels.empty()) {
    loaded.data.recipe += fmt::format(", 1 where it is {}", base::join(options.positive, " or "));
  }
  loaded.bytes = static_cast<std::size_t>(raw.rows) *
                 ((raw.columns.size() + 1) * sizeof(double) + sizeof(std::int32_t));
  models::SharedFit shared{preparation_of(raw, options), raw.group_names};
  shared.group_rules = raw.group_rules;
  loaded.data.fitted = models::text_of(shared);
  predictions.group_names = raw.group_names;
  predictions.table = std::move(table);
  return loaded;
}

/// All of a problem but the table, which is shared by itself.
template <class Pages, class Loaded>
void walk_problem(Pages& pages, Loaded& loaded) {
  auto& [kind, reference_kind, table, group_names, parts, parted, of_training, lacking, no_parts] =
      loaded.problem;
  pages(kind, reference_kind, group_names, parted, of_training, lacking, no_parts);
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

}  // namespace

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
      .warn = warnings_of_parts,
      .measure = [](const parallel::Comm& team, const Predictions& predictions,
                    const sweep::Task& task, const sweep::Found& found) -> results::Measures {
        const double confidence =
            sweep::read_section<PredictionsOptions>(task, "predictions").confidence;
        if (found.point && found.model != nullptr && task.method == "thresholds") {
          const auto options = sweep::read_section<ThresholdsOptions>(task, "thresholds");
          return measures_of_point(predictions, options, confidence, *found.model);
        }
        if (found.point && found.model != nullptr && task.method == "drawn_thresholds") {
          const auto options =
              sweep::read_section<DrawnThresholdsOptions>(task, "drawn_thresholds");
          return measures_of_point(predictions, options, confidence, found);
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
