/// @file
/// Internal: columns, texts and attributes of an archive that may have been changed. Types, shapes
/// and sizes are looked at before anything is allocated. What has been taken is marked.
///
/// @throws base::DamagedError  all of them: something is missing, or not what it should be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/dimensions.hpp"
#include "archive/stored_tree.hpp"

namespace fairfront::archive {

/// The member of a group.
[[nodiscard]] StoredObject& take(StoredObject& group, std::string_view name);
[[nodiscard]] StoredObject& take_group(StoredObject& group, std::string_view name);

/// Whether the data set holds elements of exactly this type.
template <class T>
[[nodiscard]] bool holds(const StoredObject& data_set);

/// What write_numbers wrote; rows must have this shape.
/// T: std::uint8_t, std::uint16_t, std::int32_t, std::int64_t or double.
template <class T>
[[nodiscard]] std::vector<T> read_numbers(StoredObject& data_set, const RowShape& row = {});

/// What write_texts wrote.
[[nodiscard]] std::vector<std::string> read_texts(StoredObject& data_set);

[[nodiscard]] std::string take_text(StoredObject& object, std::string_view name);
[[nodiscard]] std::int64_t take_integer(StoredObject& object, std::string_view name);
[[nodiscard]] std::vector<std::string> take_texts(StoredObject& object, std::string_view name);

[[nodiscard]] bool has_attribute(const StoredObject& object, std::string_view name);

/// An attribute that follows from the rest: it must say this.
void require_texts(StoredObject& object, std::string_view name,
                   std::span<const std::string> expected);

}  // namespace fairfront::archive
