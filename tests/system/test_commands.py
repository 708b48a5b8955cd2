"""Every command does what its help says, and the documentation's snippets work."""

from __future__ import annotations

import collections
import concurrent.futures
import csv
import json
import pathlib
import re
import subprocess
import sys
import unittest

from program import ProgramTest, people

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DATA = (ROOT / "doc" / "data.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "doc/commands.md").read_text(encoding="utf-8")
ARCHIVE = (ROOT / "doc/archive.md").read_text(encoding="utf-8")
US_STATES = (ROOT / "src/data/catalogue/us_states.cpp").read_text(encoding="utf-8")


class Help(ProgramTest):
    def commands(self) -> list[str]:
        """As the program lists them."""
        found = re.findall(r"^  (\w+) ", self.succeed("--help"), re.MULTILINE)
        self.assertLessEqual({"run", "plan", "show", "verify", "list"}, set(found))
        return found

    def test_every_command_explains_itself(self) -> None:
        for command in self.commands():
            for arguments in ((command, "--help"), ("help", command)):
                with self.subTest(arguments):
                    self.assertIn(f"usage: fairfront {command}", self.succeed(*arguments))

    def test_every_option_is_explained_by_a_sentence(self) -> None:
        for command in self.commands():
            page = self.succeed("help", "--man", command)
            options = re.findall(r"^\.TP\n(.*)\n(.*)$", page.partition(".SH OPTIONS")[2].partition(".SH ")[0], re.MULTILINE)
            self.assertTrue(options, command)
            for name, text in options:
                with self.subTest(command=command, option=name):
                    self.assertRegex(text, r"^[A-Z].* .*\.$")

    def test_the_documentation_has_every_command_and_no_other(self) -> None:
        told = re.findall(r"^\| `fairfront (\w+)", COMMANDS, re.MULTILINE)
        self.assertEqual(set(told), set(self.commands()))

    def test_only_commands_that_run_tasks_need_mpi(self) -> None:
        archive = self.make_archive().name
        broken = {"OMPI_MCA_pml": "none_such"}
        self.assertNotEqual(self.run_program("plan", "config.ini", "--probe", extra=broken).codes, [0])
        for words in (("--version",), ("--help",), ("list", "solvers"), ("plan", "config.ini"), ("show", archive),
                      ("verify", archive), ("measure", archive), ("diff", archive, archive),
                      ("choose", archive, "--knee"), ("export", archive, "--csv", "-")):
            with self.subTest(words):
                outcome = self.run_program(*words, extra=broken)
                self.assertEqual((outcome.codes, outcome.error), ([0], ""))

    def test_commands_that_start_at_the_same_time_do_not_disturb_each_other(self) -> None:
        # Some of those that share a folder of MPI's fail: some percent of eight at a time.
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(lambda _: self.run_program("run", "--help"), range(150)))
        self.assertEqual([outcome.error for outcome in outcomes if outcome.codes != [0]], [])

    def test_help_is_printed_once_on_several_ranks(self) -> None:
        self.assertEqual(self.succeed("run", "--help", ranks=3).count("usage: fairfront run"), 1)

    def test_the_version_names_revision_compiler_and_libraries(self) -> None:
        text = self.succeed("--version")
        for word in ("revision", "compiler", "HDF5", "MPI", "computes with"):
            self.assertIn(word, text)


class Commands(ProgramTest):
    def test_plan_counts_tasks_and_runs_nothing(self) -> None:
        self.write_config({".seed": "1..3", "clustering.clusters": "2, 3"})
        before = self.files()
        text = self.succeed("plan", "config.ini")
        self.assertRegex(text, r"(?m)^tasks: 6$")
        self.assertEqual(self.files(), before)

    def test_plan_adds_up_the_memory_of_tasks_that_run_at_the_same_time(self) -> None:
        rows = 200_000
        with open(self.folder / "table.csv", "w") as table:
            table.write("y,g,s\n")
            table.writelines(f"{i % 2},{'ab'[i // 2 % 2]},{i * 7919 % 10007 / 10007:.4f}\n" for i in range(rows))
        (self.folder / "config.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = table.csv\nlabel = y\nsensitive = g\n"
            "[predictions]\nscore = s\n[measures]\nparts = all\n"
            "[thresholds]\nfairness = demographic_parity, equalised_odds\nchoose_on = all\nreport_on = none\n")

        def megabytes_on(ranks: int) -> float:
            text = self.succeed("plan", "config.ini", "--ranks", str(ranks))
            found = re.search(rf"; {ranks} ranks on it ([0-9.]+) MB\n", text)
            self.assertIsNotNone(found, text)
            return float(found.group(1))

        mpi = 6
        of_thresholds = 40 * rows / 1e6  # [measures] takes 90 bytes a row, and is one task
        self.assertAlmostEqual(megabytes_on(3) - megabytes_on(2), mpi + of_thresholds, delta=4)

    def test_a_probe_runs_one_task_of_each_kind_and_leaves_nothing(self) -> None:
        self.write_config({".seed": "1..3", "clustering.clusters": "2, 3", "lloyd.restarts": "1, 4"})
        before = self.files()
        text = self.succeed("plan", "config.ini", "--probe", "--ranks", "4").partition("\nprobe\n")[2]
        # The middle one of three that are equally short.
        self.assertRegex(text, r"(?m)^  task 2: safairkm_front, seed=2, clustering.clusters=2 +[0-9.e-]+ +3 ")
        self.assertRegex(text, r"(?m)^  task \d+: lloyd, .*lloyd.restarts=1 ")
        self.assertNotIn("lloyd.restarts=4", text)
        self.assertRegex(text, r"core hours of CPU time; .* memory a task beside the data; on 4 ranks .*\n.*--time=0:05:00;")
        self.assertEqual(self.files(), before)
        outcome = self.run_program("plan", "config.ini", "--probe", ranks=2)
        self.assertEqual(set(outcome.codes), {2})
        self.assertIn("--probe runs on one rank", outcome.error)

    def test_a_dry_run_writes_nothing(self) -> None:
        before = self.files()
        self.succeed("run", "config.ini", "-o", "result.h5", "--dry-run", ranks=2)
        self.assertEqual(self.files(), before)

    def test_set_changes_the_config(self) -> None:
        self.assertRegex(self.succeed("plan", "config.ini", "--set", "seed=1..5"), r"(?m)^tasks: 5$")

    def test_show_prints_the_front_with_names_and_units(self) -> None:
        self.make_archive()
        text = self.succeed("show", "result.h5")
        for word in ("safairkm_front", "clustering cost [squared distance] (min)",
                     "balance [ratio] (max)", "hypervolume"):
            self.assertIn(word, text)

    def test_show_names_the_problem_of_every_front(self) -> None:
        self.write_config({"clustering.clusters": "2, 3"})
        self.make_archive("two.h5")
        text = self.succeed("show", "two.h5")
        self.assertRegex(text, r"front of task \d+ \[safairkm_front, clustering\.clusters=2\]: \d+ points")
        self.assertRegex(text, r"front of task \d+ \[safairkm_front, clustering\.clusters=3\]: \d+ points")

    def test_show_has_measures_of_training_rows_when_asked_alone(self) -> None:
        def parts(*options: str) -> set[str]:
            table = self.succeed("show", "taught.h5", *options).partition("\nmeasures\n")[2].partition("\n\n")[0]
            return {line.split()[1] for line in table.splitlines() if line.startswith("  error ")}

        def train(shares: str) -> None:
            (self.folder / "taught.ini").write_text(
                "experiment = training\n[data]\ndata = syn_predictions\nsubsample = 300\n[split]\n" + shares +
                "[model]\nhidden =\n[sgd]\n[training]\nbudget = 2000\n", encoding="utf-8")
            self.succeed("run", "taught.ini", "-o", "taught.h5", "--force")

        train("validation = 0.2\ntest = 0.2\n")
        self.assertEqual(parts(), {"validation", "test"})
        self.assertIn("of the training rows (--training shows them)", self.succeed("show", "taught.h5"))
        self.assertEqual(parts("--training"), {"train", "validation", "test"})
        train("validation = 0\ntest = 0.2\n")  # the training part decides
        self.assertEqual(parts(), {"train", "test"})
        train("validation = 0\ntest = 0\n")  # there is no other
        self.assertEqual(parts(), {"train"})

    def test_show_compares_several_models_with_the_first(self) -> None:
        self.write_people([["y", "g", "p", "q"], *([str(i % 2), "ab"[i % 3 == 0], str(i // 2 % 2), str(i % 2)]
                                                   for i in range(40))])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\nsensitive = g\n"
            "[predictions]\nscore = p, q\n[measures]\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        self.succeed("replay", "audit.h5")
        table = self.succeed("show", "audit.h5").partition("\nless those of predictions.reference = p,")[2]
        self.assertRegex(table, r"measure +part +q \(task 1\)")
        self.assertRegex(table, r"\n  error +all +-0\.5 \[\S+, \S+\], p = \S+, better\n")
        self.succeed("run", "audit.ini", "-o", "apart.h5", "--set", "reference=")
        self.assertNotIn("less those of", self.succeed("show", "apart.h5"))
        self.assertNotIn("different rows", table)
        lines = (self.folder / "people.csv").read_text(encoding="utf-8").splitlines()
        lines[5] = lines[5].rpartition(",")[0] + ","  # of q
        (self.folder / "missing.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "missing.h5", "--set", "missing_rule=drop", "--set", "file=missing.csv")
        self.assertIn("models are measured on different rows of the part all, as cells are missing: p (task 0) on 40, "
                      "q (task 1) on 39; differences are of rows that both have", self.succeed("show", "missing.h5"))
        # A model that joins is compared with the same one.
        self.succeed("run", "audit.ini", "-o", "one.h5", "--set", "score=p")
        self.succeed("run", "audit.ini", "-o", "one.h5", "--extend")
        self.assertIn("q (task 1)", self.succeed("show", "one.h5"))

    def test_show_says_why_a_measure_is_undefined(self) -> None:
        self.write_people([["y", "g", "s"], ["1", "a", "0.9"], ["0", "a", "0.2"], ["0", "b", "0.4"]])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\n"
            "sensitive = g\n[split]\nvalidation = 0\ntest = 0\n[predictions]\nscore = s\n"
            "[measures]\nresamples = 20\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        self.succeed("verify", "audit.h5")
        self.succeed("replay", "audit.h5")
        out = self.succeed("show", "audit.h5")
        self.assertRegex(out, r"independence_gap +all +0\.5 \[0, \S+\]\n")
        remarks = out.partition("\nremarks\n")[2]
        self.assertRegex(remarks, r"task 0: undefined: .*label 1 in group 'b': .*true_positive_gap \(all\)")

    def test_who_learnt_from_the_deciding_labels_is_marked(self) -> None:
        (self.folder / "adw.ini").write_text(
            "experiment = regression\n[data]\ndata = syn_four_groups\nsubsample = 120\n[split]\n"
            "validation = 0.4\ntest = 0.3\nstratify = group\n[adw]\nepsilon = 0.1, 0.5\nrounds = 2\n"
            "thresholds = 5\nlearn_from = train, train_and_unlabelled\n", encoding="utf-8")
        self.succeed("run", "adw.ini", "-o", "adw.h5")
        out = self.succeed("show", "adw.h5")
        self.assertRegex(out, r"adw\.learn_from=train_and_unlabelled +2 +\d +\d +\S+ \* ")
        self.assertRegex(out, r"adw\.learn_from=train +2 +\d +\d +\S+ +1 ")
        self.assertIn("* learnt from labels or groups of the part that decides", out)

    def test_data_of_an_audit_names_the_part_of_every_row(self) -> None:
        self.write_people([["y", "g", "s"], *([str(i % 2), "ab"[i % 3 == 0], f"0.{i:02}"]
                                              for i in range(50))])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\n"
            "sensitive = g\n[split]\nvalidation = 0.2\ntest = 0.3\n[predictions]\nscore = s\n"
            "[measures]\n", encoding="utf-8")
        self.succeed("data", "audit.ini", "--csv", "rows.csv")
        with open(self.folder / "rows.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["s"]) for row in rows], [i / 100 for i in range(50)])
        self.assertEqual([float(row["label"]) for row in rows], [i % 2 for i in range(50)])
        self.assertEqual([row["group"] for row in rows], ["ab"[i % 3 == 0] for i in range(50)])
        sizes = collections.Counter(row["part"] for row in rows)
        self.assertEqual(sizes, {"train": 25, "validation": 10, "test": 15})

    def test_an_audit_needs_no_training_rows(self) -> None:
        self.write_people([["y", "g", '"m, 1"', "n"], *([str(i % 2), "ab"[i % 3 == 0], f"0.{i:02}", "0.5"] for i in range(60))])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\n"
            "sensitive = g\n[split]\nvalidation = 0.4\ntest = 0.6\n[predictions]\nscore = \"m, 1\", n\n"
            "[measures]\n", encoding="utf-8")
        self.assertRegex(self.succeed("plan", "audit.ini"), r"group +rows +train +validation +test\n +a +\d+ +0 ")
        self.succeed("run", "audit.ini", "--dry-run")
        self.succeed("plan", "audit.ini", "--probe")
        self.succeed("data", "audit.ini", "--csv", "rows.csv")
        with open(self.folder / "rows.csv", encoding="utf-8", newline="") as file:
            self.assertEqual(collections.Counter(row["part"] for row in csv.DictReader(file)), {"validation": 24, "test": 36})
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        self.assertIn('axis     predictions.score (setting) = "m, 1", n\n', self.succeed("show", "audit.h5"))
        self.assertIn('features "m, 1"', self.succeed("show", "audit.h5"))

    def test_list_knows_every_topic(self) -> None:
        for topic, word in (("experiments", "clustering"), ("solvers", "[safairkm_front]"),
                            ("datasets", "adult"), ("options", "missing_rule"),
                            ("metrics", "hypervolume")):
            with self.subTest(topic):
                self.assertIn(word, self.succeed("list", topic))

    def test_lists_of_programs_say_what_those_of_people_say(self) -> None:
        everything = json.loads(self.succeed("list", "--json"))
        self.assertEqual(list(everything), ["experiments", "solvers", "datasets"])
        for topic, found in everything.items():
            self.assertEqual(json.loads(self.succeed("list", topic, "--json")), found)
            text = self.succeed("list", topic)
            for one in found:
                self.assertIn(one["title"], text)
                self.assertIn(one.get("name", one.get("section")), text)
        self.assertEqual({(one["experiment"], one["section"]) for one in everything["solvers"]},
                         {(one["name"], method) for one in everything["experiments"] for method in one["methods"]})
        for topic, inside in (("options", "sections"), ("metrics", "results")):
            found = json.loads(self.succeed("list", topic, "--json"))
            self.assertEqual([one["experiment"] for one in found], [one["name"] for one in everything["experiments"]])
            (training,) = json.loads(self.succeed("list", topic, "training", "--json"))
            self.assertEqual(training[inside], next(one for one in found if one["experiment"] == "training")[inside])

    def test_options_are_listed_for_programs_with_what_they_depend_on(self) -> None:
        (training,) = json.loads(self.succeed("list", "options", "training", "--json"))
        text = self.succeed("list", "options", "training")
        for section in training["sections"]:
            for one in section["options"]:
                self.assertIn(f"\n  {one['name']} = {one['default']}".rstrip(), text)
                self.assertIn(one["meaning"], text)
                for condition in one.get("conditions", []):
                    said = condition["only_if"]
                    self.assertIn(f"without effect: {condition['why']}" if said is None else f"only if {said}", text)
        options = {(section["section"], one["name"]): one for section in training["sections"] for one in section["options"]}
        self.assertEqual(options["training", "rate_of"]["conditions"],
                         [{"only_if": "rate is not none", "why": "no rate is bounded"}])
        delta = options["alm", "delta"]
        self.assertEqual((delta["default"], delta["type"], delta["role"]), ("0.005", "number", "trade_off"))
        self.assertEqual(self.run_program("list", "option", "--json").codes, [2])

    def test_list_says_where_options_matter(self) -> None:
        training = self.succeed("list", "options", "training")
        self.assertRegex(training, r"\n  grid_size = .*\n.*\n.*\n      only if search = grid\n")
        self.assertIn("\n  seed, model.initialisation: without effect: [exact_training] draws nothing\n", training)
        alternating = self.succeed("list", "options", "alternating")
        self.assertRegex(alternating, r"\n\[data\] .*\n  only if alternating.problem = data\n")
        self.assertRegex(self.succeed("list", "options", "predictions"), r"\n  seed = 1\n.*\n.*\n      without effect: ")

    def test_small_groups_are_told_of_by_plan_and_at_the_begin_of_a_run(self) -> None:
        table = people()
        table[1][table[0].index("sex")] = "x"
        self.write_people(table)
        warning = r"warning: data set 'csv': \d of \d groups have .* 'x[^']*' 1 \(1\.67 %\)"
        self.assertRegex(self.succeed("plan", "config.ini"), warning)
        outcome = self.run_program("run", "config.ini", "-o", "result.h5", ranks=2)
        self.assertRegex(outcome.error, warning)
        self.assertLess(outcome.error.index("warning: data set"), outcome.error.index("tasks,"))
        quiet = self.run_program("run", "config.ini", "-o", "quiet.h5", "--quiet", ranks=2)
        self.assertRegex(quiet.error, warning)
        self.assertNotIn("tasks,", quiet.error)

    def test_plan_says_what_it_understood_of_a_table_once(self) -> None:
        header = ["sex", 'the "work"', "age, in years", "y", "p", "q"]
        rows = [["fm"[i % 3 == 0], ["field", "home", ""][i % 5 % 3], str(20 + i * 7 % 41), "no yes".split()[i % 2],
                 f"0.{i % 90 + 10}", str(i)] for i in range(120)]
        with open(self.folder / "people.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        data = ('[data]\ndata = csv\nfile = people.csv\nsensitive = sex\nmissing_rule = mean\n{}'
                'features = "the ""work""", "age, in years"\ncategorical = auto\n')
        label = "label = y\npositive = yes\n"
        split = "[split]\nvalidation = 0.25\ntest = 0.25\nsplit_seed = 1..3\n"
        configs = {
            "clustering": data.format("") + "[clustering]\nclusters = 2\n[balance_ladder]\n",
            "regression": data.format("label = p\n") + split + "[dp_lp]\nepsilon = 0.1\n",
            "training": data.format(label) + split + "[model]\nhidden =\n[exact_training]\ndelta = 0.1\n",
            "ranking": data.format(label) + split + "[exact_auc]\nkappa = 0.1\n",
            "alternating": data.format(label) + "[alternating]\nproblem = data\n[epsilon_constraint]\n",
            "predictions": "".join(line for line in data.format(label).splitlines(True)
                                   if not line.startswith(("features", "categorical", "missing_rule"))) + split +
                           "[predictions]\nscore = p, q\n[measures]\n",
        }
        for experiment, config in configs.items():
            with self.subTest(experiment):
                (self.folder / "own.ini").write_text(f"experiment = {experiment}\n{config}", encoding="utf-8")
                text = self.succeed("plan", "own.ini").partition("\ndata\n")[2]
                if experiment == "predictions":
                    self.assertIn("    numbers     q\n", text)
                else:
                    self.assertRegex(text, r'    numbers     "age, in years"\n    categories  "the ""work""" \(2 names\)\n')
                self.assertEqual(text.count("  2 groups of sex\n"), 1)
                if "label = y" in config:
                    self.assertIn("y: 0 is no (60 rows), 1 is yes (60 rows)", text)
                if "[split]" in config:
                    self.assertRegex(text, r"group +rows +train +validation +test\n +f +80 +\d+ +\d+ +\d+\n"
                                           r" +m +40 +\d+ +\d+ +\d+\n +all +120 +60 +30 +30\n")
                    self.assertIn("the first of 3 draws", text)
                else:
                    self.assertRegex(text, r"group +rows\n +f +80\n +m +40\n +all +120\n")

    def test_show_tells_values_of_models_apart(self) -> None:
        """Six digits may be the same where one model is better."""
        rows = [[f"{i % 89 / 100 + 0.05:.7f}", f"{i % 89 / 100 + 0.0500001:.7f}", str(i // 3 % 2), "fm"[i % 2]] for i in range(300)]
        self.write_people([["first", "second", "y", "sex"], *rows])
        (self.folder / "audit.ini").write_text(
            "experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = y\nsensitive = sex\n"
            "[predictions]\nscore = first, second\n[measures]\n", encoding="utf-8")
        self.succeed("run", "audit.ini", "-o", "audit.h5")
        shown = self.succeed("show", "audit.h5").partition("\nmeasures\n")[2].partition("\n\n")[0]
        values = {line.split()[0]: re.findall(r" (\d[\d.e-]*)(?= \[|$| )", line) for line in shown.splitlines()[1:]}
        self.assertEqual(len({*values["log_loss"]}), 2, values["log_loss"])
        self.assertGreater(max(map(len, values["log_loss"])), len("0.123456"))
        self.assertEqual(len({*values["error"]}), 1, values["error"])

    def test_plan_cuts_no_name(self) -> None:
        """Values and recipes had "income of the hous ... the year 2008", and two files stood there alike that differ in the middle."""
        columns = [f"income of the household in the year {1950 + i}" for i in range(60)]
        self.write_people([[*columns, "sex"], *([str(i * j % 17) for j in range(60)] + ["fm"[i % 2]] for i in range(40))])
        self.write_config({"data.features": ", ".join(columns)})
        said = self.succeed("plan", "config.ini")
        value = said.partition("data.features")[2].partition("data.categorical")[0]
        self.assertLess(max(map(len, value.splitlines())), 130)
        (recipe,) = [line for line in said.splitlines() if "; categories none" in line]
        for text in (" ".join(re.sub(r"config\.ini:\d+", "", value).split()), recipe.partition("features ")[2].partition(";")[0]):
            listed = text.split(", ")
            self.assertIn("...", text)
            self.assertEqual([name for name in listed if name.removeprefix("... ") not in columns], [], text)
        long = "/".join(["a_folder_with_a_name_that_is_long"] * 6)
        for year in ("2023", "2024"):
            (self.folder / long / year / long).mkdir(parents=True)
            (self.folder / "people.csv").rename(self.folder / long / year / long / "people.csv")
            self.write_config({"data.features": columns[0], "data.file": f"{long}/{year}/{long}/people.csv"})
            self.assertIn(f"{long}/{year}/{long}/people.csv", self.succeed("plan", "config.ini"))
            (self.folder / long / year / long / "people.csv").rename(self.folder / "people.csv")

    def test_plan_names_the_first_of_many_columns_once(self) -> None:
        names = [f"column{i}" for i in range(300)]
        self.write_people([[*names, "g", "y"], *([*(str((i * 7 + j * j) % 11) for j in range(300)), "ab"[i % 2], str(i % 3)]
                                                 for i in range(60))])
        (self.folder / "wide.ini").write_text(
            f"experiment = regression\n[data]\ndata = csv\nfile = people.csv\nfeatures = {', '.join(names)}\n"
            "sensitive = g\nlabel = y\n[split]\nvalidation = 0.4\ntest = 0.3\nsplit_seed = 1..5\n[dp_lp]\nepsilon = 0.1\n"
            "[base_model]\n", encoding="utf-8")
        text = self.succeed("plan", "wide.ini")
        self.assertIn("column11, and 288 more (300 in all)", text)
        self.assertNotIn("column150", text)
        self.assertLess(text.count("column3,"), 4)
        warnings = re.findall(r"warning: the design of .*", text)
        self.assertTrue(warnings)
        self.assertEqual(len(warnings), len(set(warnings)))

    def test_a_run_reports_one_summary_line_on_several_ranks(self) -> None:
        text = self.succeed("run", "config.ini", "-o", "result.h5", ranks=3)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertIn("result.h5", text)

    def less_data(self, config: pathlib.Path) -> list[str]:
        """Of a config that reads the largest file once for each of many states: two, and the rest by name."""
        states = re.search(r"(?m)^state = (.*)$", config.read_text(encoding="utf-8"))
        if states is None:
            return []
        known = re.findall(r'"([A-Z]{2})"', US_STATES)
        self.assertLessEqual(set(states[1].split(", ")), set(known))
        return ["--set", "data.state=AL, PR"]

    def test_configs_that_come_with_the_program_are_valid(self) -> None:
        # Those that need a data set are checked where it is; here, their sections and keys.
        for config in sorted((ROOT / "configs").rglob("*.ini")):
            with self.subTest(config.name):
                outcome = self.run_program("plan", str(config), *self.less_data(config))
                if outcome.codes != [0]:
                    self.assertRegex(outcome.error, r"get_data|put it there|(people|applicants)\.csv")


class Documentation(ProgramTest):
    def test_its_regression_config_runs_on_such_a_table(self) -> None:
        block, = [block for block in re.findall(r"```ini\n(.*?)```", DATA, re.DOTALL)
                  if "experiment = regression" in block]
        (self.folder / "fair.ini").write_text(block, encoding="utf-8")
        with open(self.folder / "predictions.csv", "w", encoding="utf-8") as file:
            file.write("salary,sex,forest,p_female,p_male\n")
            for i in range(200):
                man, level = i % 3 == 0, i * 37 % 100
                share = (level + (50 if man else 0)) / 160 + 0.02
                file.write(f"{30 + level + i % 7},{'male' if man else 'female'},{30 + level},"
                           f"{1 - share:.6f},{share:.6f}\n")
        self.succeed("run", "fair.ini", "-o", "fair.h5", ranks=2)
        self.succeed("verify", "fair.h5")
        self.succeed("replay", "fair.h5")

    def test_its_clustering_config_runs_on_such_a_table(self) -> None:
        block, = [block for block in re.findall(r"```ini\n(.*?)```", README, re.DOTALL)
                  if "experiment = clustering" in block]
        (self.folder / "own.ini").write_text(block, encoding="utf-8")
        rows = ["age,income,hours,sex,region", *(f"{18 + i * 7 % 60},{900 + i * 37 % 500},{i % 50},"
                                                 f"{'fm'[i % 2]},{'ns'[i % 3 == 0]}" for i in range(60))]
        (self.folder / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        self.succeed("run", "own.ini", "-o", "own.h5", ranks=2)
        self.succeed("verify", "own.h5")

    def test_its_audit_runs_on_such_a_table(self) -> None:
        for text in (README, DATA):
            block, = [block for block in re.findall(r"```ini\n(.*?)```", text, re.DOTALL)
                      if "experiment = predictions" in block]
            (self.folder / "audit.ini").write_text(block, encoding="utf-8")
            rows = ["y,sex,region,logistic,forest",
                    *(f"{i * 7 % 5 // 3},{'fm'[i % 2]},{'ns'[i % 3 == 0]},0.{10 + i * 37 % 80},"
                      f"0.{10 + i * 53 % 80}" for i in range(300))]
            (self.folder / "predictions.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
            self.succeed("run", "audit.ini", "-o", "audit.h5", "--force", ranks=2)
            self.succeed("verify", "audit.h5")
            self.assertIn("independence_gap", self.succeed("show", "audit.h5"))

    def test_its_python_lines_read_an_archive(self) -> None:
        blocks = [block for block in re.findall(r"```python\n(.*?)```", ARCHIVE, re.DOTALL)
                  if "h5py" in block]
        self.assertTrue(blocks, "doc/archive.md has no ```python block with h5py")
        for block in blocks:
            self.make_archive(re.search(r'"(\w+\.h5)"', block)[1])
            result = subprocess.run([sys.executable, "-c", block], cwd=self.folder, text=True,
                                    capture_output=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
