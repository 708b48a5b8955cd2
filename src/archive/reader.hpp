/// @file
/// Internal: reads an archive and keeps going past what is damaged.
#pragma once

#include <string>
#include <vector>

#include "archive/archive.hpp"

namespace fairfront::archive {

/// The readable parts of the archive. What could not be read is left empty in the result and
/// described in `problems`, one line a part. Checks the seal first and reads nothing when it is
/// broken; does not check rules between columns, see broken_rules.
/// @throws base::InputError  no such file, or not readable.
[[nodiscard]] Stored read_parts(const std::string& path, std::vector<std::string>& problems);

}  // namespace fairfront::archive
