"""Which tasks belong together: panels, curves, places along a trade-off, replicates."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from fairfront_archive import Archive, ArchiveError, Task
from fairfront_archive.frames import number
from fairfront_archive.questions import PARTS, parts_of_front
from fairfront_figures.titles import titled

Items = tuple[tuple[str, str], ...]  # axes and their values
Curve = tuple[str, Items]  # a method and its settings

MOST_PANELS = 24
DATA, FILE = "data.data", "data.file"  # the data set, and the file of one's own
AUDIT, SCORE = "measures", "predictions.score"  # the method of an audit, and whose predictions it is of
DIFFERENCE, TEST = "_less_reference", "_less_reference_p"  # ends of names of what compares two models
FILE_KINDS = ("csv", "arff", "libsvm")  # values of DATA that are no names of data


class NothingToDraw(ArchiveError):
    """The archive has nothing for this figure; the message says what is missing."""


def items_of(archive: Archive, task: Task, *roles: str) -> Items:
    """The task's values on the axes that have one of these roles; those that change the problem as problems have them."""
    return tuple((archive.problem_axis(axis), task.axes[axis]) for axis in archive.axes_of(*roles) if axis in task.axes)


def natural(archive: Archive, items: Items) -> tuple:
    """Sorts values by size where an axis has numbers alone, else in the order of the archive."""
    return tuple(archive.places[axis][value] for axis, value in items)


def split(archive: Archive, tasks: Iterable[Task], *roles: str) -> dict[Items, list[Task]]:
    """Tasks by their values on the axes that have one of these roles, in natural order."""
    found: dict[Items, list[Task]] = {}
    for task in tasks:
        found.setdefault(items_of(archive, task, *roles), []).append(task)
    return dict(sorted(found.items(), key=lambda item: natural(archive, item[0])))


def curves_of(archive: Archive, tasks: Iterable[Task]) -> dict[Curve, list[Task]]:
    """Tasks by method and setting; an audit of a single score goes by the score, as those of several do."""
    methods: dict[str, list[Task]] = {}
    for task in tasks:
        methods.setdefault(task.method, []).append(task)
    return {(method, items or audited(archive, method, mine)): mine for method, own in methods.items()
            for items, mine in split(archive, own, "setting", "tuning").items()}


def audited(archive: Archive, method: str, tasks: list[Task]) -> Items:
    score = archive.value(tasks[0], SCORE) if method == AUDIT and SCORE not in archive.axes else None
    return ((SCORE, score),) if score else ()


def panels_of(archive: Archive, tasks: Iterable[Task]) -> dict[Items, dict[Curve, list[Task]]]:
    """Tasks by problem, as `problems_of_fronts` tells them apart, then by method and setting.

    @throws NothingToDraw  there are none; or so many problems that no figure could show them.
    """
    panels = {problem: curves_of(archive, mine) for problem, mine in problems_of_fronts(archive, tasks).items()}
    if not panels:
        raise NothingToDraw(f"{archive.path}: has no such task that is done")
    limit_panels(archive, len(panels))
    return panels


def problems_of_fronts(archive: Archive, tasks: Iterable[Task]) -> dict[Items, list[Task]]:
    """Tasks by problem, and by the parts that decide and report where these differ within the problem, whichever of its
    tasks are given."""
    every = split(archive, archive.tasks, "problem")
    return {problem + parts: mine for problem, own in split(archive, tasks, "problem").items()
            for parts, mine in by_parts(archive, own, every[problem]).items()}


def by_parts(archive: Archive, tasks: Iterable[Task], among: Iterable[Task]) -> dict[Items, list[Task]]:
    """Values on different rows do not say which front is better: tasks by the parts that decide and report, as far as these
    differ `among` tasks that have any."""
    known = list(filter(None, (parts_of_front(archive, task) for task in among)))
    differing = [option for option in (known[0] if known else ()) if len({parts[option] for parts in known}) > 1]
    found: dict[Items, list[Task]] = {}
    for task in tasks:
        parts = parts_of_front(archive, task)
        own = tuple((option, parts[option]) for option in differing if parts.get(option))
        found.setdefault(own, []).append(task)
    return found


def limit_panels(archive: Archive, count: int) -> None:
    if count > MOST_PANELS:
        raise NothingToDraw(f"{archive.path}: {count} panels are too many for one figure "
                            f"(at most {MOST_PANELS}); choose some, by task, series or measure")


def done(archive: Archive) -> list[Task]:
    return [task for task in archive.tasks if task.status == "done"]


def text_of(items: Items, whole: frozenset[str] = frozenset()) -> str:
    """@param whole  axes that have the name of their section in front."""
    return ", ".join(f"{axis if axis in whole else axis.split('.')[-1]} = {short(value)}" for axis, value in items)


def alike(archive: Archive) -> frozenset[str]:
    """Axes that go by the name of another one where the section is left out."""
    names = [axis.split(".")[-1] for axis in archive.axes]
    return frozenset(axis for axis, name in zip(archive.axes, names) if names.count(name) > 1)


def short(value: str) -> str:
    """A value of an axis: numbers with four digits at most. Whole ones keep all where these would say another number, as dates
    and seeds differ in the last ones."""
    found = number(value)
    if found is None or len(value) <= 6:
        return value
    text = f"{found:.4g}"
    return value if value.removeprefix("-").isdigit() and float(text) != found else text


def curve_name(curve: Curve) -> str:
    """As in CSV files: by the method's section."""
    method, items = curve
    return ", ".join([method, text_of(items)] if items else [method])


def curve_text(curve: Curve) -> str:
    """For people: by the method's title."""
    return titled(curve_name(curve))


def panel_text(archive: Archive, problem: Items) -> str:
    """The values that make the panel; without such axes, the data. A table of one's own goes by the name
    of its file: "csv" tells nothing. Parts that differ within a problem stand behind it."""
    parts = tuple(item for item in problem if item[0] in PARTS)
    if parts:
        return f"{panel_text(archive, tuple(item for item in problem if item not in parts))}, {text_of(parts)}"
    given = dict(problem)
    kind = given.get(DATA, archive.config.get(DATA))
    file = pathlib.PurePath(given.get(FILE, archive.config.get(FILE, ""))).name
    if file and kind in FILE_KINDS:
        rest = text_of(tuple(item for item in problem if item[0] not in (DATA, FILE)), alike(archive))
        named = f"{DATA.split('.')[-1]} = {file}" if DATA in given else file
        return f"{named}, {rest}" if rest else named
    return text_of(problem, alike(archive)) or ", ".join(dict.fromkeys(archive.data_names())) or archive.experiment


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def row_text(row: tuple[Curve, Items]) -> str:
    """A method, its setting, and a place along its trade-off."""
    curve, place = row
    return ", ".join(filter(None, [curve_text(curve), text_of(place)]))
