#include "solvers/training/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "models/perceptron.hpp"
#include "optimise/mixture_program.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/training/multiplier_lattice.hpp"

namespace fairfront::training {
namespace {

using base::at;

/// The learner's, to multipliers.
struct Answer {
  std::vector<double> w;  ///< empty: every decision costs the same
  Rates rates;
  std::int64_t evaluations = 0;
};
template <solvers::MaybeConst<Answer> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.w, self.rates.error, self.rates.of_cell, self.evaluations);
}

/// Of a mixture what the next round needs.
struct MixturePrice {
  double value = 0;
  std::vector<double> multipliers;
};
template <solvers::MaybeConst<MixturePrice> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.value, self.multipliers);
}

class Reductions {
 public:
  Reductions(const RateProblem& problem, CostLearner& learner, const ReductionsOptions& options,
             const solvers::Control& control, std::span<const GridClassifier> known)
      : problem_{problem},
        learner_{learner},
        options_{options},
        limit_{options.rate, options.bound_of, options.bound},
        cells_{options.rate, problem.num_groups},
        limits_{inequalities_of(limit_, cells_)},
        known_{known},
        stages_{control, options.search == Search::grid ? "reductions grid 3\n" : "reductions 3\n"},
        rows_of_cell_(at(cells_.size()), 0.0),
        decisions_(at(problem.rows.size())),
        targets_(problem.labels.size(), 1.0),
        weights_(problem.labels.size(), 0.0) {
    count_rows();
    slopes_.assign(limits_.size(), 0.0);
  }

  ReductionsResult run() {
    if (options_.search == Search::grid) {
      answer_grid();
    } else {
      find_mixture();
    }
    finish();
    return std::move(found_);
  }

 private:
  void find_mixture() {
    constexpr std::int64_t most_idle = 10;
    std::int64_t idle = 0;
    double best = std::numeric_limits<double>::infinity();
    add_constant(-1);
    add_constant(1);
    respond(std::vector<double>(limits_.size(), 0.0));
    MixturePrice mixture = price_of_members();
    while (mixture.value - found_.lower > options_.tolerance && found_.rounds < options_.rounds &&
           idle < most_idle) {
      tell_closing(mixture.value - found_.lower);
      const std::vector<double> asked = multipliers();
      follow(best_answer(respond(asked).rates, asked));
      respond(mixture.multipliers);
      mixture = price_of_members();
      idle = mixture.value < best - 0.1 * options_.tolerance ? 0 : idle + 1;
      best = std::min(best, mixture.value);
      ++found_.rounds;
    }
  }

  void answer_grid() {
    const MultiplierLattice lattice(limit_.of, cells_, options_.grid_size, options_.grid_limit);
    for (const auto& point : lattice.points()) {
      tell(solvers::progress("point", found_.rounds, std::ssize(lattice.points())));
      const std::vector<double> multipliers = lattice.multipliers(point, limits_);
      Answer answer = found_.rounds < std::ssize(known_)
                          ? take(answer_of(known_[at(found_.rounds)]), multipliers)
                          : respond(multipliers);
      found_.grid.push_back({costs_by_cell(multipliers), std::move(answer.w),
                             std::move(answer.rates), answer.evaluations});
      start_ = found_.grid.front().w;
      ++found_.rounds;
    }
  }

  void tell(const solvers::Progress& now) const {
    const solvers::Control& control = stages_.control();
    if (control.wanted() == solvers::Request::stop) throw solvers::Interrupted();
    control.tell(now);
  }

  /// Few runs need all their rounds: most end as the duality gap, which falls by about the same
  /// factor in every round, gets to the tolerance.
  void tell_closing(double duality_gap) {
    const double digits = base::log(std::max(duality_gap / options_.tolerance, 1.0));
    most_digits_ = std::max(most_digits_, digits);
    solvers::Progress now = solvers::progress("round", found_.rounds, options_.rounds);
    closed_ = std::max({closed_, now.fraction, 1 - digits / most_digits_});
    now.fraction = closed_;
    tell(now);
  }

  [[nodiscard]] std::size_t row(std::int64_t i) const { return at(problem_.rows.number(i)); }
  [[nodiscard]] std::int64_t cell(std::size_t row) const {
    return cells_.cell_of(problem_.groups[row], problem_.labels[row] > 0);
  }

  void count_rows() {
    for (std::int64_t i = 0; i < problem_.rows.size(); ++i) {
      const std::int64_t k = cell(row(i));
      if (k >= 0) rows_of_cell_[at(k)] += 1;
    }
    for (std::int64_t k = 0; k < cells_.size(); ++k) {
      if (rows_of_cell_[at(k)] > 0) continue;
      const std::string with = cells_.condition(k);
      throw std::invalid_argument(fmt::format("reductions: group {} has no row{}{}",
                                              k % cells_.groups(), with.empty() ? "" : " with ",
                                              with));
    }
  }

  /// lambda_k = B exp(theta_k) / (1 + sum exp(theta)).
  [[nodiscard]] std::vector<double> multipliers() const {
    const double largest = std::max(0.0, std::ranges::max(slopes_));
    std::vector<double> shares(slopes_.size());
    double sum = base::exp(-largest);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      shares[k] = base::exp(slopes_[k] - largest);
      sum += shares[k];
    }
    for (double& share : shares) share *= options_.largest_multiplier / sum;
    return shares;
  }

  void follow(const Rates& answer) {
    for (std::size_t k = 0; k < slopes_.size(); ++k) {
      slopes_[k] += options_.step * limits_[k].excess(answer.of_cell);
    }
  }

  /// Of a rate of 1 in every cell.
  [[nodiscard]] std::vector<double> costs_by_cell(std::span<const double> multipliers) const {
    std::vector<double> of_cell(at(cells_.size()), 0.0);
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      of_cell[limits_[k].a] += limits_[k].larger * multipliers[k];
      of_cell[limits_[k].b] -= limits_[k].smaller * multipliers[k];
    }
    return of_cell;
  }

  /// The costs of decisions as labels and weights of a classification.
  void set_costs(std::span<const double> multipliers) {
    const std::vector<double> of_cell = costs_by_cell(multipliers);
    const auto all = static_cast<double>(problem_.rows.size());
    for (std::int64_t i = 0; i < problem_.rows.size(); ++i) {
      const std::size_t r = row(i);
      const bool positive = problem_.labels[r] > 0;
      const std::int64_t k = cell(r);
      double cost = positive ? -1 : 1;
      if (k >= 0) cost += cells_.slope(positive) * all * of_cell[at(k)] / rows_of_cell_[at(k)];
      targets_[r] = cost < 0 ? 1 : -1;
      weights_[r] = std::abs(cost);
    }
  }

  [[nodiscard]] double lagrangian(const Rates& rates, std::span<const double> multipliers) const {
    double sum = rates.error;
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      sum += multipliers[k] * limits_[k].excess(rates.of_cell);
    }
    return sum;
  }

  /// Keeps a classifier where it is new. It may answer all multipliers asked for so far better than
  /// the learner did: that minimises a surrogate.
  void add(std::vector<double> w, const Rates& rates) {
    const bool known = std::ranges::any_of(found_.rates, [&](const Rates& other) {
      return other.error == rates.error && other.of_cell == rates.of_cell;
    });
    if (known) return;
    found_.members.push_back(std::move(w));
    found_.rates.push_back(rates);
    for (std::size_t t = 0; t < asked_.size(); ++t) {
      least_[t] = std::min(least_[t], lagrangian(rates, asked_[t]));
    }
  }

  /// The same decision for all: of equal rates in all groups, but for rates of errors.
  void add_constant(double score) {
    std::vector<double> w(parameters(), 0.0);
    w.back() = score;
    std::ranges::fill(decisions_, score >= 0 ? 1.0 : 0.0);
    add(std::move(w), rates_of(problem_, cells_, decisions_));
  }

  /// The learner's answer to multipliers, kept where it is new.
  Answer respond(std::span<const double> multipliers) {
    const auto answer = [&](const solvers::Control& within) { return fit(multipliers, within); };
    return take(stages_.next(answer, [this](const Answer& kept) { return is_of_this(kept); }),
                multipliers);
  }
  static Answer answer_of(const GridClassifier& known) {
    return {known.w, known.rates, known.evaluations};
  }
  Answer take(Answer answer, std::span<const double> multipliers) {
    if (answer.w.empty()) return {start_, found_.rates.back(), 0};
    ++found_.fits;
    found_.evaluations += answer.evaluations;
    if (learner_.is_exact() || start_.empty()) start_ = answer.w;
    add(answer.w, answer.rates);
    asked_.emplace_back(multipliers.begin(), multipliers.end());
    least_.push_back(std::numeric_limits<double>::infinity());
    for (const Rates& rates : found_.rates) {
      least_.back() = std::min(least_.back(), lagrangian(rates, multipliers));
    }
    found_.lower = std::ranges::max(least_);
    return answer;
  }

  /// What the gradient follows: of a learner that is not exact, of all classifiers found the one
  /// that costs least.
  [[nodiscard]] const Rates& best_answer(const Rates& answer,
                                         std::span<const double> multipliers) const {
    if (learner_.is_exact()) return answer;
    return *std::ranges::min_element(
        found_.rates, {}, [&](const Rates& rates) { return lagrangian(rates, multipliers); });
  }

  [[nodiscard]] std::size_t parameters() const { return at(learner_.model().parameters()); }

  [[nodiscard]] Answer fit(std::span<const double> multipliers, const solvers::Control& control) {
    set_costs(multipliers);
    if (std::ranges::all_of(weights_, [](double weight) { return weight == 0; })) return {};
    const std::int64_t number = options_.search == Search::grid ? 0 : found_.fits;
    CostFit fitted = learner_.fit({targets_, weights_}, start_, number, control);
    Answer found{std::move(fitted.w), {}, fitted.evaluations + problem_.rows.size()};
    expected_decisions(learner_.model(), problem_.rows, {&found.w, 1}, std::vector<double>{1.0},
                       decisions_);
    found.rates = rates_of(problem_, cells_, decisions_);
    return found;
  }
  [[nodiscard]] bool is_of_this(const Answer& kept) const {
    return kept.w.empty() ||
           (kept.w.size() == parameters() && std::ssize(kept.rates.of_cell) == cells_.size());
  }

  [[nodiscard]] MixturePrice price_of_members() {
    return stages_.next(
        [this] {
          optimise::Mixture best = best_of_members();
          return MixturePrice{best.value, std::move(best.multipliers)};
        },
        [this](const MixturePrice& kept) { return kept.multipliers.size() == limits_.size(); });
  }

  [[nodiscard]] std::vector<double> errors_of_members() const {
    std::vector<double> errors;
    for (const Rates& rates : found_.rates) errors.push_back(rates.error);
    return errors;
  }

  /// Of every inequality by every member, less `more`.
  [[nodiscard]] std::vector<double> excesses_over(double more) const {
    std::vector<double> excesses;
    for (const RateInequality& limit : limits_) {
      for (const Rates& rates : found_.rates) {
        excesses.push_back(limit.excess(rates.of_cell) - more);
      }
    }
    return excesses;
  }

  [[nodiscard]] optimise::Mixture best_of_members() const {
    return optimise::best_mixture(errors_of_members(), excesses_over(0),
                                  options_.largest_multiplier);
  }

  /// The price of a mixture's errors and of its excess.
  [[nodiscard]] double value_of(const optimise::Mixture& mixture) const {
    double error = 0, largest = 0;
    for (std::size_t m = 0; m < found_.rates.size(); ++m) {
      error += mixture.shares[m] * found_.rates[m].error;
    }
    for (const RateInequality& limit : limits_) {
      double excess = 0;
      for (std::size_t m = 0; m < found_.rates.size(); ++m) {
        excess += mixture.shares[m] * limit.excess(found_.rates[m].of_cell);
      }
      largest = std::max(largest, excess);
    }
    return error + options_.largest_multiplier * largest;
  }

  /// Finds the least bound on errors that a mixture of the members keeps. Where it is above the one
  /// asked for, the best mixture within it takes the place of one that pays for its excess.
  [[nodiscard]] optimise::Mixture within_reach(optimise::Mixture mixture) {
    constexpr double rounding = 1e-9, dear = 1e4;
    const std::vector<double> free(found_.rates.size(), 0.0);
    optimise::Mixture least = optimise::best_mixture(free, excesses_over(-limit_.bound), 1);
    found_.least_bound = least.value;
    const double beyond = least.value - limit_.bound;
    if (beyond <= rounding) return mixture;
    mixture = optimise::best_mixture(errors_of_members(), excesses_over(beyond), dear);
    double error = 0;
    for (std::size_t m = 0; m < free.size(); ++m)
      error += mixture.shares[m] * found_.rates[m].error;
    // Where an error of another group is dearer still, the least bound itself.
    if (mixture.value - error > dear * rounding) mixture.shares = std::move(least.shares);
    mixture.value = value_of(mixture);
    return mixture;
  }

  void finish() {
    optimise::Mixture mixture = best_of_members();
    if (limit_.of == BoundOf::worst_group) mixture = within_reach(std::move(mixture));
    found_.shares = mixture.shares;
    expected_decisions(learner_.model(), problem_.rows, found_.members, found_.shares, decisions_);
    const Rates rates = rates_of(problem_, cells_, decisions_);
    found_.error = rates.error;
    found_.gap = largest_gap(cells_, rates.of_cell);
    found_.bounded = bounded_value(limit_.of, cells_, rates.of_cell);
    found_.duality_gap = mixture.value - found_.lower;
    found_.converged = found_.duality_gap <= options_.tolerance;
    const auto place = [&](std::size_t m) {
      const double value = bounded_value(limit_.of, cells_, found_.rates[m].of_cell);
      const double beyond = keeps(limit_, value) ? -1.0 : unfairness(limit_.of, value);
      return std::pair{beyond, found_.rates[m].error};
    };
    for (std::size_t m = 1; m < found_.members.size(); ++m) {
      if (place(m) < place(found_.best)) found_.best = m;
    }
  }

  RateProblem problem_;
  CostLearner& learner_;
  ReductionsOptions options_;
  RateLimit limit_;
  RateCells cells_;
  std::vector<RateInequality> limits_;
  std::span<const GridClassifier> known_;
  solvers::Stages stages_;
  std::vector<double> rows_of_cell_, decisions_, targets_, weights_, start_;
  std::vector<double> slopes_;              ///< theta of the exponentiated gradient
  std::vector<std::vector<double>> asked_;  ///< multipliers that had an answer
  std::vector<double> least_;               ///< Lagrangian of the best classifier for each of them
  double most_digits_ = 0;  ///< of the duality gap, in units of the tolerance: of its logarithm
  double closed_ = 0;       ///< share of them
  ReductionsResult found_;
};

}  // namespace

base::OptionTable options_of(ReductionsOptions& options) {
  base::OptionTable table("reductions");
  table.add_choice<RateKind>(
      "rate", options.rate, rate_names(),
      "These rates of decisions are to be close: those of 1 in each group; in its rows with label "
      "1; in those with label 1 and in those with label 0; in those with label 0; or of wrong "
      "decisions in each group.");
  add_bound_of(table, options.bound_of);
  table.add(
      "bound", options.bound, base::between(0.0, 1.0), "share",
      "It is the bound of the gap, or of what else bound_of names, on the training part: of a "
      "gap 0 and of a ratio 1 ask for equal rates.");
  table.assign_role(base::Role::trade_off, {"bound"});
  table.add(
      "largest_multiplier", options.largest_multiplier, base::between(1e-3, 1e6), "",
      "The sum of the multipliers is at most this, which is what an excess of 1 costs in errors.");
  table.add("step", options.step, base::between(1e-6, 1e6), "",
            "A step of the exponentiated gradient is this long.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(1, 100'000), "",
            "There are at most this many rounds of two fits.");
  table.add("tolerance", options.tolerance, base::between(1e-9, 1.0), "share",
            "The method ends when the duality gap is no larger than this.");
  table.add("l2", options.l2, base::between(0.0, 1e6), "",
            "Half of it times the squared weights, without biases, is added to the learner's mean "
            "loss.");
  table.add("learner_tolerance", options.learner_tolerance, base::between(1e-12, 0.1), "",
            "A fit of a logistic regression ends when no component of the gradient is larger than "
            "this.");
  table.add("learner_step", options.learner_step, base::between(1e-9, 10.0), "",
            "A network's fit takes steps of Adam of this length, which falls to 0 over its second "
            "half.");
  table.add("batch", options.batch, base::between<std::int64_t>(1, 1'000'000), "rows",
            "A step of a network's fit draws this many rows.");
  table.assign_role(base::Role::tuning, {"learner_step", "batch"});
  table.add_choice<Search>(
      "search", options.search, {{"mixture", Search::mixture}, {"grid", Search::grid}},
      "With mixture, the exponentiated gradient looks for the best mixture of classifiers; with "
      "grid, one classifier is fitted for every point of a grid of multipliers, and the best "
      "single one within the bound is chosen among all of them.");
  table.add("grid_size", options.grid_size, base::between<std::int64_t>(1, 10'000), "",
            "The grid has at most this many points, each of one fit; they are in as many equal "
            "steps to every side of 0 as fit into that number.");
  table.add(
      "grid_limit", options.grid_limit, base::between(1e-6, 1e6), "",
      "The sum of the multipliers of a point is at most this, which is what an excess of 1 costs "
      "in errors.");
  return table;
}

Rates rates_of(const RateProblem& problem, const RateCells& cells,
               std::span<const double> decisions) {
  Rates found{.of_cell = std::vector<double>(at(cells.size()), 0.0)};
  std::vector<double> rows(found.of_cell.size(), 0.0);
  for (std::int64_t i = 0; i < problem.rows.size(); ++i) {
    const std::size_t row = at(problem.rows.number(i));
    const bool positive = problem.labels[row] > 0;
    const double decision = decisions[at(i)];
    found.error += positive ? 1 - decision : decision;
    const std::int64_t k = cells.cell_of(problem.groups[row], positive);
    if (k < 0) continue;
    rows[at(k)] += 1;
    found.of_cell[at(k)] += cells.at_zero(positive) + cells.slope(positive) * decision;
  }
  found.error /= static_cast<double>(problem.rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) found.of_cell[k] /= rows[k];
  return found;
}

void expected_decisions(const models::Perceptron& model, const models::Rows& rows,
                        std::span<const std::vector<double>> members,
                        std::span<const double> shares, std::span<double> out) {
  constexpr std::int64_t block = 1024;
  models::Perceptron::Scratch scratch;
  std::vector<double> scores;
  std::ranges::fill(out, 0.0);
  for (std::int64_t first = 0; first < rows.size(); first += block) {
    base::stop_point();
    const models::Rows some = rows.part(first, std::min(block, rows.size() - first));
    const std::span<double> of_some = out.subspan(at(first), at(some.size()));
    scores.resize(of_some.size());
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (shares[m] == 0) continue;
      model.scores(members[m], some, scratch, scores);
      for (std::size_t i = 0; i < scores.size(); ++i) of_some[i] += scores[i] >= 0 ? shares[m] : 0;
    }
  }
}

ReductionsResult reductions(const RateProblem& problem, CostLearner& learner,
                            const ReductionsOptions& options, const solvers::Control& control,
                            std::span<const GridClassifier> known) {
  ReductionsOptions checked = options;
  base::validate(checked);
  require_errors({options.rate, options.bound_of, options.bound}, "reductions");
  require_grid(options, problem.num_groups);
  return Reductions(problem, learner, checked, control, known).run();
}

ReductionsResult reductions(const RateProblem& problem, const ReductionsOptions& options,
                            const solvers::Control& control,
                            std::span<const GridClassifier> known) {
  LogisticLearner learner(problem.rows, options.l2, options.learner_tolerance);
  return reductions(problem, learner, options, control, known);
}

void require_grid(const ReductionsOptions& options, std::int64_t groups) {
  if (options.search != Search::grid) return;
  const std::int64_t least = least_lattice(options.bound_of, {options.rate, groups});
  if (options.grid_size >= least) return;
  throw std::invalid_argument(fmt::format(
      "reductions.grid_size = {} holds no multipliers but 0: for {} groups, one step to every side "
      "takes {} points",
      options.grid_size, groups, least));
}

}  // namespace fairfront::training
