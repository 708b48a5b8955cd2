"""Fitted models without the program: what they take, what they refuse, the conventions of scikit-learn."""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import math
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
import warnings

import numpy as np
import pandas

import fairfront_archive
from fairfront_archive import (ArchiveError, FittedModel, cards, choice_values, choice_wish, elementary, group_rules,
                               json_numbers, load_model, scores, stored_models)
from fairfront_archive.model import ModelSource

SHARED = {
    "preparation": {
        "columns": [{"name": "age", "log1p": False, "filler": 40.0, "shift": 40.0, "divisor": 10.0, "place": 0},
                    {"name": "income", "log1p": True, "filler": 0.0, "shift": 0.0, "divisor": 2.0, "place": 2},
                    {"name": "region", "levels": ["north", "south", "2"], "places": [1, -1, 3],
                     "values": [1.0, 1.0, 0.5], "filler": 0}],
        "unset": [0.0, -0.25, 0.0, -0.5], "missing": "mean"},
    "groups": ["f", "m"], "numbers": {}}
SCORE = {"hidden": "", "activation": "relu", "link": "logistic", "threshold": "0.5", "weights": "weights", "data": "d"}
WEIGHTS = [0.5, 1.0, -0.25, 2.0, 0.125]
TABLE = {"region": ["south", "north", None, "west"], "income": [0.0, 9.0, np.nan, 1.0], "age": [30, 50, 40, 41]}
# Rows of the table as features.
FEATURES = [[-1.0, -0.25, 0.0, -0.5], [1.0, 1.0, np.log(10) / 2, -0.5], [0.0, 1.0, 0.0, -0.5],
            [0.1, -0.25, np.log(2) / 2, -0.5]]


def made(shared: dict = SHARED, kind: str = "score", options: dict | None = None, group: str | None = None,
         **parameters: list) -> FittedModel:
    vectors = {name: [np.array(one, dtype=float) for one in lists] for name, lists in parameters.items()}
    return FittedModel(ModelSource("here", shared, kind, SCORE if options is None else options,
                                   vectors or {"weights": [np.array(WEIGHTS)]}), group)


def changed(**members: object) -> dict:
    shared = copy.deepcopy(SHARED)
    shared["preparation"].update(members)
    return shared


class Elementary(unittest.TestCase):
    def test_errors_are_those_that_the_program_states(self) -> None:
        draw = np.random.default_rng(1)
        functions = {"exp": (np.exp, draw.uniform(-700, 700, 20000), 0.58),
                     "log": (np.log, np.exp(draw.uniform(-700, 700, 20000)), 0.88),
                     "log1p": (np.log1p, draw.uniform(-0.999, 3, 20000), 0.88),
                     "tanh": (np.tanh, draw.uniform(-25, 25, 20000), 0.69),
                     "expm1": (np.expm1, draw.uniform(-3, 3, 20000), 0.80),
                     "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), draw.uniform(-40, 40, 20000), 0.58)}
        for name, (precise, x, most) in functions.items():
            with self.subTest(name):
                found, exact = getattr(elementary, name)(x), precise(x.astype(np.longdouble))
                error = np.abs(found - exact) / np.spacing(np.abs(found))
                self.assertLess(float(error.max()), most + 0.02)

    def test_ends(self) -> None:
        ends = np.array([-np.inf, np.inf, np.nan, 0.0])
        np.testing.assert_array_equal(elementary.exp(ends), [0, np.inf, np.nan, 1])
        np.testing.assert_array_equal(elementary.log(ends), [np.nan, np.inf, np.nan, -np.inf])
        np.testing.assert_array_equal(elementary.tanh(ends), [-1, 1, np.nan, 0])
        np.testing.assert_array_equal(elementary.sigmoid(ends), [0, 1, np.nan, 0.5])


class Rows(unittest.TestCase):
    def test_columns_become_features(self) -> None:
        model = made()
        np.testing.assert_allclose(model.transform(TABLE), FEATURES, rtol=1e-15)
        self.assertEqual(model.get_feature_names_out().tolist(), ["age", "region=north", "income", "region=2"])
        scores = np.array(FEATURES) @ WEIGHTS[:4] + WEIGHTS[4]
        np.testing.assert_allclose(model.decision_function(TABLE), scores, rtol=1e-14)
        np.testing.assert_allclose(model.predict_proba(TABLE)[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-14)
        np.testing.assert_array_equal(model.predict(TABLE), (scores >= 0).astype(int))
        self.assertEqual(model.predict(TABLE).dtype, np.int64)

    def test_frames_dicts_and_arrays_are_the_same(self) -> None:
        model, frame = made(), pandas.DataFrame(TABLE)
        expected = model.predictions(TABLE)
        self.assertEqual(list(expected.columns), ["score", "probability", "decision"])
        for rows in (frame[["age", "region", "income"]], frame.assign(more=1),
                     frame[["age", "income", "region"]].to_numpy(), frame[["age", "income", "region"]].values.tolist()):
            pandas.testing.assert_frame_equal(model.predictions(rows), expected, check_exact=True)
        self.assertEqual(list(model.predictions(frame.set_index(pandas.Index("abcd"[i] for i in range(4)))).index),
                         list("abcd"))
        self.assertEqual(model.predict(frame[:0]).shape, (0,))

    def test_bits_of_a_row_do_not_depend_on_those_beside_it(self) -> None:
        draw = np.random.default_rng(2)
        frame = pandas.DataFrame({"age": draw.normal(40, 9, 200), "income": draw.exponential(5, 200),
                                  "region": draw.choice(["north", "south"], 200)})
        model = made()
        whole = model.decision_function(frame)
        np.testing.assert_array_equal(np.concatenate([model.decision_function(frame[i:i + 7])
                                                      for i in range(0, 200, 7)]), whole)
        with unittest.mock.patch("fairfront_archive.model.ROWS_AT_ONCE", 3):
            np.testing.assert_array_equal(model.decision_function(frame), whole)

    def test_sparse_columns_are_those_that_they_stand_for(self) -> None:
        frame = pandas.DataFrame({**TABLE, "age": [0, 50, 0, 41]})
        expected = made().predictions(frame)
        sparse = frame.assign(age=pandas.arrays.SparseArray(frame["age"]), income=frame["income"].astype(pandas.SparseDtype("float32")),
                              region=pandas.arrays.SparseArray(frame["region"].to_numpy(), fill_value="north"))
        pandas.testing.assert_frame_equal(made().predictions(sparse), expected, check_exact=True)
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, name) for name in ("dense.csv", "sparse.csv")]
            for table, file in zip((frame, sparse), files):
                fairfront_archive.write_table(table, file)
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_names_are_told_as_a_csv_would_hold_them(self) -> None:
        model, table = made(), {"age": [40, 40, 40], "income": [0, 0, 0]}
        expected = model.transform({**table, "region": ["2", "2", "north"]})
        for region in ([2, "2", " north "], [2.0, np.str_("2"), "north"], pandas.Series([2, "2", "?"], dtype=object)):
            np.testing.assert_array_equal(model.transform({**table, "region": region}), expected)
        categories = pandas.Categorical(["2", "2", "north"])
        np.testing.assert_array_equal(model.transform({**table, "region": categories}), expected)

    def test_rules_for_missing_cells(self) -> None:
        with self.assertRaisesRegex(ValueError, "row 2, column 'income': the cell is missing"):
            made(changed(missing="error")).predict(TABLE)
        decided = made(changed(missing="drop")).predict(TABLE)
        self.assertEqual(np.isnan(decided).tolist(), [False, False, True, False])

    def test_what_is_wrong_is_named(self) -> None:
        model = made()
        for change, words in (({"age": ["old"] * 4}, "row 0, column 'age': the cell must be a finite number"),
                              ({"age": [1, 1e101, 1, 1]}, "row 1, column 'age': .* up to 1e100"),
                              ({"income": [0, 0, -1, 0]}, r"row 2, column 'income': log\(1 \+ x\)")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                model.predict({**TABLE, **change})
        with self.assertRaisesRegex(ValueError, "no column 'income'; the model reads age, income, region"):
            model.predict({"age": [1], "region": ["north"]})
        written = io.StringIO("region, age, income\nnorth, 1, 2\n")
        with self.assertRaisesRegex(ValueError, r"' age' has a blank: pandas.read_csv\(..., skipinitialspace=True\)"):
            model.predict(pandas.read_csv(written))
        written.seek(0)
        model.predict(pandas.read_csv(written, skipinitialspace=True))
        for rows in ({**TABLE, "age": [1]}, dict.fromkeys(TABLE, 1)):
            with self.assertRaisesRegex(ValueError, "columns of the same length, with one cell for each row"):
                model.predict(rows)
        series = {name: pandas.Series(cells) for name, cells in TABLE.items()}
        np.testing.assert_array_equal(model.predict(series), model.predict(TABLE))
        for age in (series["age"].set_axis([7, 8, 9, 10]), series["age"].iloc[:3], series["age"].iloc[::-1]):
            with self.assertRaisesRegex(ValueError, "a dict of rows must hold Series of one index"):
                model.predict({**series, "age": age})
        for region, words in (("nor\0th", "row 1, column 'region': the cell has a zero byte"), ("\ud800", "half a character")):
            with self.assertRaisesRegex(ValueError, words):
                model.predict({**TABLE, "region": ["north", region, "north", "north"]})
        with self.assertRaisesRegex(ValueError, r"shape \(n, 3\)"):
            model.predict(np.ones((4, 2)))
        with self.assertRaisesRegex(AttributeError, "says no cluster"):
            model._column("cluster", TABLE, None)
        for asked in ({"draw": 1}, {"atoms": True}):
            with self.subTest(asked), self.assertRaisesRegex(ValueError, "not drawn"):
                model.predictions(TABLE, **asked)
        with self.assertRaisesRegex(ValueError, "must be real numbers"):
            model.predict({**TABLE, "age": [1j] * 4})
        with self.assertRaisesRegex(ValueError, "balance is of clusters, and this model has none"):
            model.predictions(TABLE, balance=0.5)
        centres = made(kind="centres", options={"centres": "centres"}, centres=[[0.0] * 8])
        for balance in (-0.1, 1.1, np.nan, "half"):
            with self.subTest(balance), self.assertRaisesRegex(ValueError, r"balance = .*, must be in \[0, 1\]"):
                centres.predictions(TABLE, groups=["f", "m"] * 2, balance=balance)
        with self.assertRaisesRegex(ValueError, "until_proven is of the search behind balance"):
            centres.predictions(TABLE, groups=["f", "m"] * 2, until_proven=True)
        self._refused_by_the_program(centres)
        levels = pandas.DataFrame(TABLE)
        levels.columns = pandas.MultiIndex.from_product([levels.columns, ["a"]])
        with self.assertRaisesRegex(ValueError, "several levels"):
            model.predict(levels)

    def test_the_program_is_asked_for_a_proof_where_one_is_wanted(self) -> None:
        """What it says while it searches is not what it says of the assignment."""
        centres = made(kind="centres", options={"centres": "centres"}, centres=[[0.0] * 8])
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            program.write_text(
                "#!/bin/sh\ncat >/dev/null\nprintf 'cluster,distance\\n0,1\\n0,1\\n0,1\\n0,1\\n'\n"
                "echo 'cost 2, lower bound 1, gap 0.5' >&2\necho \"asked: $*\" >&2\n", encoding="utf-8")
            program.chmod(0o755)
            with unittest.mock.patch.dict("os.environ", {"FAIRFRONT": str(program)}):
                for until_proven in (False, True):
                    found = centres.predictions(TABLE, groups=["f", "m"] * 2, balance=0.5, until_proven=until_proven)
                    said = found.attrs["assignment"]
                    self.assertRegex(said, "^asked: predict .* --balance 0.5")
                    self.assertEqual("--until-proven" in said, until_proven)

    def _refused_by_the_program(self, centres: FittedModel) -> None:
        """A balance that the rows do not allow is a bad argument, a program that fails is none."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            for code, is_bad_argument in ((2, True), (5, False)):
                program.write_text(f"#!/bin/sh\ncat >/dev/null\necho 'fairfront: error: no assignment' >&2; exit {code}\n",
                                   encoding="utf-8")
                program.chmod(0o755)
                with self.subTest(code), unittest.mock.patch.dict("os.environ", {"FAIRFRONT": str(program)}), \
                        self.assertRaisesRegex(ArchiveError, "no assignment") as told:
                    centres.predictions(TABLE, groups=["f", "m"] * 2, balance=0.5)
                self.assertEqual(isinstance(told.exception, ValueError), is_bad_argument)

    def test_numbers_are_those_that_the_program_reads(self) -> None:
        model = made()
        for text, value in ((" 1\t", 1), ("+5", 5), (".5", 0.5), ("5.", 5), ("-1E2", -100), ("0e-400", 0), ("1e-400", 0),
                            ("1e-310", 1e-310)):
            with self.subTest(text):
                np.testing.assert_array_equal(model.transform({**TABLE, "age": [text] * 4}),
                                              model.transform({**TABLE, "age": [value] * 4}))
        for text in ("1_0", "\u0661", "\xa01", "1\n", "\x0b1", "1e400", "nan", "inf", "0x1p3",
                     "+-5", "1e", ".", "1,5"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "column 'age': the cell must be a finite"):
                model.predict({**TABLE, "age": [text] * 4})

    def test_arguments_of_a_wrong_kind_are_told(self) -> None:
        for given in (5, [1], [None]):
            with self.subTest(given), self.assertRaisesRegex(ArchiveError, "bound = .*, must be a text or several"):
                choice_wish.texts_of("bound", given)
        self.assertEqual([choice_wish.texts_of("bound", given) for given in (None, "a", ("a", "b"))], [[], ["a"], ["a", "b"]])
        for given in ("x", True, False, np.True_, 1.0):
            with self.subTest(given), self.assertRaisesRegex(ArchiveError, f"^task = {re.escape(repr(given))}, must be a whole number$"):
                stored_models._whole("task", given)
        self.assertEqual([stored_models._whole("task", given) for given in (1, np.int32(1))], [1, 1])
        for given, words in (({"frame": [1]}, "frame is of the type list"), ({"ranks": 0}, "ranks = 0, must be"),
                             ({"ranks": True}, "ranks = True, must be")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fairfront_archive.run({}, **given)

    def test_what_is_no_path_is_told(self) -> None:
        """Once a TypeError of os.fspath, or an UnicodeError."""
        model, frame = made(), pandas.DataFrame(TABLE)
        calls = {"path": (fairfront_archive.open, fairfront_archive.Archive, load_model, model.to_onnx,
                          lambda path: fairfront_archive.write_table(frame, path)),
                 "config": (fairfront_archive.run,),
                 "output": (lambda path: fairfront_archive.run({}, output=path),),
                 "data_dir": (lambda path: fairfront_archive.run({}, data_dir=path),)}
        for name, of_name in calls.items():
            for call in of_name:
                for given in (3, 1.5, ["a.h5"], "a\0b", "\ud800.h5", *([None] if name == "path" else [])):
                    with self.subTest(name, given=given), self.assertRaisesRegex(ArchiveError, f"^{name} = ") as told:
                        call(given)
                    self.assertNotIn("\n", str(told.exception))
        for words in ("--force", [1], 5):
            with self.assertRaisesRegex(ArchiveError, "^arguments = .*, must be a list of texts"):
                fairfront_archive.run({}, arguments=words)

    def test_cells_that_no_file_holds_are_told(self) -> None:
        """Once an UnicodeEncodeError, and a zero byte was written."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.csv")
            for cell, words in (("a\ud800", "half a character"), ("a\0b", "a zero byte"), (b"a\0", "a zero byte"), (b"\xff", "no UTF-8")):
                for cells in (["x", cell], pandas.Categorical(["x", cell])):
                    with self.subTest(cell), self.assertRaisesRegex(fairfront_archive.InputError, "^row 1, column 'b': .*" + words):
                        fairfront_archive.write_table(pandas.DataFrame({"a": [1, 2], "b": cells}), path)
            with self.assertRaisesRegex(ArchiveError, "the name of column 'a.*' has half a character"):
                fairfront_archive.write_table(pandas.DataFrame({"a\ud800": [1]}), path)
            with self.assertRaisesRegex(ArchiveError, "frame is of the type list"):
                fairfront_archive.write_table([1], path)
            self.assertFalse(path.exists())
            with self.assertRaisesRegex(ArchiveError, "none/rows.csv: cannot be written"):
                fairfront_archive.write_table(pandas.DataFrame({"a": [1]}), pathlib.Path(folder, "none", "rows.csv"))

    def test_bounds_are_numbers_of_the_same_grammar(self) -> None:
        self.assertEqual(choice_values.bound_of(" gap <= +.5 ").limit, 0.5)
        for text in ("gap<=1_0", "gap<=\u0661", "gap<=inf", "gap<=nan", "gap<0.1", "<=1", "gap<="):
            with self.subTest(text), self.assertRaisesRegex(ArchiveError, "must be NAME<=NUMBER"):
                choice_values.bound_of(text)

    def test_groups_are_an_array_or_a_column(self) -> None:
        options = {**SCORE, "moved_group": "1"}
        weights = [[*WEIGHTS, -1.0, 0.5]]
        model, plain = made(options=options, weights=weights), made()
        self.assertTrue(model.needs_group)
        names = ["m", "f", "m", "f"]
        moved = model.decision_function(TABLE, groups=names)
        scores = plain.decision_function(TABLE)
        np.testing.assert_array_equal(moved, np.where(np.array(names) == "m", -scores + 0.5, scores))
        by_column = made(options=options, group="sex", weights=weights)
        np.testing.assert_array_equal(by_column.decision_function({**TABLE, "sex": names}), moved)
        for given, words in ((None, "needs the group of every row"), (["m", "f", "x", "f"], "row 2: the group must be"),
                             (["m"], "1 groups of 4 rows")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                model.predict(TABLE, groups=given)
        with self.assertRaisesRegex(ValueError, "no column 'sex', which `group` names"):
            by_column.predict(TABLE)

    def test_groups_of_a_series_go_by_its_index(self) -> None:
        """Once by position, whatever the index was."""
        model = made(options={**SCORE, "moved_group": "1"}, weights=[[*WEIGHTS, -1.0, 0.5]])
        frame = pandas.DataFrame(TABLE, index=list("abcd"))
        groups = pandas.Series(["m", "f", "m", "f"], index=list("abcd"))
        expected = model.decision_function(frame, groups=groups.to_numpy())
        for given in (groups, groups[::-1], groups.iloc[[2, 0, 3, 1]].astype("category")):
            np.testing.assert_array_equal(model.decision_function(frame, groups=given), expected)
            np.testing.assert_array_equal(model.predictions(frame, groups=given)["score"], expected)
        twice = frame.set_axis(list("aabb"))  # the very index says which row is which, also where it has no single names
        np.testing.assert_array_equal(model.decision_function(twice, groups=groups.set_axis(twice.index)), expected)
        np.testing.assert_array_equal(model.decision_function(TABLE, groups=groups), expected)  # no index but that of groups
        of_series = {name: frame[name] for name in frame}
        np.testing.assert_array_equal(model.decision_function(of_series, groups=groups[::-1]), expected)
        for rows, given in ((frame, groups.reset_index(drop=True)), (frame, groups[:3]), (twice, groups.set_axis(list("abab"))),
                            (frame, groups.set_axis(list("abcc")))):
            with self.assertRaisesRegex(ValueError, "the index of groups is not that of the rows"):
                model.predict(rows, groups=given)
        for given, words in (("sex", "groups = 'sex', must be the name of every row's group; `group` names a column"),
                             (5, "groups = 5, must be"), (groups.to_frame(), "groups is a pandas.DataFrame, must be one column")):
            with self.assertRaisesRegex(ValueError, words):
                model.predict(frame, groups=given)


RULES = [{"attribute": "25 <= age <= 60", "levels": ["other", "25 <= age <= 60"], "names": ["other", "25 <= age <= 60"]},
         {"attribute": "sex", "levels": ["f", "m"], "names": ["women", "m"], "others": "m"}]


class Groups(unittest.TestCase):
    """Found by what a row is, as in training."""

    def model(self, rules: list, groups: list[str], **members: object) -> FittedModel:
        shared = {**changed(**members), "group_rules": rules, "groups": groups}
        return made(shared, options={**SCORE, "moved_group": "1"}, weights=[[*WEIGHTS, 0.0, 7.0]])

    def moved(self, model: FittedModel, table: object) -> list[bool]:
        """Whether rows are in the group of number 1."""
        return (model.decision_function(table) == 7).tolist()

    def test_of_comparisons_and_names_together(self) -> None:
        groups = ["other x m", "25 <= age <= 60 x women", "25 <= age <= 60 x m", "other x women"]
        model = self.model(RULES, groups)
        self.assertEqual(model.group_columns, ("age", "sex"))
        table = {"age": [30, 60, 25, 61], "sex": ["f", "f", "d", "f"], "income": [0] * 4, "region": ["north"] * 4}
        self.assertEqual(self.moved(model, table), [True, True, False, False])
        self.assertEqual(self.moved(model, pandas.DataFrame(table)[::-1]), [False, False, True, True])
        self.assertEqual(model.decision_function(table, groups=groups).tolist().count(7.0), 1)  # told ones come first

    def test_every_comparison(self) -> None:
        ages = [24.5, 25.0, 60.0]
        for text, passed in (("age < 25", [1, 0, 0]), ("age <= 25", [1, 1, 0]), ("age > 25.0", [0, 0, 1]),
                             ("age >= 25", [0, 1, 1]), ("age == 25", [0, 1, 0]), ("age != 25", [1, 0, 1]),
                             ("24.5 < age < 60", [0, 1, 0]), (" 24.5 <= age < 60", [1, 1, 0])):
            with self.subTest(text):
                name = text.strip()
                model = self.model([{"attribute": text, "levels": ["other", name], "names": ["other", name]}],
                                   ["other", name])
                table = np.array([[age, 0.0, "north"] for age in ages], dtype=object)  # columns of the model suffice
                self.assertEqual(self.moved(model, table), [bool(one) for one in passed])

    def test_of_the_largest_column_and_of_equal_ones_the_first(self) -> None:
        rules = [{"attribute": "largest(black, white)", "levels": ["black", "white"], "names": ["black", "white"]}]
        model = self.model(rules, ["black", "white"])
        table = {**TABLE, "black": [1, 2, 3, 0.5], "white": [2, 2, 1, 0.75]}
        self.assertEqual(self.moved(model, table), [True, False, False, True])

    def test_of_the_largest_column_names_may_stand_in_quotes(self) -> None:
        for text, names in (('largest("share, black", white)', ["share, black", "white"]),
                            ('largest( "a ""b"" (" , " white" )', ['a "b" (', " white"])):
            with self.subTest(text):
                model = self.model([{"attribute": text, "levels": names, "names": names}], names)
                table = {**TABLE, names[0]: [1, 2, 3, 0.5], names[1]: [2, 2, 1, 0.75]}
                self.assertEqual(self.moved(model, table), [True, False, False, True])

    def test_what_is_wrong_is_named(self) -> None:
        model = self.model(RULES, ["other x m", "25 <= age <= 60 x women"], missing="error")
        table = {"age": [70, 30], "income": [0, 0], "region": ["north"] * 2}
        for sex, words in ((["m", "m"], "row 1 is in none of the groups that the model knows, .* in training: other x m, "),
                           (["m", None], "row 1, column 'sex': the cell is missing, and the group")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                model.predict({**table, "sex": sex})
        with self.assertRaisesRegex(ValueError, "no column 'sex', by which groups are found"):
            model.predict(table)
        named = self.model([{**RULES[1], "others": ""} | {"names": ["f", "m"]}], ["m", "f"])
        del named.source.shared["group_rules"][0]["others"]
        named.__init__(named.source)
        with self.assertRaisesRegex(ValueError, "row 1, column 'sex': the cell must be one of f, m"):
            named.predict({**table, "sex": ["f", "x"]})

    def test_nobody_looks_at_the_group_of_a_row_that_is_left_out(self) -> None:
        model = self.model(RULES[1:], ["m", "women"], missing="drop")
        table = {"age": [np.nan, 30, 30], "income": [0, 0, 0], "region": ["north", "north", None], "sex": [None, "f", "f"]}
        self.assertEqual(self.moved(model, table), [False, True, False])
        self.assertEqual(np.isnan(model.predict(table)).tolist(), [True, False, True])

    def test_a_row_without_a_group_is_left_out_unless_a_missing_cell_is_an_error(self) -> None:
        table = {"age": [30, 30, 30], "income": [0, 0, 0], "region": ["north"] * 3}
        sexes = ["f", None, "m"]
        for model, given in ((self.model(RULES[1:], ["m", "women"], missing="drop"), {**table, "sex": sexes}),
                             (self.model(RULES[1:], ["m", "women"], missing="mean"), {**table, "sex": sexes}),
                             (self.model(RULES[1:], ["m", "women"], missing="zero"), {**table, "sex": sexes}),
                             (made(changed(missing="drop"), options={**SCORE, "moved_group": "1"}, group="sex",
                                   weights=[[*WEIGHTS, 0.0, 7.0]]), {**table, "sex": sexes})):
            self.assertEqual(np.isnan(model.predict(given)).tolist(), [False, True, False])
        model = self.model(RULES[1:], ["m", "women"], missing="error")
        with self.assertRaisesRegex(ValueError, "row 1, column 'sex'"):
            model.predict({**table, "sex": sexes})

    def test_rules_that_are_none_are_told(self) -> None:
        for rule in ({**RULES[1], "names": ["f"]}, {**RULES[0], "attribute": "a < b < c"}, {"attribute": "sex"},
                     {**RULES[0], "attribute": "1 < a < 2 < 3"}, {**RULES[0], "attribute": "age > old"},
                     {**RULES[0], "attribute": "largest(a)"}, {**RULES[0], "attribute": 'largest("a, b)'},
                     {**RULES[0], "attribute": 'largest("a" b, c)'}, {**RULES[0], "attribute": "1 == age < 2"}):
            with self.subTest(rule), self.assertRaisesRegex(ArchiveError, "a model that is damaged"):
                self.model([rule], ["other", "m"])


class OwnUnit(unittest.TestCase):
    BASE = {"scale": [0.0, 1.0], "grid": [2.0, 1.0], "eta": [0.0, 1.0, 0.0, 0.0, 0.0], "tau": [0.0] * 5}

    def test_a_prepared_target_comes_back(self) -> None:
        for unit, own in (([3.0, 2.0, 1.0, 8.0], lambda x: 8 * np.expm1(2 * x + 3)),
                          ([3.0, 2.0, 0.0, 8.0], lambda x: 8 * (2 * x + 3))):
            shared = {**copy.deepcopy(SHARED), "numbers": {**self.BASE, "target_unit": unit}}
            found = made(shared, "base", {"data": "d"}).predictions(TABLE)
            self.assertEqual(list(found.columns), ["prediction", "prediction_in_own_unit"])
            np.testing.assert_allclose(found["prediction_in_own_unit"], own(found["prediction"]), rtol=1e-14)

    def test_of_a_distribution_it_is_the_expected_value(self) -> None:
        shared = {**copy.deepcopy(SHARED), "numbers": {"target_unit": [0.0, 1.0, 1.0, 1.0]}}
        model = made(shared, "mixture", {"rule": "randomised", "intercept": "1", "atoms": "atoms", "weights": "weights",
                                         "mixture": "mixture"},
                     atoms=[[0.0, 1.0, 4.0]], mixture=[[0.25, 0.75]], weights=[[0.6, 0, 0, 0, 0], [1.0, 0, 0, 0, 0]])
        found = model.predictions(TABLE, draw=3)
        self.assertEqual(list(found.columns), ["prediction", "prediction_in_own_unit", "drawn", "drawn_in_own_unit"])
        np.testing.assert_allclose(found["prediction"], 0.25 * 1 + 0.75 * 4, rtol=1e-15)
        np.testing.assert_allclose(found["prediction_in_own_unit"], 0.25 * np.expm1(1) + 0.75 * np.expm1(4), rtol=1e-15)
        np.testing.assert_allclose(found["drawn_in_own_unit"], np.expm1(found["drawn"]), rtol=1e-15)
        pandas.testing.assert_frame_equal(model.predictions(TABLE, draw=np.int64(3)), found)
        for seed in (-1, 2 ** 63, 1.5, "3", True, np.True_):
            with self.subTest(seed), self.assertRaisesRegex(ValueError, "draw must be a whole number"):
                model.predictions(TABLE, draw=seed)

    def test_atoms_are_named_as_the_program_names_them(self) -> None:
        atoms = [-1e22, -0.1, 0.0, 1e-5, 1.0, 100000.0, 123456.0, 2.0 ** 60]
        model = made(kind="mixture", options={"rule": "randomised", "intercept": "1", "atoms": "atoms",
                                              "weights": "weights", "mixture": "mixture"},
                     atoms=[atoms], mixture=[[1.0]], weights=[[0.6, 0, 0, 0, 0]])
        names = ["-1e+22", "-0.1", "0", "1e-05", "1", "1e+05", "123456", "1152921504606846976"]  # of std::to_chars
        self.assertEqual(list(model.predictions(TABLE, atoms=True).columns[1:]), [f"probability_of_{n}" for n in names])

    def test_a_unit_that_is_none_is_told(self) -> None:
        shared = {**copy.deepcopy(SHARED), "numbers": {**self.BASE, "target_unit": [1.0]}}
        with self.assertRaisesRegex(ArchiveError, "no unit of the target"):
            made(shared, "base", {"data": "d"})


class Conventions(unittest.TestCase):
    def test_clone_as_scikit_learn_does_it(self) -> None:
        model = made(group="sex")
        parameters = {name: copy.deepcopy(value) for name, value in model.get_params(deep=False).items()}
        again = type(model)(**parameters)
        for name, value in again.get_params(deep=False).items():
            self.assertIs(value, parameters[name])
        np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))
        self.assertEqual(again.fit(TABLE, [0] * 4).set_params(group="ward").group, "ward")
        with self.assertRaisesRegex(ValueError, "no parameter 'grup'"):
            again.set_params(grup="ward")

    def test_attributes(self) -> None:
        model = made()
        self.assertEqual(model.feature_names_in_.tolist(), ["age", "income", "region"])
        self.assertEqual(model.n_features_in_, 3)
        self.assertEqual(model.classes_.tolist(), [0, 1])
        self.assertEqual(model._estimator_type, "classifier")
        self.assertTrue(model.__sklearn_is_fitted__())

    def test_classes_are_the_columns_of_the_probabilities_also_of_drawn_decisions(self) -> None:
        """Once whoever wanted the column of 1, as scikit-learn's tools do, found none of a drawn classifier."""
        network = {"hidden": "", "activation": "relu"}
        triples = [group + [share] for group in ([0.0, 0.1], [1.0, -0.2]) for share in (0.5, 0.5)]
        drawn = [made(kind="drawn_scores", options={**network, "members": "members", "shares": "shares"},
                      members=[WEIGHTS, WEIGHTS[::-1]], shares=[[0.25, 0.75]]),
                 made(kind="drawn_thresholds", options={**network, "weights": "weights", "thresholds": "thresholds"},
                      weights=[WEIGHTS], thresholds=[sum(triples, [])])]
        groups = ["f", "m", "f", "m"]
        options = {**network, "weights": "weights", "thresholds": "thresholds"}
        for group in (math.nan, math.inf, 1e300, 0.5, -1.0, 2.0):
            with warnings.catch_warnings(), self.assertRaisesRegex(ArchiveError, "thresholds"):
                warnings.simplefilter("error")  # numpy's, of a number that no whole one is
                made(kind="drawn_thresholds", options=options, weights=[WEIGHTS], thresholds=[sum(triples, []) + [group, 0.0, 0.0]])
        for model in drawn:
            self.assertEqual(model.output_names, ("probability",))
            self.assertEqual(model.classes_.tolist(), [0, 1])
            share = model.predict_proba(TABLE, groups)[:, model.classes_.tolist().index(1)]
            np.testing.assert_array_equal(share, model.predict(TABLE, groups))
            self.assertIsNone(model._estimator_type, "predict has shares, which are no classes")
        self.assertFalse(hasattr(made(kind="centres", options={"centres": "centres"}, centres=[[0.0] * 8]), "classes_"))

    def test_with_scikit_learn(self) -> None:
        if importlib.util.find_spec("sklearn") is None:
            self.skipTest("scikit-learn is not installed")
        from sklearn import base, pipeline
        model, frame = made(), pandas.DataFrame(TABLE)
        whole = pipeline.make_pipeline(base.clone(model))
        np.testing.assert_array_equal(whole.predict(frame), model.predict(frame))
        np.testing.assert_array_equal(whole.predict_proba(frame), model.predict_proba(frame))
        features = pipeline.make_pipeline(model, "passthrough").fit_transform(frame)
        np.testing.assert_array_equal(features, model.transform(frame))
        self.assertTrue(base.is_classifier(model))

    def test_score_is_that_of_scikit_learn(self) -> None:
        if importlib.util.find_spec("sklearn") is None:
            self.skipTest("scikit-learn is not installed")
        from sklearn import metrics, pipeline
        model, frame, truth, weights = made(), pandas.DataFrame(TABLE), [0, 1, 1, 0], [1.0, 2.0, 0.5, 4.0]
        self.assertEqual(pipeline.make_pipeline(model).score(frame, truth), metrics.accuracy_score(truth, model.predict(frame)))
        self.assertAlmostEqual(model.score(frame, truth, weights),
                               metrics.accuracy_score(truth, model.predict(frame), sample_weight=weights), delta=1e-15)
        shares = pandas.DataFrame({"probability": [0.25, 0.5, 1.0]})
        self.assertEqual(scores.accuracy(shares, [1, 0, 1], None), (0.25 + 0.5 + 1) / 3)
        target, found = [1.0, 2.0, 4.0], pandas.DataFrame({"prediction": [1.5, 1.0, 3.5], "prediction_in_own_unit": [0.0] * 3})
        self.assertAlmostEqual(scores.r_squared(found, target, weights[:3]),
                               metrics.r2_score(target, found["prediction"], sample_weight=weights[:3]), delta=1e-15)

    def test_score_counts_no_row_that_is_left_out_and_refuses_what_is_no_truth(self) -> None:
        found = pandas.DataFrame({"decision": [1.0, math.nan, 0.0]})
        self.assertEqual(scores.accuracy(found, [1, 1, 1], None), 0.5)
        for truth, weights, words in (([1, 0], None, "one number for each of the 3 rows"), ([1, 1, 2], None, "0 and 1"),
                                      (["yes", "no", "no"], None, "y must hold numbers"), ([1, 0, math.nan], None, "missing"),
                                      ([1, 0, 1], [0, 1, 0], "at least 0, and one above")):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                scores.accuracy(found, truth, weights)
        with self.assertRaisesRegex(ValueError, "same truth"):
            scores.r_squared(pandas.DataFrame({"prediction": [1.0, 2.0]}), [3, 3], None)
        with self.assertRaisesRegex(AttributeError, "has no score"):
            made(kind="centres", options={"centres": "centres"}, centres=[[0.0] * 8]).score(TABLE, [0] * 4)

    def test_copies_and_pickles_of_processes_predict_the_same(self) -> None:
        model = made()
        for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(again.decision_function(TABLE), model.decision_function(TABLE))

    def test_rules_of_groups_by_comparisons_can_be_pickled(self) -> None:
        ages = np.array([24.0, 25.0, 40.0, math.nan])
        for text, passed in (("age >= 25", [False, True, True, False]), ("25 <= age < 40", [False, True, False, False]),
                             ("age != 40", [True, True, False, True]), ("age == x", [False] * 4)):
            with self.subTest(text):
                _, test = group_rules._parsed(text)
                np.testing.assert_array_equal(test(ages), passed)
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(test))(ages), passed)

    def test_the_card_says_what_becomes_of_missing_cells_by_the_rule(self) -> None:
        """It once named a filler where rows are left out or refused."""
        for rule, number, name in (("mean", "40 where it is missing", " where it is missing"),
                                   ("zero", "40 where it is missing", " where it is missing"),
                                   ("drop", "a row in which it is missing is left out", "a row in which it is missing is left out"),
                                   ("error", "a missing cell is refused", "a missing cell is refused")):
            with self.subTest(rule):
                inputs = cards.inputs_of(made(changed(missing=rule))._shared.preparation)
                self.assertTrue(inputs[0].endswith("a number; " + number), inputs)
                self.assertTrue(inputs[-1].endswith(name), inputs)
                self.assertIn("any other name counts as none of them; ", inputs[-1])

    def test_infinite_values_are_told_apart_from_unknown_ones(self) -> None:
        values = [0.5, math.inf, -math.inf, math.nan]
        told = [json_numbers.to_json(value) for value in values]
        self.assertEqual(told, [0.5, "inf", "-inf", None])
        np.testing.assert_array_equal([json_numbers.from_json(one) for one in json.loads(json.dumps(told))], values)
        about = {"choice": {"values": {"ratio": {"decided": "inf", "reported": 2.0, "low": 1.0, "high": "inf"}}}}
        self.assertIn("inf decided, 2 [1, inf] reported", cards.html_of(about, "here"))

    def test_names_of_the_card_are_quoted_where_a_list_would_part_them(self) -> None:
        self.assertEqual(cards.names_text(["a b", "Praha, 1", 'O"Brien', " x", "f(a)", "(", ""]),
                         'a b, "Praha, 1", "O""Brien", " x", f(a), "(", ""')

    def test_a_notebook_shows_the_card_and_no_markup_of_others(self) -> None:
        shared = copy.deepcopy(SHARED)
        shared["preparation"]["columns"][0]["name"] = "<script>"
        text = made(shared)._repr_html_()
        self.assertIn("&lt;script&gt;: a number; 40 where it is missing", text)
        self.assertNotIn("<script", text)
        self.assertIn("not needed to predict a row", text)


class Damaged(unittest.TestCase):
    def test_models_that_do_not_fit_are_told_in_a_line(self) -> None:
        cases = [(made, {"weights": [WEIGHTS[:4]]}, "4 weights, must be 5"), (made, {"weights": []}, "not one vector"),
                 (made, {"options": {**SCORE, "hidden": "0"}}, "so many units"),
                 (made, {"options": {**SCORE, "hidden": "x"}}, "no number"),
                 (made, {"options": {**SCORE, "activation": "__import__"}}, "unknown activation"),
                 (made, {"options": {}}, "no option 'weights'"), (made, {"kind": "Kind"}, "no kind of model"),
                 (made, {"kind": "soft", "options": {"rule": "mean"}}, "no 2 numbers 'scale'"),
                 (made, {"kind": "thresholds", "options": {"thresholds": "weights"}}, "not those of a score"),
                 (made, {"shared": {}}, 'its "preparation" is missing'), (made, {"shared": []}, 'its "preparation" is missing'),
                 (made, {"shared": changed(missing="guess")}, "unknown rule"),
                 (made, {"shared": changed(unset=[0.0])}, "feature that there is not"),
                 (made, {"shared": changed(unset="0")}, "no list"),
                 (made, {"shared": changed(columns=SHARED["preparation"]["columns"] * 2)}, "one name")]
        for make, given, words in cases:
            with self.subTest(words), self.assertRaisesRegex(ArchiveError, f"^here: a model that is damaged.*{words}"):
                make(**given)

    def test_files(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "model.json"
        origin = {"archive_digest": "d", "key": "k", "task": 3, "point": 0}
        body = {"format": "fairfront model", "format_version": 1, "card": {}, "kind": "score", "options": SCORE,
                "shared": SHARED, "parameters": {"weights": [WEIGHTS]}, "choice": {}, "measures": [], "provenance": origin}

        rule_of_no_truth = copy.deepcopy(SHARED)
        rule_of_no_truth["preparation"]["columns"][0]["log1p"] = None

        def write(found: dict, seal: bool = True) -> None:
            text = "{\n" + "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in found.items())
            digest = hashlib.sha256(text.encode()).hexdigest() if seal else "0" * 64
            path.write_text(f'{text}"sha256": "{digest}"\n}}\n', encoding="utf-8")

        write(body)
        np.testing.assert_array_equal(load_model(path).decision_function(TABLE), made().decision_function(TABLE))
        for change, words in (({"format_version": 2}, "knows up to 1"), ({"format_version": "1"}, "its \"format_version\" is no whole number"),
                              ({"format": "pickle"}, "not a model file"), ({"options": 3}, "its \"options\" is no object"),
                              ({"parameters": {"weights": [["x"]]}}, "hold a number that is none"),
                              ({"parameters": {"weights": 7}}, "hold what is no list"),
                              ({"shared": None}, "its \"shared\" is no object"), ({"shared": {}}, "its \"preparation\" is missing"),
                              ({"kind": ["score"]}, "its \"kind\" is no text"), ({"format_version": True}, "is no whole number"),
                              ({"format_version": 0}, "is below 1"),
                              ({"options": {**SCORE, "threshold": {}}}, "its \"threshold\" is no text"),
                              ({"shared": rule_of_no_truth}, "neither true nor false"),
                              ({"parameters": {"weights": [[None]]}}, "hold a number that is none"),
                              ({"parameters": {"weights": [["1.5"]]}}, "hold a number that is none"),
                              ({"parameters": {"weights": [[*WEIGHTS[:4], "-inf"]]}}, "a number of 'weights' that is not finite"),
                              ({"parameters": {"weights": [[float("nan")]]}}, "it holds NaN, which JSON does not have"),
                              ({"card": "\ud800"}, "half a character"), ({"measures": {}}, "its \"measures\" is no list"),
                              ({"shared": changed(columns=[])}, "its \"columns\" of the table are none"),
                              ({"shared": {**SHARED, "groups": [[300]]}}, "numbers that are no bytes"),
                              ({"options": {**SCORE, "threshold": "1_0"}}, "an option that is no number"),
                              ({"options": {**SCORE, "hidden": "7,,3"}}, "an option that is no number"),
                              ({"provenance": []}, "its \"provenance\" is no object"),
                              ({"provenance": {**origin, "task": -1}}, "its \"task\" is no whole number from 0 on"),
                              ({"provenance": {**origin, "key": 1}}, "its \"key\" is no text")):
            with self.subTest(words, change=change), self.assertRaisesRegex(ArchiveError, words) as caught:
                write({**body, **change})
                load_model(path)
            said = str(caught.exception)
            self.assertTrue(said.startswith(f"{path}: ") and "\n" not in said, said)
            self.assertEqual("damaged" in said, "take a copy" in said, said)
            self.assertNotRegex(said, "Error")
        write({name: value for name, value in body.items() if name != "kind"})
        with self.assertRaisesRegex(ArchiveError, 'its "kind" is missing'):
            load_model(path)
        write(body)
        whole = path.read_text(encoding="utf-8")
        for text, words in (("{", "not a model file: name what"), ("", "but empty"), ("[1]", "not a model file"),
                            ('{"format": "fairfront model", "a": ' + "[" * 100000, "damaged: it"),
                            ('{"format": "fairfront model"}', 'its "format_version" is missing'),
                            (whole[:len(whole) // 2], "before its JSON does, as a file does that is cut off"),
                            (whole[:-30], "before its JSON does"), (whole + " ", "not those that were written"),
                            (whole.replace('"kind": ', '"kind"= '), "it is no JSON from line 5 on"),
                            (whole.replace("0.125", "1e400"), "a number that is too large for a double"),
                            (whole.replace("0.125", "1" * 400), "a number that is too large for a double"),
                            (whole.replace("0.125", "[" * 33 + "]" * 33), "it is nested too deeply"),
                            (whole.replace('"kind": ', '"kind": "base", "kind": '), 'its "kind" is there twice')):
            path.write_text(text, encoding="utf-8")
            with self.subTest(text[:30]), self.assertRaisesRegex(ArchiveError, words):
                load_model(path)
        write(body, seal=False)
        with self.assertRaisesRegex(ArchiveError, "not those that were written"):
            load_model(path)
        with self.assertRaisesRegex(ArchiveError, "No such file"):
            load_model(path.with_name("none.json"))
        with self.assertRaisesRegex(ArchiveError, "Is a directory"):
            load_model(folder.name)


class Imports(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("onnx"), "the package onnx is not installed")
    def test_an_onnx_file_needs_nothing_that_the_test_has_imported(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            code = ("import sys, test_models\nmodel = test_models.made()\nmodel.to_onnx(sys.argv[1])\ntry:\n"
                    "    model.to_onnx(sys.argv[2])\nexcept test_models.ArchiveError as error:\n    print(error)\n")
            done = subprocess.run([sys.executable, "-c", code, path, folder], capture_output=True, text=True,
                                  cwd=pathlib.Path(__file__).parent)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(os.path.getsize(path), 0)
            self.assertEqual(done.stdout, f"{folder}: cannot be written (Is a directory)\n")

    @unittest.skipUnless(importlib.util.find_spec("onnx"), "the package onnx is not installed")
    def test_an_onnx_file_says_nothing_of_rows_with_a_missing_cell_that_sets_no_feature(self) -> None:
        import onnx_evaluator
        site = {"name": "site", "levels": ["north"], "places": [-1], "values": [1.0], "filler": 0}
        columns = [*SHARED["preparation"]["columns"], site]
        inputs = {"age": np.array([[30.0]] * 3), "income": np.array([[1.0]] * 3), "region": np.array([["north"]] * 3, dtype=object),
                  "site": np.array([["north"], [""], ["other"]], dtype=object)}
        for rule, known in (("drop", [True, False, True]), ("mean", [True] * 3)):
            with self.subTest(rule), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.onnx")
                made(changed(columns=columns, missing=rule)).to_onnx(path)
                for values in onnx_evaluator.evaluate(path, inputs).values():
                    self.assertEqual((~np.isnan(values[:, 0])).tolist(), known)

    @unittest.skipUnless(importlib.util.find_spec("onnx"), "the package onnx is not installed")
    def test_an_onnx_file_takes_the_place_of_no_other_file(self) -> None:
        """Once it took that of any."""
        with tempfile.TemporaryDirectory() as folder:
            path, text = pathlib.Path(folder, "model.onnx"), pathlib.Path(folder, "notes.txt")
            made().to_onnx(path)
            first = path.read_bytes()
            other = made(weights=[[9.0, *WEIGHTS[1:]]])
            with self.assertRaisesRegex(ArchiveError, "it exists; choose another name, or overwrite=True to replace it"):
                other.to_onnx(path)
            with self.assertRaisesRegex(ArchiveError, "overwrite = 'no', must be True or False"):
                other.to_onnx(path, overwrite="no")
            self.assertEqual(path.read_bytes(), first)
            other.to_onnx(path, overwrite=True)
            self.assertNotEqual(path.read_bytes(), first)
            text.write_text("notes")
            with self.assertRaisesRegex(ArchiveError, "what is there is no ONNX file, and overwrite=True replaces nothing else"):
                other.to_onnx(text, overwrite=True)
            self.assertEqual(text.read_text(), "notes")
            text.write_text("")
            other.to_onnx(text, overwrite=True)
            self.assertEqual(text.read_bytes(), path.read_bytes())

    def test_modules_import_each_other_in_no_circle(self) -> None:
        """Also those that are for type checkers alone."""
        folder = pathlib.Path(fairfront_archive.__file__).parent
        names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        uses = {}
        for name in names:
            words = (folder / f"{name}.py").read_text(encoding="utf-8").split("\n")
            text = [line.strip() for line in words if line.strip().startswith("from fairfront_archive")]
            uses[name] = {line.split()[1].partition(".")[2] for line in text
                          if line.startswith("from fairfront_archive.")}
            uses[name] |= {one.strip() for line in text if line.startswith("from fairfront_archive import")
                           for one in line.partition(" import ")[2].split(",")}
            self.assertLessEqual(uses[name], names)
        done: set[str] = set()
        while done < names:
            free = {name for name in names - done if uses[name] <= done}
            self.assertTrue(free, f"a circle among {sorted(names - done)}")
            done |= free

    def test_an_installation_asks_no_package_index(self) -> None:
        if importlib.util.find_spec("setuptools") is None or importlib.util.find_spec("wheel") is None:
            self.skipTest("python3-setuptools and python3-wheel are not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, target = (os.path.join(folder.name, name) for name in ("analysis", "target"))
        here = pathlib.Path(fairfront_archive.__file__).parents[1]
        shutil.copytree(here, source, ignore=shutil.ignore_patterns("node_modules", "build", "*.egg-info"))
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PIP_INDEX_URL")}
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                        "--root-user-action=ignore", "--target", target, "--no-deps", source], check=True, env=clean)
        self.assertTrue(os.path.isfile(os.path.join(target, "fairfront_archive", "py.typed")))
        said = subprocess.run([sys.executable, "-c", "import fairfront_archive; print(fairfront_archive.__file__)"],
                              env={**clean, "PYTHONPATH": target}, cwd=folder.name, capture_output=True, text=True,
                              check=True)
        self.assertTrue(said.stdout.startswith(target))

    def test_what_is_needed_is_what_pip_finds_of_debian(self) -> None:
        project = tomllib.loads((pathlib.Path(fairfront_archive.__file__).parents[1] / "pyproject.toml").read_text())
        for needed in project["project"]["dependencies"]:
            name, _, least = needed.partition(">=")
            found = tuple(map(int, importlib.metadata.version(name).split(".")[:2]))
            self.assertGreaterEqual(found, tuple(map(int, least.split("."))), needed)

    def test_types_are_told(self) -> None:
        self.assertTrue(os.path.isfile(os.path.join(os.path.dirname(fairfront_archive.__file__), "py.typed")))


if __name__ == "__main__":
    unittest.main()
