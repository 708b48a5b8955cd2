"""The kinds of fitted models (doc/archive.md, "Models"), with the bits of the program (src/models/fitted_*.cpp)."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable

import numpy as np

from fairfront_archive import draws, elementary
from fairfront_archive.errors import ModelError
from fairfront_archive.cells import real, require
from fairfront_archive.features import Preparation, doubles, member, names_of, preparation_of
from fairfront_archive.group_rules import GroupRule, rules_of
from fairfront_archive.products import affine, dots
from fairfront_archive.quotation import BLANKS

WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
MOST_UNITS = 1 << 20
MOST_ATOMS = 1e6
NOT_THRESHOLDS = "the thresholds are not those of a score and its groups"
Numbers = Callable[[str], list[np.ndarray]]  # the vectors of a solution, by its name


@dataclasses.dataclass(frozen=True)
class Shared:
    """What all models of a problem share, fitted on its training rows."""

    preparation: Preparation
    groups: tuple[str, ...]
    numbers: dict[str, np.ndarray]
    group_rules: tuple[GroupRule, ...] = ()  # find a row's group; none: nobody knows how

    @property
    def width(self) -> int:
        return len(self.preparation.unset)

    def vector(self, name: str, count: int) -> np.ndarray:
        found = self.numbers.get(name)
        require(found is not None and len(found) == count, f"no {count} numbers '{name}'")
        return found


def shared_of(json: dict) -> Shared:
    """@throws ModelError  no such JSON."""
    preparation, groups, found = preparation_of(member(json, "preparation")), names_of(member(json, "groups")), member(json, "numbers")
    require(isinstance(found, dict), "its numbers have no names")
    numbers = {name: doubles(values, name) for name, values in found.items()}
    shared = Shared(preparation, groups, numbers, rules_of(json["group_rules"]) if "group_rules" in json else ())
    target_unit_of(shared)
    group = preparation.group
    require(group is None or group.levels == groups, "the groups of its features are others")
    return shared


@dataclasses.dataclass(frozen=True)
class TargetUnit:
    """The unit that a real target has in its table, where models predict a prepared one."""

    shift: float
    scale: float
    log1p: bool
    divisor: float

    def of(self, prepared: np.ndarray) -> np.ndarray:
        values = prepared * self.scale + self.shift
        return (elementary.expm1(values) if self.log1p else values) * self.divisor


def target_unit_of(shared: Shared) -> TargetUnit | None:
    """None: the unit of the table is that of the models."""
    if "target_unit" not in shared.numbers:
        return None
    require(len(shared.numbers["target_unit"]) == 4, "no unit of the target")
    shift, scale, logarithm, divisor = map(float, shared.numbers["target_unit"])
    return TargetUnit(shift, scale, logarithm != 0, divisor)


def options_of(text: str) -> tuple[str, dict[str, str]]:
    """Kind and options of "kind name=value name=value"."""
    kind, *words = text.split(" ")
    require(all("=" in word for word in words), "an option without a value")
    return kind, dict(word.split("=", 1) for word in words)


class Kind:
    """Predicts rows by their features."""

    task = ""  # "classifier", "regressor", "clusterer", or ""
    outputs: tuple[str, ...] = ()
    needs_group = False
    atoms: np.ndarray | None = None  # what predictions are drawn from

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        """@return (n, outputs)."""
        raise NotImplementedError

    def distribution(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        """Probabilities of the atoms, (n, atoms)."""
        raise NotImplementedError


class Score(Kind):
    """A network, linear without hidden layers; `layers` has the weights and biases of each."""

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        weights = one_vector(numbers, options["weights"])
        self.activation = options["activation"]
        require(self.activation in ACTIVATIONS, "an unknown activation")
        self.moved, self.factor, self.shift = None, 1.0, 0.0
        if "moved_group" in options:
            self.moved = whole(options["moved_group"])
            require(0 <= self.moved < len(shared.groups) and len(weights) >= 2, "no move of a group's scores")
            *_, self.factor, self.shift = map(float, weights)
            weights = weights[:-2]
        hidden = options["hidden"].strip(BLANKS)
        units = [shared.width, *map(whole, hidden.split(",") if hidden else []), 1]
        require(all(1 <= count <= MOST_UNITS for count in units[1:]), "so many units there are not")
        if "intercept" in options:
            require(len(units) == 2 and len(weights), "no intercept of a linear score")
            weights = np.roll(weights, -1)
        mean = shared.numbers.get(options["centred"]) if "centred" in options else None
        require(mean is not None or "centred" not in options, "no means of the features")
        if mean is not None and len(units) == 2:
            weights = np.append(weights, 0.0)
        count = sum((before + 1) * after for before, after in zip(units, units[1:]))
        require(len(weights) == count, f"{len(weights)} weights, must be {count}")
        self.layers = layers_of(weights, units)
        if mean is not None:
            require(len(mean) == shared.width, "the means are not those of its features")
            self._fold(mean)
        self.logistic = "link" in options
        self.threshold = number(options["threshold"]) if "threshold" in options else None
        self.task = "classifier" if self.threshold is not None else ""
        self.outputs = ("score", *["probability"] * self.logistic, *["decision"] * (self.threshold is not None))
        self.needs_group = self.moved is not None

    def _fold(self, mean: np.ndarray) -> None:
        """Into the first biases, as the features are taken less their means."""
        matrix, biases = self.layers[0]
        shift = np.zeros(len(biases))
        for value, row in zip(mean, matrix):
            shift += value * row
        biases -= shift

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        values = features
        for matrix, biases in self.layers[:-1]:
            values = ACTIVATIONS[self.activation](affine(values, matrix, biases))
        matrix, biases = self.layers[-1]
        scores = dots(values, matrix[:, 0], biases[0])
        if self.moved is not None:
            scores = np.where(groups == self.moved, self.factor * scores + self.shift, scores)
        columns = [scores]
        if self.logistic:
            columns.append(elementary.sigmoid(scores))
        if self.threshold is not None:
            columns.append(decisions(columns[-1], self.threshold))
        return np.stack(columns, axis=1)


class DrawnScores(Kind):
    """A draw among several scores, each of which decides 1 from 0 on."""

    outputs = ("probability",)
    atoms = np.array([0.0, 1.0])

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        members = numbers(options["members"])
        self.shares = one_vector(numbers, options["shares"])
        require(len(members) == len(self.shares), "as many shares as scores are drawn")
        require((self.shares >= 0).all() and abs(self.shares.sum() - 1) <= 1e-9, "shares that do not add up to 1")
        network = {"hidden": options["hidden"], "activation": options["activation"], "weights": "weights"}
        self.members = [Score(shared, network, lambda _, weights=weights: [weights]) for weights in members]

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        share = np.zeros(len(features))
        for member, probability in zip(self.members, self.shares):
            score = member.predict(features, groups)[:, 0]
            share = np.where(score >= 0, share + probability, share)
        return np.where(np.isnan(score), np.nan, share)[:, None]

    def distribution(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        share = self.predict(features, groups)[:, 0]
        return np.stack([1 - share, share], axis=1)


class Centres(Kind):
    task = "clusterer"
    outputs = ("cluster", "distance")

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        fault = "the centres are not those of its features"
        values = one_vector(numbers, options["centres"], fault)
        require(len(values) and shared.width and len(values) % shared.width == 0, fault)
        self.centres = values.reshape(-1, shared.width)

    def squares(self, features: np.ndarray) -> np.ndarray:
        """Squared distances, (n, clusters)."""
        sums = np.zeros((len(features), len(self.centres)))
        for values, centres in zip(features.T, self.centres.T):
            differences = values[:, None] - centres
            sums += differences * differences
        return sums

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        squares = self.squares(features)
        nearest = squares.argmin(axis=1)
        cluster = np.where(np.isnan(squares[:, 0]), np.nan, nearest)
        return np.stack([cluster, np.sqrt(squares[np.arange(len(squares)), nearest])], axis=1)


class Thresholds(Kind):
    """One of each group."""

    task = "classifier"
    outputs = ("decision",)
    needs_group = True

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        self.thresholds = one_vector(numbers, options["thresholds"], NOT_THRESHOLDS)
        require(len(self.thresholds) == len(shared.groups) and shared.width == 1,
                NOT_THRESHOLDS)

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        return decisions(features[:, 0], self.thresholds[groups])[:, None]


class DrawnThresholds(Kind):
    """A draw among those of each group."""

    outputs = ("probability",)
    needs_group = True
    atoms = np.array([0.0, 1.0])

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        triples = one_vector(numbers, options["thresholds"], NOT_THRESHOLDS)
        self.network = None  # whose scores have the thresholds; None: the one feature has
        if "weights" in options:
            score = {name: options[name] for name in ("hidden", "activation", "weights")}
            self.network = Score(shared, score, numbers)
        require(len(triples) % 3 == 0 and (self.network is not None or shared.width == 1),
                NOT_THRESHOLDS)
        group, self.thresholds, self.probabilities = triples.reshape(-1, 3).T
        # Before a number becomes a whole one: NaN has none, and numpy warns.
        require(np.isin(group, np.arange(len(shared.groups))).all()
                and not np.isnan(self.thresholds).any() and (self.probabilities >= 0).all(),
                NOT_THRESHOLDS)
        self.group = group.astype(int)
        sums = np.bincount(self.group, self.probabilities, len(shared.groups))
        require((np.abs(sums - 1) <= 1e-9).all(), NOT_THRESHOLDS)

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        score = features[:, 0] if self.network is None else self.network.predict(features, None)[:, 0]
        share = np.zeros(len(features))
        for group, threshold, probability in zip(self.group, self.thresholds, self.probabilities):
            share = np.where((groups == group) & (score >= threshold), share + probability, share)
        share = np.minimum(share, 1.0)  # probabilities add up to it but for rounding
        return np.where(np.isnan(score), np.nan, share)[:, None]

    def distribution(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        share = self.predict(features, groups)[:, 0]
        return np.stack([1 - share, share], axis=1)


class Regression(Kind):
    task = "regressor"
    outputs = ("prediction",)


class BaseValues:
    """Predictions of target and groups, of which a model makes fair ones."""

    def __init__(self, shared: Shared) -> None:
        self.groups = len(shared.groups)
        require(self.groups >= 2, "fewer than two groups")
        self.fitted = "eta" in shared.numbers
        if not self.fitted:
            require(shared.width == self.groups + 1, "no columns of predictions")
            return
        width, models = shared.width + 1, self.groups if self.groups > 2 else 1
        self.eta = shared.vector("eta", width)
        self.tau = shared.vector("tau", models * width).reshape(models, width)

    def target(self, features: np.ndarray) -> np.ndarray:
        return dots(features, self.eta[1:], self.eta[0]) if self.fitted else features[:, 0]

    def of_groups(self, features: np.ndarray) -> np.ndarray:
        """Probabilities, (n, groups)."""
        if not self.fitted:
            return features[:, 1:]
        scores = [dots(features, weights[1:], weights[0]) for weights in self.tau]
        if self.groups == 2:
            return np.stack([elementary.sigmoid(-scores[0]), elementary.sigmoid(scores[0])], axis=1)
        most = np.max(scores, axis=0)
        shares = [elementary.exp(score - most) for score in scores]
        return np.stack(shares, axis=1) / in_order(shares)[:, None]


class Affine:
    """To the unit in which atoms stand, and back."""

    def __init__(self, shared: Shared) -> None:
        self.shift, self.divisor = map(float, shared.vector("scale", 2))

    def scaled(self, values: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(values), np.nan, 0.0) if self.divisor == 0 else (values - self.shift) / self.divisor

    def inverse(self, scaled: np.ndarray) -> np.ndarray:
        return scaled * self.divisor + self.shift


def grid_of(shared: Shared) -> np.ndarray:
    """Atoms l B / L, in the scaled unit."""
    half, bound = map(float, shared.vector("grid", 2))
    require(1 <= half <= MOST_ATOMS and bound > 0, "no grid of atoms")
    return np.arange(-int(half), int(half) + 1) * bound / float(int(half))


class Base(Regression):
    def __init__(self, shared: Shared, options: dict[str, str], _: Numbers) -> None:
        self.base, self.scale = BaseValues(shared), Affine(shared)
        atoms = self.scale.inverse(grid_of(shared))
        self.ends = (float(atoms[0]), float(atoms[-1])) if "clip" in options else None

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        values = self.scale.inverse(self.scale.scaled(self.base.target(features)))
        return (values if self.ends is None else np.clip(values, *self.ends))[:, None]


class Transport(Regression):
    """The base model's prediction, every group's moved to the barycentre of all."""

    needs_group = True

    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        self.base, self.scale = BaseValues(shared), Affine(shared)
        epsilon, seed = real(options["epsilon"]), whole_or_none(options["seed"])
        require(epsilon is not None and seed is not None and seed >= 0, "no epsilon or seed")
        require(options["ties"] in ("drawn", "middle"), "an unknown way with ties")
        self.drawn = options["ties"] == "drawn"
        levels, shares, values = (numbers(options[name]) for name in ("levels", "shares", "values"))
        require(len(levels) == len(shares), "steps without shares")
        self.steps, at = [], 0
        for level, share in zip(levels, shares):
            require(all(0 <= one < len(share) and one == int(one) for one in level), "a level that there is not")
            require(len(share) <= len(values) - at, "levels without predictions")
            sorted_values = [np.asarray(one, dtype=np.float64) for one in values[at:at + len(share)]]
            at += len(share)
            self.steps.append((np.asarray(level, dtype=np.float64).astype(int), share, sorted_values))
        require(at == len(values), "predictions of no level")
        require(len(self.steps) > 0, "no step")
        require(0 <= epsilon <= 1, "an epsilon beyond 0 and 1")
        self.epsilon, self.seed = epsilon, seed
        for level, share, ascending in self.steps:
            require(len(level) == len(shared.groups), "its levels are not those of its groups")
            require(len(share) > 0, "its shares are not those of its levels")
            require(all(len(one) and np.isfinite(one[[0, -1]]).all() and (np.diff(one) >= 0).all() for one in ascending),
                    "predictions of a level that do not ascend")

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        value = self.scale.inverse(self.scale.scaled(self.base.target(features)))
        fair = value
        parts = self.rank_draws(features) if self.drawn else np.full((1, len(self.steps)), 0.5)
        for (level, shares, ascending), part in zip(self.steps, parts.T):
            fair = _moved(fair, level[groups], shares, ascending, part)
        fair = (1 - self.epsilon) * fair + self.epsilon * value
        return np.where(np.isnan(value), np.nan, fair)[:, None]

    def rank_draws(self, features: np.ndarray) -> np.ndarray:
        """Uniform on [0, 1), (n, steps): which of the ranks that a prediction may have in its group it gets."""
        return np.stack([draws.rows_by_content(self.seed, features, f"transport/{step}")
                         for step in range(len(self.steps))], axis=1)


def _moved(values: np.ndarray, level: np.ndarray, shares: np.ndarray, ascending: list[np.ndarray],
           part: np.ndarray) -> np.ndarray:
    rank = np.zeros(len(values))
    for number_of, own in enumerate(ascending):
        below = np.searchsorted(own, values, side="left").astype(np.float64)
        equal = np.searchsorted(own, values, side="right") - below
        rank = np.where(level == number_of, (below + part * (equal + 1)) / float(len(own) + 1), rank)
    return in_order([share * own[np.clip(np.ceil(len(own) * rank) - 1, 0, len(own) - 1).astype(int)]
                     for share, own in zip(shares, ascending)])


class LinearTarget(Regression):
    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        self.weights = one_vector(numbers, options["weights"])
        require(len(self.weights) == shared.width + 1, "weights that are not its features'")

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        return dots(features, self.weights[1:], self.weights[0])[:, None]


class Randomised(Regression):
    """One that has a distribution over atoms for every row."""

    def __init__(self, atoms: np.ndarray, rule: str) -> None:
        require(rule in ("randomised", "argmax", "mean"), "an unknown rule")
        self.values, self.rule = atoms, rule
        self.atoms = None if rule == "mean" else atoms

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """Before the rule."""
        raise NotImplementedError

    def distribution(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        pi = self.probabilities(features)
        if self.rule != "argmax":
            return pi
        best = np.zeros_like(pi)
        best[np.arange(len(pi)), pi.argmax(axis=1)] = 1.0
        return best

    def predict(self, features: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
        return in_order([pi * atom for pi, atom in zip(self.distribution(features, groups).T, self.values)])[:, None]


class Soft(Randomised):
    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        self.scale, self.grid = Affine(shared), grid_of(shared)
        super().__init__(self.scale.inverse(self.grid), options["rule"])
        self.base, self.beta = BaseValues(shared), real(options["beta"])
        require(self.beta is not None and 0 < self.beta < math.inf, "no beta")
        self.shares = shared.vector("shares", len(shared.groups))
        multipliers = one_vector(numbers, options["multipliers"])
        half = len(self.shares) * len(self.grid)
        require(len(multipliers) == 2 * half, "the multipliers are not those of its groups and atoms")
        self.difference = (multipliers[:half] - multipliers[half:]).reshape(len(self.shares), -1)

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        error = self.scale.scaled(self.base.target(features))[:, None] - self.grid
        z = -(error * error)
        for tau, share, of_group in zip(self.base.of_groups(features).T, self.shares, self.difference):
            z += (1 - tau / share)[:, None] * of_group
        z = elementary.exp(self.beta * (z - z.max(axis=1, keepdims=True)))
        return z * (1 / sum_of_four(z))[:, None]


class Mixture(Randomised):
    def __init__(self, shared: Shared, options: dict[str, str], numbers: Numbers) -> None:
        super().__init__(one_vector(numbers, options["atoms"]), options["rule"])
        self.mixture = one_vector(numbers, options["mixture"])
        weights = numbers(options["weights"])
        self.intercept = options["intercept"] == "1"
        width = shared.width + self.intercept
        require(len(self.values) >= 2 and len(self.mixture) == len(weights) > 0, "no mixture of scores")
        require(all(len(one) == width for one in weights), "a score that is not one of its features")
        self.weights = np.array(weights)
        self.thresholds = np.arange(len(self.values)) / float(len(self.values) - 1)

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        if self.intercept:
            features = np.column_stack([np.ones(len(features)), features])
        pi, rows = np.zeros((len(features), len(self.values))), np.arange(len(features))
        for weights, probability in zip(self.weights, self.mixture):
            score = in_order([value * weight for value, weight in zip(features.T, weights)])
            reached = np.searchsorted(self.thresholds, score, side="right")
            pi[rows, np.maximum(np.where(score >= 0, reached, 0) - 1, 0)] += probability
        pi[np.isnan(features).any(axis=1)] = np.nan
        return pi


def decisions(values: np.ndarray, thresholds: np.ndarray | float) -> np.ndarray:
    return np.where(np.isnan(values), np.nan, values >= thresholds)


def in_order(terms: list[np.ndarray]) -> np.ndarray:
    """Their sum, from the first one on."""
    total = np.zeros_like(terms[0])
    for term in terms:
        total = total + term
    return total


def sum_of_four(z: np.ndarray) -> np.ndarray:
    """Of every row, as src/models/soft_prediction.cpp adds: four sums side by side."""
    sums = np.zeros((len(z), 4))
    whole_ones = z.shape[1] // 4 * 4
    for at in range(0, whole_ones, 4):
        sums += z[:, at:at + 4]
    for at in range(whole_ones, z.shape[1]):
        sums[:, 0] += z[:, at]
    return (sums[:, 0] + sums[:, 1]) + (sums[:, 2] + sums[:, 3])


def relu(values: np.ndarray) -> np.ndarray:
    return np.where(values < 0, 0.0, values)


ACTIVATIONS = {"relu": relu, "tanh": elementary.tanh, "sigmoid": elementary.sigmoid}


def layers_of(weights: np.ndarray, units: list[int]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Layer by layer the matrix (inputs, units), then the biases."""
    layers, at = [], 0
    for before, after in zip(units, units[1:]):
        matrix = weights[at:at + before * after].reshape(before, after).copy()
        at += before * after
        layers.append((matrix, weights[at:at + after].copy()))
        at += after
    return layers


def one_vector(numbers: Numbers, name: str, fault: str | None = None) -> np.ndarray:
    """@param fault  what is said where there is none, or another number of them."""
    vectors = numbers(name)
    require(len(vectors) == 1, fault or f"'{name}' is not one vector")
    return np.asarray(vectors[0], dtype=np.float64)


def whole_or_none(text: str) -> int | None:
    """As the program reads it: 64 bits."""
    found = int(text) if WHOLE.fullmatch(text.strip(BLANKS)) else None
    return found if found is not None and -2 ** 63 <= found < 2 ** 63 else None


def whole(text: str) -> int:
    found = whole_or_none(text)
    require(found is not None, "an option that is no number")
    return found


def number(text: str) -> float:
    found = real(text)
    require(found is not None, "an option that is no number")
    return found


KINDS = {"score": Score, "drawn_scores": DrawnScores, "centres": Centres, "thresholds": Thresholds,
         "drawn_thresholds": DrawnThresholds, "base": Base, "soft": Soft, "mixture": Mixture, "transport": Transport, "linear": LinearTarget}


def kind_of(shared: Shared, kind: str, options: dict[str, str], numbers: Numbers) -> Kind:
    """@throws ModelError  a kind that there is not, or numbers that do not fit."""
    require(kind in KINDS, f"'{kind[:40]}' is no kind of model that this program knows")
    try:
        return KINDS[kind](shared, options, _checked(kind, options, numbers))
    except KeyError as error:
        raise ModelError(f"no option {error}") from None


def _checked(kind: str, options: dict[str, str], numbers: Numbers) -> Numbers:
    """Thresholds may say that everybody or nobody is decided 1; no other number of a model is infinite."""
    thresholds = options["thresholds"] if kind in ("thresholds", "drawn_thresholds") else None

    def checked(name: str) -> list[np.ndarray]:
        vectors = numbers(name)
        for vector in vectors:
            good = ~np.isnan(vector) if name == thresholds else np.isfinite(vector)
            require(good.all(), f"a number of '{name[:40]}' that is not finite")
        return vectors

    return checked
