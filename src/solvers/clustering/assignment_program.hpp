/// @file
/// The linear program behind assignment_bound().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/clustering/assignment_bound.hpp"
#include "solvers/clustering/factors.hpp"

namespace fairfront::clustering {

/// min sum_ik c_ik x_ik over x >= 0 with sum_k x_ik = 1, counts n_jk = sum_(i in j) x_ik plus those
/// of settled rows, and real levels l_k of the box with l_k <= n_jk <= s_k l_k + o_k, where the
/// line is above most() at all whole levels of the box. Costs are scaled to at most 1.
class AssignmentProgram {
 public:
  AssignmentProgram(const AssignmentCosts& costs, const OpenRows& open, const BalanceLimits& limits,
                    const LevelBox& box);

  /// @return whether it went anywhere: rounding may let it not.
  bool step();

  /// sum of the products of complementary variables, and of what the constraints are broken by,
  /// over the cost.
  [[nodiscard]] double relative_gap() const;
  /// Of the rows as they are split, in units of the costs.
  [[nodiscard]] double cost() const noexcept { return cost_; }
  /// What their counts and levels break the constraints by, times the multipliers.
  [[nodiscard]] double broken() const;
  /// The multipliers of the counts in units of the costs.
  [[nodiscard]] std::vector<std::int64_t> prices() const;
  [[nodiscard]] const std::vector<double>& levels() const noexcept { return level_; }
  [[nodiscard]] const std::vector<double>& counts() const noexcept { return count_; }

 private:
  /// 0 <= value = of_count n + of_level l + constant, and its multiplier.
  struct Slack {
    std::int64_t count = -1;  ///< place of n in (J, K); -1: none
    std::int64_t cluster = 0;
    double of_count = 0;
    double of_level = 0;
    double constant = 0;
    double value = 0;
    double dual = 0;
    double value_step = 0;
    double dual_step = 0;
    double product = 0;  ///< of the predictor's steps
  };
  struct Steps {
    double primal = 1;
    double dual = 1;
    double products = 0;  ///< of complementary variables behind these steps
  };

  void add_slacks(const BalanceLimits& limits, const LevelBox& box, std::int64_t k);
  void add_slack(Slack slack);
  [[nodiscard]] double linear(const Slack& slack) const;
  void start_rows();

  void factorise();
  void add_row_curvature(std::size_t i);
  void complete_curvature(double* matrix) const;
  void factorise_group(std::size_t j);
  void solve_steps(std::vector<double> right);
  void solve(double target, bool corrected);
  void shift_counts(double target, bool corrected);
  void solve_row(std::size_t i, double target, bool corrected, const double* prices);
  [[nodiscard]] double rest_of(const Slack& slack, double target, bool corrected) const;
  [[nodiscard]] Steps longest(double target, bool corrected);
  void advance(Steps steps);
  void sum_cost();
  [[nodiscard]] double products() const;

  const AssignmentCosts& costs_;
  const OpenRows& open_;
  std::int64_t clusters_;
  std::int64_t groups_;
  double unit_ = 1;  ///< of the scaled costs, in those of the problem
  double cost_ = 0;

  // Of every cluster of an open row: the variable, its reduced cost, their ratio, their steps.
  std::vector<double> x_, s_, ratio_, x_step_, s_step_;
  std::vector<double> price_, count_;  ///< shape (J, K)
  std::vector<double> level_;          ///< shape (K,)
  std::vector<char> is_fixed_;         ///< shape (K,): the level
  std::vector<Slack> slacks_;

  std::vector<double> curvature_;       ///< shape (J, K, K): of counts by prices
  std::vector<double> weight_, mixed_;  ///< shape (J, K): second derivatives of the barrier
  std::vector<Factors> group_factors_;  ///< of the prices' rows
  Factors level_factors_;               ///< of the levels' rows, without the prices
  std::vector<double> shift_;           ///< shape (J, K): of counts where prices stay
  std::vector<double> price_step_, count_step_, level_step_;
  std::vector<double> row_x_, row_s_;  ///< steps of one row
};

}  // namespace fairfront::clustering
