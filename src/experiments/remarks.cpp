#include "experiments/remarks.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "base/text.hpp"
#include "experiments/measured.hpp"

namespace fairfront::experiments {

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
    texts.push_back(fmt::format("{}: {}", reason, base::join(columns, ", ")));
  }
  std::vector<std::string> groups;
  for (std::size_t g = 0; g < group_names.size(); ++g) {
    groups.push_back(fmt::format("{} = {}", g, group_names[g]));
  }
  return fmt::format("undefined: {} (groups: {})", base::join(texts, "; "),
                     base::join(groups, ", "));
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
