// How often the intervals of measures hold: settings x measures, and how wide they are beside the
// percentile bootstrap. Prints a table, and what is the least and the widest of every measure; ends
// with 1 where a coverage is below 93 %, an estimate lies outside its interval, or a gap of 0 has a
// lower end above 0 in more than 5 % of the tables.
//
//     simulate_coverage [tables = 1000] [resamples of the bootstrap in a tenth of the tables = 200]
//                       [settings whose name has this text, such as "24 groups"] [measures, too]
//
// In place of measures, `paired` simulates the differences of two models, `paired` and a text right
// behind it those of such measures: `pairedauc`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/coverage.hpp"
#include "metrics/interval.hpp"
#include "metrics/paired_coverage.hpp"

namespace fairfront::metrics {
namespace {

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const bool regression : {false, true}) {
    for (const std::size_t groups : {2u, 8u, 24u}) {
      const std::int64_t rows = groups == 24 ? 100 : 300;
      const auto add = [&](std::string name, double spread, std::size_t small, bool apart = false) {
        all.push_back({fmt::format("{} groups, {}{}", groups, name, regression ? ", real" : ""),
                       group_rows(groups, rows, small), spread, apart, regression});
      };
      add("gap 0", 0, 0);
      add("small gap", 0.2, 0);
      add("large gap", 1.5, 0);
      add("one apart", 0.8, 0, true);
      add("gap 0, small groups", 0, groups / 2);
      add("large gap, small groups", 1.5, groups / 2);
      all.push_back({fmt::format("{} groups, all of 30 rows{}", groups, regression ? ", real" : ""),
                     group_rows(groups, 30), 0.8, false, regression});
      all.push_back({fmt::format("{} groups, large gap, all of 30 rows{}", groups,
                                 regression ? ", real" : ""),
                     group_rows(groups, 30), 1.5, false, regression});
      all.push_back(
          {fmt::format("{} groups, gap 0, all of 30 rows{}", groups, regression ? ", real" : ""),
           group_rows(groups, 30), 0, false, regression});
    }
  }
  // Scores near 0 and 1, of which a few large losses make most of the mean.
  for (const auto& [centre, deviation] : {std::pair{-2.0, 3.0}, {-4.0, 5.0}, {-8.0, 5.0}}) {
    for (const double slope : {1.0, 0.8, 1.5}) {
      for (const std::size_t groups : {1u, 2u, 8u, 24u}) {
        Setting setting{
            fmt::format("{} groups, strong model ({}, {}, {})", groups, centre, deviation, slope),
            group_rows(groups, groups == 24 ? 100 : 300, (groups + 1) / 2)};
        setting.centre = centre;
        setting.deviation = deviation;
        setting.slope = slope;
        all.push_back(setting);
      }
    }
  }
  return all;
}

std::vector<Measure> measures_of(const Setting& setting, std::string_view only) {
  std::vector<Measure> all(regression().begin(), regression().end());
  if (!setting.regression) {
    all.assign(classification().begin(), classification().end());
    all.insert(all.end(), ranking().begin(), ranking().end());
  }
  std::erase_if(all, [&](const Measure& measure) {
    return std::string_view{measure.what.name}.find(only) == std::string_view::npos;
  });
  return all;
}

/// Of a measure over all settings.
struct Summary {
  double least = 1;                   ///< coverage
  double least_at_end = 1;            ///< share with a lower end of 0 where the gap is 0
  double narrowest = 99, widest = 0;  ///< beside the bootstrap's
  std::string where;                  ///< the least coverage is
};
using Summaries = std::map<std::string, Summary>;

/// Of the tables with the bootstrap: at least 20, as widths differ by a quarter from table to
/// table.
std::int64_t compared(std::int64_t tables) {
  return std::min(tables, std::max<std::int64_t>(20, tables / 10));
}

/// How many times as wide as percentile intervals those of the formulas are, in the same tables; 0
/// where there is none.
std::vector<double> times_as_wide(std::vector<Measure> measures, const Setting& setting,
                                  std::int64_t tables, std::int64_t resamples) {
  std::vector<double> ratios(measures.size(), 0.0);
  if (resamples < 2) return ratios;
  for (Measure& measure : measures) measure.may_resample = true;
  const Sample population = population_of(setting, 1);
  const Drawer drawer(population, setting);
  std::vector<double> naive(measures.size(), 0.0), own(measures.size(), 0.0);
  for (std::int64_t t = 0; t < tables; ++t) {
    const Sample sample = drawer.draw(
        base::Stream(base::StreamKey(1, "coverage", "tables"), static_cast<std::uint64_t>(t)));
    const auto drawn = bootstrap_intervals(measures, sample.view(), {.resamples = resamples},
                                           base::StreamKey(1, "coverage", "bootstrap"));
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const Interval interval = measures[m].interval(sample.view(), 0.95);
      if (!interval.defined() || !drawn[m].interval.defined()) continue;
      naive[m] += drawn[m].interval.high - drawn[m].interval.low;
      own[m] += interval.high - interval.low;
    }
  }
  for (std::size_t m = 0; m < ratios.size(); ++m) {
    if (naive[m] > 0) ratios[m] = own[m] / naive[m];
  }
  return ratios;
}

bool is_gap_of_zero(const Measure& measure, const Coverage& found) {
  return found.truth == 0 && measure.what.direction == base::Direction::minimise;
}

void add(Summary& summary, const Measure& measure, const Coverage& found, double times_as_wide,
         const std::string& setting) {
  if (found.share(found.holds) < summary.least) {
    summary.least = found.share(found.holds);
    summary.where = setting;
  }
  if (is_gap_of_zero(measure, found)) {
    summary.least_at_end = std::min(summary.least_at_end, found.share(found.at_end));
  }
  if (times_as_wide == 0) return;
  summary.narrowest = std::min(summary.narrowest, times_as_wide);
  summary.widest = std::max(summary.widest, times_as_wide);
}

/// @returns whether all is as it must be.
bool report(const Measure& measure, const Coverage& found, double times_as_wide,
            const std::string& setting, Summaries& summaries) {
  if (found.tables == 0) {
    fmt::print("  {:30} no interval\n", measure.what.name);
    return true;
  }
  const bool good = found.share(found.holds) >= 0.93 && found.inside == found.tables &&
                    (!is_gap_of_zero(measure, found) || found.share(found.at_end) >= 0.95);
  const double width = found.width / static_cast<double>(found.tables);
  fmt::print(
      "  {:30} truth {:8.4f} holds {:.3f} inside {:.3f} at end {:.3f} width {:8.4f} / {:5.2f} "
      "missing {}{}\n",
      measure.what.name, found.truth, found.share(found.holds), found.share(found.inside),
      found.share(found.at_end), width, times_as_wide, found.missing,
      good ? "" : "  <- " + setting);
  add(summaries[measure.what.name], measure, found, times_as_wide, setting);
  return good;
}

void print(const Summaries& summaries) {
  fmt::print("all settings\n");
  for (const auto& [name, summary] : summaries) {
    fmt::print("  {:30} holds {:.3f} at end {:.3f}", name, summary.least, summary.least_at_end);
    if (summary.widest > 0) {
      fmt::print(" width {:5.2f} to {:5.2f}", summary.narrowest, summary.widest);
    }
    fmt::print("  {}\n", summary.where);
  }
}

std::vector<PairedSetting> paired_settings() {
  struct Models {
    const char* name;
    double spread_first, spread_second, correlation;
  };
  std::vector<PairedSetting> all;
  for (const bool regression : {false, true}) {
    for (const std::size_t groups : {2u, 8u, 24u}) {
      for (const std::int64_t rows : {30, groups == 24 ? 100 : 300}) {
        for (const Models& models :
             {Models{"no gaps", 0, 0, 0.8}, Models{"small gaps", 0.2, 0, 0.8},
              Models{"equal gaps", 0.8, 0.8, 0.8}, Models{"a large gap", 1.5, 0.2, 0.8},
              Models{"a model and itself", 0, 0, 1}}) {
          all.push_back({fmt::format("paired, {} groups, {} rows each, {}{}", groups, rows,
                                     models.name, regression ? ", real" : ""),
                         group_rows(groups, rows), models.spread_first, models.spread_second,
                         models.correlation, regression});
        }
      }
    }
  }
  for (const bool regression : {false, true}) {
    for (const double differing : {0.01, 0.03, 0.1, 0.3}) {
      for (const std::int64_t rows : {100, 150, 300, 1000, 3000}) {
        all.push_back({.name = fmt::format("paired, 1 group, {} rows, {:.0f} % differ{}", rows,
                                           100 * differing, regression ? ", real" : ""),
                       .rows = {rows},
                       .regression = regression,
                       .differing = differing});
      }
    }
  }
  return all;
}

/// Those that suit what the setting's models say.
std::vector<PairedMeasure> paired_measures_of(const PairedSetting& setting, std::string_view only) {
  const auto is_of_regression = [](const PairedMeasure& paired) {
    return std::ranges::any_of(regression(),
                               [&](const Measure& m) { return m.what.name == paired.measure; });
  };
  std::vector<PairedMeasure> all(paired_measures().begin(), paired_measures().end());
  std::erase_if(all, [&](const PairedMeasure& paired) {
    const bool suits = is_of_regression(paired) == setting.regression;
    return !suits || std::string_view{paired.measure}.find(only) == std::string_view::npos;
  });
  return all;
}

/// Of the differences of two models.
bool report_paired(std::int64_t tables, const std::string& only, std::string_view only_measure) {
  bool good = true;
  Summaries summaries;
  for (const PairedSetting& setting : paired_settings()) {
    if (setting.name.find(only) == std::string::npos) continue;
    fmt::print("{}\n", setting.name);
    const std::vector<PairedMeasure> measures = paired_measures_of(setting, only_measure);
    const std::vector<Coverage> found = paired_coverage_of(measures, setting, tables, 0.95, 1);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const Measure measure{.what = measures[m].what};
      Coverage of_all = found[m];
      of_all.at_end = of_all.tables;  // a difference may be below 0
      good = report(measure, of_all, 0, setting.name, summaries) && good;
    }
    std::fflush(stdout);
  }
  print(summaries);
  return good;
}

int run(std::int64_t tables, std::int64_t resamples, const std::string& only,
        const std::string& only_measure) {
  constexpr std::string_view paired = "paired";
  if (only_measure.starts_with(paired)) {
    return report_paired(tables, only, std::string_view{only_measure}.substr(paired.size()))
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
  }
  bool good = true;
  Summaries summaries;
  for (const Setting& setting : settings()) {
    if (setting.name.find(only) == std::string::npos) continue;
    const std::vector<Measure> measures = measures_of(setting, only_measure);
    if (measures.empty()) continue;
    fmt::print("{}\n", setting.name);
    const auto found = coverage_of(measures, setting, tables, 0.95, 1);
    const auto ratios = times_as_wide(measures, setting, compared(tables), resamples);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      good = report(measures[m], found[m], ratios[m], setting.name, summaries) && good;
    }
    std::fflush(stdout);
  }
  print(summaries);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fairfront::metrics

int main(int count, char** arguments) {
  const auto number = [&](int i, long otherwise) {
    return count > i ? std::strtol(arguments[i], nullptr, 10) : otherwise;
  };
  const auto text = [&](int i) { return count > i ? arguments[i] : ""; };
  return fairfront::metrics::run(number(1, 1000), number(2, 200), text(3), text(4));
}
