#include "solvers/regression/proximal_newton.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "optimise/l1_quadratic.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/optimum_state.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double sufficient_decrease = 1e-4;
constexpr double least_step = 1e-3;      ///< before curvature is added instead
constexpr double dust = 1e-9;            ///< relative to the largest
constexpr double least_damping = 1e-13;  ///< relative to a bound on all curvatures
constexpr double most_damping = 10;
/// Times the tolerance: what keeps scores near the last ones where the dual is flat. At steps of
/// length 1000 it leaves as much of the tolerance.
constexpr double nearness = 1e-3;
constexpr double damping_factor = 16;
constexpr double rounding_of_value = 1e-15;
constexpr std::string_view name_of_newton = "proximal Newton 1\n";

/// Of a run between two steps.
struct NewtonState {
  Vector v;
  double damping = least_damping;
  std::int64_t iterations = 0, evaluations = 0;
};
template <solvers::MaybeConst<NewtonState> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.v, self.damping, self.iterations, self.evaluations);
}

}  // namespace

ProximalNewton::ProximalNewton(const ParityDual& dual, double beta, const OptimumOptions& options,
                               Matrix to_blocks, const Matrix& to_others)
    : dual_{dual},
      beta_{beta},
      options_{options},
      to_blocks_{std::move(to_blocks)},
      curvature_{beta * dual.curvature_bound()},
      damping_{least_damping} {
  const Matrix length = to_blocks_.size() > 0
                            ? Matrix(to_others.transpose() * to_others)
                            : Matrix::Identity(dual.free_blocks(), dual.free_blocks());
  nearness_ = dual.in_every_atom(nearness * options.tolerance * length);
}

void ProximalNewton::aim_at(Vector gaps) { wanted_ = std::move(gaps); }

Optimum ProximalNewton::run(const Vector& start, const solvers::Control& control) {
  std::int64_t iterations = 0;
  Point now = control.resume ? restored(*control.resume, start.size(), iterations) : point(start);
  while (now.norm > options_.tolerance && iterations < options_.max_iterations) {
    const NewtonState before{now.v, damping_, iterations, evaluations_};
    const bool moved = solvers::make_step(
        control, [&] { return solvers::packed_state(name_of_newton, before); },
        [&] { return step(now); });
    ++iterations;
    if (!moved) break;
  }
  return {beta_,
          now.v,
          now.objective,
          now.norm,
          now.norm <= options_.tolerance,
          iterations,
          evaluations_ * dual_.rows().rows()};
}

Optimum ProximalNewton::run_carefully(Vector near, const solvers::Control& control) {
  careful_ = true;
  const double least = dust * near.cwiseAbs().maxCoeff();
  near = (near.array().abs() > least).select(near, 0.0);
  return run(near, control);
}

Optimum ProximalNewton::at(const Vector& v, const Optimum& found) {
  const Point there = point(v);
  return {beta_,
          there.v,
          there.objective,
          there.norm,
          there.norm <= options_.tolerance,
          found.iterations,
          found.evaluations + dual_.rows().rows()};
}

ProximalNewton::Point ProximalNewton::point(Vector v) {
  Point result;
  dual_.shorten(v);
  result.v = std::move(v);
  evaluate(result);
  return result;
}

ProximalNewton::Point ProximalNewton::restored(const std::string& state, Index size,
                                               std::int64_t& iterations) {
  NewtonState kept;
  solvers::unpack_whole_state(name_of_newton, state, kept);
  if (kept.v.size() != size || kept.iterations < 0) {
    throw base::CheckpointError("a checkpoint is of another dual");
  }
  Point result;
  result.v = std::move(kept.v);
  evaluate(result);
  damping_ = kept.damping;
  evaluations_ = kept.evaluations;
  iterations = kept.iterations;
  return result;
}

void ProximalNewton::evaluate(Point& p) {
  dual_.evaluate(p.v, beta_, p.at);
  ++evaluations_;
  p.objective = p.at.value + dual_.weight().dot(p.v.cwiseAbs());
  if (wanted_.size() > 0) {
    p.objective -= wanted_.dot(p.v);
    p.at.gradient -= wanted_;
  }
  p.subgradient = optimise::shortest_subgradient(p.v, p.at.gradient, dual_.weight());
  p.norm = to_blocks_.size() > 0 ? map_blocks(to_blocks_.transpose(), p.subgradient).norm()
                                 : p.subgradient.norm();
}

bool ProximalNewton::step(Point& now) {
  const Matrix hessian = dual_.free_hessian(now.v, beta_, now.at);
  const auto shorten = [this](Vector& v) { dual_.shorten(v); };
  const double inner = std::min(0.1, now.norm) * now.norm + 0.1 * options_.tolerance;
  for (; damping_ <= most_damping; damping_ *= damping_factor) {
    const Matrix damped = hessian + nearness_ + damping_ * curvature_;
    const Vector target = optimise::minimise_l1_quadratic(dual_.expand(damped), now.at.gradient,
                                                          dual_.weight(), now.v, inner, shorten);
    const double length = search(now, target - now.v);
    if (length == 0) continue;
    if (length == 1) {
      damping_ = std::max(damping_ / damping_factor, least_damping);
    } else if (careful_) {
      damping_ = std::min(damping_ * damping_factor, most_damping);
    }
    return true;
  }
  damping_ = least_damping;
  return false;
}

double ProximalNewton::search(Point& now, const Vector& direction) {
  const double promised = now.at.gradient.dot(direction) +
                          dual_.weight().dot((now.v + direction).cwiseAbs() - now.v.cwiseAbs());
  for (double length = 1; length >= least_step; length /= 4) {
    trial_.v = now.v + length * direction;
    dual_.shorten(trial_.v);
    evaluate(trial_);
    const double change = trial_.objective - now.objective;
    const double noise = rounding_of_value * (1 + std::abs(now.objective));
    // Where the value no longer tells, the gradient does.
    const bool accept = change <= sufficient_decrease * length * promised - noise ||
                        (change <= 4 * noise && trial_.norm < 0.9 * now.norm);
    if (!accept) continue;
    std::swap(now, trial_);
    return length;
  }
  return 0;
}

}  // namespace fairfront::regression
