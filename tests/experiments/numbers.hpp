/// @file
/// A result's numbers by name, for tests: metrics under their own, and of measures on all rows of a
/// part `measure_part`, with `_low` and `_high` for what is known of the interval.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "results/task_record.hpp"

namespace fairfront::experiments {

inline std::map<std::string, double> numbers_of(const results::TaskResult& result) {
  std::map<std::string, double> numbers = result.metrics;
  const auto add = [&](const std::string& name, double value) {
    if (!std::isnan(value)) numbers.emplace(name, value);
  };
  for (const auto& [name, by_rows] : result.measured) {
    for (const auto& [rows, measured] : by_rows) {
      if (rows.group != "all") continue;
      const std::string text = name + "_" + rows.part;
      add(text, measured.value);
      add(text + "_low", measured.low);
      add(text + "_high", measured.high);
    }
  }
  return numbers;
}

}  // namespace fairfront::experiments
