#include "journal/cbor.hpp"

#include <array>
#include <bit>
#include <stdexcept>

namespace fairfront::journal {
namespace {

// A long byte string within the bytes that were passed over.
struct LongString {
  std::size_t head = 0;   // where its head begins,
  std::size_t begin = 0;  // and its content
  std::size_t length = 0;
};

// The library's parser calls itself for every level of nesting, also of strings that come in
// pieces, so bytes that nobody of us wrote could exhaust the stack. What we write is a small part
// of CBOR: lengths in front, few levels, no tags. Only that goes on to the parser.
class PlainCbor {
 public:
  explicit PlainCbor(ByteView bytes) : whole_{bytes}, rest_{bytes} {}

  // Whether a value begins here that we could have written; it is passed over.
  bool pass_value(int depth = 0) {
    if (rest_.empty() || depth > deepest) return false;
    const std::size_t head = position();
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    std::uint64_t argument = 0;
    if (!take_argument(first & 0x1fU, argument)) return false;
    switch (first >> 5U) {
      case 0:  // whole numbers; of 7, floating-point numbers and truth values
      case 1:
      case 7:
        return true;
      case 2:
        return pass_byte_string(head, argument);
      case 3:
        return pass_bytes(argument);
      case 4:
        return pass_values(argument, depth + 1);
      case 5:
        return argument <= rest_.size() && pass_values(2 * argument, depth + 1);
      default:
        return false;
    }
  }
  [[nodiscard]] const std::vector<LongString>& long_strings() const { return long_strings_; }

 private:
  static constexpr int deepest = 16;

  [[nodiscard]] std::size_t position() const { return whole_.size() - rest_.size(); }

  // The number that belongs to the first byte. 28 and more: of unknown length, or not defined.
  bool take_argument(unsigned information, std::uint64_t& argument) {
    argument = information;
    if (information < 24) return true;
    const std::size_t length = information < 28 ? std::size_t{1} << (information - 24) : 0;
    if (length == 0 || length > rest_.size()) return false;
    argument = 0;
    for (const std::uint8_t byte : rest_.first(length)) argument = argument << 8U | byte;
    rest_ = rest_.subspan(length);
    return true;
  }
  bool pass_byte_string(std::size_t head, std::uint64_t count) {
    const std::size_t begin = position();
    if (!pass_bytes(count)) return false;
    if (count >= long_byte_string) long_strings_.push_back({head, begin, count});
    return true;
  }
  bool pass_bytes(std::uint64_t count) {
    if (count > rest_.size()) return false;
    rest_ = rest_.subspan(count);
    return true;
  }
  bool pass_values(std::uint64_t count, int depth) {
    if (count > rest_.size()) return false;  // each has a byte at least
    for (; count > 0; --count) {
      if (!pass_value(depth)) return false;
    }
    return true;
  }

  ByteView whole_;
  ByteView rest_;
  std::vector<LongString> long_strings_;
};

PlainCbor require_plain(ByteView bytes) {
  PlainCbor plain{bytes};
  if (!plain.pass_value()) {
    throw Json::other_error::create(501, "not what fairfront writes", nullptr);
  }
  return plain;
}

void append(ByteView bytes, Bytes& out) { out.insert(out.end(), bytes.begin(), bytes.end()); }

// A place is a tagged byte string of two numbers. No tag of somebody else can be taken for it:
// PlainCbor lets none pass.
constexpr std::uint8_t place_tag = 1;
using Place = std::array<std::uint64_t, 2>;  // begin and length

void put_place(const LongString& found, Bytes& out) {
  constexpr std::uint8_t tag_in_next_byte = 0xd8;
  out.push_back(tag_in_next_byte);
  out.push_back(place_tag);
  put_cbor_head(CborKind::bytes, sizeof(Place), out);
  append(std::bit_cast<std::array<std::uint8_t, sizeof(Place)>>(Place{found.begin, found.length}),
         out);
}

// The same CBOR with places for long byte strings.
Bytes outline_of(ByteView bytes, const std::vector<LongString>& long_strings) {
  Bytes outline;
  std::size_t done = 0;
  for (const LongString& found : long_strings) {
    append(bytes.subspan(done, found.head - done), outline);
    put_place(found, outline);
    done = found.begin + found.length;
  }
  append(bytes.subspan(done), outline);  // with what is behind the value: the parser refuses it
  return outline;
}

}  // namespace

void to_cbor(const Json& value, Bytes& out) { Json::to_cbor(value, out); }

Json from_cbor(ByteView bytes) {
  require_plain(bytes);
  return Json::from_cbor(bytes.data(), bytes.data() + bytes.size());
}

Json from_cbor_in_place(ByteView bytes) {
  const PlainCbor plain = require_plain(bytes);
  const Bytes outline = outline_of(bytes, plain.long_strings());
  return Json::from_cbor(outline.begin(), outline.end(), true, true,
                         Json::cbor_tag_handler_t::store);
}

ByteView byte_string(const Json& value, ByteView whole) {
  const auto& bytes = value.get_ref<const Json::binary_t&>();
  if (!bytes.has_subtype()) return bytes;
  Place place{};
  if (bytes.size() != sizeof place) throw std::logic_error("a byte string with a tag");
  std::memcpy(place.data(), bytes.data(), sizeof place);
  if (place[0] > whole.size() || place[1] > whole.size() - place[0]) {
    throw std::logic_error("a byte string whose bytes were not given");
  }
  return whole.subspan(place[0], place[1]);
}

void put_cbor_head(CborKind kind, std::uint64_t length, Bytes& out) {
  constexpr std::uint64_t longest_in_first_byte = 0x17;
  constexpr unsigned in_next_byte = 0x18;  // then in two, four, eight bytes
  const auto first = static_cast<unsigned>(kind);
  if (length <= longest_in_first_byte) {
    out.push_back(static_cast<std::uint8_t>(first | length));
    return;
  }
  unsigned power = 0;  // of two: how many bytes
  while (power < 3 && length >> (8U << power) != 0) ++power;
  out.push_back(static_cast<std::uint8_t>(first | (in_next_byte + power)));
  for (unsigned bits = 8U << power; bits > 0; bits -= 8) {
    out.push_back(static_cast<std::uint8_t>(length >> (bits - 8)));
  }
}

}  // namespace fairfront::journal
