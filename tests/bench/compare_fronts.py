#!/usr/bin/env python3
"""Hypervolume against CPU seconds for the front methods of the experiment `clustering`.

    tests/bench/compare_fronts.py PROGRAM DATA_DIR -o RUNS.jsonl [--cases adult-k10,bank-k5]
                                  [--seeds 1,2] [--runs full,short,ladder,vfairkm]
    tests/bench/compare_fronts.py --table RUNS.jsonl

Every task is a process of its own on one rank, one at a time. Its CPU seconds are user and system
time as the kernel counted them, so other load on the machine does not enter, less those of the same
process with one iteration of Lloyd's method: start-up, reading and preparing the data. A run that
the output holds already is not made again.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import h5py

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "clustering"

# Case: config of its SAfairKM run, iterations of it, mu_max of VfairKM in the paper.
CASES = {
    "adult-k5": {"iterations": 2500, "mu_max": 6190},
    "adult-k10": {"iterations": 2500, "mu_max": 3260},
    "bank-k5": {"iterations": 1500, "mu_max": 4790},
    "bank-k10": {"iterations": 8000, "mu_max": 2440},
}

# Budgets of the balance ladder; the third one is its defaults.
LADDERS = {
    "smallest": "starts = 1\nseedings = 12\nlloyd_iterations = 5\nlevels = 8\nbisections = 3\n"
                "passes = 2\nrelocations = 0\nrefinements = 0\n",
    "small": "starts = 4\nrelocations = 0\nrefinements = 20\n",
    "default": "",
    "large": "starts = 24\nrelocations = 100\nrefinements = 400\n",
}


def data_sections(case):
    """The part of the case's config that all methods share."""
    lines = (CONFIGS / f"{case}.ini").read_text().splitlines()
    return "\n".join(lines[: lines.index("[safairkm_front]")]) + "\n"


def methods_of(case, kinds):
    """Yields (method, label, section text) of every run wanted."""
    full = CASES[case]["iterations"]
    if "full" in kinds:
        yield "safairkm_front", f"T = {full}", f"iterations = {full}\n"
    if "short" in kinds:
        for share in (0.02, 0.1, 0.3):
            iterations = round(share * full)
            yield "safairkm_front", f"T = {iterations}", f"iterations = {iterations}\n"
    if "vfairkm" in kinds:
        yield "vfairkm", "100 weights", f"mu_max = {CASES[case]['mu_max']}\nmu_count = 100\n"
    if "ladder" in kinds:
        for label, section in LADDERS.items():
            yield "balance_ladder", label, section


def cpu_seconds(program, data_dir, config, output):
    """User and system seconds of one run of `config`."""
    command = [program, "run", config, "--data-dir", data_dir, "-o", output, "--force", "--quiet"]
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def run(program, data_dir, case, method, section, seed):
    """CPU seconds and figures of a front. Short runs are timed five times and the least counts:
    what else the machine does can only make them longer."""
    first = run_once(program, data_dir, case, method, section, seed)
    if first["cpu"] > 2:
        return first
    runs = [first] + [run_once(program, data_dir, case, method, section, seed) for _ in range(4)]
    if len({row["hypervolume"] for row in runs}) > 1:
        raise RuntimeError(f"{case}, {method}: not the same hypervolume every time")
    return min(runs, key=lambda row: row["cpu"])


def run_once(program, data_dir, case, method, section, seed):
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "case.ini")
        output = os.path.join(folder, "case.h5")
        text = data_sections(case).replace("seed = 1\n", f"seed = {seed}\n", 1)
        Path(config).write_text(f"{text}[{method}]\n{section}")
        seconds = cpu_seconds(program, data_dir, config, output)
        with h5py.File(output) as archive:
            metrics = {
                name: float(archive["metrics"][name][0])
                for name in ("hypervolume", "front_size", "least_cost", "greatest_balance")
            }
    return {"cpu": seconds, **metrics}


def measure(options):
    done = set()
    if os.path.exists(options.output):
        for line in Path(options.output).read_text().splitlines():
            row = json.loads(line)
            done.add((row["case"], row["method"], row["label"], row["seed"]))
    kinds = options.runs.split(",")
    for seed in map(int, options.seeds.split(",")):
        for case in options.cases.split(","):
            overhead = None
            for method, label, section in methods_of(case, kinds):
                if (case, method, label, seed) in done:
                    continue
                if overhead is None:
                    lloyd = "restarts = 1\niterations = 1\n"
                    overhead = run(options.program, options.data_dir, case, "lloyd", lloyd, seed)["cpu"]
                row = run(options.program, options.data_dir, case, method, section, seed)
                row["cpu"] = max(row["cpu"] - overhead, 0.0)
                row = {"case": case, "method": method, "label": label, "seed": seed, **row}
                with open(options.output, "a", encoding="utf-8") as output:
                    output.write(json.dumps(row) + "\n")
                print(row, flush=True)


def read_groups(path):
    """The rows of a file by (case, method, label)."""
    groups = defaultdict(list)
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        groups[row["case"], row["method"], row["label"]].append(row)
    return groups


def wins(rows, others):
    """In how many of the seeds that both have `rows` reach the hypervolume of `others`."""
    theirs = {row["seed"]: row["hypervolume"] for row in others}
    pairs = [(row["hypervolume"], theirs[row["seed"]]) for row in rows if row["seed"] in theirs]
    return f"{sum(ours >= other for ours, other in pairs)}/{len(pairs)}" if pairs else "-"


def table(path):
    """Prints means over the seeds, and in how many of them the full runs are reached."""
    groups = read_groups(path)
    print(f"{'case':10} {'method':15} {'setting':12} {'seeds':>5} {'CPU s':>7} {'hypervolume':>11} "
          f"{'least':>9} {'points':>6} {'balance':>8} {'full/CPU':>8} {'>= full':>7} {'>= vfair':>8}")
    for (case, method, label), rows in sorted(groups.items()):
        def mean(name, of=rows):
            return sum(row[name] for row in of) / len(of)

        full = groups.get((case, "safairkm_front", f"T = {CASES[case]['iterations']}"), [])
        vfair = groups.get((case, "vfairkm", "100 weights"), [])
        ratio = mean("cpu", full) / mean("cpu") if full and mean("cpu") > 0 else float("nan")
        least = min(row["hypervolume"] for row in rows)
        print(f"{case:10} {method:15} {label:12} {len(rows):5d} {mean('cpu'):7.2f} "
              f"{mean('hypervolume'):11.6f} {least:9.6f} {mean('front_size'):6.0f} "
              f"{mean('greatest_balance'):8.5f} {ratio:8.0f} {wins(rows, full):>7} "
              f"{wins(rows, vfair):>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("data_dir", nargs="?")
    parser.add_argument("-o", "--output")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--runs", default="ladder,vfairkm,short,full")
    parser.add_argument("--table", metavar="RUNS")
    options = parser.parse_args()
    if options.table:
        return table(options.table)
    if not (options.program and options.data_dir and options.output):
        parser.error("PROGRAM, DATA_DIR and -o are needed")
    return measure(options)


if __name__ == "__main__":
    sys.exit(main())
