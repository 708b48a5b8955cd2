#include "problem_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "base/text.hpp"

namespace fairfront::drivers {

namespace {

bool is_of_method(const results::Content& content, const results::Axis& axis) {
  const auto dot = axis.name.find('.');
  if (dot == std::string::npos) return false;
  const std::string method = axis.name.substr(0, dot) + "=";
  return std::ranges::any_of(
      content.revisions, [&](const std::string& revision) { return revision.starts_with(method); });
}

/// Methods that have an option of one name ask one question, whose answers are compared.
std::string name_of(const results::Content& content, const results::Axis& axis) {
  return is_of_method(content, axis) ? axis.name.substr(axis.name.find('.') + 1) : axis.name;
}

}  // namespace

bool makes_problems(const results::Content& content, const results::Axis& axis) {
  if (axis.role == base::Role::problem) return true;
  const bool has_section = axis.name.find('.') != std::string::npos;
  return axis.role == base::Role::replicate && has_section && !is_of_method(content, axis);
}

std::string problem_name(const results::Content& content, std::size_t task) {
  std::vector<std::string> values;
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const results::Axis& axis = content.axes[a];
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (place < 0 || !makes_problems(content, axis)) continue;
    values.push_back(
        fmt::format("{}={}", name_of(content, axis), axis.values[static_cast<std::size_t>(place)]));
  }
  if (!values.empty()) return base::join(values, ", ");
  return content.datasets.empty() ? "-" : content.datasets.front().name;
}

}  // namespace fairfront::drivers
