"""Fronts: what each method attains, over its replicates, and the same points on the reported part."""

from __future__ import annotations

import math
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize

from fairfront_archive import Archive, ArchiveError, Front, Objective, Task
from fairfront_archive import attainment, hypervolume, nondominated
from fairfront_figures import known_fronts, other_axes, proven_region, view
from fairfront_figures.arrange import (Curve, Items, NothingToDraw, counted, curve_text, curves_of,
                                       by_parts, panel_text, panels_of, split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look

LEVELS = 12  # bounds at which reported points are read off
MOST_SUMMARIES = 6  # curves of all panels: of more of them, the table alone has sizes and volumes
MOST_BANDS = 4  # curves of a panel: of more of them, bands on bands hide the lines
MOST_ARROWS = 5  # to points of a curve beyond its panel
HALO = 1.2  # points by which a line is wider than the one above it
MANY_POINTS = 60  # of a front: markers would hide it


def worst_reference(fronts: list[Front]) -> np.ndarray:
    """Of every objective the worst of the tasks' reference points, minimised: the one point from which the archive
    (/merged), `show`, figures and tables measure all replicates of a curve."""
    return np.max([signs_of(front.objectives) * front.reference for front in fronts], axis=0)


def merge(fronts: list[Front], reference: np.ndarray | None = None) -> Front:
    """What tasks of one problem and replicate have found together; solutions are dropped.

    @param reference  of the hypervolume, minimised; None: the worst of these tasks."""
    first = fronts[0]
    signs = signs_of(first.objectives)
    points = nondominated(signs * np.vstack([front.points for front in fronts]))
    reference = worst_reference(fronts) if reference is None else reference
    if len(fronts) == 1 and np.array_equal(reference, signs * first.reference, equal_nan=True):
        volume = first.hypervolume
    else:
        volume = hypervolume(points, reference) if len(signs) == 2 and np.isfinite(reference).all() else math.nan
    return Front(first.task, first.objectives, signs * points, np.full(len(points), -1),
                 signs * reference, volume)


def signs_of(objectives: list[Objective]) -> np.ndarray:
    return np.array([objective.sign for objective in objectives])


class Run:
    """The tasks of one curve and one replicate: together they trace one front."""

    def __init__(self, fronts: list[Front], reference: np.ndarray | None = None) -> None:
        """@param reference  of hypervolumes, minimised: that of all replicates; None: of these fronts."""
        self.fronts = fronts
        self.reference = worst_reference(fronts) if reference is None else reference
        self.merged = merge(fronts, self.reference)

    @property
    def minimised(self) -> np.ndarray:
        """The merged points, every objective minimised."""
        return signs_of(self.merged.objectives) * self.merged.points

    def reported_hypervolume(self) -> float:
        """Of the points that are nondominated in the part that decides, by what they are in the part
        that is reported; NaN where nothing is reported, or of more than two objectives."""
        signs = signs_of(self.merged.objectives)
        if len(signs) != 2 or any(front.report is None for front in self.fronts):
            return math.nan
        points = np.vstack([signs * front.points for front in self.fronts])
        report = np.vstack([signs * front.report for front in self.fronts])
        kept = (points[:, None] == nondominated(points)[None]).all(axis=2).any(axis=1)
        report = report[kept & np.isfinite(report).all(axis=1)]
        if not len(report):
            return math.nan
        return hypervolume(nondominated(report), self.reference)


def runs_by_replicate(archive: Archive, tasks: list[Task], by_task: dict[int, Front]) -> dict[Items, Run]:
    """One run per replicate that has a front, of the tasks of one curve; all are measured from one reference point."""
    fronts = {replicate: [by_task[task.index] for task in mine if task.index in by_task]
              for replicate, mine in split(archive, tasks, "replicate").items()}
    every = [front for own in fronts.values() for front in own]
    if not every:
        return {}
    return {replicate: Run(own, worst_reference(every)) for replicate, own in fronts.items() if own}


def runs_of(archive: Archive, tasks: list[Task], by_task: dict[int, Front]) -> list[Run]:
    return list(runs_by_replicate(archive, tasks, by_task).values())


def points_text(runs: list[Run]) -> str:
    """"5 points", or those of the replicates with the fewest and the most: "5–9 points"."""
    sizes = [len(run.merged.points) for run in runs]
    return counted(sizes[0], "point") if min(sizes) == max(sizes) else f"{min(sizes)}–{max(sizes)} points"


def summary(runs: list[Run], analytic: np.ndarray | None = None) -> str:
    """Points and hypervolume; mean and standard deviation when there are several replicates. How much
    of the known front is covered, by the worst replicate and the best."""
    volumes = np.array([run.merged.hypervolume for run in runs])
    text = points_text(runs) if len(runs) == 1 else f"{counted(len(runs), 'replicate')}, {points_text(runs)}"
    if np.isfinite(volumes).all():
        text += f", hypervolume {volumes.mean():.4g}"
        text += f"\xa0±\xa0{volumes.std(ddof=1):.2g}" if len(runs) > 1 else ""
    return text if analytic is None else f"{text}, covers {covered(runs, analytic)}\xa0%"


def covered(runs: list[Run], analytic: np.ndarray) -> str:
    """The share of the known front, in per cent, of the worst replicate and the best: "26" or "26–32"."""
    shares = sorted({f"{100 * known_fronts.coverage(run.minimised, analytic):.0f}" for run in runs}, key=float)
    return shares[0] + (f"–{shares[-1]}" if len(shares) > 1 else "")


def coverage_text(curves: dict[Curve, list[Run]], analytic: np.ndarray | None) -> str:
    """For the title of a panel whose legend is that of others, too, a line for each curve; empty where no front is
    known."""
    if analytic is None:
        return ""
    return "\n".join(f"{curve_text(curve)}: {points_text(runs)}, covers {covered(runs, analytic)}\xa0%"
                     for curve, runs in curves.items())


def staircase(corners: np.ndarray, end: float) -> np.ndarray:
    """The boundary of what two minimised objectives attain, from the least first one on, as the
    vertices of a line, shape (2n, 2); it goes on to `end` at the right."""
    right = np.append(corners[1:, 0], max(end, corners[-1, 0]))
    return np.stack([corners, np.column_stack([right, corners[:, 1]])], axis=1).reshape(-1, 2)


def median_of(runs: list[Run]) -> np.ndarray:
    """The median attainment surface over replicates, minimised, as its corners."""
    fronts = [run.minimised for run in runs]
    return attainment(fronts, math.ceil(len(fronts) / 2))


def curves_over(medians: list[np.ndarray]) -> list[int]:
    """Of each curve, how many that are drawn after it have half of its corners, as far as the eye can tell: they would
    hide it. Other curves cross it and leave it in sight."""
    good_part, apart = 0.5, 0.004  # of its corners; of the ranges of all curves
    every = np.vstack(medians)
    span = np.ptp(every, axis=0)
    scaled = [np.rint((median - every.min(axis=0)) / np.where(span > 0, apart * span, 1)) for median in medians]
    corners = [set(map(tuple, median.tolist())) for median in scaled]
    return [sum(len(own & other) >= good_part * len(own) for other in corners[place + 1:])
            for place, own in enumerate(corners)]


def draw_runs(axes: plt.Axes, runs: list[Run], index: int, label: str, worst: np.ndarray,
              bands: bool, above: int = 0) -> None:
    """One curve: its front, or its attainment surfaces over replicates.

    @param worst  shape (2,), minimised: the far corner of the panel, to which surfaces go on.
    @param bands  whether best and worst surface are shown, and the points of every replicate.
    @param above  how many curves run over this one, see curves_over(): its line is wider, so that it is seen at both
        sides of them.
    """
    signs = signs_of(runs[0].merged.objectives)
    style = look(index)
    marker = style.pop("marker")
    if bands and any(len(run.fronts) > 1 for run in runs):
        every = np.vstack([front.points for run in runs for front in run.fronts])
        axes.scatter(every[:, 0], every[:, 1], s=3, color=style["color"], alpha=0.3, linewidths=0)
    fronts = [run.minimised for run in runs]
    median = median_of(runs)
    if bands and len(fronts) > 1:
        best, least = attainment(fronts, 1), attainment(fronts, len(fronts))
        fill_between_surfaces(axes, best, least, signs, worst, style["color"])
    line = signs * staircase(median, worst[0] if len(fronts) > 1 else median[-1, 0])
    axes.plot(line[:, 0], line[:, 1], label=as_it_is(label), zorder=3,
              linewidth=plt.rcParams["lines.linewidth"] + HALO * min(above, MOST_BANDS), **style)
    points = signs * median
    axes.plot(points[:, 0], points[:, 1], linestyle="", marker=marker, color=style["color"],
              markersize=1.8 if len(points) > MANY_POINTS else 3, markeredgewidth=0, zorder=3)


def fill_between_surfaces(axes: plt.Axes, best: np.ndarray, least: np.ndarray, signs: np.ndarray,
                          worst: np.ndarray, colour: str) -> None:
    upper = (np.vstack([[least[0, 0], worst[1]], staircase(least, worst[0])]) if len(least)
             else np.array([[worst[0], worst[1]]]))
    lower = np.vstack([[best[0, 0], worst[1]], staircase(best, worst[0])])
    ring = signs * np.vstack([lower, upper[::-1]])
    axes.fill(ring[:, 0], ring[:, 1], color=colour, alpha=0.18, linewidth=0, zorder=1)


def view_of_runs(curves: list[list[Run]], analytic: np.ndarray | None
                 ) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest values of the panel, minimised, by the median surfaces of its curves; single
    replicates widen it as far as they are near, but where a front is known, which is the frame."""
    medians = [median_of(runs) for runs in curves]
    if analytic is not None:
        return view.with_margin(*view.view_of(medians, analytic))
    every = np.vstack([run.minimised for runs in curves for run in runs])
    return view.with_margin(*view.widened(*view.view_of(medians), medians, every))


def strays_text(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """How many of the points, minimised, lie beyond the panel; empty where none does."""
    beyond = int(view.outside(points, low, high).sum())
    return f"{beyond} of {counted(len(points), 'point')} beyond the frame" if beyond else ""


def mark_strays(axes: plt.Axes, points: np.ndarray, signs: np.ndarray, low: np.ndarray,
                high: np.ndarray, colour: str) -> None:
    """Arrowheads at the edge of the panel, where points beyond it are nearest: a few, spread over them.

    @param points  shape (n, 2), minimised.
    """
    points = points[view.outside(points, low, high)]
    if len(points):
        points = points[np.unique(np.linspace(0, len(points) - 1, MOST_ARROWS).round().astype(int))]
    for point, edge in zip(points, np.clip(points, low, high)):
        which = int(np.argmax(np.abs(point - edge) / (high - low)))
        grows = signs[which] * (point[which] - edge[which]) > 0
        axes.plot(*(signs * edge), linestyle="", marker=("<>" if which == 0 else "v^")[int(grows)],
                  color=colour, markersize=4, markeredgewidth=0, clip_on=False, zorder=4)


def set_limits(axes: plt.Axes, signs: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    ends = np.sort(np.stack([signs[:2] * low, signs[:2] * high]), axis=0)
    axes.set_xlim(ends[:, 0])
    axes.set_ylim(ends[:, 1])


def draw_panel(page: Sheet, axes: plt.Axes, archive: Archive, problem: Items,
               curves: dict[Curve, list[Run]], order: list[Curve], summaries: bool) -> None:
    objectives = next(iter(curves.values()))[0].merged.objectives
    signs = signs_of(objectives)
    tasks = [front.task for runs in curves.values() for run in runs for front in run.fronts]
    own = along_objectives(archive, curves.values())
    analytic = known_fronts.of_panel(archive, problem) if own else None
    constant = constant_prediction(archive, curves.values(), "unlabelled")
    proven = proven_region.corners_of(archive, tasks if own else [])
    medians = [median_of(runs) for runs in curves.values()]
    over, corners = curves_over(medians), np.vstack(medians)
    low, high = view.with_points(*view_of_runs(list(curves.values()), analytic), corners, constant)
    low, high = view.with_points(low, high, corners, proven)
    set_limits(axes, signs, low, high)
    proven_region.draw(axes, proven)
    every = np.vstack([run.minimised for runs in curves.values() for run in runs])
    page.title(axes, "\n".join(filter(None, [panel_text(archive, problem),
                                             "" if summaries else coverage_text(curves, analytic),
                                             strays_text(every, low, high)])))
    if analytic is not None:
        axes.plot(*known_fronts.with_gaps(analytic).T, color="0", linewidth=0.6,
                  label="analytic front", zorder=5)  # a thin line on top: wide ones would hide it
    for place, (curve, runs) in enumerate(curves.items()):
        label = (f"{curve_text(curve)}: {summary(runs, analytic)}" if summaries
                 else curve_text(curve))
        if learnt_here(archive, runs):
            label += " (learnt from these rows: not comparable here)"
        draw_runs(axes, runs, order.index(curve), label, high, len(curves) <= MOST_BANDS, over[place])
        mark_strays(axes, median_of(runs), signs, low, high, look(order.index(curve))["color"])
    draw_constant(axes, constant, low, high)
    for which, objective in zip("xy", objectives):
        page.label(axes, which, objective)


def along_objectives(archive: Archive, curves: Iterable[list[Run]]) -> bool:
    """What is known and proven of fronts is so along the archive's own objectives, and no other axes."""
    return next(iter(curves))[0].merged.objectives == archive.fronts()[0].objectives


def learnt_here(archive: Archive, runs: list[Run]) -> bool:
    return any(archive.learnt_from_deciding(front.task) for run in runs for front in run.fronts)


def constant_prediction(archive: Archive, curves: Iterable[list[Run]], part: str
                        ) -> np.ndarray | None:
    """The best constant of a part, without unfairness, as the mean over tasks, shape (1, 2); None where
    the archive does not say its risk, and along other axes than the objectives."""
    curves = list(curves)
    risks = archive.measures().get("constant_risk")
    if risks is None or not risks.has(part) or not along_objectives(archive, curves):
        return None
    rows = sorted({front.task.index for runs in curves for run in runs for front in run.fronts})
    own = risks.of(part)[rows, 0]
    return np.array([[own[np.isfinite(own)].mean(), 0.0]]) if np.isfinite(own).any() else None


def draw_constant(axes: plt.Axes, constant: np.ndarray | None, low: np.ndarray, high: np.ndarray,
                  part: str = "") -> None:
    """A cross, or an arrowhead where it lies beyond the panel; then the legend says where."""
    if constant is None:
        return
    if not view.outside(constant, low, high).any():
        axes.scatter(*constant.T, marker="x", s=16, color="0.3", linewidths=1, zorder=4,
                     label="constant prediction")
        return
    mark_strays(axes, constant, np.ones(2), low, high, "0.3")
    axes.lines[-1].set_label(f"constant prediction, beyond the frame: risk {constant[0, 0]:.3g}{part}")


def told_coverage(archive: Archive, runs: list[Run]) -> str:
    """What the archive says of how much of a known front of three objectives its tasks' own fronts cover: the worst
    and the best. Empty where it says nothing of one."""
    told = archive.metrics().get("coverage")
    rows = sorted({front.task.index for run in runs for front in run.fronts})
    if told is None or not np.isfinite(told[rows]).all():
        return ""
    shares = sorted({f"{100 * share:.0f}" for share in told[rows]}, key=float)
    return f", covers {'–'.join(dict.fromkeys([shares[0], shares[-1]]))}\xa0%"


def draw_three(page: Sheet, panels: list[plt.Axes], archive: Archive, title: str, curves: dict[Curve, list[Run]],
               order: list[Curve]) -> None:
    """A panel for each curve, all with the same frame and colours, as surfaces would hide each other. The
    third objective is the colour of the points. Shown is what all replicates have found together; the panel's own
    title says how much that is, as a legend of several problems could not."""
    merged = {curve: merge([run.merged for run in runs]) for curve, runs in curves.items()}
    low, high = view.view_of([signs_of(front.objectives) * front.points for front in merged.values()])
    for axes, (curve, front) in zip(panels, merged.items()):
        found = (f"{counted(len(front.points), 'point')} of {counted(len(curves[curve]), 'replicate')} together"
                 f"{told_coverage(archive, curves[curve])}")
        named = "\n".join(filter(None, [title, curve_text(curve), found]))
        draw_surface(page, axes, named, front, low, high, look(order.index(curve)))


def draw_surface(page: Sheet, axes: plt.Axes, title: str, front: Front, low: np.ndarray, high: np.ndarray,
                 style: dict) -> None:
    """Colours that end at a stray have an arrowhead there.

    @param low, high  shape (3,), minimised: what is shown.
    """
    objectives = front.objectives
    signs = signs_of(objectives)
    ends = np.sort([signs[2] * low[2], signs[2] * high[2]])
    low, high = view.with_margin(low[:2], high[:2])
    set_limits(axes, signs[:2], low, high)
    beyond = strays_text((signs * front.points)[:, :2], low, high)
    page.title(axes, "\n".join(filter(None, [title, beyond])))
    # The best third values last, so that none of them is hidden.
    at = np.argsort(-objectives[2].sign * front.points[:, 2], kind="stable")
    third = front.points[at, 2]
    axes.scatter(front.points[at, 0], front.points[at, 1], c=third, norm=Normalize(*ends), cmap="viridis",
                 marker=style["marker"], s=8 if len(at) > MANY_POINTS else 16, linewidths=0)
    mark_strays(axes, signs[:2] * front.points[:, :2], signs[:2], low, high, style["color"])
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max",
              (True, True): "both"}[bool(third.min() < ends[0]), bool(third.max() > ends[1])]
    bar = axes.figure.colorbar(axes.collections[0], cax=axes.inset_axes((1.04, 0, 0.05, 1)),
                               extend=extend)
    page.label(bar.ax, "y", objectives[2])
    for which, objective in zip("xy", objectives):
        page.label(axes, which, objective)


# The reported part

def reported(archive: Archive, tasks: list[Task], runs: list[Run],
             by_task: dict[int, Front]) -> tuple[np.ndarray, np.ndarray] | None:
    """Means and standard deviations, over replicates, of points on the part that is reported.

    Which points: where every task has one, those of one place along the trade-off. Else those that
    have, in the part that decides, the best first objective within a bound on the second one, for
    bounds spread over all fronts. The reported values never decide.

    @return two arrays of shape (places, 2) along the trade-off, or None where nothing is reported.
    """
    if not any(front.report is not None for run in runs for front in run.fronts):
        return None
    if all(len(front.points) == 1 for run in runs for front in run.fronts):
        samples = [np.vstack([by_task[task.index].report for task in mine
                              if task.index in by_task and by_task[task.index].report is not None])
                   for mine in split(archive, tasks, "trade_off").values()
                   if any(task.index in by_task for task in mine)]
    else:
        samples = within_bounds(runs)
    samples = [sample for sample in samples if np.isfinite(sample).all()]
    means = np.array([sample.mean(axis=0) for sample in samples])
    spread = np.array([sample.std(axis=0, ddof=1) if len(sample) > 1 else np.zeros(2)
                       for sample in samples])
    return means, spread


def within_bounds(runs: list[Run]) -> list[np.ndarray]:
    """For each bound the reported points of the replicates that can keep it, those in most of them."""
    signs = signs_of(runs[0].merged.objectives)
    chosen = [(signs * np.vstack([front.points for front in run.fronts]),
               np.vstack([front.points * np.nan if front.report is None else front.report
                          for front in run.fronts])) for run in runs]
    every = np.concatenate([points[:, 1] for points, _ in chosen])
    samples = []
    for bound in np.unique(np.quantile(every, np.linspace(0, 1, LEVELS))):
        sample = []
        for points, report in chosen:
            kept = np.flatnonzero(points[:, 1] <= bound)
            if len(kept):
                sample.append(report[kept[np.argmin(points[kept, 0])]])
        sample = np.array(sample)
        if len(sample) * 2 > len(runs) and np.isfinite(sample).all():
            samples.append(sample)
    return samples


def draw_reported(page: Sheet, axes: plt.Axes, archive: Archive, problem: Items,
                  curves: dict[Curve, list[Run]], tasks: dict[Curve, list[Task]],
                  by_task: dict[int, Front], order: list[Curve]) -> None:
    """What was chosen, on the part that is reported: means and deviations over replicates."""
    objectives = next(iter(curves.values()))[0].merged.objectives
    found = {curve: reported(archive, tasks[curve], runs, by_task) for curve, runs in curves.items()}
    found = {curve: both for curve, both in found.items() if both is not None and len(both[0])}
    if not found:  # other panels have something to report
        say_that_none(page, axes, panel_text(archive, problem))
        return
    draw_means(page, axes, panel_text(archive, problem), objectives, {order.index(curve): both for curve, both in found.items()},
               {order.index(curve) for curve, runs in curves.items() if len(runs) > 1}, len(curves) <= MOST_BANDS,
               constant_prediction(archive, curves.values(), "test"))


def say_that_none(page: Sheet, axes: plt.Axes, title: str) -> None:
    """A panel of the reported part where other panels have one, and this one has no point."""
    page.title(axes, f"{title}: reported part")
    axes.set_axis_off()
    axes.text(0.5, 0.5, "no point is known there", transform=axes.transAxes, ha="center", va="center", color="0.45")


def draw_means(page: Sheet, axes: plt.Axes, title: str, objectives: list[Objective],
               found: dict[int, tuple[np.ndarray, np.ndarray]], several: set[int], few: bool,
               constant: np.ndarray | None) -> None:
    """A panel of the reported part.

    @param found    by its place in the legend, of each curve what `reported` has.
    @param several  curves of more than one replicate.
    @param few      whether bars fit.
    """
    title, signs = f"{title}: reported part", signs_of(objectives)
    shown = [signs * means for means, _ in found.values()]
    low, high = view.with_points(*view_of_reported(shown, [spread for _, spread in found.values()]), np.vstack(shown),
                                 constant)
    set_limits(axes, signs, low, high)
    beyond = strays_text(np.vstack(shown), low, high)
    title += f"\n{beyond}" if beyond else ""
    if not few and several & found.keys():
        typical = np.median(np.vstack([found[curve][1] for curve in several & found.keys()]), axis=0)
        title += "\nmedian deviations: {:.2g} across, {:.2g} up".format(*typical)
    page.title(axes, title)
    for index, (means, spread) in found.items():
        bars = few and index in several
        alone = len(means) == 1  # such as a model without fairness: other curves end there
        axes.errorbar(means[:, 0], means[:, 1], xerr=spread[:, 0] if bars else None,
                      yerr=spread[:, 1] if bars else None, elinewidth=0.5,
                      markersize=5 if alone else 3, zorder=4 if alone else 3, **look(index))
        mark_strays(axes, signs * means, signs, low, high, look(index)["color"])
    draw_constant(axes, constant, low, high, ", reported part")
    for which, objective in zip("xy", objectives):
        page.label(axes, which, objective)


def view_of_reported(means: list[np.ndarray], spreads: list[np.ndarray]
                     ) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest values of a panel of the reported part, minimised, with the bars as far as
    they are near; with all of every bar along an objective in which the means differ by less than most bars are long."""
    ends = np.vstack([mean + sign * spread for mean, spread in zip(means, spreads)
                      for sign in (-1, 1)])
    low, high = view.view_of(means)
    noise = 2 * np.median(np.vstack(spreads), axis=0) >= high - low
    low, high = view.widened(low, high, means, ends)
    return view.with_margin(np.where(noise, ends.min(axis=0), low), np.where(noise, ends.max(axis=0), high))


def fronts_of(archive: Archive, options: Options) -> list[Front]:
    for task in options.tasks:
        if not 0 <= task < len(archive.tasks):
            raise ArchiveError(f"{archive.path}: no task {task}; there are {len(archive.tasks)}")
    fronts = [front for front in archive.fronts()
              if not options.tasks or front.task.index in options.tasks]
    if not fronts:
        raise NothingToDraw(f"{archive.path}: none of the tasks has a front")
    return other_axes.along(archive, fronts, options.axes) if options.axes else fronts


def panels_by_axis(archive: Archive, tasks: list[Task], axis: str
                   ) -> dict[Items, dict[Curve, list[Task]]]:
    """One panel for each value of any axis, which then stands in the titles, not with the curves."""
    if axis not in archive.axes:
        raise ArchiveError(f"{archive.path}: no axis '{axis}'; there are: "
                           f"{', '.join(archive.axes) or 'none'}")
    values = [value for value in archive.axes[axis]
              if any(task.axes.get(axis) == value for task in tasks)]
    own = {value: [task for task in tasks if task.axes.get(axis) == value] for value in values}
    return {((axis, value), *parts): without_axis(axis, curves_of(archive, mine)) for value in values
            for parts, mine in by_parts(archive, own[value], own[value]).items()}


def without_axis(axis: str, curves: dict[Curve, list[Task]]) -> dict[Curve, list[Task]]:
    """Where every curve has one value on the axis, so that no two become one."""
    return {(method, tuple(item for item in items if item[0] != axis)): tasks
            for (method, items), tasks in curves.items()}


def draw_fronts(archive: Archive, options: Options) -> Sheet:
    """One panel per problem, one colour per method and setting; beside it, where the archive has
    them, the same points on the part that is reported. Of three objectives a panel per curve."""
    fronts = fronts_of(archive, options)
    by_task = {front.task.index: front for front in fronts}
    tasks = [front.task for front in fronts]
    panels = (panels_by_axis(archive, tasks, options.panels_by) if options.panels_by
              else panels_of(archive, tasks))
    runs = {problem: {curve: runs_of(archive, mine, by_task) for curve, mine in curves.items()}
            for problem, curves in panels.items()}
    order = list(dict.fromkeys(curve for curves in panels.values() for curve in curves))
    two = all(len(front.objectives) == 2 for front in fronts)
    reports = two and any(front.report is not None for front in fronts)
    drawn = len(panels) * (2 if reports else 1) if two else sum(map(len, panels.values()))
    page = sheet(drawn, options, columns=2 if reports else 3, least=2.1 if two else 2.8,
                 together=2 if reports else 1)
    summaries = sum(map(len, panels.values())) <= MOST_SUMMARIES
    place = iter(page.panels)
    for problem, curves in runs.items():
        if not two:
            draw_three(page, [next(place) for _ in curves], archive, panel_text(archive, problem), curves, order)
            continue
        draw_panel(page, next(place), archive, problem, curves, order, summaries)
        if reports:
            draw_reported(page, next(place), archive, problem, curves, panels[problem], by_task, order)
    known = two and not summaries and any(
        along_objectives(archive, curves.values()) and known_fronts.of_panel(archive, problem) is not None
        for problem, curves in runs.items())
    page.legends(note_of(runs, two, reports, known), shared=not summaries or len(panels) == 1)
    return page


def note_of(runs: dict, two: bool, reports: bool, known: bool) -> str:
    """What the lines, bands and bars are, and what titles say of known fronts."""
    shares = ("Covers: how much of the known front is within 2 % of its ranges of a point found."
              if known else "")
    if not two or all(len(mine) == 1 for curves in runs.values() for mine in curves.values()):
        return shares
    bands = any(len(curves) <= MOST_BANDS for curves in runs.values())
    return ("Lines are median attainment surfaces over replicates" +
            (", bands go from best to worst." if bands else ".") +
            (" Reported part: means" + (" and deviations." if bands else ".") if reports else "") +
            (" " + shares if shares else ""))
