#!/usr/bin/env python3
"""CPU seconds between SIGTERM and the end of a run, at several times of it.

    tests/bench/stop_latency.py PROGRAM CONFIG [--stops N] [--data-dir D] [--set KEY=VALUE ...]

Runs the config to its end on one rank to know its CPU time, then again with a stop at N times spread
evenly over it. A run that is stopped must exit with 3, one that was at its end with 0. Prints the CPU
seconds after each stop, and the largest. CPU time does not depend on what else the machine does.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
INTERRUPTED = 3


def cpu_of(pid: int) -> float:
    """User and system seconds of a process that lives."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def cpu_at_end(process: subprocess.Popen) -> tuple[float, int]:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, process.returncode


def start(command: list[str]) -> subprocess.Popen:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stopped_at(command: list[str], when: float) -> tuple[float, float, int] | None:
    """CPU seconds at the stop and after it, and the exit code; None: the run ended before."""
    process = start(command)
    while cpu_of(process.pid) < when:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            cpu_at_end(process)
            return None
        time.sleep(0.01)
    before = cpu_of(process.pid)
    process.send_signal(signal.SIGTERM)
    end, code = cpu_at_end(process)
    return before, end - before, code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("config")
    parser.add_argument("--stops", type=int, default=12)
    parser.add_argument("--data-dir")
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "stopped.h5"
        command = [arguments.program, "run", arguments.config, "-o", str(archive), "--force"]
        command += ["--data-dir", arguments.data_dir] if arguments.data_dir else []
        command += [word for pair in arguments.set for word in ("--set", pair)]
        whole, code = cpu_at_end(start(command))
        print(f"whole run: {whole:.2f} s of CPU, exit code {code}")
        longest, wrong = 0.0, code not in (0, 1)
        for i in range(arguments.stops):
            found = stopped_at(command, whole * (i + 0.5) / arguments.stops)
            if found is None:
                continue
            before, after, code = found
            wrong = wrong or code not in (0, INTERRUPTED)
            longest = max(longest, after)
            print(f"  stop at {before:6.2f} s: {after:5.2f} s more, exit code {code}")
    print(f"longest: {longest:.2f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
