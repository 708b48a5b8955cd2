/// @file
/// Internal: the seal in the user block, the 512 bytes that HDF5 leaves to the application in
/// front of its own data.
///
/// HDF5's own checksums cover only a part of a file. So every byte is checked before anything else
/// looks at the first one. The block is text, shown by `head -3`:
///
///     fairfront archive, HDF5 from byte 512
///     length <bytes of the file>
///     sha256 <of the bytes from 512 on>
///
/// and NUL to its end.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace fairfront::archive {

inline constexpr std::size_t seal_bytes = 512;

/// What was never an archive is not damaged: the user has named another file.
class NoArchiveError : public base::DamagedError {
 public:
  using DamagedError::DamagedError;
  [[nodiscard]] base::ExitCode exit_code() const noexcept override {
    return base::ExitCode::bad_input;
  }
};

/// The first 512 bytes of a file. @param length  of the file. @param sha256  of what follows.
[[nodiscard]] std::array<std::byte, seal_bytes> seal_of(std::size_t length,
                                                        const std::string& sha256);

/// All bytes behind the seal.
/// @throws base::InputError  no such file, or not readable.
/// @throws NoArchiveError  it is text.
/// @throws base::DamagedError  not an archive, truncated, or any byte differs from what was
/// written.
[[nodiscard]] std::vector<std::byte> read_sealed(const std::string& path);

/// Throws if a file that is there is no archive of ours: --force replaces nothing else. Damaged
/// ones count by their first line, and an empty file holds nothing.
/// @throws base::InputError  another kind of file, or it cannot be read; `path` may be a link.
void require_replaceable(const std::string& path);

}  // namespace fairfront::archive
