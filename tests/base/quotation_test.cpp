#include "base/quotation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
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

TEST(Lists, PartsOfAPairMayStandInQuotes) {
  EXPECT_THAT(parse_list(R"("a, b":both, *:"not A, B", c:d)"),
              ElementsAre(R"("a, b":both)", R"(*:"not A, B")", "c:d"));
  EXPECT_THAT(parse_list(R"("*:not A, B", "a: ""b""")"), ElementsAre("*:not A, B", R"(a: "b")"));
  EXPECT_THAT(parse_list(R"(say:"no, c)"), ElementsAre(R"(say:"no)", "c")) << "no quotation";
  EXPECT_THAT(parse_list(R"(a:"b"c, d)"), ElementsAre(R"(a:"b"c)", "d"));
  for (const std::vector<std::string>& items : {std::vector<std::string>{R"("a, b":both)", "c"},
                                                {R"(*:"not A, B")"},
                                                {R"(*: "(")", "d"},
                                                {R"(a:"b)", "c, d"}}) {
    EXPECT_EQ(parse_list(format_list(items)), items);
  }
}

TEST(Lists, APairIsCutAtItsLastColonOrBesideAQuotation) {
  const auto parts = [](std::string_view item) {
    const auto pair = parse_pair(item);
    return pair ? std::vector{pair->first, pair->second} : std::vector<std::string>{};
  };
  EXPECT_THAT(parts("7: White"), ElementsAre("7", "White"));
  EXPECT_THAT(parts("12:30:noon"), ElementsAre("12:30", "noon"));
  EXPECT_THAT(parts(R"(*:"not A: ""B""")"), ElementsAre("*", R"(not A: "B")"));
  EXPECT_THAT(parts(R"("a: b" : c:d)"), ElementsAre("a: b", "c:d"));
  EXPECT_THAT(parts(R"(" a":"b ")"), ElementsAre(" a", "b "));
  EXPECT_THAT(parts("a"), ElementsAre());
  EXPECT_THAT(parts(R"("a: b")"), ElementsAre());
  EXPECT_TRUE(parse_pair(R"("*":star)")->first_is_quoted);
}

}  // namespace
}  // namespace fairfront::base
