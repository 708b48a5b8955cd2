"""Numbers in JSON, which has no infinite ones, as the program writes them (src/results/json_number.hpp)."""

from __future__ import annotations

import math

NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def to_json(value: float) -> float | str | None:
    """None: not known."""
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else "inf" if value > 0 else "-inf"


def from_json(value: float | str | None) -> float:
    return math.nan if value is None else NOT_FINITE[value] if isinstance(value, str) else value
