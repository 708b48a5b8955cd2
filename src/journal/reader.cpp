#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "journal/file.hpp"
#include "journal/journal.hpp"
#include "journal/log.hpp"
#include "journal/record.hpp"
#include "journal/window.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal {
namespace {

// Gathers one record per key.
class Gatherer {
 public:
  Gatherer(bool results, const RecordCheck& check) : results_{results}, check_{check} {}

  void add(ByteView payload) {
    results::TaskRecord record = read_record_head(payload);
    const auto known = place_.find(record.key);
    const bool is_done = record.status == results::TaskStatus::done;
    if (known != place_.end() && records_[known->second].status == results::TaskStatus::done) {
      duplicates_ += is_done ? 1 : 0;
      return;
    }
    // Also when nobody wants the result: a task whose record has a good head and a bad body is
    // not done, or every launch would pass it over and none would have it for the archive.
    if (is_done) record.result = read_record_result(payload);
    if (check_) check_(record);
    if (!results_) record.result = {};
    if (known != place_.end()) {
      records_[known->second] = std::move(record);
    } else {
      place_.emplace(record.key, records_.size());
      records_.push_back(std::move(record));
    }
  }

  void finish(JournalContents& contents) && {
    contents.records = std::move(records_);
    contents.duplicates = duplicates_;
  }

 private:
  bool results_;
  const RecordCheck& check_;
  std::vector<results::TaskRecord> records_;
  std::unordered_map<std::string, std::size_t> place_;  ///< key -> index into records_
  std::int64_t duplicates_ = 0;
};

/// The log of the launch behind the last one that a name can have would not be found again.
int next_launch(const base::Folder& journal, const LogName& log) {
  constexpr std::int64_t last = 999'999'999;
  if (log.launch == last) {
    throw base::InputError(
        fmt::format("'{}' has the last number that a log can have; no run of "
                    "ours has made it: remove it",
                    journal.file(log.name)));
  }
  return static_cast<int>(log.launch) + 1;
}

}  // namespace

LogSizes log_sizes(const base::Folder& journal) {
  LogSizes sizes;
  for (const LogName& log : list_logs(journal)) {
    sizes.bytes += static_cast<std::int64_t>(FileWindow{journal, log.name}.size());
    sizes.launches = std::max(sizes.launches, next_launch(journal, log));
  }
  return sizes;
}

std::vector<std::string> names_of_logs(const base::Folder& journal) {
  (void)find_header(journal);
  std::vector<std::string> names;
  for (LogName& log : list_logs(journal)) names.push_back(std::move(log.name));
  return names;
}

std::vector<results::TaskRecord> read_log_records(const base::Folder& journal,
                                                  const std::string& log,
                                                  const RecordCheck& check) {
  Gatherer gatherer{true, check};
  (void)read_log(journal, log, [&](ByteView payload) { gatherer.add(payload); });
  JournalContents contents;
  std::move(gatherer).finish(contents);
  return std::move(contents.records);
}

JournalContents read_journal(const base::Folder& journal, bool results, const RecordCheck& check) {
  JournalContents contents;
  FoundHeader found = find_header(journal);
  contents.header = std::move(found.sweep);
  contents.header_lost = !found.warning.empty();
  if (contents.header_lost) contents.warnings.push_back(std::move(found.warning));
  Gatherer gatherer{results, check};
  for (const LogName& log : list_logs(journal)) {
    const LogReport report =
        read_log(journal, log.name, [&](ByteView payload) { gatherer.add(payload); });
    contents.bytes += report.bytes;
    contents.launches = std::max(contents.launches, next_launch(journal, log));
    for (const std::string& warning : report.warnings) {
      contents.warnings.push_back(fmt::format("'{}': {}", journal.file(log.name), warning));
    }
  }
  std::move(gatherer).finish(contents);
  return contents;
}

}  // namespace fairfront::journal
