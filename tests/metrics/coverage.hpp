/// @file
/// How often intervals hold: samples of a known population, on which every measure is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"
#include "metrics/measure.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {

/// Groups, how they differ, and how many rows of each are in a sample.
struct Setting {
  std::string name;
  std::vector<std::int64_t> rows;  ///< of every group
  double spread = 0;               ///< how far the groups' logits lie apart
  bool one_apart = false;          ///< the last group differs from all others, which are alike
  bool regression = false;         ///< predictions of a real target
  double centre = -0.7;            ///< of the logits
  double deviation = 1.2;          ///< of the logits: some 5 are those of a strong model
  double slope = 0.9;              ///< times the logit of a score is that of label 1
};

/// The same number of rows in each group, but for `small` ones of 30.
inline std::vector<std::int64_t> group_rows(std::size_t groups, std::int64_t rows,
                                            std::size_t small = 0) {
  std::vector<std::int64_t> all(groups, rows);
  for (std::size_t g = 0; g < small; ++g) all[groups - 1 - g] = 30;
  return all;
}

/// A table to draw from, with the groups' shares of the sample. Where `spread` is 0, every group
/// has the same rows, so that all gaps are 0.
inline Sample population_of(const Setting& setting, std::uint64_t seed, std::int64_t copies = 40) {
  Sample all;
  all.groups = std::ssize(setting.rows);
  for (std::size_t g = 0; g < setting.rows.size(); ++g) {
    base::Stream stream(base::StreamKey(seed, "coverage", "population"),
                        setting.spread == 0 ? 0 : g);
    const double place =
        setting.one_apart
            ? (g + 1 == setting.rows.size() ? 1.0 : 0.0)
            : static_cast<double>(g) /
                  static_cast<double>(std::max<std::size_t>(2, setting.rows.size()) - 1);
    const std::int64_t base_rows = *std::ranges::min_element(setting.rows) * copies;
    std::vector<double> scores, labels;
    for (std::int64_t i = 0; i < base_rows; ++i) {
      const double logit =
          setting.centre + setting.spread * place + setting.deviation * stream.normal();
      if (setting.regression) {
        scores.push_back(logit);
        labels.push_back(logit + (1 + 0.5 * setting.spread * place) * stream.normal());
      } else {
        scores.push_back(base::sigmoid(logit));
        labels.push_back(stream.uniform() < base::sigmoid(setting.slope * logit) ? 1 : 0);
      }
    }
    for (std::int64_t i = 0; i < setting.rows[g] * copies; ++i) {
      const auto row = static_cast<std::size_t>(i % base_rows);
      all.score.push_back(scores[row]);
      all.label.push_back(labels[row]);
      all.group.push_back(static_cast<std::int32_t>(g));
    }
  }
  return all;
}

/// Draws every group's rows of the sample from the population's, with replacement.
class Drawer {
 public:
  Drawer(const Sample& population, const Setting& setting)
      : population_{population}, rows_{setting.rows}, first_(rows_.size()), size_(rows_.size()) {
    for (std::size_t i = population.group.size(); i-- > 0;) {
      const auto g = static_cast<std::size_t>(population.group[i]);
      first_[g] = i;
      ++size_[g];
    }
  }
  [[nodiscard]] Sample draw(base::Stream stream) const {
    Sample sample;
    sample.groups = population_.groups;
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      for (std::int64_t i = 0; i < rows_[g]; ++i) {
        const std::size_t row = first_[g] + stream.below(size_[g]);
        sample.score.push_back(population_.score[row]);
        sample.label.push_back(population_.label[row]);
        sample.group.push_back(static_cast<std::int32_t>(g));
      }
    }
    return sample;
  }

 private:
  const Sample& population_;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> size_;
};

/// What came of the tables of one setting, for one measure.
struct Coverage {
  double truth = 0;
  std::int64_t tables = 0;   ///< with an interval
  std::int64_t missing = 0;  ///< without
  std::int64_t holds = 0;    ///< the truth
  std::int64_t inside = 0;   ///< the estimate lies in its interval
  std::int64_t at_end = 0;   ///< the lower end is 0 (of a ratio the upper one is 1)
  double width = 0;          ///< summed

  [[nodiscard]] double share(std::int64_t count) const {
    return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, tables));
  }
};

inline void count(Coverage& coverage, double value, const Interval& interval) {
  if (!interval.defined() || std::isnan(value)) {
    ++coverage.missing;
    return;
  }
  const auto in = [&](double number) {
    return number >= interval.low - 1e-12 && number <= interval.high + 1e-12;
  };
  ++coverage.tables;
  coverage.holds += in(coverage.truth) ? 1 : 0;
  coverage.inside += in(value) ? 1 : 0;
  coverage.at_end += interval.low == 0 || interval.high == 1 ? 1 : 0;
  coverage.width += interval.high - interval.low;
}

/// The intervals of all measures in so many tables.
inline std::vector<Coverage> coverage_of(std::span<const Measure> measures, const Setting& setting,
                                         std::int64_t tables, double level, std::uint64_t seed) {
  const Sample population = population_of(setting, seed);
  std::vector<Coverage> all(measures.size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m].truth = measures[m].of(population.view()).value;
  }
  const Drawer drawer(population, setting);
  for (std::int64_t table = 0; table < tables; ++table) {
    const Sample sample = drawer.draw(base::Stream(base::StreamKey(seed, "coverage", "tables"),
                                                   static_cast<std::uint64_t>(table)));
    for (std::size_t m = 0; m < all.size(); ++m) {
      count(all[m], measures[m].of(sample.view()).value,
            measures[m].interval(sample.view(), level));
    }
  }
  return all;
}

}  // namespace fairfront::metrics
