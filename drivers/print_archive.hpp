/// @file
/// An archive as text.
#pragma once

#include <cstdint>
#include <string>

#include "archive/archive.hpp"

namespace fairfront::drivers {

/// How much of an archive is shown; 0 means all.
struct ShowLimits {
  std::int64_t tasks = 50;
  std::int64_t points = 20;  ///< of each front
};

[[nodiscard]] std::string archive_text(const std::string& path, archive::Stored stored,
                                       const ShowLimits& limits);

}  // namespace fairfront::drivers
