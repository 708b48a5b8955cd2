#include "experiments/alternating_weights.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <numeric>

#include "base/error.hpp"

namespace fairfront::experiments {
namespace {

using alternating::Efforts;

/// @throws base::InputError  they are not that many with that sum.
Efforts given_efforts(const Efforts& efforts, const char* section, std::int64_t total,
                      std::int64_t objectives) {
  const auto sum = std::accumulate(efforts.begin(), efforts.end(), std::int64_t{0});
  if (std::ssize(efforts) == objectives && sum == total) return efforts;
  throw base::InputError(fmt::format("{}.weights = {}, must be {} numbers with sum n_total = {}",
                                     section, alternating::format_efforts(efforts), objectives,
                                     total));
}

Efforts efforts_of(const AlternatingProblem& problem, const WeightOptions& options,
                   const char* section) {
  const std::int64_t total = problem.options.n_total;
  const std::int64_t objectives = problem.objectives();
  const bool by_place = options.lattice >= 0;
  if (options.n_a >= 0 && (by_place || !options.weights.empty())) {
    throw base::InputError(fmt::format("{}.n_a: give one of n_a, lattice and weights", section));
  }
  if (by_place && !options.weights.empty()) {
    throw base::InputError(fmt::format("{}.lattice: give one of lattice and weights", section));
  }
  if (!options.weights.empty()) return given_efforts(options.weights, section, total, objectives);
  if (objectives != 2 && !by_place) {
    throw base::InputError(
        fmt::format("{}.lattice: more than two objectives need lattice or weights", section));
  }
  const std::int64_t place = by_place           ? options.lattice
                             : options.n_a >= 0 ? options.n_a
                                                : total / 2;
  const std::int64_t size = alternating::lattice_size(total, objectives);
  if (place < size) return alternating::lattice_point(place, total, objectives);
  throw base::InputError(fmt::format("{}.{} = {}, must be < {} for n_total = {}", section,
                                     by_place ? "lattice" : "n_a", place, size, total));
}

}  // namespace

Efforts efforts_of(const AlternatingProblem& problem, const Sa2gdSection& options) {
  return efforts_of(problem, options, "sa2gd");
}
Efforts efforts_of(const AlternatingProblem& problem, const WeightedSumSection& options) {
  return efforts_of(problem, options, "weighted_sum");
}

void validate_for(const AlternatingProblem& problem, const Sa2gdSection& options) {
  (void)efforts_of(problem, options);
}
void validate_for(const AlternatingProblem& problem, const WeightedSumSection& options) {
  (void)efforts_of(problem, options);
}

}  // namespace fairfront::experiments
