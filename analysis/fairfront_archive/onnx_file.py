"""Fitted models as ONNX files: for programs that know nothing of this one.

Every column of the table is an input of shape (n, 1), numbers as double and names as string, and so is the
group where the model needs it. Every output is a double, (n, 1), as in `FittedModel.predictions`; models with
atoms also have `distribution`, (n, atoms), and those of a target that was prepared `prediction_in_own_unit`.
Missing numbers are NaN, or one of the numbers that were missing cells in training; missing names are empty, or
such a text. Names are those of training, letter by letter, or whole numbers with ".0" behind: what `predict` reads as the
same (blanks at its ends, "1.00" for "1") is another name here. Where `predict` would refuse a number, where the model has no rule for them, and in a group that it does not know, the outputs are NaN. Results differ from `predict` by
rounding errors, as the runtime has other elementary functions. Whatever later steps may make large is written out in the
program's own order and functions: logarithms and sums of columns, and all that comes before the soft maximum of `[dp_lp]`.

What a model draws by what a row holds is an input as well, `rank_draws`, (n, steps): `FittedModel.rank_draws` has the
numbers of `predict`, as ONNX has no operator for a hash. Without it every number is its mean, 1/2.
"""

from __future__ import annotations

import json
import os
import pathlib
import types

import numpy as np

from fairfront_archive import elementary
from fairfront_archive.arguments import required_flag
from fairfront_archive.cells import Names, missing_numbers, whole_number
from fairfront_archive.errors import ArchiveError, ModelError
from fairfront_archive.features import LARGEST, NameColumn, NumberColumn, Preparation
from fairfront_archive.files import path_text, write_whole
from fairfront_archive.kinds import (
    Base,
    BaseValues,
    Centres,
    DrawnScores,
    DrawnThresholds,
    Kind,
    LinearTarget,
    Mixture,
    Score,
    Shared,
    Soft,
    TargetUnit,
    Thresholds,
    Transport,
)
from fairfront_archive.onnx_values import Tensor, columns_of
from fairfront_archive.products import LANES, blocks_of

OPSET = 13
OPSET_ML = 2  # ai.onnx.ml
FIRST_BYTE = b"\x08"  # the number of the first field of an ONNX model, as protobuf has it
EQUAL_PREDICTIONS = 1e-12  # relative to the largest


def write_onnx(path: str | os.PathLike[str], shared: Shared, kind: Kind, unit: TargetUnit | None,
               about: dict, overwrite: bool = False) -> None:
    """@param unit  of the target in its table, where the predictions have another one.
    @param overwrite  a file that is there is replaced, if it is an ONNX file.
    @throws ArchiveError  the package onnx is missing, or ONNX has no operators for the model, or the
            file cannot be written."""
    place = path_text("path", path)
    _require_free(place, required_flag("overwrite", overwrite))
    try:
        import onnx  # noqa: PLC0415
        import onnx.numpy_helper  # noqa: PLC0415  onnx does not import it by itself
    except ImportError as error:
        raise ArchiveError("ONNX files are written by the package onnx (Debian: python3-onnx), which is not "
                           "installed") from error
    model = _Writer(onnx, shared, kind, unit).model(about)
    onnx.checker.check_model(model)
    try:
        write_whole(pathlib.Path(place), model.SerializeToString(deterministic=True))
    except OSError as error:
        raise ArchiveError(f"{place}: cannot be written ({error.strerror})") from error


def _require_free(path: str, overwrite: bool) -> None:
    """@throws ArchiveError  another file is there, and is not to be replaced: in the words of `choose --onnx`."""
    if not os.path.isfile(path):
        return
    if not overwrite:
        raise ArchiveError(f"cannot write '{path}': it exists; choose another name, or overwrite=True to replace it")
    try:
        with open(path, "rb") as file:
            begins = file.read(1)
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror})") from error
    if begins not in (b"", FIRST_BYTE):
        raise ArchiveError(f"cannot write '{path}': what is there is no ONNX file, and overwrite=True replaces nothing else")


class _Graph:
    """Nodes and constants, in order."""

    def __init__(self, onnx: types.ModuleType) -> None:
        self.onnx = onnx
        self.nodes: list = []
        self.constants: list = []
        self.used: set[str] = set()
        self.known: dict[tuple, str] = {}  # names of constants

    def name(self, wanted: str) -> str:
        """One that is not taken."""
        name = wanted
        while name in self.used:
            name += "_"
        self.used.add(name)
        return name

    def constant(self, values: object, dtype: type = np.float64) -> str:
        """A name of these values: one for all that are the same."""
        tensor = np.asarray(values, dtype=dtype)
        name = self.known.get(key := (tensor.tobytes(), tensor.dtype, tensor.shape))
        if name is None:
            name = self.known[key] = self.name(f"constant {len(self.constants)}")
            self.constants.append(self.onnx.numpy_helper.from_array(tensor, name))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, domain: str = "",
             **attributes: object) -> str:
        output = output or self.name(f"{operator} {len(self.nodes)}")
        # ONNX Runtime names what it makes of nodes by their names, and refuses two of one.
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [output], name=f"{operator} {len(self.nodes)}",
                                                     domain=domain, **attributes))
        return output

    def one_hot(self, places: str, count: int) -> str:
        """(..., count): 1 at the place, else 0. (ONNX Runtime has no OneHot of doubles at whole numbers.)"""
        places = self.node("Unsqueeze", places, self.constant([-1], np.int64))
        return self.node("Cast", self.node("Equal", places, self.constant(np.arange(count), np.int64)),
                         to=self.onnx.TensorProto.DOUBLE)

    def where_known(self, tested: str, values: str) -> str:
        """NaN where `tested` is."""
        return self.node("Where", self.node("IsNaN", tested), self.constant(np.nan), values)


class _Writer:
    def __init__(self, onnx: types.ModuleType, shared: Shared, kind: Kind, unit: TargetUnit | None) -> None:
        self.onnx, self.shared, self.kind, self.unit = onnx, shared, kind, unit
        self.graph = _Graph(onnx)
        self.inputs: list = []
        self.group = ""  # its number; that of an unknown one is the number of groups
        self.draws = ""  # of ranks, where they are drawn
        self.unused: list[str] = []  # of columns that set no feature: NaN where a missing cell leaves the row out, else 0

    def model(self, about: dict) -> object:
        helper, graph = self.onnx.helper, self.graph
        preparation = self.shared.preparation
        for name in preparation.names:
            graph.used.add(name)
        if isinstance(self.kind, Transport) and self.kind.drawn:
            self.draws = self._optional("rank_draws", np.full((1, len(self.kind.steps)), 0.5))
        if self.kind.needs_group or preparation.group is not None:
            name = graph.name("group")
            self.inputs.append(self._declared(name, self.onnx.TensorProto.STRING))
            self.group = self._codes(name, self.shared.groups, len(self.shared.groups))
        features = self._features(preparation)
        found = self._with_own_unit(OPERATORS[type(self.kind)](self, self.kind, features))
        # Rows that are refused or left out say nothing, also of a model that reads other columns.
        sums = graph.node("ReduceSum", features, graph.constant([1], np.int64), keepdims=1)
        for column in self.unused:
            sums = graph.node("Add", sums, column)
        outputs = [self._output(name, graph.where_known(sums, values)) for name, values in found.items()]
        made = helper.make_graph(graph.nodes, "fairfront", self.inputs, outputs, graph.constants)
        model = helper.make_model(made, producer_name="fairfront", ir_version=8, opset_imports=[
            helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)])
        helper.set_model_props(model, {"card": json.dumps(about, allow_nan=False, default=str)})
        return model

    # -- rows of a table as features

    def _features(self, preparation: Preparation) -> str:
        blocks: list[str] = []
        places: list[int] = []
        for column in preparation.columns:
            text = isinstance(column, NameColumn) or bool(column.order)
            self.inputs.append(self._declared(column.name, getattr(self.onnx.TensorProto,
                                                                   "STRING" if text else "DOUBLE")))
            if isinstance(column, NumberColumn):
                blocks.append(self._number(column, preparation.missing))
                places.append(column.place)
            else:
                own = sorted({int(place) for place in column.places if place >= 0})
                codes = self._codes(column.name, column.levels, len(column.levels) + 1)
                blocks += [self._levels(column, codes, own, preparation)] if own else []
                self.unused += [] if own else [self._missing(column, codes, preparation)]
                places += own
        if preparation.group is not None:
            own = sorted({int(place) for place in preparation.group.places if place >= 0})
            blocks += [self._levels(preparation.group, self.group, own, preparation)] if own else []
            places += own
        if sorted(places) != list(range(len(preparation.unset))):
            raise ModelError("ONNX files cannot say features that no column sets")
        graph = self.graph
        whole = graph.node("Concat", *blocks, axis=1)
        whole = graph.node("Gather", whole, graph.constant(np.argsort(places), np.int64), axis=1)
        if not preparation.unit_rows:
            return whole
        features = self._tensor(whole)
        squares = sum(columns_of(features * features, len(places))).name
        return graph.node("Div", whole, graph.node("Sqrt", graph.node("Max", squares, graph.constant([[1e-14]]))))

    def _number(self, column: NumberColumn, missing: str) -> str:
        graph, values = self.graph, column.name
        if column.order:
            ranks = graph.constant([*range(1, len(column.order) + 1), np.nan, np.inf])  # another name is refused
            codes = self._codes(column.name, column.order, len(column.order) + 1)
            values = graph.node("Reshape", graph.node("Gather", ranks, codes), graph.constant([-1, 1], np.int64))
        else:
            values = self._without_missing(values)
        if missing in ("mean", "zero"):
            values = graph.node("Where", graph.node("IsNaN", values), graph.constant(column.filler), values)
        values = self._unless_refused(values, column.log1p)
        if column.log1p:
            values = elementary.log1p(self._tensor(values)).name
        if column.divisor == 0:
            return graph.node("Mul", values, graph.constant(0.0))
        return graph.node("Div", graph.node("Sub", values, graph.constant(column.shift)),
                          graph.constant(column.divisor))

    def _unless_refused(self, values: str, has_logarithm: bool) -> str:
        """NaN for numbers that `predict` refuses."""
        graph = self.graph
        taken = graph.node("LessOrEqual", graph.node("Abs", values), graph.constant(LARGEST))
        values = graph.node("Where", taken, values, graph.constant(np.nan))
        if not has_logarithm:
            return values
        return graph.node("Where", graph.node("Greater", values, graph.constant(-1.0)), values, graph.constant(np.nan))

    def _without_missing(self, values: str) -> str:
        """NaN for numbers that are missing cells."""
        graph = self.graph
        for number in missing_numbers(self.shared.preparation.missing_cells):
            gone = graph.node("Equal", values, graph.constant(number))
            values = graph.node("Where", gone, graph.constant(np.nan), values)
        return values

    def _codes(self, column: str, levels: tuple[str, ...], other: int) -> str:
        """Numbers of the levels, (n,); that of a missing cell is the number of levels."""
        names, wholes = Names(levels), filter(None, map(whole_number, levels))
        texts = (*levels, *(text for whole in wholes for text in (whole, f"{whole}.0")))  # as pandas makes 1.0 of 1
        code = {text: names.place(text) for text in texts}
        missing = [name for name in ("", *self.shared.preparation.missing_cells) if name not in code]
        codes = self.graph.node("LabelEncoder", column, domain="ai.onnx.ml", keys_strings=[*code, *missing],
                                values_int64s=[*code.values(), *[len(levels)] * len(missing)],
                                default_int64=other)
        return self.graph.node("Reshape", codes, self.graph.constant([-1], np.int64))

    def _levels(self, column: NameColumn, codes: str, own: list[int], preparation: Preparation) -> str:
        """A row of the table for each level, then of a missing cell, then of another name."""
        count = len(column.levels)
        table = np.tile(preparation.unset[own], (count + 2, 1))
        for level, (place, value) in enumerate(zip(column.places, column.values)):
            if place >= 0:
                table[level, own.index(place)] = value
        if column is preparation.group or preparation.missing not in ("mean", "zero"):
            table[count] = np.nan
        elif column.filler >= 0:
            table[count] = table[column.filler]
        return self.graph.node("Gather", self.graph.constant(table), codes, axis=0)

    def _missing(self, column: NameColumn, codes: str, preparation: Preparation) -> str:
        count = len(column.levels)
        table = np.zeros((count + 2, 1))
        if preparation.missing not in ("mean", "zero"):
            table[count] = np.nan
        return self.graph.node("Gather", self.graph.constant(table), codes, axis=0)

    # -- kinds

    def score(self, kind: Score, features: str) -> dict[str, str]:
        graph, values = self.graph, features
        for matrix, biases in kind.layers[:-1]:
            values = graph.node(ACTIVATIONS[kind.activation], self._affine(values, matrix, biases))
        matrix, biases = kind.layers[-1]
        scores = self._dots(values, np.concatenate([biases, matrix[:, 0]])[None])
        if kind.moved is not None:
            scores = self._moved(kind, scores)
        found = {"score": scores}
        if kind.logistic:
            found["probability"] = graph.node("Sigmoid", scores)
        if kind.threshold is not None:
            decided = found.get("probability", scores)
            found["decision"] = self._decision(decided, graph.constant(kind.threshold))
        return found

    def _moved(self, kind: Score, scores: str) -> str:
        graph, groups = self.graph, len(self.shared.groups)
        factors, shifts = np.ones(groups + 1), np.zeros(groups + 1)
        factors[kind.moved], shifts[kind.moved] = kind.factor, kind.shift
        factors[groups] = np.nan
        column = graph.constant([-1, 1], np.int64)
        factor, shift = (graph.node("Reshape", graph.node("Gather", graph.constant(values), self.group), column)
                         for values in (factors, shifts))
        return graph.node("Add", graph.node("Mul", factor, scores), shift)

    def drawn_scores(self, kind: DrawnScores, features: str) -> dict[str, str]:
        graph, share, total = self.graph, "", ""
        for member, probability in zip(kind.members, kind.shares):
            total = self.score(member, features)["score"]
            reached = graph.node("Cast", graph.node("GreaterOrEqual", total, graph.constant(0.0)),
                                 to=self.onnx.TensorProto.DOUBLE)
            term = graph.node("Mul", reached, graph.constant(probability))
            share = graph.node("Add", share, term) if share else term
        share = graph.where_known(total, share)
        pi = graph.node("Concat", graph.node("Sub", graph.constant(1.0), share), share, axis=1)
        return {"probability": share, "distribution": pi}

    def centres(self, kind: Centres, features: str) -> dict[str, str]:
        graph, width = self.graph, kind.centres.shape[1]
        rows = graph.node("Reshape", features, graph.constant([-1, 1, width], np.int64))
        differences = graph.node("Sub", rows, graph.constant(kind.centres[None]))
        squares = graph.node("ReduceSumSquare", differences, axes=[2], keepdims=0)
        nearest = graph.node("Cast", graph.node("ArgMin", squares, axis=1, keepdims=1),
                             to=self.onnx.TensorProto.DOUBLE)
        distance = graph.node("Sqrt", graph.node("ReduceMin", squares, axes=[1], keepdims=1))
        return {"cluster": graph.where_known(distance, nearest), "distance": distance}

    def thresholds(self, kind: Thresholds, features: str) -> dict[str, str]:
        graph = self.graph
        own = graph.node("Gather", graph.constant([*kind.thresholds, np.nan]), self.group)
        own = graph.node("Reshape", own, graph.constant([-1, 1], np.int64))
        return {"decision": graph.where_known(own, self._decision(features, own))}

    def drawn_thresholds(self, kind: DrawnThresholds, features: str) -> dict[str, str]:
        graph = self.graph
        scores = features if kind.network is None else self.score(kind.network, features)["score"]
        most = int(np.bincount(kind.group).max())
        table = np.full((2, kind.group.max() + 2, most), np.nan)  # the last one of a group that is not known
        table[:, :-1] = np.array([np.inf, 0.0])[:, None, None]
        for group in range(kind.group.max() + 1):
            own = kind.group == group
            table[:, group, :own.sum()] = kind.thresholds[own], kind.probabilities[own]
        thresholds, shares = (graph.node("Gather", graph.constant(one), self.group) for one in table)
        thresholds, shares = (graph.node("Reshape", one, graph.constant([-1, most], np.int64))
                              for one in (thresholds, shares))
        reached = graph.node("Cast", graph.node("GreaterOrEqual", scores, thresholds), to=self.onnx.TensorProto.DOUBLE)
        terms = graph.node("Mul", reached, shares)
        share = graph.node("ReduceSum", terms, graph.constant([1], np.int64), keepdims=1)
        share = graph.node("Clip", share, graph.constant(0.0), graph.constant(1.0))
        share = graph.where_known(scores, share)
        pi = graph.node("Concat", graph.node("Sub", graph.constant(1.0), share), share, axis=1)
        return {"probability": share, "distribution": pi}

    def base(self, kind: Base, features: str) -> dict[str, str]:
        graph, values = self.graph, self._target(kind.base, features)
        if kind.scale.divisor == 0:
            values = graph.node("Add", graph.node("Mul", values, graph.constant(0.0)), graph.constant(kind.scale.shift))
        if kind.ends is not None:
            values = graph.node("Clip", values, *map(graph.constant, kind.ends))
        return {"prediction": values}

    def transport(self, kind: Transport, features: str) -> dict[str, str]:
        graph = self.graph
        value = self._target(kind.base, features)
        if kind.scale.divisor == 0:
            value = graph.node("Add", graph.node("Mul", value, graph.constant(0.0)), graph.constant(kind.scale.shift))
        fair = value
        for step, (level, shares, ascending) in enumerate(kind.steps):
            part = graph.constant(0.5)
            if kind.drawn:
                part = graph.node("Gather", self.draws, graph.constant([step], np.int64), axis=1)
            fair = self._moved_to_barycentre(fair, level, shares, ascending, part)
        fair = graph.node("Add", graph.node("Mul", graph.constant(1 - kind.epsilon), fair),
                          graph.node("Mul", graph.constant(kind.epsilon), value))
        return {"prediction": graph.where_known(value, fair)}

    def _moved_to_barycentre(self, values: str, level: np.ndarray, shares: np.ndarray, ascending: list[np.ndarray],
                             part: str) -> str:
        """Ranks are counted. Predictions that differ by rounding alone count as equal, as those of the rows
        that the model was fitted to are: the runtime rounds otherwise.

        @param part  in [0, 1): which of the ranks that a prediction may have in its group it gets."""
        graph = self.graph
        rounding = graph.constant(EQUAL_PREDICTIONS * max(np.abs(own).max() for own in ascending))
        low, high = graph.node("Sub", values, rounding), graph.node("Add", values, rounding)
        own_level = graph.node("Gather", graph.constant([*level, -1], np.int64), self.group)
        own_level = graph.node("Reshape", own_level, graph.constant([-1, 1], np.int64))
        rank = graph.constant([[np.nan]])
        for number, own in enumerate(ascending):
            below = self._count("Less", own, low)
            last = self._count("LessOrEqual", own, high)
            own_rank = graph.node("Add", below, graph.node("Mul", part, graph.node(
                "Add", graph.node("Sub", last, below), graph.constant(1.0))))
            here = graph.node("Equal", own_level, graph.constant([[number]], np.int64))
            rank = graph.node("Where", here, graph.node("Div", own_rank, graph.constant(len(own) + 1.0)), rank)
        known = graph.node("Where", graph.node("IsNaN", rank), graph.constant(0.0), rank)
        total = ""
        for share, own in zip(shares, ascending):
            place = graph.node("Sub", graph.node("Ceil", graph.node("Mul", graph.constant(float(len(own))), known)),
                               graph.constant(1.0))
            place = graph.node("Clip", place, graph.constant(0.0), graph.constant(len(own) - 1.0))
            quantile = graph.node("Gather", graph.constant(own), graph.node("Cast", place, to=self.onnx.TensorProto.INT64))
            term = graph.node("Mul", graph.constant(share), quantile)
            total = graph.node("Add", total, term) if total else term
        return graph.where_known(rank, total)

    def _count(self, relation: str, numbers: np.ndarray, values: str) -> str:
        """How many of the numbers stand in this relation to each of the values, (n, 1)."""
        held = self.graph.node("Cast", self.graph.node(relation, self.graph.constant(numbers[None]), values),
                               to=self.onnx.TensorProto.DOUBLE)
        return self.graph.node("ReduceSum", held, self.graph.constant([1], np.int64), keepdims=1)

    def linear(self, kind: LinearTarget, features: str) -> dict[str, str]:
        return {"prediction": self._dots(features, kind.weights[None])}

    def soft(self, kind: Soft, features: str) -> dict[str, str]:
        graph = self.graph
        # z is multiplied by beta, up to 1e9: up to there all is to the bit as in the program.
        eta = graph.node("Sub", self._target(kind.base, features), graph.constant(kind.scale.shift))
        if kind.scale.divisor != 0:
            eta = graph.node("Div", eta, graph.constant(kind.scale.divisor))
        else:
            eta = graph.node("Mul", eta, graph.constant(0.0))
        error = graph.node("Sub", eta, graph.constant(kind.grid[None]))
        z = graph.node("Neg", graph.node("Mul", error, error))
        share = graph.node("Div", self._of_groups(kind.base, features), graph.constant(kind.shares[None]))
        tilt = graph.node("Sub", graph.constant(1.0), share)
        for group, difference in enumerate(kind.difference):
            own = graph.node("Gather", tilt, graph.constant([group], np.int64), axis=1)
            z = graph.node("Add", z, graph.node("Mul", own, graph.constant(difference[None])))
        z = graph.node("Sub", z, graph.node("ReduceMax", z, axes=[1], keepdims=1))
        pi = graph.node("Softmax", graph.node("Mul", z, graph.constant(kind.beta)), axis=1)
        return self._drawn(kind, pi)

    def mixture(self, kind: Mixture, features: str) -> dict[str, str]:
        graph, count = self.graph, len(kind.values)
        biases = kind.weights[:, 0] if kind.intercept else np.zeros(len(kind.weights))
        scores = self._affine(features, kind.weights[:, int(kind.intercept):].T, biases)
        scores = graph.node("Reshape", scores, graph.constant([-1, len(kind.weights), 1], np.int64))
        reached = graph.node("Cast", graph.node("LessOrEqual", graph.constant(kind.thresholds[None, None]), scores),
                             to=self.onnx.TensorProto.INT64)
        reached = graph.node("ReduceSum", reached, graph.constant([2], np.int64), keepdims=0)
        atom = graph.node("Max", graph.node("Sub", reached, graph.constant(1, np.int64)), graph.constant(0, np.int64))
        ones = graph.one_hot(atom, count)
        shares = graph.node("Mul", ones, graph.constant(kind.mixture[None, :, None]))
        pi = graph.node("ReduceSum", shares, graph.constant([1], np.int64), keepdims=0)
        total = graph.node("ReduceSum", features, graph.constant([1], np.int64), keepdims=1)
        return self._drawn(kind, graph.where_known(total, pi))

    def _drawn(self, kind: Soft | Mixture, pi: str) -> dict[str, str]:
        graph, count = self.graph, len(kind.values)
        if kind.rule == "argmax":
            best = graph.node("ArgMax", pi, axis=1, keepdims=0)
            ones = graph.one_hot(best, count)
            pi = graph.where_known(pi, ones)
        found = {"prediction": graph.node("MatMul", pi, graph.constant(kind.values[:, None]))}
        return found if kind.atoms is None else {**found, "distribution": pi}

    def _with_own_unit(self, found: dict[str, str]) -> dict[str, str]:
        """The expected value in the table's unit: of the distribution over atoms, where there is one."""
        if self.unit is None:
            return found
        graph, unit = self.graph, self.unit
        atoms = found.pop("distribution", None)
        if atoms is not None:
            own = graph.node("MatMul", atoms, graph.constant(unit.of(self.kind.atoms)[:, None]))
            return {**found, "prediction_in_own_unit": own, "distribution": atoms}
        own = graph.node("Add", graph.node("Mul", found["prediction"], graph.constant(unit.scale)),
                         graph.constant(unit.shift))
        if unit.log1p:
            own = elementary.expm1(self._tensor(own)).name
        return {**found, "prediction_in_own_unit": graph.node("Mul", own, graph.constant(unit.divisor))}

    def _target(self, base: BaseValues, features: str) -> str:
        if base.fitted:
            return self._dots(features, base.eta[None])
        return self.graph.node("Gather", features, self.graph.constant([0], np.int64), axis=1)

    def _of_groups(self, base: BaseValues, features: str) -> str:
        graph = self.graph
        if not base.fitted:
            return graph.node("Gather", features, graph.constant(np.arange(base.groups) + 1, np.int64), axis=1)
        scores = self._tensor(self._dots(features, base.tau))
        if base.groups == 2:
            return graph.node("Concat", *(elementary.sigmoid(one).name for one in (-scores, scores)), axis=1)
        most = self._tensor(graph.node("ReduceMax", scores.name, axes=[1], keepdims=1))
        shares = elementary.exp(scores - most)
        return (shares / sum(columns_of(shares, base.groups))).name

    def _tensor(self, name: str) -> Tensor:
        return Tensor(name, self.graph.node, self.graph.constant)

    def _dots(self, rows: str, models: np.ndarray) -> str:
        """Scores of linear models in the order of `products.dots`, to the bit, as MatMul promises none.

        @param models  (m, 1 + d), an offset first. @return (n, m)."""
        graph, weights = self.graph, models[:, 1:]
        columns = weights.shape[1]
        padded = -(-columns // LANES) * LANES
        places = graph.constant([*range(columns), *[0] * (padded - columns)], np.int64)
        values = graph.node("Unsqueeze", graph.node("Gather", rows, places, axis=1), graph.constant([1], np.int64))
        weights = np.pad(weights, ((0, 0), (0, padded - columns)))
        products = graph.node("Mul", values, graph.constant(weights[None]))
        sums = [graph.constant(np.zeros((1, len(models), LANES)))] * 2
        for at, side in blocks_of(columns):
            own = graph.node("Gather", products, graph.constant(np.arange(at, at + LANES), np.int64), axis=2)
            sums[side] = graph.node("Add", sums[side], own)
        parts = graph.node("Add", *sums)
        first, second = (graph.node("Gather", parts, graph.constant(lane, np.int64), axis=2) for lane in range(LANES))
        return graph.node("Add", graph.constant(models[None, :, 0]), graph.node("Add", first, second))

    def _affine(self, rows: str, matrix: np.ndarray, biases: np.ndarray) -> str:
        """Of layers before the last in the order of `products.affine`. @param matrix  (d, m). @return (n, m)."""
        graph, sums = self.graph, self.graph.constant(biases[None])
        for place, factors in enumerate(matrix):
            column = graph.node("Gather", rows, graph.constant([place], np.int64), axis=1)
            sums = graph.node("Add", sums, graph.node("Mul", column, graph.constant(factors[None])))
        return sums

    def _decision(self, values: str, threshold: str) -> str:
        decided = self.graph.node("Cast", self.graph.node("GreaterOrEqual", values, threshold),
                                  to=self.onnx.TensorProto.DOUBLE)
        return self.graph.where_known(values, decided)

    # -- names

    def _optional(self, wanted: str, default: np.ndarray) -> str:
        """An input of numbers that has a row for all rows of the table where it is not given."""
        name = self.graph.name(wanted)
        self.inputs.append(self.onnx.helper.make_tensor_value_info(
            name, self.onnx.TensorProto.DOUBLE, [None, default.shape[1]]))
        self.graph.constants.append(self.onnx.numpy_helper.from_array(default, name))
        return name

    def _declared(self, name: str, kind: int) -> object:
        return self.onnx.helper.make_tensor_value_info(name, kind, [None, 1])

    def _output(self, name: str, values: str) -> object:
        """A column of that name gives its place to the output "predicted_NAME", as in `fairfront predict`."""
        taken = name in self.shared.preparation.names
        output = self.graph.name("predicted_" + name if taken else name)
        self.graph.node("Identity", values, output=output)
        return self.onnx.helper.make_tensor_value_info(output, self.onnx.TensorProto.DOUBLE, [None, None])


ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid"}
OPERATORS = {Score: _Writer.score, DrawnScores: _Writer.drawn_scores, Centres: _Writer.centres,
             Thresholds: _Writer.thresholds, DrawnThresholds: _Writer.drawn_thresholds, Base: _Writer.base, Soft: _Writer.soft,
             Mixture: _Writer.mixture, Transport: _Writer.transport, LinearTarget: _Writer.linear}
