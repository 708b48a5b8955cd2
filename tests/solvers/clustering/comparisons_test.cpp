// What methods of clustering spend, counted one distance after the other by plain loops.
#include "solvers/clustering/comparisons.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/carried_clustering.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/list_starts.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/lower_bound.hpp"
#include "solvers/clustering/many_seeds.hpp"
#include "solvers/clustering/minibatch_kmeans.hpp"
#include "solvers/clustering/safairkm.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::clustering::comparisons_test {
namespace {

using Label = std::uint8_t;
using Centre = std::vector<double>;

/// Lloyd's iterations by the letter, which count the distances that they take.
class CountedLloyd {
 public:
  CountedLloyd(const Problem& problem, std::vector<Label> labels)
      : problem_{problem}, labels_{std::move(labels)} {
    while (assign(means())) ++iterations;
    ++iterations;  // the last one, which changes nothing
  }
  std::int64_t iterations = 0;
  std::int64_t distances = 0;

 private:
  [[nodiscard]] std::vector<Centre> means() const {
    std::vector<Centre> sums(static_cast<std::size_t>(problem_.clusters()),
                             Centre(static_cast<std::size_t>(problem_.columns())));
    std::vector<double> sizes(sums.size());
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      ++sizes[labels_[p]];
      const auto x = problem_.coordinates(static_cast<std::int64_t>(p));
      for (std::size_t i = 0; i < x.size(); ++i) sums[labels_[p]][i] += x[i];
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (double& value : sums[k]) value /= sizes[k];
    }
    return sums;
  }
  double distance(std::size_t p, const Centre& centre) {
    ++distances;
    double sum = 0;
    const auto x = problem_.coordinates(static_cast<std::int64_t>(p));
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - centre[i]) * (x[i] - centre[i]);
    return sum;
  }
  bool assign(const std::vector<Centre>& centres) {
    bool changed = false;
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t nearest = 0;
      for (std::size_t k = 0; k < centres.size(); ++k) {
        const double now = distance(p, centres[k]);
        nearest = now < least ? k : nearest;
        least = now < least ? now : least;
      }
      changed = changed || nearest != labels_[p];
      labels_[p] = static_cast<Label>(nearest);
    }
    return changed;
  }

  const Problem& problem_;
  std::vector<Label> labels_;
};

TEST(Comparisons, OfKmeansAreThoseOfALoopOverAllDistances) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem problem(random_dataset(seed, 120, 3, 2), 4);
    const LloydResult found = lloyd(problem, {.restarts = 2}, seed, "test");
    std::int64_t iterations = 0;
    std::int64_t distances = 0;
    for (std::uint64_t run = 0; run < 2; ++run) {
      base::Stream stream(base::StreamKey(seed, "test", "lloyd/start"), run);
      const CountedLloyd naive(problem, kmeans_plus_plus_labels<Label>(problem, stream));
      iterations += naive.iterations;
      distances += naive.distances;
    }
    ASSERT_EQ(found.iterations, iterations);
    // Seeds: the first one, three tried for each of the other three, and all four at the end.
    EXPECT_EQ(found.comparisons, distances + 2 * 120 * (1 + 3 * 3 + 4));
    EXPECT_EQ(evaluations_of(problem, found.comparisons), 120 * (iterations + 7));
  }
}

TEST(Comparisons, OfAnEmptyClusterAreAPassOverAllRows) {
  data::Dataset dataset = random_dataset(1, 24, 2, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) dataset.features[i] = i < 24 ? 0 : 1;
  const Problem problem(dataset, 5);
  Solution<Label> solution(problem);
  solution.set_exact_centres(problem);
  EXPECT_EQ(refill_empty_clusters(problem, solution.centres, solution.partition), 4 * 24);
}

TEST(Comparisons, OfMinibatchesAreTheRowsDrawnAndAPassAtTheEnd) {
  const Problem problem(random_dataset(2, 300, 3, 2), 5);
  const MinibatchResult points = minibatch_kmeans(problem, {30, 20}, 1, "test");
  EXPECT_EQ(evaluations_of(problem, points.comparisons), 30 * 20 + 300);
  const MinibatchResult seeded =
      minibatch_kmeans(problem, {30, 20, FirstCentres::kmeans_plus_plus}, 1, "test");
  EXPECT_EQ(seeded.comparisons, points.comparisons + kmeans_plus_plus_comparisons(problem));
}

/// A swap without growth has one candidate on each side.
TEST(Comparisons, OfSafairkmAreRelabelledRowsAndCandidatesOfSwaps) {
  const Problem problem(random_dataset(3, 300, 3, 2), 5);
  SafairOptions options{.iterations = 40, .n_a = 7, .n_b = 0};
  EXPECT_EQ(evaluations_of(problem, safairkm(problem, options, 1, "test").comparisons), 40 * 7);
  options.n_b = 3;
  options.step.swap_growth = 1;
  const std::int64_t swaps = 40 * 3 * 2;
  EXPECT_EQ(safairkm(problem, options, 1, "test").comparisons, 40 * 7 * 5 + swaps);
  options.first_labels = FirstLabels::kmeans_plus_plus;
  EXPECT_EQ(safairkm(problem, options, 1, "test").comparisons,
            40 * 7 * 5 + swaps + kmeans_plus_plus_comparisons(problem));
}

TEST(Comparisons, OfVfairkmAreDistancesAndUpdatesOfMemberships) {
  const Problem problem(random_dataset(4, 200, 3, 2), 4);
  const VfairOptions options{.mu_max = 20, .mu_count = 3, .restarts = 2};
  const VfairResult found = vfairkm(problem, options, 1, "test");
  std::int64_t passes = 0;
  for (const VfairWeight& weight : found.weights) {
    EXPECT_EQ(weight.refills, 0);
    passes += weight.outer_iterations + weight.inner_iterations;
  }
  EXPECT_EQ(found.comparisons,
            passes * comparisons_of_all(problem) + 2 * kmeans_plus_plus_comparisons(problem));
}

TEST(Comparisons, OfAPassOfMovesAreAllRowsThatMayLeave) {
  const Problem problem(random_dataset(5, 150, 3, 2), 4);
  base::Stream stream(base::StreamKey(5, "test", "labels"), 0);
  BalancedSearch<Label> search(problem);
  search.assign(kmeans_plus_plus_labels<Label>(problem, stream));
  while (search.move_points(0)) {
  }
  const std::int64_t before = search.comparisons();
  EXPECT_FALSE(search.move_points(0));
  EXPECT_EQ(search.comparisons() - before, comparisons_of_all(problem));
  EXPECT_TRUE(search.repair(0));
  EXPECT_EQ(search.comparisons() - before, comparisons_of_all(problem));  // nothing is missing
}

/// Two clusters: of one pair, every row with the one direction between both means.
TEST(Comparisons, OfExchangesAreAtLeastOneOfEveryRow) {
  const Problem problem(random_dataset(6, 150, 3, 2), 2);
  base::Stream stream(base::StreamKey(6, "test", "labels"), 0);
  BalancedSearch<Label> search(problem);
  search.assign(kmeans_plus_plus_labels<Label>(problem, stream));
  EXPECT_EQ(search.comparisons(), 0);
  (void)search.exchange_points();
  EXPECT_GE(search.comparisons(), 150);
  while (search.exchange_points()) {
  }
  const std::int64_t before = search.comparisons();
  EXPECT_FALSE(search.exchange_points());
  EXPECT_EQ(search.comparisons(), before);  // nothing has changed since
}

TEST(Comparisons, AreFewerWhereBoundsLeaveClustersOut) {
  constexpr std::int64_t many = 200;
  const Problem problem(random_dataset(7, 2000, 2, 2), many);
  base::Stream stream(base::StreamKey(7, "test", "labels"), 0);
  const CountedLabels<Label> seeded = many_seeds_labels<Label>(problem, stream);
  EXPECT_GE(seeded.comparisons, problem.points());
  EXPECT_LT(seeded.comparisons, kmeans_plus_plus_comparisons(problem) / 4);
  std::int64_t everywhere = 0;
  for (const Outlook outlook : {Outlook::everywhere, Outlook::nearby}) {
    BalancedSearch<Label> search(problem, nullptr, outlook);
    search.assign(seeded.labels);
    (void)search.move_points(0);
    EXPECT_GT(search.comparisons(), problem.points());
    if (outlook == Outlook::everywhere) everywhere = search.comparisons();
    if (outlook == Outlook::nearby) {
      EXPECT_LT(search.comparisons(), everywhere / 4);
    }
  }
}

TEST(Comparisons, OfABalancedStartAreThoseOfItsSeedsAndOfTheRepair) {
  const Problem problem(random_dataset(8, 200, 3, 2), 4);
  const auto start = [&](std::int64_t number) {
    base::Stream stream(base::StreamKey(8, "test", "start"), static_cast<std::uint64_t>(number));
    return list_start<Label>(problem, {.count = 4}, number, stream).comparisons;
  };
  EXPECT_EQ(start(0), 0);
  EXPECT_EQ(start(3), kmeans_plus_plus_comparisons(problem));
  EXPECT_GT(start(5), kmeans_plus_plus_comparisons(problem));
}

TEST(Comparisons, OfARuleAreAllRowsOfTheSampleAndThenAllRowsOnce) {
  const Problem problem(random_dataset(10, 900, 3, 2), 5);
  const Problem sample(random_dataset(10, 300, 3, 2), 5);
  const ClusteringFront front = balance_ladder(sample, {.starts = 1}, 1, "test").front;
  const auto rules = carry_front(sample, spaced_front(front, 3), problem, {}, nullptr);
  ASSERT_EQ(rules.size(), 3u);
  for (const CarriedClustering& rule : rules) {
    EXPECT_GE(rule.comparisons, comparisons_of_all(sample));
    EXPECT_EQ(labels_by_rule<Label>(problem, rule, nullptr).comparisons,
              comparisons_of_all(problem));
  }
}

/// The proof is another matter.
TEST(Comparisons, OfALowerBoundAreThoseOfItsClustering) {
  const Problem problem(random_dataset(9, 40, 2, 2), 2);
  LowerBoundOptions options{.starts = 1, .relocations = 2, .refinements = 2, .boxes = 100};
  const std::int64_t few = lower_bound(problem, options, 1, "test").comparisons;
  options.boxes = 1000;
  options.steps = 2;
  EXPECT_EQ(lower_bound(problem, options, 1, "test").comparisons, few);
  options.relocations = 10;
  EXPECT_GT(lower_bound(problem, options, 1, "test").comparisons, few);
}

}  // namespace
}  // namespace fairfront::clustering::comparisons_test
