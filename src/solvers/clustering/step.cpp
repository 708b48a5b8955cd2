#include "solvers/clustering/step.hpp"

#include <algorithm>
#include <utility>

#include "base/condition.hpp"
#include "base/elementary.hpp"
#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// Listing all members of a pair pays when at least one in so many is drawn; below, each is found
/// by itself. Both give the same points. Rows beyond what caches near a core hold are dear to look
/// up one by one.
std::int64_t members_per_draw(const Problem& problem) {
  constexpr std::int64_t values_nearby = std::int64_t{1} << 17;  // a megabyte
  return problem.points() * problem.columns() > values_nearby ? 16 : 4;
}

/// A batch's points that are assigned between two looks at the caller.
constexpr std::size_t points_between = 32;

/// The first of the nearest of some points.
class Nearest {
 public:
  Nearest(const Problem& problem, std::span<const double> towards)
      : problem_{problem}, towards_{towards} {}

  void offer(std::int64_t point) {
    const double* const x = problem_.point(point);
    double distance = 0;
    for (std::size_t i = 0; i < towards_.size(); ++i) {
      distance += (x[i] - towards_[i]) * (x[i] - towards_[i]);
    }
    if (point_ >= 0 && !(distance < distance_)) return;
    point_ = point;
    distance_ = distance;
  }
  [[nodiscard]] std::int64_t point() const noexcept { return point_; }

 private:
  const Problem& problem_;
  std::span<const double> towards_;
  std::int64_t point_ = -1;
  double distance_ = 0;
};

}  // namespace

void describe(base::OptionTable& table, StepOptions& options) {
  table
      .add_choice("swap_partner", options.target,
                  {{"local", Target::local}, {"global", Target::global}},
                  "With local, the worst cluster swaps with the nearest one; with global, with the "
                  "one that has most of the rare group (the paper's equations 5 and 4).")
      .formerly("swap_partner", "target")
      .add_choice(
          "step_order", options.step_order,
          {{"kmeans_first", StepOrder::kmeans_first}, {"swaps_first", StepOrder::swaps_first}},
          "A step begins with the k-means updates, or with the swaps. The public program has "
          "swaps_first.")
      .add_choice("swap_unit", options.swap_unit,
                  {{"exchange", SwapUnit::exchange}, {"move", SwapUnit::move}},
                  "With exchange, a swap exchanges two points; with move, it moves one, in and out "
                  "in turn. The public program has move.")
      .add_choice("centres", options.centres,
                  {{"exact", CentreRule::exact}, {"running", CentreRule::running}},
                  "Distances are to exact means, or to running averages as in the public program.")
      .add("swap_growth", options.swap_growth, base::between(1.0, 2.0), "",
           "At iteration t a swap chooses the best of floor(b^floor(t/2)) drawn points, b this.");
}

void add_conditions(base::OptionTable& table, base::Condition swaps, base::Condition both) {
  table.only_if({"swap_partner", "swap_unit", "swap_growth"}, std::move(swaps),
                "no step makes swaps");
  table.only_if({"step_order"}, std::move(both), "no step makes both updates and swaps");
}

std::int64_t swap_batch(const StepOptions& options, std::int64_t iteration, std::int64_t points) {
  const double grown = base::pow(options.swap_growth, static_cast<double>(iteration / 2));
  return grown < static_cast<double>(points) ? static_cast<std::int64_t>(grown) : points;
}

template <class Label>
void Solution<Label>::set_exact_centres(const Problem& problem) {
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    partition.mean(problem, k, centres);
  }
}

template <class Label>
Stepper<Label>::Stepper(const Problem& problem, const StepOptions& options,
                        std::function<void()> between)
    : problem_{problem},
      options_{options},
      between_{std::move(between)},
      centres_{problem},
      sampler_{problem.points()},
      lists_{problem},
      members_per_draw_{members_per_draw(problem)},
      weights_(at(problem.clusters())),
      distances_(centres_.padded()) {}

template <class Label>
void Stepper<Label>::advance(Partition<Label>& partition, const Centres& centres, Effort effort,
                             std::int64_t batch, base::Stream& stream) {
  sharing_ = sharing_ && taken_back_;
  if (!sharing_) lists_.clear();
  taken_back_ = false;
  changes_.clear();
  centres_.values() = centres.values();
  auto swaps = [&] {
    if (options_.swap_unit == SwapUnit::exchange) {
      exchanges(partition, effort.swaps, batch, stream);
    } else {
      moves(partition, effort.swaps, batch, stream);
    }
  };
  if (options_.step_order == StepOrder::swaps_first) swaps();
  kmeans_updates(partition, effort.kmeans, stream);
  if (options_.step_order == StepOrder::kmeans_first) swaps();
}

template <class Label>
void Stepper<Label>::share_steps() {
  sharing_ = true;
  taken_back_ = true;
  lists_.clear();
}

template <class Label>
void Stepper<Label>::undo(Partition<Label>& partition) {
  taken_back_ = true;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    partition.relabel(problem_, change->point, change->from);
  }
}

template <class Label>
void Stepper<Label>::relabel(Partition<Label>& partition, std::int64_t point, std::int64_t to) {
  const Label from = partition.label(point);
  if (from == to || partition.size(from) == 1) return;
  partition.relabel(problem_, point, static_cast<Label>(to));
  changes_.push_back({point, from, static_cast<Label>(to)});
}

template <class Label>
void Stepper<Label>::kmeans_updates(Partition<Label>& partition, std::int64_t count,
                                    base::Stream& stream) {
  if (count == 0) return;
  const std::size_t first_change = changes_.size();
  comparisons_ += count * problem_.clusters();
  pulls_.clear();
  const std::span<const std::int64_t> drawn = sampler_.draw(count, stream);
  for (const std::int64_t point : drawn) {  // all are on their way before one is used
    problem_.prefetch(point);
    partition.prefetch(point);
  }
  // Every point is assigned by the centres as they were before the batch.
  nearest_.resize(drawn.size());
  for (std::size_t begin = 0; begin < drawn.size(); begin += points_between) {
    if (between_) between_();
    const std::size_t count = std::min(points_between, drawn.size() - begin);
    centres_.nearest(problem_, drawn.subspan(begin, count), std::span{nearest_}.subspan(begin));
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) pulls_.push_back({drawn[i], nearest_[i]});
  if (options_.centres == CentreRule::running) {
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) weights_[at(k)] = partition.size(k);
    for (const Pull& pull : pulls_) ++weights_[at(pull.cluster)];
    centres_.pull(problem_, pulls_, weights_);
  }
  for (const Pull& pull : pulls_) relabel(partition, pull.point, pull.cluster);
  if (options_.centres == CentreRule::running) return;
  for (std::size_t i = first_change; i < changes_.size(); ++i) {
    partition.mean(problem_, changes_[i].from, centres_);
    partition.mean(problem_, changes_[i].to, centres_);
  }
}

/// The drawn member of cluster and groups that is nearest to the centre of `towards`.
template <class Label>
std::int64_t Stepper<Label>::choose(const Partition<Label>& partition, std::int64_t cluster,
                                    std::span<const std::int64_t> groups, std::int64_t towards,
                                    std::int64_t batch, base::Stream& stream) {
  std::int64_t eligible = 0;
  for (const std::int64_t group : groups) eligible += partition.count(cluster, group);
  const bool take_all = batch >= eligible;
  const std::int64_t draws = take_all ? eligible : batch;
  comparisons_ += draws;
  const auto draw_rank = [&] {
    return std::int64_t{stream.below(static_cast<std::uint32_t>(eligible))};
  };
  // The group that holds the member of that rank, as a place in `groups`, and the rank in it.
  const auto locate = [&](std::int64_t rank) {
    std::size_t place = 0;
    for (; partition.count(cluster, groups[place]) <= rank; ++place) {
      rank -= partition.count(cluster, groups[place]);
    }
    return std::pair{place, rank};
  };
  if (draws == 1) {
    const auto found = locate(take_all ? 0 : draw_rank());
    return partition.member(problem_, cluster, groups[found.first], found.second);
  }
  set_towards(towards);
  if (draws * members_per_draw_ >= eligible) {
    const SwapSide side{cluster, groups, towards, towards_};
    return nearest_listed(lists_.find(partition, side, changes_), draws, take_all, stream);
  }
  drawn_.resize(at(draws));
  stream.fill_below(static_cast<std::uint32_t>(eligible), drawn_);
  partition.find_members(problem_, cluster, groups, index_, drawn_);
  Nearest nearest(problem_, towards_);
  for (const std::int64_t point : drawn_) nearest.offer(point);
  return nearest.point();
}

/// Lays the coordinates of a centre side by side, as those of a point are.
template <class Label>
void Stepper<Label>::set_towards(std::int64_t cluster) {
  towards_.clear();
  for (std::int64_t i = 0; i < problem_.columns(); ++i) {
    towards_.push_back(centres_.coordinate(cluster, i));
  }
}

/// The same of a list, where only those need a look that were about as near as the nearest one.
template <class Label>
std::int64_t Stepper<Label>::nearest_listed(const MemberList& list, std::int64_t draws,
                                            bool take_all, base::Stream& stream) {
  Nearest nearest(problem_, towards_);
  if (take_all) {
    const float reach = list.within_reach(list.least(), towards_);
    for (std::size_t i = 0; i < list.members.size(); ++i) {
      if (list.squared[i] <= reach) nearest.offer(list.members[i]);
    }
    return nearest.point();
  }
  drawn_.resize(at(draws));
  const auto members = static_cast<std::uint32_t>(list.members.size());
  stream.fill_below(members, drawn_);
  float least = list.squared[at(drawn_.front())];
  for (const std::int64_t drawn : drawn_) {
    const float squared = list.squared[at(drawn)];
    least = squared < least ? squared : least;
  }
  const float reach = list.within_reach(least, towards_);
  for (const std::int64_t drawn : drawn_) {
    if (list.squared[at(drawn)] <= reach) nearest.offer(list.members[at(drawn)]);
  }
  return nearest.point();
}

template <class Label>
Bottleneck Stepper<Label>::find_bottleneck(const Partition<Label>& partition,
                                           base::Stream& stream) const {
  const auto attributes = static_cast<std::uint32_t>(problem_.attributes().count());
  return partition.bottleneck(problem_, attributes == 1 ? 0 : stream.below(attributes));
}

/// The cluster that gives members of the rare group to the worst one; -1 when there is none.
template <class Label>
std::int64_t Stepper<Label>::find_target(const Partition<Label>& partition,
                                         const Bottleneck& worst) {
  auto count = [&](std::int64_t k, std::int64_t level) {
    return partition.count(problem_, k, worst.attribute, level);
  };
  // More of the rare group per member of the common one; without any of that, more of it.
  auto richer = [&](std::int64_t k, std::int64_t l) {
    const std::int64_t rare_k = count(k, worst.rare);
    const std::int64_t rare_l = count(l, worst.rare);
    const std::int64_t common_k = count(k, worst.common);
    const std::int64_t common_l = count(l, worst.common);
    if (common_k == 0 && common_l == 0) return rare_k > rare_l;
    return rare_k * common_l > rare_l * common_k;
  };
  if (options_.target == Target::local) {
    set_towards(worst.cluster);
    centres_.squared_distances(towards_.data(), distances_.data());
  }
  std::int64_t best = -1;
  double best_distance = 0;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    if (k == worst.cluster || count(k, worst.rare) == 0) continue;
    if (options_.target == Target::local) {
      const double distance = distances_[at(k)];
      if (best >= 0 && !(distance < best_distance)) continue;
      best_distance = distance;
      best = k;
    } else if (best < 0 || richer(k, best)) {
      best = k;
    }
  }
  return best;
}

template <class Label>
void Stepper<Label>::exchanges(Partition<Label>& partition, std::int64_t count, std::int64_t batch,
                               base::Stream& stream) {
  const Attributes& attributes = problem_.attributes();
  pulls_.clear();
  for (std::int64_t r = 0; r < count; ++r) {
    if (between_) between_();
    const Bottleneck worst = find_bottleneck(partition, stream);
    if (worst.rare == worst.common) break;  // every level has as many members everywhere
    const std::int64_t target = find_target(partition, worst);
    if (target < 0) break;
    const std::span rare = attributes.groups_with(worst.attribute, worst.rare);
    const std::span common = attributes.groups_with(worst.attribute, worst.common);
    const std::int64_t in = choose(partition, target, rare, worst.cluster, batch, stream);
    const std::int64_t out = choose(partition, worst.cluster, common, target, batch, stream);
    // The arriving point first: a cluster of one member then never runs empty.
    if (partition.size(target) > 1) {
      relabel(partition, in, worst.cluster);
      relabel(partition, out, target);
    } else {
      relabel(partition, out, target);
      relabel(partition, in, worst.cluster);
    }
    pulls_.push_back({in, worst.cluster});
    pulls_.push_back({out, target});
    if (options_.centres == CentreRule::exact) {
      partition.mean(problem_, worst.cluster, centres_);
      partition.mean(problem_, target, centres_);
    }
  }
  settle_swaps(partition);
}

/// The public program's swaps: moves in and out of the worst cluster in turn.
template <class Label>
void Stepper<Label>::moves(Partition<Label>& partition, std::int64_t count, std::int64_t batch,
                           base::Stream& stream) {
  const std::size_t first_change = changes_.size();
  pulls_.clear();
  Bottleneck worst;
  for (std::int64_t r = 0; r < count; ++r) {
    if (between_) between_();
    const bool move_in = r % 2 == 0;
    if (!move_in || r == 0) worst = find_bottleneck(partition, stream);
    const std::int64_t target = find_target(partition, worst);
    if (target < 0 || worst.rare == worst.common) break;
    const std::int64_t source = move_in ? target : worst.cluster;
    const std::int64_t to = move_in ? worst.cluster : target;
    const std::int64_t level = move_in ? worst.rare : worst.common;
    const std::int64_t point =
        choose(partition, source, problem_.attributes().groups_with(worst.attribute, level), to,
               batch, stream);
    relabel(partition, point, to);
    pulls_.push_back({point, to});
  }
  if (options_.centres == CentreRule::exact) {
    for (std::size_t i = first_change; i < changes_.size(); ++i) {
      partition.mean(problem_, changes_[i].from, centres_);
      partition.mean(problem_, changes_[i].to, centres_);
    }
  }
  settle_swaps(partition);
}

template <class Label>
void Stepper<Label>::settle_swaps(const Partition<Label>& partition) {
  if (options_.centres == CentreRule::exact || pulls_.empty()) return;
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) weights_[at(k)] = partition.size(k);
  centres_.pull(problem_, pulls_, weights_);
}

template struct Solution<std::uint8_t>;
template struct Solution<std::uint16_t>;
template class Stepper<std::uint8_t>;
template class Stepper<std::uint16_t>;

}  // namespace fairfront::clustering
