"""The part of the plane in which, as tasks have proven, no point of a problem lies."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, Task
from fairfront_archive.proven import problem_of, proven_bounds


def corners_of(archive: Archive, tasks: list[Task]) -> np.ndarray:
    """Bounds of the problems of these tasks, minimised, shape (n, 2): no point that is at most as large in the
    second objective is below the first. Descending in the second, ascending in the first. Of several problems,
    such as replicates of the data, the least bound, where all have one."""
    bounds = [(problem_of(archive, bound.task), bound) for bound in proven_bounds(archive)]
    if not bounds:
        return np.empty((0, 2))
    problems = [problem_of(archive, task) for task in tasks]
    own = [[bound for problem, bound in bounds if problem == mine]
           for i, mine in enumerate(problems) if mine not in problems[:i]]
    corners: list[tuple[float, float]] = []
    for floor in sorted({bound.floor for mine in own for bound in mine}):
        lower = min(max((bound.lower for bound in mine if bound.floor <= floor), default=-np.inf) for mine in own)
        if np.isfinite(lower) and (not corners or lower > corners[-1][0]):
            corners.append((lower, -floor))
    return np.array(corners).reshape(-1, 2)


def draw(axes: plt.Axes, corners: np.ndarray) -> None:
    """Shades the region up to the limits of the axes, which stay as they are.

    @param corners  of corners_of(); none: nothing is drawn.
    """
    if not len(corners):
        return
    limits = axes.get_xlim(), axes.get_ylim()
    left, top = limits[0][0], max(limits[1][1], -corners[-1, 1])
    up = np.append(-corners[1:, 1], top)
    edge = np.stack([np.column_stack([corners[:, 0], -corners[:, 1]]),
                     np.column_stack([corners[:, 0], up])], axis=1).reshape(-1, 2)
    beyond = "" if corners[-1, 0] > left else ", beyond the frame"
    left = min(left, corners[0, 0]) - np.ptp(limits[0])
    ring = np.vstack([[left, edge[0, 1]], edge, [left, top]])
    axes.fill(*ring.T, color="0.9", linewidth=0, zorder=0, label=f"no point lies here: proven{beyond}")
    axes.plot(*edge.T, color="0.5", linewidth=0.8, linestyle=":", zorder=0)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
