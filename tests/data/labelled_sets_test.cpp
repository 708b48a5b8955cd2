#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include "data/catalogue/catalogue.hpp"
#include "data/supervised.hpp"
#include "support.hpp"
#include "support/data_dir.hpp"

namespace fairfront::data::labelled_sets_test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SupervisedOptions named(const std::string& name, const std::string& task = "") {
  SupervisedOptions options;
  options.data = name;
  options.task = task;
  return options;
}

std::vector<std::int64_t> members(const std::vector<std::int32_t>& group, std::size_t groups) {
  std::vector<std::int64_t> counts(groups, 0);
  for (const std::int32_t each : group) ++counts[static_cast<std::size_t>(each)];
  return counts;
}

/// Files of all tasks with the names of their sets.
std::vector<std::pair<std::string, CatalogueFile>> task_files() {
  std::vector<std::pair<std::string, CatalogueFile>> files;
  for (const CatalogueEntry& entry : catalogue()) {
    for (const SupervisedTask& task : entry.tasks) {
      files.emplace_back(entry.name, task.published_file);
      if (task.published_test_file) files.emplace_back(entry.name, *task.published_test_file);
    }
  }
  return files;
}

TEST(LabelledSets, EveryTaskIsCompleteAndNamedOncePerSet) {
  for (const CatalogueEntry& entry : catalogue()) {
    for (const SupervisedTask& task : entry.tasks) {
      EXPECT_EQ(std::ranges::count(entry.tasks, task.name, &SupervisedTask::name), 1) << entry.name;
      EXPECT_FALSE(task.recipe.empty() || task.sensitive.empty()) << entry.name;
      EXPECT_EQ(task.label.empty(), task.data == "libsvm") << entry.name;
    }
  }
  for (const auto& [name, file] : task_files()) {
    EXPECT_EQ(file.sha256.size(), 64u) << name;
    EXPECT_EQ(file.stored_sha256.size(), file.path.ends_with(".gz") ? 64u : 0u) << name;
  }
}

TEST(LabelledSets, UnknownNamesBringTheNearestOnes) {
  EXPECT_THAT(input_error([] { (void)load_raw(named("compass"), ".", false); }),
              HasSubstr("did you mean 'compas'?"));
  EXPECT_THAT(input_error([] { (void)load_raw(named("adult", "regresion"), ".", false); }),
              HasSubstr("no task of data set 'adult' (did you mean 'regression'?)"));
  EXPECT_THAT(input_error([] { (void)load_raw(named("acs_income"), "/no/such", false); }),
              AllOf(HasSubstr("/no/such/acs-income/acsincome_2018_1y_49states_PR.csv.gz"),
                    HasSubstr("put it there")));
  SupervisedOptions options = named("compas");
  options.state = "OK";
  EXPECT_THAT(input_error([&] { (void)load_raw(options, ".", false); }),
              HasSubstr("data.state is for data.data = acs_income"));
  options = named("adult");
  options.file = "mine.csv";
  EXPECT_THAT(input_error([&] { (void)load_raw(options, ".", false); }),
              HasSubstr("data.file is for data.data = csv, arff or libsvm"));
  options.data = "csvv";
  EXPECT_THAT(input_error([&] { (void)load_raw(options, ".", false); }),
              HasSubstr("'csvv' is no known data set (did you mean 'csv'?)"));
}

TEST(LabelledSets, AChangedFileIsRefusedUnlessAllowed) {
  const TemporaryFolder folder;
  folder.write("a9a/a9a", "-1 72:1\n1 73:1\n");
  folder.write("a9a/a9a.t", "1 72:1\n");
  EXPECT_THAT(input_error([&] { (void)load_raw(named("a9a"), folder.path(), false); }),
              AllOf(HasSubstr("expected SHA-256 f5d5ffd8d865ff41"), HasSubstr(", found ")));
  const RawTable raw = load_raw(named("a9a"), folder.path(), true);
  EXPECT_EQ(raw.sparse.columns, 123);
  EXPECT_THAT(raw.group_names, ElementsAre("male", "female"));
  EXPECT_THAT(raw.group, ElementsAre(1, 0, 1));
}

TEST(LabelledSets, HashesAreThoseOfTheStoredFiles) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  std::map<std::string, std::string> sums;
  std::ifstream lines(*dir / "SHA256SUMS");
  for (std::string sum, path; lines >> sum >> path;) sums[path] = sum;
  if (sums.empty()) GTEST_SKIP() << "the data directory has no file SHA256SUMS";
  for (const auto& [name, file] : task_files()) {
    ASSERT_TRUE(sums.contains(file.path)) << file.path;
    EXPECT_EQ(sums.at(file.path), file.stored_sha256.empty() ? file.sha256 : file.stored_sha256)
        << name;
  }
}

struct Expected {
  const char* set;
  const char* task;
  std::int64_t rows;
  std::int64_t columns;  ///< prepared, all rows for training
  std::vector<std::string> groups;
  std::vector<std::int64_t> members;
  std::int64_t positives;  ///< rows with label 1; of real labels -1
};

// Counts: the data description and a count of the files by Python's csv module.
TEST(LabelledSets, RowsColumnsGroupsAndLabelsAreThoseThatTheirPapersCount) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const std::vector<Expected> all{
      {"adult", "classification", 45222, 102, {"Male", "Female"}, {30527, 14695}, 11208},
      {"adult", "regression", 30162, 6, {"Female", "Male"}, {9782, 20380}, -1},
      {"bank", "classification", 41188, 54, {"other", "25 <= age <= 60"}, {1978, 39210}, 4640},
      {"law_school", "regression", 20800, 9, {"not White", "White"}, {3307, 17493}, -1},
      {"law_school", "classification", 20798, 9, {"Non-White", "White"}, {3307, 17491}, 18505},
      {"communities", "regression", 1984, 118, {"not White", "White"}, {422, 1562}, -1},
      {"communities_csv", "regression", 1984, 118, {"not White", "White"}, {422, 1562}, -1},
      {"compas", "classification", 11757, 14, {"other", "Caucasian"}, {7672, 4085}, 3703},
      {"a9a", "classification", 48842, 123, {"male", "female"}, {32650, 16192}, 11687},
      {"diabetes", "classification", 101763, 95, {"male", "female"}, {47055, 54708}, 11357},
      {"acs_income_ok", "classification", 17917, 9, {"not White", "White"}, {4567, 13350}, 5059},
      {"acs_income_co", "classification", 31306, 9, {"not White", "White"}, {3717, 27589}, 12972},
      {"acs_income_ne", "classification", 10785, 9, {"not White", "White"}, {926, 9859}, 3368},
      {"german", "classification", 1000, 57, {"male", "female"}, {690, 310}, 300},
      {"credit_default", "classification", 30000, 20, {"male", "female"}, {11888, 18112}, 6636},
      {"dutch", "classification", 60420, 3, {"male", "female"}, {30147, 30273}, 28763},
      {"student_mat", "regression", 395, 13, {"male", "female"}, {187, 208}, -1},
  };
  for (const Expected& expected : all) {
    const std::string what = fmt::format("{} {}", expected.set, expected.task);
    const RawTable raw = load_raw(named(expected.set, expected.task), *dir, false);
    EXPECT_EQ(raw.rows, expected.rows) << what;
    EXPECT_EQ(raw.group_names, expected.groups) << what;
    EXPECT_EQ(members(raw.group, raw.group_names.size()), expected.members) << what;
    EXPECT_EQ(raw.target, expected.positives < 0 ? TargetKind::real : TargetKind::binary) << what;
    if (expected.positives >= 0) {
      EXPECT_EQ(std::ranges::count(raw.label, 1.0), expected.positives) << what;
    }
    const Split split = split_of(raw, {.by = SplitRule::fractions, .validation = 0, .test = 0});
    const SupervisedSet set = prepare(raw, split, {});
    EXPECT_EQ(set.set.columns, expected.columns) << what;
    EXPECT_EQ(set.set.feature_names.size(), static_cast<std::size_t>(expected.columns)) << what;
    EXPECT_TRUE(std::ranges::all_of(set.set.features, [](double x) { return std::isfinite(x); }))
        << what;
  }
}

TEST(LabelledSets, TasksAreListedWithTheTargetTheyHave) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  for (const CatalogueEntry& entry : catalogue()) {
    for (const SupervisedTask& task : entry.tasks) {
      const RawTable raw = load_raw(named(entry.name, task.name), *dir, false);
      EXPECT_EQ(raw.target == TargetKind::real, task.target == TargetChoice::real)
          << entry.name << ' ' << task.name;
      EXPECT_THAT(raw.warnings, ::testing::IsEmpty()) << entry.name << ' ' << task.name;
    }
  }
}

TEST(Communities, BothEncodingsAreTheSameTable) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const RawTable raw = load_raw(named("communities"), *dir, false);
  EXPECT_EQ(raw.provenance.digest,
            load_raw(named("communities_csv"), *dir, false).provenance.digest);
  const auto [least, greatest] = std::ranges::minmax(raw.label);
  EXPECT_EQ(least, 0.01);
  EXPECT_EQ(greatest, 1);
}

// Counts: numpy 1.24.2, RandomState(42).choice of the complete rows.
TEST(Regression, TwoThousandStudentsAreDrawnAsNumpyDrawsThem) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  SupervisedOptions options = named("law_school", "regression");
  options.subsample = 2000;
  options.subsample_seed = 42;
  const RawTable raw = load_raw(options, *dir, false);
  EXPECT_THAT(members(raw.group, 2), ElementsAre(314, 1686));
  EXPECT_THAT(raw.label, Each(AllOf(::testing::Gt(0.0), ::testing::Le(1.0)))) << "grades of 4";
}

TEST(Regression, AdultsAgesAreSharesOfACenturyAndAmountsLogarithms) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const RawTable raw = load_raw(named("adult", "regression"), *dir, false);
  const auto [least, greatest] = std::ranges::minmax(raw.label);
  EXPECT_EQ(least, 0.17);
  EXPECT_EQ(greatest, 0.9);
  const SupervisedSet set = prepare(raw, split_of(raw, {}), {});
  EXPECT_THAT(set.set.feature_names, ElementsAre("fnlwgt", "education-num", "capital-gain",
                                                 "capital-loss", "hours-per-week", "income=>50K"));
  for (std::int64_t i = 0; i < 100; ++i) {
    const double raw_hours = raw.columns[4].numbers[static_cast<std::size_t>(i)];
    EXPECT_NEAR(set.set.row(i)[4], std::log1p(raw_hours), 1e-14);
  }
}

// Expected values: numpy 1.24.2 over the complete rows of the two files.
TEST(AdultClassification, TheTestFileIsScaledByTheTrainingFile) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const RawTable raw = load_raw(named("adult", "classification"), *dir, false);
  const SupervisedSet set = prepare(raw, split_of(raw, {.validation = 0}), {});
  ASSERT_EQ(set.split.train.size(), 30162u);
  ASSERT_EQ(set.split.test.size(), 15060u);
  EXPECT_EQ(set.counts.unseen_levels, 0);
  const auto sum_over_test = [&](const std::string& name) {
    const auto& names = set.set.feature_names;
    const auto column = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    double sum = 0;
    for (const std::int64_t row : set.split.test) sum += set.set.row(row)[column];
    return sum;
  };
  const std::vector<std::pair<const char*, double>> expected{{"age", 378.86604033323147},
                                                             {"fnlwgt", -25.296470643882103},
                                                             {"education-num", -50.570529963584036},
                                                             {"capital-gain", 57.533188456656404},
                                                             {"capital-loss", 24.93576556199561},
                                                             {"hours-per-week", 25.5894393262098}};
  for (const auto& [name, sum] : expected) {
    // Sums of 15,060 terms of size 1, where numpy adds pairwise and we in order.
    EXPECT_NEAR(sum_over_test(name), sum, 1e-8) << name;
  }
  EXPECT_EQ(sum_over_test("workclass=Private"), 11021);
}

TEST(A9a, RowsLabelsAndSexAreThoseOfAdult) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const RawTable raw = load_raw(named("a9a"), *dir, false);
  EXPECT_EQ(raw.sparse.index.size(), 451592u + 225731u);
  EXPECT_TRUE(is_binary(raw.sparse));
  WholeSetOptions adult;
  adult.data = "adult";
  const Dataset dense = load(adult, *dir, false);
  for (std::size_t i = 0; i < static_cast<std::size_t>(dense.rows); ++i) {
    ASSERT_EQ(raw.group[i], dense.group[i]) << "row " << i;
    ASSERT_EQ(raw.label[i], dense.label[i]) << "row " << i;
    ASSERT_EQ(raw.file[i], 0) << "row " << i;
  }
}

TEST(A9a, TheOfficialTestFileStaysAndATenthOfTheTrainingFileValidates) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const RawTable raw = load_raw(named("a9a"), *dir, false);
  const SupervisedSet set = prepare(raw, split_of(raw, {.validation = 0.1}), {});
  EXPECT_EQ(set.split.train.size(), 29305u);
  EXPECT_EQ(set.split.validation.size(), 3256u);
  EXPECT_EQ(set.split.test.size(), 16281u);
  const SparseRows sparse = sparse_rows(set.set);
  EXPECT_EQ(sparse.index, raw.sparse.index);
  EXPECT_EQ(sparse.offsets, raw.sparse.offsets);
}

TEST(AcsIncome, AStateOfTheLargeFileIsTheStatesOwnFile) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  SupervisedOptions options = named("acs_income");
  options.state = "OK";
  const RawTable raw = load_raw(options, *dir, false);
  const RawTable own = load_raw(named("acs_income_ok"), *dir, false);
  EXPECT_EQ(raw.provenance.digest, own.provenance.digest);
  EXPECT_EQ(raw.provenance.file_rows, 1402864);

  const Split split = split_of(raw, {.validation = 0, .test = 0.2, .stratify = Stratify::group});
  std::vector<std::int32_t> group;
  for (const std::int64_t row : split.test)
    group.push_back(raw.group[static_cast<std::size_t>(row)]);
  EXPECT_THAT(members(group, 2), ElementsAre(913, 2670)) << "of 4567 and 13350 a fifth";
  // Published: 30.8 % of the White and 20.7 % of the others are positive.
  std::vector<double> positive(2, 0);
  for (std::size_t i = 0; i < raw.label.size(); ++i) {
    positive[static_cast<std::size_t>(raw.group[i])] += raw.label[i];
  }
  EXPECT_NEAR(positive[1] / 13350, 0.308, 5e-4);
  EXPECT_NEAR(positive[0] / 4567, 0.2076, 5e-4);
}

TEST(AcsIncome, StatesThatTheFileLacksHaveNoRows) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  SupervisedOptions options = named("acs_income");
  options.state = "CA";
  EXPECT_THAT(input_error([&] { (void)load_raw(options, *dir, false); }),
              HasSubstr("no row is left: all 1402864"));
  options.state = "ZZ";
  EXPECT_THAT(input_error([&] { (void)load_raw(options, *dir, false); }),
              HasSubstr("data.state = 'ZZ', must be the two capital letters"));
}

TEST(LabelledSets, OnesWithoutATaskOfNumbersAloneAreWholeSetsOfTheirFirst) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  const Dataset set = load(named("compas"), *dir, false);
  const RawTable raw = load_raw(named("compas"), *dir, false);
  EXPECT_EQ(set.rows, raw.rows);
  EXPECT_EQ(set.group, raw.group);
  EXPECT_THAT(set.feature_names, ::testing::IsSupersetOf({"age", "sex=Female", "sex=Male"}));
}

TEST(LabelledSets, OwnColumnsTakeThePlaceOfTheCatalogues) {
  const auto dir = test::public_data_dir();
  if (!dir) GTEST_SKIP() << test::no_public_data;
  SupervisedOptions options = named("adult", "classification");
  options.features = {"age", "workclass"};
  options.sensitive = {"race", "sex"};
  options.label = "hours-per-week > 40";
  const RawTable raw = load_raw(options, *dir, false);
  EXPECT_EQ(raw.columns.size(), 2u);
  EXPECT_TRUE(raw.columns[1].categorical);
  EXPECT_EQ(raw.group_names.size(), 10u);
  EXPECT_EQ(raw.target, TargetKind::binary);
  EXPECT_EQ(raw.rows, 46043) << "complete in the columns that are used";
}

TEST(SynFourGroups, GroupsLieAlongTheFirstFeatureAndTheLabelIsLinear) {
  const RawTable raw = load_raw(named("syn_four_groups"), ".", false);
  ASSERT_EQ(raw.rows, 2000);
  EXPECT_EQ(raw.target, TargetKind::real);
  // Expected shares of N(0, 1): .242, .258, .258, .242; standard deviation of a count at most 20.
  const auto counts = members(raw.group, raw.group_names.size());
  const std::vector<std::int64_t> expected{484, 516, 516, 484};
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_NEAR(static_cast<double>(counts.at(g)), static_cast<double>(expected[g]), 80);
  }
  double squares = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double x1 = raw.columns[0].numbers[i];
    const double noise =
        raw.label[i] - 5 * x1 - 4 * raw.columns[1].numbers[i] - 4 * raw.columns[2].numbers[i];
    squares += noise * noise;
    EXPECT_EQ(raw.group[i], (x1 > -0.7) + (x1 >= 0) + (x1 >= 0.7));
  }
  // The mean of 2,000 squares of N(0, 1) has the standard deviation sqrt(2 / 2000) = 0.032.
  EXPECT_NEAR(squares / 2000, 1, 0.16);
}

TEST(SynPredictions, TheFirstModelKnowsTheChanceOfLabel1AndTheSecondOneDoesNot) {
  const RawTable raw = load_raw(named("syn_predictions"), ".", false);
  ASSERT_EQ(raw.rows, 4000);
  EXPECT_EQ(raw.target, TargetKind::binary);
  EXPECT_THAT(raw.class_names, ElementsAre("0", "1"));
  // Expected 2,800 and 1,200, standard deviation sqrt(4000 * 0.3 * 0.7) = 29.
  EXPECT_NEAR(static_cast<double>(members(raw.group, 2).at(1)), 1200, 5 * 29);
  for (const auto& [column, calibrated] : {std::pair{0u, true}, {1u, false}}) {
    double excess = 0;    // of the labels of group b over the probabilities
    double variance = 0;  // of the excess, were the probabilities right
    for (std::size_t i = 0; i < 4000; ++i) {
      const double p = raw.columns[column].numbers[i];
      ASSERT_TRUE(p > 0 && p < 1);
      if (raw.group[i] == 0) continue;
      excess += raw.label[i] - p;
      variance += p * (1 - p);
    }
    EXPECT_EQ(std::abs(excess) < 5 * std::sqrt(variance), calibrated) << raw.columns[column].name;
  }
}

}  // namespace
}  // namespace fairfront::data::labelled_sets_test
