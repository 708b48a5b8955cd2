#include "data/small_groups.hpp"

#include "base/error.hpp"
#include "support.hpp"

namespace fairfront::data {
namespace {

/// Groups "0", "1", ... of the given sizes.
Dataset groups_of(const std::vector<std::int64_t>& sizes) {
  Dataset set;
  set.provenance.name = "people";
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    set.group_names.push_back(std::to_string(j));
    set.group.insert(set.group.end(), static_cast<std::size_t>(sizes[j]),
                     static_cast<std::int32_t>(j));
  }
  set.rows = static_cast<std::int64_t>(set.group.size());
  return set;
}

TEST(SmallGroups, AreThoseBelowOnePercentSmallestFirst) {
  EXPECT_EQ(small_groups_warning(groups_of({980, 9, 3, 8})),
            "data set 'people': 3 of 4 groups have less than 1 % of the 1000 rows: "
            "'2' 3 (0.30 %), '3' 8 (0.80 %), '1' 9 (0.90 %)");
  EXPECT_EQ(small_groups_warning(groups_of({990, 10})), std::nullopt);
}

TEST(SmallGroups, AndThoseWithFewerMembersThanWanted) {
  EXPECT_EQ(small_groups_warning(groups_of({30, 10}), 10), std::nullopt);
  EXPECT_EQ(small_groups_warning(groups_of({30, 9}), 10),
            "data set 'people': 1 of 2 groups have less than 1 % of the 39 rows or fewer than 10 "
            "members: '1' 9 (23.08 %)");
}

TEST(SmallGroups, OfALongNameTheMiddleIsLeftOut) {
  Dataset set = groups_of({1000, 1});
  set.group_names[1] = std::string(1'000'000, 'g');
  EXPECT_LT(small_groups_warning(set).value().size(), 1000u);
}

TEST(SmallGroups, ManyAreCountedAndNotAllNamed) {
  const auto warning = small_groups_warning(groups_of({1000, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THAT(warning.value(), ::testing::HasSubstr("8 of 9 groups"));
  EXPECT_THAT(warning.value(), ::testing::HasSubstr("'6' 1 (0.10 %), and 2 more"));
}

RawTable labelled(std::int64_t zeros, std::int64_t ones) {
  RawTable table;
  table.provenance.name = "people";
  table.target = TargetKind::binary;
  table.class_names = {"no", "yes"};
  table.label.assign(static_cast<std::size_t>(zeros), 0.0);
  table.label.insert(table.label.end(), static_cast<std::size_t>(ones), 1.0);
  table.rows = zeros + ones;
  return table;
}

TEST(RareLabel, IsOneOfFewerThanTenRows) {
  EXPECT_EQ(rare_label_warning(labelled(40, 2)),
            "data set 'people': label 1, 'yes', has 2 of 42 rows: too few to say much of it");
  EXPECT_EQ(rare_label_warning(labelled(9, 33)),
            "data set 'people': label 0, 'no', has 9 of 42 rows: too few to say much of it");
  EXPECT_EQ(rare_label_warning(labelled(10, 32)), std::nullopt);
  RawTable real = labelled(40, 2);
  real.target = TargetKind::real;
  EXPECT_EQ(rare_label_warning(real), std::nullopt);
}

TEST(SmallGroups, APartWithoutRowsOfOneIsToldWithWhatToDo) {
  const std::vector<std::string> names{"a", "b"};
  try {
    refuse_lack_of_rows(names, "group 'b'", "train");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("no row of group 'b' in the train part"),
                                 ::testing::HasSubstr("split.stratify"),
                                 ::testing::HasSubstr("data.group_map"),
                                 ::testing::HasSubstr("data.where")));
  }
}

}  // namespace
}  // namespace fairfront::data
