"""Makes archives as the program publishes them, out of files that hold the interesting parts alone.

Everything that the format has and the file lacks gets a plain value. With it a forger's tools: the seal,
and the digests, made right again after a change.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Sequence

import h5py
import numpy as np

from fairfront_archive import layout, nondominated
from fairfront_archive.digests import content_digest, measures_digest, results_digest
from fairfront_archive.stored import TEXT, tree_of

os.environ["FAIRFRONT"] = os.devnull  # no program: what these archives say of their runs is made up
SEAL_BYTES = 512
QUANTITY = {"definition": "", "unit": "", "direction": "none", "source": ""}
LAUNCH = {"program_version": "sample", "created": "2026-01-31T12:00:00Z", "hosts": "here", "ranks": 1,
          "team_size": 1}


def text_type(texts: Sequence[bytes]) -> np.dtype:
    return h5py.string_dtype("utf-8", max([1, *map(len, texts)]))


def encoded(values: Sequence) -> list[bytes]:
    return [value if isinstance(value, bytes) else str(value).encode() for value in values]


def attribute(node: h5py.Group | h5py.Dataset, name: str, value: object) -> None:
    if isinstance(value, int):
        node.attrs.create(name, value, dtype="<i8")
    elif isinstance(value, (str, bytes)):
        (text,) = encoded([value])
        node.attrs.create(name, text, dtype=text_type([text]))
    else:
        texts = encoded(value)
        node.attrs.create(name, np.array(texts, dtype=text_type(texts)), shape=(len(texts),))


def column(group: h5py.Group, name: str, kind: str, values: object, **attributes: object) -> None:
    """As the program writes one: in chunks, with checksums; text, whole numbers and measures deflated."""
    if kind == TEXT:
        texts = encoded(values)
        array = np.array(texts, dtype=text_type(texts))
    else:
        array = np.asarray(values, dtype=f"<{kind}")
    shape = (max(1, array.shape[0]), *array.shape[1:])
    packed = {} if kind == "f8" and array.ndim <= 2 else {"compression": "gzip", "shuffle": True}
    node = group.create_dataset(name, data=array, dtype=array.dtype, chunks=shape, fletcher32=True,
                                maxshape=(None, *array.shape[1:]), **packed)
    for key, value in attributes.items():
        attribute(node, key, value)


class _Publisher:
    def __init__(self, loose: h5py.File, file: h5py.File) -> None:
        self.loose, self.file = loose, file
        self.count = len(loose["tasks/key"])

    def read(self, path: str, default: object) -> object:
        return self.loose[path][()] if path in self.loose else default

    def attribute(self, path: str, name: str, default: object) -> object:
        return self.loose[path].attrs.get(name, default)

    def at_groups(self, name: str) -> dict:
        """Of a measure that says at single groups which ones make it."""
        own = self.attribute(name, "at_groups", "own") == "own"
        return {} if own else {"at_groups": layout.AT_GROUPS[1]}

    def members(self, path: str) -> list[str]:
        return list(self.loose[path]) if path in self.loose else []

    def run(self) -> None:
        root = self.file
        for name, default in (("format", "fairfront"), ("format_version", 1), ("status", "complete"),
                              ("digest", "0" * 64), ("measures_digest", "0" * 64), ("content_digest", "0" * 64),
                              ("created", LAUNCH["created"]), ("experiment", "any")):
            value = self.attribute("/", name, default)
            attribute(root, name, int(value) if name == "format_version" else value)
        config = root.create_group("config")
        for name, kind in layout.CONFIG:
            column(config, name, kind, self.read(f"config/{name}", []))
        column(config, "revisions", TEXT, self.read("config/revisions", []))
        self.provenance()
        self.tasks()
        for name in self.members("metrics"):
            column(root.require_group("metrics"), name, "f8", self.read(f"metrics/{name}", []),
                   dimensions=["task"], **self.quantity(f"metrics/{name}"))
        for name in self.members("measures"):
            along = {key: list(self.attribute(f"measures/{name}", key, [])) for key in ("parts", "groups")}
            column(root.require_group("measures"), name, "f8", self.read(f"measures/{name}", []),
                   dimensions=layout.MEASURE, **along, ends=layout.ENDS, **self.quantity(f"measures/{name}"),
                   **self.at_groups(f"measures/{name}"))
        self.ragged()
        for name in self.members("fronts"):
            self.front(name)
        for name in ("axes", "metrics", "measures", "series", "solutions", "fronts", "merged"):
            root.require_group(name)

    def quantity(self, path: str) -> dict[str, object]:
        return {name: self.attribute(path, name, default) for name, default in QUANTITY.items()}

    def provenance(self) -> None:
        group = self.file.create_group("provenance")
        for name, kind in layout.LAUNCH:
            default = LAUNCH.get(name, "" if kind == TEXT else 0)
            column(group, name, kind, self.read(f"provenance/{name}", [default]))
        datasets = group.create_group("datasets")
        names = self.read("provenance/datasets/name", [])
        for name, kind in layout.DATASETS:
            default = [("" if kind == TEXT else 0)] * len(names)
            column(datasets, name, kind, self.read(f"provenance/datasets/{name}", default))
        files = datasets.create_group("files")
        for name, kind in layout.FILES:
            column(files, name, kind, self.read(f"provenance/datasets/files/{name}", []))

    def tasks(self) -> None:
        axes, tasks = self.file.create_group("axes"), self.file.create_group("tasks")
        for name in self.members("axes"):
            column(axes, name, TEXT, self.read(f"axes/{name}", []),
                   role=self.attribute(f"axes/{name}", "role", "setting"))
        defaults = {"problem": self.numbers("problem"), "model": [""] * self.count,
                    "configuration": self.numbers("problem", "setting", "tuning"),
                    "curve": self.numbers("problem", "setting", "tuning", "replicate")}
        for name, kind in layout.TASKS:
            names = {"names": list(layout.STATUS)} if name == "status" else {}
            column(tasks, name, kind, self.read(f"tasks/{name}", defaults.get(name)),
                   dimensions=["task"], **names)
        for name in self.members("axes"):
            column(tasks.require_group("axis"), name, "i4",
                   self.read(f"tasks/axis/{name}", [-1] * self.count), dimensions=["task"])
        tasks.require_group("axis")
        timing = self.file.create_group("timing")
        for name, kind in layout.TIMING:
            default = np.full(self.count, int(name == "attempt"))
            unit = {"unit": "s"} if kind == "f8" else {}
            column(timing, name, kind, self.read(f"timing/{name}", default), dimensions=["task"], **unit)
        for name in self.members("timing/series"):
            column(timing.require_group("series"), name, "f8", self.read(f"timing/series/{name}", []),
                   unit="s")
        timing.require_group("series")

    def numbers(self, *roles: str) -> list[int]:
        """Tasks of one method with the same values on the axes of these roles have the same number."""
        role = {name: self.attribute(f"axes/{name}", "role", "setting") for name in self.members("axes")}
        places = [self.read(f"tasks/axis/{name}", [-1] * self.count) for name in role
                  if (role[name].decode() if isinstance(role[name], bytes) else role[name]) in roles]
        seen: dict[tuple, int] = {}
        return [seen.setdefault(row, len(seen)) for row in zip(self.read("tasks/method", []), *places)]

    def ragged(self) -> None:
        for name in self.members("series"):
            group = self.file.require_group("series").create_group(name)
            told = {**self.quantity(f"series/{name}"),
                    "step_name": self.attribute(f"series/{name}", "step_name", "iteration")}
            for key, value in told.items():
                attribute(group, key, value)
            for part, kind in layout.SERIES:
                column(group, part, kind, self.read(f"series/{name}/{part}", []))
        for name in self.members("solutions"):
            group = self.file.require_group("solutions").create_group(name)
            for key, value in self.quantity(f"solutions/{name}").items():
                attribute(group, key, value)
            for part, kind in layout.SOLUTIONS:
                column(group, part, kind, self.read(f"solutions/{name}/{part}", []))
            values = self.read(f"solutions/{name}/values", [])
            column(group, "values", values.dtype.str[1:], values)

    def front(self, name: str) -> None:
        path, group = f"fronts/{name}", self.file.require_group("fronts").create_group(name)
        objectives = list(self.attribute(path, "objectives", []))
        solutions = self.attribute(path, "solutions", "")
        for key in ("objectives", "definitions", "units", "directions", "sources"):
            attribute(group, key, list(self.attribute(path, key, [""] * len(objectives))))
        attribute(group, "solutions", solutions)
        points, offsets = self.read(f"{path}/points", []), self.read(f"{path}/offsets", [])
        defaults = {"report": np.empty((0, len(objectives))), "solution": np.full(len(points), -1),
                    "task": np.repeat(np.arange(self.count), np.diff(offsets))}
        dimensions = {**layout.DIMENSIONS, "reference": ["task", "objective"], "hypervolume": ["task"]}
        for part, kind in layout.FRONTS:
            values = self.read(f"{path}/{part}", defaults.get(part))
            if part == "solution" and not solutions:
                values = defaults[part]
            told = {"dimensions": dimensions[part]} if part in dimensions else {}
            column(group, part, kind, values, **told)
        self.merged(name, points, offsets)

    def merged(self, name: str, points: np.ndarray, offsets: np.ndarray) -> None:
        group = self.file.require_group("merged").create_group(name)
        directions = encoded(self.attribute(f"fronts/{name}", "directions", []))
        signs = np.where(np.array(directions) == b"maximise", -1.0, 1.0)
        for part, number in zip(layout.MERGED_SETS, ("curve", "configuration")):
            owner = np.repeat(self.file[f"tasks/{number}"][:], np.diff(offsets))
            count = int(self.file[f"tasks/{number}"][:].max()) + 1
            kept = [undominated(np.flatnonzero(owner == one), points * signs) for one in range(count)]
            columns = {"offsets": np.cumsum([0, *map(len, kept)]), "point": np.concatenate(kept),
                       "reference": np.full((count, len(signs)), np.nan),
                       "hypervolume": np.full(count, np.nan)}
            for key, kind in layout.MERGED:
                told = {"dimensions": ["group", "objective"]} if key == "reference" else {}
                column(group.require_group(part), key, kind, columns[key], **told)


def undominated(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    if not len(rows):
        return rows
    kept = set(map(tuple, nondominated(points[rows]).tolist()))
    return rows[[tuple(point) in kept for point in points[rows].tolist()]]


def publish(path: pathlib.Path) -> pathlib.Path:
    """Completes the file, and puts the digests and the seal on it."""
    complete = path.with_name(f"{path.name}.complete")
    with (h5py.File(path) as loose,
          h5py.File(complete, "w", userblock_size=SEAL_BYTES, libver=("v108", "v108")) as file):
        _Publisher(loose, file).run()
    complete.replace(path)
    digest_again(path)
    return path


def digest_again(path: pathlib.Path) -> None:
    """All digests are right again after a change, and the seal, as far as the layout can be read."""
    with h5py.File(path, "r+", libver=("v108", "v108")) as file:
        content = layout.content_of(tree_of(file))
        digest, measures = results_digest(content), measures_digest(content)
        for name, text in (("digest", digest), ("measures_digest", measures),
                           ("content_digest", content_digest(content, digest, measures))):
            del file.attrs[name]
            attribute(file, name, text)
    seal_again(path)


def seal_again(path: pathlib.Path) -> None:
    data = path.read_bytes()
    seal = (f"fairfront archive, HDF5 from byte {SEAL_BYTES}\nlength {len(data)}\n"
            f"sha256 {hashlib.sha256(data[SEAL_BYTES:]).hexdigest()}\n")
    path.write_bytes(seal.encode().ljust(SEAL_BYTES, b"\0") + data[SEAL_BYTES:])
