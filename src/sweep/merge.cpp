#include "sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "archive/merged_fronts.hpp"
#include "archive/records.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "sweep/outcomes.hpp"

namespace fairfront::sweep {
namespace {

void require_one_sweep(std::span<const NamedContent> parts) {
  const archive::JournalHeader sweep = archive::sweep_of(parts.front().content);
  for (const NamedContent& part : parts.subspan(1)) {
    const auto difference = archive::first_difference(sweep, archive::sweep_of(part.content));
    if (!difference) continue;
    throw base::InputError(fmt::format("'{}' and '{}' are not of one sweep: {}", parts.front().name,
                                       part.name, *difference));
  }
}

/// How much a record is worth: a result, a reason, nothing.
int rank_of(archive::TaskStatus status) {
  if (status == archive::TaskStatus::done) return 2;
  return status == archive::TaskStatus::failed ? 1 : 0;
}

/// The records of all parts, task by task.
class Pool {
 public:
  explicit Pool(std::size_t tasks) : records_(tasks), origin_(tasks) {}

  void add(const Plan& plan, const NamedContent& part) {
    std::vector<archive::TaskRecord> records = archive::records_of(part.content);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (origin_[i] != nullptr) require_same(plan, i, records[i], part.name);
      if (origin_[i] != nullptr && rank_of(records[i].status) <= rank_of(records_[i].status)) {
        continue;
      }
      records_[i] = std::move(records[i]);
      origin_[i] = &part.name;
    }
  }
  [[nodiscard]] std::vector<archive::TaskRecord> take() { return std::move(records_); }

 private:
  void require_same(const Plan& plan, std::size_t i, const archive::TaskRecord& other,
                    const std::string& name) const {
    const archive::TaskRecord& mine = records_[i];
    const std::string label = plan.label(plan.task(static_cast<std::int64_t>(i)));
    if (mine.key != other.key) {
      throw base::InputError(fmt::format("task {} ({}) has one key in '{}' and another in '{}'", i,
                                         label, *origin_[i], name));
    }
    if (mine.status != archive::TaskStatus::done || other.status != mine.status) return;
    if (const auto difference = archive::first_difference(mine, other)) {
      throw base::InputError(
          fmt::format("task {} ({}) has two results, '{}' there and '{}' here: {}", i, label,
                      *origin_[i], name, *difference));
    }
  }

  std::vector<archive::TaskRecord> records_;
  std::vector<const std::string*> origin_;  ///< name of the part that gave the record
};

/// The distinct texts that are not empty, in order of first use.
std::string join_distinct(std::span<const NamedContent> parts,
                          std::string archive::Provenance::*field) {
  std::vector<std::string> texts;
  for (const NamedContent& part : parts) {
    const std::string& text = part.content.provenance.*field;
    if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return base::join(texts, "; ");
}

}  // namespace

archive::Content merge(const Plan& plan, const ResultSchema& schema,
                       std::span<NamedContent> parts) {
  require_one_sweep(parts);
  Pool pool(parts.front().content.tasks.key.size());
  for (NamedContent& part : parts) {
    pool.add(plan, part);
    if (&part != &parts.front()) part.content = {};
  }
  archive::Content merged = content_of(plan, schema, pool.take());
  merged.datasets = std::move(parts.front().content.datasets);
  merged.merged = archive::merged_fronts(merged);
  return merged;
}

archive::Provenance merged_provenance(std::span<const NamedContent> parts,
                                      archive::Provenance here) {
  here.hosts = join_distinct(parts, &archive::Provenance::hosts);
  here.slurm = join_distinct(parts, &archive::Provenance::slurm);
  here.command_line += "; of: " + join_distinct(parts, &archive::Provenance::command_line);
  for (const NamedContent& part : parts) here.ranks += part.content.provenance.ranks;
  return here;
}

}  // namespace fairfront::sweep
