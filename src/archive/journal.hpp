/// @file
/// The journal of a run: finished tasks on disk before the archive exists.
///
/// A folder beside the archive, "<archive>.journal/":
///   header           what sweep this is (one sealed record)
///   lock             held (flock) by the run that writes here
///   heartbeat        rewritten every few seconds by rank 0: time, host, process, SLURM job
///   LLLL-RRRRRR.log  append-only, one per launch and rank, so that no launch ever writes behind a
///                    torn record of an earlier one
///   KEY.checkpoint   state of a task that was under way (written aside, renamed)
/// A record is: length (u32), CRC32C of the payload (u32), CRC32C of those eight bytes (u32), the
/// payload (CBOR). Little endian. The first record of every file names its kind and version.
/// Local: nothing here communicates. No global state.
///
/// Errors are base::InputError (exit code 2) with path and reason, also a full disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/content.hpp"
#include "archive/task_record.hpp"

namespace fairfront::archive {

class Descriptor;

/// "<archive>.journal".
[[nodiscard]] std::string journal_path(const std::string& archive_path);

/// What the tasks of a journal belong to. Two headers with equal `sweep_digest` are one sweep.
struct JournalHeader {
  std::string sweep_digest;  ///< SHA-256 over everything below but program_version
  std::string experiment;
  std::vector<ConfigEntry> config;  ///< every option; an axis has all its values, joined by ", "
  std::vector<Axis> axes;
  std::vector<data::Provenance> datasets;
  std::vector<std::string> revisions;  ///< "method=revision"
  std::int64_t tasks = 0;              ///< of the plan
  std::string program_version;         ///< version and git revision of the launch that made it
};

/// The value of sweep_digest. The order of the config's entries does not matter.
[[nodiscard]] std::string sweep_digest_of(const JournalHeader& header);

/// The first thing in which two sweeps differ, as "safairkm_front.iterations: 100 there, 200
/// here"; nothing when they are the same sweep. Looks at the experiment, the config's entries by
/// name, axes, data sets, solver revisions, number of tasks, in this order.
[[nodiscard]] std::optional<std::string> first_difference(const JournalHeader& there,
                                                          const JournalHeader& here);

/// Group commit: fsync at the latest after so long or so many records.
struct CommitPolicy {
  std::chrono::milliseconds interval{1000};
  int records = 64;
};

/// Appends the records of one rank, from one thread. `append` hands the bytes to the system at
/// once (so they survive the death of the process); a thread of its own syncs them by the policy
/// (so they survive the death of the machine).
///
/// An I/O error is kept: this and every later call of append, commit and close throws it, saying
/// how many records are safe on disk; nothing more is written, and a failed sync is never tried
/// again, since the system may have dropped the data. A forked child must not append: it gets a
/// std::logic_error, and its copy may be destroyed without effect on the parent's.
class JournalWriter {
 public:
  /// @throws base::InputError  the file exists or cannot be made.
  /// @throws std::invalid_argument  a negative number, or a policy out of range.
  JournalWriter(const std::string& journal, int launch, int rank, CommitPolicy policy = {});
  ~JournalWriter();  ///< closes without throwing
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// The result is stored only if the status is done.
  /// @throws base::InputError  I/O error, now or before; or a record of 4 GiB and more.
  void append(const TaskRecord& record);
  /// Returns when everything is synced. @throws base::InputError  I/O error, now or before.
  void commit();
  /// Commits and closes; append is then an error. @throws base::InputError  as commit.
  void close();
  [[nodiscard]] std::int64_t appended() const;
  [[nodiscard]] std::int64_t synced() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All that a journal holds.
struct JournalContents {
  JournalHeader header;
  /// One per key, in order of first appearance by launch, rank and place: the first `done` one,
  /// so that what was once reported stays, else the last failed one.
  std::vector<TaskRecord> records;
  std::int64_t duplicates = 0;        ///< done records beyond the first of their key
  std::vector<std::string> warnings;  ///< torn tails, damaged records left out; few per log
  int launches = 0;                   ///< the next launch has this number
  std::int64_t bytes = 0;
};

/// Makes the folder and its header, safe on disk. An empty folder, which a launch killed at this
/// point leaves, is used; of two launches that start at once only one succeeds.
/// @throws base::InputError  it exists, cannot be made.
void create_journal(const std::string& journal, const JournalHeader& header);
/// @throws base::InputError  its folder may not be searched, so nobody can say.
[[nodiscard]] bool journal_exists(const std::string& journal);
/// Replaces the header (--extend widens axes), all or nothing. @throws base::InputError
void rewrite_header(const std::string& journal, const JournalHeader& header);

[[nodiscard]] JournalHeader read_journal_header(const std::string& journal);

/// Reads every log; changes none. A torn tail ends its log; a damaged record in the middle loses
/// only itself. A log that is still written to is read up to its last whole record.
/// @param results  false: keys, status, message, times only (for resuming and `status`); every
///     checksum is still checked, so what is found done here is there for the archive.
/// @throws base::InputError  no journal there, its header or a log cannot be read, or a file was
///     written by a newer version.
[[nodiscard]] JournalContents read_journal(const std::string& journal, bool results = true);

/// Removes our files and the folder (after the archive stands). Does not fail; files of others
/// stay, and with them the folder.
void remove_journal(const std::string& journal) noexcept;

/// The one run that may write a journal. The system releases the lock when the process ends,
/// however it ends. On NFS it holds between hosts; a file system without locks (Lustre mounted
/// without -o flock) gives no lock but a warning, since refusing would make such clusters useless.
class JournalLock {
 public:
  /// @throws base::InputError  another run holds it: says process and host; or no journal there.
  explicit JournalLock(const std::string& journal);
  ~JournalLock();
  JournalLock(const JournalLock&) = delete;
  JournalLock& operator=(const JournalLock&) = delete;
  /// Empty when the lock is held, else why there is none; for the user to see.
  [[nodiscard]] const std::string& warning() const noexcept { return warning_; }

 private:
  std::unique_ptr<Descriptor> file_;
  std::string warning_;
};

/// A sign of life, readable from any node without locks.
struct Heartbeat {
  double unix_seconds = 0;  ///< when it was written
  std::string host;
  std::int64_t process = 0;
  std::int64_t ranks = 0;
  std::string slurm_job;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t total = 0;
  std::vector<std::string> running;  ///< "task 12 on rank 3 since 41 s: iteration ..." (bounded)
  std::string state;                 ///< "running", "finished", "interrupted"
};
/// Written aside and renamed; not synced, so that a busy disk does not hold up the writer.
/// @throws base::InputError  it cannot be written; a run may go on without.
void write_heartbeat(const std::string& journal, const Heartbeat& heartbeat);
/// Nothing when there is none or it is damaged. Its age is for the reader to judge: clocks of
/// two hosts differ, and may be set back.
[[nodiscard]] std::optional<Heartbeat> read_heartbeat(const std::string& journal);

/// The state of a task under way: opaque bytes, sealed by a checksum, written aside, synced and
/// renamed. One writer at a time for a key.
/// @throws base::InputError  cannot be written; the checkpoint before it is untouched.
void write_checkpoint(const std::string& journal, const std::string& key, const std::string& bytes);
/// Nothing when there is none or it is damaged (the task then starts anew).
[[nodiscard]] std::optional<std::string> read_checkpoint(const std::string& journal,
                                                         const std::string& key);
void remove_checkpoint(const std::string& journal, const std::string& key) noexcept;

}  // namespace fairfront::archive
