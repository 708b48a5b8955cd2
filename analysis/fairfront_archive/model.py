"""A fitted model: predicts rows that come later, with the bits of `fairfront predict`.

    model = archive.model(task=2)                        # or fairfront_archive.load_model("model.json")
    model.predict(frame)                                 # decisions, predictions or clusters
    model.predict_proba(frame)[:, 1]

It follows the conventions of scikit-learn, which it does not need: `get_params`, `feature_names_in_`,
`classes_`, `sklearn.base.clone`, a step of a pipeline. It is fitted when it is made: `fit` changes nothing.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping

import numpy as np
import pandas

from fairfront_archive import cards, draws, kinds, onnx_file
from fairfront_archive.errors import ArchiveError
from fairfront_archive.features import texts

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

    def __copy__(self) -> ModelSource:
        return self

    def __deepcopy__(self, _: dict) -> ModelSource:
        return self

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.place}>"


class FittedModel:
    """Predicts rows of a pandas frame, of a dict of columns, or of an array with the columns
    `feature_names_in_`. Rows that the model's rule for missing cells leaves out come out as NaN.

    Models with `needs_group` must be told the group of every row: by `groups`, an array of the names
    `group_names`, or by a column of the frame, which `group` names.

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
        except ArchiveError as error:
            raise ArchiveError(f"{source.place}: a model that is damaged: {error}") from error
        except UNREADABLE as error:
            raise ArchiveError(f"{source.place}: a model that is damaged ({type(error).__name__}: {error})") from error

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
        """The decisions."""
        if self._kind.task != "classifier":
            raise AttributeError("a model without decisions has no classes")
        return np.array([0, 1])

    @property
    def output_names(self) -> tuple[str, ...]:
        """Columns of `predictions`."""
        return self._kind.outputs

    @property
    def needs_group(self) -> bool:
        return self._kind.needs_group or self._shared.preparation.group is not None

    @property
    def group_names(self) -> tuple[str, ...]:
        return self._shared.groups

    @property
    def atoms(self) -> np.ndarray:
        """What its predictions are drawn from, ascending."""
        if self._kind.atoms is None:
            raise AttributeError("the predictions of this model are not drawn")
        return self._kind.atoms.copy()

    # -- rows

    def predict(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """Decisions (0, 1), predictions of the target (their mean where they are drawn), numbers of clusters,
        or of a model without any of these the scores; (n,)."""
        name = next((name for name in ("decision", "prediction", "cluster") if name in self.output_names), "score")
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
        return self._rows(X, groups, lambda features, _: self._kind.distribution(features))

    def transform(self, X: Table, groups: Iterable[str] | None = None) -> np.ndarray:  # noqa: N803
        """The features that the table's columns become, (n, features)."""
        return self._rows(X, groups, lambda features, _: features)

    def predictions(self, X: Table, groups: Iterable[str] | None = None, draw: int | None = None,  # noqa: N803
                    atoms: bool = False) -> pandas.DataFrame:
        """All that `fairfront predict` writes of every row.

        @param draw   a seed: also a prediction that is drawn from the row's distribution.
        @param atoms  also the probability of every atom of that distribution.
        """
        table, number = self._table(X), self._group_numbers(X, groups)
        frame = pandas.DataFrame(self._rows_of(table, number, self._kind.predict), columns=list(self.output_names),
                                 index=table.index)
        if draw is None and not atoms:
            return frame
        values = self.atoms
        pi = self._rows_of(table, number, lambda features, _: self._kind.distribution(features))
        if draw is not None:
            if not 0 <= draw < 2 ** 63:
                raise ValueError("draw must be >= 0 and below 2^63")
            frame["drawn"] = draws.drawn_atoms(pi, values, draw)
        if not atoms:
            return frame
        named = pandas.DataFrame(pi, columns=[f"probability_of_{value!r}" for value in values.tolist()],
                                 index=table.index)
        return pandas.concat([frame, named], axis=1)

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
        told = {"inputs": cards.inputs_of(self._shared.preparation),
                "group": cards.group_text(self.needs_group, self.group_names),
                "outputs": cards.output_texts(self.output_names)}
        return {**self.source.about, "card": {**(card if isinstance(card, dict) else {}), **told}}

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes an ONNX file (fairfront_archive/onnx_file.py says what it holds), with the card in it.

        @throws ArchiveError  the package onnx is missing, or ONNX has no operators for the model.
        """
        onnx_file.write_onnx(path, self._shared, self._kind, self.card)

    def __repr__(self) -> str:
        return (f"<FittedModel {self.source.kind} of {self.source.place}: {', '.join(self.output_names)} of "
                f"{self.n_features_in_} columns{', needs the group' if self.needs_group else ''}>")

    def _repr_html_(self) -> str:
        return cards.html_of(self.card, self.source.place)

    # -- inside

    def _column(self, name: str, rows: Table, groups: Iterable[str] | None) -> np.ndarray:
        if name not in self.output_names:
            raise AttributeError(f"this model says no {name}, but {', '.join(self.output_names)}")
        place = self.output_names.index(name)
        return self._rows(rows, groups, lambda *given: self._kind.predict(*given)[:, [place]])[:, 0]

    def _rows(self, rows: Table, groups: Iterable[str] | None, of) -> np.ndarray:
        return self._rows_of(self._table(rows), self._group_numbers(rows, groups), of)

    def _rows_of(self, table: pandas.DataFrame, numbers: np.ndarray | None, of) -> np.ndarray:
        """of(features, groups), some rows at a time."""
        found = []
        for begin in range(0, max(1, len(table)), ROWS_AT_ONCE):
            some = slice(begin, begin + ROWS_AT_ONCE)
            own = None if numbers is None else numbers[some]
            found.append(of(self._shared.preparation.features(table.iloc[some], own), own))
        return np.concatenate(found)

    def _table(self, rows: Table) -> pandas.DataFrame:
        names = self._shared.preparation.names
        if isinstance(rows, Mapping):
            rows = pandas.DataFrame(rows)
        if not isinstance(rows, pandas.DataFrame):
            values = np.asarray(rows)
            if values.ndim != 2 or values.shape[1] != len(names):
                raise ValueError(f"an array of rows must have the shape (n, {len(names)}), with the columns "
                                 f"{', '.join(names)}; this one has {values.shape}")
            return pandas.DataFrame(values, columns=names)
        missing = [name for name in names if name not in rows.columns]
        if missing:
            raise ValueError(f"the table has no column '{missing[0]}'; the model reads {', '.join(names)}")
        table = rows[names]
        if table.shape[1] != len(names):
            raise ValueError("the table names a column of the model several times")
        return table

    def _group_numbers(self, rows: Table, groups: Iterable[str] | None) -> np.ndarray | None:
        if not self.needs_group:
            return None
        if groups is None and self.group is not None and isinstance(rows, (pandas.DataFrame, Mapping)):
            if self.group not in rows:
                raise ValueError(f"the table has no column '{self.group}', which `group` names")
            groups = rows[self.group]
        if groups is None:
            raise ValueError("this model needs the group of every row: `groups`, or `group` = the name of a "
                             f"column that holds one of {', '.join(self.group_names)}")
        place = {name: i for i, name in enumerate(self.group_names)}
        names = texts(pandas.Series(list(groups), dtype=object), self.group_names)
        length = len(next(iter(rows.values()))) if isinstance(rows, Mapping) else len(rows)
        if len(names) != length:
            raise ValueError(f"{len(names)} groups of {length} rows")
        unknown = [row for row, name in enumerate(names) if name not in place]
        if unknown:
            raise ValueError(f"row {unknown[0]}: the group must be one of {', '.join(self.group_names)}")
        return np.array([place[name] for name in names], dtype=np.int64)
