#include "sweep/task_key.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/sha256.hpp"

namespace fairfront::sweep::test {
namespace {

TEST(TaskKey, KeepsEveryDigitOfADigest) {
  for (const char* const text : {"a", "b", "another text"}) {
    const std::string digest = base::sha256_of(text);
    EXPECT_EQ(TaskKey::of(digest).text(), digest);
  }
  const std::string digits = "0123456789abcdef0f1e2d3c4b5a69788796a5b4c3d2e1f00000000000000001";
  EXPECT_EQ(TaskKey::of(digits).text(), digits);
}

TEST(TaskKey, AnyOtherTextIsNoTasksKey) {
  const std::string digest = base::sha256_of("a");
  const std::string upper = "A" + digest.substr(1);
  for (const std::string& text :
       {std::string{}, digest.substr(1), digest + "0", upper, "g" + digest.substr(1),
        "/" + digest.substr(1), ":" + digest.substr(1), "`" + digest.substr(1)}) {
    EXPECT_EQ(TaskKey::of(text), TaskKey{}) << text;
  }
}

}  // namespace
}  // namespace fairfront::sweep::test
