// A fitted model of an archive, given the rows of a part as a table, predicts the very bits from
// which the run computed its measures: every measure that is a function of the predictions is
// computed again here, and compared bit for bit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "data/readers/csv.hpp"
#include "data/supervised.hpp"
#include "metrics/measure.hpp"
#include "metrics/randomised.hpp"
#include "models/linear_model.hpp"
#include "models/loss.hpp"
#include "results/measure_cells.hpp"
#include "results/records.hpp"
#include "results/stored_model.hpp"
#include "table_sweep.hpp"

namespace fairfront::experiments {
namespace {

using results::MeasuredRows;
using results::StoredModel;
using testing::HasSubstr;

struct Row {
  int label;
  double target;
  std::string group;
  std::string part;
  std::string x;  ///< a number, or missing
  double z;
  std::string colour;  ///< a name, or missing
};

std::vector<Row> random_rows(int count) {
  base::Stream stream(base::StreamKey(4, "test", "fitted models"), 0);
  const char* const parts[] = {"train", "validation", "test"};
  const char* const colours[] = {"red", "blue", "", "green"};
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    const std::string group(1, "abc"[stream.below(3)]);
    const double z = stream.normal() + (group == "b" ? 1 : 0);
    const double x = std::abs(stream.normal());
    const int label = z + x + stream.normal() > 1 ? 1 : 0;
    // A name that the training rows do not hold is among the test rows.
    const std::string colour = i % 51 == 50 ? "violet" : colours[stream.below(4)];
    rows.push_back({label, 3 * z + x + stream.normal(), group, parts[i % 3],
                    i % 17 == 16 ? "?" : base::format_double(x), z, colour});
  }
  return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "label,target,group,part,x,z,colour\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{}\n", row.label, base::format_double(row.target),
                        row.group, row.part, row.x, base::format_double(row.z), row.colour);
  }
  return text;
}

/// Later rows: other columns, in another order.
std::string later_csv(const std::vector<Row>& rows) {
  std::string text = "colour,id,z,who,x\n";
  for (const Row& row : rows) {
    text +=
        fmt::format("{},7,{},{},{}\n", row.colour, base::format_double(row.z), row.group, row.x);
  }
  return text;
}

std::vector<Row> part_of(const std::vector<Row>& rows, const std::string& name) {
  std::vector<Row> found;
  for (const Row& row : rows) {
    if (row.part == name) found.push_back(row);
  }
  return found;
}

const std::string parts =
    "[split]\nby = column\ntrain_values = train\nvalidation_values = validation\n"
    "test_values = test\n";
const std::string features =
    "sensitive = group\nsplit = part\nfeatures = x, z, colour\ncategorical = colour\n"
    "missing_rule = mean\n";
const std::string prepared =
    "[preparation]\nscaling = zscore\nscale_indicators = true\nlog1p = x\n";

/// What a model says of rows, some at a time.
struct Said {
  std::map<std::string, std::vector<double>> outputs;
  std::vector<double> pi;  ///< row-major, shape (n, atoms)
};

Said predict(const StoredModel& stored, const std::string& csv, const std::string& group_column) {
  const data::FittedPreparation& preparation = stored.shared->preparation;
  const bool grouped = stored.model->needs_group() || preparation.uses_group;
  std::vector<data::TableColumn> columns = preparation.wanted();
  if (grouped) {
    columns.push_back(
        {.name = group_column, .kind = data::CellKind::category, .levels = stored.shared->groups});
  }
  data::CsvStream reader({csv, "later.csv"}, {}, columns);
  data::RowPreparer preparer(preparation, grouped);
  Said said;
  const std::vector<std::string> names = stored.model->outputs();
  while (reader.next(7).rows > 0) {
    const data::Table& table = reader.table();
    std::vector<std::int32_t> groups;
    if (grouped) groups = models::group_numbers(*stored.shared, table.categories.back());
    const auto values = stored.model->predict(preparer.features(table, groups), groups);
    for (std::size_t i = 0; i < values.size(); ++i) {
      said.outputs[names[i % names.size()]].push_back(values[i]);
    }
    const auto pi = stored.model->distribution();
    said.pi.insert(said.pi.end(), pi.begin(), pi.end());
  }
  return said;
}

/// Labels and groups of rows.
struct Truth {
  std::vector<double> label, target;
  std::vector<std::int32_t> group;
};
Truth truth_of(const std::vector<Row>& rows, const std::vector<std::string>& groups) {
  Truth truth;
  for (const Row& row : rows) {
    truth.label.push_back(row.label);
    truth.target.push_back(row.target);
    truth.group.push_back(
        static_cast<std::int32_t>(std::ranges::find(groups, row.group) - groups.begin()));
  }
  return truth;
}

/// Of a measure that the run took of all rows of a part; NaN where it took none.
double measured(const results::Content& content, std::int64_t task, const std::string& name,
                const std::string& part) {
  const auto records = results::records_of(content);
  const results::Measures& all = records[static_cast<std::size_t>(task)].result.measured;
  const auto found = all.find(name);
  if (found == all.end()) return std::nan("");
  const auto rows = found->second.find(MeasuredRows{part});
  return rows == found->second.end() ? std::nan("") : rows->second.value;
}

/// Every measure that both know is the same number; so many are known.
template <class Measures, class Value>
void expect_measured(const results::Content& content, std::int64_t task, const std::string& part,
                     const Measures& measures, Value value, int least) {
  int known = 0;
  for (const auto& measure : measures) {
    const std::string& name = measure.what.name;
    if (name.find("log_loss") != std::string::npos) continue;  // taken of the logits
    const double expected = measured(content, task, name, part);
    if (std::isnan(expected)) continue;
    ++known;
    EXPECT_EQ(value(measure), expected) << name << " of task " << task << ", " << part;
  }
  EXPECT_GE(known, least) << "of task " << task << ", " << part;
}

std::vector<metrics::Measure> measures_of_scores() {
  std::vector<metrics::Measure> all(metrics::classification().begin(),
                                    metrics::classification().end());
  all.insert(all.end(), metrics::ranking().begin(), metrics::ranking().end());
  return all;
}

void expect_scores_measured(const results::Content& content, std::int64_t task,
                            const std::string& part, const std::vector<double>& scores,
                            double threshold, const Truth& truth, int least) {
  const metrics::Scored scored{scores, truth.label, truth.group, 3, threshold};
  expect_measured(
      content, task, part, measures_of_scores(),
      [&](const metrics::Measure& measure) { return measure.of(scored).value; }, least);
}

TEST(FittedModels, OfTrainingPredictTheBitsOfEveryPart) {
  const std::vector<Row> rows = random_rows(255);
  for (const std::string preparation :
       {"", "group_feature = true\n", "one_hot = drop_first\nscaling = minmax\n"}) {
    const TableSweep sweep(
        "training", csv_of(rows),
        parts +
            (preparation.find("scaling") == std::string::npos ? prepared + preparation
                                                              : "[preparation]\n" + preparation) +
            "[model]\nhidden = 4, 3\nactivation = tanh, relu, sigmoid\n"
            "[training]\nloss = logistic, square\nbudget = 600\n[sgd]\n",
        "label = label\n" + features);
    const results::Content content = sweep.content();
    ASSERT_EQ(sweep.tasks(), 6);
    for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
      const StoredModel stored = results::model_of(content, task);
      for (const std::string part : {"train", "validation", "test"}) {
        const std::vector<Row> mine = part_of(rows, part);
        const Truth truth = truth_of(mine, stored.shared->groups);
        Said said = predict(stored, later_csv(mine), "who");
        const bool logistic = said.outputs.contains("probability");
        const std::vector<double>& scores = said.outputs.at(logistic ? "probability" : "score");
        const double threshold = logistic ? 0.5 : 0;
        expect_scores_measured(content, task, part, scores, threshold, truth, 10);
        std::vector<double> signs, losses(mine.size());
        for (const double label : truth.label) signs.push_back(label > 0 ? 1 : -1);
        models::loss_values(logistic ? models::LossKind::logistic : models::LossKind::square,
                            said.outputs.at("score"), signs, losses);
        double sum = 0;
        for (const double loss : losses) sum += loss;
        EXPECT_EQ(sum / static_cast<double>(losses.size()), measured(content, task, "loss", part));
        for (std::size_t i = 0; i < scores.size(); ++i) {
          EXPECT_EQ(said.outputs.at("decision")[i], scores[i] >= threshold ? 1 : 0);
        }
      }
    }
  }
}

TEST(FittedModels, OfEveryTrainingMethodAreThere) {
  const TableSweep sweep(
      "training", csv_of(random_rows(255)),
      parts + prepared +
          "[model]\nhidden =\n[training]\nbudget = 400\n[sgd]\n[alm]\n[ssl_alm]\n"
          "[switching_subgradient]\n[stochastic_ghost]\n[fairret]\n[clamped_alm]\n[pi_duals]\n"
          "[certified_training]\n[exact_training]\n[reductions]\n",
      "label = label\n" + features);
  const results::Content content = sweep.content();
  ASSERT_EQ(sweep.tasks(), 11);
  const std::vector<Row> mine = part_of(random_rows(255), "test");
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const StoredModel stored = results::model_of(content, task);
    const Said said = predict(stored, later_csv(mine), "who");
    expect_scores_measured(content, task, "test", said.outputs.at("probability"), 0.5,
                           truth_of(mine, stored.shared->groups), 10);
  }
}

/// Error and gap in shares decided 1 of expected decisions of rows in three groups.
std::pair<double, double> expected_error_and_gap(const std::vector<double>& share,
                                                 const Truth& truth) {
  double errors = 0;
  std::array<double, 3> in_group{}, decided{};
  for (std::size_t row = 0; row < share.size(); ++row) {
    errors += truth.label[row] > 0 ? 1 - share[row] : share[row];
    in_group[static_cast<std::size_t>(truth.group[row])] += 1;
    decided[static_cast<std::size_t>(truth.group[row])] += share[row];
  }
  for (std::size_t g = 0; g < 3; ++g) decided[g] /= in_group[g];
  const auto [least, most] = std::ranges::minmax_element(decided);
  return {errors / static_cast<double>(share.size()), *most - *least};
}

TEST(FittedModels, OfReductionsAreAlsoThoseOfTheRandomisedClassifier) {
  const std::vector<Row> rows = random_rows(510);
  for (const std::string search : {"mixture", "grid"}) {
    for (const std::string hidden : {"", "4, 3"}) {
      const TableSweep sweep("training", csv_of(rows),
                             parts + prepared + "[model]\nhidden = " + hidden +
                                 "\n[training]\nbudget = 8000\n[reductions]\nbound = 0, 0.02, 0.1\n"
                                 "grid_size = 7\nsearch = " +
                                 search + "\n",
                             "label = label\n" + features);
      const results::Content content = sweep.content();
      bool draws = false;
      for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
        const StoredModel stored = results::model_of(content, task, {}, results::Form::randomised);
        EXPECT_THAT(stored.model->outputs(), testing::ElementsAre("probability"));
        for (const std::string part : {"train", "validation", "test"}) {
          const std::vector<Row> mine = part_of(rows, part);
          const Truth truth = truth_of(mine, stored.shared->groups);
          const std::vector<double> share =
              predict(stored, later_csv(mine), "who").outputs.at("probability");
          draws |= std::ranges::any_of(
              share, [](double positive) { return positive > 1e-6 && positive < 1 - 1e-6; });
          const auto [error, gap] = expected_error_and_gap(share, truth);
          EXPECT_NEAR(error, measured(content, task, "randomised_error", part), 1e-12);
          EXPECT_NEAR(gap, measured(content, task, "randomised_rate_gap", part), 1e-12);
        }
      }
      EXPECT_TRUE(draws || search == "grid") << hidden;
    }
  }
}

TEST(FittedModels, OfPostprocessingDecideAsWasMeasuredAndNeedTheGroup) {
  const std::vector<Row> rows = random_rows(510);
  for (const std::string hidden : {"", "4"}) {
    const TableSweep sweep("training", csv_of(rows),
                           parts + prepared + "[model]\nhidden = " + hidden +
                               "\n[training]\nbudget = 8000\n[postprocessing]\nbound = 0, 0.05\n",
                           "label = label\n" + features);
    const results::Content content = sweep.content();
    bool draws = false;
    for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
      const StoredModel stored = results::model_of(content, task);
      EXPECT_TRUE(stored.model->needs_group());
      for (const std::string part : {"train", "validation", "test"}) {
        const std::vector<Row> mine = part_of(rows, part);
        const std::vector<double> share =
            predict(stored, later_csv(mine), "who").outputs.at("probability");
        draws |= std::ranges::any_of(
            share, [](double positive) { return positive > 1e-6 && positive < 1 - 1e-6; });
        const auto [error, gap] =
            expected_error_and_gap(share, truth_of(mine, stored.shared->groups));
        EXPECT_NEAR(error, measured(content, task, "error", part), 1e-12);
        EXPECT_NEAR(gap, measured(content, task, "independence_gap", part), 1e-12);
        EXPECT_NEAR(gap, measured(content, task, "rate_gap", part), 1e-12);
        EXPECT_LE(gap, part != "train" ? 1 : task == 0 ? 1e-9 : 0.05 + 1e-9);
      }
    }
    EXPECT_TRUE(draws) << hidden;
  }
}

TEST(FittedModels, OfAMethodWithoutARandomisedClassifierSaySo) {
  const TableSweep sweep("training", csv_of(random_rows(255)),
                         parts + prepared + "[training]\nbudget = 400\n[sgd]\n",
                         "label = label\n" + features);
  try {
    (void)results::model_of(sweep.content(), 0, {}, results::Form::randomised);
    ADD_FAILURE() << "[sgd] has no randomised classifier";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no randomised classifier"));
  }
}

/// Two groups: a is joined with c.
std::vector<Row> two_groups(std::vector<Row> rows) {
  for (Row& row : rows) row.group = row.group == "b" ? "b" : "a";
  return rows;
}

TEST(FittedModels, OfRankingPredictWhatWasMeasuredAndEveryPointOfTheFront) {
  const std::vector<Row> rows = two_groups(random_rows(300));
  const TableSweep sweep(
      "ranking", csv_of(rows),
      parts + prepared +
          "[unconstrained_auc]\n[exact_auc]\n[sfls]\nsteps = 200\nlook_every = 20\n[iqrc]\n"
          "steps = 60\nlook_every = 10\nhidden_units = 3\n[proxy_lagrangian]\nmodel = linear, "
          "network\nsteps = 200\nlook_every = 20\n[correlation_penalty]\nmodel = linear, "
          "network\nsteps = 200\nlook_every = 20\n[score_postprocessing]\nmodel = linear, "
          "network\nsteps = 200\nfactor_step = 0.5\nshift_step = 0.5\n[auc_front]\nrounds = 2\n"
          "iterations = 10\n",
      "label = label\n" + features);
  const results::Content content = sweep.content();
  ASSERT_EQ(sweep.tasks(), 11);
  const auto records = results::records_of(content);
  const std::vector<metrics::Measure> auc =
      metrics::select(metrics::ranking(), std::vector<std::string>{"auc", "group_auc_gap"});
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const results::TaskResult& result = records[static_cast<std::size_t>(task)].result;
    const auto points = std::ssize(result.front.points) / 2;
    ASSERT_GE(points, 1);
    for (const std::string part : {"train", "validation", "test"}) {
      if (std::isnan(measured(content, task, "auc", part))) continue;
      const StoredModel stored = results::model_of(content, task);
      const std::vector<Row> mine = part_of(rows, part);
      const Said said = predict(stored, later_csv(mine), "who");
      const Truth truth = truth_of(mine, stored.shared->groups);
      const metrics::Scored scored{said.outputs.at("score"), truth.label, truth.group, 2};
      expect_measured(
          content, task, part, metrics::ranking(),
          [&](const metrics::Measure& measure) { return measure.of(scored).value; }, 5);
    }
    const std::vector<Row> mine = part_of(rows, "validation");
    for (std::int64_t point = 0; point < points; ++point) {
      const StoredModel stored = results::model_of(content, task, point);
      const Said said = predict(stored, later_csv(mine), "who");
      const Truth truth = truth_of(mine, stored.shared->groups);
      const metrics::Scored scored{said.outputs.at("score"), truth.label, truth.group, 2};
      const auto at = static_cast<std::size_t>(2 * point);
      EXPECT_EQ(auc[0].of(scored).value, result.front.points[at]) << task << " " << point;
      EXPECT_EQ(auc[1].of(scored).value, result.front.points[at + 1]) << task << " " << point;
    }
    EXPECT_THROW((void)results::model_of(content, task, points), base::InputError);
  }
}

/// What a measured point has of all rows of a part; NaN where it has none.
double of_point(const results::Measure& measure, std::size_t row, const std::string& part) {
  const auto place = std::ranges::find(measure.parts, part) - measure.parts.begin();
  if (place == std::ssize(measure.parts)) return std::nan("");
  return results::measured_at(measure, row, static_cast<std::size_t>(place) * measure.groups.size())
      .value;
}

/// A point is measured by its own model. The archive's measures are said to be its own where they
/// are that model's alone, also of fronts of one point.
TEST(FittedModels, OfRankingPointsHaveTheMeasuresOfTheirOwnModels) {
  const std::vector<Row> rows = two_groups(random_rows(300));
  const std::string looks = "steps = 60\nlook_every = 20\n", bounds = "kappa = 0.05, 0.2, 0.5\n";
  const TableSweep sweep("ranking", csv_of(rows),
                         parts + prepared + "[unconstrained_auc]\n[sfls]\n" + bounds + looks +
                             "[iqrc]\nhidden_units = 2\n" + bounds + looks +
                             "[proxy_lagrangian]\n" + bounds + looks +
                             "[correlation_penalty]\nweight = 0.1, 1, 10\n" + looks,
                         "label = label\n" + features);
  const results::Content content = sweep.content();
  const results::PointMeasures points = sweep.measure_points(content);
  const std::vector<metrics::Measure> measures =
      metrics::select(metrics::ranking(), std::vector<std::string>{"auc", "group_auc_gap"});
  std::set<std::string> apart;
  bool all_of_point = false;
  for (const auto& [place, row] : points.row) {
    const auto [task, point] = place;
    const bool mine = results::measures_are_of_point(content, task);
    if (results::has_points_apart(content, task)) apart.insert(content.tasks.method[task]);
    all_of_point = all_of_point || mine;
    const auto index = static_cast<std::int64_t>(task);
    const StoredModel stored = results::model_of(content, index, static_cast<std::int64_t>(point));
    for (const metrics::Measure& measure : measures) {
      const auto column = std::ranges::find(points.measures, measure.what.name,
                                            [](const auto& one) { return one.what.name; });
      ASSERT_NE(column, points.measures.end());
      bool as_archive = true;
      for (const std::string part : {"train", "validation", "test"}) {
        const std::vector<Row> of_part = part_of(rows, part);
        const Said said = predict(stored, later_csv(of_part), "who");
        const Truth truth = truth_of(of_part, stored.shared->groups);
        const double value =
            measure.of({said.outputs.at("score"), truth.label, truth.group, 2}).value;
        const double told = of_point(*column, row, part);
        if (!std::isnan(told)) {
          EXPECT_EQ(told, value) << measure.what.name << " of task " << task << ", " << part;
        }
        as_archive = as_archive && value == measured(content, index, measure.what.name, part);
      }
      if (mine) {
        EXPECT_TRUE(as_archive) << measure.what.name << " of task " << task;
      }
    }
  }
  EXPECT_TRUE(all_of_point);
  EXPECT_GE(apart.size(), 3) << "methods whose points are of other models";
}

void expect_regression_measured(const results::Content& content, std::int64_t task,
                                const std::string& part, const std::string& rows_of_part,
                                const StoredModel& stored, const Truth& truth,
                                const std::string& group_column) {
  const Said said = predict(stored, rows_of_part, group_column);
  const std::vector<double>& prediction = said.outputs.at("prediction");
  const auto groups = static_cast<std::int64_t>(stored.shared->groups.size());
  const auto atoms = stored.model->atoms();
  if (atoms.empty()) {
    const metrics::Scored scored{prediction, truth.target, truth.group, groups, 0};
    expect_measured(
        content, task, part, metrics::regression(),
        [&](const metrics::Measure& measure) { return measure.of(scored).value; }, 4);
    return;
  }
  metrics::AtomSums sums({atoms.begin(), atoms.end()}, groups);
  for (std::size_t i = 0; i < prediction.size(); ++i) {
    sums.add(std::span{said.pi}.subspan(i * atoms.size(), atoms.size()), truth.target[i],
             truth.group[i]);
  }
  expect_measured(
      content, task, part, metrics::randomised_regression(),
      [&](const metrics::RandomisedMeasure& measure) { return measure.of(sums).value; }, 4);
}

const std::string regression_methods =
    "[base_model]\nclip = false, true\n[dp_postprocessing]\nsteps = 200\nrule = randomised, "
    "argmax, mean\n[dp_exact]\nepsilon = 0.05\nbounded = atom, cumulative\n[dp_lp]\nepsilon = "
    "0.05\nbounded = atom, cumulative\n[dp_streaming]\n[barycenter]\nepsilon = 0.2\nties = drawn, "
    "middle\n";

TEST(FittedModels, OfRegressionPredictTheBitsOfBothParts) {
  for (const bool two : {true, false}) {
    const std::vector<Row> rows = two ? two_groups(random_rows(255)) : random_rows(255);
    const TableSweep sweep("regression", csv_of(rows),
                           parts + prepared + "[regression]\nhalf_atoms = 6\n" +
                               regression_methods +
                               "[adw]\nintercept = false, true\nrule = randomised, mean\n"
                               "[bounded_group_loss]\nepsilon = 0, 0.5\n",
                           "label = target\n" + features);
    const results::Content content = sweep.content();
    ASSERT_EQ(sweep.tasks(), 18);
    for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
      const StoredModel stored = results::model_of(content, task);
      for (const std::string part : {"unlabelled", "test"}) {
        const std::vector<Row> mine = part_of(rows, part == "test" ? part : "validation");
        expect_regression_measured(content, task, part, later_csv(mine), stored,
                                   truth_of(mine, stored.shared->groups), "who");
      }
    }
  }
}

TEST(FittedModels, OfPredictionsInColumnsReadThese) {
  std::vector<Row> rows = two_groups(random_rows(255));
  std::string csv = "target,group,part,eta,tau_a,tau_b\n";
  std::string later = "tau_b,eta,tau_a,who\n";
  std::vector<Row> test;
  for (const Row& row : rows) {
    const double tau = row.z > 0 ? 0.25 : 0.75;
    csv += fmt::format("{},{},{},{},{},{}\n", base::format_double(row.target), row.group, row.part,
                       base::format_double(row.z), tau, 1 - tau);
    if (row.part != "test") continue;
    later += fmt::format("{},{},{},{}\n", 1 - tau, base::format_double(row.z), tau, row.group);
    test.push_back(row);
  }
  const TableSweep sweep("regression", csv,
                         parts +
                             "[base]\neta = eta\ntau = tau_a, tau_b\n[regression]\n"
                             "half_atoms = 6\n" +
                             regression_methods,
                         "label = target\nsensitive = group\nsplit = part\n");
  const results::Content content = sweep.content();
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const StoredModel stored = results::model_of(content, task);
    expect_regression_measured(content, task, "test", later, stored,
                               truth_of(test, stored.shared->groups), "who");
  }
}

/// Both read the table of all rows: without parts.
const std::string whole =
    "label = label\nsensitive = group\nfeatures = x, z, colour\ncategorical = colour\n"
    "missing_rule = mean\n";

TEST(FittedModels, OfAlternatingScoreTheRowsOfTheTable) {
  const std::vector<Row> rows = random_rows(200);
  const TableSweep sweep(
      "alternating", csv_of(rows),
      "[alternating]\nproblem = data\nn_total = 6\niterations = 40\n[model]\n"
      "loss = logistic, least_squares\n[sa2gd]\nn_a = 2\n[weighted_sum]\nn_a = 3\n"
      "[epsilon_constraint]\nsamples = 50\nmost_gradients = 600\n",
      whole);
  const results::Content content = sweep.content();
  const auto records = results::records_of(content);
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const sweep::PreparedRows prepared = sweep.rows(task);
    const data::Dataset& set = prepared->set;
    const models::LinearModel model(set.columns);
    models::LinearModel::Scratch scratch;
    std::vector<double> scores(rows.size());
    const auto& points = records[static_cast<std::size_t>(task)].result.solutions.at("x");
    ASSERT_FALSE(points.empty());
    for (std::size_t point = 0; point < points.size(); ++point) {
      const StoredModel stored = results::model_of(content, task, static_cast<std::int64_t>(point));
      const Said said = predict(stored, later_csv(rows), "who");
      const auto& x = std::get<std::vector<double>>(points[point]);
      model.scores(x, models::Rows(set.features, set.columns), scratch, scores);
      EXPECT_EQ(said.outputs.at("score"), scores);
    }
  }
}

constexpr const char* alternating_on_data =
    "[alternating]\nproblem = data\nn_total = 6\niterations = 40\n[sa2gd]\nn_a = 2\n"
    "[weighted_sum]\nn_a = 3\n[epsilon_constraint]\nsamples = 50\nmost_gradients = 600\n";

TEST(FittedModels, OfAlternatingPredictTheBitsOfEveryPart) {
  const std::vector<Row> rows = random_rows(255);
  const TableSweep sweep("alternating", csv_of(rows), parts + prepared + alternating_on_data,
                         "label = label\n" + features);
  const results::Content content = sweep.content();
  ASSERT_EQ(sweep.tasks(), 3);
  for (std::int64_t task = 0; task < 2; ++task) {
    const StoredModel stored = results::model_of(content, task);
    for (const std::string part : {"train", "validation", "test"}) {
      const std::vector<Row> mine = part_of(rows, part);
      const Said said = predict(stored, later_csv(mine), "who");
      expect_scores_measured(content, task, part, said.outputs.at("probability"), 0.5,
                             truth_of(mine, stored.shared->groups), 3);
    }
  }
}

// What is fitted and traced knows the training rows only, and the test rows are reported.
TEST(Alternating, ItsPointsAreThoseOfATableOfTheTrainingRowsAlone) {
  const std::vector<Row> rows = random_rows(255);
  const std::string scaled = "[preparation]\nscaling = zscore\n";
  const std::string columns = "label = label\nsensitive = group\nfeatures = z, target\n";
  const auto alone = [&](const std::string& part) {
    return TableSweep("alternating", csv_of(part_of(rows, part)), scaled + alternating_on_data,
                      columns);
  };
  const TableSweep whole_table("alternating", csv_of(rows), parts + scaled + alternating_on_data,
                               columns + "split = part\n");
  const TableSweep trained = alone("train");
  for (std::int64_t task = 0; task < 3; ++task) {
    const sweep::TaskResult with_parts = whole_table.run(task), without = trained.run(task);
    if (task < 2) {  // the samples of a traced front are drawn by the task's key
      EXPECT_EQ(with_parts.solutions.at("x"), without.solutions.at("x"));
      EXPECT_EQ(with_parts.front.points, without.front.points);
    }
    EXPECT_TRUE(without.front.report.empty());
    EXPECT_EQ(with_parts.front.report.size(), with_parts.front.points.size());
  }
  // By hand: the loss of the test rows, whose features are scaled as the training rows are.
  const sweep::TaskResult found = whole_table.run(0);
  const sweep::PreparedRows set = whole_table.rows(0);
  const auto& x = std::get<std::vector<double>>(found.solutions.at("x")[0]);
  double loss = 0, squares = 0;
  for (const std::int64_t row : set->split.test) {
    double score = x[0];
    for (std::size_t j = 0; j < 2; ++j) score += x[j + 1] * set->set.row(row)[j];
    const double sign = set->set.label[static_cast<std::size_t>(row)] > 0 ? 1 : -1;
    loss += std::log1p(std::exp(-sign * score)) / static_cast<double>(set->split.test.size());
  }
  for (const double weight : x) squares += weight * weight;
  EXPECT_NEAR(found.front.report[0], loss + 0.5 * 1e-3 * squares, 1e-12);
}

TEST(FittedModels, OfClusteringNameTheNearestMeanOfMembers) {
  const std::vector<Row> rows = random_rows(150);
  const TableSweep sweep("clustering", csv_of(rows),
                         "[clustering]\nclusters = 3\n[lloyd]\nrestarts = 2\n[safairkm_front]\n"
                         "iterations = 10\nstarts = 4\nlist_budget = 8\n",
                         whole);
  const results::Content content = sweep.content();
  const auto records = results::records_of(content);
  for (std::int64_t task = 0; task < sweep.tasks(); ++task) {
    const results::TaskResult& result = records[static_cast<std::size_t>(task)].result;
    const sweep::PreparedRows prepared = sweep.rows(task);
    const data::Dataset& set = prepared->set;
    const auto d = static_cast<std::size_t>(set.columns);
    const auto points = std::ssize(result.front.points) / 2;
    for (std::int64_t point = 0; point < points; ++point) {
      const auto& labels = std::get<std::vector<std::uint8_t>>(
          result.solutions.at("labels").at(static_cast<std::size_t>(point)));
      std::vector<double> sums(3 * d, 0.0), members(3, 0.0);
      for (std::size_t row = 0; row < labels.size(); ++row) {
        ++members[labels[row]];
        for (std::size_t i = 0; i < d; ++i) sums[labels[row] * d + i] += set.features[row * d + i];
      }
      const StoredModel stored = results::model_of(content, task, point);
      const Said said = predict(stored, later_csv(rows), "who");
      for (std::size_t row = 0; row < labels.size(); ++row) {
        std::vector<double> distance(3, 0.0);
        for (std::size_t k = 0; k < 3; ++k) {
          for (std::size_t i = 0; i < d; ++i) {
            const double difference = set.features[row * d + i] - sums[k * d + i] / members[k];
            distance[k] += difference * difference;
          }
        }
        const auto nearest = std::ranges::min_element(distance) - distance.begin();
        EXPECT_EQ(said.outputs.at("cluster")[row], static_cast<double>(nearest));
        EXPECT_NEAR(said.outputs.at("distance")[row],
                    std::sqrt(distance[static_cast<std::size_t>(nearest)]), 1e-9);
        if (task > 0) continue;
        EXPECT_EQ(said.outputs.at("cluster")[row], labels[row]) << "Lloyd's own";
      }
    }
  }
}

TEST(FittedModels, OfThresholdsDecideAsTheFrontSays) {
  const std::vector<Row> rows = random_rows(255);
  const TableSweep sweep("predictions", csv_of(rows),
                         parts + "[predictions]\nscore = z\n[measures]\n[thresholds]\n",
                         "label = label\nsensitive = group\nsplit = part\n");
  const results::Content content = sweep.content();
  const auto records = results::records_of(content);
  ASSERT_EQ(sweep.tasks(), 2);
  try {
    (void)results::model_of(content, 0);
    FAIL() << "an audit has no model";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("task 0 has no model: [measures]"));
  }
  const results::TaskFront& front = records[1].result.front;
  const auto points = std::ssize(front.points) / 2;
  ASSERT_GE(points, 2);
  try {
    (void)results::model_of(content, 1);
    FAIL() << "no point was chosen";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("for each of {} points", points)));
  }
  const std::vector<metrics::Measure> objectives = metrics::select(
      metrics::classification(), std::vector<std::string>{"error", "separation_gap"});
  const std::vector<Row> mine = part_of(rows, "validation");
  for (std::int64_t point = 0; point < points; ++point) {
    const StoredModel stored = results::model_of(content, 1, point);
    const Said said = predict(stored, later_csv(mine), "who");
    const Truth truth = truth_of(mine, stored.shared->groups);
    const metrics::Scored decided{said.outputs.at("decision"), truth.label, truth.group, 3, 0.5};
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(objectives[k].of(decided).value,
                  front.points[static_cast<std::size_t>(2 * point) + k], 1e-15);
    }
  }
}

TEST(FittedModels, OfDrawnThresholdsHaveTheExpectedErrorAndGapOfEveryPoint) {
  const std::vector<Row> rows = random_rows(255);
  const TableSweep sweep("predictions", csv_of(rows),
                         parts +
                             "[predictions]\nscore = z\n[drawn_thresholds]\n"
                             "fairness = equal_opportunity\nslacks = 7\n",
                         "label = label\nsensitive = group\nsplit = part\n");
  const results::Content content = sweep.content();
  const results::TaskFront front = results::records_of(content)[0].result.front;
  const auto points = std::ssize(front.points) / 2;
  ASSERT_GE(points, 3);
  const std::vector<Row> mine = part_of(rows, "validation");
  bool draws = false;
  for (std::int64_t point = 0; point < points; ++point) {
    const StoredModel stored = results::model_of(content, 0, point);
    const std::vector<double> share =
        predict(stored, later_csv(mine), "who").outputs.at("probability");
    const Truth truth = truth_of(mine, stored.shared->groups);
    double errors = 0;
    std::array<double, 3> positives{}, decided{};
    for (std::size_t row = 0; row < share.size(); ++row) {
      draws |= share[row] > 0 && share[row] < 1;
      errors += truth.label[row] > 0 ? 1 - share[row] : share[row];
      if (truth.label[row] <= 0) continue;
      positives[static_cast<std::size_t>(truth.group[row])] += 1;
      decided[static_cast<std::size_t>(truth.group[row])] += share[row];
    }
    for (std::size_t g = 0; g < 3; ++g) decided[g] /= positives[g];
    const auto [least, most] = std::ranges::minmax_element(decided);
    const double* const told = &front.points[static_cast<std::size_t>(2 * point)];
    EXPECT_NEAR(errors / static_cast<double>(share.size()), told[0], 1e-12);
    EXPECT_NEAR(*most - *least, told[1], 1e-12);
  }
  EXPECT_TRUE(draws);
}

}  // namespace
}  // namespace fairfront::experiments
