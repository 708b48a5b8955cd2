#include "solvers/training/rate_constraints.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace fairfront::training {

std::vector<std::pair<std::string, RateKind>> rate_names() {
  return {{"demographic_parity", RateKind::demographic_parity},
          {"equal_opportunity", RateKind::equal_opportunity},
          {"equalised_odds", RateKind::equalised_odds},
          {"predictive_equality", RateKind::predictive_equality},
          {"error_rate_parity", RateKind::error_rate_parity}};
}

std::string_view gap_measure_of(RateKind kind) noexcept {
  switch (kind) {
    case RateKind::demographic_parity:
      return "independence_gap";
    case RateKind::equal_opportunity:
      return "true_positive_gap";
    case RateKind::predictive_equality:
      return "false_positive_gap";
    case RateKind::equalised_odds:
      return "separation_gap";
    case RateKind::error_rate_parity:
      break;
  }
  return "error_gap";
}

std::int64_t RateCells::cell_of(std::int64_t group, bool positive) const noexcept {
  switch (kind_) {
    case RateKind::equal_opportunity:
      return positive ? group : -1;
    case RateKind::predictive_equality:
      return positive ? -1 : group;
    case RateKind::equalised_odds:
      return positive ? group : groups_ + group;
    case RateKind::demographic_parity:
    case RateKind::error_rate_parity:
      break;
  }
  return group;
}

bool RateCells::is_of_hits(std::int64_t cell) const noexcept {
  return kind_ == RateKind::equal_opportunity ||
         (kind_ == RateKind::equalised_odds && cell < groups_);
}

std::string RateCells::condition(std::int64_t cell) const {
  switch (kind_) {
    case RateKind::equal_opportunity:
      return "label 1";
    case RateKind::predictive_equality:
      return "label 0";
    case RateKind::equalised_odds:
      return cell < groups_ ? "label 1" : "label 0";
    case RateKind::demographic_parity:
    case RateKind::error_rate_parity:
      break;
  }
  return "";
}

double largest_gap(const RateCells& cells, std::span<const double> rates) {
  double largest = 0;
  for (std::int64_t event = 0; event < cells.events(); ++event) {
    const auto of_event = rates.subspan(base::at(event * cells.groups()), base::at(cells.groups()));
    const auto [least, most] = std::ranges::minmax(of_event);
    largest = std::max(largest, most - least);
  }
  return largest;
}

}  // namespace fairfront::training
