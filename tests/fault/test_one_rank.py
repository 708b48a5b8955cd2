"""Whatever happens to one rank alone: every rank ends, with one message."""

from __future__ import annotations

import errno
import unittest

from fault import ARCHIVE, COUPLED, MANY, Fault, FaultTest


class OneRank(FaultTest):
    def test_no_memory_outside_a_task(self) -> None:
        """The error is nobody's business but this rank's, so it ends the others."""
        expected = self.uninterrupted(MANY)
        for rank in (0, 1, 2):
            with self.subTest(rank=rank):
                self.begin_anew()
                fault = Fault("write", "*.log", 3, rank=rank, action="memory")
                code, errors = self.run_with(MANY, ranks=3, fault=fault)
                self.assertEqual(code, 5, errors)
                self.assertEqual(errors.count("fairfront: error"), 1, errors)
                self.assertIn(f"fairfront: error on rank {rank} of 3: out of memory", errors)
                self.assert_resumes(MANY, expected, ranks=2)

    def test_no_memory_in_a_team(self) -> None:
        expected = self.uninterrupted(COUPLED)
        fault = Fault("rename", "*.checkpoint", 3, action="memory")
        code, errors = self.run_with(COUPLED, "--team-size", "3", ranks=3, fault=fault)
        self.assertEqual(code, 5, errors)
        self.assertEqual(errors.count("fairfront: error"), 1, errors)
        self.assert_resumes(COUPLED, expected, ranks=2)

    def test_a_log_that_cannot_be_written(self) -> None:
        expected = self.uninterrupted(MANY)
        for rank in (0, 2):
            with self.subTest(rank=rank):
                self.begin_anew()
                fault = Fault("write", "*.log", 3, rank=rank, action=errno.EIO)
                outcome = self.run_ranks(MANY, ranks=3, fault=fault)
                self.assert_refused(outcome, f"0000-00000{rank}.log", "Input/output error",
                                    "the first 1 are safe on disk", "--resume")
                self.assert_resumes(MANY, expected, ranks=2)

    def test_a_log_that_cannot_be_begun(self) -> None:
        for call in ("open", "write", "sync"):
            with self.subTest(call):
                fault = Fault(call, "*-000001.log", rank=1, action=errno.EIO)
                outcome = self.run_ranks(MANY, "--force", ranks=3, fault=fault)
                self.assert_refused(outcome, "-000001.log", "Input/output error", "(rank 1)")

    def test_data_that_one_rank_cannot_read_fail_no_task(self) -> None:
        """Rank 0 has read them before the run: the node is at fault, and another run may do it."""
        # So many and so long that rank 0 cannot have done them all before rank 1 asks for its first.
        self.write_config({".seed": "1..12", "safairkm_front.iterations": "1500"})
        expected = self.uninterrupted(["config.ini"])
        for team in ("1", "2"):
            with self.subTest(team=team):
                self.begin_anew()
                fault = Fault("open", "*people.csv", rank=1, action=errno.EIO, apart=True)
                outcome = self.run_ranks(["config.ini", "--team-size", team], ranks=2, fault=fault)
                self.assertEqual(outcome.codes, [5, 5], outcome.error)
                for word in ("people.csv", "rank 1", "has no result", "--resume"):
                    self.assertIn(word, outcome.error)
                self.assert_resumes(["config.ini"], expected, ranks=2)

    def test_ranks_of_a_node_read_its_data_once(self) -> None:
        self.write_config({".seed": "1..12", "safairkm_front.iterations": "30"})
        config = ["config.ini", "--checkpoint", "40"]  # a name of its own for what is expected
        expected = self.uninterrupted(config)
        for rank in (1, 2):
            with self.subTest(rank=rank):
                self.begin_anew()
                fault = Fault("open", "*people.csv", rank=rank, action=errno.EIO)
                outcome = self.run_ranks(config, "--force", ranks=3, fault=fault)
                self.assertEqual(outcome.codes, [0, 0, 0], outcome.error)
                self.assertEqual(self.identity(), expected)

    def test_memory_that_one_rank_cannot_reach_is_not_shared(self) -> None:
        self.write_config({".seed": "1..12", "safairkm_front.iterations": "30"})
        config = ["config.ini", "--checkpoint", "40"]  # a name of its own for what is expected
        expected = self.uninterrupted(config)
        for rank, count in ((1, 1), (2, 1), (1, 2), (2, 3)):
            with self.subTest(rank=rank, count=count):
                self.begin_anew()
                fault = Fault("open", "/proc/*/fd/*", rank=rank, count=count, action=errno.EACCES)
                outcome = self.run_ranks(config, "--force", ranks=3, fault=fault)
                self.assertEqual(outcome.codes, [0, 0, 0], outcome.error)
                self.assertEqual(self.identity(), expected)


if __name__ == "__main__":
    unittest.main()
