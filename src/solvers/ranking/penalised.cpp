#include "solvers/ranking/penalised.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"
#include "metrics/sorting.hpp"
#include "models/kernels.hpp"
#include "solvers/ranking/level_search.hpp"
#include "solvers/ranking/row_stream.hpp"

namespace fairfront::ranking {
namespace {

bool is_protected(std::uint8_t cell) { return cell % 2 == 1; }

/// Of the rows of a batch. The spread of the scores may be of any size: a power of 2 near it is the
/// unit of what is squared, which changes no digit.
struct GroupMoments {
  double rows = 0, mean = 0;  ///< of the scores
  double unit = 1;
  double variance = 0;    ///< of the scores, in squared units; 0 where its square would vanish
  double share = 0;       ///< of the protected group
  double covariance = 0;  ///< of score and group, in units
};
/// As a unit; 0 where the scores have no variance, or one that is not a number.
double unit_of(std::span<const double> score) {
  double largest = 0;
  for (const double value : score) largest = std::max(largest, std::abs(value - score[0]));
  constexpr double least = 0x1p-511;  // slopes are as large as this is small
  if (!(largest >= least) || !std::isfinite(largest)) return 0;
  return std::ldexp(1.0, std::ilogb(largest));
}
GroupMoments moments_of(std::span<const double> score, std::span<const std::uint8_t> cells) {
  GroupMoments m{.rows = static_cast<double>(score.size())};
  const double unit = unit_of(score);
  if (unit == 0) return m;
  m.unit = unit;
  // From the first score on, so that equal scores have no variance, not even a rounded one.
  for (std::size_t i = 0; i < score.size(); ++i) {
    m.mean += (score[i] - score[0]) / unit;
    m.share += is_protected(cells[i]) ? 1 : 0;
  }
  m.mean /= m.rows;
  m.share /= m.rows;
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double away = (score[i] - score[0]) / unit - m.mean;
    m.variance += away * away;
    m.covariance += away * ((is_protected(cells[i]) ? 1 : 0) - m.share);
  }
  m.variance /= m.rows;
  m.covariance /= m.rows;
  m.mean = m.mean * unit + score[0];
  return m;
}

bool has_rows(const CellSums& sums, const PairSet& pair) {
  double above = 0;
  double below = 0;
  for_each_cell(pair.above, [&](std::size_t c) { above += sums.rows[c]; });
  for_each_cell(pair.below, [&](std::size_t c) { below += sums.rows[c]; });
  return above > 0 && below > 0;
}

/// A batch with its scores.
struct Batch {
  std::span<const double> score;
  std::span<const std::uint8_t> cells;
  CellSums sums;
};

/// slopes += factor times the gradient of pair loss i.
void add_pair_loss(const Batch& batch, const PairSet& pair, const Surrogate& surrogate,
                   double factor, std::span<double> slopes) {
  const PairLossSlopes of = pair_loss_slopes(batch.sums, pair, surrogate);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const std::size_t c = batch.cells[i];
    slopes[i] += factor * (of.of_score[c] * batch.score[i] + of.constant[c]);
  }
}

/// As models::half_wins(), for many scores.
std::int64_t half_wins_of_many(std::vector<double>& above, std::vector<double>& below) {
  metrics::sort_ascending(above);
  metrics::sort_ascending(below);
  std::int64_t wins = 0;
  auto less = below.begin();
  auto not_above = below.begin();
  for (const double score : above) {
    while (less != below.end() && *less < score) ++less;
    while (not_above != below.end() && *not_above <= score) ++not_above;
    wins += (less - below.begin()) + (not_above - below.begin());
  }
  return wins;
}

class ProxyLagrangian {
 public:
  static constexpr std::string_view magic = "fairfront proxy lagrangian 1";

  ProxyLagrangian(const PairSets& pairs, const Surrogate& surrogate, double level)
      : pairs_{pairs}, surrogate_{surrogate}, level_{level} {}

  void step(const Batch& batch, double length, std::span<double> slopes) {
    if (has_rows(batch.sums, pairs_[0])) add_pair_loss(batch, pairs_[0], surrogate_, 1, slopes);
    // f1 has (G1', G1) and (G2, G2'), f2 both turned round: their sets are the same.
    if (!has_rows(batch.sums, pairs_[1]) || !has_rows(batch.sums, pairs_[2])) return;
    for (std::size_t i = 1; i < pairs_.size(); ++i) {
      add_pair_loss(batch, pairs_[i], surrogate_, multipliers_[row_of_pair(i) - 1], slopes);
    }
    const double difference =
        auc_of(batch.score, batch.cells, pairs_[4]) - auc_of(batch.score, batch.cells, pairs_[2]);
    multipliers_[0] = std::max(0.0, multipliers_[0] + length * (difference - level_));
    multipliers_[1] = std::max(0.0, multipliers_[1] + length * (-difference - level_));
  }

  [[nodiscard]] const std::array<double, 2>& multipliers() const { return multipliers_; }
  void pack(solvers::Packer& packer) const { packer.number(multipliers_); }
  void unpack(solvers::Unpacker& unpacker) {
    multipliers_ = unpacker.number<std::array<double, 2>>();
  }

 private:
  const PairSets& pairs_;
  Surrogate surrogate_;
  double level_;
  std::array<double, 2> multipliers_{};
};

class CorrelationPenalty {
 public:
  static constexpr std::string_view magic = "fairfront correlation penalty 1";

  CorrelationPenalty(const PairSets& pairs, const Surrogate& surrogate, double weight)
      : pairs_{pairs}, surrogate_{surrogate}, weight_{weight} {}

  void step(const Batch& batch, double /*length*/, std::span<double> slopes) const {
    if (has_rows(batch.sums, pairs_[0])) add_pair_loss(batch, pairs_[0], surrogate_, 1, slopes);
    if (weight_ > 0) add_correlation_slopes(batch.score, batch.cells, weight_, slopes);
  }

  void pack(solvers::Packer& /*packer*/) const {}
  void unpack(solvers::Unpacker& /*unpacker*/) {}

 private:
  const PairSets& pairs_;
  Surrogate surrogate_;
  double weight_;
};

/// Projected steps eta_t = c / sqrt(t + 1); Rule::step() adds the slopes of a batch.
template <ScoreRows Scores, class Rule>
class Descent {
 public:
  Descent(const SurrogateProblem<Scores>& problem, const DescentOptions& options,
          std::span<const double> start, base::StreamKey key, Rule& rule)
      : problem_{problem},
        options_{options},
        rule_{rule},
        rows_(problem.rows.cells(), RowOrder::drawn, key),
        w_(start.begin(), start.end()),
        gradient_(w_.size()) {
    if (std::ssize(w_) != problem.rows.parameters()) {
      throw std::invalid_argument("start needs one number for each weight");
    }
    project(w_, problem.radius);
    const auto batch = static_cast<std::size_t>(options.batch);
    score_.resize(batch);
    slopes_.resize(batch);
    cells_.resize(batch);
  }

  /// @return the last iterate
  std::vector<double> run(const solvers::Control& control, const IterateWatch& watch) {
    if (control.resume) restore(*control.resume);
    solvers::Heartbeat heartbeat(control);
    while (step_ < options_.steps) {
      step();
      watch.tell(step_, w_);
      obey(heartbeat.ask([&] { return solvers::progress("step", step_, options_.steps); }), control,
           [&] { return state(); });
    }
    for (const double value : w_) {
      if (!std::isfinite(value)) {
        throw std::domain_error("iterates are not finite: shorten `step`");
      }
    }
    return w_;
  }

 private:
  void step() {
    const auto batch = rows_.next(options_.batch);
    problem_.rows.scores(w_, batch, scratch_, score_);
    const auto cells = problem_.rows.cells();
    CellSums sums;
    for (std::size_t i = 0; i < score_.size(); ++i) {
      cells_[i] = cells[static_cast<std::size_t>(batch[i])];
      sums.add(cells_[i], score_[i]);
    }
    const double length = options_.step / std::sqrt(static_cast<double>(step_ + 1));
    std::ranges::fill(slopes_, 0.0);
    rule_.step({score_, cells_, sums}, length, slopes_);
    std::ranges::fill(gradient_, 0.0);
    problem_.rows.add_gradient(w_, batch, scratch_, slopes_, gradient_);
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] -= length * gradient_[j];
    project(w_, problem_.radius);
    ++step_;
  }

  [[nodiscard]] std::string state() const {
    solvers::Packer packer;
    packer.raw(Rule::magic);
    packer.number(step_);
    packer.array(std::span(w_));
    rows_.pack(packer);
    rule_.pack(packer);
    return packer.take();
  }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker = unpacker_of(state, Rule::magic);
    step_ = unpacker.number<std::int64_t>();
    auto w = unpacker.array<std::vector<double>>();
    if (w.size() != w_.size()) throw base::CheckpointError("a checkpoint has other weights");
    w_ = std::move(w);
    rows_.unpack(unpacker);
    rule_.unpack(unpacker);
  }

  const SurrogateProblem<Scores>& problem_;
  const DescentOptions& options_;
  Rule& rule_;
  RowStream rows_;
  std::vector<double> w_, gradient_, score_, slopes_;
  std::vector<std::uint8_t> cells_;
  typename Scores::Scratch scratch_;
  std::int64_t step_ = 0;
};

void check(const DescentOptions& options) {
  DescentOptions copy = options;
  base::OptionTable table("DescentOptions");
  add_options(table, copy);
  table.check();
}

}  // namespace

double absolute_correlation(std::span<const double> score, std::span<const std::uint8_t> cells) {
  const GroupMoments m = moments_of(score, cells);
  const double product = m.variance * m.share * (1 - m.share);
  return product > 0 ? std::abs(m.covariance) / std::sqrt(product) : 0;
}

void add_correlation_slopes(std::span<const double> score, std::span<const std::uint8_t> cells,
                            double factor, std::span<double> slopes) {
  const GroupMoments m = moments_of(score, cells);
  const double product = m.variance * m.share * (1 - m.share);
  if (!(product > 0)) return;
  // corr = C / sqrt(V q), C and V sums over rows: d corr = dC / sqrt(V q) - corr dV / (2 V).
  const double root = std::sqrt(product);
  const double sign = m.covariance < 0 ? -1 : 1;
  const double of_group = factor * sign / (root * m.rows);
  const double of_score = factor * std::abs(m.covariance) / (root * m.variance * m.rows);
  for (std::size_t i = 0; i < score.size(); ++i) {
    const double group = (is_protected(cells[i]) ? 1 : 0) - m.share;
    slopes[i] += (of_group * group - of_score * ((score[i] - m.mean) / m.unit)) / m.unit;
  }
}

double auc_of(std::span<const double> score, std::span<const std::uint8_t> cells,
              const PairSet& pair) {
  std::vector<double> above;
  std::vector<double> below;
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (contains(pair.above, cells[i])) above.push_back(score[i]);
    if (contains(pair.below, cells[i])) below.push_back(score[i]);
  }
  if (above.empty() || below.empty()) return std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t few = 200;  // measured: comparing all pairs is faster
  const std::int64_t half_wins =
      below.size() <= few ? models::half_wins(above, below) : half_wins_of_many(above, below);
  return static_cast<double>(half_wins) / (2.0 * static_cast<double>(above.size() * below.size()));
}

void add_options(base::OptionTable& table, DescentOptions& options) {
  table.add("step", options.step, base::above(0.0), "",
            "Step t of gradient descent has the length c / sqrt(t + 1), c this number.");
  table.add("steps", options.steps, base::between<std::int64_t>(1, 1'000'000'000), "",
            "Gradient descent takes this many steps.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "A step draws this many rows, with replacement.");
  table.assign_role(base::Role::tuning, {"step"});
}

template <ScoreRows Scores>
ProxyLagrangianResult proxy_lagrangian(const SurrogateProblem<Scores>& problem,
                                       const ProxyLagrangianOptions& options,
                                       std::span<const double> start, std::uint64_t seed,
                                       const std::string& task_key, const solvers::Control& control,
                                       const IterateWatch& watch) {
  check(options.descent);
  check_problem(problem.surrogate, problem.kappa, problem.radius, problem.interval);
  if (!(options.level >= 0 && options.level <= 1)) {
    throw std::invalid_argument("ProxyLagrangianOptions::level must be from 0 to 1");
  }
  ProxyLagrangian rule(problem.pairs, problem.surrogate, options.level);
  Descent<Scores, ProxyLagrangian> descent(problem, options.descent, start,
                                           {seed, task_key, "ranking/rows"}, rule);
  std::vector<double> w = descent.run(control, watch);
  return {std::move(w), rule.multipliers()};
}

template <ScoreRows Scores>
std::vector<double> correlation_penalty(const SurrogateProblem<Scores>& problem,
                                        const CorrelationPenaltyOptions& options,
                                        std::span<const double> start, std::uint64_t seed,
                                        const std::string& task_key,
                                        const solvers::Control& control,
                                        const IterateWatch& watch) {
  check(options.descent);
  check_problem(problem.surrogate, problem.surrogate.infeasible_kappa() + 1, problem.radius,
                problem.interval);
  if (!(options.weight >= 0)) {
    throw std::invalid_argument("CorrelationPenaltyOptions::weight must be >= 0");
  }
  CorrelationPenalty rule(problem.pairs, problem.surrogate, options.weight);
  Descent<Scores, CorrelationPenalty> descent(problem, options.descent, start,
                                              {seed, task_key, "ranking/rows"}, rule);
  return descent.run(control, watch);
}

template ProxyLagrangianResult proxy_lagrangian(const SurrogateProblem<LinearScores>&,
                                                const ProxyLagrangianOptions&,
                                                std::span<const double>, std::uint64_t,
                                                const std::string&, const solvers::Control&,
                                                const IterateWatch&);
template ProxyLagrangianResult proxy_lagrangian(const SurrogateProblem<NetworkScores>&,
                                                const ProxyLagrangianOptions&,
                                                std::span<const double>, std::uint64_t,
                                                const std::string&, const solvers::Control&,
                                                const IterateWatch&);
template std::vector<double> correlation_penalty(const SurrogateProblem<LinearScores>&,
                                                 const CorrelationPenaltyOptions&,
                                                 std::span<const double>, std::uint64_t,
                                                 const std::string&, const solvers::Control&,
                                                 const IterateWatch&);
template std::vector<double> correlation_penalty(const SurrogateProblem<NetworkScores>&,
                                                 const CorrelationPenaltyOptions&,
                                                 std::span<const double>, std::uint64_t,
                                                 const std::string&, const solvers::Control&,
                                                 const IterateWatch&);

}  // namespace fairfront::ranking
