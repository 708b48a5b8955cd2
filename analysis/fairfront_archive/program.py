"""The program fairfront, and what it says of an archive."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

from fairfront_archive.errors import ArchiveError, InputError

DAMAGED = 4  # its exit codes
BAD_INPUT = 2
ERROR = "fairfront: error: "


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


def required_program() -> str:
    """@throws ArchiveError  there is none."""
    program = find_program()
    if program is None:
        raise ArchiveError("the program fairfront is neither on PATH nor named by $FAIRFRONT")
    return program


def reason_of(said: list[str], code: int) -> str:
    """Why it has failed, in its own words.

    @param said  its lines. @param code  its exit code."""
    errors = [line for line in said if line.startswith(ERROR)] or [line for line in said if line.strip(" -")]
    return errors[-1].removeprefix(ERROR) if errors else f"fairfront ended with {code}, without a word"


def ask(*arguments: str, given: str = "", answers: tuple[int, ...] = (0,), of_values: bool = False) -> tuple[str, str]:
    """What it writes to its standard output and to its standard error.

    @param given      its standard input.
    @param answers    exit codes with which it has answered.
    @param of_values  all that it may refuse are values that the caller was given.
    @throws InputError    it refuses them.
    @throws ArchiveError  there is no program, it does not run here, or it has failed: in its own words.
    """
    program = required_program()
    try:
        ran = subprocess.run([program, *arguments], input=given, capture_output=True, text=True, check=False,
                             encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise ArchiveError(f"{program}: cannot be run ({error.strerror})") from error
    if ran.returncode not in answers:
        kind = InputError if of_values and ran.returncode == BAD_INPUT else ArchiveError
        raise kind(reason_of(ran.stderr.splitlines(), ran.returncode))
    return ran.stdout, ran.stderr
