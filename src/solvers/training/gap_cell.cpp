#include "solvers/training/gap_cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "optimise/decomposition.hpp"
#include "solvers/training/gap_coordinates.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

bool is_held(double low, double high, double v, double gradient) {
  return (v <= low && gradient >= 0) || (v >= high && gradient <= 0);
}

/// Coordinates that are not held at an end of a box.
std::vector<Index> free_in(const Vector& low, const Vector& high, const Vector& v,
                           const Vector& gradient) {
  std::vector<Index> free;
  for (Index j = 0; j < v.size(); ++j) {
    if (!is_held(low[j], high[j], v[j], gradient[j])) free.push_back(j);
  }
  return free;
}

/// In terms of e, v = centre + basis e; widened where it does not hold the centre, as what is
/// enclosed by a sphere must be convex and hold its centre.
optimise::Ellipsoid in_terms_of(const GapBall& ball, const Vector& centre, const Matrix& basis) {
  const Matrix root = ball.root * basis;
  const Vector from = ball.root * (centre - ball.centre);
  const double left = ball.radius * ball.radius - from.squaredNorm();
  return {root.transpose() * from, root.transpose() * root, std::max(0.0, 0.5 * left)};
}

}  // namespace

GapCells::GapCells(const GapTask& task, double multiplier, const std::function<void()>& beat)
    : beat_{beat},
      delta_{task.delta},
      factor_{task.neutral_share, task.greater_share + task.smaller_share, task.smaller_share},
      multiplier_{multiplier - task.smaller_share},
      rows_{BoundedRows(task.neutral), BoundedRows(task.greater), BoundedRows(task.smaller)} {
  margin_ = 1e-9 + 4e-15 * static_cast<double>(task.neutral.cols() + task.greater.cols() +
                                               task.smaller.cols());
}

GapCells::Convex GapCells::convex_at(const Vector& v) const {
  Convex found{-factor_[2] * delta_, Vector::Zero(v.size())};
  for (std::size_t k = 0; k < 2; ++k) {
    const Local local = rows_[k].at(v, beat_);
    found.value += factor_[k] * local.value;
    found.gradient += factor_[k] * local.gradient;
  }
  return found;
}

Matrix GapCells::convex_hessian(const Vector& v) const {
  return factor_[0] * rows_[0].hessian(v, beat_) + factor_[1] * rows_[1].hessian(v, beat_);
}

/// Moves v to the minimum of F in a box, of which v is a point. Nothing where Newton's method did
/// not get there.
std::optional<GapCells::Convex> GapCells::least_in(const Vector& low, const Vector& high,
                                                   Vector& v) const {
  Convex at = convex_at(v);
  for (int k = 0; k < 30; ++k) {
    const std::vector<Index> free = free_in(low, high, v, at.gradient);
    const Vector gradient = at.gradient(free);
    if (gradient.norm() < 1e-10) return at;
    const Matrix hessian = convex_hessian(v);
    const Vector part = optimise::PivotedCholesky(hessian(free, free)).solve(gradient);
    Vector direction = Vector::Zero(v.size());
    direction(free) = -part;
    bool moved = false;
    for (double length = 1; length > 1e-4 && !moved; length /= 2) {
      const Vector next = (v + length * direction).cwiseMax(low).cwiseMin(high);
      const Convex there = convex_at(next);
      if (!(there.value <= at.value + 1e-14)) continue;
      moved = true;
      v = next;
      at = there;
    }
    if (!moved) return std::nullopt;
  }
  return std::nullopt;
}

bool GapCells::prepare(const Vector& start, double highest) {
  const Index n = start.size();
  const Vector infinite = Vector::Constant(n, std::numeric_limits<double>::infinity());
  free_ = start;
  if (!least_in(-infinite, infinite, free_)) return false;
  const auto basis = gap_coordinates(convex_hessian(free_), rows_[2].hessian(free_, beat_),
                                     rows_[1], free_, beat_);
  if (!basis) return false;
  basis_ = *basis;
  free_ = optimise::PivotedLu(*basis).solve(free_);
  for (BoundedRows& rows : rows_) rows.change_basis(*basis);
  const GapBox all = everything();
  Model model = model_at(all, free_, highest);
  double ratio = all.ratio;
  if (!enclose(model, highest, ratio)) return false;
  radius_ = model.set.radius * model.basis.norm();
  extent_ = model.set.radius * model.basis.row(0).norm();
  return true;
}

/// F is convex: on a box it is at least what the gradient at a point of it says, and where that
/// points out of the box, at least the value there. What is left of the gradient is as far from 0
/// as rounding leaves it.
bool GapCells::empty(const GapBox& box, double target, Vector& least) const {
  const Index k = box.mid.size(), n = free_.size();
  Vector low = Vector::Constant(n, -std::numeric_limits<double>::infinity());
  Vector high = -low;
  low.head(k) = box.mid - box.half;
  high.head(k) = box.mid + box.half;
  least = box.near.cwiseMax(low).cwiseMin(high);
  const std::optional<Convex> at = least_in(low, high, least);
  if (!at) return false;
  const double left = Vector(at->gradient(free_in(low, high, least, at->gradient))).norm();
  const double distance = radius_ + (least - free_).norm();
  return at->value - left * distance - margin_ > target;
}

/// Around a minimum of a Lagrangian its bound loses nothing by its gradient; a quarter of the way
/// to it the set R is still nearly round. Any centre will do.
void GapCells::centre_on_lagrangian(Index boxed, Vector& v) const {
  const Index rest = v.size() - boxed;
  const double mu = 0.25 * multiplier_;
  for (int k = 0; k < 4 && rest > 0; ++k) {
    const Local a = rows_[1].at(v, beat_), b = rows_[2].at(v, beat_);
    const Vector gradient = convex_at(v).gradient + mu * (a.gradient - b.gradient);
    const Matrix hessian =
        convex_hessian(v) + mu * (rows_[1].hessian(v, beat_) - rows_[2].hessian(v, beat_));
    const optimise::Cholesky factor(hessian.bottomRightCorner(rest, rest));
    if (!factor.is_definite()) return;
    const Vector step = factor.solve(gradient.tail(rest));
    if (!(step.norm() < 1)) return;
    v.tail(rest) -= step;
    if (step.norm() < 1e-3) return;
  }
}

/// That which encloses the part of R in a box, for others inside of it.
GapBall GapCells::ball_of(const Model& model, double target) const {
  const Index n = model.centre.size(), k = model.set.half.size();
  GapBall ball{model.centre, Matrix::Zero(n, n), model.set.radius * (1 + 1e-9), target};
  ball.root.bottomRightCorner(n - k, n - k) =
      optimise::PivotedLu(model.basis.bottomRightCorner(n - k, n - k)).inverse();
  return ball;
}

GapCells::Model GapCells::model_at(const GapBox& box, const Vector& centre, double target) const {
  const Index n = centre.size(), k = box.mid.size(), rest = n - k;
  Model model;
  model.centre = centre;
  for (std::size_t i = 0; i < 3; ++i) model.local[i] = rows_[i].at(centre, beat_);
  model.basis = Matrix::Identity(n, n);
  const Matrix hessian = convex_hessian(centre);
  if (rest > 0) {
    model.basis.bottomRightCorner(rest, rest) =
        optimise::Cholesky(hessian.bottomRightCorner(rest, rest)).inverse_upper();
  }
  const Convex at = convex_at(centre);
  const double slope = (model.basis.transpose() * at.gradient).tail(rest).norm();
  const double above = std::max(0.0, target - at.value) +
                       at.gradient.head(k).cwiseAbs().dot(box.half) + 0.05 * box.half.squaredNorm();
  model.set.radius = slope + std::sqrt(slope * slope + 2 * above) + 1e-3;  // of a quadratic F
  model.set.half = box.half;
  // Sides to half the radius, so that third and fourth moments count less.
  for (Index j = 0; j < k; ++j) {
    const double scale = rest > 0 ? std::min(1.0, 2 * box.half[j] / model.set.radius) : 1.0;
    model.basis(j, j) = scale;
    model.set.half[j] /= scale;
  }
  for (Local& local : model.local) local.gradient = model.basis.transpose() * local.gradient;
  model.value = at.value;
  model.gradient = model.basis.transpose() * at.gradient;
  if (box.within) model.set.within = in_terms_of(*box.within, model.centre, model.basis);
  return model;
}

/// The models of one kind, weighted.
Moments GapCells::combined(const Model& model, std::size_t kind, std::span<const double> factors) {
  Moments sum = model.moments[0][kind];
  sum.scale(factors[0]);
  for (std::size_t k = 1; k < factors.size(); ++k) sum.add(factors[k], model.moments[k][kind]);
  return sum;
}

/// The models of F and what their moments of degree three and four take from it.
GapCells::Bowl GapCells::bowl_of(Model& model) const {
  Bowl bowl;
  for (std::size_t k = 0; k < 2; ++k) {
    model.moments[k] = rows_[k].moments(model.local[k], model.basis, model.set.half,
                                        model.set.radius, true, fourth_, beat_);
  }
  for (std::size_t m = 0; m < model.moments[0].size(); ++m) {
    const Moments sum = combined(model, m, std::span(factor_).first(2));
    bowl.penalties.emplace_back(sum);
    bowl.second.push_back(sum.second);
  }
  return bowl;
}

/// Whether F - F(centre) > rise all over the sphere, for all of the box.
/// @param radius  at most that for which the bowl was made.
bool GapCells::is_above_on_sphere(const Bowl& bowl, const Model& model, double radius,
                                  double rise) {
  optimise::BoxBall sphere = model.set;
  sphere.radius = radius;
  sphere.sphere = true;
  const double reach = std::sqrt(radius * radius + model.set.half.squaredNorm());
  for (std::size_t m = bowl.second.size(); m-- > 0;) {
    const Matrix h = bowl.second[m] - bowl.penalties[m].at(reach);
    if (optimise::least_over(sphere, model.gradient, h) > rise) return true;
  }
  return false;
}

/// Finds a radius such that F > max(T, F(centre)) all over the sphere, for all of the box: then the
/// part of {F <= that} in the box, which is convex and holds the centre, is in the ball. A smaller
/// ball makes better models, and they a smaller ball.
bool GapCells::enclose(Model& model, double target, double& ratio) const {
  if (model.set.half.size() == model.centre.size()) {
    (void)bowl_of(model);
    return true;
  }
  const double rise = std::max(target - model.value, 0.0) + margin_;
  const double unit = model.set.radius;
  double& radius = model.set.radius;
  radius = ratio * unit;
  Bowl bowl = bowl_of(model);
  for (int k = 0; !is_above_on_sphere(bowl, model, radius, rise); ++k) {
    if (k == 7) return false;
    radius *= 1.3;
    bowl = bowl_of(model);
  }
  for (int k = 0; k < 3; ++k) {
    double high = radius, low = 0.7 * high;
    for (int i = 0; i < 5; ++i) {
      const double middle = (low + high) / 2;
      (is_above_on_sphere(bowl, model, middle, rise) ? high : low) = middle;
    }
    const double shrunk = high / radius;
    radius = high;
    if (shrunk > 0.97 && k > 0) break;
    bowl = bowl_of(model);
    if (shrunk > 0.93) break;
  }
  ratio = radius / unit * 1.05;
  return true;
}

/// For one of some multipliers.
bool GapCells::lagrangian_is_above(Model& model, double target) const {
  model.moments[2] = rows_[2].moments(model.local[2], model.basis, model.set.half, model.set.radius,
                                      false, fourth_, beat_);
  const bool ball = model.set.half.size() < model.centre.size();
  const double radius =
      std::sqrt((ball ? model.set.radius * model.set.radius : 0.0) + model.set.half.squaredNorm());
  for (const double share : {1.0, 0.75, 0.5, 1.3, 0.35, 1.7, 0.2}) {
    const double mu = share * multiplier_;
    const double factors[3] = {factor_[0], factor_[1] + mu, -mu};
    double value = -(factor_[2] + mu) * delta_ - margin_ * (1 + mu);
    Vector gradient = Vector::Zero(model.centre.size());
    for (std::size_t k = 0; k < 3; ++k) {
      value += factors[k] * model.local[k].value;
      gradient += factors[k] * model.local[k].gradient;
    }
    for (std::size_t m = model.moments[0].size(); m-- > 0;) {
      const Moments sum = combined(model, m, factors);
      const Matrix h = sum.second - Penalty(sum).at(radius);
      if (value + optimise::least_over(model.set, gradient, h) >= target) return true;
    }
  }
  return false;
}

/// A model around a centre with a ball that holds the part of R in the box.
std::optional<GapCells::Model> GapCells::enclosed(const GapBox& box, const Vector& centre,
                                                  double target, double& ratio) const {
  Model model = model_at(box, centre, target);
  ratio = box.ratio;
  if (!enclose(model, target, ratio)) return std::nullopt;
  return model;
}

/// Around a minimum of a Lagrangian, or around that of F where the ball is a smaller one there: R
/// is far from the former where the gap's multiplier is large.
std::optional<GapCells::Model> GapCells::best_enclosed(const GapBox& box, const Vector& least,
                                                       double target, double& ratio) const {
  constexpr double round = 2;  // up to this ratio the ball is hardly larger than it must be
  Vector centre = least;
  centre_on_lagrangian(box.mid.size(), centre);
  std::optional<Model> found = enclosed(box, centre, target, ratio);
  if (found && ratio <= round) return found;
  double other_ratio = box.ratio;
  std::optional<Model> other = enclosed(box, least, target, other_ratio);
  if (!other || (found && found->set.radius <= other->set.radius)) return found;
  ratio = other_ratio;
  return other;
}

GapCells::Seen GapCells::examine(const GapBox& box, double target) {
  if (box.within && box.within->target < target) {
    GapBox alone = box;
    alone.within.reset();
    return examine(alone, target);
  }
  Seen seen;
  if (empty(box, target, seen.centre)) {
    seen.answer = Answer::proven;
    return seen;
  }
  const Index k = box.mid.size();
  seen.centre.head(k) = box.mid;
  seen.within = box.within;
  std::optional<Model> model = best_enclosed(box, seen.centre, target, seen.ratio);
  if (!model) return seen;
  seen.centre = model->centre;
  if (lagrangian_is_above(*model, target)) seen.answer = Answer::proven;
  if (k < seen.centre.size()) {
    seen.extent = model->set.radius * model->basis.row(k).norm();
    seen.within = ball_of(*model, target);
  }
  return seen;
}

}  // namespace fairfront::training
