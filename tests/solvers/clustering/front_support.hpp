/// @file
/// What the tests of safairkm_front share: digests of results, and naive checks of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/sha256.hpp"
#include "pareto/front.hpp"
#include "solvers/clustering/safairkm_front.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {

/// The method of the public program, with short defaults for tests.
inline SafairFrontOptions authors_options() {
  SafairFrontOptions options;
  options.filter = ListFilter::authors;
  options.thinning = ListThinning::authors;
  options.step = {Target::global, StepOrder::swaps_first, SwapUnit::move, CentreRule::running,
                  1.003};
  return options;
}

/// Digest of all that every rank must have alike: everything but labels and `rebalanced`.
inline std::string digest_of_front(const SafairFrontResult& result) {
  base::Sha256 hash;
  hash.add_values(std::span<const double>{result.points});
  for (const FrontIteration& step : result.trace) {
    const std::int64_t counts[] = {step.iteration, step.list_length};
    hash.add_values(std::span<const std::int64_t>{counts});
    hash.add_values(std::span<const double>{&step.hypervolume, 1});
  }
  const double values[] = {result.reference_cost, result.hypervolume, result.hypervolume_lost};
  hash.add_values(std::span<const double>{values});
  const std::int64_t counts[] = {result.list_length, result.candidates, result.comparisons,
                                 static_cast<std::int64_t>(result.stop)};
  hash.add_values(std::span<const std::int64_t>{counts});
  return hash.finish();
}

inline std::string digest_of_labels(const SafairFrontResult& result) {
  base::Sha256 hash;
  for (const auto& labels : result.labels) {
    std::visit(
        [&](const auto& values) {
          using Label = typename std::decay_t<decltype(values)>::value_type;
          hash.add_values(std::span<const Label>{values});
        },
        labels);
  }
  return hash.finish();
}

inline std::size_t front_size(const SafairFrontResult& result) { return result.points.size() / 2; }

/// Cost and balance ascend together, so no point dominates another.
inline void expect_strictly_nondominated(const SafairFrontResult& result) {
  for (std::size_t i = 2; i < result.points.size(); i += 2) {
    EXPECT_LT(result.points[i - 2], result.points[i]);
    EXPECT_LT(result.points[i - 1], result.points[i + 1]);
  }
}

/// Every label vector, in the order of the data set's rows, has the objectives of its point and no
/// empty cluster. To be called where the labels are.
inline void expect_labels_reproduce_points(const data::Dataset& dataset, std::int64_t clusters,
                                           const SafairFrontResult& result) {
  EXPECT_EQ(result.labels.size(), front_size(result));
  for (std::size_t i = 0; i < result.labels.size(); ++i) {
    std::visit(
        [&](const auto& values) {
          using Label = typename std::decay_t<decltype(values)>::value_type;
          const std::span<const Label> labels{values};
          std::vector<int> sizes(static_cast<std::size_t>(clusters), 0);
          for (const Label label : labels) ++sizes.at(label);
          EXPECT_EQ(std::ranges::count(sizes, 0), 0);
          EXPECT_NEAR(naive_cost(dataset, clusters, labels), result.points[2 * i], 1e-12);
          EXPECT_EQ(naive_balance(dataset, clusters, labels), result.points[2 * i + 1]);
        },
        result.labels[i]);
  }
}

}  // namespace fairfront::clustering
