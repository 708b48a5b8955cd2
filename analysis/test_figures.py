"""The other figures, tables, and what files say about themselves."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock
import zlib

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import fairfront_archive
import figures
import sample_archive
from fairfront_figures import (catalogue, distributions, layout, measures, rates, tables,
                               trajectories)
from fairfront_figures.arrange import NothingToDraw, panel_text
from fairfront_figures.pages import save
from fairfront_figures.style import COLOURS, Options
from sample_archive import Sweep

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
        self.assertEqual(bounds, {0.01: lines["alm, delta = 0.01 (1)"],
                                  0.1: lines["alm, delta = 0.1 (1)"]})
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
        np.testing.assert_allclose(axes.lines[0].get_xdata(), [0.2, 0.3])
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


class Distributions(Drawn):
    def test_each_method_and_place_has_a_panel_with_a_line_per_group(self) -> None:
        page = distributions.draw_distributions(self.open(sweep()), Options())
        self.assertEqual([axes.get_title().replace("\n", " ") for axes in page.panels],
                         ["base", "fair, slack = 0.1", "fair, slack = 0.5"])
        first, second = page.panels[1].lines
        np.testing.assert_allclose(first.get_ydata(), [0.2, 0.3, 0.5])  # the reported part
        np.testing.assert_allclose(second.get_ydata(), [0.5, 0.3, 0.2])
        self.assertEqual(first.get_label(), "group 0")

    def test_groups_have_the_names_that_the_recipe_says(self) -> None:
        named = "rows in file order; groups 0 .. 1: x1 < 0, 0 <= x1; more"
        for recipes, names in (((named, named), ["x1 < 0", "0 <= x1"]),
                               ((named, "groups 0 .. 1: a, b"), ["group 0", "group 1"]),
                               (("groups 0 .. 1: a, b, c",), ["group 0", "group 1"])):
            page = distributions.draw_distributions(
                self.open(sweep(data=("people",) * len(recipes), recipes=recipes)), Options())
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


class Tables(Drawn):
    def test_each_problem_has_its_rows_and_seconds_of_a_front_add_up(self) -> None:
        """Problems were once counted together."""
        archive = self.open(Sweep(
            axes={"any.problem": ("problem", ["p", "q"]), "a.weight": ("trade_off", ["0", "1"])},
            methods=["a"] * 4, index={"any.problem": [0, 0, 1, 1], "a.weight": [0, 1, 0, 1]},
            points={0: [[1.0, 2.0]], 1: [[2.0, 1.0]], 2: [[1.0, 1.0]], 3: [[2.0, 2.0]]}))
        table = tables.fronts_table(archive, Options()).set_index(["problem", "column"])["mean"]
        self.assertEqual(table["problem = p", "solutions"], 2)
        self.assertEqual(table["problem = q", "solutions"], 1)  # one is dominated
        self.assertAlmostEqual(table["problem = p", "seconds"], 0.3)
        self.assertAlmostEqual(table["problem = q", "seconds per solution"], 0.7)

    def test_measures_have_means_deviations_and_the_best(self) -> None:
        table = tables.measures_table(self.open(sweep()), Options())
        risk = table[table["column"] == "risk (test)"]
        self.assertEqual(list(risk["place"]), ["", "slack = 0.1", "slack = 0.5"])
        np.testing.assert_allclose(risk["mean"], [1.1, 4.0, 1.6])
        np.testing.assert_allclose(risk["deviation"], [np.sqrt(0.02), np.sqrt(2), np.sqrt(0.02)])
        self.assertEqual(list(risk["best"]), [True, False, False])
        np.testing.assert_array_equal(risk["p"], [np.nan, 1.0, 1.0])  # two pairs: 1/2, twice
        good = table[table["column"] == "good (test)"]
        self.assertEqual(list(good["best"]), [True, False, False])  # maximised

    def test_nothing_is_the_best_where_nothing_is_compared(self) -> None:
        """A row alone, and rows that are all the same."""
        archive = self.open(Sweep(
            axes={"any.problem": ("problem", ["p", "q"])}, methods=["a", "a", "b"],
            index={"any.problem": [0, 1, 1]},
            measures={"error": ("share", "minimise", {"test": [0.1, 0.2, 0.2]})}))
        table = tables.measures_table(archive, Options())
        self.assertEqual(list(table["best"]), [False] * 3)
        self.assertNotIn(r"\mathbf", tables.latex(archive, table, "Errors"))

    def test_a_difference_in_every_one_of_many_replicates_is_found(self) -> None:
        count = 8
        values = [i / 10 for i in range(count)] + [i / 10 + 0.01 for i in range(count)]
        archive = self.open(Sweep(
            axes={"seed": ("replicate", [str(i) for i in range(count)])},
            methods=["a"] * count + ["b"] * count, index={"seed": list(range(count)) * 2},
            measures={"error": ("share", "minimise", {"test": values})}))
        table = tables.measures_table(archive, Options())
        self.assertEqual(table["p"][1], 2 / 2**count)
        text = tables.latex(archive, table, "Errors")
        self.assertIn(r"b & $0.36 \pm 0.24$$^\dagger$ \\", text)
        self.assertIn(r"a & $\mathbf{0.35 \pm 0.24}$ \\", text)
        self.assertIn(r"error [share] $\downarrow$", text)
        self.assertIn(f"sha256:{archive.digest}", text)
        self.assertEqual(tables.text(table).splitlines()[1].split(),
                         ["people", "a", "0.35", "±", "0.24*"])

    def test_names_of_people_do_not_become_commands_of_latex(self) -> None:
        self.assertEqual(tables.latex_escape("a_b & 5 % {x}"), r"a\_b \& 5 \% \{x\}")


class Files(Drawn):
    def digest(self) -> str:
        with fairfront_archive.open(self.folder / "any.h5") as archive:
            return archive.digest

    def run_main(self, *arguments: str) -> tuple[int, str, str]:
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = figures.main([str(self.folder / "any.h5"), "-o", str(self.folder / "out"),
                                 *arguments])
        return code, out.getvalue(), error.getvalue()

    def test_everything_that_can_be_drawn_is(self) -> None:
        sweep().write(self.folder / "any.h5")
        code, out, error = self.run_main("--format", "png")
        self.assertEqual(code, 0)
        self.assertEqual(error.count("no rates"), 0)
        of_clusterings = {"clusterings", "groups"}  # see test_clusterings.py
        for name in catalogue.FIGURES.keys() - of_clusterings:
            self.assertTrue((self.folder / f"out/any-{name}.png").is_file(), name)
            self.assertIn(f"any-{name}.png", out)
        for name in of_clusterings:
            self.assertIn(f"no {name}: {self.folder / 'any.h5'}: its front points are no clusterings", error)
        for name in catalogue.TABLES:
            with (self.folder / f"out/any-{name}.csv").open(newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({row["archive_digest"] for row in rows}, {self.digest()})
            self.assertIn(r"\toprule", (self.folder / f"out/any-{name}.tex").read_text())

    def test_pictures_are_wide_enough_and_not_blank_and_name_their_archive(self) -> None:
        sweep().write(self.folder / "any.h5")
        self.run_main("--figure", "fronts", "--format", "png", "--width", "85")
        picture = Image.open(self.folder / "out/any-fronts.png")
        self.assertAlmostEqual(picture.size[0], 85 / 25.4 * 300, delta=2)
        self.assertGreater(np.asarray(picture)[..., :3].std(), 10)
        self.assertEqual(picture.text["Source"], f"sha256:{self.digest()}")
        self.assertIn("6 of 6 tasks done", picture.text["Description"])
        self.assertIn("fairfront", picture.text["Software"])

    def test_pdf_has_true_type_fonts_and_the_digest_and_no_date(self) -> None:
        sweep().write(self.folder / "any.h5")
        self.run_main("--figure", "fronts", "--format", "pdf")
        first = (self.folder / "out/any-fronts.pdf").read_bytes()
        streams = b"".join(inflated(part) for part in
                           re.findall(rb"stream\r?\n(.*?)endstream", first, re.S))
        everything = first + streams
        self.assertNotIn(b"/Type3", everything)
        self.assertIn(b"/CIDFontType2", everything)
        self.assertIn(b"/Keywords (sha256:" + self.digest().encode(), first)
        self.assertNotIn(b"CreationDate", first)
        self.run_main("--figure", "fronts", "--format", "pdf")
        self.assertEqual((self.folder / "out/any-fronts.pdf").read_bytes(), first)

    def test_svg_has_text_as_text_and_the_digest(self) -> None:
        sweep().write(self.folder / "any.h5")
        self.run_main("--figure", "fronts", "--format", "svg")
        text = (self.folder / "out/any-fronts.svg").read_text()
        self.assertIn(f"sha256:{self.digest()}", text)
        self.assertRegex(text, r"<text[^>]*>risk \[target")

    def test_pages_of_an_earlier_drawing_go(self) -> None:
        """Once the last page of a longer drawing stayed beside the new ones."""
        sweep().write(self.folder / "any.h5")
        out = self.folder / "out"
        out.mkdir()
        with fairfront_archive.open(self.folder / "any.h5") as archive:
            target = out / "any-fronts"
            formats = [target.with_suffix(f".{one}") for one in ("png", "pdf", "svg")]
            def pages(count: int) -> mock._patch:
                return mock.patch.object(layout.Sheet, "pages", lambda sheet: [sheet.panels] * count)
            other = out / "any-fronts-4.png"
            other.write_bytes(b"somebody's own picture (4 of 4)")
            for count in (3, 2, 1, 2):
                with pages(count):
                    written = save(catalogue.FIGURES["fronts"](archive, Options()), archive,
                                   "Fronts", *formats)
                self.assertEqual(sorted(out.iterdir()), sorted([*written, other]), count)

    def test_a_partial_archive_is_marked_as_such(self) -> None:
        sweep(status=[1, 1, 1, 1, 1, 0]).write(self.folder / "any.h5")
        code, _, error = self.run_main("--figure", "fronts", "--format", "png,svg")
        self.assertEqual(code, 0)
        self.assertIn("PARTIAL, 5 of 6 tasks done, 1 missing", error)
        self.assertIn("PARTIAL: 5 of 6 tasks done, 1 missing",
                      (self.folder / "out/any-fronts.svg").read_text())
        self.assertTrue(Image.open(self.folder / "out/any-fronts.png").text["Title"]
                        .startswith("PARTIAL"))

    def test_a_paper_s_figure_of_another_experiment_is_refused_in_one_line(self) -> None:
        """Once a traceback."""
        sample_archive.write(self.folder / "any.h5")
        code, out, error = self.run_main("--figure", "alternating-figure-1")
        self.assertEqual((code, out, error.count("\n")), (2, "", 1))
        self.assertIn("is of experiment 'clustering'; alternating-figure-1 is of 'alternating'",
                      error)
        self.assertFalse((self.folder / "out").exists())

    def test_what_a_paper_shows_is_chosen(self) -> None:
        sweep(series={name: ("minimise", {2: ([1, 2], [2.0, 1.0])}) for name in
                      ("risk", "kolmogorov_smirnov_to_all", "norm")}).write(self.folder / "any.h5")
        with fairfront_archive.open(self.folder / "any.h5") as archive:
            kind, title, options = catalogue.resolve(archive, "regression-figure-1", Options())
            page = catalogue.FIGURES[kind](archive, options)
        self.assertEqual(len(page.panels), 2)
        self.assertIn("Figure", title)
        for name, published in catalogue.PAPERS.items():
            self.assertIn(published.kind, {**catalogue.FIGURES, **catalogue.TABLES}, name)

    def test_a_paper_s_measures_are_of_the_part_that_it_shows(self) -> None:
        given = {name: ("share", "minimise", {"train": [0.1], "test": [0.2]})
                 for name in catalogue.GROUP_MEASURES[:3]}
        archive = self.open(Sweep(experiment="training", axes={}, methods=["sgd"], index={}, measures=given))
        for name, level, label in (("training-figure-4a", 0.1, "error (train)"),
                                   ("training-figure-4b", 0.2, "error")):
            kind, _, options = catalogue.resolve(archive, name, Options())
            axes, = catalogue.FIGURES[kind](archive, options).panels
            told = [text.get_text().split("\n") for text in axes.get_xticklabels()]
            self.assertEqual([lines[-1] for lines in told], [f"{level:g}"] * 3)
            self.assertEqual(told[2][:-1], [label])
        kind, _, options = catalogue.resolve(archive, "training-table-3", Options())
        table = catalogue.TABLES[kind](archive, options)
        self.assertEqual(list(table["mean"]), [0.1] * 3 + [0.2] * 3)

    def test_a_name_that_the_archive_does_not_have_lists_the_others(self) -> None:
        sweep().write(self.folder / "any.h5")
        for arguments, reason in ((["--figure", "spider", "--measure", "height"],
                                   "no measure or metric 'height'; there are: risk, gap, "),
                                  (["--figure", "measures", "--measure", "risk_test"],
                                   "no measure or metric 'risk_test'; near are: risk (test), risk"),
                                  (["--figure", "rates", "--series", "x"],
                                   "no series 'x'; there are: risk")):
            code, _, error = self.run_main(*arguments)
            self.assertEqual((code, error.count("\n")), (2, 1))
            self.assertIn(reason, error)

    def test_the_program_knows_no_option_by_name(self) -> None:
        """Roles tell what axes do: no file names a section's option."""
        for file in pathlib.Path(catalogue.__file__).parent.glob("*.py"):
            for option in ("epsilon", "kappa", "n_a", "split_seed", "clusters", "mu_max"):
                self.assertNotRegex(file.read_text(), rf"\b{option}\b", file.name)

    def test_colours_are_told_apart_in_grey_or_by_dashes(self) -> None:
        self.assertEqual(len(set(COLOURS)), 7)

    def test_it_runs_as_a_program(self) -> None:
        ran = subprocess.run([sys.executable, figures.__file__, "--list"], capture_output=True,
                             text=True, check=True)
        self.assertIn("training-table-3", ran.stdout)


def inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


if __name__ == "__main__":
    unittest.main()
