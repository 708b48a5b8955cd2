#include "solvers/clustering/centres.hpp"

#include "solvers/clustering/nearest_centres.hpp"

namespace fairfront::clustering {

NearestCentres nearest_centres([[maybe_unused]] base::Simd simd) noexcept {
#if defined(__x86_64__)
  if (simd == base::Simd::avx512) return nearest_centres_avx512;
  if (simd == base::Simd::avx2) return nearest_centres_avx2;
#endif
  return nearest_centres_baseline;
}

void Centres::nearest(const Problem& problem, std::span<const std::int64_t> points,
                      std::span<std::int64_t> result) const {
  static const NearestCentres find = nearest_centres(base::simd());
  find({values_.data(), blocks_, problem.point(0), columns_}, points.data(), std::ssize(points),
       result.data());
}

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
