"""Decisions that a table has as names, or as other numbers than 0 and 1, are audited as those of 0 and 1 are."""

from __future__ import annotations

import csv
import random
import unittest

import h5py
import numpy as np

from program import ProgramTest

WORDS = {"word": ("denied", "approved"), "vote": ("no", "yes"), "code": ("1", "2"), "bit": ("0", "1")}
OTHERS = {"point": ("1.0", "2.0"), "all_0": ("0", "0"), "all_2": ("2", "2"), "all_denied": ("denied", "denied")}
CONFIG = ("experiment = predictions\n[data]\ndata = csv\nfile = {file}\nlabel = paid\npositive = yes\nsensitive = sex\n[split]\n"
          "validation = 0.4\ntest = 0.4\nsplit_seed = 3\n[predictions]\n{predictions}\n[measures]\n[thresholds]\n[drawn_thresholds]\nslacks = 3\n")


class WordDecisions(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(5)
        rows = [(draw.choice("fm"), draw.random() < 0.4, draw.random()) for _ in range(240)]
        with open(self.folder / "loans.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["sex", "paid", "score", "three", *WORDS, *OTHERS])
            for sex, paid, score in rows:
                says = (score + 0.3 * paid) > 0.6
                writer.writerow([sex, ("no", "yes")[paid], f"{score:.4f}", ("low", "middle", "high")[int(2.99 * score)],
                                 *(words[says] for words in [*WORDS.values(), *OTHERS.values()])])

    def run_with(self, predictions: str, name: str = "own") -> str:
        (self.folder / f"{name}.ini").write_text(CONFIG.format(file="loans.csv", predictions=predictions), encoding="utf-8")
        self.succeed("run", f"{name}.ini", "-o", f"{name}.h5", "--force")
        return f"{name}.h5"

    def found(self, name: str) -> dict[str, np.ndarray]:
        """Every measure and front of an archive."""
        values = {}

        def keep(path: str, node: h5py.Dataset | h5py.Group) -> None:
            if isinstance(node, h5py.Dataset) and path.startswith(("measures/", "fronts/", "solutions/")) and node.dtype.kind == "f":
                values[path] = node[()]

        with h5py.File(self.folder / name) as file:
            file.visititems(keep)
        self.assertGreater(len(values), 20)
        return values

    def decided(self, column: str, positive: str, rows: str, method: str = "thresholds") -> list[list[str]]:
        """What a model of thresholds of the column says of the rows of a table."""
        archive = self.run_with(f"score = {column}\npositive = {positive}", column)
        with h5py.File(self.folder / archive) as file:
            task = list(file["tasks/method"].asstr()[()]).index(method)
        self.succeed("predict", archive, "--task", str(task), "--point", "1", "--rows", rows, "--csv", "said.csv")
        with open(self.folder / "said.csv", encoding="utf-8", newline="") as file:
            said = list(csv.reader(file))
        (self.folder / "said.csv").unlink()
        return said

    def test_they_have_the_measures_and_fronts_of_0_and_1(self) -> None:
        expected = self.found(self.run_with("score = bit"))
        for column, (_, positive) in WORDS.items():
            for kind in ("auto", "decision"):
                with self.subTest(column, kind=kind):
                    found = self.found(self.run_with(f"score = {column}\nkind = {kind}\npositive = {positive}"))
                    self.assertEqual(found.keys(), expected.keys())
                    for name, values in found.items():
                        np.testing.assert_array_equal(values, expected[name], name)

    def test_whole_numbers_are_those_with_a_point_and_zero(self) -> None:
        expected = self.found(self.run_with("score = bit"))
        for column, positive in (("code", "2.0"), ("point", "2"), ("point", "2.0")):
            with self.subTest(column, positive=positive):
                found = self.found(self.run_with(f"score = {column}\npositive = {positive}"))
                self.assertEqual(found.keys(), expected.keys())
                for name, values in found.items():
                    np.testing.assert_array_equal(values, expected[name], name)
        self.assertEqual(self.decided("code", "2.0", "loans.csv"), self.decided("bit", "1", "loans.csv"))

    def test_a_model_that_denies_everybody_is_one(self) -> None:
        expected = self.found(self.run_with("score = all_0"))
        for column, positive in (("all_denied", "approved"), ("all_2", "1")):
            with self.subTest(column):
                found = self.found(self.run_with(f"score = {column}, word\npositive = {positive}, approved"))
                np.testing.assert_array_equal(found["measures/positive_rate"][0], expected["measures/positive_rate"][0])
                self.assertIn(f"column '{column}' holds ", self.succeed("plan", "own.ini"))
        # Rows that come later may have been approved.
        text = (self.folder / "loans.csv").read_text(encoding="utf-8")
        (self.folder / "later.csv").write_text(text.replace(",all_denied", ",x").replace(",word,", ",all_denied,"), encoding="utf-8")
        archive = self.run_with("score = all_denied\npositive = approved")
        outcome = self.run_program("predict", archive, "--task", "1", "--point", "0", "--rows", "later.csv", "--csv", "said.csv")
        self.assertEqual(outcome.codes, [0], outcome.error)
        self.assertIn("240 rows", outcome.out + outcome.error)
        self.assertNotIn("that the training rows do not hold", outcome.out + outcome.error)

    def test_where_decisions_are_0_and_1_the_word_for_1_of_others_is_remarked(self) -> None:
        self.run_with("score = bit, word\npositive = approved")
        self.assertIn("column 'bit' holds decisions of 0 and 1 and is read as such", self.succeed("plan", "own.ini"))
        self.run_with("score = score, word\npositive = approved")
        self.assertNotIn("is read as ", self.succeed("plan", "own.ini"))

    def test_a_number_that_means_1_is_not_passed_over_in_silence(self) -> None:
        draw = random.Random(6)
        rows = [(draw.choice("fm"), draw.choice(("no", "yes")), draw.choice(("0.3", "0.4")), draw.choice("012")) for _ in range(240)]
        (self.folder / "numbers.csv").write_text("".join(f"{','.join(row)}\n" for row in [("sex", "paid", "part", "code"), *rows]),
                                                 encoding="utf-8")
        for predictions, says in (
                ("score = part\npositive = .40", "column 'part' holds numbers and is read as scores: none of its values is written as "
                                                 "predictions.positive = .40"),
                ("score = code\npositive = 1", "column 'code' holds more than two numbers and is read as scores: predictions.positive = 1 is "
                                               "for columns of two values"),
                ("score = part\npositive = 0.4", None)):
            with self.subTest(predictions):
                (self.folder / "own.ini").write_text(CONFIG.format(file="numbers.csv", predictions=predictions), encoding="utf-8")
                told = self.succeed("plan", "own.ini")
                if says is None:
                    self.assertNotIn("is read as", told)
                else:
                    self.assertIn(says, told)

    def test_models_of_several_words_are_compared_with_each_other_and_with_scores(self) -> None:
        self.assertIn("task 0", self.succeed("show", self.run_with("score = word, vote, bit, score\npositive = approved, yes")))
        with h5py.File(self.folder / "own.h5") as file:
            error = file["measures/error"][()][:4, 0, 0, 0]
            self.assertEqual(error[0], error[1])
            self.assertEqual(error[0], error[2])
            self.assertNotEqual(error[0], error[3])
            self.assertTrue(np.isfinite(file["measures/auc"][()][3]).any())

    def test_their_models_read_rows_with_the_same_words(self) -> None:
        tasks = {(column, method): self.decided(column, positive, "loans.csv", method)
                 for column, positive in (("bit", "1"), ("word", "approved")) for method in ("thresholds", "drawn_thresholds")}
        for method in ("thresholds", "drawn_thresholds"):
            self.assertEqual(tasks["bit", method], tasks["word", method])
            self.assertEqual(len(tasks["word", method]), 241)

    def test_what_is_not_clear_is_told(self) -> None:
        for predictions, says in (
                ("score = word", "names where predictions.positive says which of them mean 1"),
                ("score = word\npositive = approvd", "column 'word' holds names, of which predictions.positive = approvd is none: name those that "
                                                     "mean decision 1 (did you mean 'approved'?)"),
                ("score = bit\nreference = word\npositive = yes", "predictions.reference: column 'word' holds names"),
                ("score = word\npositive = approved, denied", "every value of column 'word' is among those of predictions.positive"),
                ("score = code\npositive = 3", "column 'code' holds numbers, of which predictions.positive = 3 is none: name those that mean "
                                               "decision 1 (valid: 1, 2)"),
                ("score = code\npositive = approved", "column 'code' holds numbers"),
                ("score = bit\nreference = code\npositive = 3", "predictions.reference: column 'code' holds numbers"),
                ("score = all_denied\npositive = dennied", "column 'all_denied' holds names"),  # misspelt
                ("score = word\nkind = prediction\npositive = approved", "predictions.kind = prediction")):
            with self.subTest(predictions):
                (self.folder / "own.ini").write_text(CONFIG.format(file="loans.csv", predictions=predictions), encoding="utf-8")
                outcome = self.run_program("plan", "own.ini")
                self.assertEqual(outcome.codes, [2])
                self.assertIn(says, outcome.error)
        self.run_with("score = three\npositive = high, middle")  # all others are 0, as of data.positive


if __name__ == "__main__":
    unittest.main()
