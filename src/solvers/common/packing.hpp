/// @file
/// The bytes of a method's state, to be kept over the end of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace fairfront::solvers {

/// Appends numbers and arrays in this machine's byte order; a state never leaves the binary that
/// wrote it.
class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void number(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void array(std::span<const T> values) {
    number(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void raw(std::string_view text) { bytes_ += text; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads them back. @throws base::CheckpointError  there are fewer bytes than wanted.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_{bytes} {}

  [[nodiscard]] std::string_view raw(std::size_t length) {
    if (length > rest_.size()) throw base::CheckpointError("a checkpoint ends too early");
    const std::string_view part = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return part;
  }
  template <class T>
  [[nodiscard]] T number() {
    T value;
    std::memcpy(&value, raw(sizeof value).data(), sizeof value);
    return value;
  }
  template <class Container>
  [[nodiscard]] Container array() {
    Container values;
    append_array(values);
    return values;
  }
  /// The same, behind the values that are there.
  template <class Container>
  void append_array(Container& values) {
    using Value = typename Container::value_type;
    const auto count = number<std::uint64_t>();
    if (count > rest_.size() / sizeof(Value)) {
      throw base::CheckpointError("a checkpoint ends too early");
    }
    const std::size_t there = values.size();
    values.resize(there + count);
    const std::string_view part = raw(count * sizeof(Value));
    if (count > 0) std::memcpy(values.data() + there, part.data(), part.size());
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// What was not read yet.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace fairfront::solvers
