/// @file
/// The exact front of two clusters of two groups in the plane, for hundreds of points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/dataset.hpp"

namespace fairfront::clustering {

/// With (a, b) members of the groups in the first cluster, the cost falls with the square of the
/// sum of its points, a convex function of it. So the best first cluster has the a and b points of
/// the groups that lie farthest along some direction u. All directions are gone through in the
/// order of the angles at which two points of one group change places; the half circle is enough,
/// as -u gives the other cluster. O(N^3). No three points of a group may be on a line.
class ExactPlaneFront {
 public:
  explicit ExactPlaneFront(const data::Dataset& dataset)
      : points_{dataset.rows}, group_{dataset.group} {
    const auto n = static_cast<std::size_t>(points_);
    double mean[2] = {0, 0};
    for (std::size_t p = 0; p < 2 * n; ++p) mean[p % 2] += dataset.features[p] / double(points_);
    for (std::size_t p = 0; p < n; ++p) {
      x_.push_back(dataset.features[2 * p] - mean[0]);
      y_.push_back(dataset.features[2 * p + 1] - mean[1]);
      squares_ += x_[p] * x_[p] + y_[p] * y_[p];
      order_[group_[p]].push_back(p);
    }
    place_.resize(n);
    for (int j : {0, 1}) sort_along_first_axis(j);
    explained_.assign((order_[0].size() + 1) * (order_[1].size() + 1), 0);
    for (std::size_t a = 0; a <= order_[0].size(); ++a) {
      for (std::size_t b = 0; b <= order_[1].size(); ++b) look_at(a, b);
    }
    turn();
  }

  /// The area up to (total variance, balance 0).
  [[nodiscard]] double hypervolume() const {
    const auto total = [&](int j, std::size_t first) { return double(order_[j].size() - first); };
    std::map<double, double, std::greater<>> least_cost;  // by balance, the greatest first
    for (std::size_t a = 0; a <= order_[0].size(); ++a) {
      for (std::size_t b = 0; b <= order_[1].size(); ++b) {
        if (is_empty(a + b)) continue;
        const double balance =
            std::min(ratio(double(a), double(b)), ratio(total(0, a), total(1, b)));
        const double cost = (squares_ - explained_[place_of(a, b)]) / double(points_);
        const auto [entry, added] = least_cost.emplace(balance, cost);
        if (!added) entry->second = std::min(entry->second, cost);
      }
    }
    double area = 0;
    double least = squares_ / double(points_);
    for (auto entry = least_cost.begin(); entry != least_cost.end(); ++entry) {
      least = std::min(least, entry->second);
      const auto next = std::next(entry);
      const double below = next == least_cost.end() ? 0 : next->first;
      area += (squares_ / double(points_) - least) * (entry->first - below);
    }
    return area;
  }

 private:
  struct Swap {
    double angle;
    std::size_t first, second;  ///< `first` lies farther before
  };

  static double ratio(double a, double b) { return std::min(a, b) / std::max(a, b); }
  [[nodiscard]] bool is_empty(std::size_t size) const {
    return size == 0 || size == static_cast<std::size_t>(points_);
  }
  [[nodiscard]] std::size_t place_of(std::size_t a, std::size_t b) const {
    return a * (order_[1].size() + 1) + b;
  }

  void sort_along_first_axis(int j) {
    std::ranges::sort(order_[j], [&](std::size_t p, std::size_t q) { return x_[p] > x_[q]; });
    sums_[j].assign(order_[j].size() + 1, {0, 0});
    for (std::size_t i = 0; i < order_[j].size(); ++i) {
      place_[order_[j][i]] = i;
      sums_[j][i + 1] = plus(sums_[j][i], order_[j][i]);
    }
  }

  [[nodiscard]] std::pair<double, double> plus(const std::pair<double, double>& sum,
                                               std::size_t p) const {
    return {sum.first + x_[p], sum.second + y_[p]};
  }

  void look_at(std::size_t a, std::size_t b) {
    if (is_empty(a + b)) return;
    const double x = sums_[0][a].first + sums_[1][b].first;
    const double y = sums_[0][a].second + sums_[1][b].second;
    const double size = double(a + b);
    double& most = explained_[place_of(a, b)];
    most = std::max(most, (x * x + y * y) * (1 / size + 1 / (double(points_) - size)));
  }

  void turn() {
    std::vector<Swap> swaps;
    for (const auto& order : order_) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t k = i + 1; k < order.size(); ++k) {
          const double angle = std::atan2(x_[order[i]] - x_[order[k]], y_[order[k]] - y_[order[i]]);
          swaps.push_back({angle, order[i], order[k]});
        }
      }
    }
    std::ranges::sort(swaps, {}, &Swap::angle);
    for (const Swap& swap : swaps) exchange(swap);
  }

  void exchange(const Swap& swap) {
    const int j = group_[swap.first];
    const std::size_t i = place_[swap.first];
    if (place_[swap.second] != i + 1) throw std::logic_error("points on a line");
    std::swap(order_[j][i], order_[j][i + 1]);
    std::swap(place_[swap.first], place_[swap.second]);
    sums_[j][i + 1] = plus(sums_[j][i], swap.second);
    for (std::size_t other = 0; other <= order_[1 - j].size(); ++other) {
      j == 0 ? look_at(i + 1, other) : look_at(other, i + 1);
    }
  }

  std::int64_t points_;
  std::vector<std::int32_t> group_;
  std::vector<double> x_, y_;
  double squares_ = 0;
  std::vector<std::size_t> order_[2];               ///< of each group's points, the farthest first
  std::vector<std::size_t> place_;                  ///< of every point in its group's order
  std::vector<std::pair<double, double>> sums_[2];  ///< of the first points in that order
  std::vector<double> explained_;  ///< greatest decrease of N f1 with (a, b) in the first cluster
};

}  // namespace fairfront::clustering
