/// @file
/// A table of random numbers that every experiment on labelled rows can read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "base/text.hpp"

namespace fairfront::experiments {

/// CSV with columns label (0 or 1), target, group (a, b, c), x, z and score; x, and so label and
/// target, grow with the group.
/// @param seed, stream_name  of its random numbers.
/// @param groups  1 to 3; every row is of one of them at random.
inline std::string random_table(std::uint64_t seed, std::string_view stream_name, int rows,
                                std::uint32_t groups) {
  std::string text = "label,target,group,x,z,score\n";
  base::Stream stream(base::StreamKey(seed, "test", stream_name), 0);
  for (int row = 0; row < rows; ++row) {
    const int group = static_cast<int>(stream.below(groups));
    const double x = stream.normal() + 0.5 * group;
    const double z = stream.normal();
    const double noise = stream.normal();
    text += base::format_double(x + z + noise > 0.5 ? 1 : 0) + "," +
            base::format_double(2 * x - z + noise) + "," + std::string(1, "abc"[group]) + "," +
            base::format_double(x) + "," + base::format_double(z) + "," +
            base::format_double(x + noise) + "\n";
  }
  return text;
}

}  // namespace fairfront::experiments
