"""The table of an audit: bold and daggers are what paired intervals show, and it fits a page."""

from __future__ import annotations

import math
import pathlib
import re
import tempfile
import unittest

import fairfront_archive
from fairfront_archive import Archive
from fairfront_figures import audits, measures, tables
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.style import Options
from fairfront_figures.tabulars import PAGE_LINES
from fairfront_report.audit import audit_of, note_of
from sample_archive import Sweep

NONE = math.nan
# Of models q, p, r: q is the reference.
ERROR = [(0.3, 0.28, 0.32), (0.2, 0.18, 0.22), (0.4, 0.38, 0.42)]


def audit(less: list, p: list | None = None, reference: str = "q", direction: str = "minimise",
          more: dict | None = None, models: tuple[str, ...] = ("q", "p", "r")) -> Sweep:
    """Errors of the models and what they are less those of the first."""
    measures = {"error": ("share", direction, {"test": ERROR[:len(models)]})}
    if reference:
        measures["error_less_reference"] = ("share", direction, {"test": [NONE, *less]})
    if p is not None:
        measures["error_less_reference_p"] = ("", "none", {"test": [NONE, *p]})
    config = (("predictions", "score", ", ".join(models)), ("measures", "confidence", "0.95"))
    return Sweep({"predictions.score": ("setting", list(models))}, ["measures"] * len(models),
                 {"predictions.score": list(range(len(models)))}, experiment="predictions",
                 measures={**measures, **(more or {})}, problems=tuple(range(len(models))),  # as the program tells them
                 config=config + ((("predictions", "reference", reference),) if reference else ()))


class ComparedModels(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "audit.h5"

    def open(self, made: Sweep) -> Archive:
        self.path.unlink(missing_ok=True)
        archive = fairfront_archive.open(made.write(self.path), program=False)
        self.addCleanup(archive.close)
        return archive

    def marks(self, made: Sweep) -> list[str]:
        """Of q, p, r: bold (b), worse (w), or nothing."""
        archive = self.open(made)
        table = audits.measures_table(archive, Options())
        line = re.findall(r"^error.*$", audits.latex(archive, table, "Errors"), re.MULTILINE)[0]
        return ["b" if "mathbf" in cell else "w" if "dagger" in cell else "" for cell in line.split(" & ")[1:]]

    def test_values_that_differ_do_not_read_alike(self) -> None:
        """Of .1234 and .1234 one was bold. By more than eight digits nobody tells them apart."""
        def cells(*errors: float) -> list[str]:
            more = {"error": ("share", "minimise", {"test": [(error, 0.1, 0.2) for error in errors]})}
            archive = self.open(audit([(-0.1, -0.15, -0.05)] * 2, more=more))
            text = audits.latex(archive, audits.measures_table(archive, Options()), "Errors")
            line = re.findall(r"^error.*$", text, re.MULTILINE)[0]
            return [re.search(r"[\d.]+", cell).group() for cell in line.split(" & ")[1:]]

        self.assertEqual(cells(0.1234123, 0.1234567, 0.4), ["0.1234", "0.1235", "0.4"])
        self.assertEqual(cells(0.12345671, 0.12345672, 0.4), ["0.12345671", "0.12345672", "0.4"])
        self.assertEqual(cells(0.123456781, 0.123456782, 0.4), ["0.123", "0.123", "0.400"])
        self.assertEqual(cells(0.1234, 0.1234, 0.4), ["0.123", "0.123", "0.400"])

    def test_means_over_replicates_that_differ_do_not_read_alike(self) -> None:
        counts = 8
        risks = [1.0 + 0.1 * i for i in range(counts)]
        made = Sweep({"seed": ("replicate", [str(i) for i in range(counts)])}, ["a"] * counts + ["b"] * counts,
                     {"seed": list(range(counts)) * 2}, measures={"risk": ("", "minimise", {"test": risks + [risk - 1e-4 for risk in risks]})})
        archive = self.open(made)
        text = tables.latex(archive, tables.measures_table(archive, Options()), "Risks")
        self.assertIn(r"$1.35 \pm 0.24$", text)
        self.assertIn(r"$\mathbf{1.3499 \pm 0.24}$", text)

    def test_a_number_is_bold_where_the_paired_interval_shows_it(self) -> None:
        better, worse, unknown = (-0.1, -0.15, -0.05), (0.1, 0.05, 0.15), (-0.1, -0.25, 0.05)
        for less, expected in (((better, worse), ["", "b", "w"]), ((unknown, worse), ["", "", "w"]),
                               ((worse, worse), ["b", "w", "w"]), ((better, unknown), ["", "b", ""]),
                               ((unknown, -0.1), ["", "", ""])):  # the last one has no interval
            with self.subTest(less):
                self.assertEqual(self.marks(audit(list(less))), expected)
        self.assertEqual(self.marks(audit([better, worse], direction="maximise")), ["", "w", "b"])

    def test_a_reference_whose_name_the_config_quotes_is_found(self) -> None:
        worse = (0.1, 0.05, 0.15)
        made = audit([worse, worse], reference='"q, ""new"""', models=('q, "new"', "p", "r"))
        self.assertEqual(self.marks(made), ["b", "w", "w"])
        archive = self.open(made)
        (found,) = audit_of(archive, {"problem": [0] * 3})
        self.assertEqual(found["models"][0], found["reference"])
        self.assertEqual([cell["best"] for cell in found["measures"][0]["cells"]], [True, False, False])
        self.assertIn('less that of q, "new". ', audits.draw_differences(archive, Options()).note)

    def test_a_test_that_disagrees_is_heard(self) -> None:
        better, worse = (-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)
        self.assertEqual(self.marks(audit([better, worse], p=[0.06, 0.04])), ["", "", "w"])

    def test_a_model_whose_measure_the_reference_lacks_is_not_bold(self) -> None:
        more = {"auc": ("probability", "maximise", {"test": [NONE, (0.8, 0.7, 0.9), (0.6, 0.5, 0.7)]})}
        archive = self.open(audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)], more=more))
        text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
        self.assertIn(r"auc $\uparrow$ & -- & $0.800$ {\scriptsize $[0.700, 0.900]$} & $0.600$", text)

    def test_without_a_reference_nothing_is_bold(self) -> None:
        archive = self.open(audit([], reference=""))
        table = audits.measures_table(archive, Options())
        text = audits.latex(archive, table, "Errors")
        self.assertNotIn("mathbf", text)
        self.assertIn("No two models are compared, which predictions.reference asks for", text)
        self.assertFalse(table["best"].any())

    def test_replicates_are_not_said_to_lack_a_reference(self) -> None:
        archive = self.open(audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)]))
        for text in (audits.bold_text(archive, False, 10), note_of(archive, 10)):
            self.assertIn("Every replicate compares the models on its own rows", text)
            self.assertNotIn("predictions.reference asks", text)

    def test_differences_are_columns_of_the_file_and_lines_where_they_are_asked_for(self) -> None:
        archive = self.open(audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)]))
        table = audits.measures_table(archive, Options())
        self.assertEqual(set(table["column"]), {"error (test)"})
        self.assertEqual(table["less_reference_high"].tolist()[1:], [-0.05, 0.15])
        self.assertEqual(table["low"].tolist(), [0.28, 0.18, 0.38])
        asked = audits.measures_table(archive, Options(measures=("error_less_reference",)))
        self.assertEqual(set(asked["column"]), {"error_less_reference (test)"})
        self.assertFalse(asked["best"].any())

    def test_differences_stand_in_latex_on_the_page_and_in_a_figure(self) -> None:
        """Once in `show` and in the CSV file alone."""
        archive = self.open(audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)]))
        text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
        self.assertIn(r"difference: less q & p & r \\", text)
        self.assertIn(r"error $\downarrow$ & $-0.100$ {\scriptsize $[-0.150, -0.050]$} & $0.100$ {\scriptsize "
                      r"$[0.050, 0.150]$} \\", text)
        page = audits.draw_differences(archive, Options())
        (axes,) = page.panels
        self.assertEqual(axes.get_legend_handles_labels()[1], ["p", "r"])
        self.assertEqual([line.get_xdata()[0] for line in axes.lines], [-0.1, 0.1, 0])
        beside = measures.draw_intervals(archive, Options())
        self.assertEqual([label.get_text() for axes in beside.panels for label in axes.get_yticklabels()], ["error\N{NO-BREAK SPACE}↓"])
        found, = audit_of(archive, {"problem": [0] * 3})
        self.assertEqual([cell["less"] for cell in found["measures"][0]["cells"]],
                         [None, [-0.1, -0.15, -0.05], [0.1, 0.05, 0.15]])
        self.assertEqual(found["reference"], "q")
        with self.assertRaisesRegex(NothingToDraw, "predictions.reference asks for"):
            audits.draw_differences(self.open(audit([], reference="")), Options())

    def test_a_single_score_goes_by_its_name(self) -> None:
        archive = self.open(Sweep({"seed": ("replicate", ["1"])}, ["measures"], {"seed": [0]}, experiment="predictions",
                                  measures={"error": ("share", "minimise", {"test": ERROR[:1]})},
                                  config=(("predictions", "score", "credit"),)))
        self.assertIn(r"measure & credit \\", audits.latex(archive, audits.measures_table(archive, Options()), "Any"))
        page = measures.draw_intervals(archive, Options())
        self.assertEqual(page.panels[0].get_legend_handles_labels()[1], ["credit"])

    def test_it_fits_a_page(self) -> None:
        more = {f"m{i}": ("share", "minimise", {"test": ERROR}) for i in range(60)}
        archive = self.open(audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)], more=more))
        text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
        lines = [line for line in text.partition(r"\end")[0].splitlines() if line.endswith(r"\\")]
        self.assertEqual({line.count(" & ") for line in lines}, {3})
        self.assertTrue(lines[1].startswith("error"), "what is compared comes first")
        self.assert_a_page(text, 61, len(lines) - 1)

    def test_many_models_fit_a_page_below_each_other(self) -> None:
        models = tuple("qprstuvw")
        values = [ERROR[0]] * 8
        more = {"error": ("share", "minimise", {"test": values})}
        for i in range(30):
            more |= {f"m{i}": ("share", "minimise", {"test": values}),
                     f"m{i}_less_reference": ("share", "minimise", {"test": [NONE, *[(-0.1, -0.15, -0.05)] * 7]})}
        archive = self.open(audit([(-0.1, -0.15, -0.05)] * 7, more=more, models=models))
        text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
        self.assertEqual(text.count(r"\begin{tabular}"), 6, "three of values, three of differences")
        for model in models:
            self.assertIn(f" {model} ", text)
        first = [line for line in text.partition(r"\end")[0].splitlines() if line.endswith(r"\\")]
        self.assert_a_page(text, 31, len(first) - 1)

    def assert_a_page(self, text: str, measures_known: int, shown: int) -> None:
        """That it holds as many measures as have room, and says what is left."""
        tabulars = text.count(r"\begin{tabular}")
        taken = sum(line.endswith(r"\\") for line in text.splitlines()) + 2 * tabulars
        self.assertLessEqual(taken, PAGE_LINES)
        self.assertGreater(taken + tabulars, PAGE_LINES, "one more measure has no room")
        self.assertIn(f"{measures_known - shown} further measures are in the CSV file", text)

    def test_models_on_different_rows_are_told(self) -> None:
        """Each column of an audit is measured where it and the reference have cells."""
        for counts, told in (([2751.0, 2497.0], True), ([2751.0, 2751.0], False)):
            made = Sweep({"predictions.score": ("setting", ["a", "b"])}, ["measures"] * 2, {"predictions.score": [0, 1]},
                         measures={"error": ("share", "minimise", {"test": [0.1, 0.2]}), "rows": ("", "none", {"test": counts})})
            archive = self.open(made)
            text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
            self.assertEqual(r"\footnotesize Models are measured on different rows, as cells are missing: " in text, told, text)
            self.assertEqual("on 2751, " in text and "on 2497. " in text, told)

    def test_a_line_end_in_a_name_ends_no_comment(self) -> None:
        """What came after it was set in the text."""
        name = "xg\n\nboost\u2028x"
        archive = self.open(audit([(-0.1, -0.15, -0.05)], reference=f'"{name}"', models=(name, "p"),
                                  more={"rows": ("rows", "none", {("test", "all"): [150, 160]})}))
        for latex, table in ((audits.latex, audits.measures_table(archive, Options())),
                             (tables.latex, tables.measures_table(archive, Options()))):
            text = latex(archive, table.assign(problem="two\nlines"), "Any\ntitle")
            self.assertIn("xg boost x", text)
            lines = text.split("\n")
            outside = [line for line in lines if line and not line.endswith((r"\\", "%")) and not line.startswith(("%", "\\"))]
            self.assertEqual(outside, [], text)
            self.assertTrue(lines[0].startswith("% Any title; archive"), text)

    def test_a_letter_that_pdflatex_has_not_is_told(self) -> None:
        made = Sweep({"predictions.score": ("setting", ["Größe", "Москва"])}, ["measures"] * 2, {"predictions.score": [0, 1]},
                     measures={"error": ("share", "minimise", {"test": [0.1, 0.2]})})
        archive = self.open(made)
        text = audits.latex(archive, audits.measures_table(archive, Options()), "Any")
        self.assertIn("% For XeLaTeX or LuaLaTeX, with a font that has Мавкос\n", text)
        self.assertEqual(text.count("For XeLaTeX"), 1)

    def test_wide_tables_go_on_in_another_tabular(self) -> None:
        made = Sweep({"seed": ("replicate", ["1", "2"])}, ["a", "a", "b", "b"], {"seed": [0, 1, 0, 1]},
                     measures={f"m{i}": ("share", "minimise", {"test": [1.0, 2.0, 3.0, 5.0]}) for i in range(8)})
        archive = self.open(made)
        text = tables.latex(archive, tables.measures_table(archive, Options()), "Any")
        self.assertEqual(text.count(r"\begin{tabular}"), 2)
        self.assertIn(r"\begin{tabular}{lrrrrrr}", text)
        self.assertIn(r"\begin{tabular}{lrr}", text)
        for i in range(8):
            self.assertEqual(len(re.findall(rf"\bm{i} ", text)), 1)

    def test_one_run_each_is_called_that(self) -> None:
        made = Sweep({"seed": ("replicate", ["1"])}, ["a", "b"], {"seed": [0, 0]},
                     measures={"error": ("share", "minimise", {"test": [1.0, 2.0]})})
        archive = self.open(made)
        text = tables.latex(archive, tables.measures_table(archive, Options()), "Any")
        self.assertIn("Values of one run each without intervals: none is shown to be better", text)
        self.assertNotIn("deviations", text)
        self.assertNotIn("mathbf", text)

    def test_of_one_run_each_only_intervals_show_what_is_better(self) -> None:
        for ends, bold in ((((0.5, 1.5), (1.6, 2.5)), 1), (((0.5, 1.7), (1.6, 2.5)), 0), (((0.5, 1.5), (NONE, NONE)), 0)):
            with self.subTest(ends):
                made = Sweep({"bound": ("trade_off", ["1", "2"])}, ["alm", "alm"], {"bound": [0, 1]}, measures={
                    "error": ("share", "minimise", {"test": [(1.0, *ends[0]), (2.0, *ends[1])]})})
                archive = self.open(made)
                table = tables.measures_table(archive, Options())
                text = tables.latex(archive, table, "Any")
                self.assertEqual(text.count("mathbf"), bold)
                self.assertEqual(table["best"].sum(), bold)
                self.assertIn(r"{\scriptsize $[0.5, 1.", text)
                self.assertEqual(table["low"].iloc[0], 0.5)


if __name__ == "__main__":
    unittest.main()
