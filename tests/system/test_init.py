"""`init` looks at a table and writes a config that runs."""

from __future__ import annotations

import csv
import random
import unittest

from program import ProgramTest


def table(rows: int) -> list[list[str]]:
    """People, header first: with a name that holds a comma, one that holds a quote, and missing cells."""
    draw = random.Random(3)
    lines = [["person_id", "age, in years", "sex", 'the "degree"', "country", "always", "wage", "hired"]]
    for row in range(rows):
        sex = draw.choice("fm")
        age = draw.randint(18, 65)
        worth = age / 20 + draw.gauss(0, 1) + (sex == "m")
        lines.append([f"p{row}", "" if row % 20 == 3 else str(age), sex, draw.choice(["none", "school", "university"]),
                      f"c{draw.randint(0, 200)}", "1", f"{10 + 5 * worth:.2f}", str(int(worth > 3))])
    return lines


class Init(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("table.csv", table(300))

    def write(self, name: str, lines: list[list[str]], separator: str = ",") -> None:
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=separator).writerows(lines)

    def config(self, *arguments: str) -> str:
        return self.succeed("init", *arguments)

    def test_it_says_what_it_has_seen_and_proposes_label_groups_and_features(self) -> None:
        said = self.config("table.csv")
        ages = {int(row[1]) for row in table(300)[1:] if row[1]}
        for line in ("# table.csv: 300 rows, 8 columns",
                     f"#   age, in years: numbers, {min(ages)} to {max(ages)}, {len(ages)} different; 15 missing cells",
                     "#   sex: 2 names", "experiment = training", "sensitive = sex", "label = hired", "missing_rule = drop",
                     "# Left out of the features: person_id: it is another one in every row.",
                     "# Left out of the features: country: it has too many names.",
                     "# Left out of the features: always: it has one value at most."):
            self.assertIn(line, said)
        self.assertIn('features = "age, in years", "the ""degree""", wage\n', said)
        sexes = [row[2] for row in table(300)[1:]]
        for sex in "fm":
            self.assertIn(f"# group {sex}: {sexes.count(sex)} rows", said)

    def test_what_it_writes_runs(self) -> None:
        more = {"training": (), "regression": ("--label", "wage")}
        for experiment, words in more.items():
            with self.subTest(experiment):
                self.succeed("init", "table.csv", "-o", f"{experiment}.ini", *words)
                planned = self.succeed("plan", f"{experiment}.ini")
                self.assertTrue(planned.startswith(f"{experiment}.ini: {experiment} ("), planned[:200])
                self.assertIn("sensitive sex; label", planned)
                self.assertIn("training", planned.rpartition("problems, forecast")[2])
                self.succeed("data", f"{experiment}.ini", "--csv", f"{experiment}.csv")
                self.succeed("run", f"{experiment}.ini", "-o", f"{experiment}.h5")
        # What epsilon bounds is what the measures call unfairness.
        self.assertRegex((self.folder / "regression.ini").read_text(encoding="utf-8"),
                         r"\[dp_exact\]\nbounded = cumulative ")
        self.write("points.csv", [["a", "b", "gender"], *([str(i % 17), str(i * i % 23), "ab"[i % 2]] for i in range(80))], ";")
        self.succeed("init", "points.csv", "--separator", ";", "-o", "points.ini")
        text = (self.folder / "points.ini").read_text(encoding="utf-8")
        self.assertIn("experiment = clustering", text)  # nothing looks like a label
        self.succeed("run", "points.ini", "-o", "points.h5")

    def test_names_with_line_ends_stand_in_quotes_and_come_back(self) -> None:
        lines = table(300)
        lines[0][3] = "degree\n(highest)"
        self.write("table.csv", lines)
        self.succeed("init", "table.csv", "-o", "table.ini")
        self.assertIn('features = "age, in years", "degree\n(highest)", wage\n', (self.folder / "table.ini").read_text("utf-8"))
        self.succeed("run", "table.ini", "-o", "table.h5")
        self.assertIn("every bit is the same", self.succeed("replay", "table.h5"))
        said = self.succeed("predict", "table.h5", "--rows", "table.csv", "--csv", "-", "--keep", '"degree\n(highest)"')
        self.assertTrue(said.startswith('"degree\n(highest)",score,'), said[:60])

    def test_labels_that_are_words_and_small_groups_are_told(self) -> None:
        lines = table(60)
        for i, line in enumerate(lines[1:]):
            line[7] = ("no", "yes")[i % 3 == 0]
            line[2] = "x" if i < 5 else line[2]
        self.write("words.csv", lines)
        said = self.config("words.csv", "--sensitive", "sex")
        self.assertIn("positive = yes", said)
        self.assertIn("# Group x has 5 rows: too few to say much.", said)
        for i, line in enumerate(lines[1:]):
            line[7] = ("yes", "no")[i % 3 == 0]
        self.write("often.csv", lines)
        self.assertIn("positive = yes", self.config("often.csv", "--sensitive", "sex"))

    def test_bad_tables_are_told_in_a_line(self) -> None:
        self.write("twice.csv", [["a", "a"], ["1", "2"]])
        self.write("short.csv", [["a", "b"], ["1"]])
        self.write("empty.csv", [["a", "b"]])
        for arguments, words in ((("none.csv",), "none.csv"), (("twice.csv",), "each by another name"),
                                 (("short.csv",), "short.csv, line 2: 1 cells"), (("empty.csv",), "no rows below the names"),
                                 (("table.csv", "--label", "hird"), "did you mean 'hired'"),
                                 (("table.csv", "--label", "country"), "must have two values or be a number"),
                                 (("table.csv", "--separator", "xx"), "--separator = 'xx', must be"),
                                 (("table.csv", "-o", "table.csv"), "table.csv")):
            with self.subTest(arguments):
                outcome = self.run_program("init", *arguments)
                self.assertEqual(outcome.codes, [2])
                self.assertIn(words, outcome.error)
                self.assertEqual(outcome.error.count("fairfront: error:"), 1)


if __name__ == "__main__":
    unittest.main()
