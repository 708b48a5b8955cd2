#include "solvers/clustering/lower_bound.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "data/whole_set.hpp"
#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/all_clusters.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/mean_boxes.hpp"
#include "solvers/clustering/pair_boxes.hpp"
#include "solvers/killed.hpp"

namespace fairfront::clustering {
namespace {

const std::function<void()> nothing = [] {};

std::vector<double> random_numbers(std::uint64_t seed, std::int64_t count, double scale) {
  base::Stream stream(base::StreamKey(seed, "test", "numbers"), 0);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(scale * stream.normal());
  return numbers;
}

std::vector<double> by_point(const Problem& problem, const std::vector<double>& by_row) {
  std::vector<double> values;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    values.push_back(by_row[static_cast<std::size_t>(problem.row(p))]);
  }
  return values;
}

/// min_C sum_{p in C} (|x_p - c|^2 - pi_p - slack).
double least_by_definition(const Problem& problem, const std::vector<TinyCluster>& clusters,
                           const std::vector<double>& potentials, const std::vector<double>& centre,
                           double slack) {
  std::vector<double> value(static_cast<std::size_t>(problem.points()));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    const auto row = static_cast<std::size_t>(problem.row(p));
    value[row] = -potentials[row] - slack;
    for (std::size_t i = 0; i < centre.size(); ++i) {
      value[row] += std::pow(problem.point(p)[i] - centre[i], 2);
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const TinyCluster& cluster : clusters) {
    double sum = 0;
    for (const int p : cluster.members) sum += value[static_cast<std::size_t>(p)];
    least = std::min(least, sum);
  }
  return least;
}

TEST(ClusterPricing, FindsTheLeastOfAllClustersAtTheFloor) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto groups = 2 + static_cast<std::int64_t>(seed % 3);
    const data::Dataset dataset = random_dataset(seed, 10, 2, groups);
    const Problem problem(dataset, 2);
    for (const double floor : {0.0, 0.25, 1.0 / 3, 0.5, 0.6, 1.0}) {
      const std::vector<TinyCluster> clusters = all_clusters(dataset, floor);
      // From potentials that attract next to no point to those that attract all.
      for (const double scale : {0.1, 1.0, 4.0}) {
        SCOPED_TRACE(fmt::format("seed {}, floor {}, scale {}", seed, floor, scale));
        std::vector<double> potentials = random_numbers(seed, problem.points(), scale);
        for (double& potential : potentials) potential += scale - 0.5;
        const std::vector<double> centre = random_numbers(seed + 1000, 2, 0.5);
        ClusterPricing pricing(problem, floor);
        pricing.set_potentials(by_point(problem, potentials));
        const double expected = least_by_definition(problem, clusters, potentials, centre, 0.125);
        EXPECT_NEAR(pricing.least(centre.data(), 0.125), expected, 1e-12);
        const PricedCluster found = pricing.minimiser();
        double sum = pricing.value(found);
        for (std::size_t i = 0; i < 2; ++i) {
          sum += double(found.members.size()) * std::pow(found.mean[i] - centre[i], 2);
        }
        EXPECT_NEAR(sum - 0.125 * double(found.members.size()), expected, 1e-12);
      }
    }
  }
}

TEST(MeanBoxes, BoundTheCheapestOfAllClusters) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 11, 2, 2 + (seed % 2));
    const Problem problem(dataset, 2);
    for (const double floor : {0.0, 0.4, 0.75}) {
      SCOPED_TRACE(fmt::format("seed {}, floor {}", seed, floor));
      std::vector<double> potentials = random_numbers(seed, problem.points(), 0.5);
      for (double& potential : potentials) potential += 1;
      const double least = least_value(all_clusters(dataset, floor), potentials);
      ClusterPricing pricing(problem, floor);
      pricing.set_potentials(by_point(problem, potentials));
      const std::vector<double> middle(2, 0.0);
      const double known = pricing.descend(middle).value;
      const MeanBoxesResult found = bound_by_mean_boxes(
          pricing, known, {.tolerance = 1e-3, .enough = 1'000'000, .stride = 1}, nothing);
      EXPECT_TRUE(found.complete);
      EXPECT_LE(found.lower, least + 1e-13);
      EXPECT_GE(found.lower, least - 1e-3 - 1e-9);
      EXPECT_GE(found.best, least - 1e-12);
      const MeanBoxesResult cut_short =
          bound_by_mean_boxes(pricing, known, {.boxes = 9, .tolerance = 1e-3}, nothing);
      EXPECT_LE(cut_short.lower, least + 1e-13);
    }
  }
}

/// The cost of the best assignment with at least this balance.
double best_cost(const std::vector<std::pair<double, double>>& front, double floor) {
  for (const auto& [cost, balance] : front) {
    if (balance >= floor - 1e-9) return cost;
  }
  return std::numeric_limits<double>::infinity();
}

TEST(LowerBound, IsTheRelaxationOfSetPartitioningAndNeverAboveTheBestAssignment) {
  int bounds = 0;
  const std::vector<Instance> shapes{{0, 8, 2, 2},  {0, 12, 2, 3}, {0, 11, 2, 2},
                                     {0, 10, 3, 2}, {0, 9, 3, 3},  {0, 10, 3, 3}};
  for (const Instance& shape : shapes) {
    for (std::uint64_t set = 1; set <= 30; ++set) {
      const data::Dataset dataset = random_dataset(set, shape.points, 2, shape.groups);
      const Problem problem(dataset, shape.clusters);
      const auto front = true_front(dataset, shape.clusters);
      for (const auto& [least_cost, floor] : front) {
        SCOPED_TRACE(fmt::format("{}, set {}, floor {}", problem.describe(), set, floor));
        if (floor <= 0) continue;
        ++bounds;
        const LowerBoundResult found = lower_bound(
            problem, {.floor = floor, .starts = 4, .relocations = 40, .tolerance = 2e-4}, set,
            "test");
        EXPECT_LE(found.cost_lower, best_cost(front, floor) + 1e-12);
        EXPECT_NEAR(found.clustering.cost, best_cost(front, floor), 1e-12);
        EXPECT_TRUE(found.complete);
        if (has_pair_boxes(problem)) {
          EXPECT_GE(found.cost_lower, (1 - 3e-4) * found.clustering.cost);
          continue;
        }
        const double relaxed =
            partitioning_relaxation(all_clusters(dataset, floor), shape.points, shape.clusters) /
            double(shape.points);
        EXPECT_LE(found.cost_lower, relaxed + 1e-9);
        EXPECT_GE(found.cost_lower, relaxed - 1e-3 * found.clustering.cost);
      }
    }
  }
  EXPECT_GE(bounds, 200);
}

TEST(LowerBound, IsProvenAgainFromPotentialsAlone) {
  const data::Dataset dataset = random_dataset(3, 60, 2, 2);
  const Problem problem(dataset, 3);
  const LowerBoundResult found = lower_bound(problem, {.floor = 0.5}, 1, "test");
  expect_consistent(dataset, 3, found.clustering);
  EXPECT_GE(found.clustering.balance, 0.5 - 1e-9);
  EXPECT_LE(found.cost_lower, found.clustering.cost);
  EXPECT_LE(found.cost_lower, found.dual);
  const auto proven = [&](double claim, const std::vector<double>& potentials) {
    return prove_lower_bound(problem, 0.5, claim, potentials, 200'000);
  };
  const ProvenBound again = proven(found.cost_lower, found.potentials);
  EXPECT_GE(again.cost_lower, found.cost_lower);
  EXPECT_LE(again.boxes, found.boxes);
  const double best = found.clustering.cost;
  EXPECT_LT(proven(1.0001 * best, found.potentials).cost_lower, best);
  std::vector<double> others = found.potentials;
  for (double& potential : others) potential *= 0.5;
  EXPECT_LT(proven(found.cost_lower, others).cost_lower, found.cost_lower);
}

/// A random set with so many rows of every group.
data::Dataset set_of_counts(std::uint64_t seed, const std::vector<std::int64_t>& counts) {
  const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  data::Dataset dataset = random_dataset(seed, rows, 2, std::ssize(counts));
  dataset.group.clear();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    dataset.group.insert(dataset.group.end(), static_cast<std::size_t>(counts[j]),
                         static_cast<std::int32_t>(j));
  }
  return dataset;
}

TEST(LowerBound, FindsAClusteringAtFloorsThatOnlyFewCountsReach) {
  struct Case {
    std::vector<std::int64_t> counts;
    std::int64_t clusters;
    double floor;
  };
  for (const auto& [counts, clusters, floor] :
       {Case{{10, 11, 10}, 4, 0.85}, Case{{10, 11, 10}, 4, 0.875}, Case{{9, 37}, 4, 0.24},
        Case{{10, 23}, 4, 3.0 / 7}, Case{{13, 14, 11}, 7, 0.6}, Case{{11, 12}, 4, 8.0 / 9}}) {
    ASSERT_TRUE(BalanceLimits(floor, counts).some_levels(clusters));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const data::Dataset dataset = set_of_counts(seed, counts);
      const Problem problem(dataset, clusters);
      SCOPED_TRACE(fmt::format("{}, {} clusters, floor {}", problem.describe(), clusters, floor));
      const LowerBoundResult found =
          lower_bound(problem, {.floor = floor, .boxes = 1000}, seed, "test");
      expect_consistent(dataset, clusters, found.clustering);
      EXPECT_GE(found.clustering.balance, floor - 1e-9);
      EXPECT_LE(found.cost_lower, found.clustering.cost);
    }
  }
}

/// A set of random rows, of which the first is this far away in all columns.
data::Dataset set_with_a_far_row(std::int64_t rows, std::int64_t groups, double far) {
  data::Dataset dataset = random_dataset(8, rows, 2, groups);
  dataset.features[0] = dataset.features[1] = far;
  return dataset;
}

TEST(LowerBound, IsNearTheCostWhereAnOutlierIsAClusterOfItsOwn) {
  struct Case {
    std::int64_t rows, clusters;
    double far;
  };
  for (const auto& [rows, clusters, far] :
       {Case{60, 3, 20}, Case{60, 3, 1e3}, Case{60, 3, 1e4}, Case{60, 3, 1e5}, Case{60, 3, 1e6},
        Case{40, 3, 1e7}, Case{200, 4, 1e6}, Case{60, 3, 1e12}}) {
    SCOPED_TRACE(fmt::format("{} rows, {} clusters, {}", rows, clusters, far));
    const Problem problem(set_with_a_far_row(rows, 2, far), clusters);
    const LowerBoundResult found = lower_bound(problem, {.floor = 0}, 1, "test");
    EXPECT_LE(found.cost_lower, found.clustering.cost);
    EXPECT_GE(found.cost_lower, 0.99 * found.clustering.cost);
    EXPECT_TRUE(found.complete);
    EXPECT_GE(found.cost_lower, found.dual - 0.001 * found.clustering.cost);
    const ProvenBound again =
        prove_lower_bound(problem, 0, found.cost_lower, found.potentials, 200'000);
    EXPECT_GE(again.cost_lower, found.cost_lower);
  }
}

TEST(LowerBound, BesideAFarRowIsNeverAboveTheBestAssignment) {
  for (const std::int64_t clusters : {2, 3}) {
    for (const std::int64_t groups : {2, 3}) {
      for (const double far : {3.0, 1e2, 1e4, 1e6, 1e7}) {
        SCOPED_TRACE(fmt::format("{} clusters, {} groups, {}", clusters, groups, far));
        const data::Dataset dataset = set_with_a_far_row(11, groups, far);
        const Problem problem(dataset, clusters);
        const double best = best_cost(true_front(dataset, clusters), 0);
        const LowerBoundResult found = lower_bound(problem, {.floor = 0}, 1, "test");
        EXPECT_LE(found.cost_lower, best * (1 + 1e-9));
        EXPECT_NEAR(found.clustering.cost, best, 1e-9 * best);
        EXPECT_GE(found.dual, 0);
        EXPECT_TRUE(found.complete);
        EXPECT_GE(found.cost_lower, 0.99 * best);
      }
    }
  }
}

/// Of the rows as they are given, in long double.
long double cost_of_rows_in(const data::Dataset& dataset, std::int64_t code,
                            std::int64_t clusters) {
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(clusters));
  for (std::int64_t row = 0; row < dataset.rows; ++row, code /= clusters) {
    members[static_cast<std::size_t>(code % clusters)].push_back(row);
  }
  long double sum = 0;
  for (const auto& rows : members) {
    if (rows.empty()) return std::numeric_limits<long double>::infinity();
    for (std::size_t column = 0; column < static_cast<std::size_t>(dataset.columns); ++column) {
      long double mean = 0;
      for (const std::int64_t row : rows) mean += dataset.row(row)[column];
      mean /= static_cast<long double>(rows.size());
      for (const std::int64_t row : rows) {
        const long double off = dataset.row(row)[column] - mean;
        sum += off * off;
      }
    }
  }
  return sum / static_cast<long double>(dataset.rows);
}

/// Differences to a mean that is far away are rounded, and that may make a clustering dearer.
TEST(LowerBound, IsOfTheRowsAndNotOfWhatRoundingMadeOfThem) {
  constexpr std::int64_t rows = 6, clusters = 3;
  int above_points = 0;
  for (std::uint64_t set = 1; set <= 30; ++set) {
    for (const double far : {1e9, 1e11}) {
      SCOPED_TRACE(fmt::format("set {}, {}", set, far));
      data::Dataset dataset = random_dataset(set, rows, 1, 2);
      dataset.features[0] = far;
      long double best = std::numeric_limits<long double>::infinity();
      for (std::int64_t code = 0; code < 729; ++code) {
        best = std::min(best, cost_of_rows_in(dataset, code, clusters));
      }
      const Problem problem(dataset, clusters);
      const LowerBoundResult found =
          lower_bound(problem, {.floor = 0, .tolerance = 1e-9}, set, "test");
      EXPECT_LE(static_cast<long double>(found.cost_lower), best);
      EXPECT_GE(static_cast<long double>(found.cost_lower), 0.999L * best);
      const ProvenBound again =
          prove_lower_bound(problem, 0, found.cost_lower, found.potentials, 200'000);
      EXPECT_GE(again.cost_lower, found.cost_lower);
      EXPECT_LE(static_cast<long double>(again.cost_lower), best);
      above_points += static_cast<long double>(found.clustering.cost) > best ? 1 : 0;
    }
  }
  EXPECT_GE(above_points, 10) << "or nothing is tested";
}

TEST(LowerBound, OfTwoClustersIsProvenAgainByPairsOfBoxesToo) {
  for (std::uint64_t set = 1; set <= 30; ++set) {
    SCOPED_TRACE(fmt::format("set {}", set));
    const Problem problem(random_dataset(set, 40, 2, 2), 2);
    const double floor = 0.7 * problem.balance_bound();
    const LowerBoundResult found = lower_bound(problem, {.floor = floor}, set, "test");
    const ProvenBound again =
        prove_lower_bound(problem, floor, found.cost_lower, found.potentials, 200'000);
    EXPECT_GE(again.cost_lower, found.cost_lower);
    const double more = 1.001 * found.clustering.cost;
    EXPECT_LT(prove_lower_bound(problem, floor, more, found.potentials, 200'000).cost_lower, more);
  }
}

/// Rows of a lattice: many lie on each other, and clusters of the relaxation are those of the best
/// clustering, so that the bound is its cost but for roundings.
data::Dataset crowded_lattice(std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                              std::int64_t groups) {
  data::Dataset dataset = random_dataset(seed, rows, columns, groups);
  for (double& value : dataset.features) value = std::round(1.5 * value);
  for (std::size_t p = 0; p < dataset.group.size(); ++p) {
    dataset.group[p] = static_cast<std::int32_t>(p) % static_cast<std::int32_t>(groups);
  }
  return dataset;
}

TEST(LowerBound, ThatARoundingMoreWouldMakeFalseIsProvenAgain) {
  int tight = 0;
  for (std::uint64_t set = 1; set <= 400; ++set) {
    const auto drawn = static_cast<std::int64_t>(set);
    const std::int64_t clusters = 2 + drawn % 2, groups = 2 + drawn / 2 % 2;
    const Problem problem(
        crowded_lattice(set, clusters * groups + drawn % 5, 1 + drawn % 3, groups), clusters);
    for (const double share : {0.4, 1.0}) {
      const double floor = share * problem.balance_bound();
      std::optional<LowerBoundResult> found;
      try {
        found = lower_bound(problem, {.floor = floor, .boxes = 4000}, set, "test");
      } catch (const base::InputError&) {
        continue;  // whole rows do not reach the floor
      }
      SCOPED_TRACE(fmt::format("set {}, floor {}, cost_lower {}", set, floor, found->cost_lower));
      const double claim = found->cost_lower, best = found->clustering.cost;
      const auto prove = [&](double cost) {
        return prove_lower_bound(problem, floor, cost, found->potentials, 8000).cost_lower;
      };
      EXPECT_GE(prove(claim), claim);
      const double more = best * (1 + 1e-9) + 1e-9;
      EXPECT_LT(prove(more), more);
      tight += claim > 0 && claim > best * (1 - 1e-9) ? 1 : 0;
    }
  }
  EXPECT_GE(tight, 20);
}

TEST(LowerBound, OfAnyPotentialsIsRight) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 10, 2, 2);
    const Problem problem(dataset, 2);
    const auto front = true_front(dataset, 2);
    std::vector<double> potentials = random_numbers(seed, 10, 1);
    for (double& potential : potentials) potential += 0.5;
    const auto& [cost, floor] = front[front.size() / 2];
    for (const double claim : {0.0, 0.5 * cost, 0.99 * cost, 2 * cost}) {
      const ProvenBound bound = prove_lower_bound(problem, floor, claim, potentials, 10'000);
      EXPECT_LE(bound.cost_lower, cost + 1e-12);
      EXPECT_GE(bound.cost_lower, 0);
    }
  }
}

TEST(LowerBound, HasTheSameBitsInEveryRun) {
  const Problem problem(random_dataset(5, 80, 3, 3), 3);
  const LowerBoundOptions options{.floor = 0.3, .boxes = 5000};
  const LowerBoundResult first = lower_bound(problem, options, 7, "test");
  const LowerBoundResult second = lower_bound(problem, options, 7, "test");
  EXPECT_EQ(first.cost_lower, second.cost_lower);
  EXPECT_EQ(first.potentials, second.potentials);
  EXPECT_EQ(first.boxes, second.boxes);
  EXPECT_TRUE(same_bits(first.clustering, second.clustering));
}

bool same_bound(const LowerBoundResult& a, const LowerBoundResult& b) {
  return a.cost_lower == b.cost_lower && a.dual == b.dual && a.potentials == b.potentials &&
         a.steps == b.steps && a.boxes == b.boxes && a.complete == b.complete &&
         a.comparisons == b.comparisons && same_bits(a.clustering, b.clustering);
}

TEST(LowerBound, GoesOnFromEveryCheckpointToTheSameBits) {
  for (const int clusters : {3, 2}) {  // pairs of boxes are for two
    const Problem problem(random_dataset(5, 40, 2, 2), clusters);
    const Problem other(random_dataset(5, 41, 2, 2), clusters);
    const LowerBoundOptions options{.floor = 0.3,
                                    .starts = 1,
                                    .relocations = 2,
                                    .refinements = 2,
                                    .steps = 25,
                                    .searches = 3,
                                    .boxes = 120};
    const auto run = [&](const solvers::Control& control) {
      return lower_bound(problem, options, 7, "test", control);
    };
    const LowerBoundResult whole = run({});
    EXPECT_GT(whole.boxes, 100);
    solvers::test::KilledRun killed(run);
    EXPECT_TRUE(same_bound(killed.to_the_end(), whole));
    EXPECT_GT(killed.kills(), whole.steps + whole.boxes / 3);
    solvers::test::expect_every_wish_is_heard(run, 15);
    const std::int64_t all = killed.kills();
    for (const std::int64_t kills : {std::int64_t{2}, all / 4, all / 2, all - 4}) {
      solvers::test::KilledRun part(run);
      for (std::int64_t k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
      solvers::test::expect_damage_is_refused(run, part.state());
      EXPECT_THROW((void)lower_bound(other, options, 7, "test", {.resume = part.state()}),
                   base::CheckpointError);
      part.stop_at(0);
      EXPECT_TRUE(same_bound(run({.resume = part.state()}), whole));
    }
  }
}

TEST(PairBoxes, BoundTheBestAssignmentOfTwoClustersAndTwoGroups) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 11, 2, 2);
    const Problem problem(dataset, 2);
    const auto front = true_front(dataset, 2);
    // Between two balances, and at one.
    for (const double floor : {0.0, 1e-12, 0.2, 0.45, front.back().second}) {
      SCOPED_TRACE(fmt::format("seed {}, floor {}", seed, floor));
      const double best = best_cost(front, floor);
      if (best > 1e100) continue;
      const auto bound = [&](std::int64_t boxes, double known) {
        return bound_by_pair_boxes(
            problem, {.floor = floor, .known = known, .tolerance = 1e-3, .boxes = boxes}, nothing);
      };
      const PairBoxesResult found = bound(1'000'000, best);
      EXPECT_TRUE(found.complete);
      EXPECT_LE(found.cost_lower, best + 1e-13);
      EXPECT_GE(found.cost_lower, best * (1 - 1e-3 - 1e-9));
      // Of fewer boxes, and with a cost far above the best.
      EXPECT_LE(bound(20, best).cost_lower, best + 1e-13);
      EXPECT_LE(bound(2000, 2 * best).cost_lower, best + 1e-13);
    }
  }
}

TEST(LowerBound, LeavesNextToNothingOnThePapersSyntheticSets) {
  for (const char* name :
       {"syn_equal_ds1", "syn_unequal_ds1", "syn_equal_ds2", "syn_unequal_ds2"}) {
    data::WholeSetOptions source;
    source.data = name;
    const Problem problem(data::load_whole_set(source, {}, {}, false).set, 2);
    for (const double share : {0.1, 0.5, 0.9}) {
      SCOPED_TRACE(fmt::format("{}, {} of the bound of the balance", name, share));
      const LowerBoundResult found =
          lower_bound(problem, {.floor = share * problem.balance_bound()}, 1, "test");
      EXPECT_GE(found.cost_lower, 0.998 * found.clustering.cost);
      EXPECT_LE(found.cost_lower, found.clustering.cost);
    }
  }
}

TEST(LowerBound, OfACostOf0IsProvenAlsoWhereNoBalanceIs) {
  data::Dataset dataset = random_dataset(1, 6, 1, 3);
  dataset.features.assign(6, 7.25);
  dataset.group = {0, 0, 0, 1, 1, 2};
  const LowerBoundResult found = lower_bound(Problem(dataset, 4), {.floor = 0}, 1, "test");
  EXPECT_EQ(found.clustering.cost, 0);
  EXPECT_EQ(found.cost_lower, 0);
  EXPECT_TRUE(found.complete);
  data::Dataset pairs = random_dataset(1, 6, 1, 2);  // two clusters without any cost
  pairs.features = {1, 1, 2, 1, 2, 2};
  pairs.group = {0, 1, 0, 0, 1, 0};
  const LowerBoundResult balanced = lower_bound(Problem(pairs, 2), {.floor = 0.5}, 1, "test");
  EXPECT_EQ(balanced.clustering.cost, 0);
  EXPECT_EQ(balanced.cost_lower, 0);
  EXPECT_TRUE(balanced.complete);
}

TEST(LowerBound, StopsWhenAsked) {
  const Problem problem(random_dataset(5, 200, 4, 2), 4);
  const solvers::Control control{.request = [] { return solvers::Request::stop; }};
  EXPECT_THROW(static_cast<void>(lower_bound(problem, {.floor = 0.3}, 1, "test", control)),
               solvers::Interrupted);
}

// Descents over all rows behind looks at pairs of points, which take nanoseconds: where both share
// a heartbeat, the descents on the 45,222 rows of Adult go on for 14 s before one asks.
TEST(LowerBound, TheFirstDescentAsks) {
  const Problem problem(random_dataset(5, 200, 4, 2), 4);
  std::vector<std::string> told;
  const solvers::Control control{
      .report = [&](const solvers::Progress& now) { told.push_back(now.text); },
      .request = [] { return solvers::Request::go_on; }};
  static_cast<void>(
      lower_bound(problem, {.floor = 0.3, .steps = 1, .boxes = 100}, 1, "test", control));
  EXPECT_THAT(told, testing::Contains("potentials"));
}

std::string message_for(const Problem& problem, const LowerBoundOptions& options) {
  try {
    static_cast<void>(lower_bound(problem, options, 1, "test"));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LowerBound, RefusesFloorsThatNothingHolds) {
  const data::Dataset dataset = random_dataset(2, 30, 2, 2);
  const Problem problem(dataset, 3);
  EXPECT_THAT(message_for(problem, {.floor = 1}), testing::HasSubstr("the bound of the balance"));
  EXPECT_THAT(message_for(problem, {.floor = -0.5}), testing::HasSubstr("floor"));
  data::Dataset rare = random_dataset(2, 30, 2, 2);
  for (std::size_t p = 2; p < rare.group.size(); ++p) rare.group[p] = 0;
  EXPECT_THAT(message_for(Problem(rare, 3), {.floor = 0.01}),
              testing::HasSubstr("fewer than the 3 clusters"));
}

TEST(LowerBound, AFloorThatNoWholeRowsReachIsAnErrorOfTheInput) {
  data::Dataset dataset = random_dataset(1, 5, 2, 2);
  dataset.group = {0, 1, 0, 1, 0};
  const Problem problem(dataset, 2);  // (2, 1) and (1, 1): a balance of 1/2 at most
  EXPECT_GT(problem.balance_bound(), 0.6);
  const auto bound = [&](double floor) {
    return lower_bound(problem, {.floor = floor}, 1, "test");
  };
  EXPECT_EQ(bound(0.5).clustering.balance, 0.5);
  EXPECT_THROW(static_cast<void>(bound(0.6)), base::InputError);
}

TEST(LowerBound, AProofNeedsFinitePotentialsOfEveryRow) {
  const Problem problem(random_dataset(2, 30, 2, 2), 3);
  const std::vector<double> zero(30, 0.0);
  const auto prove = [&](double claim, const std::vector<double>& potentials) {
    static_cast<void>(prove_lower_bound(problem, 0.1, claim, potentials, 10));
  };
  EXPECT_THROW(prove(1, {}), std::invalid_argument);
  EXPECT_THROW(prove(-1, zero), std::invalid_argument);
  EXPECT_THROW(prove(std::numeric_limits<double>::quiet_NaN(), zero), std::invalid_argument);
  std::vector<double> infinite = zero;
  infinite[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(prove(1, infinite), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::clustering
