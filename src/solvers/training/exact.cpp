#include "solvers/training/exact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "models/decomposition.hpp"
#include "models/loss.hpp"
#include "models/minimise.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t block = 128;

std::span<const double> view(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// d^2 loss / d score^2.
double curvature(models::LossKind loss, double slope) {
  if (loss == models::LossKind::square) return 1;
  const double probability = std::abs(slope);  // of the other label
  return probability * (1 - probability);
}

/// Eigenvalues below a small share of the largest one become that share; negative ones change their
/// sign. @param matrix  its lower triangle counts, and is filled.
void make_positive_definite(std::span<double> matrix, Index n) {
  constexpr double least_share = 1e-10;
  const Matrix lower = Eigen::Map<const Matrix>(matrix.data(), n, n);
  const Matrix changed = models::with_matrix(lower, [](const Matrix& given) -> Matrix {
    const Eigen::SelfAdjointEigenSolver<Matrix> found(given);
    Vector values = found.eigenvalues().cwiseAbs();
    const double least = std::max(least_share * values.maxCoeff(), 1e-300);
    if (found.eigenvalues().minCoeff() >= least) return {};
    values = values.cwiseMax(least);
    return found.eigenvectors() * values.asDiagonal() * found.eigenvectors().transpose();
  });
  if (changed.size() > 0) Eigen::Map<Matrix>(matrix.data(), n, n) = changed;
}

/// The augmented Lagrangian of |d| <= delta.
struct Augmented {
  CellLosses& losses;
  double delta;
  double penalty = 1;
  Vector upper, lower;  ///< multipliers of d <= delta and -d <= delta

  /// The multipliers that a step of the method takes next, upper less lower.
  [[nodiscard]] Vector next(std::span<const double> d) const {
    Vector v(upper.size());
    for (Index i = 0; i < v.size(); ++i) {
      const double gap = d[static_cast<std::size_t>(i)];
      v[i] = next_upper(i, gap) - next_lower(i, gap);
    }
    return v;
  }
  [[nodiscard]] double next_upper(Index i, double gap) const {
    return std::max(0.0, upper[i] + penalty * (gap - delta));
  }
  [[nodiscard]] double next_lower(Index i, double gap) const {
    return std::max(0.0, lower[i] + penalty * (-gap - delta));
  }

  double operator()(std::span<const double> w, std::span<double> gradient) const {
    losses.evaluate(w);
    double value = losses.loss();
    const auto d = losses.gaps();
    for (Index i = 0; i < upper.size(); ++i) {
      const double gap = d[static_cast<std::size_t>(i)];
      const double up = next_upper(i, gap);
      const double down = next_lower(i, gap);
      value += (up * up - upper[i] * upper[i] + down * down - lower[i] * lower[i]) / (2 * penalty);
    }
    std::ranges::copy(losses.gradient(), gradient.begin());
    const Vector v = next(d);
    losses.add_pulled_back(view(v), gradient);
    return value;
  }

  void hessian(std::span<const double> w, std::span<double> out) const {
    losses.evaluate(w);
    const Vector v = next(losses.gaps());
    losses.hessian(w, view(v), out);
    const auto n = static_cast<Index>(w.size());
    Eigen::Map<Matrix> matrix(out.data(), n, n);
    for (Index i = 0; i < v.size(); ++i) {
      if (v[i] == 0) continue;
      const auto row = losses.gap_gradient(static_cast<std::size_t>(i));
      Vector direction(n);
      std::ranges::copy(row, direction.begin());
      for (Index j = 0; j < n; ++j) matrix.col(j) += penalty * direction[j] * direction;
    }
    make_positive_definite(out, n);
  }
};

class Solver {
 public:
  Solver(const Problem& problem, const ExactOptions& options, const solvers::Control& control)
      : options_{options}, losses_{problem}, heart_{control} {}

  ExactOptimum run() {
    const std::size_t n = losses_.parameters();
    const std::vector<double> zero(n, 0.0);
    free_ = minimise_convex(zero, std::vector<double>(losses_.num_gaps(), 0.0));
    ExactOptimum best;
    best.loss = std::numeric_limits<double>::infinity();
    std::vector<double> ends;
    std::int64_t ended = 0;
    for (std::int64_t k = 0; k < options_.starts + 2; ++k) {
      ExactOptimum found = descend(start(k));
      ended += found.converged ? 1 : 0;
      if (found.converged) ends.push_back(found.loss);
      const bool better =
          found.converged == best.converged ? found.loss < best.loss : found.converged;
      if (better || k == 0) best = std::move(found);
    }
    best.ended = ended;
    best.best = std::ranges::count_if(
        ends, [&](double loss) { return loss - best.loss <= 10 * options_.tolerance; });
    best.lower = lower_bound(best);
    best.newton_steps = steps_;
    return best;
  }

 private:
  /// Minimises f + v'd, which must be convex.
  models::MinimiseResult minimise_convex(std::span<const double> from, std::span<const double> v) {
    const auto value = [&](std::span<const double> w, std::span<double> gradient) {
      heart_.beat();
      losses_.evaluate(w);
      std::ranges::copy(losses_.gradient(), gradient.begin());
      losses_.add_pulled_back(v, gradient);
      double sum = losses_.loss();
      for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * losses_.gaps()[i];
      return sum;
    };
    const auto hessian = [&](std::span<const double> w, std::span<double> out) {
      losses_.hessian(w, v, out);
    };
    auto found = models::minimise_newton(value, hessian, from, inner(options_.tolerance));
    steps_ += found.iterations;
    return found;
  }

  [[nodiscard]] static models::MinimiseOptions inner(double tolerance) {
    return {.tolerance = 0.1 * tolerance, .max_iterations = 200};
  }

  [[nodiscard]] std::vector<double> start(std::int64_t k) const {
    const std::vector<double>& w = free_.weights;
    if (k == 0) return w;
    if (k == 1) return std::vector<double>(w.size(), 0.0);
    base::Stream stream(base::StreamKey(1, "exact_training", "training/starts"),
                        static_cast<std::uint64_t>(k));
    const double scale = 2 * stream.uniform();
    std::vector<double> around;
    for (const double value : w) around.push_back(scale * value + stream.normal());
    return around;
  }

  ExactOptimum descend(std::vector<double> w) {
    const auto q = static_cast<Index>(losses_.num_gaps());
    // A little inside, so that the end is feasible and not only nearly so.
    const double aim = std::max(options_.delta - 0.1 * options_.tolerance, 0.5 * options_.delta);
    Augmented function{losses_, aim, 1, Vector::Zero(q), Vector::Zero(q)};
    ExactOptimum found;
    double last = std::numeric_limits<double>::infinity();
    double tolerance = 1e-3;
    for (std::int64_t round = 0; round < options_.rounds; ++round) {
      tolerance = std::max(options_.tolerance, 0.1 * tolerance);
      auto inner_end = models::minimise_newton(
          [&](auto at, auto gradient) {
            heart_.beat();
            return function(at, gradient);
          },
          [&](auto at, auto out) { function.hessian(at, out); }, w, inner(tolerance));
      steps_ += inner_end.iterations;
      w = std::move(inner_end.weights);
      losses_.evaluate(w);
      update(function);
      found = measured(w, function);
      if (found.converged) break;
      const double distance = std::max(found.violation, found.complementarity);
      if (distance > 0.25 * last) function.penalty = std::min(10 * function.penalty, 1e6);
      last = distance;
    }
    return found;
  }

  /// The multipliers of the minimiser: with them the Lagrangian's gradient is that of `function`.
  void update(Augmented& function) const {
    for (Index i = 0; i < function.upper.size(); ++i) {
      const double gap = losses_.gaps()[static_cast<std::size_t>(i)];
      const double up = function.next_upper(i, gap);
      function.lower[i] = function.next_lower(i, gap);
      function.upper[i] = up;
    }
  }

  ExactOptimum measured(const std::vector<double>& w, const Augmented& function) {
    ExactOptimum at;
    at.w = w;
    at.loss = losses_.loss();
    at.gaps.assign(losses_.gaps().begin(), losses_.gaps().end());
    std::vector<double> gradient(losses_.gradient().begin(), losses_.gradient().end());
    for (Index i = 0; i < function.upper.size(); ++i) {
      const double gap = at.gaps[static_cast<std::size_t>(i)];
      at.multipliers.push_back(function.upper[i] - function.lower[i]);
      at.complementarity =
          std::max({at.complementarity, function.upper[i] * std::abs(gap - options_.delta),
                    function.lower[i] * std::abs(gap + options_.delta)});
    }
    losses_.add_pulled_back(at.multipliers, gradient);
    at.stationarity = largest_size(gradient);
    at.violation = std::max(largest_size(at.gaps) - options_.delta, 0.0);  // NaN stays
    at.converged =
        at.violation == 0 && std::max(at.stationarity, at.complementarity) <= options_.tolerance;
    return at;
  }

  /// The least value of the Lagrangian at the multipliers, or at as much of them as it stays convex
  /// with, and of the loss alone.
  double lower_bound(const ExactOptimum& at) {
    double bound = free_.value;
    double share = 1;
    const std::vector<double> none(at.multipliers.size(), 0.0);
    const std::vector<double> base = losses_.weights(none);
    const std::vector<double> full = losses_.weights(at.multipliers);
    for (std::size_t k = 0; k < base.size(); ++k) {
      if (full[k] < 0) share = std::min(share, base[k] / (base[k] - full[k]));
    }
    if (share == 0) return bound;
    std::vector<double> v = at.multipliers;
    double price = 0;
    for (double& value : v) {
      value *= share;
      price += std::abs(value) * options_.delta;
    }
    const auto least = minimise_convex(at.w, v);
    return least.converged() ? std::max(bound, least.value - price) : bound;
  }

  const ExactOptions& options_;
  CellLosses losses_;
  solvers::Heartbeat heart_;
  models::MinimiseResult free_;  ///< the optimum without constraints
  std::int64_t steps_ = 0;
};

}  // namespace

base::OptionTable options_of(ExactOptions& options) {
  base::OptionTable table("exact_training");
  table.add("delta", options.delta, base::above(0.0), "loss",
            "Bound of every difference of mean losses in training.fairness.");
  table.assign_role(base::Role::trade_off, {"delta"});
  table.add("tolerance", options.tolerance, base::between(1e-12, 0.1), "",
            "Largest stationarity and complementarity of a KKT point, which is feasible.");
  table.add("starts", options.starts, base::between<std::int64_t>(0, 1000), "",
            "Random starts, beside the optimum without constraints and weights 0.");
  table.add("rounds", options.rounds, base::between<std::int64_t>(1, 10'000), "",
            "Updates of the multipliers from a start, at most.");
  return table;
}

bool has_exact_optimum(const Problem& problem) {
  return problem.model.layers().size() == 1 && problem.loss != models::LossKind::hinge;
}

ExactOptimum exact_training(const Problem& problem, const ExactOptions& options,
                            const solvers::Control& control) {
  base::validate(options);
  return Solver(problem, options, control).run();
}

CellLosses::CellLosses(const Problem& problem) : problem_{problem}, columns_{problem.parameters()} {
  if (!has_exact_optimum(problem)) {
    throw std::invalid_argument(
        "an exact optimum needs a linear score (model.hidden empty) and training.loss = logistic "
        "or square");
  }
  const std::size_t slots = problem.constraints.cells().size() + 1;
  values_.resize(slots);
  gradients_.resize(slots * columns_);
  gaps_.resize(static_cast<std::size_t>(problem.constraints.gaps()));
  of_cells_.resize(slots - 1);
}

/// Calls visit(first, features with a 1 behind them, losses, slopes).
template <class Visit>
void CellLosses::for_each_block(std::span<const double> w, Visit visit) {
  const auto& rows = problem_.train.rows;
  const std::size_t d = columns_ - 1;
  std::vector<double> x(block * columns_, 1.0);
  std::array<double, block> score{}, label{}, loss{}, slope{};
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const std::size_t count = std::min(block, rows.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(rows[first + i]);
      const auto from = problem_.features.subspan(row * d, d);
      std::ranges::copy(from, x.begin() + static_cast<std::ptrdiff_t>(i * columns_));
      label[i] = problem_.labels[row];
      double sum = w[d];
      for (std::size_t j = 0; j < d; ++j) sum += w[j] * from[j];
      score[i] = sum;
    }
    const auto all = [&](std::array<double, block>& values) {
      return std::span(values).first(count);
    };
    models::loss_values(problem_.loss, all(score), all(label), all(loss));
    models::loss_slopes(problem_.loss, all(score), all(label), all(slope));
    visit(first, std::span<const double>(x).first(count * columns_), all(loss), all(slope));
  }
}

void CellLosses::evaluate(std::span<const double> w) {
  std::ranges::fill(values_, 0.0);
  std::ranges::fill(gradients_, 0.0);
  for_each_block(w, [&](std::size_t first, auto x, auto loss, auto slope) {
    for (std::size_t i = 0; i < loss.size(); ++i) {
      const std::size_t k = slot(first + i);
      values_[k] += loss[i];
      double* gradient = gradients_.data() + k * columns_;
      for (std::size_t j = 0; j < columns_; ++j) gradient[j] += slope[i] * x[i * columns_ + j];
    }
  });
  // So far slot 0 has the rows of no cell; it becomes the mean of all.
  const auto rows = static_cast<double>(problem_.train.size());
  for (std::size_t k = 1; k < values_.size(); ++k) {
    const auto count = static_cast<double>(problem_.train.of_cell[k - 1].size());
    values_[0] += values_[k];
    values_[k] /= count;
    for (std::size_t j = 0; j < columns_; ++j) {
      double& sum = gradients_[k * columns_ + j];
      gradients_[j] += sum;
      sum /= count;
    }
    of_cells_[k - 1] = values_[k];
  }
  values_[0] /= rows;
  for (std::size_t j = 0; j < columns_; ++j) gradients_[j] /= rows;
  problem_.constraints.gaps_of(of_cells_, gaps_);
}

void CellLosses::add_pulled_back(std::span<const double> v, std::span<double> out) {
  problem_.constraints.pull_back(v, of_cells_);
  for (std::size_t k = 0; k < of_cells_.size(); ++k) {
    const double* gradient = gradients_.data() + (k + 1) * columns_;
    for (std::size_t j = 0; j < columns_; ++j) out[j] += of_cells_[k] * gradient[j];
  }
}

std::vector<double> CellLosses::gap_gradient(std::size_t gap) const {
  std::vector<double> found(columns_, 0.0);
  for (std::size_t k = 0; k < of_cells_.size(); ++k) {
    const double factor =
        problem_.constraints.factor(static_cast<std::int64_t>(gap), static_cast<std::int64_t>(k));
    const double* gradient = gradients_.data() + (k + 1) * columns_;
    for (std::size_t j = 0; j < columns_; ++j) found[j] += factor * gradient[j];
  }
  return found;
}

std::vector<double> CellLosses::weights(std::span<const double> v) const {
  const auto rows = static_cast<double>(problem_.train.size());
  std::vector<double> pulled(of_cells_.size());
  problem_.constraints.pull_back(v, pulled);
  std::vector<double> weights{1.0};
  for (std::size_t k = 0; k < pulled.size(); ++k) {
    weights[0] -= static_cast<double>(problem_.train.of_cell[k].size()) / rows;
    weights.push_back(static_cast<double>(problem_.train.of_cell[k].size()) / rows + pulled[k]);
  }
  weights[0] = std::max(0.0, weights[0]);  // rounding
  return weights;
}

void CellLosses::hessian(std::span<const double> w, std::span<const double> v,
                         std::span<double> out) {
  std::ranges::fill(out, 0.0);
  std::vector<double> of_row = weights(v);  // of a row in each slot
  of_row[0] = 1 / static_cast<double>(problem_.train.size());
  for (std::size_t k = 1; k < of_row.size(); ++k) {
    of_row[k] /= static_cast<double>(problem_.train.of_cell[k - 1].size());
  }
  for_each_block(w, [&](std::size_t first, auto x, auto loss, auto slope) {
    for (std::size_t i = 0; i < loss.size(); ++i) {
      const double factor = of_row[slot(first + i)] * curvature(problem_.loss, slope[i]);
      const double* row = x.data() + i * columns_;
      for (std::size_t a = 0; a < columns_; ++a) {
        const double scaled = factor * row[a];
        double* column = out.data() + a * columns_;
        for (std::size_t b = a; b < columns_; ++b) column[b] += scaled * row[b];
      }
    }
  });
}

}  // namespace fairfront::training
