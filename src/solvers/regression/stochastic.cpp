#include "solvers/regression/stochastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/condition.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

namespace fairfront::regression {
namespace {

constexpr std::string_view magic = "fairfront stochastic dual 1\n";

struct Constants {
  double smoothness;        ///< M
  double strong_convexity;  ///< mu
  std::int64_t stages;      ///< J of SGD3; 1 for the others
  std::int64_t stage;       ///< steps of one call of AC-SA, or of SGD
  std::int64_t calls;       ///< of it in a stage
};

bool is_sgd(Optimiser optimiser) {
  return optimiser == Optimiser::sgd || optimiser == Optimiser::averaged_sgd;
}
bool is_staged(Optimiser optimiser) {
  return optimiser == Optimiser::sgd3_ac_sa || optimiser == Optimiser::sgd3_ac_sa2;
}
bool is_restarted(Optimiser optimiser) {
  return optimiser == Optimiser::ac_sa2 || optimiser == Optimiser::sgd3_ac_sa2;
}

Constants constants_of(const DualProblem& problem, const StochasticOptions& options) {
  if (options.steps < 1) throw std::invalid_argument("StochasticOptions::steps must be >= 1");
  if (!(options.strong_convexity >= 0)) {
    throw std::invalid_argument("StochasticOptions::strong_convexity must be >= 0");
  }
  const bool authors = options.rules == Rules::authors;
  const double variance = gradient_variance(problem.rows().shares);
  const double beta = problem.prediction().beta();
  const double smoothness = 2 * beta * variance;
  if (!(smoothness > 0)) {
    throw std::invalid_argument("a stochastic optimiser needs at least two groups");
  }
  double mu = authors ? smoothness / static_cast<double>(options.steps) : 2 * variance / beta;
  if (options.strong_convexity > 0) mu = options.strong_convexity;
  Constants constants{smoothness, mu, 1, options.steps, 1};
  if (is_staged(options.optimiser)) {
    const double ratio = authors ? (smoothness + mu) / mu : smoothness / mu;
    constants.stages = ratio < 2 ? 0 : static_cast<std::int64_t>(std::floor(base::log2(ratio)));
    if (constants.stages < 1) {
      throw std::invalid_argument(
          fmt::format("SGD3 has no stage where its strong convexity, {:.3g}, is above half of the "
                      "smoothness 2 beta sigma^2 = {:.3g}",
                      mu, smoothness));
    }
    constants.stage = options.steps / constants.stages;
  }
  if (is_restarted(options.optimiser)) {
    constants.calls = 2;
    if (!authors) constants.stage /= 2;
  }
  if (constants.stage < 1) {
    throw std::invalid_argument(
        fmt::format("steps = {} are too few: less than one for each call of AC-SA", options.steps));
  }
  return constants;
}

/// The state of a run: iterates, and a sum of quadratic terms that SGD3 adds to F.
class Chain {
 public:
  Chain(const DualProblem& problem, const StochasticOptions& options, base::StreamKey key,
        const solvers::Control& control, const Watch& watch)
      : problem_{problem},
        constants_{constants_of(problem, options)},
        optimiser_{options.optimiser},
        authors_{options.rules == Rules::authors},
        stream_{key, 0},
        control_{control},
        heart_{control},
        watch_{watch},
        w_(static_cast<std::size_t>(problem.size()), 0.0),
        average_(w_.size(), 0.0),
        middle_(w_.size(), 0.0),
        pull_(w_.size(), 0.0),
        shown_(w_.size(), 0.0),
        pi_(static_cast<std::size_t>(problem.atoms())) {}

  StochasticResult run() && {
    if (control_.resume) restore(*control_.resume);
    look();
    if (is_sgd(optimiser_)) {
      sgd();
    } else if (is_staged(optimiser_)) {
      sgd3();
    } else {
      for (std::int64_t call = 0; call < constants_.calls; ++call) {
        ac_sa(constants_.strong_convexity, constants_.smoothness);
      }
    }
    const bool sum = optimiser_ == Optimiser::averaged_sgd;
    std::vector<double> result = sum ? average_ : w_;
    if (sum) {
      for (double& value : result) value /= static_cast<double>(done_);
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(result, finite)) {
      throw std::domain_error("the multipliers of the dual are not finite");
    }
    return {std::move(result), done_, constants_.smoothness};
  }

 private:
  [[nodiscard]] std::int64_t total() const {
    return constants_.stages * constants_.calls * constants_.stage;
  }

  /// After every step, and before the first.
  void look() {
    if (next_ == watch_.counts.size() || done_ < watch_.counts[next_]) return;
    while (next_ < watch_.counts.size() && watch_.counts[next_] <= done_) ++next_;
    switch (optimiser_) {
      case Optimiser::sgd:
        return watch_.look(done_, w_);
      case Optimiser::averaged_sgd:
        for (std::size_t i = 0; i < w_.size(); ++i) {
          shown_[i] = done_ == 0 ? 0 : average_[i] / static_cast<double>(done_);
        }
        return watch_.look(done_, shown_);
      default:
        return watch_.look(done_, average_);
    }
  }

  /// Before every step, when what comes before it is done: a state is saved nowhere else.
  void begin_step() {
    const auto now = heart_.ask([&] { return solvers::progress("gradient", done_, total()); });
    if (now != solvers::Request::go_on && control_.save) control_.save(pack());
    if (now == solvers::Request::stop) throw solvers::Interrupted();
  }

  void finish_step() {
    ++done_;
    look();
  }

  [[nodiscard]] std::string pack() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(done_);
    packer.number(stream_);
    packer.number(weight_);
    for (const auto* values : {&w_, &average_, &pull_}) {
      packer.array(std::span<const double>(*values));
    }
    if (watch_.pack) watch_.pack(packer);
    return packer.take();
  }

  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    if (unpacker.raw(magic.size()) != magic) {
      throw base::CheckpointError("a checkpoint is not one of a stochastic dual");
    }
    done_ = unpacker.number<std::int64_t>();
    std::memcpy(&stream_, unpacker.raw(sizeof stream_).data(), sizeof stream_);
    weight_ = unpacker.number<double>();
    for (auto* values : {&w_, &average_, &pull_}) {
      auto saved = unpacker.array<std::vector<double>>();
      if (saved.size() != values->size()) {
        throw base::CheckpointError("a checkpoint has another number of multipliers");
      }
      *values = std::move(saved);
    }
    if (done_ < 0 || done_ >= total()) {
      throw base::CheckpointError("a checkpoint has more gradients than the run");
    }
    if (watch_.unpack) watch_.unpack(unpacker);
    if (!unpacker.at_end()) throw base::CheckpointError("a checkpoint has more than it should");
    while (next_ < watch_.counts.size() && watch_.counts[next_] <= done_) ++next_;
    resumed_at_ = done_;
  }

  std::int64_t draw() {
    return static_cast<std::int64_t>(
        stream_.below(static_cast<std::uint32_t>(problem_.rows().rows())));
  }

  /// pi of a row, given d through set(s, l) = lambda_sl - nu_sl.
  template <class Difference>
  void predict(std::int64_t row, Difference&& difference) {
    const auto atoms = problem_.prediction().atoms();
    const double eta = problem_.rows().eta[static_cast<std::size_t>(row)];
    const auto tilt = problem_.rows().tilts(row);
    double* const __restrict z = pi_.data();
    const double* const __restrict q = atoms.data();
    for (std::size_t l = 0; l < pi_.size(); ++l) {
      const double error = eta - q[l];
      z[l] = -(error * error);
    }
    for (std::size_t s = 0; s < tilt.size(); ++s) difference(s, tilt[s], z);
    soft_maximum(problem_.prediction().beta(), pi_);
  }

  void sgd() {
    const double step = 1 / constants_.smoothness;
    const std::size_t n = pi_.size();
    const std::size_t half = w_.size() / 2;
    while (done_ < constants_.stage) {
      begin_step();
      const std::int64_t row = draw();
      predict(row, [&](std::size_t s, double tilt, double* __restrict z) {
        const double* const __restrict lambda = w_.data() + s * n;
        const double* const __restrict nu = lambda + half;
        for (std::size_t l = 0; l < n; ++l) z[l] += tilt * (lambda[l] - nu[l]);
      });
      const auto tilts = problem_.rows().tilts(row);
      for (std::size_t s = 0; s < tilts.size(); ++s) {
        const double slack = step * problem_.epsilon()[s];
        const double tilt = step * tilts[s];
        const double* const __restrict pi = pi_.data();
        double* const __restrict lambda = w_.data() + s * n;
        double* const __restrict nu = lambda + half;
        for (std::size_t l = 0; l < n; ++l) {
          const double move = tilt * pi[l];
          lambda[l] = positive(lambda[l] - (slack + move));
          nu[l] = positive(nu[l] - (slack - move));
        }
      }
      if (optimiser_ == Optimiser::averaged_sgd) {
        for (std::size_t i = 0; i < w_.size(); ++i) average_[i] += w_[i];
      }
      finish_step();
    }
  }

  /// max(0, x), in the order that makes an instruction of it.
  static double positive(double x) { return x > 0 ? x : 0.0; }

  /// The factors of one step of AC-SA.
  struct Factors {
    double middle_average, middle_w;   ///< of w_md
    double w_middle, w_w, w_gradient;  ///< of w
    double average_w;                  ///< alpha
  };
  [[nodiscard]] Factors factors(std::int64_t t, double mu, double smoothness) const {
    const auto count = static_cast<double>(t);
    const double alpha = authors_ ? 2 / count : 2 / (count + 1);
    const double gamma = 4 * smoothness / (count * (count + 1));
    const double rest = 1 - alpha;
    const double denominator = gamma + (1 - alpha * alpha) * mu;
    const double moved = rest * mu + gamma;
    return {rest * (mu + gamma) / denominator,
            alpha * moved / denominator,
            alpha * mu / (mu + gamma),
            moved / (mu + gamma),
            alpha / (mu + gamma),
            alpha};
  }

  /// Algorithm 2 from w_, on F and the quadratic terms; its result is w_ and average_.
  void ac_sa(double mu, double smoothness) {
    const std::int64_t first = constants_.stage * calls_++;
    if (first + constants_.stage <= resumed_at_) return;  // the state is from behind this call
    if (first > resumed_at_) average_ = w_;
    while (done_ < first + constants_.stage) {
      begin_step();
      const Factors f = factors(done_ - first + 1, mu, smoothness);
      const std::int64_t row = draw();
      predict_middle(row, f);
      if (weight_ > 0) {
        advance<true>(row, f);
      } else {
        advance<false>(row, f);
      }
      finish_step();
    }
    w_ = average_;
  }

  void predict_middle(std::int64_t row, const Factors& f) {
    const std::size_t n = pi_.size();
    const std::size_t half = w_.size() / 2;
    predict(row, [&](std::size_t s, double tilt, double* __restrict z) {
      const double* const __restrict w = w_.data() + s * n;
      const double* const __restrict average = average_.data() + s * n;
      double* const __restrict middle = middle_.data() + s * n;
      for (std::size_t l = 0; l < n; ++l) {
        const double lambda = f.middle_average * average[l] + f.middle_w * w[l];
        const double nu = f.middle_average * average[half + l] + f.middle_w * w[half + l];
        middle[l] = lambda;
        middle[half + l] = nu;
        z[l] += tilt * (lambda - nu);
      }
    });
  }

  template <bool pulled>
  void advance(std::int64_t row, const Factors& f) {
    const std::size_t n = pi_.size();
    const std::size_t half = w_.size() / 2;
    const auto tilts = problem_.rows().tilts(row);
    const double rest = 1 - f.average_w;
    // The gradient of the quadratic terms at w_md is weight_ w_md - pull_.
    const double of_middle = f.w_middle - (pulled ? f.w_gradient * weight_ : 0.0);
    const auto move = [&](std::size_t first, double slack, double tilt) {
      const double* const __restrict pi = pi_.data();
      const double* const __restrict middle = middle_.data() + first;
      const double* const __restrict pull = pull_.data() + first;
      double* const __restrict w = w_.data() + first;
      double* const __restrict average = average_.data() + first;
      for (std::size_t l = 0; l < n; ++l) {
        double next = of_middle * middle[l] + f.w_w * w[l] - (slack + tilt * pi[l]);
        if constexpr (pulled) next += f.w_gradient * pull[l];
        next = positive(next);
        w[l] = next;
        average[l] = f.average_w * next + rest * average[l];
      }
    };
    for (std::size_t s = 0; s < tilts.size(); ++s) {
      const double slack = f.w_gradient * problem_.epsilon()[s];
      const double tilt = f.w_gradient * tilts[s];
      move(s * n, slack, tilt);
      move(half + s * n, slack, -tilt);
    }
  }

  /// Algorithm 4.
  void sgd3() {
    const double mu = constants_.strong_convexity;
    const double smoothness = (authors_ ? 1 : 2) * (constants_.smoothness + mu);
    if (!authors_ && resumed_at_ < 0) add_quadratic(mu);
    double stage_mu = mu;
    const std::int64_t steps = constants_.calls * constants_.stage;
    for (std::int64_t j = 0; j < constants_.stages; ++j) {
      if (authors_ && j * steps > resumed_at_) std::ranges::fill(w_, 0.0);
      for (std::int64_t call = 0; call < constants_.calls; ++call) ac_sa(stage_mu, smoothness);
      stage_mu *= 2;
      if ((j + 1) * steps > resumed_at_) add_quadratic(stage_mu);
    }
  }

  /// mu / 2 |w - w_|^2 of the present w_ becomes part of the objective.
  void add_quadratic(double mu) {
    weight_ += mu;
    for (std::size_t i = 0; i < w_.size(); ++i) pull_[i] += mu * w_[i];
  }

  const DualProblem& problem_;
  Constants constants_;
  Optimiser optimiser_;
  bool authors_;
  base::Stream stream_;
  const solvers::Control& control_;
  solvers::Heartbeat heart_;
  const Watch& watch_;
  std::vector<double> w_;
  std::vector<double> average_;  ///< w_ag; of averaged_sgd the sum of the iterates
  std::vector<double> middle_;   ///< w_md
  std::vector<double> pull_;     ///< sum of mu_k w_k of the quadratic terms
  double weight_ = 0;            ///< sum of mu_k
  std::vector<double> shown_;
  std::vector<double> pi_;
  std::int64_t done_ = 0;
  std::int64_t calls_ = 0;        ///< of AC-SA, that have begun
  std::int64_t resumed_at_ = -1;  ///< gradients of the state that the run goes on from
  std::size_t next_ = 0;          ///< of the watch's counts
};

}  // namespace

void add_options(base::OptionTable& table, StochasticOptions& options) {
  table.add_choice<Optimiser>(
      "optimiser", options.optimiser,
      {{"sgd", Optimiser::sgd},
       {"averaged_sgd", Optimiser::averaged_sgd},
       {"ac_sa", Optimiser::ac_sa},
       {"ac_sa2", Optimiser::ac_sa2},
       {"sgd3_ac_sa", Optimiser::sgd3_ac_sa},
       {"sgd3_ac_sa2", Optimiser::sgd3_ac_sa2}},
      "The dual is solved by projected stochastic gradient steps of size 1/M (last iterate or "
      "average), AC-SA, AC-SA restarted halfway (AC-SA^2), or SGD3 around one of the two.");
  table.add_choice<Rules>("rules", options.rules,
                          {{"paper", Rules::paper}, {"authors", Rules::authors}},
                          "With paper, constants and the start of stages are as in the paper's "
                          "text; with authors, as in their program.");
  table.add("steps", options.steps, base::between<std::int64_t>(1, 1'000'000'000'000), "gradients",
            "This many stochastic gradients of one row each are drawn, the paper's T; AC-SA^2 by "
            "the authors' rules draws twice as many.");
  table.add(
      "strong_convexity", options.strong_convexity, base::between(0.0, 1e12), "",
      "The optimiser is told this strong convexity, the paper's mu; 0 stands for 2 sigma^2 / beta, "
      "or M / T by the authors' rules, M = 2 beta sigma^2, sigma^2 = sum of (1 - p) / p.");
  table.assign_role(base::Role::tuning, {"strong_convexity"});
  table.only_if({"rules", "strong_convexity"}, base::is_not("optimiser", {"sgd", "averaged_sgd"}),
                "optimiser = {} takes its steps without them");
}

std::int64_t gradients_of(const DualProblem& problem, const StochasticOptions& options) {
  const Constants constants = constants_of(problem, options);
  return constants.stages * constants.calls * constants.stage;
}

StochasticResult stochastic_dual(const DualProblem& problem, const StochasticOptions& options,
                                 std::uint64_t seed, const std::string& task_key,
                                 const solvers::Control& control, const Watch& watch) {
  if (problem.rows().rows() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("stochastic_dual: more than 2^32 - 1 rows");
  }
  return Chain(problem, options, base::StreamKey(seed, task_key, "regression/rows"), control, watch)
      .run();
}

}  // namespace fairfront::regression
