"""Measures of single groups: frames, figure, table."""

from __future__ import annotations

import csv
import math
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas

import browser
import bundle_readme
import fairfront_archive
import figures
from fairfront_archive import ArchiveError
from fairfront_figures import catalogue, group_tables, groups, measures, tabulars
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.short_names import short_names
from fairfront_figures.style import Options
from fairfront_figures.tabulars import PAGE_LINES
from fairfront_report import by_group
from page_tests import needs_browser, write_page
from sample_archive import Sweep

NAN = float("nan")
EVIL = 'a "b", c\n& <d> %'  # a group's name may hold anything
MEASURES = {
    "error": ("share", "minimise", {
        ("test", "all"): [[0.2, 0.1, 0.3], [0.3, 0.2, 0.4]],
        ("test", "women"): [[0.25, 0.2, 0.35], [0.5, 0.4, 0.6]],
        ("test", EVIL): [0.1, 0.2]}),
    "rows": ("rows", "none", {("test", "all"): [300, 300], ("test", "women"): [200, 200],
                              ("test", EVIL): [100, 100]}),
    "auc": ("probability", "maximise", {
        ("train", "all"): [0.9, 0.8], ("test", "all"): [0.7, 0.6], ("test", "women"): [0.8, 0.9],
        ("test", EVIL): [NAN, NAN]}),
    "error_gap": ("share", "minimise", {
        ("test", "all"): [[0.15, 0, 0.4], [0.3, 0.1, 0.5]], ("test", "women"): [0.15, 0.3],
        ("test", EVIL): [-0.15, -0.3]}),
    "worst_group_error": ("share", "minimise", {
        ("test", "all"): [0.25, 0.5], ("test", "women"): [0.25, 0.5]}),
}


class ByGroup(unittest.TestCase):
    role = "setting"
    measures = MEASURES

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = Sweep(axes={"predictions.score": (self.role, ["old", "new"])},
                          methods=["measures"] * 2, index={"predictions.score": [0, 1]},
                          experiment="predictions", measures=self.measures,
                          made_by=("error_gap", "worst_group_error")).write(self.folder / "audit.h5")
        self.archive = fairfront_archive.open(self.path)
        self.addCleanup(self.archive.close)
        self.addCleanup(plt.close, "all")


class Frames(ByGroup):
    def test_a_row_for_every_group_with_its_name_in_a_column(self) -> None:
        frame = self.archive.group_frame()
        self.assertEqual(list(frame["group"]), ["all", "women", EVIL] * 2)
        self.assertEqual(list(frame.columns), ["task", "method", "predictions.score", "part", "group", "rows",
                                               "error", "error_low", "error_high", "auc"])
        women = frame[(frame["group"] == "women") & (frame["task"] == 1)].iloc[0]
        self.assertEqual(list(women[["rows", "error", "error_low", "error_high", "auc"]]),
                         [200, 0.5, 0.4, 0.6, 0.9])
        evil = frame[frame["group"] == EVIL]
        self.assertTrue(evil["auc"].isna().all())  # not defined, or too few rows to say
        self.assertEqual(frame.attrs["units"]["error"], "share")
        self.assertNotIn("train", set(frame["part"]))  # no group is known there

    def test_a_gap_has_the_groups_that_make_it_in_columns(self) -> None:
        frame = self.archive.gap_frame()
        first = frame[(frame["task"] == 0) & (frame["measure"] == "error_gap")].iloc[0]
        self.assertEqual(list(first[["part", "value", "high", "group", "group_value", "other", "other_value"]]),
                         ["test", 0.15, 0.4, "women", 0.15, EVIL, -0.15])
        worst = frame[(frame["task"] == 1) & (frame["measure"] == "worst_group_error")].iloc[0]
        self.assertEqual((worst["group"], worst["group_value"], worst["other"]), ("women", 0.5, None))
        self.assertEqual(len(frame), 4)

    def test_parts_in_gaps_are_no_values_of_a_measure(self) -> None:
        frame = self.archive.measure_frame()
        self.assertEqual(set(frame[frame["measure"] == "error_gap"]["group"]), {"all"})
        self.assertEqual(set(frame[frame["measure"] == "error"]["group"]), {"all", "women", EVIL})
        self.assertIn("error (test, group women)", self.archive.numbers())
        self.assertNotIn("error_gap (test, group women)", self.archive.numbers())
        self.assertFalse(self.archive.measures()["error_gap"].of_each_group)

    def test_a_table_as_csv_reads_back_with_any_name(self) -> None:
        self.archive.group_frame().to_csv(self.folder / "frame.csv", index=False)
        with open(self.folder / "frame.csv", newline="", encoding="utf-8") as file:
            self.assertEqual({row["group"] for row in csv.DictReader(file)}, {"all", "women", EVIL})


class Bundle(ByGroup):
    def test_an_audit_has_its_measures_as_expected_numbers(self) -> None:
        with fairfront_archive.open(self.path) as archive:
            told = bundle_readme.measured_of(archive)
        self.assertIn("[measures], task 0: error (test) 0.2 [0.1, 0.3]", told)
        self.assertIn("[measures], task 0: worst_group_error (test) 0.25", told)
        self.assertFalse([text for text in told if "train" in text or "group " in text])


class WithoutGroups(ByGroup):
    measures = {"error": ("share", "minimise", {"test": [0.1, 0.2]})}

    def test_there_is_nothing_to_draw_and_frames_are_empty(self) -> None:
        self.assertEqual(len(self.archive.group_frame()), 0)
        self.assertEqual(len(self.archive.gap_frame()), 0)
        with self.assertRaisesRegex(NothingToDraw, "fairfront measure"):
            groups.draw_by_group(self.archive, Options())
        with self.assertRaises(NothingToDraw):
            group_tables.groups_table(self.archive, Options())


class OfClusterings(unittest.TestCase):
    def test_only_where_measure_adds_them_it_is_named(self) -> None:
        """`fairfront measure` was called for where it refuses the archive."""
        archive = mock.Mock(path="c.h5", experiment="clustering", measures=dict)
        with self.assertRaisesRegex(NothingToDraw, "^c.h5: has no measure of single groups, as no archive of clusterings has$"):
            groups.measures_of_groups(archive, Options())


class Figure(ByGroup):
    def test_each_measure_has_a_panel_with_a_row_for_each_group(self) -> None:
        page = groups.draw_by_group(self.archive, Options())
        self.assertEqual([axes.get_title() for axes in page.panels], ["error", "auc"])
        names = [label.get_text() for label in page.panels[0].get_yticklabels()]
        self.assertEqual(names, ["women (200)", 'a "b", c & <d> % (100)'])
        old = page.panels[0].get_legend_handles_labels()
        self.assertEqual(old[1], ["old", "new"])
        np.testing.assert_allclose(old[0][0].get_xdata(), [0.25, 0.1])
        whiskers = [tuple(segment[:, 0]) for lines in page.panels[0].collections
                    for segment in lines.get_segments()]
        self.assertEqual(whiskers, [(0.2, 0.35), (0.4, 0.6)])  # group EVIL has no interval

    def test_a_group_of_too_few_rows_has_a_cross(self) -> None:
        page = groups.draw_by_group(self.archive, Options(measures=("auc",)))
        crosses = [line for line in page.panels[0].lines if line.get_marker() == "x"]
        self.assertEqual([list(line.get_ydata()) for line in crosses], [[1]])
        without = groups.draw_by_group(self.archive, Options(measures=("error",)))
        self.assertFalse([line for line in without.panels[0].lines if line.get_marker() == "x"])

    def test_an_unknown_measure_or_a_gap_is_told(self) -> None:
        for name in ("eror", "error_gap"):
            with self.assertRaisesRegex(ArchiveError, "there are: error, auc"):
                groups.draw_by_group(self.archive, Options(measures=(name,)))

    def test_files_are_written_and_are_not_high(self) -> None:
        self.assertEqual(figures.main([str(self.path), "-o", str(self.folder), "--figure", "by-group",
                                       "--figure", "table-groups", "--format", "png"]), 0)
        image = plt.imread(self.folder / "audit-by-group.png")
        self.assertLess(image.shape[0], 3 * image.shape[1])


class LongNames(ByGroup):
    """Women and men of the longest names had the same text."""

    names = [f"{race} x {sex}" for race in ("American Indian or Alaska Native", "Native Hawaiian or Other Pacific Islander")
             for sex in ("Female", "Male")]
    measures = {"error": ("share", "minimise", {("test", group): [0.1, 0.2] for group in ["all", *names, "White x Male"]})}

    def test_lose_their_middle_in_the_figure(self) -> None:
        page = groups.draw_by_group(self.archive, Options())
        self.assertEqual([label.get_text() for label in page.panels[0].get_yticklabels()],
                         ["American Indian…ative x Female", "American Indian… Native x Male",
                          "Native Hawaiian…ander x Female", "Native Hawaiian…slander x Male", "White x Male"])

    def test_are_told_apart_wherever_they_differ(self) -> None:
        begins, ends = "A rather long name of a region in the ", " of the whole population and more"
        for names in (self.names, [f"{begins}{i}" for i in range(20)], [f"{i}{ends}" for i in range(20)],
                      [f"{begins}{i}{ends}" for i in range(20)], [f"{i}{begins}{ends}{i}" for i in range(20)],
                      [f"{begins}{i:02}{ends[:14]}" for i in range(20)], ["a b", "a  b", "a\nb"],
                      [f"{begins[:14]}…{ends[-15:]}", f"{begins}{ends}", f"1: {begins}{ends}"]):
            for longest in (12, 30):
                found = short_names(names, longest)
                self.assertEqual(len(set(found)), len(names), found)
                self.assertLessEqual(max(map(len, found)), longest, found)
        self.assertEqual(short_names(["two\nlines", "x" * 30], 30), ["two lines", "x" * 30])


class Replicates(ByGroup):
    role = "replicate"

    def test_have_means_and_deviations(self) -> None:
        page = groups.draw_by_group(self.archive, Options(measures=("error",)))
        marks = page.panels[0].get_legend_handles_labels()[0][0]
        np.testing.assert_allclose(marks.get_xdata(), [0.375, 0.15])
        table = group_tables.groups_table(self.archive, Options())
        women = table[(table["group"] == "women") & (table["column"] == "error")].iloc[0]
        self.assertEqual((women["replicates"], women["value"]), (2, 0.375))
        self.assertAlmostEqual(women["deviation"], np.std([0.25, 0.5], ddof=1))
        self.assertTrue(np.isnan(women["low"]))


class Table(ByGroup):
    def test_latex_has_intervals_and_escaped_names_and_says_what_is_unknown(self) -> None:
        table = catalogue.TABLES["table-groups"](self.archive, Options())
        text = catalogue.LATEX["table-groups"](self.archive, table, "Groups")
        self.assertIn(r"$0.250$ {\scriptsize $[0.200, 0.350]$}", text)
        self.assertIn(r"\& \textless{}d\textgreater{} \%", text)
        line = next(line for line in text.splitlines() if line.startswith("old & women"))
        self.assertTrue(line.endswith(r"\\"), line)
        self.assertIn("$200$", line)
        evil = next(line for line in text.splitlines() if r"\& \textless{}d" in line)
        self.assertIn(" -- ", evil)
        self.assertEqual(text.count(r"\begin{tabular}{llrrr}"), 1)

    def test_many_measures_go_on_in_further_tabulars(self) -> None:
        table = catalogue.TABLES["table-groups"](self.archive, Options())
        more = [table.assign(column=table["column"].where(table["column"] == "rows", f"m{i}"))
                for i in range(7)]
        text = group_tables.latex(self.archive, pandas.concat(more), "Groups")
        self.assertEqual(text.count(r"\toprule"), 3)


class ManyGroups(ByGroup):
    """The page of 54 lines lost the last ones, and where names were broken all of a second method."""

    names = [f"A rather long name of a region in the far north-west {i:02}" for i in range(24)]
    values = {("test", group): [0.1, 0.2] for group in ["all", *names]}
    measures = dict.fromkeys(("error", "miss", "loss", "share"), ("share", "minimise", values))

    def test_are_all_in_latex_in_tabulars_of_a_page_each(self) -> None:
        for whole, tabulars_of_measures in ((False, 1), (True, 2)):
            with self.subTest(whole=whole):
                text = group_tables.latex(self.archive, group_tables.groups_table(self.archive, Options()), "Groups", whole)
                pages = re.findall(r"\\begin.*?\\end\{tabular\}", text, re.DOTALL)
                for name in self.names:
                    self.assertEqual(text.count(f"far north-west {name[-2:]}"), 2 * tabulars_of_measures, name)
                heights = [len(re.findall(r"\\\\$", page, re.MULTILINE)) for page in pages]
                self.assertLessEqual(max(heights) + 2, PAGE_LINES)
                self.assertLess(max(heights) - min(heights), 4, heights)
                self.assertNotIn("further rows", text)
                self.assertEqual("further measures" in text, not whole)
                for page in pages:
                    self.assertIn("method & group & ", page)
                    body = page.partition(r"\midrule")[2].strip()
                    self.assertRegex(body, "^(old|new) & ", "a row is whole")

    def test_a_last_row_takes_no_page_with_a_single_one(self) -> None:
        rows = [[str(i), "$0.5$"] for i in range(60)]
        found, = tabulars.tabulars(["group", "error"], rows, 1, 3)
        self.assertEqual([len(page.rows) for page in found.in_pages()], [30, 30])
        self.assertEqual([row for page in found.in_pages() for row in page.rows], found.rows)
        few, = tabulars.tabulars(["group", "error"], rows[:PAGE_LINES - 3], 1, 3)
        self.assertEqual(few.in_pages(), [few])
        self.assertEqual(few.lines, PAGE_LINES)


class Place(ByGroup):
    role = "trade_off"

    def test_is_told_where_no_column_has_it(self) -> None:
        text = catalogue.LATEX["table-groups"](self.archive, catalogue.TABLES["table-groups"](self.archive, Options()), "Groups")
        self.assertIn("Method: measures. Place along the trade-off: score = old. Of several places", text)
        self.assertIn(r"\begin{tabular}{lrrr}", text)


class Page(ByGroup):
    def test_content_has_a_table_for_each_method(self) -> None:
        tables = by_group.by_group_of(self.archive)
        self.assertEqual([(one["method"], one["part"], one["task"]) for one in tables],
                         [("old", "test", 0), ("new", "test", 1)])
        self.assertEqual([one["name"] for one in tables[1]["measures"]], ["error", "auc"])
        self.assertEqual([(one["name"], one["rows"]) for one in tables[1]["groups"]],
                         [("all", 300), ("women", 200), (EVIL, 100)])
        self.assertEqual(tables[1]["groups"][1]["cells"], [[0.5, 0.4, 0.6], [0.9, None, None]])
        self.assertEqual(tables[1]["groups"][2]["cells"], [[0.2, None, None], None])
        self.assertEqual([(one["name"], one["group"], one["other"]) for one in tables[1]["gaps"]],
                         [("error gap", "women", EVIL), ("worst group error", "women", None)])

    @needs_browser
    def test_the_page_shows_groups_with_their_dots_and_who_makes_a_gap(self) -> None:
        page = self.folder / "page.html"
        write_page(page, [self.path])
        with browser.Browser() as window:
            window.open(page)
            lines = window.run("return [...document.querySelectorAll('#by-group tr')].map(row => "
                               "[...row.children].map(cell => cell.innerText.trim()))")
            self.assertEqual(lines[0], ["group", "rows", "error [share] ↓", "auc [probability] ↑"])
            self.assertEqual(lines[2], ["women", "200", "0.25 [0.2, 0.35]", "0.8"])
            self.assertEqual(lines[3][:2], [" ".join(EVIL.split()), "100"])
            self.assertIn("not defined, or too few rows to say", lines[3][3])
            dots = window.run("return [...document.querySelectorAll('#by-group circle')].length")
            self.assertEqual(dots, 5)
            window.run("const list = document.getElementById('by-group-method'); list.value = 1; "
                       "list.dispatchEvent(new Event('change'))")
            gaps = window.run("return document.getElementById('gaps').innerText")
            self.assertIn("error gap [share]\t0.3 [0.1, 0.5]\twomen\t", gaps)
            self.assertEqual(window.log(), [])


class FewRows(ByGroup):
    measures = {**MEASURES, "rows": ("rows", "none", {("test", "all"): [212, 230], ("test", "women"): [200, 200],
                                                      ("test", EVIL): [12, 30]})}
    note = "*: fewer than 30 rows, too few to say much of the group"

    def test_are_marked_in_the_figure(self) -> None:
        page = groups.draw_by_group(self.archive, Options())
        names = [label.get_text() for label in page.panels[0].get_yticklabels()]
        self.assertEqual(names, ["women (200)", 'a "b", c & <d> % *'])
        error = next(axes for axes in page.panels if axes.get_title().startswith("error"))
        self.assertEqual([(mark.get_text(), mark.xy[0]) for mark in error.texts], [("*", 0.1)])  # a dot without a whisker
        self.assertIn(self.note, page.note)

    def test_are_marked_in_tables(self) -> None:
        table = group_tables.groups_table(self.archive, Options())
        marked = table[table["few_rows"]]
        self.assertEqual(set(zip(marked["method"], marked["group"])), {("measures, score = old", EVIL)})
        text = group_tables.latex(self.archive, table, "Title")
        self.assertEqual(text.count(r" \%$^*$ & $12$"), 1, text)
        self.assertEqual(text.count("$^*$"), 2)  # the other one of a value that has no interval, where others have theirs
        self.assertEqual(text.count("$0.100$$^*$"), 1, text)
        self.assertIn(self.note, text)

    @needs_browser
    def test_are_marked_below_bars(self) -> None:
        page = self.folder / "page.html"
        write_page(page, [self.path])
        with browser.Browser() as window:
            window.open(page)
            axis = window.run("const axis = groupBarsOption().xAxis; return [axis.data, axis.name]")
            self.assertEqual([" ".join(name.split()) for name in axis[0]], ["all rows", "women", f'{" ".join(EVIL.split())} *'])
            self.assertIn("* fewer than 30 rows: too few to say much of the group", axis[1])
            cells = window.run("return [...document.querySelectorAll('#by-group tr')].map((line) => [...line.cells].map((cell) => cell.innerText.trim()))")
            self.assertEqual([line[2] for line in cells[1:]], ["0.2 [0.1, 0.3]", "0.25 [0.2, 0.35]", "0.1 *"])
            caption = window.run("return document.querySelector('#by-group caption').innerText")
            self.assertIn("* fewer than 30 rows", caption)


class Infinite(ByGroup):
    """A certain prediction that was wrong."""

    measures = {
        "log_loss": ("nat", "minimise", {
            ("test", "all"): [[math.inf, NAN, NAN], [0.5, 0.25, 0.75]], ("test", "women"): [math.inf, 0.5],
            ("test", EVIL): [0.25, 0.5]}),
        "error": MEASURES["error"],
        "log_loss_gap": ("nat", "minimise", {("test", "all"): [math.inf, 0.25]})}

    def test_is_said_in_tables_and_csv(self) -> None:
        for name in ("table-groups", "table-measures"):
            with self.subTest(name):
                table = catalogue.TABLES[name](self.archive, Options())
                column = table[table["column"].str.startswith("log_loss")]
                self.assertEqual(np.isinf(column["value" if name == "table-groups" else "mean"]).sum(), 2)
                text = catalogue.LATEX[name](self.archive, table, "Title")
                self.assertEqual(text.count(r"$\infty$ "), 2, text)
                self.assertIn(r"$\infty$: infinite, such as the log loss", text)

    def test_is_a_sign_at_the_edge_of_a_figure(self) -> None:
        for draw in (groups.draw_by_group, measures.draw_intervals):
            page = draw(self.archive, Options(measures=("log_loss",)))
            signs = [text for text in page.panels[0].texts if text.get_text() == measures.INFINITE]
            self.assertEqual(len(signs), 1)
            self.assertIn("∞ at an edge: infinite", page.note)
            self.assertTrue(np.isfinite(page.panels[0].get_xlim()).all())

    @needs_browser
    def test_is_said_on_the_page(self) -> None:
        page = self.folder / "page.html"
        write_page(page, [self.path])
        with browser.Browser() as window:
            window.open(page)
            texts = [window.run(f"return document.getElementById('{one}').innerText") for one in ("by-group", "audit")]
            self.assertEqual([text.count("∞ (infinite)") for text in texts], [2, 2])
            window.run("drawNow('group-bars')")
            name = window.run("return charts['group-bars'].getOption().xAxis[0].name")
            self.assertEqual(name, "infinite, without a bar: old, all rows; old, women")
            self.assertEqual(window.log(), [])


if __name__ == "__main__":
    unittest.main()
