#include "metrics/randomised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace fairfront::metrics {
namespace {

std::string missing(const AtomSums& sums) {
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

/// One number a group, made one number by `choose`.
template <class Number, class Choose>
Value of_groups(const AtomSums& sums, Number number, Choose choose) {
  if (std::string reason = missing(sums); !reason.empty()) return undefined(std::move(reason));
  std::vector<double> values;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    values.push_back(number(g));
  }
  const auto [lowest, highest] = std::ranges::minmax_element(values);
  return defined(choose(*lowest, *highest));
}

double difference(double low, double high) { return high - low; }
double greater(double, double high) { return high; }

Value risk_gap(const AtomSums& sums) {
  return of_groups(
      sums, [&](std::size_t g) { return sums.squared_error(g) / sums.rows(g); }, difference);
}
Value worst_group_risk(const AtomSums& sums) {
  return of_groups(
      sums, [&](std::size_t g) { return sums.squared_error(g) / sums.rows(g); }, greater);
}
Value mean_gap(const AtomSums& sums) {
  const auto mean_of = [&](std::size_t g) {
    double sum = 0;
    for (std::size_t l = 0; l < sums.atoms().size(); ++l) sum += sums.mass(g)[l] * sums.atoms()[l];
    return sum / sums.rows(g);
  };
  return of_groups(sums, mean_of, difference);
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
  if (std::string reason = missing(sums); !reason.empty()) return undefined(std::move(reason));
  double largest = 0;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const std::vector<double> of_g = shares(sums, g);
    for (std::size_t h = 0; h < g; ++h) {
      largest = std::max(largest, distance(of_g, shares(sums, h)));
    }
  }
  return defined(largest);
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
  return squared;
}

Value kolmogorov_smirnov_to_all(const AtomSums& sums) {
  if (std::string reason = missing(sums); !reason.empty()) return undefined(std::move(reason));
  return defined(std::ranges::max(kolmogorov_smirnov_of_groups(sums)));
}

Value atom_gap(const AtomSums& sums) {
  if (std::string reason = missing(sums); !reason.empty()) return undefined(std::move(reason));
  const std::vector<double> all = shares_of_all(sums);
  double largest = 0;
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    const std::vector<double> of_g = shares(sums, g);
    for (std::size_t l = 0; l < all.size(); ++l) {
      largest = std::max(largest, std::abs(of_g[l] - all[l]));
    }
  }
  return defined(largest);
}

std::vector<RandomisedMeasure> measures() {
  const std::vector<std::pair<std::string, Value (*)(const AtomSums&)>> functions{
      {"risk", mean<&AtomSums::squared_error>},
      {"absolute_error", mean<&AtomSums::absolute_error>},
      {"risk_gap", risk_gap},
      {"worst_group_risk", worst_group_risk},
      {"mean_gap", mean_gap},
      {"kolmogorov_smirnov_to_all", kolmogorov_smirnov_to_all},
      {"kolmogorov_smirnov", kolmogorov_smirnov},
      {"wasserstein_1", wasserstein_1},
      {"wasserstein_2", wasserstein_2}};
  std::vector<RandomisedMeasure> rows;
  for (const auto& [name, of] : functions) {
    rows.push_back({select(regression(), {&name, 1}).front().what, of});
  }
  rows.push_back(
      {{"atom_gap", "largest difference of an atom's probability between a group and all rows",
        "share", base::Direction::minimise, "Chzhen, Hebiri, Taturyan (2024), equation (2)"},
       atom_gap});
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

AtomSums::AtomSums(std::vector<double> atoms, std::int64_t groups) : atoms_{std::move(atoms)} {
  if (atoms_.empty() || std::ranges::adjacent_find(atoms_, std::greater_equal{}) != atoms_.end()) {
    throw std::invalid_argument("AtomSums: atoms must ascend");
  }
  if (groups < 1) throw std::invalid_argument("AtomSums: groups must be >= 1");
  const auto count = static_cast<std::size_t>(groups);
  rows_.assign(count, 0.0);
  squared_error_.assign(count, 0.0);
  absolute_error_.assign(count, 0.0);
  mass_.assign(count * atoms_.size(), 0.0);
}

void AtomSums::add(std::span<const double> pi, double label, std::int32_t group, double copies) {
  const auto g = static_cast<std::size_t>(group);
  double* const mass = mass_.data() + g * atoms_.size();
  double squared = 0;
  double absolute = 0;
  for (std::size_t l = 0; l < atoms_.size(); ++l) {
    const double error = atoms_[l] - label;
    squared += pi[l] * (error * error);
    absolute += pi[l] * std::abs(error);
    mass[l] += copies * pi[l];
  }
  rows_[g] += copies;
  squared_error_[g] += copies * squared;
  absolute_error_[g] += copies * absolute;
}

void AtomSums::clear() {
  for (auto* values : {&rows_, &squared_error_, &absolute_error_, &mass_}) {
    std::ranges::fill(*values, 0.0);
  }
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
  return percentile_intervals(measures.size(), options, key, draw,
                              [&](std::size_t m) { return measures[m].of(sums); });
}

}  // namespace fairfront::metrics
