#!/usr/bin/python3
"""Memory and time of [dp_streaming] on files of unlabelled rows, the second ten times as long.

    tests/bench/streaming_memory.py PROGRAM [--rows 100000]

Prints rows, megabytes of the file, peak memory of the process and seconds. Fails where the longer file
takes more memory than the shorter one by more than a twentieth of what it is longer, or where
multipliers differ from those of the same method written out here, row by row.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

HALF, BETA, SLACK = 14, 100.0, 0.002
CONFIG = f"""experiment = regression
[data]
data = csv
file = table.csv
label = y
sensitive = sex
[split]
validation = 0.4
test = 0.3
stratify = group
[base]
eta = eta
tau = tau_f, tau_m
[regression]
half_atoms = {HALF}
beta = {BETA}
shares = given
given_shares = 0.5, 0.5
range = given
least = -1
greatest = 1
unlabelled_file = rows.csv
[dp_streaming]
epsilon = {SLACK}
optimiser = averaged_sgd
compare = no
"""


def write_rows(path, count, labelled):
    """Predictions of a target and of two groups that depend on each other, as they are in the file."""
    random = np.random.default_rng(count)
    eta = np.round(random.uniform(-0.8, 0.8, count), 6)
    tau = np.round(1 / (1 + np.exp(-2 * eta - random.normal(size=count))), 6)
    columns = [eta, 1 - tau, tau]
    names = ["eta", "tau_f", "tau_m"]
    if labelled:
        columns += [np.clip(eta + 0.1 * random.normal(size=count), -1, 1),
                    random.uniform(size=count) < tau]
        names += ["y", "sex"]
    np.savetxt(path, np.column_stack(columns), fmt="%.6f", delimiter=",", header=",".join(names),
               comments="")
    return np.column_stack([eta, np.round(1 - tau, 6), tau])


def plain_multipliers(rows):
    """Projected stochastic gradients of size 1/M in the order of the rows, averaged; shape (2, 2, n):
    Lambda and V, by group."""
    atoms = np.arange(-HALF, HALF + 1) / HALF
    shares = np.array([0.5, 0.5])
    smoothness = 2 * BETA * np.sum((1 - shares) / shares)
    w = np.zeros((2, 2, len(atoms)))
    average = np.zeros_like(w)
    for count, (eta, *tau) in enumerate(rows, start=1):
        tilt = 1 - np.array(tau) / shares
        score = BETA * (tilt @ (w[0] - w[1]) - (eta - atoms) ** 2)
        pi = np.exp(score - score.max())
        move = np.outer(tilt, pi / pi.sum())
        w = np.maximum(0, w - np.stack([SLACK + move, SLACK - move]) / smoothness)
        average += (w - average) / count
    return average


# A child counts as its own what its parent held when it was forked, so the parent is a small one.
WAIT = """import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


def run(program, folder):
    """Peak memory in kilobytes and seconds of a whole run on one process."""
    begin = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-IS", "-c", WAIT, program, "run", str(folder / "config.ini"), "-o",
         str(folder / "result.h5"), "--data-dir", str(folder), "--force", "--quiet"],
        stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"the program ended with status {ended.returncode}")
    return int(ended.stdout.split()[-1]), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    peaks, sizes = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.ini").write_text(CONFIG)
        write_rows(folder / "table.csv", 2000, labelled=True)
        os.chdir(folder)  # where the config looks for its files
        for count in (options.rows, 10 * options.rows):
            rows = write_rows(folder / "rows.csv", count, labelled=False)
            sizes.append((folder / "rows.csv").stat().st_size)
            peak, seconds = run(options.program, folder)
            peaks.append(1024 * peak)
            print(f"{count} rows, {sizes[-1] / 1e6:.1f} MB: peak {peaks[-1] / 1e6:.1f} MB, "
                  f"{seconds:.2f} s")
            with h5py.File(folder / "result.h5") as archive:
                found = archive["solutions/multipliers/values"][()]
            expected = plain_multipliers(rows).ravel()
            if expected.max() == 0 or np.abs(found - expected).max() > 1e-9 * expected.max():
                sys.exit("the multipliers are not those of the method")
    if peaks[1] - peaks[0] > (sizes[1] - sizes[0]) / 20:
        sys.exit("memory grows with the rows")
    print("memory does not grow with the rows")


if __name__ == "__main__":
    main()
