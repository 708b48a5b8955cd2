"""`choose` names a point of the fronts that a run has left."""

from __future__ import annotations

import json
import unittest

import h5py

from program import ProgramTest


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

    def test_a_bound_that_nothing_keeps_ends_with_1_and_says_what_is_nearest(self) -> None:
        outcome = self.run_program("choose", "result.h5", "--bound", "balance>=2")
        self.assertEqual(outcome.codes, [1])
        self.assertIn("no point keeps every bound", outcome.out)

    def test_a_point_has_its_seed_in_the_problem_whose_name_ends_alike(self) -> None:
        self.write_config({"seed": "1, 2", "data.subsample": "20", "data.subsample_seed": "1, 2"})
        self.succeed("run", "config.ini", "-o", "seeds.h5")
        told = self.succeed("choose", "seeds.h5", "--best", "balance")
        first = told.partition("data.subsample_seed=2\n")[0]
        self.assertTrue(first.startswith("data.subsample_seed=1\n"), told)
        for row in first.splitlines()[2:]:
            self.assertRegex(row, r" seed=[12]\b")

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

    def test_bad_wishes_are_told(self) -> None:
        for arguments, word in ((("--bound", "balance"), "NAME<=NUMBER"),
                                (("--best", "balanse"), "did you mean 'balance'"),
                                (("--method", "sgd"), "no task of the method 'sgd'"),
                                (("--knee", "--best", "balance"), "exclude"),
                                (("--confidence", "0.95"), "that of a bound"),
                                (("--confidence", "2", "--bound", "balance>=0"), "between")):
            with self.subTest(arguments):
                outcome = self.run_program("choose", "result.h5", *arguments)
                self.assertEqual(outcome.codes, [2])
                self.assertIn(word, outcome.error)


if __name__ == "__main__":
    unittest.main()
