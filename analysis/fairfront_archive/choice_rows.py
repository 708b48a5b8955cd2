"""How many rows a choice with a confidence would need where nothing has passed its tests: as
src/results/choice_rows.hpp."""

from __future__ import annotations

import math
import statistics

import numpy as np

from fairfront_archive.choice_values import Bound, Candidate, PointValues
from fairfront_archive.measured import ALL, Measure
from fairfront_archive.rows_needed import GAPS_IN, BoundedGap, SeenGap, growth_after_failure, growth_for_power, pooled

POWER = 0.9
WITHOUT_WEIGHT = 1e6  # times as wide an error: the estimate weighs nothing beside another one
POWER_AT_ESTIMATES = 0.87  # where what both parts say together is the truth


def rows_needed(values: PointValues, one: Candidate, bounds: tuple[Bound, ...], confidence: float) -> float:
    """As many as there are at least. What was fitted to the rows that decide looks better there than it is: then the
    tested rows alone tell of the truth.

    @param confidence  of one end of an interval of the tested part."""
    fitted = f"{one.task.method}.choose_on" in values.archive.config
    tail = statistics.NormalDist().inv_cdf(confidence)
    gaps: list[SeenGap] = []
    most = 1.0
    for bound in bounds:
        mine = _gaps(values, one, bound, tail, fitted)
        if not mine:
            most = max(most, _growth_by_limit(one, bound, _groups_compared(values, bound), tail, fitted))
        gaps += mine
    if not gaps or math.isinf(most):
        return most
    most = max(most, growth_after_failure(gaps, tail, POWER))
    # Estimates of more than two groups differ by more than what they estimate, and are no truth to plan for.
    estimated = [BoundedGap(pooled(gap), gap.error, gap.bound) for gap in gaps if len(gap.tested) == 2]
    at_estimates = growth_for_power(estimated, tail, POWER_AT_ESTIMATES) if estimated else 1.0
    return most if math.isinf(at_estimates) else max(most, at_estimates)


def _groups_compared(values: PointValues, bound: Bound) -> int:
    """0: the bound is of all rows alone."""
    measure = values.archive.measures().get(bound.name)
    return 0 if measure is None or measure.of_each_group else len(measure.single_groups)


def _growth_by_limit(one: Candidate, bound: Bound, groups: int, tail: float, fitted: bool) -> float:
    """Where no numbers of groups are known: those of gaps are taken to spread evenly."""
    value = one.values[bound.name]
    truth = value.tested[0] if fitted else (value.decided + value.tested[0]) / 2
    room = -bound.excess(truth)
    if not room > 0:
        return math.inf
    half = abs(value.limit(bound) - value.tested[0])
    gap = truth if bound.at_most else 1 - truth
    if groups < 2 or gap < 0:
        return (half / room * (1 + statistics.NormalDist().inv_cdf(POWER) / tail)) ** 2
    spread = gap * np.arange(groups) / (groups - 1)
    even = BoundedGap(spread, np.full(groups, half / (tail * math.sqrt(2))), gap + room)
    return growth_for_power([even], tail, POWER_AT_ESTIMATES)


def _gaps(values: PointValues, one: Candidate, bound: Bound, tail: float, fitted: bool) -> list[SeenGap]:
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
        if fitted:
            decided = tested[0], WITHOUT_WEIGHT * tested[1]
        gaps.append(SeenGap(*tested, *decided, bound.limit))
    return gaps


def _groups(measure: Measure, task: int, part: str, tail: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers of the groups and their standard errors; None where they are not known."""
    names = [group for group in measure.groups if group != ALL]
    cells = np.array([measure.of(part, group)[task] for group in names]).reshape(len(names), 3)
    error = (cells[:, 2] - cells[:, 1]) / (2 * tail)
    return (cells[:, 0], error) if len(names) > 1 and bool((error > 0).all()) else None
