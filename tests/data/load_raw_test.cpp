#include "data/load_raw.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>

#include "data/comparison.hpp"
#include "data/group_columns.hpp"
#include "data/readers/libsvm.hpp"
#include "data/readers/reading_scope.hpp"
#include "data/supervised.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SupervisedOptions own() {
  SupervisedOptions options;
  options.data = "csv";
  options.features = {"x"};
  options.sensitive = {"s"};
  options.label = "y";
  return options;
}

RawTable raw_of(const std::string& text, SupervisedOptions options,
                const std::string& test_text = "") {
  const TemporaryFolder folder;
  options.file = folder.write("own.txt", text);
  if (!test_text.empty()) options.test_file = folder.write("test.txt", test_text);
  return load_raw(options, folder.path(), false);
}

std::string error_of(const std::string& text, const SupervisedOptions& options) {
  return input_error([&] { (void)raw_of(text, options); });
}

TEST(Comparison, HoldsForCellsAndNumbers) {
  const auto above = parse_column_test("PINCP > 50000");
  ASSERT_TRUE(above);
  EXPECT_EQ(above->column, "PINCP");
  EXPECT_EQ(above->passes("50001"), true);
  EXPECT_EQ(above->passes("5e4"), false);
  EXPECT_EQ(above->passes("many"), std::nullopt);
  const auto between = parse_column_test("25 <= a b < 60");
  ASSERT_TRUE(between);
  EXPECT_EQ(between->column, "a b");
  for (const auto& [value, passes] :
       {std::pair{24.9, false}, {25.0, true}, {59.9, true}, {60.0, false}}) {
    EXPECT_EQ(between->passes(value), passes) << value;
  }
  EXPECT_EQ(parse_column_test("s == 1")->passes("1.0"), true);
  EXPECT_EQ(parse_column_test("s != a")->passes("b"), true);
  EXPECT_EQ(parse_column_test("s == a")->passes("b"), false);
}

TEST(Comparison, AConstantInQuotesIsATextAlsoWhereItIsANumber) {
  const auto other = parse_column_test("race != \"1.0\"");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->parts.front().text, "1.0");
  for (const auto& [cell, passes] : {std::pair{"1.0", false}, {"1", true}, {"01", true}}) {
    EXPECT_EQ(other->passes(cell), passes) << cell;
  }
  EXPECT_EQ(parse_column_test("race == \"1\"")->passes("1.0"), false);
  EXPECT_EQ(parse_column_test("race == 1")->passes("1.0"), true);
  EXPECT_EQ(parse_column_test("race == \"a \"\"b\"\"\"")->passes("a \"b\""), true);
  EXPECT_EQ(parse_column_test("race == a \"b\"")->passes("a \"b\""), true);
  for (const char* text : {"race != \"1", "race == \"1\" or so", "race == \"\"", "age > \"1\""}) {
    EXPECT_THROW((void)parse_column_test(text), std::invalid_argument) << text;
  }
}

TEST(Comparison, ANameIsNoneAndABrokenOneIsRefused) {
  EXPECT_FALSE(parse_column_test("default payment"));
  EXPECT_FALSE(parse_column_test("a<b"));
  for (const char* text : {"a < b", "a < ", " < 3", "1 > a < 3", "1 < a > 3", "1 < a < 2 < 3"}) {
    EXPECT_THROW((void)parse_column_test(text), std::invalid_argument) << text;
  }
}

TEST(Comparison, ConstantsAndColumnsMayLookLikeComparisonsThemselves) {
  for (const auto& [text, column, constant] : {std::array{"race != x != y", "race", "x != y"},
                                               {"race == a <= b < c", "race", "a <= b < c"},
                                               {"race != >= 50", "race", ">= 50"},
                                               {"column(race >= 3) != x", "race >= 3", "x"},
                                               {"column(a == (b)) == c == d", "a == (b)", "c == d"},
                                               {"column(a (b) == 1) != c", "a (b) == 1", "c"},
                                               {"column(age) >= 18", "age", "18"}}) {
    const auto test = parse_column_test(text);
    ASSERT_TRUE(test) << text;
    EXPECT_EQ(test->column, column);
    ASSERT_EQ(test->parts.size(), 1u) << text;
    EXPECT_EQ(test->parts.front().text, constant);
  }
  EXPECT_EQ(parse_column_test("race != x != y")->passes("x != y"), false);
  EXPECT_EQ(parse_column_test("race != x != y")->passes("x"), true);
  EXPECT_FALSE(parse_column_test("column(race)"));
  EXPECT_THROW((void)parse_column_test("column(race) < a"), std::invalid_argument);
  EXPECT_THROW((void)parse_column_test("column() != a"), std::invalid_argument);
}

TEST(SensitiveText, AColumnMayHaveAnyName) {
  for (const std::string name :
       {"x >= 5", "x >= ", "a < b < c", "largest(a, b)", "largest(a)", "column(x)", " a "}) {
    const std::string text = column_text(name);
    EXPECT_EQ(parse_sensitive(text).column, name) << text;
    EXPECT_TRUE(parse_sensitive(text).is_column()) << text;
  }
  EXPECT_EQ(column_text("sex"), "sex");
  EXPECT_EQ(column_text("column("), "column(");
  EXPECT_EQ(column_text("x >= 5"), "column(x >= 5)");
  EXPECT_FALSE(parse_sensitive("x >= 5").is_column());
  EXPECT_FALSE(literal_column("x >= 5"));
}

TEST(Labels, TwoValuesAreBinaryMoreNamesAreClassesOtherNumbersReal) {
  SupervisedOptions options = own();
  const RawTable signs = raw_of("x,s,y\n1,a,+1\n2,b,-1\n3,a,-1\n", options);
  EXPECT_EQ(signs.target, TargetKind::binary);
  EXPECT_THAT(signs.label, ElementsAre(1, 0, 0));
  EXPECT_THAT(signs.class_names, ElementsAre("-1", "1"));
  const RawTable words = raw_of("x,s,y\n1,a,yes\n2,b,no\n3,a,yes\n", options);
  EXPECT_THAT(words.label, ElementsAre(1, 0, 1));
  const RawTable classes = raw_of("x,s,y\n1,a,w\n2,b,u\n3,a,v\n", options);
  EXPECT_EQ(classes.target, TargetKind::classes);
  EXPECT_THAT(classes.label, ElementsAre(2, 0, 1));
  EXPECT_THAT(classes.class_names, ElementsAre("u", "v", "w"));
  const RawTable real = raw_of("x,s,y\n1,a,5\n2,b,7\n3,a,6.5\n", options);
  EXPECT_EQ(real.target, TargetKind::real);
  EXPECT_THAT(real.label, ElementsAre(5, 7, 6.5));
  options.target = TargetChoice::classes;
  EXPECT_THAT(raw_of("x,s,y\n1,a,5\n2,b,7\n3,a,6.5\n", options).label, ElementsAre(0, 2, 1));
  options.target = TargetChoice::real;
  EXPECT_THAT(raw_of("x,s,y\n1,a,1\n2,b,-1\n", options).label, ElementsAre(1, -1));
}

TEST(Reading, IsToldFromTheFirstByteToTheTableAndNotInsideAScopeOfItsOwn) {
  const TemporaryFolder folder;
  SupervisedOptions options = own();
  options.file = folder.write("people.csv", "x,s,y\n1,a,0\n2,b,1\n");
  std::vector<std::string> told;
  {
    const ReadingScope scope([&](const std::string& file) { told.push_back(file); });
    (void)load_raw(options, {}, false);
    const ReadingScope inner(ReadingScope::Told{});
    (void)load_raw(options, {}, false);
  }
  (void)load_raw(options, {}, false);
  EXPECT_THAT(told, ElementsAre(options.file, ""));
}

TEST(Labels, MapsPositivesAndThresholdsSayWhatIsOne) {
  SupervisedOptions options = own();
  const std::string text = "x,s,y\n1,a,low\n2,b,high\n3,a,middle\n";
  options.label_map = {"low:0", "middle:1", "high:1"};
  const RawTable mapped = raw_of(text, options);
  EXPECT_EQ(mapped.target, TargetKind::binary);
  EXPECT_THAT(mapped.label, ElementsAre(0, 1, 1));
  options.label_map = {"low:-2", "middle:0.5", "high:8"};
  EXPECT_THAT(raw_of(text, options).label, ElementsAre(-2, 8, 0.5));
  options_of(options).set("label_map", R"("low":-2, middle:0.5, "high":8)");
  EXPECT_THAT(raw_of(text, options).label, ElementsAre(-2, 8, 0.5));
  options.label_map = {"low:0", "middle:1"};
  EXPECT_THAT(error_of(text, options),
              AllOf(HasSubstr("column 'y', line 3: the label is in no entry of data.label_map"),
                    Not(HasSubstr("high"))));
  options.label_map = {};
  options.positive = {"high", "low"};
  const RawTable positive = raw_of(text, options);
  EXPECT_THAT(positive.label, ElementsAre(1, 1, 0));
  EXPECT_THAT(positive.class_names, ElementsAre("middle", "high, low"));
  options.positive = {"hihg"};
  EXPECT_THAT(error_of(text, options),
              HasSubstr("does not occur in this column, the label (did you mean 'high'?)"));
  options.positive = {};
  options.label = "y > 50000";
  const RawTable above = raw_of("x,s,y\n1,a,50000\n2,b,50001\n3,a,9\n", options);
  EXPECT_THAT(above.label, ElementsAre(0, 1, 0));
  EXPECT_THAT(above.class_names, ElementsAre("other", "y > 50000"));
}

TEST(Labels, APositiveValueThatOnlyRowsHaveWhichAreLeftOutIsSaidToBeThere) {
  SupervisedOptions options = own();
  options.positive = {"yes"};
  options.missing_rule = MissingPolicy::drop;
  const std::string text = "x,s,y\n1,a,no\n?,b,yes\n,a,yes\n4,b,no\n";
  EXPECT_THAT(
      error_of(text, options),
      HasSubstr("names 'yes', which 2 rows of column 'y', the label, hold, and of these none "
                "is left: they lack a cell, and data.missing_rule leaves them out"));
  options.positive = {"yse"};
  EXPECT_THAT(error_of(text, options), HasSubstr("'yse', which does not occur in this column"));
  options.positive = {"yes"};
  options.missing_rule = MissingPolicy::mean;
  EXPECT_THAT(raw_of(text, options).label, ElementsAre(0, 1, 1, 0));
}

TEST(Labels, ASingleValueAndNamesAmongNumbersAreRefused) {
  EXPECT_THAT(error_of("x,s,y\n1,a,1\n2,b,1\n", own()), HasSubstr("has 1 different value, must"));
  EXPECT_THAT(error_of("x,s,y\n1,a,1\n2,b,secret\n", own()),
              AllOf(HasSubstr("line 3: the label must be finite numbers throughout"),
                    Not(HasSubstr("secret"))));
  SupervisedOptions options = own();
  options.target = TargetChoice::binary;
  EXPECT_THAT(error_of("x,s,y\n1,a,1\n2,b,2\n3,b,3\n", options),
              HasSubstr("has 3 different values, must have 2"));
}

TEST(Groups, LevelsAreMappedAndNumberedAsTheMapSays) {
  SupervisedOptions options = own();
  const std::string text = "x,s,y\n1,7,0\n2,3,1\n3,1,0\n4,7,1\n";
  EXPECT_THAT(raw_of(text, options).group_names, ElementsAre("1", "3", "7"));
  options.group_map = {"*:other", "7:White"};
  const RawTable raw = raw_of(text, options);
  EXPECT_THAT(raw.group_names, ElementsAre("other", "White"));
  EXPECT_THAT(raw.group, ElementsAre(1, 0, 0, 1));
  options.group_map = {"8:none of them"};
  EXPECT_THAT(raw_of(text, options).warnings,
              ElementsAre(HasSubstr("'8' is no level"), HasSubstr("has 2 of 4 rows")));
  options.group_map = {"7"};
  EXPECT_THAT(error_of(text, options), HasSubstr("'7' must be level:name"));
}

TEST(Groups, ALevelWithTwoNamesIsRefused) {
  SupervisedOptions options = own();
  const std::string text = "x,s,y\n1,7,0\n2,3,1\n3,1,0\n4,7,1\n";
  options.group_map = {"7:White", "7:Black", "*:other"};
  EXPECT_THAT(error_of(text, options),
              HasSubstr("data.group_map: '7' is called both 'White' and 'Black'"));
  options.group_map = {"7:White", "*:other", "*:rest"};
  EXPECT_THAT(error_of(text, options), HasSubstr("'*' is called both 'other' and 'rest'"));
  options.group_map = {"7:White", "7:White", "*:other"};
  EXPECT_THAT(raw_of(text, options).group_names, ElementsAre("White", "other"));
  options.group_map = {};
  options.label_map = {"0:0", "1:1", "1:0"};
  EXPECT_THAT(error_of(text, options), HasSubstr("data.label_map: '1' is both 1 and 0"));
}

TEST(Groups, LevelsAndNamesOfTheMapStandInQuotesAsInOtherLists) {
  const std::string text = "x,s,y\n1,\"a, b\",0\n2,c:d,1\n3,*,0\n4,e,1\n";
  const auto names_of = [&](std::string_view map) {
    SupervisedOptions options = own();
    options_of(options).set("group_map", map);
    return raw_of(text, options).group_names;
  };
  EXPECT_THAT(names_of(R"(*:"not A")"), ElementsAre("not A"));
  EXPECT_THAT(names_of(R"("a, b":"A, B", "c:d":"C: D", *:"others, all")"),
              ElementsAre("A, B", "C: D", "others, all"));
  EXPECT_THAT(names_of(R"("*":star, *:other)"), ElementsAre("star", "other"));
}

TEST(Groups, ComparisonsAndTheLargestOfColumnsMakeGroups) {
  SupervisedOptions options = own();
  options.sensitive = {"25 <= age <= 60"};
  const RawTable ages = raw_of("x,age,y\n1,24,0\n2,25,1\n3,60,0\n4,61,1\n", options);
  EXPECT_THAT(ages.group_names, ElementsAre("other", "25 <= age <= 60"));
  EXPECT_THAT(ages.group, ElementsAre(0, 1, 1, 0));
  options.sensitive = {"largest(a, b, c)"};
  options.group_map = {"*:not b", "b:b"};
  const RawTable largest =
      raw_of("x,a,b,c,y\n1,.5,.3,.2,0\n2,.1,.8,.1,1\n3,.4,.4,.2,0\n4,0,0,1,1\n", options);
  EXPECT_THAT(largest.group_names, ElementsAre("not b", "b"));
  EXPECT_THAT(largest.group, ElementsAre(0, 1, 0, 0)) << "of equal columns the first";
}

TEST(Groups, TheLargestOfColumnsWhoseNamesStandInQuotes) {
  SupervisedOptions options = own();
  options.sensitive = {R"(largest("a, (1", " b", c))"};
  const RawTable raw = raw_of(
      "x,\"a, (1\",\" b\",c,y\n1,.5,.3,.2,0\n2,.1,.8,.1,1\n3,.1,.3,.6,0\n4,.2,.8,0,1\n", options);
  EXPECT_THAT(raw.group_names, ElementsAre("a, (1", " b", "c"));
  EXPECT_THAT(raw.group, ElementsAre(0, 1, 2, 1));
  EXPECT_THROW((void)parse_sensitive(R"(largest("a, b))"), base::InputError);
}

TEST(Groups, SeveralAttributesMakeTheirProduct) {
  SupervisedOptions options = own();
  options.sensitive = {"s", "age >= 30"};
  const RawTable raw = raw_of("x,s,age,y\n1,a,20,0\n2,b,40,1\n3,a,50,0\n", options);
  EXPECT_THAT(raw.group_names, ElementsAre("a x other", "a x age >= 30", "b x age >= 30"));
  EXPECT_THAT(raw.provenance.recipe,
              HasSubstr("; groups 0 .. 2: a x other, a x age >= 30, b x age >= 30"));
  EXPECT_THAT(raw.group, ElementsAre(0, 2, 1));
  EXPECT_EQ(raw.attributes.size(), 2u);
}

TEST(Rows, ThoseThatDoNotPassWhereAreLeftOut) {
  SupervisedOptions options = own();
  options.where = {"ST == 40", "x >= 2"};
  const RawTable raw =
      raw_of("ST,x,s,y\n40,1,a,0\n40,2,b,1\n8,bad,c,0\n40,3,a,0\n?,3,a,0\n", options);
  EXPECT_THAT(raw.columns[0].numbers, ElementsAre(2, 3));
  EXPECT_THAT(raw.group_names, ElementsAre("a", "b"));
  EXPECT_EQ(raw.provenance.file_rows, 5);
  options.where = {"x"};
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n", options), HasSubstr("data.where = 'x', must be"));
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n", options), Not(HasSubstr("quote")));
  options.where = {"x > 9"};
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n", options), HasSubstr("no row is left: all 1"));
  options.where = {"s > 9"};
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n", options),
              HasSubstr("line 2, column 's': the cell must be a number to be compared"));
}

TEST(Rows, AValueWithACommaThatIsNotQuotedIsToldHowToWriteIt) {
  SupervisedOptions options = own();
  const std::string table = "x,s,y\n1,\"n, a\",0\n2,b,1\n3,c,0\n";
  const auto said = [&](const std::vector<std::string>& where) {
    options.where = where;
    return error_of(table, options);
  };
  EXPECT_THAT(said({"s != n", "a"}), HasSubstr("data.where = 'a', must be a comparison, such as "
                                               "age >= 18; if it belongs to the value before it"));
  EXPECT_THAT(said({"s != n", "a"}), HasSubstr(R"(where = """s != n, a""")"));
  EXPECT_THAT(said({"x > 1", "s != n", "a", "b", "x < 3"}),
              HasSubstr(R"(where = x > 1, "s != n, a, b", x < 3)"));
  EXPECT_THAT(said({"x > 1", "5", "x < 3"}), Not(HasSubstr("quote"))) << "no number has a comma";
  options.where = {"s != n, a"};
  EXPECT_EQ(raw_of(table, options).rows, 2);
}

TEST(Features, AStarIsEveryColumnWithoutAnotherUse) {
  SupervisedOptions options = own();
  options.features = {"*"};
  options.split = "part";
  const RawTable raw = raw_of("a,s,b,y,part\n1,u,2,0,train\n3,v,4,1,test\n", options);
  ASSERT_EQ(raw.columns.size(), 2u);
  EXPECT_EQ(raw.columns[0].name, "a");
  EXPECT_EQ(raw.columns[1].name, "b");
}

TEST(Features, TheLabelIsNone) {
  SupervisedOptions options = own();
  options.features = {"x", "y"};
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n2,b,1\n", options),
              HasSubstr("names 'y', which is data.label"));
  options.label = "y > 3";
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n2,b,1\n", options),
              HasSubstr("names 'y', which is data.label"));
  options.features = {};
  EXPECT_THAT(error_of("x,s,y\n1,a,0\n2,b,1\n", options),
              HasSubstr("data.features must name at least one column; the file has: x, s, y"));
}

TEST(TestFile, ItsRowsStandBehindAndShareTheLevels) {
  SupervisedOptions options = own();
  options.features = {"c"};
  options.categorical = {"c"};
  const RawTable raw = raw_of("c,s,y\nu,a,0\nv,b,1\n", options, "y,c,s\n1,w,b\n0,u,a\n");
  EXPECT_THAT(raw.file, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(raw.columns[0].names.levels, ElementsAre("u", "v", "w"));
  EXPECT_THAT(raw.columns[0].names.codes, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(raw.label, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(raw.provenance.sha256.size(), 2u);
  EXPECT_THAT(split_of(raw, {.validation = 0}).test, ElementsAre(2, 3));
}

TEST(Subsample, KeepsFileOrder) {
  SupervisedOptions options = own();
  std::string text = "x,s,y\n";
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? ",a," : ",b,") + std::to_string(i % 3) + "\n";
  }
  options.subsample = 30;
  const RawTable raw = raw_of(text, options);
  EXPECT_EQ(raw.rows, 30);
  EXPECT_TRUE(std::ranges::is_sorted(raw.columns[0].numbers));
  options.subsample = 101;
  EXPECT_THAT(error_of(text, options), HasSubstr("data.subsample = 101, must be <= 100"));
}

SupervisedOptions libsvm() {
  SupervisedOptions options;
  options.data = "libsvm";
  options.sensitive = {"2"};
  return options;
}

TEST(Libsvm, ReadsRowsLabelsAndGroups) {
  const RawTable raw = raw_of("+1 1:0.5 3:2 # a comment\n\n-1 2:1\r\n  1\t1:1 2:1 3:0\n", libsvm());
  EXPECT_EQ(raw.rows, 3);
  EXPECT_EQ(raw.sparse.columns, 3);
  EXPECT_THAT(raw.sparse.offsets, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(raw.sparse.index, ElementsAre(0, 2, 1, 0, 1));
  EXPECT_THAT(raw.sparse.value, ElementsAre(0.5, 2, 1, 1, 1));
  EXPECT_THAT(raw.label, ElementsAre(1, 0, 1));
  EXPECT_THAT(raw.class_names, ElementsAre("-1", "1"));
  EXPECT_THAT(raw.group_names, ElementsAre("0", "1"));
  EXPECT_THAT(raw.group, ElementsAre(0, 1, 1));
}

TEST(Libsvm, EntriesAreScaledLikeTheColumnsOfATable) {
  const RawTable sparse = raw_of("1 1:4 2:1\n-1 2:1\n1 1:2\n", libsvm());
  Split split;
  split.train = {0, 1};
  split.test = {2};
  // Column 1 holds 4, 0 | 2 and column 2 holds 1, 1 | 0.
  const SupervisedSet set = prepare(sparse, split, {.scaling = FittedScaling::minmax});
  EXPECT_THAT(set.set.features, ElementsAre(1, 0, 0, 0, 0.5, 0));
  const SupervisedSet zscore = prepare(sparse, split, {.scaling = FittedScaling::zscore});
  EXPECT_THAT(zscore.set.features, ElementsAre(1, 0, -1, 0, 0, 0));
}

TEST(Libsvm, ARowWithoutEntriesIsARowOfZeros) {
  SupervisedOptions options = libsvm();
  options.sensitive = {"1 > 3"};
  const RawTable raw = raw_of("0\n2.5 1:4\n7", options);
  EXPECT_THAT(raw.sparse.offsets, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(raw.target, TargetKind::real);
  EXPECT_THAT(raw.group, ElementsAre(0, 1, 0));
}

TEST(Libsvm, TwoFilesShareTheirFeatures) {
  const RawTable raw = raw_of("1 2:1\n-1 1:1\n", libsvm(), "-1 5:1\n1 2:1\n");
  EXPECT_EQ(raw.sparse.columns, 5);
  EXPECT_THAT(raw.file, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(raw.sparse.indices_of(2), ElementsAre(4));
  EXPECT_EQ(raw.sparse.rows(), 4);
}

TEST(Libsvm, LinesThatBreakTheFormatAreNamed) {
  const auto error = [](const std::string& line) {
    SupervisedOptions options = libsvm();
    options.columns = 9;
    return error_of("1 2:1\n" + line + "\n", options);
  };
  EXPECT_THAT(error("yes 1:1"), HasSubstr("own.txt: line 2: the label must be a finite number"));
  EXPECT_THAT(error("nan 1:1"), HasSubstr("line 2: the label must be a finite number"));
  EXPECT_THAT(error("1 3:1 3:2"), HasSubstr("line 2: an index is there twice"));
  EXPECT_THAT(error("1 3:1 2:2"), HasSubstr("line 2: the indices must ascend"));
  EXPECT_THAT(error("1 0:1"), HasSubstr("line 2: an index must be an integer from 1"));
  EXPECT_THAT(error("1 10:1"), HasSubstr("line 2: an index is above 9"));
  EXPECT_THAT(error("1 3:inf"), HasSubstr("line 2: a value must be a finite number"));
  EXPECT_THAT(error("1 3"), HasSubstr("line 2: behind the label there must be index:value"));
  EXPECT_THAT(error("1 qid:3 1:1"), HasSubstr("line 2: files of rankings"));
  EXPECT_THAT(error_of("# nothing\n\n", libsvm()), HasSubstr("the file has no rows"));
}

TEST(Libsvm, PiecesOfATextAreReadLikeTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::container<std::vector<std::vector<int>>>(
        rc::gen::container<std::vector<int>>(4, rc::gen::inRange(-2, 3)));
    RC_PRE(!rows.empty());
    std::string text;
    std::vector<double> values;
    for (const auto& row : rows) {
      text += row[0] > 0 ? "+1" : "-1";
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c] != 0) text += fmt::format(" {}:{}", c + 1, 0.25 * row[c]);
        values.push_back(0.25 * row[c]);
      }
      text += '\n';
    }
    const auto step = *rc::gen::inRange<std::size_t>(1, 9);
    std::size_t at = 0;
    const LibsvmRows read =
        read_libsvm({[&](std::span<char> out) {
                       const std::size_t count = std::min({step, text.size() - at, out.size()});
                       std::copy_n(text.data() + at, count, out.data());
                       at += count;
                       return count;
                     },
                     "t"},
                    4);
    std::vector<double> dense(values.size(), 0);
    for (std::int64_t row = 0; row < read.features.rows(); ++row) {
      const auto indices = read.features.indices_of(row);
      for (std::size_t entry = 0; entry < indices.size(); ++entry) {
        dense.at(static_cast<std::size_t>(row * 4 + indices[entry])) =
            read.features.values_of(row)[entry];
      }
    }
    RC_ASSERT(dense == values);
    RC_ASSERT(read.label.size() == rows.size());
  }));
}

TEST(Libsvm, OptionsOfTablesAreRefused) {
  SupervisedOptions options = libsvm();
  options.label = "y";
  EXPECT_THAT(error_of("1 2:1\n-1 1:1\n", options), HasSubstr("data.label must be empty"));
  options = libsvm();
  options.sensitive = {"3"};
  EXPECT_THAT(error_of("1 2:1\n-1 1:1\n", options),
              HasSubstr("'3' must be the number of a feature, 1 to 2"));
  options.sensitive = {};
  EXPECT_THAT(error_of("1 2:1\n-1 1:1\n", options), HasSubstr("data.sensitive must be the number"));
}

}  // namespace
}  // namespace fairfront::data
