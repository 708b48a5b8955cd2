#!/usr/bin/python3
"""Draws figures and writes tables of archives: DIR/ARCHIVE-FIGURE.FORMAT; those of papers DIR/NAME.FORMAT with --papers.

What an axis does follows from its role in the archive: problems make panels, settings curves, a
trade-off is followed by each curve, replicates become bands and deviations. Without --figure, all
that the archives have something for. Tables are CSV (all numbers) and LaTeX (mean, deviation, the best
in bold, paired tests over replicates corrected by Holm's method).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import re
import sys
import textwrap

import fairfront_archive
from fairfront_archive import Archive, ArchiveError, require_no_input
from fairfront_archive.common_names import measure_called
from fairfront_archive.files import write_whole
from fairfront_figures import catalogue, fonts, style, tables, together
from fairfront_figures.arrange import NothingToDraw
from fairfront_figures.pages import save

FRONTS = "fronts"
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE | re.ASCII)
LIST_INDENT = 24  # of what --list says, behind the names


def width_of(text: str) -> float:
    """In millimetres: a number, "column" or "page"."""
    width = style.WIDTHS.get(text)
    if width is None:
        try:
            width = float(text.removesuffix("mm"))
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is neither a width in mm nor one of: "
                                             f"{', '.join(style.WIDTHS)}") from None
    if not 40 <= width <= 1000:
        raise argparse.ArgumentTypeError(f"{width:g} mm, must be in 40 .. 1000")
    return width


def formats_of(text: str) -> tuple[str, ...]:
    formats = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    for one in formats:
        if one not in style.FORMATS:
            raise argparse.ArgumentTypeError(f"no format '{one}'; there are: "
                                             f"{', '.join(style.FORMATS)}")
    return formats


def axes_of(text: str) -> tuple[str, str]:
    names = [measure_called(part.strip()) for part in text.split(",")]
    if len(names) != 2 or names[0] == names[1] or not all(names):
        raise argparse.ArgumentTypeError(f"'{text}' is not the names of two measures, X,Y")
    return names[0], names[1]


def no_formula(cell: object) -> object:
    """A text that a spreadsheet would take for a formula, also after blanks, gets a ' in front, as in `export`; numbers stay."""
    if not isinstance(cell, str) or cell.lstrip(" ")[:1] not in ("=", "+", "-", "@", "\t"):
        return cell
    return cell if NUMBER.fullmatch(cell.strip()) else f"'{cell}"


def write(archive: Archive, name: str, options: style.Options, stem: pathlib.Path,
          formats: tuple[str, ...]) -> list[pathlib.Path]:
    """One figure or table; returns the files.

    @throws NothingToDraw  the archive has nothing for it; no file is written.
    """
    kind, title, chosen = catalogue.resolve(archive, name, options)
    if kind in catalogue.TABLES:
        table = catalogue.TABLES[kind](archive, chosen)
        files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in ("csv", "tex")]
        for file in files:
            require_no_input(str(file), archive.path)
        table = table.assign(archive_digest=archive.digest, measures_digest=archive.measures_digest)
        latex = catalogue.LATEX.get(kind, tables.latex)(archive, table, title, bool(chosen.measures))
        stem.parent.mkdir(parents=True, exist_ok=True)
        write_whole(files[0], table.applymap(no_formula).to_csv(index=False))
        write_whole(files[1], latex)
        return files
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in formats]
    with fonts.missing_letters() as missing:
        page = catalogue.FIGURES[kind](archive, chosen)
        stem.parent.mkdir(parents=True, exist_ok=True)
        written = save(page, archive, title, *files)
    say_missing(stem, missing)
    return written


def say_missing(file: pathlib.Path, letters: list[str]) -> None:
    if letters:
        print(f"{file}: {fonts.missing_text(letters)}", file=sys.stderr)


def draw_archive(archive: Archive, wanted: list[str] | None, options: style.Options, folder: pathlib.Path,
                 formats: tuple[str, ...], papers: bool = False, stem_of_files: str = "") -> tuple[int, bool]:
    """Prints the files; returns how many figures and tables there are, and whether none was refused that somebody asked for.

    @param stem_of_files  in front of their names, where another archive of the call has the same name; else the archive's.
    @param papers  also those of the paper, if the archive is named after the paper's config, by the paper's names.
    """
    written, refused = 0, set()
    if archive.partial:
        print(f"{archive.path}: PARTIAL, {archive.progress()}; figures say so", file=sys.stderr)
    mine = pathlib.Path(archive.path).stem
    stem_of_files = stem_of_files or mine
    files_of = {f"{stem_of_files}-{name}": name for name in [*catalogue.FIGURES, *catalogue.TABLES] if wanted is None}
    files_of.update((f"{stem_of_files}-{name}", name) for name in wanted or ())
    for file_name, name in {**files_of, **(catalogue.of_config(mine) if papers else {})}.items():
        stem = folder / file_name
        try:
            files = write(archive, name, options, stem, formats)
        except ArchiveError as reason:  # the next ones may have no such reason
            if isinstance(reason, NothingToDraw) and not (wanted and file_name in files_of):
                print(f"no {name}: {reason}", file=sys.stderr)
                continue
            if str(reason) not in refused:
                print(f"figures.py: {reason}", file=sys.stderr)
            refused.add(str(reason))
            continue
        written += 1
        print(" ".join(map(str, files)))
    return written, not refused


def draw_fronts_together(archives: list[Archive], options: style.Options, folder: pathlib.Path,
                         formats: tuple[str, ...]) -> bool:
    """One picture of the fronts of all archives; says why not where they cannot stand in one."""
    stem = folder / f"{together.file_name(archives)}-fronts"
    with fonts.missing_letters() as missing:
        try:
            page = together.draw_together(archives, options)
        except NothingToDraw as nothing:
            print(f"fronts of each archive apart: {nothing}", file=sys.stderr)
            return False
        folder.mkdir(parents=True, exist_ok=True)
        files = save(page, archives[0], "Fronts", *(stem.with_name(f"{stem.name}.{suffix}") for suffix in formats),
                     others=archives[1:])
    say_missing(stem, missing)
    print(" ".join(map(str, files)))
    return True


def list_text() -> str:
    told = {name: " ".join((function.__doc__ or "").split("\n\n")[0].split())
            for name, function in {**catalogue.FIGURES, **catalogue.TABLES}.items()}
    told.update((name, f"{published.text} ({published.kind})") for name, published in catalogue.PAPERS.items())
    return "\n".join(textwrap.fill(text, 100, initial_indent=f"{name:<{LIST_INDENT}}", subsequent_indent=" " * LIST_INDENT)
                     for name, text in told.items())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-h", "--help", action="help", help="This text is printed.")
    parser.add_argument("archives", nargs="*", metavar="ARCHIVE", help="These archives are drawn.")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("figures"),
                        metavar="DIR", help="The files go into this folder, which is made if need be (%(default)s).")
    parser.add_argument("--figure", action="append", default=[], metavar="NAME",
                        choices=catalogue.names(), help="This figure is drawn (see --list); it may be repeated. Of several archives of one "
                             "experiment and the same objectives, fronts are one picture with all of them, "
                             "DIR/A-and-B-fronts.FORMAT.")
    parser.add_argument("--papers", action="store_true",
                        help="Also what the paper draws is drawn, as DIR/NAME.FORMAT, of an archive that has the name "
                             "of the paper's config, such as training-figure5.h5, as in jobs/reproduce.sh.")
    parser.add_argument("--format", type=formats_of, default=("pdf", "png"), metavar="F,F",
                        help="The formats are some of pdf, png, svg (pdf,png).")
    parser.add_argument("--width", type=width_of, metavar="W",
                        help="The width is that of a column (85 mm), of a page (174 mm), or in millimetres (a column, but "
                             "a page for four panels and more, which then stand beside each other).")
    parser.add_argument("--measure", action="append", default=[], metavar="NAME",
                        help="Figures of measures, measures by group and spider plots, and tables show this measure of the "
                             "reported part, such as error; one on another part, such as 'error (train)'; or a metric. "
                             "It may be repeated.")
    parser.add_argument("--axes", type=axes_of, metavar="X,Y",
                        help="Fronts are drawn along these two measures or objectives in the place of the objectives, such as "
                             "r_squared,kolmogorov_smirnov_to_all; which points are dominated hangs on them. Measures are "
                             "known of fronts with one point a task.")
    parser.add_argument("--series", action="append", default=[], metavar="SERIES",
                        help="Trajectories and rates are of this series; it may be repeated.")
    parser.add_argument("--bound", action="append", default=[], metavar="NAME<=X",
                        help="The point of figure choice keeps this bound, as in `fairfront choose`; it may be repeated.")
    parser.add_argument("--best", metavar="NAME", help="Within the bounds, this is best of figure choice.")
    parser.add_argument("--knee", action="store_true", help="Figure choice takes the corner of the front.")
    parser.add_argument("--method", action="append", default=[], metavar="NAME",
                        help="Figure choice chooses among points of this method; it may be repeated.")
    parser.add_argument("--confidence", type=float, metavar="C",
                        help="The bounds of figure choice hold for the population, with this confidence.")
    parser.add_argument("--fit-from", type=float, default=0.6, metavar="P",
                        help="Slopes are fitted over t >= T^P (%(default)s).")
    parser.add_argument("--partial", action="store_true",
                        help="Of a run that goes on, what its journal holds so far is drawn.")
    parser.add_argument("--list", action="store_true", help="What --figure may be is printed, and nothing is drawn.")
    options = parser.parse_args(arguments)
    if options.list:
        print(list_text())
        return 0
    if not options.archives:
        parser.error("no archive given")
    chosen = style.Options(width=options.width, measures=tuple(map(measure_called, options.measure)),
                           series=tuple(options.series), axes=options.axes, fit_from=options.fit_from,
                           bounds=tuple(options.bound), best=options.best, knee=options.knee,
                           methods=tuple(options.method), confidence=options.confidence)
    try:
        with contextlib.ExitStack() as stack:  # nothing is drawn before all of them are sound
            archives = [stack.enter_context(fairfront_archive.open(path, options.partial))
                        for path in options.archives]
            apart = list(dict.fromkeys(options.figure)) or None
            written, complete = 0, True
            if apart and FRONTS in apart and len(archives) > 1 and draw_fronts_together(archives, chosen, options.output,
                                                                              options.format):
                apart.remove(FRONTS)
                written += 1
            if apart is None or apart or options.papers:
                for archive, stem in zip(archives, together.stems_of(archives)):
                    drawn, all_drawn = draw_archive(archive, apart, chosen, options.output, options.format, options.papers, stem)
                    written, complete = written + drawn, complete and all_drawn
    except (ArchiveError, OSError) as error:
        print(f"figures.py: {error}", file=sys.stderr)
        return 2
    if not complete:
        return 2
    if not written:
        print("figures.py: nothing could be drawn", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
