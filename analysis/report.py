#!/usr/bin/python3
"""Writes one self-contained page about archives: ranking, fronts, trajectories, schedule, provenance.

The page needs no network. Its charts are drawn by Apache ECharts (Apache-2.0), which
`npm install --prefix analysis/fairfront_report --omit=dev --no-package-lock` fetches once.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import pathlib
import sys

import fairfront_archive
from fairfront_archive import ArchiveError, require_no_input
from fairfront_archive.files import write_whole
from fairfront_report.content import content_of, labels_of
from fairfront_report.live import Watch, serve

PAGE = pathlib.Path(__file__).parent / "fairfront_report"
SCRIPTS = ("store.js", "charts.js", "fronts.js", "tables.js", "decision.js", "bound.js", "measures.js", "yardstick.js", "groups.js", "linked.js",
           "link.js", "live.js", "page.js")
LIBRARY = "node_modules/echarts/dist/echarts.min.js"
SELF = "'self'"
LICENCE = ("Charts by Apache ECharts, copyright The Apache Software Foundation, Apache License 2.0. "
           "Written by fairfront's report.py.")


def find_library() -> pathlib.Path:
    """`$FAIRFRONT_ECHARTS`, else the package beside the page.

    @throws ArchiveError  there is none; the message says how to fetch it.
    """
    path = pathlib.Path(os.environ.get("FAIRFRONT_ECHARTS") or PAGE / LIBRARY)
    if not path.is_file():
        raise ArchiveError(f"no charting library at {path}: run npm install --prefix {PAGE} "
                           "--omit=dev --no-package-lock, or set FAIRFRONT_ECHARTS to an echarts.min.js")
    return path


def inside_script(text: str) -> str:
    """JSON or a program that may stand in a <script>: nothing in it ends the element."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def take_reports(contents: list[dict]) -> str:
    """Moves the columns of reported parts, which a page may never need, to elements of their own."""
    elements = []
    for content in contents:
        columns = (content["fronts"] or {}).get("report") or []
        for i, column in enumerate(columns):
            columns[i] = f"report-{len(elements)}"
            elements.append(f'<script type="text/plain" id="{columns[i]}">{column}</script>\n')
    return "".join(elements)


def policy_of(style: str, *scripts: str, live: bool = False) -> str:
    """What a browser may run or fetch for the page: its own style and scripts, told by their SHA-256; one that is served
    asks its server what is new."""
    def told(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    return (f"default-src 'none'; script-src {' '.join(map(told, scripts))}; style-src {told(style)}; "
            f"{'connect-src ' + SELF + '; ' if live else ''}base-uri 'none'; form-action 'none'")


def page_of(contents: list[dict], library: str, live: dict | None = None) -> str:
    """@param live  of a page that is served while a run goes on: the version of its contents, and every how many
    seconds it asks for a new one."""
    reports = take_reports(contents)
    title = "fairfront: " + ", ".join(content["label"] for content in contents)
    library = inside_script(library.replace("\r\n", "\n").replace("\r", "\n"))  # as a browser reads it
    style = (PAGE / "page.css").read_text(encoding="utf-8")
    script = "".join((PAGE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    parts = {"TITLE": title.replace("&", "&amp;").replace("<", "&lt;"), "LICENCE": LICENCE,
             "STYLE": style, "SCRIPT": script, "REPORTS": reports, "LIVE": "" if live is None else
             f'<script type="application/json" id="live-data">{inside_script(json.dumps(live))}</script>\n', "LIBRARY": library,
             "POLICY": policy_of(style, library, script, live=live is not None),
             "DATA": inside_script(json.dumps(contents, allow_nan=False, separators=(",", ":")))}
    text = (PAGE / "page.html").read_text(encoding="utf-8")
    pieces = text.split("@")  # so that no replaced text is looked at again
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def watch_runs(options: argparse.Namespace, library: str) -> None:
    """Serves the page until Ctrl-C."""
    watch = Watch(options.archives, lambda contents, live: page_of(contents, library, live), options.seconds)
    try:
        serve(watch, options.port, lambda text: print(text, flush=True))
    except KeyboardInterrupt:
        print()


def chosen_point(path: str, archives: list[dict]) -> tuple[int, dict]:
    """Which archive a model file was chosen from, and the point as a link names it.

    @throws ArchiveError  it is no model file, or none of these archives is its own.
    """
    origin = fairfront_archive.load_model(path).source.about["provenance"]
    for i, archive in enumerate(archives):
        if archive["digest"] == origin["archive_digest"] and origin["task"] < archive["tasks"]["count"]:
            return i, {"task": origin["task"], "point": origin["point"]}
    raise ArchiveError(f"the model of '{path}' was chosen from another archive")


def write_page(options: argparse.Namespace, library: str) -> None:
    require_no_input(str(options.output), *options.archives)
    contents = []
    for path in options.archives:
        with fairfront_archive.open(path, options.partial) as archive:
            contents.append(content_of(archive))
    labels_of(contents, options.archives)
    if options.chosen is not None:
        which, point = chosen_point(options.chosen, contents)
        contents[which]["chosen"] = point
    write_whole(options.output, page_of(contents, library))
    print(f"{options.output}: {options.output.stat().st_size / 1e6:.1f} MB")


def seconds(text: str) -> float:
    """@throws ValueError  it is no time to wait."""
    found = float(text)
    if not 0.1 <= found <= 3600:
        raise ValueError("must be from 0.1 to 3600")
    return found


def parser_of() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-h", "--help", action="help", help="This text is printed.")
    parser.add_argument("archives", nargs="+", metavar="ARCHIVE", help="The page is of these archives.")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("report.html"),
                        help="The page is written to this file (%(default)s).")
    parser.add_argument("--chosen", metavar="FILE",
                        help="The page opens with the point that was chosen for this model file, of `fairfront choose --model`.")
    parser.add_argument("--partial", action="store_true",
                        help="A run that goes on is shown, too: what its journal holds so far.")
    parser.add_argument("--watch", action="store_true",
                        help="No page is written: it is served to this machine while runs go on, until Ctrl-C.")
    parser.add_argument("--seconds", type=seconds, default=5.0, help="So many seconds lie between two looks of --watch (%(default)s).")
    parser.add_argument("--port", type=int, default=0, help="The page of --watch is served on this port (one that is free).")
    return parser


def main(arguments: list[str]) -> int:
    parser = parser_of()
    options = parser.parse_args(arguments)
    if options.watch and options.chosen is not None:
        parser.error("--chosen is of a page that is written, and --watch serves one")
    try:
        (watch_runs if options.watch else write_page)(options, find_library().read_text(encoding="utf-8"))
    except (ArchiveError, OSError, OverflowError) as error:
        named = isinstance(error, OSError) and error.filename is not None
        print(f"report.py: {error.filename}: {error.strerror}" if named else f"report.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
