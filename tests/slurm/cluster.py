"""A SLURM of two nodes on this machine, in a folder of its own, for the length of a test."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import pwd
import random
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable

NODES = ("node1", "node2")
TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "setpriv", "squeue", "srun")
ADMINISTRATOR_PATH = os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"
USER = pwd.getpwuid(os.geteuid()).pw_name
START_SECONDS = 30
STOP_SECONDS = 10
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>


def why_not() -> str | None:
    """Why there can be no such cluster here; None when there can."""
    missing = [tool for tool in TOOLS if shutil.which(tool, path=ADMINISTRATOR_PATH) is None]
    if missing:
        return f"not installed: {', '.join(missing)} (jobs/packages.sh test)"
    if os.geteuid() != 0:
        return "SLURM's daemons start the jobs of their users as root only"
    return None


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now. Below those that the system gives to whoever asks for any,
    as mpirun in the tests beside this one does before our daemons have taken theirs."""
    found: list[int] = []
    for port in random.SystemRandom().sample(range(12_000, 32_000), 1_000):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("", port))
            found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError("no free ports")


def descendants(process: int) -> list[int]:
    """Process ids of all children and children's children."""
    found = []
    for tasks in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, tasks.read_text().split()):
                found += [child, *descendants(child)]
    return found


class Cluster:
    """munged, slurmctld and one slurmd a node."""

    def __init__(self, folder: pathlib.Path, environment: dict[str, str]) -> None:
        """`folder` is empty, and no one else may write there: munged insists. The daemons and
        SLURM's commands, so the jobs, too, get `environment`."""
        self.folder = folder
        self.environment = {**environment, "PATH": ADMINISTRATOR_PATH,
                            "SLURM_CONF": str(folder / "slurm.conf")}
        folder.chmod(0o711)  # everyone may reach the socket: munged insists on that, too
        self.daemons: list[subprocess.Popen[bytes]] = []
        host = socket.gethostname().split(".")[0]
        control, *ports = free_ports(1 + len(NODES))
        self.write_configuration(host, control, ports)

    def write_configuration(self, host: str, control: int, ports: list[int]) -> None:
        cores = os.cpu_count() or 1
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores}"
            for node, port in zip(NODES, ports))
        # A requeued job waits for cred_expire: 5 s at least, 2 minutes by default.
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=fairfront
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser={USER}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket,cred_expire=5
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmctldDebug=debug
StateSaveLocation={self.folder}/state
SlurmdPidFile={self.folder}/slurmd-%n.pid
SlurmdLogFile={self.folder}/slurmd-%n.log
SlurmdSpoolDir={self.folder}/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=0
KillWait=5
SchedulerParameters=sched_interval=2,batch_sched_delay=0
{nodes}
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:4 MaxTime=INFINITE State=UP
""", encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        (self.folder / "state").mkdir()
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """One of SLURM's commands, with more environment."""
        return subprocess.run(words, text=True, env={**self.environment, **environment},
                              cwd=self.folder, timeout=60, check=False, capture_output=True,
                              stdin=subprocess.DEVNULL)

    def command(self, *words: str, **environment: str) -> str:
        """What it prints; raises when it fails."""
        result = self.run(*words, **environment)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {result.stderr}")
        return result.stdout

    def start_daemon(self, *words: str) -> None:
        with open(self.folder / "daemons.log", "ab") as log:
            # Should this process be killed, its daemons shall not stay behind.
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *words],
                                                 env=self.environment, stdout=log, stderr=log,
                                                 stdin=subprocess.DEVNULL))

    def start(self) -> None:
        """Returns when both nodes wait for work. What stop() must end may be there even if this
        throws."""
        # Orphans of the daemons (job steps) become our children, so that they are found and ended.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        folder = self.folder
        self.start_daemon("munged", "--foreground", f"--socket={folder}/munge.socket",
                          f"--key-file={folder}/munge.key", f"--log-file={folder}/munged.log",
                          f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munged.seed")
        self.wait_for((folder / "munge.socket").exists)
        self.start_daemon("slurmctld", "-D")
        for node in NODES:
            self.start_daemon("slurmd", "-D", "-N", node)
        self.wait_for(self.all_idle)

    def all_idle(self) -> bool:
        try:
            states = self.command("sinfo", "-h", "-N", "-o", "%N %T").splitlines()
        except RuntimeError:
            return False  # slurmctld does not answer yet
        return states == [f"{node} idle" for node in NODES]

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + START_SECONDS
        while not condition():
            ended = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                raise RuntimeError(f"SLURM did not start; ended: {ended}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self) -> str:
        """The last lines of every daemon's log, for a message."""
        texts = []
        for log in sorted(self.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-20:]
            texts += [f"== {log.name}", *lines]
        return "\n".join(texts)

    def stop(self) -> None:
        """Ends the jobs, then every process that this one has started, and theirs."""
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
            self.command("scancel", "--state=PENDING", "--state=RUNNING", "--user", USER)
            end = time.monotonic() + STOP_SECONDS
            while self.command("squeue", "--noheader") and time.monotonic() < end:
                time.sleep(0.2)
        while processes := descendants(os.getpid()):
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)
