/// @file
/// Internal: a stored struct as CBOR, by its list of fields.
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "journal/cbor.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"

namespace fairfront::journal {

template <class Type>
inline constexpr bool is_numbers = false;
template <class Number>
inline constexpr bool is_numbers<std::vector<Number>> = std::is_arithmetic_v<Number>;

/// One member per field: columns of numbers as byte strings, everything else as it is.
template <class Struct>
Json fields_to_json(const Struct& value) {
  Json json = Json::object();
  results::for_each_field<Struct>([&](const auto& field) {
    const auto& content = value.*field.member;
    using Type = std::remove_cvref_t<decltype(content)>;
    Json& place = json[std::string{field.name}];
    if constexpr (std::is_enum_v<Type>) {
      place = static_cast<int>(content);
    } else if constexpr (is_numbers<Type>) {
      place = pack(content);
    } else {
      place = content;
    }
  });
  return json;
}

/// @param whole  see byte_string.
/// @throws Json::exception  a field is missing or of another type.
/// @throws base::DamagedError  an enumerator that does not exist.
template <class Struct>
void fields_from_json(const Json& json, Struct& value, ByteView whole = {}) {
  results::for_each_field<Struct>([&](const auto& field) {
    auto& content = value.*field.member;
    using Type = std::remove_cvref_t<decltype(content)>;
    const Json& place = json.at(std::string{field.name});
    if constexpr (std::is_enum_v<Type>) {
      const int number = place.get<int>();
      if (number < 0 || number >= std::ssize(results::names_of<Type>())) {
        throw base::DamagedError(fmt::format("{} is {}", field.name, number));
      }
      content = static_cast<Type>(number);
    } else if constexpr (is_numbers<Type>) {
      content = unpack<typename Type::value_type>(place, whole);
    } else {
      place.get_to(content);
    }
  });
}

}  // namespace fairfront::journal
