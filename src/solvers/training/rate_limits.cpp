#include "solvers/training/rate_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace fairfront::training {
namespace {

using base::at;

std::vector<RateInequality> of_pairs(const RateCells& cells, const RateInequality& form) {
  std::vector<RateInequality> all;
  for (std::int64_t first = 0; first < cells.size(); first += cells.groups()) {
    for (std::int64_t a = 0; a < cells.groups(); ++a) {
      for (std::int64_t b = 0; b < cells.groups(); ++b) {
        if (a == b) continue;
        all.push_back(form);
        all.back().a = at(first + a);
        all.back().b = at(first + b);
      }
    }
  }
  return all;
}

}  // namespace

std::vector<std::pair<std::string, BoundOf>> bound_of_names() {
  return {{"gap", BoundOf::gap}, {"ratio", BoundOf::ratio}};
}

void add_bound_of(base::OptionTable& table, BoundOf& field) {
  table.add_choice<BoundOf>(
      "bound_of", field, bound_of_names(),
      "What is bounded: with gap the largest difference of two groups' rates is at most the bound; "
      "with ratio the smallest rate of a group over the largest is at least the bound, which the "
      "four-fifths rule sets to 0.8.");
}

std::vector<RateInequality> inequalities_of(const RateLimit& limit, const RateCells& cells) {
  if (limit.of == BoundOf::gap) return of_pairs(cells, {.most = limit.bound});
  return of_pairs(cells, {.larger = limit.bound});
}

double smallest_ratio(const RateCells& cells, std::span<const double> rates) {
  double smallest = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t event = 0; event < cells.events(); ++event) {
    const auto [least, most] =
        std::ranges::minmax(rates.subspan(at(event * cells.groups()), at(cells.groups())));
    if (most > 0) smallest = std::fmin(smallest, least / most);
  }
  return smallest;
}

double bounded_value(BoundOf of, const RateCells& cells, std::span<const double> rates) {
  return of == BoundOf::gap ? largest_gap(cells, rates) : smallest_ratio(cells, rates);
}

bool keeps(const RateLimit& limit, double value) {
  if (limit.of == BoundOf::gap) return value <= limit.bound;
  return std::isnan(value) || value >= limit.bound;
}

double unfairness(BoundOf of, double value) { return of == BoundOf::gap ? value : 1 - value; }

}  // namespace fairfront::training
