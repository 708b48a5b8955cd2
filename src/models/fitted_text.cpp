/// How fitted models are written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/group_columns.hpp"
#include "models/fitted_centres.hpp"
#include "models/fitted_model.hpp"
#include "models/fitted_regression.hpp"
#include "models/fitted_scores.hpp"
#include "models/fitted_thresholds.hpp"
#include "models/transport.hpp"

namespace fairfront::models {
namespace {

using Json = nlohmann::ordered_json;
using data::FittedColumn;
using data::FittedPreparation;
using data::MissingPolicy;

constexpr std::array<std::pair<MissingPolicy, std::string_view>, 4> policies{
    {{MissingPolicy::error, "error"},
     {MissingPolicy::drop, "drop"},
     {MissingPolicy::mean, "mean"},
     {MissingPolicy::zero, "zero"}}};

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::DamagedError(std::string{rule});
}

const Json& member_of(const Json& json, const char* name) {
  require(json.is_object() && json.contains(name), fmt::format("its \"{}\" is missing", name));
  return json.at(name);
}
bool member_truth(const Json& json, const char* name) {
  const Json& member = member_of(json, name);
  require(member.is_boolean(), fmt::format("its \"{}\" is neither true nor false", name));
  return member.get<bool>();
}
double member_number(const Json& json, const char* name) {
  const Json& member = member_of(json, name);
  require(member.is_number(), fmt::format("its \"{}\" is no number", name));
  return member.get<double>();
}
std::vector<double> numbers_in(const Json& member, std::string_view name) {
  const bool fits = member.is_array() && std::ranges::all_of(member, &Json::is_number);
  require(fits, fmt::format("its \"{}\" is no list of numbers", name));
  return member.get<std::vector<double>>();
}

/// Whatever goes through anything else takes its members, or the value itself, for a list.
const Json& list_of(const Json& json) {
  require(json.is_array(), "a list that is none");
  return json;
}

std::int64_t whole_number(const Json& json) {
  require(json.is_number_integer(), "a number that is not whole");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  require(!json.is_number_unsigned() || json.get<std::uint64_t>() <= most, "a number too large");
  return json.get<std::int64_t>();
}

/// A name of the table: text, or its bytes as numbers where they are not UTF-8.
Json json_of(const std::string& name) {
  if (!base::first_not_utf8(name)) return name;
  Json bytes = Json::array();
  for (const char byte : name) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}
std::string name_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string name;
  for (const Json& number : list_of(json)) {
    const std::int64_t byte = whole_number(number);
    require(byte >= 0 && byte <= std::numeric_limits<std::uint8_t>::max(),
            "a name of numbers that are no bytes");
    name += static_cast<char>(byte);
  }
  return name;
}

Json json_of(const std::vector<std::string>& names) {
  Json all = Json::array();
  for (const std::string& name : names) all.push_back(json_of(name));
  return all;
}
std::vector<std::string> names_of(const Json& json) {
  std::vector<std::string> names;
  for (const Json& name : list_of(json)) names.push_back(name_of(name));
  return names;
}

std::size_t place_of(const Json& json) {
  const std::int64_t place = whole_number(json);
  require(place >= 0, "a place below 0");
  return static_cast<std::size_t>(place);
}
std::int32_t level_of(const Json& json) {
  const std::int64_t level = whole_number(json);
  require(level >= -1 && level <= std::numeric_limits<std::int32_t>::max(),
          "a level that there is not");
  return static_cast<std::int32_t>(level);
}

Json json_of(const FittedColumn& column) {
  if (!column.categorical) {
    Json json{{"name", json_of(column.name)},    {"log1p", column.log1p},
              {"filler", column.filler},         {"shift", column.scale.shift},
              {"divisor", column.scale.divisor}, {"place", column.place}};
    if (!column.levels.empty()) json["order"] = json_of(column.levels);
    return json;
  }
  return {{"name", json_of(column.name)},
          {"levels", json_of(column.levels)},
          {"places", column.places},
          {"values", column.set},
          {"filler", column.filler_level}};
}

FittedColumn column_of(const Json& json, std::size_t width) {
  FittedColumn column{.name = name_of(member_of(json, "name")),
                      .categorical = json.contains("levels")};
  if (!column.categorical) {
    column.log1p = member_truth(json, "log1p");
    column.filler = member_number(json, "filler");
    column.scale = {member_number(json, "shift"), member_number(json, "divisor")};
    column.place = place_of(member_of(json, "place"));
    if (json.contains("order")) column.levels = names_of(json.at("order"));
    require(column.place < width, "a column sets a feature that there is not");
    return column;
  }
  column.levels = names_of(json.at("levels"));
  for (const Json& place : list_of(member_of(json, "places"))) {
    column.places.push_back(whole_number(place));
  }
  column.set = numbers_in(member_of(json, "values"), "values");
  column.filler_level = level_of(member_of(json, "filler"));
  const auto levels = std::ssize(column.levels);
  require(std::ssize(column.places) == levels && std::ssize(column.set) == levels &&
              column.filler_level < levels,
          "a column's levels do not fit");
  require(std::ranges::all_of(column.places,
                              [&](std::int64_t place) {
                                return place >= -1 && place < static_cast<std::int64_t>(width);
                              }),
          "a level sets a feature that there is not");
  return column;
}

Json json_of(const FittedPreparation& preparation) {
  Json columns = Json::array();
  for (const FittedColumn& column : preparation.columns) columns.push_back(json_of(column));
  const auto policy = std::ranges::find(policies, preparation.missing,
                                        &std::pair<MissingPolicy, std::string_view>::first);
  Json json = {{"columns", std::move(columns)},
               {"unset", preparation.unset},
               {"missing", policy == policies.end() ? "error" : policy->second}};
  // Said where it is not what `predict` takes anyway.
  if (preparation.missing_cells != FittedPreparation{}.missing_cells) {
    json["missing_cells"] = json_of(preparation.missing_cells);
  }
  if (preparation.unit_rows) json["unit_rows"] = true;
  if (preparation.uses_group) json["group"] = json_of(preparation.group);
  return json;
}

FittedPreparation preparation_of(const Json& json) {
  FittedPreparation preparation;
  preparation.unset = numbers_in(member_of(json, "unset"), "unset");
  require(!preparation.unset.empty(), "there are no features");
  std::set<std::string> names;
  for (const Json& column : list_of(member_of(json, "columns"))) {
    preparation.columns.push_back(column_of(column, preparation.unset.size()));
    require(names.insert(preparation.columns.back().name).second, "two columns have one name");
  }
  const Json& missing = member_of(json, "missing");
  const auto policy = std::ranges::find_if(
      policies, [&](const auto& each) { return missing.is_string() && missing == each.second; });
  require(policy != policies.end(), "an unknown rule for missing cells");
  preparation.missing = policy->first;
  if (json.contains("missing_cells")) {
    preparation.missing_cells = names_of(json.at("missing_cells"));
  }
  if (json.contains("unit_rows")) preparation.unit_rows = member_truth(json, "unit_rows");
  preparation.uses_group = json.contains("group");
  if (preparation.uses_group) {
    preparation.group = column_of(json.at("group"), preparation.unset.size());
    require(preparation.group.categorical, "the groups are numbers");
  }
  return preparation;
}

Json json_of(const data::GroupRule& rule) {
  Json json = {{"attribute", json_of(rule.text)},
               {"levels", json_of(rule.levels)},
               {"names", json_of(rule.names)}};
  if (!rule.others.empty()) json["others"] = json_of(rule.others);
  return json;
}

data::GroupRule rule_of(const Json& json) {
  data::GroupRule rule{.text = name_of(member_of(json, "attribute")),
                       .levels = names_of(member_of(json, "levels")),
                       .names = names_of(member_of(json, "names"))};
  if (json.contains("others")) rule.others = name_of(json.at("others"));
  require(rule.levels.size() == rule.names.size(), "the names of an attribute do not fit");
  try {
    (void)data::parse_sensitive(rule.text);
  } catch (const base::InputError&) {
    require(false, "an attribute that is neither a column nor a comparison");
  }
  return rule;
}

/// Thresholds may say that everybody or nobody is decided 1; all other numbers are finite.
NamedNumbers checked(const ModelText& text, const NamedNumbers& numbers) {
  const bool has_thresholds = text.kind == "thresholds" || text.kind == "drawn_thresholds";
  const std::string thresholds = has_thresholds ? text.at("thresholds") : "";
  return [&numbers, has_thresholds, thresholds](const std::string& name) {
    std::vector<std::vector<double>> vectors = numbers(name);
    const bool may_be_infinite = has_thresholds && name == thresholds;
    const auto is_good = [&](double value) {
      return std::isfinite(value) || (may_be_infinite && !std::isnan(value));
    };
    for (const std::vector<double>& vector : vectors) {
      require(std::ranges::all_of(vector, is_good),
              fmt::format("a number of '{}' that is not finite", base::excerpt(name)));
    }
    return vectors;
  };
}

}  // namespace

std::string text_of(const SharedFit& fit) {
  Json numbers = Json::object();
  for (const auto& [name, values] : fit.numbers) numbers[name] = values;
  Json json{{"preparation", json_of(fit.preparation)},
            {"groups", json_of(fit.groups)},
            {"numbers", std::move(numbers)}};
  for (const data::GroupRule& rule : fit.group_rules) json["group_rules"].push_back(json_of(rule));
  return json.dump();
}

double TargetUnit::operator()(double prepared) const noexcept {
  const double value = scale.inverse(prepared);
  return (log1p ? base::expm1(value) : value) * divisor;
}

void set_target_unit(SharedFit& fit, const TargetUnit& unit) {
  if (unit.is_prepared()) return;
  fit.numbers["target_unit"] = {unit.scale.shift, unit.scale.divisor, unit.log1p ? 1.0 : 0.0,
                                unit.divisor};
}

std::optional<TargetUnit> target_unit_of(const SharedFit& fit) {
  const auto found = fit.numbers.find("target_unit");
  if (found == fit.numbers.end()) return std::nullopt;
  require(found->second.size() == 4, "no unit of the target");
  const std::vector<double>& numbers = found->second;
  return TargetUnit{{numbers[0], numbers[1]}, numbers[2] != 0, numbers[3]};
}

SharedFit shared_fit_of(const std::string& text) try {
  const Json json = Json::parse(text);
  SharedFit fit{.preparation = preparation_of(member_of(json, "preparation")),
                .groups = names_of(member_of(json, "groups"))};
  require(member_of(json, "numbers").is_object(), "its numbers have no names");
  for (const auto& [name, values] : json.at("numbers").items()) {
    fit.numbers[name] = numbers_in(values, name);
  }
  (void)target_unit_of(fit);
  if (json.contains("group_rules")) {
    for (const Json& rule : list_of(json.at("group_rules"))) {
      fit.group_rules.push_back(rule_of(rule));
    }
  }
  const data::FittedPreparation& preparation = fit.preparation;
  require(!preparation.uses_group || preparation.group.levels == fit.groups,
          "the groups of its features are others");
  return fit;
} catch (const Json::exception&) {
  throw base::DamagedError(
      "how its columns become features holds what is of another type than a model has there");
}

std::vector<std::int32_t> group_numbers(const SharedFit& fit, const data::Category& names) {
  std::vector<std::int32_t> of_code;
  for (const std::string& level : names.levels) {
    const auto found = std::ranges::find(fit.groups, level);
    of_code.push_back(static_cast<std::int32_t>(found - fit.groups.begin()));
  }
  std::vector<std::int32_t> numbers;
  numbers.reserve(names.codes.size());
  for (const std::int32_t code : names.codes) {
    numbers.push_back(of_code[static_cast<std::size_t>(code)]);
  }
  return numbers;
}

std::string ModelText::text() const {
  std::string text = kind;
  for (const auto& [name, value] : options) text += fmt::format(" {}={}", name, value);
  return text;
}

ModelText ModelText::parse(const std::string& text) {
  ModelText model;
  for (const std::string& word : base::split_outside_parentheses(text, ' ')) {
    const std::size_t sign = word.find('=');
    if (model.kind.empty()) {
      model.kind = word;
    } else {
      require(sign != std::string::npos, "an option without a value");
      model.options[word.substr(0, sign)] = word.substr(sign + 1);
    }
  }
  return model;
}

const std::string& ModelText::at(const std::string& name) const {
  const auto found = options.find(name);
  require(found != options.end(), fmt::format("no option '{}'", name));
  return found->second;
}

ModelText randomised(const ModelText& text) {
  if (!text.has("members")) {
    throw base::InputError("the model is no randomised classifier, such as [reductions] finds");
  }
  ModelText drawn{.kind = "drawn_scores"};
  for (const char* option : {"data", "hidden", "activation", "members", "shares"}) {
    if (text.has(option)) drawn.options[option] = text.at(option);
  }
  return drawn;
}

std::string with_data(const std::string& text, const std::string& digest) {
  ModelText model = ModelText::parse(text);
  model.options["data"] = digest;
  return model.text();
}

std::unique_ptr<FittedModel> make_model(const SharedFit& shared, const ModelText& text,
                                        const NamedNumbers& all_numbers) {
  const NamedNumbers numbers = checked(text, all_numbers);
  if (text.kind == "score") return make_score_model(shared, text, numbers);
  if (text.kind == "drawn_scores") return make_drawn_score_model(shared, text, numbers);
  if (text.kind == "centres") return make_centres_model(shared, text, numbers);
  if (text.kind == "thresholds") return make_threshold_model(shared, text, numbers);
  if (text.kind == "drawn_thresholds") return make_drawn_threshold_model(shared, text, numbers);
  if (text.kind == "base") return make_base_model(shared, text);
  if (text.kind == "soft") return make_soft_model(shared, text, numbers);
  if (text.kind == "mixture") return make_mixture_model(shared, text, numbers);
  if (text.kind == "transport") return make_transport_model(shared, text, numbers);
  if (text.kind == "linear") return make_linear_model(shared, text, numbers);
  throw base::DamagedError(
      fmt::format("'{}' is no kind of model that this program knows", base::excerpt(text.kind)));
}

}  // namespace fairfront::models
