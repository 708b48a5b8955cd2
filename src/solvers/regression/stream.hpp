/// @file
/// Post-processing of a stream: every unlabelled row is seen once, when it arrives, and forgotten.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

enum class StreamRule {
  averaged_sgd,  ///< projected steps of size 1/M; the average of all iterates
  ac_sa,         ///< Algorithm 2 of the paper: Ghadimi and Lan (2012)
};

struct StreamOptions {
  StreamRule rule = StreamRule::ac_sa;
  double strong_convexity = 0;  ///< mu of AC-SA; 0: 2 sigma^2 / beta
};

/// The stochastic optimisers that do not need to know how many steps there will be, on rows in the
/// order of their arrival: where they are independent draws, each is an unbiased gradient of the
/// population's dual itself, not of a sample's. Shares of the groups and beta are to be known
/// before, from labelled rows or a number of rows that is expected. Memory is O(K n), whatever the
/// number of rows; nothing is allocated after the construction.
class StreamedDual {
 public:
  /// @param p        shape (K,): shares of the groups, in (0, 1).
  /// @param epsilon  shape (K,), >= 0: slack of every atom of a group.
  /// @throws std::invalid_argument  shapes that do not fit, a value out of range.
  StreamedDual(const Grid& grid, std::vector<double> p, double beta, std::vector<double> epsilon,
               const StreamOptions& options = {});

  /// Takes a row. O(K n).
  /// @param eta  prediction of the target, in the unit of the grid.
  /// @param tau  shape (K,): probability of every group.
  void add(double eta, std::span<const double> tau);

  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] const SoftPrediction& prediction() const noexcept { return prediction_; }
  [[nodiscard]] std::span<const double> shares() const noexcept { return shares_; }

  /// Multipliers w of a DualProblem, shape (2 K n,), as of now: 0 before the first row.
  [[nodiscard]] std::vector<double> multipliers() const;

 private:
  void sgd_step(double step);
  void ac_sa_step();
  void predict(double eta, std::span<const double> w);

  SoftPrediction prediction_;
  std::vector<double> shares_;
  std::vector<double> epsilon_;
  StreamOptions options_;
  double smoothness_;  ///< M = 2 beta sigma^2
  std::int64_t rows_ = 0;
  std::vector<double> w_;
  std::vector<double> average_;  ///< w_ag; of averaged_sgd the mean of the iterates
  std::vector<double> middle_;   ///< w_md
  std::vector<double> tilt_, pi_, d_;
};

}  // namespace fairfront::regression
