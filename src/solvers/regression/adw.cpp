#include "solvers/regression/adw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "solvers/regression/linear_program.hpp"

namespace fairfront::regression {
namespace {

constexpr double precision = 1e-12;
constexpr std::array response_factors{1.0, 2.0, 5.0, 10.0};
constexpr double first_check = 5, check_factor = 1.6, shrink_gap = 0.8, shrink_step = 0.8;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest_size(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

/// Error and gaps of a mixture.
struct Costs {
  double error = 0;
  std::vector<double> gaps;
};

/// The hypotheses so far, and what is computed from them.
class Play {
 public:
  Play(const ThresholdGame& game, double epsilon, double bound)
      : game_{game}, epsilon_{epsilon}, bound_{bound} {}

  /// The number of the best hypothesis against the multipliers: a new one only if it beats all
  /// others.
  std::size_t respond(std::span<const double> multiplier) {
    base::stop_point();
    Hypothesis response = game_.fit(game_.picks(multiplier));
    ++responses_;
    const auto value = [&](const Hypothesis& h) { return h.error + dot(h.gaps, multiplier); };
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
      if (value(hypotheses_[h]) < least) {
        least = value(hypotheses_[h]);
        best = h;
      }
    }
    if (value(response) < least - precision) {
      hypotheses_.push_back(std::move(response));
      best = hypotheses_.size() - 1;
    }
    return best;
  }

  [[nodiscard]] Costs costs(std::span<const double> mixture) const {
    Costs result;
    result.gaps.assign(hypotheses_.front().gaps.size(), 0.0);
    for (std::size_t h = 0; h < mixture.size(); ++h) {
      if (mixture[h] == 0) continue;
      result.error += mixture[h] * hypotheses_[h].error;
      for (std::size_t i = 0; i < result.gaps.size(); ++i) {
        result.gaps[i] += mixture[h] * hypotheses_[h].gaps[i];
      }
    }
    return result;
  }

  /// How far a mixture and multipliers are from a saddle point.
  double gap(std::span<const double> mixture, std::span<const double> multiplier, double enough) {
    double slack = 0;
    for (const double l : multiplier) slack += epsilon_ * std::abs(l);
    const Costs own = costs(mixture);
    const double value = own.error + dot(own.gaps, multiplier) - slack;
    const double excess = largest_size(own.gaps) - epsilon_;
    const double high = own.error + (excess > 0 ? bound_ * excess : 0.0);
    double low = value, found = high - value;
    std::vector<double> scaled(multiplier.size());
    for (const double factor : response_factors) {
      for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = factor * multiplier[i];
      const Hypothesis& h = hypotheses_[respond(scaled)];
      low = std::min(low, h.error + dot(h.gaps, multiplier) - slack);
      found = std::max(found, value - low);
      if (found > enough + precision) break;
    }
    return found;
  }

  [[nodiscard]] const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
  [[nodiscard]] std::int64_t responses() const { return responses_; }

 private:
  const ThresholdGame& game_;
  double epsilon_, bound_;
  std::vector<Hypothesis> hypotheses_;
  std::int64_t responses_ = 0;
};

/// Exponentiated gradient on the 2 m K multipliers, + and - of every gap.
class Multipliers {
 public:
  Multipliers(std::size_t gaps, double bound) : bound_{bound}, exponent_(2 * gaps, 0.0) {}

  /// lambda+ - lambda-.
  [[nodiscard]] std::vector<double> signed_values() const {
    // Relative to the largest exponent, that of the leftover share, 0, among them.
    const double top = std::max(0.0, *std::ranges::max_element(exponent_));
    double sum = base::exp(-top);
    std::vector<double> result(exponent_.size() / 2);
    for (const double e : exponent_) sum += base::exp(e - top);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double plus = base::exp(exponent_[2 * i] - top);
      const double minus = base::exp(exponent_[2 * i + 1] - top);
      result[i] = bound_ * ((plus - minus) / sum);
    }
    return result;
  }

  void step(std::span<const double> gaps, double epsilon, double eta) {
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      exponent_[2 * i] += eta * (gaps[i] - epsilon);
      exponent_[2 * i + 1] += eta * (-gaps[i] - epsilon);
    }
  }

 private:
  double bound_;
  std::vector<double> exponent_;
};

/// When the step shrinks.
class StepCheck {
 public:
  void after(std::int64_t round, double least_gap, double& eta) {
    if (static_cast<double>(round) < check_factor * last_round_) return;
    if (least_gap > shrink_gap * last_gap_) eta *= shrink_step;
    last_round_ = static_cast<double>(round);
    last_gap_ = least_gap;
  }

 private:
  double last_round_ = first_check;
  double last_gap_ = std::numeric_limits<double>::infinity();
};

/// A mixture and its gap.
struct Candidate {
  std::vector<double> mixture;
  double gap = std::numeric_limits<double>::infinity();
};

AdwModel model_of(const std::vector<Hypothesis>& hypotheses, const std::vector<double>& mixture,
                  const Thresholds& thresholds) {
  AdwModel model{{}, {}, thresholds};
  for (std::size_t h = 0; h < mixture.size(); ++h) {
    if (!(mixture[h] > 0)) continue;
    model.hypotheses.push_back(hypotheses[h]);
    model.mixture.push_back(mixture[h]);
  }
  return model;
}

}  // namespace

void add_options(base::OptionTable& table, AdwOptions& options) {
  table
      .add("epsilon", options.epsilon, base::between(1e-12, 1e12), "share",
           "Allowed size of P(prediction >= threshold | group) - P(prediction >= threshold).")
      .add("rounds", options.rounds, base::at_least<std::int64_t>(1), "rounds",
           "Rounds of exponentiated gradient, at most.")
      .add("multiplier_bound", options.multiplier_bound, base::between(0.0, 1e12), "",
           "Bound B on the sum of the multipliers; 0: 1 / epsilon.")
      .add("step", options.step, base::between(1e-12, 1e12), "", "Initial step size times B.")
      .add("accuracy", options.accuracy, base::between(0.0, 1e12), "",
           "Stop at a gap below this many standard errors of the weighted error.")
      .assign_role(base::Role::trade_off, {"epsilon"})
      .assign_role(base::Role::tuning, {"step"});
}

base::OptionTable options_of(AdwOptions& options) {
  base::OptionTable table("adw");
  add_options(table, options);
  return table;
}

void AdwModel::probabilities(std::span<const double> features, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    const double score = dot(hypotheses[h].weights, features);
    out[static_cast<std::size_t>(thresholds.atom_of(score))] += mixture[h];
  }
}

BestMixture best_mixture(std::span<const Hypothesis> hypotheses, double epsilon,
                         double multiplier_bound) {
  // Columns Q and xi. Errors are >= 0 and so is epsilon, so that sum Q >= 1 binds by itself.
  const std::size_t count = hypotheses.size(), gaps = hypotheses.front().gaps.size();
  const std::size_t columns = count + 1, rows = 2 * gaps + 1;
  LinearProgram program{.rows = static_cast<std::int64_t>(rows),
                        .columns = static_cast<std::int64_t>(columns),
                        .matrix = std::vector<double>(rows * columns, 0.0),
                        .right = std::vector<double>(rows, epsilon),
                        .cost = std::vector<double>(columns)};
  for (std::size_t h = 0; h < count; ++h) {
    program.cost[h] = hypotheses[h].error;
    for (std::size_t i = 0; i < gaps; ++i) {
      program.matrix[2 * i * columns + h] = hypotheses[h].gaps[i];
      program.matrix[(2 * i + 1) * columns + h] = -hypotheses[h].gaps[i];
    }
    program.matrix[2 * gaps * columns + h] = -1;
  }
  for (std::size_t i = 0; i < 2 * gaps; ++i) program.matrix[i * columns + count] = -1;
  program.cost[count] = multiplier_bound;
  program.right[2 * gaps] = -1;
  const LinearProgramResult found = solve(program);

  BestMixture result{{found.x.begin(), found.x.end() - 1}, std::vector<double>(gaps), found.value};
  double sum = 0;
  for (const double q : result.mixture) sum += q;
  for (double& q : result.mixture) q /= sum;
  for (std::size_t i = 0; i < gaps; ++i) {
    result.multiplier[i] = found.multiplier[2 * i] - found.multiplier[2 * i + 1];
  }
  return result;
}

AdwResult adw(const ThresholdGame& game, const AdwOptions& options,
              const solvers::Control& control) {
  base::validate(options);
  const double bound =
      options.multiplier_bound > 0 ? options.multiplier_bound : 1 / options.epsilon;
  const auto gaps = static_cast<std::size_t>(game.thresholds().count * game.groups());
  Play play(game, options.epsilon, bound);
  Multipliers multipliers(gaps, bound);
  StepCheck check;
  std::vector<double> multiplier_sum(gaps, 0.0), played;
  Candidate mixed, best;
  std::size_t hypotheses_mixed = 0;
  double eta = options.step / bound, least_gap = std::numeric_limits<double>::infinity();
  AdwResult result;
  solvers::Heartbeat heartbeat(control);

  play.respond(std::vector<double>(gaps, 0.0));
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    heartbeat.beat([&] { return solvers::progress("round", round, options.rounds); });
    const std::vector<double> multiplier = multipliers.signed_values();
    const std::size_t response = play.respond(multiplier);
    if (round == 0) {
      result.target_gap = options.accuracy * play.hypotheses()[response].deviation /
                          std::sqrt(static_cast<double>(game.rows() * game.thresholds().count));
    }
    played.resize(std::max(played.size(), response + 1), 0.0);
    played[response] += 1;
    const auto rounds = static_cast<double>(round + 1);
    Candidate average{played};
    std::vector<double> average_multiplier(gaps);
    for (double& q : average.mixture) q /= rounds;
    for (std::size_t i = 0; i < gaps; ++i) {
      multiplier_sum[i] += multiplier[i];
      average_multiplier[i] = multiplier_sum[i] / rounds;
    }
    average.gap = play.gap(average.mixture, average_multiplier, result.target_gap);
    least_gap = std::min(least_gap, average.gap);

    if (round > 0 && play.hypotheses().size() != hypotheses_mixed) {
      hypotheses_mixed = play.hypotheses().size();
      BestMixture found = best_mixture(play.hypotheses(), options.epsilon, bound);
      mixed.gap = play.gap(found.mixture, found.multiplier, result.target_gap);
      mixed.mixture = std::move(found.mixture);
    }
    const Candidate& chosen = average.gap < mixed.gap ? average : mixed;
    result.rounds = round + 1;
    result.gap = round == 0 ? chosen.gap : std::min(result.gap, chosen.gap);
    if (chosen.gap <= result.gap + precision) {  // of equal rounds the last
      best = chosen;
      result.best_round = round;
    }
    if (chosen.gap < result.target_gap) break;
    check.after(round, least_gap, eta);
    multipliers.step(play.hypotheses()[response].gaps, options.epsilon, eta);
  }

  const Costs costs = play.costs(best.mixture);
  result.model = model_of(play.hypotheses(), best.mixture, game.thresholds());
  result.error = costs.error;
  result.largest_gap = largest_size(costs.gaps);
  result.gap = best.gap;
  result.converged = best.gap < result.target_gap;
  result.responses = play.responses();
  result.hypotheses = std::ssize(play.hypotheses());
  return result;
}

}  // namespace fairfront::regression
