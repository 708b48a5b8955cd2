#include "solvers/regression/adw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "optimise/linear_program.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::regression {
namespace {

constexpr std::string_view magic = "fairfront adw 1\n";
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

std::vector<double> unpack_values(solvers::Unpacker& unpacker, std::size_t size) {
  auto values = unpacker.array<std::vector<double>>();
  if (values.size() != size) throw base::CheckpointError("a checkpoint is of another game");
  return values;
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

  void pack(solvers::Packer& packer) const {
    packer.number(responses_);
    packer.number(std::ssize(hypotheses_));
    for (const Hypothesis& h : hypotheses_) {
      packer.array(std::span<const double>(h.weights));
      packer.number(h.error);
      packer.number(h.deviation);
      packer.array(std::span<const double>(h.gaps));
    }
  }
  void unpack(solvers::Unpacker& unpacker, std::size_t gaps) {
    responses_ = unpacker.number<std::int64_t>();
    for (auto left = unpacker.number<std::int64_t>(); left > 0; --left) {
      Hypothesis h;
      h.weights = unpacker.array<std::vector<double>>();
      h.error = unpacker.number<double>();
      h.deviation = unpacker.number<double>();
      h.gaps = unpack_values(unpacker, gaps);
      hypotheses_.push_back(std::move(h));
    }
    if (hypotheses_.empty()) throw base::CheckpointError("a checkpoint has no hypothesis");
  }

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

  void pack(solvers::Packer& packer) const { packer.array(std::span<const double>(exponent_)); }
  void unpack(solvers::Unpacker& unpacker) {
    exponent_ = unpack_values(unpacker, exponent_.size());
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

/// A run of the game: what it knows between two rounds is its state.
class Rounds {
 public:
  Rounds(const ThresholdGame& game, const AdwOptions& options, const solvers::Control& control)
      : game_{game},
        options_{options},
        control_{control},
        gaps_{static_cast<std::size_t>(game.thresholds().count * game.groups())},
        bound_{options.multiplier_bound > 0 ? options.multiplier_bound : 1 / options.epsilon},
        play_(game, options.epsilon, bound_),
        multipliers_(gaps_, bound_),
        multiplier_sum_(gaps_, 0.0),
        eta_{options.step / bound_} {}

  AdwResult run() {
    solvers::Heartbeat heart(control_);
    if (control_.resume) {
      restore(*control_.resume);
    } else {
      play_.respond(std::vector<double>(gaps_, 0.0));
    }
    for (; round_ < options_.rounds; ++round_) {
      const auto now =
          heart.ask([&] { return solvers::progress("round", round_, options_.rounds); });
      if (now != solvers::Request::go_on && control_.save) control_.save(pack());
      if (now == solvers::Request::stop) throw solvers::Interrupted();
      if (!play_round()) break;
    }
    return result();
  }

 private:
  /// False when the gap is small enough.
  bool play_round() {
    const std::vector<double> multiplier = multipliers_.signed_values();
    const std::size_t response = play_.respond(multiplier);
    if (round_ == 0) {
      found_.target_gap = options_.accuracy * play_.hypotheses()[response].deviation /
                          std::sqrt(static_cast<double>(game_.rows() * game_.thresholds().count));
    }
    const Candidate average = averaged(multiplier, response);
    least_gap_ = std::min(least_gap_, average.gap);
    if (round_ > 0 && std::ssize(play_.hypotheses()) != hypotheses_mixed_) mix();

    const Candidate& chosen = average.gap < mixed_.gap ? average : mixed_;
    found_.rounds = round_ + 1;
    found_.gap = round_ == 0 ? chosen.gap : std::min(found_.gap, chosen.gap);
    if (chosen.gap <= found_.gap + precision) {  // of equal rounds the last
      best_ = chosen;
      found_.best_round = round_;
    }
    if (chosen.gap < found_.target_gap) return false;
    check_.after(round_, least_gap_, eta_);
    multipliers_.step(play_.hypotheses()[response].gaps, options_.epsilon, eta_);
    return true;
  }

  /// The mean of the plays so far.
  Candidate averaged(std::span<const double> multiplier, std::size_t response) {
    played_.resize(std::max(played_.size(), response + 1), 0.0);
    played_[response] += 1;
    const auto rounds = static_cast<double>(round_ + 1);
    Candidate average{played_};
    std::vector<double> average_multiplier(gaps_);
    for (double& q : average.mixture) q /= rounds;
    for (std::size_t i = 0; i < gaps_; ++i) {
      multiplier_sum_[i] += multiplier[i];
      average_multiplier[i] = multiplier_sum_[i] / rounds;
    }
    average.gap = play_.gap(average.mixture, average_multiplier, found_.target_gap);
    return average;
  }

  /// The best mixture of the hypotheses so far.
  void mix() {
    hypotheses_mixed_ = std::ssize(play_.hypotheses());
    BestMixture found = best_mixture(play_.hypotheses(), options_.epsilon, bound_);
    mixed_.gap = play_.gap(found.mixture, found.multiplier, found_.target_gap);
    mixed_.mixture = std::move(found.mixture);
  }

  AdwResult result() {
    const Costs costs = play_.costs(best_.mixture);
    found_.model = model_of(play_.hypotheses(), best_.mixture, game_.thresholds());
    found_.error = costs.error;
    found_.largest_gap = largest_size(costs.gaps);
    found_.gap = best_.gap;
    found_.converged = best_.gap < found_.target_gap;
    found_.responses = play_.responses();
    found_.hypotheses = std::ssize(play_.hypotheses());
    return std::move(found_);
  }

  [[nodiscard]] std::string pack() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(round_);
    play_.pack(packer);
    multipliers_.pack(packer);
    packer.number(check_);
    packer.array(std::span<const double>(multiplier_sum_));
    packer.array(std::span<const double>(played_));
    for (const Candidate* candidate : {&mixed_, &best_}) {
      packer.array(std::span<const double>(candidate->mixture));
      packer.number(candidate->gap);
    }
    packer.number(hypotheses_mixed_);
    packer.number(eta_);
    packer.number(least_gap_);
    packer.number(found_.target_gap);
    packer.number(found_.gap);
    packer.number(found_.rounds);
    packer.number(found_.best_round);
    return packer.take();
  }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    if (unpacker.raw(magic.size()) != magic) {
      throw base::CheckpointError("a checkpoint is not one of adw");
    }
    round_ = unpacker.number<std::int64_t>();
    play_.unpack(unpacker, gaps_);
    multipliers_.unpack(unpacker);
    check_ = unpacker.number<StepCheck>();
    multiplier_sum_ = unpack_values(unpacker, gaps_);
    const auto weights_of_hypotheses = [&] {
      auto weights = unpacker.array<std::vector<double>>();
      if (weights.size() <= play_.hypotheses().size()) return weights;
      throw base::CheckpointError("a checkpoint has fewer hypotheses than are mixed");
    };
    played_ = weights_of_hypotheses();
    for (Candidate* candidate : {&mixed_, &best_}) {
      candidate->mixture = weights_of_hypotheses();
      candidate->gap = unpacker.number<double>();
    }
    hypotheses_mixed_ = unpacker.number<std::int64_t>();
    eta_ = unpacker.number<double>();
    least_gap_ = unpacker.number<double>();
    found_.target_gap = unpacker.number<double>();
    found_.gap = unpacker.number<double>();
    found_.rounds = unpacker.number<std::int64_t>();
    found_.best_round = unpacker.number<std::int64_t>();
    if (round_ < 0 || round_ >= options_.rounds) {
      throw base::CheckpointError("a checkpoint has more rounds than the run");
    }
    if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint has more than it should");
  }

  const ThresholdGame& game_;
  const AdwOptions& options_;
  const solvers::Control& control_;
  std::size_t gaps_;
  double bound_;
  Play play_;
  Multipliers multipliers_;
  StepCheck check_;
  std::vector<double> multiplier_sum_;
  std::vector<double> played_;  ///< how often, by hypothesis
  Candidate mixed_, best_;
  std::int64_t hypotheses_mixed_ = 0;
  double eta_;
  double least_gap_ = std::numeric_limits<double>::infinity();
  AdwResult found_;
  std::int64_t round_ = 0;
};

}  // namespace

void add_options(base::OptionTable& table, AdwOptions& options) {
  table
      .add("epsilon", options.epsilon, base::between(1e-12, 1e12), "share",
           "P(prediction >= threshold | group) may be this far from P(prediction >= threshold).")
      .add("rounds", options.rounds, base::at_least<std::int64_t>(1), "rounds",
           "There are at most this many rounds of exponentiated gradient.")
      .add("largest_multiplier", options.multiplier_bound, base::between(0.0, 1e12), "",
           "The sum of the multipliers is at most this, the paper's B; 0 stands for 1 / epsilon.")
      .formerly("largest_multiplier", "multiplier_bound")
      .add("step", options.step, base::between(1e-12, 1e12), "",
           "The first step size is this over the paper's B, which is largest_multiplier.")
      .add("accuracy", options.accuracy, base::between(0.0, 1e12), "",
           "The rounds end at a gap below this many standard errors of the weighted error.")
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
    models::add_rounded_score(thresholds, hypotheses[h].weights, mixture[h], features, out);
  }
}

BestMixture best_mixture(std::span<const Hypothesis> hypotheses, double epsilon,
                         double multiplier_bound) {
  // Columns Q and xi. Errors are >= 0 and so is epsilon, so that sum Q >= 1 binds by itself.
  const std::size_t count = hypotheses.size(), gaps = hypotheses.front().gaps.size();
  const std::size_t columns = count + 1, rows = 2 * gaps + 1;
  optimise::LinearProgram program{.rows = static_cast<std::int64_t>(rows),
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
  const optimise::LinearProgramResult found = optimise::solve_linear_program(program);

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
  return Rounds(game, options, control).run();
}

}  // namespace fairfront::regression
