"""Model files that somebody has changed and sealed anew: the program and the Python library take and refuse the same ones."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import pathlib
import random
import re
import sys
import unittest
from collections.abc import Callable, Iterator

import numpy as np
import pandas

from model_sweeps import COLUMNS, SWEEPS, ModelTest
from program import Outcome

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

# Sweeps, and the methods of theirs that together leave every kind of model.
MODELS = {"linear training": ["alm"], "networks": ["sgd"], "one-hot without scaling": ["sgd"],
          "rates": ["reductions", "reductions --randomised", "postprocessing"], "ranking": ["score_postprocessing"],
          "regression": ["base_model", "barycenter", "bounded_group_loss"],
          "regression in another unit": ["dp_postprocessing"], "regression in three groups": ["adw"],
          "regression by two attributes": ["barycenter"], "thresholds": ["thresholds", "drawn_thresholds"],
          "clustering": ["lloyd"]}
KINDS = {"score", "drawn_scores", "centres", "thresholds", "drawn_thresholds", "base", "soft", "mixture", "transport", "linear"}
# What a member is changed to, as JSON.
VALUES = ["null", "true", "0", "1", "-1", "-2", "2", "0.5", "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "1e-400", "1e308",
          '"inf"', '"-inf"', '"nan"', '"1.5"', '" 1"', '"1_0"', '"+1"', '"1e400"', '"0x1"', '"9007199254740993"', '"7,,3"', '"7, 3"',
          '""', '"x"', '"x >= 5"', '"x >= +5"', '"x >= "', '"largest(a)"', '"\\ud800"', '"\\u00e9"', "[]", "{}", "[300]", "[-1]",
          "[1.0]", "[true]", "[97]", '["a"]', "[[0.5]]", '{"a": 1}', "18446744073709551615", "9223372036854775808", "1" * 400,
          "[" * 40 + "]" * 40]
MOST = 2  # elements of a list that are changed: the first ones
CHANGES = 60  # of a file, drawn from all
Path = tuple[object, ...]


class Raw(str):
    """JSON that stands for itself, also where it is none."""


def text_of(value: object) -> str:
    if isinstance(value, Raw):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {text_of(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return json.dumps(value)


def sealed(found: dict) -> str:
    """As a forger seals it."""
    text = "{\n" + "".join(f"{json.dumps(name)}: {text_of(value)},\n" for name, value in found.items() if name != "sha256")
    return f'{text}"sha256": "{hashlib.sha256(text.encode()).hexdigest()}"\n}}\n'


def paths_of(value: object, path: Path = ()) -> Iterator[Path]:
    """Of all members that somebody reads."""
    if path[:1] in (("card",), ("choice",), ("measures",), ("outputs",), ("needs_group",)) or path[:2] == ("provenance", "options"):
        yield path
        return
    if path:
        yield path
    members = value.items() if isinstance(value, dict) else enumerate(value[:MOST]) if isinstance(value, list) else ()
    for name, member in members:
        yield from paths_of(member, (*path, name))


def changed(found: dict, path: Path, change: Callable[[dict | list, object], None]) -> str:
    copied = copy.deepcopy(found)
    parent = copied
    for name in path[:-1]:
        parent = parent[name]
    change(parent, path[-1])
    return sealed(copied)


def replaced(value: str) -> Callable[[dict | list, object], None]:
    def change(parent: dict | list, name: object) -> None:
        parent[name] = Raw(value)

    return change


def dropped(parent: dict | list, name: object) -> None:
    del parent[name]


def repeated(parent: dict | list, name: object) -> None:
    """A member of an object is there twice under its name."""
    if isinstance(parent, list):
        parent.insert(name, parent[name])
    else:
        parent[name] = Raw(f"{text_of(parent[name])}, {json.dumps(name)}: {text_of(parent[name])}")


def doubled(parent: dict | list, name: object) -> None:
    if isinstance(parent[name], list):
        parent[name] = parent[name] * 2
    elif isinstance(parent[name], (int, float)):
        parent[name] = 2 * parent[name]


def forgeries(found: dict, draw: random.Random) -> Iterator[tuple[str, str]]:
    """What is changed, and the file: a member is dropped, is there twice, or is one of `VALUES`."""
    changes = [("dropped", dropped), ("twice", repeated), ("doubled", doubled)]
    changes += [(value[:30], replaced(value)) for value in VALUES]
    every = [(path, *change) for path in paths_of(found) for change in changes]
    for path, name, change in draw.sample(every, CHANGES):
        yield f"{'/'.join(map(str, path))}: {name}", changed(found, path, change)


class DamagedModels(ModelTest):
    def asked(self) -> Outcome:
        return self.run_program("predict", "forged.json", "--rows", "later.csv", "--csv", "-")

    def models(self) -> Iterator[tuple[str, dict]]:
        for name, methods in MODELS.items():
            self.archive_of(SWEEPS[name])
            for method in methods:
                wish = ("choose", "result.h5", "--method", *method.split())
                problem = json.loads(self.succeed(*wish, "--json"))[0]["problem"]
                self.succeed(*wish, "--problem", problem, "--model", "model.json", "--force")
                yield f"{name}, {method}", json.loads((self.folder / "model.json").read_text(encoding="utf-8"))

    def test_both_take_and_refuse_the_same_ones(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip", names=COLUMNS, skiprows=1)
        draw, kinds, verdicts = random.Random(1), set(), {True: 0, False: 0}
        for name, found in self.models():
            kinds.add(found["kind"])
            for what, text in [("as it was", sealed(found)), *forgeries(found, draw)]:
                with self.subTest(name, change=what):
                    verdicts[self.check(what, text, frame)] += 1
        self.assertEqual(kinds, KINDS)
        self.assertGreater(min(verdicts.values()), 150, verdicts)

    def check(self, what: str, text: str, frame: pandas.DataFrame) -> bool:
        """Whether both have taken it."""
        path = self.folder / "forged.json"
        path.write_text(text, encoding="utf-8")
        outcome = self.asked()
        refused = next((line for line in outcome.error.splitlines()
                        if "'forged.json' " in line and "needs the group of every row" not in line), None)
        try:
            model = fairfront_archive.load_model(path)
        except fairfront_archive.ArchiveError as error:
            self.assertIsNotNone(refused, f"Python alone refuses it: {error}; {outcome.error}")
            self.assert_told(str(error), str(path))
            self.assert_told(refused, "forged.json")
            if not what.startswith("shared/groups"):  # which many members depend on: either finds another one first
                self.assertEqual(self.fault_in(str(error)), self.fault_in(refused))
            return False
        self.assertIsNone(refused, "the program alone refuses it")
        if outcome.codes == [0]:
            said = pandas.read_csv(io.StringIO(outcome.out), float_precision="round_trip")
            predictions = model.predictions(frame).dropna()
            np.testing.assert_array_equal(predictions.to_numpy(dtype=float), said.to_numpy(dtype=float)[:len(predictions)])
            model._repr_html_()
        return True

    def fault_in(self, said: str) -> str:
        """Where it stops to be JSON is told by parsers of other words."""
        told = re.sub(r"^.*?damaged: ", "", said) if "damaged: " in said else "another file"
        return re.sub(r"it is no JSON\b[^;]*", "it is no JSON", told)

    def assert_told(self, said: str, name: str) -> None:
        """The file, the fault and the remedy, in a sentence."""
        self.assertIn(name, said)
        self.assertNotIn("\n", said)
        if "format version" not in said and "name what" not in said:
            self.assertRegex(said, "damaged: .+; take a copy of it, or write it again with `fairfront choose ARCHIVE --model FILE`")
        self.assertNotRegex(said, "Error|exception|Traceback")


if __name__ == "__main__":
    unittest.main()
