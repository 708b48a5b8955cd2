/// @file
/// Values that several processes of a host hold once: one process lays a value down, the others
/// make theirs of it, and long arrays of all of them are the same pages of memory.
///
/// The types of the values do not change. An array of a taker is a vector as any other, whose pages
/// are then mapped to those that were laid down, privately: who writes into one gets a page of his
/// own. The memory ends with the last process that holds it, however that ends.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/wide_integer.hpp"

namespace fairfront::base {

/// Memory of another process that is not as it was laid down, or cannot be mapped.
class PagesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers that are laid down as their bytes.
template <class T>
concept PlainNumber = (std::is_arithmetic_v<T> && !std::same_as<T, bool>) || std::is_enum_v<T> ||
                      std::same_as<T, WideInteger>;

/// For walk_fields() of a type that is written and read: S is T or const T.
template <class S, class T>
concept IsOf = std::same_as<std::remove_const_t<S>, T>;

/// Arrays of fewer bytes are copied.
inline constexpr std::size_t least_shared_bytes = std::size_t{1} << 20;

/// While one lives, every array of least_shared_bytes or more that is made has pages of its own:
/// of others the pages cannot be shared. Afterwards only those of 32 MB have, as pages that come
/// and go with every array cost a third of the time where measures are taken of many rows. Not for
/// several threads.
class OwnPages {
 public:
  OwnPages();
  ~OwnPages();
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;
};

/// The system gets the pages back that were freed: a process that waits holds none for later.
void give_back_freed_pages();

/// Lays values down. What is laid down is numbers, texts, vectors and arrays of such, and types
/// with a function walk_fields(Pages&, S&) that hands on their fields: pages(field, ...).
class PageWriter {
 public:
  PageWriter();

  template <class... Fields>
  void operator()(const Fields&... fields) {
    (field(fields), ...);
  }

  /// The memory, which nobody can change any more, for PageReader. Not valid where the system has
  /// none to give: then nothing is shared.
  [[nodiscard]] Descriptor finish();

 private:
  template <PlainNumber T>
  void field(const T& value) {
    put(std::as_bytes(std::span{&value, 1}));
  }
  void field(bool value) { field(static_cast<std::uint8_t>(value)); }
  void field(const std::string& text) {
    field(std::uint64_t{text.size()});
    put(std::as_bytes(std::span{text}));
  }
  template <class T>
  void field(const std::vector<T>& values) {
    field(std::uint64_t{values.size()});
    if constexpr (PlainNumber<T>) {
      put_array(std::as_bytes(std::span{values}));
    } else {
      for (const T& value : values) field(value);
    }
  }
  template <class T, std::size_t n>
  void field(const std::array<T, n>& values) {
    for (const T& value : values) field(value);
  }
  template <class T>
  requires(!PlainNumber<T>) void field(const T& value) { walk_fields(*this, value); }

  void put(std::span<const std::byte> bytes);
  /// The pages of a long array become those that are laid down.
  void put_array(std::span<const std::byte> bytes);
  void flush();

  Descriptor file_;
  bool failed_;
  std::vector<std::byte> buffer_;  ///< behind what is written
  std::size_t written_ = 0;
};

/// Takes values that a PageWriter has laid down, field by field in the same order.
class PageReader {
 public:
  /// @throws PagesError  it is no such memory, or it cannot be mapped.
  explicit PageReader(const Descriptor& file);
  ~PageReader();
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  /// @throws PagesError  it ends before.
  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }

 private:
  template <PlainNumber T>
  void field(T& value) {
    get(std::as_writable_bytes(std::span{&value, 1}));
  }
  void field(bool& value) {
    std::uint8_t number = 0;
    field(number);
    value = number != 0;
  }
  void field(std::string& text) {
    text.resize(count(1));
    get(std::as_writable_bytes(std::span{text}));
  }
  template <class T>
  void field(std::vector<T>& values) {
    if constexpr (PlainNumber<T>) {
      get_array(values);
    } else {
      values.resize(count(0));
      for (T& value : values) field(value);
    }
  }
  template <class T, std::size_t n>
  void field(std::array<T, n>& values) {
    for (T& value : values) field(value);
  }
  template <class T>
  requires(!PlainNumber<T>) void field(T& value) { walk_fields(*this, value); }

  /// Some elements at a time, whose pages are mapped before the next ones come: at no time a long
  /// array is there twice.
  template <class T>
  void get_array(std::vector<T>& values) {
    const std::size_t size = count(sizeof(T));
    values.clear();
    const std::span<const std::byte> bytes = begin_array(size * sizeof(T));
    const auto* const source = reinterpret_cast<const T*>(bytes.data());
    if (bytes.size() < least_shared_bytes) {
      values.assign(source, source + size);
      return;
    }
    values.reserve(size);
    constexpr std::size_t step = least_shared_bytes / sizeof(T);
    for (std::size_t begin = 0; begin < size; begin += step) {
      const std::size_t end = begin + step < size ? begin + step : size;
      values.insert(values.end(), source + begin, source + end);
      map_pages(std::as_bytes(std::span{values}), begin * sizeof(T), bytes);
    }
  }

  [[nodiscard]] std::size_t count(std::size_t bytes_each);
  void get(std::span<std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> begin_array(std::size_t size);
  /// @param array  as far as it is there; from `begin` on its pages are not mapped yet.
  void map_pages(std::span<const std::byte> array, std::size_t begin,
                 std::span<const std::byte> laid_down) const;

  int file_;
  std::span<const std::byte> all_;
  std::size_t place_ = 0;
};

}  // namespace fairfront::base
