#include "base/condition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/options.hpp"

namespace fairfront::base {
namespace {

bool holds(const Condition& condition, const std::map<std::string, std::string>& values) {
  return condition.holds(
      [&](const std::string& option) -> std::string_view { return values.at(option); });
}

TEST(Condition, LooksAtTheValueOfAnOption) {
  EXPECT_TRUE(holds(is("search", {"grid", "line"}), {{"search", "line"}}));
  EXPECT_FALSE(holds(is("search", {"grid", "line"}), {{"search", "none"}}));
  EXPECT_TRUE(holds(is_not("search", {"grid"}), {{"search", "none"}}));
  EXPECT_FALSE(holds(is_not("search", {"grid"}), {{"search", "grid"}}));
  EXPECT_TRUE(holds(given("file"), {{"file", "a.csv"}}));
  EXPECT_FALSE(holds(given("file"), {{"file", ""}}));
  EXPECT_TRUE(holds(empty("file"), {{"file", ""}}));
  EXPECT_TRUE(holds(above("rows", 2), {{"rows", "2.5"}}));
  EXPECT_FALSE(holds(above("rows", 2), {{"rows", "2"}}));
  EXPECT_TRUE(holds(method_is({"alpha"}), {{"method", "alpha"}}));
  EXPECT_FALSE(holds(never(), {}));
  const Condition less = where(
      {"n_a", "n_b"}, [](auto values) { return values[0] < values[1]; }, "{} is below {}");
  EXPECT_TRUE(holds(less, {{"n_a", "1"}, {"n_b", "2"}}));
  EXPECT_FALSE(holds(less, {{"n_a", "2"}, {"n_b", "1"}}));
  EXPECT_EQ(less.text(), "n_a is below n_b");
}

TEST(Condition, OfSeveralAllOrAnyMustHold) {
  const Condition both = is("a", {"1"}) && is("b", {"1"}) && is("c", {"1"});
  const Condition one = is("a", {"1"}) || (is("b", {"1"}) && is("c", {"1"}));
  for (const char* a : {"0", "1"}) {
    for (const char* b : {"0", "1"}) {
      for (const char* c : {"0", "1"}) {
        const std::map<std::string, std::string> values{{"a", a}, {"b", b}, {"c", c}};
        const bool of_a = *a == '1', of_b = *b == '1', of_c = *c == '1';
        EXPECT_EQ(holds(both, values), of_a && of_b && of_c);
        EXPECT_EQ(holds(one, values), of_a || (of_b && of_c));
      }
    }
  }
  EXPECT_EQ(both.tests().size(), 3u);
  EXPECT_EQ(one.tests()[2]->options, std::vector<std::string>{"c"});
}

TEST(Condition, SaysItselfInWords) {
  EXPECT_EQ(is("search", {"grid", "line"}).text(), "search = grid or line");
  EXPECT_EQ(is_not("search", {"grid"}).text(), "search is not grid");
  EXPECT_EQ((given("file") && above("rows", 0)).text(), "file is given and rows > 0");
  EXPECT_EQ((empty("file") && (above("rows", 0) || method_is({"alpha", "beta"}))).text(),
            "file is empty and (rows > 0 or the method is [alpha] or [beta])");
  EXPECT_EQ((empty("file") || (above("rows", 0) && is("a", {"1"}))).text(),
            "file is empty or rows > 0 and a = 1");
  const Condition named = (empty("file") || above("rows", 0)).called("rows are drawn");
  EXPECT_EQ((given("a") && named).text(), "a is given and rows are drawn");
  EXPECT_EQ(never().text(), "");
}

TEST(Condition, OptionsMayBeRenamed) {
  const Condition condition =
      (empty("file") || above("rows", 0)).renamed([](const auto& name) { return "data." + name; });
  EXPECT_EQ(condition.text(), "data.file is empty or data.rows > 0");
  EXPECT_TRUE(holds(condition, {{"data.file", "a"}, {"data.rows", "1"}}));
}

/// Only there is it known what would make it hold.
TEST(Condition, KnowsWhetherOneValueMakesItHold) {
  EXPECT_TRUE(is("search", {"grid"}).is_one_value);
  EXPECT_FALSE(is("search", {"grid", "line"}).is_one_value);
  EXPECT_FALSE(is_not("search", {"grid"}).is_one_value);
  EXPECT_FALSE(method_is({"alpha"}).is_one_value);
  EXPECT_FALSE((is("search", {"grid"}) && given("file")).is_one_value);
}

TEST(Condition, ATableKeepsThemInOrder) {
  std::int64_t rows = 0;
  OptionTable table("data");
  table.add("rows", rows, {}, "", "Rows.")
      .only_if({"rows", "seed"}, given("file"), "there is no file")
      .only_if({"other.*"}, never(), "nobody looks");
  ASSERT_EQ(table.conditions().size(), 2u);
  EXPECT_THAT(table.conditions()[0].options, testing::ElementsAre("rows", "seed"));
  EXPECT_EQ(table.conditions()[0].why, "there is no file");
  EXPECT_EQ(table.conditions()[1].options.front(), "other.*");
}

}  // namespace
}  // namespace fairfront::base
