"""Chooses one point of what a sweep has found, by the rules of `fairfront choose` (src/results/choice.hpp): decided on
the part that decides, reported on the other, and with a confidence tested on rows that no selection has seen."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import numbers
import os
import statistics
from collections.abc import Callable, Iterable

import numpy as np
import pandas

from fairfront_archive import program
from fairfront_archive.cells import real
from fairfront_archive.common_names import RANDOMISED, measure_called
from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Front, Task, number
from fairfront_archive.measured import ALL, Measure
from fairfront_archive.model import FittedModel
from fairfront_archive.reader import Reader
from fairfront_archive.rows_needed import GAPS_IN, SeenGap, growth_after_failure
from fairfront_archive.stored_models import model_of

DEFAULT_CONFIDENCE = 0.95  # of intervals, where no option says another one
POWER = 0.9
TESTS = "choice"  # the part that is there for tests alone
NOTHING = (math.nan,) * 3


@dataclasses.dataclass(frozen=True)
class Bound:
    """value of `name` <= limit, or >= limit."""

    name: str
    at_most: bool
    limit: float

    def excess(self, value: float) -> float:
        """0 or less if it is kept."""
        return value - self.limit if self.at_most else self.limit - value

    def __str__(self) -> str:
        return f"{self.name} {'<=' if self.at_most else '>='} {self.limit!r}"


@dataclasses.dataclass(frozen=True)
class ChoiceValue:
    """What is known of one name at one point; NaN where it is not. Ends are those of intervals."""

    decided: float
    reported: float
    low: float
    high: float
    tested: tuple[float, float, float]  # value, low and high on the rows for tests


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A point that can be chosen."""

    task: Task
    point: int  # of the task's front
    of: int  # points that this front has
    values: dict[str, ChoiceValue]
    keeps: bool  # every bound, on the part that decides
    excess: float  # how far it is from the bounds there


@dataclasses.dataclass(eq=False)
class Choice:
    """One problem's points, the best ones first and those that break a bound at last."""

    archive: Reader
    problem: str
    candidates: list[Candidate]
    chosen: Candidate | None  # the first one, or none
    bounds: tuple[Bound, ...]
    confidence: float | None
    certified: int = 0  # how many have passed the tests, where there is a confidence
    rows_needed: float = math.nan  # where none has: times the tested rows that would let the first one pass
    nearest: Candidate | None = None  # then: the one whose limits come nearest to the bounds
    randomised: bool = False  # among randomised classifiers

    def model(self, group: str | None = None) -> FittedModel:
        """Of the chosen point.

        @throws ArchiveError  none is chosen.
        """
        if self.chosen is None:
            raise ArchiveError(f"{self.archive.path}: no point of {self.problem} is chosen")
        return model_of(self.archive, self.chosen.task.index, self.chosen.point, group, self.randomised)

    def frame(self) -> pandas.DataFrame:
        """A row for each candidate, in order: task, point, method, axes, keeps_bounds, and of every name what is
        decided, reported, low and high."""
        rows = []
        for one in self.candidates:
            row = {"task": one.task.index, "point": one.point, "method": one.task.method, **one.task.axes,
                   "keeps_bounds": one.keeps}
            for name, value in one.values.items():
                row |= {name: value.decided, f"{name}, reported": value.reported, f"{name}, low": value.low,
                        f"{name}, high": value.high}
            rows.append(row)
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        if self.chosen is None:
            nearest = "" if self.nearest is None else \
                f"; task {self.nearest.task.index}, point {self.nearest.point} comes nearest"
            return f"<Choice {self.problem}: none of {len(self.candidates)} points{nearest}>"
        return (f"<Choice {self.problem}: task {self.chosen.task.index}, point {self.chosen.point} "
                f"[{self.chosen.task.method}] of {len(self.candidates)} points>")

    def _repr_html_(self) -> str:
        told = html.escape(repr(self).strip("<>"))
        return f"<p>{told}</p>{self.frame().head(5).to_html(index=False)}"


def choose(archive: Reader, bound: str | Iterable[str] = (), best: str | None = None, knee: bool = False,
           method: str | Iterable[str] = (), confidence: float | None = None,
           data_dir: str | os.PathLike[str] | None = None, randomised: bool = False) -> list[Choice]:
    """One choice for each problem; see `Archive.choose`."""
    try:
        return _choices(archive, bound, best, knee, method, confidence, data_dir, randomised)
    except ArchiveError as error:
        told = str(error)
        raise ArchiveError(told if archive.path in told else f"{archive.path}: {told}") from error


def _choices(archive: Reader, bound: str | Iterable[str], best: str | None, knee: bool, method: str | Iterable[str],
             confidence: float | None, data_dir: str | os.PathLike[str] | None, randomised: bool) -> list[Choice]:
    bounds = tuple(bound_of(text) for text in _texts("bound", bound))
    bounds = tuple(dataclasses.replace(one, name=measure_called(one.name)) for one in bounds)
    if best is not None and not isinstance(best, str):
        raise ArchiveError(f"best = {best!r}, must be a text: the name of an objective or a measure")
    if best == "":
        raise ArchiveError("best = '' is no name: leave it out to take the first objective")
    if data_dir is not None and not os.fspath(data_dir):
        raise ArchiveError("data_dir = '' is no folder: leave it out to take $FAIRFRONT_DATA, else ./data")
    best = None if best is None else measure_called(best)
    methods = _texts("method", method)
    if not archive.fronts():
        raise ArchiveError(f"{archive.path}: holds no fronts, and so no point to choose")
    if knee and best is not None:
        raise ArchiveError("knee and best exclude each other")
    if randomised and (knee or confidence is not None):
        raise ArchiveError("of randomised classifiers measures are known, such as randomised_error, without intervals: "
                           "there is no knee, and nothing can be proven")
    problems = _problems_with(archive, methods)
    if randomised:
        return _Chooser(archive, bounds, best or "randomised_error", False, methods, None, problems, True).choices()
    if confidence is not None and not (isinstance(confidence, numbers.Real) and 0.5 < confidence < 1):
        raise ArchiveError(f"confidence = {confidence}, must be between 0.5 and 1")
    _require_methods(archive, methods)
    bounds = tuple(dataclasses.replace(one, name=name) for one in bounds for name in _full_names(archive, one.name))
    best = None if best is None else _full_name(archive, best)
    if _wants_points(archive, bounds, best, methods, confidence):
        wish = [word for bound in bounds for word in ("--bound", str(bound))]
        wish += [word for one in methods for word in ("--method", one)]
        wish += ["--best", best] if best is not None else ["--knee"] if knee else []
        wish += ["--confidence", repr(float(confidence))] if confidence is not None else []
        return [_told(archive, one, bounds, confidence) for one in _ask_program(archive, wish, data_dir)]
    return _Chooser(archive, bounds, best, knee, methods, confidence, problems).choices()


def _require_methods(archive: Reader, methods: list[str]) -> None:
    with_front = {front.task.method for front in archive.fronts()} | {
        task.method for task in archive.tasks if task.status != "done"}
    names = ", ".join(sorted(with_front))
    for name in methods:
        if name not in archive.methods():
            raise ArchiveError(f"no task of the method '{name}'; there are: {names}")
        if name not in with_front:
            raise ArchiveError(f"the method '{name}' makes no fronts, and so no point to choose; these do: {names}")


def _full_names(archive: Reader, name: str) -> list[str]:
    """The objectives that have these words in their names, where nothing is called so itself; else the name."""
    objectives = [one.name for one in archive.fronts()[0].objectives]
    if name in objectives or name in archive.measures():
        return [name]
    return [full for full in objectives if f" {name} " in f" {full} "] or [name]


def _full_name(archive: Reader, name: str) -> str:
    """@throws ArchiveError  it is of several."""
    names = _full_names(archive, name)
    if len(names) > 1:
        raise ArchiveError(f"'{name}' is of several objectives, of which one is to be best: {', '.join(names)}")
    return names[0]


def _problems_with(archive: Reader, methods: list[str]) -> list[tuple[str, list[Task]]]:
    """The problems that one of the methods has a task of; of no methods all."""
    return [(problem, tasks) for problem, tasks in problems_of(archive).items()
            if not methods or any(task.method in methods for task in tasks)]


def _wants_points(archive: Reader, bounds: tuple[Bound, ...], best: str | None, methods: list[str],
                  confidence: float | None) -> bool:
    """Whether points are to be measured by their models, on the data: the wish is of measures, and of a front's points
    the archive has none."""
    fronts = archive.fronts()
    if not any((len(front.points) > 1 or _is_unmeasured(archive, front.task.index)) and
               _can_be_chosen(archive, front.task, methods) for front in fronts):
        return False
    if confidence is not None:
        return len(bounds) > 0
    objectives = {one.name for one in fronts[0].objectives}
    return not {bound.name for bound in bounds} | ({best} if best else set()) <= objectives


def _is_unmeasured(archive: Reader, task: int) -> bool:
    """Whether there is a model of the task's one point, and nothing is said of it."""
    return bool(archive.models()[task]) and all(np.isnan(one.values[task]).all() for one in archive.measures().values())


def _can_be_chosen(archive: Reader, task: Task, methods: list[str]) -> bool:
    return task.status == "done" and (not methods or task.method in methods) and not archive.learnt_from_deciding(task)


def _ask_program(archive: Reader, wish: list[str], data_dir: str | os.PathLike[str] | None) -> list[dict]:
    """@throws ArchiveError  there is no program, or what it says against it: data that are not there, ..."""
    options = ["--partial"] if archive.status == "partial" else []
    options += ["--data-dir", os.fspath(data_dir)] if data_dir is not None else []
    found, _ = program.ask("choose", *wish, *options, "--all", "--json", "--", archive.path, answers=(0, 1))
    return json.loads(found)


def _told(archive: Reader, told: dict, bounds: tuple[Bound, ...], confidence: float | None) -> Choice:
    """What the program says of one problem."""
    points = {front.task.index: len(front.points) for front in archive.fronts()}

    def candidate(one: dict) -> Candidate:
        values = {name: _value_told(value) for name, value in one["values"].items()}
        excess = _excess(bounds, values)
        return Candidate(archive.tasks[one["task"]], one["point"], points[one["task"]], values, one["keeps_bounds"], excess)

    candidates = [candidate(one) for one in ([told["chosen"]] if told["chosen"] else []) + told["next"]]
    choice = Choice(archive, told["problem"], candidates, candidates[0] if told["chosen"] else None, bounds, confidence,
                    told.get("certified", 0))
    if "nearest" in told:
        place = (told["nearest"]["task"], told["nearest"]["point"])
        choice.nearest = next(one for one in candidates if (one.task.index, one.point) == place)
        choice.rows_needed = math.inf if told["rows_needed"] is None else told["rows_needed"]
    return choice


def _value_told(value: dict) -> ChoiceValue:
    known = {name: math.nan if end is None else end for name, end in value.items() if name != "tested"}
    tested = value.get("tested", dict.fromkeys(("value", "low", "high")))
    return ChoiceValue(**known, tested=tuple(math.nan if end is None else end for end in tested.values()))


def _excess(bounds: tuple[Bound, ...], values: dict[str, ChoiceValue]) -> float:
    over = [bound.excess(values[bound.name].decided) for bound in bounds]
    return math.inf if any(map(math.isnan, over)) else max(over, default=0.0)


def _texts(what: str, given: str | Iterable[str] | None) -> list[str]:
    """One text, or several; None: no text."""
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else \
        [] if given is None else [given]
    for text in texts:
        if not isinstance(text, str):
            raise ArchiveError(f"{what} = {given!r}, must be a text or several")
    return texts


def bound_of(text: str) -> Bound:
    """Of "NAME<=X" or "NAME>=X"."""
    for sign in ("<=", ">="):
        name, found, limit = text.partition(sign)
        value = real(limit.strip()) if found else None
        if value is not None and name.strip():
            return Bound(name.strip(), sign == "<=", value)
        if found:
            break
    raise ArchiveError(f"the bound '{text}' must be NAME<=NUMBER or NAME>=NUMBER")


def _makes_problems(archive: Reader, axis: str) -> bool:
    section, dot, _ = axis.partition(".")
    of_no_method = bool(dot) and section not in archive.methods()
    return archive.roles[axis] == "problem" or archive.roles[axis] == "replicate" and of_no_method


def problems_of(archive: Reader) -> dict[str, list[Task]]:
    """Tasks that may have fronts, by the problem's name."""
    with_front = {front.task.index for front in archive.fronts()}
    found: dict[str, list[Task]] = {}
    for task in archive.tasks:
        if task.status == "done" and task.index not in with_front:
            continue
        own = [f"{name}={value}" for name, value in task.axes.items() if _makes_problems(archive, name)]
        found.setdefault(", ".join(own) or next(iter(archive.data_names()), "-"), []).append(task)
    return found


def _interval_confidence(archive: Reader) -> float:
    given = [number(value.strip()) for name, values in archive.config.items()
             if name.rpartition(".")[2] == "confidence" and name.partition(".")[0] not in archive.methods()
             for value in values.split(",")]
    return min((value for value in given if value is not None and value < 1), default=DEFAULT_CONFIDENCE)


def part_roles(archive: Reader) -> tuple[str, str, str]:
    """The parts that decide, test and are reported, of an archive's measures, "" where there is none: one that has no
    value on the part that decides is not decided by another. The last part is reported, and what comes before it
    decides; the one that is there for tests does neither. Where no front says anything of a reported part, the last
    one decides."""
    parts = max((measure.parts for measure in archive.measures().values()), key=len, default=()) or ("",)
    own = [part for part in parts if part != TESTS]
    if not own:
        return parts[-1], parts[-1], parts[-1]
    fronts = archive.fronts()
    reports = not fronts or any(front.report is not None and not np.isnan(front.report).all() for front in fronts)
    if not reports and len(parts) > 1:
        return own[-1], TESTS if TESTS in parts else "", ""
    return own[-2] if len(own) > 1 else own[-1], TESTS if TESTS in parts else own[-1], own[-1]


def _deciding_part(archive: Reader, task: Task) -> str:
    """Which part decides on a task's points, where its method has an option for that."""
    option = f"{task.method}.choose_on"
    return str(task.axes.get(option, archive.config.get(option, "")))


def _along(distance: float, size: float) -> float:
    """A distance from the end of the front in units of its range. A front of one point has none: what is not level with
    it is beyond all measure."""
    if size > 0:
        return distance / size
    return math.inf if distance > 0 else 0.0


def _measured(measure: Measure, task: int, roles: tuple[str, str, str]) -> ChoiceValue:
    decides, tests, reported = (tuple(map(float, measure.of(part)[task])) if measure.has(part) else NOTHING
                                for part in roles)
    return ChoiceValue(decides[0], *reported, tests)


def _limit(value: ChoiceValue, bound: Bound) -> float:
    """The end of the interval that a bound looks at."""
    _, low, high = value.tested
    return high if bound.at_most else low


class _Chooser:
    """Choices for each of several problems, by names that are taken in all of them."""

    def __init__(self, archive: Reader, bounds: tuple[Bound, ...], best: str | None, knee: bool, methods: list[str],
                 confidence: float | None, problems: list[tuple[str, list[Task]]], randomised: bool = False) -> None:
        self.archive, self.bounds, self.knee = archive, bounds, knee
        self.methods, self.confidence = methods, confidence
        self.roles = part_roles(archive)
        self.randomised = randomised
        if confidence is not None:  # before names are looked at: no other name would help
            self._require_confidence()
        self.problems = [(problem, self._places_of(tasks)) for problem, tasks in problems]
        objectives = () if randomised else archive.fronts()[0].objectives  # those are the single classifier's
        self.directions = {one.name: one.direction for one in objectives}
        self.objectives = list(self.directions)
        for bound in bounds:
            self._add_name(bound.name, bound)
        if best:
            self._add_name(best, None)
        self.best = best or self.objectives[0]
        if not knee and self.directions[self.best] == "none":
            raise ArchiveError(f"{self.best} is neither minimised nor maximised: it cannot be best")
        if knee and len(self.objectives) != 2:
            raise ArchiveError("a knee is that of a front of two objectives; name what is to be best")

    def choices(self) -> list[Choice]:
        return [self._choice(problem, places) for problem, places in self.problems]

    def _places_of(self, tasks: list[Task]) -> list[tuple[Front, int]]:
        """The points that can be chosen."""
        wanted = {task.index for task in tasks if _can_be_chosen(self.archive, task, self.methods)}
        if self.randomised:
            wanted = {task for task in wanted if " members=" in self.archive.models()[task]}
        decided_on = sorted({_deciding_part(self.archive, task) for task in tasks if task.index in wanted})
        if len(decided_on) > 1:
            raise ArchiveError(f"the points were decided on different parts (choose_on = {', '.join(decided_on)}), on "
                               "which they cannot be compared: choose in an archive of one of them, or by method")
        return [(front, point) for front in self.archive.fronts() if front.task.index in wanted
                for point in range(len(front.points))]

    def _of_form(self, bound: Bound | None) -> list[str]:
        """All that the form of classifiers has, to be bounded or to be best."""
        of_form = [name for name, measure in self.archive.measures().items()
                   if name.startswith(RANDOMISED) == self.randomised and not self._says_several(name)
                   and not (bound is None and measure.what.direction == "none")]
        return sorted({*self.objectives, *of_form})

    def _is_decided(self, name: str) -> bool:
        return name in self.objectives or self.roles[0] in self.archive.measures()[name].parts

    def _has_limit(self, name: str, bound: Bound) -> bool:
        """Whether in every problem some point has that end of an interval where bounds are tested."""
        if name not in self.objectives and len(self.archive.measures()[name].parts) < 2:
            return False  # what is known of one part alone decides there, and is tested on no other rows
        return all(not places or any(not math.isnan(_limit(self._value(*place, name), bound)) for place in places)
                   for _, places in self.problems)

    def _names(self, bound: Bound | None) -> list[str]:
        """What `_add_name` takes."""
        return [name for name in self._of_form(bound) if self._is_decided(name)
                and (bound is None or self.confidence is None or self._has_limit(name, bound))]

    def _left_out(self, bound: Bound | None) -> str:
        """Names that a list does not hold as no bound on them can be proven, and why."""
        if bound is None or self.confidence is None:
            return ""
        undecided = [name for name in self._of_form(bound) if not self._is_decided(name)]
        without = [name for name in self._of_form(bound) if name not in undecided and not self._has_limit(name, bound)]
        reasons = [f"without an interval on the {self._tested_on()}: {', '.join(without)}"] if without else []
        if undecided:
            reasons.append(f"without a value on the {self.roles[0]} part, which decides: {', '.join(undecided)}")
        return f"; no bound can be proven on names {'; '.join(reasons)}" if reasons else ""

    def _tested_on(self) -> str:
        decides, tests, reported = self.roles
        return f"{tests} part" if decides != reported and tests else "reported part"

    def _says_several(self, name: str) -> bool:
        """A measure of another rate at every point."""
        return name.endswith(("rate_ratio", "rate_gap")) and len(self.archive.axes.get("reductions.rate", ())) > 1

    def _add_name(self, name: str, bound: Bound | None) -> None:
        """@param bound  whose name it is; None: that of what is to be best."""
        if name not in self.objectives:
            self._require_measure(name, bound)
        if bound is not None and self.confidence is not None:
            self._require_limit(name, bound)
        if name not in self.objectives:
            self.directions[name] = self.archive.measures()[name].what.direction

    def _require_measure(self, name: str, bound: Bound | None) -> None:
        measures = self.archive.measures()
        if self.randomised and not self._names(bound):
            raise ArchiveError("the archive holds no randomised classifiers, which [reductions] makes: leave out "
                               "randomised=True")
        if name not in measures:
            raise ArchiveError(f"there is no objective or measure '{name}'; there are: "
                               f"{', '.join(self._names(bound))}{self._left_out(bound)}")
        self._require_form(name, bound)
        if not self._is_decided(name):
            raise ArchiveError(f"{name} has no value on the {self.roles[0]} part, which decides, only on: "
                               f"{', '.join(measures[name].parts)}")

    def _require_limit(self, name: str, bound: Bound) -> None:
        if self._has_limit(name, bound):
            return
        parts = () if name in self.objectives else self.archive.measures()[name].parts
        if len(parts) == 1:
            raise ArchiveError(f"{name} is known of the part '{parts[0]}' alone, which decides: a confidence needs rows "
                               "that no selection has seen")
        names = self._names(bound)
        others = f"; these have one: {', '.join(names)}" if names else ", nor has anything else"
        raise ArchiveError(f"{name} has no interval on the {self._tested_on()}{others}")

    def _require_form(self, name: str, bound: Bound | None) -> None:
        """@throws ArchiveError  it is of the other form of classifiers, or says several things of the points."""
        if name.startswith(RANDOMISED) and not self.randomised:
            raise ArchiveError(f"{name} is of the randomised classifiers, which randomised=True chooses among")
        if self.randomised and not name.startswith(RANDOMISED):
            raise ArchiveError(f"{name} is not of the randomised classifiers; there are: "
                               f"{', '.join(self._names(bound))}")
        if not self._says_several(name):
            return
        if name.endswith("rate_ratio"):
            raise ArchiveError(f"{name} is of another rate at every value of reductions.rate: choose in an archive of one "
                               "of them")
        own = RANDOMISED if self.randomised else ""
        raise ArchiveError(f"{name} is of another rate at every value of reductions.rate: name "
                           f"{own}independence_gap, {own}separation_gap, {own}true_positive_gap, "
                           f"{own}false_positive_gap or {own}error_gap")

    def _choice(self, problem: str, places: list[tuple[Front, int]]) -> Choice:
        points = [self._candidate(front, point) for front, point in places]
        choice = Choice(self.archive, problem, points, None, self.bounds, self.confidence,
                        randomised=self.randomised)
        if self.confidence is None:
            self._order(choice, lambda one: one.keeps)
        else:
            self._certify(choice)
        return choice

    def _candidate(self, front: Front, point: int) -> Candidate:
        values = {name: self._value(front, point, name) for name in self.directions}
        excess = _excess(self.bounds, values)
        return Candidate(front.task, point, len(front.points), values, excess <= 0, excess)

    def _value(self, front: Front, point: int, name: str) -> ChoiceValue:
        if name in self.objectives:
            return self._objective(front, point, self.objectives.index(name), name)
        return _measured(self.archive.measures()[name], front.task.index, self.roles)

    def _objective(self, front: Front, point: int, place: int, name: str) -> ChoiceValue:
        """A measure of the same name that says the same of both parts has its intervals."""
        decided = float(front.points[point, place])
        reported = math.nan if front.report is None else float(front.report[point, place])
        value = ChoiceValue(decided, reported, math.nan, math.nan, (reported, math.nan, math.nan))
        measure = self.archive.measures().get(name)
        if measure is None or len(measure.parts) < 2:
            return value
        same = _measured(measure, front.task.index, self.roles)
        reports = self._reports(front.task.method)
        return same if same.decided == decided and (not reports or same.reported == reported) else value

    def _reports(self, method: str) -> bool:
        """Whether the fronts of the method have points on the part that is reported."""
        return self.archive.file[f"fronts/{method}/report"].shape[0] > 0

    def _cost(self, one: Candidate, name: str) -> float:
        value = one.values[name].decided
        if math.isnan(value):
            return math.inf
        return -value if self.directions[name] == "maximise" else value

    def _knee_costs(self, points: list[Candidate], keeps: Callable[[Candidate], bool]) -> list[float]:
        """Distance below the line between both ends of the front."""
        kept = [i for i, one in enumerate(points) if keeps(one)]
        costs = [math.inf] * len(points)
        if not kept:
            return costs
        at = [[self._cost(one, name) for name in self.objectives] for one in points]
        left = min(kept, key=lambda i: (at[i][0], at[i][1]))
        right = min(kept, key=lambda i: (at[i][1], at[i][0]))
        width, height = at[right][0] - at[left][0], at[left][1] - at[right][1]
        for i in kept:
            costs[i] = _along(at[i][0] - at[left][0], width) + _along(at[i][1] - at[right][1], height)
        return costs

    def _order(self, choice: Choice, keeps: Callable[[Candidate], bool]) -> None:
        points = choice.candidates
        costs = self._knee_costs(points, keeps) if self.knee else [self._cost(one, self.best) for one in points]

        def rank(i: int) -> tuple:
            one, kept = points[i], keeps(points[i])
            level = [self._cost(one, name) for name in self.directions]  # none that another dominates comes first
            return (not kept, *([costs[i]] if kept else [one.excess, costs[i]]), *level, one.excess, one.task.index,
                    one.point)

        places = sorted(range(len(points)), key=rank)
        choice.candidates = [points[i] for i in places]
        if places and keeps(points[places[0]]) and costs[places[0]] < (1 if self.knee else math.inf):
            choice.chosen = points[places[0]]

    def _certify(self, choice: Choice) -> None:
        choice.candidates.sort(key=lambda one: (one.excess, one.task.index, one.point))
        first = next(iter(choice.candidates), None)
        passed = set()
        for one in choice.candidates:
            if not all(bound.excess(_limit(one.values[bound.name], bound)) <= 0 for bound in self.bounds):
                break
            passed.add((one.task.index, one.point))
        choice.certified = len(passed)
        self._order(choice, lambda one: (one.task.index, one.point) in passed)
        if choice.chosen is None and first is not None:
            choice.rows_needed = self._rows_needed(first)
            choice.nearest = min(choice.candidates, key=self._beyond)

    def _beyond(self, one: Candidate) -> float:
        over = [bound.excess(_limit(one.values[bound.name], bound)) for bound in self.bounds]
        return max(math.inf if math.isnan(value) else value for value in over)

    def _confidence_of_limits(self) -> float:
        """Of one end of an interval of the tested part."""
        own = _interval_confidence(self.archive)
        apart = any(TESTS in measure.parts for measure in self.archive.measures().values())
        return own if apart else (1 + own) / 2

    def _require_confidence(self) -> None:
        if not self.bounds:
            raise ArchiveError("a confidence is that of a bound; give one")
        most = self._confidence_of_limits()
        if self.confidence > most:
            raise ArchiveError(f"the archive's intervals of confidence {_interval_confidence(self.archive)} hold a bound "
                               f"with {most} at most")

    def _rows_needed(self, one: Candidate) -> float:
        """As many as there are at least."""
        tail = statistics.NormalDist().inv_cdf(self._confidence_of_limits())
        gaps: list[SeenGap] = []
        most = 1.0
        for bound in self.bounds:
            mine = self._gaps(one, bound, tail)
            if not mine:
                most = max(most, self._growth_by_limit(one, bound, tail))
            gaps += mine
        if not gaps or math.isinf(most):
            return most
        return max(most, growth_after_failure(gaps, tail, POWER))

    def _growth_by_limit(self, one: Candidate, bound: Bound, tail: float) -> float:
        """Where no numbers of groups are known."""
        value = one.values[bound.name]
        room = -bound.excess((value.decided + value.tested[0]) / 2)
        if not room > 0:
            return math.inf
        half = abs(_limit(one.values[bound.name], bound) - value.tested[0])
        return (half / room * (1 + statistics.NormalDist().inv_cdf(POWER) / tail)) ** 2

    def _gaps(self, one: Candidate, bound: Bound, tail: float) -> list[SeenGap]:
        """Those that the bound is of, by the numbers of groups; empty where they are not known."""
        if not bound.at_most:
            return []
        gaps = []
        for name in GAPS_IN.get(bound.name, (bound.name,)):
            measure = self.archive.measures().get(name)
            decides, tests, _ = self.roles
            if measure is None or not measure.has(decides) or not measure.has(tests):
                return []
            tested, decided = (_groups(measure, one.task.index, part, tail) for part in (tests, decides))
            if tested is None or decided is None:
                return []
            gaps.append(SeenGap(*tested, *decided, bound.limit))
        return gaps


def _groups(measure: Measure, task: int, part: str, tail: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers of the groups and their standard errors; None where they are not known."""
    names = [group for group in measure.groups if group != ALL]
    cells = np.array([measure.of(part, group)[task] for group in names]).reshape(len(names), 3)
    error = (cells[:, 2] - cells[:, 1]) / (2 * tail)
    return (cells[:, 0], error) if len(names) > 1 and bool((error > 0).all()) else None
