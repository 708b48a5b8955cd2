/// @file
/// Internal: CBOR (RFC 8949) by nlohmann-json, and arrays of numbers as CBOR byte strings: a
/// tenth of the time of an array of CBOR numbers, and every bit is kept, also those of a NaN.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "journal/frame.hpp"

namespace fairfront::journal {

using Json = nlohmann::json;

/// Appends `value` to `out`.
void to_cbor(const Json& value, Bytes& out);

/// @throws Json::exception  not one whole CBOR value, or of a kind that we never write: nested
///     deeper, or of unknown length.
[[nodiscard]] Json from_cbor(ByteView bytes);

/// From this length on byte strings are left where they are by from_cbor_in_place.
inline constexpr std::size_t long_byte_string = 1024;

/// As from_cbor, and refuses the same, but of a long byte string the result has only the place in
/// `bytes`: labels of millions of rows need not be in memory once more. byte_string finds it.
/// @throws Json::exception  as from_cbor.
[[nodiscard]] Json from_cbor_in_place(ByteView bytes);

/// The content of a byte string. `whole` is what from_cbor_in_place was given; from_cbor needs
/// none.
/// @throws Json::exception  not a byte string.
[[nodiscard]] ByteView byte_string(const Json& value, ByteView whole = {});

/// Kinds of CBOR values that begin with a length, as the first byte has them.
enum class CborKind : std::uint8_t { bytes = 0x40, text = 0x60, object = 0xa0 };

/// Appends what stands in front of `length` bytes or members, in the fewest bytes, as to_cbor does.
void put_cbor_head(CborKind kind, std::uint64_t length, Bytes& out);

/// The numbers as a byte string, little endian.
template <class Number>
[[nodiscard]] Json pack(std::span<const Number> numbers) {
  Bytes bytes(numbers.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return Json::binary(std::move(bytes));
}
template <class Number>
[[nodiscard]] Json pack(const std::vector<Number>& numbers) {
  return pack(std::span<const Number>{numbers});
}

/// @param whole  see byte_string.
/// @throws Json::exception  not a byte string of whole numbers.
template <class Number>
[[nodiscard]] std::vector<Number> unpack(const Json& value, ByteView whole = {}) {
  const ByteView bytes = byte_string(value, whole);
  if (bytes.size() % sizeof(Number) != 0) {
    throw Json::other_error::create(501, "not a whole number of elements", &value);
  }
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace fairfront::journal
