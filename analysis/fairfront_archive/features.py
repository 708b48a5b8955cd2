"""What preparing a table has fitted, and rows that come later as features, with the bits of the program
(src/data/fitted_preparation.cpp)."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pandas

from fairfront_archive import elementary
from fairfront_archive.cells import Names, cell_number, require, text_of
from fairfront_archive.quotation import names_text

MISSING = ("?",)  # beside empty cells, where the training had no others
LARGEST = 1e100  # of a number
RULES = ("error", "drop", "mean", "zero")


@dataclasses.dataclass(frozen=True)
class NumberColumn:
    """Filled where it is missing, then log(1 + x) if `log1p`, then (x - shift) / divisor."""

    name: str
    log1p: bool
    filler: float
    shift: float
    divisor: float  # 0: the feature is 0
    place: int
    order: tuple[str, ...]  # not empty: cells are names, and their numbers 1, 2, ...


@dataclasses.dataclass(frozen=True)
class NameColumn:
    """A name among `levels` sets feature places[i] to values[i]; place -1, or another name: nothing."""

    name: str
    levels: tuple[str, ...]
    places: np.ndarray
    values: np.ndarray
    filler: int  # the level of a missing cell; -1: none


@dataclasses.dataclass(frozen=True)
class Preparation:
    columns: tuple[NumberColumn | NameColumn, ...]
    unset: np.ndarray  # (d,), a row in which nothing is set
    missing: str  # one of RULES
    unit_rows: bool
    group: NameColumn | None  # of the groups, where they are a feature
    missing_cells: tuple[str, ...] = MISSING  # texts that are missing cells, beside empty ones

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def feature_names(self) -> list[str]:
        """Of each feature: the column that it comes from, and the level that sets it."""
        names = [f"feature {i}" for i in range(len(self.unset))]
        for column in self.columns + ((self.group,) if self.group else ()):
            if isinstance(column, NumberColumn):
                names[column.place] = column.name
                continue
            for level, place in zip(column.levels, column.places):
                if place >= 0:
                    names[place] = f"{column.name}={level}"
        return names

    def left_out(self, table: pandas.DataFrame) -> np.ndarray:
        """Rows that the rule `drop` leaves out, (n,)."""
        left_out = np.zeros(len(table), dtype=bool)
        if self.missing == "drop":
            for name in self.names:
                left_out |= is_missing(table[name])
        return left_out

    def features(self, table: pandas.DataFrame, groups: np.ndarray | None) -> np.ndarray:
        """@param table  has the columns `names`. @param groups  (n,), by number; or None.
        @return (n, d); rows that the rule `drop` leaves out are NaN.
        @throws ValueError  a cell that cannot be read, with its row and column.
        """
        out = np.tile(self.unset, (len(table), 1))
        left_out = np.zeros(len(table), dtype=bool)
        for column in self.columns:
            write = self._write_numbers if isinstance(column, NumberColumn) else self._write_names
            write(column, table[column.name], out, left_out)
        if self.group is not None:
            _set_levels(self.group, groups, out)
        if self.unit_rows:
            squares = np.zeros(len(out))
            for place in range(out.shape[1]):
                squares = squares + out[:, place] * out[:, place]
            if not np.isfinite(squares[~left_out]).all():
                raise ValueError("the rows cannot be normalised: the sum of a row's squares overflows")
            out = out / np.sqrt(np.maximum(squares, 1e-14))[:, None]
        out[left_out] = np.nan
        return out

    def _missing(self, column: str, missing: np.ndarray, left_out: np.ndarray) -> None:
        if self.missing == "error" and missing.any():
            raise ValueError(f"row {missing.argmax()}, column '{column}': the cell is missing, and the "
                             "model has no rule for that")
        if self.missing == "drop":
            left_out |= missing

    def _write_numbers(self, column: NumberColumn, cells: pandas.Series, out: np.ndarray,
                       left_out: np.ndarray) -> None:
        values = ordinals(cells, column) if column.order else numbers(cells)
        missing = np.isnan(values)
        self._missing(column.name, missing, left_out)
        values = np.where(missing, column.filler, values)
        if column.log1p:
            if not (values > -1).all():
                raise ValueError(f"row {(~(values > -1)).argmax()}, column '{column.name}': log(1 + x) is taken "
                                 "of it, and the cell is <= -1")
            values = elementary.log1p(values)
        out[:, column.place] = 0.0 if column.divisor == 0 else (values - column.shift) / column.divisor

    def _write_names(self, column: NameColumn, cells: pandas.Series, out: np.ndarray,
                     left_out: np.ndarray) -> None:
        codes, levels = pandas.factorize(pandas.Series(texts(cells), dtype=object))
        self._missing(column.name, codes < 0, left_out)
        names = Names(column.levels)
        places = [names.place(level) for level in levels]
        known = np.array([*(-1 if place is None else place for place in places), column.filler])  # missing: -1, the last
        _set_levels(column, known[codes], out)


def is_missing(cells: pandas.Series) -> np.ndarray:
    """(n,)"""
    if pandas.api.types.is_numeric_dtype(cells.dtype):
        return cells.isna().to_numpy(dtype=bool)
    return np.array([text is None for text in texts(cells)], dtype=bool)


def _set_levels(column: NameColumn, levels: np.ndarray, out: np.ndarray) -> None:
    if not len(column.levels):
        return
    places = np.where(levels < 0, -1, column.places[levels])
    rows = np.flatnonzero(places >= 0)
    out[rows, places[rows]] = column.values[levels[rows]]


def numbers(cells: pandas.Series) -> np.ndarray:
    """As float64, missing ones NaN.

    @throws ValueError  a cell that is no finite number.
    """
    if pandas.api.types.is_complex_dtype(cells.dtype):
        raise ValueError(f"column '{cells.name}': the cells must be real numbers")
    if pandas.api.types.is_numeric_dtype(cells.dtype) or pandas.api.types.is_bool_dtype(cells.dtype):
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.array([_number(cell, row, cells.name) for row, cell in enumerate(cells)], dtype=np.float64)
    if (np.abs(values) > LARGEST).any():
        raise ValueError(f"row {(np.abs(values) > LARGEST).argmax()}, column '{cells.name}': the cell must be a "
                         "finite number of magnitude up to 1e100")
    return values


def _number(cell: object, row: int, column: object) -> float:
    text = text_of(cell)
    if text is None:
        return math.nan
    value = cell_number(text)
    if value is None:
        raise ValueError(f"row {row}, column '{column}': the cell must be a finite number")
    return value


def texts(cells: pandas.Series) -> list[str | None]:
    """Cells as a CSV file would hold them; missing ones None."""
    return [text_of(cell) for cell in cells]


def ordinals(cells: pandas.Series, column: NumberColumn) -> np.ndarray:
    names, values = Names(column.order), []
    for row, text in enumerate(texts(cells)):
        place = -1 if text is None else names.place(text)
        if place is None:
            raise ValueError(f"row {row}, column '{column.name}': the cell must be one of "
                             f"{names_text(column.order)}")
        values.append(math.nan if text is None else place + 1.0)
    return np.array(values, dtype=np.float64)


def preparation_of(json: object) -> Preparation:
    """@throws ModelError  no such JSON."""
    unset = doubles(member(json, "unset"), "unset")
    require(len(unset) > 0, "there are no features")
    columns = tuple(_column_of(column, len(unset)) for column in _list(member(json, "columns")))
    require(len({column.name for column in columns}) == len(columns), "two columns have one name")
    missing = member(json, "missing")
    require(isinstance(missing, str) and missing in RULES, "an unknown rule for missing cells")
    group = _column_of(json["group"], len(unset)) if "group" in json else None
    require(group is None or isinstance(group, NameColumn), "the groups are numbers")
    return Preparation(columns, unset, missing, "unit_rows" in json and _truth(json, "unit_rows"), group,
                       names_of(json["missing_cells"]) if "missing_cells" in json else MISSING)


def _column_of(json: object, width: int) -> NumberColumn | NameColumn:
    name = name_of(member(json, "name"))
    if "levels" not in json:
        column = NumberColumn(name, _truth(json, "log1p"), *(double(json, key) for key in ("filler", "shift", "divisor")),
                              integer(member(json, "place")), names_of(json.get("order", [])))
        require(column.place >= 0, "a place below 0")
        require(column.place < width, "a column sets a feature that there is not")
        return column
    levels = names_of(json["levels"])
    places = np.array([integer(place) for place in _list(member(json, "places"))], dtype=np.int64)
    column = NameColumn(name, levels, places, doubles(member(json, "values"), "values"), integer(member(json, "filler")))
    count = len(column.levels)
    require(column.filler >= -1, "a level that there is not")
    require(len(places) == count and len(column.values) == count and column.filler < count,
            "a column's levels do not fit")
    require(((places >= -1) & (places < width)).all(), "a level sets a feature that there is not")
    return column


def member(json: object, name: str) -> Any:
    require(isinstance(json, dict) and name in json, f'its "{name}" is missing')
    return json[name]


def _truth(json: object, name: str) -> bool:
    value = member(json, name)
    require(isinstance(value, bool), f'its "{name}" is neither true nor false')
    return value


def _list(json: object) -> list:
    require(isinstance(json, list), "a list that is none")
    return json


def name_of(json: object) -> str:
    """A name of the table: text, or its bytes as numbers where they are not UTF-8."""
    if isinstance(json, str):
        return json
    require(all(0 <= integer(byte) < 256 for byte in _list(json)), "a name of numbers that are no bytes")
    return bytes(json).decode(errors="surrogateescape")


def names_of(json: object) -> tuple[str, ...]:
    return tuple(name_of(name) for name in _list(json))


def double(json: object, name: str) -> float:
    value = member(json, name)
    require(_is_number(value), f'its "{name}" is no number')
    return float(value)


def integer(json: object) -> int:
    """Of 64 bits, as the program reads it: what has more digits is a double there."""
    require(isinstance(json, int) and not isinstance(json, bool) and -2 ** 63 <= json < 2 ** 64, "a number that is not whole")
    require(json < 2 ** 63, "a number too large")
    return json


def doubles(json: object, name: str) -> np.ndarray:
    """@param name  of the member that they are, for messages."""
    require(isinstance(json, list) and all(map(_is_number, json)), f'its "{name}" is no list of numbers')
    return np.array(json, dtype=np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
