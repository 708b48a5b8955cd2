// Archives that somebody changed outside of the results, with every digest made anew.
#include "sweep/archive_check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "archive/archive.hpp"
#include "fake_experiment.hpp"
#include "results/merged_fronts.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/stored_config.hpp"

namespace fairfront::sweep::test {
namespace {

using results::Content;
using results::TaskStatus;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string text = "seed = 1..3\n[data]\nname = a, b\n[alpha]\nsteps = 4, 5\n[beta]\n";
const std::string digest_of_data(64, 'd');

results::TaskRecord record_of(const Task& task, const std::string& key) {
  results::TaskRecord record;
  record.key = key;
  record.status = TaskStatus::done;
  record.started = 1e9;
  record.seconds = 2;
  TaskResult& result = record.result;
  const auto place = static_cast<double>(task.index);
  result.front = {{1 + place, 3, 2 + place, 4}, {20, 0}, 0, {}};
  // The area below (20, -0) of (1 + place, -3) and (2 + place, -4), the second maximised.
  result.front.hypervolume = 3 * (19 - place) + (18 - place);
  result.solutions["labels"] = {std::vector<std::uint8_t>{1, 2}, std::vector<std::uint8_t>{2, 1}};
  result.metrics["loss"] = place;
  result.measured["error"][{"test"}] = {0.5, 0.25, 0.5 + place};
  result.series["path"] = {{0, 1}, {place, 2}, {0.5, 1}};
  return record;
}

data::Provenance dataset_of(const std::string& name) {
  data::Provenance dataset;
  dataset.name = name;
  dataset.files = {"people.csv"};
  dataset.sha256 = {std::string(64, '7')};
  dataset.file_rows = 60;
  dataset.digest = digest_of_data + name;
  return dataset;
}

/// Of 12 tasks of [alpha] and 6 of [beta]; task 1 failed, task 2 is another slice's.
Content sound_content() {
  const FakeExperiment experiment;
  const Plan plan(config_of(text), experiment);
  std::vector<results::TaskRecord> records;
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    const Task task = plan.task(i);
    const std::string key = plan.key_of(task, digest_of_data + task.values.at("data.name"));
    records.push_back(record_of(task, key));
  }
  records[1].status = TaskStatus::failed;
  records[1].message = "no luck";
  records[1].result = {};
  const std::string key = records[2].key;
  records[2] = {};
  records[2].key = key;
  Content content = content_of(plan, experiment.schema(), std::move(records));
  for (const char* name : {"a", "b"}) content.datasets.push_back(dataset_of(name));
  content.provenance.created = "2026-01-31T12:00:00Z";
  content.provenance.hosts = "node-1 x3, node-2";
  content.provenance.ranks = content.provenance.team_size = 4;
  content.merged = results::merged_fronts(content);
  return content;
}

/// As `fairfront verify` goes through an archive of its own version.
std::vector<std::string> problems_of(const Content& content, const std::string& path) {
  archive::write(path, content, true);
  std::vector<std::string> problems = archive::verify(path);
  if (!problems.empty()) return problems;
  const Content stored = archive::read(path).content;
  problems = implausible_facts(stored);
  try {
    const StoredConfig config = stored_config(stored.config, stored.axes);
    const FakeExperiment experiment;
    const Plan plan(config_of(config.text, config.assignments), experiment);
    auto found = differences_from_plan(stored, plan);
    if (found.empty()) found = differences_from_rewriting(stored, plan, experiment.schema());
    problems.insert(problems.end(), found.begin(), found.end());
  } catch (const base::InputError& error) {
    problems.push_back(fmt::format("/config: {}", error.what()));
  }
  return problems;
}

results::ConfigEntry& entry_of(Content& content, const std::string& key) {
  return *std::ranges::find(content.config, key, &results::ConfigEntry::key);
}

struct Change {
  const char* expected;
  std::function<void(Content&)> make;
};

/// Each changes one thing; the merged fronts follow what is changed, as a careful forger's do.
void expect_each_named(const std::vector<Change>& changes) {
  const fairfront::test::TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  const Content sound = sound_content();
  ASSERT_THAT(problems_of(sound, path), IsEmpty());
  for (const Change& change : changes) {
    Content content = sound;
    change.make(content);
    content.merged = results::merged_fronts(content);
    EXPECT_THAT(problems_of(content, path), Contains(HasSubstr(change.expected)));
  }
}

TEST(ArchiveCheck, EveryChangeOfTheConfigIsNamed) {
  expect_each_named({
      {"row 0: its key does not follow", [](Content& c) { entry_of(c, "size").value = "7"; }},
      {"/config: ", [](Content& c) { entry_of(c, "size").value = "many"; }},
      {"/config: ", [](Content& c) { entry_of(c, "size").key = "sizes"; }},
      {"/config: ", [](Content& c) { entry_of(c, "size").section = "problems"; }},
      {"/config: problem.size: not set there",
       [](Content& c) {
         std::erase_if(c.config, [](const auto& entry) { return entry.key == "size"; });
       }},
      {"has 18 tasks, but the config makes 27",
       [](Content& c) { entry_of(c, "name").value = "a, b, c"; }},
      {"/config: experiment: other there", [](Content& c) { c.experiment = "other"; }},
      {"/config: solver revision: alpha=2 there", [](Content& c) { c.revisions[0] = "alpha=2"; }},
      {"/config: number of revisions: 1 there", [](Content& c) { c.revisions.pop_back(); }},
  });
}

TEST(ArchiveCheck, EveryChangeOfAxesAndTasksIsNamed) {
  expect_each_named({
      {"/axes/seed/role: ", [](Content& c) { c.axes[0].role = base::Role::trade_off; }},
      {"/axes: are not those", [](Content& c) { c.axes[0].values[1] = "4"; }},
      {"/axes: are not those", [](Content& c) { c.axes[1].name = "data.file"; }},
      {"row 4: its key", [](Content& c) { c.tasks.key[4][0] ^= 1; }},
      {"row 4: method is beta", [](Content& c) { c.tasks.method[4] = "beta"; }},
      {"row 4: problem is", [](Content& c) { c.tasks.problem[4] += 1; }},
      {"row 4: place on axis data.name is",
       [](Content& c) { c.tasks.axis_index[1][4] = 1 - c.tasks.axis_index[1][4]; }},
      {"/tasks/configuration: ", [](Content& c) { c.tasks.configuration[17] = 0; }},
      {"/tasks/curve: ", [](Content& c) { c.tasks.curve[17] = 0; }},
      {"/metrics/loss", [](Content& c) { c.tasks.status[0] = TaskStatus::failed; }},
      {"row 0: its key",
       [](Content& c) {
         for (auto& dataset : c.datasets) dataset.digest = std::string(64, 'e');
       }},
      {"'c' is the data set of no task", [](Content& c) { c.datasets.push_back(dataset_of("c")); }},
  });
}

TEST(ArchiveCheck, EveryChangeOfWhatColumnsMeanIsNamed) {
  expect_each_named({
      {"/measures: its entries", [](Content& c) { c.measures[0].what.name = "mistakes"; }},
      {"/measures: its entries", [](Content& c) { c.measures[0].parts[0] = "elsewhere"; }},
      {"/measures/error/definition",
       [](Content& c) { c.measures[0].what.definition = "mistakes"; }},
      {"/metrics: its entries", [](Content& c) { c.metrics[0].what.name = "loss of all"; }},
      {"/metrics/loss/direction",
       [](Content& c) { c.metrics[0].what.direction = base::Direction::maximise; }},
      {"/metrics/loss/unit", [](Content& c) { c.metrics[0].what.unit = "share"; }},
      {"/metrics/loss/definition", [](Content& c) { c.metrics[0].what.definition = "gain"; }},
      {"/metrics/loss/source", [](Content& c) { c.metrics[0].what.source = "Me (2026)"; }},
      {"/series/path@step_name", [](Content& c) { c.series[0].step_name = "epoch"; }},
      {"/series/path/unit", [](Content& c) { c.series[0].what.unit = "s"; }},
      {"/solutions/labels/definition",
       [](Content& c) { c.solutions[0].what.definition = "groups"; }},
      {"/solution",
       [](Content& c) { std::swap(c.fronts[0].solution[0], c.fronts[0].solution[3]); }},
      {"/solution",
       [](Content& c) {
         c.fronts[0].solutions_name = "";
         c.fronts[0].solution.assign(c.fronts[0].solution.size(), -1);
       }},
      {"/solutions/labels/task",
       [](Content& c) { std::swap(c.solutions[0].task[1], c.solutions[0].task[2]); }},
      {"/fronts/alpha@objectives/cost/definition",
       [](Content& c) { c.fronts[0].objectives[0].definition = "balance"; }},
      {"/fronts/alpha@objectives: its entries",
       [](Content& c) { c.fronts[0].objectives[0].name = "price"; }},
      {"/fronts/alpha/reference",
       [](Content& c) { c.fronts[0].reference[2] = 1; }},  // of a task without a front
  });
}

TEST(ArchiveCheck, FactsThatNoRunCanHaveHadAreNamed) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  expect_each_named({
      {"/provenance/created", [](Content& c) { c.provenance.created = "tomorrow"; }},
      {"/provenance/ranks: is -1", [](Content& c) { c.provenance.ranks = -1; }},
      {"/provenance/team_size: is 5", [](Content& c) { c.provenance.team_size = 5; }},
      {"hosts: names those of 5 ranks", [](Content& c) { c.provenance.hosts += ", node-3"; }},
      {"hosts: names those of 1 ranks", [](Content& c) { c.provenance.hosts = "node-1"; }},
      {"a: has fewer than 0 rows", [](Content& c) { c.datasets[0].file_rows = -1; }},
      {"a: a SHA-256 is not", [](Content& c) { c.datasets[0].sha256[0][5] = 'G'; }},
      {"/timing: row 3 has a time", [](Content& c) { c.timing.started[3] = -1; }},
      {"/timing: row 3 has a time", [&](Content& c) { c.timing.seconds[3] = nan; }},
      {"/timing: row 3 has a time", [](Content& c) { c.timing.seconds[3] = -0.5; }},
      {"/timing: row 3 has a rank", [](Content& c) { c.timing.rank[3] = -1; }},
      {"/timing: row 3 has a rank", [](Content& c) { c.timing.attempt[3] = 0; }},
      {"/timing: row 2 has times of a task that did not run",
       [](Content& c) { c.timing.seconds[2] = 1; }},
      {"/timing: row 2 has times", [](Content& c) { c.tasks.message[2] = "done"; }},
      {"/timing/series/path: has a time below 0", [](Content& c) { c.series[0].seconds[0] = -1; }},
  });
}

TEST(ArchiveCheck, AMissingTaskMayHaveNoKeyAndAnExportedJournalNoRanks) {
  const fairfront::test::TemporaryFolder folder;
  Content content = sound_content();
  content.tasks.key[2].assign(64, '0');
  content.provenance.hosts = "";
  content.provenance.ranks = content.provenance.team_size = 0;
  EXPECT_THAT(problems_of(content, folder / "a.h5"), IsEmpty());
  content.tasks.key[3].assign(64, '0');
  content.provenance.hosts = "node-1";
  EXPECT_THAT(problems_of(content, folder / "a.h5"),
              ElementsAre(HasSubstr("hosts: names those of 1 ranks"), HasSubstr("row 3: its key")));
}

TEST(ArchiveCheck, ARowThatIsNotOfThePlanIsNamed) {
  const FakeExperiment experiment;
  const Content sound = sound_content();
  const Plan plan(config_of(text), experiment);
  EXPECT_THAT(differences_from_plan(sound, plan), IsEmpty());
  Content content = sound;
  std::swap(content.tasks.key[1], content.tasks.key[2]);
  EXPECT_THAT(differences_from_plan(content, plan),
              ElementsAre(HasSubstr("row 1"), HasSubstr("row 2")));
  const Plan smaller(config_of("seed = 1, 2\n[alpha]\n[beta]\n"), experiment);
  EXPECT_THAT(differences_from_plan(sound, smaller),
              ElementsAre(HasSubstr("18 tasks, but the config makes 4")));
}

}  // namespace
}  // namespace fairfront::sweep::test
