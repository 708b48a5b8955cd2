"""`init` looks at a table and writes a config that runs."""

from __future__ import annotations

import csv
import random
import re
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

    def test_names_that_come_twice_are_no_number_of_the_row(self) -> None:
        rows = [["code", "sex", "age", "hired"]]
        rows += [[f"c{i % 2000}", "fm"[i % 2], str(20 + i % 50), str(i % 3 % 2)] for i in range(3000)]
        self.write("codes.csv", rows)
        self.assertIn("# Left out of the features: code: it has too many names.", self.config("codes.csv"))

    def test_numbers_with_fractions_are_no_number_of_the_row_whatever_their_name(self) -> None:
        rows = [[str(i), f"{20 + i / 7:.4f}", f"{1000 + i / 3:.2f}", "fm"[i % 2], str(i % 3 % 2)] for i in range(1500)]
        self.write("units.csv", [["id", "body mass index", "wage (USD)", "sex", "hired"], *rows])
        said = self.config("units.csv")
        self.assertIn("features = body mass index, wage (USD)\n", said)
        self.assertIn("# Left out of the features: id: it looks like the number of a row.", said)
        for row in rows:
            row[2] = row[2].partition(".")[0] + row[0].zfill(4)
        self.write("units.csv", [["id", "body mass index", "wage (USD)", "sex", "hired"], *rows])
        self.assertIn("features = body mass index, wage (USD)\n", self.config("units.csv"))

    def test_small_groups_are_in_every_part_of_what_it_writes(self) -> None:
        for count in (4, 30):
            lines = table(300)
            for i, line in enumerate(lines[1:]):
                line[2] = "x" if i < count else line[2]
                line[1] = "30"
            self.write("few.csv", lines)
            self.succeed("init", "few.csv", "-o", f"few{count}.ini")
            planned = self.succeed("plan", f"few{count}.ini")
            (sizes,) = re.findall(r"^ +x +(\d+) +(\d+) +(\d+) +(\d+)$", planned, re.MULTILINE)
            self.assertEqual([int(size) for size in sizes], [count, count - 2 * (count // 5 or 1), *[count // 5 or 1] * 2])

    def test_what_it_writes_runs(self) -> None:
        more = {"training": (), "regression": ("--label", "wage")}
        for experiment, words in more.items():
            with self.subTest(experiment):
                self.succeed("init", "table.csv", "-o", f"{experiment}.ini", *words)
                planned = self.succeed("plan", f"{experiment}.ini")
                self.assertTrue(planned.startswith(f"{experiment}.ini: {experiment} ("), planned[:200])
                self.assertIn("sensitive sex; label", planned)
                self.assertRegex(planned, r"group +rows +train +validation +test\n")
                self.succeed("data", f"{experiment}.ini", "--csv", f"{experiment}.csv")
                self.succeed("run", f"{experiment}.ini", "-o", f"{experiment}.h5")
        # What epsilon bounds is what the measures call unfairness.
        self.assertRegex((self.folder / "regression.ini").read_text(encoding="utf-8"),
                         r"\[dp_exact\]\nbounded = cumulative ")
        self.write("points.csv", [["a", "b", "gender"], *([str(i % 17), str(i * i % 23), "ab"[i % 2]] for i in range(80))], ";")
        self.succeed("init", "points.csv", "--separator", ";", "-o", "points.ini")
        text = (self.folder / "points.ini").read_text(encoding="utf-8")
        self.assertIn("experiment = clustering", text)  # nothing looks like a label
        self.assertIn("# No column was taken for a label, and so all are clustered; --label NAME proposes a\n", text)
        self.write("nobody.csv", [["a", "b"], *([str(i % 17), str(i * i % 23)] for i in range(80))])
        said = self.succeed("init", "nobody.csv")
        self.assertIn("# No column looks like groups of people: --sensitive NAME, or a name here.\nsensitive = ", said)
        self.succeed("run", "points.ini", "-o", "points.h5")

    def test_a_table_of_predictions_is_audited(self) -> None:
        """It was taken for a regression of the score, with the true label and the decision as features."""
        draw = random.Random(1)
        lines = [["person_id", "town", "sex", "y_true", "y_pred", "y_score"]]
        for i in range(400):
            score, sex = draw.random(), draw.choice("fm")
            lines.append([f"p{i}", draw.choice(["a", "b"]), sex, str(int(draw.random() < score)), str(int(score > 0.5)), f"{score:.4f}"])
        self.write("predictions.csv", lines)
        self.succeed("init", "predictions.csv", "-o", "audit.ini")
        text = (self.folder / "audit.ini").read_text(encoding="utf-8")
        for line in ("experiment = predictions  ", "label = y_true\n", "sensitive = sex\n", "score = y_pred, y_score\n", "[thresholds]",
                     "# Some columns look like what a model says of each row: they are audited."):
            self.assertIn(line, text)
        self.assertNotIn("features", text)
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        self.assertIn("error", self.succeed("show", "audit.h5"))
        # Of numbers, and of columns whose names say less, when nothing else is there to learn from.
        real = [["group", "y", "model_a", "risk"], *([["a", "b"][i % 2], str(i % 2), f"{i % 7 / 7:.3f}", f"{i % 5 / 5}"] for i in range(200))]
        self.write("weak.csv", real)
        self.assertIn("score = model_a, risk\n", self.config("weak.csv"))
        self.write("features.csv", [["age", *real[0]], *([str(20 + i % 40), *line] for i, line in enumerate(real[1:]))])
        self.assertIn("features = age, model_a, risk\n", self.config("features.csv"))
        self.write("wages.csv", [["sex", "wage", "predicted_wage"],
                                 *(["fm"[i % 2], f"{10 + i % 31}.5", f"{10 + i % 29}.25"] for i in range(200))])
        said = self.config("wages.csv")
        self.assertIn("experiment = predictions", said)
        self.assertIn("label = wage\n", said)
        self.assertNotIn("[thresholds]", said)

    def test_what_a_model_says_is_neither_label_nor_feature(self) -> None:
        """A second score was taken for the label, the true one for a feature; decisions in words, and of 1 and 2, were left out."""
        draw = random.Random(2)
        rows = [(draw.randrange(2), draw.random(), draw.random(), draw.choice("fm"), str(draw.randint(18, 70))) for _ in range(300)]
        said = {}
        for names, cells in ((("y_true", "y_score", "y_score2", "sex"), lambda row: (row[0], f"{row[1]:.3f}", f"{row[2]:.3f}", row[3])),
                             (("actual_price", "predicted_price", "sex"), lambda row: (f"{row[1]:.3f}", f"{row[2]:.3f}", row[3])),
                             (("y", "proba_0", "proba_1", "sex"), lambda row: (row[0], f"{1 - row[1]:.3f}", f"{row[1]:.3f}", row[3])),
                             (("y_true", "y_hat", "income", "sex"), lambda row: (row[0], f"{row[1]:.3f}", row[4], row[3])),
                             (("y_true", "y_pred", "age", "sex"), lambda row: (("no", "yes")[row[0]], ("no", "yes")[row[1] > 0.5], row[4], row[3])),
                             (("label", "y_pred", "age", "sex"), lambda row: (row[0] + 1, (row[1] > 0.5) + 1, row[4], row[3]))):
            self.write("model.csv", [list(names), *(list(map(str, cells(row))) for row in rows)])
            said[names[0], names[1]] = self.config("model.csv")
        for key, lines in ((("y_true", "y_score"), ("label = y_true\n", "score = y_score, y_score2\n")),
                           (("actual_price", "predicted_price"), ("label = actual_price\n", "score = predicted_price\n")),
                           (("y", "proba_0"), ("label = y\n", "score = proba_1\n")),
                           (("y_true", "y_hat"), ("label = y_true\n", "score = y_hat\n"))):
            for line in lines:
                self.assertIn(line, said[key])
        for key, word, why in ((("y_true", "y_pred"), "yes", "it reads like the yes"), (("label", "y_pred"), "2", "the greater of the two numbers")):
            self.assertRegex(said[key], rf"(?m)^positive = {word}   # the value that means 1: {why}")
            self.assertIn(f"score = y_pred\n# y_pred is 1 where it is {word}: as that of the label.\npositive = {word}\n", said[key])
            self.assertNotIn("Left out", said[key])
        self.assertIn("# Left out of the audit: proba_0: it is of the other class.", said["y", "proba_0"])
        self.write("model.csv", [["truth", "predicted", "prob_good", "sex"],
                                 *([("bad", "good")[row[0]], ("bad", "good")[row[1] > 0.5], f"{row[1]:.3f}", row[3]] for row in rows)])
        text = self.config("model.csv")
        self.assertIn("score = predicted, prob_good\n# predicted is 1 where it is good: as that of the label.\npositive = good\n", text)
        (self.folder / "model.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "model.ini", "-o", "model.h5")
        self.write("model.csv", [["truth", "predicted", "pred_old", "sex"],
                                 *([str(row[0]), ("refused", "granted")[row[1] > 0.5], ("odd", "even")[row[2] > 0.7], row[3]] for row in rows)])
        text = self.config("model.csv")
        self.assertIn("# predicted is 1 where it is granted: it reads like the yes of the two.\n"
                      "# pred_old is 1 where it is even: the rarer of the two.\npositive = granted, even\n", text)
        (self.folder / "model.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "model.ini", "-o", "model.h5", "--force")
        self.write("model.csv", [["price", "predicted", "age", "sex"],
                                 *([f"{row[1]:.3f}", ("low", "high")[row[2] > 0.5], row[4], row[3]] for row in rows)])
        text = self.config("model.csv", "--label", "price")
        self.assertIn("features = age\n", text)
        self.assertIn("# Left out of the features: predicted: it looks like what a model says; [predictions] takes numbers, and decisions of "
                      "two values about a label of two.\n", text)

    def test_parts_that_are_not_understood_are_no_feature(self) -> None:
        lines = table(300)
        lines[0].insert(3, "fold")
        for i, line in enumerate(lines[1:]):
            line.insert(3, str(i % 5))
        self.write("folds.csv", lines)
        said = self.config("folds.csv")
        self.assertIn("# Left out of the features: fold: it looks like the parts of a split;", said)
        self.assertNotIn("fold", re.search(r"^features = .*$", said, re.MULTILINE)[0])

    def test_a_salary_is_a_label_where_nothing_else_is(self) -> None:
        self.write("salaries.csv", [["age", "sex", "salary"], *([str(20 + i % 40), "fm"[i % 2], str(1000 + 7 * i)] for i in range(200))])
        said = self.config("salaries.csv")
        self.assertIn("experiment = regression", said)
        self.assertIn("label = salary\n", said)

    def test_a_column_that_names_the_parts_is_the_split(self) -> None:
        lines = table(300)
        lines[0].insert(3, "Split")
        for i, line in enumerate(lines[1:]):
            line.insert(3, ("Train", "Train", "TEST")[i % 3])
        self.write("parts.csv", lines)
        self.succeed("init", "parts.csv", "-o", "parts.ini")
        text = (self.folder / "parts.ini").read_text(encoding="utf-8")
        self.assertIn("split = Split\n", text)
        self.assertIn("[split]\nby = column\ntrain_values = Train\ntest_values = TEST\nvalidation = 0.2 ", text)
        self.assertNotIn("Split", re.search(r"^features = .*$", text, re.MULTILINE)[0])
        self.succeed("run", "parts.ini", "-o", "parts.h5")

    def test_a_column_that_says_of_one_part_whether_a_row_is_in_it_is_the_split(self) -> None:
        for name, yes, no, train, test in (("is_test", "1", "0", "0", "1"), ("holdout", "True", "False", "False", "True"),
                                           ("in_train", "yes", "no", "yes", "no"), ("cohort", "Hold-out", "train", "train", "Hold-out"),
                                           ("split", "Hold-out", "train", "train", "Hold-out"), ("blood_test", "1", "0", None, None)):
            with self.subTest(name, yes=yes):
                lines = table(300)
                lines[0].insert(3, name)
                for i, line in enumerate(lines[1:]):
                    line.insert(3, (no, no, yes)[i % 3])
                self.write("flags.csv", lines)
                self.succeed("init", "flags.csv", "-o", f"{name}.ini")
                text = (self.folder / f"{name}.ini").read_text(encoding="utf-8")
                if train is None:
                    self.assertNotIn("by = column", text)
                    continue
                self.assertIn(f"split = {name}\n", text)
                self.assertIn(f"[split]\nby = column\ntrain_values = {train}\ntest_values = {test}\nvalidation = 0.2 ", text)
                self.succeed("run", f"{name}.ini", "-o", f"{name}.h5")

    def audit_rows(self, rows: int = 400) -> list[tuple[str, int, float]]:
        """Sex, label and a score that agrees with it."""
        draw = random.Random(5)
        scores = [draw.random() for _ in range(rows)]
        return [("fm"[i % 2], int(draw.random() < score), score) for i, score in enumerate(scores)]

    def test_parts_without_training_rows_are_a_split_of_audits_alone(self) -> None:
        """The config had no rows to train on, and `run` refused it."""
        rows = self.audit_rows()
        parts = ("validation", "test")
        self.write("learn.csv", [["sex", "age", "hired", "part"], *([sex, f"{score:.3f}", str(label), parts[i // 2 % 2]]
                                                                    for i, (sex, label, score) in enumerate(rows))])
        self.succeed("init", "learn.csv", "-o", "learn.ini")
        text = (self.folder / "learn.ini").read_text("utf-8")
        self.assertNotIn("split = part", text)
        self.assertIn("# Left out of the features: part: it looks like the parts of a split, but no value names training rows", text)
        self.assertIn("features = age\n", text)
        self.succeed("run", "learn.ini", "-o", "learn.h5")
        self.write("said.csv", [["sex", "y_score", "y_true", "part"], *([sex, f"{score:.3f}", str(label), parts[i // 2 % 2]]
                                                                       for i, (sex, label, score) in enumerate(rows))])
        self.succeed("init", "said.csv", "-o", "said.ini")
        self.assertIn("split = part\n", (self.folder / "said.ini").read_text("utf-8"))
        self.succeed("run", "said.ini", "-o", "said.h5")

    def test_rare_levels_and_columns_that_look_like_comparisons_are_left_out(self) -> None:
        """No level was left out then, and `run` refused the groups that were kept."""
        odd = ("x != y", ">= 50", "a == b", '"q"', "#7", "*", "17", "a: b", "all", "it's", "Native, A", "[x]", "a\nb", "1 < 2 < 3", "a (b")
        for column in ("race", "race >= 3", "race (own) == 1"):
            with self.subTest(column):
                rows = [[f"{score:.3f}", odd[i] if i < len(odd) else "gh"[i % 2], str(label)]
                        for i, (_, label, score) in enumerate(self.audit_rows())]
                self.write("odd.csv", [["age", column, "hired"], *rows])
                self.succeed("init", "odd.csv", "--sensitive", f'"{column}"', "--label", "hired", "-o", "odd.ini")
                text = (self.folder / "odd.ini").read_text("utf-8")
                self.assertIn("data.where leaves rows with x != y out", text)
                self.assertIn("groups 0 .. 1: g, h", self.succeed("plan", "odd.ini"))
                self.succeed("run", "odd.ini", "-o", "odd.h5")
                (self.folder / "odd.ini").unlink()
                (self.folder / "odd.h5").unlink()

    def test_a_rare_level_that_is_the_number_of_another_one_is_left_out_alone(self) -> None:
        """The proposed `race != 1.0` left out the group `1`, too, which is the same number."""
        for rare in ("1.0", "01"):
            with self.subTest(rare):
                rows = [[f"{score:.3f}", rare if i in (5, 60) else "12"[i % 2], str(label)] for i, (_, label, score) in enumerate(self.audit_rows())]
                self.write("codes.csv", [["age", "race", "hired"], *rows])
                self.succeed("init", "codes.csv", "--label", "hired", "-o", "codes.ini")
                text = (self.folder / "codes.ini").read_text("utf-8")
                self.assertIn(f'where = race != "{rare}"\n', text)
                warning = f"Warning: race: '{min(rare, '1')}', '{max(rare, '1')}' are one number written in 2 ways, and levels of their own"
                self.assertIn(warning, text)
                self.assertIn("groups 0 .. 1: 1, 2", self.succeed("plan", "codes.ini"))
                self.succeed("data", "codes.ini", "--csv", "rows.csv")
                self.assertEqual(len((self.folder / "rows.csv").read_text("utf-8").splitlines()), len(rows) - 2 + 1)
                (self.folder / "codes.ini").unlink()
                (self.folder / "rows.csv").unlink()

    def test_a_level_that_where_cannot_name_is_told(self) -> None:
        rows = [[f"{score:.3f}", "x" if i == 0 else sex, str(label)] for i, (sex, label, score) in enumerate(self.audit_rows())]
        self.write("odd.csv", [["age", "race == (own", "hired"], *rows])
        self.refused("odd.csv", "--sensitive", "race == (own", says="data.where cannot name 'x' of column 'race == (own' to leave it out: ")

    def test_decisions_of_minus_one_and_one_are_audited(self) -> None:
        """It said that numbers were none."""
        for low, high in ((-1, 1), (0, 1)):
            rows = [[sex, str(high if label else low), str(high if score > 0.5 else low)] for sex, label, score in self.audit_rows()]
            self.write("signs.csv", [["sex", "y_true", "y_pred"], *rows])
            self.succeed("init", "signs.csv", "-o", f"signs{high - low}.ini")
            self.succeed("run", f"signs{high - low}.ini", "-o", f"signs{high - low}.h5")
        text = (self.folder / "signs2.ini").read_text("utf-8")
        self.assertIn("score = y_pred\n", text)
        self.assertIn("# y_pred holds -1 and 1: scores, of which 1 is decided 1 by measures.threshold = 0.5.\n", text)
        errors = [re.findall(r"^ +error +(?:validation|test) +([0-9.]+ \[[^]]+\])", self.succeed("show", f"signs{n}.h5"), re.MULTILINE)
                  for n in (1, 2)]
        self.assertEqual(len(errors[0]), 2)
        self.assertEqual(*errors)

    def test_the_label_1_is_the_value_where_predictions_are_higher(self) -> None:
        """The rarer word was proposed beside decisions that say 1 of the other one."""
        for words, flip, positive in ((("no recid", "recid"), False, "recid"), (("recid", "no recid"), False, "no recid"),
                                      (("no", "yes"), True, "no")):
            with self.subTest(words=words, flip=flip):
                rows = [[sex, words[label], str(int((score > 0.4) != flip))] for sex, label, score in self.audit_rows()]
                self.write("words.csv", [["sex", "y_true", "y_pred"], *rows])
                said = self.config("words.csv")
                self.assertIn(f"positive = {positive}   # the value that means 1: y_pred is higher there on average\n", said)
                self.assertEqual("# Warning: yes reads like the yes, but y_pred is lower there on average.\n" in said, flip)
        rows = [[sex, ("yes", "no")[label], str(i // 2 % 2)] for i, (sex, label, _) in enumerate(self.audit_rows())]
        self.write("chance.csv", [["sex", "y_true", "y_pred"], *rows])
        self.assertIn("positive = yes   # the value that means 1: it reads like the yes", self.config("chance.csv"))

    def test_a_first_line_that_looks_like_a_row_is_told(self) -> None:
        rows = [[str(20 + i % 40), ("clerk", "nurse")[i % 2], "fm"[i // 2 % 2], ("<=50K", ">50K")[i % 3 % 2]] for i in range(200)]
        self.write("bare.csv", rows)
        outcome = self.run_program("init", "bare.csv", "--label", "<=50K", "--sensitive", "f")
        self.assertEqual(outcome.codes, [0], outcome.error)
        warned = "the first line looks like a row, not like names of columns"
        self.assertIn(f"# Warning: {warned}", outcome.out.partition("#   ")[0])
        self.assertIn(f"fairfront: warning: bare.csv: {warned}", outcome.error)
        self.assertIn("data.header = false", outcome.error)
        self.write("years.csv", [["2019", "2020", "sex", "hired"], *([row[0], row[0], row[2], str(i % 2)] for i, row in enumerate(rows))])
        for name in ("years.csv", "table.csv"):
            outcome = self.run_program("init", name)
            self.assertNotIn(warned, outcome.out + outcome.error)

    def test_without_features_it_says_what_the_columns_are_taken_for(self) -> None:
        self.write("bare.csv", [["sex", "id", "hired"], *(["fm"[i % 2], str(i), str(i % 3 % 2)] for i in range(90))])
        self.refused("bare.csv", says="add columns of features to the table, or name others by --label and --sensitive "
                                      "(sex: groups; hired: the label; id: it is another one in every row)")

    def test_a_rare_label_is_told_by_plan_and_run(self) -> None:
        lines = table(300)
        for i, line in enumerate(lines[1:]):
            line[7] = str(int(i in (30, 31, 60, 61, 90, 91, 120, 121)))
        self.write("rare.csv", lines)
        self.succeed("init", "rare.csv", "-o", "rare.ini")
        self.assertRegex(self.succeed("plan", "rare.ini"), r"label 1, '1', has [1-8] of \d+ rows: too few to say much of it")

    def test_names_with_line_ends_stand_in_quotes_and_come_back(self) -> None:
        lines = table(300)
        lines[0][3] = "degree\n(highest)"
        self.write("table.csv", lines)
        self.succeed("init", "table.csv", "-o", "table.ini")
        self.assertIn('features = "age, in years", "degree\n(highest)", wage\n', (self.folder / "table.ini").read_text("utf-8"))
        told, *_ = self.succeed("data", "table.ini", "--csv", "prepared.csv").splitlines()
        self.assertIn(r'features "age, in years", "degree\n(highest)", wage;', told)
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

    def test_a_group_that_is_too_small_for_every_part_is_left_out_and_named(self) -> None:
        """The config was refused by `run`, as a part had no row of the group."""
        for rows, levels in ((300, ("x, y", "z", '"q"')), (300, ("3", "4", "5"))):
            for few in (1, 3, 4, 12):
                for words in (("--label", "hired"), ("--label", "wage"), ("--label", "hired", "--sensitive", "sex,the school")):
                    with self.subTest(few=few, words=words, levels=levels):
                        lines = table(rows)
                        lines[0][3] = "the school"
                        for i, line in enumerate(lines[1:]):
                            line[1] = line[1] or "30"
                            line[2] = levels[0] if i < few else levels[1 + i % 2]
                        self.write("few.csv", lines)
                        said = self.config("few.csv", *(words if "--sensitive" in words else (*words, "--sensitive", "sex")))
                        (self.folder / "few.ini").write_text(said, encoding="utf-8")
                        alone = "--sensitive" not in words
                        if alone and few < 4:
                            rows_text = "row" if few == 1 else "rows"
                            self.assertIn(f"# Group {levels[0]} has {few} complete {rows_text}: too few for one in every part. "
                                          f"data.where leaves rows with {levels[0]} out", said)
                            where = f"sex != {levels[0]}"
                            self.assertIn(f'where = """{where}"""\n' if "," in where else f"where = {where}\n", said)
                        elif alone:
                            self.assertNotIn("where", said)
                            self.assertIn("stratify = group ", said)
                        self.succeed("run", "few.ini", "-o", "few.h5", "--force")

    def test_rows_of_a_group_that_are_dropped_do_not_count(self) -> None:
        lines = table(300)
        for i, line in enumerate(lines[1:]):
            line[1] = str(20 + i % 40)
            line[2] = "x" if i < 9 else "fm"[i % 2]
            line[7] = "" if i < 6 else line[7]  # a label, which no rule fills in
        self.write("few.csv", lines)
        self.succeed("init", "few.csv", "-o", "few.ini")
        text = (self.folder / "few.ini").read_text(encoding="utf-8")
        self.assertIn("# group x: 9 rows", text)
        self.assertIn("# Group x has 3 complete rows: too few for one in every part.", text)
        self.succeed("run", "few.ini", "-o", "few.h5")

    def test_where_two_groups_are_not_left_there_is_no_config(self) -> None:
        lines = table(300)
        for i, line in enumerate(lines[1:]):
            line[2] = "x" if i < 3 else "m"
        self.write("few.csv", lines)
        self.refused("few.csv", "--label", "hired", says="1 of the 2 groups of sex have less than 4 complete rows (x has 3)")
        for i, line in enumerate(lines[1:]):
            line[2] = f"g{i // 3}"
        self.write("few.csv", lines)
        self.refused("few.csv", "--label", "hired", "--sensitive", "sex", says="100 of the 100 groups of sex have less than 4")

    def refused(self, *arguments: str, says: str) -> None:
        outcome = self.run_program("init", *arguments, "-o", "refused.ini")
        self.assertEqual(outcome.codes, [2])
        self.assertIn(says, outcome.error)
        self.assertFalse((self.folder / "refused.ini").exists())

    def test_columns_that_no_config_can_take_are_left_out_or_told(self) -> None:
        """Each of these made a config that `plan` refused."""
        lines = table(300)
        head, rows = lines[0], lines[1:]
        for name, cell, why in (("", "{}", "column 8: it has no name"), ("far", "{}e200", "far: its numbers are too large or too small"),
                                ("near", "{}e-312", "near: its numbers are too large or too small")):
            with self.subTest(name=name):
                more = [[*head[:7], name, head[7]]] + [[*row[:7], cell.format(i % 90), row[7]] for i, row in enumerate(rows)]
                self.write("odd.csv", more)
                said = self.config("odd.csv")
                self.assertIn(f"# Left out of the features: {why}", said)
                (self.folder / "odd.ini").write_text(said, encoding="utf-8")
                self.succeed("plan", "odd.ini")
        self.write("odd.csv", [[*head, "far"]] + [[*row, f"{i}e200"] for i, row in enumerate(rows)])
        self.refused("odd.csv", "--label", "far", says="the numbers of the label 'far' are too large or too small")

    def test_a_column_without_a_name_is_no_label(self) -> None:
        self.write("odd.csv", [["sex", "age", ""]] + [["fm"[i % 2], str(20 + i % 40), "01"[i % 3 % 2]] for i in range(90)])
        said = self.config("odd.csv")
        self.assertIn("# Left out of the features: column 3: it has no name", said)
        self.assertIn("experiment = clustering", said)

    def test_what_is_not_utf_8_is_left_out_or_told(self) -> None:
        text = (self.folder / "table.csv").read_text(encoding="utf-8").replace("school", "\u00e9cole")
        (self.folder / "latin.csv").write_bytes(text.encode("latin-1"))
        said = self.config("latin.csv")
        self.assertIn('the "degree": it is not UTF-8: convert the file', said)
        (self.folder / "latin.ini").write_text(said, encoding="utf-8")
        self.succeed("plan", "latin.ini")
        self.refused("latin.csv", "--sensitive", 'the "degree"', says="is not UTF-8, and a config names label and groups")

    def test_of_many_groups_the_first_are_shown(self) -> None:
        lines = table(300)
        for i, line in enumerate(lines[1:]):
            line[2] = f"g{i % 60}"
        self.write("many.csv", lines)
        said = self.config("many.csv", "--sensitive", "sex", "--label", "hired")
        self.assertIn("# 40 more groups are as small.\n", said)
        self.assertIn("# 40 more groups.\n", said)

    def test_the_label_1_is_the_word_that_says_yes_or_the_rarer_one(self) -> None:
        for first, second, positive in (("ja", "nein", "ja"), ("oui", "non", "oui"), ("no", "si", "si"), ("True", "False", "True"),
                                        ("approved", "denied", "approved"), ("N", "Y", "Y"), ("negative", "positive", "positive"),
                                        ("left", "stayed", "left"), ("stayed", "left", "stayed"), ("0.0", "1.0", "1.0"), ("1.0", "0.0", "1.0")):
            with self.subTest(first=first, second=second):
                lines = table(90)
                for i, line in enumerate(lines[1:]):
                    line[7] = (second, first)[i % 3 == 0]  # the first is the rarer one
                self.write("words.csv", lines)
                how = "the rarer" if "left" in (first, second) else "it reads like the yes"
                self.assertIn(f"positive = {positive}   # the value that means 1: {how} of the two\n", self.config("words.csv"))

    def test_words_for_missing_cells_of_numbers_are_proposed(self) -> None:
        lines = table(300)
        for i, line in enumerate(lines[1:]):
            line[1] = {0: "NA", 1: "N/A", 2: "-", 3: "?", 4: "null"}.get(i % 50, str(20 + i % 40))
            line[6] = "nan" if i == 7 else line[6]
            line[3] = "N/A" if i < 9 else line[3]
        self.write("na.csv", lines)
        said = self.succeed("init", "na.csv")
        self.assertIn("missing = ?, -, N/A, NA, nan, null ", said)
        self.assertRegex(said, r"#   age, in years: numbers, 20 to 59, 40 different; 30 missing cells\n")
        self.assertIn('features = "age, in years", ', said)
        self.assertRegex(said, r"# Warning: (3[0-9]) of 300 rows have a missing cell: drop leaves them out")
        self.succeed("init", "na.csv", "-o", "na.ini")
        self.succeed("run", "na.ini", "-o", "na.h5")

    def test_numbers_of_which_some_are_unknown_are_numbers(self) -> None:
        """They were names, of which a column with many was left out of the features."""
        lines = ["income,job,sex,hired"]
        for i in range(300):
            income = ("unknown", "Unknown", "missing")[i % 3] if i % 25 == 0 else f"{20 + i}.5"
            lines.append(f"{income},{('nurse', 'clerk')[i % 2]},{'fm'[i // 7 % 2]},{i // 3 % 2}")
        (self.folder / "unknown.csv").write_text("\n".join(lines) + "\n", "utf-8")
        said = self.succeed("init", "unknown.csv")
        self.assertRegex(said, r"#   income: numbers, 21.5 to 319.5, 288 different; 12 missing cells\n")
        self.assertIn("missing = ?, Unknown, missing, unknown ", said)
        self.assertIn("features = income, job", said)

    def test_a_missing_rule_that_leaves_no_row_is_not_proposed(self) -> None:
        lines = table(80)
        for i, line in enumerate(lines[1:]):
            line[1 if i % 2 else 6] = ""
        self.write("holes.csv", lines)
        self.succeed("init", "holes.csv", "-o", "holes.ini")
        self.assertIn("missing_rule = mean ", (self.folder / "holes.ini").read_text("utf-8"))
        self.succeed("run", "holes.ini", "-o", "holes.h5")

    def test_rows_are_filled_where_most_of_a_wide_table_would_be_left_out(self) -> None:
        """It proposed `drop`, which left 13 % of the rows; a column with three values may have none among the training rows."""
        draw = random.Random(5)
        rows = [["sex", *(f"x{i}" for i in range(40)), "rare", "hired"]]
        for i in range(400):
            cells = ["" if draw.random() < 0.05 else f"{draw.gauss(0, 1):.3f}" for _ in range(40)]
            rows.append([draw.choice("fm"), *cells, str(i % 7) if i % 130 == 5 else "", str(draw.randint(0, 1))])
        rows[8][0] = ""
        self.write("wide.csv", rows)
        said = self.succeed("init", "wide.csv", "-o", "wide.ini") or (self.folder / "wide.ini").read_text("utf-8")
        self.assertIn("# Warning: 400 of 400 rows have a missing cell: drop would leave them out; mean and zero fill features in, and leave out 1, "
                      "which have no group or label.\nmissing_rule = mean ", said)
        self.assertIn("# Left out of the features: rare: 4 of its cells are known.\n", said)
        self.succeed("run", "wide.ini", "-o", "wide.h5")

    def test_rows_are_filled_where_a_group_would_be_left_out(self) -> None:
        rows = [["sex", "age", "pay", "hired"]]
        rows += [["fmd"[i % 3], str(20 + i % 40), "" if i % 3 == 2 else str(i % 17), str(i // 3 % 2)] for i in range(300)]
        self.write("group.csv", rows)
        said = self.config("group.csv")
        self.assertIn("100 of 300 rows have a missing cell: drop would leave them out; mean and zero fill features in, and leave out none.\n", said)
        self.assertIn("missing_rule = mean ", said)
        for group in "fmd":
            self.assertIn(f"# group {group}: 100 rows", said)

    def test_rows_are_filled_where_a_label_would_be_left_out(self) -> None:
        """`drop` left no row of the label that `positive` named, and `run` said that the label did not occur."""
        rows = [[str(20 + i % 40), "" if i % 25 == 0 else str(i % 17), "fm"[i % 2], ("no", "yes")[i % 25 == 0]] for i in range(1000)]
        self.write("label.csv", [["age", "pay", "sex", "hired"], *rows])
        self.succeed("init", "label.csv", "-o", "label.ini")
        text = (self.folder / "label.ini").read_text("utf-8")
        self.assertIn("missing_rule = mean ", text)
        self.succeed("run", "label.ini", "-o", "label.h5")
        (self.folder / "drop.ini").write_text(text.replace("missing_rule = mean", "missing_rule = drop"), "utf-8")
        failed = self.run_program("plan", "drop.ini")
        self.assertEqual(failed.codes, [2])
        self.assertIn("data.positive names 'yes', which 40 rows of column 'hired', the label, hold, and of these none is left", failed.error)

    def test_a_label_that_lacks_what_nobody_can_fill_in_is_told(self) -> None:
        rows = [[sex, "" if label else f"{score:.3f}", ("no", "yes")[label]] for sex, label, score in self.audit_rows()]
        self.write("said.csv", [["sex", "y_score", "hired"], *rows])
        self.refused("said.csv", says="no row whose label 'hired' is 'yes' has a value in each of the columns y_score, sex, hired")

    def test_one_group_alone_is_refused(self) -> None:
        self.write("one.csv", [["sex", "age", "hired"], *(["f", f"{score:.3f}", str(label)] for _, label, score in self.audit_rows())])
        self.refused("one.csv", "--sensitive", "sex", says="all rows that have a value are in one group of sex, and groups are compared")

    def test_a_rating_is_audited_as_a_number(self) -> None:
        """`plan` asked whether a label of 3 to 10 different numbers is one."""
        rows = [[sex, f"{score:.3f}", str(1 + int(4.9 * score))] for sex, _, score in self.audit_rows()]
        self.write("rating.csv", [["sex", "y_score", "y_true"], *rows])
        self.succeed("init", "rating.csv", "-o", "rating.ini")
        self.assertIn("\ntarget = real ", (self.folder / "rating.ini").read_text("utf-8"))
        self.succeed("run", "rating.ini", "-o", "rating.h5")

    def test_parts_of_an_audit_have_both_labels_of_every_group(self) -> None:
        """Thresholds failed in a group without a label in the validation part."""
        for few, strata, thresholds in ((5, "stratify = group_and_label ", True), (1, "", False), (0, "", False)):
            with self.subTest(few):
                seen, rows = 0, []
                for sex, label, score in self.audit_rows():
                    if sex == "f" and label:
                        seen += 1
                        label = int(seen <= few)
                    rows.append([sex, f"{score:.3f}", str(label)])
                self.write("rare.csv", [["sex", "y_score", "hired"], *rows])
                self.succeed("init", "rare.csv", "-o", "rare.ini")
                text = (self.folder / "rare.ini").read_text("utf-8")
                self.assertIn(strata, text)
                self.assertEqual("\n[thresholds]" in text, thresholds)
                self.assertEqual(f"group f has {few} complete row" in text, not thresholds)
                self.succeed("run", "rare.ini", "-o", "rare.h5")
                (self.folder / "rare.ini").unlink()
                (self.folder / "rare.h5").unlink()

    def test_a_column_of_parts_that_leaves_a_group_out_is_told(self) -> None:
        """`plan` refused parts without validation rows of a group, and thresholds failed."""
        for lacks, says in (("validation", "# Group d has no row in the validation part: validation rows are drawn of all that are not for the test.\n"),
                            ("train", "# Left out of the features: part: it looks like the parts of a split, but group d has too few training rows")):
            with self.subTest(lacks):
                rows = []
                for i, (_, label, score) in enumerate(self.audit_rows()):
                    part = ("train", "validation", "test")[i // 3 % 3]
                    rows.append(["fmd"[i % 3], f"{score:.3f}", str(label), "test" if i % 3 == 2 and part == lacks else part])
                self.write("parts.csv", [["sex", "age", "hired", "part"], *rows])
                self.succeed("init", "parts.csv", "-o", "parts.ini")
                self.assertIn(says, (self.folder / "parts.ini").read_text("utf-8"))
                self.succeed("run", "parts.ini", "-o", "parts.h5")
                (self.folder / "parts.ini").unlink()
                (self.folder / "parts.h5").unlink()
        rows = [["fmd"[i % 3], f"{score:.3f}", str(label), "test" if i % 3 == 2 else ("validation", "test")[i // 3 % 2]]
                for i, (_, label, score) in enumerate(self.audit_rows())]
        self.write("audit.csv", [["sex", "y_score", "hired", "part"], *rows])
        self.succeed("init", "audit.csv", "-o", "audit.ini")
        self.assertIn("group d has 0 complete rows with label 0 in the validation part.\n", (self.folder / "audit.ini").read_text("utf-8"))
        self.succeed("run", "audit.ini", "-o", "audit.h5")

    def test_of_two_numbers_that_say_nothing_the_greater_one_means_1(self) -> None:
        """It took the 1 of 1 and 2 for a yes, the opposite of how the program reads them without `positive`."""
        for values, positive in ((("1", "2"), "2"), (("0", "2"), "2"), (("-1", "1"), "1"), (("no", "1"), "1")):
            with self.subTest(values):
                rows = [[f"{score:.3f}", sex, values[i % 3 > 0]] for i, (sex, _, score) in enumerate(self.audit_rows())]
                self.write("two.csv", [["age", "sex", "hired"], *rows])
                self.assertIn(f"\npositive = {positive} ", self.config("two.csv"))

    def test_a_number_beyond_all_range_is_told(self) -> None:
        rows = [["1e400" if i == 7 else f"{score:.3f}", str(i % 17), sex, str(label)] for i, (sex, label, score) in enumerate(self.audit_rows())]
        self.write("large.csv", [["pay", "age", "sex", "hired"], *rows])
        self.assertIn("# Left out of the features: pay: its numbers are written as 1e400, and are names so", self.config("large.csv"))

    def test_few_rows_are_left_out_and_counted_and_no_prediction_is_filled_in(self) -> None:
        self.assertIn("missing_rule = drop          # leaves out 15 of 300 rows; mean and zero leave out none\n", self.config("table.csv"))
        rows = [["sex", "y_true", "y_pred"], *([draw, str(i // 2 % 2), "" if i % 5 else str(i % 3 // 2)] for i, draw in enumerate("fm" * 100))]
        self.write("audit.csv", rows)
        said = self.succeed("init", "audit.csv", "-o", "audit.ini") or (self.folder / "audit.ini").read_text("utf-8")
        self.assertIn("missing_rule = drop          # leaves out 160 of 200 rows: predictions are not filled in\n", said)
        self.succeed("run", "audit.ini", "-o", "audit.h5")

    def test_a_table_without_a_row_that_can_be_used_is_told(self) -> None:
        self.write("none.csv", [["sex", "age", "hired"], *(["fm"[i // 2 % 2] if i % 2 else "", str(i), str(i // 2 % 2) if i % 2 == 0 else ""]
                                                            for i in range(40))])
        self.refused("none.csv", says="no row has a value in each of the columns sex, hired, which cannot be filled in")

    def test_a_column_that_says_the_same_as_the_label_is_no_feature(self) -> None:
        lines = table(100)
        lines[0].append("verdict")
        for line in lines[1:]:
            line.append("ok" if line[7] == "1" else "out")
        self.write("twice.csv", lines)
        said = self.config("twice.csv")
        self.assertIn("# Left out of the features: verdict: it says the same as the label, in every row.", said)
        self.assertNotRegex(said, "features = .*verdict")
        for line in lines[1:]:
            line[8] = line[6]
        self.write("twice.csv", lines)
        self.assertIn("verdict: it says the same as the label", self.config("twice.csv", "--label", "wage"))

    def test_decimal_commas_are_told_and_the_separator_is_found(self) -> None:
        lines = [["wage", "sex", "hired", "size, age"], *([str(10 + i % 7), "fm"[i % 2], str(i % 3 % 2), f"{i % 9},{i % 10}"]
                                                          for i in range(60))]
        for name, separator in (("semicolon", ";"), ("tab", "\t"), ("|", "|")):
            with self.subTest(name):
                with open(self.folder / "euro.csv", "w", encoding="utf-8-sig") as file:
                    file.writelines(separator.join(line) + "\n" for line in lines)
                self.succeed("init", "euro.csv", "-o", f"euro{name}.ini")
                text = (self.folder / f"euro{name}.ini").read_text("utf-8")
                self.assertIn(f"separator = {name}\n", text)
                self.assertIn("# Left out of the features: size, age: its numbers have commas, and are names so", text)
                self.assertIn("features = wage\n", text)
                self.succeed("run", f"euro{name}.ini", "-o", f"euro{name}.h5")

    def test_where_an_optimum_takes_long_another_method_is_proposed(self) -> None:
        draw = random.Random(5)
        lines = [[*(str(draw.randrange(100)) for _ in range(600)), "fm"[i % 2], str(i % 3 % 2)] for i in range(200)]
        self.write("columns.csv", [[*(f"c{j}" for j in range(600)), "sex", "label"], *lines])
        said = self.config("columns.csv", "-o", "-")
        self.assertIn("# [exact_training] would prove its optimum, but takes long on 200 rows with 601 weights:\n", said)
        self.assertIn("\n[certified_training]\ndelta = ", said)
        self.assertNotIn("\n[exact_training]", said)
        (self.folder / "columns.ini").write_text(said, encoding="utf-8")
        self.succeed("run", "columns.ini", "-o", "columns.h5", "--set", "training.budget=6000", "--set", "certified_training.delta=0.1")
        self.assertIn("\n[exact_training]\n", self.config("table.csv"))

    def test_numbers_that_are_not_written_plainly_are_told_with_what_they_look_like(self) -> None:
        rows = [[f"{45123 + i:,}.00", f"{i % 90}%", "inf" if i % 9 == 0 else str(i / 4), str(i % 50), "fm"[i % 2], str(i % 3 % 2)]
                for i in range(1200)]
        self.write("odd.csv", [["wage", "share", "ratio", "age", "sex", "hired"], *rows])
        said = self.config("odd.csv")
        for name, seen in (("wage", "45,123.00"), ("share", "0%"), ("ratio", "inf")):
            self.assertIn(f"# Left out of the features: {name}: its numbers are written as {seen}, and are names so: write them "
                          "plainly, without units and marks between thousands, and leave infinite ones empty.\n", said)
        self.assertIn("features = age\n", said)
        self.assertIn("; 134 cells are numbers written as inf\n", said)
        outcome = self.run_program("init", "odd.csv", "--label", "wage")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("init: write the numbers of the label 'wage' plainly", outcome.error)

    def test_a_single_dash_is_the_standard_output(self) -> None:
        self.assertEqual(self.config("table.csv", "-o", "-"), self.config("table.csv"))
        self.assertFalse((self.folder / "-").exists())

    def test_names_that_a_config_reads_otherwise_are_quoted(self) -> None:
        rows = [[str(i * i % 31), str(i * 7 % 13), ("a", "b")[i % 3 % 2], str(i % 5 % 2)] for i in range(90)]
        self.write("marks.csv", [["income ; yearly", "a | b # c", "sex", "hired"], *rows])
        self.succeed("init", "marks.csv", "-o", "marks.ini")
        self.assertIn('features = "income ; yearly", "a | b # c"\n', (self.folder / "marks.ini").read_text("utf-8"))
        self.succeed("run", "marks.ini", "-o", "marks.h5")

    def test_columns_that_are_called_like_a_comparison_are_columns(self) -> None:
        rows = [f"{i % 7},{'fm'[i % 2]},{i * i % 13}" for i in range(90)]
        (self.folder / "tests.csv").write_text("\n".join(['x,"sex == f","x >= 5 "', *rows, ""]), encoding="utf-8")
        self.succeed("init", "tests.csv", "--label", "x >= 5 ", "--sensitive", "sex == f", "-o", "tests.ini")
        text = (self.folder / "tests.ini").read_text(encoding="utf-8")
        self.assertIn("sensitive = column(sex == f)\n", text)
        self.assertIn("label = column(x >= 5 )\n", text)
        self.assertIn("groups 0 .. 1: f, m", self.succeed("plan", "tests.ini"))

    def test_groups_are_told_as_a_config_takes_them(self) -> None:
        """Comparisons, largest(...) and column(...) were refused, as no names of columns."""
        rows = [f"{i * i % 31},{'fm'[i % 2]},{i * 7 % 11},{i * 5 % 13},{i % 5 % 2}" for i in range(120)]
        (self.folder / "derived.csv").write_text("\n".join(["age,sex,\"x >= 1\",\"b, or c\",hired", *rows, ""]), encoding="utf-8")
        cells = [(i * i % 31, "fm"[i % 2], i * 7 % 11, i * 5 % 13) for i in range(120)]
        told = {"age >= 16": ("age >= 16", [("other", "age >= 16")[age >= 16] for age, *_ in cells]),
                "4 <= age < 16": ("4 <= age < 16", [("other", "4 <= age < 16")[4 <= age < 16] for age, *_ in cells]),
                "column(age) >= 16": ("column(age) >= 16", [("other", "column(age) >= 16")[age >= 16] for age, *_ in cells]),
                "column(x >= 1) < 5": ("column(x >= 1) < 5", [("other", "column(x >= 1) < 5")[x < 5] for _, _, x, _ in cells]),
                "column(sex)": ("sex", [sex for _, sex, *_ in cells]),
                "sex, age >= 16": ("sex, age >= 16", [f"{sex} x {('other', 'age >= 16')[age >= 16]}" for age, sex, *_ in cells]),
                'largest(x >= 1, "b, or c")': ('"""largest(x >= 1, """"b, or c"""")"""',
                                              [("x >= 1", "b, or c")[b > x] for _, _, x, b in cells])}
        for words, (written, groups) in told.items():
            with self.subTest(words):
                text = self.config("derived.csv", "--sensitive", words, "--label", "hired")
                self.assertIn(f"\nsensitive = {written}\n", text)
                for group in set(groups):
                    self.assertIn(f"\n# group {group}: {groups.count(group)} rows\n", text)
                self.assertEqual(text.count("\n# group "), len(set(groups)))
                (self.folder / "derived.ini").write_text(text, encoding="utf-8")
                self.succeed("data", "derived.ini", "--csv", "rows.csv")
                with open(self.folder / "rows.csv", encoding="utf-8", newline="") as file:
                    self.assertEqual([row["group"] for row in csv.DictReader(file)], groups)
                (self.folder / "rows.csv").unlink()
        for words, says in (("hours >= 3", "--sensitive names 'hours', which is no column"),
                            ("sex == f", "--sensitive compares column 'sex' in 'sex == f', and its cells are not all numbers: name the column"),
                            ("largest(age)", "data.sensitive: largest(age) must name two columns or more"),
                            ("age >= old", "'age >= old', must be NAME OP CONSTANT"),
                            ("hired >= 1", "--label and --sensitive both name 'hired'")):
            with self.subTest(words):
                self.refused("derived.csv", "--label", "hired", "--sensitive", words, says=says)

    def test_single_names_with_commas_stay_one_name(self) -> None:
        rows = [[str(i * i % 31), ("a", "b")[i % 3 % 2], ("yes, sir", "no")[i % 5 % 2]] for i in range(90)]
        self.write("commas.csv", [["age, in years", "sex, or gender", "hired, or not"], *rows])
        self.succeed("init", "commas.csv", "-o", "commas.ini")
        text = (self.folder / "commas.ini").read_text("utf-8")
        self.assertIn('features = """age, in years"""\n', text)
        self.assertIn('label = "hired, or not"\n', text)
        self.succeed("run", "commas.ini", "-o", "commas.h5")

    def test_a_column_that_is_called_group_holds_the_groups(self) -> None:
        header, *rows = table(60)
        self.write("groups.csv", [["group" if name == "sex" else name for name in header], *rows])
        self.assertIn("sensitive = group\n", self.config("groups.csv"))

    def test_what_was_named_as_label_is_no_group(self) -> None:
        self.assertIn("experiment = training", self.config("table.csv", "--label", "sex"))
        self.assertNotIn("sensitive = sex", self.config("table.csv", "--label", "sex"))

    def test_groups_that_look_alike_are_told_apart(self) -> None:
        """A name with a line end and one with a backslash and an n were one group twice."""
        draw = random.Random(7)
        lines = [[f"{draw.gauss(0, 1):.3f}", ("a\nb", "a\\nb", "c")[i % 3], str(i % 2)] for i in range(300)]
        self.write("alike.csv", [["x", "race", "label"], *lines])
        said = self.config("alike.csv")
        for name in ("a\\nb", "a\\\\nb", "c"):
            self.assertIn(f"# group {name}: 100 rows\n", said)

    def test_of_many_columns_the_first_are_told(self) -> None:
        lines = [[*(str(i * j % 37) for j in range(2, 402)), "fm"[i % 2], str(i % 3 % 2)] for i in range(90)]
        self.write("wide.csv", [[*(f"c{j}" for j in range(400)), "sex", "label"], *lines])
        said = self.config("wide.csv")
        self.assertIn("#   c99: numbers", said)
        self.assertNotIn("#   c100: numbers", said)
        self.assertIn("# 302 more columns.\n", said)
        self.assertIn(", c399\n", said)  # among the features
        outcome = self.run_program("init", "wide.csv", "--label", "nothing")
        self.assertRegex(outcome.error, r"\(valid: c0, c1, .*, c23 and 368 more; other columns, which are no label: c35, ")

    def test_bad_tables_are_told_in_a_line(self) -> None:
        self.write("twice.csv", [["a", "a"], ["1", "2"]])
        self.write("short.csv", [["a", "b"], ["1"]])
        self.write("empty.csv", [["a", "b"]])
        self.write("one.csv", [["a:b"], ["1:2"], ["3:4"]])
        self.write("single.csv", [["a"], *([str(i)] for i in range(9))])  # a config was written that nothing could run
        self.write("unnamed.csv", [["", "a", ""], ["1", "2", "3"]])
        self.write("ragged.csv", [["a"], ["1"], ["1", "2"]])
        (self.folder / "nothing.csv").write_bytes(b"")
        (self.folder / "binary.csv").write_bytes("a,b\n1,2\n".encode("utf-16"))
        for arguments, words in ((("none.csv",), "none.csv"), (("twice.csv",), "each by another name: rename one of the columns 'a'"),
                                 (("nothing.csv",), "its first line must name the columns, and the others hold the rows"),
                                 (("binary.csv",), "save it as CSV in UTF-8"), ((".",), "name a file in it"),
                                 (("short.csv",), "short.csv, line 2: 1 cells"), (("empty.csv",), "no rows below the names; add one"),
                                 (("table.csv", "--label", "hird"), "did you mean 'hired'"),
                                 (("table.csv", "--label", "country"), "must have two values or be a number"),
                                 (("table.csv", "--separator", "xx"), "--separator = 'xx', must be"),
                                 (("table.csv", "-o", "table.csv"), "it exists; choose another name"),
                                 (("table.csv", "--label", "sex", "--sensitive", "sex"), "--label and --sensitive both name 'sex'"),
                                 (("ragged.csv",), "line 3: 2 cells, and the first line names 1 columns: complete the line, or where every line is like that, --separator"),
                                 (("one.csv",), "one column: --separator says"), (("single.csv",), "one column: --separator says"),
                                 (("unnamed.csv",), "several columns have no name: name them in the first line, as column 1"),
                                 (("table.csv", "--label", "nothing"), '(valid: "age, in years", sex, wage, hired; other columns, which are no label: '
                                  'person_id, "the ""degree""", country, always)'),
                                 (("table.csv", "--label", "nothing", "--sensitive", "sex"), '(valid: "age, in years", wage, hired; other columns, '
                                  'which are no label: person_id, sex, "the ""degree""", country, always)'),
                                 (("table.csv", "--sensitive", "nothing", "--label", "hired"), '(valid: sex, "the ""degree""", country; other columns, '
                                  'which are no groups: person_id, "age, in years", always, wage, hired)')):
            with self.subTest(arguments):
                outcome = self.run_program("init", *arguments)
                self.assertEqual(outcome.codes, [2])
                self.assertIn(words, outcome.error)
                self.assertNotIn("--force", outcome.error)
                self.assertEqual(outcome.error.count("fairfront: error:"), 1)


if __name__ == "__main__":
    unittest.main()
