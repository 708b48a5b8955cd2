/// @file
/// What rank 0 sees while teams claim tasks and report them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parallel/task_queue.hpp"
#include "sweep/ledger.hpp"
#include "sweep/progress.hpp"
#include "sweep/schedule.hpp"

namespace fairfront::sweep {

/// What the teams do between them, as rank 0 sees it: the schedule, and every report for the
/// progress lines. Once a team leaves early, for a signal or a full disk, nothing more is begun.
class WatchedSource : public parallel::TaskSource {
 public:
  /// @param teams  how many claim.
  /// @param more   whether tasks of another phase follow.
  WatchedSource(Schedule& schedule, Ledger& ledger, Progress& progress, std::int64_t teams,
                bool more)
      : schedule_{schedule}, ledger_{ledger}, progress_{progress}, teams_{teams}, more_{more} {}
  std::optional<std::int64_t> next(const parallel::Finished& finished) override;
  std::vector<std::int64_t> companions(std::int64_t task, std::int64_t teams) override;
  void report(const parallel::Finished& finished) override;
  void advance(const parallel::Advance& advance) override { schedule_.advance(advance); }
  [[nodiscard]] bool may_look_ahead(std::int64_t task, std::int64_t teams) const override;
  void withdraw(const parallel::Finished& finished) override;

  /// Tells the progress line how long the run will take, or what it still waits for. Like all
  /// else, under the queue's lock.
  void look() const;

 private:
  void note(const parallel::Finished& finished);

  Schedule& schedule_;
  Ledger& ledger_;
  Progress& progress_;
  std::int64_t teams_;
  bool more_;
};

}  // namespace fairfront::sweep
