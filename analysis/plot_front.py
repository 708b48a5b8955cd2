#!/usr/bin/python3
"""Draws the fronts of an archive into one file: `figures.py ARCHIVE --figure fronts` for a first look.

One panel per problem, one colour per method and setting; replicates become attainment surfaces, and
tasks along a trade-off one front.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

import fairfront_archive
from fairfront_archive import ArchiveError, require_no_input
from fairfront_figures.fronts import draw_fronts
from fairfront_figures.pages import save
from fairfront_figures.style import WIDTHS, Options


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="This text is printed.")
    parser.add_argument("archive", help="The fronts are those of this archive.")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("front.png"),
                        help="The image is written to this file, whose suffix chooses png, pdf or svg (%(default)s).")
    parser.add_argument("--task", type=int, nargs="+", default=[], metavar="K",
                        help="Only these tasks are drawn, by their rows.")
    parser.add_argument("--group-by", metavar="AXIS",
                        help="There is one panel for each value of this axis, such as data.data.")
    options = parser.parse_args(arguments)
    try:
        require_no_input(str(options.output), options.archive)
        with fairfront_archive.open(options.archive) as archive:
            page = draw_fronts(archive, Options(width=WIDTHS["page"], tasks=tuple(options.task),
                                                panels_by=options.group_by))
            panels = len(page.panels)
            save(page, archive, "Fronts", options.output)
    except (ArchiveError, OSError, ValueError) as error:  # ValueError: no such image format
        print(f"plot_front.py: {error}", file=sys.stderr)
        return 2
    print(f"{options.output}: {panels} panel{'s' * (panels != 1)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
