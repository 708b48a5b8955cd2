"""Reads a fairfront archive (HDF5, format version 1) with h5py, into values and numpy arrays."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from types import TracebackType
from typing import Self

import h5py
import numpy as np

from fairfront_archive.digests import content_digest, measures_digest, results_digest
from fairfront_archive.errors import ArchiveError
from fairfront_archive.facts import Front, Objective, Quantity, Task, number
from fairfront_archive.files import path_text
from fairfront_archive.layout import content_of
from fairfront_archive.measured import Measure, last_part
from fairfront_archive.program import verify
from fairfront_archive.rules import require_rules
from fairfront_archive.stored import Damaged, tree_of

FORMAT = "fairfront"
FORMAT_VERSION = 1
SEAL_BYTES = 512
# What HDF5 and numpy throw at a file that somebody has made up.
UNREADABLE = (OSError, RuntimeError, ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError)


class Reader:
    """What an archive holds, after everything in it was checked; columns in the order of the tasks."""

    STATUS = ("missing", "done", "failed")

    def __init__(self, path: str | os.PathLike[str], program: bool = True) -> None:
        """@param program  False: without `fairfront verify`, which takes a while for very large archives.
        @throws ArchiveError  it cannot be read, or is not what a run has written.
        """
        self.path = path_text("path", path)
        _require_seal(self.path)
        said = verify(self.path) if program else None
        self.verified = said is not None
        self.checked = f"digests recomputed; {said or 'not verified by the program'}"
        try:
            self.file = h5py.File(self.path, "r")
        except UNREADABLE as error:
            raise ArchiveError(f"{self.path}: not an HDF5 file, or damaged ({error})") from error
        try:
            self._check()
            self.experiment = self._root_text("experiment")
            self.status = self._root_text("status")
            self.digest = self._root_text("digest")
            self.measures_digest = self._root_text("measures_digest")
            self.config = self._read_config()
            self.axes = {name: self._texts(values) for name, values in self._group("axes").items()}
            self.roles = {name: _text(values.attrs["role"])
                          for name, values in self._group("axes").items()}
            self.tasks = self._read_tasks()
        except Damaged as error:
            self.close()
            raise ArchiveError(f"{self.path}: {error}") from error
        except UNREADABLE as error:
            self.close()
            raise ArchiveError(f"{self.path}: cannot be read ({error})") from error
        except Exception:
            self.close()
            raise

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"<{type(self).__name__} {self.path}: {self.experiment}, {self.progress()}, "
                f"{len(self.axes)} axes, digest {self.digest[:12]}>")

    def counts(self) -> dict[str, int]:
        """Tasks by their status."""
        states = [task.status for task in self.tasks]
        return {status: states.count(status) for status in ("done", "failed", "missing")}

    def progress(self) -> str:
        """Such as "9 of 12 tasks done, 1 failed, 2 missing"."""
        counts = self.counts()
        rest = "".join(f", {counts[name]} {name}" for name in ("failed", "missing") if counts[name])
        return f"{counts['done']} of {len(self.tasks)} tasks done{rest}"

    @property
    def partial(self) -> bool:
        """Some tasks have no result yet: they belong to other slices, or the run goes on."""
        return self.status != "complete" or self.counts()["missing"] > 0

    def methods(self) -> list[str]:
        """In the order of the tasks."""
        return list(self._methods)

    def provenance(self) -> dict[str, str]:
        """Facts about the program and the run, such as "program_version" and "hosts"."""
        return {name: _text(self._read(data)[0])
                for name, data in self._group("provenance").items()
                if isinstance(data, h5py.Dataset) and data.shape == (1,)}

    def value(self, task: Task, option: str) -> str | None:
        """The value of "section.key" in `task`; None when the config has no such option."""
        return task.axes.get(option, self.config.get(option))

    def options_of(self, task: Task) -> dict[str, str]:
        """All options of the task: those of shared sections and of its method, axes at its own values."""
        methods = set(self.methods())
        return {name: task.axes.get(name, value) for name, value in self.config.items()
                if name.partition(".")[0] in {task.method} or name.partition(".")[0] not in methods}

    def axes_of(self, *roles: str) -> list[str]:
        """Axes that have one of these roles: what changes the problem ("problem"), the way to solve
        it ("setting", "tuning"), the point of the trade-off ("trade_off"), or the random numbers
        alone ("replicate")."""
        return [name for name in self.axes if self.roles[name] in roles]

    def problem_axis(self, axis: str) -> str:
        """What an axis that changes the problem is called. Methods that have an option of one name ask one question,
        whose answers are compared: it goes without the method's name."""
        return self._problem_axes[axis]

    def data_names(self) -> list[str]:
        """The data sets, or test problems, in order of first use."""
        return self._texts(self.file["provenance/datasets/name"])

    def recipes(self) -> list[str]:
        """What was done to each data set of `data_names`, in words."""
        return self._texts(self.file["provenance/datasets/recipe"])

    def data_files(self) -> list[tuple[int, str, str]]:
        """Of every file: the place in `data_names` of the data set that it belongs to, its name and its SHA-256. Archives
        of other programs may lack them."""
        if "provenance/datasets/files" not in self.file:
            return []
        owners = self._read(self._dataset(self.file, "provenance/datasets/files/dataset"))
        files, digests = (self._texts(self._dataset(self.file, f"provenance/datasets/files/{column}"))
                          for column in ("name", "sha256"))
        return [(int(owner), name, digest) for owner, name, digest in zip(owners, files, digests)]

    def data_set(self, place: int) -> dict:
        """What is known of one data set of `data_names`: name, source, files with their SHA-256, recipe, digest."""
        told = {column: self._texts(self._dataset(self.file, f"provenance/datasets/{column}"))[place]
                for column in ("name", "source", "recipe", "digest")}
        files = [{"name": name, "sha256": sha256} for owner, name, sha256 in self.data_files() if owner == place]
        return {**told, "files": files}

    def fitted(self) -> tuple[list[str], list[str], list[str]]:
        """Of every data set: its name, what its models share (JSON), and its digest."""
        name, fitted, digest = (self._texts(self._dataset(self.file, f"provenance/datasets/{column}"))
                                for column in ("name", "fitted", "digest"))
        return name, fitted, digest

    def models(self) -> list[str]:
        """Of every task its model, kind and options; empty: it has none."""
        return list(self._models)

    def fronts(self) -> list[Front]:
        """One front per task that has one, in task order."""
        return self._fronts

    def has_points_apart(self, task: int) -> bool:
        """Whether the task's measures are of another model than any point of its front: of a method that selects its front
        among iterates."""
        return " weights_of_point=" in self._models[task]

    def measures_are_of_point(self, front: Front) -> bool:
        """Whether the measures of the front's task are of the model of its point, which is then the only one."""
        return len(front.points) == 1 and not self.has_points_apart(front.task.index)

    def metrics(self) -> dict[str, np.ndarray]:
        """Every metric: one number per task that its method found, NaN where it has none."""
        return {name: self._read(data) for name, data in self._group("metrics").items()}

    def measures(self) -> dict[str, Measure]:
        """What was measured of every task's result, on parts of the rows."""
        return self._measures

    def learnt_from_deciding(self, task: Task, groups: bool = True) -> bool:
        """Whether the task learnt from labels, or with `groups` from groups, of the part that decides on fronts (metrics
        `deciding_labels_used` and `deciding_groups_used`): that part then says nothing of how it compares with others."""
        return any(used[task.index] > 0 for name, used in self._learnt.items() if groups or name != "deciding_groups_used")

    def metric_names(self) -> list[str]:
        return list(self._group("metrics"))

    def quantity(self, group: str, name: str) -> Quantity:
        """What /metrics/<name>, /measures/<name>, /series/<name> or /solutions/<name> is."""
        attributes = self._member(group, name).attrs
        texts = {key: _text(attributes.get(key, "")) for key in
                 ("definition", "unit", "source", "step_name")}
        return Quantity(name, direction=_text(attributes.get("direction", "none")), **texts)

    def series(self, name: str, task: int) -> tuple[np.ndarray, np.ndarray]:
        """Steps and values of one task's trajectory; empty when the task has none."""
        group = self._member("series", name)
        offsets = self._read(self._dataset(group, "offsets"))
        if not 0 <= task < len(offsets) - 1:
            raise ArchiveError(f"{self.path}: no task {task}; there are {len(self.tasks)}")
        part = slice(int(offsets[task]), int(offsets[task + 1]))
        return (self._read(self._dataset(group, "steps"), part),
                self._read(self._dataset(group, "values"), part))

    def series_seconds(self, name: str, task: int) -> np.ndarray:
        """CPU seconds at every step of `series`; empty where nobody has measured them."""
        times = self._group("timing/series")
        if name not in times:
            return np.empty(0)
        group = self._member("series", name)
        begin, end = self._read(self._dataset(group, "offsets"), slice(task, task + 2))
        return self._read(times[name], slice(int(begin), int(end)))

    def seconds(self) -> np.ndarray:
        """Wall clock of every task."""
        return self._read(self._dataset(self.file, "timing/seconds"))

    def solution(self, name: str, index: int) -> np.ndarray:
        """One of /solutions/<name>, such as the labels of a clustering."""
        group = self._member("solutions", name)
        offsets, vector = self._vectors(group)
        if not 0 <= index < len(vector):
            raise ArchiveError(f"{self.path}: no solution {index} of '{name}'")
        part = slice(int(offsets[vector[index]]), int(offsets[vector[index] + 1]))
        return self._read(self._dataset(group, "values"), part)

    def _vectors(self, group: h5py.Group) -> tuple[np.ndarray, np.ndarray]:
        """Offsets of the stored vectors, and which of them every solution is: equal ones may be stored once."""
        offsets = self._read(self._dataset(group, "offsets"))
        if "vector" in group:
            return offsets, self._read(self._dataset(group, "vector"))
        return offsets, np.arange(len(offsets) - 1)

    def front_solutions(self) -> str:
        """The name of the solutions that front points have: `Front.solution` are indices of them."""
        names = [_text(group.attrs.get("solutions", "")) for group in self._group("fronts").values()]
        return next(filter(None, names), "")

    def solution_columns(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of all solutions the tasks that own them, offsets and values: solution i is
        values[offsets[i]:offsets[i + 1]]."""
        group = self._member("solutions", name)
        owners, values = (self._read(self._dataset(group, column)) for column in ("task", "values"))
        offsets, vector = self._vectors(group)
        if "vector" not in group:
            return owners, offsets, values
        sizes = np.diff(offsets)[vector]
        own = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(own[-1]) + np.repeat(offsets[vector] - own[:-1], sizes)
        return owners, own, values[places]

    def solutions_of(self, name: str) -> list[list[np.ndarray]]:
        """The solutions of every task, in order."""
        group = self._member("solutions", name)
        owners, values = (self._read(self._dataset(group, column)) for column in ("task", "values"))
        offsets, vector = self._vectors(group)
        found: list[list[np.ndarray]] = [[] for _ in self.tasks]
        for owner, place in zip(owners, vector):
            found[int(owner)].append(values[offsets[place]:offsets[place + 1]])
        return found

    def series_names(self) -> list[str]:
        return list(self._group("series"))

    def solution_names(self) -> list[str]:
        return list(self._group("solutions"))

    def merged_points(self, method: str, kind: str) -> list[np.ndarray]:
        """Rows of the method's front points, one array per curve or configuration.

        @param kind  "per_replicate" or "over_replicates".
        """
        groups = self._group(f"merged/{method}")
        if kind not in groups:
            return []
        offsets, point = (self._read(self._dataset(groups[kind], name))
                          for name in ("offsets", "point"))
        return [point[begin:end] for begin, end in zip(offsets[:-1], offsets[1:])]

    @functools.cached_property
    def places(self) -> dict[str, dict[str, float]]:
        """Of each axis, and each `problem_axis`, its values, and what they are sorted by: their size where all are
        numbers, else their place in the config."""
        found = {}
        called: dict[str, dict[str, None]] = {name: dict.fromkeys(values) for name, values in self.axes.items()}
        for name, values in self.axes.items():
            called.setdefault(self.problem_axis(name), {}).update(dict.fromkeys(values))
        for name, values in called.items():
            numbers = [number(value) for value in values]
            keys = range(len(values)) if None in numbers else numbers
            found[name] = dict(zip(values, keys))
        return found

    @functools.cached_property
    def _problem_axes(self) -> dict[str, str]:
        of_methods = {name for name in self.axes_of("problem") if name.partition(".")[0] in self._methods}
        return {name: name.partition(".")[2] if name in of_methods else name for name in self.axes}

    @functools.cached_property
    def _methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.method for task in self.tasks))

    @functools.cached_property
    def _models(self) -> tuple[str, ...]:
        return tuple(self._texts(self._dataset(self.file, "tasks/model")))

    @functools.cached_property
    def _measures(self) -> dict[str, Measure]:
        found = {name: Measure(self.quantity("measures", name),
                               tuple(self._list_attribute(data, "parts")),
                               tuple(self._list_attribute(data, "groups")), self._read(data),
                               _text(data.attrs.get("at_groups", "own")) == "own", self.path)
                 for name, data in self._group("measures").items()}
        reported = last_part(max((measure.parts for measure in found.values()), key=len, default=("",)) or ("",))
        return {name: dataclasses.replace(measure, reported=reported) for name, measure in found.items()}

    @functools.cached_property
    def _learnt(self) -> dict[str, np.ndarray]:
        metrics = self.metrics()
        return {name: metrics[name] for name in ("deciding_labels_used", "deciding_groups_used") if name in metrics}

    @functools.cached_property
    def _fronts(self) -> list[Front]:
        found: list[Front] = []
        for method, group in self._group("fronts").items():
            found += self._read_fronts(method, group)
        return sorted(found, key=lambda front: front.task.index)

    # The rest reads one part of the layout each.

    def _check(self) -> None:
        """Everything in the file is what the layout says, and has the digests that are stored."""
        root = tree_of(self.file)
        if root.attributes.get("format") != FORMAT.encode():
            raise ArchiveError(f"{self.path}: an HDF5 file, but not a {FORMAT} archive")
        version = root.attributes.get("format_version")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise ArchiveError(f"{self.path}: has format version {version}; "
                               f"this reader knows up to {FORMAT_VERSION}")
        content = content_of(root)
        require_rules(content)
        results, measures = results_digest(content), measures_digest(content)
        for name, stored, computed in (
                ("digest", content.digest, results),
                ("measures_digest", content.measures_digest, measures),
                ("content_digest", content.content_digest, content_digest(content, results, measures))):
            if stored != computed.encode():
                raise Damaged(f"/@{name}: is {_text(stored)}, but what the archive holds gives {computed}")

    def _root_text(self, name: str) -> str:
        return _text(self.file.attrs[name])

    def _read_config(self) -> dict[str, str]:
        columns = [self._texts(self._dataset(self.file, f"config/{column}"))
                   for column in ("section", "key", "value")]
        return {f"{section}.{key}" if section else key: value
                for section, key, value in zip(*columns)}

    def _read_tasks(self) -> list[Task]:
        keys, methods, messages = (self._texts(self._dataset(self.file, f"tasks/{column}"))
                                   for column in ("key", "method", "message"))
        states = self._read(self._dataset(self.file, "tasks/status"))
        index = {name: self._read(self._dataset(self.file, f"tasks/axis/{name}"))
                 for name in self.axes}
        numbers = [self._read(self.file[f"tasks/{name}"])
                   for name in ("problem", "configuration", "curve")]
        tasks = []
        for i, (key, method, message, *own) in enumerate(zip(keys, methods, messages, *numbers)):
            axes = {name: self.axes[name][index[name][i]] for name in self.axes
                    if index[name][i] >= 0}
            tasks.append(Task(i, key, method, self.STATUS[states[i]], message, axes,
                              *map(int, own)))
        return tasks

    def _read_fronts(self, method: str, group: h5py.Group) -> list[Front]:
        names, units, directions = (self._list_attribute(group, name)
                                    for name in ("objectives", "units", "directions"))
        objectives = [Objective(*row) for row in zip(names, units, directions)]
        points, solution, offsets, reference, hypervolume = (
            self._read(self._dataset(group, name))
            for name in ("points", "solution", "offsets", "reference", "hypervolume"))
        report = self._read(group["report"])
        found = []
        for task, begin, end in zip(self.tasks, offsets[:-1], offsets[1:]):
            if end > begin:
                own = report[begin:end] if report.shape == points.shape else None
                if own is not None and np.isnan(own).all():
                    own = None  # another task has one
                found.append(Front(task, objectives, points[begin:end], solution[begin:end],
                                   reference[task.index], float(hypervolume[task.index]), own))
        return found

    def _list_attribute(self, group: h5py.Group, name: str) -> list[str]:
        return [_text(value) for value in group.attrs[name]]

    def _group(self, name: str) -> h5py.Group | dict[str, h5py.Dataset]:
        return self.file[name] if name in self.file else {}

    def _member(self, group: str, name: str) -> h5py.Group:
        members = self._group(group)
        if name not in members:
            raise ArchiveError(f"{self.path}: no /{group}/{name}; there are: "
                               f"{', '.join(members) or 'none'}")
        return members[name]

    def _dataset(self, group: h5py.Group, name: str) -> h5py.Dataset:
        if name not in group:
            raise ArchiveError(f"{self.path}: {group.name.rstrip('/')}/{name} is missing")
        return group[name]

    def _texts(self, dataset: h5py.Dataset) -> list[str]:
        return [_text(value) for value in self._read(dataset)]

    def _read(self, dataset: h5py.Dataset, part: slice | tuple[()] = ()) -> np.ndarray:
        try:
            return dataset[part]
        except OSError as error:  # a checksum that does not fit
            raise ArchiveError(f"{self.path}: {dataset.name} is damaged ({error})") from error


def _require_seal(path: str) -> None:
    """The bytes are those that the program wrote, or those of somebody who can make a seal."""
    if not os.path.isfile(path):
        raise ArchiveError(f"{path}: no such file; name the archive that `fairfront run -o` has made")
    first = f"{FORMAT} archive, HDF5 from byte {SEAL_BYTES}\n".encode()
    try:
        with open(path, "rb") as file:
            seal = file.read(SEAL_BYTES)
            length = os.fstat(file.fileno()).st_size
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror})") from error
    if not seal.startswith(first):
        kind = "an HDF5 file, but not a" if seal.startswith(b"\x89HDF") else "not a"
        raise ArchiveError(f"{path}: {kind} {FORMAT} archive, or its first bytes are damaged; name the file that `fairfront run -o` has made")
    expected = first + f"length {length}\nsha256 {sha256}\n".encode()
    if seal != expected.ljust(SEAL_BYTES, b"\0"):
        raise ArchiveError(f"{path}: was changed after it was written")


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
