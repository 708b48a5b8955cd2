// How often the intervals of measures hold: settings x measures, and how wide they are beside the
// percentile bootstrap. Prints a table; ends with 1 where a coverage is below 93 %, an estimate
// lies outside its interval, or a gap of 0 has a lower end above 0 in more than 5 % of the tables.
//
//     simulate_coverage [tables = 1000] [resamples of the bootstrap in every 20th table = 200]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "metrics/coverage.hpp"
#include "metrics/interval.hpp"

namespace fairfront::metrics {
namespace {

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const bool regression : {false, true}) {
    for (const std::size_t groups : {2u, 8u, 24u}) {
      const std::int64_t rows = groups == 24 ? 300 : 600;
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
      all.push_back(
          {fmt::format("{} groups, gap 0, all of 30 rows{}", groups, regression ? ", real" : ""),
           group_rows(groups, 30), 0, false, regression});
    }
  }
  return all;
}

std::vector<Measure> measures_of(const Setting& setting) {
  if (setting.regression) return {regression().begin(), regression().end()};
  std::vector<Measure> all(classification().begin(), classification().end());
  all.insert(all.end(), ranking().begin(), ranking().end());
  return all;
}

/// Mean width of the percentile interval, of every measure, in some tables.
std::vector<double> bootstrap_widths(std::vector<Measure> measures, const Setting& setting,
                                     std::int64_t tables, std::int64_t resamples) {
  std::vector<double> widths(measures.size(), 0.0);
  if (resamples < 2) return widths;
  for (Measure& measure : measures) measure.may_resample = true;
  const Sample population = population_of(setting, 1);
  const Drawer drawer(population, setting);
  for (std::int64_t t = 0; t < tables; ++t) {
    const Sample sample = drawer.draw(
        base::Stream(base::StreamKey(1, "coverage", "tables"), static_cast<std::uint64_t>(t)));
    const auto drawn = bootstrap_intervals(measures, sample.view(), {.resamples = resamples},
                                           base::StreamKey(1, "coverage", "bootstrap"));
    for (std::size_t m = 0; m < widths.size(); ++m) {
      widths[m] += (drawn[m].interval.high - drawn[m].interval.low) / static_cast<double>(tables);
    }
  }
  return widths;
}

/// @returns whether all is as it must be.
bool report(const Measure& measure, const Coverage& found, double bootstrap_width,
            const std::string& setting) {
  if (found.tables == 0) {
    fmt::print("  {:30} no interval\n", measure.what.name);
    return true;
  }
  const bool zero = found.truth == 0 && measure.what.direction == base::Direction::minimise;
  const double tables = static_cast<double>(found.tables);
  const bool good = found.share(found.holds) >= 0.93 && found.inside == found.tables &&
                    (!zero || found.share(found.at_end) >= 0.95);
  fmt::print(
      "  {:30} truth {:8.4f} holds {:.3f} inside {:.3f} at end {:.3f} width {:8.4f} / {:5.2f} "
      "missing {}{}\n",
      measure.what.name, found.truth, found.share(found.holds), found.share(found.inside),
      found.share(found.at_end), found.width / tables,
      bootstrap_width > 0 ? found.width / tables / bootstrap_width : 0, found.missing,
      good ? "" : "  <- " + setting);
  return good;
}

int run(std::int64_t tables, std::int64_t resamples, const std::string& only) {
  bool good = true;
  for (const Setting& setting : settings()) {
    if (setting.name.find(only) == std::string::npos) continue;
    fmt::print("{}\n", setting.name);
    const std::vector<Measure> measures = measures_of(setting);
    const auto found = coverage_of(measures, setting, tables, 0.95, 1);
    const auto widths = bootstrap_widths(measures, setting, (tables + 19) / 20, resamples);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      good = report(measures[m], found[m], widths[m], setting.name) && good;
    }
    std::fflush(stdout);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fairfront::metrics

int main(int count, char** arguments) {
  const auto number = [&](int i, long otherwise) {
    return count > i ? std::strtol(arguments[i], nullptr, 10) : otherwise;
  };
  return fairfront::metrics::run(number(1, 1000), number(2, 200), count > 3 ? arguments[3] : "");
}
