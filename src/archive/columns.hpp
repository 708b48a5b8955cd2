/// @file
/// Internal: columns, texts and attributes of an HDF5 file. Every data set is chunked and carries
/// a Fletcher32 checksum; readers check type, shape and size before they allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// ---- writing

/// A group that keeps the order in which its members are created, without a time stamp.
[[nodiscard]] Node create_group(const Node& parent, std::string_view name);

/// One row per element of `values`, or rows of `columns` elements where columns > 0.
/// T: std::uint8_t, std::uint16_t, std::int32_t, std::int64_t or double.
template <class T>
Node write_numbers(const Node& parent, std::string_view name, std::span<const T> values,
                   Packing packing = Packing::deflated, std::int64_t columns = 0);

/// Fixed-length UTF-8, padded with NUL to the longest text: unlike variable-length text, which
/// lives in a heap outside the data set, it is covered by the checksum.
Node write_texts(const Node& parent, std::string_view name, std::span<const std::string> values);

void write_attribute(const Node& node, const char* name, const std::string& value);
void write_attribute(const Node& node, const char* name, std::int64_t value);
void write_attribute(const Node& node, const char* name, std::span<const std::string> values);

/// Makes `scale` the dimension scale called `name`.
void make_scale(const Node& scale, const char* name);
void attach_scale(const Node& node, unsigned dimension, const Node& scale);
void label_dimension(const Node& node, unsigned dimension, const char* label);

// ---- reading: Hdf5Error when something is missing, DamagedError when it is not what it should be

[[nodiscard]] Node open_node(const Node& parent, std::string_view name);

/// Names in a group, in order of creation.
[[nodiscard]] std::vector<std::string> member_names(const Node& group);

/// The data set holds elements of exactly this type.
template <class T>
[[nodiscard]] bool holds(const Node& data_set);

/// What write_numbers wrote; the number of columns must be `columns`.
template <class T>
[[nodiscard]] std::vector<T> read_numbers(const Node& parent, std::string_view name,
                                          std::int64_t columns = 0);
[[nodiscard]] std::vector<std::string> read_texts(const Node& parent, std::string_view name);

[[nodiscard]] std::string read_text_attribute(const Node& node, const char* name);
[[nodiscard]] std::int64_t read_integer_attribute(const Node& node, const char* name);
[[nodiscard]] std::vector<std::string> read_texts_attribute(const Node& node, const char* name);

}  // namespace fairfront::archive
