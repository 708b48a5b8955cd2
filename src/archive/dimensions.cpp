#include "archive/dimensions.hpp"

namespace fairfront::archive {

std::vector<std::string> dimensions_of(const results::Use& use, std::string_view name) {
  const bool points = name == "points" || name == "report";
  std::vector<std::string> dimensions;
  if (use.per_task) dimensions.emplace_back("task");
  if (points) dimensions.emplace_back("point");
  if (use.wide && !use.per_task && !points) dimensions.emplace_back("group");
  if (use.wide) dimensions.emplace_back("objective");
  return dimensions;
}

std::vector<std::string> measure_dimensions() { return {"task", "part", "group", "end"}; }

std::vector<std::string> end_names() {
  std::vector<std::string> names;
  results::for_each_field<results::Measured>(
      [&](const auto& end) { names.push_back(std::string(end.name)); });
  return names;
}

}  // namespace fairfront::archive
