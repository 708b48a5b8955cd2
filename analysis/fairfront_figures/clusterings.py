"""Clusterings over the rows of the data: along a front, from the least cost to the greatest balance; of three
objectives the best in each."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Front, Quantity, Rows, Task, rows_of
from fairfront_figures import fronts
from fairfront_figures.arrange import (Items, NothingToDraw, curves_of, done, limit_panels,
                                       panel_text, split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import COLOURS, MARKERS, Options, as_it_is, look

LABELS = "labels"  # solution: the cluster of each row
SHOWN = 3  # clusterings of a front: its ends and its middle
LIKE_UNITS = 10  # ranges that differ by more are of different units: no equal scale for them
MANY_ROWS = 1000  # from which marks are smaller


def require_labels(archive: Archive) -> None:
    """@throws NothingToDraw  it is not of clusterings: features of other rows are no places."""
    if archive.front_solutions() != LABELS:
        raise NothingToDraw(f"{archive.path}: its front points are no clusterings")


def data_of(archive: Archive, task: Task) -> Rows:
    """@throws NothingToDraw  the program cannot prepare the rows, or there are no two features."""
    try:
        rows = rows_of(archive, task.index)
    except ArchiveError as error:
        raise NothingToDraw(str(error)) from error
    if len(rows.features) < 2:
        raise NothingToDraw(f"{archive.path}: its rows have one feature alone")
    return rows


def choose(front: Front, count: int) -> np.ndarray:
    """Points of the front, evenly spread over the second objective, both ends among them. Of three objectives,
    along which no front is a line, the best point in each."""
    if len(front.objectives) > 2:
        best = [int(np.argmin(objective.sign * column)) for objective, column in zip(front.objectives, front.points.T)]
        return np.array(list(dict.fromkeys(best))[:count])
    order = np.argsort(front.objectives[0].sign * front.points[:, 0], kind="stable")
    second = front.points[order, 1]
    at = [np.argmin(np.abs(second - value)) for value in np.linspace(second[0], second[-1], count)]
    return order[np.unique(at)]


def draw_rows(axes: plt.Axes, rows: Rows, labels: np.ndarray, count: int) -> None:
    """The first two features. Colour tells the label, a filled, open or other mark the group.

    @param labels  shape (rows,), 0 .. count - 1.
    """
    for mark, group in enumerate(np.unique(rows.groups)):
        for label in range(count):
            mine = (rows.groups == group) & (labels == label)
            colour = COLOURS[label % len(COLOURS)]
            axes.scatter(rows.values[mine, 0], rows.values[mine, 1], linewidths=0.5,
                         s=5 if len(labels) <= MANY_ROWS else 2, edgecolors=colour,
                         facecolors=colour if mark == 0 else "none",
                         marker=MARKERS[mark % len(MARKERS)])
    scale_alike(axes, rows)


def scale_alike(axes: plt.Axes, rows: Rows) -> None:
    """One scale for both features, where their ranges are alike: shapes are kept."""
    ranges = np.ptp(rows.values[:, :2], axis=0)
    if ranges.min() * LIKE_UNITS >= ranges.max():
        axes.set_aspect("equal", adjustable="datalim")


def label_features(page: Sheet, axes: plt.Axes, rows: Rows) -> None:
    for which, name in zip("xy", rows.features):
        page.label(axes, which, Quantity(name, "", "", "none", ""))


def draw_clusterings(archive: Archive, options: Options) -> Sheet:
    """Per problem its fronts, and three clusterings along that of the first method and replicate that
    keeps labels: the ends and the middle. Of three objectives the front of that run alone, and the best
    clustering in each. The program prepares the rows again."""
    require_labels(archive)
    by_task = {front.task.index: front for front in fronts.fronts_of(archive, options)}
    problems = split(archive, (front.task for front in by_task.values()), "problem")
    limit_panels(archive, len(problems) * (SHOWN + 1))
    two = all(len(front.objectives) == 2 for front in by_task.values())
    page = sheet(len(problems) * (SHOWN + 1), options, columns=SHOWN + 1, ratio=0.75,
                 least=1.6 if two else 2.8, together=SHOWN + 1)
    panels = iter(page.panels)
    for problem, tasks in problems.items():
        curves = curves_of(archive, tasks)
        runs = {curve: fronts.runs_of(archive, mine, by_task) for curve, mine in curves.items()}
        chosen = max((by_task[task.index] for task in tasks), key=lambda front: len(front.points))
        axes = next(panels)
        if two:
            fronts.draw_panel(page, axes, archive, problem, runs, list(curves), False)
        else:
            own = next(curve for curve, mine in curves.items() if chosen.task in mine)
            fronts.draw_three(page, [axes], archive, panel_text(archive, problem), {own: fronts.runs_of(archive, [chosen.task], by_task)},
                              list(curves))
        draw_along(page, axes, panels, archive, chosen)
    page.legends("Clusterings: colour is the cluster, the kind of mark (filled, open) the group; crosses are their places "
                 "on the front of the run that has found them.", shared=True)
    return page


def draw_along(page: Sheet, place: plt.Axes, panels, archive: Archive, front: Front) -> None:
    rows = data_of(archive, front.task)
    points = choose(front, SHOWN)
    count = 1 + max(int(archive.solution(LABELS, int(front.solution[point])).max())
                    for point in points)
    for point in points:
        axes = next(panels)
        labels = archive.solution(LABELS, int(front.solution[point]))
        if len(labels) != len(rows.values):
            raise ArchiveError(f"{archive.path}: {len(labels)} labels, but {len(rows.values)} rows")
        draw_rows(axes, rows, labels, count)
        page.title(axes, "\n".join(f"{objective.name} {value:.4g}" for objective, value in
                                   zip(front.objectives, front.points[point])))
        label_features(page, axes, rows)
        # At the edge where the panel of fronts leaves the point out.
        at = [np.clip(value, *sorted(ends)) for value, ends in
              zip(front.points[point], (place.get_xlim(), place.get_ylim()))]
        place.plot(*at, marker="x", color="black", markersize=6, zorder=5, clip_on=False)
    for axes in [next(panels) for _ in range(SHOWN - len(points))]:
        axes.set_axis_off()  # a front of fewer points


def draw_groups(archive: Archive, options: Options) -> Sheet:
    """The rows of each problem, a colour and a mark per group. The program prepares them again."""
    require_labels(archive)
    first: dict[Items, Task] = {}
    for problem, tasks in split(archive, done(archive), "problem").items():
        first[problem] = tasks[0]
    if not first:
        raise NothingToDraw(f"{archive.path}: has no such task that is done")
    limit_panels(archive, len(first))
    data = {problem: data_of(archive, task) for problem, task in first.items()}
    page = sheet(len(first), options, columns=4, ratio=0.75, least=1.6)
    for axes, (problem, rows) in zip(page.panels, data.items()):
        for mark, group in enumerate(np.unique(rows.groups)):
            mine = rows.values[rows.groups == group]
            axes.plot(mine[:, 0], mine[:, 1], linestyle="", marker=look(mark)["marker"],
                      markersize=2, markeredgewidth=0, color=look(mark)["color"],
                      label=f"{as_it_is(' '.join(group.split()))} ({len(mine)} rows)")
        scale_alike(axes, rows)
        page.title(axes, panel_text(archive, problem))
        label_features(page, axes, rows)
    page.legends(shared=len(first) == 1)
    return page
