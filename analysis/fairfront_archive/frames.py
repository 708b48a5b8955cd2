"""Tidy pandas frames of an archive: a row per observation, a column per variable.

Axes are columns under their full names ("data.data"). Values of an axis become numbers when all of
them are numbers; a task whose method has no such axis has NaN, or None, there.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas

from fairfront_archive.facts import Front, Task, number
from fairfront_archive.measured import ALL, ENDS, Number, number_name
from fairfront_archive.proven import lower_bounds, proven_bounds, relative_gaps
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
        for part, group in itertools.product(measure.parts, measure.measured_groups):
            values = measure.of(part, group)
            rows = base.assign(measure=name, part=part, group=group,
                               **dict(zip(ENDS, values.T)), **told)
            parts.append(rows[~np.isnan(values).all(axis=1)])
    columns = [*base.columns, "measure", "part", "group", *ENDS, "unit", "direction"]
    return joined(parts, columns, base.attrs)


def group_frame(archive: Reader) -> pandas.DataFrame:
    base = identity(archive, archive.tasks)
    measures = [measure for measure in archive.measures().values()
                if measure.of_each_group and measure.single_groups]
    first = ("rows", "base_rate")  # counts stand in front
    measures.sort(key=lambda measure: [measure.what.name != name for name in first])
    parts, names = [], []
    for part in dict.fromkeys(part for measure in measures for part in measure.parts):
        groups = dict.fromkeys(group for measure in measures for group in measure.single_groups)
        for group in (ALL, *groups):
            told = {}
            for measure in measures:
                if not measure.has(part, group):
                    continue
                value, low, high = measure.of(part, group).T
                told[measure.what.name] = value
                if not np.isnan(measure.values[..., 1:]).all():
                    told |= {f"{measure.what.name}_low": low, f"{measure.what.name}_high": high}
            frame = base.assign(part=part, group=group, **told)
            columns = list(told)
            names += columns
            parts.append(frame[~frame[columns].isna().all(axis=1)])
    columns = [*base.columns, "part", "group", *dict.fromkeys(names)]
    frame = joined(parts, columns, base.attrs)
    known = frame[frame["group"] != ALL][["task", "part"]].drop_duplicates()
    frame = frame.merge(known, on=["task", "part"])  # of all rows only where groups are known
    frame.attrs |= base.attrs
    frame.attrs["units"] = {measure.what.name: measure.what.unit for measure in measures}
    frame.attrs["directions"] = {measure.what.name: measure.what.direction for measure in measures}
    return frame.sort_values(["task", "part"], kind="stable", ignore_index=True)


def gap_frame(archive: Reader, tasks: list[Task] | None = None) -> pandas.DataFrame:
    """@param tasks  None: all."""
    tasks = archive.tasks if tasks is None else tasks
    base = identity(archive, tasks)
    columns = [*base.columns, "measure", "part", *ENDS, "group", "group_value", "other", "other_value"]
    rows = []
    for name, measure in archive.measures().items():
        if measure.of_each_group or not measure.single_groups:
            continue
        single = [measure.groups.index(group) for group in measure.single_groups]
        for (place, task), (at, part) in itertools.product(enumerate(tasks), enumerate(measure.parts)):
            own, low, _ = measure.values[task.index, at, single].T
            makers = sorted(((measure.single_groups[i], own[i])
                             for i in np.flatnonzero(~np.isnan(own) & np.isnan(low))),
                            key=lambda maker: -maker[1])
            if not makers:
                continue
            ends = measure.of(part)[task.index] if measure.has(part) else (np.nan,) * len(ENDS)
            (group, value), (other, other_value) = (*makers, (None, np.nan))[:2]
            rows.append([*base.loc[place], name, part, *ends, group, value, other, other_value])
    frame = pandas.DataFrame(rows, columns=columns)
    frame.attrs |= base.attrs
    return frame.sort_values(["task"], kind="stable", ignore_index=True)


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
    fronts = archive.fronts()
    keeps = kept_rows(archive, fronts, merged)
    tasks = np.repeat([front.task.index for front in fronts],
                      [len(front.points) for front in fronts]).astype(int)
    frame = base.iloc[tasks[keeps]].reset_index(drop=True)
    frame["solution"] = stacked([front.solution for front in fronts], int)[keeps]
    objectives = {one.name: one for front in fronts for one in front.objectives}
    for name in objectives:
        frame[name] = stacked([values_of(front, name, front.points) for front in fronts])[keeps]
    for name in objectives:
        frame[f"report {name}"] = stacked([values_of(front, name, front.report)
                                           for front in fronts])[keeps]
    if bounds := proven_bounds(archive):
        lower = [lower_bounds(archive, front, bounds) for front in fronts]
        frame["proven_lower"] = stacked(lower)[keeps]
        frame["gap"] = stacked([relative_gaps(front, own) for front, own in zip(fronts, lower)])[keeps]
    frame.attrs = {**base.attrs, "units": {name: one.unit for name, one in objectives.items()},
                   "directions": {name: one.direction for name, one in objectives.items()}}
    return frame


def stacked(parts: list[np.ndarray], kind: type = float) -> np.ndarray:
    return np.concatenate([np.empty(0, kind), *parts])


def values_of(front: Front, objective: str, points: np.ndarray | None) -> np.ndarray:
    """One objective's column of a front's points, NaN where they or the objective are not there."""
    for i, one in enumerate(front.objectives):
        if one.name == objective and points is not None:
            return points[:, i]
    return np.full(len(front.points), np.nan)


def kept_rows(archive: Reader, fronts: list[Front], merged: str | None) -> np.ndarray:
    """Of the points of all fronts one after the other: which are wanted."""
    sizes = [len(front.points) for front in fronts]
    if merged is None:
        return np.ones(sum(sizes), bool)
    kept = kept_points(archive, merged)
    methods = np.repeat([front.task.method for front in fronts], sizes)
    wanted = np.zeros(len(methods), bool)
    for method, rows in kept.items():  # rows of this method's points, counted on their own
        wanted[np.flatnonzero(methods == method)[rows]] = True
    return wanted


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
            for group in measure.measured_groups:
                name = number_name(measure.what.name, part, group)
                found[name] = Number(name, measure.what, *measure.of(part, group).T, measure, part, group)
    return found


def joined(parts: list[pandas.DataFrame], columns: list[str], attrs: dict) -> pandas.DataFrame:
    parts = [part for part in parts if len(part)]
    frame = (pandas.concat(parts, ignore_index=True) if parts
             else pandas.DataFrame(columns=columns))
    frame.attrs = dict(attrs)
    return frame
