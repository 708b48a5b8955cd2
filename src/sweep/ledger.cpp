#include "sweep/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "config/config.hpp"
#include "parallel/agree.hpp"
#include "results/content.hpp"
#include "solvers/common/packing.hpp"
#include "sweep/archiving.hpp"
#include "sweep/columns_of_tasks.hpp"

namespace fairfront::sweep {
namespace {

using base::at;

/// Everything but the axes' values and the number of tasks must be as it was.
void check_extension(const results::SweepIdentity& there, const results::SweepIdentity& here) {
  results::SweepIdentity widened = there;
  widened.axes = here.axes;
  widened.tasks = here.tasks;
  widened.datasets = here.datasets;
  for (results::ConfigEntry& entry : widened.config) {
    const std::string name = entry.section.empty() ? entry.key : entry.section + "." + entry.key;
    const bool axis = std::any_of(here.axes.begin(), here.axes.end(),
                                  [&](const results::Axis& now) { return now.name == name; });
    if (!axis) continue;
    const auto now = std::find_if(here.config.begin(), here.config.end(), [&](const auto& other) {
      return other.section == entry.section && other.key == entry.key;
    });
    if (now != here.config.end()) entry.value = now->value;
  }
  if (const auto difference = results::first_difference(widened, here)) {
    throw base::InputError("--extend widens axes and changes nothing else: " + *difference);
  }
}

/// @param name  of what belongs to the sweep `there`.
void check_same_sweep(const std::string& name, const results::SweepIdentity& there,
                      const results::SweepIdentity& here, Continuation continuation) {
  if (continuation == Continuation::extend) return check_extension(there, here);
  if (const auto difference = results::first_difference(there, here)) {
    throw base::InputError(
        fmt::format("'{}' belongs to another sweep: {} (--extend widens axes)", name, *difference));
  }
}

/// A time that the schedule can reckon with; 0, not known, for one that no task has taken.
double credible_seconds(double seconds) {
  constexpr double longest = 1e8;  // three years
  return seconds > 0 && seconds < longest ? seconds : 0;
}

}  // namespace

results::SweepIdentity header_of(const Plan& plan, const std::vector<PlannedProblem>& problems,
                                 const std::string& program_version) {
  results::SweepIdentity header;
  header.experiment = plan.config().experiment;
  header.config = config::config_entries(plan.config());
  header.axes = plan.axes();
  header.datasets = datasets_of(problems);
  header.revisions = plan.revisions();
  header.tasks = plan.num_tasks();
  header.program_version = program_version;
  header.sweep_digest = results::sweep_digest_of(header);
  return header;
}

std::vector<TaskKey> make_keys(const parallel::Comm& world, const Plan& plan,
                               const std::vector<std::string>& digests) {
  solvers::Packer mine;
  parallel::agree(world, "", [&] {
    TaskWalk walk(plan);
    const std::int64_t end = plan.num_tasks() * (world.rank() + 1) / world.size();
    for (std::int64_t i = plan.num_tasks() * world.rank() / world.size(); i < end; ++i) {
      mine.number(TaskKey::of(plan.key_of(walk.task(i), digests.at(at(plan.problem_of(i))))));
    }
  });
  std::vector<TaskKey> keys;
  for (const std::string& slice : parallel::gather(world, mine.take())) {
    for (solvers::Unpacker unpacker(slice); !unpacker.at_end();) {
      keys.push_back(unpacker.number<TaskKey>());
    }
  }
  return keys;
}

void require_storable(const ResultSchema& schema, const results::TaskRecord& record) {
  if (record.message.find('\0') != std::string::npos) {
    throw base::DamagedError("a message with a NUL character");
  }
  if (record.status != results::TaskStatus::done) return;
  try {
    check_result(schema, record.result);
  } catch (const std::logic_error& error) {
    throw base::DamagedError(error.what());
  }
}

Ledger::Ledger(const Plan& plan, const Experiment& experiment,
               const std::vector<PlannedProblem>& problems, std::vector<TaskKey> keys,
               const RunSettings& settings)
    : schema_{experiment.schema()}, keys_{std::move(keys)} {
  read_tasks(plan, experiment, problems, settings);
  open(header_of(plan, problems, settings.program_version), settings);
}

void Ledger::read_tasks(const Plan& plan, const Experiment& experiment,
                        const std::vector<PlannedProblem>& problems, const RunSettings& settings) {
  const std::vector<config::Section> sections = experiment.sections();
  auto is_coupled = [&](const std::string& method) {
    return std::any_of(sections.begin(), sections.end(), [&](const config::Section& section) {
      return section.name == method && section.coupled;
    });
  };
  comparable_ = std::ranges::all_of(problems, [&](const PlannedProblem& problem) {
    return problem.forecast.work.unit == problems.front().forecast.work.unit;
  });
  std::map<std::pair<std::int64_t, std::string>, std::int32_t> loops;
  const auto loop_of = [&](std::int64_t problem, const std::string& loop) {
    if (loop.empty()) return -1;
    return loops.try_emplace({problem, loop}, static_cast<std::int32_t>(loops.size()))
        .first->second;
  };
  std::map<std::string, std::int32_t> methods;
  const auto number_of = [&](const std::string& method) {
    return methods.try_emplace(method, static_cast<std::int32_t>(methods.size())).first->second;
  };
  std::vector<std::size_t> next(problems.size(), 0);
  TaskWalk walk(plan);
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    const Task& task = walk.task(i);
    const std::int64_t problem = plan.problem_of(i);
    const std::size_t place = next[at(problem)]++;
    const double amount = problems[at(problem)].amounts.at(place);
    const bool shared = problems[at(problem)].shared.at(place) != 0;
    costs_.push_back({static_cast<std::int32_t>(plan.kind_of(i)), amount,
                      loop_of(problem, experiment.shared_loop(task)), is_coupled(task.method),
                      number_of(task.method)});
    coupled_.push_back(shared && is_coupled(task.method));
    selected_.push_back(!settings.selected || settings.selected(i));
    num_selected_ += selected_.back() ? 1 : 0;
  }
  had_result_.resize(keys_.size(), false);
  ran_.resize(keys_.size(), false);
  was_done_.resize(keys_.size(), false);
  seconds_.resize(keys_.size(), 0);
  bytes_.resize(keys_.size(), 0);
}

void Ledger::open(const results::SweepIdentity& header, const RunSettings& settings) {
  std::vector<results::TaskRecord> earlier = earlier_records(header, settings);
  const bool fresh = settings.continuation == Continuation::fresh;
  if (!journal::journal_exists(settings.journal)) {
    begin_journal(header, settings);
  } else if (fresh && settings.replace_journal) {
    replace_journal(header, settings);
  } else {
    lock_ = std::make_shared<journal::JournalLock>(settings.journal);
    continue_journal(header, settings);
  }
  if (!lock_->warning().empty()) warnings_.push_back(lock_->warning());
  import(std::move(earlier), settings);
}

/// The lock comes before the header: of runs that start at once one has it, and the others are told
/// to wait for it.
void Ledger::begin_journal(const results::SweepIdentity& header, const RunSettings& settings) {
  const base::Folder journal = journal::make_journal_folder(settings.journal);
  try {
    lock_ = std::make_shared<journal::JournalLock>(journal);
    if (journal::journal_exists(settings.journal)) return continue_journal(header, settings);
    journal::begin_journal(journal, header);
  } catch (...) {
    if (lock_) journal::remove_empty_journal(journal);  // else it may be another run's
    throw;
  }
}

void Ledger::replace_journal(const results::SweepIdentity& header, const RunSettings& settings) {
  const journal::JournalLock old_lock(settings.journal);
  const base::Folder aside = journal::set_journal_aside(old_lock.folder());
  try {
    begin_journal(header, settings);
  } catch (...) {
    lock_.reset();
    if (journal::put_journal_back(aside, settings.journal)) throw;
    throw base::InputError(fmt::format("{}; the finished tasks that were in '{}' are now in '{}'",
                                       base::message_of(std::current_exception()), settings.journal,
                                       aside.path()));
  }
  journal::remove_journal(aside);
}

/// What the archive of an earlier run has, if it is to be continued and is of the same sweep.
std::vector<results::TaskRecord> Ledger::earlier_records(const results::SweepIdentity& header,
                                                         const RunSettings& settings) {
  if (!settings.earlier || settings.continuation == Continuation::fresh) return {};
  EarlierResults earlier = settings.earlier();
  check_same_sweep("the archive", earlier.sweep, header, settings.continuation);
  std::erase_if(earlier.records, [](const results::TaskRecord& record) {
    return record.status == results::TaskStatus::missing;
  });
  for (const results::TaskRecord& record : earlier.records) {
    const std::size_t task = index_of(record.key);
    try {
      require_storable(schema_, record);
    } catch (const base::DamagedError& error) {
      throw base::DamagedError(fmt::format("the archive's task {}: {}", task, error.what()));
    }
  }
  return std::move(earlier.records);
}

/// A fresh run never asks: its ranks know which tasks they have run.
std::int64_t Ledger::find(const TaskKey& key) {
  if (index_of_.empty()) {
    index_of_.reserve(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      index_of_.emplace(keys_[i], static_cast<std::int64_t>(i));
    }
  }
  const auto found = index_of_.find(key);
  return found == index_of_.end() ? -1 : found->second;
}

std::size_t Ledger::index_of(const std::string& key) {
  if (const std::int64_t task = find(TaskKey::of(key)); task >= 0) return at(task);
  throw base::InputError(
      "a finished task is not one of this sweep any more: an axis has lost a value, or a solver "
      "has changed");
}

void Ledger::continue_journal(const results::SweepIdentity& header, const RunSettings& settings) {
  if (settings.continuation == Continuation::fresh) {
    throw base::InputError(fmt::format(
        "'{}' holds the finished tasks of a run that did not end: go on with --resume, or discard "
        "them with --force",
        settings.journal));
  }
  // A wider sweep must have kept every finished task; in the same one a stranger is no task of
  // ours.
  const bool widens = settings.continuation == Continuation::extend;
  const auto check = [&](const results::TaskRecord& record) {
    const std::int64_t task = find(TaskKey::of(record.key));
    if (!widens && task < 0) throw base::DamagedError("of no task of this sweep");
    require_storable(schema_, record);
    if (task >= 0) bytes_[at(task)] = bytes_to_archive(record.result);
  };
  const journal::JournalContents journal = journal::read_journal(lock_->folder(), false, check);
  check_same_sweep(settings.journal, journal.header, header, settings.continuation);
  warnings_.insert(warnings_.end(), journal.warnings.begin(), journal.warnings.end());
  launch_ = journal.launches;
  mark_finished(journal.records, settings);
  if (widens || journal.header_lost) journal::rewrite_header(lock_->folder(), header);
}

void Ledger::lock_again(const base::Folder& journal) {
  lock_ = std::make_shared<journal::JournalLock>(journal);
}

/// Writes what the journal lacks into a log of its own: a run that is cut off here does it again.
void Ledger::import(std::vector<results::TaskRecord> records, const RunSettings& settings) {
  std::erase_if(records, [&](const auto& record) { return !adds_to_journal(record); });
  if (records.empty()) return;
  journal::JournalWriter log(lock_->folder(), launch_, 0);
  for (const results::TaskRecord& record : records) log.append(record);
  log.close();
  ++launch_;
  mark_finished(records, settings);
}

bool Ledger::adds_to_journal(const results::TaskRecord& record) {
  const std::size_t task = index_of(record.key);
  const bool failed = record.status == results::TaskStatus::failed;
  return failed ? !had_result_[task] : !was_done_[task];
}

/// A task that is done stays so; failed ones that are not selected are not retried either.
void Ledger::mark_finished(const std::vector<results::TaskRecord>& records,
                           const RunSettings& settings) {
  for (const results::TaskRecord& record : records) {
    const std::size_t task = index_of(record.key);
    const bool failed = record.status == results::TaskStatus::failed;
    const bool retried = failed && settings.retry_failed && selected_[task];
    if (was_done_[task] || retried || (failed && had_result_[task])) continue;
    std::int64_t& failures = selected_[task] ? failed_ : other_failed_;
    if (had_result_[task]) --failures;  // the journal's failure, done elsewhere
    had_result_[task] = true;
    was_done_[task] = !failed;
    seconds_[task] = failed ? 0 : credible_seconds(record.seconds);
    ++(failed ? failures : selected_[task] ? done_ : other_done_);
  }
}

std::unique_ptr<Schedule> Ledger::schedule(Together which, const ScheduleOptions& options) const {
  std::vector<bool> excluded(keys_.size());
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    excluded[i] = !is_waiting(i, which);
  }
  ScheduleOptions known = options;
  known.comparable = comparable_;
  auto schedule = std::make_unique<Schedule>(costs_, excluded, known);
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (seconds_[i] > 0) schedule->observe(static_cast<std::int64_t>(i), seconds_[i]);
  }
  return schedule;
}

std::unique_ptr<TimeLeft> Ledger::time_left(int ranks, double cores_a_rank,
                                            TimeLeft::Clock clock) const {
  auto time_left = std::make_unique<TimeLeft>(comparable_, std::move(clock), cores_a_rank);
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    if (!(seconds_[i] > 0)) continue;
    time_left->observe(costs_[i], seconds_[i], seconds_to_archive(bytes_[i], ranks));
  }
  return time_left;
}

double Ledger::earlier_seconds() const {
  return std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
}

std::int64_t Ledger::waiting(Together which) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) count += is_waiting(i, which) ? 1 : 0;
  return count;
}

std::vector<std::int64_t> Ledger::waiting_tasks(Together which) const {
  std::vector<std::int64_t> tasks;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (is_waiting(i, which)) tasks.push_back(static_cast<std::int64_t>(i));
  }
  std::ranges::stable_sort(
      tasks, [&](auto a, auto b) { return costs_[at(a)].unit_cost > costs_[at(b)].unit_cost; });
  return tasks;
}

Choices Ledger::choose(const std::vector<std::vector<FoundRecord>>& logs) {
  Choices choices;
  choices.status.resize(keys_.size(), results::TaskStatus::missing);
  std::vector<Choice*> chosen(keys_.size(), nullptr);
  for (const std::vector<FoundRecord>& log : logs) {
    std::vector<Choice>& answers = choices.of_logs.emplace_back(log.size());
    for (std::size_t i = 0; i < log.size(); ++i) {
      const std::int64_t of = log[i].task >= 0 ? log[i].task : find(log[i].key);
      if (of < 0) continue;
      const std::size_t task = at(of);
      const bool settled = choices.status[task] == results::TaskStatus::done;
      if (settled || !(had_result_[task] || ran_[task])) continue;
      if (chosen[task] != nullptr) *chosen[task] = {};
      chosen[task] = &answers[i];
      answers[i] = {of, had_result_[task] ? 1 : 0};
      choices.status[task] = log[i].status;
    }
  }
  return choices;
}

}  // namespace fairfront::sweep
