#include "base/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

using ::testing::ElementsAre;

enum class Colour { red, green };

struct Everything {
  std::int64_t count = 3;
  std::int64_t any_count = 0;
  double rate = 0.5;
  double any_rate = 0;
  bool loud = false;
  std::string title = "none";
  std::vector<std::string> names = {};
  std::string shape = "round";
  Colour colour = Colour::red;
  std::int64_t even = 2;
};

std::string rule_of_even(std::int64_t value) { return value % 2 == 0 ? "" : "an even integer"; }

OptionTable options_of(Everything& options) {
  OptionTable table("everything");
  table.add("count", options.count, between<std::int64_t>(1, 9), "runs", "how often")
      .add("any_count", options.any_count, {}, "", "any integer")
      .add("rate", options.rate, above(0.0), "1/s", "how fast")
      .add("any_rate", options.any_rate, {}, "", "any number")
      .add("loud", options.loud, "print more")
      .add("title", options.title, "shown above")
      .add("names", options.names, "several")
      .add_choice("shape", options.shape, {"round", "square"}, "a text of a set")
      .add_choice("colour", options.colour, {{"red", Colour::red}, {"green", Colour::green}},
                  "an enumeration")
      .add_parsed(
          {"even", "integer", "even", "", "own rule"},
          [&options](std::string_view text) {
            const auto value = parse_int64(text);
            const std::string broken = rule_of_even(value.value_or(1));
            if (!broken.empty()) throw std::invalid_argument(broken);
            options.even = *value;
          },
          [&options] { return std::to_string(options.even); },
          [&options] { return rule_of_even(options.even); });
  return table;
}

std::string error_of_set(const std::string& name, const std::string& text) {
  Everything options;
  try {
    options_of(options).set(name, text);
    return "no error";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string error_of_check(const Everything& options) {
  try {
    validate(options);
    return "no error";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(OptionTable, SetsAFieldOfEveryKind) {
  Everything options;
  OptionTable table = options_of(options);
  table.set("count", "9");
  table.set("any_count", "-9223372036854775808");
  table.set("rate", "1e-160");
  table.set("any_rate", "-0.25");
  table.set("loud", "true");
  table.set("title", "a, b");
  table.set("names", "x, f(1,2)");
  table.set("shape", "square");
  table.set("colour", "green");
  table.set("even", "-4");
  EXPECT_EQ(options.count, 9);
  EXPECT_EQ(options.any_count, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(options.rate, 1e-160);
  EXPECT_EQ(options.any_rate, -0.25);
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.title, "a, b");
  EXPECT_THAT(options.names, ElementsAre("x", "f(1,2)"));
  EXPECT_EQ(options.shape, "square");
  EXPECT_EQ(options.colour, Colour::green);
  EXPECT_EQ(options.even, -4);
}

TEST(OptionTable, WhatGetSaysSetReadsBackToTheSameValue) {
  Everything from{.count = 7,
                  .any_count = -12,
                  .rate = 1.0 / 3,
                  .any_rate = -0x1.fffffffffffffp-332,  // all digits, near the least size
                  .loud = true,
                  .title = "= ; # \"",
                  .names = {"a", "g(b, c)"},
                  .shape = "square",
                  .colour = Colour::green,
                  .even = 8};
  Everything to;
  OptionTable source = options_of(from);
  OptionTable target = options_of(to);
  for (const OptionInfo& info : source.infos()) target.set(info.name, source.get(info.name));
  EXPECT_EQ(to.count, from.count);
  EXPECT_EQ(to.any_count, from.any_count);
  EXPECT_EQ(to.rate, from.rate);
  EXPECT_EQ(to.any_rate, from.any_rate);
  EXPECT_EQ(to.loud, from.loud);
  EXPECT_EQ(to.title, from.title);
  EXPECT_EQ(to.names, from.names);
  EXPECT_EQ(to.shape, from.shape);
  EXPECT_EQ(to.colour, from.colour);
  EXPECT_EQ(to.even, from.even);
}

TEST(OptionTable, AValueBeyondItsOwnLimitIsToldThatLimitAlone) {
  double size = 0;
  OptionTable table("some");
  table.add("size", size, between(0.0, 1e100), "", "");
  try {
    table.set("size", "1e101");
    ADD_FAILURE() << "1e101 is beyond the limit";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "some.size = '1e101', must be a number >= 0 and <= 1e+100");
  }
}

TEST(OptionTable, AWrongTextIsRefusedWithOwnerOptionValueAndRule) {
  EXPECT_EQ(error_of_set("count", "0"), "everything.count = '0', must be an integer >= 1 and <= 9");
  EXPECT_EQ(error_of_set("count", "1e0"),
            "everything.count = '1e0', must be an integer >= 1 and <= 9");
  EXPECT_EQ(error_of_set("any_count", "1.5"), "everything.any_count = '1.5', must be an integer");
  EXPECT_EQ(error_of_set("rate", "0"), "everything.rate = '0', must be a number > 0");
  EXPECT_EQ(error_of_set("rate", "inf"), "everything.rate = 'inf', must be a number > 0");
  for (const char* size : {"1e-161", "1.1e100", "1e308", "1e-320"}) {
    EXPECT_EQ(error_of_set("rate", size),
              "everything.rate = '" + std::string{size} +
                  "', must be a number > 0, and where not 0 of a size from 1e-160 to 1e+100");
  }
  EXPECT_EQ(error_of_set("any_rate", "-1e308"),
            "everything.any_rate = '-1e308', must be a finite number, and where not 0 of a size "
            "from 1e-160 to 1e+100");
  EXPECT_EQ(error_of_set("any_rate", "nan"),
            "everything.any_rate = 'nan', must be a finite number");
  EXPECT_EQ(error_of_set("loud", "yes"), "everything.loud = 'yes', must be true or false");
  EXPECT_EQ(error_of_set("even", "3"), "everything.even = '3', must be an even integer");
}

TEST(OptionTable, AChoiceIsTakenByTheOtherNamesOfTheFieldAndKeepsItsOwn) {
  std::string rate = "error_rate_parity";
  OptionTable table("training");
  table.add_choice("rate", rate, {"demographic_parity", "equalised_odds", "error_rate_parity"},
                   "These rates are close.");
  const std::vector<std::pair<std::string, std::string>> words{
      {"independence", "demographic_parity"},
      {"statistical_parity", "demographic_parity"},
      {"separation", "equalised_odds"},
      {"equalized_odds", "equalised_odds"}};
  for (const auto& [word, own] : words) {
    table.set("rate", word);
    EXPECT_EQ(table.get("rate"), own);
  }
  std::string other = "yes";
  OptionTable elsewhere("split");
  elsewhere.add_choice("stratify", other, {"yes", "no"}, "Parts have the same shares.");
  EXPECT_THROW(elsewhere.set("stratify", "independence"), InputError);
  EXPECT_THROW(elsewhere.set("stratify", ""), InputError);
}

TEST(OptionTable, AWrongChoiceIsRefusedWithTheNearestName) {
  EXPECT_EQ(error_of_set("shape", "squre"),
            "everything.shape = 'squre', must be one of round, square (did you mean 'square'?)");
  EXPECT_EQ(error_of_set("colour", "gren"),
            "everything.colour = 'gren', must be one of red, green (did you mean 'green'?)");
  EXPECT_EQ(error_of_set("colour", "ultraviolet"),
            "everything.colour = 'ultraviolet', must be one of red, green");
}

TEST(OptionTable, AFailedSetLeavesTheFieldAsItWas) {
  Everything options;
  OptionTable table = options_of(options);
  EXPECT_THROW(table.set("count", "10"), InputError);
  EXPECT_THROW(table.set("colour", "blue"), InputError);
  EXPECT_EQ(options.count, 3);
  EXPECT_EQ(options.colour, Colour::red);
}

TEST(OptionTable, ANameThatDoesNotExistIsOutOfRange) {
  Everything options;
  OptionTable table = options_of(options);
  EXPECT_THROW(table.set("cuont", "1"), std::out_of_range);
  EXPECT_THROW((void)table.get("cuont"), std::out_of_range);
  EXPECT_FALSE(table.has("cuont"));
  EXPECT_TRUE(table.has("count"));
}

TEST(OptionTable, CheckFindsEveryKindOfRuleThatCodeBroke) {
  EXPECT_EQ(error_of_check({}), "no error");
  EXPECT_EQ(error_of_check({.count = 10}),
            "everything::count = 10, must be an integer >= 1 and <= 9");
  EXPECT_EQ(error_of_check({.rate = 0}), "everything::rate = 0, must be a number > 0");
  EXPECT_EQ(error_of_check({.any_rate = std::numeric_limits<double>::infinity()}),
            "everything::any_rate = inf, must be a finite number");
  EXPECT_EQ(error_of_check({.any_rate = std::numeric_limits<double>::quiet_NaN()}),
            "everything::any_rate = nan, must be a finite number");
  EXPECT_EQ(error_of_check({.shape = "flat"}),
            "everything::shape = flat, must be one of round, square");
  EXPECT_EQ(error_of_check({.colour = static_cast<Colour>(7)}),
            "everything::colour = ?, must be one of red, green");
  EXPECT_EQ(error_of_check({.even = 5}), "everything::even = 5, must be an even integer");
}

TEST(OptionTable, InfosComeInOrderWithRuleUnitAndMeaning) {
  Everything options;
  const std::vector<OptionInfo> infos = options_of(options).infos();
  ASSERT_EQ(infos.size(), 10u);
  EXPECT_EQ(infos[0].name, "count");
  EXPECT_EQ(infos[0].type, "integer");
  EXPECT_EQ(infos[0].rule, ">= 1 and <= 9");
  EXPECT_EQ(infos[0].unit, "runs");
  EXPECT_EQ(infos[0].meaning, "how often");
  EXPECT_EQ(infos[1].rule, "");
  EXPECT_EQ(infos[2].rule, "> 0");
  EXPECT_EQ(infos[8].type, "red|green");
  EXPECT_TRUE(infos[6].is_list);
  EXPECT_FALSE(infos[5].is_list);
}

TEST(Range, WritesOpenAndOneSidedRules) {
  double low = 0;
  double high = 0;
  OptionTable table("ranges");
  table.add("half_open", low, {.least = 0, .most = 1, .open_least = true}, "", "")
      .add("at_most", high, {.most = 2}, "", "");
  EXPECT_EQ(table.infos()[0].rule, "> 0 and <= 1");
  EXPECT_EQ(table.infos()[1].rule, "<= 2");
  EXPECT_THROW(table.set("half_open", "0"), InputError);
  table.set("half_open", "1");
  EXPECT_EQ(low, 1);
  table.set("at_most", "2");
  EXPECT_EQ(high, 2);
}

}  // namespace
}  // namespace fairfront::base
