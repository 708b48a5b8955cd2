#!/usr/bin/python3
"""Prints the numbers that papers have printed beside those of archives, and where they differ and why.

Three tables have numbers that can be compared: Table 1 of Liu and Vicente (2021), Table 1 of Chzhen,
Hebiri and Taturyan (2024), Table 3 of Kliachkin, Lepsova, Bareilles and Marecek (2025). Rows are found
by the names of data sets and methods. A number is the "same" where the means of both lie within two of
their standard errors; where only single runs scatter as widely as the means differ, that is said.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Callable, Iterator

import numpy as np

import fairfront_archive
from fairfront_archive import Archive, ArchiveError, Task
from fairfront_figures.arrange import Items, done, items_of, split
from fairfront_figures.fronts import runs_of

# Means count as the same within this many standard errors, theirs and ours together.
STANDARD_ERRORS = 2.0
# Printed numbers, means and deviations, have three digits after the point.
ROUNDING = 0.0005
# Times of other machines and programs are the same within this factor.
FACTOR = 2.0


@dataclasses.dataclass(frozen=True)
class Cell:
    """One printed number."""

    row: str
    column: str
    mean: float
    deviation: float  # NaN: none is printed


@dataclasses.dataclass(frozen=True)
class Table:
    name: str
    experiment: str
    unit: str
    time: bool  # seconds of another machine
    runs: int  # of theirs, of which means and deviations are printed
    why: str  # known differences of protocol
    cells: tuple[Cell, ...]
    # Our samples, one per replicate, by row and column.
    samples: Callable[[Archive], Iterator[tuple[str, str, list[float]]]]


def clustering_samples(archive: Archive) -> Iterator[tuple[str, str, list[float]]]:
    """Seconds of a front by its strictly nondominated points, one sample per replicate."""
    columns = {"safairkm_front": "SAfairKM", "vfairkm": "VfairKM"}
    fronts = {front.task.index: front for front in archive.fronts()}
    seconds = archive.seconds()
    for tasks in split(archive, done(archive), "problem").values():
        for method in columns:
            mine = [task for task in tasks if task.method == method]
            if not mine:
                continue
            data, clusters = (archive.value(mine[0], option) for option in
                              ("data.data", "clustering.clusters"))
            found = []
            for own in split(archive, mine, "replicate").values():
                found += [sum(seconds[task.index] for task in own) / len(run.merged.points)
                          for run in runs_of(archive, own, fronts)]
            yield f"{data}, K = {clusters}", columns[method], found


BASE_FITS = "base_fits"  # series of [base_model]: after the last fit, the seconds of both


WITHOUT_FITS = "DP-postproc, base fits apart"


def fit_seconds(archive: Archive) -> dict[Items, float]:
    """CPU seconds that the fits of the base models took, by problem and split."""
    if BASE_FITS not in archive.series_names():
        return {}
    found = {}
    for task in done(archive):
        along = archive.series_seconds(BASE_FITS, task.index)
        if len(along):
            found[items_of(archive, task, "problem", "replicate")] = float(along[-1])
    return found


def regression_samples(archive: Archive) -> Iterator[tuple[str, str, list[float]]]:
    """Seconds of a task, one sample per slack and split; of post-processing with the fits of its base
    models, as printed, where [base_model] stands beside it, and without. [adw] has none."""
    seconds = archive.seconds()
    fits = fit_seconds(archive)

    def column(task: Task) -> str | None:
        if task.method == "dp_postprocessing":
            return WITHOUT_FITS
        if task.method != "adw":
            return None
        learns = archive.value(task, "adw.learn_from")
        return {"train_and_unlabelled": "ADW-1", "train": "ADW-2"}.get(learns)

    found: dict[tuple[str, str], list[float]] = {}
    for task in done(archive):
        name = column(task)
        if name is not None:
            row = (archive.value(task, "data.data") or "").removesuffix("_csv")
            found.setdefault((row, name), []).append(float(seconds[task.index]))
            own = fits.get(items_of(archive, task, "problem", "replicate"))
            if name == WITHOUT_FITS and own is not None:
                found.setdefault((row, "DP-postproc"), []).append(float(seconds[task.index]) + own)
    for (row, name), values in found.items():
        yield row, name, values


TRAINING_METHODS = {"sgd": "SGD", "stochastic_ghost": "StGh", "alm": "ALM", "ssl_alm": "SSL-ALM",
                    "switching_subgradient": "SSw", "fairret": "SGD-Fairret"}
TRAINING_MEASURES = {"independence_gap": "Ind", "separation_sum": "Sp", "error": "Ina",
                     "sufficiency_sum": "Sf",
                     "wasserstein_2_squared_binned": "Wd"}  # what their program prints as a distance


def training_samples(archive: Archive) -> Iterator[tuple[str, str, list[float]]]:
    measures = archive.measures()
    for method, row in TRAINING_METHODS.items():
        rows = [task.index for task in done(archive) if task.method == method]
        for part in ("train", "test"):
            for name, column in TRAINING_MEASURES.items():
                if rows and name in measures and measures[name].has(part):
                    yield row, f"{column} {part}", measures[name].of(part)[rows, 0].tolist()


def cells_of(columns: list[str], rows: dict[str, list[float]],
             deviations: dict[str, list[float]] | None = None) -> tuple[Cell, ...]:
    return tuple(Cell(row, column, value, deviations[row][i] if deviations else math.nan)
                 for row, values in rows.items()
                 for i, (column, value) in enumerate(zip(columns, values)))


TABLES = (
    Table("Liu, Vicente (2021), Table 1: seconds per nondominated solution", "clustering", "s", True, 10,
          "theirs is the wall clock of 16 processes of a Python program on a laptop, which the paper "
          "calls CPU time, and counts entries of a list that keeps dominated points; ours is a "
          "compiled program and counts strictly nondominated clusterings",
          cells_of(["SAfairKM", "VfairKM"], {
              "syn_equal_ds1, K = 2": [0.80, 1.06], "syn_unequal_ds1, K = 2": [0.81, 0.98],
              "syn_equal_ds2, K = 2": [0.70, 1.29], "syn_unequal_ds2, K = 2": [0.80, 0.10],
              "adult, K = 10": [18.52, 40.43], "bank, K = 10": [59.12, 76.29],
              "adult, K = 5": [14.88, 15.08], "bank, K = 5": [11.97, 50.31]}),
          clustering_samples),
    Table("Chzhen, Hebiri, Taturyan (2024), Table 1: seconds of training per threshold",
          "regression", "s", True, 10,
          "theirs of DP-postproc includes the fits of the base models, and so does ours in that "
          "column, although they are done once per split here; the time without them is not "
          "comparable. ADW needs no base models. On ranks other than 0 the first task of a split reads "
          "and fits within its own seconds. Theirs are of Python programs: the public ADW spends more "
          "than 95 % of its time in a loop over rows of a pandas frame, and takes its test rows from another split",
          cells_of(["DP-postproc", "ADW-1", "ADW-2"], {
              "communities": [5.89, 378.39, 199.05], "law_school": [0.78, 240.53, 136.3],
              "adult": [3.7, 174.57, 96.78]}, {
              "communities": [0.47, 263.77, 161.18], "law_school": [0.08, 178.68, 96.73],
              "adult": [0.34, 91.7, 61.35]}),
          regression_samples),
    Table("Kliachkin, Lepsova, Bareilles, Marecek (2025), Table 3: fairness and inaccuracy",
          "training", "share", False, 10,
          "theirs ran for 30 s of wall clock each, ours for a number of evaluations; their program "
          "repeats the same batches of constraints, of which it sees a part of the rows alone, and "
          "leaves the initial weights unseeded",
          cells_of([f"{column} {part}" for part in ("train", "test")
                    for column in ("Ind", "Sp", "Ina", "Sf", "Wd")], {
              "SGD": [0.094, 0.132, 0.201, 0.115, 0.008,
                      0.097, 0.176, 0.215, 0.171, 0.008],
              "StGh": [0.048, 0.049, 0.273, 0.200, 0.002,
                       0.049, 0.096, 0.276, 0.211, 0.003],
              "ALM": [0.058, 0.061, 0.240, 0.197, 0.003,
                      0.058, 0.114, 0.244, 0.221, 0.003],
              "SSL-ALM": [0.066, 0.071, 0.233, 0.186, 0.003,
                          0.066, 0.117, 0.240, 0.215, 0.004],
              "SSw": [0.077, 0.115, 0.224, 0.133, 0.001,
                      0.080, 0.144, 0.229, 0.175, 0.002],
              "SGD-Fairret": [0.091, 0.121, 0.201, 0.106, 0.005,
                              0.094, 0.174, 0.213, 0.180, 0.006]}, {
              "SGD": [0.004, 0.007, 0.001, 0.006, 0.000,
                      0.006, 0.016, 0.002, 0.009, 0.000],
              "StGh": [0.026, 0.028, 0.024, 0.038, 0.001,
                       0.029, 0.039, 0.022, 0.033, 0.002],
              "ALM": [0.007, 0.016, 0.012, 0.011, 0.000,
                      0.012, 0.014, 0.007, 0.017, 0.001],
              "SSL-ALM": [0.009, 0.015, 0.017, 0.013, 0.001,
                          0.011, 0.023, 0.012, 0.022, 0.001],
              "SSw": [0.029, 0.029, 0.017, 0.015, 0.001,
                      0.029, 0.050, 0.013, 0.031, 0.001],
              "SGD-Fairret": [0.012, 0.017, 0.002, 0.010, 0.001,
                              0.010, 0.019, 0.002, 0.022, 0.001]}),
          training_samples),
)


def verdict(table: Table, cell: Cell, mean: float, deviation: float, runs: int) -> str:
    """"same", or how ours of so many runs differs: by a factor for times, else by the difference."""
    if table.time:
        factor = cell.mean / mean if mean > 0 else math.inf
        if 1 / FACTOR <= factor <= FACTOR:
            return "same within a factor of 2"
        return f"{factor:.3g} times faster" if factor > 1 else f"{1 / factor:.3g} times slower"
    spreads = [(value, number) for value, number in ((cell.deviation + ROUNDING, table.runs), (deviation, runs))
               if math.isfinite(value)]
    off = abs(mean - cell.mean) - ROUNDING
    if off <= STANDARD_ERRORS * math.hypot(*(value / math.sqrt(number) for value, number in spreads)):
        return "same"
    differs = f"differs by {mean - cell.mean:+.3f}"
    scatter = STANDARD_ERRORS * math.hypot(*(value for value, _ in spreads))
    return f"{differs}, less than single runs scatter" if off <= scatter else differs


def number(mean: float, deviation: float) -> str:
    return f"{mean:.3g}" + (f" ± {deviation:.2g}" if math.isfinite(deviation) else "")


def quartiles(values: list[float]) -> str:
    """Where several runs are: their median between their quartiles."""
    if len(values) < 3:
        return ""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"median {median:.3g} ({low:.3g} to {high:.3g}) "


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    return (float(np.mean(values)),
            float(np.std(values, ddof=1)) if len(values) > 1 else math.nan)


def compare(table: Table, archives: list[Archive]) -> list[str]:
    """Lines for those printed numbers that the archives have, and for which they have not. Of several
    archives that have a number the last one counts."""
    ours: dict[tuple[str, str], list[float]] = {}
    for archive in archives:
        if archive.experiment == table.experiment:
            for row, column, values in table.samples(archive):
                ours[row, column] = values or ours.get((row, column), [])
    shown = [(cell, ours[cell.row, cell.column]) for cell in table.cells
             if ours.get((cell.row, cell.column))]
    lines = [table.name]
    differs = False
    for cell, values in shown:
        mean, deviation = mean_and_deviation(values)
        said = verdict(table, cell, mean, deviation, len(values))
        differs = differs or not said.startswith("same")
        lines.append(f"  {cell.row:<24} {cell.column:<12} printed "
                     f"{number(cell.mean, cell.deviation):<14} ours {number(mean, deviation):<18} "
                     f"of {len(values):<4} {quartiles(values)}{said}")
    printed = {(cell.row, cell.column) for cell in table.cells}
    rows = {cell.row for cell in table.cells}
    for (row, column), values in ours.items():
        if values and row in rows and (row, column) not in printed:
            mean, deviation = mean_and_deviation(values)
            lines.append(f"  {row:<24} {column}: not printed, ours {number(mean, deviation)} of "
                         f"{len(values)}")
    missing = len(table.cells) - len(shown)
    if missing:
        lines.append(f"  not here: {missing} of {len(table.cells)} printed numbers, as no archive "
                     "has them")
    if differs:
        lines.append(f"  why: {table.why}.")
    return lines


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="This text is printed.")
    parser.add_argument("archives", nargs="+", metavar="ARCHIVE", help="These archives are compared with the papers' numbers.")
    options = parser.parse_args(arguments)
    archives: list[Archive] = []
    try:
        for path in options.archives:
            archives.append(fairfront_archive.open(path))
        experiments = {archive.experiment for archive in archives}
        for table in TABLES:
            if table.experiment in experiments:
                print("\n".join([*compare(table, archives), ""]))
        for name in sorted(experiments - {table.experiment for table in TABLES}):
            print(f"No paper prints numbers of experiment '{name}' in a table: compare the figures.")
        for archive in archives:
            if archive.partial:
                print(f"PARTIAL: {archive.path}: {archive.progress()}")
    except (ArchiveError, OSError) as error:
        print(f"published.py: {error}", file=sys.stderr)
        return 2
    finally:
        for archive in archives:
            archive.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
