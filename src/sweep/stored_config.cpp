#include "sweep/stored_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace fairfront::sweep {
namespace {

std::string full_name(const results::ConfigEntry& entry) {
  return entry.section.empty() ? entry.key : entry.section + "." + entry.key;
}

/// Place on the list of axes; nothing for an option with one value.
std::optional<std::ptrdiff_t> axis_of(const results::ConfigEntry& entry,
                                      std::span<const results::Axis> axes) {
  const auto found = std::ranges::find(axes, full_name(entry), &results::Axis::name);
  if (found == axes.end()) return std::nullopt;
  return found - axes.begin();
}

/// The entries with the axes of each section first, in their order. A file lists one section after
/// another, so this is as near to the order of the axes as its sections allow.
std::vector<results::ConfigEntry> with_axes_first(std::span<const results::ConfigEntry> config,
                                                  std::span<const results::Axis> axes) {
  std::vector<results::ConfigEntry> entries{config.begin(), config.end()};
  const auto last = static_cast<std::ptrdiff_t>(axes.size());
  for (auto first = entries.begin(); first != entries.end();) {
    const auto end = std::find_if(first, entries.end(), [&](const results::ConfigEntry& other) {
      return other.section != first->section;
    });
    std::stable_sort(first, end, [&](const auto& a, const auto& b) {
      return axis_of(a, axes).value_or(last) < axis_of(b, axes).value_or(last);
    });
    first = end;
  }
  return entries;
}

bool keeps_order(std::span<const results::ConfigEntry> entries,
                 std::span<const results::Axis> axes) {
  std::ptrdiff_t next = 0;
  return std::ranges::all_of(entries, [&](const results::ConfigEntry& entry) {
    const auto axis = axis_of(entry, axes);
    return !axis || *axis == next++;
  });
}

std::string ini_line(std::string_view key, const results::ConfigEntry& entry) {
  if (entry.value.find_first_of("\n\r") != std::string::npos) {
    throw base::InputError(fmt::format(
        "{} = {}: a config file cannot hold a value with a line end; give it with --set",
        full_name(entry), base::excerpt(entry.value)));
  }
  return fmt::format("{} = {}\n", key, entry.value);
}

}  // namespace

StoredConfig stored_config(std::span<const results::ConfigEntry> config,
                           std::span<const results::Axis> axes) {
  StoredConfig stored;
  std::string section;
  const auto is_axis = [&](const results::ConfigEntry& entry) {
    return std::ranges::find(axes, full_name(entry), &results::Axis::name) != axes.end();
  };
  const auto assign = [&](const results::ConfigEntry& entry) {
    stored.assignments.push_back(fmt::format("{}={}", full_name(entry), entry.value));
  };
  for (const results::ConfigEntry& entry : config) {
    if (entry.section.empty() && entry.key == "experiment") {
      stored.text = fmt::format("experiment = {}\n{}", entry.value, stored.text);
    } else if (entry.section != section) {
      stored.text += fmt::format("[{}]\n", entry.section);
    }
    section = entry.section;
  }
  for (const results::Axis& axis : axes) {
    const auto entry = std::ranges::find(config, axis.name, full_name);
    if (entry != config.end()) assign(*entry);
  }
  for (const results::ConfigEntry& entry : config) {
    if (!is_axis(entry)) assign(entry);
  }
  return stored;
}

std::string stored_ini(std::span<const results::ConfigEntry> config,
                       std::span<const results::Axis> axes) {
  const std::vector<results::ConfigEntry> entries = with_axes_first(config, axes);
  // Axes whose order no order of lines within sections gives, as --set can make them, stand above
  // the sections by their full names.
  const bool in_sections = keeps_order(entries, axes);
  std::string head;
  std::string body;
  for (const results::ConfigEntry& entry : entries) {
    if (entry.section.empty() && entry.key == "experiment") head += ini_line(entry.key, entry);
  }
  if (!in_sections) {
    for (const results::Axis& axis : axes) {
      const auto entry = std::ranges::find(entries, axis.name, full_name);
      if (entry != entries.end()) head += ini_line(axis.name, *entry);
    }
  }
  std::string section;
  for (const results::ConfigEntry& entry : entries) {
    if (entry.section.empty() && entry.key == "experiment") continue;
    if (entry.section != section) body += fmt::format("\n[{}]\n", entry.section);
    section = entry.section;
    if (!in_sections && axis_of(entry, axes)) continue;
    body += ini_line(entry.key, entry);
  }
  return head + body;
}

}  // namespace fairfront::sweep
