#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/killed.hpp"
#include "solvers/regression/optimum.hpp"
#include "solvers/regression/optimum_state.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

using solvers::Control;

struct KeptProblem {
  std::string name;
  std::int64_t rows, groups;
  double epsilon;
  ParityBound bound;
};

class KeptSample {
 public:
  explicit KeptSample(const KeptProblem& problem)
      : sampled_(3, problem.rows, problem.groups),
        rows_{sampled_.rows()},
        dual{rows_,
             {3, 1},
             problem.bound,
             std::vector<double>(static_cast<std::size_t>(problem.groups), problem.epsilon)} {}

 private:
  Sampled sampled_;
  PredictedRows rows_;

 public:
  ParityDual dual;
};

std::string bytes_of(const Optimum& found) { return solvers::packed_state("", found); }
std::string bytes_of(const Limit& found) {
  return bytes_of(found.optimum) + solvers::packed_state("", found.certificate) +
         (found.converged ? "converged" : "not") + std::to_string(found.stages);
}

/// Kills at every checkpoint, stops, damage and states of another dual.
/// @param run      (const ParityDual&, const Control&) -> result.
/// @param another  of other unknowns.
template <class Run>
void expect_to_go_on(const ParityDual& dual, const ParityDual& another, Run run,
                     std::int64_t least_kills) {
  const auto of_dual = [&](const Control& control) { return run(dual, control); };
  const std::string whole = bytes_of(of_dual({}));
  solvers::test::KilledRun killed(of_dual);
  EXPECT_EQ(bytes_of(killed.to_the_end()), whole);
  EXPECT_GE(killed.kills(), least_kills);
  solvers::test::expect_every_wish_is_heard(of_dual, 4);
  for (std::int64_t kills = 1; kills < killed.kills(); kills += 1 + killed.kills() / 5) {
    solvers::test::KilledRun part(of_dual);
    for (std::int64_t k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(of_dual, part.state());
    if (2 * kills > killed.kills()) {  // the first states have nothing of a size yet
      EXPECT_THROW((void)run(another, Control{.resume = part.state()}), base::CheckpointError);
    }
    part.stop_at(0);
    EXPECT_EQ(bytes_of(of_dual({.resume = part.state()})), whole);
  }
}

TEST(OptimumCheckpoint, ARunThatIsKilledAtEveryStepComesOutAtTheSameBits) {
  for (const KeptProblem& problem :
       {KeptProblem{"stages of beta", 60, 3, 0.01, ParityBound::atom},
        KeptProblem{"a balanced path", 60, 2, 0.005, ParityBound::cumulative},
        KeptProblem{"an eighth of the rows first", 420, 3, 0.005, ParityBound::cumulative},
        KeptProblem{"from inside", 60, 6, 0.01, ParityBound::cumulative},
        KeptProblem{"from inside, bounds of atoms", 60, 6, 0.01, ParityBound::atom},
        KeptProblem{"from inside, without slack", 60, 6, 0, ParityBound::cumulative}}) {
    SCOPED_TRACE(problem.name);
    const KeptSample sample(problem),
        another({"", problem.rows, problem.groups + 1, problem.epsilon, problem.bound});
    const auto run = [](const ParityDual& dual, const Control& control) {
      return minimise_dual(dual, 60, {}, {}, control);
    };
    const Optimum found = run(sample.dual, {});
    EXPECT_TRUE(found.converged);
    expect_to_go_on(sample.dual, another.dual, run, found.iterations);
  }
}

/// As if the path did not reach the tolerance: the rest begins anew, with its own checkpoints.
TEST(OptimumCheckpoint, WhatFollowsAPathThatFailsComesOutAtTheSameBits) {
  const KeptProblem problem{"", 60, 2, 0.005, ParityBound::cumulative};
  const KeptSample sample(problem), another({"", 60, 3, 0.005, ParityBound::cumulative});
  const auto run = [](const ParityDual& dual, const Control& control) {
    return minimise_dual(dual, 60, {.max_iterations = 4}, {}, control);
  };
  const Optimum found = run(sample.dual, {});
  EXPECT_GT(found.iterations, 4);
  expect_to_go_on(sample.dual, another.dual, run, found.iterations);
}

TEST(OptimumCheckpoint, ALinearProgramThatIsKilledAtEveryStepComesOutAtTheSameBits) {
  for (const KeptProblem& problem :
       {KeptProblem{"two groups", 40, 2, 0.01, ParityBound::cumulative},
        KeptProblem{"five groups", 40, 5, 0.02, ParityBound::atom},
        KeptProblem{"next to no slack", 40, 3, 0x1p-30, ParityBound::atom},
        KeptProblem{"no slack", 40, 3, 0, ParityBound::cumulative}}) {
    for (const bool inside : {true, false}) {
      // Of the largest beta that is allowed a polish is tried.
      for (const double last_beta : {1e9, 64.0}) {
        SCOPED_TRACE(problem.name + (inside ? ", inside" : ", along the path") +
                     (last_beta < 1e9 ? ", a small beta" : ""));
        const KeptSample sample(problem),
            another({"", problem.rows, problem.groups + 1, problem.epsilon, problem.bound});
        LimitOptions options{.first_beta = std::min(262144.0, last_beta), .last_beta = last_beta};
        if (!inside) options.most_inside = 0;
        const auto run = [&](const ParityDual& dual, const Control& control) {
          return minimise_limit(dual, options, {}, control);
        };
        expect_to_go_on(sample.dual, another.dual, run, run(sample.dual, {}).optimum.iterations);
      }
    }
  }
}

/// A disk that is slow must not see a table of all probabilities every half a minute.
TEST(OptimumCheckpoint, HasNoProbabilities) {
  const std::int64_t rows = 600;
  const KeptSample sample({"", rows, 6, 0.01, ParityBound::atom});
  std::size_t most = 0;
  (void)minimise_limit(
      sample.dual, {}, {},
      {.request = [] { return solvers::Request::checkpoint; },
       .save = [&](const std::string& state) { most = std::max(most, state.size()); }});
  const auto unknowns = static_cast<std::size_t>(sample.dual.size());
  EXPECT_GT(most, 0U);
  EXPECT_LT(most, 100 * 4 * unknowns * sizeof(double));
}

}  // namespace
}  // namespace fairfront::regression
