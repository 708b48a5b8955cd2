#include "sweep/config_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fake_experiment.hpp"

namespace fairfront::sweep::test {
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
            "test.ini:2: 'nonsense' is neither [section] nor key = value");
  EXPECT_EQ(scan_error("seed # = 3\n"),
            "test.ini:1: 'seed # = 3' is neither [section] nor key = value");
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
}  // namespace fairfront::sweep::test
