#include "config/axis_expression.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace fairfront::config::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> expand(const std::string& item) {
  const auto values = expand_expression(item);
  if (!values) throw std::logic_error("not an expression: " + item);
  return *values;
}

std::string expand_error(const std::string& item) {
  try {
    (void)expand_expression(item);
  } catch (const std::invalid_argument& broken) {
    return broken.what();
  }
  return "no error";
}

TEST(AxisExpression, APlainTextIsNone) {
  for (const char* item : {"3", "0.5", "adult", "", "x.y", "a b"}) {
    EXPECT_FALSE(expand_expression(item).has_value()) << item;
  }
}

TEST(AxisExpression, DotsCountWholeNumbers) {
  EXPECT_THAT(expand("1..4"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(expand("-1 .. 1"), ElementsAre("-1", "0", "1"));
  EXPECT_THAT(expand("0..25..10"), ElementsAre("0", "10", "20"));
  EXPECT_THAT(expand("3..1..-1"), ElementsAre("3", "2", "1"));
  EXPECT_THAT(expand("7..7"), ElementsAre("7"));
}

TEST(AxisExpression, RangeIsExactInDecimals) {
  EXPECT_THAT(expand("range(0, 0.5, 0.1)"), ElementsAre("0.0", "0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(expand("range(1, 3)"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(expand("range(0.5, -0.25, -0.25)"), ElementsAre("0.50", "0.25", "0.00", "-0.25"));
  EXPECT_THAT(expand("range(0, 1, 0.4)"), ElementsAre("0.0", "0.4", "0.8"));
}

TEST(AxisExpression, SpacedNumbersHaveTheirEndsExactly) {
  EXPECT_THAT(expand("linspace(0, 1, 5)"), ElementsAre("0", "0.25", "0.5", "0.75", "1"));
  EXPECT_THAT(expand("logspace(1, 1000, 4)"), ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(expand("logspace(2^-8, 0.3, 2)"), ElementsAre("0.00390625", "0.3"));
}

TEST(AxisExpression, PowersCountTheirExponentsUpOrDown) {
  EXPECT_THAT(expand("powers(2, -2, 1)"), ElementsAre("0.25", "0.5", "1", "2"));
  EXPECT_THAT(expand("powers(10, 0, -3)"), ElementsAre("1", "0.1", "0.01", "0.001"));
  EXPECT_THAT(expand("2^-4"), ElementsAre("0.0625"));
  EXPECT_THAT(expand("10^6"), ElementsAre("1000000"));
}

TEST(AxisExpression, ABrokenOneSaysWhatIsWrong) {
  EXPECT_EQ(expand_error("5..1"), "the step leads away from the last value");
  EXPECT_EQ(expand_error("1..5..0"), "the step is zero");
  EXPECT_EQ(expand_error("1..x"), "'x' is not an integer");
  EXPECT_EQ(expand_error("0.5..2"), "'0.5' is not an integer");
  EXPECT_EQ(expand_error("range(1)"), "range takes (first, last[, step])");
  EXPECT_THAT(expand_error("range(0, 1e3)"), HasSubstr("'1e3' is not a decimal number"));
  EXPECT_EQ(expand_error("linspace(0, 1)"), "linspace takes (first, last, count)");
  EXPECT_EQ(expand_error("linspace(0, 1, 1)"), "linspace needs a count of at least 2");
  EXPECT_EQ(expand_error("linspace(0, inf, 3)"), "'inf' is not a finite number");
  EXPECT_EQ(expand_error("logspace(0, 1, 3)"), "logspace needs positive ends");
  EXPECT_EQ(expand_error("powers(2, 1)"), "powers takes (base, first exponent, last exponent)");
  EXPECT_EQ(expand_error("2^x"), "a power is written number^integer, such as 2^-4");
  EXPECT_EQ(expand_error("10^400"), "the power is not a finite number");
  EXPECT_EQ(expand_error("0^-1"), "the power is not a finite number");
  EXPECT_EQ(expand_error("linspce(0, 1, 3)"),
            "there is no function 'linspce' (did you mean 'linspace'?)");
}

TEST(AxisExpression, TheMostNegativeIntegerIsRefusedLikeAnyOther) {
  const std::string least = "-9223372036854775808";
  for (const std::string& item :
       {least + "..0", "0.." + least, "0..1.." + least, least + ".." + least + ".." + least,
        "2^" + least, "powers(2, " + least + ", 3)", "powers(2, 0, " + least + ")",
        "range(" + least + ", 0)", "range(0, 1, " + least + ")", "linspace(0, 1, " + least + ")",
        "logspace(1, 2, " + least + ")"}) {
    EXPECT_THROW((void)expand_expression(item), std::invalid_argument) << item;
  }
}

TEST(AxisExpression, TooManyValuesAreRefusedBeforeTheyAreBuilt) {
  EXPECT_EQ(expand_error("1..1000001"), "more than 1000000 values");
  EXPECT_EQ(expand_error("range(0, 1000, 0.0001)"), "more than 1000000 values");
  EXPECT_EQ(expand_error("linspace(0, 1, 2000000)"), "more than 1000000 values");
  EXPECT_EQ(expand_error("1..1152921504606846976"), "more than 1000000 values");
}

TEST(AxisExpression, DotsAndRangeGiveWhatALoopGives) {
  EXPECT_TRUE(rc::check([] {
    const auto first = *rc::gen::inRange<std::int64_t>(-1000, 1000);
    const auto length = *rc::gen::inRange<std::int64_t>(0, 300);
    const auto step = *rc::gen::inRange<std::int64_t>(1, 20);
    std::vector<std::string> expected;
    for (std::int64_t v = first; v <= first + length; v += step) {
      expected.push_back(std::to_string(v));
    }
    RC_ASSERT(expand(fmt::format("{}..{}..{}", first, first + length, step)) == expected);
    RC_ASSERT(expand(fmt::format("range({}, {}, {})", first, first + length, step)) == expected);
  }));
}

TEST(AxisExpression, DecimalRangesAreTheNearestDoublesOfTheirDecimals) {
  EXPECT_TRUE(rc::check([] {
    const auto first = *rc::gen::inRange(-500, 500);
    const auto count = *rc::gen::inRange(1, 50);
    const auto step = *rc::gen::inRange(1, 99);
    const auto text = [](int hundredths) { return fmt::format("{:.2f}", hundredths / 100.0); };
    const auto values = expand(
        fmt::format("range({}, {}, {})", text(first), text(first + count * step), text(step)));
    RC_ASSERT(values.size() == static_cast<std::size_t>(count) + 1);
    for (int i = 0; i <= count; ++i) {
      RC_ASSERT(base::parse_double(values[static_cast<std::size_t>(i)]) ==
                (first + i * step) / 100.0);
    }
  }));
}

TEST(AxisExpression, SpacedNumbersGrowByEvenStepsOrRatios) {
  EXPECT_TRUE(rc::check([] {
    const double first = *rc::gen::inRange(1, 1000) / 16.0;
    const double last = first + *rc::gen::inRange(1, 1000) / 16.0;
    const auto count = *rc::gen::inRange(2, 40);
    const auto arguments = fmt::format("({}, {}, {})", first, last, count);
    const auto even = expand("linspace" + arguments);
    const auto logarithmic = expand("logspace" + arguments);
    RC_ASSERT(even.size() == static_cast<std::size_t>(count));
    RC_ASSERT(logarithmic.size() == static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < even.size(); ++i) {
      const double t = static_cast<double>(i) / (count - 1);
      const double on_line = first * (1 - t) + last * t;
      const double on_curve = first * std::exp(t * std::log(last / first));
      RC_ASSERT(std::fabs(*base::parse_double(even[i]) / on_line - 1) < 1e-12);
      RC_ASSERT(std::fabs(*base::parse_double(logarithmic[i]) / on_curve - 1) < 1e-12);
    }
    RC_ASSERT(base::parse_double(even.back()) == last);
    RC_ASSERT(base::parse_double(logarithmic.back()) == last);
    RC_ASSERT(base::parse_double(logarithmic.front()) == first);
  }));
}

TEST(AxisExpression, PowersOfTwoAreExact) {
  for (int exponent = -1000; exponent <= 1000; ++exponent) {
    const auto value = expand(fmt::format("2^{}", exponent));
    EXPECT_EQ(base::parse_double(value[0]), std::ldexp(1.0, exponent)) << exponent;
  }
}

TEST(AxisExpression, AnyTextIsExpandedOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('1', '9', '.', '.', '^', '-', '(', ')', ',', 'e', ' '));
    try {
      (void)expand_expression("range(" + text + ")");
      (void)expand_expression(text);
    } catch (const std::invalid_argument&) {
    }
  }));
}

}  // namespace
}  // namespace fairfront::config::test
