"""What a page says for a decision: the models of points in words, and what a bound on unfairness costs."""

from __future__ import annotations

import math

import numpy as np

from fairfront_archive import Archive, ArchiveError, Front
from fairfront_archive.problem_names import problems_of
from fairfront_archive.questions import why_not_compared
from fairfront_figures.arrange import curves_of, done, problems_of_fronts
from fairfront_figures.fronts import Run, runs_of, signs_of

BOUNDS = 6  # of the table of costs
Cell = dict[str, object]


def models_of(archive: Archive, by_task: dict[int, Front]) -> dict:
    """Cards, each once, and of every task which of them it has (-1: none), which problem of `fairfront choose` it is
    of (-1: of none), whether that command leaves it out, and whether its measures are of no point (apart);
    and which of these problems it refuses, as their points were decided or are reported on different parts."""
    cards: list[dict] = []
    place: dict[str, int] = {}
    card = np.full(len(archive.tasks), -1)
    texts = archive.models()
    for task in archive.tasks:
        text = texts[task.index]
        if not text or task.status != "done":
            continue
        if text not in place:
            place[text] = len(cards)
            cards.append(card_of(archive, task.index, by_task.get(task.index)))
        card[task.index] = place[text]
    choice = np.full(len(archive.tasks), -1)
    problems = problems_of(archive)
    for number, tasks in enumerate(problems.values()):
        choice[[task.index for task in tasks]] = number
    methods = {method: number for number, method in enumerate(archive.methods())}
    left_out = {task.index for task in archive.tasks if archive.learnt_from_deciding(task)}
    chosen_from = by_task.keys() - left_out
    mixed = [number for number, tasks in enumerate(problems.values())
             if why_not_compared(archive, [task for task in tasks if task.index in chosen_from])]
    return {"cards": cards, "card": card.tolist(), "choices": list(problems), "choice": choice.tolist(),
            "methods": list(methods), "method": [methods[task.method] for task in archive.tasks],
            "left_out": sorted(left_out), "mixed": mixed,
            "apart": [task for task in sorted(by_task) if archive.has_points_apart(task)]}


def card_of(archive: Archive, task: int, front: Front | None) -> dict:
    """What a model of this task says of itself."""
    try:
        model = archive.model(task, 0 if front is not None and len(front.points) > 1 else None)
    except ArchiveError as error:
        return {"damaged": str(error)}
    told = model.card["card"]
    return {"kind": model.source.kind, "inputs": told["inputs"], "group": told["group"], "outputs": told["outputs"],
            "ask_group": model.needs_group and not model.group_columns}


def costs_of(archive: Archive, placed: dict, by_task: dict[int, Front]) -> list[dict]:
    """Of each problem, for several bounds on the second objective along the front, the best first objective of
    every curve within the bound on the part that decides, and that point on the reported part."""
    found = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        curves = {curve: runs_of(archive, mine, by_task) for curve, mine in curves_of(archive, tasks).items()}
        curves = {curve: runs for curve, runs in curves.items() if runs}
        if not curves or len(next(iter(curves.values()))[0].merged.objectives) < 2:
            continue
        every = [run for runs in curves.values() for run in runs]
        signs = signs_of(every[0].merged.objectives)[:2]
        bounds = bounds_of(np.concatenate([run.minimised[:, 1] for run in every]))
        rows = [{"curve": placed["curves"].index(curve), "replicates": len(runs),
                 "left_out": any(archive.learnt_from_deciding(front.task) for run in runs for front in run.fronts),
                 "cells": [cell_of(runs, signs, bound) for bound in bounds]} for curve, runs in curves.items()]
        mark_best(rows, signs[0])
        reported = any(cell and cell["reported"] is not None for row in rows for cell in row["cells"])
        found.append({"problem": placed["problems"].index(problem), "bounds": (signs[1] * bounds).tolist(),
                      "rows": rows, "reported": reported})
    return found


def bounds_of(gaps: np.ndarray) -> np.ndarray:
    """Along the fronts, whose points have these second objectives, minimised, (n,): round ones, from the least that
    a point keeps to one that all keep."""
    gaps = np.sort(gaps[np.isfinite(gaps)])
    if not len(gaps):
        return gaps
    chosen = np.unique(gaps[np.linspace(0, len(gaps) - 1, BOUNDS).round().astype(int)])
    span = max(np.ptp(chosen), abs(chosen[-1]) / 100)
    digits = 2 - math.floor(math.log10(span)) if span > 0 else 2
    return np.unique([round(math.ceil(round(gap * 10.0 ** digits, 6)) / 10.0 ** digits, max(0, digits))
                      for gap in chosen.tolist()]) + 0.0  # no -0


def cell_of(runs: list[Run], signs: np.ndarray, bound: float) -> Cell | None:
    """Means over the replicates that have a point within the bound; None: none has.

    @param bound  of the second objective, minimised.
    """
    decided, reported = [], []
    for run in runs:
        points = np.vstack([signs * front.points[:, :2] for front in run.fronts])
        report = np.concatenate([np.full(len(front.points), np.nan) if front.report is None else front.report[:, 0]
                                 for front in run.fronts])
        kept = np.flatnonzero((points[:, 1] <= bound) & np.isfinite(points[:, 0]))
        if len(kept):
            best = kept[np.lexsort((points[kept, 1], points[kept, 0]))[0]]
            decided.append(signs[0] * points[best, 0])
            reported.append(report[best])
    if not decided:
        return None
    told = [value for value in reported if math.isfinite(value)]
    return {"decided": float(np.mean(decided)), "count": len(decided), "best": False, "best_reported": False,
            "reported": float(np.mean(told)) if len(told) == len(decided) else None}


def mark_best(rows: list[dict], sign: float) -> None:
    """Of each bound, among the curves that keep it in every replicate. What learnt from the labels of the part that
    decides is not compared there."""
    for cells in zip(*(row["cells"] for row in rows)):
        whole = [(row, cell) for row, cell in zip(rows, cells) if cell and cell["count"] == row["replicates"]]
        decided = [cell for row, cell in whole if not row["left_out"]]
        told = [cell for _, cell in whole if cell["reported"] is not None]
        for compared, name, mark in ((decided, "decided", "best"), (told, "reported", "best_reported")):
            best = min((sign * cell[name] for cell in compared), default=None)
            for cell in compared:
                cell[mark] = bool(len(rows) > 1 and sign * cell[name] == best)
