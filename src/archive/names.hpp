/// @file
/// Internal: the names of enumerators in the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.hpp"

namespace fairfront::archive {

/// In the order of their numbers.
inline const std::vector<std::string>& direction_names() {
  static const std::vector<std::string> names{"minimise", "maximise", "none"};
  return names;
}
inline const std::vector<std::string>& task_status_names() {
  static const std::vector<std::string> names{"missing", "done", "failed"};
  return names;
}

}  // namespace fairfront::archive
