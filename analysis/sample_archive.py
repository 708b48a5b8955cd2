"""A tiny archive for the tests: two data sets, two seeds, one task that failed."""

from __future__ import annotations

import pathlib

import h5py
import numpy as np

TEXT = h5py.string_dtype("utf-8")
AXES = {"data.data": ["adult", "bank"], "seed": ["1", "2"]}
FRONTS = {  # task -> points: clustering cost (minimised), balance (maximised)
    0: [[10.0, 0.1], [12.0, 0.4], [15.0, 0.6]],
    1: [[10.5, 0.2], [13.0, 0.5]],
    3: [[20.0, 0.8]],
}


def text_column(group: h5py.Group, name: str, values: list[str]) -> None:
    group.create_dataset(name, data=values, dtype=TEXT)


def write(path: pathlib.Path) -> pathlib.Path:
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
        write_tasks(file.create_group("tasks"))
        file["metrics/spread"] = np.array([1.0, 2.0, np.nan, 4.0])
        file["series/hypervolume/offsets"] = np.array([0, 3, 4, 4, 4])
        file["series/hypervolume/steps"] = np.array([1, 2, 3, 1])
        file["series/hypervolume/values"] = np.array([0.5, 0.6, 0.7, 0.9])
        write_fronts(file.create_group("fronts/safairkm_front"))
        file["timing/seconds"] = np.array([3.0, 5.0, 0.5, 2.0])
        # Labels of four rows for each front point.
        file["solutions/labels/offsets"] = np.arange(0, 28, 4)
        file["solutions/labels/values"] = np.array([0, 0, 1, 1] * 6, dtype=np.uint8)
    return path


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
    group["points"] = np.array(points)
    group["task"] = np.array([task for task, front in FRONTS.items() for _ in front])
    group["solution"] = np.arange(len(points))
    group["offsets"] = np.array([0, 3, 5, 5, 6])
    group["reference"] = np.array([[20.0, 0.0], [20.0, 0.0], [np.nan] * 2, [30.0, 0.0]])
    group["hypervolume"] = np.array([5.2, 5.0, np.nan, 8.0])
