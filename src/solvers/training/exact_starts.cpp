#include "solvers/training/exact_starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/elementary.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/minimise.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/training/gap_sqp.hpp"
#include "solvers/training/last_layer_step.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Uniform in its logarithm.
double between(base::Stream& stream, double least, double most) {
  return least * base::exp(stream.uniform() * base::log(most / least));
}

constexpr double least_size = 0.1, most_size = 5;  ///< of random directions

std::vector<double> shares_of(const CellLosses& losses) {
  return losses.weights(std::vector<double>(losses.num_gaps(), 0.0));
}

}  // namespace

ConvexMinimum minimise_weighted(CellLosses& losses, std::span<const double> weights,
                                std::span<const double> from, double tolerance,
                                std::int64_t most_steps, const solvers::Control& control) {
  solvers::Stages stages(control, "weighted minimum 1\n");
  const Vector factors = Eigen::Map<const Vector>(weights.data(), std::ssize(weights));
  const auto value = [&](std::span<const double> w, std::span<double> gradient) {
    const std::vector<double> found = stages.next(
        [&] {
          losses.evaluate(w);
          const Vector sum = losses.slot_gradients() * factors;
          std::vector<double> all(sum.begin(), sum.end());
          all.push_back(losses.slot_losses().dot(factors));
          return all;
        },
        solvers::of_size(w.size() + 1));
    std::copy_n(found.begin(), gradient.size(), gradient.begin());
    return found.back();
  };
  const auto hessian = [&](std::span<const double> w, std::span<double> out) {
    const std::vector<double> found = stages.next(
        [&] {
          const Matrix sum = weighted_sum(losses.hessians(w), weights);
          return std::vector<double>(sum.data(), sum.data() + sum.size());
        },
        solvers::of_size(out.size()));
    std::ranges::copy(found, out.begin());
  };
  auto found = optimise::minimise_newton(value, hessian, from,
                                         {.tolerance = tolerance, .max_iterations = most_steps});
  const bool converged = found.converged();
  return {std::move(found.weights), found.value, converged, found.iterations, found.evaluations};
}

ExactStarts::ExactStarts(CellLosses& losses, std::vector<double> free, double delta)
    : losses_{losses}, free_{std::move(free)}, delta_{delta} {}

ExactStart ExactStarts::operator()(std::int64_t k, const solvers::Control& control) {
  ExactStart found = start(k, control);
  if (k % 2 == 1) found.price = high_price;
  return found;
}

ExactStart ExactStarts::led(std::int64_t k) const {
  std::vector<double> from = free_;
  constexpr std::int64_t last_of_any_size = 3;
  constexpr std::array<double, 3> sizes{1, 3, 8};  // of usual fits
  const bool is_look = k > last_of_any_size;
  if (k > 0) {
    base::Stream stream(base::StreamKey(1, "exact_training", "training/led"),
                        static_cast<std::uint64_t>(k));
    from = random_direction(is_look ? sizes[static_cast<std::size_t>(k) % sizes.size()]
                                    : between(stream, least_size, most_size),
                            stream);
  }
  LastLayer layer(losses_.problem(), from);
  LastLayerResult found = last_layer_step(layer, from, {.delta = delta_});
  return {std::move(found.v), 0, found.evaluations, high_price};
}

ExactStart ExactStarts::start(std::int64_t k, const solvers::Control& control) {
  if (k == 0) return {free_};
  if (k == 1) return {std::vector<double>(free_.size(), 0.0)};
  base::Stream stream(base::StreamKey(1, "exact_training", "training/starts"),
                      static_cast<std::uint64_t>(k));
  const std::int64_t turn = (k - 2) / 4;
  switch ((k - 2) % 4) {
    case 0:
      return along_curvature(stream, turn);
    case 1:
      return {random_direction(between(stream, least_size, most_size), stream)};
    case 2:
      return fit_of_cells(stream, turn, control);
    default:
      return of_another_delta(stream, control);
  }
}

std::vector<double> ExactStarts::random_direction(double size, base::Stream& stream) const {
  std::vector<double> w;
  for (Index j = 0; j < losses_.second_moments().rows(); ++j) {
    const double square = losses_.second_moments()(j, j);
    w.push_back(square > 0 ? size * stream.normal() / std::sqrt(square) : 0.0);
  }
  return w;
}

ExactStart ExactStarts::fit_of_cells(base::Stream& stream, std::int64_t turn,
                                     const solvers::Control& control) {
  std::vector<double> weights = shares_of(losses_);
  const auto cells = static_cast<std::int64_t>(weights.size()) - 1;
  double sum = 0;
  for (std::int64_t c = 0; c < cells; ++c) {
    const double size = turn < cells ? (c == turn ? 1.0 : 0.0) : -base::log(1 - stream.uniform());
    auto& weight = weights[static_cast<std::size_t>(c + 1)];
    weight = size + 0.02 * weight;  // so that a cell that can be separated has an optimum
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  ConvexMinimum found = minimise_weighted(losses_, weights, free_, 1e-3, 15, control);
  return {std::move(found.w), found.steps, found.passes};
}

ExactStart ExactStarts::along_curvature(base::Stream& stream, std::int64_t turn) {
  const auto cells = static_cast<std::int64_t>(losses_.num_slots()) - 1;
  const std::vector<Matrix> hessians = losses_.hessians(free_);
  const Matrix& of_cell = hessians[static_cast<std::size_t>(1 + turn / 2 % cells)];
  Matrix of_all = weighted_sum(hessians, shares_of(losses_));
  of_all.diagonal() += 1e-8 * of_all.diagonal().maxCoeff() * Vector::Ones(of_all.rows());
  const optimise::Spectrum found = optimise::generalised_spectrum(of_cell, of_all);
  // Of the direction that curves most, and now and then of the next.
  const Index n = of_all.rows();
  const Index from_end = std::min<Index>(n - 1, stream.below(3) / 2);
  const Vector direction = found.vectors.col(n - 1 - from_end);
  const double length = (turn % 2 == 0 ? 1 : -1) * between(stream, 0.5, 4);
  std::vector<double> w = free_;
  for (Index j = 0; j < n; ++j) w[static_cast<std::size_t>(j)] += length * direction[j];
  return {std::move(w), 1, 1};
}

ExactStart ExactStarts::of_another_delta(base::Stream& stream, const solvers::Control& control) {
  const double delta = delta_ * between(stream, 0.25, 16);
  const GapSqpOptions options{.delta = delta, .tolerance = 1e-2, .steps = 12};
  LocalOptimum found = minimise_within_gaps(
      losses_, random_direction(between(stream, least_size, most_size), stream), options, control);
  return {std::move(found.w), found.steps, found.passes};
}

}  // namespace fairfront::training
