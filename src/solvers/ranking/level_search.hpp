/// @file
/// Algorithm 1 of Y. Yao, Q. Lin, T. Yang (2023), a step at a time: the level falls by what mirror
/// descent says of it. Internal to level_set() and iqrc().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "solvers/common/control.hpp"
#include "solvers/ranking/level_set.hpp"
#include "solvers/ranking/mirror_descent.hpp"

namespace fairfront::ranking {

/// When a search ends by its tolerance.
enum class Ending {
  at_once,   ///< at the first call whose U is within it: enough for one problem of many
  confirmed  ///< where a call of the same level with twice the steps says the same
};

template <ScoreRows Scores>
class LevelSearch {
 public:
  LevelSearch(const SurrogateProblem<Scores>& problem, const LevelSetOptions& options,
              base::StreamKey key, Ending ending)
      : problem_{problem},
        options_{options},
        ending_{ending},
        descent_(problem, options.descent, key),
        length_{options.descent.steps, options.descent.step},
        start_{descent_.iterate()},
        last_mean_{start_},
        best_{start_.w} {}

  /// From x = (w, a, b) with the a and b that are best for w, and r_0 = f0(w). What was doubled
  /// stays so, and what was spent is.
  /// @param w  feasible. @param rho  of rho/2 |x - start|^2, which is added to the objective and to
  ///           the constraints.
  void begin(std::span<const double> w, double rho) {
    std::ranges::copy(w, start_.w.begin());
    best_ = start_.w;
    rho_ = rho;
    has_improved_ = false;
    calls_.clear();
    is_confirming_ = false;
    done_ = false;
    if (affordable_steps(1) < 1) return end(LevelSetStop::evaluations_spent);
    ++passes_;
    const CellSums sums = problem_.rows.sums(w);
    for (std::size_t i = 0; i < problem_.pairs.size(); ++i) {
      start_.a[i] = mean_of(sums, problem_.pairs[i].above);
      start_.b[i] = mean_of(sums, problem_.pairs[i].below);
    }
    last_mean_ = start_;
    best_value_ = level_ = losses_of(sums, problem_.pairs, problem_.surrogate).objective;
    begin_call();
  }

  [[nodiscard]] bool done() const { return done_; }

  /// A step of mirror descent, and what follows from the last one of a call.
  /// @throws std::domain_error  the iterates are not finite: the step is too long.
  void advance(const IterateWatch& watch) {
    descent_.step();
    watch.tell(descent_.steps(), descent_.iterate().w);
    if (descent_.done()) end_call();
  }

  /// Feasible: of the multiples of the calls' means and last iterates the one with the least
  /// objective, or the start.
  [[nodiscard]] const std::vector<double>& best() const { return best_; }
  [[nodiscard]] bool has_improved() const { return has_improved_; }  ///< best() is not the start
  [[nodiscard]] LevelSetStop stop() const { return stop_; }
  [[nodiscard]] const std::vector<LevelSetCall>& calls() const { return calls_; }
  [[nodiscard]] std::int64_t steps() const { return descent_.steps(); }
  [[nodiscard]] std::int64_t evaluations() const {
    return descent_.rows_seen() + passes_ * problem_.rows.rows();
  }

  void pack(solvers::Packer& packer) const {
    descent_.pack(packer);
    start_.pack(packer);
    last_mean_.pack(packer);
    packer.array(std::span(best_));
    for (const double value : {best_value_, level_, rho_}) packer.number(value);
    packer.array(std::span(calls_));
    packer.number(length_);
    packer.number(doublings_);
    packer.number(passes_);
    packer.number(stop_);
    packer.number(has_improved_);
    packer.number(is_confirming_);
    packer.number(done_);
  }
  /// @throws base::CheckpointError  not a state of such a problem.
  void unpack(solvers::Unpacker& unpacker) {
    descent_.unpack(unpacker);
    start_.unpack(unpacker);
    last_mean_.unpack(unpacker);
    unpack_values(unpacker, best_);
    for (double* value : {&best_value_, &level_, &rho_}) *value = unpacker.number<double>();
    calls_ = unpacker.array<std::vector<LevelSetCall>>();
    length_ = unpacker.number<CallLength>();
    doublings_ = unpacker.number<std::int64_t>();
    passes_ = unpacker.number<std::int64_t>();
    stop_ = unpacker.number<LevelSetStop>();
    has_improved_ = unpacker.number<bool>();
    is_confirming_ = unpacker.number<bool>();
    done_ = unpacker.number<bool>();
  }

 private:
  /// Down to which steps are halved: on a9a, Bank and COMPAS it is short enough.
  static constexpr double fine_step = 0.03;
  static constexpr std::int64_t candidates = 2;  ///< of a call, each a pass over all rows

  static double mean_of(const CellSums& sums, CellSet set) {
    double rows = 0;
    double sum = 0;
    for_each_cell(set, [&](std::size_t c) {
      rows += sums.rows[c];
      sum += sums.sum[c];
    });
    return sum / rows;
  }

  /// Of a call, beside `passes` over all rows and those that end it.
  [[nodiscard]] std::int64_t affordable_steps(std::int64_t passes) const {
    const std::int64_t reserved = (passes + candidates) * problem_.rows.rows();
    const std::int64_t left = options_.evaluations - evaluations() - reserved;
    return left > 0 ? left / options_.descent.batch : 0;
  }

  /// As long as is left to be spent.
  void begin_call() {
    const std::int64_t steps = std::min(length_.steps, affordable_steps(0));
    if (steps < 1) return end(LevelSetStop::evaluations_spent);
    descent_.begin(level_, options_.start == Start::last_mean ? last_mean_ : start_, rho_, start_,
                   {steps, length_.step});
  }

  void end_call() {
    auto [mean, bound] = descent_.finish();
    if (!std::isfinite(bound)) throw std::domain_error("iterates are not finite: shorten `step`");
    calls_.push_back({level_, bound});
    consider(mean.w);
    consider(descent_.iterate().w);
    if (bound <= 0) last_mean_ = std::move(mean);
    if (bound < -options_.tolerance) {
      is_confirming_ = false;
      level_ += bound / (2 * options_.level_step);
    } else {
      const bool can_double = doublings_ < options_.most_doublings;
      const bool is_last = ending_ == Ending::at_once || is_confirming_ || !can_double;
      if (bound <= 0 && is_last) return end(LevelSetStop::converged);
      if (!can_double) return end(LevelSetStop::too_coarse);
      is_confirming_ = bound <= 0;
      take_longer_calls();
    }
    if (std::ssize(calls_) == options_.most_calls) return end(LevelSetStop::calls_spent);
    begin_call();
  }

  void take_longer_calls() {
    ++doublings_;
    length_.steps *= 2;
    if (length_.step > fine_step) length_.step = std::max(length_.step / 2, fine_step);
  }

  /// Of all multiples of a score the best feasible one. Where the quadratic minds that it is
  /// larger, the score itself.
  void consider(const std::vector<double>& w) {
    const double most = problem_.rows.most_factor(w, problem_.radius);
    if (!std::isfinite(most)) return;  // a constant score
    ++passes_;
    const CellSums sums = problem_.rows.sums(w);
    const double best = best_factor(sums, problem_.pairs, problem_.surrogate, problem_.kappa, most);
    consider_multiple(w, sums, best);
    if (rho_ > 0 && best > 1) consider_multiple(w, sums, 1);
  }

  /// @param factor  with which the score is feasible.
  void consider_multiple(std::vector<double> w, const CellSums& sums, double factor) {
    problem_.rows.multiply_scores(w, factor);
    double value = losses_of(scaled(sums, factor), problem_.pairs, problem_.surrogate).objective;
    for (std::size_t j = 0; j < w.size(); ++j) {
      value += rho_ / 2 * (w[j] - start_.w[j]) * (w[j] - start_.w[j]);
    }
    if (!(value < best_value_)) return;
    best_value_ = value;
    best_ = std::move(w);
    has_improved_ = true;
  }

  void end(LevelSetStop why) {
    stop_ = why;
    done_ = true;
  }

  const SurrogateProblem<Scores>& problem_;
  const LevelSetOptions& options_;
  Ending ending_;
  MirrorDescent<Scores> descent_;
  CallLength length_;  ///< of the next call
  Primal start_;
  Primal last_mean_;  ///< of the last call with U <= 0
  std::vector<double> best_;
  double best_value_ = 0;  ///< objective and quadratic of best_
  double level_ = 0;
  double rho_ = 0;
  std::vector<LevelSetCall> calls_;
  std::int64_t doublings_ = 0;
  std::int64_t passes_ = 0;  ///< over all rows
  LevelSetStop stop_ = LevelSetStop::calls_spent;
  bool has_improved_ = false;
  bool is_confirming_ = false;  ///< whether U of half as long a call at this level was within
  bool done_ = true;
};

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
