#include "data/catalogue/locate_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "data/readers/data_file.hpp"

namespace fairfront::data {

namespace fs = std::filesystem;

fs::path catalogue_path(const CatalogueEntry& entry, const CatalogueFile& file,
                        const fs::path& data_dir) {
  const fs::path wanted = data_dir / file.path;
  if (auto found = find_file(wanted)) return *std::move(found);
  if (!file.beside.empty()) {
    if (auto found = find_file(fs::path{file.beside} / file.path)) return *std::move(found);
  }
  throw base::InputError(fmt::format(
      "data set '{}': there is no file '{}'; name its folder by --data-dir, or {}", entry.name,
      wanted.string(),
      file.address.empty()
          ? fmt::format("put it there ({})", file.origin.empty() ? entry.source : file.origin)
          : "download it with jobs/get_data.sh"));
}

fs::path own_path(const std::string& kind, const std::string& name, const DataFolder& data_dir) {
  if (name.empty()) throw base::InputError(fmt::format("data.data = {} needs data.file", kind));
  return path_of_option("data.file", name, data_dir);
}

fs::path path_of_option(const std::string& option, const std::string& name,
                        const DataFolder& data_dir) {
  if (const auto now = data_dir.moved.find(name); now != data_dir.moved.end()) return now->second;
  const fs::path paths[] = {name, data_dir.path / name};
  for (const fs::path& path : paths) {
    if (file_exists(path)) return path;
  }
  for (const fs::path& path : paths) {
    const auto twin = find_file(path);
    if (!twin) continue;
    throw base::InputError(fmt::format("{}: there is no '{}', but '{}': name that", option,
                                       base::excerpt(name), base::excerpt(twin->string())));
  }
  if (paths[0] == paths[1]) {
    throw base::InputError(
        fmt::format("{}: there is no '{}' (--data-dir)", option, base::excerpt(name)));
  }
  throw base::InputError(fmt::format("{}: there is neither '{}' nor '{}' (--data-dir)", option,
                                     base::excerpt(name), base::excerpt(paths[1].string())));
}

std::optional<fs::path> find_by_content(const fs::path& folder, const std::string& name,
                                        std::span<const std::string> sha256) {
  const std::string plain = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
  std::vector<fs::path> same_name;
  std::error_code failed;  // a folder that may not be read has no file for us
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry{folder, skip, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string found = entry->path().filename().string();
    std::error_code unknown;
    const bool named = found == plain || found == plain + ".gz";
    if (named && entry->is_regular_file(unknown)) same_name.push_back(entry->path());
  }
  std::ranges::sort(same_name);
  for (const fs::path& path : same_name) {
    DataFile file(path);
    if (std::ranges::find(sha256, file.sha256()) != sha256.end()) return path;
  }
  if (same_name.empty()) return std::nullopt;
  throw base::InputError(fmt::format("'{}' has the name of '{}', but another content (SHA-256)",
                                     base::excerpt(same_name.front().string()),
                                     base::excerpt(name)));
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
