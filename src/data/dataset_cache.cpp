#include "data/dataset_cache.hpp"

#include <algorithm>

namespace fairfront::data {
namespace {

std::string key_of(DataOptions options, const std::filesystem::path& data_dir, bool allow_changed) {
  std::string key = data_dir.string() + (allow_changed ? "\n1" : "\n0");
  const base::OptionTable table = options_of(options);
  for (const base::OptionInfo& info : table.infos()) key += '\n' + table.get(info.name);
  return key;
}

}  // namespace

std::shared_ptr<const Dataset> DatasetCache::get(const DataOptions& options,
                                                 const std::filesystem::path& data_dir,
                                                 bool allow_changed) {
  const std::string key = key_of(options, data_dir, allow_changed);
  const auto found = std::ranges::find(items_, key, &Item::key);
  if (found != items_.end()) {
    items_.splice(items_.begin(), items_, found);
    return items_.front().dataset;
  }
  items_.push_front({key, std::make_shared<Dataset>(load(options, data_dir, allow_changed))});
  if (items_.size() > capacity_) items_.pop_back();
  return items_.front().dataset;
}

}  // namespace fairfront::data
