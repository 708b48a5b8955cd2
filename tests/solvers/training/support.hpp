#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/reductions.hpp"

namespace fairfront::training::test {

/// Outlives everything that keeps a reference to it.
inline const solvers::Control no_control;

/// Random rows with `columns` features in `groups` groups; the label is noisy in the first one.
struct Data {
  std::vector<double> features, labels;
  std::vector<std::int32_t> groups;
  std::int64_t columns;

  Data(std::uint64_t seed, int rows, int d, int num_groups) : columns{d} {
    base::Stream stream(base::StreamKey(seed, "test", "training data"), 0);
    for (int i = 0; i < rows; ++i) {
      const auto group = static_cast<std::int32_t>(i % num_groups);
      double score = 0.3 * group;
      for (int j = 0; j < d; ++j) {
        features.push_back(stream.normal());
        score += features.back() * (j % 2 == 0 ? 1 : -0.5);
      }
      groups.push_back(group);
      labels.push_back(score + stream.normal() * (group == 0 ? 2 : 0.5) > 0 ? 1 : -1);
    }
  }

  /// Moves the columns of each group apart, and draws labels anew from steep scores with an
  /// intercept for each group.
  /// @param intercepts  their deviation. @param name  of the stream.
  [[nodiscard]] Data with_groups_apart(std::uint64_t seed, const char* name, double intercepts) && {
    const auto width = static_cast<std::size_t>(columns);
    const auto num_groups =
        static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end()) + 1);
    base::Stream stream(base::StreamKey(seed, "test", name), 0);
    std::vector<double> centre, intercept, slope;
    for (std::size_t k = 0; k < num_groups * width; ++k) centre.push_back(1.4 * stream.normal());
    for (std::size_t k = 0; k < num_groups; ++k) intercept.push_back(intercepts * stream.normal());
    for (std::size_t j = 0; j < width; ++j) slope.push_back(4 * stream.normal());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto group = static_cast<std::size_t>(groups[i]);
      double score = intercept[group];
      for (std::size_t j = 0; j < width; ++j) {
        double& x = features[i * width + j];
        x += centre[group * width + j];
        score += slope[j] * x;
      }
      labels[i] = stream.uniform() < base::sigmoid(score) ? 1 : -1;
    }
    return std::move(*this);
  }

  [[nodiscard]] std::int64_t rows() const { return std::ssize(labels); }

  /// All rows train, none of them does anything else. Views this object.
  [[nodiscard]] Problem problem(const std::vector<std::int64_t>& hidden,
                                Fairness fairness = Fairness::loss_gap,
                                models::LossKind loss = models::LossKind::logistic) const {
    std::vector<double> shares;
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rows(); ++i) {
      const auto g = static_cast<std::size_t>(groups[static_cast<std::size_t>(i)]);
      if (g >= shares.size()) shares.resize(g + 1, 0.0);
      shares[g] += 1 / static_cast<double>(rows());
      all.push_back(i);
    }
    return problem(hidden, GapConstraints(fairness, shares), all, loss);
  }

  /// The same with bounds on rates.
  [[nodiscard]] Problem problem(const std::vector<std::int64_t>& hidden, const RateBound& rate,
                                models::LossKind loss = models::LossKind::logistic) const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rows(); ++i) all.push_back(i);
    const auto last = *std::max_element(groups.begin(), groups.end());
    return problem(hidden, GapConstraints(rate, last + 1), all, loss);
  }

  /// The same with any constraints.
  [[nodiscard]] Problem constrained(const std::vector<std::int64_t>& hidden,
                                    GapConstraints constraints,
                                    models::LossKind loss = models::LossKind::logistic) const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rows(); ++i) all.push_back(i);
    return problem(hidden, std::move(constraints), all, loss);
  }

 private:
  [[nodiscard]] Problem problem(const std::vector<std::int64_t>& hidden, GapConstraints constraints,
                                const std::vector<std::int64_t>& all, models::LossKind loss) const {
    Part train = make_part(all, constraints.cells(), labels, groups);
    return {.model = {columns, hidden, models::Activation::relu},
            .features = features,
            .labels = labels,
            .loss = loss,
            .constraints = std::move(constraints),
            .train = std::move(train)};
  }
};

/// Columns with heavy tails, in groups of falling size whose labels are of other noise: where gaps
/// are bounded, there is more than one local optimum.
inline Data with_heavy_tails(std::uint64_t seed, int rows, int columns, int groups, double tail) {
  Data data(seed, rows, columns, groups);
  base::Stream stream(base::StreamKey(seed, "test", "heavy tails"), 0);
  double* x = data.features.data();
  for (std::size_t row = 0; row < data.labels.size(); ++row, x += columns) {
    int group = 0;
    while (group + 1 < groups && stream.uniform() < 0.4) ++group;
    data.groups[row] = group;
    double score = -0.5 * group;
    for (int j = 0; j < columns; ++j) {
      x[j] = base::exp(tail * x[j]) - 1;
      score += (j % 2 == 0 ? 0.6 : -0.3) * x[j];
    }
    data.labels[row] = score + (1 + group) * stream.normal() > 1 ? 1 : -1;
  }
  return data;
}

/// All rows, for bounds on rates. Views the data.
inline RateProblem rate_problem_of(const Data& data, std::int64_t groups) {
  return {.rows = {data.features, data.columns},
          .labels = data.labels,
          .groups = data.groups,
          .num_groups = groups};
}

/// A linear score of the data's columns.
inline models::Perceptron linear(const Data& data) {
  return {data.columns, {}, models::Activation::relu};
}

/// One row a group, x = 1, y = 1 and x = 2, y = -1, with the square loss of w x + b. At (1, 0):
/// losses 0 and 4.5, gradient of their mean (3, 1.5), gap -4.5 with gradient (-6, -3).
inline Data two_rows() {
  Data data(1, 2, 1, 2);
  data.features = {1, 2};
  data.labels = {1, -1};
  return data;
}

/// Gradient and Jacobian at w against central differences of the loss and the gaps of the training
/// part: error h^2 from the curvature, 1e-16 / h from rounding.
inline void expect_derivatives_of_differences(const Problem& problem, FullData& full,
                                              std::vector<double> w, const Derivatives& at) {
  constexpr double h = 1e-6;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double old = w[j];
    w[j] = old + h;
    const PartLosses above = full.losses(problem.train, w);
    w[j] = old - h;
    const PartLosses below = full.losses(problem.train, w);
    w[j] = old;
    EXPECT_NEAR(at.gradient[j], (above.loss - below.loss) / (2 * h), 1e-8);
    for (std::size_t i = 0; i < at.values.gaps.size(); ++i) {
      EXPECT_NEAR(at.jacobian[i * w.size() + j], (above.gaps[i] - below.gaps[i]) / (2 * h), 1e-8);
    }
  }
}

}  // namespace fairfront::training::test
