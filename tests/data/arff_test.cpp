#include "data/readers/arff.hpp"

#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr CellKind number = CellKind::number;
constexpr CellKind category = CellKind::category;

Table read(const std::string& text, const std::vector<TableColumn>& columns) {
  return read_arff({text, "t.arff"}, columns);
}

/// The message for rows under the header "x numeric, s {u, v}".
std::string row_error(const std::string& rows) {
  const std::string text = "@relation r\n@attribute x numeric\n@attribute s {u,v}\n@data\n" + rows;
  return input_error([&] { (void)read(text, {{"x"}, {"s", category}}); });
}

std::string header_error(const std::string& header) {
  return input_error([&] { (void)read(header + "\n@data\n1\n", {{"x"}}); });
}

TEST(Arff, ReadsNumericAndNominalColumnsInTheOrderAskedFor) {
  const Table table = read(
      "@relation people\n@attribute x numeric\n@attribute s {v,u,w}\n@attribute y real\n@data\n"
      "1,u,2.5\n-3e1,v,+4\n",
      {{"y"}, {"s", category}, {"x"}});
  EXPECT_EQ(table.rows, 2);
  EXPECT_THAT(table.numbers, ElementsAre(2.5, 1, 4, -30));
  EXPECT_THAT(table.categories[0].levels, ElementsAre("v", "u")) << "in the declared order";
  EXPECT_THAT(table.categories[0].codes, ElementsAre(1, 0));
}

TEST(Arff, ReadsTheSameFromEveryAwkwardFormOfOneFile) {
  for (const std::string text :
       {"@relation r\n@attribute x numeric\n@attribute s {u,v}\n@data\n1,u\n2,v\n",
        "@relation r\n@attribute x numeric\n@attribute s {u,v}\n@data\n1,u\n2,v",
        "% note\r\n\r\n@RELATION r\r\n@Attribute x REAL\r\n@ATTRIBUTE s { u , v }\r\n@DATA\r\n\r\n"
        "1 , u\r\n% between, rows\r\n 2,\tv \r\n",
        "\xEF\xBB\xBF@relation 'a relation'\n@attribute 'x' integer\n@attribute \"s\"{'u',\"v\"}\n"
        "   @data  \n1,'u'\n   % indented\n\"2\",v\n\n\n",
        "@relation\n@attribute\tx\tnumeric [0,9]\n@attribute\ts\t{u,v}\n@data % "
        "rows\n1,u\n2,v\n"}) {
    const Table table = read(text, {{"x"}, {"s", category}});
    EXPECT_THAT(table.numbers, ElementsAre(1, 2)) << text;
    EXPECT_THAT(table.categories[0].levels, ElementsAre("u", "v")) << text;
    EXPECT_THAT(table.categories[0].codes, ElementsAre(0, 1)) << text;
  }
}

TEST(Arff, QuotesHoldSeparatorsBlanksBracesCommentSignsAndEscapes) {
  const Table table = read(
      "@attribute 'the name' {'a,b','c}','50%','it\\'s','back\\\\','say \"no\"','tab\\t','?'}\n"
      "@attribute x numeric\n@data\n"
      "'a,b',1\n\"c}\",2\n'50%',3\n'it\\'s',4\n\"back\\\\\",5\n\"say \\\"no\\\"\",6\n'tab\\t',7\n"
      "'?',8\n",
      {{"the name", category}, {"x"}});
  EXPECT_THAT(table.categories[0].levels,
              ElementsAre("a,b", "c}", "50%", "it's", "back\\", "say \"no\"", "tab\t", "?"));
  EXPECT_EQ(table.rows, 8) << "a quoted question mark is not missing";
}

TEST(Arff, ANominalColumnOfNumbersIsReadAsNumbersOrAsPlaces) {
  const std::string text = "@attribute a {30,10,20}\n@data\n10\n30\n";
  EXPECT_THAT(read(text, {{"a", number}}).numbers, ElementsAre(10, 30));
  EXPECT_THAT(
      read(text, {{"a", CellKind::ordinal, MissingCell::error, {"10", "20", "30"}}}).numbers,
      ElementsAre(1, 3));
  EXPECT_THAT(input_error([&] {
                (void)read(text, {{"a", CellKind::ordinal, MissingCell::error, {"10", "20"}}});
              }),
              HasSubstr("t.arff: line 4, column 'a': the cell must be one of 10, 20"));
}

TEST(Arff, MissingValuesAreErrorsOrDropTheirRows) {
  EXPECT_THAT(row_error("1,u\n?,v\n"),
              HasSubstr("t.arff: line 6, column 'x': the cell is missing"));
  const std::string text = "@attribute x real\n@attribute s {u,v}\n@data\n1,u\n?,v\n3, ? \n";
  const Table table =
      read(text, {{"x", number, MissingCell::drop}, {"s", category, MissingCell::drop}});
  EXPECT_THAT(table.numbers, ElementsAre(1));
  EXPECT_EQ(table.rows_read, 3);
}

TEST(Arff, BadRowsNameFileLineAndColumnAndNeverTheValue) {
  const ::testing::Matcher<std::string> no_value = Not(HasSubstr("secret"));
  EXPECT_THAT(
      row_error("1,u\nsecret,v\n"),
      AllOf(HasSubstr("t.arff: line 6, column 'x': the cell must be a finite number"), no_value));
  EXPECT_THAT(row_error("1,u\n2,secret\n"),
              AllOf(HasSubstr("t.arff: line 6, column 's': the cell must be one of "), no_value));
  EXPECT_THAT(row_error("1,u\n2,u,secret\n"),
              AllOf(HasSubstr("line 6: the row has 3 cells, the header has 2"), no_value));
  EXPECT_THAT(row_error("1,'secret\n"), AllOf(HasSubstr("line 5: a quote is opened"), no_value));
  EXPECT_THAT(row_error("1,'secret\\'\n"), AllOf(HasSubstr("line 5: a quote is opened"), no_value));
  EXPECT_THAT(row_error("1,'u'secret\n"), AllOf(HasSubstr("line 5: text stands behind"), no_value));
  EXPECT_THAT(row_error("1,u % secret\n"), AllOf(HasSubstr("line 5: a % outside"), no_value));
  EXPECT_THAT(row_error("1,\n"), HasSubstr("line 5: a value is empty"));
  EXPECT_THAT(row_error("{0 1, 1 u}\n"), HasSubstr("line 5: sparse rows"));
  EXPECT_THAT(row_error("1,u,{5}\n"), HasSubstr("line 5: weights of rows"));
  EXPECT_THAT(row_error("inf,u\n"), HasSubstr("line 5, column 'x': the cell must be a finite"));
}

TEST(Arff, BadHeadersNameTheirLine) {
  EXPECT_THAT(header_error("@relation r\n@attribute x relational"),
              HasSubstr("t.arff: line 2: the type must be"));
  EXPECT_THAT(header_error("@attribute x {a,b"), HasSubstr("line 1: a list of names is opened"));
  EXPECT_THAT(header_error("@attribute x {a} b"), HasSubstr("line 1: text stands behind a list"));
  EXPECT_THAT(header_error("@attribute"), HasSubstr("line 1: @attribute needs a name"));
  EXPECT_THAT(header_error("@attributes x real"), HasSubstr("line 1: the header holds"));
  EXPECT_THAT(header_error("x,y"), HasSubstr("line 1: the header holds"));
  EXPECT_THAT(header_error("@relation r"), HasSubstr("line 2: @data stands before any @attribute"));
  EXPECT_THAT(input_error([] { (void)read("@attribute x real\n", {{"x"}}); }),
              HasSubstr("t.arff: the file has no @data line"));
  EXPECT_THAT(input_error([] { (void)read("", {{"x"}}); }), HasSubstr("no @data line"));
  EXPECT_THAT(header_error("@attribute age real"), HasSubstr("no column 'x'"));
  EXPECT_THAT(header_error("@attribute x real\n@attribute x real"),
              HasSubstr("the header names column 'x' 2 times"));
}

TEST(Arff, AFileOfOnesOwnIsLoadedAlsoCompressed) {
  const TemporaryFolder folder;
  folder.write_gzip("own.arff.gz", "@attribute x real\n@attribute s {u,v}\n@data\n1,v\n2,u\n3,v\n");
  WholeSetOptions options;
  options.data = "arff";
  options.file = "own.arff.gz";
  options.features = {"x"};
  options.sensitive = {"s"};
  const Dataset set = load(options, folder.path(), false);
  EXPECT_THAT(set.features, ElementsAre(1, 2, 3));
  EXPECT_THAT(set.group_names, ElementsAre("u", "v"));
  EXPECT_EQ(set.provenance.name, "arff");
  options.sensitive = {};
  EXPECT_THAT(input_error([&] { (void)load(options, folder.path(), false); }),
              HasSubstr("the file has: x, s"));
  options.separator = ";";
  EXPECT_THAT(input_error([&] { (void)load(options, folder.path(), false); }),
              HasSubstr("data.separator is for data.data = csv"));
}

}  // namespace
}  // namespace fairfront::data
