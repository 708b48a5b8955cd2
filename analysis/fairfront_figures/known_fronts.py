"""Fronts of test problems of the literature that are known in closed form, drawn beside what was found.

A problem is known by its name: a value of a problem axis, or a data set in the archive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairfront_archive import Archive, nondominated
from fairfront_figures.arrange import Items


def analytic_front(problem: str, count: int = 4001) -> np.ndarray | None:
    """Points (n, 2) of the Pareto front, as in src/solvers/alternating; None: not known here."""
    t = np.linspace(0.0, 1.0, count)
    w = 1 + t * (1 - t)
    curves: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
        "sp1": lambda: sp1(1 + 2 * t / w, 3 - 2 * (1 - t) / w),
        "ff1": lambda: (1 - np.exp(-8 * t**2), 1 - np.exp(-8 * (1 - t)**2)),
        "jos1": lambda: (t**2, (t - 2)**2),
        "jos2": lambda: (t**4, 1 - t - t**16),  # even steps along the front
        "zdt1": lambda: (t**2, 1 - t),
        "zdt2": lambda: (t, 1 - t**2),
        "zdt3": lambda: (t, 1 - np.sqrt(t) - t * np.sin(10 * np.pi * t)),
        "mop1": lambda: (4 * t**2, (2 * t - 2)**2),
        "deb41": lambda: (0.1 + 0.9 * t, deb41_least() / (0.1 + 0.9 * t)),
        "im1": lambda: (2 + 2 * t, 5 - (1 + t)**2),
    }
    if problem not in curves:
        return None
    return nondominated(np.column_stack(curves[problem]()))


def sp1(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (x - 1)**2 + (x - y)**2, (y - 3)**2 + (x - y)**2


def deb41_least() -> float:
    x = np.linspace(0.199, 0.203, 400001)
    return float(np.min(2 - np.exp(-((x - 0.2) / 0.004)**2) - 0.8 * np.exp(-((x - 0.6) / 0.4)**2)))


def of_panel(archive: Archive, problem: Items) -> np.ndarray | None:
    """The front of the panel's test problem; None for another one."""
    names = [value for _, value in problem] or archive.data_names()
    found = (analytic_front(name) for name in dict.fromkeys(names))
    return next((front for front in found if front is not None), None)


def coverage(found: np.ndarray, front: np.ndarray, radius: float = 0.02) -> float:
    """The share of the front's length, holes aside, within `radius` of a point found, both objectives in
    units of the front's ranges; of `found`, shape (n, 2), minimised."""
    least, span = front.min(axis=0), np.ptp(front, axis=0)
    front, found = (front - least) / span, (found - least) / span
    steps = np.linalg.norm(np.diff(front, axis=0), axis=1)
    steps[steps > radius] = 0
    near = [np.min(np.sum((found - point)**2, axis=1)) <= radius**2 for point in front[1:]]
    return float(steps[near].sum() / steps.sum())


def with_gaps(front: np.ndarray) -> np.ndarray:
    """The same points with a NaN wherever the front is disconnected, to be drawn as lines."""
    jumps = np.abs(np.diff(front, axis=0)).max(axis=1) > 0.02 * np.ptp(front)
    return np.insert(front, np.flatnonzero(jumps) + 1, np.nan, axis=0)
