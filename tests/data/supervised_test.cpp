#include "data/supervised.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "data/readers/csv.hpp"
#include "support.hpp"

namespace fairfront::data::supervised_test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

/// Columns of parts: the first rows are for training, the last for the test.
const SplitOptions by_column{.by = SplitRule::column, .validation = 0};

SupervisedOptions own(const std::vector<std::string>& features) {
  SupervisedOptions options;
  options.data = "csv";
  options.features = features;
  options.sensitive = {"s"};
  options.label = "y";
  options.split = "part";
  return options;
}

RawTable raw_of(const std::string& text, SupervisedOptions options) {
  const TemporaryFolder folder;
  options.data = options.data == "adult" ? "csv" : options.data;
  options.file = folder.write("own.csv", text);
  return load_raw(options, folder.path(), false);
}

SupervisedSet set_of(const std::string& text, const SupervisedOptions& options,
                     const PreparationOptions& preparation = {},
                     const SplitOptions& split = by_column) {
  const RawTable raw = raw_of(text, options);
  return prepare(raw, split_of(raw, split), preparation);
}

template <class... Arguments>
std::string error_of(const std::string& text, const Arguments&... arguments) {
  return input_error([&] { (void)set_of(text, arguments...); });
}

std::vector<double> column(const SupervisedSet& set, const std::string& name) {
  const auto& names = set.set.feature_names;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    ADD_FAILURE() << "no column " << name;
    return {};
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < set.set.rows; ++i) {
    values.push_back(set.set.row(i)[static_cast<std::size_t>(found - names.begin())]);
  }
  return values;
}

const std::string numbers =
    "x,z,s,y,part\n"
    "1,5,a,0,train\n"
    "3,5,b,1,train\n"
    "11,7,a,1,test\n"
    "-1,5,b,0,test\n";

const std::string mixed_cells =
    "x,colour,z,s,y,part\n"
    "1,red,2,a,0,train\n"
    ",blue,0.5,b,1,train\n"
    "4,,9,a,1,train\n"
    "7,red,0,a,1,test\n"
    ",green,,b,0,test\n";

TEST(RowPreparer, MakesTheFeaturesThatPreparingTheTableMade) {
  for (const MissingPolicy missing : {MissingPolicy::mean, MissingPolicy::zero}) {
    for (const OneHot one_hot : {OneHot::full, OneHot::drop_first}) {
      SupervisedOptions options = own({"x", "colour", "z"});
      options.categorical = {"colour"};
      options.missing_rule = missing;
      const SupervisedSet set = set_of(mixed_cells, options,
                                       {.scaling = FittedScaling::zscore,
                                        .scale_indicators = true,
                                        .one_hot = one_hot,
                                        .log1p = {"z"}});
      for (const std::int64_t window : {1, 2, 5}) {
        CsvStream stream({mixed_cells, "t.csv"}, {}, set.fitted.wanted());
        RowPreparer preparer(set.fitted);
        std::vector<double> features;
        while (true) {
          const Table& table = stream.next(window);
          if (table.rows == 0) break;
          const auto& some = preparer.features(table);
          features.insert(features.end(), some.begin(), some.end());
        }
        EXPECT_EQ(features, set.set.features);
        EXPECT_EQ(preparer.unseen_levels(), 1) << "green, which no training row holds";
      }
    }
  }
}

TEST(RowPreparer, NamesOutsideTheTableSetNoIndicatorAndAreCounted) {
  SupervisedOptions options = own({"x", "colour"});
  options.categorical = {"colour"};
  options.missing_rule = MissingPolicy::zero;
  const SupervisedSet set = set_of(mixed_cells, options);
  CsvStream stream({"colour,x\nviolet,3\nblue,4\n", "t.csv"}, {}, set.fitted.wanted());
  RowPreparer preparer(set.fitted);
  EXPECT_THAT(preparer.features(stream.next(9)), ElementsAre(3, 0, 0, 4, 1, 0));
  EXPECT_EQ(preparer.unseen_levels(), 1);
  EXPECT_EQ(preparer.filled(), 0);
}

TEST(RowPreparer, NamesOfOtherPartsThanTheTrainingRowsAreUnseen) {
  SupervisedOptions options = own({"c"});
  options.categorical = {"c"};
  options.missing_rule = MissingPolicy::mean;
  const auto set =
      set_of("c,s,y,part\nk,a,0,test\nm,a,0,train\nl,b,1,train\nl,b,0,train\n", options);
  EXPECT_THAT(set.fitted.columns[0].levels, testing::UnorderedElementsAre("l", "m"));
  CsvStream stream({"c\nk\n?\nl\n", "t.csv"}, {}, set.fitted.wanted());
  RowPreparer preparer(set.fitted);
  const std::vector<double> features = preparer.features(stream.next(9));
  const auto row = [&](std::size_t i) {
    return std::vector<double>(features.begin() + static_cast<std::ptrdiff_t>(2 * i),
                               features.begin() + static_cast<std::ptrdiff_t>(2 * i + 2));
  };
  EXPECT_THAT(row(0), ElementsAre(0, 0));
  EXPECT_EQ(row(1), row(2));  // the most frequent name fills a missing cell
  EXPECT_EQ(preparer.unseen_levels(), 1);
  EXPECT_EQ(preparer.filled(), 1);
}

TEST(RowPreparer, TheGroupIsAFeatureWhereItIsTold) {
  SupervisedOptions options = own({"x"});
  const auto set = set_of(numbers, options, {.group_feature = GroupFeature::yes});
  CsvStream stream({"x\n5\n6\n", "t.csv"}, {}, set.fitted.wanted());
  RowPreparer preparer(set.fitted, true);
  const std::vector<std::int32_t> groups{0, 1};
  EXPECT_THAT(preparer.features(stream.next(9), groups), ElementsAre(5, 0, 6, 1));
}

TEST(RowPreparer, SaysWhatLaterRowsCannotBe) {
  SupervisedOptions options = own({"x"});
  const auto group = set_of(numbers, options, {.group_feature = GroupFeature::yes});
  EXPECT_THAT(input_error([&] { RowPreparer{group.fitted}; }), HasSubstr("group of every row"));
  const auto logs = set_of("x,s,y,part\n1,a,0,train\n2,b,1,test\n", options, {.log1p = {"x"}});
  CsvStream stream({"x\n-1\n", "t.csv"}, {}, logs.fitted.wanted());
  EXPECT_THAT(input_error([&] { stream.next(10); }),
              HasSubstr("t.csv: line 2, column 'x': the cell must be > -1"));
}

TEST(Prepare, ScalesByTheTrainingRowsAlone) {
  // Of x: mean 2 and deviation 1 of the training rows 1, 3.
  const SupervisedSet zscore = set_of(numbers, own({"x", "z"}), {.scaling = FittedScaling::zscore});
  EXPECT_THAT(column(zscore, "x"), ElementsAre(-1, 1, 9, -3));
  EXPECT_THAT(column(zscore, "z"), ElementsAre(0, 0, 0, 0)) << "constant in the training rows";
  EXPECT_THAT(zscore.warnings, ::testing::Contains(HasSubstr("constant in the training rows")));
  const SupervisedSet minmax = set_of(numbers, own({"x"}), {.scaling = FittedScaling::minmax});
  EXPECT_THAT(column(minmax, "x"), ElementsAre(0, 1, 5, -1));
  EXPECT_EQ(minmax.scaling[0].inverse(5), 11);
  EXPECT_THAT(column(set_of(numbers, own({"x"})), "x"), ElementsAre(1, 3, 11, -1));
}

TEST(Prepare, PartsAreTheSplitOfTheDataset) {
  const SupervisedSet set = set_of(numbers, own({"x"}));
  EXPECT_THAT(set.set.split, ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(set.set.split_names, ElementsAre("train", "validation", "test"));
  EXPECT_THAT(set.rows(Part::test), ElementsAre(2, 3));
  EXPECT_THAT(set.set.group_names, ElementsAre("a", "b"));
  EXPECT_THAT(set.set.group, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(set.target, TargetKind::binary);
}

TEST(Prepare, LogarithmsComeBeforeTheScalingAndAreNamed) {
  const std::string text = "x,s,y,part\n0,a,0,train\n1.5,b,3,train\n6,a,1,test\n";
  const SupervisedSet logs = set_of(text, own({"x"}), {.log1p = {"x", "y"}});
  EXPECT_THAT(column(logs, "x"),
              Pointwise(DoubleNear(1e-15), {0.0, std::log1p(1.5), std::log1p(6)}));
  EXPECT_THAT(logs.set.label, Pointwise(DoubleNear(1e-15), {0.0, std::log1p(3), std::log1p(1)}));
  EXPECT_TRUE(logs.label_transform.log1p);
  const SupervisedSet scaled =
      set_of(text, own({"x"}), {.scaling = FittedScaling::minmax, .log1p = {"x"}});
  EXPECT_NEAR(column(scaled, "x")[2], std::log1p(6) / std::log1p(1.5), 1e-15);
  EXPECT_THAT(error_of("x,s,y,part\n-1,a,0,train\n1,b,1,test\n", own({"x"}),
                       PreparationOptions{.log1p = {"x"}}),
              HasSubstr("column 'x' holds a value <= -1"));
  EXPECT_THAT(error_of(numbers, own({"x"}), PreparationOptions{.log1p = {"xx"}}),
              HasSubstr("'xx' is no numeric column or label (did you mean 'x'?)"));
}

TEST(Prepare, ALabelOfNumbersIsScaledByTheTrainingRows) {
  const std::string text = "x,s,y,part\n0,a,2,train\n1,b,4,train\n2,a,5,test\n";
  SupervisedOptions options = own({"x"});
  EXPECT_THAT(set_of(text, options).set.label, ElementsAre(2, 4, 5));
  EXPECT_EQ(set_of(text, options).target, TargetKind::real);
  const SupervisedSet scaled = set_of(text, options, {.label_scaling = FittedScaling::minmax});
  EXPECT_THAT(scaled.set.label, ElementsAre(0, 1, 1.5));
  EXPECT_EQ(scaled.label_transform.scale.inverse(1.5), 5);
  options.label_divisor = 4;
  EXPECT_THAT(set_of(text, options).set.label, ElementsAre(0.5, 1, 1.25));
  EXPECT_THAT(error_of(numbers, options), HasSubstr("label_divisor is for real labels"));
}

const std::string names =
    "c,s,y,part\n"
    "blue,a,0,train\n"
    "red,b,1,train\n"
    "blue,a,0,train\n"
    "green,b,1,test\n"
    "red,a,1,test\n";

TEST(Prepare, LevelsOfTheTrainingRowsBecomeIndicators) {
  SupervisedOptions options = own({"c"});
  options.categorical = {"c"};
  const SupervisedSet set = set_of(names, options);
  EXPECT_THAT(set.set.feature_names, ElementsAre("c=blue", "c=red"));
  EXPECT_THAT(set.set.features, ElementsAre(1, 0, 0, 1, 1, 0, 0, 0, 0, 1));
  EXPECT_EQ(set.counts.unseen_levels, 1);
  EXPECT_THAT(set.warnings, ::testing::Contains(HasSubstr("'c' 1")));
  const SupervisedSet dropped = set_of(names, options, {.one_hot = OneHot::drop_first});
  EXPECT_THAT(dropped.set.feature_names, ElementsAre("c=red"));
  EXPECT_THAT(dropped.set.features, ElementsAre(0, 1, 0, 0, 1));
  const SupervisedSet scaled =
      set_of(names, options, {.scaling = FittedScaling::zscore, .scale_indicators = true});
  // c=blue in the training rows: 1, 0, 1; mean 2/3, deviation sqrt(2)/3.
  EXPECT_NEAR(column(scaled, "c=blue")[0], std::sqrt(0.5), 1e-15);
  EXPECT_THAT(set_of(names, options, {.scaling = FittedScaling::zscore}).set.features,
              ElementsAre(1, 0, 0, 1, 1, 0, 0, 0, 0, 1));
}

TEST(Prepare, AutomaticCategoriesAreThoseThatAreNotNumbersThroughout) {
  SupervisedOptions options = own({"x", "c"});
  options.categorical = {"auto"};
  const SupervisedSet set =
      set_of("x,c,s,y,part\n1.5,u,a,0,train\n-2,7,b,1,train\n3e1,u,a,1,test\n", options);
  EXPECT_THAT(set.set.feature_names, ElementsAre("x", "c=7", "c=u"));
  EXPECT_THAT(column(set, "x"), ElementsAre(1.5, -2, 30));
}

TEST(Prepare, LevelsAreOrderedByNumberOrTextAndNotByRow) {
  SupervisedOptions options = own({"c"});
  options.categorical = {"c"};
  EXPECT_THAT(set_of("c,s,y,part\n10,a,0,train\n9,b,1,train\n", options, {},
                     {.by = SplitRule::column, .validation = 0, .test_values = {}})
                  .set.feature_names,
              ElementsAre("c=9", "c=10"));
}

const std::string gaps =
    "x,c,s,y,part\n"
    "1,u,a,0,train\n"
    "3,v,b,1,train\n"
    "?,v,a,1,train\n"
    "NA,-,b,0,test\n"
    "100,u,b,1,test\n";

TEST(Missing, CellsStopTheRunOrDropTheirRows) {
  SupervisedOptions options = own({"x", "c"});
  options.categorical = {"c"};
  options.missing = {"?", "NA", "-"};
  EXPECT_THAT(error_of(gaps, options),
              HasSubstr("line 4, column 'x': the cell is missing (missing_rule = drop"));
  options.missing_rule = MissingPolicy::drop;
  const SupervisedSet set = set_of(gaps, options);
  EXPECT_EQ(set.set.rows, 3);
  EXPECT_EQ(set.set.provenance.file_rows, 5);
  EXPECT_THAT(column(set, "x"), ElementsAre(1, 3, 100));
}

TEST(Missing, CellsBecomeTheTrainingRowsMeanOrMostFrequentLevel) {
  SupervisedOptions options = own({"x", "c"});
  options.categorical = {"c"};
  options.missing = {"?", "NA", "-"};
  options.missing_rule = MissingPolicy::mean;
  const SupervisedSet mean = set_of(gaps, options);
  EXPECT_THAT(column(mean, "x"), ElementsAre(1, 3, 2, 2, 100));
  EXPECT_THAT(column(mean, "c=v"), ElementsAre(0, 1, 1, 1, 0));
  EXPECT_EQ(mean.counts.filled, 3);
  options.missing_rule = MissingPolicy::zero;
  const SupervisedSet zero = set_of(gaps, options);
  EXPECT_THAT(column(zero, "x"), ElementsAre(1, 3, 0, 0, 100));
  EXPECT_THAT(column(zero, "c=v"), ElementsAre(0, 1, 1, 0, 0));
  EXPECT_THAT(column(zero, "c=u"), ElementsAre(1, 0, 0, 0, 1));
}

TEST(Missing, AConstantColumnStaysConstantWhereItsCellsAreFilled) {
  SupervisedOptions options = own({"x", "k"});
  options.missing_rule = MissingPolicy::mean;
  for (const std::string value : {"0.1", "3.7", "-0.7", "1e-9", "123456.789"}) {
    std::string text = "x,k,s,y,part\n";
    for (int row = 0; row < 60; ++row) {
      text += std::to_string(row) + "," + (row % 7 == 3 ? "?" : value) + "," +
              (row % 2 == 0 ? "a" : "b") + "," + std::to_string(row % 3 == 0 ? 1 : 0) +
              (row < 50 ? ",train\n" : ",test\n");
    }
    for (const auto scaling : {FittedScaling::zscore, FittedScaling::minmax}) {
      const SupervisedSet set = set_of(text, options, {.scaling = scaling});
      EXPECT_THAT(column(set, "k"), ::testing::Each(0.0)) << value;
      EXPECT_THAT(set.warnings, ::testing::Contains(HasSubstr("constant in the training rows")));
    }
    const SupervisedSet plain = set_of(text, options, {.scaling = FittedScaling::none});
    EXPECT_THAT(column(plain, "k"), ::testing::Each(std::stod(value)));
  }
}

TEST(Missing, TheMeanThatFillsDoesNotHangOnTheOrderOfTheRows) {
  SupervisedOptions options = own({"x"});
  options.missing_rule = MissingPolicy::mean;
  std::vector<std::string> rows;
  for (int row = 0; row < 40; ++row) {
    rows.push_back((row % 9 == 4 ? "?" : std::to_string(0.1 + 1.7 * row * row)) +
                   (row % 2 == 0 ? ",a,0,train\n" : ",b,1,train\n"));
  }
  const auto filler = [&] {
    std::string text = "x,s,y,part\n";
    for (const std::string& row : rows) text += row;
    return set_of(text + "1,a,0,test\n", options).fitted.columns[0].filler;
  };
  const double first = filler();
  for (int turn = 1; turn < 40; ++turn) {
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    EXPECT_EQ(filler(), first) << turn;
  }
}

TEST(Missing, RowsWithoutGroupOrLabelCannotBeFilledUp) {
  SupervisedOptions options = own({"x"});
  const std::string text = "x,s,y,part\n1,a,0,train\n2,?,1,train\n3,b,,train\n4,b,1,test\n";
  EXPECT_THAT(error_of(text, options), HasSubstr("line 3, column 's': the cell is missing"));
  options.missing_rule = MissingPolicy::mean;
  EXPECT_EQ(set_of(text, options).set.rows, 2);
}

TEST(Leakage, NothingInAnotherPartChangesATrainingRow) {
  SupervisedOptions options = own({"x", "z", "c"});
  options.categorical = {"c"};
  options.missing_rule = MissingPolicy::mean;
  const std::string train = "1,?,u,a,0,train\n3,2,v,b,1,train\n7,4,v,a,1,train\n";
  const std::string header = "x,z,c,s,y,part\n";
  for (const auto scaling : {FittedScaling::zscore, FittedScaling::minmax}) {
    const PreparationOptions preparation{.scaling = scaling, .log1p = {"x"}};
    const SupervisedSet one =
        set_of(header + train + "5,5,u,b,0,test\n2,2,v,a,1,test\n", options, preparation);
    const SupervisedSet other = set_of(
        header + train + "9e9,-77,a-first-level,b,1,test\n0,?,?,a,0,test\n", options, preparation);
    EXPECT_EQ(one.set.feature_names, other.set.feature_names);
    for (const std::int64_t row : one.split.train) {
      EXPECT_THAT(one.set.row(row), ::testing::ElementsAreArray(other.set.row(row)));
    }
    EXPECT_NE(one.digest(), other.digest());
  }
}

TEST(Leakage, TheLabelMakesNoGroups) {
  for (const std::vector<std::string>& sensitive :
       {std::vector<std::string>{"y"}, {"s", "y"}, {"s", "y > 0"}}) {
    SupervisedOptions options = own({"x"});
    options.sensitive = sensitive;
    EXPECT_THAT(error_of(numbers, options),
                HasSubstr("data.sensitive names 'y', which is data.label"));
  }
}

TEST(Ranges, NumbersWhoseSquaresOverflowOrVanishAreRefusedWithTheirColumn) {
  for (const auto& [exponent, what] : {std::pair{"e200", "overflows"}, {"e-200", "vanishes"}}) {
    const std::string of_feature =
        "x,z,s,y,part\n0,1,a,0,train\n0,7" + std::string{exponent} + ",b,1,train\n0,0,b,1,test\n";
    if (std::string{what} == "overflows") {
      EXPECT_THAT(
          error_of(of_feature, own({"x", "z"})),
          HasSubstr(": line 3, column 'z': the cell must be a number of magnitude up to 1e100"));
    } else {
      EXPECT_EQ(set_of(of_feature, own({"x", "z"})).set.rows, 3);  // one of many may be small
    }
    const std::string of_label = "x,s,y,part\n1,a,2" + std::string{exponent} + ",train\n2,b,-1" +
                                 exponent + ",train\n3,b,0.5" + exponent + ",test\n";
    EXPECT_THAT(error_of(of_label, own({"x"})),
                HasSubstr(std::string{"column 'y' needs another unit: the square of its largest "
                                      "number "} +
                          what));
  }
}

TEST(Ranges, UnscaledColumnsOfVeryDifferentRangesBringAWarning) {
  const auto rows = [](const std::string& last) {
    return "x,z,s,y,part\n0,0,a,0,train\n1,99,b,1,train\n1," + last +
           ",a,1,train\n1e6,1,b,0,test\n";
  };
  const auto speaks_of_ranges = ::testing::Contains(HasSubstr("are not scaled"));
  EXPECT_THAT(set_of(rows("150"), own({"x", "z"})).warnings,
              ::testing::Contains(AllOf(HasSubstr("differ by a factor of 150: 'z' 150, 'x' 1"),
                                        HasSubstr("preparation.scaling"))));
  EXPECT_THAT(set_of(rows("99"), own({"x", "z"})).warnings, Not(speaks_of_ranges));
  EXPECT_THAT(set_of(rows("150"), own({"x", "z"}), {.scaling = FittedScaling::minmax}).warnings,
              Not(speaks_of_ranges));
}

TEST(Prepare, ColumnsWhoseSumsOverflowAndScalesThatDoNotFitAreRefused) {
  const std::string huge = "x,s,y,part\n1e100,a,0,train\n-1.1e100,b,1,train\n1,a,1,test\n";
  for (const auto scaling : {FittedScaling::none, FittedScaling::zscore, FittedScaling::minmax}) {
    EXPECT_THAT(
        error_of(huge, own({"x"}), PreparationOptions{.scaling = scaling}),
        HasSubstr("line 3, column 'x': the cell must be a number of magnitude up to 1e100"));
  }
  EXPECT_THAT(
      error_of(numbers, own({"x"}), PreparationOptions{.label_scaling = FittedScaling::zscore}),
      HasSubstr("label_scaling is for real labels; this one is binary"));
  SupervisedOptions filled = own({"x"});
  filled.missing_rule = MissingPolicy::mean;
  EXPECT_THAT(error_of("x,s,y,part\n?,a,0,train\n?,b,1,train\n1,a,1,test\n", filled),
              HasSubstr("column 'x' has no value in the training rows"));
}

TEST(GroupFeature, TheSecondGroupOrEachOfSeveralIsAnIndicator) {
  const SupervisedSet two = set_of(numbers, own({"x"}), {.group_feature = GroupFeature::yes});
  EXPECT_THAT(two.set.feature_names, ElementsAre("x", "group=b"));
  EXPECT_THAT(column(two, "group=b"), ElementsAre(0, 1, 0, 1));
  const SupervisedSet three =
      set_of("x,s,y,part\n1,a,0,train\n2,b,1,train\n3,c,0,train\n1,a,1,test\n", own({"x"}),
             {.group_feature = GroupFeature::yes});
  EXPECT_THAT(three.set.feature_names, ElementsAre("x", "group=a", "group=b", "group=c"));
}

TEST(Digest, ChangesWithDataSplitAndPreparationAndNotWithText) {
  const SupervisedSet one = set_of(numbers, own({"x"}));
  EXPECT_EQ(one.digest(), set_of(numbers, own({"x"})).digest());
  EXPECT_NE(one.digest(), set_of(numbers, own({"x"}), {.scaling = FittedScaling::minmax}).digest());
  EXPECT_NE(one.digest(), set_of(numbers, own({"x", "z"})).digest());
  SplitOptions swapped = by_column;
  std::swap(swapped.train_values, swapped.test_values);
  EXPECT_NE(one.digest(), set_of(numbers, own({"x"}), {}, swapped).digest());
}

TEST(Sparse, RowsAreTheEntriesThatAreNotZero) {
  const SupervisedSet set =
      set_of("x,z,s,y,part\n0,2,a,0,train\n0,0,b,1,train\n3,1,a,1,test\n", own({"x", "z"}));
  const SparseRows sparse = sparse_rows(set.set);
  EXPECT_EQ(sparse.rows(), 3);
  EXPECT_EQ(sparse.columns, 2);
  EXPECT_THAT(sparse.offsets, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(sparse.indices_of(2), ElementsAre(0, 1));
  EXPECT_THAT(sparse.values_of(2), ElementsAre(3, 1));
  EXPECT_FALSE(is_binary(sparse));
}

}  // namespace
}  // namespace fairfront::data::supervised_test
