"""What is drawn has its place: texts are whole and apart, marks are apart, figures fit a page."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import tempfile
import unittest
from collections.abc import Iterator
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import fairfront_archive
import sample_archive
import test_clusterings
import test_compared_models
from fairfront_archive import Rows
from fairfront_figures import catalogue, clusterings, layout
from fairfront_figures.layout import Sheet
from fairfront_figures.pages import save
from fairfront_figures.style import WIDTHS, Options
from sample_archive import Sweep

PROBLEMS = ["people_of_a_town", "houses", "a problem of a name that is much longer than a panel is wide"]
METHODS = ["base", "fair_method", "another_fair_method_with_a_long_name", "penalty", "postprocessing",
           "exact", "last"]
REPLICATES = 2
BY_CLUSTERS = ("clusterings", "groups")  # they need rows of data


def sweep(methods: int, objectives: int = 2, problems: list[str] = PROBLEMS) -> Sweep:
    """Every problem, method, place along the trade-off and replicate."""
    generator = np.random.default_rng(1)
    tasks = list(itertools.product(range(len(problems)), range(methods), range(3),
                                   range(REPLICATES)))
    count = len(tasks)
    names = (("mean_squared_error_of_predictions", "target squared", "minimise"),
             ("kolmogorov_smirnov_distance_to_all", "share", "minimise"), ("balance_by_the_second_one_of_two_sensitive_attributes", "ratio", "maximise"))
    points = {i: (1e6 * generator.random((4, objectives))).tolist() for i in range(count)}
    steps = [0, 10, 1000, 30000]
    series = {f"series_{name}": ("minimise", {i: (steps, [9.0 + i, 5.0, 0.02, 0.001 * (i + 1)],
                                                  [0.0, 0.1 + i, 2.0 + i, 3.0 + i])
                                              for i in range(count)}) for name in "ab"}
    measures = {name: ("share", "minimise", {"test": generator.random(count).tolist()}) for name in
                ("error", "worst_error_of_any_group_and_label", "independence_gap", "separation",
                 "sufficiency_of_the_predicted_scores", "true_positive_gap", "g", "h", "i", "j", "k")}
    names_of_groups = ("women of 25 years and more x born abroad", "men", "others")
    for name in ("error_of_a_group", "auc"):
        measures[name] = ("share", "minimise", {("test", group): generator.random(count).tolist()
                                                for group in ("all", *names_of_groups)})
    measures["auc"][2]["test", "others"] = [np.nan] * count
    few = methods == 1  # so many distributions that they can be told apart
    return Sweep(
        axes={"data.data": ("problem", problems), "method.level": ("trade_off", ["0.1", "0.25", "1e-3"]),
              "seed": ("replicate", ["1", "2"])},
        methods=[METHODS[task[1]] for task in tasks],
        index={name: [task[i] for task in tasks] for name, i in
               (("data.data", 0), ("method.level", 2), ("seed", 3))},
        objectives=names[:objectives], points=points, metrics={"gradients": ("", "none", [1e4] * count)},
        reports=points if objectives == 2 else {}, measures=measures, series=series,
        solutions={"distribution": [[[0.25, 0.5, 0.25, 0.0]] * 3] * count} if few else {})


class Page:
    """One page as it is drawn."""

    def __init__(self, sheet: Sheet) -> None:
        self.figure = sheet.figure
        self.texts: list[tuple[Text, Bbox]] = []
        draw = Text.draw

        def recorded(text: Text, renderer, *more, **options) -> None:
            draw(text, renderer, *more, **options)
            if text.get_visible() and text.get_text().strip():
                self.texts.append((text, text.get_window_extent(renderer)))

        with mock.patch.object(Text, "draw", recorded):
            self.figure.draw_without_rendering()
        self.axes = [axes for axes in self.figure.axes if axes.get_visible()]


def overlap(one: Bbox, other: Bbox) -> bool:
    """By more than a pixel of three hundred an inch."""
    return (min(one.x1, other.x1) - max(one.x0, other.x0) > 1 and
            min(one.y1, other.y1) - max(one.y0, other.y0) > 1)


class Layout(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(plt.close, "all")

    def check(self, page: Page) -> None:
        width, height = page.figure.get_size_inches()
        self.assertLessEqual(height, layout.HIGHEST + 1e-6)
        whole = page.figure.bbox
        for text, box in page.texts:
            said = text.get_text()
            self.assertTrue(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= whole.x1 + 1
                            and box.y1 <= whole.y1 + 1, f"cut: '{said}' {box} in {width} x {height}")
            for axes in page.axes:
                if axes.name == "polar" :
                    continue  # corners of a round panel are free
                self.assertFalse(overlap(box, axes.get_window_extent()), f"over a panel: '{said}'")
        for (one, box), (other, place) in itertools.combinations(page.texts, 2):
            self.assertFalse(overlap(box, place),
                             f"'{one.get_text()}' lies over '{other.get_text()}'")
        for one, other in itertools.combinations(page.axes, 2):
            self.assertFalse(overlap(one.get_window_extent(), other.get_window_extent()))
            self.assertTrue(one.get_window_extent().width > 0.8 * page.figure.dpi)

    def pages(self, archive: fairfront_archive.Archive, name: str, width: float) -> Iterator[Page]:
        kind, _, chosen = catalogue.resolve(archive, name, Options(width=width))
        sheet = catalogue.FIGURES[kind](archive, chosen)
        sheet.warning = "PARTIAL: 5 of 600 tasks done, 595 missing, as it is still running somewhere"
        shown = []
        for panels in sheet.pages():
            sheet.lay_out(panels)
            shown += panels
            page = Page(sheet)
            self.assertAlmostEqual(sheet.figure.get_size_inches()[0], width / 25.4)
            self.assertIn("PARTIAL", " ".join(text.get_text() for text, _ in page.texts))
            yield page
        self.assertEqual(shown, sheet.panels)  # each on one page
        plt.close(sheet.figure)

    def each(self, archive: fairfront_archive.Archive, names: list[str]) -> Iterator[Page]:
        for name, width in itertools.product(names, WIDTHS.values()):
            with self.subTest(figure=name, width=width):
                for page in self.pages(archive, name, width):
                    self.check(page)
                    yield page

    def test_four_panels_stand_in_two_columns_on_one_page(self) -> None:
        """Once in one column, over two files, unless the width of a page was asked for."""
        for count, columns, width in ((3, 1, "column"), (4, 2, "page"), (6, 3, "page")):
            (self.folder / "any.h5").unlink(missing_ok=True)
            archive = self.open(Sweep(axes={"any.problem": ("problem", [f"p{i}" for i in range(count)])},
                                      methods=["a"] * count, index={"any.problem": list(range(count))},
                                      points={i: [[1.0, 2.0], [2.0, 1.0]] for i in range(count)}))
            sheet = catalogue.FIGURES["fronts"](archive, Options())
            self.assertEqual((sheet.columns, round(25.4 * sheet.width)), (columns, WIDTHS[width]))
            self.assertEqual(len(sheet.pages()), 1)

    def open(self, what: Sweep) -> fairfront_archive.Archive:
        archive = fairfront_archive.open(what.write(self.folder / "any.h5"))
        self.addCleanup(archive.close)
        return archive

    def test_every_kind_of_figure_fits_its_pages(self) -> None:
        names = set(catalogue.FIGURES) - set(BY_CLUSTERS) - {"differences", "distributions", "yardstick"}
        pages = 0
        # Each problem has panels of its own: one of a short name, and one of a long one.
        for page in self.each(self.open(sweep(len(METHODS), problems=PROBLEMS[1:])), sorted(names)):
            self.assertGreater(len(page.texts), 10)
            pages += 1
        self.assertGreater(pages, len(WIDTHS) * len(names) + 5, "figures of several pages are among them")

    def test_differences_of_models_with_long_names_fit_their_pages(self) -> None:
        names = ("the_score_that_stands_in_the_table", "that_of_the_new_model_with_all_columns", "c")
        made = test_compared_models.audit([(-0.1, -0.15, -0.05), (0.1, 0.05, 0.15)], reference=names[0], models=names)
        self.assertGreater(len(list(self.each(self.open(made), ["differences"]))), 1)

    def test_distributions_and_three_objectives_fit_their_pages(self) -> None:
        self.assertGreater(len(list(self.each(self.open(sweep(1)), ["distributions", "fronts"]))), 3)
        (self.folder / "any.h5").unlink()
        self.assertGreater(len(list(self.each(self.open(sweep(2, objectives=3)), ["fronts"]))), 1)

    def test_clusterings_and_groups_fit_their_pages(self) -> None:
        rows = Rows(["age_of_the_person", "hours"], np.array([[0, 1e5], [1, 0], [2, 2e5], [0.5, 0]]),
                    np.array(["female", "male", "female", "male"]))
        with (fairfront_archive.open(sample_archive.write(self.folder / "any.h5")) as archive,
              mock.patch.object(clusterings, "rows_of", return_value=rows)):
            found = list(self.each(archive, list(BY_CLUSTERS)))
            archive.close()
            (self.folder / "any.h5").unlink()
            found += self.each(self.open(test_clusterings.three_objectives()), list(BY_CLUSTERS))
        self.assertGreaterEqual(len(found), 8)

    def test_ranges_of_any_size_have_ticks_that_are_apart(self) -> None:
        for low, high in ((1e-9, 1.1e-9), (-123456.0, 9876543.0), (0.99999, 1.00001), (1e-15, 1e15),
                          (4e-5, 9e-5), (1.0, 1.0)):
            for scale in ("linear", "log"):
                if scale == "log" and low <= 0:
                    continue
                sheet = layout.sheet(4, Options(width=60))
                for axes in sheet.panels:
                    axes.plot([low, high], [low, high])
                    axes.set(xscale=scale, yscale=scale)
                    sheet.label(axes, "x", fairfront_archive.Quantity("x", "", "m", "none", ""))
                    sheet.label(axes, "y", fairfront_archive.Quantity("y", "", "m", "none", ""))
                with self.subTest(low=low, high=high, scale=scale):
                    for panels in sheet.pages():
                        sheet.lay_out(panels)
                        page = Page(sheet)
                        self.check(page)
                        ticks = [text for text, _ in page.texts if text.get_text() not in "xy"]
                        self.assertGreaterEqual(len(ticks), 2)
                plt.close(sheet.figure)

    def test_all_ticks_of_a_logarithmic_axis_are_written_alike(self) -> None:
        """Once 10⁻⁴ stood beside 0.001."""
        for low, high, powers in ((9e-5, 0.02, True), (0.002, 3.0, False), (1.0, 1e5, True)):
            sheet = layout.sheet(1, Options(width=174))
            sheet.panels[0].plot([1, 2], [low, high])
            sheet.panels[0].set_yscale("log")
            sheet.lay_out(sheet.pages()[0])
            texts = [label.get_text() for label in layout.shown_labels(sheet.panels[0].yaxis)]
            self.assertGreaterEqual(len(texts), 2)
            self.assertEqual({"10^" in text for text in texts if text != "1"}, {powers}, texts)

    def test_marks_of_measures_do_not_hide_each_other(self) -> None:
        archive = self.open(sweep(len(METHODS)))
        for page in self.pages(archive, "measures", WIDTHS["column"]):
            for axes in page.axes:
                at = np.sort(np.concatenate([axes.transData.transform(line.get_xydata())[:, 1]
                                             for line in axes.lines]))
                size = max(line.get_markersize() for line in axes.lines) / 72 * page.figure.dpi
                self.assertEqual(len(axes.lines), len(METHODS))
                self.assertGreaterEqual(np.diff(at).min(), size)

    def test_bars_of_many_curves_are_told_not_drawn(self) -> None:
        """Once a thicket in which no curve could be seen."""
        for methods, bars in ((len(METHODS), 0), (2, 4)):
            with contextlib.suppress(FileNotFoundError):
                (self.folder / "any.h5").unlink()
            sheet = catalogue.FIGURES["fronts"](self.open(sweep(methods)), Options())
            axes = sheet.panels[1]
            self.assertIn("reported part", axes.get_title())
            self.assertEqual(len(axes.collections), bars)
            self.assertEqual("median deviations" in axes.get_title(), not bars)
            plt.close(sheet.figure)

    def test_pages_are_files_of_their_own(self) -> None:
        archive = self.open(sweep(len(METHODS)))
        files = save(catalogue.FIGURES["fronts"](archive, Options(width=WIDTHS["column"])), archive, "Fronts",
                     self.folder / "any-fronts.svg", self.folder / "any-fronts.png")
        self.assertGreater(len(files), 2)
        self.assertEqual([file.name for file in files[:4]], ["any-fronts-1.svg", "any-fronts-1.png",
                                                             "any-fronts-2.svg", "any-fronts-2.png"])
        self.assertIn("Fronts (1 of", files[0].read_text())
        self.assertTrue(all(file.is_file() for file in files))

    def test_a_word_that_is_too_long_is_broken_where_it_has_parts(self) -> None:
        lines = layout.broken("a_very_long_word of seven", lambda line: len(line) <= 8)
        self.assertEqual(lines, ["a_very_", "long_", "word of", "seven"])
        self.assertEqual(layout.broken("abcdefghij", lambda line: len(line) <= 4),
                         ["abcd", "efgh", "ij"])


if __name__ == "__main__":
    unittest.main()
