"""A log line is never worth a run: streams that are closed, full, or whose reader is gone or asleep."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, TIME_LIMIT, ProgramTest, environment, results_sha256

RUN = ("run", "config.ini", "-o", "result.h5")


class Streams(ProgramTest):
    def shell(self, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the program by a shell that redirects its streams."""
        command = ["timeout", "-k", "5", str(TIME_LIMIT), "bash", "-c",
                   f'"$@" {redirection}', "bash", PROGRAM, *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment(), capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)

    def test_a_run_does_not_need_its_streams(self) -> None:
        self.write_config({".seed": "1..20"})
        expected = results_sha256(self.make_archive("expected.h5"))
        for redirection in ("2>&-", "2>/dev/full", "2> >(true)", ">&-", "> >(true)",
                            "<&- >&- 2>&-", ">/dev/full 2>/dev/full"):
            with self.subTest(redirection):
                result = self.shell(redirection, *RUN)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(results_sha256(self.folder / "result.h5"), expected)
                self.assertFalse((self.folder / "result.h5.journal").exists())
                (self.folder / "result.h5").unlink()

    def test_ranks_do_not_need_theirs(self) -> None:
        expected = results_sha256(self.make_archive("expected.h5"))
        for redirection in ("2>&-", "2>/dev/full", ">&- 2>&-"):
            with self.subTest(redirection):
                outcome = self.run_program(*RUN, ranks=2,
                                           prefix=("sh", "-c", f'"$@" {redirection}', "sh"))
                self.assertEqual(outcome.codes, [0, 0], outcome.error)
                self.assertEqual(results_sha256(self.folder / "result.h5"), expected)
                (self.folder / "result.h5").unlink()

    def test_other_commands_that_leave_files_neither(self) -> None:
        self.make_archive()
        for redirection in (">&- 2>&-", ">/dev/full"):
            for arguments in (("merge", "result.h5", "-o", "new"), ("replay", "result.h5"),
                              ("data", "config.ini", "--csv", "new"),
                              ("export", "result.h5", "--csv", "new")):
                with self.subTest(redirection, arguments=arguments):
                    result = self.shell(redirection, *arguments)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    new = self.folder / "new"
                    if new.is_dir():
                        self.assertTrue((new / "tasks.csv").exists())
                        for table in new.iterdir():
                            table.unlink()
                        new.rmdir()
                    new.unlink(missing_ok=True)

    def test_results_that_do_not_arrive_are_an_error(self) -> None:
        self.make_archive()
        for arguments in (("show", "result.h5", "--points", "0"), ("plan", "config.ini"),
                          ("list", "datasets"), ("status", "result.h5"), ("verify", "result.h5"),
                          ("diff", "result.h5", "result.h5"), ("--help",)):
            for redirection, reason in ((">/dev/full", "No space left"), (">&-", "Bad file")):
                with self.subTest(redirection, arguments=arguments):
                    result = self.shell(redirection, *arguments)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    self.assertIn(reason, result.stderr)

    def test_a_reader_that_has_seen_enough_is_none(self) -> None:
        self.make_archive()
        for arguments in (("show", "result.h5", "--points", "0"), ("list", "solvers")):
            result = self.shell("| head -n 1; exit ${PIPESTATUS[0]}", *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_code_of_an_error_does_not_depend_on_them(self) -> None:
        for redirection in ("2>&-", "2>/dev/full", ">&- 2>&-"):
            for code, arguments in ((2, ("run", "nowhere.ini")), (2, ("shwo",)),
                                    (4, ("verify", "people.csv"))):
                with self.subTest(redirection, arguments=arguments):
                    self.assertEqual(self.shell(redirection, *arguments).returncode, code)

    def test_a_closed_descriptor_is_not_given_to_a_file_of_the_run(self) -> None:
        """Its log lines would go into the journal or the archive."""
        self.write_config({".seed": "1..300"})
        result = self.shell("2>&-", *RUN, "--time-limit", "0:01", "--set", "safairkm_front.iterations=2000")
        journal = self.folder / "result.h5.journal"
        self.assertEqual(result.returncode, 3, result.stderr)
        for path in journal.iterdir():
            self.assertNotIn(b"tasks,", path.read_bytes(), path.name)

    def test_a_reader_that_sleeps_does_not_hold_up_the_run(self) -> None:
        self.write_config({".seed": "1..40"})
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        os.set_blocking(write_end, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(write_end, b"x" * 4096)
        os.set_blocking(write_end, True)
        with subprocess.Popen([PROGRAM, *RUN], cwd=self.folder, env=environment(),
                              stdout=subprocess.DEVNULL, stderr=write_end) as process:
            os.close(write_end)
            self.addCleanup(process.kill)
            self.assertEqual(process.wait(TIME_LIMIT), 0)
        self.assertTrue((self.folder / "result.h5").exists())


class LargeFiles(ProgramTest):
    """Who waits for a large file is told why: runs were mute until their first task."""

    def setUp(self) -> None:
        super().setUp()
        rows = "".join(f"{'fm'[i % 2]},{i % 3 // 2},{i % 100 / 100}\n" for i in range(1000))
        (self.folder / "large.csv").write_text("sex,y,score\n" + rows * 1500, encoding="utf-8")
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = large.csv\nlabel = y\nsensitive = sex\n[split]\n"
            "validation = 0.4\ntest = 0.6\n[predictions]\nscore = score\n[measures]\nintervals = none\n", encoding="utf-8")

    def stopped_while_it_reads(self, *arguments: str) -> list[str]:
        """Lines of the standard error of a command that cannot go on for more than two seconds in the middle of the file."""
        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            self.addCleanup(process.kill)
            self.wait_until_it_reads(process)
            process.send_signal(signal.SIGSTOP)
            time.sleep(2.5)
            process.send_signal(signal.SIGCONT)
            _, errors = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 0, errors)
        return errors.splitlines()

    def wait_until_it_reads(self, process: subprocess.Popen[str]) -> None:
        descriptors = pathlib.Path(f"/proc/{process.pid}/fd")
        for _ in range(100 * TIME_LIMIT):
            for descriptor in descriptors.iterdir():
                with contextlib.suppress(OSError):
                    place = pathlib.Path(f"/proc/{process.pid}/fdinfo/{descriptor.name}").read_text(encoding="ascii")
                    if descriptor.readlink().name == "large.csv" and int(place.split()[1]) > 1_000_000:
                        return
            self.assertIsNone(process.poll(), "it has read the file unseen")
            time.sleep(0.01)
        self.fail("it does not read the file")

    def test_a_file_that_takes_more_than_two_seconds_is_named(self) -> None:
        for command in (["run", "audit.ini", "-o", "a.h5"], ["plan", "audit.ini"], ["init", "large.csv"]):
            with self.subTest(command[0]):
                said = [line for line in self.stopped_while_it_reads(*command) if "reading" in line]
                self.assertRegex("\n".join(said), r"^fairfront: reading (.*/)?large\.csv$")

    def test_nothing_is_said_of_it_where_a_run_is_to_be_quiet(self) -> None:
        self.assertEqual(self.stopped_while_it_reads("run", "audit.ini", "-o", "a.h5", "--quiet"), [])


class Stops(ProgramTest):
    """Signals are answered at once, and end a run in order from its first line on."""

    ENDLESS = ("alternating.ini", "-o", "result.h5")

    def setUp(self) -> None:
        super().setUp()
        text = ("experiment = alternating\nseed = 1..100\n[alternating]\nproblem = sp1\nn_total = 20\n"
                "iterations = 100000\n[sa2gd]\nstep = 1e-2\nn_a = 0..20\n")
        (self.folder / "alternating.ini").write_text(text, encoding="utf-8")

    def stop(self, *numbers: int, after: float, prefix: tuple[str, ...] = (),
             command: str = "run") -> tuple[int, str, float]:
        """Exit code, the standard error, and the seconds until the end."""
        errors = (self.folder / "errors").open("w+", encoding="utf-8")
        self.addCleanup(errors.close)
        with subprocess.Popen([*prefix, PROGRAM, command, *self.ENDLESS], cwd=self.folder,
                              env=environment(), stdout=subprocess.DEVNULL, stderr=errors) as process:
            self.addCleanup(process.kill)
            self.wait_until_it_listens(process, numbers[-1])
            time.sleep(after)
            for number in numbers:
                process.send_signal(number)
                begin = time.monotonic()
                time.sleep(0.01)
            code = process.wait(TIME_LIMIT)
        errors.seek(0)
        return code, errors.read(), time.monotonic() - begin

    def wait_until_it_listens(self, process: subprocess.Popen[bytes], number: int) -> None:
        """A busy machine may take long to load the program, which a signal then ends."""
        deadline = time.monotonic() + TIME_LIMIT
        while time.monotonic() < deadline and process.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
            if int(caught, 16) >> (number - 1) & 1:
                return
            time.sleep(0.005)
        self.fail("the program does not listen to signals")

    def test_every_stop_signal_ends_a_run_in_order(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
                       signal.SIGXCPU):
            for after in (0.1, 1.0) if number == signal.SIGTERM else (0.1,):
                with self.subTest(number, after=after):
                    code, errors, seconds = self.stop(number, after=after)
                    self.assertEqual(code, 3, errors)
                    self.assertIn(f"fairfront: {number.name}: ", errors)
                    self.assertIn("exit code 3", errors)
                    self.assertIn("go on with --resume", errors)
                    self.assertLess(seconds, 10)
                    shutil.rmtree(self.folder / "result.h5.journal", ignore_errors=True)

    def test_a_signal_that_comes_twice_at_once_is_one(self) -> None:
        code, errors, _ = self.stop(signal.SIGINT, signal.SIGINT, signal.SIGTERM, after=1.0)
        self.assertEqual(code, 3, errors)
        self.assertEqual(errors.count("fairfront: SIG"), 1, errors)
        self.assertIn("interrupted with", errors)

    def test_a_later_second_interrupt_ends_at_once_and_says_so(self) -> None:
        errors = self.folder / "errors"
        with (errors.open("w") as file,
              subprocess.Popen([PROGRAM, "run", *self.ENDLESS], cwd=self.folder, env=environment(),
                               stdout=subprocess.DEVNULL, stderr=file) as process):
            self.addCleanup(process.kill)
            time.sleep(1)
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            while "SIGINT: " not in errors.read_text():  # then it has answered, but not yet ended
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGSTOP)
                time.sleep(0.01)
            time.sleep(2.5)  # a launcher may send one signal twice, but not so far apart
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            self.assertEqual(process.wait(TIME_LIMIT), 3)
        said = errors.read_text()
        self.assertIn("fairfront: SIGINT again: ends at once, what the journal holds is kept\n", said)
        self.assertNotIn("interrupted with", said)

    def test_nohup_is_respected(self) -> None:
        code, errors, _ = self.stop(signal.SIGHUP, signal.SIGTERM, after=1.0,
                                    prefix=("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"))
        self.assertEqual(code, 3, errors)
        self.assertIn("SIGTERM: ", errors)

    def test_commands_that_run_nothing_end_by_the_signal(self) -> None:
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen([PROGRAM, "plan", "pipe"], cwd=self.folder, env=environment(),
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            self.assertIn(process.wait(TIME_LIMIT), (-signal.SIGTERM, 2))

    def test_a_run_that_waits_for_its_config_ends_at_once(self) -> None:
        os.mkfifo(self.folder / "pipe")
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                code, errors, seconds = self.stop_waiting(ranks)
                self.assertEqual(code, 3, errors)
                self.assertIn("interrupted before the first task", errors)
                self.assertLess(seconds, 5)  # a pipe is given up after ten

    def stop_waiting(self, ranks: int) -> tuple[int, str, float]:
        launcher = () if ranks == 1 else ("mpirun", "-n", str(ranks))
        with subprocess.Popen([*launcher, PROGRAM, "run", "pipe"], cwd=self.folder,
                              env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            self.addCleanup(process.kill)
            time.sleep(1 if ranks == 1 else 3)
            begin = time.monotonic()
            # Open MPI's mpirun passes SIGUSR1 on to its processes as it is.
            process.send_signal(signal.SIGTERM if ranks == 1 else signal.SIGUSR1)
            _, errors = process.communicate(timeout=TIME_LIMIT)
            return process.returncode, errors, time.monotonic() - begin


if __name__ == "__main__":
    unittest.main()
