#include "base/publish.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace fairfront::base {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view reason) {
  throw InputError(fmt::format("cannot write '{}': {}", path, reason));
}
[[noreturn]] void fail_with_errno(const std::string& path, int error) {
  fail(path, std::strerror(error));
}
[[noreturn]] void fail_exists(const std::string& path, WayOut way_out) {
  fail(path, way_out == WayOut::another_name
                 ? "it exists; choose another name"
                 : "it exists; choose another name, or --force to replace it");
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

[[noreturn]] void fail_unpublished(const std::string& path, int error) {
  if (error == EEXIST) fail_exists(path, WayOut::another_name);
  fail_with_errno(path, error);
}

void require_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) fail(path, fmt::format("no such folder '{}'; make it first", folder));
    fail_with_errno(path, errno);
  }
  if (!S_ISDIR(status.st_mode)) fail(path, fmt::format("'{}' is not a folder", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail(path, fmt::format("folder '{}': {}", folder, std::strerror(errno)));
  }
}

}  // namespace

void check_writable(const std::string& path, bool overwrite, WayOut way_out) {
  if (path.empty()) fail(path, "the name is empty");
  // A draft, the journal beside it and what is set aside have longer names.
  constexpr std::size_t longest_name = NAME_MAX - 40;
  const std::size_t name = std::filesystem::path{path}.filename().native().size();
  if (name > longest_name)
    fail(path, fmt::format("the name is longer than {} bytes", longest_name));
  require_folder(path);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_with_errno(path, errno);
    return;
  }
  if (S_ISDIR(status.st_mode)) fail(path, "it is a folder");
  if (!overwrite) fail_exists(path, way_out);
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

Draft::Draft(std::string target) : target_{std::move(target)}, path_{target_}, file_{create()} {}

Draft::Draft(Folder folder, const std::string& name)
    : folder_{std::move(folder)}, target_{name}, path_{folder_->file(name)}, file_{create()} {}

Draft::~Draft() {
  if (!renamed_) ::unlinkat(base(), name_.c_str(), 0);
}

// A killed run leaves its draft behind, and in a container the next run has the same pid.
Descriptor Draft::create() {
  constexpr int most_left_behind = 1000;
  for (int attempt = 0; attempt < most_left_behind; ++attempt) {
    name_ = fmt::format("{}.{}-{}{}", target_, ::getpid(), attempt, draft_ending);
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    Descriptor file{::openat(base(), name_.c_str(), flags, 0666)};
    if (file.valid()) return file;
    if (errno != EEXIST) break;
  }
  fail(path_, fmt::format("cannot create '{}': {}", name_, std::strerror(errno)));
}

void Draft::write(std::span<const std::byte> bytes) {
  if (const int error = write_all(file_.get(), bytes)) fail_with_errno(path_, error);
}

void Draft::write_first(std::span<const std::byte> bytes) {
  if (::lseek(file_.get(), 0, SEEK_SET) != 0) fail_with_errno(path_, errno);
  write(bytes);
}

void Draft::publish(bool overwrite) {
  if (::fsync(file_.get()) != 0 || !file_.close()) fail_with_errno(path_, errno);
  if (!overwrite) {
    become_target();
  } else if (::renameat(base(), name_.c_str(), base(), target_.c_str()) != 0) {
    fail_with_errno(path_, errno);
  } else {
    renamed_ = true;
  }
  try {
    sync_names();
  } catch (const InputError& error) {
    fail(path_,
         fmt::format("it is complete, but may be lost if the machine stops now: {}", error.what()));
  }
}

void Draft::sync_names() const {
  if (folder_) {
    folder_->sync();
  } else {
    sync_folder(folder_of(target_));
  }
}

void Draft::become_target() {
  if (::renameat2(base(), name_.c_str(), base(), target_.c_str(), RENAME_NOREPLACE) == 0) {
    renamed_ = true;
  } else if (errno == EINVAL || errno == ENOSYS) {
    link_to_target();  // NFS, for one, cannot rename without replacing
  } else {
    fail_unpublished(path_, errno);
  }
}

void Draft::link_to_target() {
  if (::linkat(base(), name_.c_str(), base(), target_.c_str(), 0) != 0) {
    fail_unpublished(path_, errno);
  }
}

void publish(const std::string& path, std::span<const std::byte> bytes, bool overwrite) {
  check_writable(path, overwrite);
  Draft draft{path};
  draft.write(bytes);
  draft.publish(overwrite);
}

void publish(const Folder& folder, const std::string& name, std::span<const std::byte> bytes,
             bool overwrite) {
  Draft draft{folder, name};
  draft.write(bytes);
  draft.publish(overwrite);
}

}  // namespace fairfront::base
