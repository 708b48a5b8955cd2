/// @file
/// Internal: reads little-endian numbers from bytes that may be too few.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace fairfront::archive {

[[noreturn]] inline void damaged(std::string_view place, std::string_view rule) {
  throw base::DamagedError(fmt::format("{}: {}", place, rule));
}

/// @throws base::DamagedError  fewer bytes than wanted; every member that takes some.
class ByteCursor {
 public:
  /// @param place  for messages; outlives this object.
  ByteCursor(std::span<const std::byte> bytes, std::string_view place)
      : rest_{bytes}, size_{bytes.size()}, place_{place} {}

  [[nodiscard]] std::span<const std::byte> take(std::uint64_t count) {
    if (count > rest_.size()) fail();
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  void pass(std::uint64_t count) { static_cast<void>(take(count)); }

  /// @param bytes  1 .. 8.
  [[nodiscard]] std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto taken = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
    }
    return value;
  }
  [[nodiscard]] std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }

  void expect(std::string_view text) {
    const auto taken = take(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (static_cast<char>(taken[i]) != text[i]) fail();
    }
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  [[nodiscard]] std::size_t taken() const noexcept { return size_ - rest_.size(); }

  [[noreturn]] void fail() const { damaged(place_, "its HDF5 structure is damaged"); }

 private:
  std::span<const std::byte> rest_;
  std::size_t size_;
  std::string_view place_;
};

}  // namespace fairfront::archive
