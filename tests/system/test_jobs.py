"""What the job script does with every exit code, against a SLURM that only writes down its calls."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "fairfront.sbatch"
REQUEUED = {3, 5, 6, 9, 137}
FINAL = {0, 2, 4}


class JobScript(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write_script("squeue", "exit 0")
        self.write_script("sleep", f'echo "$@" >> {self.folder}/sleeps')
        self.write_script("scontrol", f'echo "$@" >> {self.folder}/calls')

    def write_script(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def run_job(self, code: int, archive: bool = False, restarts: int = 0, begins: bool = True,
                pause: int | str = 0, told: str = "", allowed: int | str = 2) -> tuple[int, list[str], str]:
        """Status, calls of scontrol and messages of a job whose program ends with `code`, after it
        has begun a journal or before; `told`: what it does first, as a line of sh."""
        (self.folder / "calls").write_text("", encoding="utf-8")
        output = self.folder / "out.h5"
        output.unlink(missing_ok=True)
        shutil.rmtree(f"{output}.journal", ignore_errors=True)
        begin = 'mkdir -p "$4.journal"; touch "$4.journal/0000-000000.log"; ' if begins else ""
        if archive:
            output.touch()
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "7",
                       "SLURM_RESTART_COUNT": str(restarts), "FAIRFRONT_RESTARTS": str(allowed),
                       "FAIRFRONT": self.write_script("program", f"{told}\n{begin}exit {code}"),
                       "FAIRFRONT_PAUSE": str(pause), "FAIRFRONT_LAUNCH": "env"}
        result = subprocess.run(["bash", str(SCRIPT), "config.ini", str(output)], text=True,
                                env=environment, cwd=self.folder, capture_output=True, check=False,
                                timeout=300)
        calls = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return result.returncode, calls, result.stderr

    def test_what_another_start_may_mend_is_requeued_and_keeps_its_code(self) -> None:
        for code in REQUEUED:
            with self.subTest(code=code):
                status, calls, messages = self.run_job(code)
                self.assertEqual((status, calls), (code, ["requeue 7"]), messages)

    def test_but_only_up_to_the_cap(self) -> None:
        for code in REQUEUED:
            with self.subTest(code=code):
                status, calls, messages = self.run_job(code, restarts=2)
                self.assertEqual((status, calls), (code, []), messages)
                self.assertIn("no restart is left", messages)

    def test_what_would_end_the_same_way_again_is_final(self) -> None:
        for code in FINAL:
            with self.subTest(code=code):
                status, calls, messages = self.run_job(code)
                self.assertEqual((status, calls), (code, []), messages)

    def test_failed_tasks_are_final_once_the_archive_is_there(self) -> None:
        self.assertEqual(self.run_job(1, archive=True)[:2], (1, []))
        self.assertEqual(self.run_job(1)[:2], (1, ["requeue 7"]))  # mpirun's own failure

    def test_what_was_told_to_stop_before_it_began_is_requeued(self) -> None:
        """The signal of the time limit, while mpirun still starts its daemons: Open MPI ends with 244,
        what has no handler yet by the signal itself (128 + 10)."""
        deaf = "trap '' USR1; kill -USR1 $PPID; /bin/sleep 0.5"
        for told, code in ((deaf, 244), (deaf, 1), ("kill -USR1 $PPID; /bin/sleep 5", 138)):
            with self.subTest(code=code):
                status, calls, messages = self.run_job(code, begins=False, told=told)
                self.assertEqual((status, calls), (code, ["requeue 7"]), messages)
                self.assertIn(f"told to stop before the run began (exit code {code}); requeued", messages)

    def test_the_program_learns_when_the_job_will_end(self) -> None:
        self.write_script("squeue", "echo 4102444800")
        self.assertIn("ends at 4102444800\n", self.run_job(0, told='echo "ends at $SLURM_JOB_END_TIME" >&2')[2])

    def test_settings_that_are_no_numbers_are_refused_and_never_executed(self) -> None:
        for setting in ({"pause": "RANDOM[$(touch x)]"}, {"allowed": "RANDOM[$(touch x)]"}, {"pause": "soon"}):
            with self.subTest(setting):
                status, calls, messages = self.run_job(5, **setting)
                self.assertEqual((status, calls), (2, []), messages)
                self.assertIn("whole numbers", messages)
                self.assertFalse((self.folder / "x").exists())

    def test_what_never_began_is_final(self) -> None:
        for code in (1, 9, 127, 132, 137):
            with self.subTest(code=code):
                status, calls, messages = self.run_job(code, begins=False)
                self.assertEqual((status, calls), (code, []), messages)
                self.assertIn(f"the run never began (exit code {code})", messages)

    def test_a_held_journal_is_tried_again_first(self) -> None:
        self.run_job(6)
        self.assertEqual((self.folder / "sleeps").read_text().split(), ["2", "5", "10", "20"])

    def test_starts_lie_apart(self) -> None:
        self.run_job(3, pause=1000)
        self.assertRegex((self.folder / "sleeps").read_text(), r"^(1000|99\d)\n$")

    def test_the_reason_of_code_5_is_said(self) -> None:
        self.assertIn("out of memory or another failure of the machine; requeued",
                      self.run_job(5)[2])


class Usage(unittest.TestCase):
    def test_help_and_what_is_unknown_install_and_build_nothing(self) -> None:
        root = SCRIPT.parents[1]
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("sudo", "apt-get", "dpkg-query", "cmake", "npm", "mpirun", "fairfront"):
                path = pathlib.Path(folder) / tool
                path.write_text(f"#!/bin/sh\necho {tool} >> {folder}/called\nexit 9\n", encoding="utf-8")
                path.chmod(0o755)
            for script in ("jobs/quickstart.sh", "jobs/packages.sh", "tests/run.sh", "jobs/reproduce.sh", "jobs/get_data.sh"):
                for word in ("--help", "--hlep"):
                    with self.subTest(script=script, word=word):
                        result = subprocess.run(["bash", str(root / script), word], text=True, capture_output=True, check=False,
                                                env={"PATH": f"{folder}:{os.environ['PATH']}"}, timeout=60)
                        self.assertEqual(result.returncode, 0 if word == "--help" else 2, result.stderr)
                        self.assertIn("usage: " if word == "--help" else "", result.stdout)
                        self.assertFalse((pathlib.Path(folder) / "called").exists(), script)


if __name__ == "__main__":
    unittest.main()
