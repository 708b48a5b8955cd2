#include "solvers/regression/stochastic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "plain_stochastic.hpp"
#include "solvers/common/trace_packing.hpp"
#include "support.hpp"
#include "support/allocation_count.hpp"

namespace fairfront::regression::stochastic_test {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::Ge;
using testing::Pointwise;
using enum Optimiser;

constexpr Grid grid{.half = 4, .bound = 1};
constexpr Optimiser all[] = {sgd, averaged_sgd, ac_sa, ac_sa2, sgd3_ac_sa, sgd3_ac_sa2};
const std::string key = "task";
using Vector = std::vector<double>;
class StochasticDual : public testing::Test {
 protected:
  PredictedRows rows_ = random_rows(30, 3, 1);
  DualProblem problem_{rows_, grid, 20, {0.01, 0.02, 0.03}};
};

TEST_F(StochasticDual, EveryOptimiserIsThatOfThePrintedAlgorithm) {
  for (const Rules rules : {Rules::paper, Rules::authors}) {
    for (const Optimiser optimiser : all) {
      const auto result =
          stochastic_dual(problem_, {.optimiser = optimiser, .rules = rules, .steps = 300}, 7, key);
      const Vector expected = plain::run(problem_, optimiser, rules == Rules::authors, 300, 7, key);
      EXPECT_THAT(result.w, Pointwise(DoubleNear(1e-11), expected)) << int(optimiser);
      double size = 0;
      for (const double value : expected) size += value * value;
      EXPECT_GT(size, 1e-6) << "nothing moved: the test tests nothing";
    }
  }
}

TEST_F(StochasticDual, GradientsAreCounted) {
  const auto count = [&](Optimiser optimiser, Rules rules) {
    const StochasticOptions options{.optimiser = optimiser, .rules = rules, .steps = 300};
    const auto found = stochastic_dual(problem_, options, 7, key).gradients;
    EXPECT_EQ(found, gradients_of(problem_, options));
    return found;
  };
  EXPECT_EQ(count(sgd, Rules::paper), 300);
  EXPECT_EQ(count(ac_sa2, Rules::paper), 300);
  EXPECT_EQ(count(ac_sa2, Rules::authors), 600);
  // M / mu = beta^2 = 400: 8 stages of 37 steps; by the authors' rules log2(301): 8 stages
  EXPECT_EQ(count(sgd3_ac_sa, Rules::paper), 8 * 37);
  EXPECT_EQ(count(sgd3_ac_sa2, Rules::paper), 8 * 2 * 18);
  EXPECT_EQ(count(sgd3_ac_sa2, Rules::authors), 8 * 2 * 37);
}

TEST_F(StochasticDual, LemmaOfFairnessAndRiskHoldsForEveryRun) {
  const double constant = 2 * 20 * gradient_variance(rows_.shares);
  // A long run stands in for the optimum, whose risk exceeds its own bound by nothing.
  Vector best(std::size_t(problem_.size()), 0.0), gradient(best.size());
  for (int t = 0; t < 200'000; ++t) {
    problem_.value_and_gradient(best, gradient);
    for (std::size_t i = 0; i < best.size(); ++i) {
      best[i] = std::max(0.0, best[i] - gradient[i] / constant);
    }
    if (t % 1000 == 0 && gradient_map_norm(best, gradient, 1 / constant) < 1e-10) break;
  }
  problem_.value_and_gradient(best, gradient);
  ASSERT_LT(gradient_map_norm(best, gradient, 1 / constant), 1e-6);
  // The risk but for the noise of the target: mean of sum_l pi(l | x) r_l(x).
  const auto risk = [&](const Vector& w) {
    const Vector d = difference_of(w);
    Vector pi(9);
    double sum = 0;
    for (std::int64_t i = 0; i < 30; ++i) {
      problem_.prediction()(rows_.eta[std::size_t(i)], rows_.tilts(i), d, pi);
      for (std::size_t l = 0; l < 9; ++l) {
        sum += pi[l] * std::pow(rows_.eta[std::size_t(i)] - problem_.prediction().atoms()[l], 2);
      }
    }
    return sum / 30;
  };
  for (const Rules rules : {Rules::paper, Rules::authors}) {
    for (const Optimiser optimiser : all) {
      for (const std::int64_t steps : {20, 200, 2000}) {
        const auto w =
            stochastic_dual(problem_, {.optimiser = optimiser, .rules = rules, .steps = steps}, 3,
                            key)
                .w;
        EXPECT_THAT(w, Each(Ge(0.0)));
        problem_.value_and_gradient(w, gradient);
        const double map = gradient_map_norm(w, gradient, 1 / constant);
        const Vector gaps = atom_gaps(rows_, problem_.prediction(), difference_of(w));
        double excess = 0;
        for (std::size_t i = 0; i < gaps.size(); ++i) {
          excess += std::pow(std::max(0.0, std::abs(gaps[i]) - problem_.epsilon()[i / 9]), 2);
        }
        EXPECT_LE(excess, map * map);
        double size = 0;
        for (const double value : w) size += value * value;
        EXPECT_LE(risk(w), risk(best) + std::sqrt(size) * map + std::log(9.0) / 20 + 1e-6);
      }
    }
  }
}

TEST_F(StochasticDual, MoreStepsLeaveLessToTheOptimum) {
  for (const Optimiser optimiser : all) {
    Vector values;
    for (const std::int64_t steps : {100, 1000, 100'000}) {
      values.push_back(problem_.value(
          stochastic_dual(problem_, {.optimiser = optimiser, .steps = steps}, 3, key).w));
    }
    EXPECT_LT(values[1], values[0]) << int(optimiser);
    EXPECT_LT(values[2], values[1]) << int(optimiser);
  }
}

TEST_F(StochasticDual, StepsAllocateNothing) {
  for (const Optimiser optimiser : all) {
    const auto allocations = [&](std::int64_t steps) {
      const std::int64_t before = support::allocations();
      const auto result =
          stochastic_dual(problem_, {.optimiser = optimiser, .steps = steps}, 3, key);
      return support::allocations() - before;
    };
    EXPECT_EQ(allocations(100), allocations(1000)) << int(optimiser);
  }
}

TEST_F(StochasticDual, AWatchSeesTheResultAndChangesNothing) {
  for (const Optimiser optimiser : all) {
    const StochasticOptions options{.optimiser = optimiser, .steps = 200};
    const std::int64_t last = gradients_of(problem_, options);
    std::vector<std::int64_t> seen;
    Vector at_end;
    const Watch watch{{0, 10, last}, [&](std::int64_t count, std::span<const double> w) {
                        seen.push_back(count);
                        at_end.assign(w.begin(), w.end());
                      }};
    const auto plain = stochastic_dual(problem_, options, 3, key);
    const auto watched = stochastic_dual(problem_, options, 3, key, {}, watch);
    EXPECT_EQ(watched.w, plain.w);
    EXPECT_EQ(at_end, plain.w);
    EXPECT_THAT(seen, testing::ElementsAre(0, 10, last));
  }
}

TEST_F(StochasticDual, SeedsAndTasksHaveTheirOwnRows) {
  const StochasticOptions options{.optimiser = ac_sa, .steps = 50};
  const auto one = stochastic_dual(problem_, options, 1, key).w;
  EXPECT_EQ(one, stochastic_dual(problem_, options, 1, key).w);
  EXPECT_NE(one, stochastic_dual(problem_, options, 2, key).w);
  EXPECT_NE(one, stochastic_dual(problem_, options, 1, "other").w);
}

TEST_F(StochasticDual, RefusesWhatIsOutOfRange) {
  EXPECT_THROW((void)gradients_of(problem_, {.steps = 0}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem_, {.steps = 7}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem_, {.strong_convexity = -1}), std::invalid_argument);
  EXPECT_THROW((void)gradients_of(problem_, {.strong_convexity = 1e6}), std::invalid_argument);
  EXPECT_EQ(gradients_of(problem_, {.optimiser = ac_sa, .strong_convexity = 1e6}), 15'000);
}

/// A run with a trajectory, which stops when it is asked for the nth time (0: never).
struct Watched {
  const DualProblem& problem;
  StochasticOptions options;
  std::string state{};

  std::pair<Vector, solvers::Trace> run(int nth, std::optional<std::string> resume = {}) {
    const std::vector<std::int64_t> counts{0, 1, 36, 37, 38, 74, 150, 290};
    solvers::Recorder recorder({"first", "last"}, counts);
    const Watch watch{
        .counts = counts,
        .look =
            [&](std::int64_t count, std::span<const double> w) {
              if (recorder.due(count)) recorder.record(count, {w.front(), w.back()});
            },
        .pack = [&](solvers::Packer& packer) { solvers::pack(packer, recorder.trace()); },
        .unpack = [&](solvers::Unpacker& unpacker) { solvers::unpack(unpacker, recorder); }};
    int asked = 0;
    const solvers::Control control{
        .request =
            [&] { return ++asked == nth ? solvers::Request::stop : solvers::Request::go_on; },
        .save = [&](const std::string& bytes) { state = bytes; },
        .resume = std::move(resume)};
    Vector w = stochastic_dual(problem, options, 7, key, control, watch).w;
    return {std::move(w), std::move(recorder).take()};
  }
};

TEST_F(StochasticDual, GoesOnFromACheckpointToTheSameBits) {
  for (const Rules rules : {Rules::paper, Rules::authors}) {
    for (const Optimiser optimiser : all) {
      Watched watched{problem_, {.optimiser = optimiser, .rules = rules, .steps = 300}};
      const auto whole = watched.run(0);
      for (int nth = 1; nth < 7; ++nth) {
        EXPECT_THROW((void)watched.run(nth), solvers::Interrupted);
        const std::string once = watched.state;
        const auto resumed = watched.run(0, once);
        EXPECT_EQ(resumed.first, whole.first) << int(optimiser) << " " << nth;
        EXPECT_EQ(resumed.second.steps, whole.second.steps);
        EXPECT_EQ(resumed.second.values, whole.second.values);
        EXPECT_THROW((void)watched.run(1, once), solvers::Interrupted);
        EXPECT_EQ(watched.run(0, watched.state).first, whole.first) << "stopped twice";
      }
    }
  }
}

TEST_F(StochasticDual, RefusesADamagedCheckpoint) {
  Watched watched{problem_, {.steps = 300}};
  EXPECT_THROW((void)watched.run(2), solvers::Interrupted);
  const std::string good = watched.state;
  for (const std::string& bad :
       {good.substr(0, good.size() - 1), good + "x", std::string("x"), "X" + good.substr(1)}) {
    EXPECT_THROW((void)watched.run(0, bad), base::CheckpointError);
  }
  Watched shorter{problem_, {.optimiser = sgd, .steps = 1}};
  EXPECT_THROW((void)shorter.run(0, good), base::CheckpointError);
}

}  // namespace
}  // namespace fairfront::regression::stochastic_test
