"""Tiny archives for the tests."""

from __future__ import annotations

import dataclasses
import pathlib

import h5py
import numpy as np

from publish_sample import publish

h5py.get_config().track_order = True  # as the program does: axes and metrics in their order
TEXT = h5py.string_dtype("utf-8")
AXES = {"data.data": ["adult", "bank"], "seed": ["1", "2"]}
ROLES = {"data.data": "problem", "seed": "replicate"}
FRONTS = {  # task -> points: clustering cost (minimised), balance (maximised)
    0: [[10.0, 0.1], [12.0, 0.4], [15.0, 0.6]],
    1: [[10.5, 0.2], [13.0, 0.5]],
    3: [[20.0, 0.8]],
}


def text_column(group: h5py.Group, name: str, values: list[str]) -> None:
    group.create_dataset(name, data=values, dtype=TEXT)


def write(path: pathlib.Path) -> pathlib.Path:
    """Two data sets, two seeds, one task that failed."""
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "fairfront", "format_version": 1, "status": "complete",
                           "digest": "0" * 64, "content_digest": "1" * 64,
                           "experiment": "clustering"})
        config = [("", "experiment", "clustering"), ("", "seed", "1, 2"),
                  ("data", "data", "adult, bank"), ("clustering", "clusters", "10")]
        for column, values in zip(("section", "key", "value"), zip(*config)):
            text_column(file.require_group("config"), column, list(values))
        for name, values in AXES.items():
            text_column(file.require_group("axes"), name, values)
            file["axes"][name].attrs["role"] = ROLES[name]
        text_column(file.create_group("provenance/datasets"), "name", ["adult", "bank"])
        write_tasks(file.create_group("tasks"))
        file["metrics/spread"] = np.array([1.0, 2.0, np.nan, 4.0])
        file["series/hypervolume/offsets"] = np.array([0, 3, 4, 4, 4])
        file["series/hypervolume/steps"] = np.array([1, 2, 3, 1])
        file["series/hypervolume/values"] = np.array([0.5, 0.6, 0.7, 0.9])
        write_fronts(file.create_group("fronts/safairkm_front"))
        file["timing/started"] = np.array([100.0, 103.0, 100.0, 100.5])
        file["timing/seconds"] = np.array([3.0, 5.0, 0.5, 2.0])
        file["timing/rank"] = np.array([0, 0, 1, 1], dtype=np.int32)
        # Labels of four rows for each front point.
        file["solutions/labels/task"] = np.repeat(list(FRONTS), [len(one) for one in FRONTS.values()])
        file["solutions/labels/offsets"] = np.arange(0, 28, 4)
        file["solutions/labels/values"] = np.array([0, 0, 1, 1] * 6, dtype=np.uint8)
    return publish(path)


def write_tasks(tasks: h5py.Group) -> None:
    text_column(tasks, "key", [digit * 64 for digit in "abcd"])
    text_column(tasks, "method", ["safairkm_front"] * 4)
    text_column(tasks, "message", ["", "", "no centre left", ""])
    tasks["status"] = np.array([1, 1, 2, 1], dtype=np.uint8)
    tasks["axis/data.data"] = np.array([0, 0, 1, 1], dtype=np.int32)
    tasks["axis/seed"] = np.array([0, 1, 0, 1], dtype=np.int32)


def write_fronts(group: h5py.Group) -> None:
    group.attrs["objectives"] = np.array(["cost", "balance"], dtype=TEXT)
    group.attrs["units"] = np.array(["squared distance", ""], dtype=TEXT)
    group.attrs["directions"] = np.array(["minimise", "maximise"], dtype=TEXT)
    points = [point for front in FRONTS.values() for point in front]
    group.attrs["solutions"] = "labels"
    group["points"] = np.array(points)
    group["task"] = np.array([task for task, front in FRONTS.items() for _ in front])
    group["solution"] = np.arange(len(points))
    group["offsets"] = np.array([0, 3, 5, 5, 6])
    group["reference"] = np.array([[20.0, 0.0], [20.0, 0.0], [np.nan] * 2, [30.0, 0.0]])
    group["hypervolume"] = np.array([5.2, 5.0, np.nan, 8.0])


def measured(values: list) -> np.ndarray:
    """Of each task its value, or value and ends of its interval: shape (tasks, 3)."""
    rows = np.full((len(values), 3), np.nan)
    for row, given in zip(rows, values):
        row[:np.size(given)] = given
    return rows


def quantity(node: h5py.Dataset | h5py.Group, **texts: str) -> None:
    node.attrs.update({"definition": "", "unit": "", "direction": "none", "source": "", **texts})


@dataclasses.dataclass
class Sweep:
    """Any archive: a task for every entry of `methods`, with indices of its values on the axes."""

    axes: dict[str, tuple[str, list[str]]]  # role and values
    methods: list[str]
    index: dict[str, list[int]]  # per axis, one per task; -1: not an axis of its method
    experiment: str = "regression"
    objectives: tuple[tuple[str, str, str], ...] = (("risk", "target squared", "minimise"),
                                                    ("gap", "share", "minimise"))
    points: dict[int, list[list[float]]] = dataclasses.field(default_factory=dict)  # by task
    reports: dict[int, list[list[float]]] = dataclasses.field(default_factory=dict)
    metrics: dict[str, tuple[str, str, list[float]]] = dataclasses.field(default_factory=dict)
    # Unit, direction, and of each part, or part and group, values or triples of value, low and high.
    measures: dict[str, tuple[str, str, dict[str | tuple[str, str], list]]] = dataclasses.field(
        default_factory=dict)
    made_by: tuple[str, ...] = ()  # measures that say at single groups which ones make them
    # Of each series its direction, and by task steps and values, which may be followed by seconds.
    series: dict[str, tuple[str, dict[int, tuple]]] = dataclasses.field(default_factory=dict)
    solutions: dict[str, list[list[list[float]]]] = dataclasses.field(default_factory=dict)
    status: list[int] | None = None  # all done
    messages: tuple[str, ...] = ()  # one per task; none: no task says anything
    data: tuple[str, ...] = ("people",)
    models: tuple[str, ...] = ()  # one per task, kind and options
    fitted: str = ""  # what they share, as JSON
    config: tuple[tuple[str, str, str], ...] = ()  # more of it: section, key, value
    problems: tuple[int, ...] = ()  # one per task; none: by the axes that are problems
    recipes: tuple[str, ...] = ()  # of data; none: archives of other programs may lack them
    files: tuple[tuple[str, str], ...] = ()  # of the first of data: names and SHA-256; the same of them

    def write(self, path: pathlib.Path) -> pathlib.Path:
        count = len(self.methods)
        states = self.status or [1] * count
        with h5py.File(path, "w") as file:
            file.attrs.update({"format": "fairfront", "format_version": 1, "digest": "ab" * 32,
                               "status": "complete" if 0 not in states else "partial",
                               "content_digest": "1" * 64, "experiment": self.experiment})
            for column, values in zip(("section", "key", "value"), zip(("", "experiment", "any"), *self.config)):
                text_column(file.require_group("config"), column, list(values))
            text_column(file.create_group("provenance/datasets"), "name", list(self.data))
            if self.fitted:
                text_column(file["provenance/datasets"], "fitted", [self.fitted] * len(self.data))
            if self.recipes:
                text_column(file["provenance/datasets"], "recipe", list(self.recipes))
            if self.files:
                group = file.create_group("provenance/datasets/files")
                group["dataset"] = np.zeros(len(self.files), dtype=np.int64)
                for column, values in zip(("name", "sha256"), zip(*self.files)):
                    text_column(group, column, list(values))
            for name, (role, values) in self.axes.items():
                text_column(file.require_group("axes"), name, values)
                file[f"axes/{name}"].attrs["role"] = role
            tasks = file.create_group("tasks")
            text_column(tasks, "key", [format(i, "064x") for i in range(count)])
            text_column(tasks, "method", self.methods)
            text_column(tasks, "message", list(self.messages) or [""] * count)
            if self.models:
                text_column(tasks, "model", list(self.models))
            tasks["status"] = np.array(states, dtype=np.uint8)
            if self.problems:
                tasks["problem"] = np.array(self.problems, dtype=np.int32)
            for name, places in self.index.items():
                tasks[f"axis/{name}"] = np.array(places, dtype=np.int32)
            file["timing/seconds"] = np.arange(1, count + 1) / 10
            file["timing/started"] = 1000 + np.cumsum(file["timing/seconds"]) - file["timing/seconds"]
            file["timing/rank"] = np.zeros(count, dtype=np.int32)
            self.write_results(file, count)
        return publish(path)

    def write_results(self, file: h5py.File, count: int) -> None:
        for method in dict.fromkeys(self.methods[task] for task in self.points):
            self.write_fronts(file.create_group(f"fronts/{method}"), method, count)
        for name, (unit, direction, values) in self.metrics.items():
            file[f"metrics/{name}"] = np.array(values, dtype=float)
            quantity(file[f"metrics/{name}"], unit=unit, direction=direction)
        for name, (unit, direction, given) in self.measures.items():
            places = [place if isinstance(place, tuple) else (place, "all") for place in given]
            parts, groups = (list(dict.fromkeys(along)) for along in zip(*places))
            values = np.full((count, len(parts), len(groups), 3), np.nan)
            for (part, group), rows in zip(places, given.values()):
                values[:, parts.index(part), groups.index(group)] = measured(rows)
            file[f"measures/{name}"] = values
            quantity(file[f"measures/{name}"], unit=unit, direction=direction)
            file[f"measures/{name}"].attrs.update({"parts": parts, "groups": groups})
            if name in self.made_by:
                file[f"measures/{name}"].attrs["at_groups"] = "made_by"
        for name, (direction, runs) in self.series.items():
            group = file.create_group(f"series/{name}")
            quantity(group, direction=direction, step_name="iteration")
            rows = [runs.get(task, ([], [])) for task in range(count)]
            group["offsets"] = np.cumsum([0, *(len(row[0]) for row in rows)])
            group["steps"] = np.concatenate([row[0] for row in rows]).astype(int)
            group["values"] = np.concatenate([row[1] for row in rows]).astype(float)
            if any(len(row) > 2 for row in rows):
                file[f"timing/series/{name}"] = np.concatenate([row[-1] for row in rows])
        for name, lists in self.solutions.items():
            group = file.create_group(f"solutions/{name}")
            quantity(group, unit="target")
            flat = [values for own in lists for values in own]
            group["task"] = np.repeat(np.arange(count), [len(own) for own in lists])
            group["offsets"] = np.cumsum([0, *(len(values) for values in flat)])
            group["values"] = np.concatenate(flat).astype(float)

    def write_fronts(self, group: h5py.Group, method: str, count: int) -> None:
        for name, texts in zip(("objectives", "units", "directions"), zip(*self.objectives)):
            group.attrs[name] = np.array(texts, dtype=TEXT)
        own = {task: points for task, points in self.points.items()
               if self.methods[task] == method}
        if "labels" in self.solutions:
            group.attrs["solutions"] = "labels"
        rows = [own.get(task, []) for task in range(count)]
        size = len(self.objectives)
        group["points"] = np.array([point for row in rows for point in row]).reshape(-1, size)
        if self.reports:
            missing = [np.nan] * size
            group["report"] = np.array([point for task, row in enumerate(rows) if row for point in
                                        self.reports.get(task, [missing] * len(row))])
        group["offsets"] = np.cumsum([0, *map(len, rows)])
        group["solution"] = np.arange(sum(map(len, rows)))
        group["reference"] = np.full((count, size), 10.0)
        group["hypervolume"] = np.array([1.0 if row else np.nan for row in rows])


def of_two_parts() -> Sweep:
    """An audit whose methods choose thresholds on different parts, and report on the same one. The hypervolume and the metrics
    of those that are chosen on training rows are better, which says nothing."""
    points = {1: [[0.2, 0.1]], 2: [[0.1, 0.05]]}
    return Sweep(axes={}, methods=["measures", "thresholds", "drawn_thresholds"], index={}, experiment="predictions",
                 objectives=(("error", "share", "minimise"), ("gap", "share", "minimise")), points=points,
                 reports={1: [[0.3, 0.2]], 2: [[0.4, 0.3]]},
                 metrics={name: ("share", "minimise", [np.nan, 2 * value, value]) for name, value in (
                     ("least_error", 0.1), ("gap_of_least_error", 0.05), ("least_gap", 0.05))},
                 config=(("thresholds", "choose_on", "validation"), ("thresholds", "report_on", "test"),
                         ("drawn_thresholds", "choose_on", "train"), ("drawn_thresholds", "report_on", "test")))
