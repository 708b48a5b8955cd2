#include "sweep/time_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::sweep {
namespace {

constexpr double archive_margin_seconds = 30;

[[noreturn]] void refuse(const std::string& text) {
  throw base::InputError(
      fmt::format("--time-limit = '{}', must be minutes, M:S, H:M:S or D-H[:M[:S]]", text));
}

std::vector<double> parse_fields(const std::string& text, const std::string& whole) {
  std::vector<double> fields;
  for (const std::string& part : base::split_outside_parentheses(text, ':')) {
    const auto value = base::parse_int64(part);
    if (!value || *value < 0) refuse(whole);
    fields.push_back(static_cast<double>(*value));
  }
  if (fields.empty() || fields.size() > 3) refuse(whole);
  return fields;
}

}  // namespace

double parse_time_limit(const std::string& text) {
  constexpr double minute = 60;
  constexpr double hour = 3600;
  constexpr double day = 24 * hour;
  double seconds = 0;
  if (const auto dash = text.find('-'); dash != std::string::npos) {
    const auto days = base::parse_int64(text.substr(0, dash));
    if (!days || *days < 0) refuse(text);
    std::vector<double> fields = parse_fields(text.substr(dash + 1), text);
    fields.resize(3, 0);
    seconds = static_cast<double>(*days) * day + fields[0] * hour + fields[1] * minute + fields[2];
  } else {
    const std::vector<double> fields = parse_fields(text, text);
    if (fields.size() == 1) seconds = fields[0] * minute;
    if (fields.size() == 2) seconds = fields[0] * minute + fields[1];
    if (fields.size() == 3) seconds = fields[0] * hour + fields[1] * minute + fields[2];
  }
  if (seconds <= 0) refuse(text);
  return seconds;
}

double allowed_seconds(const std::string& limit, const Environment& environment) {
  double seconds = std::numeric_limits<double>::infinity();
  if (!limit.empty()) seconds = parse_time_limit(limit);
  const auto end = environment("SLURM_JOB_END_TIME");
  if (const auto end_time = base::parse_int64(end.value_or(""))) {
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    seconds = std::min(
        seconds, std::max(0.0, static_cast<double>(*end_time) - now - archive_margin_seconds));
  }
  return seconds;
}

}  // namespace fairfront::sweep
