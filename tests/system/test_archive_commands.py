"""status, replay, diff, merge, export; slices, and archives that are continued."""

from __future__ import annotations

import csv
import gzip
import re
import shutil
import subprocess
import unittest

import h5py

from program import (MPIEXEC, PROGRAM, TIME_LIMIT, ProgramTest, digest, environment, people,
                     results_sha256)

NO_TIME = {"SLURM_JOB_END_TIME": "1"}  # the job has ended: no task is begun


class Slices(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({".seed": "1..5"})

    def make_slices(self, count: int) -> list[str]:
        names = [f"slice-{i}.h5" for i in range(count)]
        for i, name in enumerate(names):
            self.succeed("run", "config.ini", "-o", name, "--slice", f"{i}/{count}",
                         ranks=1 + i % 3)
        return names

    def test_they_merge_to_the_results_of_one_run(self) -> None:
        whole = self.make_archive(ranks=2)
        self.succeed("merge", *self.make_slices(3), "-o", "merged.h5")
        merged = self.folder / "merged.h5"
        self.assertEqual(digest(merged), digest(whole))
        self.assertEqual(results_sha256(merged), results_sha256(whole))
        self.succeed("verify", "merged.h5")
        self.succeed("diff", "merged.h5", "result.h5")

    def test_a_slice_says_that_it_is_a_part(self) -> None:
        name = self.make_slices(3)[0]
        with h5py.File(self.folder / name) as file:
            self.assertEqual(file.attrs["status"], b"partial")
            self.assertEqual(list(file["tasks/status"]), [1, 0, 0, 1, 0])
        self.assertIn("partial", self.succeed("verify", name))
        self.assertIn("2 tasks done, 0 failed, 3 missing", self.succeed("status", name))

    def test_overlapping_parts_merge_and_contradicting_ones_do_not(self) -> None:
        self.make_archive()
        name = self.make_slices(3)[1]
        self.succeed("merge", "result.h5", name, "-o", "merged.h5")
        self.assertEqual(digest(self.folder / "merged.h5"), digest(self.folder / "result.h5"))
        self.write_config({".seed": "1..5", "clustering.clusters": "2"})
        self.make_archive("other.h5")
        outcome = self.run_program("merge", "result.h5", "other.h5", "-o", "wrong.h5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("clustering.clusters", outcome.error)
        self.assertFalse((self.folder / "wrong.h5").exists())

    def test_a_slice_is_finished_by_a_run_without_slices(self) -> None:
        whole = self.make_archive()
        name = self.make_slices(3)[2]
        self.succeed("run", "config.ini", "-o", name, "--resume", ranks=2)
        self.assertEqual(digest(self.folder / name), digest(whole))

    def test_wrong_slices_are_refused(self) -> None:
        for text in ("3/3", "-1/3", "1", "a/b", "0/0", "1/2/3"):
            with self.subTest(text):
                outcome = self.run_program("run", "config.ini", "--slice", text, ranks=2)
                self.assertEqual(outcome.codes, [2, 2])
                self.assertIn("--slice", outcome.error)


class Continued(ProgramTest):
    def test_a_finished_archive_has_nothing_to_do(self) -> None:
        before = self.make_archive().read_bytes()
        self.assertIn("nothing to do", self.succeed("run", "config.ini", "-o", "result.h5",
                                                    "--resume", ranks=2))
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)

    def test_a_finished_archive_of_other_data_is_told_as_an_unfinished_one_is(self) -> None:
        self.write_config({"safairkm_front.seed": None, "seed": "1..3"})
        before = self.make_archive().read_bytes()
        self.succeed("run", "config.ini", "-o", "slice.h5", "--slice", "0/3")
        table = people()
        table[1][0] = "99"
        self.write_people(table)
        told = []
        for name in ("result.h5", "slice.h5"):
            outcome = self.run_program("run", "config.ini", "-o", name, "--resume", ranks=2)
            self.assertEqual(outcome.codes, [2, 2], outcome.error)
            told += re.findall("another sweep: (data set .*: SHA-256 of file 1: .* here)",
                               outcome.error)
        self.assertEqual(len(told), 2, told)
        self.assertEqual(told[0], told[1])
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--extend", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("not one of this sweep any more", outcome.error)
        (self.folder / "people.csv").unlink()
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--resume", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("people.csv", outcome.error)
        self.assertEqual((self.folder / "result.h5").read_bytes(), before)

    def test_a_finished_archive_is_extended(self) -> None:
        path = self.make_archive()
        self.write_config({".seed": "1..4"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--resume")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("seed", outcome.error)
        self.succeed("run", "config.ini", "-o", "result.h5", "--extend", ranks=2)
        whole = self.make_archive("whole.h5")
        self.assertEqual(digest(path), digest(whole))
        with h5py.File(path) as file:
            attempts = list(file["timing/attempt"])
        self.assertEqual(attempts[0], 1, "the task that was there must not run again")

    def test_failed_tasks_decide_the_code_of_every_command_that_leaves_the_archive(self) -> None:
        self.write_alternating("0, 5, 30")  # 30 is more than n_total allows
        command = ("run", "alternating.ini", "-o", "result.h5")
        for arguments in ((), ("--resume",), ("--resume", "--retry-failed"), ("--force",)):
            for ranks in (None, 2):
                with self.subTest(arguments, ranks=ranks):
                    (self.folder / "result.h5").unlink() if not arguments and ranks else None
                    outcome = self.run_program(*command, *arguments, ranks=ranks)
                    self.assertEqual(set(outcome.codes), {1}, outcome.error)
        self.assertIn("1 tasks failed", self.run_program(*command, "--resume").out)
        outcome = self.run_program(*command, "--resume", "--slice", "0/3")
        self.assertEqual(outcome.codes, [1], "the archive has failures, the slice has none")
        outcome = self.run_program("merge", "result.h5", "-o", "merged.h5")
        self.assertEqual(outcome.codes, [1], outcome.error)
        self.succeed("verify", "merged.h5")

    def write_alternating(self, n_a: str) -> None:
        text = ("experiment = alternating\n[alternating]\nproblem = sp1\nn_total = 20\n"
                f"iterations = 30\n[sa2gd]\nstep = 1e-2\nn_a = {n_a}\n")
        (self.folder / "alternating.ini").write_text(text, encoding="utf-8")

    def test_an_axis_that_lost_a_value_is_refused(self) -> None:
        self.write_config({".seed": "1, 2"})
        before = self.make_archive().read_bytes()
        self.write_config({".seed": "2, 3"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--extend", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("lost a value", outcome.error)
        self.assertEqual(self.files()["result.h5"], before)
        self.assertFalse((self.folder / "result.h5.journal").exists())


class Replay(ProgramTest):
    def test_every_bit_comes_out_again_on_any_number_of_ranks(self) -> None:
        self.write_config({".seed": "1..3"})
        path = self.make_archive(ranks=2)
        for ranks in (None, 3):
            text = self.succeed("replay", "result.h5", "-q", ranks=ranks)
            self.assertIn("3 tasks replayed, every bit is the same", text)
            self.assertIn(digest(path), text)
        self.assertEqual({p.name for p in self.folder.iterdir()},
                         {"config.ini", "people.csv", "result.h5"})

    def test_values_with_any_bytes_are_replayed(self) -> None:
        table = (self.folder / "people.csv").read_text(encoding="utf-8")
        for name in ("people (1.csv", "people\n1, (a.csv", "1) people.csv"):
            with self.subTest(name):
                (self.folder / name).write_text(table, encoding="utf-8")
                self.succeed("run", "config.ini", "-o", "result.h5", "--force", "-q", "--set",
                             f'data.file="{name}"')
                for ranks in (None, 2):
                    text = self.succeed("replay", "result.h5", "-q", ranks=ranks)
                    self.assertIn("1 tasks replayed, every bit is the same", text)

    def test_an_interrupted_replay_is_gone_on_with_or_discarded_when_asked_for(self) -> None:
        self.write_config({".seed": "1..4"})
        self.make_archive()
        journal = self.folder / "result.h5.replay.journal"
        for flag in ("--resume", "--force"):
            outcome = self.run_program("replay", "result.h5", extra=NO_TIME)
            self.assertEqual(outcome.codes, [3], outcome.error)
            self.assertTrue(journal.exists())
            for ranks in (None, 2):
                outcome = self.run_program("replay", "result.h5", ranks=ranks)
                self.assertEqual(set(outcome.codes), {2}, outcome.error)
                self.assertIn("--resume", outcome.error)
                self.assertTrue((journal / "header").exists())
            self.assertIn("every bit is the same", self.succeed("replay", "result.h5", flag))
            self.assertFalse(journal.exists())

    def test_the_journal_may_be_elsewhere(self) -> None:
        self.make_archive()
        (self.folder / "work").mkdir()
        arguments = ("replay", "result.h5", "--work-dir", "work")
        self.assertEqual(self.run_program(*arguments, extra=NO_TIME).codes, [3])
        self.assertTrue((self.folder / "work" / "result.h5.replay.journal").exists())
        self.assertIn("every bit", self.succeed(*arguments, "--resume", ranks=2))
        self.assertEqual(list((self.folder / "work").iterdir()), [])

    def test_ranks_on_several_machines_need_a_folder_that_they_share(self) -> None:
        """Where that of the archive may not be written. Namespaces play the machines."""
        self.make_archive()
        read_only = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"'
        namespaces = ("unshare", "--uts", "--mount", "sh", "-c")
        trial = subprocess.run([*namespaces, f"{read_only} && hostname x", self.folder],
                               check=False, capture_output=True)
        if trial.returncode != 0:
            self.skipTest("this process may not make namespaces")
        command = f'{read_only}; hostname "machine$OMPI_COMM_WORLD_RANK"; cd "$0"; exec "$@"'
        for arguments, code in (((), 2), (("--work-dir", "/tmp"), 0)):
            outcome = subprocess.run(
                [MPIEXEC, "-n", "2", *namespaces, command, self.folder, PROGRAM, "replay",
                 "result.h5", *arguments],
                check=False, env=environment(), capture_output=True, text=True, timeout=TIME_LIMIT)
            self.assertEqual(outcome.returncode, code, outcome.stderr)
            if code == 0:
                self.assertIn("every bit is the same", outcome.stdout)
            else:
                for words in ("machine0, machine1", "--work-dir"):
                    self.assertIn(words, outcome.stderr)

    def test_own_files_of_another_machine_are_found_by_name_and_content(self) -> None:
        there = self.folder / "there" / "people.csv"
        there.parent.mkdir()
        (self.folder / "people.csv").rename(there)
        self.write_config({"data.file": str(there)})
        self.make_archive()
        here = self.folder / "here" / "deep"
        here.mkdir(parents=True)
        content = there.read_text(encoding="utf-8")
        there.unlink()
        arguments = ["replay", "result.h5", "--data-dir", "here"]
        for text, words in ((None, [f"there is no '{there}'", "--data-dir"]),
                            (content + "33,1.5,f,north\n", ["people.csv' has the name of", "another content"])):
            if text is not None:
                (here / "people.csv").write_text(text, encoding="utf-8")
            outcome = self.run_program(*arguments, ranks=2)
            self.assertEqual(outcome.codes, [2, 2])
            for word in words:
                self.assertIn(word, outcome.error)
        (here / "z").mkdir()
        (here / "z" / "people.csv").write_text(content, encoding="utf-8")  # beside the other one
        self.assertIn("every bit is the same", self.succeed(*arguments, ranks=2))
        with gzip.open(here / "people.csv.gz", "wb") as packed:
            packed.write(content.encode())
        shutil.rmtree(here / "z")
        self.assertIn("every bit is the same", self.succeed(*arguments))

    def test_one_task(self) -> None:
        self.write_config({".seed": "1..3"})
        self.make_archive()
        self.assertIn("1 tasks replayed", self.succeed("replay", "result.h5", "--task", "2", "-q"))
        outcome = self.run_program("replay", "result.h5", "--task", "3", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("0 .. 2", outcome.error)

    def test_other_data_are_named(self) -> None:
        self.make_archive()
        table = (self.folder / "people.csv").read_text(encoding="utf-8").splitlines()
        table[1], table[2] = table[2], table[1]
        (self.folder / "people.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
        outcome = self.run_program("replay", "result.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("SHA-256", outcome.error)


class Diff(ProgramTest):
    def test_it_finds_the_tasks_that_only_one_has(self) -> None:
        self.make_archive("a.h5")
        self.write_config({".seed": "1, 2"})
        self.make_archive("b.h5", ranks=2)
        outcome = self.run_program("diff", "a.h5", "b.h5")
        self.assertEqual(outcome.codes, [1])
        self.assertIn("seed", outcome.out)
        self.assertIn("1 tasks equal, 0 differ, 0 only in 'a.h5', 1 only in 'b.h5'", outcome.out)

    def test_archives_of_the_same_results_are_the_same(self) -> None:
        self.make_archive("a.h5")
        self.make_archive("b.h5", ranks=3)
        self.assertIn("the same results", self.succeed("diff", "a.h5", "b.h5"))


class ForeignTexts(ProgramTest):
    """Archives and journals come from anyone: their texts are shown, not obeyed."""

    HOSTILE = "7\x1b[2J\x1b]0;owned\x07\r\u202egnp\u009b31m"

    def assert_inert(self, text: str) -> None:
        for letter in text:
            self.assertTrue(letter.isprintable() or letter in "\n", repr(text))

    def test_nothing_in_an_archive_acts_on_the_terminal(self) -> None:
        outcome = self.run_program("run", "config.ini", "-o", "a.h5",
                                   extra={"SLURM_JOB_ID": self.HOSTILE})
        self.assertEqual(outcome.codes, [0], outcome.error)
        shown = self.succeed("show", "a.h5")
        self.assertIn("owned", shown)
        self.assert_inert(shown)

    def test_nothing_in_a_heartbeat_acts_on_the_terminal(self) -> None:
        self.write_config({".seed": "1..1000", "safairkm_front.iterations": "500"})
        outcome = self.run_program("run", "config.ini", "-o", "a.h5", "--time-limit", "0:01",
                                   extra={"SLURM_JOB_ID": self.HOSTILE})
        self.assertEqual(outcome.codes, [3], outcome.error)
        shown = self.succeed("status", "a.h5")
        self.assertIn("owned", shown)
        self.assert_inert(shown)

    def test_no_cell_of_a_table_is_a_formula(self) -> None:
        table = people()
        table[0][2] = "=1+cmd"
        self.write_people(table)
        self.write_config({"data.sensitive": "=1+cmd"})
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables", "--solutions")
        found = 0
        for path in (self.folder / "tables").iterdir():
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.reader(file):
                    for cell in row:
                        found += cell == "'=1+cmd"
                        if cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
                            float(cell)  # a number, and nothing else
        self.assertGreater(found, 0)


class Export(ProgramTest):
    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / "tables" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_tables_hold_every_number_of_the_archive(self) -> None:
        self.write_config({".seed": "1, 2"})
        path = self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables", "--solutions")
        with h5py.File(path) as file:
            tasks = self.rows("tasks.csv")
            self.assertEqual([row["key"] for row in tasks], list(file["tasks/key"].asstr()))
            self.assertEqual([row["seed"] for row in tasks], ["1", "2"])
            for name, column in file["metrics"].items():
                self.assertEqual([float(row[name]) for row in tasks], list(column))
            points = self.rows("fronts-safairkm_front.csv")
            front = file["fronts/safairkm_front"]
            names = front.attrs["objectives"].astype(str).tolist()
            self.assertEqual([[float(row[name]) for name in names] for row in points],
                             front["points"][()].tolist())
            series = self.rows("series-hypervolume.csv")
            self.assertEqual([float(row["hypervolume"]) for row in series],
                             list(file["series/hypervolume/values"]))
            labels = self.rows("solutions-labels.csv")
            self.assertEqual([int(row["value"]) for row in labels], list(file["solutions/labels/values"]))
        self.assertEqual([(row["solution"], row["task"], int(row["index"])) for row in labels],
                         [(point["solution"], point["task"], k) for point in points for k in range(60)])

    def test_every_row_has_the_columns_of_its_table(self) -> None:
        """Solutions of several lengths were rows of several lengths, which readers shift or refuse."""
        (self.folder / "draws.ini").write_text(
            "experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = shifted\n"
            "[drawn_thresholds]\nslacks = 5\n", encoding="utf-8")
        self.succeed("run", "draws.ini", "-o", "draws.h5")
        self.succeed("export", "draws.h5", "--csv", "tables", "--solutions")
        for path in (self.folder / "tables").iterdir():
            with open(path, newline="", encoding="utf-8") as file:
                self.assertEqual(len({len(row) for row in csv.reader(file)}), 1, path.name)
        found: dict[str, list[float]] = {}
        for row in self.rows("solutions-thresholds.csv"):
            self.assertEqual(int(row["index"]), len(found.setdefault(row["solution"], [])))
            found[row["solution"]].append(float(row["value"]))
        self.assertGreater(len({len(values) for values in found.values()}), 1)
        with h5py.File(self.folder / "draws.h5") as file:
            stored = file["solutions/thresholds"]
            offsets = stored["offsets"][()]
            self.assertEqual(list(found.values()),
                             [stored["values"][begin:end].tolist() for begin, end in zip(offsets, offsets[1:])])

    def test_files_are_not_replaced(self) -> None:
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables")
        outcome = self.run_program("export", "result.h5", "--csv", "tables", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("the folder 'tables' already holds", outcome.error)


class Data(ProgramTest):
    def test_rows_are_those_that_labels_belong_to(self) -> None:
        path = self.make_archive()
        text = self.succeed("data", "config.ini", "--csv", "rows.csv")
        self.assertIn("60 rows, 2 features, 2 groups", text)
        with open(self.folder / "rows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        # The balance of every stored clustering, from its labels and the groups of the rows.
        with h5py.File(path) as file:
            labels = file["solutions/labels/values"][()].reshape(-1, len(rows))
            points = file["fronts/safairkm_front/points"][()]
        for solution, (_, balance) in zip(labels, points):
            counts = [[sum(row["group"] == group for row, label in zip(rows, solution)
                           if label == cluster) for group in ("f", "m")] for cluster in range(3)]
            self.assertEqual(min(min(c) / max(c) for c in counts), balance)

    def test_the_standard_output_takes_the_table_alone(self) -> None:
        self.succeed("data", "config.ini", "--csv", "rows.csv")
        outcome = self.run_program("data", "config.ini", "--csv", "-")
        self.assertEqual(outcome.out, (self.folder / "rows.csv").read_text())
        self.assertIn("standard output: 60 rows, 2 features, 2 groups", outcome.error)
        self.assertIn("rows.csv: 60 rows, 1 feature, 2 groups; ", self.succeed(
            "data", "config.ini", "--set", "data.features=age", "--csv", "one.csv").replace("one.csv", "rows.csv"))
        self.assertFalse((self.folder / "-").exists())

    def test_a_file_is_not_replaced(self) -> None:
        outcome = self.run_program("data", "config.ini", "--csv", "people.csv", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("people.csv", outcome.error)

    def test_a_test_problem_of_closed_form_has_no_rows(self) -> None:
        """Once the default data set was written."""
        (self.folder / "forms.ini").write_text(
            "experiment = alternating\n[data]\ndata = csv\nfile = people.csv\nfeatures = age\n"
            "sensitive = sex\nlabel = region\n[alternating]\nproblem = sp1, data\n[sa2gd]\nn_a = 1\n")
        outcome = self.run_program("data", "forms.ini", "--csv", "rows.csv", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("forms.ini: task 0 has no rows to write: alternating.problem = sp1 reads no data",
                      outcome.error)
        self.assertFalse((self.folder / "rows.csv").exists())
        self.assertIn("60 rows", self.succeed("data", "forms.ini", "--task", "1", "--csv", "rows.csv"))

    def test_a_config_that_reads_no_data_says_so(self) -> None:
        """It was an error, as if a file were missing."""
        (self.folder / "forms.ini").write_text("experiment = alternating\n[alternating]\nproblem = sp1, ff1\n[sa2gd]\nn_a = 1\n")
        said = "forms.ini generates its data and needs no file: alternating.problem = sp1 reads no data. There are no rows to write.\n"
        self.assertEqual(self.succeed("data", "forms.ini", "--csv", "rows.csv"), said)
        self.assertEqual(self.succeed("data", "forms.ini"), said)
        outcome = self.run_program("data", "forms.ini", "--csv", "-", ranks=2)
        self.assertEqual((outcome.codes, outcome.out), ([0, 0], ""))
        self.assertEqual(outcome.error, said)
        self.assertFalse((self.folder / "rows.csv").exists())
        self.assertEqual(self.succeed("data", "forms.ini", "--task", "1"), said)
        for arguments in ((), ("--csv", "rows.csv")):  # it ended with 0
            outcome = self.run_program("data", "forms.ini", "--task", "99999", *arguments)
            self.assertEqual((outcome.codes, outcome.out), ([2], ""))
            self.assertIn("data: --task = 99999, must be in 0 .. 1", outcome.error)


class Status(ProgramTest):
    def test_it_says_that_the_line_of_the_run_is_newer(self) -> None:
        self.assertIn("last sign of life, one every second\n(5 s on a slow file system)", self.succeed("status", "--help"))

    def test_neither_archive_nor_journal(self) -> None:
        outcome = self.run_program("status", "nothing.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("nothing.h5.journal", outcome.error)

    def test_an_interrupted_run_tells_what_is_left(self) -> None:
        # Far more than can be done in the second that the run is given.
        self.write_config({".seed": "1..6", "safairkm_front.iterations": "1000000"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--time-limit", "0:1",
                                   ranks=2)
        self.assertEqual(outcome.codes, [3, 3], outcome.error)
        text = self.succeed("status", "result.h5")
        self.assertIn("tasks    0 done, 0 failed, 6 to do, of 6", text)
        self.assertRegex(text, r"not running since \d+ s")


if __name__ == "__main__":
    unittest.main()
