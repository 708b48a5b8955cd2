/// @file
/// Training that ends feasible: stochastic steps on an augmented Lagrangian whose group losses are
/// those of all rows, then a last layer that is led within the bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/adam.hpp"
#include "solvers/training/classifier_pool.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/levels.hpp"
#include "solvers/training/loss_table.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/strata.hpp"
#include "solvers/training/tightening.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// Rows whose mean loss says which of the weights within the bounds are the result.
enum class ChooseBy {
  training,
  validation,
};

/// Rows whose gaps say where those of the training part are aimed, see aimed_training().
enum class Shift {
  none,      ///< at zero
  folds,     ///< of the training part, each held out of a run of its own
  hold_out,  ///< the validation part
};

/// What decides.
enum class Classifier {
  deterministic,  ///< the best weights within the bounds
  randomised,     ///< beside these the best draw among classifiers that training has come by
};

/// Classifiers of which each decides with its share as probability.
struct RandomisedClassifier {
  std::vector<std::vector<double>> members{};  ///< weights of the network; none: there is no draw
  std::vector<double> shares{};                ///< > 0, sum 1
  double error = 0;                            ///< expected, of the training rows
  double excess = 0;  ///< of the largest expected |gap| over delta, at least 0
  double aim = 1;     ///< share of the offset that it keeps the bounds with
};

template <solvers::MaybeConst<RandomisedClassifier> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.members, self.shares, self.error, self.excess, self.aim);
}

struct CertifiedOptions {
  double delta = 0.005;     ///< bound of every |gap| on the training part, > 0
  double step = 0.004;      ///< of Adam over the first half of the stochastic steps; falls to 0
  std::int64_t batch = 32;  ///< rows of a stochastic step
  double penalty = 10;      ///< rho of the augmented Lagrangian, for a group of all rows
  double dual_step = 5;     ///< of the multipliers over 36 passes, or all steps if they are fewer
  double decay = 0.08;      ///< of the weights, for every hundred passes over the rows
  double reserve = 0.005;   ///< the last layer aims at |gap| <= (1 - reserve) delta
  std::int64_t last_layer_evaluations = 100;  ///< of all rows by the last layer, at most; >= 1
  Sampling sampling = Sampling::shuffled;
  ChooseBy choose_by = ChooseBy::training;
  /// In [0.01, 1): the result's gaps are within delta for the population, too, with this confidence
  /// by the validation part. 0: nothing is asked of it.
  double confidence = 0;
  Classifier classifier = Classifier::deterministic;
  std::int64_t draw_evaluations = 300;  ///< of all rows by the last layer, for a draw; >= 1
  Shift shift = Shift::none;
  std::int64_t folds = 5;   ///< of Shift::folds, >= 2
  double shift_factor = 0;  ///< of the held-out rows' gaps, >= 0; 0: measured
};
[[nodiscard]] base::OptionTable options_of(CertifiedOptions& options);

/// A method of ours.
///
/// Stochastic part. A batch B of b rows is drawn by Strata, so that no cell is rare; the losses of
/// a LossTable give LevelMultipliers v with rate min(1, c dual_step b / T), where T are the
/// evaluations of this part and c = clamp(T / (36 N), 1, 3): over many passes they have the time to
/// close the gaps, at the pace that the table's age allows; and Adam takes a step along
///
///     sum_B (n_k / N + (A'v)_k) / (q_k b) grad loss_i,    k the cell of row i,
///
/// which is an unbiased gradient of the augmented Lagrangian at these multipliers. Where rates are
/// bounded, the table has what rows add to them, and the multipliers' term is of their slopes, see
/// cell_values(). Every row serves
/// objective and constraints. A run that diverges begins again with a quarter of the step. The more
/// often rows come again, the more there is to remember of them, and the stronger the weights
/// decay: a step takes min(0.1, c^2 decay T / (100 N)) of its size from them.
///
/// Then one pass over all rows keeps what the last hidden layer makes of them (N evaluations; none
/// of a linear score), and last_layer_step() leads the last layer within the bounds. Each of its
/// evaluations is charged with the share of a pass that the last layer has in the weights; it gets
/// no more of them than half of the budget pays for, of a linear score nine tenths (under bounds on
/// rates half, but 40 of all rows where nine tenths pay for them).
///
/// Where the budget is so large that it costs a tenth of it and no more (see looks_every()), the
/// iterates are looked at on all rows now and then, which is charged.
///
/// The result is the best within the bounds of the best constant score, the iterates looked at, and
/// all points of the last layer's way. So there always is one. What only observes the trajectory
/// changes nothing.
///
/// Where the validation part chooses, there are no such looks. Means of the latest iterates, those
/// of the last twentieth so far, are led within the bounds along the run as the last iterate is
/// (see candidates_in()), and the result is what has the smallest validation loss of them and the
/// last: the longer a run learns, the more it remembers of single rows. A candidate is charged with
/// a pass over the training rows, its last layer's evaluations and a pass over the validation part.
///
/// Where a draw is asked for, under bounds on rates of decisions, the last layer gets three
/// quarters of the budget of a linear score, and makes a quarter of its evaluations, at most
/// last_layer_evaluations, for the single classifier. With the others, at most draw_evaluations,
/// search_mixture() finds classifiers, of which with the iterates looked at, the last one and the
/// single one the best mixture is the draw. What is counted is what decides: the draw's expected
/// rates are within the bounds, and its expected error is at most that of the single classifier if
/// this is within them.
///
/// Where a confidence is asked for, at the very end: the scores of all rows of the training and the
/// validation part, charged with one evaluation each, and tighten(). If no scale is sure, the
/// weights stay as they were.
class Certified final : public Algorithm {
 public:
  /// @param offset  added to the mean losses of the training part's cells wherever the bounds are
  ///                meant, shape (cells,); empty: nothing. The promise above is then of these sums,
  ///                with as much of the offset as can be reached.
  Certified(const Problem& problem, const CertifiedOptions& options, const Address& address,
            std::vector<double> offset = {});

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(options_.batch); }
  [[nodiscard]] bool recovers() const override { return true; }
  void finish(std::span<double> w) override;
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

  /// Share of the offset with which the result is within the bounds; 1 where there is none. Below
  /// 0: no weights within the bounds have been found, and the gap is beyond them by as much. That
  /// can be so for rates of errors alone.
  [[nodiscard]] double aim() const noexcept { return randomises() ? draw_.aim : best_aim_; }
  /// The best draw, where one is asked for.
  [[nodiscard]] const RandomisedClassifier& draw() const noexcept { return draw_; }
  /// Evaluations of tries to reach as much of the offset as can be, as far as the budget did not
  /// pay for them.
  [[nodiscard]] std::int64_t beyond_budget() const noexcept { return beyond_budget_; }
  /// What was found for the confidence asked for; no tests where none was.
  [[nodiscard]] const Tightening& tightening() const noexcept { return tightening_; }

  /// Evaluations of all rows by the last layer at the end, at most: as many as the options allow
  /// and the budget pays for.
  struct LastEvaluations {
    std::int64_t single = 0;  ///< for the single classifier
    std::int64_t draw = 0;    ///< for the draw, where one is asked for
    bool are_all = true;      ///< that the options allow
  };
  [[nodiscard]] LastEvaluations last_evaluations(std::int64_t budget) const;

  /// Evaluations from one look at an iterate to the next, the look included; the first one is at
  /// the start. 0: there are none, as there would be fewer than ten.
  /// @param whole  evaluations of the stochastic part. @param rows  of the training part, >= 1.
  [[nodiscard]] static std::int64_t looks_every(std::int64_t whole, std::int64_t rows) {
    const std::int64_t every = 11 * rows;
    return whole / every >= 10 ? every : 0;
  }

  /// Candidates that the validation part chooses among, beside the last iterate: at most 7, and as
  /// many as a quarter of the stochastic part pays for.
  /// @param whole  evaluations of the stochastic part. @param each  of a candidate, >= 1.
  [[nodiscard]] static std::int64_t candidates_in(std::int64_t whole, std::int64_t each) {
    return std::clamp<std::int64_t>(whole / (4 * each), 0, 7);
  }

  /// @throws std::invalid_argument  too small a budget for the passes at the end, or none; a
  /// confidence, a choice or a shift by held-out rows without a validation part; two of them, as no
  /// part is left that has not decided; folds of a cell with fewer than two rows.
  static void validate_for(const Problem& problem, const CertifiedOptions& options,
                           const RunOptions& run);

 private:
  enum class Stage : std::int32_t { steps, confidence, done };

  bool stochastic_step(std::span<double> w, Allowance& allowance);
  /// gradient_ += that of the batch.
  void add_gradient(std::span<const double> w, std::span<const std::int64_t> positions);
  /// None where the run has diverged: levelling down can do that to losses without an upper bound.
  [[nodiscard]] std::span<const double> losses_of_batch(std::span<const double> w);
  /// Keeps an iterate within the bounds that is the best so far.
  void look(std::span<const double> w, Allowance& allowance);
  /// Keeps an iterate that has been looked at, which has these rates, for a draw.
  void keep_for_draw(std::span<const double> w, const std::vector<double>& cells);
  [[nodiscard]] bool look_is_due(const Allowance& allowance) const;
  /// Adds an iterate to the mean of the latest ones.
  void add_to_mean(std::span<const double> w, std::int64_t used);
  [[nodiscard]] bool candidate_is_due(const Allowance& allowance) const;
  /// Leads the mean of the latest iterates within the bounds.
  void try_candidate(Allowance& allowance);
  [[nodiscard]] std::int64_t cost_of_candidate() const;
  [[nodiscard]] bool randomises() const { return options_.classifier == Classifier::randomised; }
  [[nodiscard]] bool chooses() const { return options_.choose_by == ChooseBy::validation; }
  /// From the first weights, with smaller steps.
  void begin_again(std::span<double> w);
  void end_within_bounds(std::span<double> w, Allowance& allowance);
  /// Weights whose last layer has been led within the bounds, and what is to be small.
  struct Ending {
    std::vector<double> w;
    double loss = 0;  ///< mean, of the part that chooses
    double aim = 1;   ///< share of the offset that was reached; below 0: less the excess of a gap
    std::int64_t evaluations = 0;  ///< of the network
    RandomisedClassifier draw{};
  };
  [[nodiscard]] Ending ended(std::span<const double> w, std::int64_t last_layer);
  /// The last layer's way with the whole offset, or as much of it as can be reached: three
  /// quarters, three quarters of that and so on, at last none. @param aim  becomes that share.
  [[nodiscard]] LastLayerResult led_within_bounds(LastLayer& layer, std::span<const double> start,
                                                  const LastLayerOptions& options,
                                                  double& aim) const;
  /// The best draw among the iterates looked at, the last one, the single classifier, both constant
  /// decisions and what search_mixture() finds beside these.
  /// @param w  the last iterate. @param single  the last layer within the bounds.
  /// @param evaluations  of the last layer, at most; becomes what was made.
  [[nodiscard]] RandomisedClassifier drawn(LastLayer& layer, std::span<const double> w,
                                           const std::vector<double>& single,
                                           std::int64_t& evaluations) const;
  /// As much of the offset as the pool can keep the bounds with.
  [[nodiscard]] double aim_pool(ClassifierPool& pool) const;
  /// Of what was aimed further first.
  void keep_if_better(Ending ending);
  void tighten_best(std::span<double> w, Allowance& allowance);

  /// Evaluations of rows that are kept of a budget for what follows the stochastic steps.
  struct Reserve {
    std::int64_t last_layer = 0;  ///< evaluations of the last layer
    std::int64_t cost = 0;        ///< of them and of their inputs
    std::int64_t choice = 0;      ///< validation rows that the end is tried on
    std::int64_t confidence = 0;
    [[nodiscard]] std::int64_t all() const { return cost + choice + confidence; }
  };
  [[nodiscard]] Reserve reserve(std::int64_t budget) const;
  /// Of the last layer's evaluations those for the single classifier.
  [[nodiscard]] std::int64_t of_single(std::int64_t last_layer) const;
  /// Of all rows by the last layer.
  [[nodiscard]] std::int64_t most_evaluations() const;
  static void validate_draw(const Problem& problem, const CertifiedOptions& options);
  static void validate_shift(const Problem& problem, const CertifiedOptions& options);
  /// The training part's means of the cells, as the bounds mean them.
  std::span<const double> aimed_means();
  [[nodiscard]] static std::int64_t cost_of_confidence(const Problem& problem,
                                                       const CertifiedOptions& options);
  [[nodiscard]] std::int64_t rows() const { return problem_.train.size(); }
  /// Evaluations that the inputs of the last layer cost: those of a linear score are there.
  [[nodiscard]] std::int64_t cost_of_inputs() const;

  const Problem& problem_;
  CertifiedOptions options_;
  std::vector<double> offset_;
  std::vector<double> offset_gaps_;  ///< D offset, shape (gaps,)
  std::vector<double> aimed_;
  Strata strata_;
  LossTable table_;
  LevelMultipliers multipliers_;
  Adam adam_;
  Pass pass_;
  solvers::Control unwatched_;  ///< whoever wants a stop asks base::stop_point()
  FullData full_;
  Stage stage_ = Stage::steps;
  std::vector<double> best_;  ///< the best weights within the bounds, or none yet
  /// Their mean loss in the part that chooses.
  double best_loss_ = std::numeric_limits<double>::infinity();
  double best_aim_ = 1;  ///< as aim()
  std::int64_t beyond_budget_ = 0;
  std::vector<double> start_;  ///< empty before the first step
  double shrink_ = 1;          ///< of the stochastic steps
  std::int64_t looks_ = 0;     ///< at iterates so far, or candidates
  std::vector<double> mean_;   ///< of the latest iterates; empty where it is of no use
  Tightening tightening_{};
  RandomisedClassifier draw_;
  std::vector<CountedClassifier> looked_at_;  ///< the latest iterates of them, for a draw
  std::vector<std::int64_t> rows_;
  std::vector<double> factors_, of_cells_, gradient_;
};

}  // namespace fairfront::training
