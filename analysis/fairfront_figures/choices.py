"""The point that was chosen: on its front, as the part that decides has it, and on the reported part."""

from __future__ import annotations

import functools
import math
import sys

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Bound, Candidate, Choice
from fairfront_figures.arrange import Curve, NothingToDraw, curve_text, curves_of, limit_panels
from fairfront_figures.fronts import (Run, draw_runs, mark_strays, median_of, set_limits, signs_of, strays_text,
                                      view_of_runs)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, look
from fairfront_figures.titles import method_title

INK = "#000000"


def draw_choice(archive: Archive, options: Options) -> Sheet:
    """One panel per problem: the front, the chosen point (--bound, --best, --knee, --method, --confidence; else the knee),
    the same point on the reported part with its interval, and the bounds as lines."""
    fronts = {front.task.index: front for front in archive.fronts()}
    if not fronts:
        raise NothingToDraw(f"{archive.path}: none of the tasks has a front")
    if len(next(iter(fronts.values())).objectives) != 2:
        raise NothingToDraw(f"{archive.path}: a choice is drawn on fronts of two objectives")
    knee = options.knee or not (options.bounds or options.best)
    ask = functools.partial(archive.choose, options.bounds, options.best, knee, options.methods, options.confidence)
    try:
        choices = [choice for choice in ask() if choice.candidates]
    except ArchiveError as error:
        if options.knee or options.bounds or options.best or options.methods:
            raise
        raise NothingToDraw(str(error)) from error  # nobody has asked for a choice
    if not choices:
        raise NothingToDraw(f"{archive.path}: no point can be chosen")
    limit_panels(archive, len(choices))
    try:
        choices = [choice for choice in ask(intervals=True) if choice.candidates]
    except ArchiveError as error:  # no program or no data
        print(f"figure choice: points of fronts of several models have no intervals: {error}", file=sys.stderr)
    runs = [panel_of(archive, choice, fronts) for choice in choices]
    order = list(dict.fromkeys(curve for curves in runs for curve in curves))
    page = sheet(len(choices), options)
    for axes, choice, curves in zip(page.panels, choices, runs):
        draw_panel(page, axes, choice, curves, order)
    page.legends(note_of(choices), shared=True)
    return page


def panel_of(archive: Archive, choice: Choice, fronts: dict) -> dict[Curve, list[Run]]:
    """All that could be chosen, by curve: what several replicates have found together."""
    tasks = {one.task.index: one.task for one in choice.candidates}
    return {curve: [Run([fronts[task.index] for task in mine])]
            for curve, mine in curves_of(archive, [tasks[index] for index in sorted(tasks)]).items()}


def draw_panel(page: Sheet, axes: plt.Axes, choice: Choice, curves: dict[Curve, list[Run]], order: list[Curve]) -> None:
    objectives = next(iter(curves.values()))[0].merged.objectives
    names, signs = [one.name for one in objectives], signs_of(objectives)
    reported = np.empty((0, 2)) if choice.chosen is None else ends_of(choice.chosen, names)
    low, high = widened(*view_of_runs(list(curves.values()), None), signs * must_show(choice, names, reported))
    set_limits(axes, signs, low, high)
    for curve, runs in curves.items():
        draw_runs(axes, runs, order.index(curve), curve_text(curve), high, False)
        mark_strays(axes, median_of(runs), signs, low, high, look(order.index(curve))["color"])
    for bound in choice.bounds:
        draw_bound(axes, bound, names)
    if choice.chosen is not None:
        draw_chosen(axes, choice.chosen, names)
    every = np.vstack([run.minimised for runs in curves.values() for run in runs])
    page.title(axes, "\n".join(filter(None, [choice.problem, told(choice), strays_text(every, low, high)])))
    for which, objective in zip("xy", objectives):
        page.label(axes, which, objective)


def ends_of(chosen: Candidate, names: list[str]) -> np.ndarray:
    """The reported point, and the corners of its intervals, (3, 2): value, low, high; NaN where not known."""
    values = [chosen.values[name] for name in names]
    return np.array([[getattr(value, end) for value in values] for end in ("reported", "low", "high")])


def must_show(choice: Choice, names: list[str], reported: np.ndarray) -> np.ndarray:
    """Points (n, 2) that the panel has, with NaN for coordinates that do not matter: what is chosen, and the bounds."""
    shown = [reported] if len(reported) else []
    if choice.chosen is not None:
        shown.append([[choice.chosen.values[name].decided for name in names]])
    shown += [[[bound.limit if name == bound.name else math.nan for name in names]] for bound in choice.bounds]
    return np.vstack(shown) if shown else np.full((1, 2), math.nan)


def widened(low: np.ndarray, high: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The frame, minimised, with all of these points. An axis that they widen gets a margin at both ends: its own one
    may be of a range that is small beside the new one."""
    least, most = np.fmin.reduce([low, *points]), np.fmax.reduce([high, *points])
    margin = np.where((least < low) | (most > high), 0.04 * (most - least), 0)
    return least - margin, most + margin


def draw_bound(axes: plt.Axes, bound: Bound, names: list[str]) -> None:
    if bound.name in names:
        line = axes.axvline if bound.name == names[0] else axes.axhline
        line(bound.limit, color=INK, linestyle=":", linewidth=1, zorder=2, label="bound")


def draw_chosen(axes: plt.Axes, chosen: Candidate, names: list[str]) -> None:
    decided = [chosen.values[name].decided for name in names]
    (x, y), low, high = ends_of(chosen, names)
    axes.plot(*decided, linestyle="", marker="o", markersize=8, markerfacecolor="none", markeredgecolor=INK, zorder=5,
              label="chosen, on the part that decides")
    if not (math.isfinite(x) and math.isfinite(y)):
        return
    lengths = [[max(0.0, at - low[i]), max(0.0, high[i] - at)] if math.isfinite(low[i] + high[i]) else [0.0, 0.0]
               for i, at in enumerate((x, y))]
    axes.plot([decided[0], x], [decided[1], y], color="0.5", linewidth=0.6, zorder=4)
    axes.errorbar([x], [y], xerr=np.transpose([lengths[0]]), yerr=np.transpose([lengths[1]]), color=INK, marker="s",
                  markersize=3.5, linestyle="", capsize=2, elinewidth=0.9, zorder=5, label="the same on the reported part")


def told(choice: Choice) -> str:
    if choice.chosen is None:
        return f"none of {len(choice.candidates)} points chosen"
    of = f", point {choice.chosen.point}" if choice.chosen.of > 1 else ""
    return f"{method_title(choice.chosen.task.method)}, task {choice.chosen.task.index}{of}"


def note_of(choices: list[Choice]) -> str:
    bounds, confidence = choices[0].bounds, choices[0].confidence
    kept = ", ".join(f"{bound.name} {'≤' if bound.at_most else '≥'} {bound.limit:g}" for bound in bounds)
    rule = f"Within {kept}" if bounds else "Without bounds"
    return f"{rule}{f', with a confidence of {confidence:g}' if confidence is not None else ''}. Bars are intervals, where there are any."
