#include "sweep/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace fairfront::sweep {
namespace {

constexpr std::size_t window_over_all = 64;  ///< it meets one class after another

void require(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument(message);
}

void check_input(const std::vector<TaskCost>& costs, const std::vector<bool>& finished,
                 const ScheduleOptions& options) {
  require(finished.empty() || finished.size() == costs.size(),
          fmt::format("Schedule: {} tasks, but {} marks of finished ones", costs.size(),
                      finished.size()));
  require(options.safety > 0,
          fmt::format("ScheduleOptions::safety = {}, must be > 0", options.safety));
  require(!std::isnan(options.deadline), "ScheduleOptions::deadline is not a number");
  for (const TaskCost& cost : costs) {
    require(cost.task_class >= 0,
            fmt::format("TaskCost::task_class = {}, must be >= 0", cost.task_class));
    require(cost.unit_cost >= 0 && std::isfinite(cost.unit_cost),
            fmt::format("TaskCost::unit_cost = {}, must be finite and >= 0", cost.unit_cost));
  }
}

}  // namespace

Schedule::Schedule(std::vector<TaskCost> costs, const std::vector<bool>& finished,
                   ScheduleOptions options)
    : costs_{std::move(costs)}, options_{std::move(options)}, begin_{now()} {
  check_input(costs_, finished, options_);
  for (const std::int32_t shared : {unobserved, unobserved_resumable}) {
    pools_[shared].rate = Rate(window_over_all);
  }
  pools_[unobserved_resumable].resumable = true;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (!finished.empty() && finished[i]) continue;
    const auto task = static_cast<std::int64_t>(i);
    Pool& pool = pools_.at(shared_pool_of(costs_[i]));
    pool.entries.insert({costs_[i].unit_cost, task});
    ++waiting_;
    unobserved_tasks_[costs_[i].task_class].push_back(task);
  }
  if (options_.probe) choose_probes();
  if (options_.probe && !options_.comparable) choose_first_of_methods();
  renew_head(unobserved);
  renew_head(unobserved_resumable);
}

void Schedule::choose_probes() {
  constexpr double largest_part = 0.25;
  for (const auto& [task_class, tasks] : unobserved_tasks_) {
    double all = 0;
    std::vector<Entry> shortest;
    for (const std::int64_t task : tasks) {
      const double cost = costs_[static_cast<std::size_t>(task)].unit_cost;
      all += cost;
      if (!(cost > 0) || (!shortest.empty() && cost > shortest.front().unit_cost)) continue;
      if (!shortest.empty() && cost < shortest.front().unit_cost) shortest.clear();
      shortest.push_back({cost, task});
    }
    if (shortest.empty() || shortest.front().unit_cost > largest_part * all) continue;
    // At an end of a list of trade-offs lies what takes less than its work says, as a weight of 0.
    probes_.emplace(task_class, shortest[shortest.size() / 2]);
  }
}

/// Of methods that have no probe. Their longest task: what waits beside it is not held up.
void Schedule::choose_first_of_methods() {
  std::set<std::int32_t> probed;
  for (const auto& [task_class, probe] : probes_) {
    probed.insert(costs_[static_cast<std::size_t>(probe.task)].method);
  }
  for (const auto& [task_class, tasks] : unobserved_tasks_) {
    for (const std::int64_t task : tasks) {
      const TaskCost& cost = costs_[static_cast<std::size_t>(task)];
      if (!(cost.unit_cost > 0) || probed.contains(cost.method)) continue;
      const Entry entry{cost.unit_cost, task};
      const auto [first, is_new] = first_of_methods_.try_emplace(cost.method, entry);
      if (!is_new && entry < first->second) first->second = entry;
    }
  }
}

std::optional<std::int64_t> Schedule::next(const parallel::Finished& finished) {
  record(finished);
  if (stopped_) return std::nullopt;
  if (const auto probe = next_probe(probes_)) return probe;
  if (const auto first = next_probe(first_of_methods_)) return first;
  return longest_that_fits();
}

std::vector<std::int64_t> Schedule::companions(std::int64_t task, std::int64_t teams) {
  constexpr std::int64_t rounds_left = 2;  // so that no team idles beside one that took along
  constexpr auto at_once = static_cast<std::int64_t>(parallel::most_at_once);
  const TaskCost& cost = costs_[static_cast<std::size_t>(task)];
  const auto own = pools_.find(cost.task_class);
  if (cost.loop < 0 || own == pools_.end() || stopped_) return {};
  Pool& pool = own->second;
  const double seconds = static_cast<double>(at_once) * cost.unit_cost * pool.rate.value();
  if (waiting_ < rounds_left * teams * at_once || seconds > most_seconds_abreast ||
      seconds > longest_allowed(pool)) {
    return {};
  }
  const std::vector<Entry> found = alike(pool, cost);
  if (std::ssize(found) + 1 < at_once) return {};
  std::vector<std::int64_t> tasks;
  for (const Entry& entry : found) {
    take(pool, entry);
    tasks.push_back(entry.task);
  }
  renew_head(cost.task_class);
  return tasks;
}

/// The first waiting tasks of the same loop and unit cost, as many as go with one.
std::vector<Schedule::Entry> Schedule::alike(const Pool& pool, const TaskCost& cost) const {
  constexpr int most_looked_at = 256;  // for O(log n): tasks of other loops may lie between them
  std::vector<Entry> found;
  int looked_at = 0;
  for (auto entry = pool.entries.lower_bound({cost.unit_cost, -1});
       entry != pool.entries.end() && entry->unit_cost == cost.unit_cost &&
       found.size() + 1 < parallel::most_at_once && looked_at++ < most_looked_at;
       ++entry) {
    if (costs_[static_cast<std::size_t>(entry->task)].loop == cost.loop) found.push_back(*entry);
  }
  return found;
}

bool Schedule::may_look_ahead(std::int64_t task, std::int64_t teams) const {
  constexpr std::int64_t rounds_left = 4;  // so that no team idles beside a task given ahead
  const TaskCost& cost = costs_[static_cast<std::size_t>(task)];
  const Rate& rate = rate_of(cost.task_class);
  return rate.known() && cost.unit_cost * rate.value() < look_ahead_seconds &&
         waiting_ >= rounds_left * teams;
}

/// Each probe is looked at once, so that all of them together cost O(n log n).
std::optional<std::int64_t> Schedule::next_probe(Probes& probes) {
  while (!probes.empty()) {
    const Entry probe = probes.begin()->second;
    probes.erase(probes.begin());
    const std::int32_t shared = shared_pool_of(costs_[static_cast<std::size_t>(probe.task)]);
    Pool& pool = pools_.at(shared);
    if (probe.unit_cost * pool.rate.value() > longest_allowed(pool)) continue;
    if (!pool.entries.contains(probe)) continue;
    take(pool, probe);
    renew_head(shared);
    return probe.task;
  }
  return std::nullopt;
}

void Schedule::record(const parallel::Finished& finished) {
  if (finished.task < 0 || running_.erase(finished.task) == 0) return;
  if (!finished.failed) observe(finished.task, finished.seconds);
}

void Schedule::observe(std::int64_t task, double seconds) {
  const TaskCost& cost = costs_.at(static_cast<std::size_t>(task));
  const double seconds_per_unit = seconds / cost.unit_cost;
  if (!(cost.unit_cost > 0) || !(seconds >= 0) || !std::isfinite(seconds_per_unit)) return;
  if (!pools_.contains(cost.task_class)) open_pool(cost.task_class);
  // The shared pools first: a head may be one of the tasks that have just left them.
  for (const std::int32_t pool : {unobserved, unobserved_resumable, cost.task_class}) {
    pools_.at(pool).rate.observe(seconds_per_unit);
    renew_head(pool);
  }
}

/// Gives a class its own pool with its waiting tasks. Once per class: O(log n) for each task.
void Schedule::open_pool(std::int32_t task_class) {
  Pool& own = pools_[task_class];
  probes_.erase(task_class);
  const auto tasks = unobserved_tasks_.extract(task_class);
  if (tasks.empty()) return;
  const TaskCost& any = costs_[static_cast<std::size_t>(tasks.mapped().front())];
  first_of_methods_.erase(any.method);
  own.resumable = any.resumable;
  Pool& shared = pools_.at(shared_pool_of(any));
  for (const std::int64_t task : tasks.mapped()) {
    const auto entry =
        shared.entries.extract({costs_[static_cast<std::size_t>(task)].unit_cost, task});
    if (entry.empty()) continue;  // begun already
    own.entries.insert(entry.value());
  }
}

/// Puts the pool's longest task that may be begun now into heads_. A pool whose head has become
/// too long gets a shorter one here, and its longer tasks are seen again when its rate changes.
void Schedule::renew_head(std::int32_t index) {
  Pool& pool = pools_.at(index);
  const double allowed = longest_allowed(pool);
  if (pool.head) heads_.erase(*pool.head);
  pool.head.reset();
  if (allowed < 0) return;
  const double rate = pool.rate.value();
  // Without the loop, a rounded quotient could let a task through that is too long by one bit.
  auto first = std::isfinite(allowed / rate) ? pool.entries.lower_bound({allowed / rate, -1})
                                             : pool.entries.begin();
  while (first != pool.entries.end() && first->unit_cost * rate > allowed) ++first;
  if (first == pool.entries.end()) return;
  pool.head = {first->unit_cost * rate, *first};
  heads_.emplace(*pool.head, index);
}

/// Expected seconds that a task of the pool may have if it begins now; negative: none may be begun.
double Schedule::longest_allowed(const Pool& pool) const {
  constexpr double everything = std::numeric_limits<double>::infinity();
  if (pool.resumable || options_.deadline == everything) return everything;
  const double time = now();
  if (time >= options_.deadline) return -1;
  if (pools_.at(unobserved).rate.known()) return (options_.deadline - time) / options_.safety;
  return 2 * (time - begin_) <= options_.deadline - begin_ ? everything : -1;
}

std::optional<std::int64_t> Schedule::longest_that_fits() {
  while (!heads_.empty()) {
    const auto [head, index] = *heads_.begin();
    Pool& pool = pools_.at(index);
    const bool fits = head.first <= longest_allowed(pool);
    if (fits) take(pool, head.second);
    renew_head(index);
    if (fits) return head.second.task;
  }
  return std::nullopt;
}

void Schedule::take(Pool& pool, const Entry& entry) {
  pool.entries.erase(entry);
  running_.insert(entry.task);
  --waiting_;
}

const Rate& Schedule::rate_of(std::int32_t task_class) const {
  const auto own = pools_.find(task_class);
  return own == pools_.end() ? pools_.at(unobserved).rate : own->second.rate;
}

}  // namespace fairfront::sweep
