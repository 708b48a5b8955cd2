"""Fonts of pictures: those that fill in letters that the first one lacks, and which letters none has."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator

from matplotlib import font_manager

FIRST = "DejaVu Sans"  # comes with the library
OTHERS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK TC", "Noto Sans CJK KR", "WenQuanYi Zen Hei",
          "WenQuanYi Micro Hei", "Droid Sans Fallback", "IPAexGothic", "IPAGothic", "NanumGothic", "Noto Sans Devanagari",
          "Noto Sans Thai", "Noto Sans Bengali", "FreeSans", "Symbola")
MISSING = re.compile(r"Glyph (\d+) ")
MOST_LETTERS = 10  # that a message names


def families() -> list[str]:
    """The font of pictures, then those of this machine that have letters which it lacks."""
    there = {font.name for font in font_manager.fontManager.ttflist}
    return [FIRST, *(name for name in OTHERS if name in there)]


@contextlib.contextmanager
def missing_letters() -> Iterator[list[str]]:
    """Letters that no font has while something is drawn, each once, when the block has ended: they are empty boxes."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        yield found
    for warning in raised:
        glyph = MISSING.match(str(warning.message))
        if glyph is None:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif chr(int(glyph[1])) not in found:
            found.append(chr(int(glyph[1])))


def missing_text(letters: list[str]) -> str:
    """What to do about them."""
    more = len(letters) - MOST_LETTERS
    named = " ".join(letters[:MOST_LETTERS]) + (f" and {more} more" if more > 0 else "")
    return (f"no font of this machine has these letters, which are empty boxes in PNG and PDF: {named}; a package such as "
            "fonts-noto-cjk has them")
