/// @file
/// How often the interval of the difference of two models' gaps holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/coverage.hpp"
#include "metrics/paired_gap.hpp"

namespace fairfront::metrics {

/// Two models' rates in every group; where `alike`, each row has the same answer of both with
/// probability one half.
struct PairedSetting {
  std::string name;
  std::vector<std::int64_t> rows;
  double gap_first = 0, gap_second = 0;
  bool alike = false;
};

/// @param tables  that many are drawn.
inline Coverage paired_coverage(const PairedSetting& setting, std::int64_t tables, double level,
                                std::uint64_t seed) {
  Coverage found;
  found.truth = setting.gap_first - setting.gap_second;
  for (std::int64_t table = 0; table < tables; ++table) {
    base::Stream stream(base::StreamKey(seed, "coverage", "paired"),
                        static_cast<std::uint64_t>(table));
    std::vector<PairedShare> groups(setting.rows.size());
    double rates[2][2] = {{1, 0}, {1, 0}};  // least and most of both
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double place = static_cast<double>(g) / static_cast<double>(groups.size() - 1);
      for (std::int64_t i = 0; i < setting.rows[g]; ++i) {
        const double u = stream.uniform();
        const double v = setting.alike && stream.uniform() < 0.5 ? u : stream.uniform();
        const bool first = u < 0.25 + setting.gap_first * place;
        const bool second = v < 0.25 + setting.gap_second * (1 - place);
        (first    ? second ? groups[g].both : groups[g].first_only
         : second ? groups[g].second_only
                  : groups[g].neither) += 1;
      }
      const auto rows = static_cast<double>(setting.rows[g]);
      const double of_both[]{static_cast<double>(groups[g].both + groups[g].first_only) / rows,
                             static_cast<double>(groups[g].both + groups[g].second_only) / rows};
      for (int m = 0; m < 2; ++m) {
        rates[m][0] = std::min(rates[m][0], of_both[m]);
        rates[m][1] = std::max(rates[m][1], of_both[m]);
      }
    }
    const double value = rates[0][1] - rates[0][0] - (rates[1][1] - rates[1][0]);
    count(found, value, paired_gap_interval(groups, level));
  }
  return found;
}

}  // namespace fairfront::metrics
