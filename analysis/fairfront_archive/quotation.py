"""Names in lists, as configs, CSV files and the program's messages have them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

BLANKS = " \t\r\n"


def names_text(names: Sequence[str]) -> str:
    """As a list of the config has them, so that names may hold commas."""
    return ", ".join(quoted(name) if is_special(name) else name for name in names)


def is_special(name: str, separators: str = ",") -> bool:
    """Whether a list of the config has it in quotes."""
    depths = list(itertools.accumulate((sign == "(") - (sign == ")") for sign in name))
    pairs = not depths or (min(depths) >= 0 and depths[-1] == 0)
    return not pairs or name != name.strip(BLANKS) or not name or any(sign in name for sign in '"#;\n' + separators)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def unquoted(text: str) -> str:
    """The name that a value of the config stands for, with quotes around it or without."""
    return text[1:-1].replace('""', '"') if text.startswith('"') else text
