#include "metrics/randomised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "metrics/distance_interval.hpp"
#include "metrics/extremes.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/regression.hpp"

namespace fairfront::metrics {
namespace {

std::string missing(const AtomSums& sums, bool pairs) {
  if (std::string alone = missing_pair(sums.groups()); pairs && !alone.empty()) return alone;
  for (std::int64_t g = 0; g < sums.groups(); ++g) {
    if (sums.rows(static_cast<std::size_t>(g)) == 0) return fmt::format("no row in group {}", g);
  }
  return {};
}

double all_rows(const AtomSums& sums) {
  double rows = 0;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) rows += sums.rows(g);
  return rows;
}

using OfGroup = double (AtomSums::*)(std::size_t) const;

template <OfGroup sum>
Value mean(const AtomSums& sums) {
  const double rows = all_rows(sums);
  if (rows == 0) return undefined("no row");
  double total = 0;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    total += (sums.*sum)(g);
  }
  return defined(total / rows);
}

/// The moments of two sets of rows together: Chan, Golub, LeVeque (1979).
Moments together(const Moments& a, const Moments& b) {
  const double rows = a.rows + b.rows;
  if (rows == 0) return {};
  const double off = b.mean - a.mean;
  return {rows, a.mean + off * b.rows / rows,
          a.squares + b.squares + off * off * a.rows * b.rows / rows};
}

using MomentsOf = const Moments& (AtomSums::*)(std::size_t) const;

Moments over_all(const AtomSums& sums, MomentsOf moments) {
  Moments all;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    all = together(all, (sums.*moments)(g));
  }
  return all;
}

Value root_mean_squared_error(const AtomSums& sums) {
  return value_of_root(mean<&AtomSums::squared_error>(sums));
}

Value r_squared(const AtomSums& sums) {
  return r_squared_of(mean<&AtomSums::squared_error>(sums), over_all(sums, &AtomSums::targets));
}

/// One number a group, of which `choose` makes one.
template <class Number>
Value of_groups(const AtomSums& sums, bool pairs, Number number,
                Value (Extremes::*choose)() const) {
  if (std::string reason = missing(sums, pairs); !reason.empty())
    return undefined(std::move(reason));
  std::vector<double> values;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    values.push_back(number(g));
  }
  return (metrics::extremes(values).*choose)();
}

double prediction_sum(const AtomSums& sums, std::size_t g) {
  double sum = 0;
  for (std::size_t l = 0; l < sums.atoms().size(); ++l) sum += sums.mass(g)[l] * sums.atoms()[l];
  return sum;
}

Value risk_gap(const AtomSums& sums) {
  return of_groups(
      sums, true, [&](std::size_t g) { return sums.squared_error(g) / sums.rows(g); },
      &Extremes::gap);
}
Value worst_group_risk(const AtomSums& sums) {
  return of_groups(
      sums, false, [&](std::size_t g) { return sums.squared_error(g) / sums.rows(g); },
      &Extremes::largest);
}
Value mean_gap(const AtomSums& sums) {
  return of_groups(
      sums, true, [&](std::size_t g) { return prediction_sum(sums, g) / sums.rows(g); },
      &Extremes::gap);
}
Value mean_prediction(const AtomSums& sums) {
  const double rows = all_rows(sums);
  if (rows == 0) return undefined("no row");
  double total = 0;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    total += prediction_sum(sums, g);
  }
  return defined(total / rows);
}

/// Distribution of a group's predictions over the atoms.
std::vector<double> shares(const AtomSums& sums, std::size_t g) {
  std::vector<double> of_atoms(sums.mass(g).begin(), sums.mass(g).end());
  for (double& share : of_atoms) share /= sums.rows(g);
  return of_atoms;
}
std::vector<double> shares_of_all(const AtomSums& sums) {
  std::vector<double> of_atoms(sums.atoms().size(), 0.0);
  const double rows = all_rows(sums);
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    for (std::size_t l = 0; l < of_atoms.size(); ++l) of_atoms[l] += sums.mass(g)[l];
  }
  for (double& share : of_atoms) share /= rows;
  return of_atoms;
}

double largest_step(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  double below = 0;  // F_a - F_b so far; 0 again behind the last atom
  for (std::size_t l = 0; l + 1 < a.size(); ++l) {
    below += a[l] - b[l];
    largest = std::max(largest, std::abs(below));
  }
  return largest;
}

double earth_mover(std::span<const double> atoms, std::span<const double> a,
                   std::span<const double> b) {
  double distance = 0;
  double below = 0;
  for (std::size_t l = 0; l + 1 < a.size(); ++l) {
    below += a[l] - b[l];
    distance += std::abs(below) * (atoms[l + 1] - atoms[l]);
  }
  return distance;
}

/// Moves mass in the order of the line: from the lowest atom that has some left to the lowest one
/// that lacks some.
double squared_mover(std::span<const double> atoms, std::span<const double> a,
                     std::span<const double> b) {
  double distance = 0;
  std::size_t i = 0, j = 0;
  double left_a = a[0], left_b = b[0];
  while (i < a.size() && j < b.size()) {
    const double moved = std::min(left_a, left_b);
    const double way = atoms[i] - atoms[j];
    distance += moved * (way * way);
    left_a -= moved;
    left_b -= moved;
    if (left_a <= left_b) {
      if (++i < a.size()) left_a = a[i];
    } else if (++j < b.size()) {
      left_b = b[j];
    }
  }
  return distance;
}

template <class Distance>
Value over_pairs(const AtomSums& sums, Distance distance) {
  if (std::string reason = missing(sums, true); !reason.empty())
    return undefined(std::move(reason));
  Value largest = defined(0);
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const std::vector<double> of_g = shares(sums, g);
    for (std::size_t h = 0; h < g; ++h) {
      largest = larger(std::move(largest), distance(of_g, shares(sums, h)), g, h);
    }
  }
  return largest;
}

Value kolmogorov_smirnov(const AtomSums& sums) { return over_pairs(sums, largest_step); }
Value wasserstein_1(const AtomSums& sums) {
  return over_pairs(sums,
                    [&](const auto& a, const auto& b) { return earth_mover(sums.atoms(), a, b); });
}
Value wasserstein_2(const AtomSums& sums) {
  Value squared = over_pairs(
      sums, [&](const auto& a, const auto& b) { return squared_mover(sums.atoms(), a, b); });
  squared.value = std::sqrt(squared.value);
  for (GapMaker& of_group : squared.made_by) of_group.value = std::sqrt(of_group.value);
  return squared;
}

Value atom_gap(const AtomSums& sums) {
  if (std::string reason = missing(sums, true); !reason.empty())
    return undefined(std::move(reason));
  const std::vector<double> all = shares_of_all(sums);
  Value largest = defined(0);
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const std::vector<double> of_g = shares(sums, g);
    for (std::size_t l = 0; l < all.size(); ++l) {
      largest = larger(std::move(largest), std::abs(of_g[l] - all[l]), g);
    }
  }
  return largest;
}

template <MomentsOf moments, Law law = Law::positive_mean>
Interval interval_over_all(const AtomSums& sums, double level) {
  return mean_interval(over_all(sums, moments), law, level);
}

Interval root_mean_squared_error_interval(const AtomSums& sums, double level) {
  return interval_of_root(interval_over_all<&AtomSums::squared_errors>(sums, level));
}
Interval interval_of_r_squared(const AtomSums& sums, double level) {
  ErrorsAndTargets all = sums.errors_and_targets(0);
  for (std::size_t g = 1; g < static_cast<std::size_t>(sums.groups()); ++g) {
    all.add(sums.errors_and_targets(g));
  }
  return all.interval(level);
}

template <MomentsOf moments, Law law, auto interval>
Interval interval_of_groups(const AtomSums& sums, double level) {
  std::vector<Moments> of_group;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    of_group.push_back((sums.*moments)(g));
  }
  return interval(mean_estimates(of_group, law), level);
}

/// The shares of all rows but a group's.
std::vector<double> shares_of_rest(const AtomSums& sums, std::size_t group) {
  std::vector<double> of_atoms(sums.atoms().size(), 0.0);
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    for (std::size_t l = 0; l < of_atoms.size() && g != group; ++l) of_atoms[l] += sums.mass(g)[l];
  }
  for (double& share : of_atoms) share /= all_rows(sums) - sums.rows(group);
  return of_atoms;
}

/// Both distribution functions over the atoms, from what is below all of them on.
ComparedSteps compared(std::vector<double> a, std::vector<double> b, double rows_a, double rows_b,
                       double weight) {
  const double distance = largest_step(a, b);
  const auto steps = [a = std::move(a),
                      b = std::move(b)](const std::function<void(double, double)>& visit) {
    double below_a = 0;
    double below_b = 0;
    visit(0, 0);
    for (std::size_t l = 0; l < a.size(); ++l) {
      below_a = std::min(1.0, below_a + a[l]);
      below_b = std::min(1.0, below_b + b[l]);
      visit(below_a, below_b);
    }
  };
  return {rows_a, rows_b, distance, weight, steps};
}

Interval kolmogorov_smirnov_interval(const AtomSums& sums, double level) {
  if (std::string reason = missing(sums, true); !reason.empty()) {
    return {.undefined_reason = std::move(reason)};
  }
  std::vector<ComparedSteps> pairs;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      pairs.push_back(compared(shares(sums, g), shares(sums, h), sums.rows(g), sums.rows(h), 1));
    }
  }
  return interval_of_distances(pairs, level);
}

Interval kolmogorov_smirnov_to_all_interval(const AtomSums& sums, double level) {
  if (std::string reason = missing(sums, true); !reason.empty()) {
    return {.undefined_reason = std::move(reason)};
  }
  std::vector<ComparedSteps> pairs;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const double rest = all_rows(sums) - sums.rows(g);
    pairs.push_back(compared(shares(sums, g), shares_of_rest(sums, g), sums.rows(g), rest,
                             rest / all_rows(sums)));
  }
  return interval_of_distances(pairs, level);
}

/// Of every atom's share in a group less that in the other groups.
Interval atom_gap_interval(const AtomSums& sums, double level) {
  if (std::string reason = missing(sums, true); !reason.empty()) {
    return {.undefined_reason = std::move(reason)};
  }
  std::vector<AgainstRest> contrasts;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const std::vector<double> group = shares(sums, g);
    const std::vector<double> rest = shares_of_rest(sums, g);
    const double rest_rows = all_rows(sums) - sums.rows(g);
    for (std::size_t l = 0; l < group.size(); ++l) {
      contrasts.push_back({{std::min(1.0, group[l]), Law::proportion, sums.rows(g), 0, 0},
                           {std::min(1.0, rest[l]), Law::proportion, rest_rows, 0, 0},
                           rest_rows / all_rows(sums)});
    }
  }
  Interval interval = interval_of_largest(against_rest(std::move(contrasts)), level);
  interval.low = std::max(0.0, interval.low);
  return interval;
}

Interval no_interval(const AtomSums& /*sums*/, double level) {
  return no_interval_of_wasserstein_2({}, level);
}
Interval no_interval_of_wasserstein_1(const AtomSums& /*sums*/, double /*level*/) {
  return {.undefined_reason = "no interval of this distance is known for randomised predictions"};
}

std::vector<RandomisedMeasure> measures() {
  struct Functions {
    std::string name;
    Value (*of)(const AtomSums&);
    Interval (*interval)(const AtomSums&, double);
    bool may_resample = false;
    bool of_each_group = false;
  };
  constexpr MomentsOf squared = &AtomSums::squared_errors;
  const std::vector<Functions> functions{
      {"risk", mean<&AtomSums::squared_error>, interval_over_all<squared>, true, true},
      {"root_mean_squared_error", root_mean_squared_error, root_mean_squared_error_interval, true,
       true},
      {"r_squared", r_squared, interval_of_r_squared, true},
      {"absolute_error", mean<&AtomSums::absolute_error>,
       interval_over_all<&AtomSums::absolute_errors>, true, true},
      {"mean_prediction", mean_prediction, interval_over_all<&AtomSums::predictions, Law::mean>,
       true, true},
      {"mean_target", mean<&AtomSums::target>, interval_over_all<&AtomSums::targets, Law::mean>,
       true, true},
      {"risk_gap", risk_gap, interval_of_groups<squared, Law::positive_mean, gap_interval>},
      {"worst_group_risk", worst_group_risk,
       interval_of_groups<squared, Law::positive_mean, largest_interval>},
      {"mean_gap", mean_gap, interval_of_groups<&AtomSums::predictions, Law::mean, gap_interval>},
      {"kolmogorov_smirnov_to_all", kolmogorov_smirnov_to_all, kolmogorov_smirnov_to_all_interval},
      {"kolmogorov_smirnov", kolmogorov_smirnov, kolmogorov_smirnov_interval},
      {"wasserstein_1", wasserstein_1, no_interval_of_wasserstein_1},
      {"wasserstein_2", wasserstein_2, no_interval}};
  std::vector<RandomisedMeasure> rows;
  for (const auto& [name, of, interval, may_resample, of_each_group] : functions) {
    rows.push_back(
        {select(regression(), {&name, 1}).front().what, of, interval, may_resample, of_each_group});
  }
  rows.push_back(
      {{"atom_gap", "largest difference of an atom's probability between a group and all rows",
        "share", base::Direction::minimise, "Chzhen, Hebiri, Taturyan (2024), equation (2)"},
       atom_gap,
       atom_gap_interval});
  return rows;
}

/// The rows of each stratum.
std::vector<std::vector<std::uint32_t>> strata_of(std::span<const std::int32_t> group,
                                                  std::int64_t groups, Strata kind) {
  if (kind == Strata::group_and_label) {
    throw std::invalid_argument("randomised predictions have strata none or group");
  }
  std::vector<std::vector<std::uint32_t>> strata(
      kind == Strata::none ? 1 : static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < group.size(); ++i) {
    strata[kind == Strata::none ? 0 : static_cast<std::size_t>(group[i])].push_back(
        static_cast<std::uint32_t>(i));
  }
  return strata;
}

}  // namespace

Value kolmogorov_smirnov_to_all(const AtomSums& sums) {
  if (std::string reason = missing(sums, true); !reason.empty())
    return undefined(std::move(reason));
  return extremes(kolmogorov_smirnov_of_groups(sums)).largest();
}

AtomSums::AtomSums(std::vector<double> atoms, std::int64_t groups) : atoms_{std::move(atoms)} {
  if (atoms_.empty() || std::ranges::adjacent_find(atoms_, std::greater_equal{}) != atoms_.end()) {
    throw std::invalid_argument("AtomSums: atoms must ascend");
  }
  if (groups < 1) throw std::invalid_argument("AtomSums: groups must be >= 1");
  const auto count = static_cast<std::size_t>(groups);
  rows_.assign(count, 0.0);
  squared_error_.assign(count, 0.0);
  absolute_error_.assign(count, 0.0);
  target_.assign(count, 0.0);
  for (auto* moments : {&squared_, &absolute_, &prediction_, &targets_}) moments->resize(count);
  mass_.assign(count * atoms_.size(), 0.0);
  both_.assign(count, ErrorsAndTargets(atoms_[atoms_.size() / 2]));
}

void AtomSums::add(std::span<const double> pi, double label, std::int32_t group, double copies) {
  const auto g = static_cast<std::size_t>(group);
  double* const mass = mass_.data() + g * atoms_.size();
  double squared = 0;
  double absolute = 0;
  double prediction = 0;
  for (std::size_t l = 0; l < atoms_.size(); ++l) {
    const double error = atoms_[l] - label;
    squared += pi[l] * (error * error);
    absolute += pi[l] * std::abs(error);
    prediction += pi[l] * atoms_[l];
    mass[l] += copies * pi[l];
  }
  squared_[g].add(squared, copies);
  absolute_[g].add(absolute, copies);
  prediction_[g].add(prediction, copies);
  rows_[g] += copies;
  squared_error_[g] += copies * squared;
  absolute_error_[g] += copies * absolute;
  targets_[g].add(label, copies);
  target_[g] += copies * label;
  both_[g].add(squared, label, copies);
}

AtomSums AtomSums::of_group(std::size_t group) const {
  AtomSums found(atoms_, 1);
  found.rows_[0] = rows_[group];
  found.squared_error_[0] = squared_error_[group];
  found.absolute_error_[0] = absolute_error_[group];
  found.target_[0] = target_[group];
  found.squared_[0] = squared_[group];
  found.absolute_[0] = absolute_[group];
  found.prediction_[0] = prediction_[group];
  found.targets_[0] = targets_[group];
  found.both_[0] = both_[group];
  found.mass_.assign(mass(group).begin(), mass(group).end());
  return found;
}

void AtomSums::clear() {
  for (auto* values : {&rows_, &squared_error_, &absolute_error_, &target_, &mass_}) {
    std::ranges::fill(*values, 0.0);
  }
  for (auto* moments : {&squared_, &absolute_, &prediction_, &targets_})
    std::ranges::fill(*moments, Moments{});
  std::ranges::fill(both_, ErrorsAndTargets(atoms_[atoms_.size() / 2]));
}

std::span<const RandomisedMeasure> randomised_regression() {
  static const std::vector<RandomisedMeasure> rows = measures();
  return rows;
}

std::vector<double> kolmogorov_smirnov_of_groups(const AtomSums& sums) {
  const std::vector<double> all = shares_of_all(sums);
  std::vector<double> distances;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    distances.push_back(sums.rows(g) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                          : largest_step(shares(sums, g), all));
  }
  return distances;
}

std::vector<BootstrapInterval> bootstrap_intervals(
    std::span<const RandomisedMeasure> measures, std::span<const double> atoms,
    std::span<const double> probabilities, std::span<const double> label,
    std::span<const std::int32_t> group, std::int64_t groups, const BootstrapOptions& options,
    base::StreamKey key) {
  validate(options);
  const std::size_t n = atoms.size();
  if (probabilities.size() != label.size() * n || group.size() != label.size()) {
    throw std::invalid_argument("bootstrap_intervals: shapes that do not fit");
  }
  const auto strata = strata_of(group, groups, options.strata);
  std::vector<std::int32_t> copies(label.size());
  AtomSums sums({atoms.begin(), atoms.end()}, groups);
  const auto draw = [&](base::Stream stream) {
    std::ranges::fill(copies, 0);
    for (const auto& rows : strata) {
      for (std::size_t drawn = 0; drawn < rows.size(); ++drawn) {
        ++copies[rows[stream.below(static_cast<std::uint32_t>(rows.size()))]];
      }
    }
    sums.clear();
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies[i] == 0) continue;
      sums.add(probabilities.subspan(i * n, n), label[i], group[i], copies[i]);
    }
  };
  std::vector<std::size_t> plain;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].may_resample) plain.push_back(m);
  }
  std::vector<BootstrapInterval> of_plain = percentile_intervals(
      plain.size(), options, key, draw, [&](std::size_t i) { return measures[plain[i]].of(sums); });
  std::vector<BootstrapInterval> all(measures.size(), not_resampled());
  for (std::size_t i = 0; i < plain.size(); ++i) all[plain[i]] = std::move(of_plain[i]);
  return all;
}

}  // namespace fairfront::metrics
