#include "data/readers/csv.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include "base/text.hpp"
#include "support.hpp"

namespace fairfront::data::csv_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr CellKind number = CellKind::number;
constexpr CellKind category = CellKind::category;

Table read(std::string_view text, const std::vector<TableColumn>& columns,
           const CsvFormat& format = {}) {
  return read_csv({text, "t.csv"}, format, columns);
}

std::string error_of(std::string_view text, const std::vector<TableColumn>& columns,
                     const CsvFormat& format = {}) {
  return input_error([&] { (void)read(text, columns, format); });
}

TEST(Csv, ReadsTheChosenColumnsInTheOrderAskedFor) {
  const Table table = read("a,b,c\n1,x,2.5\n-3e1,y,+4\n", {{"c"}, {"b", category}, {"a"}});
  EXPECT_EQ(table.rows, 2);
  EXPECT_THAT(table.number_names, ElementsAre("c", "a"));
  EXPECT_THAT(table.numbers, ElementsAre(2.5, 1, 4, -30));
  EXPECT_THAT(table.categories[0].levels, ElementsAre("x", "y"));
  EXPECT_THAT(table.categories[0].codes, ElementsAre(0, 1));
}

TEST(Csv, ReadsTheSameFromEveryAwkwardFormOfOneFile) {
  for (const std::string_view text :
       {"a,s\n1,u\n2,v\n", "a,s\n1,u\n2,v", "a,s\r\n1,u\r\n2,v\r\n",
        "\xEF\xBB\xBF"
        "a,s\n1,u\n2,v\n",
        "\n a , s \n\n1 , u\n  \n2,  v\n\n", "\"a\",\"s\"\n\"1\",\"u\"\n\" 2 \",\"v\" \r\n\r\n",
        "a,s\n1,u\n2,v\n \t", "a,\"s\"\n1,u\n2,\"v\""}) {
    const Table table = read(text, {{"a"}, {"s", category}});
    EXPECT_THAT(table.numbers, ElementsAre(1, 2)) << text;
    EXPECT_THAT(table.categories[0].levels, ElementsAre("u", "v")) << text;
  }
}

TEST(Csv, AQuotedCellHoldsSeparatorsLineEndsAndDoubledQuotes) {
  const Table table = read("s,a\n\"x,y\",1\n\"two\r\nlines\",2\n\"say \"\"no\"\"\",3\n\"\"\"\",4\n",
                           {{"s", category}, {"a"}});
  EXPECT_THAT(table.categories[0].levels, ElementsAre("x,y", "two\r\nlines", "say \"no\"", "\""));
  EXPECT_THAT(table.categories[0].first_line, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(table.numbers, ElementsAre(1, 2, 3, 4));
}

TEST(Csv, BlanksBelongToANameThatStandsInQuotes) {
  const std::string_view text = "\" age \", b ,\"c\t\"  ,\"d \"\"x\"\" \"\n1,2,\" 3 \",4\n";
  EXPECT_THAT(csv_column_names({text, "t.csv"}, {}), ElementsAre(" age ", "b", "c\t", "d \"x\" "));
  EXPECT_THAT(read(text, {{" age "}, {"b"}, {"c\t"}}).numbers, ElementsAre(1, 2, 3));
  EXPECT_THAT(error_of(text, {{"age"}}),
              HasSubstr("there is no column 'age' (did you mean ' age '?)"));
  const Table rows = read(text, {{"1", category}}, {.header = false});
  EXPECT_THAT(rows.categories[0].levels, ElementsAre("age", "1"));
}

TEST(Csv, AQuoteInsideAnUnquotedCellIsText) {
  EXPECT_THAT(read("s\n5\" pipe\n", {{"s", category}}).categories[0].levels,
              ElementsAre("5\" pipe"));
}

TEST(Csv, SeparatorsMayBeTabsOrRunsOfBlanks) {
  const std::vector<TableColumn> columns{{"a"}, {"b"}};
  EXPECT_THAT(read("a\tb\n1\t 2\n", columns, {.separator = '\t'}).numbers, ElementsAre(1, 2));
  EXPECT_THAT(read("  a \t b\r\n\n1   2 \n \"3\" 4", columns, {.separator = ' '}).numbers,
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read("a;b\n1;2\n", columns, {.separator = ';'}).numbers, ElementsAre(1, 2));
}

TEST(Csv, WithoutAHeaderColumnsAreNumberedFromOneOrNamedByTheFormat) {
  EXPECT_THAT(read("1,2\n3,4\n", {{"2"}}, {.header = false}).numbers, ElementsAre(2, 4));
  EXPECT_THAT(read("1,2\n3,4\n", {{"y"}}, {.header = false, .names = {"x", "y"}}).numbers,
              ElementsAre(2, 4));
  EXPECT_THAT(error_of("1,2,3\n", {{"y"}}, {.header = false, .names = {"x", "y"}}),
              HasSubstr("t.csv: line 1: the row has 3 cells, must have 2"));
}

TEST(Csv, SkipsCommentLinesAnywhere) {
  const CsvFormat format{.comment = "|"};
  const Table table = read("|1x3, with text\na\n1\n|\n2\n|last", {{"a"}}, format);
  EXPECT_THAT(table.numbers, ElementsAre(1, 2));
}

TEST(Csv, AMissingCellIsAnErrorThatNamesLineAndColumn) {
  for (const std::string_view text :
       {"a,s\n1,u\n?,v\n", "a,s\n1,u\n,v\n", "a,s\n1,u\n\" ? \",v\n"}) {
    EXPECT_THAT(error_of(text, {{"a"}, {"s", category}}),
                HasSubstr("t.csv: line 3, column 'a': the cell is missing"));
  }
}

TEST(Csv, ADroppedRowLeavesNeitherNumbersNorLevelsBehind) {
  const Table table =
      read("a,s,b\n1,u,?\n2,v,5\n?,w,6\n4,,7\n", {{"a", number, MissingCell::drop},
                                                  {"s", category, MissingCell::drop},
                                                  {"b", number, MissingCell::drop}});
  EXPECT_EQ(table.rows, 1);
  EXPECT_EQ(table.rows_read, 4);
  EXPECT_THAT(table.numbers, ElementsAre(2, 5));
  EXPECT_THAT(table.categories[0].levels, ElementsAre("v"));
}

TEST(Csv, ACellMissingInAColumnThatIsNotChosenDoesNotMatter) {
  EXPECT_THAT(read("a,b\n1,?\n2,\n", {{"a"}}).numbers, ElementsAre(1, 2));
}

TEST(Csv, ACellThatIsNoFiniteNumberIsRefusedAndNotShown) {
  for (const std::string cell : {"secret", "12x34", "0x17", "1e987", "1,7\"", "--9", "77 88"}) {
    const std::string text = "a;b\n1;2\n3;" + cell + "\n";
    EXPECT_THAT(error_of(text, {{"b"}}, {.separator = ';'}),
                AllOf(HasSubstr("t.csv: line 3, column 'b': the cell must be a finite number"),
                      Not(HasSubstr(cell))));
  }
}

TEST(Csv, ACellThatIsNotANumberOrHasADecimalCommaSaysWhatToDo) {
  for (const std::string cell : {"nan", "NaN", "inf", "-infinity"}) {
    EXPECT_THAT(error_of("a;b\n1;2\n3;" + cell + "\n", {{"b"}}, {.separator = ';'}),
                HasSubstr("a finite number, and is '" + cell + "': data.missing = " + cell +
                          " takes such cells as missing"));
  }
  EXPECT_THAT(error_of("a;b\n1;2\n3;17,25\n", {{"b"}}, {.separator = ';'}),
              AllOf(HasSubstr("and has a decimal comma: write decimals with points"),
                    Not(HasSubstr("17"))));
}

TEST(Csv, AWrongColumnNameBringsTheNearestOrTheValidNames) {
  EXPECT_THAT(error_of("age,income\n1,2\n", {{"agee"}}),
              HasSubstr("t.csv: there is no column 'agee' (did you mean 'age'?)"));
  EXPECT_THAT(error_of("age,income\n1,2\n", {{"marital status"}}), HasSubstr("age, income"));
  EXPECT_THAT(error_of("1,2\n", {{"3"}}, {.header = false}),
              HasSubstr("no column '3': without a header, columns are 1 to 2"));
  EXPECT_THAT(error_of("a,a\n1,2\n", {{"a"}}), HasSubstr("the header names column 'a' 2 times"));
}

TEST(Csv, ARowOfAnotherLengthIsNamedByItsLine) {
  EXPECT_THAT(error_of("a,b\n1,2\n\n\"3\n\",4\nhidden\n", {{"b"}}),
              AllOf(HasSubstr("t.csv: line 6: the row has 1 cells, the header has 2"),
                    Not(HasSubstr("hidden"))));
  EXPECT_THAT(error_of("1,2\n1,2,\n", {{"1"}}, {.header = false}),
              HasSubstr("line 2: the row has 3 cells, the first row has 2"));
}

TEST(Csv, BadQuotesAreNamedByTheLineTheyStandOn) {
  EXPECT_THAT(error_of("a\n1\n\"never\nclosed\n", {{"a"}}),
              AllOf(HasSubstr("t.csv: line 3: a quote is opened and never closed"),
                    Not(HasSubstr("never\n"))));
  EXPECT_THAT(error_of("a\n\"1\"hidden\n", {{"a"}}),
              AllOf(HasSubstr("t.csv: line 2: text stands behind a closing quote"),
                    Not(HasSubstr("hidden"))));
}

TEST(Csv, EmptyAndBinaryFilesAreRefused) {
  EXPECT_THAT(error_of("", {{"a"}}), HasSubstr("t.csv: the file has no rows"));
  EXPECT_THAT(error_of("\n \r\n", {{"a"}}), HasSubstr("no rows"));
  EXPECT_THAT(error_of(std::string_view("a\0b\n", 4), {{"a"}}), HasSubstr("zero byte"));
}

TEST(Csv, AMillionRowsAreReadWithoutLoss) {
  std::string text = "i,s\n";
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i) + (i % 3 == 0 ? ",u\n" : ",v\n");
  const Table table = read(text, {{"i"}, {"s", category}});
  ASSERT_EQ(table.rows, 1'000'000);
  double sum = 0;
  for (const double value : table.numbers) sum += value;
  EXPECT_EQ(sum, 499'999'500'000.0);
  EXPECT_EQ(std::count(table.categories[0].codes.begin(), table.categories[0].codes.end(), 0),
            333'334);
}

std::string quoted(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string{"\"\""} : std::string{c};
  return text + '"';
}

TEST(CsvProperty, WhatIsWrittenWithQuotesIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const auto cell =
        rc::gen::container<std::string>(rc::gen::element('a', '"', ',', '\n', ' ', ';'));
    const auto cells = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(cell));
    std::string text = "s,t\n";
    std::vector<std::string> expected;
    for (const std::string& value : cells) {
      const std::string kept{base::trim(value)};
      if (!kept.empty() && kept == value) expected.push_back(value);
      if (kept == value) text += quoted(value) + ",1\n";
    }
    const Table table = read(text, {{"s", category, MissingCell::drop}, {"t"}});
    std::vector<std::string> found;
    for (const std::int32_t code : table.categories[0].codes) {
      found.push_back(table.categories[0].levels[static_cast<std::size_t>(code)]);
    }
    RC_ASSERT(found == expected);
  }));
}

TEST(Csv, AStreamOfWindowsGivesTheSameRowsAndNeverChangesACode) {
  std::string text = "skip,a,s\n";
  for (int i = 0; i < 10; ++i) text += fmt::format("0,{},{}\n", i, i % 4 < 2 ? "u" : "v");
  for (const bool header : {true, false}) {
    const std::vector<TableColumn> columns{{header ? "a" : "2"}, {header ? "s" : "3", category}};
    const std::string rows = header ? text : text.substr(text.find('\n') + 1);
    const Table whole = read(rows, columns, {.header = header});
    CsvStream stream({rows, "t.csv"}, {.header = header}, columns);
    Table joined;
    for (const std::int64_t expected : {3, 3, 3, 1, 0, 0}) {
      const Table& window = stream.next(3);
      EXPECT_EQ(window.rows, expected);
      EXPECT_EQ(std::ssize(window.numbers), expected);
      joined.numbers.insert(joined.numbers.end(), window.numbers.begin(), window.numbers.end());
      for (const std::int32_t code : window.categories[0].codes) {
        joined.number_names.push_back(window.categories[0].levels[std::size_t(code)]);
      }
    }
    EXPECT_EQ(joined.numbers, whole.numbers);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(joined.number_names[i], i % 4 < 2 ? "u" : "v");
  }
}

TEST(CsvProperty, NumbersComeBackBitForBit) {
  EXPECT_TRUE(rc::check([](const std::vector<double>& values) {
    std::string text = "a\n";
    for (const double value : values) text += base::format_double(value) + "\n";
    RC_ASSERT(read(text, {{"a"}}).numbers == values);
  }));
}

TEST(CsvProperty, NoTextCrashesTheReader) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '1', '"', ',', '\n', '\r', '\t', ' ', '?', '|', '\xEF'));
    const char separator = *rc::gen::element(',', '\t', ' ');
    try {
      (void)read(text, {{"1", category}},
                 {.separator = separator, .header = false, .comment = "|"});
    } catch (const base::InputError&) {
    }
  }));
}

}  // namespace
}  // namespace fairfront::data::csv_test
