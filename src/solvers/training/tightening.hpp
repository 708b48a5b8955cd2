/// @file
/// Trained weights made tighter until their bounds are sure to hold for rows that were not trained
/// on.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/training/full_data.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// A part at weights whose output is scaled: everything follows from the scores, without running
/// the network again. Keeps references.
class ScaledOutput {
 public:
  /// @param scores  of the rows of the part, in their order.
  ScaledOutput(const Problem& problem, const Part& part, std::vector<double> scores);

  /// The losses of the rows at scores times `scale`. Valid until the next call.
  std::span<const double> losses(double scale);
  /// Mean loss and gaps there.
  PartLosses at(double scale);
  [[nodiscard]] const Part& part() const noexcept { return part_; }

 private:
  const Problem& problem_;
  const Part& part_;
  std::vector<double> scores_, labels_, scaled_, losses_;
};

/// What tighten() has found.
struct Tightening {
  double scale = 0;                                              ///< of the output; 0: none is sure
  double bound = std::numeric_limits<double>::infinity();        ///< of every |gap|, at that scale
  double least_bound = std::numeric_limits<double>::infinity();  ///< of all scales tested
  std::int64_t tests = 0;                                        ///< scales tested
};

/// The scale of the output for which no |gap| of the population is above delta, with confidence.
///
/// The smaller t is, the closer to each other are the losses of scores times t; at t = 0 all are
/// equal. Scales 1/100, 2/100, .., 1 are tested in this order by gap_bounds() of the validation
/// part; the first whose largest bound is above delta ends the tests. Of those that passed and have
/// their gaps on the training part within delta, too, the one with the smallest training loss is
/// taken.
///
/// Every test has the full confidence, and so have all together, without a correction for their
/// number (a fixed sequence of tests: Maurer, Hothorn, Lehmacher, 1995; for thresholds of models:
/// Angelopoulos, Bates, Candes, Jordan, Lei, 2021). The weights and the order are made without the
/// validation part, so that a scale with a gap above delta is taken only if the first one of these
/// passes its test. The assumptions are those of gap_bounds(). A choice among several runs by their
/// validation results is not covered.
///
/// @param train, validation  of the same weights, in which the validation part had no say.
/// @param delta       > 0.
/// @param confidence  in (0, 1).
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] Tightening tighten(const GapConstraints& constraints, ScaledOutput& train,
                                 ScaledOutput& validation, double delta, double confidence);

}  // namespace fairfront::training
