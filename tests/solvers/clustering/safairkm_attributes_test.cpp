// Three objectives: cost and the balances of two attributes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "parallel/agree.hpp"
#include "pareto/hypervolume.hpp"
#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/front_support.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::size_t m = 3;

data::Dataset two_attributes(std::uint64_t seed, std::int64_t rows, std::int64_t first,
                             std::int64_t second) {
  data::Dataset dataset = random_dataset(seed, rows, 2, 2);
  set_two_attributes(dataset, seed, first, second);
  return dataset;
}

Problem problem_of(const data::Dataset& dataset, std::int64_t clusters) {
  return {dataset, clusters, BalanceOf::attributes};
}

template <class Label>
std::array<double, m> naive_objectives(const data::Dataset& dataset, std::int64_t clusters,
                                       std::span<const Label> labels) {
  std::array<double, m> values{naive_cost(dataset, clusters, labels)};
  for (std::size_t a = 0; a < 2; ++a) {
    const data::Attribute& attribute = dataset.attributes[a];
    values[1 + a] =
        naive_balance(std::span{attribute.code}, attribute.levels.size(), clusters, labels);
  }
  return values;
}

/// To be called where the labels are.
void expect_labels_reproduce(const data::Dataset& dataset, std::int64_t clusters,
                             const SafairFrontResult& result) {
  ASSERT_EQ(result.labels.size() * m, result.points.size());
  for (std::size_t i = 0; i < result.labels.size(); ++i) {
    std::visit(
        [&](const auto& values) {
          using Label = typename std::decay_t<decltype(values)>::value_type;
          const auto expected = naive_objectives(dataset, clusters, std::span<const Label>{values});
          EXPECT_NEAR(expected[0], result.points[m * i], 1e-12);
          EXPECT_EQ(expected[1], result.points[m * i + 1]);
          EXPECT_EQ(expected[2], result.points[m * i + 2]);
        },
        result.labels[i]);
  }
}

pareto::Points minimised(const SafairFrontResult& result) {
  pareto::Points points(m);
  for (std::size_t i = 0; i < result.points.size(); i += m) {
    points.add(std::array{result.points[i], -result.points[i + 1], -result.points[i + 2]}, i);
  }
  return points;
}

SafairFrontOptions short_run() {
  SafairFrontOptions options;
  options.iterations = 25;
  options.starts = 10;
  return options;
}

TEST(SafairkmAttributes, EveryLabelVectorReproducesItsPoint) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const data::Dataset dataset = two_attributes(1, 400, 2, 3);
  for (const std::int64_t clusters : {2, 5, 300}) {
    const SafairFrontResult result =
        safairkm_front(world, problem_of(dataset, clusters), short_run(), 1, "test");
    const pareto::Points points = minimised(result);
    EXPECT_EQ(pareto::Front(points).size(), points.size());
    EXPECT_EQ(result.list_length, static_cast<std::int64_t>(points.size()));
    if (world.is_root()) expect_labels_reproduce(dataset, clusters, result);
  }
}

TEST(SafairkmAttributes, ReportsTheVolumeOfItsListAndWhatThinningLost) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem = problem_of(two_attributes(2, 300, 2, 3), 3);
  SafairFrontOptions options = short_run();
  for (const std::int64_t budget : {1500, 12}) {
    options.list_budget = budget;
    const SafairFrontResult result = safairkm_front(world, problem, options, 1, "test");
    EXPECT_EQ(result.hypervolume,
              pareto::hypervolume(pareto::Front(minimised(result)), problem.reference()));
    EXPECT_EQ(result.hypervolume_lost > 0, budget == 12);
    double loss = 0;
    for (std::size_t t = 1; t < result.trace.size(); ++t) {
      EXPECT_LE(result.trace[t].list_length, budget);
      loss += std::max(0.0, result.trace[t - 1].hypervolume - result.trace[t].hypervolume);
    }
    EXPECT_LE(loss, result.hypervolume_lost + 1e-15);
  }
}

TEST(SafairkmAttributes, GoesFurtherThanItsStartsInEveryObjective) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const Problem problem = problem_of(two_attributes(3, 300, 2, 3), 3);
  SafairFrontOptions options = short_run();
  const auto best = [&](std::int64_t iterations) {
    options.iterations = iterations;
    const SafairFrontResult result = safairkm_front(world, problem, options, 1, "test");
    std::array<double, m> values{result.points[0], 0, 0};
    for (std::size_t i = 0; i < result.points.size(); i += m) {
      for (std::size_t k = 1; k < m; ++k) values[k] = std::max(values[k], result.points[i + k]);
    }
    return values;
  };
  const auto early = best(1);
  const auto late = best(100);
  EXPECT_LT(late[0], early[0]);
  EXPECT_GT(late[1], early[1]);
  EXPECT_GT(late[2], early[2]);
  EXPECT_GT(late[1], 0.95 * problem.balance_bound(0));
  EXPECT_GT(late[2], 0.85 * problem.balance_bound(1));
}

// The truth: the least cost by pair of balances.

using Truth = std::map<std::pair<double, double>, double>;

Truth all_assignments(const data::Dataset& dataset, std::int64_t clusters) {
  Truth least;
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(dataset.rows), 0);
  do {
    std::array<int, 3> sizes{};
    for (const std::uint8_t label : labels) ++sizes[label];
    if (std::ranges::count(std::span{sizes}.first(static_cast<std::size_t>(clusters)), 0) > 0) {
      continue;
    }
    const auto [cost, first, second] =
        naive_objectives(dataset, clusters, std::span<const std::uint8_t>{labels});
    const auto [entry, added] = least.emplace(std::pair{first, second}, cost);
    if (!added && cost < entry->second) entry->second = cost;
  } while (next_labels(labels, clusters));
  return least;
}

/// The cheapest assignment that is at least as balanced in both attributes.
double least_cost(const Truth& truth, double first, double second) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [balances, cost] : truth) {
    if (balances.first >= first && balances.second >= second) least = std::min(least, cost);
  }
  return least;
}

/// The number of nondominated assignments, up to rounding of the cost.
std::size_t front_length(const Truth& truth) {
  std::size_t count = 0;
  for (const auto& [balances, cost] : truth) {
    bool dominated = false;
    for (const auto& [others, other_cost] : truth) {
      dominated = dominated || (others != balances && others.first >= balances.first &&
                                others.second >= balances.second && other_cost <= cost + 1e-12);
    }
    count += dominated ? 0 : 1;
  }
  return count;
}

struct SmallCase {
  std::uint64_t seed;
  std::int64_t points;
  std::int64_t clusters;
  std::int64_t second_levels;
};

/// On several ranks one of each kind: they find the bits of one rank, as a test below says.
std::vector<SmallCase> small_cases(const parallel::Comm& world) {
  std::vector<SmallCase> all;
  for (std::uint64_t seed = 1; seed <= (world.size() == 1 ? 10 : 1); ++seed) {
    all.push_back({seed, 12, 2, 2});
    all.push_back({seed, 12, 2, 3});
    all.push_back({seed, 9, 3, 2});
  }
  return all;
}

void expect_no_better(const SafairFrontResult& found, const Truth& truth) {
  for (std::size_t i = 0; i < found.points.size(); i += m) {
    EXPECT_GE(found.points[i], least_cost(truth, found.points[i + 1], found.points[i + 2]) - 1e-13);
  }
}

/// No point is worse than the truth and none is missing.
bool is_the_truth(const SafairFrontResult& found, const Truth& truth) {
  for (std::size_t i = 0; i < found.points.size(); i += m) {
    const double least = least_cost(truth, found.points[i + 1], found.points[i + 2]);
    if (found.points[i] > least + 1e-13) return false;
  }
  return found.points.size() == m * front_length(truth);
}

TEST(SafairkmAttributes, ReachesMostFrontsOfAllAssignmentsAndIsNeverBetter) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options;
  options.iterations = 200;
  options.starts = 1000;
  options.replicas = 20;
  options.pairs = {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 1}, {0, 4}, {2, 5}, {4, 2}};
  const std::vector<SmallCase> cases = small_cases(world);
  std::size_t reached = 0;
  std::size_t largest = 0;
  for (const SmallCase& c : cases) {
    const data::Dataset dataset = two_attributes(c.seed, c.points, 2, c.second_levels);
    const Problem problem = problem_of(dataset, c.clusters);
    SCOPED_TRACE(problem.describe());
    const Truth truth = all_assignments(dataset, c.clusters);
    const SafairFrontResult found = safairkm_front(world, problem, options, c.seed, "optimum");
    expect_no_better(found, truth);
    reached += is_the_truth(found, truth) ? 1U : 0U;
    largest = std::max(largest, front_length(truth));
    if (world.is_root()) expect_labels_reproduce(dataset, c.clusters, found);
  }
  // The others lack one point, or have one that is worse, for the reason given at instances().
  EXPECT_GE(reached, cases.size() * 9 / 10);
  EXPECT_GE(largest, world.size() == 1 ? 10U : 5U);
}

TEST(SafairkmAttributes, AHastyRunIsNeverBetterEither) {
  const parallel::Comm world(MPI_COMM_WORLD);
  SafairFrontOptions options;
  options.iterations = 3;
  options.starts = 4;
  options.pairs = {{3, 0}, {2, 2}};
  options.list_budget = 3;
  for (const SmallCase& c : small_cases(world)) {
    const data::Dataset dataset = two_attributes(c.seed, c.points, 2, c.second_levels);
    const SafairFrontResult found =
        safairkm_front(world, problem_of(dataset, c.clusters), options, c.seed, "hasty");
    EXPECT_LE(found.list_length, 3);
    EXPECT_FALSE(found.points.empty());
    expect_no_better(found, all_assignments(dataset, c.clusters));
  }
}

std::vector<SafairFrontOptions> variants() {
  SafairFrontOptions thinned = short_run();
  thinned.list_budget = 15;
  SafairFrontOptions running = thinned;
  running.step = {Target::global, StepOrder::swaps_first, SwapUnit::move, CentreRule::running,
                  1.003};
  SafairFrontOptions lonely = short_run();  // fewer entries than ranks
  lonely.starts = 1;
  lonely.list_budget = 3;
  return {short_run(), thinned, running, lonely};
}

TEST(SafairkmAttributes, GivesTheSameBitsForEveryNumberOfRanks) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm half = world.split(world.rank() % 2);
  const parallel::Comm alone(MPI_COMM_SELF);
  const Problem problem = problem_of(two_attributes(11, 300, 2, 4), 4);
  for (const SafairFrontOptions& options : variants()) {
    const SafairFrontResult serial = safairkm_front(alone, problem, options, 5, "ranks");
    for (const parallel::Comm* team : {&world, &half}) {
      const SafairFrontResult shared = safairkm_front(*team, problem, options, 5, "ranks");
      EXPECT_EQ(digest_of_front(shared), digest_of_front(serial));
      EXPECT_EQ(digest_of_labels(shared) == digest_of_labels(serial), team->is_root());
    }
    const SafairFrontResult other = safairkm_front(alone, problem, options, 6, "ranks");
    EXPECT_NE(digest_of_front(other), digest_of_front(serial));
  }
}

TEST(SafairkmAttributes, GoingOnFromAStateGivesTheBitsOfAnUninterruptedRun) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const data::Dataset dataset = two_attributes(12, 80, 2, 3);
  const Problem problem = problem_of(dataset, 3);
  for (const SafairFrontOptions& options : variants()) {
    const SafairFrontResult whole = safairkm_front(world, problem, options, 7, "parts");
    std::string kept;
    std::int64_t asked = 0;
    solvers::Control control;
    control.request = [&] {
      return asked++ == 9 ? solvers::Request::stop : solvers::Request::go_on;
    };
    control.save = [&](const std::string& state) { kept = state; };
    EXPECT_THROW((void)safairkm_front(world, problem, options, 7, "parts", control),
                 solvers::Interrupted);
    solvers::Control again;
    if (world.is_root()) again.resume = kept;
    const SafairFrontResult rest = safairkm_front(world, problem, options, 7, "parts", again);
    EXPECT_EQ(digest_of_front(rest), digest_of_front(whole));
    // The same data with one balance only is another problem.
    EXPECT_THROW((void)safairkm_front(world, Problem(dataset, 3), options, 7, "parts", again),
                 parallel::CollectiveError);
  }
}

std::string refusal(const Problem& problem, const std::function<void(SafairFrontOptions&)>& spoil) {
  SafairFrontOptions options;
  spoil(options);
  try {
    validate_for(problem, options);
    return "no error";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(SafairkmAttributes, RefusesWhatIsForTwoObjectivesAlone) {
  data::Dataset dataset = two_attributes(13, 40, 2, 2);
  const Problem problem = problem_of(dataset, 3);
  using Options = SafairFrontOptions;
  EXPECT_EQ(refusal(problem, [](Options&) {}), "no error");
  EXPECT_EQ(refusal(problem, [](Options& o) { o.list_budget = 3; }), "no error");
  EXPECT_EQ(refusal(problem, [](Options& o) { o.list_budget = 2; }),
            "safairkm_front.list_budget = 2, must be >= 3, the number of objectives");
  EXPECT_EQ(refusal(problem, [](Options& o) { o.thinning = ListThinning::authors; }),
            "safairkm_front: the authors' filter and thinning are for two objectives");
  dataset.attributes.push_back(dataset.attributes.front());
  EXPECT_EQ(refusal(problem_of(dataset, 3), [](Options&) {}),
            "safairkm_front: 3 attributes, must be at most 2");
}

}  // namespace
}  // namespace fairfront::clustering
