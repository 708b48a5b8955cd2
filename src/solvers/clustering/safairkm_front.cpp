#include "solvers/clustering/safairkm_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "base/error.hpp"
#include "parallel/agree.hpp"
#include "parallel/exchange.hpp"
#include "parallel/reduce_front.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/clustering/authors_rules.hpp"
#include "solvers/clustering/ownership.hpp"

namespace fairfront::clustering {
namespace {

/// Share by which the busiest rank may exceed its fair part before entries change hands.
constexpr double imbalance_tolerance = 0.02;

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

/// One rank's part of a run. The list itself (objectives, origins, owners) is the same on every
/// rank; the clusterings behind it are held by their owners alone.
template <class Label>
class ListRun {
 public:
  ListRun(const parallel::Comm& team, const Problem& problem, const SafairFrontOptions& options,
          std::uint64_t seed, const std::string& task_key)
      : team_{team},
        problem_{problem},
        options_{options},
        blocks_{problem},
        stepper_{problem, blocks_, options.step},
        start_key_{seed, task_key, "safairkm_front/start"},
        step_key_{seed, task_key, "safairkm_front/step"},
        objectives_{static_cast<std::size_t>(problem.objectives())},
        list_{objectives_},
        front_{objectives_},
        child_points_{objectives_} {}

  SafairFrontResult run(const FrontControl& control);

 private:
  using Entry = Solution<Label>;
  using EntryPointer = std::unique_ptr<Entry>;

  /// A candidate that may enter the list: its changes against its parent.
  struct Child {
    std::int64_t candidate;
    std::size_t first_change;
    std::size_t end_change;
    std::size_t centres;  ///< start in child_centres_, running centres only
  };

  void make_start_list();
  void restore(const FrontState* state);
  [[nodiscard]] FrontState save_state();
  [[nodiscard]] RunWish agree_on_wish(const FrontControl& control) const;
  void advance_owned(std::int64_t iteration);
  void try_candidate(std::size_t position, std::int64_t candidate, Effort effort,
                     std::int64_t iteration, std::int64_t batch);
  [[nodiscard]] pareto::Points next_list();
  void adopt(const pareto::Points& next, std::int64_t iteration);
  EntryPointer make_child(std::int64_t candidate);
  EntryPointer spare_entry();
  void even_out();
  void pack(const Entry& entry, std::vector<std::byte>& bytes) const;
  void unpack(Entry& entry, const std::vector<std::byte>& bytes) const;
  void record(std::int64_t iteration, const FrontObserver& observer);
  void finish();
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(
      const std::vector<std::size_t>& positions, bool with_centres);
  void keep_labels();

  [[nodiscard]] bool owned(std::size_t position) const { return owner_[position] == team_.rank(); }
  [[nodiscard]] bool running() const { return options_.step.centres == CentreRule::running; }
  [[nodiscard]] std::int64_t steps_per_entry() const {
    return std::ssize(options_.pairs) * options_.replicas;
  }

  const parallel::Comm& team_;
  const Problem& problem_;
  const SafairFrontOptions& options_;
  Blocks blocks_;
  Stepper<Label> stepper_;
  base::StreamKey start_key_;
  base::StreamKey step_key_;
  parallel::FrontMerge merge_operation_;

  std::size_t objectives_;             ///< m
  pareto::Points list_;                ///< (cost, -balances) of every entry
  pareto::Front front_;                ///< the nondominated part of the list
  std::vector<int> owner_;             ///< rank of every entry
  std::vector<EntryPointer> entries_;  ///< null where another rank is the owner
  std::vector<EntryPointer> spare_;    ///< entries that left the list, to be used again

  pareto::Points child_points_;
  std::vector<Child> children_;  ///< ascending by candidate
  std::vector<typename Stepper<Label>::Change> child_changes_;
  std::vector<double> child_centres_;

  SafairFrontResult result_;
};

template <class Label>
SafairFrontResult ListRun<Label>::run(const FrontControl& control) {
  if (parallel::all_reduce_max(team_, control.resume != nullptr ? 1 : 0) > 0) {
    restore(control.resume);
  } else {
    make_start_list();
    record(0, control.observer);
  }
  for (std::int64_t t = std::ssize(result_.trace) - 1; t < options_.iterations; ++t) {
    if (options_.stop_at_budget && std::ssize(owner_) >= options_.list_budget) {
      result_.stop = FrontStop::budget_reached;
      break;
    }
    if (const RunWish wish = agree_on_wish(control); wish != RunWish::go_on) {
      const FrontState state = save_state();
      parallel::agree(team_, "", [&] {
        if (team_.is_root() && control.save) control.save(state);
      });
      if (wish == RunWish::stop) {
        result_.stop = FrontStop::interrupted;
        return std::move(result_);
      }
    }
    advance_owned(t);
    adopt(next_list(), t + 1);
    even_out();
    record(t + 1, control.observer);
  }
  finish();
  return std::move(result_);
}

/// What the most demanding rank wants. Collective.
template <class Label>
RunWish ListRun<Label>::agree_on_wish(const FrontControl& control) const {
  const auto mine = static_cast<int>(control.wish ? control.wish() : RunWish::go_on);
  return static_cast<RunWish>(parallel::all_reduce_max(team_, mine));
}

template <class Label>
void ListRun<Label>::make_start_list() {
  std::vector<EntryPointer> mine;
  const auto ranks = std::int64_t{team_.size()};
  for (std::int64_t i = team_.rank(); i < options_.starts; i += ranks) {
    base::Stream stream(start_key_, static_cast<std::uint64_t>(i));
    const std::vector<Label> labels =
        i < options_.starts / 2 ? random_labels<Label>(problem_, options_.random_start, stream)
                                : kmeans_plus_plus_labels<Label>(problem_, stream);
    auto entry = std::make_unique<Entry>(problem_, blocks_);
    entry->partition.assign(problem_, blocks_, labels);
    entry->set_exact_centres(problem_);
    child_points_.add(entry->partition.objectives(problem_), make_origin(0, i));
    mine.push_back(std::move(entry));
  }
  list_ = next_list();
  front_ = pareto::Front(list_);
  for (const std::uint64_t origin : list_.origins()) {
    const std::int64_t i = origin_candidate(origin);
    owner_.push_back(static_cast<int>(i % ranks));
    entries_.push_back(owner_.back() == team_.rank()
                           ? std::move(mine[static_cast<std::size_t>(i / ranks)])
                           : nullptr);
  }
  even_out();
}

template <class Label>
void ListRun<Label>::advance_owned(std::int64_t iteration) {
  child_points_.clear();
  children_.clear();
  child_changes_.clear();
  child_centres_.clear();
  const std::int64_t batch = swap_batch(options_.step, iteration, problem_.points());
  for (std::size_t position = 0; position < entries_.size(); ++position) {
    if (!owned(position)) continue;
    std::int64_t candidate = static_cast<std::int64_t>(position) * steps_per_entry();
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
  Entry& parent = *entries_[position];
  base::Stream stream(step_key_, make_origin(iteration, candidate));
  stepper_.advance(parent.partition, parent.centres, effort, batch, stream);
  ++result_.candidates;
  const auto& changes = stepper_.changes();
  if (changes.empty() && !running()) return;  // the parent itself
  const std::vector<double> point = parent.partition.objectives(problem_);
  if (options_.filter == ListFilter::authors || !front_.covers(point)) {
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
    pareto::Points all = concatenate(list_, parallel::all_gather(team_, child_points_));
    all = pick(all, authors_clear(all));
    return pick(all, authors_thin(all, options_.dense_threshold));
  }
  const pareto::Front merged = merge(
      front_, parallel::merge_nondominated(team_, merge_operation_, pareto::Front(child_points_)));
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
  std::vector<EntryPointer> entries(next.size());
  std::vector<std::size_t> stays_from(next.size());
  std::size_t old = 0;  // those that stay keep their order
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::uint64_t origin = next.origin(i);
    if (origin_iteration(origin) == iteration) {
      const std::int64_t candidate = origin_candidate(origin);
      owner.push_back(owner_[static_cast<std::size_t>(candidate / steps_per_entry())]);
      if (owner.back() == team_.rank()) entries[i] = make_child(candidate);
    } else {
      while (list_.origin(old) != origin) ++old;
      owner.push_back(owner_[old]);
      stays_from[i] = old;
    }
  }
  for (std::size_t i = 0; i < next.size(); ++i) {  // only now: parents were needed until here
    if (origin_iteration(next.origin(i)) != iteration) entries[i].swap(entries_[stays_from[i]]);
  }
  for (EntryPointer& left : entries_) {
    if (left) spare_.push_back(std::move(left));
  }
  entries_ = std::move(entries);
  owner_ = std::move(owner);
  list_ = next;
  front_ = pareto::Front(list_);
}

template <class Label>
typename ListRun<Label>::EntryPointer ListRun<Label>::make_child(std::int64_t candidate) {
  const auto child = std::ranges::lower_bound(children_, candidate, {}, &Child::candidate);
  const Entry& parent = *entries_[static_cast<std::size_t>(candidate / steps_per_entry())];
  EntryPointer entry = spare_entry();
  *entry = parent;
  for (std::size_t i = child->first_change; i < child->end_change; ++i) {
    entry->partition.relabel(problem_, blocks_, child_changes_[i].point, child_changes_[i].to);
  }
  if (running()) {
    std::copy_n(child_centres_.begin() + static_cast<std::ptrdiff_t>(child->centres),
                entry->centres.values().size(), entry->centres.values().begin());
  } else {
    entry->set_exact_centres(problem_);
  }
  return entry;
}

template <class Label>
typename ListRun<Label>::EntryPointer ListRun<Label>::spare_entry() {
  if (spare_.empty()) return std::make_unique<Entry>(problem_, blocks_);
  EntryPointer entry = std::move(spare_.back());
  spare_.pop_back();
  return entry;
}

template <class Label>
void ListRun<Label>::pack(const Entry& entry, std::vector<std::byte>& bytes) const {
  const std::size_t length = Partition<Label>::bytes(problem_, blocks_);
  const auto centres = std::as_bytes(std::span{entry.centres.values()});
  bytes.resize(length + centres.size());
  entry.partition.pack(bytes.data());
  std::ranges::copy(centres, bytes.begin() + static_cast<std::ptrdiff_t>(length));
}

template <class Label>
void ListRun<Label>::unpack(Entry& entry, const std::vector<std::byte>& bytes) const {
  entry.partition.unpack(bytes.data());
  const std::span centres = std::as_writable_bytes(std::span{entry.centres.values()});
  std::copy_n(bytes.end() - static_cast<std::ptrdiff_t>(centres.size()), centres.size(),
              centres.begin());
}

/// Hands entries over until every rank has its fair part. Collective when there is something to
/// hand over, which every rank sees alike.
template <class Label>
void ListRun<Label>::even_out() {
  const std::vector<Handover> handovers = rebalance(owner_, team_.size(), imbalance_tolerance);
  if (handovers.empty()) return;
  std::vector<std::vector<std::byte>> buffers(handovers.size());
  parallel::Exchange exchange(team_);
  for (std::size_t i = 0; i < handovers.size(); ++i) {
    const Handover& handover = handovers[i];
    EntryPointer& entry = entries_[handover.position];
    if (handover.from == team_.rank()) {
      pack(*entry, buffers[i]);
      spare_.push_back(std::move(entry));
      exchange.send(handover.to, buffers[i]);
    } else if (handover.to == team_.rank()) {
      entry = spare_entry();
      pack(*entry, buffers[i]);  // for the length
      exchange.receive(handover.from, buffers[i]);
    }
    owner_[handover.position] = handover.to;
  }
  exchange.finish();
  for (std::size_t i = 0; i < handovers.size(); ++i) {
    if (handovers[i].to == team_.rank()) unpack(*entries_[handovers[i].position], buffers[i]);
  }
  result_.rebalanced += std::ssize(handovers);
}

template <class Label>
void ListRun<Label>::record(std::int64_t iteration, const FrontObserver& observer) {
  result_.trace.push_back(
      {iteration, std::ssize(owner_), pareto::hypervolume(front_, problem_.reference())});
  if (observer) observer(result_.trace.back());
}

template <class Label>
void ListRun<Label>::finish() {
  for (std::size_t i = 0; i < front_.size(); ++i) {
    result_.points.push_back(front_[i][0]);
    for (const double negated : front_[i].subspan(1)) result_.points.push_back(0.0 - negated);
  }
  result_.reference_cost = problem_.total_variance();
  result_.hypervolume = result_.trace.back().hypervolume;
  result_.list_length = std::ssize(owner_);
  result_.candidates = parallel::all_reduce_sum(team_, result_.candidates);
  keep_labels();
}

/// The labels of some entries, and with them their centres, on rank 0. Collective.
template <class Label>
std::vector<std::vector<std::byte>> ListRun<Label>::gather(
    const std::vector<std::size_t>& positions, bool with_centres) {
  const std::size_t labels = static_cast<std::size_t>(problem_.points()) * sizeof(Label);
  const std::size_t centres =
      with_centres ? stepper_.centres().values().size() * sizeof(double) : 0;
  std::vector<std::vector<std::byte>> buffers(positions.size());
  parallel::Exchange exchange(team_);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool mine = owned(positions[i]);
    if (!mine && !team_.is_root()) continue;
    buffers[i].resize(labels + centres);
    if (mine) {
      const Entry& entry = *entries_[positions[i]];
      std::memcpy(buffers[i].data(), entry.partition.labels().data(), labels);
      if (with_centres)
        std::memcpy(buffers[i].data() + labels, entry.centres.values().data(), centres);
      if (!team_.is_root()) exchange.send(0, buffers[i]);
    } else {
      exchange.receive(owner_[positions[i]], buffers[i]);
    }
  }
  exchange.finish();
  return buffers;
}

/// The labels of the front's members in the order of the data set's rows. Collective.
template <class Label>
void ListRun<Label>::keep_labels() {
  std::unordered_map<std::uint64_t, std::size_t> position_of;
  for (std::size_t i = 0; i < list_.size(); ++i) position_of.emplace(list_.origin(i), i);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < front_.size(); ++i) {
    positions.push_back(position_of.at(front_.origin(i)));
  }
  std::vector<std::vector<std::byte>> gathered = gather(positions, false);
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
  std::vector<std::size_t> positions(owner_.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  const std::vector<std::vector<std::byte>> gathered = gather(positions, running());
  FrontState state;
  state.candidates = parallel::all_reduce_sum(team_, result_.candidates);
  if (!team_.is_root()) return state;
  state.iteration = std::ssize(result_.trace) - 1;
  state.list = list_;
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
void ListRun<Label>::restore(const FrontState* state) {
  const FrontState all =
      unpack_state(parallel::broadcast(team_, 0, team_.is_root() ? pack_state(*state) : ""));
  const std::size_t bytes = static_cast<std::size_t>(problem_.points()) * sizeof(Label);
  if (all.list.objectives() != objectives_) {
    throw base::InputError("a checkpoint is of another problem");
  }
  list_ = all.list;
  front_ = pareto::Front(list_);
  result_.trace = all.trace;
  result_.hypervolume_lost = all.hypervolume_lost;
  if (team_.is_root()) result_.candidates = all.candidates;
  std::vector<Label> labels(static_cast<std::size_t>(problem_.points()));
  for (std::size_t i = 0; i < list_.size(); ++i) {
    owner_.push_back(static_cast<int>(i % static_cast<std::size_t>(team_.size())));
    entries_.push_back(nullptr);
    if (all.labels[i].size() != bytes) throw base::InputError("a checkpoint is of another problem");
    if (!owned(i)) continue;
    entries_[i] = std::make_unique<Entry>(problem_, blocks_);
    std::memcpy(labels.data(), all.labels[i].data(), bytes);
    entries_[i]->partition.assign(problem_, blocks_, labels);
    entries_[i]->set_exact_centres(problem_);
    if (running()) entries_[i]->centres.values() = all.centres.at(i);
  }
}

}  // namespace

SafairFrontResult safairkm_front(const parallel::Comm& team, const Problem& problem,
                                 const SafairFrontOptions& options, std::uint64_t seed,
                                 const std::string& task_key, const FrontControl& control) {
  validate_for(problem, options);
  return with_label_type(problem, [&]<class Label>(Label) {
    return ListRun<Label>(team, problem, options, seed, task_key).run(control);
  });
}

double safairkm_front_bytes(const Problem& problem, const SafairFrontOptions& options,
                            std::int64_t ranks) {
  const Blocks blocks(problem);
  const std::size_t entry = problem.clusters() <= 256
                                ? Partition<std::uint8_t>::bytes(problem, blocks)
                                : Partition<std::uint16_t>::bytes(problem, blocks);
  // While an iteration is adopted, the old and the new list stand side by side; the root also
  // gathers the labels of the whole front at the end.
  const double owned = static_cast<double>(options.list_budget) / static_cast<double>(ranks);
  const double lists = 2 * owned * static_cast<double>(entry);
  const double gathered = static_cast<double>(options.list_budget * problem.points()) *
                          (problem.clusters() <= 256 ? 1 : 2);
  return lists + gathered + 2 * problem_bytes(problem);
}

}  // namespace fairfront::clustering
