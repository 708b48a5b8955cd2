/// @file
/// One finished clustering, as methods hand it back.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Clusters 0 .. K-1, one label a point; one byte each up to K = 256.
using LabelVector = std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>>;

struct Clustering {
  double cost = 0;     ///< f1 = (1/N) sum_p |x_p - m_{s_p}|^2, exact centroids
  double balance = 0;  ///< f2 = min_k min_j n_kj / max_j n_kj
  LabelVector labels;  ///< shape (N,), in the data set's row order
};

/// Of so many clusterings.
/// @param label_size  bytes of one label.
[[nodiscard]] inline double label_bytes(const Problem& problem, std::size_t clusterings,
                                        std::size_t label_size) {
  return static_cast<double>(problem.points()) * static_cast<double>(clusterings * label_size);
}

/// Strictly nondominated clusterings.
struct ClusteringFront {
  /// Rows (cost f1, balance f2), both ascending.
  std::vector<double> points;
  std::vector<LabelVector> labels;  ///< of each point, as in Clustering
  double reference_cost = 0;        ///< total variance: the reference point is (this, 0)
  double hypervolume = 0;           ///< of points, in units of cost times balance
};

/// Labels in the problem's order as labels of the data set's rows.
template <class Label>
[[nodiscard]] std::vector<Label> labels_by_row(const Problem& problem,
                                               std::span<const Label> labels) {
  std::vector<Label> by_row(labels.size());
  for (std::size_t p = 0; p < labels.size(); ++p) {
    by_row[static_cast<std::size_t>(problem.row(static_cast<std::int64_t>(p)))] = labels[p];
  }
  return by_row;
}

template <class Label>
[[nodiscard]] Clustering clustering_of(const Problem& problem, const Partition<Label>& partition) {
  return {partition.cost(problem), partition.bottleneck().balance.value(),
          labels_by_row(problem, partition.labels())};
}

/// The strictly nondominated ones among `all`; of equal ones the first.
[[nodiscard]] ClusteringFront front_of(const Problem& problem, std::vector<Clustering> all);

/// Calls `work(Label{})` with the label type of the problem's number of clusters.
template <class Work>
auto with_label_type(const Problem& problem, Work&& work) {
  return problem.clusters() <= 256 ? std::forward<Work>(work)(std::uint8_t{})
                                   : std::forward<Work>(work)(std::uint16_t{});
}

/// Bytes of the points and of their order, which every method holds.
[[nodiscard]] double problem_bytes(const Problem& problem);
/// Bytes of one clustering at work: labels, others to try, and where members are.
[[nodiscard]] double labels_bytes(const Problem& problem);
/// Bytes of the labels of so many clusterings, as they are stored.
[[nodiscard]] double front_bytes(const Problem& problem, std::int64_t clusterings);

}  // namespace fairfront::clustering
