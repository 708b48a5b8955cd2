/// @file
/// SHA-256 of what rank 0 has, computed on another rank.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "parallel/comm.hpp"
#include "parallel/side_job.hpp"
#include "results/digest_input.hpp"

namespace fairfront::sweep {

/// Of a stream of bytes, which no two ranks can share. On one rank it is computed there, at the
/// end.
class FarHash {
 public:
  using Tell = std::function<void(results::DigestInput&)>;

  /// Does not communicate, but begin() does: all ranks make it, and none begins before all have.
  /// @param number  of those that are computed at the same time: their ranks differ where there are
  ///                as many.
  /// @param tell    on rank 0, what is hashed; what is told in pieces of 64 kB or more must stay.
  FarHash(const parallel::Comm& world, int number, Tell tell);
  void begin();
  /// On the ranks that take part, waits for the end.
  /// @return  on rank 0, the digest.
  /// @throws  what has gone wrong on this rank.
  [[nodiscard]] std::string finish();

 private:
  const parallel::Comm& world_;
  Tell tell_;
  std::optional<parallel::SideJob> job_;
};

}  // namespace fairfront::sweep
