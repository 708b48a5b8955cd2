#include "journal/cbor.hpp"

namespace fairfront::journal {
namespace {

// The library's parser calls itself for every level of nesting, also of strings that come in
// pieces, so bytes that nobody of us wrote could exhaust the stack. What we write is a small part
// of CBOR: lengths in front, few levels, no tags. Only that goes on to the parser.
class PlainCbor {
 public:
  explicit PlainCbor(ByteView bytes) : rest_{bytes} {}

  // Whether a value begins here that we could have written; it is passed over.
  bool pass_value(int depth = 0) {
    if (rest_.empty() || depth > deepest) return false;
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

 private:
  static constexpr int deepest = 16;

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

  ByteView rest_;
};

}  // namespace

void to_cbor(const Json& value, Bytes& out) { Json::to_cbor(value, out); }

Json from_cbor(ByteView bytes) {
  if (!PlainCbor{bytes}.pass_value()) {
    throw Json::other_error::create(501, "not what fairfront writes", nullptr);
  }
  return Json::from_cbor(bytes.data(), bytes.data() + bytes.size());
}

}  // namespace fairfront::journal
