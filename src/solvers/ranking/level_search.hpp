/// @file
/// Algorithm 1 of Y. Yao, Q. Lin, T. Yang (2023), a step at a time: the level falls by what mirror
/// descent says of it. Internal to level_set() and iqrc().
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solvers/common/control.hpp"
#include "solvers/ranking/level_set.hpp"
#include "solvers/ranking/mirror_descent.hpp"

namespace fairfront::ranking {

template <ScoreRows Scores>
class LevelSearch {
 public:
  LevelSearch(const SurrogateProblem<Scores>& problem, const LevelSetOptions& options,
              base::StreamKey key)
      : options_{options},
        descent_(problem, options.descent, key),
        start_{descent_.iterate()},
        best_{start_} {}

  /// @param level  r_0, for which `start` is feasible. @param rho  of rho/2 |x - start|^2, which is
  ///               added to the objective and to the constraints.
  void begin(const Primal& start, double level, double rho) {
    start_ = start;
    best_ = start;
    level_ = level;
    rho_ = rho;
    calls_.clear();
    stop_ = LevelSetStop::calls_spent;
    done_ = false;
    descent_.begin(level_, start_, rho_, start_);
  }

  [[nodiscard]] bool done() const { return done_; }

  /// A step of mirror descent, and what follows from the last one of a call.
  /// @throws std::domain_error  the iterates are not finite: the step is too long.
  void advance(const IterateWatch& watch) {
    descent_.step();
    watch.tell(descent_.steps(), descent_.iterate().w);
    if (descent_.done()) end_call();
  }

  [[nodiscard]] const Primal& best() const { return best_; }  ///< of the last call with U <= 0
  [[nodiscard]] LevelSetStop stop() const { return stop_; }
  [[nodiscard]] const std::vector<LevelSetCall>& calls() const { return calls_; }
  [[nodiscard]] std::int64_t steps() const { return descent_.steps(); }

  void pack(solvers::Packer& packer) const {
    descent_.pack(packer);
    start_.pack(packer);
    best_.pack(packer);
    packer.number(level_);
    packer.number(rho_);
    packer.array(std::span(calls_));
    packer.number(stop_);
    packer.number(done_);
  }
  /// @throws base::CheckpointError  not a state of such a problem.
  void unpack(solvers::Unpacker& unpacker) {
    descent_.unpack(unpacker);
    start_.unpack(unpacker);
    best_.unpack(unpacker);
    level_ = unpacker.number<double>();
    rho_ = unpacker.number<double>();
    calls_ = unpacker.array<std::vector<LevelSetCall>>();
    stop_ = unpacker.number<LevelSetStop>();
    done_ = unpacker.number<bool>();
  }

 private:
  void end_call() {
    auto [mean, bound] = descent_.finish();
    if (!std::isfinite(bound)) throw std::domain_error("iterates are not finite: shorten `step`");
    calls_.push_back({level_, bound});
    if (bound > 0) return end(LevelSetStop::too_coarse);
    best_ = std::move(mean);
    if (bound >= -options_.tolerance) return end(LevelSetStop::converged);
    level_ += bound / (2 * options_.level_step);
    if (std::ssize(calls_) == options_.most_calls) return end(LevelSetStop::calls_spent);
    descent_.begin(level_, options_.start == Start::last_mean ? best_ : start_, rho_, start_);
  }
  void end(LevelSetStop why) {
    stop_ = why;
    done_ = true;
  }

  const LevelSetOptions& options_;
  MirrorDescent<Scores> descent_;
  Primal start_, best_;
  double level_ = 0;
  double rho_ = 0;
  std::vector<LevelSetCall> calls_;
  LevelSetStop stop_ = LevelSetStop::calls_spent;
  bool done_ = true;
};

/// Keeps a state where the caller wants one, and ends where it wants that.
/// @param state  returns the bytes of the state between two steps.
/// @throws solvers::Interrupted
template <class State>
void obey(solvers::Request wanted, const solvers::Control& control, State&& state) {
  if (wanted == solvers::Request::go_on) return;
  if (control.save) control.save(state());
  if (wanted == solvers::Request::stop) throw solvers::Interrupted();
}

/// The bytes behind the name of what they are a state of.
/// @throws base::CheckpointError  a state of something else.
inline solvers::Unpacker unpacker_of(const std::string& state, std::string_view name) {
  solvers::Unpacker unpacker(state);
  if (unpacker.raw(name.size()) != name) {
    throw base::CheckpointError("the checkpoint is of another method");
  }
  return unpacker;
}

}  // namespace fairfront::ranking
