"""The page of archives, in headless Chromium where that and the charting library are installed."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import numpy as np

import bench_report
import fairfront_archive
import report
import sample_archive
from fairfront_report import content, remarks
from page_tests import LEFT, RIGHT, PageTest
from sample_archive import Sweep


def sweep(**more) -> Sweep:
    """Two problems, two methods, three replicates; a series; a task that failed."""
    points = {task: [[1.0 + 0.1 * task, 3.0], [2.0 + 0.1 * task, 1.0]] for task in range(12)
              if task != 11}
    return Sweep(**{**dict(
        axes={"data.data": ("problem", ["people </script>", "houses"]),
              "seed": ("replicate", ["1", "2", "3"])},
        methods=["first"] * 6 + ["second"] * 6,
        index={"data.data": [0, 0, 0, 1, 1, 1] * 2, "seed": [0, 1, 2] * 4},
        points=points, reports={task: [[5.0, 5.0], [6.0, 6.0]] for task in points},
        metrics={"steps": ("", "none", [50.0] * 12)},
        measures={"error": ("share", "minimise", {
            "train": [0.25] * 12, "test": [(0.1 * i, 0.05 * i, 0.15 * i) for i in range(12)]})},
        series={"loss": ("minimise", {task: ([0, 1, 2], [3.0 + task, 2.0, 1.0])
                                      for task in range(11)})},
        solutions={"group_rows": [[[30.0, 10.0 + task]] for task in range(11)] + [[]]},
        status=[1] * 11 + [2]), **more})


class Content(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_it_is_json_with_every_point_and_the_surfaces_of_each_curve(self) -> None:
        with fairfront_archive.open(sweep().write(self.folder / "a.h5")) as archive:
            found = content.content_of(archive)
        json.dumps(found, allow_nan=False)
        self.assertEqual(len(found["surfaces"]), 4)
        self.assertEqual(found["surfaces"][0]["median"], [[1.1, 3.0], [2.1, 1.0]])
        self.assertEqual(found["problems"], ["data = people </script>", "data = houses"])
        failed = {(row["problem"], row["method"]): row["failed"] for row in found["ranking"]}
        self.assertEqual(failed["data = houses", "second"], 1)
        self.assertEqual(failed["data = houses", "first"], 0)

    def test_a_method_all_of_whose_tasks_failed_stands_below_the_ranking(self) -> None:
        points = {task: [[1.0, 3.0], [2.0, 1.0]] for task in range(9)}
        mine = sweep(status=[1] * 9 + [2] * 3, points=points, reports={}, series={}, solutions={})
        with fairfront_archive.open(mine.write(self.folder / "a.h5")) as archive:
            rows = [row for row in content.ranking_of(archive) if row["problem"] == "data = houses"]
        self.assertEqual([(row["method"], row["failed"], bool(row["cells"])) for row in rows],
                         [("first", 0, True), ("second", 3, False)])

    def test_lists_are_of_points_or_tasks_and_of_labels_the_sizes(self) -> None:
        with fairfront_archive.open(sample_archive.write(self.folder / "a.h5")) as archive:
            (found,) = content.lists_of(archive)
        self.assertEqual((found["name"], found["linked"]), ("sizes by labels", True))
        values = np.frombuffer(base64.b64decode(found["values"]))
        self.assertEqual(values.tolist(), [2, 2] * 6)  # of 0, 0, 1, 1
        own = sweep(solutions={"weights": [[[0.0] * (content.LONGEST_LIST + 1)]] + [[]] * 11,
                               "group_rows": [[]] + [[[3.0, 4.0]]] * 11})
        with fairfront_archive.open(own.write(self.folder / "b.h5")) as archive:
            (found,) = content.lists_of(archive)  # weights are too long to be read
        self.assertEqual((found["name"], found["linked"]), ("group_rows", False))

    def test_a_thinned_surface_keeps_its_ends_and_has_no_other_corners(self) -> None:
        x = np.geomspace(1, 1000, 5000)
        corners = np.column_stack([x, 1 / x])
        found = content.thinned(corners)
        self.assertLessEqual(len(found), content.MOST_CORNERS)
        self.assertTrue({*map(tuple, found)} <= {*map(tuple, corners)})
        np.testing.assert_array_equal(found[[0, -1]], corners[[0, -1]])
        steps = np.abs(np.diff(found / np.ptp(corners, axis=0), axis=0)).sum(axis=1)
        self.assertLess(steps.max(), 0.1)

    def test_the_frame_is_of_the_fronts_and_not_of_their_strays(self) -> None:
        own = sweep()
        own.points[10] = [[2.0, 1.0], [900.0, 0.99]]  # one replicate has a point far out
        with fairfront_archive.open(own.write(self.folder / "a.h5")) as archive:
            frames = content.content_of(archive)["frames"]
        self.assertEqual([frame["problem"] for frame in frames], [0, 1])
        for frame in frames:
            (left, right, _), (bottom, top, _) = frame["ends"]
            self.assertLess(right, 10)
            self.assertGreaterEqual(min(left, bottom), 0)  # nothing is below
            self.assertLessEqual(bottom, 1)
            self.assertGreaterEqual(top, 3)

    def test_the_frame_of_three_objectives_is_of_the_fronts_too(self) -> None:
        at = np.linspace(0, 1, 20)
        points = np.column_stack([at, (1 - at)**2, 1 + at * (1 - at)])
        own = Sweep(axes={}, methods=["a"], index={}, points={0: [*points.tolist(), [90.0, -0.01, 1.5], [0.5, 0.3, 90.0]]},
                    objectives=tuple((name, "", "minimise") for name in ("first", "second", "third")))
        with fairfront_archive.open(own.write(self.folder / "a.h5")) as archive:
            (frame,) = content.content_of(archive)["frames"]
        self.assertIsNone(frame["constant"])
        np.testing.assert_array_less([ends[1] for ends in frame["ends"]], [2, 2, 2.5])
        np.testing.assert_array_less([0.95, 0.95, 1.2], [ends[1] for ends in frame["ends"]])

    def test_an_axis_ends_at_its_ticks(self) -> None:
        np.testing.assert_allclose(content.ticked(0.513, 0.688), [0.5, 0.7, 0.05])
        np.testing.assert_allclose(content.ticked(-3.0, 97.0), [-20, 100, 20])
        np.testing.assert_allclose(content.ticked(2.0, 2.0), [2.0, 2.0, 1.0])

    def test_records_are_no_trajectories_and_gaps_have_their_bounds(self) -> None:
        lines = {task: ([0, 1], [1.0, 0.5]) for task in range(11)}
        own = sweep(series={"gap_train": ("minimise", lines), "left_over": ("none", lines)},
                    axes={"data.data": ("problem", ["people", "houses"]),
                          "seed": ("replicate", ["1", "2", "3"]), "first.delta": ("trade_off", ["0.25"])},
                    index={"data.data": [0, 0, 0, 1, 1, 1] * 2, "seed": [0, 1, 2] * 4,
                           "first.delta": [0] * 6 + [-1] * 6})
        with fairfront_archive.open(own.write(self.folder / "a.h5")) as archive:
            found = content.content_of(archive)["trajectories"]
        self.assertEqual({one["series"] for one in found}, {"gap_train"})
        self.assertEqual(found[0]["bounds"], [0.25])

    def test_warnings_that_are_alike_stand_once(self) -> None:
        self.assertEqual(remarks.tasks_text([3]), "task 3")
        self.assertEqual(remarks.tasks_text([0, 1]), "tasks 0, 1")
        self.assertEqual(remarks.tasks_text(list(range(50))), "tasks 0, 1, 2, 3, 4, 5 and 44 more")

    def test_a_partial_archive_and_failures_are_warnings(self) -> None:
        own = sweep(status=[1] * 10 + [0, 0])
        with fairfront_archive.open(own.write(self.folder / "a.h5")) as archive:
            self.assertEqual(content.warnings_of(archive)[0],
                             "PARTIAL: 10 of 12 tasks done, 2 missing")

    def test_before_any_task_is_done_nothing_is_ranked(self) -> None:
        for status in (0, 2):
            own = sweep(status=[status] * 12, points={}, series={})
            with fairfront_archive.open(own.write(self.folder / f"{status}.h5")) as archive:
                self.assertEqual(content.content_of(archive)["ranking"], [])

    def test_without_a_library_it_says_how_to_get_one(self) -> None:
        said = io.StringIO()
        path = sample_archive.write(self.folder / "a.h5")
        with (unittest.mock.patch.dict("os.environ", {"FAIRFRONT_ECHARTS": "/none.js"}),
              contextlib.redirect_stderr(said)):
            code = report.main([str(path), "-o", str(self.folder / "page.html")])
        self.assertEqual((code, said.getvalue().count("\n")), (2, 1))
        self.assertIn("npm install", said.getvalue())
        self.assertFalse((self.folder / "page.html").exists())

    def test_nothing_in_an_archive_ends_the_script_and_nothing_is_fetched(self) -> None:
        with fairfront_archive.open(sweep().write(self.folder / "a.h5")) as archive:
            page = report.page_of([content.content_of(archive)], "/* </script> @DATA@ */")
        self.assertEqual(page.count("</script>"), 5)  # data, two reported columns, library, page
        self.assertIn("/* <\\/script> @DATA@ */", page)  # put in once, not looked at again
        own = page.replace("/* <\\/script> @DATA@ */", "")
        self.assertIsNone(re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", own))


    def test_a_policy_allows_its_own_scripts_and_style_alone_and_it_says_what_was_checked(self) -> None:
        with fairfront_archive.open(sweep().write(self.folder / "a.h5")) as archive:
            page = report.page_of([content.content_of(archive)], "let library\r\n= 1;")
        policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertTrue(policy.startswith("default-src 'none'; script-src 'sha256-"), policy)
        self.assertNotIn("unsafe", policy)
        for element in ("<style>(.*?)</style>", "<script>(let library.*?)</script>", '<script>("use.*?)</script>'):
            text = re.search(element, page, re.S)[1]
            sum_ = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"'sha256-{sum_}'", policy)
        self.assertIn('"checked":"digests recomputed; not verified by the program"', page)


class Page(PageTest):
    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        return [sweep().write(folder / "first.h5"), sample_archive.write(folder / "second.h5")]

    def place_of(self, x: float, y: float) -> tuple[float, float]:
        """Of a point of the fronts in the window."""
        return self.window.run(
            "const place = charts.fronts.convertToPixel('grid', arguments); "
            "const box = document.getElementById('fronts'); box.scrollIntoView(); "
            "const corner = box.getBoundingClientRect(); "
            "return [corner.x + place[0], corner.y + place[1]]", x, y)

    def text(self, name: str) -> str:
        return self.window.run("return document.getElementById(arguments[0]).innerText", name)

    def choose(self, name: str, value: str) -> None:
        self.window.run("const one = document.getElementById(arguments[0]); "
                        "one.value = arguments[1]; one.dispatchEvent(new Event('change'))",
                        name, value)

    def test_the_ranking_is_of_the_problem_that_is_chosen(self) -> None:
        self.assertIn("first\t", self.text("ranking"))
        self.assertIn("people </script>", self.text("ranking"))
        self.choose("problem", "1")
        self.assertIn("houses", self.text("ranking"))
        self.assertNotIn("people", self.text("ranking"))

    def test_a_click_on_a_point_tells_its_task(self) -> None:
        self.window.click(*self.place_of(1.1, 3))
        said = self.text("detail")
        self.assertIn("fairfront replay first.h5 --task 1", said)
        self.assertRegex(said, r"data\.data\s+people </script>")
        self.assertRegex(said, r"risk \[target squared\]\s+1.1; reported 5")
        self.assertRegex(said, r"group rows\s+30, 11\s+target")

    def test_measures_of_a_task_have_their_intervals_beside_them(self) -> None:
        self.window.click(*self.place_of(1.1, 3))
        self.window.run("for (const one of document.querySelectorAll('#detail details')) one.open = true")
        said = self.text("detail")
        self.assertRegex(said, r"steps\s+50\s")
        self.assertRegex(said, r"error \(train\)\s+0\.25\s+share")
        self.assertRegex(said, r"error \(test\)\s+0\.1 \[0\.05, 0\.15\]\s+share")
        self.assertEqual(self.window.run("return [...document.getElementById('measure').options].map((one) => "
                                         "one.value)"), ["error (train)", "error (test)"])

    def test_a_pointer_over_a_point_tells_its_curve_and_values(self) -> None:
        self.window.hover(*self.place_of(2.2, 1))
        self.window.wait("setTimeout(arguments[0], 300)")
        said = self.window.run("return document.querySelector('#fronts').innerText")
        self.assertIn("first: 2.2, 1", said)

    def test_the_frame_can_be_that_of_every_point(self) -> None:
        limits = ("const made = charts.fronts.getOption(); return [made.xAxis[0].min, made.xAxis[0].max]")
        self.assertEqual(self.window.run(limits), self.window.run("return current().frames[0].ends[0].slice(0, 2)"))
        self.window.run("document.getElementById('strays').click()")
        self.assertEqual(self.window.run(limits), [None, None])

    def test_options_of_one_name_are_told_apart(self) -> None:
        self.assertEqual(self.window.run("return axisNames(['alm.delta', 'seed', 'ssl_alm.delta', 'sgd.step'])"),
                         ["alm.delta", "seed", "ssl_alm.delta", "step"])

    def test_no_other_script_runs_on_the_page(self) -> None:
        self.window.run("const one = document.createElement('script'); one.textContent = 'window.ran = 1'; "
                        "document.body.append(one); document.body.insertAdjacentHTML('beforeend', "
                        "'<img src=x onerror=\"window.ran = 1\">')")
        self.window.wait("setTimeout(arguments[0], 300)")
        self.assertIsNone(self.window.run("return window.ran"))
        self.assertIn("Content Security Policy", " ".join(map(str, self.window.log())))

    def test_the_page_says_what_was_checked(self) -> None:
        for name in ("summary", "provenance"):
            self.assertIn("digests recomputed; not verified by the program", self.text(name))

    def test_a_pointer_over_a_trajectory_breaks_no_rule_of_the_page(self) -> None:
        self.window.run("drawNow('trajectories'); charts.trajectories.dispatchAction("
                        "{type: 'showTip', seriesIndex: 0, dataIndex: 1})")
        self.window.wait("setTimeout(arguments[0], 300)")

    def test_the_schedule_has_the_times_of_every_rank(self) -> None:
        self.choose("archive", "1")
        bars, names = self.window.run("const {bars, names} = barsOf(current().tasks); return [bars, names]")
        # Task 2 has failed after half a second, task 3 began then, task 1 after three.
        self.assertEqual(names, ["rank 0", "rank 1"])
        self.assertEqual({(bar[3], bar[2]): (bar[0], bar[1]) for bar in bars},
                         {(0, 0): (0, 3), (1, 0): (3, 8), (2, 1): (0, 0.5), (3, 1): (0.5, 2.5)})

    def test_the_schedule_names_the_methods_and_is_as_high_as_its_ranks_need(self) -> None:
        self.window.run("drawNow('schedule')")
        made = self.window.run("const made = charts.schedule.getOption(); "
                               "return [made.series.map((one) => [one.name, one.data.length]), "
                               "made.legend.length, charts.schedule.getHeight()]")
        # One rank ran all twelve tasks, six of each method.
        self.assertEqual(made[:2], [[["first", 6], ["second", 6]], 1])
        self.assertLess(made[2], 250)
        self.assertGreater(self.window.run("return heightOfSchedule(16)"), 500)
        self.assertEqual(self.window.run("return heightOfSchedule(1000)"), 900)

    def test_without_start_times_tasks_are_laid_one_behind_the_other(self) -> None:
        made = self.window.run("const tasks = {count: 4, rank: [0, 1, 0, 0], status: [1, 1, 2, 0], "
                               "seconds: [2, 5, 3, 9], started: [0, 0, 0, 0]}; layBehind(tasks); "
                               "return tasks.started")
        self.assertEqual(made, [1, 1, 3, 0])

    def test_a_long_pause_between_two_launches_is_cut_out(self) -> None:
        bars = self.window.run(
            "const made = barsOf({started: [100, 9000, 9010], seconds: [10, 10, 10], rank: [0, 0, 1], "
            "status: [1, 1, 2], curve: [0, 0, 0]}); return made")
        cut = 0.03 * 30
        np.testing.assert_allclose([bar[:2] for bar in bars["bars"]],
                                   [[0, 10], [10 + cut, 20 + cut], [20 + cut, 30 + cut]])
        self.assertEqual([pause["seconds"] for pause in bars["pauses"]], [8890])

    def test_arrow_keys_go_along_the_points(self) -> None:
        self.window.run("document.getElementById('fronts').focus()")
        tasks = []
        for key in (RIGHT, RIGHT, RIGHT, LEFT):
            self.window.press(key)
            tasks.append(re.search(r"--task (\d+)", self.text("detail"))[1])
        self.assertEqual(tasks, ["0", "1", "2", "1"])  # by the first objective

    def test_the_reported_part_moves_the_points_and_has_no_surface(self) -> None:
        count = "return charts.fronts.getOption().series.filter((one) => one.name).length"
        first = "return charts.fronts.getOption().series[0].data[0]"
        self.assertEqual(self.window.run(count), 6)  # points, line and band of two methods
        self.assertEqual(self.window.run(first), [1, 3])
        self.choose("part", "reported")
        self.assertEqual(self.window.run(count), 2)
        self.assertEqual(self.window.run(first), [5, 5])

    def test_another_archive_shows_its_own_facts(self) -> None:
        self.choose("archive", "1")
        self.assertIn("experiment clustering, 3 of 4 tasks done, 1 failed", self.text("summary"))
        self.assertIn("no centre left", self.text("warnings"))
        self.assertTrue(self.window.run("return document.getElementById('part').disabled"))

    def test_tables_and_pictures_are_saved_from_the_page(self) -> None:
        self.window.run("window.saved = []; window.save = (...all) => saved.push(all)")
        self.window.run("for (const one of document.querySelectorAll('section:not([hidden]) .tools button')) one.click()")
        saved = {name: text for name, _, text in self.window.run("return saved")}
        self.assertEqual(len(saved), 6)
        lines = saved["first.h5-tasks.csv"].splitlines()
        self.assertEqual(lines[0], "task,method,problem,status,started,seconds,rank,data.data,seed,"
                         "steps,error (train),error (test)")
        self.assertEqual(len(lines), 13)
        self.assertEqual(saved["first.h5-points.csv"].splitlines()[1], "0,first,1,3,5,5")
        for name, text in saved.items():
            if name.endswith(".svg"):
                self.assertTrue(text.startswith("<svg"), name)
                self.assertIn("<path", text)

    def test_it_fits_a_phone_and_follows_the_dark_mode(self) -> None:
        self.window.emulate("Emulation.setDeviceMetricsOverride", width=375, height=800,
                            deviceScaleFactor=2, mobile=True)
        self.window.emulate("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        self.addCleanup(self.window.emulate, "Emulation.clearDeviceMetricsOverride")
        self.addCleanup(self.window.emulate, "Emulation.setEmulatedMedia", features=[])
        self.window.open(self.page)
        width = "return [document.documentElement.scrollWidth, window.innerWidth]"
        self.assertEqual(*self.window.run(width))
        self.assertEqual(self.window.run("return getComputedStyle(document.body).backgroundColor"),
                         "rgb(22, 24, 28)")

    def test_marks_stand_for_all_points_of_a_large_archive(self) -> None:
        made = bench_report.sweep(replicates=20)
        path = made.write(self.page.with_name("large.h5"))
        page = path.with_suffix(".html")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(report.main([str(path), "-o", str(page)]), 0)
        self.window.open(page)
        marks = bench_report.check(self.window, made, 0)
        self.assertEqual(self.text("marks"), "Of 8000 points those that would hide each other share "
                                             f"a mark: {marks} are drawn.")
        self.choose("problem", "3")
        bench_report.check(self.window, made, 3)
        # A mark of several points leads to each of them.
        rows = self.window.run(
            "const archive = current(); const columns = columnsShown(archive); "
            "for (const marks of marksOf(archive, columns).values()) for (const row of marks.rows) { "
            "const all = rowsAt(archive, columns, row); if (all.length > 2) return all; }")
        self.window.run("choose(arguments[0])", rows[0])
        self.assertIn(f"1 of {len(rows)} points that share this mark", self.text("detail"))
        self.window.run("[...document.querySelectorAll('#detail button')]"
                        ".find((one) => one.innerText === 'next one here').click()")
        self.assertIn(f"2 of {len(rows)} points that share this mark", self.text("detail"))


if __name__ == "__main__":
    unittest.main()
