#include "results/choice_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace fairfront::results {
namespace {

using Keeps = std::function<bool(const Candidate&)>;
constexpr double worst = std::numeric_limits<double>::infinity();

/// Smaller is better; a value that is not known is the worst.
double cost_of(const Choice& choice, const Candidate& candidate, std::size_t name) {
  const double value = candidate.values[name].decided;
  if (std::isnan(value)) return worst;
  return choice.directions[name] == Direction::maximise ? -value : value;
}

/// A distance from the end of the front in units of its range. A front of one point has none:
/// what is not level with it is beyond all measure.
double along(double distance, double range) {
  if (range > 0) return distance / range;
  return distance > 0 ? worst : 0;
}

/// Distance of each point below the line between both ends of the front, each objective in units
/// of the range between them: smaller is better, as of cost_of().
std::vector<double> knee_costs(const Choice& choice, const Keeps& keeps) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    if (keeps(choice.candidates[i])) kept.push_back(i);
  }
  std::vector<double> costs(choice.candidates.size(), worst);
  if (kept.empty()) return costs;
  const auto at = [&](std::size_t i, std::size_t k) {
    return cost_of(choice, choice.candidates[i], k);
  };
  const auto end = [&](std::size_t k) {
    return *std::ranges::min_element(kept, [&](std::size_t a, std::size_t b) {
      return std::pair{at(a, k), at(a, 1 - k)} < std::pair{at(b, k), at(b, 1 - k)};
    });
  };
  const std::size_t left = end(0);
  const std::size_t right = end(1);
  const double width = at(right, 0) - at(left, 0);
  const double height = at(left, 1) - at(right, 1);
  for (const std::size_t i : kept) {
    costs[i] = along(at(i, 0) - at(left, 0), width) + along(at(i, 1) - at(right, 1), height);
  }
  return costs;
}

bool is_known(const Candidate& candidate, const OrderRule& rule) {
  return rule.knee || !std::isnan(candidate.values[rule.best].decided);
}

}  // namespace

void put_in_order(Choice& choice, const OrderRule& rule, const Keeps& keeps) {
  std::vector<double> cost;
  if (rule.knee) {
    cost = knee_costs(choice, keeps);
  } else {
    for (const Candidate& candidate : choice.candidates)
      cost.push_back(cost_of(choice, candidate, rule.best));
  }
  std::vector<std::size_t> place(choice.candidates.size());
  std::iota(place.begin(), place.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const Candidate& candidate = choice.candidates[i];
    const bool kept = keeps(candidate);
    // What is infinite is known, and better than what is not.
    const double unknown = is_known(candidate, rule) ? 0 : 1;
    std::vector<double> costs{kept ? 0.0 : 1.0, kept ? unknown : candidate.excess, cost[i]};
    // Of points that are level there, none that another dominates comes first.
    for (std::size_t name = 0; name < choice.names.size(); ++name) {
      costs.push_back(cost_of(choice, candidate, name));
    }
    costs.push_back(candidate.excess);
    return std::tuple{std::move(costs), candidate.task, candidate.point};
  };
  std::ranges::sort(place, [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  std::vector<Candidate> sorted;
  for (const std::size_t i : place) sorted.push_back(std::move(choice.candidates[i]));
  choice.candidates = std::move(sorted);
  if (place.empty() || !keeps(choice.candidates.front())) return;
  choice.knows_best = is_known(choice.candidates.front(), rule);
  if (!choice.knows_best) return;
  // Both ends of a front cost 1; where nothing is below the line between them, nothing is a knee.
  choice.has_knee = !rule.knee || cost[place.front()] < 1;
  if (choice.has_knee) choice.chosen = 0;
}

}  // namespace fairfront::results
