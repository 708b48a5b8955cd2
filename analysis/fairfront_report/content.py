"""What a page says about one archive, as JSON; long columns are packed numbers."""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import pathlib
from collections.abc import Sequence

import numpy as np
import pandas

from fairfront_archive import Archive, Front, Number, Task, attainment
from fairfront_archive.choice_values import part_roles
from fairfront_archive.proven import best_point, proven_bounds
from fairfront_archive.questions import question_of_all
from fairfront_figures import tables, view
from fairfront_figures.arrange import (Curve, Items, NothingToDraw, curve_name, curve_text, curves_of, done,
                                       items_of, panel_text, problems_of_fronts, row_text)
from fairfront_figures.fronts import Run, constant_prediction, median_of, merge, runs_of, signs_of, view_of_runs
from fairfront_figures.style import Options
from fairfront_figures.titles import titled
from fairfront_figures.trajectories import bounds_of, lines_of, samples_of
from fairfront_report.audit import audit_of
from fairfront_report.by_group import by_group_of, names_of_bars
from fairfront_report.decisions import costs_of, models_of
from fairfront_report.remarks import remarks_of
from fairfront_report.yardstick import yardstick_of

MOST_STEPS = 400  # of a trajectory on the page
MOST_CORNERS = 300  # of a surface on the page
TICKS = 6  # of an axis, about
LONGEST_LIST = 16  # numbers of a solution that a person reads
MOST_NUMBERS = 1_000_000  # of all such lists of one name


def packed(values: np.ndarray | list, kind: str) -> str:
    """Base64 of little-endian numbers: "<f8" or "<i4"."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def clean(value: float) -> float | None:
    """JSON has no NaN."""
    return float(value) if math.isfinite(value) else None


def content_of(archive: Archive) -> dict:
    placed = places_of(archive)
    by_task = {front.task.index: front for front in archive.fronts()}
    lists = lists_of(archive)
    return {
        "name": pathlib.Path(archive.path).name, "label": pathlib.Path(archive.path).name, "experiment": archive.experiment,
        "partial": archive.partial, "progress": archive.progress(), "digest": archive.digest,
        "measures_digest": archive.measures_digest,
        "checked": archive.checked, "provenance": archive.provenance(), "config": sorted(archive.config.items()),
        "data": sorted(set(archive.data_names())), "warnings": warnings_of(archive),
        "remarks": remarks_of(archive), "audit": audit_of(archive, placed),
        "axes": [{"name": name, "role": archive.roles[name], "values": values}
                 for name, values in archive.axes.items()],
        "problems": placed["problem names"], "questions": placed["questions"], "curves": placed["curve names"],
        "tasks": tasks_of(archive, placed), "numbers": numbers_of(archive),
        "recipes": recipes_of(archive), "lists": lists,
        "fronts": points_of(list(by_task.values()), any(one["linked"] for one in lists)),
        "surfaces": surfaces_of(archive, placed, by_task),
        "models": models_of(archive, by_task), "costs": costs_of(archive, placed, by_task),
        "frames": frames_of(archive, placed, by_task), "ranking": ranking_of(archive),
        "trajectories": trajectories_of(archive), "by_group": by_group_of(archive), "group_names": names_of_bars(archive),
        "proven": proven_of(archive, placed),
        "yardstick": yardstick_of(archive, placed),
    }


def labels_of(contents: list[dict], paths: Sequence[str]) -> None:
    """Tells archives of one file name apart, by the folders that they are in."""
    parts = [pathlib.PurePath(os.path.abspath(path)).parts for path in paths]
    for content, own in zip(contents, parts):
        others = [other for other in parts if other != own and other[-1] == own[-1]]
        depth = 1
        while any(other[-depth:] == own[-depth:] for other in others):
            depth += 1
        content["label"] = "/".join(own[-depth:]).lstrip("/")


def places_of(archive: Archive) -> dict:
    """Numbers of the problem and the curve of every task, and their names."""
    problems = problems_of_fronts(archive, archive.tasks)
    with_front = {front.task.index for front in archive.fronts()}
    curves = curves_of(archive, archive.tasks)
    problem = np.zeros(len(archive.tasks), int)
    curve = np.zeros(len(archive.tasks), int)
    for column, groups in ((problem, problems), (curve, curves)):
        for number, tasks in enumerate(groups.values()):
            column[[task.index for task in tasks]] = number
    return {"problem": problem, "curve": curve, "problems": list(problems),
            "curves": list(curves),
            "problem names": [panel_text(archive, items) for items in problems],
            "questions": [json.dumps(question_of_all(archive, tasks, with_front)) for tasks in problems.values()],
            "curve names": [curve_text(curve) for curve in curves]}


def warnings_of(archive: Archive) -> list[str]:
    """What concerns all of it; messages of tasks are remarks."""
    found = [f"PARTIAL: {archive.progress()}"] if archive.partial else []
    if archive.provenance().get("git_dirty") not in ("0", None):
        found.append("the program was built from sources that no revision has")
    return found


def tasks_of(archive: Archive, placed: dict) -> dict:
    count = len(archive.tasks)
    started, ranks = archive.file["timing/started"][:], archive.file["timing/rank"][:]
    states = ("missing", "done", "failed")
    axes = {}
    for name, values in archive.axes.items():
        place = {value: i for i, value in enumerate(values)}
        axes[name] = packed([place.get(task.axes.get(name), -1) for task in archive.tasks], "<i4")
    recipes = recipes_of(archive)
    return {"count": count, "problem": packed(placed["problem"], "<i4"),
            "curve": packed(placed["curve"], "<i4"), "rank": packed(ranks, "<i4"),
            "recipe": [recipe_of(archive, recipes, task) for task in archive.tasks],
            "status": packed([states.index(task.status) for task in archive.tasks], "<i4"),
            "started": packed(started, "<f8"), "seconds": packed(archive.seconds(), "<f8"),
            "axes": axes}


def recipes_of(archive: Archive) -> list[str]:
    """What the data sets are, in words, each text once; groups are named in them."""
    return list(dict.fromkeys(": ".join(pair) for pair in zip(archive.data_names(),
                                                              archive.recipes())))


def recipe_of(archive: Archive, recipes: list[str], task: Task) -> int:
    """Which of them the task has used: the only one, or the only one named as its problem is; else -1."""
    values = {value for _, value in items_of(archive, task, "problem")}
    named = [i for i, text in enumerate(recipes) if text.partition(": ")[0] in values]
    found = named or range(len(recipes))
    return found[0] if len(found) == 1 else -1


def lists_of(archive: Archive) -> list[dict]:
    """Solutions that are short lists, such as one number for each group; of labels the sizes of the
    clusters. Those of front points are told apart from those of tasks."""
    found = []
    for name in archive.solution_names():
        owners, offsets, values = archive.solution_columns(name)
        sizes = np.diff(offsets)
        what = archive.quantity("solutions", name)
        unit, definition = what.unit, what.definition
        if values.dtype.kind == "u" and len(sizes):
            count = int(values.max(initial=0)) + 1
            rows = np.repeat(np.arange(len(sizes)), sizes)
            values = np.bincount(rows * count + values, minlength=len(sizes) * count)
            offsets = np.arange(len(sizes) + 1) * count
            name, unit, definition = f"sizes by {name}", "rows", "rows with each label, 0 first"
        if not len(sizes) or np.diff(offsets).max() > LONGEST_LIST or len(values) > MOST_NUMBERS:
            continue
        linked = archive.front_solutions() == what.name
        found.append({"name": name, "unit": unit, "definition": definition, "linked": linked,
                      "owner": packed(owners, "<i4"), "offsets": packed(offsets, "<i4"),
                      "values": packed(values, "<f8")})
    return found


def numbers_of(archive: Archive) -> list[dict]:
    """Metrics and measures, with the ends of their intervals where any task has one."""
    found = []
    roles = part_roles(archive)
    for name, number in archive.numbers().items():
        if not number.of_all and np.isnan(number.values).all():
            continue  # of a part on which no group is known
        what, ends = number.what, (number.low, number.high)
        known = np.isfinite(ends).all(axis=0).any()
        found.append({"name": name, "unit": what.unit, "direction": what.direction,
                      "measure": what.name, "place": place_of(number, roles),
                      "definition": what.definition, "values": packed(number.values, "<f8"),
                      "ends": [packed(end, "<f8") for end in ends] if known else None})
    return found


def place_of(number: Number, roles: tuple[str, str, str]) -> str:
    """Of a measure of all rows: whether it is of the part that decides, or of the reported one."""
    if number.measure is None or not number.of_all:
        return ""
    decides, _, reported = roles
    return "reported" if number.part == reported else "decides" if number.part == decides else ""


def points_of(fronts: list[Front], linked: bool) -> dict | None:
    """Every point of every task: its objectives, and the same on the reported part.

    @param linked  whether the page holds lists of numbers that belong to points.
    """
    if not fronts:
        return None
    objectives = fronts[0].objectives
    fronts = [front for front in fronts if front.objectives == objectives]
    sizes = [len(front.points) for front in fronts]
    points = np.vstack([front.points for front in fronts])
    report = np.vstack([front.points * np.nan if front.report is None else front.report
                        for front in fronts])
    return {"objectives": [{"name": what.name.replace("_", " "), "key": what.name, "unit": what.unit,
                            "direction": what.direction} for what in objectives],
            "owner": packed([front.task.index for front in fronts], "<i4"),
            "sizes": packed(sizes, "<i4"),
            "solution": packed(np.concatenate([front.solution for front in fronts]), "<i4")
            if linked else None,
            "points": [packed(column, "<f8") for column in points.T],
            "report": [packed(column, "<f8") for column in report.T]
            if np.isfinite(report).any() else None}


def surfaces_of(archive: Archive, placed: dict, by_task: dict[int, Front]) -> list[dict]:
    """Corners of the best, median and worst attainment surface of each problem and curve."""
    found = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        for curve, mine in curves_of(archive, tasks).items():
            runs = runs_of(archive, mine, by_task)
            if not runs or len(runs[0].merged.objectives) != 2:
                continue
            found.append({"problem": placed["problems"].index(problem),
                          "curve": placed["curves"].index(curve), "replicates": len(runs),
                          **corners_of(runs)})
    return found


def frames_of(archive: Archive, placed: dict, by_task: dict[int, Front]) -> list[dict]:
    """Of each problem the part of the plane, or of three objectives the box, that its fronts need, without their strays,
    and the constant prediction, where the archive knows it."""
    found = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        curves = [runs_of(archive, mine, by_task) for mine in curves_of(archive, tasks).values()]
        curves = [runs for runs in curves if runs]
        if not curves:
            continue
        signs = signs_of(curves[0][0].merged.objectives)
        constant = constant_prediction(archive, curves, "unlabelled") if len(signs) == 2 else None
        low, high = view_of_curves(curves, constant)
        ends = np.sort([signs * low, signs * high], axis=0)
        every = np.vstack([front.points for runs in curves for run in runs for front in run.fronts])
        ends[0] = np.where((every >= 0).all(axis=0), np.maximum(ends[0], 0), ends[0])  # no margin below 0
        found.append({"problem": placed["problems"].index(problem),
                      "ends": [ticked(least, greatest) for least, greatest in ends.T],
                      "constant": None if constant is None else constant[0].tolist()})
    return found


def view_of_curves(curves: list[list[Run]], constant: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest values of every objective, minimised. Of three all pairs that the chart shows have theirs of
    these, as the figure's panels and colours do."""
    if len(curves[0][0].merged.objectives) > 2:
        together = [merge([run.merged for run in runs]) if len(runs) > 1 else runs[0].merged for runs in curves]
        return view.with_margin(*view.view_of([signs_of(front.objectives) * front.points for front in together]))
    medians = np.vstack([median_of(runs) for runs in curves])
    return view.with_points(*view_of_runs(curves, None), medians, constant)


def proven_of(archive: Archive, placed: dict) -> list[dict]:
    """Of each problem the bounds that tasks have proven, and the best point that each applies to."""
    found = []
    for bound in proven_bounds(archive):
        best = best_point(archive, bound)
        found.append({"problem": int(placed["problem"][bound.task.index]), "floor": bound.floor, "lower": bound.lower,
                      "best": best and {"value": best.value, "gap": best.gap, "task": best.task.index,
                                        "curve": int(placed["curve"][best.task.index])}})
    return found


def ticked(least: float, greatest: float) -> list[float]:
    """An axis from tick to tick that holds both: its ends, and the distance of its ticks."""
    rough = (greatest - least) / TICKS
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = power * next((nice for nice in (1, 2, 5) if nice * power >= rough), 10)
    return [math.floor(least / step) * step, math.ceil(greatest / step) * step, step]


def corners_of(runs: list[Run]) -> dict[str, list]:
    signs = signs_of(runs[0].merged.objectives)
    fronts = [run.minimised for run in runs]
    levels = {"best": 1, "median": math.ceil(len(fronts) / 2), "worst": len(fronts)}
    return {name: (signs * thinned(attainment(fronts, level))).tolist()
            for name, level in levels.items()}


def thinned(corners: np.ndarray) -> np.ndarray:
    """Corners that a chart can show, shape (n, 2); each one is still attained."""
    if len(corners) <= MOST_CORNERS:
        return corners
    span = np.ptp(corners, axis=0)
    length = np.abs(np.diff(corners / np.where(span > 0, span, 1), axis=0)).sum(axis=1)
    along = np.concatenate([[0], np.cumsum(length)])  # evenly along the surface, both ends among them
    at = np.searchsorted(along, np.linspace(0, along[-1], MOST_CORNERS))
    return corners[np.unique(np.minimum(at, len(corners) - 1))]


def ranking_of(archive: Archive) -> list[dict]:
    """A row per problem and curve, the greatest hypervolume first; without one, the fewest seconds; empty before any
    task is done."""
    failed = failures(archive)
    rows: dict[tuple, dict] = {}
    for _, line in ranked_table(archive).iterrows():
        key = (line["problem"], line["method"], line["place"])
        row = rows.setdefault(key, {"problem": key[0], "method": titled(key[1]), "place": key[2],
                                    "failed": failed.get(key[:2], 0), "cells": {}})
        row["cells"][line["column"]] = {
            "mean": clean(line["mean"]), "deviation": clean(line["deviation"]),
            "replicates": int(line["replicates"]), "best": bool(line["best"]),
            "p": clean(line["p"])}
    for problem, method in failed.keys() - {key[:2] for key in rows}:
        if rows and failed[problem, method]:  # all of its tasks, or all that have ended
            rows[problem, method, ""] = {"problem": problem, "method": titled(method), "place": "",
                                         "failed": failed[problem, method], "cells": {}}
    return sorted(rows.values(), key=lambda row: (
        row["problem"], not row["cells"], -(row["cells"].get("hypervolume", {}).get("mean") or 0.0),
        row["cells"].get("seconds", {}).get("mean") or 0.0, row["method"]))


def ranked_table(archive: Archive) -> pandas.DataFrame:
    for table_of in (tables.fronts_table, tables.seconds_table):
        with contextlib.suppress(NothingToDraw):
            return table_of(archive, Options())
    return pandas.DataFrame()


def failures(archive: Archive) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for problem, tasks in problems_of_fronts(archive, archive.tasks).items():
        for curve, mine in curves_of(archive, tasks).items():
            count = sum(task.status == "failed" for task in mine)
            found[panel_text(archive, problem), curve_name(curve)] = count
    return found


def trajectories_of(archive: Archive) -> list[dict]:
    """Of each problem and series that says what is better the median and quartiles of each curve and
    place, and the bounds that methods were given on it. Other series are records, no ways to a goal."""
    found = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        lines = lines_of(archive, curves_of(archive, tasks))
        for name in archive.series_names():
            what = archive.quantity("series", name)
            if what.direction == "none":
                continue
            drawn = {row: line for row, mine in lines.items()
                     if (line := line_of(archive, name, row, mine)) is not None}
            if drawn:
                found.append({"problem": panel_text(archive, problem), "series": name,
                              "unit": what.unit, "direction": what.direction,
                              "step": what.step_name or "step", "lines": list(drawn.values()),
                              "bounds": list(bounds_of(archive, name, drawn))})
    return found


def line_of(archive: Archive, name: str, row: tuple[Curve, Items], tasks: list) -> dict | None:
    at, values = samples_of(archive, name, tasks, False)
    if not len(at):
        return None
    kept = np.unique(np.linspace(0, len(at) - 1, MOST_STEPS).round().astype(int))
    low, median, high = np.quantile(values[:, kept], [0.25, 0.5, 0.75], axis=0)
    return {"label": row_text(row), "replicates": len(values), "at": at[kept].tolist(),
            "low": low.tolist(), "median": median.tolist(), "high": high.tolist()}
