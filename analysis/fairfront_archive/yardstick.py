"""Trained fronts beside what post-processing of the unconstrained model reaches, by the rules of the program
(src/results/yardstick.hpp)."""

from __future__ import annotations

import dataclasses

import numpy as np

from fairfront_archive.common_names import RANDOMISED
from fairfront_archive.facts import Task
from fairfront_archive.measured import Measure
from fairfront_archive.pareto import hypervolume, nondominated
from fairfront_archive.proven import problem_of
from fairfront_archive.reader import Reader

EXPERIMENT, METHOD = "training", "postprocessing"
GAPS = {"demographic_parity": "independence_gap", "equal_opportunity": "true_positive_gap",
        "predictive_equality": "false_positive_gap", "equalised_odds": "separation_gap",
        "error_rate_parity": "error_gap"}  # the measure of each rate
RATIO, RATIO_MEASURE = "ratio", "rate_ratio"
OTHERS = {RATIO: RATIO_MEASURE, "worst_group": "rate_worst_error"}  # the measure of what else is bounded
ROUNDING = 1e-12


@dataclasses.dataclass(frozen=True)
class Beside:
    """Of a part of the rows; hypervolumes are means over replicates."""

    part: str
    hypervolume: float  # of error and gap, up to 1 each
    yardstick: float  # the same of the yardstick
    points: int
    worse: int  # points with a larger error than the yardstick has at their gap
    excess: float  # by how much at most

    @property
    def below(self) -> bool:
        return 2 * self.worse > self.points


@dataclasses.dataclass(frozen=True)
class ComparedFront:
    """All tasks of a method that differ along trade-off and replicate axes alone."""

    tasks: list[Task]
    beside: list[Task]  # of the yardstick
    randomised: bool  # of the randomised classifiers beside the method's single ones
    rate: str  # that the method bounds, as the yardstick does
    bound_of: str  # and what of it: "gap", "ratio" or "worst_group"
    parts: list[Beside]  # the one that decides, then the one that is reported

    @property
    def bounded(self) -> str:
        return bounded_text(self.rate, self.bound_of)

    @property
    def remark(self) -> str:
        """What is to be said of a front that is below the yardstick on one of the parts; else ""."""
        texts = [f"on the {one.part} part (at {one.worse} of {one.points} points an error that is larger at the same "
                 f"gap, by up to {one.excess:.3g}; hypervolume {one.hypervolume:.4f} against {one.yardstick:.4f})"
                 for one in self.parts if one.below]
        form = ", randomised," if self.randomised else ""
        return (f"[{self.tasks[0].method}]{form} is below the post-processed unconstrained model in {self.bounded} "
                f"{' and '.join(texts)}") if texts else ""


def rate_of(archive: Reader, task: Task) -> str:
    """What a task's method bounds: its own rate, or that of all methods."""
    return archive.value(task, f"{task.method}.rate") or archive.value(task, "training.rate") or ""


def bound_of(archive: Reader, task: Task) -> str:
    """What of the rates: its own, or that of all methods; the gap of archives that know no other bounds."""
    return archive.value(task, f"{task.method}.bound_of") or archive.value(task, "training.bound_of") or "gap"


def bounded_text(rate: str, of: str) -> str:
    return rate if of == "gap" else f"{rate}, {of}"


def measure_of(rate: str, of: str) -> str:
    """The measure of what is bounded, of single decisions."""
    return OTHERS.get(of) or GAPS[rate]


def same_replicate(task: Task, other: Task) -> bool:
    """A method that draws nothing has no seed."""
    return all(task.axes[axis] == other.axes[axis] for axis in task.axes.keys() & other.axes.keys() if "." not in axis)


def roles_of(measures: dict[str, Measure]) -> list[str]:
    """The part that decides and the one that is reported; one name where they are one."""
    parts = max((measure.parts for measure in measures.values()), key=len, default=())
    deciding = [part for part in parts[:-1] if part != "choice"]
    return [*deciding[-1:], *parts[-1:]]


def points_of(archive: Reader, tasks: list[Task], form: str, gap: str, part: str) -> np.ndarray:
    """Error and gap of those tasks that have both, (n, 2); the distance from 1 of a ratio stands for its gap."""
    measures = archive.measures()
    names = [f"{form}error", form + gap]
    if not all(name in measures and measures[name].has(part) for name in names):
        return np.empty((0, 2))
    rows = [task.index for task in tasks]
    points = np.column_stack([measures[name].of(part)[rows, 0] for name in names])
    if gap == RATIO_MEASURE:
        points[:, 1] = 1 - points[:, 1]
    return points[np.isfinite(points).all(axis=1)]


def error_at(yardstick: np.ndarray, gap: float, draws: bool = True) -> float | None:
    """Least error of the yardstick at a gap: of its points and of draws of two of them. None at a gap below all
    of its own, but for rounding.

    @param draws  whether a draw of two points has no larger gap than their gaps drawn: not so of ratios."""
    near = yardstick[:, 1] <= gap + ROUNDING
    low, high = yardstick[near], yardstick[~near]
    if not len(low):
        return None
    found = [float(low[:, 0].min())]
    for error, own in low if draws else ():
        share = max(gap - own, 0.0) / (high[:, 1] - own)
        found += list(error + share * (high[:, 0] - error))
    return float(min(found))


def beside(part: str, replicates: list[tuple[np.ndarray, np.ndarray]], draws: bool) -> Beside:
    """@param replicates  points of the method and of the yardstick in each."""
    volumes = np.array([[hypervolume(nondominated(points), np.ones(2)) for points in both] for both in replicates])
    excess = [point[0] - known for points, yardstick in replicates for point in points
              if (known := error_at(yardstick, point[1], draws)) is not None and point[0] > known + ROUNDING]
    count = sum(len(points) for points, _ in replicates)
    return Beside(part, *map(float, volumes.mean(axis=0)), count, len(excess), float(max(excess, default=0.0)))


def compared(archive: Reader, tasks: list[Task], yardstick: list[Task], form: str) -> ComparedFront | None:
    """One configuration of a method."""
    rate, of = rate_of(archive, tasks[0]), bound_of(archive, tasks[0])
    if rate not in GAPS:
        return None
    measure = measure_of(rate, of)
    curves: dict[int, list[Task]] = {}
    for task in tasks:
        curves.setdefault(task.curve, []).append(task)
    pairs = [(mine, [other for other in yardstick if (rate_of(archive, other), bound_of(archive, other)) == (rate, of) and
                     problem_of(archive, other) == problem_of(archive, mine[0]) and same_replicate(mine[0], other)])
             for mine in curves.values()]
    parts = []
    for part in roles_of(archive.measures()):
        replicates = [(points_of(archive, mine, form, measure, part), points_of(archive, its, "", measure, part))
                      for mine, its in pairs]
        replicates = [both for both in replicates if len(both[0]) and len(both[1])]
        if replicates:
            parts.append(beside(part, replicates, draws=of != RATIO))
    others = {other.index: other for _, its in pairs for other in its}
    return ComparedFront(tasks, [others[index] for index in sorted(others)], bool(form), rate, of, parts) if parts else None


def compared_with_yardstick(archive: Reader) -> list[ComparedFront]:
    """Of every other method that bounds a rate for which the yardstick is there, on the same data and split, with
    the same shared options; empty for other experiments."""
    if archive.experiment != EXPERIMENT:
        return []
    done = [task for task in archive.tasks if task.status == "done"]
    yardstick = [task for task in done if task.method == METHOD]
    configurations: dict[int, list[Task]] = {}
    for task in done:
        if task.method != METHOD:
            configurations.setdefault(task.configuration, []).append(task)
    found = [compared(archive, tasks, yardstick, form) for tasks in configurations.values() for form in ("", RANDOMISED)]
    return [front for front in found if front is not None]
