#include "data/open_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/error.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

DataFile open_catalogue_file(const CatalogueEntry& entry, const fs::path& data_dir,
                             bool allow_changed) {
  const fs::path wanted = data_dir / entry.file->path;
  const auto found = find_file(wanted);
  if (!found) {
    throw base::InputError(
        fmt::format("data set '{}': there is no file '{}'; name its folder by --data-dir, or "
                    "download it with jobs/get_data.sh",
                    entry.name, wanted.string()));
  }
  DataFile file = read_data_file(*found);
  if (file.sha256 == entry.file->sha256 || allow_changed) return file;
  throw base::InputError(
      fmt::format("data set '{}': the content of '{}' is not the published one: expected SHA-256 "
                  "{}, found {}; --allow-changed-data uses it all the same",
                  entry.name, file.path, entry.file->sha256, file.sha256));
}

DataFile open_own_file(const std::string& name, const fs::path& data_dir) {
  if (name.empty()) throw base::InputError("data.data = csv needs data.file");
  for (const fs::path& path : {fs::path{name}, data_dir / name}) {
    std::error_code unreadable;
    if (fs::exists(path, unreadable)) return read_data_file(path);
  }
  throw base::InputError(fmt::format("data.file: there is neither '{}' nor '{}' (--data-dir)", name,
                                     (data_dir / name).string()));
}

}  // namespace fairfront::data
