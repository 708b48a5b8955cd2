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

constexpr std::int64_t one_in = 64;      ///< points of a sample, at least
constexpr std::int64_t of_cluster = 20;  ///< the same
constexpr double of_pair = 8;            ///< members of a group for each cluster
constexpr double most_share = 0.5;       ///< of the points: beyond it nothing is gained

std::int64_t members_of_the_rarest(const Problem& problem) {
  std::int64_t rarest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    rarest = std::min(rarest, members_of(problem, j));
  }
  return rarest;
}

/// Of every group that the rarest one needs.
double share_of_the_rarest(const Problem& problem) {
  return of_pair * static_cast<double>(problem.clusters()) /
         static_cast<double>(members_of_the_rarest(problem));
}

}  // namespace

std::int64_t sample_size(const Problem& problem, std::int64_t wanted) {
  const double share = share_of_the_rarest(problem);
  const std::int64_t size =
      std::max({wanted, problem.points() / one_in, of_cluster * problem.clusters()});
  if (share > most_share || size > problem.points() / 2) return 0;
  return std::max<std::int64_t>(size, std::llround(share * static_cast<double>(problem.points())));
}

std::string reason_without_sample(const Problem& problem, std::int64_t wanted) {
  if (wanted == 0 || problem.points() / 2 <= wanted || sample_size(problem, wanted) > 0) return {};
  if (share_of_the_rarest(problem) > most_share) {
    return fmt::format(
        "the rarest group has {} rows, too few for a sample with {} for each of {} clusters",
        members_of_the_rarest(problem), static_cast<int>(of_pair), problem.clusters());
  }
  return fmt::format("a sample with {} rows for each of {} clusters would be half of all",
                     of_cluster, problem.clusters());
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
