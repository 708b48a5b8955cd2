#include "journal/frame.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "journal/cbor.hpp"

namespace fairfront::journal {
namespace {

static_assert(std::endian::native == std::endian::little, "the journal stores numbers as they are");

constexpr std::int64_t journal_version = 1;

std::string format_name(const std::string& kind) { return "fairfront journal " + kind; }

std::uint32_t number_at(ByteView bytes, std::size_t position) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + position, sizeof number);
  return number;
}

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[n][b]: what byte b leaves of the polynomial when n zero bytes follow it.
constexpr CrcTables crc_tables() {
  constexpr std::uint32_t reflected = 0x82F63B78;
  CrcTables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? reflected : 0);
    tables[0][b] = crc;
  }
  for (std::size_t n = 1; n < tables.size(); ++n) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[n - 1][b];
      tables[n][b] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

}  // namespace

FrameHeader frame_header_of(ByteView payload) {
  if (payload.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw base::InputError(
        fmt::format("a record of the journal has {} bytes, must be < 4 GiB", payload.size()));
  }
  FrameHeader header{};
  auto put = [&header](std::size_t position, std::uint32_t number) {
    std::memcpy(header.data() + position, &number, sizeof number);
  };
  put(0, static_cast<std::uint32_t>(payload.size()));
  put(4, crc32c(payload));
  put(8, crc32c(ByteView{header}.first(8)));
  return header;
}

std::optional<FrameInfo> read_frame_header(ByteView bytes) {
  if (bytes.size() < frame_header_bytes) return std::nullopt;
  if (crc32c(bytes.first(8)) != number_at(bytes, 8)) return std::nullopt;
  return FrameInfo{number_at(bytes, 0), number_at(bytes, 4)};
}

Bytes kind_frame(const std::string& kind) {
  Bytes payload;
  to_cbor({{"format", format_name(kind)}, {"version", journal_version}}, payload);
  const FrameHeader header = frame_header_of(payload);
  payload.insert(payload.begin(), header.begin(), header.end());
  return payload;
}

std::optional<FileKind> read_kind(ByteView payload) {
  try {
    const Json kind = from_cbor(payload);
    return FileKind{kind.at("format").get<std::string>(), kind.at("version").get<std::int64_t>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string why_unreadable(const FileKind& found, const std::string& kind) {
  if (found.format != format_name(kind)) {
    return fmt::format("it is a '{}', not a '{}'", found.format, format_name(kind));
  }
  if (found.version == journal_version) return "";
  return fmt::format("it was written by a {} version of fairfront (format {}, this one reads {})",
                     found.version > journal_version ? "newer" : "older", found.version,
                     journal_version);
}

bool is_newer(const FileKind& found, const std::string& kind) {
  return found.format == format_name(kind) && found.version > journal_version;
}

/// Eight bytes at a time by eight tables (M. E. Kounavis, F. L. Berry, 2008): a table more for
/// every byte that still follows.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  static constexpr CrcTables tables = crc_tables();
  std::uint32_t crc = 0xFFFFFFFF;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    word ^= crc;
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      crc ^= tables[7 - byte][(word >> (8 * byte)) & 0xFF];
    }
  }
  for (; i < bytes.size(); ++i) crc = crc >> 8 ^ tables[0][(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

}  // namespace fairfront::journal
