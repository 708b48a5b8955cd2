"""What a front answers: of which rows, groups and labels, what is called unfair, and which parts decide and report. Fronts
of several archives are set side by side where these are the same, whatever of it varies within one archive."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

from fairfront_archive.facts import Task
from fairfront_archive.reader import Reader

Question = tuple[tuple[str, str], ...]  # options and their values, sorted
ROWS = frozenset(f"data.{name}" for name in (
    "data", "task", "file", "test_file", "sensitive", "group_map", "label", "label_map", "positive", "target", "label_divisor",
    "missing_rule", "where", "state", "subsample"))
FILES = frozenset({"data.file", "data.test_file"})  # by content: folders and names differ from machine to machine
SEEDS = frozenset({"data.subsample_seed", "data.generator_seed", "split.split_seed"})  # all that the archive has: its replicates
PARTS = frozenset({"choose_on", "report_on"})  # of a method
# Of shared sections, or a method's own: what the objectives are.
OBJECTIVES = frozenset({"clusters", "problem", "variables", "metric", "difference", "fairness", "rate", "rate_of", "bound_of",
                        "loss"})


def question_of(archive: Reader, task: Task) -> Question:
    found: dict[str, str] = {}
    for name, value in archive.options_of(task).items():
        section, _, option = name.rpartition(".")
        if name in SEEDS:
            found[name] = ", ".join(archive.axes.get(name, [value]))
        elif name in FILES:
            found[name] = _content_of(archive, value)
        elif name in ROWS or section == "split" or (section == task.method and option in PARTS):
            found[name if section in ("data", "split") else option] = value
        elif section != "data" and option in OBJECTIVES and (section == task.method or option not in found):
            found[option] = value
    for axis in archive.axes_of("problem"):
        name = archive.problem_axis(axis)
        if axis in task.axes and name.rpartition(".")[2] not in found:
            found.setdefault(name, task.axes[axis])
    if not ROWS & found.keys():
        found["data.data"] = ", ".join(dict.fromkeys(archive.data_names()))
    return tuple(sorted((name, value) for name, value in found.items() if value))  # what is not set is not there


def parts_of_front(archive: Reader, task: Task) -> dict[str, str]:
    """Which parts the task's method decides and reports on, by its options; empty where it has none. A part that is reported
    is "" where nothing is reported but what decides."""
    decides, reports = (archive.value(task, f"{task.method}.{option}") for option in ("choose_on", "report_on"))
    if not decides:
        return {}
    return {"choose_on": decides, "report_on": "" if reports in (None, "none", decides) else reports}


def why_not_compared(archive: Reader, tasks: Iterable[Task]) -> str:
    """Why `choose` refuses to compare these tasks' points: they were decided, or are reported, on different parts. "" where
    it does not."""
    for option, done in (("choose_on", "decided"), ("report_on", "reported")):
        named = {task.index: (task.method, archive.value(task, f"{task.method}.{option}") or "") for task in tasks}
        asked = {method_and_part for method_and_part in named.values() if method_and_part[1] != "none"}
        parts = sorted({part for _, part in asked})
        if len(parts) > 1:
            other = ", or by method" if len({method for method, _ in asked}) > 1 else ""
            return (f"the points were {done} on different parts ({option} = {', '.join(parts)}), on which they cannot be "
                    f"compared: choose in an archive of one of them{other}")
    return ""


def _content_of(archive: Reader, file: str) -> str:
    """A file by what is in it; by its name where the archive does not tell."""
    if not file:
        return ""
    name = pathlib.PurePath(file).name
    told = [digest for _, known, digest in archive.data_files() if pathlib.PurePath(known).name == name]
    return f"SHA-256 {told[0][:12]}…" if len(set(told)) == 1 else name


def question_of_all(archive: Reader, tasks: Iterable[Task], with_front: set[int]) -> list[tuple[str, str]]:
    """Of the methods among these tasks that have fronts, together."""
    first: dict[str, Task] = {}
    for task in tasks:
        if task.index in with_front:
            first.setdefault(task.method, task)
    return sorted({item for task in first.values() for item in question_of(archive, task)})
