"""What this library raises."""

from __future__ import annotations


def in_one_line(message: str) -> str:
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in message)


class ArchiveError(Exception):
    """The file cannot be read as an archive; the message, one line, names the file and what is wrong."""

    def __init__(self, message: str) -> None:
        # Names come out of files that anyone may have made: no control character gets to a terminal.
        super().__init__(in_one_line(message))


class InputError(ArchiveError, ValueError):
    """What was given cannot be taken: an argument of a wrong type, or a cell of a table that no file can hold."""


class ModelError(ArchiveError):
    """Names what is wrong with a model, not yet the file."""
