/// @file
/// What the tasks of one rank share.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

namespace fairfront::sweep {

/// What a maker gives to the cache.
template <class T>
struct Made {
  std::shared_ptr<const T> value;
  std::size_t bytes = 0;  ///< that it holds, about
};

/// Data sets, splits, problems, base learners, analytic fronts: made once and kept while there is
/// room; of more than that, the ones that were used last. One per rank; not for several threads.
/// What is dropped lives on with those who hold it.
class Cache {
 public:
  /// @param most_bytes  of all values together; one that is larger is kept alone.
  explicit Cache(std::size_t most_bytes = std::size_t{2} << 30) : most_bytes_{most_bytes} {}

  /// The value of this key; `make()`, which gives a Made<T> and may use the cache, is called when
  /// there is none, and what it throws leaves nothing behind.
  /// @throws std::logic_error  the key's value has another type.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(const std::string& key, Make&& make) {
    if (const Item* item = use(key, typeid(T))) {
      return std::static_pointer_cast<const T>(item->value);
    }
    Made<T> made = std::forward<Make>(make)();
    keep({key, made.value, &typeid(T), made.bytes});
    return std::move(made.value);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Item {
    std::string key;
    std::shared_ptr<const void> value;
    const std::type_info* type;
    std::size_t bytes;
  };
  const Item* use(const std::string& key, const std::type_info& type);
  void keep(Item item);

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Item> items_;  ///< last used first
};

}  // namespace fairfront::sweep
