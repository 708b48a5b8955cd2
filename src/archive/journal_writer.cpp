#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "archive/descriptor.hpp"
#include "archive/journal.hpp"
#include "archive/journal_file.hpp"
#include "archive/journal_record.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
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

Descriptor create(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
  Descriptor file{::open(path.c_str(), flags, 0666)};
  if (!file.valid()) throw_system_error("create", path, errno);
  return file;
}

std::string log_path(const std::string& journal, int launch, int rank) {
  if (launch < 0 || rank < 0) {
    throw std::invalid_argument(
        fmt::format("log of launch {}, rank {}: must be >= 0", launch, rank));
  }
  return journal_file(journal, log_name(launch, rank));
}

// fdatasync suffices: it includes the length, and nobody needs the times. A failed one is not
// repeated: the system may have dropped the data already and would then report success.
int sync_data(int descriptor) {
  while (::fdatasync(descriptor) != 0) {
    if (errno != EINTR) return errno;  // interrupted is not failed: nothing was dropped
  }
  return 0;
}

// Signals are for the main thread, whose system calls and MPI library expect them.
template <class Work>
std::thread start_without_signals(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread{std::move(work)};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace

struct JournalWriter::State {
  State(std::string log, CommitPolicy commit_policy)
      : path{std::move(log)}, policy{commit_policy}, file{create(path)}, owner{::getpid()} {}

  const std::string path;
  const CommitPolicy policy;
  Descriptor file;
  const pid_t owner;
  Bytes frame;       ///< of the record being appended
  off_t length = 0;  ///< of the whole frames in the file
  bool closed = false;
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

  void begin();
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

// The first frame and the file's name are safe before the first record.
void JournalWriter::State::begin() {
  frame = kind_frame("log");
  int error = write_all(file.get(), frame);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (error != 0) throw_system_error("write", path, error);
  length = static_cast<off_t>(frame.size());
  syncer = start_without_signals([this] { sync_until_stopped(); });
}

void JournalWriter::State::require_usable() const {
  if (closed) throw std::logic_error(fmt::format("the log '{}' is closed", path));
  if (::getpid() != owner) {
    throw std::logic_error(fmt::format("the log '{}' belongs to process {}", path, owner));
  }
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
  const int error = write_all(file.get(), frame);
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

JournalWriter::JournalWriter(const std::string& journal, int launch, int rank,
                             CommitPolicy policy) {
  validate(policy);
  state_ = std::make_unique<State>(log_path(journal, launch, rank), policy);
  sync_folder(journal);
  state_->begin();
}

JournalWriter::~JournalWriter() {
  if (::getpid() != state_->owner) {
    // A forked child has neither the thread nor a right to the mutex: only its memory is a copy.
    static_cast<void>(state_.release());
    return;
  }
  state_->stop();
}

void JournalWriter::append(const TaskRecord& record) {
  state_->require_usable();
  {
    const std::lock_guard lock{state_->mutex};
    state_->throw_failure();
  }
  write_record_frame(record, state_->frame);
  state_->write_frame();
}

void JournalWriter::commit() {
  state_->require_usable();
  state_->wait_until_synced();
}

void JournalWriter::close() {
  if (state_->closed) return;
  state_->require_usable();
  state_->closed = true;
  state_->stop();
  const bool file_closed = state_->file.close();
  const int error = errno;
  state_->throw_failure();
  if (!file_closed) throw_system_error("close", state_->path, error);
}

std::int64_t JournalWriter::appended() const {
  const std::lock_guard lock{state_->mutex};
  return state_->appended;
}

std::int64_t JournalWriter::synced() const {
  const std::lock_guard lock{state_->mutex};
  return state_->synced;
}

}  // namespace fairfront::archive
