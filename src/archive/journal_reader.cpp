#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "archive/journal.hpp"
#include "archive/journal_file.hpp"
#include "archive/journal_log.hpp"
#include "archive/journal_record.hpp"

namespace fairfront::archive {
namespace {

// Gathers one record per key.
class Gatherer {
 public:
  explicit Gatherer(bool results) : results_{results} {}

  void add(ByteView payload) {
    TaskRecord record = read_record_head(payload);
    const auto known = place_.find(record.key);
    const bool is_done = record.status == TaskStatus::done;
    if (known != place_.end() && records_[known->second].status == TaskStatus::done) {
      duplicates_ += is_done ? 1 : 0;
      return;
    }
    if (results_ && is_done) record.result = read_record_result(payload);
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
  std::vector<TaskRecord> records_;
  std::unordered_map<std::string, std::size_t> place_;  ///< key -> index into records_
  std::int64_t duplicates_ = 0;
};

}  // namespace

JournalContents read_journal(const std::string& journal, bool results) {
  JournalContents contents;
  contents.header = read_journal_header(journal);
  Gatherer gatherer{results};
  for (const LogName& log : list_logs(journal)) {
    const LogReport report =
        read_log(journal_file(journal, log.name), [&](ByteView payload) { gatherer.add(payload); });
    contents.bytes += report.bytes;
    contents.launches = std::max(contents.launches, static_cast<int>(log.launch) + 1);
    for (const std::string& warning : report.warnings) {
      contents.warnings.push_back(
          fmt::format("'{}': {}", journal_file(journal, log.name), warning));
    }
  }
  std::move(gatherer).finish(contents);
  return contents;
}

}  // namespace fairfront::archive
