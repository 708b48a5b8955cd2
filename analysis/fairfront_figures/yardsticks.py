"""Error against a gap of rates: trained methods beside the post-processed unconstrained model."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, Quantity, Task
from fairfront_archive.yardstick import (METHOD, RANDOMISED, RATIO_MEASURE, ComparedFront, compared_with_yardstick,
                                         measure_of, points_of)
from fairfront_figures.arrange import (MOST_PANELS, Curve, Items, NothingToDraw, curve_text, curves_of, items_of,
                                       panel_text, split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look
from fairfront_figures.titles import method_title

YARDSTICK = [{"color": color, "linestyle": dashes, "marker": marker}
             for dashes, color in (("-", "0.25"), ("--", "0.5"), (":", "0.4")) for marker in ("x", "+", "1", "2")]
NOTE = (f"[{METHOD}], the unconstrained model post-processed, knows the group when it decides; the others do not unless it "
        "is among their features. Points are means over replicates.")
OWN = ("rate", "bound_of")  # options that a panel says
Bounded = tuple[str, str]  # a rate, and what of it is bounded


def draw_yardstick(archive: Archive, options: Options) -> Sheet:
    """Two panels for each rate and problem: the part that decides, and the one that is reported."""
    panels = fronts_by_panel(archive)
    if not panels:
        raise NothingToDraw(f"{archive.path}: no method bounds a rate for which there is [{METHOD}]; see "
                            f"{METHOD}.rate and training.rate")
    drawn = [(problem, part, fronts) for (_, problem), fronts in panels.items() for part in parts_of(fronts)]
    if len(drawn) > MOST_PANELS:
        raise NothingToDraw(f"{archive.path}: {len(drawn)} panels are too many for one figure (at most {MOST_PANELS}); "
                            "choose some tasks")
    page = sheet(len(drawn), options, columns=2, least=2.1, together=2)
    order = list(dict.fromkeys(name_of(archive, front) for fronts in panels.values() for front in fronts))
    for axes, (problem, part, fronts) in zip(page.panels, drawn):
        page.title(axes, f"{fronts[0].bounded.replace('_', ' ')}, {panel_text(archive, problem)}: {part} part")
        draw_part(page, axes, archive, part, fronts, order)
    page.legends(NOTE, shared=True)
    return page


def fronts_by_panel(archive: Archive) -> dict[tuple[Bounded, Items], list[ComparedFront]]:
    """By what is bounded and problem. A method with a rate of its own has the same front at every training.rate: once."""
    panels: dict[tuple[Bounded, Items], dict[str, ComparedFront]] = {}
    for front in compared_with_yardstick(archive):
        problem = tuple(item for item in items_of(archive, front.tasks[0], "problem") if item[0].rpartition(".")[2] not in OWN)
        panels.setdefault(((front.rate, front.bound_of), problem), {}).setdefault(name_of(archive, front), front)
    return {key: list(fronts.values()) for key, fronts in panels.items()}


def parts_of(fronts: list[ComparedFront]) -> list[str]:
    return list(dict.fromkeys(beside.part for front in fronts for beside in front.parts))


def measured_by(fronts: list[ComparedFront]) -> str:
    """The measure of what the fronts of a panel have bounded."""
    return measure_of(fronts[0].rate, fronts[0].bound_of)


def axis_of(archive: Archive, fronts: list[ComparedFront]) -> Quantity:
    """What stands beside the error: a gap, or how far a ratio is from 1."""
    what = archive.measures()[measured_by(fronts)].what
    return what if what.name != RATIO_MEASURE else Quantity(f"1 - {what.name}", what.definition, what.unit, "minimise",
                                                            what.source)


def lines_of(archive: Archive, part: str, fronts: list[ComparedFront]) -> list[tuple[str, np.ndarray]]:
    """Every method's name and points, (places, 2); the yardstick comes last, a line for each of its settings."""
    measure = measured_by(fronts)
    lines = [(name_of(archive, front), means(archive, front.tasks, RANDOMISED if front.randomised else "", measure, part))
             for front in fronts]
    beside = {task.index: task for front in fronts for task in front.beside}
    yardsticks = yardstick_lines(archive, list(beside.values()), measure, part)
    return [*lines, *((f"{name} (knows the group)", points) for name, points in yardsticks)]


def yardstick_lines(archive: Archive, tasks: list[Task], measure: str, part: str) -> list[tuple[str, np.ndarray]]:
    """One without a name of its settings where these change nothing, as the budget of a linear score does."""
    settings: dict[str, list[Task]] = {}
    for curve, mine in curves_of(archive, tasks).items():
        settings.setdefault(text_without_rate(curve), []).extend(mine)
    lines = [(name, means(archive, mine, "", measure, part)) for name, mine in settings.items()]
    same = all(np.array_equal(points, lines[0][1]) for _, points in lines)
    return [(method_title(METHOD), lines[0][1])] if same else lines


def name_of(archive: Archive, front: ComparedFront) -> str:
    """The method and its settings, without the rate, which the panel says."""
    curve, = curves_of(archive, front.tasks[:1])
    return text_without_rate(curve) + (", randomised" if front.randomised else "")


def text_without_rate(curve: Curve) -> str:
    method, items = curve
    return curve_text((method, tuple(item for item in items if item[0].rpartition(".")[2] not in OWN)))


def draw_part(page: Sheet, axes: plt.Axes, archive: Archive, part: str, fronts: list[ComparedFront],
              order: list[str]) -> None:
    yardsticks = itertools.cycle(YARDSTICK)
    for name, points in lines_of(archive, part, fronts):
        style = look(order.index(name)) if name in order else next(yardsticks)
        axes.plot(points[:, 0], points[:, 1], label=as_it_is(name), markersize=3.5, zorder=3, **style)
    measures = archive.measures()
    page.label(axes, "x", measures["error"].what)
    page.label(axes, "y", axis_of(archive, fronts))


def means(archive: Archive, tasks: list[Task], form: str, measure: str, part: str) -> np.ndarray:
    """Over replicates, of each place along the trade-off, (places, 2), by their gap."""
    found = [points_of(archive, mine, form, measure, part) for mine in split(archive, tasks, "trade_off").values()]
    points = np.array([own.mean(axis=0) for own in found if len(own)]).reshape(-1, 2)
    return points[np.argsort(points[:, 1], kind="stable")]
