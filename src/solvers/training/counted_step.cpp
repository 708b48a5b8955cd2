#include "solvers/training/counted_step.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "models/loss.hpp"
#include "solvers/training/band_search.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/smoothed_lead.hpp"

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

/// Evaluations without which bands are not worth it: there, back, and to look at thresholds.
constexpr std::int64_t fewest = 4;

/// Whether nothing has been found within the bounds, or the constant score alone.
bool has_none(const LastLayerResult& best) { return best.excess > 0 || best.is_constant(); }

/// Of fewer a descent has most, and to look at thresholds takes what is left.
constexpr std::int64_t fewest_for_bands = 12;

bool may_go_on(const LastLayerOptions& options, const LastLayerResult& best) {
  return best.evaluations + fewest <= options.evaluations;
}

/// Whether each rate is bounded by itself: no constant score need be within the bounds then.
bool bounds_levels(const LastLayer& layer) {
  return layer.constraints().bound_of() == BoundOf::worst_group;
}

/// Bands one after the other, from the nearest point, until they gain nothing.
void search_bands(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr int most_bands = 8;
  constexpr double least_gain = 1e-4;
  double share = 0.2;
  if (best.nearest.v.empty()) return;  // nothing has been looked at
  Descent descent(layer, options, best);
  descent.price(3);
  for (int k = 0; k < most_bands && may_go_on(options, best); ++k) {
    const double before = best.nearest.merit;
    const LastLayerPoint at = descent.look(best.nearest.v);
    const LossModel loss = loss_near(layer);
    DecisionBand band = layer.decision_band(share);
    const double cost = static_cast<double>(band.rows()) / static_cast<double>(layer.rows());
    const auto left = static_cast<double>(options.evaluations - best.evaluations - 2);
    // Some rows beside the band change, too.
    constexpr double nearly_all = 0.98;
    const double aim = layer.constraints().inside(promised_bound(layer.problem(), options.delta),
                                                  nearly_all, at.cells);
    const BandMove move =
        lead_within(band, layer.constraints(), loss, aim,
                    static_cast<std::int64_t>(left / cost) - 1, best.of_constant - at.loss);
    best.evaluations += static_cast<std::int64_t>(cost * static_cast<double>(move.passes));
    (void)descent.look_along(at, loss.gradient, changed(at.v, move.change));
    if (!move.is_at_reach && !(best.nearest.merit < before - least_gain)) return;
    if (move.is_at_reach) share = std::min(1.0, 2 * share);
  }
}

/// Bands and descents in turn, until something is within the bounds.
void lead_by_bands(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr double least_gain = 1e-5;
  if (best.nearest.v.empty()) return;
  while (has_none(best) && may_go_on(options, best)) {
    const double before = best.nearest.merit;
    search_bands(layer, options, best);
    const std::int64_t left = options.evaluations - best.evaluations - 1;
    if (!has_none(best) || left < 2) return;
    Descent descent(layer, options, best);
    descent.end_where_slow();
    descent.price(10);
    descent.damp(1);
    (void)descent.run(best.nearest.v, left);
    if (!(best.nearest.merit < before - least_gain)) return;
  }
}

/// A way to the bounds: a descent that ends next to them, and bands.
struct Way {
  std::span<const double> start;
  double price = 1;  ///< of what is beyond the bounds, at first
  double damping = 1e-2;
  bool has_bands = true;
};

void follow(const Way& way, LastLayer& layer, const LastLayerOptions& options,
            LastLayerResult& best) {
  Descent descent(layer, options, best);
  descent.end_where_slow();
  descent.price(way.price);
  descent.damp(way.damping);
  const std::int64_t left = options.evaluations - best.evaluations;
  (void)descent.run(way.start, std::max<std::int64_t>(1, left * 6 / 10));
  // Far out, such as where steps led on columns that are not scaled, bands would be in vain.
  constexpr double far_out = 1;
  if (way.has_bands && best.nearest.loss < far_out) lead_by_bands(layer, options, best);
}

/// The same with a share of the evaluations that are left.
LastLayerOptions with_share(const LastLayerOptions& options, const LastLayerResult& best,
                            double share) {
  const auto left = static_cast<double>(options.evaluations - best.evaluations);
  LastLayerOptions part = options;
  part.evaluations = best.evaluations + static_cast<std::int64_t>(share * left);
  return part;
}

/// What is within the bounds may be far from the best that is next to them, or next to a constant.
bool wants_more(const LastLayerResult& best) {
  constexpr double much = 0.01;
  return has_none(best) || best.nearest.merit < best.loss - much ||
         best.loss > best.of_constant - much;
}

/// The better of what two ways have found.
void take(const LastLayerResult& found, LastLayerResult& best) {
  best.evaluations = found.evaluations;
  if (found.nearest.merit < best.nearest.merit) best.nearest = found.nearest;
  if (found.kept.loss < best.kept.loss) best.kept = found.kept;
  if (found.excess > best.excess || (found.excess == best.excess && !(found.loss < best.loss))) {
    return;
  }
  best.v = found.v;
  best.loss = found.loss;
  best.excess = found.excess;
}

/// From the start and elsewhere until something is found next to the best that is beside the
/// bounds. Each way knows nothing of those before, so that none that has led nowhere is where
/// another begins.
class Ways {
 public:
  Ways(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best)
      : layer_{layer}, options_{options}, constant_{best}, best_{best} {}

  /// @param is_led  whether some of the rows have led to the start.
  void go(std::span<const double> start, double damping, bool is_led) {
    constexpr std::int64_t many = 40;
    const std::int64_t all = options_.evaluations - best_.evaluations;
    if (all < fewest_for_bands && !is_led) {
      return try_way(1, {.start = start, .damping = damping, .has_bands = false});
    }
    if (all < many) return try_way(share_of_few(), {start, 1, damping});
    const std::vector<double> constant = constant_.v;
    try_way(0.25, {start, 1, damping});
    try_thresholds();
    try_smoothed(0.3, start);
    try_way(0.4, {constant, 1});
    try_way(0.7, {start, 100, damping});
  }

 private:
  /// Thresholds are looked at with what is left.
  [[nodiscard]] double share_of_few() const {
    constexpr double most = 0.85, to_shift = 4;
    const auto all = static_cast<double>(options_.evaluations);
    return std::min(most, std::max(0.5, (all - to_shift) / all));
  }
  template <class Follow>
  void try_with(double share, Follow follow_it) {
    constexpr std::int64_t enough = 6;
    const bool is_first = !has_begun_;
    has_begun_ = true;
    if (!is_first && (!wants_more(best_) || options_.evaluations - best_.evaluations < enough)) {
      return;
    }
    LastLayerResult own = constant_;
    own.evaluations = best_.evaluations;
    follow_it(with_share(options_, best_, share), own);
    take(own, best_);
  }
  void try_way(double share, const Way& way) {
    try_with(share, [&](const LastLayerOptions& part, LastLayerResult& own) {
      follow(way, layer_, part, own);
    });
  }
  void try_smoothed(double share, std::span<const double> start) {
    try_with(share, [&](const LastLayerOptions& part, LastLayerResult& own) {
      lead_smoothed(layer_, start, with_share(part, own, 0.7), own);
      lead_by_bands(layer_, part, own);
    });
  }

  /// From the first way's end, with other thresholds.
  void try_thresholds() {
    constexpr std::size_t most = 4;
    if (!wants_more(best_) || best_.nearest.v.empty()) return;
    const auto starts = Descent(layer_, options_, best_).other_thresholds(best_.nearest.v, most);
    for (const std::vector<double>& from : starts) {
      try_with(0.15, [&](const LastLayerOptions& part, LastLayerResult& own) {
        (void)Descent(layer_, part, own).look(from);
        lead_by_bands(layer_, part, own);
      });
    }
  }

  LastLayer& layer_;
  const LastLayerOptions& options_;
  LastLayerResult constant_;
  LastLayerResult& best_;
  bool has_begun_ = false;
};

/// Where no bound on the worst group has been kept: bounds between it and the largest rate of a
/// group, one after the other, so that the largest rates alone count.
void lower_largest_rate(LastLayer& layer, const LastLayerOptions& options, double damping,
                        LastLayerResult& best) {
  constexpr double least_share = 0.02;
  for (double share = 0.3; share > least_share && best.excess > 0 && may_go_on(options, best);) {
    LastLayerOptions looser = with_share(options, best, 0.4);
    looser.delta += (1 - share) * best.excess;
    LastLayerResult own = best;
    own.excess = share * best.excess;
    own.nearest = {};
    Ways(layer, looser, own).go(best.v, damping, true);
    best.evaluations = own.evaluations;
    (void)Descent(layer, options, best).look(own.v);
    if (own.excess > 0) share /= 2;
  }
}

/// Where rates of errors agree because most rows are wrong: decisions stay what they are, and the
/// loss comes down to that of score 0.
void shrink_if_bad(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr std::array<double, 1> zero{0.0}, label{1.0};
  std::array<double, 1> loss{};
  models::loss_values(layer.problem().loss, zero, label, loss);
  constexpr std::int64_t evaluations = 2;
  if (best.loss > loss[0] && best.evaluations + evaluations <= options.evaluations) {
    Descent(layer, options, best).resize();
  }
}

/// Rates of errors that are bounded by themselves have slopes all along, and where these lead
/// within the bounds they go on to the least loss there.
/// @return whether they do.
bool descends_within(LastLayer& layer, std::span<const double> start, double damping,
                     const LastLayerOptions& options, LastLayerResult& best) {
  constexpr std::int64_t enough = 60;
  const auto left = [&] { return options.evaluations - best.evaluations; };
  const auto descend = [&](std::span<const double> from, std::int64_t evaluations, double damp) {
    if (evaluations < 1) return;
    Descent descent(layer, options, best);
    descent.damp(damp);
    (void)descent.run(from, evaluations);
    if (left() > 1) descent.resize();
  };
  const std::int64_t most = std::max(enough, options.evaluations * 3 / 10);
  descend(start, std::max<std::int64_t>(1, std::min(most, options.evaluations * 6 / 10)), damping);
  const bool is_next_to = best.excess == 0 && has_none(best) && !best.nearest.v.empty();
  descend(is_next_to ? best.nearest.v : best.v, std::min(most, (left() + 1) / 2), 1e-2);
  if (has_none(best)) return false;
  descend(best.v, left(), 1e-2);
  return true;
}

/// All that follows the start. @param is_led  whether some of the rows have led to the start.
void search(LastLayer& layer, std::span<const double> start, double damping, bool is_led,
            const LastLayerOptions& options, LastLayerResult& best) {
  if (bounds_levels(layer)) {
    if (descends_within(layer, start, damping, options, best)) return;
    if (!may_go_on(options, best)) return;
    const double share = best.excess > 0 ? 0.6 : 1;
    Ways(layer, with_share(options, best, share), best).go(start, damping, is_led);
    lower_largest_rate(layer, options, damping, best);
  } else {
    Ways(layer, options, best).go(start, damping, is_led);
  }
  if (!best.nearest.v.empty() && options.evaluations > best.evaluations) {
    const std::vector<double> nearest = best.nearest.v;
    Descent(layer, options, best).shift_thresholds(nearest);
  }
  // Of two groups, slopes say enough for a descent to come by there, too.
  constexpr std::size_t of_two_groups = 4;
  if (wants_more(best)) {
    const double share = layer.constraints().cells().size() > of_two_groups ? 1 : 0.5;
    search_bands(layer, with_share(options, best, share), best);
  }
  shrink_if_bad(layer, options, best);
  if (options.evaluations > best.evaluations && (layer.is_linear() || wants_more(best))) {
    Descent second(layer, options, best);
    second.price(10);
    (void)second.run(best.v, options.evaluations - best.evaluations);
  }
}

}  // namespace

LastLayerResult counted_step(LastLayer& layer, std::span<const double> start, RowsOfStep rows,
                             const LastLayerOptions& options) {
  LastLayerResult best = constant_result(layer, options, EqualRates::need_room);
  // The last steps on some of the rows were those of other rows.
  const bool is_led = rows == RowsOfStep::all_after_some;
  const double damping = is_led ? 1 : 1e-2;
  if (rows == RowsOfStep::some) {
    Descent descent(layer, options, best);
    descent.end_where_slow();
    (void)descent.run(start, options.evaluations);
    if (best.nearest.v.empty()) best.nearest.v = best.v;  // no loss was finite
    return best;
  }
  // What thresholds alone make of the start: known to no search, so that none ends for it.
  LastLayerResult shifted = best;
  Descent(layer, options, shifted).shift_thresholds({start.begin(), start.end()});
  best.evaluations = shifted.evaluations;
  search(layer, start, damping, is_led, options, best);
  shifted.evaluations = best.evaluations;
  take(shifted, best);
  return best;
}

}  // namespace fairfront::training
