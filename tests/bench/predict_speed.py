#!/usr/bin/python3
"""How fast `fairfront predict` is beside reading the same CSV file alone.

    tests/bench/predict_speed.py PROGRAM READER [--rows 1000000] [--repeat 3]

PROGRAM is fairfront, READER is read_rows of this folder, which streams the file's numbers and adds them up. The file
has 50 columns of numbers, of which a linear model needs all. Prints seconds of whole processes, the best of some runs
that take turns, and the peak memory of `predict`. Ends with 1 where predicting takes more than twice as long as reading,
where the sum that was read is wrong, or where a score is not the product of the model's weights with the row.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = 50
CONFIG = """experiment = training
[data]
data = csv
file = some.csv
label = y
sensitive = sex
features = {features}
[split]
validation = 0.2
test = 0.2
[preparation]
scaling = zscore
[model]
hidden =
[training]
budget = 20000
[sgd]
"""


def write_rows(path: Path, rows: int) -> float:
    """Measured values with three digits behind the point; returns their sum."""
    draw = random.Random(3)
    total = 0.0
    block = [[f"{draw.gauss(0, 100):.3f}" for _ in range(COLUMNS)] for _ in range(1000)]
    sums = [math.fsum(map(float, row)) for row in block]
    lines = [",".join(row) for row in block]
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"x{i}" for i in range(COLUMNS)) + "\n")
        for row in range(rows):
            place = draw.randrange(len(lines))
            file.write(lines[place] + "\n")
            total += sums[place]
    return total


def write_training_rows(path: Path) -> None:
    draw = random.Random(4)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"x{i}" for i in range(COLUMNS)) + ",sex,y\n")
        for _ in range(2000):
            x = [draw.gauss(0, 100) for _ in range(COLUMNS)]
            y = int(sum(x[:5]) + draw.gauss(0, 100) > 0)
            file.write(",".join(f"{value:.3f}" for value in x) + f",{draw.choice('fm')},{y}\n")


def run(command: list[str]) -> tuple[float, str, float]:
    """Seconds, output, peak memory in megabytes."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"failed: {command}")
    return seconds, out, usage.ru_maxrss / 1024


def check_scores(folder: Path) -> None:
    model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    weights = model["parameters"]["weights"][0]
    columns = model["shared"]["preparation"]["columns"]
    with open(folder / "rows.csv", encoding="ascii") as rows, open(folder / "out.csv", encoding="ascii") as out:
        for count, (row, predicted) in enumerate(zip(csv.DictReader(rows), csv.DictReader(out))):
            score = weights[-1]
            for column in columns:
                x = (float(row[column["name"]]) - column["shift"]) / column["divisor"]
                score += weights[column["place"]] * x
            if abs(score - float(predicted["score"])) > 1e-9 * max(1, abs(score)):
                sys.exit(f"the score of row {count} is wrong")
            if count == 1000:
                return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("reader", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    program, reader = options.program.resolve(), options.reader.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        write_training_rows(folder / "some.csv")
        features = ", ".join(f"x{i}" for i in range(COLUMNS))
        (folder / "config.ini").write_text(CONFIG.format(features=features), encoding="utf-8")
        run([program, "run", "config.ini", "-o", "some.h5"])
        run([program, "choose", "some.h5", "--model", "model.json"])
        total = write_rows(folder / "rows.csv", options.rows)
        reading, predicting, memory = [], [], 0.0
        for _ in range(options.repeat):
            seconds, out, _ = run([reader, "rows.csv"])
            reading.append(seconds)
            if abs(float(out.split()[-1]) - total) > 1e-6 * options.rows:
                sys.exit("the sum that was read is wrong")
            (folder / "out.csv").unlink(missing_ok=True)
            seconds, _, peak = run([program, "predict", "model.json", "--rows", "rows.csv", "--csv", "out.csv"])
            predicting.append(seconds)
            memory = max(memory, peak)
        check_scores(folder)
        megabytes = (folder / "rows.csv").stat().st_size / 2**20
    print(f"{options.rows} rows of {COLUMNS} columns, {megabytes:.0f} MB: reading {min(reading):.2f} s, "
          f"predicting {min(predicting):.2f} s, {min(reading) / min(predicting):.2f} of the speed, "
          f"{memory:.0f} MB of memory")
    return 0 if min(predicting) <= 2 * min(reading) else 1


if __name__ == "__main__":
    sys.exit(main())
