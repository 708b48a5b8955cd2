#include "experiments/predictions_parts.hpp"

#include <fmt/format.h>

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

AuditPart part_named(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [name, part] : audit_parts) {
    if (name == text) return part;
    names.emplace_back(name);
  }
  throw base::InputError(fmt::format("measures.parts names '{}', which is no part{}",
                                     base::excerpt(text), base::name_hint(text, names)));
}

void check_rows(const Predictions& predictions, AuditPart part, std::string_view option) {
  if (!sample_of(predictions, part).score.empty()) return;
  throw base::InputError(
      fmt::format("{} = {}: no row is in this part; see [split]", option, name_of(part)));
}

}  // namespace fairfront::experiments
