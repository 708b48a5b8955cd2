/// @file
/// A table of predictions and their groups, tasks over it, and rates by their definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments::audit {

/// One row of a table: label, group, part and what the model says.
struct Row {
  double label;
  std::string group;
  double score;
  std::string part = "train";
};

/// Runs the tasks of a config over a table of its own.
class Audit : public TableSweep {
 public:
  /// @param config  goes on in [predictions], @param data in [data].
  Audit(const std::vector<Row>& rows, const std::string& config, const std::string& data = "")
      : Audit(text_of(rows), "[predictions]\nscore = s\n" + config,
              "label = y\nsensitive = g\n" + data) {}

  Audit(const std::string& csv, const std::string& config, const std::string& data)
      : TableSweep("predictions", csv, config, data) {}

 private:
  static std::string text_of(const std::vector<Row>& rows) {
    std::string text = "y,g,s,part\n";
    for (const Row& row : rows) {
      text += base::format_double(row.label) + ',' + row.group + ',' +
              base::format_double(row.score) + ',' + row.part + '\n';
    }
    return text;
  }
};

inline std::string error_of(const std::string& csv, const std::string& config,
                            const std::string& data) {
  try {
    (void)Audit(csv, config, data).forecast();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

/// Scores in multiples of 1/5: many ties. Every group has both labels in both parts.
inline std::vector<Row> tied_scores(std::uint64_t seed, std::uint32_t rows, std::uint32_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "predictions"), 0);
  std::vector<Row> all;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint32_t cell = i < 4 * groups ? i : stream.below(4 * groups);
    all.push_back({static_cast<double>(cell % 2), std::string(1, static_cast<char>('a' + cell / 4)),
                   stream.below(6) / 5.0, cell / 2 % 2 == 0 ? "train" : "test"});
  }
  return all;
}

// Every number from its definition, row by row.

template <class Counts>
double share(const std::vector<Row>& rows, Counts counts, auto hits) {
  double of = 0;
  double hit = 0;
  for (const Row& row : rows) {
    if (!counts(row)) continue;
    of += 1;
    hit += hits(row) ? 1 : 0;
  }
  return of == 0 ? std::numeric_limits<double>::quiet_NaN() : hit / of;
}

inline std::set<std::string> groups_of(const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& row : rows) names.insert(row.group);
  return names;
}

/// Largest less smallest of a rate over the groups.
double gap(const std::vector<Row>& rows, auto counts, auto hits) {
  std::vector<double> shares;
  for (const std::string& group : groups_of(rows)) {
    shares.push_back(share(
        rows, [&](const Row& row) { return row.group == group && counts(row); }, hits));
  }
  return std::ranges::max(shares) - std::ranges::min(shares);
}

inline std::vector<Row> part_of(const std::vector<Row>& rows, const std::string& part) {
  std::vector<Row> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen),
                       [&](const Row& row) { return row.part == part; });
  return chosen;
}

inline const std::string part_column = "split = part\n";
inline const std::string by_column = "[split]\nby = column\nvalidation = 0\n";

}  // namespace fairfront::experiments::audit
