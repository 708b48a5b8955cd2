// Which data set a task runs on is found by its key, with about one key a task.
#include "sweep/dataset_of_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fake_experiment.hpp"

namespace fairfront::sweep::test {
namespace {

constexpr std::size_t num_sets = 40;

/// Three tasks of each method on each of the data sets.
Plan plan_of_sets() {
  std::string names = "s0";
  for (std::size_t i = 1; i < num_sets; ++i) names += ", s" + std::to_string(i);
  const std::string text = "[data]\nname = " + names + "\n[alpha]\nsteps = 4, 5, 6\n[beta]\n";
  return {config_of(text), FakeExperiment{}};
}

std::string digest_of(const Task& task) { return "digest of " + task.values.at("data.name"); }

struct Sets {
  Plan plan = plan_of_sets();
  std::vector<data::Provenance> sets = std::vector<data::Provenance>(num_sets);
  Sets() {
    for (std::size_t i = 0; i < num_sets; ++i) sets[i].digest = "digest of s" + std::to_string(i);
  }
  /// Looks all tasks up, and returns how many keys that took.
  std::int64_t find_all(auto find) {
    std::int64_t keys = 0;
    DatasetOfTask dataset_of(plan, sets);
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      const Task task = plan.task(i);
      const auto is_key = [&](const std::string& key) {
        ++keys;
        return key == plan.key_of(task, digest_of(task));
      };
      const std::optional<std::size_t> place = find(dataset_of, task, is_key);
      EXPECT_TRUE(!place || sets[*place].digest == digest_of(task)) << i;
      found += place ? 1 : 0;
    }
    return keys;
  }
  std::int64_t found = 0;
};

constexpr auto find = [](DatasetOfTask& of, const Task& task, const auto& is_key) {
  return of.find(task, is_key);
};
constexpr auto find_likely = [](DatasetOfTask& of, const Task& task, const auto& is_key) {
  return of.find_likely(task, is_key);
};

TEST(DatasetOfTask, TakesOneKeyATaskWhereDataSetsComeInTheOrderOfProblems) {
  Sets all;
  EXPECT_EQ(all.find_all(find), all.plan.num_tasks());
  EXPECT_EQ(all.found, all.plan.num_tasks());
  Sets likely;
  EXPECT_EQ(likely.find_all(find_likely), likely.plan.num_tasks());
  EXPECT_EQ(likely.found, likely.plan.num_tasks());
}

TEST(DatasetOfTask, FindsThemInAnyOrder) {
  Sets all;
  std::ranges::reverse(all.sets);
  std::swap(all.sets[3], all.sets[17]);
  EXPECT_GT(all.find_all(find), all.plan.num_tasks());
  EXPECT_EQ(all.found, all.plan.num_tasks());
}

TEST(DatasetOfTask, ATaskOfNoneOfThemIsNotFound) {
  Sets all;
  all.sets[5].digest = "another";
  (void)all.find_all(find);
  EXPECT_EQ(all.found, all.plan.num_tasks() * 39 / 40);
  all.sets.clear();
  all.found = 0;
  EXPECT_EQ(all.find_all(find), 0);
  EXPECT_EQ(all.found, 0);
}

TEST(DatasetOfTask, OfAProblemIsOneForAllItsTasks) {
  const Sets all;
  DatasetOfTask dataset_of(all.plan, all.sets);
  const Task first = all.plan.task(0), last = all.plan.task(all.plan.num_tasks() - 1);
  EXPECT_FALSE(dataset_of.known(first));
  ASSERT_TRUE(dataset_of.find(first, [&](const std::string& key) {
    return key == all.plan.key_of(first, digest_of(first));
  }));
  EXPECT_EQ(dataset_of.known(first), 0U);
  EXPECT_FALSE(dataset_of.known(last));
  // A key that only another data set of the same problem would give.
  EXPECT_FALSE(dataset_of.find(first, [&](const std::string& key) {
    return key == all.plan.key_of(first, all.sets[7].digest);
  }));
}

}  // namespace
}  // namespace fairfront::sweep::test
