"""What the job script of PBS, LSF and Flux does, and chains of its jobs, against schedulers that only answer and
write down what they are told."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
# What tells of the scheduler, and what its commands answer when the job has an hour.
SCHEDULERS = {
    "pbs": {"PBS_JOBID": "7.server"},
    "lsf": {"LSB_JOBID": "7"},
    "flux": {"FLUX_JOB_ID": "f7"},
}
ANSWERS = {
    "qstat": 'printf "Job Id: 7.server\\n    Resource_List.ncpus = 4\\n    Resource_List.walltime = 01:00:00\\n"',
    "bjobs": 'echo "1:0 L"',
    "flux": """case "$1 $2" in
  'job timeleft') echo 3600.5 ;;
  'resource list') echo 4 ;;
  'run -n') [ "$3" = 4 ] || exit 99; shift 3; exec "$@" ;;
  batch\\ *) echo "$*" >> calls; echo "f$(wc -l < calls)" ;;
esac""",
}


class Jobs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in ANSWERS.items():
            self.write_script(name, text)
        self.write_script("mpirun", 'exec "$@"')
        self.write_script("qsub", 'echo "$*" >> calls; echo "$(wc -l < calls).server"')

    def write_script(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def environment(self, program: str, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("SLURM", "PBS", "LSB", "FLUX", "FAIRFRONT"))}
        return {**kept, "PATH": f"{self.folder}:{os.environ['PATH']}",
                "FAIRFRONT": self.write_script("program", program), **more}

    def start(self, program: str, *arguments: str, where: pathlib.Path | None = None,
              **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(["bash", str(JOBS / "batch.sh"), *(arguments or ("config.ini", "out.h5"))],
                                text=True, env=self.environment(program, **more), cwd=where or self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_job(self, program: str, *arguments: str, **more) -> tuple[int, str]:
        process = self.start(program, *arguments, **more)
        _, messages = process.communicate(timeout=300)
        return process.returncode, messages

    def test_a_job_runs_to_two_minutes_before_its_end(self) -> None:
        for name, told in SCHEDULERS.items():
            with self.subTest(name):
                code, messages = self.run_job(f'echo "$*" > {self.folder}/arguments', "a.ini", "b.h5", "--set", "x=1",
                                              **told)
                self.assertEqual(code, 0, messages)
                words = (self.folder / "arguments").read_text(encoding="utf-8").split()
                self.assertEqual(words[:-1], "run a.ini -o b.h5 --resume --set x=1 --time-limit".split())
                minutes, seconds = map(int, words[-1].split(":"))
                self.assertLessEqual(60 * minutes + seconds, 3480)
                self.assertGreater(60 * minutes + seconds, 3300)  # the script has taken some of it

    def test_what_the_user_says_of_the_time_goes_first(self) -> None:
        _, messages = self.run_job('echo "$*" >&2', FAIRFRONT_SECONDS="100000", **SCHEDULERS["pbs"])
        self.assertRegex(messages, r"--time-limit 166[0-9]:")
        code, messages = self.run_job("exit 0", FAIRFRONT_SECONDS="1h", **SCHEDULERS["lsf"])
        self.assertEqual(code, 2)
        self.assertIn("FAIRFRONT_SECONDS is a whole number, not '1h'", messages)

    def test_a_job_without_an_end_has_no_limit(self) -> None:
        self.write_script("flux", ANSWERS["flux"].replace("3600.5", "inf"))
        code, messages = self.run_job('echo "$*" >&2', **SCHEDULERS["flux"])
        self.assertEqual(code, 0)
        self.assertNotIn("--time-limit", messages)
        self.assertIn("nobody says when the job ends", messages)

    def test_pbs_begins_where_the_job_was_submitted(self) -> None:
        code, messages = self.run_job("pwd >&2", where=pathlib.Path("/"), PBS_O_WORKDIR=str(self.folder),
                                      **SCHEDULERS["pbs"])
        self.assertEqual(code, 0, messages)
        self.assertIn(f"\n{self.folder}\n", messages)

    def test_the_exit_code_is_that_of_the_run(self) -> None:
        for code in (0, 1, 2, 3, 4, 5, 137):
            with self.subTest(code):
                status, messages = self.run_job(f"exit {code}", **SCHEDULERS["lsf"])
                self.assertEqual(status, code, messages)
                self.assertEqual("the same command goes on" in messages, code in (3, 5, 137), messages)

    def test_what_mpirun_says_when_it_is_told_to_end_is_no_failed_task(self) -> None:
        code, messages = self.run_job("mkdir out.h5.journal; exit 1", **SCHEDULERS["lsf"])
        self.assertEqual(code, 3, messages)
        code, messages = self.run_job("touch out.h5; exit 1", **SCHEDULERS["lsf"])
        self.assertEqual(code, 1, messages)

    def test_a_run_that_is_still_there_is_waited_for(self) -> None:
        self.write_script("sleep", '[ "$1" -lt 100 ] || exec /bin/sleep "$1"')
        code, messages = self.run_job("echo >> starts; [ $(wc -l < starts) -ge 3 ] || exit 6",
                                      FAIRFRONT_SECONDS="", **SCHEDULERS["lsf"])
        self.assertEqual(code, 0, messages)
        self.assertEqual(messages.count("another run has not ended yet"), 2)

    def test_a_signal_reaches_the_ranks(self) -> None:
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(number), self.start("trap 'exit 3' USR1; touch ready; while :; do sleep .1; done",
                                                  **SCHEDULERS["lsf"]) as process:
                self.wait_for("ready")
                process.send_signal(number)
                _, messages = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 3, messages)
                self.assertIn("told to stop", messages)
                (self.folder / "ready").unlink()

    def test_tasks_that_take_longer_than_was_foreseen_are_stopped(self) -> None:
        code, messages = self.run_job("trap 'exit 3' USR1; while :; do sleep .1; done", FAIRFRONT_SECONDS="4",
                                      **SCHEDULERS["pbs"])
        self.assertEqual(code, 3, messages)
        self.assertIn("told to stop", messages)

    def wait_for(self, name: str) -> None:
        end = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), end, f"no {name}")
            time.sleep(0.05)

    def test_outside_of_a_job_it_says_what_it_wants(self) -> None:
        code, messages = self.run_job("exit 0")
        self.assertEqual(code, 2)
        self.assertIn("usage: in a job of PBS, LSF or Flux", messages)
        code, messages = self.run_job("exit 0", FAIRFRONT_LAUNCH="mpiruns", **SCHEDULERS["pbs"])
        self.assertEqual(code, 2)
        self.assertIn("there is no program 'mpiruns'", messages)

    def chain(self, scheduler: str, *arguments: str, **more: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        result = subprocess.run(["bash", str(JOBS / "chain.sh"), *arguments], text=True, cwd=self.folder,
                                env=self.environment("exit 0", FAIRFRONT_SCHEDULER=scheduler, **more), capture_output=True,
                                check=False, timeout=60)
        calls = self.folder / "calls"
        return result, calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def test_a_chain_of_jobs_each_after_all_before_it(self) -> None:
        script, program = JOBS / "batch.sh", self.folder / "program"
        result, calls = self.chain("pbs", "3", "-l", "walltime=1:00:00", "--", "a.ini", "b.h5")
        self.assertEqual(result.stdout, "jobs  1.server 2.server 3.server\n", result.stderr)
        first = f"-r n -l walltime=1:00:00{{}} -- {script} FAIRFRONT={program} a.ini b.h5"
        self.assertEqual(calls, [first.format(""), first.format(" -W depend=afternotok:1.server"),
                                 first.format(" -W depend=afternotok:1.server:2.server")])
        (self.folder / "calls").unlink()
        result, calls = self.chain("flux", "2", "-N", "2", "--", "a.ini", "b.h5")
        self.assertEqual(result.stdout, "jobs  f1 f2\n", result.stderr)
        self.assertEqual(calls, [f"batch -N 2{after} {script} FAIRFRONT={program} a.ini b.h5"
                                 for after in ("", " --dependency=afternotok:f1")])

    def test_a_chain_hands_on_how_long_its_jobs_may_take(self) -> None:
        for scheduler in ("pbs", "flux"):
            with self.subTest(scheduler):
                (self.folder / "calls").unlink(missing_ok=True)
                _, calls = self.chain(scheduler, "1", "-x", "--", "a.ini", "b.h5", FAIRFRONT_SECONDS="28800")
                self.assertEqual(len(calls), 1)
                self.assertIn(" FAIRFRONT_SECONDS=28800 a.ini b.h5", calls[0])

    def test_a_chain_ends_where_a_job_is_refused(self) -> None:
        """With SLURM it went on without the numbers of jobs, and ended with 0."""
        for scheduler, command in (("slurm", "sbatch"), ("pbs", "qsub"), ("flux", "flux")):
            refusing = self.folder / "bin" / command
            refusing.parent.mkdir(exist_ok=True)
            refusing.write_text("#!/bin/sh\necho refused >&2\nexit 1\n", encoding="utf-8")
            refusing.chmod(0o755)
            with self.subTest(scheduler):
                environment = self.environment("exit 0", FAIRFRONT_SCHEDULER=scheduler)
                environment["PATH"] = f"{refusing.parent}:{environment['PATH']}"
                result = subprocess.run(["bash", str(JOBS / "chain.sh"), "3", "-x", "--", "a.ini", "b.h5"], text=True,
                                        cwd=self.folder, env=environment, capture_output=True, check=False, timeout=60)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("refused\n")), (1, "", 1), result.stderr)
                self.assertIn(f"{scheduler} has refused job 1 of 3", result.stderr)

    def test_a_chain_of_a_scheduler_that_is_not_known_is_refused(self) -> None:
        result, calls = self.chain("cron", "2", "--", "a.ini", "b.h5")
        self.assertEqual((result.returncode, calls), (2, []))
        self.assertIn("FAIRFRONT_SCHEDULER is slurm, pbs or flux, not 'cron'", result.stderr)


if __name__ == "__main__":
    unittest.main()
