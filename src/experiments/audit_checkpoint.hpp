/// @file
/// What a long audit keeps over the end of a process: the resamples of its parts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/interval.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::experiments {

/// The resamples of one part of the data after another. Everything else of an audit takes less
/// time than there is between two checkpoints, and is made again.
class AuditCheckpoint {
 public:
  /// Goes on from control.resume, if there is one.
  /// @param control  must outlive this.
  /// @throws base::CheckpointError  it is damaged, or of another method.
  explicit AuditCheckpoint(const solvers::Control& control);

  /// Of a part; none drawn yet: empty.
  [[nodiscard]] metrics::Resamples earlier(std::size_t part) const;

  /// What the part has now; the parts before it are done. Saves where the caller wants that.
  /// @param last  the part is done.
  /// @throws solvers::Interrupted  the caller wants the audit to stop.
  void look(std::size_t part, const metrics::Resamples& now, bool last);

 private:
  [[nodiscard]] std::string pack() const;
  void unpack(const std::string& bytes);

  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  std::vector<metrics::Resamples> parts_;
};

}  // namespace fairfront::experiments
