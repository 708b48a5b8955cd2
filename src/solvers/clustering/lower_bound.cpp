#include "solvers/clustering/lower_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/clustering/cut_bundle.hpp"
#include "solvers/clustering/mean_boxes.hpp"
#include "solvers/clustering/pair_boxes.hpp"
#include "solvers/clustering/settled_clustering.hpp"
#include "solvers/clustering/start_potentials.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// sum_p pi_p + K v, rounded down, as a cost.
double cost_from(const Problem& problem, std::span<const double> potentials, double value) {
  const auto points = static_cast<double>(problem.points());
  const auto clusters = static_cast<double>(problem.clusters());
  double magnitude = clusters * std::abs(value);
  for (const double potential : potentials) magnitude += std::abs(potential);
  const double error = 1.01 * (points + 8) * 0x1p-53 * magnitude;
  const double total = sum_of(potentials) + clusters * value - error;
  return std::max(0.0, total / points * (1 - 0x1p-51));
}

/// The least v for which cost_from() gives `cost`, and a little more.
double value_for(const Problem& problem, std::span<const double> potentials, double cost) {
  const auto points = static_cast<double>(problem.points());
  const auto clusters = static_cast<double>(problem.clusters());
  const double wanted = cost * points - sum_of(potentials);
  double magnitude = std::abs(wanted) + cost * points;
  for (const double potential : potentials) magnitude += std::abs(potential);
  return (wanted + 1.05 * (points + 32) * 0x1p-53 * magnitude) / clusters;
}

/// Raises the dual from a clustering at the floor.
class Dual {
 public:
  Dual(const Problem& problem, const LowerBoundOptions& options, SettledClustering start,
       const std::function<void()>& between, solvers::Progress& now)
      : problem_{problem},
        options_{options},
        between_{between},
        now_{now},
        clusters_{static_cast<double>(problem.clusters())},
        total_{start.cost * static_cast<double>(problem.points())},
        pricing_{problem, options.floor},
        bundle_{problem.clusters(), std::max(options.cuts, 2 * problem.clusters())},
        length_{0.05 * start.cost / clusters_},
        greatest_length_{4096 * length_} {
    now_ = {0, "potentials"};
    add_clusters(start.labels);
    potentials_ = start_potentials(problem, start.labels);
    value_ = price(potentials_);
  }

  [[nodiscard]] LowerBoundResult run() {
    const MeanBoxesOptions look{.boxes = options_.boxes / 10 + 1,
                                .tolerance = 0.4 * tolerance(),
                                .enough = 40,
                                .stride = 4};
    const MeanBoxesOptions proof{.boxes = options_.boxes,
                                 .tolerance = tolerance(),
                                 .enough = std::numeric_limits<std::int64_t>::max(),
                                 .stride = 20};
    std::int64_t proofs = 0;
    for (std::int64_t searches = 0; proofs < most_proofs; ++searches) {
      raise();
      const bool may_search = searches < options_.searches && result_.steps < options_.steps;
      if (may_search && search(look) > 0) continue;
      ++proofs;
      if (search(proof) == 0) break;
    }
    return std::move(result_);
  }

 private:
  static constexpr std::int64_t most_proofs = 2;

  /// Of a cluster's value: K times that is the share of the cost.
  [[nodiscard]] double tolerance() const { return options_.tolerance * total_ / clusters_; }
  [[nodiscard]] double dual() const { return sum_of(potentials_) + clusters_ * value_; }

  void add_clusters(std::span<const std::int64_t> labels) {
    std::vector<std::vector<std::int32_t>> members(at(problem_.clusters()));
    for (std::size_t p = 0; p < labels.size(); ++p) {
      members[at(labels[p])].push_back(static_cast<std::int32_t>(p));
    }
    for (auto& cluster : members) bundle_.add(pricing_.cluster_of(std::move(cluster)));
  }

  /// Steps of the bundle method until the model promises little more, also with longer steps.
  void raise() {
    const double little = 0.2 * options_.tolerance * total_;
    int lengthened = 0;
    while (result_.steps < options_.steps) {
      ++result_.steps;
      now_ = solvers::progress("step", result_.steps, 2 * options_.steps,
                               fmt::format("dual {:.6g}", dual()));
      between_();
      CutBundle::Step step = bundle_.maximise(potentials_, length_);
      const double promised = step.model - dual();
      if (promised < little) {
        if (length_ >= greatest_length_ || lengthened++ == 3) return;
        length_ = std::min(8 * length_, greatest_length_);
        continue;
      }
      const double value = price(step.potentials);
      const double gained = sum_of(step.potentials) + clusters_ * value - dual();
      bundle_.forget();
      if (gained < 0.1 * promised) {
        length_ *= 0.8;
        continue;
      }
      potentials_ = std::move(step.potentials);
      value_ = value;
      if (gained > little) lengthened = 0;
      if (gained > 0.5 * promised) length_ = std::min(2 * length_, greatest_length_);
    }
  }

  /// Adds the best new clusters of descents as cuts.
  /// @return the least value of a cluster known.
  double price(std::span<const double> potentials) {
    pricing_.set_potentials(potentials);
    double best = std::numeric_limits<double>::infinity();
    std::vector<ClusterPricing::Descent> found;
    std::set<std::vector<std::uint64_t>> seen;
    for (std::vector<double>& centre : starts(best)) {
      between_();
      ClusterPricing::Descent descent = pricing_.descend(std::move(centre));
      best = std::min(best, descent.value);
      if (bundle_.has(descent.cluster) || !seen.insert(descent.cluster.bits).second) continue;
      found.push_back(std::move(descent));
    }
    std::ranges::stable_sort(found, {}, &ClusterPricing::Descent::value);
    found.resize(std::min(found.size(), at(problem_.clusters()) + 5));
    for (ClusterPricing::Descent& descent : found) bundle_.add(std::move(descent.cluster));
    return best;
  }

  /// Means of the cuts that are best, and points. @param best  becomes the least value of a cut.
  [[nodiscard]] std::vector<std::vector<double>> starts(double& best) {
    constexpr std::size_t most_cuts = 40;
    constexpr int points = 10;
    const std::span<const PricedCluster> cuts = bundle_.cuts();
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < cuts.size(); ++i) order.emplace_back(pricing_.value(cuts[i]), i);
    std::ranges::sort(order);
    best = order.front().first;
    std::vector<std::vector<double>> centres;
    for (std::size_t i = 0; i < std::min(order.size(), most_cuts); ++i) {
      centres.push_back(cuts[order[i].second].mean);
    }
    for (int i = 0; i < points; ++i) {
      // A low-discrepancy walk through all points, by the golden ratio.
      walked_ += 0x9E3779B97F4A7C15;
      const auto point = static_cast<std::int64_t>(
          (walked_ >> 32) * static_cast<std::uint64_t>(problem_.points()) >> 32);
      const std::span<const double> x = problem_.coordinates(point);
      centres.emplace_back(x.begin(), x.end());
    }
    return centres;
  }

  /// Bounds the value of a cluster at the potentials, and keeps what it proves if that is most.
  /// @return the number of new cuts.
  std::int64_t search(const MeanBoxesOptions& limits) {
    now_ = {0.5, fmt::format("boxes, after {} steps", result_.steps)};
    pricing_.set_potentials(potentials_);
    MeanBoxesResult found = bound_by_mean_boxes(pricing_, value_, limits, between_);
    result_.boxes += found.boxes;
    const double lower = cost_from(problem_, potentials_, found.lower);
    value_ = std::min(value_, found.best);
    if (lower > result_.cost_lower || !proven_) {
      proven_ = true;
      result_.cost_lower = lower;
      result_.complete = found.complete;
      result_.potentials = potentials_;
      result_.dual = dual() / static_cast<double>(problem_.points());
    }
    std::int64_t added = 0;
    for (PricedCluster& cluster : found.met) added += bundle_.add(std::move(cluster)) ? 1 : 0;
    return added;
  }

  const Problem& problem_;
  const LowerBoundOptions& options_;
  const std::function<void()>& between_;
  solvers::Progress& now_;
  double clusters_;
  double total_;  ///< cost of the clustering times N
  ClusterPricing pricing_;
  CutBundle bundle_;
  double length_;  ///< t of the bundle
  double greatest_length_;
  std::vector<double> potentials_;  ///< the best known
  double value_ = 0;                ///< of the best cluster known there
  std::uint64_t walked_ = 0;
  bool proven_ = false;
  LowerBoundResult result_;
};

/// Two clusters of two groups: what the relaxation leaves open is closed by pairs of boxes.
void raise_by_pairs(const Problem& problem, const PairBoxesOptions& options,
                    const std::function<void()>& between, LowerBoundResult& bound) {
  if (!has_pair_boxes(problem)) return;
  const PairBoxesResult found = bound_by_pair_boxes(problem, options, between);
  bound.boxes += found.boxes;
  if (found.cost_lower <= bound.cost_lower) return;
  bound.cost_lower = found.cost_lower;
  bound.complete = found.complete;
}

template <class Label>
Clustering as_clustering(const Problem& problem, const SettledClustering& settled) {
  const std::vector<Label> labels(settled.labels.begin(), settled.labels.end());
  return {settled.cost, settled.balance, labels_by_row(problem, std::span<const Label>(labels))};
}

}  // namespace

LowerBoundResult lower_bound(const Problem& problem, const LowerBoundOptions& options,
                             std::uint64_t seed, const std::string& task_key,
                             const solvers::Control& control) {
  validate_for(problem, options);
  const BalanceLadderOptions ladder{.starts = options.starts,
                                    .relocations = options.relocations,
                                    .refinements = options.refinements};
  const solvers::Control stop_only{.request = control.request};
  solvers::Progress now{0, "a clustering"};
  // A look at a pair of points takes nanoseconds, a descent over all points a part of a second.
  solvers::Heartbeat of_pairs(control), of_descents(control);
  const std::function<void()> between_pairs = [&] { of_pairs.beat([&] { return now; }); };
  const std::function<void()> between = [&] { of_descents.beat([&] { return now; }); };
  const SettledClustering start =
      settle_front(problem, balance_ladder(problem, ladder, seed, task_key, stop_only).front,
                   options.floor, between_pairs);
  LowerBoundResult result = Dual(problem, options, start, between, now).run();
  raise_by_pairs(problem,
                 {.floor = options.floor,
                  .known = start.cost,
                  .tolerance = options.tolerance,
                  .boxes = options.boxes},
                 between, result);
  std::vector<double> by_row(result.potentials.size());
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    by_row[at(problem.row(p))] = result.potentials[at(p)];
  }
  result.potentials = std::move(by_row);
  result.clustering = with_label_type(
      problem, [&]<class Label>(Label) { return as_clustering<Label>(problem, start); });
  return result;
}

ProvenBound prove_lower_bound(const Problem& problem, double floor, double claim,
                              std::span<const double> potentials, std::int64_t boxes,
                              const solvers::Control& control) {
  if (std::ssize(potentials) != problem.points()) {
    throw std::invalid_argument(
        fmt::format("{} potentials of {} points", potentials.size(), problem.points()));
  }
  if (!std::isfinite(sum_of(potentials)) || !std::isfinite(claim) || claim < 0) {
    throw std::invalid_argument("potentials or a claim that are not finite, or a negative claim");
  }
  if (claim == 0) return {};
  solvers::Heartbeat heart(control);
  const std::function<void()> between = [&] { heart.beat(); };
  std::vector<double> by_point;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    by_point.push_back(potentials[at(problem.row(p))]);
  }
  ClusterPricing pricing(problem, floor);
  pricing.set_potentials(by_point);
  const double least = value_for(problem, by_point, claim) + pricing.rounding();
  // A cluster below the claim would refute it.
  const MeanBoxesResult found =
      bound_by_mean_boxes(pricing, least, {.boxes = boxes, .enough = 1}, between);
  ProvenBound bound{cost_from(problem, by_point, found.lower), found.boxes};
  if (bound.cost_lower >= claim || !has_pair_boxes(problem)) return bound;
  const double known = (claim + pair_boxes_rounding(problem)) * (1 + 0x1p-48);
  const PairBoxesResult pairs =
      bound_by_pair_boxes(problem, {.floor = floor, .known = known, .boxes = boxes}, between);
  return {std::max(bound.cost_lower, pairs.cost_lower), bound.boxes + pairs.boxes};
}

}  // namespace fairfront::clustering
