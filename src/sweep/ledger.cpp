#include "sweep/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sweep/config.hpp"

namespace fairfront::sweep {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Everything but the axes' values and the number of tasks must be as it was.
void check_extension(const archive::JournalHeader& there, const archive::JournalHeader& here) {
  archive::JournalHeader widened = there;
  widened.axes = here.axes;
  widened.tasks = here.tasks;
  widened.datasets = here.datasets;
  for (archive::ConfigEntry& entry : widened.config) {
    const std::string name = entry.section.empty() ? entry.key : entry.section + "." + entry.key;
    const bool axis = std::any_of(here.axes.begin(), here.axes.end(),
                                  [&](const archive::Axis& now) { return now.name == name; });
    if (!axis) continue;
    const auto now = std::find_if(here.config.begin(), here.config.end(), [&](const auto& other) {
      return other.section == entry.section && other.key == entry.key;
    });
    if (now != here.config.end()) entry.value = now->value;
  }
  if (const auto difference = archive::first_difference(widened, here)) {
    throw base::InputError("--extend widens axes and changes nothing else: " + *difference);
  }
}

}  // namespace

archive::JournalHeader header_of(const Plan& plan, const Experiment& experiment,
                                 const std::vector<Problem>& problems,
                                 const std::string& program_version) {
  archive::JournalHeader header;
  header.experiment = plan.config().experiment;
  header.config = config_entries(plan.config());
  header.axes = plan.axes();
  header.datasets = datasets_of(problems);
  for (const Section& section : experiment.sections()) {
    const auto& methods = plan.config().methods;
    if (std::find(methods.begin(), methods.end(), section.name) == methods.end()) continue;
    header.revisions.push_back(fmt::format("{}={}", section.name, section.revision));
  }
  header.tasks = plan.num_tasks();
  header.program_version = program_version;
  header.sweep_digest = archive::sweep_digest_of(header);
  return header;
}

Ledger::Ledger(const Plan& plan, const Experiment& experiment, const std::vector<Problem>& problems,
               const RunSettings& settings) {
  read_tasks(plan, experiment, problems, settings);
  open(header_of(plan, experiment, problems, settings.program_version), settings);
}

void Ledger::read_tasks(const Plan& plan, const Experiment& experiment,
                        const std::vector<Problem>& problems, const RunSettings& settings) {
  const std::vector<Section> sections = experiment.sections();
  auto is_coupled = [&](const std::string& method) {
    return std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
      return section.name == method && section.coupled;
    });
  };
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    const Task task = plan.task(i);
    const std::int64_t problem = plan.problem_of(i);
    keys_.push_back(plan.key_of(task, problems[at(problem)].forecast.data.digest));
    index_of_.emplace(keys_.back(), i);
    costs_.push_back({static_cast<std::int32_t>(problem), experiment.unit_cost(task)});
    coupled_.push_back(is_coupled(task.method));
    finished_.push_back(i % settings.slices != settings.slice);
    mine_ += finished_.back() ? 0 : 1;
  }
  seconds_.resize(keys_.size(), 0);
}

void Ledger::open(const archive::JournalHeader& header, const RunSettings& settings) {
  if (!archive::journal_exists(settings.journal)) {
    archive::create_journal(settings.journal, header);
    lock_ = std::make_unique<archive::JournalLock>(settings.journal);
    return;
  }
  lock_ = std::make_unique<archive::JournalLock>(settings.journal);
  if (settings.continuation == Continuation::fresh) {
    throw base::InputError(fmt::format(
        "'{}' holds the finished tasks of a run that did not end: go on with --resume, or discard "
        "them with --force",
        settings.journal));
  }
  const archive::JournalContents journal = archive::read_journal(settings.journal, false);
  if (settings.continuation == Continuation::extend) {
    check_extension(journal.header, header);
  } else if (const auto difference = archive::first_difference(journal.header, header)) {
    throw base::InputError(fmt::format("'{}' belongs to another sweep: {} (--extend widens axes)",
                                       settings.journal, *difference));
  }
  mark_finished(journal, settings);
  if (settings.continuation == Continuation::extend) {
    archive::rewrite_header(settings.journal, header);
  }
}

void Ledger::mark_finished(const archive::JournalContents& journal, const RunSettings& settings) {
  warnings_ = journal.warnings;
  launch_ = journal.launches;
  for (const archive::TaskRecord& record : journal.records) {
    const auto found = index_of_.find(record.key);
    if (found == index_of_.end()) {
      throw base::InputError(fmt::format(
          "'{}' holds a finished task that the config no longer has: an axis has lost a value",
          settings.journal));
    }
    const bool failed = record.status == archive::TaskStatus::failed;
    const std::size_t task = at(found->second);
    if (finished_[task] || (failed && settings.retry_failed)) continue;
    finished_[task] = true;
    seconds_[task] = failed ? 0 : record.seconds;
    ++(failed ? failed_ : done_);
  }
}

std::unique_ptr<Schedule> Ledger::schedule(bool coupled, const ScheduleOptions& options) const {
  std::vector<bool> excluded = finished_;
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    excluded[i] = excluded[i] || coupled_[i] != coupled;
  }
  auto schedule = std::make_unique<Schedule>(costs_, excluded, options);
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (seconds_[i] > 0) schedule->observe(static_cast<std::int64_t>(i), seconds_[i]);
  }
  return schedule;
}

std::int64_t Ledger::waiting(bool coupled) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    count += !finished_[i] && coupled_[i] == coupled ? 1 : 0;
  }
  return count;
}

std::vector<archive::TaskRecord> Ledger::collect(const std::string& journal) const {
  archive::JournalContents contents = archive::read_journal(journal);
  std::vector<archive::TaskRecord> records(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) records[i].key = keys_[i];
  for (archive::TaskRecord& record : contents.records) {
    const auto found = index_of_.find(record.key);
    if (found != index_of_.end()) records[at(found->second)] = std::move(record);
  }
  return records;
}

}  // namespace fairfront::sweep
