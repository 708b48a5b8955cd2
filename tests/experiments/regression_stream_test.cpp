#include "experiments/regression_stream.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/registry.hpp"
#include "regression_support.hpp"
#include "support/temporary_folder.hpp"

namespace fairfront::experiments::regression_stream_test {
namespace {

using sweep::TaskResult;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const std::string streaming = "[dp_streaming]\nepsilon = 0.02\noptimiser = ac_sa, averaged_sgd\n";
const std::string features = "sensitive = sex\nfeatures = x, region\ncategorical = region\n";

/// The unlabelled rows without target and group: predictions of a model.
std::string predictions_of(const std::vector<Row>& rows) {
  std::string text = "tau_m,id,eta,tau_f\n";
  for (const Row& row : part(rows, "unlabelled")) {
    text += fmt::format("{},7,{},{}\n", base::format_double(row.tau), base::format_double(row.eta),
                        base::format_double(1 - row.tau));
  }
  return text;
}

/// The same: features.
std::string features_of(const std::vector<Row>& rows) {
  std::string text = "region,x\n";
  for (const Row& row : part(rows, "unlabelled")) {
    text += fmt::format("{},{}\n", row.region, base::format_double(row.x));
  }
  return text;
}

void expect_same(const TaskResult& a, const TaskResult& b) {
  EXPECT_EQ(a.metrics, b.metrics);
  EXPECT_EQ(numbers(a, "multipliers", 0), numbers(b, "multipliers", 0));
}

TEST(RegressionStream, AFileOfPredictionsGivesTheBitsOfTheTable) {
  const auto rows = random_rows(21, 6300);  // 2,100 unlabelled: several windows
  const test::TemporaryFolder folder;
  const std::string file = folder / "rows.csv";
  test::put_bytes(file, predictions_of(rows));
  const std::string config = parts + from_columns + streaming;
  const Sweep table(csv_of(rows), config);
  const Sweep stream(csv_of(rows), config + "[regression]\nunlabelled_file = " + file + "\n");
  for (std::int64_t task = 0; task < 2; ++task) {
    const TaskResult streamed = stream.run(task);
    EXPECT_EQ(streamed.metrics.at("gradients"), 2100);
    expect_same(streamed, table.run(task));
  }
}

TEST(RegressionStream, AFileOfFeaturesIsScoredWithTheBitsOfTheTable) {
  for (const std::string sensitive : {"sex", "sex, region"}) {  // two groups, and four
    auto rows = random_rows(22, 600);
    for (std::size_t i = 0; i < rows.size(); i += 7) rows[i].region = "east";
    const test::TemporaryFolder folder;
    const std::string file = folder / "rows.csv";
    test::put_bytes(file, features_of(rows));
    const std::string data =
        sensitive == "sex" ? features : "sensitive = sex, region\nfeatures = x\n";
    const std::string config =
        parts + streaming + "[preparation]\nscaling = zscore\nscale_indicators = true\n";
    const Sweep table(csv_of(rows), config, data);
    const Sweep stream(csv_of(rows), config + "[regression]\nunlabelled_file = " + file + "\n",
                       data);
    expect_same(stream.run(0), table.run(0));
  }
}

TEST(RegressionStream, OnlyTheRowsOfTheFileMoveTheMultipliers) {
  const auto rows = random_rows(23, 300);
  const test::TemporaryFolder folder;
  const std::string file = folder / "rows.csv";
  test::put_bytes(file, "eta,tau_f,tau_m\n12,0.9,0.1\n");
  const Sweep stream(csv_of(rows), parts + from_columns + streaming +
                                       "[regression]\nunlabelled_file = " + file + "\n");
  const TaskResult one_row = stream.run(0);
  EXPECT_EQ(one_row.metrics.at("gradients"), 1);
  test::put_bytes(file, "eta,tau_f,tau_m\n12,0.9,0.1\n8,0.2,0.8\n");
  const Sweep other(csv_of(rows), parts + from_columns + streaming +
                                      "[regression]\nunlabelled_file = " + file + "\n");
  EXPECT_NE(numbers(other.run(0), "multipliers", 0), numbers(one_row, "multipliers", 0));
  EXPECT_NE(other.forecast().data.digest,
            Sweep(csv_of(rows), parts + from_columns + streaming).forecast().data.digest);
  try {
    (void)stream.run(1);  // checked before the second row was there
    FAIL() << "a changed file was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has changed since the run began"));
  }
}

TEST(RegressionStream, SaysWhatIsWrongWithTheFileBeforeTheRunAndNamesTheRow) {
  const auto rows = random_rows(24, 90);
  const test::TemporaryFolder folder;
  const std::string file = folder / "rows.csv";
  const auto error = [&](const std::string& text, const std::string& config,
                         const std::string& data) {
    test::put_bytes(file, text);
    return error_of(csv_of(rows), config + "[regression]\nunlabelled_file = " + file + "\n", data);
  };
  const std::string columns = parts + from_columns + streaming;
  EXPECT_EQ(error(predictions_of(rows), columns, "sensitive = sex\n"), "no error");
  EXPECT_THAT(error("eta,tau_f,tau_m\n1,0.5,0.5\n1,0.5,0.6\n", columns, "sensitive = sex\n"),
              HasSubstr("row 2 holds no probabilities of the groups"));
  EXPECT_THAT(error("eta,tau_f\n1,0.5\n", columns, "sensitive = sex\n"),
              HasSubstr("no column 'tau_m'"));
  EXPECT_THAT(error("eta,tau_f,tau_m\n1,0.5,x\n", columns, "sensitive = sex\n"),
              HasSubstr("line 2, column 'tau_m': the cell must be a finite number"));
  EXPECT_THAT(error("eta,tau_f,tau_m\n1,0.5,0.5\n1e308,0.5,0.5\n", columns, "sensitive = sex\n"),
              AllOf(HasSubstr("rows.csv: line 3, column 'eta': "), HasSubstr("up to 1e100")));
  EXPECT_THAT(error("eta,tau_f,tau_m\n1e-200,0.5,0.5\n", columns, "sensitive = sex\n"),
              AllOf(HasSubstr("rows.csv: column 'eta' needs another unit"), HasSubstr("vanishes")));
  EXPECT_THAT(error("eta,tau_f,tau_m\n", columns, "sensitive = sex\n"), HasSubstr("no rows"));
  EXPECT_THAT(error("x\n1\n", parts + streaming, features), HasSubstr("no column 'region'"));
  EXPECT_THAT(error("x,region\n1,n\n", parts + streaming + "[preparation]\ngroup_feature = true\n",
                    features),
              HasSubstr("rows.csv: preparation.group_feature = true needs the group of every row"));
  EXPECT_THAT(error_of(csv_of(rows), columns + "[regression]\nunlabelled_file = none.csv\n"),
              HasSubstr("regression.unlabelled_file: there is no 'none.csv'"));
  test::put_bytes(file, "x,region\n1,n\n2,west\n3,west\n");
  const Sweep sweep(csv_of(rows),
                    parts + streaming + "[regression]\nunlabelled_file = " + file + "\n", features);
  EXPECT_THAT(sweep.forecast().warnings,
              Contains(HasSubstr("2 cells of regression.unlabelled_file")));
}

}  // namespace
}  // namespace fairfront::experiments::regression_stream_test
