"""Reads a fairfront archive (HDF5, format version 1) with h5py."""

from __future__ import annotations

import dataclasses
import os
from types import TracebackType

import h5py
import numpy as np

FORMAT = "fairfront"
FORMAT_VERSION = 1


class ArchiveError(Exception):
    """The file cannot be read as an archive; the message names the file and what is wrong."""


@dataclasses.dataclass(frozen=True)
class Objective:
    name: str
    unit: str  # empty when it has none
    direction: str  # "minimise" or "maximise"

    @property
    def sign(self) -> float:
        """Times a value: smaller is better."""
        return -1.0 if self.direction == "maximise" else 1.0


@dataclasses.dataclass(frozen=True)
class Task:
    index: int
    key: str
    method: str
    status: str  # "done", "failed" or "missing"
    message: str
    axes: dict[str, str]  # the axes that this task's method has, and this task's values


@dataclasses.dataclass(frozen=True)
class Front:
    task: Task
    objectives: list[Objective]
    points: np.ndarray  # (n, m), in the units and directions of the objectives
    solution: np.ndarray  # (n,), index into /solutions/<name>; -1: none
    reference: np.ndarray  # (m,)
    hypervolume: float


class Archive:
    """An open archive. Use it in a `with` statement."""

    STATUS = ("missing", "done", "failed")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not os.path.isfile(self.path):
            raise ArchiveError(f"{self.path}: no such file")
        try:
            self.file = h5py.File(self.path, "r")
        except OSError as error:
            raise ArchiveError(f"{self.path}: not an HDF5 file, or damaged ({error})") from error
        try:
            self._check_format()
            self.experiment = self._root_text("experiment")
            self.status = self._root_text("status")
            self.digest = self._root_text("digest")
            self.config = self._read_config()
            self.axes = {name: self._texts(values) for name, values in self._group("axes").items()}
            self.tasks = self._read_tasks()
        except Exception:
            self.close()
            raise

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def value(self, task: Task, option: str) -> str | None:
        """The value of "section.key" in `task`; None when the config has no such option."""
        return task.axes.get(option, self.config.get(option))

    def fronts(self) -> list[Front]:
        """One front per task that has one, in task order."""
        found: list[Front] = []
        for method, group in self._group("fronts").items():
            found += self._read_fronts(method, group)
        return sorted(found, key=lambda front: front.task.index)

    def metrics(self) -> dict[str, np.ndarray]:
        """Every metric: one number per task, NaN where the task's method has none."""
        return {name: self._read(data) for name, data in self._group("metrics").items()}

    def series(self, name: str, task: int) -> tuple[np.ndarray, np.ndarray]:
        """Steps and values of one task's trajectory; empty when the task has none."""
        group = self._member("series", name)
        offsets = self._read(self._dataset(group, "offsets"))
        if not 0 <= task < len(offsets) - 1:
            raise ArchiveError(f"{self.path}: no task {task}; there are {len(self.tasks)}")
        part = slice(int(offsets[task]), int(offsets[task + 1]))
        return (self._read(self._dataset(group, "steps"), part),
                self._read(self._dataset(group, "values"), part))

    def seconds(self) -> np.ndarray:
        """Wall clock of every task."""
        return self._read(self._dataset(self.file, "timing/seconds"))

    def solution(self, name: str, index: int) -> np.ndarray:
        """One of /solutions/<name>, such as the labels of a clustering."""
        group = self._member("solutions", name)
        offsets = self._read(self._dataset(group, "offsets"))
        if not 0 <= index < len(offsets) - 1:
            raise ArchiveError(f"{self.path}: no solution {index} of '{name}'")
        part = slice(int(offsets[index]), int(offsets[index + 1]))
        return self._read(self._dataset(group, "values"), part)

    def series_names(self) -> list[str]:
        return list(self._group("series"))

    # The rest reads one part of the layout each.

    def _check_format(self) -> None:
        attributes = self.file.attrs
        if "format" not in attributes or _text(attributes["format"]) != FORMAT:
            raise ArchiveError(f"{self.path}: an HDF5 file, but not a {FORMAT} archive")
        version = int(attributes.get("format_version", 0))
        if version > FORMAT_VERSION:
            raise ArchiveError(f"{self.path}: has format version {version}; "
                               f"this reader knows up to {FORMAT_VERSION}")

    def _root_text(self, name: str) -> str:
        if name not in self.file.attrs:
            raise ArchiveError(f"{self.path}: root attribute '{name}' is missing")
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
        tasks = []
        for i, (key, method, message) in enumerate(zip(keys, methods, messages)):
            axes = {name: self.axes[name][index[name][i]] for name in self.axes
                    if index[name][i] >= 0}
            tasks.append(Task(i, key, method, self.STATUS[states[i]], message, axes))
        return tasks

    def _read_fronts(self, method: str, group: h5py.Group) -> list[Front]:
        names, units, directions = (self._list_attribute(group, name)
                                    for name in ("objectives", "units", "directions"))
        objectives = [Objective(*row) for row in zip(names, units, directions)]
        points, solution, offsets, reference, hypervolume = (
            self._read(self._dataset(group, name))
            for name in ("points", "solution", "offsets", "reference", "hypervolume"))
        if points.ndim != 2 or points.shape[1] != len(objectives) or not (
                len(names) == len(units) == len(directions)):
            raise ArchiveError(f"{self.path}: /fronts/{method} has {len(names)} objectives, "
                               f"{len(units)} units, {len(directions)} directions, "
                               f"but points of shape {points.shape}")
        found = []
        for task, begin, end in zip(self.tasks, offsets[:-1], offsets[1:]):
            if end > begin:
                found.append(Front(task, objectives, points[begin:end], solution[begin:end],
                                   reference[task.index], float(hypervolume[task.index])))
        return found

    def _list_attribute(self, group: h5py.Group, name: str) -> list[str]:
        if name not in group.attrs:
            raise ArchiveError(f"{self.path}: {group.name} has no attribute '{name}'")
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


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
