/// @file
/// How often the intervals of the differences of two models hold: samples of a known population
/// that both models say something of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"
#include "metrics/coverage.hpp"
#include "metrics/paired_measure.hpp"

namespace fairfront::metrics {

/// Groups whose logits lie apart by the spreads of both models, the second's in the other order,
/// and errors of both that are correlated; 1: without spreads of their own the models are the same.
struct PairedSetting {
  std::string name;
  std::vector<std::int64_t> rows;
  double spread_first = 0, spread_second = 0;
  double correlation = 0.8;
  bool regression = false;
  /// Below 1: the second model says what the first says but for this share of the rows, of which it
  /// says anything; probabilities are those of sixths, real targets have heavy tails.
  double differing = 1;
};

struct PairOfSamples {
  Sample first, second;

  void add(double of_first, double of_second, double label, std::int32_t group) {
    first.score.push_back(of_first);
    second.score.push_back(of_second);
    for (Sample* sample : {&first, &second}) {
      sample->label.push_back(label);
      sample->group.push_back(group);
    }
  }
};

inline const PairedMeasure& paired_measure(const std::string& name) {
  for (const PairedMeasure& measure : paired_measures()) {
    if (measure.measure == name) return measure;
  }
  throw std::logic_error("no paired measure of " + name);
}

/// What the measure of both models is of.
inline const Measure& measure_of(const PairedMeasure& paired, bool regression_first) {
  const std::vector<std::span<const Measure>> lists =
      regression_first ? std::vector{regression(), classification(), ranking()}
                       : std::vector{classification(), ranking(), regression()};
  for (const auto list : lists) {
    for (const Measure& measure : list) {
      if (measure.what.name == paired.measure) return measure;
    }
  }
  throw std::logic_error("no measure " + paired.measure);
}

/// Of both samples.
inline Value difference_of(const PairedMeasure& paired, const PairOfSamples& samples,
                           bool regression_first = false) {
  const Measure& measure = measure_of(paired, regression_first);
  return less_reference(measure.of(samples.first.view()), measure.of(samples.second.view()));
}

/// A row of two models that say the same of most rows, of a single group.
inline void add_alike(PairOfSamples& all, const PairedSetting& setting, base::Stream& stream) {
  if (setting.regression) {
    const double label = base::exp(stream.normal());
    const double first = 1.65 + 0.1 * stream.normal();
    const double more = -base::log(1 - stream.uniform());
    all.add(first, stream.uniform() < setting.differing ? first + more : first, label, 0);
    return;
  }
  const auto sixth = [](double share) { return std::clamp(std::round(share * 5) / 5, 0.02, 0.98); };
  const double label = stream.uniform() < 0.4 ? 1 : 0;
  const double first = sixth(std::min(1.0, 0.3 * label + 0.8 * stream.uniform()));
  const double any = sixth(stream.uniform());
  all.add(first, stream.uniform() < setting.differing ? any : first, label, 0);
}

/// A table to draw from, 40 rows for each of the sample. Without spreads every group has the same
/// rows, so that all gaps are 0.
inline PairOfSamples population_of(const PairedSetting& setting, std::uint64_t seed,
                                   std::int64_t copies = 40) {
  PairOfSamples all;
  all.first.groups = all.second.groups = std::ssize(setting.rows);
  if (setting.differing < 1) {
    base::Stream stream(base::StreamKey(seed, "coverage", "two models alike"), 0);
    for (std::int64_t i = 0; i < setting.rows[0] * copies; ++i) add_alike(all, setting, stream);
    return all;
  }
  const bool alike = setting.spread_first == 0 && setting.spread_second == 0;
  for (std::size_t g = 0; g < setting.rows.size(); ++g) {
    base::Stream stream(base::StreamKey(seed, "coverage", "two models"), alike ? 0 : g);
    const double place = static_cast<double>(g) / static_cast<double>(setting.rows.size() - 1);
    const double rest = std::sqrt(1 - setting.correlation * setting.correlation);
    for (std::int64_t i = 0; i < setting.rows[g] * copies; ++i) {
      const double own = stream.normal();
      const double other = setting.correlation * own + rest * stream.normal();
      const double first = -0.7 + setting.spread_first * place + 1.2 * own;
      const double second = -0.7 + setting.spread_second * (1 - place) + 1.2 * other;
      const auto group = static_cast<std::int32_t>(g);
      if (setting.regression) {
        all.add(first, second, first + (1 + 0.5 * setting.spread_first * place) * stream.normal(),
                group);
      } else {
        const double label = stream.uniform() < base::sigmoid(0.9 * first) ? 1 : 0;
        all.add(base::sigmoid(first), base::sigmoid(second), label, group);
      }
    }
  }
  return all;
}

/// Each group's rows, with replacement.
inline PairOfSamples draw_from(const PairOfSamples& population, const PairedSetting& setting,
                               base::Stream stream, std::int64_t copies = 40) {
  PairOfSamples sample;
  sample.first.groups = sample.second.groups = population.first.groups;
  std::size_t begin = 0;
  for (std::size_t g = 0; g < setting.rows.size(); ++g) {
    const auto size = static_cast<std::uint32_t>(setting.rows[g] * copies);
    for (std::int64_t i = 0; i < setting.rows[g]; ++i) {
      const std::size_t row = begin + stream.below(size);
      sample.add(population.first.score[row], population.second.score[row],
                 population.first.label[row], static_cast<std::int32_t>(g));
    }
    begin += size;
  }
  return sample;
}

/// The intervals of all differences in so many tables.
inline std::vector<Coverage> paired_coverage_of(std::span<const PairedMeasure> measures,
                                                const PairedSetting& setting, std::int64_t tables,
                                                double level, std::uint64_t seed) {
  const PairOfSamples population = population_of(setting, seed);
  std::vector<Coverage> all(measures.size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m].truth = difference_of(measures[m], population, setting.regression).value;
  }
  for (std::int64_t table = 0; table < tables; ++table) {
    const PairOfSamples sample = draw_from(population, setting,
                                           base::Stream(base::StreamKey(seed, "coverage", "paired"),
                                                        static_cast<std::uint64_t>(table)));
    for (std::size_t m = 0; m < all.size(); ++m) {
      count(all[m], difference_of(measures[m], sample, setting.regression).value,
            measures[m].interval(sample.first.view(), sample.second.view(), level));
    }
  }
  return all;
}

}  // namespace fairfront::metrics
