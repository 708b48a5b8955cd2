"""Bounds on ratios of rates and on errors of groups: the optimum of [postprocessing] by another solver, what models decide, which fronts are
compared, and the same bits on every number of ranks."""

from __future__ import annotations

import csv
import pathlib
import random
import sys
import unittest

import numpy as np

from program import ProgramTest, digest, results_sha256

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402
from fairfront_archive.yardstick import compared_with_yardstick, error_at  # noqa: E402
from fairfront_figures.style import Options  # noqa: E402
from fairfront_figures.yardsticks import draw_yardstick  # noqa: E402
from fairfront_report.content import content_of  # noqa: E402

try:
    from scipy.optimize import linprog
except ImportError:
    linprog = None

RATES = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalised_odds", "error_rate_parity")
TABLE = ("experiment = training\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = ward\nfeatures = x, z\n"
         "[preparation]\nscaling = none\n[model]\nhidden =\n")
ONE_PART = "[split]\nvalidation = 0\ntest = 0\n"
PARTS = "[split]\nvalidation = 0.3\ntest = 0.2\nstratify = group_and_label\n"


def rates_of(decided: np.ndarray, label: np.ndarray, rate: str) -> list[float]:
    """Of one group's rows; decisions may be expected ones."""
    wrong = np.where(label == 1, 1 - decided, decided)
    true, false = decided[label == 1].mean(), decided[label == 0].mean()
    return {"demographic_parity": [decided.mean()], "equal_opportunity": [true], "predictive_equality": [false],
            "equalised_odds": [true, false], "error_rate_parity": [wrong.mean()]}[rate]


def smallest_ratio(decided: np.ndarray, label: np.ndarray, group: np.ndarray, rate: str) -> float:
    """fairlearn.metrics' between groups: min over max of each rate, of two rates the smaller."""
    rates = np.array([rates_of(decided[group == one], label[group == one], rate) for one in np.unique(group)])
    return float(np.min(rates.min(axis=0) / rates.max(axis=0)))


HITS = {"equal_opportunity": [True], "predictive_equality": [False], "equalised_odds": [True, False],
        "error_rate_parity": [False]}  # rates of right decisions, as the rest of the rates with errors


def largest_error(decided: np.ndarray, label: np.ndarray, group: np.ndarray, rate: str) -> float:
    """Of a group on the rows that the rate is of."""
    rates = np.array([rates_of(decided[group == one], label[group == one], rate) for one in np.unique(group)])
    return float(np.where(HITS[rate], 1 - rates, rates).max())


class Draws:
    """All draws among all thresholds of each group, as columns of a linear program."""

    def __init__(self, score: np.ndarray, label: np.ndarray, group: np.ndarray, rate: str) -> None:
        errors, parts, of_group = [], [], []
        for one in np.unique(group):
            mine = group == one
            for threshold in [*np.unique(score[mine]), np.inf]:
                decided = (score >= threshold)[mine].astype(float)
                errors.append((decided != label[mine]).sum() / len(label))
                parts.append(rates_of(decided, label[mine], rate))
                of_group.append(one)
        self.errors, self.rates = np.array(errors), np.array(parts)
        self.member = np.array([np.array(of_group) == one for one in np.unique(group)], float)

    def least(self, limits: np.ndarray, right: np.ndarray) -> float:
        found = linprog(self.errors, A_ub=limits, b_ub=right, A_eq=self.member, b_eq=np.ones(len(self.member)))
        assert found.status == 0, found.message
        return found.fun

    def least_error_within_ratio(self, bound: float) -> float:
        rows = [bound * self.rates[:, r] * self.member[a] - self.rates[:, r] * self.member[b]
                for r in range(self.rates.shape[1]) for a in range(len(self.member)) for b in range(len(self.member))]
        return self.least(np.array(rows), np.zeros(len(rows)))

    def errors_of_groups(self, hits: list[bool]) -> np.ndarray:
        """Rows whose products with a draw are the groups' errors on the rows that the rates are of."""
        of_rates = np.where(hits, 1 - self.rates, self.rates)
        return np.array([of_rates[:, r] * mine for r in range(of_rates.shape[1]) for mine in self.member])

    def least_error_within(self, hits: list[bool], bound: float) -> float:
        rows = self.errors_of_groups(hits)
        return self.least(rows, np.full(len(rows), bound))

    def minimax(self, hits: list[bool]) -> float:
        """The least largest error of a group."""
        rows = self.errors_of_groups(hits)
        limits, sums = np.hstack([rows, -np.ones((len(rows), 1))]), np.hstack([self.member, np.zeros((len(self.member), 1))])
        found = linprog([*np.zeros(rows.shape[1]), 1], A_ub=limits, b_ub=np.zeros(len(rows)), A_eq=sums,
                        b_eq=np.ones(len(sums)))
        assert found.status == 0, found.message
        return found.fun


class RateLimits(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(6)
        with open(self.folder / "table.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["x", "z", "ward", "y"])
            for _ in range(240):
                ward = draw.choice("abc")
                x, z = draw.gauss(0.5 * (ward == "b"), 1), round(draw.gauss(0, 1), 1)
                table.writerow([x, z, ward, int(x + z + draw.gauss(0, 1) > 0.4 * (ward == "c"))])
        with open(self.folder / "table.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.columns = {name: np.array([float(row[name]) for row in rows]) for name in ("x", "z")}
        self.group, self.label = np.array([row["ward"] for row in rows]), np.array([int(row["y"]) for row in rows])

    def run_config(self, text: str, ranks: int | None = None) -> pathlib.Path:
        (self.folder / "own.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "own.ini", "-o", "own.h5", "--force", ranks=ranks)
        return self.folder / "own.h5"

    def open(self, text: str) -> fairfront_archive.Archive:
        archive = fairfront_archive.open(self.run_config(text), program=False)
        self.addCleanup(archive.close)
        return archive

    def score_of(self, archive: fairfront_archive.Archive, task: int) -> np.ndarray:
        weights = archive.solutions_of("weights")[task][0]
        return weights[0] * self.columns["x"] + weights[1] * self.columns["z"] + weights[2]

    def decided(self, task: int, *form: str) -> np.ndarray:
        """Probabilities of a decision 1 of all rows, by `predict`."""
        (self.folder / "out.csv").unlink(missing_ok=True)
        self.succeed("predict", "own.h5", "--task", str(task), "--rows", "table.csv", "--csv", "out.csv", *form)
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            return np.array([float(row["probability"]) for row in csv.DictReader(file)])

    @unittest.skipIf(linprog is None, "python3-scipy is not installed")
    def test_no_draw_among_all_thresholds_has_a_smaller_error_within_the_ratio(self) -> None:
        archive = self.open(TABLE + ONE_PART + f"[postprocessing]\nrate = {', '.join(RATES)}\nbound_of = ratio\n"
                            "bound = 0, 0.8, 0.97, 1\n")
        error = archive.measures()["error"].of("train")[:, 0]
        self.assertEqual(len(archive.tasks), 20)
        for task in archive.tasks:
            rate, bound = (archive.value(task, f"postprocessing.{name}") for name in ("rate", "bound"))
            with self.subTest(rate=rate, bound=bound):
                draws = Draws(self.score_of(archive, task.index), self.label, self.group, rate)
                self.assertAlmostEqual(error[task.index], draws.least_error_within_ratio(float(bound)), places=9)

    def test_what_models_decide_has_the_ratio_that_is_told(self) -> None:
        archive = self.open(TABLE + ONE_PART + f"[postprocessing]\nrate = {', '.join(RATES)}\nbound_of = ratio\nbound = 0.9\n"
                            f"[reductions]\nrate = {', '.join(RATES)}\nbound_of = ratio\nbound = 0.9\n")
        told = {form: archive.measures()[f"{form}rate_ratio"].of("train")[:, 0] for form in ("", "randomised_")}
        for task in archive.tasks:
            own = archive.value(task, f"{task.method}.rate")
            form = ["--randomised"] if task.method == "reductions" else ["--group", "ward"]
            ratio = smallest_ratio(self.decided(task.index, *form), self.label, self.group, own)
            with self.subTest(task.method, rate=own):
                self.assertAlmostEqual(ratio, told["randomised_"][task.index], places=9)
                self.assertGreaterEqual(ratio, 0.9 - 1e-8)
            if task.method == "reductions":
                decided = (self.score_of(archive, task.index) >= 0).astype(float)
                self.assertAlmostEqual(smallest_ratio(decided, self.label, self.group, own), told[""][task.index], places=12)

    @unittest.skipIf(linprog is None, "python3-scipy is not installed")
    def test_the_least_bound_on_errors_and_the_least_error_within_one_are_those_of_another_solver(self) -> None:
        archive = self.open(TABLE + ONE_PART + f"[postprocessing]\nrate = {', '.join(HITS)}\nbound_of = worst_group\n"
                            "bound = 0, 0.2, 0.3, 0.5, 1\n")
        error = archive.measures()["error"].of("train")[:, 0]
        worst = archive.measures()["rate_worst_error"].of("train")[:, 0]
        least = archive.metrics()["least_bound"]
        told = 0
        for task in archive.tasks:
            rate, bound = archive.value(task, "postprocessing.rate"), float(archive.value(task, "postprocessing.bound"))
            draws = Draws(self.score_of(archive, task.index), self.label, self.group, rate)
            with self.subTest(rate=rate, bound=bound):
                self.assertAlmostEqual(least[task.index], draws.minimax(HITS[rate]), places=9)
                reached = max(bound, least[task.index])
                self.assertAlmostEqual(error[task.index], draws.least_error_within(HITS[rate], reached + 1e-12), places=8)
                self.assertLessEqual(worst[task.index], reached + 1e-9)
                self.assertEqual("the least bound that one keeps" in task.message, bool(least[task.index] > bound + 1e-9))
                told += "the least bound" in task.message
        self.assertGreaterEqual(told, 2)

    def test_what_models_decide_has_the_errors_that_are_told(self) -> None:
        rates = ", ".join(HITS)
        archive = self.open(TABLE + ONE_PART + "".join(f"[{method}]\nrate = {rates}\nbound_of = worst_group\nbound = 0.25\n"
                                                       for method in ("postprocessing", "reductions")))
        told = archive.measures()["randomised_rate_worst_error"].of("train")[:, 0]
        least = archive.metrics()["least_bound"]
        for task in archive.tasks:
            own = archive.value(task, f"{task.method}.rate")
            form = ["--randomised"] if task.method == "reductions" else ["--group", "ward"]
            worst = largest_error(self.decided(task.index, *form), self.label, self.group, own)
            with self.subTest(task.method, rate=own):
                self.assertAlmostEqual(worst, told[task.index], places=9)
                self.assertLessEqual(worst, max(0.25, least[task.index]) + 1e-8)

    def test_only_fronts_with_the_same_of_a_rate_bounded_are_compared(self) -> None:
        archive = self.open(TABLE + PARTS + "[reductions]\nbound_of = gap, ratio\nbound = 0.05, 0.9\n[postprocessing]\n"
                            "bound_of = ratio\nbound = 0, 0.8, 0.9, 1\n")
        fronts = compared_with_yardstick(archive)
        self.assertEqual([(front.bounded, front.randomised) for front in fronts],
                         [("demographic_parity, ratio", False), ("demographic_parity, ratio", True)])
        for front in fronts:
            self.assertEqual({archive.value(task, "reductions.bound_of") for task in front.tasks}, {"ratio"})
        shown = self.succeed("show", "own.h5")
        self.assertIn("demographic_parity, ratio", shown)
        for front in fronts:
            self.assertIn(front.remark, shown)
        charts = content_of(archive)["yardstick"]
        self.assertEqual([one["label"] for one in charts], ["demographic parity, ratio, validation part",
                                                            "demographic parity, ratio, test part"])
        away = 1 - archive.measures()["rate_ratio"].of("test")[:, 0]
        self.assertEqual({point[1] for point in charts[1]["lines"][-1]["points"]}, set(away[-4:]))
        page = draw_yardstick(archive, Options(width=174))
        self.assertEqual(len(page.panels), 2)
        self.assertIn("1 - rate ratio", page.panels[0].get_ylabel().replace("_", " "))

    def test_the_smallest_reserve_suits_ratios(self) -> None:
        """A fifth of it was below what an option may be, and every task failed by a number that nobody had written."""
        text = TABLE + PARTS + "[training]\nrate = demographic_parity\nbound_of = ratio\nbudget = 4000\n[certified_training]\n"
        archive = self.open(text + "delta = 0.5\nreserve = 1e-9\n")
        self.assertEqual([task.status for task in archive.tasks], ["done"])

    def test_choose_takes_a_ratio_of_one_rate(self) -> None:
        two = TABLE + PARTS + "[reductions]\nrate = {}\nbound_of = ratio\nbound = 0.5, 0.9\n"
        archive = self.open(two.format("equal_opportunity"))
        chosen, = archive.choose("randomised_rate_ratio>=0.8", best="randomised_error", randomised=True)
        said = self.succeed("choose", "own.h5", "--randomised", "--bound", "randomised_rate_ratio>=0.8")
        self.assertIn(f"task {chosen.chosen.task.index}", said)
        self.open(two.format("equal_opportunity, equalised_odds"))
        outcome = self.run_program("choose", "own.h5", "--bound", "rate_ratio>=0.8")
        self.assertIn("of another rate at every value of reductions.rate", outcome.error)

    def test_a_draw_of_two_points_need_not_have_their_ratios_drawn(self) -> None:
        yardstick = np.array([[0.3, 0.0], [0.1, 0.4]])
        self.assertEqual(error_at(yardstick, 0.2, draws=False), 0.3)
        self.assertAlmostEqual(error_at(yardstick, 0.2), 0.2, places=15)

    def test_the_bits_do_not_depend_on_the_number_of_ranks(self) -> None:
        text = TABLE + PARTS + "".join(f"[{method}]\nrate = {', '.join(RATES)}\nbound_of = gap, ratio\nbound = 0.1, 0.8\n"
                                       for method in ("postprocessing", "reductions"))
        errors = TABLE + PARTS + "".join(f"[{method}]\nrate = {', '.join(HITS)}\nbound_of = worst_group\nbound = 0, 0.3\n"
                                         for method in ("postprocessing", "reductions"))
        for sweep in (text, errors, self.trained("ratio", "0.8"), self.trained("worst_group", "0.3")):
            self.check_ranks(sweep)
        losses = "[training]\nbound_of = worst_group\nbudget = 3000\n"
        self.check_ranks(TABLE + PARTS + losses + "".join(f"[{method}]\ndelta = 0.01, 0.6\n" for method in (
            "exact_training", "certified_training", "stochastic_ghost")))

    @staticmethod
    def trained(of: str, delta: str) -> str:
        """Equal opportunity bounded by every method with a delta, and the yardstick."""
        return (TABLE + PARTS + f"[training]\nrate = equal_opportunity\nbound_of = {of}\nbudget = 3000\n"
                f"[postprocessing]\nrate = equal_opportunity\nbound_of = {of}\nbound = {delta}\n" +
                "".join(f"[{method}]\ndelta = {delta}\n" for method in (
                    "alm", "ssl_alm", "switching_subgradient", "stochastic_ghost", "clamped_alm", "pi_duals",
                    "certified_training")))

    def test_methods_that_train_are_compared_by_what_training_bounds(self) -> None:
        for of, measure in (("ratio", "rate_ratio"), ("worst_group", "rate_worst_error")):
            archive = self.open(self.trained(of, "0.5"))
            fronts = compared_with_yardstick(archive)
            self.assertEqual({front.bounded for front in fronts}, {f"equal_opportunity, {of}"})
            self.assertEqual(len(fronts), 7)
            shown = self.succeed("show", "own.h5")
            for front in fronts:
                self.assertIn(front.remark, shown)
            value = archive.measures()[measure].of("train")[:, 0]
            gap = archive.measures()["gap"].of("train")[:, 0]
            for front in fronts:
                index = front.tasks[0].index
                self.assertAlmostEqual(gap[index], 1 - value[index] if of == "ratio" else value[index], places=12)

    def check_ranks(self, text: str) -> None:
        alone = self.run_config(text)
        expected = digest(alone), results_sha256(alone)
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                path = self.run_config(text, ranks)
                self.assertEqual((digest(path), results_sha256(path)), expected)
        self.succeed("verify", "own.h5")
        self.succeed("replay", "own.h5")


if __name__ == "__main__":
    unittest.main()
