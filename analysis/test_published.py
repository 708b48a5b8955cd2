"""Printed numbers beside those of archives."""

from __future__ import annotations

import contextlib
import io
import math
import pathlib
import tempfile
import unittest

import fairfront_archive
import published
from sample_archive import Sweep


class Published(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "any.h5"

    def lines(self, table: int, sweep: Sweep) -> list[str]:
        with fairfront_archive.open(sweep.write(self.path)) as archive:
            return published.compare(published.TABLES[table], [archive])

    def test_seconds_of_a_front_are_by_its_nondominated_points(self) -> None:
        lines = self.lines(0, Sweep(
            experiment="clustering", methods=["safairkm_front", "vfairkm"],
            axes={"data.data": ("problem", ["adult", "bank"]),
                  "clustering.clusters": ("problem", ["5", "10"])},
            index={"data.data": [0, 0], "clustering.clusters": [1, 1]},
            points={0: [[1.0, 3.0], [2.0, 2.0]], 1: [[1.0, 1.0], [2.0, 2.0]]}))
        # 0.1 s by two points; 0.2 s by one, as the other is dominated.
        self.assertEqual(lines[1].split(), ["adult,", "K", "=", "10", "SAfairKM", "printed", "18.5",
                                            "ours", "0.05", "of", "1", "370", "times", "faster"])
        self.assertIn("printed 40.4", lines[2])
        self.assertIn("ours 0.2 ", lines[2])
        self.assertIn("not here: 14 of 16", lines[3])
        self.assertIn("why: theirs is the wall clock of 16 processes", lines[4])

    def test_both_ways_of_learning_are_columns_of_their_own(self) -> None:
        lines = self.lines(1, Sweep(
            methods=["dp_postprocessing", "adw", "adw", "base_model"],
            axes={"data.data": ("problem", ["communities_csv"]),
                  "adw.learn_from": ("setting", ["train", "train_and_unlabelled"])},
            index={"data.data": [0] * 4, "adw.learn_from": [-1, 0, 1, -1]}))
        found = {line.split()[1]: line.split()[7] for line in lines[1:3]}
        self.assertEqual(found, {"ADW-1": "0.3", "ADW-2": "0.2"})
        self.assertIn("communities              DP-postproc, base fits apart: not printed, ours 0.1 "
                      "of 1", lines[3])

    def test_post_processing_is_compared_with_the_fits_of_its_own_split(self) -> None:
        lines = self.lines(1, Sweep(
            methods=["dp_postprocessing", "dp_postprocessing", "base_model", "base_model"],
            axes={"data.data": ("problem", ["adult"]),
                  "split.split_seed": ("replicate", ["1", "2"])},
            index={"data.data": [0] * 4, "split.split_seed": [0, 1, 0, 1]},
            series={"base_fits": ("none", {2: ([1, 2], [0.0, 0.0], [0.5, 1.0]),
                                           3: ([1, 2], [0.0, 0.0], [0.5, 3.0])})}))
        # 0.1 + 1 and 0.2 + 3; without the fits 0.1 and 0.2.
        self.assertIn("DP-postproc  printed 3.7 ± 0.34     ours 2.15 ± 1.5", lines[1])
        self.assertIn("DP-postproc, base fits apart: not printed, ours 0.15 ± 0.071 of 2", lines[2])

    def test_shares_are_the_same_within_two_standard_errors_of_the_means(self) -> None:
        """It was said of means .037 apart, with p = 1e-5, as single runs scatter so."""
        sweep = Sweep(experiment="training", methods=["sgd"] * 10,
                      axes={"seed": ("replicate", [str(i) for i in range(10)])}, index={"seed": list(range(10))},
                      measures={"separation_sum": ("share", "minimise", {"test": [0.203, 0.223] * 5})})
        lines = self.lines(2, sweep)
        self.assertIn("printed 0.176 ± 0.016", lines[1])
        self.assertTrue(lines[1].endswith("differs by +0.037, less than single runs scatter"), lines[1])
        self.assertIn("why: theirs ran for 30 s", lines[-1])

    def test_shares_are_the_same_within_the_errors_of_few_runs_of_ours(self) -> None:
        sweep = Sweep(experiment="training", methods=["sgd"] * 3,
                      axes={"seed": ("replicate", ["1", "2", "3"])}, index={"seed": [0, 1, 2]},
                      measures={
                          "independence_gap": ("share", "minimise", {"train": [0.08, 0.10, 0.12]}),
                          "error": ("share", "minimise", {"test": [0.25, 0.26, 0.27]})})
        lines = self.lines(2, sweep)
        self.assertTrue(lines[1].endswith("of 3    median 0.1 (0.09 to 0.11) same"), lines[1])
        self.assertTrue(lines[2].endswith("differs by +0.045"), lines[2])
        self.assertIn("not here: 58 of 60", lines[3])

    def test_every_printed_number_stands_once(self) -> None:
        for table in published.TABLES:
            places = [(cell.row, cell.column) for cell in table.cells]
            self.assertEqual(len(places), len(set(places)))
            self.assertTrue(all(math.isfinite(cell.mean) for cell in table.cells))

    def test_a_family_without_printed_numbers_is_told(self) -> None:
        Sweep(experiment="alternating", methods=["sa2gd"], axes={}, index={}).write(self.path)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(published.main([str(self.path)]), 0)
        self.assertIn("No paper prints numbers of experiment 'alternating'", said.getvalue())

    def test_a_partial_archive_is_told(self) -> None:
        Sweep(experiment="training", methods=["sgd"] * 2, axes={}, index={},
              status=[1, 0]).write(self.path)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(published.main([str(self.path)]), 0)
        self.assertIn("PARTIAL", said.getvalue())


if __name__ == "__main__":
    unittest.main()
