"""How figures look: one place for sizes, colours, the texts of labels and metadata."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")  # no screen needed

from fairfront_archive import Archive, Objective, Quantity
from fairfront_figures import fonts

# Okabe & Ito (2008): told apart with every common kind of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
MILLIMETRE = 1 / 25.4  # inches
WIDTHS = {"column": 85.0, "page": 174.0}  # mm: one and two columns of a journal
MANY_PANELS = 4  # so many have two columns, in the width of a page
FORMATS = ("pdf", "png", "svg")
WARNING = "#A40000"
RESOLUTION = 300  # dots per inch: texts are measured as they are drawn

PARAMETERS = {
    "font.family": fonts.families(),
    "font.size": 8, "axes.labelsize": 8, "axes.titlesize": 8, "legend.fontsize": 6.5,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "axes.linewidth": 0.6, "lines.linewidth": 1.1,
    "axes.grid": True, "grid.color": "0.9", "grid.linewidth": 0.5, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.title_fontsize": 6.5, "legend.handlelength": 1.6, "legend.borderaxespad": 0,
    "pdf.fonttype": 42, "ps.fonttype": 42,  # TrueType: publishers refuse Type 3 fonts
    "svg.fonttype": "none", "svg.hashsalt": "fairfront", "savefig.dpi": RESOLUTION,
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What a person chooses for a figure; names are those of measures, numbers and series in the archive."""

    width: float | None = None  # of the whole figure, mm; None: a column, but a page for MANY_PANELS
    measures: tuple[str, ...] = ()  # empty: chosen by their unit and direction
    series: tuple[str, ...] = ()  # empty: all that have a direction
    tasks: tuple[int, ...] = ()  # empty: all
    panels_by: str | None = None  # an axis that makes the panels instead of the problem
    axes: tuple[str, str] | None = None  # of fronts: measures in the place of the objectives
    bounds: tuple[str, ...] = ()  # of a choice, "NAME<=X" or "NAME>=X"
    best: str | None = None  # of a choice; None: the first objective, or the knee
    knee: bool = False
    methods: tuple[str, ...] = ()  # that a choice is among; empty: all
    confidence: float | None = None  # that the bounds hold for the population
    fit_from: float = 0.6  # slopes are fitted over steps >= T^fit_from

    def inches(self, panels: int) -> float:
        """The width of a figure of so many panels that may stand beside each other."""
        return (self.width or WIDTHS["page" if panels >= MANY_PANELS else "column"]) * MILLIMETRE


def look(index: int) -> dict[str, object]:
    """Colour, dashes and marker of a curve: no two of the first 49 look the same."""
    turn = index // len(COLOURS)
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[turn % len(DASHES)],
            "marker": MARKERS[(index + turn) % len(MARKERS)]}


def as_it_is(text: str) -> str:
    """A name in a picture: dollars are no mathematics, and a legend leaves out what begins with "_"."""
    line = text.replace("$", r"\$")
    return f"\u2009{line}" if line.startswith("_") else line


def direction_text(direction: str) -> str:
    # On the vertical axis the text is turned by 90 degrees, and the arrow with it. The space is one
    # at which no line is broken.
    return {"maximise": "better\xa0→", "minimise": "←\xa0better"}.get(direction, "")


def label_of(what: Objective | Quantity, exponent: int = 0) -> str:
    """Name, unit and direction, such as "clustering cost [10⁶ m]  (← better)"."""
    power = f"$10^{{{exponent}}}$" if exponent else ""
    unit = " ".join(part for part in (power, what.unit.replace("*", "·")) if part)
    better = direction_text(what.direction)
    return (what.name.replace("_", " ") + (f" [{unit}]" if unit else "") +
            (f"  ({better})" if better else ""))


def describe(archives: Sequence[Archive], title: str) -> dict[str, str]:
    """What a file says about itself, whatever its format."""
    source = archives[0].provenance()
    partial = "PARTIAL: " if any(archive.partial for archive in archives) else ""
    return {"title": f"{partial}{title}",
            "description": f"{title} of " + "; ".join(
                f"{pathlib.Path(archive.path).name} (experiment {archive.experiment}, {archive.progress()}), results "
                f"digest sha256:{archive.digest}, measures digest sha256:{archive.measures_digest}"
                for archive in archives),
            "creator": (f"fairfront {source.get('program_version', '?')}, revision "
                        f"{source.get('git_revision', '?')}")}


def metadata(archives: Sequence[Archive], title: str, suffix: str) -> dict[str, str | None]:
    """No date, so that the same archive gives the same bytes."""
    facts = describe(archives, title)
    digest = " ".join(f"sha256:{archive.digest}" for archive in archives)
    if suffix == "pdf":
        return {"Title": facts["title"], "Subject": facts["description"], "Keywords": digest,
                "Creator": facts["creator"], "CreationDate": None}
    if suffix == "svg":
        return {"Title": facts["title"], "Description": facts["description"],
                "Identifier": digest, "Creator": facts["creator"], "Date": None}
    return {"Title": facts["title"], "Description": facts["description"], "Source": digest,
            "Software": facts["creator"]}
