/// @file
/// SHA-256 (FIPS 180-4), computed by OpenSSL.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace fairfront::base {

/// A running SHA-256. Text and arrays are added with their length in front, so that no two
/// different sequences of calls hash the same bytes.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add_bytes(std::span<const std::byte> bytes);  ///< raw, without a length
  void add_text(std::string_view text);

  /// Adds the values in this machine's byte order (little endian on every platform we support).
  template <class T>
  requires std::is_arithmetic_v<T>
  void add_values(std::span<const T> values) {
    add_length(values.size());
    add_bytes(std::as_bytes(values));
  }

  /// The same of an array that may be long.
  /// @param between  called between pieces of some milliseconds, such as stop_point().
  template <class T>
  requires std::is_arithmetic_v<T>
  void add_values(std::span<const T> values, void (*between)()) {
    add_length(values.size());
    add_pieces(std::as_bytes(values), between);
  }

  /// The digest as 64 lower-case hexadecimal digits; ends the computation.
  [[nodiscard]] std::string finish();

 private:
  void add_length(std::size_t length);
  void add_pieces(std::span<const std::byte> bytes, void (*between)());
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Digest of the bytes alone, as `sha256sum` prints it.
[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_of(std::string_view bytes);

}  // namespace fairfront::base
