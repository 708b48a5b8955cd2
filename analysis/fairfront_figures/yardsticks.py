"""Error against a gap of rates: trained methods beside the post-processed unconstrained model."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, Task
from fairfront_archive.yardstick import GAPS, METHOD, RANDOMISED, ComparedFront, compared_with_yardstick, points_of
from fairfront_figures.arrange import (MOST_PANELS, Items, NothingToDraw, curve_text, curves_of, items_of, panel_text,
                                       split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, look

YARDSTICK = {"color": "0.25", "linestyle": "-", "marker": "x"}
NOTE = (f"[{METHOD}], the unconstrained model post-processed, knows the group when it decides; the others do not unless it "
        "is among their features. Points are means over replicates.")
RATE = "rate"


def draw_yardstick(archive: Archive, options: Options) -> Sheet:
    """Two panels for each rate and problem: the part that decides, and the one that is reported."""
    panels = fronts_by_panel(archive)
    if not panels:
        raise NothingToDraw(f"{archive.path}: no method bounds a rate for which there is [{METHOD}]; see "
                            f"{METHOD}.rate and training.rate")
    drawn = [(rate, problem, part, fronts) for (rate, problem), fronts in panels.items() for part in parts_of(fronts)]
    if len(drawn) > MOST_PANELS:
        raise NothingToDraw(f"{archive.path}: {len(drawn)} panels are too many for one figure (at most {MOST_PANELS}); "
                            "choose some tasks")
    page = sheet(len(drawn), options, columns=2, least=2.1, together=2)
    order = list(dict.fromkeys(name_of(archive, front) for fronts in panels.values() for front in fronts))
    for axes, (rate, problem, part, fronts) in zip(page.panels, drawn):
        page.title(axes, f"{rate.replace('_', ' ')}, {panel_text(archive, problem)}: {part} part")
        draw_part(page, axes, archive, rate, part, fronts, order)
    page.legends(NOTE, shared=True)
    return page


def fronts_by_panel(archive: Archive) -> dict[tuple[str, Items], list[ComparedFront]]:
    """By rate and problem. A method with a rate of its own has the same front at every training.rate: once."""
    panels: dict[tuple[str, Items], dict[str, ComparedFront]] = {}
    for front in compared_with_yardstick(archive):
        problem = tuple(item for item in items_of(archive, front.tasks[0], "problem") if item[0].rpartition(".")[2] != RATE)
        panels.setdefault((front.rate, problem), {}).setdefault(name_of(archive, front), front)
    return {key: list(fronts.values()) for key, fronts in panels.items()}


def parts_of(fronts: list[ComparedFront]) -> list[str]:
    return list(dict.fromkeys(beside.part for front in fronts for beside in front.parts))


def lines_of(archive: Archive, rate: str, part: str, fronts: list[ComparedFront]) -> list[tuple[str, np.ndarray]]:
    """Every method's name and points, (places, 2); the yardstick comes last."""
    lines = [(name_of(archive, front), means(archive, front.tasks, RANDOMISED if front.randomised else "", rate, part))
             for front in fronts]
    beside = {task.index: task for front in fronts for task in front.beside}
    return [*lines, (f"{METHOD} (knows the group)", means(archive, list(beside.values()), "", rate, part))]


def name_of(archive: Archive, front: ComparedFront) -> str:
    """The method and its settings, without the rate, which the panel says."""
    (method, items), = curves_of(archive, front.tasks[:1])
    items = tuple(item for item in items if item[0].rpartition(".")[2] != RATE)
    return curve_text((method, items)) + (", randomised" if front.randomised else "")


def draw_part(page: Sheet, axes: plt.Axes, archive: Archive, rate: str, part: str, fronts: list[ComparedFront],
              order: list[str]) -> None:
    for name, points in lines_of(archive, rate, part, fronts):
        style = look(order.index(name)) if name in order else YARDSTICK
        axes.plot(points[:, 0], points[:, 1], label=name, markersize=3.5, zorder=3, **style)
    measures = archive.measures()
    page.label(axes, "x", measures["error"].what)
    page.label(axes, "y", measures[GAPS[rate]].what)


def means(archive: Archive, tasks: list[Task], form: str, rate: str, part: str) -> np.ndarray:
    """Over replicates, of each place along the trade-off, (places, 2), by their gap."""
    found = [points_of(archive, mine, form, GAPS[rate], part) for mine in split(archive, tasks, "trade_off").values()]
    points = np.array([own.mean(axis=0) for own in found if len(own)]).reshape(-1, 2)
    return points[np.argsort(points[:, 1], kind="stable")]
