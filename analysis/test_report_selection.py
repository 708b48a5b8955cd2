"""What a person selects on the page: bounds, parts of the chart, several archives, three objectives, the order of tables; and
the link that holds it."""

from __future__ import annotations

import pathlib
import re
import unittest

import numpy as np

import fairfront_archive
import test_report_decisions
from fairfront_figures.short_names import short_names
from page_tests import RIGHT, PageTest
from sample_archive import Sweep

SLIDE = ("const [id, value, kind] = arguments; const one = document.getElementById(id); one.value = value; "
         "one.dispatchEvent(new Event(kind));")
EVIL = "<img src=x onerror=\"window.ran = 1\">'\"&"


def three(**more) -> Sweep:
    """Three objectives, the last one maximised; two methods with twenty points each."""
    draw = np.random.default_rng(3)
    points = {task: draw.uniform(0, 1, (20, 3)).round(3).tolist() for task in range(2)}
    points[1] += [[90.0, 0.0, 0.5], [0.0, 90.0, 0.5], [0.5, 0.5, -90.0]]
    return Sweep(**{**dict(axes={"data.data": ("problem", ["houses"])}, methods=["one", "two"], index={"data.data": [0, 0]},
                           objectives=(("f", "", "minimise"), ("g", "", "minimise"), ("h", "share", "maximise")), points=points), **more})


def evil() -> Sweep:
    """Names that would be elements, were they not texts."""
    return Sweep(axes={"data.data": ("problem", [EVIL]), "seed": ("replicate", [EVIL, "2"])}, methods=[EVIL] * 2,
                 index={"data.data": [0, 0], "seed": [0, 1]}, objectives=((EVIL, EVIL, "minimise"), ("gap", EVIL, "minimise")),
                 points={0: [[1.0, 2.0], [2.0, 1.0]], 1: [[1.5, 1.5]]}, data=(EVIL,),
                 measures={EVIL: (EVIL, "minimise", {"test": [0.5, 0.25], ("test", EVIL): [0.5, 0.75]})},
                 series={EVIL: ("minimise", {0: ([0, 1], [2.0, 1.0])})}, config=(("measures", EVIL, EVIL),))


def nothing() -> Sweep:
    """A run that has just begun."""
    return Sweep(axes={"seed": ("replicate", ["1", "2"])}, methods=["one", "one"], index={"seed": [0, 1]}, status=[0, 0])


class Selecting(PageTest):
    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        (folder / "old").mkdir()
        (folder / "new").mkdir()
        return [test_report_decisions.sweep().write(folder / "old" / "same.h5"),
                test_report_decisions.sweep(seed=9).write(folder / "new" / "same.h5"),
                three().write(folder / "three.h5"), evil().write(folder / "evil.h5"), nothing().write(folder / "nothing.h5")]

    def show(self, archive: int) -> None:
        self.window.run(SLIDE, "archive", archive, "change")

    def text(self, name: str) -> str:
        return self.window.run("return document.getElementById(arguments[0]).innerText", name)

    def press(self, name: str) -> None:
        self.window.run("document.getElementById(arguments[0]).click()", name)

    def link(self) -> str:
        self.window.run("rememberNow()")
        return self.window.run("return location.hash.slice(1)")

    def corner(self, x: float, y: float) -> list[float]:
        """Of a point of the fronts in the window."""
        return self.window.run("const place = charts.fronts.convertToPixel('grid', arguments), box = document.getElementById('fronts'); "
                               "box.scrollIntoView(); const corner = box.getBoundingClientRect(); "
                               "return [corner.x + place[0], corner.y + place[1]]", x, y)

    def test_several_bounds_name_the_best_point(self) -> None:
        self.show(2)
        with fairfront_archive.open(self.archives[2], program=False) as archive:
            for best, bounds in ((0, {1: 0.4, 2: 0.3}), (2, {0: 0.5, 1: 0.6}), (1, {2: 0.999}), (0, {1: -1.0})):
                self.window.run(SLIDE, "bound-best", best, "change")
                for i, bound in bounds.items():
                    self.window.run(SLIDE, f"limit-{i}", bound, "change")
                wish = [f"{'fgh'[i]}{'>=' if i == 2 else '<='}{bound}" for i, bound in bounds.items()]
                (choice,) = archive.choose(bound=wish, best="fgh"[best])
                first = choice.candidates[0]
                self.assertIn(f"task {first.task.index}, point {first.point} of", self.text("bound-answer"))
                self.assertEqual("No point keeps" in self.text("bound-answer"), choice.chosen is None)
        self.assertEqual(self.window.run("return state.chosen"), -1)

    def test_a_slider_moves_by_keys_and_says_its_bound(self) -> None:
        self.window.run("document.getElementById('slider-1').focus()")
        self.window.press("\ue012")  # left
        said = self.window.run("return document.getElementById('slider-1').getAttribute('aria-valuetext')")
        limit = self.window.run("return document.getElementById('limit-1').value")
        self.assertEqual(said, f"gap ≤ {float(limit):g} share")
        self.assertIn(f"--bound 'gap<={limit}'", self.text("bound-commands"))
        lines = self.window.run("return charts.fronts.getOption().series.find((one) => one.id === 'bounds').markLine.data")
        self.assertEqual([line["yAxis"] for line in lines], [float(limit)])

    def test_archives_of_the_same_objectives_share_a_chart(self) -> None:
        names = "return charts.fronts.getOption().legend[0].data"
        self.assertEqual(self.window.run(names), ["first", "second", "third"])
        self.press("together")
        self.assertEqual(self.window.run(names), ["old/same.h5", "new/same.h5"])
        self.assertIn("3 of 5 archives have other objectives, or no problem of the same rows, groups and labels in which the same is called unfair, and "
                      "are left out", self.text("symbols"))
        self.assertIn("first: circle, second: square, third: diamond", self.text("symbols"))
        series = "return charts.fronts.getOption().series.filter((one) => /^points/.test(one.id)).map((one) => [one.name, one.itemStyle.color])"
        looks = self.window.run(series)
        self.assertEqual(len(looks), 6)
        self.assertEqual(len({tuple(look) for look in looks}), 2)
        # A click on a point of the other archive leads there, and the chart stays.
        row = self.window.run("const fronts = load(archives[1]).fronts; const seen = new Set(load(archives[0]).fronts.points[0].map((x, i) => "
                              "`${x} ${archives[0].fronts.points[1][i]}`)); return Array.from(fronts.task.keys()).find((i) => "
                              "archives[1].tasks.problem[fronts.task[i]] === 0 && !seen.has(`${fronts.points[0][i]} ${fronts.points[1][i]}`))")
        x, y = self.window.run("return archives[1].fronts.points.map((column) => column[arguments[0]])", row)
        self.press("strays")
        self.window.click(*self.corner(x, y))
        self.assertEqual(self.window.run("return state.archive"), 1)
        self.assertEqual(self.window.run("return archives[1].fronts.points.map((column) => column[state.chosen])"), [x, y])
        self.assertEqual(self.window.run(names), ["old/same.h5", "new/same.h5"])
        self.show(2)
        self.assertTrue(self.window.run("return document.getElementById('together').disabled"))

    def test_a_rectangle_marks_points_and_their_tasks_among_the_axes(self) -> None:
        self.press("strays")
        x, y = self.window.run("return current().fronts.points.map((column) => column[2])")
        begin, end = self.corner(x - 0.04, y + 0.04), self.corner(x + 0.04, y - 0.04)
        (left, top), (right, bottom) = begin, end
        self.window.actions("pointer", [{"type": "pointerMove", "x": round(left), "y": round(top)}, {"type": "pointerDown", "button": 0},
                                        {"type": "pointerMove", "x": round((left + right) / 2), "y": round(bottom)},
                                        {"type": "pointerMove", "x": round(right), "y": round(bottom)}, {"type": "pointerUp", "button": 0}])
        tasks = self.window.run("return [...markedTasks(current())]")
        expected = self.window.run("const {fronts, tasks} = current(); return [...new Set([...pointsByCurve(current()).values()].flatMap((rows) => "
                                   "Array.from(rows)).filter((row) => fronts.points[0][row] === arguments[0] && "
                                   "fronts.points[1][row] === arguments[1]).map((row) => fronts.task[row]))]", x, y)
        self.assertEqual(set(tasks), set(expected))
        self.assertRegex(self.text("marked"), r"\d+ points? of \d+ tasks? (is|are) marked")
        self.window.run("drawNow('parallel')")
        strong = self.window.run("return charts.parallel.getOption().series[0].data.filter((one) => one.lineStyle.width === 2).length")
        known = self.window.run("return parallelRows(current()).rows.filter((row) => markedTasks(current()).has(row.task)).length")
        self.assertEqual(strong, known)
        self.press("zoom-marked")
        (low, high), _ = self.window.run("return endsShown()")
        self.assertTrue(x - 0.1 < low < x < high < x + 0.1)
        self.press("zoom-out")
        self.press("unmark")
        self.assertEqual((self.window.run("return [state.zoom, state.marked]"), self.text("marked")), ([None, None], ""))

    def test_tasks_with_an_infinite_measure_are_counted_below_the_axes(self) -> None:
        title = "drawNow('parallel'); return charts.parallel.getOption().title.map((one) => one.text).join('')"
        self.assertEqual(self.window.run(title), "")
        name = self.window.run("const one = parallelRows(current()).number; window.kept = Float64Array.from(one.values); "
                               "one.values[0] = Infinity; return one.name")
        lines = "return charts.parallel.getOption().series[0].data.length"
        self.assertEqual(self.window.run(title), f"1 task with an infinite {name} has no line")
        before = self.window.run(lines)
        self.window.run("parallelRows(current()).number.values[1] = -Infinity")
        self.assertEqual(self.window.run(title), f"2 tasks with an infinite {name} have no line")
        self.assertEqual(self.window.run(lines), before - 1)
        self.window.run("parallelRows(current()).number.values.fill(Infinity)")
        self.assertIn(f"tasks with an infinite {name} have no line", self.window.run(title))
        self.window.run("parallelRows(current()).number.values.set(kept); drawNow('parallel')")

    def test_a_link_of_another_page_selects_nothing_here_and_says_so(self) -> None:
        """It chose the task of its number in the first archive."""
        before = self.window.run("return [state.archive, state.chosen, location.hash]")
        self.window.run("restore('archive=elsewhere.h5&task=1&point=0&bound=1,0.5')")
        self.assertEqual(self.window.run("return [state.archive, state.chosen, location.hash]"), before)
        self.assertIn("elsewhere.h5, which this page does not have", self.text("lost-link"))
        self.window.run("restore('')")
        self.assertTrue(self.window.run("return document.getElementById('lost-link').hidden"))

    def test_a_link_of_another_run_selects_nothing_here_and_says_so(self) -> None:
        """A link of the first archive of a page named no archive: on another page its bound was one on something else."""
        self.window.run(SLIDE, "limit-1", 1.125, "change")
        link = self.link()
        run = re.search(r"run=([0-9a-f]{12})", link)[1]
        before = self.window.run("return [state.bounds, state.chosen]")
        self.window.run("restore('')")
        self.window.run("restore(arguments[0])", link)
        self.assertEqual(self.window.run("return [state.bounds, state.chosen]"), before)
        other = link.replace(run, "0123456789ab")
        for text, said in ((other, "The link is of another run, which this page does not have."),
                           (other + "&archive=three.h5", "The link is of another run of three.h5, which this page does not have."),
                           ("problem=77&task=1&point=0", "The link is of problem 77, which this archive does not have."),
                           ("of=elsewhere&bound=1,0.5", "The link's bound is on points of elsewhere, which this archive does not have.")):
            with self.subTest(text):
                self.window.run("restore(arguments[0])", text)
                self.assertEqual(self.text("lost-link"), said)
                self.assertEqual(self.window.run("return [state.bounds.given, state.chosen]"), [False, -1])
        self.window.run("restore('')")

    def test_another_objective_to_choose_by_is_in_the_address(self) -> None:
        """It still named the bound that was there before."""
        self.window.run(SLIDE, "limit-1", 1.125, "change")
        self.assertIn("bound=", self.link())
        self.window.run(SLIDE, "bound-best", 1, "change")
        self.window.wait("setTimeout(arguments[0], 400)")
        self.assertNotIn("bound=", self.window.run("return location.hash"))

    def test_a_link_of_a_point_that_is_not_there_says_so(self) -> None:
        for task, point in ((999, 0), (0, 999)):
            self.window.run(f"restore('task={task}&point={point}')")
            self.assertEqual(self.text("lost-link"),
                             f"The link is of point {point} of task {task}, which no front of this archive has.")
        self.window.run("restore('task=0&point=1')")
        self.assertTrue(self.window.run("return document.getElementById('lost-link').hidden"))

    def test_long_names_on_an_axis_are_told_apart(self) -> None:
        short = "return shortNames(arguments[0], LONGEST_LABEL)"
        self.assertEqual(self.window.run(short, ["sgd", "fair"]), ["sgd", "fair"])
        begins, ends = "stochastic_alternating_gradient_", "_of_the_whole_population"
        for names in ([f"{begins}{i}" for i in range(3)], [f"{i}{ends}" for i in "abc"],
                      [f"{begins}{i}{begins}" for i in range(12)], [f"{begins}{i}" for i in range(5)] + ["sgd"],
                      ["a b", "a  b"]):
            found = self.window.run(short, names)
            self.assertEqual(len(set(found)), len(names), found)
            self.assertLessEqual(max(map(len, found)), 15, found)
            self.assertEqual(found, short_names(names, self.window.run("return LONGEST_LABEL")))
        labels = self.window.run("drawNow('parallel'); const axis = charts.parallel.getOption().parallelAxis[0]; "
                                 "return axis.data.map((name, i) => axis.axisLabel.formatter(name, i))")
        self.assertEqual(labels, self.window.run("return shortNames(current().curves, LONGEST_LABEL)"))

    def test_an_interval_of_an_axis_marks_points_of_the_fronts(self) -> None:
        self.window.run("drawNow('parallel'); charts.parallel.dispatchAction({type: 'axisAreaSelect', parallelAxisId: "
                        "charts.parallel.getModel().getComponent('parallelAxis', 0).id, intervals: [[-0.4, 0.4]]})")
        tasks = self.window.run("return [...state.marked.tasks].sort((a, b) => a - b)")
        self.assertEqual(tasks, [0, 1, 2])  # the first method
        marked = self.window.run("return charts.fronts.getOption().series.find((one) => one.id === 'marked').data.length")
        self.assertEqual(marked, 12)
        self.assertIn("12 points of 3 tasks are marked", self.text("marked"))

    def test_ends_of_a_zoomed_axis_have_few_digits(self) -> None:
        """Once 0.26666666666666666."""
        self.window.run("zoomTo([[0.8 / 3, 7 / 3], [0.5, 2.5]])")
        said = self.window.run("const axis = charts.fronts.getOption().xAxis[0]; "
                               "return [axis.min, axis.max, 1.2345678].map(axis.axisLabel.formatter)")
        self.assertEqual(said, ["0.2667", "2.333", "1.235"])
        self.window.run("zoomTo([[0.123450, 0.123458], [0.5, 2.5]])")
        said = self.window.run("const axis = charts.fronts.getOption().xAxis[0]; "
                               "return [0.123452, 0.123453].map(axis.axisLabel.formatter)")
        self.assertEqual(said, ["0.123452", "0.123453"])

    def test_keys_zoom_and_mark(self) -> None:
        self.window.run("document.getElementById('fronts').focus()")
        ends = "return endsShown()"
        before = self.window.run(ends)
        self.window.press(RIGHT)
        self.window.press("+")
        (low, high), _ = self.window.run(ends)
        self.assertAlmostEqual(high - low, (before[0][1] - before[0][0]) / 1.5)
        self.window.press("m")
        self.assertEqual(self.window.run("return state.marked.ranges"), self.window.run(ends))
        self.window.press("0")
        np.testing.assert_allclose(self.window.run(ends), before)
        self.window.press("\ue00c")  # escape
        self.assertIsNone(self.window.run("return state.marked"))

    def test_colours_tell_a_third_objective_and_axes_can_be_changed(self) -> None:
        self.show(2)
        option = "const made = charts.fronts.getOption(); return [made.xAxis[0].name, made.yAxis[0].name, made.visualMap[0].text[0], made.series[0].data[0]]"
        found = self.window.run(option)
        first = three().points[0][0]
        self.assertEqual(found, ["f  (← better)", "g  (← better)", "h [share]", first])
        self.window.run(SLIDE, "axis-y", 2, "change")
        found = self.window.run(option)
        self.assertEqual(found, ["f  (← better)", "h [share]  (better →)", "g", [first[0], first[2], first[1]]])
        self.window.run(SLIDE, "axis-x", 2, "change")  # they change places
        self.assertEqual(self.window.run(option)[:2], ["h [share]  (better →)", "f  (← better)"])
        self.window.run("choose(0)")
        self.assertRegex(self.text("detail"), r"h \[share\]\s+" + f"{first[2]:.5g}")

    def test_every_pair_of_three_objectives_is_framed_by_the_fronts(self) -> None:
        """One stray of each objective squeezed all other points of its pairs, and of the colours, into a corner."""
        self.show(2)
        limits = "const {xAxis: [x], yAxis: [y], visualMap: [colour]} = charts.fronts.getOption(); return [[x.min, x.max], [y.min, y.max], [colour.min, colour.max]]"
        for axes in ((0, 1), (2, 0), (1, 2)):
            for name, which in zip(("axis-x", "axis-y"), axes):
                self.window.run(SLIDE, name, which, "change")
            with self.subTest(axes):
                for (low, high), which in zip(self.window.run(limits), (*axes, ({0, 1, 2} - {*axes}).pop())):
                    self.assertGreaterEqual(low, -0.2, which)
                    self.assertLessEqual(high, 1.3, which)
                self.assertRegex(self.text("marks"), r"^[2-9] of 43 points lie beyond the frame\.$")  # dominated ones, too
        self.press("strays")
        self.assertEqual(self.window.run(limits)[:2], [[None, None]] * 2)
        self.assertGreater(self.window.run(limits)[2][1], 80)

    def test_the_link_holds_what_is_selected(self) -> None:
        self.show(1)
        self.window.run(SLIDE, "problem", 1, "change")
        self.window.run(SLIDE, "part", "reported", "change")
        self.window.run(SLIDE, "limit-1", 1.125, "change")
        self.window.run("zoomTo([[1, 3], [0.5, 2.5]]); mark({ranges: [[1, 2], [1, 2]]}); "
                        "charts.fronts.dispatchAction({type: 'legendToggleSelect', name: 'second'})")
        parts = ("return [state.archive, state.problem, document.getElementById('part').value, state.zoom, state.marked, [...state.hidden], "
                 "state.bounds, state.chosen, document.getElementById('bound-answer').innerText, document.getElementById('detail').innerText]")
        before, link = self.window.run(parts), self.link()
        self.assertGreaterEqual(before[7], 0)
        self.window.visit("about:blank")
        self.window.open(self.page, link)
        self.assertEqual(self.window.run(parts), before)
        self.assertEqual(self.link(), link)

    def test_a_link_of_three_objectives_or_of_nothing_that_is_there(self) -> None:
        self.window.visit("about:blank")
        self.window.open(self.page, "archive=three.h5&axes=2,0&task=1&point=4")
        self.assertEqual(self.window.run("return [state.archive, state.axes, state.chosen]"), [2, [2, 0], 24])
        for link in ("archive=none&problem=77&task=999&point=-3&axes=0,9&zoom=1,2&bound=7,1&bound=x&without=nobody&part=reported",
                     "task=0&point=99", "%%%", "archive=<img src=x onerror=ran=1>&of=<b>", "zoom=2,1,0,0&marked=NaN,1,2,3"):
            self.window.visit("about:blank")
            self.window.open(self.page, link)
            self.assertEqual(self.window.run("return [state.archive, state.problem, state.chosen, state.zoom, state.marked, state.axes, state.bounds.given]"),
                             [0, 0, -1, None, None, [0, 1], False], link)

    def test_a_link_that_is_pasted_into_an_open_page_is_followed(self) -> None:
        self.window.run("location.hash = 'archive=three.h5&task=1&point=2'")
        self.window.wait("setTimeout(arguments[0], 100)")
        self.assertEqual(self.window.run("return [state.archive, state.chosen]"), [2, 22])

    def test_a_click_on_a_head_sorts_a_table(self) -> None:
        def column(table: str, place: int) -> list[str]:
            return self.window.run("return [...document.getElementById(arguments[0]).tBodies[0].rows].map((row) => "
                                   "row.cells[arguments[1]].textContent)", table, place)

        def head(table: str, text: str) -> None:
            self.window.run("[...document.querySelectorAll(`#${arguments[0]} th button`)].find((one) => one.textContent === arguments[1]).click()",
                            table, text)

        before = column("ranking", 1)
        head("ranking", "method")
        self.assertEqual(column("ranking", 1), sorted(before))
        head("ranking", "method")
        self.assertEqual(column("ranking", 1), sorted(before, reverse=True))
        head("ranking", "seconds")
        values = [float(text.split()[0]) for text in column("ranking", [*self.window.run(
            "return [...document.querySelectorAll('#ranking thead th')].map((one) => one.textContent)")].index("seconds"))]
        self.assertEqual(values, sorted(values))
        self.assertEqual(self.window.run("return [...document.querySelectorAll('#ranking th[aria-sort]')].map((one) => [one.textContent, "
                                         "one.getAttribute('aria-sort')])"), [["seconds", "ascending"]])
        # Another problem keeps the order.
        self.window.run(SLIDE, "problem", 1, "change")
        self.assertEqual(self.window.run("return document.querySelector('#ranking th[aria-sort]').textContent"), "seconds")
        # Under two rows of heads, and with cells that have no value.
        self.window.run("[...document.querySelectorAll('#costs th button')].filter((one) => one.textContent === 'decided')[1].click()")
        cells = self.window.run("return [...document.getElementById('costs').tBodies[0].rows].map((row) => row.cells[3].dataset.value ?? null)")
        known = [float(cell) for cell in cells if cell is not None]
        self.assertEqual(known, sorted(known))
        self.assertNotIn(None, cells[:len(known)])
        self.assertTrue(self.window.run("return sortKey(Object.assign(document.createElement('td'), {textContent: '– none'})) === null"))

    def test_a_run_that_has_done_nothing_yet_has_a_page(self) -> None:
        self.show(4)
        self.assertIn("PARTIAL: 0 of 2 tasks done, 2 missing", self.text("warnings"))
        self.assertEqual(self.window.run("return ['fronts-section', 'bound-section', 'audit-section', 'by-group-section'].map((name) => "
                                         "document.getElementById(name).getBoundingClientRect().height)"), [0, 0, 0, 0])
        self.assertEqual(self.link(), "archive=nothing.h5")
        self.show(2)
        self.assertNotEqual(self.text("bound-answer"), "")

    def test_nothing_in_an_archive_becomes_an_element(self) -> None:
        for opened in ("archive=evil.h5", "archive=evil.h5&together=1&task=0&point=1&bound=1,1.5"):
            self.window.visit("about:blank")
            self.window.open(self.page, opened)
            self.window.run("for (const one of document.querySelectorAll('details')) one.open = true; for (const name of Object.keys(builders)) "
                            "if (!document.getElementById(name).closest('[hidden]')) drawNow(name); choose(0)")
            self.window.hover(*self.corner(1.5, 1.5))
            self.window.wait("setTimeout(arguments[0], 300)")
            self.assertIn("<img src=x onerror", self.text("fronts"))
            self.assertEqual(self.window.run("return document.images.length"), 0)
            self.assertIsNone(self.window.run("return window.ran"))
            self.assertIn("<img src=x", self.text("ranking"))
            self.assertIn("<img src=x", self.text("detail"))


class LevelPoints(PageTest):
    """Of points that are level in what is to be best, as balances often are, and of several bounds in other units."""

    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        draw = np.random.default_rng(4)
        points = {task: (draw.integers(0, 5, (60, 3)) * [1.0, 100.0, 0.01]).tolist() for task in range(2)}
        return [three(points=points).write(folder / "level.h5")]

    def test_the_page_names_the_point_that_choose_names(self) -> None:
        draw = np.random.default_rng(5)
        units, outcomes = (1.0, 100.0, 0.01), set()
        with fairfront_archive.open(self.archives[0], program=False) as archive:
            for _ in range(300):
                best = int(draw.integers(3))
                limits = [None if i == best or draw.random() < 0.3 else float(draw.integers(-2, 7) + 0.5) * units[i] for i in range(3)]
                wish = [f"{'fgh'[i]}{'>=' if i == 2 else '<='}{limit!r}" for i, limit in enumerate(limits) if limit is not None]
                (choice,) = archive.choose(bound=wish, best="fgh"[best])
                first = choice.candidates[0]
                row = first.task.index * 60 + first.point
                with self.subTest(best=best, limits=limits):
                    found = self.window.run("return bestWithin(load(archives[0]), 0, ...arguments)", best, limits)
                    self.assertEqual(found, {"row": row, "kept": choice.chosen is not None})
                outcomes.add((len(wish), choice.chosen is not None))
        self.assertGreaterEqual(outcomes, {(0, True), (1, True), (1, False), (2, True), (2, False)})


if __name__ == "__main__":
    unittest.main()
