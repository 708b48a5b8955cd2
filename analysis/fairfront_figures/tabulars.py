"""Tabulars of LaTeX that fit the width of a page: measured in Computer Modern, heads broken at words, columns that have no
room in a tabular of their own below it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LOAD_NO_HINTING

# Points of TeX: the text of an A4 page with margins of 25 mm, less what widths of cells are wrong by in all.
PAGE = 160 / 25.4 * 72.27 - 3
PAGE_LINES = 54  # of 12 points, in 240 mm, with a caption
GAP = 12.0  # \tabcolsep at both sides of a column
SIZE, SCRIPT = 10.0, 7.0 * 1.15  # the letters of size 7 are that much wider than those of size 10 made smaller
OWN_WIDTHS = {" ": 1 / 3, "_": 7 / 9, "<": 7 / 9, ">": 7 / 9}  # of size 1; the font has another letter for "_" than T1, the wider encoding
LATIN = re.compile("[\u0000-\u017f\u2010-\u206f\u20ac\u2116\u2122]*")  # what pdflatex sets with T1
UNKNOWN = 0.6  # of the size: the width of a letter that the font lacks
BOLD = 1.15  # times as wide
TEXTS_SHARE = 0.5  # of a page, for the columns of texts: longer ones are broken
KEPT = "\0"  # in place of a space at which no line is broken
BEGIN = "\\noindent\n"  # a tabular is a paragraph where it stands in no float
APART = f"\n\n\\bigskip\n\n{BEGIN}"  # between tabulars
ARROW = re.compile(r" (?=\$\\(?:down|up)arrow\$)")  # never at the beginning of a line
STAND_FOR = ((r"\textasciitilde", "~"), (r"\textbackslash", "/"), (r"\textless", "<"), (r"\textgreater", ">"),
             (r"\textbar", "|"), (r"\$", "S"), (r"\{", "0"), (r"\}", "0"), ("--", "\N{EN DASH}"))
# Of size 1, with the space that TeX sets around them; a dagger is raised and of size 7.
IN_FORMULAS = {r"\pm": 11 / 9, r"\infty": 1.0, r"\downarrow": 0.5, r"\uparrow": 0.5, r"\dagger": 0.42, r"\ddagger": 0.42,
               "-": 7 / 9, ",": 4 / 9, r"\cdot": 5 / 18}
EXPONENT = re.compile(r"(?<=\d)e([+-]?)[+0]*(\d+)")  # of a number in a formula
RAISED = re.compile(r"\^\{([^}]*)\}")
FORMULA = re.compile("|".join(re.escape(one) for one in sorted(IN_FORMULAS, key=len, reverse=True)))


Row = list[str]  # its lines


class Tabular(NamedTuple):
    columns: str  # how each is set
    head: Row
    rows: list[Row]
    numbers: int  # columns of them, without those that every tabular repeats

    @property
    def text(self) -> str:
        return "\n".join([rf"\begin{{tabular}}{{{self.columns}}}", r"\toprule", *self.head, r"\midrule",
                          *(line for row in self.rows for line in row), r"\bottomrule", r"\end{tabular}"])

    @property
    def lines(self) -> int:
        """Of a page: its rows, and what rules and the space below it take."""
        return 2 + len(self.head) + sum(map(len, self.rows))

    def in_pages(self) -> list[Tabular]:
        """As few as can be that a page holds, much of one height; a row is never broken."""
        most = PAGE_LINES - 2 - len(self.head)
        pages = [parts_of(self.rows, high) for high in range(1, max(1, most) + 1)]
        return [self._replace(rows=rows) for rows in next(one for one in pages if len(one) == len(pages[-1]))]


def parts_of(rows: list[Row], most: int) -> list[list[Row]]:
    """One after the other, each of at most `most` lines, but at least of one row."""
    found: list[list[Row]] = []
    room = 0
    for row in rows:
        if not found or len(row) > room:
            found.append([])
            room = most
        found[-1].append(row)
        room -= len(row)
    return found


def comment(text: str) -> str:
    """One line, whatever names hold: what came after a line end would be set."""
    return "% " + " ".join(text.split())


def joined(found: Sequence[Tabular]) -> str:
    foreign = "".join(sorted({letter for one in found for letter in one.text if not LATIN.fullmatch(letter)}))
    told = comment(f"For XeLaTeX or LuaLaTeX, with a font that has {foreign}") + "\n" if foreign else ""
    return told + BEGIN + APART.join(one.text for one in found) + "%"  # or the end of the line is a space beside it


@functools.lru_cache(maxsize=None)
def letter_width(letter: str) -> float:
    """Of size 1."""
    font = get_font(findfont(FontProperties(family="cmr10")))
    if letter in OWN_WIDTHS:
        return OWN_WIDTHS[letter]
    if not font.get_char_index(ord(letter)):
        return UNKNOWN
    font.set_size(SIZE, 72)
    return font.load_char(ord(letter), flags=LOAD_NO_HINTING).linearHoriAdvance / 65536 / SIZE


@functools.lru_cache(maxsize=1 << 16)
def width_of(cell: str) -> float:
    """Points that a cell takes; what is in scriptsize is smaller."""
    plain, _, small = cell.partition(r"\scriptsize")
    return SIZE * text_width(plain) + SCRIPT * text_width(small.lstrip())


def text_width(text: str) -> float:
    bold = BOLD if r"\mathbf" in text or r"\textbf" in text else 1.0
    text = text.replace(r"\mathbf", "").replace(r"\textbf", "").replace("~", " ").replace(KEPT, " ")
    for command, letters in STAND_FOR:
        text = text.replace(command, letters)
    return bold * sum(formula_width(part) if i % 2 else letters_width(part) for i, part in enumerate(text.split("$")))


def letters_width(text: str) -> float:
    return sum(map(letter_width, re.sub(r"[\\{}]", "", text)))


def formula_width(text: str) -> float:
    raised = sum(map(formula_width, RAISED.findall(text))) * SCRIPT / SIZE
    text = RAISED.sub("", text)
    known = raised + sum(IN_FORMULAS[one] for one in FORMULA.findall(text))
    return known + letters_width(re.sub(r"[ ^]", "", FORMULA.sub("", text)))


def broken(text: str, room: float) -> list[str]:
    """In lines that are no wider than `room` as far as words can be parted."""
    lines: list[str] = []
    for word in ARROW.sub(KEPT, text).split(" "):
        if lines and width_of(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line.replace(KEPT, " ") for line in lines]


def widest_word(text: str) -> float:
    return max(map(width_of, ARROW.sub(KEPT, text).split(" ")))


def tabulars(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int, most: int,
             counts: int = 0) -> list[Tabular]:
    """Tabulars of booktabs, each with the columns of texts and as many of the numbers as fit, at most `most`. Heads are
    broken where they have no room in one line.

    @param heads   one for each column: the texts first, then the numbers.
    @param counts  how many of the texts, the last ones, are numbers themselves.
    """
    rows = [[cell if i < texts - counts else with_powers(cell) for i, cell in enumerate(row)] for row in rows]
    columns = [[row[i] for row in rows] for i in range(len(heads))]
    rooms = room_of_texts(heads[:texts], columns[:texts])
    rooms += [max([widest_word(head), *map(width_of, cells)]) for head, cells in zip(heads[texts:], columns[texts:])]
    left = PAGE - sum(rooms[:texts]) - texts * GAP
    chunks: list[list[int]] = [[]]
    for i in range(texts, len(heads)):
        taken = sum(rooms[j] + GAP for j in chunks[-1])
        if chunks[-1] and (len(chunks[-1]) == most or taken + rooms[i] + GAP > left):
            chunks.append([])
        chunks[-1].append(i)
    return [tabular(heads, rows, with_heads(heads, rooms, chunk, left), [*range(texts), *chunk], texts, counts) for chunk in chunks]


def with_powers(cell: str) -> str:
    """1.2e-05 is a difference in a formula."""
    return EXPONENT.sub(lambda found: rf"{{\cdot}}10^{{{found[1].strip('+')}{found[2]}}}", cell)


def on_a_page(found: list[Tabular]) -> list[Tabular]:
    """The first tabulars that one page holds below each other, at least one."""
    kept, lines = found[:1], found[0].lines
    for one in found[1:]:
        lines += one.lines
        if lines > PAGE_LINES:
            break
        kept.append(one)
    return kept


def rows_on_a_page(make: Callable[[int], list[Tabular]], rows: int) -> int:
    """How many of the rows one page holds, at least one.

    @param make  tabulars of the first rows, of which the first one is as high as the others.
    """
    least, end = 1, min(rows, PAGE_LINES) + 1  # a row has a line, at least
    while end - least > 1:
        count = (least + end) // 2
        least, end = (count, end) if make(count)[0].lines <= PAGE_LINES else (least, count)
    return least


def without_room(found: list[Tabular], kept: list[Tabular], rows: int = 0) -> str:
    """What is told of those that stand on no page, and of rows that do not."""
    left = sum(one.numbers for one in found) - sum(one.numbers for one in kept)
    measures = f"{left} further measures are in the CSV file; --measure NAME takes others." if left else ""
    return " ".join(filter(None, [measures, f"{rows} further rows are in the CSV file." if rows else ""]))


def with_heads(heads: Sequence[str], rooms: Sequence[float], chunk: list[int], left: float) -> list[float]:
    """Columns of a tabular as wide as their heads, if all of them have room for that."""
    wide = [max(room, width_of(head)) if i in chunk else room for i, (room, head) in enumerate(zip(rooms, heads))]
    return wide if sum(wide[i] + GAP for i in chunk) <= left else list(rooms)


def room_of_texts(heads: Sequence[str], columns: Sequence[Sequence[str]]) -> list[float]:
    """Of each column of texts its width; together at most TEXTS_SHARE of a page, as far as words can be parted: the widest
    ones give way."""
    widths = [max(map(width_of, [head, *cells])) for head, cells in zip(heads, columns)]
    words = [max(map(widest_word, [head, *cells])) for head, cells in zip(heads, columns)]
    excess = sum(widths) + GAP * len(widths) - TEXTS_SHARE * PAGE
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        given = min(max(0.0, excess), widths[i] - words[i])
        widths[i], excess = widths[i] - given, excess - given
    return widths


def tabular(heads: Sequence[str], rows: Sequence[Sequence[str]], rooms: Sequence[float], shown: Sequence[int],
            texts: int, counts: int) -> Tabular:
    named = texts - counts
    lines = [lines_of([broken(row[i], rooms[i]) if i < texts else [row[i]] for i in shown], below=False) for row in rows]
    top = lines_of([broken(heads[i], rooms[i]) for i in shown], below=True)
    return Tabular("l" * named + "r" * (len(shown) - named), top, lines, len(shown) - texts)


def lines_of(cells: list[list[str]], below: bool) -> Row:
    """The lines of one row, whose cells have several; shorter ones stand below, or above."""
    high = max(map(len, cells))
    filled = [[""] * (high - len(cell)) + cell if below else cell + [""] * (high - len(cell)) for cell in cells]
    return [" & ".join(cell[i] for cell in filled) + r" \\" for i in range(high)]
