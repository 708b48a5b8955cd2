#include "base/spool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "support/temporary_folder.hpp"

namespace fairfront::base {
namespace {

TEST(Spool, KeepsAllTextInItsOrderAndLeavesNothing) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::setenv("TMPDIR", (folder / "").c_str(), 1), 0);
  std::string added, read;
  {
    Spool spool;
    for (int line = 0; line < 20'000; ++line) {
      const std::string text = std::to_string(line) + "\n";
      spool.add(text);
      added += text;
    }
    spool.read([&](std::string_view text) { read += text; });
    EXPECT_EQ(folder.count_files(), 0U);
  }
  EXPECT_GT(added.size(), std::size_t{1} << 16);
  EXPECT_EQ(read, added);
  ASSERT_EQ(::unsetenv("TMPDIR"), 0);
}

}  // namespace
}  // namespace fairfront::base
