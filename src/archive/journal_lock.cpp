#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "archive/descriptor.hpp"
#include "archive/journal.hpp"
#include "archive/journal_file.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::archive {
namespace {

std::string this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("process {} on host {}", ::getpid(), host.data());
}

std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  const auto length = static_cast<std::size_t>(count > 0 ? count : 0);
  const std::string_view line = base::trim({text.data(), length});
  return line.empty() || line.back() != '.' ? "a process that has not yet written its name"
                                            : std::string{line.substr(0, line.size() - 1)};
}

[[noreturn]] void throw_held(const std::string& journal, int descriptor) {
  throw base::InputError(
      fmt::format("the journal '{}' is in use by {}; wait for that run or stop it", journal,
                  holder(descriptor)));
}

// Errors of a file system that has no locks, such as Lustre mounted without -o flock.
bool means_no_locks(int error) {
  return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP || error == EINVAL;
}

// A run that ended may have removed the folder between our open and our lock.
bool still_there(const std::string& path, int descriptor) {
  struct stat by_name {};
  struct stat by_descriptor {};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(descriptor, &by_descriptor) == 0 &&
         by_name.st_ino == by_descriptor.st_ino && by_name.st_dev == by_descriptor.st_dev;
}

// Only to tell others; a full disk must not stop a run here. The dot says that it is whole.
void write_holder(int descriptor) {
  const std::string line = this_process() + ".\n";
  const ssize_t count = ::pwrite(descriptor, line.data(), line.size(), 0);
  if (count > 0 && ::ftruncate(descriptor, count) != 0) return;
}

int try_lock(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

JournalLock::JournalLock(const std::string& journal) {
  const std::string path = journal_file(journal, "lock");
  file_ = std::make_unique<Descriptor>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_->valid()) throw_system_error("lock", path, errno);
  const int error = try_lock(file_->get());
  if (error == EWOULDBLOCK) throw_held(journal, file_->get());
  if (means_no_locks(error)) {
    warning_ = fmt::format(
        "the file system of '{}' has no locks ({}): nothing keeps a second run from writing there",
        journal, std::strerror(error));
  } else if (error != 0) {
    throw_system_error("lock", path, error);
  }
  if (!still_there(path, file_->get())) throw_system_error("lock", path, ENOENT);
  write_holder(file_->get());
}

// Closing releases the lock when the last process that inherited the descriptor has closed it;
// LOCK_UN in a forked child would take it from its parent.
JournalLock::~JournalLock() = default;

}  // namespace fairfront::archive
