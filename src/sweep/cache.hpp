/// @file
/// What the tasks of one rank share.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "base/cpu_time.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/shared_pages.hpp"
#include "parallel/node_shelf.hpp"

namespace fairfront::sweep {

/// What a maker gives to the cache.
template <class T>
struct Made {
  std::shared_ptr<const T> value;
  std::size_t bytes = 0;  ///< that it holds, about
};

/// How the ranks of a node have the values of a type once: one lays down what the others take.
template <class T>
struct Sharing {
  std::function<void(base::PageWriter&, const T&)> lay_down;
  std::function<Made<T>(base::PageReader&)> take;  ///< may use the cache
};

/// Sharing of a type with a function walk_fields().
/// @param bytes_of  what a value holds, about.
template <class T, class BytesOf>
[[nodiscard]] Sharing<T> sharing_of(BytesOf bytes_of) {
  return {[](base::PageWriter& pages, const T& value) { pages(value); },
          [bytes_of](base::PageReader& pages) {
            auto value = std::make_shared<T>();
            pages(*value);
            const std::size_t bytes = bytes_of(*value);
            return Made<T>{std::move(value), bytes};
          }};
}

/// Data sets, splits, problems, base learners, analytic fronts: made once and kept while there is
/// room; of more than that, the ones that were used last. One per rank; not for several threads.
/// What is dropped lives on with those who hold it. Large data are made by one rank of a node and
/// lie there once, see share().
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
    const Making making(*this);
    return make_and_keep<T>(key, make, false);
  }

  /// The same, of which one rank of a node makes the value.
  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> get(const std::string& key, Make&& make,
                                             const Sharing<T>& sharing) {
    if (const Item* item = use(key, typeid(T))) {
      return std::static_pointer_cast<const T>(item->value);
    }
    const Making making(*this);
    if (!shelf_ || !shelf_->is_shared()) return make_and_keep<T>(key, make, true);
    Claim claim(shelf_, base::sha256_of(typeid(T).name() + key));
    const base::OwnPages own_pages;
    Made<T> made = claim.taken() ? take_or_make<T>(claim, make, sharing) : make();
    if (!claim.taken()) {
      base::PageWriter pages;
      sharing.lay_down(pages, *made.value);
      claim.lay_down(pages.finish());
    }
    keep({key, made.value, &typeid(T), made.bytes, true, claim.while_kept()});
    return std::move(made.value);
  }

  /// From now on ranks of a node share what can be shared.
  void share(std::shared_ptr<parallel::NodeShelf> shelf) { shelf_ = std::move(shelf); }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// That making values, or taking them from other ranks, has taken so far.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }
  /// CPU seconds of the same.
  [[nodiscard]] double cpu_seconds() const noexcept { return cpu_seconds_; }
  /// Of what every rank of a node makes for itself.
  [[nodiscard]] std::size_t own_bytes() const noexcept;

 private:
  struct Item {
    std::string key;
    std::shared_ptr<const void> value;
    const std::type_info* type;
    std::size_t bytes;
    bool can_be_shared;
    std::shared_ptr<void> laid_down;  ///< for the other ranks of the node while it lives; or null
  };

  /// While it lives a value is made, with all that it asks for.
  class Making {
   public:
    explicit Making(Cache& cache) : cache_{cache} { ++cache_.makings_; }
    ~Making() {
      if (--cache_.makings_ > 0) return;
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
      cache_.seconds_ += taken.count();
      cache_.cpu_seconds_ += base::cpu_seconds() - cpu_before_;
    }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

   private:
    Cache& cache_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    double cpu_before_ = base::cpu_seconds();
  };

  /// A name on the shelf, from the question for it to the answer.
  class Claim {
   public:
    Claim(std::shared_ptr<parallel::NodeShelf> shelf, std::string name);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    /// What another rank has laid down; or nothing, and this rank makes it.
    [[nodiscard]] const std::optional<base::Descriptor>& taken() const { return taken_; }
    void lay_down(base::Descriptor value);
    [[nodiscard]] std::shared_ptr<void> while_kept() const;

   private:
    std::shared_ptr<parallel::NodeShelf> shelf_;
    std::string name_;
    std::optional<base::Descriptor> taken_;
    bool is_laid_down_ = false;
  };

  template <class T, class Make>
  [[nodiscard]] static Made<T> take_or_make(const Claim& claim, Make& make,
                                            const Sharing<T>& sharing) {
    try {
      base::PageReader pages(*claim.taken());
      return sharing.take(pages);
    } catch (const base::PagesError&) {
      return make();  // a system that does not let it be mapped
    }
  }

  template <class T, class Make>
  [[nodiscard]] std::shared_ptr<const T> make_and_keep(const std::string& key, Make& make,
                                                       bool can_be_shared) {
    Made<T> made = make();
    keep({key, made.value, &typeid(T), made.bytes, can_be_shared, nullptr});
    return std::move(made.value);
  }

  const Item* use(const std::string& key, const std::type_info& type);
  void keep(Item item);

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  int makings_ = 0;  ///< going on, one within the other
  double seconds_ = 0;
  double cpu_seconds_ = 0;
  std::list<Item> items_;  ///< last used first
  std::shared_ptr<parallel::NodeShelf> shelf_;
};

}  // namespace fairfront::sweep
