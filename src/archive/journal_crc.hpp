/// @file
/// Internal: CRC32C (Castagnoli; RFC 3720, appendix B.4), computed by Boost.CRC.
#pragma once

#include <cstdint>
#include <span>

namespace fairfront::archive {

[[nodiscard]] std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

}  // namespace fairfront::archive
