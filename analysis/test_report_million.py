"""A million points on the page: seen, as every change is. How soon is measured by bench_report.py, not tested."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import numpy as np

import bench_report
import browser
import fairfront_archive
import report
from fairfront_report import content
from page_tests import needs_browser

POINTS = 1_000_000
CHANGES = {"another problem": "problemChosen(1)", "the reported part": "element('part').value = 'reported'; drawNow('fronts')",
           "a bound": bench_report.SLIDE.format(500), "zoom": "zoomTo([[0.5, 1], [1, 2]])", "marks": "mark({ranges: [[0.5, 1], [1, 2]]})",
           "a point": "choose(500)"}


def million(folder: pathlib.Path) -> dict:
    """What a page says of a sweep of a hundred tasks, each with a front of ten thousand points."""
    with fairfront_archive.open(bench_report.sweep(replicates=5, points=10).write(folder / "a.h5"), program=False) as archive:
        made = content.content_of(archive)
    tasks = len(made["tasks"]["recipe"])
    x = np.tile(np.sort(np.random.default_rng(1).uniform(0.1, 2, POINTS // tasks)), tasks)
    height = np.repeat(1 + 0.01 * np.arange(tasks), POINTS // tasks)
    for name, columns in (("points", (x, height / x)), ("report", (1.1 * x, 1.1 * height / x))):
        made["fronts"][name] = [content.packed(column, "<f8") for column in columns]
    made["fronts"]["owner"] = content.packed(np.arange(tasks), "<i4")
    made["fronts"]["sizes"] = content.packed(np.full(tasks, POINTS // tasks), "<i4")
    return made


@needs_browser
class Million(unittest.TestCase):
    def test_a_million_points_are_seen_and_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(report.page_of([million(pathlib.Path(folder))], report.find_library().read_text(encoding="utf-8")),
                            encoding="utf-8")
            window.open(page)
            self.assertEqual(window.run("return current().fronts.task.length"), POINTS)
            of_problem = POINTS // bench_report.PROBLEMS
            self.assertIn(f"Of {of_problem} points", window.run("return document.getElementById('marks').innerText"))
            for name, change in CHANGES.items():
                window.wait(bench_report.PAINTED, change)
                marks = sum(len(pairs) // 2 for _, pairs in window.run(bench_report.DRAWN))
                self.assertTrue(0 < marks < of_problem / 10, f"{name}: {marks}")  # what a change costs
            self.assertIn("Best within the bound", window.run("return document.getElementById('bound-answer').innerText"))
            self.assertEqual(window.log(), [])


if __name__ == "__main__":
    unittest.main()
