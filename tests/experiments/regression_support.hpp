/// @file
/// A table with a target, two attributes and the predictions of two models, and sweeps over it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "experiments/regression.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments {

/// One row of a table: target, two attributes, what two models say, part, a feature.
struct Row {
  double y;
  std::string sex;
  std::string region;
  double eta;
  double tau;  ///< of sex m
  std::string part;
  double x;
};

inline std::vector<Row> random_rows(std::uint64_t seed, int count) {
  base::Stream stream(base::StreamKey(seed, "test", "regression"), 0);
  const char* const parts[] = {"train", "unlabelled", "test"};
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    const bool man = stream.uniform() < 0.6;
    const double x = stream.normal() + (man ? 1 : 0);
    const double eta = 10 + 2 * x;
    rows.push_back({eta + stream.normal(), man ? "m" : "f", stream.below(2) == 0 ? "n" : "s", eta,
                    0.05 + 0.9 * stream.uniform(), parts[i % 3], x});
  }
  return rows;
}

inline std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "y,sex,region,eta,tau_f,tau_m,part,x\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", base::format_double(row.y), row.sex,
                        row.region, base::format_double(row.eta), base::format_double(1 - row.tau),
                        base::format_double(row.tau), row.part, base::format_double(row.x));
  }
  return text;
}

inline std::vector<Row> part(const std::vector<Row>& rows, const std::string& name) {
  std::vector<Row> found;
  for (const Row& row : rows) {
    if (row.part == name) found.push_back(row);
  }
  return found;
}

inline const std::string parts =
    "[split]\nby = column\ntrain_values = train\nvalidation_values = unlabelled\n"
    "test_values = test\n";
inline const std::string from_columns = "[base]\neta = eta\ntau = tau_f, tau_m\n";

/// Runs the tasks of a config over such a table.
class Sweep : public TableSweep {
 public:
  /// @param data  further lines of [data].
  Sweep(const std::string& csv, const std::string& config,
        const std::string& data = "sensitive = sex\n")
      : TableSweep("regression", csv, config,
                   (config.find("by = column") != std::string::npos ? "label = y\nsplit = part\n"
                                                                    : "label = y\n") +
                       data) {}

  [[nodiscard]] RegressionProblem problem(std::int64_t index = 0) const {
    return regression_family().load(task(index), context()).problem;
  }
};

/// What is wrong with the first task, found before any runs.
inline std::string error_of(const std::string& csv, const std::string& config,
                            const std::string& data = "sensitive = sex\n") {
  try {
    (void)Sweep(csv, config, data).forecast();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

inline const std::vector<double>& numbers(const sweep::TaskResult& result, const std::string& name,
                                          std::size_t index) {
  return std::get<std::vector<double>>(result.solutions.at(name).at(index));
}

/// Largest |F_s - F| of values with weights, from its definition.
inline double distance_to_all(const std::vector<Row>& rows,
                              const std::vector<std::vector<double>>& pi,
                              const std::vector<double>& atoms) {
  double largest = 0;
  for (const char* sex : {"f", "m"}) {
    for (const double at : atoms) {
      double below = 0, count = 0, below_all = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        double mass = 0;
        for (std::size_t l = 0; l < atoms.size(); ++l) mass += atoms[l] <= at ? pi[i][l] : 0;
        below_all += mass;
        if (rows[i].sex != sex) continue;
        below += mass;
        ++count;
      }
      largest = std::max(largest, std::abs(below / count - below_all / double(rows.size())));
    }
  }
  return largest;
}

}  // namespace fairfront::experiments
