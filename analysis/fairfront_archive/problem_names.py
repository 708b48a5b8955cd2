"""What a person calls the problem of a task: as drivers/problem_name.hpp."""

from __future__ import annotations

from collections.abc import Iterable

from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Task
from fairfront_archive.reader import Reader


def problems_of(archive: Reader) -> dict[str, list[Task]]:
    """Tasks that may have fronts, by the problem's name."""
    with_front = {front.task.index for front in archive.fronts()}
    asked = [task for task in archive.tasks if task.status != "done" or task.index in with_front]
    found: dict[str, list[Task]] = {}
    for name, task in zip(names_of_problems(archive, asked), asked):
        found.setdefault(name, []).append(task)
    return found


def names_of_problems(archive: Reader, tasks: Iterable[Task]) -> list[str]:
    """Of each task that of its problem."""
    axes = {name for name in archive.axes if makes_problems(archive, name)}
    of_none = next(iter(archive.data_names()), "-")
    own = ([f"{archive.problem_axis(name)}={value}" for name, value in task.axes.items() if name in axes] for task in tasks)
    return [", ".join(values) or of_none for values in own]


def wanted_problems(archive: Reader, methods: tuple[str, ...], problem: str | None) -> dict[str, list[Task]]:
    """Those that one of the methods has a task of, of no methods all; or of these the one that is named.

    @throws ArchiveError  there is none of that name."""
    found = {name: tasks for name, tasks in problems_of(archive).items()
             if not methods or any(task.method in methods for task in tasks)}
    if problem is None:
        return found
    if not isinstance(problem, str):
        raise ArchiveError(f"problem = {problem!r}, must be a text: the name of a problem, as `Choice.problem` has it")
    if problem not in found:
        raise ArchiveError(f"no problem '{problem}'; there are: {'; '.join(found)}")
    return {problem: found[problem]}


def makes_problems(archive: Reader, axis: str) -> bool:
    """Whether it tells problems apart; the others, points of them."""
    section, dot, _ = axis.partition(".")
    of_no_method = bool(dot) and section not in archive.methods()
    return archive.roles[axis] == "problem" or archive.roles[axis] == "replicate" and of_no_method
