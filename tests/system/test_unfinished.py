"""Runs that have not ended, and archives that lack tasks: what can be known and read of them."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import MPIEXEC, PROGRAM, TIME_LIMIT, ProgramTest, digest, environment


class Partial(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({".seed": "1..5"})
        self.make_archive("whole.h5")
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", "--slice", "0/2",
                                   extra={"SLURM_JOB_END_TIME": "1"})
        self.assertEqual(outcome.codes, [3], outcome.error)
        # A journal with the first, third and fifth task: as a run leaves it that was cut off.
        self.succeed("run", "config.ini", "-o", "part.h5", "--slice", "0/2")
        outcome = self.run_program("run", "config.ini", "-o", "part.h5", "--resume",
                                   extra={"SLURM_JOB_END_TIME": "1"})
        self.assertEqual(outcome.codes, [3], outcome.error)
        (self.folder / "part.h5").unlink()

    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_show_has_the_tasks_that_are_done(self) -> None:
        outcome = self.run_program("show", "part.h5")
        self.assertEqual(outcome.codes, [2])
        self.assertIn("--partial", outcome.error)
        text = self.succeed("show", "part.h5", "--partial")
        self.assertIn("partial", text.splitlines()[0])
        self.assertEqual([text.count(f"front of task {task} ") for task in range(5)],
                         [1, 0, 1, 0, 1])
        whole = self.succeed("show", "whole.h5")
        front = whole.partition("front of task 2 ")[2].partition("\n\n")[0]
        self.assertIn(front, text)

    def test_export_has_the_numbers_that_the_archive_will_have(self) -> None:
        self.succeed("export", "part.h5", "--csv", "part", "--partial")
        self.succeed("export", "whole.h5", "--csv", "whole")
        volatile = ("started", "seconds", "rank", "attempt")
        part, whole = self.rows("part/tasks.csv"), self.rows("whole/tasks.csv")
        for task, (mine, theirs) in enumerate(zip(part, whole, strict=True)):
            if task % 2 == 0:
                self.assertEqual({k: v for k, v in mine.items() if k not in volatile},
                                 {k: v for k, v in theirs.items() if k not in volatile})
            else:
                self.assertEqual((mine["status"], mine["key"]), ("missing", theirs["key"]))
        points = [row for row in self.rows("whole/fronts-safairkm_front.csv")
                  if int(row["task"]) % 2 == 0]
        self.assertEqual([{**row, "solution": ""} for row in
                          self.rows("part/fronts-safairkm_front.csv")],
                         [{**row, "solution": ""} for row in points])

    def test_an_empty_journal_has_no_results_and_is_no_error(self) -> None:
        text = self.succeed("show", "result.h5", "--partial")
        self.assertNotIn("front of task", text)

    def test_partial_reads_an_archive_where_there_is_no_journal(self) -> None:
        self.assertEqual(self.succeed("show", "whole.h5", "--partial"),
                         self.succeed("show", "whole.h5"))


class ExportedArchive(ProgramTest):
    def test_a_run_that_goes_on_is_not_disturbed_and_what_it_has_done_is_an_archive(self) -> None:
        self.write_config({".seed": "1..4000", "safairkm_front.iterations": "6000"})
        run = subprocess.Popen([PROGRAM, "run", "config.ini", "-o", "part.h5", "--quiet"],
                               cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while self.done() < 2:
            self.assertLess(time.monotonic(), deadline, "no task was done in a minute")
            time.sleep(0.1)
        before = self.done()
        self.succeed("export", "part.h5", "--partial", "--hdf5", "now.h5")
        self.assertIsNone(run.poll(), "the run ended too early for this test")
        text = self.succeed("verify", "now.h5")
        missing = int(re.search(r"sound, partial \((\d+) of 4000 tasks are missing", text)[1])
        self.assertTrue(before <= 4000 - missing < 4000, text)
        outcome = self.run_program("export", "part.h5", "--partial", "--hdf5", "now.h5")
        self.assertEqual(outcome.codes, [2])  # it is there
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 3)
        done = [row["task"] for row in self.tasks("now.h5") if row["status"] == "done"]
        self.succeed("replay", "now.h5", "--task", done[0])  # to the last bit

    def done(self) -> int:
        outcome = self.run_program("status", "part.h5", "--json")
        if outcome.codes != [0]:
            return 0  # there is no journal yet
        (found,) = json.loads(outcome.out)
        return found["journal"]["done"] if found["journal"] else 0

    def tasks(self, archive: str) -> list[dict[str, str]]:
        self.succeed("export", archive, "--csv", "tables")
        with open(self.folder / "tables/tasks.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Config(ProgramTest):
    def test_the_shown_config_runs_to_the_same_digest(self) -> None:
        self.write_config({"clustering.clusters": "2, 3"})
        self.succeed("run", "config.ini", "-o", "result.h5", "--set", "seed=1, 2")
        text = self.succeed("show", "result.h5", "--config")
        (self.folder / "again.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "again.ini", "-o", "again.h5", ranks=2)
        self.assertEqual(digest(self.folder / "again.h5"), digest(self.folder / "result.h5"))
        # Every option stands there, with its default: the same text again.
        self.assertEqual(self.succeed("show", "again.h5", "--config"), text)
        self.assertIn("\niterations = 8\n", text)
        self.assertIn("\nscaling = catalogue\n", text)


class Problems(ProgramTest):
    def test_tables_name_them(self) -> None:
        self.write_config({".seed": "1, 2", "data.sensitive": "sex | region"})
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables")
        with open(self.folder / "tables/tasks.csv", newline="", encoding="utf-8") as file:
            names = [row["problem"] for row in csv.DictReader(file)]
        self.assertEqual(sorted(set(names)), ["data.sensitive=region", "data.sensitive=sex"])

    def test_the_only_problem_has_the_name_of_its_data(self) -> None:
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables")
        with open(self.folder / "tables/tasks.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["problem"] for row in csv.DictReader(file)], ["csv"])


class Verify(ProgramTest):
    def test_a_slice_says_what_is_missing_and_complete_makes_it_an_error(self) -> None:
        self.write_config({".seed": "1..5"})
        self.succeed("run", "config.ini", "-o", "slice.h5", "--slice", "0/3")
        self.assertIn("sound, partial (3 of 5 tasks are missing: 1, 2, 4), digest",
                      self.succeed("verify", "slice.h5"))
        outcome = self.run_program("verify", "slice.h5", "--complete", ranks=2)
        self.assertEqual(outcome.codes, [3, 3])
        self.assertIn("3 of 5 tasks are missing", outcome.error)
        self.succeed("run", "config.ini", "-o", "slice.h5", "--resume")
        text = self.succeed("verify", "slice.h5", "--complete")
        self.assertNotIn("missing", text)


class Progress(ProgramTest):
    """What a person sees while a run goes on."""

    def setUp(self) -> None:
        super().setUp()
        text = ("experiment = alternating\nseed = 1..400\n[alternating]\nproblem = sp1\n"
                "n_total = 20\niterations = 100000\n[sa2gd]\nstep = 1e-2\nn_a = 0..20\n")
        (self.folder / "alternating.ini").write_text(text, encoding="utf-8")

    def watch(self, *prefix: str, columns: int = 60) -> str:
        """All that a terminal of so many columns gets until SIGINT has ended the run."""
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([*prefix, PROGRAM, "run", "alternating.ini", "-o", "result.h5",
                               "--time-limit", "0:04"], cwd=self.folder, env=environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=terminal) as process:
            self.addCleanup(process.kill)
            os.close(terminal)
            text = b""
            while True:
                try:
                    piece = os.read(main, 4096)
                except OSError:  # how Linux tells that the last writer is gone
                    break
                if not piece:
                    break
                text += piece
            self.assertEqual(process.wait(TIME_LIMIT), 3, text)
        return text.decode()

    def test_one_line_is_rewritten_in_place_also_under_mpirun(self) -> None:
        for prefix in ((), (MPIEXEC, "-n", "2")):
            with self.subTest(prefix):
                text = self.watch(*prefix)
                lines = [line for line in re.split(r"[\r\n]+", text) if " tasks, " in line
                         and not line.startswith("fairfront")]
                self.assertGreater(len(lines), 3, text)
                for line in lines:
                    self.assertTrue(line.endswith("\x1b[K"), line)
                    self.assertLess(len(line) - len("\x1b[K"), 60)
                shutil.rmtree(self.folder / "result.h5.journal")

    def test_lines_that_mpirun_marks_are_a_log(self) -> None:
        self.assertNotIn("\x1b[K", self.watch(MPIEXEC, "--tag-output", "-n", "2"))


class Status(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_config({".seed": "1..5"})
        self.make_archive()
        outcome = self.run_program("run", "config.ini", "-o", "cut.h5",
                                   extra={"SLURM_JOB_END_TIME": "1"})
        self.assertEqual(outcome.codes, [3], outcome.error)

    def test_several_have_a_line_each_and_a_sum(self) -> None:
        lines = self.succeed("status", "result.h5", "cut.h5").splitlines()
        self.assertEqual([line.split() for line in lines[1:]],
                         [["result.h5", "complete", "5", "0", "0", "-"],
                          ["cut.h5", "not", "running", "0", "0", "5", "-"],
                          ["all", "5", "0", "5"]])

    def test_one_that_is_not_there_does_not_hide_the_others(self) -> None:
        outcome = self.run_program("status", "nothing.h5", "result.h5", ranks=2)
        self.assertEqual(outcome.codes, [2, 2])
        self.assertIn("result.h5", outcome.out)
        self.assertIn("nothing.h5.journal", outcome.error)

    def test_of_many_that_are_not_there_only_the_first_ones_are_named(self) -> None:
        outcome = self.run_program("status", *[f"nothing{i}.h5" for i in range(200)])
        self.assertEqual(outcome.codes, [2])
        self.assertIn("190 more", outcome.error)
        self.assertLess(len(outcome.error), 4000)

    def test_json_has_numbers_and_null_for_what_is_not_known(self) -> None:
        found = json.loads(self.succeed("status", "--json", "result.h5", "cut.h5"))
        self.assertEqual([one["path"] for one in found], ["result.h5", "cut.h5"])
        archive, journal = found[0]["archive"], found[1]["journal"]
        self.assertEqual(archive, {"status": "complete", "done": 5, "failed": 0, "missing": 0,
                                   "digest": digest(self.folder / "result.h5")})
        self.assertEqual(found[0]["journal"], None)
        self.assertEqual((journal["state"], journal["done"], journal["to_do"], journal["total"]),
                         ("not running", 0, 5, 5))
        self.assertIsNone(journal["seconds_left"])
        self.assertEqual(journal["heartbeat"]["ranks"], 1)

    def test_a_slice_counts_its_own_tasks_beside_results_of_others(self) -> None:
        """24 tasks; one slice is done and half of the other, whose journal holds the results of both."""
        self.write_config({".seed": "1..24"})
        self.succeed("run", "config.ini", "-o", "slice.h5", "--slice", "0/2")
        self.succeed("run", "config.ini", "-o", "other.h5", "--slice", "1/4")
        self.succeed("merge", "slice.h5", "other.h5", "-o", "both.h5")
        outcome = self.run_program("run", "config.ini", "-o", "both.h5", "--slice", "1/2", "--resume",
                                   extra={"SLURM_JOB_END_TIME": "1"})
        self.assertEqual(outcome.codes, [3], outcome.error)
        (found,) = json.loads(self.succeed("status", "both.h5", "--json"))
        journal = found["journal"]
        self.assertEqual({name: journal[name] for name in ("done", "to_do", "total", "of_other_slices")},
                         {"done": 6, "to_do": 6, "total": 12, "of_other_slices": 12})
        self.assertIn("tasks    6 done, 0 failed, 6 to do, of 12; 12 of other slices\n",
                      self.succeed("status", "both.h5"))

    def test_json_names_failed_tasks_and_why(self) -> None:
        text = ("experiment = alternating\n[alternating]\nproblem = sp1\nn_total = 20\n"
                "iterations = 30\n[sa2gd]\nstep = 1e-2\nn_a = 5, 30\n")
        (self.folder / "alternating.ini").write_text(text, encoding="utf-8")
        self.run_program("run", "alternating.ini", "-o", "a.h5")
        outcome = self.run_program("run", "alternating.ini", "-o", "a.h5", "--extend", "--set",
                                   "sa2gd.n_a=5, 30, 7", extra={"SLURM_JOB_END_TIME": "1"})
        self.assertEqual(outcome.codes, [3], outcome.error)
        (found,) = json.loads(self.succeed("status", "a.h5", "--json"))
        (failure,) = found["journal"]["failures"]
        self.assertIn("n_a=30", failure["name"])
        self.assertIn("n_a", failure["message"])


class LongJournal(ProgramTest):
    """Of a run that goes on and has a long journal, the heartbeat says what there is to say."""

    CONFIG = ("experiment = alternating\nseed = 1..120000\n[alternating]\nproblem = sp1\nn_total = 2\n"
              "iterations = 1\n[sa2gd]\nn_a = 1\n")

    def test_status_takes_what_the_run_says_of_itself(self) -> None:
        (self.folder / "many.ini").write_text(self.CONFIG, encoding="utf-8")
        run = subprocess.Popen([PROGRAM, "run", "many.ini", "-o", "many.h5"], cwd=self.folder,
                               env=environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        journal = self.wait_for_the_heartbeat(run)
        self.assertEqual((journal["state"], journal["total"]), ("running", 120000))
        self.assertEqual(journal["done"] + journal["to_do"], 120000)
        self.assertEqual(len(journal["slowest"]), 5)
        self.assertIn("task", journal["slowest"][0]["name"])
        self.assertIsNone(journal["slowest"][0]["key"])
        self.assertIn("as the run said", self.succeed("status", "many.h5"))
        run.send_signal(signal.SIGCONT)
        run.terminate()
        self.assertEqual(run.wait(TIME_LIMIT), 3)
        (found,) = json.loads(self.succeed("status", "many.h5", "--json"))
        self.assertFalse(found["journal"]["by_heartbeat"])
        # It may have been stopped just as it had said so: nothing less than what was said is there.
        self.assertLessEqual(journal["done"], found["journal"]["done"])

    def test_status_watches_until_the_run_has_ended(self) -> None:
        (self.folder / "many.ini").write_text(self.CONFIG.replace("120000", "30000"), encoding="utf-8")
        run = subprocess.Popen([PROGRAM, "run", "many.ini", "-o", "many.h5"], cwd=self.folder,
                               env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.wait_for_the_heartbeat(run)
        run.send_signal(signal.SIGCONT)
        blocks = self.succeed("status", "many.h5", "--watch", "0.2").split("\n\n")
        self.assertEqual(run.wait(TIME_LIMIT), 0)
        self.assertIn("running", blocks[0])
        self.assertGreater(len(blocks), 2)
        self.assertIn("30000 tasks done", self.succeed("status", "many.h5", "--watch", "1"))
        for wrong in ("0", "-1", "nan"):
            outcome = self.run_program("status", "many.h5", "--watch", wrong)
            self.assertEqual(outcome.codes, [2], outcome.error)
            self.assertIn(f"--watch = '{wrong}', must be between 0.1 and 86400 seconds", outcome.error)

    def test_status_waits_for_a_run_that_has_not_begun(self) -> None:
        """It ended with 2, also where the run had made but the folder of its journal."""
        (self.folder / "late.h5.journal").mkdir()
        (self.folder / "late.ini").write_text(self.CONFIG.replace("120000", "2000"), encoding="utf-8")
        watching = subprocess.Popen([PROGRAM, "status", "late.h5", "--watch", "0.1"], cwd=self.folder, text=True,
                                    env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(watching.wait)
        self.addCleanup(watching.kill)
        assert watching.stderr is not None
        self.assertEqual(watching.stderr.readline(), "no run of 'late.h5' has begun; waiting for it (Ctrl-C ends this)\n")
        self.succeed("run", "late.ini", "-o", "late.h5")
        output, error = watching.communicate(timeout=TIME_LIMIT)
        self.assertEqual((watching.returncode, error), (0, ""), output)
        self.assertIn("late.h5", output)
        outcome = self.run_program("status", "never.h5")
        self.assertEqual(outcome.codes, [2])

    def wait_for_the_heartbeat(self, run: subprocess.Popen[bytes]) -> dict:
        """Of the run, which is stopped while it is asked; some tasks have ended."""
        deadline = time.monotonic() + TIME_LIMIT
        while time.monotonic() < deadline:
            time.sleep(1)  # it goes on for longer than it is stopped, on a busy machine, too
            self.assertIsNone(run.poll(), "it ended too soon")
            run.send_signal(signal.SIGSTOP)
            outcome = self.run_program("status", "many.h5", "--json")
            if outcome.codes == [0]:
                journal = json.loads(outcome.out)[0]["journal"]
                if journal and journal["by_heartbeat"] and journal["done"] > 5:
                    return journal
            run.send_signal(signal.SIGCONT)
        self.fail("no heartbeat that speaks of tasks")


if __name__ == "__main__":
    unittest.main()
