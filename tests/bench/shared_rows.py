#!/usr/bin/python3
"""One run of training on one rank and on several that share its rows: ACSIncome, 1.4 million of them.

    tests/bench/shared_rows.py PROGRAM DATA_DIR [--ranks 1,2] [--case network,...]

Prints for each case the wall time of the whole program and how many times shorter it is than on the first
number of ranks; reading the table (by one rank), measures of the result and the archive are in it. Fails
where a run fails or two archives have different digests. Only on cores that nobody else uses do the times
say anything.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SHARED = "experiment = training\n[data]\ndata = acs_income\n[split]\nvalidation = 0.2\ntest = 0.2\nstratify = group\n"
CASES = {
    "rates": "[model]\nhidden =\n[training]\nrate = demographic_parity\nbudget = 600000000\ntrace_points = 0\n"
             "[certified_training]\nlast_layer_evaluations = 600\ndelta = 0.02\n",
    "network": "[model]\nhidden = 64, 32\n[training]\nbudget = 100000000\ntrace_points = 0\n"
               "[certified_training]\nbatch = 4096\ndelta = 0.02\n",
    "wide": "[model]\nhidden = 256, 128\n[training]\nbudget = 20000000\ntrace_points = 0\n"
            "[certified_training]\nbatch = 4096\ndelta = 0.02\n",
    "sgd": "[model]\nhidden = 256, 128\n[training]\nbudget = 20000000\ntrace_points = 0\n[sgd]\nbatch = 4096\n",
}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(program: str, data: str, config: pathlib.Path, ranks: int) -> tuple[float, str]:
    """Seconds and the digest."""
    archive = config.with_name(f"{config.stem}{ranks}.h5")
    begin = time.monotonic()
    subprocess.run(["mpirun", "-n", str(ranks), program, "run", config, "-o", archive, "--data-dir", data, "-q"],
                   check=True, env=ENVIRONMENT)
    seconds = time.monotonic() - begin
    said = subprocess.run([program, "verify", archive], check=True, capture_output=True, text=True).stdout
    return seconds, said.split("digest ")[1].split()[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--case", default=",".join(CASES))
    arguments = parser.parse_args()
    ranks = [int(text) for text in arguments.ranks.split(",")]
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.case.split(","):
            config = pathlib.Path(folder) / f"{case}.ini"
            config.write_text(SHARED + CASES[case], encoding="utf-8")
            found = [run(os.path.abspath(arguments.program), os.path.abspath(arguments.data), config, count)
                     for count in ranks]
            for count, (seconds, _) in zip(ranks, found):
                print(f"{case:8} {count:3} ranks {seconds:7.1f} s  {found[0][0] / seconds:5.2f}", flush=True)
            same = same and len({digest for _, digest in found}) == 1
    if not same:
        print("digests differ between numbers of ranks", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
