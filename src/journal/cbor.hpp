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

/// @throws Json::exception  not a byte string of whole numbers.
template <class Number>
[[nodiscard]] std::vector<Number> unpack(const Json& value) {
  const auto& bytes = value.get_ref<const Json::binary_t&>();
  if (bytes.size() % sizeof(Number) != 0) {
    throw Json::other_error::create(501, "not a whole number of elements", &value);
  }
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace fairfront::journal
