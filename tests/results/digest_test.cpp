#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "results/content.hpp"
#include "results/digest.hpp"
#include "results/sample.hpp"

namespace fairfront::results::test {
namespace {

using Change = std::function<void(Content&)>;

// Every list has at least one entry.
Content full_content() {
  Content content = random_content(5, 6);
  content.config = {{"s", "k", "v"}, {"s", "l", "w"}};
  data::Provenance dataset;
  dataset.name = "adult";
  dataset.files = {"adult.data"};
  dataset.sha256 = {"ab"};
  content.datasets = {dataset};
  content.axes = {{"s.k", base::Role::trade_off, {"1", "2"}}};
  content.tasks.axis_index = {{0, 1, -1, 0, 1, -1}};
  const Quantity what{"n", "d", "u", Direction::minimise, "s"};
  content.metrics = {{what, {1, 2, 3, 4, 5, 6}}};
  content.measures = {{what, {"train", "test"}, {"all"}, std::vector<double>(36, 0.5)}};
  content.series = {{what, "iteration", {0, 2, 2, 2, 2, 2, 2}, {1, 2}, {3, 4}, {0.5, 1}}};
  content.solutions = {{what, {0}, {0, 2}, std::vector<std::uint8_t>{1, 2}}};
  FrontGroup& front = content.fronts.front();
  front.objectives = {what, what};
  front.objectives[1].name = "m";
  front.offsets = {0, 2, 2, 2, 2, 2, 2};
  front.points = {1, 2, 2, 1};
  front.report = {1, 3, 3, 1};
  front.task = {0, 0};
  front.solution = {0, -1};
  front.reference = {3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  front.hypervolume = {3, 0, 0, 0, 0, 0};
  content.revisions = {"s=1"};
  content.tasks.problem = {0, 0, 1, 1, 2, 2};
  content.tasks.configuration = {0, 0, 1, 1, 2, 2};
  content.tasks.curve = {0, 0, 1, 1, 2, 2};
  const MergedSet merged{{0, 2, 2, 2}, {0, 1}, {3, 3, 0, 0, 0, 0}, {3, 0, 0}};
  content.merged = {{"method", merged, merged}};
  return content;
}

void add_changes_of(std::vector<Change>& changes, const std::function<Quantity&(Content&)>& what) {
  changes.emplace_back([=](Content& c) { what(c).name += "x"; });
  changes.emplace_back([=](Content& c) { what(c).unit += "x"; });
  changes.emplace_back([=](Content& c) { what(c).direction = Direction::maximise; });
}

std::vector<Change> changes_of_results() {
  std::vector<Change> changes{
      [](Content& c) { c.experiment += "x"; },
      [](Content& c) { c.config[1].section += "x"; },
      [](Content& c) { c.config[1].key += "x"; },
      [](Content& c) { c.config[1].value += "x"; },
      [](Content& c) { c.config.pop_back(); },
      [](Content& c) { std::swap(c.config[0], c.config[1]); },
      [](Content& c) { c.datasets[0].name += "x"; },
      [](Content& c) { c.datasets[0].sha256[0] += "x"; },
      [](Content& c) { c.datasets[0].digest += "x"; },
      [](Content& c) { c.datasets[0].fitted += "x"; },
      [](Content& c) { c.axes[0].name += "x"; },
      [](Content& c) { c.axes[0].values[1] += "x"; },
      [](Content& c) { c.axes[0].role = base::Role::tuning; },
      [](Content& c) { c.axes[0].values = {"12"}; },
      [](Content& c) { c.tasks.key[3][5] ^= 1; },
      [](Content& c) { c.tasks.method[3] += "x"; },
      [](Content& c) { c.tasks.model[3] += "x"; },
      [](Content& c) { c.tasks.axis_index[0][3] = 1; },
      [](Content& c) { c.tasks.status[3] = static_cast<TaskStatus>(3); },
      [](Content& c) { c.metrics[0].values[5] = std::nextafter(6, 7); },
      [](Content& c) { c.metrics.pop_back(); },
      [](Content& c) { c.series[0].step_name += "x"; },
      [](Content& c) { c.series[0].offsets[1] = 1; },
      [](Content& c) { c.series[0].steps[1] = 7; },
      [](Content& c) { c.series[0].values[1] = 7; },
      [](Content& c) { c.solutions[0].task[0] = 1; },
      [](Content& c) { c.solutions[0].offsets[1] = 1; },
      [](Content& c) {
        c.solutions[0].values = std::vector<std::uint8_t>{1, 3};
      },
      [](Content& c) {
        c.solutions[0].values = std::vector<std::uint16_t>{1, 2};
      },
      [](Content& c) { c.fronts[0].name += "x"; },
      [](Content& c) { c.fronts[0].offsets[1] = 1; },
      [](Content& c) { c.fronts[0].points[0] = -0.0; },
      [](Content& c) { c.fronts[0].points[0] = 0.0; },
      [](Content& c) { c.fronts[0].task[0] = 1; },
      [](Content& c) { c.fronts[0].solution[0] = -1; },
      [](Content& c) { c.fronts[0].solutions_name += "x"; },
      [](Content& c) { c.fronts[0].reference[0] = 4; },
      [](Content& c) { c.fronts[0].hypervolume[0] = 4; },
      [](Content& c) { c.fronts.pop_back(); },
      [](Content& c) { c.revisions[0] += "x"; },
      [](Content& c) { c.tasks.problem[3] = 2; },
      [](Content& c) { c.tasks.configuration[3] = 2; },
      [](Content& c) { c.tasks.curve[3] = 2; },
      [](Content& c) { c.fronts[0].report[1] = 4; },
      [](Content& c) { c.merged[0].name += "x"; },
      [](Content& c) { c.merged[0].per_replicate.offsets[1] = 1; },
      [](Content& c) { c.merged[0].per_replicate.point[1] = 0; },
      [](Content& c) { c.merged[0].over_replicates.reference[0] = 4; },
      [](Content& c) { c.merged[0].over_replicates.hypervolume[0] = 4; },
      [](Content& c) { c.merged.pop_back(); },
  };
  add_changes_of(changes, [](Content& c) -> Quantity& { return c.metrics[0].what; });
  add_changes_of(changes, [](Content& c) -> Quantity& { return c.series[0].what; });
  add_changes_of(changes, [](Content& c) -> Quantity& { return c.solutions[0].what; });
  add_changes_of(changes, [](Content& c) -> Quantity& { return c.fronts[0].objectives[1]; });
  return changes;
}

std::vector<Change> changes_of_volatile_facts() {
  return {
      [](Content& c) { c.provenance.program_version += "x"; },
      [](Content& c) { c.provenance.git_revision += "x"; },
      [](Content& c) { c.provenance.git_dirty = !c.provenance.git_dirty; },
      [](Content& c) { c.provenance.compiler += "x"; },
      [](Content& c) { c.provenance.compiler_flags += "x"; },
      [](Content& c) { c.provenance.libraries += "x"; },
      [](Content& c) { c.provenance.created += "x"; },
      [](Content& c) { c.provenance.hosts += "x"; },
      [](Content& c) { c.provenance.processors += "x"; },
      [](Content& c) { c.provenance.c_libraries += "x"; },
      [](Content& c) { ++c.provenance.ranks; },
      [](Content& c) { ++c.provenance.team_size; },
      [](Content& c) { c.provenance.command_line += "x"; },
      [](Content& c) { c.provenance.slurm += "x"; },
      [](Content& c) { c.datasets[0].source += "x"; },
      [](Content& c) { c.datasets[0].files[0] += "x"; },
      [](Content& c) { ++c.datasets[0].file_rows; },
      [](Content& c) { c.timing.started[2] = 123; },
      [](Content& c) { c.timing.seconds[2] = 123; },
      [](Content& c) { ++c.timing.rank[2]; },
      [](Content& c) { ++c.timing.attempt[2]; },
      [](Content& c) { c.series[0].seconds[1] = 9; },
      // Prose, which may be reworded.
      [](Content& c) { c.datasets[0].recipe += "x"; },
      [](Content& c) { c.tasks.message[3] += "x"; },
      [](Content& c) { c.metrics[0].what.definition += "x"; },
      [](Content& c) { c.metrics[0].what.source += "x"; },
      [](Content& c) { c.measures[0].what.definition += "x"; },
      [](Content& c) { c.series[0].what.definition += "x"; },
      [](Content& c) { c.solutions[0].what.source += "x"; },
      [](Content& c) { c.fronts[0].objectives[1].definition += "x"; },
  };
}

TEST(Digest, EverySingleChangeOfAResultGivesAnotherDigest) {
  const Content content = full_content();
  std::set<std::string> seen{results_digest(content)};
  std::size_t position = 0;
  for (const Change& change : changes_of_results()) {
    Content changed = content;
    change(changed);
    EXPECT_TRUE(seen.insert(results_digest(changed)).second) << "change " << position;
    EXPECT_NE(content_digest(changed), content_digest(content)) << "change " << position;
    ++position;
  }
}

TEST(Digest, WhatIsMeasuredHasADigestOfItsOwnAndIsNoFinding) {
  const Content content = full_content();
  std::set<std::string> seen{measures_digest(content)};
  std::vector<Change> changes{
      [](Content& c) { c.measures[0].values[17] = std::nextafter(0.5, 1); },
      [](Content& c) { c.measures[0].parts[1] += "x"; },
      [](Content& c) { c.measures[0].groups[0] += "x"; },
      [](Content& c) { c.measures[0].at_groups = AtGroups::made_by; },
      [](Content& c) { c.measures.push_back(c.measures[0]); },
      [](Content& c) { c.measures.pop_back(); },
  };
  add_changes_of(changes, [](Content& c) -> Quantity& { return c.measures[0].what; });
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Content changed = content;
    changes[i](changed);
    EXPECT_EQ(results_digest(changed), results_digest(content)) << "change " << i;
    EXPECT_TRUE(seen.insert(measures_digest(changed)).second) << "change " << i;
    EXPECT_NE(content_digest(changed), content_digest(content)) << "change " << i;
  }
}

TEST(Digest, VolatileFactsAndProseChangeOnlyTheContentDigest) {
  const Content content = full_content();
  std::set<std::string> seen{content_digest(content)};
  std::size_t position = 0;
  for (const Change& change : changes_of_volatile_facts()) {
    Content changed = content;
    change(changed);
    EXPECT_EQ(results_digest(changed), results_digest(content)) << "change " << position;
    EXPECT_TRUE(seen.insert(content_digest(changed)).second) << "change " << position;
    ++position;
  }
}

TEST(Digest, EveryNotANumberCountsAsTheSame) {
  Content content = full_content();
  content.metrics[0].values[0] = std::numeric_limits<double>::quiet_NaN();
  const std::string digest = results_digest(content);
  content.metrics[0].values[0] = std::bit_cast<double>(0xfff8'0000'0000'0123);
  EXPECT_EQ(results_digest(content), digest);
}

TEST(Digest, DoesNotChangeBetweenVersionsOfTheProgram) {
  EXPECT_EQ(results_digest(full_content()),
            "aa177c0b95da83c22312b8981641394fce4ea9b1dffd95d57e42d0622da9760b");
  EXPECT_EQ(content_digest(Content{}),
            "164e61280a298bfa881c5962c874dd46314239c84557d80510e31d05a63e9a0c");
}

}  // namespace
}  // namespace fairfront::results::test
