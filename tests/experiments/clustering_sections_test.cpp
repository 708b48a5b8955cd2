#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "sweep/forecast.hpp"
#include "sweep/idle_options.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments::clustering_sections_test {
namespace {

using sweep::Plan;
using sweep::RunContext;

Plan plan_of(const std::string& method) {
  const sweep::Experiment& experiment = find("clustering");
  const auto scanned = config::scan_config(
      "experiment = clustering\n[data]\ndata = syn_unequal_ds2\n[clustering]\nclusters = 3\n" +
          method,
      "test.ini");
  return {config::resolve(scanned, experiment.name(), experiment.sections()), experiment};
}

bool is_idle(const std::string& method, const std::string& option) {
  const auto conditions = config::conditions_of(find("clustering").sections());
  return sweep::why_idle(conditions, plan_of(method).task(0), option).has_value();
}

/// What one option of a section does not change, and what makes it matter.
struct Void {
  std::string section, others, option, values;
  std::string matters;  ///< other options with which it is not idle
};

const std::vector<Void>& voids() {
  static const std::string list = "iterations = 8\nstarts = 6\nlist_budget = 9\n";
  static const std::string single = "iterations = 30\n";
  static const std::string ladder = "starts = 2\n";
  static const std::vector<Void> all{
      {"safairkm", single + "n_a = 4\nn_total = 10\n", "n_b", "3, 5", single + "n_a = 4\n"},
      {"safairkm", single + "n_b = 0\n", "swap_partner", "local, global", single},
      {"safairkm", single + "n_b = 0\n", "swap_unit", "exchange, move", single},
      {"safairkm", single + "n_b = 0\n", "swap_growth", "1.005, 1.1", single},
      {"safairkm", single + "n_b = 0\n", "step_order", "kmeans_first, swaps_first", single},
      {"safairkm", single + "n_a = 0\n", "step_order", "kmeans_first, swaps_first", single},
      {"safairkm", single + "n_a = 9\nn_total = 9\n", "swap_growth", "1.005, 1.1",
       single + "n_a = 8\nn_total = 9\n"},
      {"safairkm_front", list, "dense_threshold", "0.01, 0.1", list + "thinning = authors\n"},
      {"safairkm_front", list + "thinning = authors\n", "list_budget", "5, 9",
       list + "thinning = authors\nstop_at_budget = true\n"},
      {"safairkm_front", "iterations = 8\nstarts = 1\n", "random_start", "softmax, by_group", list},
      {"safairkm_front", list + "pairs = (9,0) (5,0)\n", "swap_unit", "exchange, move", list},
      {"safairkm_front", list + "pairs = (9,0) (0,4)\n", "step_order", "kmeans_first, swaps_first",
       list},
      {"vfairkm", "mu_count = 1\nmu_min = 50\n", "warm_start", "false, true, both",
       "mu_count = 2\nmu_max = 50\n"},
      {"vfairkm", "mu_count = 1\nmu_min = 50\n", "mu_max", "100, 200", "mu_count = 2\n"},
      {"vfairkm", "mu_count = 1\n", "lipschitz", "1, 4", "mu_count = 1\nmu_min = 50\n"},
      {"vfairkm", "mu_count = 1\n", "inner_step", "descent, fixed", "mu_count = 1\nmu_min = 50\n"},
      {"vfairkm", "mu_count = 1\n", "inner_iterations", "3, 9", "mu_count = 1\nmu_min = 50\n"},
      {"vfairkm", "mu_count = 1\n", "inner_tolerance", "0.1, 0.001", "mu_count = 1\nmu_min = 50\n"},
      {"vfairkm", "mu_count = 1\n", "outer_tolerance", "0.1, 0.001", "mu_count = 1\nmu_min = 50\n"},
      {"balance_ladder", ladder + "relocations = 2\nrefinements = 2\nsample = 0\n", "carried",
       "10, 60", ladder + "sample = 50\n"},
      {"balance_ladder", ladder + "relocations = 0\nrefinements = 0\n", "reach", "0.1, 0.5",
       ladder + "relocations = 2\n"}};
  return all;
}

TEST(ClusteringSections, WhatIsIdleChangesNothingOfWhatIsFound) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const Void& one : voids()) {
    const std::string name = fmt::format("{}.{}", one.section, one.option);
    SCOPED_TRACE(fmt::format("{} with {}", name, one.others));
    std::string others = one.others;  // the option that is tried stands there once
    if (const auto at = others.find(one.option + " ="); at != std::string::npos) {
      others.erase(at, others.find('\n', at) + 1 - at);
    }
    const std::string section = fmt::format("[{}]\n{}", one.section, others);
    EXPECT_TRUE(is_idle(section, name));
    const Plan plan = plan_of(fmt::format("{}{} = {}\n", section, one.option, one.values));
    ASSERT_GT(plan.num_tasks(), 1);
    EXPECT_EQ(find("clustering").run(world, plan.task(0), RunContext{}),
              find("clustering").run(world, plan.task(1), RunContext{}));
  }
}

TEST(ClusteringSections, WhatMattersIsNotIdle) {
  for (const Void& one : voids()) {
    const std::string name = fmt::format("{}.{}", one.section, one.option);
    EXPECT_FALSE(is_idle(fmt::format("[{}]\n{}", one.section, one.matters), name))
        << name << " with " << one.matters;
  }
}

TEST(ClusteringSections, ASweepOverWhatChangesNothingIsRefused) {
  const Plan plan = plan_of("[safairkm]\nn_total = 10\nn_a = 4\nn_b = 3, 5\n");
  try {
    (void)sweep::forecast_problems(find("clustering"), plan, RunContext{}, 1);
    FAIL() << "the same task would run twice";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("safairkm.n_b has 2 values, which change nothing: "
                                                 "safairkm.n_total is given"));
  }
}

}  // namespace
}  // namespace fairfront::experiments::clustering_sections_test
