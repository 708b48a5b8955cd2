"""[reductions] with search = grid: its multipliers, fits and choice by another program; with networks: their draw in every form of a
model; what models decide, and the same bits on every number of ranks."""

from __future__ import annotations

import csv
import itertools
import pathlib
import random
import sys
import unittest

import numpy as np
import pandas

from program import ProgramTest, results_sha256

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

try:
    from scipy.optimize import minimize
    from scipy.special import expit
except ImportError:
    minimize = None

RATES = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalised_odds", "error_rate_parity")
TABLE = ("experiment = training\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = ward\nfeatures = x, z\n"
         "[preparation]\nscaling = none\n[model]\nhidden =\n")
ONE_PART = "[split]\nvalidation = 0\ntest = 0\n"
PARTS = "[split]\nvalidation = 0.3\ntest = 0.2\nstratify = group_and_label\n"


class Oracle:
    """The published loop: a weighted logistic regression of costs of decisions, at given multipliers of cells."""

    def __init__(self, features: np.ndarray, label: np.ndarray, group: np.ndarray, rate: str, l2: float) -> None:
        self.columns, self.label, self.rate, self.l2 = np.column_stack([features, np.ones(len(label))]), label, rate, l2
        events = {"equal_opportunity": [label == 1], "predictive_equality": [label == 0],
                  "equalised_odds": [label == 1, label == 0]}.get(rate, [label >= 0])
        self.cells = [event & (group == one) for event in events for one in np.unique(group)]
        self.events = len(events)

    def counted(self, decided: np.ndarray) -> np.ndarray:
        """What a row adds to its cell's rate."""
        return (decided != self.label).astype(float) if self.rate == "error_rate_parity" else decided.astype(float)

    def rates(self, weights: np.ndarray) -> list[float]:
        """Error, then the rate of every cell."""
        decided = self.columns @ weights >= 0
        return [np.mean(decided != self.label), *(self.counted(decided)[cell].mean() for cell in self.cells)]

    def lagrangian(self, decided: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """Of every row what its decision adds."""
        cost = (decided != self.label) / len(self.label)
        for multiplier, cell in zip(multipliers, self.cells):
            cost = cost + multiplier * cell * self.counted(decided) / cell.sum()
        return cost

    def fit(self, multipliers: np.ndarray) -> np.ndarray:
        ones, zeros = np.ones_like(self.label), np.zeros_like(self.label)
        cost = self.lagrangian(ones, multipliers) - self.lagrangian(zeros, multipliers)
        sign, share = np.where(cost < 0, 1.0, -1.0), np.abs(cost) / np.abs(cost).sum()
        penalty = self.l2 * np.array([*np.ones(self.columns.shape[1] - 1), 0])

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            margin = sign * (self.columns @ w)
            slope = -sign * share * expit(-margin)
            return share @ np.logaddexp(0, -margin) + penalty @ w**2 / 2, self.columns.T @ slope + penalty * w

        def hessian(w: np.ndarray) -> np.ndarray:
            score = self.columns @ w
            return (self.columns.T * (share * expit(score) * expit(-score))) @ self.columns + np.diag(penalty)

        return minimize(loss, np.zeros(self.columns.shape[1]), jac=True, hess=hessian, method="trust-exact",
                        options={"gtol": 1e-10}).x


def lattice(events: int, groups: int, steps: int, signed: bool) -> set[tuple[int, ...]]:
    """All whole numbers of cells that multipliers of `steps` steps in all may come to."""
    points = set()
    for point in itertools.product(range(-steps if signed else 0, steps + 1), repeat=events * groups):
        sums = np.array(point).reshape(events, groups).sum(axis=1)
        if np.abs(point).sum() <= steps * (2 if signed else 1) and not (signed and sums.any()):
            points.add(point)
    return points


class Wards(ProgramTest):
    """A table of three groups."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(9)
        with open(self.folder / "table.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["x", "z", "ward", "y"])
            for _ in range(240):
                ward = draw.choice("abc")
                x, z = draw.gauss(0.7 * (ward == "b"), 1), draw.gauss(0, 1)
                table.writerow([x, z, ward, int(x + z + draw.gauss(0, 1) > 0.6 * (ward == "c"))])
        with open(self.folder / "table.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.features = np.array([[float(row["x"]), float(row["z"])] for row in rows])
        self.group, self.label = np.array([row["ward"] for row in rows]), np.array([int(row["y"]) for row in rows])

    def open(self, text: str) -> fairfront_archive.Archive:
        (self.folder / "own.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "own.ini", "-o", "own.h5", "--force")
        archive = fairfront_archive.open(self.folder / "own.h5", program=False)
        self.addCleanup(archive.close)
        return archive

    def decided(self, task: int, *form: str) -> np.ndarray:
        (self.folder / "out.csv").unlink(missing_ok=True)
        self.succeed("predict", "own.h5", "--task", str(task), "--rows", "table.csv", "--csv", "out.csv", *form)
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            return np.array([float(row["probability"]) for row in csv.DictReader(file)])


class Grid(Wards):
    @unittest.skipIf(minimize is None, "python3-scipy is not installed")
    def test_another_program_finds_the_same_classifiers_at_the_same_multipliers(self) -> None:
        limit, l2 = 0.6, 0.001
        fits = ONE_PART + "[reductions]\nsearch = grid\ngrid_size = {}\n" + f"grid_limit = {limit}\nl2 = {l2}\n" \
            "learner_tolerance = 1e-10\nbound_of = {}\nrate = {}\nbound = {}\n"
        for bound_of, rates, bound, size in (("gap", RATES, 0.04, 37), ("worst_group", RATES[1:], 0.2, 20)):
            archive = self.open(TABLE + fits.format(size, bound_of, ", ".join(rates), bound))
            solutions = {name: archive.solutions_of(f"grid_{name}") for name in ("weights", "multipliers", "rates")}
            for task in archive.tasks:
                rate = archive.value(task, "reductions.rate")
                oracle = Oracle(self.features, self.label, self.group, rate, l2)
                weights, multipliers, told = (np.array(solutions[name][task.index]) for name in solutions)
                with self.subTest(bound_of, rate=rate):
                    self.assert_a_lattice(multipliers, oracle, bound_of == "gap", limit, size)
                    for w, of_cell, rates_told in zip(weights, multipliers, told):
                        fitted = oracle.fit(of_cell)
                        self.assertLess(np.abs(fitted - w).max(), 1e-6 * (1 + np.abs(w).max()))
                        self.assertLess(np.abs(np.array(oracle.rates(fitted)) - rates_told).max(), 1e-12)
                    self.assert_the_best_one(archive, task.index, oracle, bound_of, bound, told)

    def assert_a_lattice(self, multipliers: np.ndarray, oracle: Oracle, signed: bool, limit: float, size: int) -> None:
        events, groups = oracle.events, len(oracle.cells) // oracle.events
        steps = 1
        while len(lattice(events, groups, steps + 1, signed)) <= size:
            steps += 1
        # Rates of right decisions have errors that are 1 less the rate: their multipliers fall below 0.
        hits = oracle.rate in ("equal_opportunity", "equalised_odds") and not signed
        signs = np.where(np.arange(len(oracle.cells)) < groups, -1, 1) if hits else 1
        found = {tuple(np.rint(point * signs * steps / limit).astype(int)) for point in multipliers}
        self.assertEqual(found, lattice(events, groups, steps, signed))
        self.assertEqual(len(multipliers), len(found))

    def assert_the_best_one(self, archive: fairfront_archive.Archive, task: int, oracle: Oracle, bound_of: str, bound: float,
                            told: np.ndarray) -> None:
        rates = told[:, 1:].reshape(len(told), oracle.events, -1)
        if bound_of == "gap":
            unfair = (rates.max(axis=2) - rates.min(axis=2)).max(axis=1)
        else:
            hits = oracle.rate in ("equal_opportunity", "equalised_odds")
            unfair = np.where(np.arange(oracle.events)[:, None] == 0, 1 - rates if hits else rates, rates).max(axis=(1, 2))
        within = unfair <= bound
        best = told[within, 0].min() if within.any() else told[unfair == unfair.min(), 0].min()
        own = oracle.rates(np.array(archive.solutions_of("weights")[task][0]))
        self.assertAlmostEqual(own[0], best, places=12)
        self.assertEqual("no single classifier found is within" in archive.tasks[task].message, not within.any())

    def test_the_chosen_one_and_the_draw_predict_as_was_measured(self) -> None:
        archive = self.open(TABLE + ONE_PART + "[reductions]\nsearch = grid\nrate = equalised_odds\nbound = 0.02, 0.1, 0.3\n")
        measures = archive.measures()
        draws = False
        for task in archive.tasks:
            alone, mixed = self.decided(task.index), self.decided(task.index, "--randomised")
            draws |= bool(((mixed > 1e-6) & (mixed < 1 - 1e-6)).any())
            self.assertAlmostEqual(np.mean((alone >= 0.5) != self.label), measures["error"].of("train")[task.index, 0], places=12)
            self.assertAlmostEqual(np.mean(np.where(self.label == 1, 1 - mixed, mixed)),
                                   measures["randomised_error"].of("train")[task.index, 0], places=9)
        self.assertTrue(draws)

    def test_choose_takes_a_task_by_its_measures(self) -> None:
        archive = self.open(TABLE + PARTS + "[reductions]\nsearch = grid\nbound = 0.02, 0.1, 0.3\n")
        for form, measures in ((), ("error", "rate_gap")), (("--randomised",), ("randomised_error", "randomised_rate_gap")):
            error, gap = (archive.measures()[name].of("validation")[:, 0] for name in measures)
            bound = float(np.sort(gap)[1])
            said = self.succeed("choose", "own.h5", *form, "--best", measures[0], "--bound", f"{measures[1]}<={bound}")
            within = [task for task in range(3) if gap[task] <= bound]
            best = min(error[task] for task in within)
            self.assertTrue(any(f"task {task}" in said for task in within if error[task] == best), said)

    def test_what_it_claims_is_proven_again(self) -> None:
        self.open(TABLE + PARTS + "[reductions]\nsearch = grid\nrate = demographic_parity, equalised_odds\nbound = 0.001, 0.1\n")
        said = self.succeed("verify", "--deep", "own.h5")
        self.assertIn("8 claims proven again from the data, 0 not", said)
        self.assertIn("37 classifiers of the grid have the errors and rates that are stored", said)
        self.open(TABLE + PARTS + "[reductions]\n")
        self.assertIn("no task of experiment 'training' claims", self.succeed("verify", "--deep", "own.h5"))

    def test_a_grid_of_too_few_points_and_axes_that_change_nothing_are_told(self) -> None:
        def error_of(text: str) -> str:
            (self.folder / "own.ini").write_text(TABLE + PARTS + "[reductions]\n" + text, encoding="utf-8")
            return self.run_program("run", "own.ini", "-o", "own.h5", "--force").error

        self.assertIn("for 3 groups, one step to every side takes 13 points",
                      error_of("search = grid\nrate = equalised_odds\ngrid_size = 12\n"))
        self.assertIn("search = mixture has no grid", error_of("grid_size = 30, 40\n"))
        self.assertIn("search = grid has no rounds", error_of("search = grid\nrounds = 30, 40\n"))

    def test_the_bits_do_not_depend_on_the_number_of_ranks(self) -> None:
        text = TABLE + PARTS + ("[reductions]\nsearch = grid\nrate = demographic_parity, equalised_odds\nbound_of = gap, ratio\n"
                                "bound = 0.1, 0.8\n")
        (self.folder / "own.ini").write_text(text, encoding="utf-8")
        digests = set()
        for ranks in (1, 2, 3):
            self.succeed("run", "own.ini", "-o", "own.h5", "--force", ranks=ranks)
            digests.add(results_sha256(self.folder / "own.h5"))
        self.assertEqual(len(digests), 1)


class Networks(Wards):
    """The draw among networks in every form of a model."""

    TEXT = (TABLE.replace("hidden =", "hidden = 5, 3") + PARTS + "[training]\nbudget = 9000\n[reductions]\n"
            "bound = 0.02, 0.1\nrounds = 6\n")

    def test_models_of_every_form_decide_as_was_measured(self) -> None:
        archive = self.open(self.TEXT + "rate = equalised_odds\n")
        for task in archive.tasks:
            mixed = self.decided(task.index, "--randomised")
            model = archive.model(task.index, randomised=True)
            self.assertEqual(model.source.options["hidden"], "5,3")
            self.assertLess(np.abs(self.said_by(model) - mixed).max(), 1e-12)
        said = self.succeed("verify", "--deep", "own.h5")
        self.assertIn("sound", said)
        measured = archive.measures()["randomised_error"].of("validation")[:, 0]
        self.succeed("choose", "own.h5", "--randomised", "--best", "randomised_error", "--bound", "randomised_rate_gap<=1",
                     "--model", "model.json")
        chosen = fairfront_archive.load_model(self.folder / "model.json")
        task = chosen.card["provenance"]["task"]
        self.assertEqual(measured[task], measured.min())
        self.assertLess(np.abs(self.said_by(chosen) - self.decided(task, "--randomised")).max(), 1e-12)

    def said_by(self, model: fairfront_archive.FittedModel) -> np.ndarray:
        frame = pandas.read_csv(self.folder / "table.csv", float_precision="round_trip")
        return np.asarray(model.predictions(frame)["probability"], dtype=float)

    def test_the_bits_do_not_depend_on_the_number_of_ranks(self) -> None:
        (self.folder / "own.ini").write_text("seed = 1, 2\n" + self.TEXT + "search = mixture, grid\ngrid_size = 7\n",
                                             encoding="utf-8")
        digests = set()
        for ranks in (1, 2, 3):
            self.succeed("run", "own.ini", "-o", "own.h5", "--force", ranks=ranks)
            digests.add(results_sha256(self.folder / "own.h5"))
        self.assertEqual(len(digests), 1)

    def test_axes_that_change_nothing_are_told(self) -> None:
        def error_of(text: str) -> str:
            (self.folder / "own.ini").write_text(text, encoding="utf-8")
            return self.run_program("run", "own.ini", "-o", "own.h5", "--force").error

        linear = TABLE + PARTS + "[reductions]\n"
        self.assertIn("draws nothing for a linear score", error_of("seed = 1, 2\n" + linear))
        self.assertIn("fits a linear score exactly", error_of(linear + "batch = 8, 16\n"))
        self.assertIn("it is of logistic regression", error_of(self.TEXT + "learner_tolerance = 0.1, 0.01\n"))


if __name__ == "__main__":
    unittest.main()
