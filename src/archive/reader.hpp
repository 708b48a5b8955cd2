/// @file
/// Internal: reads an archive and keeps going past what is damaged.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "archive/archive.hpp"

namespace fairfront::archive {

/// The readable parts of an archive. What could not be read is left empty in the result and
/// described in `problems`, one line a part. Does not check rules between columns, see
/// results::broken_rules.
/// @param hdf5  what read_sealed gives.
[[nodiscard]] Stored read_parts(std::span<const std::byte> hdf5,
                                std::vector<std::string>& problems);

/// The whole of it, with every check of archive::read() behind the seal.
/// @throws base::DamagedError
[[nodiscard]] Stored read_whole(std::span<const std::byte> hdf5, const std::string& path);

}  // namespace fairfront::archive
