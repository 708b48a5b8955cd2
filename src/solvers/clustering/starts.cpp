#include "solvers/clustering/starts.hpp"

#include <algorithm>
#include <limits>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "solvers/clustering/centres.hpp"

namespace fairfront::clustering {
namespace {

/// Between two calls of a callback a loop handles as many points, each with up to 65,536 centres.
constexpr std::int64_t points_between = 64;

using base::at;

/// The first index whose cumulative weight exceeds a uniform share of the total.
std::int64_t draw_by_weight(const std::vector<double>& cumulative, base::Stream& stream) {
  const double share = stream.uniform() * cumulative.back();
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), share);
  return std::min<std::int64_t>(found - cumulative.begin(), std::ssize(cumulative) - 1);
}

std::vector<double> label_distribution(std::int64_t clusters, RandomStart kind,
                                       base::Stream& stream) {
  std::vector<double> cumulative(at(clusters));
  double sum = 0;
  for (double& value : cumulative) {
    // Normalised exponential spacings are uniform on the simplex.
    sum += kind == RandomStart::softmax ? base::exp(stream.normal())
                                        : -base::log(1.0 - stream.uniform());
    value = sum;
  }
  return cumulative;
}

void call(const Between& between) {
  if (between) between();
}

template <class Label>
void fill_empty_clusters(const Problem& problem, std::vector<Label>& labels, base::Stream& stream,
                         const Between& between) {
  std::vector<std::int64_t> sizes(at(problem.clusters()), 0);
  for (const Label label : labels) ++sizes[label];
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    if (sizes[at(k)] > 0) continue;
    call(between);
    const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    auto skip = stream.below(static_cast<std::uint32_t>(sizes[at(largest)]));
    const auto taken = std::find_if(labels.begin(), labels.end(),
                                    [&](Label label) { return label == largest && skip-- == 0; });
    *taken = static_cast<Label>(k);
    --sizes[at(largest)];
    ++sizes[at(k)];
  }
}

/// Squared distance of every point to its nearest seed so far.
class SeedDistances {
 public:
  explicit SeedDistances(const Problem& problem)
      : problem_{problem},
        nearest_(at(problem.points()), std::numeric_limits<double>::infinity()),
        cumulative_(nearest_.size()) {}

  /// The distances if `seed` were added, and their sum.
  double with(std::int64_t seed, std::vector<double>& result) const {
    result.resize(nearest_.size());
    double sum = 0;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      double distance = 0;
      for (std::int64_t i = 0; i < problem_.columns(); ++i) {
        const double difference = problem_.point(p)[i] - problem_.point(seed)[i];
        distance += difference * difference;
      }
      result[at(p)] = std::min(nearest_[at(p)], distance);
      sum += result[at(p)];
    }
    return sum;
  }
  void accept(const std::vector<double>& distances) {
    nearest_ = distances;
    double sum = 0;
    for (std::size_t p = 0; p < nearest_.size(); ++p) cumulative_[p] = sum += nearest_[p];
  }
  /// A point drawn with probability proportional to its squared distance.
  std::int64_t draw(base::Stream& stream) const { return draw_by_weight(cumulative_, stream); }

 private:
  const Problem& problem_;
  std::vector<double> nearest_;
  std::vector<double> cumulative_;
};

/// Of each seed but the first.
int seed_trials(const Problem& problem) {
  return 2 + static_cast<int>(base::log(static_cast<double>(problem.clusters())));
}

std::vector<std::int64_t> draw_seeds(const Problem& problem, base::Stream& stream,
                                     const Between& between) {
  const int trials = seed_trials(problem);
  SeedDistances distances(problem);
  std::vector<std::int64_t> seeds{stream.below(static_cast<std::uint32_t>(problem.points()))};
  std::vector<double> best;
  std::vector<double> tried;
  distances.with(seeds.front(), best);
  distances.accept(best);
  while (std::ssize(seeds) < problem.clusters()) {
    double best_sum = std::numeric_limits<double>::infinity();
    std::int64_t best_seed = 0;
    for (int trial = 0; trial < trials; ++trial) {
      call(between);
      const std::int64_t seed = distances.draw(stream);
      const double sum = distances.with(seed, tried);
      if (!(sum < best_sum)) continue;
      best_sum = sum;
      best_seed = seed;
      best.swap(tried);
    }
    seeds.push_back(best_seed);
    distances.accept(best);
  }
  return seeds;
}

}  // namespace

template <class Label>
void relabel_points(const Problem& problem, std::vector<Label>& labels, std::int64_t count,
                    base::Stream& stream, const Between& between) {
  const auto points = static_cast<std::uint32_t>(problem.points());
  const auto clusters = static_cast<std::uint32_t>(problem.clusters());
  const bool all = count == problem.points();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t point = all ? i : std::int64_t{stream.below(points)};
    labels[at(point)] = static_cast<Label>(stream.below(clusters));
  }
  fill_empty_clusters(problem, labels, stream, between);
}

template <class Label>
std::vector<Label> random_labels(const Problem& problem, RandomStart kind, base::Stream& stream,
                                 const Between& between) {
  std::vector<Label> labels(at(problem.points()));
  std::vector<double> cumulative;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    if (j == 0 || kind == RandomStart::by_group) {
      cumulative = label_distribution(problem.clusters(), kind, stream);
    }
    for (std::int64_t p = problem.group_begin(j); p < problem.group_begin(j + 1); ++p) {
      labels[at(p)] = static_cast<Label>(draw_by_weight(cumulative, stream));
    }
  }
  fill_empty_clusters(problem, labels, stream, between);
  return labels;
}

template <class Label>
std::vector<Label> kmeans_plus_plus_labels(const Problem& problem, base::Stream& stream,
                                           const Between& between) {
  Centres centres(problem);
  const std::vector<std::int64_t> seeds = draw_seeds(problem, stream, between);
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    centres.set(k, problem.coordinates(seeds[at(k)]));
  }
  std::vector<Label> labels(at(problem.points()));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    if (p % points_between == 0) call(between);
    labels[at(p)] = static_cast<Label>(centres.nearest(problem.point(p)));
  }
  fill_empty_clusters(problem, labels, stream, between);
  return labels;
}

std::int64_t kmeans_plus_plus_comparisons(const Problem& problem) {
  const std::int64_t seeds = 1 + (problem.clusters() - 1) * seed_trials(problem);
  return problem.points() * (seeds + problem.clusters());
}

template void relabel_points(const Problem&, std::vector<std::uint8_t>&, std::int64_t,
                             base::Stream&, const Between&);
template void relabel_points(const Problem&, std::vector<std::uint16_t>&, std::int64_t,
                             base::Stream&, const Between&);
template std::vector<std::uint8_t> random_labels(const Problem&, RandomStart, base::Stream&,
                                                 const Between&);
template std::vector<std::uint16_t> random_labels(const Problem&, RandomStart, base::Stream&,
                                                  const Between&);
template std::vector<std::uint8_t> kmeans_plus_plus_labels(const Problem&, base::Stream&,
                                                           const Between&);
template std::vector<std::uint16_t> kmeans_plus_plus_labels(const Problem&, base::Stream&,
                                                            const Between&);

}  // namespace fairfront::clustering
