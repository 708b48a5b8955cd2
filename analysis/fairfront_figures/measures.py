"""Measures of the methods, side by side: with intervals, and as spider plots."""

from __future__ import annotations

import difflib
import math
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, ArchiveError, Number, Quantity, Task, number_name
from fairfront_figures.arrange import (DIFFERENCE, MOST_PANELS, TEST, Curve, Items, NothingToDraw, curve_text, curves_of, done,
                                       panel_text, panels_of, row_text, split)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look

MOST_MEASURES = 16  # of one unit
LEAST_SPOKES, MOST_SPOKES = 3, 8
MOST_TOLD = 3  # names in a note
NEAREST = 5  # names that are told instead of an unknown one
MARK = 0.05  # inches from the mark of a method to the next one's, so that none hides another
LEAST_ROW = 0.25  # inches: two lines of a measure's name
HIGHEST_PANEL = 5.0  # inches: further measures stand in a panel of their own
MOST_OF_SEVERAL = 6  # measures of a panel where units have panels of their own, some with one measure
LONGEST_NAME = 24  # letters, then the name goes on in a second line
MOST_ROWS = 12  # methods and places that can be told apart
HOLLOW = "hollow"  # marks of numbers whose intervals are not known
INFINITE = "∞"  # at the edge of a panel
HOLLOW_NOTE = "; a hollow mark: its interval is not known"
INFINITE_NOTE = "; ∞ at an edge: infinite, such as the log loss of a row whose label had the probability 0."


def chosen_measures(archive: Archive, options: Options) -> list[Number]:
    """Those that were asked for; else those of the reported part that say what is better; where there are
    none, all numbers that do. What a model's measures are less those of a reference has a figure of its own."""
    if options.measures:
        return list(dict.fromkeys(number for name in options.measures
                                  for number in named(archive, name)))
    directed = [number for number in archive.numbers().values()
                if number.what.direction != "none" and not number.what.name.endswith((DIFFERENCE, TEST)) and
                not np.isnan(number.values).all()]
    return [number for number in directed if number.reported] or directed


def named(archive: Archive, name: str) -> list[Number]:
    """A number by its name, or a measure on the reported part, or its last: of all rows, else of each group.

    @throws ArchiveError  there is none; names that are near are told.
    """
    numbers, measures = archive.numbers(), archive.measures()
    if name in numbers:
        return [numbers[name]]
    if name not in measures:
        known = [*measures, *numbers]
        near = difflib.get_close_matches(name, known, n=NEAREST)
        there = (f"near are: {', '.join(near)}" if near else
                 f"there are: {', '.join([*measures, *archive.metric_names()]) or 'none'}")
        raise ArchiveError(f"{archive.path}: no measure or metric '{name}'; {there}")
    measure = measures[name]
    of_all = number_name(name, measure.shown)
    return [numbers[of_all]] if of_all in numbers else [
        numbers[number_name(name, measure.shown, group)] for group in measure.groups]


def by_unit(archive: Archive, numbers: list[Number]) -> list[list[Number]]:
    """Measures of one unit, which fit on one axis, in lists: first those of what the fronts trade off, and
    in each list the objectives first."""
    objectives = {objective.name for front in archive.fronts() for objective in front.objectives}
    first = [number for number in numbers if number.what.name in objectives and
             (number.measure is None or number.reported)]
    units: dict[str, list[Number]] = {}
    for number in dict.fromkeys(first + numbers):
        units.setdefault(number.what.unit, []).append(number)
    return [mine[:MOST_MEASURES] for mine in units.values()]


def places_of(archive: Archive, curves: dict[Curve, list[Task]]) -> dict[tuple[Curve, Items],
                                                                         list[Task]]:
    """Of each method and setting the tasks at one place along its trade-off.

    Of several places it is that whose mean front point, in the part that decides, is nearest to the
    best value of each objective, after scaling both to the curve's range (Zeleny's compromise).
    """
    by_task = {front.task.index: front for front in archive.fronts()}
    found = {}
    for curve, tasks in curves.items():
        places = split(archive, tasks, "trade_off")
        means = {}
        for place, mine in places.items():
            points = [by_task[task.index].points.mean(axis=0) for task in mine
                      if task.index in by_task]
            if points:
                signs = [what.sign for what in by_task[mine[0].index].objectives]
                means[place] = np.mean(points, axis=0) * signs
        chosen = next(iter(places))
        if len(means) > 1:
            values = np.array(list(means.values()))
            span = np.ptp(values, axis=0)
            scaled = (values - values.min(axis=0)) / np.where(span > 0, span, 1)
            chosen = list(means)[int(np.argmin((scaled**2).sum(axis=1)))]
        found[(curve, chosen)] = places[chosen]
    return found


def legend_texts(panels: dict[Items, dict[tuple[Curve, Items], list[Task]]]) -> dict[Curve, str]:
    """Of each curve its text, with the place along its trade-off if that is the same in all panels."""
    places: dict[Curve, set[Items]] = {}
    for rows in panels.values():
        for curve, place in rows:
            places.setdefault(curve, set()).add(place)
    return {curve: row_text((curve, next(iter(found)))) if len(found) == 1
            else f"{row_text((curve, ()))} (compromise of each problem)"
            for curve, found in places.items()}


def spread_of(number: Number, tasks: list[Task]) -> tuple[float, float, float]:
    """Mean, and the ends of its whisker: one deviation over replicates, or the interval of a single
    task where the archive has one; else NaN."""
    rows = [task.index for task in tasks]
    values = number.values[rows]
    if len(values) > 1:
        mean, deviation = mean_and_deviation(values)
        return mean, mean - deviation, mean + deviation
    return float(values[0]), float(number.low[rows][0]), float(number.high[rows][0])


def mean_and_deviation(values: np.ndarray) -> tuple[float, float]:
    """Over replicates; the mean is infinite where a value is, and then there is no deviation. That of equal values is 0,
    and not what the rounding of their mean leaves."""
    finite = bool(np.isfinite(values).all())
    if finite and len(values) > 1 and np.ptp(values) == 0:
        return float(values[0]), 0.0
    with np.errstate(invalid="ignore"):  # of both infinities there is no mean
        return float(np.mean(values)), float(np.std(values, ddof=1)) if finite else math.nan


def panels_of_measures(archive: Archive, options: Options
                       ) -> list[tuple[Items, dict[tuple[Curve, Items], list[Task]], list[Number]]]:
    """A problem, its methods and the measures of one unit that any of them has, for each panel. Of very
    many problems the units that come last are left out, so that panels stay within their number."""
    units = by_unit(archive, chosen_measures(archive, options))
    if not units:
        raise NothingToDraw(f"{archive.path}: has no measure that says what is better")
    tasks = [task for task in done(archive) if
             any(not np.isnan(number.values[task.index]) for numbers in units for number in numbers)]
    rows = {problem: places_of(archive, curves)
            for problem, curves in panels_of(archive, tasks).items()}
    found = []
    for numbers in units:
        added = []
        for problem, own in rows.items():
            mine = [task.index for tasks in own.values() for task in tasks]
            there = [number for number in numbers if not np.isnan(number.values[mine]).all()]
            added += [(problem, own, there)] if there else []
        if not found or len(found) + len(added) <= MOST_PANELS:
            found += added
    return sorted(found, key=lambda panel: list(rows).index(panel[0]))  # units of a problem together


def draw_intervals(archive: Archive, options: Options) -> Sheet:
    """A panel per problem and unit: a row per measure, a mark per method, whiskers over its replicates, or
    the interval of a single run."""
    panels = panels_of_measures(archive, options)
    texts = legend_texts({problem: rows for problem, rows, _ in panels})
    for _, rows, _ in panels:
        limit_rows(archive, rows)
    row_height = max(LEAST_ROW, (len(texts) + 2) * MARK)
    several = len({problem for problem, *_ in panels}) < len(panels)
    most = MOST_OF_SEVERAL if several else max(1, int(HIGHEST_PANEL / row_height))
    content = [(problem, rows, part) for problem, rows, numbers in panels
               for part in in_parts(numbers, most)]
    size = max(len(part) for *_, part in content)
    has_intervals = any(np.isfinite(spread_of(number, tasks)[1]) for _, rows, shown in content
                        for tasks in rows.values() for number in shown)
    page = sheet(len(content), options, columns=2)
    page.panel_height = page.least_height = row_height * (size + 0.2)
    for axes, (problem, rows, shown) in zip(page.panels, content):
        apart = MARK / page.panel_height * (len(shown) + 0.2)
        for row, tasks in rows.items():
            k = list(texts).index(row[0])
            at = np.arange(len(shown)) + apart * (k - (len(texts) - 1) / 2)
            values = np.array([spread_of(number, tasks) for number in shown])
            draw_marks(axes, at, values, k, texts[row[0]], hollow=has_intervals)
        axes.set_yticks(range(len(shown)), [measure_text(number) for number in shown])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        page.title(axes, panel_text(archive, problem))
        page.label(axes, "x", Quantity("value", "", shown[0].what.unit, "none", ""))
    page.legends("Whiskers: one deviation over replicates, or the 95 % interval of a single run. Arrows point to the "
                 f"better side{notes_of(page)}", shared=True)
    return page


def notes_of(page: Sheet) -> str:
    """What its marks mean beside dots and whiskers."""
    hollow = any(line.get_gid() == HOLLOW for axes in page.panels for line in axes.lines)
    infinite = any(map(has_infinite, page.panels))
    return (HOLLOW_NOTE if hollow else "") + (INFINITE_NOTE if infinite else ".")


def in_parts(numbers: list[Number], most: int) -> list[list[Number]]:
    """As few lists as there can be, of much the same length and at most `most` numbers."""
    size = math.ceil(len(numbers) / math.ceil(len(numbers) / most))
    return [numbers[i:i + size] for i in range(0, len(numbers), size)]


def draw_marks(axes: plt.Axes, at: np.ndarray, values: np.ndarray, k: int, label: str, hollow: bool = False) -> None:
    """One method: a mark for each measure, and a whisker where there is one; at the edge a sign of what is infinite.

    @param values  shape (measures, 3): mean, ends of the whisker.
    @param hollow  whether marks without a whisker are: a bare dot would look like a narrow interval.
    """
    colour, marker = (look(k)[part] for part in ("color", "marker"))
    spread = np.isfinite(values[:, 1:]).all(axis=1)
    axes.hlines(at[spread], values[spread, 1], values[spread, 2], color=colour, linewidth=0.9)
    infinite = np.isinf(values[:, 0])
    bare = hollow & ~spread & ~infinite & ~np.isnan(values[:, 0])
    size = 0.8 * MARK * 72
    axes.plot(np.where(infinite | bare, np.nan, values[:, 0]), at, linestyle="", markersize=size, markeredgewidth=0,
              label=as_it_is(label), color=colour, marker=marker)
    if bare.any():
        axes.plot(values[bare, 0], at[bare], linestyle="", markersize=size, markeredgewidth=0.7, color=colour, marker=marker,
                  markerfacecolor="none", gid=HOLLOW)
    for value, place in zip(values[infinite, 0], at[infinite]):
        axes.annotate(INFINITE if value > 0 else f"−{INFINITE}", (float(value > 0), place), (-3 if value > 0 else 3, 0),
                      xycoords=axes.get_yaxis_transform(), textcoords="offset points", ha="right" if value > 0 else "left",
                      va="center", fontsize=7, color=colour)


def has_infinite(axes: plt.Axes) -> bool:
    return any(INFINITE in text.get_text() for text in axes.texts)


def measure_text(number: Number) -> str:
    """Its words, and an arrow to the better side."""
    arrow = {"minimise": "\xa0↓", "maximise": "\xa0↑"}.get(number.what.direction, "")
    return as_it_is(textwrap.fill(number.text + arrow, LONGEST_NAME))


def limit_rows(archive: Archive, rows: dict) -> None:
    if len(rows) > MOST_ROWS:
        raise NothingToDraw(f"{archive.path}: {len(rows)} methods and settings are too many to be "
                            f"told apart (at most {MOST_ROWS})")


def spokes_of(archive: Archive, options: Options) -> list[Number]:
    """Measures that are to be minimised, never negative, and there with a finite value for every method and setting that
    has any of them; of fewer than three such ones those that are never infinite."""
    numbers = minimised(archive, options)
    curves = [tasks for tasks in curves_of(archive, done(archive)).values()
              if any(is_finite(number, task) for number in numbers for task in tasks)]
    shared = [number for number in numbers if all(any(is_finite(number, task) for task in tasks) for tasks in curves)]
    finite = [number for number in numbers if not np.isinf(number.values).any()]
    return (shared if len(shared) >= LEAST_SPOKES else finite)[:MOST_SPOKES]


def minimised(archive: Archive, options: Options) -> list[Number]:
    return [number for number in chosen_measures(archive, options)
            if number.what.direction == "minimise" and not (number.values < 0).any()]


def is_finite(number: Number, task: Task) -> bool:
    return bool(np.isfinite(number.values[task.index]))


def draw_spider(archive: Archive, options: Options) -> Sheet:
    """One panel per problem: a spoke per measure, from 0 to the greatest mean, a polygon per method.
    Only measures that are to be minimised: the smallest polygon is the best."""
    numbers = spokes_of(archive, options)
    if len(numbers) < LEAST_SPOKES:
        raise NothingToDraw(f"{archive.path}: fewer than three measures are to be minimised")
    tasks = [task for task in done(archive) if all(is_finite(number, task) for number in numbers)]
    panels = panels_of(archive, tasks)
    page = sheet(len(panels), options, columns=2, ratio=0.5, projection="polar")
    rows = {problem: places_of(archive, curves) for problem, curves in panels.items()}
    means = {problem: np.array([[np.mean(number.values[[task.index for task in mine]])
                                 for number in numbers] for mine in own.values()])
             for problem, own in rows.items()}
    ends = np.max([own.max(axis=0) for own in means.values()], axis=0)  # one scale in all panels
    texts = legend_texts(rows)
    for k, (problem, own) in enumerate(rows.items()):
        limit_rows(archive, own)
        axes = page.panels[k]
        places = [list(texts).index(curve) for curve, _ in own]
        draw_polygons(axes, {place: list(texts.values())[place] for place in places},
                      means[problem], ends)
        label_spokes(axes, [number.text for number in numbers], ends)
        page.title(axes, panel_text(archive, problem))
    several = any(len(mine) > 1 for own in rows.values() for mine in own.values())
    page.legends(f"{'Means over replicates; a' if several else 'A'} spoke ends at the greatest of all panels, which stands there. "
                 f"Smaller is better.{without_spoke(archive, options, numbers)}{without_tasks(archive, numbers)}", shared=True)
    return page


def without_spoke(archive: Archive, options: Options, numbers: list[Number]) -> str:
    """Of measures that would be spokes whose value of them is not finite."""
    wanted = minimised(archive, options)
    wanted = wanted if options.measures else wanted[:wanted.index(numbers[-1])]  # the others have no room
    curves = curves_of(archive, done(archive))
    told = []
    for number in wanted:
        lacking = [curve_text(curve) for curve, tasks in curves.items() if not any(is_finite(number, task) for task in tasks)]
        if number not in numbers and lacking:
            told.append(f"{number.text} (of {some(lacking)})")
    return f" Without a spoke, as it is not known or infinite: {'; '.join(told)}." if told else ""


def without_tasks(archive: Archive, numbers: list[Number]) -> str:
    """Which methods are not drawn, or not with all of their tasks, and for the sake of which spokes."""
    told = []
    for curve, tasks in curves_of(archive, done(archive)).items():
        spokes = [number.text for number in numbers if not all(is_finite(number, task) for task in tasks)]
        count = sum(not all(is_finite(number, task) for number in numbers) for task in tasks)
        if spokes:
            whole = "" if count == len(tasks) else f"{count} of {len(tasks)} tasks, "
            told.append(f"{curve_text(curve)} ({whole}{some(spokes)})")
    return f" Left out, as a spoke is not known or infinite: {'; '.join(told)}." if told else ""


def some(names: list[str]) -> str:
    """The first ones, and how many more there are."""
    more = len(names) - MOST_TOLD
    return ", ".join(names[:MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def draw_polygons(axes: plt.Axes, labels: dict[int, str], means: np.ndarray,
                  ends: np.ndarray) -> None:
    """@param labels  of each polygon, by the number of its colour."""
    angles = np.linspace(0, 2 * np.pi, means.shape[1] + 1)
    for (k, label), values in zip(labels.items(), means):
        shares = values / np.where(ends > 0, ends, 1)
        closed = np.append(shares, shares[0])
        style = {**look(k), "markersize": 3}
        axes.plot(angles, closed, label=as_it_is(label), **style)
        axes.fill(angles, closed, color=style["color"], alpha=0.06)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], [])


def label_spokes(axes: plt.Axes, names: list[str], ends: np.ndarray) -> None:
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    axes.set_xticks(angles, [as_it_is(textwrap.fill(name, 14)) + f"\n{end:.3g}"
                             for name, end in zip(names, ends)])
    axes.tick_params(axis="x", labelsize=6.5, pad=-2)
    for text, angle in zip(axes.get_xticklabels(), angles):
        across, up = np.cos(angle), np.sin(angle)
        text.set_horizontalalignment("center" if abs(across) < 0.2 else
                                     "left" if across > 0 else "right")
        text.set_verticalalignment("center" if abs(up) < 0.2 else "bottom" if up > 0 else "top")
