"""Models of a LIBSVM file predict rows of such files, by the numbers of their features."""

from __future__ import annotations

import csv
import random
import shutil
import unittest

from program import ProgramTest

FEATURES = 6
GROUP = "3"  # a feature of 0 and 1


def rows(count: int, seed: int) -> list[tuple[int, dict[int, float]]]:
    """Labels, and the entries that are not 0: few of them, as in a table of words."""
    draw = random.Random(seed)
    found = []
    for row in range(count):
        entries = {index: round(draw.gauss(1, 2), 3) for index in range(1, FEATURES + 1) if draw.random() < 0.5}
        entries.pop(3, None)
        if row % 3 == 0:
            entries[3] = 1
        worth = entries.get(1, 0) - entries.get(5, 0) + draw.gauss(0, 1)
        found.append((1 if worth > 0 else -1, dict(sorted(entries.items()))))
    return found


def text(table: list[tuple[int, dict[int, float]]]) -> str:
    """With what the format allows: a comment, a blank line, an entry of 0, a sign."""
    lines = [f"{label:+d} " + " ".join(f"{index}:{value}" for index, value in entries.items())
             for label, entries in table]
    return "# label index:value\n" + "\n\n".join(lines[:2]) + " 6:0 # none\n" + "\n".join(lines[2:]) + "\n"


def area(scores: list[float], labels: list[int]) -> float:
    """Of the pairs of a positive and a negative row, those in the right order; ties are half."""
    above = [score for score, label in zip(scores, labels) if label > 0]
    below = [score for score, label in zip(scores, labels) if label <= 0]
    return sum((a > b) + 0.5 * (a == b) for a in above for b in below) / (len(above) * len(below))


class LibsvmModels(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.known, self.new = rows(90, 1), rows(40, 2)
        # Entries of 0 are written in the second row alone: it must not have one already.
        for table in (self.known, self.new):
            table[1][1].pop(6, None)
        for name, table in (("train.txt", self.known), ("new.txt", self.new)):
            (self.folder / name).write_text(text(table), encoding="utf-8")

    def run_config(self, experiment: str, methods: str, scaling: str = "zscore") -> None:
        (self.folder / "models.ini").write_text(
            f"experiment = {experiment}\n[data]\ndata = libsvm\nfile = train.txt\ntest_file = new.txt\n"
            f"columns = {FEATURES}\nsensitive = {GROUP}\n[split]\nby = files\nvalidation = 0.2\n"
            f"[preparation]\nscaling = {scaling}\n{methods}", encoding="utf-8")
        self.succeed("run", "models.ini", "-o", "models.h5")

    def predicted(self, model: str, *options: str, name: str = "out.csv") -> list[dict[str, str]]:
        (self.folder / name).unlink(missing_ok=True)
        self.succeed("predict", model, "--csv", name, *options)
        with (self.folder / name).open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def measured(self, measure: str, task: int) -> float:
        """On the rows of the test file."""
        shutil.rmtree(self.folder / "tables", ignore_errors=True)
        self.succeed("export", "models.h5", "--csv", "tables")
        with (self.folder / "tables/measures.csv").open(encoding="utf-8") as file:
            found = [row for row in csv.DictReader(file)
                     if (row["measure"], row["task"], row["part"], row["group"]) == (measure, str(task), "test", "all")]
        self.assertEqual(len(found), 1)
        return float(found[0]["value"])

    def test_scores_of_the_rows_of_the_test_file_have_the_area_that_was_measured(self) -> None:
        self.run_config("ranking", "[exact_auc]\n[score_postprocessing]\n")
        labels = [label for label, _ in self.new]
        for task in (0, 1):
            made = self.predicted("models.h5", "--task", str(task), "--libsvm", "--rows", "new.txt",
                                  "--keep", f"label,{GROUP}")
            self.assertEqual([int(row["label"]) for row in made], labels)
            self.assertEqual([float(row[GROUP]) for row in made],
                             [entries.get(3, 0) for _, entries in self.new])
            self.assertAlmostEqual(area([float(row["score"]) for row in made], labels),
                                   self.measured("auc", task), delta=1e-12)

    def test_a_table_with_the_numbers_as_names_and_a_model_file_have_the_same_bits(self) -> None:
        self.run_config("ranking", "[score_postprocessing]\n")
        made = self.predicted("models.h5", "--libsvm", "--rows", "new.txt")
        with (self.folder / "new.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([str(index) for index in range(1, FEATURES + 1)])
            for _, entries in self.new:
                writer.writerow([entries.get(index, 0) for index in range(1, FEATURES + 1)])
        self.assertEqual(self.predicted("models.h5", "--rows", "new.csv"), made)
        self.succeed("choose", "models.h5", "--model", "chosen.json")
        with_file = self.predicted("chosen.json", "--libsvm", "--rows", "new.txt")
        self.assertEqual(with_file, self.predicted("chosen.json", "--rows", "new.csv"))

    def test_decisions_of_a_trained_model_have_the_error_that_was_measured(self) -> None:
        self.run_config("training", "[training]\nbudget = 3000\n[sgd]\n")
        made = self.predicted("models.h5", "--libsvm", "--rows", "new.txt")
        wrong = [float(row["decision"]) != (label > 0) for row, (label, _) in zip(made, self.new)]
        self.assertAlmostEqual(sum(wrong) / len(wrong), self.measured("error", 0), delta=1e-12)

    def test_rows_that_break_the_format_are_named_by_their_line_and_nothing_is_written(self) -> None:
        self.run_config("ranking", "[exact_auc]\n[score_postprocessing]\n")
        for line, told in (("1 2:x", "line 3: a value must be a finite number"),
                           ("1 7:1", "line 3: an index is above 6"),
                           ("1 2:1 2:1", "line 3: an index is there twice"),
                           ("1 3:0.5", "line 3")):
            with self.subTest(line):
                (self.folder / "bad.txt").write_text(f"1 1:1\n\n{line}\n", encoding="utf-8")
                outcome = self.run_program("predict", "models.h5", "--task", "1", "--libsvm", "--rows",
                                           "bad.txt", "--csv", "bad.csv")
                self.assertEqual(outcome.codes, [2])
                self.assertIn(told, outcome.error)
                self.assertFalse((self.folder / "bad.csv").exists())

    def test_who_forgets_the_option_is_told_of_it_and_no_cell_is_shown(self) -> None:
        self.run_config("ranking", "[exact_auc]\n")
        outcome = self.run_program("predict", "models.h5", "--rows", "new.txt", "--csv", "out.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertEqual(outcome.error, "fairfront: error: new.txt: the model's features are called 1 to 6, and the table has "
                                        "no column '1'; rows of a LIBSVM file are read with --libsvm\n")

    def test_a_model_of_a_table_refuses_rows_without_names(self) -> None:
        self.make_archive()
        outcome = self.run_program("predict", "result.h5", "--point", "0", "--libsvm", "--rows", "new.txt", "--csv", "out.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("first feature of another name is 'age'", outcome.error)


if __name__ == "__main__":
    unittest.main()
