"""Runs the program in a folder of its own and tells what every rank returned."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from collections.abc import Sequence

import h5py
import numpy as np

PROGRAM = os.environ["FAIRFRONT_PROGRAM"]
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
TIME_LIMIT = 300  # seconds; longer means that a rank hangs, on the slowest machine, too

# A run of a few milliseconds. Sections and keys in the order of the file.
CONFIG = {
    "": {"experiment": "clustering", "seed": "1"},
    "data": {"data": "csv", "file": "people.csv", "features": "age, hours", "sensitive": "sex"},
    "clustering": {"clusters": "3"},
    "safairkm_front": {"iterations": "8", "starts": "4", "pairs": "(3,1) (1,0)"},
}
COLUMNS = ("age", "hours", "sex", "region")


@dataclasses.dataclass
class Outcome:
    codes: list[int]  # exit status of every rank
    out: str
    error: str


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Ours, without what a job of SLURM would say about this process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    open_mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none"}
    return {**kept, **open_mpi, **(extra or {})}


def people(rows: int = 60) -> list[list[str]]:
    """A table of reproducible people, header first."""
    draw = random.Random(1)
    table = [list(COLUMNS)]
    for row in range(rows):
        table.append([str(draw.randint(18, 80)), f"{draw.uniform(0, 60):.3f}",
                      ("f", "m")[row % 3 == 0], ("north", "south")[row % 2]])
    return table


class ProgramTest(unittest.TestCase):
    """A test in an empty folder that holds config.ini and people.csv."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write_people(people())
        self.write_config({})

    def write_people(self, table: list[list[str]]) -> None:
        text = "".join(",".join(row) + "\n" for row in table)
        (self.folder / "people.csv").write_text(text, encoding="utf-8")

    def write_config(self, changes: dict[str, str | None], name: str = "config.ini") -> None:
        """CONFIG with "section.key" set to a value, or left out where it is None."""
        config = copy.deepcopy(CONFIG)
        for option, value in changes.items():
            section, _, key = option.rpartition(".")
            config.setdefault(section, {})[key] = value
        lines = []
        for section, entries in config.items():
            lines += [f"[{section}]"] if section else []
            lines += [f"{key} = {value}" for key, value in entries.items() if value is not None]
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run_program(self, *arguments: str, ranks: int | None = None,
                    extra: dict[str, str] | None = None, prefix: Sequence[str] = ()) -> Outcome:
        """On `ranks` ranks under mpiexec; None: the program alone, as one process.

        `prefix` is a command that starts the program on each rank.
        """
        command = [*prefix, PROGRAM, *arguments]
        if ranks is None:
            result = self.execute(command, extra)
            return Outcome([result.returncode], result.stdout, result.stderr)
        # Each rank notes its own status and ends well: mpiexec would kill the others as soon as
        # one has failed.
        with tempfile.TemporaryDirectory() as notes:
            note = f'"$@"; echo $? > {notes}/$OMPI_COMM_WORLD_RANK'
            result = self.execute([MPIEXEC, "-n", str(ranks), "sh", "-c", note, "sh", *command],
                                  extra)
            self.assertEqual(result.returncode, 0, f"mpiexec failed:\n{result.stderr}")
            codes = [int((pathlib.Path(notes) / str(rank)).read_text()) for rank in range(ranks)]
        return Outcome(codes, result.stdout, result.stderr)

    def execute(self, command: list[str],
                extra: dict[str, str] | None) -> subprocess.CompletedProcess[str]:
        # timeout(1) also ends the ranks, which subprocess would leave behind.
        result = subprocess.run(["timeout", "-k", "5", str(TIME_LIMIT), *command], text=True,
                                cwd=self.folder, env=environment(extra), capture_output=True,
                                stdin=subprocess.DEVNULL, check=False)
        self.assertNotIn(result.returncode, (124, 137),
                         f"still running after {TIME_LIMIT} s: {command}\n{result.stderr}")
        return result

    def succeed(self, *arguments: str, ranks: int | None = None) -> str:
        """What the program printed; every rank must return 0."""
        outcome = self.run_program(*arguments, ranks=ranks)
        self.assertEqual(set(outcome.codes), {0}, outcome.error)
        return outcome.out

    def make_archive(self, name: str = "result.h5", ranks: int | None = None) -> pathlib.Path:
        self.succeed("run", "config.ini", "-o", name, ranks=ranks)
        return self.folder / name

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}


def results_sha256(path: pathlib.Path) -> str:
    """SHA-256 of all an archive's results, computed without any code of the program."""
    volatile = ("provenance", "timing")
    total = hashlib.sha256()

    def add(name: str, node: h5py.Group | h5py.Dataset) -> None:
        if name.split("/")[0] in volatile:
            return
        total.update(name.encode())
        if isinstance(node, h5py.Dataset):
            values = np.asarray(node[()])
            total.update(f"{values.dtype} {values.shape}".encode() + values.tobytes())

    with h5py.File(path) as file:
        file.visititems(add)
    return total.hexdigest()


def digest(path: pathlib.Path) -> str:
    with h5py.File(path) as file:
        return file.attrs["digest"].decode()


def seal_again(path: pathlib.Path) -> None:
    """Makes the seal of a changed archive right, as a forger would."""
    data = path.read_bytes()
    body = data[512:]
    seal = (f"fairfront archive, HDF5 from byte 512\nlength {len(data)}\n"
            f"sha256 {hashlib.sha256(body).hexdigest()}\n")
    path.write_bytes(seal.encode().ljust(512, b"\0") + body)
