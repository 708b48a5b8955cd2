"""Journals of other sweeps and other runs, journals that nobody needs, journals with guests."""

from __future__ import annotations

import contextlib
import errno
import json
import shutil
import signal
import socket
import unittest

import h5py

from fault import (COUPLED, MANY, MANY_SLOW, Fault, FaultTest, Job, log_bytes, stopped,
                   wait_for)
from journal import DONE, done_keys


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
                            f"on host {socket.gethostname()}", code=6)

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
        for place, ranks in ((Fault("sync", "*.h5.[0-9]*.part", action="stop"), [0]),
                             (Fault("remove", "*.log", action="stop"), [0, 1])):
            with (self.subTest(place),
                  self.launched(MANY_SLOW, "--force", ranks=2, fault=place) as first):
                for rank in ranks:
                    wait_for(lambda at=rank: stopped(first, at), first)
                said = json.loads(self.succeed("status", "--json", self.output))[0]["journal"]
                self.assertEqual((said["state"], said["to_do"]), ("writing", 0))
                self.assertIn("writes its archive since", self.succeed("status", self.output))
                if not self.archive.exists():
                    self.assert_second_is_refused(first, "--resume")
                self.assert_second_is_refused(first, "--force")
                first.send(signal.SIGCONT, *(first.ranks()[rank] for rank in ranks))
                self.assertEqual(first.wait(), 0, first.errors())
            self.assertEqual(self.identity(), expected)
            self.assertFalse(self.journal.exists())

    def test_that_start_at_once(self) -> None:
        """Whoever comes first, one archive results and no task has run twice."""
        expected = self.uninterrupted(MANY_SLOW)
        with contextlib.ExitStack() as stack:
            jobs = [stack.enter_context(self.launched(MANY_SLOW, "--resume", ranks=1))
                    for _ in range(3)]
            codes = [job.wait() for job in jobs]
            for job, code in zip(jobs, codes):
                self.assertIn(code, (0, 6), job.errors())
        self.assertIn(0, codes)
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

    def test_records_of_another_slice_are_never_removed(self) -> None:
        expected = self.uninterrupted(MANY)
        code, errors = self.run_with(MANY, "--slice", "0/2", ranks=1)
        self.assertEqual(code, 0, errors)
        tasks = len(self.stored())
        kill = Fault("write", "*/0001-*.log", 7)
        self.run_with(MANY, "--resume", "--slice", "1/2", ranks=1, fault=kill)
        before = self.recorded()
        self.assertGreater(len(before), tasks)
        for dry in (["--dry-run"], []):  # the first slice has all its tasks
            code, errors = self.run_with(MANY, "--resume", "--slice", "0/2", *dry, ranks=2)
            self.assertEqual(code, 0, errors)
            now = self.recorded() if dry else self.stored()
            self.assertLessEqual(before.items(), now.items())
        self.assertFalse(self.journal.exists())
        self.assert_resumes(MANY, expected, ranks=2)
        self.assertLessEqual(before.items(), self.stored().items())

    def stored(self) -> dict[str, int]:
        with h5py.File(self.archive) as file:
            done = file["tasks/status"][()] == DONE
        attempts = self.attempts_in_archive().items()
        return {key: attempt for (key, attempt), is_done in zip(attempts, done, strict=True)
                if is_done}

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


class Forced(FaultTest):
    """--force discards finished tasks only when the new run is about to write its own."""

    def setUp(self) -> None:
        super().setUp()
        self.run_with(MANY, ranks=2, fault=Fault("write", "*.log", 20))
        self.before = self.recorded()
        self.assertGreater(len(self.before), 10)

    def assert_kept_when(self, config: list[str], *arguments: str, code: int = 2) -> None:
        for ranks in (None, 2):
            with self.subTest(arguments, ranks=ranks):
                outcome = self.run_ranks(config, "--force", *arguments, ranks=ranks)
                self.assertEqual(set(outcome.codes), {code}, outcome.error)
                self.assertEqual(self.recorded(), self.before)
                self.assertEqual(list(self.folder.glob("*.discarded-*")), [])

    def test_a_run_that_is_refused_discards_nothing(self) -> None:
        self.assert_kept_when(MANY, "--set", "iterations=many")
        self.assert_kept_when(MANY, "--set", "alternating.problem=adult", "--data-dir", "nowhere")
        self.assert_kept_when(["config.ini"], "--set", "data.file=nobody.csv")
        self.assert_kept_when(["config.ini"], "--set", "clusters=61")
        self.assert_kept_when(MANY, "--time-limit", "soon")
        self.assert_kept_when(MANY, "--slice", "2/2")
        self.assert_kept_when(MANY, "--dry-run", code=0)

    def test_a_journal_that_cannot_be_made_leaves_the_old_one(self) -> None:
        for call, path in (("open", "*/header.*"), ("write", "*/header.*"), ("sync", "*/header.*"),
                           ("open", "*/lock")):
            for ranks in (None, 2):
                with self.subTest(call, path=path, ranks=ranks):
                    fault = Fault(call, path, action=errno.ENOSPC)
                    outcome = self.run_ranks(MANY, "--force", ranks=ranks, fault=fault)
                    self.assert_refused(outcome, "No space left")
                    self.assertEqual(self.recorded(), self.before)
                    self.assertEqual(list(self.folder.glob("*.discarded-*")), [])

    def test_the_new_run_takes_its_place(self) -> None:
        expected = self.uninterrupted_elsewhere(MANY)
        code, errors = self.run_with(MANY, "--force", ranks=2)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.identity(), expected)
        self.assertEqual(list(self.folder.glob("result.h5*")), [self.archive])

    def uninterrupted_elsewhere(self, config: list[str]) -> tuple[str, str]:
        self.set_output("other.h5")
        expected = self.uninterrupted(config)
        self.set_output("result.h5")
        return expected


class Lost(FaultTest):
    """Parts of the journal that somebody deletes."""

    def test_a_folder_that_is_deleted_while_the_run_goes_on_is_made_again(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        with self.launched(MANY_SLOW, ranks=2) as job:
            self.assertTrue(wait_for(lambda: log_bytes(self.journal) > 3000, job))
            shutil.rmtree(self.journal)
            self.assertEqual(job.wait(), 0, job.errors())
            self.assertIn("was deleted or moved while the run goes on", job.errors())
        self.assertEqual(self.identity(), expected)
        self.assertFalse(self.journal.exists())

    def test_a_folder_whose_name_a_link_has_taken_is_not_written_to(self) -> None:
        """Whoever may rename in a shared folder could have files of the user's written over."""
        moved = self.journal.with_name("moved")
        victim = self.folder / "victim"
        victim.mkdir()
        with self.launched(MANY_SLOW, ranks=2) as job:
            wait_for(lambda: self.journal.exists() and done_keys(self.journal), job)
            self.journal.rename(moved)
            self.journal.symlink_to(victim)
            self.assertEqual(job.wait(), 2, job.errors())
            self.assertIn("was replaced while the run goes on", job.errors())
            self.assertIn(str(moved), job.errors())
        self.assertEqual(list(victim.iterdir()), [])
        self.assertFalse(self.archive.exists())
        self.journal.unlink()
        moved.rename(self.journal)
        self.assertEqual(self.run_with(MANY_SLOW, "--resume", ranks=2)[0], 0)

    def test_a_header_that_is_deleted_costs_nothing(self) -> None:
        expected = self.uninterrupted(MANY_SLOW)
        with self.launched(MANY_SLOW, ranks=2) as job:
            self.assertTrue(wait_for(lambda: log_bytes(self.journal) > 3000, job))
            (self.journal / "header").unlink()
            self.assertEqual(job.wait(), 0, job.errors())
        self.assertEqual(self.identity(), expected)

    def test_nor_when_it_is_deleted_or_damaged_between_two_runs(self) -> None:
        expected = self.uninterrupted(MANY)
        for damaged in (False, True):
            with self.subTest(damaged=damaged):
                self.begin_anew()
                self.run_with(MANY, ranks=2, fault=Fault("write", "*.log", 20))
                header = self.journal / "header"
                data = header.read_bytes()
                header.write_bytes(flipped(data)) if damaged else header.unlink()
                self.assert_refused(self.run_ranks(MANY, ranks=None), "--resume")
                self.assertIn("to do", self.succeed("status", self.output))
                self.assert_resumes(MANY, expected, ranks=2)


class DamagedCheckpoint(FaultTest):
    def test_its_task_starts_anew_with_a_warning_that_names_the_file(self) -> None:
        expected = self.uninterrupted(COUPLED)
        for name, spoil in (("flipped", flipped), ("cut", lambda old: old[:-7]),
                            ("foreign", lambda old: b"state of another program\n")):
            with self.subTest(name):
                self.begin_anew()
                kill = Fault("rename", "*.checkpoint", 20)
                self.run_with(COUPLED, "--team-size", "2", ranks=2, fault=kill)
                checkpoints = sorted(self.journal.glob("*.checkpoint"))
                self.assertTrue(checkpoints)
                for path in checkpoints:
                    path.write_bytes(spoil(path.read_bytes()))
                code, errors = self.run_with(COUPLED, "--resume", "--team-size", "2", ranks=2)
                self.assertEqual(code, 0, errors)
                for path in checkpoints:
                    self.assertIn(f"the checkpoint 'result.h5.journal/{path.name}' cannot be used",
                                  errors)
                self.assertEqual(self.identity(), expected)


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 16]) + data[middle + 1:]


if __name__ == "__main__":
    unittest.main()
