/// @file
/// Small random samples with ties, groups without rows and labels that a group lacks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Owns what `Scored` shows.
struct Sample {
  std::vector<double> score, label;
  std::vector<std::int32_t> group;
  std::int64_t groups = 1;
  double threshold = 0.5;

  [[nodiscard]] Scored view() const { return {score, label, group, groups, threshold}; }
};

inline base::Stream stream_of(std::uint64_t seed) {
  return base::Stream(base::StreamKey(seed, "test", "sample"), 0);
}

/// Scores are multiples of 1/`levels` in [0, 1], labels 0 and 1.
inline Sample random_sample(base::Stream& stream, std::uint32_t rows, std::uint32_t groups,
                            std::uint32_t levels) {
  Sample sample;
  sample.groups = groups;
  for (std::uint32_t i = 0; i < rows; ++i) {
    sample.score.push_back(static_cast<double>(stream.below(levels + 1)) / levels);
    sample.label.push_back(stream.below(2));
    sample.group.push_back(static_cast<std::int32_t>(stream.below(groups)));
  }
  return sample;
}

/// 0 to 14 rows, 1 to 4 groups, many ties.
inline Sample random_small_sample(std::uint64_t seed) {
  base::Stream stream = stream_of(seed);
  const std::uint32_t rows = stream.below(15);
  const std::uint32_t groups = 1 + stream.below(4);
  return random_sample(stream, rows, groups, 1 + stream.below(6));
}

/// n rows with scores that tell something: shifted by label and by group; no empty cell.
inline Sample large_sample(std::uint64_t seed, std::uint32_t rows, std::uint32_t groups) {
  base::Stream stream = stream_of(seed);
  Sample sample;
  sample.groups = groups;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint32_t group = i < 2 * groups ? i / 2 : stream.below(groups);
    const std::uint32_t label = i < 2 * groups ? i % 2 : stream.below(2);
    sample.group.push_back(static_cast<std::int32_t>(group));
    sample.label.push_back(label);
    sample.score.push_back(0.6 * stream.uniform() + 0.3 * label + 0.1 * group / groups);
  }
  return sample;
}

}  // namespace fairfront::metrics
