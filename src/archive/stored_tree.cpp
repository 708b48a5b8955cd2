#include "archive/stored_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>
#include <utility>

#include "archive/byte_cursor.hpp"
#include "archive/hdf5_checksums.hpp"
#include "archive/seal.hpp"
#include "base/error.hpp"

namespace fairfront::archive {
namespace {

constexpr std::uint64_t undefined = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t checksum_bytes = 4;

enum MessageType : std::uint8_t {
  nil = 0x00,
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  fill_value = 0x05,
  link = 0x06,
  layout = 0x08,
  group_info = 0x0a,
  filter_pipeline = 0x0b,
  attribute = 0x0c,
  continuation = 0x10,
  attribute_info = 0x15,
};

struct Message {
  std::uint8_t type = nil;
  ByteSpan bytes;
};

// ---- parts of a header

constexpr std::uint8_t most_dimensions = 4;  // those of a measure

std::vector<std::uint64_t> shape_of(ByteCursor& cursor, std::string_view place) {
  const bool known = cursor.byte() == 2;
  const std::uint8_t rank = cursor.byte();
  const std::uint8_t flags = cursor.byte();
  const std::uint8_t type = cursor.byte();
  if (!known || rank > most_dimensions || flags > 1 || type != (rank > 0 ? 1 : 0)) {
    damaged(place, "has the wrong shape");
  }
  std::vector<std::uint64_t> shape;
  for (std::uint8_t i = 0; i < rank; ++i) shape.push_back(cursor.number(8));
  cursor.pass(flags * 8ULL * rank);  // how far it may be extended
  return shape;
}

// Numbers are little endian and have no padding; anything else is of kind other.
ElementType number_type(ElementType::Kind kind, std::uint32_t bits, std::size_t bytes,
                        ByteSpan properties) {
  const auto is = [&](std::initializer_list<unsigned> expected) {
    return std::ranges::equal(properties, expected, {},
                              [](std::byte b) { return std::to_integer<unsigned>(b); });
  };
  const auto width = static_cast<unsigned>(8 * bytes);
  constexpr std::uint32_t is_signed = 0x08;
  constexpr std::uint32_t ieee_double =
      0x3f20;  // sign in bit 63, leading 1 of the mantissa implied
  if (kind == ElementType::Kind::real) {
    const bool ieee =
        bits == ieee_double && bytes == 8 && is({0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0});
    return {ieee ? kind : ElementType::Kind::other, bytes};
  }
  const bool whole = bytes <= 8 && is({0, 0, width, 0});
  if (whole && bits == is_signed) return {ElementType::Kind::integer, bytes};
  return {whole && bits == 0 ? ElementType::Kind::unsigned_integer : ElementType::Kind::other,
          bytes};
}

ElementType type_of(ByteCursor& cursor) {
  const std::uint8_t class_and_version = cursor.byte();
  const auto bits = static_cast<std::uint32_t>(cursor.number(3));
  const auto bytes = static_cast<std::size_t>(cursor.number(4));
  if (bytes == 0) cursor.fail();
  switch (class_and_version & 0x0fU) {
    case 0:
      return number_type(ElementType::Kind::unsigned_integer, bits, bytes,
                         cursor.take(std::min<std::size_t>(cursor.left(), 4)));
    case 1:
      return number_type(ElementType::Kind::real, bits, bytes,
                         cursor.take(std::min<std::size_t>(cursor.left(), 12)));
    case 3: {
      constexpr std::uint32_t utf8_padded_with_nul = 0x11;
      return {bits == utf8_padded_with_nul ? ElementType::Kind::text : ElementType::Kind::other,
              bytes};
    }
    default:
      return {ElementType::Kind::other, bytes};
  }
}

// Nothing when it is more than can be.
std::uint64_t product(std::span<const std::uint64_t> factors, std::uint64_t factor) {
  for (const std::uint64_t next : factors) {
    if (__builtin_mul_overflow(factor, next, &factor)) return undefined;
  }
  return factor;
}

StoredAttribute attribute_of(ByteSpan bytes, const std::string& path) {
  ByteCursor cursor{bytes, path};
  const bool known = cursor.byte() == 3 && cursor.byte() == 0;
  if (!known) damaged(path, "has an attribute that is not stored as fairfront stores it");
  const std::uint64_t name_length = cursor.number(2);
  const std::uint64_t type_length = cursor.number(2);
  const std::uint64_t space_length = cursor.number(2);
  cursor.pass(1);  // encoding of the name
  const ByteSpan name = cursor.take(name_length);
  StoredAttribute found;
  for (const std::byte letter : name) found.name += static_cast<char>(letter);
  if (found.name.size() < 2 || found.name.find('\0') != found.name.size() - 1) cursor.fail();
  found.name.pop_back();
  const std::string place = fmt::format("{}@{}", path, found.name);
  ByteCursor type{cursor.take(type_length), place};
  ByteCursor space{cursor.take(space_length), place};
  found.type = type_of(type);
  found.shape = shape_of(space, place);
  const std::uint64_t length = product(found.shape, found.type.bytes);
  if (length > cursor.left()) damaged(place, "is longer than what the file stores of it");
  found.values = cursor.take(length);
  return found;
}

std::vector<std::uint16_t> filters_of(ByteSpan bytes, std::string_view place) {
  ByteCursor cursor{bytes, place};
  if (cursor.byte() != 2) cursor.fail();
  std::vector<std::uint16_t> filters;
  for (std::uint8_t count = cursor.byte(); count > 0; --count) {
    const auto number = static_cast<std::uint16_t>(cursor.number(2));
    constexpr std::uint16_t first_with_a_name = 256;
    if (number >= first_with_a_name) damaged(place, "is packed by a filter that is not HDF5's own");
    filters.push_back(number);
    cursor.pass(2);  // flags
    cursor.pass(4 * cursor.number(2));
  }
  return filters;
}

struct Link {
  std::string name;
  std::uint64_t order = 0;
  std::uint64_t address = 0;
};

Link link_of(ByteSpan bytes, const std::string& path) {
  ByteCursor cursor{bytes, path};
  if (cursor.byte() != 1) cursor.fail();
  const std::uint8_t flags = cursor.byte();
  const std::uint8_t kind = (flags & 0x08U) != 0 ? cursor.byte() : 0;
  Link found;
  if ((flags & 0x04U) != 0) found.order = cursor.number(8);
  if ((flags & 0x10U) != 0) cursor.pass(1);  // encoding of the name
  const ByteSpan name = cursor.take(cursor.number(std::size_t{1} << (flags & 0x03U)));
  for (const std::byte letter : name) found.name += static_cast<char>(letter);
  if (found.name.empty() || found.name.find('\0') != std::string::npos) cursor.fail();
  // Other readers would take it for a path, and find another object or none.
  if (found.name.find('/') != std::string::npos || found.name == "." || found.name == "..") {
    damaged(path, fmt::format("'{}' is not a usable name", found.name));
  }
  if (kind != 0) {
    damaged(fmt::format("{}/{}", path == "/" ? "" : path, found.name),
            "is a link to another place or file, not an object of the archive");
  }
  found.address = cursor.number(8);
  return found;
}

// ---- the file

class TreeReader {
 public:
  explicit TreeReader(ByteSpan file) : file_{file} {}

  StoredObject read() {
    StoredObject root = read_object(read_superblock(), "/", 0);
    require_no_overlap();
    return root;
  }

 private:
  // Bytes that belong to one part of the file and to no other.
  ByteSpan claim(std::uint64_t address, std::uint64_t length, std::string_view place) {
    if (address > file_.size() || length > file_.size() - address) {
      damaged(place, "claims more bytes than the file has");
    }
    claims_.emplace_back(address, address + length);
    return file_.subspan(static_cast<std::size_t>(address), static_cast<std::size_t>(length));
  }
  // As above for parts that lead to others, which could lead back.
  ByteSpan claim_once(std::uint64_t address, std::uint64_t length, std::string_view place) {
    if (!visited_.insert(address).second)
      damaged(place, "is stored in the place of another object");
    return claim(address, length, place);
  }
  void require_no_overlap() {
    std::ranges::sort(claims_);
    const auto overlapping = std::ranges::adjacent_find(
        claims_, [](const auto& a, const auto& b) { return b.first < a.second; });
    if (overlapping != claims_.end()) damaged("/", "parts of the file overlap");
  }

  [[nodiscard]] ByteSpan rest_from(std::uint64_t address, std::string_view place) const {
    if (address > file_.size()) damaged(place, "claims more bytes than the file has");
    return file_.subspan(static_cast<std::size_t>(address));
  }

  // All before its last four bytes, which are the checksum of the others.
  static ByteSpan without_checksum(ByteSpan bytes, std::string_view place) {
    if (bytes.size() < checksum_bytes) damaged(place, "its HDF5 structure is damaged");
    const ByteSpan body = bytes.first(bytes.size() - checksum_bytes);
    ByteCursor checksum{bytes.last(checksum_bytes), place};
    if (checksum.number(checksum_bytes) != lookup3(body)) {
      damaged(place, "a checksum in its header is wrong");
    }
    return body;
  }

  // Where the root group is.
  std::uint64_t read_superblock() {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    constexpr std::size_t length = 48;
    const std::string_view place = "HDF5 superblock";
    ByteCursor cursor{without_checksum(claim(0, length, place), place), place};
    cursor.expect(signature);
    const bool known = cursor.byte() == 2 && cursor.byte() == 8 && cursor.byte() == 8;
    cursor.pass(1);  // flags about access
    const std::uint64_t base = cursor.number(8);
    const std::uint64_t extension = cursor.number(8);
    const std::uint64_t end = cursor.number(8);
    if (!known || base != seal_bytes || extension != undefined || end > seal_bytes + file_.size()) {
      cursor.fail();
    }
    return cursor.number(8);
  }

  std::vector<Message> read_messages(std::uint64_t address, const std::string& path) {
    ByteCursor start{rest_from(address, path), path};
    start.expect("OHDR");
    if (start.byte() != 2) start.fail();
    const std::uint8_t flags = start.byte();
    constexpr unsigned has_times = 0x20;
    constexpr unsigned has_limits = 0x10;
    if ((flags & has_times) != 0) start.pass(16);
    if ((flags & has_limits) != 0) start.pass(4);
    const std::uint64_t size = start.number(std::size_t{1} << (flags & 0x03U));
    if (size > start.left()) start.fail();
    const ByteSpan whole =
        without_checksum(claim_once(address, start.taken() + size + checksum_bytes, path), path);
    std::vector<ByteSpan> blocks{whole.subspan(start.taken())};
    std::vector<Message> messages;
    const bool with_order = (flags & 0x04U) != 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      split(blocks[i], with_order, path, messages, blocks);
    }
    return messages;
  }

  // The messages in one block of a header; blocks to which they lead are put behind the others.
  void split(ByteSpan block, bool with_order, const std::string& path,
             std::vector<Message>& messages, std::vector<ByteSpan>& blocks) {
    const std::size_t head = with_order ? 6 : 4;
    ByteCursor cursor{block, path};
    while (cursor.left() >= head) {
      Message message;
      message.type = cursor.byte();
      const std::uint64_t length = cursor.number(2);
      const std::uint8_t flags = cursor.byte();
      cursor.pass(head - 4);
      message.bytes = cursor.take(length);
      constexpr unsigned is_shared = 0x02;
      if ((flags & is_shared) != 0) damaged(path, "shares a part with another object");
      if (message.type == continuation) {
        blocks.push_back(read_continuation(message.bytes, path));
      } else if (message.type != nil) {
        messages.push_back(message);
      }
    }
  }

  ByteSpan read_continuation(ByteSpan message, const std::string& path) {
    ByteCursor cursor{message, path};
    const std::uint64_t address = cursor.number(8);
    const ByteSpan whole = claim_once(address, cursor.number(8), path);
    ByteCursor block{without_checksum(whole, path), path};
    block.expect("OCHK");
    return block.take(block.left());
  }

  StoredObject read_object(std::uint64_t address, const std::string& path, int depth) {
    constexpr int deepest = 8;
    if (depth > deepest) damaged(path, "is nested too deep");
    StoredObject object;
    object.path = path;
    const std::vector<Message> messages = read_messages(address, path);
    const auto has = [&](std::uint8_t type) {
      return std::ranges::find(messages, type, &Message::type) != messages.end();
    };
    object.is_group = has(link_info);
    if (object.is_group == has(layout)) damaged(path, "is neither a group nor a data set");
    read_attributes(messages, object);
    if (object.is_group) {
      read_members(messages, object, depth);
    } else {
      read_data_set(messages, object);
    }
    return object;
  }

  static void read_attributes(const std::vector<Message>& messages, StoredObject& object) {
    for (const Message& message : messages) {
      if (message.type == attribute) {
        object.attributes.push_back(attribute_of(message.bytes, object.path));
      } else if (message.type == attribute_info) {
        require_no_heap(message.bytes, object.path);
      } else {
        require_known(message.type, object.path);
      }
    }
    std::unordered_set<std::string_view> seen;
    for (const StoredAttribute& found : object.attributes) {
      if (!seen.insert(found.name).second) {
        damaged(object.path, fmt::format("has two attributes '{}'", found.name));
      }
    }
  }

  static void require_known(std::uint8_t type, std::string_view path) {
    constexpr std::array known{dataspace, link_info, datatype,   fill_value,
                               link,      layout,    group_info, filter_pipeline};
    if (std::ranges::find(known, type) == known.end()) {
      damaged(path, fmt::format("has a part that fairfront does not write (message {})", type));
    }
  }

  // Both kinds of "info" begin alike: version, flags, the greatest order of creation if it is kept,
  // the address of a heap for what does not stand in the header.
  static void require_no_heap(ByteSpan message, std::string_view path,
                              std::size_t order_bytes = 2) {
    ByteCursor cursor{message, path};
    if (cursor.byte() != 0) cursor.fail();
    const std::uint8_t flags = cursor.byte();
    if ((flags & 0x01U) != 0) cursor.pass(order_bytes);
    if (cursor.number(8) != undefined) damaged(path, "is not stored as fairfront stores it");
  }

  void read_members(const std::vector<Message>& messages, StoredObject& group, int depth) {
    std::vector<Link> links;
    for (const Message& message : messages) {
      if (message.type == link_info) require_no_heap(message.bytes, group.path, 8);
      if (message.type == link) links.push_back(link_of(message.bytes, group.path));
    }
    std::ranges::stable_sort(links, {}, &Link::order);
    for (const Link& found : links) {
      const std::string path =
          fmt::format("{}/{}", group.path == "/" ? "" : group.path, found.name);
      if (!group.place_of.emplace(found.name, group.members.size()).second) {
        damaged(path, "there are two of this name");
      }
      group.names.push_back(found.name);
      group.members.push_back(read_object(found.address, path, depth + 1));
    }
  }

  void read_data_set(const std::vector<Message>& messages, StoredObject& object) {
    bool has_shape = false;
    bool has_type = false;
    const Message* place = nullptr;
    for (const Message& message : messages) {
      ByteCursor cursor{message.bytes, object.path};
      if (message.type == dataspace) {
        has_shape = true;
        object.rows.shape = shape_of(cursor, object.path);
      } else if (message.type == datatype) {
        has_type = true;
        object.rows.type = type_of(cursor);
      } else if (message.type == filter_pipeline) {
        object.rows.filters = filters_of(message.bytes, object.path);
      } else if (message.type == layout) {
        place = &message;
      }
    }
    if (!has_shape || !has_type || place == nullptr || object.rows.shape.empty()) {
      damaged(object.path, "has the wrong shape");
    }
    read_layout(place->bytes, object);
  }

  void read_layout(ByteSpan message, StoredObject& object) {
    StoredRows& rows = object.rows;
    ByteCursor cursor{message, object.path};
    const bool chunked = cursor.byte() == 3 && cursor.byte() == 2;
    if (!chunked || cursor.byte() != rows.shape.size() + 1) {
      damaged(object.path, "is not chunked");
    }
    const std::uint64_t address = cursor.number(8);
    for (std::size_t i = 0; i < rows.shape.size(); ++i) {
      rows.chunk_shape.push_back(cursor.number(4));
      if (rows.chunk_shape.back() == 0) cursor.fail();
    }
    if (cursor.number(4) != rows.type.bytes) cursor.fail();
    if (address == undefined) return;
    constexpr int deepest = 16;
    read_chunks(address, deepest, object);
    std::ranges::sort(rows.chunks, {}, &StoredChunk::first_row);
  }

  // A node of a B-tree of version 1, and those below it.
  void read_chunks(std::uint64_t address, int highest_level, StoredObject& object) {
    const std::string& path = object.path;
    const std::size_t rank = object.rows.shape.size();
    ByteCursor head{rest_from(address, path), path};
    head.expect("TREE");
    const bool of_chunks = head.byte() == 1;
    const std::uint8_t level = head.byte();
    const std::uint64_t count = head.number(2);
    constexpr std::uint64_t most_entries = 64;
    if (!of_chunks || level > highest_level || count > most_entries) head.fail();
    head.pass(16);  // addresses of the neighbours
    const std::size_t key_bytes = 8 + 8 * (rank + 1);
    const std::uint64_t length = head.taken() + count * (key_bytes + 8) + key_bytes;
    ByteCursor cursor{claim_once(address, length, path).subspan(head.taken()), path};
    for (std::uint64_t i = 0; i < count; ++i) {
      StoredChunk chunk;
      const std::uint64_t bytes = cursor.number(4);
      chunk.skipped_filters = static_cast<std::uint32_t>(cursor.number(4));
      chunk.first_row = cursor.number(8);
      for (std::size_t k = 0; k < rank; ++k) {
        if (cursor.number(8) != 0) cursor.fail();  // chunks have whole rows
      }
      const std::uint64_t child = cursor.number(8);
      if (level > 0) {
        read_chunks(child, level - 1, object);
      } else {
        chunk.bytes = claim(child, bytes, path);
        object.rows.chunks.push_back(chunk);
      }
    }
  }

  ByteSpan file_;
  std::unordered_set<std::uint64_t> visited_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> claims_;  ///< [first, last) bytes
};

void add_untaken(const StoredObject& object, std::vector<std::string>& paths) {
  if (!object.taken) {
    paths.push_back(object.path);
    return;
  }
  for (const StoredAttribute& found : object.attributes) {
    if (!found.taken) paths.push_back(fmt::format("{}@{}", object.path, found.name));
  }
  for (const StoredObject& member : object.members) add_untaken(member, paths);
}

}  // namespace

StoredObject read_tree(ByteSpan file) { return TreeReader{file}.read(); }

std::vector<std::string> untaken(const StoredObject& root) {
  std::vector<std::string> paths;
  add_untaken(root, paths);
  return paths;
}

}  // namespace fairfront::archive
