#include "data/readers/data_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/stop.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& path, std::string_view reason) {
  throw base::InputError(fmt::format("cannot read '{}': {}", base::excerpt(path.string()), reason));
}

/// What is there instead of a file; empty for a file.
std::string_view other_than_file(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
    case fs::file_type::not_found:  // opening it says why
    case fs::file_type::none:
      return {};
    case fs::file_type::directory:
      return "it is a directory; name a file in it";
    case fs::file_type::fifo:
      return "it is a pipe, but data are read more than once: write them into a file";
    case fs::file_type::socket:
      return "it is a socket, no file";
    default:
      return "it is a device, no file";
  }
}

/// Calls itself a file, but the kernel writes it anew for every reader, who may have to wait for
/// it.
bool is_of_procfs(const base::Descriptor& file) {
  struct statfs about {};
  return ::fstatfs(file.get(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/// @throws base::InputError  there is no file of data at `path`.
base::Descriptor open_file(const fs::path& path) {
  std::error_code unknown;  // what the system says about it, opening the file says better
  const std::string_view other = other_than_file(fs::status(path, unknown).type());
  if (!other.empty()) refuse(path, other);
  base::Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (!file.valid() && errno == ENOENT) {
    refuse(path, "No such file or directory; check the name, and the folder that it is below");
  }
  if (!file.valid()) refuse(path, std::strerror(errno));
  if (is_of_procfs(file))
    refuse(path, "the kernel makes its content, so that it is no file of data");
  return file;
}

}  // namespace

bool file_exists(const fs::path& path) {
  std::error_code reason;
  const bool exists = fs::exists(fs::status(path, reason));
  const bool absent = !reason || reason == std::errc::no_such_file_or_directory ||
                      reason == std::errc::not_a_directory;
  if (!exists && !absent) refuse(path, reason.message());
  return exists;
}

std::optional<fs::path> find_file(const fs::path& path) {
  if (file_exists(path)) return path;
  fs::path twin = path;
  if (path.extension() == ".gz") {
    twin.replace_extension();
  } else {
    twin += ".gz";
  }
  if (file_exists(twin)) return twin;
  return std::nullopt;
}

DataFile::DataFile(const fs::path& path)
    : path_{path.string()},
      name_{path.filename().string()},
      file_{open_file(path)},
      reading_{path_} {
  if (path.extension() == ".gz") {
    gzip_.emplace([this](std::span<char> out) { return read_stored(out); }, path_);
  }
}

TextWindow DataFile::text() {
  return {[this](std::span<char> out) { return read(out); }, path_};
}

const std::string& DataFile::sha256() {
  std::vector<char> rest(std::size_t{1} << 16);
  while (sha256_.empty() && read(rest) > 0) {
  }
  return sha256_;
}

std::size_t DataFile::read(std::span<char> out) {
  if (!sha256_.empty()) return 0;
  base::stop_point();
  const std::size_t count = gzip_ ? gzip_->read(out) : read_stored(out);
  hash_.add_bytes(std::as_bytes(out.first(count)));
  if (count == 0) sha256_ = hash_.finish();
  return count;
}

std::size_t DataFile::read_stored(std::span<char> out) {
  while (true) {
    const ssize_t count = ::read(file_.get(), out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) refuse(path_, std::strerror(errno));
    base::stop_point();
  }
}

}  // namespace fairfront::data
