#include "solvers/regression/threshold_game.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/beside.hpp"
#include "base/stop.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::regression {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double rank_tolerance = 1e-10;
constexpr std::int64_t rows_between_stops = 256;

/// What a design's columns span, and how its scores are told by weights.
struct Basis {
  Matrix orthonormal;  ///< see ThresholdGame::Design
  Matrix to_weights;
};

/// @param design  its columns are of length 1, or 0.
Basis basis_of(const Matrix& design, const Vector& scales) {
  const optimise::CompleteOrthogonal decomposition(design, rank_tolerance);
  const Eigen::Index rank = decomposition.rank();
  // Weights from coordinates: inverse scales P Z^T (T^-1; 0).
  Matrix inverse = Matrix::Zero(design.cols(), rank);
  inverse.topRows(rank) = decomposition.inverse_t();
  return {decomposition.q(), scales.asDiagonal() * decomposition.of_columns(std::move(inverse))};
}

void validate(const LabelledRows& rows, const Thresholds& thresholds) {
  if (thresholds.count < 2) {
    throw std::invalid_argument(
        fmt::format("Thresholds::count = {}, must be >= 2", thresholds.count));
  }
  if (rows.features.size() == 0) throw std::invalid_argument("ThresholdGame: no rows");
  std::vector<bool> seen(static_cast<std::size_t>(rows.group_count), false);
  for (std::int64_t i = 0; i < rows.features.size(); ++i) {
    const auto number = static_cast<std::size_t>(rows.features.number(i));
    const double target = rows.targets[number];
    if (!(target >= 0 && target <= 1)) {
      throw std::invalid_argument(
          fmt::format("ThresholdGame: target {} of row {} is outside [0, 1]", target, number));
    }
    const std::int32_t group = rows.groups[number];
    if (group < 0 || group >= rows.group_count) {
      throw std::invalid_argument(fmt::format("ThresholdGame: group {} of row {} is none of the {}",
                                              group, number, rows.group_count));
    }
    seen[static_cast<std::size_t>(group)] = true;
  }
  const auto missing = std::ranges::find(seen, false);
  if (missing != seen.end()) {
    throw std::invalid_argument(
        fmt::format("ThresholdGame: no row in group {}", missing - seen.begin()));
  }
}

}  // namespace

struct ThresholdGame::Design {
  Design(const LabelledRows& rows, const Thresholds& given)
      : thresholds{given}, groups{rows.group_count} {
    read_targets(rows);
    factorise(rows.features);
  }

  void read_targets(const LabelledRows& rows) {
    const std::int64_t n = rows.features.size(), m = thresholds.count;
    group.resize(static_cast<std::size_t>(n));
    rows_of_group.assign(static_cast<std::size_t>(groups), 0);
    gain = Matrix::Zero(m, n);
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % rows_between_stops == 0) base::stop_point();
      const auto number = static_cast<std::size_t>(rows.features.number(i));
      group[static_cast<std::size_t>(i)] = rows.groups[number];
      ++rows_of_group[static_cast<std::size_t>(rows.groups[number])];
      for (std::int64_t k = 0; k < m; ++k) {
        // The constant factor 4 alpha of the costs goes into the scale of the weights.
        gain(k, i) = rows.targets[number] - thresholds.threshold(k);
        total += std::abs(gain(k, i));
      }
    }
    if (!(total > 0)) throw std::invalid_argument("ThresholdGame: all weights are 0");
    gain *= static_cast<double>(n * m) / total;
    square_gain = gain.cwiseProduct(gain.cwiseAbs());
    labelled = gain.cwiseMax(0.0).sum();
    labelled_squares = square_gain.cwiseMax(0.0).sum();
    for (std::int64_t k = 1; k < m; ++k) {
      gain.row(k) += gain.row(k - 1);
      square_gain.row(k) += square_gain.row(k - 1);
    }
  }

  void factorise(const models::Rows& features) {
    const std::int64_t n = features.size(), d = features.columns();
    Matrix design(n, d);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < d; ++j) design(i, j) = features.row(i)[j];
    }
    Vector scales = design.colwise().stableNorm().transpose();
    for (double& scale : scales) scale = scale > 0 ? 1 / scale : 0;
    design *= scales.asDiagonal();
    Basis basis =
        base::beside([design = std::move(design), scales] { return basis_of(design, scales); });
    orthonormal = std::move(basis.orthonormal);
    to_weights = std::move(basis.to_weights);
  }

  Thresholds thresholds;
  std::int64_t groups;
  std::vector<std::int32_t> group;          ///< shape (N,)
  std::vector<std::int64_t> rows_of_group;  ///< shape (K,)
  Matrix gain;          ///< shape (m, N): sum of W (2Y - 1) of a row's thresholds up to this one
  Matrix square_gain;   ///< the same with W^2
  double labelled = 0;  ///< sum of the weights with label 1
  double labelled_squares = 0;
  Matrix orthonormal;  ///< shape (N, rank): a basis of what linear scores can say of the rows
  Matrix to_weights;   ///< shape (d, rank): the weights of a score from its coordinates there
};

ThresholdGame::ThresholdGame(const LabelledRows& rows, const Thresholds& thresholds) {
  validate(rows, thresholds);
  design_ = std::make_unique<const Design>(rows, thresholds);
}
ThresholdGame::ThresholdGame(ThresholdGame&&) noexcept = default;
ThresholdGame& ThresholdGame::operator=(ThresholdGame&&) noexcept = default;
ThresholdGame::~ThresholdGame() = default;

const Thresholds& ThresholdGame::thresholds() const noexcept { return design_->thresholds; }
std::int64_t ThresholdGame::groups() const noexcept { return design_->groups; }
std::int64_t ThresholdGame::rows() const noexcept { return std::ssize(design_->group); }

std::vector<std::int32_t> ThresholdGame::picks(std::span<const double> multiplier) const {
  const Design& d = *design_;
  const std::int64_t m = d.thresholds.count, n = rows();
  // Sums over the thresholds up to one of lambda_theta,. / P(theta) - lambda_theta,a / P(theta, a).
  Matrix offset(m, d.groups);
  for (std::int64_t a = 0; a < d.groups; ++a) {
    const double share =
        static_cast<double>(d.rows_of_group[static_cast<std::size_t>(a)]) / static_cast<double>(n);
    double sum = 0;
    for (std::int64_t k = 0; k < m; ++k) {
      double of_threshold = 0;
      for (std::int64_t b = 0; b < d.groups; ++b) {
        of_threshold += multiplier[static_cast<std::size_t>(k * d.groups + b)];
      }
      const double own = multiplier[static_cast<std::size_t>(k * d.groups + a)];
      sum += static_cast<double>(m) * (of_threshold - own / share);
      offset(k, a) = sum;
    }
  }
  std::vector<std::int32_t> result(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % rows_between_stops == 0) base::stop_point();
    const double* gain = d.gain.data() + i * m;
    const double* shift = offset.data() + d.group[static_cast<std::size_t>(i)] * m;
    std::int32_t best = 0;
    double highest = gain[0] + shift[0];
    for (std::int32_t k = 1; k < m; ++k) {
      const double value = gain[k] + shift[k];
      if (value > highest) {
        highest = value;
        best = k;
      }
    }
    result[static_cast<std::size_t>(i)] = best;
  }
  return result;
}

Hypothesis ThresholdGame::fit(std::span<const std::int32_t> picks) const {
  const Design& d = *design_;
  const std::int64_t m = d.thresholds.count, n = rows();
  Vector target(n);
  for (std::int64_t i = 0; i < n; ++i) {
    target[i] = d.thresholds.atom(picks[static_cast<std::size_t>(i)]);
  }
  const Vector coordinates = d.orthonormal.transpose() * target;
  const Vector score = d.orthonormal * coordinates;
  const Vector weights = d.to_weights * coordinates;

  // counts[a, k]: rows of group a whose score reaches k thresholds or more.
  std::vector<std::int64_t> counts(static_cast<std::size_t>(d.groups * (m + 1)), 0);
  double gained = 0, gained_squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t reached = d.thresholds.reached(score[i]);
    if (reached > 0) {
      gained += d.gain(reached - 1, i);
      gained_squares += d.square_gain(reached - 1, i);
    }
    ++counts[static_cast<std::size_t>(d.group[static_cast<std::size_t>(i)] * (m + 1) + reached)];
  }
  const auto count = static_cast<double>(n * m);
  const double error = std::max((d.labelled - gained) / count, 0.0);
  const double squares = d.labelled_squares - gained_squares - count * error * error;
  Hypothesis result{{weights.begin(), weights.end()},
                    error,
                    std::sqrt(std::max(squares, 0.0) / (count - 1)),
                    std::vector<double>(static_cast<std::size_t>(m * d.groups))};
  for (std::int64_t k = m; k >= 1; --k) {
    std::int64_t all = 0;
    for (std::int64_t a = 0; a < d.groups; ++a) {
      auto& of_group = counts[static_cast<std::size_t>(a * (m + 1) + k)];
      if (k < m) of_group += counts[static_cast<std::size_t>(a * (m + 1) + k + 1)];
      all += of_group;
    }
    for (std::int64_t a = 0; a < d.groups; ++a) {
      const auto ones = static_cast<double>(counts[static_cast<std::size_t>(a * (m + 1) + k)]);
      const auto of_group = static_cast<double>(d.rows_of_group[static_cast<std::size_t>(a)]);
      result.gaps[static_cast<std::size_t>((k - 1) * d.groups + a)] =
          ones / of_group - static_cast<double>(all) / static_cast<double>(n);
    }
  }
  return result;
}

}  // namespace fairfront::regression
