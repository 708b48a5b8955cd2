// How often `choose --confidence 0.95` certifies a point, and how often a point that it certifies
// breaks the bound in the population. Prints a table; ends with 1 where the bound is broken in more
// than 5 % of the draws and three standard errors of so many, or where a target for the share that
// is certified is missed by more than three.
//
//     simulate_choice FILE [draws = 500]
//
// FILE is ACSIncome of 49 states (acsincome_2018_1y_49states_PR.csv.gz): its rows of five races are
// the population. A score is fitted to it by least squares; the front has 30 points, which decide
// by thresholds per race, from a common one to equal rates, so that the true gaps of all are known.
// A draw takes rows with replacement: as many to decide on as to test on. A second population is
// made up: 8 groups of equal size. `broken, naive` is the choice without tests, on rows that
// decide.
//
// Where nothing is certified, `choose` says how many rows would be needed: with as many, drawn anew
// from the same population, the first point tested is to pass nine times in ten. Two more tables
// have how often it does, at points whose true gap is 0, half the bound and .8 of it, of 2, 5 and 8
// groups. `exact`: where the estimates that call for the rows are the truth; the program ends with
// 1 where the share is not between .85 and .95 (and three standard errors). `after a failure`: of
// draws that have failed, at a half and at an eighth of the rows that the truth would call for, by
// what these draws say; `none` is the share of them that call for no number, as the gap looks
// larger than the bound. From such draws nobody can tell which of the truths it is, and the power
// is meant over all of them: the program ends with 1 where the mean of a population's lines is not
// between .85 and .95 (and three standard errors).
//
// The last two tables are of small tables: two groups of 30, 60 and 120 rows, base rates of .1, .3
// and .5. `right estimates`: both parts say what is the truth; what is called for is to suffice
// with a power of .85 at least, which is an exact sum over both binomial distributions. `groups
// known` is an archive with a part for tests, `one limit` one without, where only the gap and its
// limit are known. `small, after a failure` is as above; there the mean over the gaps of a base
// rate is to be at least .8: no draw of so few rows tells a gap of 0, for which the number is too
// large, from one near the bound, for which it is too small.
//
//     simulate_choice truths [draws = 500]
//
// is of the rows said for three truths, by draws that have failed: a line for each truth, of gaps
// of 2 and 8 groups and of single rates. The program ends with 1 where the power at such a truth
// is not between .85 and .95 on average (and three standard errors) in any line.
//
//     simulate_choice fitted [draws that fail in each setting = 40]
//
// is of points that are fitted to the rows that decide, as [thresholds] and [drawn_thresholds] do
// it, so that the gap is 0 there. Scores are normal; what a model is in truth is known exactly.
// Models are fitted to 1,000 to 10,000 rows of 2, 4 and 8 groups, and tested on as many or fewer;
// bounds are 1.2, 2 and 4 times the median true gap of 25 models. Of those that fail: how often the
// bound holds in truth, and no number is said of these; the power of the same model, tested on so
// many new rows, as a mean of those whose bound holds and of all (0 where it is broken); and where
// it holds the median and the 95 % quantile of the number over that by the true rates for a power
// of .9, and the median number itself. The program ends with 1 where the mean power is not between
// .85 and .95 (and three standard errors). With one threshold a group such a point is
// often a decision that is the same for all where groups have different sizes, and that passes: so
// they are as large as each other there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "choice_samples.hpp"
#include "data/readers/csv.hpp"
#include "data/readers/data_file.hpp"
#include "fitted_rows.hpp"
#include "known_truths.hpp"
#include "metrics/quantile.hpp"
#include "metrics/rows_needed.hpp"
#include "results/choice.hpp"
#include "right_estimates.hpp"

namespace fairfront::bench {
namespace {

/// Rows with the number of points at which they are decided 1, from the first point on or from the
/// last one, as a group's rate falls or rises along the front.
struct Population {
  std::size_t groups = 0;
  std::vector<std::uint8_t> group, decided, label;
  std::vector<bool> rises;                 ///< per group
  std::array<double, front_points> gap{};  ///< true ones
  [[nodiscard]] std::size_t rows() const { return group.size(); }
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

/// Groups of equal size, whose scores are shifted against each other.
Population made_up(std::size_t groups) {
  Population all;
  all.groups = groups;
  base::Stream stream(base::StreamKey(1, "simulate_choice", "population"), 0);
  std::vector<double> score;
  for (std::size_t row = 0; row < 800'000; ++row) {
    all.group.push_back(static_cast<std::uint8_t>(row % all.groups));
    const auto along = static_cast<double>(row % all.groups) / static_cast<double>(groups - 1);
    score.push_back(stream.uniform() + 0.28 * along);
    all.label.push_back(stream.uniform() < score.back() - 0.14 ? 1 : 0);
  }
  set_front(all, score, 0.64);
  return all;
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
  }

 private:
  Sample drawn(base::Stream& stream, std::size_t rows) const {
    const auto all = static_cast<std::uint32_t>(setting_.all->rows());
    return sample_of(*setting_.all, rows, [&](std::size_t) { return stream.below(all); });
  }

  const Setting& setting_;
  results::Wish wish_;
  std::vector<std::size_t> tasks_;
};

/// Two groups of equal size: one decided 1 with a rate, the other with that rate and a gap which
/// falls to 0 along the front.
Population of_rates(double rate, double largest_gap) {
  constexpr std::size_t rows = 40'000;
  Population all;
  all.groups = 2;
  all.rises = {true, false};
  for (std::size_t row = 0; row < rows; ++row) {
    const double above = (static_cast<double>(row / 2) + 0.5) / (rows / 2.0);
    all.group.push_back(static_cast<std::uint8_t>(row % 2));
    all.decided.push_back(row % 2 == 0 ? points_of(above, rate, rate)
                                       : points_of(above, rate + largest_gap, rate));
    all.label.push_back(0);
  }
  const Sample whole = sample_of(all, all.rows(), [](std::size_t row) { return row; });
  for (std::size_t point = 0; point < front_points; ++point) all.gap[point] = gap_of(whole, point);
  return all;
}

/// The point whose true gap is nearest to a part of the bound.
std::size_t point_near(const Population& all, double gap) {
  std::size_t nearest = 0;
  for (std::size_t point = 1; point < front_points; ++point) {
    if (std::abs(all.gap[point] - gap) < std::abs(all.gap[nearest] - gap)) nearest = point;
  }
  return nearest;
}

/// A point of a population that is to be certified.
struct Goal {
  std::string name;
  const Population& all;
  std::size_t point;
  double bound;

  [[nodiscard]] results::Choice choose(const Sample& decides, const Sample& tests) const {
    const double rows = std::accumulate(tests.rows.begin(), tests.rows.end(), 0.0);
    return results::choose(content_of(decides, tests, rows), {point},
                           {.bounds = {{"gap", true, bound}}, .confidence = confidence},
                           confidence);
  }
  [[nodiscard]] Sample drawn(base::Stream& stream, double rows) const {
    const auto of = static_cast<std::uint32_t>(all.rows());
    return sample_of(all, static_cast<std::size_t>(std::ceil(rows)),
                     [&](std::size_t) { return stream.below(of); });
  }
  [[nodiscard]] bool passes(base::Stream& stream, double rows) const {
    return measured_of(drawn(stream, rows), point).high <= bound;
  }
};

void print(const Goal& goal, double rows, const std::string& what) {
  fmt::print("{:24}{:7.2f}{:11.3f}{:10.0f}{}\n", goal.name, goal.bound, goal.all.gap[goal.point],
             rows, what);
  std::fflush(stdout);
}

/// The rows that are called for where the estimates are the truth, and how often they suffice.
struct Exact {
  double rows = 0;
  double power = 0;
};
Exact exact_rows(const Goal& goal, std::int64_t draws) {
  const Sample truth = sample_of(goal.all, goal.all.rows(), [](std::size_t row) { return row; });
  metrics::BoundedGap gap{{}, goal.bound};
  for (std::size_t g = 0; g < truth.rows.size(); ++g) {
    const double rate = truth.hits[goal.point][g] / truth.rows[g];
    gap.of_groups.value.push_back(rate);
    gap.of_groups.error.push_back(std::sqrt(rate * (1 - rate) / truth.rows[g]));
  }
  const double growth =
      metrics::growth_for_power({&gap, 1}, metrics::normal_quantile(confidence), 0.9);
  Exact exact{growth * static_cast<double>(goal.all.rows())};
  for (std::int64_t i = 0; i < draws; ++i) {
    base::Stream stream(base::StreamKey(8, "simulate_choice", goal.name),
                        static_cast<std::uint64_t>(i));
    exact.power += goal.passes(stream, exact.rows) ? 1.0 / static_cast<double>(draws) : 0;
  }
  return exact;
}

/// Of draws that fail: what they call for, and how often that suffices.
/// @returns the share that does; NaN where no draw calls for a number.
double after_failures(const Goal& goal, double rows, std::int64_t draws) {
  constexpr double most_rows = 2e6;
  double failed = 0, none = 0, passed = 0;
  std::vector<double> called;
  for (std::int64_t i = 0; i < draws; ++i) {
    base::Stream stream(base::StreamKey(9, "simulate_choice", goal.name),
                        static_cast<std::uint64_t>(i));
    const Sample decides = goal.drawn(stream, rows);
    const results::Choice choice = goal.choose(decides, goal.drawn(stream, rows));
    if (!choice.first_tested) continue;
    failed += 1;
    if (std::isinf(choice.rows_needed)) {
      none += 1;
      continue;
    }
    called.push_back(choice.rows_needed * rows);
    const bool again = called.back() > most_rows || goal.passes(stream, called.back());
    passed += again ? 1 : 0;
  }
  std::ranges::sort(called);
  const double count = std::max(1.0, static_cast<double>(called.size()));
  print(goal, rows,
        fmt::format("{:9.2f}{:8.2f}{:12.0f}{:8.3f}", failed / static_cast<double>(draws),
                    none / std::max(1.0, failed), called.empty() ? 0 : called[called.size() / 2],
                    passed / count));
  return called.empty() ? std::nan("") : passed / count;
}

/// Whether what is said of the rows needed is right where the estimates are the truth.
bool simulate_rows(const std::vector<Goal>& goals, std::int64_t draws) {
  fmt::print("\n{:24}{:>7}{:>11}{:>10}{:>8}\n", "exact", "bound", "true gap", "rows", "power");
  bool met = true;
  std::vector<double> rows;
  for (const Goal& goal : goals) {
    const Exact exact = exact_rows(goal, draws);
    rows.push_back(exact.rows);
    print(goal, exact.rows, fmt::format("{:8.3f}", exact.power));
    const double error = 3 * std::sqrt(0.9 * 0.1 / static_cast<double>(draws));
    met = met && exact.power >= 0.85 - error && exact.power <= 0.95 + error;
  }
  fmt::print("\n{:24}{:>7}{:>11}{:>10}{:>9}{:>8}{:>12}{:>8}\n", "after a failure", "bound",
             "true gap", "rows", "failed", "none", "called for", "power");
  std::map<std::string, std::vector<double>> powers;
  for (const double part : {0.5, 0.125}) {
    for (std::size_t i = 0; i < goals.size(); ++i) {
      const double power = after_failures(goals[i], part * rows[i], draws);
      if (!std::isnan(power)) powers[goals[i].name].push_back(power);
    }
  }
  fmt::print("\nmean power after a failure\n");
  for (const auto& [name, of_lines] : powers) {
    const double mean = std::accumulate(of_lines.begin(), of_lines.end(), 0.0) /
                        static_cast<double>(of_lines.size());
    fmt::print("{:24}{:8.3f}\n", name, mean);
    const auto all = static_cast<double>(draws) * static_cast<double>(of_lines.size());
    const double error = 3 * std::sqrt(0.9 * 0.1 / all);
    met = met && mean >= 0.85 - error && mean <= 0.95 + error;
  }
  return met;
}

/// Whether draws of small tables that have failed call for enough rows, on average over gaps.
bool simulate_small_tables(std::int64_t draws) {
  fmt::print("\n{:24}{:>7}{:>11}{:>10}{:>9}{:>8}{:>12}{:>8}\n", "small, after a failure", "bound",
             "true gap", "rows", "failed", "none", "called for", "power");
  bool met = true;
  for (const double bound : {0.1, 0.2}) {
    for (const double rate : {0.1, 0.3, 0.5}) {
      const Population all = of_rates(rate, bound);
      for (const double rows : {30.0, 60.0, 120.0}) {
        std::vector<double> powers;
        for (const double part : {0.0, 0.5, 0.8}) {
          const Goal goal{fmt::format("rate {}, {} rows each", rate, rows), all,
                          point_near(all, part * bound), bound};
          const double power = after_failures(goal, 2 * rows, draws);
          if (!std::isnan(power)) powers.push_back(power);
        }
        const double mean =
            std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size());
        fmt::print("{:24}{:61.3f} on average\n", "", mean);
        met = met && mean >= 0.8 - 3 * std::sqrt(0.9 * 0.1 / static_cast<double>(3 * draws));
      }
    }
  }
  return met;
}

/// Whether the targets are met.
bool simulate(const Setting& setting, std::int64_t draws) {
  Outcome outcome;
  Simulation simulation(setting);
  for (std::int64_t i = 0; i < draws; ++i) {
    simulation.draw(static_cast<std::uint64_t>(i), outcome);
  }
  const auto share = [&](double count) { return count / static_cast<double>(draws); };
  fmt::print("{:24}{:8}{:7.2f}{:11.3f}{:9.3f}{:16.3f}{:13.4f}\n", setting.name, setting.rows,
             setting.bound, share(outcome.certified), share(outcome.broken), share(outcome.naive),
             outcome.error / std::max(outcome.certified, 1.0));
  std::fflush(stdout);
  const double allowed = 0.05 + 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(draws));
  const double missed =
      3 * std::sqrt(setting.target * (1 - setting.target) / static_cast<double>(draws));
  return share(outcome.broken) <= allowed && share(outcome.certified) >= setting.target - missed;
}

int run(const std::string& path, std::int64_t draws) {
  const Population income = acs_income(path);
  const Population eight = made_up(8);
  const Population two = made_up(2);
  fmt::print(
      "{} draws; true gaps of ACSIncome from {:.3f} to {:.3f}, of 8 groups from {:.3f} to "
      "{:.3f}\n{:24}{:>8}{:>7}{:>11}{:>9}{:>16}{:>13}\n",
      draws, income.gap.back(), income.gap.front(), eight.gap.back(), eight.gap.front(),
      "population", "rows", "bound", "certified", "broken", "broken, naive", "more error");
  bool met = true;
  for (const Setting& setting :
       std::vector<Setting>{{"ACSIncome, 5 races", &income, 50'000, 0.15, 0.9},
                            {"ACSIncome, 5 races", &income, 50'000, 0.1, 0},
                            {"ACSIncome, 5 races", &income, 2'000, 0.15, 0},
                            {"8 groups", &eight, 10'000, 0.1, 0.9},
                            {"8 groups", &eight, 2'000, 0.1, 0}}) {
    met = simulate(setting, draws) && met;
  }
  std::vector<Goal> goals;
  for (const double part : {0.0, 0.5, 0.8}) {
    goals.push_back({"2 groups", two, point_near(two, part * 0.1), 0.1});
    goals.push_back({"ACSIncome, 5 races", income, point_near(income, part * 0.15), 0.15});
    goals.push_back({"8 groups", eight, point_near(eight, part * 0.1), 0.1});
  }
  met = simulate_rows(goals, draws) && met;
  met = simulate_right_estimates() && met;
  met = simulate_small_tables(draws) && met;
  return met ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace fairfront::bench

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: simulate_choice FILE|truths|fitted [draws]\n");
    return 2;
  }
  if (std::string_view{argv[1]} == "fitted") {
    const std::int64_t draws = argc > 2 ? std::atoll(argv[2]) : 40;
    return fairfront::bench::simulate_fitted_rows(draws) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  if (std::string_view{argv[1]} == "truths") {
    const std::int64_t draws = argc > 2 ? std::atoll(argv[2]) : 500;
    return fairfront::bench::simulate_known_truths(draws) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return fairfront::bench::run(argv[1], argc > 2 ? std::atoll(argv[2]) : 500);
} catch (const std::exception& error) {
  fmt::print(stderr, "simulate_choice: {}\n", error.what());
  return 2;
}
