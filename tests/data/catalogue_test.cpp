#include "data/catalogue.hpp"

#include <set>

#include "support.hpp"
#include "support/data_dir.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::UnorderedElementsAre;

DataOptions named(const std::string& name) {
  DataOptions options;
  options.data = name;
  return options;
}

std::vector<std::int64_t> members(const Dataset& set) {
  std::vector<std::int64_t> counts(set.group_names.size(), 0);
  for (const std::int32_t group : set.group) ++counts[static_cast<std::size_t>(group)];
  return counts;
}

/// Sum over rows of weight(i) * value, per column.
template <class Weight>
std::vector<double> column_sums(const Dataset& set, Weight weight) {
  std::vector<double> sums(static_cast<std::size_t>(set.columns), 0.0);
  for (std::int64_t i = 0; i < set.rows; ++i) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight(i) * set.row(i)[c];
  }
  return sums;
}

MATCHER_P(IsWithin, relative, "") {
  const double expected = std::get<1>(arg);
  return std::abs(std::get<0>(arg) - expected) <= relative * std::abs(expected);
}

TEST(Catalogue, EveryEntryIsCompleteAndNamedOnce) {
  std::set<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_NE(entry.file.has_value(), static_cast<bool>(entry.generate)) << entry.name;
    for (const std::string& text : {entry.title, entry.source, entry.licence, entry.recipe}) {
      EXPECT_FALSE(text.empty()) << entry.name;
    }
    if (!entry.file) continue;
    EXPECT_EQ(entry.file->sha256.size(), 64u) << entry.name;
    EXPECT_GT(entry.file->rows, 0) << entry.name;
    EXPECT_THAT(entry.file->url, HasSubstr("https://")) << entry.name;
    EXPECT_FALSE(entry.features.empty() || entry.sensitive.empty()) << entry.name;
  }
}

TEST(Catalogue, AnUnknownNameBringsTheNearestOne) {
  EXPECT_THAT(input_error([] { (void)catalogue_entry("adullt"); }),
              HasSubstr("'adullt' is no known data set (did you mean 'adult'?)"));
  EXPECT_THAT(input_error([] { (void)load(named("nothing-like-it"), ".", false); }),
              AllOf(HasSubstr("csv, adult, bank"), HasSubstr("syn_equal_ds1")));
}

TEST(Catalogue, AMissingFileNamesPathOptionAndScript) {
  EXPECT_THAT(input_error([] { (void)load(named("adult"), "/no/such/folder", false); }),
              AllOf(HasSubstr("/no/such/folder/adult/adult.data"), HasSubstr("--data-dir"),
                    HasSubstr("jobs/get_data.sh")));
}

TEST(Catalogue, AChangedFileIsRefusedUnlessAllowed) {
  const TemporaryFolder folder;
  std::string rows;
  for (const char* sex : {"Female", "Male"}) {
    rows += std::string("1, a, 2, b, 3, c, d, e, f, ") + sex + ", 4, 5, 6, g, >50K\n";
  }
  folder.write("adult/adult.data", rows);
  EXPECT_THAT(input_error([&] { (void)load(named("adult"), folder.path(), false); }),
              AllOf(HasSubstr("expected SHA-256 5b00264637dbfec3"), HasSubstr(", found "),
                    HasSubstr("--allow-changed-data")));
  const Dataset set = load(named("adult"), folder.path(), true);
  EXPECT_THAT(set.group_names, ElementsAre("Male", "Female"));
  EXPECT_THAT(set.group, ElementsAre(1, 0));
  EXPECT_THAT(set.features, ::testing::Each(0.0)) << "every column is constant";
}

TEST(Catalogue, OptionsOfOwnFilesAreRefusedElsewhere) {
  DataOptions options = named("adult");
  options.file = "mine.csv";
  EXPECT_THAT(input_error([&] { (void)load(options, ".", false); }),
              HasSubstr("data.file is for data.data = csv"));
  options = named("syn_equal_ds1");
  options.features = {"x"};
  EXPECT_THAT(input_error([&] { (void)load(options, ".", false); }), HasSubstr("is generated"));
}

// Expected values of the public sets: numpy 1.24.2, the recipe of the papers' code.
TEST(Adult, ThePreparedMatrixIsTheOneNumpyComputes) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("adult"), *dir, false);
  EXPECT_EQ(set.rows, 32561);
  EXPECT_THAT(set.group_names, ElementsAre("Male", "Female"));
  EXPECT_THAT(members(set), ElementsAre(21790, 10771));
  EXPECT_EQ(std::count(set.label.begin(), set.label.end(), 1.0), 7841);
  EXPECT_THAT(
      column_sums(set, [](std::int64_t) { return 1.0; }),
      Pointwise(IsWithin(1e-12), {-1199.2862334456697, -1256.1305162269316, -299.86995213929623,
                                  -1914.761343162647, 339.7078296599488}));
}

TEST(Adult, TheDrawOfSeedOneIsThePapersOne) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  DataOptions options = named("adult");
  options.subsample = 5000;
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(members(set), ElementsAre(3333, 1667));
  const auto weight = [](std::int64_t i) { return static_cast<double>(i + 1) / 5000; };
  EXPECT_THAT(
      column_sums(set, weight),
      Pointwise(IsWithin(1e-12), {-69.81486336893455, -113.20284829392047, -39.125822622638985,
                                  -159.75994809731733, 9.528034393682681}));
}

TEST(Adult, GroupsMayBeTheProductOfSexAndRace) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  DataOptions options = named("adult");
  options.sensitive = {"sex", "race"};
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(
      set.group_names,
      ElementsAre("Male x White", "Male x Black", "Male x Asian-Pac-Islander",
                  "Male x Amer-Indian-Eskimo", "Male x Other", "Female x White", "Female x Black",
                  "Female x Asian-Pac-Islander", "Female x Amer-Indian-Eskimo", "Female x Other"));
  EXPECT_THAT(members(set), ElementsAre(19174, 1569, 693, 192, 162, 8642, 1555, 346, 119, 109));
}

TEST(Adult, MissingCellsStopTheRunOrDropTheirRows) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  DataOptions options = named("adult");
  options.sensitive = {"workclass"};
  EXPECT_THAT(input_error([&] { (void)load(options, *dir, false); }),
              HasSubstr("column 'workclass': the cell is missing"));
  options.missing_rule = MissingRule::drop;
  EXPECT_EQ(load(options, *dir, false).rows, 32561 - 1836);
}

TEST(Bank, ThePreparedMatrixIsTheOneNumpyComputes) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("bank"), *dir, false);
  EXPECT_EQ(set.rows, 41108);
  EXPECT_EQ(set.provenance.file_rows, 41188);
  EXPECT_EQ(set.provenance.sha256[0], catalogue_entry("bank").file->sha256);
  EXPECT_THAT(set.group_names, ElementsAre("divorced", "single", "married"));
  EXPECT_THAT(members(set), ElementsAre(4612, 11568, 24928));
  EXPECT_TRUE(std::is_sorted(set.group.begin(), set.group.end()));
  EXPECT_EQ(std::count(set.label.begin(), set.label.end(), 1.0), 4628);
  EXPECT_THAT(
      column_sums(set, [](std::int64_t) { return 1.0; }),
      Pointwise(IsWithin(1e-11), {-784.3204394611986, -2103.1893450560865, 3706.8984049575224,
                                  3602.508946198722, 1090.1181342967511, -2055.3127472861042}));
}

TEST(Bank, TheDrawOfSeedOneIsThePapersOne) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  DataOptions options = named("bank");
  options.subsample = 5000;
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(members(set), ElementsAre(573, 1413, 3014));
  const auto weight = [](std::int64_t i) { return static_cast<double>(i + 1) / 5000; };
  EXPECT_THAT(
      column_sums(set, weight),
      Pointwise(IsWithin(1e-11), {-35.335772854775755, -146.5686346066421, 186.9500907877831,
                                  190.42176856450104, 47.147172276755704, -134.22703128752502}));
}

struct ExpectedBlob {
  std::int64_t points;
  double x;
  double y;
  std::int32_t group;
};

/// The blobs lie one behind the other, and a blob's mean within 5 standard errors of its centre.
void expect_blobs(const std::string& name, double deviation,
                  const std::vector<ExpectedBlob>& blobs) {
  const Dataset set = load(named(name), ".", false);
  EXPECT_TRUE(set.label.empty() && set.split.empty());
  std::int64_t begin = 0;
  for (const ExpectedBlob& blob : blobs) {
    double x = 0;
    double y = 0;
    double squares = 0;
    const auto points = static_cast<double>(blob.points);
    for (std::int64_t i = begin; i < begin + blob.points; ++i) {
      ASSERT_EQ(set.group.at(static_cast<std::size_t>(i)), blob.group) << name;
      x += set.row(i)[0] / points;
      y += set.row(i)[1] / points;
      squares += std::pow(set.row(i)[0] - blob.x, 2) + std::pow(set.row(i)[1] - blob.y, 2);
    }
    EXPECT_NEAR(x, blob.x, 5 * deviation / std::sqrt(points)) << name;
    EXPECT_NEAR(y, blob.y, 5 * deviation / std::sqrt(points)) << name;
    EXPECT_NEAR(std::sqrt(squares / points / 2), deviation, 0.3 * deviation) << name;
    begin += blob.points;
  }
  EXPECT_EQ(set.rows, begin) << name;
}

TEST(Synthetic, BlobsHaveTheirSizesGroupsCentresAndDeviation) {
  expect_blobs("syn_equal_ds1", 0.1,
               {{100, 1, 1, 0}, {100, 2.1, 1, 0}, {100, 1, 5, 1}, {100, 2.1, 5, 1}});
  expect_blobs("syn_unequal_ds1", 0.13,
               {{150, 1, 1, 0}, {150, 2.1, 1, 0}, {50, 1, 3.5, 1}, {50, 2.1, 3.5, 1}});
  expect_blobs("syn_equal_ds2", 0.3, {{200, 1, 1, 0}, {200, 2.1, 3.5, 1}});
  expect_blobs("syn_unequal_ds2", 0.3, {{300, 1, 1, 0}, {100, 2.1, 3.5, 1}});
}

TEST(Synthetic, ASeedGivesTheSameBitsAndAnotherSeedOthers) {
  DataOptions options = named("syn_unequal_ds2");
  const Dataset one = load(options, ".", false);
  EXPECT_EQ(one.features, load(options, "elsewhere", true).features);
  options.generator_seed = 2;
  const Dataset two = load(options, ".", false);
  EXPECT_NE(one.features, two.features);
  EXPECT_NE(one.provenance.digest, two.provenance.digest);
  EXPECT_NE(one.features, load(named("syn_equal_ds2"), ".", false).features);
}

}  // namespace
}  // namespace fairfront::data
