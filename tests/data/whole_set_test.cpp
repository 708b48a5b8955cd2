#include <fmt/format.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "data/numpy_draw.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

WholeSetOptions own_file(const std::string& file) {
  WholeSetOptions options;
  options.data = "csv";
  options.file = file;
  options.features = {"x"};
  options.sensitive = {"s"};
  return options;
}

/// Loads a file that holds `text`.
Dataset load_text(const std::string& text, WholeSetOptions options,
                  const PreparationOptions& preparation = {}) {
  const TemporaryFolder folder;
  options.data = "csv";
  options.file = folder.write("own.csv", text);
  return load(options, folder.path(), false, preparation);
}

std::string error_of(const std::string& text, const WholeSetOptions& options) {
  return input_error([&] { (void)load_text(text, options); });
}

TEST(WholeSet, HasFeaturesGroupsAndLabelButNoParts) {
  WholeSetOptions options = own_file("");
  options.features = {"y", "x"};
  options.label = "l";
  const Dataset set = load_text("x,y,s,l\n1,2,u,0.5\n3,4,v,1.5\n5,6,u,2.5\n", options);
  EXPECT_EQ(set.rows, 3);
  EXPECT_EQ(set.columns, 2);
  EXPECT_THAT(set.features, ElementsAre(2, 1, 4, 3, 6, 5));
  EXPECT_THAT(set.row(1), ElementsAre(4, 3));
  EXPECT_THAT(set.feature_names, ElementsAre("y", "x"));
  EXPECT_THAT(set.group, ElementsAre(0, 1, 0));
  EXPECT_THAT(set.group_names, ElementsAre("u", "v"));
  EXPECT_THAT(set.label, ElementsAre(0.5, 1.5, 2.5));
  EXPECT_THAT(set.split, ::testing::IsEmpty());
}

TEST(WholeSet, TheRecipeOfAColumnOfPartsSaysThatThereAreNone) {
  WholeSetOptions options = own_file("");
  options.split = "p";
  const Dataset set = load_text("x,s,p\n1,u,train\n3,v,test\n", options);
  EXPECT_EQ(set.rows, 2);
  EXPECT_THAT(set.provenance.recipe,
              AllOf(HasSubstr("; no parts, and no feature p;"), Not(HasSubstr("parts by"))));
}

TEST(WholeSet, WhatIsNoFileIsRefusedInsteadOfRead) {
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

TEST(WholeSet, NamesThatAreNotUtf8ArePlaced) {
  EXPECT_THAT(error_of("x,s\n1,u\n2,caf\xe9\n", own_file("")),
              HasSubstr("line 3, column 's': the name is not UTF-8"));
  EXPECT_EQ(load_text("x,s,n\xe4me\n1,u,\xe4\n2,v,b\n", own_file("")).rows, 2);  // not wanted
}

TEST(WholeSet, ARowInThePlaceOfTheHeaderIsNotPrinted) {
  const std::string text = "39,Smith,secret\n1,2,3\n";
  EXPECT_THAT(error_of(text, own_file("")),
              AllOf(HasSubstr("is there a header?"), Not(HasSubstr("secret"))));
  WholeSetOptions options = own_file("");
  options.features.clear();
  EXPECT_THAT(error_of(text, options),
              AllOf(HasSubstr("is there a header?"), Not(HasSubstr("secret"))));
}

TEST(WholeSet, AHundredThousandColumnsAreReadInALinearTime) {
  std::string header, row;
  WholeSetOptions options = own_file("");
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

TEST(WholeSet, ALabelOfNamesBecomesCodesAndAMixedOneIsRefused) {
  WholeSetOptions options = own_file("");
  options.label = "l";
  EXPECT_THAT(load_text("x,s,l\n1,u,no\n2,v,yes\n3,u,no\n", options).label, ElementsAre(0, 1, 0));
  EXPECT_THAT(error_of("x,s,l\n1,u,0\n2,v,secret\n", options),
              AllOf(HasSubstr("column 'l', line 3: the label must be finite numbers throughout"),
                    Not(HasSubstr("secret"))));
}

TEST(WholeSet, SeveralSensitiveColumnsMakeProductGroups) {
  WholeSetOptions options = own_file("");
  options.sensitive = {"s", "t"};
  const Dataset set = load_text("x,s,t\n1,M,W\n2,F,B\n3,F,W\n4,M,W\n", options);
  EXPECT_THAT(set.group_names, ElementsAre("F x B", "F x W", "M x W"))
      << "numbered by their names, whatever the order of the rows";
  EXPECT_THAT(set.group, ElementsAre(2, 0, 1, 2));
  options.group_map = {"M:M", "F:F", "W:W", "B:B"};
  EXPECT_THAT(load_text("x,s,t\n1,M,W\n2,F,B\n3,F,W\n4,M,W\n", options).group_names,
              ElementsAre("M x W", "F x W", "F x B"))
      << "or as the config says";
}

TEST(WholeSet, ColumnsAreNumberedWithoutAHeaderAndSeparatorsHaveNames) {
  WholeSetOptions options;
  options.header = false;
  options.separator = "blank";
  options.features = {"3"};
  options.sensitive = {"1"};
  EXPECT_THAT(load_text("u  9 1\nv\t9 2\n", options).features, ElementsAre(1, 2));
  options.separator = "tab";
  EXPECT_THAT(load_text("u\t9\t1\nv\t9\t2\n", options).features, ElementsAre(1, 2));
}

TEST(WholeSet, ScalesColumnsOverAllRowsBeforeTheDraw) {
  WholeSetOptions options = own_file("");
  const PreparationOptions zscore{.scaling = FittedScaling::zscore};
  const std::string text = "x,s\n1,u\n1,u\n3,u\n3,u\n";
  EXPECT_THAT(load_text(text, options, zscore).features, ElementsAre(-1, -1, 1, 1));
  options.subsample = 1;
  EXPECT_EQ(std::abs(load_text(text, options, zscore).features[0]), 1);
  EXPECT_THAT(load_text(text, options, {.row_scaling = RowScaling::unit}).features, ElementsAre(1));
}

TEST(WholeSet, RowsAreDrawnInTheOrderOfTheDrawUnlessTheFilesIsWanted) {
  WholeSetOptions options = own_file("");
  options.subsample = 4;
  const std::string text = "x,s\n0,u\n1,u\n2,u\n3,u\n";
  const std::vector<std::int64_t> drawn = numpy_choice(4, 4, 1);
  EXPECT_THAT(load_text(text, options).features,
              ElementsAre(drawn[0], drawn[1], drawn[2], drawn[3]));
  options.subsample_rule = SubsampleRule::choice;
  EXPECT_THAT(load_text(text, options).features, ElementsAre(0, 1, 2, 3));
}

TEST(WholeSet, TakesNamesMissingCellsAllColumnsAndFilters) {
  WholeSetOptions options = own_file("");
  options.features = {"*"};
  options.categorical = {"auto"};
  options.missing_rule = MissingPolicy::mean;
  options.where = {"keep == 1"};
  const Dataset set = load_text(
      "x,job,s,keep\n1,cook,u,1\n?,smith,v,1\n3,cook,v,1\n100,smith,u,0\n2,?,u,1\n", options);
  EXPECT_THAT(set.feature_names, ElementsAre("x", "job=cook", "job=smith", "keep"));
  EXPECT_THAT(set.features, ElementsAre(1, 1, 0, 1, 2, 0, 1, 1, 3, 1, 0, 1, 2, 1, 0, 1))
      << "the mean of 1, 3 and 2, and the more frequent job";
  EXPECT_THAT(set.group, ElementsAre(0, 1, 1, 0));
}

TEST(WholeSet, ReadsRowsOfNumberedFeatures) {
  const TemporaryFolder folder;
  WholeSetOptions options;
  options.data = "libsvm";
  options.file = folder.write("rows.txt", "+1 1:1 3:0.5\n-1 2:2\n+1 1:1\n");
  options.sensitive = {"1"};
  const Dataset set = load(options, folder.path(), false);
  EXPECT_THAT(set.features, ElementsAre(1, 0, 0.5, 0, 2, 0, 1, 0, 0));
  EXPECT_THAT(set.group, ElementsAre(1, 0, 1));
}

TEST(WholeSet, TheProvenanceSaysWhatWasDone) {
  WholeSetOptions options = own_file("");
  options.missing_rule = MissingPolicy::drop;
  options.subsample = 2;
  options.subsample_seed = 7;
  const Provenance provenance =
      load_text("x,s\n1,u\n?,u\n3,u\n", options,
                {.scaling = FittedScaling::zscore, .row_scaling = RowScaling::unit})
          .provenance;
  EXPECT_EQ(provenance.name, "csv");
  EXPECT_EQ(provenance.source, "own.csv");
  EXPECT_THAT(provenance.files, ElementsAre("own.csv"));
  EXPECT_EQ(provenance.sha256[0].size(), 64u);
  EXPECT_EQ(provenance.file_rows, 3);
  EXPECT_EQ(provenance.digest.size(), 64u);
  EXPECT_EQ(provenance.recipe,
            "all rows in file order; features x; categories none; sensitive s; 1 rows dropped for "
            "a missing cell; groups 0 .. 0: u; numbers scaled by zscore; rows of norm 1; 2 rows "
            "drawn by numpy.random.RandomState(7).choice");
}

TEST(WholeSet, TheFileIsSoughtInTheWorkingDirectoryThenInTheDataDirectory) {
  const TemporaryFolder folder;
  folder.write_gzip("sub/own.csv.gz", "x,s\n1,u\n");
  EXPECT_EQ(load(own_file("sub/own.csv.gz"), folder.path(), false).rows, 1);
  EXPECT_THAT(input_error([&] { (void)load(own_file("none.csv"), folder.path(), false); }),
              AllOf(HasSubstr("there is neither 'none.csv' nor"), HasSubstr("--data-dir")));
  EXPECT_THAT(input_error([&] { (void)load(own_file(""), folder.path(), false); }),
              HasSubstr("data.data = csv needs data.file"));
}

TEST(WholeSet, UnnamedColumnsBringTheFilesColumns) {
  WholeSetOptions options = own_file("");
  options.features = {};
  EXPECT_THAT(error_of("x,s\n1,u\n", options),
              AllOf(HasSubstr("data.features must name at least one column"),
                    HasSubstr("the file has: x, s")));
  options = own_file("");
  options.sensitive = {};
  EXPECT_THAT(error_of("x,s\n1,u\n", options), HasSubstr("data.sensitive must name"));
  options = own_file("");
  options.features = {"x", "x"};
  EXPECT_THAT(error_of("x,s\n1,u\n", options), HasSubstr("data.features names 'x' twice"));
}

TEST(WholeSet, TextAmongTheFeaturesIsRefusedAndNotShown) {
  EXPECT_THAT(error_of("x,s\n1,u\nsecret,v\n", own_file("")),
              AllOf(HasSubstr("own.csv: line 3, column 'x': the cell must be a finite number"),
                    Not(HasSubstr("secret"))));
}

TEST(WholeSet, AFileWithoutRowsIsRefused) {
  EXPECT_THAT(error_of("x,s\n", own_file("")), HasSubstr("the file has a header and no rows"));
  WholeSetOptions options = own_file("");
  options.missing_rule = MissingPolicy::drop;
  EXPECT_THAT(error_of("x,s\n?,u\n2,?\n", options),
              HasSubstr("no row is left: all 2 have a missing cell"));
}

TEST(WholeSet, TheDrawMustFitTheRowsAndLeaveNoGroupEmpty) {
  WholeSetOptions options = own_file("");
  options.subsample = 3;
  EXPECT_THAT(error_of("x,s\n1,u\n2,v\n", options), HasSubstr("data.subsample = 3, must be <= 2"));
  options.subsample = 1;
  options.subsample_seed = 1;
  EXPECT_THAT(error_of("x,s\n1,u\n2,u\n3,u\n4,rare\n5,u\n6,u\n", options),
              HasSubstr("group 'rare' has no member among the 1 rows drawn"));
}

TEST(WholeSetProperty, DrawnRowsKeepTheirGroupAndLabelTogether) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange(2, 60);
    std::string text = "x,s,l\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i) + ",all," + std::to_string(2 * i) + "\n";
    }
    WholeSetOptions options = own_file("");
    options.label = "l";
    options.target = TargetChoice::real;
    options.subsample = *rc::gen::inRange(1, rows + 1);
    options.subsample_seed = *rc::gen::inRange(0, 1000);
    const Dataset set = load_text(text, options);
    RC_ASSERT(set.rows == options.subsample);
    for (std::size_t i = 0; i < set.label.size(); ++i) {
      RC_ASSERT(set.label[i] == 2 * set.features[i]);
    }
  }));
}

TEST(WholeSetOptionsTable, RulesAreChecked) {
  WholeSetOptions options;
  base::OptionTable table = options_of(options);
  EXPECT_EQ(table.get("data"), "syn_unequal_ds2");
  EXPECT_EQ(table.get("subsample_rule"), "choice_as_drawn");
  for (const auto& [name, value] : {std::pair{"separator", "ab"},
                                    {"separator", "\""},
                                    {"subsample", "-1"},
                                    {"subsample_seed", "4294967296"},
                                    {"missing_rule", "guess"}}) {
    EXPECT_THAT(input_error([&, name = name, value = value] { table.set(name, value); }),
                HasSubstr(std::string("data.") + name));
  }
  options.subsample = -1;
  EXPECT_THROW((void)load(options, ".", false), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::data
