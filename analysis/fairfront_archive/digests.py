"""The three digests of an archive, computed again: a second implementation of `src/results/digest.cpp`.

SHA-256 over every field as its tag and then its value, both with their lengths in front, so that no two
different contents hash the same bytes. Lengths and whole numbers are 64 bits, little endian; a column of
real numbers has its length as a field of its own and then its values, one bit pattern for every NaN.
"""

from __future__ import annotations

import hashlib
import struct

import numpy as np

from fairfront_archive.layout import (AT_GROUPS, CONFIG, FRONTS, LAUNCH, MERGED, MERGED_SETS, SERIES, SOLUTION_TYPES,
                                      TASKS, TIMING, Columns, Content, OwnValues, Quantity)
from fairfront_archive.stored import TEXT, Column


class _Digest:
    def __init__(self, what: str) -> None:
        self.hash = hashlib.sha256()
        self.text(what.encode())

    def text(self, text: bytes) -> None:
        self.hash.update(struct.pack("<Q", len(text)) + text)

    def field(self, tag: str, value: bytes | int) -> None:
        self.text(tag.encode())
        if isinstance(value, bytes):
            self.text(value)
        else:
            self.hash.update(struct.pack("<Qq", 1, value))

    def texts(self, tag: str, texts: list[bytes]) -> None:
        self.field(tag, len(texts))
        self.hash.update(b"".join(struct.pack("<Q", len(text)) + text for text in texts))

    def column(self, tag: str, column: Column | OwnValues) -> None:
        count = int(np.prod(column.shape, dtype=object))
        if column.kind == TEXT:
            self.texts(tag, column.values().tolist())
        elif column.kind == "f8":
            self.field(tag, count)
            for block in column.blocks():
                self.hash.update(np.where(np.isnan(block), np.nan, block).astype("<f8").tobytes())
        else:
            self.text(tag.encode())
            self.hash.update(struct.pack("<Q", count))
            for block in column.blocks():
                self.hash.update(block.tobytes())

    def integers(self, tag: str, values: np.ndarray) -> None:
        self.text(tag.encode())
        self.hash.update(struct.pack("<Q", len(values)) + values.astype("<i8").tobytes())

    def struct(self, tag: str, columns: Columns, names: list[str]) -> None:
        self.field("struct", tag.encode())
        for name in names:
            self.column(name, columns[name])

    def quantity(self, tag: str, what: Quantity) -> None:
        self.field("struct", tag.encode())
        for name in ("name", "unit", "direction"):
            self.field(name, getattr(what, name))

    def rows(self, tag: str, columns: Columns, names: list[str]) -> None:
        """Structs whose fields are columns."""
        values = [columns[name].values().tolist() for name in names]
        self.field(tag, len(values[0]))
        for row in zip(*values):
            self.field("struct", tag.encode())
            for name, value in zip(names, row):
                self.field(name, value)

    def finish(self) -> str:
        return self.hash.hexdigest()


def names_of(fields: tuple[tuple[str, str], ...], without: tuple[str, ...] = ()) -> list[str]:
    return [name for name, _ in fields if name not in without]


def results_digest(content: Content) -> str:
    """Over what is computed: the same for every number of ranks and after any interruption."""
    digest = _Digest("fairfront results 1")
    digest.field("experiment", content.experiment)
    digest.rows("config", content.config, names_of(CONFIG))
    digest.column("revisions", content.revisions)
    digest.rows("datasets", content.datasets, ["name", "digest", "fitted"])
    for sums in texts_of_files(content, "sha256"):
        digest.texts("sha256", sums)
    digest.field("axes", len(content.axes))
    for axis in content.axes:
        digest.field("struct", b"axes")
        digest.field("name", axis.name)
        digest.field("role", axis.role)
        digest.column("values", axis.values)
    digest.struct("tasks", content.tasks, names_of(TASKS, ("message",)))
    digest.field("axis_index", len(content.axis_index))
    for column in content.axis_index:
        digest.column("index", column)
    _add_columns(digest, content)
    _add_fronts(digest, content)
    return digest.finish()


def _add_columns(digest: _Digest, content: Content) -> None:
    digest.field("metrics", len(content.metrics))
    for what, values in content.metrics:
        digest.quantity("metric", what)
        digest.column("values", values)
    digest.field("series", len(content.series))
    for series in content.series:
        digest.quantity("what", series.what)
        digest.field("step_name", series.step_name)
        digest.struct("columns", series.columns, names_of(SERIES))
    digest.field("solutions", len(content.solutions))
    for solutions in content.solutions:
        digest.quantity("what", solutions.what)
        offsets, values = solutions.own()
        digest.column("task", solutions.task)
        digest.integers("offsets", offsets)
        digest.field("type", SOLUTION_TYPES.index(values.kind))
        digest.column("values", values)


def _add_fronts(digest: _Digest, content: Content) -> None:
    digest.field("fronts", len(content.fronts))
    for front in content.fronts:
        digest.field("name", front.name)
        digest.field("objectives", len(front.objectives))
        for objective in front.objectives:
            digest.quantity("objectives", objective)
        digest.field("solutions_name", front.solutions_name)
        digest.struct("columns", front.columns, names_of(FRONTS))
    digest.field("merged", len(content.merged))
    for name, sets in content.merged:
        digest.field("name", name)
        for tag, columns in zip(MERGED_SETS, sets):
            digest.struct(tag, columns, names_of(MERGED))


def measures_digest(content: Content) -> str:
    """Over what was measured of the results."""
    digest = _Digest("fairfront measures 1")
    digest.field("measures", len(content.measures))
    for measure in content.measures:
        digest.quantity("measure", measure.what)
        digest.texts("parts", measure.parts)
        digest.texts("groups", measure.groups)
        if measure.at_groups != AT_GROUPS[0]:
            digest.field("at_groups", measure.at_groups)
        digest.column("values", measure.values)
    return digest.finish()


def content_digest(content: Content, results: str, measures: str) -> str:
    """Over everything, also provenance, times and prose.

    @param results, measures  the digests of these.
    """
    digest = _Digest("fairfront content 1")
    digest.field("results", results.encode())
    digest.field("measures", measures.encode())
    digest.field("struct", b"launch")
    for name, _ in LAUNCH:
        digest.field(name, content.launch[name])
    digest.rows("datasets", content.datasets, ["source", "file_rows", "recipe"])
    for files in texts_of_files(content, "name"):
        digest.texts("files", files)
    digest.struct("tasks", content.tasks, ["message"])
    digest.struct("timing", content.timing, names_of(TIMING))
    for series in content.series:
        if series.seconds is None:
            digest.field("seconds", 0)
        else:
            digest.column("seconds", series.seconds)
    quantities = [what for what, _ in content.metrics]
    quantities += [one.what for one in (*content.measures, *content.series, *content.solutions)]
    quantities += [objective for front in content.fronts for objective in front.objectives]
    for what in quantities:
        digest.field("struct", b"prose")
        digest.field("definition", what.definition)
        digest.field("source", what.source)
    return digest.finish()


def texts_of_files(content: Content, column: str) -> list[list[bytes]]:
    """Of each data set, the names or sums of its files."""
    found: list[list[bytes]] = [[] for _ in range(content.datasets["name"].shape[0])]
    owners = content.files["dataset"].values().tolist()
    for owner, text in zip(owners, content.files[column].values().tolist()):
        found[owner].append(text)
    return found
