"""Where panels, titles, labels and legends stand: everything is measured as it will be drawn, so that no
text is cut or lies over another one. What is higher than a page goes on over several."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
from matplotlib.axis import Axis
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import (FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter,
                               ScalarFormatter)
from matplotlib.transforms import Bbox

from fairfront_archive import Objective, Quantity
from fairfront_figures.style import PARAMETERS, RESOLUTION, WARNING, Options, as_it_is, label_of

HIGHEST = 9.0  # inches: what a page of a journal has room for, with a caption below
GAP = 0.06  # inches: between a panel with what stands around it and the next one
NEAR = 0.01  # inches
TEXT_GAP = 0.05  # inches: between a panel and its title, a label and a legend
SLACK = 1.03  # texts are a little wider in PDF and SVG than in PNG
TICK_ROOM = {"x": 0.42, "y": 0.25}  # inches: a label of six characters, or a line, and a gap
BREAKS = "_=.,/:"  # after which a word that is wider than its place may be broken
MOST_ROUNDS = 5  # of breaking texts and placing panels
MOST_TICKS = 9
ROUND_STEPS = (1, 2, 2.5, 5, 10)  # between ticks, times a power of ten
NARROWEST = 0.6  # inches: of a panel between what stands around it
LEGEND_SHARE = 0.5  # of a page: a legend that needs more has a page of its own


@dataclasses.dataclass
class Around:
    """Inches that a panel needs at each side."""

    left: float
    right: float
    above: float
    below: float

    def near(self, other: Around) -> bool:
        """So near that nothing needs another place."""
        return all(abs(one - two) < NEAR for one, two in
                   zip(dataclasses.astuple(self), dataclasses.astuple(other)))


def extent(artist) -> Bbox:
    """Where it is drawn, in inches."""
    figure = artist.figure
    box = artist.get_window_extent(figure.canvas.get_renderer())
    return Bbox(box.get_points() / figure.dpi)


def fill(text: Text, content: str, width: float) -> None:
    """Sets the text with line breaks, so that it is no wider than `width` inches as far as words can be
    broken. Lines of `content` stay apart."""
    turned = text.get_rotation() % 180 == 90

    def fits(line: str) -> bool:
        text.set_text(line)
        box = extent(text)
        return (box.height if turned else box.width) * SLACK <= width

    lines = [line for part in content.split("\n") for line in broken(part, fits)]
    text.set_text("\n".join(lines))


def broken(content: str, fits: Callable[[str], bool]) -> list[str]:
    """The words of one paragraph in lines that fit."""
    lines = [""]
    for word in content.split(" "):
        if fits(f"{lines[-1]} {word}".strip(" ")):
            lines[-1] = f"{lines[-1]} {word}".strip(" ")
            continue
        while word and not fits(word):
            most = max((i for i in range(1, len(word)) if fits(word[:i])), default=1)
            most = max((i for i in range(1, most + 1) if word[i - 1] in BREAKS), default=most)
            lines.append(word[:most])
            word = word[most:]
        lines.append(word)
    return [line for line in lines if line] or [""]


@dataclasses.dataclass
class Sheet:
    """Panels of one size in rows and columns, on one page or on several."""

    figure: plt.Figure
    panels: list[plt.Axes]
    columns: int
    width: float  # inches
    panel_height: float  # inches, of the axes
    least_height: float  # inches: they may shrink to it, so that fewer pages are needed
    together: int = 1  # panels that stay on one page
    shared: bool = False  # one legend for all panels, on each page
    note: str = ""  # what lines and bands mean
    warning: str = ""  # above everything
    contents: dict[Text, str] = dataclasses.field(default_factory=dict)  # without line breaks
    with_ticks: set[Axis] = dataclasses.field(default_factory=set)
    margins: dict[plt.Axes, Around] = dataclasses.field(default_factory=dict)  # as found last

    @property
    def cell(self) -> float:
        """Inches that a panel has with what stands around it."""
        return self.width / self.columns

    def title(self, axes: plt.Axes, text: str) -> None:
        axes.set_title(as_it_is(text))

    def label(self, axes: plt.Axes, which: str, what: Objective | Quantity,
              whole: bool = False) -> None:
        """Labels an axis whose limits are final. Large and small numbers get one power of ten, in the
        label: an offset text beside the axis is overlooked.

        @param whole  its values are whole numbers, such as iterations.
        """
        axis = axes.xaxis if which == "x" else axes.yaxis
        exponent = 0
        if axis.get_scale() == "linear":
            room = self.cell * 0.8 if which == "x" else self.panel_height
            most = min(MOST_TICKS, max(2, int(room / TICK_ROOM[which])))
            axis.set_major_locator(MaxNLocator(most,
                                               steps=ROUND_STEPS, integer=whole))
            largest = max(abs(limit) for limit in axis.get_view_interval())
            if largest > 0 and not 1e-2 <= largest < 1e4:
                exponent = 3 * math.floor(math.log10(largest) / 3)
            formatter = ScalarFormatter(useOffset=False)
            formatter.set_powerlimits((exponent, exponent) if exponent else (-9, 9))
            axis.set_major_formatter(formatter)
            axis.offsetText.set_visible(False)
        axis.set_label_text(label_of(what, exponent))

    def legends(self, note: str = "", shared: bool = False) -> None:
        """Explains the curves: below each panel, or once below all. Curves leave no corner that is
        always free.

        @param note  what lines and bands mean.
        """
        self.note, self.shared = as_it_is(note), shared
        for axes in self.panels:
            handles, labels = axes.get_legend_handles_labels()
            if handles and not shared:
                axes.legend(handles, labels, title=note or None, loc="upper left", alignment="left")

    # Pages

    def pages(self) -> list[list[plt.Axes]]:
        """The panels of each page; a page of none has the legend alone. Panels get the height that all
        pages have room for."""
        chunks, heights = self.divide()
        self.panel_height = min(self.panel_height, *heights) if heights else self.panel_height
        alone = self.shared and self.legend_height() > LEGEND_SHARE * HIGHEST
        return chunks + [[]] if alone else chunks

    def divide(self) -> tuple[list[list[plt.Axes]], list[float]]:
        """Panels by page, as few pages as there can be, and the height that each leaves for one panel."""
        self.show(self.panels)
        self.arrange(self.panels)
        rows_together = max(1, math.ceil(self.together / self.columns))
        step = rows_together * self.columns
        units = [self.panels[i:i + step] for i in range(0, len(self.panels), step)]
        for pages in range(1, len(units) + 1):
            share = math.ceil(len(units) / pages)
            chunks = [sum(units[i:i + share], []) for i in range(0, len(units), share)]
            heights = [self.room_of(chunk) for chunk in chunks]
            if min(heights) >= min(self.least_height, self.panel_height):
                return chunks, heights
        return chunks, [max(NARROWEST, height) for height in heights]

    def room_of(self, panels: list[plt.Axes]) -> float:
        """Inches of height for each row of these panels on a page of their own."""
        rows = self.rows(panels)
        around = sum(max(self.margins[axes].above for axes in row) +
                     max(self.margins[axes].below for axes in row) for row in rows)
        legend = self.legend_height() if self.shared else 0
        legend = 0 if legend > LEGEND_SHARE * HIGHEST else legend
        # Margins are known to within NEAR: they change a little with the height that is chosen.
        return (HIGHEST - around - legend - self.warning_height()) / len(rows) - NEAR

    def rows(self, panels: list) -> list[list]:
        return [panels[i:i + self.columns] for i in range(0, len(panels), self.columns)]

    def show(self, panels: Sequence[plt.Axes]) -> None:
        """These panels alone; those without axes stay hidden."""
        for axes in self.panels:
            axes.set_visible(axes in panels)

    def lay_out(self, panels: list[plt.Axes]) -> None:
        """Makes the figure the page with these panels, as `pages` has them."""
        self.show(panels)
        alone = self.shared and self.legend_height() > LEGEND_SHARE * HIGHEST
        with_legend = self.shared and (not panels or not alone)
        self.arrange(panels, self.legend_height() if with_legend else 0.0)
        if self.shared:
            legend = self.shared_legend()
            if legend is not None and not with_legend:
                legend.remove()

    # Places

    def arrange(self, panels: list[plt.Axes], below: float = 0.0) -> None:
        """Places the panels; their texts are broken for the room that they have.

        @param below  inches for the legend of the whole figure.
        """
        margins = [self.margins.get(axes, Around(0.5, 0.1, 0.2, 0.4)) for axes in panels]
        for _ in range(MOST_ROUNDS):  # texts change with the room, and the room with texts
            columns = [Around(*(max(getattr(one, side) for one in margins[i::self.columns])
                                for side in ("left", "right")), 0, 0)
                       for i in range(min(self.columns, len(panels)))]
            rows = [Around(0, 0, *(max(getattr(one, side) for one in row)
                                   for side in ("above", "below")))
                    for row in self.rows(margins)]
            self.place(panels, columns, rows, below)
            earlier, margins = margins, [self.break_texts(axes, columns[i % self.columns])
                                         for i, axes in enumerate(panels)]
            self.margins.update(zip(panels, margins))
            if all(one.near(other) for one, other in zip(earlier, margins)):
                return

    def place(self, panels: list[plt.Axes], columns: list[Around], rows: list[Around],
              below: float) -> None:
        """Gives the figure its height, and panels their places in it."""
        above = self.warning_height()
        used = sum(column.left + column.right for column in columns)
        width = max(NARROWEST, (self.width - used - self.spare(columns)) / max(1, len(columns)))
        height = above + sum(row.above + self.panel_height + row.below for row in rows) + below
        self.figure.set_size_inches(self.width, max(height, NARROWEST))
        y = height - above
        for row, around in zip(self.rows(panels), rows):
            y -= around.above + self.panel_height
            x = 0.0
            for axes, column in zip(row, columns):
                self.put(axes, x + column.left, y, width)
                x += column.left + width + column.right
            y -= around.below

    def spare(self, columns: list[Around]) -> float:
        """Inches of columns that stay empty on a page with fewer panels: these keep their width."""
        return (self.columns - len(columns)) * self.cell if columns else 0.0

    def put(self, axes: plt.Axes, x: float, y: float, width: float) -> None:
        """Places axes with their lower left corner at x, y (inches). Round ones keep their shape."""
        width_of_figure, height_of_figure = self.figure.get_size_inches()
        height = self.panel_height
        if axes.name == "polar":
            size = min(width, height)
            x, y = x + (width - size) / 2, y + (height - size) / 2
            width = height = size
        axes.set_position((x / width_of_figure, y / height_of_figure, width / width_of_figure,
                           height / height_of_figure))

    def box_with_texts(self, axes: plt.Axes) -> Bbox:
        renderer = self.figure.canvas.get_renderer()
        return Bbox(axes.get_tightbbox(renderer).get_points() / self.figure.dpi)

    def break_texts(self, axes: plt.Axes, around: Around) -> Around:
        """Breaks title, labels and legend of a panel, and puts title and legend where nothing is.

        @param around  what its column has left and right of it.
        @return what now stands around it.
        """
        legend = axes.get_legend()
        axes.title.set_visible(False)
        if legend:
            legend.set_visible(False)
        self.centre(axes, axes.xaxis.label, around)
        for one in (axes, *axes.child_axes):  # such as a bar of colours
            fill(one.yaxis.label, self.content(one.yaxis.label), self.panel_height + 2 * TEXT_GAP)
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log" and axis not in self.with_ticks:
                set_log_ticks(axis)
            self.with_ticks.add(axis)
            thin_ticks(axis)
        place, box = extent(axes), self.box_with_texts(axes)
        axes.title.set_visible(True)
        axes.set_title(axes.get_title(), y=1 + (max(0.0, box.y1 - place.y1) + TEXT_GAP) / place.height,
                       pad=0, verticalalignment="bottom")
        self.centre(axes, axes.title, around)
        if legend:
            legend.set_visible(True)
            self.break_legend(legend, around.left + place.width + around.right - 2 * GAP)
            legend.set_bbox_to_anchor(((GAP - around.left) / place.width,
                                       (box.y0 - place.y0 - TEXT_GAP) / place.height), axes.transAxes)
        boxes = [box] + [extent(one) for one in (axes.title, legend) if one and one.get_visible()]
        lack = (self.panel_height - place.height) / 2  # of a round panel in its place
        return Around(*(max(0.0, side) + GAP for side in (
            place.x0 - box.x0, box.x1 - place.x1, max(one.y1 for one in boxes) - place.y1 - lack,
            place.y0 - min(one.y0 for one in boxes) - lack)))

    def centre(self, axes: plt.Axes, text: Text, around: Around) -> None:
        """Above or below the axes; a longer text goes on to where its neighbour begins."""
        place = extent(axes)
        fill(text, self.content(text), around.left + place.width + around.right - 2 * GAP)
        half = extent(text).width * SLACK / 2
        middle = place.width / 2
        middle += max(0.0, GAP - around.left - (middle - half))
        middle -= max(0.0, middle + half - place.width - around.right + GAP)
        text.set_x(middle / place.width)

    def content(self, text: Text) -> str:
        """Without line breaks of ours; an axis and its value stay in one line."""
        return self.contents.setdefault(text, text.get_text().replace(" = ", "\xa0=\xa0"))

    # The legend of the whole figure, and a warning

    def break_legend(self, legend: Legend, width: float) -> None:
        """Breaks the texts of a legend of one column that is at most `width` inches wide."""
        size = legend._fontsize / 72  # inches
        room = width - size * (legend.handlelength + legend.handletextpad) - 2 * TEXT_GAP
        for text in legend.get_texts():
            fill(text, self.content(text), room)
        if self.note:
            fill(legend.get_title(), self.note, width)

    def shared_legend(self) -> Legend | None:
        """Below all panels, in as many columns as its texts have room for. Replaces an earlier one."""
        for legend in list(self.figure.legends):
            legend.remove()
        found: dict[str, object] = {}
        for axes in self.panels:
            for handle, text in zip(*axes.get_legend_handles_labels()):
                found.setdefault(text, handle)
        if not found and not self.note:
            return None
        for columns in (3, 2, 1):
            legend = self.figure.legend(found.values(), found.keys(), title=self.note or None,
                                        ncols=columns, loc="lower center", alignment="left",
                                        borderaxespad=0.4)
            if columns == 1:
                self.break_legend(legend, self.width - 2 * GAP)
            elif self.note:
                fill(legend.get_title(), self.note, self.width - 2 * GAP)
            if columns == 1 or (columns <= len(found) / 2 and
                                extent(legend).width * SLACK <= self.width):
                return legend
            legend.remove()
        raise AssertionError("a legend of one column is always taken")

    def legend_height(self) -> float:
        legend = self.shared_legend()
        if legend is None:
            return 0.0
        height = extent(legend).height + 2 * GAP
        legend.remove()
        return height

    def warning_height(self) -> float:
        """Writes the warning, if there is one, at the top."""
        if not self.warning:
            return 0.0
        text = self.figure.suptitle(self.warning, color=WARNING, fontsize=8, fontweight="bold",
                                    verticalalignment="top")
        fill(text, self.warning, self.width - 2 * GAP)
        text.set_y(1 - GAP / self.figure.get_size_inches()[1])
        return extent(text).height + 2 * GAP


def shown_labels(axis: Axis) -> list[Text]:
    """Labels of the ticks that are drawn, in their order along the axis."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for minor in (False, True) for tick in
             (axis.get_minor_ticks() if minor else axis.get_major_ticks())
             if low <= tick.get_loc() <= high and tick.label1.get_text()]
    return [tick.label1 for tick in sorted(ticks, key=lambda tick: tick.get_loc())]


def collide(axis: Axis) -> bool:
    axis.get_tightbbox(axis.figure.canvas.get_renderer())  # makes the ticks
    boxes = [extent(label) for label in shown_labels(axis)]
    return any(one.expanded(1.08, 1).overlaps(other) for one, other in zip(boxes, boxes[1:]))


def thin_ticks(axis: Axis) -> None:
    """Fewer ticks, until their labels have room. Ticks that a figure has set itself stay."""
    if axis.axes.name == "polar":
        return
    for count in range(8, 1, -1):
        if not collide(axis):
            return
        locator = axis.get_major_locator()
        if isinstance(locator, MaxNLocator):
            locator.set_params(nbins=count)
        elif isinstance(locator, LogLocator):
            locator.set_params(subs=(1,), numticks=count)
        elif axis.get_scale() == "symlog":
            low, high = sorted(axis.get_view_interval())
            at = [tick for tick in locator() if low <= tick <= high]
            axis.set_major_locator(FixedLocator(at[:1] + at[2:][::-2][::-1]))
        else:
            return


def set_log_ticks(axis: Axis) -> None:
    """Powers of ten; over less than two of them their halves and fifths, or round numbers."""
    low, high = sorted(axis.get_view_interval())
    if high > 50 * low:
        axis.set_major_locator(LogLocator(numticks=9))
    elif high > 4 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        axis.set_major_locator(MaxNLocator(6))
    plain = 1e-3 <= low and high < 1e4  # for all of its ticks: not 10⁻⁴ beside 0.001
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.4g}" if plain
                                           else power_text(value)))
    axis.set_minor_formatter(NullFormatter())


def power_text(value: float) -> str:
    """Such as 1, 10⁶ or 2·10⁻⁷."""
    if value == 1:
        return "1"
    factor, _, exponent = f"{value:.3e}".partition("e")
    factor = f"{float(factor):g}"
    return "$" + (f"{factor}\\cdot" if factor != "1" else "") + f"10^{{{int(exponent)}}}$"


def sheet(panels: int, options: Options, columns: int = 3, ratio: float = 0.62,
          least: float = 2.1, together: int = 1, projection: str | None = None) -> Sheet:
    """Pages of the chosen width with `panels` axes, each wide enough to be read.

    @param columns   most panels beside each other, if there is room for them.
    @param ratio     height of a panel's axes to the width that it has with its labels.
    @param least     width of a panel that can still be read, inches.
    @param together  panels that stay on one page.
    """
    width = options.inches(panels if columns > 1 else 1)
    room = max(1, int(width / least))
    columns = max(1, min(panels, room, 2 if panels == 4 else columns))
    plt.rcParams.update(PARAMETERS)
    figure = plt.figure(figsize=(width, width), dpi=RESOLUTION)
    axes = [figure.add_axes((0.2, 0.2, 0.6, 0.6), label=str(i), projection=projection)
            for i in range(panels)]
    height = max(1.1, ratio * width / columns)
    return Sheet(figure, axes, columns, width, height, max(1.0, 0.6 * height),
                 together=together)
