"""What the cells of a frame say: the text that a CSV file of it holds, and what the program reads of that
(src/data/cell_text.hpp)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable

import numpy as np
import pandas

from fairfront_archive.errors import InputError, ModelError

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)  # the program's own grammar
WHOLE = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.0*)?", re.ASCII)
TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
MOST_DIGITS = 2.0 ** 63  # of a whole number without an exponent
BLANKS = " \r\t"


def real(text: str) -> float | None:
    """The finite number that a text is, as the program reads it: ASCII digits alone; one too near to 0 is 0. None: it is
    none."""
    value = float(text) if NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def cell_number(text: str) -> float | None:
    """A finite number, or one of the truth values True and False, which are 1 and 0 in any of the spellings of programs."""
    return TRUTH[text] if text in TRUTH else real(text)


def whole_number(text: str) -> str | None:
    """The digits of a whole number, "1" of "1", "1." and "1.0"; None of any other text, such as "01", "+1" and "1e0",
    which are names of their own."""
    found = WHOLE.fullmatch(text)
    if found is None:
        return None
    sign, digits = found.groups()
    return digits if digits == "0" else sign + digits


class Names:
    """Names that cells may hold: by their own texts, else the first one that is the same whole number. pandas makes 1.0
    of 1 where a column has missing cells."""

    def __init__(self, names: Iterable[str]) -> None:
        self._places: dict[str, int] = {}
        self._wholes: dict[str, int] = {}
        for place, name in enumerate(names):
            self._places.setdefault(name, place)
            whole = whole_number(name)
            if whole is not None:
                self._wholes.setdefault(whole, place)

    def place(self, text: str) -> int | None:
        """None: it is none of them."""
        found = self._places.get(text)
        if found is not None or not self._wholes:
            return found
        whole = whole_number(text)
        return None if whole is None else self._wholes.get(whole)

    def __contains__(self, text: str) -> bool:
        return self.place(text) is not None


def text_of(cell: object) -> str | None:
    """Of one that as_told() has told; None: it is missing."""
    if cell is None or cell is pandas.NA or cell is pandas.NaT:
        return None
    if isinstance(cell, float):
        return None if math.isnan(cell) else _float_text(cell)
    return str(cell).strip(BLANKS) or None


def _float_text(value: float) -> str:
    is_whole = value.is_integer() and abs(value) < MOST_DIGITS and not (value == 0 and math.copysign(1, value) < 0)
    return str(int(value)) if is_whole else repr(value)


def as_told(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with nothing in its cells that a CSV file would hold in another way than a model takes it: times are
    texts, numbers of any width such of 64 bits, and bytes are the texts that they say.

    @throws ValueError  bytes that are no UTF-8: row and column are named."""
    told = {place: _told(cells) for place, (_, cells) in enumerate(table.items())}
    if all(cells is None for cells in told.values()):
        return table
    columns = [cells if told[place] is None else told[place] for place, (_, cells) in enumerate(table.items())]
    return pandas.concat(columns, axis=1)


def _told(cells: pandas.Series) -> pandas.Series | None:
    """None: it stays as it is."""
    if isinstance(cells.dtype, pandas.SparseDtype):
        dense = cells.sparse.to_dense()
        told = _told(dense)
        return dense if told is None else told
    kind = cells.cat.categories.dtype if isinstance(cells.dtype, pandas.CategoricalDtype) else cells.dtype
    letter = getattr(kind, "kind", "O")
    if letter in "mM":
        return _times_as_text(cells.astype(kind))
    if letter == "f":
        return _of_64_bits(cells.astype(kind))
    return _plain(cells.astype(kind)) if letter in "OS" else None


def _times_as_text(cells: pandas.Series) -> pandas.Series:
    """As a CSV file has them, which depends on all rows: dates alone, if they are all at midnight."""
    file = io.StringIO()
    cells.to_csv(file, index=False, header=False, na_rep="?", chunksize=len(cells) + 1)
    texts = [None if text == "?" else text for text in file.getvalue().splitlines()]
    return pandas.Series(texts, index=cells.index, name=cells.name, dtype=object)


def _of_64_bits(cells: pandas.Series) -> pandas.Series | None:
    if isinstance(cells.dtype, np.dtype):
        return None if cells.dtype == np.float64 else cells.astype(np.float64)
    return None if cells.dtype == "Float64" else cells.astype("Float64")


def _plain(cells: pandas.Series) -> pandas.Series | None:
    own = cells.tolist()
    if all(isinstance(cell, str) for cell in own):
        return None
    plain = [None if missing else _plain_cell(cell, row, cells.name)
             for row, (cell, missing) in enumerate(zip(own, cells.isna().tolist()))]
    return pandas.Series(plain, index=cells.index, name=cells.name, dtype=object)


def _plain_cell(cell: object, row: int, column: object) -> object:
    if isinstance(cell, np.floating):
        return float(cell)
    if not isinstance(cell, bytes):
        return cell
    try:
        return cell.decode()
    except UnicodeDecodeError:
        raise InputError(f"row {row}, column '{column}': the bytes of the cell are no UTF-8") from None


def require_writable(table: pandas.DataFrame) -> None:
    """@throws InputError  a name or cell that no file of text can hold: row and column are named."""
    for name in map(str, table.columns):
        if flaw := _flaw_of(name):
            raise InputError(f"the name of column {name!r} has {flaw}: rename the column")
    for place, (_, cells) in enumerate(table.items()):
        if pandas.api.types.is_numeric_dtype(cells.dtype):
            continue
        texts = list(map(str, cells.astype(object)))
        if _flaw_of("".join(texts)):
            row, flaw = next((row, flaw) for row, text in enumerate(texts) if (flaw := _flaw_of(text)))
            raise InputError(f"row {row}, column '{table.columns[place]}': the cell has {flaw}")


def _flaw_of(text: str) -> str | None:
    if "\0" in text:
        return "a zero byte in it, which the program reads in no table"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half a character in it, which no file of UTF-8 can hold"
    return None


def as_written(table: pandas.DataFrame) -> pandas.DataFrame:
    """As as_told(), with whole numbers that pandas has made floats as whole numbers."""
    told = as_told(table)
    columns = [_whole(cells) for _, cells in told.items()]
    return pandas.concat(columns, axis=1) if columns else told


def _whole(cells: pandas.Series) -> pandas.Series:
    """Where all floats of the column are whole: else the others would have a point, and they none."""
    kind = cells.cat.categories.dtype if isinstance(cells.dtype, pandas.CategoricalDtype) else cells.dtype
    if pandas.api.types.is_float_dtype(kind):
        values = cells.astype(kind).to_numpy(dtype=np.float64, na_value=np.nan)
        gone = np.isnan(values)
        if not gone.all() and _are_whole(values[~gone]):
            whole = pandas.arrays.IntegerArray(np.where(gone, 0, values).astype(np.int64), gone)
            return pandas.Series(whole, index=cells.index, name=cells.name)
    elif cells.dtype == object:
        own = cells.tolist()
        floats = np.array([cell for cell in own if isinstance(cell, float)], dtype=np.float64)
        if len(floats) and _are_whole(floats):
            told = [_float_text(cell) if isinstance(cell, float) else cell for cell in own]
            return pandas.Series(told, index=cells.index, name=cells.name, dtype=object)
    return cells


def _are_whole(values: np.ndarray) -> bool:
    """A zero with a sign is another number than 0."""
    whole = (np.abs(values) < MOST_DIGITS) & (values == np.floor(values)) & ~((values == 0) & np.signbit(values))
    return bool(whole.all())


def without_missing(table: pandas.DataFrame, missing: tuple[str, ...]) -> pandas.DataFrame:
    """The table with None, or NaN, in cells that hold one of the texts `missing`."""
    names, values = Names(missing), missing_numbers(missing)
    found = {}
    for name in table.columns:
        cells = table[name]
        kind = cells.dtype
        if pandas.api.types.is_complex_dtype(kind):
            continue
        if pandas.api.types.is_numeric_dtype(kind) and not pandas.api.types.is_bool_dtype(kind):
            gone = cells.isin(values).to_numpy(dtype=bool)
        else:
            gone = np.array([text is not None and text in names for text in map(text_of, cells)], dtype=bool)
        if gone.any():
            found[name] = cells.astype(object).mask(gone, None)
    return table.assign(**found) if found else table


def missing_numbers(missing: Iterable[str]) -> list[float]:
    """Numbers whose texts are missing cells."""
    known = [(text, real(text)) for text in missing]
    return sorted({value for text, value in known if value is not None and (whole_number(text) or repr(value) == text)})


def require(holds: object, rule: str) -> None:
    if not holds:
        raise ModelError(rule)
