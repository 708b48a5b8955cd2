"""[postprocessing]: the optimum of its draws by another solver, what is said of fronts below it, and the same bits on
every number of ranks."""

from __future__ import annotations

import csv
import pathlib
import random
import sys
import unittest

import numpy as np

from program import ProgramTest, digest, results_sha256
from wards import write_wards

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402
from fairfront_archive.yardstick import compared_with_yardstick, error_at  # noqa: E402
from fairfront_figures.arrange import NothingToDraw  # noqa: E402
from fairfront_figures.style import Options  # noqa: E402
from fairfront_figures.yardsticks import draw_yardstick  # noqa: E402
from fairfront_report.content import content_of  # noqa: E402
from fairfront_report.remarks import remarks_of  # noqa: E402

try:
    from scipy.optimize import linprog
except ImportError:
    linprog = None

RATES = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalised_odds", "error_rate_parity")
TABLE = ("experiment = training\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = ward\nfeatures = x, z\n"
         "[split]\nvalidation = 0.3\ntest = 0.2\nstratify = group_and_label\n")
LINEAR = TABLE + "[model]\nhidden =\n"


def least_error(score: np.ndarray, label: np.ndarray, group: np.ndarray, rate: str, bound: float) -> float:
    """Over all draws among all thresholds of each group, by a linear program over every one of them."""
    errors, parts, of_group = [], [], []
    for one in np.unique(group):
        mine = group == one
        for threshold in [*np.unique(score[mine]), np.inf]:
            decided = score >= threshold
            errors.append((decided != label)[mine].sum() / len(label))
            true, false = decided[mine & (label == 1)].mean(), decided[mine & (label == 0)].mean()
            parts.append({"demographic_parity": [decided[mine].mean()], "equal_opportunity": [true],
                          "predictive_equality": [false], "equalised_odds": [true, false],
                          "error_rate_parity": [(decided != label)[mine].mean()]}[rate])
            of_group.append(one)
    rates, of_group = np.array(parts), np.array(of_group)
    sums = np.array([of_group == one for one in np.unique(group)], float)
    rows = [sign * (rates[:, r] * sums[a] - rates[:, r] * sums[b]) for r in range(rates.shape[1]) for sign in (1, -1)
            for a in range(len(sums)) for b in range(a)]
    found = linprog(errors, A_ub=np.array(rows), b_ub=np.full(len(rows), bound), A_eq=sums, b_eq=np.ones(len(sums)))
    assert found.status == 0, found.message
    return found.fun


class Postprocessing(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        write_wards(self.folder / "table.csv", 240)

    def run_config(self, text: str, ranks: int | None = None) -> pathlib.Path:
        (self.folder / "own.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "own.ini", "-o", "own.h5", "--force", ranks=ranks)
        return self.folder / "own.h5"

    def open(self, text: str) -> fairfront_archive.Archive:
        archive = fairfront_archive.open(self.run_config(text), program=False)
        self.addCleanup(archive.close)
        return archive

    @unittest.skipIf(linprog is None, "python3-scipy is not installed")
    def test_no_draw_among_all_thresholds_has_a_smaller_error_within_the_bound(self) -> None:
        archive = self.open(LINEAR.replace("validation = 0.3\ntest = 0.2\nstratify = group_and_label",
                                           "validation = 0\ntest = 0") +
                            f"[preparation]\nscaling = none\n[postprocessing]\nrate = {', '.join(RATES)}\n"
                            "bound = 0, 0.03, 0.2, 1\n")
        with open(self.folder / "table.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = {name: np.array([float(row[name]) for row in rows]) for name in ("x", "z")}
        group, label = np.array([row["ward"] for row in rows]), np.array([int(row["y"]) for row in rows])
        error = archive.measures()["error"].of("train")[:, 0]
        self.assertEqual(len(archive.tasks), 20)
        for task in archive.tasks:
            weights = archive.solutions_of("weights")[task.index][0]
            prepared = archive.model(task.index, group="ward").source
            self.assertEqual(prepared.kind, "drawn_thresholds")
            score = weights[0] * columns["x"] + weights[1] * columns["z"] + weights[2]
            rate, bound = (archive.value(task, f"postprocessing.{name}") for name in ("rate", "bound"))
            with self.subTest(rate=rate, bound=bound):
                self.assertAlmostEqual(error[task.index], least_error(score, label, group, rate, float(bound)), places=9)

    def test_show_and_the_page_say_which_fronts_are_below(self) -> None:
        archive = self.open(LINEAR + "[training]\nrate = demographic_parity\nbudget = 3000\n[clamped_alm]\ndelta = 0.02, 0.2\n"
                            "[reductions]\nbound = 0.02, 0.2\n[sgd]\nstep = 1e-7\n[postprocessing]\nbound = 0, 0.02, 0.2, 1\n")
        fronts = compared_with_yardstick(archive)
        self.assertEqual([(front.tasks[0].method, front.randomised) for front in fronts],
                         [("clamped_alm", False), ("reductions", False), ("reductions", True), ("sgd", False)])
        shown = self.succeed("show", "own.h5")
        self.assertIn("its decisions know the group", shown)
        remarks = [front.remark for front in fronts]
        for remark in filter(None, remarks):
            self.assertIn(remark, shown)
        self.assertTrue(remarks[-1].startswith("[sgd] is below the post-processed unconstrained model in demographic_parity on "
                                               "the "), remarks)
        self.assertEqual(shown.count(" is below the post-processed"), len(list(filter(None, remarks))))
        lines = [line for one in remarks_of(archive) for line in one["lines"]
                 if one["kind"].startswith("below the post-processed")]
        self.assertEqual(lines, list(filter(None, remarks)))

    def test_the_page_has_a_chart_of_each_rate_and_part(self) -> None:
        archive = self.open(LINEAR + "[training]\nrate = demographic_parity, equalised_odds\nbudget = 2000\n[sgd]\n[reductions]\n"
                            "[postprocessing]\nrate = demographic_parity, equalised_odds\nbound = 0, 0.1\n")
        found = content_of(archive)["yardstick"]
        self.assertEqual([one["label"] for one in found],
                         [f"{rate}, {part} part" for rate in ("demographic parity", "equalised odds")
                          for part in ("validation", "test")])
        error = archive.measures()["error"].of("test")[:, 0]
        for one in found:
            reduced = ["reductions", "reductions, randomised"] * ("parity" in one["label"])  # its own rate is the default
            self.assertEqual([line["name"] for line in one["lines"]], ["SGD", *reduced, "post-processing (knows the group)"])
            self.assertEqual([row["method"] for row in one["rows"]], ["SGD", *reduced])
            self.assertEqual([line["own"] for line in one["lines"]][-2:], [False, True])
            self.assertEqual((one["x"]["unit"], one["y"]["unit"]), ("share", "share"))
        self.assertIn(found[1]["lines"][0]["points"][0][0], error)

    def test_each_setting_of_the_yardstick_has_a_line_of_its_own(self) -> None:
        archive = self.open(LINEAR + "[training]\nrate = demographic_parity\nbudget = 1000, 2000\n[sgd]\n[postprocessing]\n"
                            "bound = 0, 1\nl2 = 1e-4, 10\n")
        error = archive.measures()["error"].of("test")[:, 0]
        chart = content_of(archive)["yardstick"][1]
        lines = {line["name"]: [point[0] for point in line["points"]] for line in chart["lines"] if line["own"]}
        for l2 in ("1e-04", "10"):
            drawn = [points for name, points in lines.items() if f"l2 = {l2}" in name]
            self.assertTrue(drawn, lines)
            expected = {error[task.index] for task in archive.tasks if task.axes.get("postprocessing.l2") == l2}
            for points in drawn:
                self.assertEqual(set(points), expected)
        archive = self.open(LINEAR + "[training]\nrate = demographic_parity\nbudget = 1000, 2000\n[sgd]\n[postprocessing]\n")
        self.assertEqual([line["name"] for line in content_of(archive)["yardstick"][1]["lines"]],
                         ["SGD, budget = 1000", "SGD, budget = 2000", "post-processing (knows the group)"])

    def test_a_gap_of_zero_is_kept_up_to_rounding(self) -> None:
        yardstick = np.array([[0.2, 3e-17], [0.1, 0.4]])
        self.assertEqual(error_at(yardstick, 0), 0.2)
        self.assertAlmostEqual(error_at(yardstick, 0.2), 0.15, places=15)
        self.assertIsNone(error_at(yardstick, -1e-9))

    def test_rates_have_the_unit_of_shares_and_losses_that_of_losses(self) -> None:
        for rate, unit in (("demographic_parity", "share"), ("none", "loss"), ("none, equalised_odds", "loss or share")):
            archive = self.open(LINEAR + f"[training]\nrate = {rate}\nbudget = 1000\n[clamped_alm]\n")
            with self.subTest(rate):
                self.assertEqual([what.unit for what in archive.fronts()[0].objectives], ["loss", unit])
                self.assertEqual(archive.measures()["gap"].what.unit, unit)
                self.assertEqual(archive.quantity("metrics", "excess").unit, unit)
                self.assertEqual(archive.quantity("series", "gap_train").unit, unit)
                self.assertEqual(archive.measures()["loss_gap"].what.unit, "loss")

    def test_the_figure_has_both_parts_and_says_who_knows_the_group(self) -> None:
        archive = self.open(LINEAR + "[reductions]\nbound = 0.02, 0.2\n[postprocessing]\nbound = 0, 0.2\n")
        page = draw_yardstick(archive, Options(width=174))
        self.assertEqual(len(page.panels), 2)
        for axes, part in zip(page.panels, ("validation", "test")):
            lines = {line.get_label(): line.get_xydata() for line in axes.lines}
            self.assertEqual(list(lines), ["reductions", "reductions, randomised", "post-processing (knows the group)"])
            error, gap = (archive.measures()[name].of(part)[[2, 3], 0] for name in ("error", "independence_gap"))
            drawn = lines["post-processing (knows the group)"]
            np.testing.assert_array_equal(drawn[np.argsort(drawn[:, 0])], np.column_stack([error, gap])[np.argsort(error)])
            self.assertIn("share", axes.get_ylabel())
        with self.assertRaisesRegex(NothingToDraw, "postprocessing.rate"):
            draw_yardstick(self.open(LINEAR + "[postprocessing]\n"), Options())

    def test_the_bits_do_not_depend_on_the_number_of_ranks(self) -> None:
        for model in ("hidden =", "hidden = 3"):
            text = (TABLE + f"[model]\n{model}\n[training]\nbudget = 3000\n[postprocessing]\n"
                    f"rate = {', '.join(RATES)}\nbound = 0.02, 0.1\n")
            alone = self.run_config(text)
            expected = digest(alone), results_sha256(alone)
            for ranks in (1, 2, 3, 4):
                with self.subTest(model, ranks=ranks):
                    path = self.run_config(text, ranks)
                    self.assertEqual((digest(path), results_sha256(path)), expected)
            self.succeed("verify", "own.h5")
            self.succeed("replay", "own.h5")

    def test_bad_options_are_named(self) -> None:
        for text, said in (("[postprocessing]\nbound = 1.5\n", "postprocessing.bound"),
                           ("[postprocessing]\nrate = parity\n", "postprocessing.rate"),
                           ("[postprocessing]\nl2 = -1\n", "postprocessing.l2")):
            (self.folder / "own.ini").write_text(LINEAR + text, encoding="utf-8")
            outcome = self.run_program("run", "own.ini", "-o", "none.h5", ranks=2)
            self.assertEqual(set(outcome.codes), {2})
            self.assertIn(said, outcome.error)


if __name__ == "__main__":
    unittest.main()
