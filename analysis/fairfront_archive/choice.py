"""Chooses one point of what a sweep has found, by the rules of `fairfront choose` (src/results/choice.hpp): decided on
the part that decides, reported on the other, and with a confidence tested on rows that no selection has seen."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import os
from collections.abc import Iterable

import numpy as np
import pandas

from fairfront_archive import program
from fairfront_archive.arguments import required_flag
from fairfront_archive.choice_card import with_choice
from fairfront_archive.choice_names import ChoiceNames
from fairfront_archive.choice_order import OrderRule
from fairfront_archive.choice_reason import reason_of
from fairfront_archive.choice_rows import RowsAtTruth, rows_at_truths, rows_needed
from fairfront_archive.choice_values import (PART_THAT_DECIDES, Bound, Candidate, ChoiceValue, PointValues, excess_of,
                                             in_units, units_of)
from fairfront_archive.choice_wish import Wish, wish_of, with_full_names
from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Front, Task, number
from fairfront_archive.files import path_text
from fairfront_archive.json_numbers import from_json
from fairfront_archive.model import FittedModel
from fairfront_archive.problem_names import wanted_problems
from fairfront_archive.questions import why_not_compared
from fairfront_archive.reader import Reader
from fairfront_archive.stored_models import source_of
from fairfront_archive.told_reasons import OF_CHOICE, with_names

DEFAULT_CONFIDENCE = 0.95  # of intervals, where no option says another one
Problems = dict[str, list[Task]]


@dataclasses.dataclass(eq=False)
class Choice:
    """One problem's points, the best ones first and those that break a bound at last."""

    archive: Reader
    problem: str
    candidates: list[Candidate]
    chosen: Candidate | None  # the first one, or none
    wish: Wish
    decided_on: str  # a part in words, as "validation part"
    tested_on: str  # where there is a confidence
    certified: int = 0  # how many have passed the tests, where there is a confidence
    rows_needed: float = math.nan  # where none has: times the tested rows that would let the first one pass; NaN without an interval
    rows_at_truths: list[RowsAtTruth] = dataclasses.field(default_factory=list)  # of the same point, if its truth were known
    nearest: Candidate | None = None  # then: the one whose limits come nearest to the bounds
    reason: str = ""  # why none is chosen, in the words of `fairfront choose`

    @property
    def bounds(self) -> tuple[Bound, ...]:
        return self.wish.bounds

    @property
    def confidence(self) -> float | None:
        return self.wish.confidence

    @property
    def randomised(self) -> bool:
        """Among randomised classifiers."""
        return self.wish.randomised

    def model(self, group: str | None = None) -> FittedModel:
        """Of the chosen point; its card says how it was chosen, and what that guarantees.

        @throws ArchiveError  none is chosen.
        """
        if self.chosen is None:
            raise ArchiveError(f"{self.archive.path}: no point of {self.problem} is chosen")
        source = source_of(self.archive, self.chosen.task.index, self.chosen.point, self.randomised)
        return FittedModel(with_choice(source, self), group)

    def frame(self) -> pandas.DataFrame:
        """A row for each candidate, in order: task, point, method, axes, keeps_bounds (on the part that decides), with a
        confidence certified, and of every name what is decided, of a bounded one with a confidence what is tested with
        the ends of its interval there, and what is reported, low and high."""
        rows = []
        bounded = {bound.name for bound in self.bounds if self.confidence is not None}
        for place, one in enumerate(self.candidates):
            row = {"task": one.task.index, "point": one.point, "method": one.task.method, **one.task.axes,
                   "keeps_bounds": one.keeps}
            if self.confidence is not None:
                row["certified"] = place < self.certified
            for name, value in one.values.items():
                row[name] = value.decided
                if name in bounded:
                    row |= dict(zip((f"{name}, tested", f"{name}, tested low", f"{name}, tested high"), value.tested))
                row |= {f"{name}, reported": value.reported, f"{name}, low": value.low, f"{name}, high": value.high}
            rows.append(row)
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        if self.chosen is None:
            nearest = "" if self.nearest is None else \
                f"; task {self.nearest.task.index}, point {self.nearest.point} comes nearest"
            keep = self.certified if self.confidence is not None else sum(one.keeps for one in self.candidates)
            unknown = f"; {keep} keep every bound, without anything by which one of them is the best" if keep else ""
            return f"<Choice {self.problem}: none of {len(self.candidates)} points{nearest}{unknown}>"
        return (f"<Choice {self.problem}: task {self.chosen.task.index}, point {self.chosen.point} "
                f"[{self.chosen.task.method}] of {len(self.candidates)} points>")

    def _bounds_text(self) -> str:
        bounds = " and ".join(map(str, self.bounds))
        if not bounds:
            return ""
        if self.confidence is None:
            return f"; {bounds} on the part that decides"
        return (f"; {bounds} in the population, with a confidence of {self.confidence:g}: "
                f"{self.certified} of {len(self.candidates)} points certified{self._rows_text()}")

    def _rows_text(self) -> str:
        if not math.isfinite(self.rows_needed):
            return ""
        text = f"; the first point tested would need some {_tenths(max(1.1, self.rows_needed))} times the rows of the {self.tested_on}"
        if not self.rows_at_truths:
            return text
        return f"{text}; with 9 chances in 10, were the truth known: " \
               f"{', '.join(self._at_truth(*each) for each in enumerate(self.rows_at_truths))}"

    def _at_truth(self, place: int, at: RowsAtTruth) -> str:
        again = place > 0 and len(self.bounds) == 1
        truths = " and ".join(f"{'it' if again else bound.name} is {truth:.3g}" for bound, truth in zip(self.bounds, at.truth))
        return f"{_tenths(max(1.0, at.times))} times if {truths}"

    def _repr_html_(self) -> str:
        told = html.escape(f"{repr(self).strip('<>')}{self._bounds_text()}")
        return f"<p>{told}</p>{self.frame().head(5).to_html(index=False)}"


def _tenths(times: float) -> str:
    """Rounded up."""
    return f"{math.ceil(10 * times) / 10:.1f}" if math.isfinite(times) else "inf"


def choose(archive: Reader, bound: str | Iterable[str] = (), best: str | None = None, knee: bool = False,
           method: str | Iterable[str] = (), confidence: float | None = None,
           data_dir: str | os.PathLike[str] | None = None, randomised: bool = False,
           problem: str | None = None, intervals: bool = False) -> list[Choice]:
    """One choice for each problem; see `Archive.choose`."""
    try:
        return _choices(archive, wish_of(bound, best, knee, method, confidence, randomised), data_dir, problem,
                        required_flag("intervals", intervals))
    except ArchiveError as error:
        told = str(error)
        raise ArchiveError(told if archive.path in told else f"{archive.path}: {told}") from error


def _choices(archive: Reader, wish: Wish, data_dir: str | os.PathLike[str] | None, problem: str | None,
             intervals: bool) -> list[Choice]:
    data_dir = None if data_dir is None else path_text("data_dir", data_dir)
    if not archive.fronts():
        raise ArchiveError(f"{archive.path}: holds no fronts, and so no point to choose")
    _require_methods(archive, wish.methods)
    wish = with_full_names(archive, wish)
    problems = wanted_problems(archive, wish.methods, problem)
    if not wish.randomised and _wants_points(archive, wish, problems):
        return [_told(archive, one, wish) for one in _ask_program(archive, wish, data_dir, problem)]
    choices = _Chooser(archive, wish, problems).choices()
    if intervals and _are_unmeasured(archive, choices):
        return [_told(archive, one, wish) for one in _ask_program(archive, wish, data_dir, problem, "--intervals")]
    return choices


def _require_methods(archive: Reader, methods: tuple[str, ...]) -> None:
    with_front = {front.task.method for front in archive.fronts()} | {
        task.method for task in archive.tasks if task.status != "done"}
    names = ", ".join(sorted(with_front))
    for name in methods:
        if name not in archive.methods():
            raise ArchiveError(f"no task of the method '{name}'; there are: {names}")
        if name not in with_front:
            raise ArchiveError(f"the method '{name}' makes no fronts, and so no point to choose; these do: {names}")


def _wants_points(archive: Reader, wish: Wish, problems: Problems) -> bool:
    """Whether points are to be measured by their models, on the data: the wish is of measures, and of a front's points
    the archive has none."""
    wanted = {task.index for tasks in problems.values() for task in tasks if _can_be_chosen(archive, task, wish)}
    if not wanted & _need_measures(archive):
        return False
    if wish.confidence is not None:
        return len(wish.bounds) > 0
    return not wish.names() <= {one.name for one in archive.fronts()[0].objectives}


def _are_unmeasured(archive: Reader, choices: list[Choice]) -> bool:
    """Whether the archive has nothing but objectives of a chosen point."""
    chosen = {choice.chosen.task.index for choice in choices if choice.chosen is not None}
    return bool(chosen & _need_measures(archive))


def _need_measures(archive: Reader) -> set[int]:
    """Tasks of whose points the archive says nothing but their objectives: there are several, its measures are of another
    model, or there are none."""
    unmeasured = _unmeasured(archive)
    return {front.task.index for front in archive.fronts() if len(front.points) > 0
            and (not archive.measures_are_of_point(front) or unmeasured[front.task.index])}


def _unmeasured(archive: Reader) -> np.ndarray:
    """Of every task whether there is a model of its one point, and nothing is said of it."""
    unmeasured = np.array([bool(model) for model in archive.models()])
    for one in archive.measures().values():
        unmeasured &= np.isnan(one.values).reshape(len(unmeasured), -1).all(axis=1)
    return unmeasured


def _can_be_chosen(archive: Reader, task: Task, wish: Wish) -> bool:
    is_wanted = not wish.methods or task.method in wish.methods
    is_compared = set(wish.methods) != {task.method}  # with other methods
    return task.status == "done" and is_wanted and not archive.learnt_from_deciding(task, groups=is_compared)


def _ask_program(archive: Reader, wish: Wish, data_dir: str | None, problem: str | None, *options: str) -> list[dict]:
    """@throws ArchiveError  there is no program, or what it says against it: data that are not there, ..."""
    options += ("--partial",) if archive.status == "partial" else ()
    options += ("--data-dir", data_dir) if data_dir is not None else ()
    options += ("--problem", problem) if problem is not None else ()
    try:
        found, _ = program.ask("choose", *wish.arguments(), *options, "--all", "--json", "--", archive.path, answers=(0, 1))
    except ArchiveError as error:
        raise ArchiveError(with_names(str(error), OF_CHOICE)) from error
    return json.loads(found)


def _told(archive: Reader, told: dict, wish: Wish) -> Choice:
    """What the program says of one problem."""
    points = {front.task.index: len(front.points) for front in archive.fronts()}

    def candidate(one: dict) -> Candidate:
        values = {name: _value_told(value) for name, value in one["values"].items()}
        excess = excess_of(wish.bounds, values)
        return Candidate(archive.tasks[one["task"]], one["point"], points[one["task"]], values, one["keeps_bounds"], excess)

    candidates = [candidate(one) for one in ([told["chosen"]] if told["chosen"] else []) + told["next"]]
    choice = Choice(archive, told["problem"], candidates, candidates[0] if told["chosen"] else None, wish,
                    told["decided_on"], told.get("tested_on", ""), told.get("certified", 0), reason=told.get("reason", ""))
    if "nearest" in told:
        place = (told["nearest"]["task"], told["nearest"]["point"])
        choice.nearest = next(one for one in candidates if (one.task.index, one.point) == place)
        choice.rows_needed = from_json(told["rows_needed"])
        choice.rows_at_truths = [RowsAtTruth(tuple(map(from_json, at["truth"])), from_json(at["times"]))
                                 for at in told["rows_at_truths"]]
    return choice


def _value_told(value: dict) -> ChoiceValue:
    known = {name: from_json(end) for name, end in value.items() if name != "tested"}
    tested = value.get("tested", dict.fromkeys(("value", "low", "high")))
    return ChoiceValue(**known, tested=tuple(map(from_json, tested.values())))


def _interval_confidence(archive: Reader) -> float:
    given = [number(value.strip()) for name, values in archive.config.items()
             if name.rpartition(".")[2] == "confidence" and name.partition(".")[0] not in archive.methods()
             for value in values.split(",")]
    return min((value for value in given if value is not None and value < 1), default=DEFAULT_CONFIDENCE)


class _Chooser:
    """Choices for each of several problems, by names that are taken in all of them."""

    def __init__(self, archive: Reader, wish: Wish, problems: Problems) -> None:
        self.archive, self.wish = archive, wish
        self.values = PointValues(archive, wish.randomised)
        if wish.confidence is not None:  # before names are looked at: no other name would help
            self._require_confidence()
        self.problems = {problem: self._places_of(tasks) for problem, tasks in problems.items()}
        self._require_names()
        names = dict.fromkeys([*self.values.objectives, *(bound.name for bound in wish.bounds),
                               *([wish.best] if wish.best else [])])
        best = wish.best or self.values.objectives[0]
        self.rule = OrderRule({name: self.values.directions[name] for name in names}, None if wish.knee else best)
        if not wish.knee and self.rule.directions[best] == "none":
            raise ArchiveError(f"{best} is neither minimised nor maximised: it cannot be best")
        if wish.knee and len(self.values.objectives) != 2:
            raise ArchiveError("a knee is that of a front of two objectives; name what is to be best")

    def choices(self) -> list[Choice]:
        return [self._choice(problem, places) for problem, places in self.problems.items()]

    def _places_of(self, tasks: list[Task]) -> list[tuple[Front, int]]:
        """The points that can be chosen."""
        wanted = {task.index for task in tasks if _can_be_chosen(self.archive, task, self.wish)}
        if self.wish.randomised:
            models = self.archive.models()
            wanted = {task for task in wanted if " members=" in models[task]}
        if why := why_not_compared(self.archive, [task for task in tasks if task.index in wanted]):
            raise ArchiveError(why)
        return [(front, point) for front in self.archive.fronts() if front.task.index in wanted
                for point in range(len(front.points))]

    def _require_names(self) -> None:
        names = ChoiceNames(self.values, list(self.problems.values()), self.wish.randomised,
                            self.wish.confidence is not None)
        for bound in self.wish.bounds:
            names.require(bound.name, bound)
        if self.wish.best:
            names.require(self.wish.best, None)

    def _choice(self, problem: str, places: list[tuple[Front, int]]) -> Choice:
        points = self._in_units([self._candidate(front, point) for front, point in places])
        choice = Choice(self.archive, problem, points, None, self.wish, self._decided_on(),
                        self.values.tested_on() if self.wish.confidence is not None else "")
        if self.wish.confidence is None:
            choice.candidates, choice.chosen = self.rule.in_order(points, lambda one: one.keeps)
            choice.reason = reason_of(choice, None)
        else:
            self._certify(choice)
        return choice

    def _decided_on(self) -> str:
        """The part in words, where all that the choice looks at is known on the same one."""
        looked_at = {bound.name for bound in self.wish.bounds}
        looked_at |= set(self.values.objectives if self.wish.knee else
                         [self.wish.best or self.values.objectives[0]])
        measured = all(name not in self.values.objectives or name in self.archive.measures() for name in looked_at)
        return self.values.decided_on() if measured else PART_THAT_DECIDES

    def _candidate(self, front: Front, point: int) -> Candidate:
        values = {name: self.values.of(front, point, name) for name in self.rule.directions}
        excess = excess_of(self.wish.bounds, values)
        return Candidate(front.task, point, len(front.points), values, excess <= 0, excess)

    def _in_units(self, points: list[Candidate]) -> list[Candidate]:
        bounds = self.wish.bounds
        if len(bounds) < 2:
            return points
        units = units_of(bounds, points)
        return [dataclasses.replace(one, excess=max(in_units(bound.excess(one.values[bound.name].decided), unit)
                                                    for bound, unit in zip(bounds, units))) for one in points]

    def _certify(self, choice: Choice) -> None:
        choice.candidates.sort(key=lambda one: (one.excess, one.task.index, one.point))
        first = next(iter(choice.candidates), None)
        passed = set()
        for one in choice.candidates:
            if not all(bound.excess(one.values[bound.name].limit(bound)) <= 0 for bound in self.wish.bounds):
                break
            passed.add((one.task.index, one.point))
        choice.certified = len(passed)
        choice.candidates, choice.chosen = self.rule.in_order(
            choice.candidates, lambda one: (one.task.index, one.point) in passed)
        if not passed and first is not None:
            if all(not math.isnan(first.values[bound.name].limit(bound)) for bound in self.wish.bounds):
                one_sided = self._confidence_of_limits()
                choice.rows_needed = rows_needed(self.values, first, self.wish.bounds, one_sided)
                choice.rows_at_truths = rows_at_truths(self.values, first, self.wish.bounds, one_sided)
            units = units_of(self.wish.bounds, choice.candidates)
            choice.nearest = min(choice.candidates, key=lambda one: max(
                in_units(bound.excess(one.values[bound.name].limit(bound)), unit)
                for bound, unit in zip(self.wish.bounds, units)))
        choice.reason = reason_of(choice, first)

    def _confidence_of_limits(self) -> float:
        """Of one end of an interval of the tested part."""
        own = _interval_confidence(self.archive)
        return own if self.values.tests_apart() else (1 + own) / 2

    def _require_confidence(self) -> None:
        if not self.wish.bounds:
            raise ArchiveError("a confidence is that of a bound; give one")
        most = self._confidence_of_limits()
        wanted = self.wish.confidence
        if wanted > most:
            needed = wanted if self.values.tests_apart() else 2 * wanted - 1
            raise ArchiveError(f"the archive's intervals of confidence {_interval_confidence(self.archive):g} prove a bound "
                               f"with a confidence of at most {most:g}; for {wanted:g} they would have to be intervals of "
                               f"confidence {needed:g}")
