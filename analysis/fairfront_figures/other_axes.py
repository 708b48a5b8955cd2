"""Fronts along measures in the place of the objectives, such as R^2 in that of the squared error."""

from __future__ import annotations

import math

import numpy as np

from fairfront_archive import Archive, ArchiveError, Front, Objective
from fairfront_archive.choice_values import PointValues
from fairfront_figures.arrange import NothingToDraw


def along(archive: Archive, fronts: list[Front], names: tuple[str, str]) -> list[Front]:
    """The same points by what these measures are on the part that decides, and on the part that is reported. Whether
    a point is dominated by another hangs on them. What is not known of a point leaves it out. Hypervolumes and reference
    points are NaN: they are those of the objectives.

    @param names  objectives or measures that have a direction.
    @throws ArchiveError   there is no such name, or it has no direction.
    @throws NothingToDraw  a front has several points, of which measures are not known; or none of them has a value.
    """
    values = PointValues(archive, randomised=False)
    objectives = [objective_of(archive, values, name) for name in names]
    several = next((front for front in fronts if len(front.points) > 1), None)
    if several is not None and not set(names) <= set(values.objectives):
        raise NothingToDraw(f"{archive.path}: task {several.task.index} has a front of {len(several.points)} points, of "
                            f"which the archive knows no measures; the axes can only be {', '.join(values.objectives)}")
    found = [moved(values, front, objectives) for front in fronts]
    if not any(len(front.points) for front in found):
        raise NothingToDraw(f"{archive.path}: of no point both {names[0]} and {names[1]} are known on the part that decides")
    return [front for front in found if len(front.points)]


def objective_of(archive: Archive, values: PointValues, name: str) -> Objective:
    directions = {known: direction for known, direction in values.directions.items() if direction != "none"}
    if name not in directions:
        neither = name in values.directions
        raise ArchiveError(f"{archive.path}: {name} is neither minimised nor maximised" if neither else
                           f"{archive.path}: no objective or measure '{name}' to be an axis; there are: {', '.join(directions)}")
    known = {one.name: one for one in archive.fronts()[0].objectives}
    return known.get(name) or Objective(name, archive.measures()[name].what.unit, directions[name])


def moved(values: PointValues, front: Front, objectives: list[Objective]) -> Front:
    told = [[values.of(front, point, one.name) for one in objectives] for point in range(len(front.points))]
    points = np.array([[one.decided for one in row] for row in told]).reshape(-1, len(objectives))
    report = np.array([[one.reported for one in row] for row in told]).reshape(points.shape)
    known = np.isfinite(points).all(axis=1)
    return Front(front.task, objectives, points[known], front.solution[known], np.full(len(objectives), math.nan), math.nan,
                 report[known] if np.isfinite(report[known]).any() else None)
