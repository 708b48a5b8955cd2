#include "data/open_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/error.hpp"
#include "data/data_file.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

fs::path catalogue_path(const CatalogueEntry& entry, const fs::path& data_dir) {
  const fs::path wanted = data_dir / entry.file->path;
  if (auto found = find_file(wanted)) return *std::move(found);
  throw base::InputError(
      fmt::format("data set '{}': there is no file '{}'; name its folder by --data-dir, or {}",
                  entry.name, wanted.string(),
                  entry.file->url.empty() ? fmt::format("put it there ({})", entry.source)
                                          : "download it with jobs/get_data.sh"));
}

fs::path own_path(const std::string& kind, const std::string& name, const fs::path& data_dir) {
  if (name.empty()) throw base::InputError(fmt::format("data.data = {} needs data.file", kind));
  for (const fs::path& path : {fs::path{name}, data_dir / name}) {
    std::error_code unreadable;
    if (fs::exists(path, unreadable)) return path;
  }
  throw base::InputError(fmt::format("data.file: there is neither '{}' nor '{}' (--data-dir)", name,
                                     (data_dir / name).string()));
}

void check_published(const CatalogueEntry& entry, const std::string& path,
                     const std::string& sha256) {
  if (sha256 == entry.file->sha256) return;
  throw base::InputError(
      fmt::format("data set '{}': the content of '{}' is not the published one: expected SHA-256 "
                  "{}, found {}; --allow-changed-data uses it all the same",
                  entry.name, path, entry.file->sha256, sha256));
}

}  // namespace fairfront::data
