"""Nondominated sets and their hypervolume; every objective is minimised."""

from __future__ import annotations

import math

import numpy as np


def nondominated(points: np.ndarray) -> np.ndarray:
    """The rows that no other row dominates, sorted; equal rows once."""
    points = np.unique(points, axis=0)  # sorted by the first objective, then the others
    if points.shape[1] == 2:
        before = np.minimum.accumulate(np.concatenate([[math.inf], points[:-1, 1]]))
        return points[points[:, 1] < before]
    keep = [not np.any(np.all(points <= p, axis=1) & np.any(points < p, axis=1)) for p in points]
    return points[keep]


def hypervolume(front: np.ndarray, reference: np.ndarray) -> float:
    """Area that a front of two objectives dominates below `reference`."""
    area, upper = 0.0, reference[1]
    for first, second in front:
        if first < reference[0] and second < upper:
            area += (reference[0] - first) * (upper - second)
            upper = second
    return area
