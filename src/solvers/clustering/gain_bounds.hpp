/// @file
/// Bounds of what exchanges between two clusters can gain.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// For every cluster k, group j and other cluster l an upper bound of how far a member lies past
/// the middle of both means, which is (|x - m_k|^2 - |x - m_l|^2) / 2: one pass over the points in
/// place of one for every pair of clusters, most of which are far from each other.
class GainBounds {
 public:
  /// @param squared_diameter  of a box around all points.
  GainBounds(const Problem& problem, double squared_diameter);

  /// Whether they are worth a pass, and no more numbers than there are points.
  [[nodiscard]] static bool are_of_use(const Problem& problem);

  /// Forgets all points.
  /// @param means  of the clusters.
  void begin(const Centres& means);

  /// A point that is, or becomes, a member of cluster k.
  void add(std::int64_t point, std::int64_t k);

  /// Whether two members of group j, one in k and one in l, can be past the middle by more than
  /// -`more` together. With R the diameter, a mean that has moved by s makes |x - m|^2 greater by
  /// at most 2 R s + s^2, and smaller by at most 2 R s.
  /// @param means  as they are now.
  [[nodiscard]] bool may_gain(const Centres& means, std::int64_t k, std::int64_t l, std::int64_t j,
                              double more) const;

 private:
  [[nodiscard]] std::size_t row(std::int64_t k, std::int64_t j) const;
  [[nodiscard]] double moved(const Centres& means, std::int64_t k) const;

  const Problem& problem_;
  double squared_diameter_;
  Centres anchors_;                ///< the means that the bounds are of
  std::vector<double> bounds_;     ///< shape (K, J, padded K)
  std::vector<double> distances_;  ///< shape (padded K,), scratch
};

}  // namespace fairfront::clustering
