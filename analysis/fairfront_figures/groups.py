"""Measures of each group's rows alone: dots with intervals."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Quantity, Task
from fairfront_archive.measured import ALL, FEW_ROWS, Measure
from fairfront_figures.arrange import (MOST_PANELS, Curve, Items, NothingToDraw, done, panel_text,
                                       panels_of)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.measures import (INFINITE_NOTE, MARK, draw_marks, has_infinite, legend_texts, limit_rows,
                                        mean_and_deviation, places_of)
from fairfront_figures.short_names import short_names
from fairfront_figures.style import Options, as_it_is

ROWS = "rows"
FEW_ROWS_NOTE = f"*: fewer than {FEW_ROWS} rows, too few to say much of the group"
LEAST_ROW = 0.16  # inches: a line of a group's name
LONGEST_GROUP = 30  # letters
MOST_GROUPS = 60  # that a panel has room for
LETTER = 0.055  # inches: of a group's name, about
NAMES_SHARE = 0.5  # of a panel's place: names that need more get panels of the whole width
ROOM = 0.035  # of a panel's width that is left beside the marks

Rows = dict[tuple[Curve, Items], list[Task]]


def measures_of_groups(archive: Archive, options: Options) -> list[Measure]:
    """Those that were asked for; else all that say something of a group's rows alone, counts first.

    @throws NothingToDraw  there is none.
    @throws ArchiveError   one of those that were asked for is none of them.
    """
    there = {name: measure for name, measure in archive.measures().items()
             if measure.of_each_group and part_of(measure) is not None and name != ROWS}
    if not there:
        raise NothingToDraw(f"{archive.path}: has no measure of single groups{how_to_add_them(archive)}")
    for name in options.measures:
        if name not in there:
            raise ArchiveError(f"{archive.path}: no measure '{name}' of single groups; there are: "
                               f"{', '.join(there)}")
    return [there[name] for name in options.measures] or sorted(
        there.values(), key=lambda measure: measure.what.name != "base_rate")


def how_to_add_them(archive: Archive) -> str:
    """Clusterings have none at all, and audits without [measures]; of other experiments only archives of an earlier version
    lack them."""
    if archive.experiment in ("clustering", "clustering3"):
        return ", as no archive of clusterings has"
    if archive.experiment == "predictions":
        return ", which the section [measures] of a config takes; `fairfront measure` adds them to an archive of an earlier version"
    return "; `fairfront measure` adds them to an archive of an earlier version"


def part_of(measure: Measure) -> str | None:
    """The last part on which single groups are known; None: there is none."""
    known = [part for part in measure.parts
             if any(not np.isnan(measure.of(part, group)[:, 0]).all() for group in measure.single_groups)]
    return known[-1] if known else None


def spread_of(measure: Measure, part: str, group: str, tasks: list[Task]) -> np.ndarray:
    """Mean and the ends of the whisker: one deviation over replicates that know it, or the interval of a
    single one; NaN where none does. Infinite where one of the values is, without a whisker."""
    found = measure.of(part, group)[[task.index for task in tasks]]
    found = found[~np.isnan(found[:, 0])]
    if not len(found):
        return np.full(3, np.nan)
    if len(found) == 1:
        return found[0]
    mean, deviation = mean_and_deviation(found[:, 0])
    return np.array([mean, mean - deviation, mean + deviation])


def groups_of(measures: list[Measure], tasks: list[Task]) -> list[str]:
    """Groups of which any measure, or the number of rows, is known for any of the tasks."""
    rows = [task.index for task in tasks]
    known = [group for measure in measures for group in measure.single_groups
             if not np.isnan(measure.values[rows][:, :, measure.groups.index(group)]).all()]
    return list(dict.fromkeys(known))


def counts_of(archive: Archive, part: str, groups: list[str], tasks: list[Task]) -> list[int | None]:
    """Rows of each group on the part, where all tasks have as many."""
    rows = archive.measures().get(ROWS)
    found = []
    for group in groups:
        counts = (set(rows.of(part, group)[[task.index for task in tasks], 0])
                  if rows is not None and rows.has(part, group) else set())
        counts = {int(count) for count in counts if np.isfinite(count)}
        found.append(counts.pop() if len(counts) == 1 else None)
    return found


def has_few_rows(archive: Archive, part: str, group: str, tasks: list[Task]) -> bool:
    """Whether any of the tasks is known to have fewer than `FEW_ROWS` of a single group on the part."""
    rows = archive.measures().get(ROWS)
    if group == ALL or rows is None or not rows.has(part, group):
        return False
    return bool((rows.of(part, group)[[task.index for task in tasks], 0] < FEW_ROWS).any())


def bare(values: np.ndarray, few: list[bool]) -> np.ndarray:
    """Which values, shape (groups, 3) with their whiskers, look as if they were sure: of a group of few rows, without a
    whisker, where others have theirs."""
    whiskers = np.isfinite(values[:, 1:]).all(axis=1)
    return np.array(few) & np.isfinite(values[:, 0]) & ~whiskers & whiskers.any()


def group_text(name: str, count: int | None, few: bool) -> str:
    """A dollar is no mathematics.

    @param few  it has so few rows that it gets a mark."""
    rows = "" if count is None else f" ({count:,})".replace(",", "\u2009")
    return as_it_is(name) + rows + (" *" if few else "")


def problems_of(archive: Archive, measures: list[Measure]) -> dict[Items, Rows]:
    """Of each problem the tasks at one place of each method, as in the figure `measures`."""
    tasks = [task for task in done(archive) if any(groups_of([measure], [task]) for measure in measures)]
    return {problem: places_of(archive, curves) for problem, curves in panels_of(archive, tasks).items()}


def names_of_groups(archive: Archive, measures: list[Measure], problems: dict[Items, Rows], longest: int) -> dict[str, str]:
    """Of every group of the archive what figures and the page call it, in at most so many letters: one numbering of
    groups whose names read alike."""
    known = [*counted(archive), *measures]
    groups = list(dict.fromkeys(group for rows in problems.values() for group in groups_of(known, every(rows))))
    return dict(zip(groups, short_names(groups, longest)))


def draw_by_group(archive: Archive, options: Options) -> Sheet:
    """A panel per problem and measure: a row per group, a mark per method with its whisker."""
    measures = measures_of_groups(archive, options)
    problems = problems_of(archive, measures)
    texts = legend_texts(problems)
    content = [(problem, rows, measure, groups_of([*counted(archive), *measures], every(rows)))
               for problem, rows in problems.items() for measure in measures
               if groups_of([measure], every(rows))]
    content = content[:MOST_PANELS]
    most = max(len(groups) for *_, groups in content)
    if most > MOST_GROUPS:
        raise NothingToDraw(f"{archive.path}: {most} groups are too many for a figure (at most "
                            f"{MOST_GROUPS}); the table table-groups has them")
    names = names_of_groups(archive, measures, problems, LONGEST_GROUP)
    wide = LETTER * (max(map(len, names.values())) + 8) > NAMES_SHARE * options.inches(len(content)) / 2
    page = sheet(len(content), options, columns=1 if wide else 2)
    row_height = max(LEAST_ROW, (len(texts) + 1) * MARK)
    page.panel_height = page.least_height = row_height * (most + 0.4)
    for axes, (problem, rows, measure, groups) in zip(page.panels, content):
        limit_rows(archive, rows)
        draw_panel(axes, archive, measure, rows, {group: names[group] for group in groups}, texts, page.panel_height / (most + 0.4))
        axes.set_ylim(most - 0.3, -0.7)
        several = len(problems) > 1
        title = measure.what.name.replace("_", " ")
        page.title(axes, f"{title}\n{panel_text(archive, problem)}" if several else title)
        page.label(axes, "x", Quantity("value", "", measure.what.unit, measure.what.direction, ""))
    marked = any(has_few_rows(archive, part_of(measure), group, every(rows))
                 for _, rows, measure, groups in content for group in groups)
    page.legends("Of each group's rows alone, number of rows in brackets; whiskers: the 95 % interval of a "
                 "single run, or one deviation over replicates; the line: all rows; ×: not defined, or too few rows to say"
                 f"{'; ' + FEW_ROWS_NOTE if marked else ''}"
                 f"{INFINITE_NOTE if any(map(has_infinite, page.panels)) else '.'}",
                 shared=True)
    return page


def counted(archive: Archive) -> list[Measure]:
    rows = archive.measures().get(ROWS)
    return [rows] if rows is not None and rows.single_groups else []


def every(rows: Rows) -> list[Task]:
    return [task for tasks in rows.values() for task in tasks]


def draw_panel(axes: plt.Axes, archive: Archive, measure: Measure, rows: Rows, names: dict[str, str],
               texts: dict[Curve, str], row_height: float) -> None:
    """@param names       of each group what stands beside its row.
    @param row_height  inches of a group."""
    part, groups = part_of(measure), list(names)
    for (curve, _), tasks in rows.items():
        k = list(texts).index(curve)
        values = np.array([spread_of(measure, part, group, tasks) if measure.has(part, group)
                           else np.full(3, np.nan) for group in groups])
        at = np.arange(len(groups)) + MARK / row_height * (k - (len(texts) - 1) / 2)
        draw_marks(axes, at, values, k, texts[curve])
        for i in np.flatnonzero(bare(values, [has_few_rows(archive, part, group, tasks) for group in groups])):
            axes.annotate("*", (values[i, 0], at[i]), xytext=(3, -3), textcoords="offset points", fontsize=8,
                          color=axes.lines[-1].get_color(), annotation_clip=False)
        if measure.has(part) and np.isfinite(spread_of(measure, part, ALL, tasks)[0]):
            of_all = spread_of(measure, part, ALL, tasks)[0]
            colour = axes.lines[-1].get_color()
            axes.axvline(of_all, color=colour, linewidth=0.7, linestyle=":", zorder=1)
    unknown = [i for i, group in enumerate(groups) if not measure.has(part, group) or
               np.isnan(measure.of(part, group)[[task.index for task in every(rows)], 0]).all()]
    if unknown:
        axes.plot([ROOM] * len(unknown), unknown, transform=axes.get_yaxis_transform(), linestyle="",
                  marker="x", markersize=3.5, color="0.45", clip_on=False)
    counts = counts_of(archive, part, groups, every(rows))
    few = [has_few_rows(archive, part, group, every(rows)) for group in groups]
    axes.set_yticks(range(len(groups)), [group_text(*one) for one in zip(names.values(), counts, few)])
    axes.margins(x=ROOM)
