/// @file
/// Internal: puts finished bytes under their final name, all or nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fairfront::archive {

/// Writes to a new file beside `path`, syncs it, renames it, syncs the folder. On failure the new
/// file is removed and what was at `path` is untouched. Without `overwrite`, a file that appears
/// at `path` meanwhile is not replaced.
/// @throws base::InputError  with path and the system's reason.
void publish(const std::string& path, std::span<const std::byte> bytes, bool overwrite);

}  // namespace fairfront::archive
