"""What tasks have proven about the points of fronts, by the rules of the program (src/results/proven_bounds.hpp)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from fairfront_archive.facts import Front, Task, number
from fairfront_archive.reader import Reader

EXPERIMENT, METHOD, METRIC = "clustering", "lower_bound", "cost_lower"
FLOOR = f"{METHOD}.floor"
ROUNDING = 2.0**-76  # of the first objective, as a share of what the reference point has


@dataclasses.dataclass(frozen=True)
class ProvenBound:
    """No solution of the task's problem whose second objective, which is maximised, is at least `floor` has a
    smaller first objective, which is minimised."""

    task: Task
    floor: float
    lower: float


def proven_bounds(archive: Reader) -> list[ProvenBound]:
    """Of all done tasks that prove one, in their order."""
    if archive.experiment != EXPERIMENT or METRIC not in archive.metric_names():
        return []
    lower = archive.metrics()[METRIC]
    found = []
    for task in archive.tasks:
        floor = number(archive.value(task, FLOOR) or "")
        if task.method == METHOD and task.status == "done" and floor is not None and math.isfinite(lower[task.index]):
            found.append(ProvenBound(task, floor, float(lower[task.index])))
    return found


def problem_of(archive: Reader, task: Task) -> dict[str, str]:
    """The task's values on the axes of shared sections: tasks of whatever methods that have the same solve the same
    problem."""
    methods = archive.methods()
    return {axis: value for axis, value in task.axes.items()
            if "." in axis and axis.partition(".")[0] not in methods}


def lower_bounds(archive: Reader, front: Front, bounds: list[ProvenBound]) -> np.ndarray:
    """For every point the greatest bound of its problem whose floor its second objective reaches, else NaN."""
    lower = np.full(len(front.points), np.nan)
    for bound in bounds:
        if problem_of(archive, bound.task) == problem_of(archive, front.task):
            reached = front.points[:, 1] >= bound.floor
            lower[reached] = np.fmax(lower[reached], bound.lower)
    return lower


def relative_gaps(front: Front, lower: np.ndarray) -> np.ndarray:
    """(value - lower) / value of every point, and 0 where the value is zero up to its own rounding."""
    values = front.points[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = (values - lower) / values
    return np.where((values <= ROUNDING * front.reference[0]) & ~np.isnan(lower), 0.0, gaps)


@dataclasses.dataclass(frozen=True)
class BestPoint:
    """The point of least first objective, among all methods, to which a bound applies."""

    task: Task
    value: float  # its first objective
    gap: float


def best_point(archive: Reader, bound: ProvenBound) -> BestPoint | None:
    """None: no point reaches the bound's floor."""
    best = None
    problem = problem_of(archive, bound.task)
    for front in archive.fronts():
        if problem_of(archive, front.task) != problem:
            continue
        gaps = relative_gaps(front, np.full(len(front.points), bound.lower))
        for (value, second, *_), gap in zip(front.points, gaps):
            if second >= bound.floor and (best is None or value < best.value):
                best = BestPoint(front.task, float(value), float(gap))
    return best
