"""Every measure of a model whose decisions are drawn, again from the columns that `fairfront predict` writes."""

from __future__ import annotations

import csv
import math
import pathlib
import random
import sys
import unittest

import numpy as np

from program import ProgramTest
from wards import write_wards

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

TABLE = ("experiment = training\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = ward\nfeatures = x, z\n"
         "[preparation]\nscaling = none\n"
         "[split]\nvalidation = 0.3\ntest = 0.3\nstratify = group_and_label\n")
PARTS = ("train", "validation", "test")
OF_THE_PROBABILITY = ("brier", "brier_gap", "calibration_error", "calibration_error_gap", "log_loss", "log_loss_gap",
                      "worst_group_log_loss", "wasserstein_1", "wasserstein_2_squared", "wasserstein_2_squared_binned",
                      "kolmogorov_smirnov", "auc", "group_auc_gap")


def rates_of(positive: np.ndarray, label: np.ndarray) -> dict[str, float]:
    """Of the expected counts of decisions."""
    found, alarms = positive[label == 1].sum(), positive[label == 0].sum()
    missed, passed = (1 - positive)[label == 1].sum(), (1 - positive)[label == 0].sum()
    return {"positive_rate": (found + alarms) / len(label), "error": (missed + alarms) / len(label),
            "true_positive_rate": found / (label == 1).sum(), "false_positive_rate": alarms / (label == 0).sum(),
            "positive_predictive_value": found / (found + alarms), "negative_predictive_value": passed / (passed + missed),
            "balanced_accuracy": (found / (label == 1).sum() + passed / (label == 0).sum()) / 2}


@np.errstate(invalid="ignore")  # of values that are predicted of no row
def measures_of(positive: np.ndarray, label: np.ndarray, group: np.ndarray) -> dict[str, float]:
    """All that say something of decisions."""
    of_groups = [rates_of(positive[group == one], label[group == one]) for one in np.unique(group)]

    def gap(rate: str) -> float:
        return np.ptp([of[rate] for of in of_groups])

    separation = [gap("true_positive_rate"), gap("false_positive_rate")]
    sufficiency = [gap("positive_predictive_value"), gap("negative_predictive_value")]
    shares = [of["positive_rate"] for of in of_groups]
    return {**rates_of(positive, label), "base_rate": label.mean(), "independence_gap": gap("positive_rate"),
            "independence_ratio": min(shares) / max(shares), "true_positive_gap": separation[0],
            "false_positive_gap": separation[1], "separation_gap": np.max(separation), "separation_sum": sum(separation),
            "positive_predictive_gap": sufficiency[0], "negative_predictive_gap": sufficiency[1],
            "sufficiency_gap": np.max(sufficiency), "sufficiency_sum": sum(sufficiency), "error_gap": gap("error"),
            "worst_group_error": np.max([of["error"] for of in of_groups])}


class DrawnMeasures(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        write_wards(self.folder / "table.csv", 400)

    def run_it(self, text: str, name: str = "own") -> fairfront_archive.Archive:
        (self.folder / f"{name}.ini").write_text(text, encoding="utf-8")
        self.succeed("run", f"{name}.ini", "-o", f"{name}.h5", "--force")
        archive = fairfront_archive.open(self.folder / f"{name}.h5", program=False)
        self.addCleanup(archive.close)
        return archive

    def table(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def predicted(self, *call: str) -> dict[str, list[dict[str, str]]]:
        """The predicted rows of every part."""
        (self.folder / "out.csv").unlink(missing_ok=True)
        self.succeed("predict", *call, "--rows", "table.csv", "--csv", "out.csv", "--keep", "*")
        (self.folder / "prepared.csv").unlink(missing_ok=True)
        self.succeed("data", "own.ini", "--csv", "prepared.csv")
        rows, parts = self.table("out.csv"), [row["part"] for row in self.table("prepared.csv")]
        return {part: [row for row, of in zip(rows, parts) if of == part] for part in PARTS}

    def measured(self, archive: fairfront_archive.Archive, task: int, name: str, part: str) -> float:
        """NaN where it is not defined."""
        return float(archive.measures()[name].of(part)[task, 0]) if name in archive.measures() else math.nan

    def audited(self, rows: list[dict[str, str]]) -> fairfront_archive.Archive:
        """What an audit says of the column `probability`."""
        with open(self.folder / "part.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
        return self.run_it("experiment = predictions\n[data]\ndata = csv\nfile = part.csv\nlabel = y\nsensitive = ward\n"
                           "[split]\nvalidation = 0\ntest = 0\n[predictions]\nscore = probability\n[measures]\nparts = all\n"
                           f"measures = {', '.join(OF_THE_PROBABILITY)}\n", "audit")

    def assert_decisions(self, archive: fairfront_archive.Archive, task: int, part: str, rows: list[dict[str, str]],
                         prefix: str = "") -> np.ndarray:
        positive = np.array([float(row["probability"]) for row in rows])
        label, group = np.array([int(row["y"]) for row in rows]), np.array([row["ward"] for row in rows])
        for name, value in measures_of(positive, label, group).items():
            if not prefix or prefix + name in archive.measures():
                self.assert_same(self.measured(archive, task, prefix + name, part), value, f"{prefix}{name} ({part})")
        return positive

    def assert_same(self, found: float, expected: float, what: str) -> None:
        """Up to the order of sums."""
        if math.isfinite(expected):
            self.assertAlmostEqual(found, expected, 12, what)
        else:
            self.assertEqual(repr(float(found)), repr(float(expected)), what)

    def test_of_postprocessing(self) -> None:
        for model in ("hidden =", "hidden = 3"):
            archive = self.run_it(TABLE + f"[model]\n{model}\n[training]\nbudget = 3000\n[postprocessing]\n"
                                  "rate = demographic_parity, equalised_odds\nbound = 0, 0.1\n")
            draws = False
            for task in range(len(archive.tasks)):
                for part, rows in self.predicted("own.h5", "--task", str(task)).items():
                    with self.subTest(model, task=task, part=part):
                        positive = self.assert_decisions(archive, task, part, rows)
                        draws |= bool(((positive > 0.01) & (positive < 0.99)).any())
                        audit = self.audited(rows)
                        for name in OF_THE_PROBABILITY:
                            self.assert_same(self.measured(archive, task, name, part), self.measured(audit, 0, name, "all"), name)
            self.assertTrue(draws)

    def test_the_loss_is_that_of_the_score_less_the_threshold_that_is_drawn(self) -> None:
        archive = self.run_it(TABLE + "[model]\nhidden =\n[postprocessing]\nbound = 0, 0.1\n")
        for task in range(2):
            weights = np.array(archive.solutions_of("weights")[task][0])
            thresholds = np.array(archive.solutions_of("thresholds")[task][0]).reshape(-1, 3)
            for part, rows in self.predicted("own.h5", "--task", str(task)).items():
                losses, wards = [], np.array([row["ward"] for row in rows])
                for row in rows:
                    score = weights @ [float(row["x"]), float(row["z"]), 1]
                    sign = 1 if row["y"] == "1" else -1
                    losses.append(sum(chance * math.log1p(math.exp(-sign * (score - threshold)))
                                      for group, threshold, chance in thresholds if "abc"[int(group)] == row["ward"]))
                means = [np.mean(np.array(losses)[wards == ward]) for ward in "abc"]
                for name, value in (("loss", np.mean(losses)), ("loss_gap", max(means) - min(means)),
                                    ("gap", max(means) - min(means))):
                    self.assertAlmostEqual(self.measured(archive, task, name, part), value, 10, name)
            front = archive.fronts()[task].points[0]
            self.assertEqual(front[0], self.measured(archive, task, "loss", "validation"))
            self.assertEqual(front[1], self.measured(archive, task, "gap", "validation"))

    def test_of_mixtures_of_reductions(self) -> None:
        self.check_mixtures("[training]\nbudget = 3000\n[reductions]\nrate = demographic_parity, equalised_odds\nbound = 0.02\n")

    def test_of_draws_of_certified_training(self) -> None:
        self.check_mixtures("[training]\nbudget = 30000\nrate = demographic_parity, equalised_odds\n"
                            "[certified_training]\nclassifier = randomised\ndelta = 0.02\n")
        self.succeed("replay", "own.h5")
        self.succeed("verify", "own.h5")
        for task in range(2):
            rows = self.predicted("own.h5", "--task", str(task), "--randomised")["train"]
            rates = [rates_of(*(np.array([float(row[name]) for row in rows if row["ward"] == ward]) for name in ("probability", "y")))
                     for ward in "abc"]
            for rate in (("positive_rate",), ("true_positive_rate", "false_positive_rate"))[task]:
                self.assertLessEqual(np.ptp([of[rate] for of in rates]), 0.02 + 1e-12, rate)
        archive = self.run_it(TABLE + "[model]\nhidden =\n[training]\nbudget = 30000\nrate = equalised_odds\n"
                              "[certified_training]\nclassifier = randomised\ndelta = 0.02\n")
        self.assertEqual(len(archive.tasks), 1)
        self.succeed("choose", "own.h5", "--randomised", "--model", "model.json")
        self.assertIn("a draw among several scores", fairfront_archive.load_model(self.folder / "model.json").card["card"]["form"])
        self.assertEqual(self.predicted("model.json"), self.predicted("own.h5", "--task", "0", "--randomised"))

    def check_mixtures(self, training: str) -> None:
        for model in ("hidden =", "hidden = 3"):
            archive = self.run_it(TABLE + f"[model]\n{model}\n" + training)
            self.assertIn("randomised_separation_gap", archive.measures())
            for task in range(len(archive.tasks)):
                for part, rows in self.predicted("own.h5", "--task", str(task), "--randomised").items():
                    with self.subTest(model, task=task, part=part):
                        self.assert_decisions(archive, task, part, rows, "randomised_")
                # The other measures are those of the single classifier, which decides without a draw.
                for part, rows in self.predicted("own.h5", "--task", str(task)).items():
                    decided = [{**row, "probability": row["decision"]} for row in rows]
                    self.assert_decisions(archive, task, part, decided)

    def test_of_a_chosen_draw_among_thresholds(self) -> None:
        text = ("experiment = predictions\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = ward\n[split]\n"
                "validation = 0.3\ntest = 0.3\nstratify = group_and_label\n[predictions]\nscore = x\n[drawn_thresholds]\n"
                "fairness = equalised_odds\nslacks = 4\nchoose_on = validation\nreport_on = test\n")
        archive = self.run_it(text)
        self.succeed("choose", "own.h5", "--bound", "gap<=0.05", "--best", "balanced_accuracy", "--model", "model.json")
        measures = fairfront_archive.load_model(self.folder / "model.json").card["measures"]
        said = {(row["name"], row["part"]): row for row in measures if row.get("group", "all") == "all"}
        self.assertIn(("balanced_accuracy", "validation"), said, list(said)[:5])
        parts = self.predicted("model.json")
        for part in ("validation", "test"):
            rows = parts[part]
            positive = np.array([float(row["probability"]) for row in rows])
            label, group = np.array([int(row["y"]) for row in rows]), np.array([row["ward"] for row in rows])
            for name, value in measures_of(positive, label, group).items():
                if (name, part) in said:
                    self.assertAlmostEqual(said[name, part]["value"], value, 12, f"{name} ({part})")
        self.assertTrue(archive.tasks)


if __name__ == "__main__":
    unittest.main()
