/// @file
/// Which clusterings of a front have been polished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// By their boxes and costs; and the work that it took.
class PolishedFront {
 public:
  explicit PolishedFront(std::int64_t boxes) : costs_(static_cast<std::size_t>(boxes), none) {}

  [[nodiscard]] bool has(std::size_t box, double cost) const noexcept {
    return costs_[box] == cost;
  }
  void add(std::size_t box, double cost) noexcept { costs_[box] = cost; }

  [[nodiscard]] std::int64_t work() const noexcept { return work_; }
  void add_work(std::int64_t work) noexcept { work_ += work; }

  void pack(solvers::Packer& packer) const;

  /// Takes up what pack() wrote. @return whether it can be that.
  [[nodiscard]] bool unpack(solvers::Unpacker& unpacker);

 private:
  struct Polished {
    std::int64_t box = 0;
    double cost = 0;
  };
  static constexpr double none = -1;

  std::vector<double> costs_;  ///< shape (boxes,)
  std::int64_t work_ = 0;
};

}  // namespace fairfront::clustering
