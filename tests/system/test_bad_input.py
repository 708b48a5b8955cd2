"""Whatever is wrong with the input: one line that says so, status 2 on every rank, no file."""

from __future__ import annotations

import csv
import gzip
import os
import unittest

from program import ProgramTest, people

RANKS = (None, 3)


class BadInput(ProgramTest):
    def assert_refused(self, arguments: list[str], *patterns: str,
                       extra: dict[str, str] | None = None,
                       on: tuple[int | None, ...] = RANKS) -> str:
        """The error's text; the same on one and on three ranks but for the rank's number."""
        before = self.files()
        text = ""
        for ranks in on if extra is None else (None,):
            with self.subTest(arguments=arguments, ranks=ranks):
                outcome = self.run_program(*arguments, ranks=ranks, extra=extra)
                self.assertEqual(outcome.codes, [2] * (ranks or 1), outcome.error)
                lines = outcome.error.splitlines()
                self.assertEqual(len(lines), 1, outcome.error)
                self.assertTrue(lines[0].startswith("fairfront: error: "), lines[0])
                self.assertLess(len(outcome.error.encode()), 4000)
                self.assertNotRegex(lines[0], r"[\x00-\x1f\x7f-\x9f]|std::|what\(\)")
                for pattern in patterns:
                    self.assertRegex(lines[0], pattern)
                self.assertEqual(self.files(), before)
                text = outcome.error
        return text

    def assert_bytes_refused(self, config: bytes, *patterns: str) -> None:
        (self.folder / "config.ini").write_bytes(config)
        self.assert_refused(["run", "config.ini", "-o", "result.h5"], *patterns, on=(None,))

    def assert_config_refused(self, changes: dict[str, str | None], *patterns: str) -> str:
        self.write_config(changes)
        return self.assert_refused(["run", "config.ini", "-o", "result.h5"], *patterns)


class BadEnvironment(BadInput):
    def test_vectors_that_are_unknown_are_refused_by_every_command(self) -> None:
        for arguments in (["--version"], ["list"], ["run", "config.ini", "-o", "result.h5"]):
            self.assert_refused(arguments, "FAIRFRONT_SIMD = mmx, must be one of .*avx2, avx512",
                                extra={"FAIRFRONT_SIMD": "mmx"})


class BadConfig(BadInput):
    def test_a_missing_config_is_named(self) -> None:
        self.assert_refused(["run", "nowhere.ini"], r"nowhere\.ini", "No such file")

    def test_an_unknown_key_is_placed_and_the_nearest_name_given(self) -> None:
        self.assert_config_refused({"safairkm_front.iteratoins": "3"}, r"config\.ini:\d+: ",
                                   "'iteratoins'", r"\biterations\b")

    def test_an_unknown_section_is_placed_and_the_nearest_name_given(self) -> None:
        self.assert_config_refused({"safairkm_frnt.iterations": "3"}, r"config\.ini:\d+: ",
                                   r"\[safairkm_frnt\]", r"\bsafairkm_front\b")

    def test_an_unknown_experiment_is_refused(self) -> None:
        self.assert_config_refused({".experiment": "clustring"}, r"config\.ini:1: ", "clustering")

    def test_no_iterations_are_refused_with_the_rule(self) -> None:
        self.assert_config_refused({"safairkm_front.iterations": "0"}, r"config\.ini:\d+: ",
                                   "iterations = '0'", ">= 1")

    def test_a_word_where_a_number_belongs_is_refused(self) -> None:
        self.assert_config_refused({"safairkm_front.iterations": "many"}, "iterations", "many")

    def test_bad_pairs_are_refused(self) -> None:
        for pairs in ("(0,0)", "(3", "(3,-1)", "(3,1,2)", "3,1"):
            with self.subTest(pairs):
                self.assert_config_refused({"safairkm_front.pairs": pairs}, r"config\.ini:\d+: ",
                                           "pairs")

    def test_a_pair_that_takes_more_rows_than_there_are_is_refused(self) -> None:
        self.assert_config_refused({"safairkm_front.pairs": "(61,1)"}, r"config\.ini:\d+: ", "61",
                                   "60")

    def test_more_clusters_than_rows_are_refused(self) -> None:
        self.assert_config_refused({"clustering.clusters": "61"}, r"config\.ini:\d+: ", "61", "60")

    def test_more_drawn_rows_than_there_are_are_refused(self) -> None:
        self.assert_config_refused({"data.subsample": "61"}, r"config\.ini:\d+: ", "61", "60")

    def test_the_ends_of_the_number_range_are_refused(self) -> None:
        least = "-9223372036854775808"
        for value in (f"{least}..3", f"2^{least}", "2..9223372036854775807", "1e999"):
            with self.subTest(value):
                self.write_config({"clustering.clusters": value})
                self.assert_refused(["plan", "config.ini"], r"config\.ini:\d+: ", "clusters",
                                    on=(None,))

    def test_squares_that_vanish_or_overflow_name_the_column(self) -> None:
        for unit in ("e-200", "e200"):
            with self.subTest(unit):
                table = people()
                for row in table[1:]:
                    row[0] += unit
                    row[1] += unit
                self.write_people(table)
                self.assert_config_refused({}, "'(age|hours)'")

    def test_a_cell_that_is_too_large_is_named_by_file_line_and_column(self) -> None:
        table = people()
        table[8][1] = "1e308"
        self.write_people(table)
        for scaling in ({}, {"preparation.scaling": "zscore"},
                        {"preparation.row_scaling": "unit"}):
            with self.subTest(scaling):
                self.assert_config_refused(scaling, r"people\.csv: line 9, column 'hours'", "1e100")

    def test_one_group_names_the_option_the_file_and_the_column(self) -> None:
        table = people()
        for row in table[1:]:
            row[2] = "f"
        self.write_people(table)
        self.assert_config_refused({}, r"config\.ini:\d+: data\.sensitive must make at least two groups: in "
                                   "'people.csv' all rows have the same sex")

    def test_one_group_is_said_in_the_same_words_by_every_family(self) -> None:
        rows = ["a,sex,y"] + [f"{i},f,{i % 2}" for i in range(60)]
        (self.folder / "one.csv").write_text("\n".join(rows) + "\n")
        for experiment, sections in (("clustering", "[clustering]\nclusters = 2\n[lloyd]\n"),
                                     ("alternating", "[alternating]\nproblem = data\n[sa2gd]\n"),
                                     ("regression", "[base_model]\n"),
                                     ("ranking", "[unconstrained_auc]\n"), ("training", "[sgd]\n")):
            parts = "" if experiment == "clustering" else "[split]\nvalidation = 0.2\ntest = 0.2\n"
            label = "" if experiment == "clustering" else "label = y\n"
            with self.subTest(experiment):
                (self.folder / "one.ini").write_text(
                    f"experiment = {experiment}\nseed = 1\n[data]\ndata = csv\nfile = one.csv\n"
                    f"features = a\nsensitive = sex\n{label}{parts}{sections}")
                self.assert_refused(["run", "one.ini"],
                                    r"one\.ini:7: data\.sensitive must make at least two groups: in "
                                    "'one.csv' all rows have the same sex")

    def test_an_error_in_an_override_names_the_override(self) -> None:
        self.assert_refused(["run", "config.ini", "--set", "clustering.clusters=none"],
                            "--set clustering.clusters=none", "clusters")


    def test_a_value_behind_good_ones_is_told_before_anything_runs(self) -> None:
        (self.folder / "rates.ini").write_text(
            "experiment = training\nseed = 1, 2\n[data]\ndata = syn_predictions\n[training]\nbudget = 2000\n"
            "rate = demographic_parity\nbound_of = ratio\n[alm]\ndelta = 0.5, 1.5, 0.8, 2\n")
        warning = (r"warning: rates\.ini:10: alm\.delta = 1\.5, must be in \[0, 1\].*; this task will fail, "
                   r"and 1 more \(seeds are not counted\)")
        self.assertRegex(self.succeed("plan", "rates.ini"), warning)
        for ranks in RANKS:
            outcome = self.run_program("run", "rates.ini", "-o", f"{ranks}.h5", ranks=ranks)
            self.assertEqual(set(outcome.codes), {1}, outcome.error)
            self.assertRegex(outcome.out + outcome.error, warning)
            self.assertIn("4 tasks done, 4 failed", outcome.out)


class BadText(BadInput):
    """Configs that are no plain text in UTF-8, or very large."""

    def setUp(self) -> None:
        super().setUp()
        self.config = (self.folder / "config.ini").read_bytes()

    def test_what_is_not_utf8_is_placed(self) -> None:
        config = self.config.replace(b"people.csv", "p\xe9ople.csv".encode("latin-1"))
        self.assert_bytes_refused(config, r"config\.ini:\d+: column 9: .*UTF-8")

    def test_control_characters_are_placed_and_not_printed(self) -> None:
        for character in (b"\0", b"\x1b[31m"):
            with self.subTest(character):
                config = self.config.replace(b"people.csv", b"people" + character + b".csv")
                self.assert_bytes_refused(config, r"config\.ini:\d+: column 14: ")

    def test_other_encodings_get_one_plain_message(self) -> None:
        text = self.config.decode()
        self.assert_bytes_refused(text.encode("utf-16-le"), "UTF-16")
        self.assert_bytes_refused(text.replace("\n", "\r").encode(), "carriage returns")

    def test_large_configs_are_refused_in_short(self) -> None:
        lines = {"sections": b"".join(b"[s%d]\n" % i for i in range(100_000)),
                 "value": b"starts = " + b"9" * 1_000_000}
        for name, more in lines.items():
            with self.subTest(name):
                self.assert_bytes_refused(self.config.replace(b"starts = 4\n", b"") + more,
                                          r"config\.ini:\d+: ")

    def test_a_config_that_is_no_file_ends(self) -> None:
        self.assert_refused(["plan", "/dev/zero"], "/dev/zero", "64 MiB", on=(None,))


class Usage(BadInput):
    def test_what_lacks_or_does_not_go_together_is_told_with_what_to_do(self) -> None:
        self.write_config({})
        self.succeed("run", "config.ini", "-o", "made.h5")
        for arguments, said in ((["export", "made.h5"], "export: name what to write by --csv DIR, --hdf5 FILE or both"),
                                (["merge", "made.h5"], "merge: name the archive to write by --output FILE"),
                                (["data", "config.ini"], "data: name the table to write by --csv FILE"),
                                (["list", "solvers", "training"], "list: leave 'training' out"),
                                (["run", "config.ini", "-o", "new.h5", "--retry-failed"], "add --resume or --extend: --retry-failed"),
                                (["choose", "made.h5", "--randomised", "--knee"], "choose: leave --knee or --randomised out")):
            self.assert_refused(arguments, f"error: {said}", on=(None,))


class IdleOptions(BadInput):
    def test_an_axis_that_changes_nothing_is_refused_with_the_reason(self) -> None:
        self.assert_config_refused({"data.subsample_seed": "1..3"}, r"config\.ini:\d+: ",
                                   "subsample_seed", "subsample = 0")
        self.assert_config_refused({"data.subsample_seed": None, "data.generator_seed": "1, 2"},
                                   r"config\.ini:\d+: ", "generator_seed", "not generated")

    def test_a_single_value_is_a_warning(self) -> None:
        self.write_config({"data.subsample_seed": "3"})
        outcome = self.run_program("run", "config.ini", "-o", "result.h5")
        self.assertEqual(outcome.codes, [0], outcome.error)
        self.assertRegex(outcome.error, r"warning: config\.ini:\d+: data\.subsample_seed")

    def test_a_warning_names_the_value_that_gives_the_option_a_meaning(self) -> None:
        (self.folder / "grid.ini").write_text("experiment = training\n[data]\ndata = syn_predictions\nsubsample = 100\n[model]\nhidden =\n"
                                              "[reductions]\ngrid_size = 20\n", encoding="utf-8")
        self.assertIn("grid.ini:8: set reductions.search = grid, or leave out reductions.grid_size, which changes nothing: "
                      "search = mixture has no grid", self.succeed("plan", "grid.ini"))


class BadData(BadInput):
    def test_a_missing_file_is_named(self) -> None:
        self.assert_config_refused({"data.file": "nobody.csv"}, r"config\.ini:\d+: ",
                                   r"nobody\.csv")

    def test_a_missing_column_is_told_at_the_option_that_names_it(self) -> None:
        for option, value, column in (("data.sensitive", "sexx", "sexx"),
                                      ("data.features", "age, q", "q"),
                                      ("data.where", "z > 3", "z")):
            with self.subTest(option):
                self.write_config({option: value})
                lines = (self.folder / "config.ini").read_text(encoding="utf-8").splitlines()
                key = option.partition(".")[2]
                (line,) = [number for number, text in enumerate(lines, 1)
                           if text.partition("=")[0].strip() == key]
                outcome = self.run_program("plan", "config.ini")
                self.assertEqual(outcome.codes, [2])
                self.assertRegex(outcome.error,
                                 rf"config\.ini:{line}: .*there is no column '{column}'")

    def test_what_a_table_does_not_suit_is_told_by_the_option_that_mends_it(self) -> None:
        rows = [["size", "work, at home", "sex", "hired", "wage"],
                *([str(i * 7 % 83), ("none", "some")[i % 2], "fm"[i % 3 % 2], ("no", "yes")[i % 5 % 2], str(1000 + i)]
                  for i in range(90))]
        with open(self.folder / "own.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        with open(self.folder / "semi.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(rows)
        data = ('[data]\ndata = csv\nfile = own.csv\nsensitive = sex\nfeatures = {}\ncategorical = auto\n'
                "label = {}\n[split]\nvalidation = 0.2\ntest = 0.2\n")
        features = '"""work, at home"""'
        configs = {"training": data.format(features, "hired") + "[model]\nhidden =\n[exact_training]\ndelta = 0.1\n",
                   "ranking": data.format(features, "hired") + "[exact_auc]\nkappa = 0.1\n",
                   "regression": data.format(features, "wage") + "[dp_lp]\nepsilon = 0.1\n",
                   "alternating": data.format(features, "hired") + "[alternating]\nproblem = data\n[epsilon_constraint]\n"}
        numbers = r"--set data\.sensitive=size: .*data\.sensitive names a column of 83 different numbers.*comparison"
        for experiment, config in configs.items():
            (self.folder / "own.ini").write_text(f"experiment = {experiment}\n{config}", encoding="utf-8")
            self.succeed("plan", "own.ini")
            self.assert_refused(["plan", "own.ini", "--set", "data.sensitive=size"], numbers, on=(None,))
            self.assert_refused(["plan", "own.ini", "--set", "data.sensitive=sex, size"],
                                "names a column of 83 different numbers", on=(None,))
        (self.folder / "own.ini").write_text("experiment = training\n" + configs["training"], encoding="utf-8")
        changed = ["plan", "own.ini", "--set"]
        self.assert_refused([*changed, "data.categorical="], r"--set data\.categorical=: .*line 2, column 'work, at home': the "
                            r"cell must be a finite number; where models learn from columns of names, data\.categorical lists these", on=(None,))
        self.assert_refused([*changed, "data.positive=maybe"], r"column 'hired': data\.positive names 'maybe', which does not "
                            r"occur in this column, the label \(valid: no, yes\)", on=(None,))
        self.assert_refused([*changed, "data.label=wage", "--set", "data.positive=yes"], r"column 'wage': data\.positive names "
                            r"'yes', which does not occur in this column, the label, of 90 different values", on=(None,))
        self.assert_refused([*changed, "data.label=q"], r"\(valid: size, \"work, at home\", sex, hired, wage\)", on=(None,))
        self.assert_refused([*changed, "data.file=semi.csv"], r"data\.separator says what stands between the cells", on=(None,))

    def test_a_table_in_the_place_of_an_archive_is_not_damaged(self) -> None:
        self.assertNotIn("damaged", self.assert_refused(["show", "people.csv"], "'people.csv' is not a fairfront archive: it is text; name the file that `fairfront run -o` has made"))

    def test_the_first_line_says_what_to_do(self) -> None:
        for path, content in (("binary.h5", b"\0\1\2"), ("other.h5", b"\x89HDF\r\n\x1a\n"), ("nothing.csv", b"")):
            (self.folder / path).write_bytes(content)
        for path in ("binary.h5", "other.h5"):
            outcome = self.run_program("show", path)
            self.assertEqual(outcome.codes, [4])
            self.assertIn("name the file that `fairfront run -o` has made", outcome.error.splitlines()[0])
        self.assert_refused(["show", "nofile.h5"], "check the name, which is the one behind -o of `fairfront run`")
        self.assert_refused(["status", "nofile.h5"], "name the archive that `fairfront run` writes")
        self.assert_refused(["plan", "nofile.ini"], "check the name, and the folder that it is below", on=(None,))
        self.assert_refused(["plan", "people.csv"], r"a comment begins with #", on=(None,))
        self.assert_config_refused({"data.file": "nothing.csv"}, "the file has no rows; write one for each person or thing")
        self.assert_config_refused({"data.file": "nothing.csv", "data.features": None}, "data.file is empty: its first line must name")

    def test_what_is_no_file_is_refused_with_the_reason(self) -> None:
        os.mkfifo(self.folder / "pipe.csv")
        os.symlink("loop.csv", self.folder / "loop.csv")
        with gzip.open(self.folder / "packed.csv.gz", "wt", encoding="utf-8") as file:
            file.write("age\n")
        for name, reason in {"pipe.csv": "it is a pipe", "loop.csv": "symbolic links",
                             "/dev/zero": "a device", "/dev/tty": "a device", ".": "a directory",
                             "/proc/self/status": "the kernel makes its content",
                             # Whose reader waits for ever, or who may not open it.
                             "/proc/kmsg": "cannot read '/proc/kmsg'",
                             "x" * 5000: "name too long", "packed.csv": r"packed\.csv\.gz"}.items():
            with self.subTest(name):
                self.write_config({"data.file": name})
                self.assert_refused(["run", "config.ini", "-o", "result.h5"], r"config\.ini:\d+: ",
                                    reason, on=(None,))

    def test_texts_that_are_no_tables_name_the_file_and_the_line(self) -> None:
        text = (self.folder / "people.csv").read_text(encoding="utf-8")
        tables = {"the file has no rows": b"", "a header and no rows": text.split("\n")[0].encode(),
                  "UTF-16": text.encode("utf-16"),
                  "carriage returns": text.replace("\n", "\r").encode(),
                  "zero byte": text.encode() + b"\0",
                  "line 62: the row has 1000001 cells": text.encode() + b"1," * 1_000_000 + b"\n",
                  "line 62": text.encode() + b'"never closed' + b"x" * 1_000_000,
                  "line 2, column 'sex': the name is not UTF-8":
                      text.replace(",f,", ",\xe9,").replace(",m,", ",\xe9,").encode("latin-1"),
                  r"no column 'age'(?!.*c24)":
                      ",".join(f"c{i}" for i in range(100_000)).encode() + b"\n1\n"}
        for reason, table in tables.items():
            with self.subTest(reason):
                (self.folder / "people.csv").write_bytes(table)
                self.assert_refused(["run", "config.ini", "-o", "result.h5"], r"people\.csv",
                                    reason, on=(None,))

    def test_a_row_in_the_place_of_the_header_is_not_shown(self) -> None:
        table = people()
        table[0] = ["39", "secret", "f", "north"]
        self.write_people(table)
        text = self.assert_config_refused({}, r"people\.csv", "header")
        self.assertNotIn("secret", text)

    def test_an_unknown_data_set_is_refused(self) -> None:
        self.assert_config_refused({"data.data": "adlut", "data.file": None}, "adlut", "adult")

    def test_a_wrong_column_is_named_with_the_nearest_one(self) -> None:
        self.assert_config_refused({"data.features": "age, huors"}, "huors", "hours")

    def test_a_cell_that_is_no_number_is_placed_but_not_shown(self) -> None:
        table = people()
        table[17][1] = "secret-value"
        self.write_people(table)
        text = self.assert_config_refused({}, r"people\.csv", "line 18", "'hours'")
        self.assertNotIn("secret", text)

    def test_numbers_that_are_not_finite_are_placed(self) -> None:
        for cell in ("nan", "inf", "1e999"):
            with self.subTest(cell):
                table = people()
                table[4][0] = cell
                self.write_people(table)
                self.assert_config_refused({}, "line 5", "'age'")

    def test_a_missing_cell_is_placed(self) -> None:
        for cell in ("", "?"):
            with self.subTest(cell):
                table = people()
                table[9][2] = cell
                self.write_people(table)
                self.assert_config_refused({}, "line 10", "'sex'")

    def test_a_row_that_is_too_short_is_placed(self) -> None:
        table = people()
        del table[5][3]
        self.write_people(table)
        self.assert_config_refused({}, "line 6")

    def test_a_group_without_a_member_is_named(self) -> None:
        table = people()
        for row in table[1:]:
            row[2] = "f"
        table[30][2] = "diverse"
        self.write_people(table)
        self.assert_config_refused({"data.subsample": "5"}, "'diverse'")

    def test_a_table_without_rows_is_refused(self) -> None:
        self.write_people(people(0))
        self.assert_config_refused({}, r"people\.csv")


class BadOutput(BadInput):
    def test_a_path_below_a_file_is_refused(self) -> None:
        self.assert_refused(["run", "config.ini", "-o", "people.csv/result.h5"],
                            r"people\.csv/result\.h5")

    def test_a_folder_that_does_not_exist_is_refused(self) -> None:
        self.assert_refused(["run", "config.ini", "-o", "nowhere/result.h5"], "nowhere")

    def test_an_archive_that_exists_is_kept_unless_forced(self) -> None:
        self.make_archive()
        self.write_config({".seed": "2"})
        self.assert_refused(["run", "config.ini", "-o", "result.h5"], r"result\.h5", "--force")
        before = self.files()["result.h5"]
        self.succeed("run", "config.ini", "-o", "result.h5", "--force")
        self.assertNotEqual(self.files()["result.h5"], before)

    def test_force_replaces_archives_and_nothing_else(self) -> None:
        (self.folder / "device.h5").symlink_to("/dev/null")
        (self.folder / "config.h5").symlink_to("config.ini")
        (self.folder / "notes.h5").write_text("mine", encoding="utf-8")
        for name in ("people.csv", "config.ini", "config.h5", "device.h5", "notes.h5"):
            self.assert_refused(["run", "config.ini", "-o", name, "--force"], name, "--force does not")
            self.assertEqual((self.folder / name).is_symlink(), name in ("device.h5", "config.h5"))
        self.make_archive()
        self.make_archive("other.h5")
        for output in ("people.csv", "notes.h5", "result.h5"):
            self.assert_refused(["merge", "result.h5", "other.h5", "-o", output, "--force"], output)

    def test_tables_never_take_the_place_of_a_file(self) -> None:
        self.make_archive()
        (self.folder / "link.csv").symlink_to("nowhere")
        (self.folder / "tables").mkdir()
        (self.folder / "tables" / "tasks.csv").symlink_to("../people.csv")
        for name in ("people.csv", "config.ini", "link.csv", "result.h5"):
            self.assert_refused(["data", "config.ini", "--csv", name], name)
        for name in ("people.csv", "tables"):
            self.assert_refused(["export", "result.h5", "--csv", name], name)


    def test_a_name_that_leaves_no_room_for_a_journal_is_refused(self) -> None:
        for length in (250, 5000):
            self.assert_refused(["run", "config.ini", "-o", "x" * length], "name", on=(None,))

    def test_an_export_folder_that_holds_tables_is_refused(self) -> None:
        self.make_archive()
        self.succeed("export", "result.h5", "--csv", "tables")
        (self.folder / "tables" / "tasks.csv").unlink()
        self.assert_refused(["export", "result.h5", "--csv", "tables"], r"config\.csv|fronts-",
                            on=(None,))
        self.assertFalse((self.folder / "tables" / "tasks.csv").exists())


class OfferedNames(BadInput):
    """What a message lists is taken."""

    def offered(self, config: str) -> list[str]:
        (self.folder / "config.ini").write_text(config, encoding="utf-8")
        told = self.assert_refused(["run", "config.ini", "-o", "none.h5"], on=(None,))
        return told.partition("(valid: ")[2].rpartition(")")[0].partition(" and ")[0].split(", ")

    def test_measures_suit_what_is_audited(self) -> None:
        table = [["score", "group", "label"], *([str(i % 2), "ab"[i // 2 % 2], str(i // 4 % 2)] for i in range(80))]
        self.write_people(table)
        config = ("experiment = predictions\n[data]\ndata = csv\nfile = people.csv\nlabel = label\nsensitive = group\n[predictions]\n"
                  "score = score\nkind = decision\n[measures]\nmeasures = {}\n")
        names = self.offered(config.format("quantity"))
        self.assertGreater(len(names), 5)
        self.assertNotIn("brier", names)
        for name in names:
            (self.folder / "config.ini").write_text(config.format(name), encoding="utf-8")
            self.succeed("run", "config.ini", "-o", "one.h5", "--force")


class BadCommandLine(BadInput):
    def test_limits_that_are_none_are_refused(self) -> None:
        for option, values in {"--time-limit": ("", "nan"), "--checkpoint": ("nan", "-1", "inf"),
                               "--slice": ("1/1",), "--team-size": ("-1",)}.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused(["run", "config.ini", option, value], option, on=(None,))

    def test_a_number_that_is_none_or_out_of_range_is_answered_with_the_range(self) -> None:
        choose, predict = ("choose", "x.h5"), ("predict", "x.h5", "--rows", "x.csv", "--csv", "-")
        for words, option, wrong, rule in ((choose, "confidence", "1", "above 0.5 and below 1"), (predict, "draw", "-1", "below 2^63"),
                                           (predict, "draw", str(2 ** 63), "below 2^63"), (predict, "task", "1.5", "whole number"),
                                           (predict, "point", "-1", "whole number"), (predict, "balance", "1.1", "[0, 1]"),
                                           (("data", "config.ini"), "task", "-1", "whole number"),
                                           (("replay", "x.h5"), "task", "x", "whole number"),
                                           (("diff", "x.h5", "x.h5"), "rtol", "inf", ">= 0"),
                                           (("plan", "config.ini"), "ranks", "0", ">= 1"),
                                           (("show", "x.h5"), "points", "-1", ">= 0"), (("show", "x.h5"), "tasks", "1e3", ">= 0"),
                                           (("show", "x.h5"), "groups", "1x", ">= 0"), (("status", "x.h5"), "watch", "0", "86400"),
                                           (("run", "config.ini"), "checkpoint", "-1", ">= 0"),
                                           (("replay", "x.h5"), "team-size", "-1", ">= 0")):
            for value in ("", wrong, "nan"):
                with self.subTest(words=words, option=option, value=value):
                    told = self.assert_refused([*words, f"--{option}", value], on=(None,))
                    self.assertIn(f"{words[0]}: --{option} = '{value}', must be ", told)
                    self.assertIn(rule, told)
            with self.subTest(words=words, option=option):
                self.assertIn(rule, self.assert_refused([*words, f"--{option}="], on=(None,)))

    def test_an_empty_text_is_no_file_and_no_name(self) -> None:
        """It was as if nothing had been given: a script's variable is not set."""
        for words in (["choose", "x.h5", "--catalogue"], ["measure", "x.h5", "-o", "y.h5", "--catalogue"],
                      ["replay", "x.h5", "--work-dir"], ["init", "x.csv", "--label", "a", "--sensitive"],
                      ["show", "x.h5", "--chosen"], ["run", "config.ini", "--data-dir"]):
            self.assert_refused([*words, ""], f"{words[-1]} is empty: give it", on=(None,))

    def test_the_beginning_of_an_option_is_answered_with_it(self) -> None:
        self.assert_refused(["run", "config.ini", "--out", "x.h5"], "--output", on=(None,))

    def test_help_helps(self) -> None:
        self.assertIn("commands:", self.succeed("help", "help"))

    def test_an_unknown_command_is_answered_with_the_nearest_one(self) -> None:
        self.assert_refused(["rnu", "config.ini"], "'rnu'", r"\brun\b")

    def test_no_command_is_refused(self) -> None:
        self.assert_refused([], "--help")

    def test_an_unknown_option_is_answered_with_the_nearest_one(self) -> None:
        self.assert_refused(["run", "config.ini", "--forse"], "--forse", "--force")

    def test_a_missing_argument_is_named(self) -> None:
        self.assert_refused(["verify"], "ARCHIVE")

    def test_ranks_that_do_not_know_each_other_are_refused(self) -> None:
        self.assert_refused(["run", "config.ini"], "SLURM_NTASKS", "srun",
                            extra={"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4"})


if __name__ == "__main__":
    unittest.main()
