#include "results/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "results/json_number.hpp"

namespace fairfront::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "fairfront model";
constexpr std::string_view before_digest = "\"sha256\": \"";
constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::array not_finite{std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};

/// No parameter is unknown: what is no number is a text as well.
Json json_of(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) {
    json.push_back(std::isnan(value) ? Json(base::format_double(value)) : json_number(value));
  }
  return json;
}

/// @throws base::DamagedError  says what is not as a model file has it.
[[noreturn]] void refuse(std::string_view name, std::string_view fault) {
  throw base::DamagedError(fmt::format("its \"{}\" {}", name, fault));
}

const Json& member_of(const Json& json, std::string_view name) {
  if (!json.contains(name)) refuse(name, "is missing");
  return json.at(name);
}
const Json& object_of(const Json& json, std::string_view name) {
  const Json& member = member_of(json, name);
  if (!member.is_object()) refuse(name, "is no object");
  return member;
}
std::string text_of(const Json& json, std::string_view name) {
  const Json& member = member_of(json, name);
  if (!member.is_string()) refuse(name, "is no text");
  return member.get<std::string>();
}
std::size_t count_of(const Json& json, std::string_view name) {
  const Json& member = member_of(json, name);
  if (!member.is_number_integer() || member.get<std::int64_t>() < 0) {
    refuse(name, "is no whole number from 0 on");
  }
  return member.get<std::size_t>();
}

double number_of(const Json& json) {
  constexpr std::string_view name = "parameters";
  if (json.is_number()) return json.get<double>();
  for (const double value : not_finite) {
    if (json == base::format_double(value)) return value;
  }
  refuse(name, "hold a number that is none");
}

Json json_of(const ModelNumbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, vectors] : numbers) {
    json[name] = Json::array();
    for (const std::vector<double>& values : vectors) json[name].push_back(json_of(values));
  }
  return json;
}

ModelNumbers numbers_of(const Json& json) {
  ModelNumbers numbers;
  for (const auto& [name, vectors] : json.items()) {
    if (!vectors.is_array()) refuse("parameters", "hold what is no list");
    for (const Json& vector : vectors) {
      if (!vector.is_array()) refuse("parameters", "hold what is no list of numbers");
      std::vector<double>& values = numbers[name].emplace_back();
      for (const Json& value : vector) values.push_back(number_of(value));
    }
  }
  return numbers;
}

std::string line_of(std::string_view name, const Json& value, int indent = -1) {
  return fmt::format("\"{}\": {},\n", name,
                     value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

StoredModel stored_of(const Json& json) {
  models::ModelText text{text_of(json, "kind")};
  const Json& options = object_of(json, "options");
  for (const auto& [name, value] : options.items()) text.options[name] = text_of(options, name);
  const ModelNumbers numbers = numbers_of(object_of(json, "parameters"));
  models::SharedFit shared = models::shared_fit_of(object_of(json, "shared").dump());
  if (shared.preparation.columns.empty()) refuse("columns", "of the table are none");
  return assemble(std::move(shared), std::move(text), [&](const std::string& name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::vector<std::vector<double>>{} : found->second;
  });
}

/// What people read of it, which a program does not.
void require_card(const Json& json) {
  (void)object_of(json, "card");
  (void)object_of(json, "choice");
  if (!member_of(json, "measures").is_array()) refuse("measures", "is no list");
}

ModelOrigin origin_of(const Json& json) {
  const Json& provenance = object_of(json, "provenance");
  return {text_of(provenance, "archive_digest"), text_of(provenance, "key"),
          count_of(provenance, "task"), count_of(provenance, "point")};
}

[[noreturn]] void fail_damaged(const std::string& path, std::string_view what) {
  throw base::DamagedError(
      fmt::format("the model file '{}' is damaged: {}; take a copy of it, or write it again with "
                  "`fairfront choose ARCHIVE --model FILE`",
                  base::excerpt(path), what));
}

[[noreturn]] void fail_foreign(const std::string& text, const std::string& path) {
  throw base::InputError(
      fmt::format("'{}' is neither an archive nor a model file{}: name what `fairfront run -o` "
                  "or `fairfront choose --model` has made",
                  base::excerpt(path), text.empty() ? ", but empty" : ""));
}

/// Where a text stops to be JSON.
std::string fault_of(const std::string& text, const Json::parse_error& error) {
  const std::string_view read = std::string_view{text}.substr(0, error.byte);
  const auto line =
      1 + std::ranges::count(read.substr(0, read.empty() ? 0 : read.size() - 1), '\n');
  if (error.byte > text.size()) {
    return fmt::format("it ends in line {} before its JSON does, as a file does that is cut off",
                       line);
  }
  return fmt::format("it is no JSON from line {} on", line);
}

/// Of the depth of a model file: what is deeper would end the stack. A member that is there twice
/// would be another one to every reader.
Json parsed(const std::string& text) {
  constexpr int deepest = 32;
  std::vector<std::set<std::string>> names;  // of the objects around
  return Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > deepest) throw base::DamagedError("it is nested too deeply");
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto& name = value.get_ref<const std::string&>();
    if (!names.back().insert(name).second) {
      throw base::DamagedError(fmt::format("its \"{}\" is there twice", base::excerpt(name)));
    }
    return true;
  });
}

/// Whether the digest at the end of the text is that of what stands in front of it.
bool keeps_digest(const std::string& text) {
  const std::size_t at = text.rfind(before_digest);
  if (at == std::string::npos) return false;
  const std::string end = fmt::format("{}{}\"\n}}\n", before_digest,
                                      base::sha256_of(std::string_view{text}.substr(0, at)));
  return std::string_view{text}.substr(at) == end;
}

void require_version(const Json& json, const std::string& path) {
  if (!member_of(json, "format_version").is_number_integer()) {
    refuse("format_version", "is no whole number");
  }
  const Json& member = json.at("format_version");
  const auto version = member.is_number_unsigned() ? member.get<std::uint64_t>() : 0;
  if (version < 1) refuse("format_version", "is below 1");
  if (version <= static_cast<std::uint64_t>(model_file_version)) return;
  throw base::InputError(fmt::format(
      "the model file '{}' has the format version {}, and this program reads {}: take a "
      "fairfront that is as new as the one that wrote it, or write it again",
      base::excerpt(path), version, model_file_version));
}

}  // namespace

std::string text_of(const StoredModel& stored, const std::string& about) {
  constexpr int indent = 2;
  const Json members = Json::parse(about);
  std::string text = "{\n";
  text += line_of("format", format_name);
  text += line_of("format_version", model_file_version);
  for (const char* name : {"card", "choice", "measures", "provenance"}) {
    text += line_of(name, members.at(name), indent);
  }
  text += line_of("outputs", said_of_row(stored));
  text +=
      line_of("needs_group", stored.model->needs_group() || stored.shared->preparation.uses_group);
  text += line_of("kind", stored.text.kind);
  text += line_of("options", stored.text.options);
  text += line_of("shared", Json::parse(models::text_of(*stored.shared)));
  text += line_of("parameters", json_of(stored.numbers));
  text += fmt::format("{}{}\"\n}}\n", before_digest, base::sha256_of(text));
  if (text.size() <= most_bytes) return text;
  throw base::InputError(
      "the model is larger than the 64 MiB of a model file: predict by the archive");
}

/// Where the text has the format's name; npos: nowhere, or it is no object.
static std::size_t place_of_format(std::string_view text) {
  return text.starts_with('{') ? text.find(fmt::format("\"{}\"", format_name))
                               : std::string_view::npos;
}

bool is_model_file(const std::string& text) try {
  constexpr std::size_t first_member = 200;  // also of what is cut off behind it
  const std::size_t place = place_of_format(text);
  if (place == std::string::npos) return false;
  return place < first_member || text_of(parsed(text), "format") == format_name;
} catch (const Json::exception&) {
  return false;
} catch (const base::DamagedError&) {
  return false;
}

ModelFile model_file_of(const std::string& text, const std::string& path) {
  if (place_of_format(text) == std::string::npos) fail_foreign(text, path);
  try {
    const Json json = parsed(text);
    if (!json.contains("format") || json.at("format") != format_name) fail_foreign(text, path);
    require_version(json, path);  // another version may end otherwise
    if (!keeps_digest(text)) {
      throw base::DamagedError("its bytes are not those that were written");
    }
    require_card(json);
    return {stored_of(json), origin_of(json)};
  } catch (const Json::parse_error& error) {
    fail_damaged(path, fault_of(text, error));
  } catch (const Json::out_of_range&) {
    fail_damaged(path, "it holds a number that is too large for a double");
  } catch (const Json::exception&) {
    fail_damaged(path, "it holds a number or text of another type than a model has there");
  } catch (const base::DamagedError& error) {
    fail_damaged(path, error.what());
  }
}

}  // namespace fairfront::results
