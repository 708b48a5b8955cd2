// [reductions] with search = grid: what it leaves, what it claims of it, and that bounds share a
// grid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/registry.hpp"
#include "numbers.hpp"
#include "training_support.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using testing::HasSubstr;

const std::string linear_in_parts =
    "[split]\nvalidation = 0.2\ntest = 0.2\nstratify = group_and_label\n[model]\nhidden =\n";

TEST(ReductionsGrid, TheTasksOfSeveralBoundsHaveOneGridAndEachTheBestOfIt) {
  const std::string text = linear_in_parts +
                           "[reductions]\nsearch = grid\nrate = equalised_odds\n"
                           "bound = 0.3, 0.02\n";
  const TrainingSweep both(text);
  const TaskResult first = both.run(0), second = both.run(1), alone = TrainingSweep(text).run(1);
  for (const char* name : {"grid_weights", "grid_multipliers", "grid_rates", "grid_test_rates"}) {
    EXPECT_EQ(second.solutions.at(name), first.solutions.at(name)) << name;
    EXPECT_EQ(first.solutions.at(name).size(), 41U) << name;
  }
  EXPECT_EQ(second.solutions, alone.solutions);  // whatever ran before it
  EXPECT_EQ(second.metrics, alone.metrics);
  EXPECT_EQ(second.remark, alone.remark);
  EXPECT_LE(numbers_of(first).at("error_train"), numbers_of(second).at("error_train"));
  EXPECT_EQ(first.metrics.at("fits"), 41);
}

TEST(ReductionsGrid, OfABoundThatNoneOfItKeepsTheFairestIsTakenAndTold) {
  const auto remark_of = [](const std::string& options) {
    return TrainingSweep(linear_in_parts + "[reductions]\nsearch = grid\n" + options).run().remark;
  };
  const std::string remark = remark_of("bound = 0\n");
  EXPECT_THAT(remark, HasSubstr("no single classifier found is within reductions.bound = 0"));
  EXPECT_THAT(remark, HasSubstr("a larger reductions.grid_size or grid_limit may have one"));
  EXPECT_THAT(remark_of("bound = 0\ngrid_limit = 1e-6\ngrid_size = 3\n"),
              HasSubstr("raise reductions.grid_size, grid_limit or largest_multiplier"));
  EXPECT_THAT(remark_of("bound = 1\n"), testing::Not(HasSubstr("within")));
}

class GridClaims : public testing::Test {
 protected:
  /// What is refuted of a task whose findings were changed; "" where nothing is.
  template <class Change>
  std::string refuted(const std::string& options, Change change) {
    const parallel::Comm self(MPI_COMM_SELF);
    const sweep::Experiment& experiment = find("training");
    const sweep::Plan plan(
        config::resolve(
            config::scan_config("experiment = training\n[data]\ndata = syn_predictions\n"
                                "subsample = 300\n" +
                                    linear_in_parts + "[reductions]\nsearch = grid\n" + options,
                                "test.ini"),
            "training", experiment.sections()),
        experiment);
    TaskResult result = experiment.run(self, plan.task(0), context_);
    change(result.solutions);
    std::string all;
    for (const sweep::Claim& claim : experiment.prove(plan.task(0), result, context_)) {
      all += claim.refuted;
    }
    return all;
  }

  using Solutions = decltype(TaskResult::solutions);
  static std::vector<double>& vector_of(results::SolutionValues& values) {
    return std::get<std::vector<double>>(values);
  }

  sweep::RunContext context_;
};

TEST_F(GridClaims, AreProvenAndRefutedWhereAnythingWasChanged) {
  for (const std::string options :
       {"bound = 0.05\n", "bound = 0\n", "bound = 0.8\nbound_of = ratio\n",
        "rate = equalised_odds\nbound_of = worst_group\nbound = 0.3\n"}) {
    EXPECT_EQ(refuted(options, [](Solutions&) {}), "") << options;
    EXPECT_THAT(
        refuted(options, [](Solutions& all) { vector_of(all.at("grid_rates")[3])[0] += 1e-9; }),
        HasSubstr("classifier 3 has"));
    EXPECT_THAT(refuted(options,
                        [](Solutions& all) { vector_of(all.at("grid_test_rates")[2])[1] = 0.123; }),
                HasSubstr("on the test part"));
    EXPECT_THAT(refuted(options,
                        [](Solutions& all) {
                          for (double& weight : vector_of(all.at("grid_weights")[5])) weight *= -1;
                        }),
                HasSubstr("classifier 5 has"));
    EXPECT_THAT(refuted(options, [](Solutions& all) { all.erase("grid_weights"); }),
                HasSubstr("not the weights"));
    EXPECT_THAT(refuted(options, [](Solutions& all) { all.at("grid_rates").pop_back(); }),
                HasSubstr("have rates"));
    EXPECT_THAT(refuted(options, [](Solutions& all) { vector_of(all.at("weights")[0])[0] += 1; }),
                HasSubstr("none of them"));
  }
  // Another classifier of the grid in the place of the chosen one: the unconstrained one errs less,
  // and is not within a bound of 0; one of the far ends errs more.
  const auto take_another = [](Solutions& all) {
    const auto& grid = all.at("grid_weights");
    auto& chosen = all.at("weights")[0];
    chosen = chosen == grid[1] ? grid[0] : grid[1];
  };
  EXPECT_THAT(refuted("bound = 0\n", take_another), HasSubstr("has an error of"));
  EXPECT_THAT(refuted("bound = 1\ngrid_limit = 5\ngrid_size = 3\n", take_another),
              HasSubstr("has an error of"));
}

}  // namespace
}  // namespace fairfront::experiments
