"""What the program says against a run, in the words of `fairfront_archive.run`: it knows of no file that is deleted with
the folder in which it was, and of no option that only the program has. And what it says against a choice."""

from __future__ import annotations

import os
import re

from fairfront_archive.quotation import names_text

CONFIG, TABLE, ARCHIVE = "config.ini", "rows.csv", "result.h5"  # in the folder of a run
# Options of the program by what `run` calls them; others stand in `arguments`.
NAMES = {"force": "overwrite=True", "data-dir": "data_dir"}
OF_ARGUMENTS = ("resume", "extend", "retry-failed", "allow-changed-data")
ONE_OF_ALL = "there is no option"  # before a list of them, which stay as they are
OF_CHOICE = {"data-dir": "data_dir", "randomised": "randomised=True", "method": "method", "problem": "problem"}
NO_HEADER = "cells that look like a row of data; is there a header?"
MOST_NAMES = 20


class ToldReasons:
    """Of one run."""

    def __init__(self, folder: str, columns: list[str] | None, rows: int, with_archive: bool) -> None:
        """@param columns  of the frame; None: there is none. @param rows  of it.
        @param with_archive  the archive is in the folder, too."""
        self.folder, self.columns, self.rows, self.with_archive = folder, columns, rows, with_archive

    def told(self, reason: str) -> str:
        config = re.escape(os.path.join(self.folder, CONFIG))  # its lines are nobody's who has given a dict
        reason = re.sub(rf"'{config}'|{config}(:\d+)?", "the config", reason)
        if self.with_archive:
            archive = os.path.join(self.folder, ARCHIVE)
            reason = re.sub(rf"; '?{re.escape(archive)}[^ ;]* keeps them: go on with --resume", "; output = PATH would keep them",
                            reason).replace(archive, "the archive")
        return _with_arguments(reason if self.columns is None else self._of_frame(reason, self.columns))

    def _of_frame(self, reason: str, columns: list[str]) -> str:
        shown = names_text(columns[:MOST_NAMES]) + (", ..." if len(columns) > MOST_NAMES else "")
        reason = reason.replace(f": its first row has {NO_HEADER}", f"; it has: {shown}").replace(NO_HEADER, shown)
        table = re.escape(TABLE)
        reason = re.sub(rf"'?\b{table}'?: line (\d+)", lambda found: f"the frame: {self._row(int(found[1]))}", reason)
        told = re.sub(rf"'{table}'|\b{table}\b", "the frame", reason)
        told = re.sub(r"(the config|--set data\.file=the frame): (?=the frame: )", "", told)
        told = re.sub(r"--set data\.(data=csv|file=the frame)", "the frame", told)
        return re.sub(r"(?<=the frame: )(the file has (a header and )?no rows; write one for each person or thing|data\.file is empty: .*)",
                      "it has no rows" if columns else "it has no columns", told)

    def _row(self, line: int) -> str:
        """Of a line of the table, where a row has one."""
        with open(os.path.join(self.folder, TABLE), "rb") as file:
            lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
        return f"row {line - 2}" if lines == self.rows + 1 else f"line {line} of its CSV file"


def _with_arguments(reason: str) -> str:
    if ONE_OF_ALL in reason:
        return reason
    of_all = {name: f'arguments=("--{name}",)' for name in OF_ARGUMENTS} | {"catalogue": 'arguments=("--catalogue", FILE)'}
    return with_names(reason, NAMES | of_all)


def with_names(reason: str, names: dict[str, str]) -> str:
    """@param names  of options of the program, by what Python calls them."""
    return re.sub(rf"(?<![\w-])--({'|'.join(names)})(?![\w-])", lambda found: names[found[1]], reason)
