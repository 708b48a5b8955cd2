"""Names that measures have in the field, beside their own: as src/metrics/common_names.hpp."""

from __future__ import annotations

RANDOMISED = "randomised_"  # in front of measures of randomised classifiers, which have the same names
COMMON_NAMES = {
    "demographic_parity_gap": "independence_gap",
    "statistical_parity_gap": "independence_gap",
    "demographic_parity_ratio": "independence_ratio",
    "disparate_impact_ratio": "independence_ratio",
    "equal_opportunity_gap": "true_positive_gap",
    "predictive_equality_gap": "false_positive_gap",
    "equalised_odds_gap": "separation_gap",
    "equalized_odds_gap": "separation_gap",
    "predictive_parity_gap": "positive_predictive_gap",
}


def measure_called(name: str) -> str:
    """The measure's own name where this is another one of it, also in front of a part, as in
    "equalised_odds_gap (test)"; else the name itself."""
    first, blank, rest = name.partition(" ")
    prefix = RANDOMISED if first.startswith(RANDOMISED) else ""
    own = first.removeprefix(prefix)
    return prefix + COMMON_NAMES.get(own, own) + blank + rest
