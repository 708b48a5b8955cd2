/// @file
/// The descent of a last layer from one start.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "optimise/decomposition.hpp"
#include "optimise/eigen.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/penalty_step.hpp"

namespace fairfront::training {

struct LastLayerOptions {
  double delta = 0.005;            ///< bound of every |gap|, > 0
  double reserve = 0.005;          ///< linear models aim at |gap| <= (1 - reserve) delta
  std::int64_t evaluations = 100;  ///< of all rows by the last layer, at most; >= 1
};

/// Whether all weights but the last are 0. @param v  shape (layer.size(),).
[[nodiscard]] bool is_constant_score(std::span<const double> v);

struct LastLayerResult {
  std::vector<double> v;         ///< the best weights within the bounds
  double loss = 0;               ///< their mean loss
  std::int64_t evaluations = 0;  ///< made, at most those allowed
  double excess =
      0;  ///< of the largest |gap| over delta: above 0 of rates alone, if none is within
  /// Where decisions are counted: the point of least merit, the loss + 3 x what is beyond the
  /// bounds + 10 x what the loss is above that of the best constant score.
  struct Nearest {
    std::vector<double> v;
    double merit = std::numeric_limits<double>::infinity();
    double loss = std::numeric_limits<double>::infinity();
  };
  Nearest nearest{};
  /// Of the points that keep every ratio, those of equal rates among them, the one of the smallest
  /// loss; no search goes on from it.
  struct Kept {
    std::vector<double> v;
    double loss = std::numeric_limits<double>::infinity();
  };
  Kept kept{};
  /// Loss of the best constant score; infinite where none is within the bounds. Points of a larger
  /// one are of no use.
  double of_constant = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool is_constant() const { return is_constant_score(v); }
};
/// That of the best constant score.
[[nodiscard]] LastLayerResult constant_result(const LastLayer& layer,
                                              const LastLayerOptions& options,
                                              EqualRates equal = EqualRates::keep_ratios);

/// The bound of |gap| that is kept. Losses are summed in another order elsewhere, for which delta
/// has room; but rates are quotients of counts, the same everywhere, which small groups have at
/// delta itself.
[[nodiscard]] double promised_bound(const Problem& problem, double delta);
/// What is beyond it, of the largest |gap|.
[[nodiscard]] double excess_of(const Problem& problem, double gap, double delta);

/// Whether the size of scores is that of least loss: of decisions the bounds say nothing of it, and
/// where errors are far beyond them a high price would let it grow without end.
[[nodiscard]] bool resizes_decisions(const Problem& problem);

/// Sequential quadratic programming with an exact penalty, whose steps are those of penalty_step().
/// Of networks with hidden layers, g and f are 0 outside the bounds where g'P^-1 g / 2, what a step
/// without bounds promises, is less than a hundredth of the loss: the step then changes the scores
/// by no more than the bounds ask for.
/// P is LastLayer::curvature() with the multipliers of the step before, plus mu times its diagonal;
/// of networks with hidden layers also plus mu times that diagonal's mean in every place. A step is
/// taken if f + cap sum_i (|d_i| - ..)_+ falls by at least a thousandth of what the model promised;
/// mu falls where the model is good and grows where it is not; cap grows where steps outside the
/// bounds promise next to nothing more. A descent ends where steps within the bounds promise less
/// than a hundredth of the loss, of linear scores a millionth: the units of hidden layers were
/// trained on the same rows, so that the last of what their weights can gain is lost on others.
///
/// Of a linear score under bounds on losses, where each evaluation counts, a step aims within the
/// bounds by what the step before was beyond its own aim, so that its model's error does not leave
/// it next to them, and cap grows as well after a step that leaves most of what is beyond them (not
/// where bounds have one side, which may be out of reach); and a step that is not taken says by how
/// much a shorter one is.
///
/// Of rates of decisions, gaps are those of the decisions, and J is that of cell_slopes(). On the
/// way to where a step leads, and as far beyond, decisions are counted at 64 points, which costs
/// next to nothing once the scores at both ends are there: the step goes to the best of them. One
/// that does not do what the slopes promised even so is not taken, and the next one is shorter,
/// until it changes no decision.
class Descent {
 public:
  /// Keeps references.
  /// @param best  becomes the best point looked at, if that is better.
  Descent(LastLayer& layer, const LastLayerOptions& options, LastLayerResult& best);

  /// Another bound that steps aim at, whatever is within delta. How long they may be stays known.
  void aim_at(double bound) { goal_ = bound; }
  /// What being beyond the bound costs at first, beside the loss.
  void price(double cap) { cap_ = cap; }
  [[nodiscard]] double price() const { return cap_; }
  /// Where evaluations leave too much of what is beyond the bounds, the price grows; next to the
  /// bounds descents end, as rates of small groups go by jumps there.
  void end_where_slow() { ends_where_slow_ = true; }
  /// By how much the first step is shorter than the model's.
  void damp(double mu) { mu_ = mu; }

  /// @return where it ended, which need not be the best point.
  /// @throws base::Interrupted  see base::stop_point().
  LastLayerPoint run(std::span<const double> start, std::int64_t evaluations);

  /// Looks at one point. Costs nothing where the layer is there.
  LastLayerPoint look(std::vector<double> v) {
    return layer_.is_at(v) ? layer_.again() : evaluate(std::move(v));
  }
  /// Looks at another point, and at the best one on the way there. Only where decisions are
  /// counted.
  /// @param at  the point of the layer's last at(). @param of_loss  the gradient there.
  LastLayerPoint look_along(const LastLayerPoint& at, Eigen::VectorXd of_loss,
                            std::vector<double> v);

  /// Gives the best scores the size of least loss: prices of decisions know none.
  void resize();

  /// Looks at the same scores with other thresholds: of all that decide otherwise, those within
  /// delta that are nearest on either side of the one of least loss, in the size of least loss. An
  /// evaluation where the layer is not there, and some points on lines; it is at v afterwards.
  void shift_thresholds(const std::vector<double>& v);

  /// The same scores with other thresholds that lie apart from v and each other: those that have
  /// least of what nearest points have, best first. Rates of small groups go by jumps, and which of
  /// them agree depends on where the others are.
  [[nodiscard]] std::vector<std::vector<double>> other_thresholds(const std::vector<double>& v,
                                                                  std::size_t most);

 private:
  [[nodiscard]] double merit(const LastLayerPoint& point) const;
  [[nodiscard]] bool is_within(const LastLayerPoint& point) const {
    return point.gap() <= options_.delta;
  }
  LastLayerPoint evaluate(std::vector<double> v);
  /// Of counted decisions for nothing where the layer is there.
  LastLayerPoint begin_at(std::span<const double> start);
  void keep_if_better(const LastLayerPoint& point);
  void keep_if_nearer(const LastLayerPoint& point);
  /// Of what has this loss and these gaps, see LastLayerResult::Nearest.
  [[nodiscard]] double merit_of(double loss, std::span<const double> gaps) const;
  /// @param at  the point of the layer's last at().
  LastLayerPoint resized(const LastLayerPoint& at);
  /// Tries steps from `at` until one is taken. @return false: there is none.
  bool improve(LastLayerPoint& at);
  /// Where decisions are counted: of the points on the way to where a step has led, and as far
  /// beyond, the best one by merit(), whose loss there is that of a parabola until it is looked at.
  /// The one of least loss within delta is looked at, too.
  /// @param at, next  where the step begins and ends.
  [[nodiscard]] LastLayerPoint best_on_line(const LastLayerPoint& at, LastLayerPoint next);
  LastLayerPoint look_on_line(double t);
  /// For a point whose scores come from others without a pass over the inputs.
  void pay_for_scores();
  /// Aims within the goal by what `point` is beyond the bound that led to it.
  void correct_aim(const LastLayerPoint& point);
  /// After a step outside the bounds. @param before, after  what was and is beyond them.
  void raise_price(double before, double after);
  /// After a step outside the bounds, see end_where_slow(). @param before  what was beyond them.
  /// @param spent  evaluations of the step. @return whether the descent ends.
  bool ends_here(double before, const LastLayerPoint& after, std::int64_t spent);
  /// Whether a step without bounds promises more than a little.
  [[nodiscard]] bool is_far_from_optimum(const LastLayerPoint& point) const;
  /// Of the loss, that a step must promise to be tried.
  [[nodiscard]] double least_promise(bool is_within, bool has_cap) const;
  bool grow(double factor);
  /// After a step that is not taken. @return false: steps are as short as they can be.
  bool shorten(double ratio);
  /// P of the next step.
  [[nodiscard]] Eigen::MatrixXd damped() const;
  /// None where P is not positive definite in floating point.
  std::optional<PenaltyStep> next_step();

  LastLayer& layer_;
  LastLayerOptions options_;
  bool resizes_, counts_;  ///< decisions
  bool is_smooth_linear_;
  bool ends_where_slow_ = false;
  LastLayerResult& best_;
  double goal_, bound_;
  std::vector<double> multipliers_;
  PenaltyModel model_;
  Eigen::MatrixXd curvature_;
  Eigen::VectorXd of_loss_;  ///< its gradient
  double weight_ = 1;        ///< of the loss in what a step minimises
  double cap_ = 1;
  double mu_ = 1e-2;
  std::int64_t left_ = 0;
  double on_lines_ = 0;  ///< evaluations of points on lines that are not paid yet
};

}  // namespace fairfront::training
