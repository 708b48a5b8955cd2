/// @file
/// Fair linear models as a problem with two objectives: a regularised loss against a smooth
/// measure of unfairness.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "base/random.hpp"
#include "data/dataset.hpp"
#include "models/linear_model.hpp"
#include "models/mean_loss.hpp"
#include "models/supervised.hpp"
#include "optimise/box.hpp"

namespace fairfront::alternating {

enum class FairnessKind { covariance, loss_gap };

/// The [model] section: what a problem on data is made of.
struct DataProblemOptions {
  models::LossKind loss = models::LossKind::logistic;
  FairnessKind fairness = FairnessKind::covariance;
  double fairness_scale = 1;     ///< f_2 is multiplied by it, to be comparable with f_1
  double regularisation = 1e-3;  ///< rho of f_1 = mean loss + rho |w|^2 / 2
  double bound = 10;             ///< |w_j| <= bound
  std::int64_t batch = 0;        ///< rows drawn for one estimate; 0: all rows, no randomness
};

[[nodiscard]] base::OptionTable options_of(DataProblemOptions& options);

/// f_1(w) = (1/N) sum_i loss(s_i, y_i) + rho |w|^2 / 2 with scores s_i = w_0 + w^T x_i.
///
/// f_2(w), times fairness_scale, one of
/// - covariance: (1/2) sum_j cov_j^2, cov_j = (1/N) sum_i (1[group_i = j] - N_j/N) s_i. For two
///   groups this is the squared covariance of score and group: M. B. Zafar et al., "Fairness
///   constraints: mechanisms for fair classification" (2017), squared to be smooth.
/// - loss_gap: sum over pairs of groups of (L_j - L_k)^2, L_j the mean loss in group j.
///
/// With a batch, estimates draw rows with replacement. f_2 is a square (or a product) of means, so
/// its gradient is estimated from two batches drawn apart, one for either factor: unbiased. The
/// batches of loss_gap are drawn in every group, `batch` rows in each.
class DataProblem {
 public:
  /// @throws base::InputError  no labels; one or more than 64 groups; logistic loss without
  ///         exactly two different labels, of which the greater one becomes +1, the other -1.
  DataProblem(std::shared_ptr<const data::Dataset> dataset, const DataProblemOptions& options);

  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }
  [[nodiscard]] double value(std::int64_t objective, std::span<const double> w) const;
  void gradient(std::int64_t objective, std::span<const double> w, std::span<double> out) const;
  /// The exact gradient where batch = 0.
  void stochastic_gradient(std::int64_t objective, std::span<const double> w, base::Stream& stream,
                           std::span<double> out) const;

  /// Of loss_gap: f_2 = fairness_scale times the sum of squares of all L_j - L_k, and is 0 where
  /// the L_j - L_0, j = 1 .. J-1, are. None of covariance.
  [[nodiscard]] std::int64_t differences() const { return convex() ? 0 : groups() - 1; }
  void differences_at(std::span<const double> w, std::span<double> out) const;
  /// Of sum_j factors_j (L_j - L_0).
  void differences_gradient(std::span<const double> w, std::span<const double> factors,
                            std::span<double> out) const;
  /// w = 0, and the constant score that the labels alone would have, without regularisation.
  [[nodiscard]] std::vector<std::vector<double>> plain_points() const;

  /// Looks at rows that a call takes. The exact covariance has sums in place of rows, which take
  /// one look at each.
  [[nodiscard]] std::int64_t rows_of_value(std::int64_t objective) const;
  [[nodiscard]] std::int64_t rows_of_gradient(std::int64_t objective) const;
  [[nodiscard]] std::int64_t rows_of_estimate(std::int64_t objective) const;  ///< of its gradient
  [[nodiscard]] std::int64_t rows_of_sums() const { return convex() ? rows() : 0; }

  [[nodiscard]] bool stochastic() const { return options_.batch > 0; }
  [[nodiscard]] models::LossKind loss() const { return options_.loss; }
  [[nodiscard]] std::int64_t rows() const { return dataset_->rows; }

  /// Both objectives are convex: the covariance is, squares of differences of losses are not.
  [[nodiscard]] bool convex() const { return options_.fairness == FairnessKind::covariance; }
  /// Of S(w, weights), where the problem is convex: weights_1 rho.
  [[nodiscard]] double convexity(std::span<const double> weights) const {
    return weights[0] * options_.regularisation;
  }
  /// The second derivatives of S(w, weights): the lower triangle of a matrix (n, n), column-major.
  /// @throws std::logic_error  the problem is not convex.
  void hessian(std::span<const double> weights, std::span<const double> w,
               std::span<double> out) const;

 private:
  static constexpr std::int64_t most_groups = 64;
  using PerGroup = std::array<double, most_groups>;

  [[nodiscard]] std::int64_t groups() const { return examples_.groups(); }
  [[nodiscard]] models::Rows all() const { return {dataset_->features, dataset_->columns}; }
  [[nodiscard]] models::Rows members(std::int64_t group) const;
  [[nodiscard]] double mean_loss(const models::Rows& rows, std::span<const double> w) const;
  /// out += factor * (gradient of mean_loss()).
  void add_loss_gradient(const models::Rows& rows, std::span<const double> w, double factor,
                         std::span<double> out) const;
  [[nodiscard]] PerGroup mean_losses(std::span<const double> w) const;
  /// Calls visit(rows) with `batch` rows in all, drawn with replacement out of some.
  template <class Visit>
  void draw_rows(const models::Rows& from, base::Stream& stream, Visit visit) const;
  /// The share of the batch that these rows are.
  [[nodiscard]] double share_of(const models::Rows& rows) const {
    return static_cast<double>(rows.size()) / static_cast<double>(options_.batch);
  }
  void add_regularisation(std::span<const double> w, std::span<double> out) const;
  void scale_fairness(std::span<double> out) const;
  [[nodiscard]] double unfairness(std::span<const double> w) const;
  void covariance_gradient(std::span<const double> w, std::span<double> out) const;
  void loss_gap_gradient(std::span<const double> w, std::span<double> out) const;
  void draw_loss_gradient(std::span<const double> w, base::Stream& stream,
                          std::span<double> out) const;
  void draw_covariance_gradient(std::span<const double> w, base::Stream& stream,
                                std::span<double> out) const;
  void draw_loss_gap_gradient(std::span<const double> w, base::Stream& stream,
                              std::span<double> out) const;

  std::shared_ptr<const data::Dataset> dataset_;
  DataProblemOptions options_;
  optimise::Box box_;
  models::LinearModel model_;
  models::Supervised examples_;      ///< all rows of the data set
  std::vector<double> covariances_;  ///< shape (J, d + 1): cov_j = covariances_[j]^T w
};

}  // namespace fairfront::alternating
