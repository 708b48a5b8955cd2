#include "sweep/partial.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "results/merged_fronts.hpp"
#include "results/task_record.hpp"
#include "sweep/columns_of_tasks.hpp"

namespace fairfront::sweep {
namespace {

/// The records of a journal by their keys, and the tasks that they belong to.
class Records {
 public:
  explicit Records(const journal::JournalContents& journal)
      : datasets_{journal.header.datasets}, records_{journal.records} {
    for (std::size_t i = 0; i < records_.size(); ++i) place_of_.emplace(records_[i].key, i);
  }

  /// One record per task of the plan, `missing` where the journal has none.
  [[nodiscard]] std::vector<TaskOutcome> in_order_of(const Plan& plan) {
    std::vector<TaskOutcome> outcomes(static_cast<std::size_t>(plan.num_tasks()));
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      outcomes[static_cast<std::size_t>(i)] = of(plan, i);
    }
    // Now that problems have shown their data sets, tasks without a record get their keys.
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      TaskOutcome& outcome = outcomes[static_cast<std::size_t>(i)];
      const auto known = dataset_of_.find(plan.problem_of(i));
      if (outcome.key.empty() && known != dataset_of_.end()) {
        outcome.key = plan.key_of(plan.task(i), datasets_[known->second].digest);
      }
    }
    return outcomes;
  }

 private:
  TaskOutcome of(const Plan& plan, std::int64_t index) {
    const std::int64_t problem = plan.problem_of(index);
    if (datasets_.size() == 1) dataset_of_.try_emplace(problem, 0);
    const auto known = dataset_of_.find(problem);
    const std::size_t first = known == dataset_of_.end() ? 0 : known->second;
    const std::size_t end = known == dataset_of_.end() ? datasets_.size() : first + 1;
    const Task task = plan.task(index);
    for (std::size_t d = first; d < end; ++d) {
      const auto found = place_of_.find(plan.key_of(task, datasets_[d].digest));
      if (found == place_of_.end()) continue;
      dataset_of_.try_emplace(problem, d);
      return records_[found->second];
    }
    return {};
  }

  const std::vector<data::Provenance>& datasets_;
  const std::vector<TaskOutcome>& records_;
  std::unordered_map<std::string, std::size_t> place_of_;
  std::unordered_map<std::int64_t, std::size_t> dataset_of_;  ///< by problem
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
  partial.content = content_of(plan, schema, Records(there).in_order_of(plan));
  partial.content.datasets = std::move(there.header.datasets);
  partial.content.provenance.program_version = there.header.program_version;
  partial.content.merged = results::merged_fronts(partial.content);
  partial.warnings = std::move(there.warnings);
  return partial;
}

}  // namespace fairfront::sweep
