#include "solvers/regression/bounded_group_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::regression {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Means and deviations by which columns and target are scaled.
struct Scaling {
  Vector mean, deviation;  ///< shape (d,); a deviation of 0 is that of a constant column
  double target_mean = 0;
  double target_deviation = 1;
};

constexpr double constant = 1e-12;  // of a column's deviation over its largest number

Scaling scaling_of(const GroupLossRows& of) {
  const auto count = static_cast<double>(of.rows.size());
  const Eigen::Index width = of.rows.columns();
  Scaling scaling{Vector::Zero(width), Vector::Zero(width)};
  Vector largest = Vector::Zero(width);
  for (std::int64_t i = 0; i < of.rows.size(); ++i) {
    const double* const row = of.rows.row(i);
    for (Eigen::Index c = 0; c < width; ++c) {
      scaling.mean[c] += row[c];
      largest[c] = std::max(largest[c], std::abs(row[c]));
    }
    scaling.target_mean += of.target[static_cast<std::size_t>(of.rows.number(i))];
  }
  scaling.mean /= count;
  scaling.target_mean /= count;
  double squares = 0;
  for (std::int64_t i = 0; i < of.rows.size(); ++i) {
    const double* const row = of.rows.row(i);
    for (Eigen::Index c = 0; c < width; ++c) {
      scaling.deviation[c] += (row[c] - scaling.mean[c]) * (row[c] - scaling.mean[c]);
    }
    const double off = of.target[static_cast<std::size_t>(of.rows.number(i))] - scaling.target_mean;
    squares += off * off;
  }
  for (Eigen::Index c = 0; c < width; ++c) {
    const double deviation = std::sqrt(scaling.deviation[c] / count);
    scaling.deviation[c] = deviation > constant * largest[c] ? deviation : 0;
  }
  if (squares > 0) scaling.target_deviation = std::sqrt(squares / count);
  return scaling;
}

}  // namespace

/// In scaled units: risk_s(w) = w^T A_s w - 2 b_s^T w + c_s.
struct BoundedGroupLoss::Moments {
  Scaling scaling;
  std::vector<Matrix> square;  ///< A_s, shape (1 + d, 1 + d)
  std::vector<Vector> cross;   ///< b_s
  Vector constant;             ///< c_s, shape (K,)
  Vector share;                ///< of the groups' rows, shape (K,)
  double ridge = 0;

  [[nodiscard]] Eigen::Index groups() const { return share.size(); }
  [[nodiscard]] Vector risks(const Vector& w) const {
    Vector found(groups());
    for (Eigen::Index s = 0; s < groups(); ++s) {
      const auto i = static_cast<std::size_t>(s);
      found[s] = std::max(0.0, w.dot(square[i] * w) - 2 * cross[i].dot(w) + constant[s]);
    }
    return found;
  }
  /// The penalty does not meet the intercept.
  [[nodiscard]] double penalty(const Vector& w) const {
    return ridge * w.tail(w.size() - 1).squaredNorm();
  }
  [[nodiscard]] GroupLossResult result(const Vector& w) const;
};

namespace {

/// The best w for weights of the groups' risks, and how the risks change with the weights.
struct Response {
  Vector w;
  Vector risks;
  Matrix slope;  ///< -d risks / d weights, shape (K, K), positive semidefinite
};

template <class Moments>
Response respond(const Moments& moments, const Vector& weights) {
  const Eigen::Index size = moments.square.front().rows();
  Matrix system = Matrix::Zero(size, size);
  Vector right = Vector::Zero(size);
  for (Eigen::Index s = 0; s < moments.groups(); ++s) {
    system += weights[s] * moments.square[static_cast<std::size_t>(s)];
    right += weights[s] * moments.cross[static_cast<std::size_t>(s)];
  }
  system.diagonal().tail(size - 1).array() += moments.ridge;
  const optimise::PivotedCholesky factors(std::move(system));
  Response found{factors.solve(right), {}, {}};
  found.risks = moments.risks(found.w);
  Matrix gradients(size, moments.groups());
  for (Eigen::Index s = 0; s < moments.groups(); ++s) {
    const auto i = static_cast<std::size_t>(s);
    gradients.col(s) = moments.square[i] * found.w - moments.cross[i];
  }
  found.slope = 2 * gradients.transpose() * factors.solve_columns(gradients);
  return found;
}

/// The largest step along `direction` that leaves the weights positive, at most 1.
double longest_step(const Vector& weights, const Vector& direction) {
  double step = 1;
  for (Eigen::Index s = 0; s < weights.size(); ++s) {
    if (direction[s] < 0) step = std::min(step, -0.95 * weights[s] / direction[s]);
  }
  return step;
}

double barrier(const Vector& weights) {
  double sum = 0;
  for (const double weight : weights) sum += base::log(weight);
  return sum;
}

/// Where a barrier's problem has come to.
struct Centre {
  Vector multipliers;
  Response response;
  std::int64_t iterations = 0;
};

/// Newton's method for max value(x) + mu sum log x over x > 0, or over the simplex.
/// @param weights_of  the weights of the groups' risks, of the multipliers.
/// @param value       of the dual, at multipliers and their response.
/// @param gradient    of the dual, likewise.
template <class Moments, class WeightsOf, class Value, class Gradient>
void centre(const Moments& moments, double mu, bool simplex, std::int64_t most, Centre& at,
            const WeightsOf& weights_of, const Value& value, const Gradient& gradient) {
  constexpr double close = 1e-6;  // of Newton's decrement over mu
  const auto merit = [&](const Vector& x, const Response& response) {
    return value(x, response) + mu * barrier(x);
  };
  std::optional<std::pair<double, Centre>> before;  // a step that the merit was blind to
  while (at.iterations < most) {
    base::stop_point();
    const Vector& x = at.multipliers;
    const Vector inverse = x.cwiseInverse();
    Vector slope = gradient(at.response) + mu * inverse;
    // On the simplex what all components share moves nothing, and would drown what differs.
    if (simplex) slope.array() -= x.dot(slope);
    Matrix curvature = at.response.slope;
    curvature.diagonal() += mu * inverse.cwiseAbs2();
    const optimise::PivotedCholesky factors(std::move(curvature));
    Vector direction = factors.solve(slope);
    if (simplex) {
      const Vector ones = factors.solve(Vector::Ones(x.size()));
      direction -= direction.sum() / ones.sum() * ones;
    }
    const double decrement = direction.dot(slope);
    if (before && !(decrement < 0.5 * before->first)) {
      before->second.iterations = at.iterations;
      at = std::move(before->second);
      return;  // rounding is all that is left
    }
    before.reset();
    if (!(decrement > close * mu)) return;
    ++at.iterations;
    const auto stepped = [&](double step) {
      Vector next = x + step * direction;
      if (simplex) next /= next.sum();
      Response response = respond(moments, weights_of(next));
      return Centre{std::move(next), std::move(response), at.iterations};
    };
    const double now = merit(x, at.response);
    bool moved = false;
    for (double step = longest_step(x, direction); step > 1e-10 && !moved; step /= 2) {
      Centre next = stepped(step);
      if (!(merit(next.multipliers, next.response) > now + 1e-4 * step * decrement)) continue;
      at = std::move(next);
      moved = true;
    }
    if (moved) continue;
    // The merit's rounding hides what a step gains. What is left shows in the decrement, which
    // knows the gradient's digits: Newton's step is kept where it makes that smaller.
    Centre next = stepped(longest_step(x, direction));
    before.emplace(decrement, std::move(at));
    at = std::move(next);
  }
}

std::vector<double> numbers_of(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

constexpr double shrink = 0.1;  // of mu, from one barrier to the next
/// Losses below this are rounding of the target's variance, which is 1.
constexpr double nothing = 1e-12;

/// The best that the barriers' problems have proven, in scaled units.
class Proof {
 public:
  /// Weights whose loss is `upper`, and a value of the dual.
  void add(double upper, double lower, const Centre& at) {
    lower_ = std::max(lower_, lower);
    if (best_ && !(upper < upper_)) return;
    upper_ = upper;
    best_ = at;
  }
  void add_lower(double lower) { lower_ = std::max(lower_, lower); }
  [[nodiscard]] bool within(double tolerance) const {
    return best_ && upper_ - lower_ <= tolerance * std::max(upper_, nothing);
  }
  /// As little is open as rounding leaves of most tables: told, and no failure.
  [[nodiscard]] bool at_rounding() const {
    constexpr double small = 1e-8;  // of the variance: losses below it are met to 1e-14 of that
    return best_ && upper_ - lower_ <= rounding_gap * std::max(upper_, small);
  }
  /// @param unit  of the loss.
  void write(GroupLossResult& to, double unit) const {
    to.multipliers = numbers_of(best_->multipliers);
    to.upper = std::max(upper_, lower_) * unit;
    to.lower = lower_ * unit;
  }
  [[nodiscard]] const std::optional<Centre>& best() const { return best_; }

 private:
  std::optional<Centre> best_;
  double upper_ = 0;
  double lower_ = 0;  // no loss is below 0
};

}  // namespace

void validate(const GroupLossOptions& options) {
  if (!(options.ridge > 0) || !std::isfinite(options.ridge)) {
    throw std::invalid_argument(
        fmt::format("GroupLossOptions::ridge = {}, must be > 0", options.ridge));
  }
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance)) {
    throw std::invalid_argument(
        fmt::format("GroupLossOptions::tolerance = {}, must be > 0", options.tolerance));
  }
  if (options.max_iterations < 1) {
    throw std::invalid_argument(
        fmt::format("GroupLossOptions::max_iterations = {}, must be >= 1", options.max_iterations));
  }
}

GroupLossResult BoundedGroupLoss::Moments::result(const Vector& w) const {
  GroupLossResult found;
  const double unit = scaling.target_deviation;
  found.weights.assign(static_cast<std::size_t>(w.size()), 0.0);
  double intercept = w[0];
  for (Eigen::Index c = 0; c + 1 < w.size(); ++c) {
    if (scaling.deviation[c] == 0) continue;
    const double slope = w[c + 1] / scaling.deviation[c];
    intercept -= slope * scaling.mean[c];
    found.weights[static_cast<std::size_t>(c + 1)] = unit * slope;
  }
  found.weights[0] = scaling.target_mean + unit * intercept;
  found.risks = numbers_of(risks(w) * (unit * unit));
  found.multipliers.assign(found.risks.size(), 0.0);
  return found;
}

BoundedGroupLoss::BoundedGroupLoss(const GroupLossRows& rows, const GroupLossOptions& options)
    : options_{options} {
  validate(options);
  if (rows.rows.size() == 0) throw std::invalid_argument("BoundedGroupLoss: no rows");
  auto made = std::make_unique<Moments>();
  made->scaling = scaling_of(rows);
  made->ridge = options.ridge;
  const auto groups = static_cast<std::size_t>(rows.groups);
  const Eigen::Index size = rows.rows.columns() + 1;
  made->square.assign(groups, Matrix::Zero(size, size));
  made->cross.assign(groups, Vector::Zero(size));
  made->constant = Vector::Zero(rows.groups);
  made->share = Vector::Zero(rows.groups);
  Vector scaled(size);
  for (std::int64_t i = 0; i < rows.rows.size(); ++i) {
    base::stop_point();
    const double* const row = rows.rows.row(i);
    scaled[0] = 1;
    for (Eigen::Index c = 0; c + 1 < size; ++c) {
      const double deviation = made->scaling.deviation[c];
      scaled[c + 1] = deviation > 0 ? (row[c] - made->scaling.mean[c]) / deviation : 0;
    }
    const auto number = static_cast<std::size_t>(rows.rows.number(i));
    const auto s = static_cast<std::size_t>(rows.group[number]);
    const double target =
        (rows.target[number] - made->scaling.target_mean) / made->scaling.target_deviation;
    made->square[s].selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    made->cross[s] += target * scaled;
    made->constant[rows.group[number]] += target * target;
    ++made->share[rows.group[number]];
  }
  for (std::size_t s = 0; s < groups; ++s) {
    const double count = made->share[static_cast<Eigen::Index>(s)];
    if (count == 0) throw std::invalid_argument("BoundedGroupLoss: a group without a row");
    made->square[s] = Matrix(made->square[s].selfadjointView<Eigen::Lower>()) / count;
    made->cross[s] /= count;
    made->constant[static_cast<Eigen::Index>(s)] /= count;
  }
  made->share /= static_cast<double>(rows.rows.size());
  moments_ = std::move(made);
}

BoundedGroupLoss::BoundedGroupLoss(BoundedGroupLoss&&) noexcept = default;
BoundedGroupLoss& BoundedGroupLoss::operator=(BoundedGroupLoss&&) noexcept = default;
BoundedGroupLoss::~BoundedGroupLoss() = default;

GroupLossResult BoundedGroupLoss::unbounded() const {
  const Response best = respond(*moments_, moments_->share);
  GroupLossResult found = moments_->result(best.w);
  const double unit = moments_->scaling.target_deviation;
  found.upper = found.lower =
      (moments_->share.dot(best.risks) + moments_->penalty(best.w)) * (unit * unit);
  found.converged = true;
  return found;
}

GroupLossResult BoundedGroupLoss::least_largest(const solvers::Control& control) const {
  const Moments& moments = *moments_;
  const Eigen::Index groups = moments.groups();
  const auto same = [](const Vector& x) -> const Vector& { return x; };
  const auto value = [&](const Vector& x, const Response& response) {
    return x.dot(response.risks) + moments.penalty(response.w);
  };
  const auto gradient = [](const Response& response) { return response.risks; };
  Centre at{Vector::Constant(groups, 1 / static_cast<double>(groups)), {}, 0};
  at.response = respond(moments, at.multipliers);
  Proof proof;
  solvers::Heartbeat heart(control);
  for (double mu = 0.1; mu > 1e-15 && !proof.within(options_.tolerance); mu *= shrink) {
    heart.beat();
    centre(moments, mu, true, options_.max_iterations, at, same, value, gradient);
    const double lower = value(at.multipliers, at.response);
    proof.add(at.response.risks.maxCoeff() + moments.penalty(at.response.w), lower, at);
  }
  const double unit = moments.scaling.target_deviation;
  GroupLossResult found = moments.result(proof.best()->response.w);
  proof.write(found, unit * unit);
  found.iterations = at.iterations;
  found.converged = proof.within(options_.tolerance);
  found.rounding = !found.converged && proof.at_rounding();
  return found;
}

GroupLossResult BoundedGroupLoss::within(double bound, const GroupLossResult& feasible,
                                         const solvers::Control& control) const {
  const Moments& moments = *moments_;
  const double unit = moments.scaling.target_deviation;
  GroupLossResult free = unbounded();
  if (std::ranges::max(free.risks) <= bound) return free;
  if (!(std::ranges::max(feasible.risks) < bound)) {
    throw std::invalid_argument("BoundedGroupLoss: no weights are within the bound");
  }
  const double scaled = bound / (unit * unit);
  const auto weights_of = [&](const Vector& x) { return Vector(moments.share + x); };
  const auto value = [&](const Vector& x, const Response& response) {
    return moments.share.dot(response.risks) + moments.penalty(response.w) +
           x.dot(Vector((response.risks.array() - scaled).matrix()));
  };
  const auto gradient = [&](const Response& response) {
    return Vector((response.risks.array() - scaled).matrix());
  };
  Centre at{Vector::Constant(moments.groups(), 1.0), {}, 0};
  at.response = respond(moments, weights_of(at.multipliers));
  Proof proof;
  solvers::Heartbeat heart(control);
  for (double mu = 0.1; mu > 1e-16 && !proof.within(options_.tolerance); mu *= shrink) {
    heart.beat();
    centre(moments, mu, false, options_.max_iterations, at, weights_of, value, gradient);
    const double lower = value(at.multipliers, at.response);
    if (at.response.risks.maxCoeff() > scaled) {
      proof.add_lower(lower);
      continue;
    }
    proof.add(moments.share.dot(at.response.risks) + moments.penalty(at.response.w), lower, at);
  }
  GroupLossResult found;
  if (proof.best()) {
    found = moments.result(proof.best()->response.w);
    proof.write(found, unit * unit);
  }
  found.iterations = at.iterations;
  found.converged = proof.within(options_.tolerance);
  found.rounding = !found.converged && proof.at_rounding();
  return found;
}

}  // namespace fairfront::regression
