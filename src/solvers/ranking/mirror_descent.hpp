/// @file
/// Algorithm 2 of Y. Yao, Q. Lin, T. Yang (2023): stochastic mirror descent on the saddle-point
/// form of one level.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/ranking/row_stream.hpp"
#include "solvers/ranking/saddle.hpp"
#include "solvers/ranking/score_rows.hpp"

namespace fairfront::ranking {

/// x = (w, a, b).
struct Primal {
  std::vector<double> w;
  PerPair a, b;

  /// Numbers of w, and of pair losses: all 0.
  Primal(std::size_t parameters, std::size_t pairs) : w(parameters), a(pairs), b(pairs) {}

  void pack(solvers::Packer& packer) const {
    for (const auto* values : {&w, &a, &b}) packer.array(std::span(*values));
  }
  /// @throws base::CheckpointError  sizes are not those that they are here.
  void unpack(solvers::Unpacker& unpacker) {
    for (auto* values : {&w, &a, &b}) unpack_values(unpacker, *values);
  }
};

struct MirrorDescentOptions {
  double step = 0.1;            ///< c: eta_t = c / sqrt(t + 1)
  double dual_step = 5;         ///< tau_t = dual_step C eta_t, C = 2 (1 + sqrt(2) I)^2
  std::int64_t steps = 10'000;  ///< T, of each call
  std::int64_t batch = 100;     ///< rows of a step
  RowOrder rows = RowOrder::balanced;
};

/// How long a call of mirror descent is, and its steps.
struct CallLength {
  std::int64_t steps;  ///< T
  double step;         ///< c
};

/// One call after another, on one stream of rows. Steps allocate nothing.
///
/// A call minimises max_y of the saddle plus rho/2 |x - centre|^2, from a start on: steps
/// eta_t = c / sqrt(t + 1) of x, ascent of y. It ends with the mean of all iterates, and an upper
/// bound U of the level's value from the averages of F and G weighted by the dual steps.
template <ScoreRows Scores>
class MirrorDescent {
 public:
  MirrorDescent(const SurrogateProblem<Scores>& problem, const MirrorDescentOptions& options,
                base::StreamKey key)
      : problem_{problem},
        options_{options},
        rows_(problem.rows.cells(), options.rows, key),
        saddle_(problem.pairs, problem.surrogate, problem.rows.rows_of_cell()),
        entropy_{entropy_of(problem.interval)},
        x_(static_cast<std::size_t>(problem.rows.parameters()), problem.pairs.size()),
        sum_{x_},
        centre_{x_},
        dual_(problem.interval, problem.surrogate.scale, problem.pairs.size()),
        averages_(problem.pairs.size()),
        values_(problem.pairs.size()),
        slopes_(problem.pairs.size()),
        score_(static_cast<std::size_t>(options.batch)),
        gradient_(static_cast<std::size_t>(problem.rows.parameters())) {
    std::ranges::fill(saddle_.target, 1 + problem.kappa);
    saddle_.target[0] = 0;
  }

  /// @param level  r. @param rho  >= 0. @param centre  where rho/2 |x - centre|^2 is 0.
  void begin(double level, const Primal& start, double rho, const Primal& centre,
             const CallLength& length) {
    length_ = length;
    saddle_.target[0] = level;
    x_ = start;
    centre_ = centre;
    rho_ = rho;
    dual_ = DualPoint(problem_.interval, problem_.surrogate.scale, problem_.pairs.size());
    for (auto* values : {&sum_.w, &sum_.a, &sum_.b, &averages_.f, &averages_.g}) {
      std::ranges::fill(*values, 0.0);
    }
    proximity_ = weights_ = 0;
    step_ = 0;
  }

  [[nodiscard]] bool done() const { return step_ == length_.steps; }
  [[nodiscard]] const Primal& iterate() const { return x_; }
  [[nodiscard]] std::int64_t steps() const { return all_steps_; }      ///< of all calls
  [[nodiscard]] std::int64_t rows_seen() const { return rows_seen_; }  ///< of all steps

  void step() {
    for (std::size_t j = 0; j < x_.w.size(); ++j) sum_.w[j] += x_.w[j];
    for (std::size_t i = 0; i < x_.a.size(); ++i) {
      sum_.a[i] += x_.a[i];
      sum_.b[i] += x_.b[i];
    }
    const double length = length_.step / std::sqrt(static_cast<double>(step_ + 1));
    const double dual_length = options_.dual_step * entropy_ * length;
    if (rho_ > 0) proximity_ += dual_length * rho_ / 2 * squared_distance();
    descend(length, dual_length);
    for (std::size_t j = 0; j < values_.f.size(); ++j) {
      averages_.f[j] += dual_length * values_.f[j];
    }
    for (std::size_t i = 0; i < values_.g.size(); ++i) {
      averages_.g[i] += dual_length * values_.g[i];
    }
    weights_ += dual_length;
    ++step_;
    ++all_steps_;
  }

  struct Outcome {
    Primal mean;
    double upper_bound;  ///< U(r)
  };
  /// After the last step of a call.
  [[nodiscard]] Outcome finish() const {
    const auto count = static_cast<double>(length_.steps);
    Outcome outcome{sum_, 0};
    for (double& value : outcome.mean.w) value /= count;
    for (double& value : outcome.mean.a) value /= count;
    for (double& value : outcome.mean.b) value /= count;
    Saddle::Values averages = averages_;
    for (double& value : averages.f) value /= weights_;
    for (double& value : averages.g) value /= weights_;
    outcome.upper_bound =
        largest_over_duals(averages, problem_.interval, problem_.surrogate.scale) +
        proximity_ / weights_;
    return outcome;
  }

  void pack(solvers::Packer& packer) const {
    rows_.pack(packer);
    x_.pack(packer);
    sum_.pack(packer);
    centre_.pack(packer);
    dual_.pack(packer);
    packer.array(std::span(averages_.f));
    packer.array(std::span(averages_.g));
    packer.number(seen_);
    for (const double value : {saddle_.target[0], rho_, proximity_, weights_}) {
      packer.number(value);
    }
    packer.number(length_);
    packer.number(step_);
    packer.number(all_steps_);
    packer.number(rows_seen_);
  }
  /// @throws base::CheckpointError  not a state of such a problem.
  void unpack(solvers::Unpacker& unpacker) {
    rows_.unpack(unpacker);
    x_.unpack(unpacker);
    sum_.unpack(unpacker);
    centre_.unpack(unpacker);
    dual_.unpack(unpacker);
    unpack_values(unpacker, averages_.f);
    unpack_values(unpacker, averages_.g);
    seen_ = unpacker.number<CellCounts>();
    for (double* value : {&saddle_.target[0], &rho_, &proximity_, &weights_}) {
      *value = unpacker.number<double>();
    }
    length_ = unpacker.number<CallLength>();
    step_ = unpacker.number<std::int64_t>();
    all_steps_ = unpacker.number<std::int64_t>();
    rows_seen_ = unpacker.number<std::int64_t>();
    if (step_ < 0 || step_ > length_.steps) {
      throw base::CheckpointError("a checkpoint has more steps than a call");
    }
  }

 private:
  using CellCounts = std::array<double, max_cells>;

  /// C of the paper.
  static double entropy_of(double interval) {
    const double root = 1 + std::numbers::sqrt2 * interval;
    return 2 * root * root;
  }

  [[nodiscard]] double squared_distance() const {
    double sum = 0;
    const auto add = [&](double difference) { sum += difference * difference; };
    for (std::size_t j = 0; j < x_.w.size(); ++j) add(x_.w[j] - centre_.w[j]);
    for (std::size_t i = 0; i < x_.a.size(); ++i) {
      add(x_.a[i] - centre_.a[i]);
      add(x_.b[i] - centre_.b[i]);
    }
    return sum;
  }

  /// argmin over v of slope v + rho/2 (v - centre)^2 + (v - value)^2 / (2 length)
  [[nodiscard]] double moved(double value, double slope, double centre, double length) const {
    if (rho_ == 0) return value - length * slope;
    return (value + length * (rho_ * centre - slope)) / (1 + length * rho_);
  }

  /// Rows of the batch, scores in score_. Online the shares follow what has come so far.
  CellSums score(std::span<const std::int64_t> batch) {
    const auto cells = problem_.rows.cells();
    score_.resize(batch.size());
    problem_.rows.scores(x_.w, batch, scratch_, score_);
    CellSums sums;
    for (std::size_t i = 0; i < score_.size(); ++i) {
      sums.add(cells[static_cast<std::size_t>(batch[i])], score_[i]);
    }
    rows_seen_ += std::ssize(batch);
    for_each_cell(saddle_.all, [&](std::size_t c) {
      for (auto* of_cells : {&sums.rows, &sums.sum, &sums.squares}) {
        (*of_cells)[c] *= rows_.weights()[c];
      }
    });
    if (rows_.is_online()) {
      for_each_cell(saddle_.all, [&](std::size_t c) { seen_[c] += sums.rows[c]; });
      saddle_.set_shares(seen_);
    }
    return sums;
  }

  /// One step of x and y, both from where they were; values_ are the batch's F and G at the old x.
  void descend(double length, double dual_length) {
    const auto batch = rows_.next(options_.batch);
    const CellSums sums = score(batch);
    saddle_.evaluate(sums, x_.a, x_.b, values_);
    saddle_.differentiate(sums, x_.a, x_.b, dual_.y(), dual_.alpha(), slopes_);
    const auto cells = problem_.rows.cells();
    for (std::size_t i = 0; i < score_.size(); ++i) {
      const std::size_t cell = cells[static_cast<std::size_t>(batch[i])];
      score_[i] =
          rows_.weights()[cell] * (slopes_.of_score[cell] * score_[i] + slopes_.constant[cell]);
    }
    std::ranges::fill(gradient_, 0.0);
    problem_.rows.add_gradient(x_.w, batch, scratch_, score_, gradient_);
    for (std::size_t j = 0; j < x_.w.size(); ++j) {
      x_.w[j] = moved(x_.w[j], gradient_[j], centre_.w[j], length);
    }
    project(x_.w, problem_.radius);
    const double interval = problem_.interval;
    for (std::size_t i = 0; i < x_.a.size(); ++i) {
      x_.a[i] = std::clamp(moved(x_.a[i], slopes_.a[i], centre_.a[i], length), -interval, interval);
      x_.b[i] = std::clamp(moved(x_.b[i], slopes_.b[i], centre_.b[i], length), -interval, interval);
    }
    dual_.ascend(values_, dual_length, entropy_);
  }

  const SurrogateProblem<Scores>& problem_;
  const MirrorDescentOptions& options_;
  RowStream rows_;
  Saddle saddle_;
  double entropy_;  ///< C
  Primal x_, sum_, centre_;
  DualPoint dual_;
  Saddle::Values averages_;
  Saddle::Values values_;
  Saddle::Slopes slopes_;
  CellCounts seen_{};  ///< rows of each cell, online
  double rho_ = 0;
  double proximity_ = 0;  ///< weighted sum of rho/2 |x - centre|^2
  double weights_ = 0;
  CallLength length_{};
  std::int64_t step_ = 0;  ///< of the present call
  std::int64_t all_steps_ = 0;
  std::int64_t rows_seen_ = 0;
  typename Scores::Scratch scratch_;
  std::vector<double> score_;
  std::vector<double> gradient_;
};

}  // namespace fairfront::ranking
