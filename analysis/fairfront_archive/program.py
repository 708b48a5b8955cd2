"""The program fairfront, and what it says of an archive."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

from fairfront_archive.errors import ArchiveError

DAMAGED = 4  # its exit code


def find_program() -> str | None:
    """`$FAIRFRONT`, else `fairfront` on PATH, else a build of this source tree, the release one first."""
    named = os.environ.get("FAIRFRONT") or shutil.which("fairfront")
    if named:
        return named
    build = pathlib.Path(__file__).parents[2] / "build"
    builds = [build / "release" / "fairfront", *sorted(build.glob("*/fairfront"))]
    return next((str(path) for path in builds if path.is_file()), None)


def verify(path: str) -> str | None:
    """What `fairfront verify` says of a sound archive, in a line; None where there is no program, or it
    does not run here. It recomputes every front and makes the plan of the stored config again.

    @throws ArchiveError  it refuses the archive.
    """
    program = find_program()
    if program is None:
        return None
    try:
        ran = subprocess.run([program, "verify", "--", path], capture_output=True, text=True, check=False,
                             errors="replace", stdin=subprocess.DEVNULL)
    except OSError:
        return None
    said = [line.removeprefix(f"{path}: ") for line in ran.stdout.splitlines()]
    if ran.returncode == DAMAGED:
        raise ArchiveError(f"{path}: refused by fairfront verify: {said[0] if said else 'no reason given'}")
    if ran.returncode != 0 or not said or not said[0].startswith("sound"):
        return None
    return "; ".join(["verified by the program", *said[1:]])
