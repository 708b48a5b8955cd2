#include "metrics/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Measures, HaveNamesOfTheirOwnAndADefinition) {
  for (const auto list : {classification(), ranking(), regression()}) {
    std::set<std::string> names;
    for (const Measure& measure : list) {
      EXPECT_TRUE(names.insert(measure.what.name).second) << measure.what.name;
      EXPECT_FALSE(measure.what.definition.empty()) << measure.what.name;
      EXPECT_FALSE(measure.what.unit.empty()) << measure.what.name;
      EXPECT_NE(measure.of, nullptr) << measure.what.name;
    }
  }
}

TEST(Measures, OfOneNameInTwoListsMeasureTheSame) {
  const Sample sample = large_sample(1, 100, 3);
  for (const Measure& measure : classification()) {
    for (const Measure& other : regression()) {
      if (measure.what.name != other.what.name) continue;
      EXPECT_EQ(measure.of(sample.view()).value, other.of(sample.view()).value);
    }
  }
}

TEST(Evaluate, GivesEveryMeasureInItsPlace) {
  const Sample sample = large_sample(2, 100, 2);
  const std::vector<Value> values = evaluate(classification(), sample.view());
  ASSERT_EQ(values.size(), classification().size());
  for (std::size_t m = 0; m < values.size(); ++m) {
    EXPECT_EQ(values[m].value, classification()[m].of(sample.view()).value);
  }
}

TEST(Evaluate, RefusesWhatIsNoSample) {
  const Sample good = large_sample(3, 20, 2);
  const auto evaluation = [](const Sample& sample) {
    return [&sample] { static_cast<void>(evaluate(ranking(), sample.view())); };
  };
  Sample bad = good;
  bad.score[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(evaluation(bad), ThrowsMessage<base::InputError>(HasSubstr("score 4 is NaN")));
  bad = good;
  bad.label[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(evaluation(bad), ThrowsMessage<base::InputError>(HasSubstr("label 5 is NaN")));
  bad = good;
  bad.group[6] = 2;
  EXPECT_THAT(evaluation(bad),
              ThrowsMessage<base::InputError>(HasSubstr("row 6 is in group 2, groups are 0 .. 1")));
  bad.group[6] = -1;
  EXPECT_THROW(evaluation(bad)(), base::InputError);
  bad = good;
  bad.label.pop_back();
  EXPECT_THROW(evaluation(bad)(), std::invalid_argument);
  bad = good;
  bad.groups = 0;
  EXPECT_THROW(evaluation(bad)(), std::invalid_argument);
}

TEST(Select, KeepsTheOrderOfTheNamesAndHintsAtAMistypedOne) {
  const std::vector<std::string> names{"error_gap", "error"};
  const std::vector<Measure> chosen = select(classification(), names);
  ASSERT_EQ(chosen.size(), 2);
  EXPECT_EQ(chosen[0].what.name, "error_gap");
  EXPECT_EQ(chosen[1].what.name, "error");
  EXPECT_THAT([] { static_cast<void>(select(ranking(), std::vector<std::string>{"aucc"})); },
              ThrowsMessage<base::InputError>(HasSubstr("did you mean 'auc'")));
}

}  // namespace
}  // namespace fairfront::metrics
