"""Bounds on the cost of clusterings: shown beside all fronts, and proven again from the data."""

from __future__ import annotations

import csv
import pathlib
import shutil
import sys
import unittest

import h5py
import numpy as np

from program import ProgramTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import fairfront_archive  # noqa: E402
import publish_sample  # noqa: E402


class Bounds(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({"clustering.clusters": "3, 2", "safairkm_front.starts": None,
                           "safairkm_front.iterations": "8", "lower_bound.floor": "0.2, 0.4",
                           "lower_bound.starts": "2", "lower_bound.relocations": "20"})
        self.succeed("run", "config.ini", "-o", "result.h5", ranks=2)

    def test_every_point_of_every_method_has_its_gap(self) -> None:
        told = self.succeed("show", "result.h5")
        self.assertIn("proven bounds on the cost", told)
        self.succeed("export", "result.h5", "--csv", "tables")
        with h5py.File(self.folder / "result.h5") as archive:
            lower = archive["metrics/cost_lower"][:]
            floor = archive["axes/lower_bound.floor"][:].astype(float)[archive["tasks/axis/lower_bound.floor"][:]]
            clusters = archive["tasks/axis/clustering.clusters"][:]
            method = archive["tasks/method"][:].astype(str)
        seen = 0
        for name in ("safairkm_front", "lower_bound"):
            with open(self.folder / "tables" / f"fronts-{name}.csv", newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    cost, balance = float(row["clustering cost"]), float(row["balance"])
                    applies = ((method == "lower_bound") & (floor <= balance) &
                               (clusters == clusters[int(row["task"])]))
                    self.assertEqual(row["gap"] == "", not applies.any())
                    if applies.any():
                        seen += 1
                        best = lower[applies].max()
                        self.assertEqual(float(row["proven_lower"]), best)
                        self.assertEqual(float(row["gap"]), (cost - best) / cost)
                        self.assertGreaterEqual(float(row["gap"]), 0)
        self.assertGreaterEqual(seen, 8)

    def test_python_has_the_gaps_of_the_exported_tables(self) -> None:
        self.succeed("export", "result.h5", "--csv", "tables")
        with fairfront_archive.open(self.folder / "result.h5") as archive:
            frame = archive.front_frame()
        for method, points in frame.groupby("method"):
            with open(self.folder / "tables" / f"fronts-{method}.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            for column in ("proven_lower", "gap"):
                np.testing.assert_array_equal(
                    points[column], [float(row[column] or "nan") for row in rows], method)

    def test_claims_are_proven_again(self) -> None:
        told = self.succeed("verify", "result.h5", "--deep")
        self.assertEqual(told.count("no clustering with a balance of at least 0.2 costs less than"), 2)
        self.assertIn("10 claims proven again from the data, 0 not", told)
        self.assertIn("sound, complete", told)

    def test_a_bound_that_is_too_great_or_labels_of_another_cost_are_refuted(self) -> None:
        def raise_bound(archive: h5py.File) -> None:
            bounds = archive["metrics/cost_lower"]
            bounds[...] = bounds[:] * 1.5

        def move_point(archive: h5py.File) -> None:
            labels = archive["solutions/labels/values"]
            values = labels[:]
            values[0] = (values[0] + 1) % 2
            labels[...] = values

        for change, text in ((raise_bound, "is proven, with"), (move_point, "its labels")):
            path = shutil.copy(self.folder / "result.h5", self.folder / "forged.h5")
            with h5py.File(path, "r+", libver=("v108", "v108")) as archive:
                change(archive)
            publish_sample.digest_again(path)
            self.succeed("verify", "forged.h5")
            outcome = self.run_program("verify", "forged.h5", "--deep")
            self.assertEqual(outcome.codes, [4])
            self.assertIn(text, outcome.out)

    def test_other_data_are_refused(self) -> None:
        table = self.folder / "people.csv"
        lines = table.read_text(encoding="utf-8").splitlines()
        table.write_text("\n".join([*lines[:-1], lines[1]]) + "\n", encoding="utf-8")
        outcome = self.run_program("verify", "result.h5", "--deep")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("is not that of the archive", outcome.error)


class NarrowAndWide(ProgramTest):
    def test_labels_of_few_clusters_are_proven_beside_those_of_many(self) -> None:
        """An archive stores all labels as wide as the most clusters need."""
        places = np.random.default_rng(1).normal(size=(300, 2))
        (self.folder / "people.csv").write_text(
            "age,hours,sex,region\n" + "".join(f"{x:.3f},{y:.3f},{'fm'[row % 2]},n\n"
                                               for row, (x, y) in enumerate(places)), encoding="utf-8")
        self.write_config({"clustering.clusters": "2, 257", "safairkm_front.pairs": "(1,1) (1,0)",
                           "safairkm_front.iterations": "2"})
        self.succeed("run", "config.ini", "-o", "result.h5")
        with h5py.File(self.folder / "result.h5") as archive:
            self.assertEqual(archive["solutions/labels/values"].dtype.itemsize, 2)
        self.assertIn("2 claims proven again from the data, 0 not",
                      self.succeed("verify", "result.h5", "--deep"))


class Unreachable(ProgramTest):
    def test_a_floor_that_no_whole_rows_reach_fails_its_task_alone(self) -> None:
        (self.folder / "people.csv").write_text("age,hours,sex,region\n1,2,f,n\n2,5,m,n\n3,1,f,n\n"
                                                "9,2,m,n\n8,8,f,n\n", encoding="utf-8")
        self.write_config({"clustering.clusters": "2", "safairkm_front.pairs": "(1,1) (1,0)",
                           "lower_bound.floor": "0.5, 0.6"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5")
        self.assertEqual(outcome.codes, [1], outcome.error)
        with h5py.File(self.folder / "result.h5") as archive:
            self.assertEqual(archive["tasks/status"][:].tolist().count(2), 1)
            np.testing.assert_equal(np.isfinite(archive["metrics/cost_lower"][:]), [False, True, False])

    def test_a_floor_above_the_bound_fails_its_task_alone_wherever_it_stands(self) -> None:
        """The bound of the balance is 2/3; a floor may be rounded."""
        (self.folder / "people.csv").write_text("age,hours,sex,region\n1,2,f,n\n2,5,m,n\n3,1,f,n\n"
                                                "9,2,m,n\n8,8,f,n\n4,4,f,n\n5,2,f,n\n6,7,m,n\n7,3,m,n\n"
                                                "2,2,f,n\n", encoding="utf-8")
        for floors, failed in (("0.9, 0.1", 1), ("0.1, 0.9", 1), ("0.9, 0.8, 0.66666666667", 2)):
            self.write_config({"clustering.clusters": "2", "safairkm_front.pairs": "(1,1) (1,0)",
                               "lower_bound.floor": floors})
            outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--force")
            self.assertEqual(outcome.codes, [1], outcome.error)
            self.assertIn("task will fail", outcome.error)
            with h5py.File(self.folder / "result.h5") as archive:
                self.assertEqual(archive["tasks/status"][:].tolist().count(2), failed)
        self.write_config({"clustering.clusters": "2", "safairkm_front.pairs": "(1,1) (1,0)",
                           "lower_bound.floor": "0.9, 0.8"})
        outcome = self.run_program("run", "config.ini", "-o", "none.h5")
        self.assertEqual(outcome.codes, [2], outcome.error)
        self.assertIn("floor = 0.9, must be <= 0.6666666666666666", outcome.error)


class FarRow(ProgramTest):
    def bound(self, rows: int, far: float, lines: str) -> dict[str, float]:
        """The metrics of a bound beside one row that is so far from all others."""
        points = np.random.default_rng(1).normal(size=(rows, 2))
        points[0] += far
        table = "".join(f"{x!r},{y!r},{'uv'[i % 2]}\n" for i, (x, y) in enumerate(points.tolist()))
        (self.folder / "far.csv").write_text("a,b,g\n" + table, encoding="utf-8")
        (self.folder / "far.ini").write_text(
            "experiment = clustering\n[data]\ndata = csv\nfile = far.csv\nfeatures = a, b\nsensitive = g\n[lower_bound]\n"
            f"starts = 1\nrelocations = 2\nrefinements = 2\n{lines}", encoding="utf-8")
        self.succeed("run", "far.ini", "-o", "far.h5", "--force")
        with h5py.File(self.folder / "far.h5") as file:
            return {name: float(values[0]) for name, values in file["metrics"].items()}

    def test_takes_nothing_from_a_bound_at_the_floor_0(self) -> None:
        for rows, clusters, far in ((12, 2, 1e4), (12, 2, 1e7), (40, 3, 1e7), (200, 4, 1e6)):
            with self.subTest(rows=rows, far=far):
                found = self.bound(rows, far, f"floor = 0\n[clustering]\nclusters = {clusters}\n")
                self.assertEqual(found["complete"], 1)
                self.assertGreaterEqual(found["cost_lower"], found["cost_dual"] - 0.001 * found["cost"])
                self.assertGreaterEqual(found["cost_lower"], 0.98 * found["cost"])
                self.assertIn("2 claims proven again from the data, 0 not", self.succeed("verify", "far.h5", "--deep"))
                self.assertNotIn("errors of rounding", self.succeed("show", "far.h5"))

    def test_what_rounding_takes_beyond_the_tolerance_is_not_complete_and_remarked(self) -> None:
        found = self.bound(1000, 1e6, "floor = 0.2\nboxes = 200\nsteps = 5\ntolerance = 1e-9\n[clustering]\nclusters = 4\n")
        self.assertEqual(found["complete"], 0)
        self.assertIn("errors of rounding take", self.succeed("show", "far.h5"))


if __name__ == "__main__":
    unittest.main()
