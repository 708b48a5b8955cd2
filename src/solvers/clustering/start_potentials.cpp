#include "solvers/clustering/start_potentials.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Potentials {
 public:
  Potentials(const Problem& problem, std::span<const std::int64_t> labels, double most_gap)
      : problem_{problem},
        labels_{labels},
        most_gap_{most_gap},
        clusters_{at(problem.clusters())},
        sizes_(clusters_, 0.0),
        distances_(labels.size() * clusters_) {
    measure_distances();
    for (std::int64_t j = 0; j < problem.groups(); ++j) amounts_.push_back(amounts_of(j));
  }

  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> own(labels_.size());
    std::vector<double> gap(labels_.size());
    std::vector<double> amounts(clusters_, 0.0);  // sum over the members of L
    std::vector<double> gaps(clusters_, 0.0);
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      const std::size_t k = at(labels_[p]);
      own[p] = reduced(p, k);
      double second = infinity;
      for (std::size_t l = 0; l < clusters_; ++l) {
        if (l != k) second = std::min(second, reduced(p, l));
      }
      gap[p] = std::max(0.0, second - own[p]);
      amounts[k] += amount(p, k);
      gaps[k] += gap[p];
    }
    const std::vector<double> usual = usual_gaps(gaps);
    double mean = 0;
    for (std::size_t k = 0; k < clusters_; ++k) {
      mean += (amounts[k] - 0.5 * usual[k]) / static_cast<double>(clusters_);
    }
    std::vector<double> result(labels_.size());
    std::vector<double> values(clusters_, 0.0);  // cost(C_k) - pi(C_k)
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      const std::size_t k = at(labels_[p]);
      const double share =
          gaps[k] > 0 ? std::clamp((amounts[k] - mean) / gaps[k], 0.1 * usual[k] / gaps[k], 0.9)
                      : 0.0;
      result[p] = own[p] + share * gap[p];
      values[k] += distance(p, k) - result[p];
    }
    level(result, values);
    return result;
  }

 private:
  [[nodiscard]] double distance(std::size_t p, std::size_t k) const {
    return distances_[p * clusters_ + k];
  }
  [[nodiscard]] double amount(std::size_t p, std::size_t k) const {
    return amounts_[at(problem_.group_of(static_cast<std::int64_t>(p)))][k];
  }
  [[nodiscard]] double reduced(std::size_t p, std::size_t k) const {
    return distance(p, k) - amount(p, k);
  }

  /// Gaps of clusters without those of outliers: whoever is a cluster of its own far away could
  /// take so much that the others, made level with it, had nothing left.
  [[nodiscard]] std::vector<double> usual_gaps(std::vector<double> gaps) const {
    std::vector<double> sorted = gaps;
    const auto middle = sorted.begin() + (std::ssize(sorted) - 1) / 2;
    std::ranges::nth_element(sorted, middle);
    if (*middle > 0) {
      for (double& gap : gaps) gap = std::min({gap, 10 * *middle, most_gap_});
    }
    return gaps;
  }

  /// To the means of the clusters.
  void measure_distances() {
    const auto columns = at(problem_.columns());
    std::vector<double> means(clusters_ * columns, 0.0);
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      const double* const x = problem_.point(static_cast<std::int64_t>(p));
      const std::size_t k = at(labels_[p]);
      ++sizes_[k];
      for (std::size_t i = 0; i < columns; ++i) means[k * columns + i] += x[i];
    }
    for (std::size_t place = 0; place < means.size(); ++place)
      means[place] /= sizes_[place / columns];
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      const double* const x = problem_.point(static_cast<std::int64_t>(p));
      for (std::size_t k = 0; k < clusters_; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < columns; ++i) {
          const double difference = x[i] - means[k * columns + i];
          sum += difference * difference;
        }
        distances_[p * clusters_ + k] = sum;
      }
    }
  }

  /// L_jk of one group. Where a clustering could be better, there are no such amounts: the paths
  /// then end after K rounds.
  [[nodiscard]] std::vector<double> amounts_of(std::int64_t j) const {
    std::vector<double> room(clusters_ * clusters_, infinity);
    for (std::int64_t i = problem_.group_begin(j); i < problem_.group_begin(j + 1); ++i) {
      const auto p = at(i);
      const std::size_t k = at(labels_[p]);
      for (std::size_t l = 0; l < clusters_; ++l) {
        double& least = room[k * clusters_ + l];
        least = std::min(least, distance(p, l) - distance(p, k));
      }
    }
    std::vector<double> least(clusters_, 0.0);
    std::vector<double> greatest(clusters_, 0.0);
    for (std::size_t round = 0; round < clusters_; ++round) {
      for (std::size_t k = 0; k < clusters_; ++k) {
        for (std::size_t l = 0; l < clusters_; ++l) {
          const double most = room[k * clusters_ + l];
          if (k == l || most == infinity) continue;
          least[l] = std::min(least[l], least[k] + most);
          greatest[k] = std::max(greatest[k], greatest[l] - most);
        }
      }
    }
    std::vector<double> middle(clusters_);
    for (std::size_t k = 0; k < clusters_; ++k) middle[k] = 0.5 * (least[k] + greatest[k]);
    return middle;
  }

  /// Makes all `values` equal to their mean.
  void level(std::vector<double>& potentials, const std::vector<double>& values) const {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(clusters_);
    for (std::size_t p = 0; p < potentials.size(); ++p) {
      const std::size_t k = at(labels_[p]);
      potentials[p] += (values[k] - mean) / sizes_[k];
    }
  }

  const Problem& problem_;
  std::span<const std::int64_t> labels_;
  double most_gap_;  ///< that the gaps of a cluster count
  std::size_t clusters_;
  std::vector<double> sizes_;                 ///< (K,)
  std::vector<double> distances_;             ///< (N, K)
  std::vector<std::vector<double>> amounts_;  ///< (J, K): L
};

}  // namespace

std::vector<double> start_potentials(const Problem& problem, std::span<const std::int64_t> labels,
                                     double most_gap) {
  return Potentials(problem, labels, most_gap).values();
}

}  // namespace fairfront::clustering
