#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace fairfront::base {
void throw_system_error(std::string_view action, const std::string& path, int error) {
  throw InputError(fmt::format("cannot {} '{}': {}", action, path, std::strerror(error)));
}

int write_all(int descriptor, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;  // no file system of ours does this; waiting for it would hang
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path{path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const Descriptor open{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!open.valid()) throw_system_error("open", folder, errno);
  // EINVAL: a file system that has nothing to sync for a folder.
  if (::fsync(open.get()) != 0 && errno != EINVAL) throw_system_error("sync", folder, errno);
}

}  // namespace fairfront::base
