"""Files: their paths, and those that this library's scripts write: whole, or not there."""

from __future__ import annotations

import itertools
import os
import pathlib
import shutil
from typing import BinaryIO

from fairfront_archive.errors import InputError


def path_text(what: str, path: object) -> str:
    """@param what  the argument that it is, for messages.
    @throws InputError  it is no path, or one that no file can have."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise InputError(f"{what} = {path!r}, must be a path: a text or an os.PathLike") from None
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise InputError(f"{what} = {text!r} has half a character in it: no file is called so") from None
    if not text or "\0" in text:
        raise InputError(f"{what} = {text!r}, must be a path: {'a NUL is in none' if text else 'this text is empty'}")
    return text


def write_whole(target: pathlib.Path, content: str | bytes) -> None:
    """Writes the file under another name beside it, which it loses once all is written: where that fails, as on a full
    disk, nothing is left, and a file of an earlier run stays. What is no file, such as a pipe, is written to itself.

    @param content  a text becomes UTF-8.
    @throws OSError  it cannot be written; names the target.
    """
    told = content.encode("utf-8") if isinstance(content, str) else content
    try:
        place = pathlib.Path(os.path.realpath(target))  # what a link leads to is written, and the link stays
        if target.exists() and not (place.is_file() and os.access(place, os.W_OK)):
            target.write_bytes(told)
        else:
            replace(place, told)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error


def replace(place: pathlib.Path, content: bytes) -> None:
    draft, file = begin_draft(place)
    try:
        with file:
            file.write(content)
        if place.exists():
            shutil.copymode(place, draft)
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def begin_draft(place: pathlib.Path) -> tuple[pathlib.Path, BinaryIO]:
    """A new file beside it, named as the program names its drafts: NAME.PROCESS-ATTEMPT.part."""
    for attempt in itertools.count():
        draft = place.with_name(f"{place.name}.{os.getpid()}-{attempt}.part")
        try:
            return draft, draft.open("xb")
        except FileExistsError:  # of a process that was killed
            continue
    raise AssertionError("some attempt finds a name")
