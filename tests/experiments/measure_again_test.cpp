// What a task has found and the data give every measure of its run again, bit for bit; what was
// taken from an archive comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "random_table.hpp"
#include "results/digest.hpp"
#include "results/records.hpp"
#include "sweep/measure_again.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments::measure_again_test {
namespace {

struct Case {
  const char* name;
  std::uint32_t groups;
  const char* experiment;
  const char* label;
  const char* config;
};

constexpr Case cases[] = {
    {"training", 3, "training", "label",
     "[model]\nhidden = 3\n[training]\nloss = logistic, hinge\nbudget = 400\n[sgd]\n"
     "[certified_training]\nlast_layer_evaluations = 4\n"},
    {"ranking", 2, "ranking", "label",
     "[ranking]\nmetric = group, positive_average\n[auc_front]\nrounds = 2\niterations = 5\n"
     "[score_postprocessing]\nsteps = 40\nfactor_step = 0.5\nshift_step = 0.5\n"
     "[correlation_penalty]\nmodel = linear, network\nsteps = 40\nlook_every = 20\n"},
    {"rankingOfThreeGroups", 3, "ranking", "label",
     "[ranking]\nresamples = 4\nmetric = group, inter_group, background\n[unconstrained_auc]\n"
     "[exact_auc]\n"},
    {"regression", 3, "regression", "target",
     "[regression]\nresamples = 4\nhalf_atoms = 6\n[base_model]\n[dp_exact]\nepsilon = 0.1\n"
     "rule = randomised, argmax, mean\n[adw]\nepsilon = 0.1\nrule = randomised, mean\n"},
    {"predictions", 3, "predictions", "label",
     "[predictions]\nscore = score\nkind = score\n[measures]\nparts = all\n"
     "intervals = formula, bootstrap\nresamples = 5\n"}};

class MeasureAgain : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static TableSweep sweep_of(const Case& which) {
    const bool audit = std::string(which.experiment) == "predictions";
    return {which.experiment, random_table(5, "measure again", 180, which.groups),
            std::string("[split]\nvalidation = 0.3\ntest = 0.3\n") + which.config,
            std::string("label = ") + which.label + "\nsensitive = group\n" +
                (audit ? "" : "features = x, z\n")};
  }
};

TEST_P(MeasureAgain, GivesEveryValueOfTheRun) {
  const TableSweep sweep = sweep_of(GetParam());
  const results::Content content = sweep.content();
  std::int64_t values = 0;
  for (const results::TaskRecord& record : results::records_of(content)) {
    for (const auto& [name, cells] : record.result.measured) {
      if (!name.starts_with("best_")) values += std::ssize(cells);  // of a trajectory
    }
  }
  const sweep::MeasuredAgain again = sweep.measure_again(content);
  EXPECT_EQ(again.same, values);
  EXPECT_GT(values, 20);
  EXPECT_THAT(again.different, testing::IsEmpty());
  EXPECT_TRUE(again.added.empty());
  EXPECT_EQ(results::results_digest(again.content), results::results_digest(content));
  EXPECT_EQ(results::measures_digest(again.content), results::measures_digest(content));
}

TEST_P(MeasureAgain, BringsBackWhatAnOlderProgramDidNotKnow) {
  const TableSweep sweep = sweep_of(GetParam());
  const results::Content content = sweep.content();
  results::Content older = content;
  const std::string lost = older.measures.front().what.name;
  older.measures.erase(older.measures.begin());
  const sweep::MeasuredAgain again = sweep.measure_again(older);
  EXPECT_EQ(again.added.size(), 1U);
  EXPECT_TRUE(again.added.contains(lost));
  EXPECT_EQ(results::measures_digest(again.content), results::measures_digest(content));
  EXPECT_NE(results::measures_digest(older), results::measures_digest(content));
}

/// A program that knew the value and no interval of it.
TEST_P(MeasureAgain, BringsTheEndsOfIntervalsToValuesThatStay) {
  const TableSweep sweep = sweep_of(GetParam());
  const results::Content content = sweep.content();
  results::Content older = content;
  std::int64_t ends = 0;
  for (results::Measure& measure : older.measures) {
    if (measure.what.name.starts_with("best_")) continue;  // of a trajectory
    for (std::size_t i = 0; i < measure.values.size(); ++i) {
      if (i % 3 == 0) continue;  // value, low, high
      ends += std::isnan(measure.values[i]) ? 0 : 1;
      measure.values[i] = std::nan("");
    }
  }
  const sweep::MeasuredAgain again = sweep.measure_again(older);
  EXPECT_EQ(again.added.empty(), ends == 0);
  EXPECT_THAT(again.different, testing::IsEmpty());
  EXPECT_EQ(results::measures_digest(again.content), results::measures_digest(content));
}

/// What a program knew that told nothing of single groups.
void keep_all_rows_alone(results::Measure& measure) {
  const std::size_t groups = measure.groups.size();
  constexpr std::size_t ends = 3;
  std::vector<double> values;
  for (std::size_t i = 0; i < measure.values.size(); ++i) {
    if (i / ends % groups == 0) values.push_back(measure.values[i]);
  }
  measure.values = values;
  measure.groups = {"all"};
  measure.at_groups = results::AtGroups::own;
}

TEST_P(MeasureAgain, AddsSingleGroupsToAnArchiveThatHasNone) {
  const TableSweep sweep = sweep_of(GetParam());
  const results::Content content = sweep.content();
  results::Content older = content;
  std::size_t changed = 0;
  for (results::Measure& measure : older.measures) {
    if (measure.groups.front() != "all" || measure.groups.size() == 1) continue;
    keep_all_rows_alone(measure);
    ++changed;
  }
  EXPECT_GT(changed, 5U);
  const sweep::MeasuredAgain again = sweep.measure_again(older);
  EXPECT_EQ(again.added.size(), changed);
  EXPECT_THAT(again.different, testing::IsEmpty());
  EXPECT_EQ(results::measures_digest(again.content), results::measures_digest(content));
  const auto before = results::records_of(older);
  const auto after = results::records_of(content);
  for (std::size_t task = 0; task < after.size(); ++task) {  // replay by either program
    EXPECT_EQ(results::first_difference(before[task], after[task], 0), std::nullopt);
    EXPECT_EQ(results::first_difference(after[task], before[task], 0), std::nullopt);
  }
}

TEST_P(MeasureAgain, LeavesAMeasureOfALaterProgramAsItIs) {
  const TableSweep sweep = sweep_of(GetParam());
  const results::Content content = sweep.content();
  results::Content later = content;
  later.measures.insert(later.measures.begin(), later.measures.front());
  later.measures.front().what.name = "of_tomorrow";
  const sweep::MeasuredAgain again = sweep.measure_again(later);
  EXPECT_THAT(again.unknown, testing::ElementsAre("of_tomorrow"));
  EXPECT_THAT(again.different, testing::IsEmpty());
  EXPECT_TRUE(again.added.empty());
  ASSERT_EQ(again.content.measures.size(), later.measures.size());
  EXPECT_EQ(again.content.measures.back().what.name, "of_tomorrow");
  EXPECT_EQ(results::results_digest(again.content), results::results_digest(content));
  results::Content rest = again.content;
  rest.measures.pop_back();
  EXPECT_EQ(results::measures_digest(rest), results::measures_digest(content));
}

TEST_P(MeasureAgain, TellsAValueThatIsAnother) {
  const TableSweep sweep = sweep_of(GetParam());
  results::Content content = sweep.content();
  for (double& value : content.measures.front().values) value += 1;
  const sweep::MeasuredAgain again = sweep.measure_again(content);
  EXPECT_FALSE(again.different.empty());
  EXPECT_EQ(results::measures_digest(again.content), results::measures_digest(content));
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, MeasureAgain, testing::ValuesIn(cases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fairfront::experiments::measure_again_test
