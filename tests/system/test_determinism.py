"""The same results for every number of ranks."""

from __future__ import annotations

import unittest

from program import ProgramTest, digest, results_sha256


class Determinism(ProgramTest):
    def assert_same_on_all_ranks(self, *ranks: int) -> None:
        first = self.make_archive("alone.h5")
        expected = digest(first), results_sha256(first)
        for count in ranks:
            with self.subTest(ranks=count):
                path = self.make_archive(f"ranks{count}.h5", ranks=count)
                self.assertEqual((digest(path), results_sha256(path)), expected)
                self.assertIn(expected[0], self.succeed("verify", path.name))

    def test_results_do_not_depend_on_the_number_of_ranks(self) -> None:
        self.write_config({".seed": "1, 2", "clustering.clusters": "2, 3",
                           "safairkm_front.iterations": "30"})
        self.assert_same_on_all_ranks(1, 2, 3, 4, 7)

    def test_nor_when_the_list_is_thinned(self) -> None:
        self.write_config({"safairkm_front.iterations": "40", "safairkm_front.list_budget": "5"})
        self.assert_same_on_all_ranks(3)

    def test_nor_do_those_of_base_models_that_one_rank_of_a_node_fits_for_all(self) -> None:
        (self.folder / "config.ini").write_text(
            "experiment = regression\nseed = 1\n[data]\ndata = syn_four_groups\n[split]\nvalidation = 0.4\n"
            "test = 0.2\nchoice = 0.1\nsplit_seed = 1, 2\n[base_model]\n[dp_exact]\nepsilon = 0.1, 0.01\n")
        self.assert_same_on_all_ranks(2, 4)

    def test_nor_do_those_of_ranking_whose_rows_one_rank_of_a_node_makes_for_all(self) -> None:
        (self.folder / "config.ini").write_text(
            "experiment = ranking\nseed = 1, 2\n[data]\ndata = syn_predictions\n[split]\nvalidation = 0.2\n"
            "test = 0.2\nchoice = 0.1\nstratify = group_and_label\nsplit_seed = 1, 2\n[ranking]\n"
            "metric = group, inter_group\n[exact_auc]\nkappa = 0.1\n[sfls]\nevaluations = 20000\n")
        self.assert_same_on_all_ranks(2, 3, 4)

    def test_nor_do_audits_whose_parts_one_rank_of_a_node_makes_for_all(self) -> None:
        (self.folder / "config.ini").write_text(
            "experiment = predictions\n[data]\ndata = syn_predictions\n[split]\nvalidation = 0.4\ntest = 0.3\n"
            "choice = 0.1\nsplit_seed = 1, 2\n[predictions]\nscore = calibrated, shifted\n[measures]\n"
            "[thresholds]\n[drawn_thresholds]\n")
        self.assert_same_on_all_ranks(2, 3, 4)

    def test_nor_does_a_run_of_training_whose_batches_a_team_shares(self) -> None:
        (self.folder / "config.ini").write_text(
            "experiment = training\nseed = 1\n[data]\ndata = syn_predictions\n[split]\nvalidation = 0.2\n"
            "test = 0.2\nstratify = group_and_label\n[model]\nhidden = 128, 128\n[training]\nbudget = 40000\n"
            "trace_points = 3\n[sgd]\nbatch = 1000\n[certified_training]\nbatch = 600\ndelta = 0.05\n")
        alone = self.make_archive("alone.h5")
        for ranks in (2, 3):  # each task by all of them
            with self.subTest(ranks=ranks):
                name = f"team{ranks}.h5"
                self.succeed("run", "config.ini", "-o", name, "--team-size", str(ranks), ranks=ranks)
                path = self.folder / name
                self.assertEqual((digest(path), results_sha256(path)), (digest(alone), results_sha256(alone)))

    def test_another_seed_gives_other_results(self) -> None:
        first = results_sha256(self.make_archive())
        self.write_config({".seed": "2"})
        self.assertNotEqual(results_sha256(self.make_archive("other.h5")), first)


if __name__ == "__main__":
    unittest.main()
