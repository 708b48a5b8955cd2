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
#include "sweep/time_left.hpp"

namespace fairfront::sweep {

/// What the teams do between them, as rank 0 sees it: the schedule, and every report for the
/// progress lines. Once a team leaves early, for a signal or a full disk, nothing more is begun.
class WatchedSource : public parallel::TaskSource {
 public:
  WatchedSource(Schedule& schedule, Ledger& ledger, Progress& progress, TimeLeft& time_left)
      : schedule_{schedule}, ledger_{ledger}, progress_{progress}, time_left_{time_left} {}
  std::optional<std::int64_t> next(const parallel::Finished& finished) override;
  std::vector<std::int64_t> companions(std::int64_t task, std::int64_t teams) override;
  void report(const parallel::Finished& finished) override;
  void advance(const parallel::Advance& advance) override { time_left_.advance(advance); }
  [[nodiscard]] bool may_look_ahead(std::int64_t task, std::int64_t teams) const override;
  void withdraw(const parallel::Finished& finished) override;

  /// Tells the progress line how long the run will take, or what it still waits for. By any
  /// thread.
  void look() const;

 private:
  void note(const parallel::Finished& finished);

  Schedule& schedule_;
  Ledger& ledger_;
  Progress& progress_;
  TimeLeft& time_left_;
};

}  // namespace fairfront::sweep
