#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system.hpp"
#include "journal/file.hpp"
#include "journal/journal.hpp"
#include "journal/record.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal {
namespace {

using Clock = std::chrono::steady_clock;  // setting the clock neither delays a commit nor hurries

void validate(const CommitPolicy& policy) {
  constexpr std::chrono::milliseconds longest = std::chrono::hours{1};
  if (policy.interval < policy.interval.zero() || policy.interval > longest) {
    throw std::invalid_argument(fmt::format("CommitPolicy::interval = {} ms, must be 0 .. {}",
                                            policy.interval.count(), longest.count()));
  }
  if (policy.records < 1) {
    throw std::invalid_argument(
        fmt::format("CommitPolicy::records = {}, must be >= 1", policy.records));
  }
}

base::Descriptor create(const base::Folder& journal, const std::string& log) {
  base::Descriptor file = journal.open(log, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
  if (!file.valid()) base::throw_system_error("create", journal.file(log), errno);
  return file;
}

// A folder that was made for other things is no place for a log, whosever it is.
void require_place_for_log(const base::Folder& journal) {
  require_own_folder(journal);
  for (const std::string& name : journal.names()) {
    if (is_ours(name) || name == "lock" || name == "header") continue;
    throw base::InputError(fmt::format("cannot write in '{}': it is no journal", journal.path()));
  }
}

std::string checked_log_name(int launch, int rank) {
  if (launch < 0 || rank < 0) {
    throw std::invalid_argument(
        fmt::format("log of launch {}, rank {}: must be >= 0", launch, rank));
  }
  return log_name(launch, rank);
}

// fdatasync suffices: it includes the length, and nobody needs the times. A failed one is not
// repeated: the system may have dropped the data already and would then report success.
int sync_data(int descriptor) {
  while (::fdatasync(descriptor) != 0) {
    if (errno != EINTR) return errno;  // interrupted is not failed: nothing was dropped
  }
  return 0;
}

}  // namespace

struct JournalWriter::State {
  State(base::Folder folder, std::string log, CommitPolicy commit_policy)
      : journal{std::move(folder)},
        name{std::move(log)},
        path{journal.file(name)},
        policy{commit_policy},
        file{create(journal, name)},
        owner{::getpid()} {}

  base::Folder journal;  ///< changed with the mutex held, read without by the owner's thread
  const std::string name;
  const std::string path;
  const CommitPolicy policy;
  base::Descriptor file;
  const pid_t owner;
  Bytes frame;       ///< of the record being appended
  off_t length = 0;  ///< of the whole frames in the file
  bool closed = false;
  int restored = 0;             ///< times
  std::string lost;             ///< why nothing more can be written; empty: it can
  Clock::time_point looked_at;  ///< when the log was last seen in its place
  std::thread syncer;

  mutable std::mutex mutex;         ///< guards what follows
  std::condition_variable changed;  ///< any of it
  std::int64_t appended = 0;
  std::int64_t covered = 0;  ///< by a sync that was begun
  std::int64_t synced = 0;
  std::int64_t wanted = 0;   ///< sync up to here at once
  Clock::time_point oldest;  ///< when the first record not covered was appended
  int write_error = 0;       ///< errno; nothing is appended after one
  int sync_error = 0;        ///< errno; nothing is synced after one
  bool stopping = false;

  void begin(bool with_header);
  void keep_in_place();
  void restore();
  [[nodiscard]] base::Folder folder_at_path() const;
  void copy_to(const base::Descriptor& fresh) const;
  [[noreturn]] void lose(const char* reason);
  void require_usable() const;
  void throw_failure() const;
  void write_frame();
  void note_appended();
  void note_write_error(int error);
  void wait_until_synced();
  void sync_until_stopped();
  void sync_now(std::unique_lock<std::mutex>& lock);
  void stop();
};

// The first frames and the file's name are safe before the first record.
void JournalWriter::State::begin(bool with_header) {
  frame = kind_frame("log");
  if (const auto header = with_header ? header_payload(journal) : std::nullopt) {
    const FrameHeader copy = frame_header_of(view_of(*header));
    frame.insert(frame.end(), copy.begin(), copy.end());
    frame.insert(frame.end(), header->begin(), header->end());
  }
  int error = base::write_all(file.get(), std::as_bytes(std::span{frame}));
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (error != 0) base::throw_system_error("write", path, error);
  length = static_cast<off_t>(frame.size());
  syncer = base::quiet_thread([this] { sync_until_stopped(); });
}

// Somebody may delete or move the folder of a run that goes on. The bytes are still ours.
void JournalWriter::State::keep_in_place() {
  looked_at = Clock::now();
  if (journal.place() == base::Folder::Place::same) {
    errno = 0;
    if (journal.holds(name, file) || (errno != 0 && errno != ENOENT)) return;
  }
  restore();
}

// Of several ranks the first has made a new one, the others find it.
base::Folder JournalWriter::State::folder_at_path() const {
  if (journal.place() == base::Folder::Place::same) return journal;
  base::Folder found = make_journal_folder(journal.path());
  require_place_for_log(found);
  return found;
}

void JournalWriter::State::lose(const char* reason) {
  const std::string where = journal.whereabouts();
  lost = fmt::format(
      "the journal '{}' was replaced while the run goes on, and nothing is written there ({}); {}",
      journal.path(), reason,
      where.empty() ? std::string{"its finished tasks are gone with it"}
                    : fmt::format("its finished tasks are in '{}': give it its name back, then "
                                  "continue with --resume",
                                  where));
  throw LostJournal(lost);
}

// A new file takes over the number of the old one, which the other thread may be syncing.
void JournalWriter::State::restore() {
  std::optional<base::Folder> place;
  try {
    place = folder_at_path();
  } catch (const base::InputError& error) {
    lose(error.what());
  }
  const base::Descriptor fresh = create(*place, name);
  copy_to(fresh);
  if (::fsync(fresh.get()) != 0 || ::dup3(fresh.get(), file.get(), O_CLOEXEC) < 0) {
    base::throw_system_error("write again", path, errno);
  }
  {
    const std::lock_guard lock{mutex};
    journal = *place;
  }
  journal.sync();
  base::sync_folder(base::folder_of(journal.path()));
  ++restored;
}

void JournalWriter::State::copy_to(const base::Descriptor& fresh) const {
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (off_t position = 0; position < length;) {
    const auto wanted = std::min(static_cast<off_t>(bytes.size()), length - position);
    const ssize_t count =
        ::pread(file.get(), bytes.data(), static_cast<std::size_t>(wanted), position);
    if (count < 0 && errno == EINTR) continue;
    const int error = count < 0 ? errno : count == 0 ? EIO : 0;
    if (error != 0) base::throw_system_error("write again", path, error);
    const std::span part = std::span{bytes}.first(static_cast<std::size_t>(count));
    if (const int failed = base::write_all(fresh.get(), part)) {
      base::throw_system_error("write again", path, failed);
    }
    position += count;
  }
}

void JournalWriter::State::require_usable() const {
  if (closed) throw std::logic_error(fmt::format("the log '{}' is closed", path));
  if (::getpid() != owner) {
    throw std::logic_error(fmt::format("the log '{}' belongs to process {}", path, owner));
  }
  if (!lost.empty()) throw LostJournal(lost);
}

// Throws if there was a failure. Call with the mutex held.
void JournalWriter::State::throw_failure() const {
  const int error = sync_error != 0 ? sync_error : write_error;
  if (error == 0) return;
  throw base::InputError(fmt::format(
      "cannot {} '{}': {}; of the {} tasks appended to it, the first {} are safe on disk",
      sync_error != 0 ? "sync" : "write", path, std::strerror(error), appended, synced));
}

void JournalWriter::State::write_frame() {
  const int error = base::write_all(file.get(), std::as_bytes(std::span{frame}));
  if (error == 0) {
    length += static_cast<off_t>(frame.size());
    note_appended();
    return;
  }
  note_write_error(error);
}

void JournalWriter::State::note_appended() {
  const std::lock_guard lock{mutex};
  const bool first = appended == covered;
  if (first) oldest = Clock::now();
  ++appended;
  if (first || appended - covered == policy.records) changed.notify_all();
}

// The records before the failed one are synced, so that the message can say they are safe.
void JournalWriter::State::note_write_error(int error) {
  // Half a frame would only be a warning to the reader: no harm if it cannot be cut off.
  static_cast<void>(::ftruncate(file.get(), length) == 0);
  {
    const std::lock_guard lock{mutex};
    write_error = error;
  }
  wait_until_synced();
}

void JournalWriter::State::wait_until_synced() {
  std::unique_lock lock{mutex};
  wanted = appended;
  changed.notify_all();
  changed.wait(lock, [this] { return synced >= wanted || sync_error != 0; });
  throw_failure();
}

// The body of the thread. Sleeps until there is something to sync, then until it is due.
void JournalWriter::State::sync_until_stopped() {
  std::unique_lock lock{mutex};
  while (sync_error == 0) {
    changed.wait(lock, [this] { return stopping || appended > synced; });
    if (appended == synced) return;
    changed.wait_until(lock, oldest + policy.interval, [this] {
      return stopping || wanted > synced || appended - synced >= policy.records;
    });
    sync_now(lock);
  }
}

void JournalWriter::State::sync_now(std::unique_lock<std::mutex>& lock) {
  covered = appended;
  const std::int64_t target = covered;
  lock.unlock();
  const int error = sync_data(file.get());
  lock.lock();
  if (error == 0) {
    synced = target;
  } else {
    sync_error = error;
  }
  changed.notify_all();
}

void JournalWriter::State::stop() {
  {
    const std::lock_guard lock{mutex};
    stopping = true;
    changed.notify_all();
  }
  if (syncer.joinable()) syncer.join();
}

JournalWriter::JournalWriter(const base::Folder& journal, int launch, int rank,
                             CommitPolicy policy) {
  validate(policy);
  std::string log = checked_log_name(launch, rank);
  require_own_folder(journal);
  state_ = std::make_unique<State>(journal, std::move(log), policy);
  journal.sync();
  state_->begin(has_header_copy(rank));
}

JournalWriter::~JournalWriter() {
  if (::getpid() != state_->owner) {
    // A forked child has neither the thread nor a right to the mutex: only its memory is a copy.
    static_cast<void>(state_.release());
    return;
  }
  state_->stop();
}

void JournalWriter::append(const results::TaskRecord& record) {
  state_->require_usable();
  {
    const std::lock_guard lock{state_->mutex};
    state_->throw_failure();
  }
  watch();
  write_record_frame(record, state_->frame);
  state_->write_frame();
  constexpr std::size_t most_kept = std::size_t{16} << 20;  // for the next record
  if (state_->frame.capacity() > most_kept) state_->frame = Bytes{};
}

void JournalWriter::watch() {
  constexpr std::chrono::seconds look_interval{1};
  if (Clock::now() - state_->looked_at < look_interval) return;
  state_->require_usable();
  state_->keep_in_place();
}

const base::Folder& JournalWriter::folder() const noexcept { return state_->journal; }

base::Folder JournalWriter::folder_for_others() const {
  const std::lock_guard lock{state_->mutex};
  return state_->journal;
}

void JournalWriter::commit() {
  state_->require_usable();
  state_->keep_in_place();
  state_->wait_until_synced();
}

void JournalWriter::close() {
  if (state_->closed) return;
  state_->require_usable();
  state_->keep_in_place();
  state_->closed = true;
  state_->stop();
  const bool file_closed = state_->file.close();
  const int error = errno;
  state_->throw_failure();
  if (!file_closed) base::throw_system_error("close", state_->path, error);
}

std::int64_t JournalWriter::appended() const {
  const std::lock_guard lock{state_->mutex};
  return state_->appended;
}

int JournalWriter::times_restored() const { return state_->restored; }

std::int64_t JournalWriter::synced() const {
  const std::lock_guard lock{state_->mutex};
  return state_->synced;
}

}  // namespace fairfront::journal
