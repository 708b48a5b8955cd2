"""How many rows a choice with a confidence would need where nothing has passed its tests: as
src/results/choice_rows.hpp."""

from __future__ import annotations

import math
import statistics

import numpy as np

from fairfront_archive.choice_values import Bound, Candidate, PointValues
from fairfront_archive.measured import ALL, Measure
from fairfront_archive.rows_needed import GAPS_IN, SeenGap, growth_after_failure

POWER = 0.9


def rows_needed(values: PointValues, one: Candidate, bounds: tuple[Bound, ...], confidence: float) -> float:
    """As many as there are at least.

    @param confidence  of one end of an interval of the tested part."""
    tail = statistics.NormalDist().inv_cdf(confidence)
    gaps: list[SeenGap] = []
    most = 1.0
    for bound in bounds:
        mine = _gaps(values, one, bound, tail)
        if not mine:
            most = max(most, _growth_by_limit(one, bound, tail))
        gaps += mine
    if not gaps or math.isinf(most):
        return most
    return max(most, growth_after_failure(gaps, tail, POWER))


def _growth_by_limit(one: Candidate, bound: Bound, tail: float) -> float:
    """Where no numbers of groups are known."""
    value = one.values[bound.name]
    room = -bound.excess((value.decided + value.tested[0]) / 2)
    if not room > 0:
        return math.inf
    half = abs(value.limit(bound) - value.tested[0])
    return (half / room * (1 + statistics.NormalDist().inv_cdf(POWER) / tail)) ** 2


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
