// How often `choose --confidence 0.95` certifies a point, and how often a point that it certifies
// breaks the bound in the population. Prints a table; ends with 1 where the bound is broken in more
// than 5 % of the draws and three standard errors of so many, or where a target for the share that
// is certified is missed.
//
//     simulate_choice FILE [draws = 500]
//
// FILE is ACSIncome of 49 states (acsincome_2018_1y_49states_PR.csv.gz): its rows of five races are
// the population. A score is fitted to it by least squares; the front has 30 points, which decide
// by thresholds per race, from a common one to equal rates, so that the true gaps of all are known.
// A draw takes rows with replacement: as many to decide on as to test on. A second population is
// made up: 8 groups of equal size. `broken, naive` is the choice without tests, on rows that
// decide. `again` is how often the first point tested passes on as many rows as were called for,
// over the draws (`told`) in which nothing passed and a number was said: it failed before, so that
// its gap looked larger than it is, and the number is too large rather than too small. A second
// table has the rows that are called for where the estimates are the truth, and how often as many
// suffice: where the true gap is half the bound between .85 and .95, or the program ends with 1.
// Where all groups are exactly alike, many pairs of them can be the largest at once and more rows
// are needed; no estimate looks like that, and the table only shows it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"
#include "metrics/contrast.hpp"
#include "results/choice.hpp"

namespace fairfront {
namespace {

constexpr std::size_t front_points = 30;
constexpr double confidence = 0.95;

/// Rows with the number of points at which they are decided 1, from the first point on or from the
/// last one, as a group's rate falls or rises along the front.
struct Population {
  std::size_t groups = 0;
  std::vector<std::uint8_t> group, decided, label;
  std::vector<bool> rises;                 ///< per group
  std::array<double, front_points> gap{};  ///< true ones
  [[nodiscard]] std::size_t rows() const { return group.size(); }
};

/// What is counted of a sample: of every group its rows and hits, and errors, at every point.
struct Sample {
  std::vector<double> rows;  ///< per group
  std::array<std::vector<double>, front_points> hits;
  std::array<double, front_points> errors{};
};

/// @param pick  the number of a row, called `count` times.
template <class Pick>
Sample sample_of(const Population& all, std::size_t count, Pick pick) {
  // By the number of points at which a row is decided 1: then sums along the front.
  constexpr std::size_t cells = front_points + 1;
  std::vector<double> of_cell(all.groups * cells * 2, 0.0);
  Sample sample{std::vector<double>(all.groups, 0.0), {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = pick(i);
    of_cell[(all.group[row] * cells + all.decided[row]) * 2 + all.label[row]] += 1;
    sample.rows[all.group[row]] += 1;
  }
  for (std::size_t point = 0; point < front_points; ++point) {
    sample.hits[point].assign(all.groups, 0.0);
    for (std::size_t g = 0; g < all.groups; ++g) {
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const bool is_one = all.rises[g] ? cell >= front_points - point : cell > point;
        const double zeros = of_cell[(g * cells + cell) * 2];
        const double ones = of_cell[(g * cells + cell) * 2 + 1];
        sample.hits[point][g] += is_one ? zeros + ones : 0;
        sample.errors[point] += is_one ? zeros : ones;
      }
    }
  }
  return sample;
}

double gap_of(const Sample& sample, std::size_t point) {
  double least = 1, most = 0;
  for (std::size_t g = 0; g < sample.rows.size(); ++g) {
    const double rate = sample.hits[point][g] / sample.rows[g];
    least = std::min(least, rate);
    most = std::max(most, rate);
  }
  return most - least;
}

results::Measured measured_of(const Sample& sample, std::size_t point) {
  std::vector<metrics::Estimate> rates;
  for (std::size_t g = 0; g < sample.rows.size(); ++g) {
    rates.push_back(metrics::proportion(sample.hits[point][g], sample.rows[g]));
  }
  const metrics::Interval interval =
      metrics::interval_of_largest(metrics::differences(std::move(rates)), 2 * confidence - 1);
  return {gap_of(sample, point), interval.low, interval.high};
}

/// How many of the front's points decide a row 1, whose share of the group's rows above it is
/// given.
std::uint8_t points_of(double above, double first, double last) {
  std::uint8_t points = 0;
  for (std::size_t point = 0; point < front_points; ++point) {
    const double along = static_cast<double>(point) / (front_points - 1);
    if (above < first + along * (last - first)) ++points;
  }
  return points;
}

/// Sets `decided`, `rises` and the true gaps from scores: rates of the groups at the first point
/// are those of a common threshold, at the last point that of all rows.
void set_front(Population& all, const std::vector<double>& score, double threshold) {
  std::vector<std::vector<std::size_t>> of_group(all.groups);
  double rate = 0;
  for (std::size_t row = 0; row < all.rows(); ++row) {
    of_group[all.group[row]].push_back(row);
    rate += score[row] >= threshold ? 1 : 0;
  }
  rate /= static_cast<double>(all.rows());
  all.decided.resize(all.rows());
  for (std::vector<std::size_t>& rows : of_group) {
    std::ranges::sort(rows, [&](std::size_t a, std::size_t b) {
      return std::pair{-score[a], a} < std::pair{-score[b], b};
    });
    const auto count = static_cast<double>(rows.size());
    const auto common =
        std::ranges::count_if(rows, [&](std::size_t row) { return score[row] >= threshold; });
    const double first = static_cast<double>(common) / count;
    all.rises.push_back(rate > first);
    for (std::size_t place = 0; place < rows.size(); ++place) {
      all.decided[rows[place]] = points_of(static_cast<double>(place) / count, first, rate);
    }
  }
  const Sample whole = sample_of(all, all.rows(), [](std::size_t row) { return row; });
  for (std::size_t point = 0; point < front_points; ++point) all.gap[point] = gap_of(whole, point);
}

/// Least squares by normal equations: few columns, many rows. @param x  row-major (n, d).
std::vector<double> least_squares(const std::vector<double>& x, const std::vector<double>& y,
                                  std::size_t d) {
  std::vector<double> a(d * (d + 1), 0.0);
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) a[i * (d + 1) + j] += x[row * d + i] * x[row * d + j];
      a[i * (d + 1) + d] += x[row * d + i] * y[row];
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      if (k == i) continue;
      const double factor = a[k * (d + 1) + i] / a[i * (d + 1) + i];
      for (std::size_t j = i; j <= d; ++j) a[k * (d + 1) + j] -= factor * a[i * (d + 1) + j];
    }
  }
  std::vector<double> w;
  for (std::size_t i = 0; i < d; ++i) w.push_back(a[i * (d + 1) + d] / a[i * (d + 1) + i]);
  return w;
}

Population acs_income(const std::string& path) {
  data::DataFile file(path);
  const std::vector<data::TableColumn> columns{{"AGEP"}, {"SCHL"},  {"WKHP"},
                                               {"SEX"},  {"RACE5"}, {"INC50K"}};
  const data::Table table = data::read_csv(file.text(), {}, columns);
  Population all;
  all.groups = 5;
  constexpr std::size_t d = 6;
  std::vector<double> x, y;
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
    const double* cell = &table.numbers[row * columns.size()];
    if (cell[4] < 1) continue;  // not known
    const double age = cell[0] / 50 - 1;
    for (const double value : {1.0, age, age * age, cell[1] / 20, cell[2] / 40, cell[3] - 1}) {
      x.push_back(value);
    }
    all.group.push_back(static_cast<std::uint8_t>(cell[4] - 1));
    all.label.push_back(static_cast<std::uint8_t>(cell[5]));
    y.push_back(cell[5]);
  }
  const std::vector<double> w = least_squares(x, y, d);
  std::vector<double> score(y.size(), 0.0);
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t j = 0; j < d; ++j) score[row] += w[j] * x[row * d + j];
  }
  set_front(all, score, 0.5);
  return all;
}

/// Eight groups of equal size, whose scores are shifted against each other.
Population made_up() {
  Population all;
  all.groups = 8;
  base::Stream stream(base::StreamKey(1, "simulate_choice", "population"), 0);
  std::vector<double> score;
  for (std::size_t row = 0; row < 800'000; ++row) {
    all.group.push_back(static_cast<std::uint8_t>(row % all.groups));
    score.push_back(stream.uniform() + 0.04 * static_cast<double>(row % all.groups));
    all.label.push_back(stream.uniform() < score.back() - 0.14 ? 1 : 0);
  }
  set_front(all, score, 0.64);
  return all;
}

results::Content content_of(const Sample& decides, const Sample& tests, double rows) {
  using results::Direction;
  results::Content content;
  results::FrontGroup front;
  front.name = "m";
  front.objectives = {{"error", "", "", Direction::minimise, ""},
                      {"gap", "", "", Direction::minimise, ""}};
  front.offsets = {0};
  results::Measure measure;
  measure.what = front.objectives[1];
  measure.parts = {"validation", "choice", "test"};
  measure.groups = {"all"};
  const double nan = std::nan("");
  for (std::size_t point = 0; point < front_points; ++point) {
    content.tasks.key.push_back(std::to_string(point));
    content.tasks.method.push_back("m");
    content.tasks.status.push_back(results::TaskStatus::done);
    const double gap = gap_of(decides, point);
    const results::Measured tested = measured_of(tests, point);
    front.points.insert(front.points.end(), {decides.errors[point] / rows, gap});
    front.offsets.push_back(static_cast<std::int64_t>(point) + 1);
    measure.values.insert(measure.values.end(),
                          {gap, nan, nan, tested.value, tested.low, tested.high, nan, nan, nan});
  }
  content.fronts.push_back(std::move(front));
  content.measures.push_back(std::move(measure));
  return content;
}

struct Setting {
  std::string name;
  const Population* all;
  std::size_t rows;
  double bound;
  double target = 0;  ///< least share of draws with a certified point; 0: none
};

struct Outcome {
  double certified = 0, broken = 0, naive = 0, error = 0;
  double told = 0, passed = 0;  ///< draws with a number of rows, and those that pass with as many
};

class Simulation {
 public:
  explicit Simulation(const Setting& setting) : setting_{setting} {
    for (std::size_t point = 0; point < front_points; ++point) tasks_.push_back(point);
    wish_ = {.bounds = {{"gap", true, setting.bound}}, .confidence = confidence};
  }

  void draw(std::uint64_t number, Outcome& outcome) {
    base::Stream stream(base::StreamKey(7, "simulate_choice", setting_.name), number);
    const auto rows = static_cast<double>(setting_.rows);
    const Sample decides = drawn(stream, setting_.rows);
    const Sample tests = drawn(stream, setting_.rows);
    const results::Content content = content_of(decides, tests, rows);
    const results::Choice choice = results::choose(content, tasks_, wish_, confidence);
    bool broken = false;
    for (std::size_t i = 0; i < choice.certified; ++i) {
      broken = broken || setting_.all->gap[choice.candidates[i].task] > setting_.bound;
    }
    outcome.certified += choice.certified > 0 ? 1 : 0;
    outcome.broken += broken ? 1 : 0;
    results::Wish naive = wish_;
    naive.confidence = {};
    const results::Choice best = results::choose(content, tasks_, naive, confidence);
    outcome.naive +=
        best.chosen && setting_.all->gap[best.candidates[0].task] > setting_.bound ? 1 : 0;
    if (choice.chosen && best.chosen) {
      outcome.error +=
          choice.candidates[0].values[0].decided - best.candidates[0].values[0].decided;
    }
    if (choice.first_tested && std::isfinite(choice.rows_needed)) {
      try_again(stream, choice, outcome);
    }
  }

 private:
  Sample drawn(base::Stream& stream, std::size_t rows) const {
    const auto all = static_cast<std::uint32_t>(setting_.all->rows());
    return sample_of(*setting_.all, rows, [&](std::size_t) { return stream.below(all); });
  }

  void try_again(base::Stream& stream, const results::Choice& choice, Outcome& outcome) const {
    constexpr double most_rows = 2e6;
    const double rows = choice.rows_needed * static_cast<double>(setting_.rows);
    if (rows > most_rows) return;
    const std::size_t point = choice.candidates[*choice.first_tested].task;
    const Sample more = drawn(stream, static_cast<std::size_t>(std::ceil(rows)));
    outcome.told += 1;
    outcome.passed += measured_of(more, point).high <= setting_.bound ? 1 : 0;
  }

  const Setting& setting_;
  results::Wish wish_;
  std::vector<std::size_t> tasks_;
};

/// The point whose true gap is nearest to a part of the bound.
std::size_t point_near(const Population& all, double gap) {
  std::size_t nearest = 0;
  for (std::size_t point = 1; point < front_points; ++point) {
    if (std::abs(all.gap[point] - gap) < std::abs(all.gap[nearest] - gap)) nearest = point;
  }
  return nearest;
}

/// Whether as many rows as are called for suffice about nine times in ten, where the estimates that
/// call for them are the truth.
bool calibrated(const Setting& setting, double part_of_bound, std::int64_t draws) {
  const Population& all = *setting.all;
  const std::size_t point = point_near(all, part_of_bound * setting.bound);
  const Sample whole = sample_of(all, all.rows(), [](std::size_t row) { return row; });
  Sample exact = whole;
  const double scale = static_cast<double>(setting.rows) / static_cast<double>(all.rows());
  for (double& rows : exact.rows) rows *= scale;
  for (double& hits : exact.hits[point]) hits *= scale;
  for (std::size_t other = 0; other < front_points; ++other) exact.hits[other] = exact.hits[point];
  const results::Choice choice = results::choose(
      content_of(exact, exact, static_cast<double>(setting.rows)), {point},
      {.bounds = {{"gap", true, setting.bound}}, .confidence = confidence}, confidence);
  if (choice.certified > 0) return true;
  const auto rows =
      static_cast<std::size_t>(std::ceil(choice.rows_needed * static_cast<double>(setting.rows)));
  double passed = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    base::Stream stream(base::StreamKey(8, "simulate_choice", setting.name),
                        static_cast<std::uint64_t>(i));
    const Sample more = sample_of(all, rows, [&](std::size_t) {
      return stream.below(static_cast<std::uint32_t>(all.rows()));
    });
    passed += measured_of(more, point).high <= setting.bound ? 1 : 0;
  }
  const double power = passed / static_cast<double>(draws);
  fmt::print("{:24}{:8}{:7.2f}{:11.3f}{:14}{:8.3f}\n", setting.name, setting.rows, setting.bound,
             all.gap[point], rows, power);
  std::fflush(stdout);
  const double error = 3 * std::sqrt(0.9 * 0.1 / static_cast<double>(draws));
  return power >= 0.85 - error && power <= 0.95 + error;
}

/// Whether the targets are met.
bool simulate(const Setting& setting, std::int64_t draws) {
  Outcome outcome;
  Simulation simulation(setting);
  for (std::int64_t i = 0; i < draws; ++i) {
    simulation.draw(static_cast<std::uint64_t>(i), outcome);
  }
  const auto share = [&](double count) { return count / static_cast<double>(draws); };
  fmt::print("{:24}{:8}{:7.2f}{:11.3f}{:9.3f}{:16.3f}{:13.4f}{:8.0f}{:8.3f}\n", setting.name,
             setting.rows, setting.bound, share(outcome.certified), share(outcome.broken),
             share(outcome.naive), outcome.error / std::max(outcome.certified, 1.0), outcome.told,
             outcome.passed / std::max(outcome.told, 1.0));
  std::fflush(stdout);
  const double allowed = 0.05 + 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(draws));
  return share(outcome.broken) <= allowed && share(outcome.certified) >= setting.target;
}

int run(const std::string& path, std::int64_t draws) {
  const Population income = acs_income(path);
  const Population eight = made_up();
  fmt::print(
      "{} draws; true gaps of ACSIncome from {:.3f} to {:.3f}, of 8 groups from {:.3f} to "
      "{:.3f}\n{:24}{:>8}{:>7}{:>11}{:>9}{:>16}{:>13}{:>8}{:>8}\n",
      draws, income.gap.back(), income.gap.front(), eight.gap.back(), eight.gap.front(),
      "population", "rows", "bound", "certified", "broken", "broken, naive", "more error", "told",
      "again");
  bool met = true;
  for (const Setting& setting :
       std::vector<Setting>{{"ACSIncome, 5 races", &income, 50'000, 0.15, 0.9},
                            {"ACSIncome, 5 races", &income, 50'000, 0.1, 0},
                            {"ACSIncome, 5 races", &income, 2'000, 0.15, 0},
                            {"8 groups", &eight, 10'000, 0.1, 0.9},
                            {"8 groups", &eight, 2'000, 0.1, 0}}) {
    met = simulate(setting, draws) && met;
  }
  fmt::print("\n{:24}{:>8}{:>7}{:>11}{:>14}{:>8}\n", "population", "rows", "bound", "true gap",
             "rows needed", "power");
  for (const double part : {0.0, 0.5}) {
    for (const Setting& setting : std::vector<Setting>{{"ACSIncome, 5 races", &income, 2'000, 0.15},
                                                       {"ACSIncome, 5 races", &income, 10'000, 0.1},
                                                       {"8 groups", &eight, 1'000, 0.1}}) {
      const bool suffices = calibrated(setting, part, draws);
      met = met && (suffices || part == 0);
    }
  }
  return met ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fairfront

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: simulate_choice FILE [draws]\n");
    return 2;
  }
  return fairfront::run(argv[1], argc > 2 ? std::atoll(argv[2]) : 500);
} catch (const std::exception& error) {
  fmt::print(stderr, "simulate_choice: {}\n", error.what());
  return 2;
}
