/// @file
/// K centres laid out for distance loops over four clusters at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Point `point` pulls the centre of `cluster`.
struct Pull {
  std::int64_t point;
  std::int64_t cluster;
};

/// K points in R^d; cluster k sits in lane k % 4 of block k / 4.
class Centres {
 public:
  explicit Centres(const Problem& problem)
      : columns_{problem.columns()},
        blocks_{(problem.clusters() + lanes - 1) / lanes},
        values_(static_cast<std::size_t>(blocks_ * columns_ * lanes), far_away) {}

  [[nodiscard]] double coordinate(std::int64_t k, std::int64_t i) const noexcept {
    return values_[place(k, i)];
  }
  void set(std::int64_t k, std::int64_t i, double value) noexcept { values_[place(k, i)] = value; }
  /// Puts centre k on x, shape (d,).
  void set(std::int64_t k, std::span<const double> x) noexcept {
    for (std::int64_t i = 0; i < columns_; ++i) set(k, i, x[static_cast<std::size_t>(i)]);
  }

  /// The stochastic-gradient update of k-means, in which points pull the centres they belong to:
  /// c_k <- c_k + (1/w_k) sum over the pulls to k of (x - c_k), with c_k as it was before.
  /// @param weights  shape (K,); >= 1 for every cluster that is pulled.
  void pull(const Problem& problem, std::span<const Pull> pulls,
            std::span<const std::int64_t> weights);

  /// |x - c_k|^2.
  [[nodiscard]] double squared_distance(std::int64_t k, const double* x) const noexcept {
    double sum = 0;
    for (std::int64_t i = 0; i < columns_; ++i) {
      const double difference = x[i] - coordinate(k, i);
      sum += difference * difference;
    }
    return sum;
  }
  /// |x - c_k|^2 of every k into result[k]; the lanes after the last cluster get huge values.
  /// @param result  shape (padded(),).
  void squared_distances(const double* x, double* result) const noexcept {
    const double* centre = values_.data();
    for (std::int64_t block = 0; block < blocks_; ++block, result += lanes) {
      double distance[lanes] = {};
      for (std::int64_t i = 0; i < columns_; ++i, centre += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          const double difference = x[i] - centre[lane];
          distance[lane] += difference * difference;
        }
      }
      for (std::int64_t lane = 0; lane < lanes; ++lane) result[lane] = distance[lane];
    }
  }
  /// K rounded up to whole blocks.
  [[nodiscard]] std::size_t padded() const noexcept {
    return static_cast<std::size_t>(blocks_ * lanes);
  }
  /// |c_k - c_l|^2.
  [[nodiscard]] double squared_distance_between(std::int64_t k, std::int64_t l) const noexcept {
    double sum = 0;
    for (std::int64_t i = 0; i < columns_; ++i) {
      const double difference = coordinate(k, i) - coordinate(l, i);
      sum += difference * difference;
    }
    return sum;
  }

  /// The first of the centres nearest to x. O(K d).
  [[nodiscard]] std::int64_t nearest(const double* x) const noexcept {
    std::int64_t best = 0;
    double best_distance = far_away * far_away;
    const double* centre = values_.data();
    for (std::int64_t block = 0; block < blocks_; ++block) {
      double distance[lanes] = {};
      for (std::int64_t i = 0; i < columns_; ++i, centre += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
          const double difference = x[i] - centre[lane];
          distance[lane] += difference * difference;
        }
      }
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const bool nearer = distance[lane] < best_distance;
        best = nearer ? block * lanes + lane : best;
        best_distance = nearer ? distance[lane] : best_distance;
      }
    }
    return best;
  }

  /// The same of several points: shape (points,).
  void nearest(const Problem& problem, std::span<const std::int64_t> points,
               std::span<std::int64_t> result) const;

  [[nodiscard]] std::vector<double>& values() noexcept { return values_; }
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }

 private:
  static constexpr std::int64_t lanes = 4;
  /// Of coordinate i of centre k.
  [[nodiscard]] std::size_t place(std::int64_t k, std::int64_t i) const noexcept {
    return static_cast<std::size_t>(((k / lanes) * columns_ + i) * lanes + k % lanes);
  }

  static constexpr double far_away = 1e120;  ///< of the unused lanes: beyond every point
  std::int64_t columns_;
  std::int64_t blocks_;
  std::vector<double> values_;
};

}  // namespace fairfront::clustering
