#include "data/data_file.hpp"

#include <system_error>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/gzip.hpp"

namespace fairfront::data {

std::optional<std::filesystem::path> find_file(const std::filesystem::path& path) {
  std::error_code unreadable;  // a folder that may not be entered holds nothing for us
  if (std::filesystem::exists(path, unreadable)) return path;
  std::filesystem::path twin = path;
  if (path.extension() == ".gz") {
    twin.replace_extension();
  } else {
    twin += ".gz";
  }
  if (std::filesystem::exists(twin, unreadable)) return twin;
  return std::nullopt;
}

DataFile read_data_file(const std::filesystem::path& path) {
  DataFile file{path.string(), path.filename().string(), base::read_file(path.string()), {}};
  if (path.extension() == ".gz") file.text = inflate_gzip(file.text, file.path);
  file.sha256 = base::sha256_of(file.text);
  return file;
}

}  // namespace fairfront::data
