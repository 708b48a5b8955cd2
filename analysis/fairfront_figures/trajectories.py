"""Trajectories: medians and quartiles over replicates, along steps or CPU seconds."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Quantity, Task
from fairfront_archive.frames import number
from fairfront_figures.arrange import (Curve, Items, NothingToDraw, done, limit_panels, panel_text,
                                       panels_of, row_text, split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look

MOST_PLACES = 5  # along a trade-off, for each method and setting
SECONDS = Quantity("CPU time", "", "s", "none", "")
TIMES = 80  # points of a curve along the seconds
BOUNDS = {"gap": "delta"}  # the option of a method that bounds what series of such names show


def bounds_of(archive: Archive, name: str, lines: Iterable[tuple[Curve, Items]]
              ) -> dict[float, tuple[Curve, Items]]:
    """Bounds that the lines' methods were given on a series, each with the first line that has it."""
    option = BOUNDS.get(name.split("_")[0])
    found: dict[float, tuple[Curve, Items]] = {}
    for (method, items), place in lines if option else ():
        key = f"{method}.{option}"
        bound = number(dict((*items, *place)).get(key, archive.config.get(key, "")))
        if bound is not None:
            found.setdefault(bound, ((method, items), place))
    return found


def chosen_series(archive: Archive, options: Options) -> list[str]:
    """The series that were asked for, else those that say what is better: others, such as what a fit has
    left over, are records of a run but no ways to a goal."""
    names = archive.series_names()
    for name in options.series:
        if name not in names:
            raise ArchiveError(f"{archive.path}: no series '{name}'; there are: "
                               f"{', '.join(names) or 'none'}")
    if not names:
        raise NothingToDraw(f"{archive.path}: has no series (an option of the method asks for them)")
    directed = [name for name in names if archive.quantity("series", name).direction != "none"]
    if not options.series and not directed:
        raise NothingToDraw(f"{archive.path}: none of its series says what is better; --series draws "
                            f"{', '.join(names)}")
    return list(options.series) or directed


def lines_of(archive: Archive, curves: dict[Curve, list[Task]]) -> dict[tuple[Curve, Items],
                                                                        list[Task]]:
    """Tasks by curve and place along the trade-off, at most five places for each curve."""
    lines = {}
    for curve, tasks in curves.items():
        places = split(archive, tasks, "trade_off")
        chosen = np.unique(np.linspace(0, len(places) - 1, MOST_PLACES).round().astype(int))
        for i in chosen:
            place = list(places)[i]
            lines[(curve, place)] = places[place]
    return lines


def held(at: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The last value at or before each point of the grid; NaN before the first. A run that has ended
    keeps its last value."""
    place = np.searchsorted(at, grid, side="right")
    return np.concatenate([[np.nan], values])[place]


def samples_of(archive: Archive, name: str, tasks: list[Task], against_seconds: bool
               ) -> tuple[np.ndarray, np.ndarray]:
    """A common axis, shape (n,), and the values of every task that has the series, shape (tasks, n)."""
    runs = []
    for task in tasks:
        steps, values = archive.series(name, task.index)
        if against_seconds:
            steps = archive.series_seconds(name, task.index)
        if len(steps) and len(steps) == len(values):
            runs.append((steps, values))
    if not runs:
        return np.empty(0), np.empty((0, 0))
    if all(np.array_equal(steps, runs[0][0]) for steps, _ in runs):
        return runs[0][0], np.array([values for _, values in runs])
    begin = max(steps[0] for steps, _ in runs)  # where all have begun
    grid = np.unique(np.concatenate([steps for steps, _ in runs]))
    grid = grid[grid >= begin]
    if against_seconds:
        grid = np.linspace(begin, grid[-1], TIMES)
    return grid, np.array([held(steps, values, grid) for steps, values in runs])


def scale(axes: plt.Axes, which: str, values: np.ndarray, ratio: float) -> None:
    """Logarithmic where values spread over more than `ratio`; with a straight part around zero where
    there is a zero."""
    values = values[np.isfinite(values)]
    positive = values[values > 0]
    if not len(positive) or np.any(values < 0) or positive.max() < ratio * positive.min():
        return
    set_scale = axes.set_xscale if which == "x" else axes.set_yscale
    if np.any(values == 0):
        set_scale("symlog", linthresh=positive.min())
    else:
        set_scale("log")


def draw_panel(axes: plt.Axes, archive: Archive, name: str, lines: dict, against_seconds: bool,
               labels: list[tuple]) -> None:
    shown, levels = [np.empty(0)], [np.empty(0)]
    for (curve, place), tasks in lines.items():
        at, values = samples_of(archive, name, tasks, against_seconds)
        if not len(at):
            continue
        low, median, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        style = look(labels.index((curve, place)))
        style.pop("marker")
        axes.plot(at, median, label=f"{as_it_is(row_text((curve, place)))} ({len(values)})", **style)
        if len(values) > 1:
            axes.fill_between(at, low, high, color=style["color"], alpha=0.18, linewidth=0)
        shown.append(at)
        levels.append(median)
    for bound, line in bounds_of(archive, name, lines).items():
        axes.axhline(bound, color=look(labels.index(line))["color"], linestyle=":", linewidth=0.9,
                     zorder=1.5)
        levels.append(np.array([bound]))
    scale(axes, "x", np.concatenate(shown), 100)
    scale(axes, "y", np.concatenate(levels), 300)
    axes.margins(x=0.02)
    seconds = [at[1] for at in shown if len(at) > 1]
    if against_seconds and seconds and axes.get_xscale() == "log":
        # The first point is the start, some microseconds in: decades without anything to see.
        axes.set_xlim(left=min(seconds) / 2)


def draw(archive: Archive, options: Options, against_seconds: bool) -> Sheet:
    names = chosen_series(archive, options)
    panels = {problem: lines_of(archive, curves)
              for problem, curves in panels_of(archive, done(archive)).items()}
    filled: dict[tuple[Items, str], dict] = {}
    for problem, lines in panels.items():
        for name in names:
            own = {line: tasks for line, tasks in lines.items()
                   if len(samples_of(archive, name, tasks, against_seconds)[0])}
            if own:
                filled[(problem, name)] = own
    if not filled:
        raise NothingToDraw(f"{archive.path}: its series have no " +
                            ("CPU seconds" if against_seconds else "steps"))
    limit_panels(archive, len(filled))
    labels = list(dict.fromkeys(line for lines in filled.values() for line in lines))
    page = sheet(len(filled), options, columns=len(names) if len(names) <= 3 else 3)
    for axes, ((problem, name), lines) in zip(page.panels, filled.items()):
        what = archive.quantity("series", name)
        draw_panel(axes, archive, name, lines, against_seconds, labels)
        page.title(axes, panel_text(archive, problem))
        page.label(axes, "y", what)
        step = Quantity(what.step_name or "step", "", "", "none", "")
        page.label(axes, "x", SECONDS if against_seconds else step, whole=not against_seconds)
    bounded = any(bounds_of(archive, name, lines) for (_, name), lines in filled.items())
    page.legends("Medians over replicates (their number), bands between quartiles" +
                 ("; dotted lines are the bounds that the methods were given." if bounded else "."),
                 shared=True)
    return page


def draw_trajectories(archive: Archive, options: Options) -> Sheet:
    """One panel per problem and series, along its steps."""
    return draw(archive, options, against_seconds=False)


def draw_trajectories_in_time(archive: Archive, options: Options) -> Sheet:
    """The same along the CPU seconds that the run has measured."""
    return draw(archive, options, against_seconds=True)
