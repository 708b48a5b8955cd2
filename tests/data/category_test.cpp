#include "data/category.hpp"

#include <rapidcheck.h>

#include "support.hpp"

namespace fairfront::data {
namespace {

using ::testing::ElementsAre;

TEST(Category, TheOrderGivenComesFirstAndTheRestKeepsItsOwn) {
  Category column{{0, 1, 2, 3, 0}, {"d", "b", "a", "c"}, {1, 2, 3, 4}};
  order_levels(column, std::vector<std::string>{"a", "absent", "b"});
  EXPECT_THAT(column.levels, ElementsAre("a", "b", "d", "c"));
  EXPECT_THAT(column.codes, ElementsAre(2, 1, 0, 3, 2));
  EXPECT_THAT(column.first_line, ElementsAre(3, 2, 1, 4));
}

TEST(Category, LevelsThatGetOneNameBecomeOne) {
  Category column{{0, 1, 2, 3, 0}, {"a", "b", "c", "d"}, {4, 5, 6, 7}};
  rename_levels(column, [](const std::string& level) {
    return level == "c" ? std::string("other") : level < "c" ? std::string("x") : level;
  });
  EXPECT_THAT(column.levels, ElementsAre("x", "other", "d"));
  EXPECT_THAT(column.codes, ElementsAre(0, 0, 1, 2, 0));
  EXPECT_THAT(column.first_line, ElementsAre(4, 6, 7));
}

TEST(ProductGroups, OnlyCombinationsThatOccurBecomeGroupsInProductOrder) {
  const std::vector<Category> columns{{{1, 0, 1, 1}, {"Male", "Female"}, {1, 2}},
                                      {{1, 1, 0, 1}, {"White", "Black"}, {1, 2}}};
  const Grouping groups = product_groups(columns);
  EXPECT_THAT(groups.names, ElementsAre("Male x Black", "Female x White", "Female x Black"));
  EXPECT_THAT(groups.group, ElementsAre(2, 0, 1, 2));
}

TEST(Category, ManyLevelsAreOrderedRenamedAndCombinedInALinearTime) {
  Category column;
  std::vector<std::string> order;
  for (int i = 0; i < 200'000; ++i) {
    column.codes.push_back(i);
    column.levels.push_back(std::to_string(i));
    column.first_line.push_back(i);
    order.push_back(std::to_string(199'999 - i));
  }
  order_levels(column, order);  // minutes, if quadratic
  EXPECT_EQ(column.codes.front(), 199'999);
  rename_levels(column, [](const std::string& level) { return level + "x"; });
  EXPECT_EQ(column.levels.front(), "199999x");
  // A table of all pairs would take 160 GB.
  const Grouping groups = product_groups(std::vector<Category>{column, column});
  EXPECT_EQ(groups.names.size(), 200'000u);
  EXPECT_EQ(groups.names.front(), "199999x x 199999x");
  EXPECT_EQ(groups.group.front(), 199'999);
}

/// Archives find groups by their names: one of two was lost.
TEST(ProductGroups, TwoCombinationsOfOneNameAreRefused) {
  const std::vector<Category> columns{{{0, 1, 0}, {"a", "a x b"}, {1, 2}},
                                      {{0, 1, 1}, {"b x c", "c"}, {1, 2}}};
  EXPECT_THAT(input_error([&] { (void)product_groups(columns); }),
              ::testing::HasSubstr("two groups have the name 'a x b x c'"));
}

TEST(ProductGroups, ASingleColumnKeepsOnlyLevelsThatOccur) {
  const std::vector<Category> columns{{{2, 0, 2}, {"a", "b", "c"}, {1, 2, 3}}};
  const Grouping groups = product_groups(columns);
  EXPECT_THAT(groups.names, ElementsAre("a", "c"));
  EXPECT_THAT(groups.group, ElementsAre(1, 0, 1));
}

TEST(ProductGroupsProperty, EveryRowsNameIsTheOneOfItsLevelsAndNoGroupIsEmpty) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 40);
    std::vector<Category> columns;
    for (int c = 0; c < 3; ++c) {
      columns.push_back(
          {*rc::gen::container<std::vector<std::int32_t>>(rows, rc::gen::inRange(0, 4)),
           {"p", "q", "r", "s"},
           {1, 2, 3, 4}});
    }
    const Grouping groups = product_groups(columns);
    std::vector<int> members(groups.names.size(), 0);
    for (std::size_t i = 0; i < rows; ++i) {
      std::string name;
      for (const Category& column : columns) {
        name +=
            (name.empty() ? "" : " x ") + column.levels[static_cast<std::size_t>(column.codes[i])];
      }
      const auto group = static_cast<std::size_t>(groups.group[i]);
      RC_ASSERT(groups.names[group] == name);
      ++members[group];
    }
    RC_ASSERT(std::find(members.begin(), members.end(), 0) == members.end());
    RC_ASSERT(std::is_sorted(groups.names.begin(), groups.names.end()));
  }));
}

}  // namespace
}  // namespace fairfront::data
