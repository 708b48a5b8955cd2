"""SIGTERM and SIGUSR1, limits of time, and clocks that are set."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from fault import (ARCHIVE, COUPLED, MANY, MANY_SLOW, MANY_SLOWER, Fault, FaultTest, Job, comes_true,
                   log_bytes, processes_of, stopped, wait_for)
from program import PROGRAM, environment

ENDLESS = [*MANY, "--set", "alternating.iterations=1000000"]  # half a second a task
# One task of a second or more, with a checkpoint in its first tenth.
LONG_COUPLED = [*COUPLED[:1], "--set", "data=syn_equal_ds1", "--set", "iterations=2000",
                "--checkpoint", "0.1"]
# The same of one rank's.
LADDER = """experiment = clustering
[data]
data = syn_unequal_ds1
[clustering]
clusters = 5
[balance_ladder]
relocations = 3000
"""
# A run of training whose batches a team shares.
SHARED_ROWS = """experiment = training
[data]
data = syn_predictions
[split]
validation = 0.2
test = 0.2
stratify = group_and_label
[model]
hidden = 128, 128
[training]
budget = 400000
trace_points = 2
[certified_training]
batch = 600
delta = 0.05
"""
ENDLESS_COUPLED = [*COUPLED, "--set", "safairkm_front.iterations=100000"]
INTERRUPTED = 3


class Signals(FaultTest):
    def interrupt(self, config: list[str], number: int, rank: int | None, ranks: int,
                  grace: int = 0) -> tuple[int, str]:
        """Sends a signal in the middle of a run, to one rank or (None) to the launcher."""
        with self.launched(config, "--resume", ranks=ranks, grace=grace) as job:
            before = log_bytes(self.journal)
            self.assertTrue(wait_for(lambda: log_bytes(self.journal) > before + 1000, job))
            self.send(job, number, rank)
            return job.wait(), job.errors()

    def send(self, job: Job, number: int, rank: int | None) -> None:
        job.send(number, job.process.pid if rank is None else job.ranks()[rank])

    def assert_interrupted(self, code: int, errors: str) -> None:
        self.assertEqual(code, INTERRUPTED, errors)
        self.assertEqual(errors.count("fairfront: interrupted with"), 1, errors)
        self.assertIn("go on with --resume", errors)

    def test_one_rank_or_the_launcher_gets_a_signal(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        for number in (signal.SIGTERM, signal.SIGUSR1):
            for rank in (0, 2) if number == signal.SIGTERM else (0, 2, None):
                with self.subTest(number, rank=rank):
                    self.begin_anew()
                    code, errors = self.interrupt(MANY_SLOW, number, rank, ranks=3)
                    self.assert_interrupted(code, errors)
                    self.assert_resumable(MANY_SLOW, expected)

    def test_the_launcher_ends_its_ranks_in_its_own_way(self) -> None:
        """Open MPI's passes SIGTERM on after a second, kills after another, and returns 1."""
        expected = self.uninterrupted(MANY_SLOWER)
        code, errors = self.interrupt(MANY_SLOWER, signal.SIGTERM, None, ranks=2, grace=1)
        self.assertNotEqual(code, 0, errors)
        self.assert_resumable(MANY_SLOWER, expected)

    def assert_resumable(self, config: list[str], expected: tuple[str, str]) -> None:
        self.assertGreater(len(self.recorded()), 0)
        self.assertFalse(self.archive.exists())
        self.assert_resumes(config, expected, ranks=2)

    def test_a_rank_ends_with_its_launcher_and_a_program_of_its_own_does_not(self) -> None:
        """A launcher that only starts it: no MPI tells the rank of its end."""
        launcher = "import subprocess, sys; subprocess.run(sys.argv[1:])"
        for rank in ("0", None):
            self.begin_anew()
            variables = environment({} if rank is None else {"PMI_RANK": rank})
            with subprocess.Popen([sys.executable, "-c", launcher, PROGRAM, "run", *ENDLESS, "-o", ARCHIVE],
                                  cwd=self.folder, env=variables, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True) as process:
                try:
                    self.assertTrue(comes_true(lambda: log_bytes(self.journal) > 0))
                    process.kill()
                    process.wait()
                    if rank is None:
                        time.sleep(0.5)
                        self.assertEqual(len(processes_of(process.pid)), 1)
                    else:
                        self.assertTrue(comes_true(lambda: not processes_of(process.pid)))
                finally:
                    for left in processes_of(process.pid):
                        os.kill(left, signal.SIGKILL)

    def test_again_and_again_until_the_sweep_is_done(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        for ranks in (2, 4, 1):
            before = self.recorded()
            code, errors = self.interrupt(MANY_SLOW, signal.SIGUSR1, ranks - 1, ranks)
            self.assert_interrupted(code, errors)
            self.assert_kept(before)
        self.assert_resumes(MANY_SLOW, expected, ranks=3)

    def test_a_coupled_task_leaves_a_checkpoint(self) -> None:
        config = [*LONG_COUPLED, "--team-size", "3"]
        signals = ((signal.SIGTERM, 2), (signal.SIGUSR1, 0), (signal.SIGUSR1, None))
        self.assert_leaves_a_checkpoint(config, ranks=3, signals=signals)

    def test_training_that_a_team_shares_leaves_a_checkpoint(self) -> None:
        config = self.folder / "shared.ini"
        config.write_text(SHARED_ROWS, encoding="utf-8")
        signals = ((signal.SIGTERM, 1), (signal.SIGUSR1, 0), (signal.SIGUSR1, None))
        self.assert_leaves_a_checkpoint([str(config), "--checkpoint", "0.1"], ranks=2, signals=signals)

    def test_a_long_task_of_one_rank_leaves_a_checkpoint(self) -> None:
        config = self.folder / "ladder.ini"
        config.write_text(LADDER, encoding="utf-8")
        signals = ((signal.SIGTERM, 0), (signal.SIGUSR1, None))
        self.assert_leaves_a_checkpoint([str(config), "--checkpoint", "0.1"], ranks=1,
                                        signals=signals)

    def assert_leaves_a_checkpoint(self, config: list[str], ranks: int,
                                   signals: tuple[tuple[int, int | None], ...]) -> None:
        expected = self.uninterrupted(config)
        for number, rank in signals:
            with self.subTest(number, rank=rank):
                self.begin_anew()
                with self.launched(config, ranks=ranks) as job:
                    self.assertTrue(wait_for(self.checkpoints, job))
                    self.send(job, number, rank)
                    self.assert_interrupted(job.wait(), job.errors())
                self.assertEqual(len(self.checkpoints()), 1)
                self.assert_resumes(config, expected, ranks=2)

    def checkpoints(self) -> list[pathlib.Path]:
        return list(self.journal.glob("*.checkpoint"))

    def test_a_signal_while_the_archive_is_written_comes_too_late(self) -> None:
        expected = self.uninterrupted(MANY)
        fault = Fault("sync", "*.h5.[0-9]*.part", action="stop")
        with self.launched(MANY, ranks=2, fault=fault) as job:
            self.assertTrue(wait_for(lambda: stopped(job, 0), job))
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGCONT):
                job.send(number, job.ranks()[0])
            self.assertEqual(job.wait(), 0, job.errors())
        self.assertEqual(self.identity(), expected)


class Time(FaultTest):
    """The time of day may jump; limits are kept by a clock that does not."""

    def seconds_until_interrupted(self, config: list[str], *arguments: str, clock: int,
                                  extra: dict[str, str] | None = None) -> float:
        begin = time.monotonic()
        with self.launched(config, *arguments, ranks=2, fault=Fault(clock=clock),
                           extra=extra) as job:
            code = job.wait()
            self.assertEqual(code, INTERRUPTED, job.errors())
        return time.monotonic() - begin

    def test_a_limit_of_time_holds_when_the_clock_is_set(self) -> None:
        for config, clock in ((ENDLESS, -86400), (ENDLESS, 86400), (ENDLESS_COUPLED, -86400)):
            with self.subTest(config[0], clock=clock):
                self.begin_anew()
                taken = self.seconds_until_interrupted(config, "--time-limit", "0:03", clock=clock)
                self.assertGreater(taken, 2.0)
                self.assertLess(taken, 30.0)

    def test_the_end_of_a_slurm_job_is_looked_at_once(self) -> None:
        for clock in (-86400, 86400):
            with self.subTest(clock=clock):
                self.begin_anew()
                margin = 30
                extra = {"SLURM_JOB_END_TIME": str(int(time.time()) + margin + 5)}
                taken = self.seconds_until_interrupted(ENDLESS, clock=clock, extra=extra)
                self.assertGreater(taken, 2.0)
                self.assertLess(taken, 30.0)

    def test_a_run_is_not_confused_by_a_clock_that_is_set(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        for clock in (-86400, 86400):
            with self.subTest(clock=clock):
                self.begin_anew()
                code, errors = self.run_with(MANY_SLOW, "--time-limit", "10", ranks=2,
                                             fault=Fault(clock=clock))
                self.assertEqual(code, 0, errors)
                self.assertEqual(self.identity(), expected)


if __name__ == "__main__":
    unittest.main()
