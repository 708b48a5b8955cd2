/// @file
/// The last layer of a network, led within the bounds and along them to a small loss.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/decomposition.hpp"
#include "solvers/training/last_layer.hpp"

namespace fairfront::training {

struct LastLayerOptions {
  double delta = 0.005;            ///< bound of every |gap|, > 0
  double margin = 0.005;           ///< linear models aim at |gap| <= (1 - margin) delta
  std::int64_t evaluations = 100;  ///< of all rows by the last layer, at most; >= 1
};

struct LastLayerResult {
  std::vector<double> v;         ///< the best weights within the bounds
  double loss = 0;               ///< their mean loss
  std::int64_t evaluations = 0;  ///< made, at most those allowed
  double excess =
      0;  ///< of the largest |gap| over delta: above 0 of rates alone, if none is within
};

/// Leads the last layer to where all |gaps| <= delta, and there to a small mean loss. The result is
/// always within the bounds: the best constant score is, and is what is left where nothing else has
/// been found. Of rates of errors no constant need be: the result is then what is beyond the bounds
/// by least, if nothing within them has been found.
///
/// Of rates of decisions, gaps are those of the decisions, and J is that of cell_slopes(): a step
/// that does not do what the slopes promised is not taken, and the next one is shorter, until it
/// changes no decision. Where none leads within the bounds, descents on smoothed decisions follow
/// (LastLayer::smooth_decisions()), and then other intercepts are looked at, before the second
/// start.
///
/// Sequential quadratic programming with an exact penalty (R. Fletcher, 1985): a step is
///
///     min_s  g's + s'Ps / 2 + cap sum_i (|d_i + J_i s| - (1 - margin) delta)_+,
///
/// over all gaps i, nearly, by coordinate ascent in the dual, whose multipliers are in [-cap, cap].
/// Of networks with hidden layers, g and f are 0 outside the bounds where g'P^-1 g / 2, what a step
/// without bounds promises, is less than a hundredth of the loss: the step then changes the scores
/// by no more than the bounds ask for.
/// P is LastLayer::curvature() with the multipliers of the step before, plus mu times its diagonal;
/// of networks with hidden layers also plus mu times that diagonal's mean in every place. A step is
/// taken if f + cap sum_i (|d_i| - ..)_+ falls by at least a thousandth of what the model promised;
/// mu falls where the model is good and grows where it is not; cap grows where steps outside the
/// bounds promise next to nothing more. A descent ends where steps within the bounds promise less
/// than a hundredth of the loss, of linear scores a millionth: the units of hidden layers were
/// trained on the same rows, so that the last of what their weights can gain is lost on others.
///
/// Gaps of losses are differences of convex functions, so that the end depends on the start. Where
/// three fifths of the evaluations have not led within the bounds, and for linear scores always, it
/// is begun a second time, from the best constant score. Of bounds with one side that are out of
/// reach, what is left of the evaluations goes to larger bounds, which leave less beyond them: the
/// least largest gap.
///
/// @param start  shape (layer.size(),).
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] LastLayerResult last_layer_step(const Problem& problem, LastLayer& layer,
                                              std::span<const double> start,
                                              const LastLayerOptions& options);

/// One such step's quadratic problem, in the cells' losses L + C s instead of the gaps.
struct PenaltyModel {
  Eigen::VectorXd gradient;   ///< g, shape (n,)
  Eigen::MatrixXd jacobian;   ///< C, shape (cells, n)
  std::vector<double> cells;  ///< L, shape (cells,)
};
struct PenaltyStep {
  Eigen::VectorXd s;
  std::vector<double> multipliers;  ///< D'y, shape (cells,)
  double value = 0;                 ///< of the model at s, less the loss at s = 0
};
/// @param factor  lower Cholesky factor of P, or for a diagonal P that of it.
/// @param y       start of the dual, shape (gaps,); becomes its solution.
[[nodiscard]] PenaltyStep penalty_step(const GapConstraints& constraints, const PenaltyModel& model,
                                       const models::Cholesky& factor, double cap, double bound,
                                       std::vector<double>& y);

/// sum_i (|gap_i| - bound)_+.
[[nodiscard]] double total_excess(std::span<const double> gaps, double bound);

}  // namespace fairfront::training
