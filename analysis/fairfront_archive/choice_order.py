"""The order in which a choice prefers its candidates: as src/results/choice_order.hpp."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from fairfront_archive.choice_values import Candidate

Keeps = Callable[[Candidate], bool]


@dataclasses.dataclass(frozen=True)
class OrderRule:
    """What makes a candidate better than another."""

    directions: dict[str, str]  # of the names that candidates have values of, objectives first
    best: str | None  # None: the knee of the two objectives, the distance below the line between both ends

    def in_order(self, points: list[Candidate], keeps: Keeps) -> tuple[list[Candidate], Candidate | None]:
        """The best first and those that do not keep the bounds at last, those that miss them least first; and which is
        chosen, if one is."""
        costs = self._knee_costs(points, keeps) if self.best is None else [self._cost(one, self.best) for one in points]

        def rank(i: int) -> tuple:
            one, kept = points[i], keeps(points[i])
            level = [self._cost(one, name) for name in self.directions]  # none that another dominates comes first
            first = not self._is_known(one) if kept else one.excess  # what is infinite is known, and better than what is not
            return (not kept, first, costs[i], *level, one.excess, one.task.index, one.point)

        places = sorted(range(len(points)), key=rank)
        ordered = [points[i] for i in places]
        is_chosen = places and keeps(ordered[0]) and (costs[places[0]] < 1 if self.best is None else self._is_known(ordered[0]))
        return ordered, ordered[0] if is_chosen else None

    def _is_known(self, one: Candidate) -> bool:
        return self.best is None or not math.isnan(one.values[self.best].decided)

    def _cost(self, one: Candidate, name: str) -> float:
        """Smaller is better; a value that is not known is the worst."""
        value = one.values[name].decided
        if math.isnan(value):
            return math.inf
        return -value if self.directions[name] == "maximise" else value

    def _knee_costs(self, points: list[Candidate], keeps: Keeps) -> list[float]:
        """Distance below the line between both ends of the front."""
        kept = [i for i, one in enumerate(points) if keeps(one)]
        costs = [math.inf] * len(points)
        if not kept:
            return costs
        objectives = list(self.directions)[:2]
        at = [[self._cost(one, name) for name in objectives] for one in points]
        left = min(kept, key=lambda i: (at[i][0], at[i][1]))
        right = min(kept, key=lambda i: (at[i][1], at[i][0]))
        width, height = at[right][0] - at[left][0], at[left][1] - at[right][1]
        for i in kept:
            costs[i] = _along(at[i][0] - at[left][0], width) + _along(at[i][1] - at[right][1], height)
        return costs


def _along(distance: float, size: float) -> float:
    """A distance from the end of the front in units of its range. A front of one point has none: what is not level with
    it is beyond all measure."""
    if size > 0:
        return distance / size
    return math.inf if distance > 0 else 0.0
