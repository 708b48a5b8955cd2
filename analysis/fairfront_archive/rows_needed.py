"""How many rows it takes to show that gaps keep their bounds: as src/metrics/rows_needed.hpp."""

from __future__ import annotations

import dataclasses
import functools
import math
import statistics
from collections.abc import Sequence

import numpy as np

DRAWS = 16384
TRUTHS = 256
DRAWS_OF_TRUTH = 128
DEVIATIONS = 40
GAIN_OF_DOUBLING = 0.065  # of the rows, in power, up to which more are called for after a fit
# A gap that is the larger of two others.
GAPS_IN = {"separation_gap": ("true_positive_gap", "false_positive_gap"),
           "sufficiency_gap": ("positive_predictive_gap", "negative_predictive_gap")}


@dataclasses.dataclass(frozen=True)
class SeenGap:
    """The largest difference of two groups' numbers, of which two sets of rows have told something, and the bound that
    it is to keep."""

    tested: np.ndarray
    error: np.ndarray  # standard errors, > 0
    decided: np.ndarray
    decided_error: np.ndarray
    bound: float


class _BeliefOfPicked:
    """What the numbers of a gap's groups may be in truth, of a point that was only picked: normal around any mean, with a
    deviation that makes their expected range anything up to the bound."""

    def __init__(self, gap: SeenGap) -> None:
        self.value = pooled(gap)
        self.error = _pooled_error(gap)
        largest = gap.bound / _expected_range(len(self.value))
        self.deviations = (np.arange(DEVIATIONS) + 0.5) / DEVIATIONS * largest
        logs = np.array([self._log_likelihood(deviation) for deviation in self.deviations])
        sums = np.cumsum(np.exp(logs - logs.max()))
        self.probability = sums / sums[-1]

    def truths(self, along: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Shape (draws, groups), of `along` in (0, 1) for the deviations and normals (draws, groups + 1)."""
        places = np.minimum(np.searchsorted(self.probability, along), DEVIATIONS - 1)
        deviation = self.deviations[places][:, None]
        mean, weights = self._mean(deviation)
        centre = mean + x[:, -1:] / np.sqrt(weights)
        kept = deviation ** 2 / (deviation ** 2 + self.error ** 2)
        return centre + kept * (self.value - centre) + np.sqrt(kept) * self.error * x[:, :-1]

    def _mean(self, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        of_group = 1 / (deviation ** 2 + self.error ** 2)
        weights = of_group.sum(axis=-1, keepdims=True)
        return (of_group * self.value).sum(axis=-1, keepdims=True) / weights, weights

    def _log_likelihood(self, deviation: float) -> float:
        mean, weights = self._mean(np.array([deviation]))
        variance = deviation ** 2 + self.error ** 2
        return -float(np.log(weights[0]) + (np.log(variance) + (self.value - mean) ** 2 / variance).sum()) / 2


class _BeliefOfFitted:
    """The same of a point that was fitted to the rows that decide: any numbers around what both parts say."""

    def __init__(self, gap: SeenGap) -> None:
        self.value = pooled(gap)
        self.error = _pooled_error(gap)

    def truths(self, along: np.ndarray, x: np.ndarray) -> np.ndarray:
        """As of _BeliefOfPicked; there is no deviation, and no mean."""
        return self.value + self.error * x[:, :-1]


@dataclasses.dataclass(frozen=True)
class BoundedGap:
    """The largest difference of two groups' numbers in truth, their errors at the rows that there are, and the bound."""

    value: np.ndarray
    error: np.ndarray
    bound: float


def pooled(gap: SeenGap) -> np.ndarray:
    """Both estimates weighted by their precision."""
    of_one, of_other = 1 / gap.error ** 2, 1 / gap.decided_error ** 2
    return (of_one * gap.tested + of_other * gap.decided) / (of_one + of_other)


def _pooled_error(gap: SeenGap) -> np.ndarray:
    return 1 / np.sqrt(1 / gap.error ** 2 + 1 / gap.decided_error ** 2)


def growth_for_power(gaps: Sequence[BoundedGap], tail: float, power: float, draws: int = DRAWS) -> float:
    """By how many times the rows must grow so that all gaps pass at once with this probability; infinite where one is not
    below its bound."""
    if any(np.ptp(gap.value) >= gap.bound for gap in gaps):
        return math.inf
    rows = _standard_rows(sum(len(gap.value) for gap in gaps))[:draws]
    scale, first = np.full(draws, np.inf), 0
    for gap in gaps:
        mine = rows[:, first:first + len(gap.value)] * gap.error
        first += len(gap.value)
        scale = np.minimum(scale, _largest_scales(gap.value[None], mine, gap, tail))
    growth = np.sort(1 / scale ** 2)
    return float(growth[math.ceil(power * draws) - 1])


def growth_after_failure(gaps: Sequence[SeenGap], tail: float, power: float) -> float:
    """By how many times the rows that tested must grow so that all gaps pass at once with this probability, over what
    may be true after they have failed; infinite where the bounds are more likely broken than kept."""
    growth, reached = _growths(gaps, tail, _BeliefOfPicked)
    if not len(growth):
        return math.inf
    return float(growth[min(int(np.searchsorted(reached, power * reached[-1])), len(growth) - 1)])


def growth_after_fit(gaps: Sequence[SeenGap], tail: float) -> float:
    """The same of a point that was fitted to the rows that decide: up to where each doubling of the rows is worth it."""
    growth, reached = _growths(gaps, tail, _BeliefOfFitted)
    if not len(growth):
        return math.inf
    growth = np.maximum(1.0, growth)
    return float(growth[np.argmax(reached / reached[-1] - GAIN_OF_DOUBLING * np.log2(growth))])


def _growths(gaps: Sequence[SeenGap], tail: float,
             belief: type[_BeliefOfPicked] | type[_BeliefOfFitted]) -> tuple[np.ndarray, np.ndarray]:
    """Of all draws in ascending order, and the weights up to each; none where the bounds are rather broken than kept."""
    groups = sum(len(gap.tested) for gap in gaps)
    roots = _roots_of_primes(2 * groups + 2 * len(gaps))
    of_rows = _rows_to_come(groups)
    numbers = np.arange(1, TRUTHS + 1)
    keep = np.full(TRUTHS, True)
    scale = np.full(TRUTHS * DRAWS_OF_TRUTH, np.inf)
    first, root = 0, groups
    for gap in gaps:
        count = len(gap.tested)
        truth = belief(gap).truths(_places(numbers, roots[root + count + 1:root + count + 2])[:, 0],
                                    _normals(numbers, roots[root:root + count + 1]))
        root += count + 2
        keep &= np.ptp(truth, axis=1) < gap.bound
        mine = of_rows[:, first:first + count] * gap.error
        first += count
        scale = np.minimum(scale, _largest_scales(np.repeat(truth, DRAWS_OF_TRUTH, axis=0), mine, gap, tail))
    of_truth = scale.reshape(TRUTHS, DRAWS_OF_TRUTH)
    # The tested rows have failed: their likelihood is that among draws which do.
    weight = np.where(keep, DRAWS_OF_TRUTH / np.maximum(1, (of_truth < 1).sum(axis=1)), 1.0)
    if 2 * weight[keep].sum() < weight.sum():
        return np.empty(0), np.empty(0)
    growth = (1 / of_truth[keep] ** 2).ravel()
    order = np.argsort(growth, kind="stable")
    return growth[order], np.cumsum(np.repeat(weight[keep], DRAWS_OF_TRUTH)[order])


def _largest_scales(truth: np.ndarray, errors: np.ndarray, gap: SeenGap | BoundedGap, tail: float) -> np.ndarray:
    """Of the standard errors, at which every pair of groups passes."""
    scale = np.full(len(errors), np.inf)
    for a in range(truth.shape[1]):
        for b in range(truth.shape[1]):
            if a == b:
                continue
            rises = errors[:, a] - errors[:, b] + tail * math.sqrt(gap.error[a] ** 2 + gap.error[b] ** 2)
            room = gap.bound - (truth[:, a] - truth[:, b])
            scale = np.minimum(scale, np.where(rises > 0, room / np.where(rises > 0, rises, 1), np.inf))
    return scale


@functools.lru_cache(maxsize=16)
def _rows_to_come(groups: int) -> np.ndarray:
    return _normals(np.arange(1, TRUTHS * DRAWS_OF_TRUTH + 1), _roots_of_primes(groups))


@functools.lru_cache(maxsize=16)
def _standard_rows(groups: int) -> np.ndarray:
    return _normals(np.arange(1, DRAWS + 1), _roots_of_primes(groups))


@functools.lru_cache(maxsize=16)
def _expected_range(groups: int) -> float:
    return float(np.ptp(_standard_rows(groups), axis=1).sum()) / DRAWS


def _places(draws: np.ndarray, roots: np.ndarray) -> np.ndarray:
    along = draws[:, None] * roots
    return np.clip(along - np.floor(along), 1e-12, 1 - 1e-12)


def _normals(draws: np.ndarray, roots: np.ndarray) -> np.ndarray:
    inverse = np.vectorize(statistics.NormalDist().inv_cdf, otypes=[float])
    return inverse(_places(draws, roots))


def _roots_of_primes(count: int) -> np.ndarray:
    return np.sqrt(_primes(count))


def _primes(count: int) -> np.ndarray:
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return np.array(found, dtype=float)
