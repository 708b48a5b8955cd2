"""What the page says of single groups: a table for each problem and method, and who makes each gap."""

from __future__ import annotations

import math

import numpy as np

from fairfront_archive import Archive, Task
from fairfront_archive.frames import gap_frame
from fairfront_archive.measured import ALL, FEW_ROWS, Measure
from fairfront_figures.arrange import NothingToDraw, row_text
from fairfront_figures.groups import (LONGEST_GROUP, counted, every, groups_of, has_few_rows, measures_of_groups,
                                      names_of_groups, part_of, problems_of, spread_of)
from fairfront_figures.style import Options

MOST_TABLES = 60  # of an archive
LONGEST_NAMES = range(LONGEST_GROUP, 11, -1)  # letters: the page takes the first that its bars have room for


def names_of_bars(archive: Archive) -> dict[str, list[str]]:
    """Of each group what stands below its bars, as in the figure, for each of LONGEST_NAMES; groups aside whose names stay as they are."""
    try:
        measures = measures_of_groups(archive, Options())
        problems = problems_of(archive, measures)
    except NothingToDraw:
        return {}
    found = [names_of_groups(archive, measures, problems, longest) for longest in LONGEST_NAMES]
    return {group: texts for group in found[0] if set(texts := [names[group] for names in found]) != {group}}


def by_group_of(archive: Archive) -> list[dict]:
    """Of each problem and method at one place along its trade-off: the measures, the groups with a value,
    or a mean over replicates, and the ends of its whisker (as in the figure `by-group`), and the gaps."""
    try:
        measures = measures_of_groups(archive, Options())
        problems = problems_of(archive, measures)
    except NothingToDraw:
        return []
    found = []
    for place, rows in enumerate(problems.values()):
        groups = groups_of([*counted(archive), *measures], every(rows))
        for row, tasks in rows.items():
            found.append({
                "problem": place, "method": row_text(row), "part": part_of(measures[-1]),
                "task": tasks[0].index if len(tasks) == 1 else None, "replicates": len(tasks),
                "few_rows": FEW_ROWS,
                "measures": [{"name": measure.what.name.replace("_", " "), "unit": measure.what.unit,
                              "direction": measure.what.direction, "definition": measure.what.definition}
                             for measure in measures],
                "groups": [{"name": group, "rows": rows_of(archive, group, tasks),
                            "few": has_few_rows(archive, part_of(measures[-1]), group, tasks),
                            "cells": [cell_of(measure, group, tasks) for measure in measures]}
                           for group in (ALL, *groups)],
                "gaps": gaps_of(archive, tasks[0]) if len(tasks) == 1 else []})
    return found[:MOST_TABLES]


def told(value: float) -> float | str | None:
    """JSON has no NaN, and no infinity: that is the text of a number of JavaScript."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return None if math.isnan(value) else float(value)


def known(values: np.ndarray) -> list[float | str | None] | None:
    numbers = [told(value) for value in values]
    return numbers if numbers[0] is not None else None


def cell_of(measure: Measure, group: str, tasks: list[Task]) -> list[float | str | None] | None:
    part = part_of(measure)
    return known(spread_of(measure, part, group, tasks)) if measure.has(part, group) else None


def rows_of(archive: Archive, group: str, tasks: list[Task]) -> float | str | None:
    for rows in counted(archive):
        found = cell_of(rows, group, tasks)
        return None if found is None else found[0]
    return None


def gaps_of(archive: Archive, task: Task) -> list[dict]:
    """Of the part that is reported."""
    found = []
    for _, line in gap_frame(archive, [task]).iterrows():
        if line["part"] != archive.measures()[line["measure"]].reported:
            continue
        found.append({"name": line["measure"].replace("_", " "),
                      "unit": archive.measures()[line["measure"]].what.unit,
                      "cell": known(line[["value", "low", "high"]].to_numpy(dtype=float)),
                      "group": line["group"], "other": line["other"]})
    return found
