#include "solvers/clustering/pulls.hpp"

#include <vector>

namespace fairfront::clustering {

void pull_centres(const Problem& problem, std::span<const Pull> pulls,
                  std::span<const std::int64_t> weights, Centres& centres) {
  const std::vector<double> before = centres.values();
  for (const Pull& pull : pulls) {
    const double share = 1.0 / static_cast<double>(weights[static_cast<std::size_t>(pull.cluster)]);
    const double* x = problem.point(pull.point);
    double* centre = centres.at(pull.cluster);
    const double* old = before.data() + (centre - centres.values().data());
    for (std::int64_t i = 0; i < problem.columns(); ++i) {
      centre[i * Centres::lanes] += share * (x[i] - old[i * Centres::lanes]);
    }
  }
}

}  // namespace fairfront::clustering
