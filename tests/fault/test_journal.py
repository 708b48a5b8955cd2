"""Journals of other sweeps and other runs, journals that nobody needs, journals with guests."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket
import unittest

from fault import COUPLED, MANY, MANY_SLOW, Fault, FaultTest, Job, stopped, wait_for
from journal import done_keys


class OtherSweep(FaultTest):
    def test_is_refused_with_the_first_difference(self) -> None:
        self.run_with(MANY, ranks=2, fault=Fault("write", "*.log", 20, action="kill"))
        before = self.recorded()
        self.assertGreater(len(before), 10)
        for change, difference in (
                (["--set", "iterations=301"], "alternating.iterations: 300 there, 301 here"),
                (["--set", "seed=2"], " seed: 1 there, 2 here"),
                (["--set", "problem=sp1, zdt1, zdt2"], "alternating.problem: "),
                (["--set", "sa2gd.n_a=0..19"], "sa2gd.n_a: ")):
            for ranks in (None, 3):
                with self.subTest(change, ranks=ranks):
                    outcome = self.run_ranks(MANY, *change, "--resume", ranks=ranks)
                    self.assert_refused(outcome, "another sweep", difference)
                    self.assertEqual(self.recorded(), before)
        outcome = self.run_ranks(COUPLED, "--resume", ranks=2)
        self.assert_refused(outcome, "experiment: alternating there, clustering here")
        self.assert_refused(self.run_ranks(MANY, ranks=2), "--resume", "--force")
        self.assertEqual(self.recorded(), before)


class TwoRuns(FaultTest):
    """The second is refused and told whom it met; the first does not notice."""

    def assert_second_is_refused(self, first: Job, *arguments: str) -> None:
        outcome = self.run_ranks(MANY_SLOW, *arguments, ranks=2)
        self.assert_refused(outcome, "in use by", f"process {first.ranks()[0]} ",
                            f"on host {socket.gethostname()}")

    def test_while_tasks_run(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        with self.launched(MANY_SLOW, ranks=2) as first:
            wait_for(lambda: self.journal.exists() and done_keys(self.journal), first)
            first.send(signal.SIGSTOP, *first.ranks().values())  # so that it is not done too soon
            for arguments in ((), ("--resume",), ("--extend",), ("--force",)):
                with self.subTest(arguments):
                    self.assert_second_is_refused(first, *arguments)
            first.send(signal.SIGCONT, *first.ranks().values())
            self.assertEqual(first.wait(), 0, first.errors())
        self.assertEqual(self.identity(), expected)
        self.assertFalse(self.journal.exists())

    def test_while_the_archive_is_written(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        for place in (Fault("sync", "*.h5.[0-9]*.part", action="stop"),
                      Fault("remove", "*.log", action="stop")):
            with (self.subTest(place),
                  self.launched(MANY_SLOW, "--force", ranks=2, fault=place) as first):
                wait_for(lambda: stopped(first, 0), first)
                if not self.archive.exists():
                    self.assert_second_is_refused(first, "--resume")
                self.assert_second_is_refused(first, "--force")
                first.send(signal.SIGCONT, first.ranks()[0])
                self.assertEqual(first.wait(), 0, first.errors())
            self.assertEqual(self.identity(), expected)
            self.assertFalse(self.journal.exists())

    def test_that_start_at_once(self) -> None:
        """Whoever comes first, one archive results and no task has run twice."""
        expected = self.uninterrupted(MANY_SLOW)
        with contextlib.ExitStack() as stack:
            jobs = [stack.enter_context(self.launched(MANY_SLOW, "--resume", ranks=1))
                    for _ in range(3)]
            codes = sorted(job.wait() for job in jobs)
        self.assertEqual(codes[0], 0)
        self.assertLessEqual(set(codes), {0, 2})
        self.assertEqual(self.identity(), expected)
        self.assertEqual(set(self.attempts_in_archive().values()), {1})


class Leftovers(FaultTest):
    def stale_journal(self, config: list[str]) -> None:
        """A finished archive whose journal could not be removed."""
        code, errors = self.run_with(config, ranks=2,
                                     fault=Fault("remove", "*.journal/*", action=errno.EPERM))
        self.assertEqual(code, 0, errors)
        self.assertTrue(self.archive.exists() and self.journal.exists())

    def test_a_stale_journal_beside_the_archive_goes_with_the_next_resume(self) -> None:
        self.stale_journal(MANY)
        self.assert_refused(self.run_ranks(MANY, ranks=2), "exists", "--force")
        self.assert_cleans_up(MANY)

    def test_a_dry_run_removes_nothing(self) -> None:
        self.stale_journal(MANY)
        before = self.recorded()
        self.assertEqual(self.run_with(MANY, "--resume", "--dry-run", ranks=1)[0], 0)
        self.assertEqual(self.recorded(), before)

    def test_a_stale_journal_of_another_sweep_stays(self) -> None:
        """It may be all that there is of a wider sweep."""
        code, errors = self.run_with(MANY, ranks=1)
        self.assertEqual(code, 0, errors)
        archive = self.archive.read_bytes()
        self.archive.unlink()
        wider = [*MANY, "--set", "seed=1, 2"]
        self.run_with(wider, ranks=2, fault=Fault("write", "*.log", 30, action="kill"))
        before = self.recorded()
        self.archive.write_bytes(archive)
        code, errors = self.run_with(MANY, "--resume", ranks=1)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.recorded(), before)

    def test_guests_in_the_folder_are_passed_over_and_stay(self) -> None:
        expected = self.uninterrupted(MANY)
        self.journal.mkdir()
        guests = {"notes.txt": b"mine", "notes.log": b"mine, too", "0000-000000.log.bak": b"old",
                  "archive.part": b"half", "0001-000003.log": b"a log by its name alone" * 40}
        for name, content in guests.items():
            (self.journal / name).write_bytes(content)
        (self.journal / "folder.log").mkdir()
        (self.journal / "header.folder").mkdir()
        outcome = self.run_ranks(MANY, ranks=2)
        self.assert_refused(outcome, "holds finished tasks but no header")
        (self.journal / "0001-000003.log").unlink()
        code, errors = self.run_with(MANY, ranks=2)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.identity(), expected)
        del guests["0001-000003.log"]
        self.assertEqual({path.name for path in self.journal.iterdir()},
                         {*guests, "folder.log", "header.folder"})

    def test_a_log_by_its_name_alone_is_left_out_with_a_warning(self) -> None:
        expected = self.uninterrupted(MANY)
        self.run_with(MANY, ranks=2, fault=Fault("write", "*.log", 20, action="kill"))
        (self.journal / "0007-000003.log").write_bytes(b"a log by its name alone" * 40)
        code, errors = self.run_with(MANY, "--resume", ranks=2)
        self.assertEqual(code, 0, errors)
        self.assertIn("0007-000003.log': it is not a log", errors)
        self.assertEqual(self.identity(), expected)

    def test_a_file_system_without_locks_is_told_to_the_user(self) -> None:
        expected = self.uninterrupted(MANY)
        code, errors = self.run_with(MANY, ranks=2,
                                     fault=Fault("lock", "*/lock", action=errno.ENOSYS))
        self.assertEqual(code, 0, errors)
        self.assertEqual(errors.count("fairfront: warning: the file system of"), 1, errors)
        self.assertIn("has no locks", errors)
        self.assertEqual(self.identity(), expected)


if __name__ == "__main__":
    unittest.main()
