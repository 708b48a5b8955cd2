#!/usr/bin/python3
"""Measures the page of a large archive in headless Chromium, and checks what it shows.

10,000 tasks with 100 front points each: bytes and seconds of making the page, milliseconds until its fronts
are drawn and until each filter is seen. Every answer is compared with one computed here from the points.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np

import browser
import report
from sample_archive import Sweep

METHODS, PROBLEMS, REPLICATES, POINTS = 4, 5, 500, 100
# Gives the milliseconds until the frame with the change has been painted: its message comes after that.
PAINTED = """const [change, done] = arguments;
const begin = performance.now();
new Function(change)();
requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now() - begin);
  channel.port2.postMessage(0);
});"""
CHOOSE = ("const one = document.getElementById('{}'); one.value = '{}'; "
          "one.dispatchEvent(new Event('change'));")
SLIDE = "const one = document.getElementById('slider-1'); one.value = {}; one.dispatchEvent(new Event('input'));"
FILTERS = {
    "another problem": [CHOOSE.format("problem", problem) for problem in (1, 2, 3, 4, 0)],
    "the reported part": [CHOOSE.format("part", part) for part in ("reported", "chosen") * 3],
    "without bands": ["document.getElementById('bands').click()"] * 6,
    "without a method": ["charts.fronts.dispatchAction({type: 'legendToggleSelect', "
                         "name: 'method1'})"] * 6,
    "a point": [f"choose({row})" for row in (0, 500, 40000, 49999)],
    "arrow key": ["step(1)"] * 6,
    "a bound": [SLIDE.format(place) for place in (900, 500, 100, 700, 300)],
    "zoom": ["zoomTo([[0.5, 1], [1, 2]])", "zoomBy(1.5)", "zoomBy(1 / 1.5)", "zoomTo(null)"],
    "marks": ["mark({ranges: [[0.5, 1], [1, 2]]})", "mark({ranges: [[0.4, 1], [1, 3]]})", "mark(null)"],
}
LOADED = ("const one = performance.getEntriesByType('navigation')[0]; "
          "return one.domContentLoadedEventEnd")  # the last script has drawn the fronts
DRAWN = ("const archive = current(); const columns = columnsShown(archive); "
         "return [...marksOf(archive, columns)].map(([curve, marks]) => "
         "[curve, Array.from(marks.pairs)])")


def sweep(replicates: int = REPLICATES, points: int = POINTS) -> Sweep:
    """Fronts y = c / x, c a little different in every replicate and method."""
    tasks = METHODS * PROBLEMS * replicates
    generator = np.random.default_rng(1)
    x = np.sort(generator.uniform(0.1, 2, (tasks, points)), axis=1)
    method = np.repeat(np.arange(METHODS), PROBLEMS * replicates)
    height = 1 + 0.3 * method + generator.normal(0, 0.1, tasks)
    front = np.stack([x, height[:, None] / x], axis=2)
    return Sweep(
        axes={"data.data": ("problem", [f"set{i}" for i in range(PROBLEMS)]),
              "seed": ("replicate", [str(i) for i in range(replicates)])},
        methods=[f"method{i}" for i in method],
        index={"data.data": [task // replicates % PROBLEMS for task in range(tasks)],
               "seed": [task % replicates for task in range(tasks)]},
        points={task: front[task].tolist() for task in range(tasks)},
        reports={task: (front[task] * 1.1).tolist() for task in range(tasks)},
        measures={"error": ("share", "minimise", {"test": generator.uniform(0, 1, tasks).tolist()})})


def check(window: browser.Browser, made: Sweep, problem: int) -> int:
    """Every mark is a point of its curve, and every point has a mark within a place of the grid.

    @return how many marks there are.  @throws AssertionError  the page shows something else.
    """
    grid = window.run("return GRID")
    ids = np.array(made.index["data.data"])
    own = [task for task in made.points if ids[task] == problem]
    every = np.array([point for task in own for point in made.points[task]])
    place = np.ptp(every, axis=0) / grid
    drawn = dict(window.run(DRAWN))
    total = 0
    for curve in range(METHODS):
        points = np.array([point for task in own if made.methods[task] == f"method{curve}"
                           for point in made.points[task]])
        marks = np.array(drawn[curve]).reshape(-1, 2)
        assert {*map(tuple, marks)} <= {*map(tuple, points)}, "a mark that is no point"
        cells = [{*map(tuple, np.floor((rows - every.min(axis=0)) / (place * (1 + 1e-9))).astype(int))}
                 for rows in (points, marks)]
        assert cells[0] == cells[1], "a place with points and without a mark"
        assert len(marks) == len(cells[1]), "a place with two marks"
        total += len(marks)
    return total


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    made = sweep()
    with tempfile.TemporaryDirectory() as folder:
        path = made.write(pathlib.Path(folder) / "large.h5")
        page = path.with_suffix(".html")
        begin = time.perf_counter()
        if report.main([str(path), "-o", str(page)]) != 0:
            return 1
        print(f"made in {time.perf_counter() - begin:.1f} s")
        with browser.Browser() as window:
            opened = []
            for _ in range(3):
                window.open(page)
                opened.append(window.run(LOADED))
            print(f"fronts drawn after {min(opened):.0f} ms")
            time.sleep(1)
            for name, changes in FILTERS.items():
                taken = [window.wait(PAINTED, change) for change in changes]
                print(f"{name:<20}{statistics.median(taken):>5.0f} ms, at most {max(taken):.0f}")
            print(f"checked: {check(window, made, 0)} marks stand for "
                  f"{METHODS * REPLICATES * POINTS} points")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
