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

/// @param name  of what belongs to the sweep `there`.
void check_same_sweep(const std::string& name, const archive::JournalHeader& there,
                      const archive::JournalHeader& here, Continuation continuation) {
  if (continuation == Continuation::extend) return check_extension(there, here);
  if (const auto difference = archive::first_difference(there, here)) {
    throw base::InputError(
        fmt::format("'{}' belongs to another sweep: {} (--extend widens axes)", name, *difference));
  }
}

}  // namespace

archive::JournalHeader header_of(const Plan& plan, const std::vector<Problem>& problems,
                                 const std::string& program_version) {
  archive::JournalHeader header;
  header.experiment = plan.config().experiment;
  header.config = config_entries(plan.config());
  header.axes = plan.axes();
  header.datasets = datasets_of(problems);
  header.revisions = plan.revisions();
  header.tasks = plan.num_tasks();
  header.program_version = program_version;
  header.sweep_digest = archive::sweep_digest_of(header);
  return header;
}

Ledger::Ledger(const Plan& plan, const Experiment& experiment, const std::vector<Problem>& problems,
               const RunSettings& settings) {
  read_tasks(plan, experiment, problems, settings);
  open(header_of(plan, problems, settings.program_version), settings);
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
    selected_.push_back(!settings.selected || settings.selected(i));
    num_selected_ += selected_.back() ? 1 : 0;
  }
  had_result_.resize(keys_.size(), false);
  ran_.resize(keys_.size(), false);
  seconds_.resize(keys_.size(), 0);
}

void Ledger::open(const archive::JournalHeader& header, const RunSettings& settings) {
  std::vector<archive::TaskRecord> earlier = earlier_records(header, settings);
  const bool exists = archive::journal_exists(settings.journal);
  if (!exists) archive::create_journal(settings.journal, header);
  lock_ = std::make_shared<archive::JournalLock>(settings.journal);
  if (!lock_->warning().empty()) warnings_.push_back(lock_->warning());
  if (exists) continue_journal(header, settings);
  import(std::move(earlier), settings);
}

/// What the archive of an earlier run has, if it is to be continued and is of the same sweep.
std::vector<archive::TaskRecord> Ledger::earlier_records(const archive::JournalHeader& header,
                                                         const RunSettings& settings) const {
  if (!settings.earlier || settings.continuation == Continuation::fresh) return {};
  EarlierResults earlier = settings.earlier();
  check_same_sweep("the archive", earlier.sweep, header, settings.continuation);
  std::erase_if(earlier.records, [](const archive::TaskRecord& record) {
    return record.status == archive::TaskStatus::missing;
  });
  for (const archive::TaskRecord& record : earlier.records) (void)index_of(record.key);
  return std::move(earlier.records);
}

std::size_t Ledger::index_of(const std::string& key) const {
  if (const auto found = index_of_.find(key); found != index_of_.end()) return at(found->second);
  throw base::InputError(
      "a finished task is not one of this sweep any more: an axis has lost a value, or a solver "
      "has changed");
}

void Ledger::continue_journal(const archive::JournalHeader& header, const RunSettings& settings) {
  if (settings.continuation == Continuation::fresh) {
    throw base::InputError(fmt::format(
        "'{}' holds the finished tasks of a run that did not end: go on with --resume, or discard "
        "them with --force",
        settings.journal));
  }
  const archive::JournalContents journal = archive::read_journal(settings.journal, false);
  check_same_sweep(settings.journal, journal.header, header, settings.continuation);
  warnings_.insert(warnings_.end(), journal.warnings.begin(), journal.warnings.end());
  launch_ = journal.launches;
  mark_finished(journal.records, settings);
  if (settings.continuation == Continuation::extend) {
    archive::rewrite_header(settings.journal, header);
  }
}

/// Writes what the journal lacks into a log of its own: a run that is cut off here does it again.
void Ledger::import(std::vector<archive::TaskRecord> records, const RunSettings& settings) {
  std::erase_if(records, [&](const auto& record) { return had_result_[index_of(record.key)]; });
  if (records.empty()) return;
  archive::JournalWriter log(settings.journal, launch_, 0);
  for (const archive::TaskRecord& record : records) log.append(record);
  log.close();
  ++launch_;
  mark_finished(records, settings);
}

void Ledger::mark_finished(const std::vector<archive::TaskRecord>& records,
                           const RunSettings& settings) {
  for (const archive::TaskRecord& record : records) {
    const std::size_t task = index_of(record.key);
    const bool failed = record.status == archive::TaskStatus::failed;
    if (had_result_[task] || (failed && settings.retry_failed)) continue;
    had_result_[task] = true;
    seconds_[task] = failed ? 0 : record.seconds;
    if (selected_[task]) ++(failed ? failed_ : done_);
  }
}

std::unique_ptr<Schedule> Ledger::schedule(bool coupled, const ScheduleOptions& options) const {
  std::vector<bool> excluded(keys_.size());
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    excluded[i] = had_result_[i] || !selected_[i] || coupled_[i] != coupled;
  }
  auto schedule = std::make_unique<Schedule>(costs_, excluded, options);
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (seconds_[i] > 0) schedule->observe(static_cast<std::int64_t>(i), seconds_[i]);
  }
  return schedule;
}

std::int64_t Ledger::waiting(bool coupled) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    count += !had_result_[i] && selected_[i] && coupled_[i] == coupled ? 1 : 0;
  }
  return count;
}

std::vector<archive::TaskRecord> Ledger::collect(const std::string& journal) const {
  archive::JournalContents contents = archive::read_journal(journal);
  std::vector<archive::TaskRecord> records(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) records[i].key = keys_[i];
  for (archive::TaskRecord& record : contents.records) {
    const auto found = index_of_.find(record.key);
    if (found == index_of_.end()) continue;
    const std::size_t task = at(found->second);
    // A failure that was to be retried, but was not, is no result.
    if (had_result_[task] || ran_[task]) records[task] = std::move(record);
  }
  return records;
}

}  // namespace fairfront::sweep
