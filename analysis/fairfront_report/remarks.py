"""Messages of tasks, folded by what they are about."""

from __future__ import annotations

import re

from fairfront_archive import Archive
from fairfront_archive.yardstick import compared_with_yardstick

MOST_KINDS = 30
MOST_LINES = 20  # of one kind
MOST_NAMED = 6  # tasks of a line
LONGEST_LINE = 400  # letters of a message
NUMBER = re.compile(r"(?<![\w.-])[-+]?\d[\d.e+-]*(?![\w-])")
QUOTED = re.compile(r"'[^']*'")


def remarks_of(archive: Archive) -> list[dict]:
    """Of each kind, those of failed tasks first: what it is about, how many tasks have it, and its messages, each once."""
    kinds: dict[tuple[str, str], dict[tuple[str, str], list[int]]] = {}
    for task in archive.tasks:
        for clause in clauses(task.message):
            alike = kinds.setdefault((task.status, kind_of(clause)), {})
            alike.setdefault((task.method, clause), []).append(task.index)
    found = [{"status": status, "kind": kind, "tasks": len({task for tasks in alike.values() for task in tasks}),
              "lines": lines_of(alike)} for (status, kind), alike in kinds.items()]
    found.sort(key=lambda one: (one["status"] != "failed", -one["tasks"]))
    return [*found[:MOST_KINDS], *below_yardstick(archive)]


def below_yardstick(archive: Archive) -> list[dict]:
    """Fronts of error and gap that the post-processed unconstrained model is ahead of."""
    below = {front.remark: front for front in compared_with_yardstick(archive) if front.remark}
    return [{"status": "done", "kind": "below the post-processed unconstrained model, which knows the group",
             "tasks": sum(len(front.tasks) for front in below.values()), "lines": list(below)[:MOST_LINES]}] if below else []


def clauses(message: str) -> list[str]:
    """What a message says, one thing each. What is undefined stands in one message, with all reasons."""
    undefined = "undefined: "
    if not message.startswith(undefined):
        return [message] if message else []
    return [undefined + clause for clause in message.removeprefix(undefined).split("; ")]


def kind_of(clause: str) -> str:
    """The clause without numbers, names and what it is said of."""
    start = "undefined: " if clause.startswith("undefined: ") else ""
    reason = QUOTED.sub("…", clause.removeprefix(start)).partition(": ")[0]
    return start + NUMBER.sub("…", reason)


def lines_of(alike: dict[tuple[str, str], list[int]]) -> list[str]:
    lines = [f"{tasks_text(tasks)} of [{method}]: {shortened(clause)}" for (method, clause), tasks in alike.items()]
    more = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"and {more} more such messages"] if more > 0 else lines


def shortened(clause: str) -> str:
    """Names of many groups make a message longer than anybody reads on a page."""
    more = len(clause) - LONGEST_LINE
    return clause if more <= 0 else f"{clause[:LONGEST_LINE].rstrip()} … ({more} more letters: the archive's table of tasks has them)"


def tasks_text(tasks: list[int]) -> str:
    """Such as "task 3", or "tasks 0, 1, 2 and 40 more"."""
    named = ", ".join(map(str, tasks[:MOST_NAMED]))
    more = f" and {len(tasks) - MOST_NAMED} more" if len(tasks) > MOST_NAMED else ""
    return f"task{'s' if len(tasks) > 1 else ''} {named}{more}"
