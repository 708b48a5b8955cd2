"""The table of an audit's measures: a line for each measure, a column for each model, with intervals.

Models are compared as `fairfront show` compares them: with predictions.reference, by the paired interval of the
difference, and by the p value of a test where there is one. Nothing else makes a number bold; without a reference
none is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pandas

from fairfront_archive import Archive, Number, Task, number_name
from fairfront_archive.facts import number
from fairfront_archive.measured import ALL
from fairfront_archive.quotation import unquoted
from fairfront_figures import measures, tables
from fairfront_figures.arrange import (AUDIT, DIFFERENCE, SCORE, TEST, NothingToDraw, curve_name, curves_of, done,
                                       panel_text, problems_of_fronts, split, text_of)
from fairfront_figures.group_tables import ARROWS, number_text
from fairfront_figures.groups import ROWS
from fairfront_figures.layout import Sheet
from fairfront_figures.style import Options, as_it_is
from fairfront_figures.tables import INFINITE, cell_text, infinite_text, latex_escape, spread_texts
from fairfront_figures.tabulars import PAGE_LINES, Tabular, comment, joined, tabulars
from fairfront_figures.titles import titled

BETTER, WORSE = "better", "worse"
CONFIDENCE = 0.95  # of intervals, where the config has no other
ENDS = ("low", "high", "less_reference", "less_reference_low", "less_reference_high")
MOST_MODELS = 3  # beside each other, with intervals, on a page of a journal
PLAIN_UNITS = ("", "share", "probability", "ratio")
REFERENCE = "predictions.reference"


def measures_table(archive: Archive, options: Options) -> pandas.DataFrame:
    """Measures of the reported part of each method and place along its trade-off; of an audit with intervals."""
    table = tables.measures_table(archive, options)
    if AUDIT not in archive.methods():
        return table
    rows = rows_of(archive)
    found = [told(archive, archive.numbers()[line["column"]], rows.get(key_of(line), []),
                  [tasks for key, tasks in rows.items() if key[0] == line["problem"]]) for _, line in table.iterrows()]
    more = pandas.DataFrame(found, index=table.index)
    return table.assign(p=math.nan, **more).assign(best=more["best"])


def draw_differences(archive: Archive, options: Options) -> Sheet:
    """Of an audit with predictions.reference what each model's measures are less those of the reference: a row per
    measure, a dot per model with its paired interval, beside a line at 0."""
    wanted = [name if name.endswith(DIFFERENCE) else name + DIFFERENCE for name in options.measures]
    found = [number for number in archive.numbers().values()
             if number.what.name.endswith(DIFFERENCE) and number.reported and number.of_all and
             not np.isnan(number.values).all() and (not wanted or number.what.name in wanted)]
    if not found:
        raise NothingToDraw(f"{archive.path}: no two models are compared, which predictions.reference asks for")
    page = measures.draw_intervals(archive, dataclasses.replace(options, measures=tuple(
        number.name for number in found)))
    for axes in page.panels:
        axes.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    page.note = (f"Differences: the measure less that of {as_it_is(reference_of(archive))}. Whiskers: paired "
                 "intervals of a single run, or one deviation over replicates. Arrows point to the better side"
                 f"{measures.notes_of(page)}")
    return page


def key_of(line: pandas.Series) -> tuple[str, str, str]:
    return line["problem"], line["method"], line["place"]


def rows_of(archive: Archive) -> dict[tuple[str, str, str], list[Task]]:
    """Tasks of the table's rows: the replicates of a model."""
    return {(panel_text(archive, problem), curve_name(curve), text_of(place)): own
            for problem, tasks in problems_of_fronts(archive, done(archive)).items()
            for curve, mine in curves_of(archive, tasks).items()
            for place, own in split(archive, mine, "trade_off").items()}


def told(archive: Archive, measured: Number, tasks: list[Task], others: list[list[Task]]) -> dict:
    """Of a cell: ends of the interval and the difference to the reference, of a single run; what the comparison shows;
    whether it is bold.

    @param others  all models of the cell's panel: the archive tells a problem by its score as well."""
    if not tasks:  # the constant prediction
        return {**dict.fromkeys(ENDS, math.nan), "shown": "", "best": False}
    alone = tasks[0].index if len(tasks) == 1 else None
    difference = compared_number(archive, measured, DIFFERENCE)
    ends = [measured.low, measured.high, *([None] * 3 if difference is None else
                                           [difference.values, difference.low, difference.high])]
    values = {name: math.nan if end is None or alone is None else float(end[alone]) for name, end in zip(ENDS, ends)}
    shown = verdict(archive, measured, tasks)
    if is_reference(archive, tasks[0]):
        values.update(dict.fromkeys(ENDS[2:], math.nan))  # from itself it differs by nothing
        verdicts = [verdict(archive, measured, mine) for mine in others
                    if not math.isnan(measured.values[mine[0].index]) and not is_reference(archive, mine[0])]
        best = bool(verdicts) and all(one == WORSE for one in verdicts)
    else:
        best = shown == BETTER
    return {**values, "shown": shown, "best": best}


def is_reference(archive: Archive, task: Task) -> bool:
    return archive.value(task, SCORE) == task.axes.get(REFERENCE, reference_of(archive))


def reference_of(archive: Archive) -> str:
    """The column that the others are compared with; nothing where none is."""
    return unquoted(archive.config.get(REFERENCE, ""))


def compared_number(archive: Archive, measured: Number, ending: str) -> Number | None:
    if measured.measure is None or not measured.of_all:
        return None
    return archive.numbers().get(number_name(measured.what.name + ending, measured.part))


def verdict(archive: Archive, measured: Number, tasks: list[Task]) -> str:
    """"better" or "worse" than the reference where every run shows it, else nothing."""
    difference, test = (compared_number(archive, measured, ending) for ending in (DIFFERENCE, TEST))
    if difference is None or measured.what.direction == "none":
        return ""
    rows = [task.index for task in tasks]
    if test is not None and (test.values[rows] > 1 - confidence_of(archive)).any():
        return ""
    below, above = bool((difference.high[rows] < 0).all()), bool((difference.low[rows] > 0).all())
    if not below and not above:
        return ""
    return BETTER if below == (measured.what.direction == "minimise") else WORSE


def confidence_of(archive: Archive) -> float:
    return number(archive.config.get(f"{AUDIT}.confidence", "")) or CONFIDENCE


# Output

def latex(archive: Archive, table: pandas.DataFrame, title: str, whole: bool = False) -> str:
    """Tabulars of booktabs that fit a page, below each other: measures by models.

    @param whole  all measures, as they were asked for; else those that a page holds."""
    if AUDIT not in archive.methods():
        return tables.latex(archive, table, title, whole)
    table = tables.with_digits(table, mean_text)
    names = list(dict.fromkeys(table["column"]))
    compares = [name for name in names if table.loc[table["column"] == name, "less_reference"].notna().any()]
    names = [*compares, *(name for name in names if name not in compares)]
    shown = names if whole else names_on_a_page(archive, table, names)
    blocks = blocks_of_problems(archive, table, shown)
    partial = f"PARTIAL: {archive.progress()}. " if archive.partial else ""
    left, rows = len(names) - len(shown), rows_text(archive)
    return "\n".join([
        comment(f"{title}; archive {latex_escape(archive.experiment)}, results digest sha256:{archive.digest}, "
                f"measures digest sha256:{archive.measures_digest}"),
        joined(blocks),
        comment(f"{partial}{spread_text(table)} Without a unit: a share, probability or ratio.{infinite_text(table['mean'])}"),
        *([rf"\par\smallskip{{\footnotesize {latex_escape(rows)}}}"] if rows else []),  # readers of the paper must see it
        comment(bold_text(archive, bool(compares), int(table["replicates"].max())) +
                (f" {left} further measures are in the CSV file; --measure NAME takes others." if left else "")), ""])


def blocks_of_problems(archive: Archive, table: pandas.DataFrame, names: list[str]) -> list[Tabular]:
    blocks: list[Tabular] = []
    for problem, own in table.groupby("problem", sort=False):
        models = list(dict.fromkeys(zip(own["method"], own["place"])))
        named = problem if table["problem"].nunique() > 1 else ""
        blocks += blocks_of(archive, own, named or "measure", names, models, latex_cell)
        blocks += blocks_of_differences(archive, own, named, names, models)
    return blocks


def names_on_a_page(archive: Archive, table: pandas.DataFrame, names: list[str]) -> list[str]:
    """The first ones, at least one, of which all models have room below each other: every tabular has a line for each."""
    def fits(count: int) -> bool:
        return sum(block.lines for block in blocks_of_problems(archive, table, names[:count])) <= PAGE_LINES

    count = next((count for count in range(len(names), 1, -1) if fits(count)), 1)
    return names[:count]


def spread_text(table: pandas.DataFrame) -> str:
    counts = table["replicates"]
    if counts.max() == 1:
        return "Values with the intervals of the archive."
    count = str(counts.min()) if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    return f"Means and standard deviations over {count} replicates."


# Why nothing is bold.
NOT_COMPARED = "No two models are compared, which predictions.reference asks for: nothing is bold."
REPLICATES_APART = ("Every replicate compares the models on its own rows, and no interval is of all together: nothing is bold. "
                    "The differences of each are in fairfront show and in the figure differences.")


def bold_text(archive: Archive, compares: bool, replicates: int) -> str:
    """What the marks mean."""
    if not compares:
        return REPLICATES_APART if reference_of(archive) and replicates > 1 else NOT_COMPARED
    reference = latex_escape(reference_of(archive))
    return (f"Bold: better than {reference} by a paired interval without 0, which no p value of a test speaks against; "
            rf"{reference} itself where it is better than every other. $^\dagger$: worse than {reference} in the same way.")


def rows_text(archive: Archive) -> str:
    """Of models of one problem that are measured on different numbers of rows, as a cell of theirs is missing; else nothing."""
    rows = archive.measures().get(ROWS)
    counts: dict[str, dict[str, int]] = {}
    for (problem, method, place), tasks in rows_of(archive).items():
        if rows is not None and tasks[0].method == AUDIT and rows.has(rows.shown, ALL):
            count = rows.of(rows.shown, ALL)[tasks[0].index, 0]
            if math.isfinite(count):
                counts.setdefault(problem, {})[model_text(method, place)] = int(count)
    told = [", ".join(f"{model} on {count}" for model, count in own.items()) for own in counts.values() if len(set(own.values())) > 1]
    return "" if not told else ("Models are measured on different rows, as cells are missing: " + "; ".join(told) +
                                ". Differences are of rows that both have.")


def blocks_of_differences(archive: Archive, table: pandas.DataFrame, problem: str, names: list[str],
                          models: list[tuple[str, str]]) -> list[Tabular]:
    """What each model's measures are less those of the reference, with the paired intervals."""
    known = table[table["less_reference"].notna()]
    compared = [model for model in models if ((known["method"] == model[0]) & (known["place"] == model[1])).any()]
    if not compared:
        return []
    head = ", ".join(filter(None, [problem, f"difference: less {reference_of(archive)}"]))
    return blocks_of(archive, known, head, [name for name in names if name in set(known["column"])], compared,
                     difference_cell)


def blocks_of(archive: Archive, table: pandas.DataFrame, head: str, names: list[str], models: list[tuple[str, str]],
              cell: Callable[[pandas.Series], str]) -> list[Tabular]:
    heads = [latex_escape(head), *(latex_escape(model_text(*model)) for model in models)]
    lines = []
    for name in names:
        own = table[table["column"] == name]
        cells = {(line["method"], line["place"]): cell(line) for _, line in own.iterrows()}
        if any(model in cells for model in models):
            lines.append([line_text(archive, own), *(cells.get(model, "--") for model in models)])
    return tabulars(heads, lines, 1, MOST_MODELS)


def model_text(method: str, place: str) -> str:
    return ", ".join(filter(None, [titled(method), place]))


def line_text(archive: Archive, own: pandas.DataFrame) -> str:
    first, known = own.iloc[0], archive.numbers().get(own.iloc[0]["column"])
    words = latex_escape(known.text if known is not None else first["column"])
    unit = "" if first["unit"] in PLAIN_UNITS else f" [{latex_escape(first['unit'])}]"
    return words + unit + ARROWS[first["direction"]]


def difference_cell(line: pandas.Series) -> str:
    text = f"${number_text(line['less_reference'])}$"
    ends = [line["less_reference_low"], line["less_reference_high"]]
    if not np.isfinite(ends).all():
        return text
    return f"{text} {{\\scriptsize $[{number_text(ends[0])}, {number_text(ends[1])}]$}}"


def value_text(line: pandas.Series) -> str:
    """Of one run."""
    told = line["digits"] if math.isfinite(line["mean"]) else 0
    return f"{line['mean']:.{told}g}" if told else number_text(line["mean"])


def mean_text(line: pandas.Series) -> str:
    return spread_texts(line)[0] if line["replicates"] > 1 else number_text(line["mean"])


def latex_cell(line: pandas.Series) -> str:
    text = cell_text(line, r" \pm ").replace("inf", INFINITE) if line["replicates"] > 1 else value_text(line)
    text = rf"$\mathbf{{{text}}}$" if line["best"] else f"${text}$"
    if line["shown"] == WORSE:
        text += r"$^\dagger$"
    if not np.isfinite([line["low"], line["high"]]).all():
        return text
    return f"{text} {{\\scriptsize $[{number_text(line['low'])}, {number_text(line['high'])}]$}}"
