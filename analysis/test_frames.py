"""Tidy frames of an archive."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import fairfront_archive
import sample_archive


class Frames(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "any.h5"
        sample_archive.Sweep(
            axes={"data.data": ("problem", ["adult", "bank"]), "seed": ("replicate", ["1", "2"]),
                  "slow.step": ("tuning", ["0.5", "1e-3"])},
            methods=["quick", "slow", "slow"],
            index={"data.data": [0, 1, 1], "seed": [0, 1, 0], "slow.step": [-1, 0, 1]},
            points={0: [[1.0, 2.0], [2.0, 1.0]], 2: [[3.0, 3.0]]},
            reports={0: [[1.5, 2.5], [2.5, 1.5]]},
            metrics={"steps": ("", "none", [9.0, np.nan, 7.0])},
            measures={"error": ("share", "minimise", {
                "train": [0.5, 0.5, np.nan], ("train", "x < 0"): [0.7] * 3,
                "test": [(0.1, 0.0, 0.3), 0.2, np.nan]})},
            series={"loss": ("minimise", {0: ([1, 5], [9.0, 8.0], [0.1, 0.2]),
                                          2: ([1], [7.0], [0.3])})},
            solutions={"weights": [[[1.0, 2.0], [3.0]], [], [[4.0]]]}).write(path)
        self.archive = fairfront_archive.open(path)
        self.addCleanup(self.archive.close)

    def test_a_task_is_a_row_with_axes_metrics_and_seconds(self) -> None:
        frame = self.archive.task_frame()
        self.assertEqual(list(frame["data.data"]), ["adult", "bank", "bank"])
        self.assertEqual(list(frame["seed"]), [1, 2, 1])  # numbers, as all values are
        np.testing.assert_array_equal(frame["slow.step"], [np.nan, 0.5, 0.001])
        np.testing.assert_array_equal(frame["steps"], [9.0, np.nan, 7.0])
        np.testing.assert_array_equal(frame["error (test)"], [0.1, 0.2, np.nan])
        self.assertEqual([name for name in frame if name.startswith("error")], ["error (train)", "error (test)"])
        np.testing.assert_allclose(frame["seconds"], [0.1, 0.2, 0.3])
        self.assertEqual(frame.attrs["units"]["error (test)"], "share")
        self.assertEqual(frame.attrs["directions"]["error (test)"], "minimise")
        self.assertEqual(frame.attrs["roles"]["seed"], "replicate")

    def test_metrics_have_a_row_per_value_that_is_there(self) -> None:
        frame = self.archive.metric_frame()
        self.assertEqual(list(frame["value"]), [9.0, 7.0])
        self.assertEqual(set(frame["metric"]), {"steps"})

    def test_measures_have_a_row_per_part_and_group_that_is_known(self) -> None:
        frame = self.archive.measure_frame()
        rows = frame[["task", "part", "group", "value", "low", "high"]].fillna(-1).values.tolist()
        self.assertEqual(rows, [[0, "train", "all", 0.5, -1, -1], [1, "train", "all", 0.5, -1, -1],
                                *([task, "train", "x < 0", 0.7, -1, -1] for task in range(3)),
                                [0, "test", "all", 0.1, 0.0, 0.3], [1, "test", "all", 0.2, -1, -1]])
        self.assertEqual(list(frame["method"][:2]), ["quick", "slow"])
        for column, value in (("measure", "error"), ("unit", "share"), ("direction", "minimise")):
            self.assertEqual(set(frame[column]), {value})

    def test_series_have_a_row_per_step(self) -> None:
        frame = self.archive.series_frame("loss")
        self.assertEqual(list(frame["task"]), [0, 0, 2])
        self.assertEqual(list(frame["step"]), [1, 5, 1])
        self.assertEqual(list(frame["value"]), [9.0, 8.0, 7.0])
        self.assertEqual(list(frame["seconds"]), [0.1, 0.2, 0.3])
        self.assertEqual(frame.attrs["step_names"], {"loss": "iteration"})

    def test_front_points_have_their_report_beside_them(self) -> None:
        frame = self.archive.front_frame()
        self.assertEqual(list(frame["risk"]), [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(frame["report gap"], [2.5, 1.5, np.nan])
        self.assertEqual(list(frame["method"]), ["quick", "quick", "slow"])
        with self.assertRaisesRegex(ValueError, "per_replicate"):
            self.archive.front_frame("together")

    def test_solutions_are_arrays(self) -> None:
        frame = self.archive.solution_frame("weights")
        self.assertEqual(list(frame["task"]), [0, 0, 2])
        self.assertEqual([list(values) for values in frame["weights"]], [[1.0, 2.0], [3.0], [4.0]])

    def test_a_notebook_shows_what_it_is(self) -> None:
        self.assertIn("regression, 3 of 3 tasks done", repr(self.archive))
        shown = self.archive._repr_html_()
        for text in ("steps", "error (train, test)", "loss", "weights", "replicate: 1, 2", self.archive.digest,
                     self.archive.measures_digest):
            self.assertIn(text, shown)


class Installed(unittest.TestCase):
    def test_the_library_installs_and_reads_an_archive_from_anywhere(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            here = pathlib.Path(__file__).parent
            for package in ("fairfront_archive", "fairfront_figures"):
                shutil.copytree(here / package, folder / "source" / package,
                                ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(here / "pyproject.toml", folder / "source")
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index",
                            "--no-deps", "--no-build-isolation", "--root-user-action=ignore",
                            "--target", folder / "site", folder / "source"], check=True)
            path = sample_archive.write(folder / "sample.h5")
            said = subprocess.run(
                [sys.executable, "-c", "import sys, fairfront_archive as library\n"
                 "print(library.__file__, library.open(sys.argv[1]))", path], cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder / "site")}, check=True,
                capture_output=True, text=True).stdout
        self.assertIn(str(folder / "site"), said)
        self.assertIn("clustering, 3 of 4 tasks done, 1 failed", said)


if __name__ == "__main__":
    unittest.main()
