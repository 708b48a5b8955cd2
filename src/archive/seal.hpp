/// @file
/// Internal: the seal in the user block, the 512 bytes that HDF5 leaves to the application in
/// front of its own data.
///
/// HDF5 1.10.8 checks only a part of its metadata: of 3,000 single flipped bits given to it without
/// this seal, 9 crashed it and 1 made it hang. So every byte is checked before HDF5 sees the first
/// one. The block is text, shown by `head -3`:
///
///     fairfront archive, HDF5 from byte 512
///     length <bytes of the file>
///     sha256 <of the bytes from 512 on>
///
/// and NUL to its end.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fairfront::archive {

inline constexpr std::size_t seal_bytes = 512;

/// Writes the seal into the first 512 bytes of `file`. @param file  more than 512 bytes.
void put_seal(std::span<std::byte> file);

/// @throws base::InputError  no such file, or not readable.
/// @throws DamagedError  not an archive, truncated, or any byte differs from what was written.
void check_seal(const std::string& path);

}  // namespace fairfront::archive
