#include "solvers/clustering/point_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "data/dataset.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

std::int64_t members_of(const Problem& problem, std::int64_t j) {
  return problem.group_begin(j + 1) - problem.group_begin(j);
}

void add_point(data::Dataset& dataset, const Problem& problem, std::int64_t p) {
  const auto x = problem.coordinates(p);
  dataset.features.insert(dataset.features.end(), x.begin(), x.end());
  dataset.group.push_back(static_cast<std::int32_t>(problem.group_of(p)));
  ++dataset.rows;
}

/// What differs from the rest may have been left out.
bool varies(const data::Dataset& dataset) {
  const auto first = dataset.row(0);
  for (std::int64_t p = 1; p < dataset.rows; ++p) {
    if (!std::ranges::equal(dataset.row(p), first)) return true;
  }
  return false;
}

}  // namespace

std::int64_t sample_size(const Problem& problem, std::int64_t wanted) {
  constexpr std::int64_t one_in = 64;
  constexpr std::int64_t of_cluster = 20;
  constexpr double of_pair = 8;
  std::int64_t rarest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    rarest = std::min(rarest, members_of(problem, j));
  }
  const double share =
      of_pair * static_cast<double>(problem.clusters()) / static_cast<double>(rarest);
  const std::int64_t size =
      std::max({wanted, problem.points() / one_in, of_cluster * problem.clusters()});
  if (share > 0.5 || size > problem.points() / 2) return 0;
  return std::max<std::int64_t>(size, std::llround(share * static_cast<double>(problem.points())));
}

std::optional<Problem> sample_of(const Problem& problem, std::int64_t size, base::Stream& stream) {
  data::Dataset dataset;
  dataset.provenance.name = "sample";
  dataset.columns = problem.columns();
  for (std::int64_t i = 0; i < problem.columns(); ++i) {
    dataset.feature_names.push_back(fmt::format("column {}", i + 1));
  }
  const double share = static_cast<double>(size) / static_cast<double>(problem.points());
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    base::stop_point();
    dataset.group_names.push_back(fmt::format("group {}", j + 1));
    // Knuth, "The Art of Computer Programming" 2, Algorithm S.
    std::int64_t left = members_of(problem, j);
    auto needed = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(left)));
    for (std::int64_t p = problem.group_begin(j); needed > 0; ++p, --left) {
      if (std::int64_t{stream.below(static_cast<std::uint32_t>(left))} >= needed) continue;
      add_point(dataset, problem, p);
      --needed;
    }
  }
  if (!varies(dataset)) return std::nullopt;
  try {
    return Problem(dataset, problem.clusters());
  } catch (const base::InputError&) {  // by too little to be squared
    return std::nullopt;
  }
}

}  // namespace fairfront::clustering
