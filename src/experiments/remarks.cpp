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

}  // namespace

void Remarks::add(const std::string& reason, const std::string& column) {
  for (auto& [known, columns] : reasons_) {
    if (known == reason) return columns.push_back(column);
  }
  reasons_.push_back({reason, {column}});
}

std::string Remarks::text(const std::vector<std::string>& group_names) const {
  if (reasons_.empty()) return {};
  std::vector<std::string> texts;
  for (const auto& [reason, columns] : reasons_) {
    texts.push_back(
        fmt::format("{}: {}", with_names(reason, group_names), base::join(columns, ", ")));
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
