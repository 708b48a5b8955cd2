#include "solvers/training/counted_step.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/training/band_search.hpp"
#include "solvers/training/cell_values.hpp"

namespace fairfront::training {
namespace {

/// The loss next to the point of the layer's last at().
LossModel loss_near(LastLayer& layer) {
  LossModel loss;
  Eigen::MatrixXd of_cells, lower;
  layer.gradients(loss.gradient, of_cells);
  layer.curvature(std::vector<double>(layer.constraints().cells().size(), 0.0), lower);
  loss.hessian = lower.selfadjointView<Eigen::Lower>();
  return loss;
}

std::vector<double> changed(std::vector<double> v, const Eigen::VectorXd& change) {
  for (std::size_t j = 0; j < v.size(); ++j) v[j] += change[static_cast<Eigen::Index>(j)];
  return v;
}

/// Evaluations without which bands are not worth it: there, back, and to scan thresholds.
constexpr std::int64_t fewest = 4;

bool may_go_on(const LastLayerOptions& options, const LastLayerResult& best) {
  return best.evaluations + fewest <= options.evaluations;
}

/// Bands one after the other, from the nearest point, until they gain nothing.
void search_bands(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr int most_bands = 8;
  constexpr double least_gain = 1e-4;
  double share = 0.2;
  Descent descent(layer, options, best);
  descent.price(3);
  for (int k = 0; k < most_bands && may_go_on(options, best); ++k) {
    const double before = best.nearest_merit;
    const LastLayerPoint at = descent.look(best.nearest);
    const LossModel loss = loss_near(layer);
    DecisionBand band = layer.decision_band(share);
    const double cost = static_cast<double>(band.rows()) / static_cast<double>(layer.rows());
    const auto left = static_cast<double>(options.evaluations - best.evaluations - 2);
    const BandMove move =
        lead_within(band, layer.constraints(), loss, promised_bound(options.delta),
                    static_cast<std::int64_t>(left / cost) - 1);
    best.evaluations += static_cast<std::int64_t>(cost * static_cast<double>(move.passes));
    (void)descent.look_along(at, loss.gradient, changed(at.v, move.change));
    if (!move.is_at_reach && !(best.nearest_merit < before - least_gain)) return;
    if (move.is_at_reach) share = std::min(1.0, 2 * share);
  }
}

/// Bands and descents in turn, until something is within the bounds.
void lead_by_bands(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr double least_gain = 1e-5;
  while (best.is_constant() && may_go_on(options, best)) {
    const double before = best.nearest_merit;
    search_bands(layer, options, best);
    const std::int64_t left = options.evaluations - best.evaluations - 1;
    if (!best.is_constant() || left < 2) return;
    Descent descent(layer, options, best);
    descent.end_where_slow();
    descent.price(10);
    descent.damp(1);
    (void)descent.run(best.nearest, left);
    if (!(best.nearest_merit < before - least_gain)) return;
  }
}

/// A descent that ends next to the bounds. @return its price in the end.
double lead_next_to(LastLayer& layer, std::span<const double> start, RowsOfStep rows, double price,
                    const LastLayerOptions& options, LastLayerResult& best) {
  Descent descent(layer, options, best);
  descent.end_where_slow();
  descent.price(price);
  if (rows == RowsOfStep::all_after_some) descent.damp(1);  // its last steps were of other rows
  const std::int64_t tenths = rows == RowsOfStep::some ? 10 : 6;
  const std::int64_t left = options.evaluations - best.evaluations;
  (void)descent.run(start, std::max<std::int64_t>(1, left * tenths / 10));
  if (best.nearest.empty()) best.nearest = best.v;  // no loss was finite
  return descent.price();
}

}  // namespace

bool counts_differences(const Problem& problem) {
  return has_decisions(problem) && !problem.constraints.has_one_side();
}

LastLayerResult counted_step(LastLayer& layer, std::span<const double> start, RowsOfStep rows,
                             const LastLayerOptions& options) {
  LastLayerResult best = constant_result(layer, options);
  const double price = lead_next_to(layer, start, rows, 1, options, best);
  if (rows == RowsOfStep::some) return best;
  lead_by_bands(layer, options, best);
  // Where the first way ends beside the bounds, one that pays more for them may not.
  constexpr std::array<double, 3> other_prices{10, 100, 0.1};
  constexpr std::int64_t enough = 12;
  for (const double other : other_prices) {
    if (!best.is_constant() || options.evaluations - best.evaluations < enough) break;
    best.nearest_merit = std::numeric_limits<double>::infinity();
    (void)lead_next_to(layer, start, rows, other, options, best);
    lead_by_bands(layer, options, best);
  }
  if (best.is_constant() && options.evaluations > best.evaluations) {
    Descent(layer, options, best).scan_thresholds(best.nearest);
  }
  if (options.evaluations > best.evaluations && (layer.is_linear() || best.is_constant())) {
    Descent second(layer, options, best);
    second.price(price);
    (void)second.run(best.is_constant() ? best.nearest : best.v,
                     options.evaluations - best.evaluations);
  }
  return best;
}

}  // namespace fairfront::training
