"""What is shown in figures and tables, and not ranked there."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import matplotlib.pyplot as plt
import numpy as np

import fairfront_archive
from fairfront_figures import audits, fronts, tables
from fairfront_figures.style import Options
from sample_archive import Sweep, of_two_parts


class Unranked(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(plt.close, "all")
        self.folder = pathlib.Path(folder.name)

    def open(self, sweep: Sweep) -> fairfront_archive.Archive:
        archive = fairfront_archive.Archive(sweep.write(self.folder / "any.h5"))
        self.addCleanup(archive.close)
        return archive

    def cheat(self) -> Sweep:
        """"b" learnt from the labels of the deciding part: best there, worse on the reported one."""
        count = 8
        return Sweep(
            axes={"seed": ("replicate", [str(i) for i in range(count)])},
            methods=["a"] * count + ["b"] * count, index={"seed": list(range(count)) * 2},
            points={i: [[2.0 + i / 100 - i // count, 0.2]] for i in range(2 * count)},
            reports={i: [[2.0 + i / 100 + i // count, 0.2]] for i in range(2 * count)},
            metrics={"deciding_labels_used": ("share", "none", [np.nan] * count + [1.0] * count)},
            measures={"constant_risk": ("", "none", {"unlabelled": [5.0] * 2 * count,
                                                     "test": [6.0] * 2 * count}),
                      "risk": ("", "minimise",
                               {"test": [2.0 + i / 100 + i // count for i in range(2 * count)]})})

    def test_who_learnt_from_the_deciding_labels_is_not_ranked_on_them(self) -> None:
        archive = self.open(self.cheat())
        table = tables.fronts_table(archive, Options()).set_index(["column", "method"])
        self.assertTrue(table.loc[("hypervolume", "a"), "ranked"])
        self.assertFalse(table.loc[("hypervolume", "b"), "ranked"])
        there = "hypervolume, reported part"
        np.testing.assert_allclose(table.loc[(there, "a"), "mean"],  # of the box up to (10, 10)
                                   np.mean([(8 - i / 100) * 9.8 for i in range(8)]))
        self.assertTrue(table.loc[(there, "a"), "best"])
        self.assertLess(table.loc[(there, "b"), "p"], 0.05)
        text = tables.latex(archive, table.reset_index(), "Fronts")
        self.assertIn("$^\\ddagger$: not ranked", text)

    def test_who_learnt_from_the_deciding_groups_is_not_ranked_on_them(self) -> None:
        made = self.cheat()
        made.metrics["deciding_groups_used"] = made.metrics.pop("deciding_labels_used")
        archive = self.open(made)
        table = tables.fronts_table(archive, Options()).set_index(["column", "method"])
        self.assertTrue(table.loc[("hypervolume", "a"), "ranked"])
        self.assertFalse(table.loc[("hypervolume", "b"), "ranked"])
        self.assertTrue(table.loc[("hypervolume, reported part", "b"), "ranked"])

    def test_fronts_that_were_decided_on_different_parts_are_not_ranked_together(self) -> None:
        archive = self.open(of_two_parts())
        table = tables.fronts_table(archive, Options())
        self.assertEqual({(line["problem"], line["method"]) for _, line in table.iterrows()},
                         {("people, choose_on = validation", "thresholds"), ("people, choose_on = train", "drawn_thresholds")})
        self.assertFalse(table["best"].any())

    def test_metrics_of_fronts_on_different_parts_are_not_ranked_together(self) -> None:
        """The one whose few rows fit better was bold, and the other one had a dagger."""
        apart = {("people, choose_on = validation", "thresholds"), ("people, choose_on = train", "drawn_thresholds")}
        archive = self.open(of_two_parts())
        for table_of in (tables.measures_table, audits.measures_table):
            table = table_of(archive, Options(measures=("least_error",)))
            self.assertEqual({(line["problem"], line["method"]) for _, line in table.iterrows()}, apart)
            self.assertFalse(table["best"].any())
            self.assertTrue(table["p"].isna().all())
        self.assertTrue(table["less_reference"].isna().all() and (table["shown"] == "").all())
        seconds = tables.seconds_table(archive, Options())
        self.assertEqual({(line["problem"], line["method"]) for _, line in seconds.iterrows()}, {*apart, ("people", "measures")})

    def test_metrics_over_replicates_are_ranked_within_one_part_alone(self) -> None:
        for parts, ranked in (("train, validation", False), ("train", True)):
            values = parts.split(", ")
            made = Sweep(axes={"seed": ("replicate", [str(i) for i in range(8)]), "fair.choose_on": ("setting", values),
                               "fair.level": ("setting", ["1", "2"])},
                         methods=["fair"] * 16, index={"seed": [*range(8)] * 2, "fair.level": [0] * 8 + [1] * 8,
                                                       "fair.choose_on": [0] * 8 + [len(values) - 1] * 8},
                         metrics={"least_error": ("share", "minimise", [0.2 + i / 100 for i in range(16)])})
            table = tables.measures_table(self.open(made), Options())
            self.assertEqual((bool(table["best"].any()), bool((table["p"] < 0.05).any())), (ranked, ranked))
            (self.folder / "any.h5").unlink()

    def test_what_is_not_ranked_is_neither_the_best_nor_tested(self) -> None:
        def row(method: str, least: float, *unranked: str) -> tables.Row:
            return tables.Row("people", method, "", {"risk": {(("seed", str(i)),): least + i / 100
                                                              for i in range(8)}},
                              frozenset(unranked))
        rows = [row("a", 2.0), row("b", 1.0, "risk"), row("c", 3.0)]
        found = tables.compared(fairfront_archive.Quantity("risk", "", "", "minimise", ""), rows)
        self.assertEqual([line["best"] for line in found], [True, False, False])
        np.testing.assert_array_equal([line["p"] for line in found], [np.nan, np.nan, 2 / 2**8])

    def test_the_constant_prediction_stands_in_tables_and_figures(self) -> None:
        archive = self.open(self.cheat())
        table = tables.measures_table(archive, Options())
        constant = table[table["method"] == "constant prediction"]
        self.assertEqual(list(constant["mean"]), [6.0])
        self.assertFalse(constant["best"].any())
        page = fronts.draw_fronts(archive, Options())
        self.assertEqual(len(page.panels), 2)
        for panel, end in zip(page.panels, ("risk 5", "risk 6, reported part")):  # others: below 4
            drawn, = [line for line in panel.lines if "constant prediction" in line.get_label()]
            self.assertEqual(drawn.get_label(), f"constant prediction, beyond the frame: {end}")
            self.assertIn(drawn.get_marker(), "v>")
            self.assertLess(panel.get_xlim()[1], 4)
        near = self.cheat()
        near.points = {i: [[2.0, 0.2], [4.0, 0.01]] for i in near.points}
        near.reports = {i: [[2.0, 0.2], [4.0, 0.01]] for i in near.points}
        near.measures["constant_risk"][2]["unlabelled"] = [4.1] * len(near.methods)
        (self.folder / "any.h5").unlink()
        axes = fronts.draw_fronts(self.open(near), Options()).panels[0]
        drawn, = [points for points in axes.collections
                  if points.get_label() == "constant prediction"]
        np.testing.assert_allclose(drawn.get_offsets(), [[4.1, 0.0]])
        self.assertLess(axes.get_ylim()[0], 0)

    def test_a_legend_says_who_learnt_from_deciding_labels(self) -> None:
        page = fronts.draw_fronts(self.open(self.cheat()), Options())
        labels = [line.get_label() for line in page.panels[0].lines]
        self.assertEqual(sum("not comparable here" in label for label in labels), 1)

    def test_a_constant_of_another_part_does_not_stand_beside_the_reported_risk(self) -> None:
        made = self.cheat()
        made.measures["constant_risk"][2].pop("test")
        table = tables.measures_table(self.open(made), Options())
        self.assertEqual(list(dict.fromkeys(table["method"])), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
