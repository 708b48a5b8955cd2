#include "solvers/clustering/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t most_points = std::int64_t{1} << 26;
constexpr std::int64_t most_clusters = 65536;
constexpr std::size_t values_between_stops = 1 << 20;
constexpr double largest_value = 1e100;    // squares and their sums stay finite
constexpr double smallest_range = 1e-100;  // a column that varies less is constant

using base::at;

/// The grid of a column: N values of magnitude up to `largest` sum to less than 2^62 steps.
double grid_of(double largest, std::int64_t points) {
  if (largest < smallest_range) return 1;
  const int magnitude_bits = std::ilogb(largest) + 1;
  const auto count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points)));
  return std::ldexp(1.0, magnitude_bits + count_bits - 62);
}

bool is_constant(const data::Dataset& dataset, std::int64_t column) {
  for (std::int64_t p = 1; p < dataset.rows; ++p) {
    if (dataset.row(p)[at(column)] != dataset.row(0)[at(column)]) return false;
  }
  return true;
}

/// What is lost when b is taken from a and the difference is a double, exactly (Knuth).
double lost_by_difference(double a, double b) {
  const double difference = a - b;
  const double back = difference - a;
  return (a - (difference - back)) - (b + back);
}

int block_shift(std::int64_t points, std::int64_t clusters) {
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(points)));
  // Long enough that the (K, blocks) counters stay smaller than the labels.
  const auto wide = static_cast<std::uint64_t>(4 * clusters);
  constexpr int least = 5;
  constexpr int most = 15;  // a block's count fits into 16 bits
  return std::clamp(static_cast<int>(std::bit_width(std::max(root, wide))) - 1, least, most);
}

}  // namespace

Blocks::Blocks(std::span<const std::int64_t> group_begin, std::int64_t clusters)
    : shift_{block_shift(group_begin.back(), clusters)}, first_{0} {
  for (std::size_t j = 1; j < group_begin.size(); ++j) {
    const std::int64_t members = group_begin[j] - group_begin[j - 1];
    first_.push_back(first_.back() + ((members + length() - 1) >> shift_));
  }
}

Problem::Problem(const data::Dataset& dataset, std::int64_t clusters, BalanceOf balance_of)
    : points_{dataset.rows},
      columns_{dataset.columns},
      clusters_{clusters},
      groups_{dataset.num_groups()},
      attributes_{balance_of == BalanceOf::groups ? Attributes(groups_) : Attributes(dataset)},
      blocks_{sort_by_group(dataset)} {
  place_on_grid(dataset);
}

Problem::Problem(const data::Dataset& dataset, std::int64_t clusters, BalanceOf balance_of,
                 base::PageReader& pages)
    : points_{dataset.rows},
      columns_{dataset.columns},
      clusters_{clusters},
      groups_{dataset.num_groups()},
      attributes_{balance_of == BalanceOf::groups ? Attributes(groups_) : Attributes(dataset)},
      blocks_{take_groups(pages)} {
  walk_grid(pages, *this);
}

void Problem::lay_down(base::PageWriter& pages) const {
  pages(group_begin_, group_, row_);
  walk_grid(pages, *this);
}

Blocks Problem::take_groups(base::PageReader& pages) {
  pages(group_begin_, group_, row_);
  return {group_begin_, clusters_};
}

/// All that place_on_grid() makes.
template <class Pages, class Self>
void Problem::walk_grid(Pages& pages, Self& self) {
  pages(self.values_, self.mean_, self.grid_, self.grid_inverse_, self.squares_);
  pages(self.mean_square_, self.total_variance_, self.displacement_, self.warnings_);
}

void Problem::check(const data::Dataset& dataset) const {
  auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("clustering of '{}': {}", dataset.provenance.name, why));
  };
  if (clusters_ < 2) refuse(fmt::format("clusters = {}, must be >= 2", clusters_));
  if (clusters_ > points_) {
    refuse(fmt::format("clusters = {}, but there are only {} points", clusters_, points_));
  }
  if (clusters_ > most_clusters) {
    refuse(fmt::format("clusters = {}, must be <= {}", clusters_, most_clusters));
  }
  if (points_ >= most_points) {
    refuse(fmt::format("{} points, must be fewer than {}", points_, most_points));
  }
  if (groups_ < 2) refuse("balance needs at least two groups");
  for (std::size_t i = 0; i < dataset.features.size(); ++i) {
    if (i % values_between_stops == 0) base::stop_point();
    if (std::abs(dataset.features[i]) <= largest_value) continue;  // false for NaN
    refuse(fmt::format("row {}, column '{}' is not a number of magnitude up to 1e100",
                       i / at(columns_) + 1, dataset.feature_names[i % at(columns_)]));
  }
}

Blocks Problem::sort_by_group(const data::Dataset& dataset) {
  check(dataset);
  row_.resize(at(points_));
  std::iota(row_.begin(), row_.end(), std::int64_t{0});
  std::stable_sort(row_.begin(), row_.end(), [&](std::int64_t a, std::int64_t b) {
    return dataset.group[at(a)] < dataset.group[at(b)];
  });
  for (const std::int64_t row : row_) group_.push_back(dataset.group[at(row)]);
  for (std::int64_t j = 0; j <= groups_; ++j) {
    group_begin_.push_back(std::ranges::lower_bound(group_, j) - group_.begin());
  }
  for (std::int64_t j = 0; j < groups_; ++j) {
    if (group_begin(j) != group_begin(j + 1)) continue;
    throw base::InputError(fmt::format("clustering of '{}': group '{}' has no member",
                                       dataset.provenance.name, dataset.group_names[at(j)]));
  }
  return {group_begin_, clusters_};
}

void Problem::place_on_grid(const data::Dataset& dataset) {
  values_.resize(at(points_ * columns_));
  long double squares = 0;
  long double squared_sums = 0;
  long double displaced = 0;
  std::string too_small;  // the first column that varies, but by less than can be squared
  for (std::int64_t i = 0; i < columns_; ++i) {
    long double sum = 0;
    base::stop_point();  // the points of a column take tens of milliseconds
    for (std::int64_t p = 0; p < points_; ++p) sum += dataset.row(p)[at(i)];
    auto mean = static_cast<double>(sum / static_cast<long double>(points_));
    if (is_constant(dataset, i)) mean = dataset.row(0)[at(i)];  // without the sum's rounding
    double largest = 0;
    base::stop_point();
    for (std::int64_t p = 0; p < points_; ++p) {
      largest = std::max(largest, std::abs(dataset.row(p)[at(i)] - mean));
    }
    if (largest > 0 && largest < smallest_range && too_small.empty()) {
      too_small = dataset.feature_names[at(i)];
    }
    mean_.push_back(mean);
    grid_.push_back(grid_of(largest, points_));
    base::stop_point();
    warn_of_outliers(dataset, i);
    base::stop_point();
    grid_inverse_.push_back(1 / grid_.back());
    long double rounded_sum = 0;
    base::WideInteger squared_steps = 0;
    for (std::int64_t p = 0; p < points_; ++p) {
      const double given = dataset.row(row(p))[at(i)];
      const double value = given - mean;
      const double steps = std::nearbyint(value * grid_inverse_.back());
      const double rounded = steps * grid_.back();
      values_[at(p * columns_ + i)] = rounded;
      squares += static_cast<long double>(rounded) * rounded;
      squared_steps +=
          base::WideInteger{static_cast<std::int64_t>(steps)} * static_cast<std::int64_t>(steps);
      rounded_sum += rounded;
      const long double moved = static_cast<long double>(value - rounded) +
                                static_cast<long double>(lost_by_difference(given, mean));
      displaced += moved * moved;
    }
    squares_.push_back(squared_steps);
    squared_sums += rounded_sum * rounded_sum;
  }
  const auto count = static_cast<long double>(points_);
  displacement_ = static_cast<double>(std::sqrt(displaced) * (1 + 0x1p-40L));
  mean_square_ = static_cast<double>(squares / count);
  total_variance_ = static_cast<double>((squares - squared_sums / count) / count);
  if (squares > 0 || too_small.empty()) return;
  throw base::InputError(
      fmt::format("clustering of '{}': all columns are constant but for differences below 1e-100, "
                  "whose squares "
                  "vanish, as in '{}': preparation.scaling = zscore, or another unit",
                  dataset.provenance.name, too_small));
}

/// Half of all values lie within the interquartile range; that is what a clustering has to tell
/// apart.
void Problem::warn_of_outliers(const data::Dataset& dataset, std::int64_t column) {
  constexpr double most_of_range = 0x1p-20;
  std::vector<double> values;
  values.reserve(at(points_));
  for (std::int64_t p = 0; p < points_; ++p) values.push_back(dataset.row(p)[at(column)]);
  const auto quarter = points_ / 4;
  const auto low = values.begin() + quarter;
  const auto high = values.begin() + (points_ - 1 - quarter);
  std::nth_element(values.begin(), low, values.end());
  std::nth_element(low, high, values.end());
  const double range = *high - *low;
  // Of the middle half, as differences to a mean that is far away are rounded, too.
  const double step = std::max(grid_.back(), std::abs(*high - mean_.back()) * 0x1p-52);
  if (!(range > 0) || step <= most_of_range * range) return;
  warnings_.push_back(
      fmt::format("column '{}' has values so far from the others that all are rounded to {:.1g} of "
                  "the range of "
                  "the middle half: the differences that matter may be lost",
                  dataset.feature_names[at(column)], step / range));
}

double Problem::balance_bound(std::int64_t attribute) const {
  std::vector<std::int64_t> members(at(attributes_.levels(attribute)), 0);
  for (std::int64_t j = 0; j < groups_; ++j) {
    members[at(attributes_.level_of(attribute, j))] += group_begin(j + 1) - group_begin(j);
  }
  const auto [least, most] = std::ranges::minmax(members);
  return static_cast<double>(least) / static_cast<double>(most);
}

std::vector<double> Problem::reference() const {
  std::vector<double> point(at(objectives()), 0.0);
  point.front() = total_variance_;
  return point;
}

std::string Problem::describe() const {
  std::vector<std::string> sizes;
  for (std::int64_t j = 0; j < groups_; ++j) {
    sizes.push_back(std::to_string(group_begin(j + 1) - group_begin(j)));
  }
  std::string text = fmt::format("N = {}, d = {}, K = {}, J = {} ({})", points_, columns_,
                                 clusters_, groups_, base::join(sizes, ", "));
  for (std::int64_t a = 0; a < attributes_.count() && !attributes_.are_groups(); ++a) {
    text += fmt::format("{}{}", a == 0 ? ", levels " : " x ", attributes_.levels(a));
  }
  return text;
}

}  // namespace fairfront::clustering
