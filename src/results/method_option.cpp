#include "results/method_option.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace fairfront::results {

std::string method_option(const Content& content, std::size_t task, std::string_view key) {
  const std::string& method = content.tasks.method[task];
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (content.axes[a].name != fmt::format("{}.{}", method, key) || place < 0) continue;
    return content.axes[a].values[static_cast<std::size_t>(place)];
  }
  for (const ConfigEntry& option : content.config) {
    if (option.section == method && option.key == key) return option.value;
  }
  return {};
}

}  // namespace fairfront::results
