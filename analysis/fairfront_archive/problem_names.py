"""What a person calls the problem of a task: as drivers/problem_name.hpp."""

from __future__ import annotations

from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Task
from fairfront_archive.reader import Reader


def problems_of(archive: Reader) -> dict[str, list[Task]]:
    """Tasks that may have fronts, by the problem's name."""
    with_front = {front.task.index for front in archive.fronts()}
    found: dict[str, list[Task]] = {}
    for task in archive.tasks:
        if task.status == "done" and task.index not in with_front:
            continue
        found.setdefault(problem_of(archive, task), []).append(task)
    return found


def problem_of(archive: Reader, task: Task) -> str:
    own = [f"{archive.problem_axis(name)}={value}" for name, value in task.axes.items() if _makes_problems(archive, name)]
    return ", ".join(own) or next(iter(archive.data_names()), "-")


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


def _makes_problems(archive: Reader, axis: str) -> bool:
    section, dot, _ = axis.partition(".")
    of_no_method = bool(dot) and section not in archive.methods()
    return archive.roles[axis] == "problem" or archive.roles[axis] == "replicate" and of_no_method
