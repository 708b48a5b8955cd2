#include "config/config_text.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::config {
namespace {

using base::fail;

}  // namespace

ConfigText scan_config(std::string_view text, const std::string& file) {
  return {base::scan_ini(text, file), {}};
}

void add_override(ConfigText& config, const std::string& assignment) {
  const std::string where = "--set " + base::excerpt(assignment);
  base::check_plain_line(assignment, where);
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw base::InputError(where + ": must be key=value or section.key=value");
  }
  const std::string key{base::trim(std::string_view{assignment}.substr(0, equals))};
  if (key.empty()) throw base::InputError(where + ": there is no key in front of '='");
  const std::string value{base::trim(std::string_view{assignment}.substr(equals + 1))};
  config.overrides.push_back({{}, key, value, where});
}

}  // namespace fairfront::config
