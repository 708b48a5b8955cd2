#include "data/readers/text_window.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "data/readers/arff.hpp"
#include "data/readers/csv.hpp"
#include "data/readers/csv_scanner.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::HasSubstr;

/// A window on a text that comes in pieces of `step` bytes; steps of 1 cut it everywhere.
TextWindow in_pieces(const std::string& text, std::size_t step) {
  auto read = [text, step, at = std::size_t{0}](std::span<char> out) mutable {
    const std::size_t count = std::min({step, out.size(), text.size() - at});
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
    at += count;
    return count;
  };
  return {read, "t"};
}

/// Every cell and line number, and the message when there is an error.
std::string transcript(TextWindow window, char separator) {
  std::string result;
  try {
    CsvScanner scanner(std::move(window), separator, "#");
    while (scanner.next()) {
      result += std::to_string(scanner.line()) + ":";
      for (std::size_t i = 0; i < scanner.cells().size(); ++i) {
        result += '[';
        result += scanner.cells()[i];
        result += '|';
        result += scanner.whole_cell(i);
        result += ']';
      }
    }
  } catch (const base::InputError& error) {
    result += error.what();
  }
  return result;
}

TEST(CsvScanner, AWholeCellHasTheBlanksThatTheTextHas) {
  const std::string text =
      " a ,\" b \", \"c\" ,\" d\"\" \",,  \r\n\te,\"\", f,\"\"\"\",\"g\r\n\",  ";
  using Row = std::vector<std::string>;
  const std::vector<Row> expected{{" a ", " b ", "c", " d\" ", "", "  "},
                                  {"\te", "", " f", "\"", "g\r\n", "  "}};
  for (std::size_t step = 1; step < 40; ++step) {
    CsvScanner scanner(in_pieces(text, step), ',', "");
    std::vector<Row> rows;
    while (scanner.next()) {
      Row& row = rows.emplace_back();
      for (std::size_t i = 0; i < scanner.cells().size(); ++i) {
        row.emplace_back(scanner.whole_cell(i));
      }
    }
    EXPECT_EQ(rows, expected) << step;
  }
  CsvScanner by_tab({"a \t b\t\t\" \t\"", "t"}, '\t', "");
  ASSERT_TRUE(by_tab.next());
  EXPECT_EQ(by_tab.whole_cell(0), "a ");
  EXPECT_EQ(by_tab.whole_cell(1), " b");
  EXPECT_EQ(by_tab.whole_cell(2), "");
  EXPECT_EQ(by_tab.whole_cell(3), " \t");
  CsvScanner by_blanks({"  a   \" b \"  ", "t"}, ' ', "");
  ASSERT_TRUE(by_blanks.next());
  EXPECT_EQ(by_blanks.whole_cell(0), "a");
  EXPECT_EQ(by_blanks.whole_cell(1), "b");
}

TEST(TextWindow, ATextInPiecesIsTheSameTextToTheCsvScanner) {
  const std::string texts[] = {"",
                               "a",
                               "\xEF\xBB\xBF"
                               "a,b\r\n1,2\r\n",
                               "\xEF\xBB",
                               "#c\n\n a ,\"x\"\"y\"\n#\"\n\"two\nlines\",2",
                               "a\n\"never closed\n\n",
                               "\"a\"b\n1\n",
                               "a,\n,\n\n#"};
  for (const std::string& text : texts) {
    for (const char separator : {',', ' '}) {
      const std::string expected = transcript({text, "t"}, separator);
      for (std::size_t step = 1; step < 9; ++step) {
        EXPECT_EQ(transcript(in_pieces(text, step), separator), expected) << text << step;
      }
    }
  }
}

TEST(TextWindowProperty, SoAreTextsOfAwkwardCharacters) {
  EXPECT_TRUE(rc::check([] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\n #\r\t")));
    RC_PRE(text.find('\r') == text.npos || text.find('\n') != text.npos);  // refused beforehand
    const auto step = *rc::gen::inRange<std::size_t>(1, 20);
    RC_ASSERT(transcript(in_pieces(text, step), ',') == transcript({text, "t"}, ','));
  }));
}

TEST(TextWindow, RowsLongerThanAnyBlockAreRead) {
  const std::string cell(3'000'000, 'x');
  const std::string text = "s,a\n" + cell + ",1\n\"" + cell + "\",2\n";
  const std::vector<TableColumn> columns{{"s", CellKind::category}, {"a"}};
  const Table table = read_csv(in_pieces(text, 100'000), {}, columns);
  EXPECT_THAT(table.numbers, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(table.categories[0].levels, std::vector{cell});
}

TEST(TextWindow, AnArffTextInPiecesIsTheSameText) {
  const std::string text =
      "% c\n@relation r\n@attribute 'a b' real\n@attribute s {u,'v w'}\n@data\n1,u\n\n% c\n2,'v w'";
  for (std::size_t step = 1; step < 9; ++step) {
    const Table table = read_arff(in_pieces(text, step),
                                  std::vector<TableColumn>{{"a b"}, {"s", CellKind::category}});
    EXPECT_THAT(table.numbers, ::testing::ElementsAre(1, 2));
    EXPECT_THAT(table.categories[0].codes, ::testing::ElementsAre(0, 1));
  }
}

TEST(TextWindow, CarriageReturnsInThePlaceOfLineFeedsAreOneMessage) {
  const std::string rule = "'own.csv': its lines end in carriage returns alone";
  EXPECT_THAT(input_error([] { TextWindow("x,s\r1,u\r", "own.csv"); }), ::testing::HasSubstr(rule));
  EXPECT_NO_THROW(TextWindow("x,s\r\n1,u\r\n", "own.csv"));
  EXPECT_NO_THROW(TextWindow("x,s\r", "own.csv"));
  EXPECT_NO_THROW(TextWindow("", "own.csv"));
}

TEST(TextWindow, AZeroByteIsFoundInWhateverPieceItLies) {
  const std::string text("a\n1\n\0", 5);
  for (const std::size_t step : {1u, 2u, 100u}) {
    EXPECT_THAT(input_error([&] { (void)read_csv(in_pieces(text, step), {}, {}); }),
                HasSubstr("it holds a zero byte"));
  }
}

}  // namespace
}  // namespace fairfront::data
