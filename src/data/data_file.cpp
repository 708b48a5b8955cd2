#include "data/data_file.hpp"

#include <fmt/format.h>

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

[[noreturn]] void fail(const fs::path& path, std::string_view reason) {
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
      return "it is a directory";
    case fs::file_type::fifo:
      return "it is a pipe, but data are read more than once: write them into a file";
    default:
      return "it is a device, no file";
  }
}

}  // namespace

bool file_exists(const fs::path& path) {
  std::error_code reason;
  const bool exists = fs::exists(fs::status(path, reason));
  const bool absent = !reason || reason == std::errc::no_such_file_or_directory ||
                      reason == std::errc::not_a_directory;
  if (!exists && !absent) fail(path, reason.message());
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

DataFile::DataFile(const fs::path& path) : path_{path.string()}, name_{path.filename().string()} {
  std::error_code unknown;  // what the system says about it, opening the file says better
  const std::string_view other = other_than_file(fs::status(path, unknown).type());
  if (!other.empty()) fail(path, other);
  stream_.open(path, std::ios::binary);
  if (!stream_) fail(path, std::strerror(errno));
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
  stream_.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (stream_.bad()) fail(path_, std::strerror(errno));
  return static_cast<std::size_t>(stream_.gcount());
}

}  // namespace fairfront::data
