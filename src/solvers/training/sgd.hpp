/// @file
/// Stochastic gradient descent on the loss alone: the baseline without fairness.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// Defaults as in the paper's program.
struct SgdOptions {
  double step = 0.005;
  std::int64_t batch = 8;
  Sampling sampling = Sampling::shuffled;
};
[[nodiscard]] base::OptionTable options_of(SgdOptions& options);

/// w -= step g, g the gradient of the mean loss of a batch. No row of a constraint is looked at.
class Sgd final : public Algorithm {
 public:
  /// Keeps a reference to the problem, as all algorithms do.
  Sgd(const Problem& problem, const SgdOptions& options, const Address& address);

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(options_.batch); }
  void pack(solvers::Packer& packer) const override { source_.pack(packer); }
  void unpack(solvers::Unpacker& unpacker) override { source_.unpack(unpacker); }

 private:
  SgdOptions options_;
  RowSource source_;
  Pass pass_;
  std::vector<std::int64_t> rows_;
  std::vector<double> factors_, gradient_;
};

}  // namespace fairfront::training
