/// @file
/// Internal: the two checksums of HDF5's file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fairfront::archive {

/// Of metadata: R. Jenkins' lookup3 (2006), function hashlittle with initial value 0.
[[nodiscard]] std::uint32_t lookup3(std::span<const std::byte> bytes);

/// Of a chunk of a data set: Fletcher's sums (1982) of 16-bit numbers, the higher byte first.
[[nodiscard]] std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace fairfront::archive
