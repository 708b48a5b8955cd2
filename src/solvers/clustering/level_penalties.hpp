/// @file
/// How far the counts of a linear program are from levels.
#pragma once

#include <cstdint>

#include "solvers/clustering/assignment_bound.hpp"

namespace fairfront::clustering {

/// Rows that would have to come or go, times what a row costs there at the margin: an estimate,
/// of which nothing but the order of the search hangs.
class LevelPenalties {
 public:
  /// @param limits, bound  must outlive this.
  LevelPenalties(const BalanceLimits& limits, const AssignmentBound& bound);

  /// For one level.
  [[nodiscard]] double operator()(std::int64_t k, std::int64_t level) const;
  /// For a box of levels, in which the linear program goes on.
  [[nodiscard]] double within(std::int64_t k, std::int64_t low, std::int64_t high) const;
  /// The linear program's level, rounded down, or the box's end next to it.
  [[nodiscard]] std::int64_t floor(std::int64_t k, std::int64_t low, std::int64_t high) const;
  /// The level with the least penalty, of those around the linear program's.
  [[nodiscard]] std::int64_t best(std::int64_t k, std::int64_t low, std::int64_t high) const;
  /// A small part of what a row costs.
  [[nodiscard]] double unit() const noexcept { return unit_; }

 private:
  [[nodiscard]] double off(std::int64_t k, double least, double most) const;

  const BalanceLimits& limits_;
  const AssignmentBound& bound_;
  double unit_ = 1;
};

}  // namespace fairfront::clustering
