"""`fairfront_archive.run`: a frame and a config become an archive in one call."""

from __future__ import annotations

import io
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np
import pandas

from program import MPIEXEC, PROGRAM, ProgramTest, environment, people

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402
from fairfront_archive import program as program_of_archives  # noqa: E402
from fairfront_archive import runs  # noqa: E402

CONFIG = {"experiment": "clustering", "seed": [1, 2], "data": {"features": ["age", "hours"], "sensitive": "sex"},
          "clustering": {"clusters": 3}, "safairkm_front": {"iterations": 8, "starts": 4, "pairs": "(3,1) (1,0)"}}


# That a CSV file, a list of a config or data.sensitive would take for something else, if it could.
NAMES = ["years", " years", "years ", "  ", "\u00a0years", "\u3000years", "a\tb", "\tyears", "years\n", "two\nlines",
         "x >= 5", "a < b < c", "x >= ", "5 <= years <= 6", "largest(a, b)", "largest(a)", "column(years)", "column(x >= 5)",
         "column(", "a, b", ",", 'say "x"', '"years"', '"', "#years", ";years", "years # not", "years ; not", "a|b", "(a", "a)",
         ")(", "f(a, b)", "[years]", "a = b", "1", "a:b", "auto", "catalogue", "?", "nan",
         "\u00e9t\u00e9", "\u200byears", "\U0001f600", "{}", "years" * 60, "range(1, 2)", "1..3"]


class Run(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        patch = unittest.mock.patch.dict(os.environ, {**environment(), "FAIRFRONT": PROGRAM})
        patch.start()
        self.addCleanup(patch.stop)
        header, *rows = people()
        self.frame = pandas.DataFrame(rows, columns=header).astype({"age": int, "hours": float})

    def run_it(self, *given: object, **more: object) -> fairfront_archive.Archive:
        archive = fairfront_archive.run(*given, **{"progress": False, "launcher": (MPIEXEC,), **more})
        self.addCleanup(archive.close)
        return archive

    def test_a_frame_becomes_an_archive_and_leaves_nothing_behind(self) -> None:
        folders = tempfile.TemporaryDirectory()
        self.addCleanup(folders.cleanup)
        with unittest.mock.patch.object(tempfile, "tempdir", folders.name):
            archive = fairfront_archive.run(CONFIG, self.frame, progress=False)
            self.assertEqual(archive.progress(), "2 of 2 tasks done")
            np.testing.assert_array_equal(archive.model(0, 0).predict(self.frame[:5]).shape, (5,))
            self.assertEqual(len(os.listdir(folders.name)), 1)
            archive.close()
            del archive
            self.assertEqual(os.listdir(folders.name), [])

    def test_results_are_those_of_the_files_and_of_any_number_of_ranks(self) -> None:
        expected = self.run_it(CONFIG, self.frame).digest
        self.assertEqual(self.run_it(CONFIG, self.frame, ranks=3).digest, expected)
        self.frame.to_csv(self.folder / "rows.csv", index=False)
        (self.folder / "config.ini").write_text(
            runs.ini_text({**CONFIG, "data": {"data": "csv", "file": "rows.csv", **CONFIG["data"]}}), encoding="utf-8")
        path = self.make_archive("by_hand.h5")
        with fairfront_archive.open(path) as archive:
            self.assertEqual(archive.digest, expected)
        kept = self.run_it(self.folder / "config.ini", self.frame, output=self.folder / "kept.h5")
        self.assertEqual((kept.digest, kept.path), (expected, str(self.folder / "kept.h5")))

    def test_rows_of_a_file_beside_a_frame_are_refused(self) -> None:
        """The file was not read, and nothing said so; one behind --set was read in place of the frame."""
        data = CONFIG["data"]
        for config, arguments, words in (
                ({**CONFIG, "data": {**data, "file": "rows.csv"}}, (), "data.file = 'rows.csv' beside a frame"),
                ({**CONFIG, "data": {**data, "data": "adult"}}, (), "data.data = 'adult' beside a frame"),
                (CONFIG, ("--set", "data.file=rows.csv"), "data.file = 'rows.csv' beside a frame"),
                (CONFIG, ("--set=data.data = adult",), "data.data = 'adult' beside a frame")):
            with self.subTest(words), self.assertRaisesRegex(fairfront_archive.InputError, f"^{words}"):
                self.run_it(config, self.frame, arguments=arguments)
        told = self.run_it({**CONFIG, "data": {"data": "csv", **data}}, self.frame, arguments=("--set", "data.subsample=20"))
        self.assertEqual(told.progress(), "2 of 2 tasks done")

    def test_names_with_commas_and_quotes_stay_one_in_a_list(self) -> None:
        expected = self.run_it(CONFIG, self.frame).model(0, 0).predict(self.frame)
        frame = self.frame.rename(columns={"age": "age, years", "hours": 'hours "paid"'})
        for features in (["age, years", 'hours "paid"'], ['"age, years"', '"hours ""paid"""']):
            archive = self.run_it({**CONFIG, "data": {"features": features, "sensitive": ["sex"]}}, frame)
            np.testing.assert_array_equal(archive.model(0, 0).predict(frame), expected)
        alone = {**CONFIG, "data": {"features": ["age, years"], "sensitive": "sex"}}
        self.assertEqual(self.run_it(alone, frame).model(0, 0).feature_names_in_.tolist(), ["age, years"])
        self.assertEqual(runs.ini_text({"pairs": ["(3,1) (1,0)"], "delta": ["powers(2, -3, -1)", 1]}),
                         "pairs = (3,1) (1,0)\ndelta = powers(2, -3, -1), 1\n")

    def test_a_text_that_is_the_name_of_a_column_is_that_column(self) -> None:
        names = {"age": "age, years", "hours": 'hours "paid"', "sex": "sex; stated", "owner": "owns, a home"}
        frame = self.frame.assign(owner=(self.frame["age"] > self.frame["age"].median()).astype(int))
        config = {"experiment": "training", "data": {"features": ["age", "hours"], "sensitive": "sex", "label": "owner"},
                  "split": {"validation": 0, "test": 0.3}, "model": {"hidden": ""}, "reductions": {}}
        expected = self.run_it(config, frame)
        named = {"features": [names["age"], names["hours"]], "sensitive": names["sex"], "label": names["owner"]}
        other = frame.rename(columns=names)
        for label in (names["owner"], [names["owner"]], '"owns, a home"'):
            archive = self.run_it({**config, "data": {**named, "label": label}}, other)
            np.testing.assert_array_equal(archive.model(0).predict(other), expected.model(0).predict(frame))
        alone = self.run_it({**config, "data": {**named, "features": names["age"]}}, other)
        self.assertEqual(alone.model(0).feature_names_in_.tolist(), [names["age"]])

    def test_every_name_works_in_every_role(self) -> None:
        """Three roles at a time: each name in turn is that of a feature, of the label and of the groups."""
        frame = self.frame.assign(owner=(self.frame["age"] + 3 * self.frame["hours"] > 130).astype(int))
        used = ["age", "hours", "sex", "region", "owner"]
        fit = {"experiment": "training", "split": {"validation": 0, "test": 0.3}, "model": {"hidden": ""}, "reductions": {"bound": 1}}
        several = {"experiment": "clustering", "clustering": {"clusters": 3}, "lloyd": {}}
        own = {name: name for name in used}
        for config, columns, groups in ((fit, ["age", "owner", "sex"], ["sex"]), (several, ["region"], ["sex", "region"])):
            expected = self.by_columns(config, own, groups, frame)
            for k in range(len(NAMES)):
                names = {column: NAMES[(k + i) % len(NAMES)] for i, column in enumerate(columns)}
                with self.subTest(config["experiment"], names=names):
                    found = self.by_columns(config, {**own, **names}, groups, frame)
                    np.testing.assert_array_equal(found, expected)

    def by_columns(self, config: dict, names: dict[str, str], groups: list[str], frame: pandas.DataFrame) -> np.ndarray:
        """Predictions of the model that is fitted where the columns have these names, by Python and by the program."""
        data = {"features": [names["age"], names["hours"]], "sensitive": [names[group] for group in groups]}
        data |= {"label": names["owner"]} if config["experiment"] == "training" else {}
        own = frame.rename(columns=names)
        archive = self.run_it({**config, "data": data}, own, output=self.folder / "named.h5", arguments=("--force",))
        model = archive.model(0)
        self.assertEqual(model.feature_names_in_.tolist(), data["features"])
        fairfront_archive.write_table(own, self.folder / "own.csv")
        self.succeed("choose", "named.h5", "--model", "named.json", "--force")
        said = self.succeed("predict", "named.json", "--rows", "own.csv", "--csv", "-")
        found = model.predictions(own).to_numpy(dtype=float)
        np.testing.assert_array_equal(pandas.read_csv(io.StringIO(said), float_precision="round_trip").to_numpy(dtype=float), found)
        loaded = fairfront_archive.load_model(self.folder / "named.json")
        np.testing.assert_array_equal(loaded.predictions(own).to_numpy(dtype=float), found)
        return found

    def test_groups_are_found_by_columns_of_every_name(self) -> None:
        config = {"experiment": "training", "split": {"validation": 0.2, "test": 0.3}, "model": {"hidden": ""}, "postprocessing": {}}
        frame = self.frame.assign(owner=(self.frame["age"] + 3 * self.frame["hours"] > 130).astype(int))
        expected = self.grouped(config, "sex", frame)
        for name in ("x >= 5", "largest(a, b)", "column(sex)", " sex ", "a < b < c", "largest(a", "sex\n", "a|b"):
            with self.subTest(name):
                np.testing.assert_array_equal(self.grouped(config, name, frame), expected)

    def grouped(self, config: dict, name: str, frame: pandas.DataFrame) -> np.ndarray:
        own = frame.rename(columns={"sex": name})
        data = {"features": ["age", "hours"], "sensitive": name, "label": "owner"}
        model = self.run_it({**config, "data": data}, own, output=self.folder / "named.h5", arguments=("--force",)).model(0)
        self.assertEqual((model.needs_group, model.group_columns), (True, (name,)))
        fairfront_archive.write_table(own, self.folder / "own.csv")
        said = self.succeed("predict", "named.h5", "--rows", "own.csv", "--csv", "-")
        found = model.predictions(own).to_numpy(dtype=float)
        np.testing.assert_array_equal(pandas.read_csv(io.StringIO(said), float_precision="round_trip").to_numpy(dtype=float), found)
        return found

    def test_columns_of_types_of_pandas_are_what_the_program_reads(self) -> None:
        """Predictions of dates, and of numbers of 32 bits, once had other bits than the program's."""
        days = pandas.Timestamp("2020-02-01") + pandas.to_timedelta(self.frame["age"] % 4, "D")
        frame = self.frame.assign(
            day=days, hours=self.frame["hours"].astype("float32"), member=self.frame["age"] % 3 == 0,
            region=self.frame["region"].astype("category"), visit=(days + pandas.Timedelta("90min")).astype("category"),
            owner=(self.frame["age"] > 45).astype("Int64"))
        names = ["region", "member", "day", "visit"]
        data = {"features": ["age", "hours", *names], "categorical": names, "sensitive": "sex", "label": "owner",
                "missing_rule": "mean"}
        archive = self.run_it({"experiment": "training", "data": data, "split": {"validation": 0, "test": 0.3},
                               "model": {"hidden": ""}, "reductions": {"bound": 1}}, frame, output=self.folder / "typed.h5")
        model, gone = archive.model(0), frame.index % 7 == 0
        later = {"as it was": frame, "in another order, with more": frame[frame.columns[::-1]].assign(more="x, y"),
                 "nullable": frame.convert_dtypes(), "one row": frame[:1], "another index": frame.set_axis([0] * len(frame)),
                 "times of one row": frame.assign(day=days.where(~gone, days + pandas.Timedelta("1s"))),
                 "missing": frame.assign(age=frame["age"].astype("Int64").mask(gone), day=days.mask(gone),
                                         hours=frame["hours"].astype("Float32").mask(gone), region=frame["region"].mask(gone),
                                         member=frame["member"].astype("boolean").mask(gone), visit=frame["visit"].mask(gone)),
                 "unseen": frame.assign(region="east", day=days + pandas.Timedelta("400D")),
                 "texts": frame.assign(age=frame["age"].astype(str), day=days.astype(str), member=frame["member"].astype(str)),
                 "tiny": frame.assign(age="1e-400")}
        for what, table in later.items():
            with self.subTest(what):
                fairfront_archive.write_table(table, self.folder / "own.csv")
                said = self.succeed("predict", "typed.h5", "--rows", "own.csv", "--csv", "-")
                np.testing.assert_array_equal(model.predictions(table).to_numpy(dtype=float),
                                              pandas.read_csv(io.StringIO(said), float_precision="round_trip").to_numpy(dtype=float))
        levels = {column["name"]: column["levels"] for column in model.source.shared["preparation"]["columns"] if "levels" in column}
        self.assertEqual(levels["day"], [f"2020-02-0{day}" for day in range(1, 5)])

    def test_labels_that_are_no_texts_are_found_by_what_a_run_calls_them(self) -> None:
        """A model once refused the very frame that it had been trained on."""
        frame = self.frame.rename(columns={"age": 1, "hours": 2.5})
        archive = self.run_it({"experiment": "training", "data": {"features": [1, 2.5], "sensitive": "sex", "label": "owner"},
                               "split": {"validation": 0, "test": 0.3}, "model": {"hidden": ""}, "reductions": {"bound": 1}},
                              frame.assign(owner=(self.frame["age"] > 45).astype(int)), output=self.folder / "labels.h5")
        model = archive.model(0)
        self.assertEqual(list(model.feature_names_in_), ["1", "2.5"])
        of_texts = model.predictions(frame.rename(columns=str))
        pandas.testing.assert_frame_equal(model.predictions(frame), of_texts)
        with self.assertRaisesRegex(ValueError, "several times"):
            model.predictions(frame.assign(**{"1": 0}))

    def reread(self, frame: pandas.DataFrame, model: fairfront_archive.FittedModel, archive: str, raw: bool = False) -> np.ndarray:
        """Predictions of the frame, which are those of the program of the file that it becomes.

        @param raw  that pandas makes of it."""
        if raw:
            frame.to_csv(self.folder / "own.csv", index=False)
        else:
            fairfront_archive.write_table(frame, self.folder / "own.csv")
        said = self.succeed("predict", archive, "--rows", "own.csv", "--csv", "-")
        found = model.predictions(frame).to_numpy(dtype=float)
        np.testing.assert_array_equal(found[~np.isnan(found).any(axis=1)],
                                      pandas.read_csv(io.StringIO(said), float_precision="round_trip").to_numpy(dtype=float))
        return found

    def test_whole_numbers_that_pandas_makes_floats_are_the_same_names(self) -> None:
        """Python found the level 1 for 1.0, and the program did not: another prediction of the same table."""
        frame = self.frame.assign(ward=self.frame["age"] % 3 + 1, sex=(self.frame["sex"] == "m").astype(int),
                                  owner=(self.frame["age"] > 45).astype(int))
        config = {"experiment": "training", "split": {"validation": 0.2, "test": 0.3}, "model": {"hidden": ""}, "postprocessing": {}}
        data = {"features": ["age", "ward"], "categorical": "ward", "sensitive": "sex", "label": "owner", "missing_rule": "drop"}
        gone = self.frame.index % 9 == 4
        with_gaps = frame.assign(ward=frame["ward"].mask(gone), sex=frame["sex"].mask(gone), owner=frame["owner"].mask(gone))
        self.assertEqual(with_gaps.dtypes[["ward", "sex"]].tolist(), [np.float64] * 2)
        for rows in (frame, with_gaps):  # trained on either
            archive = self.run_it({**config, "data": data}, rows, output=self.folder / "whole.h5", arguments=("--force",))
            model = archive.model(0)
            self.assertEqual((model.needs_group, model.group_names), (True, ("0", "1")))
            expected = self.reread(frame, model, "whole.h5")
            for table in (with_gaps, with_gaps.astype({"ward": object}), frame.astype({"ward": float, "sex": float}),
                          frame.assign(ward=frame["ward"].map("{}.0".format)), frame.convert_dtypes()):
                for raw in (False, True):
                    found = self.reread(table, model, "whole.h5", raw)
                    np.testing.assert_array_equal(found[~gone], expected[~gone])
            with self.assertRaisesRegex(ValueError, "column 'sex': the cell must be one of 1, 0"):
                model.predict(frame.assign(sex="01"))
        named = self.run_it({**config, "data": {**data, "group_map": "0:women, 1:men"}}, with_gaps)
        self.assertEqual(sorted(named.model(0).group_names), ["men", "women"])

    def test_truth_values_are_numbers_where_numbers_are_read_and_names_where_names_are(self) -> None:
        """A run refused the frame of which the model that it had made took every row."""
        member = self.frame["age"] % 3 == 0
        frame = self.frame.assign(member=member, owner=self.frame["age"] > 45)
        config = {"experiment": "training", "split": {"validation": 0.2, "test": 0.3}, "model": {"hidden": ""}, "reductions": {"bound": 1}}
        data = {"features": ["age", "member"], "sensitive": "sex", "label": "owner"}
        expected = None
        for column in (member, member.astype(object), member.astype("boolean"), member.astype(str), member.astype(int)):
            table = frame.assign(member=column)
            archive = self.run_it({**config, "data": data}, table, output=self.folder / "truth.h5", arguments=("--force",))
            found = [self.reread(frame.assign(member=one), archive.model(0), "truth.h5") for one in (column, member, member.astype(int))]
            expected = found[0] if expected is None else expected
            for one in found:
                np.testing.assert_array_equal(one, expected)
        for sensitive, names in (("member", ["False", "True"]), ("member == True", ["member == True", "other"]),
                                 ("member == 1", ["member == 1", "other"])):
            post = {name: section for name, section in config.items() if name != "reductions"}
            archive = self.run_it({**post, "data": {**data, "sensitive": sensitive, "positive": True}, "postprocessing": {}}, frame,
                                  output=self.folder / "truth.h5", arguments=("--force",))
            self.assertEqual(sorted(archive.model(0).group_names), names)
            self.reread(frame, archive.model(0), "truth.h5")

    def test_cells_of_any_type_are_what_the_file_says(self) -> None:
        """Numbers of 16 and 32 bits in columns of objects, of more bits than 64, and bytes."""
        frame = self.frame.assign(owner=(self.frame["age"] > 45).astype(int), share=(self.frame["age"] / 7))
        data = {"features": ["age", "share", "region"], "categorical": "region", "sensitive": "sex", "label": "owner"}
        config = {"experiment": "training", "data": data, "split": {"validation": 0.2, "test": 0.3}, "model": {"hidden": ""},
                  "reductions": {"bound": 1}}
        for kind in (np.float16, np.float32, np.longdouble):
            for whole in (False, True):
                share = pandas.Series(frame["share"].to_numpy().astype(kind))
                table = frame.assign(share=pandas.Series(list(share), dtype=object) if whole else share)
                table["region"] = [name.encode() for name in frame["region"]]
                archive = self.run_it(config, table, output=self.folder / "types.h5", arguments=("--force",))
                found = self.reread(table, archive.model(0), "types.h5")
                doubles = frame.assign(share=share.astype(np.float64))
                np.testing.assert_array_equal(archive.model(0).predictions(doubles).to_numpy(dtype=float), found)
        wrong = frame.assign(region=[b"\xff"] + [b"south"] * (len(frame) - 1))
        for refused in (lambda: self.run_it(config, wrong), lambda: archive.model(0).predict(wrong)):
            with self.assertRaisesRegex(ValueError, "row 0, column 'region': the bytes of the cell are no UTF-8"):
                refused()

    def test_a_label_that_is_a_truth_value_is_the_name_of_a_column(self) -> None:
        frame = self.frame.rename(columns={"age": True, "sex": 7}).assign(owner=(self.frame["age"] > 45).astype(int))
        data = {"features": pandas.Index([True, "hours"]), "sensitive": 7, "label": "owner"}
        config = {"experiment": "training", "data": data, "preparation": {"group_feature": np.True_}, "model": {"hidden": ""},
                  "split": {"validation": 0.2, "test": 0.3}, "reductions": {"bound": 1}}
        archive = self.run_it(config, frame, output=self.folder / "bool.h5")
        self.assertEqual(archive.model(0).feature_names_in_.tolist(), ["True", "hours"])
        found = self.reread(frame, archive.model(0), "bool.h5")
        np.testing.assert_array_equal(archive.model(0, group=7).predictions(frame).to_numpy(dtype=float), found)

    def test_names_that_no_table_may_have_are_told_before_anything_runs(self) -> None:
        def refused(names: list[object] | pandas.MultiIndex) -> str:
            with (self.assertRaises(ValueError) as told,
                  unittest.mock.patch.object(runs.subprocess, "Popen", side_effect=AssertionError("ran"))):
                fairfront_archive.run(CONFIG, self.frame.set_axis(names, axis=1), progress=False)
            return str(told.exception)

        self.assertEqual(refused(["age", "hours", "", "region"]),
                         "column 2 of the frame, counted from 0, has an empty name: give it another one")
        self.assertEqual(refused(["age", "hours", "age", "region"]),
                         "the frame has two columns 'age': rename or drop one of them")
        self.assertEqual(refused([1, "hours", "1", "region"]), "the frame has two columns '1': rename or drop one of them")
        self.assertIn("'a\\rb' has the character '\\r', which a config cannot say: rename the column",
                      refused(["age", "a\rb", "sex", "region"]))
        self.assertIn("names of several levels", refused(pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)])))

    def test_texts_that_are_no_columns_stay_as_they_are(self) -> None:
        self.assertEqual(runs.ini_text({"data": {"features": "age, hours", "label": "a, b"}, "alm": {"delta": "0.1, 0.2"}},
                                       ["age", "hours", "a, b", 'c "d"']),
                         '[data]\nfeatures = age, hours\nlabel = "a, b"\n[alm]\ndelta = 0.1, 0.2\n')

    def test_lines_of_the_program_are_progress(self) -> None:
        said: list[str] = []
        self.run_it(CONFIG, self.frame, progress=said.append)
        self.assertTrue(any("2 of 2" in line or "2/2" in line for line in said), said)

    def test_errors_are_those_of_the_program(self) -> None:
        wrong = {**CONFIG, "clustering": {"clusters": 3, "cluster": 2}}
        words = r"section \[clustering\] has no option 'cluster'"
        with self.assertRaisesRegex(fairfront_archive.RunError, words) as told:
            self.run_it(wrong, self.frame)
        self.assertEqual(told.exception.code, 2)
        for ranks in (1, 2):
            with self.subTest(ranks), self.assertRaisesRegex(fairfront_archive.RunError, "no column 'hours'"):
                self.run_it(CONFIG, self.frame.drop(columns="hours"), ranks=ranks)
        with self.assertRaisesRegex(fairfront_archive.ArchiveError, "none.ini: no such config file"):
            self.run_it(self.folder / "none.ini")
        for name in ("output", "data_dir"):
            with self.assertRaisesRegex(ValueError, f"{name} = '' names nothing"):
                self.run_it(CONFIG, self.frame, **{name: ""})
        with self.assertRaisesRegex(ValueError, "a config cannot say"):
            self.run_it({**CONFIG, "data": {"features": "age\n[lloyd]"}}, self.frame)
        with self.assertRaisesRegex(ValueError, "a section of a config needs a name"):
            self.run_it({"": {"experiment": "clustering"}, **CONFIG}, self.frame)
        with (unittest.mock.patch.object(program_of_archives, "find_program", return_value=None),
              self.assertRaisesRegex(fairfront_archive.ArchiveError, "neither on PATH")):
            self.run_it(CONFIG, self.frame)

    def test_errors_name_no_file_that_is_gone(self) -> None:
        text = self.frame.astype({"age": object})
        text.loc[3, "age"] = "old"
        lines = text.assign(region="two\nlines")
        wrong = {**CONFIG, "clustering": {"clusters": 3, "cluster": 2}}
        for config, frame, words in ((wrong, self.frame, r"^the config: .*no option 'cluster'"),
                                     (CONFIG, self.frame.drop(columns="hours"), "^the frame: there is no column 'hours'"),
                                     (CONFIG, text, "^the frame: row 3, column 'age': the cell must be a finite number"),
                                     (CONFIG, lines, r"^the frame: line \d+ of its CSV file, column 'age'")):
            with self.assertRaisesRegex(fairfront_archive.RunError, words) as told:
                self.run_it(config, frame)
            self.assertNotRegex(str(told.exception), r"rows\.csv|config\.ini|result\.h5|/tmp")
        slow = {**CONFIG, "seed": "1..100000"}
        with self.assertRaisesRegex(fairfront_archive.RunError, "output = PATH would keep them") as told:
            self.run_it(slow, self.frame, arguments=("--time-limit", "0:01"))
        self.assertNotIn("result.h5", str(told.exception))

    def test_errors_have_the_words_of_run(self) -> None:
        """What the program says of its options is said of the arguments, and a frame has a header."""
        empty, named = self.frame[:0], self.frame.rename(columns={"hours": 1})
        for frame, words in ((empty, "^the frame: it has no rows$"), (self.frame[[]], "^the frame: it has no columns$"),
                             (pandas.DataFrame(), "^the frame: it has no columns$"),
                             (self.frame[["age"]][:0], "^the frame: (it has no rows|there is no column)"),
                             (named, r"^the frame: there is no column 'hours' \(valid: age, 1, sex, region\)$"),
                             (named.rename(columns={"age": 2}), r"^the frame: there is no column 'age'.*2, 1, sex, region")):
            with self.subTest(words), self.assertRaisesRegex(fairfront_archive.RunError, words) as told:
                self.run_it(CONFIG, frame)
            self.assertNotRegex(str(told.exception), r"--|rows\.csv|is there a header|/tmp")
        with self.assertRaisesRegex(fairfront_archive.RunError, r"^the config: data\.test_file: there is neither 'no\.csv' nor '/.*/data/no\.csv' "
                                    r"\(data_dir\)$"):
            self.run_it({**CONFIG, "data": {**CONFIG["data"], "test_file": "no.csv"}}, self.frame)
        no_features = {**CONFIG, "data": {"features": [], "sensitive": "sex"}}
        with self.assertRaisesRegex(fairfront_archive.RunError, "the file has: 2, 1, sex, region$"):
            self.run_it(no_features, named.rename(columns={"age": 2}))

    def test_lines_of_progress_have_the_words_of_run_too(self) -> None:
        lines: list[str] = []
        wrong = self.frame.astype({"age": object})
        wrong.loc[1, "age"] = "old"
        with self.assertRaisesRegex(fairfront_archive.RunError, "the frame: row 1, column 'age'"):
            self.run_it(CONFIG, wrong, progress=lines.append)
        self.run_it(CONFIG, self.frame, progress=lines.append)
        self.assertIn("the frame: row 1, column 'age'", "\n".join(lines))
        self.assertNotRegex("\n".join(lines), r"--set|rows\.csv|result\.h5")

    def test_an_archive_is_replaced_where_that_is_asked_for(self) -> None:
        kept = self.folder / "kept.h5"
        first = self.run_it(CONFIG, self.frame, output=kept).digest
        other = {**CONFIG, "seed": [3]}
        for config in (other, CONFIG):
            with self.assertRaisesRegex(fairfront_archive.RunError, "kept.h5': .*overwrite=True") as told:
                self.run_it(config, self.frame, output=kept)
            self.assertNotIn("--", str(told.exception))
        with self.assertRaisesRegex(fairfront_archive.ArchiveError, "overwrite = 'no', must be True or False"):
            self.run_it(other, self.frame, output=kept, overwrite="no")
        with fairfront_archive.open(kept) as archive:
            self.assertEqual(archive.digest, first)
        self.assertNotEqual(self.run_it(other, self.frame, output=kept, overwrite=True).digest, first)
        self.run_it(other, self.frame, output=kept, overwrite=True, arguments=("--force",))
        (self.folder / "notes.h5").write_text("notes")
        with self.assertRaisesRegex(fairfront_archive.RunError, "overwrite=True does not replace it"):
            self.run_it(other, self.frame, output=self.folder / "notes.h5", overwrite=True)
        self.assertEqual((self.folder / "notes.h5").read_text(), "notes")

    def test_a_launcher_that_fails_as_tasks_do_is_no_run(self) -> None:
        refuses = self.folder / "mpirun"
        refuses.write_text(f"#!/bin/sh\necho {'-' * 60}\necho 'mpirun does not start for root'\necho {'-' * 60}\nexit 1\n")
        refuses.chmod(0o755)
        kept = self.folder / "launched.h5"
        digest = self.run_it(CONFIG, self.frame, output=kept).digest
        for output in (None, kept, self.folder / "new.h5"):
            with self.subTest(output), self.assertRaisesRegex(fairfront_archive.RunError, "^mpirun does not start for root$") as told:
                self.run_it(CONFIG, self.frame, ranks=2, launcher=(str(refuses),), output=output, overwrite=output == kept)
            self.assertEqual(told.exception.code, 1)
        with fairfront_archive.open(kept) as archive:
            self.assertEqual(archive.digest, digest)

    def test_sparse_columns_are_those_that_they_stand_for(self) -> None:
        sparse = self.frame.assign(age=pandas.arrays.SparseArray(self.frame["age"], fill_value=30),
                                   hours=self.frame["hours"].astype(pandas.SparseDtype("float64", 0)),
                                   sex=pandas.arrays.SparseArray(self.frame["sex"].to_numpy(), fill_value="f"))
        expected, found = (self.run_it(CONFIG, frame) for frame in (self.frame, sparse))
        self.assertEqual(found.digest, expected.digest)
        np.testing.assert_array_equal(found.model(0, 0).predict(sparse), expected.model(0, 0).predict(self.frame))

    def test_cells_that_no_file_holds_are_told_before_anything_runs(self) -> None:
        for cell, words in (("\ud800", "half a character"), ("a\0", "a zero byte")):
            frame = self.frame.assign(region=[cell] + ["south"] * (len(self.frame) - 1))
            with self.assertRaisesRegex(fairfront_archive.InputError, "^row 0, column 'region': the cell has " + words):
                self.run_it(CONFIG, frame)

    def test_failed_tasks_are_a_warning(self) -> None:
        config = {"experiment": "alternating", "alternating": {"problem": ["sp1", "zdt1"], "n_total": 20,
                                                               "iterations": 30},
                  "sa2gd": {"n_a": [5, 15, 30], "step": 0.01}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            archive = self.run_it(config)
        self.assertGreater(archive.counts()["failed"], 0)
        self.assertRegex(" ".join(str(one.message) for one in caught), "some tasks have failed")

    def test_an_interrupted_notebook_ends_the_program(self) -> None:
        class Interrupted(Exception):
            pass

        def interrupt(_: str) -> None:
            raise Interrupted

        started = []
        popen = runs.subprocess.Popen

        def noted(*given: object, **more: object) -> object:
            started.append(popen(*given, **more))
            return started[-1]

        with unittest.mock.patch.object(runs.subprocess, "Popen", noted), self.assertRaises(Interrupted):
            self.run_it(CONFIG, self.frame, progress=interrupt)
        self.assertIsNotNone(started[0].poll())


if __name__ == "__main__":
    unittest.main()
