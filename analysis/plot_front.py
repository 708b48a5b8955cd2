#!/usr/bin/python3
"""Draws the fronts of an archive: one panel per problem, one colour per method.

Axes that change the problem ([data], number of clusters) make panels, seeds are overlaid in one
colour, axes that trade one objective for another are merged into one front, and every other axis
makes a curve of its own. A third objective is the colour of the points; curves then differ in their
markers.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Iterable

import matplotlib

matplotlib.use("Agg")  # no screen needed
import matplotlib.pyplot as plt
from matplotlib.colors import Normalize
import numpy as np

from fairfront_archive import Archive, ArchiveError, Front, Objective
from pareto import hypervolume, nondominated

# Okabe & Ito (2008): told apart with every common kind of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
PROBLEM_OPTIONS = ("data.data", "data.file", "clustering.clusters")
# Options that choose a point of the trade-off: the tasks along them make one front.
TRADE_OFFS = {"safairkm.n_a", "safairkm.n_b", "vfairkm.mu_min"}
MOST_PANELS = 24


def is_seed(axis: str) -> bool:
    return axis.endswith("seed")


def is_problem(axis: str) -> bool:
    return (axis.startswith("data.") and not is_seed(axis)) or axis == "clustering.clusters"


def merge_trade_offs(fronts: Iterable[Front], panel_axes: list[str]) -> list[Front]:
    """The nondominated points of tasks that differ in trade-off axes alone, as one front each."""
    merged = TRADE_OFFS - set(panel_axes)
    sweeps: dict[tuple, list[Front]] = {}
    for front in fronts:
        others = {axis: value for axis, value in front.task.axes.items() if axis not in merged}
        key = (front.task.method, *others.items())
        sweeps.setdefault(key, []).append(
            dataclasses.replace(front, task=dataclasses.replace(front.task, axes=others)))
    return [merge(sweep) if len(sweep) > 1 else sweep[0] for sweep in sweeps.values()]


def merge(fronts: list[Front]) -> Front:
    """Points of one problem; they no longer belong to one task, so solutions are dropped."""
    first = fronts[0]
    signs = np.array([objective.sign for objective in first.objectives])
    points = nondominated(signs * np.vstack([front.points for front in fronts]))
    volume = hypervolume(points, signs * first.reference) if len(signs) == 2 else math.nan
    return dataclasses.replace(first, points=signs * points, solution=np.full(len(points), -1),
                               hypervolume=volume)


def group_fronts(fronts: Iterable[Front], panel_axes: list[str]) -> dict[tuple, dict[tuple, list]]:
    """Fronts by panel, then by curve; a curve has one front per seed."""
    panels: dict[tuple, dict[tuple, list[Front]]] = {}
    for front in fronts:
        axes = front.task.axes
        panel = tuple((axis, axes[axis]) for axis in panel_axes if axis in axes)
        curve = ((("method", front.task.method),) +
                 tuple(item for item in axes.items() if item not in panel and not is_seed(item[0])))
        panels.setdefault(panel, {}).setdefault(curve, []).append(front)
    return panels


def axis_label(objective: Objective) -> str:
    unit = f" [{objective.unit}]" if objective.unit else ""
    # On the vertical axis the text is turned by 90 degrees, and the arrow with it.
    better = "better →" if objective.direction == "maximise" else "← better"
    return f"{objective.name.replace('_', ' ')}{unit}  ({better})"


def summary(fronts: list[Front]) -> str:
    """Points and hypervolume; mean and standard deviation when there are several seeds."""
    points = [len(front.points) for front in fronts]
    volumes = np.array([front.hypervolume for front in fronts])
    if len(fronts) == 1:
        return f"{points[0]} point{'s' * (points[0] != 1)}, hypervolume {volumes[0]:.4g}"
    count = f"{min(points)}" if min(points) == max(points) else f"{min(points)}–{max(points)}"
    return (f"{len(fronts)} seeds, {count} points, "
            f"hypervolume {volumes.mean():.4g} ± {volumes.std(ddof=1):.2g}")


def panel_title(archive: Archive, front: Front, panel: tuple) -> str:
    data = archive.value(front.task, "data.data") or archive.experiment
    if data == "csv":
        data = archive.value(front.task, "data.file") or data
    clusters = archive.value(front.task, "clustering.clusters")
    parts = [data] + ([f"K = {clusters}"] if clusters else [])
    parts += [f"{axis.split('.')[-1]} = {value}" for axis, value in panel
              if axis not in PROBLEM_OPTIONS]
    sensitive = archive.value(front.task, "data.sensitive")
    if sensitive and len(front.objectives) == 3 and "data.sensitive" not in dict(panel):
        parts.append(f"sensitive = {sensitive}")  # which attribute is the first one
    return ", ".join(parts)


def curve_label(curve: tuple) -> str:
    (_, method), *options = curve
    return ", ".join([method] + [f"{axis.split('.')[-1]} = {value}" for axis, value in options])


def third_objective(front: Front) -> np.ndarray:
    return front.points[:, 2]


def colours_of_third(fronts: Iterable[Front]) -> Normalize:
    """One scale for all fronts of a panel."""
    values = np.concatenate([third_objective(front) for front in fronts])
    return Normalize(values.min(), values.max())


def draw_coloured(axes: plt.Axes, front: Front, colours: Normalize, marker: str,
                  label: str | None) -> None:
    # The best third values last, so that none of them is hidden.
    order = np.argsort(-front.objectives[2].sign * third_objective(front), kind="stable")
    points = front.points[order]
    axes.scatter(points[:, 0], points[:, 1], c=points[:, 2], norm=colours, cmap="viridis",
                 marker=marker, s=9 if len(points) > 60 else 16, linewidths=0, label=label)


def draw_front(axes: plt.Axes, front: Front, colour: str, marker: str, label: str | None,
               faint: bool) -> None:
    order = np.argsort(front.objectives[0].sign * front.points[:, 0], kind="stable")
    x, y = front.points[order, 0], front.points[order, 1]
    # Best in the first objective first: between two points, the earlier one is the best there is.
    axes.plot(x, y, color=colour, marker=marker, markersize=2 if faint or len(x) > 60 else 4,
              markeredgewidth=0, alpha=0.45 if faint else 1.0, label=label,
              drawstyle="steps-post", linewidth=0.9)


def draw_panel(axes: plt.Axes, archive: Archive, panel: tuple, curves: dict[tuple, list],
               style: dict[tuple, int]) -> None:
    some = next(iter(curves.values()))
    title = panel_title(archive, some[0], panel)
    if len(curves) == 1:
        title += "\n" + summary(some)
    axes.set_title(title, fontsize=9)
    objectives = some[0].objectives
    coloured = len(objectives) == 3
    if coloured:
        colours = colours_of_third(front for fronts in curves.values() for front in fronts)
    for curve, fronts in curves.items():
        colour = COLOURS[style[curve] % len(COLOURS)]
        # Markers advance once per round of colours, so that no two curves look the same.
        marker = MARKERS[(style[curve] + style[curve] // len(COLOURS)) % len(MARKERS)]
        label = curve_label(curve)
        if len(curves) > 1:
            label += ": " + summary(fronts)
        for i, front in enumerate(fronts):
            if coloured:
                draw_coloured(axes, front, colours, marker, None if i else label)
            else:
                draw_front(axes, front, colour, marker, None if i else label, len(fronts) > 1)
    if coloured:
        axes.figure.colorbar(axes.collections[0], ax=axes, label=axis_label(objectives[2]))
    axes.set_xlabel(axis_label(objectives[0]))
    axes.set_ylabel(axis_label(objectives[1]))
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    # Below the panel: the fronts leave no corner that is always free.
    axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def plot(archive: Archive, target: str, tasks: list[int], panel_axis: str | None) -> int:
    """Writes the figure and returns the number of panels."""
    fronts = archive.fronts()
    for task in tasks:
        if not 0 <= task < len(archive.tasks):
            raise ArchiveError(f"{archive.path}: no task {task}; there are {len(archive.tasks)}")
    if tasks:
        fronts = [front for front in fronts if front.task.index in tasks]
    if not fronts:
        raise ArchiveError(f"{archive.path}: none of the tasks has a front")
    if panel_axis is not None and panel_axis not in archive.axes:
        raise ArchiveError(f"{archive.path}: no axis '{panel_axis}'; there are: "
                           f"{', '.join(archive.axes) or 'none'}")
    panel_axes = [panel_axis] if panel_axis else [axis for axis in archive.axes if is_problem(axis)]
    panels = group_fronts(merge_trade_offs(fronts, panel_axes), panel_axes)
    if len(panels) > MOST_PANELS:
        raise ArchiveError(f"{archive.path}: {len(panels)} panels are too many for one figure "
                           f"(at most {MOST_PANELS}); choose tasks with --task")

    style: dict[tuple, int] = {}  # a curve looks the same in every panel
    for curves in panels.values():
        for curve in curves:
            style.setdefault(curve, len(style))
    columns = 2 if len(panels) == 4 else min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    plt.rcParams.update({"font.size": 9, "axes.labelsize": 9})
    figure, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(max(5.0, 4.5 * columns), max(3.8, 3.6 * rows)))
    for axes, (panel, curves) in zip(grid.flat, panels.items()):
        draw_panel(axes, archive, panel, curves, style)
    for axes in grid.flat[len(panels):]:
        axes.remove()
    figure.savefig(target, dpi=200)
    plt.close(figure)
    return len(panels)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", help="file written by `fairfront run`")
    parser.add_argument("-o", "--output", default="front.png",
                        help="image to write; the suffix chooses png, pdf or svg (%(default)s)")
    parser.add_argument("--task", type=int, nargs="+", default=[], metavar="K",
                        help="only these tasks, by row")
    parser.add_argument("--group-by", metavar="AXIS",
                        help="one panel per value of this axis, such as data.data")
    options = parser.parse_args(arguments)
    try:
        with Archive(options.archive) as archive:
            panels = plot(archive, options.output, options.task, options.group_by)
    except (ArchiveError, OSError, ValueError) as error:  # ValueError: no such image format
        print(f"plot_front.py: {error}", file=sys.stderr)
        return 2
    print(f"{options.output}: {panels} panel{'s' * (panels != 1)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
