#include "sweep/cache.hpp"

#include <algorithm>

namespace fairfront::sweep {

Cache::Claim::Claim(std::shared_ptr<parallel::NodeShelf> shelf, std::string name)
    : shelf_{std::move(shelf)}, name_{std::move(name)}, taken_{shelf_->take_or_claim(name_)} {}

Cache::Claim::~Claim() {
  if (!taken_ && !is_laid_down_) shelf_->leave(name_);
}

void Cache::Claim::lay_down(base::Descriptor value) {
  is_laid_down_ = true;
  shelf_->lay_down(name_, std::move(value));
}

std::shared_ptr<void> Cache::Claim::while_kept() const {
  if (!is_laid_down_) return nullptr;
  const auto take_back = [shelf = std::weak_ptr(shelf_), name = name_](void*) {
    if (const auto still = shelf.lock()) still->take_back(name);
  };
  return {nullptr, take_back};
}

const Cache::Item* Cache::use(const std::string& key, const std::type_info& type) {
  const auto found = std::ranges::find(items_, key, &Item::key);
  if (found == items_.end()) return nullptr;
  if (*found->type != type) {
    throw std::logic_error("the cache has a value of another type for '" + key + "'");
  }
  items_.splice(items_.begin(), items_, found);
  return &items_.front();
}

std::size_t Cache::own_bytes() const noexcept {
  std::size_t sum = 0;
  for (const Item& item : items_) sum += item.can_be_shared ? 0 : item.bytes;
  return sum;
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
