"""How figures look and how they are saved: one place for sizes, colours, labels and metadata."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import textwrap

import matplotlib

matplotlib.use("Agg")  # no screen needed
import matplotlib.pyplot as plt
from matplotlib.legend import Legend
from matplotlib.ticker import MaxNLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from fairfront_archive import Archive, Objective, Quantity

# Okabe & Ito (2008): told apart with every common kind of colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
DASHES = ("-", "--", "-.", ":")
MILLIMETRE = 1 / 25.4  # inches
WIDTHS = {"column": 85.0, "page": 174.0}  # mm: one and two columns of a journal
FORMATS = ("pdf", "png", "svg")
WARNING = "#A40000"

PARAMETERS = {
    "font.size": 8, "axes.labelsize": 8, "axes.titlesize": 8, "legend.fontsize": 6.5,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "axes.linewidth": 0.6, "lines.linewidth": 1.1,
    "axes.grid": True, "grid.color": "0.9", "grid.linewidth": 0.5, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.title_fontsize": 6.5, "legend.handlelength": 1.6, "legend.borderaxespad": 0,
    "figure.constrained_layout.h_pad": 0.05, "figure.constrained_layout.w_pad": 0.05,
    "pdf.fonttype": 42, "ps.fonttype": 42,  # TrueType: publishers refuse Type 3 fonts
    "svg.fonttype": "none", "svg.hashsalt": "fairfront", "savefig.dpi": 300,
}


@dataclasses.dataclass(frozen=True)
class Options:
    """What a person chooses for a figure; names are those of metrics and series in the archive."""

    width: float = WIDTHS["column"]  # of the whole figure, mm
    measures: tuple[str, ...] = ()  # empty: chosen by their unit and direction
    series: tuple[str, ...] = ()  # empty: all that have a direction
    tasks: tuple[int, ...] = ()  # empty: all
    panels_by: str | None = None  # an axis that makes the panels instead of the problem
    fit_from: float = 0.6  # slopes are fitted over steps >= T^fit_from

    @property
    def inches(self) -> float:
        return self.width * MILLIMETRE


def look(index: int) -> dict[str, str]:
    """Colour, dashes and marker of a curve: no two of the first 49 look the same."""
    turn = index // len(COLOURS)
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[turn % len(DASHES)],
            "marker": MARKERS[(index + turn) % len(MARKERS)]}


LINE = 0.125  # inches: a line of a legend; titles and labels are a little higher
TICKS = 0.2  # inches: tick labels and the space around them
TICK_ROOM = {"x": 0.42, "y": 0.25}  # inches: a label of six characters, or a line, and a gap


@dataclasses.dataclass
class Sheet:
    """A figure with panels of one size; its height follows from what stands around them."""

    figure: plt.Figure
    panels: list[plt.Axes]
    columns: int
    panel_height: float  # inches
    width: float  # inches

    @property
    def panel_width(self) -> float:
        return self.width / self.columns

    def title(self, axes: plt.Axes, text: str) -> None:
        axes.set_title(textwrap.fill(text, max(16, int(self.panel_width * 12))))

    def label(self, axes: plt.Axes, which: str, what: Objective | Quantity) -> None:
        """Labels an axis whose limits are final. Large and small numbers get one power of ten, in the
        label: an offset text beside the axis is overlooked."""
        axis = axes.xaxis if which == "x" else axes.yaxis
        exponent = 0
        room = self.panel_width * 0.8 if which == "x" else self.panel_height
        if axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(max(2, int(room / TICK_ROOM[which]))))
            largest = max(abs(limit) for limit in axis.get_view_interval())
            if largest > 0 and not 1e-2 <= largest < 1e4:
                exponent = 3 * math.floor(math.log10(largest) / 3)
            formatter = ScalarFormatter(useOffset=False)
            formatter.set_powerlimits((exponent, exponent) if exponent else (-9, 9))
            axis.set_major_formatter(formatter)
            axis.offsetText.set_visible(False)
        axis.set_label_text(textwrap.fill(label_of(what, exponent), max(16, int(room * 12.5))))

    def legends(self, note: str = "", shared: bool = False) -> None:
        """Explains the curves: below each panel, or once below all. Curves leave no corner that is
        always free.

        @param note  what lines and bands mean.
        """
        if not shared:
            for axes in self.panels:
                self.legend_below(axes, note)
            return
        found: dict[str, object] = {}
        for axes in self.panels:
            for handle, text in zip(*axes.get_legend_handles_labels()):
                found.setdefault(text, handle)
        if not found and not note:
            return
        columns = 2 if self.width > 5 and len(found) > 3 else 1
        wrap = int(self.width / columns * 17)
        self.figure.legend(found.values(), [textwrap.fill(text, wrap) for text in found],
                           title=textwrap.fill(note, int(self.width * 18)) or None, ncols=columns,
                           loc="lower center", alignment="left", borderaxespad=0.4)

    def legend_below(self, axes: plt.Axes, note: str) -> None:
        handles, labels = axes.get_legend_handles_labels()
        if not handles:
            return
        wrap = max(24, int(self.panel_width * 17))
        lines = axes.get_xlabel().count("\n") + 1
        below = axes.transAxes + ScaledTranslation(0, -TICKS - 0.15 * lines,
                                                   self.figure.dpi_scale_trans)
        axes.legend(handles, [textwrap.fill(label, wrap) for label in labels],
                    title=textwrap.fill(note, wrap + 4) or None, loc="upper center",
                    bbox_to_anchor=(0.5, 0), bbox_transform=below, alignment="left")

    def fit(self) -> None:
        """Gives the figure the height that its content needs. Axes keep theirs."""
        rows: dict[int, float] = {}
        for axes in self.panels:
            place = axes.get_subplotspec()
            rows[place.rowspan.start] = max(rows.get(place.rowspan.start, 0), self.around(axes))
        below = legend_height(self.figure.legends[0]) if self.figure.legends else 0
        above = 0.25 if self.figure._suptitle is not None else 0
        height = sum(rows.values()) + self.panel_height * len(rows) + below + above
        self.figure.set_size_inches(self.width, height)
        self.figure.get_layout_engine().set(rect=(0, below / height, 1, 1 - below / height))

    def around(self, axes: plt.Axes) -> float:
        lines = axes.get_title().count("\n") + axes.get_xlabel().count("\n") + 2
        height = TICKS + 0.15 + 0.14 * lines
        legend = axes.get_legend()
        return height + (legend_height(legend) if legend else 0)


def legend_height(legend: Legend) -> float:
    texts = [text.get_text() for text in legend.get_texts()]
    columns = legend._ncols
    lines = sum(1 + text.count("\n") + 0.35 for text in texts) / columns
    title = legend.get_title().get_text()
    lines += title.count("\n") + 1.4 if title and title != "None" else 0
    return LINE * (lines + (0.8 if columns > 1 else 0.4))


def sheet(panels: int, options: Options, columns: int = 3, ratio: float = 0.72,
          least: float = 2.1) -> Sheet:
    """A figure of the chosen width with `panels` axes, each wide enough to be read.

    @param columns  most panels beside each other, if there is room for them.
    @param ratio    height of a panel's axes to its width.
    @param least    width of a panel that can still be read, inches.
    """
    room = max(1, int(options.inches / least))
    columns = max(1, min(panels, room, 2 if panels == 4 else columns))
    rows = math.ceil(panels / columns)
    plt.rcParams.update(PARAMETERS)
    height = max(1.1, ratio * options.inches / columns)
    figure, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                figsize=(options.inches, rows * (height + 0.7)))
    for axes in grid.flat[panels:]:
        axes.remove()
    return Sheet(figure, list(grid.flat[:panels]), columns, height, options.inches)


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


def mark_partial(figure: plt.Figure, archive: Archive) -> None:
    """Nobody may take the figure of a half run for the whole."""
    if archive.partial:
        figure.suptitle(f"PARTIAL: {archive.progress()}", color=WARNING, fontsize=8,
                        fontweight="bold")


def describe(archive: Archive, title: str) -> dict[str, str]:
    """What a file says about itself, whatever its format."""
    source = archive.provenance()
    partial = "PARTIAL: " if archive.partial else ""
    return {"title": f"{partial}{title}",
            "description": (f"{title} of {pathlib.Path(archive.path).name} (experiment "
                            f"{archive.experiment}, {archive.progress()}), results digest "
                            f"sha256:{archive.digest}"),
            "creator": (f"fairfront {source.get('program_version', '?')}, revision "
                        f"{source.get('git_revision', '?')}")}


def metadata(archive: Archive, title: str, suffix: str) -> dict[str, str | None]:
    """No date, so that the same archive gives the same bytes."""
    facts = describe(archive, title)
    digest = f"sha256:{archive.digest}"
    if suffix == "pdf":
        return {"Title": facts["title"], "Subject": facts["description"], "Keywords": digest,
                "Creator": facts["creator"], "CreationDate": None}
    if suffix == "svg":
        return {"Title": facts["title"], "Description": facts["description"],
                "Identifier": digest, "Creator": facts["creator"], "Date": None}
    return {"Title": facts["title"], "Description": facts["description"], "Source": digest,
            "Software": facts["creator"]}


def save(drawn: Sheet, archive: Archive, title: str, *targets: pathlib.Path) -> None:
    """Writes the figure; suffixes choose the formats. Closes it.

    @throws ValueError  no such format.
    """
    mark_partial(drawn.figure, archive)
    drawn.fit()
    for target in targets:
        suffix = target.suffix.lstrip(".").lower()
        if suffix not in FORMATS:
            raise ValueError(f"{target}: no format '{suffix}'; there are: {', '.join(FORMATS)}")
        drawn.figure.savefig(target, metadata=metadata(archive, title, suffix))
    plt.close(drawn.figure)
