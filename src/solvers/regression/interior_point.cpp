#include "solvers/regression/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/decomposition.hpp"
#include "solvers/common/eigen_state.hpp"
#include "solvers/regression/bounded_system.hpp"
#include "solvers/regression/free_tilts.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Table = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double least_ridge = 1e-16;  ///< relative to each coordinate's curvature
constexpr double ridge_factor = 10;
constexpr double most_ridge = 1e-2;
constexpr double closest_to_bounds = 0.9995;  ///< share of the way there that a step goes
constexpr double shortest_step = 1e-8;        ///< with which nothing is gained any more
constexpr double feasible = 1e-8;             ///< of gaps and sums of probabilities
constexpr double far_from_best = 1e3;         ///< where rounding has taken over
constexpr std::int64_t patience = 4;          ///< steps without a better point
constexpr double binding = 0.05;              ///< share of a bound that is left
constexpr double rounding_of_means = 1e-12;   ///< of tilts
constexpr int repair_rounds = 3;              ///< after which rounding is what is left
constexpr double repair_ridge = 1e-14;        ///< relative to each coordinate's curvature
constexpr double least_slack = 1e-13;         ///< of a bound, at the beginning
constexpr double vanishing = 1e-300;
constexpr double least_of_temperature = 0.1;  ///< reduced costs where an entropy comes in

std::span<const double> flat(const Table& table) {
  return {table.data(), static_cast<std::size_t>(table.size())};
}

/// What the linear systems of a run have answered: with that the same steps are made again without
/// the dear part of them.
struct SystemAnswer {
  Vector v, c;  ///< of a direction
};
struct StepAnswers {
  bool solvable = false;
  std::vector<SystemAnswer> directions;  ///< predictor and corrector, where there is a solution
  double centre = 0;                     ///< what products should become
  double primal = 0, dual = 0;           ///< lengths
};
struct RunAnswers {
  std::vector<StepAnswers> steps;
  std::vector<Vector> repairs;
};
template <solvers::MaybeConst<SystemAnswer> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.v, self.c);
}
template <solvers::MaybeConst<StepAnswers> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.solvable, self.directions, self.centre, self.primal, self.dual);
}
template <solvers::MaybeConst<RunAnswers> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.steps, self.repairs);
}

constexpr std::string_view name_of_interior = "interior point 1\n";

}  // namespace

/// What is kept above 0, and what moves with it; of every bound a slack and a multiplier on either
/// side. Without bounds, where gaps are 0, there are none of these.
struct InteriorState {
  Table pi, reduced;          ///< shape (N, n); reduced costs
  Vector row;                 ///< of each row's sum, shape (N,)
  Vector v;                   ///< shape (size,)
  Vector c;                   ///< v in the coordinates of the free tilts
  Vector below, above;        ///< slack of gap >= -weight, of gap <= weight
  Vector of_below, of_above;  ///< multipliers: v = of_below - of_above
};

class InteriorSolver {
 public:
  /// Without bounds: all gaps are 0.
  explicit InteriorSolver(const ParityDual& smooth)
      : dual_{smooth},
        smooth_{smooth},
        count_{smooth.rows().rows()},
        atoms_{smooth.grid().atoms()},
        scores_(count_, atoms_) {
    begin();
  }
  /// @param free    of the dual.
  /// @param smooth  the dual of the free tilts: scores are computed of c, as <u, t> with the u of
  ///                many groups is large numbers that cancel.
  InteriorSolver(const ParityDual& dual, const FreeTilts& free, const ParityDual& smooth)
      : dual_{dual},
        smooth_{smooth},
        count_{dual.rows().rows()},
        atoms_{dual.grid().atoms()},
        to_free_{free.to_free},
        to_groups_{free.to_groups},
        bounded_system_{std::in_place, dual, free, smooth},
        bounded_{true},
        scores_(count_, atoms_) {
    begin();
  }

  /// Of the linear program, points on the way are kept for these betas.
  void keep_for(std::span<const double> betas) {
    for (const double beta : betas) kept_.push_back({1 / beta, nullptr});
  }

  /// From the point that was kept for this beta, if any.
  void return_for(double beta) {
    for (const Kept& kept : kept_) {
      if (kept.temperature == 1 / beta && kept.state != nullptr) take_up(*kept.state, 1 / beta);
    }
  }

  /// Whether these may be answers of this solver's systems.
  [[nodiscard]] bool fits(const RunAnswers& answers) const {
    const auto of_direction = [&](const SystemAnswer& one) {
      return one.v.size() == dual_.size() && one.c.size() == smooth_.size();
    };
    const auto of_step = [&](const StepAnswers& one) {
      return one.directions.size() == (one.solvable ? 2 : 0) &&
             std::ranges::all_of(one.directions, of_direction);
    };
    const auto of_repair = [&](const Vector& one) { return one.size() == smooth_.size(); };
    return std::ranges::all_of(answers.steps, of_step) &&
           std::ranges::all_of(answers.repairs, of_repair);
  }

  /// @param answers  of the run so far; those that are missing are found and added.
  InteriorPoint run(double beta, double tolerance, std::int64_t max_steps, RunAnswers& answers,
                    const solvers::Control& control) {
    temperature_ = std::isinf(beta) ? 0.0 : 1 / beta;
    InteriorPoint result;  // of a point from which nothing could be computed: 0
    result.v = result.active = result.basic = result.gaps = Vector::Zero(dual_.size());
    double best = std::numeric_limits<double>::infinity();
    result.gap = best;
    std::int64_t at_best = 0;
    bool was_inside = false;
    Primal at_best_point;
    for (double length = 1;; ++result.steps) {
      look();
      keep_passed();
      const double outside = std::max(infeasibility(), 0.0);
      const double found = distance() + outside;
      // Without entropy, steps near the solution are differences of large numbers.
      const bool noisy = temperature_ == 0 && was_inside && outside > feasible;
      was_inside = was_inside || outside <= feasible;
      if (found < best) {
        best = found;
        at_best = result.steps;
        result.gap = distance();
        result.v = synchronised();
        result.active = multipliers();
        result.basic = bounded_ ? map_blocks(to_groups_, now_.c) : now_.v;
        if (bounded_) result.gaps = 0.5 * (now_.below - now_.above);
        if (temperature_ > 0) at_best_point = {now_.pi, now_.below - now_.above};
      }
      const bool enough = distance() <= tolerance && outside <= feasible;
      if (enough || result.steps >= max_steps || length < shortest_step) break;
      const bool lost = noisy || found > far_from_best * best || result.steps - at_best >= patience;
      if (lost) break;
      const auto moved = solvers::make_step(
          control, [&] { return solvers::packed_state(name_of_interior, answers); },
          [&] { return step(static_cast<std::size_t>(result.steps), answers); });
      if (!moved) break;
      length = *moved;
    }
    keep_last();
    if (temperature_ > 0 && !kept_.empty()) {
      result.pi = repaired(std::move(at_best_point), answers.repairs);
    }
    return result;
  }

 private:
  /// Probabilities, and twice the gaps that their slacks say they have.
  struct Primal {
    Table pi;
    Vector gaps;
  };

  /// Probabilities whose rows add up to 1 and whose gaps are those of the slacks. Near a solution
  /// steps move probabilities by differences of large numbers, so that neither holds up to the
  /// rounding of small ones, and a gap costs as much as its multiplier is large. They are moved by
  /// pi_il (<w_l, t_i> - mean), with the w of a linear system, in the coordinates of free tilts.
  /// @param moves  these w, of each round; those that are missing are found and added.
  [[nodiscard]] std::vector<double> repaired(Primal point, std::vector<Vector>& moves) const {
    Table& pi = point.pi;
    if (pi.size() == 0) return {};
    Vector wanted = Vector::Zero(smooth_.size());
    if (bounded_) wanted = map_blocks(to_groups_.transpose(), 0.5 * point.gaps);
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> best;
    Table scores(count_, atoms_);
    for (int round = 0; round <= repair_rounds; ++round) {
      pi.colwise() /= pi.rowwise().sum().eval();
      Vector missing = wanted - smooth_.gaps(flat(pi));
      if (smooth_.bound() == ParityBound::atom) {  // gaps of all atoms add up to what they do
        missing.reshaped(atoms_, free_blocks()).rowwise() -=
            missing.reshaped(atoms_, free_blocks()).colwise().mean().eval();
      }
      const double error = bounded_
                               ? map_blocks(to_free_.transpose(), missing).cwiseAbs().maxCoeff()
                               : missing.cwiseAbs().maxCoeff();
      if (!(error < least)) break;
      least = error;
      best.assign(pi.data(), pi.data() + pi.size());
      if (round == repair_rounds) break;
      if (static_cast<std::size_t>(round) == moves.size()) {
        Matrix system = smooth_.weighted_hessian(flat(pi));
        system.diagonal() *= 1 + repair_ridge;
        moves.push_back(models::PivotedCholesky(std::move(system)).solve(missing));
      }
      change_of_scores(moves[static_cast<std::size_t>(round)], scores);
      pi *= (1 + (scores.colwise() - (pi * scores).rowwise().sum())).cwiseMax(0);
    }
    return best;
  }

  /// A point of the linear program from which the softmax of a temperature is near.
  struct Kept {
    double temperature = 0;
    std::shared_ptr<const InteriorState> state;
  };

  /// On the linear program's central path pi_il reduced_il = m. Where m is the temperature T, the
  /// same probabilities and multipliers are near the central path of the problem with entropy, with
  /// the dual residual 0: its reduced costs are m / pi + T log(pi) >= T, their products with pi are
  /// m (1 + pi log(pi)), within a factor of 1 - 1/e. So the last point before m falls below T is
  /// where the search for that softmax begins, a few steps from its end.
  void keep_passed() {
    if (temperature_ > 0 || kept_.empty()) return;
    auto here = std::make_shared<InteriorState>(now_);
    here->reduced.resize(0, 0);  // follow from the others
    const double product = mean_product();
    for (Kept& kept : kept_) {
      if (kept.state == nullptr && product < kept.temperature) {
        kept.state = before_ != nullptr ? before_ : here;
      }
    }
    before_ = std::move(here);
  }
  void keep_last() {
    if (temperature_ > 0) return;
    for (Kept& kept : kept_) {
      if (kept.state == nullptr) kept.state = before_;
    }
    before_ = nullptr;
  }
  void take_up(const InteriorState& state, double temperature) {
    now_ = state;
    smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
    now_.reduced = (-scores_).colwise() + now_.row.array();
    now_.reduced += temperature * logarithms();
    const double least = least_of_temperature * temperature;
    now_.reduced = (now_.reduced < least).select(least, now_.reduced);
  }

  /// Of the probabilities.
  [[nodiscard]] Table logarithms() const {
    Table result = (now_.pi < vanishing).select(vanishing, now_.pi);
    const std::span<double> all{result.data(), static_cast<std::size_t>(result.size())};
    base::log(all, all);
    return result;
  }

  void begin() {
    now_.pi = Table::Constant(count_, atoms_, 1 / static_cast<double>(atoms_));
    now_.v = Vector::Zero(dual_.size());
    now_.c = Vector::Zero(smooth_.size());
    smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
    losses_ = scores_;
    const double spread = scores_.maxCoeff() - scores_.minCoeff();
    now_.row = scores_.rowwise().maxCoeff().matrix().array() + 0.1 * spread + 0.05;
    now_.reduced = (-scores_).colwise() + now_.row.array();
    if (!bounded_) return;
    const Vector weight = dual_.weight();
    now_.below = now_.above = weight.cwiseMax(least_slack);
    const double target = mean_product() / static_cast<double>(count_);
    now_.of_below = target / now_.below.array();
    now_.of_above = target / now_.above.array();
  }

  [[nodiscard]] double mean_product() const { return (now_.pi * now_.reduced).mean(); }

  /// All residuals at the present point.
  void look() {
    smooth_.score_rows(now_.c, {scores_.data(), static_cast<std::size_t>(scores_.size())});
    costs_ = (-scores_).colwise() + now_.row.array();
    if (temperature_ > 0) costs_ += temperature_ * logarithms();
    costs_ -= now_.reduced;
    sums_ = 1 - now_.pi.rowwise().sum();
    gaps_ = dual_.gaps(flat(now_.pi));
    if (!bounded_) return;
    to_above_ = dual_.weight() - gaps_ - now_.above;
    to_below_ = dual_.weight() + gaps_ - now_.below;
  }

  /// Sum of all products that are 0 at a solution, per row.
  [[nodiscard]] double products() const {
    double sum = (now_.pi * now_.reduced).sum() / static_cast<double>(count_);
    if (bounded_) sum += now_.below.dot(now_.of_below) + now_.above.dot(now_.of_above);
    return sum;
  }
  [[nodiscard]] double infeasibility() const {
    double most = sums_.abs().maxCoeff();
    if (!bounded_) return std::max(most, gaps_.cwiseAbs().maxCoeff());
    return std::max(most, (gaps_.cwiseAbs() - dual_.weight()).maxCoeff());
  }
  /// Products, and what dual residuals add to them.
  [[nodiscard]] double distance() const {
    return products() + (now_.pi * costs_.abs()).sum() / static_cast<double>(count_);
  }

  struct Products {
    Table of_pi;
    Vector of_below, of_above;
  };

  /// Of a step towards these values of the products.
  /// @param answer  of its system, where that is known; else it is found.
  [[nodiscard]] InteriorState direction(const Products& wanted, SystemAnswer& answer,
                                        bool is_known) const {
    InteriorState to;
    const Table constant = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * costs_;
    const Eigen::ArrayXd base = (constant.rowwise().sum() - sums_) / of_row_;
    Vector constant_v;
    if (bounded_) {
      constant_v =
          ((wanted.of_below - now_.of_below.cwiseProduct(to_below_)).array() / now_.below.array()) -
          ((wanted.of_above - now_.of_above.cwiseProduct(to_above_)).array() / now_.above.array());
    }
    if (!is_known) answer = solve(constant - stiffness_.colwise() * base, constant_v);
    to.v = answer.v;
    to.c = bounded_ ? centred(answer.c) : answer.c;
    Table scores(count_, atoms_);
    change_of_scores(to.c, scores);
    to.row = (base + (stiffness_ * scores).rowwise().sum() / of_row_).matrix();
    const Table drift = (costs_ - scores).colwise() + to.row.array();
    to.pi = wanted.of_pi / (now_.reduced + temperature_) - stiffness_ * drift;
    to.reduced = (wanted.of_pi - now_.reduced * to.pi) / now_.pi;
    if (bounded_) {
      // From v, so that v = of_below - of_above holds whatever the system's rounding.
      const Vector gaps = (constant_v - to.v).cwiseQuotient(softness_);
      to.above = to_above_ - gaps;
      to.below = to_below_ + gaps;
      to.of_above =
          (wanted.of_above - now_.of_above.cwiseProduct(to.above)).cwiseQuotient(now_.above);
      to.of_below =
          (wanted.of_below - now_.of_below.cwiseProduct(to.below)).cwiseQuotient(now_.below);
    }
    return to;
  }

  /// For bounds of atoms, c without what the scores of all atoms have in common: that moves no
  /// probability, costs next to nothing where bounds are tight, and so is large; probabilities
  /// would be differences of such numbers. The unknowns of the rows' sums are then those beside it.
  [[nodiscard]] Vector centred(Vector c) const {
    if (dual_.bound() != ParityBound::atom) return c;
    auto blocks = c.reshaped(atoms_, free_blocks());
    blocks.rowwise() -= blocks.colwise().mean().eval();
    return c;
  }

  /// <u_l, t_i> of a direction.
  void change_of_scores(const Vector& c, Table& scores) const {
    const std::span<double> to{scores.data(), static_cast<std::size_t>(scores.size())};
    smooth_.score_rows(c, to);
    scores -= losses_;
  }

  /// @param moved  probabilities before their scores change.
  [[nodiscard]] SystemAnswer solve(const Table& moved, const Vector& constant_v) const {
    if (bounded_) {
      auto [v, c] = bounded_system_->solve(constant_v.cwiseQuotient(softness_), flat(moved));
      return {std::move(v), std::move(c)};
    }
    const Vector v = solve(-gaps_ - dual_.gaps(flat(moved)));
    return {v, v};
  }
  [[nodiscard]] Vector solve(Vector right) const {
    for (Index j = held_; has_kernel() && j < right.size(); j += atoms_) right[j] = 0;
    Vector x = factors_.solve(right);
    x += factors_.solve(right - system_ * x);
    return x;
  }

  /// @param number  of the step, from 0.
  /// @return its length; nothing where rounding has left its system no solution.
  std::optional<double> step(std::size_t number, RunAnswers& answers) {
    stiffness_ = now_.pi / (now_.reduced + temperature_);
    of_row_ = stiffness_.rowwise().sum();
    if (bounded_) {
      softness_ = now_.of_below.cwiseQuotient(now_.below) + now_.of_above.cwiseQuotient(now_.above);
    }
    if (number < answers.steps.size()) {
      StepAnswers known = answers.steps[number];
      return known.solvable ? std::optional{step(known, true)} : std::nullopt;
    }
    StepAnswers found{.solvable = factorise(), .directions = {}};
    std::optional<double> length;
    if (found.solvable) length = step(found, false);
    answers.steps.push_back(std::move(found));
    return length;
  }

  /// The system of a step. Whether rounding has left it a solution.
  bool factorise() {
    if (bounded_) return bounded_system_->factorise(flat(stiffness_), softness_);
    system_ = dual_.expand(dual_.weighted_hessian(flat(stiffness_)));
    // Without bounds the sum of v over the atoms is of no meaning: 0 where most of the weight is.
    if (has_kernel()) hold_heaviest_atom();
    Matrix ridged = system_;
    const Vector size = system_.diagonal().cwiseMax(vanishing);
    for (double ridge = least_ridge; ridge <= most_ridge; ridge *= ridge_factor) {
      base::stop_point();
      ridged.diagonal() = system_.diagonal() + ridge * size;
      factors_ = models::Cholesky(ridged);
      if (factors_.is_definite()) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_kernel() const { return !bounded_ && dual_.bound() == ParityBound::atom; }
  void hold_heaviest_atom() {
    Index atom = 0;
    stiffness_.colwise().sum().maxCoeff(&atom);
    for (Index j = atom; j < system_.rows(); j += atoms_) {
      const double size = system_(j, j);
      system_.row(j).setZero();
      system_.col(j).setZero();
      system_(j, j) = std::max(size, vanishing);
    }
    held_ = atom;
  }

  /// @param are_known  the answers; else they are found.
  double step(StepAnswers& answers, bool are_known) {
    if (!are_known) answers.directions.resize(2);
    Products wanted{-(now_.pi * now_.reduced), {}, {}};
    if (bounded_) {
      wanted.of_below = -now_.below.cwiseProduct(now_.of_below);
      wanted.of_above = -now_.above.cwiseProduct(now_.of_above);
    }
    const InteriorState predictor = direction(wanted, answers.directions[0], are_known);
    if (!are_known) answers.centre = centre_behind(predictor);
    const double centre = answers.centre;
    wanted.of_pi += centre * static_cast<double>(count_) - predictor.pi * predictor.reduced;
    if (bounded_) {
      wanted.of_below.array() += centre - predictor.below.array() * predictor.of_below.array();
      wanted.of_above.array() += centre - predictor.above.array() * predictor.of_above.array();
    }
    const InteriorState corrected = direction(wanted, answers.directions[1], are_known);
    if (!are_known) {
      std::tie(answers.primal, answers.dual) = lengths(corrected, closest_to_bounds);
    }
    move(corrected, answers.primal, answers.dual);
    return std::max(answers.primal, answers.dual);
  }

  [[nodiscard]] double centre_behind(const InteriorState& predictor) const {
    const double before = products();
    const auto [far, far_dual] = lengths(predictor, 1);
    const double share = products_after(predictor, far, far_dual) / before;
    return share * share * share * before / static_cast<double>(pairs());
  }

  /// Products, each of a row's counted N times.
  [[nodiscard]] Index pairs() const { return atoms_ * count_ + (bounded_ ? 2 * dual_.size() : 0); }

  /// How far primal and dual unknowns may go, at most 1; the same for both with an entropy, which
  /// ties them together.
  [[nodiscard]] std::pair<double, double> lengths(const InteriorState& to, double share) const {
    const auto furthest = [](const auto& at, const auto& by) {
      double length = std::numeric_limits<double>::infinity();
      for (Index i = 0; i < at.size(); ++i) {
        if (by.data()[i] < 0) length = std::min(length, -at.data()[i] / by.data()[i]);
      }
      return length;
    };
    double primal = furthest(now_.pi, to.pi), dual = furthest(now_.reduced, to.reduced);
    if (bounded_) {
      primal = std::min({primal, furthest(now_.below, to.below), furthest(now_.above, to.above)});
      dual = std::min(
          {dual, furthest(now_.of_below, to.of_below), furthest(now_.of_above, to.of_above)});
    }
    if (temperature_ > 0) primal = dual = std::min(primal, dual);
    return {std::min(1.0, share * primal), std::min(1.0, share * dual)};
  }

  [[nodiscard]] double products_after(const InteriorState& to, double primal, double dual) const {
    double sum = ((now_.pi + primal * to.pi) * (now_.reduced + dual * to.reduced)).sum() /
                 static_cast<double>(count_);
    if (bounded_) {
      sum += (now_.below + primal * to.below).dot(now_.of_below + dual * to.of_below) +
             (now_.above + primal * to.above).dot(now_.of_above + dual * to.of_above);
    }
    return sum;
  }

  void move(const InteriorState& to, double primal, double dual) {
    now_.pi += primal * to.pi;
    now_.row += dual * to.row;
    now_.reduced += dual * to.reduced;
    now_.v += dual * to.v;
    now_.c += dual * to.c;
    if (!bounded_) return;
    now_.below += primal * to.below;
    now_.above += primal * to.above;
    now_.of_below += dual * to.of_below;
    now_.of_above += dual * to.of_above;
    now_.v = now_.of_below - now_.of_above;
  }

  [[nodiscard]] Index free_blocks() const { return smooth_.blocks(); }

  /// v with what rounding has left of F v = c put right, but for what all atoms have in common.
  [[nodiscard]] Vector synchronised() const {
    if (!bounded_) return now_.v;
    return now_.v + map_blocks(to_groups_, now_.c - centred(map_blocks(to_free_, now_.v)));
  }

  /// v, 0 where neither bound binds.
  [[nodiscard]] Vector multipliers() const {
    if (!bounded_) return now_.v;
    Vector v = now_.v;
    for (Index j = 0; j < v.size(); ++j) {
      if (std::min(now_.below[j], now_.above[j]) > binding * dual_.weight()[j]) v[j] = 0;
    }
    return v;
  }

  const ParityDual& dual_;
  const ParityDual& smooth_;
  Index count_, atoms_;
  double temperature_ = 0;
  Matrix to_free_, to_groups_;
  std::optional<BoundedSystem> bounded_system_;
  bool bounded_ = false;
  InteriorState now_;
  std::vector<Kept> kept_;
  std::shared_ptr<const InteriorState> before_;
  Table scores_, losses_, costs_, stiffness_;  ///< losses: scores of v = 0
  Eigen::ArrayXd sums_, of_row_;
  Vector gaps_, to_below_, to_above_, softness_;
  Matrix system_;
  Index held_ = 0;  ///< atom
  models::Cholesky factors_;
};

namespace {

/// Whether every group's gaps must be 0, and can be: then those of atoms are 0 as well.
bool without_bounds(const ParityDual& dual, double no_penalty) {
  if (dual.weight().norm() > no_penalty) return false;
  const std::vector<double> least = least_epsilon(dual.rows(), dual.grid());
  return std::ranges::max(least) <= rounding_of_means;
}

void check(const InteriorOptions& options) {
  if (!(options.beta > 0)) throw std::invalid_argument("InteriorOptions::beta must be > 0");
  if (!(options.tolerance > 0)) {
    throw std::invalid_argument("InteriorOptions::tolerance must be > 0");
  }
  if (options.max_steps < 1) throw std::invalid_argument("InteriorOptions::max_steps must be >= 1");
}

}  // namespace

/// Gaps of 0 of every atom are those of the distribution function, and of any tilts that span the
/// groups': without bounds the problem is solved in directions that are orthogonal.
struct InteriorPath::Problem {
  Problem(const ParityDual& dual, double no_penalty)
      : given{dual}, free{free_tilts(dual.rows(), dual.kept_groups())} {
    if (free.rank() == 0) return;
    parity = without_bounds(dual, no_penalty);
    smooth.emplace(free.rows, dual.grid(), parity ? ParityBound::atom : dual.bound(),
                   std::vector<double>(static_cast<std::size_t>(free.rank()), 0.0));
    if (parity) {
      solver.emplace(*smooth);
    } else {
      solver.emplace(dual, free, *smooth);
    }
  }

  /// @param answers  of the run's systems so far, and then of all.
  InteriorPoint solve(const InteriorOptions& options, RunAnswers& answers,
                      const solvers::Control& control) {
    check(options);
    const Vector nothing = Vector::Zero(given.size());
    if (!solver) return {nothing, nothing, nothing, nothing, {}, 0, 0};
    if (control.resume) {
      solvers::unpack_whole_state(name_of_interior, *control.resume, answers);
      if (!solver->fits(answers)) throw base::CheckpointError("a checkpoint is of another dual");
    }
    if (!std::isinf(options.beta)) solver->return_for(options.beta);
    InteriorPoint found =
        solver->run(options.beta, options.tolerance, options.max_steps, answers, control);
    if (parity) {
      found.v = found.active = found.basic = given.of_atoms(map_blocks(free.to_groups, found.v));
      found.gaps = Vector::Zero(given.size());
    }
    return found;
  }

  /// A stage whose answer is that of the systems: a process that goes on makes its steps again, as
  /// those of later runs begin from points that they pass.
  InteriorPoint next(const InteriorOptions& options, solvers::Stages& stages) {
    std::optional<InteriorPoint> found;
    RunAnswers answers = stages.next(
        [&](const solvers::Control& control) {
          RunAnswers of_run;
          found = solve(options, of_run, control);
          return of_run;
        },
        [this](const RunAnswers& kept) { return !solver || solver->fits(kept); });
    if (!found) found = solve(options, answers, {});
    return *std::move(found);
  }

  const ParityDual& given;
  FreeTilts free;
  bool parity = false;
  std::optional<ParityDual> smooth;
  std::optional<InteriorSolver> solver;
};

InteriorPath::InteriorPath(const ParityDual& dual, double no_penalty, std::span<const double> betas,
                           double tolerance, std::int64_t max_steps, solvers::Stages& stages)
    : problem_{std::make_unique<Problem>(dual, no_penalty)} {
  if (problem_->solver) problem_->solver->keep_for(betas);
  end_ = problem_->next({std::numeric_limits<double>::infinity(), tolerance, max_steps}, stages);
}
InteriorPath::~InteriorPath() = default;

InteriorPoint InteriorPath::softmax(double beta, double tolerance, std::int64_t max_steps,
                                    solvers::Stages& stages) {
  return problem_->next({beta, tolerance, max_steps}, stages);
}

InteriorPoint interior_point(const ParityDual& dual, const InteriorOptions& options,
                             solvers::Stages& stages) {
  check(options);
  return stages.next(
      [&](const solvers::Control& control) {
        RunAnswers answers;
        return InteriorPath::Problem(dual, options.no_penalty).solve(options, answers, control);
      },
      [&](const InteriorPoint& kept) {
        return kept.v.size() == dual.size() && kept.active.size() == dual.size() &&
               kept.basic.size() == dual.size() && kept.gaps.size() == dual.size();
      });
}

}  // namespace fairfront::regression
