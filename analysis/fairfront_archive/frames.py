"""Tidy pandas frames of an archive: a row per observation, a column per variable.

Axes are columns under their full names ("data.data"). Values of an axis become numbers when all of
them are numbers; a task whose method has no such axis has NaN, or None, there.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas

from fairfront_archive.facts import Task, number
from fairfront_archive.measured import ENDS, Number, number_name
from fairfront_archive.reader import Reader


def axis_column(archive: Reader, axis: str, tasks: list[Task]) -> pandas.Series:
    """The values of one axis for `tasks`."""
    if all(number(value) is not None for value in archive.axes[axis]):
        values = [number(task.axes[axis]) if axis in task.axes else np.nan for task in tasks]
        column = pandas.Series(values, dtype=float)
        return column.astype(int) if (column == column.round()).all() else column
    return pandas.Series([task.axes.get(axis) for task in tasks], dtype=object)


def identity(archive: Reader, tasks: list[Task]) -> pandas.DataFrame:
    """A row for each of `tasks`: its number, method and place on the axes."""
    columns = {"task": [task.index for task in tasks], "method": [task.method for task in tasks]}
    columns |= {axis: axis_column(archive, axis, tasks) for axis in archive.axes}
    frame = pandas.DataFrame(columns)
    frame.attrs["roles"] = dict(archive.roles)
    return frame


def describe(frame: pandas.DataFrame, archive: Reader, group: str, names: list[str]) -> None:
    quantities = {name: archive.quantity(group, name) for name in names}
    frame.attrs["units"] = {name: what.unit for name, what in quantities.items()}
    frame.attrs["directions"] = {name: what.direction for name, what in quantities.items()}


def task_frame(archive: Reader) -> pandas.DataFrame:
    frame = identity(archive, archive.tasks)
    for column in ("key", "status", "message", "problem", "configuration", "curve"):
        frame[column] = [getattr(task, column) for task in archive.tasks]
    frame["seconds"] = archive.seconds()
    shown = {name: one for name, one in numbers_of(archive).items() if one.of_all}
    numbers = pandas.DataFrame({name: one.values for name, one in shown.items()}, index=frame.index)
    frame = pandas.concat([frame, numbers], axis=1)
    frame.attrs["roles"] = dict(archive.roles)
    frame.attrs["units"] = {name: one.what.unit for name, one in shown.items()}
    frame.attrs["directions"] = {name: one.what.direction for name, one in shown.items()}
    return frame


def metric_frame(archive: Reader) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    parts = []
    for name, values in archive.metrics().items():
        what = archive.quantity("metrics", name)
        parts.append(base.assign(metric=name, value=values, unit=what.unit,
                                 direction=what.direction)[np.isfinite(values)])
    columns = [*base.columns, "metric", "value", "unit", "direction"]
    return joined(parts, columns, base.attrs)


def measure_frame(archive: Reader) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    parts = []
    for name, measure in archive.measures().items():
        told = {"unit": measure.what.unit, "direction": measure.what.direction}
        for part, group in itertools.product(measure.parts, measure.groups):
            values = measure.of(part, group)
            rows = base.assign(measure=name, part=part, group=group,
                               **dict(zip(ENDS, values.T)), **told)
            parts.append(rows[~np.isnan(values).all(axis=1)])
    columns = [*base.columns, "measure", "part", "group", *ENDS, "unit", "direction"]
    return joined(parts, columns, base.attrs)


def series_frame(archive: Reader, names: tuple[str, ...]) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    parts = []
    for name in names:
        for task in archive.tasks:
            steps, values = archive.series(name, task.index)
            if not len(steps):
                continue
            seconds = archive.series_seconds(name, task.index)
            part = base.loc[[task.index] * len(steps)]
            parts.append(part.assign(series=name, step=steps, value=values,
                                     seconds=seconds if len(seconds) else np.nan))
    frame = joined(parts, [*base.columns, "series", "step", "value", "seconds"], base.attrs)
    describe(frame, archive, "series", list(names))
    frame.attrs["step_names"] = {name: archive.quantity("series", name).step_name
                                 for name in names}
    return frame


def front_frame(archive: Reader, merged: str | None) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    parts = []
    attrs = {**base.attrs, "units": {}, "directions": {}}
    kept = {} if merged is None else kept_points(archive, merged)
    seen: dict[str, int] = {}
    for front in archive.fronts():
        method = front.task.method
        begin = seen.get(method, 0)
        seen[method] = begin + len(front.points)
        rows = np.arange(begin, begin + len(front.points))
        part = base.loc[[front.task.index] * len(rows)].assign(solution=front.solution)
        for i, objective in enumerate(front.objectives):
            part[objective.name] = front.points[:, i]
            attrs["units"][objective.name] = objective.unit
            attrs["directions"][objective.name] = objective.direction
        for i, objective in enumerate(front.objectives):
            part[f"report {objective.name}"] = np.nan if front.report is None else front.report[:, i]
        parts.append(part if merged is None else part[np.isin(rows, kept.get(method, []))])
    return joined(parts, [*base.columns, "solution"], attrs)


def kept_points(archive: Reader, merged: str) -> dict[str, np.ndarray]:
    """Of each method, the rows of its points that merging has kept."""
    if merged not in ("per_replicate", "over_replicates"):
        raise ValueError(f"merged = {merged!r}, must be None, 'per_replicate' or 'over_replicates'")
    return {method: np.concatenate(archive.merged_points(method, merged) or [np.empty(0, int)])
            for method in archive.methods()}


def solution_frame(archive: Reader, name: str) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    rows = [(task, values) for task, found in enumerate(archive.solutions_of(name))
            for values in found]
    frame = base.loc[[task for task, _ in rows]].reset_index(drop=True)
    frame[name] = pandas.Series([values for _, values in rows], dtype=object)
    describe(frame, archive, "solutions", [name])
    return frame


def numbers_of(archive: Reader) -> dict[str, Number]:
    """Metrics, then measures in their order."""
    found = {}
    for name, values in archive.metrics().items():
        nothing = np.full(len(values), np.nan)
        found[name] = Number(name, archive.quantity("metrics", name), values, nothing, nothing)
    for measure in archive.measures().values():
        for part in measure.parts:
            for group in measure.groups:
                name = number_name(measure.what.name, part, group)
                found[name] = Number(name, measure.what, *measure.of(part, group).T, measure, part, group)
    return found


def joined(parts: list[pandas.DataFrame], columns: list[str], attrs: dict) -> pandas.DataFrame:
    parts = [part for part in parts if len(part)]
    frame = (pandas.concat(parts, ignore_index=True) if parts
             else pandas.DataFrame(columns=columns))
    frame.attrs = dict(attrs)
    return frame
