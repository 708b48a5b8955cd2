/// @file
/// The names of enumerators in files and messages.
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/quantity.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// Names in the order of their numbers. Specialised for the enumerations that are stored.
template <class Enum>
[[nodiscard]] const std::vector<std::string>& names_of();

template <>
inline const std::vector<std::string>& names_of<base::Direction>() {
  static const std::vector<std::string> names{"minimise", "maximise", "none"};
  return names;
}
template <>
inline const std::vector<std::string>& names_of<TaskStatus>() {
  static const std::vector<std::string> names{"missing", "done", "failed"};
  return names;
}
template <>
inline const std::vector<std::string>& names_of<base::Role>() {
  static const std::vector<std::string> names{"problem", "setting", "trade_off", "replicate",
                                              "tuning"};
  return names;
}

template <>
inline const std::vector<std::string>& names_of<AtGroups>() {
  static const std::vector<std::string> names{"own", "made_by"};
  return names;
}

template <class Enum>
[[nodiscard]] const std::string& name_of(Enum value) {
  return names_of<Enum>().at(static_cast<std::size_t>(value));
}

}  // namespace fairfront::results
