"""Names in lists, as configs, CSV files and the program's messages have them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

BLANKS = " \t\r\n"
QUOTATION = re.compile(r'"(?:[^"]|"")*"(?!")')


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


def parse_list(text: str) -> tuple[str, ...]:
    """The items of a list, without their quotes. @throws ValueError  a quotation that does not close."""
    plain = split_outside_parentheses(text)
    return tuple(map(_unquoted_item, _split_outside_quotations(text))) if any(map(_is_quoted, plain)) else plain


def split_outside_parentheses(text: str) -> tuple[str, ...]:
    parts, depth = [""], 0
    for letter in text:
        depth = max(0, depth + (letter == "(") - (letter == ")"))
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip(BLANKS) for part in parts)


def _is_quoted(item: str) -> bool:
    return item.startswith('"')


def _split_outside_quotations(text: str) -> list[str]:
    items, begin, at, depth, starts = [], 0, 0, 0, True
    while at < len(text):
        if starts and text[at] == '"':
            at, starts = _end_of_quotation(text, at), False
            continue
        depth += (text[at] == "(") - (text[at] == ")")
        if text[at] == "," and depth <= 0:
            items.append(text[begin:at])
            begin = at + 1
        starts = text[at] in ",|" or (starts and text[at] in " \t")
        at += 1
    return [item.strip(BLANKS) for item in (*items, text[begin:])]


def _end_of_quotation(text: str, begin: int) -> int:
    """Just behind the mark that closes it."""
    found = QUOTATION.match(text, begin)
    if found is None:
        raise ValueError("the quotation has no closing \"")
    return found.end()


def _unquoted_item(item: str) -> str:
    if _is_quoted(item) and _end_of_quotation(item, 0) != len(item):
        raise ValueError("there is text behind the closing \"")
    return unquoted(item)
