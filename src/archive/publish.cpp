#include "archive/publish.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "archive/archive.hpp"
#include "archive/descriptor.hpp"

namespace fairfront::archive {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view reason) {
  throw base::InputError(fmt::format("cannot write '{}': {}", path, reason));
}
[[noreturn]] void fail_with_errno(const std::string& path, int error) {
  fail(path, std::strerror(error));
}
[[noreturn]] void fail_exists(const std::string& path) {
  fail(path, "it exists; choose another name, or --force to replace it");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path{path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

constexpr std::string_view draft_ending = ".part";

// "<name>.<process>-<attempt>.part".
bool is_draft(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.ends_with(draft_ending)) return false;
  file.remove_prefix(name.size());
  if (file.size() < draft_ending.size() + 4 || file.front() != '.') return false;
  const std::string_view numbers = file.substr(1, file.size() - 1 - draft_ending.size());
  return numbers.find_first_not_of("0123456789-") == std::string_view::npos &&
         numbers.find('-') != std::string_view::npos;
}

// A file of ours beside the target; removed unless it was published.
class Draft {
 public:
  explicit Draft(const std::string& target) : target_{target}, file_{create()} {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_with_errno(target_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void sync_and_close() {
    if (::fsync(file_.get()) != 0 || !file_.close()) fail_with_errno(target_, errno);
  }

  void replace_target() {
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail_with_errno(target_, errno);
    renamed_ = true;
  }

  void become_target() {
    if (::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
      renamed_ = true;
    } else if (errno == EINVAL || errno == ENOSYS) {
      link_to_target();  // NFS, for one, cannot rename without replacing
    } else {
      fail_unpublished(errno);
    }
  }

 private:
  // A killed run leaves its draft behind, and in a container the next run has the same pid.
  Descriptor create() {
    constexpr int most_left_behind = 1000;
    for (int attempt = 0; attempt < most_left_behind; ++attempt) {
      name_ = fmt::format("{}.{}-{}{}", target_, ::getpid(), attempt, draft_ending);
      Descriptor file{::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
      if (file.valid()) return file;
      if (errno != EEXIST) break;
    }
    fail(target_, fmt::format("cannot create '{}': {}", name_, std::strerror(errno)));
  }
  void link_to_target() {
    if (::link(name_.c_str(), target_.c_str()) != 0) fail_unpublished(errno);
  }
  [[noreturn]] void fail_unpublished(int error) {
    if (error == EEXIST) fail_exists(target_);
    fail_with_errno(target_, error);
  }

  const std::string& target_;
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

// The new name is in the folder's own data, which has to reach the disk as well.
void sync_folder(const std::string& path) {
  const Descriptor folder{::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  // EINVAL: a file system that has nothing to sync for a folder.
  if (!folder.valid() || (::fsync(folder.get()) != 0 && errno != EINVAL)) {
    fail(path, fmt::format("it is complete, but may be lost if the machine stops now: {}",
                           std::strerror(errno)));
  }
}

void require_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) fail(path, fmt::format("no such folder '{}'", folder));
    fail_with_errno(path, errno);
  }
  if (!S_ISDIR(status.st_mode)) fail(path, fmt::format("'{}' is not a folder", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail(path, fmt::format("folder '{}': {}", folder, std::strerror(errno)));
  }
}

}  // namespace

void check_writable(const std::string& path, bool overwrite) {
  if (path.empty()) fail(path, "the name is empty");
  require_folder(path);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_with_errno(path, errno);
    return;
  }
  if (S_ISDIR(status.st_mode)) fail(path, "it is a folder");
  if (!overwrite) fail_exists(path);
  // Renaming onto a device such as /dev/null would remove the device.
  if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) fail(path, "it is not a regular file");
}

void remove_drafts(const std::string& path) noexcept try {
  const std::string name = std::filesystem::path{path}.filename().string();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator{folder_of(path), ignored}) {
    if (!is_draft(entry.path().filename().string(), name)) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
} catch (...) {
  return;  // what stays only takes room
}

void publish(const std::string& path, std::span<const std::byte> bytes, bool overwrite) {
  check_writable(path, overwrite);
  {
    Draft draft{path};
    draft.write(bytes);
    draft.sync_and_close();
    overwrite ? draft.replace_target() : draft.become_target();
  }
  sync_folder(path);
}

}  // namespace fairfront::archive
