#include "data/data_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/error.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

std::optional<fs::path> find_file(const fs::path& path) {
  std::error_code unreadable;  // a folder that may not be entered holds nothing for us
  if (fs::exists(path, unreadable)) return path;
  fs::path twin = path;
  if (path.extension() == ".gz") {
    twin.replace_extension();
  } else {
    twin += ".gz";
  }
  if (fs::exists(twin, unreadable)) return twin;
  return std::nullopt;
}

DataFile::DataFile(const fs::path& path) : path_{path.string()}, name_{path.filename().string()} {
  std::error_code unknown;  // what the system says about it, opening the file says better
  if (fs::is_directory(path, unknown)) {
    throw base::InputError(fmt::format("cannot read '{}': it is a directory", path_));
  }
  stream_.open(path, std::ios::binary);
  if (!stream_) {
    throw base::InputError(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
  }
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
  const std::size_t count = gzip_ ? gzip_->read(out) : read_stored(out);
  hash_.add_bytes(std::as_bytes(out.first(count)));
  if (count == 0) sha256_ = hash_.finish();
  return count;
}

std::size_t DataFile::read_stored(std::span<char> out) {
  stream_.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (stream_.bad()) {
    throw base::InputError(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
  }
  return static_cast<std::size_t>(stream_.gcount());
}

}  // namespace fairfront::data
