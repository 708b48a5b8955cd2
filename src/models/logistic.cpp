#include "models/logistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "models/mean_loss.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::models {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr std::int64_t most_weights_for_newton = 1000;

using base::at;

void validate(const Rows& rows, const LogisticOptions& options) {
  if (rows.size() == 0) throw std::invalid_argument("logistic regression: no rows");
  if (!(options.l2 >= 0) || !std::isfinite(options.l2)) {
    throw std::invalid_argument(fmt::format("LogisticOptions::l2 = {}, must be >= 0", options.l2));
  }
}

/// Calls visit(rows) for all rows, a block at a time.
template <class Visit>
void for_each_block(const Rows& rows, Visit visit) {
  for (std::int64_t first = 0; first < rows.size(); first += rows_per_block) {
    base::stop_point();
    visit(rows.part(first, std::min(rows_per_block, rows.size() - first)));
  }
}

/// The rows as columns, each with a 1 in front where the model has an intercept.
Matrix columns_of(const Rows& rows, const LinearModel& model) {
  const Index first = model.has_intercept() ? 1 : 0;
  Matrix columns(model.parameters(), rows.size());
  for (Index i = 0; i < columns.cols(); ++i) {
    if (first == 1) columns(0, i) = 1;
    for (Index j = first; j < columns.rows(); ++j) columns(j, i) = rows.row(i)[j - first];
  }
  return columns;
}

/// l2 |w|^2 / 2 of the weights of one linear model, and its slopes.
double add_penalty(const LinearModel& model, double l2, std::span<const double> w,
                   std::span<double> gradient) {
  double squares = 0;
  for (std::size_t j = model.has_intercept() ? 1 : 0; j < w.size(); ++j) {
    squares += w[j] * w[j];
    gradient[j] += l2 * w[j];
  }
  return 0.5 * l2 * squares;
}

/// The mean of the squares of each column; of the intercept's column of ones it is 1.
std::vector<double> mean_squares(const Rows& rows, const LinearModel& model) {
  std::vector<double> sums(at(model.parameters()), 0.0);
  const std::size_t first = model.has_intercept() ? 1 : 0;
  if (first == 1) sums[0] = 1;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (i % rows_between_stops == 0) base::stop_point();
    for (std::size_t j = first; j < sums.size(); ++j) {
      const double x = rows.row(i)[j - first];
      sums[j] += x * x / static_cast<double>(rows.size());
    }
  }
  return sums;
}

/// What both problems have in common: how they are minimised.
/// @param spread  p (1 - p) of a class at weights 0.
template <class Problem>
optimise::MinimiseResult fit(Problem& problem, const Rows& rows, const LinearModel& model,
                             const LogisticOptions& options, std::int64_t copies, double spread) {
  const std::vector<double> start(at(copies * model.parameters()), 0.0);
  const optimise::MinimiseOptions how{options.tolerance, options.max_iterations};
  const auto function = [&](std::span<const double> w, std::span<double> gradient) {
    return problem.evaluate(w, gradient);
  };
  const bool newton =
      options.minimiser == Minimiser::newton ||
      (options.minimiser == Minimiser::by_size && std::ssize(start) <= most_weights_for_newton);
  if (newton) {
    const auto hessian = [&](std::span<const double> w, std::span<double> matrix) {
      problem.hessian(w, matrix);
    };
    return optimise::minimise_newton(function, hessian, start, how);
  }
  std::vector<double> curvatures;
  for (std::int64_t k = 0; k < copies; ++k) {
    for (const double square : mean_squares(rows, model)) {
      const double curvature = spread * square + options.l2;
      curvatures.push_back(curvature > 0 ? curvature : 1.0);
    }
  }
  return optimise::minimise_lbfgs(function, curvatures, start, how);
}

/// Two classes.
class Binary {
 public:
  Binary(const Rows& rows, std::span<const double> labels, const LinearModel& model, double l2)
      : rows_{rows}, labels_{labels}, model_{model}, l2_{l2} {}

  double evaluate(std::span<const double> w, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    const double loss = mean_loss(model_, w, rows_, labels_, LossKind::logistic, scratch_);
    add_mean_loss_gradient(model_, w, rows_, labels_, LossKind::logistic, 1, scratch_, gradient);
    return loss + add_penalty(model_, l2_, w, gradient);
  }

  /// X^T diag(p (1 - p)) X / m + l2.
  void hessian(std::span<const double> w, std::span<double> out) {
    const Index n = model_.parameters();
    Matrix sum = Matrix::Zero(n, n);
    for_each_block(rows_, [&](const Rows& block) {
      const auto p = std::span(scratch_.values).first(at(block.size()));
      model_.scores(w, block, scratch_.model, p);
      base::sigmoid(p, p);
      Matrix columns = columns_of(block, model_);
      for (Index i = 0; i < columns.cols(); ++i) {
        columns.col(i) *= std::sqrt(p[at(i)] * (1 - p[at(i)]));
      }
      sum.selfadjointView<Eigen::Lower>().rankUpdate(columns);
    });
    sum /= static_cast<double>(rows_.size());
    for (Index j = model_.has_intercept() ? 1 : 0; j < n; ++j) sum(j, j) += l2_;
    Eigen::Map<Matrix>(out.data(), n, n) = sum;
  }

 private:
  Rows rows_;
  std::span<const double> labels_;
  LinearModel model_;
  double l2_;
  LossScratch<LinearModel> scratch_;
};

/// Scores and probabilities of all classes in a block of rows, class after class.
class Softmax {
 public:
  Softmax(const LinearModel& model, std::int64_t count)
      : model_{model},
        count_{count},
        scores_(at(count * rows_per_block)),
        p_(scores_.size()),
        log_sums_(at(rows_per_block)),
        sums_(log_sums_.size()) {}

  /// At most rows_per_block rows; w as fit_multinomial() returns it.
  void evaluate(std::span<const double> w, const Rows& rows) {
    rows_ = at(rows.size());
    const auto n = at(model_.parameters());
    LinearModel::Scratch scratch;
    for (std::int64_t k = 0; k < count_; ++k) {
      model_.scores(w.subspan(at(k) * n, n), rows, scratch, of(scores_, k));
    }
    const auto most = std::span(log_sums_).first(rows_);
    const auto sums = std::span(sums_).first(rows_);
    std::ranges::copy(of(scores_, 0), most.begin());
    for (std::int64_t k = 1; k < count_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) most[i] = std::max(most[i], of(scores_, k)[i]);
    }
    std::ranges::fill(sums, 0.0);
    for (std::int64_t k = 0; k < count_; ++k) {
      const auto p = of(p_, k);
      for (std::size_t i = 0; i < rows_; ++i) p[i] = of(scores_, k)[i] - most[i];
      base::exp(p, p);
      for (std::size_t i = 0; i < rows_; ++i) sums[i] += p[i];
    }
    for (std::int64_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < rows_; ++i) of(p_, k)[i] /= sums[i];
    }
    base::log(sums, sums);
    for (std::size_t i = 0; i < rows_; ++i) most[i] += sums[i];
  }

  /// P(class k) by row.
  [[nodiscard]] std::span<double> of_class(std::int64_t k) { return of(p_, k); }
  /// -log P(class k) of row i, also where the probability is too small for a double.
  [[nodiscard]] double loss(std::int64_t k, std::size_t i) const {
    return log_sums_[i] - scores_[at(k * rows_per_block) + i];
  }

 private:
  [[nodiscard]] std::span<double> of(std::vector<double>& values, std::int64_t k) const {
    return std::span(values).subspan(at(k * rows_per_block), rows_);
  }

  LinearModel model_;
  std::int64_t count_;
  std::size_t rows_ = 0;
  std::vector<double> scores_, p_, log_sums_, sums_;
};

/// The lower triangle of block -= X^T diag(p q) X, for rows X given as columns.
void subtract_products(const Matrix& columns, std::span<const double> p, std::span<const double> q,
                       Eigen::Block<Matrix> block) {
  Matrix weighted(columns.rows(), columns.cols());
  for (Index i = 0; i < columns.cols(); ++i) {
    weighted.col(i) = std::sqrt(p[at(i)] * q[at(i)]) * columns.col(i);
  }
  block.selfadjointView<Eigen::Lower>().rankUpdate(weighted, -1);
}

class Multinomial {
 public:
  Multinomial(const Rows& rows, std::span<const std::int32_t> classes, std::int64_t count,
              const LinearModel& model, double l2)
      : rows_{rows}, classes_{classes}, count_{count}, model_{model}, l2_{l2}, p_{model, count} {}

  double evaluate(std::span<const double> w, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    const auto n = at(model_.parameters());
    const double share = 1.0 / static_cast<double>(rows_.size());
    double loss = 0;
    for_each_block(rows_, [&](const Rows& block) {
      p_.evaluate(w, block);
      for (std::size_t i = 0; i < at(block.size()); ++i) {
        loss += share * p_.loss(class_of(block, i), i);
      }
      for (std::int64_t k = 0; k < count_; ++k) {
        const auto slopes = p_.of_class(k);
        for (std::size_t i = 0; i < slopes.size(); ++i) {
          slopes[i] = share * (slopes[i] - (class_of(block, i) == k ? 1.0 : 0.0));
        }
        LinearModel::Scratch scratch;
        model_.pull_back(w.subspan(at(k) * n, n), block, scratch, slopes,
                         gradient.subspan(at(k) * n, n));
      }
    });
    for (std::size_t k = 0; k < at(count_); ++k) {
      loss += add_penalty(model_, l2_, w.subspan(k * n, n), gradient.subspan(k * n, n));
    }
    return loss;
  }

  /// Blocks (k, l) X^T diag(p_k (1[k = l] - p_l)) X / m + 1[k = l] l2. Those off the diagonal are
  /// symmetric and computed; what stands on the diagonal makes each row of blocks sum to 0.
  void hessian(std::span<const double> w, std::span<double> out) {
    const Index n = model_.parameters();
    Matrix sum = Matrix::Zero(count_ * n, count_ * n);
    for_each_block(rows_, [&](const Rows& block) {
      p_.evaluate(w, block);
      const Matrix columns = columns_of(block, model_);
      for (Index k = 1; k < count_; ++k) {
        for (Index l = 0; l < k; ++l) {
          subtract_products(columns, p_.of_class(k), p_.of_class(l), sum.block(k * n, l * n, n, n));
        }
      }
    });
    sum /= static_cast<double>(rows_.size());
    for (Index k = 1; k < count_; ++k) {
      for (Index l = 0; l < k; ++l) {
        auto block = sum.block(k * n, l * n, n, n);
        block.triangularView<Eigen::StrictlyUpper>() = block.transpose();
        sum.block(k * n, k * n, n, n) -= block;
        sum.block(l * n, l * n, n, n) -= block;
      }
    }
    for (Index k = 0; k < count_; ++k) {
      for (Index j = model_.has_intercept() ? 1 : 0; j < n; ++j) sum(k * n + j, k * n + j) += l2_;
    }
    fill_flat_directions(sum);
    Eigen::Map<Matrix>(out.data(), sum.rows(), sum.cols()) = sum;
  }

 private:
  [[nodiscard]] std::int32_t class_of(const Rows& block, std::size_t i) const {
    return classes_[at(block.number(static_cast<std::int64_t>(i)))];
  }

  /// The same change of a weight in all classes changes no probability. There the gradient is 0, so
  /// curvature along it moves nothing, and makes the matrix regular.
  void fill_flat_directions(Matrix& sum) const {
    const Index n = model_.parameters();
    for (Index j = 0; j < n; ++j) {
      double curvature = 0;
      for (Index k = 0; k < count_; ++k) curvature += sum(k * n + j, k * n + j);
      curvature /= static_cast<double>(count_ * count_);
      for (Index k = 0; k < count_; ++k) {
        for (Index l = 0; l <= k; ++l) sum(k * n + j, l * n + j) += curvature;
      }
    }
  }

  Rows rows_;
  std::span<const std::int32_t> classes_;
  std::int64_t count_;
  LinearModel model_;
  double l2_;
  Softmax p_;
};

}  // namespace

optimise::MinimiseResult fit_logistic(const Rows& rows, std::span<const double> labels,
                                      const LogisticOptions& options) {
  validate(rows, options);
  const LinearModel model(rows.columns(), options.intercept);
  Binary problem(rows, labels, model, options.l2);
  return fit(problem, rows, model, options, 1, 0.25);
}

optimise::MinimiseResult fit_multinomial(const Rows& rows, std::span<const std::int32_t> classes,
                                         std::int64_t count, const LogisticOptions& options) {
  validate(rows, options);
  if (count < 2) {
    throw std::invalid_argument(fmt::format("fit_multinomial: {} classes, must be >= 2", count));
  }
  const LinearModel model(rows.columns(), options.intercept);
  Multinomial problem(rows, classes, count, model, options.l2);
  const double share = 1.0 / static_cast<double>(count);
  return fit(problem, rows, model, options, count, share * (1 - share));
}

void multinomial_probabilities(const Rows& rows, std::span<const double> weights,
                               std::int64_t count, Intercept intercept, std::span<double> out) {
  Softmax p(LinearModel(rows.columns(), intercept), count);
  std::size_t place = 0;
  for_each_block(rows, [&](const Rows& block) {
    p.evaluate(weights, block);
    for (std::size_t i = 0; i < at(block.size()); ++i) {
      for (std::int64_t k = 0; k < count; ++k) out[place++] = p.of_class(k)[i];
    }
  });
}

}  // namespace fairfront::models
