"""Reads the archives that `fairfront run` writes, of any experiment.

    import fairfront_archive

    with fairfront_archive.open("adult.h5") as archive:
        print(archive)                      # in a notebook, `archive` alone shows a table
        tasks = archive.task_frame()        # a row per task: axes, metrics, measures, seconds
        tasks.groupby("method")["hypervolume"].agg(["mean", "std"])
        fronts = archive.front_frame("per_replicate")

What an axis does is its role, which the archive holds: "problem", "setting", "trade_off",
"replicate" or "tuning"; `archive.axes_of("replicate")` names the axes that error bars are over.
"""

from __future__ import annotations

import os

from fairfront_archive.archive import Archive, require_no_input
from fairfront_archive.choice import Choice
from fairfront_archive.choice_rows import RowsAtTruth
from fairfront_archive.choice_values import Bound, Candidate, ChoiceValue
from fairfront_archive.errors import ArchiveError, InputError
from fairfront_archive.facts import Front, Objective, Quantity, Task
from fairfront_archive.files import path_text
from fairfront_archive.journal import has_journal, open_journal
from fairfront_archive.measured import Measure, Number, number_name
from fairfront_archive.model import FittedModel
from fairfront_archive.pareto import attainment, hypervolume, nondominated
from fairfront_archive.rows import Rows, rows_of
from fairfront_archive.runs import RunError, run, write_table
from fairfront_archive.statistics import holm, paired_test
from fairfront_archive.stored_models import load_model

__all__ = ["Archive", "ArchiveError", "Bound", "Candidate", "Choice", "ChoiceValue", "FittedModel", "Front",
           "InputError", "Measure", "Number", "Objective", "Quantity", "Rows", "RowsAtTruth", "RunError", "Task", "attainment",
           "holm", "hypervolume", "load_model", "nondominated", "number_name", "open", "paired_test", "require_no_input", "rows_of",
           "run", "write_table"]


def open(path: str | os.PathLike[str], partial: bool = False,  # noqa: A001
         program: bool = True) -> Archive:
    """Opens an archive.

    @param partial  also of a run that goes on or was cut off: what its journal, PATH.journal, holds so
                    far. The program fairfront reads it ($FAIRFRONT, or on PATH).
    @param program  False: without `fairfront verify`; `archive.checked` says what was looked at.
    @throws ArchiveError  there is none, it was changed or is damaged, or a newer program wrote it.
    """
    path = path_text("path", path)
    if partial and has_journal(path):
        return open_journal(path)
    if not partial and not os.path.exists(path) and has_journal(path):
        raise ArchiveError(f"{path}: there is no archive yet, only the journal of a run that has not "
                           "ended; partial=True reads that")
    return Archive(path, program)
