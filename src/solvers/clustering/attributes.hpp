/// @file
/// The sensitive attributes whose balances are objectives, seen from the groups of a problem.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace fairfront::clustering {

/// Every group has one level of each of A attributes; points are counted by group, and the count
/// of a level is the sum over its groups. Usually there is one attribute, the groups themselves.
/// With several, groups are combinations of levels.
class Attributes {
 public:
  /// One attribute whose levels are the J groups.
  explicit Attributes(std::int64_t groups);

  /// The attributes of the data set, each an objective of its own.
  /// @throws base::InputError  an attribute with fewer than two levels, or a level that no row has.
  explicit Attributes(const data::Dataset& dataset);

  [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(groups_with_); }  ///< A
  [[nodiscard]] bool are_groups() const noexcept { return are_groups_; }
  [[nodiscard]] std::int64_t levels(std::int64_t a) const noexcept {
    return std::ssize(groups_with_[static_cast<std::size_t>(a)]);
  }
  [[nodiscard]] std::int64_t level_of(std::int64_t a, std::int64_t group) const noexcept {
    return level_of_[static_cast<std::size_t>(group * count() + a)];
  }
  /// Ascending.
  [[nodiscard]] std::span<const std::int64_t> groups_with(std::int64_t a,
                                                          std::int64_t level) const noexcept {
    return groups_with_[static_cast<std::size_t>(a)][static_cast<std::size_t>(level)];
  }

 private:
  void list_groups(std::int64_t a, std::int64_t levels, std::int64_t groups);

  bool are_groups_;
  std::vector<std::int64_t> level_of_;                               ///< (J, A)
  std::vector<std::vector<std::vector<std::int64_t>>> groups_with_;  ///< (A, levels, groups)
};

}  // namespace fairfront::clustering
