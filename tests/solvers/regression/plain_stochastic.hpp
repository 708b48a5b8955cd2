/// @file
/// The stochastic optimisers as they are printed, one vector at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "solvers/regression/dual.hpp"
#include "solvers/regression/stochastic.hpp"

namespace fairfront::regression::plain {

using Vector = std::vector<double>;

/// The rows that a run with this seed draws.
struct DrawnRows {
  base::Stream stream;
  std::int64_t count;
  std::int64_t next() { return stream.below(static_cast<std::uint32_t>(count)); }
};
inline DrawnRows rows_of(const DualProblem& problem, std::uint64_t seed, const std::string& key) {
  return {base::Stream(base::StreamKey(seed, key, "regression/rows"), 0), problem.rows().rows()};
}

struct Term {
  double mu;
  Vector centre;
};

/// Gradient of one row's term and of quadratic terms, as written in Algorithm 4.
inline Vector gradient_of(const DualProblem& problem, const std::vector<Term>& terms,
                          const Vector& w, std::int64_t row) {
  Vector g(w.size());
  problem.stochastic_gradient(w, row, g);
  for (const Term& term : terms) {
    for (std::size_t i = 0; i < w.size(); ++i) g[i] += term.mu * (w[i] - term.centre[i]);
  }
  return g;
}

/// Algorithm 2 as printed, one vector at a time.
inline Vector ac_sa(const DualProblem& problem, const std::vector<Term>& terms, const Vector& start,
                    double mu, double smoothness, std::int64_t steps, DrawnRows& rows,
                    bool authors) {
  Vector w = start, average = start;
  for (std::int64_t t = 1; t <= steps; ++t) {
    const double alpha = authors ? 2.0 / double(t) : 2.0 / double(t + 1);
    const double gamma = 4 * smoothness / double(t * (t + 1));
    const double low = gamma + (1 - alpha * alpha) * mu;
    Vector middle(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      middle[i] = (1 - alpha) * (mu + gamma) / low * average[i] +
                  alpha * ((1 - alpha) * mu + gamma) / low * w[i];
    }
    const Vector g = gradient_of(problem, terms, middle, rows.next());
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = std::max(0.0, ((1 - alpha) * mu + gamma) / (mu + gamma) * w[i] +
                               alpha * mu / (mu + gamma) * middle[i] - alpha / (mu + gamma) * g[i]);
      average[i] = alpha * w[i] + (1 - alpha) * average[i];
    }
  }
  return average;
}

inline Vector run(const DualProblem& problem, Optimiser optimiser, bool authors, std::int64_t steps,
                  std::uint64_t seed, const std::string& key) {
  DrawnRows rows = rows_of(problem, seed, key);
  const double variance = gradient_variance(problem.rows().shares);
  const double beta = problem.prediction().beta();
  const double smoothness = 2 * beta * variance;
  const double mu = authors ? smoothness / double(steps) : 2 * variance / beta;
  Vector w(std::size_t(problem.size()), 0.0);
  const Vector zero = w;
  if (optimiser == Optimiser::sgd || optimiser == Optimiser::averaged_sgd) {
    Vector sum = w;
    for (std::int64_t t = 0; t < steps; ++t) {
      const Vector g = gradient_of(problem, {}, w, rows.next());
      for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = std::max(0.0, w[i] - g[i] / smoothness);
        sum[i] += w[i] / double(steps);
      }
    }
    return optimiser == Optimiser::sgd ? w : sum;
  }
  const auto inner = [&](const std::vector<Term>& terms, const Vector& start, double strong,
                         double smooth, std::int64_t count) {
    const bool twice = optimiser == Optimiser::ac_sa2 || optimiser == Optimiser::sgd3_ac_sa2;
    const std::int64_t each = twice && !authors ? count / 2 : count;
    Vector found = ac_sa(problem, terms, start, strong, smooth, each, rows, authors);
    if (!twice) return found;
    return ac_sa(problem, terms, found, strong, smooth, each, rows, authors);
  };
  if (optimiser == Optimiser::ac_sa || optimiser == Optimiser::ac_sa2)
    return inner({}, w, mu, smoothness, steps);
  const double ratio = authors ? (smoothness + mu) / mu : smoothness / mu;
  const auto stages = std::int64_t(std::floor(std::log2(ratio)));
  std::vector<Term> terms;
  if (!authors) terms.push_back({mu, zero});
  double strong = mu;
  for (std::int64_t j = 1; j <= stages; ++j) {
    w = inner(terms, authors ? zero : w, strong, (authors ? 1 : 2) * (smoothness + mu),
              steps / stages);
    strong *= 2;
    terms.push_back({strong, w});
  }
  return w;
}

}  // namespace fairfront::regression::plain
