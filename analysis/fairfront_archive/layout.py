"""The layout of an archive, format version 1: which columns and attributes there are, and of what type.

The same layout as `src/results/fields.hpp` lists for the program, written down a second time: the digests
below are over it, and whatever else a file holds is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from fairfront_archive.stored import TEXT, Column, Damaged, Group, text_of

DIRECTIONS = (b"minimise", b"maximise", b"none")
ROLES = (b"problem", b"setting", b"trade_off", b"replicate", b"tuning")
STATUS = (b"missing", b"done", b"failed")
LAUNCH = (("program_version", TEXT), ("git_revision", TEXT), ("git_dirty", "i8"), ("compiler", TEXT),
          ("compiler_flags", TEXT), ("libraries", TEXT), ("created", TEXT), ("hosts", TEXT),
          ("processors", TEXT), ("c_libraries", TEXT), ("ranks", "i8"), ("team_size", "i8"),
          ("command_line", TEXT), ("slurm", TEXT))
CONFIG = (("section", TEXT), ("key", TEXT), ("value", TEXT))
DATASETS = (("name", TEXT), ("source", TEXT), ("file_rows", "i8"), ("recipe", TEXT), ("digest", TEXT),
            ("fitted", TEXT))
FILES = (("dataset", "i8"), ("name", TEXT), ("sha256", TEXT))
TASKS = (("key", TEXT), ("method", TEXT), ("problem", "i4"), ("configuration", "i4"), ("curve", "i4"),
         ("status", "u1"), ("message", TEXT), ("model", TEXT))
TIMING = (("started", "f8"), ("seconds", "f8"), ("rank", "i4"), ("attempt", "i4"))
SERIES = (("offsets", "i8"), ("steps", "i8"), ("values", "f8"))
SOLUTIONS = (("task", "i8"), ("offsets", "i8"))
FRONTS = (("offsets", "i8"), ("points", "f8"), ("report", "f8"), ("task", "i8"), ("solution", "i8"),
          ("reference", "f8"), ("hypervolume", "f8"))
MERGED = (("offsets", "i8"), ("point", "i8"), ("reference", "f8"), ("hypervolume", "f8"))
AT_GROUPS = (b"own", b"made_by")  # what a measure says at single groups
MEASURE = [b"task", b"part", b"group", b"end"]  # the dimensions of its values
ENDS = [b"value", b"low", b"high"]  # along the last one
MERGED_SETS = ("per_replicate", "over_replicates")
SOLUTION_TYPES = ("u1", "u2", "f8")  # in the order of the digest
DIMENSIONS = {"points": [b"point", b"objective"], "report": [b"point", b"objective"]}
WIDE = ("points", "report", "reference")  # an entry per objective in each row

Columns = dict[str, Column]


@dataclasses.dataclass
class Quantity:
    name: bytes
    definition: bytes
    unit: bytes
    direction: int
    source: bytes


@dataclasses.dataclass
class Measure:
    what: Quantity
    parts: list[bytes]
    groups: list[bytes]
    values: Column  # (tasks, parts, groups, ends)
    at_groups: bytes  # one of AT_GROUPS


@dataclasses.dataclass
class Series:
    what: Quantity
    step_name: bytes
    columns: Columns
    seconds: Column | None


@dataclasses.dataclass
class OwnValues:
    """Values as if every solution had its own: some archives store equal ones once. Like a Column."""

    stored: Column
    first: np.ndarray  # of every solution in the stored values
    sizes: np.ndarray

    @property
    def path(self) -> str:
        return self.stored.path

    @property
    def kind(self) -> str:
        return self.stored.kind

    @property
    def shape(self) -> tuple[int, ...]:
        return (int(self.sizes.sum()),)

    def blocks(self) -> Iterator[np.ndarray]:
        values = self.stored.values()
        for first, size in zip(self.first, self.sizes):
            yield values[first:first + size]


@dataclasses.dataclass
class Solutions:
    what: Quantity
    task: Column
    vector: Column | None  # which of the stored vectors each is; None: every one has its own
    offsets: Column
    values: Column

    def own(self) -> tuple[np.ndarray, Column | OwnValues]:
        """Offsets and values as if every solution had its own."""
        offsets = self.offsets.values()
        if self.vector is None:
            return offsets, self.values
        vector = self.vector.values()
        sizes = np.diff(offsets)[vector]
        return np.concatenate([[0], np.cumsum(sizes)]), OwnValues(self.values, offsets[vector], sizes)


@dataclasses.dataclass
class Fronts:
    name: bytes
    objectives: list[Quantity]
    solutions_name: bytes
    columns: Columns


@dataclasses.dataclass
class Axis:
    name: bytes
    role: int
    values: Column


@dataclasses.dataclass
class Content:
    """Everything that an archive holds; columns are read when somebody asks for them."""

    digest: bytes
    measures_digest: bytes
    content_digest: bytes
    status: bytes
    experiment: bytes
    config: Columns
    revisions: Column
    launch: dict[str, bytes | int]
    datasets: Columns
    files: Columns
    axes: list[Axis]
    tasks: Columns
    axis_index: list[Column]
    timing: Columns
    metrics: list[tuple[Quantity, Column]]
    measures: list[Measure]
    series: list[Series]
    solutions: list[Solutions]
    fronts: list[Fronts]
    merged: list[tuple[bytes, list[Columns]]]  # the sets in the order of MERGED_SETS


def content_of(root: Group) -> Content:
    """Reads the parts of the tree.

    @throws Damaged  one is missing, has another type or shape, or there is something else.
    """
    return _Reader(root).content()


class _Reader:
    def __init__(self, root: Group) -> None:
        self.root = root
        self.taken: set[str] = {"/"}

    def content(self) -> Content:
        root = self.root
        if self.text(root, "format") != b"fairfront":
            raise Damaged("/@format: is not 'fairfront'")
        if self.attribute(root, "format_version", int) != 1:
            raise Damaged("/@format_version: is unknown")
        config, provenance = self.group(root, "config"), self.group(root, "provenance")
        axes = self.axes()
        series = {name: self.series(group, name) for name, group in self.groups("series")}
        self.seconds_along(series)
        found = Content(
            *(self.text(root, name) for name in ("digest", "measures_digest", "content_digest", "status",
                                                 "experiment")),
            config=self.columns(config, CONFIG, same_length=True),
            revisions=self.column(config, "revisions", TEXT), launch=self.launch(provenance),
            datasets=self.columns(self.group(provenance, "datasets"), DATASETS, same_length=True),
            files=self.columns(self.group(self.group(provenance, "datasets"), "files"), FILES,
                               same_length=True),
            axes=axes, tasks=self.tasks(), axis_index=self.axis_index(axes), timing=self.timing(),
            metrics=self.metrics(), measures=self.measures(), series=list(series.values()),
            solutions=[self.solutions(group, name) for name, group in self.groups("solutions")],
            fronts=[self.fronts(group, name) for name, group in self.groups("fronts")], merged=[])
        found.merged = [self.merged(group, name, found.fronts) for name, group in self.groups("merged")]
        self.require_nothing_else(root)
        return found

    # What stands in the file, each part asked for by its name.

    def member(self, group: Group, name: str) -> Group | Column:
        if name not in group.members:
            raise Damaged(f"{group.path.rstrip('/')}/{name} is missing")
        found = group.members[name]
        self.taken.add(found.path)
        return found

    def group(self, group: Group, name: str) -> Group:
        found = self.member(group, name)
        if not isinstance(found, Group):
            raise Damaged(f"{found.path}: is not a group")
        return found

    def groups(self, name: str) -> list[tuple[str, Group]]:
        parent = self.group(self.root, name)
        return [(member, self.group(parent, member)) for member in parent.members]

    def column(self, group: Group, name: str, kind: str, row: tuple[int, ...] = ()) -> Column:
        """@param row  the shape of each of its rows."""
        found = self.member(group, name)
        if not isinstance(found, Column):
            raise Damaged(f"{found.path}: is not a data set")
        if found.kind != kind:
            raise Damaged(f"{found.path}: holds {found.kind or 'values'} where {kind} must be")
        if found.shape[1:] != row:
            raise Damaged(f"{found.path}: has the wrong shape")
        return found

    def columns(self, group: Group, names: tuple[tuple[str, str], ...], width: int = 0,
                same_length: bool = False) -> Columns:
        found = {name: self.column(group, name, kind, (width,) if width and name in WIDE else ())
                 for name, kind in names}
        if same_length and len({column.shape[0] for column in found.values()}) > 1:
            raise Damaged(f"{group.path}: columns of different lengths")
        return found

    def attribute(self, node: Group | Column, name: str, kind: type) -> object:
        if name not in node.attributes:
            raise Damaged(f"{node.path}@{name} is missing")
        self.taken.add(f"{node.path}@{name}")
        value = node.attributes[name]
        if not isinstance(value, kind):
            raise Damaged(f"{node.path}@{name}: is not {kind.__name__}")
        return value

    def text(self, node: Group | Column, name: str) -> bytes:
        return self.attribute(node, name, bytes)

    def one_of(self, known: tuple[bytes, ...], value: bytes, place: str) -> int:
        if value not in known:
            raise Damaged(f"{place}: unknown '{text_of(value)}'")
        return known.index(value)

    def require(self, node: Group | Column, name: str, expected: object) -> None:
        if self.attribute(node, name, type(expected)) != expected:
            raise Damaged(f"{node.path}@{name}: is not what it must be")

    def require_nothing_else(self, node: Group | Column) -> None:
        """No digest covers what this library does not know."""
        if node.path not in self.taken:
            raise Damaged(f"{node.path}: is not part of the format")
        for name in node.attributes:
            if f"{node.path}@{name}" not in self.taken:
                raise Damaged(f"{node.path}@{name}: is not part of the format")
        for member in getattr(node, "members", {}).values():
            self.require_nothing_else(member)

    # The parts.

    def launch(self, group: Group) -> dict[str, bytes | int]:
        facts = {}
        for name, kind in LAUNCH:
            column = self.column(group, name, kind)
            if column.shape != (1,):
                raise Damaged(f"{column.path}: is not one row")
            facts[name] = column.values().tolist()[0]
        if facts["git_dirty"] not in (0, 1):
            raise Damaged("/provenance/git_dirty: must be 0 or 1")
        if self.text(self.root, "created") != facts["created"]:
            raise Damaged("/@created: is not that of /provenance/created")
        return facts

    def axes(self) -> list[Axis]:
        group, found = self.group(self.root, "axes"), []
        for name in group.members:
            values = self.column(group, name, TEXT)
            role = self.one_of(ROLES, self.text(values, "role"), f"{values.path}@role")
            found.append(Axis(name.encode(), role, values))
        return found

    def tasks(self) -> Columns:
        group = self.group(self.root, "tasks")
        found = self.columns(group, TASKS)
        for column in found.values():
            self.require(column, "dimensions", [b"task"])
        self.require(found["status"], "names", list(STATUS))
        return found

    def axis_index(self, axes: list[Axis]) -> list[Column]:
        group = self.group(self.group(self.root, "tasks"), "axis")
        found = [self.column(group, text_of(axis.name), "i4") for axis in axes]
        for column in found:
            self.require(column, "dimensions", [b"task"])
        return found

    def timing(self) -> Columns:
        found = self.columns(self.group(self.root, "timing"), TIMING)
        for name, column in found.items():
            self.require(column, "dimensions", [b"task"])
            if name in ("started", "seconds"):
                self.require(column, "unit", b"s")
        return found

    def quantity(self, node: Group | Column, name: str) -> Quantity:
        definition, unit, direction, source = (
            self.text(node, field) for field in ("definition", "unit", "direction", "source"))
        place = f"{node.path}@direction"
        return Quantity(name.encode(), definition, unit, self.one_of(DIRECTIONS, direction, place), source)

    def metrics(self) -> list[tuple[Quantity, Column]]:
        group, found = self.group(self.root, "metrics"), []
        for name in group.members:
            column = self.column(group, name, "f8")
            self.require(column, "dimensions", [b"task"])
            found.append((self.quantity(column, name), column))
        return found

    def measures(self) -> list[Measure]:
        group, found = self.group(self.root, "measures"), []
        for name in group.members:
            node = self.member(group, name)
            parts, groups = (self.attribute(node, key, list) for key in ("parts", "groups"))
            column = self.column(group, name, "f8", (len(parts), len(groups), len(ENDS)))
            self.require(column, "dimensions", MEASURE)
            self.require(column, "ends", ENDS)
            found.append(Measure(self.quantity(column, name), parts, groups, column, self.at_groups(column)))
        return found

    def at_groups(self, column: Column) -> bytes:
        """Said where it is not the first of them."""
        if "at_groups" not in column.attributes:
            return AT_GROUPS[0]
        return AT_GROUPS[self.one_of(AT_GROUPS, self.text(column, "at_groups"), f"{column.path}@at_groups")]

    def series(self, group: Group, name: str) -> Series:
        return Series(self.quantity(group, name), self.text(group, "step_name"),
                      self.columns(group, SERIES), None)

    def seconds_along(self, series: dict[str, Series]) -> None:
        group = self.group(self.group(self.root, "timing"), "series")
        if [name for name in series if name in group.members] != list(group.members):
            raise Damaged("/timing/series: has other names than /series, or not in their order")
        for name in group.members:
            column = self.column(group, name, "f8")
            self.require(column, "unit", b"s")
            series[name].seconds = column

    def solutions(self, group: Group, name: str) -> Solutions:
        columns = self.columns(group, SOLUTIONS)
        values = self.member(group, "values")
        kind = values.kind if isinstance(values, Column) and values.kind in SOLUTION_TYPES else "f8"
        vector = self.column(group, "vector", "i8") if "vector" in group.members else None
        return Solutions(self.quantity(group, name), **columns, vector=vector,
                         values=self.column(group, "values", kind))

    def objectives(self, group: Group) -> list[Quantity]:
        rows = [self.attribute(group, name, list)
                for name in ("objectives", "definitions", "units", "directions", "sources")]
        if len({len(row) for row in rows}) > 1:
            raise Damaged(f"{group.path}: columns of different lengths")
        return [Quantity(name, definition, unit,
                         self.one_of(DIRECTIONS, direction, f"{group.path}@directions"), source)
                for name, definition, unit, direction, source in zip(*rows)]

    def fronts(self, group: Group, name: str) -> Fronts:
        objectives = self.objectives(group)
        if len(objectives) < 2:
            raise Damaged(f"{group.path}: has fewer than 2 objectives")
        found = Fronts(name.encode(), objectives, self.text(group, "solutions"),
                       self.columns(group, FRONTS, len(objectives)))
        for column, dimensions in (*DIMENSIONS.items(), ("reference", [b"task", b"objective"]),
                                   ("hypervolume", [b"task"])):
            self.require(found.columns[column], "dimensions", dimensions)
        return found

    def merged(self, group: Group, name: str, fronts: list[Fronts]) -> tuple[bytes, list[Columns]]:
        width = next((len(one.objectives) for one in fronts if one.name == name.encode()), 0)
        if not width:
            raise Damaged(f"/merged/{name}: there is no such group in /fronts")
        sets = [self.columns(self.group(group, one), MERGED, width) for one in MERGED_SETS]
        for columns in sets:
            self.require(columns["reference"], "dimensions", [b"group", b"objective"])
        return name.encode(), sets
