"""What preparing a table has fitted, and rows that come later as features, with the bits of the program
(src/data/fitted_preparation.cpp)."""

from __future__ import annotations

import dataclasses
import io
import math
import re

import numpy as np
import pandas

from fairfront_archive import elementary
from fairfront_archive.errors import ModelError
from fairfront_archive.quotation import names_text

MISSING = ("?",)  # beside empty cells, where the training had no others
LARGEST = 1e100  # of a number
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)  # the program's own grammar
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
        codes, levels = pandas.factorize(pandas.Series(texts(cells, column.levels), dtype=object))
        self._missing(column.name, codes < 0, left_out)
        place = places_of(column.levels)
        known = np.array([*(place.get(level, -1) for level in levels), column.filler])  # missing: -1, the last
        _set_levels(column, known[codes], out)


def without_missing(table: pandas.DataFrame, missing: tuple[str, ...]) -> pandas.DataFrame:
    """The table with None, or NaN, in cells that hold one of the texts `missing`."""
    values = [value for value in map(real, missing) if value is not None]
    found = {}
    for name in table.columns:
        cells = table[name]
        if pandas.api.types.is_bool_dtype(cells.dtype) or pandas.api.types.is_complex_dtype(cells.dtype):
            continue
        if pandas.api.types.is_numeric_dtype(cells.dtype):
            gone = cells.isin(values).to_numpy(dtype=bool)
        else:
            gone = np.array([_text(cell, ()) in missing for cell in cells], dtype=bool)
        if gone.any():
            found[name] = cells.astype(object).mask(gone, None)
    return table.assign(**found) if found else table


def is_missing(cells: pandas.Series) -> np.ndarray:
    """(n,)"""
    if pandas.api.types.is_numeric_dtype(cells.dtype):
        return cells.isna().to_numpy(dtype=bool)
    return np.array([text is None for text in texts(cells, ())], dtype=bool)


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
    text = _text(cell, ())
    if text is None:
        return math.nan
    value = real(text)
    if value is None:
        raise ValueError(f"row {row}, column '{column}': the cell must be a finite number")
    return value


def real(text: str) -> float | None:
    """The finite number that a text is, as the program reads it: ASCII digits alone; one too near to 0 is 0. None: it is
    none."""
    value = float(text) if NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def with_times_as_text(table: pandas.DataFrame) -> pandas.DataFrame:
    """Columns of times as a CSV file has them, which depends on all rows: dates alone, if they are all at midnight."""
    told = {}
    for place, (_, cells) in enumerate(table.items()):
        kind = cells.cat.categories.dtype if isinstance(cells.dtype, pandas.CategoricalDtype) else cells.dtype
        if getattr(kind, "kind", "") in "mM":
            told[place] = _times_as_text(cells.astype(kind))
    columns = [told.get(place, cells) for place, (_, cells) in enumerate(table.items())]
    return pandas.concat(columns, axis=1) if told else table


def _times_as_text(cells: pandas.Series) -> pandas.Series:
    file = io.StringIO()
    cells.to_csv(file, index=False, header=False, na_rep="?", chunksize=len(cells) + 1)
    texts = [None if text == "?" else text for text in file.getvalue().splitlines()]
    return pandas.Series(texts, index=cells.index, name=cells.name, dtype=object)


def texts(cells: pandas.Series, levels: tuple[str, ...]) -> list[str | None]:
    """Cells as a CSV file would hold them; missing ones None. Whole numbers stand without a point where
    the levels do: pandas makes floats of whole numbers beside missing ones."""
    known = frozenset(levels)
    return [_text(cell, known) for cell in cells]


def _text(cell: object, known: frozenset[str] | tuple[str, ...]) -> str | None:
    if cell is None or cell is pandas.NA or cell is pandas.NaT:
        return None
    if isinstance(cell, (float, np.floating)):
        if math.isnan(cell):
            return None
        text = repr(float(cell))
        return str(int(cell)) if text not in known and float(cell).is_integer() else text
    text = (cell.decode() if isinstance(cell, bytes) else str(cell)).strip(" \r\t")
    return text or None


def ordinals(cells: pandas.Series, column: NumberColumn) -> np.ndarray:
    place = {name: at + 1.0 for name, at in places_of(column.order).items()}
    values = []
    for row, text in enumerate(texts(cells, column.order)):
        if text is not None and text not in place:
            raise ValueError(f"row {row}, column '{column.name}': the cell must be one of "
                             f"{names_text(column.order)}")
        values.append(math.nan if text is None else place[text])
    return np.array(values, dtype=np.float64)


def preparation_of(json: dict) -> Preparation:
    """@throws ModelError  no such JSON."""
    unset = doubles(json["unset"])
    require(len(unset) > 0, "there are no features")
    missing = json["missing"]
    require(missing in RULES, "an unknown rule for missing cells")
    require(isinstance(json["columns"], list), "columns that are no list")
    columns = tuple(_column_of(column, len(unset)) for column in json["columns"])
    require(len({column.name for column in columns}) == len(columns), "two columns have one name")
    group = _column_of(json["group"], len(unset)) if "group" in json else None
    require(group is None or isinstance(group, NameColumn), "the groups are numbers")
    unit_rows = json.get("unit_rows", False)
    require(isinstance(unit_rows, bool), "a rule that is neither true nor false")
    return Preparation(columns, unset, missing, unit_rows, group,
                       names_of(json["missing_cells"]) if "missing_cells" in json else MISSING)


def _column_of(json: dict, width: int) -> NumberColumn | NameColumn:
    if "levels" not in json:
        require(isinstance(json["log1p"], bool), "a rule that is neither true nor false")
        column = NumberColumn(name_of(json["name"]), json["log1p"] is True, *(
            double(json[key]) for key in ("filler", "shift", "divisor")), integer(json["place"]),
            names_of(json.get("order", [])))
        require(0 <= column.place < width, "a column sets a feature that there is not")
        return column
    require(isinstance(json["places"], list), "places that are no list")
    places = np.array([integer(place) for place in json["places"]], dtype=np.int64)
    column = NameColumn(name_of(json["name"]), names_of(json["levels"]), places, doubles(json["values"]),
                        integer(json["filler"]))
    count = len(column.levels)
    require(len(places) == count and len(column.values) == count and -1 <= column.filler < count,
            "a column's levels do not fit")
    require(((places >= -1) & (places < width)).all(), "a level sets a feature that there is not")
    return column


def name_of(json: object) -> str:
    """A name of the table: text, or its bytes as numbers where they are not UTF-8."""
    if isinstance(json, list):
        require(all(0 <= integer(byte) < 256 for byte in json), "a name of numbers that are no bytes")
        return bytes(json).decode(errors="surrogateescape")
    require(isinstance(json, str), "a name that is no text")
    return json


def names_of(json: list) -> tuple[str, ...]:
    require(isinstance(json, list), "names that are no list")
    return tuple(name_of(name) for name in json)


def places_of(names: tuple[str, ...]) -> dict[str, int]:
    """Of every name; of equal ones the first, as the program finds them."""
    return {name: place for place, name in reversed(list(enumerate(names)))}


def double(json: object) -> float:
    require(isinstance(json, (int, float)) and not isinstance(json, bool), "a number that is none")
    return float(json)


def integer(json: object) -> int:
    require(isinstance(json, int) and not isinstance(json, bool) and abs(json) < 2 ** 53, "a number that is not whole")
    return json


def doubles(json: list) -> np.ndarray:
    require(isinstance(json, list), "numbers that are no list")
    return np.array([double(value) for value in json], dtype=np.float64)


def require(holds: object, rule: str) -> None:
    if not holds:
        raise ModelError(rule)
