/// @file
/// What a task keeps over the end of a process of the resamples that it draws behind its solver.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "experiments/audit_checkpoint.hpp"
#include "metrics/interval.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::experiments {

/// Checkpoints of a solver, and of the bootstraps behind it, which may take longer. A task that
/// goes on makes its solver's way from the last state that this has saved, and draws no resample
/// again.
class ResampleCheckpoint {
 public:
  /// Goes on from control.resume, if there is one.
  /// @param control  must outlive this.
  /// @throws base::CheckpointError  it is damaged, or of another kind.
  explicit ResampleCheckpoint(const solvers::Control& control);
  ResampleCheckpoint(const ResampleCheckpoint&) = delete;
  ResampleCheckpoint& operator=(const ResampleCheckpoint&) = delete;

  /// For the solver.
  [[nodiscard]] const solvers::Control& of_solver() const noexcept { return of_solver_; }

  /// The options of the next bootstrap of the task, so that it goes on where it was and is kept.
  /// Tasks ask for their bootstraps in the same order in every process.
  [[nodiscard]] metrics::BootstrapOptions next(metrics::BootstrapOptions options);

 private:
  [[nodiscard]] std::string pack() const;
  void unpack(const std::string& bytes);

  solvers::Control of_solver_, of_resamples_;
  std::optional<std::string> solver_state_{}, resample_state_{};
  std::optional<AuditCheckpoint> resamples_{};
  std::size_t asked_ = 0;  ///< bootstraps
};

/// What the bootstraps of a task hang on.
struct Resampling {
  const std::string& key;  ///< of the task: with the bootstrap's seed the draws' address
  ResampleCheckpoint* kept = nullptr;  ///< null: nothing is kept

  [[nodiscard]] metrics::BootstrapOptions next(metrics::BootstrapOptions options) const {
    return kept == nullptr ? options : kept->next(std::move(options));
  }
};

}  // namespace fairfront::experiments
