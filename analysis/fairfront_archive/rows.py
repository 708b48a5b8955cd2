"""The rows that a task has seen. No archive holds them: the program prepares them again."""

from __future__ import annotations

import csv
import dataclasses
import os
import re
import subprocess
import tempfile

import numpy as np

from fairfront_archive.archive import Archive
from fairfront_archive.errors import ArchiveError
from fairfront_archive.journal import needed_program

FOR_SPREADSHEETS = re.compile("^'(?=[=+\\-@\t])")  # what the program writes before a name that they would take for a formula


@dataclasses.dataclass(frozen=True)
class Rows:
    features: list[str]
    values: np.ndarray  # (rows, features), prepared as the methods see them
    groups: np.ndarray  # (rows,), names


def rows_of(archive: Archive, task: int) -> Rows:
    """The data of one task, from the config that the archive holds, in the order of its solutions. Data
    files are looked for in $FAIRFRONT_DATA, else ./data.

    @throws ArchiveError  there is no program, or no such data, or the archive is of none.
    """
    with tempfile.TemporaryDirectory() as folder:
        config, table = (os.path.join(folder, name) for name in ("again.ini", "rows.csv"))
        with open(config, "w", encoding="utf-8") as file:
            file.write(_said(archive, "show", "--config", "--", archive.path))
        said = _said(archive, "data", config, "--task", str(task), "--csv", table)
        if not os.path.exists(table):
            raise ArchiveError(f"{archive.path}: its tasks have no rows: {said.strip()}")
        return read_rows(table)


def read_rows(path: str) -> Rows:
    """A table that `fairfront data` has written."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        if "group" not in header:
            raise ArchiveError(f"{path}: has no column 'group'")
        place = header.index("group")
        rows = list(reader)
    values = np.array([[float(cell) for cell in row[:place]] for row in rows])
    return Rows(header[:place], values, np.array([FOR_SPREADSHEETS.sub("", row[place]) for row in rows]))


def _said(archive: Archive, *arguments: str) -> str:
    try:
        ran = subprocess.run([needed_program(), *arguments], capture_output=True, text=True,
                             check=False)
    except OSError as error:
        raise ArchiveError(f"{archive.path}: cannot have its rows again ({error})") from error
    if ran.returncode != 0:
        reason = ran.stderr.strip().splitlines()
        raise ArchiveError(f"{archive.path}: cannot have its rows again "
                           f"({reason[-1] if reason else 'no reason given'})")
    return ran.stdout
