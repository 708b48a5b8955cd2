#include "problem_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "base/text.hpp"

namespace fairfront::drivers {

bool makes_problems(const results::Content& content, const results::Axis& axis) {
  if (axis.role == base::Role::problem) return true;
  const auto dot = axis.name.find('.');
  if (axis.role != base::Role::replicate || dot == std::string::npos) return false;
  const std::string method = axis.name.substr(0, dot) + "=";
  return std::ranges::none_of(
      content.revisions, [&](const std::string& revision) { return revision.starts_with(method); });
}

std::string problem_name(const results::Content& content, std::size_t task) {
  std::vector<std::string> values;
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const results::Axis& axis = content.axes[a];
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (place < 0 || !makes_problems(content, axis)) continue;
    values.push_back(fmt::format("{}={}", axis.name, axis.values[static_cast<std::size_t>(place)]));
  }
  if (!values.empty()) return base::join(values, ", ");
  return content.datasets.empty() ? "-" : content.datasets.front().name;
}

}  // namespace fairfront::drivers
