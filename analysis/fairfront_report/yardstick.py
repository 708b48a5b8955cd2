"""Fronts of error and gap beside the post-processed unconstrained model, for the page."""

from __future__ import annotations

import dataclasses

from fairfront_archive import Archive, Quantity
from fairfront_archive.yardstick import METHOD, ComparedFront
from fairfront_figures.titles import method_title
from fairfront_figures.yardsticks import axis_of, fronts_by_panel, lines_of, name_of, parts_of


def yardstick_of(archive: Archive, placed: dict) -> list[dict]:
    """A chart for each rate, problem and part, with the numbers of its table."""
    measures = archive.measures()
    return [{"problem": int(placed["problem"][fronts[0].tasks[0].index]),
             "label": f"{fronts[0].bounded.replace('_', ' ')}, {part} part",
             "x": words_of(measures["error"].what), "y": words_of(axis_of(archive, fronts)),
             "lines": [{"name": name, "own": name.startswith(method_title(METHOD)), "points": points.tolist()}
                       for name, points in lines_of(archive, part, fronts)],
             "rows": [row for front in fronts for row in rows_of(archive, front, part)]}
            for fronts in fronts_by_panel(archive).values() for part in parts_of(fronts)]


def words_of(what: Quantity) -> dict[str, str]:
    return {"name": what.name, "unit": what.unit, "direction": what.direction}


def rows_of(archive: Archive, front: ComparedFront, part: str) -> list[dict]:
    return [{"method": name_of(archive, front), **dataclasses.asdict(beside)} for beside in front.parts if beside.part == part]
