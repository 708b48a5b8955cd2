"""A table of people in three wards, whose shares of label 1 differ."""

from __future__ import annotations

import csv
import pathlib
import random


def write_wards(path: pathlib.Path, rows: int) -> None:
    draw = random.Random(5)
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["x", "z", "ward", "y"])
        for _ in range(rows):
            ward = draw.choice("abc")
            x, z = draw.gauss(0.5 * (ward == "b"), 1), round(draw.gauss(0, 1), 1)
            table.writerow([x, z, ward, int(x + z + draw.gauss(0, 1) > 0.4 * (ward == "c"))])
