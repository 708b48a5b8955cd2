/// @file
/// An archive as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "archive/archive.hpp"

namespace fairfront::drivers {

/// How much of an archive is shown; 0 means all.
struct ShowLimits {
  std::int64_t tasks = 50;
  std::int64_t points = 20;  ///< of each front
  std::int64_t groups = 3;   ///< tasks whose groups are shown
  bool training = false;     ///< measures of training rows also where these decide nothing
};

/// A point of the archive's fronts that somebody has chosen.
struct ChosenPoint {
  std::size_t task = 0;
  std::size_t point = 0;
  std::string file;  ///< that says so
};

[[nodiscard]] std::string archive_text(const std::string& path, archive::Stored stored,
                                       const ShowLimits& limits,
                                       const std::optional<ChosenPoint>& chosen = {});

}  // namespace fairfront::drivers
