#include "base/other_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

std::string with_doubled_backslashes(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '\\' ? 2 : 1, c);
  return doubled;
}

/// The text, or the first free one of "text (2)", "text (3)" and so on, which is then taken.
std::string free_text(const std::string& text, std::set<std::string>& taken) {
  std::string free = text;
  for (int number = 2; !taken.insert(free).second; ++number) {
    free = fmt::format("{} ({})", text, number);
  }
  return free;
}

}  // namespace

std::string name_hint(std::string_view name, std::span<const std::string> valid,
                      const OtherNames& others) {
  std::vector<std::string> all(valid.begin(), valid.end());
  all.insert(all.end(), others.names.begin(), others.names.end());
  // What was read is the beginning of a name that has no quotes, or only those of its value.
  const auto whole =
      std::ranges::find_if(all, [start = fmt::format("{},", name)](const std::string& one) {
        return one.starts_with(start);
      });
  if (!name.empty() && whole != all.end()) {
    return fmt::format(
        " (a name with a comma stands in quotes, \"{0}\", and in three where it is the whole "
        "value, "
        "\"\"\"{0}\"\"\")",
        excerpt(*whole));
  }
  if (const auto nearest = nearest_name(name, all)) {
    return fmt::format(" (did you mean '{}'?)", printable(*nearest));
  }
  const std::string list = valid.empty() ? "none" : list_some(valid);
  if (others.names.empty()) return fmt::format(" (valid: {})", list);
  return fmt::format(" (valid: {}; {}: {})", list, others.what, list_some(others.names));
}

std::vector<std::string> printable_apart(std::span<const std::string> names) {
  std::map<std::string, std::set<std::string>> names_of;  // by what is printed of them
  for (const std::string& name : names) names_of[printable(name)].insert(name);
  std::set<std::string> taken;
  for (const auto& [text, alike] : names_of) {
    if (alike.size() == 1) taken.insert(text);
  }
  std::map<std::string, std::string> text_of;
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    const auto [found, is_new] = text_of.try_emplace(name, printable(name));
    if (is_new && names_of.at(found->second).size() > 1) {
      found->second = free_text(printable(with_doubled_backslashes(name)), taken);
    }
    texts.push_back(found->second);
  }
  return texts;
}

}  // namespace fairfront::base
