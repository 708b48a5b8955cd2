"""Sweeps that together leave models of every kind, of every family."""

from __future__ import annotations

import csv
import pathlib
import random
import sys

from program import ProgramTest

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

COLUMNS = ["age", "income", "region", "size", "sex", "ward", "owner", "hours", "eta", "tau_f", "tau_m", "both"]
DATA = "[data]\ndata = csv\nfile = people.csv\n"
PARTS = "[split]\nvalidation = 0.3\ntest = 0.2\n"
LABELLED = DATA + ("label = owner\nsensitive = sex\nfeatures = age, income, region, size\ncategorical = region, size\n"
                   "missing_rule = mean\n") + PARTS
PREPARED = "[preparation]\nscaling = zscore\nlog1p = income\n"
REAL = DATA + "label = hours\nfeatures = age, income, region\ncategorical = region\nmissing_rule = zero\n"
SWEEPS = {
    "linear training": "experiment = training\n" + LABELLED + PREPARED +
                       "[training]\nbudget = 4000\n[sgd]\n[alm]\ndelta = 0.1\n",
    "rates": "experiment = training\n" + LABELLED + PREPARED + "[model]\nhidden =\n"
             "[reductions]\nbound = 0.01\nrate = demographic_parity, equalised_odds\n"
             "[postprocessing]\nbound = 0.01\nrate = equalised_odds\n",
    "draws": "experiment = training\n" + LABELLED + PREPARED + "[model]\nhidden =\n[training]\nbudget = 30000\n"
             "rate = demographic_parity, equalised_odds\n[certified_training]\nclassifier = randomised\ndelta = 0.02\n",
    "draws of networks": "experiment = training\n" + LABELLED.replace("sensitive = sex", "sensitive = ward") + PREPARED +
                         "[model]\nhidden = 3\n[training]\nbudget = 30000\nrate = equalised_odds\n"
                         "[certified_training]\nclassifier = randomised\ndelta = 0.02\n",
    "networks with thresholds": "experiment = training\n" + LABELLED.replace("sensitive = sex", "sensitive = ward") +
                                PREPARED + "[model]\nhidden = 7, 3\n[training]\nbudget = 8000\n[postprocessing]\n"
                                "rate = equalised_odds\nbound = 0.02\n",
    "networks": "experiment = training\n" + LABELLED + PREPARED + "row_scaling = unit\ngroup_feature = true\n"
                "[model]\nhidden = 7, 3\nactivation = relu, tanh, sigmoid\n[training]\nbudget = 4000\n[sgd]\n",
    "one-hot without scaling": "experiment = training\n" + LABELLED.replace("= mean", "= drop") +
                               "[preparation]\nscaling = none\n[training]\nbudget = 2000\n[sgd]\nstep = 1e-4\n",
    "numbers that are missing": "experiment = training\n" + LABELLED.replace("= mean", "= zero\nmissing = ?, 33, 4e2") +
                                PREPARED + "[training]\nbudget = 2000\n[sgd]\n",
    "ranking": "experiment = ranking\n" + LABELLED + PREPARED + "[ranking]\nmetric = group\n[unconstrained_auc]\n"
               "[exact_auc]\nkappa = 0.1, 0.5\n[score_postprocessing]\n[sfls]\nkappa = 0.2\nsteps = 200\n",
    "alternating": "experiment = alternating\n" + DATA + "label = owner\nsensitive = sex\n"
                   "features = age, income, region\ncategorical = region\nmissing_rule = mean\n" + PREPARED +
                   "[alternating]\nproblem = data\nn_total = 10\niterations = 50\n[sa2gd]\nn_a = 3, 7\n",
    "regression": "experiment = regression\n" + REAL + "sensitive = sex\n" + PARTS + "[base_model]\nclip = true\n"
                  "[dp_exact]\nepsilon = 0.1\n[dp_postprocessing]\nepsilon = 0.2\nsteps = 200\n"
                  "rule = randomised, argmax, mean\n[adw]\nepsilon = 0.2\n[barycenter]\nties = drawn, middle\n"
                  "[bounded_group_loss]\n",
    "regression in three groups": "experiment = regression\n" + REAL + "sensitive = ward\n" + PARTS +
                                  "[base_model]\n"
                                  "[dp_postprocessing]\nepsilon = 0.2\nsteps = 200\n[adw]\nepsilon = 0.2\nlearn_from = train\n"
                                  "[barycenter]\nepsilon = 0.3\n",
    "regression by two attributes": "experiment = regression\n" + REAL + "sensitive = sex, ward\n" + PARTS +
                                    "[barycenter]\nepsilon = 0, 0.3\nties = drawn, middle\n"
                                    "attributes = together, one_after_other\n",
    "regression in another unit": "experiment = regression\n" + REAL + "sensitive = sex\nlabel_divisor = 8\n" + PARTS +
                                  "[preparation]\nlog1p = hours\nlabel_scaling = zscore\n[regression]\n"
                                  "half_atoms = 3\n[base_model]\n[dp_exact]\nepsilon = 0.1\n[dp_postprocessing]\n"
                                  "epsilon = 0.2\nsteps = 200\nrule = randomised, argmax, mean\n[adw]\nepsilon = 0.2\n",
    "predictions of others": "experiment = regression\n" + DATA + "label = hours\nsensitive = sex\n" + PARTS +
                             "[base]\neta = eta\ntau = tau_f, tau_m\n[base_model]\n[dp_exact]\nepsilon = 0.1\n[barycenter]\n",
    "thresholds": "experiment = predictions\n" + DATA + "label = owner\nsensitive = ward\n" + PARTS +
                  "[predictions]\nscore = eta, hours\n[thresholds]\n[drawn_thresholds]\n",
    "clustering": "experiment = clustering\n" + DATA + "features = age, income, region\ncategorical = region\n"
                  "sensitive = sex\nmissing_rule = mean\n" + PREPARED + "[clustering]\nclusters = 3\n"
                  "[lloyd]\n[safairkm_front]\niterations = 8\nstarts = 4\npairs = (3,1) (1,0)\n",
}
KINDS = {"score", "drawn_scores", "centres", "thresholds", "drawn_thresholds", "base", "soft", "mixture", "transport", "linear"}


def people(rows: int) -> list[list[str]]:
    draw = random.Random(7)
    table = []
    for row in range(rows):
        age, income, sex = draw.randint(18, 80), draw.randint(0, 900), draw.choice("fm")
        owner = int(income + 9 * age + draw.gauss(0, 100) > 800)
        tau = draw.uniform(0.05, 0.95)
        table.append([str(age), ("", "?")[row % 80 == 7] if row % 40 == 7 else str(income),
                      "" if row % 50 == 3 else draw.choice(("north", "south", "west")),
                      draw.choice(("small", "middle", "large")), sex, draw.choice(("1", "2", "3")), str(owner),
                      f"{draw.gauss(20 + 0.1 * age + 3 * (sex == 'm'), 6):.4f}", f"{draw.gauss(25, 6):.17g}",
                      repr(tau), repr(1 - tau)])
        table[-1].append(f"{table[-1][COLUMNS.index('sex')]} x {table[-1][COLUMNS.index('ward')]}")
    return table


class ModelTest(ProgramTest):
    """A folder with the tables people.csv and later.csv."""

    def setUp(self) -> None:
        super().setUp()
        rows = people(400)
        self.write("people.csv", rows)
        later = people(120)[60:]
        for row in later[:5]:
            row[2] = "east"  # a name that no training row has
        self.write("later.csv", later)

    def write(self, name: str, rows: list[list[str]]) -> None:
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])

    def archive_of(self, text: str) -> fairfront_archive.Archive:
        (self.folder / "config.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "config.ini", "-o", "result.h5", "--force")
        archive = fairfront_archive.open(self.folder / "result.h5", program=False)
        self.addCleanup(archive.close)
        return archive
