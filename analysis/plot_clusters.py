#!/usr/bin/python3
"""Draws clusterings along one front over the data: from the least cost to the greatest balance.

The rows come from `fairfront data CONFIG --csv FILE`; two of their features are the axes.
"""

from __future__ import annotations

import argparse
import csv
import sys

import matplotlib

matplotlib.use("Agg")  # no screen needed
import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Front

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "o^sDvPX"  # one per group


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
    for mark, group in enumerate(sorted(set(groups))):
        mine = np.array([name == group for name in groups])
        for cluster in np.unique(labels):
            rows = mine & (labels == cluster)
            axes.scatter(values[rows, 0], values[rows, 1], s=9, linewidths=0.6,
                         facecolors=COLOURS[cluster % len(COLOURS)] if mark == 0 else "none",
                         edgecolors=COLOURS[cluster % len(COLOURS)],
                         marker=MARKERS[mark % len(MARKERS)])
    axes.set_aspect("equal", adjustable="box")
    axes.spines[["top", "right"]].set_visible(False)


def plot(archive: Archive, task: int, rows: str, target: str, count: int) -> None:
    names, values, groups = read_rows(rows)
    if values.shape[1] < 2:
        raise ValueError(f"{rows}: one feature cannot be drawn over another")
    fronts = [front for front in archive.fronts() if front.task.index == task]
    if not fronts:
        raise ArchiveError(f"{archive.path}: task {task} has no front")
    front = fronts[0]
    points = choose(front, count)
    figure, grid = plt.subplots(1, len(points), squeeze=False, layout="constrained", sharex=True,
                                sharey=True, figsize=(3.4 * len(points), 3.6))
    for axes, point in zip(grid.flat, points):
        labels = archive.solution("labels", int(front.solution[point]))
        if len(labels) != len(values):
            raise ArchiveError(f"{archive.path}: {len(labels)} labels, but {rows} has "
                               f"{len(values)} rows")
        draw(axes, values[:, :2], groups, labels)
        axes.set_title("\n".join(f"{objective.name} {value:.4g}" for objective, value in
                                 zip(front.objectives, front.points[point])), fontsize=9)
        axes.set_xlabel(names[0])
    grid.flat[0].set_ylabel(names[1])
    figure.suptitle(f"{front.task.method}: colour is the cluster, filled or open the group",
                    fontsize=9)
    figure.savefig(target, dpi=200)
    plt.close(figure)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", help="file written by `fairfront run`")
    parser.add_argument("rows", help="file written by `fairfront data`")
    parser.add_argument("--task", type=int, default=0, metavar="K", help="row of the task")
    parser.add_argument("--count", type=int, default=3, help="clusterings shown (%(default)s)")
    parser.add_argument("-o", "--output", default="clusters.png", help="image (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        with Archive(options.archive) as archive:
            plot(archive, options.task, options.rows, options.output, max(1, options.count))
    except (ArchiveError, OSError, ValueError) as error:
        print(f"plot_clusters.py: {error}", file=sys.stderr)
        return 2
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
