/// @file
/// The ranks that share the rows of one run of training.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>

#include "parallel/comm.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::training {

/// All ranks hold the same state and make the same steps of one run. Of passes over many rows each
/// has its pieces, see RowPieces, and what these come to is known to all behind them. So nothing is
/// ever decided by one rank: what its caller wants is agreed on where ranks meet.
class RowTeam {
 public:
  /// Collective. @param control  this rank's; must outlive this.
  RowTeam(const parallel::Comm& ranks, const solvers::Control& control);
  RowTeam(const RowTeam&) = delete;
  RowTeam& operator=(const RowTeam&) = delete;

  [[nodiscard]] int rank() const noexcept { return ranks_.rank(); }
  [[nodiscard]] int size() const noexcept { return ranks_.size(); }
  [[nodiscard]] bool is_root() const noexcept { return ranks_.is_root(); }

  /// For the run. It reports and saves on rank 0, goes on from rank 0's state on every rank, and
  /// never wants a stop: that comes from stop_point().
  [[nodiscard]] const solvers::Control& control() const noexcept { return shared_; }

  /// Collective, see parallel::all_gather(). A wish to stop of any rank is known to all then.
  /// @param failure  of this rank before it came here, or null.
  /// @throws std::domain_error  that of the first rank that failed, where all failures are such.
  /// @throws parallel::CollectiveError  a rank has failed in another way.
  void exchange(std::span<double> values, std::span<const std::int64_t> lengths,
                std::exception_ptr failure);

  /// For steps that exchange nothing. Collective once in so much work, otherwise local.
  /// @param work  done since the last call, in products.
  void meet_after(double work);

  /// The same on every rank: whether a wish to stop is known since the last exchange.
  /// @throws solvers::Interrupted
  void stop_point() const;

  /// Calls `work`, which communicates nothing, on rank 0 alone, with the caller's own control.
  /// Collective. @throws solvers::Interrupted, parallel::CollectiveError  on every rank.
  void on_root(const std::function<void()>& work) const;

 private:
  const parallel::Comm& ranks_;
  const solvers::Control& control_;
  solvers::Control shared_;
  solvers::Heartbeat heart_;
  bool has_wished_checkpoint_ = false;
  bool stop_is_agreed_ = false;
  double work_ = 0;  ///< since ranks have met
};

}  // namespace fairfront::training
