"""Nondominated sets, their hypervolume and attainment surfaces; every objective is minimised."""

from __future__ import annotations

import math

import numpy as np

MOST_VALUES = 4_000_000  # looked at for one surface: corners by fronts
MOST_CORNERS = 400  # that are given at least


def nondominated(points: np.ndarray) -> np.ndarray:
    """The rows that no other row dominates, sorted; equal rows once."""
    points = np.unique(points, axis=0)  # sorted by the first objective, then the others
    if points.shape[1] == 2:
        before = np.minimum.accumulate(np.concatenate([[math.inf], points[:-1, 1]]))
        return points[points[:, 1] < before]
    keep = [not np.any(np.all(points <= p, axis=1) & np.any(points < p, axis=1)) for p in points]
    return points[keep]


def hypervolume(front: np.ndarray, reference: np.ndarray) -> float:
    """Area that a front of two objectives dominates below `reference`.

    @param front  shape (n, 2), sorted by the first objective.
    """
    area, upper = 0.0, reference[1]
    for first, second in front:
        if first < reference[0] and second < upper:
            area += (reference[0] - first) * (upper - second)
            upper = second
    return area


def least_second(front: np.ndarray, at: np.ndarray) -> np.ndarray:
    """For each bound on the first objective the least second one; infinite where no point keeps it.

    @param front  shape (n, 2), any order.  @param at  shape (k,).
    """
    front = nondominated(front)
    place = np.searchsorted(front[:, 0], at, side="right")
    return np.concatenate([[math.inf], front[:, 1]])[place]


def attainment(fronts: list[np.ndarray], count: int) -> np.ndarray:
    """The boundary of what at least `count` of the fronts attain, as its corners, shape (n, 2).

    A front attains a point that one of its points equals or dominates. count = 1 is the best surface,
    count = len(fronts) the worst. Fonseca, Fleming (1996); Lopez-Ibanez, Paquete, Stuetzle (2010).

    Of very many points (see MOST_VALUES) not every corner is given: each one is still attained, but the
    boundary between them may lie beyond.

    @param fronts  of two objectives, one for each replicate, none empty.
    @throws ValueError  `count` is not in 1 .. len(fronts).
    """
    if not 1 <= count <= len(fronts):
        raise ValueError(f"count = {count}, must be in 1 .. {len(fronts)}")
    at = np.unique(np.concatenate([front[:, 0] for front in fronts]))
    most = max(MOST_CORNERS, MOST_VALUES // len(fronts))
    if len(at) > most:
        at = at[np.unique(np.linspace(0, len(at) - 1, most).round().astype(int))]
    reached = np.array([least_second(front, at) for front in fronts])
    levels = np.partition(reached, count - 1, axis=0)[count - 1]
    reached = np.isfinite(levels)
    return nondominated(np.column_stack([at[reached], levels[reached]]))
