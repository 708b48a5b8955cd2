/// @file
/// Step size sequences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fairfront::alternating {

enum class StepRule { fixed, strongly_convex, convex };

/// The step of every inner step of iteration t = 0, 1, ..., when an iteration has n of them.
struct StepOptions {
  StepRule rule = StepRule::fixed;  ///< fixed: step; strongly_convex: 2 / (c (t+1) n);
                                    ///< convex: step / (sqrt(max(t, 1)) n)
  double step = 1e-3;               ///< alpha of `fixed`, abar of `convex`, > 0
  double convexity = 1;             ///< c of `strongly_convex`, > 0
};

/// alpha_t of S. Liu, L. N. Vicente (2022), Theorems 3.1, 3.2 and Corollaries 3.2, 3.3. Their
/// abar / sqrt(t) has no value at t = 0; the proofs begin at t = 1 with any x_1 in the box, so
/// iteration 0 may take the step of iteration 1.
class StepSizes {
 public:
  StepSizes(const StepOptions& options, std::int64_t inner_steps)
      : options_{options}, inner_steps_{static_cast<double>(inner_steps)} {}

  [[nodiscard]] double operator()(std::int64_t t) const {
    const auto time = static_cast<double>(t);
    switch (options_.rule) {
      case StepRule::strongly_convex:
        return 2 / (options_.convexity * (time + 1) * inner_steps_);
      case StepRule::convex:
        return options_.step / (std::sqrt(std::max(time, 1.0)) * inner_steps_);
      case StepRule::fixed:
        break;
    }
    return options_.step;
  }

 private:
  StepOptions options_;
  double inner_steps_;
};

}  // namespace fairfront::alternating
