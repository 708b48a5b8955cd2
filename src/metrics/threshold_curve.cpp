#include "metrics/threshold_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Adds links and running minima once the points are there.
void finish(Curve& curve) {
  const std::size_t size = curve.size();
  curve.before.assign(size, Curve::none);
  curve.after.assign(size, Curve::none);
  curve.least_before = curve.errors;
  curve.least_after = curve.errors;
  for (std::size_t i = 1; i < size; ++i) {
    auto earlier = static_cast<std::uint32_t>(i - 1);
    while (earlier != Curve::none && curve.errors[earlier] >= curve.errors[i]) {
      earlier = curve.before[earlier];
    }
    curve.before[i] = earlier;
    curve.least_before[i] = std::min(curve.errors[i], curve.least_before[i - 1]);
  }
  for (std::size_t i = size - 1; i-- > 0;) {
    auto later = static_cast<std::uint32_t>(i + 1);
    while (later != Curve::none && curve.errors[later] >= curve.errors[i])
      later = curve.after[later];
    curve.after[i] = later;
    curve.least_after[i] = std::min(curve.errors[i], curve.least_after[i + 1]);
  }
}

/// Keeps the points at ascending places.
void keep(Curve& curve, const std::vector<std::size_t>& places) {
  const auto pick = [&](auto& values) {
    for (std::size_t k = 0; k < places.size(); ++k) values[k] = values[places[k]];
    values.resize(places.size());
  };
  pick(curve.threshold);
  pick(curve.x);
  pick(curve.y);
  pick(curve.errors);
}

/// The k-th of the van der Corput sequence in base 2, in units of 2^-32: 1/2, 1/4, 3/4, 1/8, ...
std::uint64_t van_der_corput(std::uint32_t k) {
  std::uint64_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed = (reversed << 1) | ((k >> bit) & 1);
  return reversed;
}

/// So many different places of a size, ascending: the first of a sequence that begins with both
/// ends and halves what is between, and so all those of any smaller number.
std::vector<std::size_t> nested_places(std::size_t size, std::size_t wanted) {
  std::vector<std::size_t> places{0, size - 1};
  std::vector<bool> taken(size, false);
  taken.front() = taken.back() = true;
  for (std::uint32_t k = 1; places.size() < wanted; ++k) {
    const auto place = static_cast<std::size_t>((van_der_corput(k) * (size - 1)) >> 32);
    if (taken[place]) continue;
    taken[place] = true;
    places.push_back(place);
  }
  std::ranges::sort(places);
  return places;
}

/// About evenly spaced by rank with both ends, and the first point of least error.
void coarsen(Curve& curve, std::int64_t count) {
  const std::size_t size = curve.size();
  const auto wanted = static_cast<std::size_t>(count);
  if (size <= wanted) return;
  std::vector<std::size_t> places = nested_places(size, wanted);
  const auto best =
      static_cast<std::size_t>(std::ranges::min_element(curve.errors) - curve.errors.begin());
  const auto at = std::ranges::lower_bound(places, best);
  if (*at != best) places.insert(at, best);
  keep(curve, places);
}

/// A group's scores by label, ascending.
struct Cell {
  std::vector<double> negative, positive;
};

Curve curve_of(const Cell& cell, ThresholdGap gap) {
  const auto negatives = static_cast<std::int64_t>(cell.negative.size());
  const auto positives = static_cast<std::int64_t>(cell.positive.size());
  const bool parity = gap == ThresholdGap::demographic_parity;
  Curve curve;
  curve.x_of = parity ? negatives + positives : negatives;
  curve.y_of = parity ? negatives + positives : positives;
  std::int64_t false_positives = 0;
  std::int64_t true_positives = 0;
  double threshold = infinity;
  const auto add = [&] {
    curve.threshold.push_back(threshold);
    curve.x.push_back(parity ? false_positives + true_positives : false_positives);
    curve.y.push_back(parity ? false_positives + true_positives : true_positives);
    curve.errors.push_back(false_positives + positives - true_positives);
  };
  auto negative = cell.negative.rbegin();
  auto positive = cell.positive.rbegin();
  // A score of infinity is decided 1 even there, so that no threshold decides none of them.
  if (std::max(negatives == 0 ? -infinity : *negative, positives == 0 ? -infinity : *positive) <
      infinity) {
    add();
  }
  while (negative != cell.negative.rend() || positive != cell.positive.rend()) {
    threshold = std::max(negative == cell.negative.rend() ? -infinity : *negative,
                         positive == cell.positive.rend() ? -infinity : *positive);
    for (; negative != cell.negative.rend() && *negative == threshold; ++negative) {
      ++false_positives;
    }
    for (; positive != cell.positive.rend() && *positive == threshold; ++positive) {
      ++true_positives;
    }
    add();
  }
  return curve;
}

std::vector<Cell> cells_of(const Scored& scored) {
  std::vector<Cell> cells(static_cast<std::size_t>(scored.groups));
  bool nan = false;
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    nan |= std::isnan(scored.score[i]);
    Cell& cell = cells[static_cast<std::size_t>(scored.group[i])];
    (scored.label[i] > 0 ? cell.positive : cell.negative).push_back(scored.score[i]);
  }
  if (nan) throw base::InputError("a score is NaN");
  for (Cell& cell : cells) {
    sort_ascending(cell.negative);
    sort_ascending(cell.positive);
  }
  return cells;
}

/// Why there is no gap, or "".
std::string missing(const std::vector<Cell>& cells, NeededLabels needed) {
  for (std::size_t g = 0; g < cells.size(); ++g) {
    const bool negatives = !cells[g].negative.empty();
    const bool positives = !cells[g].positive.empty();
    if (!negatives && !positives) return fmt::format("no row in group {}", g);
    if (needed.positives && !positives) return fmt::format("no row with label 1 in group {}", g);
    if (needed.negatives && !negatives) return fmt::format("no row with label 0 in group {}", g);
  }
  return {};
}

}  // namespace

Curves threshold_curves(const Scored& scored, ThresholdGap gap, std::int64_t thresholds_per_group) {
  const bool both = gap == ThresholdGap::equalised_odds;
  return threshold_curves(scored, gap, thresholds_per_group, {both, both});
}

Curves threshold_curves(const Scored& scored, ThresholdGap gap, std::int64_t thresholds_per_group,
                        NeededLabels needed) {
  const std::vector<Cell> cells = cells_of(scored);
  Curves curves;
  curves.missing = missing(cells, needed);
  if (!curves.missing.empty()) return curves;
  for (const Cell& cell : cells) {
    if (cell.negative.size() + cell.positive.size() >= std::size_t{1} << 26) {
      throw std::invalid_argument("threshold_front: a group of 2^26 rows or more");
    }
    Curve& curve = curves.of_group.emplace_back(curve_of(cell, gap));
    if (thresholds_per_group != 0) coarsen(curve, thresholds_per_group);
    finish(curve);
  }
  return curves;
}

}  // namespace fairfront::metrics
