#include "solvers/clustering/lower_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/cut_bundle.hpp"
#include "solvers/clustering/least_number.hpp"
#include "solvers/clustering/mean_boxes.hpp"
#include "solvers/clustering/pair_boxes.hpp"
#include "solvers/clustering/settled_clustering.hpp"
#include "solvers/clustering/start_potentials.hpp"
#include "solvers/common/stages.hpp"

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

/// The least v for which cost_from() gives `cost`: a cluster may lie on what was proven, so that no
/// rounding more can be.
double value_for(const Problem& problem, std::span<const double> potentials, double cost) {
  const auto points = static_cast<double>(problem.points());
  const auto clusters = static_cast<double>(problem.clusters());
  const double wanted = cost * points - sum_of(potentials);
  double magnitude = std::abs(wanted) + cost * points;
  for (const double potential : potentials) magnitude += std::abs(potential);
  const double more = 1.05 * (points + 32) * 0x1p-53 * magnitude;
  return least_number((wanted - more) / clusters, (wanted + more) / clusters,
                      [&](double value) { return cost_from(problem, potentials, value) >= cost; });
}

/// What clusterings of the rows as they are cost at least, where those of the points cost this: the
/// root of N times the cost is a distance, to the nearest K means.
double cost_of_rows(const Problem& problem, double cost) {
  if (problem.displacement() == 0) return cost;
  const auto points = static_cast<double>(problem.points());
  const double root = std::sqrt(cost * points) * (1 - 0x1p-51) - problem.displacement();
  return root > 0 ? root * root / points * (1 - 0x1p-51) : 0;
}

/// The least cost of points of which that of rows is at least this.
double cost_of_points(const Problem& problem, double cost) {
  if (problem.displacement() == 0) return cost;
  const auto points = static_cast<double>(problem.points());
  const double root = std::sqrt(cost * points) + problem.displacement();
  const double about = root * root / points;
  return least_number(about * (1 - 0x1p-45), about * (1 + 0x1p-45),
                      [&](double of_points) { return cost_of_rows(problem, of_points) >= cost; });
}

constexpr std::string_view name_of_dual = "dual of clusters 2\n";

/// What comes next.
enum class DualWork { raise, look, prove };

/// Of the dual between two steps of the bundle method, or while boxes are searched.
struct DualState {
  CutBundle::Kept bundle;
  std::vector<double> potentials;  ///< the best known
  double value = 0;                ///< of the best cluster known there
  double length = 0;               ///< t of the bundle
  std::uint64_t walked = 0;
  DualWork work = DualWork::raise;
  int lengthened = 0;
  std::int64_t searches = 0, proofs = 0;
  bool proven = false;
  LowerBoundResult result;
  std::optional<std::string> of_boxes;  ///< the state of their search
};
template <solvers::MaybeConst<DualState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.bundle, self.potentials, self.value, self.length, self.walked, self.work,
        self.lengthened, self.searches, self.proofs, self.proven, self.result, self.of_boxes);
}

/// Raises the dual from a clustering at the floor.
class Dual {
 public:
  Dual(const Problem& problem, const LowerBoundOptions& options, const SettledClustering& start,
       const std::function<void()>& between, solvers::Progress& now,
       const solvers::Control& control)
      : problem_{problem},
        options_{options},
        between_{between},
        now_{now},
        control_{control},
        clusters_{static_cast<double>(problem.clusters())},
        total_{start.cost * static_cast<double>(problem.points())},
        pricing_{problem, options.floor},
        bundle_{problem.clusters(), std::max(options.cuts, 2 * problem.clusters())},
        greatest_length_{4096 * (0.05 * start.cost / clusters_)} {
    at_.length = 0.05 * start.cost / clusters_;
    if (control.resume) {
      restore(*control.resume);
      return;
    }
    now_ = {0, "potentials"};
    add_clusters(start.labels);
    start_from(start_potentials(problem, start.labels));
    // Of few clusters, one of which is far away, most gaps may be those to an outlier.
    if (dual() < 0) start_from(start_potentials(problem, start.labels, total_));
  }

  [[nodiscard]] LowerBoundResult run() {
    const MeanBoxesOptions look{.boxes = options_.boxes / 10 + 1,
                                .tolerance = 0.4 * tolerance(),
                                .enough = 40,
                                .stride = 4};
    const MeanBoxesOptions proof{.boxes = options_.boxes,
                                 .tolerance = (1 - for_sums) * tolerance(),
                                 .enough = std::numeric_limits<std::int64_t>::max(),
                                 .stride = 20};
    for (;;) {
      if (at_.work == DualWork::raise) {
        raise();
        at_.work = may_look() ? DualWork::look : DualWork::prove;
      }
      const bool looks = at_.work == DualWork::look;
      const bool found = search(looks ? look : proof) > 0;
      if (!looks && (++at_.proofs >= most_proofs || !found)) return std::move(at_.result);
      at_.work = found ? DualWork::raise : DualWork::prove;
      if (!found) continue;
      ++at_.searches;
      at_.lengthened = 0;
    }
  }

 private:
  static constexpr std::int64_t most_proofs = 2;
  /// Share of the tolerance that is left for roundings of the sums in cost_from().
  static constexpr double for_sums = 1e-3;

  [[nodiscard]] bool may_look() const {
    return at_.searches < options_.searches && at_.result.steps < options_.steps;
  }

  [[nodiscard]] std::string state() {
    at_.bundle = bundle_.kept();
    return solvers::packed_state(name_of_dual, at_);
  }
  void restore(const std::string& bytes) {
    solvers::unpack_whole_state(name_of_dual, bytes, at_);
    const auto fits = [&](const std::vector<double>& of_points) {
      return std::ssize(of_points) == problem_.points();
    };
    if (!fits(at_.potentials) || (at_.proven && !fits(at_.result.potentials))) {
      throw base::CheckpointError("a checkpoint has potentials of another problem");
    }
    bundle_.restore(pricing_, std::move(at_.bundle));
  }

  /// Of a cluster's value: K times that is the share of the cost.
  [[nodiscard]] double tolerance() const { return options_.tolerance * total_ / clusters_; }
  /// Whether all that a bound lost, roundings too, is within the tolerance. Potentials of 0 have
  /// the dual 0: a smaller one is no solution.
  [[nodiscard]] bool loses_little(double lower) const {
    const double lost = dual() - lower * static_cast<double>(problem_.points());
    return dual() >= 0 && lost <= options_.tolerance * total_;
  }
  [[nodiscard]] double dual() const { return sum_of(at_.potentials) + clusters_ * at_.value; }

  void start_from(std::vector<double> potentials) {
    at_.potentials = std::move(potentials);
    at_.value = price(at_.potentials);
  }

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
    while (at_.result.steps < options_.steps) {
      solvers::obey(control_.wanted(), control_, [this] { return state(); });
      ++at_.result.steps;
      now_ = solvers::progress("step", at_.result.steps, 2 * options_.steps,
                               fmt::format("dual {:.6g}", dual()));
      between_();
      CutBundle::Step step = bundle_.maximise(at_.potentials, at_.length);
      const double promised = step.model - dual();
      if (promised < little) {
        if (at_.length >= greatest_length_ || at_.lengthened++ == 3) return;
        at_.length = std::min(8 * at_.length, greatest_length_);
        continue;
      }
      const double value = price(step.potentials);
      const double gained = sum_of(step.potentials) + clusters_ * value - dual();
      bundle_.forget();
      if (gained < 0.1 * promised) {
        at_.length *= 0.8;
        continue;
      }
      at_.potentials = std::move(step.potentials);
      at_.value = value;
      if (gained > little) at_.lengthened = 0;
      if (gained > 0.5 * promised) at_.length = std::min(2 * at_.length, greatest_length_);
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
      at_.walked += 0x9E3779B97F4A7C15;
      const auto point = static_cast<std::int64_t>(
          (at_.walked >> 32) * static_cast<std::uint64_t>(problem_.points()) >> 32);
      const std::span<const double> x = problem_.coordinates(point);
      centres.emplace_back(x.begin(), x.end());
    }
    return centres;
  }

  [[nodiscard]] MeanBoxesResult search_boxes(const MeanBoxesOptions& limits) {
    solvers::Control control{.request = control_.request, .resume = at_.of_boxes};
    if (control_.save) {
      control.save = [this](const std::string& of_boxes) {
        at_.of_boxes = of_boxes;
        control_.save(state());
      };
    }
    MeanBoxesResult found = bound_by_mean_boxes(pricing_, at_.value, limits, between_, control);
    at_.of_boxes.reset();
    return found;
  }

  /// Bounds the value of a cluster at the potentials, and keeps what it proves if that is most.
  /// @return the number of new cuts.
  std::int64_t search(const MeanBoxesOptions& limits) {
    now_ = {0.5, fmt::format("boxes, after {} steps", at_.result.steps)};
    pricing_.set_potentials(at_.potentials);
    MeanBoxesResult found = search_boxes(limits);
    at_.result.boxes += found.boxes;
    const double lower = cost_from(problem_, at_.potentials, found.lower);
    at_.value = std::min(at_.value, found.best);
    if (lower > at_.result.cost_lower || !at_.proven) {
      at_.proven = true;
      at_.result.cost_lower = lower;
      at_.result.potentials = at_.potentials;
      at_.result.dual = dual() / static_cast<double>(problem_.points());
      at_.result.rounding =
          clusters_ * pricing_.rounding(at_.value, 0) / static_cast<double>(problem_.points());
      at_.result.complete = found.complete && loses_little(lower);
    }
    std::int64_t added = 0;
    for (PricedCluster& cluster : found.met) added += bundle_.add(std::move(cluster)) ? 1 : 0;
    return added;
  }

  const Problem& problem_;
  const LowerBoundOptions& options_;
  const std::function<void()>& between_;
  solvers::Progress& now_;
  const solvers::Control& control_;
  double clusters_;
  double total_;  ///< cost of the clustering times N
  ClusterPricing pricing_;
  CutBundle bundle_;
  double greatest_length_;
  DualState at_;
};

/// Two clusters of two groups: what the relaxation leaves open is closed by pairs of boxes.
void raise_by_pairs(const Problem& problem, const PairBoxesOptions& options,
                    const std::function<void()>& between, solvers::Stages& stages,
                    LowerBoundResult& bound) {
  if (!has_pair_boxes(problem)) return;
  const auto found = stages.next(
      [&](const solvers::Control& control) {
        return bound_by_pair_boxes(problem, options, between, control);
      },
      solvers::any_answer);
  bound.boxes += found.boxes;
  if (found.cost_lower <= bound.cost_lower) return;
  bound.cost_lower = found.cost_lower;
  bound.rounding = found.rounding;
  bound.complete = found.complete;
}

/// What was proven of points is proven of rows but for what these were moved by. No cost is below
/// 0, so that one of 0 needs no proof.
/// @param tolerance  of the cost, for all that the proof loses.
void account_for_rows(const Problem& problem, double cost, double tolerance,
                      LowerBoundResult& bound) {
  if (cost == 0) {
    bound.cost_lower = 0;
    bound.rounding = 0;
    bound.complete = true;
    return;
  }
  const double of_rows = cost_of_rows(problem, bound.cost_lower);
  const double lost = bound.cost_lower - of_rows;
  bound.cost_lower = of_rows;
  bound.rounding += lost;
  bound.complete = bound.complete && lost <= tolerance * cost;
}

template <class Label>
Clustering as_clustering(const Problem& problem, const SettledClustering& settled) {
  const std::vector<Label> labels(settled.labels.begin(), settled.labels.end());
  return {settled.cost, settled.balance, labels_by_row(problem, std::span<const Label>(labels))};
}

bool is_of(const Problem& problem, const SettledClustering& kept) {
  std::vector<bool> used(at(problem.clusters()));
  for (const std::int64_t label : kept.labels) {
    if (label < 0 || label >= problem.clusters()) return false;
    used[at(label)] = true;
  }
  return may_be_comparisons(kept.comparisons) && std::ssize(kept.labels) == problem.points() &&
         std::ranges::find(used, false) == used.end();
}

}  // namespace

LowerBoundResult lower_bound(const Problem& problem, const LowerBoundOptions& options,
                             std::uint64_t seed, const std::string& task_key,
                             const solvers::Control& control) {
  validate_for(problem, options);
  const BalanceLadderOptions ladder{.starts = options.starts,
                                    .relocations = options.relocations,
                                    .refinements = options.refinements};
  solvers::Progress now{0, "a clustering"};
  solvers::Stages stages(control, "lower_bound 3\n");
  // A look at a pair of points takes nanoseconds, a descent over all points a part of a second.
  solvers::Heartbeat of_pairs(stages.control()), of_descents(stages.control());
  const std::function<void()> between_pairs = [&] { of_pairs.beat([&] { return now; }); };
  const std::function<void()> between = [&] { of_descents.beat([&] { return now; }); };
  const auto start = stages.next(
      [&](solvers::Control within) {
        within.report = nullptr;  // the ladder is a part of the work only
        const auto found = balance_ladder(problem, ladder, seed, task_key, within);
        SettledClustering settled =
            settle_front(problem, found.front, options.floor, between_pairs);
        settled.comparisons += found.comparisons;
        return settled;
      },
      [&](const SettledClustering& kept) { return is_of(problem, kept); });
  LowerBoundResult result = stages.next(
      [&](const solvers::Control& within) {
        return Dual(problem, options, start, between, now, within).run();
      },
      [&](const LowerBoundResult& kept) {
        return std::ssize(kept.potentials) == problem.points();
      });
  raise_by_pairs(problem,
                 {.floor = options.floor,
                  .known = start.cost,
                  .tolerance = options.tolerance,
                  .boxes = options.boxes},
                 between, stages, result);
  account_for_rows(problem, start.cost, options.tolerance, result);
  std::vector<double> by_row(result.potentials.size());
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    by_row[at(problem.row(p))] = result.potentials[at(p)];
  }
  result.potentials = std::move(by_row);
  result.comparisons = start.comparisons;
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
  const double of_points = cost_of_points(problem, claim);
  const double least = value_for(problem, by_point, of_points);
  // A cluster below the claim, and not by roundings of its own value alone, would refute it.
  const MeanBoxesResult found = bound_by_mean_boxes(
      pricing, least, {.boxes = boxes, .enough = 1, .margin = 4 * pricing.rounding()}, between);
  ProvenBound bound{cost_of_rows(problem, cost_from(problem, by_point, found.lower)), found.boxes};
  if (bound.cost_lower >= claim || !has_pair_boxes(problem)) return bound;
  const PairBoxesResult pairs = prove_by_pair_boxes(problem, floor, of_points, boxes, between);
  return {std::max(bound.cost_lower, cost_of_rows(problem, pairs.cost_lower)),
          bound.boxes + pairs.boxes};
}

}  // namespace fairfront::clustering
