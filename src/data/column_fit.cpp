#include "data/column_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"

namespace fairfront::data {
namespace {

struct Extent {
  double least;
  double greatest;
};

Extent extent_of(std::span<const double> values, std::span<const std::int64_t> rows) {
  Extent extent{values[static_cast<std::size_t>(rows.front())],
                values[static_cast<std::size_t>(rows.front())]};
  for (const std::int64_t row : rows) {
    const double value = values[static_cast<std::size_t>(row)];
    extent.least = std::min(extent.least, value);
    extent.greatest = std::max(extent.greatest, value);
  }
  return extent;
}

/// Two passes, so that nothing cancels.
Affine zscore(std::span<const double> values, std::span<const std::int64_t> rows) {
  const auto count = static_cast<double>(rows.size());
  double sum = 0;
  for (const std::int64_t row : rows) sum += values[static_cast<std::size_t>(row)];
  const double mean = sum / count;
  double squares = 0;
  for (const std::int64_t row : rows) {
    const double difference = values[static_cast<std::size_t>(row)] - mean;
    squares += difference * difference;
  }
  return {mean, std::sqrt(squares / count)};
}

}  // namespace

std::optional<double> mean_of(std::span<const double> values, std::span<const std::int64_t> rows) {
  std::vector<double> known;
  for (const std::int64_t row : rows) {
    const double value = values[static_cast<std::size_t>(row)];
    if (!std::isnan(value)) known.push_back(value);
  }
  if (known.empty()) return std::nullopt;
  // In their order, so that the last bits are those of the values, whatever the order of the rows.
  std::ranges::sort(known);
  double sum = 0;
  for (const double value : known) sum += value;
  if (!std::isfinite(sum)) return sum;
  // Rounding would put it beside the one value of a constant column, as if there were two.
  return std::clamp(sum / static_cast<double>(known.size()), known.front(), known.back());
}

Affine fit_scaling(std::span<const double> values, std::span<const std::int64_t> rows,
                   FittedScaling kind, const std::string& name) {
  if (kind != FittedScaling::zscore && kind != FittedScaling::minmax) return {};
  const auto [least, greatest] = extent_of(values, rows);
  // Asked for by itself: rounding of a mean would give a constant column a tiny deviation.
  if (least == greatest) return {least, 0};
  const Affine scale =
      kind == FittedScaling::minmax ? Affine{least, greatest - least} : zscore(values, rows);
  if (std::isfinite(scale.shift) && std::isfinite(scale.divisor) && scale.divisor > 0) return scale;
  throw base::InputError(fmt::format(
      "column '{}' cannot be scaled: its range, or a sum of its values or of their squares, "
      "overflows or underflows",
      name));
}

bool has_squares(double largest) noexcept {
  constexpr double most = 1e150;  // with room for a sum over all rows and columns
  return largest == 0 || (largest <= most && largest >= 1 / most);
}

void check_squares(std::span<const double> values, const std::string& name) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (has_squares(largest)) return;
  throw base::InputError(
      fmt::format("column '{}' needs another unit: the square of its largest number {}", name,
                  largest > 1 ? "overflows" : "vanishes"));
}

double range_of(std::span<const double> values, std::span<const std::int64_t> rows) {
  const auto [least, greatest] = extent_of(values, rows);
  return greatest - least;
}

std::vector<std::int64_t> count_levels(const Category& category,
                                       std::span<const std::int64_t> rows) {
  std::vector<std::int64_t> counts(category.levels.size(), 0);
  for (const std::int64_t row : rows) {
    const std::int32_t code = category.codes[static_cast<std::size_t>(row)];
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  }
  return counts;
}

}  // namespace fairfront::data
