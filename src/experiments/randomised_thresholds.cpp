#include "experiments/randomised_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/threshold_curve.hpp"
#include "solvers/regression/linear_program.hpp"

namespace fairfront::experiments {
namespace {

/// A group's vertices in the plane of false and true positive rates.
struct Hull {
  std::vector<double> threshold, false_rate, true_rate;
  double negatives = 0;
  double positives = 0;
};

/// Twice the area of the triangle; above 0 where the turn is to the left.
double turn(const metrics::Curve& c, std::size_t a, std::size_t b, std::size_t d) {
  const auto x = [&](std::size_t i) { return static_cast<double>(c.x[i]); };
  const auto y = [&](std::size_t i) { return static_cast<double>(c.y[i]); };
  return (x(b) - x(a)) * (y(d) - y(a)) - (y(b) - y(a)) * (x(d) - x(a));
}

/// Places of the vertices on one side of a curve that rises: from its first to its last point.
std::vector<std::size_t> half_hull(const metrics::Curve& curve, double side) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    while (kept.size() >= 2 && side * turn(curve, kept[kept.size() - 2], kept.back(), i) >= 0) {
      kept.pop_back();
    }
    kept.push_back(i);
  }
  return kept;
}

Hull hull_of(const metrics::Curve& curve) {
  std::vector<std::size_t> places = half_hull(curve, 1);
  for (const std::size_t place : half_hull(curve, -1)) places.push_back(place);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  Hull hull;
  hull.negatives = static_cast<double>(curve.x_of);
  hull.positives = static_cast<double>(curve.y_of);
  // Of a label that no row has, where it is not compared.
  const auto rate = [](std::int64_t count, double of) {
    return of > 0 ? static_cast<double>(count) / of : 0;
  };
  for (const std::size_t place : places) {
    hull.threshold.push_back(curve.threshold[place]);
    hull.false_rate.push_back(rate(curve.x[place], hull.negatives));
    hull.true_rate.push_back(rate(curve.y[place], hull.positives));
  }
  return hull;
}

/// Of which labels every group must have rows.
metrics::NeededLabels needed_by(RateGap gap) {
  const bool odds = gap == RateGap::equalised_odds;
  return {.negatives = odds || gap == RateGap::predictive_equality,
          .positives = odds || gap == RateGap::equal_opportunity};
}

/// The rates that a kind of gap compares, of a vertex.
std::vector<double> compared_rates(const Hull& hull, std::size_t vertex, RateGap gap) {
  const double of_false = hull.false_rate[vertex];
  const double of_true = hull.true_rate[vertex];
  switch (gap) {
    case RateGap::demographic_parity:
      return {(of_false * hull.negatives + of_true * hull.positives) /
              (hull.negatives + hull.positives)};
    case RateGap::equal_opportunity:
      return {of_true};
    case RateGap::predictive_equality:
      return {of_false};
    case RateGap::equalised_odds:
      break;
  }
  return {of_false, of_true};
}

/// Columns: the lowest compared rates, then every vertex's probability, group by group.
struct DrawProgram {
  regression::LinearProgram program;
  std::vector<std::size_t> slack_rows;  ///< whose right side is the slack

  void set_slack(double slack) {
    for (const std::size_t row : slack_rows) program.right[row] = slack;
  }
};

DrawProgram program_of(const std::vector<Hull>& hulls, RateGap gap, double rows) {
  const std::size_t rates = compared_rates(hulls.front(), 0, gap).size();
  std::size_t columns = rates;
  for (const Hull& hull : hulls) columns += hull.threshold.size();
  DrawProgram made;
  made.program.columns = static_cast<std::int64_t>(columns);
  made.program.cost.assign(columns, 0.0);
  const auto add_row = [&](double right) {
    made.program.matrix.resize(made.program.matrix.size() + columns, 0.0);
    made.program.right.push_back(right);
    return made.program.matrix.size() - columns;
  };
  std::size_t column = rates;
  for (const Hull& hull : hulls) {
    const std::size_t at_least = add_row(-1), at_most = add_row(1);
    std::vector<std::size_t> above, below;
    for (std::size_t r = 0; r < rates; ++r) {
      above.push_back(add_row(0));  // lowest <= rate
      made.program.matrix[above[r] + r] = 1;
      made.slack_rows.push_back(made.program.right.size());
      below.push_back(add_row(0));  // rate <= lowest + slack
      made.program.matrix[below[r] + r] = -1;
    }
    for (std::size_t v = 0; v < hull.threshold.size(); ++v, ++column) {
      made.program.matrix[at_least + column] = -1;
      made.program.matrix[at_most + column] = 1;
      const std::vector<double> of_vertex = compared_rates(hull, v, gap);
      for (std::size_t r = 0; r < rates; ++r) {
        made.program.matrix[above[r] + column] = -of_vertex[r];
        made.program.matrix[below[r] + column] = of_vertex[r];
      }
      made.program.cost[column] =
          (hull.false_rate[v] * hull.negatives + (1 - hull.true_rate[v]) * hull.positives) / rows;
    }
  }
  made.program.rows = static_cast<std::int64_t>(made.program.right.size());
  return made;
}

/// What a solution draws, with probabilities that add up to 1.
std::vector<DrawnThreshold> draw_of(const std::vector<Hull>& hulls, std::span<const double> x) {
  constexpr double rounding = 1e-12;  // of a probability
  std::vector<DrawnThreshold> draw;
  for (std::size_t g = 0; g < hulls.size(); ++g) {
    const std::size_t count = hulls[g].threshold.size();
    double sum = 0;
    for (const double probability : x.first(count)) {
      if (probability > rounding) sum += probability;
    }
    for (std::size_t v = 0; v < count; ++v) {
      if (!(x[v] > rounding)) continue;
      draw.push_back({static_cast<std::int32_t>(g), hulls[g].threshold[v], x[v] / sum});
    }
    x = x.subspan(count);
  }
  return draw;
}

/// Sums over a group's rows.
struct Decided {
  double rows[2] = {0, 0};      ///< by label
  double positive[2] = {0, 0};  ///< expected to be decided 1
};

}  // namespace

ErrorAndGap expected_of(const std::vector<DrawnThreshold>& draw, const metrics::Scored& scored,
                        RateGap gap) {
  std::vector<std::vector<DrawnThreshold>> of_group(static_cast<std::size_t>(scored.groups));
  for (const DrawnThreshold& one : draw) {
    of_group[static_cast<std::size_t>(one.group)].push_back(one);
  }
  std::vector<Decided> groups(of_group.size());
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    const auto g = static_cast<std::size_t>(scored.group[i]);
    const std::size_t label = scored.label[i] > 0 ? 1 : 0;
    ++groups[g].rows[label];
    for (const DrawnThreshold& one : of_group[g]) {
      if (scored.score[i] >= one.threshold) groups[g].positive[label] += one.probability;
    }
  }
  constexpr double inf = std::numeric_limits<double>::infinity();
  double errors = 0;
  double low[3] = {inf, inf, inf}, high[3] = {-inf, -inf, -inf};
  bool defined = true;
  for (const Decided& of : groups) {
    errors += of.positive[0] + (of.rows[1] - of.positive[1]);
    const double rates[3] = {of.positive[0] / of.rows[0], of.positive[1] / of.rows[1],
                             (of.positive[0] + of.positive[1]) / (of.rows[0] + of.rows[1])};
    for (std::size_t r = 0; r < 3; ++r) {
      const bool is_compared =
          r == 2   ? gap == RateGap::demographic_parity
          : r == 1 ? gap == RateGap::equalised_odds || gap == RateGap::equal_opportunity
                   : gap == RateGap::equalised_odds || gap == RateGap::predictive_equality;
      if (!is_compared) continue;
      defined &= std::isfinite(rates[r]);
      low[r] = std::min(low[r], rates[r]);
      high[r] = std::max(high[r], rates[r]);
    }
  }
  double largest = 0;
  for (std::size_t r = 0; r < 3; ++r) largest = std::max(largest, high[r] - low[r]);
  return {errors / static_cast<double>(scored.rows()),
          defined ? largest : std::numeric_limits<double>::quiet_NaN()};
}

DrawnFront drawn_threshold_front(const metrics::Scored& scored, RateGap gap, std::int64_t slacks,
                                 const std::function<void()>& between) {
  DrawnFront front;
  const metrics::Curves curves =
      metrics::threshold_curves(scored, metrics::ThresholdGap::equalised_odds, 0, needed_by(gap));
  front.undefined_reason = curves.missing;
  if (!curves.missing.empty()) return front;
  std::vector<Hull> hulls;
  for (const metrics::Curve& curve : curves.of_group) hulls.push_back(hull_of(curve));
  DrawProgram made = program_of(hulls, gap, static_cast<double>(scored.rows()));
  const std::size_t rates = compared_rates(hulls.front(), 0, gap).size();
  const auto solve_within = [&](double slack) {
    if (between) between();
    made.set_slack(slack);
    const regression::LinearProgramResult found = regression::solve(made.program);
    DrawnPoint point;
    point.draw = draw_of(hulls, std::span{found.x}.subspan(rates));
    const ErrorAndGap expected = expected_of(point.draw, scored, gap);
    point.error = expected.error;
    point.gap = expected.gap;
    for (std::size_t i = 0; i < found.multiplier.size(); ++i) {
      point.lower -= made.program.right[i] * found.multiplier[i];
    }
    return point;
  };
  front.points.push_back(solve_within(1));
  const double widest = front.points.front().gap;
  for (std::int64_t k = slacks - 2; k >= 0 && widest > 0; --k) {
    front.points.push_back(
        solve_within(widest * static_cast<double>(k) / static_cast<double>(slacks - 1)));
  }
  return front;
}

}  // namespace fairfront::experiments
