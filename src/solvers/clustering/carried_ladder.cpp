#include "solvers/clustering/carried_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/near_clusters.hpp"

namespace fairfront::clustering {

using base::at;
using solvers::Request;

template <class Label>
CarriedLadder<Label>::CarriedLadder(const Crew& crew, const Problem& problem,
                                    const BalanceLadderOptions& options,
                                    const SettleRules& settle_rules,
                                    std::span<const CarriedClustering> rules,
                                    const solvers::Control& control, std::function<void()> save)
    : crew_{crew},
      problem_{problem},
      options_{options},
      settle_rules_{settle_rules},
      rules_{rules},
      control_{control},
      save_{std::move(save)},
      heart_{control},
      search_{problem, [this] { obey_within_round(); }, Outlook::nearby},
      boxes_{problem, options.boxes},
      holders_(at(options.boxes)) {}

template <class Label>
void CarriedLadder<Label>::run() {
  done_ = std::stoll(crew_.of_root(std::to_string(trails_.size())));
  while (done_ < std::ssize(rules_)) {
    obey();
    round();
  }
}

/// Does what the most demanding rank wants. Collective.
template <class Label>
void CarriedLadder<Label>::obey() {
  const Request wanted = crew_.most_demanding(std::max(pending_, control_.wanted()));
  pending_ = Request::go_on;
  if (wanted == Request::go_on) return;
  crew_.work_to_the_end([this] {
    if (crew_.is_root() && save_) save_();
  });
  if (wanted == Request::stop) throw solvers::Interrupted();
}

template <class Label>
void CarriedLadder<Label>::obey_within_round() {
  pending_ = std::max(pending_, heart_.ask());
  if (pending_ == Request::stop) throw solvers::Interrupted();
}

/// Ranks wait for the last one at the end of a round, so each carries several rules in it; but a
/// stop costs them all, and in many clusters one takes long.
template <class Label>
std::int64_t CarriedLadder<Label>::rules_of_rank() const {
  return crew_.size() == 1 || NearClusters::are_of_use(problem_) ? 1 : 4;
}

/// Numbers of the rules that a rank carries in this round, which ends before `end`.
template <class Label>
std::vector<std::int64_t> CarriedLadder<Label>::share_of(int rank, std::int64_t end) const {
  std::vector<std::int64_t> share;
  for (std::int64_t i = done_ + rank; i < end; i += crew_.size()) share.push_back(i);
  return share;
}

/// Collective.
template <class Label>
void CarriedLadder<Label>::round() {
  const std::int64_t end = std::min(done_ + rules_of_rank() * crew_.size(), std::ssize(rules_));
  std::vector<Trail> mine;
  const bool all = crew_.work([&] {
    for (const std::int64_t i : share_of(crew_.rank(), end)) mine.push_back(carry(at(i)));
  });
  if (!all) return obey();  // a round that was cut short leaves nothing
  std::string text;
  crew_.work_to_the_end([&] {
    solvers::Packer packer;
    if (!crew_.is_root()) {
      for (const Trail& trail : mine) trail.pack(packer);
    }
    text = packer.take();
  });
  std::vector<std::string> texts = crew_.gather(std::move(text));
  crew_.work_to_the_end([&] {
    if (crew_.is_root()) add_all(std::move(mine), texts, end);
  });
  done_ = end;
}

/// Trails of a round, in the order of the rules.
/// @param texts  by rank; that of rank 0 is empty.
template <class Label>
void CarriedLadder<Label>::add_all(std::vector<Trail> mine, std::vector<std::string>& texts,
                                   std::int64_t end) {
  std::vector<Trail> all(at(end - done_));
  for (int rank = 0; rank < crew_.size(); ++rank) {
    solvers::Unpacker unpacker(texts[at(rank)]);
    std::size_t next = 0;
    for (const std::int64_t i : share_of(rank, end)) {
      all[at(i - done_)] = rank == 0 ? std::move(mine[next++]) : Trail::unpack(unpacker);
    }
    texts[at(rank)] = {};
  }
  for (Trail& trail : all) add(std::move(trail));
}

/// A clustering of the sample on all points, brought to its floor and improved there; then on to
/// the next one's floor, for what lies between.
template <class Label>
ClusteringTrail<Label> CarriedLadder<Label>::carry(std::size_t number) {
  const auto obey = [this] { obey_within_round(); };
  Trail trail;
  auto by_rule = labels_by_rule<Label>(problem_, rules_[number], obey);
  const std::int64_t searched_before = search_.comparisons();
  trail.labels = std::move(by_rule.labels);
  search_.assign(trail.labels);
  search_.log_changes(&trail.changes);
  BoxFront wanted(problem_, options_.boxes);
  std::vector<typename Trail::Mark> marks(at(options_.boxes));
  const auto seen = [&](const Partition<Label>& partition) {
    const double cost = partition.cost(problem_);
    const double balance = partition.bottleneck().balance.value();
    const auto box = wanted.offer(cost, balance);
    if (box) marks[*box] = {cost, balance, trail.changes.size()};
  };
  if (settle(problem_, search_, rules_[number].floor, settle_rules_, seen)) {
    const bool last = number + 1 == rules_.size();
    repair(search_, last ? problem_.balance_bound() : rules_[number + 1].floor, settle_rules_,
           seen);
  }
  search_.log_changes(nullptr);
  trail.comparisons = by_rule.comparisons + search_.comparisons() - searched_before;
  for (const std::size_t box : wanted.nondominated()) trail.marks.push_back(marks[box]);
  std::ranges::sort(trail.marks, {}, &Trail::Mark::changes);
  trail.end_at_last_mark();
  return trail;
}

template <class Label>
void CarriedLadder<Label>::add(Trail trail) {
  for (std::size_t mark = 0; mark < trail.marks.size(); ++mark) {
    const auto box = boxes_.offer(trail.marks[mark].cost, trail.marks[mark].balance);
    if (box) holders_[*box] = {trails_.size(), mark};
  }
  trails_.push_back(std::move(trail));
  const std::int64_t done = std::ssize(trails_);
  trace_.push_back({done, done, boxes_.hypervolume()});
  solvers::Progress now = solvers::progress(
      "step", done, std::ssize(rules_), fmt::format("hypervolume {:.6g}", boxes_.hypervolume()));
  now.label_bytes = label_bytes(problem_, boxes_.nondominated().size(), sizeof(Label));
  control_.tell(now);
}

template <class Label>
void CarriedLadder<Label>::pack(solvers::Packer& packer) const {
  packer.number(static_cast<std::uint64_t>(trails_.size()));
  for (const Trail& trail : trails_) trail.pack(packer);
}

template <class Label>
void CarriedLadder<Label>::restore(solvers::Unpacker& unpacker) {
  const auto count = unpacker.number<std::uint64_t>();
  if (count > rules_.size()) {
    throw base::CheckpointError("a checkpoint is of another problem or other options");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    Trail trail = Trail::unpack(unpacker);
    if (!trail.fits(problem_)) {
      throw base::CheckpointError("a checkpoint's labels are of another problem");
    }
    add(std::move(trail));
  }
}

template <class Label>
BalanceLadderResult CarriedLadder<Label>::so_far() const {
  BalanceLadderResult result;
  result.trace = trace_;
  result.floors_tried = std::ssize(trails_);
  for (const Trail& trail : trails_) result.comparisons += trail.comparisons;
  return result;
}

template <class Label>
void CarriedLadder<Label>::take_all(
    const std::function<void(double, double, std::span<const Label>)>& use) {
  std::vector<std::vector<std::size_t>> places(trails_.size());
  for (const std::size_t box : boxes_.nondominated()) {
    places[holders_[box].trail].push_back(holders_[box].mark);
  }
  for (std::size_t i = 0; i < trails_.size(); ++i) {
    std::ranges::sort(places[i]);
    const auto& marks = trails_[i].marks;
    trails_[i].replay(places[i], [&](std::size_t place, std::span<const Label> labels) {
      use(marks[place].cost, marks[place].balance, labels);
    });
    trails_[i] = {};  // for what comes of it
  }
}

template <class Label>
ClusteringFront CarriedLadder<Label>::take_front() {
  std::vector<Clustering> all;
  take_all([&](double cost, double balance, std::span<const Label> labels) {
    all.push_back({cost, balance, labels_by_row(problem_, labels)});
  });
  return front_of(problem_, std::move(all));
}

template class CarriedLadder<std::uint8_t>;
template class CarriedLadder<std::uint16_t>;

}  // namespace fairfront::clustering
