#include "solvers/training/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/elementary.hpp"
#include "models/loss.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/training/bounded_losses.hpp"
#include "solvers/training/convex_bound.hpp"
#include "solvers/training/exact_starts.hpp"
#include "solvers/training/gap_bound.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

Vector owned(std::span<const double> v) {
  return Eigen::Map<const Vector>(v.data(), std::ssize(v));
}

class Solver {
 public:
  Solver(const Problem& problem, const ExactOptions& options, const solvers::Control& control)
      : options_{options},
        losses_{problem},
        stages_{control, "exact_training 5\n"},
        bound_{options.delta} {}

  ExactOptimum run() {
    const std::vector<double> zero(losses_.parameters(), 0.0);
    free_ = minimise_convex(zero, losses_.weights(std::vector<double>(losses_.num_gaps(), 0.0)));
    if (losses_.problem().constraints.has_one_side()) return run_on_losses_of_groups();
    ExactStarts starts(losses_, free_.w, options_.delta);
    for (std::int64_t k = 0; k < options_.starts + 2; ++k) {
      const ExactStart start =
          next<ExactStart>([&](const solvers::Control& control) { return starts(k, control); });
      ends_.push_back(search(start.w, options_.delta, 1, start.price));
    }
    if (!is_proven(best())) follow_path_and_more(starts);
    for (const double factor : {2.0, 0.5}) {
      const LocalOptimum beside = search(best().w, factor * options_.delta);
      ends_.push_back(search(beside.w, options_.delta));
    }
    if (!best().converged || least_within() < best().loss - a_little) {
      ends_.push_back(search(best_within().w, options_.delta, longer));
    }
    // Weights 0 have no gap: no result is worse.
    const LocalOptimum at_zero = next<LocalOptimum>([&] { return point_at(owned(zero)); });
    if (at_zero.violation <= 0 && at_zero.loss < least_within() - a_little) {
      ends_.push_back(search(zero, options_.delta, longer, high_price));
      ends_.push_back(at_zero);
    }
    ExactOptimum found{least_within() < best().loss - a_little ? best_within() : best()};
    if (!(found.violation <= 0)) found = ExactOptimum{brought_within()};
    found.passes = passes_;
    found.lower = lower_bound(found);
    search_lower_bound(found);
    count_ends(found);
    found.steps = steps_;
    return found;
  }

 private:
  /// A convex problem needs one start, which is inside.
  ExactOptimum run_on_losses_of_groups() {
    const auto least = next<LeastWorstLoss>([this] { return least_worst_loss(losses_, free_.w); });
    constexpr double room = 1e-6;
    if (options_.delta < least.value) bound_ = (1 + room) * least.value;
    ends_.push_back(next<LocalOptimum>([&] {
      return minimise_within_losses(losses_, least.w, free_.w, bound_, options_.tolerance);
    }));
    ExactOptimum found{best()};
    found.passes = passes_;
    found.lower = lower_bound(found);
    found.least_bound = least.value;
    found.least_bound_lower = least.lower;
    count_ends(found);
    found.steps = steps_;
    return found;
  }

  /// The answer of the next stage, which is weights and more, with its steps.
  template <class Found, class Stage>
  Found next(Stage&& stage) {
    Found found = stages_.next(
        stage, [this](const auto& kept) { return kept.w.size() == losses_.parameters(); });
    steps_ += found.steps;
    passes_ += found.passes;
    return found;
  }

  /// Whether the Lagrangian is convex at the multipliers: no other point is better then.
  [[nodiscard]] bool is_proven(const LocalOptimum& at) const {
    if (!at.converged) return false;
    const std::vector<double> weights = losses_.weights(at.multipliers);
    return std::ranges::all_of(weights, [](double weight) { return weight >= 0; });
  }

  /// Bounds of many gaps leave a thin set, from which random starts fall to where scores hardly
  /// differ: the path from the optimum without constraints stays where the loss is small.
  void follow_path_and_more(ExactStarts& starts) {
    const double known = best().converged ? best().loss : std::numeric_limits<double>::infinity();
    follow_path(8);
    // Where the last layer of certified training leads says for little whether searches have missed
    // what is far better: from there one more begins.
    constexpr std::int64_t first_look = 4, looks = 6, most_looks = 36;
    const auto be_led = [&](std::int64_t k, bool is_far_better) {
      const ExactStart start = next<ExactStart>([&] { return starts.led(k); });
      LocalOptimum led = next<LocalOptimum>([&] { return point_at(owned(start.w)); });
      const bool is_better = led.violation <= 0 && led.loss < best().loss - a_little;
      if (is_far_better && !is_better) return;
      if (is_better) ends_.push_back(std::move(led));
      ends_.push_back(search(start.w, options_.delta, 1, start.price));
    };
    if (losses_.num_gaps() > 1) {
      be_led(1, false);
      for (std::int64_t k = 0; k < looks; ++k) be_led(first_look + k, true);
    }
    if (is_hard(known)) {
      follow_path(16);
      follow_path(4);
      for (const std::int64_t k : {0, 2, 3}) be_led(k, false);
    }
    if (losses_.num_gaps() == 1) return;
    for (std::int64_t k = looks; k < most_looks && is_near_constant(); ++k) {
      be_led(first_look + k, false);
    }
  }

  /// Whether the bounds seem to cost more than half of what scores gain: where all rows have nearly
  /// the same score every gap is small, so that searches fall to there, and may all agree on it.
  [[nodiscard]] bool is_near_constant() const {
    constexpr double most = 0.5;
    return least_within() - free_.value > most * (loss_of_zero() - free_.value);
  }
  [[nodiscard]] double loss_of_zero() const {
    double loss = 0;
    const double score = 0, label = 1;  // that of -1 has the same
    models::loss_values(losses_.problem().loss, {&score, 1}, {&label, 1}, {&loss, 1});
    return loss;
  }

  /// Whether starts tell little: few of them have converged, or of many gaps to several points, or
  /// to worse than is known elsewhere.
  /// @param known  least loss of those that had converged before the path.
  [[nodiscard]] bool is_hard(double known) const {
    const auto converged = std::ranges::count_if(ends_, &LocalOptimum::converged);
    const bool is_thin = losses_.num_gaps() > 1;  // one gap leaves a set of full dimension
    return 2 * converged < std::ssize(ends_) || (is_thin && distinct_ends() > 1) ||
           least_within() < best().loss - a_little || best().loss < known - a_little;
  }

  /// From the optimum without constraints at ever smaller deltas to the one asked for, each search
  /// from the end of the one before.
  void follow_path(int steps) {
    losses_.evaluate(free_.w);
    const double largest = largest_size(losses_.gaps());
    if (!(largest > options_.delta)) return;
    constexpr std::int64_t most_rounds = 30;
    constexpr double roughly = 1e-4, near = 1e-3;
    const double log_factor = base::log(options_.delta / largest) / steps;
    std::vector<double> w = free_.w;
    for (int k = 1; k < steps; ++k) {
      const double delta = largest * base::exp(k * log_factor);
      const LocalOptimum found = search(w, {.delta = delta,
                                            .tolerance = std::max(roughly, options_.tolerance),
                                            .steps = std::min(most_rounds, options_.rounds),
                                            .price = high_price});
      if (found.violation <= near * delta) w = found.w;
    }
    ends_.push_back(search(w, options_.delta, 1, high_price));
  }

  static constexpr std::int64_t longer = 10;  ///< times the rounds, from the best end of none
  static constexpr double a_little = 1e-7;    ///< of the loss

  LocalOptimum search(std::span<const double> from, const GapSqpOptions& options) {
    return next<LocalOptimum>([&](const solvers::Control& control) {
      return minimise_within_gaps(losses_, from, options, control);
    });
  }
  LocalOptimum search(std::span<const double> from, double delta, std::int64_t times = 1,
                      double price = 1) {
    return search(from, GapSqpOptions{.delta = delta,
                                      .tolerance = options_.tolerance,
                                      .steps = times * options_.rounds,
                                      .price = price});
  }

  ConvexMinimum minimise_convex(std::span<const double> from, std::span<const double> weights) {
    constexpr std::int64_t most_steps = 200;
    return next<ConvexMinimum>([&](const solvers::Control& control) {
      return minimise_weighted(losses_, weights, from, 0.1 * options_.tolerance, most_steps,
                               control);
    });
  }

  /// The first of least loss among those that converged, else among those of least violation.
  [[nodiscard]] const LocalOptimum& best() const {
    return *std::ranges::min_element(ends_, [](const LocalOptimum& a, const LocalOptimum& b) {
      if (a.converged != b.converged) return a.converged;
      const auto value = [](double x) {
        return std::isfinite(x) ? x : std::numeric_limits<double>::infinity();
      };
      if (!a.converged && value(a.violation) != value(b.violation)) {
        return value(a.violation) < value(b.violation);
      }
      return value(a.loss) < value(b.loss);
    });
  }

  /// The end of least loss within the bounds, whether or not it has converged; best() where there
  /// is none.
  [[nodiscard]] const LocalOptimum& best_within() const {
    const LocalOptimum* found = nullptr;
    for (const LocalOptimum& end : ends_) {
      if (!(end.violation <= 0) || !std::isfinite(end.loss)) continue;
      if (found == nullptr || end.loss < found->loss) found = &end;
    }
    return found == nullptr ? best() : *found;
  }
  [[nodiscard]] double least_within() const {
    const LocalOptimum& found = best_within();
    return found.violation <= 0 ? found.loss : std::numeric_limits<double>::infinity();
  }

  /// Where no end keeps the bounds: of what lies between the ends and weights 0, which have no gap,
  /// the feasible point of least loss that a bisection finds.
  LocalOptimum brought_within() {
    return next<LocalOptimum>([this] {
      LocalOptimum found = point_at(Vector::Zero(static_cast<Index>(losses_.parameters())));
      std::int64_t passes = 1;
      for (const LocalOptimum& end : ends_) {
        const Vector w = owned(end.w);
        if (!w.allFinite()) continue;
        double inside = 0, outside = 1;
        for (int halving = 0; halving < 30; ++halving) {
          const double share = 0.5 * (inside + outside);
          LocalOptimum point = point_at(share * w);
          ++passes;
          (point.violation <= 0 ? inside : outside) = share;
          if (point.violation <= 0 && point.loss < found.loss) found = std::move(point);
        }
      }
      found.passes = passes;
      return found;
    });
  }

  /// Weights without multipliers.
  LocalOptimum point_at(const Vector& w) {
    LocalOptimum point;
    point.w.assign(w.begin(), w.end());
    losses_.evaluate(point.w);
    point.loss = losses_.loss();
    point.gaps.assign(losses_.gaps().begin(), losses_.gaps().end());
    point.multipliers.assign(point.gaps.size(), 0.0);
    for (const double slope : losses_.gradient()) {
      point.stationarity = std::max(point.stationarity, std::abs(slope));
    }
    for (const double gap : point.gaps) {
      point.violation = std::max(point.violation, std::abs(gap) - options_.delta);
    }
    return point;
  }

  [[nodiscard]] bool is_same(const LocalOptimum& a, const LocalOptimum& b) const {
    constexpr double most = 0.01;
    const auto size = [&](const Vector& w) {
      return std::sqrt(std::max(0.0, w.dot(losses_.second_moments() * w)));
    };
    const Vector at = owned(a.w);
    return size(at - owned(b.w)) <= most * (1 + size(at));
  }

  [[nodiscard]] std::int64_t distinct_ends() const {
    std::vector<const LocalOptimum*> distinct;
    for (const LocalOptimum& end : ends_) {
      if (!end.converged) continue;
      const bool known = std::ranges::any_of(
          distinct, [&](const LocalOptimum* other) { return is_same(*other, end); });
      if (!known) distinct.push_back(&end);
    }
    return std::ssize(distinct);
  }

  void count_ends(ExactOptimum& found) const {
    for (const LocalOptimum& end : ends_) {
      if (!end.converged) continue;
      ++found.ended;
      found.best += is_same(end, found) ? 1 : 0;
    }
    found.distinct = distinct_ends();
  }

  /// What the Lagrangian is never below at the multipliers, or at as much of them as it stays
  /// convex with, and the loss alone; not above a loss that was found.
  double lower_bound(const ExactOptimum& at) {
    const std::vector<double> none(at.multipliers.size(), 0.0);
    const std::vector<double> base = losses_.weights(none);
    double bound = std::max(0.0, proven_bound(base, free_.w));
    double share = 1;
    const std::vector<double> full = losses_.weights(at.multipliers);
    for (std::size_t k = 0; k < base.size(); ++k) {
      if (full[k] < 0) share = std::min(share, base[k] / (base[k] - full[k]));
    }
    if (share > 0) {
      std::vector<double> weights;
      for (std::size_t k = 0; k < base.size(); ++k) {
        weights.push_back(std::max(0.0, base[k] + share * (full[k] - base[k])));
      }
      double price = 0;
      for (const double value : at.multipliers) price += share * std::abs(value) * bound_;
      bound = std::max(bound, proven_bound(weights, minimise_convex(at.w, weights).w) - price);
    }
    return at.violation <= 0 ? std::min(bound, at.loss) : bound;
  }

  double proven_bound(std::span<const double> weights, std::span<const double> w) {
    return stages_.next([&] { return convex_lower_bound(losses_, weights, w); },
                        solvers::any_answer);
  }

  /// Rows of a slot, times minus their labels.
  [[nodiscard]] CellLosses::Matrix signed_rows(std::size_t slot) const {
    CellLosses::Matrix found(static_cast<Index>(losses_.parameters()),
                             static_cast<Index>(losses_.count(slot)));
    Index at = 0;
    for (const CellLosses::Block& block : losses_.blocks()) {
      if (block.slot != slot) continue;
      found.middleCols(at, block.x.cols()) = block.x * (-block.label).matrix().asDiagonal();
      at += block.x.cols();
    }
    return found;
  }

  void search_lower_bound(ExactOptimum& found) {
    if (!can_search_bound(losses_.problem()) || !found.converged) return;
    const double multiplier = found.multipliers[0];
    const bool first = multiplier * losses_.problem().constraints.factor(0, 0) > 0;
    const std::size_t greater = first ? 1 : 2, smaller = first ? 2 : 1;
    const std::vector<double> shares = losses_.weights(std::vector<double>{0});
    const GapTask task{signed_rows(0),  signed_rows(greater), signed_rows(smaller), shares[0],
                       shares[greater], shares[smaller],      options_.delta};
    solvers::Heartbeat heart(stages_.control());
    const GapBound bound = stages_.next(
        [&](const solvers::Control& control) {
          return raise_lower_bound(
              task, {owned(found.w), std::abs(multiplier), found.lower, found.loss}, options_.cells,
              [&] { heart.beat(); }, control);
        },
        solvers::any_answer);
    found.lower = bound.lower;
    found.cells = bound.cells;
  }

  const ExactOptions& options_;
  CellLosses losses_;
  solvers::Stages stages_;
  double bound_;        ///< delta, or the least there is
  ConvexMinimum free_;  ///< the optimum without constraints
  std::vector<LocalOptimum> ends_;
  std::int64_t steps_ = 0, passes_ = 0;
};

}  // namespace

base::OptionTable options_of(ExactOptions& options) {
  base::OptionTable table("exact_training");
  table.add("delta", options.delta, base::above(0.0), "loss",
            "Every difference of mean losses in training.fairness, or with training.bound_of = "
            "worst_group every group's mean loss, is bounded by this.");
  table.assign_role(base::Role::trade_off, {"delta"});
  table.add("tolerance", options.tolerance, base::between(1e-12, 0.1), "",
            "A search ends when stationarity and complementarity of a KKT point, which is "
            "feasible, are no larger than this.");
  table.add("starts", options.starts, base::between<std::int64_t>(0, 1000), "",
            "This many starts lie apart, most of them random, beside the optimum without "
            "constraints, weights 0, one that comes from it by ever smaller deltas and two from "
            "neighbouring ones; six more where few have converged, or to several points.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(1, 10'000), "",
            "A start takes at most this many steps.");
  table.add("cells", options.cells, base::between<std::int64_t>(0, 10'000'000), "",
            "The search that raises optimum_lower has at most this many cells; with 0 there is no "
            "search. It is for two groups, the logistic loss and at most 16 weights, and takes "
            "time in proportion to cells and rows.");
  return table;
}

bool can_search_bound(const Problem& problem) {
  return problem.constraints.gaps() == 1 && problem.constraints.cells().size() == 2 &&
         problem.loss == models::LossKind::logistic && std::ssize(problem.model.layers()) == 1 &&
         static_cast<std::int64_t>(problem.parameters()) <= most_bounded_weights;
}

ExactOptimum exact_training(const Problem& problem, const ExactOptions& options,
                            const solvers::Control& control) {
  base::validate(options);
  return Solver(problem, options, control).run();
}

}  // namespace fairfront::training
