#!/usr/bin/env python3
"""Test hypervolumes of risk against the Kolmogorov-Smirnov distance: [barycenter] and [dp_lp] together beside
every other method of `configs/regression/rivals.ini`, paired over its ten splits.

    tests/bench/regression_rivals.py PROGRAM DATA_DIR [--rows 2000]

Every method has the same reference point on a data set: the means over the splits of the risk of the best
constant, and of the distance of the base model, both of test rows. --rows are drawn of Law School and Adult.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

import fairfront_archive  # noqa: E402
from fairfront_archive.pareto import hypervolume, nondominated  # noqa: E402

SETS = {"Communities": [],
        "Law School": ["data.data=law_school", "data.task=regression"],
        "Adult": ["data.data=adult", "data.task=regression"]}
OURS = ["barycenter", "dp_lp"]
RISK, DISTANCE = "risk (test)", "kolmogorov_smirnov_to_all (test)"


def run(program, data, name, rows, folder):
    """The table of tasks of one data set."""
    options = SETS[name] + ([f"data.subsample={rows}", "data.subsample_seed=42"] if SETS[name] else [])
    archive = f"{folder}/{name.split()[0]}.h5"
    command = [program, "run", str(ROOT / "configs/regression/rivals.ini"), "-o", archive, "--data-dir", data]
    for option in options:
        command += ["--set", option]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with fairfront_archive.open(archive) as opened:
        return opened.task_frame()


def volumes(tasks, reference):
    """By split, that of the points of some tasks."""
    return np.array([hypervolume(nondominated(mine[[RISK, DISTANCE]].to_numpy()), reference)
                     for _, mine in tasks.groupby("split.split_seed")])


def print_set(name, tasks):
    constant = tasks[RISK] / (1 - tasks["r_squared (test)"])
    base = tasks[tasks.method == "base_model"]
    reference = np.array([constant.mean(), base[DISTANCE].mean()])
    ours = volumes(tasks[tasks.method.isin(OURS)], reference)
    print(f"{name}, reference {reference[0]:.5f} and {reference[1]:.4f}")
    print(f"  {'together':30} {ours.mean():.6f}")
    called = tasks.method + ("/" + tasks["adw.learn_from"]).fillna("")
    for method in sorted(called.unique()):
        one = volumes(tasks[called == method], reference)
        more, p = int((ours > one).sum()), stats.ttest_rel(ours, one).pvalue
        print(f"  {method:30} {one.mean():.6f}  together has more in {more} of {len(one)}, p {p:.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--rows", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            print_set(name, run(arguments.program, arguments.data, name, arguments.rows, folder))


if __name__ == "__main__":
    main()
