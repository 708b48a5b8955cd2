#include "models/supervised.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fairfront::models::supervised_test {
namespace {

using Indices = std::vector<std::int64_t>;

data::Dataset sample() {
  data::Dataset dataset;
  dataset.rows = 6;
  dataset.columns = 1;
  dataset.features = {0, 10, 20, 30, 40, 50};
  dataset.group = {0, 1, 0, 1, 1, 0};
  dataset.group_names = {"a", "b"};
  dataset.label = {5, 2, 2, 5, 2, 5};
  dataset.provenance.name = "sample";
  return dataset;
}

TEST(Supervised, ListsThePartByGroupAndByGroupAndLabel) {
  const data::Dataset dataset = sample();
  const Supervised examples =
      supervised(dataset, Indices{5, 1, 2, 4}, LabelKind::minus_one_plus_one);
  ASSERT_EQ(examples.rows().size(), 4);
  EXPECT_EQ(*examples.rows().row(0), 50);
  EXPECT_EQ(*examples.rows().row(3), 40);
  EXPECT_EQ(examples.labels, (std::vector<double>{1, -1, -1, 1, -1, 1}));  // of all rows
  EXPECT_EQ(examples.of_group, (std::vector<Indices>{{5, 2}, {1, 4}}));
  ASSERT_EQ(examples.of_group_and_label.size(), 2u);
  EXPECT_EQ(examples.of_group_and_label[0][0], Indices{2});
  EXPECT_EQ(examples.of_group_and_label[0][1], Indices{5});
  EXPECT_EQ(examples.of_group_and_label[1][0], (Indices{1, 4}));
  EXPECT_EQ(examples.of_group_and_label[1][1], Indices{});  // row 3 is not in the part
}

TEST(Supervised, ListsSelectFeaturesAndLabelsAlike) {
  const data::Dataset dataset = sample();
  const Supervised examples = supervised(dataset, LabelKind::real);
  const Rows group = examples.rows().at(examples.of_group[1]);
  ASSERT_EQ(group.size(), 3);
  EXPECT_EQ(*group.row(1), 30);
  EXPECT_EQ(examples.labels[static_cast<std::size_t>(group.number(1))], 5);
}

TEST(Supervised, MapsLabelsAsTheLossWantsThem) {
  const data::Dataset dataset = sample();
  EXPECT_EQ(supervised(dataset, LabelKind::zero_one).labels,
            (std::vector<double>{1, 0, 0, 1, 0, 1}));
  const Supervised real = supervised(dataset, LabelKind::real);
  EXPECT_EQ(real.labels, dataset.label);
  EXPECT_TRUE(real.of_group_and_label.empty());
}

TEST(Supervised, APartWithOneLabelKeepsTheMeaningOfTheWholeSet) {
  const data::Dataset dataset = sample();
  const Supervised examples = supervised(dataset, Indices{1, 2}, LabelKind::zero_one);
  EXPECT_EQ(examples.labels[1], 0);
  EXPECT_EQ(examples.of_group_and_label[0][0], Indices{2});
}

TEST(Supervised, ACopyStandsOnItsOwn) {
  const data::Dataset dataset = sample();
  Supervised copy;
  {
    const Supervised examples = supervised(dataset, Indices{4, 0}, LabelKind::real);
    copy = examples;
  }
  EXPECT_EQ(*copy.rows().row(0), 40);
}

TEST(Supervised, RefusesLabelsThatItCannotMap) {
  data::Dataset dataset = sample();
  dataset.label[0] = 3;
  EXPECT_THROW((void)supervised(dataset, LabelKind::zero_one), base::InputError);
  EXPECT_NO_THROW((void)supervised(dataset, LabelKind::real));
  dataset.label.assign(6, 1.0);
  EXPECT_THROW((void)supervised(dataset, LabelKind::minus_one_plus_one), base::InputError);
  dataset.label.clear();
  EXPECT_THROW((void)supervised(dataset, LabelKind::real), base::InputError);
}

}  // namespace
}  // namespace fairfront::models::supervised_test
