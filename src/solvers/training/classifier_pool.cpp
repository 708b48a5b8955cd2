#include "solvers/training/classifier_pool.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "optimise/mixture_program.hpp"
#include "solvers/training/cell_values.hpp"

namespace fairfront::training {

ClassifierPool::ClassifierPool(const Problem& problem, double bound)
    : problem_{problem}, bound_{bound}, prices_(problem.constraints.cells().size(), 0.0) {
  assert(has_decisions(problem));
  add_constant(-1);
  add_constant(1);
  keep_always();
}

void ClassifierPool::set_offset(std::span<const double> offset) {
  offset_.assign(offset.begin(), offset.end());
}

void ClassifierPool::add_constant(double score) {
  const std::array<double, 2> scores{score, score}, labels{1, -1};
  std::array<double, 2> values{};
  cell_values(problem_, scores, labels, values);
  const auto share_of_ones = [&](const std::vector<std::int64_t>& rows) {
    const auto ones = std::ranges::count_if(
        rows, [&](std::int64_t row) { return problem_.labels[static_cast<std::size_t>(row)] > 0; });
    return static_cast<double>(ones) / static_cast<double>(rows.size());
  };
  const double ones = share_of_ones(problem_.train.rows);
  CountedClassifier constant{.w = std::vector<double>(problem_.parameters(), 0.0),
                             .error = score >= 0 ? 1 - ones : ones,
                             .cells = {},
                             .is_certain = true};
  constant.w.back() = score;
  for (const auto& rows : problem_.train.of_cell) {
    const double share = share_of_ones(rows);
    constant.cells.push_back(share * values[0] + (1 - share) * values[1]);
  }
  members_.push_back(std::move(constant));
}

bool ClassifierPool::is_known(double error, const std::vector<double>& cells,
                              bool is_certain) const {
  return std::ranges::any_of(members_, [&](const CountedClassifier& other) {
    return other.error == error && (other.is_certain || !is_certain) && other.cells == cells;
  });
}

void ClassifierPool::keep_certain() {
  std::erase_if(members_, [](const CountedClassifier& one) { return !one.is_certain; });
}

void ClassifierPool::drop(std::size_t member) {
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(member));
}

double ClassifierPool::cost(const CountedClassifier& one, std::span<const double> prices) {
  return std::inner_product(prices.begin(), prices.end(), one.cells.begin(), one.error);
}

std::vector<double> ClassifierPool::sides_of(std::span<const double> cells, double bound) const {
  const GapConstraints& constraints = problem_.constraints;
  std::vector<double> aimed(cells.begin(), cells.end());
  for (std::size_t k = 0; k < offset_.size(); ++k) aimed[k] += offset_[k];
  std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps())), sides;
  constraints.gaps_of(aimed, gaps);
  for (const double gap : gaps) {
    sides.push_back(gap - bound);
    if (!constraints.has_one_side()) sides.push_back(-gap - bound);
  }
  return sides;
}

/// The linear program over the few members and sides that count, which are found as it goes: with
/// those that it lacks most it is solved again, until it lacks none.
class ClassifierPool::Program {
 public:
  Program(ClassifierPool& pool, double bound) : pool_{pool}, bound_{bound} {
    for (const CountedClassifier& one : pool.members_) {
      sides_.push_back(pool.sides_of(one.cells, bound));
    }
    add_members([&](std::size_t m) { return cost(pool.members_[m], pool.prices_); },
                std::numeric_limits<double>::infinity());
  }

  PoolMixture solve(double penalty) {
    constexpr double rounding = 1e-9;
    while (true) {
      found_ = best_of_some(penalty);
      const PoolMixture mixture = expand();
      const double violation = std::max(0.0, (found_.value - mixture.error) / penalty);
      if (add_sides(pool_.sides_of(expected_cells(mixture), bound_), violation + rounding)) {
        continue;
      }
      const auto cost_of = [&](std::size_t m) {
        double sum = pool_.members_[m].error;
        for (std::size_t k = 0; k < taken_sides_.size(); ++k) {
          sum += found_.multipliers[k] * sides_[m][taken_sides_[k]];
        }
        return sum;
      };
      if (!add_members(cost_of, found_.value - rounding)) return mixture;
    }
  }

  /// Error and penalty of the last solution.
  [[nodiscard]] double value() const { return found_.value; }
  /// Of all sides.
  [[nodiscard]] std::vector<double> multipliers() const {
    std::vector<double> all(sides_.front().size(), 0.0);
    for (std::size_t k = 0; k < taken_sides_.size(); ++k) {
      all[taken_sides_[k]] = found_.multipliers[k];
    }
    return all;
  }
  [[nodiscard]] std::vector<double> expected_cells(const PoolMixture& mixture) const {
    std::vector<double> cells(pool_.prices_.size(), 0.0);
    for (const std::size_t m : taken_) {
      for (std::size_t k = 0; k < cells.size(); ++k) {
        cells[k] += mixture.shares[m] * pool_.members_[m].cells[k];
      }
    }
    return cells;
  }

 private:
  [[nodiscard]] optimise::Mixture best_of_some(double penalty) const {
    std::vector<double> errors, excess;
    for (const std::size_t m : taken_) errors.push_back(pool_.members_[m].error);
    for (const std::size_t side : taken_sides_) {
      for (const std::size_t m : taken_) excess.push_back(sides_[m][side]);
    }
    return optimise::best_mixture(errors, excess, penalty, optimise::Pricing::steepest);
  }

  [[nodiscard]] PoolMixture expand() const {
    PoolMixture mixture{std::vector<double>(pool_.members_.size(), 0.0), 0, 0};
    const double sum = std::accumulate(found_.shares.begin(), found_.shares.end(), 0.0);
    for (std::size_t j = 0; j < taken_.size(); ++j) {
      mixture.shares[taken_[j]] = found_.shares[j] / sum;
      mixture.error += mixture.shares[taken_[j]] * pool_.members_[taken_[j]].error;
    }
    return mixture;
  }

  /// Takes the smallest of what is below `most`. @return whether there is any.
  template <class Value>
  static bool take_some(std::vector<std::size_t>& taken, std::size_t count, double most,
                        Value value) {
    constexpr std::ptrdiff_t at_once = 16;
    std::vector<std::pair<double, std::size_t>> wanted;
    for (std::size_t i = 0; i < count; ++i) {
      const double here = value(i);
      if (here < most && std::ranges::find(taken, i) == taken.end()) wanted.emplace_back(here, i);
    }
    const auto last = std::min(at_once, std::ssize(wanted));
    std::partial_sort(wanted.begin(), wanted.begin() + last, wanted.end());
    for (std::ptrdiff_t i = 0; i < last; ++i) {
      taken.push_back(wanted[static_cast<std::size_t>(i)].second);
    }
    return last > 0;
  }
  template <class Cost>
  bool add_members(Cost cost_of, double most) {
    return take_some(taken_, pool_.members_.size(), most, cost_of);
  }
  bool add_sides(const std::vector<double>& sides, double least) {
    return take_some(taken_sides_, sides.size(), -least, [&](std::size_t k) { return -sides[k]; });
  }

  ClassifierPool& pool_;
  double bound_;
  std::vector<std::vector<double>> sides_;  ///< of every member
  std::vector<std::size_t> taken_, taken_sides_;
  optimise::Mixture found_;
};

PoolMixture ClassifierPool::best_within(double bound) {
  // A price that is high enough is exact; one that is higher than needed costs digits.
  constexpr double first = 100, last = 1e6, rounding = 1e-9;
  Program program(*this, bound);
  for (double penalty = first;; penalty *= 100) {
    PoolMixture mixture = program.solve(penalty);
    if (program.value() - mixture.error > penalty * rounding && penalty < last) continue;
    mixture.excess =
        std::max(0.0, std::ranges::max(sides_of(program.expected_cells(mixture), bound_)));
    const std::vector<double> multipliers = program.multipliers();
    const bool one_side = problem_.constraints.has_one_side();
    std::vector<double> of_gaps;
    for (std::size_t k = 0; k < multipliers.size(); k += one_side ? 1 : 2) {
      of_gaps.push_back(multipliers[k] - (one_side ? 0 : multipliers[k + 1]));
    }
    problem_.constraints.pull_back(of_gaps, prices_);
    return mixture;
  }
}

double ClassifierPool::gap_of(std::span<const double> cells) const {
  std::vector<double> aimed(cells.begin(), cells.end());
  for (std::size_t k = 0; k < offset_.size(); ++k) aimed[k] += offset_[k];
  std::vector<double> gaps(static_cast<std::size_t>(problem_.constraints.gaps()));
  problem_.constraints.gaps_of(aimed, gaps);
  return problem_.constraints.largest_gap(aimed, gaps);
}

std::optional<std::size_t> ClassifierPool::best_member() const {
  std::optional<std::size_t> best;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const CountedClassifier& one = members_[m];
    if (best && !(one.error < members_[*best].error)) continue;
    if (gap_of(one.cells) <= bound_) best = m;
  }
  return best;
}

PoolMixture ClassifierPool::trimmed(PoolMixture mixture) const {
  constexpr double tiny = 1e-6, slack = 5e-10;  // less than best_draw() keeps
  const auto is_tiny = [](double share) { return share > 0 && share < tiny; };
  if (mixture.excess > 0 || std::ranges::none_of(mixture.shares, is_tiny)) return mixture;
  PoolMixture rest{mixture.shares, 0, 0};
  std::ranges::replace_if(rest.shares, is_tiny, 0.0);
  const double sum = std::accumulate(rest.shares.begin(), rest.shares.end(), 0.0);
  std::vector<double> cells(prices_.size(), 0.0);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    rest.shares[m] /= sum;
    rest.error += rest.shares[m] * members_[m].error;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      cells[k] += rest.shares[m] * members_[m].cells[k];
    }
  }
  return gap_of(cells) <= (1 - slack) * bound_ ? rest : mixture;
}

PoolMixture ClassifierPool::best() {
  const PoolMixture draw = trimmed(best_draw());
  const auto member = best_member();
  constexpr double rounding = 1e-12;
  if (!member || (draw.excess == 0 && draw.error < members_[*member].error - rounding)) {
    return draw;
  }
  PoolMixture alone{std::vector<double>(members_.size(), 0.0), members_[*member].error, 0};
  alone.shares[*member] = 1;
  return alone;
}

PoolMixture ClassifierPool::best_draw() {
  constexpr double slack = 1e-9;  // as promised_bound(): sums in another order stay within
  double aim = bound_ - slack * bound_;
  PoolMixture found = best_within(aim);
  // Rounding of the simplex method, which grows with its steps.
  constexpr int tries = 3;
  for (int k = 0; k < tries && found.excess > 0 && found.excess < 1e-6; ++k) {
    aim -= 2 * (found.excess + slack * bound_);
    found = best_within(aim);
  }
  return found;
}

void ClassifierPool::prune() {
  (void)best();
  std::vector<double> costs;
  for (const CountedClassifier& one : members_) costs.push_back(cost(one, prices_));
  std::vector<std::size_t> order(members_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(kept_always_), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<CountedClassifier> kept;
  for (std::size_t m = 0; m < most; ++m) kept.push_back(std::move(members_[order[m]]));
  members_ = std::move(kept);
}

}  // namespace fairfront::training
