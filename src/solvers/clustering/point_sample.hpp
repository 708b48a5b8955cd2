/// @file
/// A stratified sample of the points as a problem of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// How many points a sample needs that stands for all: at least `wanted`, one in 64, 20 for each
/// cluster, and so many that the rarest group has 8 for each cluster.
/// @return 0 where that is more than half of the points: then nothing is gained.
[[nodiscard]] std::int64_t sample_size(const Problem& problem, std::int64_t wanted);

/// Why a problem of more than twice `wanted` points has no sample, as a sentence; empty: it has
/// one, or is smaller, or none is wanted.
[[nodiscard]] std::string reason_without_sample(const Problem& problem, std::int64_t wanted);

/// About `size` points: of every group the same share, rounded, at least one; each subset of a
/// group is as likely. The same K; balance is that of the groups. Point p of the sample is row p
/// of its data. O(N).
/// @return nothing where no column of the sample varies.
[[nodiscard]] std::optional<Problem> sample_of(const Problem& problem, std::int64_t size,
                                               base::Stream& stream);

}  // namespace fairfront::clustering
