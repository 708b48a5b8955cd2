#!/usr/bin/python3
"""Writes what is in the folder of jobs/reproduce.sh: of every archive its claim, command, files, time and digest."""

from __future__ import annotations

import argparse
import math
import pathlib
import sys

import numpy as np

import fairfront_archive
from fairfront_archive import ArchiveError
from fairfront_archive.files import write_whole
from fairfront_figures import catalogue

HEAD = """# Results of fairfront, to be checked

`./check.sh` checks the sums of all files, verifies the archives and runs every task again, to the last bit
(`./check.sh --task 0`: only the first task of each archive). It needs the data files whose SHA-256 are in
`data.sha256`, in $FAIRFRONT_DATA or ./data; without a program `fairfront` it builds `source.tar.gz`. A script
there gets or makes the files that have a public address, checks their sums, and says who has the others:

    mkdir -p source && tar -xzf source.tar.gz -C source && source/jobs/get_data.sh data

Where each set is from and how it is licensed stands in `source/src/data/catalogue/catalogue.ini`, and `fairfront list datasets` prints it.

- `published.txt`: numbers that the papers print, beside those found here, and where and why they differ.
- `versions.txt`: program, commit, system and Python packages.
- `figures/NAME-*`: figures and tables of each archive; what a paper draws also stands there under the paper's name,
  such as `figures/training-figure-5.pdf`. `report.html`, where it is there: all archives on a page.

Minutes are those of all tasks together, on one core. Task failures: 0 where nothing is said.
"""


def claim_of(config: pathlib.Path) -> str:
    """The comment at the head of a config, as one text."""
    lines = []
    for line in config.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return " ".join(lines) or "no comment at the head of the config"


def section_of(folder: pathlib.Path, path: pathlib.Path) -> str:
    name = path.stem
    config = folder / "configs" / f"{name}.ini"
    with fairfront_archive.open(path) as archive:
        seconds = np.asarray(archive.seconds(), dtype=float)
        minutes = np.nansum(seconds) / 60
        undone = sum(task.status != "done" for task in archive.tasks)
        lines = [f"## {name}", "", claim_of(config), "",
                 f"    fairfront run configs/{name}.ini -o again.h5", "",
                 f"- archive: `archives/{path.name}`, {len(archive.tasks)} tasks, {minutes:.2g} minutes"
                 + (f"; {undone} tasks not done" if undone else ""),
                 f"- expected: digest of findings `{archive.digest}`"]
        lines += [f"- {published.text}: `figures/{file}.*`" for file, published in drawn_of(folder, name)]
        lines += [f"- expected: front of {front_name}: {points} points, hypervolume {volume:.6g}"
                  for front_name, points, volume in largest_fronts(archive)]
        lines += [f"- expected: {text}" for text in measured_of(archive)]
    return "\n".join(lines) + "\n"


def drawn_of(folder: pathlib.Path, config: str) -> list[tuple[str, catalogue.Published]]:
    """What the paper draws from this config, as far as it is there."""
    found = []
    for file, paper in catalogue.of_config(config).items():
        for shown, first in ((file, f"{file}.pdf"), (file, f"{file}.tex"), (f"{file}-[0-9]", f"{file}-1.pdf")):
            if (folder / "figures" / first).is_file():
                found.append((shown, catalogue.PAPERS[paper]))
    return found


def largest_fronts(archive: fairfront_archive.Archive) -> list[tuple[str, int, float]]:
    """Of every method the front with the greatest hypervolume."""
    best: dict[str, tuple[str, int, float]] = {}
    for front in archive.fronts():
        method = front.task.method
        if method not in best or front.hypervolume > best[method][2]:
            best[method] = (f"[{method}], task {front.task.index}", len(front.points), float(front.hypervolume))
    return list(best.values())


def measured_of(archive: fairfront_archive.Archive) -> list[str]:
    """Of an archive without fronts, such as an audit: what its first task has of all rows on the part that is reported."""
    if archive.fronts():
        return []
    texts = []
    for one in archive.numbers().values():
        if one.reported and not math.isnan(one.values[0]):
            texts.append(f"[{archive.tasks[0].method}], task 0: {one.name} {one.values[0]:.6g}"
                         + ("" if math.isnan(one.low[0]) else f" [{one.low[0]:.6g}, {one.high[0]:.6g}]"))
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="This text is printed.")
    parser.add_argument("folder", type=pathlib.Path, help="The folder has archives/ and configs/, and the README is written into it.")
    folder = parser.parse_args().folder
    try:
        sections = [section_of(folder, path) for path in sorted((folder / "archives").glob("*.h5"))]
        write_whole(folder / "README.md", "\n".join([HEAD, *sections]))
    except (ArchiveError, OSError) as error:
        print(f"bundle_readme: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
