#include "experiments/predictions_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::experiments {
namespace {

constexpr std::array<std::pair<std::string_view, AuditPart>, 5> audit_parts{
    {{"all", AuditPart::all},
     {"train", AuditPart::train},
     {"validation", AuditPart::validation},
     {"choice", AuditPart::choice},
     {"test", AuditPart::test}}};

const std::string automatic_parts = "auto";

/// What measures.parts may name in the place of what is no part: parts with rows that it does not
/// name yet, and auto where nothing else is named.
std::vector<std::string> names_to_take(const Predictions& predictions,
                                       const std::vector<std::string>& named) {
  std::vector<std::string> names;
  if (named.size() == 1) names.push_back(automatic_parts);
  for (const auto& [name, part] : audit_parts) {
    const bool has_rows = !sample_of(predictions, part).score.empty();
    if (has_rows && std::ranges::count(named, name) == 0) names.emplace_back(name);
  }
  return names;
}

/// @throws base::InputError  measures.parts names no part.
AuditPart required_part(const std::string& text, const Predictions& predictions,
                        const std::vector<std::string>& named) {
  if (text == automatic_parts) {
    throw base::InputError("measures.parts names other parts beside auto, which must stand alone");
  }
  if (const auto part = part_named(text)) return *part;
  throw base::InputError(fmt::format("measures.parts names '{}', which is no part{}",
                                     base::excerpt(text),
                                     base::name_hint(text, names_to_take(predictions, named))));
}

}  // namespace

const std::vector<std::string_view>& audit_part_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto& [name, part] : audit_parts) all.push_back(name);
    return all;
  }();
  return names;
}

std::string_view name_of(AuditPart part) {
  for (const auto& [name, value] : audit_parts) {
    if (value == part) return name;
  }
  return "none";
}

std::optional<AuditPart> part_named(std::string_view name) {
  for (const auto& [known, part] : audit_parts) {
    if (known == name) return part;
  }
  return std::nullopt;
}

std::vector<AuditPart> held_out_parts(const Predictions& predictions) {
  std::vector<AuditPart> parts;
  if (predictions.parted) {
    for (const auto& [part, rows] : {std::pair{AuditPart::validation, data::Part::validation},
                                     {AuditPart::choice, data::Part::choice},
                                     {AuditPart::test, data::Part::test}}) {
      if (predictions.has_rows(rows) && !is_of_training(predictions, rows)) parts.push_back(part);
    }
  }
  if (parts.empty()) parts.push_back(AuditPart::all);
  return parts;
}

std::vector<AuditPart> measured_parts(const Predictions& predictions,
                                      const MeasuresOptions& options) {
  const std::vector<std::string>& names = options.parts;
  if (names == std::vector<std::string>{automatic_parts}) {
    if (predictions.parted && !predictions.no_parts.empty()) {
      throw base::InputError(predictions.no_parts);
    }
    return held_out_parts(predictions);
  }
  std::vector<AuditPart> parts;
  for (const std::string& name : names) {
    const AuditPart part = required_part(name, predictions, names);
    if (std::ranges::find(parts, part) != parts.end()) {
      throw base::InputError(fmt::format("measures.parts names '{}' twice", name));
    }
    parts.push_back(part);
  }
  return parts;
}

void check_rows(const Predictions& predictions, AuditPart part, std::string_view option) {
  if (part != AuditPart::all && !predictions.no_parts.empty()) {
    throw base::InputError(predictions.no_parts);
  }
  if (!sample_of(predictions, part).score.empty()) return;
  throw base::InputError(
      fmt::format("{} = {}: no row is in this part; see [split]", option, name_of(part)));
}

}  // namespace fairfront::experiments
