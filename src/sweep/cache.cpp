#include "sweep/cache.hpp"

#include <algorithm>

namespace fairfront::sweep {

const Cache::Item* Cache::use(const std::string& key, const std::type_info& type) {
  const auto found = std::ranges::find(items_, key, &Item::key);
  if (found == items_.end()) return nullptr;
  if (*found->type != type) {
    throw std::logic_error("the cache has a value of another type for '" + key + "'");
  }
  items_.splice(items_.begin(), items_, found);
  return &items_.front();
}

void Cache::keep(Item item) {
  items_.push_front(std::move(item));
  bytes_ += items_.front().bytes;
  while (bytes_ > most_bytes_ && items_.size() > 1) {
    bytes_ -= items_.back().bytes;
    items_.pop_back();
  }
}

}  // namespace fairfront::sweep
