#include "solvers/training/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/training/exact_starts.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

Vector own(std::span<const double> v) { return Eigen::Map<const Vector>(v.data(), std::ssize(v)); }

class Solver {
 public:
  Solver(const Problem& problem, const ExactOptions& options, const solvers::Control& control)
      : options_{options}, losses_{problem}, heart_{control} {}

  ExactOptimum run() {
    const std::vector<double> zero(losses_.parameters(), 0.0);
    free_ = minimise_convex(zero, losses_.weights(std::vector<double>(losses_.num_gaps(), 0.0)));
    ExactStarts starts(losses_, free_.w, options_.delta, beat_);
    for (std::int64_t k = 0; k < options_.starts + 2; ++k) {
      keep(minimise_within_gaps(losses_, starts(k), local(options_.delta), beat_));
    }
    for (const double factor : {2.0, 0.5}) {
      LocalOptimum beside =
          minimise_within_gaps(losses_, best().w, local(factor * options_.delta), beat_);
      steps_ += beside.steps;
      keep(minimise_within_gaps(losses_, beside.w, local(options_.delta), beat_));
    }
    ExactOptimum found{best()};
    found.lower = lower_bound(found);
    count_ends(found);
    found.steps = steps_ + starts.steps();
    return found;
  }

 private:
  [[nodiscard]] GapSqpOptions local(double delta) const {
    return {.delta = delta, .tolerance = options_.tolerance, .steps = options_.rounds};
  }

  ConvexMinimum minimise_convex(std::span<const double> from, std::span<const double> weights) {
    constexpr std::int64_t most_steps = 200;
    auto found =
        minimise_weighted(losses_, weights, from, 0.1 * options_.tolerance, most_steps, beat_);
    steps_ += found.steps;
    return found;
  }

  void keep(LocalOptimum found) {
    steps_ += found.steps;
    ends_.push_back(std::move(found));
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

  [[nodiscard]] bool is_same(const LocalOptimum& a, const LocalOptimum& b) const {
    constexpr double most = 0.01;
    const auto size = [&](const Vector& w) {
      return std::sqrt(std::max(0.0, w.dot(losses_.second_moments() * w)));
    };
    const Vector at = own(a.w);
    return size(at - own(b.w)) <= most * (1 + size(at));
  }

  void count_ends(ExactOptimum& found) const {
    std::vector<const LocalOptimum*> distinct;
    for (const LocalOptimum& end : ends_) {
      if (!end.converged) continue;
      ++found.ended;
      found.best += is_same(end, found) ? 1 : 0;
      const bool known = std::ranges::any_of(
          distinct, [&](const LocalOptimum* other) { return is_same(*other, end); });
      if (!known) distinct.push_back(&end);
    }
    found.distinct = std::ssize(distinct);
  }

  /// The least value of the Lagrangian at the multipliers, or at as much of them as it stays convex
  /// with, and of the loss alone.
  double lower_bound(const ExactOptimum& at) {
    double bound = free_.value;
    double share = 1;
    const std::vector<double> none(at.multipliers.size(), 0.0);
    const std::vector<double> base = losses_.weights(none);
    const std::vector<double> full = losses_.weights(at.multipliers);
    for (std::size_t k = 0; k < base.size(); ++k) {
      if (full[k] < 0) share = std::min(share, base[k] / (base[k] - full[k]));
    }
    if (share == 0) return bound;
    std::vector<double> weights;
    for (std::size_t k = 0; k < base.size(); ++k) {
      weights.push_back(std::max(0.0, base[k] + share * (full[k] - base[k])));
    }
    double price = 0;
    for (const double value : at.multipliers) price += share * std::abs(value) * options_.delta;
    const ConvexMinimum least = minimise_convex(at.w, weights);
    return least.converged ? std::max(bound, least.value - price) : bound;
  }

  const ExactOptions& options_;
  CellLosses losses_;
  solvers::Heartbeat heart_;
  std::function<void()> beat_ = [this] { heart_.beat(); };
  ConvexMinimum free_;  ///< the optimum without constraints
  std::vector<LocalOptimum> ends_;
  std::int64_t steps_ = 0;
};

}  // namespace

base::OptionTable options_of(ExactOptions& options) {
  base::OptionTable table("exact_training");
  table.add("delta", options.delta, base::above(0.0), "loss",
            "Bound of every difference of mean losses in training.fairness.");
  table.assign_role(base::Role::trade_off, {"delta"});
  table.add("tolerance", options.tolerance, base::between(1e-12, 0.1), "",
            "Largest stationarity and complementarity of a KKT point, which is feasible.");
  table.add("starts", options.starts, base::between<std::int64_t>(0, 1000), "",
            "Starts that lie apart, most of them random, beside the optimum without constraints, "
            "weights 0 and two that come from neighbouring deltas.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(1, 10'000), "",
            "Steps from a start, at most.");
  return table;
}

ExactOptimum exact_training(const Problem& problem, const ExactOptions& options,
                            const solvers::Control& control) {
  base::validate(options);
  return Solver(problem, options, control).run();
}

}  // namespace fairfront::training
