"""A fitted model: predicts rows that come later, with the bits of `fairfront predict`.

    model = archive.model(task=2)                        # or fairfront_archive.load_model("model.json")
    model.predict(frame)                                 # decisions, predictions or clusters
    model.predict_proba(frame)[:, 1]

It follows the conventions of scikit-learn, which it does not need: `get_params`, `feature_names_in_`,
`classes_`, `sklearn.base.clone`, a step of a pipeline. It is fitted when it is made: `fit` changes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas

from fairfront_archive import balanced, cards, draws, kinds, onnx_file, scores
from fairfront_archive.arguments import whole_number
from fairfront_archive.cells import Names, as_told, require_writable, without_missing
from fairfront_archive.errors import ArchiveError, InputError, in_one_line
from fairfront_archive.features import is_missing, texts
from fairfront_archive.group_rules import group_numbers
from fairfront_archive.quotation import names_text

ROWS_AT_ONCE = 1 << 15  # the bits of a row do not depend on the rows beside it
# What reading JSON that somebody has made up may throw.
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)

Table = pandas.DataFrame | Mapping[str, object] | np.ndarray | Iterable[object]


@dataclasses.dataclass(frozen=True, eq=False)
class ModelSource:
    """What a model is made of; never changed, so that copies share it."""

    place: str  # where it was read, for messages
    shared: dict  # as /provenance/datasets/fitted
    kind: str
    options: dict[str, str]
    parameters: dict[str, list[np.ndarray]]  # by the name that an option says
    about: dict = dataclasses.field(default_factory=dict)  # "card", "values", "measures", "provenance"
    remedy: str = "take a copy of the file, or write it again"  # where it is damaged

    def __copy__(self) -> ModelSource:
        return self

    def __deepcopy__(self, _: dict) -> ModelSource:
        return self

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.place}>"


class FittedModel:
    """Predicts rows of a pandas frame, of a dict of columns, or of an array with the columns
    `feature_names_in_`. Rows that the model's rule for missing cells leaves out come out as NaN.

    Models with `needs_group` find the group of every row as in training, by the columns `group_columns`. A model
    that does not know these, or rows without them, must be told the groups: by `groups`, the names `group_names` of all
    rows, or by a column of the frame, which `group` names. `groups` go by position, but a pandas.Series beside a frame
    goes by its index, in whatever order, and one whose index is another is refused.

    @throws ValueError  a column is missing, or a cell cannot be read: row and column are named.
    """

    def __init__(self, source: ModelSource, group: str | None = None) -> None:
        """@throws ArchiveError  the parts do not fit."""
        self.source = source
        self.group = group
        try:
            self._shared = kinds.shared_of(source.shared)
            self._kind = kinds.kind_of(self._shared, source.kind, source.options,
                                       lambda name: source.parameters.get(name, []))
            self._unit = kinds.target_unit_of(self._shared) if "prediction" in self._kind.outputs else None
        except ArchiveError as error:
            raise ArchiveError(f"{source.place}: a model that is damaged: {error}; {source.remedy}") from error
        except UNREADABLE as error:
            raise ArchiveError(f"{source.place}: a model that is damaged: what it is made of lacks a member or has one of "
                               f"another type; {source.remedy}") from error

    # -- what it is

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The columns of a table that it reads."""
        return np.array(self._shared.preparation.names, dtype=object)

    @property
    def n_features_in_(self) -> int:
        return len(self._shared.preparation.names)

    @property
    def classes_(self) -> np.ndarray:
        """What is decided between; in `predict_proba` a column of each, also where decisions are drawn."""
        if self._kind.task != "classifier" and "probability" not in self.output_names:
            raise AttributeError("a model without decisions and their probabilities has no classes")
        return np.array([0, 1])

    @property
    def output_names(self) -> tuple[str, ...]:
        """Columns of `predictions`."""
        return self._kind.outputs if self._unit is None else (*self._kind.outputs, "prediction_in_own_unit")

    @property
    def needs_group(self) -> bool:
        return self._kind.needs_group or self._shared.preparation.group is not None

    @property
    def group_names(self) -> tuple[str, ...]:
        return self._shared.groups

    @property
    def group_columns(self) -> tuple[str, ...]:
        """Of a table, by which the group of a row is found; none: nobody knows how, or it is not needed."""
        return self._columns_of_groups() if self.needs_group else ()

    @property
    def atoms(self) -> np.ndarray:
        """What its predictions are drawn from, ascending."""
        if self._kind.atoms is None:
            raise AttributeError("the predictions of this model are not drawn")
        return self._kind.atoms.copy()

    # -- rows

    def predict(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """Decisions (0, 1; their probability where they are drawn), predictions of the target (their mean where
        they are drawn), numbers of clusters, or of a model without any of these the scores; (n,)."""
        wanted = ("decision", "prediction", "cluster", "score", "probability")
        name = next(name for name in wanted if name in self.output_names)
        values = self._column(name, X, groups)
        return values.astype(np.int64) if name in ("decision", "cluster") and not np.isnan(values).any() else values

    def predict_proba(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """Probabilities of 0 and 1, (n, 2)."""
        share = self._column("probability", X, groups)
        return np.stack([1 - share, share], axis=1)

    def decision_function(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """Scores, (n,)."""
        return self._column("score", X, groups)

    def decision(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """0 or 1, (n,)."""
        values = self._column("decision", X, groups)
        return values if np.isnan(values).any() else values.astype(np.int64)

    def distribution(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """Probabilities of `atoms`, (n, atoms)."""
        self.atoms  # noqa: B018  raises where there are none
        return self._rows(X, groups, self._kind.distribution)

    def rank_draws(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """What a model of `[barycenter]` with `ties = drawn` draws by what a row holds, in [0, 1), (n, steps): the
        input of that name of its ONNX file."""
        if not (isinstance(self._kind, kinds.Transport) and self._kind.drawn):
            raise AttributeError("this model draws nothing by what a row holds")
        return self._rows(X, groups, lambda features, _: self._kind.rank_draws(features))

    def transform(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """The features that the table's columns become, (n, features)."""
        return self._rows(X, groups, lambda features, _: features)

    def predictions(self, X: Table, groups: Iterable[str] | None = None, draw: int | None = None,  # noqa: N803
                    atoms: bool = False, balance: float | None = None,
                    until_proven: bool = False) -> pandas.DataFrame:
        """All that `fairfront predict` writes of every row. Where the target was prepared, such as by its logarithm,
        `prediction_in_own_unit` is the expected value in the unit of the table, and `drawn_in_own_unit` a drawn one.

        @param draw     a seed: also a prediction that is drawn from the row's distribution.
        @param atoms    also the probability of every atom of that distribution.
        @param balance  of a clustering: not the nearest centres, but the cheapest assignment of all rows together in
                        which no cluster's rarest group has less than this share of the rows of its most common one.
                        `attrs["assignment"]` says what it costs. The program solves it: it must be there.
        @param until_proven  of that search: no limit of work ends it before the assignment is proven cheapest.
        @throws ArchiveError  there is no program.
        @throws ValueError    no assignment has this balance.
        """
        with self._named():
            return self._predictions(X, groups, draw, atoms, balance, until_proven)

    def _predictions(self, rows: Table, groups: Iterable[str] | None, draw: int | None, atoms: bool,
                     balance: float | None, until_proven: bool) -> pandas.DataFrame:
        if until_proven and balance is None:
            raise ValueError("until_proven is of the search behind balance, which is not asked for")
        if balance is not None:
            if draw is not None or atoms:
                raise ValueError("balance is of clusters, which are not drawn")
            return self._balanced(rows, groups, balance, until_proven)
        table, number = self._table(rows), self._group_numbers(rows, groups)
        frame = pandas.DataFrame(self._rows_of(table, number, self._kind.predict), columns=list(self._kind.outputs),
                                 index=table.index)
        if (draw is not None or atoms) and self._kind.atoms is None:
            raise ValueError("draw and atoms are of predictions that are drawn, and those of this model are not drawn")
        draw = _seed(draw)
        pi = None
        if self._kind.atoms is not None and (draw is not None or atoms or self._unit is not None):
            pi = self._rows_of(table, number, self._kind.distribution)
        if self._unit is not None:
            frame["prediction_in_own_unit"] = self._in_own_unit(frame["prediction"].to_numpy(), pi)
        if draw is not None:
            frame["drawn"] = draws.drawn_atoms(pi, self.atoms, draw)
            if self._unit is not None:
                frame["drawn_in_own_unit"] = self._unit.of(frame["drawn"].to_numpy())
        if not atoms:
            return frame
        named = pandas.DataFrame(pi, columns=[f"probability_of_{_shortest(value)}" for value in self.atoms.tolist()],
                                 index=table.index)
        return pandas.concat([frame, named], axis=1)

    def score(self, X: Table, y: Iterable[float], sample_weight: Iterable[float] | None = None,  # noqa: N803
              groups: Iterable[str] | None = None) -> float:
        """As estimators of scikit-learn do: the accuracy of decisions, expected where they are drawn, or R^2 of what
        `predict` says. Rows that the model leaves out do not count.

        @param y  the truth of each row, by position: 0 or 1, or the target in the unit of `predict`, which is that of
                  the table unless there is a `prediction_in_own_unit`.
        @throws AttributeError  the model neither decides nor predicts a target.
        """
        says_decision = {"decision", "probability"} & set(self.output_names)
        if not says_decision and "prediction" not in self.output_names:
            raise AttributeError(f"{self.source.place}: a model that says {', '.join(self.output_names)} has no score, which is "
                                 "of decisions or of predictions of a target")
        frame = self.predictions(X, groups)
        with self._named():
            return scores.accuracy(frame, y, sample_weight) if says_decision else scores.r_squared(frame, y, sample_weight)

    # -- conventions of scikit-learn

    def fit(self, X: object = None, y: object = None, **_: object) -> FittedModel:  # noqa: N803
        """Changes nothing: the model is fitted."""
        return self

    def fit_transform(self, X: Table, y: object = None) -> np.ndarray:  # noqa: N803
        return self.transform(X)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {"source": self.source, "group": self.group}

    def set_params(self, **parameters: object) -> FittedModel:
        for name in parameters:
            if name not in ("source", "group"):
                raise ValueError(f"a fitted model has no parameter '{name}'; there are: source, group")
        self.__init__(**{**self.get_params(), **parameters})
        return self

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Of the columns of `transform`."""
        return np.array(self._shared.preparation.feature_names(), dtype=object)

    @property
    def _estimator_type(self) -> str | None:
        return self._kind.task or None

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> object:
        from sklearn import utils  # noqa: PLC0415  only scikit-learn calls this

        return utils.Tags(estimator_type=self._estimator_type, target_tags=utils.TargetTags(required=False),
                          transformer_tags=utils.TransformerTags(),
                          classifier_tags=utils.ClassifierTags(multi_class=False),
                          regressor_tags=utils.RegressorTags())

    # -- what a person sees

    @property
    def card(self) -> dict:
        """What a person wants to know of the model: texts, measures and where it comes from."""
        card = self.source.about.get("card")
        draws_decisions = self._kind.atoms is not None and list(self._kind.atoms) == [0.0, 1.0]
        told = {"inputs": cards.inputs_of(self._shared.preparation),
                "group": cards.group_text(self.needs_group, self.group_names),
                "outputs": cards.output_texts(self.output_names, draws_decisions)}
        return {**self.source.about, "card": {**(card if isinstance(card, dict) else {}), **told}}

    def to_onnx(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes an ONNX file (fairfront_archive/onnx_file.py says what it holds), with the card in it.

        @param overwrite  an ONNX file that is there is replaced, as by `fairfront choose --onnx --force`.
        @throws ArchiveError  the package onnx is missing, ONNX has no operators for the model, or a file is there.
        """
        onnx_file.write_onnx(path, self._shared, self._kind, self._unit, self.card, overwrite)

    def __repr__(self) -> str:
        return (f"<FittedModel {self.source.kind} of {self.source.place}: {', '.join(self.output_names)} of "
                f"{self.n_features_in_} columns{', needs the group' if self.needs_group else ''}>")

    def _repr_html_(self) -> str:
        return cards.html_of(self.card, self.source.place)

    # -- inside

    def _column(self, name: str, rows: Table, groups: Iterable[str] | None) -> np.ndarray:
        if name not in self._kind.outputs:
            raise AttributeError(f"{self.source.place}: this model says no {name}, but {', '.join(self.output_names)}")
        place = self._kind.outputs.index(name)
        return self._rows(rows, groups, lambda *given: self._kind.predict(*given)[:, [place]])[:, 0]

    def _rows(self, rows: Table, groups: Iterable[str] | None, of) -> np.ndarray:
        with self._named():
            return self._rows_of(self._table(rows), self._group_numbers(rows, groups), of)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """What is refused is told in a line, with the model that refuses it."""
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.source.place}: {error}") from error
        except ValueError as error:
            raise ValueError(in_one_line(f"{self.source.place}: {error}")) from error

    def _rows_of(self, table: pandas.DataFrame, groups: np.ndarray | None, of) -> np.ndarray:
        """of(features, groups), some rows at a time; NaN where the group is -1."""
        found = []
        for begin in range(0, max(1, len(table)), ROWS_AT_ONCE):
            some = slice(begin, begin + ROWS_AT_ONCE)
            own = None if groups is None else np.maximum(groups[some], 0)
            found.append(of(self._shared.preparation.features(table.iloc[some], own), own))
            if groups is not None:
                found[-1][groups[some] < 0] = np.nan
        return np.concatenate(found)

    def _balanced(self, rows: Table, groups: Iterable[str] | None, balance: float, until_proven: bool) -> pandas.DataFrame:
        if not isinstance(self._kind, kinds.Centres):
            raise ValueError("balance is of clusters, and this model has none")
        if not isinstance(balance, numbers.Real) or not 0 <= balance <= 1:
            raise ValueError(f"balance = {balance!r}, must be in [0, 1]")
        table, own = self._table(rows), self._group_numbers(rows, groups, wanted=True)
        features = self._rows_of(table, own, lambda features, _: features)
        known = ~np.isnan(features).any(axis=1)
        frame = pandas.DataFrame(np.nan, columns=list(self._kind.outputs), index=table.index)
        *columns, said = balanced.assigned(features[known], own[known], len(self.group_names), self._kind.centres,
                                           balance, until_proven)
        frame.loc[known] = np.stack(columns, axis=1)
        frame.attrs["assignment"] = said
        return frame

    def _table(self, rows: Table) -> pandas.DataFrame:
        names = self._shared.preparation.names
        if isinstance(rows, Mapping):
            rows = _frame_of(rows)
        if not isinstance(rows, pandas.DataFrame):
            values = np.asarray(rows)
            if values.ndim != 2 or values.shape[1] != len(names):
                raise ValueError(f"an array of rows must have the shape (n, {len(names)}), with the columns "
                                 f"{names_text(names)}; this one has {values.shape}")
            return self._told(pandas.DataFrame(values, columns=names))
        if rows.columns.nlevels > 1:
            raise ValueError("the table's columns have names of several levels")
        labels = _labels(rows)
        missing = [name for name in names if name not in labels]
        if missing:
            raise ValueError(f"the table has no column '{missing[0]}'; the model reads {names_text(names)}"
                             f"{_blanks_text(missing[0], labels)}")
        twice = next((name for name in names if labels.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the table has the column '{twice}' several times")
        table = rows.iloc[:, list(map(labels.index, names))].set_axis(names, axis="columns")
        return self._told(table)

    def _told(self, table: pandas.DataFrame) -> pandas.DataFrame:
        told = as_told(table)
        require_writable(told)  # what no file can hold `predict` cannot be asked
        return without_missing(told, self._shared.preparation.missing_cells)

    def _in_own_unit(self, predictions: np.ndarray, pi: np.ndarray | None) -> np.ndarray:
        """The expected value: of the distribution over atoms, where there is one."""
        if pi is None:
            return self._unit.of(predictions)
        return kinds.in_order([share * atom for share, atom in zip(pi.T, self._unit.of(self.atoms))])

    def _columns_of_groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for rule in self._shared.group_rules for column in rule.columns))

    def _group_numbers(self, rows: Table, groups: Iterable[str] | None, wanted: bool = False) -> np.ndarray | None:
        """-1 of rows that the rule for missing cells leaves out, also as their group is missing.

        @param wanted  also where the model does not need them."""
        if not self.needs_group and not wanted:
            return None
        left_out = self._shared.preparation.left_out(self._table(rows))
        if groups is None and self.group is None and self._shared.group_rules:
            table = self._group_table(rows)
            left_out = left_out | self._without_group(table)
            found = group_numbers(self._shared.group_rules, self.group_names, table, left_out)
        else:
            table = self._told_groups(rows, groups)
            if len(table) != len(left_out):
                raise ValueError(f"{len(table)} groups of {len(left_out)} rows")
            left_out = left_out | self._without_group(table)
            found = self._told_numbers(table["group"], left_out)
        return np.where(left_out, -1, found)

    def _without_group(self, table: pandas.DataFrame) -> np.ndarray:
        """Rows that are left out as their group is missing, (n,): in training no rule fills it."""
        drops = self._shared.preparation.missing != "error"
        return np.any([is_missing(table[name]) for name in table], axis=0) if drops else np.zeros(len(table), dtype=bool)

    def _group_table(self, rows: Table) -> pandas.DataFrame:
        """Of the columns by which groups are found."""
        table = rows if isinstance(rows, pandas.DataFrame) else \
            _frame_of(rows) if isinstance(rows, Mapping) else self._table(rows)
        labels, names = _labels(table), self._columns_of_groups()
        for name in names:
            if labels.count(name) != 1:
                raise ValueError(f"the table has no column '{name}', by which groups are found, or several; `groups` "
                                 f"tells those of all rows{_blanks_text(name, labels)}")
        return self._told(table.iloc[:, list(map(labels.index, names))].set_axis(list(names), axis="columns"))

    def _told_groups(self, rows: Table, groups: Iterable[str] | None) -> pandas.DataFrame:
        """A column `group`."""
        if groups is None and self.group is not None and isinstance(rows, (pandas.DataFrame, Mapping)):
            table = rows if isinstance(rows, pandas.DataFrame) else _frame_of(rows)
            labels = _labels(table)
            if str(self.group) not in labels:
                raise ValueError(f"the table has no column '{self.group}', which `group` names"
                                 f"{_blanks_text(str(self.group), labels)}")
            groups = table.iloc[:, labels.index(str(self.group))]
        if groups is None:
            raise ValueError("this model needs the group of every row: `groups`, or `group` = the name of a "
                             f"column that holds one of {names_text(self.group_names)}")
        return self._told(pandas.DataFrame({"group": pandas.Series(_in_order_of(groups, rows), dtype=object)}))

    def _told_numbers(self, groups: pandas.Series, left_out: np.ndarray) -> np.ndarray:
        names = Names(self.group_names)
        places = [None if name is None else names.place(name) for name in texts(groups)]
        found = np.array([-1 if place is None else place for place in places], dtype=np.int64)
        unknown = (found < 0) & ~left_out
        if unknown.any():
            raise ValueError(f"row {unknown.argmax()}: the group must be one of {names_text(self.group_names)}")
        return found


def _in_order_of(groups: Iterable[str], rows: Table) -> list[object]:
    """The groups of the rows, one after the other: those of a pandas.Series by its index, where the rows have one.

    @throws ValueError  no groups, or a Series of other rows."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ValueError(f"groups = {groups!r}, must be the name of every row's group; `group` names a column of the frame")
    if isinstance(groups, pandas.DataFrame):
        raise ValueError("groups is a pandas.DataFrame, must be one column: the name of every row's group")
    if isinstance(rows, Mapping) and any(isinstance(cells, pandas.Series) for cells in rows.values()):
        rows = _frame_of(rows)
    if not isinstance(groups, pandas.Series) or not isinstance(rows, pandas.DataFrame) or groups.index.equals(rows.index):
        return list(groups)
    unique = groups.index.is_unique and rows.index.is_unique
    if not unique or len(groups) != len(rows) or not groups.index.isin(rows.index).all():
        raise ValueError("the index of groups is not that of the rows, by which a pandas.Series goes: "
                         "groups.to_numpy() goes by position")
    return list(groups.reindex(rows.index))


def _frame_of(columns: Mapping[str, object]) -> pandas.DataFrame:
    """@throws ValueError  columns that have not the same rows: those of Series go by their index, and pandas would fill up
    what lacks."""
    indices = [column.index for column in columns.values() if isinstance(column, pandas.Series)]
    if any(not index.equals(indices[0]) for index in indices):
        raise ValueError("a dict of rows must hold Series of one index: pandas.DataFrame(rows) puts them together by theirs, "
                         "and to_numpy() makes columns that go by position")
    try:
        return pandas.DataFrame(columns)
    except ValueError:
        raise ValueError("a dict of rows must hold columns of the same length, with one cell for each row") from None


def _blanks_text(name: str, labels: list[str]) -> str:
    """What to do where a column's name is right but for the blanks that stand in a file behind its commas."""
    found = next((label for label in labels if label != name and label.strip() == name), None)
    return "" if found is None else (f". The table's '{found}' has a blank: pandas.read_csv(..., skipinitialspace=True) "
                                     "leaves it out, of names and cells, as `fairfront predict` does")


def _labels(table: pandas.DataFrame) -> list[str]:
    """As a run names columns whose labels are no texts."""
    return list(map(str, table.columns))


def _seed(draw: object) -> int | None:
    if draw is None:
        return None
    seed = whole_number(draw)
    if seed is None or not 0 <= seed < 2 ** 63:
        raise ValueError("draw must be a whole number >= 0 and below 2^63")
    return seed


def _shortest(value: float) -> str:
    """As the program writes a number (std::to_chars): the shortest text that brings it back, of the forms with and
    without an exponent the shorter one."""
    scientific = np.format_float_scientific(value, trim="-", exp_digits=2)
    plain = np.format_float_positional(value, trim="-")
    if value == int(value):  # all digits of a whole number, not zeros behind the first ones
        plain = f"{'-' if np.signbit(value) else ''}{abs(int(value))}"
    return plain if len(plain) <= len(scientific) else scientific
