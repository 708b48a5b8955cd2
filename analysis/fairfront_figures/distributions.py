"""Distributions of predictions in each group, before and after."""

from __future__ import annotations

import numpy as np

from fairfront_archive import Archive, Quantity, Task
from fairfront_archive.stored_models import group_names_of
from fairfront_figures.arrange import (Curve, Items, NothingToDraw, done, panel_text, panels_of,
                                       row_text)
from fairfront_figures.layout import Sheet, sheet
from fairfront_figures.style import Options, as_it_is, look
from fairfront_figures.trajectories import lines_of

ATOMS = "atoms"  # solution: the values that are predicted; none: probabilities in equal bins
SHARES = "distribution"  # solutions: their shares, group by group; with atoms, of both parts
MOST_DISTRIBUTIONS = 12


def group_names(archive: Archive, tasks: list[Task], count: int) -> list[str]:
    """As the data of the tasks have them; numbers where an archive of an earlier version does not say, or parts of the
    data have other groups."""
    found = {tuple(group_names_of(archive, task.index)) for task in tasks}
    names = found.pop() if len(found) == 1 else ()
    return list(names) if len(names) == count else [f"group {number}" for number in range(count)]


class Distributions:
    """The predictions of every task's groups on the reported part."""

    def __init__(self, archive: Archive) -> None:
        names = archive.solution_names()
        if SHARES not in names:
            raise NothingToDraw(f"{archive.path}: has no solutions '{SHARES}'")
        self.shares = archive.solutions_of(SHARES)
        self.atoms = archive.solutions_of(ATOMS) if ATOMS in names else None
        self.unit = archive.quantity("solutions", ATOMS).unit if self.atoms else "probability"

    def has(self, task: Task) -> bool:
        return bool(self.shares[task.index]) and (self.atoms is None or
                                                  bool(self.atoms[task.index]))

    def values(self, task: Task) -> np.ndarray:
        """What is predicted: the atoms, or the middles of the bins of [0, 1]."""
        if self.atoms is not None:
            return self.atoms[task.index][0]
        bins = len(self.shares[task.index][0])
        return (np.arange(bins) + 0.5) / bins

    def groups(self, task: Task) -> list[np.ndarray]:
        """Shares of each group; those of the reported part come after the other part's."""
        found = self.shares[task.index]
        return found if self.atoms is None else found[len(found) // 2:]


def draw_distributions(archive: Archive, options: Options) -> Sheet:
    """One panel per problem, method, setting and place along the trade-off (at most five of them);
    a line per group. Means over the replicates that have the same atoms as the first one."""
    found = Distributions(archive)
    tasks = [task for task in done(archive) if found.has(task)]
    rows: list[tuple[Items, Curve, Items, list[Task]]] = []
    for problem, curves in panels_of(archive, tasks).items():
        rows += [(problem, curve, place, mine)
                 for (curve, place), mine in lines_of(archive, curves).items()]
    if len(rows) > MOST_DISTRIBUTIONS:
        raise NothingToDraw(f"{archive.path}: {len(rows)} distributions are too many for one figure "
                            f"(at most {MOST_DISTRIBUTIONS})")
    page = sheet(len(rows), options, ratio=0.5, least=1.6)
    several = len({problem for problem, *_ in rows}) > 1
    for axes, (problem, curve, place, mine) in zip(page.panels, rows):
        at = found.values(mine[0])
        alike = [task for task in mine if np.array_equal(found.values(task), at)]
        groups = np.mean([found.groups(task) for task in alike], axis=0)
        names = group_names(archive, mine, len(groups))
        for group, values in enumerate(groups):
            style = look(group)
            style.pop("marker")
            axes.step(at, values, where="mid", label=as_it_is(names[group]), **style)
        title = row_text((curve, place))
        page.title(axes, f"{panel_text(archive, problem)}: {title}" if several else title)
        axes.set_ylim(bottom=0)
        page.label(axes, "x", Quantity("prediction", "", found.unit, "none", ""))
        page.label(axes, "y", Quantity("probability", "", "", "none", ""))
    count = len(rows[0][3])
    page.legends(f"Reported part, means over {count} replicates." if count > 1 else "Reported part.",
                 shared=True)
    return page
