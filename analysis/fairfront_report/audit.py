"""What the page says of an audit: every measure of the models that are compared, with its interval."""

from __future__ import annotations

import math

import pandas

from fairfront_archive import Archive
from fairfront_figures.arrange import AUDIT, NothingToDraw
from fairfront_figures.audits import ENDS, NOT_COMPARED, REPLICATES_APART, measures_table, model_text, reference_of, rows_of, rows_text
from fairfront_figures.style import Options
from fairfront_report.by_group import told

MOST_MODELS = 12
MOST_MEASURES = 400


def audit_of(archive: Archive, placed: dict) -> list[dict]:
    """Of each problem the models, and of each measure a cell for every one of them (as in the table `table-measures`)."""
    if AUDIT not in archive.methods():
        return []
    try:
        table = measures_table(archive, Options())
    except NothingToDraw:
        return []
    problems: dict[int, dict[tuple[str, str, str], None]] = {}
    for key, tasks in rows_of(archive).items():
        if tasks[0].method == AUDIT:
            problems.setdefault(int(placed["problem"][tasks[0].index]), {})[key] = None
    lines = {(line["problem"], line["method"], line["place"], line["column"]): line for _, line in table.iterrows()}
    return [problem_of(archive, table, lines, problem, list(rows)[:MOST_MODELS]) for problem, rows in problems.items()]


def problem_of(archive: Archive, table: pandas.DataFrame, lines: dict, problem: int, rows: list[tuple]) -> dict:
    measures, numbers, replicates = [], archive.numbers(), 1
    for name in dict.fromkeys(table["column"]):
        own = [lines.get((*row, name)) for row in rows]
        known = [line for line in own if line is not None]
        if not known:
            continue
        replicates = max(replicates, *(int(line["replicates"]) for line in known))
        what = numbers[name]
        measures.append({"name": what.text, "unit": known[0]["unit"], "direction": known[0]["direction"],
                         "definition": what.what.definition, "cells": [cell_of(line) for line in own]})
    return {"problem": problem, "models": [model_text(method, place) for _, method, place in rows], "replicates": replicates,
            "measures": measures[:MOST_MEASURES], "reference": reference_of(archive), "note": " ".join(filter(None, [note_of(archive, replicates), rows_text(archive)]))}


def cell_of(line: pandas.Series | None) -> dict | None:
    """Value and interval; over several replicates mean and one deviation to each side. JSON has no NaN; what is infinite is a text."""
    if line is None or math.isnan(line["mean"]):
        return None
    deviation = line["deviation"]
    ends = (line["mean"] - deviation, line["mean"] + deviation) if line["replicates"] > 1 else (line["low"], line["high"])
    low, high = (float(end) if math.isfinite(end) else None for end in ends)
    less = [told(line[name]) for name in ENDS[2:]]
    return {"value": told(line["mean"]), "low": low, "high": high, "shown": line["shown"], "best": bool(line["best"]),
            "less": less if less[0] is not None else None}


def note_of(archive: Archive, replicates: int) -> str:
    """What whiskers and marks mean."""
    spread = "A whisker is the interval of the archive." if replicates == 1 else \
        "A whisker is one deviation over replicates to each side."
    reference = reference_of(archive)
    if not reference:
        return f"{spread} {NOT_COMPARED}"
    if replicates > 1:
        return f"{spread} {REPLICATES_APART}"
    return (f"{spread} Bold: better than {reference} by a paired interval without 0, which no p value of a test speaks "
            f"against, or {reference} itself where it is better than every other; † is worse than {reference} in the same way.")
