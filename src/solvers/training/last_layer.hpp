/// @file
/// Losses of the training part as functions of a network's last layer alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "models/rows.hpp"
#include "optimise/eigen.hpp"
#include "solvers/training/classifier_pool.hpp"
#include "solvers/training/decision_band.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/row_pieces.hpp"

namespace fairfront::training {

/// Weights v of a last layer (its inputs' weights, then the bias), and the losses there.
struct LastLayerPoint {
  std::vector<double> v;
  double loss = 0;              ///< mean over all rows; infinite where a number is not finite
  double led_loss = 0;          ///< what steps are to make small: of rounded hinges theirs
  double error = 0;             ///< share of wrong decisions, where a pool is there
  std::vector<double> cells{};  ///< mean losses, or rates, shape (cells,)
  std::vector<double> gaps{};   ///< shape (gaps,)
  /// Gaps as they are, where `gaps` are of smoothed decisions or of rounded hinges.
  std::vector<double> decided{};
  /// Where decisions are counted, whether they would be the same if scores were rounded otherwise.
  bool is_certain = true;
  /// Of decisions, where there are any; see GapConstraints::largest_gap().
  double kept_gap = 0;
  [[nodiscard]] double gap() const { return largest_size(gaps); }
  /// As it is, where gaps are smoothed.
  [[nodiscard]] double decided_gap() const {
    return largest_size(decided.empty() ? gaps : decided);
  }
};

/// A point of a line, as counting has it.
struct LinePoint {
  double error = 0;           ///< 0 where no pool is there
  std::vector<double> cells;  ///< with an offset, shape (cells,)
};

/// What a sum of errors and rates costs.
struct DecisionCosts {
  double of_error = 1;
  std::vector<double> of_cells;  ///< of a rate of 1, shape (cells,)
};

/// What the layers before the last have made of the training rows is kept, so that an evaluation of
/// all rows costs `size()` multiplications a row instead of one for every weight of the network. A
/// linear score is its own last layer: nothing is copied. Memory: 8 (inputs + 4) bytes a row, where
/// decisions are counted 8 (inputs + 10). Many rows are passed in pieces, see RowPieces: where a
/// team shares the problem, calls are collective, and each rank has what belongs to its rows.
class LastLayer {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  /// Runs the network once over the training part. Keeps a reference.
  /// @param share  of the rows of every cell that are looked at, in (0, 1]: evenly spaced ones, at
  ///               least a thousand of a cell, and weighed so that a cell counts as all of it.
  ///               Below 1 losses have sum_j (m_j weight_j)^2 / (2 rows()) beside them, over the
  ///               columns that at most a fiftieth of the rows fill, m_j the largest input j, as if
  ///               what it adds to a score were known to be some ones: what some rows say of such a
  ///               column is chance.
  /// @throws std::domain_error  see Pass::forward().
  LastLayer(const Problem& problem, std::span<const double> w, double share = 1);
  LastLayer(const LastLayer&) = delete;
  LastLayer& operator=(const LastLayer&) = delete;

  /// Weights of the last layer: the last ones of the network.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows_.columns()) + 1; }
  [[nodiscard]] bool is_linear() const { return is_linear_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const GapConstraints& constraints() const { return problem_.constraints; }
  /// Added to the cells' losses at every point, shape (cells,); empty: nothing.
  [[nodiscard]] const std::vector<double>& offset() const { return offset_; }
  void set_offset(std::vector<double> offset) { offset_ = std::move(offset); }
  /// Those looked at.
  [[nodiscard]] std::int64_t rows() const { return std::ssize(labels_); }

  /// From now on every point of at() and of lines is offered to a pool. Null: to none.
  void offer_to(ClassifierPool* pool) { pool_ = pool; }

  /// From now on decisions are sigmoid(score / (width rms)), rms the root mean square of all
  /// scores, so that the size of scores changes none, and rates have added what makes them those of
  /// the decisions at v. gradients() are then those of what at() has. Only where decisions are
  /// bounded.
  /// @param v  shape (size(),). @param width  > 0.
  /// @return the rates of the decisions there, shape (cells,).
  std::vector<double> smooth_decisions(const std::vector<double>& v, double width);
  /// Decisions are counted again.
  void count_decisions() { width_ = 0; }

  /// From now on the bend of hinge losses is rounded over a width of scores, see RoundedHinge, in
  /// what steps are to make small, in gradients() and in curvature(); means of cells have added
  /// what makes them those of hinges at the point of the last at(). Only of the hinge.
  /// @param width  > 0.
  void round_hinge(double width);
  /// Hinges have their bend again.
  void bend_hinge() { bend_ = 0; }
  [[nodiscard]] bool is_rounded() const { return bend_ > 0; }

  /// @param v  shape (size(),).
  [[nodiscard]] LastLayerPoint at(std::vector<double> v);

  [[nodiscard]] bool is_at(const std::vector<double>& v) const { return v == v_; }
  /// What the last at() gave, without a pass over the inputs.
  [[nodiscard]] LastLayerPoint again() { return with_scores(v_, false); }

  /// Gradients at the point of the last at(): of the mean loss, and row by row of the cells'
  /// (cells, size()), by cell_slopes(); of decisions less their part along the gradient of the
  /// scores' root mean square, on which no decision depends.
  void gradients(Vector& of_loss, Matrix& of_cells);

  /// Where decisions are counted: a line begins at the point of the last at().
  void begin_line();
  /// It ends at the point of the last at().
  void end_line();
  /// A line through the point of the last at() of the same scores less or more some constant, from
  /// `far` below to `far` above: with other thresholds. The point is its middle.
  void line_of_thresholds(double far);
  /// Gaps at `count` points of the line, shape (count, gaps): t = last (k + 1) / count, where 0 is
  /// its begin and 1 its end. Costs a division a row whose decision changes on it.
  [[nodiscard]] std::vector<std::vector<double>> gaps_on_line(double last, int count);
  /// The same points.
  [[nodiscard]] std::vector<LinePoint> count_line(double last, int count);
  /// Makes the end of the line so far from its begin that the root mean square by which scores
  /// change is this. @return false: none changes.
  bool stretch_line(double change);
  /// The point t of the line, then that of the last at(). Costs two multiplications a row, beside
  /// losses.
  [[nodiscard]] LastLayerPoint on_line(double t);

  /// The point of the scores of the last at() with a constant added, times a factor above 0. Costs
  /// two multiplications a row, beside losses.
  LastLayerPoint with_other_scores(double shift, double factor);

  /// Constants that may be added to the scores of the last at() so that the rates of the decisions
  /// are kept: of those on either side of the one of least loss the nearest. Of all places for a
  /// threshold each is tried, of very many bounds evenly spaced ones. Costs what sorting does.
  /// @param keeps  whether such rates are, shape (cells,). @return at most two.
  [[nodiscard]] std::vector<double> shifts_within(
      const std::function<bool(const std::vector<double>& cells)>& keeps);

  /// Gradient of what decisions cost, smoothed as sigmoid(score / width), at the point of the last
  /// at(). curvature() is then that of the logistic loss of such scores.
  [[nodiscard]] Vector gradient_of_costs(const DecisionCosts& costs, double width);

  /// Of decisions at the point of the last at(). @param share  of the rows of every cell, the ones
  /// next to the threshold; at least a hundred.
  [[nodiscard]] DecisionBand decision_band(double share);

  /// Of the scores of the last at().
  [[nodiscard]] double root_mean_square();

  /// By which factor the scores of the last at() have the smallest loss, in [1e-9, 1e3]. No
  /// decision depends on it.
  [[nodiscard]] double best_size();

  /// sum_i h_i x_i x_i', where x_i are the inputs of row i and a 1, h_i = c_i max(0.05 / N, 1 / N +
  /// multiplier_k / n_k) for the cell k of the row, and c_i the second derivative of its loss, at
  /// least 0.001, at the point of the last at(): the Hessian of a Lagrangian, kept convex. Where
  /// rates are bounded, not losses, the multipliers count for nothing, and it is that of the loss.
  /// Of many rows and inputs a part of every cell is enough; of more than 600 inputs only the
  /// diagonal is filled. Of a linear score, and where bounds have one side or are on rates, the
  /// diagonal is that of all rows at least: a column that few rows fill would have none by chance,
  /// and a step along it no end. A linear score has the curvature of one row more in every
  /// column that few rows fill: where these are certain, there is next to none.
  void curvature(std::span<const double> multipliers, Matrix& out);

 private:
  /// Rows of a slot follow each other in `rows_`: slot 0 has those of no cell, slot k + 1 cell k.
  struct Slot {
    std::int64_t first = 0, count = 0;
    double share = 0;  ///< of all rows of the part, whether looked at or not
  };
  /// @throws base::Interrupted
  void stop_point() const;
  /// The layer's inputs of this rank's rows, or of all where decisions are counted.
  void make_inputs(std::span<const double> w, std::span<const std::int64_t> rows);
  /// What is to be known of v, whose scores are there.
  /// @param is_counted  whether the scores are those of v itself, not of a way to it: where weights
  ///                    are large and steps small these differ.
  [[nodiscard]] LastLayerPoint with_scores(std::vector<double> v, bool is_counted);
  /// Makes what steps are led by that of rounded hinges.
  void round(LastLayerPoint& point);
  void find_rare_inputs();
  [[nodiscard]] Eigen::Map<const Vector> weights() const { return {v_.data(), std::ssize(v_)}; }
  /// Of what pieces add to a sum of their slot, one number of `width`: the means of the slots.
  [[nodiscard]] std::vector<double> means_of_slots(std::span<const double> of_pieces,
                                                   std::size_t width, std::size_t which) const;
  /// Of means of slots: of all rows, of which those looked at stand for the others.
  [[nodiscard]] double mean_of_all(std::span<const double> of_slots) const;
  /// Of the cells, with their offset.
  [[nodiscard]] std::vector<double> cells_of(std::span<const double> of_slots) const;
  /// These means of the cells' values.
  [[nodiscard]] std::vector<double> means_of_cell_values();
  [[nodiscard]] double sum_of_squares();
  [[nodiscard]] std::vector<double> gaps_of(const std::vector<double>& cells) const;
  /// The point of the last at().
  void offer(const std::vector<double>& of_slots, double error);
  void offer_line(const std::vector<LinePoint>& line, double last);
  /// The width of smoothed decisions, in units of the score.
  [[nodiscard]] double width_of_scores();
  /// What is to be added to the scores of the last at() for the least loss.
  [[nodiscard]] double best_shift();
  /// out += sum of slopes_i (x_i, 1) over the rows of a piece. @param out  shape (size(),).
  void add_weighted_inputs(const Piece& piece, const std::vector<double>& slopes,
                           std::span<double> out) const;
  /// Sums of a piece for gradients(): of the loss, of the cell's value where that is another, and
  /// of what decisions need beside.
  void add_gradients(const Piece& piece, std::span<double> out) const;
  /// Takes from the cells' gradients what they say of the size of scores.
  /// @param of_slots  sums of add_gradients(), a column a slot.
  void take_size_away(const Matrix& of_slots, Matrix& of_cells) const;
  /// Of the rows of a slot that tell its curvature, from one to the next.
  [[nodiscard]] std::int64_t stride_of(const Slot& slot) const;
  /// Numbers that a piece adds to curvature(), its largest sum.
  [[nodiscard]] static std::size_t curvature_width(std::int64_t weights);
  void add_curvature(const Piece& piece, double weight, std::span<double> out) const;
  /// What a row of a slot weighs in the curvature.
  [[nodiscard]] double row_weight(std::size_t slot, std::span<const double> multipliers) const;
  /// Makes no element of the diagonal smaller than that of all rows.
  void raise_diagonal(std::span<const double> multipliers, Matrix& out);
  [[nodiscard]] double second_derivative(std::size_t row) const;
  /// Of one of this rank's rows.
  [[nodiscard]] const double* inputs_of(std::int64_t row) const {
    return rows_.row(row - first_input_);
  }

  const Problem& problem_;
  bool is_linear_;
  bool has_prior_ = false;  ///< of some of the rows
  /// Curvature of a row with the largest inputs, of columns that few rows fill; otherwise 0.
  Vector one_row_;
  std::vector<double> v_;  ///< of the last at()
  std::vector<double> offset_;
  double width_ = 0;                ///< of smoothed decisions; 0: they are counted
  double bend_ = 0;                 ///< width of rounded hinges; 0: they are not
  std::vector<double> correction_;  ///< of smoothed rates or rounded losses, shape (cells,)
  ClassifierPool* pool_ = nullptr;
  std::vector<double> inputs_;       ///< of networks with hidden layers
  std::int64_t first_input_ = 0;     ///< the first row that has inputs here
  std::vector<std::int64_t> order_;  ///< of linear scores: rows of the matrix
  models::Rows rows_;
  std::vector<Slot> slots_;
  RowPieces pieces_;
  std::vector<double> labels_, scores_, losses_, slopes_;
  std::vector<double> cell_values_, cell_slopes_;  ///< empty where losses are bounded
  struct End {
    std::vector<double> v, scores;
  };
  End begin_, end_;  ///< of the last line
};

}  // namespace fairfront::training
