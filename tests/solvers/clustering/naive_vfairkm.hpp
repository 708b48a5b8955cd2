/// @file
/// VfairKM written out literally: every exponential and logarithm of its formulas, one full
/// matrix after another. Slow; the truth for the fast implementation where nothing
/// underflows and no cluster runs empty.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {

/// @tparam Real  long double has room for exponents up to 11,000.
template <class Real = double>
class NaiveSoftAssignment {
 public:
  using Matrix = std::vector<std::vector<Real>>;

  NaiveSoftAssignment(const Problem& problem, Real lipschitz)
      : problem_{problem},
        points_{static_cast<std::size_t>(problem.points())},
        clusters_{static_cast<std::size_t>(problem.clusters())},
        groups_{static_cast<std::size_t>(problem.groups())},
        lipschitz_{lipschitz},
        a_(points_, std::vector<Real>(clusters_)),
        s_(a_),
        share_(groups_, 0) {
    for (std::size_t p = 0; p < points_; ++p) share_[group(p)] += 1 / static_cast<Real>(points_);
  }

  void start(const Centres& centres) {
    for (std::size_t p = 0; p < points_; ++p) {
      for (std::size_t k = 0; k < clusters_; ++k) {
        a_[p][k] = 0;
        ++comparisons;
        for (std::int64_t i = 0; i < problem_.columns(); ++i) {
          const Real difference = problem_.point(static_cast<std::int64_t>(p))[i] -
                                  centres.coordinate(static_cast<std::int64_t>(k), i);
          a_[p][k] += difference * difference;
        }
        s_[p][k] = std::exp(-a_[p][k]);
      }
      normalise(s_[p]);
    }
  }

  /// sum_k (1's_k) is N, and b has one row for each group.
  Real update(Real mu) {
    Matrix b(groups_, std::vector<Real>(clusters_, 0));
    for (std::size_t k = 0; k < clusters_; ++k) {
      for (std::size_t of_point = 0; of_point < groups_; ++of_point) {
        for (std::size_t j = 0; j < groups_; ++j) {
          const Real in_group = j == of_point ? 1 : 0;
          b[of_point][k] +=
              mu * share_[j] * (1 / size(k) - in_group / std::max(mass(k, j), Real{1e-15}));
        }
      }
    }
    Real energy = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      const std::vector<Real> old = s_[p];
      std::vector<Real> step(clusters_);
      for (std::size_t k = 0; k < clusters_; ++k) {
        step[k] = -(a_[p][k] + b[group(p)][k]) / lipschitz_;
      }
      const Real top = *std::max_element(step.begin(), step.end());
      for (Real& value : step) value = std::exp(value - top);
      normalise(step);
      for (std::size_t k = 0; k < clusters_; ++k) {
        s_[p][k] = old[k] * step[k];
        ++comparisons;
      }
      normalise(s_[p]);
      for (std::size_t k = 0; k < clusters_; ++k) {
        energy += s_[p][k] * std::log(std::max(s_[p][k], Real{1e-15})) -
                  s_[p][k] * std::log(std::max(old[k], Real{1e-15})) +
                  (a_[p][k] + b[group(p)][k]) * s_[p][k];
      }
    }
    return energy;
  }

  [[nodiscard]] Real objective(Real mu) const {
    Real sum = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      for (std::size_t k = 0; k < clusters_; ++k) sum += s_[p][k] * a_[p][k];
    }
    for (std::size_t k = 0; k < clusters_; ++k) {
      for (std::size_t j = 0; j < groups_; ++j) {
        sum += mu * share_[j] * (std::log(size(k)) - std::log(std::max(mass(k, j), Real{1e-20})));
      }
    }
    return sum;
  }

  [[nodiscard]] Real membership(std::int64_t p, std::int64_t k) const {
    return s_[static_cast<std::size_t>(p)][static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::vector<std::uint8_t> labels() const {
    std::vector<std::uint8_t> result;
    for (const auto& row : s_) {
      result.push_back(
          static_cast<std::uint8_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return result;
  }

  std::int64_t comparisons = 0;  ///< distances and updates of memberships

 private:
  [[nodiscard]] std::size_t group(std::size_t p) const {
    return static_cast<std::size_t>(problem_.group_of(static_cast<std::int64_t>(p)));
  }
  [[nodiscard]] Real mass(std::size_t k, std::size_t j) const {
    Real sum = 0;
    for (std::size_t p = 0; p < points_; ++p) sum += group(p) == j ? s_[p][k] : 0;
    return sum;
  }
  [[nodiscard]] Real size(std::size_t k) const {
    Real sum = 0;
    for (std::size_t p = 0; p < points_; ++p) sum += s_[p][k];
    return sum;
  }
  static void normalise(std::vector<Real>& row) {
    Real sum = 0;
    for (const Real value : row) sum += value;
    for (Real& value : row) value /= sum;
  }

  const Problem& problem_;
  std::size_t points_;
  std::size_t clusters_;
  std::size_t groups_;
  Real lipschitz_;
  Matrix a_;
  Matrix s_;
  std::vector<Real> share_;
};

/// One weight mu > 0 of VfairKM by the letter.
struct NaiveVfair {
  std::vector<std::uint8_t> labels;  ///< in the problem's order
  double objective = 0;
  std::int64_t outer_iterations = 0;
  std::int64_t inner_iterations = 0;
  std::int64_t comparisons = 0;  ///< until labels stay as they are
  bool emptied = false;          ///< a cluster ran empty: the answer is void
};

/// @param labels  the clustering that the first centres are the means of.
inline NaiveVfair naive_vfair(const Problem& problem, std::vector<std::uint8_t> labels, double mu,
                              double lipschitz) {
  NaiveSoftAssignment<> soft(problem, lipschitz);
  NaiveVfair result;
  result.labels = std::move(labels);
  const auto clusters = static_cast<std::size_t>(problem.clusters());
  double before = 0;
  bool is_at_rest = false;
  for (int i = 0; i < 100; ++i) {
    Centres centres(problem);
    std::vector<double> sizes(clusters, 0);
    for (std::size_t k = 0; k < clusters; ++k) {
      for (std::int64_t c = 0; c < problem.columns(); ++c) {
        double sum = 0;
        sizes[k] = 0;
        for (std::size_t p = 0; p < result.labels.size(); ++p) {
          if (result.labels[p] != k) continue;
          sum += problem.point(static_cast<std::int64_t>(p))[c];
          ++sizes[k];
        }
        centres.set(static_cast<std::int64_t>(k), c, sum / sizes[k]);
      }
    }
    soft.start(centres);
    double energy = 0;
    for (int inner = 0; inner < 10'000; ++inner) {
      const double energy_before = energy;
      energy = soft.update(mu);
      ++result.inner_iterations;
      if (inner > 1 && std::abs(energy - energy_before) <= 1e-5 * std::abs(energy_before)) break;
    }
    if (!is_at_rest) result.comparisons = soft.comparisons;
    is_at_rest = is_at_rest || soft.labels() == result.labels;
    result.labels = soft.labels();
    result.objective = soft.objective(mu);
    ++result.outer_iterations;
    std::vector<bool> used(clusters, false);
    for (const std::uint8_t label : result.labels) used[label] = true;
    result.emptied = std::count(used.begin(), used.end(), false) > 0;
    if (result.emptied) return result;
    if (i > 1 && std::abs(result.objective - before) <= 1e-4 * std::abs(before)) break;
    before = result.objective;
  }
  return result;
}

}  // namespace fairfront::clustering
