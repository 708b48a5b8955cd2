"""Decisions that a table has as names, or as other numbers than 0 and 1, are audited as those of 0 and 1 are."""

from __future__ import annotations

import csv
import random
import unittest

import h5py
import numpy as np

from program import ProgramTest

WORDS = {"word": ("denied", "approved"), "vote": ("no", "yes"), "code": ("1", "2"), "bit": ("0", "1")}
CONFIG = ("experiment = predictions\n[data]\ndata = csv\nfile = {file}\nlabel = paid\npositive = yes\nsensitive = sex\n[split]\n"
          "validation = 0.4\ntest = 0.4\nsplit_seed = 3\n[predictions]\n{predictions}\n[measures]\n[thresholds]\n[drawn_thresholds]\nslacks = 3\n")


class WordDecisions(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(5)
        rows = [(draw.choice("fm"), draw.random() < 0.4, draw.random()) for _ in range(240)]
        with open(self.folder / "loans.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["sex", "paid", "score", "three", *WORDS])
            for sex, paid, score in rows:
                says = (score + 0.3 * paid) > 0.6
                writer.writerow([sex, ("no", "yes")[paid], f"{score:.4f}", ("low", "middle", "high")[int(2.99 * score)],
                                 *(words[says] for words in WORDS.values())])

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

    def test_they_have_the_measures_and_fronts_of_0_and_1(self) -> None:
        expected = self.found(self.run_with("score = bit"))
        for column, (_, positive) in WORDS.items():
            for kind in ("auto", "decision"):
                with self.subTest(column, kind=kind):
                    found = self.found(self.run_with(f"score = {column}\nkind = {kind}\npositive = {positive}"))
                    self.assertEqual(found.keys(), expected.keys())
                    for name, values in found.items():
                        np.testing.assert_array_equal(values, expected[name], name)

    def test_models_of_several_words_are_compared_with_each_other_and_with_scores(self) -> None:
        self.assertIn("task 0", self.succeed("show", self.run_with("score = word, vote, bit, score\npositive = approved, yes")))
        with h5py.File(self.folder / "own.h5") as file:
            error = file["measures/error"][()][:4, 0, 0, 0]
            self.assertEqual(error[0], error[1])
            self.assertEqual(error[0], error[2])
            self.assertNotEqual(error[0], error[3])
            self.assertTrue(np.isfinite(file["measures/auc"][()][3]).any())

    def test_their_models_read_rows_with_the_same_words(self) -> None:
        tasks = {}
        for column, positive in (("bit", "1"), ("word", "approved")):
            archive = self.run_with(f"score = {column}\npositive = {positive}", column)
            with h5py.File(self.folder / archive) as file:
                methods = list(file["tasks/method"].asstr()[()])
            for method in ("thresholds", "drawn_thresholds"):
                self.succeed("predict", archive, "--task", str(methods.index(method)), "--point", "1", "--rows", "loans.csv", "--csv", "said.csv")
                with open(self.folder / "said.csv", encoding="utf-8", newline="") as file:
                    tasks[column, method] = list(csv.reader(file))
                (self.folder / "said.csv").unlink()
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
                ("score = word\nkind = prediction\npositive = approved", "predictions.kind = prediction")):
            with self.subTest(predictions):
                (self.folder / "own.ini").write_text(CONFIG.format(file="loans.csv", predictions=predictions), encoding="utf-8")
                outcome = self.run_program("plan", "own.ini")
                self.assertEqual(outcome.codes, [2])
                self.assertIn(says, outcome.error)
        self.run_with("score = three\npositive = high, middle")  # all others are 0, as of data.positive


if __name__ == "__main__":
    unittest.main()
