/// @file
/// What a run may spend.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace fairfront::solvers {

/// Work that does not depend on the machine: gradient evaluations of single examples. A mini-batch
/// gradient of 8 rows costs 8, an exact one costs all rows.
class Budget {
 public:
  /// @throws std::invalid_argument  total < 0.
  explicit Budget(std::int64_t total) : total_{total} {
    if (total < 0) throw std::invalid_argument("Budget: the total must be >= 0");
  }

  /// Takes `count` >= 0 evaluations, all or none. @return whether so many were left.
  [[nodiscard]] bool spend(std::int64_t count = 1) noexcept {
    if (count > left()) return false;
    used_ += count;
    return true;
  }
  [[nodiscard]] std::int64_t used() const noexcept { return used_; }
  [[nodiscard]] std::int64_t left() const noexcept { return total_ - used_; }

 private:
  std::int64_t total_;
  std::int64_t used_ = 0;
};

}  // namespace fairfront::solvers
