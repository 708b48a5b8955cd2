/// @file
/// The runs that go in one loop, between two iterations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "solvers/alternating/abreast.hpp"
#include "solvers/alternating/iterates.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::alternating::detail {

/// @tparam State  of one run: x, begin(t), end(problem, t), finish(iterations).
template <class State>
class StatesAbreast {
 public:
  /// @param runs  runs_abreast of them.
  template <Objectives P, class Run>
  StatesAbreast(const P& problem, std::span<const Run> runs) {
    for (const Run& run : runs) {
      states_.push_back(std::make_unique<State>(problem, run));
      noise_.push_back(states_.back()->noise);
    }
  }

  [[nodiscard]] const State& operator[](std::size_t run) const { return *states_[run]; }
  [[nodiscard]] std::span<base::Stream> noise() { return noise_; }

  /// @return alpha_t of each.
  EachRun<double> begin(std::int64_t t) {
    EachRun<double> alpha{};
    for (std::size_t r = 0; r < runs_abreast; ++r) alpha[r] = states_[r]->begin(t);
    return alpha;
  }
  [[nodiscard]] Pairs points() const {
    Pairs x;
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      x.first[r] = states_[r]->x[0];
      x.second[r] = states_[r]->x[1];
    }
    return x;
  }
  template <Objectives P>
  void end(const P& problem, std::int64_t t, const Pairs& x) {
    for (std::size_t r = 0; r < runs_abreast; ++r) {
      states_[r]->x = {x.first[r], x.second[r]};
      states_[r]->end(problem, t);
    }
  }
  [[nodiscard]] std::vector<RunResult> finish(std::int64_t iterations) && {
    std::vector<RunResult> results;
    for (const auto& state : states_) results.push_back(std::move(*state).finish(iterations));
    return results;
  }

 private:
  std::vector<std::unique_ptr<State>> states_;
  std::vector<base::Stream> noise_;
};

/// x -= alpha * slope, for each.
inline void descend(const EachRun<double>& alpha, const Pairs& slopes, Pairs& x) {
  for (std::size_t r = 0; r < runs_abreast; ++r) x.first[r] -= alpha[r] * slopes.first[r];
  for (std::size_t r = 0; r < runs_abreast; ++r) x.second[r] -= alpha[r] * slopes.second[r];
}

/// All iterations. @param iterate  of iteration t, with a heartbeat for its steps.
template <class Iterate>
void iterate_all(std::int64_t iterations, const solvers::Control& control, const Iterate& iterate) {
  solvers::Heartbeat heart(control);
  solvers::Heartbeat inner(control);  // of steps, which may be many and dear
  for (std::int64_t t = 0; t < iterations; ++t) {
    iterate(t, inner);
    heart.beat([&] { return solvers::progress("iteration", t + 1, iterations); });
  }
}

/// Whether so many runs on such a problem go in one loop. @param steps  of an iteration of a run.
template <Objectives P, class Run, class Steps>
[[nodiscard]] bool are_alike(const P& problem, std::span<const Run> runs, const Steps& steps) {
  return runs.size() == runs_abreast && problem.box().variables() == 2 &&
         std::ranges::all_of(runs, [&](const Run& run) {
           return run.options.run.iterations == runs[0].options.run.iterations &&
                  steps(run) == steps(runs[0]);
         });
}

}  // namespace fairfront::alternating::detail
