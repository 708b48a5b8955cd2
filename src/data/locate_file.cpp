#include "data/locate_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "data/data_file.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

fs::path catalogue_path(const CatalogueEntry& entry, const CatalogueFile& file,
                        const fs::path& data_dir) {
  const fs::path wanted = data_dir / file.path;
  if (auto found = find_file(wanted)) return *std::move(found);
  throw base::InputError(
      fmt::format("data set '{}': there is no file '{}'; name its folder by --data-dir, or {}",
                  entry.name, wanted.string(),
                  file.url.empty() ? fmt::format("put it there ({})", entry.source)
                                   : "download it with jobs/get_data.sh"));
}

fs::path own_path(const std::string& kind, const std::string& name, const fs::path& data_dir) {
  if (name.empty()) throw base::InputError(fmt::format("data.data = {} needs data.file", kind));
  return path_of_option("data.file", name, data_dir);
}

fs::path path_of_option(const std::string& option, const std::string& name,
                        const fs::path& data_dir) {
  const fs::path paths[] = {name, data_dir / name};
  for (const fs::path& path : paths) {
    if (file_exists(path)) return path;
  }
  for (const fs::path& path : paths) {
    const auto twin = find_file(path);
    if (!twin) continue;
    throw base::InputError(fmt::format("{}: there is no '{}', but '{}': name that", option,
                                       base::excerpt(name), base::excerpt(twin->string())));
  }
  throw base::InputError(fmt::format("{}: there is neither '{}' nor '{}' (--data-dir)", option,
                                     base::excerpt(name), base::excerpt(paths[1].string())));
}

void check_published(const std::string& data_set, const CatalogueFile& file,
                     const std::string& path, const std::string& sha256) {
  if (sha256 == file.sha256) return;
  throw base::InputError(
      fmt::format("data set '{}': the content of '{}' is not the published one: expected SHA-256 "
                  "{}, found {}; --allow-changed-data uses it all the same",
                  data_set, path, file.sha256, sha256));
}

}  // namespace fairfront::data
