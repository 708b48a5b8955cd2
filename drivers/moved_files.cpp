#include "moved_files.hpp"

#include <algorithm>
#include <set>

#include "base/printable.hpp"
#include "data/catalogue/data_folder.hpp"
#include "data/dataset.hpp"
#include "data/readers/data_file.hpp"
#include "output.hpp"

namespace fairfront::drivers {
namespace {

/// What the config names as a file of the user's own, once each.
std::set<std::string> own_files(const results::Content& content) {
  const std::set<std::string> options{"data.file", "data.test_file", "regression.unlabelled_file"};
  std::set<std::string> names;
  for (const results::ConfigEntry& entry : content.config) {
    const std::string option = entry.section + "." + entry.key;
    if (!options.contains(option)) continue;
    const auto axis = std::ranges::find(content.axes, option, &results::Axis::name);
    if (axis == content.axes.end()) {
      names.insert(entry.value);
    } else {
      names.insert(axis->values.begin(), axis->values.end());
    }
  }
  names.erase("");
  return names;
}

}  // namespace

std::vector<std::string> moved_files(const results::Content& content,
                                     const std::filesystem::path& folder) {
  std::vector<std::string> contents;
  for (const data::Provenance& dataset : content.datasets) {
    contents.insert(contents.end(), dataset.sha256.begin(), dataset.sha256.end());
  }
  std::vector<std::string> moved;
  for (const std::string& name : own_files(content)) {
    if (data::find_file(name) || data::find_file(folder / name)) continue;
    const std::string file = std::filesystem::path(name).filename().string();
    const auto found = data::find_by_content(folder, file, contents);
    if (!found) continue;  // reading it says that it is not there
    moved.insert(moved.end(), {name, found->string()});
    log("fairfront: '{}' is now '{}'\n", base::printable(name), base::printable(found->string()));
  }
  return moved;
}

}  // namespace fairfront::drivers
