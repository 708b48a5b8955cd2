"""How a row's group follows from the cells of its table, with the groups of the program
(src/data/group_rules.cpp)."""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Callable

import numpy as np
import pandas

from fairfront_archive.cells import Names, cell_number, require
from fairfront_archive.errors import ModelError
from fairfront_archive.features import member, name_of, names_of, numbers, texts
from fairfront_archive.quotation import BLANKS, names_text, parse_list

LARGEST_OF = "largest("
COLUMN_CALLED = "column("
OPERATOR = re.compile(r" (<=|>=|==|!=|<|>) ")
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
MIRRORED = {"<": ">", "<=": ">="}  # 25 <= age is age >= 25
OTHER = "other"  # the level of rows that do not pass a comparison

Test = Callable[[np.ndarray], np.ndarray]  # which of the values pass


@dataclasses.dataclass(frozen=True)
class OneComparison:
    """With a constant. A class, as functions made in functions cannot be pickled."""

    sign: str
    number: float  # not a number: no value equals it

    def __call__(self, values: np.ndarray) -> np.ndarray:
        if self.sign in ORDERS:
            return ORDERS[self.sign](values, self.number)
        return (values == self.number) == (self.sign == "==")


@dataclasses.dataclass(frozen=True)
class AllOf:
    """Comparisons that a value must all pass."""

    tests: tuple[OneComparison, ...]

    def __call__(self, values: np.ndarray) -> np.ndarray:
        return np.all([test(values) for test in self.tests], axis=0)


@dataclasses.dataclass(frozen=True)
class GroupRule:
    """One sensitive attribute: which cells say it, and what its levels are called in the groups."""

    text: str  # as data.sensitive writes it
    levels: tuple[str, ...]
    names: tuple[str, ...]
    others: str | None  # what any other level is called
    columns: tuple[str, ...]  # that it reads
    test: Test | None  # of a comparison

    def called(self, table: pandas.DataFrame, left_out: np.ndarray) -> list[str | None]:
        """Of every row what its level is called; None: no group is."""
        if self.test is not None:
            passed = self.test(_numbers(table, self.columns[0], left_out))
            found = [self.text.strip(BLANKS) if one else OTHER for one in passed]
        elif len(self.columns) > 1:
            values = np.stack([_numbers(table, name, left_out) for name in self.columns])
            found = [self.columns[place] for place in values.argmax(axis=0)]
        else:
            found = _names(table, self, self.columns[0], left_out)
        levels = Names(self.levels)
        places = [None if level is None else levels.place(level) for level in found]
        return [self.others if place is None else self.names[place] for place in places]


def group_numbers(rules: tuple[GroupRule, ...], groups: tuple[str, ...], table: pandas.DataFrame,
                  left_out: np.ndarray) -> np.ndarray:
    """The number of every row's group, (n,).

    @param table     has the columns of all rules. @param left_out  (n,), rows of which nobody wants the group: 0.
    @throws ValueError  a cell that cannot be read, or levels that together are no group.
    """
    place = {name: at for at, name in reversed(list(enumerate(groups)))}  # of equal ones the first, as the program
    found = []
    for row, names in enumerate(zip(*(rule.called(table, left_out) for rule in rules))):
        number = 0 if left_out[row] else place.get(" x ".join(name or "" for name in names))
        if number is None:
            raise ValueError(f"row {row} is in none of the groups that the model knows, as its attributes never came "
                             f"together in training: {names_text(groups)}")
        found.append(number)
    return np.array(found, dtype=np.int64)


def rules_of(json: list) -> tuple[GroupRule, ...]:
    """@throws ModelError  no such rules."""
    require(isinstance(json, list), "a list that is none")
    return tuple(_rule_of(rule) for rule in json)


def _rule_of(json: dict) -> GroupRule:
    text, levels, names = name_of(member(json, "attribute")), names_of(member(json, "levels")), names_of(member(json, "names"))
    require(len(levels) == len(names), "the names of an attribute do not fit")
    others = name_of(json["others"]) or None if "others" in json else None
    try:
        columns, test = _parsed(text)
    except ModelError:
        raise ModelError("an attribute that is neither a column nor a comparison") from None
    return GroupRule(text, levels, names, others, columns, test)


def _parsed(text: str) -> tuple[tuple[str, ...], Test | None]:
    """Columns, and the test of a comparison."""
    if text.startswith(COLUMN_CALLED) and text.endswith(")"):
        return (text[len(COLUMN_CALLED):-1],), None
    if text.startswith(LARGEST_OF) and text.endswith(")"):
        try:
            columns = parse_list(text[len(LARGEST_OF):-1])
        except ValueError as error:
            raise ModelError(str(error)) from None
        require(len(columns) > 1, "the largest of fewer than two columns")
        return columns, None
    pieces = _pieces(text)
    if len(pieces) == 1:
        return (text,), None
    require(len(pieces) in (3, 5), "a comparison that is none")
    left, sign, right, *more = pieces
    if not more:
        column, tests = left, [_test_of(sign, right)]
    else:
        require(sign in MIRRORED and more[0] in MIRRORED, "a comparison that is none")
        column, tests = right, [_test_of(MIRRORED[sign], left), _test_of(*more)]
    require(column, "a comparison of no column")
    return (column,), AllOf(tuple(tests))


def column_text(name: str) -> str:
    """Of data.label or data.sensitive, that stands for the column: its name, or where that is a comparison or the like,
    "column(NAME)"."""
    special = name.startswith((LARGEST_OF, COLUMN_CALLED)) and name.endswith(")")
    return f"{COLUMN_CALLED}{name})" if special or len(_pieces(name)) > 1 else name


def _pieces(text: str) -> list[str]:
    """Operands, and the operators between them."""
    return [piece.strip(BLANKS) for piece in OPERATOR.split(text)]


def _test_of(sign: str, constant: str) -> OneComparison:
    number = cell_number(constant)
    require(number is not None or sign not in ORDERS, "an order without a number")
    require(constant, "a comparison with nothing")
    return OneComparison(sign, math.nan if number is None else number)


def _numbers(table: pandas.DataFrame, column: str, left_out: np.ndarray) -> np.ndarray:
    values = numbers(_without(table[column], left_out))
    _require_told(column, np.isnan(values) & ~left_out)
    return values


def _names(table: pandas.DataFrame, rule: GroupRule, column: str, left_out: np.ndarray) -> list[str | None]:
    found, levels = texts(_without(table[column], left_out)), Names(rule.levels)
    _require_told(column, np.array([name is None for name in found], dtype=bool) & ~left_out)
    unknown = [row for row, name in enumerate(found) if name is not None and name not in levels]
    if unknown and rule.others is None:
        raise ValueError(f"row {unknown[0]}, column '{column}': the cell must be one of {names_text(rule.levels)}")
    return found


def _without(cells: pandas.Series, left_out: np.ndarray) -> pandas.Series:
    return cells.astype(object).mask(left_out, None) if left_out.any() else cells


def _require_told(column: str, missing: np.ndarray) -> None:
    if missing.any():
        raise ValueError(f"row {missing.argmax()}, column '{column}': the cell is missing, and the group is found by it")
