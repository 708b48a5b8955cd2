"""Which part of the plane a panel of fronts shows: the fronts themselves, not their strays.

Every objective is minimised here; of three, the third is a colour. Of each objective the view begins at the best value of all curves.
It ends at the greatest value that is not far out in Tukey's sense (1977): beyond the third quartile by
more than three times the range between the quartiles. Beyond that it goes on for the sake of the front
of all curves together, and of each curve whose middle is not far out: until that front has reached each
other objective but for a tenth of its range, the last point of a long curve apart. Nothing is left out
for less than twice the room. So a trade-off is not cut, but one point, or points that gain next to nothing
or that others dominate, do not squeeze all others into a corner.
"""

from __future__ import annotations

import numpy as np

from fairfront_archive import nondominated

FAR_OUT = 3.0  # ranges between quartiles
MOST_POINTS = 16  # that a curve counts with in the quartiles, so that long ones do not outweigh others
ROOM = 2.0  # times as much for the rest, or everything is inside
LONG = 6  # points of a curve of which the last one may be a stray
REST = 0.1  # of the range of the other objective: what may be left to gain outside
WIDER = 0.25  # of the view, at each side: what single replicates may add
ROUNDING = 1e-9  # of the larger value
MARGIN = 0.05  # of the view, on every side
LEAST_SHARE = 0.6  # of each side: what points that are no front, such as a constant prediction, leave to the fronts


def counted_points(curves: list[np.ndarray]) -> np.ndarray:
    """At most MOST_POINTS of each curve, evenly spread along it and its ends among them. What has three
    objectives is no curve: all its points count."""
    if curves[0].shape[1] > 2:
        return np.vstack(curves)
    chosen = [np.unique(np.linspace(0, len(curve) - 1, MOST_POINTS).round().astype(int))
              for curve in curves]
    return np.vstack([curve[at] for curve, at in zip(curves, chosen)])


def fences(values: np.ndarray) -> tuple[float, float]:
    """The least and the greatest value that are not far out."""
    first, third = np.quantile(values, [0.25, 0.75])
    reach = FAR_OUT * (third - first)
    return first - reach, third + reach


def without_last(curve: np.ndarray, which: int) -> np.ndarray:
    """A long curve without its greatest value of objective `which`."""
    return np.delete(curve, np.argmax(curve[:, which]), axis=0) if len(curve) >= LONG else curve


def needed(front: np.ndarray, which: int) -> float:
    """The bound on objective `which` within which the front reaches each other one but for REST of its
    range."""
    others = np.delete(front, which, axis=1).T
    return max(float(front[other <= other.min() + REST * np.ptp(other), which].min())
               for other in others)


def view_of(curves: list[np.ndarray], whole: np.ndarray | None = None
            ) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest values of the view, shape (m,) each, without a margin.

    @param curves  of m minimised objectives, shape (n, m), sorted by the first; none empty.
    @param whole   a front that is known, which is always inside; shape (n, m). Curves add WIDER of its ranges at
                   most: what lies beyond is far from optimal, and must not squeeze the front.
    """
    every = np.vstack(curves)
    counted = counted_points(curves)
    limits = np.array([fences(column)[1] for column in counted.T])
    usual = [np.all(np.median(curve, axis=0) <= limits) for curve in curves]
    low, high = every.min(axis=0), np.empty(every.shape[1])
    for which, limit in enumerate(limits):
        short = [without_last(curve, which) for curve in curves]
        fronts = [np.vstack(short)] + [one for one, kept in zip(short, usual) if kept]
        near = every[every[:, which] <= limit, which]
        high[which] = max([near.max()] + [needed(nondominated(one), which) for one in fronts])
        end = every[:, which].max()
        if end - low[which] < ROOM * (high[which] - low[which]):
            high[which] = end
    if whole is not None:
        least, greatest = whole.min(axis=0), whole.max(axis=0)
        room = WIDER * (greatest - least)
        low = np.clip(low, least - room, least)
        high = np.clip(high, greatest, greatest + room)
    return low, high


def with_margin(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values that differ by rounding are one: on an axis of their range it would look like a trade-off."""
    differs = high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high))
    margin = MARGIN * np.where(differs, high - low, np.maximum(np.abs(high), 1e-12))
    return low - margin, high + margin


def widened(low: np.ndarray, high: np.ndarray, curves: list[np.ndarray], more: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray]:
    """The view with those of `more`, shape (n, 2), that are near: not far out, and the view of the
    curves still takes two thirds of each side."""
    counted = counted_points(curves)
    low, high = low.copy(), high.copy()
    for which in (0, 1):
        least, greatest = fences(counted[:, which])
        size = high[which] - low[which]
        if size > 0:
            least = max(least, low[which] - WIDER * size)
            greatest = min(greatest, high[which] + WIDER * size)
        near = more[(more[:, which] >= least) & (more[:, which] <= greatest), which]
        low[which], high[which] = min([low[which], *near]), max([high[which], *near])
    return low, high


def with_points(low: np.ndarray, high: np.ndarray, fronts: np.ndarray, more: np.ndarray | None
                ) -> tuple[np.ndarray, np.ndarray]:
    """The view with each of `more`, shape (n, 2), for which the fronts keep LEAST_SHARE of both sides. One that stays
    outside widens no side: an axis that goes on to it shows nothing there.

    @param fronts  the points of the fronts, shape (m, 2). Where they do not differ, ROOM is what there is.
    """
    front = np.ptp(np.clip(fronts, low, high), axis=0)
    first = high - low
    for point in more if more is not None else ():
        margin = MARGIN * (np.maximum(high, point) - np.minimum(low, point))
        least = np.where(point < low, point - margin, low)
        greatest = np.where(point > high, point + margin, high)
        room = np.where(front > 0, front / LEAST_SHARE, ROOM * first)
        if np.all((greatest - least <= room) | (greatest - least == high - low)):
            low, high = least, greatest
    return low, high


def outside(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which of the points, shape (n, m), are not in the view."""
    return np.any((points < low) | (points > high), axis=1)
