#include "compare_records.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/printable.hpp"
#include "results/content.hpp"
#include "results/records.hpp"
#include "results/task_record.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t shown_differences = 10;

bool has_run(const results::TaskRecord& record) {
  return record.status != results::TaskStatus::missing;
}

}  // namespace

Comparison compare_records(const std::vector<results::TaskRecord>& there,
                           const std::vector<results::TaskRecord>& here, const sweep::Plan& plan,
                           double relative_tolerance) {
  Comparison result;
  std::unordered_map<std::string, const results::TaskRecord*> others;
  for (const results::TaskRecord& record : here) {
    if (has_run(record)) others.emplace(record.key, &record);
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (!has_run(there[i])) continue;
    const auto other = others.find(there[i].key);
    if (other == others.end()) {
      ++result.only_there;
      continue;
    }
    const auto difference = results::first_difference(there[i], *other->second, relative_tolerance);
    others.erase(other);
    ++(difference ? result.different : result.equal);
    if (!difference || result.different > shown_differences) continue;
    result.text += fmt::format("task {} ({}): {}\n", i,
                               base::printable(plan.label(plan.task(static_cast<std::int64_t>(i)))),
                               base::printable(*difference));
  }
  result.only_here = std::ssize(others);
  const std::int64_t hidden = result.different - shown_differences;
  if (hidden > 0) result.text += fmt::format("... and {} more tasks that differ\n", hidden);
  return result;
}

}  // namespace fairfront::drivers
