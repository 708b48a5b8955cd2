/// @file
/// The differences of AUCs that the gaps of metrics/measure.hpp are the largest of: Yao, Lin, Yang
/// (2023), table 1.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/auc.hpp"

namespace fairfront::metrics {

// The signed difference AUC(G1, G1') - AUC(G2, G2') of table 1. A pair set "all, all" is the
// constant one half.

// Between the protected group and another one.

inline AucSum group_difference(std::int32_t group, std::int32_t other) {
  return {{{1, Subset{.group = group}, Subset{.group = other}}}, -0.5};
}
inline AucSum inter_difference(std::int32_t group, std::int32_t other) {
  return {{{1, Subset{true, group}, Subset{false, other}},
           {-1, Subset{true, other}, Subset{false, group}}}};
}
inline AucSum intra_difference(std::int32_t group, std::int32_t other) {
  return {{{1, Subset{true, group}, Subset{false, group}},
           {-1, Subset{true, other}, Subset{false, other}}}};
}

// Between a group and all rows.

inline AucSum positive_average_difference(std::int32_t group, std::int32_t) {
  return {{{1, Subset{true, group}, Subset{.positive = true}}}, -0.5};
}
inline AucSum negative_average_difference(std::int32_t group, std::int32_t) {
  return {{{1, Subset{false, group}, Subset{.positive = false}}}, -0.5};
}
inline AucSum background_difference(std::int32_t group, std::int32_t) {
  return {{{1, Subset{.positive = true}, Subset{false, group}},
           {-1, Subset{true, group}, Subset{.positive = false}}}};
}

/// Of two groups, or of one with itself.
using DifferenceOf = AucSum (*)(std::int32_t, std::int32_t);

/// What a difference is of.
struct ComparedGroups {
  std::int32_t group;
  std::int32_t other = -1;  ///< -1: all rows
};

inline std::vector<ComparedGroups> pairs_among(std::int64_t groups) {
  std::vector<ComparedGroups> all;
  for (std::int32_t g = 1; g < groups; ++g) {
    for (std::int32_t h = 0; h < g; ++h) all.push_back({g, h});
  }
  return all;
}

inline std::vector<ComparedGroups> each_among(std::int64_t groups) {
  std::vector<ComparedGroups> all;
  for (std::int32_t g = 0; g < groups; ++g) all.push_back({g});
  return all;
}

/// Of each pair of groups, in the order of pairs_among().
template <DifferenceOf difference>
std::vector<AucSum> of_pairs(std::int64_t groups) {
  std::vector<AucSum> all;
  for (const ComparedGroups& of : pairs_among(groups))
    all.push_back(difference(of.group, of.other));
  return all;
}

/// Of each group, in the order of each_among().
template <DifferenceOf difference>
std::vector<AucSum> of_groups(std::int64_t groups) {
  std::vector<AucSum> all;
  for (const ComparedGroups& of : each_among(groups)) all.push_back(difference(of.group, of.group));
  return all;
}

inline AucTerm positives_above_negatives() {
  return {1, Subset{.positive = true}, Subset{.positive = false}};
}

using DifferencesOf = std::vector<AucSum> (*)(std::int64_t groups);
using ComparedOf = std::vector<ComparedGroups> (*)(std::int64_t groups);

}  // namespace fairfront::metrics
