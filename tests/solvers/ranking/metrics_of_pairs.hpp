/// @file
/// Table 1 of Yao, Lin, Yang (2023) as predicates on a row.
#pragma once

#include <functional>

#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::test {

using RowPredicate = std::function<bool(bool positive, bool is_protected)>;
struct ComparedPairs {
  RowPredicate first_above, first_below, second_above, second_below;
};

inline ComparedPairs pairs_by_table(ranking::FairnessMetric metric) {
  using ranking::FairnessMetric;
  const RowPredicate all = [](bool, bool) { return true; };
  const auto zeta = [](bool label) { return [=](bool y, bool) { return y == label; }; };
  const auto gamma = [](bool group) { return [=](bool, bool g) { return g == group; }; };
  const auto both = [](bool label, bool group) {
    return [=](bool y, bool g) { return y == label && g == group; };
  };
  switch (metric) {
    case FairnessMetric::group:
      return {gamma(true), gamma(false), all, all};
    case FairnessMetric::inter_group:
      return {both(true, true), both(false, false), both(true, false), both(false, true)};
    case FairnessMetric::intra_group:
      return {both(true, true), both(false, true), both(true, false), both(false, false)};
    case FairnessMetric::positive_average:
      return {both(true, true), zeta(true), all, all};
    case FairnessMetric::negative_average:
      return {both(false, true), zeta(false), all, all};
    case FairnessMetric::background:
      return {zeta(true), both(false, true), both(true, true), zeta(false)};
  }
  return {};
}

}  // namespace fairfront::test
