#include "sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "results/merged_fronts.hpp"
#include "results/records.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/unknown_measures.hpp"

namespace fairfront::sweep {
namespace {

void require_one_sweep(std::span<const NamedContent> parts) {
  const results::SweepIdentity sweep = results::sweep_of(parts.front().content);
  for (const NamedContent& part : parts.subspan(1)) {
    const auto difference = results::first_difference(sweep, results::sweep_of(part.content));
    if (!difference) continue;
    throw base::InputError(fmt::format("'{}' and '{}' are not of one sweep: {}", parts.front().name,
                                       part.name, *difference));
  }
}

/// What is not known cannot be put together: the merged archive would lack it.
void require_known_measures(const ResultSchema& schema, std::span<NamedContent> parts) {
  for (NamedContent& part : parts) {
    const std::vector<results::Measure> unknown = take_unknown_measures(part.content, schema);
    if (unknown.empty()) continue;
    throw base::InputError(
        fmt::format("'{}' has measures that this version does not know ({}): merge with the "
                    "version of the program that has measured them",
                    part.name, names_of(unknown)));
  }
}

/// How much a record is worth: a result, a reason, nothing.
int rank_of(results::TaskStatus status) {
  if (status == results::TaskStatus::done) return 2;
  return status == results::TaskStatus::failed ? 1 : 0;
}

/// Measures of one task that a part knows and another does not, as an earlier version has made it.
void add_unknown(results::Measures& all, const results::Measures& more) {
  for (const auto& [name, cells] : more) all.try_emplace(name, cells);
}

/// The records of all parts, task by task.
class Pool {
 public:
  explicit Pool(std::size_t tasks) : records_(tasks), origin_(tasks) {}

  /// @throws base::DamagedError  a result that the experiment cannot have given.
  void add(const Plan& plan, const ResultSchema& schema, const NamedContent& part) {
    std::vector<results::TaskRecord> records = results::records_of(part.content);
    for (std::size_t i = 0; i < records.size(); ++i) {
      require_fits(schema, i, records[i], part.name);
      if (origin_[i] != nullptr) require_same(plan, i, records[i], part.name);
      if (origin_[i] != nullptr && rank_of(records[i].status) <= rank_of(records_[i].status)) {
        if (records[i].status == records_[i].status) {
          add_unknown(records_[i].result.measured, records[i].result.measured);
        }
        continue;
      }
      records_[i] = std::move(records[i]);
      origin_[i] = &part.name;
    }
  }
  [[nodiscard]] std::vector<results::TaskRecord> take() { return std::move(records_); }

 private:
  static void require_fits(const ResultSchema& schema, std::size_t i,
                           const results::TaskRecord& record, const std::string& name) {
    if (record.status != results::TaskStatus::done) return;
    try {
      check_result(schema, record.result);
    } catch (const std::logic_error& error) {
      throw base::DamagedError(fmt::format("task {} of '{}': {}", i, name, error.what()));
    }
  }
  void require_same(const Plan& plan, std::size_t i, const results::TaskRecord& other,
                    const std::string& name) const {
    const results::TaskRecord& mine = records_[i];
    const auto label = [&] { return plan.label(plan.task(static_cast<std::int64_t>(i))); };
    if (mine.key != other.key) {
      throw base::InputError(fmt::format("task {} ({}) has one key in '{}' and another in '{}'", i,
                                         label(), *origin_[i], name));
    }
    if (mine.status != results::TaskStatus::done || other.status != mine.status) return;
    if (const auto difference = results::first_difference(mine, other)) {
      throw base::InputError(
          fmt::format("task {} ({}) has two results, '{}' there and '{}' here: {}", i, label(),
                      *origin_[i], name, *difference));
    }
  }

  std::vector<results::TaskRecord> records_;
  std::vector<const std::string*> origin_;  ///< name of the part that gave the record
};

/// The distinct texts that are not empty, in order of first use.
std::string join_distinct(std::span<const NamedContent> parts,
                          std::string results::LaunchFacts::*field) {
  std::vector<std::string> texts;
  for (const NamedContent& part : parts) {
    const std::string& text = part.content.provenance.*field;
    if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return base::join(texts, "; ");
}

}  // namespace

results::Content merge(const Plan& plan, const ResultSchema& schema,
                       std::span<NamedContent> parts) {
  require_one_sweep(parts);
  require_known_measures(schema, parts);
  Pool pool(parts.front().content.tasks.key.size());
  for (NamedContent& part : parts) {
    pool.add(plan, schema, part);
    if (&part != &parts.front()) part.content = {};
  }
  results::Content merged = content_of(plan, schema, pool.take());
  merged.datasets = std::move(parts.front().content.datasets);
  merged.merged = results::merged_fronts(merged);
  return merged;
}

results::LaunchFacts merged_provenance(std::span<const NamedContent> parts,
                                       results::LaunchFacts here) {
  here.hosts = join_distinct(parts, &results::LaunchFacts::hosts);
  here.processors = join_distinct(parts, &results::LaunchFacts::processors);
  here.c_libraries = join_distinct(parts, &results::LaunchFacts::c_libraries);
  here.slurm = join_distinct(parts, &results::LaunchFacts::slurm);
  here.command_line += "; of: " + join_distinct(parts, &results::LaunchFacts::command_line);
  for (const NamedContent& part : parts) here.ranks += part.content.provenance.ranks;
  return here;
}

}  // namespace fairfront::sweep
