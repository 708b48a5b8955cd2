/// @file
/// Primal-dual steps of an interior point for regression under demographic parity. See
/// interior_point.hpp, which is how it is called.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"
#include "solvers/common/eigen_state.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/regression/bounded_system.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/interior_point.hpp"
#include "solvers/regression/parity_dual.hpp"

namespace fairfront::regression {

/// Probabilities and the like, shape (N, n).
using InteriorTable = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Of a checkpoint that holds RunAnswers.
inline constexpr std::string_view name_of_interior = "interior point 1\n";

/// What the linear systems of a run have answered: with that the same steps are made again without
/// the dear part of them.
struct SystemAnswer {
  Eigen::VectorXd v, c;  ///< of a direction
};
struct StepAnswers {
  bool solvable = false;
  /// Predictor and corrector, where there is a solution, and where these lead nowhere that of a
  /// step that makes all products equal.
  std::vector<SystemAnswer> directions;
  double centre = 0;            ///< what products should become
  double primal = 0, dual = 0;  ///< lengths
};
struct RunAnswers {
  std::vector<StepAnswers> steps;
  std::vector<Eigen::VectorXd> repairs;
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

/// What is kept above 0, and what moves with it; of every bound a slack and a multiplier on either
/// side. Without bounds, where gaps are 0, there are none of these.
struct InteriorState {
  InteriorTable pi, reduced;           ///< shape (N, n); reduced costs
  Eigen::VectorXd row;                 ///< of each row's sum, shape (N,)
  Eigen::VectorXd v;                   ///< shape (size,)
  Eigen::VectorXd c;                   ///< v in the coordinates of the free tilts
  Eigen::VectorXd below, above;        ///< slack of gap >= -weight, of gap <= weight
  Eigen::VectorXd of_below, of_above;  ///< multipliers: v = of_below - of_above
};

/// One problem, from its first point on, and all points that it has kept on the way.
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
  void keep_for(std::span<const double> betas);

  /// From the point that was kept for this beta, if any.
  void return_for(double beta);

  /// Whether these may be answers of this solver's systems.
  [[nodiscard]] bool fits(const RunAnswers& answers) const;

  /// @param answers  of the run so far; those that are missing are found and added.
  InteriorPoint run(double beta, double tolerance, std::int64_t max_steps, RunAnswers& answers,
                    const solvers::Control& control);

 private:
  /// Probabilities and, with bounds, the gaps that their slacks say they have, and how soft bounds
  /// are to those who move probabilities in proportion to themselves.
  struct Primal {
    InteriorTable pi;
    Eigen::VectorXd gaps, softness;
  };

  /// Probabilities whose rows add up to 1 and whose gaps keep the bounds. Near a solution steps
  /// move probabilities by differences of large numbers, so that neither holds up to the rounding
  /// of small ones, and a gap costs as much as its multiplier is large. They are moved by pi_il
  /// (<w_l, t_i> - mean), with the w of a linear system, in the coordinates of free tilts.
  /// @param moves  these w, of each round; those that are missing are found and added.
  [[nodiscard]] std::vector<double> repaired(Primal point, std::vector<Eigen::VectorXd>& moves);

  /// The w of a round: that of a step's system, in which gaps of bounds that bind become those of
  /// their slacks, and others may move. To ask for all gaps, in the coordinates of the free tilts,
  /// would be to ask for what rounding has left of them over the size of a tilt. Nothing where
  /// there is no solution.
  [[nodiscard]] std::optional<Eigen::VectorXd> repair(const Primal& point,
                                                      const Eigen::VectorXd& gaps);

  /// The diagonal of a step's system that bounds add.
  [[nodiscard]] Eigen::VectorXd softness() const;

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
  void keep_passed();

  void keep_last();

  void take_up(const InteriorState& state, double temperature);

  /// Of the probabilities.
  [[nodiscard]] InteriorTable logarithms() const;

  void begin();

  [[nodiscard]] double mean_product() const { return (now_.pi * now_.reduced).mean(); }

  /// All residuals at the present point.
  void look();

  /// Sum of all products that are 0 at a solution, per row.
  [[nodiscard]] double products() const;

  [[nodiscard]] double infeasibility() const;

  /// Products, and what dual residuals add to them.
  [[nodiscard]] double distance() const;

  struct Products {
    InteriorTable of_pi;
    Eigen::VectorXd of_below, of_above;
  };

  /// Of a step towards these values of the products.
  /// @param answer  of its system, where that is known; else it is found.
  [[nodiscard]] InteriorState direction(const Products& wanted, SystemAnswer& answer,
                                        bool is_known) const;

  /// For bounds of atoms, c without what the scores of all atoms have in common: that moves no
  /// probability, costs next to nothing where bounds are tight, and so is large; probabilities
  /// would be differences of such numbers. The unknowns of the rows' sums are then those beside it.
  [[nodiscard]] Eigen::VectorXd centred(Eigen::VectorXd c) const;

  /// <u_l, t_i> of a direction.
  void change_of_scores(const Eigen::VectorXd& c, InteriorTable& scores) const;

  /// @param moved  probabilities before their scores change.
  [[nodiscard]] SystemAnswer solve(const InteriorTable& moved,
                                   const Eigen::VectorXd& constant_v) const;

  [[nodiscard]] Eigen::VectorXd solve(Eigen::VectorXd right) const;

  /// @param number  of the step, from 0.
  /// @return its length; nothing where rounding has left its system no solution.
  std::optional<double> step(std::size_t number, RunAnswers& answers);

  /// The system of a step. Whether rounding has left it a solution.
  bool factorise();

  [[nodiscard]] bool has_kernel() const { return !bounded_ && dual_.bound() == ParityBound::atom; }

  void hold_heaviest_atom();

  /// What a step that makes all products this has to add to them.
  [[nodiscard]] Products towards(double centre) const;

  /// @param are_known  the answers; else they are found.
  double step(StepAnswers& answers, bool are_known);

  [[nodiscard]] double centre_behind(const InteriorState& predictor) const;

  /// Products, each of a row's counted N times.
  [[nodiscard]] Eigen::Index pairs() const {
    return atoms_ * count_ + (bounded_ ? 2 * dual_.size() : 0);
  }

  /// How far primal and dual unknowns may go, at most 1; the same for both with an entropy, which
  /// ties them together.
  [[nodiscard]] std::pair<double, double> lengths(const InteriorState& to, double share) const;

  [[nodiscard]] double products_after(const InteriorState& to, double primal, double dual) const;

  void move(const InteriorState& to, double primal, double dual);

  [[nodiscard]] Eigen::Index free_blocks() const { return smooth_.blocks(); }

  /// v with what rounding has left of F v = c put right, but for what all atoms have in common.
  [[nodiscard]] Eigen::VectorXd synchronised() const;

  /// v, 0 where neither bound binds.
  [[nodiscard]] Eigen::VectorXd multipliers() const;

  const ParityDual& dual_;
  const ParityDual& smooth_;
  Eigen::Index count_, atoms_;
  double temperature_ = 0;
  Eigen::MatrixXd to_free_, to_groups_;
  std::optional<BoundedSystem> bounded_system_;
  bool bounded_ = false;
  InteriorState now_;
  std::vector<Kept> kept_;
  std::shared_ptr<const InteriorState> before_;
  InteriorTable scores_, losses_, costs_, stiffness_;  ///< losses: scores of v = 0
  Eigen::ArrayXd sums_, of_row_;
  Eigen::VectorXd gaps_, to_below_, to_above_, softness_;
  Eigen::MatrixXd system_;
  Eigen::Index held_ = 0;  ///< atom
  optimise::Cholesky factors_;
};

}  // namespace fairfront::regression
