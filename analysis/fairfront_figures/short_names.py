"""Names that are too long for their place: all of an axis together, so that none reads like another one. The page has
the same rule in charts.js for axes that it makes itself; names of groups it takes from here."""

from __future__ import annotations

from collections.abc import Sequence

ENDS = (1 / 2, 3 / 4, 1 / 4)  # of what stays of a name: the share of its end, in the order in which they are tried


def short_names(names: Sequence[str], longest: int) -> list[str]:
    """On one line and of at most `longest` letters each. Longer ones lose their middle: the end tells groups of several
    attributes apart. Where two would read alike, more of the end or of the beginning stays; else all have numbers."""
    lines = [" ".join(name.split()) for name in names]
    for end in ENDS:
        found = [without_middle(line, longest, end) for line in lines]
        if len(set(found)) == len(found):
            return found
    numbers = [f"{i}: " for i in range(1, len(lines) + 1)]
    return [number + without_middle(line, longest - len(number), ENDS[0]) for number, line in zip(numbers, lines)]


def without_middle(line: str, longest: int, end: float) -> str:
    last = max(1, int((longest - 1) * end))
    return line if len(line) <= longest else f"{line[:longest - 1 - last]}…{line[-last:]}"
