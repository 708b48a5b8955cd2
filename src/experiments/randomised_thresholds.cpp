#include "experiments/randomised_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "metrics/threshold_curve.hpp"
#include "optimise/linear_program.hpp"

namespace fairfront::experiments {
namespace {

using training::BoundOf;
using training::RateKind;
using training::RateLimit;

/// A group's vertices in the plane of false and true positive rates.
struct Hull {
  std::vector<double> threshold, false_rate, true_rate;
  std::vector<std::int64_t> errors;  ///< rows decided wrongly
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
    hull.errors.push_back(curve.errors[place]);
  }
  return hull;
}

std::int64_t least_errors(const Hull& hull) { return std::ranges::min(hull.errors); }

/// The vertices alone at which the group has its least errors: whatever is drawn of them has.
Hull of_least_errors(const Hull& hull) {
  Hull least;
  least.negatives = hull.negatives;
  least.positives = hull.positives;
  for (std::size_t v = 0; v < hull.errors.size(); ++v) {
    if (hull.errors[v] != least_errors(hull)) continue;
    least.threshold.push_back(hull.threshold[v]);
    least.false_rate.push_back(hull.false_rate[v]);
    least.true_rate.push_back(hull.true_rate[v]);
    least.errors.push_back(hull.errors[v]);
  }
  return least;
}

/// Of which labels every group must have rows.
metrics::NeededLabels needed_by(RateKind gap) {
  const bool odds = gap == RateKind::equalised_odds;
  return {.negatives = odds || gap == RateKind::predictive_equality,
          .positives = odds || gap == RateKind::equal_opportunity};
}

/// What is known of a group's decisions; not finite where there are no such rows.
struct GroupRates {
  double of_false, of_true;  ///< decided 1 of label 0 and of label 1
  double decided, wrong;     ///< shares of all its rows
};

/// The rates that a kind of gap compares.
std::vector<double> compared(const GroupRates& rates, RateKind gap) {
  switch (gap) {
    case RateKind::demographic_parity:
      return {rates.decided};
    case RateKind::error_rate_parity:
      return {rates.wrong};
    case RateKind::equal_opportunity:
      return {rates.of_true};
    case RateKind::predictive_equality:
      return {rates.of_false};
    case RateKind::equalised_odds:
      break;
  }
  return {rates.of_false, rates.of_true};
}

/// How many rates that are.
std::size_t count_compared(RateKind gap) { return compared({}, gap).size(); }

/// Of a group that has the threshold of a vertex.
GroupRates rates_at(const Hull& hull, std::size_t vertex) {
  const double of_false = hull.false_rate[vertex];
  const double of_true = hull.true_rate[vertex];
  const double rows = hull.negatives + hull.positives;
  return {of_false, of_true, (of_false * hull.negatives + of_true * hull.positives) / rows,
          (of_false * hull.negatives + (1 - of_true) * hull.positives) / rows};
}

/// Whether a compared rate is of rows with label 1 decided 1, of which the rest is errors.
bool is_of_hits(RateKind kind, std::size_t rate) {
  return kind == RateKind::equal_opportunity || (kind == RateKind::equalised_odds && rate == 1);
}

/// What is to be as small as possible: the error, how far a bound is exceeded, or the gap, whatever
/// its bound is.
enum class Aim { error, excess, gap };

/// level * (a level of all groups) + rate * (a group's rate) + spread * (the gap) <= right.
struct RateRow {
  double level, rate, right;
  double spread = 0;
};

/// The rows that bound a group's rate. Levels are the lowest rates of all groups; of errors how far
/// the largest is beyond the bound, which is 0 where it is not the aim.
std::vector<RateRow> rows_of(const RateLimit& limit, Aim aim, std::size_t rate) {
  switch (limit.of) {
    case BoundOf::gap:
      if (aim == Aim::gap) return {{1, -1, 0}, {-1, 1, 0, -1}};
      return {{1, -1, 0}, {-1, 1, limit.bound}};
    case BoundOf::ratio:
      return {{1, -1, 0}, {-1, limit.bound, 0}};
    case BoundOf::worst_group:
      break;
  }
  const double level = aim == Aim::excess ? -1 : 0;
  const bool hits = is_of_hits(limit.rate, rate);
  return {{level, hits ? -1.0 : 1.0, hits ? limit.bound - 1 : limit.bound}};
}

/// Columns: the gap where it is the aim, a level of each compared rate, then every vertex's
/// probability, group by group.
class DrawProgram {
 public:
  DrawProgram(const std::vector<Hull>& hulls, const RateLimit& limit, Aim aim, double rows)
      : limit_{limit},
        aim_{aim},
        rows_{rows},
        compared_{count_compared(limit.rate)},
        before_levels_{aim == Aim::gap ? std::size_t{1} : 0} {
    std::size_t columns = before_vertices();
    for (const Hull& hull : hulls) columns += hull.threshold.size();
    program_.columns = static_cast<std::int64_t>(columns);
    program_.cost.assign(columns, 0.0);
    if (aim != Aim::error) program_.cost.front() = 1;
    std::size_t first = before_vertices();
    for (const Hull& hull : hulls) {
      add_group(hull, first);
      first += hull.threshold.size();
    }
    program_.rows = static_cast<std::int64_t>(program_.right.size());
  }

  [[nodiscard]] const optimise::LinearProgram& program() const noexcept { return program_; }
  /// Columns that are no probability.
  [[nodiscard]] std::size_t before_vertices() const noexcept { return before_levels_ + compared_; }

 private:
  /// The new row, of zeros.
  double* add_row(double right) {
    program_.matrix.resize(program_.matrix.size() + program_.cost.size(), 0.0);
    program_.right.push_back(right);
    return &program_.matrix[program_.matrix.size() - program_.cost.size()];
  }

  void add_group(const Hull& hull, std::size_t first) {
    const std::size_t vertices = hull.threshold.size();
    std::fill_n(add_row(-1) + first, vertices, -1.0);
    std::fill_n(add_row(1) + first, vertices, 1.0);
    for (std::size_t r = 0; r < compared_; ++r) {
      for (const RateRow& form : rows_of(limit_, aim_, r)) {
        double* const row = add_row(form.right);
        if (aim_ == Aim::gap) row[0] = form.spread;
        row[before_levels_ + (limit_.of == BoundOf::worst_group ? 0 : r)] = form.level;
        for (std::size_t v = 0; v < vertices; ++v) {
          row[first + v] = form.rate * compared(rates_at(hull, v), limit_.rate)[r];
        }
      }
    }
    for (std::size_t v = 0; v < vertices && aim_ == Aim::error; ++v) {
      program_.cost[first + v] =
          (hull.false_rate[v] * hull.negatives + (1 - hull.true_rate[v]) * hull.positives) / rows_;
    }
  }

  RateLimit limit_;
  Aim aim_;
  double rows_;  ///< of all groups
  std::size_t compared_;
  std::size_t before_levels_;
  optimise::LinearProgram program_;
};

/// What a solution draws, with probabilities that add up to 1.
std::vector<DrawnThreshold> draw_of_vertices(const std::vector<Hull>& hulls,
                                             std::span<const double> x) {
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

  [[nodiscard]] double errors() const { return positive[0] + (rows[1] - positive[1]); }
  [[nodiscard]] GroupRates rates() const {
    const double all = rows[0] + rows[1];
    return {positive[0] / rows[0], positive[1] / rows[1], (positive[0] + positive[1]) / all,
            errors() / all};
  }
};

std::vector<Decided> decided_by(const std::vector<DrawnThreshold>& draw,
                                const metrics::Scored& scored) {
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
  return groups;
}

/// The draws of some scores under bounds on one kind of gap.
class Draws {
 public:
  Draws(const metrics::Scored& scored, RateKind gap) : scored_{scored}, gap_{gap} {
    const metrics::Curves curves =
        metrics::threshold_curves(scored, metrics::ThresholdGap::equalised_odds, 0, needed_by(gap));
    missing_ = curves.missing;
    if (!missing_.empty()) return;
    for (const metrics::Curve& curve : curves.of_group) hulls_.push_back(hull_of(curve));
  }

  /// Why there are none, or "".
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

  /// @throws std::logic_error  no draw is within the limit.
  [[nodiscard]] DrawnPoint within(const RateLimit& limit) const {
    const DrawProgram made(hulls_, limit, Aim::error, rows());
    const optimise::LinearProgramResult found = optimise::solve_linear_program(made.program());
    if (!found.feasible) throw std::logic_error("no draw of thresholds is within the bound");
    DrawnPoint point = point_of(hulls_, made, found);
    for (std::size_t i = 0; i < found.multiplier.size(); ++i) {
      point.lower -= made.program().right[i] * found.multiplier[i];
    }
    return point;
  }

  /// Of all draws with the least error that there is, the one with the least gap. Without a bound
  /// every group has the least error by itself, which counts say exactly: what is left to choose
  /// is which of the vertices that have it are drawn.
  [[nodiscard]] DrawnPoint of_least_error() const {
    std::vector<Hull> least;
    std::int64_t errors = 0;
    for (const Hull& hull : hulls_) {
      least.push_back(of_least_errors(hull));
      errors += least_errors(hull);
    }
    const DrawProgram made(least, {gap_, BoundOf::gap, 0}, Aim::gap, rows());
    DrawnPoint point = point_of(least, made, optimise::solve_linear_program(made.program()));
    point.lower = static_cast<double>(errors) / rows();
    return point;
  }

  /// The least bound on the errors of groups that a draw keeps.
  [[nodiscard]] double least_bound() const {
    const DrawProgram made(hulls_, {gap_, BoundOf::worst_group, 0}, Aim::excess, rows());
    return optimise::solve_linear_program(made.program()).x.front();
  }

 private:
  [[nodiscard]] double rows() const { return static_cast<double>(scored_.rows()); }

  [[nodiscard]] DrawnPoint point_of(const std::vector<Hull>& hulls, const DrawProgram& made,
                                    const optimise::LinearProgramResult& found) const {
    DrawnPoint point;
    point.draw = draw_of_vertices(hulls, std::span{found.x}.subspan(made.before_vertices()));
    const ErrorAndGap expected = expected_of(point.draw, scored_, gap_);
    point.error = expected.error;
    point.gap = expected.gap;
    return point;
  }

  const metrics::Scored& scored_;
  RateKind gap_;
  std::string missing_;
  std::vector<Hull> hulls_;
};

/// Adds a point of a smaller slack, but for what differs from the one before by rounding alone: of
/// two with one error the one with the smaller gap is kept, of two with one gap the first.
void add_point(std::vector<DrawnPoint>& points, DrawnPoint point) {
  constexpr double rounding = 1e-12;
  const DrawnPoint& last = points.back();
  if (point.gap >= last.gap - rounding) return;
  if (point.error <= last.error + rounding) points.pop_back();
  points.push_back(std::move(point));
}

}  // namespace

std::vector<double> numbers_of(const std::vector<DrawnThreshold>& draw) {
  std::vector<double> numbers;
  for (const DrawnThreshold& one : draw) {
    numbers.insert(numbers.end(), {static_cast<double>(one.group), one.threshold, one.probability});
  }
  return numbers;
}

std::vector<DrawnThreshold> draw_of(std::span<const double> numbers) {
  std::vector<DrawnThreshold> draw;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    draw.push_back({static_cast<std::int32_t>(numbers[i]), numbers[i + 1], numbers[i + 2]});
  }
  return draw;
}

ErrorAndGap expected_of(const std::vector<DrawnThreshold>& draw, const metrics::Scored& scored,
                        RateKind gap) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double errors = 0;
  std::vector<double> low(count_compared(gap), inf), high(low.size(), -inf);
  bool defined = true;
  for (const Decided& of : decided_by(draw, scored)) {
    errors += of.errors();
    const std::vector<double> rates = compared(of.rates(), gap);
    for (std::size_t r = 0; r < rates.size(); ++r) {
      defined &= std::isfinite(rates[r]);
      low[r] = std::min(low[r], rates[r]);
      high[r] = std::max(high[r], rates[r]);
    }
  }
  double largest = 0;
  for (std::size_t r = 0; r < low.size(); ++r) largest = std::max(largest, high[r] - low[r]);
  // Rates are sums of shares of draws: so small a difference is that of their last digits, and the
  // rates of a draw that makes them equal would be said to differ.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  if (largest < rounding) largest = 0;
  return {errors / static_cast<double>(scored.rows()),
          defined ? largest : std::numeric_limits<double>::quiet_NaN()};
}

DrawnFront drawn_threshold_front(const metrics::Scored& scored, RateKind gap, std::int64_t slacks,
                                 const std::function<void(std::int64_t done)>& between) {
  const Draws draws(scored, gap);
  DrawnFront front;
  front.undefined_reason = draws.missing();
  if (!front.undefined_reason.empty()) return front;
  if (between) between(0);
  front.points.push_back(draws.of_least_error());
  const double widest = front.points.front().gap;
  for (std::int64_t k = slacks - 2; k >= 0 && widest > 0; --k) {
    if (between) between(slacks - 1 - k);
    add_point(front.points,
              draws.within({gap, BoundOf::gap,
                            widest * static_cast<double>(k) / static_cast<double>(slacks - 1)}));
  }
  return front;
}

DrawnWithin drawn_thresholds_within(const metrics::Scored& scored, const RateLimit& limit) {
  const Draws draws(scored, limit.rate);
  if (!draws.missing().empty()) return {{}, draws.missing()};
  if (limit.of != BoundOf::worst_group) return {draws.within(limit), ""};
  RateLimit reached = limit;
  const double least = draws.least_bound();
  reached.bound = std::max(limit.bound, least);
  return {draws.within(reached), "", least};
}

}  // namespace fairfront::experiments
