#include "solvers/clustering/safairkm_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/clustering/front_support.hpp"

namespace fairfront::clustering::safairkm_front_test {
namespace {

SafairFrontResult run(const parallel::Comm& team, const data::Dataset& dataset,
                      std::int64_t clusters, const SafairFrontOptions& options,
                      std::uint64_t seed = 1) {
  return safairkm_front(team, Problem(dataset, clusters), options, seed, "test");
}

/// Area below (reference cost, balance 0), by strips between neighbouring points.
double naive_hypervolume(const SafairFrontResult& result) {
  double volume = 0;
  double below = 0;
  for (std::size_t i = 0; i < result.points.size(); i += 2) {
    volume += (result.reference_cost - result.points[i]) * (result.points[i + 1] - below);
    below = result.points[i + 1];
  }
  return volume;
}

SafairFrontOptions short_run() {
  SafairFrontOptions options;
  options.iterations = 30;
  options.starts = 12;
  return options;
}

TEST(SafairkmFront, EveryLabelVectorReproducesItsPoint) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const std::int64_t clusters : {2, 5, 300}) {
    const data::Dataset dataset = random_dataset(1, 400, 3, 3);
    const SafairFrontResult result = run(world, dataset, clusters, short_run());
    expect_strictly_nondominated(result);
    if (world.is_root()) expect_labels_reproduce_points(dataset, clusters, result);
  }
}

TEST(SafairkmFront, ReportsTheHypervolumeAndLengthOfItsList) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const data::Dataset dataset = random_dataset(2, 300, 2, 2);
  const SafairFrontResult result = run(world, dataset, 4, short_run());
  EXPECT_NEAR(result.hypervolume, naive_hypervolume(result), 1e-13);
  EXPECT_EQ(result.list_length, static_cast<std::int64_t>(front_size(result)));
  EXPECT_EQ(result.trace.back().hypervolume, result.hypervolume);
  EXPECT_EQ(result.trace.back().list_length, result.list_length);
  EXPECT_EQ(result.reference_cost, Problem(dataset, 4).total_variance());
  EXPECT_EQ(result.stop, FrontStop::iterations_done);
  EXPECT_EQ(result.trace.size(), 31u);
}

TEST(SafairkmFront, CountsOneCandidatePerEntryPairAndReplica) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options = short_run();
  options.replicas = 3;
  const SafairFrontResult result = run(world, random_dataset(3, 200, 2, 2), 4, options);
  std::int64_t expected = 0;
  for (std::size_t t = 0; t + 1 < result.trace.size(); ++t) {
    expected += result.trace[t].list_length * 4 * 3;
  }
  EXPECT_EQ(result.candidates, expected);
}

TEST(SafairkmFront, BelowTheBudgetTheHypervolumeNeverDecreases) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SafairFrontResult result =
        run(world, random_dataset(seed, 300, 2, 2), 3, short_run(), seed);
    EXPECT_EQ(result.hypervolume_lost, 0);
    for (std::size_t t = 1; t < result.trace.size(); ++t) {
      EXPECT_GE(result.trace[t].hypervolume, result.trace[t - 1].hypervolume);
    }
    EXPECT_GT(result.trace.back().hypervolume, result.trace.front().hypervolume);
  }
}

TEST(SafairkmFront, KeepsItsListBudgetAndLosesNoMoreHypervolumeThanItSays) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options = short_run();
  options.list_budget = 5;
  const SafairFrontResult result = run(world, random_dataset(4, 300, 2, 2), 3, options);
  double greatest_loss = 0;
  for (std::size_t t = 0; t < result.trace.size(); ++t) {
    EXPECT_LE(result.trace[t].list_length, 5);
    if (t == 0) continue;
    const double loss = result.trace[t - 1].hypervolume - result.trace[t].hypervolume;
    greatest_loss = std::max(greatest_loss, loss);
  }
  EXPECT_EQ(result.list_length, 5);
  EXPECT_GT(result.hypervolume_lost, 0);
  EXPECT_LE(greatest_loss, result.hypervolume_lost);
}

TEST(SafairkmFront, StopsAtTheBudgetWhenAskedTo) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options = short_run();
  options.list_budget = 10;
  options.stop_at_budget = true;
  const SafairFrontResult result = run(world, random_dataset(5, 300, 2, 2), 3, options);
  EXPECT_EQ(result.stop, FrontStop::budget_reached);
  EXPECT_LT(result.trace.size(), 31u);
  EXPECT_GE(result.list_length, 10);
  for (std::size_t t = 0; t + 1 < result.trace.size(); ++t) {
    EXPECT_LT(result.trace[t].list_length, 10);
  }
}

TEST(SafairkmFront, FindsTheGreatestBalanceThatThereCanBe) {
  const parallel::Comm world(MPI_COMM_WORLD);
  data::Dataset dataset = random_dataset(6, 120, 2, 2);
  for (std::size_t p = 0; p < 120; ++p) dataset.group[p] = p % 3 == 0 ? 0 : 1;  // 40 and 80
  SafairFrontOptions options = short_run();
  options.iterations = 150;
  const SafairFrontResult result = run(world, dataset, 2, options);
  EXPECT_EQ(result.points.back(), 0.5);
}

/// Random and k-means++ labels leave one of so many clusters without the rare group, so that the
/// list was the cheapest clustering alone.
TEST(SafairkmFront, IsBalancedAlsoWithManyClusters) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const auto& [rows, clusters] :
       {std::pair<std::int64_t, std::int64_t>{400, 60}, {1200, 300}}) {
    data::Dataset dataset = random_dataset(8, rows, 3, 2);
    for (std::size_t p = 0; p < dataset.group.size(); ++p) dataset.group[p] = p % 4 == 0 ? 1 : 0;
    const SafairFrontResult result = run(world, dataset, clusters, short_run());
    EXPECT_GT(result.trace.front().hypervolume, 0);
    EXPECT_GT(front_size(result), 2u);
    EXPECT_EQ(result.points[1], 0);         // the cheapest one stays
    EXPECT_GT(result.points.back(), 0.25);  // of at most 1 / 3
    expect_strictly_nondominated(result);
    if (world.is_root()) expect_labels_reproduce_points(dataset, clusters, result);
  }
}

/// A group with fewer members than clusters: nothing can be balanced, and nothing is tried.
TEST(SafairkmFront, HasOnePointWhereNoClusteringIsBalanced) {
  const parallel::Comm world(MPI_COMM_WORLD);
  data::Dataset dataset = random_dataset(9, 200, 2, 2);
  for (std::size_t p = 0; p < 200; ++p) dataset.group[p] = p < 9 ? 1 : 0;
  const SafairFrontResult result = run(world, dataset, 10, short_run());
  EXPECT_EQ(front_size(result), 1u);
  EXPECT_EQ(result.points[1], 0);
}

TEST(SafairkmFront, EverySeedAndTaskKeyGivesItsOwnRun) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem(random_dataset(7, 200, 2, 2), 4);
  const SafairFrontOptions options = short_run();
  auto digest = [&](std::uint64_t seed, const std::string& key) {
    return digest_of_front(safairkm_front(world, problem, options, seed, key));
  };
  const std::string first = digest(1, "a");
  EXPECT_EQ(digest(1, "a"), first);
  EXPECT_NE(digest(2, "a"), first);
  EXPECT_NE(digest(1, "b"), first);
}

TEST(SafairkmFront, RunsEveryVariantOfThePublicProgram) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const data::Dataset dataset = random_dataset(8, 250, 2, 2);
  std::vector<SafairFrontOptions> variants(6, short_run());
  variants[0].step.target = Target::global;
  variants[1].step.step_order = StepOrder::swaps_first;
  variants[2].step.swap_unit = SwapUnit::move;
  variants[3].step.centres = CentreRule::running;
  variants[4].thinning = ListThinning::authors;
  variants[5] = authors_options();
  variants[5].iterations = 20;
  for (const SafairFrontOptions& options : variants) {
    const SafairFrontResult result = run(world, dataset, 3, options);
    expect_strictly_nondominated(result);
    EXPECT_GT(front_size(result), 1u);
    EXPECT_GE(result.list_length, static_cast<std::int64_t>(front_size(result)));
    EXPECT_NEAR(result.hypervolume, naive_hypervolume(result), 1e-13);
    if (world.is_root()) expect_labels_reproduce_points(dataset, 3, result);
  }
}

TEST(SafairkmFront, TheAuthorsFilterKeepsDominatedEntries) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options = authors_options();
  options.iterations = 20;
  options.dense_threshold = 1e-6;
  const SafairFrontResult result = run(world, random_dataset(9, 250, 2, 2), 3, options);
  EXPECT_GT(result.list_length, static_cast<std::int64_t>(front_size(result)));
}

std::string refusal(const std::function<void(SafairFrontOptions&)>& spoil) {
  SafairFrontOptions options;
  spoil(options);
  try {
    validate_for(Problem(random_dataset(10, 40, 2, 2), 3), options);
    return "no error";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(SafairFrontOptions, AreCheckedAloneAndAgainstTheProblem) {
  using Options = SafairFrontOptions;
  EXPECT_EQ(refusal([](Options&) {}), "no error");
  EXPECT_EQ(refusal([](Options& o) { o.iterations = 0; }),
            "safairkm_front::iterations = 0, must be an integer >= 1 and <= 2000000000");
  EXPECT_EQ(refusal([](Options& o) { o.list_budget = 1; }),
            "safairkm_front::list_budget = 1, must be an integer >= 2 and <= 100000");
  EXPECT_EQ(refusal([](Options& o) { o.dense_threshold = 0; }),
            "safairkm_front::dense_threshold = 0, must be a number > 0");
  EXPECT_EQ(refusal([](Options& o) { o.step.swap_growth = 2.5; }),
            "safairkm_front::swap_growth = 2.5, must be a number >= 1 and <= 2");
  EXPECT_EQ(refusal([](Options& o) { o.pairs = {}; }),
            "safairkm_front::pairs = , must be pairs (n_a, n_b) >= 0, not both 0");
  EXPECT_EQ(refusal([](Options& o) {
              o.pairs = {{1, 1}, {0, 0}};
            }),
            "safairkm_front::pairs = (1,1) (0,0), must be pairs (n_a, n_b) >= 0, not both 0");
  EXPECT_EQ(refusal([](Options& o) { o.pairs = {{40, 0}}; }), "no error");
  EXPECT_EQ(refusal([](Options& o) {
              o.pairs = {{41, 0}};
            }),
            "safairkm_front.pairs: n_a = 41 exceeds the 40 points");
  EXPECT_NE(refusal([](Options& o) { o.filter = ListFilter::authors; }), "no error");
}

TEST(SafairFrontOptions, ReadPairsWithBlanksOrCommasBetweenThem) {
  SafairFrontOptions options;
  base::OptionTable table = options_of(options);
  EXPECT_EQ(table.get("pairs"), "(25,0) (20,4) (15,3) (5,2)");
  for (const std::string text : {"(1,0) (2,3)", "(1,0),(2,3)", " ( 1 , 0 )(2,3) "}) {
    table.set("pairs", text);
    EXPECT_EQ(options.pairs, (std::vector<Effort>{{1, 0}, {2, 3}})) << text;
  }
  for (const std::string bad : {"", "()", "(1)", "(1,2,3)", "1,2", "(1,2", "(0,0)", "(-1,2)",
                                "(1.5,2)", "(a,b)", "(1,2) x", "((1,2))"}) {
    EXPECT_THROW(table.set("pairs", bad), base::InputError) << bad;
  }
  table.set("pairs", "(9223372036854775807,9223372036854775807)");
  EXPECT_EQ(table.get("pairs"), "(9223372036854775807,9223372036854775807)");
}

TEST(SafairFrontBytes, GrowWithBudgetPointsAndLabelSizeAndFallWithRanks) {
  const Problem small(random_dataset(11, 1000, 2, 2), 4);
  const Problem large(random_dataset(11, 4000, 2, 2), 4);
  const Problem wide(random_dataset(11, 1000, 2, 2), 300);
  const SafairFrontOptions options;
  const double bytes = safairkm_front_bytes(small, options, 1);
  EXPECT_GT(bytes, 1500 * 1000);  // the labels alone
  EXPECT_GT(safairkm_front_bytes(large, options, 1), 3 * bytes);
  EXPECT_GT(safairkm_front_bytes(wide, options, 1), 1.5 * bytes);
  EXPECT_LT(safairkm_front_bytes(small, options, 4), bytes);
}

TEST(SafairkmFront, MoreCandidatesAnIterationThanTheirNumbersHoldAreRefused) {
  const Problem problem(random_dataset(1, 20, 2, 2), 2);
  SafairFrontOptions options;
  options.list_budget = 100'000;
  options.replicas = 1'000;
  options.pairs.assign(42, {1, 1});
  EXPECT_NO_THROW(validate_for(problem, options));
  options.pairs.assign(43, {1, 1});
  EXPECT_THROW(validate_for(problem, options), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::clustering::safairkm_front_test
