#include "config/config_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "config/fake_sections.hpp"

namespace fairfront::config::test {
namespace {

std::string scan_error(const std::string& text) {
  return message_of([&] { (void)scan_config(text, "test.ini"); });
}

TEST(ConfigText, KeepsSectionsAndEntriesWithTheirPlaces) {
  const ConfigText config = scan_config("a = 1\n\n[one]\nb=2\n[ two ]\n  c =  x y  \n", "test.ini");
  ASSERT_EQ(config.sections.size(), 2u);
  EXPECT_EQ(config.sections[1].name, "two");
  EXPECT_EQ(config.sections[1].where, "test.ini:5");
  ASSERT_EQ(config.entries.size(), 3u);
  EXPECT_EQ(config.entries[0].section, "");
  EXPECT_EQ(config.entries[1].section, "one");
  EXPECT_EQ(config.entries[2].key, "c");
  EXPECT_EQ(config.entries[2].value, "x y");
  EXPECT_EQ(config.entries[2].where, "test.ini:6");
}

TEST(ConfigText, ByteOrderMarkAndWindowsLineEndsMakeNoDifference) {
  const ConfigText config = scan_config(
      "\xEF\xBB\xBF"
      "a = 1\r\n[s]\r\nb = 2",
      "test.ini");
  ASSERT_EQ(config.entries.size(), 2u);
  EXPECT_EQ(config.entries[0].key, "a");
  EXPECT_EQ(config.entries[0].value, "1");
  EXPECT_EQ(config.entries[1].where, "test.ini:3");
}

TEST(ConfigText, ACommentStandsAloneOrBehindABlank) {
  const ConfigText config = scan_config(
      "# whole line\n  ; this one, too\na = 1 # one\nb = x#y;z\nc = 3\t; three\n[s] # section\n"
      "d = # nothing\n",
      "test.ini");
  ASSERT_EQ(config.entries.size(), 4u);
  EXPECT_EQ(config.entries[0].value, "1");
  EXPECT_EQ(config.entries[1].value, "x#y;z");
  EXPECT_EQ(config.entries[2].value, "3");
  EXPECT_EQ(config.entries[3].value, "");
  EXPECT_EQ(config.entries[3].section, "s");
}

TEST(ConfigText, NothingInAQuotationIsAComment) {
  const ConfigText config = scan_config("a = \"x # y\" # z\nb = 5\" disk\n", "test.ini");
  EXPECT_EQ(config.entries[0].value, "\"x # y\"");
  EXPECT_EQ(config.entries[1].value, "5\" disk");
}

TEST(ConfigText, OnlyTheFirstEqualsSignSeparates) {
  EXPECT_EQ(scan_config("a = b = c", "test.ini").entries[0].value, "b = c");
}

TEST(ConfigText, ALineThatIsNeitherSectionNorEntryIsAnErrorWithItsNumber) {
  EXPECT_EQ(scan_error("a = 1\nnonsense\n"),
            "test.ini:2: 'nonsense' is neither [section] nor key = value; a comment begins with #");
  EXPECT_EQ(
      scan_error("seed # = 3\n"),
      "test.ini:1: 'seed # = 3' is neither [section] nor key = value; a comment begins with #");
  EXPECT_EQ(scan_error("\n\n = 3\n"), "test.ini:3: there is no key in front of '='");
}

TEST(ConfigText, ABrokenSectionHeaderIsAnError) {
  EXPECT_EQ(scan_error("[data\n"), "test.ini:1: '[data' has no closing ]");
  EXPECT_EQ(scan_error("[]\n"), "test.ini:1: a section needs a name between [ and ]");
  EXPECT_EQ(scan_error("[data] x\n"), "test.ini:1: there is text behind the section name: 'x'");
}

TEST(ConfigText, RepeatedSectionsAndKeysNameTheFirstPlace) {
  EXPECT_EQ(scan_error("[a]\n[b]\n[a]\n"),
            "test.ini:3: section [a] occurs twice, first at test.ini:1");
  EXPECT_EQ(scan_error("[a]\nk = 1\nk = 2\n"),
            "test.ini:3: key 'k' occurs twice, first at test.ini:2");
}

TEST(ConfigText, AQuotationWithoutEndIsAnError) {
  EXPECT_EQ(scan_error("k = \"abc\n"), "test.ini:1: k = \"abc: the quotation has no closing \"");
}

TEST(ConfigText, AnOverrideNeedsAKeyAndAnEqualsSign) {
  ConfigText config;
  add_override(config, "a.b = 1, 2");
  EXPECT_EQ(config.overrides[0].key, "a.b");
  EXPECT_EQ(config.overrides[0].value, "1, 2");
  EXPECT_EQ(config.overrides[0].where, "--set a.b = 1, 2");
  EXPECT_EQ(message_of([&] { add_override(config, "seed"); }),
            "--set seed: must be key=value or section.key=value");
  EXPECT_EQ(message_of([&] { add_override(config, "=1"); }),
            "--set =1: there is no key in front of '='");
}

TEST(ConfigText, AQuotationMayHoldLineEnds) {
  const ConfigText config = scan_config(
      "[data]\nfeatures = age, \"de\ngree # 1\n\", \"x\"  # three, \"and\nlabel = y\n", "test.ini");
  ASSERT_EQ(config.entries.size(), 2);
  EXPECT_EQ(config.entries[0].value, "age, \"de\ngree # 1\n\", \"x\"");
  EXPECT_EQ(config.entries[1].where, "test.ini:5");
  EXPECT_EQ(scan_error("a = 1\nk = \"abc\nb = 2\n"),
            "test.ini:2: k = \"abc: the quotation has no closing \"");
  std::string far = "k = \"a";
  for (int line = 0; line < 200; ++line) far += '\n';
  EXPECT_EQ(scan_error(far + "\"\n"), "test.ini:1: k = \"a: the quotation has no closing \"");
  EXPECT_EQ(scan_error("# \"\n[a\n\"]\n"), "test.ini:2: '[a' has no closing ]");
}

TEST(ConfigText, WhatIsNotUtf8IsPlacedByLineAndColumn) {
  EXPECT_EQ(scan_error("a = 1\n# caf\u00e9 caf\xe9\n"),
            "test.ini:2: column 11: the byte 0xE9 is not UTF-8 (convert a file in Latin-1)");
  for (const std::string bad : {"\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\x80"}) {
    EXPECT_THAT(scan_error("a = " + bad + "\n"), testing::StartsWith("test.ini:1: column 5: "));
  }
}

TEST(ConfigText, CharactersThatNobodySeesAreRefused) {
  using namespace std::string_literals;
  EXPECT_EQ(scan_error("a = 1\nb = x\0y\n"s),
            "test.ini:2: column 6: a zero byte, which no text has");
  EXPECT_EQ(scan_error("\x1b[31m = 1\n"), "test.ini:1: column 1: the control character U+001B");
  EXPECT_EQ(scan_error("a = \u009b1\n"), "test.ini:1: column 5: the control character U+009B");
  EXPECT_EQ(scan_error("\ufeff\ufeffa = 1\n"),
            "test.ini:1: column 1: the control character U+FEFF");
  EXPECT_EQ(scan_error("a = 1\rb = 2\nc = 3\n"),
            "test.ini:1: column 6: a carriage return that ends no line");
}

TEST(ConfigText, OtherEncodingsGetOnePlainMessage) {
  using namespace std::string_literals;
  const std::string plain = "a = 1\n[s]\n";
  std::string little, big;
  for (const char c : plain) {
    little.append({c, '\0'});
    big.append({'\0', c});
  }
  for (const std::string& text : {little, big, "\xff\xfe" + little, "\xfe\xff" + big}) {
    EXPECT_EQ(scan_error(text), "test.ini: the text is in UTF-16; save it in UTF-8");
  }
  EXPECT_EQ(scan_error("a = 1\r[s]\rb = 2\r"),
            "test.ini: its lines end in carriage returns alone; save it with line feeds");
}

TEST(ConfigText, AnOverrideIsPlainText) {
  ConfigText config;
  EXPECT_THAT(message_of([&] { add_override(config, "a = \xe9"); }),
              testing::HasSubstr("not UTF-8"));
  EXPECT_EQ(message_of([&] { add_override(config, "a = \x1b"); }),
            "--set a = \\x1b: the control character U+001B");
  EXPECT_EQ(message_of([&] { add_override(config, "a = 1\nb = 2"); }),
            "--set a = 1\\nb = 2: a line feed outside quotation marks");
}

TEST(ConfigText, ManySectionsAndKeysAreReadInALinearTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += fmt::format("[s{}]\nk = 1\n", i);
  for (int i = 0; i < 200'000; ++i) text += fmt::format("k{} = 1\n", i);
  EXPECT_EQ(scan_config(text, "test.ini").entries.size(), 400'000u);  // minutes, if quadratic
}

TEST(ConfigText, ALongLineIsNotRepeatedInTheMessage) {
  const std::string word(1'000'000, 'x');
  for (const std::string& text : {word, "[" + word, "[s] " + word, "a = 1\n" + word + " = \""}) {
    EXPECT_LT(scan_error(text).size(), 1000u);
  }
}

TEST(ConfigText, AnyTextIsReadOrRefusedWithALineNumber) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '1', '=', '[', ']', '#', ';', '"', ',', ' ', '\n', '\r', '\xEF'));
    try {
      (void)scan_config(text, "f");
    } catch (const base::InputError& error) {
      RC_ASSERT(std::string{error.what()}.starts_with("f:"));
    }
  }));
}

}  // namespace
}  // namespace fairfront::config::test
