#include "base/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace fairfront::base {
namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

bool is_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

Descriptor open_folder(const std::string& path) {
  Descriptor folder{::open(path.c_str(), folder_flags)};
  if (folder.valid()) return folder;
  const int error = errno;
  if ((error == ENOTDIR || error == ELOOP) && is_link(path)) {
    throw InputError(
        fmt::format("cannot open '{}': it is a link, which no run makes; remove it", path));
  }
  throw_system_error("open", path, error);
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int write_and_close(const Folder& folder, const std::string& name,
                    std::span<const std::span<const std::byte>> pieces, Durability durability) {
  // A new file: what a killed run has left is of no use, and a link that somebody else has put
  // there would lead to a file of their choice.
  if (::unlinkat(folder.get(), name.c_str(), 0) != 0 && errno != ENOENT) return errno;
  Descriptor file = folder.open(name, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.valid()) return errno;
  for (const std::span<const std::byte> piece : pieces) {
    if (const int error = write_all(file.get(), piece)) return error;
  }
  if (durability == Durability::survives_machine && ::fsync(file.get()) != 0) return errno;
  return file.close() ? 0 : errno;
}

}  // namespace

Folder::Folder(const std::string& path)
    : path_{path}, descriptor_{std::make_shared<const Descriptor>(open_folder(path))} {}

Folder Folder::renamed(std::string path) const {
  Folder same = *this;
  same.path_ = std::move(path);
  return same;
}

std::string Folder::file(std::string_view name) const {
  return (std::filesystem::path{path_} / name).string();
}

uid_t Folder::owner() const {
  struct stat status {};
  if (::fstat(get(), &status) != 0) throw_system_error("open", path_, errno);
  return status.st_uid;
}

Folder::Place Folder::place() const noexcept {
  struct stat here {};
  struct stat there {};
  if (::fstat(get(), &here) != 0) return Place::same;
  if (::lstat(path_.c_str(), &there) == 0) {
    return same_file(here, there) ? Place::same : Place::replaced;
  }
  return errno == ENOENT || errno == ENOTDIR ? Place::gone : Place::same;
}

std::string Folder::whereabouts() const {
  std::array<char, PATH_MAX> target{};
  const std::string link = fmt::format("/proc/self/fd/{}", get());
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  struct stat here {};
  const bool removed = ::fstat(get(), &here) != 0 || here.st_nlink == 0;
  if (length <= 0 || removed) return {};
  return {target.data(), static_cast<std::size_t>(length)};
}

Descriptor Folder::open(const std::string& name, int flags) const noexcept {
  return Descriptor{::openat(get(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0666)};
}

std::vector<std::string> Folder::names() const {
  // A descriptor of its own, since reading moves the position in it.
  const int own = ::openat(get(), ".", folder_flags);
  DIR* const stream = own < 0 ? nullptr : ::fdopendir(own);
  if (stream == nullptr) {
    const int error = errno;
    if (own >= 0) ::close(own);
    throw_system_error("read", path_, error);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closes(stream, ::closedir);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
    errno = 0;
  }
  if (errno != 0) throw_system_error("read", path_, errno);
  return names;
}

bool Folder::has(const std::string& name) const noexcept {
  struct stat status {};
  return ::fstatat(get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Folder::holds(const std::string& name, const Descriptor& file) const noexcept {
  struct stat by_name {};
  struct stat by_descriptor {};
  return ::fstatat(get(), name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(file.get(), &by_descriptor) == 0 && same_file(by_name, by_descriptor);
}

void Folder::remove(const std::string& name) const noexcept { ::unlinkat(get(), name.c_str(), 0); }

void Folder::sync() const {
  // EINVAL: a file system that has nothing to sync for a folder.
  if (::fsync(get()) != 0 && errno != EINVAL) throw_system_error("sync", path_, errno);
}

void replace_file(const Folder& folder, const std::string& name,
                  std::span<const std::span<const std::byte>> pieces, Durability durability) {
  const std::string part = name + ".part";
  int error = write_and_close(folder, part, pieces, durability);
  if (error == 0 && ::renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    folder.remove(part);
    throw_system_error("write", folder.file(name), error);
  }
  if (durability == Durability::survives_machine) folder.sync();
}

}  // namespace fairfront::base
