/// @file
/// The journal of a run: finished tasks on disk before the archive exists.
///
/// A folder beside the archive, "<archive>.journal/":
///   header           what sweep this is (one sealed record)
///   lock             held (flock) by the run that writes here
///   heartbeat        rewritten every few seconds by rank 0: time, host, process, SLURM job
///   LLLL-RRRRRR.log  append-only, one per launch and rank, so that no launch ever writes behind a
///                    torn record of an earlier one; those of ranks 0, 1, 2, 4, 8 ... begin with a
///                    copy of the header, for when that is lost
///   KEY.checkpoint   state of a task that was under way (written aside, renamed)
/// A record is: length (u32), CRC32C of the payload (u32), CRC32C of those eight bytes (u32), the
/// payload (CBOR). Little endian. The first record of every file names its kind and version.
/// Local: nothing here communicates. No global state.
///
/// The folder is opened once and its files are reached by it: in a shared folder somebody else may
/// rename it and put another one, or a link, in its place. Functions on a base::Folder take a path
/// as well, and open what is there then.
///
/// Errors are base::InputError (exit code 2) with path and reason, also a full disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "results/content.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal {

/// "<archive>.journal".
[[nodiscard]] std::string journal_path(const std::string& archive_path);

/// While a run goes on, its journal was replaced by a link, or by a folder that is not ours.
class LostJournal : public base::InputError {
 public:
  using InputError::InputError;
};

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
  /// @throws base::InputError  the file exists or cannot be made, or the folder is another user's.
  /// @throws std::invalid_argument  a negative number, or a policy out of range.
  JournalWriter(const base::Folder& journal, int launch, int rank, CommitPolicy policy = {});
  ~JournalWriter();  ///< closes without throwing
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// The result is stored only if the status is done.
  /// @throws base::InputError  I/O error, now or before; or a record of 4 GiB and more.
  void append(const results::TaskRecord& record);
  /// Returns when everything is synced. @throws base::InputError  I/O error, now or before.
  void commit();
  /// Commits and closes; append is then an error. @throws base::InputError  as commit.
  void close();
  [[nodiscard]] std::int64_t appended() const;
  [[nodiscard]] std::int64_t synced() const;
  /// How often the log was gone from its folder, deleted or moved, and was written there again with
  /// all that was appended to it. Looked at by watch, append (both once a second), commit and
  /// close.
  [[nodiscard]] int times_restored() const;
  /// @throws LostJournal  something else is in the place of the folder; so do append, commit and
  ///     close from then on, and nothing is written there.
  void watch();
  /// The folder that the log is in now. For the thread that appends.
  [[nodiscard]] const base::Folder& folder() const noexcept;
  /// The same for any thread.
  [[nodiscard]] base::Folder folder_for_others() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All that a journal holds.
struct JournalContents {
  results::SweepIdentity header;
  bool header_lost = false;  ///< and taken from a log; rewrite_header mends it
  /// One per key, in order of first appearance by launch, rank and place: the first `done` one,
  /// so that what was once reported stays, else the last failed one.
  std::vector<results::TaskRecord> records;
  std::int64_t duplicates = 0;        ///< done records beyond the first of their key
  std::vector<std::string> warnings;  ///< torn tails, damaged records left out; few per log
  int launches = 0;                   ///< the next launch has this number
  std::int64_t bytes = 0;
};

/// Makes the folder and its header, safe on disk. An empty folder, which a launch killed at this
/// point leaves, is used; of two launches that start at once only one succeeds.
/// @throws base::InputError  it exists, cannot be made.
void create_journal(const std::string& journal, const results::SweepIdentity& header);
/// Makes the folder alone, so that it can be locked before it gets a header; it may be there.
/// @throws base::InputError  it cannot be made, or belongs to another user.
base::Folder make_journal_folder(const std::string& journal);
/// Gives such a folder its header, as create_journal.
void begin_journal(const base::Folder& journal, const results::SweepIdentity& header);
/// Takes away a folder that has got neither header nor logs. Hold its lock.
void remove_empty_journal(const base::Folder& journal) noexcept;
/// @throws base::InputError  its folder may not be searched, so nobody can say.
[[nodiscard]] bool journal_exists(const std::string& journal);
/// Replaces the header (--extend widens axes), all or nothing. @throws base::InputError
void rewrite_header(const base::Folder& journal, const results::SweepIdentity& header);

[[nodiscard]] results::SweepIdentity read_journal_header(const base::Folder& journal);

/// Reads every log; changes none. A torn tail ends its log; a damaged record in the middle loses
/// only itself. A log that is still written to is read up to its last whole record.
/// @param results  false: keys, status, message, times only (for resuming and `status`). Results
///     are read all the same, so what is found done here is there for the archive.
/// @param check  looks at every whole record; one that it throws base::DamagedError for is left
///     out like a damaged one.
/// @throws base::InputError  no journal there, its header or a log cannot be read, or a file was
///     written by a newer version.
using RecordCheck = std::function<void(const results::TaskRecord&)>;
[[nodiscard]] JournalContents read_journal(const base::Folder& journal, bool results = true,
                                           const RecordCheck& check = {});

/// The names of a journal's logs, by launch and rank.
/// @throws base::InputError  no journal there, or its header cannot be read.
[[nodiscard]] std::vector<std::string> names_of_logs(const base::Folder& journal);

/// What read_journal finds in one of its logs, by name.
/// @throws base::InputError  the log cannot be read, or was written by a newer version.
[[nodiscard]] std::vector<results::TaskRecord> read_log_records(const base::Folder& journal,
                                                                const std::string& log,
                                                                const RecordCheck& check);

/// What can be said of the logs without reading them.
struct LogSizes {
  std::int64_t bytes = 0;
  int launches = 0;  ///< the next launch has this number
};
/// @throws base::InputError  no journal there, or it may not be read.
[[nodiscard]] LogSizes log_sizes(const base::Folder& journal);

/// A rank's log of one launch.
struct OwnLog {
  base::Folder journal;
  int launch = 0;
  int rank = 0;
};
/// Once the archive stands, each rank can do so before remove_journal(): a kill in between leaves a
/// journal with fewer tasks. Does not fail.
void remove_log(const OwnLog& log) noexcept;

/// Removes our files and the folder (after the archive stands). Does not fail; files of others
/// stay, and with them the folder.
void remove_journal(const base::Folder& journal) noexcept;
void remove_journal(const std::string& journal) noexcept;

/// Gives a journal another name beside its own, until a new one has taken its place. Hold its lock.
/// @returns the same folder. @throws base::InputError  it cannot be renamed.
[[nodiscard]] base::Folder set_journal_aside(const base::Folder& journal);
/// Whether the journal has its name back, also over an empty folder; not when another run has begun
/// there meanwhile.
[[nodiscard]] bool put_journal_back(const base::Folder& aside, const std::string& journal) noexcept;

/// The one run that may write a journal. The system releases the lock when the process ends,
/// however it ends. On NFS it holds between hosts; a file system without locks (Lustre mounted
/// without -o flock) gives no lock but a warning, since refusing would make such clusters useless.
class JournalLock {
 public:
  /// @throws base::BusyError  another run holds it: says process and host.
  /// @throws base::InputError  no journal there.
  explicit JournalLock(base::Folder journal);
  ~JournalLock();
  JournalLock(const JournalLock&) = delete;
  JournalLock& operator=(const JournalLock&) = delete;
  [[nodiscard]] const base::Folder& folder() const noexcept { return folder_; }
  /// Empty when the lock is held, else why there is none; for the user to see.
  [[nodiscard]] const std::string& warning() const noexcept { return warning_; }

 private:
  base::Folder folder_;
  std::unique_ptr<base::Descriptor> file_;
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
  /// Results in the journal that this run did not ask for, as of another slice: in none of the
  /// above.
  std::int64_t other_done = 0;
  std::int64_t other_failed = 0;
  double seconds_left = -1;  ///< as the run reckons when it writes this; -1: not known
  std::string sureness;      ///< of seconds_left: "known", "guessed", "at_least"
  std::int64_t ended = 0;    ///< tasks that this launch has ended
  double elapsed = 0;        ///< seconds since it began them
  double task_seconds = 0;   ///< of all finished tasks, one after another
  std::vector<std::int64_t> slowest_tasks;  ///< the first few of this launch, by place in the plan
  std::vector<double> slowest_seconds;      ///< of each
  std::vector<std::int64_t> failed_tasks;   ///< the first few of this launch
  std::vector<std::string> running;  ///< "task 12 on rank 3 since 41 s: iteration ..." (bounded)
  std::string state;                 ///< "running", "finished", "interrupted"
};
/// Written aside and renamed; not synced, so that a busy disk does not hold up the writer.
/// @throws base::InputError  it cannot be written; a run may go on without.
void write_heartbeat(const base::Folder& journal, const Heartbeat& heartbeat);
/// Nothing when there is none or it is damaged. Its age is for the reader to judge: clocks of
/// two hosts differ, and may be set back.
[[nodiscard]] std::optional<Heartbeat> read_heartbeat(const base::Folder& journal);

/// Where the state of a task is kept. @throws std::invalid_argument  the key is no file name.
[[nodiscard]] std::string checkpoint_path(const std::string& journal, const std::string& key);
/// The state of a task under way: opaque bytes, sealed by a checksum, written aside, synced and
/// renamed. One writer at a time for a key.
/// @throws base::InputError  cannot be written; the checkpoint before it is untouched.
void write_checkpoint(const base::Folder& journal, const std::string& key,
                      const std::string& bytes);
/// Nothing when there is none.
/// @throws base::InputError  it cannot be read, is damaged, or is another kind or version of file.
[[nodiscard]] std::optional<std::string> read_checkpoint(const base::Folder& journal,
                                                         const std::string& key);
void remove_checkpoint(const base::Folder& journal, const std::string& key) noexcept;

}  // namespace fairfront::journal
