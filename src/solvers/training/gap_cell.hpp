/// @file
/// One cell of the search for a lower bound: is it empty, or is some Lagrangian above the target on
/// all of it?
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "optimise/box_ball.hpp"
#include "solvers/common/eigen_state.hpp"
#include "solvers/training/bounded_rows.hpp"
#include "solvers/training/gap_bound.hpp"

namespace fairfront::training {

/// Where |root (v - centre)| <= radius: holds a part of R(T) for all T up to `target`.
struct GapBall {
  Eigen::VectorXd centre;  ///< shape (n,)
  Eigen::MatrixXd root;    ///< shape (n, n)
  double radius = 0;
  double target = 0;
};
template <solvers::MaybeConst<GapBall> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.centre, self.root, self.radius, self.target);
}

/// |v_j - mid_j| <= half_j for the first coordinates.
struct GapBox {
  Eigen::VectorXd mid, half;  ///< shape (k,)
  Eigen::VectorXd near;       ///< where to begin looking for its centre, shape (n,)
  double ratio = 1.4;         ///< first guess of the radius, in units of a quadratic function's
  std::optional<GapBall> within = {};  ///< holds the part of R(T) in the box, up to its target
};
template <solvers::MaybeConst<GapBox> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.mid, self.half, self.near, self.ratio, self.within);
}

/// The functions of a GapTask, see raise_lower_bound().
class GapCells {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  GapCells(const GapTask& task, double multiplier, const std::function<void()>& beat);

  /// Chooses coordinates. @return whether F has a minimum that was found.
  [[nodiscard]] bool prepare(const Vector& start, double highest);
  /// A box of no coordinates, which holds R(T) for all T up to `highest`, and how far it extends.
  [[nodiscard]] GapBox everything() const { return {Vector(0), Vector(0), free_}; }
  [[nodiscard]] double extent() const { return extent_; }
  /// w of a point in these coordinates.
  [[nodiscard]] Vector weights_of(const Vector& v) const { return basis_ * v; }

  enum class Answer { proven, unknown };
  struct Seen {
    Answer answer = Answer::unknown;
    Vector centre;
    double ratio = 1.4;
    double extent = 0;  ///< of the first coordinate that is no box, from the centre; 0: not known
    std::optional<GapBall> within;  ///< as that of the box
  };
  /// Whether no point of R(target) in the box is better than the target. A ball of a lower target
  /// is not made use of: it holds too little.
  [[nodiscard]] Seen examine(const GapBox& box, double target);

 private:
  using Local = BoundedRows::Local;
  /// Values, gradients and moments in coordinates of the cell.
  struct Model {
    Vector centre;
    Matrix basis;           ///< v = centre + basis e
    optimise::BoxBall set;  ///< of e
    double value;           ///< of F at the centre
    Vector gradient;        ///< of F in terms of e
    Local local[3];         ///< of L_0, L_a, L_b
    std::vector<Moments> moments[3];
  };
  struct Bowl {
    std::vector<Matrix> second;
    std::vector<Penalty> penalties;
  };
  struct Convex {
    double value;
    Vector gradient;
  };

  [[nodiscard]] Convex convex_at(const Vector& v) const;
  [[nodiscard]] Matrix convex_hessian(const Vector& v) const;
  [[nodiscard]] std::optional<Convex> least_in(const Vector& low, const Vector& high,
                                               Vector& v) const;
  [[nodiscard]] bool empty(const GapBox& box, double target, Vector& least) const;
  void centre_on_lagrangian(Eigen::Index boxed, Vector& v) const;
  [[nodiscard]] Model model_at(const GapBox& box, const Vector& centre, double target) const;
  [[nodiscard]] GapBall ball_of(const Model& model, double target) const;
  [[nodiscard]] static Moments combined(const Model& model, std::size_t kind,
                                        std::span<const double> factors);
  [[nodiscard]] Bowl bowl_of(Model& model) const;
  [[nodiscard]] static bool is_above_on_sphere(const Bowl& bowl, const Model& model, double radius,
                                               double rise);
  [[nodiscard]] bool enclose(Model& model, double target, double& ratio) const;
  [[nodiscard]] std::optional<Model> enclosed(const GapBox& box, const Vector& centre,
                                              double target, double& ratio) const;
  [[nodiscard]] std::optional<Model> best_enclosed(const GapBox& box, const Vector& least,
                                                   double target, double& ratio) const;
  [[nodiscard]] bool lagrangian_is_above(Model& model, double target) const;

  const std::function<void()>& beat_;
  double delta_;
  double factor_[3];   ///< of L_0 and L_a in F, and of L_b in the loss
  double multiplier_;  ///< beyond that of F
  double margin_;      ///< for rounding
  BoundedRows rows_[3];
  Vector free_;  ///< the minimum of F
  Matrix basis_;
  double radius_ = 0, extent_ = 0;
  FourthDerivatives fourth_;
};

}  // namespace fairfront::training
