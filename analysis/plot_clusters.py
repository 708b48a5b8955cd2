#!/usr/bin/python3
"""Draws clusterings along one front over the data: from the least cost to the greatest balance.

The rows come from `fairfront data CONFIG --csv FILE`; two of their features are the axes.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import sys
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Front, require_no_input
from fairfront_figures.style import COLOURS, WIDTHS, Options, Sheet, save, sheet

MARKERS = "o^sDvPX"  # one per group
LIKE_UNITS = 10  # ranges that differ by more are of different units: no equal scale for them


def read_rows(path: str) -> tuple[list[str], np.ndarray, list[str]]:
    """Feature names, values (n, d) and the group of each row."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        if "group" not in header:
            raise ValueError(f"{path}: no column 'group'; was it made by `fairfront data`?")
        place = header.index("group")
        rows = list(reader)
    values = np.array([[float(cell) for cell in row[:place]] for row in rows])
    return header[:place], values, [row[place] for row in rows]


def choose(front: Front, count: int) -> np.ndarray:
    """Points of the front, evenly spread over it, both ends among them."""
    order = np.argsort(front.objectives[0].sign * front.points[:, 0], kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, count).round().astype(int))]


def draw(axes: plt.Axes, values: np.ndarray, groups: list[str], labels: np.ndarray) -> None:
    """Rows at their values, shape (n, 2); one scale for both axes only where it shows them."""
    for mark, group in enumerate(sorted(set(groups))):
        mine = np.array([name == group for name in groups])
        for cluster in np.unique(labels):
            rows = mine & (labels == cluster)
            axes.scatter(values[rows, 0], values[rows, 1], s=5, linewidths=0.5,
                         facecolors=COLOURS[cluster % len(COLOURS)] if mark == 0 else "none",
                         edgecolors=COLOURS[cluster % len(COLOURS)],
                         marker=MARKERS[mark % len(MARKERS)])
    ranges = np.ptp(values, axis=0)
    if ranges.min() * LIKE_UNITS >= ranges.max():
        axes.set_aspect("equal", adjustable="box")


def plot(archive: Archive, task: int, rows: str, count: int) -> Sheet:
    names, values, groups = read_rows(rows)
    if values.shape[1] < 2:
        raise ValueError(f"{rows}: one feature cannot be drawn over another")
    fronts = [front for front in archive.fronts() if front.task.index == task]
    if not fronts:
        raise ArchiveError(f"{archive.path}: task {task} has no front")
    front = fronts[0]
    points = choose(front, count)
    page = sheet(len(points), Options(width=WIDTHS["page"]), columns=len(points), ratio=0.9, least=1.6)
    for axes, point in zip(page.panels, points):
        labels = archive.solution("labels", int(front.solution[point]))
        if len(labels) != len(values):
            raise ArchiveError(f"{archive.path}: {len(labels)} labels, but {rows} has "
                               f"{len(values)} rows")
        draw(axes, values[:, :2], groups, labels)
        axes.set_title("\n".join(textwrap.shorten(f"{objective.name} {value:.4g}", 40)
                                 for objective, value in zip(front.objectives,
                                                             front.points[point])))
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
    page.figure.legend([], [], title=f"{front.task.method}: colour is the cluster, filled or open the "
                       "group", loc="lower center")
    return page


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", help="file written by `fairfront run`")
    parser.add_argument("rows", help="file written by `fairfront data`")
    parser.add_argument("--task", type=int, default=0, metavar="K", help="row of the task")
    parser.add_argument("--count", type=int, default=3, help="clusterings shown (%(default)s)")
    parser.add_argument("-o", "--output", default="clusters.png", help="image (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        require_no_input(options.output, options.archive, options.rows)
        with Archive(options.archive) as archive:
            page = plot(archive, options.task, options.rows, max(1, options.count))
            save(page, archive, "Clusterings along a front", pathlib.Path(options.output))
    except (ArchiveError, OSError, ValueError) as error:
        print(f"plot_clusters.py: {error}", file=sys.stderr)
        return 2
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
