// Any bytes as an archive behind a right seal. The checksums of object headers, and of chunks as
// far as they can be found, are made right first, as a forger would.
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/hdf5_checksums.hpp"
#include "archive/reader.hpp"
#include "archive/stored_tree.hpp"
#include "base/error.hpp"
#include "fuzz/require.hpp"
#include "results/front_check.hpp"
#include "results/records.hpp"

namespace {

using namespace fairfront;
using archive::ByteSpan;

class Forger {
 public:
  explicit Forger(std::vector<std::byte>& bytes) : bytes_{bytes} {}

  void make_right() {
    constexpr std::size_t superblock = 44;
    if (bytes_.size() > superblock + 4) put_checksum(0, superblock);
    for (std::size_t at = find(0); at < bytes_.size(); at = find(at + 4)) repair_header(at);
    try {
      for (const archive::StoredObject& member : archive::read_tree(bytes_).members) {
        repair_chunks(member);
      }
    } catch (const base::DamagedError&) {
    }
  }

 private:
  [[nodiscard]] std::size_t find(std::size_t from) const {
    const std::string_view text{reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    return std::min(text.find("OHDR", from), text.size());
  }
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t width) const {
    std::uint64_t value = 0;
    if (at <= bytes_.size() && width <= bytes_.size() - at) {
      std::memcpy(&value, bytes_.data() + at, width);
    }
    return value;
  }
  void put_checksum(std::size_t first, std::size_t length) {
    if (first > bytes_.size() || length > bytes_.size() - first) return;
    if (bytes_.size() - first - length < 4) return;
    const std::uint32_t sum = archive::lookup3(ByteSpan{bytes_}.subspan(first, length));
    std::memcpy(bytes_.data() + first + length, &sum, sizeof sum);
  }
  void repair_header(std::size_t at) {
    const auto flags = static_cast<unsigned>(number(at + 5, 1));
    const std::size_t width = std::size_t{1} << (flags & 3U);
    const std::size_t size_at =
        at + 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
    const std::size_t body = size_at + width;
    const std::uint64_t size = number(size_at, width);
    if (size > bytes_.size()) return;
    put_checksum(at, body - at + size);
    repair_continuations(body, size, (flags & 4U) != 0 ? 6 : 4);
  }
  // Their addresses count from the superblock, which is where the bytes begin.
  void repair_continuations(std::size_t at, std::size_t size, std::size_t head) {
    constexpr std::uint64_t continuation = 0x10;
    for (const std::size_t end = at + size; at + head <= end;) {
      const std::uint64_t length = number(at + 1, 2);
      const std::uint64_t target = number(at + head, 8);
      const std::uint64_t target_length = number(at + head + 8, 8);
      if (number(at, 1) == continuation && target < bytes_.size() && target_length > 8 &&
          target_length < bytes_.size() && depth_ < 8) {
        put_checksum(target, target_length - 4);
        ++depth_;
        repair_continuations(target + 4, target_length - 8, head);
        --depth_;
      }
      at += head + length;
    }
  }
  void repair_chunks(const archive::StoredObject& object) {
    for (const archive::StoredChunk& chunk : object.rows.chunks) {
      if (chunk.bytes.size() < 4) continue;
      const auto at = static_cast<std::size_t>(chunk.bytes.data() - bytes_.data());
      const std::size_t length = chunk.bytes.size() - 4;
      const std::uint32_t sum = archive::fletcher32(ByteSpan{bytes_}.subspan(at, length));
      std::memcpy(bytes_.data() + at + length, &sum, sizeof sum);
    }
    for (const archive::StoredObject& member : object.members) repair_chunks(member);
  }

  std::vector<std::byte>& bytes_;
  int depth_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  Forger{bytes}.make_right();
  try {
    const archive::Stored stored = archive::read_whole(bytes, "fuzz.h5");
    static_cast<void>(results::wrong_fronts(stored.content));
    static_cast<void>(results::records_of(stored.content));
  } catch (const base::DamagedError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
