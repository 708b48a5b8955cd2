#include "base/printable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/other_names.hpp"
#include "base/quotation.hpp"

namespace fairfront::base {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Printable, PlainTextOfAnyScriptStaysAsItIs) {
  for (const std::string text : {"", "a = 1", "caf\u00e9, \u65e5\u672c\u8a9e, \U0001F600"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalWouldObeyIsEscaped) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(printable("a\r\nb\tc\x7f"), "a\\x0d\\nb\\tc\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\x9b31m");
  EXPECT_EQ(printable("1\u202e2\ufeff\u00a0"), "1\\u202e2\\ufeff\\xa0");
  EXPECT_EQ(printable(std::string_view{"a\0b", 3}), "a\\x00b");
}

TEST(Printable, VisibleTextIsWholeAndKeepsWhatItIsTold) {
  EXPECT_EQ(visible("a\tb\n\x1b[2J\xff\u202e\u00e9", "\n"), "a\\tb\n\\x1b[2J\\xff\\u202e\u00e9");
  EXPECT_EQ(visible("a\tb\r", "\n\t"), "a\tb\\x0d");
  const std::string whole(3 * longest_message, 'x');
  EXPECT_EQ(visible(whole, ""), whole);
}

TEST(Printable, DifferentNamesAreNeverAlike) {
  const std::vector<std::string> names{"a\nb", "a\\nb", "plain", "c\\d", "a\nb", "\x85", "\u0085"};
  const std::vector<std::string> expected{"a\\nb", "a\\\\nb", "plain",    "c\\d",
                                          "a\\nb", "\\x85",   "\\x85 (2)"};
  EXPECT_EQ(printable_apart(names), expected);
  const std::string half(longest_message, 'x');
  const std::vector<std::string> long_ones{half + "1" + half, half + "2" + half};
  const std::vector<std::string> apart = printable_apart(long_ones);
  EXPECT_EQ(apart[0], printable(long_ones[0]));
  EXPECT_EQ(apart[1], apart[0] + " (2)");
}

RC_GTEST_PROP(Printable, NamesStayAsManyAsTheyWere, (const std::vector<std::string>& names)) {
  const std::vector<std::string> texts = printable_apart(names);
  RC_ASSERT(texts.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) RC_ASSERT((texts[i] == texts[j]) == (names[i] == names[j]));
  }
}

TEST(Printable, BytesThatAreNoUtf8AreEscapedOneByOne) {
  EXPECT_EQ(printable("caf\xe9!"), "caf\\xe9!");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");  // cut off
}

TEST(Printable, OfALongTextTheMiddleIsLeftOut) {
  const std::string text = "front " + std::string(1'000'000, 'x') + " back";
  const std::string shown = printable(text, 100);
  EXPECT_LE(shown.size(), 100u);
  EXPECT_THAT(shown, StartsWith("front xx"));
  EXPECT_THAT(shown, EndsWith("xx back"));
  EXPECT_THAT(shown, HasSubstr("x ... x"));
}

RC_GTEST_PROP(Printable, WhateverTheBytesItIsShortPlainUtf8, (const std::string& text)) {
  const std::string shown = printable(text + text + "\xc3\xa9" + text, 40);
  RC_ASSERT(shown.size() <= 40);
  RC_ASSERT(!first_not_utf8(shown));
  for (std::string_view rest = shown; !rest.empty();) {
    const auto character = first_character(rest);
    RC_ASSERT(!is_invisible(character->code));
    rest.remove_prefix(character->bytes);
  }
}

TEST(Printable, OfManyNamesTheFirstAreListed) {
  EXPECT_EQ(list_some(std::vector<std::string>{"a", "b"}), "a, b");
  const std::string text = list_some(std::vector<std::string>(100'000, "name"));
  EXPECT_LT(text.size(), 1000u);
  EXPECT_THAT(text, EndsWith("name and 99976 more"));
}

TEST(Printable, NamesOfAListAreReadBackByAnOptionThatTakesSuchAList) {
  const std::vector<std::string> names{"plain",    " age",  "age ", "a, b", R"("years")",
                                       R"(5" or)", "f(a,b", ")(",   "",     "two words"};
  const std::string text = list_some(names);
  EXPECT_EQ(parse_list(text), names) << text;
  EXPECT_THAT(text, EndsWith("two words"));
}

TEST(Printable, EveryErrorsMessageIs) {
  const auto message = [](const std::string& text) {
    return message_of(std::make_exception_ptr(InputError(text)));
  };
  EXPECT_EQ(message("no option '\x1b[2J'"), "no option '\\x1b[2J'");
  EXPECT_LT(message(std::string(1'000'000, '\x01')).size(), 4000u);
}

}  // namespace
}  // namespace fairfront::base
