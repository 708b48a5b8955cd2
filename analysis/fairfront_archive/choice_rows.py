"""How many rows a choice with a confidence would need where nothing has passed its tests: as
src/results/choice_rows.hpp."""

from __future__ import annotations

import dataclasses
import math
import statistics

import numpy as np

from fairfront_archive.choice_values import Bound, Candidate, PointValues
from fairfront_archive.measured import ALL, Measure
from fairfront_archive.rows_needed import GAPS_IN, BoundedGap, SeenGap, growth_after_failure, growth_after_fit, growth_for_power, pooled

POWER = 0.9
DRAWS_AT_TRUTH = 4096
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


@dataclasses.dataclass(frozen=True)
class RowsAtTruth:
    """How many times the tested rows let a point pass all bounds, if it is in truth so far from them."""

    truth: tuple[float, ...]  # of what each bound is on
    times: float  # with a probability of about .9; fewer rows than there are: below 1


def rows_at_truths(values: PointValues, one: Candidate, bounds: tuple[Bound, ...], confidence: float) -> list[RowsAtTruth]:
    """If the truth were known: at 0, half and .8 of the way to the bounds. It begins at 0 for gaps of which the numbers of
    the groups are known, and for measures of all rows midway between what both parts say. Nothing for other bounds, and
    for those that both parts break.

    @param confidence  of one end of an interval of the tested part."""
    tail = statistics.NormalDist().inv_cdf(confidence)
    found = []
    for part in (0.0, 0.5, 0.8):
        truths, gaps, beside = [], [], []
        for bound in bounds:
            at = _bound_at(part, values, one, bound, tail)
            if at is None:
                return []
            truths.append(at[0])
            gaps += at[1]
            beside += at[2]
        found.append(RowsAtTruth(tuple(truths), _times_at_truth(gaps, beside, tail)))
    return found


def _bound_at(part: float, values: PointValues, one: Candidate, bound: Bound,
              tail: float) -> tuple[float, list[BoundedGap], list[float]] | None:
    """The truth, and the bound as gaps with what their limits have beside the errors; None where no truth is known."""
    of_rates = _is_of_rates(values, bound)
    seen = _gaps(values, one, bound, tail)
    if seen:
        return _gaps_at(part, seen, of_rates, tail) if bound.limit > 0 else None
    value = one.values[bound.name]
    midway = (value.decided + value.tested[0]) / 2
    if not _is_of_all_rows(values, bound) or not bound.excess(midway) < 0:
        return None
    return _limit_at(part, one, bound, tail, midway, of_rates)


def _times_at_truth(gaps: list[BoundedGap], beside: list[float], tail: float) -> float:
    """Of the rows to come, too, intervals of rates are wider than the quantile says."""
    mean = float(np.mean(beside)) if beside else 0.0
    times = growth_for_power(gaps, tail, POWER, DRAWS_AT_TRUTH)
    for _ in range(2):
        if mean != 0 and times > 0:
            times = growth_for_power(gaps, tail + mean / math.sqrt(times), POWER, DRAWS_AT_TRUTH)
    return times


def _is_of_all_rows(values: PointValues, bound: Bound) -> bool:
    """And says the same of single groups: no gap, and no sum of gaps."""
    measure = values.archive.measures().get(bound.name)
    return measure is None or (measure.of_each_group and len(measure.groups) > 1)


def _is_of_rates(values: PointValues, bound: Bound) -> bool:
    """Whether the intervals are those of rates, or, as of mean squares, next to these."""
    measure = values.archive.measures().get(bound.name)
    return measure is not None and measure.what.unit == "share"


def _errors_of_rates(truth: np.ndarray, rate: np.ndarray, distance: np.ndarray, tail: float,
                     side: float = 0) -> tuple[np.ndarray, np.ndarray]:
    """Of as many rows as have limits so far from the rates, if the truth is another: standard errors, and how much further
    than these times the quantile the limits of Clopper and Pearson are, over them (Brown, Cai, DasGupta, 2002, to second
    order).

    @param side  1: the upper limit; -1: the lower one; 0: half of both distances."""
    deviation = np.sqrt(rate * (1 - rate))
    known = (deviation > 0) & (truth > 0) & (truth < 1)
    deviation, truth = np.where(known, deviation, 0.5), np.where(known, truth, 0.5)
    skew = side * (tail * tail / 3 + 1 / 6)
    along = tail * deviation
    square = along * along + 4 * (0.5 + skew * (1 - 2 * rate)) * distance
    root = 2 * distance / (along + np.sqrt(np.maximum(0, square)))  # 1/sqrt(n)
    in_truth = np.sqrt(truth * (1 - truth))
    return (np.where(known, in_truth * root, distance / tail),
            np.where(known, (0.5 + skew * (1 - 2 * truth)) * root / in_truth, 0))


def _gaps_at(part: float, seen: list[SeenGap], of_rates: bool, tail: float) -> tuple[float, list[BoundedGap], list[float]]:
    """Of gaps the largest is this part of the bound; groups keep the pattern that both parts show together."""
    truth = part * seen[0].bound
    largest = max(float(np.ptp(pooled(gap))) for gap in seen)
    gaps, beside = [], []
    for gap in seen:
        numbers = _stretched(pooled(gap), truth / largest if largest > 0 else 0)
        if not largest > 0:
            numbers = numbers + _spread(len(gap.tested), truth)
        error = gap.error
        if of_rates:
            error, of_gap = _errors_of_rates(numbers, gap.tested, tail * gap.error, tail)
            beside += list(of_gap)
        gaps.append(BoundedGap(numbers, error, gap.bound))
    return truth, gaps, beside


def _stretched(numbers: np.ndarray, times: float) -> np.ndarray:
    return numbers.mean() + times * (numbers - numbers.mean())


def _limit_at(part: float, one: Candidate, bound: Bound, tail: float, begin: float,
              of_rates: bool) -> tuple[float, list[BoundedGap], list[float]]:
    """As a gap to a number that is known next to exactly, so far away that only one order of the two counts."""
    truth = begin + part * (bound.limit - begin)
    distance = _half_width(one, bound)
    error, beside = distance / tail, 0.0
    if of_rates:
        (error,), (beside,) = _errors_of_rates(np.array([truth]), np.array([one.values[bound.name].tested[0]]),
                                               np.array([distance]), tail, 1 if bound.at_most else -1)
    far = 100 * error
    return truth, [BoundedGap(np.array([far, 0.0]), np.array([error, 1e-6 * error]), far - bound.excess(truth))], [beside]


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
