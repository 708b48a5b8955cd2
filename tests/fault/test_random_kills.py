"""SIGKILL at moments and to victims drawn from fixed seeds, again and again, until a sweep is done.

Where in the code a moment falls differs from run to run; what is checked holds everywhere.
"""

from __future__ import annotations

import pathlib
import random
import signal
import time
import unittest

from fault import COUPLED, MANY_SLOW, FaultTest, Job, LauncherHung, wait_for

FIRST_FRAME_BYTES = 60  # at least; a log that is longer has records


class RandomKills(FaultTest):
    def kill_until_done(self, config: list[str], kills: int, seed: int) -> None:
        """Sweep after sweep, each resumed after every kill, until so many kills have hit."""
        draw = random.Random(seed)
        expected = self.uninterrupted(config)
        hit = sweeps = 0
        while hit < kills:
            self.begin_anew()
            sweeps += 1
            while hit < kills and not self.archive.exists():
                before = self.recorded()
                hit += self.launch_and_kill(config, draw)
                self.assert_kept(before)
            self.assert_resumes(config, expected, ranks=draw.randint(1, 4))
            self.assert_cleans_up(config)
        print(f"{hit} kills in {sweeps} sweeps", flush=True)

    def launch_and_kill(self, config: list[str], draw: random.Random) -> bool:
        """Whether the kill hit a run under way; it may have ended before."""
        logs = set(self.journal.glob("*.log")) if self.journal.exists() else set()
        grace = int(draw.random() < 0.2)
        with self.launched(config, "--resume", ranks=draw.randint(1, 4), grace=grace) as job:
            # One in five falls into the start: MPI, the plan, the journal's folder.
            if draw.random() < 0.2:
                time.sleep(draw.uniform(0.0, 0.6))
            else:
                wait_for(lambda: self.has_begun(logs), job)
                time.sleep(draw.uniform(0.0, 0.5))
            hit = self.kill(job, draw)
            code = job.wait()
            self.assertEqual(code == 0, not hit, job.errors())
        return hit

    def has_begun(self, old_logs: set[pathlib.Path]) -> bool:
        """Whether this launch has finished a task, or written or found a checkpoint."""
        new_logs = set(self.journal.glob("*.log")) - old_logs
        if not new_logs:
            return False
        return (any(log.stat().st_size > FIRST_FRAME_BYTES for log in new_logs)
                or next(self.journal.glob("*.checkpoint"), None) is not None)

    def kill(self, job: Job, draw: random.Random) -> bool:
        """One rank, or everything, or the launcher alone."""
        if not job.running():
            return False
        victim = draw.random()
        ranks = job.ranks()
        if victim < 0.6 and ranks:
            process = ranks[draw.choice(sorted(ranks))]
            return job.send(signal.SIGKILL, process) and self.ended_by_it(job)
        if victim < 0.85:
            return job.kill_all() and self.ended_by_it(job)
        return job.send(signal.SIGKILL, job.process.pid) and self.ended_by_it(job)

    def ended_by_it(self, job: Job) -> bool:
        """False when it had done everything but the last steps of its exit."""
        try:
            return job.wait() != 0
        except LauncherHung:
            print("the launcher lost a rank that was connecting, and hung", flush=True)
            return True

    def test_a_sweep_of_many_short_tasks(self) -> None:
        self.kill_until_done(MANY_SLOW, kills=45, seed=1)

    def test_coupled_tasks_with_checkpoints(self) -> None:
        self.kill_until_done(COUPLED, kills=20, seed=2)


if __name__ == "__main__":
    unittest.main()
