"""The table of measures by group: all numbers as CSV, and tabulars that fit a page."""

from __future__ import annotations

import math

import numpy as np
import pandas

from fairfront_archive import Archive
from fairfront_archive.measured import ALL
from fairfront_figures.arrange import curve_name, panel_text, text_of
from fairfront_figures.groups import (FEW_ROWS_NOTE, ROWS, counted, every, groups_of, has_few_rows,
                                      measures_of_groups, part_of, problems_of, spread_of)
from fairfront_figures.style import Options
from fairfront_figures.tables import INFINITE, infinite_text, latex_escape
from fairfront_figures.tabulars import Tabular, comment, joined, on_a_page, tabulars, without_room
from fairfront_figures.titles import titled

MOST_COLUMNS = 3  # of a tabular, with intervals, on a page of a journal
ARROWS = {"minimise": r" $\downarrow$", "maximise": r" $\uparrow$", "none": ""}
CHOSEN_PLACE = ("Of several places along a trade-off the one whose front point, in the part that decides, is nearest to the best "
                "value of each objective")
KEYS = ["problem", "method", "place", "group"]


def groups_table(archive: Archive, options: Options) -> pandas.DataFrame:
    """Measures of each group's rows alone, of every method at one place along its trade-off: number of rows,
    means over replicates with a deviation, or the interval of a single run, and whether the group has few rows."""
    measures = [*counted(archive), *measures_of_groups(archive, options)]
    lines = []
    for problem, rows in problems_of(archive, measures).items():
        groups = [ALL, *groups_of(measures, every(rows))]
        for (curve, place), tasks in rows.items():
            for group in groups:
                for measure in measures:
                    part = part_of(measure)
                    if part is None or not measure.has(part, group):
                        continue
                    known = measure.of(part, group)[[task.index for task in tasks], 0]
                    value, low, high = spread_of(measure, part, group, tasks)
                    count = int((~np.isnan(known)).sum())
                    lines.append({
                        "problem": panel_text(archive, problem), "method": curve_name(curve),
                        "place": text_of(place), "part": part, "group": group,
                        "few_rows": has_few_rows(archive, part, group, tasks),
                        "column": measure.what.name, "unit": measure.what.unit,
                        "direction": measure.what.direction, "replicates": count, "value": value,
                        "low": low if count == 1 else math.nan, "high": high if count == 1 else math.nan,
                        "deviation": high - value if count > 1 else math.nan})
    return pandas.DataFrame(lines)


def number_text(value: float) -> str:
    """Between dollars."""
    if math.isinf(value):
        return INFINITE if value > 0 else f"-{INFINITE}"
    if 0 < abs(value) < 0.0005:
        return f"{value:.2g}"  # or it would be 0.000
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.4g}"


def latex_cell(line: pandas.Series) -> str:
    """Value and interval, or mean and deviation; a dash where it is not defined, or too few rows to say."""
    if math.isnan(line["value"]):
        return "--"
    if line["column"] == ROWS:
        return f"${line['value']:.0f}$" if line["value"] == round(line["value"]) else f"${line['value']:.1f}$"
    text = number_text(line["value"])
    if math.isfinite(line["low"]):
        return f"${text}$ {{\\scriptsize $[{number_text(line['low'])}, {number_text(line['high'])}]$}}"
    return f"${text} \\pm {number_text(line['deviation'])}$" if math.isfinite(line["deviation"]) else f"${text}$"


def is_bare(line: pandas.Series, with_intervals: set[str]) -> bool:
    """As `groups.bare`: it looks as if it were sure.

    @param with_intervals  columns of which other groups have some."""
    return bool(line["few_rows"] and line["column"] in with_intervals and math.isfinite(line["value"])
                and math.isnan(line["low"]) and math.isnan(line["deviation"]))


def latex(archive: Archive, table: pandas.DataFrame, title: str, whole: bool = False) -> str:
    """Tabulars of booktabs, one below the other: a line for each group, at most three measures beside the
    number of rows in each. No group is left out: where a page has no room for all, they go on in a further tabular.

    @param whole  all measures, as they were asked for; else those that a page holds."""
    shown = [key for key in KEYS if key == "group" or table[key].nunique() > 1]
    names = [name for name in dict.fromkeys(table["column"]) if name != ROWS]
    partial = f"PARTIAL: {archive.progress()}. " if archive.partial else ""
    several = bool((table["replicates"] > 1).any())
    means = ("means and standard deviations over replicates" if several
             else "values with the intervals of the archive")
    about = about_text(archive, table, [key for key in KEYS if key not in shown])
    found = blocks_of(table, shown, names)
    kept = found if whole else on_a_page(found)
    left = without_room(found, kept)
    return "\n".join([
        comment(f"{title}; archive {latex_escape(archive.experiment)}, results digest sha256:{archive.digest}, "
                f"measures digest sha256:{archive.measures_digest}"),
        joined([page for one in kept for page in one.in_pages()]),
        comment(f"{partial}{about}Of each group's rows alone on the {latex_escape(', '.join(table['part'].unique()))} part: "
                f"{means}; --: not defined, or too few rows to say{'; ' + FEW_ROWS_NOTE if table['few_rows'].any() else ''}."
                f"{infinite_text(table['value'])}"),
        *([comment(left)] if left else []), ""])


def about_text(archive: Archive, table: pandas.DataFrame, alone: list[str]) -> str:
    """What all lines are about, which no column says; and how the place along a trade-off was chosen, if it was."""
    titles = {"problem": "Problem", "method": "Method", "place": "Place along the trade-off"}
    texts = {key: table[key].iloc[0] for key in alone}
    said = [f"{titles[key]}: {latex_escape(titled(text) if key == 'method' else text)}"
            for key, text in texts.items() if text]
    several = any(role == "trade_off" and len(archive.axes[axis]) > 1 for axis, role in archive.roles.items())
    chosen = [CHOSEN_PLACE] if several and table["place"].any() else []
    return "".join(f"{one}. " for one in [*said, *chosen])


def blocks_of(table: pandas.DataFrame, shown: list[str], names: list[str]) -> list[Tabular]:
    first = table.drop_duplicates("column").set_index("column")
    counts = [ROWS] if ROWS in first.index else []
    heads = [*shown, *counts]
    for name in names:
        unit = first.loc[name, "unit"]
        heads.append(latex_escape(name.replace("_", " ")) + (f" [{latex_escape(unit)}]" if unit else "") +
                     ARROWS[first.loc[name, "direction"]])
    lines = []
    with_intervals = set(table.loc[table["low"].notna(), "column"])
    for key, own in table.groupby(KEYS, sort=False):
        cells = {line["column"]: latex_cell(line) + ("$^*$" if is_bare(line, with_intervals) else "")
                 for _, line in own.iterrows()}
        texts = [latex_escape(titled(text) if one == "method" else text)
                 for one, text in zip(KEYS, key) if one in shown]
        if own["few_rows"].any():
            texts[-1] += "$^*$"  # behind the group's name
        lines.append([*texts, *(cells.get(name, "--") for name in [*counts, *names])])
    return tabulars(heads, lines, len(shown) + len(counts), MOST_COLUMNS, len(counts))
