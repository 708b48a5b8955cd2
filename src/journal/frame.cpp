#include "journal/frame.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/crc.hpp>
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

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace fairfront::journal
