#include "solvers/training/last_layer_step.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/training/cell_values.hpp"
#include "solvers/training/counted_step.hpp"
#include "solvers/training/rounded_lead.hpp"

namespace fairfront::training {
namespace {

/// Of a linear score under bounds on losses: a unit of gap is worth up to some units of loss, and a
/// price next to what it is worth would not say where to go.
constexpr double price_of_losses = 3;
/// Of a last descent with what is left of the evaluations: it comes by where the loss is small.
constexpr double low_price = 0.1;

Descent descent_of(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  Descent descent(layer, options, best);
  if (layer.is_linear()) descent.price(price_of_losses);
  return descent;
}

/// Of the rows, so that two fifths of `evaluations` of all rows are 40 of theirs; at least 20 rows
/// a column.
double share_of_rows(const LastLayer& layer, std::int64_t evaluations) {
  constexpr double enough = 100, of_column = 20;
  const auto rows = static_cast<double>(layer.rows());
  const double least = of_column * static_cast<double>(layer.size()) / rows;
  const double share = std::max(static_cast<double>(evaluations) / enough, least);
  const double most = has_decisions(layer.problem()) ? 0.3 : 0.6;
  return share > most ? 1 : share;
}

/// Where no bounds on the worst group are reached, what is beyond them is a sum over groups: aims
/// at bounds between them and the largest gap, so that only those of the largest ones count.
void lower_largest_gap(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best) {
  constexpr double least_share = 1e-5;
  constexpr std::int64_t of_try = 6;
  constexpr double of_largest = 10;  // price of rounded hinges
  const bool is_hinge = layer.problem().loss == models::LossKind::hinge;
  Descent descent(layer, options, best);
  for (double share = 0.1; share > least_share && best.evaluations < options.evaluations;) {
    const double before = best.excess;
    if (!(before > 0)) return;
    const double aim = options.delta + (1 - share) * before;
    const std::int64_t left = options.evaluations - best.evaluations;
    if (is_hinge) {
      const double widest = std::clamp(8 * share * before, 0.02, 0.5);
      const RoundedLead lead{std::min(3 * of_try, left), of_largest, widest, aim};
      (void)lead_rounded(layer, best.v, lead, options, best);
    } else {
      descent.aim_at(aim);
      descent.price(1);
      (void)descent.run(best.v, std::min(of_try, left));
    }
    if (best.excess > before - 0.5 * share * before) share *= 0.25;
  }
}

/// Where a linear score can tell all rows apart, losses and their gaps vanish together, but on the
/// way there gaps are beyond the bounds: so a few steps know of no bounds, and go on as long as
/// they make much less of the loss.
void descend_freely(LastLayer& layer, std::span<const double> start,
                    const LastLayerOptions& options, LastLayerResult& best) {
  constexpr std::int64_t few = 4, at_least = 50;
  constexpr double less = 0.75, no_bound = 1e300;
  // Of what is left of the loss then, steps take the less the more rows are certain.
  constexpr double small = 0.1, a_little_less = 0.95;
  if (options.evaluations < at_least) return;
  Descent descent(layer, options, best);
  descent.aim_at(no_bound);
  std::vector<double> from(start.begin(), start.end());
  double before = best.loss;
  while (2 * best.evaluations < options.evaluations) {  // half is left to other ways
    LastLayerPoint at = descent.run(from, few);
    if (!(at.loss < (at.loss < small ? a_little_less : less) * before)) return;
    before = at.loss;
    from = std::move(at.v);
  }
}

constexpr std::int64_t few_of_hinges = 60;  // evaluations

/// Where all scores are within the hinge's margin, its losses and their gaps are linear in the
/// weights; far out a descent comes to rest in a bend of some gap, beside the bounds. So it is
/// begun again from the same scores, a tenth as large, and where that is not enough a hundredth.
void descend_from_small_scores(LastLayer& layer, std::span<const double> start,
                               const LastLayerOptions& options, LastLayerResult& best) {
  for (const double size : {0.1, 0.01}) {
    const std::int64_t left = options.evaluations - best.evaluations;
    if (left < 2) return;
    std::vector<double> from(start.begin(), start.end());
    for (double& weight : from) weight *= size;
    const LastLayerPoint end = descent_of(layer, options, best).run(from, (left + 1) / 2);
    if (end.gap() <= options.delta) return;
  }
}

/// Ways of hinges, whose bends stop a descent on them, so that rounded ones lead.
class HingeWays {
 public:
  HingeWays(LastLayer& layer, std::span<const double> start, const LastLayerOptions& options,
            LastLayerResult& best)
      : layer_{layer}, start_(start.begin(), start.end()), options_{options}, best_{best} {}

  /// Of bounds on gaps. Bounds of several gaps leave a thin set, and whether a way comes to where
  /// its loss is small hangs on where it begins.
  void go() {
    const std::vector<double> constant = best_.v;
    // Within the margin losses and gaps are linear.
    std::vector<double> small = start_;
    for (double& weight : small) weight *= 0.1;
    if (!layer_.is_linear()) {  // what a trained network has learnt is in the start
      descend(start_, 0.5);
      if (best_.v == constant) descend(small, 0.3);
      if (best_.v != constant) return;
    }
    const std::int64_t of_path = part(0.35);
    const std::vector<double> end =
        follow_path(layer_, start_, {.evaluations = of_path, .price = high_price, .widest = 1},
                    options_, best_)
            .v;
    lead(end, 0.25, high_price);
    lead(start_, 0.35, price_of_losses);
    descend(start_, 0.35);
    lead(small, 0.35, price_of_losses);
    descend(small, 0.35);
    lead(constant, 0.4, price_of_losses);
    descend(constant, best_.v == constant ? 1 : 0.4);
    descend(best_.v, 1);
  }

  /// Of bounds on the worst group, which a linear score makes convex.
  void go_to_worst_group() {
    lead(start_, 0.6, price_of_losses);
    lower_largest_gap(layer_, options_, best_);
    constexpr double widest = 0.2;
    (void)lead_rounded(layer_, best_.v,
                       {.evaluations = part(1), .price = price_of_losses, .widest = widest},
                       options_, best_);
  }

 private:
  static constexpr double high_price = 10;

  /// Of the evaluations that are left.
  [[nodiscard]] std::int64_t part(double share) const {
    return static_cast<std::int64_t>(share *
                                     static_cast<double>(options_.evaluations - best_.evaluations));
  }
  void lead(const std::vector<double>& from, double share, double price) {
    (void)lead_rounded(layer_, from, {.evaluations = part(share), .price = price}, options_, best_);
  }
  void descend(const std::vector<double>& from, double share) {
    const std::int64_t most = part(share);
    if (most > 0) (void)descent_of(layer_, options_, best_).run(from, most);
  }

  LastLayer& layer_;
  std::vector<double> start_;
  const LastLayerOptions& options_;
  LastLayerResult& best_;
};

/// Of losses: where descents lead from a start and from the constant score.
/// @param rows  after some of the rows the start is where they have led: nothing is kept for the
///              constant score then.
LastLayerResult descended(LastLayer& layer, std::span<const double> start, RowsOfStep rows,
                          const LastLayerOptions& options) {
  LastLayerResult best = constant_result(layer, options, EqualRates::need_room);
  const std::vector<double> constant = best.v;
  const bool has_one_side = layer.constraints().has_one_side();
  const bool is_led = rows == RowsOfStep::all_after_some;
  const std::int64_t tenths = is_led && layer.is_linear() ? 10 : 6;
  if (layer.is_linear() && !has_one_side && !is_led) descend_freely(layer, start, options, best);
  // Of a linear score few evaluations come to no end of such ways under bounds on gaps.
  const bool is_hinge = layer.problem().loss == models::LossKind::hinge;
  const bool are_few =
      is_hinge && layer.is_linear() && !has_one_side && options.evaluations < few_of_hinges;
  if (is_hinge && !are_few) {
    HingeWays ways(layer, start, options, best);
    has_one_side ? ways.go_to_worst_group() : ways.go();
    return best;
  }
  const std::int64_t left_to_all = options.evaluations - best.evaluations;
  Descent first = descent_of(layer, options, best);
  if (is_led) first.damp(1);  // its last steps were those of other rows
  const LastLayerPoint end = first.run(start, std::max<std::int64_t>(1, left_to_all * tenths / 10));
  // What a trained network has learnt is in the first start; a linear score has but this layer.
  const auto goes_on = [&] {
    return options.evaluations > best.evaluations && (layer.is_linear() || best.v == constant);
  };
  if (are_few && end.gap() > options.delta) {
    descend_from_small_scores(layer, start, options, best);
  }
  if (goes_on()) {
    std::int64_t left = options.evaluations - best.evaluations;
    if (has_one_side) left = (left + 1) / 2;
    (void)descent_of(layer, options, best).run(constant, left);
  }
  if (layer.is_linear() && !has_one_side && options.evaluations > best.evaluations) {
    Descent last(layer, options, best);
    last.price(low_price);
    (void)last.run(start, options.evaluations - best.evaluations);
  }
  if (has_one_side) lower_largest_gap(layer, options, best);
  return best;
}

/// By some of the rows first, where these are many.
LastLayerResult searched(LastLayer& layer, std::span<const double> start,
                         const LastLayerOptions& options) {
  const bool counts = has_decisions(layer.problem());
  const auto step = counts ? counted_step : descended;
  const double share = layer.is_linear() ? share_of_rows(layer, options.evaluations) : 1;
  if (share == 1) return step(layer, start, RowsOfStep::all, options);
  // Of the evaluations: two fifths.
  const std::int64_t lead = std::max<std::int64_t>(1, options.evaluations * 4 / 10);
  constexpr std::int64_t fewest = 10;
  LastLayer some(layer.problem(), start, share);
  some.set_offset(layer.offset());
  LastLayerOptions of_some = options, rest = options;
  of_some.evaluations = lead * layer.rows() / some.rows();
  // A thousand rows of every cell may be most of them: what they say of the others is not worth it.
  const std::int64_t most = counts ? layer.rows() / 2 : layer.rows() - 1;
  if (some.rows() > most || of_some.evaluations < fewest || options.evaluations <= lead) {
    return step(layer, start, RowsOfStep::all, options);
  }
  const LastLayerResult led = step(some, start, RowsOfStep::some, of_some);
  const std::int64_t used = (led.evaluations * some.rows() + layer.rows() - 1) / layer.rows();
  const std::int64_t spent = counts ? used : lead;
  rest.evaluations = options.evaluations - spent;
  LastLayerResult found =
      step(layer, counts ? led.nearest.v : led.v, RowsOfStep::all_after_some, rest);
  found.evaluations += spent;
  return found;
}

/// Of ratios what no search starts from: where rates are equal, that of the best constant among
/// them.
void take_kept(const LastLayerResult& constant, LastLayerResult& best) {
  if (constant.excess == 0 && constant.loss < best.kept.loss) {
    best.kept = {constant.v, constant.loss};
  }
  if (best.kept.v.empty() || (best.excess == 0 && !(best.kept.loss < best.loss))) return;
  best.v = best.kept.v;
  best.loss = best.kept.loss;
  best.excess = 0;
}

}  // namespace

LastLayerResult last_layer_step(LastLayer& layer, std::span<const double> start,
                                const LastLayerOptions& options) {
  LastLayerResult best = searched(layer, start, options);
  if (layer.problem().constraints.bound_of() == BoundOf::ratio) {
    take_kept(constant_result(layer, options), best);
  }
  return best;
}

}  // namespace fairfront::training
