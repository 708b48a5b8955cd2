/// @file
/// Data sets for the tests of this folder, and their objectives by the definition.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "data/dataset.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// A data set without points; fill `features` and `group` and set `rows`.
inline data::Dataset empty_dataset(std::int64_t columns, std::int64_t groups) {
  data::Dataset dataset;
  dataset.columns = columns;
  dataset.provenance.name = "test";
  for (std::int64_t i = 0; i < columns; ++i) {
    dataset.feature_names.push_back(fmt::format("x{}", i));
  }
  for (std::int64_t j = 0; j < groups; ++j) {
    dataset.group_names.push_back(fmt::format("g{}", j));
  }
  return dataset;
}

/// Normal features; the first J rows have one member of every group, the rest are random.
inline data::Dataset random_dataset(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                    std::int64_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "dataset"), 0);
  data::Dataset dataset = empty_dataset(columns, groups);
  dataset.rows = rows;
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t i = 0; i < columns; ++i) dataset.features.push_back(stream.normal());
    const auto drawn = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(groups)));
    dataset.group.push_back(p < groups ? static_cast<std::int32_t>(p) : drawn);
  }
  return dataset;
}

/// Gives the rows of a data set two random attributes in place of their groups, which become the
/// combinations that occur. Every level occurs: the first rows have one each.
inline void set_two_attributes(data::Dataset& dataset, std::uint64_t seed, std::int64_t first,
                               std::int64_t second) {
  base::Stream stream(base::StreamKey(seed, "test", "attributes"), 0);
  dataset.attributes = {{"first", {}, {}}, {"second", {}, {}}};
  std::set<std::pair<std::int32_t, std::int32_t>> combinations;
  for (std::size_t a = 0; a < 2; ++a) {
    const std::int64_t levels = a == 0 ? first : second;
    data::Attribute& attribute = dataset.attributes[a];
    for (std::int64_t i = 0; i < levels; ++i) attribute.levels.push_back(fmt::format("l{}", i));
    for (std::int64_t p = 0; p < dataset.rows; ++p) {
      const auto drawn = stream.below(static_cast<std::uint32_t>(levels));
      attribute.code.push_back(static_cast<std::int32_t>(p < levels ? p : drawn));
    }
  }
  const auto pair_of = [&](std::size_t p) {
    return std::pair{dataset.attributes[0].code[p], dataset.attributes[1].code[p]};
  };
  for (std::size_t p = 0; p < dataset.group.size(); ++p) combinations.insert(pair_of(p));
  dataset.group_names.clear();
  for (const auto& [a, b] : combinations)
    dataset.group_names.push_back(fmt::format("{} x {}", a, b));
  for (std::size_t p = 0; p < dataset.group.size(); ++p) {
    const auto place = std::distance(combinations.begin(), combinations.find(pair_of(p)));
    dataset.group[p] = static_cast<std::int32_t>(place);
  }
}

/// Multiples of 1/16 that sum to zero in every column: then the problem's coordinates are the data
/// itself, sums of doubles are exact, and equal distances occur. `rows` is even.
inline data::Dataset lattice_dataset(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                                     std::int64_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "lattice"), 0);
  data::Dataset dataset = random_dataset(seed, rows, columns, groups);
  for (std::int64_t p = 0; p < rows * columns; ++p) {
    const auto half = static_cast<std::size_t>(rows / 2 * columns);
    const auto i = static_cast<std::size_t>(p);
    dataset.features[i] = i < half ? stream.below(129) / 16.0 - 4.0 : -dataset.features[i - half];
  }
  return dataset;
}

/// K clusters, all in use, at random. Shape (N,).
template <class Label>
std::vector<Label> random_labelling(const Problem& problem, base::Stream& stream) {
  std::vector<Label> labels(static_cast<std::size_t>(problem.points()));
  for (std::size_t p = 0; p < labels.size(); ++p) {
    const auto clusters = static_cast<std::uint32_t>(problem.clusters());
    labels[p] = static_cast<Label>(p < clusters ? p : stream.below(clusters));
  }
  stream.shuffle(std::span<Label>{labels});
  return labels;
}

/// f1 by its definition, in two passes over the rows of the data set.
template <class Label>
double naive_cost(const data::Dataset& dataset, std::int64_t clusters,
                  std::span<const Label> labels) {
  const auto columns = static_cast<std::size_t>(dataset.columns);
  std::vector<double> means(static_cast<std::size_t>(clusters) * columns, 0);
  std::vector<double> sizes(static_cast<std::size_t>(clusters), 0);
  for (std::size_t p = 0; p < labels.size(); ++p) {
    ++sizes[labels[p]];
    for (std::size_t i = 0; i < columns; ++i) {
      means[labels[p] * columns + i] += dataset.features[p * columns + i];
    }
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    for (std::size_t i = 0; i < columns; ++i) means[k * columns + i] /= std::max(sizes[k], 1.0);
  }
  double sum = 0;
  for (std::size_t p = 0; p < labels.size(); ++p) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double difference = dataset.features[p * columns + i] - means[labels[p] * columns + i];
      sum += difference * difference;
    }
  }
  return sum / static_cast<double>(labels.size());
}

/// The balance of `levels` levels by its definition; an empty cluster has balance 0.
/// @param code  level of every row.
template <class Label>
double naive_balance(std::span<const std::int32_t> code, std::size_t levels, std::int64_t clusters,
                     std::span<const Label> labels) {
  double worst = 1;
  for (std::int64_t k = 0; k < clusters; ++k) {
    std::vector<int> counts(levels, 0);
    for (std::size_t p = 0; p < labels.size(); ++p) {
      if (labels[p] == k) ++counts[static_cast<std::size_t>(code[p])];
    }
    const auto [least, most] = std::ranges::minmax(counts);
    worst = std::min(worst, most == 0 ? 0.0 : static_cast<double>(least) / most);
  }
  return worst;
}

/// f2 by its definition.
template <class Label>
double naive_balance(const data::Dataset& dataset, std::int64_t clusters,
                     std::span<const Label> labels) {
  return naive_balance(std::span{dataset.group}, dataset.group_names.size(), clusters, labels);
}

/// Labels in the problem's order as labels of the data set's rows.
template <class Label>
std::vector<Label> by_row(const Problem& problem, std::span<const Label> labels) {
  std::vector<Label> result(labels.size());
  for (std::size_t p = 0; p < labels.size(); ++p) {
    result[static_cast<std::size_t>(problem.row(static_cast<std::int64_t>(p)))] = labels[p];
  }
  return result;
}

}  // namespace fairfront::clustering
