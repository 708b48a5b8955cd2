/// @file
/// How often the interval of the difference of two models' gaps holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "metrics/coverage.hpp"
#include "metrics/paired_measure.hpp"

namespace fairfront::metrics {

/// So many rows of every group with label 1, and as many with label 0. The true positive rates of
/// the groups are .25 and more, up to `gap_first` more of the first model and `gap_second` of the
/// second, which has the groups in the other order; of false positive rates it is one half of this.
/// Where the models are alike, each row has the same answer of both with probability one half.
struct PairedSetting {
  std::string name;
  std::vector<std::int64_t> rows;
  double gap_first = 0, gap_second = 0;
  bool alike = false;
};

inline const PairedMeasure& paired_measure(const std::string& gap) {
  for (const PairedMeasure& measure : paired_measures()) {
    if (measure.gap == gap) return measure;
  }
  throw std::logic_error("no paired measure of " + gap);
}

/// Decisions of both models on the same rows.
inline std::pair<Sample, Sample> draw_pair(const PairedSetting& setting, base::Stream stream) {
  Sample first;
  first.groups = std::ssize(setting.rows);
  Sample second = first;
  for (std::size_t g = 0; g < setting.rows.size(); ++g) {
    const double place = static_cast<double>(g) / static_cast<double>(setting.rows.size() - 1);
    for (std::int64_t i = 0; i < 2 * setting.rows[g]; ++i) {
      const double factor = i % 2 == 0 ? 1 : 0.5;
      const double u = stream.uniform();
      const double v = setting.alike && stream.uniform() < 0.5 ? u : stream.uniform();
      first.score.push_back(u < 0.25 + factor * setting.gap_first * place ? 1 : 0);
      second.score.push_back(v < 0.25 + factor * setting.gap_second * (1 - place) ? 1 : 0);
      for (Sample* sample : {&first, &second}) {
        sample->label.push_back(i % 2 == 0 ? 1 : 0);
        sample->group.push_back(static_cast<std::int32_t>(g));
      }
    }
  }
  return {std::move(first), std::move(second)};
}

/// @param gap     true_positive_gap or separation_gap.
/// @param tables  that many are drawn.
inline Coverage paired_coverage(const PairedSetting& setting, const std::string& gap,
                                std::int64_t tables, double level, std::uint64_t seed) {
  const PairedMeasure& measure = paired_measure(gap);
  Coverage found;
  found.truth = setting.gap_first - setting.gap_second;
  for (std::int64_t table = 0; table < tables; ++table) {
    const auto [first, second] =
        draw_pair(setting, base::Stream(base::StreamKey(seed, "coverage", "paired"),
                                        static_cast<std::uint64_t>(table)));
    count(found, measure.of(first.view(), second.view()).value,
          measure.interval(first.view(), second.view(), level));
  }
  return found;
}

}  // namespace fairfront::metrics
