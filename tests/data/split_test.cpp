#include "data/split.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Rows with groups and classes, as vectors that a SplitSource looks at.
struct Rows {
  std::vector<std::int32_t> group;
  std::vector<std::string> group_names;
  std::vector<std::int32_t> label;
  std::vector<std::string> class_names;
  std::vector<std::int32_t> file;
  Category column;

  [[nodiscard]] SplitSource source() const {
    return {.rows = static_cast<std::int64_t>(group.size()),
            .group = group,
            .group_names = group_names,
            .label_class = label,
            .class_names = class_names,
            .file = file,
            .column = column.codes.empty() ? nullptr : &column};
  }
};

/// cells[g][c] rows of group g and class c, interleaved so that no part is a block of the file.
Rows rows_of(const std::vector<std::vector<int>>& cells) {
  Rows rows;
  for (std::size_t g = 0; g < cells.size(); ++g) rows.group_names.push_back(fmt::format("g{}", g));
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    rows.class_names.push_back(fmt::format("c{}", c));
  }
  auto left = cells;
  bool more = true;
  while (more) {
    more = false;
    for (std::size_t g = 0; g < cells.size(); ++g) {
      for (std::size_t c = 0; c < cells[g].size(); ++c) {
        if (left[g][c]-- <= 0) continue;
        rows.group.push_back(static_cast<std::int32_t>(g));
        rows.label.push_back(static_cast<std::int32_t>(c));
        more = true;
      }
    }
  }
  return rows;
}

Rows plain_rows(std::size_t count) {
  Rows rows;
  rows.group.assign(count, 0);
  rows.group_names = {"all"};
  return rows;
}

/// Rows of each (group, class) in a part.
std::vector<std::vector<int>> cells_in(const Rows& rows, std::span<const std::int64_t> part) {
  std::vector<std::vector<int>> counts(rows.group_names.size(),
                                       std::vector<int>(rows.class_names.size(), 0));
  for (const std::int64_t row : part) {
    const auto i = static_cast<std::size_t>(row);
    ++counts[static_cast<std::size_t>(rows.group[i])][static_cast<std::size_t>(rows.label[i])];
  }
  return counts;
}

std::string error_of(const Rows& rows, const SplitOptions& options) {
  return input_error([&] { (void)split_of(rows.source(), options); });
}

/// Every row in exactly one part, each part ascending.
void expect_partition(const Split& split, std::int64_t rows) {
  std::vector<std::int64_t> all;
  for (const Part part : {Part::train, Part::validation, Part::test, Part::choice}) {
    const auto in_part = split.rows(part);
    EXPECT_TRUE(std::ranges::is_sorted(in_part));
    all.insert(all.end(), in_part.begin(), in_part.end());
  }
  std::ranges::sort(all);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(rows));
  std::iota(expected.begin(), expected.end(), std::int64_t{0});
  EXPECT_EQ(all, expected);
}

TEST(Split, FractionsGiveTheirSharesOfTheRows) {
  const Rows rows = plain_rows(1000);
  const Split split = split_of(rows.source(), {.validation = 0.3, .test = 0.1});
  EXPECT_THAT(split.train, SizeIs(600));
  EXPECT_THAT(split.validation, SizeIs(300));
  EXPECT_THAT(split.test, SizeIs(100));
  expect_partition(split, 1000);
  EXPECT_THAT(split.warnings(), IsEmpty());
}

TEST(Split, TheRowsLeftOverGoToTheLargestFractionalParts) {
  // 7 rows at .5, .3, .2: quotas 3.5, 2.1, 1.4 give 3, 2, 1; the row left over goes to train (.5).
  const Split seven = split_of(plain_rows(7).source(), {.validation = 0.3, .test = 0.2});
  EXPECT_THAT(seven.train, SizeIs(4));
  EXPECT_THAT(seven.validation, SizeIs(2));
  EXPECT_THAT(seven.test, SizeIs(1));
  // 11 rows at .6, .2, .2: 6.6, 2.2, 2.2 give 6, 2, 2 and one more to train.
  const Split eleven = split_of(plain_rows(11).source(), {});
  EXPECT_THAT(eleven.train, SizeIs(7));
  EXPECT_THAT(eleven.validation, SizeIs(2));
  EXPECT_THAT(eleven.test, SizeIs(2));
}

TEST(Split, EqualRemaindersOfManyStrataShareOutEvenly) {
  // 40 groups of two rows at .6, .2, .2: quotas 1.2, .4, .4 each. Without a rule across strata all
  // second rows would go to one part.
  const Rows rows = rows_of(std::vector<std::vector<int>>(40, {2}));
  const SplitOptions options{.validation = 0.2, .test = 0.2};
  const Split unstratified = split_of(rows.source(), options);
  EXPECT_THAT(unstratified.test, SizeIs(16));
  EXPECT_THAT(error_of(rows, {.stratify = Stratify::group}),
              AllOf(HasSubstr("group 'g0' has 2 rows"), HasSubstr("too few for one in the")));
  const Split halves = split_of(rows_of(std::vector<std::vector<int>>(40, {3})).source(),
                                {.validation = 0.5, .test = 0, .stratify = Stratify::group});
  EXPECT_THAT(halves.train, SizeIs(60));
  EXPECT_THAT(halves.validation, SizeIs(60));
}

TEST(Split, StrataKeepTheirSharesInEveryPart) {
  const Rows rows = rows_of({{60, 30}, {10, 5}});
  const Split by_both = split_of(
      rows.source(), {.validation = 0.2, .test = 0.2, .stratify = Stratify::group_and_label});
  EXPECT_THAT(cells_in(rows, by_both.train), ElementsAre(ElementsAre(36, 18), ElementsAre(6, 3)));
  EXPECT_THAT(cells_in(rows, by_both.validation),
              ElementsAre(ElementsAre(12, 6), ElementsAre(2, 1)));
  EXPECT_THAT(cells_in(rows, by_both.test), ElementsAre(ElementsAre(12, 6), ElementsAre(2, 1)));
  expect_partition(by_both, 105);

  const Split by_group = split_of(rows.source(), {.stratify = Stratify::group});
  const auto counts = cells_in(rows, by_group.test);
  EXPECT_EQ(counts[0][0] + counts[0][1], 18);
  EXPECT_EQ(counts[1][0] + counts[1][1], 3);
  const Split by_label = split_of(rows.source(), {.stratify = Stratify::label});
  const auto labels = cells_in(rows, by_label.test);
  EXPECT_EQ(labels[0][0] + labels[1][0], 14);
  EXPECT_EQ(labels[0][1] + labels[1][1], 7);
}

TEST(Split, EveryStratumIsWithinARowOfItsQuota) {
  EXPECT_TRUE(rc::check([] {
    const auto cells = *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(20, 60));
    const Rows rows = rows_of({{cells[0], cells[1]}, {cells[2], cells[3]}, {cells[4], cells[5]}});
    const double validation = 0.01 * *rc::gen::inRange(8, 40);
    const double test = 0.01 * *rc::gen::inRange(8, 40);
    const Split split =
        split_of(rows.source(),
                 {.validation = validation, .test = test, .stratify = Stratify::group_and_label});
    expect_partition(split, std::accumulate(cells.begin(), cells.end(), std::int64_t{0}));
    const std::array shares{1 - validation - test, validation, test};
    for (const Part part : {Part::train, Part::validation, Part::test}) {
      const auto counts = cells_in(rows, split.rows(part));
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const double quota = shares[static_cast<std::size_t>(part)] * cells[i];
        RC_ASSERT(std::abs(counts[i / 2][i % 2] - quota) < 1 + 1e-9);
      }
    }
  }));
}

TEST(Split, ASeedGivesTheSameRowsAndAnotherSeedOthers) {
  const Rows rows = rows_of({{60, 30}, {10, 5}});
  const SplitOptions one{.stratify = Stratify::group, .split_seed = 1};
  SplitOptions two = one;
  two.split_seed = 2;
  const Split first = split_of(rows.source(), one);
  EXPECT_EQ(first.train, split_of(rows.source(), one).train);
  EXPECT_EQ(first.digest, split_of(rows.source(), one).digest);
  EXPECT_NE(first.train, split_of(rows.source(), two).train);
  EXPECT_NE(first.digest, split_of(rows.source(), two).digest);
}

TEST(Split, EveryRowIsEquallyOftenInEveryPart) {
  // 400 seeds, 20 rows, half of them for the test: a row is there 200 times, standard deviation 10.
  const Rows rows = plain_rows(20);
  std::vector<int> times(20, 0);
  for (int seed = 0; seed < 400; ++seed) {
    const Split split = split_of(rows.source(), {.validation = 0, .test = 0.5, .split_seed = seed});
    for (const std::int64_t row : split.test) ++times[static_cast<std::size_t>(row)];
  }
  for (const int count : times) EXPECT_NEAR(count, 200, 50);
}

TEST(Split, ThePartsOfAColumnAreThoseOfItsNames) {
  Rows rows = plain_rows(6);
  rows.column = {{0, 1, 0, 2, 1, 0}, {"fit", "check", "holdout"}, {1, 2, 4}};
  SplitOptions options{.by = SplitRule::column,
                       .train_values = {"fit"},
                       .validation_values = {"check"},
                       .test_values = {"holdout"}};
  const Split split = split_of(rows.source(), options);
  EXPECT_THAT(split.train, ElementsAre(0, 2, 5));
  EXPECT_THAT(split.validation, ElementsAre(1, 4));
  EXPECT_THAT(split.test, ElementsAre(3));

  options.train_values = {"fit", "check"};
  options.validation_values = {};
  options.validation = 0.2;
  const Split drawn = split_of(rows.source(), options);
  EXPECT_THAT(drawn.train, SizeIs(4));
  EXPECT_THAT(drawn.validation, SizeIs(1));
  EXPECT_THAT(drawn.test, ElementsAre(3));

  options.test_values = {};
  EXPECT_THAT(error_of(rows, options),
              AllOf(HasSubstr("the cell in line 4 of the column of parts is in none of"),
                    Not(HasSubstr("holdout"))));
  options.test_values = {"holdout", "fit"};
  EXPECT_THAT(error_of(rows, options), HasSubstr("'fit' is among the values of two parts"));
  options = {.by = SplitRule::column};
  EXPECT_THAT(error_of(plain_rows(6), options), HasSubstr("needs data.split"));
}

TEST(Split, AColumnOfPartsThatIsNamedIsTakenOrRefused) {
  Rows rows = plain_rows(6);
  rows.column = {{0, 1, 0, 2, 1, 0}, {"fit", "check", "holdout"}, {1, 2, 4}};
  SplitOptions options{
      .train_values = {"fit"}, .validation_values = {"check"}, .test_values = {"holdout"}};
  EXPECT_THAT(split_of(rows.source(), options).test, ElementsAre(3));
  for (const SplitRule by : {SplitRule::fractions, SplitRule::train_test_split}) {
    options.by = by;
    EXPECT_THAT(error_of(rows, options), HasSubstr("data.split names a column of parts, which"));
  }
  options.by = SplitRule::column;
  options.validation_values = {"check", "nope"};
  EXPECT_THAT(error_of(rows, options),
              HasSubstr("split.validation_values names 'nope', which no row has"));
}

TEST(Split, ATestFileIsTheTestPartAndValidationComesFromTheTrainingFile) {
  Rows rows = plain_rows(15);
  rows.file.assign(10, 0);
  rows.file.insert(rows.file.end(), 5, 1);
  const Split split = split_of(rows.source(), {.validation = 0.1});
  EXPECT_THAT(split.test, ElementsAre(10, 11, 12, 13, 14));
  EXPECT_THAT(split.validation, SizeIs(1));
  EXPECT_LT(split.validation[0], 10);
  expect_partition(split, 15);
  const Split pooled = split_of(rows.source(), {.by = SplitRule::fractions});
  EXPECT_THAT(pooled.test, SizeIs(3));
  EXPECT_THAT(error_of(plain_rows(9), {.by = SplitRule::files}),
              HasSubstr("no test file of its own; name one by data.test_file"));
}

/// Rows that certify a choice come from every rule that can make them, and nobody else has them.
TEST(Split, RowsForAChoiceAreAPartOfTheirOwn) {
  const Rows rows = plain_rows(20);
  const SplitOptions shares{.validation = 0.2, .test = 0.3, .choice = 0.25};
  const Split split = split_of(rows.source(), shares);
  EXPECT_THAT(split.choice, SizeIs(5));
  expect_partition(split, 20);
  EXPECT_THAT(error_of(rows, {.validation = 0.4, .test = 0.4, .choice = 0.2}),
              HasSubstr("split.choice = 0.2 leave no rows for training"));
  EXPECT_THAT(error_of(rows, {.by = SplitRule::train_test_split, .choice = 0.2}),
              HasSubstr("no third one"));

  Rows named = plain_rows(6);
  named.column = {{0, 1, 0, 2, 1, 0}, {"fit", "certify", "holdout"}, {1, 2, 4}};
  SplitOptions by_column{.by = SplitRule::column,
                         .validation = 0,
                         .train_values = {"fit"},
                         .test_values = {"holdout"},
                         .choice_values = {"certify"}};
  EXPECT_THAT(split_of(named.source(), by_column).choice, ElementsAre(1, 4));
  by_column.train_values = {"fit", "certify"};
  by_column.choice_values = {};
  by_column.choice = 0.4;
  const Split drawn = split_of(named.source(), by_column);
  EXPECT_THAT(drawn.choice, SizeIs(2));
  EXPECT_THAT(drawn.test, ElementsAre(3));
  expect_partition(drawn, 6);
}

TEST(Split, APartThatWasAskedForMustHaveRows) {
  EXPECT_THAT(error_of(plain_rows(2), {}), HasSubstr("the test part has no rows (of 2 in all)"));
  const Split without = split_of(plain_rows(2).source(), {.validation = 0, .test = 0});
  EXPECT_THAT(without.train, SizeIs(2));
  EXPECT_THAT(error_of(plain_rows(9), {.validation = 0.5, .test = 0.5}),
              HasSubstr("leave no rows for training"));
  EXPECT_THAT(error_of(plain_rows(9), {.stratify = Stratify::label}),
              HasSubstr("no label with classes"));
}

TEST(Split, WhereNothingTrainsTheOtherPartsMayHaveAllRows) {
  const Rows rows = plain_rows(10);
  SplitSource source = rows.source();
  source.trains = false;
  for (const double share : {0.3, 0.4, 0.5}) {
    const Split split = split_of(source, {.validation = share, .test = 1 - share});
    EXPECT_THAT(split.train, SizeIs(0));
    EXPECT_THAT(split.validation, SizeIs(static_cast<std::size_t>(std::lround(10 * share))));
    expect_partition(split, 10);
  }
  const Split thirds = split_of(source, {.validation = 0.1, .test = 0.2, .choice = 0.7});
  EXPECT_THAT(thirds.train, SizeIs(0));
  EXPECT_THAT(thirds.choice, SizeIs(7));
  EXPECT_THAT(split_of(source, {.validation = 0.5, .test = 0.3}).train, SizeIs(2));
  try {
    static_cast<void>(split_of(source, {.validation = 0.5, .test = 0.6}));
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("their sum must be <= 1"));
  }
}

TEST(Split, GroupsAndLabelsThatAPartLacksAreNamed) {
  Rows rows = rows_of({{3, 3}, {1, 1}});
  rows.column.levels = {"train", "test"};
  rows.column.first_line = {1, 2};
  for (std::size_t i = 0; i < rows.group.size(); ++i) {
    rows.column.codes.push_back(rows.group[i] == 0 && rows.label[i] == 1 ? 1 : 0);
  }
  const Split split = split_of(rows.source(), {.by = SplitRule::column, .validation = 0});
  EXPECT_THAT(split.lacking[0], ::testing::StartsWith("the train part"));
  EXPECT_EQ(split.lacking[1], "");
  EXPECT_THAT(split.warnings(),
              ElementsAre("the train part has no row of group 'g0' with label 'c1'",
                          "the test part has no row of group 'g0' with label 'c0', group 'g1' with "
                          "label 'c0', group 'g1' with label 'c1'"));
}

TEST(Split, AsManyGroupsAsRowsAreSplitInALinearTime) {
  constexpr std::int32_t count = 200'000;
  Rows rows;
  for (std::int32_t i = 0; i < count; ++i) {
    rows.group.push_back(i);
    rows.group_names.push_back(fmt::format("g{}", i));
  }
  const Split split = split_of(rows.source(), {});  // minutes, if quadratic
  ASSERT_EQ(split.warnings().size(), 3u);
  EXPECT_LT(split.warnings()[0].size(), 1000u);
}

}  // namespace
}  // namespace fairfront::data
