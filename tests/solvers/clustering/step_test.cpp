#include "solvers/clustering/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "solvers/clustering/naive_step.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

using Label = std::uint8_t;

std::vector<StepOptions> all_options() {
  std::vector<StepOptions> all;
  for (const Target target : {Target::local, Target::global}) {
    for (const StepOrder order : {StepOrder::kmeans_first, StepOrder::swaps_first}) {
      for (const SwapUnit unit : {SwapUnit::exchange, SwapUnit::move}) {
        for (const CentreRule centres : {CentreRule::exact, CentreRule::running}) {
          all.push_back({target, order, unit, centres, 1.003});
        }
      }
    }
  }
  return all;
}

std::vector<std::byte> packed(const Problem& problem, const Partition<Label>& partition) {
  std::vector<std::byte> bytes(Partition<Label>::bytes(problem));
  partition.pack(bytes.data());
  return bytes;
}

/// A problem, a random labelling of it, and its exact centres.
struct Setting {
  Setting(const data::Dataset& dataset, std::int64_t clusters, std::uint64_t seed,
          BalanceOf balance_of = BalanceOf::groups)
      : problem(dataset, clusters, balance_of), solution(problem) {
    base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
    start(random_labelling<Label>(problem, stream));
  }
  void start(const std::vector<Label>& labels) {
    solution.partition.assign(problem, labels);
    solution.set_exact_centres(problem);
  }
  [[nodiscard]] std::vector<int> labels() const {
    const std::span<const Label> now = solution.partition.labels();
    return {now.begin(), now.end()};
  }
  Problem problem;
  Solution<Label> solution;
};

/// Several steps in a row, each from the labels and centres that the last one left.
void expect_the_rules(const Setting& start, const StepOptions& options, Effort effort,
                      std::int64_t batch, std::uint64_t seed) {
  Solution<Label> solution = start.solution;
  Stepper<Label> stepper(start.problem, options);
  NaiveStep naive(start.problem, options, start.labels());
  base::Stream stream(base::StreamKey(seed, "test", "step"), 0);
  base::Stream naive_stream(base::StreamKey(seed, "test", "step"), 0);
  for (int step = 0; step < 4; ++step) {
    stepper.advance(solution.partition, solution.centres, effort, batch, stream);
    naive.advance(effort, batch, naive_stream);
    const std::span<const Label> labels = solution.partition.labels();
    ASSERT_EQ(std::vector<int>(labels.begin(), labels.end()), naive.labels)
        << "effort (" << effort.kmeans << ", " << effort.swaps << "), batch " << batch << ", seed "
        << seed;
    ASSERT_EQ(stepper.comparisons(), naive.comparisons);
    solution.centres = stepper.centres();
    if (options.centres == CentreRule::exact) solution.set_exact_centres(start.problem);
    for (std::int64_t k = 0; k < start.problem.clusters(); ++k) {
      for (std::int64_t i = 0; i < start.problem.columns(); ++i) {
        ASSERT_EQ(solution.centres.coordinate(k, i),
                  naive.centres[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST(Step, FollowsTheRulesWrittenPlainlyForEveryCombinationOfOptions) {
  const std::vector<Effort> efforts{{3, 0}, {0, 1}, {0, 2}, {2, 3}, {16, 4}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::int64_t groups = 2 + static_cast<std::int64_t>(seed % 2);
    const std::int64_t clusters = 2 + static_cast<std::int64_t>(seed % 4);
    const Setting start(lattice_dataset(seed, 16, 2, groups), clusters, seed);
    for (const StepOptions& options : all_options()) {
      for (const Effort effort : efforts) {
        for (const std::int64_t batch : {1, 2, 16}) {
          expect_the_rules(start, options, effort, batch, seed);
        }
      }
    }
  }
}

TEST(Step, FollowsTheRulesWrittenPlainlyForTwoAttributes) {
  const std::vector<Effort> efforts{{0, 1}, {0, 2}, {2, 5}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto k = static_cast<std::int64_t>(seed);
    data::Dataset dataset = lattice_dataset(seed, 24 + 8 * k, 2, 2);
    set_two_attributes(dataset, seed, 2 + k % 2, 2 + k % 3);
    const Setting start(dataset, 2 + k % 3, seed, BalanceOf::attributes);
    for (const StepOptions& options : all_options()) {
      for (const Effort effort : efforts) {
        for (const std::int64_t batch : {1, 2, 3, 100}) {
          expect_the_rules(start, options, effort, batch, seed);
        }
      }
    }
  }
}

TEST(Step, FindsPointsOfManyGroupsOneByOneAndFromAList) {
  data::Dataset dataset = lattice_dataset(3, 300, 2, 2);
  set_two_attributes(dataset, 3, 2, 5);
  const Setting start(dataset, 3, 3, BalanceOf::attributes);
  for (const StepOptions& options : all_options()) {
    for (const std::int64_t batch : {2, 3, 19, 60}) {
      expect_the_rules(start, options, {5, 3}, batch, 3);
    }
  }
}

/// With few draws per member the points are found one by one, with many from a list.
TEST(Step, TheNumberOfDrawsDoesNotChangeHowPointsAreChosen) {
  const Setting start(lattice_dataset(3, 200, 2, 2), 3, 3);
  for (const StepOptions& options : all_options()) {
    for (const std::int64_t batch : {2, 3, 19, 40}) {
      expect_the_rules(start, options, {5, 2}, batch, 3);
    }
  }
}

TEST(Step, UndoRestoresEverything) {
  Setting setting(random_dataset(4, 300, 3, 3), 6, 4);
  const std::vector<std::byte> before = packed(setting.problem, setting.solution.partition);
  const Centres centres = setting.solution.centres;
  std::int64_t changed = 0;
  for (const StepOptions& options : all_options()) {
    Stepper<Label> stepper(setting.problem, options);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      base::Stream stream(base::StreamKey(seed, "test", "undo"), 0);
      stepper.advance(setting.solution.partition, centres, {20, 4}, 3, stream);
      changed += std::ssize(stepper.changes());
      stepper.undo(setting.solution.partition);
      EXPECT_EQ(packed(setting.problem, setting.solution.partition), before);
      EXPECT_EQ(setting.solution.centres.values(), centres.values());
    }
  }
  EXPECT_GT(changed, 1000);
}

/// A group of steps from one clustering, then one from the clustering that the last of them left.
void expect_the_same_shared(Setting setting, const StepOptions& options, std::int64_t batch) {
  Partition<Label>& partition = setting.solution.partition;
  Stepper<Label> sharing(setting.problem, options);
  Stepper<Label> alone(setting.problem, options);
  const auto step = [&](Stepper<Label>& stepper, Effort effort, std::uint64_t index) {
    base::Stream stream(base::StreamKey(1, "test", "share"), index);
    stepper.advance(partition, setting.solution.centres, effort, batch, stream);
    const std::vector<std::byte> after = packed(setting.problem, partition);
    stepper.undo(partition);
    return after;
  };
  for (std::uint64_t group = 0; group < 6; ++group) {
    sharing.share_steps();
    for (std::uint64_t i = 4 * group; i < 4 * group + 4; ++i) {
      const Effort effort{static_cast<std::int64_t>(20 * (i % 2)), 6};
      ASSERT_EQ(step(sharing, effort, i), step(alone, effort, i));
    }
    base::Stream stream(base::StreamKey(1, "test", "on"), group);
    sharing.advance(partition, setting.solution.centres, {20, 4}, batch, stream);  // it stays
    if (group % 2 == 0) setting.solution.set_exact_centres(setting.problem);
    ASSERT_EQ(step(sharing, {0, 6}, group), step(alone, {0, 6}, group));
  }
}

TEST(Step, StepsThatShareWhatTheyFindChangeWhatEachChangesAlone) {
  data::Dataset two_attributes = lattice_dataset(7, 300, 2, 2);
  set_two_attributes(two_attributes, 7, 2, 5);
  for (const StepOptions& options : all_options()) {
    for (const std::int64_t batch : {3, 20, 90, 400}) {
      expect_the_same_shared(Setting(random_dataset(7, 400, 3, 2), 4, 7), options, batch);
      expect_the_same_shared(Setting(lattice_dataset(8, 400, 2, 3), 3, 8), options, batch);
      expect_the_same_shared(Setting(two_attributes, 3, 9, BalanceOf::attributes), options, batch);
    }
  }
}

TEST(Step, ChangesReplayedOnTheParentGiveTheChild) {
  Setting setting(random_dataset(5, 300, 3, 2), 6, 5);
  Stepper<Label> stepper(setting.problem, {});
  Partition<Label> child = setting.solution.partition;
  base::Stream stream(base::StreamKey(1, "test", "replay"), 0);
  stepper.advance(child, setting.solution.centres, {20, 4}, 3, stream);
  for (const auto& change : stepper.changes()) {
    EXPECT_EQ(setting.solution.partition.label(change.point), change.from);
    setting.solution.partition.relabel(setting.problem, change.point, change.to);
  }
  EXPECT_EQ(packed(setting.problem, setting.solution.partition), packed(setting.problem, child));
}

TEST(Step, NeverEmptiesACluster) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Setting setting(lattice_dataset(seed, 10, 1, 2), 5 + static_cast<std::int64_t>(seed % 5), seed);
    for (const StepOptions& options : all_options()) {
      Stepper<Label> stepper(setting.problem, options);
      base::Stream stream(base::StreamKey(seed, "test", "empty"), 0);
      for (int step = 0; step < 10; ++step) {
        stepper.advance(setting.solution.partition, setting.solution.centres, {6, 3}, 2, stream);
        EXPECT_FALSE(setting.solution.partition.has_empty_cluster());
      }
    }
  }
}

TEST(Step, OfNoEffortChangesNothingAndDrawsNothing) {
  Setting setting(random_dataset(6, 50, 2, 2), 4, 6);
  Stepper<Label> stepper(setting.problem, {});
  base::Stream stream(base::StreamKey(1, "test", "nothing"), 0);
  base::Stream untouched(base::StreamKey(1, "test", "nothing"), 0);
  stepper.advance(setting.solution.partition, setting.solution.centres, {0, 0}, 1, stream);
  EXPECT_TRUE(stepper.changes().empty());
  EXPECT_EQ(stepper.centres().values(), setting.solution.centres.values());
  EXPECT_EQ(stream.bits32(), untouched.bits32());
}

TEST(Step, SwapsStopWhereEveryClusterIsPerfectlyBalanced) {
  data::Dataset dataset = lattice_dataset(7, 12, 2, 2);
  for (std::size_t p = 0; p < 12; ++p) dataset.group[p] = p % 2 == 0 ? 0 : 1;
  Setting setting(dataset, 3, 7);
  setting.start({0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  Stepper<Label> stepper(setting.problem, {});
  base::Stream stream(base::StreamKey(1, "test", "balanced"), 0);
  stepper.advance(setting.solution.partition, setting.solution.centres, {0, 5}, 1, stream);
  EXPECT_TRUE(stepper.changes().empty());
}

/// Every point is nearest to cluster 1, so all that are drawn move there.
TEST(Step, TheMiniBatchIsDrawnWithoutReplacementAndEveryPointEquallyOften) {
  data::Dataset dataset = random_dataset(8, 20, 1, 2);
  Setting setting(dataset, 2, 8);
  std::vector<Label> labels(20, 0);
  labels[0] = 1;
  setting.start(labels);
  Centres centres(setting.problem);
  centres.set(0, 0, 1e6);
  centres.set(1, 0, 0);
  Stepper<Label> stepper(setting.problem, {});
  std::vector<int> taken(20, 0);
  constexpr int rounds = 4000;
  constexpr int batch = 7;
  for (int round = 0; round < rounds; ++round) {
    base::Stream stream(base::StreamKey(8, "test", "batch"), static_cast<std::uint64_t>(round));
    stepper.advance(setting.solution.partition, centres, {batch, 0}, 1, stream);
    std::set<std::int64_t> points;
    for (const auto& change : stepper.changes()) points.insert(change.point);
    EXPECT_EQ(points.size(), stepper.changes().size());
    EXPECT_GE(points.size(), batch - 1u);  // one of them may be the point that is there already
    EXPECT_LE(points.size(), batch + 0u);
    for (const std::int64_t point : points) ++taken[static_cast<std::size_t>(point)];
    stepper.undo(setting.solution.partition);
  }
  // Each of 19 points is drawn with probability 7/20: five standard deviations.
  for (std::size_t p = 1; p < 20; ++p) {
    EXPECT_NEAR(taken[p], rounds * 0.35, 5 * std::sqrt(rounds * 0.35 * 0.65)) << p;
  }
}

TEST(Step, WorksAlikeWithSixteenBitLabels) {
  const data::Dataset dataset = lattice_dataset(9, 1200, 2, 2);
  const Problem problem(dataset, 300);
  base::Stream label_stream(base::StreamKey(9, "test", "labels"), 0);
  const auto labels = random_labelling<std::uint16_t>(problem, label_stream);
  Solution<std::uint16_t> solution(problem);
  solution.partition.assign(problem, labels);
  solution.set_exact_centres(problem);
  Stepper<std::uint16_t> stepper(problem, {});
  NaiveStep naive(problem, {}, std::vector<int>(labels.begin(), labels.end()));
  base::Stream stream(base::StreamKey(9, "test", "step"), 0);
  base::Stream naive_stream(base::StreamKey(9, "test", "step"), 0);
  stepper.advance(solution.partition, solution.centres, {20, 1}, 2, stream);
  naive.advance({20, 1}, 2, naive_stream);
  const auto now = solution.partition.labels();
  EXPECT_EQ(std::vector<int>(now.begin(), now.end()), naive.labels);
}

TEST(SwapBatch, GrowsAsTheMethodSays) {
  const StepOptions options;
  EXPECT_EQ(swap_batch(options, 0, 5000), 1);
  EXPECT_EQ(swap_batch(options, 463, 5000), 1);
  EXPECT_EQ(swap_batch(options, 464, 5000), 2);
  EXPECT_EQ(swap_batch(options, 1200, 5000), 6);
  EXPECT_EQ(swap_batch(options, 2500, 5000), 42);
  EXPECT_EQ(swap_batch(options, 4000, 5000), 399);
  EXPECT_EQ(swap_batch(options, 4000, 100), 100);
  EXPECT_EQ(swap_batch(options, 2'000'000'000, 5000), 5000);
  EXPECT_EQ(swap_batch({.swap_growth = 1}, 2'000'000'000, 5000), 1);
}

}  // namespace
}  // namespace fairfront::clustering
