"""The figure of clusterings, and the table of costs."""

from __future__ import annotations

import contextlib
import io
import pathlib
import tempfile
import unittest

import matplotlib.pyplot as plt

import plot_clusters
import sample_archive
from fairfront_archive import Archive, ArchiveError
from fairfront_figures import tables
from fairfront_figures.style import Options


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

    def test_unscaled_columns_are_seen(self) -> None:
        """With one scale for ages and incomes the panel was a line."""
        pathlib.Path(self.rows).write_text("age,income,group\n20,1e6,f\n30,5e6,m\n40,2e6,f\n50,9e6,m\n")
        with Archive(self.archive) as archive:
            page = plot_clusters.plot(archive, 0, self.rows, 2)
        self.addCleanup(plt.close, "all")
        page.figure.canvas.draw()
        for axes in page.panels:
            self.assertEqual(axes.get_aspect(), "auto")
            box = axes.get_window_extent()
            self.assertGreater(min(box.width, box.height), 60)  # pixels, of some 200
            drawn = sum(len(dots.get_offsets()) for dots in axes.collections)
            self.assertEqual(drawn, 4)

    def test_columns_of_like_units_have_one_scale(self) -> None:
        with Archive(self.archive) as archive:
            page = plot_clusters.plot(archive, 0, self.rows, 2)
        self.addCleanup(plt.close, "all")
        self.assertEqual(page.panels[0].get_aspect(), 1.0)

    def test_the_table_counts_points_and_seconds_of_each_problem(self) -> None:
        with Archive(self.archive) as archive:
            table = tables.fronts_table(archive, Options())
        # adult: seeds 1 and 2 with 3 and 2 points in 3 and 5 seconds; bank: one point in 2.
        means = table.set_index(["problem", "column"])["mean"]
        self.assertEqual(means["data = adult", "solutions"], 2.5)
        self.assertEqual(means["data = adult", "seconds"], 4)
        self.assertEqual(means["data = adult", "seconds per solution"], (3 / 3 + 5 / 2) / 2)
        self.assertEqual(means["data = bank", "seconds per solution"], 2)


if __name__ == "__main__":
    unittest.main()
