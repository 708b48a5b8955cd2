/// @file
/// Gradient steps on a Lagrangian whose duals follow the constraints of every batch: two rules that
/// dual optimisers of today offer, beside those of the paper.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// What both have.
struct DualAscentOptions {
  double delta = 0.005;
  double step = 0.01;  ///< of the weights
  std::int64_t batch = 8;
  std::int64_t group_batch = 8;
  Sampling sampling = Sampling::shuffled;
  Sampling group_sampling = Sampling::shuffled;
};

/// One batch of the objective and of every cell an iteration:
///
///     c = constraints of the batch, u = weights(c);  w -= step (grad f + grad c'u)
class DualAscent : public Algorithm {
 public:
  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(cost()); }
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

  /// y of d_i - delta <= 0 and of -d_i - delta <= 0 in turn, shape (2 gaps,).
  [[nodiscard]] std::span<const double> duals() const { return duals_; }

 protected:
  DualAscent(const Problem& problem, const DualAscentOptions& options, const Address& address);

  /// Moves the duals by constraints c and puts into u what each of these weighs. Shapes (2 gaps,).
  virtual void weigh(std::span<const double> c, std::span<double> u) = 0;

  std::vector<double> duals_;

 private:
  [[nodiscard]] std::int64_t cost() const {
    return options_.batch + zeta_.cells() * options_.group_batch;
  }

  const GapConstraints& constraints_;
  DualAscentOptions options_;
  RowSource xi_;
  CellSource zeta_;
  Pass pass_;
  BatchGaps gaps_;
  std::vector<std::int64_t> rows_;
  std::vector<double> factors_, gradient_, c_, u_, of_gaps_;
};

struct ClampedAlmOptions : DualAscentOptions {
  double dual_step = 0.05;
  double dual_bound = 10;         ///< y stays in [0, dual_bound]
  double penalty = 1;             ///< rho_0
  double penalty_growth = 1.001;  ///< rho_k = min(growth rho_(k-1), most)
  double most_penalty = 10;       ///< >= penalty
};
[[nodiscard]] base::OptionTable options_of(ClampedAlmOptions& options);
/// @throws std::invalid_argument  the first penalty is above the largest one.
void check_penalties(const ClampedAlmOptions& options);

/// Augmented Lagrangian of inequalities: y = clamp(y + dual_step c, 0, dual_bound),
/// u = y + rho max(c, 0), with a penalty that grows by a factor in every iteration.
class ClampedAlm final : public DualAscent {
 public:
  ClampedAlm(const Problem& problem, const ClampedAlmOptions& options, const Address& address);
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

 private:
  void weigh(std::span<const double> c, std::span<double> u) override;
  ClampedAlmOptions options_;
  double penalty_;
};

struct PiDualsOptions : DualAscentOptions {
  double integral = 0.05;     ///< kappa_i
  double proportional = 0.5;  ///< kappa_p
  double memory = 0.9;        ///< nu: of the mean that the proportional part follows
};
[[nodiscard]] base::OptionTable options_of(PiDualsOptions& options);

/// The controller nuPI of M. Sohrabi et al., "On PI controllers for updating Lagrange multipliers
/// in constrained optimization" (2024): xi = nu xi + (1 - nu) c and
/// y = max(0, y + kappa_i c + kappa_p (xi - xi_before)), u = y.
class PiDuals final : public DualAscent {
 public:
  PiDuals(const Problem& problem, const PiDualsOptions& options, const Address& address);
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

 private:
  void weigh(std::span<const double> c, std::span<double> u) override;
  PiDualsOptions options_;
  std::vector<double> mean_;  ///< xi
};

}  // namespace fairfront::training
