"""What must hold between the columns of an archive: lengths, ranges, offsets. As `src/results/rules.cpp`."""

from __future__ import annotations

import re

import numpy as np

from fairfront_archive.layout import TASKS, TIMING, Columns, Content, Fronts, Measure, Solutions
from fairfront_archive.stored import TEXT, Column, Damaged, text_of

MOST_TIMES = 1024  # the stored values, that solutions which share them have
KEY = re.compile(rb"[0-9a-f]{64}")


def require_rules(content: Content) -> None:
    """@throws Damaged  the first rule that does not hold."""
    count = content.tasks["key"].shape[0]
    _check_texts(content)
    _check_datasets(content)
    _check_tasks(content, count)
    for name, _ in TIMING:
        _require_rows(content.timing[name], count)
    for _, values in content.metrics:
        _require_rows(values, count)
    for measure in content.measures:
        _check_measure(measure, count)
    for series in content.series:
        _check_series(series.columns, series.seconds, count)
    for solutions in content.solutions:
        _check_solutions(solutions, count)
    for front in content.fronts:
        _check_front(front, content, count)
    _check_merged(content, count)


def _check_solutions(solutions: Solutions, count: int) -> None:
    _require_range(solutions.task, 0, count)
    vectors = solutions.task.shape[0]
    if solutions.vector is not None:
        _require_rows(solutions.vector, vectors)
        vectors = max(0, solutions.offsets.shape[0] - 1)
        _check_vectors(solutions, vectors)
    _require_offsets(solutions.offsets, vectors, solutions.values.shape[0])


def _check_vectors(solutions: Solutions, vectors: int) -> None:
    """In the order of their first use, and each is used: what nobody reads is in no digest."""
    column, used = solutions.vector, _require_range(solutions.vector, 0, vectors)
    before = np.concatenate([[-1], np.maximum.accumulate(used)])[:-1] if len(used) else used
    early = np.flatnonzero(used > before + 1)
    _require(not len(early), column.path, f"row {early[0] if len(early) else 0} leaves vectors out")
    _require(len(np.unique(used)) == vectors, column.path, "nobody has some of the vectors")
    sizes = np.diff(solutions.offsets.values())[used]
    _require(sizes.sum() <= MOST_TIMES * solutions.values.shape[0], column.path,
             f"claims more than {MOST_TIMES} times the values")


def _require(holds: object, place: str, rule: str) -> None:
    if not holds:
        raise Damaged(f"{place}: {rule}")


def _require_rows(column: Column, count: int) -> None:
    _require(column.shape[0] == count, column.path, f"has {column.shape[0]} rows, must be {count}")


def _require_range(column: Column, least: int, end: int) -> np.ndarray:
    values = column.values()
    outside = np.flatnonzero((values < least) | (values >= end))
    if len(outside):
        raise Damaged(f"{column.path}: row {outside[0]} is {values[outside[0]]}, must be in "
                      f"{least} .. {end - 1}")
    return values


def _require_offsets(column: Column, rows: int, entries: int) -> np.ndarray:
    """Row i owns entries offsets[i] .. offsets[i + 1] - 1."""
    _require_rows(column, rows + 1)
    offsets = column.values()
    _require(offsets[0] == 0, column.path, "does not begin with 0")
    _require((offsets[1:] >= offsets[:-1]).all(), column.path, "descends")
    _require(offsets[-1] == entries, column.path, f"ends with {offsets[-1]}, must be {entries}")
    return offsets


def _check_texts(content: Content) -> None:
    columns = [*content.config.values(), content.revisions, *content.datasets.values(),
               *content.files.values(), *content.tasks.values(), *(axis.values for axis in content.axes)]
    for column in columns:
        if column.kind == TEXT:
            _require(not any(b"\0" in text for text in column.values().tolist()), column.path,
                     "text with a NUL character")


def _check_datasets(content: Content) -> None:
    _require_range(content.files["dataset"], 0, content.datasets["name"].shape[0])
    _require(all(map(KEY.fullmatch, content.files["sha256"].values().tolist())),
             content.files["sha256"].path, "a SHA-256 is not 64 lower-case hexadecimal digits")
    _require((content.datasets["file_rows"].values() >= 0).all(), content.datasets["file_rows"].path,
             "has fewer than 0 rows")


def _check_tasks(content: Content, count: int) -> None:
    tasks = content.tasks
    for name, _ in TASKS:
        _require_rows(tasks[name], count)
    _require(all(map(KEY.fullmatch, tasks["key"].values().tolist())), tasks["key"].path,
             "a key is not 64 lower-case hexadecimal digits")
    for name in ("problem", "configuration", "curve"):
        _require_range(tasks[name], 0, count)
    status = tasks["status"].values()
    _require((status <= 2).all(), tasks["status"].path, "a value is not missing, done or failed")
    expected = b"partial" if (status == 0).any() else b"complete"
    _require(content.status == expected, "/@status", f"is not '{text_of(expected)}'")
    for axis, column in zip(content.axes, content.axis_index):
        _require_rows(column, count)
        _require_range(column, -1, axis.values.shape[0])


def _check_measure(measure: Measure, count: int) -> None:
    _require_rows(measure.values, count)
    for attribute, names in (("parts", measure.parts), ("groups", measure.groups)):
        place = f"{measure.values.path}@{attribute}"
        _require(names, place, "is empty")
        _require(not any(b"\0" in name for name in names), place, "text with a NUL character")
        _require(len(set(names)) == len(names), place, "has a name twice")
        _require(b"" not in names, place, "has an empty name")


def _check_series(columns: Columns, seconds: Column | None, count: int) -> None:
    entries = columns["values"].shape[0]
    _require_rows(columns["steps"], entries)
    if seconds is not None:
        _require_rows(seconds, entries)
    _require_offsets(columns["offsets"], count, entries)


def _check_front(front: Fronts, content: Content, count: int) -> None:
    place, columns = f"/fronts/{text_of(front.name)}", front.columns
    for objective in front.objectives:
        _require(objective.direction != 2, place, f"objective '{text_of(objective.name)}' has no direction")
    points = columns["points"].shape[0]
    _require_rows(columns["task"], points)
    _require_rows(columns["solution"], points)
    _require(columns["report"].shape[0] in (0, points), columns["report"].path, f"must have {points} rows")
    _require_rows(columns["reference"], count)
    _require_rows(columns["hypervolume"], count)
    offsets = _require_offsets(columns["offsets"], count, points)
    own = np.diff(offsets)
    wrong = np.flatnonzero(columns["task"].values() != np.repeat(np.arange(count), own))
    _require(not len(wrong), columns["task"].path, "disagrees with the offsets")
    _require(np.isfinite(columns["points"].values()).all(), columns["points"].path, "is not finite")
    _require(np.isfinite(columns["reference"].values()[own > 0]).all(), columns["reference"].path,
             "is not finite for a task with a front")
    hypervolume = columns["hypervolume"].values()[own > 0]
    _require((np.isfinite(hypervolume) & (hypervolume >= 0)).all(), columns["hypervolume"].path,
             "is negative or not finite")
    solutions = 0
    if front.solutions_name:
        named = [one for one in content.solutions if one.what.name == front.solutions_name]
        _require(named, place, f"/solutions/{text_of(front.solutions_name)} does not exist")
        solutions = named[0].task.shape[0]
    _require_range(columns["solution"], -1, solutions)


def _check_merged(content: Content, count: int) -> None:
    _require([name for name, _ in content.merged] == [front.name for front in content.fronts], "/merged",
             "its groups are not those of /fronts")
    groups = [int(content.tasks[name].values().max()) + 1 if count else 0
              for name in ("curve", "configuration")]
    for front, (_, sets) in zip(content.fronts, content.merged):
        for columns, rows in zip(sets, groups):
            _require_offsets(columns["offsets"], rows, columns["point"].shape[0])
            _require_range(columns["point"], 0, front.columns["task"].shape[0])
            _require_rows(columns["reference"], rows)
            _require_rows(columns["hypervolume"], rows)
