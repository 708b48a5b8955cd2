#include "experiments/clustering_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

namespace fairfront::experiments {
namespace {

using clustering::Effort;
using IdleList = std::vector<sweep::IdleOption>;

void add_idle(IdleList& idle, std::string_view section,
              std::initializer_list<std::string_view> options, std::string_view why) {
  for (const std::string_view option : options) {
    idle.push_back({fmt::format("{}.{}", section, option), std::string(why)});
  }
}

/// Of StepOptions, where no step makes swaps, or none makes both swaps and updates.
void add_idle_steps(IdleList& idle, std::string_view section, std::span<const Effort> efforts) {
  const auto swaps = [](const Effort& effort) { return effort.swaps > 0; };
  const auto both = [](const Effort& effort) { return effort.swaps > 0 && effort.kmeans > 0; };
  if (std::ranges::none_of(efforts, swaps)) {
    add_idle(idle, section, {"swap_partner", "swap_unit", "swap_growth"}, "no step makes swaps");
  }
  if (std::ranges::none_of(efforts, both)) {
    add_idle(idle, section, {"step_order"}, "no step makes both updates and swaps");
  }
}

}  // namespace

std::vector<sweep::IdleOption> idle_options(const SafairSection& options) {
  IdleList idle;
  if (options.n_total > 0) {
    add_idle(idle, "safairkm", {"n_b"}, "safairkm.n_total is given, and n_b is what n_a leaves");
  }
  const Effort effort = options.effort();
  add_idle_steps(idle, "safairkm", {&effort, 1});
  return idle;
}

std::vector<sweep::IdleOption> idle_options(const SafairFrontSection& options) {
  using clustering::ListThinning;
  constexpr std::string_view section = "safairkm_front";
  IdleList idle;
  if (options.thinning != ListThinning::authors) {
    add_idle(idle, section, {"dense_threshold"}, "only thinning = authors uses it");
  } else if (!options.stop_at_budget) {
    add_idle(idle, section, {"list_budget"},
             "thinning = authors has no budget, and stop_at_budget = false does not end there");
  }
  if (options.starts < 2) {
    add_idle(idle, section, {"random_start"}, "starts = 1 has no random labels");
  }
  add_idle_steps(idle, section, options.pairs);
  return idle;
}

std::vector<sweep::IdleOption> idle_options(const VfairSection& options) {
  constexpr std::string_view section = "vfairkm";
  IdleList idle;
  if (options.mu_count > 1) return idle;
  add_idle(idle, section, {"mu_max"}, "mu_count = 1 is mu_min alone");
  add_idle(idle, section, {"warm_start"}, "with mu_count = 1 there is no weight before");
  if (options.mu_min > 0) return idle;
  add_idle(idle, section,
           {"lipschitz", "inner_step", "inner_iterations", "inner_tolerance", "outer_tolerance"},
           "the only weight is 0, which is Lloyd's k-means");
  return idle;
}

std::vector<sweep::IdleOption> idle_options(const BalanceLadderSection& options) {
  constexpr std::string_view section = "balance_ladder";
  IdleList idle;
  if (options.sample == 0) {
    add_idle(idle, section, {"carried"}, "sample = 0 has no front of a sample");
  }
  if (options.relocations == 0 && options.refinements == 0) {
    add_idle(idle, section, {"reach"}, "without relocations and refinements nothing is carried on");
  }
  return idle;
}

}  // namespace fairfront::experiments
