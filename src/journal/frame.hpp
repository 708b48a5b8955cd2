/// @file
/// Internal: the frame around everything a journal stores, and the frame that opens each file.
///
/// A frame is the length of the payload (u32), its CRC32C (u32), the CRC32C of those eight bytes
/// (u32), the payload; little endian. With a checksum of its own, a header found sound can be
/// trusted to skip a damaged payload, and no length is believed that nobody wrote.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fairfront::journal {

/// CRC32C (Castagnoli; RFC 3720, appendix B.4), computed by Boost.CRC.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline constexpr std::size_t frame_header_bytes = 12;
using FrameHeader = std::array<std::uint8_t, frame_header_bytes>;

/// @throws base::InputError  the payload has 4 GiB or more, which a frame cannot hold.
[[nodiscard]] FrameHeader frame_header_of(ByteView payload);

/// Length and checksum of a payload, as its frame states them.
struct FrameInfo {
  std::size_t length = 0;
  std::uint32_t payload_crc = 0;
};

/// Nothing when `bytes` does not begin with a whole and undamaged frame header.
[[nodiscard]] std::optional<FrameInfo> read_frame_header(ByteView bytes);

/// The frame that a file of this kind begins with: "fairfront journal <kind>" and a version.
[[nodiscard]] Bytes kind_frame(const std::string& kind);

/// What the first frame of a file says it is.
struct FileKind {
  std::string format;
  std::int64_t version = 0;
};

/// Nothing when the payload is no such statement.
[[nodiscard]] std::optional<FileKind> read_kind(ByteView payload);

/// Empty when we can read this kind of file, else the reason, such as "it was written by a newer
/// version of fairfront (format 2, this one reads 1)".
[[nodiscard]] std::string why_unreadable(const FileKind& found, const std::string& kind);
[[nodiscard]] bool is_newer(const FileKind& found, const std::string& kind);

}  // namespace fairfront::journal
