"""Tables, and what files of figures and tables say about themselves."""

from __future__ import annotations

import contextlib
import csv
import io
import pathlib
import re
import subprocess
import sys
import unittest
import warnings
import zlib
from unittest import mock

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from PIL import Image

import fairfront_archive
import figures
import sample_archive
from fairfront_figures import catalogue, layout, tables, tabulars, together
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.pages import save
from fairfront_figures.style import COLOURS, Options
from sample_archive import Sweep, of_two_parts
from test_figures import Drawn, sweep


class Fonts(Drawn):
    def test_letters_that_no_font_has_are_told_in_one_line(self) -> None:
        path = Sweep(axes={"any.problem": ("problem", ["\u1E9E a", "\U00013080 b"])}, methods=["a", "a"],
                     index={"any.problem": [0, 1]}, points={0: [[1.0, 2.0]], 1: [[2.0, 2.0]]}).write(self.folder / "any.h5")
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()), \
                warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            self.assertEqual(figures.main(["-o", str(self.folder / "out"), "--format", "png,svg,pdf", "--figure", "fronts", str(path)]), 0)
        self.assertEqual([str(one.message) for one in raised], [])
        self.assertEqual(said.getvalue(), f"{self.folder / 'out' / 'any-fronts'}: no font of this machine has these letters, which are "
                                          "empty boxes in PNG and PDF: \U00013080; a package such as fonts-noto-cjk has them\n")


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

    def test_seconds_of_one_run_each_have_no_best(self) -> None:
        """Once 0.1 s of a run was bold beside 0.2 s of another."""
        for count, best in ((1, [False, False]), (2, [True, False])):
            (self.folder / "any.h5").unlink(missing_ok=True)
            archive = self.open(Sweep(axes={"seed": ("replicate", ["1", "2"])}, methods=["a"] * count + ["b"] * count,
                                      index={"seed": [*range(count)] * 2}))
            self.assertEqual(list(tables.seconds_table(archive, Options())["best"]), best)

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

    def test_tabulars_fit_the_width_of_a_page(self) -> None:
        """Once six measures with long names took 700 to 1,160 points of 495."""
        names = [f"negative predictive value of kind {i}" for i in range(9)]
        archive = self.open(Sweep(
            axes={"seed": ("replicate", ["1", "2"]), "a.rule_of_the_steps": ("setting", ["train_and_unlabelled"])},
            methods=["a"] * 2 + ["post_processing_of_scores"] * 2,
            index={"seed": [0, 1] * 2, "a.rule_of_the_steps": [0, 0, -1, -1]},
            measures={name: ("share", "minimise", {"test": [0.1234, 0.2, 0.3, 0.4567]}) for name in names}))
        text = tables.latex(archive, tables.measures_table(archive, Options()), "Errors")
        blocks = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.S)
        self.assertGreater(len(blocks), 1)
        shown = 0
        for block in blocks:
            rows = [line.removesuffix(r" \\").split(" & ") for line in block.splitlines() if line.endswith(r"\\")]
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            widths = [max(map(tabulars.width_of, column)) + tabulars.GAP for column in zip(*rows)]
            self.assertLess(sum(widths), 160 / 25.4 * 72.27)
            shown += len(rows[0]) - 1
        self.assertEqual(shown, len(names))
        self.assertNotIn("problem &", text)
        self.assertIn("% Problem: people. ", text)
        drawn = TextPath((0, 0), "negative predictive value 0.123", size=10, prop=FontProperties(family="cmr10"))
        self.assertAlmostEqual(tabulars.width_of("negative predictive value 0.123"), drawn.get_extents().width, delta=4)

    def test_cells_are_as_wide_as_latex_sets_them(self) -> None:
        """Points, measured by pdflatex of TeX Live 2022 with T1; once intervals were 1 to 6 points wider, and underscores 5."""
        for cell, width in ((r"{\scriptsize $[0.7, 0.718]$}", 36.94), (r"$0.709$ {\scriptsize $[0.7, 0.718]$}", 63.05),
                            (r"{\scriptsize $[-0.3, \infty]$}", 32.84), (r"$[-0.3, 0.2]$", 43.33), (r"$\mathbf{0.260}$", 25.78),
                            (r"$0.309$$^\dagger$", 26.94), (r"$0.023 \pm 0.002$", 57.78), (r"n\_a = 1", 37.8),
                            (r"$-1.2{\cdot}10^{-6}$", 44.07), (r"accuracy [share] $\uparrow$", 78.17), (r"data = syn\_equal\_ds1", 101.8), ("method", 33.0)):
            with self.subTest(cell):
                self.assertAlmostEqual(tabulars.width_of(cell), width, delta=2.5 if "infty" in cell else 0.6)

    def test_rows_that_a_page_has_no_room_for_are_left_out_and_counted(self) -> None:
        rows = [[f"place {i}", "$0.5$"] for i in range(80)]
        found = tabulars.tabulars(["place", "error"], rows, 1, 6)
        self.assertGreater(found[0].lines, tabulars.PAGE_LINES)
        held = tabulars.rows_on_a_page(lambda count: tabulars.tabulars(["place", "error"], rows[:count], 1, 6), 80)
        self.assertEqual(tabulars.tabulars(["place", "error"], rows[:held], 1, 6)[0].lines, tabulars.PAGE_LINES)
        archive = self.open(Sweep(
            axes={"a.epsilon": ("trade_off", [f"0.{i}" for i in range(80)])}, methods=["a"] * 80,
            index={"a.epsilon": list(range(80))},
            measures={"error": ("share", "minimise", {"test": [0.5] * 80, ("test", "f"): [0.5] * 80})}))
        table = tables.measures_table(archive, Options())
        shown = tables.latex(archive, table, "Errors")
        self.assertEqual(shown.count("epsilon = "), held)
        self.assertIn(f"% {80 - held} further rows are in the CSV file.", shown)
        whole = tables.latex(archive, table, "Errors", whole=True)
        self.assertEqual(whole.count("epsilon = "), 80)
        self.assertNotIn("further rows", whole)

    def test_no_method_is_left_out_where_a_page_has_no_room_for_all(self) -> None:
        """Of three methods at 26 places the last one was in the CSV file alone."""
        archive = self.open(Sweep(
            axes={"a.epsilon": ("trade_off", [f"0.{i}" for i in range(10, 36)])}, methods=[name for name in "abc" for _ in range(26)],
            index={"a.epsilon": [*range(26)] * 3}, measures={"error": ("share", "minimise", {"test": [0.5] * 78})}))
        for whole in (False, True):
            text = tables.latex(archive, tables.measures_table(archive, Options()), "Errors", whole)
            heights = [len(re.findall(r"\\\\$", page, re.MULTILINE)) for page in text.split(r"\begin{tabular}")[1:]]
            self.assertEqual([text.count(f"\n{name} & epsilon") for name in "abc"], [26] * 3)
            self.assertEqual(heights, [40, 40])
            self.assertNotIn("further rows", text)

    def test_tabulars_fit_the_height_of_a_page_unless_measures_are_asked_for(self) -> None:
        """Once nine measures of seventeen methods and places were five tabulars, of 160 lines."""
        names = [*(f"long name of the measure {i}" for i in range(9)), "gap", "risk"]
        archive = self.open(Sweep(
            axes={"seed": ("replicate", ["1", "2"]), "a.epsilon": ("trade_off", [f"0.{i}" for i in range(17)])},
            methods=["a"] * 34, index={"seed": [0, 1] * 17, "a.epsilon": [i // 2 for i in range(34)]},
            points={i: [[0.5, 0.5]] for i in range(34)},
            measures={name: ("share", "minimise", {"test": [k + 0.01 * i for i in range(34)]})
                      for k, name in enumerate(names)}))
        table = tables.measures_table(archive, Options())
        self.assertEqual(table["column"].nunique(), 11)
        text, whole = tables.latex(archive, table, "Any"), tables.latex(archive, table, "Any", True)
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        self.assertLessEqual(len(rows) + 2 * text.count(r"\begin{tabular}"), 54)
        self.assertRegex(text.partition(r"\midrule")[0].replace("\n", " "), r"& gap .*& risk ", "what fronts trade off is first")
        left = 11 - sum(len(set(re.findall(rf"measure {i}\b", text))) for i in range(9)) - 2
        self.assertGreater(left, 0)
        self.assertIn(f"% {left} further measures are in the CSV file; --measure NAME takes others.", text)
        self.assertGreater(whole.count(r"\begin{tabular}"), text.count(r"\begin{tabular}"))
        self.assertNotIn("further measures", whole)

    def test_texts_that_begin_a_formula_are_written_as_export_writes_them(self) -> None:
        """Groups named by negative numbers were joined with nothing, and a formula after a blank went through."""
        for cell, written in (("=1+1", "'=1+1"), (" =1+1", "' =1+1"), ("\t=2", "'\t=2"), ("@x", "'@x"), ("- a", "'- a"),
                              ("-1", "-1"), ("+2.5", "+2.5"), ("-1e5", "-1e5"), ("a", "a"), (-3, -3)):
            with self.subTest(cell):
                self.assertEqual(figures.no_formula(cell), written)

    def test_names_of_people_do_not_become_commands_of_latex(self) -> None:
        self.assertEqual(tables.latex_escape("a_b & 5 % {x}"), r"a\_b \& 5 \% \{x\}")
        for name in ("[A]", "*A"):  # else an argument of the line end before
            self.assertEqual(tables.latex_escape(name), "{}" + name)


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
        sample = sweep(metrics={"steps": ("", "minimise", [9.0] * 6), "gradients": ("", "none", [1e3] * 6)})
        sample.measures["risk"][2]["test", "women"] = [0.25] * 6
        sample.write(self.folder / "any.h5")
        code, out, error = self.run_main("--format", "png")
        self.assertEqual(code, 0)
        self.assertEqual(error.count("no rates"), 0)
        of_clusterings = {"clusterings", "groups"}  # see test_clusterings.py
        for name in catalogue.FIGURES.keys() - of_clusterings - {"yardstick", "differences"}:  # see test_yardstick.py, test_compared_models.py
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

    def test_fronts_of_several_archives_are_one_picture_with_a_legend_by_archive(self) -> None:
        """Once two files."""
        first, second = (self.folder / f"{name}/fair_run.h5" for name in ("one", "two"))
        for path, shift in ((first, 0.0), (second, 0.3)):
            path.parent.mkdir()
            sample = sweep()
            sample.points = {i: (np.array(points) + shift).tolist() for i, points in sample.points.items()}
            sample.write(path)
        out = self.folder / "out"
        with contextlib.redirect_stdout(io.StringIO()):
            code = figures.main([str(first), str(second), "-o", str(out), "--figure", "fronts", "--format", "svg"])
        self.assertEqual(code, 0)
        self.assertEqual([file.name for file in out.iterdir()], ["one-fair_run-and-two-fair_run-fronts.svg"])
        with fairfront_archive.open(first) as one, fairfront_archive.open(second) as two:
            page = together.draw_together([one, two], Options())
            text = (out / "one-fair_run-and-two-fair_run-fronts.svg").read_text()
            for archive in (one, two):
                self.assertIn(archive.digest, text)
        labels = page.panels[0].get_legend_handles_labels()[1]
        self.assertEqual([label.rsplit(": ", 1)[0] for label in labels],
                         [f"{name}/fair_run: {method}" for name in ("one", "two") for method in ("base", "fair")])

    def test_archives_of_one_name_have_files_of_their_own(self) -> None:
        """The second one's took the place of the first one's."""
        paths = [self.folder / f"{name}/same.h5" for name in ("old", "new")]
        for path in paths:
            path.parent.mkdir()
            sweep().write(path)
        out = self.folder / "out"
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = figures.main([*map(str, paths), "-o", str(out), "--figure", "table-fronts", "--figure", "measures", "--format", "svg"])
        self.assertEqual(code, 0)
        self.assertEqual({file.name for file in out.iterdir()}, {
            f"{name}-same-{what}" for name in ("old", "new") for what in ("table-fronts.csv", "table-fronts.tex", "measures.svg")})
        self.assertEqual(len(said.getvalue().split()), 6)

    def test_archives_share_a_panel_where_rows_groups_and_what_is_unfair_are_the_same_and_only_there(self) -> None:
        """What is fixed in an archive was forgotten: other groups, rows, labels and gaps stood in one panel."""
        def open_with(name: str, *options: tuple[str, str, str], **more) -> fairfront_archive.Archive:
            path = sweep(config=(("data", "data", "csv"), ("data", "file", f"{name}/t.csv"), ("any", "budget", name),
                                 *options), **more).write(self.folder / f"{name}.h5")
            return self.enterContext(fairfront_archive.open(path))

        first = open_with("first", ("data", "sensitive", "sex"), ("fair", "fairness", "odds"), ("base", "fairness", "odds"))
        axis = {**sweep().axes, "fair.fairness": ("problem", ["odds", "parity"]), "base.fairness": ("problem", ["odds"])}
        several = open_with("several", ("data", "sensitive", "sex"), ("fair", "fairness", "odds, parity"), ("base", "fairness", "odds"),
                            axes=axis, index={**sweep().index, "fair.fairness": [-1, -1, 0, 1, 0, 1], "base.fairness": [0, 0, -1, -1, -1, -1]})
        self.assertEqual({title: {line.text for line in lines}
                          for title, lines in together.panels_together([first, several], Options()).items()},
                         {"t.csv, fairness = odds": {"first: base", "first: fair", "several: base", "several: fair"},
                          "t.csv, fairness = parity": {"several: fair"}})
        for name, options, said in (("groups", (("data", "sensitive", "age"), ("fair", "fairness", "odds"), ("base", "fairness", "odds")),
                                     "t.csv, sensitive = sex; t.csv, sensitive = age"),
                                    ("gaps", (("data", "sensitive", "sex"), ("fair", "fairness", "parity"), ("base", "fairness", "parity")),
                                     "t.csv, fairness = odds; t.csv, fairness = parity")):
            with self.subTest(name), self.assertRaisesRegex(NothingToDraw, f"no two archives have a problem in common: {said}$"):
                together.panels_together([first, open_with(name, *options)], Options())

    def test_fronts_of_other_rows_or_parts_stand_apart(self) -> None:
        """Other files of one name, other shares and seeds of a split, and other parts that decide stood in one panel."""
        def open_with(name: str, content: str, *options: tuple[str, str, str]) -> fairfront_archive.Archive:
            config = {("data", "data"): "csv", ("data", "file"): f"{name}/t.csv", ("split", "test"): "0.2",
                      ("split", "split_seed"): "1", ("fair", "choose_on"): "validation"}
            config |= {(section, key): value for section, key, value in options}
            path = sweep(config=tuple((*key, value) for key, value in config.items()), axes={
                         name: axis for name, axis in sweep().axes.items() if name != "split.split_seed"}, index={
                         name: index for name, index in sweep().index.items() if name != "split.split_seed"},
                         files=((f"{name}/t.csv", content),)).write(self.folder / f"{name}.h5")
            return self.enterContext(fairfront_archive.open(path))

        first = open_with("first", "1" * 64)
        same = together.panels_together([first, open_with("same", "1" * 64)], Options())
        self.assertEqual({line.text for lines in same.values() for line in lines}, {"first: base", "first: fair", "same: base", "same: fair"})
        for name, content, options, said in (
                ("content", "2" * 64, (), "file = SHA-256 222222222222…"), ("shares", "1" * 64, (("split", "test", "0.3"),), "split.test = 0.3"),
                ("seeds", "1" * 64, (("split", "split_seed", "2"),), "split.split_seed = 2")):
            with self.subTest(name), self.assertRaisesRegex(NothingToDraw, f"no two archives have a problem in common: .*{said}"):
                together.panels_together([first, open_with(name, content, *options)], Options())
        panels = together.panels_together([first, open_with("parts", "1" * 64, ("fair", "choose_on", "train"))], Options())
        self.assertEqual(sorted(sorted(line.text for line in lines) for lines in panels.values()),
                         [["first: base", "parts: base"], ["first: fair"], ["parts: fair"]])

    def test_no_panel_is_lost_where_two_titles_come_out_the_same(self) -> None:
        """A part of the rows that one archive has fixed and another as an axis, with other labels."""
        first, second, third = ((("data.label", label), ("data.where", where)) for label, where in
                                (("y", "x > 1"), ("y", "x > 2"), ("z", "x > 1")))
        titles = together.titles_of({first: "t.csv", second: "t.csv", third: "t.csv, where = x > 1"})
        self.assertEqual(titles, {first: "t.csv, where = x > 1, label = y", second: "t.csv, where = x > 2",
                                  third: "t.csv, where = x > 1, label = z"})
        near = [(("data.subsample", value),) for value in ("0.1234561", "0.1234562")]
        self.assertEqual(len(set(together.titles_of(dict.fromkeys(near, "t.csv")).values())), 2)

    def test_the_list_says_whole_sentences(self) -> None:
        """It broke off where the first line of a docstring does."""
        said = figures.list_text()
        for name, function in {**catalogue.FIGURES, **catalogue.TABLES}.items():
            (told,) = re.findall(rf"^{name} +((?:.+)(?:\n +.+)*)", said, re.MULTILINE)
            self.assertTrue(function.__doc__.startswith(told[:20]))
            self.assertEqual(told[-1], ".", name)

    def test_fronts_of_other_objectives_stand_apart_and_it_says_so(self) -> None:
        sweep().write(self.folder / "any.h5")
        sweep(objectives=(("height", "m", "minimise"), ("gap", "", "minimise"))).write(self.folder / "other.h5")
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = figures.main([str(self.folder / "any.h5"), str(self.folder / "other.h5"), "-o",
                                 str(self.folder / "out"), "--figure", "fronts", "--format", "svg"])
        self.assertEqual((code, sorted(pathlib.Path(line).name for line in out.getvalue().splitlines())),
                         (0, ["any-fronts.svg", "other-fronts.svg"]))
        self.assertIn("fronts of each archive apart: the archives have other objectives", error.getvalue())

    def test_a_partial_archive_is_marked_as_such(self) -> None:
        sweep(status=[1, 1, 1, 1, 1, 0]).write(self.folder / "any.h5")
        code, _, error = self.run_main("--figure", "fronts", "--format", "png,svg")
        self.assertEqual(code, 0)
        self.assertIn("PARTIAL, 5 of 6 tasks done, 1 missing", error)
        self.assertIn("PARTIAL: 5 of 6 tasks done, 1 missing",
                      (self.folder / "out/any-fronts.svg").read_text())
        self.assertTrue(Image.open(self.folder / "out/any-fronts.png").text["Title"]
                        .startswith("PARTIAL"))

    def test_of_tasks_that_all_failed_or_are_missing_no_table_is_written(self) -> None:
        """Once a traceback, and a CSV file without columns."""
        for status, name in ((2, "failed.h5"), (0, "missing.h5")):
            path = sweep(status=[status] * 6, points={}, series={}, solutions={}).write(self.folder / name)
            path.replace(self.folder / "any.h5")
            code, out, error = self.run_main("--format", "png")
            self.assertEqual((code, out), (2, ""))
            for table in catalogue.TABLES:
                self.assertIn(f"no {table}: {self.folder / 'any.h5'}: ", error)
            self.assertIn("any.h5: no task that is done has a value for it\n", error)
            self.assertTrue(error.endswith("figures.py: nothing could be drawn\n"))
            self.assertFalse((self.folder / "out").exists())

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

    def test_every_config_of_the_papers_has_the_names_of_what_it_draws(self) -> None:
        """But for those that no figure or table of a paper shows."""
        script = (pathlib.Path(figures.__file__).parents[1] / "jobs/reproduce.sh").read_text()
        families = re.findall(r"^    (\w+)\) names=\(([^)]*)\)", script, re.M)
        named = {f"{family}-{one}" for family, names in families for one in names.split()}
        known = {config for published in catalogue.PAPERS.values() for config, _ in published.configs}
        self.assertEqual(len(families), 5)
        self.assertEqual(known - named, set())
        self.assertEqual(named - known, {"clustering-adult-pairs"})
        self.assertTrue(all(published.configs for published in catalogue.PAPERS.values()))
        self.assertEqual(catalogue.of_config("ranking-figure1-bank"), {"ranking-figure-1-bank": "ranking-figure-1"})

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

    def test_a_figure_that_is_refused_keeps_no_other_one_back(self) -> None:
        """Those behind it were not drawn."""
        of_two_parts().write(self.folder / "any.h5")
        for asked in (("--figure", "choice", "--figure", "table-fronts", "--figure", "rates"), ()):
            code, out, error = self.run_main("--knee", "--format", "png", *asked)
            self.assertEqual(code, 2)
            self.assertIn("any-table-fronts.csv", out)
            self.assertIn("the points were decided on different parts (choose_on = train, validation)", error)
            self.assertIn("has no series", error)
        code, out, error = self.run_main("--figure", "choice", "--method", "thresholds", "--format", "png")
        self.assertEqual((code, out.split()), (0, [str(self.folder / "out/any-choice.png")]))

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
