"""`archive.choose` against `fairfront choose --json`, and models of files against `fairfront predict`."""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
import sys
import unittest
import unittest.mock

import numpy as np
import pandas

from program import PROGRAM, ProgramTest

ANALYSIS = pathlib.Path(__file__).resolve().parents[2] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import fairfront_archive  # noqa: E402

PARTS = "[split]\nvalidation = 0.3\ntest = 0.3\nstratify = group_and_label\n"
TRAINING = ("experiment = training\nseed = 1, 2\n[data]\ndata = syn_predictions\n{parts}[training]\nbudget = 20000\n"
            "[sgd]\nstep = 0.05, 0.1\n[alm]\ndelta = 0.3, 0.1, 0.03\n")
SWEEPS = {
    "clusterings": None,
    "thresholds": "experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n" + PARTS +
                  "[measures]\nparts = test\n[thresholds]\nfairness = demographic_parity, equalised_odds\n"
                  "choose_on = validation\nreport_on = test\n[drawn_thresholds]\nfairness = demographic_parity, equalised_odds\n"
                  "choose_on = validation\nreport_on = test\nslacks = 5\n",
    "training": TRAINING.format(parts=PARTS),
    "training with rows for tests": TRAINING.format(parts=PARTS + "choice = 0.2\n"),
    "training without a reported part": TRAINING.format(parts=PARTS.replace("test = 0.3", "test = 0\nchoice = 0.3")),
    "splits": "experiment = ranking\n[data]\ndata = syn_predictions\n" + PARTS + "split_seed = 1..3\n[ranking]\n"
              "metric = group\n[unconstrained_auc]\n[exact_auc]\nkappa = 0.02, 0.1, 0.4\n",
}


def wishes(archive: fairfront_archive.Archive) -> list[dict]:
    """With bounds in the middle of what there is."""
    fronts = archive.fronts()
    first, second = (one.name for one in fronts[0].objectives)
    sign = "<=" if fronts[0].objectives[1].direction == "minimise" else ">="
    values = np.sort(np.concatenate([front.points[:, 1] for front in fronts]))
    middle = f"{second}{sign}{values[len(values) // 2]!r}"
    ends = [f"{second}{sign}{value!r}" for value in (values[0], values[-1], values[0] - 1, values[-1] + 1)]
    wanted = [{}, {"knee": True}, {"best": second}, {"bound": middle}, {"bound": middle, "knee": True},
              {"bound": middle, "method": fronts[-1].task.method}, *({"bound": bound} for bound in ends),
              *({"bound": bound, "confidence": c} for bound in (middle, *ends) for c in (0.6, 0.9, 0.95, 0.99))]
    single = all(len(front.points) == 1 for front in fronts)
    if single and "separation_gap" in archive.measures():
        wanted.append({"bound": "equalised_odds_gap<=0.3", "best": "demographic_parity_gap"})
    measures = [measure for measure in archive.measures().values() if measure.what.direction == "minimise"]
    for place, measure in enumerate(measures if single else []):
        found = measure.of(measure.reported)[:, 0]
        if np.isfinite(found).all():
            bound = f"{measure.what.name}<={np.median(found)!r}"
            both = ({"bound": [middle, bound]}, {"best": measure.what.name})
            wanted += [both[place % 2], ({"bound": bound, "confidence": 0.9} if place % 2 else
                                         {"bound": [bound, middle], "confidence": 0.9})]
    return wanted


def arguments(wish: dict) -> list[str]:
    bounds = wish.get("bound", [])
    words = [word for bound in ([bounds] if isinstance(bounds, str) else bounds) for word in ("--bound", bound)]
    words += ["--knee"] if wish.get("knee") else []
    return words + [word for name in ("best", "method", "confidence") if name in wish
                    for word in (f"--{name}", str(wish[name]))]


class PythonChoice(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        program = unittest.mock.patch.dict(os.environ, {"FAIRFRONT": PROGRAM})  # that measures points
        program.start()
        self.addCleanup(program.stop)

    def archive_of(self, text: str | None) -> fairfront_archive.Archive:
        if text is not None:
            (self.folder / "config.ini").write_text(text, encoding="utf-8")
        self.succeed("run", "config.ini", "-o", "result.h5", "--force")
        archive = fairfront_archive.open(self.folder / "result.h5", program=False)
        self.addCleanup(archive.close)
        return archive

    def assert_same(self, told: dict | None, mine: fairfront_archive.Candidate | None) -> None:
        self.assertEqual(told is None, mine is None)
        if told is None:
            return
        self.assertEqual((told["task"], told["point"], told["method"], told["keeps_bounds"], told["key"]),
                         (mine.task.index, mine.point, mine.task.method, mine.keeps, mine.task.key))
        self.assertEqual(list(told["values"]), list(mine.values))
        for name, value in mine.values.items():
            for end in ("decided", "reported", "low", "high"):
                self.assert_number(told["values"][name][end], getattr(value, end))
            for end, found in zip(("value", "low", "high"), value.tested):
                if "tested" in told["values"][name]:
                    self.assert_number(told["values"][name]["tested"][end], found)

    def assert_number(self, told: float | None, mine: float) -> None:
        self.assertEqual(told, None if math.isnan(mine) else mine if math.isfinite(mine) else str(mine))

    def test_words_of_an_objective_stand_for_it(self) -> None:
        archive = self.archive_of("experiment = clustering3\n[data]\ndata = csv\nfile = people.csv\nfeatures = age, hours\n"
                                  "sensitive = sex, region\n[clustering]\nclusters = 3\n[safairkm_front]\niterations = 20\n"
                                  "starts = 6\n")
        first, second = (f"balance by the {which} attribute" for which in ("first", "second"))
        full = {"bound": [f"{first}>=0.1", f"{second}>=0.1", "clustering cost<=1000"], "best": second}
        words = {"bound": ["balance>=0.1", "cost<=1000"], "best": "second attribute"}
        expected = self.run_program("choose", "result.h5", "--json", *arguments(full))
        told = self.run_program("choose", "result.h5", "--json", *arguments(words))
        self.assertEqual((told.codes, told.out), (expected.codes, expected.out), told.error)
        self.assertEqual(told.codes, [0])
        mine = archive.choose(**words)[0].chosen
        self.assert_same(json.loads(told.out)[0]["chosen"], mine)
        self.assertGreaterEqual(min(mine.values[first].decided, mine.values[second].decided), 0.1)
        for wish, said in (({"best": "balance"}, f"'balance' is of several objectives, of which one is to be best: {first}, {second}"),
                           ({"bound": "bal>=0.1"}, "there is no objective or measure 'bal'")):
            self.assertIn(said, self.run_program("choose", "result.h5", *arguments(wish)).error)
            with self.assertRaisesRegex(fairfront_archive.ArchiveError, said):
                archive.choose(**wish)

    def test_choices_are_those_of_the_program(self) -> None:
        refused = certified = measured = called_for = truths_known = 0
        reasons = set()
        for name, text in SWEEPS.items():
            archive = self.archive_of(text)
            for wish in wishes(archive):
                with self.subTest(name, wish=wish):
                    outcome = self.run_program("choose", "result.h5", "--json", *arguments(wish))
                    if outcome.codes == [2]:
                        refused += 1
                        self.assertRaises(fairfront_archive.ArchiveError, archive.choose, **wish)
                        continue
                    told = json.loads(outcome.out)
                    measured += any(one["measured"] for one in told)  # on the data, which the archive has not
                    mine = archive.choose(**wish)
                    self.assertEqual([one["problem"] for one in told], [one.problem for one in mine])
                    for problem, choice in zip(told, mine):
                        self.assertEqual(problem["points"], len(choice.candidates))
                        self.assert_same(problem["chosen"], choice.chosen)
                        self.assertEqual(problem.get("reason", ""), choice.reason)
                        self.assertEqual(choice.chosen is None, bool(choice.reason))
                        reasons.add(re.split(r"[:;]| is not known", choice.reason)[0])
                        certified += choice.certified
                        self.assertEqual(problem.get("certified", 0), choice.certified)
                        begin = int(choice.chosen is not None)
                        for one, other in zip(problem["next"], choice.candidates[begin:]):
                            self.assert_same(one, other)
                        if problem.get("rows_needed") == "inf":
                            self.assertEqual(choice.rows_needed, math.inf)
                        elif "rows_needed" in problem:
                            self.assertAlmostEqual(choice.rows_needed / problem["rows_needed"], 1, delta=1e-9)
                        self.assert_same_truths(problem.get("rows_at_truths", []), choice.rows_at_truths)
                        self.assert_same(problem.get("nearest"), choice.nearest)
                        if math.isfinite(choice.rows_needed):
                            called_for += 1
                            self.assertRegex(choice._repr_html_(), rf"would need some [\d.]+ times the rows of the {choice.tested_on}")
                            of_truths = "with 9 chances in 10, were the truth known" in choice._repr_html_()
                            self.assertEqual(of_truths, bool(choice.rows_at_truths))
                            truths_known += of_truths
        self.assertGreater(refused, 0)
        self.assertGreater(certified, 0)
        self.assertGreater(measured, 0)
        self.assertGreater(called_for, 0)
        self.assertGreater(truths_known, 0)
        self.assertGreaterEqual(reasons, {"", "no point keeps every bound", "nothing can be certified"})

    def test_the_reason_is_what_the_command_says(self) -> None:
        archive = self.archive_of(SWEEPS["training"])
        measure = "independence_gap"
        for wish in ({"bound": f"{measure}<=-1"}, {"bound": f"{measure}<=-1", "confidence": 0.9},
                     {"bound": f"{measure}<=0.01", "confidence": 0.95}, {"bound": "auc>=2", "best": "error"}):
            with self.subTest(wish=wish):
                outcome = self.run_program("choose", "result.h5", *arguments(wish))
                for choice in archive.choose(**wish):
                    self.assertIsNone(choice.chosen)
                    self.assertIn(f"\n  {choice.reason}", outcome.out)
        self.assertEqual(archive.choose()[0].reason, "")

    def assert_same_truths(self, told: list[dict], mine: list[fairfront_archive.RowsAtTruth]) -> None:
        self.assertEqual(len(told), len(mine))
        for one, other in zip(told, mine):
            for truth, own in zip(one["truth"], other.truth, strict=True):
                self.assertAlmostEqual(truth, own, delta=1e-12)
            self.assertAlmostEqual(math.log(float(one["times"])), math.log(other.times), delta=1e-6)

    def test_one_problem_is_that_which_the_command_names(self) -> None:
        """Python had no such argument."""
        for name in ("splits", "thresholds"):
            archive = self.archive_of(SWEEPS[name])
            every = [choice.problem for choice in archive.choose()]
            second = archive.fronts()[0].objectives[1].name
            for problem in every:
                for wish in ({}, {"knee": True}, {"best": second, "method": archive.fronts()[0].task.method}):
                    with self.subTest(name, problem=problem, wish=wish):
                        words = ["--problem", problem, *arguments(wish)]
                        outcome = self.run_program("choose", "result.h5", "--json", *words)
                        if outcome.codes == [2]:  # of another method
                            self.assertIn(f"no problem '{problem}'", outcome.error)
                            with self.assertRaisesRegex(fairfront_archive.ArchiveError, f"no problem '{problem}'; there are: "):
                                archive.choose(problem=problem, **wish)
                            continue
                        (told,) = json.loads(outcome.out)
                        (mine,) = archive.choose(problem=problem, **wish)
                        self.assertEqual((told["problem"], told["points"]), (mine.problem, len(mine.candidates)))
                        self.assert_same(told["chosen"], mine.chosen)
                        (same,) = (one for one in archive.choose(**wish) if one.problem == problem)
                        self.assertEqual(mine.chosen, same.chosen)
            outcome = self.run_program("choose", "result.h5", "--problem", "nothing")
            self.assertIn("no problem 'nothing' (valid: ", outcome.error)
            for given, words in (("nothing", f"no problem 'nothing'; there are: {'; '.join(every)}"), ("", "no problem ''"),
                                 (3, "problem = 3, must be a text")):
                with self.assertRaisesRegex(fairfront_archive.ArchiveError, re.escape(words)):
                    archive.choose(problem=given)

    def test_points_of_one_problem_are_measured_by_the_program(self) -> None:
        archive = self.archive_of(SWEEPS["thresholds"].replace(", equalised_odds", "").replace(PARTS, PARTS + "split_seed = 1, 2\n"))
        problems = [choice.problem for choice in archive.choose()]
        self.assertEqual(len(problems), 2)
        (mine,) = archive.choose(bound="error<=0.9", best="separation_gap", problem=problems[1])
        told = self.succeed("choose", "result.h5", "--json", "--bound", "error<=0.9", "--best", "separation_gap", "--problem", problems[1])
        (told,) = json.loads(told)
        self.assertTrue(told["measured"])
        self.assertEqual(told["problem"], mine.problem)
        self.assert_same(told["chosen"], mine.chosen)

    def test_intervals_of_a_chosen_point_of_several_are_those_of_the_program(self) -> None:
        archive = self.archive_of(SWEEPS["thresholds"])
        told = json.loads(self.succeed("choose", "result.h5", "--json", "--intervals"))
        self.assertGreater(max(len(front.points) for front in archive.fronts()), 1)
        for one, mine in zip(told, archive.choose(intervals=True), strict=True):
            self.assert_same(one["chosen"], mine.chosen)
            self.assertFalse(any(math.isnan(value.low + value.high) for value in mine.chosen.values.values()))
        self.assertTrue(all(math.isnan(value.low) for one in archive.choose() for value in one.chosen.values.values()))

    def test_names_that_are_offered_for_a_proof_are_those_of_the_program(self) -> None:
        archive = self.archive_of(SWEEPS["training with rows for tests"])
        for sign in ("<=", ">="):
            wish = {"bound": f"quantity{sign}1", "confidence": 0.9}
            told = self.run_program("choose", "result.h5", *arguments(wish)).error
            with self.assertRaises(fairfront_archive.ArchiveError) as caught:
                archive.choose(**wish)
            mine = str(caught.exception)
            taken, _, left_out = mine.partition("; there are: ")[2].partition("; no bound")
            shown = told.partition("(valid: ")[2].partition(" and ")[0]
            self.assertTrue(taken.startswith(shown + ", "), told)
            self.assertIn("; without a value on the validation part, which decides: ", left_out)
            self.assertIn(left_out.strip(), told)
            for name in taken.split(", "):
                self.assertTrue(archive.choose(bound=f"{name}{sign}1", confidence=0.9))
            for name in (name for names in left_out.split(": ")[1:] for name in names.partition(";")[0].split(", ")):
                with self.assertRaises(fairfront_archive.ArchiveError):
                    archive.choose(bound=f"{name}{sign}1", confidence=0.9)

    def test_a_front_of_one_point_is_measured_by_the_program(self) -> None:
        (self.folder / "perfect.csv").write_text("score,label,sex\n" + "0,0,f\n1,1,f\n0,0,m\n1,1,m\n" * 50, encoding="utf-8")
        archive = self.archive_of("experiment = predictions\n[data]\ndata = csv\nfile = perfect.csv\nlabel = label\n"
                                  "sensitive = sex\n[predictions]\nscore = score\n" + PARTS + "[thresholds]\nchoose_on = validation\nreport_on = test\n")
        self.assertEqual([len(front.points) for front in archive.fronts()], [1])
        (choice,) = archive.choose(best="worst_group_error", data_dir=self.folder)
        self.assertEqual(choice.chosen.values["worst_group_error"].decided, 0)
        (self.folder / "perfect.csv").unlink()
        with self.assertRaisesRegex(fairfront_archive.ArchiveError, r"perfect\.csv.*data_dir") as told:
            archive.choose(best="worst_group_error", data_dir=self.folder)
        self.assertNotIn("--data-dir", str(told.exception))

    def test_the_only_point_of_a_ranking_is_not_the_model_that_its_task_has_measures_of(self) -> None:
        archive = self.archive_of(SWEEPS["splits"].partition("[unconstrained_auc]")[0] + "front_points = 2\nresamples = 0\n[unconstrained_auc]\n"
                                  "[correlation_penalty]\nweight = 0.1, 1\nsteps = 90\nlook_every = 30\n")
        apart = [front.task.index for front in archive.fronts() if len(front.points) == 1 and archive.has_points_apart(front.task.index)]
        self.assertGreater(len(apart), 0)
        for wish in ({"best": "group_auc_gap"}, {"bound": "auc_gap<=0.9", "confidence": 0.9}, {"bound": "auc_gap<=0.9", "intervals": True}):
            words = [*arguments(wish), "--method", "correlation_penalty", *(["--intervals"] if "intervals" in wish else [])]
            told = json.loads(self.succeed("choose", "result.h5", *words, "--json", "--all"))
            mine = archive.choose(method="correlation_penalty", **wish)
            for one, choice in zip(told, mine, strict=True):
                for each, candidate in zip([one["chosen"], *one["next"]], choice.candidates, strict=True):
                    self.assert_same(each, candidate)
                if choice.chosen.task.index in apart:
                    self.assertTrue(math.isfinite(choice.chosen.values["auc_gap"].high))
        ended, point = archive.model(apart[0]), archive.model(apart[0], 0)
        self.assertIn(f"task {apart[0]}, the model that its measures are of, of result.h5", ended.card["card"]["model"])
        self.assertEqual((ended.card["provenance"]["point"], point.card["provenance"]["point"]), (None, 0))
        self.assertEqual((ended.card["choice"]["values"], point.card["measures"]), ({}, []))
        self.assertGreater(len(ended.card["measures"]), 0)
        self.assertIn("auc", point.card["choice"]["values"])

    def test_of_a_method_that_may_not_take_part_no_name_is_wrong(self) -> None:
        archive = self.archive_of("experiment = regression\n[data]\ndata = csv\nfile = people.csv\nlabel = hours\nfeatures = age\n"
                                  "sensitive = sex\n[split]\nvalidation = 0.3\nchoice = 0.2\ntest = 0.2\n[base_model]\n[adw]\nrounds = 5\n")
        for wish in ({}, {"confidence": 0.9}):
            (choice, *_) = archive.choose(bound="risk<=100", method="adw", **wish)
            self.assertEqual((choice.chosen, choice.candidates), (None, []))

    def test_what_cannot_be_chosen_is_told_in_a_line(self) -> None:
        audit = ("experiment = predictions\n[data]\ndata = syn_predictions\n[predictions]\nscore = calibrated\n" + PARTS +
                 "[measures]\nparts = validation, test\n")
        decided = TRAINING.format(parts="[split]\nvalidation = 0.3\ntest = 0\n").replace("seed = 1, 2", "seed = 1")
        no_interval = "has no interval on the"
        cases = [(audit, {}, "holds no fronts"), (audit, {"bound": "error<=0.5", "confidence": 0.9}, "holds no fronts"),
                 (audit, {"best": "error"}, "holds no fronts"), (audit, {"best": 3}, "best = 3, must be a text"),
                 (decided, {"confidence": 0.9}, "a confidence is that of a bound"),
                 (decided, {"bound": "error<=0.5", "confidence": 0.9}, no_interval),
                 (decided, {"bound": "gap<=0.5", "confidence": 0.9}, no_interval),
                 (decided, {"bound": "gap<=0.5", "confidence": 0.98}, "at most 0.975; for 0.98 .* of confidence 0.96$"),
                 (None, {"bound": "balance>=0.1", "confidence": 0.9}, "keeps no rows back"),
                 (None, {"best": "nothing"}, "no objective or measure 'nothing'")]
        for text, wish, words in cases:
            with self.subTest(wish, words=words):
                self.write_config({})
                archive = self.archive_of(text)
                if text != audit:  # of which the program says that there is nothing, without an error
                    outcome = self.run_program("choose", "result.h5", "--json", *arguments(wish))
                    self.assertEqual(outcome.codes, [2])
                with self.assertRaisesRegex(fairfront_archive.ArchiveError, words) as caught:
                    archive.choose(**wish)
                self.assertNotIn("\n", str(caught.exception))
        for name in ("knee", "randomised"):
            with self.assertRaisesRegex(fairfront_archive.ArchiveError, f"{name} = 'no', must be True or False"):
                archive.choose(**{name: "no"})

    def test_methods_that_are_offered_make_fronts(self) -> None:
        archive = self.archive_of(SWEEPS["thresholds"])
        for method, words in (("sgd", "no task of the method 'sgd'; there are: drawn_thresholds, thresholds"),
                              ("measures", "'measures' makes no fronts, and so no point to choose; these do: drawn_thresholds, thresholds")):
            with self.assertRaisesRegex(fairfront_archive.ArchiveError, words):
                archive.choose(method=method)

    def test_points_of_fronts_are_measured_where_data_and_program_are(self) -> None:
        archive = self.archive_of(SWEEPS["thresholds"].replace(", equalised_odds", ""))
        gap = np.sort(np.concatenate([front.points[:, 1] for front in archive.fronts()]))
        wish = {"bound": f"gap<={gap[len(gap) // 2] + 0.2!r}", "confidence": 0.9}
        (choice,) = archive.choose(**wish)
        self.assertEqual({(one.task.index, one.point) for one in choice.candidates},
                         {(front.task.index, point) for front in archive.fronts() for point in range(len(front.points))})
        self.assertGreater(choice.certified, 0)
        frame = choice.frame()
        self.assertEqual(list(frame.certified), [place < choice.certified for place in range(len(frame))])
        told = json.loads(self.run_program("choose", "result.h5", "--bound", wish["bound"], "--confidence", "0.9", "--all",
                                           "--json").out)[0]
        self.assertEqual([one["certified"] for one in (told["chosen"], *told["next"])], list(frame.certified))
        for place, one in enumerate(choice.candidates):
            self.assertEqual(one.excess <= 0, one.keeps)
            value, low, high = one.values["gap"].tested
            self.assertEqual(tuple(frame.loc[place, ["gap, tested", "gap, tested low", "gap, tested high"]]), (value, low, high))
            self.assertLessEqual(value, high)
            if place < choice.certified:
                self.assertLessEqual(high, choice.bounds[0].limit)
        self.assertEqual(choice.model().source.place, f"{archive.path}, task {choice.chosen.task.index}, "
                         f"point {choice.chosen.point}")
        self.require_card_of_file(archive, choice, "--bound", wish["bound"], "--confidence", "0.9")
        with unittest.mock.patch.dict(os.environ, {"FAIRFRONT": "no-program"}), \
                self.assertRaisesRegex(fairfront_archive.ArchiveError, "no-program: cannot be run"):
            archive.choose(**wish)
        (impossible,) = archive.choose(bound="gap<=-1", confidence=0.9)
        self.assertIsNone(impossible.chosen)
        self.assertEqual(len(impossible.candidates), len(choice.candidates))
        self.assertIn(f"task {impossible.nearest.task.index}, point {impossible.nearest.point} comes nearest",
                      repr(impossible))
        self.assertEqual(impossible.rows_needed, math.inf)
        told = self.run_program("choose", "result.h5", "--bound", "gap<=-1", "--confidence", "0.9", "--json")
        self.assertEqual((told.codes, json.loads(told.out)[0]["rows_needed"]), ([1], "inf"))

    def require_card_of_file(self, archive: fairfront_archive.Archive, choice: fairfront_archive.Choice,
                             *options: str) -> dict:
        """Whether the card of the choice's model says of the choice what that of the program's model file says."""
        self.succeed("choose", "result.h5", *options, "--force", "--model", "model.json")
        of_file = fairfront_archive.load_model(self.folder / "model.json").card
        told = choice.model().card
        self.assertEqual(told["card"], of_file["card"])
        self.assertEqual(told["choice"], of_file["choice"])
        self.assertEqual(told["provenance"] | {"program": of_file["provenance"]["program"]}, of_file["provenance"])
        if choice.chosen.of == 1:
            self.assertEqual(told["measures"], of_file["measures"])
        html = choice.model()._repr_html_()
        self.assertIn("<th style='text-align:left;vertical-align:top'>guarantee</th>", html)
        return told

    def test_the_card_of_one_of_two_tables_names_it_alone_and_no_group_is_a_gap(self) -> None:
        draw = np.random.default_rng(4)
        for name in ("first", "second"):
            table = pandas.DataFrame({"age": draw.uniform(0, 1, 400), "sex": draw.choice(["f", "m"], 400)})
            table["owner"] = (table.age + draw.normal(0, 0.2, 400) > 0.5).astype(int)
            table.to_csv(self.folder / f"{name}.csv", index=False)
        archive = self.archive_of("experiment = training\n[data]\ndata = csv\nfile = first.csv, second.csv\nlabel = owner\n"
                                  "features = age\nsensitive = sex\n[split]\nchoice = 0.2\n[training]\nbudget = 2000\n"
                                  "[alm]\ndelta = 0.1, 0.5\n")
        for choice in archive.choose(best="error"):
            card = self.require_card_of_file(archive, choice, "--problem", choice.problem, "--best", "error")
            self.assertEqual([file["name"] for file in card["provenance"]["data"]["files"]],
                             [choice.chosen.task.axes["data.file"]])
            gaps = {(one["part"], one["group"]) for one in card["measures"] if one["name"] == "independence_gap"}
            self.assertEqual(gaps, {(part, "all") for part, _ in gaps})
            self.assertRegex(choice.model()._repr_html_(), r"independence_gap \(test\)")

    def test_the_card_of_a_chosen_model_has_the_guarantee_of_its_file(self) -> None:
        archive = self.archive_of(SWEEPS["training"])
        gap = archive.fronts()[0].objectives[1].name
        (choice,) = archive.choose(bound=[f"{gap}<=1", "error<=1"], best="error")
        card = self.require_card_of_file(archive, choice, "--bound", f"{gap}<=1", "--bound", "error<=1", "--best", "error")
        self.assertIn(f"{gap} <= 1, error <= 1 holds on the validation part, which the choice has seen",
                      card["card"]["guarantee"])
        (free,) = archive.choose()
        self.assertIn("no bound to keep", self.require_card_of_file(archive, free)["card"]["guarantee"])
        (certified,) = archive.choose(bound="error<=0.99", best="error", confidence=0.95)
        card = self.require_card_of_file(archive, certified, "--bound", "error<=0.99", "--best", "error", "--confidence", "0.95")
        self.assertIn("with a confidence of 0.95, error <= 0.99 holds in the population", card["card"]["guarantee"])

    def test_the_model_of_a_file_predicts_as_that_of_the_choice(self) -> None:
        archive = self.archive_of(SWEEPS["training"].replace("seed = 1, 2", "seed = 1"))
        gap = archive.fronts()[0].objectives[1].name
        self.succeed("choose", "result.h5", "--bound", f"{gap}<=0.5", "--model", "model.json")
        model = fairfront_archive.load_model(self.folder / "model.json")
        draw = np.random.default_rng(1)
        frame = pandas.DataFrame({name: draw.uniform(0, 1, 50) for name in model.feature_names_in_})
        frame.to_csv(self.folder / "new.csv", index=False)
        self.succeed("predict", "model.json", "--rows", "new.csv", "--csv", "out.csv")
        said = pandas.read_csv(self.folder / "out.csv", float_precision="round_trip")
        frame = pandas.read_csv(self.folder / "new.csv", float_precision="round_trip")
        (choice,) = archive.choose(bound=f"{gap}<=0.5")
        for one in (model, choice.model()):
            pandas.testing.assert_frame_equal(one.predictions(frame), said, check_exact=True, check_dtype=False)
        self.assertIn(archive.digest, model._repr_html_())
        self.assertIn(f"{gap} &lt;= 0.5", model._repr_html_())
        text = (self.folder / "model.json").read_text(encoding="utf-8")
        (self.folder / "model.json").write_text(text.replace('"decision"', '"decisiom"', 1), encoding="utf-8")
        with self.assertRaisesRegex(fairfront_archive.ArchiveError, "not those that were written"):
            fairfront_archive.load_model(self.folder / "model.json")


if __name__ == "__main__":
    unittest.main()
