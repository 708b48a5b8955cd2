/// @file
/// Training that ends feasible: stochastic steps on an augmented Lagrangian whose gaps are those of
/// all rows, then full passes that keep the best weights within the bounds.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/tightening.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

struct CertifiedOptions {
  double delta = 0.005;            ///< bound of every |gap| on the training part, > 0
  double step = 0.05;              ///< of the stochastic steps at first; falls to 0 over them
  std::int64_t batch = 8;          ///< rows of a stochastic step
  double penalty = 10;             ///< rho of the augmented Lagrangian
  double dual_step = 2;            ///< of the multipliers over an epoch
  double largest_multiplier = 10;  ///< multipliers stay in [0, this]
  double margin = 0.01;            ///< full passes aim at |gap| <= (1 - margin) delta
  std::int64_t passes = 6;         ///< over all rows, kept of the budget for the end; >= 2
  double pass_step = 0.5;          ///< of the descent along the bounds between passes, at first
  Sampling sampling = Sampling::shuffled;
  /// In (0, 1): the result's gaps are within delta for the population, too, with this confidence by
  /// the validation part. 0: nothing is asked of it.
  double confidence = 0;
};
[[nodiscard]] base::OptionTable options_of(CertifiedOptions& options);

/// Gaps of the whole training part without passes over it: the loss of every row as it was when the
/// row was last in a batch, with running sums of each cell. No noise of sampling is left, only the
/// age of the losses, at most an epoch.
class LossTable {
 public:
  explicit LossTable(const Problem& problem);

  /// Takes the losses of rows by their positions in the training part.
  void update(std::span<const std::int64_t> positions, std::span<const double> losses);
  /// Whether a row of every cell has been seen.
  [[nodiscard]] bool is_complete() const;
  /// Means over the rows seen. @param out  shape (gaps,).
  void gaps(std::span<double> out);

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  const Problem* problem_;
  std::vector<double> loss_;  ///< by position; NaN: not seen
  std::vector<double> sums_, counts_, means_;
};

/// The smallest change s of weights with |d + J s| <= bound that also descends: the minimiser of
/// g's + |s|^2 / (2 eta), for eta = 0 of |s|. By coordinate ascent in the multipliers.
/// @param jacobian  row-major, shape (gaps, n).
/// @param gradient  shape (n,). @return s, shape (n,).
[[nodiscard]] std::vector<double> restoring_step(std::span<const double> gaps,
                                                 std::span<const double> jacobian,
                                                 std::span<const double> gradient, double bound,
                                                 double eta);

/// A method of ours.
///
/// Stochastic part. On a batch B of rows, with d of the loss table,
///
///     y+ = clamp(y+ + (b / N) dual_step (d - delta)),  the same for y- and -d,
///     v  = (y+ + rho (d - delta))_+ - (y- + rho (-d - delta))_+,
///     w -= step / b sum_B (1 + (N / n_k) (D'v)_k) grad loss_i,  k the cell of row i.
///
/// Every row serves objective and constraints: a step costs b evaluations, not three batches.
///
/// A run that diverges begins again with a quarter of the step.
///
/// Full passes, each charged with N evaluations: loss, gaps and all gradients at w. Feasible
/// weights of the smallest loss are kept; a restoring_step() leads from the best to the next try,
/// half as bold where a try is not feasible or no better.
///
/// Last, where no pass has been feasible: the scores of all rows (N evaluations), from which those
/// of an output layer scaled by t in [0, 1] follow without running the network again. At t = 0 all
/// losses are equal and all gaps 0, so that bisection finds weights within the bounds: the result
/// is always feasible.
///
/// Where a confidence is asked for, at the very end: the scores of all rows of the training and the
/// validation part, charged with one evaluation each, and tighten(). If no scale is sure, the
/// weights stay as they were.
class Certified final : public Algorithm {
 public:
  Certified(const Problem& problem, const CertifiedOptions& options, const Address& address);

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(options_.batch); }
  void finish(std::span<double> w) override;
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

  /// What was found for the confidence asked for; no tests where none was.
  [[nodiscard]] const Tightening& tightening() const noexcept { return tightening_; }

  /// @throws std::invalid_argument  too small a budget for the full passes, or none; a confidence
  /// without a validation part.
  static void validate_for(const Problem& problem, const CertifiedOptions& options,
                           const RunOptions& run);

 private:
  struct FullPass;
  bool stochastic_step(std::span<double> w, Allowance& allowance);
  void update_multipliers();
  /// None where the run has diverged: levelling down can do that to losses without an upper bound.
  [[nodiscard]] std::span<const double> losses_of_batch(std::span<const double> w);
  /// From the first weights, with smaller steps.
  void begin_again(std::span<double> w);
  [[nodiscard]] FullPass full_pass(std::span<const double> w);
  void try_weights(std::span<double> w);
  void scale_output(std::span<double> w);
  void tighten_best(std::span<double> w);
  /// @throws std::domain_error  see Pass::forward().
  [[nodiscard]] std::vector<double> scores(const Part& part, std::span<const double> w);
  /// Of the stochastic steps and the passes: what stays in the budget.
  [[nodiscard]] std::int64_t kept() const {
    return options_.passes * rows() + cost_of_confidence(problem_, options_);
  }
  [[nodiscard]] static std::int64_t cost_of_confidence(const Problem& problem,
                                                       const CertifiedOptions& options);
  [[nodiscard]] std::int64_t rows() const { return problem_.train.size(); }

  const Problem& problem_;
  CertifiedOptions options_;
  RowSource source_;
  LossTable table_;
  Pass pass_;
  std::vector<double> upper_, lower_;  ///< multipliers of both sides of every gap
  std::vector<double> best_;           ///< feasible weights, or none yet
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::vector<double> best_gaps_, best_gradient_, best_jacobian_;
  std::vector<double> start_;  ///< empty before the first step
  double pass_step_;
  double shrink_ = 1;  ///< of the stochastic steps
  Tightening tightening_{};
  std::vector<std::int64_t> positions_, rows_;
  std::vector<double> gaps_, pulled_, factors_, gradient_;
};

}  // namespace fairfront::training
