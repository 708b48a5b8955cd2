#include "solvers/clustering/centres.hpp"

namespace fairfront::clustering {

void Centres::pull(const Problem& problem, std::span<const Pull> pulls,
                   std::span<const std::int64_t> weights) {
  const Centres before = *this;
  for (const Pull& pull : pulls) {
    const double share = 1.0 / static_cast<double>(weights[static_cast<std::size_t>(pull.cluster)]);
    const double* x = problem.point(pull.point);
    for (std::int64_t i = 0; i < columns_; ++i) {
      values_[place(pull.cluster, i)] += share * (x[i] - before.coordinate(pull.cluster, i));
    }
  }
}

}  // namespace fairfront::clustering
