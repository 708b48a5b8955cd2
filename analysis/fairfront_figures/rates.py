"""Rates: means over replicates on logarithmic axes, their slopes, and what the theory says of them: its
bounds, or where these are not known the slopes of its rates."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, Quantity, Task
from fairfront_figures.arrange import (NothingToDraw, done, limit_panels, panel_text, panels_of,
                                       row_text)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look
from fairfront_figures.trajectories import chosen_series, lines_of, samples_of

RESAMPLES = 1000
BOUND = "bound"  # the series that no mean may exceed
GRADIENTS = Quantity("gradients", "", "", "none", "")  # the metric of that name counts a whole run's
RATES = {"strongly_convex": (-1.0, "t⁻¹"), "convex": (-0.5, "t^(-1/2)")}  # by a method's step_rule


def fit_slope(steps: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the least-squares line through (log t, log value)."""
    slope, intercept = np.polyfit(np.log(steps), np.log(values), 1)
    return float(slope), float(intercept)


def slope_band(steps: np.ndarray, runs: np.ndarray, generator: np.random.Generator
               ) -> tuple[float, float, float]:
    """Slope of the mean over replicates, and the 95 % interval from resampling them.

    @param runs  shape (replicates, steps), positive.
    """
    slope, _ = fit_slope(steps, runs.mean(axis=0))
    draws = generator.integers(len(runs), size=(RESAMPLES, len(runs)))
    means = np.log(runs[draws].mean(axis=1))
    at = np.log(steps) - np.log(steps).mean()
    low, high = np.percentile(means @ at / (at @ at), [2.5, 97.5])
    return slope, float(low), float(high)


def mean_band(runs: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of the mean at every step, from resampling the replicates."""
    draws = generator.integers(len(runs), size=(RESAMPLES, len(runs)))
    low, high = np.percentile(runs[draws].mean(axis=1), [2.5, 97.5], axis=0)
    return low, high


def slope_text(steps: np.ndarray, runs: np.ndarray, options: Options,
               generator: np.random.Generator) -> str:
    fitted = steps >= steps[-1]**options.fit_from
    if fitted.sum() < 2 or not np.all(runs[:, fitted] > 0):
        return "no slope: it reaches 0"  # a resampled mean may have no logarithm
    slope, low, high = slope_band(steps[fitted], runs[:, fitted], generator)
    return f"slope {slope:.2f}" + (f" [{low:.2f}, {high:.2f}]" if len(runs) > 1 else "")


def gradients_per_step(archive: Archive, task: Task, name: str) -> float:
    """Of a run with the series; NaN where the archive does not count gradients."""
    counts = archive.metrics().get(GRADIENTS.name)
    steps, _ = archive.series(name, task.index)
    return float(counts[task.index]) / float(steps[-1]) if counts is not None and len(steps) else np.nan


def draw_theory(axes: plt.Axes, archive: Archive, content: list[tuple[Task, np.ndarray, np.ndarray]]
                ) -> None:
    """The slopes of the theory's rates for lines without a bound, each from where the highest of its
    means begins.

    @param content  of each line one of its tasks, its steps and its mean.
    """
    begins: dict[str, tuple[float, np.ndarray]] = {}
    for task, steps, mean in content:
        rule = archive.value(task, f"{task.method}.step_rule") or ""
        bounded = BOUND in archive.series_names() and len(archive.series(BOUND, task.index)[0])
        if rule not in RATES or bounded or not mean[0] > begins.get(rule, (0.0, steps))[0]:
            continue
        begins[rule] = float(mean[0]), steps
    for rule, (begin, steps) in begins.items():
        exponent, text = RATES[rule]
        axes.plot(steps, begin * (steps / steps[0])**exponent, color="0.5", linestyle="--",
                  linewidth=0.9, label=f"rate of the theory, {text}", zorder=1.5)


def draw_line(axes: plt.Axes, archive: Archive, name: str, label: str, tasks: list[Task],
              index: int, options: Options, generator: np.random.Generator,
              against_gradients: bool) -> tuple[Task, np.ndarray, np.ndarray] | None:
    """Draws one mean and its bound. @return  a task, the places and the mean; None where no task has
    the series, or its gradients are to be shown and not known."""
    steps, runs = samples_of(archive, name, tasks, False)
    kept = steps > 0
    factor = gradients_per_step(archive, tasks[0], name) if against_gradients else 1.0
    if not kept.any() or not np.isfinite(factor):
        return None
    steps, runs = factor * steps[kept].astype(float), runs[:, kept]
    mean = runs.mean(axis=0)
    shown = mean > 0
    style = look(index)
    style.pop("marker")
    axes.plot(steps[shown], mean[shown],
              label=f"{as_it_is(label)}: {slope_text(steps, runs, options, generator)}", **style)
    if len(runs) > 1:
        low, high = mean_band(runs, generator)
        axes.fill_between(steps[shown], np.maximum(low[shown], np.min(mean[shown]) / 10),
                          high[shown], color=style["color"], alpha=0.18, linewidth=0)
    if BOUND in archive.series_names() and name != BOUND:
        at, bound = archive.series(BOUND, tasks[0].index)
        axes.plot(factor * at, bound, color=style["color"], linestyle=":", linewidth=0.9)
    return tasks[0], steps[shown], mean[shown]


def falls(steps: np.ndarray, runs: np.ndarray) -> bool:
    """The mean stays above zero and ends at a tenth of where it began, or below."""
    mean = runs.mean(axis=0)
    return len(steps) > 2 and mean.min() >= 0 and mean[-1] <= 0.1 * mean[0]


def draw_rates_in_gradients(archive: Archive, options: Options) -> Sheet:
    """The same along the gradients of single objectives that were drawn: a step of one method may draw
    as many as many steps of another."""
    if GRADIENTS.name not in archive.metric_names():
        raise NothingToDraw(f"{archive.path}: does not count gradients")
    return draw_rates(archive, options, against_gradients=True)


def draw_rates(archive: Archive, options: Options, against_gradients: bool = False) -> Sheet:
    """One panel per problem and series: those that are asked for, or all that are to be minimised
    and fall towards zero."""
    generator = np.random.default_rng(1)
    names = [name for name in chosen_series(archive, options)
             if options.series or archive.quantity("series", name).direction == "minimise"]
    content = []
    for problem, curves in panels_of(archive, done(archive)).items():
        for name in names:
            samples = {line: samples_of(archive, name, tasks, False)
                       for line, tasks in lines_of(archive, curves).items()}
            samples = {line: found for line, found in samples.items() if len(found[0])}
            if samples and (options.series or any(falls(*found) for found in samples.values())):
                content.append((problem, name, curves, list(samples)))
    if not content:
        raise NothingToDraw(f"{archive.path}: no series is minimised and falls towards zero")
    limit_panels(archive, len(content))
    labels = list(dict.fromkeys(line for *_, lines in content for line in lines))
    page = sheet(len(content), options, columns=2)
    for axes, (problem, name, curves, lines) in zip(page.panels, content):
        what = archive.quantity("series", name)
        tasks = lines_of(archive, curves)
        drawn = [draw_line(axes, archive, name, row_text(line), tasks[line], labels.index(line),
                           options, generator, against_gradients) for line in lines]
        draw_theory(axes, archive, [line for line in drawn if line is not None])
        axes.set(xscale="log", yscale="log")
        page.title(axes, panel_text(archive, problem))
        along = GRADIENTS if against_gradients else Quantity(what.step_name or "step", "", "", "none", "")
        page.label(axes, "x", along, whole=True)
        page.label(axes, "y", Quantity(f"mean {what.name}", "", what.unit, what.direction, ""))
    page.legends(f"Slopes over t ≥ T^{options.fit_from:g}; intervals (95 %) from resampled "
                 "replicates; dotted: the bound; grey: a rate alone.")
    return page
