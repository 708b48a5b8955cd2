/// @file
/// Internal: writes columns, texts and attributes of an HDF5 file. Every data set is chunked and
/// carries a Fletcher32 checksum. All text has a fixed length: nothing lives in a heap outside its
/// object, where no checksum covers it and a reader has to follow addresses. How they are read is
/// in stored_columns.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/dimensions.hpp"
#include "archive/handle.hpp"

namespace fairfront::archive {

/// An open group or data set and its path for messages.
struct Node {
  Object object;
  std::string path;
  [[nodiscard]] hid_t id() const noexcept { return object.get(); }
};

/// Doubles hardly shrink, so only what the format asks for is deflated.
enum class Packing { plain, deflated };

/// A property of groups: links and attributes stand in the group's header, however many.
void keep_all_in_header(const PropertyList& group, const std::string& path);

/// A group that keeps the order in which its members are created, without a time stamp.
[[nodiscard]] Node create_group(const Node& parent, std::string_view name);

/// @param row  dimensions >= 1 of a row, at most 3.
/// T: std::uint8_t, std::uint16_t, std::int32_t, std::int64_t or double.
template <class T>
Node write_numbers(const Node& parent, std::string_view name, std::span<const T> values,
                   Packing packing = Packing::deflated, const RowShape& row = {});

/// UTF-8, padded with NUL to the longest text.
Node write_texts(const Node& parent, std::string_view name, std::span<const std::string> values);

/// Attributes stand in the header of their object, which holds less than 64 KiB of each.
void write_attribute(const Node& node, const char* name, const std::string& value);
void write_attribute(const Node& node, const char* name, std::int64_t value);
void write_attribute(const Node& node, const char* name, std::span<const std::string> values);

}  // namespace fairfront::archive
