/// @file
/// A last layer led along hinges whose bends are rounded less and less.
#pragma once

#include <cstdint>
#include <span>

#include "solvers/training/last_layer.hpp"
#include "solvers/training/last_layer_descent.hpp"

namespace fairfront::training {

struct RoundedLead {
  std::int64_t evaluations = 0;  ///< at most
  double price = 1;              ///< as Descent has it, at first
  double widest = 2;             ///< that hinges are rounded over; 2: the margin, and as far beyond
  double aim = 0;                ///< another bound that steps aim at; 0: that of the options
};

/// Descents on hinges that are rounded, at first over as much as `widest`, then over less and less,
/// each from the end of the one before: a descent on hinges themselves rests in the first bend of
/// the loss or of a gap that it comes to. Hinges are what is kept, and what the bounds are of.
/// @return where they end.
LastLayerPoint lead_rounded(LastLayer& layer, std::span<const double> start,
                            const RoundedLead& lead, const LastLayerOptions& options,
                            LastLayerResult& best);

/// From the least loss without bounds through ever smaller bounds to those asked for: each leads a
/// little way, along weights of a small loss, where bounds of many gaps leave a thin set. The end
/// is where a lead_rounded() may begin.
LastLayerPoint follow_path(LastLayer& layer, std::span<const double> start, const RoundedLead& lead,
                           const LastLayerOptions& options, LastLayerResult& best);

}  // namespace fairfront::training
