#include "experiments/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "base/text.hpp"
#include "experiments/measured.hpp"

namespace fairfront::experiments {
namespace {

/// A reason with "group 'women'" where it has "group 3": whoever reads it knows no numbers.
std::string with_names(std::string_view reason, const std::vector<std::string>& group_names) {
  constexpr std::string_view word = "group ";
  std::string text;
  for (std::size_t at = 0; at < reason.size();) {
    const std::size_t found = std::min(reason.find(word, at), reason.size());
    const std::size_t first = std::min(found + word.size(), reason.size());
    text += reason.substr(at, first - at);
    std::size_t group = 0;
    const auto [end, error] =
        std::from_chars(reason.data() + first, reason.data() + reason.size(), group);
    at = first;
    if (error == std::errc{} && group < group_names.size()) {
      text += fmt::format("'{}'", group_names[group]);
      at = static_cast<std::size_t>(end - reason.data());
    }
  }
  return text;
}

/// Of many groups the first ones.
std::string names_of(const std::vector<std::size_t>& groups,
                     const std::vector<std::string>& group_names) {
  constexpr std::size_t most_named = 6;
  std::vector<std::string> names;
  for (const std::size_t group : groups) {
    if (names.size() == most_named) break;
    names.push_back(group < group_names.size() ? fmt::format("'{}'", group_names[group])
                                               : std::to_string(group));
  }
  const std::string text = base::join(names, ", ");
  const std::size_t more = groups.size() - names.size();
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

}  // namespace

void Remarks::add(const std::string& reason, const std::string& column) {
  for (Reason& known : reasons_) {
    if (known.text == reason) return known.columns.push_back(column);
  }
  reasons_.push_back({reason, {column}});
}

void Remarks::add_of_group(const std::string& reason, std::size_t group,
                           const std::string& column) {
  for (Reason& known : reasons_) {
    if (known.text != reason || !(known.of_group.empty() || known.group == group)) continue;
    known.group = group;
    return known.of_group.push_back(column);
  }
  reasons_.push_back({reason, {}, group, {column}});
}

std::string_view Remarks::Reason::stem() const {
  const std::string end = fmt::format("group {}", group);
  std::string_view stem = text;
  if (stem.ends_with(end)) stem.remove_suffix(end.size());
  return stem;
}

bool Remarks::Reason::is_alike(const Reason& other) const {
  return columns.empty() && other.columns.empty() && of_group == other.of_group &&
         stem() == other.stem();
}

std::string Remarks::text(const std::vector<std::string>& group_names) const {
  if (reasons_.empty()) return {};
  std::vector<std::string> texts;
  std::vector<bool> told(reasons_.size(), false);
  for (std::size_t i = 0; i < reasons_.size(); ++i) {
    if (told[i]) continue;
    const Reason& reason = reasons_[i];
    std::vector<std::size_t> groups;
    for (std::size_t j = i; j < reasons_.size(); ++j) {
      if (j > i && !reason.is_alike(reasons_[j])) continue;
      told[j] = true;
      groups.push_back(reasons_[j].group);
    }
    std::vector<std::string> columns = reason.columns;
    if (!reason.of_group.empty()) {
      columns.push_back(fmt::format(
          "{}of {} {}: {}", columns.empty() ? "" : "and ", groups.size() > 1 ? "groups" : "group",
          names_of(groups, group_names), base::join(reason.of_group, ", ")));
    }
    const std::string why =
        groups.size() > 1 && reason.stem() != reason.text
            ? fmt::format("{}groups {}", reason.stem(), names_of(groups, group_names))
            : with_names(reason.text, group_names);
    texts.push_back(fmt::format("{}: {}", why, base::join(columns, ", ")));
  }
  return "undefined: " + base::join(texts, "; ");
}

void append(std::string& remark, const std::string& more) {
  if (!remark.empty() && !more.empty()) remark += "; ";
  remark += more;
}

void add_undefined(Remarks& remarks, std::span<const metrics::Measure> measures,
                   std::span<const metrics::Value> learnt, std::span<const metrics::Value> reported,
                   std::string_view part) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (reported[m].defined() || !learnt[m].defined()) continue;
    remarks.add(reported[m].undefined_reason, text_of(measures[m].what.name, part));
  }
}

}  // namespace fairfront::experiments
