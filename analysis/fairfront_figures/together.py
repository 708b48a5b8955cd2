"""One picture of the fronts of several archives, a curve for each archive and method."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np

from fairfront_archive import Archive, Front, Objective, Task
from fairfront_archive.questions import Question, question_of
from fairfront_figures import known_fronts, view
from fairfront_figures.arrange import (Curve, Items, NothingToDraw, curve_text, limit_panels, panel_text,
                                       panels_of)
from fairfront_figures.fronts import (MOST_BANDS, MOST_SUMMARIES, Run, along_objectives, constant_prediction, curves_over,
                                      draw_constant, draw_means, draw_runs, fronts_of, learnt_here, mark_strays, median_of, note_of, reported,
                                      runs_of, set_limits, signs_of, strays_text, summary, view_of_runs)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, look

MOST_NAMES = 3  # of archives in the name of a file


@dataclasses.dataclass(frozen=True)
class Line:
    """A curve of one archive."""

    archive: Archive
    name: str  # of the archive
    problem: Items
    curve: Curve
    tasks: list[Task]
    runs: list[Run]
    by_task: dict[int, Front]

    @property
    def text(self) -> str:
        return f"{self.name}: {curve_text(self.curve)}"

    @property
    def objectives(self) -> list[Objective]:
        return self.runs[0].merged.objectives


def names_of(archives: Sequence[Archive]) -> list[str]:
    """The names of their files, with the folder where two have one name."""
    paths = [pathlib.Path(archive.path).resolve() for archive in archives]
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else f"{path.parent.name}/{stem}" for path, stem in zip(paths, stems)]


def stems_of(archives: Sequence[Archive]) -> list[str]:
    """What the names of each archive's files begin with; numbered where folders, too, have one name."""
    names = [name.replace("/", "-") for name in names_of(archives)]
    return [name if names.count(name) == 1 else f"{name}-{i + 1}" for i, name in enumerate(names)]


def file_name(archives: Sequence[Archive]) -> str:
    names = stems_of(archives)
    more = len(names) - MOST_NAMES
    return "-and-".join(names[:MOST_NAMES] + ([f"{more}-more"] if more > 0 else []))


def panels_together(archives: Sequence[Archive], options: Options) -> dict[str, list[Line]]:
    """The lines of each problem.

    @throws NothingToDraw  the archives are of several experiments or objectives, or of three; or no two have a problem
        in common.
    """
    experiments = list(dict.fromkeys(archive.experiment for archive in archives))
    if len(experiments) > 1:
        raise NothingToDraw(f"the archives are of several experiments: {', '.join(experiments)}")
    found: dict[Question, list[Line]] = {}
    names: dict[Question, str] = {}
    for archive, name in zip(archives, names_of(archives)):
        by_task = {front.task.index: front for front in fronts_of(archive, options)}
        for problem, curves in panels_of(archive, [front.task for front in by_task.values()]).items():
            for curve, tasks in curves.items():
                question = question_of(archive, tasks[0])
                # The data may be an axis of one and a fixed option of another.
                names[question] = max(names.get(question, ""), panel_text(archive, problem).removeprefix("data = "), key=len)
                found.setdefault(question, []).append(Line(archive, name, problem, curve, tasks,
                                                           runs_of(archive, tasks, by_task), by_task))
    titles = titles_of(names)
    panels = {titles[question]: lines for question, lines in found.items()}
    every = [line for lines in panels.values() for line in lines]
    if any(line.objectives != every[0].objectives or len(line.objectives) != 2 for line in every):
        raise NothingToDraw("the archives have other objectives, or more than two of them")
    if all(len({line.name for line in lines}) == 1 for lines in panels.values()):
        raise NothingToDraw(f"no two archives have a problem in common: {'; '.join(panels)}")
    return panels


def titles_of(base: dict[Question, str]) -> dict[Question, str]:
    """@param base  of each question a title, which may be that of several: these are told apart by what differs, until no
    two are the same."""
    titles = base
    while len(set(titles.values())) < len(titles) or titles is base:
        titles = {question: ", ".join([title, *differing(question, [other for other, own in titles.items() if own == title])])
                  for question, title in titles.items()}
    return titles


def differing(question: Question, alike: Iterable[Question]) -> list[str]:
    """The options of one that another one has not, or with another value."""
    others = [dict(other) for other in alike]
    return [f"{name.removeprefix('data.')} = {value}" for name, value in question
            if any(other.get(name) != value for other in others)]


def draw_together(archives: Sequence[Archive], options: Options) -> Sheet:
    """A panel per problem, a curve for each archive, method and setting; beside it what was chosen on the reported
    part."""
    panels = panels_together(archives, options)
    limit_panels(archives[0], len(panels))
    order = list(dict.fromkeys(line.text for lines in panels.values() for line in lines))
    reports = any(front.report is not None for lines in panels.values() for line in lines for run in line.runs
                  for front in run.fronts)
    page = sheet(len(panels) * (2 if reports else 1), options, columns=2 if reports else 3,
                 together=2 if reports else 1)
    summaries = sum(map(len, panels.values())) <= MOST_SUMMARIES
    place = iter(page.panels)
    for title, lines in panels.items():
        draw_panel(page, next(place), title, lines, order, summaries)
        if reports:
            draw_reported(page, next(place), title, lines, order)
    runs = {title: dict(enumerate(line.runs for line in lines)) for title, lines in panels.items()}
    page.legends(note_of(runs, True, reports, False), shared=not summaries or len(panels) == 1)
    return page


def draw_panel(page: Sheet, axes: plt.Axes, title: str, lines: list[Line], order: list[str], summaries: bool) -> None:
    objectives, runs = lines[0].objectives, [line.runs for line in lines]
    signs = signs_of(objectives)
    own = along_objectives(lines[0].archive, [lines[0].runs])
    analytic = known_fronts.of_panel(lines[0].archive, lines[0].problem) if own else None
    constant = constant_of(lines, "unlabelled")
    medians = [median_of(mine) for mine in runs]
    over = curves_over(medians)
    low, high = view.with_points(*view_of_runs(runs, analytic), np.vstack(medians), constant)
    set_limits(axes, signs, low, high)
    every = np.vstack([run.minimised for mine in runs for run in mine])
    page.title(axes, "\n".join(filter(None, [title, strays_text(every, low, high)])))
    if analytic is not None:
        axes.plot(*known_fronts.with_gaps(analytic).T, color="0", linewidth=0.6, label="analytic front", zorder=5)
    for place, line in enumerate(lines):
        index = order.index(line.text)
        label = f"{line.text}: {summary(line.runs, analytic)}" if summaries else line.text
        if learnt_here(line.archive, line.runs):
            label += " (learnt from these rows: not comparable here)"
        draw_runs(axes, line.runs, index, label, high, len(lines) <= MOST_BANDS, over[place])
        mark_strays(axes, median_of(line.runs), signs, low, high, look(index)["color"])
    draw_constant(axes, constant, low, high)
    for which, objective in zip("xy", objectives):
        page.label(axes, which, objective)


def constant_of(lines: list[Line], part: str) -> np.ndarray | None:
    """The best constant prediction, where all archives have the same one."""
    found = [constant_prediction(line.archive, [line.runs], part) for line in lines]
    same = all(one is not None and np.allclose(one, found[0], rtol=1e-3) for one in found) if found[0] is not None else False
    return found[0] if same else None


def draw_reported(page: Sheet, axes: plt.Axes, title: str, lines: list[Line], order: list[str]) -> None:
    found = {order.index(line.text): reported(line.archive, line.tasks, line.runs, line.by_task) for line in lines}
    found = {index: both for index, both in found.items() if both is not None and len(both[0])}
    if not found:
        say_that_none(page, axes, title)
        return
    draw_means(page, axes, title, lines[0].objectives, found,
               {order.index(line.text) for line in lines if len(line.runs) > 1}, len(lines) <= MOST_BANDS,
               constant_of(lines, "test"))
