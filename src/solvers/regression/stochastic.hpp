/// @file
/// Stochastic optimisers of the dual: E. Chzhen, M. Hebiri, G. Taturyan (2024), appendix C.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

enum class Optimiser {
  sgd,           ///< projected, of step 1/M; the last iterate
  averaged_sgd,  ///< the average of all iterates
  ac_sa,         ///< Algorithm 2: Ghadimi and Lan (2012)
  ac_sa2,        ///< Algorithm 3: Foster et al. (2019)
  sgd3_ac_sa,    ///< Algorithm 4: Allen-Zhu (2021), around Algorithm 2
  sgd3_ac_sa2,   ///< Algorithm 4 around Algorithm 3, as written
};

/// `paper` follows the text. `authors` follows the public program github.com/taturyan/unaware-fair-
/// reg where it differs: mu = M / T; AC-SA's alpha_t = 2 / t; T steps in each half of AC-SA^2; in
/// SGD3 every stage starts from 0, the first regulariser is void, and smoothness is M + mu.
enum class Rules { paper, authors };

struct StochasticOptions {
  Optimiser optimiser = Optimiser::sgd3_ac_sa2;
  Rules rules = Rules::paper;
  std::int64_t steps = 15'000;  ///< T, gradients of one row; of AC-SA^2 by `authors` twice as many
  double strong_convexity = 0;  ///< mu; 0: 2 sigma^2 / beta, or M / T by `authors`
};
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, StochasticOptions& options);

/// When somebody wants to look at a run: after so many gradients, ascending. Nothing of it changes
/// the result.
struct Watch {
  std::vector<std::int64_t> counts{};
  /// @param w  what would be the result if the run ended now.
  std::function<void(std::int64_t count, std::span<const double> w)> look = nullptr;
  /// What the looks have found, as part of the run's state; may be empty.
  std::function<void(solvers::Packer&)> pack = nullptr;
  std::function<void(solvers::Unpacker&)> unpack = nullptr;
};

struct StochasticResult {
  std::vector<double> w;       ///< of the DualProblem
  std::int64_t gradients = 0;  ///< of one row, that were computed
  double smoothness = 0;       ///< M = 2 beta sigma^2
};

/// Gradients that a run computes: T rounded down to whole stages, or twice that.
/// @throws std::invalid_argument  options out of range, or too few steps for a stage of SGD3.
[[nodiscard]] std::int64_t gradients_of(const DualProblem& problem,
                                        const StochasticOptions& options);

/// Runs T steps from w = 0, each on a row drawn uniformly with replacement. Steps allocate nothing;
/// O(K n) each. Local: never communicates.
///
/// SGD3 needs mu < M: it has J = floor(log2(M / mu)) stages of T / J gradients.
/// @param seed, task_key  address of the stream of rows.
/// @throws std::invalid_argument  as gradients_of.
/// @throws std::domain_error  the result is not finite.
/// @throws solvers::Interrupted  `control` wants a stop; its state is saved.
/// @throws base::CheckpointError  the state to go on from is not one of this run.
[[nodiscard]] StochasticResult stochastic_dual(const DualProblem& problem,
                                               const StochasticOptions& options, std::uint64_t seed,
                                               const std::string& task_key,
                                               const solvers::Control& control = {},
                                               const Watch& watch = {});

}  // namespace fairfront::regression
