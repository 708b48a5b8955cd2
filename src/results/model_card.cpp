#include "results/model_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "results/json_number.hpp"
#include "results/measure_cells.hpp"

namespace fairfront::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> meanings{
    {{"score", "a number: the larger, the more likely label 1"},
     {"probability", "that the label is 1"},
     {"decision", "1 or 0"},
     {"prediction", "of the target; where it is drawn from atoms, its mean"},
     {"prediction_in_own_unit", "the same in the unit that the target has in the table"},
     {"cluster", "the number of the nearest centre, from 0"},
     {"distance", "to that centre, in prepared columns"}}};

const Candidate& chosen_of(const ChosenFrom& from) {
  return from.choice.candidates[*from.choice.chosen];
}

Json json_of(const Measured& measured) {
  return {{"value", json_number(measured.value)},
          {"low", json_number(measured.low)},
          {"high", json_number(measured.high)}};
}

std::string text_of(const Bound& bound) {
  return fmt::format("{} {} {}", bound.name,
                     bound.at_most ? "<=" : ">=", base::format_double(bound.limit));
}

std::string text_of(const std::vector<Bound>& bounds) {
  std::vector<std::string> texts;
  for (const Bound& bound : bounds) texts.push_back(text_of(bound));
  return base::join(texts, ", ");
}

std::string rule_of(const ChosenFrom& from) {
  const std::string best = from.wish.best.empty() ? from.choice.names.front() : from.wish.best;
  const std::string what = from.wish.knee ? "knee" : "point with the best " + best;
  const std::size_t points = from.choice.candidates.size();
  if (from.wish.confidence) {
    return fmt::format(
        "the {} on the {}, of those {} of {} points that tests on the {} showed to have {}", what,
        from.choice.decided_on, from.choice.certified, points, from.choice.tested_on,
        text_of(from.wish.bounds));
  }
  const std::string within = from.wish.bounds.empty()
                                 ? ""
                                 : fmt::format(" among those with {}", text_of(from.wish.bounds));
  return fmt::format("the {} of {} points{}, on the {}", what, points, within,
                     from.choice.decided_on);
}

bool is_randomised(const StoredModel& stored) { return stored.text.kind == "drawn_scores"; }

/// Whether what has this name was measured of the model: a task of [reductions] has two.
bool is_of(const StoredModel& stored, const std::string& name) {
  return is_randomised(stored) == name.starts_with("randomised_");
}

/// As a list of the config has them, so that names may hold commas.
std::string text_of_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    texts.push_back(base::quoted_if_needed(base::printable(name), ","));
  }
  return base::join(texts, ", ");
}

/// What becomes of a missing cell. @param filler  what stands in its place, where one is filled up.
std::string text_of_missing(data::MissingPolicy rule, const std::string& filler) {
  if (rule == data::MissingPolicy::error) return "a missing cell is refused";
  if (rule == data::MissingPolicy::drop) return "a row in which it is missing is left out";
  return filler + " where it is missing";
}

std::string filler_of(const data::FittedColumn& column) {
  if (column.categorical) {
    if (column.filler_level < 0) return "none of them";
    return text_of_names({column.levels.at(static_cast<std::size_t>(column.filler_level))});
  }
  return column.levels.empty() ? fmt::format("{:g}", column.filler)
                               : fmt::format("number {:g} of them", column.filler);
}

std::string text_of_input(const data::FittedColumn& column, data::MissingPolicy rule) {
  std::string text = text_of_names({column.name}) + ": ";
  text += !column.categorical && column.levels.empty() ? "a number"
                                                       : "one of " + text_of_names(column.levels);
  if (column.categorical) text += "; any other name counts as none of them";
  return text + "; " + text_of_missing(rule, filler_of(column));
}

std::string text_of_group(const StoredModel& stored) {
  if (!stored.model->needs_group() && !stored.shared->preparation.uses_group) {
    return "not needed to predict a row";
  }
  return "needed of every row, one of " + text_of_names(stored.shared->groups);
}

Json outputs_of(const StoredModel& stored) {
  Json texts = Json::array();
  const std::span<const double> atoms = stored.model->atoms();
  const bool draws_decisions = std::ranges::equal(atoms, models::binary_decisions);
  const bool has_unit = models::target_unit_of(*stored.shared).has_value();
  for (const std::string& name : said_of_row(stored)) {
    if (name == "prediction" && has_unit) {
      texts.push_back("prediction: of the prepared target; where it is drawn from atoms, its mean");
      continue;
    }
    if (name == "probability" && draws_decisions) {
      texts.push_back("probability: that the decision is 1, which is drawn");
      continue;
    }
    const auto meaning =
        std::ranges::find(meanings, name, &std::pair<std::string_view, std::string_view>::first);
    texts.push_back(meaning == meanings.end() ? name
                                              : fmt::format("{}: {}", name, meaning->second));
  }
  return texts;
}

std::string text_of_form(const StoredModel& stored) {
  if (stored.text.kind == "drawn_thresholds") return "a draw among thresholds of each group";
  if (!is_randomised(stored)) return "a single model";
  return "a draw among several scores, the randomised classifier";
}

Json card_of(const ChosenFrom& from, const StoredModel& stored) {
  const Candidate& chosen = chosen_of(from);
  Json inputs = Json::array();
  for (const data::FittedColumn& column : stored.shared->preparation.columns) {
    inputs.push_back(text_of_input(column, stored.shared->preparation.missing));
  }
  return {{"model", fmt::format("[{}] of the experiment {} on {}: task {}, point {} of {}",
                                from.content.tasks.method[chosen.task], from.content.experiment,
                                from.problem, chosen.task, chosen.point, from.archive)},
          {"form", text_of_form(stored)},
          {"chosen", rule_of(from)},
          {"guarantee", guarantee_of(from)},
          {"inputs", inputs},
          {"group", text_of_group(stored)},
          {"outputs", outputs_of(stored)}};
}

Json json_of(const ChosenFrom& from, const StoredModel& stored) {
  Json bounds = Json::array();
  for (const Bound& bound : from.wish.bounds) bounds.push_back(text_of(bound));
  Json values = Json::object();
  const Candidate& chosen = chosen_of(from);
  for (std::size_t i = 0; i < from.choice.names.size(); ++i) {
    if (!is_of(stored, from.choice.names[i])) continue;
    const ChoiceValue& value = chosen.values[i];
    values[from.choice.names[i]] = {{"decided", json_number(value.decided)},
                                    {"reported", json_number(value.reported.value)},
                                    {"low", json_number(value.reported.low)},
                                    {"high", json_number(value.reported.high)}};
    if (from.wish.confidence) values[from.choice.names[i]]["tested"] = json_of(value.tested);
  }
  Json json = {{"problem", from.problem},
               {"bounds", bounds},
               {"best", from.wish.best},
               {"knee", from.wish.knee},
               {"methods", from.wish.methods},
               {"confidence", from.wish.confidence ? Json(*from.wish.confidence) : Json(nullptr)},
               {"points", from.choice.candidates.size()},
               {"values", values}};
  if (from.wish.confidence) json["certified"] = from.choice.certified;
  return json;
}

/// Of a point that was measured for the choice, or that the measures of its task are of; other
/// points have measures that nobody stored.
Json measures_of(const ChosenFrom& from, const StoredModel& stored) {
  Json list = Json::array();
  const Candidate& chosen = chosen_of(from);
  const auto measured_point = from.points.row.find({chosen.task, chosen.point});
  const bool by_point = measured_point != from.points.row.end();
  if (!by_point && !measures_are_of_point(from.content, chosen.task)) return list;
  const std::size_t row = by_point ? measured_point->second : chosen.task;
  for (const Measure& measure : by_point ? from.points.measures : from.content.measures) {
    if (!is_of(stored, measure.what.name)) continue;
    for (std::size_t cell = 0; cell < count_cells(measure); ++cell) {
      const Measured measured = measured_at(measure, row, cell);
      if (!measured.known()) continue;
      const MeasuredRows rows = rows_of_cell(measure, cell);
      if (is_part_in_gap(measure, rows)) continue;
      list.push_back({{"name", measure.what.name},
                      {"part", rows.part},
                      {"group", rows.group},
                      {"value", json_number(measured.value)},
                      {"low", json_number(measured.low)},
                      {"high", json_number(measured.high)}});
    }
  }
  return list;
}

/// The config of the one task: shared sections and its method's, axes at its own values.
Json options_of(const Content& content, std::size_t task) {
  std::map<std::string, std::string> at_axis;
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (place < 0) continue;
    at_axis[content.axes[a].name] = content.axes[a].values[static_cast<std::size_t>(place)];
  }
  Json options = Json::object();
  for (const ConfigEntry& entry : content.config) {
    const bool of_other = entry.section != content.tasks.method[task] &&
                          std::ranges::any_of(content.revisions, [&](const std::string& revision) {
                            return revision.starts_with(entry.section + "=");
                          });
    if (of_other) continue;
    const std::string name = entry.section.empty() ? entry.key : entry.section + "." + entry.key;
    const auto value = at_axis.find(name);
    options[name] = value == at_axis.end() ? entry.value : value->second;
  }
  return options;
}

Json data_of(const Content& content, const std::string& digest) {
  const auto found = std::ranges::find(content.datasets, digest, &data::Provenance::digest);
  if (found == content.datasets.end()) return nullptr;
  Json files = Json::array();
  for (std::size_t i = 0; i < found->files.size(); ++i) {
    files.push_back({{"name", found->files[i]}, {"sha256", found->sha256[i]}});
  }
  return {{"name", found->name},
          {"source", found->source},
          {"files", files},
          {"recipe", found->recipe},
          {"digest", found->digest}};
}

Json provenance_of(const ChosenFrom& from, const StoredModel& stored, const std::string& program) {
  const Candidate& chosen = chosen_of(from);
  const Content& content = from.content;
  return {{"program", program},
          {"archive", from.archive},
          {"archive_digest", from.archive_digest},
          {"experiment", content.experiment},
          {"method", content.tasks.method[chosen.task]},
          {"task", chosen.task},
          {"point", chosen.point},
          {"key", content.tasks.key[chosen.task]},
          {"data", data_of(content, stored.text.at("data"))},
          {"options", options_of(content, chosen.task)}};
}

}  // namespace

std::string guarantee_of(const ChosenFrom& from) {
  if (from.wish.bounds.empty()) return "none: the choice had no bound to keep";
  const std::string bounds = text_of(from.wish.bounds);
  if (!from.wish.confidence) {
    return fmt::format(
        "none for rows that come later: {} holds on the {}, which the choice has seen", bounds,
        from.choice.decided_on);
  }
  return fmt::format(
      "with a confidence of {}, {} holds in the population that the {} is an independent sample "
      "of: it was tested on these rows, which no selection had seen, and {} of {} points passed, "
      "in the order of the {}; limits of rates are on the safe side, those of their gaps nearly "
      "so where groups have few rows, those of means without a bound, such as a log loss, and of "
      "AUCs are approximations",
      *from.wish.confidence, bounds, from.choice.tested_on, from.choice.certified,
      from.choice.candidates.size(), from.choice.decided_on);
}

std::string model_card(const ChosenFrom& from, const StoredModel& stored,
                       const std::string& program) {
  return Json{{"card", card_of(from, stored)},
              {"choice", json_of(from, stored)},
              {"measures", measures_of(from, stored)},
              {"provenance", provenance_of(from, stored, program)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fairfront::results
