#include "sweep/partial.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "results/merged_fronts.hpp"
#include "results/task_record.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/dataset_of_task.hpp"

namespace fairfront::sweep {
namespace {

/// The records of a journal by their keys, and the tasks that they belong to.
class Records {
 public:
  Records(const journal::JournalContents& journal, const Plan& plan)
      : plan_{plan},
        datasets_{journal.header.datasets},
        records_{journal.records},
        dataset_of_(plan, datasets_),
        outcomes_(static_cast<std::size_t>(plan.num_tasks())) {
    for (std::size_t i = 0; i < records_.size(); ++i) place_of_.emplace(records_[i].key, i);
  }

  /// One record per task of the plan, `missing` where the journal has none.
  [[nodiscard]] std::vector<TaskOutcome> in_order_of_plan() && {
    place_records(&DatasetOfTask::find_likely);
    if (placed_ < records_.size()) place_records(&DatasetOfTask::find);
    // Now that problems have shown their data sets, tasks without a record get their keys.
    for_each_task_without_key([&](const Task& task, TaskOutcome& outcome) {
      if (const auto known = dataset_of_.known(task)) {
        outcome.key = plan_.key_of(task, datasets_[*known].digest);
      }
    });
    return std::move(outcomes_);
  }

 private:
  using Find = std::optional<std::size_t> (DatasetOfTask::*)(const Task&,
                                                             const DatasetOfTask::IsKey&);
  void place_records(Find find) {
    for_each_task_without_key([&](const Task& task, TaskOutcome& outcome) {
      if (placed_ == records_.size()) return;
      auto found = place_of_.end();
      const auto is_key = [&](const std::string& key) {
        return (found = place_of_.find(key)) != place_of_.end();
      };
      if (!(dataset_of_.*find)(task, is_key)) return;
      outcome = records_[found->second];
      ++placed_;
    });
  }

  template <class Use>
  void for_each_task_without_key(const Use& use) {
    TaskWalk walk(plan_);
    for (std::int64_t i = 0; i < plan_.num_tasks(); ++i) {
      TaskOutcome& outcome = outcomes_[static_cast<std::size_t>(i)];
      if (outcome.key.empty()) use(walk.task(i), outcome);
    }
  }

  const Plan& plan_;
  const std::vector<data::Provenance>& datasets_;
  const std::vector<TaskOutcome>& records_;
  DatasetOfTask dataset_of_;
  std::vector<TaskOutcome> outcomes_;
  std::size_t placed_ = 0;
  std::unordered_map<std::string, std::size_t> place_of_;
};

}  // namespace

PartialContent read_partial(const std::string& journal, const Plan& plan,
                            const ResultSchema& schema) {
  const auto check = [&](const results::TaskRecord& record) {
    if (record.status != results::TaskStatus::done) return;
    try {
      check_result(schema, record.result);
    } catch (const std::logic_error& error) {
      throw base::DamagedError(error.what());
    }
  };
  journal::JournalContents there = journal::read_journal(journal, true, check);
  if (there.header.revisions != plan.revisions()) {
    throw base::InputError(fmt::format(
        "'{}' was made by other revisions of its solvers ({}) than this program has ({})", journal,
        base::join(there.header.revisions, ", "), base::join(plan.revisions(), ", ")));
  }
  PartialContent partial;
  partial.content = content_of(plan, schema, Records(there, plan).in_order_of_plan());
  partial.content.datasets = std::move(there.header.datasets);
  partial.content.provenance.program_version = there.header.program_version;
  partial.content.merged = results::merged_fronts(partial.content);
  partial.warnings = std::move(there.warnings);
  return partial;
}

}  // namespace fairfront::sweep
