"""What an archive says of its tasks, fronts and columns, as values."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Objective:
    name: str
    unit: str  # empty when it has none
    direction: str  # "minimise" or "maximise"

    @property
    def sign(self) -> float:
        """Times a value: smaller is better."""
        return -1.0 if self.direction == "maximise" else 1.0


@dataclasses.dataclass(frozen=True)
class Quantity:
    """What a column of numbers is."""

    name: str
    definition: str
    unit: str  # empty when it has none
    direction: str  # "minimise", "maximise" or "none"
    source: str  # the paper that it is from; may be empty
    step_name: str = ""  # of a series: what its steps count, such as "iteration"

    @property
    def sign(self) -> float:
        """Times a value: smaller is better."""
        return -1.0 if self.direction == "maximise" else 1.0


@dataclasses.dataclass(frozen=True)
class Task:
    index: int
    key: str
    method: str
    status: str  # "done", "failed" or "missing"
    message: str
    axes: dict[str, str]  # the axes that this task's method has, and this task's values
    # Rows of one method with the same number: they solve the same problem; differ along trade-off
    # and replicate axes alone; differ along trade-off axes alone, so that they trace one front.
    problem: int = -1
    configuration: int = -1
    curve: int = -1


@dataclasses.dataclass(frozen=True)
class Front:
    task: Task
    objectives: list[Objective]
    points: np.ndarray  # (n, m), in the units and directions of the objectives
    solution: np.ndarray  # (n,), index into /solutions/<name>; -1: none
    reference: np.ndarray  # (m,)
    hypervolume: float
    report: np.ndarray | None = None  # (n, m), the same points on the part that is reported


def number(text: str) -> float | None:
    """The value of an axis, where it is one."""
    try:
        return float(text)
    except ValueError:
        return None
