#!/usr/bin/python3
"""Prints what each nondominated solution of a method has cost, as Table 1 of Liu and Vicente (2021).

Seconds are the wall clock of the tasks: run on one rank to have CPU seconds. Solutions are counted
strictly: dominated and equal points of the tasks that make one front (all weights, one seed) do not
count.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from fairfront_archive import Archive, ArchiveError
from pareto import nondominated
from plot_front import is_problem, is_seed


def rows_of(archive: Archive) -> list[list[str]]:
    """One row per problem and method: seeds, mean points, mean seconds, seconds per point."""
    seconds = archive.seconds()
    runs: dict[tuple, dict[tuple, tuple[list[np.ndarray], float]]] = {}
    for front in archive.fronts():
        axes = front.task.axes
        problem = tuple(f"{axis.split('.')[-1]} {axes[axis]}" for axis in archive.axes
                        if axis in axes and is_problem(axis))
        seed = tuple(axes[axis] for axis in axes if is_seed(axis))
        found = runs.setdefault((problem, front.task.method), {})
        points, spent = found.get(seed, ([], 0.0))
        signs = np.array([objective.sign for objective in front.objectives])
        found[seed] = (points + [signs * front.points], spent + seconds[front.task.index])
    table = []
    for (problem, method), seeds in runs.items():
        counts = [len(nondominated(np.vstack(points))) for points, _ in seeds.values()]
        spent = [total for _, total in seeds.values()]
        table.append([", ".join(problem) or "-", method, str(len(seeds)),
                      f"{np.mean(counts):.1f}", f"{np.mean(spent):.3g}",
                      f"{np.sum(spent) / np.sum(counts):.3g}"])
    return table


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", nargs="+", help="files written by `fairfront run`")
    options = parser.parse_args(arguments)
    table = [["problem", "method", "seeds", "solutions", "seconds", "seconds per solution"]]
    try:
        for path in options.archive:
            with Archive(path) as archive:
                table += rows_of(archive)
    except (ArchiveError, OSError) as error:
        print(f"table_cost.py: {error}", file=sys.stderr)
        return 2
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
