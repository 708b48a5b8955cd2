/// @file
/// Training under fairness constraints: minimise the mean loss of a network on the training rows
/// such that differences of mean losses between groups are within +-delta. The bound delta is the
/// algorithm's: one problem serves a whole sweep.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "models/loss.hpp"
#include "models/perceptron.hpp"
#include "solvers/training/constraints.hpp"

namespace fairfront::training {

class RowTeam;

/// Rows of the feature matrix and what cells of the constraints they are in.
struct Part {
  std::vector<std::int64_t> rows;                  ///< of the matrix, shape (n,)
  std::vector<std::int32_t> cell;                  ///< of each; -1: of none, shape (n,)
  std::vector<std::vector<std::int64_t>> of_cell;  ///< rows of the matrix, shape (cells,)

  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(rows); }
  /// A cell without rows, or -1. Gaps are not defined then.
  [[nodiscard]] std::int64_t empty_cell() const noexcept;
};

/// @param labels, groups  of all rows of the matrix; a label is positive above 0.
[[nodiscard]] Part make_part(std::vector<std::int64_t> rows, const std::vector<Cell>& cells,
                             std::span<const double> labels, std::span<const std::int32_t> groups);

/// Features and labels are views of what must outlive the problem.
struct Problem {
  models::Perceptron model;          ///< without hidden layers: a linear score, the convex case
  std::span<const double> features;  ///< row-major, shape (N, d)
  std::span<const double> labels;    ///< -1 or +1, shape (N,)
  models::LossKind loss = models::LossKind::logistic;
  GapConstraints constraints;
  Part train;  ///< no cell empty
  /// Looked at along a run, never learnt from; may have no rows.
  Part validation{}, test{};
  /// The ranks that share passes over many rows; null: this one alone.
  RowTeam* team = nullptr;

  [[nodiscard]] std::size_t parameters() const {
    return static_cast<std::size_t>(model.parameters());
  }
};

/// What may be the cause where weights lead to losses beyond use: ", with features up to 2.1e+07:
/// ..."; empty where the training rows' features are not far from the order of 1.
[[nodiscard]] std::string remark_on_large_features(const Problem& problem);

/// The weights that all runs with this seed start from, whatever their method and options.
[[nodiscard]] std::vector<double> initial_weights(const models::Perceptron& model,
                                                  models::Initialisation kind, std::uint64_t seed);

}  // namespace fairfront::training
