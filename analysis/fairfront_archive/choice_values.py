"""What is known of the points that can be chosen: as src/results/choice_values.hpp."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from fairfront_archive.cells import real
from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Front, Task
from fairfront_archive.measured import TESTS, Measure, last_part
from fairfront_archive.reader import Reader

NOTHING = (math.nan,) * 3
PART_THAT_DECIDES = "part that decides"  # where no measure says which one it is


@dataclasses.dataclass(frozen=True)
class Bound:
    """value of `name` <= limit, or >= limit."""

    name: str
    at_most: bool
    limit: float

    def excess(self, value: float) -> float:
        """0 or less if it is kept."""
        return value - self.limit if self.at_most else self.limit - value

    def __str__(self) -> str:
        return f"{self.name} {'<=' if self.at_most else '>='} {self.limit!r}"


@dataclasses.dataclass(frozen=True)
class ChoiceValue:
    """What is known of one name at one point; NaN where it is not. Ends are those of intervals."""

    decided: float
    reported: float
    low: float
    high: float
    tested: tuple[float, float, float]  # value, low and high on the rows for tests

    def limit(self, bound: Bound) -> float:
        """The end of the interval that a bound looks at."""
        _, low, high = self.tested
        return high if bound.at_most else low


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A point that can be chosen."""

    task: Task
    point: int  # of the task's front
    of: int  # points that this front has
    values: dict[str, ChoiceValue]
    keeps: bool  # every bound, on the part that decides
    excess: float  # how far it is from the bounds there; of several bounds in units of units_of()


def excess_of(bounds: tuple[Bound, ...], values: dict[str, ChoiceValue]) -> float:
    """How far what was decided is from the bounds; infinite where it is not known."""
    over = [bound.excess(values[bound.name].decided) for bound in bounds]
    return math.inf if any(map(math.isnan, over)) else max(over, default=0.0)


def in_units(over: float, unit: float) -> float:
    """Of how far points lie apart. Where all are level there is no unit: they break the bound, or none comes near it."""
    if math.isnan(over):
        return math.inf
    if unit > 0:
        return over / unit
    return math.inf if over > 0 else -math.inf


def units_of(bounds: tuple[Bound, ...], points: list[Candidate]) -> list[float]:
    """By how far the points lie apart in what each of several bounds is on, in which these are compared, as a year and
    a share have no unit in common; 0 where all are level. Of one bound 1."""
    if len(bounds) < 2:
        return [1.0] * len(bounds)
    known = [[value for one in points if math.isfinite(value := one.values[bound.name].decided)] for bound in bounds]
    return [max(values) - min(values) if values else 0.0 for values in known]


def bound_of(text: str) -> Bound:
    """Of "NAME<=X" or "NAME>=X"."""
    for sign in ("<=", ">="):
        name, found, limit = text.partition(sign)
        value = real(limit.strip()) if found else None
        if value is not None and name.strip():
            return Bound(name.strip(), sign == "<=", value)
        if found:
            break
    raise ArchiveError(f"the bound '{text}' must be NAME<=NUMBER or NAME>=NUMBER")


def part_roles(archive: Reader) -> tuple[str, str, str]:
    """The parts that decide, test and are reported, of an archive's measures, "" where there is none: one that has no
    value on the part that decides is not decided by another. The last part is reported, and what comes before it
    decides; the one that is there for tests does neither. Where no front says anything of a reported part, the last
    one decides."""
    parts = max((measure.parts for measure in archive.measures().values()), key=len, default=()) or ("",)
    own, last = [part for part in parts if part != TESTS], last_part(parts)
    if not own:
        return last, last, last
    fronts = archive.fronts()
    reports = not fronts or any(front.report is not None and not np.isnan(front.report).all() for front in fronts)
    tells_one = TESTS in parts and len(own) == 1  # beside the part that is there for tests
    if len(parts) > 1 and (not reports or tells_one):
        return last, TESTS if TESTS in parts else "", ""
    return own[-2] if len(own) > 1 else last, TESTS if TESTS in parts else last, last


class PointValues:
    """What fronts and measures say of points."""

    def __init__(self, archive: Reader, randomised: bool) -> None:
        self.archive = archive
        self.roles = part_roles(archive)
        objectives = () if randomised else archive.fronts()[0].objectives  # those are the single classifier's
        self.objectives = [one.name for one in objectives]
        self.directions = {one.name: one.direction for one in objectives} | {
            name: measure.what.direction for name, measure in archive.measures().items() if name not in self.objectives}

    def tests_apart(self) -> bool:
        """Whether there are rows for nothing but tests."""
        return any(TESTS in measure.parts for measure in self.archive.measures().values())

    def decided_on(self) -> str:
        """The part by which measures decide, in words."""
        decides, _, reported = self.roles
        return f"{decides} part" if decides != reported else PART_THAT_DECIDES

    def tested_on(self) -> str:
        """The part on which bounds are tested, in words."""
        decides, tests, reported = self.roles
        return f"{tests} part" if decides != reported and tests else "reported part"

    def of(self, front: Front, point: int, name: str) -> ChoiceValue:
        if name in self.objectives:
            return self._of_objective(front, point, self.objectives.index(name), name)
        return self._of_measure(self.archive.measures()[name], front.task.index)

    def _of_measure(self, measure: Measure, task: int) -> ChoiceValue:
        decides, tests, reported = (tuple(map(float, measure.of(part)[task]))
                                    if measure.has(part) and (place == 0 or part != self.roles[0]) else NOTHING
                                    for place, part in enumerate(self.roles))  # what decides is no news of other rows
        return ChoiceValue(decides[0], *reported, tests)

    def _of_objective(self, front: Front, point: int, place: int, name: str) -> ChoiceValue:
        """A measure of the point of the same name that says the same of both parts has its intervals."""
        decided = float(front.points[point, place])
        reported = math.nan if front.report is None else float(front.report[point, place])
        value = ChoiceValue(decided, reported, math.nan, math.nan, (reported, math.nan, math.nan))
        measure = self.archive.measures().get(name)
        if measure is None or len(measure.parts) < 2 or not self.archive.measures_are_of_point(front):
            return value
        same = self._of_measure(measure, front.task.index)
        reports = self._reports(front.task.method)
        return same if same.decided == decided and (not reports or same.reported == reported) else value

    def _reports(self, method: str) -> bool:
        """Whether the fronts of the method have points on the part that is reported."""
        return self.archive.file[f"fronts/{method}/report"].shape[0] > 0
