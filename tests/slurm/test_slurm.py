"""The job scripts on a real SLURM: what is cut off, killed or lost goes on by itself, and the
archive has the digest of an uninterrupted run."""

from __future__ import annotations

import atexit
import fcntl
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable

import h5py

import cluster
import program  # tests/support

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
ALL_SECONDS = 660  # for all tests together, also on a busy machine
JOB_SECONDS = 200
SHORT = 5  # seconds of processor time: enough to meet a job at work
# 63 tasks of about the same length, on problems that need no data.
CONFIG = """
experiment = alternating
[alternating]
problem = zdt1, zdt2, zdt3
n_total = 20
iterations = {iterations}
[sa2gd]
n_a = 0..20
step = 1e-3
"""

digests: dict[str, str] = {}  # of uninterrupted runs, by config


def interrupt(*_: object) -> None:
    # The one exception that unittest does not take for a failure of the test that is running.
    raise KeyboardInterrupt


def setUpModule() -> None:
    global slurm, folder
    if reason := cluster.why_not():
        raise unittest.SkipTest(f"no SLURM can be started here: {reason}")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, interrupt)
    signal.alarm(ALL_SECONDS)
    temporary = tempfile.TemporaryDirectory(prefix="fairfront-slurm-")
    atexit.register(temporary.cleanup)
    folder = pathlib.Path(temporary.name)
    daemons = folder / "slurm"
    daemons.mkdir()
    folder.chmod(0o711)
    slurm = cluster.Cluster(daemons, program.environment({"FAIRFRONT": program.PROGRAM,
                                                          "FAIRFRONT_PAUSE": "1"}))
    atexit.register(slurm.stop)  # before the folder goes; also after an interrupt
    slurm.start()
    measure_speed()
    submit_deaf_job()


def submit_deaf_job() -> None:
    """A job that does not heed SLURM's warning: it runs beside the tests, since it takes long."""
    program_path = write_script("deaf", "trap '' USR1; sleep 600")
    slurm.command("sbatch", "--time=1", "--ntasks=1", f"--output={folder}/deaf.log",
                  str(JOBS / "fairfront.sbatch"), "no.ini", "no.h5", FAIRFRONT=program_path)


def measure_speed() -> None:
    """Sets how many iterations of CONFIG take a second of processor time here."""
    global iterations_per_second
    iterations = 50_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run_uninterrupted(write_config("speed", iterations), ranks=1)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    iterations_per_second = iterations / seconds


def write_config(name: str, iterations: int) -> str:
    path = folder / f"{name}.ini"
    path.write_text(CONFIG.format(iterations=iterations), encoding="utf-8")
    return str(path)


def write_script(name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def config_of(processor_seconds: float) -> str:
    """A config that takes so long on one rank, on this machine."""
    return write_config(f"{processor_seconds}", int(iterations_per_second * processor_seconds))


def run_uninterrupted(config: str, ranks: int = 2) -> str:
    """The digest of the config's archive, from a run outside of SLURM."""
    if config not in digests:
        output = pathlib.Path(config).with_suffix(".plain.h5")
        subprocess.run([program.MPIEXEC, "-n", str(ranks), program.PROGRAM, "run", config, "-o",
                        str(output), "--quiet"], env=program.environment(), check=True,
                       timeout=JOB_SECONDS)
        digests[config] = program.digest(output)
    return digests[config]


class SlurmTest(unittest.TestCase):
    def setUp(self) -> None:
        self.name = self.id().rpartition(".")[2]
        self.output = folder / f"{self.name}.h5"
        self.log = folder / f"{self.name}.log"

    def submit(self, *options: str, config: str, **environment: str) -> str:
        """The number of a new job of jobs/fairfront.sbatch."""
        return slurm.command("sbatch", "--parsable", "--time=5", f"--output={self.log}", *options,
                             str(JOBS / "fairfront.sbatch"), config, str(self.output),
                             **environment).strip()

    def submit_by(self, script: str, count: int, *options: str, config: str) -> list[str]:
        """The numbers of the jobs that jobs/array.sh or jobs/chain.sh has submitted."""
        printed = slurm.command(str(JOBS / script), str(count), "--time=5", "--export=ALL",
                                f"--output={self.log}", "--open-mode=append", *options, "--",
                                config, str(self.output))
        return re.findall(r"\b\d+\b", printed.replace(str(folder), ""))

    def job(self, number: str) -> dict[str, str]:
        """What SLURM says about a job: JobState, Restarts, ExitCode, Reason, ..."""
        words = slurm.command("scontrol", "show", "job", "--oneliner", number).split()
        return dict(word.partition("=")[::2] for word in words if "=" in word)

    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait_until(self, condition: Callable[[], object], what: str,
                   seconds: float = JOB_SECONDS) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"not {what} after {seconds} s\n{self.text()}\n{slurm.logs()}")
            time.sleep(0.3)

    def wait_for_end(self, number: str) -> dict[str, str]:
        # TIMEOUT and NODE_FAIL are no ends here: such jobs are requeued.
        ends = ("COMPLETED", "FAILED", "CANCELLED")
        self.wait_until(lambda: self.job(number)["JobState"] in ends, f"ended: {self.job(number)}")
        return self.job(number)

    def wait_for_work(self) -> None:
        """Until some tasks, but not all, are done."""
        self.wait_until(lambda: re.search(r"^[1-9]\d*/\d+ tasks", self.text(), re.MULTILINE),
                        "at work", 60)

    def check_completed(self, number: str, restarts: int) -> None:
        job = self.wait_for_end(number)
        self.assertEqual((job["JobState"], job["Restarts"]), ("COMPLETED", str(restarts)),
                         self.text())

    def check_failed(self, number: str, code: int, restarts: int) -> None:
        job = self.wait_for_end(number)
        self.assertEqual((job["JobState"], job["ExitCode"], job["Restarts"]),
                         ("FAILED", f"{code}:0", str(restarts)), self.text())

    def check_archive(self, config: str) -> set[int]:
        """The launches that its tasks are from."""
        self.assertEqual(program.digest(self.output), run_uninterrupted(config))
        with h5py.File(self.output) as file:
            return set(file["timing/attempt"][:])

    def ranks(self) -> list[int]:
        """Process ids of all ranks that run this test's config."""
        found = []
        for process in cluster.descendants(os.getpid()):
            try:
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == program.PROGRAM.encode() and str(self.output).encode() in words:
                found.append(process)
        return found

    def set_time_limit(self, number: str, minutes: int) -> None:
        slurm.command("scontrol", "update", f"JobId={number}", f"TimeLimit={minutes}")

    def test_a_job_at_its_time_limit_is_requeued_and_ends_with_the_same_digest(self) -> None:
        # However slow the machine, the limit meets a rank at work: it is lowered when there are results,
        # and the rank halts until the signal has come. SLURM sends it up to 150 s before the end.
        config = config_of(SHORT)
        number = self.submit("--time=30", "--ntasks=1", config=config)
        self.wait_for_work()
        (rank,) = self.ranks()
        os.kill(rank, signal.SIGSTOP)
        hours, minutes, _ = map(int, self.job(number)["RunTime"].split(":"))
        self.set_time_limit(number, 60 * hours + minutes + 2)
        self.wait_until(lambda: "told to stop (SIGUSR1)" in self.text(), "warned")
        os.kill(rank, signal.SIGCONT)
        self.wait_until(lambda: int(self.job(number)["Restarts"]) > 0, "requeued")
        self.set_time_limit(number, 30)  # nothing cuts off what is left
        self.assertEqual(self.wait_for_end(number)["JobState"], "COMPLETED", self.text())
        self.assertIn("interrupted; requeued", self.text())
        self.assertGreater(len(self.check_archive(config)), 1)

    def test_a_job_told_to_stop_while_its_launcher_still_starts_is_requeued(self) -> None:
        """mpirun starts a daemon on the other node first, by srun, and this one takes its time."""
        started = folder / "daemon-started"
        slow = folder / "slow"
        slow.mkdir()
        srun = shutil.which("srun", path=cluster.ADMINISTRATOR_PATH)
        write_script("slow/srun", f"""if [ -z "$SLURM_RESTART_COUNT" ]; then touch {started}; sleep 20; fi
exec {srun} "$@" """)
        launch = write_script("slow/launch", f'PATH={slow}:$PATH exec mpirun "$@"')
        config = config_of(SHORT)
        number = self.submit("--nodes=2", "--ntasks=2", config=config, FAIRFRONT_LAUNCH=launch)
        self.wait_until(started.exists, "starting", 60)
        slurm.command("scancel", "--batch", "--signal=USR1", number)
        self.check_completed(number, restarts=1)
        self.assertRegex(self.text(), r"told to stop before the run began \(exit code \d+\); requeued")
        self.assertEqual(self.check_archive(config), {1})

    def test_a_job_that_lost_a_rank_is_requeued(self) -> None:
        config = config_of(SHORT)
        number = self.submit("--nodes=2", "--ntasks=2", config=config)
        self.wait_for_work()
        os.kill(self.ranks()[0], signal.SIGKILL)
        self.check_completed(number, restarts=1)
        self.assertIn("lost a rank (exit code 137); requeued", self.text())
        self.assertEqual(self.check_archive(config), {1, 2})

    def test_a_job_that_lost_a_node_goes_on_elsewhere(self) -> None:
        config = config_of(SHORT)
        number = self.submit("--nodes=1", "--ntasks=2", config=config)
        self.wait_for_work()
        node = self.job(number)["NodeList"]
        slurm.command("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
        self.check_completed(number, restarts=1)
        slurm.command("scontrol", "update", f"NodeName={node}", "State=RESUME")
        self.assertNotEqual(self.job(number)["NodeList"], node)
        self.assertEqual(self.check_archive(config), {1, 2})

    def test_ranks_started_by_srun_stop_and_resume_as_well(self) -> None:
        config = config_of(SHORT)
        number = self.submit("--nodes=1", "--ntasks=2", config=config,
                             FAIRFRONT_LAUNCH="srun --mpi=pmix")
        self.wait_for_work()
        slurm.command("scancel", "--batch", "--signal=USR1", number)
        self.check_completed(number, restarts=1)
        self.assertEqual(self.check_archive(config), {1, 2})

    def test_restarts_are_limited(self) -> None:
        begins = write_script("begins", """mkdir -p "$4.journal"
touch "$4.journal/0000-000000.log"
exit 1""")
        number = self.submit("--ntasks=1", config=config_of(SHORT), FAIRFRONT_RESTARTS="1",
                             FAIRFRONT_LAUNCH="env", FAIRFRONT=begins, FAIRFRONT_PAUSE="8")
        self.check_failed(number, code=1, restarts=1)
        self.assertRegex(self.text(), r"a restart in \d s")
        self.assertIn("no restart is left", self.text())

    def test_what_never_began_is_final(self) -> None:
        broken = write_script("broken", 'echo "no MPI to be found" >&2; exit 132')
        number = self.submit("--ntasks=1", config=config_of(SHORT), FAIRFRONT=broken)
        self.check_failed(number, code=132, restarts=0)
        self.assertIn("no MPI to be found", self.text())
        self.assertIn("never began (exit code 132)", self.text())

    def test_a_program_or_launcher_that_is_not_there_is_final(self) -> None:
        for variable in ("FAIRFRONT", "FAIRFRONT_LAUNCH"):
            with self.subTest(variable):
                number = self.submit("--ntasks=1", config=config_of(SHORT),
                                     **{variable: "/nowhere/mistyped"})
                self.check_failed(number, code=2, restarts=0)
                self.assertIn("there is no program '/nowhere/mistyped'", self.text())

    def test_a_job_waits_for_the_run_before_it_to_end(self) -> None:
        config = config_of(SHORT)
        subprocess.run([program.PROGRAM, "run", config, "-o", str(self.output), "--quiet",
                        "--time-limit", "0:01"], env=program.environment(), check=False,
                       timeout=JOB_SECONDS)
        with open(f"{self.output}.journal/lock", "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            number = self.submit("--ntasks=2", config=config)
            self.wait_until(lambda: "another run has not ended yet; again in" in self.text(),
                            "refused", 60)
        self.check_completed(number, restarts=0)
        self.assertEqual(self.check_archive(config), {1, 2})

    def test_a_job_needs_nothing_from_the_environment(self) -> None:
        config = config_of(SHORT)
        number = slurm.command(
            "sbatch", "--parsable", "--time=5", f"--output={self.log}", "--export=NONE",
            "--nodes=2", "--ntasks=2", str(JOBS / "fairfront.sbatch"),
            f"FAIRFRONT={program.PROGRAM}", "FAIRFRONT_LAUNCH=mpirun --allow-run-as-root", config,
            str(self.output)).strip()
        self.check_completed(number, restarts=0)
        self.check_archive(config)

    def test_a_job_without_memory_is_requeued(self) -> None:
        starved = write_script("starved", 'echo "fairfront: error: out of memory" >&2; exit 5')
        number = self.submit("--ntasks=1", config=config_of(SHORT), FAIRFRONT_RESTARTS="1",
                             FAIRFRONT=starved)
        self.check_failed(number, code=5, restarts=1)
        self.assertIn("another failure of the machine; requeued", self.text())
        self.assertIn("no restart is left", self.text())

    def test_a_bad_config_is_final(self) -> None:
        number = self.submit("--nodes=2", "--ntasks=2", config="nowhere.ini")
        self.check_failed(number, code=2, restarts=0)

    def test_a_cancelled_job_stays_cancelled_and_its_journal_stays_good(self) -> None:
        config = config_of(SHORT)
        first = self.submit("--nodes=2", "--ntasks=2", config=config)
        self.wait_for_work()
        slurm.command("scancel", first)
        self.assertEqual(self.wait_for_end(first)["JobState"], "CANCELLED")
        time.sleep(2)
        self.assertEqual(self.job(first)["JobState"], "CANCELLED", self.text())
        self.check_completed(self.submit("--nodes=2", "--ntasks=2", config=config), restarts=0)
        self.assertEqual(self.check_archive(config), {1, 2})

    def test_an_array_of_slices_merges_into_the_same_archive(self) -> None:
        config = config_of(SHORT)
        self.output = folder / "Paretofront über Städte.h5"
        array, _, merge = self.submit_by("array.sh", 2, "--ntasks=1",
                                         f"--output={folder}/{self.name}-%a.log", config=config)
        # The last element has the number of the whole array: both must not be taken for one.
        self.log = folder / f"{self.name}-1.log"
        self.wait_for_work()
        slurm.command("scancel", "--batch", "--signal=USR1", f"{array}_1")
        self.check_completed(f"{array}_1", restarts=1)
        self.check_completed(f"{array}_0", restarts=0)
        self.check_completed(merge, restarts=0)
        self.check_archive(config)

    def test_a_chain_goes_on_where_its_first_job_ended_and_cancels_the_rest(self) -> None:
        config = config_of(SHORT)
        first, second, third = self.submit_by("chain.sh", 3, "--nodes=2", "--ntasks=2",
                                              config=config)
        self.wait_for_work()
        slurm.command("scancel", "--batch", "--signal=USR1", first)
        self.assertEqual(self.wait_for_end(first)["ExitCode"], "3:0", self.text())
        self.check_completed(second, restarts=0)
        self.assertEqual(self.wait_for_end(third)["JobState"], "CANCELLED")
        self.assertEqual(self.check_archive(config), {1, 2})

    def run_tasks(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Two tasks that know nothing of each other, as srun starts them without PMIx."""
        return slurm.run("srun", "--nodes=2", "--ntasks=2", "--time=1", "--mpi=none", *words,
                         program.PROGRAM, "run", config_of(SHORT), "-o", str(self.output))

    def test_singletons_are_refused(self) -> None:
        # Open MPI 4.1 would notice by itself, by this variable; others start two worlds of one.
        result = self.run_tasks("env", "-u", "SLURM_STEP_ID")
        self.assertEqual(result.returncode, 2)
        self.assertIn("the launcher started 2 processes (SLURM_STEP_NUM_TASKS)", result.stderr)
        self.assertEqual(list(folder.glob(f"{self.name}*")), [])

    def test_srun_without_pmix_writes_nothing(self) -> None:
        self.assertNotEqual(self.run_tasks().returncode, 0)
        self.assertEqual(list(folder.glob(f"{self.name}*")), [])

    def test_a_job_of_two_tasks_that_forgot_its_launcher_is_refused(self) -> None:
        number = self.submit("--nodes=2", "--ntasks=2", config=config_of(SHORT),
                             FAIRFRONT_LAUNCH="env")
        self.check_failed(number, code=2, restarts=0)
        self.assertIn("the SLURM job has 2 tasks (SLURM_NTASKS)", self.text())

    def test_what_overruns_its_time_limit_is_requeued_too(self) -> None:
        self.log = folder / "deaf.log"
        self.wait_until(lambda: "cut off by the time limit; requeued" in self.text(), "requeued")
