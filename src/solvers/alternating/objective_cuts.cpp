#include "solvers/alternating/objective_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "optimise/quadratic_program.hpp"

namespace fairfront::alternating {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double least_square = 1e-12;  // of the distance of a pair whose values say something
constexpr double rounding = 1e-12;      // of values
constexpr double least_bend = 1e-6;     // of convex objectives, but for rounding: 0
constexpr double first_lift = 0.1;      // of the start above the cuts, and of their penalties
constexpr double first_excess = 50;     // of an objective's weight above 1

double quadratic(const Eigen::VectorXd& metric, const Eigen::VectorXd& way) {
  return 0.5 * metric.dot(way.cwiseAbs2());
}

Eigen::Index column(std::size_t objective) { return static_cast<Eigen::Index>(objective); }

/// Unknowns: the way from the centre, then what each objective exceeds its value there by, but for
/// its bend, then what each exceeds its bound by, or the greatest of these.
struct StepProgram {
  optimise::QuadraticProgram program;
  Eigen::Index n = 0;
  Eigen::Index cuts = 0;
  Eigen::Index excesses = 0;

  StepProgram(const Eigen::VectorXd& metric, const Eigen::VectorXd& centre, Eigen::Index rows,
              const PenalisedSum& sum)
      : n{metric.size()}, cuts{rows}, excesses{sum.of_greatest ? 1 : 3} {
    const Eigen::Index unknowns = n + 3 + excesses;
    program.metric = Eigen::VectorXd::Zero(unknowns);
    program.metric.head(n) = metric;
    program.cost = Eigen::VectorXd::Zero(unknowns);
    program.cost.segment(n, 3).setOnes();
    program.cost.tail(excesses).setConstant(sum.price);
    program.low = Eigen::VectorXd::Constant(unknowns, -unbounded);
    program.high = Eigen::VectorXd::Constant(unknowns, unbounded);
    program.low.head(n) = -centre;
    program.high.head(n) = Eigen::VectorXd::Ones(n) - centre;
    if (!sum.of_greatest) program.low.tail(excesses).setZero();
    program.matrix = Eigen::MatrixXd::Zero(cuts + 3, unknowns);
    program.right = Eigen::VectorXd::Zero(cuts + 3);
    program.row_bend = Eigen::VectorXd::Zero(cuts + 3);
  }

  [[nodiscard]] Eigen::Index excess_of(Eigen::Index objective) const {
    return n + 3 + (excesses == 1 ? 0 : objective);
  }

  /// A point that keeps all rows, and multipliers whose sums are what the costs ask for.
  /// @param of_rows  as many of each objective.
  void begin(const std::vector<ObjectiveCuts::Cut>& of_rows) {
    program.multipliers =
        Eigen::VectorXd::Constant(cuts + 3, (1 + first_excess) / (static_cast<double>(cuts) / 3));
    program.multipliers.tail(3).setConstant(first_excess);
    program.start = Eigen::VectorXd::Zero(n + 3 + excesses);
    for (Eigen::Index j = 0; j < n; ++j) {
      program.start[j] = std::clamp(0.0, program.low[j] + 0.1, program.high[j] - 0.1);
    }
    const Eigen::VectorXd left = program.matrix * program.start - program.right;
    program.start.segment(n, 3).setConstant(-unbounded);
    for (Eigen::Index row = 0; row < cuts; ++row) {
      double& level = program.start[n + column(of_rows[static_cast<std::size_t>(row)].objective)];
      level = std::max(level, left[row]);
    }
    const double bent = quadratic(program.metric.head(n), program.start.head(n));
    program.start.tail(excesses) = program.low.tail(excesses);
    for (Eigen::Index i = 0; i < 3; ++i) {
      program.start[n + i] += first_lift;
      const double excess =
          program.start[n + i] - program.right[cuts + i] + program.row_bend[cuts + i] * bent;
      program.start[excess_of(i)] = std::max(program.start[excess_of(i)], excess);
    }
    program.start.tail(excesses).array() += first_lift;
  }
};

}  // namespace

double PenalisedSum::operator()(const std::array<double, 3>& u) const {
  double sum = 0;
  double greatest = -unbounded;
  for (std::size_t i = 0; i < 3; ++i) {
    const double excess = u[i] - bounds[i];
    greatest = std::max(greatest, excess);
    sum += of_greatest ? u[i] : u[i] + price * std::max(0.0, excess);
  }
  return of_greatest ? sum + price * greatest : sum;
}

std::array<double, 3> PenalisedSum::weights_near(const std::array<double, 3>& sums) const {
  std::array<double, 3> weights{};
  double all = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    weights[i] = std::clamp(sums[i] - 1, 0.0, price);
    all += weights[i];
  }
  for (double& weight : weights) {
    if (of_greatest) weight = all > 0 ? weight * price / all : price / 3;
    weight += 1;
  }
  return weights;
}

ObjectiveCuts::ObjectiveCuts(Eigen::VectorXd metric, const Values& declared)
    : metric_{std::move(metric)}, declared_{declared} {
  clear();
}

void ObjectiveCuts::clear() {
  looks_.clear();
  seen_.fill(unbounded);
}

void ObjectiveCuts::add(const ObjectiveLook& look) {
  for (const ObjectiveLook* other : looks_) {
    const Eigen::VectorXd way = look.place - other->place;
    const double square = quadratic(metric_, way);
    if (square < least_square) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const double rise = look.u[i] - other->u[i];
      const double above = std::min(rise - other->slopes.col(column(i)).dot(way),
                                    look.slopes.col(column(i)).dot(way) - rise);
      seen_[i] = std::min(seen_[i], (above + rounding) / square);
    }
  }
  looks_.push_back(&look);
}

bool ObjectiveCuts::may_be_convex() const {
  return std::all_of(seen_.begin(), seen_.end(), [](double bend) { return bend >= -least_bend; });
}

std::vector<ObjectiveCuts::Cut> ObjectiveCuts::cuts_from(const ObjectiveLook& centre,
                                                         const Values& bend) const {
  std::vector<Cut> cuts;
  for (const ObjectiveLook* look : looks_) {
    const Eigen::VectorXd way = centre.place - look->place;
    for (std::size_t i = 0; i < 3; ++i) {
      const double there =
          look->u[i] + look->slopes.col(column(i)).dot(way) + bend[i] * quadratic(metric_, way);
      // Only of objectives that are not convex a cut is above the value here: it is lowered.
      cuts.push_back({look, i, std::max(0.0, centre.u[i] - there)});
    }
  }
  return cuts;
}

ObjectiveCuts::Step ObjectiveCuts::step_from(const ObjectiveLook& centre, const PenalisedSum& sum,
                                             double proximity, bool trusts_pairs) const {
  Values bend = declared_;
  for (std::size_t i = 0; i < 3; ++i) {
    if (trusts_pairs && std::isfinite(seen_[i])) bend[i] = std::max(bend[i], seen_[i]);
  }
  const double bends = bend[0] + bend[1] + bend[2];
  const std::vector<Cut> cuts = cuts_from(centre, bend);
  StepProgram made(metric_, centre.place, std::ssize(cuts), sum);
  optimise::QuadraticProgram& program = made.program;
  const Eigen::Index n = made.n;
  program.bend = proximity + bends;
  Eigen::Index row = 0;
  for (const Cut& cut : cuts) {
    const std::size_t i = cut.objective;
    program.matrix.row(row).head(n) =
        cut.look->slopes.col(column(i)) +
        bend[i] * metric_.cwiseProduct(centre.place - cut.look->place);
    program.matrix(row, n + column(i)) = -1;
    program.right[row++] = cut.below;
  }
  for (std::size_t i = 0; i < 3; ++i, ++row) {
    program.matrix(row, n + column(i)) = 1;
    program.matrix(row, made.excess_of(column(i))) = -1;
    program.right[row] = sum.bounds[i] - centre.u[i];
    program.row_bend[row] = bend[i];
  }
  made.begin(cuts);
  const optimise::QuadraticProgramResult found = optimise::solve_quadratic_program(program);
  const Eigen::VectorXd way = found.x.head(n);
  Step step;
  step.place = (centre.place + way).cwiseMax(0.0).cwiseMin(1.0);
  step.model = centre.u[0] + centre.u[1] + centre.u[2] + program.cost.dot(found.x) +
               bends * quadratic(metric_, way);
  Values sums{};
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    sums[cuts[k].objective] += found.multipliers[static_cast<Eigen::Index>(k)];
  }
  step.weights = sum.weights_near(sums);
  Eigen::VectorXd shares(std::ssize(cuts));
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const std::size_t i = cuts[k].objective;
    const auto at = static_cast<Eigen::Index>(k);
    shares[at] = found.multipliers[at] * step.weights[i] / sums[i];
  }
  step.bound = bound_by(cuts, shares, step.weights, sum);
  return step;
}

/// For weights_i from 1 to 1 + price, whose excesses over 1 sum to the price where it is of the
/// greatest excess, the penalised sum is at least what sum_i weights_i u_i less
/// (weights_i - 1) bounds_i is, and this at least the cuts with their shares of the weights: a
/// parabola in every variable, whose minimum over the box is in closed form.
double ObjectiveCuts::bound_by(const std::vector<Cut>& cuts, const Eigen::VectorXd& shares,
                               const Values& weights, const PenalisedSum& sum) const {
  double bound = 0;
  double bend = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    bound -= (weights[i] - 1) * sum.bounds[i];
    bend += weights[i] * declared_[i];
  }
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(metric_.size());
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const ObjectiveLook& look = *cuts[k].look;
    const std::size_t i = cuts[k].objective;
    const auto of_look = look.slopes.col(column(i));
    const double share = shares[static_cast<Eigen::Index>(k)];
    bound += share *
             (look.u[i] - of_look.dot(look.place) + declared_[i] * quadratic(metric_, look.place));
    slope += share * (of_look - declared_[i] * metric_.cwiseProduct(look.place));
  }
  for (Eigen::Index j = 0; j < slope.size(); ++j) {
    const double curvature = bend * metric_[j];
    double t = slope[j] > 0 ? 0 : 1;
    if (curvature > 0) t = std::clamp(-slope[j] / curvature, 0.0, 1.0);
    bound += (slope[j] + 0.5 * curvature * t) * t;
  }
  return bound;
}

}  // namespace fairfront::alternating
