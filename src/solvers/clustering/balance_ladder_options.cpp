#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/condition.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/near_clusters.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t most_ladder_clusters = 4096;
constexpr std::int64_t usual_clusters = 256;  ///< up to so many the options say what is done

}  // namespace

base::OptionTable options_of(BalanceLadderOptions& options) {
  const auto count = [](std::int64_t least) {
    return base::between<std::int64_t>(least, 1'000'000);
  };
  base::OptionTable table("balance_ladder");
  table
      .add("starts", options.starts, count(1), "ladders",
           "The ladder goes up and down all levels this many times, each time from k-means with "
           "seeds of its own. With K > 256 clusters it does so 256 / K times as often, and "
           "relocations, refinements and carried are as much fewer.")
      .add("seedings", options.seedings, count(1), "runs",
           "A start makes this many runs of k-means; the cheapest goes on.")
      .add("lloyd_iterations", options.lloyd_iterations, count(0), "iterations",
           "Such a run makes at most this many iterations of Lloyd's method.")
      .add("levels", options.levels, count(1), "floors",
           "There are this many evenly spaced floors on the balance, up to its bound.")
      .add(
          "bisections", options.bisections, base::between<std::int64_t>(0, 60), "floors",
          "This many floors are tried between the last one that holds and the first that does not.")
      .add("passes", options.passes, count(1), "passes",
           "A floor takes at most this many passes of moves and exchanges; they end when nothing "
           "changes.")
      .add("relocations", options.relocations, base::between<std::int64_t>(0, 1'000'000'000),
           "attempts",
           "An archived clustering is tried this many times with one centre put on a random point.")
      .add("reach", options.reach, base::between(0.0, 1.0), "share",
           "A clustering that gained is carried up and down over this share of the greatest "
           "balance without another gain.")
      .add("refinements", options.refinements, base::between<std::int64_t>(0, 1'000'000'000),
           "floors",
           "At the end this many refinements are tried, in the largest gaps of the front and from "
           "random labels.")
      .add("boxes", options.boxes, count(1), "boxes",
           "The archive is parted into this many ranges of the balance, with at most one "
           "clustering in each.")
      .add("sample", options.sample, base::between<std::int64_t>(0, 1'000'000'000), "rows",
           "Data more than twice as large are represented by a sample of at least this many rows, "
           "whose front is then carried over to all rows. With 0 all rows are used from the start.")
      .add("carried", options.carried, count(1), "floors",
           "At most this many points of the sample's front are carried over.")
      .only_if({"carried"}, base::above("sample", 0), "sample = 0 has no front of a sample")
      .only_if({"reach"}, base::above("relocations", 0) || base::above("refinements", 0),
               "without relocations and refinements nothing is carried on");
  return table;
}

void validate_for(const Problem& problem, const BalanceLadderOptions& options) {
  base::validate(options);
  if (problem.clusters() <= most_ladder_clusters) return;
  throw std::invalid_argument(fmt::format("balance_ladder: clusters = {}, must be <= {}",
                                          problem.clusters(), most_ladder_clusters));
}

BalanceLadderOptions budget_of(const Problem& problem, BalanceLadderOptions options) {
  const std::int64_t clusters = std::max(problem.clusters(), usual_clusters);
  constexpr std::int64_t least_carried = 8;  // or there is hardly a front
  const std::int64_t carried = std::min(options.carried, least_carried);
  for (std::int64_t* count :
       {&options.starts, &options.relocations, &options.refinements, &options.carried}) {
    *count = (*count * usual_clusters + clusters - 1) / clusters;
  }
  options.carried = std::max(options.carried, carried);
  return options;
}

/// On many points the boxes hold trails: first labels and some changes for each clustering carried
/// over, and only at the end labels of their own.
double balance_ladder_bytes(const Problem& problem, const BalanceLadderOptions& options) {
  const auto points = static_cast<double>(problem.points());
  const auto clusters = static_cast<double>(problem.clusters());
  const double label = problem.clusters() <= 256 ? 1 : 2;
  constexpr double lists = 6;  // labellings at work, member lists and candidates, 8 bytes a point
  constexpr double trail = 4;  // bytes a point, more or less, labels included
  const double boxes = static_cast<double>(options.boxes) * points * label;
  const double work =
      is_shared(problem, options) ? static_cast<double>(options.carried) * points * trail : boxes;
  const double others = NearClusters::are_of_use(problem) ? NearClusters::length : clusters;
  return boxes + work + lists * points * sizeof(double) + clusters * others * sizeof(std::int64_t);
}

}  // namespace fairfront::clustering
