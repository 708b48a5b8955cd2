"""fairfront predict: rows of a table by the models of an archive, as the documentation says it."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import h5py

from program import PROGRAM, ProgramTest, environment

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/training/own-decisions.ini"
COLUMNS = ["id", "age", "income", "region", "sex", "owner"]


def people(rows: int) -> list[list[str]]:
    draw = random.Random(5)
    table = []
    for row in range(rows):
        age, income = draw.randint(18, 80), draw.randint(0, 900)
        owner = int(income + 9 * age + draw.gauss(0, 100) > 800)
        table.append([f"p{row}", str(age), "" if row % 40 == 7 else str(income),
                      draw.choice(("north", "south", "west")), draw.choice("fm"), str(owner)])
    return table


class Predict(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.rows = people(400)
        self.write("people.csv", self.rows, COLUMNS)
        (self.folder / "own-decisions.ini").write_text(CONFIG.read_text(encoding="utf-8"), encoding="utf-8")
        self.succeed("run", "own-decisions.ini", "-o", "decisions.h5")

    def write(self, name: str, rows: list[list[str]], columns: list[str]) -> None:
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *rows])

    def table(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def predict(self, rows: str, *more: str, out: str = "out.csv") -> str:
        """What the command says on its standard error."""
        outcome = self.run_program("predict", "decisions.h5", "--task", "2", "--rows", rows, "--csv", out, *more)
        self.assertEqual(outcome.codes, [0], outcome.error)
        return outcome.error

    def test_the_documented_commands(self) -> None:
        self.write("new.csv", self.rows[:50], COLUMNS)
        self.succeed("predict", "decisions.h5", "--task", "2", "--rows", "new.csv", "--csv", "decided.csv",
                     "--keep", "*")
        rows = self.table("decided.csv")
        self.assertEqual(list(rows[0]), [*COLUMNS, "score", "probability", "decision"])
        self.assertEqual([row["id"] for row in rows], [row[0] for row in self.rows[:50]])
        for row in rows:
            self.assertEqual(row["decision"], str(int(float(row["probability"]) >= 0.5)))

    def test_measures_of_the_archive_are_those_of_the_predictions(self) -> None:
        self.predict("people.csv", "--keep", "owner")
        decided = self.table("out.csv")
        self.succeed("data", "own-decisions.ini", "--csv", "prepared.csv")
        parts = [row["part"] for row in self.table("prepared.csv")]
        with h5py.File(self.folder / "decisions.h5") as file:
            error = file["measures/error"]
            for place, part in enumerate(error.attrs["parts"].astype(str)):
                mine = [row for row, name in zip(decided, parts) if name == part]
                wrong = sum(row["owner"] != row["decision"] for row in mine)
                self.assertEqual(error[2, place, 0, 0], wrong / len(mine), part)

    def test_columns_in_any_order_streams_and_compressed_files_give_the_same(self) -> None:
        order = [4, 3, 0, 2, 1]
        self.write("other.csv", [[row[i] for i in order] for row in self.rows], [COLUMNS[i] for i in order])
        self.predict("people.csv", "--keep", "id")
        first = (self.folder / "out.csv").read_bytes()
        self.predict("other.csv", "--keep", "id", out="other-out.csv")
        self.assertEqual((self.folder / "other-out.csv").read_bytes(), first)
        table = (self.folder / "people.csv").read_bytes()
        (self.folder / "packed.csv.gz").write_bytes(gzip.compress(table))
        self.predict("packed.csv.gz", "--keep", "id", out="packed-out.csv")
        self.assertEqual((self.folder / "packed-out.csv").read_bytes(), first)
        streamed = subprocess.run(
            [PROGRAM, "predict", "decisions.h5", "--task", "2", "--rows", "-", "--csv", "-", "--keep", "id"],
            input=table, capture_output=True, cwd=self.folder, env=environment(), timeout=300, check=True)
        self.assertEqual(streamed.stdout, first)

    def test_what_is_filled_or_unseen_is_counted(self) -> None:
        self.write("new.csv", [["30", "", "north"], ["31", "5", "moon"], ["?", "6", "?"]],
                   ["age", "income", "region"])
        self.assertIn("3 rows; 3 missing cells filled; 1 cells with a name that the training rows do not hold",
                      self.predict("new.csv"))
        self.assertEqual(list(self.table("out.csv")[0]), ["score", "probability", "decision"])

    def test_a_table_that_is_lost_on_the_standard_output_is_no_success(self) -> None:
        with open("/dev/full", "w", encoding="utf-8") as full:
            lost = subprocess.run([PROGRAM, "predict", "decisions.h5", "--rows", "people.csv", "--csv", "-"],
                                  stdout=full, stderr=subprocess.PIPE, cwd=self.folder, env=environment(), timeout=300,
                                  check=False)
        self.assertEqual(lost.returncode, 2)
        self.assertIn(b"cannot write to the standard output", lost.stderr)

    def test_it_ends_with_its_reader_though_rows_go_on(self) -> None:
        """Once `| head` made it predict all rows that came, without an end where they had none."""
        endless = "{ echo age,income,region; exec yes 30,5,north; }"
        ended = subprocess.run(
            ["bash", "-c", f'{endless} | "$0" predict decisions.h5 --rows - --csv - --as-they-come | head -n 2; exit ${{PIPESTATUS[1]}}',
             PROGRAM], capture_output=True, text=True, cwd=self.folder, env=environment(), timeout=60, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(len(ended.stdout.splitlines()), 2)
        self.assertRegex(ended.stderr, r"^\d+ rows; the reader of the output wanted no more\n$")

    def test_a_model_on_the_standard_input_is_refused_in_words(self) -> None:
        outcome = self.run_program("predict", "-", "--rows", "people.csv", "--csv", "none.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("the model cannot come from the standard input ('-'): name an archive or a model file", outcome.error)

    def test_separators_have_the_words_of_the_config(self) -> None:
        self.predict("people.csv")
        first = (self.folder / "out.csv").read_bytes()
        text = (self.folder / "people.csv").read_text(encoding="utf-8")
        (self.folder / "parted.csv").write_text(text.replace(",", ";"), encoding="utf-8")
        for number, word in enumerate((";", "semicolon")):
            self.predict("parted.csv", "--separator", word, out=f"parted{number}.csv")
            self.assertEqual((self.folder / f"parted{number}.csv").read_bytes(), first)
        for word in ("ab", "", '"'):
            error = self.refused([["30", "5", "north"]], ["age", "income", "region"], "--separator", word)
            self.assertIn("must be comma, semicolon, tab, blank", error)
        error = self.refused([["30;5;north"]], ["age;income;region"])
        self.assertIn("there is no column 'age', but one that is called 'age;income;region': --separator says what stands", error)

    def test_no_message_names_an_option_that_only_a_config_has(self) -> None:
        """Advice once was that of a run: data.separator, missing_rule, preparation.log1p."""
        columns = ["age", "income", "region"]
        self.write("full.csv", [row for row in self.rows if row[2]], COLUMNS)
        (self.folder / "full.ini").write_text(
            "experiment = training\n[data]\ndata = csv\nfile = full.csv\nfeatures = age, income, region\ncategorical = region\n"
            "sensitive = sex\nlabel = owner\n[preparation]\nlog1p = income\n[split]\nvalidation = 0\ntest = 0.3\n[model]\nhidden =\n"
            "[reductions]\nbound = 1\n", encoding="utf-8")
        self.succeed("run", "full.ini", "-o", "decisions.h5", "--force")
        for row, words in ((["", "5", "north"], "column 'age': the cell is missing, and the model has no rule for that"),
                           (["30", "-7", "north"], "column 'income': the cell must be > -1"),
                           (["old", "5", "north"], "column 'age': the cell must be a finite number"),
                           (["1e200", "5", "north"], "column 'age': the cell must be a number of magnitude"),
                           (["30", "5"], "the row has 2 cells"), (["30;5;north"], "the row has 1 cells")):
            error = self.refused([row], columns)
            self.assertIn(words, error)
            self.assertNotRegex(error, r"\b(data|preparation|split)\.\w|missing_rule|log1p\b")
        self.assertRegex(self.refused([["?", "5", "north"]], columns), "--missing says which texts beside empty cells are missing")

    def test_a_column_of_a_number_makes_no_row_of_the_header(self) -> None:
        """The columns that are there were taken for a person's cells once one of them was called by a number."""
        error = self.refused([["30", "5", "x"]], ["income", "region", "1"])
        self.assertIn("there is no column 'age' (valid: income, region, 1)", error)
        self.assertNotIn("is there a header?", error)
        self.assertIn("is there a header?", self.refused([["30", "5", "x"]], ["39", "Smith", "secret"]))

    def refused(self, rows: list[list[str]], columns: list[str], *more: str) -> str:
        self.write("new.csv", rows, columns)
        outcome = self.run_program("predict", "decisions.h5", "--rows", "new.csv", "--csv", "none.csv", *more)
        self.assertEqual(outcome.codes, [2], outcome.error)
        self.assertFalse((self.folder / "none.csv").exists())
        return outcome.error

    def test_what_is_wrong_is_named_and_nothing_is_written(self) -> None:
        columns, row = ["age", "income", "region"], ["30", "5", "north"]
        self.assertIn("no column 'income'", self.refused([["30", "north"]], ["age", "region"]))
        error = self.refused([row] * 3000 + [["old", "5", "north"]], columns)
        self.assertIn("new.csv: line 3002, column 'age'", error)
        self.assertIn("(--missing says which texts stand for a missing cell)", error)
        self.assertNotIn("'old'", error)
        error = self.refused([row] * 3000 + [["30", "-77", "north"]], columns)
        self.assertIn("new.csv: line 3002, column 'income': the cell must be > -1", error)
        self.assertNotIn("-77", error)
        self.assertIn("there is no task 9, only 0 .. 2", self.refused([row], columns, "--task", "9"))
        self.assertIn("point 4 is none", self.refused([row], columns, "--point", "4"))
        self.assertIn("needs no group", self.refused([row], columns, "--group", "region"))
        self.assertIn("'regin', which is no column", self.refused([row], columns, "--keep", "regin"))
        self.assertIn("--keep names 'age' twice", self.refused([row], columns, "--keep", "age,region,age"))
        self.assertIn("drawn from atoms", self.refused([row], columns, "--draw", "1"))

    def test_nothing_goes_to_the_standard_output_before_all_rows_are_good(self) -> None:
        self.write("new.csv", [["30", "5", "north"]] * 3000 + [["old", "5", "north"]], ["age", "income", "region"])
        call = ("predict", "decisions.h5", "--csv", "-", "--rows")
        of_file = self.run_program(*call, "new.csv")
        self.assertEqual((of_file.codes, of_file.out), ([2], ""))
        self.assertIn("new.csv: line 3002, column 'age'", of_file.error)
        spooled = self.folder / "spooled"
        spooled.mkdir()
        for options in ((), ("--as-they-come",)):
            streamed = self.streamed("new.csv", *options, TMPDIR=str(spooled))
            self.assertEqual((streamed.returncode, streamed.stdout == ""), (2, not options))
            self.assertIn("standard input: line 3002, column 'age'", streamed.stderr)
        self.assertEqual(list(spooled.iterdir()), [])

    def test_predictions_that_wait_are_those_that_do_not(self) -> None:
        self.write("new.csv", [[str(age % 70), "5", "north"] for age in range(5000)], ["age", "income", "region"])
        waited = self.streamed("new.csv", "--keep", "*")
        self.assertEqual((waited.returncode, len(waited.stdout.splitlines())), (0, 5001), waited.stderr)
        self.assertEqual(self.streamed("new.csv", "--keep", "*", "--as-they-come").stdout, waited.stdout)
        lost = self.streamed("new.csv", TMPDIR=str(self.folder / "none"))
        self.assertEqual((lost.returncode, lost.stdout), (2, ""))
        self.assertRegex(lost.stderr, "cannot write a temporary file in '.*none'")

    def test_what_comes_packed_or_by_a_pipe_with_a_name_is_told_the_way(self) -> None:
        self.write("new.csv", [["30", "5", "north"]], ["age", "income", "region"])
        packed = subprocess.run([PROGRAM, "predict", "decisions.h5", "--rows", "-", "--csv", "-"],
                                input=gzip.compress((self.folder / "new.csv").read_bytes()), capture_output=True,
                                cwd=self.folder, env=environment(), timeout=300, check=False)
        self.assertEqual((packed.returncode, packed.stdout), (2, b""))
        self.assertIn(b"packed by gzip: unpack it in front", packed.stderr)
        os.mkfifo(self.folder / "pipe")
        outcome = self.run_program("predict", "decisions.h5", "--rows", "pipe", "--csv", "-")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("--rows - reads what comes by one on the standard input", outcome.error)

    def test_rows_that_come_are_of_the_standard_output(self) -> None:
        self.write("new.csv", [["30", "5", "north"]], ["age", "income", "region"])
        outcome = self.run_program("predict", "decisions.h5", "--rows", "new.csv", "--csv", "none.csv", "--as-they-come")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("--as-they-come is of rows that go to the standard output, --csv -", outcome.error)

    def streamed(self, rows: str, *options: str, **variables: str) -> subprocess.CompletedProcess:
        """From the standard input to the standard output."""
        with open(self.folder / rows, encoding="utf-8") as table:
            return subprocess.run([PROGRAM, "predict", "decisions.h5", "--rows", "-", "--csv", "-", *options],
                                  stdin=table, capture_output=True, text=True, cwd=self.folder,
                                  env={**environment(), **variables}, timeout=300, check=False)

    def test_a_changed_model_is_told(self) -> None:
        with h5py.File(self.folder / "decisions.h5", "r+") as file:
            texts = file["tasks/model"]
            texts[0] = texts[0].replace(b"threshold=0.5", b"threshold=0.6")
        outcome = self.run_program("verify", "decisions.h5")
        self.assertEqual(outcome.codes, [4])


class Rows(ProgramTest):
    """Rows that cannot be predicted, lines that are no rows, and names that look like two."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(8)
        self.rows = [[str(draw.randint(18, 80)), str(draw.randint(0, 900)), "fm"[row % 2], str(draw.randint(0, 1))]
                     for row in range(300)]

    def run_on(self, name: str, config: str) -> None:
        with open(self.folder / "people.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["age", name, "sex", "owner"], *self.rows])
        (self.folder / "rows.ini").write_text(config, encoding="utf-8")
        self.succeed("run", "rows.ini", "-o", "rows.h5", "--force")

    def predicted(self, text: str, *more: str) -> tuple[str, list[list[str]]]:
        """What the command says, and the rows that it has made."""
        (self.folder / "new.csv").write_text(text, encoding="utf-8")
        (self.folder / "out.csv").unlink(missing_ok=True)
        outcome = self.run_program("predict", "rows.h5", "--rows", "new.csv", "--csv", "out.csv", *more)
        self.assertEqual(outcome.codes, [0], outcome.error)
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            return outcome.error, list(csv.reader(file))

    def test_a_row_without_a_group_is_left_out_and_counted(self) -> None:
        """As in the run, also where cells of features are filled."""
        table = "experiment = {}\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\nsensitive = sex\n"
        for config, kept in ((table.format("predictions") + "missing_rule = drop\n[split]\nvalidation = 0.5\ntest = 0.3\n"
                              "[predictions]\nscore = score\n[thresholds]\n", ["10", "40"]),
                             (table.format("training") + "features = score\nmissing_rule = mean\n[split]\ntest = 0.3\n"
                              "[preparation]\ngroup_feature = true\n[training]\nbudget = 2000\n[sgd]\n", ["10", "", "40"])):
            self.run_on("score", config)
            for group in ((), ("--group", "sex")):
                with self.subTest(config, group=group):
                    told, rows = self.predicted("score,sex\n10,f\n20,\n,m\n30,?\n40,m\n", "--point", "0", "--keep", "score",
                                                *group)
                    self.assertIn(f"{len(kept)} rows; {5 - len(kept)} rows left out for a missing cell", told)
                    self.assertEqual([row[0] for row in rows[1:]], kept)

    def run_on_age(self) -> None:
        self.run_on("income", "experiment = training\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\n"
                    "sensitive = sex\nfeatures = age\n[split]\ntest = 0.3\n[training]\nbudget = 2000\n[sgd]\n")

    def test_blank_lines_of_a_table_with_one_column_are_counted(self) -> None:
        self.run_on_age()
        told, rows = self.predicted("age\n30\n\n40\n  \n50\n")
        self.assertIn("3 rows; 2 blank lines skipped, which are no rows", told)
        self.assertEqual(len(rows), 4)
        self.assertNotIn("blank", self.predicted("age,x\n30,1\n\n40,2\n")[0])

    def test_columns_of_one_name_are_kept_all_or_refused(self) -> None:
        """The first one was taken for both, and "*" named it twice."""
        table = "note,age,note\na,30,b\n"
        self.run_on_age()
        self.assertEqual(self.predicted(table, "--keep", "*")[1][1][:3], ["a", "30", "b"])
        (self.folder / "twice.csv").write_text(table, encoding="utf-8")
        refused = self.run_program("predict", "rows.h5", "--rows", "twice.csv", "--csv", "no.csv", "--keep", "note")
        self.assertEqual(refused.codes, [2], refused.error)
        self.assertIn("--keep names 'note', and the table has several columns of this name", refused.error)

    def test_who_is_interrupted_leaves_no_part_of_a_table(self) -> None:
        self.run_on_age()
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(sent.name):
                with subprocess.Popen([PROGRAM, "predict", "rows.h5", "--rows", "-", "--csv", "out.csv"], cwd=self.folder,
                                      env=environment(), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as predict:
                    predict.stdin.write(b"age\n" + b"30\n" * 300_000)
                    predict.stdin.flush()
                    patience = time.monotonic() + 60
                    while not any(file.stat().st_size for file in self.folder.glob("out.csv.*.part")):
                        self.assertLess(time.monotonic(), patience)
                        time.sleep(0.01)
                    predict.send_signal(sent)
                    predict.wait(timeout=60)
                self.assertEqual(predict.returncode, -sent)
                self.assertEqual(list(self.folder.glob("out.csv*")), [])

    def test_cells_that_are_kept_keep_the_blanks_at_their_ends(self) -> None:
        """They were lost, in quotes or not."""
        self.run_on_age()
        cells = [" a ", "b  ", "  ", "", " say \"x\" ", "two\nlines ", " 5", " x, y "]
        table = "name,age,last\r\n" + "".join(f'"{cell}", {30 + i} ,{i} \r\n'.replace('"x"', '""x""') for i, cell in enumerate(cells))
        self.assertEqual(self.predicted(table, "--keep", "*")[1][1:][0][:3], [" a ", " 30 ", "0 "])
        for text in (table, table.replace('" a "', " a ").replace('"b  "', "b  ").replace('"  "', "  ").replace("\r\n", "\n")):
            _, rows = self.predicted(text, "--keep", "*")
            self.assertEqual([row[0] for row in rows[1:]], cells)
            self.assertEqual([row[1:3] for row in rows[1:]], [[f" {30 + i} ", f"{i} "] for i in range(len(cells))])
        # They are the user's own: what a spreadsheet would run, or a terminal obey, is theirs to write.
        own = ["-", "+5 kg", "=1+1", " =1+1", "@home", "e\u202evil", "'x"]
        _, rows = self.predicted("name,age\n" + "".join(f"{cell},30\n" for cell in own), "--keep", "name")
        self.assertEqual([row[0] for row in rows[1:]], own)

    def test_a_name_with_a_comma_stands_in_quotes(self) -> None:
        self.run_on("income, yearly", "experiment = training\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\n"
                    "sensitive = sex\nfeatures = \"income, yearly\", age\n[split]\ntest = 0.3\n[training]\n"
                    "budget = 2000\n[sgd]\n")
        _, rows = self.predicted('"income, yearly",age,sex\n5,30,f\n', "--keep", '"income, yearly",sex')
        self.assertEqual([row[:2] for row in rows], [["income, yearly", "sex"], ["5", "f"]])
        self.assertIn("every bit is the same", self.succeed("replay", "rows.h5"))
        broken = self.run_program("predict", "rows.h5", "--rows", "new.csv", "--csv", "no.csv", "--keep", '"sex')
        self.assertEqual(broken.codes, [2])
        self.assertIn("--keep", broken.error)


class MissingCells(ProgramTest):
    """The texts that were missing cells in training are, and "?" is a name like others there."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(6)
        self.rows = []
        for _ in range(300):
            ward, owner = draw.choice(("a", "b", "?", "NA")), draw.randint(0, 1)
            self.rows.append([draw.choice(("NA", str(owner + draw.gauss(0, 1)))), ward, draw.choice("fm"), str(owner)])
        with open(self.folder / "people.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["x", "ward", "sex", "owner"], *self.rows])
        (self.folder / "missing.ini").write_text(
            "experiment = training\n[data]\ndata = csv\nfile = people.csv\nmissing = NA\nmissing_rule = mean\n"
            "features = x, ward\ncategorical = ward\nsensitive = sex\nlabel = owner\n[split]\ntest = 0.3\n"
            "[training]\nloss = logistic\nbudget = 3000\n[sgd]\n", encoding="utf-8")
        self.succeed("run", "missing.ini", "-o", "missing.h5")

    def test_predict_knows_them(self) -> None:
        told = self.succeed("predict", "missing.h5", "--rows", "people.csv", "--csv", "out.csv", "--keep", "owner")
        self.succeed("predict", "missing.h5", "--rows", "people.csv", "--csv", "na.csv", "--missing", "NA", "--keep",
                     "owner")
        out = (self.folder / "out.csv").read_bytes()
        self.assertEqual(out, (self.folder / "na.csv").read_bytes(), told)
        self.succeed("predict", "missing.h5", "--rows", "people.csv", "--csv", "other.csv", "--missing", "none,?,NA",
                     "--keep", "owner")
        self.assertNotEqual(out, (self.folder / "other.csv").read_bytes())

    def test_the_loss_is_that_of_the_archive(self) -> None:
        self.succeed("predict", "missing.h5", "--rows", "people.csv", "--csv", "out.csv", "--keep", "owner")
        self.succeed("data", "missing.ini", "--csv", "prepared.csv")
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            losses = [-math.log(float(row["probability"]) if row["owner"] == "1" else 1 - float(row["probability"]))
                      for row in csv.DictReader(file)]
        with open(self.folder / "prepared.csv", encoding="utf-8", newline="") as file:
            parts = [row["part"] for row in csv.DictReader(file)]
        with h5py.File(self.folder / "missing.h5") as file:
            stored = file["measures/log_loss"]
            for place, part in enumerate(stored.attrs["parts"].astype(str)):
                mine = [loss for loss, name in zip(losses, parts) if name == part]
                self.assertAlmostEqual(stored[0, place, 0, 0], sum(mine) / len(mine), 12, part)


class Groups(ProgramTest):
    def test_thresholds_need_group_and_point(self) -> None:
        rows = people(200)
        with open(self.folder / "people.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\nsensitive = sex\n"
            "[split]\nvalidation = 0.5\ntest = 0.3\n[predictions]\nscore = age\n[thresholds]\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        call = ["predict", "audit.h5", "--rows", "people.csv", "--csv", "out.csv"]
        self.assertIn("choose one", self.run_program(*call, "--group", "sex").error)
        for column in ("age", "sex"):
            short = ["predict", "audit.h5", "--point", "0", "--rows", "short.csv", "--csv", "out.csv"]
            (self.folder / "short.csv").write_text(f"{column}\n1\n", encoding="utf-8")
            self.assertIn("no column '" + {"age": "sex", "sex": "age"}[column], self.run_program(*short).error)
        self.succeed(*call, "--point", "0", "--group", "sex", "--keep", "age,sex")
        with h5py.File(self.folder / "audit.h5") as file:
            thresholds = dict(zip("fm", file["solutions/thresholds/values"][:2]))
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self.assertEqual(row["decision"], str(int(float(row["age"]) >= thresholds[row["sex"]])))

    def write_audit(self, rows: list[list[str]], sensitive: str) -> None:
        """people.csv, and audit.ini for thresholds of its groups."""
        with open(self.folder / "people.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = owner\n"
            f"sensitive = {sensitive}\n[split]\nvalidation = 0.5\ntest = 0.3\n[predictions]\nscore = income\n"
            "[thresholds]\n", encoding="utf-8")

    def test_a_row_whose_attributes_never_came_together_is_named(self) -> None:
        together = ["fn", "fs", "mn"]
        rows = [[f"p{i}", str(18 + i % 60), str(i % 90), together[i % 3][1], together[i % 3][0], str(i % 5 % 2)]
                for i in range(300)]
        self.write_audit(rows, "sex, region")
        self.succeed("run", "audit.ini", "-o", "pairs.h5")
        with open(self.folder / "new.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows * 20, ["p", "30", "5", "s", "m", "0"]])
        outcome = self.run_program("predict", "pairs.h5", "--point", "0", "--rows", "new.csv", "--csv", "none.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("new.csv: row 6001 of those kept is in none of the groups", outcome.error)
        self.assertFalse((self.folder / "none.csv").exists())

    def test_groups_are_made_again_as_the_config_says(self) -> None:
        rows = [[f"p{i}", str(18 + i % 60), str(i % 90), "nws"[i % 3], "fmx"[i % 7 % 3], str(i % 5 % 2)]
                for i in range(400)]
        self.write_audit(rows, "SENSITIVE")

        def thresholds(sensitive: str, *more: str) -> list[dict[str, str]]:
            """The decided rows."""
            (self.folder / "audit.h5").unlink(missing_ok=True)
            (self.folder / "out.csv").unlink(missing_ok=True)
            config = (self.folder / "audit.ini").read_text(encoding="utf-8").replace("SENSITIVE", sensitive)
            (self.folder / "made.ini").write_text(config, encoding="utf-8")
            self.succeed("run", "made.ini", "-o", "audit.h5", *more)
            self.succeed("predict", "audit.h5", "--point", "0", "--rows", "people.csv", "--csv", "out.csv",
                         "--keep", "*")
            with h5py.File(self.folder / "audit.h5") as file:
                groups = json.loads(file["provenance/datasets/fitted"][0])["groups"]
                self.values = dict(zip(groups, file["solutions/thresholds/values"][:len(groups)]))
            with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))

        def expect(rows: list[dict[str, str]], group_of) -> None:
            for row in rows:
                self.assertEqual(row["decision"], str(int(float(row["income"]) >= self.values[group_of(row)])))

        expect(thresholds("30 <= age <= 50, sex", "--set", "data.group_map=f:women"),
               lambda row: ("30 <= age <= 50" if 30 <= int(row["age"]) <= 50 else "other") + " x "
               + ("women" if row["sex"] == "f" else row["sex"]))
        expect(thresholds("sex", "--set", "data.group_map=m:men, *:others"),
               lambda row: "men" if row["sex"] == "m" else "others")
        with open(self.folder / "new.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("income", "sex"), ("30", "d"), ("40", "m")])
        self.succeed("predict", "audit.h5", "--point", "0", "--rows", "new.csv", "--csv", "new-out.csv")
        expect(thresholds("largest(age, income)"),
               lambda row: "income" if int(row["income"]) > int(row["age"]) else "age")
        thresholds("sex")
        outcome = self.run_program("predict", "audit.h5", "--point", "0", "--rows", "new.csv", "--csv", "none.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("new.csv: line 2, column 'sex': the cell must be one of ", outcome.error)

    def test_a_target_comes_back_in_the_unit_of_its_table(self) -> None:
        (self.folder / "fair.ini").write_text(
            "experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = hours\nsensitive = sex\n"
            "features = age\nlabel_divisor = 8\n[split]\nvalidation = 0.4\ntest = 0.2\n[preparation]\n"
            "log1p = hours\nlabel_scaling = zscore\n[regression]\nhalf_atoms = 3\n[base_model]\n"
            "[dp_exact]\nepsilon = 0.1\n", encoding="utf-8")
        self.succeed("run", "fair.ini", "-o", "fair.h5")
        with h5py.File(self.folder / "fair.h5") as file:
            shift, scale, logarithm, divisor = json.loads(
                file["provenance/datasets/fitted"][0])["numbers"]["target_unit"]
        self.assertEqual((logarithm, divisor), (1, 8))

        def own(prepared: float) -> float:
            return 8 * math.expm1(prepared * scale + shift)

        self.succeed("data", "fair.ini", "--csv", "prepared.csv")
        with open(self.folder / "people.csv", encoding="utf-8", newline="") as table, \
                open(self.folder / "prepared.csv", encoding="utf-8", newline="") as prepared:
            for row, made in zip(csv.DictReader(table), csv.DictReader(prepared)):
                self.assertAlmostEqual(own(float(made["label"])), float(row["hours"]), delta=1e-9)
        for task, more in (("0", ()), ("1", ("--draw", "1", "--atoms"))):
            self.succeed("predict", "fair.h5", "--task", task, "--rows", "people.csv", "--csv", f"{task}.csv", *more)
            with open(self.folder / f"{task}.csv", encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    expected = own(float(row["prediction"]))
                    if task == "1":
                        pi = [(own(float(name.removeprefix("probability_of_"))), float(value))
                              for name, value in row.items() if name.startswith("probability_of_")]
                        expected = sum(atom * p for atom, p in pi)
                        self.assertAlmostEqual(float(row["drawn_in_own_unit"]), own(float(row["drawn"])), delta=1e-9)
                    self.assertAlmostEqual(float(row["prediction_in_own_unit"]), expected, delta=1e-9)

    def test_draws_are_those_of_the_seed(self) -> None:
        (self.folder / "fair.ini").write_text(
            "experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = hours\nsensitive = sex\n"
            "features = age\n[split]\nvalidation = 0.4\ntest = 0.2\n[regression]\nhalf_atoms = 3\n"
            "[dp_exact]\nepsilon = 0.1\n", encoding="utf-8")
        self.succeed("run", "fair.ini", "-o", "fair.h5")

        def table(name: str, seed: str) -> list[dict[str, str]]:
            self.succeed("predict", "fair.h5", "--rows", "people.csv", "--csv", name, "--draw", seed, "--atoms")
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))

        first, again, other = table("a.csv", "1"), table("b.csv", "1"), table("c.csv", "2")
        self.assertEqual(first, again)
        self.assertNotEqual([row["drawn"] for row in first], [row["drawn"] for row in other])
        for row in first:
            pi = {name.removeprefix("probability_of_"): float(value) for name, value in row.items()
                  if name.startswith("probability_of_")}
            self.assertAlmostEqual(sum(pi.values()), 1, delta=1e-12)
            self.assertGreater(pi[row["drawn"]], 0)
            self.assertAlmostEqual(sum(p * float(atom) for atom, p in pi.items()), float(row["prediction"]),
                                   delta=1e-9)

    def test_clusters_are_those_of_the_nearest_centre(self) -> None:
        self.make_archive()
        self.succeed("predict", "result.h5", "--point", "0", "--rows", "people.csv", "--csv", "out.csv")
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 60)
        self.assertEqual({row["cluster"] for row in rows}, {"0", "1", "2"})

    def test_an_audit_has_no_model(self) -> None:
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = region\n"
            "sensitive = sex\n[predictions]\nscore = age\n[measures]\nparts = all\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        outcome = self.run_program("predict", "audit.h5", "--rows", "people.csv", "--csv", "out.csv")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("task 0 has no model: [measures] of the experiment predictions leaves none", outcome.error)


class Balance(ProgramTest):
    """--balance: clusters of the cheapest assignment of all rows within a balance."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(11)
        self.rows = [[f"p{i}", str(draw.randint(0, 60) + (40 if sex == "m" else 0)), str(draw.randint(0, 90)), sex]
                     for i, sex in enumerate(draw.choices("fm", k=400))]
        self.write("people.csv", self.rows)
        (self.folder / "clusters.ini").write_text(
            "experiment = clustering\n[data]\ndata = csv\nfile = people.csv\nsensitive = sex\n"
            "features = age, income\n[preparation]\nscaling = none\n[clustering]\nclusters = 3\n[lloyd]\n",
            encoding="utf-8")
        self.succeed("run", "clusters.ini", "-o", "clusters.h5")
        with h5py.File(self.folder / "clusters.h5") as file:
            self.centres = file["solutions/centres/values"][:6].reshape(3, 2)

    def write(self, name: str, rows: list[list[str]]) -> None:
        with open(self.folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["id", "age", "income", "sex"], *rows])

    def squares(self, row: list[str]) -> list[float]:
        return [(float(row[1]) - a) ** 2 + (float(row[2]) - b) ** 2 for a, b in self.centres]

    @staticmethod
    def balance(clusters: list[int], sexes: list[str]) -> float:
        counts = [[sum(k == mine and sex == s for mine, s in zip(clusters, sexes)) for sex in "fm"] for k in range(3)]
        return min(min(two) / max(max(two), 1) for two in counts)

    def predict(self, rows: str, out: str, *more: str) -> tuple[list[dict[str, str]], str]:
        """The rows that are written, and what the command says on its standard error."""
        outcome = self.run_program("predict", "clusters.h5", "--rows", rows, "--csv", out, *more)
        self.assertEqual(outcome.codes, [0], outcome.error)
        with open(self.folder / out, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), outcome.error

    def test_no_labels_within_the_balance_are_cheaper(self) -> None:
        for number, begin in enumerate(range(0, 100, 20)):
            rows = self.rows[begin:begin + 9]
            sexes = [row[3] for row in rows]
            self.write("few.csv", rows)
            squares = [self.squares(row) for row in rows]
            mean = {labels: sum(of_row[k] for of_row, k in zip(squares, labels)) / 9
                    for labels in itertools.product(range(3), repeat=9) if self.balance(labels, sexes) >= 0.5}
            if not mean:
                error = self.refused("--rows", "few.csv", "--balance", "0.5")
                self.assertIn("no assignment", error)
                continue
            found, said = self.predict("few.csv", f"few{number}.csv", "--balance", "0.5")
            self.assertAlmostEqual(mean[tuple(int(row["cluster"]) for row in found)], min(mean.values()), delta=1e-9)
            facts = dict(part.rsplit(" ", 1) for part in said.strip().split("; ", 1)[1].replace("; ", ", ").split(", "))
            self.assertAlmostEqual(float(facts["cost"]), min(mean.values()), delta=1e-6)
            self.assertLess(float(facts["gap"]), 1e-9)
            self.assertGreaterEqual(float(facts["balance"]), 0.5)
            for row, of_row in zip(found, squares):
                self.assertAlmostEqual(float(row["distance"]), math.sqrt(of_row[int(row["cluster"])]), delta=1e-9)
        self.assertGreaterEqual(len(list(self.folder.glob("few?.csv"))), 2)

    def test_all_rows_are_assigned_together_and_the_same_way_from_a_stream(self) -> None:
        nearest, _ = self.predict("people.csv", "nearest.csv", "--keep", "sex")
        sexes = [row["sex"] for row in nearest]
        before = self.balance([int(row["cluster"]) for row in nearest], sexes)
        self.assertLess(before, 0.6)
        found, said = self.predict("people.csv", "balanced.csv", "--keep", "sex", "--balance", "0.6")
        self.assertEqual([row["sex"] for row in found], sexes)
        self.assertGreaterEqual(self.balance([int(row["cluster"]) for row in found], sexes), 0.6)
        self.assertIn("400 rows; balance 0.6", said)
        streamed = subprocess.run(
            [PROGRAM, "predict", "clusters.h5", "--rows", "-", "--csv", "-", "--keep", "sex", "--balance", "0.6"],
            input=(self.folder / "people.csv").read_bytes(), capture_output=True, cwd=self.folder, env=environment(),
            timeout=120, check=True)
        self.assertEqual(streamed.stdout, (self.folder / "balanced.csv").read_bytes())
        self.predict("people.csv", "named.csv", "--keep", "sex", "--balance", "0.6", "--group", "sex")
        self.assertEqual((self.folder / "named.csv").read_bytes(), streamed.stdout)
        self.write("none-yet.csv", [])
        found, said = self.predict("none-yet.csv", "still-none.csv", "--balance", "0.6")
        self.assertEqual(found, [])
        self.assertIn("0 rows", said)
        self.assertNotIn("balance", said)  # no cluster has one
        for number, balance in enumerate(("0", repr(before))):
            self.predict("people.csv", f"same{number}.csv", "--keep", "sex", "--balance", balance)
            self.assertEqual((self.folder / f"same{number}.csv").read_bytes(),
                             (self.folder / "nearest.csv").read_bytes())

    def test_until_it_is_proven_the_search_goes_on(self) -> None:
        """Levels of ten clusters, few rows each, which the search proves soon: the same as with limits."""
        draw = random.Random(5)
        centres = [(draw.uniform(0, 90), draw.uniform(0, 90)) for _ in range(10)]
        self.write("spread.csv", [[f"p{i}", *(f"{draw.gauss(x, 12):.3f}" for x in draw.choice(centres)), sex]
                                  for i, sex in enumerate(draw.choices("fm", k=300))])
        (self.folder / "ten.ini").write_text(
            "experiment = clustering\n[data]\ndata = csv\nfile = spread.csv\nsensitive = sex\n"
            "features = age, income\n[preparation]\nscaling = none\n[clustering]\nclusters = 10\n[lloyd]\n",
            encoding="utf-8")
        self.succeed("run", "ten.ini", "-o", "ten.h5")
        told = []
        for name, more in (("limited.csv", ()), ("proven.csv", ("--until-proven",))):
            outcome = self.run_program("predict", "ten.h5", "--rows", "spread.csv", "--csv", name, "--balance", "0.7", *more)
            self.assertEqual(outcome.codes, [0], outcome.error)
            told.append(outcome.error)
        self.assertEqual((self.folder / "limited.csv").read_bytes(), (self.folder / "proven.csv").read_bytes())
        self.assertEqual(told[0], told[1])  # over before the first 30 s
        self.assertLess(float(told[1].rsplit(" ", 1)[1]), 1e-9)

    def refused(self, *more: str) -> str:
        outcome = self.run_program("predict", "clusters.h5", "--csv", "none.csv", *more)
        self.assertEqual(outcome.codes, [2], outcome.error)
        self.assertFalse((self.folder / "none.csv").exists())
        return outcome.error

    def test_what_cannot_be_is_told_and_nothing_is_written(self) -> None:
        men = [row for row in self.rows if row[3] == "m"][:9]
        women = [row for row in self.rows if row[3] == "f"][:4]
        self.write("few.csv", men + women)
        self.assertIn("which allow 0.444444 at most", self.refused("--rows", "few.csv", "--balance", "0.5"))
        self.write("fewer.csv", men[:3] + women[:2])
        self.assertIn("each of the 3 clusters needs a row of every group",
                      self.refused("--rows", "fewer.csv", "--balance", "0.2"))
        self.assertIn("predict: --until-proven is of the search behind --balance B, which is not asked for",
                      self.refused("--rows", "few.csv", "--until-proven"))
        for wrong in ("-0.1", "1.1", "nan"):
            self.assertIn(f"--balance = '{wrong}', must be a number in [0, 1]", self.refused("--rows", "few.csv", f"--balance={wrong}"))
        with open(self.folder / "nobody.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["age", "income"], *(row[1:3] for row in men)])
        self.assertIn("no column 'sex'", self.refused("--rows", "nobody.csv", "--balance", "0.2"))

    def test_it_is_of_clusters(self) -> None:
        (self.folder / "fair.ini").write_text(
            "experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = income\nsensitive = sex\n"
            "features = age\n[split]\nvalidation = 0.4\ntest = 0.2\n[regression]\nhalf_atoms = 3\n[base_model]\n",
            encoding="utf-8")
        self.succeed("run", "fair.ini", "-o", "fair.h5")
        outcome = self.run_program("predict", "fair.h5", "--rows", "people.csv", "--csv", "none.csv", "--balance", "0.5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("--balance is of clusters, and the model of 'fair.h5' has none", outcome.error)


if __name__ == "__main__":
    unittest.main()
