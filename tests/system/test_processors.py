"""The same results on every x86-64 processor, by every method of every experiment.

The C library takes other variants of exp, log and the like where the processor has fused
multiply-adds or wide vectors. Its tunables take these features away, as an older processor would;
FAIRFRONT_SIMD takes them from the program's own kernels.
"""

from __future__ import annotations

import re
import unittest

import h5py

from program import ProgramTest, digest, results_sha256

# The names of glibc 2.33 and later, then the older ones; unknown names are ignored.
OLD_PROCESSOR = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F,-AVX512VL,"
                                   "-FMA_Usable,-FMA4_Usable,-AVX2_Usable,-AVX512F_Usable",
                 "FAIRFRONT_SIMD": "sse2"}

Sections = dict[str, dict[str, str]]
DATA = {"data": "csv", "file": "people.csv", "features": "age, hours", "sensitive": "sex"}
PREPARATION = {"scaling": "zscore", "row_scaling": "unit"}

# For every experiment: the sections that its methods share, and a small run of each method.
EXPERIMENTS: dict[str, tuple[Sections, Sections]] = {
    "clustering": (
        {"data": DATA, "preparation": PREPARATION, "clustering": {"clusters": "3"}},
        {"safairkm_front": {"iterations": "8", "starts": "4", "pairs": "(3,1) (1,0)"},
         "safairkm": {"iterations": "20", "n_a": "1, 2", "n_b": "1"},
         "vfairkm": {"mu_min": "10", "mu_max": "1000", "mu_count": "8"},
         "balance_ladder": {},
         "lower_bound": {"floor": "0.1, 0.4", "relocations": "20", "refinements": "20", "boxes": "2000"},
         "lloyd": {},
         "minibatch_kmeans": {"batch": "20"}}),
    "clustering3": (
        {"data": {**DATA, "sensitive": "sex, region"}, "preparation": PREPARATION,
         "clustering": {"clusters": "3"}},
        {"safairkm_front": {"iterations": "8", "starts": "4", "pairs": "(3,1) (1,0)"}}),
    "alternating": (
        {"data": {**DATA, "label": "region"}, "preparation": PREPARATION,
         "model": {"loss": "logistic", "fairness": "covariance"},
         "alternating": {"problem": "data, zdt3, ff1, deb41", "n_total": "4",
                         "iterations": "500", "trace_points": "9"}},
        {"sa2gd": {"n_a": "0..4", "noise": "0.1", "step": "1e-2"},
         "weighted_sum": {"n_a": "0..4", "noise": "0.1", "step": "1e-2"},
         "epsilon_constraint": {"samples": "500"},
         "pf_smg": {"most_gradients": "3000", "list_budget": "20"}}),
    "alternating3": (
        {"alternating": {"problem": "quadratic, huber", "n_total": "3", "iterations": "500"}},
        {"sa2gd": {"lattice": "0..9", "noise": "0.1", "step": "logspace(0.003, 0.05, 4)"},
         "weighted_sum": {"lattice": "0..9", "noise": "0.1", "step": "1e-2"},
         "epsilon_constraint": {"samples": "500", "spacing": "0.1"},
         "pf_smg": {"most_gradients": "3000", "list_budget": "20"}}),
    "predictions": (
        {"data": {"data": "syn_predictions"}, "predictions": {"score": "calibrated, shifted"}},
        {"measures": {"parts": "all, test", "intervals": "bootstrap", "resamples": "30"},
         "thresholds": {"gap": "demographic_parity, equalised_odds"},
         "drawn_thresholds": {"fairness": "demographic_parity, equalised_odds"}}),
    "regression": (
        {"data": {"data": "syn_four_groups"},
         "split": {"validation": "0.4", "test": "0.2", "split_seed": "1, 2"},
         "regression": {"resamples": "20"}},
        {"base_model": {},
         "dp_postprocessing": {"epsilon": "powers(2, -8, -2)", "trace_points": "5",
                               "optimiser": "ac_sa, sgd3_ac_sa2"},
         "dp_exact": {"epsilon": "powers(2, -8, -4)", "bound": "atom, cumulative"},
         "dp_lp": {"epsilon": "2^-5, 2^-7", "bound": "atom, cumulative"},
         "dp_streaming": {"epsilon": "2^-5", "optimiser": "averaged_sgd, ac_sa"},
         "adw": {"epsilon": "powers(2, -8, -2)"},
         "barycenter": {"epsilon": "0, 0.3", "ties": "drawn, middle"},
         "bounded_group_loss": {"epsilon": "0, 0.3"}}),
    "ranking": (
        {"data": {"data": "syn_predictions"},
         "split": {"split_seed": "1, 2"},
         "ranking": {"metric": "group, intra_group"}},
        {"unconstrained_auc": {"ridge": "0, 0.1"},
         "exact_auc": {"kappa": "0.05, 0.5"},
         "sfls": {"kappa": "0.05, 0.5", "steps": "500"},
         "iqrc": {"kappa": "0.05, 0.5", "steps": "200", "iterations": "2", "hidden_units": "3"},
         "auc_front": {"level": "0.01, 0.1"},
         "proxy_lagrangian": {"model": "linear, network", "steps": "300"},
         "correlation_penalty": {"model": "linear, network", "steps": "300"},
         "score_postprocessing": {"model": "network", "steps": "300", "factor_step": "0.5"}}),
    "training": (
        {"data": {"data": "syn_predictions"}, "model": {"hidden": "6, 4"},
         "training": {"fairness": "loss_gap, group_to_overall", "loss": "logistic, square",
                      "budget": "20000"}},
        {"sgd": {"step": "0.1"},
         "alm": {"group_sampling": "shuffled, replacement"},
         "ssl_alm": {"rules": "paper, authors"},
         "switching_subgradient": {},
         "stochastic_ghost": {},
         "fairret": {"regulariser": "norm, kl_projection"},
         "clamped_alm": {},
         "pi_duals": {},
         "certified_training": {"delta": "0.02, 0.2", "confidence": "0, 0.9"},
         "exact_training": {"delta": "0.02, 0.2"},
         "reductions": {"bound": "0.02, 0.1", "rate": "demographic_parity, equalised_odds", "search": "mixture, grid"},
         "postprocessing": {"bound": "0.02, 0.1", "rate": "demographic_parity, equalised_odds"}}),
}

# Shared sections of methods that are not for every problem of their experiment.
OWN_SECTIONS: dict[str, Sections] = {
    "exact_training": {"model": {"hidden": ""}},
    "reductions": {"model": {"hidden": ""}, "training": {"fairness": "loss_gap", "loss": "logistic"}},
}

# Several seeds are refused where they change nothing.
DRAW_NOTHING = ("measures", "thresholds", "drawn_thresholds", "base_model", "bounded_group_loss", "dp_exact", "dp_lp",
                "dp_streaming", "adw", "unconstrained_auc", "exact_auc", "auc_front", "exact_training",
                "reductions")


class Processors(ProgramTest):
    def methods(self) -> dict[str, list[str]]:
        """The methods of every experiment, from the program."""
        rows = [re.split(r"\s{2,}", line.strip())
                for line in self.succeed("list", "experiments").splitlines() if "  " in line]
        self.assertEqual(rows[0][:2], ["name", "methods"])
        return {row[0]: row[1].split(", ") for row in rows[1:]}

    def write_sections(self, experiment: str, sections: Sections) -> None:
        several = not set(DRAW_NOTHING) & set(sections)
        lines = [f"experiment = {experiment}", f"seed = {'1, 2' if several else '1'}"]
        for name, entries in sections.items():
            lines += [f"[{name}]", *(f"{key} = {value}" for key, value in entries.items())]
        (self.folder / "config.ini").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def archive(self, name: str, extra: dict[str, str]) -> tuple[str, str]:
        outcome = self.run_program("run", "config.ini", "-o", name, extra=extra)
        self.assertEqual(outcome.codes, [0], outcome.error)
        return digest(self.folder / name), results_sha256(self.folder / name)

    def test_every_method_of_every_experiment_has_a_run_here(self) -> None:
        self.assertEqual({name: sorted(methods) for name, methods in self.methods().items()},
                         {name: sorted(methods) for name, (_, methods) in EXPERIMENTS.items()})

    def test_results_do_not_depend_on_the_processor(self) -> None:
        for experiment, (shared, methods) in EXPERIMENTS.items():
            for method, options in methods.items():
                with self.subTest(experiment=experiment, method=method):
                    self.write_sections(experiment, {**shared, **OWN_SECTIONS.get(method, {}),
                                                     method: options})
                    name = f"{experiment}-{method}"
                    self.assertEqual(self.archive(f"{name}.h5", {}),
                                     self.archive(f"{name}-old.h5", OLD_PROCESSOR))
                    # What `verify` knows of configs, columns and runs suits every method.
                    self.assertNotIn("not compared", self.succeed("verify", f"{name}.h5"))

    def test_the_vectors_that_are_taken_are_named(self) -> None:
        outcome = self.run_program("--version", extra=OLD_PROCESSOR)
        self.assertIn("(computes with sse2; ", outcome.out, outcome.error)
        shared, methods = EXPERIMENTS["clustering"]
        self.write_sections("clustering", {**shared, "lloyd": methods["lloyd"]})
        self.archive("result.h5", OLD_PROCESSOR)
        with h5py.File(self.folder / "result.h5") as file:
            self.assertIn("(computes with sse2; ", file["provenance/processors"].asstr()[0])

    def test_an_archive_is_replayed_on_an_older_processor(self) -> None:
        shared, methods = EXPERIMENTS["clustering"]
        self.write_sections("clustering", {**shared, "vfairkm": methods["vfairkm"]})
        self.archive("result.h5", {})
        outcome = self.run_program("replay", "result.h5", extra=OLD_PROCESSOR)
        self.assertEqual(outcome.codes, [0], outcome.out + outcome.error)


if __name__ == "__main__":
    unittest.main()
