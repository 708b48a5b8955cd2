/// @file
/// Classifiers that training comes by, and the best randomised one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "solvers/common/state.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// A classifier and what counting has found of the training rows.
struct CountedClassifier {
  std::vector<double> w;      ///< weights of the network, or those of its last layer
  double error = 0;           ///< share of all rows that are decided wrongly
  std::vector<double> cells;  ///< means of cell_values(), shape (cells,)
  /// Whether the scores of these very weights were counted, and none of them is next to 0.
  bool is_certain = false;
};

template <solvers::MaybeConst<CountedClassifier> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.error, self.cells, self.is_certain);
}

/// Shares of classifiers in a randomised one, of which each decides with its share as probability.
struct PoolMixture {
  std::vector<double> shares;  ///< of the pool's members, > 0 of one more than constraints at most
  double error = 0;            ///< expected
  double excess = 0;           ///< of the largest expected |gap| over the bound, at least 0
};

/// The best randomised classifier of given ones is a linear program: its expected error and rates
/// are linear in the shares (A. Cotter, H. Jiang, M. Gupta, S. Wang, T. Narayan, S. You,
/// K. Sridharan, 2019, "Optimization with non-differentiable constraints with applications to
/// fairness, recall, churn, and other goals", section 4.2: "shrinking"). Both constant decisions
/// are among them: of gaps and ratios, some mixture of these keeps any bound.
///
/// Of many classifiers `most` are kept: of one more the linear program would want those first that
/// cost least by its multipliers, so the others go.
class ClassifierPool {
 public:
  static constexpr std::size_t most = 512;

  /// Keeps a reference. Only where decisions are bounded.
  /// @param bound  of every |gap|.
  ClassifierPool(const Problem& problem, double bound);

  /// Added to the rates wherever the bound is meant, shape (cells,); empty: nothing.
  void set_offset(std::span<const double> offset);

  /// Takes a classifier with other counts than those of all here.
  /// @param make  () -> its weights, as CountedClassifier has them.
  template <class Make>
  void offer(double error, const std::vector<double>& cells, bool is_certain, Make make) {
    if (is_known(error, cells, is_certain)) return;
    members_.push_back({make(), error, cells, is_certain});
    if (members_.size() > 2 * most) prune();
  }

  [[nodiscard]] const std::vector<CountedClassifier>& members() const { return members_; }
  /// Those that are here now never go.
  void keep_always() { kept_always_ = members_.size(); }
  /// Leaves out what is not certain.
  void keep_certain();
  void drop(std::size_t member);

  /// That of the least error within the bound; where none is within, of the least excess. Never
  /// worse than a single member: the linear program keeps room for rounding, which counts of one
  /// classifier need not, so that the best member within the bound is taken where no draw has a
  /// smaller error. Shares that are next to nothing are left out where the bound is kept without.
  /// @throws base::Interrupted  see base::stop_point().
  [[nodiscard]] PoolMixture best();
  /// What a rate of 1 in each cell costs in errors, by the multipliers of the last best(); shape
  /// (cells,).
  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }
  /// Error and rates at prices.
  [[nodiscard]] static double cost(const CountedClassifier& one, std::span<const double> prices);

 private:
  class Program;
  [[nodiscard]] bool is_known(double error, const std::vector<double>& cells,
                              bool is_certain) const;
  void add_constant(double score);
  /// What is beyond the bound on every side of a gap.
  [[nodiscard]] std::vector<double> sides_of(std::span<const double> cells, double bound) const;
  /// @param bound  that is aimed at.
  [[nodiscard]] PoolMixture best_within(double bound);
  [[nodiscard]] PoolMixture best_draw();
  /// The same without tiny shares, or itself.
  [[nodiscard]] PoolMixture trimmed(PoolMixture mixture) const;
  /// Alone within the bound, of least error.
  [[nodiscard]] std::optional<std::size_t> best_member() const;
  /// The largest |gap|, with the offset.
  [[nodiscard]] double gap_of(std::span<const double> cells) const;
  void prune();

  const Problem& problem_;
  double bound_;
  std::vector<double> offset_;
  std::vector<CountedClassifier> members_;
  std::vector<double> prices_;
  std::size_t kept_always_ = 0;
};

}  // namespace fairfront::training
