#include "archive/seal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "archive/archive.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace fairfront::archive {
namespace {

constexpr std::string_view first_line = "fairfront archive, HDF5 from byte 512\n";
[[noreturn]] void throw_unreadable(const std::string& path, int error) {
  const char* const action =
      error == ENOENT ? "; check the name, which is the one behind -o of `fairfront run`" : "";
  throw base::InputError(fmt::format("cannot read '{}': {}{}", path, std::strerror(error), action));
}

base::Descriptor open_regular(const std::string& path, std::size_t& length) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  base::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) throw_unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) throw_unreadable(path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw base::InputError(fmt::format("cannot read '{}': not a regular file", path));
  }
  length = static_cast<std::size_t>(status.st_size);
  return file;
}

// Fewer bytes than asked for only at the end of the file.
std::size_t read_some(const base::Descriptor& file, std::span<std::byte> buffer,
                      const std::string& path) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::read(file.get(), buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_unreadable(path, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

// The length in the seal, or 0 when there is none to be read.
std::int64_t recorded_length(std::string_view text) {
  constexpr std::string_view key = "length ";
  text.remove_prefix(first_line.size());
  if (!text.starts_with(key)) return 0;
  text.remove_prefix(key.size());
  return base::parse_int64(text.substr(0, text.find('\n'))).value_or(0);
}

/// A table or a config in the place of an archive is not damaged. The seal ends with zero bytes.
void require_no_text(std::string_view text, const std::string& path) {
  const std::string_view begin = text.substr(0, std::min(text.size(), first_line.size()));
  if (text.empty() || first_line.starts_with(begin) || text.find('\0') != text.npos) return;
  throw NoArchiveError(fmt::format(
      "'{}' is not a fairfront archive: it is text; name the file that `fairfront run -o` has made",
      path));
}

void require_seal_text(std::string_view text, std::size_t length, const std::string& path) {
  constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
  if (text.starts_with(hdf5_signature)) {
    throw base::DamagedError(
        fmt::format("'{}' is an HDF5 file, but not a fairfront archive; name the file that "
                    "`fairfront run -o` has made",
                    path));
  }
  require_no_text(text, path);
  if (text.size() < seal_bytes || !text.starts_with(first_line)) {
    throw base::DamagedError(fmt::format(
        "'{}' is not a fairfront archive, or its first bytes are damaged; name the file "
        "that `fairfront run -o` has made, or take a copy of it",
        path));
  }
  const std::int64_t recorded = recorded_length(text);
  if (recorded > 0 && static_cast<std::size_t>(recorded) != length) {
    throw base::DamagedError(
        fmt::format("'{}' has {} bytes, but was written with {}", path, length, recorded));
  }
}

}  // namespace

std::array<std::byte, seal_bytes> seal_of(std::size_t length, const std::string& sha256) {
  std::array<std::byte, seal_bytes> seal{};
  const std::string text = fmt::format("{}length {}\nsha256 {}\n", first_line, length, sha256);
  std::ranges::copy(std::as_bytes(std::span{text}), seal.begin());
  return seal;
}

std::vector<std::byte> read_sealed(const std::string& path) {
  std::size_t length = 0;
  const base::Descriptor file = open_regular(path, length);
  std::array<std::byte, seal_bytes> found{};
  const std::size_t count = read_some(file, found, path);
  require_seal_text({reinterpret_cast<const char*>(found.data()), count}, length, path);
  std::vector<std::byte> rest(length - seal_bytes);
  rest.resize(read_some(file, rest, path));
  if (found != seal_of(length, base::sha256_of(rest))) {
    throw base::DamagedError(
        fmt::format("'{}' was changed after it was written: its bytes do not have "
                    "the SHA-256 recorded in its first lines",
                    path));
  }
  return rest;
}

void require_replaceable(const std::string& path) {
  const auto refuse = [&](std::string_view what) {
    throw base::InputError(
        fmt::format("cannot write '{}': it exists and {}, so that --force does not replace it; "
                    "choose another name",
                    path, what));
  };
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;  // base::check_writable knows better
  if (::stat(path.c_str(), &status) != 0) refuse("is a link that leads nowhere");
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  std::size_t length = 0;
  const base::Descriptor file = open_regular(path, length);
  std::array<char, first_line.size()> found{};
  const std::size_t count = read_some(file, std::as_writable_bytes(std::span{found}), path);
  if (count > 0 && std::string_view{found.data(), count} != first_line) {
    refuse("is not a fairfront archive");
  }
}

}  // namespace fairfront::archive
