"""The figures of clusterings and groups, and the table of costs."""

from __future__ import annotations

import pathlib
import tempfile
import unittest
import unittest.mock

import matplotlib.pyplot as plt
import numpy as np

import sample_archive
from fairfront_archive import Archive, ArchiveError, Rows, rows
from fairfront_figures import catalogue, clusterings, fronts, tables
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.layout import Sheet
from fairfront_figures.style import Options

ROWS = Rows(["x", "y"], np.array([[0, 1], [1, 0], [2, 2], [0.5, 0]]), np.array(["f", "m", "f", "m"]))


def three_objectives() -> sample_archive.Sweep:
    """Two replicates; the first one has more points, the best in each objective among them."""
    return sample_archive.Sweep(
        experiment="clustering3", axes={"seed": ("replicate", ["1", "2"])}, methods=["safairkm_front"] * 2,
        index={"seed": [0, 1]}, objectives=(("cost", "squared distance", "minimise"), ("balance by sex", "", "maximise"),
                                            ("balance by age", "", "maximise")),
        points={0: [[10.0, 0.1, 0.2], [12.0, 0.6, 0.3], [13.0, 0.3, 0.5], [15.0, 0.5, 0.9]], 1: [[11.0, 0.2, 0.3]]},
        solutions={"labels": [[[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0]], [[0, 0, 0, 1]]]})


class Clusterings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.archive = str(sample_archive.write(pathlib.Path(folder.name) / "a.h5"))
        self.addCleanup(plt.close, "all")

    def draw(self, rows: Rows | Exception, name: str = "clusterings", **options) -> Sheet:
        """As if the program had prepared these rows, or had failed to."""
        with (Archive(self.archive) as archive,
              unittest.mock.patch.object(clusterings, "rows_of", side_effect=[rows] * 8)):
            kind, _, chosen = catalogue.resolve(archive, name, Options(**options))
            return catalogue.FIGURES[kind](archive, chosen)

    def test_each_problem_has_its_front_and_three_clusterings(self) -> None:
        page = self.draw(ROWS)
        self.assertEqual(len(page.panels), 8)  # adult; bank, whose front is one point
        self.assertEqual([panel.get_title() for panel in page.panels[:4]], [
            "data = adult", *(f"cost {cost}\nbalance {balance}" for cost, balance in
                              ((10, 0.1), (12, 0.4), (15, 0.6)))])
        crosses = [tuple(map(float, line.get_xydata()[0])) for line in page.panels[0].lines
                   if line.get_marker() == "x"]
        self.assertEqual(crosses, [(10, 0.1), (12, 0.4), (15, 0.6)])
        drawn = {tuple(row): dots.get_edgecolor()[0].tolist() for dots in page.panels[1].collections
                 for row in dots.get_offsets().tolist()}
        self.assertEqual(sorted(drawn), [(0, 1), (0.5, 0), (1, 0), (2, 2)])
        self.assertEqual(drawn[0, 1], drawn[1, 0])  # labels 0, 0, 1, 1
        self.assertEqual(drawn[2, 2], drawn[0.5, 0])
        self.assertNotEqual(drawn[0, 1], drawn[2, 2])
        self.assertEqual([panel.axison for panel in page.panels[4:]], [True, True, False, False])

    def test_of_three_objectives_the_best_clustering_in_each_is_shown(self) -> None:
        """Once a traceback, and no later figure or table was drawn."""
        self.archive = str(three_objectives().write(pathlib.Path(self.archive).with_name("three.h5")))
        page = self.draw(ROWS)
        self.assertEqual(len(page.panels), 4)
        self.assertEqual([panel.get_title().split("\n") for panel in page.panels[1:]], [
            [f"cost {cost}", f"balance by sex {first}", f"balance by age {second}"]
            for cost, first, second in ((10, 0.1, 0.2), (12, 0.6, 0.3), (15, 0.5, 0.9))])
        crosses = [tuple(map(float, line.get_xydata()[0])) for line in page.panels[0].lines
                   if line.get_marker() == "x"]
        self.assertEqual(crosses, [(10, 0.1), (12, 0.6), (15, 0.5)])
        dots, = page.panels[0].collections
        self.assertEqual(sorted(dots.get_array().tolist()), [0.2, 0.3, 0.5, 0.9])

    def test_a_point_that_is_best_in_two_of_three_objectives_is_shown_once(self) -> None:
        sweep = three_objectives()
        sweep.points[0][3] = [15.0, 0.7, 0.9]
        self.archive = str(sweep.write(pathlib.Path(self.archive).with_name("three.h5")))
        self.assertEqual([panel.axison for panel in self.draw(ROWS).panels], [True, True, True, False])

    def test_crosses_beyond_the_frame_of_the_front_stand_at_its_edge(self) -> None:
        with unittest.mock.patch.object(fronts.view, "view_of", return_value=(
                np.array([10.0, -0.4]), np.array([12.0, -0.1]))):
            page = self.draw(ROWS)
        axes = page.panels[0]
        crosses = [tuple(map(float, line.get_xydata()[0])) for line in axes.lines
                   if line.get_marker() == "x"]
        self.assertEqual(crosses[:2], [(10, 0.1), (12, 0.4)])
        self.assertEqual(crosses[2], (axes.get_xlim()[1], axes.get_ylim()[1]))

    def test_rows_by_group_have_one_scale_where_their_ranges_are_alike(self) -> None:
        for values, aspect in ((ROWS.values, 1.0), (ROWS.values * [1, 100], "auto")):
            page = self.draw(Rows(ROWS.features, values, ROWS.groups), "groups")
            self.assertEqual({axes.get_aspect() for axes in page.panels}, {aspect})

    def test_a_figure_of_one_data_set_has_its_tasks_alone(self) -> None:
        one = catalogue.Published("clusterings", "clustering", "", problem="bank")
        with unittest.mock.patch.dict(catalogue.PAPERS, {"own": one}):
            page = self.draw(ROWS, "own")
        self.assertEqual(len(page.panels), 4)
        self.assertEqual(page.panels[0].get_title(), "data = bank")
        with self.assertRaisesRegex(NothingToDraw, "no task on 'syn_equal_ds1'"):
            self.draw(ROWS, "clustering-figure-3")

    def test_both_ends_of_the_front_are_chosen(self) -> None:
        with Archive(self.archive) as archive:
            front = archive.fronts()[0]
        self.assertEqual(list(clusterings.choose(front, 2)), [0, 2])
        self.assertEqual(list(clusterings.choose(front, 3)), [0, 1, 2])
        self.assertEqual(list(clusterings.choose(front, 9)), [0, 1, 2])

    def test_other_rows_are_refused_and_without_rows_there_is_nothing_to_draw(self) -> None:
        with self.assertRaisesRegex(ArchiveError, "4 labels, but 2 rows"):
            self.draw(Rows(["x", "y"], ROWS.values[:2], ROWS.groups[:2]))
        with self.assertRaisesRegex(NothingToDraw, "no program"):
            self.draw(ArchiveError("no program"))
        with self.assertRaisesRegex(NothingToDraw, "one feature"):
            self.draw(Rows(["x"], ROWS.values[:, :1], ROWS.groups))

    def test_groups_are_told_apart_and_counted(self) -> None:
        page = self.draw(ROWS, "groups")
        self.assertEqual([panel.get_title() for panel in page.panels], ["data = adult", "data = bank"])
        lines = {line.get_label(): line.get_xydata().tolist() for line in page.panels[0].lines}
        self.assertEqual(lines, {"f (2 rows)": [[0, 1], [2, 2]], "m (2 rows)": [[1, 0], [0.5, 0]]})

    def test_unscaled_columns_are_seen(self) -> None:
        """With one scale for ages and incomes the panel was a line."""
        page = self.draw(Rows(["age", "income"],
                              np.array([[20, 1e6], [30, 5e6], [40, 2e6], [50, 9e6]]), ROWS.groups))
        page.figure.canvas.draw()
        for axes in page.panels[1:4]:
            self.assertEqual(axes.get_aspect(), "auto")
            box = axes.get_window_extent()
            self.assertGreater(min(box.width, box.height), 60)  # pixels, of some 200

    def test_columns_of_like_units_have_one_scale(self) -> None:
        self.assertEqual(self.draw(ROWS).panels[1].get_aspect(), 1.0)

    def test_names_that_begin_like_a_formula_come_back(self) -> None:
        """The program writes a quote before them, for spreadsheets."""
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "rows.csv"
        path.write_text("a,group\n1,'-\n2,'=1+1\n3,it's\n4,'quoted'\n", encoding="utf-8")
        self.assertEqual(list(rows.read_rows(str(path)).groups), ["-", "=1+1", "it's", "'quoted'"])

    def test_solutions_are_read_by_their_index(self) -> None:
        with Archive(self.archive) as archive:
            self.assertEqual(list(archive.solution("labels", 5)), [0, 0, 1, 1])
            with self.assertRaises(ArchiveError):
                archive.solution("labels", 6)

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
