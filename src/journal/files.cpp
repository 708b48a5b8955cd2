#include "journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "journal/cbor.hpp"
#include "journal/fields_json.hpp"
#include "journal/file.hpp"

namespace fairfront::results {

template <>
inline constexpr auto fields<journal::Heartbeat> = std::tuple(
    field("unix_seconds", &journal::Heartbeat::unix_seconds),
    field("host", &journal::Heartbeat::host), field("process", &journal::Heartbeat::process),
    field("ranks", &journal::Heartbeat::ranks), field("slurm_job", &journal::Heartbeat::slurm_job),
    field("done", &journal::Heartbeat::done), field("failed", &journal::Heartbeat::failed),
    field("total", &journal::Heartbeat::total),
    field("other_done", &journal::Heartbeat::other_done),
    field("other_failed", &journal::Heartbeat::other_failed),
    field("seconds_left", &journal::Heartbeat::seconds_left),
    field("sureness", &journal::Heartbeat::sureness), field("ended", &journal::Heartbeat::ended),
    field("elapsed", &journal::Heartbeat::elapsed),
    field("task_seconds", &journal::Heartbeat::task_seconds),
    field("slowest_tasks", &journal::Heartbeat::slowest_tasks),
    field("slowest_seconds", &journal::Heartbeat::slowest_seconds),
    field("failed_tasks", &journal::Heartbeat::failed_tasks),
    field("running", &journal::Heartbeat::running), field("state", &journal::Heartbeat::state));

}  // namespace fairfront::results

namespace fairfront::journal {
namespace {

std::string this_process() {
  return fmt::format("process {} on host {}", ::getpid(), base::host_name());
}

std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  const auto length = static_cast<std::size_t>(count > 0 ? count : 0);
  const std::string_view line = base::trim({text.data(), length});
  return line.empty() || line.back() != '.' ? "a process that has not yet written its name"
                                            : std::string{line.substr(0, line.size() - 1)};
}

[[noreturn]] void throw_held(const base::Folder& journal, int descriptor) {
  throw base::BusyError(
      fmt::format("the journal '{}' is in use by {}; wait for that run or stop it", journal.path(),
                  holder(descriptor)));
}

// Errors of a file system that has no locks, such as Lustre mounted without -o flock.
bool means_no_locks(int error) {
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

// A run that ended may have removed the folder between our open and our lock.
bool still_there(const base::Folder& journal, const base::Descriptor& lock) {
  return journal.place() == base::Folder::Place::same && journal.holds(lock_name, lock);
}

// Only to tell others; a full disk must not stop a run here. The dot says that it is whole.
void write_holder(int descriptor) {
  const std::string line = this_process() + ".\n";
  const ssize_t count = ::pwrite(descriptor, line.data(), line.size(), 0);
  if (count > 0 && ::ftruncate(descriptor, count) != 0) return;
}

// We write our name into it: it must be a file of its own.
base::Descriptor open_lock(const base::Folder& journal) {
  const std::string path = journal.file(lock_name);
  base::Descriptor file = journal.open(lock_name, O_RDWR | O_CREAT | O_NONBLOCK);
  if (!file.valid() && errno == ELOOP) throw_link("lock", path);
  if (!file.valid()) base::throw_system_error("lock", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1) {
    return file;
  }
  if (S_ISREG(status.st_mode)) throw_link("lock", path);  // a hard one
  throw base::InputError(fmt::format("cannot lock '{}': not a regular file", path));
}

int try_lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

constexpr const char* heartbeat_name = "heartbeat";
constexpr const char* heartbeat_kind = "heartbeat";

constexpr std::size_t longest_heartbeat = std::size_t{1} << 20;

constexpr const char* checkpoint_kind = "checkpoint";
constexpr std::size_t longest_checkpoint = std::numeric_limits<std::uint32_t>::max();

// Counts in a state follow from nothing else in it, so that a few changed bits whose CRC is right
// would be a wrong result without a word. And a state must be that of its task.
std::string digest_of(const std::string& key, std::string_view state) {
  base::Sha256 hash;
  hash.add_text("fairfront checkpoint 1");
  hash.add_text(key);
  hash.add_text(state);
  return hash.finish();
}

}  // namespace

JournalLock::JournalLock(base::Folder journal) : folder_{std::move(journal)} {
  require_own_folder(folder_);
  file_ = std::make_unique<base::Descriptor>(open_lock(folder_));
  const int error = try_lock(file_->get());
  if (error == EWOULDBLOCK) throw_held(folder_, file_->get());
  if (means_no_locks(error)) {
    warning_ = fmt::format(
        "the file system of '{}' has no locks ({}): nothing keeps a second run from writing there",
        folder_.path(), std::strerror(error));
  } else if (error != 0) {
    base::throw_system_error("lock", folder_.file(lock_name), error);
  }
  if (!still_there(folder_, *file_)) {
    throw base::BusyError(fmt::format(
        "the journal '{}' was removed at this moment by a run that ended", folder_.path()));
  }
  write_holder(file_->get());
}

// Closing releases the lock when the last process that inherited the descriptor has closed it;
// LOCK_UN in a forked child would take it from its parent.
JournalLock::~JournalLock() = default;

void write_heartbeat(const base::Folder& journal, const Heartbeat& heartbeat) {
  Bytes payload;
  to_cbor(fields_to_json(heartbeat), payload);
  // Not synced: it is about a living process, and a busy disk must not hold up rank 0.
  replace_sealed(journal, heartbeat_name, heartbeat_kind, payload,
                 base::Durability::survives_process);
}

std::optional<Heartbeat> read_heartbeat(const base::Folder& journal) try {
  const std::string payload =
      read_sealed(journal, heartbeat_name, heartbeat_kind, longest_heartbeat);
  Heartbeat heartbeat;
  fields_from_json(from_cbor(view_of(payload)), heartbeat);
  return heartbeat;
} catch (const base::InputError&) {
  return std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

namespace {

std::string checkpoint_name(const std::string& key) {
  if (key.empty() || key.find('/') != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("key of a checkpoint = '{}', must be a file name", key));
  }
  return key + ".checkpoint";
}

}  // namespace

std::string checkpoint_path(const std::string& journal, const std::string& key) {
  return journal_file(journal, checkpoint_name(key));
}

void write_checkpoint(const base::Folder& journal, const std::string& key,
                      const std::string& bytes) {
  replace_sealed(journal, checkpoint_name(key), checkpoint_kind,
                 view_of(digest_of(key, bytes) + bytes), base::Durability::survives_machine);
}

std::optional<std::string> read_checkpoint(const base::Folder& journal, const std::string& key) {
  const std::string name = checkpoint_name(key);
  if (!journal.has(name) && errno == ENOENT) return std::nullopt;
  std::string payload = read_sealed(journal, name, checkpoint_kind, longest_checkpoint);
  constexpr std::size_t digest_length = 64;
  const std::string_view text = payload;
  if (text.size() < digest_length ||
      text.substr(0, digest_length) != digest_of(key, text.substr(digest_length))) {
    throw base::InputError(fmt::format(
        "cannot read '{}': it was changed, or is the state of another task", journal.file(name)));
  }
  payload.erase(0, digest_length);  // in place: a state may be large
  return payload;
}

void remove_checkpoint(const base::Folder& journal, const std::string& key) noexcept try {
  const std::string name = checkpoint_name(key);
  journal.remove(name);
  journal.remove(name + ".part");  // of a run that was killed while writing
} catch (...) {
  return;  // one that stays is overwritten or removed with the journal
}

}  // namespace fairfront::journal
