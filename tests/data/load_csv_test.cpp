#include <fmt/format.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "data/load.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

DataOptions own_file(const std::string& file) {
  DataOptions options;
  options.data = "csv";
  options.file = file;
  options.features = {"x"};
  options.sensitive = {"s"};
  return options;
}

/// Loads a file that holds `text`.
Dataset load_text(const std::string& text, DataOptions options) {
  const TemporaryFolder folder;
  options.data = "csv";
  options.file = folder.write("own.csv", text);
  return load(options, folder.path(), false);
}

std::string error_of(const std::string& text, const DataOptions& options) {
  return input_error([&] { (void)load_text(text, options); });
}

TEST(LoadCsv, ReadsFeaturesGroupsLabelAndSplit) {
  DataOptions options = own_file("");
  options.features = {"y", "x"};
  options.label = "l";
  options.split = "part";
  const Dataset set =
      load_text("x,y,s,l,part\n1,2,u,0.5,train\n3,4,v,1.5,test\n5,6,u,0.5,train\n", options);
  EXPECT_EQ(set.rows, 3);
  EXPECT_EQ(set.columns, 2);
  EXPECT_THAT(set.features, ElementsAre(2, 1, 4, 3, 6, 5));
  EXPECT_THAT(set.row(1), ElementsAre(4, 3));
  EXPECT_THAT(set.feature_names, ElementsAre("y", "x"));
  EXPECT_THAT(set.group, ElementsAre(0, 1, 0));
  EXPECT_THAT(set.group_names, ElementsAre("u", "v"));
  EXPECT_THAT(set.label, ElementsAre(0.5, 1.5, 0.5));
  EXPECT_THAT(set.split, ElementsAre(0, 1, 0));
  EXPECT_THAT(set.split_names, ElementsAre("train", "test"));
}

TEST(LoadCsv, WhatIsNoFileIsRefusedInsteadOfRead) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "pipe.csv").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((folder.path() / "socket.csv").c_str(), S_IFSOCK | 0600, 0), 0);
  std::filesystem::create_symlink("loop.csv", folder.path() / "loop.csv");
  std::filesystem::create_directory(folder.path() / "folder.csv");
  folder.write_gzip("packed.csv.gz", "x,s\n1,u\n");
  const auto error = [&](const std::string& file) {
    return input_error([&] { (void)load(own_file(file), folder.path(), false); });
  };
  EXPECT_THAT(error("pipe.csv"), HasSubstr("it is a pipe"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("it is a device"));
  EXPECT_THAT(error("/dev/tty"), HasSubstr("it is a device"));
  EXPECT_THAT(error("socket.csv"), HasSubstr("it is a socket"));
  EXPECT_THAT(error("/proc/self/status"), HasSubstr("the kernel makes its content"));
  EXPECT_THAT(error("folder.csv"), HasSubstr("it is a directory"));
  EXPECT_THAT(error("loop.csv"), HasSubstr("symbolic links"));
  EXPECT_THAT(error(std::string(300, 'x')), HasSubstr("name too long"));
  EXPECT_THAT(error("packed.csv"), HasSubstr("packed.csv.gz'"));
}

TEST(LoadCsv, NamesThatAreNotUtf8ArePlaced) {
  EXPECT_THAT(error_of("x,s\n1,u\n2,caf\xe9\n", own_file("")),
              HasSubstr("line 3, column 's': the name is not UTF-8"));
  EXPECT_EQ(load_text("x,s,n\xe4me\n1,u,\xe4\n2,v,b\n", own_file("")).rows, 2);  // not wanted
}

TEST(LoadCsv, ARowInThePlaceOfTheHeaderIsNotPrinted) {
  const std::string text = "39,Smith,secret\n1,2,3\n";
  EXPECT_THAT(error_of(text, own_file("")),
              AllOf(HasSubstr("is there a header?"), Not(HasSubstr("secret"))));
  DataOptions options = own_file("");
  options.features.clear();
  EXPECT_THAT(error_of(text, options),
              AllOf(HasSubstr("is there a header?"), Not(HasSubstr("secret"))));
}

TEST(LoadCsv, AHundredThousandColumnsAreReadInALinearTime) {
  std::string header, row;
  DataOptions options = own_file("");
  options.features.clear();
  for (int i = 0; i < 100'000; ++i) {
    options.features.push_back(fmt::format("c{}", i));
    header += options.features.back() + ",";
    row += "1,";
  }
  const Dataset set = load_text(header + "s\n" + row + "u\n" + row + "v\n", options);
  EXPECT_EQ(set.columns, 100'000);  // a minute, if quadratic
  options.features = {"x"};
  EXPECT_LT(error_of(header + "s\n" + row + "u\n", options).size(), 1000u);
}

TEST(LoadCsv, ALabelOfNamesBecomesCodesAndAMixedOneIsRefused) {
  DataOptions options = own_file("");
  options.label = "l";
  EXPECT_THAT(load_text("x,s,l\n1,u,no\n2,v,yes\n3,u,no\n", options).label, ElementsAre(0, 1, 0));
  EXPECT_THAT(error_of("x,s,l\n1,u,0\n2,v,secret\n", options),
              AllOf(HasSubstr("column 'l', line 3: the label must be finite numbers throughout"),
                    Not(HasSubstr("secret"))));
}

TEST(LoadCsv, SeveralSensitiveColumnsMakeProductGroups) {
  DataOptions options = own_file("");
  options.sensitive = {"s", "t"};
  const Dataset set = load_text("x,s,t\n1,M,W\n2,F,B\n3,F,W\n4,M,W\n", options);
  EXPECT_THAT(set.group_names, ElementsAre("M x W", "F x W", "F x B"));
  EXPECT_THAT(set.group, ElementsAre(0, 2, 1, 0));
}

TEST(LoadCsv, ColumnsAreNumberedWithoutAHeaderAndSeparatorsHaveNames) {
  DataOptions options;
  options.header = false;
  options.separator = "blank";
  options.features = {"3"};
  options.sensitive = {"1"};
  EXPECT_THAT(load_text("u  9 1\nv\t9 2\n", options).features, ElementsAre(1, 2));
  options.separator = "tab";
  EXPECT_THAT(load_text("u\t9\t1\nv\t9\t2\n", options).features, ElementsAre(1, 2));
}

TEST(LoadCsv, ScalesColumnsOverAllRowsBeforeTheDraw) {
  DataOptions options = own_file("");
  options.standardise = Scaling::zscore;
  const std::string text = "x,s\n1,u\n1,u\n3,u\n3,u\n";
  EXPECT_THAT(load_text(text, options).features, ElementsAre(-1, -1, 1, 1));
  options.subsample = 1;
  EXPECT_EQ(std::abs(load_text(text, options).features[0]), 1);
  options.row_normalise = RowNorm::unit;
  options.standardise = Scaling::catalogue;
  EXPECT_THAT(load_text(text, options).features, ElementsAre(1));
}

TEST(LoadCsv, TheProvenanceSaysWhatWasDone) {
  DataOptions options = own_file("");
  options.missing_rule = MissingRule::drop;
  options.standardise = Scaling::zscore;
  options.subsample = 2;
  options.subsample_seed = 7;
  const Provenance provenance = load_text("x,s\n1,u\n?,u\n3,u\n", options).provenance;
  EXPECT_EQ(provenance.name, "csv");
  EXPECT_EQ(provenance.source, "own.csv");
  EXPECT_THAT(provenance.files, ElementsAre("own.csv"));
  EXPECT_EQ(provenance.sha256[0].size(), 64u);
  EXPECT_EQ(provenance.file_rows, 3);
  EXPECT_EQ(provenance.digest.size(), 64u);
  EXPECT_EQ(
      provenance.recipe,
      "all rows in file order; features x; sensitive s; 1 rows dropped for a missing cell; "
      "groups 0 .. 0: u; zscore over 2 rows; 2 rows drawn by numpy.random.RandomState(7).choice");
}

TEST(LoadCsv, TheFileIsSoughtInTheWorkingDirectoryThenInTheDataDirectory) {
  const TemporaryFolder folder;
  folder.write_gzip("sub/own.csv.gz", "x,s\n1,u\n");
  EXPECT_EQ(load(own_file("sub/own.csv.gz"), folder.path(), false).rows, 1);
  EXPECT_THAT(input_error([&] { (void)load(own_file("none.csv"), folder.path(), false); }),
              AllOf(HasSubstr("there is neither 'none.csv' nor"), HasSubstr("--data-dir")));
  EXPECT_THAT(input_error([&] { (void)load(own_file(""), folder.path(), false); }),
              HasSubstr("data.data = csv needs data.file"));
}

TEST(LoadCsv, UnnamedColumnsBringTheFilesColumns) {
  DataOptions options = own_file("");
  options.features = {};
  EXPECT_THAT(error_of("x,s\n1,u\n", options),
              AllOf(HasSubstr("data.features must name at least one numeric column"),
                    HasSubstr("has: x, s")));
  options = own_file("");
  options.sensitive = {};
  EXPECT_THAT(error_of("x,s\n1,u\n", options), HasSubstr("data.sensitive must name"));
  options = own_file("");
  options.features = {"x", "x"};
  EXPECT_THAT(error_of("x,s\n1,u\n", options), HasSubstr("data.features names column 'x' twice"));
}

TEST(LoadCsv, TextAmongTheFeaturesIsRefusedAndNotShown) {
  EXPECT_THAT(error_of("x,s\n1,u\nsecret,v\n", own_file("")),
              AllOf(HasSubstr("own.csv: line 3, column 'x': the cell must be a finite number"),
                    Not(HasSubstr("secret"))));
}

TEST(LoadCsv, AFileWithoutRowsIsRefused) {
  EXPECT_THAT(error_of("x,s\n", own_file("")), HasSubstr("the file has a header and no rows"));
  DataOptions options = own_file("");
  options.missing_rule = MissingRule::drop;
  EXPECT_THAT(error_of("x,s\n?,u\n2,?\n", options),
              HasSubstr("no row is left: all 2 have a missing cell"));
}

TEST(LoadCsv, TheDrawMustFitTheRowsAndLeaveNoGroupEmpty) {
  DataOptions options = own_file("");
  options.subsample = 3;
  EXPECT_THAT(error_of("x,s\n1,u\n2,v\n", options), HasSubstr("data.subsample = 3, must be <= 2"));
  options.subsample = 1;
  options.subsample_seed = 1;
  EXPECT_THAT(error_of("x,s\n1,u\n2,u\n3,u\n4,rare\n5,u\n6,u\n", options),
              HasSubstr("group 'rare' has no member among the 1 rows drawn"));
}

TEST(LoadCsvProperty, DrawnRowsKeepTheirGroupAndLabelTogether) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange(2, 60);
    std::string text = "x,s,l\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i) + ",all," + std::to_string(2 * i) + "\n";
    }
    DataOptions options = own_file("");
    options.label = "l";
    options.subsample = *rc::gen::inRange(1, rows + 1);
    options.subsample_seed = *rc::gen::inRange(0, 1000);
    const Dataset set = load_text(text, options);
    RC_ASSERT(set.rows == options.subsample);
    for (std::size_t i = 0; i < set.label.size(); ++i) {
      RC_ASSERT(set.label[i] == 2 * set.features[i]);
    }
  }));
}

TEST(DataOptionsTable, EveryValueReadsBackFromItsText) {
  DataOptions options;
  const base::OptionTable table = options_of(options);
  for (const char* separator : {"comma", ";", "tab", "blank", "|"}) {
    base::OptionTable copy = options_of(options);
    copy.set("separator", separator);
    EXPECT_EQ(copy.get("separator"), separator);
  }
  for (const base::OptionInfo& info : table.infos()) {
    base::OptionTable copy = options_of(options);
    copy.set(info.name, table.get(info.name));
    EXPECT_FALSE(info.meaning.empty()) << info.name;
  }
  EXPECT_EQ(table.infos().size(), 15u);
}

TEST(DataOptionsTable, RulesAreChecked) {
  DataOptions options;
  base::OptionTable table = options_of(options);
  for (const auto& [name, value] : {std::pair{"separator", "ab"},
                                    {"separator", "\""},
                                    {"subsample", "-1"},
                                    {"subsample_seed", "4294967296"},
                                    {"missing_rule", "guess"},
                                    {"scaling", "log"}}) {
    EXPECT_THAT(input_error([&, name = name, value = value] { table.set(name, value); }),
                HasSubstr(std::string("data.") + name));
  }
  options.subsample = -1;
  EXPECT_THROW((void)load(options, ".", false), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::data
