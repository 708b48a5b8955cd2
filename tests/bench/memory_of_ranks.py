#!/usr/bin/python3
"""Memory of the ranks of one node, 1, 4 and 16 of them, on generated tables of several families.

    tests/bench/memory_of_ranks.py PROGRAM [--rows 500000] [--ranks 1,4,16] [--family ranking]

Prints for each family the peak of what all ranks hold together (the sum of their proportional set sizes,
looked at every 30 ms), what `plan --ranks` says, and how many times one rank's it is. Fails where a run
fails or archives of two numbers of ranks have different digests.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

LOOK = 0.03  # seconds
COLUMNS = 30
TABLE = "[data]\ndata = csv\nfile = rows.csv\nlabel = y\nfeatures = *\nsensitive = g\n[split]\nvalidation = 0.2\ntest = 0.2\n"
CONFIGS = {
    "training": f"experiment = training\nseed = 1..24\n{TABLE}[training]\nbudget = 200000\n[sgd]\n",
    "ranking": f"experiment = ranking\nseed = 1..24\n{TABLE}[ranking]\nmetric = inter_group\n[sfls]\nkappa = 0.1\n",
    "predictions": "experiment = predictions\n[data]\ndata = csv\nfile = audited.csv\nlabel = y\nsensitive = g\n"
                   "[split]\nsplit_seed = 1..4\nvalidation = 0.3\ntest = 0.3\n[predictions]\nscore = first, second\n[measures]\n"
                   "[thresholds]\nfairness = demographic_parity\n",
}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def write_tables(folder: pathlib.Path, rows: int) -> None:
    random = np.random.default_rng(1)
    group = random.integers(0, 2, rows)
    features = random.normal(size=(rows, COLUMNS))
    label = features[:, :5].sum(axis=1) + 0.5 * group + 2 * random.normal(size=rows) > 0
    np.savetxt(folder / "rows.csv", np.column_stack([label, group, features]), delimiter=",", comments="",
               fmt=["%d", "%d"] + ["%.4f"] * COLUMNS, header="y,g," + ",".join(f"x{i}" for i in range(COLUMNS)))
    first = random.random(2 * rows)
    second = np.clip(first + 0.05 * random.normal(size=2 * rows), 0, 1)
    label = random.random(2 * rows) < first
    np.savetxt(folder / "audited.csv", np.column_stack([label, random.integers(0, 8, 2 * rows), first, second]),
               delimiter=",", comments="", fmt=["%d", "%d", "%.6f", "%.6f"], header="y,g,first,second")


def ranks_of(launcher: int, program: str) -> list[int]:
    """Processes below the launcher that run the program."""
    parents: dict[int, list[int]] = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(entry.name))
    found, left = [], [launcher]
    while left:
        children = parents.get(left.pop(), [])
        left += children
        found += [child for child in children if runs(child, program)]
    return found


def runs(process: int, program: str) -> bool:
    try:
        return os.path.samefile(f"/proc/{process}/exe", program)
    except OSError:
        return False


def held_by(process: int) -> int:
    """Bytes of its proportional set; 0 when it has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss: +(\d+) kB", text, re.MULTILINE)
    return 1024 * int(found.group(1)) if found else 0


def peak_of(program: str, folder: pathlib.Path, name: str, ranks: int) -> tuple[float, str]:
    """Megabytes of all ranks together, and the archive's digest."""
    command = ["mpirun", "-n", str(ranks), program, "run", f"{name}.ini", "-o", "result.h5", "--force"]
    peak = 0
    with open(folder / "log", "w+", encoding="utf-8") as log:
        with subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=log) as run:
            found: list[int] = []
            while run.poll() is None:
                if len(found) < ranks:
                    found = ranks_of(run.pid, program)
                peak = max(peak, sum(map(held_by, found)))
                time.sleep(LOOK)
        log.seek(0)
        said = log.read()
    digest = re.search(r"digest ([0-9a-f]{64})", said)
    if run.returncode != 0 or not digest:
        raise SystemExit(f"{name} on {ranks} ranks failed:\n{said}")
    return peak / 1e6, digest.group(1)


def planned(program: str, folder: pathlib.Path, name: str, ranks: int) -> str:
    """What `plan` says, with its unit."""
    text = subprocess.run([program, "plan", f"{name}.ini", "--ranks", str(ranks)], cwd=folder, env=ENVIRONMENT,
                          capture_output=True, text=True, check=True).stdout
    found = re.findall(rf"\b{ranks} ranks?(?: on it)? ([0-9.]+ [MG]B)", text)
    return found[-1] if found else "-"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--ranks", type=lambda text: [int(one) for one in text.split(",")], default=[1, 4, 16])
    parser.add_argument("--family", choices=list(CONFIGS), action="append")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_tables(folder, asked.rows)
        for family in asked.family or CONFIGS:
            (folder / f"{family}.ini").write_text(CONFIGS[family], encoding="utf-8")
            first, digests = None, set()
            for ranks in asked.ranks:
                peak, digest = peak_of(asked.program, folder, family, ranks)
                first = first or peak
                digests.add(digest)
                print(f"{family:<12} {ranks:>3} ranks {peak:>8.0f} MB, {peak / first:.2f} times the first; "
                      f"plan says {planned(asked.program, folder, family, ranks)}", flush=True)
            if len(digests) > 1:
                raise SystemExit(f"{family}: archives differ by the number of ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
