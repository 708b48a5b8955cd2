"""How many rows a choice with a confidence would need where nothing has passed its tests: as
src/results/choice_rows.hpp."""

from __future__ import annotations

import math
import statistics

import numpy as np

from fairfront_archive.choice_values import Bound, Candidate, PointValues
from fairfront_archive.measured import ALL, Measure
from fairfront_archive.rows_needed import GAPS_IN, BoundedGap, SeenGap, growth_after_failure, growth_after_fit, growth_for_power, pooled

POWER = 0.9
POWER_AT_ESTIMATES = 0.87  # where what both parts say together is the truth


def rows_needed(values: PointValues, one: Candidate, bounds: tuple[Bound, ...], confidence: float) -> float:
    """As many as there are at least.

    @param confidence  of one end of an interval of the tested part."""
    fitted = f"{one.task.method}.choose_on" in values.archive.config
    tail = statistics.NormalDist().inv_cdf(confidence)
    gaps: list[SeenGap] = []
    most = 1.0
    for bound in bounds:
        mine = _gaps(values, one, bound, tail)
        if not mine:
            by_limit = _growth_by_limit_of_fitted if fitted else _growth_by_limit_of_picked
            most = max(most, by_limit(one, bound, _groups_compared(values, bound), tail))
        gaps += mine
    if not gaps or math.isinf(most):
        return most
    if fitted:
        return max(most, growth_after_fit(gaps, tail))
    most = max(most, growth_after_failure(gaps, tail, POWER))
    # Estimates of more than two groups differ by more than what they estimate, and are no truth to plan for.
    estimated = [BoundedGap(pooled(gap), gap.error, gap.bound) for gap in gaps if len(gap.tested) == 2]
    at_estimates = growth_for_power(estimated, tail, POWER_AT_ESTIMATES) if estimated else 1.0
    return most if math.isinf(at_estimates) else max(most, at_estimates)


def _groups_compared(values: PointValues, bound: Bound) -> int:
    """0: the bound is of all rows alone."""
    measure = values.archive.measures().get(bound.name)
    return 0 if measure is None or measure.of_each_group else len(measure.single_groups)


def _growth_by_limit_of_picked(one: Candidate, bound: Bound, groups: int, tail: float) -> float:
    """Where no numbers of groups are known. The truth is taken to lie midway between both parts."""
    value = one.values[bound.name]
    return _growth_by_limit(one, bound, groups, tail, (value.decided + value.tested[0]) / 2)


def _growth_by_limit_of_fitted(one: Candidate, bound: Bound, groups: int, tail: float) -> float:
    """Rows of both parts are taken to be as many, and groups to spread evenly on both."""
    value = one.values[bound.name]
    decided, tested, limit = (_gap(bound, each) for each in (value.decided, value.tested[0], bound.limit))
    if groups < 2 or not min(decided, tested) >= 0:
        return _growth_by_limit(one, bound, groups, tail, value.tested[0])
    error = _error_of_limit(one, bound, groups, tail)
    return growth_after_fit([SeenGap(_spread(groups, tested), error, _spread(groups, decided), error, limit)], tail)


def _growth_by_limit(one: Candidate, bound: Bound, groups: int, tail: float, truth: float) -> float:
    room = -bound.excess(truth)
    if not room > 0:
        return math.inf
    gap = _gap(bound, truth)
    if groups < 2 or gap < 0:
        return (_half_width(one, bound) / room * (1 + statistics.NormalDist().inv_cdf(POWER) / tail)) ** 2
    even = BoundedGap(_spread(groups, gap), _error_of_limit(one, bound, groups, tail), gap + room)
    return growth_for_power([even], tail, POWER_AT_ESTIMATES)


def _gap(bound: Bound, value: float) -> float:
    """A ratio is as far from 1 as a gap is from 0."""
    return value if bound.at_most else 1 - value


def _spread(groups: int, gap: float) -> np.ndarray:
    return gap * np.arange(groups) / (groups - 1)


def _half_width(one: Candidate, bound: Bound) -> float:
    value = one.values[bound.name]
    return abs(value.limit(bound) - value.tested[0])


def _error_of_limit(one: Candidate, bound: Bound, groups: int, tail: float) -> np.ndarray:
    return np.full(groups, _half_width(one, bound) / (tail * math.sqrt(2)))


def _gaps(values: PointValues, one: Candidate, bound: Bound, tail: float) -> list[SeenGap]:
    """Those that the bound is of, by the numbers of groups; empty where they are not known."""
    if not bound.at_most:
        return []
    gaps = []
    for name in GAPS_IN.get(bound.name, (bound.name,)):
        measure = values.archive.measures().get(name)
        decides, tests, _ = values.roles
        if measure is None or not measure.has(decides) or not measure.has(tests):
            return []
        tested, decided = (_groups(measure, one.task.index, part, tail) for part in (tests, decides))
        if tested is None or decided is None:
            return []
        gaps.append(SeenGap(*tested, *decided, bound.limit))
    return gaps


def _groups(measure: Measure, task: int, part: str, tail: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers of the groups and their standard errors; None where they are not known."""
    names = [group for group in measure.groups if group != ALL]
    cells = np.array([measure.of(part, group)[task] for group in names]).reshape(len(names), 3)
    error = (cells[:, 2] - cells[:, 1]) / (2 * tail)
    return (cells[:, 0], error) if len(names) > 1 and bool((error > 0).all()) else None
