/// @file
/// Internal: writes columns, texts and attributes of an HDF5 file. Every data set is chunked and
/// carries a Fletcher32 checksum. All text has a fixed length: nothing lives in a heap outside its
/// object, where no checksum covers it and a reader has to follow addresses. How they are read is
/// in stored_columns.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/chunk.hpp"
#include "archive/dimensions.hpp"
#include "archive/handle.hpp"

namespace fairfront::archive {

/// An open group or data set and its path for messages.
struct Node {
  Object object;
  std::string path;
  [[nodiscard]] hid_t id() const noexcept { return object.get(); }
};

/// Chunks that take long to deflate, so that the caller may share them out: the file is as the
/// writers leave it, but for these. Which ones wait, and where they come to stand in the file,
/// follows from the columns alone.
class WaitingChunks {
 public:
  struct Chunk {
    ChunkForm form;
    std::string_view rows;  ///< lives as long as the list, or the values of the column
  };

  /// @param first  row of the chunk.
  void add(const Node& data_set, std::size_t first, const ChunkForm& form, std::string_view rows);
  void add(const Node& data_set, std::size_t first, const ChunkForm& form, std::string&& rows) {
    add(data_set, first, form, std::string_view{keep(std::move(rows))});
  }
  /// Holds what a column refers to and nobody else does.
  template <class Values>
  const Values& keep(Values values) {
    auto kept = std::make_shared<const Values>(std::move(values));
    kept_.push_back(kept);
    return *kept;
  }
  [[nodiscard]] const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  /// @param packed  what pack_chunk() makes of the chunk.
  void write(std::size_t place, std::string_view packed) const;

 private:
  struct Target {
    std::shared_ptr<const Node> data_set;
    std::size_t first = 0;
  };
  std::vector<Chunk> chunks_;
  std::vector<Target> targets_;  ///< of each
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Doubles hardly shrink, so only what the format asks for is deflated.
enum class Packing { plain, deflated };

/// A property of groups: links and attributes stand in the group's header, however many.
void keep_all_in_header(const PropertyList& group, const std::string& path);

/// A group that keeps the order in which its members are created, without a time stamp.
[[nodiscard]] Node create_group(const Node& parent, std::string_view name);

/// @param row  dimensions >= 1 of a row, at most 3.
/// @param values  outlive `waiting`.
/// T: std::uint8_t, std::uint16_t, std::int32_t, std::int64_t or double.
template <class T>
Node write_numbers(WaitingChunks& waiting, const Node& parent, std::string_view name,
                   std::span<const T> values, Packing packing = Packing::deflated,
                   const RowShape& row = {});

/// UTF-8, padded with NUL to the longest text.
Node write_texts(WaitingChunks& waiting, const Node& parent, std::string_view name,
                 std::span<const std::string> values);

/// Attributes stand in the header of their object, which holds less than 64 KiB of each.
void write_attribute(const Node& node, const char* name, const std::string& value);
void write_attribute(const Node& node, const char* name, std::int64_t value);
/// In the place of a text of the same length.
void write_attribute_again(const Node& node, const char* name, const std::string& value);
void write_attribute(const Node& node, const char* name, std::span<const std::string> values);

}  // namespace fairfront::archive
