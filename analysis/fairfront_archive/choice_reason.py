"""Why no point is chosen, in the words of `fairfront choose`: as reason_of() of drivers/print_choice.cpp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from fairfront_archive.choice_values import Bound, Candidate
from fairfront_archive.choice_wish import Wish
from fairfront_archive.problem_names import makes_problems
from fairfront_archive.reader import Reader


class Answer(Protocol):
    """What a Choice says of its candidates."""

    archive: Reader
    wish: Wish
    chosen: Candidate | None
    candidates: list[Candidate]
    certified: int
    decided_on: str
    tested_on: str
    rows_needed: float
    nearest: Candidate | None

    @property
    def bounds(self) -> Sequence[Bound]: ...

    @property
    def confidence(self) -> float | None: ...

    @property
    def randomised(self) -> bool: ...


def reason_of(choice: Answer, first_tested: Candidate | None) -> str:
    """Nothing where one is chosen.

    @param first_tested  with a confidence with which nothing has passed: whose failure ended the tests."""
    if choice.chosen is not None:
        return ""
    if not choice.candidates:
        return _without_points(choice)
    keep = choice.certified if choice.confidence is not None else sum(one.keeps for one in choice.candidates)
    if keep > 0 and choice.wish.knee:
        return "no knee: no point lies below the line between the front's ends"
    if keep > 0:
        best = choice.wish.best or next(iter(choice.candidates[0].values))
        kept = " that keeps every bound" if choice.bounds else ""
        return f"{best} is not known on the {choice.decided_on} of any point{kept}: name another --best"
    if choice.confidence is None or first_tested is None:
        return "no point keeps every bound"
    return f"nothing can be certified: {_of_tests(choice, first_tested)}"


def _without_points(choice: Answer) -> str:
    if choice.randomised:
        return ("no point: no task with a randomised classifier, such as of [reductions], is done and "
                "may be compared, and of other methods' decisions --randomised chooses none")
    archive, methods = choice.archive, choice.wish.methods
    failed = sum(task.status == "failed" and (not methods or task.method in methods) for task in archive.tasks)
    first = f"{failed} task{'' if failed == 1 else 's'} failed, as `show` tells, and no other" if failed else "no task"
    alone = [task.method for task in archive.tasks if task.status == "done" and archive.learnt_from_deciding(task)
             and not archive.learnt_from_deciding(task, groups=False)]
    if alone and not methods:
        return (f"no point: {first} is done that has not learnt from the part that decides; with --method {alone[0]}, which "
                "has learnt from its groups, points of this method alone are compared")
    return f"no point: {first} is done that has seen no labels of the part that decides"


def _of_tests(choice: Answer, first: Candidate) -> str:
    if math.isnan(choice.rows_needed):
        without = ", ".join(bound.name for bound in choice.bounds if math.isnan(_limit(first, bound)))
        return f"{_name_of(choice, first)}, the first point tested, has no interval of {without} on the {choice.tested_on}"
    nearest = _nearest(choice, choice.nearest or first)
    if math.isinf(choice.rows_needed):
        return f"by what is known of it, the first point tested breaks a bound itself; {nearest}"
    times = max(1.1, math.ceil(10 * choice.rows_needed) / 10)
    fitted = f"{first.task.method}.choose_on" in choice.archive.config
    rough = ", a rough number, as it was fitted to the rows that decide" if fitted else ""
    return f"{nearest}; the first point tested would need some {times:.1f} times the rows of the {choice.tested_on}{rough}"


def _nearest(choice: Answer, nearest: Candidate) -> str:
    limits = ", ".join(f"{bound.name} {'<=' if bound.at_most else '>='} {_text(_limit(nearest, bound))}" for bound in choice.bounds)
    if all(bound.excess(_limit(nearest, bound)) <= 0 for bound in choice.bounds):
        return (f"{_name_of(choice, nearest)}, keeps every bound by itself ({limits}), but the tests go in the order of the part "
                "that decides, and end at the first point that fails")
    return f"{_name_of(choice, nearest)}, comes nearest and shows {limits}"


def _limit(one: Candidate, bound: Bound) -> float:
    return one.values[bound.name].limit(bound)


def _text(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.6g}"


def _name_of(choice: Answer, one: Candidate) -> str:
    axes = ", ".join(f"{name}={value}" for name, value in one.task.axes.items() if not makes_problems(choice.archive, name))
    return f"task {one.task.index}, point {one.point}: [{one.task.method}]{f' {axes}' if axes else ''}"
