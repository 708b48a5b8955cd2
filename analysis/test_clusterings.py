"""Tests of the figure of clusterings and the table of costs."""

from __future__ import annotations

import contextlib
import io
import pathlib
import tempfile
import unittest

import plot_clusters
import sample_archive
import table_cost
from fairfront_archive import Archive, ArchiveError


class Clusterings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.archive = str(sample_archive.write(self.folder / "a.h5"))
        self.rows = str(self.folder / "rows.csv")
        pathlib.Path(self.rows).write_text("x,y,group\n0,1,f\n1,0,m\n2,2,f\n0.5,0,m\n")

    def run_main(self, script, *arguments: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = script.main(list(arguments))
        return code, said.getvalue()

    def test_the_figure_is_written(self) -> None:
        target = self.folder / "clusters.png"
        code, said = self.run_main(plot_clusters, self.archive, self.rows, "-o", str(target))
        self.assertEqual(code, 0, said)
        self.assertTrue(target.read_bytes().startswith(b"\x89PNG"))

    def test_both_ends_of_the_front_are_chosen(self) -> None:
        with Archive(self.archive) as archive:
            front = archive.fronts()[0]
        self.assertEqual(list(plot_clusters.choose(front, 2)), [0, 2])
        self.assertEqual(list(plot_clusters.choose(front, 3)), [0, 1, 2])
        self.assertEqual(list(plot_clusters.choose(front, 9)), [0, 1, 2])

    def test_rows_of_another_data_set_are_refused(self) -> None:
        pathlib.Path(self.rows).write_text("x,y,group\n0,1,f\n")
        code, said = self.run_main(plot_clusters, self.archive, self.rows)
        self.assertEqual(code, 2)
        self.assertIn("4 labels", said)

    def test_a_task_without_front_is_refused(self) -> None:
        code, said = self.run_main(plot_clusters, self.archive, self.rows, "--task", "2")
        self.assertEqual(code, 2)
        self.assertIn("task 2", said)

    def test_solutions_are_read_by_their_index(self) -> None:
        with Archive(self.archive) as archive:
            self.assertEqual(list(archive.solution("labels", 5)), [0, 0, 1, 1])
            with self.assertRaises(ArchiveError):
                archive.solution("labels", 6)

    def test_the_table_counts_points_and_seconds_of_each_problem(self) -> None:
        with Archive(self.archive) as archive:
            rows = table_cost.rows_of(archive)
        # adult: seeds 1 and 2 with 3 and 2 points in 3 and 5 seconds; bank: one point in 2.
        self.assertEqual(rows, [
            ["data adult", "safairkm_front", "2", "2.5", "4", "1.6"],
            ["data bank", "safairkm_front", "1", "1.0", "2", "2"]])
        code, said = self.run_main(table_cost, self.archive)
        self.assertEqual(code, 0)
        self.assertEqual(len(said.splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
