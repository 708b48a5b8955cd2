"""Disks that are full, files that may not grow, folders and files that may not be used."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterator

from fault import ARCHIVE, COUPLED, MANY, Fault, FaultTest
from program import PROGRAM, Outcome, environment

NO_ROOM_FOR_ARCHIVE = Fault("write", "*.h5.[0-9]*.part", action=errno.ENOSPC)


@contextlib.contextmanager
def mounted(test: unittest.TestCase, folder: pathlib.Path, *options: str) -> Iterator[None]:
    """With the folder mounted as `mount` is told; skips the test where that is not allowed."""
    result = subprocess.run(["mount", *options, folder], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        test.skipTest(f"mounting is not allowed here: {result.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


class FullDisk(FaultTest):
    """Full by the disk's size, by the process's limit, or by what the system says."""

    def assert_ends_in_order(self, outcome: Outcome, *words: str) -> None:
        """One line names the file, the reason, what is safe; what could not be written is gone."""
        self.assert_refused(outcome, *words, "safe", "--resume")
        self.assertFalse(self.archive.exists())
        self.assertEqual(list(self.folder.rglob("*.part")), [])

    def test_a_disk_that_fills_up_while_tasks_end(self) -> None:
        expected = self.uninterrupted(MANY)
        disk = self.folder / "disk"
        disk.mkdir()
        self.set_output(f"disk/{ARCHIVE}")
        for ranks in (1, 3):
            with (self.subTest(ranks=ranks),
                  mounted(self, disk, "-t", "tmpfs", "-o", "size=40k", "tmpfs")):
                self.assert_ends_in_order(self.run_ranks(MANY, ranks=ranks), "No space left",
                                          ".log", "safe on disk")
                self.assertGreater(len(self.recorded()), 10)
                self.assert_refused(self.run_ranks(MANY, "--resume", ranks=ranks), "No space left")
                subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
                self.assert_resumes(MANY, expected, ranks=4 - ranks)

    def test_a_disk_on_which_only_the_archive_has_no_room(self) -> None:
        expected = self.uninterrupted(MANY)
        for call in ("write", "sync", "close"):
            with self.subTest(call):
                self.begin_anew()
                fault = Fault(call, "*.h5.[0-9]*.part", action=errno.ENOSPC)
                self.assert_ends_in_order(self.run_ranks(MANY, ranks=2, fault=fault),
                                          "No space left", f"'{ARCHIVE}'", "all results")
                self.assertEqual(len(self.recorded()), 168)
                self.assert_resumes(MANY, expected, ranks=3)

    def test_a_disk_without_room_for_a_checkpoint(self) -> None:
        expected = self.uninterrupted(COUPLED)
        for call, count in (("write", 1), ("sync", 20), ("rename", 7)):
            with self.subTest(call):
                self.begin_anew()
                fault = Fault(call, "*.checkpoint*", count, action=errno.ENOSPC)
                outcome = self.run_ranks(COUPLED, "--team-size", "2", ranks=2, fault=fault)
                self.assert_ends_in_order(outcome, "No space left", ".checkpoint")
                self.assert_resumes(COUPLED, expected, ranks=3)

    def test_a_commit_that_fails_on_one_rank(self) -> None:
        expected = self.uninterrupted(MANY)
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.begin_anew()
                fault = Fault("sync", "*.log", 2, rank=rank, action=errno.EIO)
                self.assert_ends_in_order(self.run_ranks(MANY, ranks=2, fault=fault),
                                          "Input/output error", f"-00000{rank}.log")
                self.assert_resumes(MANY, expected, ranks=3)

    def test_a_limit_of_the_size_of_files(self) -> None:
        # 16 KiB, in sh's blocks of 512 bytes: room for the header and for a third of the tasks.
        limit = ("sh", "-c", 'ulimit -f 32 && exec "$@"', "sh")
        # The limit is not meant for shared memory.
        tcp = {"OMPI_MCA_btl": "self,tcp"}
        expected = self.uninterrupted(MANY)
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.begin_anew()
                outcome = self.run_ranks(MANY, ranks=ranks, prefix=limit, extra=tcp)
                self.assert_ends_in_order(outcome, "File too large")
                self.assertGreater(len(self.recorded()), 10)
                self.assert_resumes(MANY, expected, ranks=2)


class NoPermission(FaultTest):
    def setUp(self) -> None:
        super().setUp()
        # The checkout may be where others than its owner cannot read.
        self.many = [shutil.copy(MANY[0], self.folder), *MANY[1:]]

    def make_journal(self) -> None:
        """Of a sweep that only lacks its archive."""
        self.run_ranks(self.many, ranks=2, fault=NO_ROOM_FOR_ARCHIVE)
        self.assertEqual(len(self.recorded()), 168)

    def test_a_read_only_file_system(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        self.set_output(f"disk/{ARCHIVE}")
        for with_journal in (False, True):
            if with_journal:
                self.make_journal()
            with (self.subTest(with_journal=with_journal),
                  mounted(self, disk, "-o", "bind,ro", str(disk))):
                for ranks in (None, 2):
                    outcome = self.run_ranks(self.many, "--resume", ranks=ranks)
                    self.assert_refused(outcome, "Read-only file system", "disk")

    def unprivileged(self) -> tuple[str, ...]:
        """What starts a program whom permissions bind; root they do not."""
        if os.geteuid() != 0:
            return ()
        nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
        self.folder.chmod(0o777)
        works = subprocess.run([*nobody, PROGRAM, "--version"], env=environment(),
                               capture_output=True, check=False)
        if works.returncode != 0:
            self.skipTest(f"root cannot start {PROGRAM} as nobody")
        return nobody

    def test_a_folder_that_may_not_be_written(self) -> None:
        start = self.unprivileged()
        self.folder.chmod(0o555)
        self.assert_refused(self.run_ranks(self.many, ranks=None, prefix=start), "Permission denied")
        self.assertFalse(self.journal.exists())

    def test_a_replay_needs_no_right_to_write(self) -> None:
        start = self.unprivileged()
        self.run_ranks(self.many, ranks=2)
        self.folder.chmod(0o555)
        with tempfile.TemporaryDirectory() as scratch:
            pathlib.Path(scratch).chmod(0o777)
            no_time = {"SLURM_JOB_END_TIME": "1"}
            for arguments, job, code in (((), {}, 0), ((), no_time, 3), ((), {}, 2),
                                         (("--resume",), {}, 0)):
                outcome = self.run_program("replay", ARCHIVE, *arguments, prefix=start,
                                           extra={"TMPDIR": scratch, **job})
                self.assertEqual(outcome.codes, [code], outcome.error)
                left = [path.name for path in pathlib.Path(scratch).glob("fairfront-*")]
                self.assertEqual(len(left), 1 if code else 0, left)
            self.assertIn("every bit is the same", outcome.out)

    def test_a_journal_that_may_not_be_read(self) -> None:
        start = self.unprivileged()
        expected = self.uninterrupted(self.many)
        self.make_journal()
        self.give_journal_to(os.geteuid() if not start else pwd.getpwnam("nobody").pw_uid)
        for path, mode in ((self.journal, 0o000), (self.journal, 0o444), (self.journal, 0o555),
                           (self.journal / "header", 0o000), (self.journal / "lock", 0o444),
                           (self.journal / "0000-000001.log", 0o000)):
            with self.subTest(path.name, mode=oct(mode)):
                for file in (self.journal, *self.journal.iterdir()):
                    file.chmod(0o777)
                path.chmod(mode)
                outcome = self.run_ranks(self.many, "--resume", ranks=None, prefix=start)
                path.chmod(0o777)
                self.assert_refused(outcome, "Permission denied", path.name)
                self.assertEqual(len(self.recorded()), 168)
        self.give_journal_to(os.geteuid())
        self.assert_resumes(self.many, expected, ranks=2)

    def give_journal_to(self, user: int) -> None:
        for path in (self.journal, *self.journal.iterdir()):
            os.chown(path, user, -1)

    def test_a_log_that_only_some_ranks_cannot_make(self) -> None:
        for rank in (0, 2):
            with self.subTest(rank=rank):
                fault = Fault("open", "*.log", rank=rank, action=errno.EACCES)
                self.assert_refused(self.run_ranks(self.many, ranks=3, fault=fault),
                                    "Permission denied", f"0000-00000{rank}.log")
                shutil.rmtree(self.journal)


if __name__ == "__main__":
    unittest.main()
