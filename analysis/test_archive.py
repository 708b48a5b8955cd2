from __future__ import annotations

import pathlib
import tempfile
import unittest
import unittest.mock

import h5py
import numpy as np

import fairfront_archive
import publish_sample
import sample_archive
from fairfront_archive import Archive, ArchiveError, Objective


class SampleArchive(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = sample_archive.write(pathlib.Path(folder.name) / "sample.h5")

    def edit(self, change, digests: bool = False) -> None:
        """With a right seal, as a forger's; with `digests` as if it had been written so."""
        with h5py.File(self.path, "r+", libver=("v108", "v108")) as file:
            change(file)
        (publish_sample.digest_again if digests else publish_sample.seal_again)(self.path)


class ReadingAnArchive(SampleArchive):
    def test_tasks_have_their_axis_values_status_and_message(self) -> None:
        with Archive(self.path) as archive:
            self.assertEqual([task.status for task in archive.tasks],
                             ["done", "done", "failed", "done"])
            self.assertEqual(archive.tasks[2].message, "no centre left")
            self.assertEqual(archive.tasks[1].axes, {"data.data": "adult", "seed": "2"})

    def test_axes_are_found_by_their_role(self) -> None:
        with Archive(self.path) as archive:
            self.assertEqual(archive.axes_of("problem"), ["data.data"])
            self.assertEqual(archive.axes_of("replicate", "trade_off"), ["seed"])
            self.assertEqual(archive.axes_of("tuning"), [])
            self.assertEqual(archive.data_names(), ["adult", "bank"])

    def test_an_option_that_is_no_axis_comes_from_the_config(self) -> None:
        with Archive(self.path) as archive:
            self.assertEqual(archive.value(archive.tasks[3], "clustering.clusters"), "10")
            self.assertEqual(archive.value(archive.tasks[3], "data.data"), "bank")
            self.assertIsNone(archive.value(archive.tasks[3], "clustering.unheard_of"))

    def test_an_axis_that_a_method_does_not_have_is_left_out(self) -> None:
        def no_axis(file: h5py.File) -> None:
            file["tasks/axis/data.data"][1] = -1
        self.edit(no_axis, digests=True)
        with Archive(self.path) as archive:
            self.assertEqual(archive.tasks[1].axes, {"seed": "2"})

    def test_fronts_come_per_task_with_names_units_and_directions(self) -> None:
        with Archive(self.path) as archive:
            fronts = archive.fronts()
        self.assertEqual([front.task.index for front in fronts], [0, 1, 3])
        for front in fronts:
            np.testing.assert_array_equal(front.points, sample_archive.FRONTS[front.task.index])
        self.assertEqual(fronts[0].objectives, [Objective("cost", "squared distance", "minimise"),
                                                Objective("balance", "", "maximise")])
        np.testing.assert_array_equal(fronts[2].reference, [30.0, 0.0])
        np.testing.assert_array_equal(fronts[1].solution, [3, 4])
        self.assertEqual(fronts[2].hypervolume, 8.0)

    def test_series_are_cut_out_per_task(self) -> None:
        with Archive(self.path) as archive:
            steps, values = archive.series("hypervolume", 0)
            empty, _ = archive.series("hypervolume", 3)
        np.testing.assert_array_equal(steps, [1, 2, 3])
        np.testing.assert_array_equal(values, [0.5, 0.6, 0.7])
        self.assertEqual(len(empty), 0)

    def test_metrics_have_one_number_per_task(self) -> None:
        with Archive(self.path) as archive:
            np.testing.assert_array_equal(archive.metrics()["spread"], [1.0, 2.0, np.nan, 4.0])


class Measures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = sample_archive.Sweep(
            axes={}, methods=["a", "b"], index={}, metrics={"steps": ("", "none", [5.0, 6.0])},
            measures={"error": ("share", "minimise", {"train": [0.1, 0.2], "test": [(0.3, 0.2, 0.4), 0.5]}),
                      "rate": ("share", "none", {("test", "x < 0"): [0.6, 0.7]})},
        ).write(pathlib.Path(folder.name) / "any.h5")
        self.archive = Archive(path)
        self.addCleanup(self.archive.close)

    def test_they_are_no_metrics_and_have_parts_groups_and_intervals(self) -> None:
        self.assertEqual(self.archive.metric_names(), ["steps"])
        error, rate = self.archive.measures().values()
        self.assertEqual((error.parts, error.groups, error.reported), (("train", "test"), ("all",), "test"))
        self.assertEqual((error.what.unit, error.what.direction), ("share", "minimise"))
        self.assertEqual(error.values.shape, (2, 2, 1, 3))
        np.testing.assert_array_equal(error.of("test"), [[0.3, 0.2, 0.4], [0.5, np.nan, np.nan]])
        np.testing.assert_array_equal(error.of("train")[:, 0], [0.1, 0.2])
        np.testing.assert_array_equal(rate.of("test", "x < 0")[:, 0], [0.6, 0.7])

    def test_a_measure_that_the_reported_part_lacks_is_not_reported(self) -> None:
        path = sample_archive.Sweep(
            axes={}, methods=["a"], index={}, measures={
                "gap": ("share", "minimise", {"train": [0.6]}),
                "error": ("share", "minimise", {"train": [0.1], "choice": [0.2], "test": [0.3]})},
        ).write(pathlib.Path(self.archive.path).parent / "lacks.h5")
        with Archive(path) as archive:
            gap, numbers = archive.measures()["gap"], archive.numbers()
            self.assertEqual((gap.reported, gap.shown), ("test", "train"))
            self.assertEqual({name: one.reported for name, one in numbers.items()}, {
                "gap (train)": False, "error (train)": False, "error (choice)": False, "error (test)": True})
            self.assertEqual(numbers["gap (train)"].text, "gap (train)")

    def test_what_nobody_measured_is_told(self) -> None:
        error = self.archive.measures()["error"]
        for place in (("validation",), ("test", "x < 0")):
            self.assertFalse(error.has(*place))
            with self.assertRaisesRegex(ArchiveError, "'error' has no part .*; parts: train, test; groups: all"):
                error.of(*place)

    def test_every_number_of_a_task_has_a_name(self) -> None:
        numbers = self.archive.numbers()
        self.assertEqual(list(numbers), ["steps", "error (train)", "error (test)", "rate (test, group x < 0)"])
        self.assertEqual([one.text for one in numbers.values()],
                         ["steps", "error (train)", "error", "rate (group x < 0)"])
        self.assertEqual([one.reported for one in numbers.values()], [False, False, True, False])
        one = numbers["error (test)"]
        self.assertEqual((one.measure.what.name, one.part, one.group), ("error", "test", "all"))
        np.testing.assert_array_equal([one.values, one.low, one.high],
                                      [[0.3, 0.5], [0.2, np.nan], [0.4, np.nan]])
        self.assertIsNone(numbers["steps"].measure)
        self.assertTrue(np.isnan(numbers["steps"].low).all())


class RefusingAFile(SampleArchive):
    def assert_refused(self, pattern: str) -> None:
        with self.assertRaisesRegex(ArchiveError, pattern):
            with Archive(self.path) as archive:
                archive.fronts()

    def test_a_missing_file_is_named(self) -> None:
        self.path = self.path.with_name("nowhere.h5")
        self.assert_refused("nowhere.h5: no such file")

    def test_a_text_file_is_not_an_archive(self) -> None:
        self.path.write_text("cost,balance\n")
        self.assert_refused("not a fairfront archive")

    def test_a_sealed_file_that_was_changed_is_refused(self) -> None:
        seal = "fairfront archive, HDF5 from byte 512\nlength 1\nsha256 00\n".ljust(512, "\0")
        self.path.write_bytes(seal.encode() + self.path.read_bytes())
        self.assert_refused("was changed after it was written")

    def test_another_hdf5_file_is_not_an_archive(self) -> None:
        def other(file: h5py.File) -> None:
            file.attrs["format"] = np.bytes_("openPMD")
        self.edit(other)
        self.assert_refused("/@format: is not fixed-length text")

    def test_a_file_without_a_seal_is_no_archive(self) -> None:
        self.path.write_bytes(self.path.read_bytes()[publish_sample.SEAL_BYTES:])
        self.assert_refused("an HDF5 file, but not a fairfront archive")

    def test_a_newer_format_is_refused(self) -> None:
        def newer(file: h5py.File) -> None:
            file.attrs["format_version"] = 2
        self.edit(newer)
        self.assert_refused("format version 2; this reader knows up to 1")

    def test_a_missing_column_is_named(self) -> None:
        def cut(file: h5py.File) -> None:
            del file["tasks/message"]
        self.edit(cut)
        self.assert_refused("/tasks/message is missing")

    def test_an_objective_too_many_is_reported(self) -> None:
        def widen(file: h5py.File) -> None:
            file["fronts/safairkm_front"].attrs["objectives"] = ["cost", "balance", "time"]
        self.edit(widen)
        self.assert_refused("/fronts/safairkm_front@objectives: is not fixed-length text")

    def test_an_unknown_series_lists_the_known_ones(self) -> None:
        with Archive(self.path) as archive:
            with self.assertRaisesRegex(ArchiveError, "no /series/cost; there are: hypervolume"):
                archive.series("cost", 0)
            with self.assertRaisesRegex(ArchiveError, "no task 9; there are 4"):
                archive.series("hypervolume", 9)


class ReadingAJournal(SampleArchive):
    """With a stand-in for the program; tests/system/test_unfinished.py has the program itself."""

    def setUp(self) -> None:
        super().setUp()
        self.missing = self.path.with_name("running.h5")
        self.missing.with_name("running.h5.journal").mkdir()
        self.program = self.path.with_name("program")

    def stand_in(self, script: str) -> None:
        self.program.write_text("#!/bin/sh\n" + script)
        self.program.chmod(0o755)
        patched = unittest.mock.patch.dict("os.environ", {"FAIRFRONT": str(self.program)})
        patched.start()
        self.addCleanup(patched.stop)

    def test_the_program_exports_what_is_done_and_its_name_stays(self) -> None:
        self.stand_in(f'[ "$1 $2 $3 $5" = "export --partial --hdf5 --" ] && [ "$6" = '
                      f'"{self.missing}" ] && cp "{self.path}" "$4"\n')
        with fairfront_archive.open(self.missing, partial=True) as archive:
            self.assertEqual(archive.path, str(self.missing))
            self.assertEqual(len(archive.task_frame()), 4)
            self.assertEqual(archive.series("hypervolume", 1)[1], [0.9])

    def test_its_refusal_is_the_error(self) -> None:
        self.stand_in("echo 'fairfront: error: it is damaged' >&2; exit 2\n")
        with self.assertRaisesRegex(ArchiveError, "running.h5: cannot read .*it is damaged"):
            fairfront_archive.open(self.missing, partial=True)

    def test_without_partial_it_says_that_there_is_a_journal(self) -> None:
        with self.assertRaisesRegex(ArchiveError, "partial=True reads that"):
            fairfront_archive.open(self.missing)

    def test_partial_of_an_archive_is_the_archive(self) -> None:
        with fairfront_archive.open(self.path, partial=True) as archive:
            self.assertEqual(archive.path, str(self.path))


if __name__ == "__main__":
    unittest.main()
