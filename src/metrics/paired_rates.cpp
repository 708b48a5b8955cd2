#include "metrics/paired_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "metrics/contrast.hpp"
#include "metrics/multinomial_interval.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// What a row with this label and this decision is to a rate.
struct Role {
  bool counts;
  bool hit;
};

Role role_of(Rate rate, bool label, bool decided) {
  switch (rate) {
    case Rate::positive:
      return {true, decided};
    case Rate::error:
      return {true, decided != label};
    case Rate::true_positive:
      return {label, decided};
    case Rate::false_positive:
      return {!label, decided};
    case Rate::positive_predictive:
      return {decided, label};
    case Rate::negative_predictive:
      break;
  }
  return {!decided, !label};
}

/// Rows that are added to each of the eight counts for the variances: two in all for each model.
double added(Rate rate) { return rate == Rate::positive || rate == Rate::error ? 0.25 : 0.5; }

/// visit(place, role) of all eight kinds of rows, for the first model or the second.
template <class Visit>
void each_kind(Rate rate, std::size_t model, Visit visit) {
  for (const bool label : {false, true}) {
    for (const bool first : {false, true}) {
      for (const bool second : {false, true}) {
        visit(JointDecisions::place(label, first, second),
              role_of(rate, label, model == 0 ? first : second));
      }
    }
  }
}

Share share_of(const JointDecisions& group, Rate rate, std::size_t model) {
  Share found{0, 0};
  each_kind(rate, model, [&](std::size_t place, Role role) {
    const auto rows = static_cast<double>(group.rows[place]);
    found.of += role.counts ? rows : 0;
    found.hits += role.counts && role.hit ? rows : 0;
  });
  return found;
}

/// What a row of every kind adds to the error of a rate.
using Influences = std::array<double, 8>;

Influences influences_of(const JointDecisions& group, Rate rate, std::size_t model) {
  const Share share = share_of(group, rate, model);
  const double more = share.of + 2;
  const double mean = (share.hits + 1) / more;
  const double weight = 1 / std::sqrt(more * share.of);
  Influences found{};
  each_kind(rate, model, [&](std::size_t place, Role role) {
    if (role.counts) found[place] = weight * ((role.hit ? 1 : 0) - mean);
  });
  return found;
}

JointDecisions sum_of(std::span<const JointDecisions> groups) {
  JointDecisions all;
  for (const JointDecisions& group : groups) all += group;
  return all;
}

/// Why there is no interval, or "".
std::string missing_gap(std::span<const JointDecisions> groups, std::span<const Rate> rates) {
  std::string reason = missing_pair(std::ssize(groups));
  return reason.empty() ? missing_rate(groups, rates, true) : reason;
}

double value_of_sum(const PairedEstimates& estimates, std::size_t groups, std::size_t model) {
  double sum = 0;
  for (std::size_t first = 0; first < estimates.of_model[model].size(); first += groups) {
    const auto begin = estimates.of_model[model].begin() + static_cast<std::ptrdiff_t>(first);
    const auto [lowest, highest] =
        std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(groups),
                            [](const Estimate& a, const Estimate& b) { return a.value < b.value; });
    sum += highest->value - lowest->value;
  }
  return sum;
}

}  // namespace

JointDecisions& JointDecisions::operator+=(const JointDecisions& other) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += other.rows[i];
  return *this;
}

std::vector<JointDecisions> joint_decisions(const Scored& first, const Scored& second) {
  if (!first.decided.empty() || !second.decided.empty()) {
    throw std::invalid_argument("Scored::decided: drawn decisions have no paired differences");
  }
  std::vector<JointDecisions> groups(static_cast<std::size_t>(first.groups));
  for (std::size_t row = 0; row < first.rows(); ++row) {
    const std::size_t place =
        JointDecisions::place(first.label[row] > 0, first.score[row] >= first.threshold,
                              second.score[row] >= second.threshold);
    ++groups[static_cast<std::size_t>(first.group[row])].rows[place];
  }
  return groups;
}

std::string missing_rate(std::span<const JointDecisions> groups, std::span<const Rate> rates,
                         bool by_group) {
  for (std::size_t model = 0; model < 2; ++model) {
    for (const Rate rate : rates) {
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (share_of(groups[g], rate, model).of > 0) continue;
        return fmt::format("no {}{}", denominator_of(rate),
                           by_group ? fmt::format(" in group {}", g) : std::string{});
      }
    }
  }
  return {};
}

PairedEstimates paired_rates(std::span<const JointDecisions> groups, std::span<const Rate> rates) {
  PairedEstimates found{{}, {rates.size() * groups.size(), groups.size()}};
  for (std::size_t model = 0; model < 2; ++model) {
    for (const Rate rate : rates) {
      for (const JointDecisions& group : groups) {
        const Share share = share_of(group, rate, model);
        found.of_model[model].push_back(proportion(share.hits, share.of));
      }
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<Influences> influences;  // of the first model's rates, then of the second's
    for (std::size_t model = 0; model < 2; ++model) {
      for (const Rate rate : rates) influences.push_back(influences_of(groups[g], rate, model));
    }
    for (std::size_t i = 0; i < influences.size(); ++i) {
      for (std::size_t j = 0; j < influences.size(); ++j) {
        double sum = 0;
        for (std::size_t kind = 0; kind < 8; ++kind) {
          const double rows = static_cast<double>(groups[g].rows[kind]) + added(rates.front());
          sum += rows * influences[i][kind] * influences[j][kind];
        }
        const std::size_t count = rates.size();
        found.covariance.at(i % count * groups.size() + g, static_cast<int>(i / count),
                            j % count * groups.size() + g, static_cast<int>(j / count)) = sum;
      }
    }
  }
  return found;
}

Interval paired_gap_interval(std::span<const JointDecisions> groups, std::span<const Rate> rates,
                             double level) {
  std::string reason = missing_gap(groups, rates);
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  const PairedEstimates estimates = paired_rates(groups, rates);
  return paired_interval_of_largest(estimates, paired_differences(estimates, groups.size()), level,
                                    -1, 1);
}

Interval paired_sum_interval(std::span<const JointDecisions> groups, std::array<Rate, 2> rates,
                             bool disjoint, double level) {
  std::string reason = missing_gap(groups, rates);
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  double value = 0;
  double below = 0;
  double above = 0;
  for (const Rate& rate : rates) {
    const PairedEstimates estimates = paired_rates(groups, {&rate, 1});
    const double of_rate =
        value_of_sum(estimates, groups.size(), 0) - value_of_sum(estimates, groups.size(), 1);
    const Interval interval =
        paired_interval_of_largest(estimates, paired_differences(estimates, groups.size()),
                                   disjoint ? level : (1 + level) / 2, -1, 1);
    value += of_rate;
    const double low = of_rate - interval.low;
    const double high = interval.high - of_rate;
    below += disjoint ? low * low : low;
    above += disjoint ? high * high : high;
  }
  if (disjoint) {
    below = std::sqrt(below);
    above = std::sqrt(above);
  }
  return {std::max(-2.0, value - below), std::min(2.0, value + above), {}};
}

Interval paired_largest_interval(std::span<const JointDecisions> groups, Rate rate, double level) {
  std::string reason = missing_rate(groups, {&rate, 1}, true);
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  const PairedEstimates estimates = paired_rates(groups, {&rate, 1});
  return paired_interval_of_largest(estimates, paired_values(estimates), level, -1, 1);
}

Interval paired_ratio_interval(std::span<const JointDecisions> groups, Rate rate, double level) {
  std::string reason = missing_gap(groups, {&rate, 1});
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  const PairedEstimates estimates = paired_rates(groups, {&rate, 1});
  PairedContrasts negatives = paired_differences(estimates, groups.size());
  for (std::size_t model = 0; model < 2; ++model) {
    const std::vector<Estimate>& rates = estimates.of_model[model];
    const auto moved = [&](std::size_t g) {
      return (rates[g].value * rates[g].size + 0.5) / (rates[g].size + 1);
    };
    const bool none = std::ranges::all_of(rates, [](const Estimate& e) { return e.value == 0; });
    if (none) return {.undefined_reason = "the rate is 0 in every group"};
    for (PairedContrast& contrast : negatives[model]) {
      const auto [over, under] = contrast.estimate;
      const double ratio = moved(over) / moved(under);
      // Of a group with rate 0 no ratio is the smallest unless both are 0.
      contrast.value = rates[under].value > 0 ? -rates[over].value / rates[under].value : -ratio;
      contrast.weight = {-1 / moved(under), ratio / moved(under)};
    }
  }
  const Interval negative = paired_interval_of_largest(estimates, negatives, level, -1, 1);
  return {-negative.high, -negative.low, {}};
}

Interval paired_rate_interval(std::span<const JointDecisions> groups, std::span<const Rate> rates,
                              std::span<const double> weights, double level) {
  const JointDecisions all = sum_of(groups);
  std::string reason = missing_rate({&all, 1}, rates, false);
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  double value = 0;
  std::array<WeightedRows, 8> kinds{};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    kinds[kind].rows = static_cast<double>(all.rows[kind]);
  }
  for (std::size_t r = 0; r < rates.size(); ++r) {
    for (std::size_t model = 0; model < 2; ++model) {
      const double weight = model == 0 ? weights[r] : -weights[r];
      const Share share = share_of(all, rates[r], model);
      const double rate = share.hits / share.of;
      value += weight * rate;
      each_kind(rates[r], model, [&](std::size_t place, Role role) {
        if (role.counts) kinds[place].weight += weight * ((role.hit ? 1 : 0) - rate) / share.of;
      });
    }
  }
  const Interval interval = multinomial_interval(value, kinds, (1 - level) / 2);
  return {std::max(-1.0, interval.low), std::min(1.0, interval.high), {}};
}

double mcnemar_p_value(std::span<const JointDecisions> groups) {
  const JointDecisions all = sum_of(groups);
  std::array<std::int64_t, 2> only{};  // rows on which that model alone errs
  for (const bool label : {false, true}) {
    only[0] += all.rows[JointDecisions::place(label, !label, label)];
    only[1] += all.rows[JointDecisions::place(label, label, !label)];
  }
  const auto fewer = static_cast<double>(std::min(only[0], only[1]));
  const auto more = static_cast<double>(std::max(only[0], only[1]));
  if (fewer == more) return 1;
  return std::min(1.0, 2 * incomplete_beta(more, fewer + 1, 0.5, 0.5));
}

}  // namespace fairfront::metrics
