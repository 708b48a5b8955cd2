"""What was measured of the tasks' results, and every number of a task under one name."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np

from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Quantity
from fairfront_archive.quotation import names_text

ALL = "all"  # the group of all rows
ENDS = ("value", "low", "high")
TESTS = "choice"  # the part of rows for the tests of a choice
FEW_ROWS = 30  # fewer say little of a group: its intervals are wide, and gaps that it makes may be chance


@dataclasses.dataclass(frozen=True)
class Measure:
    """What one measure says of every task, on parts of the rows and there of all rows or single groups."""

    what: Quantity
    parts: tuple[str, ...]  # such as "train", "test"
    groups: tuple[str, ...]  # "all" first where it is there, and names of single groups
    values: np.ndarray  # (tasks, parts, groups, 3): value, ends of its interval; NaN where not known
    of_each_group: bool = True  # False: a gap, and at single groups those that make it, with their part
    place: str = "here"  # the archive, for messages
    reported: str = ""  # the archive's part that is reported, on which a measure may have no value

    @property
    def shown(self) -> str:
        """The part of which somebody is told who names none: the reported one, or without it the last."""
        return self.reported if self.reported in self.parts else last_part(self.parts)

    @property
    def single_groups(self) -> tuple[str, ...]:
        return tuple(group for group in self.groups if group != ALL)

    @property
    def measured_groups(self) -> tuple[str, ...]:
        """Those whose rows it was taken on: of a gap all rows alone. (A measure that is none of all rows has
        numbers of groups only.)"""
        return self.groups if self.of_each_group or ALL not in self.groups else (ALL,)

    def has(self, part: str, group: str = ALL) -> bool:
        return part in self.parts and group in self.groups

    def of(self, part: str, group: str = ALL) -> np.ndarray:
        """Values and both ends of their intervals, shape (tasks, 3); NaN where they are not known.

        @throws ArchiveError  it was not taken there.
        """
        if not self.has(part, group):
            raise ArchiveError(f"{self.place}: measure '{self.what.name}' has no part '{part}' with group '{group}'; parts: "
                               f"{', '.join(self.parts)}; groups: {names_text(self.groups)}")
        return self.values[:, self.parts.index(part), self.groups.index(group)]


@dataclasses.dataclass(frozen=True, eq=False)
class Number:
    """One number for each task: a metric, or a measure on one part and group."""

    name: str  # such as "iterations", "error (test)" or "error (test, group x < 0)"
    what: Quantity  # of the metric or the measure
    values: np.ndarray  # (tasks,); NaN where it is not known
    low: np.ndarray  # (tasks,), ends of their intervals; NaN where there is none
    high: np.ndarray
    measure: Measure | None = None  # None: a metric, which has no part and no group
    part: str = ""
    group: str = ""

    @property
    def of_all(self) -> bool:
        """Of no single group."""
        return self.group in ("", ALL)

    @property
    def reported(self) -> bool:
        """A measure of all rows of the part that is reported."""
        return self.measure is not None and self.part == self.measure.reported and self.of_all

    @functools.cached_property
    def column(self) -> Quantity:
        """What it is, under its own name."""
        return dataclasses.replace(self.what, name=self.name)

    @property
    def text(self) -> str:
        """For labels: in words, without the part that is reported."""
        words = self.what.name.replace("_", " ")
        place = ", ".join(([self.part] if self.measure and self.part != self.measure.reported else []) +
                          ([] if self.of_all else [f"group {self.group}"]))
        return f"{words} ({place})" if place else words


def last_part(parts: Sequence[str]) -> str:
    """But for the part that is there for tests."""
    own = [part for part in parts if part != TESTS]
    return own[-1] if own else parts[-1]


def number_name(measure: str, part: str, group: str = ALL) -> str:
    """Under which `Archive.numbers` has a measure on one part and group."""
    return f"{measure} ({part})" if group == ALL else f"{measure} ({part}, group {group})"
