#include "base/quotation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace fairfront::base {
namespace {

using ::testing::ElementsAre;

TEST(Lists, AQuotedItemMayHoldCommas) {
  EXPECT_THAT(parse_list("age, \"income, yearly\" , region"),
              ElementsAre("age", "income, yearly", "region"));
  EXPECT_THAT(parse_list("\"a \"\"b\"\", c\""), ElementsAre("a \"b\", c"));
  EXPECT_THAT(parse_list("(a, b), c \" d"), ElementsAre("(a, b)", "c \" d"));
  EXPECT_THAT(parse_list(" "), ElementsAre());
  EXPECT_THROW((void)parse_list("a, \"b"), std::invalid_argument);
  EXPECT_THROW((void)parse_list("a, \"b\"c"), std::invalid_argument);
}

TEST(Lists, WhatIsWrittenReadsBackAndIsQuotedOnlyWhereItMust) {
  EXPECT_EQ(format_list(std::vector<std::string>{"a b", "largest(x, y)", "c#", "d)"}),
            "a b, largest(x, y), c#, d)");
  for (const std::vector<std::string>& items : {std::vector<std::string>{"a, b"},
                                                {"a", "b, c", "d"},
                                                {"\"a\"", "b"},
                                                {"x, \"y\"", "z"},
                                                {",", "|\""},
                                                {"(", "a"},
                                                {",", ")(,"},
                                                {"a\nb", "c"}}) {
    EXPECT_EQ(parse_list(format_list(items)), items);
  }
}

}  // namespace
}  // namespace fairfront::base
