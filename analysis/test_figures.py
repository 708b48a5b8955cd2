"""Trajectories, rates, measures and distributions as figures."""

from __future__ import annotations

import itertools
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np

import fairfront_archive
from fairfront_figures import catalogue, distributions, measures, rates, tables, trajectories
from fairfront_figures.arrange import NothingToDraw, panel_text, split
from fairfront_figures.style import Options
from fairfront_report.content import ranking_of
from sample_archive import Sweep, of_two_parts

NUMBERS = itertools.count()

# Two splits, a model without fairness and a method with two slacks; the method has series.
# method, split, slack, risk, gap
TASKS = [("base", 0, -1, 1.0, 0.5), ("base", 1, -1, 1.2, 0.7),
         ("fair", 0, 0, 3.0, 0.1), ("fair", 0, 1, 1.5, 0.4),
         ("fair", 1, 0, 5.0, 0.3), ("fair", 1, 1, 1.7, 0.4)]


def sweep(**more) -> Sweep:
    return Sweep(**{**dict(
        axes={"split.split_seed": ("replicate", ["1", "2"]),
              "fair.slack": ("trade_off", ["0.1", "0.5"])},
        methods=[task[0] for task in TASKS],
        index={"split.split_seed": [task[1] for task in TASKS],
               "fair.slack": [task[2] for task in TASKS]},
        points={i: [[task[3], task[4]]] for i, task in enumerate(TASKS)},
        metrics={"steps": ("", "minimise", [9.0] * 6)},
        measures={"risk": ("share", "minimise", {"train": [0.5] * 6, "test": [task[3] for task in TASKS]}),
                  "gap": ("share", "minimise", {"test": [task[4] for task in TASKS]}),
                  "spread": ("share", "minimise", {"test": [1.0] * 6}),
                  "good": ("share", "maximise", {"test": [task[4] for task in TASKS]}),
                  "rows": ("", "none", {"test": [1.0] * 6})},
        series={"risk": ("minimise", {i: ([0, 10, 100], [80.0 + i, 4.0 + i, 1.0 + i],
                                          [0.0, 1.0 + i, 2.0 + i]) for i in range(2, 6)})},
        solutions={"atoms": [[[-1.0, 0.0, 1.0]]] * 6,
                   "distribution": [[[0.1, 0.1, 0.8]] * 2 + [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]]] * 6},
    ), **more})


class Drawn(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(plt.close, "all")

    def open(self, what: Sweep) -> fairfront_archive.Archive:
        archive = fairfront_archive.open(what.write(self.folder / f"{next(NUMBERS)}.h5"))
        self.addCleanup(archive.close)
        return archive


class Trajectories(Drawn):
    def test_a_line_is_the_median_and_a_band_its_quartiles(self) -> None:
        page = trajectories.draw_trajectories(self.open(sweep()), Options())
        axes, = page.panels
        self.assertEqual([line.get_label() for line in axes.lines],
                         ["fair, slack = 0.1 (2)", "fair, slack = 0.5 (2)"])
        # Tasks 2 and 4: 82, 6, 3 and 84, 8, 5.
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[0, 83], [10, 7], [100, 4]])
        edges = axes.collections[0].get_paths()[0].vertices
        self.assertTrue(any(np.array_equal(vertex, [0, 82.5]) for vertex in edges))
        self.assertTrue(any(np.array_equal(vertex, [0, 83.5]) for vertex in edges))
        self.assertEqual(axes.get_xlabel(), "iteration")

    def test_along_the_seconds_a_run_holds_its_last_value(self) -> None:
        archive = self.open(sweep())
        at, values = trajectories.samples_of(archive, "risk", [archive.tasks[2], archive.tasks[4]],
                                             True)
        self.assertEqual((at[0], at[-1]), (0.0, 6.0))
        self.assertEqual(list(values[:, -1]), [3.0, 5.0])  # the first ended after 4 s
        self.assertEqual(values[0][np.searchsorted(at, 3.1)], 6.0)
        page = trajectories.draw_trajectories_in_time(archive, Options())
        self.assertEqual(page.panels[0].get_xlabel(), "CPU time [s]")

    def test_seconds_in_decades_begin_before_the_first_look_not_at_the_start(self) -> None:
        archive = self.open(sweep())
        with mock.patch.object(type(archive), "series_seconds",
                               lambda _self, _name, task: np.array([1e-6, 0.5, 40.0 + task])):
            axes, = trajectories.draw_trajectories_in_time(archive, Options()).panels
        self.assertEqual(axes.get_xscale(), "log")
        second = min(line.get_xdata()[1] for line in axes.lines)
        self.assertGreater(second, 0.1)
        self.assertAlmostEqual(axes.get_xlim()[0], second / 2)

    def test_a_series_of_gaps_has_a_line_at_each_bound(self) -> None:
        def of(names: list[str]) -> Sweep:
            return Sweep(axes={"alm.delta": ("trade_off", ["0.01", "0.1"])},
                         methods=["sgd", "alm", "alm"], index={"alm.delta": [-1, 0, 1]},
                         series={name: ("minimise", {i: ([0, 9], [0.5, 0.1 * i]) for i in range(3)})
                                 for name in names})
        gap, loss = trajectories.draw_trajectories(self.open(of(["gap_train", "loss_train"])),
                                                   Options()).panels
        lines = {line.get_label(): line.get_color() for line in gap.lines}
        bounds = {line.get_ydata()[0]: line.get_color() for line in gap.lines
                  if line.get_linestyle() == ":"}
        self.assertEqual(bounds, {0.01: lines["ALM, delta = 0.01 (1)"],
                                  0.1: lines["ALM, delta = 0.1 (1)"]})
        self.assertNotIn(":", [line.get_linestyle() for line in loss.lines])

    def test_a_bound_that_is_no_axis_is_in_the_config(self) -> None:
        archive = self.open(sweep(series={"gap": ("minimise", {2: ([0, 9], [0.5, 0.2])})}))
        with mock.patch.dict(archive.config, {"fair.delta": "0.3"}):
            page = trajectories.draw_trajectories(archive, Options())
        self.assertEqual([list(line.get_ydata()) for line in page.panels[0].lines
                          if line.get_linestyle() == ":"], [[0.3, 0.3]])
        self.assertIn("dotted lines are the bounds", page.note)

    def test_what_has_no_better_side_is_no_trajectory_unless_it_is_asked_for(self) -> None:
        """Once what two fits had left over, at 1e-15, was a figure."""
        archive = self.open(sweep(series={"fits": ("none", {2: ([1, 2], [1e-15, 2e-15])})}))
        with self.assertRaisesRegex(NothingToDraw, "none of its series .* --series draws fits"):
            trajectories.draw_trajectories(archive, Options())
        self.assertEqual(len(trajectories.draw_trajectories(archive, Options(series=("fits",))).panels),
                         1)

    def test_without_series_or_seconds_it_says_so(self) -> None:
        with self.assertRaisesRegex(NothingToDraw, "has no series"):
            trajectories.draw_trajectories(self.open(sweep(series={})), Options())
        bare = sweep(series={"risk": ("minimise", {2: ([1], [2.0])})})
        with self.assertRaisesRegex(NothingToDraw, "no CPU seconds"):
            trajectories.draw_trajectories_in_time(self.open(bare), Options())


class Titles(Drawn):
    def test_methods_stand_by_their_titles_where_people_read_and_by_sections_in_csv(self) -> None:
        """Once legends and tables had names such as sa2gd and ssl_alm."""
        archive = self.open(Sweep(
            axes={"sa2gd.n_a": ("setting", ["5"])}, methods=["sa2gd", "weighted_sum"], index={"sa2gd.n_a": [0, 0]},
            points={0: [[1.0, 2.0]], 1: [[2.0, 1.0]]},
            measures={"error": ("share", "minimise", {"test": [0.1, 0.2]})}))
        page = catalogue.FIGURES["fronts"](archive, Options())
        told = " ".join(page.panels[0].get_legend_handles_labels()[1])
        self.assertRegex(told, r"SA2GD, n_a = 5: .*weighted sum")
        table = catalogue.TABLES["table-measures"](archive, Options())
        self.assertEqual(list(table["method"])[0], "sa2gd, n_a = 5")
        self.assertIn("SA2GD, n\\_a = 5 & ", tables.latex(archive, table, "Errors"))
        self.assertEqual({row["method"].split(",")[0] for row in ranking_of(archive)}, {"SA2GD", "weighted sum"})

    def test_models_with_dates_for_names_are_told_apart(self) -> None:
        """All of a year were 2.024e+07."""
        names = ["20240101", "20240102", "1000000", "0.333333333", "-1234567"]
        archive = self.open(Sweep({"predictions.score": ("setting", names)}, ["measures"] * 5, {"predictions.score": list(range(5))},
                                  measures={"error": ("share", "minimise", {"test": [0.1] * 5})}))
        table = tables.measures_table(archive, Options())
        self.assertEqual(sorted(name.rpartition(" = ")[2] for name in table["method"]),
                         ["-1234567", "0.3333", "1e+06", "20240101", "20240102"])

    def test_a_table_of_one_s_own_goes_by_the_name_of_its_file(self) -> None:
        """Once every title was "csv"."""
        archive = self.open(sweep(data=("csv",)))
        for config, problem, text in (
                ({"data.data": "csv", "data.file": "/home/me/people.csv"}, (), "people.csv"),
                ({"data.data": "arff", "data.file": "people.arff"}, (("model.k", "3"),),
                 "people.arff, k = 3"),
                ({"data.data": "csv"}, (("data.file", "some/a.csv"),), "a.csv"),
                ({"data.file": "a.csv"}, (("data.data", "csv"),), "data = a.csv"),
                ({"data.file": "a.csv"}, (("data.data", "adult"),), "data = adult"),
                ({"data.data": "syn", "data.file": ""}, (), "csv")):
            with mock.patch.dict(archive.config, config):
                self.assertEqual(panel_text(archive, problem), text)


class Rates(Drawn):
    def test_the_slope_of_a_power_is_its_exponent(self) -> None:
        steps = np.unique(np.geomspace(10, 1000, 20).astype(int))
        slope, intercept = rates.fit_slope(steps, 3 / steps)
        self.assertAlmostEqual(slope, -1)
        self.assertAlmostEqual(intercept, np.log(3))
        archive = self.open(sweep(series={
            "gap": ("minimise", {i: (steps, (1 + i) / steps) for i in range(2, 6)}),
            "level": ("minimise", {i: (steps, np.full(len(steps), 2.0)) for i in range(2, 6)})}))
        page = rates.draw_rates(archive, Options())
        axes, = page.panels  # the level does not fall
        self.assertEqual(axes.lines[0].get_label(), "fair, slack = 0.1: slope -1.00 [-1.00, -1.00]")
        np.testing.assert_allclose(axes.lines[0].get_ydata(), 4 / steps)

    def test_along_gradients_lines_stand_at_what_they_drew_beside_the_rate_of_their_steps(self) -> None:
        steps = np.array([1, 10, 100])
        archive = self.open(sweep(
            axes={"split.split_seed": ("replicate", ["1", "2"]),
                  "fair.step_rule": ("setting", ["convex", "strongly_convex"])},
            index={"split.split_seed": [task[1] for task in TASKS],
                   "fair.step_rule": [task[2] for task in TASKS]},
            metrics={"gradients": ("", "none", [np.nan] * 2 + [500.0, 2000.0] * 2)},
            series={"gap": ("minimise", {i: (steps, 8 / steps) for i in range(2, 6)})}))
        axes, = rates.draw_rates_in_gradients(archive, Options()).panels
        convex, strong, *theory = axes.lines
        np.testing.assert_allclose(convex.get_xydata(), [[5, 8], [50, 0.8], [500, 0.08]])
        np.testing.assert_allclose(strong.get_xydata(), [[20, 8], [200, 0.8], [2000, 0.08]])
        self.assertEqual([line.get_label() for line in theory],
                         ["rate of the theory, t^(-1/2)", "rate of the theory, t⁻¹"])
        np.testing.assert_allclose(theory[0].get_xydata(), [[5, 8], [50, 8 / 10**0.5], [500, 0.8]])
        np.testing.assert_allclose(theory[1].get_xydata(), [[20, 8], [200, 0.8], [2000, 0.08]])
        with self.assertRaisesRegex(NothingToDraw, "does not count gradients"):
            rates.draw_rates_in_gradients(self.open(sweep()), Options())

    def test_a_line_with_a_bound_needs_no_rate_beside_it(self) -> None:
        steps = np.array([1, 10, 100])
        runs = {i: (steps, 8 / steps) for i in range(2, 6)}
        archive = self.open(sweep(series={"gap": ("minimise", runs), "bound": ("none", runs)}))
        with mock.patch.dict(archive.config, {"fair.step_rule": "convex"}):
            axes, = rates.draw_rates(archive, Options()).panels
            self.assertFalse([line for line in axes.lines if "theory" in str(line.get_label())])

    def test_the_band_holds_the_slope_of_the_mean(self) -> None:
        generator = np.random.default_rng(0)
        steps = np.geomspace(10, 1000, 20)
        runs = steps**-0.5 * generator.lognormal(0, 0.3, size=(30, 20))
        slope, low, high = rates.slope_band(steps, runs, generator)
        self.assertAlmostEqual(slope, rates.fit_slope(steps, runs.mean(axis=0))[0])
        self.assertTrue(low < slope < high)
        self.assertTrue(low < -0.5 < high)


class Measures(Drawn):
    def test_of_a_trade_off_the_compromise_of_the_deciding_part_is_shown(self) -> None:
        points = {**sweep().points, 3: [[9.0, 0.09]], 5: [[9.0, 0.09]]}  # the other end is near
        for chosen, own in (("0.1", points), ("0.5", {**points, 3: [[3.1, 0.01]],
                                                      5: [[3.1, 0.01]]})):
            archive = self.open(sweep(points=own))
            tasks = [task for task in archive.tasks if task.method == "fair"]
            (row, mine), = measures.places_of(archive, {("fair", ()): tasks}).items()
            self.assertEqual(row[1], (("fair.slack", chosen),))
            self.assertEqual(len(mine), 2)

    def test_whiskers_are_deviations_over_replicates(self) -> None:
        page = measures.draw_intervals(self.open(sweep()), Options(measures=("gap",)))
        axes, = page.panels
        np.testing.assert_allclose(axes.lines[0].get_xdata(), [0.6])
        ends = axes.collections[0].get_segments()[0][:, 0]
        np.testing.assert_allclose(ends, [0.6 - np.sqrt(0.02), 0.6 + np.sqrt(0.02)])

    def test_a_single_run_has_its_own_interval(self) -> None:
        archive = self.open(Sweep(axes={}, methods=["a"], index={}, measures={
            "gap": ("share", "minimise", {"train": [(0.2, 0.0, 0.5)], "test": [(0.3, 0.1, 0.4)]})}))
        page = measures.draw_intervals(archive, Options())
        np.testing.assert_allclose(page.panels[0].collections[0].get_segments()[0][:, 0],
                                   [0.1, 0.4])

    def test_a_measure_is_chosen_with_its_reported_part_or_another_one(self) -> None:
        archive = self.open(sweep())
        page = measures.draw_intervals(archive, Options(measures=("risk", "risk (train)", "gap", "gap (test)")))
        axes, = page.panels
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()],
                         ["risk\xa0↓", "gap\xa0↓", "risk (train)\xa0↓"])
        np.testing.assert_allclose(axes.lines[0].get_xdata(), [1.1, 0.6, 0.5])
        table = tables.measures_table(archive, Options(measures=("steps", "risk (train)")))
        self.assertEqual(list(dict.fromkeys(table["column"])), ["steps", "risk (train)"])
        self.assertIn(r"risk (train) [share] $\downarrow$", tables.latex(archive, table, "Any"))

    def test_a_measure_of_single_groups_alone_is_chosen_with_each(self) -> None:
        archive = self.open(Sweep(axes={}, methods=["a"], index={}, measures={"rate": ("share", "none", {
            ("train", "x < 0"): [0.1], ("test", "x < 0"): [0.2], ("test", "old_ones"): [(0.3, 0.2, 0.4)]})}))
        axes, = measures.draw_intervals(archive, Options(measures=("rate",))).panels
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()],
                         ["rate (group x < 0)", "rate (group old_ones)"])
        dots, hollow = axes.lines  # the interval of the second alone is known
        np.testing.assert_allclose(dots.get_xdata(), [np.nan, 0.3])
        np.testing.assert_allclose(hollow.get_xdata(), [0.2])
        self.assertEqual(hollow.get_markerfacecolor(), "none")
        np.testing.assert_allclose(axes.collections[0].get_segments()[0][:, 0], [0.2, 0.4])
        with self.assertRaisesRegex(NothingToDraw, "no measure that says what is better"):
            measures.draw_intervals(archive, Options())

    def test_every_unit_has_a_panel_of_its_own_and_objectives_come_first(self) -> None:
        """Once only measures of the most common unit were there: neither risk nor unfairness."""
        more = {**sweep().measures, "risk": ("target squared", "minimise", {"test": [1.0] * 6}),
                "ratio": ("ratio", "maximise", {"test": [0.5] * 6})}
        page = measures.draw_intervals(self.open(sweep(measures=more)), Options())
        self.assertEqual([axes.get_xlabel() for axes in page.panels],
                         ["value [target squared]", "value [share]", "value [ratio]"])
        self.assertEqual([[text.get_text() for text in axes.get_yticklabels()] for axes in page.panels],
                         [["risk\xa0↓"], ["gap\xa0↓", "spread\xa0↓", "good\xa0↑"], ["ratio\xa0↑"]])

    def test_a_measure_that_a_problem_has_not_takes_no_room_there(self) -> None:
        """Once there were empty rows, and an empty panel."""
        nan = float("nan")
        archive = self.open(Sweep(
            axes={"any.problem": ("problem", ["p", "q", "r"])}, methods=["a"] * 3,
            index={"any.problem": [0, 1, 2]},
            metrics={"distance": ("", "minimise", [0.1, 0.2, nan]), "gap": ("", "minimise", [0.3, nan, nan]),
                     "rate": ("share", "minimise", [nan, 0.5, nan])}))
        page = measures.draw_intervals(archive, Options())
        self.assertEqual([(axes.get_title(), [text.get_text() for text in axes.get_yticklabels()])
                          for axes in page.panels],
                         [("problem = p", ["distance\xa0↓", "gap\xa0↓"]),
                          ("problem = q", ["distance\xa0↓"]), ("problem = q", ["rate\xa0↓"])])

    def test_equal_values_have_no_deviation(self) -> None:
        """It was 5.6e-17."""
        self.assertEqual(measures.mean_and_deviation(np.full(3, 0.391)), (0.391, 0.0))
        self.assertEqual(measures.mean_and_deviation(np.array([1.0, 3.0])), (2.0, np.sqrt(2)))

    def test_an_option_of_two_methods_makes_one_problem_and_shared_ones_have_names_of_their_own(self) -> None:
        """Methods stood in panels of their own where they ask the same question."""
        archive = self.open(Sweep(
            axes={"a.fairness": ("problem", ["rate", "odds"]), "b.fairness": ("problem", ["bare", "rate"]),
                  "c.k": ("problem", ["1", "2"]), "d.k": ("problem", ["3"])},
            methods=["a", "a", "b", "b"], index={"a.fairness": [0, 1, -1, -1], "b.fairness": [-1, -1, 1, 0],
                                                 "c.k": [0] * 4, "d.k": [0] * 4},
            measures={"error": ("share", "minimise", {"test": [0.1, 0.2, 0.3, 0.4]})}))
        self.assertEqual({panel_text(archive, problem): [task.index for task in tasks]
                          for problem, tasks in split(archive, archive.tasks, "problem").items()},
                         {"fairness = rate, c.k = 1, d.k = 3": [0, 2], "fairness = odds, c.k = 1, d.k = 3": [1],
                          "fairness = bare, c.k = 1, d.k = 3": [3]})

    def test_names_stand_in_pictures_as_they_are(self) -> None:
        """Legends left out names that begin with "_", and dollars made mathematics of names, or a traceback."""
        names = ["_m", "$a_1$", "$\\frac$", "cost $5"]
        archive = self.open(Sweep(
            axes={"data.file": ("problem", ["_t.csv", "$x$.csv"]), "p.score": ("setting", names)}, methods=["p"] * 8,
            index={"data.file": [0, 1] * 4, "p.score": [0, 0, 1, 1, 2, 2, 3, 3]},
            points={i: [[1.0 + i, 9.0 - i]] for i in range(8)}, series={"loss": ("minimise", {i: ([1, 2], [2.0, 1.0]) for i in range(8)})},
            measures={"error": ("share", "minimise", {"test": [0.1] * 8, ("test", "_g"): [0.1] * 8, ("test", "$g$"): [0.2] * 8}),
                      "risk": ("share", "minimise", {"test": [0.1] * 8}), "brier": ("share", "minimise", {"test": [0.1] * 8})}))
        groups = Options(measures=("error (test, group $g$)", "risk", "brier"))
        for figure, options in [*((name, Options()) for name in ("fronts", "measures", "spider", "by-group", "trajectories")),
                                ("measures", groups), ("spider", groups)]:
            with self.subTest(figure):
                page = catalogue.FIGURES[figure](archive, options)
                page.pages()
                page.figure.canvas.draw()
                _, labels = page.panels[0].get_legend_handles_labels()
                shown = [text.get_text() for axes in page.panels for text in axes.get_xticklabels() + axes.get_yticklabels()]
                self.assertFalse([text for text in shown if "g$" in text and text.count("$") != text.count("\\$")])
                for name in names:
                    self.assertTrue(any(name in label.replace("\\$", "$") for label in labels), (name, labels))
                self.assertTrue(all(label.count("$") == label.count("\\$") for label in labels))

    def test_metrics_of_fronts_on_different_parts_have_panels_of_their_own(self) -> None:
        """They stood beside each other in one, though of different rows."""
        archive = self.open(of_two_parts())
        for draw in (measures.draw_intervals, measures.draw_spider):
            page = draw(archive, Options(measures=("least_error", "gap_of_least_error", "least_gap")))
            self.assertEqual([(axes.get_title(), [line.get_label() for line in axes.lines]) for axes in page.panels],
                             [("people, choose_on = validation", ["group thresholds"]), ("people, choose_on = train", ["drawn thresholds"])])

    def test_no_two_methods_have_the_same_mark(self) -> None:
        """Once the eighth method had the blue circle of the first."""
        names = [f"method_{k}" for k in range(measures.MOST_ROWS)]
        page = measures.draw_intervals(self.open(Sweep(axes={}, methods=names, index={}, measures={
            "gap": ("share", "minimise", {"test": [0.1 * k for k in range(len(names))]})})), Options())
        looks = {(line.get_color(), line.get_marker()) for line in page.panels[0].lines}
        self.assertEqual(len(looks), len(names))

    def test_a_spider_has_a_polygon_per_method_and_a_spoke_per_minimised_measure(self) -> None:
        page = measures.draw_spider(self.open(sweep()), Options())
        axes, = page.panels
        self.assertEqual([text.get_text().split("\n")[0] for text in axes.get_xticklabels()],
                         ["risk", "gap", "spread"])
        base, fair = (line.get_ydata() for line in axes.lines)
        # Means of risk and gap: 1.1 and 0.6; with slack = 0.1 (both slacks are as far) 4 and 0.2.
        np.testing.assert_allclose(base, [1.1 / 4, 1, 1, 1.1 / 4])  # closed
        np.testing.assert_allclose(fair, [1, 0.2 / 0.6, 1, 1])
        self.assertTrue(page.note.startswith("Means over replicates; a spoke"), page.note)
        self.assertNotIn("not known", page.note)

    def spider(self, values: dict[str, list[float]], role: str = "setting", models: tuple[str, ...] = ("good", "ne_$er")
               ) -> tuple[list[str], list[str], str]:
        """Spokes, models and the note of an audit of some models, or of some runs of one."""
        made = Sweep({"predictions.score": (role, list(models))}, ["measures"] * len(models),
                     {"predictions.score": list(range(len(models)))},
                     measures={name: ("share", "minimise", {"test": own}) for name, own in values.items()})
        page = measures.draw_spider(self.open(made), Options())
        axes, = page.panels
        return ([text.get_text().split("\n")[0] for text in axes.get_xticklabels()],
                [line.get_label() for line in axes.lines], page.note)

    def test_a_spider_says_which_spoke_a_model_lacks(self) -> None:
        """The model was left out without a word."""
        known = {name: [0.1, 0.2] for name in ("error", "gap", "loss")}
        for lacks in (np.nan, np.inf):
            spokes, models, note = self.spider({"precision": [0.5, lacks], **known})
            self.assertEqual((spokes, models), (["error", "gap", "loss"], ["good", r"ne_\$er"]))
            self.assertIn(r"Without a spoke, as it is not known or infinite: precision (of ne_\$er).", note)
            self.assertTrue(note.startswith("A spoke ends at"), note)
            self.assertNotIn("Left out", note)

    def test_a_spider_says_which_model_it_leaves_out(self) -> None:
        spokes, models, note = self.spider({name: [0.1, np.nan] for name in ("error", "gap", "loss", "cost")})
        self.assertEqual((len(spokes), models), (4, ["good"]))
        self.assertIn(r"Left out, as a spoke is not known or infinite: ne_\$er (error, gap, loss and 1 more).", note)
        self.assertNotIn("Without", note)
        spokes, models, note = self.spider({name: [0.1, np.nan, 0.2 if name != "gap" else np.nan] for name in ("error", "gap", "loss", "cost")},
                                           models=("good", "none", "some"))
        self.assertEqual((spokes, models), (["error", "loss", "cost"], ["good", "some"]), "what has no value at all takes no spoke away")
        self.assertIn("Left out, as a spoke is not known or infinite: none (", note)
        *_, note = self.spider({"error": [0.1, np.nan], "gap": [0.1, 0.2], "loss": [0.1, 0.2]}, "replicate")
        self.assertIn("Left out, as a spoke is not known or infinite: measures (1 of 2 tasks, error).", note)
        self.assertTrue(note.startswith("A spoke ends at"), note)


class Distributions(Drawn):
    def test_each_method_and_place_has_a_panel_with_a_line_per_group(self) -> None:
        page = distributions.draw_distributions(self.open(sweep()), Options())
        self.assertEqual([axes.get_title().replace("\n", " ") for axes in page.panels],
                         ["base", "fair, slack = 0.1", "fair, slack = 0.5"])
        first, second = page.panels[1].lines
        np.testing.assert_allclose(first.get_ydata(), [0.2, 0.3, 0.5])  # the reported part
        np.testing.assert_allclose(second.get_ydata(), [0.5, 0.3, 0.2])
        self.assertEqual(first.get_label(), "group 0")

    def test_groups_have_the_names_that_their_data_have(self) -> None:
        """Names were once read from sentences."""
        for groups, model, names in ((["x1 < 0", 'a, b; "c"'], "base data={}", ["x1 < 0", 'a, b; "c"']),
                                     ([[255, 97], "b"], "base data={}", ["\ufffda", "b"]),
                                     (["a", "b", "c"], "base data={}", ["group 0", "group 1"]),
                                     (["a", "b"], "", ["group 0", "group 1"])):
            archive = self.open(sweep(models=(model.format("d" * 64),) * len(TASKS)))
            with mock.patch.object(fairfront_archive.Archive, "fitted",
                                   lambda own: (["people"], [json.dumps({"groups": groups})], ["d" * 64])):
                page = distributions.draw_distributions(archive, Options())
            self.assertEqual([line.get_label() for line in page.panels[0].lines], names)

    def test_without_atoms_shares_are_of_equal_bins_of_probabilities(self) -> None:
        page = distributions.draw_distributions(self.open(Sweep(
            axes={}, methods=["net"], index={},
            solutions={"distribution": [[[0.25, 0.5, 0.25, 0.0], [0.0, 0.5, 0.5, 0.0]]]})), Options())
        first, second = page.panels[0].lines
        np.testing.assert_array_equal(first.get_xydata(), np.column_stack(
            [[0.125, 0.375, 0.625, 0.875], [0.25, 0.5, 0.25, 0.0]]))
        np.testing.assert_array_equal(second.get_ydata(), [0.0, 0.5, 0.5, 0.0])
        self.assertEqual(page.panels[0].get_xlabel(), "prediction [probability]")


if __name__ == "__main__":
    unittest.main()
