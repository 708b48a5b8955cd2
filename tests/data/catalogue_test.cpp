#include "data/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "data/small_groups.hpp"
#include "support.hpp"
#include "support/data_dir.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::UnorderedElementsAre;

WholeSetOptions named(const std::string& name) {
  WholeSetOptions options;
  options.data = name;
  return options;
}

std::vector<std::int64_t> members(const Dataset& set) {
  std::vector<std::int64_t> counts(set.group_names.size(), 0);
  for (const std::int32_t group : set.group) ++counts[static_cast<std::size_t>(group)];
  return counts;
}

/// Every row's group is named by its levels of all attributes.
void expect_attributes_make_groups(const Dataset& set) {
  for (std::size_t i = 0; i < set.group.size(); ++i) {
    std::string name;
    for (const Attribute& attribute : set.attributes) {
      if (!name.empty()) name += " x ";
      name += attribute.levels.at(static_cast<std::size_t>(attribute.code.at(i)));
    }
    ASSERT_EQ(name, set.group_names.at(static_cast<std::size_t>(set.group[i]))) << "row " << i;
  }
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

/// The tasks that sets without parts are made of.
std::vector<std::pair<std::string, SupervisedTask>> numeric_tasks() {
  std::vector<std::pair<std::string, SupervisedTask>> tasks;
  for (const CatalogueEntry& entry : catalogue()) {
    for (const SupervisedTask& task : entry.tasks) {
      if (task.name == "numeric") tasks.emplace_back(entry.name, task);
    }
  }
  return tasks;
}

TEST(Catalogue, EveryEntryIsCompleteAndNamedOnce) {
  std::set<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_NE(entry.tasks.empty(), !entry.generate) << entry.name;
    for (const std::string& text : {entry.title, entry.source, entry.licence}) {
      EXPECT_FALSE(text.empty()) << entry.name;
    }
    for (const SupervisedTask& task : entry.tasks) {
      const CatalogueFile& file = task.published_file;
      EXPECT_EQ(file.sha256.size(), 64u) << entry.name;
      EXPECT_GT(file.rows, 0) << entry.name;
      EXPECT_NE(file.address.empty(), file.origin.empty()) << entry.name;
      EXPECT_THAT(file.address + file.origin,
                  ::testing::AnyOf(HasSubstr("https://"), HasSubstr(" ")))
          << entry.name;
      EXPECT_EQ(file.stored_sha256.size(), file.path.ends_with(".gz") ? 64u : 0u) << entry.name;
    }
  }
  for (const auto& [name, task] : numeric_tasks()) {
    EXPECT_THAT(catalogue_entry(name).sensitive_choices, ::testing::IsSupersetOf(task.sensitive))
        << name;
    EXPECT_NE(catalogue_entry(name).tasks.front().name, "numeric") << name;
  }
  EXPECT_EQ(numeric_tasks().size(), 9u);
}

TEST(Catalogue, AnUnknownNameBringsTheNearestOne) {
  EXPECT_THAT(input_error([] { (void)catalogue_entry("adullt"); }),
              HasSubstr("'adullt' is no known data set (did you mean 'adult'?)"));
  EXPECT_THAT(input_error([] { (void)load(named("nothing-like-it"), ".", false); }),
              AllOf(HasSubstr("csv, arff, libsvm, adult, bank"), HasSubstr("syn_equal_ds1")));
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
    for (const char* income : {"<=50K", ">50K"}) {
      rows += fmt::format("1, a, 2, b, 3, c, d, e, f, {}, 4, 5, 6, g, {}\n", sex, income);
    }
  }
  folder.write("adult/adult.data", rows);
  EXPECT_THAT(input_error([&] { (void)load(named("adult"), folder.path(), false); }),
              AllOf(HasSubstr("expected SHA-256 5b00264637dbfec3"), HasSubstr(", found "),
                    HasSubstr("--allow-changed-data")));
  const Dataset set = load(named("adult"), folder.path(), true);
  EXPECT_THAT(set.group_names, ElementsAre("Male", "Female"));
  EXPECT_THAT(set.group, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(set.features, ::testing::Each(0.0)) << "every column is constant";
}

TEST(Catalogue, AFileWithoutAnAddressIsToBePutThereByHand) {
  EXPECT_THAT(input_error([] { (void)load(named("acs_income"), "/no/such/folder", false); }),
              AllOf(HasSubstr("/no/such/folder/acs-income/acsincome_2018_1y_49states_PR.csv.gz"),
                    HasSubstr("put it there"), HasSubstr("xheilmann/FeDa4Fair"),
                    ::testing::Not(HasSubstr("get_data.sh"))));
}

TEST(Catalogue, AChangedFileThatCannotBeReadIsFirstOfAllAChangedOne) {
  const TemporaryFolder folder;
  folder.write("adult/adult.data", "broken\n");
  EXPECT_THAT(input_error([&] { (void)load(named("adult"), folder.path(), false); }),
              HasSubstr("expected SHA-256 5b00264637dbfec3"));
  EXPECT_THAT(input_error([&] { (void)load(named("adult"), folder.path(), true); }),
              HasSubstr("the row has 1 cells, must have 15"));
}

/// The lines of SHA256SUMS in the data directory: path and hash of every file as stored.
std::map<std::string, std::string> stored_sums(const std::filesystem::path& dir) {
  std::map<std::string, std::string> sums;
  std::ifstream lines(dir / "SHA256SUMS");
  for (std::string sum, path; lines >> sum >> path;) sums[path] = sum;
  return sums;
}

TEST(Catalogue, HashesAreThoseOfTheStoredFiles) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const auto sums = stored_sums(*dir);
  if (sums.empty()) GTEST_SKIP() << "the data directory has no file SHA256SUMS";
  for (const auto& [name, task] : numeric_tasks()) {
    const CatalogueFile& file = task.published_file;
    ASSERT_TRUE(sums.contains(file.path)) << name;
    EXPECT_EQ(sums.at(file.path), file.stored_sha256.empty() ? file.sha256 : file.stored_sha256)
        << name;
  }
}

/// Every set: the rows of the catalogue, the defaults fit the file, attributes make the groups.
TEST(Catalogue, EveryFileHasItsRowsAndColumns) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  for (const auto& [name, task] : numeric_tasks()) {
    const Dataset set = load(named(name), *dir, false);
    EXPECT_EQ(set.provenance.file_rows, task.published_file.rows) << name;
    EXPECT_EQ(set.provenance.sha256[0], task.published_file.sha256) << name;
    EXPECT_EQ(set.feature_names, task.features) << name;
    ASSERT_EQ(set.attributes.size(), 1u) << name;
    EXPECT_EQ(set.label.empty(), task.label.empty()) << name;
    EXPECT_EQ(set.attributes[0].name, task.sensitive[0]) << name;
    EXPECT_EQ(set.attributes[0].code, set.group) << name;
    EXPECT_EQ(set.attributes[0].levels, set.group_names) << name;
  }
}

TEST(Catalogue, OptionsOfOwnFilesAreRefusedElsewhere) {
  WholeSetOptions options = named("adult");
  options.file = "mine.csv";
  EXPECT_THAT(input_error([&] { (void)load(options, ".", false); }),
              HasSubstr("data.file is for data.data = csv, arff or libsvm"));
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
  WholeSetOptions options = named("adult");
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
  WholeSetOptions options = named("adult");
  options.sensitive = {"sex", "race"};
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(
      set.group_names,
      ElementsAre("Male x White", "Male x Black", "Male x Asian-Pac-Islander",
                  "Male x Amer-Indian-Eskimo", "Male x Other", "Female x White", "Female x Black",
                  "Female x Asian-Pac-Islander", "Female x Amer-Indian-Eskimo", "Female x Other"));
  EXPECT_THAT(members(set), ElementsAre(19174, 1569, 693, 192, 162, 8642, 1555, 346, 119, 109));
  expect_attributes_make_groups(set);
  EXPECT_EQ(small_groups_warning(set, 10),
            "data set 'adult': 4 of 10 groups have less than 1 % of the 32561 rows or fewer than "
            "10 members: 'Female x Other' 109 (0.33 %), 'Female x Amer-Indian-Eskimo' 119 (0.37 "
            "%), 'Male x Other' 162 (0.50 %), 'Male x Amer-Indian-Eskimo' 192 (0.59 %)");
}

TEST(Adult, AttributesFollowTheRowsThatAreDrawn) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("adult");
  options.sensitive = {"race", "sex"};
  options.subsample = 5000;
  const Dataset set = load(options, *dir, false);
  ASSERT_EQ(set.attributes[1].code.size(), 5000u);
  EXPECT_EQ(std::count(set.attributes[1].code.begin(), set.attributes[1].code.end(), 0), 3333);
  expect_attributes_make_groups(set);
}

TEST(Adult, MissingCellsStopTheRunOrDropTheirRows) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("adult");
  options.sensitive = {"workclass"};
  EXPECT_THAT(input_error([&] { (void)load(options, *dir, false); }),
              HasSubstr("column 'workclass': the cell is missing"));
  options.missing_rule = MissingPolicy::drop;
  EXPECT_EQ(load(options, *dir, false).rows, 32561 - 1836);
}

TEST(Bank, ThePreparedMatrixIsTheOneNumpyComputes) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("bank"), *dir, false);
  EXPECT_EQ(set.rows, 41108);
  EXPECT_EQ(set.provenance.file_rows, 41188);
  EXPECT_EQ(set.provenance.sha256[0], catalogue_entry("bank").tasks[0].published_file.sha256);
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
  WholeSetOptions options = named("bank");
  options.subsample = 5000;
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(members(set), ElementsAre(573, 1413, 3014));
  const auto weight = [](std::int64_t i) { return static_cast<double>(i + 1) / 5000; };
  EXPECT_THAT(
      column_sums(set, weight),
      Pointwise(IsWithin(1e-11), {-35.335772854775755, -146.5686346066421, 186.9500907877831,
                                  190.42176856450104, 47.147172276755704, -134.22703128752502}));
}

TEST(Bank, GroupsMayBeTheProductOfMaritalStatusAndEducation) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("bank");
  options.sensitive = {"marital", "education"};
  EXPECT_THAT(input_error([&] { (void)load(options, *dir, false); }),
              HasSubstr("column 'education': the cell is missing (missing_rule = drop"));
  options.missing_rule = MissingPolicy::drop;
  const Dataset set = load(options, *dir, false);
  EXPECT_EQ(set.rows, 39386);
  EXPECT_THAT(set.attributes[0].levels, ElementsAre("divorced", "single", "married"));
  EXPECT_EQ(set.attributes[1].levels.size(), 7u);
  expect_attributes_make_groups(set);
}

TEST(Dutch, ThePreparedMatrixIsTheOneNumpyComputes) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("dutch"), *dir, false);
  EXPECT_EQ(set.rows, 60420);
  EXPECT_THAT(set.group_names, ElementsAre("male", "female"));
  EXPECT_THAT(members(set), ElementsAre(30147, 30273));
  EXPECT_EQ(std::count(set.label.begin(), set.label.end(), 1.0), 28763);
  EXPECT_THAT(
      column_sums(set, [](std::int64_t) { return 1.0; }),
      Pointwise(IsWithin(1e-11), {-463.90123462296503, 713.6427314940328, -1462.256153870943}));
}

TEST(Dutch, GroupsMayBeTheProductOfSexAndCountryOfBirth) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("dutch");
  options.sensitive = {"sex", "country_birth"};
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(set.group_names, ElementsAre("male x 1", "male x 2", "male x 3", "female x 1",
                                           "female x 2", "female x 3"));
  EXPECT_THAT(members(set), ElementsAre(28105, 711, 1331, 27953, 830, 1490));
  expect_attributes_make_groups(set);
}

TEST(AcsIncome, ThePreparedMatrixIsTheOneNumpyComputes) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("acs_income"), *dir, false);
  EXPECT_EQ(set.rows, 1402864);
  EXPECT_THAT(set.group_names, ElementsAre("male", "female"));
  EXPECT_THAT(members(set), ElementsAre(729601, 673263));
  EXPECT_EQ(std::count(set.label.begin(), set.label.end(), 1.0), 511882);
  EXPECT_THAT(
      column_sums(set, [](std::int64_t) { return 1.0; }),
      Pointwise(IsWithin(1e-10), {-8104.476247230132, 100313.66806098801, 81347.02839584035}));
}

TEST(AcsIncome, TheDrawOfSeedOneIsNumpys) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("acs_income");
  options.subsample = 5000;
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(members(set), ElementsAre(2577, 2423));
  const auto weight = [](std::int64_t i) { return static_cast<double>(i + 1) / 5000; };
  EXPECT_THAT(
      column_sums(set, weight),
      Pointwise(IsWithin(1e-10), {11.333592317647627, 172.35358957292925, 125.55612752163496}));
}

TEST(AcsIncome, GroupsMayBeTheProductOfSexAndRace) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  WholeSetOptions options = named("acs_income");
  options.sensitive = {"SEX", "RACE5"};
  const Dataset set = load(options, *dir, false);
  EXPECT_THAT(members(set), ElementsAre(591830, 61041, 31511, 6556, 38530, 133, 532436, 70273,
                                        30243, 6326, 33893, 92));
  EXPECT_EQ(set.group_names[3], "male x American Indian");
  EXPECT_EQ(set.group_names[11], "female x not White or unknown");
  expect_attributes_make_groups(set);
}

struct ExpectedCounts {
  const char* name;
  std::vector<std::string> groups;
  std::vector<std::int64_t> members;
  double label;           ///< one value of the label
  std::int64_t labelled;  ///< rows that have it
};

TEST(OtherSets, GroupsAndLabelsAreThoseThatTheDataDescriptionCounts) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const std::vector<ExpectedCounts> expected{
      {"credit_default", {"male", "female"}, {11888, 18112}, 1, 6636},
      {"german", {"male", "female"}, {690, 310}, 1, 300},
      {"law_school", {"White", "Non-White"}, {17491, 3307}, 1, 18505},
      {"student_mat", {"male", "female"}, {187, 208}, 0, 38},
      {"student_por", {"male", "female"}, {266, 383}, 0, 15}};
  for (const ExpectedCounts& counts : expected) {
    const Dataset set = load(named(counts.name), *dir, false);
    EXPECT_EQ(set.group_names, counts.groups) << counts.name;
    EXPECT_EQ(members(set), counts.members) << counts.name;
    EXPECT_EQ(std::count(set.label.begin(), set.label.end(), counts.label), counts.labelled)
        << counts.name;
    EXPECT_EQ(small_groups_warning(set), std::nullopt) << counts.name;
  }
}

TEST(OtherSets, TheMeanGradesAreThoseThatTheDataDescriptionGives) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  for (const auto& [name, mean] : {std::pair{"student_mat", 10.415}, {"student_por", 11.906}}) {
    const Dataset set = load(named(name), *dir, false);
    const double sum = std::accumulate(set.label.begin(), set.label.end(), 0.0);
    EXPECT_NEAR(sum / static_cast<double>(set.rows), mean, 0.0005) << name;
  }
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
  WholeSetOptions options = named("syn_unequal_ds2");
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
