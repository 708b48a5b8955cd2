/// @file
/// Names that measures have in the field, beside their own.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace fairfront::metrics {

/// What the field calls a measure, and the measure. Both spellings of equalised odds are common.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 9> common_names{
    {{"demographic_parity_gap", "independence_gap"},
     {"statistical_parity_gap", "independence_gap"},
     {"demographic_parity_ratio", "independence_ratio"},
     {"disparate_impact_ratio", "independence_ratio"},
     {"equal_opportunity_gap", "true_positive_gap"},
     {"predictive_equality_gap", "false_positive_gap"},
     {"equalised_odds_gap", "separation_gap"},
     {"equalized_odds_gap", "separation_gap"},
     {"predictive_parity_gap", "positive_predictive_gap"}}};

/// The measure's own name where this is another one of it; else the name itself.
[[nodiscard]] inline std::string measure_called(std::string_view name) {
  constexpr std::string_view randomised = "randomised_";  // in front of what has the same names
  const bool has_prefix = name.starts_with(randomised);
  const std::string_view rest = has_prefix ? name.substr(randomised.size()) : name;
  for (const auto& [common, own] : common_names) {
    if (rest == common) return std::string{has_prefix ? randomised : ""} + std::string{own};
  }
  return std::string{name};
}

}  // namespace fairfront::metrics
