/// @file
/// The stochastic switching subgradient method of Y. Huang, Q. Lin (2023), as in Algorithm 3 of
/// A. Kliachkin, J. Lepsova, G. Bareilles, J. Marecek (2025).
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

enum class Output {
  random,  ///< an iterate drawn with probability proportional to its step
  last,
};

/// Defaults as in the paper, which leaves k_0 open.
struct SwitchingOptions {
  double delta = 0.005;
  double objective_step = 0.5;    ///< eta_f
  double constraint_step = 0.05;  ///< eta_c
  double tolerance = 1e-4;        ///< eps_k at the beginning of an epoch
  double tolerance_decay = 0.97;  ///< its factor from then on:
  std::int64_t decay_from = 500;  ///< iterations of the epoch
  std::int64_t batch = 16;
  std::int64_t group_batch = 16;
  Output output = Output::random;
  double burn_in = 0.5;  ///< k_0 as a share of the allowance: no iterate before is put out
  Sampling sampling = Sampling::shuffled;
  Sampling group_sampling = Sampling::shuffled;
  Rules rules = Rules::paper;

  /// Iterations of an epoch over so many training rows.
  [[nodiscard]] std::int64_t epoch(std::int64_t rows) const { return (rows + batch - 1) / batch; }
  /// The iteration of an epoch, from 0 on, from which eps_k decays.
  [[nodiscard]] std::int64_t first_decay() const {
    return decay_from + (rules == Rules::authors ? 1 : 0);
  }
};
[[nodiscard]] base::OptionTable options_of(SwitchingOptions& options);

/// Where the largest constraint of a batch is at most eps_k, a step on the objective; else one on
/// the largest constraint of a second batch. An epoch has ceil(rows / batch) iterations of both
/// kinds. The iterate that is put out is drawn from x_k, k >= k_0, with probability proportional to
/// the step that was taken there; by the authors' rules always to eta_f.
class SwitchingSubgradient final : public Algorithm {
 public:
  SwitchingSubgradient(const Problem& problem, const SwitchingOptions& options,
                       const Address& address);

  bool step(std::span<double> w, Allowance& allowance) override;
  /// If every second step is one on the constraints.
  [[nodiscard]] double mean_cost() const override;
  void finish(std::span<double> w) override;
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

 private:
  [[nodiscard]] std::int64_t group_cost() const { return zeta_1_.cells() * options_.group_batch; }
  void update_tolerance(std::int64_t iteration);
  void offer(std::span<const double> w, double weight, std::int64_t iteration);
  bool constraint_gradient(std::span<const double> w, Allowance& allowance);
  bool objective_gradient(std::span<const double> w, Allowance& allowance);

  SwitchingOptions options_;
  std::int64_t epoch_;
  base::StreamKey output_key_;
  RowSource xi_;
  CellSource zeta_1_, zeta_2_;
  Pass pass_;
  BatchGaps gaps_;
  std::vector<std::int64_t> rows_;
  std::vector<double> factors_, gradient_, of_gaps_;
  double tolerance_;
  double total_weight_ = 0;
  std::vector<double> chosen_;  ///< empty before k_0
};

}  // namespace fairfront::training
