"""Models in Python: the bits of `fairfront predict` for every kind of model of every family."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import sys
import unittest
from unittest import mock

import numpy as np
import pandas

from model_sweeps import DATA, KINDS, PARTS, PREPARED, SWEEPS, ModelTest, people
from program import PROGRAM

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

try:
    import onnx

    import onnx_evaluator
except ImportError:
    onnx = None

class PythonModels(ModelTest):
    def said(self, task: int, point: int | None, group: str | None, drawn: bool,
             randomised: bool = False) -> pandas.DataFrame:
        """By the program."""
        (self.folder / "out.csv").unlink(missing_ok=True)
        self.succeed("predict", "result.h5", "--task", str(task), "--rows", "later.csv", "--csv", "out.csv",
                     *([] if point is None else ["--point", str(point)]), *(["--group", group] if group else []),
                     *(["--draw", "5", "--atoms"] if drawn else []), *(["--randomised"] if randomised else []))
        return pandas.read_csv(self.folder / "out.csv", float_precision="round_trip")

    def assert_same_bits(self, frame: pandas.DataFrame, said: pandas.DataFrame) -> None:
        frame = frame.dropna()  # rows that the rule leaves out are not in the program's table
        self.assertEqual(list(frame.columns), list(said.columns))
        self.assertEqual(len(frame), len(said))
        self.assertGreater(len(said), 0)
        np.testing.assert_array_equal(frame.to_numpy(dtype=float), said.to_numpy(dtype=float))

    def check(self, archive: fairfront_archive.Archive, task: int, point: int | None, frame: pandas.DataFrame,
              group: str, randomised: bool = False) -> str:
        """Of one model; its kind."""
        model = archive.model(task, point, group=group, randomised=randomised)
        own = group if model.needs_group else None
        drawn = model.source.kind in ("soft", "mixture", "drawn_thresholds", "drawn_scores") and hasattr(model, "atoms")
        said = self.said(task, point, own, drawn, randomised)
        predictions = model.predictions(frame, draw=5 if drawn else None, atoms=drawn)
        self.assert_same_bits(predictions, said)
        if onnx is not None:
            self.check_onnx(model, frame, group, predictions.drop(columns=[
                name for name in predictions if name.startswith("drawn")]))
        columns = {name: frame[name] for name in frame.columns[::-1]}
        np.testing.assert_array_equal(model.predict(columns), model.predict(frame))
        return model.source.kind

    @staticmethod
    def onnx_inputs(path: pathlib.Path, frame: pandas.DataFrame, group: str) -> dict[str, np.ndarray]:
        """Its columns in the table; @param group  the column that the input `group` is."""
        texts, inputs = frame.fillna("").astype(str).astype(object), {}
        for declared in onnx.load(path).graph.input:
            name = group if declared.name == "group" else declared.name
            if name == "rank_draws":
                continue
            text = declared.type.tensor_type.elem_type == onnx.TensorProto.STRING
            table = texts if text else frame.replace("?", np.nan).astype({name: float})
            inputs[declared.name] = table[[name]].to_numpy()
        return inputs

    def check_onnx(self, model: fairfront_archive.FittedModel, frame: pandas.DataFrame, group: str,
                   expected: pandas.DataFrame) -> None:
        path = self.folder / "model.onnx"
        model.to_onnx(path, overwrite=True)
        inputs = self.onnx_inputs(path, frame, group if model.needs_group else "group")
        if any(one.name == "rank_draws" for one in onnx.load(path).graph.input):
            inputs["rank_draws"] = model.rank_draws(frame)
        # ONNX Runtime refuses files whose nodes have no names of their own, and has no OneHot of doubles.
        nodes = onnx.load(path).graph.node
        self.assertEqual(len({node.name for node in nodes} - {""}), len(nodes))
        self.assertNotIn("OneHot", {node.op_type for node in nodes})
        found = onnx_evaluator.evaluate(str(path), inputs)
        columns = np.concatenate(list(found.values()), axis=1)
        np.testing.assert_allclose(columns, expected.to_numpy(dtype=float), rtol=1e-12, atol=1e-12)
        self.assertEqual([name.removeprefix("predicted_") for name in found][:len(model.output_names)],
                         list(model.output_names))
        self.check_refused(str(path), inputs, columns)

    def check_refused(self, path: str, inputs: dict[str, np.ndarray], columns: np.ndarray) -> None:
        """Rows that `predict` refuses say nothing; the others what they said."""
        for name, values in inputs.items():
            if values.dtype != np.float64 or name == "rank_draws":
                continue
            changed = values.copy()
            changed[:3, 0] = np.inf, -np.inf, 1e300
            with np.errstate(invalid="ignore", over="ignore"):
                found = np.concatenate(list(onnx_evaluator.evaluate(path, inputs | {name: changed}).values()), axis=1)
            self.assertTrue(np.isnan(found[:3]).all(), (name, found[:3]))
            np.testing.assert_array_equal(found[3:], columns[3:])

    def test_all_kinds_of_every_family(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
        seen: set[str] = set()
        for name, text in SWEEPS.items():
            archive = self.archive_of(text)
            self.assertEqual(archive.counts()["done"], len(archive.tasks), [task.message for task in archive.tasks])
            group = "both" if "sensitive = sex, ward" in text else "ward" if "sensitive = ward" in text else "sex"
            for task, model in enumerate(archive.models()):
                points = next((len(front.points) for front in archive.fronts() if front.task.index == task), 0)
                several = [0, points - 1] if points > 1 else [None]
                for point in several:
                    with self.subTest(name, task=task, model=model, point=point):
                        seen.add(self.check(archive, task, point, frame, group))
                    if "members=" in model:
                        with self.subTest(name, task=task, randomised=True):
                            seen.add(self.check(archive, task, point, frame, group, True))
        self.assertEqual(seen, KINDS)

    def test_model_files_of_all_kinds_say_what_the_archive_says(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
        seen: set[str] = set()
        for name, text in SWEEPS.items():
            archive = self.archive_of(text)
            group = "both" if "sensitive = sex, ward" in text else "ward" if "sensitive = ward" in text else "sex"
            for method in archive.methods():
                randomised = any(task.method == method and "members=" in model
                                 for task, model in zip(archive.tasks, archive.models()))
                for form in [(), ("--randomised",)] if randomised else [()]:
                    with self.subTest(name, method=method, form=form):
                        seen |= self.check_files(archive, ("--method", method, *form), frame, group)
        self.assertEqual(seen, KINDS)

    def check_files(self, archive: fairfront_archive.Archive, choice: tuple[str, ...], frame: pandas.DataFrame,
                    group: str) -> set[str]:
        """Of the chosen point of every problem. Returns the kinds."""
        kinds = set()
        for problem in json.loads(self.run_program("choose", "result.h5", *choice, "--json").out):
            if problem["chosen"] is None:  # it has learnt from labels of the part that decides
                continue
            self.succeed("choose", "result.h5", *choice, "--problem", problem["problem"], "--model", "model.json", "--force")
            task, point = problem["chosen"]["task"], problem["chosen"]["point"]
            several = [len(front.points) > 1 for front in archive.fronts() if front.task.index == task]
            randomised = "--randomised" in choice
            first = fairfront_archive.load_model(self.folder / "model.json")
            own = group if first.needs_group else None
            model = fairfront_archive.load_model(self.folder / "model.json", group=own)
            drawn = model.source.kind in ("drawn_scores", "drawn_thresholds", "soft", "mixture") and hasattr(model, "atoms")
            expected = self.said(task, point if several[0] else None, own, drawn, randomised)
            (self.folder / "out.csv").unlink()
            self.succeed("predict", "model.json", "--rows", "later.csv", "--csv", "out.csv", *(["--group", own] if own else []),
                         *(["--draw", "5", "--atoms"] if drawn else []))
            self.assert_same_bits(pandas.read_csv(self.folder / "out.csv", float_precision="round_trip"), expected)
            told = model.predictions(frame, draw=5 if drawn else None, atoms=drawn)
            self.assert_same_bits(told, expected)
            if onnx is not None:
                self.check_onnx(model, frame, group, told.drop(columns=[name for name in told if name.startswith("drawn")]))
            kinds.add(model.source.kind)
        return kinds

    @unittest.skipIf(onnx is None, "python3-onnx is not installed")
    def test_an_onnx_file_without_draws_takes_the_middle_of_the_ranks(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
        archive = self.archive_of(SWEEPS["regression by two attributes"].replace("together, one_after_other", "together"))
        columns: dict[str, list[np.ndarray]] = {"drawn": [], "middle": []}
        for task in range(len(archive.tasks)):
            model = archive.model(task, group="both")
            path = self.folder / "model.onnx"
            model.to_onnx(path, overwrite=True)
            found = onnx_evaluator.evaluate(str(path), self.onnx_inputs(path, frame, "both"))["prediction"]
            columns[model.source.options["ties"]].append(found)
            if model.source.options["ties"] == "middle":
                with self.assertRaises(AttributeError):
                    model.rank_draws(frame)
            else:
                self.assertEqual(model.rank_draws(frame).shape, (len(frame), 1))
                self.assertFalse(np.array_equal(model.predict(frame), found[:, 0]))
        np.testing.assert_array_equal(columns["drawn"], columns["middle"])

    @unittest.skipIf(onnx is None, "python3-onnx is not installed")
    def test_an_onnx_file_of_sharp_scores_of_atoms(self) -> None:
        for groups, width, seed in ((2, 3, 1), (5, 10, 2), (3, 1, 3)):
            draws = np.random.default_rng(seed)
            weights, later = draws.standard_normal(width), []
            for name, rows in (("sharp.csv", 400), ("later.csv", 4000)):
                group = draws.integers(0, groups, rows)
                table = pandas.DataFrame(draws.standard_normal((rows, width)) + 0.3 * group[:, None]).add_prefix("x")
                table["ward"] = np.char.add("w", group.astype(str))
                table["target"] = table.iloc[:, :width].to_numpy() @ weights + group + draws.standard_normal(rows)
                table.to_csv(self.folder / name, index=False)
                later.append(table)
            archive = self.archive_of(
                "experiment = regression\n[data]\ndata = csv\nfile = sharp.csv\nlabel = target\nsensitive = ward\nfeatures = *\n"
                "[split]\nvalidation = 0.3\ntest = 0.2\n[dp_lp]\nepsilon = 0, 2^-8\n")
            frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
            for task in range(2):
                with self.subTest(groups=groups, width=width, task=task):
                    model = archive.model(task)
                    self.assertGreater(float(model.source.options["beta"]), 1e5)
                    self.check_onnx(model, frame, "ward", model.predictions(frame, atoms=True))

    @unittest.skipIf(onnx is None, "python3-onnx is not installed")
    def test_onnx_files_of_logarithms_and_of_columns_far_from_zero(self) -> None:
        draws = np.random.default_rng(4)
        for rows, name in ((500, "far.csv"), (3000, "later.csv")):
            table = pandas.DataFrame({"time": 1.6e9 + 1000 * draws.standard_normal(rows), "rate": 1e-6 * draws.random(rows),
                                      "income": np.exp(10 + draws.standard_normal(rows)), "ward": draws.integers(0, 3, rows)})
            table["target"] = 1e6 * table["rate"] + np.log(table["income"]) + table["ward"] + draws.standard_normal(rows)
            table["hired"] = (table["target"] > 11.5).astype(int)
            table.to_csv(self.folder / name, index=False)
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
        data = "[data]\ndata = csv\nfile = far.csv\nsensitive = ward\nfeatures = {}\nlabel = {}\n[split]\nvalidation = 0.3\ntest = 0.2\n"
        logarithms = "[preparation]\nscaling = zscore\nlog1p = rate, income\n"
        for text in (
                "experiment = regression\n" + data.format("rate, income", "target") + logarithms +
                "[base_model]\n[dp_lp]\nepsilon = 0\n[bounded_group_loss]\nlargest_group_risk = 3\n",
                "experiment = training\n" + data.format("rate, income", "hired") + logarithms + "[sgd]\n",
                "experiment = training\n" + data.format("rate, income", "hired") + logarithms + "row_scaling = unit\n[sgd]\n",
                "experiment = training\n" + data.format("time, income", "hired") +
                "[preparation]\nscaling = none\n[model]\nhidden = \n[exact_training]\ndelta = 0.1\n[reductions]\nbound = 0.1\n",
                "experiment = regression\n" + data.format("time, income", "target") +
                "[preparation]\nscaling = none\n[bounded_group_loss]\nlargest_group_risk = 3\n"):
            archive = self.archive_of(text)
            for task in range(len(archive.tasks)):
                with self.subTest(text, task=task):
                    model = archive.model(task)
                    self.check_onnx(model, frame, "ward", model.predictions(frame, atoms=hasattr(model, "atoms")))

    def test_draws_of_rows_beside_those_that_are_left_out(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
        for name in ("rates", "regression"):
            archive = self.archive_of(SWEEPS[name].replace("= mean", "= drop").replace("= zero", "= drop"))
            drawn = next(task for task, text in enumerate(archive.models())
                         if "members=" in text or text.startswith(("soft", "mixture")))
            randomised = name == "rates"
            model = archive.model(drawn, None, group="sex", randomised=randomised)
            found = model.predictions(frame, draw=5, atoms=True)
            self.assertGreater(int(found["drawn"].isna().sum()), 0)
            if randomised:
                self.check_choice_of(archive)
            group = "sex" if model.needs_group else None
            self.assert_same_bits(found, self.said(drawn, None, group, True, randomised))

    def check_choice_of(self, archive: fairfront_archive.Archive) -> None:
        """The program's among randomised classifiers, by their own measures."""
        bound = "randomised_demographic_parity_gap<=0.9"
        (chosen,) = archive.choose(bound=bound, randomised=True)
        self.succeed("choose", "result.h5", "--bound", bound, "--randomised", "--model", "model.json", "--force")
        model = fairfront_archive.load_model(self.folder / "model.json")
        self.assertEqual(model.source.kind, "drawn_scores")
        self.assertEqual(chosen.chosen.task.index, model.card["provenance"]["task"])
        self.assertEqual(chosen.model().source.parameters.keys(), model.source.parameters.keys())
        self.assertEqual(list(chosen.candidates[0].values), ["randomised_independence_gap", "randomised_error"])
        for words, told in (({"best": "randomised_error"}, "randomised=True chooses among"),
                            ({"best": "error", "randomised": True}, "not of the randomised classifiers"),
                            ({"best": "randomised_rate_gap", "randomised": True}, "of another rate at every value"),
                            ({"knee": True, "randomised": True}, "without intervals")):
            with self.assertRaisesRegex(fairfront_archive.ArchiveError, told):
                archive.choose(**words)

    def test_groups_are_found_as_in_training(self) -> None:
        frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip", dtype={"ward": object})
        for sensitive, more in (("30 <= age <= 50, sex", "group_map = f:women\n"), ("ward", "group_map = 2:two, *:others\n"),
                                ("ward", ""), ("largest(tau_m, tau_f)", ""), ('largest("tau_m", "tau_f")', ""), ("hours > 25.5", "")):
            for experiment in ("thresholds", "networks"):
                text = SWEEPS[experiment].replace("sensitive = ward", "sensitive = sex").replace(
                    "sensitive = sex\n", f"sensitive = {sensitive}\n{more}")
                archive = self.archive_of(text)
                point = 0 if experiment == "thresholds" else None
                with self.subTest(sensitive, experiment=experiment):
                    model = archive.model(0, point)
                    self.assertTrue(model.needs_group)
                    self.assert_same_bits(model.predictions(frame), self.said(0, point, None, False))
        with self.assertRaisesRegex(ValueError, "row 3, column 'hours': the cell must be a finite number"):
            model.predict(frame.assign(hours=["1", "2", "3", "x"] + ["4"] * (len(frame) - 4)))

    def test_clusters_within_a_balance_are_those_of_the_program(self) -> None:
        rows = people(200)[60:]
        rows[7][4] = rows[9][4] = ""  # sex
        moved = 0
        for rule in ("mean", "drop"):
            self.write("later.csv", rows)
            archive = self.archive_of(SWEEPS["clustering"].replace("= mean", f"= {rule}"))
            model = archive.model(0)
            frame = pandas.read_csv(self.folder / "later.csv", float_precision="round_trip")
            for balance in ("0", "0.35", "0.8"):
                with self.subTest(rule, balance=balance), mock.patch.dict(os.environ, {"FAIRFRONT": PROGRAM}):
                    (self.folder / "out.csv").unlink(missing_ok=True)
                    outcome = self.run_program("predict", "result.h5", "--rows", "later.csv", "--csv", "out.csv",
                                               "--balance", balance)
                    self.assertEqual(outcome.codes, [0], outcome.error)
                    found = model.predictions(frame, balance=float(balance))
                    self.assert_same_bits(found, pandas.read_csv(self.folder / "out.csv", float_precision="round_trip"))
                    facts = outcome.error.strip().partition("; balance")[2]
                    self.assertTrue(found.attrs["assignment"].endswith(f"; balance{facts}"), found.attrs)
                    moved += int((found["cluster"].dropna() != model.predictions(frame)["cluster"][found["cluster"].notna()]).sum())
                    told = model.predictions(frame, groups=frame["sex"], balance=float(balance))
                    pandas.testing.assert_frame_equal(told, found, check_exact=True)
            left_out = len(rows) - len(pandas.read_csv(self.folder / "out.csv"))
            self.assertGreaterEqual(left_out, 2)
            self.assertEqual(int(found["cluster"].isna().sum()), left_out)
        self.assertGreater(moved, 0)
        men = frame[frame["sex"] == "m"]
        with mock.patch.dict(os.environ, {"FAIRFRONT": PROGRAM}), \
                self.assertRaisesRegex(ValueError, "no assignment has balance 0.5"):
            model.predictions(men, balance=0.5)
        with mock.patch.dict(os.environ, {"FAIRFRONT": "no-program"}), \
                self.assertRaisesRegex(fairfront_archive.ArchiveError, "no-program: cannot be run"):
            model.predictions(frame, balance=0.5)

    def test_levels_in_an_order_are_numbers(self) -> None:
        digest = hashlib.sha256((self.folder / "people.csv").read_bytes()).hexdigest()
        (self.folder / "sets.ini").write_text(
            f"[file people.csv]\nsha256 = {digest}\norigin = a test\n[set people]\n"
            "title = People\n[task people owner]\nfile = people.csv\nfeatures = age, size\nordinal.size = small, middle, large\nsensitive = sex\nlabel = owner\n",
            encoding="utf-8")
        (self.folder / "config.ini").write_text("experiment = training\n[data]\ndata = people\n" + PARTS +
                                                "[training]\nbudget = 2000\n[sgd]\n", encoding="utf-8")
        self.succeed("run", "config.ini", "-o", "result.h5", "--catalogue", "sets.ini", "--data-dir", ".")
        frame = pandas.read_csv(self.folder / "later.csv")
        with fairfront_archive.open(self.folder / "result.h5", program=False) as archive:
            self.check(archive, 0, None, frame, "sex")
            with self.assertRaisesRegex(ValueError, "row 0, column 'size': the cell must be one of small, middle"):
                archive.model(0).predict(frame.assign(size="huge"))

    def test_texts_that_were_missing_in_training_are_missing(self) -> None:
        archive = self.archive_of(
            "experiment = training\n" + DATA + "missing = north\nlabel = owner\n"
            "sensitive = sex\nfeatures = region, size\ncategorical = region, size\nmissing_rule = mean\n" + PARTS +
            "[training]\nbudget = 2000\n[sgd]\n")
        frame = pandas.read_csv(self.folder / "later.csv")
        self.check(archive, 0, None, frame, "sex")
        model = archive.model(0)
        filled = frame.assign(region=frame["region"].mask(frame["region"] == "north", None))
        np.testing.assert_array_equal(model.predict(filled), model.predict(frame))
        scores = [model.predictions(frame.assign(region=name))["score"] for name in ("?", None, "north")]
        self.assertFalse((scores[0] == scores[1]).all())
        self.assertTrue((scores[2] == scores[1]).all())

    def test_cards_say_what_becomes_of_missing_cells(self) -> None:
        """The program's and Python's, which once named a filler where rows are left out or refused."""
        for rule, said in (("mean", " where it is missing"), ("zero", "; 0 where it is missing"),
                           ("drop", "; a row in which it is missing is left out"), ("error", "; a missing cell is refused")):
            names = "size" if rule == "error" else "region, size"
            numbers = "age" if rule == "error" else "age, income"
            self.archive_of("experiment = training\n" + DATA + f"label = owner\nsensitive = ward\n"
                            f"features = {numbers}, {names}\ncategorical = {names}\nmissing_rule = {rule}\n" + PARTS + "[training]\nbudget = 2000\n[sgd]\n")
            self.succeed("choose", "result.h5", "--model", "card.json", "--force")
            model = fairfront_archive.load_model(self.folder / "card.json")
            with self.subTest(rule):
                card = json.loads((self.folder / "card.json").read_text(encoding="utf-8"))["card"]
                self.assertEqual(card["inputs"], model.card["card"]["inputs"])
                self.assertEqual(card["group"], model.card["card"]["group"])
                self.assertRegex(card["inputs"][0], "age: a number" + ("; .*" if rule == "mean" else "") + said)

    def test_what_is_refused_is_told_in_a_line_with_the_model(self) -> None:
        archive = self.archive_of(SWEEPS["networks with thresholds"])
        model = archive.model(0)
        frame = pandas.read_csv(self.folder / "later.csv", dtype={"ward": object})
        odd = fairfront_archive.FittedModel(dataclasses.replace(
            model.source, shared=json.loads(json.dumps(model.source.shared).replace('"groups": ["1"', '"groups": ["one\\nline"'))))
        for refused in (lambda: model.predict(frame.drop(columns="age")), lambda: model.predictions(frame.assign(age="x")),
                        lambda: odd.predict(frame, groups=["two\nlines"] * len(frame)), lambda: model.predictions(frame, draw=-1),
                        lambda: model.predict_proba(frame.assign(ward="9"))):
            with self.assertRaises(ValueError) as told:
                refused()
            self.assertTrue(str(told.exception).startswith(f"{archive.path}, task 0: "), told.exception)
            self.assertNotIn("\n", str(told.exception))
        for refused in (lambda: archive.model("x"), lambda: archive.model(0, "x"), lambda: archive.measures()["error"].of("zzz")):
            with self.assertRaises(fairfront_archive.ArchiveError) as caught:
                refused()
            self.assertTrue(str(caught.exception).startswith(f"{archive.path}: "), caught.exception)
        for wish in ({"best": "zzz"}, {"method": "sgd"}, {"confidence": 0.9}, {"bound": "gap"}):
            with self.assertRaises(fairfront_archive.ArchiveError) as caught:
                archive.choose(**wish)
            self.assertTrue(str(caught.exception).startswith(f"{archive.path}: "), caught.exception)

    def test_what_has_no_model_is_told(self) -> None:
        archive = self.archive_of(SWEEPS["thresholds"] + "[measures]\n")
        audit = next(task.index for task in archive.tasks if task.method == "measures")
        thresholds = next(task.index for task in archive.tasks if task.method == "thresholds")
        for given, words in (((audit,), r"has no model: \[measures\] of the experiment predictions leaves none"),
                             ((9,), "there is no task 9, only 0"), ((thresholds,), "choose one, counted from 0"),
                             ((thresholds, 10000), "point 10000 is none, counted from 0")):
            with self.subTest(words), self.assertRaisesRegex(fairfront_archive.ArchiveError, words):
                archive.model(*given)

    def test_onnx_needs_its_package(self) -> None:
        if onnx is None:
            self.skipTest("python3-onnx is not installed: ONNX files were not compared with predict")


if __name__ == "__main__":
    unittest.main()
