"""What the page says for a decision: model cards, commands, and what a bound costs."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shlex
import tempfile
import unittest

import numpy as np

import fairfront_archive
from fairfront_report import content, decisions
from page_tests import RIGHT, TAB, PageTest
from sample_archive import Sweep, of_two_parts

FITTED = {"preparation": {"columns": [{"name": "age", "log1p": False, "filler": 40.0, "shift": 0.0, "divisor": 1.0,
                                       "place": 0},
                                      {"name": "<b>region", "levels": ["north", "south"], "places": [1, -1],
                                       "values": [1.0, 1.0], "filler": -1}],
                          "unset": [0.0, 0.0], "missing": "mean"},
          "groups": ["f", "m"], "numbers": {}}
MODEL = "score activation=relu data= hidden= link=logistic threshold=0.5 weights=weights"
MOVED = MODEL + " moved_group=1"
APART = MODEL.replace("weights=weights", "weights=measured weights_of_point=weights")
METHODS = ["first", "second", "third"]
REPLICATES = 3


def sweep(points: int = 4, seed: int = 5, **more) -> Sweep:
    """Two problems, two seeds of the data, three methods, `points` in the front of each task; one task has failed."""
    draw = np.random.default_rng(seed)
    count = 2 * REPLICATES * len(METHODS)
    fronts = {task: draw.integers(0, 12, (points, 2)) / 8 + [[0, 0.25 * (task == 1)]] for task in range(count - 1)}
    values = {task: [list(map(float, point)) for point in front] for task, front in fronts.items()}
    measured = [[(value[0][0], value[0][0] - 0.5, value[0][0] + 0.5) for value in values.values()] + [np.nan]]
    methods = [method for method in METHODS for _ in range(2 * REPLICATES)]
    return Sweep(**{**dict(
        axes={"data.data": ("problem", ["it's <b>", "houses"]), "data.seed": ("replicate", ["1", "2", "3"])},
        methods=methods, index={"data.data": [0, 0, 0, 1, 1, 1] * 3, "data.seed": [0, 1, 2] * 6},
        objectives=(("risk", "target squared", "minimise"), ("gap", "share", "minimise")),
        points=values, reports={task: [[x + 1.0, y + 1.0] for x, y in one] for task, one in values.items()},
        measures={"risk": ("target squared", "minimise", {"validation": measured[0],
                                                           "test": [np.add(one, 1.0) for one in measured[0]]}),
                  "error": ("share", "minimise", {"validation": [0.25] * count, ("validation", "f"): [0.5] * count,
                                                  "test": [(0.5, 0.375, 0.75)] * count})},
        solutions={"weights": [[[1.0, 2.0, float(task)]] * points for task in range(count - 1)] + [[]]},
        models=(MODEL,) * (count - 1) + ("",), fitted=json.dumps(FITTED), status=[1] * (count - 1) + [2]), **more})


class Costs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def content(self, own: Sweep) -> dict:
        with fairfront_archive.open(own.write(self.folder / "a.h5"), program=False) as archive:
            found = content.content_of(archive)
        json.dumps(found, allow_nan=False)
        return found

    def test_every_cell_is_the_best_of_the_points_within_the_bound(self) -> None:
        for seed, sign, direction in ((1, 1, "minimise"), (2, -1, "maximise")):
            own = sweep(seed=seed)
            own.objectives = (own.objectives[0], ("balance", "", direction))
            found = self.content(own)
            self.assertEqual([one["problem"] for one in found["costs"]], [0, 1])
            for one in found["costs"]:
                for row in one["rows"]:
                    curve = found["curves"][row["curve"]]
                    tasks = [task for task, method in enumerate(own.methods) if method == curve and task in own.points
                             and own.index["data.data"][task] == one["problem"]]
                    self.assertEqual(row["replicates"], len(tasks))
                    for bound, cell in zip(one["bounds"], row["cells"]):
                        best = []
                        for task in tasks:
                            kept = [(x, sign * y) for x, y in own.points[task] if sign * y <= sign * bound]
                            best += [min(kept)[0]] if kept else []
                        if not best:
                            self.assertIsNone(cell)
                            continue
                        self.assertAlmostEqual(cell["decided"], np.mean(best), delta=1e-12)
                        self.assertAlmostEqual(cell["reported"], np.mean(best) + 1, delta=1e-12)
                        self.assertEqual(cell["count"], len(best))

    def test_the_best_has_a_point_in_every_replicate(self) -> None:
        points = {0: [[1.0, 1.0]], 1: [[1.0, 3.0]], 2: [[5.0, 2.0]], 3: [[5.0, 1.0]]}
        own = Sweep(axes={"seed": ("replicate", ["1", "2"])}, methods=["a", "a", "b", "b"], index={"seed": [0, 1] * 2},
                    points=points)
        (found,) = self.content(own)["costs"]
        self.assertEqual(found["bounds"], [1.0, 2.0, 3.0])
        a, b = (row["cells"] for row in found["rows"])
        self.assertEqual([cell["best"] for cell in a], [False, False, True])
        self.assertEqual([cell["best"] for cell in b], [False, True, False])
        self.assertEqual([cell["count"] for cell in a], [1, 1, 2])
        self.assertFalse(found["reported"])

    def test_what_learnt_from_the_deciding_labels_is_not_best_there(self) -> None:
        own = Sweep(axes={"seed": ("replicate", ["1"])}, methods=["a", "b"], index={"seed": [0, 0]},
                    points={0: [[1.0, 1.0]], 1: [[2.0, 1.0]]}, reports={0: [[1.0, 1.0]], 1: [[2.0, 1.0]]},
                    metrics={"deciding_labels_used": ("", "none", [9.0, 0.0])})
        found = self.content(own)
        a, b = (row["cells"][0] for row in found["costs"][0]["rows"])
        self.assertEqual((a["best"], b["best"], a["best_reported"], b["best_reported"]), (False, True, True, False))
        self.assertEqual(found["models"]["left_out"], [0])

    def test_methods_that_decide_on_different_parts_are_of_problems_of_their_own(self) -> None:
        """They stood in one chart, the better one was marked, and a slider named a point where `choose` refuses."""
        found = self.content(of_two_parts())
        parts = ["people, choose_on = validation", "people, choose_on = train"]
        self.assertEqual(found["problems"], ["people", *parts])
        self.assertEqual([(found["problems"][one["problem"]], len(one["rows"]), one["rows"][0]["cells"][0]["best"]) for one in found["costs"]],
                         [(part, 1, False) for part in parts])
        self.assertEqual([found["problems"][one["problem"]] for one in found["frames"] + found["surfaces"]], parts * 2)
        self.assertEqual({row["problem"] for row in found["ranking"]}, set(parts))
        self.assertEqual(found["models"]["mixed"], [0])
        config = {"choose_on": "validation", "report_on": "test"}
        for reported, mixed in (("train", [0]), ("test", []), ("none", [])):  # as `choose` refuses it
            own = {"thresholds": config, "drawn_thresholds": {**config, "report_on": reported}}
            found = self.content(dataclasses.replace(of_two_parts(), config=tuple(
                (method, option, value) for method, options in own.items() for option, value in options.items())))
            self.assertEqual(found["models"]["mixed"], mixed)

    def test_bounds_are_round_and_reach_from_the_least_to_the_greatest(self) -> None:
        draw = np.random.default_rng(3)
        for scale in (1e-6, 1.0, 3e5):
            gaps = scale * draw.uniform(0.1, 0.9, 200)
            bounds = decisions.bounds_of(gaps)
            self.assertEqual(len(bounds), decisions.BOUNDS)
            self.assertGreaterEqual(bounds[0], gaps.min())
            self.assertLess(bounds[0], gaps.min() + 0.01 * scale)
            self.assertGreaterEqual(bounds[-1], gaps.max())
            self.assertTrue(all(len(f"{bound:.15g}".strip("0").replace(".", "").split("e")[0]) <= 6 for bound in bounds))
        self.assertEqual(decisions.bounds_of(np.array([0.0, 0.0])).tolist(), [0.0])
        self.assertEqual(decisions.bounds_of(np.array([np.nan])).tolist(), [])

    def test_a_model_that_is_damaged_is_said(self) -> None:
        own = sweep()
        own.models = (MODEL.replace("relu", "nothing"), *own.models[1:])
        found = self.content(own)
        self.assertIn("a model that is damaged", found["models"]["cards"][0]["damaged"])
        self.assertEqual(found["models"]["card"][:2] + found["models"]["card"][-1:], [0, 1, -1])


class Page(PageTest):
    @classmethod
    def write_archives(cls, folder: pathlib.Path) -> list[pathlib.Path]:
        moved = sweep(1, models=(MOVED,) * 17 + ("",),
                      solutions={"weights": [[[1.0, 2.0, 0.5, 1.0, 2.0]]] * 17 + [[]]},
                      metrics={"deciding_labels_used": ("", "none", [0.0] * 16 + [7.0, 0.0])})
        third = Sweep(axes={}, methods=["a"], index={}, points={0: [[1.0, 2.0]]})
        apart = sweep(1, models=(APART,) * 17 + ("",),
                      solutions={name: [[weights]] * 17 + [[]] for name, weights in (("weights", [1.0, 2.0, 0.5]), ("measured", [2.0, 1.0, 0.5]))})
        return [sweep().write(folder / "-it's first.h5"), moved.write(folder / "second.h5"),
                third.write(folder / "third.h5"), of_two_parts().write(folder / "parts.h5"),
                apart.write(folder / "apart.h5")]

    def show(self, archive: int) -> None:
        self.window.run("const one = document.getElementById('archive'); one.value = arguments[0]; "
                        "one.dispatchEvent(new Event('change'))", str(archive))

    def chosen(self, row: int) -> str:
        return self.window.run("choose(arguments[0]); return document.getElementById('detail').innerText", row)

    def commands(self, row: int) -> list[str]:
        self.chosen(row)
        return self.window.run("return [...document.querySelectorAll('.commands code')].map((one) => one.innerText)")

    def test_a_point_has_its_model_card(self) -> None:
        said = self.chosen(6)
        self.assertIn("Model card", said)
        self.assertRegex(said, r"model\s+score of \[first\], task 1, point 2")
        self.assertRegex(said, r"inputs\s+age: a number; 40 where it is missing\n<b>region: one of north, south; any other")
        self.assertRegex(said, r"group\s+not needed to predict a row")
        self.assertRegex(said, r"outputs\s+score: a number.*\nprobability: that the label is 1\ndecision: 1 or 0")
        self.assertNotRegex(said, r"\nerror\s+0\.25")  # a measure is of a task's one model

    def test_both_parts_stand_side_by_side_with_intervals(self) -> None:
        self.show(1)
        said = self.chosen(3)
        x, y = self.window.run("return current().fronts.points.map((column) => column[3])")
        number = lambda value: f"{value:.5g}"  # noqa: E731
        self.assertIn(f"risk\t{number(x)} [{number(x - 0.5)}, {number(x + 0.5)}]\t"
                      f"{number(x + 1)} [{number(x + 0.5)}, {number(x + 1.5)}]\ttarget squared", said)
        self.assertIn(f"gap\t{number(y)}\t{number(y + 1)}\tshare", said)
        self.assertIn("error\t0.25\t0.5 [0.375, 0.75]\tshare", said)

    def test_the_command_predicts_by_the_model_of_the_point(self) -> None:
        self.assertEqual(shlex.split(self.commands(6)[1]),
                         ["fairfront", "predict", "./-it's first.h5", "--task", "1", "--point", "2", "--rows", "new.csv",
                          "--csv", "predicted.csv"])
        self.show(1)
        self.assertEqual(self.commands(3)[1], "fairfront predict second.h5 --task 3 --group COLUMN --rows new.csv "
                         "--csv predicted.csv")  # nobody knows how groups are found
        self.show(2)
        self.assertEqual(self.commands(0), ["fairfront choose third.h5 --bound 'gap<=2' --best risk",
                                            "fairfront replay third.h5 --task 0"])
        self.assertIn("nothing can be predicted by it", self.chosen(0))

    def test_measures_of_another_model_are_not_those_of_the_only_point(self) -> None:
        """They stood beside its objectives, and the command predicted by the model that they are of."""
        self.show(4)
        said = self.chosen(3)
        x, y = self.window.run("return current().fronts.points.map((column) => column[3])")
        self.assertIn(f"risk\t{x:.5g}\t{x + 1:.5g}\ttarget squared\ngap\t{y:.5g}\t{y + 1:.5g}\tshare", said)
        self.assertNotIn("error\t0.25", said)
        self.assertEqual(self.commands(3)[1], "fairfront predict apart.h5 --task 3 --point 0 --rows new.csv --csv predicted.csv")
        self.assertIn("They are of another model than the points of this task's front",
                      self.window.run("return document.getElementById('detail').textContent"))

    def test_points_that_were_decided_on_different_parts_are_not_chosen_among(self) -> None:
        self.show(3)
        self.window.run("const one = document.getElementById('problem'); one.value = 1; one.dispatchEvent(new Event('change'))")
        self.assertTrue(self.window.run("return document.getElementById('bound-section').hidden"))
        self.assertEqual(self.commands(0), ["fairfront replay parts.h5 --task 1"])
        self.assertIn("choose compares no points that were decided on different parts (choose_on)", self.chosen(0))

    def test_the_command_chooses_the_point_or_says_which_other(self) -> None:
        kinds = set()
        for number, path in enumerate(self.archives[:2]):
            self.show(number)
            with fairfront_archive.open(path, program=False) as archive:
                rows = [(front.task, point) for front in archive.fronts() for point in range(len(front.points))]
                told = self.window.run(
                    "const texts = (what) => [...document.querySelectorAll(`#detail .commands ${what}`)].map((one) => one.textContent); "
                    "return Array.from({length: arguments[0]}, (_, row) => { choose(row); return [texts('code')[0], texts('.note')]; })",
                    len(rows))
                for (task, point), (command, notes) in zip(rows, told, strict=True):
                    if archive.learnt_from_deciding(task):
                        self.assertIn("leaves this point out", notes[0])
                        continue
                    words = shlex.split(command)
                    given = dict(zip(words[3::2], words[4::2]))
                    choices = archive.choose(bound=given["--bound"], best=given["--best"],
                                             method=given.get("--method", ()))
                    (chosen,) = [one.chosen for one in choices if one.problem == given["--problem"]]
                    here = (chosen.task.index, chosen.point) == (task.index, point)
                    kinds.add((here, "--method" in given))
                    if not here:
                        self.assertIn(f"It names task {chosen.task.index}, point {chosen.point}, which", notes[0])
                    self.assertEqual(bool(notes), not here or "--method" in given)
        self.assertEqual(kinds, {(True, False), (True, True), (False, False)})

    def test_words_are_quoted_as_a_shell_reads_them(self) -> None:
        for word in ("plain.h5", "it's", "a b", "$(x)", '"', "a\\b", "`x`", "*", "ü.h5", "a<=1", "!x", "#"):
            self.assertEqual(shlex.split(self.window.run("return quoted(arguments[0])", word)), [word])
        self.assertEqual(self.window.run("return quoted('-x')"), "./-x")

    def test_the_table_of_costs_is_that_of_the_problem(self) -> None:
        for problem in (0, 1):
            self.window.run("const one = document.getElementById('problem'); one.value = arguments[0]; "
                            "one.dispatchEvent(new Event('change'))", str(problem))
            found = self.window.run("return current().costs[arguments[0]]", problem)
            cells = self.window.run("return [...document.querySelectorAll('#costs td')].map((one) => one.textContent)")
            expected = []
            for row in found["rows"]:
                for cell in row["cells"]:
                    for name, best in (("decided", "best"), ("reported", "best_reported")):
                        few = f" ({cell['count']} of {row['replicates']})" if cell and cell["count"] < row["replicates"] else ""
                        expected.append(f"{float(f'{cell[name]:.5g}'):g}{' (best)' * cell[best]}{few}" if cell
                                        else "—no point")
            self.assertEqual(cells, expected)
            heads = self.window.run("return [...document.querySelectorAll('#costs th[scope=colgroup]')]"
                                    ".map((one) => one.innerText)")
            self.assertEqual(heads, [f"gap ≤ {float(f'{bound:.5g}'):g}" for bound in found["bounds"]])
        self.assertIn("—no point", cells)

    def test_every_table_has_a_caption_and_headers(self) -> None:
        self.chosen(0)
        self.window.run("for (const one of document.querySelectorAll('details')) one.open = true")
        bare = self.window.run(
            "return [...document.querySelectorAll('table')].filter((one) => one.rows.length && (!one.caption || "
            "!one.caption.innerText || [...one.querySelectorAll('th')].some((head) => !head.scope) || "
            "[...one.rows].some((row) => !row.querySelector('th')))).map((one) => one.outerHTML.slice(0, 200))")
        self.assertEqual(bare, [])
        captions = self.window.run("return [...document.querySelectorAll('table')].filter((one) => one.rows.length)"
                                   ".map((one) => one.caption.innerText)")
        self.assertEqual(captions, [
            "Ranking of methods", "The point", "Model card", "Measures, with intervals where the archive has them",
            "Groups and solution", "Measures of this task", "Best risk [target squared] within a bound on gap",
            "first, validation part, 3 replicates", "Where the results come from", "Options of the run"])

    def test_a_chosen_point_fits_a_phone(self) -> None:
        self.window.emulate("Emulation.setDeviceMetricsOverride", width=375, height=800, deviceScaleFactor=2, mobile=True)
        self.addCleanup(self.window.emulate, "Emulation.clearDeviceMetricsOverride")
        self.window.open(self.page)
        for archive in (0, 1):
            self.show(archive)
            self.chosen(3)
            self.window.run("for (const one of document.querySelectorAll('details')) one.open = true")
            self.assertEqual(self.window.run("return document.documentElement.scrollWidth"), 375)

    def test_a_keyboard_alone_reaches_points_commands_and_tables(self) -> None:
        self.window.run("window.seen = []; document.addEventListener('focusin', (event) => seen.push(event.target.id || "
                        "event.target.getAttribute('aria-label')))")
        for _ in range(40):
            self.window.press(TAB)
            if self.window.run("return document.activeElement.id") == "fronts":
                break
        self.window.press(RIGHT)
        for _ in range(16):
            self.window.press(TAB)
        seen = self.window.run("return seen")
        for name in ("ranking", "fronts", "copy the command fairfront choose", "copy the command fairfront predict",
                     "measures of the point on both parts", "what a bound costs"):
            self.assertIn(name, seen)


if __name__ == "__main__":
    unittest.main()
