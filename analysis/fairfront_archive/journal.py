"""Reads a run that has not ended: the program makes an archive of what the journal holds."""

from __future__ import annotations

import os
import subprocess
import tempfile

from fairfront_archive.archive import Archive
from fairfront_archive.errors import ArchiveError
from fairfront_archive.program import find_program

ENDING = ".journal"  # of the folder beside the archive's place


def has_journal(path: str) -> bool:
    return os.path.isdir(path + ENDING)


def needed_program() -> str:
    """@throws ArchiveError  there is none."""
    found = find_program()
    if found is None:
        raise ArchiveError("the journal of a run is read by the program fairfront, which is neither "
                           "on PATH nor named by $FAIRFRONT")
    return found


def open_journal(path: str) -> Archive:
    """What the run has done so far. The journal is read without locks and not changed, so the run may
    go on meanwhile. The keys of missing tasks are 64 zeros where nobody has read their data yet.

    @throws ArchiveError  the journal cannot be read, or there is no program.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "so-far.h5")
        try:
            ran = subprocess.run([needed_program(), "export", "--partial", "--hdf5", target, "--", path],
                                 capture_output=True, text=True, check=False)
        except OSError as error:
            raise ArchiveError(f"{path}: cannot read its journal ({error})") from error
        if ran.returncode != 0 or not os.path.isfile(target):
            reason = ran.stderr.strip().splitlines()
            raise ArchiveError(f"{path}: cannot read its journal "
                               f"({reason[-1] if reason else 'no reason given'})")
        archive = Archive(target)  # HDF5 keeps the file open when its name is gone
    archive.path = path
    return archive
