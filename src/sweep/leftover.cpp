#include "sweep/leftover.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "journal/journal.hpp"
#include "results/records.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"

namespace fairfront::sweep {
namespace {

using results::TaskStatus;

std::unordered_map<std::string_view, TaskStatus> statuses_of(const results::TaskTable& tasks) {
  std::unordered_map<std::string_view, TaskStatus> statuses;
  for (std::size_t i = 0; i < tasks.key.size(); ++i) {
    statuses.emplace(tasks.key[i], tasks.status[i]);
  }
  return statuses;
}

}  // namespace

Leftover judge_leftover(const std::string& journal, const results::Content& archive) {
  if (!journal::journal_exists(journal)) return Leftover::none;
  const journal::JournalContents contents = journal::read_journal(journal, false);
  if (results::first_difference(contents.header, results::sweep_of(archive))) {
    return Leftover::foreign;
  }
  const auto statuses = statuses_of(archive.tasks);
  const bool stored = std::ranges::all_of(contents.records, [&](const auto& record) {
    const auto found = statuses.find(record.key);
    if (found == statuses.end() || found->second == TaskStatus::missing) return false;
    return found->second == TaskStatus::done || record.status == TaskStatus::failed;
  });
  return stored ? Leftover::stored : Leftover::unstored;
}

}  // namespace fairfront::sweep
