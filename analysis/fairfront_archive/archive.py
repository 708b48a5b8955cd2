"""An open archive: frames, models and choices of what `Reader` reads."""

from __future__ import annotations

import functools
import html
import os
from collections.abc import Iterable

import pandas

from fairfront_archive import choice, frames, stored_models
from fairfront_archive.choice import Choice
from fairfront_archive.errors import ArchiveError
from fairfront_archive.measured import Number
from fairfront_archive.model import FittedModel
from fairfront_archive.reader import Reader


class Archive(Reader):
    """An open archive. Use it in a `with` statement, or `close` it.

    What was changed after it was written is refused: every column is looked at, no link is followed, and
    all three digests are computed again. Where the program fairfront is found, its `verify` has looked at the
    file first; `checked` says what was done.

    Columns come as numpy arrays in the order of the tasks, and tidy pandas frames from `task_frame`,
    `metric_frame`, `measure_frame`, `group_frame`, `gap_frame`, `series_frame`, `front_frame` and
    `solution_frame`.
    """

    def _repr_html_(self) -> str:
        """What a notebook shows: what was run, how far it is, and where results stand."""
        rows = [("experiment", self.experiment), ("status", f"{self.status}: {self.progress()}"),
                ("digest", self.digest), ("measures digest", self.measures_digest), ("checked", self.checked),
                ("data", ", ".join(dict.fromkeys(self.data_names()))),
                ("methods", ", ".join(self.methods()))]
        rows += [(f"axis {name}", f"{self.roles[name]}: {', '.join(values[:12])}"
                  f"{', …' if len(values) > 12 else ''}") for name, values in self.axes.items()]
        rows += [("metrics", ", ".join(self.metric_names())),
                 ("measures", "; ".join(f"{name} ({', '.join(measure.parts)})"
                                        for name, measure in self.measures().items())),
                 ("series", ", ".join(self.series_names())),
                 ("solutions", ", ".join(self.solution_names()))]
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
                        for name, value in rows if value)
        return f"<table><caption>{html.escape(self.path)}</caption>{cells}</table>"

    def task_frame(self) -> pandas.DataFrame:
        """A row per task: key, method, status, message, seconds, a column per axis (numbers where
        all its values are numbers) and one per number of `numbers` that is of no single group, such
        as "iterations" or "error (test)". `attrs` has roles, units and directions."""
        return frames.task_frame(self)

    def metric_frame(self) -> pandas.DataFrame:
        """A row per task and metric: task, method, axes, metric, value, unit, direction."""
        return frames.metric_frame(self)

    def measure_frame(self) -> pandas.DataFrame:
        """A row per task, measure, part and group of which something is known: task, method, axes,
        measure, part, group, value, low, high (ends of its interval, or NaN), unit, direction. Which groups
        make a gap is in `gap_frame`."""
        return frames.measure_frame(self)

    def group_frame(self) -> pandas.DataFrame:
        """A row per task, part and group ("all" first, then single groups): task, method, axes, part,
        group, rows, and a column for every measure of a group's rows alone, with its interval in
        "NAME_low" and "NAME_high". NaN where it is not defined, or a group has too few rows to say.
        `attrs` has roles, units and directions."""
        return frames.group_frame(self)

    def gap_frame(self) -> pandas.DataFrame:
        """A row per task, part and gap whose groups are known: task, method, axes, measure, part, value,
        low, high, and the groups that make it: group and group_value, what it has more than the other
        one (of a ratio its share of the other's, of a distance the distance), other and other_value.
        Of a worst group, and of one against all rows, there is no other."""
        return frames.gap_frame(self)

    def series_frame(self, *names: str) -> pandas.DataFrame:
        """A row per task, series and step: task, method, axes, series, step, value, seconds (NaN
        where nobody has measured them). Without names: every series."""
        return frames.series_frame(self, names or tuple(self.series_names()))

    def front_frame(self, merged: str | None = None) -> pandas.DataFrame:
        """A row per point of a front: task, method, axes, a column per objective, and one with
        "report " before its name for the same point on the part that is reported. Where tasks of `[lower_bound]`
        have proven bounds: "proven_lower", the greatest one that the point's balance reaches, and "gap", the
        share of its cost by which another point could be better at most.

        @param merged  None: every point of every task; "per_replicate" or "over_replicates": those
                       that no point of the same curve, or of the same configuration, dominates.
        """
        return frames.front_frame(self, merged)

    def solution_frame(self, name: str) -> pandas.DataFrame:
        """A row per solution: task, method, axes, and its values as an array."""
        return frames.solution_frame(self, name)

    def numbers(self) -> dict[str, Number]:
        """Every metric under its name, and every measure on one part and group: "error (test)",
        "error (test, group NAME)". A table, a page or a figure has them beside each other."""
        return self._numbers

    def model(self, task: int = 0, point: int | None = None, group: str | None = None,
              randomised: bool = False) -> FittedModel:
        """The fitted model of a task, or of one point of its front, counted from 0; None: what the task's
        measures are of, or else the front's only point. Where a method selects its front among its iterates, the
        measures are of none of its points, which the card says.

        @param group       the column of a frame with the group of every row, for models that need it.
        @param randomised  of [reductions]: not the best single classifier, but the draw among several that
                           keeps the bound.
        @throws ArchiveError  there is none.
        """
        return stored_models.model_of(self, task, point, group, randomised)

    def choose(self, bound: str | Iterable[str] = (), best: str | None = None, knee: bool = False,
               method: str | Iterable[str] = (), confidence: float | None = None,
               data_dir: str | os.PathLike[str] | None = None, randomised: bool = False,
               problem: str | None = None, intervals: bool = False) -> list[Choice]:
        """One point for every problem, by the rules of `fairfront choose`: the best one within the bounds.

        @param bound       "NAME<=X" or "NAME>=X" of an objective or a measure, or several.
        @param best        what is to be best; None: the first objective.
        @param knee        in place of `best`: the corner of a front of two objectives; with bounds of the points within them.
        @param method      only points of these methods.
        @param confidence  the bounds hold for the population, with this confidence.
        @param data_dir    of the data files. The archive has the measures of one model a task; points with other
                           models are measured by the program, on the data, where the wish needs it.
        @param randomised  of [reductions]: among the randomised classifiers, by randomised_error and bounds on
                           randomised_independence_gap and the like.
        @param problem     only this one, as `Choice.problem` has its name.
        @param intervals   a chosen point that the archive has no measures of, such as one of several of a front, is measured
                           by the program, on the data, so that what is reported of it has intervals.
        @throws ArchiveError  a name that no point has, what bounds with a confidence need is not there, or points
                              are to be measured and program or data are not there.
        """
        return choice.choose(self, bound, best, knee, method, confidence, data_dir, randomised, problem,
                             intervals)

    @functools.cached_property
    def _numbers(self) -> dict[str, Number]:
        return frames.numbers_of(self)


def require_no_input(target: str, *inputs: str) -> None:
    """A figure never takes the place of what it is drawn from, under whatever name."""
    for path in inputs:
        if os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path):
            raise ArchiveError(f"{target}: is read by this script; choose another output")
