"""What can be drawn: kinds of figures and tables, and those of the five papers by their names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pandas

from fairfront_archive import Archive, number_name
from fairfront_figures import (audits, choices, clusterings, distributions, fronts, group_tables, groups, measures,
                               rates, tables, trajectories, yardsticks)
from fairfront_figures.arrange import NothingToDraw, items_of
from fairfront_figures.layout import Sheet
from fairfront_figures.style import Options

FIGURES: dict[str, Callable[[Archive, Options], Sheet]] = {
    "fronts": fronts.draw_fronts,
    "choice": choices.draw_choice,
    "yardstick": yardsticks.draw_yardstick,
    "trajectories": trajectories.draw_trajectories,
    "trajectories-seconds": trajectories.draw_trajectories_in_time,
    "rates": rates.draw_rates,
    "rates-gradients": rates.draw_rates_in_gradients,
    "distributions": distributions.draw_distributions,
    "measures": measures.draw_intervals,
    "differences": audits.draw_differences,
    "by-group": groups.draw_by_group,
    "spider": measures.draw_spider,
    "clusterings": clusterings.draw_clusterings,
    "groups": clusterings.draw_groups,
}
TABLES: dict[str, Callable[[Archive, Options], pandas.DataFrame]] = {
    "table-fronts": tables.fronts_table,
    "table-measures": audits.measures_table,
    "table-seconds": tables.seconds_table,
    "table-groups": group_tables.groups_table,
}
LATEX: dict[str, Callable[[Archive, pandas.DataFrame, str, bool], str]] = {  # of the others tables.latex
    "table-groups": group_tables.latex,
    "table-measures": audits.latex,
}


@dataclasses.dataclass(frozen=True)
class Published:
    """A figure or table of a paper: its kind, and the experiment whose archives it is drawn from."""

    kind: str
    experiment: str
    text: str
    measures: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    panels_by: str | None = None  # an axis that makes the panels where the archive has it
    problem: str | None = None  # only tasks with this value on a problem axis, or on this data set
    # The papers' configs that it is drawn from, FAMILY-CONFIG as jobs/reproduce.sh names their archives, each with what
    # tells its picture from those of the others.
    configs: tuple[tuple[str, str], ...] = ()


FAIR_KMEANS = "Liu, Vicente (2021)"
ALTERNATING = "Liu, Vicente (2022)"
REGRESSION = "Chzhen, Hebiri, Taturyan (2024)"
RANKING = "Yao, Lin, Yang (2023)"
TRAINING = "Kliachkin, Lepsova, Bareilles, Marecek (2025)"

# The last one is what the paper calls a Wasserstein distance.
GROUP_MEASURES = ("independence_gap", "separation_sum", "error", "sufficiency_sum",
                  "wasserstein_2_squared_binned")


def on(part: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(number_name(name, part) for name in names)


def of(config: str, *data: str) -> tuple[tuple[str, str], ...]:
    """One config; or one for each data set, whose name takes the place of the *."""
    return tuple((config.replace("*", one), one) for one in data) or ((config, ""),)


def along_front(figure: int, data: str) -> Published:
    return Published("clusterings", "clustering",
                     f"{FAIR_KMEANS}, Figure {figure}: front and clusterings of {data}", problem=data,
                     configs=of("clustering-synthetic-vfairkm"))


PAPERS: dict[str, Published] = {
    "clustering-figure-1": Published("fronts", "clustering", f"{FAIR_KMEANS}, Figure 1: fronts",
                                     configs=of("clustering-*-vfairkm", "synthetic", "adult-k10", "bank-k10")),
    "clustering-figure-2": Published("groups", "clustering",
                                     f"{FAIR_KMEANS}, Figure 2: groups of the synthetic sets",
                                     configs=of("clustering-synthetic-vfairkm")),
    "clustering-figure-3": along_front(3, "syn_equal_ds1"),
    "clustering-figure-4": Published("trajectories", "clustering",
                                     f"{FAIR_KMEANS}, Figure 4: objectives along iterations",
                                     configs=of("clustering-figure4")),
    "clustering-figure-5": along_front(5, "syn_unequal_ds1"),
    "clustering-figure-6": along_front(6, "syn_equal_ds2"),
    "clustering-figure-7": along_front(7, "syn_unequal_ds2"),
    "clustering-figure-8": Published("fronts", "clustering", f"{FAIR_KMEANS}, Figure 8: K = 5",
                                     configs=of("clustering-*-vfairkm", "adult-k5", "bank-k5")),
    "clustering-table-1": Published("table-fronts", "clustering",
                                    f"{FAIR_KMEANS}, Table 1: seconds per solution",
                                    configs=of("clustering-*-vfairkm", "synthetic", "adult-k5", "adult-k10",
                                               "bank-k5", "bank-k10")),
    "alternating-figure-1": Published("fronts", "alternating", f"{ALTERNATING}, Figure 1: fronts",
                                      configs=of("alternating-figure1-4")),
    "alternating-rates": Published("rates", "alternating",
                                   f"{ALTERNATING}, Theorems 3.1, 3.2, Corollaries 3.2, 3.3",
                                   configs=of("alternating-rates-*", "smooth-convex", "smooth-strongly-convex",
                                              "nonsmooth-convex", "nonsmooth-strongly-convex")),
    "regression-figure-1": Published("trajectories", "regression",
                                     f"{REGRESSION}, Figure 1: along the gradients",
                                     series=("risk", "kolmogorov_smirnov_to_all"),
                                     configs=of("regression-iterations-*", "communities", "law-school")),
    "regression-figure-2": Published("fronts", "regression",
                                     f"{REGRESSION}, Figure 2: risk against unfairness",
                                     configs=of("regression-*", "communities", "law-school")),
    "regression-figure-3": Published("fronts", "regression",
                                     f"{REGRESSION}, Figure 3: optimisers",
                                     panels_by="dp_postprocessing.rules",
                                     configs=of("regression-optimisers-*", "communities", "law-school")),
    "regression-figure-4a": Published("trajectories", "regression",
                                      f"{REGRESSION}, Figure 4: along the gradients on Adult",
                                      series=("risk", "kolmogorov_smirnov_to_all"),
                                      configs=of("regression-iterations-adult")),
    "regression-figure-4b": Published("fronts", "regression",
                                      f"{REGRESSION}, Figure 4: risk against unfairness on Adult",
                                      configs=of("regression-adult")),
    "regression-figure-5": Published("distributions", "regression",
                                     f"{REGRESSION}, Figure 5: distributions of predictions",
                                     configs=of("regression-four-groups")),
    "regression-table-1": Published("table-seconds", "regression",
                                    f"{REGRESSION}, Table 1: seconds",
                                    configs=of("regression-table1-*", "communities", "law-school", "adult")),
    "ranking-figure-1": Published("fronts", "ranking",
                                  f"{RANKING}, Figure 1: fronts on the test part, convex",
                                  configs=of("ranking-figure1-*", "a9a", "bank")),
    "ranking-figure-2": Published("fronts", "ranking",
                                  f"{RANKING}, Figure 2: fronts on the test part, weakly convex",
                                  configs=of("ranking-figure2-*", "a9a", "bank")),
    "ranking-figure-3": Published("fronts", "ranking",
                                  f"{RANKING}, Figure 3: fronts on COMPAS, convex",
                                  configs=of("ranking-figure3-compas")),
    "ranking-figure-4": Published("fronts", "ranking",
                                  f"{RANKING}, Figure 4: fronts on COMPAS, weakly convex",
                                  configs=of("ranking-figure4-compas")),
    "training-figure-1": Published("trajectories-seconds", "training",
                                   f"{TRAINING}, Figure 1: loss and constraints in time, training",
                                   series=("loss_train", "gap_train"),
                                   configs=of("training-figures1-4-table3")),
    "training-figure-2": Published("trajectories-seconds", "training",
                                   f"{TRAINING}, Figure 2: loss and constraints in time, test",
                                   series=("loss_test", "gap_test"),
                                   configs=of("training-figures1-4-table3")),
    "training-figure-3": Published("distributions", "training",
                                   f"{TRAINING}, Figure 3: distributions of predictions",
                                   configs=of("training-figures1-4-table3")),
    "training-figure-4a": Published("spider", "training",
                                    f"{TRAINING}, Figure 4(a): spider plot, training part",
                                    measures=on("train", GROUP_MEASURES[:4]),
                                    configs=of("training-figures1-4-table3")),
    "training-figure-4b": Published("spider", "training",
                                    f"{TRAINING}, Figure 4(b): spider plot, test part",
                                    measures=on("test", GROUP_MEASURES[:4]),
                                    configs=of("training-figures1-4-table3")),
    "training-figure-5": Published("trajectories-seconds", "training",
                                   f"{TRAINING}, Figure 5: switching subgradient, equal steps",
                                   series=("loss_train", "gap_train", "loss_test", "gap_test"),
                                   configs=of("training-figure5")),
    "training-table-3": Published("table-measures", "training",
                                  f"{TRAINING}, Table 3: fairness and inaccuracy",
                                  measures=on("train", GROUP_MEASURES) + on("test", GROUP_MEASURES),
                                  configs=of("training-figures1-4-table3")),
}


def names() -> list[str]:
    return [*FIGURES, *TABLES, *PAPERS]


def of_config(config: str) -> dict[str, str]:
    """What papers draw from a config, by the name of its file without a suffix: the paper's name, and what tells the
    pictures of several configs apart.

    @param config  FAMILY-CONFIG, such as training-figure5.
    """
    return {f"{name}-{which}" if which else name: name for name, published in PAPERS.items()
            for one, which in published.configs if one == config}


def resolve(archive: Archive, name: str, options: Options) -> tuple[str, str, Options]:
    """The kind, the title and the options of a figure or table.

    @throws NothingToDraw  it is of a paper on another experiment.
    """
    if name not in PAPERS:
        return name, name.replace("-", " ").capitalize(), options
    published = PAPERS[name]
    if archive.experiment != published.experiment:
        raise NothingToDraw(f"{archive.path}: is of experiment '{archive.experiment}'; {name} is of "
                            f"'{published.experiment}'")
    tasks = tasks_of(archive, published.problem) if published.problem else ()
    # What an archive lacks, such as a part, is left out.
    measures = tuple(name for name in published.measures if name in archive.numbers())
    series = tuple(name for name in published.series if name in archive.series_names())
    chosen = dataclasses.replace(options, measures=options.measures or measures,
                                 series=options.series or series, tasks=options.tasks or tasks,
                                 panels_by=options.panels_by or (
                                     published.panels_by if published.panels_by in archive.axes
                                     else None))
    return published.kind, published.text, chosen


def tasks_of(archive: Archive, problem: str) -> tuple[int, ...]:
    """Tasks with this value on a problem axis, or all of an archive on this data set alone.

    @throws NothingToDraw  there are none.
    """
    found = tuple(task.index for task in archive.tasks
                  if problem in dict(items_of(archive, task, "problem")).values())
    if not found and set(archive.data_names()) != {problem}:
        raise NothingToDraw(f"{archive.path}: has no task on '{problem}'")
    return found
