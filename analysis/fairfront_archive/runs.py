"""Runs the program: from a config and a frame to an archive, in one call."""

from __future__ import annotations

import contextlib
import csv
import os
import pathlib
import re
import subprocess
import tempfile
import unicodedata
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas

from fairfront_archive.archive import Archive
from fairfront_archive.arguments import required_flag, whole_number
from fairfront_archive.cells import as_written, require_writable
from fairfront_archive.errors import ArchiveError, InputError
from fairfront_archive.files import path_text
from fairfront_archive.group_rules import column_text
from fairfront_archive.program import reason_of, required_program
from fairfront_archive.progress import teller
from fairfront_archive.quotation import BLANKS, is_special, quoted
from fairfront_archive.told_reasons import ARCHIVE, CONFIG, TABLE, ToldReasons

DONE, SOME_FAILED = 0, 1  # exit codes
IN_QUOTES = "\t\n"  # what a quotation of a config may hold beside letters
BYTE_ORDER_MARK = "\ufeff"
EXPRESSIONS = {("data", "label"), ("data", "sensitive")}  # where the name of a column may be taken for a comparison
ONE_COLUMN = {("data", "label"), ("data", "split"), ("predictions", "score"), ("predictions", "reference")}  # no lists
LISTS = (list, tuple, range, np.ndarray, pandas.Index, pandas.Series)
# Options that hold names of columns or what stands in cells: there True is such a name, and no truth value of a config.
OF_TABLE = ONE_COLUMN | {("data", name) for name in ("features", "categorical", "sensitive", "positive", "missing")} | {
    ("split", f"{part}_values") for part in ("train", "validation", "choice", "test")} | {
    ("preparation", "log1p"), ("base", "eta"), ("base", "tau")}

Config = Mapping[str, object] | str | os.PathLike[str]


class RunError(ArchiveError):
    """The program has left no archive; it says why, in the words of `run`. `code` is its exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def run(config: Config, frame: pandas.DataFrame | None = None, *, ranks: int = 1,
        output: str | os.PathLike[str] | None = None, data_dir: str | os.PathLike[str] | None = None,
        progress: bool | Callable[[str], None] = True, arguments: Sequence[str] = (),
        launcher: Sequence[str] = ("mpirun",), overwrite: bool = False) -> Archive:
    """Runs a config and opens the archive that it leaves.

    @param config    a config file, or its options: {"experiment": "training", "data": {"label": "owner"},
                     "alm": {"delta": [0.1, 0.02]}}; a list is an axis, an empty section a method. A text is taken as a
                     config file has it, but that the name of a column of `frame` is that column, whatever is in it.
    @param frame     the rows, in place of a config file's data.file: data.data is then csv, and options that are given
                     in this call name no other rows. They are written to a temporary folder and deleted; to replay
                     the archive, keep them (`write_table`).
    @param ranks     processes, by `launcher` -n RANKS; the results do not depend on their number.
    @param data_dir  of the data files that the config names; None: $FAIRFRONT_DATA, else ./data. Beside a frame they, such
                     as data.test_file, are looked for there, or by an absolute path.
    @param output    where the archive is kept; None: it is deleted when nobody uses it any more.
    @param overwrite an archive at `output` is replaced, and no other file, as by `fairfront run --force`.
    @param progress  what is done with the program's lines: True writes them to the standard error, and in a
                     notebook shows a bar.
    @param arguments more of `fairfront run`, such as ("--time-limit", "600") or ("--resume",).
    @throws ValueError    no such frame or number of ranks, rows by data.file beside a frame, columns without a name or with
                          that of another, cells that no CSV file can hold, or options that an INI file cannot say.
    @throws RunError      the program refuses the config or data, or was interrupted: in its own words.
    @throws ArchiveError  there is no program: it is $FAIRFRONT, or fairfront on PATH.
    """
    if frame is not None:
        _require_frame(frame)
        _check_names(frame)
    if (whole_number(ranks) or 0) < 1:
        raise InputError(f"ranks = {ranks!r}, must be a whole number >= 1")
    config = config if isinstance(config, Mapping) else path_text("config", config)
    output, data_dir = _path_of("output", output), _path_of("data_dir", data_dir)
    overwrite = required_flag("overwrite", overwrite)
    progress = progress if callable(progress) else required_flag("progress", progress)
    words, launch = _words("arguments", arguments), _words("launcher", launcher)
    if frame is not None:
        _require_no_other_rows(config, words)
    program = required_program()
    folder = tempfile.TemporaryDirectory()  # lives as long as the archive, where that is in it
    path = os.path.join(folder.name, ARCHIVE) if output is None else output
    with contextlib.ExitStack() as stack:
        stack.callback(folder.cleanup)
        columns = [] if frame is None else list(map(str, frame.columns))
        command = [os.path.abspath(program), "run", str(_config_file(config, folder.name, columns)), "-o", path]
        if frame is not None:
            write_table(frame, os.path.join(folder.name, TABLE))
            command += ["--set", "data.data=csv", "--set", f"data.file={TABLE}"]
            # The program runs where the table is, so that no archive names a folder that is gone.
            data_dir = data_dir or os.path.abspath(os.environ.get("FAIRFRONT_DATA") or "data")
        command += ["--data-dir", data_dir] if data_dir is not None else []
        command += ["--force"] if overwrite and "--force" not in words else []
        command = [*([*launch, "-n", str(ranks)] if ranks > 1 else []), *command, *words]
        where = None if frame is None else folder.name
        told = ToldReasons(folder.name, None if frame is None else columns, 0 if frame is None else len(frame), output is None)
        before = _identity(path)
        failed = _execute(command, where, progress, told)
        if failed is not None:
            if _identity(path) == before:  # mpirun, too, ends with 1: where it cannot start the program
                raise RunError(failed, SOME_FAILED)
            warnings.warn(f"some tasks have failed: {failed}", stacklevel=2)
        archive = Archive(path)
        if output is None:
            weakref.finalize(archive, stack.pop_all().close)
    return archive


def write_table(frame: pandas.DataFrame, path: str | os.PathLike[str]) -> None:
    """As CSV of which the program reads what a model in Python reads of the frame. `DataFrame.to_csv` writes names without
    the quotes that keep the blanks at their ends, rounds numbers of 32 bits, writes times by what stands beside them,
    bytes as Python says them, and 1.0 for 1 in columns with missing cells. As there, a file at `path` is replaced.

    @throws InputError    a name or cell that no file of UTF-8 can hold, or a zero byte.
    @throws ArchiveError  the file cannot be written."""
    target = path_text("path", path)
    _require_frame(frame)
    told = as_written(frame)
    require_writable(told)
    names = list(map(str, frame.columns))
    quoting = csv.QUOTE_ALL if any(name != name.strip(BLANKS) for name in names) else csv.QUOTE_MINIMAL
    try:
        with open(target, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=quoting, lineterminator="\n").writerow(names)
            told.to_csv(file, index=False, header=False)
    except OSError as error:
        raise ArchiveError(f"{target}: cannot be written ({error.strerror})") from error


def _require_frame(frame: object) -> None:
    if not isinstance(frame, pandas.DataFrame):
        raise InputError(f"frame is of the type {type(frame).__name__}, must be a pandas.DataFrame")


def _check_names(frame: pandas.DataFrame) -> None:
    if frame.columns.nlevels > 1:
        raise InputError("the frame's columns have names of several levels: give each a name of its own")
    names = list(map(str, frame.columns))
    for place, name in enumerate(names):
        if not name:
            raise InputError(f"column {place} of the frame, counted from 0, has an empty name: give it another one")
        if names.index(name) < place:
            raise InputError(f"the frame has two columns {name!r}: rename or drop one of them")
        if flaw := _unsayable(name, IN_QUOTES):
            raise InputError(f"the name of the frame's column {name!r} has the character {flaw!r}, which a config cannot "
                             "say: rename the column")


def _require_no_other_rows(config: Config, arguments: list[str]) -> None:
    """@throws InputError  options that are given beside the frame name other rows: one of both would go unread."""
    data = config.get("data") if isinstance(config, Mapping) else None
    given = dict(data) if isinstance(data, Mapping) else {}
    for word in arguments:
        section, point, option = word.removeprefix("--set=").partition(".")
        name, equals, value = option.partition("=")
        if section.strip() == "data" and point and equals:
            given[name.strip()] = value.strip()
    if "file" in given:
        raise InputError(f"data.file = {given['file']!r} beside a frame: the rows are those of the one or of the other")
    if given.get("data", "csv") != "csv":
        raise InputError(f"data.data = {given['data']!r} beside a frame: the rows are those of the one or of the other")


def _unsayable(text: str, allowed: str = "") -> str | None:
    """The first character that the program takes in no config; None: there is none."""
    return next((letter for letter in text if letter not in allowed
                 and (unicodedata.category(letter) in ("Cc", "Cs") or letter == BYTE_ORDER_MARK)), None)


def _path_of(name: str, given: str | os.PathLike[str] | None) -> str | None:
    if given == "":
        raise InputError(f"{name} = '' names nothing: leave it out, or give it a path")
    return None if given is None else os.path.abspath(path_text(name, given))


def _words(name: str, given: Sequence[str]) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Iterable) or not all(isinstance(word, str) for word in given):
        raise InputError(f"{name} = {given!r}, must be a list of texts, one for each word")
    return list(given)


def _config_file(config: Config, folder: str, columns: Iterable[str]) -> pathlib.Path:
    if not isinstance(config, Mapping):
        path = pathlib.Path(config).absolute()
        if not path.is_file():
            raise ArchiveError(f"{config}: no such config file")
        return path
    path = pathlib.Path(folder) / CONFIG
    path.write_text(ini_text(config, columns), encoding="utf-8")
    return path


def ini_text(config: Mapping[str, object], columns: Iterable[str] = ()) -> str:
    """@param columns  of the table: a text that is one of these names stands for it.
    @throws ValueError  a name or value that an INI file cannot say.
    """
    known = frozenset(columns)
    lines = [_line("", name, value, known) for name, value in config.items() if not isinstance(value, Mapping)]
    for section, options in config.items():
        if isinstance(options, Mapping):
            if not _text(section).strip():
                raise InputError("a section of a config needs a name; options of none stand beside the sections")
            lines += [f"[{_text(section)}]", *(_line(section, name, value, known) for name, value in options.items())]
    return "".join(line + "\n" for line in lines)


def _line(section: str, name: str, value: object, columns: frozenset[str]) -> str:
    if (section, name) in OF_TABLE:
        value = [str(one) for one in value] if isinstance(value, LISTS) else str(value)
    if not isinstance(value, LISTS):
        if not _is_column(value, columns):
            return f"{_text(name)} = {_text(value)}"
        value = [value]
    elements = [_element((section, name), one, columns) for one in value]
    if len(elements) == 1 and elements[0].startswith('"') and elements[0] != value[0] and (section, name) not in ONE_COLUMN:
        elements = [quoted(elements[0])]  # the value of a list loses one pair of quotes
    return f"{_text(name)} = {', '.join(elements)}"


def _element(option: tuple[str, str], value: object, columns: frozenset[str]) -> str:
    """Of a list: a name with a comma or a quote in it stays one, if it is no quotation already."""
    if _is_column(value, columns):
        text = column_text(value) if option in EXPRESSIONS else value
        return quoted(text) if is_special(text, ",|") else text
    text = _text(value)
    outside = re.sub(r"\([^()]*\)", "", text)  # pairs such as (3,1), and powers(2, -10, -2)
    is_quotation = re.fullmatch(r'"([^"]|"")*"', text) is not None
    return quoted(text) if not is_quotation and ("," in outside or '"' in text) else text


def _is_column(value: object, columns: frozenset[str]) -> bool:
    return isinstance(value, str) and value in columns


def _text(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool | np.bool_) else str(value)
    if _unsayable(text):
        raise InputError(f"a config cannot say {text!r}")
    return text


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Of the file, which an archive that is published replaces; None: there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _execute(command: list[str], where: str | None, progress: bool | Callable[[str], None],
             reasons: ToldReasons) -> str | None:
    """The reason of an exit code that says that some tasks have failed; None: all are done.

    @throws RunError  any other exit code."""
    tell = progress if callable(progress) else teller() if progress else None
    said: list[str] = []
    try:
        with _process(command, where) as process:
            for line in process.stdout:
                said.append(line.rstrip("\n"))
                if tell:
                    tell(reasons.told(said[-1]))
            code = process.wait()
    except OSError as error:
        raise ArchiveError(f"{command[0]}: cannot be run ({error.strerror})") from error
    if code == DONE:
        return None
    reason = reasons.told(reason_of(said, code))
    if code != SOME_FAILED:
        raise RunError(reason, code)
    return reason


@contextlib.contextmanager
def _process(command: list[str], where: str | None) -> Iterator[subprocess.Popen[str]]:
    """Ends it in order when this program is interrupted: what is done can be resumed."""
    process = subprocess.Popen(command, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        yield process
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        process.stdout.close()
