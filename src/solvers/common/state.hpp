/// @file
/// Values as bytes of a method's state, part by part: one list of the parts writes and reads.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::solvers {

/// A value of that class, to be written or to be filled.
template <class Self, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Self>, T>;

template <class T, template <class> class Of>
inline constexpr bool is_made_of = false;
template <class Part, template <class> class Of>
inline constexpr bool is_made_of<Of<Part>, Of> = true;
/// The same of a class of that template.
template <class Self, template <class> class Of>
concept MaybeConstOf = is_made_of<std::remove_const_t<Self>, Of>;

/// A class beside which there is each_part(value, visit), which calls visit(part, part, ..) with
/// all that is to be kept, for a const value as for one that is to be filled.
template <class T>
concept HasParts = requires(T& value) {
  each_part(value, [](auto&...) {});
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Numbers, containers, optional values and classes with parts.
template <class T>
void pack_state(Packer& packer, const T& value) {
  if constexpr (HasParts<const T>) {
    each_part(value, [&](const auto&... parts) { (pack_state(packer, parts), ...); });
  } else if constexpr (is_optional<T>) {
    packer.number(value.has_value());
    if (value) pack_state(packer, *value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    packer.number(value);
  } else {
    if constexpr (std::is_trivially_copyable_v<std::ranges::range_value_t<T>>) {
      packer.array(std::span<const std::ranges::range_value_t<T>>(value));
    } else {
      packer.number(static_cast<std::uint64_t>(std::ranges::size(value)));
      for (const auto& element : value) pack_state(packer, element);
    }
  }
}

/// Reads them back. @throws base::CheckpointError  there are fewer bytes than wanted.
template <class T>
void unpack_state(Unpacker& unpacker, T& value) {
  if constexpr (HasParts<T>) {
    each_part(value, [&](auto&... parts) { (unpack_state(unpacker, parts), ...); });
  } else if constexpr (std::is_same_v<T, bool>) {
    value = unpacker.number<std::uint8_t>() != 0;
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (unpacker.number<std::uint8_t>() != 0) unpack_state(unpacker, value.emplace());
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    value = unpacker.number<T>();
  } else {
    if constexpr (std::is_trivially_copyable_v<std::ranges::range_value_t<T>>) {
      value = unpacker.array<T>();
    } else {
      value.clear();
      for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
        unpack_state(unpacker, value.emplace_back());  // takes a byte at least
      }
    }
  }
}

/// The bytes, behind the name of what they are a state of.
template <class T>
[[nodiscard]] std::string packed_state(std::string_view name, const T& value) {
  Packer packer;
  packer.raw(name);
  pack_state(packer, value);
  return packer.take();
}

/// Of bytes behind that name. @throws base::CheckpointError  they are a state of something else.
[[nodiscard]] inline Unpacker unpacker_behind(std::string_view name, std::string_view bytes) {
  Unpacker unpacker(bytes);
  if (name.size() > bytes.size() || unpacker.raw(name.size()) != name) {
    throw base::CheckpointError("a checkpoint is of another method or another version");
  }
  return unpacker;
}

/// @throws base::CheckpointError  the bytes are not such a state.
template <class T>
void unpack_whole_state(std::string_view name, std::string_view bytes, T& value) {
  Unpacker unpacker = unpacker_behind(name, bytes);
  unpack_state(unpacker, value);
  if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint has more than it should");
}

}  // namespace fairfront::solvers
