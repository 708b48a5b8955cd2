/// @file
/// Where the public data files lie, for tests that need them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace fairfront::test {

/// $FAIRFRONT_DATA, or else ../shared/data beside the repository; nothing when there is none, and
/// then the test skips: `if (!dir) GTEST_SKIP() << fairfront::test::no_public_data;`.
inline std::optional<std::filesystem::path> public_data_dir() {
  namespace fs = std::filesystem;
  const char* const set = std::getenv("FAIRFRONT_DATA");
  const fs::path repository = fs::absolute(__FILE__).parent_path().parent_path().parent_path();
  const fs::path dir = set != nullptr ? fs::path{set} : repository / ".." / "shared" / "data";
  if (!fs::is_directory(dir)) return std::nullopt;
  return dir;
}

inline constexpr const char* no_public_data =
    "the public data files are missing: run jobs/get_data.sh and set FAIRFRONT_DATA to their "
    "folder";

}  // namespace fairfront::test
