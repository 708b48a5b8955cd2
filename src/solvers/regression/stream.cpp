#include "solvers/regression/stream.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace fairfront::regression {
namespace {

void validate(std::span<const double> p, std::span<const double> epsilon,
              const StreamOptions& options) {
  if (p.size() < 2 || epsilon.size() != p.size()) {
    throw std::invalid_argument("StreamedDual: p and epsilon must have shape (K,), K >= 2");
  }
  if (!std::ranges::all_of(p, [](double share) { return share > 0 && share < 1; })) {
    throw std::invalid_argument("StreamedDual: every share p must be in (0, 1)");
  }
  const auto is_slack = [](double e) { return e >= 0 && std::isfinite(e); };
  if (!std::ranges::all_of(epsilon, is_slack)) {
    throw std::invalid_argument("StreamedDual: every epsilon must be >= 0");
  }
  if (!(options.strong_convexity >= 0)) {
    throw std::invalid_argument("StreamOptions::strong_convexity must be >= 0");
  }
}

}  // namespace

StreamedDual::StreamedDual(const Grid& grid, std::vector<double> p, double beta,
                           std::vector<double> epsilon, const StreamOptions& options)
    : prediction_{grid, std::ssize(p), beta},
      shares_{std::move(p)},
      epsilon_{std::move(epsilon)},
      options_{options},
      smoothness_{2 * beta * gradient_variance(shares_)} {
  validate(shares_, epsilon_, options);
  if (options_.strong_convexity == 0) {
    options_.strong_convexity = 2 * gradient_variance(shares_) / beta;
  }
  const std::size_t n = prediction_.atoms().size(), half = shares_.size() * n;
  w_.assign(2 * half, 0.0);
  average_ = middle_ = w_;
  tilt_.resize(shares_.size());
  pi_.resize(n);
  d_.resize(half);
}

void StreamedDual::predict(double eta, std::span<const double> w) {
  const std::size_t half = d_.size();
  for (std::size_t i = 0; i < half; ++i) d_[i] = w[i] - w[half + i];
  prediction_(eta, tilt_, d_, pi_);
}

void StreamedDual::add(double eta, std::span<const double> tau) {
  if (tau.size() != tilt_.size()) {
    throw std::invalid_argument("StreamedDual: tau must have a value for every group");
  }
  for (std::size_t s = 0; s < tilt_.size(); ++s) tilt_[s] = 1 - tau[s] / shares_[s];
  ++rows_;
  if (options_.rule == StreamRule::averaged_sgd) {
    predict(eta, w_);
    sgd_step(1 / smoothness_);
    return;
  }
  const auto t = static_cast<double>(rows_);
  const double alpha = 2 / (t + 1), rest = 1 - alpha, mu = options_.strong_convexity;
  const double gamma = 4 * smoothness_ / (t * (t + 1));
  const double denominator = gamma + (1 - alpha * alpha) * mu;
  const double of_average = rest * (mu + gamma) / denominator;
  const double of_w = alpha * (rest * mu + gamma) / denominator;
  for (std::size_t i = 0; i < w_.size(); ++i) middle_[i] = of_average * average_[i] + of_w * w_[i];
  predict(eta, middle_);
  ac_sa_step();
}

void StreamedDual::sgd_step(double step) {
  const std::size_t n = pi_.size(), half = d_.size();
  const double newest = 1 / static_cast<double>(rows_);
  for (std::size_t i = 0; i < half; ++i) {
    const double move = tilt_[i / n] * pi_[i % n];
    w_[i] = std::max(0.0, w_[i] - step * (epsilon_[i / n] + move));
    w_[half + i] = std::max(0.0, w_[half + i] - step * (epsilon_[i / n] - move));
  }
  for (std::size_t i = 0; i < w_.size(); ++i) average_[i] += newest * (w_[i] - average_[i]);
}

void StreamedDual::ac_sa_step() {
  const std::size_t n = pi_.size(), half = d_.size();
  const auto t = static_cast<double>(rows_);
  const double alpha = 2 / (t + 1), rest = 1 - alpha, mu = options_.strong_convexity;
  const double gamma = 4 * smoothness_ / (t * (t + 1));
  const auto move = [&](std::size_t i, double gradient) {
    const double next =
        ((rest * mu + gamma) * w_[i] + alpha * mu * middle_[i] - alpha * gradient) / (mu + gamma);
    w_[i] = std::max(0.0, next);
    average_[i] = alpha * w_[i] + rest * average_[i];
  };
  for (std::size_t s = 0, i = 0; s < tilt_.size(); ++s) {
    for (std::size_t l = 0; l < n; ++l, ++i) {
      const double gap = tilt_[s] * pi_[l];
      move(i, epsilon_[s] + gap);
      move(half + i, epsilon_[s] - gap);
    }
  }
}

std::vector<double> StreamedDual::multipliers() const { return average_; }

}  // namespace fairfront::regression
