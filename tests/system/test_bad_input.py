"""Whatever is wrong with the input: one line that says so, status 2 on every rank, no file."""

from __future__ import annotations

import unittest

from program import ProgramTest, people

RANKS = (None, 3)


class BadInput(ProgramTest):
    def assert_refused(self, arguments: list[str], *patterns: str,
                       extra: dict[str, str] | None = None) -> str:
        """The error's text; the same on one and on three ranks but for the rank's number."""
        before = self.files()
        text = ""
        for ranks in RANKS if extra is None else (None,):
            with self.subTest(arguments=arguments, ranks=ranks):
                outcome = self.run_program(*arguments, ranks=ranks, extra=extra)
                self.assertEqual(outcome.codes, [2] * (ranks or 1), outcome.error)
                lines = outcome.error.splitlines()
                self.assertEqual(len(lines), 1, outcome.error)
                self.assertTrue(lines[0].startswith("fairfront: error: "), lines[0])
                for pattern in patterns:
                    self.assertRegex(lines[0], pattern)
                self.assertEqual(self.files(), before)
                text = outcome.error
        return text

    def assert_config_refused(self, changes: dict[str, str | None], *patterns: str) -> str:
        self.write_config(changes)
        return self.assert_refused(["run", "config.ini", "-o", "result.h5"], *patterns)


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
        self.assert_config_refused({"safairkm_front.pairs": "(61,1)"}, "61", "60")

    def test_more_clusters_than_rows_are_refused(self) -> None:
        self.assert_config_refused({"clustering.clusters": "61"}, "61", "60")

    def test_an_error_in_an_override_names_the_override(self) -> None:
        self.assert_refused(["run", "config.ini", "--set", "clustering.clusters=none"],
                            "--set clustering.clusters=none", "clusters")


class BadData(BadInput):
    def test_a_missing_file_is_named(self) -> None:
        self.assert_config_refused({"data.file": "nobody.csv"}, r"nobody\.csv")

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


class BadCommandLine(BadInput):
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
