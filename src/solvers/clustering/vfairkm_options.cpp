#include <fmt/format.h>

#include <stdexcept>

#include "base/condition.hpp"
#include "solvers/clustering/vfairkm.hpp"

namespace fairfront::clustering {
namespace {

double greatest_weight(const Problem& problem, const VfairOptions& options) {
  return options.mu_max > 0 ? options.mu_max : static_cast<double>(problem.points());
}

}  // namespace

base::OptionTable options_of(VfairOptions& options) {
  base::OptionTable table("vfairkm");
  table
      .add("mu_min", options.mu_min, base::between(0.0, 1e12), "squared distance",
           "The smallest weight of the penalty is this; 0 is Lloyd's k-means.")
      .add("mu_max", options.mu_max, base::between(0.0, 1e12), "squared distance",
           "The greatest weight of the penalty is this; it is compared with N times a cost, and 0 "
           "stands for N.")
      .add("mu_count", options.mu_count, base::between<std::int64_t>(1, 1'000'000), "",
           "There are this many evenly spaced weights from mu_min to mu_max; 1 is mu_min alone.")
      .add("restarts", options.restarts, base::between<std::int64_t>(1, 10'000), "runs",
           "This many runs over all weights start from different k-means++ seeds; the front is "
           "that of all their clusterings.")
      .add_choice("warm_start", options.warm_start,
                  {{"false", VfairWarmStart::none},
                   {"true", VfairWarmStart::only},
                   {"both", VfairWarmStart::both}},
                  "With true, each weight starts from the labels of the one before it; with false, "
                  "from the k-means++ labels of its run, as in the public program; with both, it "
                  "is solved from both, of which the front takes what is better.")
      .add(
          "lipschitz", options.lipschitz, base::between(1e-3, 1e6), "",
          "The constant L of the bound is this: the smaller it is, the longer are the inner steps; "
          "those after one that was taken back have down to a half of it.")
      .add_choice(
          "inner_step", options.step,
          {{"descent", VfairStep::descent}, {"fixed", VfairStep::fixed}},
          "With descent, an inner step that makes the objective worse is taken back, and the "
          "penalty's slopes are then those at the end of a step; with fixed, it is taken. "
          "The public program has fixed.")
      .formerly("inner_step", "step")
      .add("inner_iterations", options.inner_iterations,
           base::between<std::int64_t>(3, 1'000'000'000), "",
           "An inner loop makes at most this many updates of the memberships; the public program "
           "has 10000.")
      .add("inner_tolerance", options.inner_tolerance, base::between(0.0, 1.0), "",
           "An inner loop ends when its energy changes by less than this share.")
      .add("outer_iterations", options.outer_iterations, base::between<std::int64_t>(1, 1'000'000),
           "", "A weight takes at most this many updates of the centres.")
      .add("outer_tolerance", options.outer_tolerance, base::between(0.0, 1.0), "",
           "A weight is done when the objective changes by less than this share.")
      .assign_role(base::Role::trade_off, {"mu_min", "mu_max"})
      .assign_role(base::Role::tuning, {"lipschitz"})
      .only_if({"mu_max"}, base::above("mu_count", 1), "mu_count = 1 is mu_min alone")
      .only_if({"warm_start"}, base::above("mu_count", 1),
               "with mu_count = 1 there is no weight before")
      .only_if(
          {"lipschitz", "inner_step", "inner_iterations", "inner_tolerance", "outer_tolerance"},
          base::above("mu_count", 1) || base::above("mu_min", 0),
          "the only weight is 0, which is Lloyd's k-means");
  return table;
}

void validate_for(const Problem& problem, const VfairOptions& options) {
  base::validate(options);
  const double greatest = greatest_weight(problem, options);
  if (options.mu_count == 1 || options.mu_min <= greatest) return;
  throw std::invalid_argument(
      fmt::format("vfairkm.mu_min = {}, must be <= mu_max = {}", options.mu_min, greatest));
}

std::int64_t weights_solved(const VfairOptions& options) {
  const bool both = options.warm_start == VfairWarmStart::both;
  return options.restarts * (both ? 2 * options.mu_count - 1 : options.mu_count);
}

std::vector<double> weights_of(const Problem& problem, const VfairOptions& options) {
  std::vector<double> weights{options.mu_min};
  const double span = greatest_weight(problem, options) - options.mu_min;
  for (std::int64_t i = 1; i < options.mu_count; ++i) {
    weights.push_back(options.mu_min +
                      span * static_cast<double>(i) / static_cast<double>(options.mu_count - 1));
  }
  return weights;
}

}  // namespace fairfront::clustering
