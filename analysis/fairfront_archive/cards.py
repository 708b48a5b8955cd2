"""Model cards: what a person wants to know of a model before it is used."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from fairfront_archive.features import NameColumn, NumberColumn
from fairfront_archive.json_numbers import from_json
from fairfront_archive.measured import ALL, last_part
from fairfront_archive.quotation import names_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairfront_archive.features import Preparation

MEANINGS = {"score": "a number: the larger, the more likely label 1", "probability": "that the label is 1",
            "decision": "1 or 0", "prediction": "of the target; where it is drawn from atoms, its mean",
            "prediction_in_own_unit": "the same in the unit that the target has in the table",
            "cluster": "the number of the nearest centre, from 0", "distance": "to that centre, in prepared columns"}
SHOWN_GROUPS = 12  # rows of single groups in the table of measures


def inputs_of(preparation: Preparation) -> list[str]:
    return [f"{names_text([column.name])}: {_cells(column)}; {_missing(preparation.missing, column)}"
            for column in preparation.columns]


def _cells(column: NumberColumn | NameColumn) -> str:
    if isinstance(column, NumberColumn):
        return f"one of {names_text(column.order)}" if column.order else "a number"
    return f"one of {names_text(column.levels)}; any other name counts as none of them"


def _missing(rule: str, column: NumberColumn | NameColumn) -> str:
    """What becomes of a missing cell."""
    if rule == "error":
        return "a missing cell is refused"
    if rule == "drop":
        return "a row in which it is missing is left out"
    return f"{_filler(column)} where it is missing"


def _filler(column: NumberColumn | NameColumn) -> str:
    if isinstance(column, NumberColumn):
        return f"number {column.filler:g} of them" if column.order else f"{column.filler:g}"
    return "none of them" if column.filler < 0 else names_text([column.levels[column.filler]])


def group_text(needed: bool, names: tuple[str, ...]) -> str:
    return f"needed of every row, one of {names_text(names)}" if needed else "not needed to predict a row"


def output_texts(names: tuple[str, ...], draws_decisions: bool = False) -> list[str]:
    """@param draws_decisions  the model's decision is drawn from the probability that it says."""
    own = {"probability": "that the decision is 1, which is drawn"} if draws_decisions else {}
    if "prediction_in_own_unit" in names:
        own["prediction"] = "of the prepared target; where it is drawn from atoms, its mean"
    return [f"{name}: {(MEANINGS | own)[name]}" for name in names]


def html_of(about: dict, place: str) -> str:
    """@param about  members "card", "choice", "measures" and "provenance", as in a model file."""
    card, choice, provenance = (_members(about, name) for name in ("card", "choice", "provenance"))
    rows = [(name, card.get(name)) for name in ("model", "form", "chosen", "guarantee", "inputs", "group", "outputs")]
    values = _members(choice, "values")
    rows += [(name, _value_text(_members(values, name))) for name in values]
    rows += [(name, text) for name, text in _measures(about.get("measures"))]
    data = _members(provenance, "data")
    rows += [("data", data.get("name")), ("files", [f"{_members(file, None).get('name')}: SHA-256 "
                                                    f"{_members(file, None).get('sha256')}"
                                                    for file in _list(data, "files")]),
             ("archive", provenance.get("archive")), ("digest of its results", provenance.get("archive_digest")),
             ("key of the task", provenance.get("key"))]
    cells = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{_cell(value)}</td></tr>" for name, value in rows if value)
    return f"<table><caption>{html.escape(place)}</caption>{cells}</table>"


def _members(value: object, name: str | None) -> dict:
    """A member that is an object, or nothing: files may hold anything."""
    found = value if name is None else value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: dict, name: str) -> list:
    found = value.get(name)
    return found if isinstance(found, list) else []


def _cell(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "<br>".join(html.escape(str(line)) for line in lines)


def _known(value: object) -> bool:
    return (isinstance(value, (int, float)) and math.isfinite(value)) or value in ("inf", "-inf")


def _value_text(value: dict) -> str:
    """Such as "0.04 decided, 0.05 [0.03, 0.07] reported"."""
    texts = [f"{from_json(value['decided']):.6g} decided"] if _known(value.get("decided")) else []
    if _known(value.get("reported")):
        texts.append(f"{_with_interval(value, 'reported')} reported")
    return ", ".join(texts)


def _with_interval(value: dict, name: str) -> str:
    text = f"{from_json(value[name]):.6g}"
    if _known(value.get("low")) and _known(value.get("high")):
        text += f" [{from_json(value['low']):.4g}, {from_json(value['high']):.4g}]"
    return text


def _measures(measures: object) -> Iterator[tuple[str, str]]:
    """Of the last part, which is the one that is reported, but for the one for tests; all rows, then single groups."""
    rows = [row for row in _list({"measures": measures}, "measures") if isinstance(row, dict)
            and _known(row.get("value")) and all(isinstance(row.get(name), str) for name in ("name", "part", "group"))]
    parts: dict[str, list[str]] = {}
    for row in rows:
        parts.setdefault(row["name"], []).append(row["part"])
    reported = [row for row in rows if row["part"] == last_part(parts[row["name"]])]
    for row in reported:
        if row.get("group") == ALL:
            yield f"{row['name']} ({row['part']})", _with_interval(row, "value")
    single = [row for row in reported if row.get("group") != ALL]
    for row in single[:SHOWN_GROUPS]:
        yield f"{row['name']} ({row['part']}, {row['group']})", _with_interval(row, "value")
    if len(single) > SHOWN_GROUPS:
        yield "and", f"{len(single) - SHOWN_GROUPS} more values of single groups"
