"""Runs that can be hurt: started with faults in their ranks, killed at any moment, resumed."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator

import h5py

import journal
from program import MPIEXEC, PROGRAM, TIME_LIMIT, Outcome, ProgramTest, digest, environment, results_sha256

FAULTS = os.environ["FAIRFRONT_FAULTS"]  # the library of faults.c
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"

# 168 tasks. By default of a fraction of a millisecond each; slow ones take about ten.
MANY = [str(CONFIGS / "alternating" / "figure1-small.ini")]
MANY_SLOW = [*MANY, "--set", "alternating.iterations=20000"]
MANY_SLOWER = [*MANY, "--set", "alternating.iterations=60000"]
# Four coupled tasks, with a checkpoint after every iteration.
COUPLED = [str(CONFIGS / "quickstart.ini"), "--set", "data=syn_equal_ds1, syn_unequal_ds2",
           "--set", "seed=1, 2", "--set", "iterations=150", "--checkpoint", "0"]
ARCHIVE = "result.h5"


@dataclasses.dataclass
class Fault:
    """What faults.c is told; see there."""
    call: str = ""
    path: str = "*"
    count: int = 1
    rank: int | None = None
    action: str | int = "kill"
    clock: int = 0
    apart: bool = False

    def command(self) -> list[str]:
        """To be put in front of the program."""
        rank = "" if self.rank is None else str(self.rank)
        settings = {"CALL": self.call, "PATH": self.path, "COUNT": self.count, "RANK": rank,
                    "ACTION": self.action, "CLOCK": self.clock, "APART": "1" if self.apart else ""}
        words = [f"FAULT_{name}={value}" for name, value in settings.items() if value != ""]
        return ["env", f"LD_PRELOAD={FAULTS}", *words]


# So that what a finished run has recorded can be read. The logs alone: a run must be able to remove
# half a checkpoint that a killed one has left.
KEEP_JOURNAL = Fault("remove", "*.journal/*.log", action=errno.EPERM)


_uninterrupted: dict[str, tuple[str, str]] = {}  # by config: the same in every test


def processes_of(session: int) -> dict[int, pathlib.Path]:
    """Folder in /proc of every living process of the session."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found[int(folder.name)] = folder
    return found


class LauncherHung(AssertionError):
    """No rank is left, but mpiexec stays: Open MPI 4.1 locks itself up when a rank dies while it
    connects to it, before anything of the program has run."""


LOST_WHILE_CONNECTING = "PMIX ERROR: UNREACHABLE"  # what mpiexec then says


class Job:
    """A launch under way: mpiexec and its ranks, in a session of their own."""

    def __init__(self, folder: pathlib.Path, command: list[str], extra: dict[str, str]) -> None:
        # Their shared memory and sockets would outlive a kill elsewhere.
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        # What Open MPI keeps of a launch it makes and removes by the host's name: one that ends takes it away from
        # one that begins in the same place.
        own = {"TMPDIR": str(scratch), "OMPI_MCA_btl_vader_backing_directory": str(scratch),
               "OMPI_MCA_orte_tmpdir_base": tempfile.mkdtemp(dir=scratch)}
        self.out = (folder / "out").open("w+", encoding="utf-8")
        self.error = (folder / "error").open("w+", encoding="utf-8")
        self.begin = time.monotonic()
        self.process = subprocess.Popen(command, cwd=folder, env=environment({**own, **extra}), stdout=self.out,
                                        stderr=self.error, stdin=subprocess.DEVNULL,
                                        start_new_session=True)

    def ranks(self) -> dict[int, int]:
        """Process of each rank that runs the program by now."""
        found = {}
        for process, folder in processes_of(self.process.pid).items():
            with contextlib.suppress(OSError, KeyError):
                if os.readlink(folder / "exe") != os.path.realpath(PROGRAM):
                    continue
                words = (folder / "environ").read_bytes().decode().split("\0")
                variables = dict(word.partition("=")[::2] for word in words)
                found[int(variables["OMPI_COMM_WORLD_RANK"])] = process
        return found

    def running(self) -> bool:
        return self.process.poll() is None

    def send(self, number: int, *processes: int) -> bool:
        """False when all had ended already."""
        reached = False
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
                reached = True
        return reached

    def kill_all(self) -> bool:
        return self.send(signal.SIGKILL, *processes_of(self.process.pid))

    def wait(self) -> int:
        """The launcher's status, once all processes of the session are gone."""
        end = time.monotonic() + TIME_LIMIT
        while self.running() or processes_of(self.process.pid):
            if time.monotonic() > end:
                error = LauncherHung if self.launcher_is_hung() else AssertionError
                self.kill_all()
                raise error(f"still running after {TIME_LIMIT} s:\n{self.errors()}")
            time.sleep(0.01)
        return self.process.wait()

    def launcher_is_hung(self) -> bool:
        return not self.ranks() and LOST_WHILE_CONNECTING in self.errors()

    def errors(self) -> str:
        self.error.seek(0)
        return self.error.read()

    def close(self) -> None:
        self.kill_all()
        self.process.wait()
        self.out.close()
        self.error.close()


class FaultTest(ProgramTest):
    """A test in an empty folder, about the archive result.h5 and its journal."""

    def setUp(self) -> None:
        super().setUp()
        self.set_output(ARCHIVE)

    def set_output(self, output: str) -> None:
        """Where the archive is to be, from the test's folder on."""
        self.output = output
        self.archive = self.folder / output
        self.journal = self.folder / (output + ".journal")

    def begin_anew(self) -> None:
        self.archive.unlink(missing_ok=True)
        shutil.rmtree(self.journal, ignore_errors=True)

    @contextlib.contextmanager
    def launched(self, config: list[str], *arguments: str, ranks: int,
                 fault: Fault | None = None, grace: int = 0,
                 extra: dict[str, str] | None = None) -> Iterator[Job]:
        """Without the wrapper of run_program: a rank that ends badly ends the job.

        The launcher then sends SIGTERM to the others, and SIGKILL after `grace` seconds (if left
        to itself, after 1).
        """
        prefix = fault.command() if fault else []
        command = [MPIEXEC, "-n", str(ranks), *prefix, PROGRAM, "run", *config, "-o",
                   self.output, *arguments]
        job = Job(self.folder, command, {
            **(extra or {}), "OMPI_MCA_odls_base_sigkill_timeout": str(grace)})
        try:
            yield job
        finally:
            job.close()

    def run_with(self, config: list[str], *arguments: str, ranks: int,
                 fault: Fault | None = None) -> tuple[int, str]:
        """Status of the launcher and what was written to the standard error."""
        with self.launched(config, *arguments, ranks=ranks, fault=fault) as job:
            return job.wait(), job.errors()

    def run_ranks(self, config: list[str], *arguments: str, ranks: int | None,
                  fault: Fault | None = None, prefix: tuple[str, ...] = (),
                  extra: dict[str, str] | None = None) -> Outcome:
        """As run_program: the status of every rank. For faults that kill nobody."""
        front = [*prefix, *(fault.command() if fault else [])]
        return self.run_program("run", *config, "-o", self.output, *arguments, ranks=ranks,
                                prefix=front, extra=extra)

    def identity(self) -> tuple[str, str]:
        return digest(self.archive), results_sha256(self.archive)

    def uninterrupted(self, config: list[str]) -> tuple[str, str]:
        """What the run must come to, whatever happens to it."""
        name = " ".join(config)
        if name not in _uninterrupted:
            code, errors = self.run_with(config, ranks=2)
            self.assertEqual(code, 0, errors)
            self.assertFalse(self.journal.exists())
            _uninterrupted[name] = self.identity()
            self.begin_anew()
        return _uninterrupted[name]

    def recorded(self) -> dict[str, int]:
        """Task -> attempt of what the journal holds, none of it twice."""
        done: collections.Counter[str] = collections.Counter()
        attempts = {}
        if self.journal.exists():
            for record in journal.records(self.journal):
                self.assertEqual(record.status, journal.DONE)
                done[record.key] += 1
                attempts[record.key] = record.attempt
        self.assertEqual({key for key, count in done.items() if count > 1}, set())
        return attempts

    def attempts_in_archive(self) -> dict[str, int]:
        with h5py.File(self.archive) as file:
            keys = file["tasks/key"].asstr()[()]
            return dict(zip(keys, file["timing/attempt"][()].tolist(), strict=True))

    def assert_refused(self, outcome: Outcome, *words: str, code: int = 2) -> None:
        """The same status on every rank, and one line that says why."""
        self.assertEqual(set(outcome.codes), {code}, outcome.error)
        lines = [line for line in outcome.error.splitlines() if "error" in line]
        self.assertEqual(len(lines), 1, outcome.error)
        for word in words:
            self.assertIn(word, lines[0])

    def assert_kept(self, before: dict[str, int]) -> None:
        """What was recorded stands where it was, in the archive or in the journal."""
        now = self.attempts_in_archive() if self.archive.exists() else self.recorded()
        lost = [key for key, attempt in before.items() if now.get(key) != attempt]
        self.assertEqual(lost, [], f"of {len(before)} tasks")

    def assert_resumes(self, config: list[str], expected: tuple[str, str], ranks: int) -> None:
        """--resume comes to the same archive, and runs nothing again that was recorded."""
        before = self.recorded()
        keep = bool(before) and not self.archive.exists()
        code, errors = self.run_with(config, "--resume", ranks=ranks,
                                     fault=KEEP_JOURNAL if keep else None)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.identity(), expected)
        self.assert_kept(before)
        if keep:
            self.assertEqual(self.recorded(), self.attempts_in_archive())
        left = set(self.archive.parent.glob(self.archive.name + "*"))
        self.assertEqual(left, {self.archive, self.journal} if keep else {self.archive})

    def assert_cleans_up(self, config: list[str]) -> None:
        """A further --resume leaves the archive as it is, and nothing else of a run."""
        before = self.archive.read_bytes()
        code, errors = self.run_with(config, "--resume", ranks=1)
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.archive.read_bytes(), before)
        self.assertEqual(list(self.archive.parent.glob(self.archive.name + "*")), [self.archive])
        self.succeed("verify", self.output)


def log_bytes(journal_folder: pathlib.Path) -> int:
    """Of records: what stands in front of them in every log is not counted."""
    return sum(journal.record_bytes(log.read_bytes()) for log in journal_folder.glob("*.log"))


def stopped(job: Job, rank: int) -> bool:
    """Whether the rank runs the program and waits for SIGCONT."""
    process = job.ranks().get(rank)
    if process is None:
        return False
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def holds(condition: Callable[[], object]) -> bool:
    """A condition may look at files and processes that vanish meanwhile: it then is not true."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return bool(condition())
    return False


def comes_true(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + TIME_LIMIT
    while not holds(condition):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def wait_for(condition: Callable[[], object], job: Job) -> bool:
    """Whether it came true before the job ended; see holds()."""
    end = time.monotonic() + TIME_LIMIT
    while not holds(condition):
        if not job.running():
            return False
        if time.monotonic() > end:
            raise AssertionError(f"nothing happened in {TIME_LIMIT} s:\n{job.errors()}")
        time.sleep(0.002)
    return True
