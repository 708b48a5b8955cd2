"""Figures become files: one for each page."""

from __future__ import annotations

import io
import itertools
import pathlib
import re
from collections.abc import Sequence

import matplotlib.pyplot as plt

from fairfront_archive import Archive, require_no_input
from fairfront_archive.files import write_whole
from fairfront_figures.layout import Sheet
from fairfront_figures.style import FORMATS, metadata


def save(drawn: Sheet, archive: Archive, title: str, *targets: pathlib.Path,
         others: Sequence[Archive] = ()) -> list[pathlib.Path]:
    """Writes the figure; suffixes choose the formats. Closes it. Pages of an earlier drawing that has had
    more of them go, so that nobody takes them for this one's.

    @param others  further archives that the figure shows.
    @return the files: the targets, or with several pages those with a number after their names.
    @throws ValueError  no such format.
    @throws OSError     a file cannot be written; nothing is left of it.
    """
    suffixes = [target.suffix.lstrip(".").lower() for target in targets]
    for target, suffix in zip(targets, suffixes):
        if suffix not in FORMATS:
            raise ValueError(f"{target}: no format '{suffix}'; there are: {', '.join(FORMATS)}")
    partial = [one.progress() for one in (archive, *others) if one.partial]
    if partial:  # nobody may take the figure of a half run for the whole
        drawn.warning = f"PARTIAL: {'; '.join(partial)}"
    pages = drawn.pages()
    files = []
    for number, panels in enumerate(pages, start=1):
        drawn.lay_out(panels)
        of_several = f" ({number} of {len(pages)})" if len(pages) > 1 else ""
        for target, suffix in zip(targets, suffixes):
            file = target.with_stem(f"{target.stem}-{number}") if of_several else target
            for one in (archive, *others):
                require_no_input(str(file), one.path)
            picture = io.BytesIO()  # Matplotlib cannot close a PDF file on a full disk
            drawn.figure.savefig(picture, format=suffix, metadata=metadata((archive, *others), title + of_several, suffix))
            write_whole(file, picture.getvalue())
            files.append(file)
    for target in targets:
        remove_earlier(target, len(pages))
    plt.close(drawn.figure)
    return files


def remove_earlier(target: pathlib.Path, pages: int) -> None:
    """Removes what an earlier drawing has left beside `pages` pages: the one without a number where there
    are several now, and those with greater numbers. Files that do not say that they are of this program, and
    that page, stay."""
    if pages > 1 and says(target, rb"fairfront"):
        target.unlink()
    for number in itertools.count(pages + 1 if pages > 1 else 1):
        file = target.with_stem(f"{target.stem}-{number}")
        if not says(file, rb"\\?\(%d of \d+\\?\)" % number) or not says(file, rb"fairfront"):
            return
        file.unlink()


def says(file: pathlib.Path, pattern: bytes) -> bool:
    """Whether there is such a file, with these bytes in it, as metadata have them in every format."""
    return file.is_file() and re.search(pattern, file.read_bytes()) is not None
