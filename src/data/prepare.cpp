#include "data/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/stop.hpp"

namespace fairfront::data {
namespace {

struct ColumnScale {
  double mean = 0;
  double deviation = 0;  ///< 0 for a constant column
};

constexpr std::size_t rows_between_stops = 4096;

ColumnScale column_scale(const Dataset& set, std::size_t column) {
  const auto width = static_cast<std::size_t>(set.columns);
  const auto rows = static_cast<double>(set.rows);
  double sum = 0;
  bool constant = true;
  for (std::size_t i = column; i < set.features.size(); i += width) {
    sum += set.features[i];
    constant = constant && set.features[i] == set.features[column];
  }
  const double mean = sum / rows;
  // Rounding of the mean would give a constant column a tiny deviation, and then values of +-1.
  if (constant) return {set.features[column], 0};
  double largest = 0;
  base::stop_point();
  for (std::size_t i = column; i < set.features.size(); i += width) {
    largest = std::max(largest, std::abs(set.features[i] - mean));
  }
  // Squares of such differences vanish or overflow; in another unit, a power of 2, they do not.
  constexpr double tiny = 1e-140;
  constexpr double huge = 1e140;
  const bool extreme = std::isfinite(largest) && (largest < tiny || largest > huge);
  const double unit = extreme ? std::ldexp(1.0, std::ilogb(largest)) : 1;
  double squares = 0;
  base::stop_point();
  for (std::size_t i = column; i < set.features.size(); i += width) {
    const double difference = (set.features[i] - mean) / unit;
    squares += difference * difference;
  }
  return {mean, std::sqrt(squares / rows) * unit};
}

template <class T>
void keep_places(std::vector<T>& values, std::span<const std::int64_t> rows, std::size_t width) {
  if (values.empty()) return;
  std::vector<T> kept;
  kept.reserve(rows.size() * width);
  for (const std::int64_t row : rows) {
    const auto first = values.begin() + row * static_cast<std::ptrdiff_t>(width);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  values = std::move(kept);
}

}  // namespace

void standardise_columns(Dataset& set) {
  const auto width = static_cast<std::size_t>(set.columns);
  for (std::size_t column = 0; column < width; ++column) {
    const auto [mean, deviation] = column_scale(set, column);
    base::stop_point();
    if (!std::isfinite(mean) || !std::isfinite(deviation)) {
      throw base::InputError(fmt::format(
          "column '{}' cannot be standardised: the sum of its values or of their squares overflows",
          set.feature_names[column]));
    }
    for (std::size_t i = column; i < set.features.size(); i += width) {
      set.features[i] = deviation > 0 ? (set.features[i] - mean) / deviation : 0.0;
    }
  }
}

void normalise_rows(Dataset& set) {
  constexpr double least_squared_norm = 1e-14;
  const auto width = static_cast<std::size_t>(set.columns);
  for (std::size_t first = 0; first < set.features.size(); first += width) {
    if (first / width % rows_between_stops == 0) base::stop_point();
    const std::span<double> row = std::span{set.features}.subspan(first, width);
    double squares = 0;
    for (const double value : row) squares += value * value;
    if (!std::isfinite(squares)) {
      throw base::InputError("the rows cannot be normalised: the sum of a row's squares overflows");
    }
    const double norm = std::sqrt(std::max(squares, least_squared_norm));
    for (double& value : row) value /= norm;
  }
}

void keep_rows(Dataset& set, std::span<const std::int64_t> rows) {
  keep_places(set.features, rows, static_cast<std::size_t>(set.columns));
  keep_places(set.group, rows, 1);
  for (Attribute& attribute : set.attributes) keep_places(attribute.code, rows, 1);
  keep_places(set.label, rows, 1);
  keep_places(set.split, rows, 1);
  set.rows = static_cast<std::int64_t>(rows.size());
}

std::string digest_of(const Dataset& set) {
  base::Sha256 hash;
  const std::array<std::int64_t, 4> shape{set.rows, set.columns, set.num_groups(),
                                          static_cast<std::int64_t>(set.split_names.size())};
  hash.add_values(std::span<const std::int64_t>{shape});
  hash.add_values(std::span<const double>{set.features}, base::stop_point);
  hash.add_values(std::span<const std::int32_t>{set.group});
  for (const std::string& name : set.group_names) hash.add_text(name);
  hash.add_values(std::span<const double>{set.label});
  hash.add_values(std::span<const std::int32_t>{set.split});
  for (const std::string& name : set.split_names) hash.add_text(name);
  if (set.attributes.size() < 2) return hash.finish();  // a single attribute is the groups
  for (const Attribute& attribute : set.attributes) {
    hash.add_values(std::span<const std::int32_t>{attribute.code});
    for (const std::string& name : attribute.levels) hash.add_text(name);
  }
  return hash.finish();
}

}  // namespace fairfront::data
