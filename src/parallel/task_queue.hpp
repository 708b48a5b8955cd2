/// @file
/// Pulling tasks: no collective, no idle rank while tasks remain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// What a team tells when it asks for its next task.
struct Finished {
  std::int64_t task = -1;  ///< -1: nothing, it is the first claim
  double seconds = 0;      ///< how long it took
  bool failed = false;
  double preparing = 0;  ///< of its seconds, for what other tasks of the team need not do again
  double writing = 0;    ///< seconds that its result will take at the end of the run
  std::optional<double> cpu_seconds{};  ///< of its root, but for preparing, if that measures them
};

/// How far a running task has come.
struct Advance {
  std::int64_t task = -1;
  double fraction = 0;  ///< of its work, in [0, 1]
  double writing = 0;   ///< seconds that its result as it is now would take at the end of the run
  std::optional<double> seconds_left{};  ///< of the wall clock, where it reckons them itself
  double seconds = 0;                    ///< since it began
  double preparing = 0;                  ///< of these, see Finished
  std::optional<double> cpu_seconds{};   ///< of its root, but for preparing, if that measures them
};

/// Tasks that a team may be given at once.
inline constexpr std::size_t most_at_once = 8;

/// Decides the order; lives on rank 0 of the world. Called under a lock: not thread-safe itself.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  /// The next task (>= 0) of a team, or nothing when none is left (or none may be begun any more).
  virtual std::optional<std::int64_t> next(const Finished& finished) = 0;
  /// What the team that gets `task` takes along, at most most_at_once - 1: it runs all of them
  /// before it reports one. The second number is that of the teams that claim.
  virtual std::vector<std::int64_t> companions(std::int64_t /*task*/, std::int64_t /*teams*/) {
    return {};
  }
  /// A team has finished a task and asks for no other now, as it looked ahead.
  virtual void report(const Finished& /*finished*/) {}
  /// A team tells how far it has come.
  virtual void advance(const Advance& /*advance*/) {}
  /// A team leaves early; `finished` is its last report.
  virtual void withdraw(const Finished& /*finished*/) {}
  /// May the team that gets `task` be given its next one while it works? That hides the time of an
  /// answer where tasks are about as short, but the task is then not there for a team that idles.
  /// The second number is that of the teams that claim.
  [[nodiscard]] virtual bool may_look_ahead(std::int64_t /*task*/, std::int64_t /*teams*/) const {
    return false;
  }
};

/// What handing out the tasks has cost so far.
struct QueueLoad {
  std::int64_t claims = 0;  ///< of all teams, withdrawals included
  double cpu_seconds = 0;   ///< of the service thread, all on rank 0's core
  double seconds = 0;       ///< since the queue was made
};

/// Hands the tasks of one source to the roots of all teams, one or a few at a time.
///
/// Rank 0 serves claims from a thread of its own, so that it answers also while its main thread
/// is deep inside a long task, over shared memory and over TCP alike; its own claims take the
/// same lock. Needs MPI_THREAD_MULTIPLE (Session asks for it), unless there is one claimant only.
///
/// The life of a queue on every rank:
///
///     TaskQueue queue(world, source, teams);     // Collective
///     Finished last;                             // on the roots of teams:
///     while (const auto task = queue.claim(last)) last = run(*task);
///     queue.finish();                            // Collective, on every rank
///
/// Errors. What the source throws ends the handing out: every other team is told that nothing is
/// left, and rank 0 gets the exception from its next claim() or from finish(). When a rank leaves
/// by an exception, its destructor never waits: on rank 0 it ends the service at once (the claims
/// of others then stay unanswered), elsewhere it withdraws the rank. Either way the others may
/// wait in finish() for a rank that does not come, so an exception that not all ranks share must
/// end the processes, as main does by MPI_Abort.
class TaskQueue {
 public:
  /// Collective over `world`. @param source  on rank 0, ignored elsewhere; outlives the queue.
  /// @param claimants  how many ranks will claim (the roots of all teams), rank 0 being one.
  /// @throws base::Error  several claimants without MPI_THREAD_MULTIPLE.
  TaskQueue(const Comm& world, TaskSource* source, std::int64_t claimants);
  /// Collective, after finish() or while an exception unwinds the stack. Without either, rank 0
  /// waits until every claimant got "none left" or withdrew.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// Called by the roots of teams. Blocks until rank 0 answers; never waits for other teams.
  /// After it returned nothing, it must not be called again. For a source without companions.
  [[nodiscard]] std::optional<std::int64_t> claim(const Finished& finished);
  /// The same for any source: a task and its companions, or nothing.
  [[nodiscard]] std::vector<std::int64_t> claim_several(const Finished& finished);

  /// Tells of a task that was run with others, before the last of them is told by a claim or a
  /// withdrawal. Waits for nobody.
  void report(const Finished& finished);

  /// Tells how far a task has come that this team runs, from the thread that claims. Waits for
  /// nobody; the caller sees to it that not too many of these come in a second.
  void advance(const Advance& advance);

  /// Called instead of claim() by the root of a team that will not go on, such as after a signal.
  /// Never waits for other teams. A task that it has not reported stays unfinished, and so does one
  /// that it was given ahead. Harmless after claim() returned nothing.
  void withdraw(const Finished& finished = {});

  /// Waits until no team has a task, without keeping a core busy. Collective, on all ranks of the
  /// world: those that claim, after their last claim.
  /// @throws  on rank 0, what the source or the service has thrown.
  void finish();

  /// Runs `work` on rank 0 while the source rests, to look at the source or to change it.
  void with_source_locked(const std::function<void()>& work);

  /// On rank 0; zeros elsewhere.
  [[nodiscard]] QueueLoad load() const;

 private:
  class Service;
  class Claimant;
  std::unique_ptr<Service> service_;    ///< on rank 0
  std::unique_ptr<Claimant> claimant_;  ///< elsewhere
};

}  // namespace fairfront::parallel
