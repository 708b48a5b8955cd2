"""`choose` names a point of the fronts that a run has left, and writes its model to a file."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import itertools
import json
import math
import pathlib
import random
import re
import sys
import unittest

import h5py
import numpy as np

from program import ProgramTest, people

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import publish_sample  # noqa: E402


def lower_end(hits: float, rows: int, missed: float = 0.05) -> float:
    """Of a rate, one-sided: where so many hits or more have the probability `missed`. Clopper, Pearson (1934)."""
    def tail(rate: float) -> float:
        return sum(math.comb(rows, k) * rate ** k * (1 - rate) ** (rows - k) for k in range(int(hits), rows + 1))

    low, high = 0.0, hits / rows
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) < missed else (low, middle)
    return low


class Choose(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.make_archive()

    def points(self) -> list[tuple[float, float]]:
        """Cost and balance of the points of the archive's fronts."""
        with h5py.File(self.folder / "result.h5") as file:
            (front,) = file["fronts"].values()
            return [(float(cost), float(balance)) for cost, balance in front["points"]]

    def chosen(self, *arguments: str) -> dict:
        (found,) = json.loads(self.succeed("choose", "result.h5", "--json", *arguments))
        return found["chosen"]

    def test_the_cheapest_point_within_a_bound(self) -> None:
        points = self.points()
        bound = sorted(balance for _, balance in points)[len(points) // 2]
        expected = min(cost for cost, balance in points if balance >= bound)
        values = self.chosen("--bound", f"balance >= {bound!r}")["values"]
        self.assertEqual(values["clustering cost"]["decided"], expected)
        self.assertIsNone(values["clustering cost"]["reported"])
        self.assertIn("chosen", self.succeed("choose", "result.h5", "--best", "balance"))

    def test_every_point_is_told_where_all_are_asked_for(self) -> None:
        self.write_config({"seed": "1, 2, 3, 4, 5, 6"})
        self.succeed("run", "config.ini", "-o", "seeds.h5")
        with h5py.File(self.folder / "seeds.h5") as file:
            costs = sorted(file["fronts/safairkm_front/points"][:, 0].tolist())
        self.assertGreater(len(costs), 4)
        for words, shown in ((("--all",), costs), ((), costs[:4])):
            (found,) = json.loads(self.succeed("choose", "seeds.h5", "--json", *words))
            self.assertEqual(found["points"], len(costs))
            self.assertEqual([one["values"]["clustering cost"]["decided"] for one in [found["chosen"], *found["next"]]], shown)
            self.assertEqual(self.succeed("choose", "seeds.h5", *words).count(" point "), len(shown))

    def test_a_point_without_a_value_is_not_known_and_breaks_nothing(self) -> None:
        (self.folder / "ranking.ini").write_text(
            "experiment = ranking\n[data]\ndata = syn_predictions\nsubsample = 300\n[split]\ntest = 0.3\n"
            "[ranking]\nmetric = group\n[exact_auc]\nkappa = 0.1, 0.3, 0.5\n", encoding="utf-8")
        self.succeed("run", "ranking.ini", "-o", "ranking.h5")
        words = ("choose", "ranking.h5", "--bound", "worst_group_auc>=0.1", "--all")
        self.assertNotIn("not known", self.succeed(*words))
        with h5py.File(self.folder / "ranking.h5", "r+", libver=("v108", "v108")) as file:
            file["measures/worst_group_auc"][1] = np.nan  # as if a version had made it that does not know the measure
        publish_sample.digest_again(self.folder / "ranking.h5")
        told = self.succeed(*words)
        self.assertIn("worst_group_auc is not known of 1 of 3 points, which therefore cannot be chosen; what a version", told)
        self.assertEqual(told.count("not known  "), 1, told)
        self.assertNotIn("breaks a bound", told)
        (found,) = json.loads(self.succeed(*words, "--json"))
        self.assertEqual(found["unknown"], {"worst_group_auc": 1})
        self.succeed("measure", "ranking.h5", "-o", "again.h5")
        self.assertNotIn("not known", self.succeed("choose", "again.h5", *words[2:]))

    def test_a_bound_that_nothing_keeps_ends_with_1_and_says_what_is_nearest(self) -> None:
        outcome = self.run_program("choose", "result.h5", "--bound", "balance>=2")
        self.assertEqual(outcome.codes, [1])
        self.assertIn("no point keeps every bound", outcome.out)

    def test_what_has_learnt_from_the_deciding_groups_is_chosen_from_where_it_is_asked_for_alone(self) -> None:
        (self.folder / "learnt.ini").write_text(
            "experiment = regression\n[data]\ndata = syn_four_groups\nsubsample = 240\n[split]\n"
            "validation = 0.4\ntest = 0.3\nstratify = group\n[barycenter]\nepsilon = 0, 0.5\n", encoding="utf-8")
        self.succeed("run", "learnt.ini", "-o", "learnt.h5")
        outcome = self.run_program("choose", "learnt.h5")
        self.assertEqual(outcome.codes, [1])
        self.assertIn("no point: no task is done that has not learnt from the part that decides; with --method barycenter, "
                      "which", outcome.out)
        self.assertIn("[barycenter] barycenter.epsilon=", self.succeed("choose", "learnt.h5", "--method", "barycenter"))

    def test_a_point_has_its_seed_in_the_problem_whose_name_ends_alike(self) -> None:
        self.write_config({"seed": "1, 2", "data.subsample": "20", "data.subsample_seed": "1, 2"})
        self.succeed("run", "config.ini", "-o", "seeds.h5")
        told = self.succeed("choose", "seeds.h5", "--best", "balance")
        first = told.partition("data.subsample_seed=2\n")[0]
        self.assertTrue(first.startswith("data.subsample_seed=1\n"), told)
        for row in first.splitlines()[2:]:
            self.assertRegex(row, r" seed=[12]\b")

    def test_methods_are_named_once_where_another_is_wanted(self) -> None:
        self.write_config({"seed": "1, 2, 3"})
        self.succeed("run", "config.ini", "-o", "seeds.h5")
        told = self.run_program("choose", "seeds.h5", "--method", "k, l").error
        self.assertEqual(told.count("safairkm_front"), 1, told)

    def test_gaps_of_two_kinds_are_two_questions_and_an_audit_is_none(self) -> None:
        config = self.folder / "predictions.ini"
        config.write_text("experiment = predictions\n[data]\ndata = syn_predictions\n"
                          "[predictions]\nscore = calibrated\n[split]\nvalidation = 0.4\n"
                          "test = 0.5\nstratify = group_and_label\n[measures]\nparts = test\n"
                          "[thresholds]\nfairness = demographic_parity, equalised_odds\n"
                          "choose_on = validation\nreport_on = test\n", encoding="utf-8")
        self.succeed("run", "predictions.ini", "-o", "predictions.h5")
        found = json.loads(self.succeed("choose", "predictions.h5", "--bound", "gap<=0.05", "--json"))
        self.assertEqual([each["chosen"]["axes"]["thresholds.fairness"] for each in found],
                         ["demographic_parity", "equalised_odds"])

    def test_methods_are_compared_where_their_gap_is_one_and_only_there(self) -> None:
        """Two options of one name made two problems; of two gaps with one value each, the methods were set side by side."""
        config = self.folder / "predictions.ini"
        text = ("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n[split]\n"
                "validation = 0.4\ntest = 0.5\nstratify = group_and_label\n[thresholds]\nfairness = {}\n[drawn_thresholds]\n"
                "fairness = {}\nslacks = 5\n")
        for name, values, problems in (
                ("one", ("equalised_odds", "equalised_odds"), {"syn_predictions": 2}),
                ("other", ("demographic_parity", "equalised_odds"),
                 {"fairness=demographic_parity": 1, "fairness=equalised_odds": 1}),
                ("some", ("demographic_parity", "demographic_parity, equal_opportunity"),
                 {"fairness=demographic_parity": 2, "fairness=equal_opportunity": 1})):
            config.write_text(text.format(*values), encoding="utf-8")
            self.succeed("run", "predictions.ini", "-o", f"{name}.h5")
            found = json.loads(self.succeed("choose", f"{name}.h5", "--best", "gap", "--all", "--json"))
            with self.subTest(name):
                methods = {each["problem"]: len({one["method"] for one in [each["chosen"], *each["next"]]}) for each in found}
                self.assertEqual(methods, problems)

    def test_methods_that_are_offered_make_fronts(self) -> None:
        """An audit beside thresholds was offered, and then refused as if the archive held no fronts at all."""
        config = self.folder / "predictions.ini"
        config.write_text("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n"
                          "[measures]\n[thresholds]\n[drawn_thresholds]\n", encoding="utf-8")
        self.succeed("run", "predictions.ini", "-o", "predictions.h5")
        for method, words in (("sgd", "no task of the method 'sgd' (valid: drawn_thresholds, thresholds)"),
                              ("measures", "the method 'measures' makes no fronts, and so no point to choose; these do: "
                                           "drawn_thresholds, thresholds")):
            told = self.run_program("choose", "predictions.h5", "--method", method)
            self.assertEqual(told.codes, [2])
            self.assertIn(words, told.error)

    def test_an_audit_alone_has_nothing_to_choose(self) -> None:
        config = self.folder / "audit.ini"
        config.write_text("experiment = predictions\n[data]\ndata = syn_predictions\n"
                          "[predictions]\nscore = calibrated\n[measures]\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        for form in ((), ("--json",)):
            outcome = self.run_program("choose", "audit.h5", "--best", "gap", *form)
            self.assertEqual(outcome.codes, [2])
            self.assertIn("holds no fronts, and so no point to choose; run a method that has one", outcome.error)

    def test_bad_wishes_are_told(self) -> None:
        for arguments, word in ((("--bound", "balance"), "NAME<=NUMBER"),
                                (("--best", "balanse"), "did you mean 'balance'"),
                                (("--method", "sgd"), "no task of the method 'sgd'"),
                                (("--model", "-"), "takes the name of a file"),
                                (("--knee", "--best", "balance"), "choose: leave --knee or --best out"),
                                (("--confidence", "0.95"), "that of a bound"),
                                (("--confidence", "2", "--bound", "balance>=0"), "above 0.5 and below 1")):
            with self.subTest(arguments):
                outcome = self.run_program("choose", "result.h5", *arguments)
                self.assertEqual(outcome.codes, [2])
                self.assertIn(word, outcome.error)


class Points(ProgramTest):
    """Fronts of several points in one task: each is measured by its own model."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(4)
        table = [["age", "score", "sex", "part", "label"]]
        parts = ["train"] * 2 + ["validation"] * 3 + ["choice"] * 4 + ["test"] * 2
        for row in range(2200):
            sex = "fm"[row % 2]
            score = draw.random() + (0.12 if sex == "m" else 0)
            label = int(draw.random() < score / 1.2)
            table.append([str(draw.randint(18, 80)), f"{score:.4f}", sex, parts[row % 11], str(label)])
        self.write_people(table)
        self.rows = [dict(zip(table[0], row)) for row in table[1:]]

    def run_on(self, experiment: str, sections: str) -> None:
        (self.folder / "points.ini").write_text(
            f"experiment = {experiment}\nseed = 1\n[data]\ndata = csv\nfile = people.csv\nsensitive = sex\n"
            f"label = label\nsplit = part\n{sections}[split]\nby = column\nvalidation_values = validation\n"
            "choice_values = choice\ntest_values = test\n", encoding="utf-8")
        self.succeed("run", "points.ini", "-o", "points.h5", "--force")

    def decided(self, point: int, column: str) -> list[float]:
        """By the stored model of a point, of all rows of the table."""
        self.succeed("predict", "points.h5", "--task", "0", "--point", str(point), "--rows", "people.csv", "--csv",
                     f"{point}.csv")
        with open(self.folder / f"{point}.csv", encoding="utf-8", newline="") as file:
            return [float(row[column]) for row in csv.DictReader(file)]

    def upper_limit(self, decided: list[float]) -> float:
        """One-sided at .95, of the difference of two rates: Clopper, Pearson (1934) and MOVER (Newcombe, 1998)."""
        rates = []
        for sex in "fm":
            mine = [one for one, row in zip(decided, self.rows) if row["part"] == "choice" and row["sex"] == sex]
            hits, rows = sum(mine), len(mine)
            rates.append((hits / rows, lower_end(hits, rows), 1 - lower_end(rows - hits, rows)))
        return max(a - b + np.hypot(a_high - a, b - b_low)
                   for (a, _, a_high), (b, b_low, _) in (rates, rates[::-1]))

    def test_what_decides_is_never_called_reported(self) -> None:
        """A measure that is known of the deciding rows alone stood under "reported"."""
        config = ("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n[split]\n"
                  "validation = 0.3\ntest = 0.3\nchoice = {}\n[thresholds]\nfairness = demographic_parity\nchoose_on = {}\n"
                  "report_on = {}\n[drawn_thresholds]\nfairness = demographic_parity\nslacks = 5\nchoose_on = {}\nreport_on = {}\n")
        reports = {("0", "all", "test"): False, ("0", "validation", "all"): False, ("0", "validation", "none"): False,
                   ("0", "validation", "test"): True, ("0.2", "validation", "none"): False, ("0.2", "train", "validation"): True}
        for (choice, decides, reported), told in reports.items():
            with self.subTest(choice=choice, decides=decides, reported=reported):
                (self.folder / "audit.ini").write_text(config.format(choice, decides, reported, decides, reported), encoding="utf-8")
                self.succeed("run", "audit.ini", "-o", "audit.h5", "--force")
                said = self.succeed("choose", "audit.h5", "--bound", "independence_gap<=0.1", "--best", "error")
                self.assertEqual("independence_gap, reported" in said, told, said)
                if choice != "0":
                    certified = self.succeed("choose", "audit.h5", "--bound", "independence_gap<=0.2", "--confidence", "0.95")
                    self.assertIn("independence_gap, tested", certified)
                    for bound, words in (("0.1", r"would need some [\d.]+ times the rows of the choice part, a rough number, as it was fitted.*\n"
                                                 r"  with 9 chances in 10, were the truth known: [\d.]+ times if gap is 0, [\d.]+ times if it is 0.05, "),
                                         ("0.001", r"by what is known of it, the first point tested breaks a bound itself")):
                        told = self.run_program("choose", "audit.h5", "--bound", f"gap<={bound}", "--confidence", "0.95", "--method", "thresholds")
                        self.assertEqual(told.codes, [1])
                        self.assertRegex(told.out, words)
        (self.folder / "audit.ini").write_text(config.format(0.2, "validation", "all", "validation", "all"), encoding="utf-8")
        told = self.run_program("run", "audit.ini", "-o", "audit2.h5")
        self.assertEqual(told.codes, [2])
        self.assertIn("thresholds.report_on = all: among all rows are those that decide", told.error)

    def test_points_that_are_reported_on_different_parts_are_not_compared(self) -> None:
        """They stood in one table, as reported."""
        config = ("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n[split]\n"
                  "validation = 0.3\ntest = 0.3\n[thresholds]\nchoose_on = validation\nreport_on = test\n"
                  "[drawn_thresholds]\nslacks = 5\nchoose_on = validation\nreport_on = {}\n")
        for reported, code in (("train", 2), ("none", 0), ("test", 0)):
            (self.folder / "parts.ini").write_text(config.format(reported), encoding="utf-8")
            self.succeed("run", "parts.ini", "-o", "parts.h5", "--force")
            self.assertEqual(self.run_program("choose", "parts.h5").codes, [code])
        (self.folder / "parts.ini").write_text(config.format("train"), encoding="utf-8")
        self.succeed("run", "parts.ini", "-o", "parts.h5", "--force")
        self.assertIn("the points were reported on different parts (report_on = test, train), on which they cannot be compared: "
                      "choose in an archive of one of them, or by --method", self.run_program("choose", "parts.h5").error)
        self.succeed("choose", "parts.h5", "--method", "thresholds")

    def test_show_says_on_which_part_a_hypervolume_was_measured_where_these_differ(self) -> None:
        """Those of different parts stood below each other as if they could be compared."""
        config = ("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n[split]\n"
                  "validation = 0.3\ntest = 0.3\nsplit_seed = 1, 2\n[measures]\n[thresholds]\nchoose_on = {}\nreport_on = {}\n"
                  "[drawn_thresholds]\nslacks = 5\nchoose_on = validation\nreport_on = test\n")

        def shown(decides: str, reported: str) -> tuple[list[tuple[str, str]], str]:
            (self.folder / "parts.ini").write_text(config.format(decides, reported), encoding="utf-8")
            self.succeed("run", "parts.ini", "-o", "parts.h5", "--force")
            text = self.succeed("show", "parts.h5")
            return re.findall(r"(?m)^front of task \d+ \[(\w+), .*\]: .*, hypervolume [\d.e-]+(.*)$", text), text.partition("\nnondominated")[2]

        for reported in ("test", "train"):  # what is reported changes no hypervolume
            fronts, merged = shown("validation", reported)
            self.assertEqual(fronts, 2 * [("thresholds", "")] + 2 * [("drawn_thresholds", "")])
            self.assertNotIn("compared", merged)
            self.assertNotIn("measured on", merged)
        for decides, name in (("train", "the train part"), ("all", "all rows")):
            fronts, merged = shown(decides, "none")
            self.assertEqual(fronts, 2 * [("thresholds", f" on {name}")] + 2 * [("drawn_thresholds", " on the validation part")])
            self.assertIn("measured on", merged)
            self.assertRegex(merged, rf"(?m)^  thresholds .* {name} ")
            self.assertRegex(merged, r"(?m)^  drawn_thresholds .* validation part ")
            self.assertIn("hypervolumes on different parts are not to be compared", merged)

    def test_thresholds_are_certified_on_rows_that_have_chosen_nothing(self) -> None:
        self.run_on("predictions", "[predictions]\nscore = score\n[thresholds]\nfairness = demographic_parity\n"
                    "thresholds_per_group = 12\nchoose_on = validation\nreport_on = test\n")
        with h5py.File(self.folder / "points.h5") as file:
            points = file["fronts/thresholds/points"][()]
        order = sorted(range(len(points)), key=lambda point: (points[point][1], point))
        limits = [self.upper_limit(self.decided(point, "decision")) for point in range(len(points))]
        self.assertGreater(len(points), 5)
        bound = sorted(limits)[len(limits) // 2]
        passed = list(itertools.takewhile(lambda point: limits[point] <= bound, order))
        outcome = self.run_program("choose", "points.h5", "--bound", f"gap<={bound * (1 + 1e-9)!r}", "--confidence", "0.95",
                                   "--json", "--model", "model.json")
        (told,) = json.loads(outcome.out)
        self.assertTrue(told["measured"])
        self.assertEqual((told["certified"], told["tested_on"]), (len(passed), "choice part"))
        self.assertGreater(len(passed), 1)
        self.assertLess(len(passed), len(points))
        best = min(passed, key=lambda point: (points[point][0], points[point][1]))
        self.assertEqual(told["chosen"]["point"], best)
        self.assertAlmostEqual(told["chosen"]["values"]["gap"]["tested"]["high"], limits[best], delta=1e-12)
        model = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
        self.assertIn("with a confidence of 0.95", model["card"]["guarantee"])
        self.assertIn("such as a log loss, and of AUCs are approximations", model["card"]["guarantee"])
        self.assertIn(("gap", "choice"), [(one["name"], one["part"]) for one in model["measures"]])
        by_measure = json.loads(self.succeed("choose", "points.h5", "--bound", f"independence_gap<={bound * (1 + 1e-9)!r}",
                                             "--confidence", "0.95", "--json"))
        self.assertEqual(by_measure[0]["chosen"]["point"], best)

    def test_moved_scores_are_certified_by_their_models(self) -> None:
        self.run_on("ranking", "features = age, score\n[ranking]\nmetric = inter_group\nresamples = 0\n"
                    "[score_postprocessing]\nfactor_step = 0.1\nshift_step = 0.05\n")
        with h5py.File(self.folder / "points.h5") as file:
            points = file["fronts/score_postprocessing/points"][()]
        self.assertGreater(len(points), 3)
        (told,) = json.loads(self.run_program("choose", "points.h5", "--bound", "auc_gap<=0.9", "--confidence", "0.95",
                                              "--json").out)
        self.assertEqual(told["certified"], len(points))
        for one in [told["chosen"], *told["next"]]:
            self.assertEqual(one["values"]["auc"]["decided"], points[one["point"]][0])
            score = np.array(self.decided(one["point"], "score"))
            mine = [row["part"] == "choice" for row in self.rows]
            label = np.array([row["label"] == "1" for row in self.rows])[mine]
            score = score[mine]
            above = np.sign(score[label][:, None] - score[~label][None, :])
            auc = (1 + above.mean()) / 2
            self.assertAlmostEqual(one["values"]["auc"]["tested"]["value"], auc, delta=1e-12)

    def refusal(self, *words: str) -> str:
        outcome = self.run_program("choose", "points.h5", *words)
        self.assertEqual(outcome.codes, [2], outcome.out)
        return outcome.error

    def test_a_card_names_no_part_on_which_objectives_were_not_decided(self) -> None:
        """Those of the alternating family are of the training rows; the card said that they hold on the validation part."""
        self.run_on("alternating", "features = age, score\n[alternating]\nproblem = data\nn_total = 10\niterations = 20\n"
                    "[sa2gd]\nn_a = 3, 7\n")
        for bound, best, part in (("f2<=1000", "f1", "part that decides"), ("error<=1", "f2", "part that decides"),
                                  ("error<=1", "error", "validation part")):
            with self.subTest(bound, best=best):
                self.succeed("choose", "points.h5", "--bound", bound, "--best", best, "--model", "model.json", "--force")
                card = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))["card"]
                self.assertIn(f"on the {part}", card["chosen"])
                self.assertIn(f"holds on the {part}", card["guarantee"])

    def test_names_that_are_offered_for_a_proof_are_taken_and_no_others(self) -> None:
        """Of an archive of the alternating family ten of thirteen names in the list were then refused."""
        training = "[training]\nbudget = 2000\n[sgd]\n"
        thresholds = "[predictions]\nscore = score\n[thresholds]\nthresholds_per_group = 4\nchoose_on = validation\n" \
                     "report_on = test\n"
        for experiment, sections in (("alternating", "features = age, score\n[alternating]\nproblem = data\nn_total = 10\n"
                                      "iterations = 20\n[sa2gd]\nn_a = 3, 7\n"),
                                     ("training", "features = age, score\n" + training), ("predictions", thresholds)):
            self.run_on(experiment, sections)
            for sign in ("<=", ">="):
                told = self.refusal("--bound", f"quantity{sign}1", "--confidence", "0.9")
                listed, _, left_out = told.partition("(valid: ")[2].partition(")")
                taken = listed.partition(" and ")[0].split(", ")
                refused = [name for names in left_out.split(": ")[1:] for name in names.partition(";")[0].strip().split(", ")]
                self.assertGreater(len(taken) * len(refused), 1)
                self.assertFalse(set(taken) & set(refused))
                for name in taken:
                    with self.subTest(experiment, name=name):
                        outcome = self.run_program("choose", "points.h5", "--bound", f"{name}{sign}1", "--confidence", "0.9")
                        self.assertIn(outcome.codes[0], (0, 1), outcome.error)
                for name in refused:
                    with self.subTest(experiment, name=name):
                        self.refusal("--bound", f"{name}{sign}1", "--confidence", "0.9")
                if experiment == "alternating":
                    self.assertIn("without an interval on the choice part: f1, f2;", told)

    def test_a_front_of_one_point_is_measured_as_well(self) -> None:
        """Its task has no measures of its own, and so none of the names was known."""
        table = [["score", "sex", "part", "label"]]
        table += [[str(row % 2), "fm"[row // 2 % 2], ("train", "validation", "choice", "test")[row // 4 % 4], str(row % 2)]
                  for row in range(800)]
        self.write_people(table)
        self.run_on("predictions", "[predictions]\nscore = score\n[thresholds]\nchoose_on = validation\nreport_on = test\n"
                    "[drawn_thresholds]\nchoose_on = validation\nreport_on = test\n")
        for method in ("thresholds", "drawn_thresholds"):
            with h5py.File(self.folder / "points.h5") as file:
                self.assertEqual(len(file[f"fronts/{method}/points"]), 1)
            for wish in (("--best", "worst_group_error"), ("--bound", "worst_group_error<=0.1", "--confidence", "0.9")):
                (told,) = json.loads(self.succeed("choose", "points.h5", "--method", method, "--json", *wish))
                self.assertTrue(told["measured"])
                self.assertEqual(told["chosen"]["values"]["worst_group_error"]["decided"], 0)
            self.succeed("choose", "points.h5", "--method", method, "--model", "model.json", "--force")
            card = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
            self.assertIn(("error", "test", "all", 0), [(row["name"], row["part"], row["group"], row["value"]) for row in card["measures"]])

    def test_the_only_point_of_a_ranking_has_the_measures_of_the_model_that_is_written(self) -> None:
        """The archive has those of where the method ended; the point was selected among its iterates. They are computed
        here from what the written model says of the rows."""
        self.run_on("ranking", "features = age, score\n[ranking]\nmetric = inter_group\nresamples = 0\nfront_points = 2\n"
                    "[unconstrained_auc]\n[sfls]\nkappa = 0.1, 0.5\nsteps = 90\nlook_every = 30\n[iqrc]\nkappa = 0.1, 0.5\n"
                    "steps = 60\nlook_every = 20\nhidden_units = 2\n[proxy_lagrangian]\nkappa = 0.1, 0.5\nsteps = 90\nlook_every = 30\n"
                    "[correlation_penalty]\nweight = 0.1, 1\nsteps = 90\nlook_every = 30\n")
        with h5py.File(self.folder / "points.h5") as file:
            apart = ["weights_of_point" in model for model in file["tasks/model"].asstr()]
            single = {name: np.flatnonzero(np.diff(front["offsets"][()]) == 1) for name, front in file["fronts"].items()}
        methods = [name for name, tasks in single.items() if any(apart[task] for task in tasks)]
        self.assertGreater(len(methods), 1)
        for method in [*methods, "unconstrained_auc"]:
            for wish in (("--best", "inter_group_auc_gap"), ("--intervals",), ("--bound", "inter_group_auc_gap<=0.99", "--confidence", "0.9")):
                with self.subTest(method, wish=wish):
                    self.require_measures_of_model(method, single[method], wish)

    def require_measures_of_model(self, method: str, single: np.ndarray, wish: tuple[str, ...]) -> None:
        (told,) = json.loads(self.succeed("choose", "points.h5", "--method", method, "--json", "--all", "--model", "model.json",
                                          "--force", *wish))
        chosen = told["chosen"]
        score = self.scored("model.json")
        file = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
        names = {"auc": self.auc_of, "inter_group_auc_gap": self.gap_of, "auc_gap": self.gap_of}
        listed = {(row["name"], row["part"]): row["value"] for row in file["measures"] if row["group"] == "all"}
        for name, of in list(names.items())[:2]:
            for part in ("validation", "choice", "test"):
                self.assertAlmostEqual(listed[name, part], of(score, part), delta=1e-12, msg=f"{name} of {part}")
        for name, value in chosen["values"].items():
            self.assertAlmostEqual(value["decided"], names[name](score, "validation"), delta=1e-12)
            self.assertAlmostEqual(value["reported"], names[name](score, "test"), delta=1e-12)
            if name != "auc_gap":  # which the archive has of no task that ends with its point
                self.assertLess(value["low"], value["high"])
        if "--confidence" in wish:
            self.assertEqual(told["certified"], told["points"])
        self.assertEqual(score, self.scored("points.h5", "--task", str(chosen["task"]), "--point", str(chosen["point"])))
        if chosen["task"] in single and method != "unconstrained_auc":
            said = self.run_program("predict", "points.h5", "--task", str(chosen["task"]), "--rows", "people.csv", "--csv", "-")
            self.assertIn(f"the model of task {chosen['task']} is the one that its measures are of, and no point of its front: "
                          "--point takes one", said.error)

    def scored(self, *model: str) -> list[float]:
        """All rows of the table."""
        outcome = self.run_program("predict", *model, "--rows", "people.csv", "--csv", "-")
        self.assertEqual(outcome.codes, [0], outcome.error)
        self.assertNotIn("--point takes one", outcome.error)
        return [float(row["score"]) for row in csv.DictReader(outcome.out.splitlines())]

    def scores_of(self, score: list[float], part: str, label: str, sex: str) -> np.ndarray:
        return np.array([one for one, row in zip(score, self.rows, strict=True)
                         if row["part"] == part and row["label"] == label and row["sex"] in sex])

    def auc_of(self, score: list[float], part: str, above: str = "fm", below: str = "fm") -> float:
        """By all pairs, ties one half: of positives of some groups above negatives of others."""
        difference = self.scores_of(score, part, "1", above)[:, None] - self.scores_of(score, part, "0", below)
        return float(((difference > 0) + 0.5 * (difference == 0)).mean())

    def gap_of(self, score: list[float], part: str) -> float:
        return abs(self.auc_of(score, part, "f", "m") - self.auc_of(score, part, "m", "f"))

    def test_of_a_method_that_may_not_take_part_no_name_is_wrong(self) -> None:
        """With a confidence its names were told to have no interval."""
        table = [["sex", "part", "label", "age", "score"]]
        table += [["fm"[row % 2], ("train", "validation", "choice", "test")[row // 2 % 4], f"{row % 7 + row % 3}", str(row % 11), str(row % 5)]
                  for row in range(400)]
        self.write_people(table)
        self.run_on("regression", "features = age, score\n[base_model]\n[adw]\nepsilon = 0.1\nrounds = 5\n")
        for wish in ((), ("--confidence", "0.95")):
            outcome = self.run_program("choose", "points.h5", "--method", "adw", "--bound", "risk<=100", *wish)
            self.assertEqual((outcome.codes, outcome.error), ([1], ""))
            self.assertIn("no point: no task is done that has seen no labels of the part that decides", outcome.out)

    def test_the_card_of_a_point_of_thresholds_has_its_measures_by_group(self) -> None:
        self.run_on("predictions", "[predictions]\nscore = score\n[thresholds]\nthresholds_per_group = 12\n")
        asked = ("choose", "points.h5", "--bound", "gap<=0.5", "--best", "error", "--model", "model.json", "--force")
        self.succeed(*asked)
        card = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
        of_groups = {(row["name"], row["group"]): row for row in card["measures"] if row["part"] == "test"}
        for name in ("error", "true_positive_rate", "positive_rate"):
            for group in ("all", "f", "m"):
                self.assertLessEqual(of_groups[name, group]["low"], of_groups[name, group]["value"])
        self.assertAlmostEqual(of_groups["error", "all"]["value"], card["choice"]["values"]["error"]["reported"], delta=1e-12)
        self.assertNotIn("has no measures", self.succeed(*asked))
        (self.folder / "people.csv").unlink()
        outcome = self.run_program(*asked)
        self.assertEqual(outcome.codes, [0])
        self.assertIn("warning: the model's card has no measures: ", outcome.error)
        self.assertEqual(json.loads((self.folder / "model.json").read_text(encoding="utf-8"))["measures"], [])

    def test_a_chosen_point_of_thresholds_has_intervals_where_they_are_asked_for(self) -> None:
        """They are those of its model's decisions on the reported part, computed here again."""
        self.run_on("predictions", "[predictions]\nscore = score\n[thresholds]\nfairness = demographic_parity\n"
                    "thresholds_per_group = 12\nchoose_on = validation\nreport_on = test\n")
        asked = ("choose", "points.h5", "--bound", "gap<=0.5", "--json")
        (plain,) = json.loads(self.succeed(*asked))
        (told,) = json.loads(self.succeed(*asked, "--intervals"))
        self.assertEqual(told["chosen"]["point"], plain["chosen"]["point"])
        self.assertEqual([told["next"], told["measured"]], [plain["next"], False])
        for name, value in plain["chosen"]["values"].items():
            self.assertEqual((value["low"], value["high"]), (None, None))
            self.assertEqual([told["chosen"]["values"][name][key] for key in ("decided", "reported")],
                             [value[key] for key in ("decided", "reported")])
        decided = self.decided(told["chosen"]["point"], "decision")
        rows = [(one, row) for one, row in zip(decided, self.rows) if row["part"] == "test"]
        wrong = sum(one != float(row["label"]) for one, row in rows)
        error = told["chosen"]["values"]["error"]
        # Both ends are one-sided limits of confidence .975.
        self.assertAlmostEqual(error["low"], lower_end(wrong, len(rows), 0.025), delta=1e-12)
        self.assertAlmostEqual(error["high"], 1 - lower_end(len(rows) - wrong, len(rows), 0.025), delta=1e-12)
        gap = told["chosen"]["values"]["gap"]
        self.assertTrue(gap["low"] <= gap["reported"] <= gap["high"])
        self.assertIn(f"{error['reported']:.6g} [", self.succeed("choose", "points.h5", "--bound", "gap<=0.5", "--intervals"))
        self.assertNotIn("[0.", self.succeed("choose", "points.h5", "--bound", "gap<=0.5"))
        (self.folder / "people.csv").unlink()
        outcome = self.run_program(*asked, "--intervals")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("people.csv", outcome.error)
        self.assertEqual(json.loads(self.succeed(*asked)), [plain])

    def test_points_of_thresholds_are_tested_with_the_confidence_of_the_config(self) -> None:
        """It was 0.95 whatever the config said, and the message asked for more."""
        asked = ("choose", "points.h5", "--bound", "error<=1", "--confidence", "0.99", "--json")
        for method in ("thresholds", "drawn_thresholds"):
            for confidence, codes in (("", [2]), ("confidence = 0.99\n", [0])):
                self.run_on("predictions", f"[predictions]\nscore = score\n{confidence}[{method}]\n"
                            "fairness = demographic_parity\nchoose_on = validation\nreport_on = test\n")
                outcome = self.run_program(*asked)
                self.assertEqual(outcome.codes, codes, outcome.error)
            (told,) = json.loads(outcome.out)
            self.assertLess(told["chosen"]["values"]["error"]["high"], 1)

    def test_a_family_without_rows_apart_says_so(self) -> None:
        self.write_people(people())
        self.make_archive()
        outcome = self.run_program("choose", "result.h5", "--bound", "balance>=0.1", "--confidence", "0.9")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("the experiment clustering keeps no rows back", outcome.error)

    def test_other_data_are_refused(self) -> None:
        self.run_on("predictions", "[predictions]\nscore = score\n[thresholds]\nthresholds_per_group = 12\n")
        table = [["age", "score", "sex", "part", "label"], *(list(row.values()) for row in self.rows[:-1])]
        self.write_people(table)
        outcome = self.run_program("choose", "points.h5", "--bound", "gap<=0.5", "--confidence", "0.95",
                                   "--allow-changed-data")
        self.assertEqual(outcome.codes, [2], outcome.out)
        self.assertIn("is not that of the archive", outcome.error)


class ModelFile(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "fair.ini").write_text(
            "experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = hours\nsensitive = sex\n"
            "features = age, region\ncategorical = region\n[split]\nvalidation = 0.4\ntest = 0.2\n"
            "[regression]\nhalf_atoms = 3\n[dp_exact]\nepsilon = 0.1, 0.3\n", encoding="utf-8")
        self.succeed("run", "fair.ini", "-o", "fair.h5")

    def predicted(self, *model: str) -> bytes:
        out = self.folder / "out.csv"
        out.unlink(missing_ok=True)
        self.succeed("predict", *model, "--rows", "people.csv", "--csv", "out.csv", "--atoms", "--draw", "3")
        return out.read_bytes()

    def test_it_predicts_the_bits_of_its_archive_under_any_name(self) -> None:
        for best in ("risk", "kolmogorov_smirnov_to_all"):
            with self.subTest(best):
                self.succeed("choose", "fair.h5", "--best", best, "--model", "model.h5", "--force")
                model = json.loads((self.folder / "model.h5").read_text(encoding="utf-8"))
                task = str(model["provenance"]["task"])
                of_file = self.predicted("model.h5")
                self.assertEqual(of_file, self.predicted("fair.h5", "--task", task, "--point", "0"))

    def run_rates(self) -> None:
        (self.folder / "rates.ini").write_text(
            "experiment = training\n[data]\ndata = csv\nfile = people.csv\nlabel = region\nlabel_map = south:1, north:0\nsensitive = sex\n"
            "features = age, hours\n[split]\ntest = 0.2\n[model]\nhidden =\n[reductions]\nbound = 0.01, 0.2\n",
            encoding="utf-8")
        self.succeed("run", "rates.ini", "-o", "rates.h5")

    def test_every_name_that_an_error_lists_is_taken(self) -> None:
        """Once names of single classifiers stood in a list for randomised ones, which took none of them."""
        self.run_rates()
        for form in ((), ("--randomised",)):
            for option, wish in (("--best", "zzz"), ("--bound", "zzz<=1")):
                refused = self.run_program("choose", "rates.h5", option, wish, *form)
                self.assertEqual(refused.codes, [2])
                listed = refused.error[refused.error.index("(valid: ") + len("(valid: "):refused.error.rindex(")")]
                names = listed.partition(" and ")[0].split(", ")
                self.assertGreater(len(names), 3)
                for name in names:
                    with self.subTest(form, option=option, name=name):
                        self.assertIn(self.run_program("choose", "rates.h5", option, wish.replace("zzz", name), *form).codes[0], (0, 1))

    def test_an_archive_without_randomised_classifiers_says_so(self) -> None:
        self.make_archive()
        refused = self.run_program("choose", "result.h5", "--randomised")
        self.assertEqual(refused.codes, [2])
        self.assertIn("the archive holds no randomised classifiers, which [reductions] makes", refused.error)

    def test_a_randomised_classifier_is_a_model_too(self) -> None:
        self.run_rates()
        self.assertIn("; with --randomised the randomised classifier", self.succeed("show", "rates.h5"))
        self.succeed("choose", "rates.h5", "--bound", "randomised_demographic_parity_gap<=0.5", "--model", "model.json",
                     "--randomised")
        model = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
        self.assertEqual((model["kind"], model["outputs"]), ("drawn_scores", ["probability"]))
        self.assertEqual({one["name"] for one in model["measures"]}, {f"randomised_{name}" for name in (
            "error", "rate_gap", "independence_gap", "separation_gap", "true_positive_gap", "false_positive_gap",
            "error_gap")})
        self.assertEqual([name for name in model["choice"]["values"]], ["randomised_independence_gap", "randomised_error"])
        self.assertIn("probability: that the decision is 1, which is drawn", model["card"]["outputs"])
        self.assertIn("a draw among several scores", model["card"]["form"])
        task = str(model["provenance"]["task"])
        self.assertEqual(self.predicted("model.json"), self.predicted("rates.h5", "--task", task, "--randomised"))
        (own,) = json.loads(self.succeed("choose", "rates.h5", "--json", "--bound", "separation_gap<=0.9", "--best", "independence_gap"))
        (common,) = json.loads(self.succeed("choose", "rates.h5", "--json", "--bound", "equalised_odds_gap<=0.9",
                                            "--best", "demographic_parity_gap"))
        self.assertEqual(own, common)
        with h5py.File(self.folder / "rates.h5") as file:
            errors = file["measures/randomised_error"]
            deciding = list(errors.attrs["parts"].astype(str)).index("train")
            self.assertEqual(task, str(np.argmin(errors[:, deciding, 0, 0])))
        for words, told in ((("choose", "rates.h5", "--bound", "randomised_error<=1", "--confidence", "0.9",
                              "--randomised"), "without intervals"),
                            (("choose", "rates.h5", "--bound", "gap<=1", "--randomised"),
                             "gap is not of the randomised classifiers"),
                            (("choose", "rates.h5", "--best", "error", "--randomised"),
                             "error is not of the randomised classifiers (did you mean 'randomised_error'?)"),
                            (("choose", "rates.h5", "--best", ""), "choose: --best is empty: give it NAME, or leave it out"),
                            (("choose", "rates.h5", "--data-dir", ""), "choose: --data-dir is empty: give it DIR"),
                            (("predict", "fair.h5", "--rows", "people.csv", "--csv", "-", "--keep", ""),
                             "predict: --keep is empty: give it A,B, or leave it out"),
                            (("choose", "rates.h5", "--best", "randomised_error"), "which --randomised chooses among"),
                            (("choose", "rates.h5", "--model", "two", "--onnx", "./two"), "name the same file"),
                            (("predict", "fair.h5", "--randomised", "--rows", "people.csv", "--csv", "x.csv"),
                             "no randomised classifier, such as [reductions] finds"),
                            (("predict", "model.json", "--randomised", "--rows", "people.csv", "--csv", "x.csv"),
                             "--randomised is of an archive")):
            outcome = self.run_program(*words)
            self.assertEqual(outcome.codes, [2], outcome.out)
            self.assertIn(told, outcome.error)

    def test_it_says_what_it_is_and_where_it_comes_from(self) -> None:
        told = self.run_program("choose", "fair.h5", "--bound", "risk<=1e9", "--model", "model.json")
        self.assertEqual(told.codes, [0], told.error)
        text = (self.folder / "model.json").read_text(encoding="utf-8")
        model = json.loads(text)
        self.assertEqual((model["format"], model["format_version"]), ("fairfront model", 1))
        card, origin = model["card"], model["provenance"]
        self.assertIn("none for rows that come later: risk <= 1e+09 holds on the unlabelled part", card["guarantee"])
        self.assertEqual([text.partition(":")[0] for text in card["inputs"]], ["age", "region"])
        self.assertEqual(model["outputs"], ["prediction"])
        self.assertFalse(model["needs_group"])
        with h5py.File(self.folder / "fair.h5") as file:
            self.assertEqual(origin["archive_digest"], file.attrs["digest"].decode())
            self.assertEqual(origin["key"], file["tasks/key"][origin["task"]].decode())
            risk = file["measures/risk"][origin["task"]]
        (reported,) = [each for each in model["measures"]
                       if (each["name"], each["part"], each["group"]) == ("risk", "test", "all")]
        self.assertEqual([reported["value"], reported["low"], reported["high"]], list(risk[1, 0]))
        self.assertEqual(origin["data"]["files"][0]["sha256"],
                         hashlib.sha256((self.folder / "people.csv").read_bytes()).hexdigest())
        self.assertIn(origin["options"]["dp_exact.epsilon"], ("0.1", "0.3"))
        body, mark, _ = text.rpartition('"sha256": "')
        self.assertEqual(model["sha256"], hashlib.sha256(body.encode()).hexdigest(), mark)

    def test_show_marks_the_point_and_names_the_models(self) -> None:
        self.succeed("choose", "fair.h5", "--best", "risk", "--model", "model.json")
        task = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))["provenance"]["task"]
        told = self.succeed("show", "fair.h5", "--chosen", "model.json")
        (front,) = [part for part in told.split("\n\n") if "<- chosen" in part]
        self.assertTrue(front.startswith(f"front of task {task} "), front)
        self.assertIn(f"chosen   task {task}, point 0, as model.json says", told)
        self.assertIn("[dp_exact] soft: tasks 0 .. 1\n  fairfront predict fair.h5 --task K", told)
        self.succeed("run", "fair.ini", "--set", "seed=2", "-o", "other.h5")
        other = self.run_program("show", "other.h5", "--chosen", "model.json")
        self.assertEqual(other.codes, [2])
        self.assertIn("from another archive", other.error)

    def test_what_is_refused_names_the_file_that_refuses_it(self) -> None:
        self.succeed("choose", "fair.h5", "--best", "risk", "--model", "model.json")
        asked = ("--rows", "people.csv", "--csv", "-")
        for words, told in ((("predict", "fair.h5", "--task", "9", *asked), "'fair.h5': there is no task 9, only 0 .. 1"),
                            (("predict", "fair.h5", "--point", "4", *asked), "'fair.h5': the front of task 0 has 1 points"),
                            (("predict", "fair.h5", "--randomised", *asked), "'fair.h5': the model is no randomised classifier"),
                            (("predict", "model.json", "--group", "sex", *asked), "the model of 'model.json' needs no group"),
                            (("predict", "model.json", "--balance", "0.1", *asked), "of clusters, and the model of 'model.json' has none"),
                            (("predict", "model.json", "--libsvm", *asked), "another name is 'age' in the model of 'model.json'"),
                            (("predict", "none.json", *asked),
                             "cannot read 'none.json': there is no such file; check the name, which is the one behind -o of "
                             "`fairfront run` or --model of `fairfront choose`"),
                            (("show", "fair.h5", "--chosen", "none.json"),
                             "cannot read 'none.json': there is no such file; check the name, which is the one behind --model of"),
                            (("show", "fair.h5", "--chosen", "fair.ini"), "'fair.ini' is no model file: --chosen takes what"),
                            (("choose", "fair.h5", "--best", "zzz"), "choose: 'fair.h5': there is no objective or measure 'zzz'"),
                            (("choose", "fair.h5", "--method", "sgd"), "choose: 'fair.h5': no task of the method 'sgd'"),
                            (("choose", "fair.h5", "--problem", "x"), "choose: 'fair.h5': no problem 'x'")):
            with self.subTest(words):
                outcome = self.run_program(*words)
                self.assertEqual(outcome.codes, [2], outcome.out)
                self.assertIn(told, outcome.error)

    def test_an_onnx_file_is_that_of_the_model_file(self) -> None:
        """Of the choice in Python it is but for the card, which a model file has from the program."""
        if importlib.util.find_spec("onnx") is None:
            self.skipTest("python3-onnx is not installed: ONNX files were not compared")
        sys.path.insert(0, str(ANALYSIS))
        import fairfront_archive  # noqa: PLC0415
        import onnx  # noqa: PLC0415

        self.succeed("choose", "fair.h5", "--best", "risk", "--model", "model.json", "--onnx", "model.onnx")
        fairfront_archive.load_model(self.folder / "model.json").to_onnx(self.folder / "again.onnx")
        self.assertEqual((self.folder / "again.onnx").read_bytes(), (self.folder / "model.onnx").read_bytes())
        with fairfront_archive.open(self.folder / "fair.h5", program=False) as archive:
            archive.choose(best="risk")[0].model().to_onnx(self.folder / "own.onnx")
        graphs = [onnx.load(self.folder / name).graph.SerializeToString() for name in ("own.onnx", "model.onnx")]
        self.assertEqual(*graphs)

    def test_bounds_are_tested_on_rows_of_their_own(self) -> None:
        self.succeed("run", "fair.ini", "--set", "split.choice=0.3", "--set", "split.validation=0.3", "-o", "apart.h5")
        with h5py.File(self.folder / "apart.h5") as file:
            risk = file["measures/risk"]
            self.assertEqual(list(risk.attrs["parts"].astype(str)), ["unlabelled", "choice", "test"])
            high = risk[:, 1, 0, 2]
        bound = ("--bound", "risk<=1e6", "--confidence", "0.95")
        (found,) = json.loads(self.succeed("choose", "apart.h5", *bound, "--json"))
        self.assertEqual((found["tested_on"], found["certified"]), ("choice part", 2))
        chosen = found["chosen"]
        self.assertEqual(chosen["values"]["risk"]["tested"]["high"], high[chosen["task"]])
        nothing = self.run_program("choose", "apart.h5", "--bound", f"risk<={min(high) * 0.999}", "--confidence", "0.95")
        self.assertEqual(nothing.codes, [1])
        self.assertIn("nothing can be certified", nothing.out)
        self.assertRegex(nothing.out, rf"task {int(np.argmin(high))}, point 0: .*, comes nearest and shows "
                         rf"risk <= {min(high):.4g}"[:-2])
        more = self.run_program("choose", "apart.h5", "--bound", "risk<=1e6", "--confidence", "0.96")
        self.assertEqual(more.codes, [2])
        self.assertIn("a confidence of at most 0.95", more.error)

    def test_limits_of_the_rows_for_tests_are_one_sided(self) -> None:
        """Each end has the config's confidence by itself, as those of an interval of twice that less 1 have."""
        parts = ["train", "unlabelled", "one", "other"]
        table = people(240)
        table[0].append("part")
        for i, row in enumerate(table[1:]):
            row.append(parts[i % 4])
        self.write_people(table)
        config = (self.folder / "fair.ini").read_text(encoding="utf-8").replace(
            "validation = 0.4\ntest = 0.2\n", "by = column\nvalidation_values = unlabelled\n"
            "test_values = TEST\nchoice_values = CHOICE\n").replace("sensitive", "split = part\nsensitive")

        def measures(test: str, choice: str, confidence: str) -> dict[str, dict[str, list[float]]]:
            name = f"{test}-{confidence}.h5"
            (self.folder / "parts.ini").write_text(
                config.replace("TEST", test).replace("CHOICE", choice), encoding="utf-8")
            self.succeed("run", "parts.ini", "--set", f"regression.confidence={confidence}", "--set",
                         "regression.resamples=0", "-o", name)
            with h5py.File(self.folder / name) as file:
                return {measure: dict(zip(data.attrs["parts"].astype(str), data[0, :, 0].tolist()))
                        for measure, data in file["measures"].items()}

        apart, plain = measures("other", "one", "0.95"), measures("one", "other", "0.9")
        known = 0
        for name, by_part in apart.items():
            if name in ("constant_risk", "rows"):  # of no prediction, and of no limits
                continue
            np.testing.assert_allclose(by_part["choice"], plain[name]["test"], rtol=1e-12, err_msg=name)
            known += not np.isnan(by_part["choice"]).any()
        self.assertGreater(known, 1)

    def test_onnx_is_written_by_the_library_of_python(self) -> None:
        python = {"FAIRFRONT_PYTHON": sys.executable}
        choose = ("choose", "fair.h5", "--onnx", "model.onnx")
        for environment, words in (({"FAIRFRONT_PYTHON": "no-python"}, "cannot start 'no-python'"),
                                   ({**python, "PYTHONPATH": str(self.broken_onnx())}, "the package onnx")):
            outcome = self.run_program(*choose, extra=environment)
            self.assertEqual(outcome.codes, [2])
            self.assertIn(words, outcome.error)
            self.assertEqual(outcome.error.count("fairfront: error:"), 1)
            self.assertFalse((self.folder / "model.onnx").exists())
        if importlib.util.find_spec("onnx") is None:
            self.skipTest("python3-onnx is not installed")
        outcome = self.run_program(*choose, "--model", "model.json", extra=python)
        self.assertEqual(outcome.codes, [0], outcome.error)
        self.assertIn("ONNX file 'model.onnx'", outcome.error)
        mine = self.folder / "mine.onnx"
        sys.path.insert(0, str(ANALYSIS))
        import fairfront_archive  # noqa: PLC0415  needs numpy and h5py alone, unlike what it writes
        fairfront_archive.load_model(self.folder / "model.json").to_onnx(mine)
        self.assertEqual((self.folder / "model.onnx").read_bytes(), mine.read_bytes())
        self.assertEqual(self.run_program(*choose, extra=python).codes, [2])
        self.assertEqual(self.run_program(*choose, "--force", extra=python).codes, [0])
        other = self.run_program("choose", "fair.h5", "--onnx", "people.csv", "--force", extra=python)
        self.assertEqual(other.codes, [2])
        self.assertIn("what is there is no ONNX file", other.error)

    def broken_onnx(self) -> pathlib.Path:
        """A folder in which the package onnx cannot be imported."""
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "onnx.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
        return folder

    def test_files_that_are_there_stay_and_bad_ones_are_told(self) -> None:
        choose = ("choose", "fair.h5", "--model", "model.json")
        self.succeed(*choose)
        first = (self.folder / "model.json").read_bytes()
        again = self.run_program(*choose)
        self.assertEqual(again.codes, [2])
        self.assertIn("--force to replace", again.error)
        self.succeed(*choose, "--force")
        self.assertEqual((self.folder / "model.json").read_bytes(), first)
        other = self.run_program("choose", "fair.h5", "--model", "fair.ini", "--force")
        self.assertEqual(other.codes, [2])
        self.assertIn("no model file", other.error)
        self.assertTrue((self.folder / "fair.ini").read_bytes().startswith(b"experiment"))
        (self.folder / "other.json").write_text('{"a": 1}', encoding="utf-8")
        foreign = self.run_program("choose", "fair.h5", "--model", "other.json", "--force")
        self.assertEqual(foreign.codes, [2])
        self.assertEqual((self.folder / "other.json").read_text(encoding="utf-8"), '{"a": 1}')
        (self.folder / "empty.json").touch()
        self.succeed("choose", "fair.h5", "--model", "empty.json", "--force")
        predict = ("--rows", "people.csv", "--csv", "none.csv")
        (self.folder / "model.json").write_bytes(first.replace(b'"kind": "soft"', b'"kind": "base"'))
        self.assertEqual(self.run_program("predict", "model.json", *predict).codes, [4])
        (self.folder / "model.json").write_bytes(b'{"format": "onnx"}')
        foreign = self.run_program("predict", "model.json", *predict)
        self.assertEqual(foreign.codes, [2])
        self.assertIn("neither an archive nor a model file", foreign.error)
        self.assertFalse((self.folder / "none.csv").exists())

    def test_a_damaged_model_is_told_with_file_fault_and_remedy(self) -> None:
        self.succeed("choose", "fair.h5", "--model", "model.json")
        whole = (self.folder / "model.json").read_bytes()
        again = "take a copy of it, or write it again with `fairfront choose ARCHIVE --model FILE`"
        name = "name what `fairfront run -o` or `fairfront choose --model` has made"
        for text, code, fault, remedy in (
                (whole[:len(whole) // 2], 4, "before its JSON does, as a file does that is cut off", again),
                (whole.replace(b'"kind": ', b'"kind"= '), 4, "it is no JSON from line ", again),
                (whole.replace(b'"kind": "soft"', b'"kind": 7'), 4, "its bytes are not those that were written", again),
                (b'{"format": "fairfront model"}', 4, 'its "format_version" is missing', again),
                (b"", 2, "neither an archive nor a model file, but empty", name),
                (b"a,b\n1,2\n", 2, "neither an archive nor a model file, but other text", name)):
            (self.folder / "broken.json").write_bytes(text)
            with self.subTest(fault):
                outcome = self.run_program("predict", "broken.json", "--rows", "people.csv", "--csv", "none.csv")
                self.assertEqual(outcome.codes, [code], outcome.error)
                for said in ("'broken.json'", fault, remedy):
                    self.assertIn(said, outcome.error)
                self.assertNotIn("exception", outcome.error)
                self.assertEqual(len(outcome.error.strip().splitlines()), 1, outcome.error)

    def test_one_file_holds_the_model_of_one_problem(self) -> None:
        self.succeed("run", "fair.ini", "--set", "split.split_seed=1,2", "-o", "splits.h5")
        several = self.run_program("choose", "splits.h5", "--model", "model.json")
        self.assertEqual(several.codes, [2])
        self.assertIn("choose: name one problem by --problem, as this command prints them", several.error)
        self.succeed("choose", "splits.h5", "--problem", "split.split_seed=2", "--model", "model.json")
        model = json.loads((self.folder / "model.json").read_text(encoding="utf-8"))
        self.assertEqual(model["provenance"]["options"]["split.split_seed"], "2")
        nothing = self.run_program("choose", "splits.h5", "--problem", "split.split_seed=2", "--bound", "risk<=0",
                                   "--model", "none.json")
        self.assertEqual(nothing.codes, [1])
        self.assertFalse((self.folder / "none.json").exists())


if __name__ == "__main__":
    unittest.main()
