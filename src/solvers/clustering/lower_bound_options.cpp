#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/lower_bound.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t most_priced_clusters = 4096;

}  // namespace

base::OptionTable options_of(LowerBoundOptions& options) {
  const auto count = [](std::int64_t least, std::int64_t most = 1'000'000) {
    return base::between<std::int64_t>(least, most);
  };
  base::OptionTable table("lower_bound");
  table
      .add("floor", options.floor, base::between(0.0, 1.0), "ratio",
           "The bound is on the cost of all clusterings with at least this balance.")
      .add("starts", options.starts, count(1), "ladders",
           "The balance ladder that looks for a good clustering at the floor has this many starts.")
      .add("relocations", options.relocations, count(0), "attempts",
           "That ladder tries a clustering this many times with one centre put on a random point.")
      .add("refinements", options.refinements, count(0), "floors",
           "That ladder tries this many refinements in gaps of its front.")
      .add("steps", options.steps, count(1), "steps",
           "The bundle method that raises the dual makes at most this many steps.")
      .add("cuts", options.cuts, count(10, 100'000), "clusters",
           "This many clusters are kept as cuts of the dual.")
      .add("searches", options.searches, count(0), "searches",
           "Boxes are searched at most this many times for clusters that pricing has missed; each "
           "search may look at a tenth of `boxes`.")
      .add("boxes", options.boxes, count(1, 1'000'000'000), "boxes",
           "The proof looks at no more than this many boxes for the mean of a cluster.")
      .add("tolerance", options.tolerance, base::between(1e-9, 1.0), "share",
           "The proof ends when it has lost no more than this share of the cost, where the boxes "
           "suffice.")
      .assign_role(base::Role::trade_off, {"floor"});
  return table;
}

void validate_for(const Problem& problem, const LowerBoundOptions& options) {
  base::validate(options);
  if (problem.clusters() > most_priced_clusters) {
    throw std::invalid_argument(fmt::format("lower_bound: clusters = {}, must be <= {}",
                                            problem.clusters(), most_priced_clusters));
  }
  // As BalancedSearch takes floors for rounded numbers.
  if (options.floor > problem.balance_bound() + 1e-9) {
    throw std::invalid_argument(
        fmt::format("lower_bound.floor = {}, must be <= {}, which is the bound of the balance: no "
                    "clustering has a greater one",
                    options.floor, problem.balance_bound()));
  }
  if (options.floor <= 0) return;
  for (std::int64_t j = 0; j < problem.groups(); ++j) {
    const std::int64_t members = problem.group_begin(j + 1) - problem.group_begin(j);
    if (members >= problem.clusters()) continue;
    throw std::invalid_argument(
        fmt::format("lower_bound.floor = {}, must be 0: a group has {} members, fewer than the {} "
                    "clusters",
                    options.floor, members, problem.clusters()));
  }
}

double lower_bound_bytes(const Problem& problem, const LowerBoundOptions& options) {
  const auto points = static_cast<double>(problem.points());
  const auto columns = static_cast<double>(problem.columns());
  const auto clusters = static_cast<double>(problem.clusters());
  const auto cuts = static_cast<double>(options.cuts) + 2 * clusters + 100;
  const double of_cuts = cuts * (points * (4.0 / clusters + 1.0 / 8) + cuts * sizeof(double));
  const double of_boxes = static_cast<double>(options.boxes) * (2 * columns + 8) * sizeof(double);
  BalanceLadderOptions ladder;
  return balance_ladder_bytes(problem, ladder) +
         points * (clusters + columns + 8) * sizeof(double) + of_cuts + of_boxes;
}

}  // namespace fairfront::clustering
