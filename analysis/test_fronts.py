"""Figures of fronts, by the artists that are drawn."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import pathlib
import tempfile
import unittest
import unittest.mock

import matplotlib.pyplot as plt
import numpy as np

import fairfront_archive
import plot_front
import sample_archive
from fairfront_archive import ArchiveError, Front, Objective, Task
from fairfront_figures import fronts, known_fronts
from fairfront_figures.layout import Sheet
from fairfront_figures.style import Options, label_of
from sample_archive import Sweep


class DrawnFronts(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(plt.close, "all")

    def draw(self, sweep: Sweep, **options) -> Sheet:
        path = sweep.write(self.folder / "any.h5")
        with fairfront_archive.open(path) as archive:
            return fronts.draw_fronts(archive, Options(**options))

    def lines(self, page: Sheet, panel: int = 0) -> list[plt.Line2D]:
        """Staircases: lines that are no markers."""
        return [line for line in page.panels[panel].lines if line.get_linestyle() != "None"]

    def test_strays_of_three_objectives_are_counted_and_their_colours_go_on(self) -> None:
        at = np.linspace(0, 1, 20)
        points = np.column_stack([at, (1 - at)**2, 1 - at])
        for stray, counted, extend in (([90.0, -0.01, 1], "1 of 21 points beyond the frame", "neither"),
                                       ([0.5, -0.01, 90], "", "max")):
            page = self.draw(Sweep(
                axes={}, methods=["a"], index={}, points={0: [*points.tolist(), stray]},
                objectives=tuple((name, "", "minimise") for name in ("first", "second", "third"))))
            with self.subTest(stray):
                axes = page.panels[0]
                self.assertLess(np.diff(axes.get_xlim()), 1.3)
                self.assertEqual(axes.get_title(), "\n".join(filter(
                    None, ["people", "a", "21 points of 1 replicate together", counted])))
                marks = axes.collections[0]
                np.testing.assert_allclose(marks.get_clim(), [0, 1], atol=0.02)
                self.assertEqual(marks.colorbar.extend if marks.colorbar else None, extend)
                arrows = [line for line in axes.lines if line.get_marker() in ("<", ">", "^", "v")]
                self.assertEqual(len(arrows), 1 if counted else 0)

    def test_of_three_objectives_each_method_has_a_panel_in_the_same_frame_and_colours(self) -> None:
        at = np.linspace(0, 1, 9)
        surface = np.column_stack([at, 1 - at, at * (1 - at)])
        page = self.draw(Sweep(
            axes={}, methods=["a", "b"], index={}, points={0: surface.tolist(), 1: (surface * 0.5).tolist()},
            objectives=tuple((name, "", "minimise") for name in ("first", "second", "third"))))
        first, second = page.panels
        self.assertEqual([axes.get_title() for axes in page.panels],
                         [f"people\n{name}\n9 points of 1 replicate together" for name in "ab"])
        np.testing.assert_array_equal(first.get_xlim(), second.get_xlim())
        np.testing.assert_array_equal(first.get_ylim(), second.get_ylim())
        marks = [axes.collections[0] for axes in page.panels]
        self.assertEqual(marks[0].get_clim(), marks[1].get_clim())
        self.assertEqual([len(mark.get_offsets()) for mark in marks], [9, 9])

    def test_each_problem_has_a_panel_with_its_own_points_and_title(self) -> None:
        """Four problems were once drawn in one panel under the name of the first."""
        names = ["sphere", "cone", "cube", "torus"]
        page = self.draw(Sweep(axes={"family.problem": ("problem", names)}, methods=["a"] * 4,
                               index={"family.problem": [0, 1, 2, 3]},
                               points={i: [[i, 5.0], [i + 1.0, 4.0]] for i in range(4)}))
        self.assertEqual([axes.get_title() for axes in page.panels],
                         [f"problem = {name}" for name in names])
        for i in range(4):
            at = self.lines(page, i)[0].get_xdata()
            self.assertEqual((at.min(), at.max()), (i, i + 1))

    def test_panels_are_sorted_by_number_and_names_keep_their_order(self) -> None:
        page = self.draw(Sweep(
            axes={"data.data": ("problem", ["zebra", "ant"]),
                  "any.clusters": ("problem", ["3", "8", "5"])},
            methods=["a"] * 6, index={"data.data": [0, 0, 0, 1, 1, 1],
                                      "any.clusters": [0, 1, 2, 0, 1, 2]},
            points={i: [[1.0, 1.0]] for i in range(6)}), width=300)
        self.assertEqual([axes.get_title() for axes in page.panels],
                         [f"data = {data}, clusters = {k}" for data in ("zebra", "ant")
                          for k in (3, 5, 8)])

    def replicates(self, **more) -> Sweep:
        return Sweep(axes={"seed": ("replicate", ["1", "2", "3"])}, methods=["a"] * 3,
                     index={"seed": [0, 1, 2]},
                     points={0: [[1.0, 3.0]], 1: [[2.0, 2.0]], 2: [[3.0, 1.0]]}, **more)

    def test_methods_that_decide_on_different_parts_have_panels_of_their_own(self) -> None:
        """They stood in one panel, whose fronts are of different rows."""
        own = sample_archive.of_two_parts()
        page = self.draw(own)
        self.assertEqual([(axes.get_title(), [line.get_label().partition(":")[0] for line in axes.lines if line.get_label()[0] != "_"])
                          for axes in page.panels[::2]],
                         [("people, choose_on = validation", ["group thresholds"]), ("people, choose_on = train", ["drawn thresholds"])])
        self.assertEqual(self.draw(own, tasks=[2]).panels[0].get_title(), "people, choose_on = train")
        same = dataclasses.replace(own, config=tuple((section, key, "test" if key == "choose_on" else value)
                                                     for section, key, value in own.config))
        self.assertEqual([axes.get_title() for axes in self.draw(same).panels[::2]], ["people"])

    def test_parts_that_decide_stand_apart_where_another_axis_makes_the_panels(self) -> None:
        own = dataclasses.replace(sample_archive.of_two_parts(), axes={"data.seed": ("replicate", ["7"])}, index={"data.seed": [0] * 3})
        self.assertEqual([axes.get_title() for axes in self.draw(own, panels_by="data.seed").panels[::2]],
                         ["seed = 7, choose_on = validation", "seed = 7, choose_on = train"])

    def test_replicates_are_one_median_surface_and_a_band_not_lines_over_each_other(self) -> None:
        page = self.draw(self.replicates())
        lines = self.lines(page)
        self.assertEqual(len(lines), 1)
        # Two of three attain (2, 3) and (3, 2).
        points = next(line for line in page.panels[0].lines if line.get_linestyle() == "None")
        np.testing.assert_array_equal(points.get_xydata(), [[2.0, 3.0], [3.0, 2.0]])
        band, = page.panels[0].patches
        corners = band.get_xy()
        self.assertTrue(any(np.array_equal(corner, [1.0, 3.0]) for corner in corners))  # best
        self.assertTrue(any(np.array_equal(corner, [3.0, 3.0]) for corner in corners))  # worst
        self.assertIn("3 replicates, 1 point, hypervolume", lines[0].get_label())

    def test_tasks_along_a_trade_off_make_one_front(self) -> None:
        page = self.draw(Sweep(axes={"a.weight": ("trade_off", ["0", "1", "2"])},
                               methods=["a"] * 3, index={"a.weight": [0, 1, 2]},
                               points={0: [[1.0, 3.0]], 1: [[2.0, 2.0]], 2: [[2.5, 3.0]]}))
        line, = self.lines(page)
        self.assertEqual(line.get_label(), "a: 2 points, hypervolume 71")
        every = page.panels[0].collections[0].get_offsets()
        self.assertEqual(len(every), 3)  # the dominated one is there, faintly

    def test_settings_make_curves_of_their_own(self) -> None:
        page = self.draw(Sweep(axes={"a.rule": ("setting", ["new", "old"])}, methods=["a", "a"],
                               index={"a.rule": [0, 1]},
                               points={0: [[1.0, 3.0]], 1: [[2.0, 2.0]]}))
        self.assertEqual([line.get_label().split(":")[0] for line in self.lines(page)],
                         ["a, rule = new", "a, rule = old"])
        self.assertEqual(len({line.get_color() for line in self.lines(page)}), 2)

    def test_the_reported_part_has_a_panel_with_means_and_deviations(self) -> None:
        page = self.draw(self.replicates(reports={0: [[1.0, 4.0]], 1: [[2.0, 5.0]],
                                                  2: [[3.0, 9.0]]}))
        self.assertEqual(len(page.panels), 2)
        self.assertEqual(page.panels[1].get_title(), "people: reported part")
        np.testing.assert_allclose(self.lines(page, 1)[0].get_xydata(), [[2.0, 6.0]])
        across, up = (bars.get_segments()[0] for bars in page.panels[1].collections)
        np.testing.assert_allclose(across, [[1.0, 6.0], [3.0, 6.0]])
        np.testing.assert_allclose(up[:, 1], [6 - np.sqrt(7), 6 + np.sqrt(7)])

    def test_a_panel_of_which_nothing_is_reported_says_so(self) -> None:
        """Once it was white."""
        page = self.draw(Sweep(axes={"any.problem": ("problem", ["p", "q"])}, methods=["a", "a"],
                               index={"any.problem": [0, 1]}, points={0: [[1.0, 3.0]], 1: [[2.0, 2.0]]},
                               reports={0: [[1.0, 4.0]], 1: [[np.nan, np.nan]]}))
        titles = [axes.get_title() for axes in page.panels]
        silent = page.panels[titles.index("problem = q: reported part")]
        self.assertEqual([text.get_text() for text in silent.texts], ["no point is known there"])

    def test_a_bar_longer_than_what_the_means_differ_by_stays_in_its_panel(self) -> None:
        """Once the bar of a single point left the panel on both sides."""
        page = self.draw(self.replicates(reports={0: [[1.0, 4.0]], 1: [[1.1, 5.0]], 2: [[1.3, 6.0]]}))
        axes = page.panels[1]
        for ends, mean, deviation in ((axes.get_xlim(), 3.4 / 3, np.std([1, 1.1, 1.3], ddof=1)), (axes.get_ylim(), 5, 1)):
            self.assertLess(ends[0], mean - deviation)
            self.assertGreater(ends[1], mean + deviation)

    def test_reported_points_are_chosen_where_they_were_decided(self) -> None:
        """The best first objective within a bound on the second; never by the reported values."""
        page = self.draw(Sweep(axes={}, methods=["a"], index={},
                               points={0: [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]},
                               reports={0: [[9.0, 9.0], [5.0, 5.0], [7.0, 7.0]]}))
        drawn = np.unique(self.lines(page, 1)[0].get_xydata(), axis=0)
        np.testing.assert_array_equal(drawn, [[5.0, 5.0], [7.0, 7.0], [9.0, 9.0]])

    def along(self, axes: tuple[str, str], points: list[list[list[float]]], **columns: list[float]) -> Sheet:
        """Tasks of a trade-off with measures of the part that decides and of the test part, (value, reported) each."""
        count = len(points)
        measures = {name: ("share", "none" if name == "rows" else "maximise" if name == "r_squared" else "minimise",
                           {"validation": [one[0] for one in values], "test": [one[1] for one in values]})
                    for name, values in columns.items()}
        return self.draw(Sweep(axes={"fair.slack": ("trade_off", [str(i) for i in range(count)])}, methods=["fair"] * count,
                               index={"fair.slack": list(range(count))}, points=dict(enumerate(points)),
                               reports=dict(enumerate(points)), measures=measures), axes=axes)

    def test_measures_can_be_the_axes_and_say_what_is_dominated(self) -> None:
        """Along the objectives the third point is dominated; along these axes the second one is, and of the fourth
        one is not known."""
        points = [[[1.0, 3.0]], [[2.0, 2.0]], [[3.0, 4.0]], [[1.5, 2.5]]]
        page = self.along(("r_squared", "gap"), points, r_squared=[(0.9, 0.8), (0.4, 0.5), (0.5, 0.6), (math.nan, 0.1)])
        self.assertEqual((page.panels[0].get_xlabel(), page.panels[0].get_ylabel()),
                         ("r squared [share]  (better\xa0→)", "gap [share]  (←\xa0better)"))
        (line,) = self.lines(page)
        np.testing.assert_array_equal(line.get_xydata()[::2], [[0.9, 3.0], [0.4, 2.0]])
        self.assertEqual(line.get_label(), "fair: 2 points")  # hypervolumes are those of the objectives
        page = self.along(("r_squared", "other"), points, r_squared=[(0.9, 0.8), (0.4, 0.5), (0.5, 0.6), (math.nan, 0.1)],
                          other=[(3.0, 3.0), (2.0, 2.5), (1.0, 1.5), (0.0, 0.0)])
        np.testing.assert_array_equal(self.lines(page)[0].get_xydata()[::2], [[0.9, 3.0], [0.5, 1.0]])
        np.testing.assert_array_equal(np.sort(self.lines(page, 1)[0].get_xydata(), axis=0), [[0.5, 1.5], [0.6, 2.5], [0.8, 3.0]])

    def test_axes_that_cannot_be_are_named(self) -> None:
        one, several = [[[1.0, 3.0]]], [[[1.0, 3.0], [2.0, 2.0]]]
        for axes, points, message in ((("risk", "rows"), one, "rows is neither minimised nor maximised"),
                                      (("risk", "other"), one, "no objective or measure 'other' to be an axis; there are: "
                                                               "risk, gap, r_squared"),
                                      (("r_squared", "gap"), several, "task 0 has a front of 2 points, of which the archive "
                                                                      "knows no measures; the axes can only be risk, gap")):
            with self.subTest(message), self.assertRaisesRegex(ArchiveError, message):
                self.along(axes, points, rows=[(5.0, 5.0)], r_squared=[(0.5, 0.5)])
        with self.assertRaisesRegex(ArchiveError, "of no point both r_squared and gap are known on the part that decides"):
            self.along(("r_squared", "gap"), one, r_squared=[(math.nan, 0.5)])
        self.along(("gap", "risk"), several, r_squared=[(0.5, 0.5)])

    def test_what_is_known_of_the_objectives_is_not_drawn_along_others(self) -> None:
        self.assertEqual(self.known_along(None), 1)
        self.assertEqual(self.known_along(("gap", "risk")), 0)

    def known_along(self, axes: tuple[str, str] | None) -> int:
        at = np.linspace(0, 1, 9)
        page = self.draw(Sweep(axes={}, methods=["a"], index={}, data=("jos1",),
                               points={0: np.column_stack([at**2, (at - 2)**2]).tolist()}), axes=axes)
        return sum(line.get_label() == "analytic front" for line in page.panels[0].lines)

    def test_a_maximised_objective_is_the_right_way_up(self) -> None:
        page = self.draw(Sweep(axes={}, methods=["a"], index={},
                               objectives=(("cost", "m", "minimise"),
                                           ("balance", "", "maximise")),
                               points={0: [[10.0, 0.1], [12.0, 0.4], [15.0, 0.6], [16.0, 0.5]]}))
        np.testing.assert_array_equal(self.lines(page)[0].get_xydata(), [
            [10.0, 0.1], [12.0, 0.1], [12.0, 0.4], [15.0, 0.4], [15.0, 0.6], [15.0, 0.6]])
        self.assertEqual(page.panels[0].get_xlabel(), "cost [m]  (←\xa0better)")
        self.assertEqual(page.panels[0].get_ylabel(), "balance  (better\xa0→)")

    def test_large_numbers_have_their_power_of_ten_in_the_label(self) -> None:
        page = self.draw(Sweep(axes={}, methods=["a"], index={},
                               points={0: [[2.0e8, 0.5], [3.0e8, 0.25]]}))
        axes = page.panels[0]
        self.assertIn("$10^{6}$", axes.get_xlabel())
        self.assertFalse(axes.xaxis.offsetText.get_visible())
        page.figure.canvas.draw()
        texts = [text.get_text() for text in axes.get_xticklabels()]
        self.assertIn("200", " ".join(texts))

    def test_the_analytic_front_of_a_known_problem_lies_below(self) -> None:
        page = self.draw(Sweep(axes={"any.problem": ("problem", ["zdt1", "mystery"])},
                               methods=["a", "a"], index={"any.problem": [0, 1]},
                               points={0: [[0.25, 0.6]], 1: [[1.0, 1.0]]}))
        self.assertEqual([line.get_label() for line in self.lines(page, 0)][0], "analytic front")
        self.assertEqual(len(self.lines(page, 1)), 1)

    def test_strays_are_counted_and_marked_at_the_edge_of_their_panel(self) -> None:
        """Once one point at 270 squeezed a front between 93 and 110 into a tenth of its panel."""
        at = np.linspace(0, 1, 20)
        usual = [[93 + 17 * x, (1 - x)**2] for x in at]
        page = self.draw(Sweep(axes={}, methods=["a", "b"], index={}, points={
            0: [*usual, [270.0, -0.01]], 1: [[x + 1, y] for x, y in usual]}))
        axes = page.panels[0]
        low, high = axes.get_xlim()
        self.assertGreater(17 / (high - low), 0.7)
        self.assertEqual(axes.get_title(), "people\n1 of 41 points beyond the frame")
        arrow, = [line for line in axes.lines if line.get_marker() == ">"]
        np.testing.assert_allclose(arrow.get_xydata(), [[high, -0.01]])
        self.assertEqual(arrow.get_color(), self.lines(page)[0].get_color())

    def test_strays_of_a_maximised_objective_are_at_the_other_edge(self) -> None:
        usual = [[x, x**2] for x in np.linspace(0, 1, 20)]
        page = self.draw(Sweep(axes={}, methods=["a"], index={}, objectives=(
            ("cost", "", "minimise"), ("balance", "", "maximise")),
            points={0: [[-0.001, -7.0], *usual]}))
        axes = page.panels[0]
        self.assertGreater(axes.get_ylim()[0], -0.2)
        self.assertEqual([line.get_marker() for line in axes.lines
                          if line.get_marker() in "<>v^" and line.get_linestyle() == "None"], ["v"])

    def test_a_third_objective_is_the_colour_on_one_scale_per_panel(self) -> None:
        page = self.draw(Sweep(
            axes={}, methods=["a", "b"], index={},
            objectives=(("cost", "", "minimise"), ("first", "", "maximise"),
                        ("second", "ratio", "maximise")),
            points={0: [[1.0, 0.5, 0.2], [2.0, 0.6, 0.1], [3.0, 0.1, 0.8]],
                    1: [[4.0, 0.2, 0.9]]}))
        axes = page.panels[0]
        drawn = axes.collections[0]
        # Every point at its place with its own colour; the best colour lies on top.
        np.testing.assert_array_equal(drawn.get_offsets(), [[2.0, 0.6], [1.0, 0.5], [3.0, 0.1]])
        np.testing.assert_array_equal(drawn.get_array(), [0.1, 0.2, 0.8])
        self.assertEqual((drawn.norm.vmin, drawn.norm.vmax), (0.1, 0.9))
        bars = axes.child_axes
        self.assertEqual([bar.get_ylabel() for bar in bars], ["second [ratio]  (better\xa0→)"])
        page.lay_out(page.pages()[0])
        self.assertGreater(bars[0].get_window_extent().width, 10)

    def test_any_axis_can_make_the_panels(self) -> None:
        page = self.draw(self.replicates(), panels_by="seed")
        self.assertEqual(len(page.panels), 3)
        with self.assertRaisesRegex(ArchiveError, "no axis 'sead'; there are: seed"):
            self.draw(self.replicates(), panels_by="sead")

    def test_an_axis_that_makes_the_panels_stands_in_their_titles_alone(self) -> None:
        many = Sweep(axes={"fair.rules": ("setting", ["paper", "authors"]),
                           "fair.kind": ("setting", [str(i) for i in range(fronts.MOST_BANDS + 1)]),
                           "seed": ("replicate", ["1", "2"])},
                     methods=["fair"] * 4 * (fronts.MOST_BANDS + 1),
                     index={"fair.rules": [0, 0, 1, 1] * (fronts.MOST_BANDS + 1),
                            "fair.kind": [i // 4 for i in range(4 * (fronts.MOST_BANDS + 1))],
                            "seed": [0, 1] * 2 * (fronts.MOST_BANDS + 1)},
                     points={i: [[1.0 + i, 1.0]] for i in range(4 * (fronts.MOST_BANDS + 1))})
        page = self.draw(many, panels_by="fair.rules")
        self.assertEqual([axes.get_title() for axes in page.panels],
                         ["rules = paper", "rules = authors"])
        for axes in page.panels:
            labels = axes.get_legend_handles_labels()[1]
            self.assertEqual([label.split(":")[0] for label in labels],
                             [f"fair, kind = {i}" for i in range(fronts.MOST_BANDS + 1)])
            self.assertEqual(len(axes.patches), 0)  # too many curves for bands
        few = self.draw(self.replicates())
        self.assertGreater(len(few.panels[0].patches), 0)

    def test_a_line_below_another_is_wider(self) -> None:
        page = self.draw(Sweep(axes={}, methods=["a", "b"], index={},
                               points={i: [[1.0, 2.0], [2.0, 1.0]] for i in range(2)}))
        lines = [line for line in page.panels[0].lines if line.get_label()[:1] in "ab"]
        self.assertGreater(lines[0].get_linewidth(), lines[1].get_linewidth() + 1)

    def test_curves_that_cross_are_equally_thin(self) -> None:
        """Eleven of them were bands that hid each other."""
        page = self.draw(Sweep(axes={}, methods=["a", "b"], index={},
                               points={0: [[1.0, 2.0], [2.0, 1.0]], 1: [[1.5, 1.8], [1.9, 1.2]]}))
        lines = [line for line in page.panels[0].lines if line.get_label()[:1] in "ab"]
        self.assertEqual(lines[0].get_linewidth(), lines[1].get_linewidth())

    def test_panels_are_never_wider_than_the_figure(self) -> None:
        for width, columns in ((85, 1), (174, 3)):
            page = self.draw(Sweep(axes={"any.k": ("problem", ["1", "2", "3"])}, methods=["a"] * 3,
                                   index={"any.k": [0, 1, 2]},
                                   points={i: [[1.0, 1.0]] for i in range(3)}), width=width)
            self.assertEqual(page.columns, columns)
            page.lay_out(page.pages()[0])
            self.assertAlmostEqual(page.figure.get_size_inches()[0], width / 25.4)


class Labels(unittest.TestCase):
    def test_arrows_point_to_the_better_side(self) -> None:
        self.assertEqual(label_of(Objective("cost", "m", "minimise")), "cost [m]  (←\xa0better)")
        self.assertEqual(label_of(Objective("min_balance", "", "maximise")),
                         "min balance  (better\xa0→)")

    def test_one_point_is_no_points(self) -> None:
        front = Front(Task(0, "", "a", "done", "", {}), [Objective("f", "", "minimise")] * 2,
                      np.ones((1, 2)), np.zeros(1), np.full(2, 3.0), 4.0)
        self.assertEqual(fronts.summary([fronts.Run([front])]), "1 point, hypervolume 4")


    def test_replicates_are_measured_from_the_worst_of_their_reference_points(self) -> None:
        archive = unittest.mock.Mock(axes={}, axes_of=lambda role: ["seed"] if role == "replicate" else [],
                                     value=lambda task, axis: task.values[axis], places={})
        objectives = [Objective("f", "", "minimise"), Objective("auc", "", "maximise")]
        tasks = [Task(i, "", "a", "done", "", {"seed": str(i)}) for i in range(2)]
        by_task = {i: Front(task, objectives, np.array([[1.0, 0.9]]), np.zeros(1), np.array([2.0 + i, 0.5 - i / 10]),
                            (1 + i) * (0.4 + i / 10), np.array([[1.5, 0.8]])) for i, task in enumerate(tasks)}
        with unittest.mock.patch.object(fronts, "split", return_value={(i,): [task] for i, task in enumerate(tasks)}):
            runs = fronts.runs_of(archive, tasks, by_task)
        np.testing.assert_allclose([run.merged.hypervolume for run in runs], [2 * 0.5] * 2)  # up to (3, 0.4)
        np.testing.assert_allclose([run.reported_hypervolume() for run in runs], [1.5 * 0.4] * 2)


class KnownFronts(unittest.TestCase):
    def test_coverage_is_a_share_of_the_length_in_units_of_the_ranges(self) -> None:
        line = np.column_stack([np.linspace(0, 10, 2001), np.linspace(1, 0, 2001)])
        self.assertEqual(known_fronts.coverage(line, line), 1)
        self.assertEqual(known_fronts.coverage(np.array([[10.0, 10.0]]), line), 0)
        # Within 0.02 of one point in the middle: 0.04 of a length of sqrt(2).
        self.assertAlmostEqual(known_fronts.coverage(np.array([[5.0, 0.5]]), line),
                               0.04 / np.sqrt(2), delta=1e-3)

    def test_summaries_tell_what_the_worst_replicate_covers(self) -> None:
        line = np.column_stack([np.linspace(0, 1, 1001), np.linspace(1, 0, 1001)])
        objectives = [Objective("f", "", "minimise")] * 2
        runs = [fronts.Run([Front(Task(0, "", "a", "done", "", {}), objectives, points,
                                  np.zeros(len(points)), np.full(2, 3.0), 4.0)])
                for points in (line, line[:501])]
        self.assertIn(", covers 51–100\xa0%", fronts.summary(runs, line))
        self.assertIn(", covers 100\xa0%", fronts.summary(runs[:1], line))

    def test_analytic_fronts_are_nondominated_and_unknown_ones_are_none(self) -> None:
        for problem in ("sp1", "ff1", "jos1", "jos2", "zdt1", "zdt2", "zdt3", "mop1", "deb41",
                        "im1"):
            front = known_fronts.analytic_front(problem)
            self.assertGreater(len(front), 500, problem)
            self.assertTrue(np.all(np.diff(front[:, 1]) < 0), problem)
        self.assertIsNone(known_fronts.analytic_front("quadratic"))

    def test_the_volume_under_a_known_front_is_its_integral(self) -> None:
        front = known_fronts.analytic_front("zdt1")
        self.assertAlmostEqual(fairfront_archive.hypervolume(front, np.array([1.1, 1.1])),
                               1.1 * 1.1 - 1 / 3, places=3)


class PlotFront(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.archive = sample_archive.write(pathlib.Path(folder.name) / "sample.h5")
        self.image = self.archive.with_suffix(".png")
        self.addCleanup(plt.close, "all")

    def run_main(self, *arguments: str) -> tuple[int, str, str]:
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = plot_front.main([str(self.archive), "-o", str(self.image), *arguments])
        return code, out.getvalue(), error.getvalue()

    def test_panels_are_counted(self) -> None:
        self.assertEqual(self.run_main()[:2], (0, f"{self.image}: 2 panels\n"))
        self.assertEqual(self.run_main("--task", "3")[:2], (0, f"{self.image}: 1 panel\n"))

    def test_errors_are_one_line_and_write_nothing(self) -> None:
        for arguments, reason in ((["--task", "9"], "no task 9"), (["--task", "2"], "has a front"),
                                  (["--group-by", "sead"], "no axis 'sead'; there are: data.data"),
                                  (["-o", "front.xyz"], "xyz")):
            with self.subTest(arguments):
                code, _, error = self.run_main(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(reason, error)
                self.assertEqual(error.count("\n"), 1)
                self.assertFalse(self.image.exists())


if __name__ == "__main__":
    unittest.main()
