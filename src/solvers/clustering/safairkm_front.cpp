#include "solvers/clustering/safairkm_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "parallel/reduce_front.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/clustering/authors_rules.hpp"
#include "solvers/clustering/entry_list.hpp"
#include "solvers/clustering/list_clock.hpp"
#include "solvers/clustering/list_starts.hpp"

namespace fairfront::clustering {
namespace {

/// Says when a point was made: iteration (0: start list) and number of the candidate in it.
std::uint64_t make_origin(std::int64_t iteration, std::int64_t candidate) {
  return static_cast<std::uint64_t>(iteration) << 32 | static_cast<std::uint64_t>(candidate);
}
std::int64_t origin_iteration(std::uint64_t origin) {
  return static_cast<std::int64_t>(origin >> 32);
}
std::int64_t origin_candidate(std::uint64_t origin) {
  return static_cast<std::int64_t>(origin & 0xffffffffULL);
}

pareto::Points concatenate(const pareto::Points& a, const pareto::Points& b) {
  pareto::Points result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result.add(b[i], b.origin(i));
  return result;
}

pareto::Points pick(const pareto::Points& points, const std::vector<std::size_t>& positions) {
  pareto::Points result(points.objectives());
  for (const std::size_t i : positions) result.add(points[i], points.origin(i));
  return result;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One rank's part of a run.
template <class Label>
class ListRun {
 public:
  ListRun(const parallel::Comm& team, const Problem& problem, const SafairFrontOptions& options,
          std::uint64_t seed, const std::string& task_key, const solvers::Control& control)
      : team_{team},
        problem_{problem},
        options_{options},
        control_{control},
        heart_{control},
        stepper_{problem, options.step, [this] { look(); }},
        start_key_{seed, task_key, "safairkm_front/start"},
        step_key_{seed, task_key, "safairkm_front/step"},
        list_{team, problem},
        child_points_{static_cast<std::size_t>(problem.objectives())},
        clock_{[this](std::int64_t iteration) {
          return work_of_entry(
              options_, {problem_.points(), problem_.clusters(), problem_.groups()}, iteration);
        }},
        clocked_{wall_seconds()} {}

  SafairFrontResult run();

 private:
  using Entry = typename EntryList<Label>::Entry;
  using EntryPointer = typename EntryList<Label>::EntryPointer;

  /// A candidate that may enter the list: its changes against its parent.
  struct Child {
    std::int64_t candidate;
    std::size_t first_change;
    std::size_t end_change;
    std::size_t centres;  ///< start in child_centres_, running centres only
  };

  bool make_starts(std::int64_t end, std::vector<EntryPointer>& mine);
  void make_start_list();
  void restore();
  void take_up(const FrontState& state);
  void require_consistent(const pareto::Points& list) const;
  [[nodiscard]] EntryPointer entry_of(const FrontState& state, std::size_t position) const;
  [[nodiscard]] FrontState save_state();
  void obey();
  void look();
  [[nodiscard]] bool work(const std::function<void()>& local);
  void advance_owned(std::int64_t iteration);
  void try_candidate(std::size_t position, std::int64_t candidate, Effort effort,
                     std::int64_t iteration, std::int64_t batch);
  [[nodiscard]] pareto::Points next_list();
  void adopt(const pareto::Points& next, std::int64_t iteration);
  void become_child(Entry& entry, std::int64_t candidate) const;
  void record(std::int64_t iteration);
  void finish();
  void keep_labels();

  [[nodiscard]] bool running() const { return options_.step.centres == CentreRule::running; }
  [[nodiscard]] ListStarts starts() const { return {options_.starts, options_.random_start}; }
  [[nodiscard]] std::int64_t steps_per_entry() const {
    return std::ssize(options_.pairs) * options_.replicas;
  }
  /// The place in the list of the entry that a candidate comes from.
  [[nodiscard]] std::size_t parent_of(std::int64_t candidate) const {
    return static_cast<std::size_t>(candidate / steps_per_entry());
  }

  const parallel::Comm& team_;
  const Problem& problem_;
  const SafairFrontOptions& options_;
  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  solvers::Request pending_ = solvers::Request::go_on;  ///< what was wanted between iterations
  Stepper<Label> stepper_;
  base::StreamKey start_key_;
  base::StreamKey step_key_;

  EntryList<Label> list_;

  pareto::Points child_points_;
  std::vector<Child> children_;  ///< ascending by candidate
  std::vector<typename Stepper<Label>::Change> child_changes_;
  std::vector<double> child_centres_;

  ListClock clock_;
  double clocked_;    ///< after the last iteration
  double share_ = 0;  ///< of the time of all iterations, as told last
  SafairFrontResult result_;
};

template <class Label>
SafairFrontResult ListRun<Label>::run() {
  if (parallel::all_reduce_max(team_, control_.resume ? 1 : 0) > 0) {
    restore();
  } else {
    make_start_list();
    record(0);
  }
  for (std::int64_t t = std::ssize(result_.trace) - 1; t < options_.iterations; ++t) {
    if (options_.stop_at_budget &&
        static_cast<std::int64_t>(list_.size()) >= options_.list_budget) {
      result_.stop = FrontStop::budget_reached;
      break;
    }
    obey();
    const std::int64_t candidates = result_.candidates;
    const std::int64_t comparisons = result_.comparisons;
    if (!work([&] { advance_owned(t); })) {  // parents are as they were: the state is that before
      result_.candidates = candidates;
      result_.comparisons = comparisons;
      obey();
    }
    adopt(next_list(), t + 1);
    result_.rebalanced += list_.even_out();
    record(t + 1);
  }
  finish();
  return std::move(result_);
}

/// Does what the most demanding rank wants. Collective.
template <class Label>
void ListRun<Label>::obey() {
  using solvers::Request;
  const auto mine = static_cast<int>(std::max(pending_, control_.wanted()));
  pending_ = solvers::Request::go_on;
  const auto wanted = static_cast<Request>(parallel::all_reduce_max(team_, mine));
  if (wanted == Request::go_on) return;
  const FrontState state = save_state();
  parallel::agree(team_, "", [&] {
    if (team_.is_root() && control_.save) control_.save(pack_state(state));
  });
  if (wanted == Request::stop) throw solvers::Interrupted();
}

/// A look at the caller within an iteration. @throws solvers::Interrupted  for work() alone.
template <class Label>
void ListRun<Label>::look() {
  pending_ = std::max(pending_, heart_.ask());
  if (pending_ == solvers::Request::stop) throw solvers::Interrupted();
}

/// Does this rank's part of something that look() may end.
/// @return whether it was done on every rank. Collective.
template <class Label>
bool ListRun<Label>::work(const std::function<void()>& local) {
  bool ended = false;
  try {
    local();
  } catch (const solvers::Interrupted&) {
    ended = true;
  }
  return parallel::all_reduce_max(team_, ended ? 1 : 0) == 0;
}

/// Makes this rank's share of the starts from the one after the last of `mine` to number `end`.
/// @return whether one of them is balanced, on any rank. Collective.
template <class Label>
bool ListRun<Label>::make_starts(std::int64_t end, std::vector<EntryPointer>& mine) {
  bool balanced = false;
  const bool done = work([&] {
    for (;;) {
      const std::int64_t i = team_.rank() + std::ssize(mine) * team_.size();
      if (i >= end) return;
      base::Stream stream(start_key_, static_cast<std::uint64_t>(i));
      auto& entry = mine.emplace_back(std::make_unique<Entry>(problem_));
      const auto start = list_start<Label>(problem_, starts(), i, stream, [this] { look(); });
      result_.comparisons += start.comparisons;
      entry->partition.assign(problem_, start.labels);
      entry->set_exact_centres(problem_);
      const std::vector<double> point = entry->partition.objectives(problem_);
      balanced = balanced || std::all_of(point.begin() + 1, point.end(),
                                         [](double negated) { return negated < 0; });
      child_points_.add(point, make_origin(0, i));
    }
  });
  if (!done) throw solvers::Interrupted();  // there is no state yet
  return parallel::all_reduce_max(team_, balanced ? 1 : 0) > 0;
}

template <class Label>
void ListRun<Label>::make_start_list() {
  std::vector<EntryPointer> mine;
  const auto ranks = std::int64_t{team_.size()};
  // Without a balance above 0 the list would be the cheapest clustering alone, for good: no single
  // step balances all clusters at once.
  if (!make_starts(starts().count, mine) && can_be_balanced(problem_)) {
    make_starts(starts().count + starts().balanced(), mine);
  }
  pareto::Points list = next_list();
  std::vector<int> owner;
  std::vector<EntryPointer> entries;
  for (const std::uint64_t origin : list.origins()) {
    const std::int64_t i = origin_candidate(origin);
    owner.push_back(static_cast<int>(i % ranks));
    entries.push_back(owner.back() == team_.rank()
                          ? std::move(mine[static_cast<std::size_t>(i / ranks)])
                          : nullptr);
  }
  list_.replace(std::move(list), std::move(owner), std::move(entries));
  result_.rebalanced += list_.even_out();
}

template <class Label>
void ListRun<Label>::advance_owned(std::int64_t iteration) {
  child_points_.clear();
  children_.clear();
  child_changes_.clear();
  child_centres_.clear();
  const std::int64_t batch = swap_batch(options_.step, iteration, problem_.points());
  for (std::size_t position = 0; position < list_.size(); ++position) {
    if (!list_.owned(position)) continue;
    std::int64_t candidate = static_cast<std::int64_t>(position) * steps_per_entry();
    stepper_.share_steps();
    for (const Effort& effort : options_.pairs) {
      for (std::int64_t replica = 0; replica < options_.replicas; ++replica) {
        try_candidate(position, candidate++, effort, iteration, batch);
      }
    }
  }
}

template <class Label>
void ListRun<Label>::try_candidate(std::size_t position, std::int64_t candidate, Effort effort,
                                   std::int64_t iteration, std::int64_t batch) {
  Entry& parent = list_.entry(position);
  const std::int64_t comparisons_before = stepper_.comparisons();
  base::Stream stream(step_key_, make_origin(iteration, candidate));
  try {
    stepper_.advance(parent.partition, parent.centres, effort, batch, stream);
  } catch (const solvers::Interrupted&) {
    stepper_.undo(parent.partition);
    throw;
  }
  ++result_.candidates;
  result_.comparisons += stepper_.comparisons() - comparisons_before;
  const auto& changes = stepper_.changes();
  if (changes.empty() && !running()) return;  // the parent itself
  const std::vector<double> point = parent.partition.objectives(problem_);
  if (options_.filter == ListFilter::authors || !list_.front().covers(point)) {
    child_points_.add(point, make_origin(iteration + 1, candidate));
    children_.push_back({candidate, child_changes_.size(), child_changes_.size() + changes.size(),
                         child_centres_.size()});
    child_changes_.insert(child_changes_.end(), changes.begin(), changes.end());
    if (running()) {
      const std::vector<double>& centres = stepper_.centres().values();
      child_centres_.insert(child_centres_.end(), centres.begin(), centres.end());
    }
  }
  stepper_.undo(parent.partition);
}

/// The list after filter and thinning. Collective.
template <class Label>
pareto::Points ListRun<Label>::next_list() {
  if (options_.filter == ListFilter::authors) {
    pareto::Points all = concatenate(list_.points(), parallel::all_gather(team_, child_points_));
    all = pick(all, authors_clear(all));
    return pick(all, authors_thin(all, options_.dense_threshold));
  }
  const pareto::Front merged =
      merge(list_.front(), parallel::merge_nondominated(team_, pareto::Front(child_points_)));
  if (options_.thinning == ListThinning::authors) {
    return pick(merged.points(), authors_thin(merged.points(), options_.dense_threshold));
  }
  if (std::ssize(merged.points().origins()) <= options_.list_budget) return merged.points();
  const pareto::Thinned thinned =
      pareto::thin(merged, static_cast<std::size_t>(options_.list_budget), problem_.reference());
  result_.hypervolume_lost += thinned.hypervolume_lost;
  return merged.subset(thinned.kept).points();
}

/// Makes `next` the list: owners build the clusterings of new entries and drop those that left.
template <class Label>
void ListRun<Label>::adopt(const pareto::Points& next, std::int64_t iteration) {
  std::vector<int> owner;
  std::vector<std::size_t> from(next.size());  // places in the list: of parents, or their own
  std::vector<std::int64_t> needed_by(list_.size());  // entries that are still to be made from each
  std::size_t old = 0;                                // those that stay keep their order
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::uint64_t origin = next.origin(i);
    if (origin_iteration(origin) == iteration) {
      from[i] = parent_of(origin_candidate(origin));
    } else {
      while (list_.points().origin(old) != origin) ++old;
      from[i] = old;
    }
    owner.push_back(list_.owner(from[i]));
    ++needed_by[from[i]];
  }
  std::vector<EntryPointer> entries(next.size());
  const auto make = [&](std::size_t i, bool is_new) {
    if (owner[i] != team_.rank() || is_new != (origin_iteration(next.origin(i)) == iteration))
      return;
    // The last one takes it over: half of all children replace their parents.
    const bool is_last = --needed_by[from[i]] == 0;
    entries[i] = is_last ? list_.take(from[i]) : list_.make_copy(from[i]);
    if (is_new) become_child(*entries[i], origin_candidate(next.origin(i)));
  };
  for (std::size_t i = 0; i < next.size(); ++i) make(i, true);
  for (std::size_t i = 0; i < next.size(); ++i) make(i, false);
  list_.replace(next, std::move(owner), std::move(entries));
}

/// Makes a candidate of its parent.
template <class Label>
void ListRun<Label>::become_child(Entry& entry, std::int64_t candidate) const {
  const auto child = std::ranges::lower_bound(children_, candidate, {}, &Child::candidate);
  for (std::size_t i = child->first_change; i < child->end_change; ++i) {
    entry.partition.relabel(problem_, child_changes_[i].point, child_changes_[i].to);
  }
  if (running()) {
    std::copy_n(child_centres_.begin() + static_cast<std::ptrdiff_t>(child->centres),
                entry.centres.values().size(), entry.centres.values().begin());
    return;
  }
  for (std::size_t i = child->first_change; i < child->end_change; ++i) {
    entry.partition.mean(problem_, child_changes_[i].from, entry.centres);
    entry.partition.mean(problem_, child_changes_[i].to, entry.centres);
  }
}

template <class Label>
void ListRun<Label>::record(std::int64_t iteration) {
  const double volume = pareto::hypervolume(list_.front(), problem_.reference());
  const double now_clocked = wall_seconds();
  const double seconds = now_clocked - std::exchange(clocked_, now_clocked);
  if (iteration > 0) clock_.count(result_.trace.back().list_length, seconds);
  result_.trace.push_back({iteration, static_cast<std::int64_t>(list_.size()), volume});
  solvers::Progress now = solvers::progress(
      "iteration", iteration, options_.iterations,
      fmt::format("list {}, hypervolume {:.6g}", static_cast<std::int64_t>(list_.size()), volume));
  const ListCourse course{iteration, options_.iterations, std::ssize(list_.points().origins()),
                          options_.list_budget, options_.stop_at_budget};
  now.fraction = share_ = std::max(share_, clock_.share_done(course));
  now.seconds_left = clock_.seconds_left(course);
  now.label_bytes = label_bytes(problem_, list_.size(), sizeof(Label));
  control_.tell(now);
}

template <class Label>
void ListRun<Label>::finish() {
  const pareto::Front& front = list_.front();
  for (std::size_t i = 0; i < front.size(); ++i) {
    result_.points.push_back(front[i][0]);
    for (const double negated : front[i].subspan(1)) result_.points.push_back(0.0 - negated);
  }
  result_.reference_cost = problem_.total_variance();
  result_.hypervolume = result_.trace.back().hypervolume;
  result_.list_length = static_cast<std::int64_t>(list_.size());
  result_.candidates = parallel::all_reduce_sum(team_, result_.candidates);
  result_.comparisons = parallel::all_reduce_sum(team_, result_.comparisons);
  keep_labels();
}

/// The labels of the front's members in the order of the data set's rows. Collective.
template <class Label>
void ListRun<Label>::keep_labels() {
  std::unordered_map<std::uint64_t, std::size_t> position_of;
  for (std::size_t i = 0; i < list_.size(); ++i) position_of.emplace(list_.points().origin(i), i);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < list_.front().size(); ++i) {
    positions.push_back(position_of.at(list_.front().origin(i)));
  }
  std::vector<std::vector<std::byte>> gathered = list_.gather(positions, false);
  if (!team_.is_root()) return;
  std::vector<Label> labels(static_cast<std::size_t>(problem_.points()));
  for (std::vector<std::byte>& bytes : gathered) {
    std::memcpy(labels.data(), bytes.data(), bytes.size());
    bytes = {};  // freed before the next one is made
    result_.labels.emplace_back(labels_by_row<Label>(problem_, labels));
  }
}

/// The state after the last iteration, on rank 0. Collective.
template <class Label>
FrontState ListRun<Label>::save_state() {
  std::vector<std::size_t> positions(list_.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const std::vector<std::vector<std::byte>> gathered = list_.gather(positions, running());
  FrontState state;
  state.candidates = parallel::all_reduce_sum(team_, result_.candidates);
  state.comparisons = parallel::all_reduce_sum(team_, result_.comparisons);
  if (!team_.is_root()) return state;
  state.iteration = std::ssize(result_.trace) - 1;
  state.list = list_.points();
  state.trace = result_.trace;
  state.hypervolume_lost = result_.hypervolume_lost;
  const std::size_t labels = static_cast<std::size_t>(problem_.points()) * sizeof(Label);
  for (const std::vector<std::byte>& bytes : gathered) {
    state.labels.emplace_back(reinterpret_cast<const char*>(bytes.data()), labels);
    if (!running()) continue;
    std::vector<double> centres((bytes.size() - labels) / sizeof(double));
    std::memcpy(centres.data(), bytes.data() + labels, bytes.size() - labels);
    state.centres.push_back(std::move(centres));
  }
  return state;
}

/// Goes on from a state that rank 0 has. Collective.
template <class Label>
void ListRun<Label>::restore() {
  const std::string bytes = parallel::broadcast(team_, 0, control_.resume.value_or(""));
  parallel::agree(team_, "", [&] { take_up(unpack_state(bytes)); });
}

/// Local. @throws base::CheckpointError  the state is not one of this run.
template <class Label>
void ListRun<Label>::take_up(const FrontState& state) {
  check_fits(state, problem_, running());
  result_.trace = state.trace;
  for (std::size_t i = 0; i + 1 < state.trace.size(); ++i) {
    clock_.count_before(state.trace[i].list_length);
  }
  result_.hypervolume_lost = state.hypervolume_lost;
  if (team_.is_root()) {
    result_.candidates = state.candidates;
    result_.comparisons = state.comparisons;
  }
  require_consistent(state.list);
  std::vector<int> owner;
  std::vector<EntryPointer> entries;
  for (std::size_t i = 0; i < state.list.size(); ++i) {
    owner.push_back(static_cast<int>(i % static_cast<std::size_t>(team_.size())));
    entries.push_back(owner.back() == team_.rank() ? entry_of(state, i) : nullptr);
  }
  list_.replace(state.list, std::move(owner), std::move(entries));
}

/// What has been taken up must be what a run of these options can have come to.
template <class Label>
void ListRun<Label>::require_consistent(const pareto::Points& list) const {
  const pareto::Front front(list);
  const std::int64_t iteration = std::ssize(result_.trace) - 1;
  const bool old_enough = std::ranges::all_of(
      list.origins(), [&](std::uint64_t origin) { return origin_iteration(origin) <= iteration; });
  const bool nondominated = options_.filter == ListFilter::authors || front.size() == list.size();
  const bool same_hypervolume =
      result_.trace.back().hypervolume == pareto::hypervolume(front, problem_.reference());
  if (iteration <= options_.iterations && old_enough && nondominated && same_hypervolume) return;
  throw base::CheckpointError("a checkpoint is not of a run with these options");
}

/// @throws base::CheckpointError  the labels do not give the objectives that the list has.
template <class Label>
typename ListRun<Label>::EntryPointer ListRun<Label>::entry_of(const FrontState& state,
                                                               std::size_t position) const {
  std::vector<Label> labels(static_cast<std::size_t>(problem_.points()));
  std::memcpy(labels.data(), state.labels[position].data(), state.labels[position].size());
  auto entry = std::make_unique<Entry>(problem_);
  entry->partition.assign(problem_, labels);
  entry->set_exact_centres(problem_);
  if (running()) entry->centres.values() = state.centres[position];
  if (!std::ranges::equal(entry->partition.objectives(problem_), state.list[position])) {
    throw base::CheckpointError("a checkpoint has other objectives than its labels");
  }
  return entry;
}

}  // namespace

SafairFrontResult safairkm_front(const parallel::Comm& team, const Problem& problem,
                                 const SafairFrontOptions& options, std::uint64_t seed,
                                 const std::string& task_key, const solvers::Control& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return ListRun<Label>(team, problem, options, seed, task_key, control).run();
  });
}

double safairkm_front_bytes(const Problem& problem, const SafairFrontOptions& options,
                            std::int64_t ranks) {
  const std::size_t entry = problem.clusters() <= 256 ? Partition<std::uint8_t>::bytes(problem)
                                                      : Partition<std::uint16_t>::bytes(problem);
  // While an iteration is adopted, the old and the new list stand side by side; the root also
  // gathers the labels of the whole front at the end.
  const double owned = static_cast<double>(options.list_budget) / static_cast<double>(ranks);
  const double lists = 2 * owned * static_cast<double>(entry);
  const double gathered = static_cast<double>(options.list_budget * problem.points()) *
                          (problem.clusters() <= 256 ? 1 : 2);
  return lists + gathered;
}

}  // namespace fairfront::clustering
