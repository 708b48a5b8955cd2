#!/usr/bin/python3
"""Figures of archives of the experiments `alternating` and `alternating3`.

Fronts (default): one panel per problem, SA2GD beside the weighted sum, each merged over weights and
seeds to its nondominated set, with the analytic front; prints how near each comes to it.
Rates (--rates): the mean gap over seeds against the iteration, its bound, and the slope of a
log-log fit with a 95 % band from resampling the seeds.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable

import matplotlib

matplotlib.use("Agg")  # no screen needed
import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Task
from pareto import hypervolume, nondominated

# Okabe & Ito (2008): told apart with every common kind of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "os^Dv<>"
MOST_PANELS = 24
RESAMPLES = 1000
# Options that give the point of the weight grid or the seed: what a front is merged over.
MERGED = {"seed", "sa2gd.n_a", "sa2gd.lattice", "sa2gd.weights", "weighted_sum.n_a",
          "weighted_sum.lattice", "weighted_sum.weights"}


def analytic_front(problem: str, count: int = 4001) -> np.ndarray | None:
    """Points (n, 2) of the Pareto front, as in src/solvers/alternating; None: not known here."""
    t = np.linspace(0.0, 1.0, count)
    w = 1 + t * (1 - t)
    curves: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
        "sp1": lambda: sp1(1 + 2 * t / w, 3 - 2 * (1 - t) / w),
        "ff1": lambda: (1 - np.exp(-8 * t**2), 1 - np.exp(-8 * (1 - t)**2)),
        "jos1": lambda: (t**2, (t - 2)**2),
        "jos2": lambda: (t, 1 - t**0.25 - t**4),
        "zdt1": lambda: (t, 1 - np.sqrt(t)),
        "zdt2": lambda: (t, 1 - t**2),
        "zdt3": lambda: (t, 1 - np.sqrt(t) - t * np.sin(10 * np.pi * t)),
        "mop1": lambda: (4 * t**2, (2 * t - 2)**2),
        "deb41": lambda: (0.1 + 0.9 * t, deb41_least() / (0.1 + 0.9 * t)),
        "im1": lambda: (2 + 2 * t, 5 - (1 + t)**2),
    }
    if problem not in curves:
        return None
    return nondominated(np.column_stack(curves[problem]()))


def sp1(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (x - 1)**2 + (x - y)**2, (y - 3)**2 + (x - y)**2


def deb41_least() -> float:
    x = np.linspace(0.199, 0.203, 400001)
    return float(np.min(2 - np.exp(-((x - 0.2) / 0.004)**2) - 0.8 * np.exp(-((x - 0.6) / 0.4)**2)))


def nearest(points: np.ndarray, to: np.ndarray) -> np.ndarray:
    """For each point its distance to the nearest row of `to`; in blocks, to bound the memory."""
    blocks = np.array_split(points, max(1, len(points) // 500))
    return np.concatenate([
        np.sqrt(np.min(np.sum((block[:, None, :] - to[None, :, :])**2, axis=2), axis=1))
        for block in blocks])


def quality(front: np.ndarray, analytic: np.ndarray, reference: np.ndarray) -> dict[str, float]:
    """Definitions as in src/pareto/indicators.hpp."""
    shift = np.max(front[:, None, :] - analytic[None, ::8, :], axis=2)
    return {"gd": float(nearest(front, analytic).mean()),
            "igd": float(nearest(analytic, front).mean()),
            "epsilon": float(np.max(np.min(shift, axis=0))),
            "hv ratio": hypervolume(front, reference) / hypervolume(analytic, reference)}


def curve_of(task: Task) -> tuple:
    """The method and its options, without the ones that a front is merged over."""
    own = tuple((axis, value) for axis, value in task.axes.items()
                if axis not in MERGED and axis.startswith(task.method + "."))
    return (task.method, *own)


def panel_of(archive: Archive, task: Task) -> tuple:
    shared = tuple((axis, value) for axis, value in task.axes.items()
                   if axis not in MERGED and not axis.startswith(task.method + ".")
                   and axis != "alternating.problem")
    return (archive.value(task, "alternating.problem"), *shared)


def label_of(curve: tuple) -> str:
    return ", ".join([curve[0]] + [f"{axis.split('.')[-1]} = {value}" for axis, value in curve[1:]])


def title_of(archive: Archive, panel: tuple) -> str:
    problem, *shared = panel
    if problem == "data":
        problem = dict(shared).get("data.data", archive.config.get("data.data", "data"))
    return ", ".join([problem] + [f"{axis.split('.')[-1]} = {value}" for axis, value in shared
                                  if axis != "data.data"])


def grid_of(panels: int, columns: int = 3) -> tuple[plt.Figure, list[plt.Axes]]:
    columns = 2 if panels == 4 else min(panels, columns)
    rows = math.ceil(panels / columns)
    plt.rcParams.update({"font.size": 9, "axes.labelsize": 9})
    figure, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(max(5.0, 4.0 * columns), max(3.8, 3.6 * rows)))
    for axes in grid.flat[panels:]:
        axes.remove()
    return figure, list(grid.flat[:panels])


def limit_panels(panels: Iterable) -> None:
    if len(list(panels)) > MOST_PANELS:
        raise ArchiveError(f"more than {MOST_PANELS} panels are too many for one figure")


# Fronts

def plot_fronts(archive: Archive, target: str) -> list[str]:
    """Writes the figure and returns one line per merged front."""
    panels: dict[tuple, dict[tuple, list]] = {}
    for front in archive.fronts():
        curves = panels.setdefault(panel_of(archive, front.task), {})
        curves.setdefault(curve_of(front.task), []).append(front)
    if not panels:
        raise ArchiveError(f"{archive.path}: none of the tasks has a front")
    limit_panels(panels)
    lines = []
    figure, grid = grid_of(len(panels))
    for axes, (panel, curves) in zip(grid, panels.items()):
        three = len(next(iter(curves.values()))[0].objectives) == 3
        analytic = None if three else analytic_front(panel[0])
        if analytic is not None:
            jumps = np.abs(np.diff(analytic, axis=0)).max(axis=1) > 0.02 * np.ptp(analytic)
            axes.plot(*np.insert(analytic, np.flatnonzero(jumps) + 1, np.nan, axis=0).T,
                      color="0.6", linewidth=3, label="analytic front", zorder=1)
        for k, (curve, fronts) in enumerate(curves.items()):
            points = np.vstack([front.points for front in fronts])
            merged = nondominated(points)
            colour = COLOURS[k % len(COLOURS)]
            axes.scatter(points[:, 0], points[:, 1], s=4, color=colour, alpha=0.25, linewidths=0)
            # Dots over larger open markers: both methods stay visible where they agree.
            axes.scatter(merged[:, 0], merged[:, 1], s=24 if k else 5,
                         marker=MARKERS[k % len(MARKERS)], facecolors="none" if k else colour,
                         edgecolors=colour, linewidths=0.7 if k else 0.0, zorder=9 - k,
                         label=f"{label_of(curve)}: {len(merged)} of {len(points)} points")
            line = f"{title_of(archive, panel)}: {label_of(curve)}: {len(merged)} points"
            if analytic is not None:
                measures = quality(merged, analytic, fronts[0].reference)
                line += "".join(f", {name} {value:.3g}" for name, value in measures.items())
            lines.append(line)
        frame_on_fronts(axes, analytic, curves)
        axes.set_title(title_of(archive, panel), fontsize=9)
        axes.set_xlabel("f1")
        axes.set_ylabel("f2" + (" (f3 not shown)" if three else ""))
        axes.grid(color="0.9", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    figure.savefig(target, dpi=200)
    plt.close(figure)
    return lines


def frame_on_fronts(axes: plt.Axes, analytic: np.ndarray | None, curves: dict[tuple, list]) -> None:
    """Stray runs may lie far away: the axes show the fronts, with a margin."""
    parts = [nondominated(np.vstack([front.points for front in fronts]))[:, :2]
             for fronts in curves.values()]
    shown = np.vstack(parts + ([analytic] if analytic is not None else []))
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = 0.06 * np.maximum(high - low, 1e-12)
    axes.set_xlim(low[0] - margin[0], high[0] + margin[0])
    axes.set_ylim(low[1] - margin[1], high[1] + margin[1])


# Rates

def fit_slope(steps: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the least-squares line through (log t, log value)."""
    slope, intercept = np.polyfit(np.log(steps), np.log(values), 1)
    return float(slope), float(intercept)


def slope_band(steps: np.ndarray, runs: np.ndarray, generator: np.random.Generator
               ) -> tuple[float, float, float]:
    """Slope of the mean over seeds, and the 95 % interval from resampling the seeds.

    @param runs  shape (seeds, steps), gaps; means over seeds must be positive.
    """
    slope, _ = fit_slope(steps, runs.mean(axis=0))
    draws = generator.integers(len(runs), size=(RESAMPLES, len(runs)))
    slopes = [fit_slope(steps, runs[draw].mean(axis=0))[0] for draw in draws]
    low, high = np.percentile(slopes, [2.5, 97.5])
    return slope, float(low), float(high)


def band(runs: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    draws = generator.integers(len(runs), size=(RESAMPLES, len(runs)))
    low, high = np.percentile(runs[draws].mean(axis=1), [2.5, 97.5], axis=0)
    return low, high


def curves_of_series(archive: Archive, name: str) -> dict[tuple, dict[tuple, list]]:
    """Trajectories by panel, then by curve (weight and options), one per seed."""
    panels: dict[tuple, dict[tuple, list]] = {}
    for task in archive.tasks:
        steps, values = archive.series(name, task.index)
        if len(steps) == 0:
            continue
        curve = (task.method, *((axis, value) for axis, value in task.axes.items()
                                if axis.startswith(task.method + ".")))
        panels.setdefault(panel_of(archive, task), {}).setdefault(curve, []).append(
            (steps, values, task.index))
    return panels


def plot_rates(archives: list[Archive], target: str, series: str, from_share: float) -> list[str]:
    """One panel per archive and problem; returns one line per curve."""
    content = [(archive, panel, curves) for archive in archives
               for panel, curves in curves_of_series(archive, series).items()]
    if not content:
        raise ArchiveError(f"no task has a series '{series}': is trace_points 0?")
    limit_panels(content)
    generator = np.random.default_rng(1)
    lines = []
    figure, grid = grid_of(len(content), 2)
    for axes, (archive, panel, curves) in zip(grid, content):
        for k, (curve, runs) in enumerate(curves.items()):
            steps = runs[0][0].astype(float)
            values = np.vstack([run[1] for run in runs])
            mean = values.mean(axis=0)
            shown = mean > 0
            colour = COLOURS[k % len(COLOURS)]
            fitted = steps >= steps[-1] ** from_share
            name = label_of(curve)
            slope = "no slope: the gap reaches 0"
            if np.all(values[:, fitted] > 0):  # else a resampled mean may have no logarithm
                slope = "slope {:.3f} [{:.3f}, {:.3f}]".format(
                    *slope_band(steps[fitted], values[:, fitted], generator))
            axes.plot(steps[shown], mean[shown], color=colour, linewidth=1.1,
                      label=f"{name}: {slope}")
            axes.fill_between(steps[shown], *(edge[shown] for edge in band(values, generator)),
                              color=colour, alpha=0.2, linewidth=0)
            bound_steps, bound = archive.series("bound", runs[0][2])
            line = f"{title_of(archive, panel)}: {name}: {slope}, {len(runs)} seeds"
            if len(bound) == len(steps):
                axes.plot(bound_steps, bound, color=colour, linestyle=":", linewidth=1,
                          label="bound" if k == 0 else None)
                holds = "holds" if np.all(np.minimum.accumulate(mean) <= bound) else "BROKEN"
                line += f", bound {holds}, at T {mean.min() / bound[-1]:.2g} of it"
            lines.append(line)
        axes.set(xscale="log", yscale="log", xlabel="iteration t", ylabel="mean gap of S")
        axes.set_title(title_of(archive, panel) + f" ({series})", fontsize=9)
        axes.grid(color="0.9", linewidth=0.6)
        axes.legend(fontsize=6, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    figure.savefig(target, dpi=200)
    plt.close(figure)
    return lines


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", metavar="archive",
                        help="written by `fairfront run`; several with --rates only")
    parser.add_argument("-o", "--output", default="alternating.png",
                        help="image to write; the suffix chooses png, pdf or svg (%(default)s)")
    parser.add_argument("--rates", action="store_true", help="draw gaps instead of fronts")
    parser.add_argument("--series", default="gap", choices=("gap", "gap_average"),
                        help="with --rates: of the iterates, or of their average (%(default)s)")
    parser.add_argument("--from-share", type=float, default=0.6, metavar="P",
                        help="fit the slope over t >= T^P (%(default)s)")
    options = parser.parse_args(arguments)
    archives: list[Archive] = []
    try:
        if len(options.archives) > 1 and not options.rates:
            raise ArchiveError("fronts are drawn of one archive at a time")
        for path in options.archives:
            archives.append(Archive(path))
        lines = (plot_rates(archives, options.output, options.series, options.from_share)
                 if options.rates else plot_fronts(archives[0], options.output))
    except (ArchiveError, OSError, ValueError) as error:  # ValueError: no such image format
        print(f"plot_alternating.py: {error}", file=sys.stderr)
        return 2
    finally:
        for archive in archives:
            archive.close()
    print("\n".join([*lines, options.output]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
