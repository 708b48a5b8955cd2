/// @file
/// Internal: the objects of an archive file, read without the HDF5 library.
///
/// HDF5 1.10.8 follows lengths, types and addresses of a file without looking at them first: a
/// changed file whose checksums are right again crashes it or makes it hang, and no seal helps
/// against somebody who makes a seal. What we write is a small part of HDF5's format, so its reader
/// is short, and every length is compared with the bytes that there are before it is followed:
///
/// - superblock version 2 behind the seal; object headers of version 2 with their checksums;
/// - groups with all links in the header, every one to an object of its own in the same file;
/// - attributes in the header, of fixed length;
/// - data sets of one to four dimensions in chunks of whole rows, each with a Fletcher32 checksum,
///   plain or shuffled and deflated, found by a B-tree of version 1.
///
/// Nothing is stored twice: parts that overlap are damage, so that a file cannot claim to hold more
/// than its bytes can. The HDF5 library writes it so for readers from 1.8 on; see HDF5 File Format
/// Specification, version 3.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairfront::archive {

using ByteSpan = std::span<const std::byte>;

/// What one element is.
struct ElementType {
  enum class Kind { text, unsigned_integer, integer, real, other };
  Kind kind = Kind::other;
  std::size_t bytes = 0;  ///< >= 1
  bool operator==(const ElementType&) const = default;
};

struct StoredAttribute {
  std::string name;
  ElementType type;
  std::vector<std::uint64_t> shape;  ///< empty: one value
  ByteSpan values;                   ///< product of the shape times bytes of the type
  bool taken = false;                ///< somebody has asked for it
};

/// A piece of a data set's rows.
struct StoredChunk {
  std::uint64_t first_row = 0;
  std::uint32_t skipped_filters = 0;  ///< bit i: filter i was not applied
  ByteSpan bytes;
};

/// How the rows of a data set are stored.
struct StoredRows {
  ElementType type;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> chunk_shape;
  std::vector<std::uint16_t> filters;  ///< HDF5's numbers, in the order of writing
  std::vector<StoredChunk> chunks;     ///< ascending
};

/// A group or a data set.
struct StoredObject {
  std::string path;
  bool is_group = false;
  bool taken = false;
  std::vector<StoredAttribute> attributes;
  std::vector<std::string> names;     ///< of a group's members, in order of creation
  std::vector<StoredObject> members;  ///< as many
  std::unordered_map<std::string, std::size_t> place_of;  ///< index of a name
  StoredRows rows;                                        ///< of a data set
};

/// The root group with everything below it. Views point into `file`.
/// @param file  the HDF5 part: what follows the seal.
/// @throws base::DamagedError  anything that this program does not write.
[[nodiscard]] StoredObject read_tree(ByteSpan file);

/// Paths of objects, and "path@name" of attributes, that nobody has taken.
[[nodiscard]] std::vector<std::string> untaken(const StoredObject& root);

}  // namespace fairfront::archive
