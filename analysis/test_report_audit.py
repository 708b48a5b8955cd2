"""What the page says of audits: measures with intervals, bars by group, remarks folded by kind."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import fairfront_archive
from fairfront_figures import groups
from fairfront_figures.style import Options
from fairfront_report import audit as audits
from fairfront_report import content, remarks
from page_tests import PageTest
from sample_archive import Sweep

MESSAGES = ("undefined: no row decided 1 in group 'age: 40': precision (test); no interval of a 2-Wasserstein distance: w (test)",
            "undefined: no row decided 1 in group 'women': precision (test)", "no centre left", "lost 12 rows of 'people </p>'",
            "lost 3 rows of 'houses'")


def audit(path: pathlib.Path) -> pathlib.Path:
    """Two scores against a reference, of which one is worse by a paired interval, measured of two groups; messages."""
    own = Sweep(
        axes={"predictions.score": ("setting", ["old", "new", "other", "fourth", "fifth"])}, methods=["measures"] * 5,
        index={"predictions.score": list(range(5))}, experiment="predictions", status=[1, 1, 2, 1, 1], messages=MESSAGES,
        config=(("predictions", "reference", "old"),),
        measures={
            "error": ("share", "minimise", {
                "test": [(0.25, 0.2, 0.3), (0.5, 0.4, 0.6), (0.75, 0.7, 0.8), 0.25, 0.25],
                ("test", "women"): [(0.25, 0.1, 0.4), (0.5, 0.25, 0.75), 0.5, 0.5, 0.5],
                ("test", "<b>men"): [0.25, 0.5, 0.75, 0.5, 0.5]}),
            "error_less_reference": ("share", "none", {"test": [(0.0, 0.0, 0.0), (0.25, 0.125, 0.375), (0.5, 0.4, 0.6), 0.0, 0.0]}),
            "auc": ("", "maximise", {"test": [0.75, (0.5, 0.25, 0.75), 0.5, 0.5, 0.5]})})
    return own.write(path)


class Content(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = audit(pathlib.Path(folder.name) / "audit.h5")

    def test_every_measure_has_a_cell_for_each_model(self) -> None:
        with fairfront_archive.open(self.path, program=False) as archive:
            (found,) = audits.audit_of(archive, content.places_of(archive))
        self.assertEqual(found["models"], ["old", "new", "fourth", "fifth"])  # the third one has failed
        error, auc = found["measures"]
        self.assertEqual((error["name"], error["unit"], error["direction"]), ("error", "share", "minimise"))
        self.assertEqual([(cell["value"], cell["low"], cell["high"], cell["shown"]) for cell in error["cells"][:2]],
                         [(0.25, 0.2, 0.3, ""), (0.5, 0.4, 0.6, "worse")])
        self.assertIsNone(auc["cells"][0]["low"])
        self.assertIn("better than old by a paired interval", found["note"])

    def test_messages_are_folded_by_what_they_are_about(self) -> None:
        with fairfront_archive.open(self.path, program=False) as archive:
            found = remarks.remarks_of(archive)
        self.assertEqual([(one["status"], one["kind"], one["tasks"]) for one in found], [
            ("failed", "no centre left", 1), ("done", "undefined: no row decided … in group …", 2),
            ("done", "lost … rows of …", 2), ("done", "undefined: no interval of a 2-Wasserstein distance", 1)])
        self.assertEqual(found[1]["lines"][1], "task 1 of [measures]: undefined: no row decided 1 in group 'women': precision (test)")


class Audit(PageTest):
    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        return [audit(folder / "audit.h5")]

    def rows(self) -> list[list[str]]:
        return self.window.run("return [...document.getElementById('audit').tBodies[0].rows].filter((row) => !row.hidden).map((row) => "
                               "[...row.cells].map((cell) => cell.innerText.trim().replaceAll('\\n', ' ')))")

    def test_the_table_has_measures_and_intervals_and_can_be_searched_and_sorted(self) -> None:
        error, auc = self.rows()
        self.assertEqual(error[:3], ["error [share] ↓", "0.25 [0.2, 0.3]", "0.5 [0.4, 0.6] † less old: 0.25 [0.125, 0.375]"])
        self.assertEqual(auc[1:3], ["0.75", "0.5 [0.25, 0.75]"])
        self.assertEqual(self.window.run("return document.querySelectorAll('#audit circle').length"), 8)
        self.window.run("[...document.querySelectorAll('#audit th button')][2].click()")
        self.window.run("const one = document.getElementById('audit-find'); one.value = 'AUC'; one.dispatchEvent(new Event('input'))")
        self.assertEqual([row[0] for row in self.rows()], ["auc ↑"])
        self.assertEqual(self.window.run("return document.getElementById('audit-shown').innerText"), "1 of 2 measures")

    def test_values_of_models_that_differ_do_not_read_alike(self) -> None:
        cells = self.window.run(
            "const cells = [...arguments].map((value) => ({value, low: 0.1, high: 0.2})); const found = {models: ['a', 'b'], replicates: 1, reference: '', "
            "measures: [{name: 'error', unit: '', direction: 'minimise', definition: '', cells}]}; "
            "return [...auditTable(found).at(-1).cells].slice(1).map((cell) => cell.textContent)", 0.1234123, 0.1234567)
        self.assertEqual(cells, ["0.1234 [0.1, 0.2]", "0.1235 [0.1, 0.2]"])
        self.assertEqual(self.window.run("return [[0.5, 0.25], [1.2345671, 1.2345672, null], [1, 1 + 1e-12], [NaN, 2]].map((values) => digitsApart(values, 4))"),
                         [4, 8, 4, 4])

    def test_a_bar_for_each_group_and_method_has_its_whisker(self) -> None:
        self.window.run("drawNow('group-bars')")
        names, bars, whiskers = self.window.run(
            "const made = charts['group-bars'].getOption(); return [made.xAxis[0].data, made.series.filter((one) => one.type === 'bar')"
            ".map((one) => [one.name, one.data]), made.series.filter((one) => one.type === 'custom').map((one) => one.data)]")
        self.assertEqual(names, ["all rows", "women", "<b>men"])
        self.assertEqual(bars[1], ["new", [0.5, 0.5, 0.5]])
        self.assertEqual(whiskers[1], [[0, 0.5, 0.4, 0.6], [1, 0.5, 0.25, 0.75]])

    def test_remarks_are_folded_and_failures_are_open(self) -> None:
        found = self.window.run("return [...document.querySelectorAll('#warnings details')].map((one) => [one.open, one.querySelector('summary')"
                                ".innerText, one.querySelectorAll('p').length])")
        self.assertEqual(found[:3], [[True, "1 task failed: no centre left", 1],
                                     [False, "2 tasks have a remark: undefined: no row decided … in group …", 2],
                                     [False, "2 tasks have a remark: lost … rows of …", 2]])
        self.window.run("document.querySelectorAll('#warnings details')[2].open = true")
        self.assertIn("lost 12 rows of 'people </p>'", self.window.run("return document.getElementById('warnings').innerText"))


class LongRemarks(unittest.TestCase):
    def test_a_long_message_is_cut_and_says_so(self) -> None:
        self.assertEqual(remarks.shortened("a" * 400), "a" * 400)
        self.assertEqual(remarks.shortened("a" * 402), "a" * 400 + " … (2 more letters: the archive's table of tasks has them)")


class NamesOfBars(PageTest):
    NAMES = ["two\nlines", *(f"people of region {i}" for i in range(13))]

    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        own = Sweep(axes={}, methods=["measures"], index={}, experiment="predictions", measures={
            "error": ("share", "minimise", {"test": [0.25], **{("test", name): [0.5] for name in cls.NAMES}})})
        return [own.write(folder / "audit.h5")]

    def test_below_every_bar_stands_the_name_of_its_group_in_one_line(self) -> None:
        self.window.run("drawNow('group-bars')")
        shown = self.window.run("return charts['group-bars'].getZr().storage.getDisplayList().map((one) => one.style.text)")
        for name in ["all rows", *self.NAMES]:
            self.assertIn(name.replace("\n", " "), shown)


class AlikeNamesOfBars(PageTest):
    """Of names that read alike the page gave the first group the number 2, as its first bar is all rows; the figure 1."""

    NAMES = ["a", "a ", "a\tb", *(f"{'people of ' * 6}{i}{' of the country' * 6}" for i in range(3))]

    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        own = Sweep(axes={}, methods=["measures"], index={}, experiment="predictions", measures={
            "error": ("share", "minimise", {"test": [0.25], **{("test", name): [0.5] for name in cls.NAMES}})})
        cls.archive = own.write(folder / "audit.h5")
        return [cls.archive]

    def test_have_the_numbers_of_the_figure(self) -> None:
        self.window.run("drawNow('group-bars')")
        shown = self.window.run("return charts['group-bars'].getZr().storage.getDisplayList().map((one) => one.style.text ?? '')")
        page = groups.draw_by_group(fairfront_archive.open(self.archive), Options())
        drawn = [label.get_text() for label in page.panels[0].get_yticklabels()]
        self.assertEqual([text[:3] for text in drawn], [f"{i}: " for i in range(1, 7)])
        self.assertEqual([text for text in shown if ": a" in text], ["1: a", "2: a", "3: a b"])
        for i in range(4, 7):
            [text] = [text for text in shown if text.startswith(f"{i}: ")]
            self.assertTrue(text.startswith(f"{i}: peop") and text.endswith("ry"), text)


class LongNamesOfBars(PageTest):
    """Women and men of the longest names had the same text."""

    NAMES = [f"{race} x {sex}" for race in ("American Indian or Alaska Native", "Native Hawaiian or Other Pacific Islander", "W" * 60)
             for sex in ("Female", "Male")]

    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        rows = {("test", name): [200 - 100 * i] for i, name in enumerate(cls.NAMES[:3])}  # 0 of the third one
        own = Sweep(axes={}, methods=["measures"], index={}, experiment="predictions", measures={
            "error": ("share", "minimise", {"test": [0.25], **{("test", name): [0.5] for name in cls.NAMES}}),
            "rows": ("rows", "none", rows)})
        return [own.write(folder / "audit.h5")]

    def test_lose_their_middle_and_have_room_below(self) -> None:
        self.window.run("drawNow('group-bars')")
        shown = self.window.run("return charts['group-bars'].getZr().storage.getDisplayList().map((one) => one.style.text ?? '')")
        names = [text for text in shown if "…" in text]
        self.assertEqual(len(set(names)), 6, names)
        for name, text in zip(self.NAMES, names):
            mark = " *" if name == self.NAMES[2] else ""
            first, _, last = text.removesuffix(mark).partition("…")
            self.assertTrue(text.endswith(mark) and name.startswith(first) and name.endswith(last), text)
        self.assertTrue(names[0].endswith(" Female"), names)
        outside = ("const chart = charts['group-bars']; return chart.getZr().storage.getDisplayList().filter((one) => one.style.text?.includes('…'))"
                   ".filter((one) => { const box = one.getBoundingRect().clone(); box.applyTransform(one.getComputedTransform());"
                   " return box.y + box.height > chart.getHeight() || box.height > 151; }).map((one) => one.style.text)")
        self.assertEqual(self.window.run(outside), [])


if __name__ == "__main__":
    unittest.main()
