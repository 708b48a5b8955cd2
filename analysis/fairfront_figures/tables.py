"""Tables: means, deviations, the best of each problem, and whether others differ from it.

Each value is a mean over replicates. The best mean of a problem and column is marked, unless there is
nothing that it is better than. The best value of a single run is marked only where its interval in the archive
meets no other one: then the difference has an interval of at least the same confidence without 0, paired or not. Every other row is tested against it by a paired test over the replicates
that both have (changes of sign, exact up to 14 pairs; see fairfront_archive.paired_test), and the p-values
of one problem and column are corrected together (Holm, 1979). The models of an audit are compared otherwise: audits.py.
A method that learnt from the labels of
the part that decides is marked in the columns of that part, and neither is the best there nor is
tested; the reported part ranks it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pandas

from fairfront_archive import Archive, Number, Quantity, Task, holm, paired_test
from fairfront_figures.arrange import (Items, NothingToDraw, curve_name, curves_of, done, items_of,
                                       panel_text, problems_of_fronts, split, text_of)
from fairfront_figures.fronts import runs_by_replicate
from fairfront_figures.measures import chosen_measures, mean_and_deviation
from fairfront_figures.style import Options
from fairfront_figures.tabulars import comment, joined, on_a_page, rows_on_a_page, tabulars, without_room
from fairfront_figures.titles import titled

LEVEL = 0.05
MOST_DIGITS = 8  # by which values that are compared are told apart
MOST_COLUMNS = 6  # of numbers with deviations, on a page of a journal
INFINITE = r"\infty"
UNRANKED = "as a constant, or as it learnt from labels or groups of the part that this column is of."
SECONDS = Quantity("seconds", "wall clock of the tasks", "s", "minimise", "")
PER_SOLUTION = Quantity("seconds per solution", "seconds of a front by its points", "s", "minimise",
                        "Liu and Vicente (2021), Table 1")
REPORTED_VOLUME = Quantity("hypervolume, reported part", "of the points that the other part chose", "",
                           "maximise", "")
SOLUTIONS = Quantity("solutions", "strictly nondominated points", "", "none", "")


@dataclasses.dataclass(frozen=True)
class Row:
    problem: str
    method: str  # with its settings
    place: str  # on the trade-off; empty: all of it
    # Of each column, values by replicate.
    values: dict[str, dict[Items, float]]
    unranked: frozenset[str] = frozenset()  # columns in which it is shown, not compared
    # Of columns with a single value the interval that the archive has.
    ends: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)


def tidy(archive: Archive, columns: list[Quantity], rows: list[Row]) -> pandas.DataFrame:
    """A line per row and column: problem, method, place, column, unit, direction, replicates, mean,
    deviation, low, high (the interval of a single run), ranked, best, p (corrected; NaN: the best itself, not ranked, or too few pairs).

    @throws NothingToDraw  no row has a value."""
    lines = []
    for problem in dict.fromkeys(row.problem for row in rows):
        mine = [row for row in rows if row.problem == problem]
        for what in columns:
            lines += compared(what, [row for row in mine if row.values.get(what.name)])
    if not lines:
        raise NothingToDraw(f"{archive.path}: no task that is done has a value for it")
    return pandas.DataFrame(lines)


def compared(what: Quantity, rows: list[Row]) -> list[dict]:
    """One column of one problem."""
    samples = [row.values[what.name] for row in rows]
    spreads = [mean_and_deviation(np.array(list(sample.values()))) if len(sample) > 1 else (*sample.values(), math.nan)
               for sample in samples]
    means = np.array([mean for mean, _ in spreads])
    ranked = np.array([what.name not in row.unranked for row in rows], dtype=bool) & ~np.isnan(means)
    ends = np.array([row.ends.get(what.name, (math.nan, math.nan)) for row in rows])
    compares = len(set(means[ranked])) > 1 and what.direction != "none"  # else nothing is better than another
    best = int(np.argmin(np.where(ranked, what.sign * means, np.inf))) if compares else None
    if best is not None and len(samples[best]) == 1 and not apart(what, ends[ranked], ends[best]):
        best = None
    p_values = np.full(len(rows), np.nan)
    if best is not None:
        for i, sample in enumerate(samples):
            shared = [key for key in sample if key in samples[best]]
            if i != best and ranked[i]:
                p_values[i] = paired_test([sample[key] for key in shared],
                                          [samples[best][key] for key in shared])
    corrected = holm(p_values)
    return [{"problem": row.problem, "method": row.method, "place": row.place,
             "column": what.name, "unit": what.unit, "direction": what.direction,
             "replicates": len(sample), "mean": means[i],
             "deviation": spreads[i][1], "low": ends[i, 0], "high": ends[i, 1],
             "ranked": bool(ranked[i]),
             "best": best is not None and bool(ranked[i] and means[i] == means[best]),
             "p": corrected[i]}
            for i, (row, sample) in enumerate(zip(rows, samples))]


def apart(what: Quantity, ends: np.ndarray, best: np.ndarray) -> bool:
    """Whether the interval of the best one of `ends` lies on the better side of all others."""
    worse = (ends[:, 0] > best[1]) if what.direction == "minimise" else (ends[:, 1] < best[0])
    return int(worse.sum()) == len(ends) - 1


def fronts_table(archive: Archive, options: Options) -> pandas.DataFrame:
    """Hypervolume of the part that decides and of the one that is reported, nondominated solutions,
    seconds, and seconds per solution of each front."""
    fronts = {front.task.index: front for front in archive.fronts()}
    if not fronts:
        raise NothingToDraw(f"{archive.path}: none of the tasks has a front")
    seconds = archive.seconds()
    objectives = next(iter(fronts.values())).objectives
    columns = [Quantity("hypervolume", "", "", "maximise", ""), SOLUTIONS, SECONDS, PER_SOLUTION]
    if any(front.report is not None for front in fronts.values()):
        columns.insert(1, REPORTED_VOLUME)
    if len(objectives) > 2:  # a front over several tasks has no volume here
        columns = [SOLUTIONS, SECONDS, PER_SOLUTION]
    rows = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        for curve, mine in curves_of(archive, tasks).items():
            values: dict[str, dict[Items, float]] = {what.name: {} for what in columns}
            own = split(archive, mine, "replicate")
            for replicate, run in runs_by_replicate(archive, mine, fronts).items():
                spent = float(sum(seconds[task.index] for task in own[replicate]))
                found = {"hypervolume": run.merged.hypervolume, "seconds": spent,
                         REPORTED_VOLUME.name: run.reported_hypervolume(),
                         "solutions": len(run.merged.points),
                         "seconds per solution": spent / len(run.merged.points)}
                for what in columns:
                    if math.isfinite(found[what.name]):
                        values[what.name][replicate] = float(found[what.name])
            if values[SECONDS.name]:
                rows.append(Row(panel_text(archive, problem), curve_name(curve), "", values,
                                unranked_columns(archive, mine)))
    return tidy(archive, columns, rows)


def unranked_columns(archive: Archive, tasks: list[Task]) -> frozenset[str]:
    """Those of the part that decides, for tasks that learnt from its labels or groups."""
    seen = any(archive.learnt_from_deciding(task) for task in tasks)
    return frozenset({"hypervolume"} if seen else ())


def constant_rows(archive: Archive, columns: list[Number]) -> list[Row]:
    """The best constant prediction of each problem, where the archive has its risk: as far from the
    target as its variance, and without any unfairness between groups. Shown, not ranked."""
    constant = archive.measures().get("constant_risk")
    if constant is None or not constant.has(constant.reported):
        return []
    values = constant.of(constant.reported)[:, 0]
    shares = {"risk": 1.0, "kolmogorov_smirnov_to_all": 0.0}
    here = {number.name: shares[number.what.name] for number in columns if number.reported and
            number.part == constant.reported and number.what.name in shares}
    rows = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        risks = samples(archive, tasks, values)
        cells = {name: {key: share * risk for key, risk in risks.items()}
                 for name, share in here.items()}
        rows.append(Row(panel_text(archive, problem), "constant prediction", "", cells,
                        frozenset(cells)))
    return rows


def by_place(archive: Archive, columns: list[Quantity], values: dict[str, np.ndarray],
             intervals: dict[str, tuple[np.ndarray, np.ndarray]] | None = None) -> list[Row]:
    """A row per problem, method, setting and place along the trade-off.

    @param intervals  of columns, their ends for each task."""
    rows = []
    for problem, tasks in problems_of_fronts(archive, done(archive)).items():
        for curve, mine in curves_of(archive, tasks).items():
            for place, own in split(archive, mine, "trade_off").items():
                cells = {what.name: samples(archive, own, values[what.name]) for what in columns}
                if any(cells.values()):
                    alone = own[0].index if len(own) == 1 else None
                    ends = {} if alone is None else {name: (float(low[alone]), float(high[alone]))
                                                     for name, (low, high) in (intervals or {}).items()}
                    rows.append(Row(panel_text(archive, problem), curve_name(curve), text_of(place), cells, ends=ends))
    return rows


def samples(archive: Archive, tasks: list[Task], values: np.ndarray) -> dict[Items, float]:
    return {items_of(archive, task, "replicate"): float(values[task.index]) for task in tasks
            if not math.isnan(values[task.index])}


def measures_table(archive: Archive, options: Options) -> pandas.DataFrame:
    """Measures of the reported part of each method and place along its trade-off."""
    numbers = chosen_measures(archive, options)
    if not numbers:
        raise NothingToDraw(f"{archive.path}: has no measure that says what is better")
    columns = [number.column for number in numbers]
    values = {number.name: number.values for number in numbers}
    ends = {number.name: (number.low, number.high) for number in numbers}
    return tidy(archive, columns, by_place(archive, columns, values, ends) + constant_rows(archive, numbers))


def seconds_table(archive: Archive, options: Options) -> pandas.DataFrame:
    """Wall clock of a task of each method and place along its trade-off."""
    return tidy(archive, [SECONDS], by_place(archive, [SECONDS], {SECONDS.name: archive.seconds()}))


# Output

def cell_text(line: pandas.Series, plus_minus: str = " ± ") -> str:
    """Mean and deviation, both to the second digit of the deviation, or with as many digits as `with_digits` has told."""
    mean, deviation = spread_texts(line)
    if told := line.get("digits", 0):
        mean = f"{line['mean']:.{told}g}"
    return f"{mean}{plus_minus}{deviation}" if deviation else mean


def spread_texts(line: pandas.Series) -> tuple[str, str]:
    if not math.isfinite(line["deviation"]) or line["deviation"] == 0:
        return f"{line['mean']:.4g}", ""
    digits = max(0, 1 - math.floor(math.log10(abs(line["deviation"]))))
    if digits > 6 or abs(line["mean"]) >= 1e6:
        return f"{line['mean']:.4g}", f"{line['deviation']:.2g}"
    return f"{line['mean']:.{digits}f}", f"{line['deviation']:.{digits}f}"


def with_digits(table: pandas.DataFrame, mean_text: Callable[[pandas.Series], str]) -> pandas.DataFrame:
    """With a column "digits": how many the means of a problem and column need so that they read alike only where
    MOST_DIGITS do not tell them apart, either; 0 where their texts do.

    @param mean_text  of a line, as a table has it otherwise."""
    digits = pandas.Series(0, index=table.index)
    for _, own in table.groupby(["problem", "column"], sort=False):
        values = own["mean"][np.isfinite(own["mean"])]
        texts = {mean_text(own.loc[at]) for at in values.index}
        digits[own.index] = digits_apart(values.to_numpy(), len(texts))
    return table.assign(digits=digits)


def digits_apart(values: np.ndarray, texts: int) -> int:
    """@param texts  how many different ones the values have otherwise."""
    def different(digits: int) -> int:
        return len({f"{value:.{digits}g}" for value in values})

    most = different(MOST_DIGITS)
    return 0 if texts >= most else next(digits for digits in range(4, MOST_DIGITS + 1) if different(digits) == most)


def differs(line: pandas.Series) -> bool:
    return bool(line["p"] < LEVEL)


def wide(table: pandas.DataFrame, cell) -> tuple[list[str], list[list[str]]]:
    """One line per row, one cell per column."""
    names = list(dict.fromkeys(table["column"]))
    places = any(table["place"])
    header = ["problem", "method", *(["place"] if places else []), *names]
    lines = []
    for key, group in table.groupby(["problem", "method", "place"], sort=False):
        cells = {line["column"]: cell(line) for _, line in group.iterrows()}
        lines.append([key[0], titled(key[1]), *(key[2:] if places else []),
                      *(cells.get(name, "–") for name in names)])
    return header, lines


def latex_escape(text: str) -> str:
    """On one line: an empty one would end the cell of a tabular."""
    special = {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
               "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
               "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "–": "--"}
    escaped = "".join(special.get(letter, letter) for letter in " ".join(text.split()))
    # At the beginning of a line these would be an argument of the line end before.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def three_digits(value: float) -> str:
    """Of a value and the ends of its interval, which has no more."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.4g}"


def infinite_text(values: pandas.Series) -> str:
    """What is said below a table of LaTeX that has such a value."""
    return rf" ${INFINITE}$: infinite, such as the log loss of a row whose label had the probability 0." \
        if np.isinf(values).any() else ""


def value_text(line: pandas.Series) -> str:
    """Of one run with an interval."""
    return f"{line['mean']:.{line['digits']}g}" if line.get("digits", 0) else three_digits(line["mean"])


def mean_text(line: pandas.Series) -> str:
    return three_digits(line["mean"]) if math.isfinite(line["low"]) and math.isfinite(line["high"]) else spread_texts(line)[0]


def latex_cell(line: pandas.Series) -> str:
    interval = math.isfinite(line["low"]) and math.isfinite(line["high"])
    text = (value_text(line) if interval else cell_text(line, r" \pm ")).replace("inf", INFINITE)
    text = rf"$\mathbf{{{text}}}$" if line["best"] else f"${text}$"
    if interval:
        text += f" {{\\scriptsize $[{three_digits(line['low'])}, {three_digits(line['high'])}]$}}"
    return text + (r"$^\dagger$" if differs(line) else r"$^\ddagger$" if not line["ranked"] else "")


def latex(archive: Archive, table: pandas.DataFrame, title: str, whole: bool = False) -> str:
    """Tabulars of booktabs, and what their marks mean. Rows that a page has no room for are left out, unless a problem or
    method would be: then they go on in further tabulars.

    @param whole  all columns, as they were asked for; else those that a page holds, first what fronts trade off."""
    header, lines = wide(with_digits(table if whole else objectives_first(archive, table), mean_text), latex_cell)
    alone = table["problem"].nunique() == 1  # then it stands below, and leaves room for numbers
    if alone:
        header, lines = header[1:], [line[1:] for line in lines]
    texts = len(header) - table["column"].nunique()
    first = table.drop_duplicates("column").set_index("column")
    arrows = {"minimise": r" $\downarrow$", "maximise": r" $\uparrow$", "none": ""}
    heads, numbers = [latex_escape(name) for name in header[:texts]], archive.numbers()
    for name in header[texts:]:
        unit = first.loc[name, "unit"]
        words = numbers[name].text if name in numbers else name
        heads.append(latex_escape(words) + (f" [{latex_escape(unit)}]" if unit else "") +
                     arrows[first.loc[name, "direction"]])
    rows = [[*map(latex_escape, line[:texts]), *("--" if cell == "–" else cell for cell in line[texts:])]
            for line in lines]
    held = rows_on_a_page(lambda count: tabulars(heads, rows[:count], texts, MOST_COLUMNS), len(rows))
    named = header.index("method") + 1
    loses = {tuple(row[:named]) for row in rows} != {tuple(row[:named]) for row in rows[:held]}
    shown = len(rows) if whole or loses else held
    found = tabulars(heads, rows[:shown], texts, MOST_COLUMNS)
    kept = found if whole else on_a_page(found)
    left = without_room(found, kept, len(rows) - shown)
    problem = f"Problem: {latex_escape(table['problem'].iloc[0])}. " if alone else ""
    partial = f"PARTIAL: {archive.progress()}. " if archive.partial else ""
    return "\n".join([
        comment(f"{title}; archive {latex_escape(archive.experiment)}, results digest sha256:{archive.digest}, "
                f"measures digest sha256:{archive.measures_digest}"),
        joined([page for one in kept for page in one.in_pages()]),
        comment(f"{partial}{problem}{marks_text(table)}{infinite_text(table['mean'])}"),
        *([] if table["ranked"].all() else [comment(rf"$^\ddagger$: not ranked, {UNRANKED}")]),
        *([comment(left)] if left else []), ""])


def objectives_first(archive: Archive, table: pandas.DataFrame) -> pandas.DataFrame:
    """Its columns with those of what the fronts trade off in front."""
    objectives = {objective.name for front in archive.fronts() for objective in front.objectives}
    numbers = archive.numbers()
    first = [name in numbers and numbers[name].what.name in objectives for name in table["column"]]
    return pandas.concat([table[first], table[[not one for one in first]]])


def marks_text(table: pandas.DataFrame) -> str:
    """What numbers and marks mean."""
    counts = table["replicates"]
    if counts.max() == 1:
        if table["low"].notna().any():
            return ("Values of one run each with the intervals of the archive. Bold: better than every other of the problem, "
                    "since its interval meets none of theirs.")
        return "Values of one run each without intervals: none is shown to be better, and nothing is bold."
    count = str(counts.min()) if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    alone = "" if counts.min() > 1 else " (of one run its interval, and bold only if that meets no other one)"
    return (f"Means and standard deviations over {count} replicates{alone}; the best mean of a problem "
            r"is bold; $^\dagger$: differs from it at 5 % (paired test over replicates by changes of sign, corrected within "
            "a problem and column by Holm's method).")
