#include "solvers/training/rate_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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

std::vector<RateInequality> of_errors(const RateCells& cells, double bound) {
  std::vector<RateInequality> all;
  for (std::int64_t k = 0; k < cells.size(); ++k) {
    const bool hits = cells.is_of_hits(k);
    all.push_back({.a = at(k),
                   .b = at(k),
                   .larger = hits ? -1.0 : 1.0,
                   .smaller = 0,
                   .most = hits ? bound - 1 : bound});
  }
  return all;
}

}  // namespace

std::vector<std::pair<std::string, BoundOf>> bound_of_names() {
  return {{"gap", BoundOf::gap}, {"ratio", BoundOf::ratio}, {"worst_group", BoundOf::worst_group}};
}

void add_bound_of(base::OptionTable& table, BoundOf& field) {
  table.add_choice<BoundOf>(
      "bound_of", field, bound_of_names(),
      "With gap, the largest difference of two groups' rates is at most the bound; with ratio, the "
      "smallest rate of a group over the largest is at least the bound, which the four-fifths rule "
      "sets to 0.8; with worst_group, the largest error of a group, on the rows that the rate is "
      "of, is at most the bound, and a bound of 0 asks for the least there is.");
}

void require_errors(const RateLimit& limit, std::string_view owner) {
  if (limit.of != BoundOf::worst_group || limit.rate != RateKind::demographic_parity) return;
  throw std::invalid_argument(fmt::format(
      "{0}.bound_of = worst_group is of errors, and {0}.rate = demographic_parity of decisions: "
      "rate must be error_rate_parity, equal_opportunity, predictive_equality or equalised_odds",
      owner));
}

std::vector<RateInequality> inequalities_of(const RateLimit& limit, const RateCells& cells) {
  switch (limit.of) {
    case BoundOf::gap:
      return of_pairs(cells, {.most = limit.bound});
    case BoundOf::ratio:
      return of_pairs(cells, {.larger = limit.bound});
    case BoundOf::worst_group:
      break;
  }
  return of_errors(cells, limit.bound);
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

double largest_error(const RateCells& cells, std::span<const double> rates) {
  double largest = 0;
  for (std::int64_t k = 0; k < cells.size(); ++k) {
    largest = std::max(largest, cells.is_of_hits(k) ? 1 - rates[at(k)] : rates[at(k)]);
  }
  return largest;
}

double bounded_value(BoundOf of, const RateCells& cells, std::span<const double> rates) {
  switch (of) {
    case BoundOf::gap:
      return largest_gap(cells, rates);
    case BoundOf::ratio:
      return smallest_ratio(cells, rates);
    case BoundOf::worst_group:
      break;
  }
  return largest_error(cells, rates);
}

bool keeps(const RateLimit& limit, double value) {
  if (limit.of != BoundOf::ratio) return value <= limit.bound;
  return std::isnan(value) || value >= limit.bound;
}

bool keeps_to_rounding(const RateLimit& limit, double value) {
  const double rounding = limit.of == BoundOf::ratio ? -bound_rounding : bound_rounding;
  return keeps({limit.rate, limit.of, limit.bound + rounding}, value);
}

double unfairness(BoundOf of, double value) { return of == BoundOf::ratio ? 1 - value : value; }

}  // namespace fairfront::training
