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
                self.assertEqual(code, 2, errors)
                self.assertEqual(errors.count("fairfront: error"), 1, errors)
                self.assertIn(f"fairfront: error on rank {rank} of 3: std::bad_alloc", errors)
                self.assert_resumes(MANY, expected, ranks=2)

    def test_no_memory_in_a_team(self) -> None:
        expected = self.uninterrupted(COUPLED)
        fault = Fault("rename", "*.checkpoint", 3, action="memory")
        code, errors = self.run_with(COUPLED, "--team-size", "3", ranks=3, fault=fault)
        self.assertEqual(code, 2, errors)
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

    def test_an_error_inside_a_task_of_a_team_fails_the_task_alone(self) -> None:
        self.write_config({".seed": "1..3"})
        fault = Fault("open", "*people.csv", rank=1, action=errno.EIO)
        config = ["config.ini", "--team-size", "2"]
        outcome = self.run_ranks(config, ranks=2, fault=fault)
        self.assertEqual(outcome.codes, [1, 1], outcome.error)
        self.assertIn("people.csv", outcome.error)
        self.assertIn("(rank 1)", outcome.error)


if __name__ == "__main__":
    unittest.main()
